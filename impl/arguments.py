"""What callers pass, checked before anything is done with it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from events.records import WIDEST
from impl.band import Band
from impl.holders import READ, WRITE
from impl.ledger import Ledger, Ticket
from impl.misuse import Misuse
from impl.numbers import Int64, as_count, as_ids, is_integer

LONGEST_NAME: Final = 200
"""Characters; a trace holds no longer ones."""

MODES: Final[Mapping[str, int]] = {"read": READ, "write": WRITE}


def checked_band(band: Any, bands: Sequence[Band]) -> Band:
    """The band of that number."""
    if is_integer(band) and 0 <= band < len(bands):
        return bands[int(band)]
    raise Misuse("band", band, "no such band", f"give a number from 0 to {len(bands) - 1}, as `band` tells by name")


def checked_ids(ids: Any, band: Band, field: str = "ids") -> tuple[Int64, Int64]:
    """Ids that are alive, and how many references each of them has."""
    alive = as_ids(ids, field, band.ids.limit)
    references = band.ids.references[alive]
    if alive.size:
        least = int(references.argmin())
        if references[least] < 1:
            raise Misuse(field, int(alive[least]), "is not alive", "name virtual pages that have a reference")
    return alive, references


def checked_mode(mode: Any) -> int:
    """How a ticket may hold a page."""
    level = MODES.get(mode) if isinstance(mode, str) else None
    if level is None:
        raise Misuse("mode", mode, "unknown", "give read or write")
    return level


def checked_demand(demand: Any, names: tuple[str, ...]) -> tuple[int, ...]:
    """A count of pages for each band, given in chain order or by names of kinds."""
    if type(demand) in (tuple, list) and len(demand) == len(names):
        for count in demand:
            if type(count) is not int or not 0 <= count <= WIDEST:
                break
        else:
            return tuple(demand)
    counts = by_band(demand, "demand", names, 0, ("one count", "counts"))
    return tuple([as_count(count, "demand") for count in counts])


def by_band(given: Any, field: str, names: tuple[str, ...], nothing: Any, called: tuple[str, str]) -> tuple[Any, ...]:
    """What was given in chain order or by names of kinds, in chain order; it is not looked into.

    Args:
        given: a sequence, or a mapping from some of the names.
        field: what it is, for errors.
        names: of the bands.
        nothing: for a kind that a mapping leaves out.
        called: what is given for one band, and several of these.
    """
    if type(given) not in (tuple, list) and isinstance(given, Mapping):
        unknown = sorted(str(name) for name in given if name not in names)
        if unknown:
            raise Misuse(field, unknown[0], "no such kind", f"give some of {', '.join(names)}")
        given = [given.get(name, nothing) for name in names]
    try:
        listed = tuple(given)
    except TypeError:
        raise Misuse(field, given, "not a sequence", f"give {called[0]} for each band") from None
    if len(listed) != len(names):
        problem = f"{len(listed)} {called[1]} for {len(names)} bands"
        raise Misuse(field, listed, problem, f"give {called[0]} for each of {', '.join(names)}")
    return listed


def settleable(number: Any, ledger: Ledger) -> Ticket:
    """An outstanding ticket for which a stream can wait."""
    ticket = ledger.ticket(number)
    if ticket.is_transfer:
        raise Misuse("ticket", number, "no stream can wait for a transfer", "complete it once it is over")
    return ticket


def quarantinable(number: Any, ledger: Ledger) -> Ticket:
    """An outstanding transfer that is not in quarantine."""
    ticket = ledger.ticket(number)
    if not ticket.is_transfer:
        raise Misuse("ticket", number, f"is a {ticket.user}, and only transfers can fail", "complete or settle it")
    if ticket.number in ledger.quarantined:
        raise Misuse("ticket", number, "is in quarantine already", "complete it once the peer is known to be gone")
    return ticket


def checked_settle(settle: Iterable[Any], ledger: Ledger) -> tuple[int, ...]:
    """Tickets that may be settled, each once, in the order in which they were named first."""
    try:
        listed = settle if type(settle) in (tuple, list) else list(settle)
    except TypeError:
        raise Misuse("settle", settle, "not a sequence", "give the numbers of tickets") from None
    if not listed:
        return ()
    return tuple(dict.fromkeys(settleable(number, ledger).number for number in listed))


def checked_name(name: Any, field: str) -> str:
    """The name of a publisher or a stream."""
    if not isinstance(name, str):
        raise Misuse(field, name, "not a name", "give a string")
    if len(name) > LONGEST_NAME:
        raise Misuse(field, name, f"{len(name)} characters", f"give a string of at most {LONGEST_NAME}")
    if not name.isascii() and not is_text(name):
        raise Misuse(field, name, "has half of a character", "give text that can be encoded")
    return name


def is_text(name: str) -> bool:
    """Whether a string can be encoded, as a trace must."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
