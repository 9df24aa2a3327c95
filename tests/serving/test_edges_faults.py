"""Faults at the edges of serving, each tried on the test of what it breaks: no job may wait for ever."""

from collections.abc import Callable

import pytest

from impl.plan import Refusal
from impl.recording import RecordedAllocator
from impl.requests.request import Request
from impl.serving.engine.engine import Engine
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import tiny
from impl.serving.prefix.cache import PrefixCache
from impl.serving.transfer.prefill import Prefill
from impl.serving.transfer.receiver import Incoming, Receiver
from impl.serving.transfer.sender import Sender, _Outgoing
from tests.serving import test_jobs, test_prefix, test_transfer_ends
from tests.serving.seeded import Patch, shows
from tests.serving.transferring import pair

MOST_STEPS = 2_000
"""Of an engine; without a fault it takes a tenth."""


class NeverEnds(Exception):
    """An engine makes no progress."""


@shows("progress", "sglang#33404")
def _nobody_begins_after_the_last_one_gave_way(patch: Patch) -> None:
    """That memory was short is remembered, and nobody is left whose end would make it forgotten."""
    preempt = Engine.preempt

    def wrong(self: Engine, job: Job) -> None:
        was_full = self._is_full
        preempt(self, job)
        self._is_full = was_full

    patch.setattr(Engine, "preempt", wrong)


@shows("progress", "class: starvation")
def _a_rejected_job_stops_the_others(patch: Patch) -> None:
    """It was alone, and with it ends the step in which another could have begun."""
    makes_room = Engine._makes_room

    def wrong(self: Engine, refusal: Refusal, batch: list[tuple[Job, int]]) -> bool:
        youngest = self._running[-1]
        return makes_room(self, refusal, batch) and not youngest.rejected

    patch.setattr(Engine, "_makes_room", wrong)


@shows("same-logits", "sglang#18746")
def _a_job_that_gave_way_loses_its_line(patch: Patch) -> None:
    """The next job writes its tokens there."""
    retract = Engine._retract

    def wrong(self: Engine, job: Job) -> None:
        retract(self, job)
        self._lines.append(job.number)

    patch.setattr(Engine, "_retract", wrong)


@shows("progress", "sglang#36345")
def _a_state_is_kept_at_any_price(patch: Patch) -> None:
    """A job that is alone is rejected for the copy of a state that it needs only since the cache keeps the original."""
    patch.setattr(PrefixCache, "spare", lambda self, request: False)


@shows("progress", "vllm#45388")
def _who_waits_keeps_others_from_giving_out_their_pages(patch: Patch) -> None:
    """What comes after it in line has pages, for which it waits."""
    allocate, poll = Receiver._allocate, Receiver.poll

    class Short(Exception):
        """Nothing further is looked at."""

    def ends_all(self: Receiver, incoming: Incoming) -> bool:
        if not allocate(self, incoming):
            raise Short
        return True

    def wrong(self: Receiver) -> None:
        try:
            poll(self)
        except Short:
            return

    patch.setattr(Receiver, "_allocate", ends_all)
    patch.setattr(Receiver, "poll", wrong)


@shows("progress", "trtllm#12313")
def _what_cannot_be_computed_is_remembered_for_ever(patch: Patch) -> None:
    """For a peer that gave it up, or is dead."""

    def wrong(self: Sender, session: str, name: str) -> None:
        going = self._going.setdefault((session, name), _Outgoing(session, name))
        going.aborted = going.is_refused = True

    patch.setattr(Sender, "not_computed", wrong)


@shows("progress", "trtllm#15018")
def _a_prompt_that_lost_its_pages_as_it_was_done_is_forgotten(patch: Patch) -> None:
    """Its job is done, so nobody computes it again."""
    hand_over = Prefill._hand_over

    def wrong(self: Prefill, job: Job, request: Request | None) -> None:
        if request is not None:
            hand_over(self, job, request)

    patch.setattr(Prefill, "_hand_over", wrong)


@shows("nothing-left", "class: a gate that stays shut")
def _the_gate_stays_shut_in_quarantine(patch: Patch) -> None:
    """Nothing moves any more, for the sake of a transfer that needs nothing to stay where it is."""
    quarantine = Receiver._quarantine

    def wrong(self: Receiver, incoming: Incoming) -> None:
        with Patch.context() as inner:
            inner.setattr(RecordedAllocator, "unpublish", lambda self, who: None)
            quarantine(self, incoming)

    patch.setattr(Receiver, "_quarantine", wrong)


FAULTS: dict[Callable[[Patch], None], tuple[Callable[[], None], type[Exception]]] = {
    _nobody_begins_after_the_last_one_gave_way: (
        test_jobs.test_when_the_last_one_that_runs_gives_way_somebody_begins,
        NeverEnds,
    ),
    _a_rejected_job_stops_the_others: (test_jobs.test_a_job_that_is_rejected_stops_no_other, RuntimeError),
    _a_job_that_gave_way_loses_its_line: (
        test_jobs.test_a_job_that_gives_way_keeps_its_line_of_the_table,
        AssertionError,
    ),
    _a_state_is_kept_at_any_price: (
        lambda: test_prefix.test_who_is_served_without_a_cache_is_served_with_one("qwen3.5-4b"),
        AssertionError,
    ),
    _who_waits_keeps_others_from_giving_out_their_pages: (
        test_transfer_ends.test_whoever_has_pages_gets_on_while_an_earlier_one_waits_for_some,
        AssertionError,
    ),
    _what_cannot_be_computed_is_remembered_for_ever: (
        lambda: test_transfer_ends.test_what_nobody_wants_any_more_is_forgotten_whether_it_can_be_computed_or_not(
            "aborted", 12
        ),
        NeverEnds,
    ),
    _a_prompt_that_lost_its_pages_as_it_was_done_is_forgotten: (
        lambda: test_transfer_ends.test_a_prompt_whose_pages_were_lost_as_it_was_done_is_computed_again(
            pair(tiny("gpt-oss-20b"))
        ),
        NeverEnds,
    ),
    _the_gate_stays_shut_in_quarantine: (
        lambda: test_transfer_ends.test_what_was_given_up_and_lands_after_all_is_over_on_both_ends(
            pair(tiny("gpt-oss-20b"))
        ),
        AssertionError,
    ),
}
"""Of each fault what it is tried on, and how it shows."""


@pytest.fixture
def _patience(monkeypatch: Patch) -> None:
    step, steps = Engine.step, 0

    def counted(self: Engine) -> bool:
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS:
            raise NeverEnds
        return step(self)

    monkeypatch.setattr(Engine, "step", counted)


@pytest.mark.usefixtures("_patience")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_a_fault_shows(fault: Callable[[Patch], None], monkeypatch: Patch) -> None:
    tried, sign = FAULTS[fault]
    fault(monkeypatch)
    with pytest.raises(sign):
        tried()


@pytest.mark.usefixtures("_patience")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_nothing_shows_where_there_is_no_fault(fault: Callable[[Patch], None]) -> None:
    tried, _ = FAULTS[fault]
    tried()
