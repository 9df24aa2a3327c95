"""Each fault of a transfer shows: as a race, as bytes where nobody expects them, in the logits, or as no progress."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from fuzz.serving.living import lived
from fuzz.serving.operations import Operation
from fuzz.serving.running import work_off
from fuzz.serving.scene import Scene
from fuzz.serving.watching import ForeignBytes
from fuzz.violation import Violation
from impl.chain import Chain
from impl.device.simulated.accesses import Race
from impl.misuse import Misuse
from impl.plan import Refusal
from impl.recording import RecordedAllocator
from impl.requests.request import Request
from impl.serving.engine.tiny import tiny
from impl.serving.transfer import receiver, sender
from impl.serving.transfer.messages import Give, Message
from impl.serving.transfer.prefill import Prefill
from impl.serving.transfer.receiver import Incoming, Receiver, State
from impl.serving.transfer.sender import Sender, _Outgoing
from impl.serving.transfer.shape import demand_of, pages_of, stretches_of
from impl.serving.transfer.simulated import SimulatedBatch, SimulatedNetwork, SimulatedTransport
from impl.serving.transfer.tickets import TransferTickets, hold_all
from impl.serving.transfer.transport import Fate
from tests.serving.seeded import shows
from tests.serving.transferring import (
    Differs,
    InVain,
    Stuck,
    aborted_in_every_order,
    compare,
    drive,
    no_room_on_the_way,
    pair,
    twice,
    unanswered,
)
from tests.serving.trouble import old_mail, overtaken, short, troubled

Patch = pytest.MonkeyPatch


@shows("expected-bytes", "sglang#35049")
def _pages_of_what_failed_are_used_again(patch: Patch) -> None:
    """No quarantine where it lands."""

    def wrong(self: Receiver, incoming: Incoming) -> None:
        self._close(incoming)
        self._fail(incoming)

    patch.setattr(Receiver, "_quarantine", wrong)


@shows("race-free", "trtllm#12542")
def _pages_of_what_was_given_up_are_used_again(patch: Patch) -> None:
    """No quarantine where it is read."""
    patch.setattr(Sender, "_let_go", Sender._complete)


@shows("expected-bytes", "sglang#35049")
def _an_abort_frees_at_once(patch: Patch) -> None:
    """Nobody waits for the peer's answer."""
    abort = Receiver.abort

    def wrong(self: Receiver, incoming: Incoming) -> None:
        if incoming.state is State.OPEN:
            self._close(incoming)
        abort(self, incoming)

    patch.setattr(Receiver, "abort", wrong)


@shows("expected-bytes", "sglang#35049")
def _what_failed_is_taken_to_be_over(patch: Patch) -> None:
    """The sender says that nothing will land because it will send nothing more."""
    fail = Sender._fail
    patch.setattr(Sender, "_fail", lambda self, going, over: fail(self, going, over=True))


@shows("expected-bytes", "LMCache#3018")
def _the_dead_are_taken_to_be_silent(patch: Patch) -> None:
    """Nobody waits for what a dead peer had sent."""
    patch.setattr(SimulatedNetwork, "is_silent", lambda self, sender, receiver: True)


@shows("expected-bytes", "sglang#33362")
def _addresses_before_the_gate(patch: Patch) -> None:
    """The peer is told as soon as there are pages; they are held, and the gate is closed, a little later."""
    allocate, hold = Receiver._allocate, Receiver._give

    def early(self: Receiver, incoming: Incoming) -> bool:
        given = allocate(self, incoming)
        if incoming.ids:
            translate = self._allocator.translate  # type: ignore[attr-defined]  # what a recorded one has
            pages = tuple(tuple(translate(band, ids).tolist()) for band, ids in enumerate(incoming.ids))
            number = self._next_number(incoming.session)
            self._post(incoming.session, Give(incoming.name, incoming.attempt, pages, number))
        return given

    def late(self: Receiver, incoming: Incoming) -> None:
        post, self._post = self._post, lambda session, message: None
        hold(self, incoming)
        self._post = post

    patch.setattr(Receiver, "_allocate", early)
    patch.setattr(Receiver, "_give", late)


@shows("expected-bytes", "sglang#33362")
def _the_gate_opens_too_early(patch: Patch) -> None:
    """Addresses are taken back once the peer is told, and not once all has landed."""
    give, unpublish = Receiver._give, RecordedAllocator.unpublish

    def wrong(self: Receiver, incoming: Incoming) -> None:
        give(self, incoming)
        unpublish(self._allocator, f"transfer {incoming.attempt}")  # type: ignore[arg-type]  # it is on record here

    patch.setattr(Receiver, "_give", wrong)
    patch.setattr(RecordedAllocator, "unpublish", lambda self, who: None)


@shows("progress", "vllm#45388")
def _pages_kind_by_kind(patch: Patch) -> None:
    """A kind is taken as soon as it is there, and kept while another one is short."""

    def wrong(self: Receiver, incoming: Incoming) -> bool:
        demand = demand_of(self._allocator.chain, incoming.tokens)
        incoming.ids = incoming.ids or tuple([] for _ in demand)
        for band, count in enumerate(demand):
            if not incoming.ids[band]:
                alone = [count if other == band else 0 for other in range(len(demand))]
                given = self._allocator.allocate(alone)
                if not isinstance(given, Refusal):
                    incoming.ids[band].extend(given.ids[band].tolist())
        if all(incoming.ids):
            incoming.state = State.GIVEN
        return True

    patch.setattr(Receiver, "_allocate", wrong)


@shows("race-free", "vllm#45357")
def _done_when_all_has_left(patch: Patch) -> None:
    """Bytes on the way are taken for bytes that are there."""
    fate = SimulatedTransport.fate

    def wrong(self: SimulatedTransport, batch: SimulatedBatch) -> Fate:
        has_left = all(flight.wire is not None for flight in batch.left)
        return Fate.LANDED if has_left and not batch.failed else fate(self, batch)

    patch.setattr(SimulatedTransport, "fate", wrong)


@shows("expected-bytes", "vllm#52234")
def _attempts_that_another_life_had_too(patch: Patch) -> None:
    """What was said to a process that is dead is taken by the one that came after it."""
    ask = Receiver.ask

    def wrong(self: Receiver, session: str, name: str, tokens: int) -> Incoming:
        incoming = ask(self, session, name, tokens)
        incoming.attempt = incoming.attempt.split("/")[1]
        return incoming

    patch.setattr(Receiver, "ask", wrong)


@shows("same-logits", "class: a page is lost on the way")
def _a_page_is_left_out(patch: Patch) -> None:
    """All but one page of all kinds."""
    patch.setattr(sender, "stretches_of", lambda *of: stretches_of(*of)[:-1])


@shows("same-logits", "sglang#31471")
def _a_kind_goes_in_another_order(patch: Patch) -> None:
    """The first page of a window that is sent is taken for the last."""

    def wrong(chain: Chain, request: Request) -> tuple[list[int], ...]:
        return tuple(
            ids[::-1] if band.kind.window else ids
            for band, ids in zip(chain.bands, pages_of(chain, request), strict=True)
        )

    patch.setattr(sender, "pages_of", wrong)


@shows("race-free", "sglang#31471")
def _ids_for_addresses(patch: Patch) -> None:
    """The peer is told virtual pages."""

    def wrong(allocator: TransferTickets, pages: Any, mode: Any) -> tuple[int, Any]:
        return hold_all(allocator, pages, mode)[0], tuple(map(tuple, pages))

    patch.setattr(receiver, "hold_all", wrong)


@shows("progress", "class: a cycle of those who hold and wait")
def _what_is_computed_is_kept(patch: Patch) -> None:
    """Prompts for which a peer has no pages yet stay, though the one for which it has some finds no room."""
    patch.setattr(Sender, "give_up", lambda self, session, name: False)


@shows("progress", "class: a wait for a process that is dead")
def _the_dead_are_asked(patch: Patch) -> None:
    """It is not remembered who is dead, so that the next prompt waits for its peer."""
    gone = Receiver.gone

    def wrong(self: Receiver, session: str) -> None:
        gone(self, session)
        self._gone.clear()

    patch.setattr(Receiver, "gone", wrong)


@shows("progress", "class: a name that means two requests")
def _a_name_is_good_again_as_soon_as_it_is_aborted(patch: Patch) -> None:
    """Its peer may still compute the prompt, or keep it."""
    tell_abort = Receiver._tell_abort

    def wrong(self: Receiver, incoming: Incoming, *, given: bool) -> None:
        tell_abort(self, incoming, given=given)
        self._aborted.clear()

    patch.setattr(Receiver, "_tell_abort", wrong)


@shows("progress", "class: a name that means two requests")
def _an_abort_is_answered_while_the_prompt_is_computed(patch: Patch) -> None:
    """Its name is taken for another prompt, and then the first one is computed."""
    forget = Sender._forget

    def wrong(self: Sender, session: str, name: str, attempt: str, *, is_computed: bool) -> None:
        forget(self, session, name, attempt, is_computed=True)

    patch.setattr(Sender, "_forget", wrong)


@shows("progress", "class: a name that means two requests")
def _what_was_aborted_is_never_told_to_be_forgotten(patch: Patch) -> None:
    """Where it is given up before it is computed."""

    def wrong(self: Sender, session: str, name: str) -> bool:
        return self._unwanted.pop((session, name), None) is not None or session not in self._peers

    patch.setattr(Sender, "_forgets", wrong)


@shows("expected-bytes", "class: a message that is taken twice")
def _what_comes_again_is_taken_again(patch: Patch) -> None:
    """Pages that are given twice are refused, as over, while bytes fly to them."""
    take = Sender.take

    def wrong(self: Sender, session: str, message: Message) -> None:
        self._heard.clear()
        take(self, session, message)

    patch.setattr(Sender, "take", wrong)


@shows("progress", "class: work in vain")
def _what_gave_way_is_computed_again_at_once(patch: Patch) -> None:
    """Nobody awaits it, and so it gives way again, and takes the place of others that give way for it."""
    makes_way = Prefill._makes_way

    def wrong(self: Prefill) -> bool:
        gave_way = makes_way(self)
        for key, prompt in self._gave_way.items():
            self._asked[self.engine.submit(prompt, 1)] = key
        self._gave_way.clear()
        return gave_way

    patch.setattr(Prefill, "_makes_way", wrong)


@shows("progress", "class: a cycle of those who hold and wait")
def _what_gave_way_is_not_computed_again(patch: Patch) -> None:
    """Though its peer gives pages for it."""
    patch.setattr(Prefill, "_compute_again", lambda self: None)


@shows("progress", "class: what comes too early is lost")
def _prompts_are_begun_for_whoever_it_may_be(patch: Patch) -> None:
    """What is computed for a peer that was not met yet is wanted by nobody, and the peer waits for it."""
    patch.setattr(Sender, "knows", lambda self, session: True)


@shows("progress", "class: a wait for what never comes")
def _what_is_declined_is_told_to_nobody(patch: Patch) -> None:
    """So it is waited for, as what is begun late."""
    patch.setattr(Prefill, "decline", Prefill._check_new)


@shows("progress", "class: starvation")
def _who_waits_for_room_on_the_way_is_never_given_up(patch: Patch) -> None:
    """What was given up takes it, and may do so as long as its peer lives."""
    is_late = Sender._is_late
    patch.setattr(Sender, "_is_late", lambda self, going: going.batch is not None and is_late(self, going))


@shows("misuse", "class: what is read is another's alone")
def _what_was_given_up_is_the_senders_no_more(patch: Patch) -> None:
    """While it may still be read: a cache lets go of it, and the only request that goes on from it writes it."""
    let_go = Sender._let_go

    def wrong(self: Sender, going: _Outgoing) -> None:
        if going.request is not None:
            self._requests.finish([going.request])
            going.request = None
        let_go(self, going)

    patch.setattr(Sender, "_let_go", wrong)


LAYOUT = tiny("gpt-oss-20b")


def _through_trouble(seed: int) -> None:
    troubled(LAYOUT, seed, deaths=0.3, count=12)


def _short_of_room(seed: int) -> None:
    short(LAYOUT, seed)


def _with_old_mail(seed: int) -> None:
    old_mail(LAYOUT, seed)


def _overtaken(seed: int) -> None:
    overtaken(LAYOUT, seed)


def _asked_of_the_dead(seed: int) -> None:
    both, old = pair(LAYOUT), "prefill 1"
    both.replace_prefill()
    try:
        both.decode.ask(old, "request", (1, 2, 3), 2)
    except Misuse:
        return
    drive(both, random.Random(seed), most=300)


def _begun_before_they_met(seed: int) -> None:
    both, prompt = pair(LAYOUT), (1, 2, 3)
    both.prefill.sender._peers.clear()
    both.decode.ask(both.session, "request", prompt, 2)
    try:
        both.prefill.begin(both.decoding, "request", prompt)
        while not both.prefill.engine.is_idle:
            both.prefill.step()
            work_off(both.served[both.session])
        both.prefill.sender.meet(both.decode.receiver.hello)
    except Misuse:
        both.prefill.sender.meet(both.decode.receiver.hello)
        both.prefill.begin(both.decoding, "request", prompt)
    drive(both, random.Random(seed), most=300)


def _declined(seed: int) -> None:
    both = pair(LAYOUT)
    both.decode.ask(both.session, "request", (1, 2, 3), 2)
    both.prefill.decline(both.decoding, "request")
    drive(both, random.Random(seed), most=300)


def _behind_what_was_given_up(seed: int) -> None:
    with Patch.context() as patch:
        patch.setattr(sender, "MOST_AT_ONCE", 1)
        no_room_on_the_way(pair(LAYOUT))


def _aborted_and_asked_again(seed: int) -> None:
    # a seed is a number of moves
    aborted_in_every_order(seed)


def _unanswered(seed: int) -> None:
    both = unanswered()
    drive(both, random.Random(seed), most=600)
    compare(both)


def _gone_on_from_what_was_given_up(seed: int) -> None:
    scene = Scene(pattern="qwen3-next-80b-a3b", page_tokens=1, chunk=12, interval=16, ends=2)
    script = (
        Operation("ask", (1, 47, 0, 0)),
        Operation("serve", (0, 2, 0, 0)),
        Operation("serve", (1, 199, 0, 0)),
        Operation("ask", (1, 61, 0, 0)),
        Operation("ask", (0, 0, 0, 0)),
        Operation("serve", (4, 243, 0, 218)),
        Operation("lose-patience", (0, 0, 0, 0)),
        Operation("ask", (1, 143, 0, 0)),
    )
    violation = lived(scene, script).violation
    if violation is not None:
        raise violation


FAULTS: list[tuple[Callable[[Patch], None], Callable[[int], None], int, type[Exception]]] = [
    (_pages_of_what_failed_are_used_again, _through_trouble, 0, ForeignBytes),
    (_pages_of_what_was_given_up_are_used_again, _through_trouble, 1, Race),
    (_an_abort_frees_at_once, _through_trouble, 0, ForeignBytes),
    (_what_failed_is_taken_to_be_over, _through_trouble, 0, ForeignBytes),
    (_the_dead_are_taken_to_be_silent, _through_trouble, 0, ForeignBytes),
    (_addresses_before_the_gate, _through_trouble, 4, ForeignBytes),
    (_the_gate_opens_too_early, _through_trouble, 0, ForeignBytes),
    (_pages_kind_by_kind, _short_of_room, 1, Stuck),
    (_done_when_all_has_left, _through_trouble, 0, Race),
    (_a_page_is_left_out, _through_trouble, 0, Differs),
    (_a_kind_goes_in_another_order, _through_trouble, 0, Differs),
    (_ids_for_addresses, _through_trouble, 0, Race),
    (_what_is_computed_is_kept, _overtaken, 1, Stuck),
    (_attempts_that_another_life_had_too, _with_old_mail, 3, ForeignBytes),
    (_the_dead_are_asked, _asked_of_the_dead, 1, Stuck),
    (_a_name_is_good_again_as_soon_as_it_is_aborted, _aborted_and_asked_again, 4, Misuse),
    (_an_abort_is_answered_while_the_prompt_is_computed, _aborted_and_asked_again, 4, Misuse),
    (_what_was_aborted_is_never_told_to_be_forgotten, _aborted_and_asked_again, 4, Stuck),
    (_what_comes_again_is_taken_again, twice, 1, ForeignBytes),
    (_what_gave_way_is_computed_again_at_once, _unanswered, 1, InVain),
    (_what_gave_way_is_not_computed_again, _unanswered, 1, Stuck),
    (_prompts_are_begun_for_whoever_it_may_be, _begun_before_they_met, 1, Stuck),
    (_what_is_declined_is_told_to_nobody, _declined, 1, Stuck),
    (_who_waits_for_room_on_the_way_is_never_given_up, _behind_what_was_given_up, 1, Stuck),
    (_what_was_given_up_is_the_senders_no_more, _gone_on_from_what_was_given_up, 0, Violation),
]


@pytest.mark.parametrize(
    ("fault", "scene", "seed", "sign"), FAULTS, ids=[fault.__name__.strip("_") for fault, *_ in FAULTS]
)
def test_a_fault_shows(
    fault: Callable[[Patch], None],
    scene: Callable[[int], None],
    seed: int,
    sign: type[Exception],
    monkeypatch: Patch,
) -> None:
    fault(monkeypatch)
    with pytest.raises(sign):
        scene(seed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "scene",
    [
        _through_trouble,
        _gone_on_from_what_was_given_up,
        _short_of_room,
        _with_old_mail,
        _overtaken,
        _asked_of_the_dead,
        twice,
        _unanswered,
        _begun_before_they_met,
        _declined,
        _behind_what_was_given_up,
    ],
    ids=lambda each: each.__name__,
)
def test_nothing_shows_where_there_is_no_fault(scene: Callable[[int], None], seed: int) -> None:
    scene(seed)
