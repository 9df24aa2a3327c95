"""Stands between a driver and an allocator: writes down what is called, and then what is seen to have changed.

The witness knows what every page must hold, since he also does the work of forwards and transfers on the arena's bytes:
what is given back, moved or handed out wrongly shows there, whatever any table says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fuzz.peers.inside.contents import pattern
from fuzz.peers.inside.driver import Broken
from fuzz.peers.inside.steps import Seen, steps_between
from fuzz.peers.inside.tape import Tape

TRACE_VERSION = 1
UNLIMITED = 1 << 60
"""Bytes that may be moved when nobody says how many."""

Place = tuple[int, int]
"""A band and an id of it, or a band and a page of it."""


@dataclass(frozen=True)
class BandMade:
    """What a band is made of: its name, bytes of a page, byte at which page 0 begins, and tokens of a page."""

    name: str
    page_bytes: int
    origin: int = 0
    page_tokens: int = 1


@dataclass(frozen=True)
class Chain:
    """The bands in address order, and the arena that they share.

    Attributes:
        producer: the allocator.
        model: what the arena is for.
        bands: from the low end.
        base: the first byte that may be used.
        capacity: the byte after the last.
        bottom: page at which the first band begins.
        top: page at which the last band ends.
        clean: names of the bands whose pages are handed out with nothing but zeros.
    """

    producer: str
    model: str
    bands: Sequence[BandMade]
    base: int
    capacity: int
    bottom: int
    top: int
    clean: frozenset[str] = frozenset()


@dataclass
class Work:
    """Device work that was launched: the pages it reads and what they held, and those that it will have written."""

    ticket: int
    user: str
    reads: dict[Place, tuple[int, int | None]] = field(default_factory=dict)
    """By band and id: the physical page at launch, and the mark it showed."""
    writes: dict[Place, tuple[int, int]] = field(default_factory=dict)
    """By band and id: the physical page at launch, and the mark that it will show."""


class Witness:
    """Writes the trace of one allocator.

    Args:
        tape: takes the trace.
        chain: never changes.
        arena: the bytes of the arena, from its byte 0; may be written to.
        look: how each band looks now.
    """

    def __init__(self, tape: Tape, chain: Chain, arena: memoryview, look: Callable[[], list[Seen]]) -> None:
        self.tape, self.chain, self.arena, self._look = tape, chain, arena, look
        self.seen = look()
        self.open: dict[int, Work] = {}
        """Work that is not over, by ticket."""
        self.published: dict[str, Work] = {}
        """Whoever has published addresses, and the transfer from or to them."""
        self._marks: dict[Place, int] = {}
        self._next_mark, self._next_ticket = 1, 0
        made = [[band.name, band.page_bytes, band.origin, band.page_tokens] for band in chain.bands]
        tape.write(
            "header",
            *(TRACE_VERSION, chain.producer, chain.model, made),
            *(chain.base, chain.capacity, chain.bottom, chain.top),
        )
        bands = [[seen.lo, seen.hi, [], [], [], [], [], []] for seen in self.seen]
        tape.write("snapshot", bands, [], {}, 0, [])

    # ------------------------------------------------------------------------------------------------------- pages

    def allocate(
        self, demand: Sequence[int], make: Callable[[], Sequence[Sequence[int]] | None]
    ) -> list[list[int]] | None:
        """Ask for pages of each band at once, and write to what was given.

        Args:
            demand: pages of each band.
            make: asks the allocator; the ids that it gave of each band, or None if it refused.
        """
        before = self.seen
        given = make()
        # what was moved before the allocator waited for something is on the tape already
        self.tape.begin("allocate", list(demand))
        fresh = [
            [vid for vid in new.table if vid not in old.table] for old, new in zip(before, self._look(), strict=True)
        ]
        for number, ids in enumerate(given or ()):
            known = [vid for vid in ids if vid in before[number].table]
            if known:
                raise Broken("unique-ids", f"ids {known[:8]} of band {number} were handed out while they were in use")
        self._observe()
        if given is None:
            # it gives no reason, and the judge asks for none but that there is one
            self.tape.steps([["step.refuse", "evict"]])
            self.tape.end("refused")
            return None
        self.tape.end("done", [sorted(ids) for ids in given])
        for number, ids in enumerate(given):
            homeless = [vid for vid in ids if vid not in self.seen[number].table]
            if homeless:
                raise Broken("bijection", f"ids {homeless[:8]} of band {number} were handed out without a page")
        self._must_be_clean(fresh)
        self.write_now([(number, vid) for number, ids in enumerate(given) for vid in ids])
        return [list(ids) for ids in given]

    def release(self, ids: Mapping[int, Sequence[int]], make: Callable[[], object]) -> None:
        """Give up virtual pages, by band, which nobody uses any more; the allocator may then change its layout."""
        seen = list(self.seen)
        for number, gone in ids.items():
            if gone:
                self.tape.said("release", number, list(gone))
                table = {vid: page for vid, page in seen[number].table.items() if vid not in set(gone)}
                seen[number] = replace(seen[number], table=table)
                for vid in gone:
                    self._marks.pop((number, vid), None)
        self.seen = seen
        self.rearrange(make)

    def rearrange(self, make: Callable[[], object]) -> None:
        """Let the allocator move pages and change its layout."""
        self.tape.begin("compact", UNLIMITED)
        make()
        self._observe()
        self.tape.end()

    def _observe(self, *, in_passing: bool = False) -> None:
        """Write down what has changed since the last look; in passing, new ids are left for the end of the call."""
        after = self._look()
        if in_passing:
            after = [
                replace(new, table={vid: page for vid, page in new.table.items() if vid in old.table})
                for old, new in zip(self.seen, after, strict=True)
            ]
        self.tape.steps(steps_between(self.seen, after))
        self.seen = after

    def _must_be_clean(self, fresh: Sequence[Sequence[int]]) -> None:
        for number, (band, ids) in enumerate(zip(self.chain.bands, fresh, strict=True)):
            if band.name in self.chain.clean:
                for vid in ids:
                    if any(self._shown(number, self.seen[number].table[vid])):
                        page = self.seen[number].table[vid]
                        raise Broken("no-foreign-bytes", f"page {page} of band {number} was handed out with old bytes")

    # -------------------------------------------------------------------------------------------------------- work

    def launch(
        self,
        reads: Iterable[Place],
        writes: Iterable[Place],
        user: str = "forward",
        stream: str | None = "forward",
    ) -> Work:
        """Work begins that reads and writes the pages of these virtual pages, at their addresses of now."""
        work = Work(self._next_ticket, user)
        self._next_ticket += 1
        self.open[work.ticket] = work
        self.tape.said("open", work.ticket, user, stream)
        for place in reads:
            work.reads[place] = (self._page(place), self._marks.get(place))
        for place in writes:
            work.writes[place] = (self._page(place), self._next_mark)
            self._next_mark += 1
        for number in range(len(self.chain.bands)):
            read = [vid for band, vid in work.reads if band == number]
            written = [vid for band, vid in work.writes if band == number]
            for mode, held in (("read", read), ("write", written)):
                if held:
                    self.tape.said("hold", work.ticket, number, mode, held)
            if written:
                pages, marks = zip(*(work.writes[number, vid] for vid in written), strict=True)
                self.tape.said("issue", work.ticket, number, list(pages), list(marks))
        return work

    def finish(self, work: Work) -> None:
        """Work is over: what it wrote arrives where it was sent."""
        for number in range(len(self.chain.bands)):
            pages = [page for (band, _), (page, _) in work.writes.items() if band == number]
            if pages:
                self.tape.said("land", number, pages)
        self.tape.said("complete", work.ticket)
        self._arrive(work)

    def wait_for(self, work: Work) -> None:
        """The allocator makes its stream wait for work, in the middle of a call; what it does next comes after it."""
        rearranging = self.tape.call is not None
        if not rearranging:
            self.tape.begin("compact", UNLIMITED)
        self._observe(in_passing=True)
        self.tape.end()
        self.tape.said("settle", work.ticket)
        if rearranging:
            self.tape.begin("compact", UNLIMITED)
        self._arrive(work)

    def write_now(self, places: Sequence[Place]) -> None:
        """Work that writes these pages, from its beginning to its end."""
        if places:
            self.finish(self.launch((), places, "copy", "writes"))

    def publish(self, who: str, places: Iterable[Place]) -> None:
        """The addresses of these pages are given to a peer, who reads them until they are taken back."""
        self.tape.said("publish", who)
        self.tape.said("drain")  # here a copy is over when it was asked for
        self.published[who] = self.launch(places, (), "transfer", None)

    def unpublish(self, who: str) -> None:
        """The peer is done with them."""
        self.finish(self.published.pop(who))
        self.tape.said("unpublish", who)

    def users_of(self, place: Place) -> list[Work]:
        """Work that reads or writes a virtual page."""
        return [work for work in self.open.values() if place in work.reads or place in work.writes]

    def _arrive(self, work: Work) -> None:
        del self.open[work.ticket]
        for (number, vid), (page, mark) in work.reads.items():
            if mark is not None and self._shown(number, page) != pattern(mark, self.chain.bands[number].page_bytes):
                raise Broken(
                    "held-bytes-frozen",
                    f"page {page} of band {number}, given for id {vid}, changed under the {work.user} that reads it",
                )
        for place, (page, mark) in work.writes.items():
            number, _ = place
            first, end = self._bytes_of(number, page)
            self.arena[first:end] = pattern(mark, end - first)
            self._marks[place] = mark

    # --------------------------------------------------------------------------------------------------- read back

    def check(self) -> None:
        """Every page that was written shows what was last written to it; raises Broken."""
        for (number, vid), mark in self._marks.items():
            page = self.seen[number].table[vid]
            if self._shown(number, page) != pattern(mark, self.chain.bands[number].page_bytes):
                raise Broken(
                    "content", f"id {vid} of band {number} at page {page} does not show what was written to it"
                )

    def _page(self, place: Place) -> int:
        return self.seen[place[0]].table[place[1]]

    def _bytes_of(self, number: int, page: int) -> tuple[int, int]:
        band = self.chain.bands[number]
        first = band.origin + page * band.page_bytes
        return first, first + band.page_bytes

    def _shown(self, number: int, page: int) -> bytes:
        first, end = self._bytes_of(number, page)
        return bytes(self.arena[first:end])
