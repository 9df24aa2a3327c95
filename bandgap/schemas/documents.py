"""What `bandgap docs` prints with `--json`."""

from typing import Any

import msgspec


class Docs(msgspec.Struct):
    """`bandgap docs`: what was written, the site's first page, and why there is no site."""

    written: list[str]
    site: str | None
    problem: str


class DocsCheck(msgspec.Struct):
    """`bandgap docs --check`."""

    current: bool
    drifts: list[dict[str, Any]]
