"""The search of small arenas for one in which a formula is true."""

from collections.abc import Iterator, Sequence

import z3

from properties import begun
from properties.bits import Values
from properties.examples import Arena, Entries, Example
from properties.limits import Limits
from properties.plain import plain
from properties.readings import reading
from properties.scenes import scene
from properties.shapes import DEVICE_LADDER, LADDER, Shape
from properties.small import Origins, Table
from properties.specification import Specification
from spec.device.state import DEVICE
from spec.logic import Term
from spec.state import Signature, State


def shapes(specification: Specification, stage: str) -> tuple[Shape, ...]:
    """The shapes that are searched for examples of a stage, in turn.

    What is copied or moved has been named to the device, so that one access at least was issued before.
    """
    if specification.signature != DEVICE:
        return LADDER
    issued = specification.actions[stage].sorts.count("access") if stage in specification.actions else 0
    return tuple(shape for shape in DEVICE_LADDER if shape.accesses > issued)


class GaveUp(Exception):
    """The search reached its limit before it had an answer."""


class Search:
    """The search for examples of one stage, in arenas of one shape."""

    def __init__(self, specification: Specification, stage: str, shape: Shape, limits: Limits) -> None:
        self.specification, self.stage, self.shape = specification, stage, shape
        self.small = begun.small(shape, specification.signature)
        self.solver = z3.SolverFor("QF_FD", self.small.pool.context)
        self.limits = limits
        with reading(self.small):
            self.scene = scene(self.small, specification, stage)
            self.solver.add(*[self.small.pool.asked(formula) for _, formula in self.scene.given])

    def find(self, formula: Term, *, plainest: bool = False, tightest: bool = False) -> Example | None:
        """An example in which the formula is true, None when there is none.

        The plainest has nothing in it that could as well be missing, and the tightest besides no page and no byte more
        than it needs; they take longer to find.

        Raises:
            GaveUp: neither was found within the limit.
        """
        self.solver.push()
        self.solver.add(self.small.pool.asked(formula))
        try:
            values = self._values()
            if values is None:
                return None
            if plainest or tightest:
                values = self._plainest(values)
            return self._example(self._tightest(values) if tightest else values)
        finally:
            self.solver.pop()

    def examples(self, formula: Term) -> Iterator[Example]:
        """Examples in which the formula is true, as different as the solver's taste makes them; none if there is none.

        Raises:
            GaveUp: a limit was reached.
        """
        self.solver.push()
        self.solver.add(self.small.pool.asked(formula))
        try:
            for seed, taste in enumerate(TASTES):
                self.solver.set("phase", taste)
                self.solver.set("random_seed", seed)
                values = self._values()
                if values is None:
                    return
                yield self._example(values)
        finally:
            self.solver.set("phase", TASTES[0])
            self.solver.set("random_seed", 0)
            self.solver.pop()

    def _values(self) -> Values | None:
        for limits in (self.limits, self.limits.doubled()):
            self.solver.set("timeout", limits.milliseconds)
            answer = self.solver.check()
            if answer != z3.unknown:
                break
        else:
            raise GaveUp(f"the search of small arenas gave up: {self.solver.reason_unknown()}")
        return Values(self.solver.model()) if answer == z3.sat else None

    def _plainest(self, values: Values) -> Values:
        """Values with which as many tables as can be are empty, and as many entries of the others as can be."""
        for name in (name for name in PLAINEST_FIRST if name in self.specification.signature.tables):
            table: Table = getattr(self.scene.before, name)
            # From the last to the first, so that what remains has the lowest numbers.
            plain = [entry == table.default for entry in reversed(table.entries.values())]
            emptied = self._narrowed(plain)
            if emptied is not None:
                values = emptied
                continue
            for one in plain:
                if values.of(one):
                    self.solver.add(self.small.pool.asked(one))
                    continue
                plainer = self._narrowed([one])
                values = values if plainer is None else plainer
        return values

    def _tightest(self, values: Values) -> Values:
        """Values with the fewest pages in spans, then the fewest bytes, from the lowest address on, and low counts."""
        s = self.scene.before
        counts = [entry for name in ("refs", "held", "queued") for entry in getattr(s, name).entries.values()]
        spans = [(s.lo[band], s.hi[band]) for band in range(len(self.shape.sizes))]
        places = [s.base, *[lo for lo, _ in spans], *s.address.origins]
        for number in (sum(hi - lo for lo, hi in spans), s.capacity - s.base, *places, *counts):
            for least in range(values.of(number)):
                narrowed = self._narrowed([number == least])
                if narrowed is not None:
                    values = narrowed
                    break
        return values

    def _narrowed(self, wishes: Sequence[Term]) -> Values | None:
        """Values with which the wishes are granted, which then stay granted; None when they cannot be."""
        asked = [self.small.pool.asked(wish) for wish in wishes]
        if self.solver.check(*asked) != z3.sat:
            return None
        values = Values(self.solver.model())
        self.solver.add(*asked)
        return values

    def _example(self, values: Values) -> Example:
        """What was found, in plain values; the effect is computed from them and not taken from the solver."""
        before = _arena(self.shape, self.specification.signature, self.scene.before, values)
        if self.stage not in self.specification.actions:
            return Example(before, before)
        arguments = tuple(int(values.of(x)) for x in self.scene.arguments)
        action = self.specification.actions[self.stage]
        with plain(self.shape):
            after = before.became(action.effect(before.state(), *arguments))
        return Example(before, after, self.stage, arguments)


TASTES = ("caching", "always_true", "random", "random", "random")
"""What the solver takes a truth to be where nothing decides it, for one example after another; its usual one first."""

PLAINEST_FIRST = (
    "published",
    "phase",
    "queued",
    "flying",
    "held",
    "ending",
    "refs",
    "status",
    "is_transfer",
    "before",
    "name",
    "flyer",
    "arriving",
    "vid_at",
    "page_of",
    "written",
    "bytes",
    "ahead",
    "filled",
    "is_own",
    "user",
    "way",
    "on_table",
    "in_band",
    "at_page",
    "at_vid",
    "origin",
    "is_known",
    "due",
    "found",
    "memory",
    "latest",
    "entry",
    "renamed",
)
"""The tables, those first whose entries a reader would miss least."""


def _arena(shape: Shape, signature: Signature, s: State, values: Values) -> Arena:
    address: Origins = s.address
    return Arena(
        shape=shape,
        base=int(values.of(s.base)),
        capacity=int(values.of(s.capacity)),
        bottom=int(values.of(s.bottom)),
        top=int(values.of(s.top)),
        origins=tuple(int(values.of(origin)) for origin in address.origins),
        tables={name: _entries(values, getattr(s, name)) for name in signature.tables},
        signature=signature,
    )


def _entries(values: Values, table: Table) -> Entries:
    listed = {key: values.of(entry) for key, entry in table.entries.items()}
    return {key: value for key, value in listed.items() if value != table.default}
