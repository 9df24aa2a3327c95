"""Reads single fields of an untrusted configuration; whatever is wrong names the field, the value and the remedy."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from impl.layout.errors import LayoutError

MAX_LAYERS = 10_000
MAX_HEADS = 65_536
MAX_DIM = 1 << 24


@dataclass(frozen=True, slots=True)
class Fields:
    """One object of a configuration.

    A multimodal model nests its language model in `text_config` and may repeat fields outside: `outer` is that
    outside, and a field given differently in both places is an error.
    """

    values: Mapping[str, Any]
    path: str = ""
    """Of this object in the file, ending in a dot; empty at the top."""
    outer: Mapping[str, Any] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.get(name) is not None

    def get(self, name: str) -> Any:
        """The field's raw value; None when it is missing or null."""
        value = self.values.get(name)
        outside = self.outer.get(name)
        if value is not None and outside is not None and value != outside:
            remedy = f"the file also says {name} = {outside!r} outside {self.path.rstrip('.')}: keep one"
            raise LayoutError(self.path + name, value, "is given twice, differently", remedy)
        return outside if value is None else value

    def count(self, name: str, *, at_least: int = 1, at_most: int = MAX_DIM, default: int | None = None) -> int:
        """A whole number within bounds; `default` when it is missing, where there is one."""
        value = self.get(name)
        if value is None and default is not None:
            return default
        if value is None:
            raise self.error(name, "is missing", f"give a whole number, {at_least} or more")
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(name, "is not a whole number", f"give a whole number, {at_least} or more")
        if value < at_least:
            raise self.error(name, f"must be at least {at_least}", "correct it")
        if value > at_most:
            raise self.error(name, f"is more than {at_most}, which no model has", "correct it")
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """True or false."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(name, "is neither true nor false", "write true or false")
        return value

    def text(self, name: str, *, default: str = "") -> str:
        """A string."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.error(name, "is not a string", "write it in quotes")
        return value

    def section(self, name: str) -> "Fields":
        """A nested object."""
        value = self.get(name)
        if not isinstance(value, dict):
            raise self.error(name, "is not an object", "write its fields in braces")
        return Fields(value, f"{self.path}{name}.")

    def words(self, name: str, *, known: Collection[str], length: int) -> list[str]:
        """A list of known words, one for each layer."""
        values = self._list(name, at_most=length)
        for position, word in enumerate(values):
            if not isinstance(word, str) or word not in known:
                remedy = f"known are {', '.join(sorted(known))}"
                raise LayoutError(f"{self.path}{name}[{position}]", word, "is unknown", remedy)
        if len(values) != length:
            remedy = f"num_hidden_layers = {length}: correct one of them"
            raise LayoutError(self.path + name, values, f"names {len(values)} layers", remedy)
        return values

    def layer_numbers(self, name: str, *, first: int, layers: int) -> list[int]:
        """A list of different layer numbers, the model's first layer being number `first`; returned from 0."""
        values = self._list(name, at_most=layers)
        seen: set[int] = set()
        for position, number in enumerate(values):
            where = f"{self.path}{name}[{position}]"
            if isinstance(number, bool) or not isinstance(number, int):
                raise LayoutError(where, number, "is not a layer number", "give a whole number")
            if not first <= number < first + layers:
                remedy = f"layers are numbered {first} to {first + layers - 1} (num_hidden_layers = {layers})"
                raise LayoutError(where, number, "is no layer of the model", remedy)
            if number in seen:
                raise LayoutError(where, number, "is named twice", "name each layer once")
            seen.add(number)
        return [number - first for number in values]

    def error(self, name: str, problem: str, remedy: str) -> LayoutError:
        """The error that names this field and its value."""
        return LayoutError(self.path + name, self.get(name), problem, remedy)

    def _list(self, name: str, *, at_most: int) -> list[Any]:
        values = self.get(name)
        if not isinstance(values, list):
            raise self.error(name, "is not a list", "write its entries in brackets")
        if len(values) > at_most:
            raise self.error(name, f"names {len(values)} layers", f"num_hidden_layers = {at_most}: correct one of them")
        return values
