"""A peer at work in its own Python: it is asked for one figure at a time, so that ours are measured in between."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.peers.environments import ROOT, Peer

# One thread, like ours; and nothing is looked up or reported elsewhere.
_ENVIRONMENT: Final = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
}


class PeerFailed(Exception):
    """A peer that ended before it answered, or answered with an error; the message has its last words."""


class PeerProcess:
    """A peer's process, which is asked for figures and waited for."""

    def __init__(self, process: subprocess.Popen[str], peer: Peer) -> None:
        self._process, self.peer = process, peer
        self.versions: dict[str, str] = self._reply()
        """The version of each package that matters, as the peer's process sees it."""

    def ask(self, case: str, **parameters: float) -> float:
        """The figure of one case; what it means and takes is said where the peer's cases are."""
        assert self._process.stdin is not None  # it was opened as a pipe
        self._process.stdin.write(json.dumps({"case": case, "parameters": parameters}) + "\n")
        self._process.stdin.flush()
        return float(self._reply())

    def _reply(self) -> Any:
        assert self._process.stdout is not None  # it was opened as a pipe
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed(f"{self.peer} ended with exit code {self._process.wait()} before it answered")
        reply = json.loads(line)
        if "error" in reply:
            raise PeerFailed(f"{self.peer}: {reply['error']}")
        return reply["answer"]


@contextmanager
def running(peer: Peer, root: Path = ROOT) -> Iterator[PeerProcess | None]:
    """The peer's process, ready to be asked; None where its environment is not built.

    Raises:
        PeerFailed: it does not start.
    """
    python = peer.python(root)
    if python is None:
        yield None
        return
    command = [str(python), "-m", "bench.peers", peer.key]
    environment = {**os.environ, **_ENVIRONMENT}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=environment) as process:
        try:
            yield PeerProcess(process, peer)
        finally:
            process.kill()
