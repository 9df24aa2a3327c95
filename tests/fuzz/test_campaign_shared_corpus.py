"""A corpus on another machine: a Redis that is asked over a socket, and what CI left on GitHub."""

import io
import json
import shutil
import threading
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fakeredis import TcpFakeServer
from hypothesis.database import DirectoryBasedExampleDatabase
from redis import Redis

from bandgap.errors import UsageError
from bandgap.verbs import fuzz
from fuzz.campaign.campaign import Head, opened
from fuzz.campaign.corpus import NoCorpus, corpus_at, put, taken
from fuzz.campaign.plan import Plan, code_now
from fuzz.campaign.record import Kept
from fuzz.setups import setup_names
from tests.fuzz.campaigns import Here, journal

KEPT = {"toy-three": Kept((b"\x00broke",), (b"first", b"second"), ("allocate: refused",))}


@contextmanager
def serving(server: Any) -> Iterator[int]:
    """A server at work in a thread; its port."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def redis() -> Iterator[str]:
    """A Redis that answers real clients; it keeps what it is told in this process."""
    with serving(TcpFakeServer(("127.0.0.1", 0))) as port:
        yield f"redis://127.0.0.1:{port}"


def asked(*corpus: str, units: int = 4) -> Head:
    return Head(Plan("bandgap", 3, 2, 600, None, code_now("bandgap")), corpus, None, units)


def worked_off(folder: Path, head: Head, before: Callable[[], object] = lambda: None) -> Any:
    with opened(folder, head) as campaign:
        before()
        campaign.run(Here(campaign.work()))
    return campaign


def test_a_folder_that_takes_nothing_ends_no_campaign_and_is_given_later_what_it_missed(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"

    def in_the_way() -> None:
        shutil.rmtree(corpus)
        corpus.write_text("no folder")

    campaign = worked_off(tmp_path / "a", asked(str(corpus)), in_the_way)
    assert campaign.is_over
    assert campaign.not_put == "does not keep what is put there"
    corpus.unlink()
    with opened(tmp_path / "a", asked(str(corpus))) as again:
        assert again.not_put is None
    kept = {name for lane in again.summary.lanes for name, each in lane.kept.items() if each.covering}
    assert kept
    assert all(each.covering for each in taken(corpus_at([str(corpus)]), "bandgap", kept).values())


def test_campaigns_that_share_a_redis_leave_their_examples_to_each_other(redis: str, tmp_path: Path) -> None:
    first = worked_off(tmp_path / "a", asked(f"{redis}/2"))
    kept = {name: lane for each in first.summary.lanes for name, lane in each.kept.items() if lane.covering}
    assert kept
    assert first.not_put is None
    with opened(tmp_path / "b", asked(f"{redis}/2")):
        pass
    found = json.loads((tmp_path / "b" / "snapshot.json").read_bytes())
    assert {name for name, each in found.items() if each["covering"]} == set(kept)
    assert {name: sorted(each["seen"]) for name, each in found.items() if each["seen"]} == {
        name: sorted(each.seen) for name, each in kept.items()
    }
    # of the databases of a Redis another is another, and what lies there is ours by its name, and stays for years
    assert taken(corpus_at([f"{redis}/3"]), "bandgap", kept) == dict.fromkeys(kept, Kept())
    client: Any = Redis.from_url(f"{redis}/2")
    keys = client.keys("*")
    assert keys
    assert all(key.startswith(b"bandgap:bandgap/bandgap/toy-") for key in keys)
    assert min(client.ttl(key) for key in keys) > 3 * 365 * 24 * 3600
    client.close()


def test_a_redis_of_several_places_is_only_read(redis: str, tmp_path: Path) -> None:
    put(corpus_at([redis]), "bandgap", KEPT)
    both = corpus_at([str(tmp_path / "own"), redis])
    assert taken(both, "bandgap", KEPT) == KEPT
    put(both, "bandgap", {"toy-four": KEPT["toy-three"]})
    assert taken(corpus_at([redis]), "bandgap", ["toy-four"]) == {"toy-four": Kept()}
    assert taken(corpus_at([str(tmp_path / "own")]), "bandgap", ["toy-four"]) == {"toy-four": KEPT["toy-three"]}


def test_a_redis_that_falls_silent_ends_no_campaign_and_is_given_later_what_it_missed(tmp_path: Path) -> None:
    server = TcpFakeServer(("127.0.0.1", 0))
    with serving(server) as port:
        place = f"redis://127.0.0.1:{port}"

        def stop() -> None:
            server.shutdown()
            server.server_close()

        with opened(tmp_path / "a", asked(place)) as campaign:
            stop()
            # what a server that is gone does to its connections
            campaign.corpus._there.redis.connection_pool.disconnect()  # type: ignore[attr-defined]  # it is on Redis
            campaign.run(Here(campaign.work()))
    assert campaign.is_over
    assert campaign.not_put is not None
    assert campaign.not_put.startswith("does not answer any more")
    undisturbed = worked_off(tmp_path / "b", asked(str(tmp_path / "corpus")))
    assert journal(tmp_path / "a") == journal(tmp_path / "b")
    with pytest.raises(NoCorpus, match="does not answer"), opened(tmp_path / "a", asked(place)):
        pass
    with serving(TcpFakeServer(("127.0.0.1", port))), opened(tmp_path / "a", asked(place)) as again:
        assert again.not_put is None
        names = setup_names()
        found = taken(again.corpus, "bandgap", names)
        assert found == taken(undisturbed.corpus, "bandgap", names)
        assert any(each.covering for each in found.values())


# ------------------------------------------------------------------------------------------------------------- GitHub


class _Api(BaseHTTPRequestHandler):
    """What is asked of GitHub's artifacts: their list, and one as an archive."""

    answers: dict[str, bytes]
    asked: list[tuple[str, str | None]]

    def __init__(self, answers: dict[str, bytes], asked: list[tuple[str, str | None]], *rest: Any) -> None:
        self.answers, self.asked = answers, asked
        super().__init__(*rest)

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Authorization"]))
        body = self.answers.get(self.path)
        self.send_response(200 if body is not None else 404)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


def archive(folder: Path) -> bytes:
    """What a pipeline uploads of a corpus."""
    put(DirectoryBasedExampleDatabase(folder), "bandgap", KEPT)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as zipped:
        for path in sorted(folder.rglob("*")):
            zipped.write(path, path.relative_to(folder))
    return packed.getvalue()


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[dict[str, bytes], list[Any]]]:
    """Answers by path, and what was asked; whoever asks GitHub in this test asks here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_TOKEN", "a-token")
    answers: dict[str, bytes] = {}
    requests: list[tuple[str, str | None]] = []
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), partial(_Api, answers, requests))) as port:
        really = urllib.request.urlopen

        def here(request: urllib.request.Request) -> Any:
            assert request.full_url.startswith("https://api.github.com/")
            request.full_url = request.full_url.replace("https://api.github.com", f"http://127.0.0.1:{port}")
            return really(request)

        monkeypatch.setattr(urllib.request, "urlopen", here)
        yield answers, requests


def listed(owner: str, *artifacts: tuple[str, str, str]) -> dict[str, bytes]:
    said = [
        {"name": name, "created_at": day, "archive_download_url": f"https://api.github.com{path}"}
        for name, day, path in artifacts
    ]
    return {f"/repos/{owner}/actions/artifacts": json.dumps({"artifacts": said}).encode()}


NAME = "hypothesis-example-db"


def test_what_ci_left_is_read_from_the_latest_artifact_and_never_written(
    github: tuple[dict[str, bytes], list[Any]], tmp_path: Path
) -> None:
    answers, requests = github
    earlier, newest = (NAME, "2026-11-01T00:00:00Z", "/zip/1"), (NAME, "2026-11-29T00:00:00Z", "/zip/2")
    answers.update(listed("us/ours", earlier, newest, ("other", "2026-11-30T00:00:00Z", "/zip/3")))
    answers["/zip/2"] = archive(tmp_path / "uploaded")
    places = [str(tmp_path / "own"), "github:us/ours"]
    assert taken(corpus_at(places), "bandgap", KEPT) == KEPT
    assert requests == [("/repos/us/ours/actions/artifacts", "Bearer a-token"), ("/zip/2", "Bearer a-token")]
    # for a day it is not asked for again, and another repository's is not taken for it
    assert taken(corpus_at(places), "bandgap", KEPT) == KEPT
    assert len(requests) == 2
    answers.update(listed("us/theirs", newest))
    answers["/zip/2"] = archive(tmp_path / "nothing-new")
    taken(corpus_at(["github:us/theirs"]), "bandgap", KEPT)
    assert [path for path, _ in requests[2:]] == ["/repos/us/theirs/actions/artifacts", "/zip/2"]
    put(corpus_at(["github:us/ours"]), "bandgap", {"toy-four": KEPT["toy-three"]})
    assert taken(corpus_at(["github:us/ours"]), "bandgap", ["toy-four"]) == {"toy-four": Kept()}


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ({}, "Could not get the latest artifact from GitHub"),
        (listed("us/ours"), "Couldn't acquire a new or existing artifact"),
        (listed("us/ours", (NAME, "2026-11-29", "/gone")), "Could not get the latest artifact from GitHub"),
        (
            {**listed("us/ours", (NAME, "2026-11-29", "/zip")), "/zip": b"no archive"},
            "The downloaded artifact from GitHub is invalid",
        ),
    ],
)
def test_an_artifact_that_is_not_to_be_had_is_told(
    answers: dict[str, bytes], problem: str, github: tuple[dict[str, bytes], list[Any]]
) -> None:
    github[0].update(answers)
    with pytest.raises(UsageError) as caught:
        fuzz.run(units=1, folder=Path("campaign"), corpus=["own", "github:us/ours"])
    assert caught.value.field == "--corpus"
    assert f"is not to be had: {problem}" in caught.value.problem
    assert "set GITHUB_TOKEN" in caught.value.remedy
    # nothing stands in the way of another try
    with opened(Path("campaign"), asked("own", units=1)) as campaign:
        assert campaign.resumed == 0
