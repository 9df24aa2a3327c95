"""Faults in deciding: more is done than is needed, what fits is refused, and refusals that say what is not so."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

import impl.admission
from fuzz.faults.fault import fault, replaced
from impl.admission import Admission
from impl.plan import COMPACT_ENDS, IN_PLACE, RELAYOUT, Plan, Refusal
from impl.recording import RecordedAllocator

Method = Callable[..., Any]


def _steps_are(*steps: int) -> Callable[[Any], Any]:
    return lambda _: steps


@fault("allocator", "lowest-step", "copies that no demand called for")
def pages_move_where_none_need_to() -> Iterator[None]:
    """A demand that holes and gaps could meet is met by compaction."""
    with (
        replaced(impl.admission, "STEPS", _steps_are(COMPACT_ENDS, RELAYOUT)),
        replaced(Admission, "_ends_grown", lambda _: lambda *_: None),
    ):
        yield


@fault("allocator", "lowest-step", "copies that no demand called for")
def floats_move_where_the_ends_suffice() -> Iterator[None]:
    """A demand that compaction of the ends could meet is met by relayout."""
    with replaced(impl.admission, "STEPS", _steps_are(IN_PLACE, RELAYOUT)):
        yield


@fault("allocator", "lowest-step", "pytorch#71616")
def more_is_settled_than_is_needed() -> Iterator[None]:
    """All tickets that may be settled are, where the first of them would do."""
    with replaced(impl.admission, "_shortest", lambda _: lambda tickets, *_: tickets):
        yield


@fault("allocator", "admission-complete", "sglang#29678")
def a_kind_never_gets_more_than_its_share() -> Iterator[None]:
    """A kind is refused pages beyond half of the arena, as if a share of it were set aside for others."""

    def careless(plan: Method) -> Method:
        def patched(self: Any, demand: tuple[int, ...], *rest: Any) -> Any:
            for band, count in zip(self._bands, demand, strict=True):
                if count and band.in_use + count > band.geometry.limit // 2:
                    return Refusal(demand, "evict", evict=self._evictions(demand))
            return plan(self, demand, *rest)

        return patched

    with replaced(Admission, "plan", careless):
        yield


@fault("allocator", "admission-complete", "sglang#37506")
def floats_never_move() -> Iterator[None]:
    """A demand is refused that relayout could meet."""

    def careless(plan: Method) -> Method:
        def patched(self: Any, demand: tuple[int, ...], *rest: Any) -> Any:
            found = plan(self, demand, *rest)
            if isinstance(found, Plan) and found.step == RELAYOUT:
                return Refusal(demand, "evict", evict=self._evictions(demand))
            return found

        return patched

    with replaced(Admission, "plan", careless):
        yield


@fault("allocator", "admission-sound", "sglang#39982 (b)")
def a_promise_outlives_the_gate() -> Iterator[None]:
    """What could be met is remembered until a page is given or taken, though the gate may close before that."""

    def careless(plan: Method) -> Method:
        def patched(self: Any, *arguments: Any) -> Any:
            found = plan(self, *arguments)
            counts = [(kind.span, kind.live, kind.withheld) for kind in self.statistics().kinds]
            key = str((list(map(list, arguments)), counts))
            promised = vars(self).setdefault("promised", {})
            if isinstance(found, Plan):
                promised[key] = found
            return promised.get(key, found)

        return patched

    with replaced(RecordedAllocator, "plan", careless):
        yield


def _refusing(change: Callable[[Refusal], Refusal]) -> Callable[[Any], Any]:
    """Admission, where each refusal is changed."""
    return lambda refusal: lambda self, inquiry: change(refusal(self, inquiry))


@fault("allocator", "honest-refusal", "vllm#55818")
def never_is_said_too_early() -> Iterator[None]:
    """A demand is refused for good although it would fit once pages are evicted."""

    def change(refusal: Refusal) -> Refusal:
        return Refusal(refusal.demand, "never") if refusal.reason == "evict" else refusal

    with replaced(Admission, "_refusal", _refusing(change)):
        yield


@fault("allocator", "honest-refusal", "vllm-ascend#16315")
def evictions_are_asked_for_where_waiting_suffices() -> Iterator[None]:
    """Pages are to be evicted although it would do to wait for tickets."""

    def careless(refusal: Method) -> Method:
        def patched(self: Any, inquiry: Any) -> Refusal:
            said: Refusal = refusal(self, inquiry)
            waits = said.reason == "after-release"
            return Refusal(said.demand, "evict", evict=self._evictions(said.demand)) if waits else said

        return patched

    with replaced(Admission, "_refusal", careless):
        yield


@fault("allocator", "honest-refusal", "vllm#45388")
def every_ticket_is_waited_for() -> Iterator[None]:
    """A refusal names all outstanding tickets, needed or not."""
    with replaced(impl.admission, "_enough", lambda _: lambda tickets, *_: tickets):
        yield


@fault("allocator", "honest-refusal", "trtllm#12313")
def one_ticket_too_few_is_waited_for() -> Iterator[None]:
    """A refusal leaves out one of the tickets that must retire."""
    with replaced(impl.admission, "_enough", lambda enough: lambda *arguments: enough(*arguments)[:-1]):
        yield


@fault("allocator", "honest-refusal", "sglang#33362")
def nobody_is_asked_to_leave() -> Iterator[None]:
    """A refusal does not say that somebody's addresses are in the way."""
    with replaced(Admission, "_refusal", _refusing(lambda refusal: replace(refusal, publishers=()))):
        yield


def _evicting(more: int) -> Callable[[Any], Any]:
    """The least counts of pages to evict, changed by so many."""
    return lambda evictions: lambda self, demand: tuple(count and count + more for count in evictions(self, demand))


@fault("allocator", "honest-refusal", "sglang#6731")
def one_page_too_few_is_evicted() -> Iterator[None]:
    """A refusal asks for one page less than must be evicted."""
    with replaced(Admission, "_evictions", _evicting(-1)):
        yield


@fault("allocator", "honest-refusal", "sglang#37506")
def one_page_too_many_is_evicted() -> Iterator[None]:
    """A refusal asks for one page more than must be evicted."""
    with replaced(Admission, "_evictions", _evicting(1)):
        yield


@fault("allocator", "agreement", "class: accounting drift")
def plans_count_all_bytes_in_pages_of_the_first_kind() -> Iterator[None]:
    """What a plan says that it moves is counted as if the pages of all kinds were as large as those of the first."""

    def careless(planned: Method) -> Method:
        def patched(self: Any, *rest: Any) -> Plan:
            plan: Plan = planned(self, *rest)
            moved = sum(move.sources.size for move in plan.moves)
            return replace(plan, bytes_moved=moved * self._chain.page_bytes[0])

        return patched

    with replaced(Admission, "_planned", careless):
        yield
