"""Which peers there are, and where their environments lie."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
"""The directory in which `make peers` builds."""


@dataclass(frozen=True)
class Peer:
    """An allocator to measure beside ours."""

    key: str
    """How commands, environments and modules name it."""
    title: str
    """How a report names it."""
    version: str
    """The release that `make peers` installs."""

    def python(self, root: Path = ROOT) -> Path | None:
        """The interpreter of its environment; None until that is built."""
        environment = root / f".venv-{self.key}"
        python = environment / "bin" / "python"
        return python if (environment / ".ready").exists() and python.exists() else None

    def __str__(self) -> str:
        return f"{self.title} {self.version}"


SGLANG: Final = Peer("sglang", "SGLang", "0.5.23")
VLLM: Final = Peer("vllm", "vLLM", "0.33.0")
