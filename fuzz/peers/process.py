"""A driver at work in its own Python: it is asked for one life at a time, and tells it call by call."""

import json
import selectors
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bench.peers.environments import ROOT
from events.records import AnyRecord
from fuzz.peers.environments import Driven

PATIENCE: Final = 300.0
"""Seconds after which a process that says nothing has failed."""


class PeerFailed(Exception):
    """A driver's process that ended, fell silent, or was at fault itself: nothing was learned about the allocator."""


class FaultText(msgspec.Struct, frozen=True):
    """A deliberate fault, as its driver describes it."""

    property: str
    prose: str
    precedent: str
    setups: list[str]


class Description(msgspec.Struct, frozen=True):
    """A target, as its driver describes it; see `fuzz.peers.inside.driver.Target`."""

    title: str
    version: str
    setups: list[str]
    promises: dict[str, str]
    leaves_out: dict[str, str]
    expects: list[tuple[str, str]]
    faults: dict[str, FaultText]


class Said(msgspec.Struct, frozen=True):
    """One call of a life, how it ended, and the records that it left; without a call, what came before the first."""

    call: list[Any] | None
    outcome: str
    records: list[AnyRecord]


class Ended(msgspec.Struct, frozen=True):
    """How a life ended: what was seen to be broken, a property and a problem; or that the driver itself failed."""

    broken: tuple[str, str] | None = None
    failed: str | None = None


@dataclass(frozen=True)
class Life:
    """What is asked for.

    Attributes:
        setup: by name.
        script: the calls; none where they follow from a seed.
        seed: of all choices.
        calls: how many are chosen.
        fault: which is in force.
    """

    setup: str
    script: tuple[list[Any], ...] | None = None
    seed: str = ""
    calls: int = 0
    fault: str | None = None

    def asked(self) -> Mapping[str, Any]:
        """The request for it."""
        what = {"seed": self.seed, "calls": self.calls} if self.script is None else {"script": list(self.script)}
        return {"setup": self.setup, "fault": self.fault, **what}


class PeerProcess:
    """Asks for lives."""

    def __init__(self, process: subprocess.Popen[bytes], driven: Driven) -> None:
        self._process, self._driven = process, driven
        assert process.stdout is not None  # it was opened as a pipe
        self._selector = selectors.DefaultSelector()
        self._selector.register(process.stdout, selectors.EVENT_READ)
        self._pending: list[bytes] = []
        self._rest = b""
        self.description = _DESCRIPTION.decode(self._line())
        """What is driven."""

    def live(self, life: Life) -> Iterator[Said | Ended]:
        """One life, call by call; the last thing said is how it ended.  Must be read to its end."""
        assert self._process.stdin is not None  # it was opened as a pipe
        self._process.stdin.write(json.dumps(life.asked()).encode() + b"\n")
        self._process.stdin.flush()
        while True:
            line = self._line()
            if line.startswith(b'{"broken"') or line.startswith(b'{"failed"'):
                ended = _ENDED.decode(line)
                if ended.failed is not None:
                    raise PeerFailed(f"the driver of {self._driven.name} failed: {ended.failed}")
                yield ended
                return
            yield _SAID.decode(line)

    def _line(self) -> bytes:
        while not self._pending:
            if not self._selector.select(PATIENCE):
                raise PeerFailed(f"{self._driven.name} has said nothing for {PATIENCE:.0f} seconds")
            assert self._process.stdout is not None  # it was opened as a pipe
            read = self._process.stdout.read1(1 << 20)  # type: ignore[attr-defined]  # a pipe's reader has it
            if not read:
                raise PeerFailed(f"{self._driven.name} ended with exit code {self._process.wait()}")
            *whole, self._rest = (self._rest + read).split(b"\n")
            self._pending = whole[::-1]
        return self._pending.pop()


_DESCRIPTION = msgspec.json.Decoder(Description)
_ENDED = msgspec.json.Decoder(Ended)
_SAID = msgspec.json.Decoder(Said)


@contextmanager
def running(driven: Driven) -> Iterator[PeerProcess]:
    """The driver's process, ready to be asked.

    Raises:
        PeerFailed: it does not start.
    """
    command = [str(driven.python), "-m", "fuzz.peers.inside", driven.driver]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=driven.environment(),
        start_new_session=True,  # Ctrl-C is for us alone
    ) as process:
        try:
            yield PeerProcess(process, driven)
        except BrokenPipeError:
            raise PeerFailed(f"{driven.name} ended with exit code {process.wait()}") from None
        finally:
            process.kill()
