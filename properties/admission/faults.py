"""Seeded faults in the arithmetic, in what a step lets move, and in the order of turns.

A fault in the arithmetic is another text in one of its lines, and is run as the line itself is. Each names the theorem
that must be refuted once it is made.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from properties.admission.code import Edit
from properties.admission.subject import AS_IT_IS, Subject
from properties.faults import LOST
from spec import counts
from spec.actions.moving import move
from spec.admission import relayout, steps
from spec.catalog import Guard
from spec.logic import And, If, Not, Or, Term
from spec.ranges import Some
from spec.specification import ACTIONS
from spec.state import COMPLETED, LIVE, WITHHELD, State
from spec.words import clear_of_others, in_use, pages_held, writers


@dataclass(frozen=True)
class Fault:
    """A change, what it says, and the theorem that must be refuted."""

    says: str
    theorem: str
    subject: Subject
    precedent: str = ""
    """The public report of it, where the field has really had it."""


def _line(says: str, theorem: str, old: str, new: str, precedent: str = "") -> Fault:
    return Fault(says, theorem, Subject(Edit(old, new)), precedent)


def _keeps_ends(s: State, step: int, band: Term, page: Term) -> Term:
    only_floats = And(step == steps.RELAYOUT, band != 0, band != s.bands - 1)
    only_ends = And(step == steps.COMPACT_ENDS, Or(band == 0, band == s.bands - 1))
    may_move = Or(only_floats, only_ends)
    return Or(steps.is_pinned(s, band, page), And(in_use.holds(s, band, page), Not(may_move)))


def _withholds(s: State, tickets: Sequence[Term]) -> State:
    (ticket,) = tickets
    return steps.settled(s, tickets).but(status=s.status.where(pages_held(s, ticket), WITHHELD))


def _publishes(s: State, who: Term) -> State:
    return s.but(published=s.published.set(who, True))


def _lowest_first(now: State, then: State, one: Term, other: Term) -> Term:
    first, second = relayout.turn(now, then, one), relayout.turn(now, then, other)
    return Or(first < second, And(first == second, one < other))


def _growing_first(now: State, then: State, one: Term, other: Term) -> Term:
    def turn(band: Term) -> Term:
        usual = relayout.turn(now, then, band)
        return If(usual == relayout.GROWS, relayout.SHRINKS - 1, usual)

    first, second = turn(one), turn(other)
    nearer = If(first == relayout.MOVES_RIGHT, one > other, one < other)
    return Or(first < second, And(first == second, nearer))


def _all_at_once(now: State, then: State, one: Term, other: Term) -> Term:
    return relayout.turn(now, then, one) <= relayout.turn(now, then, other)


def _only_the_new_span(now: State, then: State, band: Term) -> tuple[Term, Term]:
    return then.lo[band], then.hi[band]


def _copies(s: State, band: Term, source: Term, target: Term) -> State:
    after: State = move.effect(s, band, source, target)
    return after.but(status=s.status.set((band, target), LIVE))


def _acting(
    name: str, effect: Callable[..., State] | None = None, sentence: tuple[str, Callable[..., Term]] | None = None
) -> Subject:
    """An action with another effect, `effect(s, after, *arguments)`, or another condition for one of its sentences."""
    action = ACTIONS[name]

    def changed(s: State, *arguments: Term) -> State:
        after: State = action.effect(s, *arguments)
        return after if effect is None else effect(s, after, *arguments)

    def guarded(s: State, *arguments: Term) -> Guard:
        for text, condition, protects in action.guard(s, *arguments):
            replaced = sentence is not None and text == sentence[0]
            yield text, sentence[1](s, *arguments) if sentence is not None and replaced else condition, protects

    acting = replace(action, guard=guarded, effect=changed)
    return replace(AS_IT_IS, actions={**AS_IT_IS.actions, name: acting})


def _keeps_what_is_in_flight(s: State, after: State, ticket: Term) -> State:
    def kept(band: Term, page: Term) -> Term:
        return If(s.flying[band, page], s.status[band, page], after.status[band, page])

    return after.but(status=after.status.where(pages_held(s, ticket), kept))


def _retires_the_writer(s: State, after: State, band: Term, page: Term) -> State:
    return after.but(ending=s.ending.set(s.flyer[band, page], COMPLETED))


def _counts_by_contents(s: State, after: State, band: Term, page: Term, vid: Term) -> State:
    return after.but(refs=s.refs.set((band, vid), If(s.bytes[band, page] == s.garbage, 2, 1)))


def _is_not_in_flight_here(s: State, band: Term, source: Term, target: Term) -> Term:
    return Not(s.flying[band, source])


def _gives_up_two(s: State, _: State, band: Term) -> State:
    return s.but(lo=s.lo.set(band, s.lo[band] + 2))


def _loses_what_it_held(s: State, after: State, ticket: Term) -> State:
    def lost(band: Term, page: Term) -> Term:
        return If(after.status[band, page] == s.status[band, page], s.status[band, page], LOST)

    return after.but(status=s.status.where(pages_held(s, ticket), lost))


def _lives_on(_: State, after: State, band: Term, source: Term, __: Term) -> State:
    return after.but(status=after.status.set((band, source), LIVE))


def _counts_a_hole(s: State, band: Term, vid: Term) -> counts.Change:
    return replace(counts.COUNTED["free"](s, band, vid), withheld=0, holes=1)


def _only_writers_stay(s: State, step: int, band: Term, page: Term) -> Term:
    return And(steps.stays(s, step, band, page), Or(step != steps.RELAYOUT, Some(writers(s, band, page))))


def _asks_for_more(s: State, band: Term) -> Term:
    return clear_of_others(s, band, s.lo[band], s.hi[band] + 2)


def _gives_up_nothing(s: State, *_: Term) -> State:
    return s


FAULTS = {
    "packs-a-page-too-few": _line(
        "packing gives every band a page less than it needs",
        "packing-is-legal",
        "larger(lo + need, pin_hi), lo + need)",
        "larger(lo + need - 1, pin_hi), lo + need - 1)",
        "sglang#23174",
    ),
    "packs-a-page-too-many": _line(
        "packing gives every band a page more than it needs",
        "packing-succeeds",
        "larger(lo + need, pin_hi), lo + need)",
        "larger(lo + need + 1, pin_hi), lo + need + 1)",
        "sglang#29678",
    ),
    "packs-over-the-pins": _line(
        "packing a band as low as it goes forgets the pages that may not move",
        "packing-is-legal",
        "hi = select(pinned, larger(lo + need, pin_hi), lo + need)",
        "hi = lo + need",
        "sglang#36730",
    ),
    "packs-above-a-pin": _line(
        "a band may begin above its pins",
        "packing-is-legal",
        "either(pin_lo >= pin_hi, lo <= pin_lo)",
        "either(pin_lo >= pin_hi, lo <= pin_hi)",
    ),
    "packs-high-over-the-pins": _line(
        "packing a band as high as it goes forgets the pages that may not move",
        "packing-is-legal",
        "lo = select(pinned, smaller(hi - need, pin_lo), hi - need)",
        "lo = hi - need",
    ),
    "an-empty-float-takes-room": _line(
        "a float without pages stands at the next page of its own, whatever lies there",
        "packing-succeeds",
        "end = select(lo < hi, address(origin, size, hi), free)",
        "end = address(origin, size, hi)",
        "sglang#35158",
    ),
    "asks-for-a-byte-between": _line(
        "the last band may not begin where the others end", "packing-succeeds", "free <= start)", "free < start)"
    ),
    "counts-the-gap-twice": _line(
        "the last band is asked by itself, as if the others took none of its room",
        "packing-is-legal",
        "both(both(fits, placed), free <= start)",
        "both(fits, placed)",
        "sglang#39294",
    ),
    "asks-only-the-last-float": _line(
        "whether the bands fit is forgotten with each band",
        "packing-is-legal",
        "fits = both(fits, placed)",
        "fits = placed",
        "sglang#39477",
    ),
    "rounds-the-first-page-down": _line(
        "the first page from a byte may begin below it",
        "first-page-from.begins-there-or-above",
        "(dividend + divisor - 1) // divisor",
        "dividend // divisor",
        "sglang#16507",
    ),
    "skips-a-page": _line(
        "a page that begins right at the first free byte is left out",
        "first-page-from.is-the-lowest",
        "(dividend + divisor - 1) // divisor",
        "dividend // divisor + 1",
        "sglang#35158",
    ),
    "rounds-the-last-page-up": _line(
        "the last page may end beyond the byte",
        "pages-until.end-there-or-below",
        "return (byte - origin) // size",
        "return ceil_div(byte - origin, size)",
        "sglang#6731",
    ),
    "loses-the-last-page": _line(
        "a page that ends right at the byte is left out",
        "pages-until.is-the-highest",
        "return (byte - origin) // size",
        "return ceil_div(byte - origin, size) - 1",
        "sglang#35158",
    ),
    "measures-room-from-the-end": _line(
        "the room of a float is measured as if those above it were packed over their pins",
        "rooms-suffice",
        "start = select(lo < hi, address(origin, size, lo), limit)",
        "start = select(lo < hi, address(origin, size, hi - need), limit)",
    ),
    "leaves-a-page-too-few": _line(
        "the bands above a float are packed a page higher than they go",
        "a-choice-is-left",
        "smaller(hi - need, pin_lo), hi - need)",
        "smaller(hi - need + 1, pin_lo), hi - need + 1)",
        "sglang#35158",
    ),
    "rooms-reach-into-the-pins": _line(
        "the bands above a float are packed as if nothing of theirs had to stay",
        "a-choice-is-left",
        "lo = select(pinned, smaller(hi - need, pin_lo), hi - need)",
        "lo = hi - need",
    ),
    "grows-over-its-neighbour": _line(
        "a float that grows without a move takes more pages above it than are free",
        "in-place-is-legal",
        "max(0, more - above))",
        "0)",
        "sglang#39294",
    ),
    "appears-beyond-its-room": _line(
        "an empty float appears where it is wished for, whatever lies there",
        "in-place-is-legal",
        "max(lowest, min(wish, highest - need))",
        "wish",
    ),
    "gives-up-what-is-in-use": _line(
        "the first span is made as short as the need allows, whatever lies above that",
        "in-place-is-legal",
        "hi = max(hi, bottom + need) if lo < hi else bottom + need",
        "hi = bottom + need",
        "sglang#36730",
    ),
    "evicts-a-page-too-few": _line(
        "a refusal asks for a page less than must be given up",
        "eviction-is-enough",
        "over = live + demand - room",
        "over = live + demand - room - 1",
        "sglang#6731",
    ),
    "evicts-a-page-too-many": _line(
        "a refusal asks for a page more than must be given up",
        "eviction-is-least",
        "over = live + demand - room",
        "over = live + demand - room + 1",
        "sglang#37506",
    ),
    "asks-for-nothing": _line(
        "a refusal names no page where one must be given up",
        "refusals-name-a-page",
        "least = select(over > 0, over, 0)",
        "least = select(over > 1, over, 0)",
        "sglang#34441",
    ),
    "never-empties-a-band": _line(
        "giving up all pages is not thought of where nothing but that makes room",
        "eviction-is-least",
        "count = select(both(demand == 0, least > live), live, least)",
        "count = least",
        "sglang#34441",
    ),
    "evicts-what-is-no-help": _line(
        "giving up pages is said to be enough although the other bands do not fit",
        "eviction-is-enough",
        "return count, both(free <= limit, count <= live)",
        "return count, count <= live",
        "sglang#34441",
    ),
    "passes-over-the-first-live-page": _line(
        "no span is looked at that begins where the live pages do",
        "no-span-is-missed",
        "select(both(live > 0, live_lo < useful_lo), live_lo, useful_lo)",
        "useful_lo",
    ),
    "passes-over-an-end": _line(
        "the highest end of a band that leaves room for the next is passed over",
        "no-span-is-missed",
        "- below.first_hi + 1",
        "- below.first_hi",
    ),
    "looks-at-spans-too-small": _line(
        "a span may be a page smaller than is needed",
        "costs-are-as-said",
        "np.minimum(np.arange(hi_min, hi_max + 1) - needs.need, lo_max)",
        "np.minimum(np.arange(hi_min, hi_max + 1) - needs.need + 1, lo_max)",
        "sglang#23174",
    ),
    "chooses-beyond-the-end": _line(
        "the span that is chosen may end a page too high",
        "costs-are-as-said",
        "column.ended[: last + 1]",
        "column.ended[: last + 2]",
        "sglang#6731",
    ),
    "moves-the-pages-inside": _line(
        "the live pages below the end of a span are taken to be moved, and not those above it",
        "costs-are-as-said",
        "np.subtract(live, live_below(states, hi_min, hi_max))",
        "live_below(states, hi_min, hi_max)",
    ),
    "counts-a-page-below-itself": _line(
        "a live page is counted as if it were below itself",
        "live-pages-are-counted",
        "np.cumsum(states[first:last] == LIVE, out=counts[1:])",
        "np.cumsum(states[first:last] == LIVE, out=counts[:-1])",
    ),
    "relayout-keeps-the-ends": Fault(
        "relayout moves pages of floats and of no other band", "higher-steps-free", replace(AS_IT_IS, stays=_keeps_ends)
    ),
    "skips-a-count": _line(
        "after so many tickets that were too few, one more is never tried",
        "the-fewest-are-found",
        "return tried + 1, 2 * tried",
        "return tried + 2, 2 * tried",
    ),
    "looks-for-ever": _line(
        "the count that was too few is tried again",
        "the-fewest-are-found",
        "select(suffices, least, tried + 1)",
        "select(suffices, least, tried)",
    ),
    "settling-withholds": Fault(
        "what a settled ticket held is not given back",
        "settling-frees",
        replace(AS_IT_IS, settled=_withholds),
        "sglang#39982",
    ),
    "leaving-closes-the-gate": Fault(
        "who leaves still counts as having published", "leaving-frees", replace(AS_IT_IS, unpublished=_publishes)
    ),
    "settles-what-has-landed-here": Fault(
        "what a settled ticket held is given back unless a write is still in flight on this rank",
        "ranks-agree.settle",
        _acting("settle", _keeps_what_is_in_flight),
    ),
    "completes-on-arrival": Fault(
        "a ticket retires on the rank on which its write has landed, before all are told",
        "ranks-agree.land",
        _acting("land", _retires_the_writer),
    ),
    "counts-by-contents": Fault(
        "how many references a new page has depends on what its bytes show",
        "ranks-agree.allocate",
        _acting("allocate", _counts_by_contents),
    ),
    "asks-its-own-device": Fault(
        "whether a page may move depends on whether a write to it has landed on this rank",
        "ranks-agree.move",
        _acting("move", sentence=("no ticket holds the source for writing", _is_not_in_flight_here)),
    ),
    "gives-up-two-pages": Fault(
        "a span gives up two pages where one is counted",
        "counts-are-kept.absorb-low",
        _acting("absorb-low", _gives_up_two),
        "trtllm#15018",
    ),
    "loses-what-was-held": Fault(
        "a page that the ticket alone held is neither withheld nor a hole afterwards",
        "counts-are-kept.complete",
        _acting("complete", _loses_what_it_held),
        "trtllm#15018",
    ),
    "leaves-a-copy-alive": Fault(
        "a page that was moved is still live where it was, so that it is there twice",
        "counts-are-kept.move",
        _acting("move", _lives_on),
    ),
    "counts-what-is-withheld-as-a-hole": Fault(
        "a page that is given up counts as a hole although a ticket holds it",
        "counts-are-kept.free",
        replace(AS_IT_IS, counted={**counts.COUNTED, "free": _counts_a_hole}),
        "sglang#35049",
    ),
    "lowest-turns-first": Fault(
        "bands that move right take their turns from the left",
        "turns-find-room",
        replace(AS_IT_IS, is_before=_lowest_first),
    ),
    "growing-comes-first": Fault(
        "bands that only grow take their turns before others have made room",
        "turns-find-room",
        replace(AS_IT_IS, is_before=_growing_first),
    ),
    "gives-up-the-old-span-first": Fault(
        "a band takes on its new span before its pages have left the old one",
        "turns-find-room",
        replace(AS_IT_IS, grown=_only_the_new_span),
    ),
    "only-writers-stay": Fault(
        "a page that is only read, or has been published, need not stay in its band's span",
        "turns-are-actions",
        replace(AS_IT_IS, stays=_only_writers_stay),
        "sglang#36731",
    ),
    "asks-for-a-spare-page": Fault(
        "a span may only grow where there is room for a page more",
        "turns-are-actions",
        _acting("grow-high", sentence=("the grown span is clear of every other", _asks_for_more)),
    ),
    "gives-up-nothing": Fault(
        "a span that gives up a page stays as it was",
        "actions-run-out",
        _acting("absorb-low", _gives_up_nothing),
    ),
    "compaction-leaves-the-page": Fault(
        "a page that was moved further in is not free where it was, so that the span cannot retreat",
        "compaction-shrinks",
        replace(AS_IT_IS, moved=_copies),
    ),
    "turns-that-tie": Fault(
        "bands of the same kind of turn wait for each other",
        "turns-run-out",
        replace(AS_IT_IS, is_before=_all_at_once),
    ),
    "moves-leave-the-page": Fault(
        "a page that was moved still lives where it was", "moves-run-out", replace(AS_IT_IS, moved=_copies)
    ),
}
"""Every seeded fault, by name."""
