"""Every byte that a transfer reads or writes is looked at: its ticket holds the page, and the gate is closed."""

from events import records
from fuzz.serving.transferring import Pair
from impl.chain import Chain


class ForeignBytes(Exception):
    """Bytes land where no transfer of that sender is open or in quarantine."""


def watch(both: Pair) -> None:
    """Let every byte be looked at: a transfer's ticket holds its page, and where it lands it was published first."""

    def check(address: str, begin: int, size: int, lands: bool) -> None:
        if address not in both.served:
            # it was read in a process that is dead by now
            return
        allocator = both.served[address].allocator
        snapshot = allocator.snapshot()
        holders = [
            ticket
            for ticket, stretches in held(snapshot, allocator.chain, "write" if lands else "read").items()
            if any(first <= begin and begin + size <= end for first, end in stretches)
        ]
        if not holders:
            raise ForeignBytes(f"{size} bytes at {begin} of {address}: no transfer has them")
        quarantined = {each.ticket for each in allocator.outstanding() if each.quarantined}
        if lands and not snapshot.publishers and not quarantined.intersection(holders):
            raise ForeignBytes(f"{size} bytes at {begin} of {address}: nobody has published them")

    both.checks = check


def held(snapshot: records.Snapshot, chain: Chain, mode: str) -> dict[int, list[tuple[int, int]]]:
    """Of each transfer's ticket the bytes that it holds in a mode, from and to."""
    found: dict[int, list[tuple[int, int]]] = {}
    for ticket in snapshot.tickets:
        if ticket.user == "transfer":
            for entry in ticket.entries:
                band = chain.bands[entry.band]
                first = band.origin + entry.page * band.page_bytes
                if entry.mode == mode:
                    found.setdefault(ticket.ticket, []).append((first, first + band.page_bytes))
    return found
