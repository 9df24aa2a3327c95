"""A driver at work in its own Python: it is asked for one life at a time, and tells it call by call."""

import json
import re
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from bench.peers.environments import ROOT
from events.records import AnyRecord
from fuzz.peers.environments import Driven

PATIENCE: Final = 300.0
"""Seconds after which a process that does not load its driver, or chooses no call, has failed."""

_DUMP_SECONDS: Final = 2.0
"""For a process that hangs to say where."""


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
    patience: float = 30.0
    source: str = ""


class Said(msgspec.Struct, frozen=True):
    """One call of a life, how it ended, and the records that it left; without a call, what came before the first."""

    call: list[Any] | None
    outcome: str
    records: list[AnyRecord]


class Ended(msgspec.Struct, frozen=True):
    """How a life ended: what was seen to be broken, a property and a problem; or that the driver itself failed."""

    broken: tuple[str, str] | None = None
    failed: str | None = None


class _Asked(msgspec.Struct, frozen=True):
    """A call that is about to be made."""

    asked: list[Any]


class _Silent(Exception):
    """A process that says nothing more.

    Attributes:
        status: its exit status; None if it is still there.
    """

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Life:
    """What is asked for.

    Attributes:
        setup: by name.
        script: the calls; none where they follow from a seed.
        seed: of all choices.
        calls: how many are chosen.
        fault: which is in force.
        patience: seconds in which each call must return; as long as the target says, if left out.
    """

    setup: str
    script: tuple[list[Any], ...] | None = None
    seed: str = ""
    calls: int = 0
    fault: str | None = None
    patience: float | None = None

    def asked(self) -> Mapping[str, Any]:
        """The request for it."""
        what = {"seed": self.seed, "calls": self.calls} if self.script is None else {"script": list(self.script)}
        return {"setup": self.setup, "fault": self.fault, **what}


class PeerProcess:
    """Asks for lives.

    A process that hangs or ends in a call is replaced by a new one before the next life.

    Args:
        driven: what it drives.

    Raises:
        PeerFailed: it does not start, or its driver does not load.
    """

    def __init__(self, driven: Driven) -> None:
        self._driven = driven
        # where a process that hangs says in which line
        self._stack = tempfile.NamedTemporaryFile(prefix="bandgap-stack-")  # noqa: SIM115  # closed with the process
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self.description = self._started()
            """What is driven."""
        except BaseException:
            self.close()
            raise

    def live(self, life: Life) -> Iterator[Said | Ended]:
        """One life, call by call; the last thing said is how it ended. Must be read to its end."""
        if self._process is None:
            self._started()
        assert self._process is not None  # it was started
        assert self._process.stdin is not None  # it was opened as a pipe
        try:
            self._process.stdin.write(json.dumps(life.asked()).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise PeerFailed(_end(self._process.wait())) from None
        patience = self.description.patience if life.patience is None else life.patience
        call: list[Any] | None = None
        is_called = True  # what is built is called too
        while True:
            try:
                line = self._line(patience if is_called else PATIENCE)
            except _Silent as silent:
                broken = self._broken(silent, call, patience, is_called=is_called)
                self._ended()
                yield Said(call, broken[0], [])
                yield Ended(broken)
                return
            if line.startswith(b'{"asked"'):
                call, is_called = _read(_ASKED, line).asked, True
                continue
            if line.startswith((b'{"broken"', b'{"failed"')):
                ended = _read(_ENDED, line)
                if ended.failed is not None:
                    raise PeerFailed(f"the driver failed: {ended.failed}")
                yield ended
                return
            is_called = False
            yield _read(_SAID, line)

    def close(self) -> None:
        """End the process."""
        self._ended()
        self._stack.close()

    def _started(self) -> Description:
        command = [str(self._driven.python), "-m", "fuzz.peers.inside", self._driven.driver, self._stack.name]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=ROOT,
                env=self._driven.environment(),
                start_new_session=True,  # Ctrl-C is for us alone
            )
        except OSError as error:
            raise PeerFailed(f"{self._driven.python} cannot be run: {error.strerror}") from None
        assert self._process.stdout is not None  # it was opened as a pipe
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self._pending: list[bytes] = []
        self._rest = b""
        try:
            line = self._line(PATIENCE)
        except _Silent as silent:
            how = f"the driver did not load in {PATIENCE:.0f} seconds" if silent.status is None else _end(silent.status)
            raise PeerFailed(how) from None
        if line.startswith(b'{"failed"'):
            raise PeerFailed(f"the driver {_read(_ENDED, line).failed}")
        return _read(_DESCRIPTION, line)

    def _ended(self) -> None:
        if self._process is not None:
            # what it was asked last may not have reached it
            with suppress(BrokenPipeError), self._process as process:
                process.kill()
            self._selector.close()
            self._process = None

    def _broken(self, silent: _Silent, call: list[Any] | None, patience: float, *, is_called: bool) -> tuple[str, str]:
        """What a silence breaks: nothing that is legal may hang, and nothing that is legal may end the process."""
        what = f"call {json.dumps(call)}" if call else "building"
        if silent.status is not None:
            if not is_called or silent.status == -signal.SIGKILL:
                raise PeerFailed(_end(silent.status))
            return "crash", f"{what}: {_end(silent.status)}"
        if not is_called:
            raise PeerFailed(f"the driver has chosen no call for {PATIENCE:.0f} seconds")
        where, is_ours = self._whereabouts()
        if is_ours:
            raise PeerFailed(f"the driver hangs{where} ({what})")
        return "hang", f"{what} did not return within {patience:g} s{where}"

    def _whereabouts(self) -> tuple[str, bool]:
        """See `whereabouts`; nothing if the process does not say."""
        assert self._process is not None  # it is silent, not ended
        path = Path(self._stack.name)
        path.write_bytes(b"")
        self._process.send_signal(signal.SIGUSR1)
        until, dump = time.monotonic() + _DUMP_SECONDS, ""
        while not dump and time.monotonic() < until:
            time.sleep(0.05)
            dump = path.read_text(errors="replace")
        return whereabouts(dump)

    def _line(self, patience: float) -> bytes:
        assert self._process is not None  # it was started
        while not self._pending:
            if not self._selector.select(patience):
                raise _Silent(None)
            assert self._process.stdout is not None  # it was opened as a pipe
            read = self._process.stdout.read1(1 << 20)  # type: ignore[attr-defined]  # a pipe's reader has it
            if not read:
                raise _Silent(self._process.wait())
            *whole, self._rest = (self._rest + read).split(b"\n")
            self._pending = whole[::-1]
        return self._pending.pop()


_FRAME: Final = re.compile(r'File "(.+)", line (\d+) in (\S+)')
_DESCRIPTION = msgspec.json.Decoder(Description)
_ENDED = msgspec.json.Decoder(Ended)
_SAID = msgspec.json.Decoder(Said)
_ASKED = msgspec.json.Decoder(_Asked)

T = TypeVar("T")


def _read(decoder: "msgspec.json.Decoder[T]", line: bytes) -> T:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PeerFailed(f"the driver wrote what is no reply and no record: {error}") from None


def _end(status: int) -> str:
    """How a process ended."""
    how = f"exit code {status}" if status >= 0 else signal.Signals(-status).name
    return f"its process ended with {how}"


def whereabouts(dump: str) -> tuple[str, bool]:
    """Where a process is, a clause or nothing; and whether it is in this project alone, with no part of what is driven.

    Args:
        dump: of its stacks, as `faulthandler` writes it.
    """
    # the thread that makes the calls is the oldest, and comes last; its frames begin with the innermost
    frames = _FRAME.findall(dump.rpartition("hread ")[2])
    ours = [Path(file).is_relative_to(ROOT / "fuzz") for file, _, _ in frames]
    # what is driven was called by us, and may itself have called what we gave it
    driven = [frame for place, frame in enumerate(frames) if not ours[place] and any(ours[place:])]
    if not frames:
        return "", False
    file, line, function = (driven or frames)[0]
    return f"; it is in {function} of {Path(file).name}, line {line}", not driven


@contextmanager
def running(driven: Driven) -> Iterator[PeerProcess]:
    """The driver's process, ready to be asked.

    Raises:
        PeerFailed: it does not start.
    """
    process = PeerProcess(driven)
    try:
        yield process
    finally:
        process.close()
