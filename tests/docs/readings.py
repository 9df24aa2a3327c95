"""Guards, read for their sentences."""

from collections.abc import Iterator

from properties.readings import reading
from properties.unbounded import Unbounded
from spec.catalog import Action


def sentences_of(action: Action) -> list[str]:
    """The sentences of a guard."""
    return list(_sentences(action))


def _sentences(action: Action) -> Iterator[str]:
    unbounded = Unbounded()
    with reading(unbounded):
        s, _ = unbounded.any_state()
        arguments, _ = unbounded.any_arguments(action)
        yield from (text for text, _, _ in action.guard(s, *arguments))
