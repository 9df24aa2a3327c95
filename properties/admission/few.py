"""Small chains with their live pages, tried one after the other: what the lines choose, against every layout there is.

No solver takes part: the lines are run on plain numbers, with numpy as they are.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from random import Random

from properties.admission.code import LIVE, NUMPY, Code
from properties.admission.questions import Question
from properties.admission.small import Small
from properties.admission.subject import Subject

CASES = 100
SEED = 11
"""A seed with which every seeded fault in the lines shows."""

SIZES = ((1, 2, 1), (2, 1, 1), (1, 1, 2), (2, 1))
BYTES = 6
Span = tuple[int, int]


def few(subject: Subject) -> Iterator[tuple[Small, Question]]:
    """So many cases, the same each time, and what is said of each: the spans are legal, and none moves fewer bytes."""
    rnd, code = Random(SEED), subject.code
    found = 0
    while found < CASES:
        case = _Case(rnd)
        every = [spans for spans in product(*map(case.spans_of, range(len(case.sizes)))) if case.is_legal(spans)]
        if not every:
            continue
        found += 1
        least = min(map(case.cost, every))
        chosen = _chosen(code, case)
        right = chosen is not None and case.is_legal(chosen) and case.cost(chosen) == least
        dearer = max(map(case.cost, every)) > least
        cases = {"some layout moves more": dearer, "something must move": least > 0}
        yield Small(case.numbers), Question("", (True,), right, cases)


class _Case:
    def __init__(self, rnd: Random) -> None:
        self.sizes = rnd.choice(SIZES)
        self.limits = [BYTES // size for size in self.sizes]
        self.live = [sorted(rnd.sample(range(n), rnd.randint(0, min(2, n)))) for n in self.limits]
        self.pins = [rnd.choice(((0, 0), (0, 0), self._pin(rnd, band))) for band in range(len(self.sizes))]
        self.needs = [
            max(len(live) + rnd.choice((0, 0, 1, 2)), hi - lo)
            for live, (lo, hi) in zip(self.live, self.pins, strict=True)
        ]

    def _pin(self, rnd: Random, band: int) -> Span:
        page = rnd.choice(self.live[band]) if self.live[band] else 0
        return (page, page + 1) if self.live[band] else (0, 0)

    @property
    def numbers(self) -> dict[str, int]:
        """What the case is, by name."""
        said: dict[str, int] = {}
        for band, size in enumerate(self.sizes):
            of = f"of band {band}"
            said |= {f"page bytes {of}": size, f"need {of}": self.needs[band]}
            said |= {f"pin_lo {of}": self.pins[band][0], f"pin_hi {of}": self.pins[band][1]}
            said |= {f"page {page} {of} lives": 1 for page in self.live[band]}
        return said

    def spans_of(self, band: int) -> list[Span]:
        """Every span that has what the band needs, at the end if it is at one."""
        limit, need, (pin_lo, pin_hi) = self.limits[band], self.needs[band], self.pins[band]
        spans = [(lo, hi) for lo in range(limit + 1) for hi in range(lo + need, limit + 1)]
        pinned = [span for span in spans if pin_lo >= pin_hi or (span[0] <= pin_lo and pin_hi <= span[1])]
        if band == 0:
            return [span for span in pinned if span[0] == 0]
        return [span for span in pinned if span[1] == limit] if band == len(self.sizes) - 1 else pinned

    def is_legal(self, spans: Sequence[Span]) -> bool:
        """Every band may have its span, and they do not overlap."""
        if any(span not in self.spans_of(band) for band, span in enumerate(spans)):
            return False
        taken = [(lo * size, hi * size) for (lo, hi), size in zip(spans, self.sizes, strict=True) if lo < hi]
        return all(low[1] <= high[0] for low, high in pairwise(taken))

    def cost(self, spans: Sequence[Span]) -> int:
        """The bytes of the live pages outside."""
        outside = [sum(not lo <= page < hi for page in live) for (lo, hi), live in zip(spans, self.live, strict=True)]
        return sum(count * size for count, size in zip(outside, self.sizes, strict=True))


def _chosen(code: Code, case: _Case) -> list[Span] | None:
    """What the lines choose; None where they fail."""
    parts = zip(case.sizes, case.needs, case.pins, strict=True)
    chain = [code.Needs(0, size, need, *pins) for size, need, pins in parts]
    froms, limits, last = code.free_from(0, chain), code.free_until(BYTES, chain), len(chain) - 1
    below, columns = None, {}
    try:
        for band, need in enumerate(chain):
            if need.need:
                room = code.first_page_from(0, need.size, froms[band]), code.pages_until(0, need.size, limits[band])
                live = case.live[band]
                extent = (live[0], live[-1] + 1) if live else (0, 0)
                states = NUMPY.array([LIVE * (page in live) for page in range(case.limits[band])])
                ends = code.useful_ends(
                    *need[2:], *room, len(live), *extent, 0, case.limits[last], band == 0, band == last
                )
                below = columns[band] = code.column(need, states, len(live), ends, below)
        spans = [(0, 0) for _ in chain]
        spans[last] = case.limits[last], case.limits[last]
        end = BYTES
        for band in reversed(columns):
            spans[band] = code.chosen(columns[band], end)
            end = code.address(0, chain[band].size, spans[band][0])
    except (ValueError, IndexError):
        return None
    return spans
