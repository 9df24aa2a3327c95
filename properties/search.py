"""The search of small arenas for one in which a formula is true."""

from typing import Any

import z3

from properties.examples import Arena, Entries, Example
from properties.limits import Limits
from properties.plain import plain
from properties.readings import reading
from properties.scenes import scene
from properties.shapes import DEVICE_LADDER, LADDER, Shape
from properties.small import Origins, Small, Table, as_bits
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
        self.small = Small(shape, specification.signature)
        self.solver = z3.SolverFor("QF_FD")
        self.limits = limits
        with reading(self.small):
            self.scene = scene(self.small, specification, stage)
            self.solver.add(*[as_bits(formula) for _, formula in self.scene.given])

    def find(self, formula: Term, *, plainest: bool = False, tightest: bool = False) -> Example | None:
        """An example in which the formula is true, None when there is none.

        The plainest has nothing in it that could as well be missing, and the tightest besides no page and no byte more
        than it needs; they take longer to find.

        Raises:
            GaveUp: neither was found within the limit.
        """
        self.solver.push()
        self.solver.add(as_bits(formula))
        try:
            model = self._model()
            if model is None:
                return None
            if plainest or tightest:
                model = self._plainest(model)
            return self._example(self._tightest(model) if tightest else model)
        finally:
            self.solver.pop()

    def _model(self) -> z3.ModelRef | None:
        for limits in (self.limits, self.limits.doubled()):
            self.solver.set("timeout", limits.milliseconds)
            answer = self.solver.check()
            if answer != z3.unknown:
                break
        else:
            raise GaveUp(f"the search of small arenas gave up: {self.solver.reason_unknown()}")
        return self.solver.model() if answer == z3.sat else None

    def _plainest(self, model: z3.ModelRef) -> z3.ModelRef:
        """A model in which as many tables as can be are empty, and as many entries of the others as can be."""
        for name in (name for name in PLAINEST_FIRST if name in self.specification.signature.tables):
            table: Table = getattr(self.scene.before, name)
            # From the last to the first, so that what remains has the lowest numbers.
            plain = [as_bits(entry == table.default) for entry in reversed(table.entries.values())]
            emptied = self._narrowed(plain)
            if emptied is not None:
                model = emptied
                continue
            for one in plain:
                if z3.is_true(model.eval(one, model_completion=True)):
                    self.solver.add(one)
                    continue
                plainer = self._narrowed([one])
                model = model if plainer is None else plainer
        return model

    def _tightest(self, model: z3.ModelRef) -> z3.ModelRef:
        """A model with the fewest pages in spans, then the fewest bytes, from the lowest address on, and low counts."""
        s = self.scene.before
        counts = [entry for name in ("refs", "held", "queued") for entry in getattr(s, name).entries.values()]
        spans = [(s.lo[band], s.hi[band]) for band in range(len(self.shape.sizes))]
        places = [s.base, *[lo for lo, _ in spans], *s.address.origins]
        for number in (sum(hi - lo for lo, hi in spans), s.capacity - s.base, *places, *counts):
            for least in range(_value(model, number)):
                narrowed = self._narrowed([as_bits(number == least)])
                if narrowed is not None:
                    model = narrowed
                    break
        return model

    def _narrowed(self, wishes: list[Any]) -> z3.ModelRef | None:
        """A model in which the wishes are granted, which then stay granted; None when they cannot be."""
        if self.solver.check(*wishes) != z3.sat:
            return None
        model = self.solver.model()
        self.solver.add(*wishes)
        return model

    def _example(self, model: z3.ModelRef) -> Example:
        """What the model says, in plain values; the effect is computed from them and not taken from the model."""
        before = _arena(self.shape, self.specification.signature, self.scene.before, model)
        if self.stage not in self.specification.actions:
            return Example(before, before)
        arguments = tuple(int(_value(model, x)) for x in self.scene.arguments)
        action = self.specification.actions[self.stage]
        with plain(self.shape):
            after = before.became(action.effect(before.state(), *arguments))
        return Example(before, after, self.stage, arguments)


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


def _arena(shape: Shape, signature: Signature, s: State, model: z3.ModelRef) -> Arena:
    address: Origins = s.address
    return Arena(
        shape=shape,
        base=int(_value(model, s.base)),
        capacity=int(_value(model, s.capacity)),
        bottom=int(_value(model, s.bottom)),
        top=int(_value(model, s.top)),
        origins=tuple(int(_value(model, origin)) for origin in address.origins),
        tables={name: _entries(model, getattr(s, name)) for name in signature.tables},
        signature=signature,
    )


def _entries(model: z3.ModelRef, table: Table) -> Entries:
    values = {key: _value(model, entry) for key, entry in table.entries.items()}
    return {key: value for key, value in values.items() if value != table.default}


def _value(model: z3.ModelRef, term: Term) -> int | bool:
    found: Any = model.eval(as_bits(term), model_completion=True)
    return bool(z3.is_true(found)) if z3.is_bool(found) else int(found.as_signed_long())
