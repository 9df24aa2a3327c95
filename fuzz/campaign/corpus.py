"""The corpus: what campaigns leave to each other, in an example database of Hypothesis'."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    GitHubArtifactDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)
from hypothesis.errors import HypothesisWarning

from fuzz.campaign.record import Kept

KEPT_OF_GITHUB: Final = Path(".bandgap/github")
"""Where artifacts lie that were fetched; they are fetched again after a day."""

_PARTS: Final = ("failing", "covering", "seen")


class NoCorpus(Exception):
    """A place where no corpus can be.

    Attributes:
        remedy: what to do about it, a clause.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


def corpus_at(places: Sequence[str]) -> ExampleDatabase:
    """The corpus at some places: what is new is put at the first, and the others are only read.

    A place is a folder, `redis://HOST[:PORT][/DATABASE]` or `github:OWNER/REPOSITORY`, which is only read, wherever it
    stands.

    Raises:
        NoCorpus: there can be none.
    """
    first, *others = (_database(place) for place in places)
    return MultiplexedDatabase(first, *(ReadOnlyDatabase(other) for other in others)) if others else first


def _database(place: str) -> ExampleDatabase:
    if place.startswith("redis://"):
        return _on_redis(place)
    if place.startswith("github:"):
        owner, _, name = place.removeprefix("github:").partition("/")
        if not owner or not name or "/" in name:
            raise NoCorpus("names no repository", "write github:OWNER/REPOSITORY")
        # by itself it would take for this repository's what it has kept of another's
        kept = KEPT_OF_GITHUB / owner / name
        return ReadOnlyDatabase(_OfGitHub(GitHubArtifactDatabase(owner, name, path=kept)))
    if "://" in place:
        raise NoCorpus("is no place for a corpus", "give a folder, redis://HOST or github:OWNER/REPOSITORY")
    folder = Path(place)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NoCorpus(f"cannot be made ({error.strerror})", "give a folder that can be written") from error
    return _InAFolder(folder)


def _on_redis(place: str) -> ExampleDatabase:
    try:
        from hypothesis.extra.redis import RedisExampleDatabase
        from redis import Redis, RedisError
    except ImportError as error:
        raise NoCorpus("needs the client of Redis", "pip install redis") from error
    redis: Any = Redis.from_url(place)
    try:
        redis.ping()
    except RedisError as error:
        raise NoCorpus(f"does not answer: {error}", "give the address of a Redis that runs") from error
    # what is old is worth as much
    there = RedisExampleDatabase(redis, key_prefix=b"bandgap:", expire_after=timedelta(days=3650))
    return _Elsewhere(there, RedisError)


class _OfGitHub(ExampleDatabase):
    """What CI left; Hypothesis' own database of it warns where there is none, and goes on with nothing."""

    def __init__(self, there: GitHubArtifactDatabase) -> None:
        super().__init__()
        self._there = there

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """See `ExampleDatabase`; raises NoCorpus."""
        with warnings.catch_warnings(record=True, category=HypothesisWarning) as said:
            warnings.simplefilter("always", HypothesisWarning)
            found = list(self._there.fetch(key))
        problems = [str(each.message).strip() for each in said]
        # an artifact of some days ago is better than none
        if problems and not any("as a fallback" in problem for problem in problems):
            remedy = "set GITHUB_TOKEN to one that may read the artifact hypothesis-example-db of the repository"
            raise NoCorpus(f"is not to be had: {problems[0].rstrip('.')}", remedy)
        return found

    def save(self, key: bytes, value: bytes) -> None:
        """It is only read."""

    def delete(self, key: bytes, value: bytes) -> None:
        """It is only read."""


class _InAFolder(DirectoryBasedExampleDatabase):
    """A folder; Hypothesis' own database of it says nothing where it cannot be written to, and goes on."""

    def save(self, key: bytes, value: bytes) -> None:
        """See `ExampleDatabase`; raises NoCorpus."""
        super().save(key, value)
        if not self._value_path(key, value).exists():
            raise NoCorpus("does not keep what is put there", "make room, or give a folder that can be written")


class _Elsewhere(ExampleDatabase):
    """A database on another machine, which may cease to answer: that is no corpus then.

    Args:
        there: the database.
        silence: what is raised when it does not answer.
    """

    def __init__(self, there: ExampleDatabase, silence: type[Exception]) -> None:
        super().__init__()
        self._there, self._silence = there, silence

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """See `ExampleDatabase`; raises NoCorpus."""
        with self._answering():
            return list(self._there.fetch(key))

    def save(self, key: bytes, value: bytes) -> None:
        """See `ExampleDatabase`; raises NoCorpus."""
        with self._answering():
            self._there.save(key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        """See `ExampleDatabase`; raises NoCorpus."""
        with self._answering():
            self._there.delete(key, value)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except self._silence as error:
            raise NoCorpus(f"does not answer any more: {error}", "give the address of a Redis that runs") from error


def taken(corpus: ExampleDatabase, target: str, setups: Iterable[str]) -> dict[str, Kept]:
    """What lies there for each setup of a target, in an order that is always the same."""
    found = {}
    for setup in setups:
        failing, covering, seen = (sorted(corpus.fetch(_key(target, setup, part))) for part in _PARTS)
        # a file that was cut short on a full disk may hold half a letter
        found[setup] = Kept(tuple(failing), tuple(covering), tuple(each.decode(errors="replace") for each in seen))
    return found


def put(corpus: ExampleDatabase, target: str, kept: Mapping[str, Kept]) -> None:
    """Put there what was kept for each setup; what is there already stays as it is."""
    for setup, what in kept.items():
        for part in _PARTS:
            for value in getattr(what, part):
                corpus.save(_key(target, setup, part), value.encode() if isinstance(value, str) else value)


def _key(target: str, setup: str, part: str) -> bytes:
    return f"bandgap/{target}/{setup}/{part}".encode()
