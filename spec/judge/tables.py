"""Fields kept in place: tables, what an effect wants written to them, and the change that gathers it.

An effect is evaluated against the old state; only afterwards are its writes put into the tables.
"""

from collections.abc import Iterable
from typing import Any, Final

from spec.state import FIELDS

MEANT_WITH: Final = {"name": "held", "page_of": "refs", "written": "refs"}
"""An entry of the first table means nothing while that of the second is the default: it is not kept then.

A long stream mints ever new ids and tickets; without this the tables would grow with every one of them.
"""


def default_of(field: str) -> Any:
    """What the entries of a field are that nobody set."""
    return False if FIELDS[field].value == "bool" else 0


class Writes(dict[Any, Any]):
    """What is to become of some entries of a table; the last word on an entry counts."""

    def set(self, key: Any, value: Any) -> "Writes":
        """One more entry."""
        self[key] = value
        return self

    def where(self, among: Iterable[Any], value: Any) -> "Writes":
        """One more entry for each member of a listed range."""
        if callable(value):
            for key in among:
                self[key] = value(*key)
        else:
            for key in among:
                self[key] = value
        return self


class Table(dict[Any, Any]):
    """The entries of one field that differ from its default."""

    def __init__(self, default: Any) -> None:
        super().__init__()
        self.default = default

    def __missing__(self, key: Any) -> Any:
        return self.default

    def set(self, key: Any, value: Any) -> Writes:
        """The writes that change one entry."""
        writes = Writes()
        writes[key] = value
        return writes

    def where(self, among: Iterable[Any], value: Any) -> Writes:
        """The writes that change every entry of a listed range."""
        return Writes().where(among, value)


class Change:
    """The writes of an effect, by field."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Writes]) -> None:
        self.fields = fields

    def but(self, **fields: Writes) -> "Change":
        """The change with these fields' writes instead."""
        return Change({**self.fields, **fields})
