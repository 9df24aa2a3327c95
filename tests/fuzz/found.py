"""A failure that is found quickly under each of a few seeded faults."""

from functools import cache

from fuzz.failure import Failure
from fuzz.faults.all import FAULTS
from fuzz.faults.trial import try_one
from fuzz.setups import setup_of

JUDGED = "withheld-pages-are-handed-out"
"""Found by the judge."""
SEEN_IN_BYTES = "moves-leave-the-bytes-behind"
"""Found by reading bytes."""
SEEN_IN_TABLES = "only-the-last-withheld-page-comes-back"
"""Found by comparing tables."""

EACH = (JUDGED, SEEN_IN_BYTES, SEEN_IN_TABLES)


@cache
def failure_under(fault: str) -> Failure:
    setup = "toy-three" if fault == SEEN_IN_TABLES else "toy-state-full"
    failure = try_one(FAULTS[fault], [setup_of(setup)], hunts=(1, 1)).failure
    assert failure is not None
    return failure
