"""Maps that are kept as what they say of any key."""

from collections.abc import Callable

from spec.logic import Term


class Says:
    """A map that says `of(*key)` of every key."""

    def __init__(self, of: Callable[..., Term]) -> None:
        self.of = of

    def __getitem__(self, key: Term) -> Term:
        return self.of(*key) if isinstance(key, tuple) else self.of(key)
