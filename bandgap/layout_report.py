"""A layout as tables for people and as a document for programs."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from impl.layout import Kind, Layout, Lifetime, Load, Row, load, pages_alone

_CONTEXTS = (4_096, 32_768, 131_072)


def tables(layout: Layout, memory_bytes: int) -> Iterator[RenderableType]:
    """What `bandgap layout` prints: kinds in chain order, their rows, and what fits."""
    yield f"[bold]{escape(layout.model)}[/]  {escape(layout.source)}"
    yield f"{_served(layout)}; all bytes are of one rank"
    memory = f"{memory_bytes:,} bytes"
    yield from _titled("Kinds, in chain order from low to high addresses", _kinds(layout))
    yield from _titled("Rows", _rows(layout))
    yield from _titled(f"One kind alone in {memory}", _alone(layout, memory_bytes))
    yield from _titled(
        f"Requests at once in {memory}: nothing shared, pages of each kind", _requests(layout, memory_bytes)
    )
    yield (
        "\n[dim]The whole memory is taken to be the arena: weights, activations, sinks and page tables come off it "
        "(--memory).[/]"
    )


def document(layout: Layout, memory_bytes: int) -> dict[str, Any]:
    """What `bandgap layout --json` prints; bytes are of one rank."""
    return {
        "model": layout.model,
        "source": layout.source,
        "page_tokens": layout.page_tokens,
        "kv_dtype": layout.kv_dtype,
        "tp_size": layout.tp_size,
        "max_context": layout.max_context,
        "chain": [kind.name for kind in layout.kinds],
        "kinds": {kind.name: _kind_document(kind) for kind in layout.kinds},
        "fits": {
            "memory_bytes": memory_bytes,
            "pages_of_one_kind_alone": {kind.name: pages_alone(kind, memory_bytes) for kind in layout.kinds},
            "requests": _loads(layout, memory_bytes),
        },
    }


def _kind_document(kind: Kind) -> dict[str, Any]:
    return {
        "lifetime": kind.lifetime,
        "window": kind.window,
        "entry_bytes": kind.entry_bytes,
        "page_tokens": kind.page_tokens,
        "page_bytes": kind.page_bytes,
        "rows": [
            {
                "layer": row.layer,
                "part": row.part,
                "shape": row.shape,
                "dtype": row.dtype,
                "offset": row.offset,
                "bytes": row.nbytes,
                "draft": row.draft,
            }
            for row in kind.rows
        ],
    }


def _served(layout: Layout) -> str:
    pages = f"{layout.page_tokens} tokens to a page"
    context = "" if layout.max_context is None else f", context up to {layout.max_context:,} tokens"
    return f"tensor parallel {layout.tp_size}, {pages}, KV in {layout.kv_dtype.value}{context}"


def _kinds(layout: Layout) -> Table:
    table = _table()
    _columns(table, "kind", "lives for")
    _numbers(table, "entry bytes", "entries/page", "page bytes")
    for kind in layout.kinds:
        lives = "its request" if kind.window is None else f"{kind.window:,} tokens"
        per = "slot" if kind.lifetime is Lifetime.STATE else "token"
        table.add_row(kind.name, lives, f"{kind.entry_bytes:,} / {per}", f"{kind.page_tokens}", f"{kind.page_bytes:,}")
    return table


def _rows(layout: Layout) -> Table:
    table = _table()
    _columns(table, "kind", "part")
    _numbers(table, "layers")
    _columns(table, "shape", "dtype")
    _numbers(table, "bytes each", "bytes")
    for kind in layout.kinds:
        for rows in _alike(kind.rows):
            row = rows[0]
            shape = "x".join(f"{length}" for length in row.shape)
            part = f"{row.part} (draft)" if row.draft else row.part
            in_all = sum(row.nbytes for row in rows)
            table.add_row(kind.name, part, f"{len(rows)}", shape, row.dtype.value, f"{row.nbytes:,}", f"{in_all:,}")
        padding = kind.entry_bytes - sum(row.nbytes for row in kind.rows)
        if padding:
            table.add_row(kind.name, "(alignment)", "", "", "", "", f"{padding:,}")
    return table


def _alike(rows: tuple[Row, ...]) -> list[list[Row]]:
    """Rows that differ only in their layer, in the order of their first."""

    def likeness(row: Row) -> tuple[bool, int, tuple[int, ...], str]:
        return row.draft, first[row.part], row.shape, row.dtype.value

    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(row.part, len(first))
    return [list(alike) for _, alike in groupby(sorted(rows, key=likeness), likeness)]


def _alone(layout: Layout, memory_bytes: int) -> Table:
    table = _table()
    _columns(table, "kind")
    _numbers(table, "pages", "tokens")
    for kind in layout.kinds:
        pages = pages_alone(kind, memory_bytes)
        tokens = "" if kind.lifetime is Lifetime.STATE else f"{pages * kind.page_tokens:,}"
        table.add_row(kind.name, f"{pages:,}", tokens)
    return table


def _requests(layout: Layout, memory_bytes: int) -> Table:
    table = _table()
    _numbers(table, "tokens each", *(kind.name for kind in layout.kinds), "bytes of each", "requests")
    for of in _loads(layout, memory_bytes):
        pages = [f"{of.pages[kind.name]:,}" for kind in layout.kinds]
        table.add_row(f"{of.context:,}", *pages, f"{of.request_bytes:,}", f"{of.requests:,}")
    return table


def _loads(layout: Layout, memory_bytes: int) -> list[Load]:
    most = layout.max_context
    contexts = {context for context in _CONTEXTS if most is None or context <= most}
    return [load(layout, context, memory_bytes) for context in sorted(contexts | ({most} if most else set()))]


def _titled(title: str, table: Table) -> Iterator[RenderableType]:
    """Title and table apart, since a table's own title is wrapped at the table's width."""
    yield f"\n[bold]{title}[/]"
    yield table


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))


def _columns(table: Table, *headings: str) -> None:
    for heading in headings:
        table.add_column(heading)


def _numbers(table: Table, *headings: str) -> None:
    """Columns of numbers, which are folded where they do not fit: a number cut short is a wrong one."""
    for heading in headings:
        table.add_column(heading, justify="right", overflow="fold")
