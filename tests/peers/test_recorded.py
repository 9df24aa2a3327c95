"""Lives that SGLang's and vLLM's allocators have lived are judged the same whenever they are told."""

from collections.abc import Iterable

import pytest

from events.records import AnyRecord, Compact, End, Moved, Release
from fuzz.peers.lives import judged
from fuzz.peers.process import Ended, PeerFailed, Said
from tests.peers.sample import told


@pytest.mark.parametrize("name", ["sglang-holds", "vllm-holds"])
def test_a_legal_life_is_judged_to_its_end(name: str) -> None:
    life = judged(told(name))
    assert life.broke is None
    assert len(life.script) == 60
    assert life.actions["allocate"] > 20
    assert sum(life.outcomes.values()) == 60


def test_what_the_judge_sees_names_property_and_call() -> None:
    broke = judged(told("sglang-moves-under-a-writer")).broke
    assert broke is not None
    assert (broke.property, broke.last_call, broke.calls) == ("writers-pin", "flush", 4)


def test_what_the_driver_sees_names_property_and_call() -> None:
    broke = judged(told("vllm-frees-twice")).broke
    assert broke is not None
    assert (broke.property, broke.last_call, broke.calls) == ("references", "stop", 3)


def test_a_move_that_was_left_out_of_a_life_is_missed() -> None:
    def without_moves(life: Iterable[Said | Ended]) -> Iterable[Said | Ended]:
        for said in life:
            if isinstance(said, Said):
                kept: list[AnyRecord] = [record for record in said.records if not isinstance(record, Moved)]
                yield Said(said.call, said.outcome, kept)
            else:
                yield said

    assert any(
        isinstance(record, Moved) for said in told("sglang-holds") if isinstance(said, Said) for record in said.records
    )
    broke = judged(without_moves(told("sglang-holds"))).broke
    assert broke is not None
    assert broke.property in {"outside-is-free", "bijection", "ledger-gated-reuse", "content"}


def test_a_drivers_misuse_is_no_finding() -> None:
    life = [said for said in told("vllm-holds") if isinstance(said, Said)]
    misuse = Said(["stop", "nobody"], "freed", [Release(0, [39]), End()])
    with pytest.raises(PeerFailed, match="the driver misused the allocator"):
        judged([life[0], misuse, Ended()])


def test_a_call_that_did_nothing_is_legal() -> None:
    life = [said for said in told("vllm-holds") if isinstance(said, Said)]
    assert judged([life[0], Said(["flush"], "idle", [Compact(1), End()]), Ended()]).broke is None
