"""What a kernel left behind, compared with its definition."""

from collections.abc import Sequence

import torch


class Disagreement(AssertionError):
    """A kernel has left behind something else than its definition says."""


def agree(what: str, found: torch.Tensor, defined: torch.Tensor | Sequence[int]) -> None:
    """See that numbers are what they should be, all of them.

    Raises:
        Disagreement: naming the first that is not.
    """
    expected = defined if isinstance(defined, torch.Tensor) else torch.tensor(defined, dtype=found.dtype)
    expected = expected.to(found.device).expand_as(found)
    wrong = (found != expected).nonzero()
    if len(wrong):
        place = tuple(wrong[0].tolist())
        problem = (
            f"{what} {', '.join(map(str, place))} is {found[place].item()}, and should be {expected[place].item()}"
        )
        raise Disagreement(f"{problem}; {len(wrong)} are wrong")
