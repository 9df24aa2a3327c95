"""`rank-agreement`: at every step ranks say what has ended and what they hold, and go on with what all have seen."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

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
    """Compares what ranks say.

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
        return min(each for (each,) in self.compare(own))

    def gathered(self, what: str, own: Any) -> list[Any]:
        """What each rank says, anything that can be pickled, in order.

        Args:
            what: is asked, by all of them.
            own: what this one says.

        Raises:
            Disagreement: another rank asks something else.
        """
        asked, said = zip(*self._group.things((what, own)), strict=True)
        if len(kinds := list(dict.fromkeys(asked))) > 1:
            raise Disagreement(" or ".join(kinds), [kinds.index(each) for each in asked])
        return list(said)

    def compare(self, *own: int) -> list[list[int]]:
        """See that all ranks say the same; on the way, what numbers each of them gives.

        Raises:
            Disagreement: two ranks that have the same thing have it otherwise.
        """
        said = self._said()
        found = self._group.numbers([*own, *(said.get(name, _LACKING) for name in self._names)])
        for name, numbers in zip(self._names, zip(*(each[len(own) :] for each in found), strict=True), strict=True):
            if len(set(numbers) - {_LACKING}) > 1:
                raise Disagreement(name, numbers)
        return [each[: len(own)] for each in found]
