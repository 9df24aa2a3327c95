"""What either end of a transfer makes of messages that come late, twice, cut or wrong, and what the kernel tells."""

import os
import random
import socket
from collections.abc import Iterator

import msgspec
import pytest

from fuzz.serving.transferring import post_to_decode, post_to_prefill
from impl.misuse import Misuse
from impl.serving.engine.engine import Policy
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import tiny
from impl.serving.transfer import sender as senders
from impl.serving.transfer.channel import Channel
from impl.serving.transfer.messages import Abort, Failed, Forgotten, Give, Landed, Message, decoded, encoded
from impl.serving.transfer.receiver import State
from impl.serving.transfer.simulated import PIECES
from impl.serving.transfer.sockets import listening, unread
from tests.serving.running import Task, tasks
from tests.serving.transferring import (
    PATIENCE,
    Pair,
    aborted_in_every_order,
    carry,
    compare,
    drive,
    get_on,
    no_room_on_the_way,
    pair,
    part,
    twice,
    unanswered,
)

TASK = Task((1, 2, 3, 4, 5, 6, 7, 8, 9), 3)


@pytest.fixture
def both() -> Pair:
    return pair(tiny("gpt-oss-20b"))


def _given(both: Pair) -> Give:
    """The pages that a job was given; the other end has not heard of them yet."""
    rng = random.Random(1)
    while not both.to_prefill:
        get_on(both, rng)
    give = decoded(both.to_prefill[0])
    assert isinstance(give, Give)
    return give


def _flying(both: Pair) -> None:
    rng = random.Random(1)
    while not both.network.flying(both.session):
        get_on(both, rng)


def _next_number(both: Pair) -> int:
    """Of what the end that goes on says next."""
    return both.decode.receiver._next_number(both.session)


def _answers(both: Pair) -> list[Message]:
    return [decoded(line) for line in both.to_decode]


def test_a_second_wish_under_one_name_is_refused_and_the_first_is_met(both: Pair) -> None:
    both.ask(TASK)
    give = _given(both)
    post_to_prefill(both)
    another = msgspec.structs.replace(give, attempt="another", number=_next_number(both))
    both.prefill.sender.take(both.decoding, another)
    assert _answers(both) == [Failed(give.name, "another", over=True)]
    drive(both, random.Random(1))
    compare(both)
    assert not both.asked[0][1].recomputed


@pytest.mark.parametrize("wrong", ["another prompt", "another number of kinds"])
def test_pages_for_something_else_are_answered_and_nothing_is_sent(both: Pair, wrong: str) -> None:
    both.ask(TASK)
    give = _given(both)
    pages = tuple(ids[1:] for ids in give.pages) if wrong == "another prompt" else give.pages[1:]
    both.to_prefill[0] = encoded(msgspec.structs.replace(give, pages=pages))
    drive(both, random.Random(1))
    assert not both.network.touched
    assert both.asked[0][1].recomputed
    compare(both)


def test_an_abort_that_crosses_its_answer_changes_nothing(both: Pair) -> None:
    asked = both.ask(TASK)
    _flying(both)
    carry(both, random.Random(1))
    both.network.break_off(both.network.flying(both.session)[0])
    both.prefill.step()
    assert both.decode.abort(asked)
    drive(both, random.Random(1))
    # bytes may still land, and the second word of the sender would be that they cannot
    assert both.served[both.decoding].allocator.statistics().quarantined == 1
    part(both, random.Random(1))


def test_what_another_peer_says_of_a_transfer_is_nothing(both: Pair) -> None:
    asked = both.ask(TASK)
    give = _given(both)
    for message in (Landed(give.name, give.attempt, 0, ()), Failed(give.name, give.attempt, over=True)):
        both.decode.receiver.take("somebody else", message)
    assert asked.incoming is not None
    assert asked.incoming.state is State.OPEN
    drive(both, random.Random(1))
    compare(both)


def test_what_nobody_wants_is_computed_and_forgotten(both: Pair) -> None:
    both.prefill.begin(both.decoding, "request", TASK.prompt)
    both.prefill.sender.take(both.decoding, Abort("request", "any", given=False, number=1))
    drive(both, random.Random(1))
    assert not any(kind.live for kind in both.served[both.session].allocator.statistics().kinds)


def test_what_was_aborted_before_it_is_begun_is_not_computed(both: Pair) -> None:
    both.prefill.sender.take(both.decoding, Abort("request", "any", given=False, number=1))
    both.prefill.begin(both.decoding, "request", TASK.prompt)
    assert both.prefill.is_idle
    assert _answers(both) == [Forgotten("any")]
    assert not both.prefill.sender._unwanted


def test_an_aborted_name_that_is_never_begun_is_good_again_once_it_is_declined(both: Pair) -> None:
    assert both.decode.abort(both.decode.ask(both.session, "request 1", TASK.prompt, 3))
    drive(both, random.Random(1))
    with pytest.raises(Misuse, match="another name"):
        both.decode.ask(both.session, "request 1", TASK.prompt, 3)
    both.prefill.decline(both.decoding, "request 1")
    drive(both, random.Random(1))
    assert not both.prefill.sender._unwanted
    again = both.ask(TASK)
    assert again.incoming.name == "request 1"
    drive(both, random.Random(1))
    compare(both)
    assert not again.recomputed


@pytest.mark.parametrize("moves", range(0, 30, 6))
def test_what_is_declined_is_computed_by_whoever_awaits_it(both: Pair, moves: int) -> None:
    rng = random.Random(moves)
    asked = both.decode.ask(both.session, "request", TASK.prompt, TASK.new_tokens)
    both.asked.append((TASK, asked))
    for _ in range(moves):
        get_on(both, rng)
    both.prefill.decline(both.decoding, "request")
    drive(both, rng)
    assert asked.recomputed
    compare(both)


def test_what_is_begun_is_not_declined_and_the_other_way_round(both: Pair) -> None:
    both.prefill.begin(both.decoding, "begun", TASK.prompt)
    both.prefill.decline(both.decoding, "declined")
    for name in ("begun", "declined"):
        with pytest.raises(Misuse, match="another name"):
            both.prefill.begin(both.decoding, name, TASK.prompt)
        with pytest.raises(Misuse, match="another name"):
            both.prefill.decline(both.decoding, name)


@pytest.mark.parametrize("peer", ["never met", "dead"])
def test_prompts_are_begun_for_peers_that_were_met_and_live(both: Pair, peer: str) -> None:
    session = both.decoding if peer == "dead" else "another"
    both.prefill.sender.gone(both.decoding)
    with pytest.raises(Misuse, match="was not met, or its process is dead"):
        both.prefill.begin(session, "request", TASK.prompt)
    with pytest.raises(Misuse, match="was not met, or its process is dead"):
        both.prefill.decline(session, "request")
    assert both.prefill.is_idle


def test_what_cannot_be_computed_there_is_computed_here_and_its_name_is_good_again() -> None:
    both = pair(tiny("gpt-oss-20b"), prefill_tokens=12)
    large = Task(tuple(range(40)), 2)
    both.ask(large)
    drive(both, random.Random(1))
    [(_, asked)] = both.asked
    assert asked.recomputed
    both.names -= 1
    both.ask(Task((5, 6, 7), 3))
    drive(both, random.Random(1))
    assert not both.asked[1][1].recomputed
    compare(both)


def test_a_name_is_asked_for_once_at_a_time(both: Pair) -> None:
    both.decode.ask(both.session, "request", TASK.prompt, 3)
    with pytest.raises(Misuse, match="another name"):
        both.decode.ask(both.session, "request", TASK.prompt, 3)


@pytest.mark.parametrize(("prompt", "new_tokens"), [((), 3), ((96,), 3), ((1, 2), 0), ((1,) * 60, 5)])
def test_what_no_engine_could_go_on_with_is_not_asked_for(both: Pair, prompt: tuple[int, ...], new_tokens: int) -> None:
    with pytest.raises(Misuse):
        both.decode.ask(both.session, "request", prompt, new_tokens)
    drive(both, random.Random(1))


def test_a_job_has_its_place_from_when_it_is_asked_for(both: Pair) -> None:
    engine = both.decode.engine
    taken = [engine.reserve([1], 1) for _ in range(254)]
    first, second = both.ask(TASK), both.ask(Task((5, 6, 7), 3))
    with pytest.raises(Misuse, match="not done"):
        both.decode.ask(both.session, "one more", (1,), 1)
    with pytest.raises(Misuse, match="not done"):
        engine.submit([1], 1)
    assert both.decode.abort(first)
    with pytest.raises(Misuse, match="another name"):
        both.decode.ask(both.session, "request 2", (1,), 1)
    both.asked.pop(0)
    engine.queue(engine.reserve([1], 1))
    drive(both, random.Random(1))
    assert second.job is not None
    compare(both)
    for job in taken:
        engine.forget(job)


def test_a_prompt_whose_pages_were_lost_as_it_was_done_is_computed_again(both: Pair) -> None:
    asked = both.ask(TASK)
    engine, served = both.prefill.engine, both.served[both.session]
    for _ in range(2):
        both.prefill.step()
    (job,) = both.prefill._asked
    assert job.request is not None
    assert job.request.launched == len(TASK.prompt)
    engine.preempt(job)
    served.runtime.run_all()
    engine.poll()
    assert job.done
    drive(both, random.Random(1))
    assert not asked.recomputed
    compare(both)


@pytest.mark.parametrize("chunk", [7, 3])
def test_a_prompt_that_is_done_as_it_is_computed_anew_is_sent_once_its_pages_are_there(chunk: int) -> None:
    both = pair(tiny("gpt-oss-20b"), policy=Policy(most_running=4, chunk=chunk, positions=64))
    asked, engine = both.ask(TASK), both.prefill.engine
    while both.prefill.step():
        pass
    (job,) = engine.running
    assert job.request is not None
    if job.request.launched < len(TASK.prompt):
        both.served[both.session].runtime.run_all()
        both.prefill.step()
    engine.preempt(job)
    # it begins anew while what it was computed by before is in flight, and says what comes next
    drive(both, random.Random(1))
    assert not asked.recomputed
    compare(both)


@pytest.mark.parametrize("room", [12, 120])
@pytest.mark.parametrize("forgotten", ["aborted", "gone"])
def test_what_nobody_wants_any_more_is_forgotten_whether_it_can_be_computed_or_not(forgotten: str, room: int) -> None:
    both = pair(tiny("gpt-oss-20b"), prefill_tokens=room)
    both.prefill.begin(both.decoding, "request", (1,) * 40)
    if forgotten == "gone":
        both.prefill.sender.gone(both.decoding)
    else:
        both.prefill.sender.take(both.decoding, Abort("request", "any", given=False, number=1))
    drive(both, random.Random(1))
    assert not any(kind.live for kind in both.served[both.session].allocator.statistics().kinds)


def test_what_a_cache_keeps_gives_way_to_a_prompt_that_is_to_come() -> None:
    both = pair(tiny("gpt-oss-20b"), decode_tokens=40, interval=8)
    for first in range(5):
        both.ask(Task((first,) * 20, 3))
        drive(both, random.Random(1))
    compare(both)
    assert not any(asked.recomputed for _, asked in both.asked)


def test_a_name_that_was_aborted_is_good_again_whatever_came_first() -> None:
    assert aborted_in_every_order() > 90


def test_the_names_of_the_dead_are_forgotten_with_them_and_nobody_elses(both: Pair) -> None:
    asked = [both.decode.ask(session, "request", TASK.prompt, 3) for session in (both.session, "another")]
    for each in asked:
        assert both.decode.abort(each)
    # a name is its peer's to forget
    both.decode.receiver.take("another", Forgotten(asked[0].incoming.attempt))
    with pytest.raises(Misuse, match="another name"):
        both.decode.ask(both.session, "request", TASK.prompt, 3)
    both.decode.receiver.gone(both.session)
    assert [*both.decode.receiver._aborted.values()] == [asked[1].incoming]


def test_nothing_is_asked_of_the_dead(both: Pair) -> None:
    old = both.session
    both.replace_prefill()
    with pytest.raises(Misuse, match="session = 'prefill 1': its process is dead; ask a peer that lives"):
        both.decode.ask(old, "request", TASK.prompt, 3)
    asked = both.ask(TASK)
    drive(both, random.Random(1))
    assert not asked.recomputed
    compare(both)


@pytest.mark.parametrize("seed", range(2))
def test_what_arrives_twice_is_taken_once(seed: int) -> None:
    twice(seed)


def test_pages_that_are_given_again_after_the_answer_are_nothing(both: Pair) -> None:
    both.ask(TASK)
    give = _given(both)
    drive(both, random.Random(1))
    both.prefill.sender.take(both.decoding, give)
    assert both.prefill.is_idle
    both.prefill.begin(both.decoding, give.name, TASK.prompt)
    again = both.decode.ask(both.session, give.name, TASK.prompt, TASK.new_tokens)
    both.asked.append((TASK, again))
    drive(both, random.Random(1))
    assert not again.recomputed
    compare(both)


def test_what_gave_way_is_computed_again_once_it_is_awaited_and_not_before() -> None:
    both = unanswered()
    drive(both, random.Random(1))
    compare(both)
    assert not any(asked.recomputed for _, asked in both.asked)


def test_what_was_computed_last_gives_way_first() -> None:
    both = pair(tiny("gpt-oss-20b"), prefill_tokens=50)
    for first in (0, 30, 60):
        both.ask(Task(tuple(range(first, first + 28)), 2))
        while not both.prefill.engine.is_idle:
            both.prefill.step()
            both.served[both.session].runtime.run_all()
    assert [name for _, name in both.prefill._gave_way] == ["request 2"]
    drive(both, random.Random(1))
    compare(both)
    # what was sent is not remembered
    assert not both.prefill._computed
    assert not both.prefill._asked


def test_what_gave_way_is_computed_again_when_there_is_a_place_for_a_job() -> None:
    both = unanswered()
    engine, taken = both.prefill.engine, list[Job]()
    while engine.takes_more:
        taken.append(engine.reserve([1], 1))
    while engine.others_give_way():
        pass
    assert engine.is_idle
    assert both.prefill.sender.is_idle
    assert not both.prefill.is_idle
    for _ in range(200):
        get_on(both, random.Random(1))
    assert both.prefill._gave_way
    for job in taken:
        engine.forget(job)
    drive(both, random.Random(1))
    compare(both)
    assert not any(asked.recomputed for _, asked in both.asked)


@pytest.mark.parametrize("end", ["aborted", "gone"])
def test_what_gave_way_and_is_unwanted_is_forgotten(end: str) -> None:
    both = unanswered()
    forwards = both.prefill.engine.forwards
    [(session, name)] = both.prefill._gave_way
    with pytest.raises(Misuse, match="another name"):
        both.prefill.begin(session, name, TASK.prompt)
    if end == "gone":
        both.prefill.sender.gone(both.decoding)
    for _, asked in both.asked:
        assert both.decode.abort(asked)
    both.asked.clear()
    drive(both, random.Random(1))
    assert both.prefill.engine.forwards == forwards
    assert both.decode.receiver._aborted == {} or end == "gone"


def test_what_gave_way_and_is_awaited_and_aborted_at_once_is_not_computed_again() -> None:
    both = unanswered()
    forwards, [(_, name)] = both.prefill.engine.forwards, both.prefill._gave_way
    [gave_way] = [asked for _, asked in both.asked if asked.incoming.name == name]
    while gave_way.incoming.state is not State.OPEN:
        both.served[both.decoding].runtime.run_all()
        both.decode.step()
    assert both.decode.abort(gave_way)
    both.asked = [(task, asked) for task, asked in both.asked if asked is not gave_way]
    while both.to_prefill:
        post_to_prefill(both)
    drive(both, random.Random(1))
    compare(both)
    assert both.prefill.engine.forwards == forwards
    assert not both.decode.receiver._aborted


def test_an_abort_of_another_attempt_or_after_the_answer_is_nothing(both: Pair) -> None:
    asked = both.ask(TASK)
    give = _given(both)
    post_to_prefill(both)
    both.prefill.sender.take(both.decoding, Abort(give.name, "another", True, _next_number(both)))
    drive(both, random.Random(1))
    both.prefill.sender.take(both.decoding, Abort(give.name, give.attempt, True, _next_number(both)))
    both.prefill.begin(both.decoding, give.name, TASK.prompt)
    while not both.prefill.engine.is_idle:
        get_on(both, random.Random(1))
    again = both.decode.ask(both.session, give.name, TASK.prompt, TASK.new_tokens)
    both.asked.append((TASK, again))
    drive(both, random.Random(1))
    assert not asked.recomputed
    assert not again.recomputed
    compare(both)


def test_an_abort_says_whether_pages_were_given(both: Pair) -> None:
    first, second = both.ask(TASK), both.ask(TASK)
    give = _given(both)
    both.to_prefill.clear()
    unmet = both.decode.ask("unmet", "request", TASK.prompt, 3)
    for asked in (first, second, unmet):
        assert both.decode.abort(asked)
    aborts = [decoded(line) for line in both.to_prefill]
    assert [(abort.name, abort.given) for abort in aborts if isinstance(abort, Abort)] == [
        (give.name, True),
        ("request 2", True),
        ("request", False),
    ]


def test_what_was_given_up_and_lands_after_all_is_over_on_both_ends(both: Pair) -> None:
    asked, engines = both.ask(TASK), (both.prefill.engine, both.decode.engine)
    _flying(both)
    assert all(engine.others_hold() and not engine.lost() for engine in engines)
    both.clock.now += 2 * PATIENCE
    both.prefill.step()
    post_to_decode(both)
    assert asked.recomputed
    assert all(engine.lost() for engine in engines)
    _land(both)
    drive(both, random.Random(1))
    compare(both)
    for served in both.served.values():
        snapshot = served.allocator.snapshot()
        assert not snapshot.tickets
        assert not snapshot.publishers
        assert not any(kind.live or kind.withheld for kind in served.allocator.statistics().kinds)


def test_what_was_given_up_and_breaks_is_never_told_to_be_over(both: Pair) -> None:
    both.ask(TASK)
    _flying(both)
    both.clock.now += 2 * PATIENCE
    both.prefill.step()
    carry(both, random.Random(1))
    both.network.break_off(both.network.flying(both.session)[0])
    both.prefill.step()
    assert not both.served[both.session].allocator.outstanding()
    assert [type(answer) for answer in _answers(both)] == [Failed]


def _land(both: Pair) -> None:
    """What flies gets there, and both ends take note."""
    while both.network.flying(both.session):
        carry(both, random.Random(1))
    both.prefill.step()


def test_who_finds_no_room_on_the_way_is_given_up_in_time(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(senders, "MOST_AT_ONCE", 1)
    no_room_on_the_way(both)


def test_each_of_many_batches_has_the_patience_of_one(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(senders, "MOST_AT_ONCE", 1)
    asked = both.ask(TASK)
    for _ in range(6):
        _flying(both)
        both.clock.now += 0.9 * PATIENCE
        both.prefill.step()
        _land(both)
    drive(both, random.Random(1))
    assert not asked.recomputed
    compare(both)


def test_what_is_aborted_between_batches_is_not_sent_to_its_end(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(senders, "MOST_AT_ONCE", 1)
    asked = both.ask(TASK)
    _flying(both)
    assert both.decode.abort(asked)
    drive(both, random.Random(1))
    # a page, in pieces, that leave and land
    assert len(both.network.touched) == 2 * PIECES
    assert not any(kind.live or kind.withheld for kind in both.served[both.decoding].allocator.statistics().kinds)


@pytest.mark.parametrize("seed", range(3))
def test_no_more_goes_to_a_peer_at_a_time_than_it_takes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(senders, "MOST_AT_ONCE", 3)
    both, chance, most = pair(tiny("gpt-oss-20b")), random.Random(seed), 0
    for task in tasks(seed, count=6):
        both.ask(task)

    def look() -> None:
        nonlocal most
        most = max(most, sum(len(batch.left) for batch in both.network.flying(both.session)))
        if chance.random() < 0.05:
            both.clock.now += 2 * PATIENCE

    drive(both, random.Random(seed), look)
    compare(both)
    assert most == 3 * PIECES
    assert any(asked.recomputed for _, asked in both.asked)
    assert not all(asked.recomputed for _, asked in both.asked)


def test_a_prompt_is_not_begun_under_the_name_of_another(both: Pair) -> None:
    both.prefill.begin(both.decoding, "request", TASK.prompt)
    for _ in range(2):
        with pytest.raises(Misuse, match="another name"):
            both.prefill.begin(both.decoding, "request", TASK.prompt)
        # the second time it is computed, and nobody has asked for it
        while not both.prefill.engine.is_idle:
            get_on(both, random.Random(1))
    both.prefill.sender.take(both.decoding, Abort("request", "any", given=False, number=1))
    both.prefill.begin(both.decoding, "request", TASK.prompt)


def test_whoever_has_pages_gets_on_while_an_earlier_one_waits_for_some() -> None:
    both = pair(tiny("gpt-oss-20b"), decode_tokens=28)
    unmet = pair(tiny("gpt-oss-20b")).prefill.sender.hello
    receiver, runtime = both.decode.receiver, both.served[both.decoding].runtime
    early = receiver.ask("unmet", "request", 36)
    both.ask(Task(tuple(range(20)), 3))
    # it gets pages, and they are not given out while the allocator's stream has something to do
    both.decode.step()
    receiver.meet(msgspec.structs.replace(unmet, session="unmet"))
    both.decode.step()
    assert receiver.holds
    assert not both.to_prefill
    runtime.run_all()
    both.decode.step()
    assert [decoded(line).name for line in both.to_prefill] == ["request 1"]  # type: ignore[union-attr]  # a wish
    assert early.state is State.WAITING
    late = receiver.ask(both.session, "a small one", 1)
    both.decode.step()
    assert late.state is State.WAITING, "whoever came first gets pages first"


def test_messages_arrive_whole_and_in_order_however_they_are_cut() -> None:
    one, other = socket.socketpair()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    sent: list[Message] = [Give(f"request {number}", "1", (tuple(range(number * 40)),), number) for number in range(60)]
    sender, receiver = Channel(one), Channel(other)
    for message in sent:
        sender.post(message)
    arrived: list[Message] = []
    while len(arrived) < len(sent):
        sender.take()
        arrived += receiver.take()
    assert arrived == sent
    sender.close()
    assert receiver.take() == []
    assert receiver.is_closed


@pytest.mark.parametrize(
    ("field", "other"),
    [("model", "another"), ("names", ("a", "b")), ("page_bytes", (1, 2)), ("page_tokens", (8, 8)), ("origins", (0,))],
)
def test_a_peer_whose_pages_are_not_alike_is_refused_by_both_ends(both: Pair, field: str, other: object) -> None:
    for end in (both.prefill.sender, both.decode.receiver):
        hello = msgspec.structs.replace(end.hello, **{field: other})
        with pytest.raises(Misuse, match=field):
            end.meet(hello)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@pytest.mark.skipif(not os.path.exists("/proc/self/net/tcp"), reason="only Linux says so")
@pytest.mark.parametrize("is_accepted", [True, False])
def test_what_a_dead_peer_sent_is_unread_until_its_connection_is_closed(
    listener: socket.socket, is_accepted: bool
) -> None:
    port = listener.getsockname()[1]
    assert port in listening()
    ports = frozenset({port})
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(b"bytes")
        accepted = listener.accept()[0] if is_accepted else None
    # the peer is gone, and its bytes are here
    assert len(unread(ports, "127.0.0.1")) == 1
    assert not unread(ports, "127.0.0.2")
    if accepted is None:
        accepted = listener.accept()[0]
    assert accepted.recv(100) == b"bytes"
    assert unread(ports, "127.0.0.1")
    accepted.close()
    assert not unread(ports, "127.0.0.1")
