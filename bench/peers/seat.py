"""The place of a peer beside us, taken or not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.peers.environments import ROOT, Peer
from bench.peers.process import PeerProcess, running
from bench.rows import Beside


@dataclass(frozen=True)
class Seat:
    """A peer and its process; none where its environment is not built."""

    peer: Peer
    process: PeerProcess | None

    def beside(self, measure: Callable[[PeerProcess], float]) -> Beside:
        """The peer as a row knows it: measured if it is there, else excused."""
        process = self.process
        if process is None:
            return Beside(str(self.peer), None, f"{self.peer} was not measured: `make peers` builds its environment.")
        found = f"{self.peer.title} {process.versions[self.peer.key]}"
        return Beside(found, lambda: measure(process))


@contextmanager
def seated(peer: Peer, root: Path = ROOT) -> Iterator[Seat]:
    """A seat for the time of a run; as `running`."""
    with running(peer, root) as process:
        yield Seat(peer, process)
