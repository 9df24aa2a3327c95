"""`rank-agreement`: at every step ranks say what has ended and what they hold, and go on with what all have seen."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final
from zlib import crc32

from impl.serving.parallel.group import Group

_LACKING: Final = -1


class Disagreement(RuntimeError):
    """Ranks do not have the same, though they must; said by all ranks at once, at the same step.

    Attributes:
        what: they do not agree on.
    """

    def __init__(self, what: str, numbers: Sequence[int]) -> None:
        kinds = {number: place for place, number in enumerate(dict.fromkeys(numbers))}
        sides = [[rank for rank, number in enumerate(numbers) if number == side] for side in kinds if side != _LACKING]
        super().__init__(f"rank-agreement: {what}: {' and '.join(f'ranks {side}' for side in sides)} differ")
        self.what = what
        self._said = what, tuple(numbers)

    # so that it can be raised in another process than the one it was made in
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._said


class Agreement:
    """Compares what ranks say, whenever they have something to tell each other.

    Args:
        group: of the ranks.
        said: a number for each thing that this rank has, by its name; what other ranks lack is not compared with
            theirs.
    """

    def __init__(self, group: Group, said: Callable[[], Mapping[str, int]]) -> None:
        self._group, self._said = group, said
        self._names = list(dict.fromkeys(chain.from_iterable(group.things(list(said())))))

    def ended(self, own: int) -> int:
        """Of how many of the oldest forwards every rank has seen the end, given how many this one has.

        Raises:
            Disagreement: see `compare`.
        """
        return min(self._met("what has ended", own))

    def gathered(self, what: str, own: Any) -> list[Any]:
        """What each rank says, anything that can be pickled, in order.

        Args:
            what: is asked, by all of them.
            own: what this one says.

        Raises:
            Disagreement: see `compare`.
        """
        self._met(what)
        return self._group.things(own)

    def compare(self) -> None:
        """See that all ranks say the same.

        Raises:
            Disagreement: two ranks that have the same thing have it otherwise, or are about to do something else.
        """
        self._met("what was done")

    def _met(self, what: str, own: int = 0) -> list[int]:
        """The numbers of all ranks, which ask for the same."""
        said = self._said()
        numbers = [own, crc32(what.encode()), *(said.get(name, _LACKING) for name in self._names)]
        given, asked, *each = zip(*self._group.numbers(numbers), strict=True)
        for name, theirs in zip(self._names, each, strict=True):
            if len(set(theirs) - {_LACKING}) > 1:
                raise Disagreement(name, theirs)
        if len(set(asked)) > 1:
            raise Disagreement("what comes next", asked)
        return list(given)
