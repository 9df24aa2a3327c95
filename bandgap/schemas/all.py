"""All schemas, by the names of their files, and how they are written."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from bandgap.schemas.campaigns import Fuzz, Reproduce
from bandgap.schemas.compatibility import Compat, CompatTable
from bandgap.schemas.documents import Docs, DocsCheck
from bandgap.schemas.faults import FaultList, Faults
from bandgap.schemas.figures import Bench, Layout, Replay, Sweep
from bandgap.schemas.gate import Gate
from bandgap.schemas.peers import Peer
from bandgap.schemas.proofs import Prove, ProveList
from bandgap.schemas.shared import Error
from bandgap.schemas.solvers import ProveCheck, ProveCores, ProveExport
from bandgap.schemas.traces import Judge, View

SCHEMAS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "error": Error,
    "gate": Gate,
    "gate-peer": Peer,
    "judge": Judge,
    "faults": Faults,
    "faults-list": FaultList,
    "prove": Prove,
    "prove-list": ProveList,
    "prove-export": ProveExport,
    "prove-check": ProveCheck,
    "prove-cores": ProveCores,
    "fuzz": Fuzz,
    "reproduce": Reproduce,
    "layout": Layout,
    "bench": Bench,
    "replay": Replay,
    "replay-sweep": Sweep,
    "view": View,
    "compat": Compat,
    "compat-table": CompatTable,
    "docs": Docs,
    "docs-check": DocsCheck,
}
"""Every schema, by the name of its file."""


def schema_of(name: str) -> dict[str, Any]:
    """A schema by JSON Schema 2020-12."""
    document = msgspec.json.schema(SCHEMAS[name])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"bandgap {name}", **document}


def write_schemas(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMAS:
        (folder / f"{name}.json").write_bytes(_encoded(name))


def drifts(folder: Path) -> list[str]:
    """The files that do not say what the code does, or that are there for nothing."""
    found = {path.stem for path in folder.glob("*.json")}
    stale = [name for name in SCHEMAS if name in found and (folder / f"{name}.json").read_bytes() != _encoded(name)]
    return sorted({*stale, *(found ^ set(SCHEMAS))})


def _encoded(name: str) -> bytes:
    return msgspec.json.format(msgspec.json.encode(schema_of(name)), indent=2) + b"\n"
