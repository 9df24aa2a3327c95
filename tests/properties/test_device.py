"""The specification of the device: what it builds on, and what its sentences may speak of."""

from collections.abc import Iterator

from properties.readings import reading
from properties.specification import AS_WRITTEN, ON_DEVICE, Specification
from properties.unbounded import Unbounded
from spec.device.state import DEVICE
from spec.device.streams import of_allocator, of_look_up, of_ticket
from spec.state import ARENA, State
from tests.properties.device_walk import PROMISES

OF_THE_LEDGER = ("held", "name", "queued", "status", "refs", "page_of", "vid_at")


def guards(whole: Specification) -> Iterator[tuple[str, list[str]]]:
    """Every action, by the name that it has in the arena, and the sentences of its guard."""
    unbounded = Unbounded(whole.signature)
    with reading(unbounded):
        s, _ = unbounded.any_state()
        for name, action in whole.actions.items():
            arguments, _ = unbounded.any_arguments(action)
            yield name.removeprefix(whole.prefix), [text for text, _, _ in action.guard(s, *arguments)]


def test_an_action_of_the_device_asks_all_that_the_arena_asks() -> None:
    of_arena, of_device = dict(guards(AS_WRITTEN)), dict(guards(ON_DEVICE))
    of_arena["issue-write"] = of_arena.pop("issue")
    assert set(of_arena) < set(of_device) | {"land"}
    del of_arena["land"]
    for name, sentences in of_arena.items():
        assert of_device[name][: len(sentences)] == sentences, name


def test_the_arena_with_a_device_is_an_arena_with_more_to_it() -> None:
    assert ARENA.fields.items() < DEVICE.fields.items()
    assert ARENA.constants.items() < DEVICE.constants.items()
    assert AS_WRITTEN.invariants.items() < ON_DEVICE.invariants.items()
    assert AS_WRITTEN.steps.items() < ON_DEVICE.steps.items()


def test_what_streams_promise_does_not_mention_the_ledger() -> None:
    """It is read of a state that has no ledger."""
    unbounded = Unbounded(DEVICE)
    with reading(unbounded):
        s, _ = unbounded.any_state()
        without = State(**{name: value for name, value in vars(s).items() if name not in OF_THE_LEDGER})
        ticket, access = s.user[s.latest[0, 0]], s.latest[0, 0]
        said = {
            text
            for guard in (
                of_look_up(without, ticket, access),
                of_ticket(without, without, ticket, access),
                of_allocator([without], [access]),
            )
            for text, _, _ in guard
        }
    assert said >= set(PROMISES)
    assert len(said) == len(PROMISES) + 4
