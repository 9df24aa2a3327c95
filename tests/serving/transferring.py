"""Two engines, one that computes prompts and one that goes on from them, on a network that does as it likes."""

import random
from collections.abc import Callable

from fuzz.serving import transferring
from fuzz.serving.running import Task, work_off
from fuzz.serving.transferring import (
    PATIENCE,
    POLICY,
    Differs,
    Pair,
    Stuck,
    compare,
    pair,
    post_to_decode,
    post_to_prefill,
)
from fuzz.serving.watching import watch
from impl.misuse import Misuse
from impl.serving.engine.tiny import tiny
from impl.serving.transfer.decode import Asked
from impl.serving.transfer.messages import Message

__all__ = [
    "PATIENCE",
    "POLICY",
    "Differs",
    "InVain",
    "Pair",
    "Stuck",
    "aborted_in_every_order",
    "carry",
    "compare",
    "drive",
    "get_on",
    "no_room_on_the_way",
    "pair",
    "part",
    "twice",
    "unanswered",
]


def carry(pair: Pair, rng: random.Random) -> None:
    """A piece gets on, if there is one."""
    transferring.carry(pair, rng.randrange(64))


def get_on(pair: Pair, rng: random.Random) -> None:
    """Whatever may happen next happens in some order, or does not yet."""
    for served in pair.served.values():
        for _ in range(rng.randrange(4)):
            served.runtime.step(rng.randrange(8))
    for _ in range(rng.randrange(6)):
        carry(pair, rng)
    if pair.to_prefill and rng.random() < pair.mail:
        post_to_prefill(pair)
    if pair.to_decode and rng.random() < pair.mail:
        post_to_decode(pair)
    if rng.random() < 0.7:
        pair.prefill.step()
    if rng.random() < 0.7:
        pair.decode.step()


def drive(pair: Pair, rng: random.Random, between: Callable[[], object] = lambda: None, most: int = 3_000) -> None:
    """Serve until all is said, and nothing is open."""
    for _ in range(most):
        if pair.prefill.is_idle and pair.decode.is_idle and not pair.to_decode and not pair.to_prefill:
            break
        get_on(pair, rng)
        between()
    else:
        raise Stuck("some request gets no further")
    for served in pair.served.values():
        assert not served.findings, served.findings[0]
        served.allocator.check()
        assert served.runtime.host_waits == 0
        statistics = served.allocator.statistics()
        assert statistics.outstanding == statistics.quarantined


def part(pair: Pair, rng: random.Random) -> None:
    """The end that computes prompts dies, and what it sent lands at last: nothing is left of it."""
    pair.network.kill(pair.session)
    pair.decode.receiver.gone(pair.session)
    served = pair.served[pair.decoding]
    for _ in range(2_000):
        if not served.allocator.outstanding():
            break
        carry(pair, rng)
        pair.decode.step()
    assert not served.allocator.outstanding()
    if pair.decode.engine.prefix is None:
        assert not any(kind.live or kind.withheld for kind in served.allocator.statistics().kinds)


def twice(seed: int) -> None:
    """Whatever is said to the end that computes prompts is said again at once, and once more a little later."""
    both, rng = pair(tiny("gpt-oss-20b")), random.Random(seed)
    watch(both)
    take, before = both.prefill.sender.take, list[Message]()

    def again(session: str, message: Message) -> None:
        for each in (message, message, *before[-2:]):
            take(session, each)
        before.append(message)

    both.prefill.sender.take = again  # type: ignore[method-assign]  # a channel that repeats itself
    for first in range(4):
        both.ask(Task(tuple(range(first, first + 9 + first)), 2))
    gone_by = both.ask(Task((1, 2, 3), 2))
    assert both.decode.abort(gone_by)
    both.asked.pop()
    drive(both, rng)
    compare(both)
    assert len(before) == 5
    assert not any(asked.recomputed for _, asked in both.asked)


def no_room_on_the_way(both: Pair) -> None:
    """What was given up stays on the way, where there is room for no more; whoever waits behind it is told."""
    for task in (Task((1, 2, 3, 4), 2), Task((5, 6, 7), 2)):
        both.ask(task)
        for _ in range(6):
            for served in both.served.values():
                work_off(served)
            both.decode.step()
            both.prefill.step()
            while both.to_prefill:
                post_to_prefill(both)
        assert len(both.network.flying(both.session)) == 1
        both.clock.now += 2 * PATIENCE
        both.prefill.step()
    while both.to_decode:
        post_to_decode(both)
    if not all(asked.recomputed for _, asked in both.asked):
        raise Stuck("one waits for ever")


class InVain(Exception):
    """A prompt is computed that was computed before, and for which nobody has given pages since."""


def unanswered() -> Pair:
    """Three prompts of which the end that computes them has room for two, and for which it has no pages yet."""
    both = pair(tiny("gpt-oss-20b"), prefill_tokens=34)
    for first in (0, 30, 60):
        both.ask(Task(tuple(range(first, first + 28)), 2))
    for _ in range(60):
        work_off(both.served[both.session])
        both.prefill.step()
    # each in chunks of seven
    if both.prefill.engine.forwards > 3 * 4:
        raise InVain(f"{both.prefill.engine.forwards} forwards for three prompts")
    assert both.prefill.engine.forwards == 3 * 4
    return both


MOVES = ("compute", "give", "post to prefill", "post to decode", "abort")
AGAIN = Task((1, 2, 3), 2)


def aborted_in_every_order(most: int = 5) -> int:
    """A prompt is aborted, and asked for again as soon as its name is good; in how many orders of so many moves."""
    orders, count = list[tuple[str, ...]]([()]), 0
    while orders:
        order = orders.pop()
        if not _can_be(order):
            continue
        count += "abort" in order
        if len(order) < most:
            orders += [(*order, move) for move in MOVES if move != "abort" or move not in order]
    return count


def _can_be(order: tuple[str, ...]) -> bool:
    """Whether moves can follow each other; the prompt is sent in the end where it was asked for again."""
    both = pair(tiny("gpt-oss-20b"))
    asked = [both.ask(AGAIN)]
    for move in order:
        if not _moves(both, asked[0], move):
            return False
        _ask_again(both, order, asked)
    if "abort" in order:
        drive(both, random.Random(1), lambda: _ask_again(both, order, asked), most=200)
        if len(asked) == 1:
            raise Stuck("its name is never good again")
        both.asked = [(AGAIN, asked[1])]
        compare(both)
        assert not asked[1].recomputed
    return True


def _moves(both: Pair, asked: Asked, move: str) -> bool:
    """Make a move; whether there was one."""
    match move:
        case "compute" if not both.prefill.is_idle:
            both.prefill.step()
            work_off(both.served[both.session])
            while transferring.carry(both, 0):
                pass
        case "give" if both.decode.receiver._waiting:
            work_off(both.served[both.decoding])
            both.decode.step()
        case "post to prefill" if both.to_prefill:
            post_to_prefill(both)
        case "post to decode" if both.to_decode:
            post_to_decode(both)
        case "abort":
            return both.decode.abort(asked)
        case _:
            return False
    return True


def _ask_again(both: Pair, order: tuple[str, ...], asked: list[Asked]) -> None:
    if len(asked) > 1 or asked[0] in both.decode._asked.values() or "abort" not in order:
        return
    try:
        asked.append(both.decode.ask(both.session, "request 1", AGAIN.prompt, AGAIN.new_tokens))
    except Misuse:
        # its peer has not forgotten it yet
        return
    both.prefill.begin(both.decoding, "request 1", AGAIN.prompt)
