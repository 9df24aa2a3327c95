"""Maps that are kept as what they say of any key."""

from collections.abc import Callable

from spec.logic import Term


class Says:
    """A map that says `of(*key)` of every key."""

    def __init__(self, of: Callable[..., Term]) -> None:
        self.of = of

    def __getitem__(self, key: Term) -> Term:
        return self.of(*key) if isinstance(key, tuple) else self.of(key)


class Remembers(Says):
    """A map that says `of(*key)`, and asks only once about a key of plain numbers."""

    def __init__(self, of: Callable[..., Term]) -> None:
        super().__init__(of)
        self._known: dict[Term, Term] = {}

    def __getitem__(self, key: Term) -> Term:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, int) for part in parts):
            return super().__getitem__(key)
        if key not in self._known:
            self._known[key] = super().__getitem__(key)
        return self._known[key]
