"""Each fault of speculation shows: in a logit, as a misuse, as pages that are left, or as a job that never ends."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from fuzz.serving.holding import look_at_holders
from fuzz.violation import Violation
from impl.misuse import Misuse
from impl.requests.request import Request
from impl.requests.requests import Requests
from impl.serving.engine.engine import Policy
from impl.serving.engine.job import Job
from impl.serving.engine.paged import PagedMemory
from impl.serving.prefix.cache import PrefixCache
from impl.serving.prefix.node import Key
from impl.serving.speculation import engine as engines
from impl.serving.speculation import turn as turns
from impl.serving.speculation.engine import SpeculatingEngine
from impl.serving.speculation.turn import Turn
from impl.serving.speculation.verifying import Verifier
from impl.serving.speculation.within import within
from tests.serving.running import TOLERANCE, Task, drive, furthest, room_for
from tests.serving.seeded import shows
from tests.serving.speculating import by_chance, furthest_proposal, nothing_is_left, speculate, tiny_with_draft

Patch = pytest.MonkeyPatch

PATIENCE = 2000
"""Steps of the host after which jobs are taken never to end; without a fault they take a tenth."""


class NeverEnds(Exception):
    """The engine makes no progress."""


@shows("same-logits", "class: a count is off by one")
def _one_more_is_accepted(patch: Patch) -> None:
    """The first guess that is wrong counts as one that is right."""
    patch.setattr(engines, "agreeing", lambda guessed, said: min(turns.agreeing(guessed, said) + 1, len(guessed)))


class _Unwritten(PagedMemory):
    """Gives what it would give after writing, and leaves the rows as they were."""

    def append(self, layer: int, part: str, values: torch.Tensor) -> torch.Tensor:
        view, rows, _ = self._view(layer, part)
        before = view[rows].clone()
        given = super().append(layer, part, values)
        view[rows] = before
        return given


@shows("same-draft-logits", "sglang#36403")
def _rows_of_guesses_stay(patch: Patch) -> None:
    """What the draft wrote while guessing is not written again once the target has been there."""
    right = Verifier._follow

    def wrong(self: Verifier, turn: Turn, tables: Any, memory: Any) -> None:
        chain = self._device.chain

        def unwritten(begin: int, end: int) -> PagedMemory:
            return _Unwritten(self._device, self._places, within(chain, turn.share, begin, end))

        right(self, turn, tables, unwritten if turn.drafts else memory)

    patch.setattr(Verifier, "_follow", wrong)


@shows("rows-are-there", "sglang#27789")
def _windows_slide_on_guesses(patch: Patch) -> None:
    """What was launched counts as final when windows slide."""
    right = Requests.accept

    def wrong(self: Requests, requests: Sequence[Request], tokens: int | Sequence[int] = 1) -> None:
        right(self, requests, tokens)
        for request in requests:
            settled, request.settled = request.settled, request.launched
            right(self, [request], 0)
            request.settled = settled

    patch.setattr(Requests, "accept", wrong)


@shows("same-logits", "sglang#38229")
def _the_state_of_the_rejected_is_kept(patch: Patch) -> None:
    """The request itself goes on, and its fork ends."""
    right = SpeculatingEngine._take_back

    def wrong(self: SpeculatingEngine, turn: Turn, final: int) -> None:
        if turn.kept is not None:
            self.requests.finish([turn.kept])
            turn.kept = None
        right(self, turn, final)

    patch.setattr(SpeculatingEngine, "_take_back", wrong)


@shows("misuse", "trtllm#12306")
def _rolling_back_frees_the_prefix(patch: Patch) -> None:
    """The first page goes with the last ones, though the prefix cache and the request go on with it."""
    right = Requests.roll_back

    def wrong(self: Requests, requests: Sequence[Request], tokens: int | Sequence[int]) -> None:
        right(self, requests, tokens)
        for request in requests:
            for band, ids in enumerate(request.pages):
                if len(ids) > 1:
                    self._allocator.release(band, ids[:1])

    patch.setattr(Requests, "roll_back", wrong)


@shows("same-logits", "class: what was rejected is read")
def _rejected_tokens_are_read_on(patch: Patch) -> None:
    """The next step finds the guesses in the table of tokens, not what the target says."""
    right = Verifier._take

    def wrong(self: Verifier, turn: Turn, memory_of: Any, pick: Any) -> None:
        right(self, turn, memory_of, pick)
        if turn.guessed is not None:
            self._tables.of(turn.job).tokens[turn.last_known + 1 : turn.share.end] = turn.guessed

    patch.setattr(Verifier, "_take", wrong)


@shows("misuse", "trtllm#13104")
def _a_wrong_guess_is_gone_on_with(patch: Patch) -> None:
    """The step that was launched on it counts like any other."""
    patch.setattr(SpeculatingEngine, "_void_those_after", lambda self, turn: None)


@shows("progress", "class: a count is off by one")
def _one_rejected_position_too_many_stays(patch: Patch) -> None:
    """The next step begins behind a rejected guess."""
    right = SpeculatingEngine._take_back
    patch.setattr(
        SpeculatingEngine, "_take_back", lambda self, turn, final: right(self, turn, min(final + 1, turn.share.end))
    )


@shows("held-as-needed", "sglang#16067")
def _forks_are_forgotten(patch: Patch) -> None:
    """Where every guess was right nobody thinks of the fork any more."""
    right = SpeculatingEngine._take_back

    def wrong(self: SpeculatingEngine, turn: Turn, final: int) -> None:
        if final == turn.share.end:
            turn.kept = None
        right(self, turn, final)

    patch.setattr(SpeculatingEngine, "_take_back", wrong)


@shows("held-as-needed", "class: kept longer than needed")
def _windows_of_forks_slide_late(patch: Patch) -> None:
    """A fork keeps what its request has let go of, until the step ends for which it is there."""
    patch.setattr(SpeculatingEngine, "_forks_after", lambda self, turn: iter(()))


@shows("same-draft-logits", "sglang#34823")
def _a_page_is_known_by_its_own_tokens(patch: Patch) -> None:
    """A prefix is cached though its last draft row was made of another next token."""
    keys = PrefixCache._keys

    def wrong(self: PrefixCache, tokens: Sequence[int]) -> list[Key]:
        return [key[: self.page_tokens] for key in keys(self, tokens)]

    patch.setattr(PrefixCache, "_keys", wrong)


FAULTS: dict[Callable[[Patch], None], tuple[str, str]] = {
    _one_more_is_accepted: ("gpt-oss-20b", "the target's logits"),
    _rows_of_guesses_stay: ("gpt-oss-20b", "the draft's logits"),
    _windows_slide_on_guesses: ("gpt-oss-20b", "no rows"),
    _the_state_of_the_rejected_is_kept: ("inkling-small", "the target's logits"),
    _rolling_back_frees_the_prefix: ("gpt-oss-20b", "a misuse"),
    _rejected_tokens_are_read_on: ("gpt-oss-20b", "the target's logits"),
    _a_wrong_guess_is_gone_on_with: ("gpt-oss-20b", "a misuse"),
    _one_rejected_position_too_many_stays: ("gpt-oss-20b", "no end"),
    _forks_are_forgotten: ("inkling-small", "pages are left"),
    _windows_of_forks_slide_late: ("inkling-small", "more than is needed"),
    _a_page_is_known_by_its_own_tokens: ("gpt-oss-20b", "the draft's logits"),
}
"""Of each fault the pattern on which it is tried, and how it shows."""

_SHOWN: dict[type[Exception], str] = {Misuse: "a misuse", NeverEnds: "no end", RuntimeError: "no rows"}


def _shows(pattern: str) -> str:
    """How a fault shows, or nothing."""
    layout = tiny_with_draft(pattern, window=6)
    policy = Policy(most_running=3, chunk=7, positions=80, interval=8)
    made = speculate(layout, room_for(layout, 150, states=16), agree=by_chance(1), late=True, policy=policy)
    rng, steps, too_much = random.Random(3), 0, list[Violation]()
    text = tuple(rng.randrange(96) for _ in range(24))
    asked = [Task(text + leaving, 14) for leaving in ((1,), (2, 3), (), (4,))]
    jobs: list[Job] = []

    def look() -> None:
        nonlocal steps
        steps += 1
        if steps > PATIENCE:
            raise NeverEnds
        try:
            look_at_holders(made.served)
        except Violation as violation:
            too_much.append(violation)

    try:
        for task in asked:
            jobs.append(made.ask(task))
            drive(made.served, rng, look)
    except tuple(_SHOWN) as shown:
        return _SHOWN[type(shown)]
    if not furthest(layout, asked, jobs) < TOLERANCE:
        return "the target's logits"
    if not furthest_proposal(made) < TOLERANCE:
        return "the draft's logits"
    assert made.engine.prefix is not None
    made.engine.prefix.clear()
    if not nothing_is_left(made):
        return "pages are left"
    return "more than is needed" if too_much else ""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_a_fault_shows(fault: Callable[[Patch], None], monkeypatch: Patch) -> None:
    fault(monkeypatch)
    pattern, how = FAULTS[fault]
    assert _shows(pattern) == how


@pytest.mark.parametrize("pattern", sorted({pattern for pattern, _ in FAULTS.values()}))
def test_nothing_shows_where_there_is_no_fault(pattern: str) -> None:
    assert not _shows(pattern)
