"""What a refusal must be true of, as cases that differ from the one at hand; the first that applies is given.

`never`: an empty arena could not hold the demand. `after-release`: it could be held once the named tickets retire and
the named publishers leave, and none of those can be left out. `evict`: for each band, the least count of its live
pages without which, once everybody is gone, the demand could be held; or that no count is enough.
"""

from spec.admission.maps import Says
from spec.logic import If, Term
from spec.state import State

NOTHING = Says(lambda *_: False)
"""No page must stay."""


def emptied(s: State, demand: Term) -> State:
    """Nothing is in use."""
    return s.but(need=Says(lambda band: demand[band]), fixed=NOTHING)


def released(s: State, live: Term, demand: Term) -> State:
    """Nobody holds anything, and nobody has published an address."""
    return s.but(need=Says(lambda band: live[band] + demand[band]), fixed=NOTHING)


def evicted(s: State, live: Term, demand: Term, which: Term, count: Term) -> State:
    """Besides, so many live pages of one band are given up."""
    return s.but(
        need=Says(lambda band: live[band] + demand[band] - If(band == which, count, 0)),
        fixed=NOTHING,
    )
