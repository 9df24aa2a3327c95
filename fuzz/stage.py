"""The stage: one allocator, its judge and its bytes. Calls are made here, logged, judged, and contents read back."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar

from events import records as r
from fuzz import script
from fuzz.boundaries import ID_AGAIN, LAST_ID, boundaries_of
from fuzz.contents.memory import Memory
from fuzz.coverage import Coverage
from fuzz.listening import ListeningJudge
from fuzz.malformed import CASES
from fuzz.needs import in_need_of_bytes
from fuzz.oracle import admission
from fuzz.oracle.situation import Situation
from fuzz.setups import Setup
from fuzz.tables import check_replica, check_tables
from fuzz.targets.protocol import Built, Target
from fuzz.violation import Violation
from fuzz.watch import Watch
from impl.misuse import Misuse
from impl.plan import Grant, Plan, Refusal
from spec.judge.arena import JudgedArena
from spec.judge.page_actions import PAGE_ACTIONS
from spec.state import WRITE

Result = TypeVar("Result")
Logged = list[Any]
"""A call with the numbers that were used: its type in `fuzz.script`, its fields, and what an allocation gave."""

Place = tuple[int, int]
"""A band and a physical page of it."""

_NAMES: Final = {call: str(call.__struct_config__.tag) for call in script.CALLS}

_ACTIONS: Final = {kind: action.name for kind, (action, _) in PAGE_ACTIONS.items()}

_BESIDE_BOUNDARIES: Final = frozenset(
    {r.Allocate, r.Refused, r.Compact, r.Open, r.Hold, r.Issue, r.Land, r.Share, r.Drain}
)
"""The records after which an arena is at the boundaries where it was."""

_BESIDE_ADMISSION: Final = frozenset(
    {
        *(r.Allocate, r.Refused, r.Compact, r.Open, r.Share, r.Drain, r.Issue, r.Land),
        *(r.GrewLow, r.GrewHigh, r.AbsorbedLow, r.AbsorbedHigh, r.Appeared),
    }
)
"""The records after which the same pages live and are held, and the same publishers are there."""


def on_record(refusal: Refusal) -> r.Refused:
    """A refusal as the trace should have it."""
    return r.Refused(refusal.reason, list(refusal.tickets), list(refusal.publishers), list(refusal.evict))


class Stage:
    """Makes the calls of a driver on a new allocator and watches what comes of them.

    A call gives what the allocator gave, or None where it was rejected as a misuse. Anything that must be true and is
    not raises `Violation`, and the stage must not be used again.

    The driver's own side of the contract is kept here: a ticket writes only to pages that it was given to write, and
    completes only when all its writes have landed.
    """

    def __init__(self, target: Target, setup: Setup, watch: Watch, keep_records: bool = False) -> None:
        self.setup, self.watch = setup, watch
        self.log: list[Logged] = []
        self.rejected: set[int] = set()
        """Places in the log of the calls that were rejected as a misuse."""
        self.records: list[r.AnyRecord] | None = [] if keep_records else None
        self.calls = 0
        self.tickets: dict[int, tuple[str, str | None]] = {}
        """Of each outstanding ticket its user and stream."""
        self.flights: dict[Place, tuple[int, int, int]] = {}
        """Of each page with a write in flight: the ticket, the id it was given for, the value."""
        # in turn, and counted in the end, which costs less than counting at once
        self._outcomes: list[tuple[str, str]] = []
        self._operations: list[tuple[str, str]] = []
        self._boundaries: list[str] = []
        # at which the arena is; none if that is to be looked up again
        self._at: list[str] | None = None
        # the page actions in turn; how many of a release's were the last reference's
        self._trail: list[str] = []
        self._freed = self._unshared = 0
        self._judge = ListeningJudge()
        # of each ticket: the pages that it was given to write, by band and id; those whose contents it reads
        self._given: dict[int, dict[tuple[int, int], int]] = {}
        self._reads: dict[int, dict[Place, int]] = {}
        self._values = 0
        # of the call that is being made: the bands of which pages moved, the tickets settled, the refusal on record
        self._moved: set[int] = set()
        self._moved_bytes = 0
        self._settled: list[int] = []
        self._refused: r.Refused | None = None
        self._decides = bool(admission.PROPERTIES & target.promises)
        # what matters for admission; none if that is to be looked up again
        self._case: Situation | None = None
        self.has_memory = True
        """Whether the arena has bytes."""
        self.built = built = target.build(setup.layout, setup.arena_bytes, self._land_all, self._take)
        self.allocator = built.allocator
        self.bands = range(len(built.allocator.chain.bands))
        self._memory = self._memory_of(built)
        # virtual pages to which something was written since they were handed out: the others promise no contents
        self._written: list[dict[int, None]] = [{} for _ in self.bands]
        # those of which something has arrived
        self._arrived: list[dict[int, None]] = [{} for _ in self.bands]
        # those that were handed out so far, and the last that can be
        self._minted: list[set[int]] = [set() for _ in self.bands]
        self._last_ids = [band.limit - 1 for band in built.allocator.chain.bands]

    def _memory_of(self, built: Built) -> Memory:
        """The arena's bytes as the driver writes and reads them."""
        return Memory(built)

    @property
    def state(self) -> JudgedArena:
        """What the judge knows."""
        state = self._judge.state
        assert state is not None  # the recorder begins with a snapshot
        return state

    def coverage(self) -> Coverage:
        """What was exercised so far."""
        judge, names = self._judge, [_NAMES[call[0]] for call in self.log]
        return Coverage(
            Counter(judge.actions),
            Counter(self._outcomes),
            Counter(self._operations),
            judge.why(),
            Counter(self._boundaries),
            Counter(pairwise(self._trail)),
            Counter(pairwise(names)),
        )

    def given_to(self, ticket: int) -> list[tuple[int, int]]:
        """The pages that a ticket was given to write, by band and id."""
        return list(self._given.get(ticket, ()))

    def note(self, operation: str, outcome: str) -> None:
        """Count what came of an operation."""
        self._operations.append((operation, outcome))

    # ------------------------------------------------------------------------------------------------------- calls

    def allocate(
        self,
        demand: Sequence[int],
        settle: Sequence[int] = (),
        originals: Sequence[Sequence[int]] = (),
        *,
        wipe: bool = False,
    ) -> list[list[int]] | Refusal | None:
        """The new ids of each band, or why there are none.

        The first of a band are copies of its originals; the others begin as zeros if they are to be wiped.
        """
        copied = [list(ids) for ids in originals]
        logged = self._logged(script.Allocate, list(demand), list(settle), copied, wipe, None)
        case = self._situation() if self._decides else None
        first = self._writers_of(copied, settle) if copied and settle else []
        result = self._made("allocate", self.allocator.allocate, demand, settle, copied or None, wipe=wipe)
        if case is not None and result is not None:
            self._check_admission(case, demand, settle, first, result)
        if result is None or isinstance(result, Refusal):
            if result is not None:
                self._count("allocate", result.reason)
            self._look()
            return result
        given: list[list[int]] = [ids.tolist() for ids in result.ids]
        logged[-1] = given
        self._note_ids(given)
        self._count("allocate", f"step {result.plan.step}{' settling' if result.plan.settle else ''}")
        if any(copied):
            for band, (ids, new) in enumerate(zip(copied, given, strict=False)):
                self._copied(band, ids, new)
            self._count("allocate", f"copies{' behind their writers' if first else ''}")
        if wipe:
            for band, new in enumerate(given):
                self._wiped(band, new[len(copied[band]) if copied else 0 :])
            self._count("allocate", "wiped")
        self._look()
        # the caller may change what it is given, and the log may not
        return [list(ids) for ids in given]

    def _writers_of(self, originals: Sequence[Sequence[int]], settle: Sequence[int]) -> list[int]:
        """Those of some tickets that hold originals for writing: they have to be settled before these are copied."""
        s = self.state
        places = [(band, s.page_of[band, vid]) for band, ids in enumerate(originals) if band < s.bands for vid in ids]
        return [ticket for ticket in settle if any(s.held[ticket, band, page] == WRITE for band, page in places)]

    def _note_ids(self, given: Sequence[Sequence[int]]) -> None:
        for minted, last, ids in zip(self._minted, self._last_ids, given, strict=True):
            if not minted.isdisjoint(ids):
                self._boundaries.append(ID_AGAIN)
            if last in ids:
                self._boundaries.append(LAST_ID)
            minted.update(ids)

    def _copied(self, band: int, originals: Sequence[int], copies: Sequence[int]) -> None:
        """A copy shows what its original showed, so it has contents to be read back if the original had."""
        written, arrived = self._written[band], self._arrived[band]
        for original, copy in zip(originals, copies, strict=False):
            if original in written:
                written[copy] = None
            if original in arrived:
                arrived[copy] = None
        self._moved.update([band] if originals else [])

    def _wiped(self, band: int, ids: Sequence[int]) -> None:
        """What was wiped shows zeros, and that can be read back."""
        for vid in ids:
            self._written[band][vid] = self._arrived[band][vid] = None
        self._moved.update([band] if ids else [])

    def would_fit(self, demand: Sequence[int], settle: Sequence[int] = ()) -> bool:
        """Whether the allocator says that it would meet a demand; the answer must be as if it were made."""
        return self.step_for(demand, settle) is not None

    def step_for(self, demand: Sequence[int], settle: Sequence[int] = ()) -> int | None:
        """The step by which the allocator says that it would meet a demand; none if it says that it would not."""
        self._logged(script.Plan, list(demand), list(settle))
        result = self._made("plan", self.allocator.plan, demand, settle)
        if result is None:
            return None
        if self._decides:
            self._check_plan(self._situation(), demand, settle, result)
        step = result.step if isinstance(result, Plan) else None
        self._count("plan", "does not fit" if step is None else "fits")
        return step

    def share(self, band: int, ids: Sequence[int]) -> bool:
        """One more reference to each; whether it was taken."""
        self._logged(script.Share, band, list(ids))
        return self._plain("share", self.allocator.share, band, ids)

    def release(self, band: int, ids: Sequence[int]) -> bool:
        """One reference less to each; whether it was taken."""
        self._logged(script.Release, band, list(ids))
        taken = self._taken("release", "done", self.allocator.release, band, ids)
        if taken:
            self._forget_the_dead(band, ids)
        self._look()
        return taken

    def clear(self) -> bool:
        """Whether all references to all pages were given up."""
        self._logged(script.Clear)
        alive = list(self.state.refs)
        taken = self._taken("clear", "done", self.allocator.clear)
        if taken:
            for band, vid in self.state.refs:
                raise Violation("references", f"id {vid} of band {band} is alive, and every reference was given up")
            for band, vid in alive:
                self._forget_the_dead(band, [vid])
        self._look()
        return taken

    def open(self, user: r.User, stream: str | None = None, waits: Sequence[int] = ()) -> int | None:
        """The number of the new ticket."""
        self._logged(script.Open, self.allocator.next_ticket, user, stream, list(waits))
        ticket = self._made("open", self.allocator.open, user, stream, waits)
        if ticket is not None:
            self.tickets[ticket] = user, stream
            self._given[ticket], self._reads[ticket] = {}, {}
            self._count("open", user)
        self._look()
        return ticket

    def hold(self, ticket: int, band: int, ids: Sequence[int], mode: r.Mode) -> bool:
        """Whether the ticket was given the pages of these ids."""
        self._logged(script.Hold, ticket, band, list(ids), mode)
        pages = self._made("hold", self.allocator.hold, ticket, band, ids, mode)
        if pages is None:
            self._look()
            return False
        page_of, given, reads, arrived = (
            self.state.page_of,
            self._given[ticket],
            self._reads[ticket],
            self._arrived[band],
        )
        for vid, page in zip(ids, pages.tolist(), strict=True):
            if page != page_of[band, vid]:
                problem = f"id {vid} of band {band} lives at page {page_of[band, vid]}, and ticket {ticket} got {page}"
                raise Violation("holders-know-tenant", problem)
            if mode == "write":
                given[band, vid] = page
            elif vid in arrived:
                reads[band, page] = vid
        self._count("hold", f"{self.tickets[ticket][0]} {mode}")
        self._look()
        return True

    def issue(self, ticket: int, band: int, ids: Sequence[int]) -> None:
        """The ticket writes a new value to each page that it was given to write for these ids."""
        given = self._given.get(ticket, {})
        ids = [vid for vid in dict.fromkeys(ids) if (band, vid) in given]
        if not ids:
            return
        self._logged(script.Issue, ticket, band, ids)
        pages = [given[band, vid] for vid in ids]
        values = list(range(self._values + 1, self._values + 1 + len(ids)))
        self._values += len(ids)
        self.allocator.issue(ticket, band, pages, values)
        references, page_of = self.state.refs, self.state.page_of
        for vid, page, value in zip(ids, pages, values, strict=True):
            self.flights[band, page] = ticket, vid, value
            if references[band, vid] and page_of[band, vid] == page:
                self._written[band][vid] = None
        self._count("issue", "done")
        self._look()

    def land(self, ticket: int, band: int, ids: Sequence[int]) -> None:
        """What the ticket wrote to the pages given for these ids arrives, where it is still in flight."""
        given = self._given.get(ticket, {})
        pages = [given[band, vid] for vid in dict.fromkeys(ids) if (band, vid) in given]
        pages = [page for page in pages if self.flights.get((band, page), (None,))[0] == ticket]
        if not pages:
            return
        self._logged(script.Land, ticket, band, [self.flights[band, page][1] for page in pages])
        self._bring(band, pages)
        self._look()

    def _bring(self, band: int, pages: Sequence[int]) -> None:
        """The writes in flight to these pages arrive."""
        self.allocator.land(band, pages)
        for page in pages:
            self._arrive((band, page))
        self._count("land", "done")

    def complete(self, ticket: int) -> bool:
        """Whether the ticket was retired; what it wrote lands before."""
        for band in self.bands:
            self.land(ticket, band, [vid for where, vid in self._given.get(ticket, ()) if where == band])
        self._logged(script.Complete, ticket)
        self._read_what_is_held(ticket)
        return self._completed(ticket)

    def _completed(self, ticket: int) -> bool:
        user = self.tickets.get(ticket, ("nobody",))[0]
        taken = self._taken("complete", user, self.allocator.complete, ticket)
        if taken:
            self._retired(ticket)
        self._look()
        return taken

    def quarantine(self, ticket: int) -> bool:
        """Whether the ticket was put in quarantine; what it writes may still land."""
        self._logged(script.Quarantine, ticket)
        return self._plain("quarantine", self.allocator.quarantine, ticket)

    def settle(self, ticket: int) -> bool:
        """Whether the ticket was retired."""
        self._logged(script.Settle, ticket)
        user = self.tickets.get(ticket, ("nobody",))[0]
        taken = self._taken("settle", user, self.allocator.settle, ticket)
        if taken:
            self._retired(ticket)
            self._settled.append(ticket)
        self._look()
        return taken

    def drain(self) -> bool:
        """The allocator's stream has caught up."""
        self._logged(script.Drain)
        return self._plain("drain", self.allocator.drain)

    def publish(self, who: str) -> bool:
        """Whether the name was put down."""
        self._logged(script.Publish, who)
        return self._plain("publish", self.allocator.publish, who)

    def unpublish(self, who: str) -> bool:
        """Whether the name was struck out."""
        self._logged(script.Unpublish, who)
        return self._plain("unpublish", self.allocator.unpublish, who)

    def compact(self, budget: int) -> int | None:
        """The bytes that were moved."""
        self._logged(script.Compact, budget)
        moved = self._made("compact", self.allocator.compact, budget)
        if moved is not None:
            self._count("compact", "moved" if moved else "nothing to move")
        self._look()
        return moved

    def release_memory(self) -> bool:
        """Whether the arena's bytes were given back."""
        self._logged(script.ReleaseMemory)
        needs = in_need_of_bytes(self.state, self.tickets)
        if not self._plain("release memory", self.allocator.release_memory):
            if self.has_memory and not needs:
                raise Violation("agreement", "the allocator keeps the arena's bytes, which nobody needs")
            return False
        for broken, by in needs:
            raise Violation(broken, f"the arena's bytes were given back under {by}")
        self.has_memory = False
        return True

    def resume_memory(self) -> bool:
        """Whether there are bytes again that were given back."""
        self._logged(script.ResumeMemory)
        taken = self._taken("resume memory", "done", self.allocator.resume_memory)
        if taken:
            self.has_memory = True
            if not self._memory.renew():
                raise Violation("no-foreign-bytes", "the memory came back with something in the sink")
        self._look()
        return taken

    def malformed(self, case: str) -> None:
        """Make a call that is not even well-formed; it must be rejected."""
        self._logged(script.Malformed, case)
        if self._plain("malformed", CASES[case], self.allocator):
            raise Violation("agreement", f"a malformed call was taken instead of rejected: {case}")

    # -------------------------------------------------------------------------------------------------- what follows

    def meanwhile(self, draws: Sequence[int]) -> None:
        """Between two operations a device may get on with its work. Here it has done everything at once."""

    def reschedule(self, draws: Sequence[int]) -> str:
        """From now on a device works in an order of another sort: which. Here nothing is left to be put in order."""
        return "at once"

    def advance(self, choice: int) -> None:
        """A device does one piece of its work. Here nothing is left to be done."""

    def check_everything(self) -> None:
        """Compare all tables, if the watch wants that at all, and read all contents now."""
        if self.watch.tables_every:
            check_tables(self.allocator, self.state)
        check_replica(self.allocator, self.state)
        self._read_all()

    def _logged(self, *call: Any) -> Logged:
        logged = list(call)
        self.log.append(logged)
        if self._moved:
            self._moved, self._moved_bytes = set(), 0
        if self._settled:
            self._settled = []
        self._refused = None
        return logged

    def _take(self, record: r.AnyRecord) -> None:
        if self.records is not None:
            self.records.append(record)
        judge = self._judge
        finding = judge.take(record)
        if finding is not None:
            raise Violation(finding.check, finding.problem, finding)
        kind = type(record)
        if kind is r.End:
            return
        if kind not in _BESIDE_BOUNDARIES:
            self._at = None
        if kind not in _BESIDE_ADMISSION:
            self._case = None
        # which page actions it was, if any; the call of a misuse was none
        if judge.is_rejecting:
            judge.is_rejecting = False
        elif kind in _ACTIONS:
            self._trail.append(_ACTIONS[kind])
        elif kind is r.Release:
            self._follow_release(judge.actions)
        if kind is r.Moved:
            self._moved.add(record.band)  # type: ignore[union-attr]  # its kind is known
            size = self.allocator.chain.page_bytes[record.band]  # type: ignore[union-attr]  # its kind is known
            self._moved_bytes += len(record.sources) * size  # type: ignore[union-attr]  # its kind is known
        elif kind is r.Settled:
            self._settled.append(record.ticket)  # type: ignore[union-attr]  # its kind is known
            self._retired(record.ticket)  # type: ignore[union-attr]  # its kind is known
        elif kind is r.Refused:
            self._refused = record  # type: ignore[assignment]  # its kind is known

    def _follow_release(self, actions: Counter[str]) -> None:
        """A release may leave a reference to some pages and give up the last one of others."""
        freed, unshared = actions["free"], actions["unshare"]
        if unshared > self._unshared:
            self._trail.append("unshare")
        if freed > self._freed:
            self._trail.append("free")
        self._freed, self._unshared = freed, unshared

    def _made(self, name: str, make: Callable[..., Result], *arguments: Any, **named: Any) -> Result | None:
        """What a call gave; None if it was rejected."""
        try:
            return make(*arguments, **named)
        except Misuse:
            self.rejected.add(len(self.log) - 1)
            self._count(name, "rejected" if self.has_memory else "rejected without memory")
            return None
        except Violation:
            raise
        except Exception as error:
            raise Violation("crash", f"{name} raised {type(error).__name__}: {error}") from error

    def _taken(self, name: str, outcome: str, make: Callable[..., object], *arguments: Any) -> bool:
        """Whether a call was taken that gives nothing; it is counted, and not looked after yet."""
        self._made(name, make, *arguments)
        if len(self.log) - 1 in self.rejected:
            return False
        self._count(name, outcome)
        return True

    def _plain(self, name: str, make: Callable[..., object], *arguments: Any) -> bool:
        """Whether a call was taken of which nothing follows."""
        taken = self._taken(name, "done", make, *arguments)
        self._look()
        return taken

    def _count(self, name: str, outcome: str) -> None:
        self._outcomes.append((name, outcome))

    def _forget_the_dead(self, band: int, ids: Sequence[int]) -> None:
        references = self.state.refs
        for vid in ids:
            if not references[band, vid]:
                self._written[band].pop(vid, None)
                self._arrived[band].pop(vid, None)

    def _retired(self, ticket: int) -> None:
        self.tickets.pop(ticket, None)
        self._given.pop(ticket, None)
        self._reads.pop(ticket, None)

    def _land_all(self, ticket: int) -> None:
        for place in [place for place, flight in self.flights.items() if flight[0] == ticket]:
            self._arrive(place)

    def _arrive(self, place: Place) -> None:
        _, vid, value = self.flights.pop(place)
        self._memory.write(*place, value)
        if vid in self._written[place[0]]:
            self._arrived[place[0]][vid] = None

    # ----------------------------------------------------------------------------------------------------- checks

    def _situation(self) -> Situation:
        """What matters for admission now. It is the same from one question to the next, since these change nothing."""
        if self._case is None:
            self._case = Situation(self.state)
        return self._case

    def _check_admission(
        self,
        case: Situation,
        demand: Sequence[int],
        settle: Sequence[int],
        first: Sequence[int],
        result: Grant | Refusal,
    ) -> None:
        """By what the trace says that was done, not by what the allocator says that it had planned."""
        if isinstance(result, Grant):
            met = admission.Met(result.plan.step, self._settled, self._moved)
            admission.check_grant(case, demand, settle, met, first)
            if result.plan.bytes_moved != self._moved_bytes:
                said = f"a plan says that it moves {result.plan.bytes_moved} bytes"
                raise Violation("agreement", f"{said}, and {self._moved_bytes} were moved")
        elif self._refused is not None:
            admission.check_refusal(case, demand, settle, self._refused)
            if self._refused != on_record(result):
                raise Violation("agreement", f"the refusal on record is {self._refused}, and the caller got {result}")

    def _check_plan(
        self, case: Situation, demand: Sequence[int], settle: Sequence[int], result: Plan | Refusal
    ) -> None:
        if isinstance(result, Plan):
            met = admission.Met(result.step, result.settle, {move.band for move in result.moves})
            admission.check_grant(case, demand, settle, met)
        else:
            admission.check_refusal(case, demand, settle, on_record(result))

    def _look(self) -> None:
        """After each call: what moved is read back at once, the rest as often as the watch says."""
        self.calls += 1
        if self._at is None:
            self._at = boundaries_of(self.state)
        if self._at:
            self._boundaries += self._at
        watch = self.watch
        if watch.tables_every and self.calls % watch.tables_every == 0:
            check_tables(self.allocator, self.state)
        if watch.contents_every and (self._moved or self._settled or self.calls % watch.contents_every == 0):
            self._read_back()

    def _read_back(self) -> None:
        """Look at the page tables that kernels read, and at all that was written."""
        check_replica(self.allocator, self.state)
        self._read_all()

    def _read_what_is_held(self, ticket: int) -> None:
        """A ticket found in the pages that it read what it should, also where they were given up meanwhile."""
        contents, memory = self.state.bytes, self._memory
        for (band, page), vid in self._reads.get(ticket, {}).items():
            value = contents[band, page]
            if not memory.shows(band, page, value):
                byte = memory.first_wrong_byte(band, page, value)
                problem = (
                    f"page {page} of band {band}, which ticket {ticket} reads for id {vid}, changed at byte {byte}"
                )
                raise Violation("held-bytes-frozen", problem)

    def _read_all(self) -> None:
        s, memory = self.state, self._memory
        page_of, flying, contents, shows = s.page_of, s.flying, s.bytes, memory.shows
        for band, written in enumerate(self._written):
            for vid in written:
                place = band, page_of[band, vid]
                if place not in flying and not shows(*place, contents[place]):
                    raise self._lost(band, vid, place[1], memory.first_wrong_byte(*place, contents[place]))
        if not memory.sink_is_untouched():
            raise Violation("inside-arena", "somebody wrote below the arena's first page, where the sink is")

    def _lost(self, band: int, vid: int, page: int, byte: int) -> Violation:
        """What it means that a page does not show, from a byte of the arena on, what was written to it."""
        problem = f"id {vid} of band {band}, at page {page}, lost what was written to it, from byte {byte}"
        return Violation("content", problem)
