"""Operations on the way from end to end: messages and bytes arrive, are late, break off, or come after all hope."""

from fuzz.engine.engine import pick
from fuzz.engine.operations import Draws
from fuzz.serving.operations import operation
from fuzz.serving.scene import Scene
from fuzz.serving.stage import Stage
from fuzz.serving.transferring import PATIENCE, Pair, carry, post_to_decode, post_to_prefill

MOST_PIECES = 10
"""Of what is sent, that get on in one operation."""


def has_two_ends(scene: Scene) -> bool:
    """Whether prompts are sent."""
    return scene.ends == 2


def get_on(both: Pair, draw: int) -> None:
    """A little of what is on its way gets on."""
    for place in range(draw & 7):
        carry(both, draw >> place)
    if draw & 8 and both.to_prefill:
        post_to_prefill(both)
    if draw & 24 == 24 and both.to_decode:
        post_to_decode(both)


def _both(stage: Stage) -> Pair:
    assert stage.both is not None, "prompts are sent"
    return stage.both


@operation(weight=10, is_of=has_two_ends)
def deliver(stage: Stage, draws: Draws) -> str:
    """The next messages to one end arrive, or to the other if there are none."""
    both = _both(stage)
    to_prefill = "to the end that computes prompts", both.to_prefill, post_to_prefill
    to_decode = "to the end that goes on", both.to_decode, post_to_decode
    for end, mail, post in (to_decode, to_prefill) if draws[0] % 2 else (to_prefill, to_decode):
        if mail:
            for _ in range(min(1 + draws[1] % 3, len(mail))):
                post(both)
            return end
    return "no message"


@operation(weight=1, is_of=has_two_ends)
def deliver_twice(stage: Stage, draws: Draws) -> str:
    """The next message to an end arrives, and arrives again."""
    both = _both(stage)
    mail, post = (both.to_prefill, post_to_prefill) if draws[0] % 2 else (both.to_decode, post_to_decode)
    if not mail:
        return "no message"
    post(both, again=True)
    post(both)
    return "delivered twice"


@operation(weight=10, is_of=has_two_ends)
def carry_bytes(stage: Stage, draws: Draws) -> str:
    """Some pieces of what is sent get on: they are read, or they land."""
    got_on = [carry(_both(stage), draws[1] >> place) for place in range(1 + draws[0] % MOST_PIECES)]
    return "got on" if any(got_on) else "nothing is on its way"


@operation(weight=3, is_of=has_two_ends)
def break_off(stage: Stage, draws: Draws) -> str:
    """What is sent at once breaks off: nothing more of it leaves, and what has left may still land."""
    both = _both(stage)
    flying = both.network.flying(both.session)
    if not flying:
        return "nothing is on its way"
    both.network.break_off(pick(flying, draws[0]))
    return "broke off"


@operation(weight=2, is_of=has_two_ends)
def lose_patience(stage: Stage, draws: Draws) -> str:
    """So much time passes that what is on its way is given up; it lands nevertheless."""
    both = _both(stage)
    is_flying = bool(both.network.flying(both.session))
    both.clock.now += 2 * PATIENCE
    both.prefill.step()
    return "given up" if is_flying else "nothing is on its way"


@operation(weight=1, is_of=has_two_ends)
def lose_a_prompt(stage: Stage, draws: Draws) -> str:
    """A job is cancelled at the end that computes its prompt."""
    engine = _both(stage).prefill.engine
    if not engine.running:
        return "nobody runs"
    engine.cancel(pick(engine.running, draws[0]))
    return "cancelled"


@operation(weight=1, is_of=has_two_ends)
def replace_an_end(stage: Stage, draws: Draws) -> str:
    """A process dies, and another one comes after it, which finds the mail of the dead."""
    if draws[0] % 2:
        stage.replace_decode()
        return "the one that goes on"
    stage.replace_prefill()
    return "the one that computes prompts"
