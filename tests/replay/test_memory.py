"""Split pools, and the ratios that divide a budget into them."""

import pytest

from impl.layout import Options, layout_of
from impl.plan import Refusal
from replay.memory.ratios import Ratios, pages_by_ratios, pages_by_shares, ratios_of
from replay.memory.split import SplitMemory
from replay.memory.unified import UnifiedMemory

BUDGET = 60_000_000_000
MODELS = ("gpt-oss-20b", "qwen3.5-4b", "inkling-small")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("swa", [0.05, 0.8, 1.0])
@pytest.mark.parametrize("mamba", [0.1, 0.9, 3.0])
def test_ratios_are_what_the_pools_have(model: str, swa: float, mamba: float) -> None:
    layout = layout_of(model, Options())
    pages = pages_by_ratios(layout, BUDGET, Ratios(swa, mamba))
    used = sum(count * kind.page_bytes for count, kind in zip(pages, layout.kinds, strict=True))
    assert used <= BUDGET
    assert used > BUDGET - sum(kind.page_bytes for kind in layout.kinds)
    found = ratios_of(layout, pages)
    wanted = {"swa_full_tokens_ratio": swa, "mamba_full_memory_ratio": mamba}
    assert found == pytest.approx({name: wanted[name] for name in found}, rel=0.02)
    assert len(found) == len(layout.kinds) - 1


def test_shares_are_of_bytes() -> None:
    layout = layout_of("qwen3.5-4b", Options())
    pages = pages_by_shares(layout, BUDGET, [1, 3])
    sizes = [count * kind.page_bytes for count, kind in zip(pages, layout.kinds, strict=True)]
    assert sizes[1] / sizes[0] == pytest.approx(3, rel=0.01)


def _pools() -> SplitMemory:
    return SplitMemory(layout_of("gpt-oss-20b", Options()), (4, 10))


def test_a_pool_that_runs_dry_refuses_though_the_other_has_room() -> None:
    pools = _pools()
    assert isinstance(pools.allocate((4, 1)), list)
    refused = pools.allocate((1, 1))
    assert isinstance(refused, Refusal)
    assert (refused.reason, refused.evict) == ("evict", (1, None))
    assert pools.live() == (4, 1)


def test_what_no_empty_pool_holds_is_never_met() -> None:
    refused = _pools().allocate((5, 0))
    assert isinstance(refused, Refusal)
    assert refused.reason == "never"


def test_shared_pages_are_free_when_nobody_refers_to_them() -> None:
    pools = _pools()
    given = pools.allocate((2, 3))
    assert isinstance(given, list)
    pools.share(1, given[1])
    pools.release(1, given[1], in_flight=False)
    assert pools.live() == (2, 3)
    pools.release(1, given[1], in_flight=False)
    assert pools.live() == (2, 0)


def test_no_page_is_given_twice() -> None:
    pools = _pools()
    first, second = pools.allocate((2, 5)), pools.allocate((2, 5))
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert all(not set(one) & set(other) for one, other in zip(first, second, strict=True))


def test_bytes_add_up_in_both_memories() -> None:
    layout = layout_of("inkling-small", Options())
    for memory in (
        UnifiedMemory(layout, 10**9),
        SplitMemory(layout, pages_by_shares(layout, 10**9, [1, 1, 1])),
    ):
        given = memory.allocate((2, 3, 4))
        assert isinstance(given, list)
        memory.release(2, given[2][:2], in_flight=False)
        occupancy = memory.occupancy()
        assert memory.live() == (2, 3, 2)
        free = sum(occupancy.idle) + occupancy.shared
        assert free == memory.free_bytes
        spans = [end - begin for begin, end in zip(occupancy.begins, occupancy.ends, strict=True)]
        used_and_idle = [used + idle for used, idle in zip(occupancy.used, occupancy.idle, strict=True)]
        assert spans == used_and_idle
        assert list(occupancy.begins) == sorted(occupancy.begins)


def test_a_page_given_back_under_a_forward_comes_back_when_it_is_settled_or_over() -> None:
    memory = UnifiedMemory(layout_of("gpt-oss-20b", Options()), 10**9)
    given = memory.allocate((2, 3))
    assert isinstance(given, list)
    memory.launched(0, lambda: ([[], []], given))
    memory.release(1, given[1], in_flight=True)
    assert memory.allocator.statistics().kinds[1].withheld == 3
    memory.landed(0)
    assert memory.allocator.statistics().kinds[1].withheld == 0
