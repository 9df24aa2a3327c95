"""A driver and a simple allocator that write down legal calls and steps, like those of a serving engine.

Neither decides anything well: they only have to be legal, quick, and the same for the same seed.
"""

import random
from collections import Counter, deque
from dataclasses import dataclass, field

from events import records as r

NAMES = ("state", "window1024", "window512", "full")
PAGE_BYTES = (64 << 10, 3 << 10, 8 << 10, 5 << 10)
SHARES = (0.05, 0.30, 0.30, 0.35)
"""The part of all pages that each band has."""

REQUEST = (1, 8, 8, 15)
"""Pages of each band that one request takes: 32."""

ROOM = 64
"""Free pages between a band and the one below it."""

BANDS = range(len(REQUEST))
FULL = 3

DONE = r.End()


@dataclass
class Band:
    """What the allocator knows of one band."""

    lo: int
    hi: int
    holes: list[int]
    home: dict[int, int] = field(default_factory=dict)  # the page of each living id
    oldest: deque[int] = field(default_factory=deque)  # living ids of requests that will finish, oldest first
    young: list[int] = field(default_factory=list)  # living ids of a request that will be aborted
    withheld: set[int] = field(default_factory=set)
    holders: Counter[int] = field(default_factory=Counter)  # how many tickets hold a page
    writers: Counter[int] = field(default_factory=Counter)  # how many of them write
    next_id: int = 0

    def take(self) -> int:
        """A new id that lives in a hole."""
        vid, self.next_id = self.next_id, self.next_id + 1
        self.home[vid] = self.holes.pop()
        return vid

    def vacate(self, page: int) -> None:
        """The id that lived there is gone."""
        if self.holders[page]:
            self.withheld.add(page)
        else:
            self.holes.append(page)


@dataclass(frozen=True)
class Holding:
    """One page that a ticket holds, and the id for which it was given."""

    page: int
    writes: bool
    vid: int


@dataclass(frozen=True)
class Ticket:
    """A forward and what it holds of each band."""

    number: int
    holdings: tuple[dict[int, Holding], ...] = field(default_factory=lambda: tuple({} for _ in BANDS))


class Stream:
    """The driver, the allocator, and the records they have written since the last `taken`."""

    def __init__(self, pages: int, tickets: int, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._most_tickets = tickets
        self._tickets: deque[Ticket] = deque()
        self._next_ticket = 0
        self._queued: dict[tuple[int, int], bool] = {}  # pages on the allocator's stream, and whether it writes them
        self._records: list[r.AnyRecord] = []
        self._bands: list[Band] = []
        # however few pages were asked for, a cycle must not run dry
        least = [3 * (tickets + 12) * need for need in REQUEST]
        counts = [max(int(pages * share), few) for share, few in zip(SHARES, least, strict=True)]
        self.header = self._laid_out(counts)
        self._prefix = self._bands[FULL].take()
        self._fill([max(count // 5, few // 2) for count, few in zip(counts, least, strict=True)])

    def _laid_out(self, counts: list[int]) -> r.Header:
        described, first_byte = [], 0
        for band, (count, size) in enumerate(zip(counts, PAGE_BYTES, strict=True)):
            lo = ROOM if band else 0
            holes = list(range(lo, lo + count))
            self._random.shuffle(holes)
            self._bands.append(Band(lo, lo + count, holes))
            described.append(r.Band(NAMES[band], size, first_byte - lo * size, 16 if band else 1))
            first_byte += count * size + ROOM * PAGE_BYTES[min(band + 1, FULL)]
        top = self._bands[FULL].hi
        end = described[FULL].origin + top * PAGE_BYTES[FULL]
        return r.Header(r.VERSION, "bandgap bench", "four bands", described, 0, end, 0, top)

    def _fill(self, holes_left: list[int]) -> None:
        """Most of the arena is in use, and as many tickets are outstanding as there ever will be."""
        for band, least in zip(self._bands, holes_left, strict=True):
            while len(band.holes) > least:
                band.oldest.append(band.take())
        for _ in range(self._most_tickets + 8):
            self.cycle()
        self._records.clear()

    @property
    def pages(self) -> int:
        """The pages of all spans."""
        return sum(band.hi - band.lo for band in self._bands)

    def taken(self) -> list[r.AnyRecord]:
        """The records since the last time."""
        records, self._records = self._records, []
        return records

    def snapshot(self) -> r.Snapshot:
        """What the allocator knows now."""
        bands = [
            r.BandState(
                band.lo,
                band.hi,
                list(band.home.values()),
                list(band.home),
                [1] * len(band.home),
                sorted(band.withheld),
                [page for (its_band, page), writes in self._queued.items() if its_band == number and not writes],
                [page for (its_band, page), writes in self._queued.items() if its_band == number and writes],
            )
            for number, band in enumerate(self._bands)
        ]
        numbers = [ticket.number for ticket in self._tickets]
        tickets = [
            r.TicketState(
                ticket.number,
                "forward",
                "main",
                numbers[:place],
                [
                    r.Entry(band, page, "write" if holding.writes else "read", holding.vid)
                    for band in BANDS
                    for page, holding in ticket.holdings[band].items()
                ],
            )
            for place, ticket in enumerate(self._tickets)
        ]
        return r.Snapshot(bands, tickets, {"main": numbers}, self._next_ticket, [])

    # ---------------------------------------------------------------------------------------------------- one cycle

    def cycle(self) -> None:
        """A request is admitted, a forward runs, an old one retires; the oldest request finishes, the last is aborted.

        What an aborted request has written is still held by its forward.
        """
        new = self._allocate()
        ticket = self._open()
        written = [ids[::2] for ids in new]
        for band in BANDS:
            self._hold(ticket, band, "write", written[band])
            self._hold(ticket, band, "read", self._recent(band))
        pages = [[self._bands[band].home[vid] for vid in written[band]] for band in BANDS]
        for band in BANDS:
            self._call(r.Issue(ticket.number, band, pages[band], [ticket.number + 1] * len(pages[band])))
        for band in BANDS:
            self._call(r.Land(band, pages[band]))
        self._call(r.Share(1, new[1]))
        self._call(r.Release(1, new[1]))
        self._compact()
        if ticket.number % 8 == 0:
            self._queued.clear()
            self._call(r.Drain())
        if len(self._tickets) > self._most_tickets:
            self._retire(settling=ticket.number % 4 == 0)
        for band in BANDS:
            self._finish(band, REQUEST[band] - len(written[band]))
        for band in BANDS:
            self._bands[band].young = written[band]
            self._bands[band].oldest += new[band][1::2]

    def _call(self, call: r.Call, *steps: r.Step, end: r.End = DONE) -> None:
        self._records += call, *steps, end

    def _allocate(self) -> list[list[int]]:
        new = [[band.take() for _ in range(need)] for band, need in zip(self._bands, REQUEST, strict=True)]
        steps = [
            r.Allocated(number, [band.home[vid] for vid in ids], ids)
            for number, (band, ids) in enumerate(zip(self._bands, new, strict=True))
        ]
        self._call(r.Allocate(list(REQUEST)), *steps, end=r.End(ids=new))
        return new

    def _open(self) -> Ticket:
        ticket = Ticket(self._next_ticket)
        self._next_ticket += 1
        self._tickets.append(ticket)
        self._call(r.Open(ticket.number, "forward", "main"))
        return ticket

    def _recent(self, band: int) -> list[int]:
        """Five ids that earlier forwards may hold too; of full attention also the prefix that everybody reads."""
        if band not in (1, 2, FULL):
            return []
        oldest = self._bands[band].oldest
        recent = [oldest[-1 - self._random.randrange(200) % len(oldest)] for _ in range(5)]
        return [*recent, self._prefix] if band == FULL else recent

    def _hold(self, ticket: Ticket, number: int, mode: r.Mode, ids: list[int]) -> None:
        if not ids:
            return
        self._call(r.Hold(ticket.number, number, mode, ids))
        band, holdings = self._bands[number], ticket.holdings[number]
        for vid in ids:
            page = band.home[vid]
            if page not in holdings:
                holdings[page] = Holding(page, mode == "write", vid)
                band.holders[page] += 1
                band.writers[page] += mode == "write"

    def _compact(self) -> None:
        """An idle moment: the windows grow and shrink again, and eight pages move."""
        steps: list[r.Step] = []
        for number in (1, 2):
            steps += r.GrewHigh(number, 2), r.AbsorbedHigh(number, 2)
        moved = 0
        for number, most in ((1, 3), (2, 3), (FULL, 2)):
            pairs = self._moves(number, most)
            moved += len(pairs) * PAGE_BYTES[number]
            if pairs:
                steps.append(r.Moved(number, [source for source, _ in pairs], [target for _, target in pairs]))
        self._call(r.Compact(moved), *steps)

    def _moves(self, number: int, most: int) -> list[tuple[int, int]]:
        band, pairs = self._bands[number], []
        for _ in range(most):
            vid = band.oldest[self._random.randrange(len(band.oldest))]
            source = band.home[vid]
            if band.writers[source] or not band.holes:
                continue
            target = band.home[vid] = band.holes.pop()
            band.vacate(source)
            self._queued.setdefault((number, source), False)
            self._queued[number, target] = True
            pairs.append((source, target))
        return pairs

    def _retire(self, settling: bool) -> None:
        ticket = self._tickets.popleft()
        self._call(r.Settle(ticket.number) if settling else r.Complete(ticket.number))
        for number, band in enumerate(self._bands):
            for page, holding in ticket.holdings[number].items():
                band.holders[page] -= 1
                band.writers[page] -= holding.writes
                if settling:
                    self._queued[number, page] = self._queued.get((number, page), False) or holding.writes
                if not band.holders[page] and page in band.withheld:
                    band.withheld.remove(page)
                    band.holes.append(page)

    def _finish(self, number: int, count: int) -> None:
        band = self._bands[number]
        ids = [*[band.oldest.popleft() for _ in range(count)], *band.young]
        self._call(r.Release(number, ids))
        for vid in ids:
            band.vacate(band.home.pop(vid))
