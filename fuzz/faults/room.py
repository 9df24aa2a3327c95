"""Faults in finding room: overlaps, promises that cannot be kept, and demands that are met by half."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import impl.steps
from fuzz.faults.fault import fault, replaced
from impl.admission import Admission
from impl.allocator import Allocator
from impl.arithmetic.grid import address
from impl.chain import Chain
from impl.plan import IN_PLACE, Plan, Refusal

Method = Callable[..., Any]


@fault("allocator", "band-order", "sglang#39294")
def each_kind_counts_the_gap_for_itself() -> Iterator[None]:
    """Admission asks for each kind by itself whether the gap is wide enough, so that the gap is promised twice."""

    def careless(plan: Method) -> Method:
        def patched(self: Any, demand: tuple[int, ...], settle: tuple[int, ...], first: tuple[int, ...] = ()) -> Any:
            whole = plan(self, demand, settle, first)
            if not isinstance(whole, Refusal) or first:
                return whole
            alone = [
                plan(self, tuple(count if other == band else 0 for other in range(len(demand))), ())
                for band, count in enumerate(demand)
            ]
            if any(not isinstance(each, Plan) or each.step != IN_PLACE for each in alone):
                return whole
            return Plan(IN_PLACE, demand, (), tuple(each.spans[band] for band, each in enumerate(alone)), (), 0)

        return patched

    with replaced(Admission, "plan", careless):
        yield


@fault("allocator", "band-order", "an empty float hides the band behind it")
def growth_asks_only_the_next_band() -> Iterator[None]:
    """A band that grows asks only its neighbour in the chain, even if that is empty and another band lies behind it."""

    def careless(ends_grown: Method) -> Method:
        def patched(self: Any, demand: tuple[int, ...]) -> Any:
            spans, others = ends_grown(self, demand), ends_grown(self, (0, *demand[1:]))
            first, second = self._bands[0], self._bands[1]
            hi = first.hi + demand[0] - first.holes
            end = address(first.geometry.origin, first.geometry.page_bytes, hi)
            if len(demand) < 3 or spans or not others or second.lo < second.hi or end > self._chain.capacity:
                return spans
            return ((first.lo, max(first.hi, hi)), *others[1:])

        return patched

    with replaced(Admission, "_ends_grown", careless):
        yield


@fault("allocator", "band-order", "two floats that must both move right")
def relayout_goes_the_wrong_way_round() -> Iterator[None]:
    """The bands take on their new spans in the reverse of the order in which each finds its room free."""
    with replaced(impl.steps, "in_legal_order", lambda order: lambda now, then: order(now, then)[::-1]):
        yield


@fault("allocator", "all-or-nothing", "sglang#35338, kvcached#430")
def refused_demands_keep_what_they_got() -> Iterator[None]:
    """The kinds of a joint demand are allocated one after the other, and the first stays when the second fails."""

    def careless(allocate: Method) -> Method:
        def patched(self: Any, demand: Any, settle: Any = (), originals: Any = None, **named: Any) -> Any:
            first = next((band for band, count in enumerate(demand) if count), 0)
            part = [count if band == first else 0 for band, count in enumerate(demand)]
            if isinstance(self.plan(demand, settle), Refusal) and isinstance(self.plan(part), Plan):
                allocate(self, part)
            return allocate(self, demand, settle, originals, **named)

        return patched

    with replaced(Allocator, "allocate", careless):
        yield


@fault("allocator", "all-or-nothing", "trtllm#13104")
def refused_demands_settle_tickets() -> Iterator[None]:
    """Tickets are settled to make room before it is known whether that makes enough."""

    def careless(allocate: Method) -> Method:
        def patched(self: Any, demand: Any, settle: Any = (), originals: Any = None, **named: Any) -> Any:
            settle = list(settle)
            if isinstance(self.plan(demand, settle), Refusal):
                nothing = self.plan([0 for _ in demand])
                self._steps.carry_out(Plan(IN_PLACE, nothing.demand, tuple(settle), nothing.spans, (), 0))
                settle = []
            return allocate(self, demand, settle, originals, **named)

        return patched

    with replaced(Allocator, "allocate", careless):
        yield


@fault("allocator", "inside-arena", "sglang#38519: a page that stands for none becomes a free one")
def the_sink_is_free_for_all() -> Iterator[None]:
    """Admission takes the bytes of the sink, where padded writes land, for free ones."""

    def careless(create: Method) -> Method:
        def patched(self: Any, chain: Chain, *rest: Any) -> None:
            create(self, replace(chain, base=0), *rest)

        return patched

    with replaced(Admission, "__init__", careless):
        yield
