"""A failure as one self-contained file: the layout, the arena and the calls, as JSON with one call a line.

A file may come from anywhere: its size and every number in it are bounded, and nothing in it is executed.
"""

from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from events.records import Count, Name
from fuzz.failure import Failure, Played, played
from fuzz.malformed import CASES
from fuzz.saving import BadFile, as_json, decoded_as, laid_out, put
from fuzz.script import MOST_CALLS, AnyCall, Malformed
from fuzz.setups import Setup
from fuzz.targets.protocol import Target
from fuzz.watch import CLOSELY, FROM_OUTSIDE, Watch
from impl.chain import chain_for
from impl.layout import DType, Kind, Layout, Lifetime, Stored
from impl.layout.rows import place

VERSION: Final = 1
"""Of the file format; a reader refuses any other."""

LARGEST_FILE: Final = 1 << 26
"""Bytes."""

LARGEST_ARENA: Final = 1 << 33
"""Bytes."""

Small = Annotated[int, Meta(ge=0, le=1 << 20)]
Positive = Annotated[int, Meta(ge=1, le=1 << 24)]
Text = Annotated[str, Meta(max_length=4000)]


class RowText(Struct, frozen=True, forbid_unknown_fields=True):
    """What one part of one layer stores."""

    layer: Small
    part: Name
    shape: Annotated[tuple[Positive, ...], Meta(max_length=8)]
    dtype: DType
    draft: bool = False


class KindText(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows with one lifetime."""

    name: Name
    lifetime: Lifetime
    window: Positive | None
    page_tokens: Positive
    rows: Annotated[list[RowText], Meta(min_length=1, max_length=4096)]


class SetupText(Struct, frozen=True, forbid_unknown_fields=True):
    """A layout in chain order, and the arena's bytes."""

    name: Name
    model: Name
    arena_bytes: Annotated[int, Meta(ge=1, le=LARGEST_ARENA)]
    kinds: Annotated[list[KindText], Meta(min_length=2, max_length=32)]


class Reproduction(Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says."""

    version: Count
    target: Name
    property: Name
    problem: Text
    fault: Name | None
    from_outside: bool  # whether it shows without looking at the allocator's tables
    setup: SetupText
    script: Annotated[list[AnyCall], Meta(max_length=MOST_CALLS)]
    absent: Annotated[list[Name], Meta(max_length=256)] = []  # operations that were switched off in the life that broke

    def built_setup(self) -> Setup:
        """The setup of the file.

        Raises:
            BadFile: there is no such layout, or the arena is too small for it.
        """
        return _setup(self.setup)

    def watch(self) -> Watch:
        """How closely the calls must be watched."""
        return FROM_OUTSIDE if self.from_outside else CLOSELY


def encoded(failure: Failure) -> bytes:
    """The file of a failure."""
    head = {
        "version": VERSION,
        "target": failure.target,
        "property": failure.property,
        "problem": failure.problem[:4000],
        "fault": failure.fault,
        "from_outside": failure.watch.tables_every == 0,
        "absent": failure.absent,
    }
    setup = msgspec.json.format(msgspec.json.encode(_setup_text(failure.setup)), indent=2).decode()
    fields = {name: as_json(value) for name, value in head.items()} | {"setup": setup.replace("\n", "\n  ")}
    return laid_out(fields, failure.script)


def saved(failure: Failure, folder: Path) -> Path:
    """Write the file of a failure into a folder, under a name that its contents give it."""
    data = encoded(failure)
    return put(data, folder, failure.property)


def decoded(data: bytes) -> Reproduction:
    """What a file says.

    Raises:
        BadFile: it is no file of this format and version, or says what cannot be.
    """
    if len(data) > LARGEST_FILE:
        raise BadFile(f"has {len(data)} bytes, and no reproduction has more than {LARGEST_FILE}")
    version = decoded_as(data, _Version).version
    if version != VERSION:
        raise BadFile(f"is of version {version}; this reader knows version {VERSION}")
    found = decoded_as(data, Reproduction)
    for call in found.script:
        if isinstance(call, Malformed) and call.case not in CASES:
            raise BadFile(f"names a malformed call that is not known: {call.case!r}")
    found.built_setup()
    return found


def played_again(reproduction: Reproduction, target: Target) -> Played:
    """Make the calls of a file once more."""
    return played(target, reproduction.built_setup(), tuple(reproduction.script), reproduction.watch())


class _Version(Struct, frozen=True):
    version: Count


def _setup_text(setup: Setup) -> SetupText:
    kinds = [
        KindText(
            kind.name,
            kind.lifetime,
            kind.window,
            kind.page_tokens,
            [RowText(row.layer, row.part, row.shape, row.dtype, row.draft) for row in kind.rows],
        )
        for kind in setup.layout.kinds
    ]
    return SetupText(setup.name, setup.layout.model, setup.arena_bytes, kinds)


def _setup(text: SetupText) -> Setup:
    kinds = tuple(_kind(kind) for kind in text.kinds)
    if len({kind.name for kind in kinds}) < len(kinds):
        raise BadFile("names two kinds alike")
    page_tokens = kinds[-1].page_tokens
    layout = Layout(text.model, "", kinds, page_tokens, DType.BF16, 1, None)
    try:
        chain_for(layout, text.arena_bytes)
    except ValueError as error:
        raise BadFile(f"has a setup that cannot be: {error}") from None
    return Setup(text.name, layout, text.arena_bytes)


def _kind(text: KindText) -> Kind:
    if (text.window is not None) != (text.lifetime is Lifetime.WINDOW):
        raise BadFile(f"kind {text.name!r}: a window, and nothing else, has a length")
    if text.lifetime is Lifetime.STATE and text.page_tokens != 1:
        raise BadFile(f"kind {text.name!r}: a page of states is one slot")
    stored = [
        Stored(row.layer, text.lifetime, text.window, row.part, row.shape, row.dtype, row.draft) for row in text.rows
    ]
    rows, entry_bytes = place(stored)
    kind = Kind(text.name, text.lifetime, text.window, rows, entry_bytes, text.page_tokens)
    if kind.page_bytes > LARGEST_ARENA:
        raise BadFile(f"kind {text.name!r}: a page of {kind.page_bytes} bytes fits no arena")
    return kind
