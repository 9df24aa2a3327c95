"""A failure as Python that can be pasted: imports, layout, allocator, and the calls in order."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from fuzz import script
from fuzz.failure import Failure
from fuzz.naming import script_of
from fuzz.playing import play
from fuzz.setups import Setup
from fuzz.staging import stage_for
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import SimulatedTarget
from fuzz.violation import Violation
from impl.layout import Kind, Row

_JUDGED = """\
from impl.allocator import Allocator
from impl.layout import DType, Kind, Layout, Lifetime, Row
from impl.recording import RecordedAllocator
from spec.judge.judge import Judge

{layout}
judge = Judge()


def record(line):
    finding = judge.take(line)
    assert finding is None, finding


a = RecordedAllocator(Allocator(layout, {arena_bytes}), record)
"""

_STAGED = """\
from fuzz.setups import Setup
from fuzz.staging import stage_for
from fuzz.targets.all import TARGETS
from fuzz.watch import {watch}
from impl.layout import DType, Kind, Layout, Lifetime, Row

{layout}
# a stage judges every call, and reads back what is written to the pages
# {watch}: {looks}
a = stage_for(TARGETS[{target!r}], Setup("pasted", layout, {arena_bytes}), {watch})
"""

_LOOKS = {
    "CLOSELY": "after every call everything is looked at, the allocator's tables too",
    "FROM_OUTSIDE": "what a caller or a kernel can see is looked at, and no table of the allocator's",
}


@dataclass(frozen=True)
class Program:
    """A failure as Python."""

    setting: str
    """Imports, layout and allocator."""
    calls: str
    """The calls, which need the setting."""

    @property
    def whole(self) -> str:
        """What runs as it is."""
        return self.setting + self.calls


def pasted(failure: Failure, target: Target) -> str:
    """The calls of a failure as a program that ends where the property breaks."""
    return program(failure, target).whole


def program(failure: Failure, target: Target) -> Program:
    """The same in two parts.

    Where the judge found it, that is the allocator's own interface and the judge; where bytes or tables showed it, or a
    simulated device took part, the same calls on a stage.
    """
    stage = stage_for(target, failure.setup, failure.watch)
    with suppress(Violation):
        play(failure.script, stage)
    calls = script_of(stage.log)
    judged = failure.finding is not None and not isinstance(target, SimulatedTarget)
    watch = "CLOSELY" if failure.watch.tables_every else "FROM_OUTSIDE"
    head = (_JUDGED if judged else _STAGED).format(
        layout=_layout(failure.setup),
        arena_bytes=failure.setup.arena_bytes,
        target=target.name,
        watch=watch,
        looks=_LOOKS[watch],
    )
    lines = _Lines(calls, stage.rejected, judged).all()
    rejecting = (
        "from contextlib import suppress\n\nfrom impl.misuse import Misuse\n" if judged and stage.rejected else ""
    )
    said = f"# {failure.property}: {' '.join(failure.problem.split())}\n"
    fault = f"# found under the seeded fault {failure.fault}, without which it passes\n" if failure.fault else ""
    ending = "" if judged else "a.check_everything()\n"
    return Program(said + fault + rejecting + head, "".join(f"{line}\n" for line in lines) + ending)


class _Lines:
    """Each call as a line of Python."""

    def __init__(self, calls: script.Script, rejected: set[int], judged: bool) -> None:
        self._calls, self._rejected, self._judged = calls, rejected, judged
        bands = range(max((len(call.demand) for call in calls if isinstance(call, script.Allocate)), default=0))
        self._used = {label for call in calls for band in bands for label, _ in script.names_of(call, band)}
        labels = [call.label for call in calls if isinstance(call, script.Allocate) and call.label in self._used]
        self._grants = {label: f"ids{number}" for number, label in enumerate(labels)}
        opened = [call.label for call in calls if isinstance(call, script.Open)]
        self._tickets = {label: f"t{number}" for number, label in enumerate(opened)}
        self._pages: dict[tuple[int, int, script.Id], str] = {}
        self._holds = self._values = 0

    def all(self) -> Iterator[str]:
        """Every line, in order."""
        for place, call in enumerate(self._calls):
            line = self._line(call, place)
            if self._judged and place in self._rejected:
                yield "with suppress(Misuse):"
                line = f"    {line}"
            yield line

    def _line(self, call: script.AnyCall, place: int) -> str:
        band = getattr(call, "band", 0)
        ids = [self._id(band, name) for name in getattr(call, "ids", [])]
        listed = f"[{', '.join(ids)}]"
        match call:
            case script.Allocate():
                settle = f", settle={self._names(call.settle)}" if call.settle else ""
                wipe = ", wipe=True" if call.wipe else ""
                made = f"a.allocate({call.demand}{settle}{self._originals(call)}{wipe})"
                if call.label not in self._grants:
                    return made
                return f"{self._grants[call.label]} = {made}{'.ids' if self._judged else ''}"
            case script.Plan():
                settle = f", settle={self._names(call.settle)}" if call.settle else ""
                return f"a.{'plan' if self._judged else 'would_fit'}({call.demand}{settle})"
            case script.Open():
                waits = f", waits={self._names(call.waits)}" if call.waits else ""
                stream = f", {call.stream!r}" if call.stream is not None else ""
                return f"{self._tickets[call.label]} = a.open({call.user!r}{stream}{waits})"
            case script.Share() | script.Release():
                return f"a.{_name(call)}({band}, {listed})"
            case script.Hold():
                made = f"a.hold({self._ticket(call.ticket)}, {band}, {listed}, {call.mode!r})"
                if not self._judged or call.mode == "read":
                    return made
                pages = f"p{self._holds}"
                self._holds += 1
                self._pages.update({(call.ticket, band, name): f"{pages}[{n}]" for n, name in enumerate(call.ids)})
                return f"{pages} = {made}"
            case script.Issue() if self._judged:
                values = list(range(self._values + 1, self._values + 1 + len(ids)))
                self._values += len(ids)
                return f"a.issue({self._ticket(call.ticket)}, {band}, {self._given(call)}, {values})"
            case script.Land() if self._judged:
                return f"a.land({band}, {self._given(call)})"
            case script.Issue() | script.Land():
                return f"a.{_name(call)}({self._ticket(call.ticket)}, {band}, {listed})"
            case script.Complete() | script.Quarantine() | script.Settle():
                return f"a.{_name(call)}({self._ticket(call.ticket)})"
            case script.Publish() | script.Unpublish():
                return f"a.{_name(call)}({call.who!r})"
            case script.Compact():
                return f"a.compact({call.budget})"
            case script.Advance():
                return f"a.advance({call.choice})"
            case script.Malformed():
                return f"a.malformed({call.case!r})" if not self._judged else f"pass  # {call.case}"
        return f"a.{_name(call)}()"

    def _originals(self, call: script.Allocate) -> str:
        if not any(call.originals):
            return ""
        lists = [", ".join(self._id(band, name) for name in ids) for band, ids in enumerate(call.originals)]
        return f", originals=[{', '.join(f'[{ids}]' for ids in lists)}]"

    def _id(self, band: int, name: script.Id) -> str:
        label, place = name
        return str(place) if label == script.NOT_GIVEN else f"{self._grants[label]}[{band}][{place}]"

    def _ticket(self, label: int) -> str:
        allocator = "a" if self._judged else "a.allocator"
        return self._tickets.get(label, f"{allocator}.next_ticket + {script.FAR_AHEAD}")

    def _names(self, labels: list[int]) -> str:
        return f"[{', '.join(self._ticket(label) for label in labels)}]"

    def _given(self, call: script.Issue | script.Land) -> str:
        return f"[{', '.join(self._pages[call.ticket, call.band, name] for name in call.ids)}]"


def _name(call: script.AnyCall) -> str:
    tag = call.__struct_config__.tag
    return str(tag).replace("-", "_")


def _layout(setup: Setup) -> str:
    layout = setup.layout
    kinds = "".join(map(_kind, layout.kinds))
    page_tokens, dtype = layout.page_tokens, f"DType.{layout.kv_dtype.name}"
    return f'kinds = (\n{kinds})\nlayout = Layout({layout.model!r}, "", kinds, {page_tokens}, {dtype}, 1, None)\n'


def _kind(kind: Kind) -> str:
    """Over several lines, with a row in each, for models have many."""
    rows = "".join(f"            {_row(row)},\n" for row in kind.rows)
    return (
        f"    Kind(\n        {kind.name!r}, Lifetime.{kind.lifetime.name}, {kind.window},\n"
        f"        (\n{rows}        ),\n        {kind.entry_bytes}, {kind.page_tokens},\n    ),\n"
    )


def _row(row: Row) -> str:
    draft = ", True" if row.draft else ""
    return f"Row({row.layer}, {row.part!r}, {row.shape}, DType.{row.dtype.name}, {row.offset}{draft})"
