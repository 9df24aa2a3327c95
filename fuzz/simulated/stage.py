"""The stage where work is done later: the same calls, and each reader says whether it found what it should."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from events import records as r
from fuzz import script
from fuzz.setups import Setup
from fuzz.simulated.schedule import SORTS, Schedule
from fuzz.simulated.work import Use, Works
from fuzz.stage import Place, Result, Stage
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import SimulatedBuilt
from fuzz.violation import Violation
from fuzz.watch import Watch
from impl.device.arena import ArenaDevice
from impl.device.runtime import ARENA, Piece, Touch, Work
from impl.device.simulated.accesses import Race
from impl.plan import Refusal
from spec.judge.page_actions import ZERO

PACES: Final = (0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 5, 8, 13)
"""Pieces of work that the device gets done between two operations."""


class Scheduler(Protocol):
    """A runtime as its driver has it: what may be done next, and what must be."""

    @property
    def host_waits(self) -> int:
        """How often the host has waited for the device."""

    def choices(self) -> int:
        """How many things could be done next."""

    def step(self, choice: int) -> object:
        """Do one of them, which a number chooses."""

    def run_towards(self, event: Any) -> None:
        """Do something that must be done before an event happens."""

    def run_through(self, work: Work) -> None:
        """Do a piece of work, and whatever must be done before it."""

    def run_all(self) -> None:
        """Do everything."""


class WorkMaker(Protocol):
    """Makes the work of tickets."""

    def kernel(self, ticket: int, band: int, uses: Sequence[Use]) -> Work:
        """What a forward does with some pages."""

    def copy(self, name: str, ticket: int, band: int, uses: Iterable[Use]) -> Work:
        """What a copy or a transfer does with some pages."""


class Workshop(NamedTuple):
    """Where work is launched, by whom it is done, and who makes it."""

    device: ArenaDevice[Any]
    runtime: Scheduler
    works: WorkMaker


class LateStage(Stage):
    """Launches what tickets read and write, and lets the device do it when it is forced to or when it is told to.

    A call that says that work is over comes when the device is seen to have done that work, and no sooner. A ticket's
    work is launched in order: once another ticket is opened behind it, it takes no more. Its work is ended only then,
    or when somebody is to wait for it; until then more may follow, and it must not be told over.
    """

    def __init__(self, target: Target, setup: Setup, watch: Watch, keep_records: bool = False) -> None:
        self._promises = target.promises
        super().__init__(target, setup, watch, keep_records)
        self.device, self.runtime, self._works = self._workshop()
        self.schedule = Schedule()
        # the newest ticket of each stream, and those that another is behind
        self._newest: dict[str, int] = {}
        self._closed: set[int] = set()
        # those for which something was launched since their work was ended last
        self._under_way: set[int] = set()
        # what transfers have begun to read or write, by ticket, band and page: nothing orders one's doings among
        # themselves, so each page is sent or received once
        self._transferred: set[tuple[int, int, int]] = set()
        # what brings the write in flight to a page
        self._bringing: dict[Place, Work] = {}
        # of each value the id that it was written for; of each living id that was written to, the first value
        self._authors: dict[int, tuple[int, int]] = {}
        self._firsts: dict[tuple[int, int], int] = {}

    def _workshop(self) -> Workshop:
        """Where the work of this stage is launched, by whom it is done, and who makes it."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------------- calls

    def open(self, user: r.User, stream: str | None = None, waits: Sequence[int] = ()) -> int | None:
        """See `Stage.open`."""
        ticket = super().open(user, stream, waits)
        if ticket is not None and stream is not None:
            before = (*waits, *(() if stream not in self._newest else (self._newest[stream],)))
            self._closed.update(before)
            self._end(before)
            self._newest[stream] = ticket
            self.device.begin(ticket, stream, waits)
            self.device.end(ticket)
        return ticket

    def hold(self, ticket: int, band: int, ids: Sequence[int], mode: r.Mode) -> bool:
        """See `Stage.hold`; the ticket reads the pages, and finds what was written to them before."""
        if ticket in self._closed or not super().hold(ticket, band, ids, mode):
            return False
        if mode == "read":
            page_of, written = self.state.page_of, self._written[band]
            given = [(vid, page_of[band, vid]) for vid in dict.fromkeys(ids)]
            given = [(vid, page) for vid, page in given if (ticket, band, page) not in self._transferred]
            shown = [self._shown(band, page) if vid in written else None for vid, page in given]
            uses = [Use(vid, page, finds, None) for (vid, page), finds in zip(given, shown, strict=True)]
            self._launch(ticket, band, uses)
        return True

    def issue(self, ticket: int, band: int, ids: Sequence[int]) -> None:
        """See `Stage.issue`; a forward reads first what it overwrites."""
        given = self._given.get(ticket, {})
        ids = [vid for vid in dict.fromkeys(ids) if (band, vid) in given]
        ids = [vid for vid in ids if (ticket, band, given[band, vid]) not in self._transferred]
        if ticket in self._closed or not ids:
            return
        written = self._written[band]
        before = {vid: self._shown(band, given[band, vid]) if vid in written else None for vid in ids}
        super().issue(ticket, band, ids)
        uses = []
        for vid in ids:
            _, _, value = self.flights[band, given[band, vid]]
            self._authors[value] = band, vid
            if before[vid] is None:
                self._firsts[band, vid] = value
            uses.append(Use(vid, given[band, vid], before[vid], value))
        self._launch(ticket, band, uses)

    def _bring(self, band: int, pages: Sequence[int]) -> None:
        """The device does what these arrivals need, and tells of each."""
        for page in pages:
            if (band, page) in self._bringing:
                self._run(partial(self.runtime.run_through, self._bringing[band, page]))

    def complete(self, ticket: int) -> bool:
        """See `Stage.complete`: as soon as the work is seen to be over; it is asked for once before it is ended."""
        self._logged(script.Complete, ticket)
        if not self.device.is_over(ticket):
            self._end((ticket,))
            while not self.device.is_over(ticket):
                ends = self.device.ends_of(ticket)
                if not ends:
                    raise Violation("agreement", f"nobody can say when the work of ticket {ticket} is over")
                for end in ends:
                    self._run(partial(self.runtime.run_towards, end))
        self._under_way.discard(ticket)
        return self._completed(ticket)

    def settle(self, ticket: int) -> bool:
        """See `Stage.settle`; all that was launched is what is waited for."""
        self._end((ticket,))
        return super().settle(ticket)

    def allocate(
        self,
        demand: Sequence[int],
        settle: Sequence[int] = (),
        originals: Sequence[Sequence[int]] = (),
        *,
        wipe: bool = False,
    ) -> list[list[int]] | Refusal | None:
        """See `Stage.allocate`; whoever may be settled is ended."""
        self._end(settle)
        return super().allocate(demand, settle, originals, wipe=wipe)

    def drain(self) -> bool:
        """See `Stage.drain`: as soon as the allocator's stream is seen to have caught up."""
        self._logged(script.Drain)
        while not self.device.has_caught_up():
            self._run(partial(self.runtime.run_towards, self.device.tail()))
        return self._plain("drain", self.allocator.drain)

    def meanwhile(self, draws: Sequence[int]) -> None:
        """See `Stage.meanwhile`."""
        choices = draws[0] << 16 | draws[1]
        for number in range(self.schedule.pieces(PACES[draws[3] >> 12])):
            if not self.runtime.choices():
                break
            self.advance(self._next(choices >> 3 * (number % 8) & 7))

    def reschedule(self, draws: Sequence[int]) -> str:
        """See `Stage.reschedule`."""
        self.schedule = Schedule(SORTS[draws[0] % len(SORTS)], draws[1])
        self._count("schedule", self.schedule.sort)
        return self.schedule.sort

    def _next(self, choice: int) -> int:
        """What is done next, of all that can be; the log has this number, so that it needs no schedule."""
        return choice

    def advance(self, choice: int) -> None:
        """See `Stage.advance`."""
        if not self.runtime.choices():
            return
        self._logged(script.Advance, choice)
        self._count("advance", "done")
        self._run(partial(self.runtime.step, choice))

    def check_everything(self) -> None:
        """See `Stage.check_everything`, once everything is done."""
        self._run(self.runtime.run_all)
        super().check_everything()

    # -------------------------------------------------------------------------------------------------- what follows

    def _launch(self, ticket: int, band: int, uses: list[Use]) -> None:
        if not uses:
            return
        user, stream = self.tickets[ticket]
        work = self._works.kernel(ticket, band, uses) if user == "forward" else self._copy(user, ticket, band, uses)
        self._count("work", work.name)
        for use in uses:
            if use.leaves is not None:
                self._bringing[band, use.page] = work
        if stream is None:
            self._transferred.update((ticket, band, use.page) for use in uses)
            self.device.transfer(work)
            return
        self.device.begin(ticket, stream)
        self.device.launch(work)
        self._under_way.add(ticket)

    def _end(self, tickets: Iterable[int]) -> None:
        """No more is launched for these tickets, as far as anybody knows now."""
        for ticket in tickets:
            if ticket in self._under_way:
                self._under_way.remove(ticket)
                self.device.end(ticket)

    def _copy(self, user: str, ticket: int, band: int, uses: list[Use]) -> Work:
        # bytes that come from elsewhere overwrite whatever is there
        uses = [use if use.leaves is None else use._replace(finds=None) for use in uses]
        way = "out" if uses[0].leaves is None else "in"
        return self._works.copy(f"{user} {way}", ticket, band, uses)

    def _shown(self, band: int, page: int) -> int:
        """What whoever comes behind all that was launched finds in a page."""
        s = self.state
        shown: int = s.arriving[band, page] if s.flying[band, page] else s.bytes[band, page]
        return shown

    def _landed(self, ticket: int, band: int, page: int, value: int) -> None:
        flight = self.flights.get((band, page))
        # what was settled has landed on record, and a later write takes the place of an earlier one
        if flight is not None and flight[0] == ticket and flight[2] == value:
            self.allocator.land(band, [page])
            self._arrive((band, page))
            self._count("land", "done")

    def _arrive(self, place: Place) -> None:
        _, vid, _ = self.flights.pop(place)
        self._bringing.pop(place, None)
        if vid in self._written[place[0]]:
            self._arrived[place[0]][vid] = None

    def _wiped(self, band: int, ids: Sequence[int]) -> None:
        super()._wiped(band, ids)
        self._firsts.update({(band, vid): ZERO for vid in ids})

    def _forget_the_dead(self, band: int, ids: Sequence[int]) -> None:
        super()._forget_the_dead(band, ids)
        for vid in ids:
            if not self.state.refs[band, vid]:
                self._firsts.pop((band, vid), None)

    def _read_back(self) -> None:
        """Nothing: what lies in memory at a moment is what was done so far."""

    def _run(self, forced: Callable[[], object]) -> None:
        try:
            forced()
        except Race as race:
            raise Violation("race-free", str(race)) from race
        except Violation:
            raise
        except Exception as error:
            raise Violation("crash", f"the device's work raised {type(error).__name__}: {error}") from error

    def _made(self, name: str, make: Callable[..., Result], *arguments: Any, **named: Any) -> Result | None:
        before = self.runtime.host_waits
        result = super()._made(name, make, *arguments, **named)
        if self.runtime.host_waits > before:
            raise Violation("no-host-sync", f"{name} waited for the device")
        return result

    # ----------------------------------------------------------------------------------------------------- findings

    def _misled(self, ticket: int, band: int, use: Use, found: int) -> None:
        problem = f"ticket {ticket} was given page {use.page} of band {band} for id {use.vid}; its kernel finds {found}"
        raise Violation("content", problem)

    def _misread(self, ticket: int, band: int, use: Use, byte: int) -> None:
        seen = f"ticket {ticket} reads id {use.vid} of band {band}, at page {use.page}"
        raise self._wrong(band, use.vid, use.page, byte, seen)

    def _lost(self, band: int, vid: int, page: int, byte: int) -> Violation:
        return self._wrong(band, vid, page, byte, f"id {vid} of band {band}, at page {page}, has done everything")

    def _wrong(self, band: int, vid: int, page: int, byte: int, seen: str) -> Violation:
        """What a wrong byte means: something older of the page's own, or something that never was."""
        first = self._firsts.get((band, vid))
        for value, author in self._authors.items():
            is_own = author == (band, vid) and first is not None and value >= first
            if is_own and self._memory.looks_like(band, page, byte, value):
                return Violation("content", f"{seen}: from byte {byte} on something older is there")
        return Violation("no-foreign-bytes", f"{seen}: from byte {byte} on there is what nobody wrote to it")


class SimulatedStage(LateStage):
    """The stage on a simulated device, which finds races.

    Where a page is given against the rules, it is used; and what breaks without being promised lets the device do all
    that it was asked for. So bytes race if they can.
    """

    def _workshop(self) -> Workshop:
        assert isinstance(self.built, SimulatedBuilt)  # a simulated target builds it
        device = self.built.device
        self._agents = device.simulated.agents
        tables = [self.allocator.page_table(band).numpy() for band in self.bands]
        works = Works(device, self._memory, tables, self._landed, self._misread, self._misled)
        return Workshop(device, device.simulated, works)

    def _next(self, choice: int) -> int:
        return self.schedule.chosen(choice, self._agents())

    def _take(self, record: r.AnyRecord) -> None:
        try:
            super()._take(record)
        except Violation as violation:
            if violation.property not in self._promises:
                self._run(self.runtime.run_all)
            raise

    def hold(self, ticket: int, band: int, ids: Sequence[int], mode: r.Mode) -> bool:
        """See `Stage.hold`.

        Raises:
            Violation: `race-free` where the allocator should not have given these pages and bytes race when they are
                used; what the judge found where none do.
        """
        try:
            return super().hold(ticket, band, ids, mode)
        except Violation as violation:
            if violation.finding is not None and violation.finding.blame == "driver":
                self._use(ticket, band, ids, mode)
            raise

    def _use(self, ticket: int, band: int, ids: Sequence[int], mode: r.Mode) -> None:
        """Do everything, and with it what a ticket does that reads or writes all that it was given."""
        user, stream = self.tickets[ticket]
        touches = [
            self.device.page_touch(band, page, writes=mode == "write")
            for page in self.allocator.translate(band, ids).tolist()
        ]
        work = Work(f"{user} {mode}s", (Piece(lambda: None, lambda: touches),), ticket)
        if stream is None:
            self.device.transfer(work)
        else:
            self.device.begin(ticket, stream)
            self.device.launch(work)
        self._run(self.runtime.run_all)

    def release_memory(self) -> bool:
        """See `Stage.release_memory`; where the bytes are gone and should not be, somebody else writes to all pages."""
        try:
            return super().release_memory()
        except Violation:
            if not self.device.arena.numel():
                every_page = Touch(ARENA, self.device.chain.base, self.device.chain.capacity, True, "every page")
                work = Work("somebody else writes", (Piece(lambda: None, lambda: (every_page,)),))
                self.device.runtime.launch("a stream of somebody else's", work)
                self._run(partial(self.runtime.run_through, work))
                self._run(self.runtime.run_all)
            raise
