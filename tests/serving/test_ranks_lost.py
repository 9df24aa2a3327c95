"""A rank that dies or lags is an error on all the others, which say who it was; nobody waits for ever."""

import pytest

from impl.misuse import Misuse
from impl.serving.parallel.group import RankLost
from impl.serving.parallel.processes import Failure, Ranks
from tests.serving.ranked import dies, lags, listens_at


def test_a_rank_that_dies_is_named_by_the_others() -> None:
    with Ranks(3, seconds=2) as ranks:
        *others, dead = ranks.outcomes(dies, 5, seconds=60)
    assert dead == Failure(None, "its process has ended")
    for rank, other in enumerate(others):
        assert isinstance(other.error, RankLost), other.said
        assert other.error.rank == rank
        assert other.error.lost == (2,)


def test_a_rank_that_lags_is_named_by_the_others() -> None:
    with Ranks(2, seconds=1) as ranks:
        other, late = ranks.outcomes(lags, 5, seconds=6)
    assert late == Failure(None, "it was silent for 6 s")
    assert isinstance(other.error, RankLost), other.said
    assert str(other.error) == "rank 0 could not compare numbers within 1 s: of rank 1 nothing was heard"


def test_ranks_can_be_reached_from_their_own_machine_alone() -> None:
    with Ranks(2) as ranks:
        addresses = [address for rank in ranks.results(listens_at) for address in rank]
    assert addresses
    assert set(addresses) <= {"0100007F", "00000000000000000000000001000000"}


def test_one_rank_is_no_group() -> None:
    with pytest.raises(Misuse, match="one rank is no group"):
        Ranks(1)
