"""Drives SGLang's unified-memory allocator through its public calls, as its scheduler would, always at the edge."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from random import Random
from typing import Any, Final

import torch

from fuzz.peers.inside.driver import SKIPPED, Broken, Call, Target
from fuzz.peers.inside.tape import Tape
from fuzz.peers.inside.witness import BandMade, Chain, Place, Witness, Work
from fuzz.targets.sglang.building import IS_OLD, SETUPS, built
from fuzz.targets.sglang.faults import FAULTS
from fuzz.targets.sglang.members import Member
from fuzz.targets.sglang.promises import EXPECTS, LEAVES_OUT, PROMISES
from fuzz.targets.sglang.streams import Event, Stream

PARTS: Final = (("state", "mamba_allocator"), ("window", "swa_attn_allocator"), ("full", "full_attn_allocator"))
"""Our kinds in the order of a chain, and what SGLang calls their parts."""

MOVE_CAPS: Final = (1, 2, 3, 16, 1000)
"""Pages that an idle flush may move; the same for one life."""

EMPHASES: Final = (0, 1, 1, 2, 5)
"""Each kind of call is rarer or more frequent in one life than in another, or absent from it."""


Spot = tuple[str, int]
"""What was given under a label, and a place in it."""


@dataclass
class Given:
    """What one label names: the ids that were given, in order, and which of them are gone.

    Attributes:
        ids: virtual pages of tokens, or state slots.
        tokens: how many are in use; the last page may have room for more.
        gone: places of those that were freed.
        windowless: places of those whose window side was freed.
    """

    ids: list[int]
    tokens: int = 0
    gone: set[int] = field(default_factory=set)
    windowless: set[int] = field(default_factory=set)


class SGLangDriver:
    """One allocator; see `fuzz.peers.inside.driver.Driver`."""

    def __init__(self, setup: str, tape: Tape) -> None:
        self.allocator = built(setup)
        self.lazy = bool(self.allocator.lazy_compaction)
        self.members = [Member(kind, getattr(self.allocator, part)) for kind, part in _parts(self.allocator)]
        self.band = {member.kind: number for number, member in enumerate(self.members)}
        self.part = {member.kind: member.part for member in self.members}
        self.page_tokens = int(self.allocator.page_size)
        self.forwards = Stream()
        if not self.lazy:
            for member in self.members:
                member.part.forward_stream = self.forwards
        arena = memoryview(self.allocator.unified_buffer._raw.numpy()).cast("B")
        self.witness = Witness(tape, self._chain(setup), arena, lambda: [member.look() for member in self.members])
        self.pages: dict[str, Given] = {}
        self.states: dict[str, Given] = {}
        self.event: Event | None = None
        self.flying: Work | None = None
        self.open_gates = {"disagg": True, "host": True}
        self.gates: list[str] = []
        if self.lazy:
            self._install("disagg", "set_disagg_move_gate")
            self._install("host", "set_host_transfer_move_gate")
        self._calls: dict[str, Callable[..., str]] = {
            "cap": self._cap,
            "alloc": self._alloc,
            "extend": self._extend,
            "decode": self._decode,
            "state": self._state,
            "free": self._free,
            "free-window": self._free_window,
            "free-state": self._free_state,
            "clear": self._clear,
            "flush": self._flush,
            "urgent": self._urgent,
            "make-room": self._make_room,
            "pack": self._pack,
            "ensure": self._ensure,
            "forward": self._forward,
            "land": self._land,
            "publish": self._publish,
            "unpublish": self._unpublish,
        }
        self._choices: dict[str, Callable[[Random], Sequence[Any]]] = {
            "alloc": self._choose_alloc,
            "extend": self._choose_extend,
            "decode": self._choose_decode,
            "state": self._choose_state,
            "free": self._choose_free,
            "free-window": self._choose_free_window,
            "free-state": self._choose_free_state,
            "urgent": self._choose_urgent,
            "make-room": self._choose_make_room,
            "pack": self._choose_pack,
            "ensure": self._choose_ensure,
            "forward": self._choose_forward,
            "publish": self._choose_publish,
            "unpublish": self._choose_unpublish,
        }
        self._label = 0
        self._weights: dict[str, int] | None = None

    def _install(self, who: str, setter: str) -> None:
        """A gate, where this release has one for this chain."""
        if hasattr(self.allocator, setter):
            getattr(self.allocator, setter)(lambda: self.open_gates[who])
            self.gates.append(who)

    def _chain(self, setup: str) -> Chain:
        first, last = self.members[0], self.members[-1]
        return Chain(
            producer=f"sglang {version('sglang')}",
            model=setup,
            bands=[BandMade(each.kind, each.page_bytes, 0, each.part.page_size) for each in self.members],
            # page 0 of every band is its sink
            base=max(each.page_bytes for each in self.members),
            capacity=self.allocator.unified_buffer.total_bytes,
            bottom=first.part.min_page_index,
            top=last.part.num_pages,
            clean=frozenset() if IS_OLD else frozenset(self.band) - {"state"},
        )

    # ---------------------------------------------------------------------------------------------------- choosing

    def next_call(self, rnd: Random) -> Call:
        """See `Driver`."""
        if self._weights is None:
            self._weights = {name: weight * rnd.choice(EMPHASES) for name, weight in self._possible()}
            if not any(self._weights.values()):
                self._weights = dict(self._possible())
            # in the script, so that it is the same when that is played
            return ["cap", rnd.choice(MOVE_CAPS)]
        name = rnd.choices(list(self._weights), list(self._weights.values()))[0]
        if name == "forward" and self.flying is not None:
            name = "land"
        return [name, *self._choices.get(name, _nothing)(rnd)]

    def _possible(self) -> Iterator[tuple[str, int]]:
        yield from (("alloc", 8), ("free", 9), ("forward", 6), ("land", 3))
        if not IS_OLD:
            yield "ensure", 2
        if self.page_tokens > 1:
            yield from (("extend", 3), ("decode", 4))
        if self.lazy:
            yield from (("flush", 5), ("urgent", 3), ("publish", 1), ("unpublish", 1))
        if "window" in self.band:
            yield "free-window", 6
        if "state" in self.band:
            yield from (("state", 5), ("free-state", 4))
        if len(self.band) == 3:
            yield from (("make-room", 3), ("pack", 1))
        yield "clear", 1

    def _new_label(self) -> str:
        self._label += 1
        return f"r{self._label}"

    def _choose_alloc(self, rnd: Random) -> Sequence[Any]:
        room = self._room()
        few = rnd.randint(1, 5)
        return self._new_label(), max(1, rnd.choice([1, 1, 2, few, few, room, room // 2, room + 1, room + few]))

    def _choose_extend(self, rnd: Random) -> Sequence[Any]:
        growable = [label for label, given in self.pages.items() if _can_grow(given)]
        batch = [
            (rnd.choice(growable) if growable and rnd.random() < 0.6 else self._new_label(), self._some_tokens(rnd))
            for _ in range(rnd.randint(1, 3))
        ]
        return [list({label: (label, tokens) for label, tokens in batch}.values())]

    def _some_tokens(self, rnd: Random) -> int:
        return rnd.randint(1, rnd.choice((1, self.page_tokens, 3 * self.page_tokens, 12 * self.page_tokens)))

    def _choose_decode(self, rnd: Random) -> Sequence[Any]:
        growable = [label for label, given in self.pages.items() if _can_grow(given)]
        return [rnd.sample(growable, min(len(growable), rnd.randint(1, 6)))]

    def _choose_state(self, rnd: Random) -> Sequence[Any]:
        part = self.part["state"]
        count = rnd.choice(
            [1, 1, 2, part.available_size(), part.schedulable_available_size(), part.available_size() + 1]
        )
        return self._new_label(), max(1, count), rnd.random() < 0.5

    def _choose_free(self, rnd: Random) -> Sequence[Any]:
        how = rnd.choice(("plain", "plain", "group", "segment", "full"))
        places = [
            (label, place)
            for label, given in self.pages.items()
            for place in range(len(given.ids))
            if place not in given.gone and self._fits(how, given, place)
        ]
        return how, _sample(rnd, places)

    def _fits(self, how: str, given: Given, place: int) -> bool:
        if how == "full":
            return "window" in self.band and place in given.windowless
        return how != "segment" or place not in given.windowless

    def _choose_free_window(self, rnd: Random) -> Sequence[Any]:
        places = [
            (label, place)
            for label, given in self.pages.items()
            for place in range(len(given.ids))
            if place not in given.gone and place not in given.windowless
        ]
        return rnd.choice(("plain", "segment")), _sample(rnd, places)

    def _choose_free_state(self, rnd: Random) -> Sequence[Any]:
        places = [
            (label, place)
            for label, given in self.states.items()
            for place in range(len(given.ids))
            if place not in given.gone
        ]
        return [_sample(rnd, places)]

    def _choose_urgent(self, rnd: Random) -> Sequence[Any]:
        return [rnd.choice(list(self.band))]

    def _choose_ensure(self, rnd: Random) -> Sequence[Any]:
        full, window = rnd.randint(0, FAR), rnd.randint(0, FAR)
        return (full, full) if rnd.random() < 0.4 else (full, window)

    def _choose_make_room(self, rnd: Random) -> Sequence[Any]:
        return rnd.choice(("low", "high")), rnd.randint(1, self.witness.chain.capacity // 2)

    def _choose_pack(self, rnd: Random) -> Sequence[Any]:
        return [rnd.choice(("low", "high"))]

    def _choose_forward(self, rnd: Random) -> Sequence[Any]:
        places = [
            (label, place)
            for label, given in self.pages.items()
            for place in range(len(given.ids))
            if place not in given.gone
        ]
        chosen = rnd.sample(places, min(len(places), rnd.randint(1, 8)))
        written = rnd.randint(0, 4)
        slots = [
            (label, place)
            for label, given in self.states.items()
            for place in range(len(given.ids))
            if place not in given.gone
        ]
        return chosen[written:], chosen[:written], rnd.sample(slots, min(len(slots), rnd.randint(0, 3)))

    def _choose_publish(self, rnd: Random) -> Sequence[Any]:
        return rnd.choice(("disagg", "host")), self._choose_forward(rnd)[0]

    def _choose_unpublish(self, rnd: Random) -> Sequence[Any]:
        return [rnd.choice(("disagg", "host"))]

    # ------------------------------------------------------------------------------------------------------ making

    def make(self, call: Call) -> str:
        """See `Driver`."""
        return self._calls[call[0]](*call[1:])

    def _cap(self, moves: int) -> str:
        for member in self.members:
            member.part._lazy_max_moves_per_call = moves
        return "done"

    def _alloc(self, label: str, count: int) -> str:
        tokens = count * self.page_tokens
        promised = self._promises(count)

        def ask() -> torch.Tensor | None:
            found: torch.Tensor | None = self.allocator.alloc(tokens)
            return found

        given = self._granted(count, ask, promised, f"alloc({tokens})")
        if given is None:
            return "refused"
        ids = list(dict.fromkeys(token // self.page_tokens for token in given))
        self._must_be_whole(given, ids)
        self.pages[label] = Given(ids, tokens)
        return "granted"

    def _extend(self, batch: list[tuple[str, int]]) -> str:
        chosen = [
            (label, tokens)
            for label, tokens in dict(batch).items()
            if label not in self.pages or _can_grow(self.pages[label])
        ]
        return self._grow(chosen, decode=False)

    def _decode(self, batch: list[str]) -> str:
        chosen = [(label, 1) for label in dict.fromkeys(batch) if label in self.pages and _can_grow(self.pages[label])]
        return self._grow(chosen, decode=True)

    def _grow(self, batch: Sequence[tuple[str, int]], *, decode: bool) -> str:
        """Let requests grow by some tokens each, by the paged calls."""
        if not batch or self.page_tokens == 1:
            return SKIPPED
        before = [self.pages.get(label, Given([])) for label, _ in batch]
        lengths = torch.tensor([given.tokens for given in before])
        grown = torch.tensor([given.tokens + tokens for given, (_, tokens) in zip(before, batch, strict=True)])
        last = torch.tensor([self._last_token(given) for given in before])
        more = sum(tokens for _, tokens in batch)
        count = sum(self._pages(given.tokens + n) - len(given.ids) for given, (_, n) in zip(before, batch, strict=True))
        promised = self._promises(count)

        def ask() -> torch.Tensor | None:
            found: torch.Tensor | None
            if decode:
                found = self.allocator.alloc_decode(grown, grown, last)
            else:
                found = self.allocator.alloc_extend(lengths, lengths, grown, grown, last, more)
            return found

        # an id that was freed may come back
        known = {vid for given in before for place, vid in enumerate(given.ids) if place not in given.gone}
        tokens = self._granted(count, ask, promised, "alloc_decode" if decode else "alloc_extend", known)
        if tokens is None:
            return "refused"
        rest = iter(tokens)
        for given, (label, n) in zip(before, batch, strict=True):
            self._note_growth(given, [next(rest) for _ in range(n)])
            self.pages[label] = given
        return "granted"

    def _note_growth(self, given: Given, tokens: list[int]) -> None:
        """Take the tokens that a request was given, each in its place."""
        for token in tokens:
            place, offset = divmod(given.tokens, self.page_tokens)
            if place == len(given.ids) and offset == 0:
                given.ids.append(token // self.page_tokens)
            if place >= len(given.ids) or token != given.ids[place] * self.page_tokens + offset:
                raise Broken("agreement", f"token {given.tokens} of a request was put at {token}, not in its turn")
            given.tokens += 1

    def _state(self, label: str, count: int, prepared: bool) -> str:
        part = self.part["state"]
        room = max(part.available_size(), part.schedulable_available_size())

        def ask() -> torch.Tensor | None:
            if prepared and not IS_OLD:
                self.allocator.prepare_mamba_allocation(count)
            found: torch.Tensor | None = part.alloc(count)
            return found

        given = self._granted(count, ask, count <= room, f"alloc({count}) of states", kind="state")
        if given is None:
            return "refused"
        self.states[label] = Given(given, count)
        return "granted"

    def _granted(
        self,
        count: int,
        ask: Callable[[], torch.Tensor | None],
        promised: bool,
        what: str,
        known: Collection[int] = (),
        kind: str = "full",
    ) -> list[int] | None:
        """The tokens that the allocator gave when it was asked for so many pages; a promise is held against it."""
        tokens: list[int] | None = None
        size = int(self.part[kind].page_size)

        def make() -> list[list[int]] | None:
            nonlocal tokens
            found = ask()
            if found is None:
                return None
            tokens = found.tolist()
            ids = [vid for vid in dict.fromkeys(token // size for token in tokens) if vid not in known]
            return [ids if self._is_given(kind, each.kind) else [] for each in self.members]

        demand = [count if self._is_given(kind, each.kind) else 0 for each in self.members]
        if self.witness.allocate(demand, make) is None and promised:
            raise Broken("admission-sound", f"{what} was refused, and before it there was said to be room for it")
        return tokens

    def _is_given(self, asked: str, kind: str) -> bool:
        return kind == "state" if asked == "state" else kind != "state"

    def _must_be_whole(self, tokens: list[int], ids: list[int]) -> None:
        if tokens != [vid * self.page_tokens + offset for vid in ids for offset in range(self.page_tokens)]:
            raise Broken("agreement", f"tokens {tokens[:20]} are not whole pages in order")

    def _free(self, how: str, places: list[Spot]) -> str:
        chosen = [
            (label, place)
            for label, place in _each_once(places)
            if self._may_free(label, place) and self._fits(how, self.pages[label], place)
        ]
        if not chosen:
            return SKIPPED
        ids = [self.pages[label].ids[place] for label, place in chosen]
        windows = [self.pages[label].ids[place] for label, place in chosen if place not in self.pages[label].windowless]
        for label, place in chosen:
            self.pages[label].gone.add(place)
        self.witness.release(self._by_band(full=ids, window=windows), lambda: self._give_back(how, ids))
        return how

    def _give_back(self, how: str, ids: list[int]) -> None:
        tokens = self._tokens(ids)
        if how == "group":
            half = len(ids) // 2 * self.page_tokens
            self.allocator.free_group_begin()
            for part in (tokens[:half], tokens[half:]):
                if part.numel():
                    self.allocator.free(part)
            self.allocator.free_group_end()
        elif how == "segment":
            self.allocator.free_segment(tokens, start_pos=0)
        elif how == "full":
            self.allocator.free_full(tokens)
        else:
            self.allocator.free(tokens)

    def _free_window(self, how: str, places: list[Spot]) -> str:
        chosen = [
            (label, place)
            for label, place in _each_once(places)
            if self._may_free(label, place) and place not in self.pages[label].windowless
        ]
        if not chosen or "window" not in self.band:
            return SKIPPED
        ids = [self.pages[label].ids[place] for label, place in chosen]
        for label, place in chosen:
            self.pages[label].windowless.add(place)
        tokens = self._tokens(ids)
        if how == "segment" and not IS_OLD:
            self.witness.release(
                self._by_band(window=ids), lambda: self.allocator.free_swa_segment(tokens, start_pos=0)
            )
        else:
            self.witness.release(self._by_band(window=ids), lambda: self.allocator.free_swa(tokens))
        return how

    def _free_state(self, places: list[Spot]) -> str:
        chosen = [
            (label, place)
            for label, place in _each_once(places)
            if _is_there(self.states, label, place)
            and not self.witness.users_of((self.band["state"], self.states[label].ids[place]))
        ]
        if not chosen:
            return SKIPPED
        ids = [self.states[label].ids[place] for label, place in chosen]
        for label, place in chosen:
            self.states[label].gone.add(place)
        self.witness.release(self._by_band(state=ids), lambda: self.part["state"].free(torch.tensor(ids)))
        return "done"

    def _clear(self) -> str:
        if self.witness.open:
            return SKIPPED
        seen = {number: list(each.table) for number, each in enumerate(self.witness.seen)}
        self.witness.release(seen, self.allocator.clear)
        self.pages, self.states = {}, {}
        return "done"

    # ------------------------------------------------------------------------------------------------------- moving

    def _flush(self) -> str:
        return self._moving(self.allocator.flush_opportunistic)

    def _urgent(self, kind: str) -> str:
        if kind not in self.part:
            return SKIPPED
        part = self.part[kind]
        return self._moving((lambda: part._flush(urgent=True)) if IS_OLD else part.flush_for_allocation)

    def _make_room(self, side: str, nbytes: int) -> str:
        return self._moving(lambda: self.part["window"].make_room(side=side, min_bytes=nbytes))

    def _pack(self, side: str) -> str:
        return self._moving(lambda: self.part["window"].compact_holes(retreat_side=side))

    def _moving(self, make: Callable[[], object]) -> str:
        before = [dict(seen.table) for seen in self.witness.seen]
        self.witness.rearrange(make)
        if before != [dict(seen.table) for seen in self.witness.seen]:
            return "moved"
        return "idle" if all(self.open_gates.values()) else "gated"

    def _ensure(self, full: int, window: int) -> str:
        if "window" not in self.band:
            return SKIPPED
        full, window = full * self.page_tokens, window * self.page_tokens
        said = self.allocator.can_reserve(full, window)
        done = False

        def make() -> None:
            nonlocal done
            done = self.allocator.ensure_capacity(full, window)

        self.witness.rearrange(make)
        asked = f"({full}, {window})"
        if said and not done:
            raise Broken("admission-sound", f"can_reserve{asked} is True and ensure_capacity{asked} is False")
        if done and not self.allocator.can_reserve(full, window):
            raise Broken("admission-sound", f"ensure_capacity{asked} is True and then can_reserve{asked} is False")
        if done and full == window and full > self.allocator.available_size():
            available = self.allocator.available_size()
            raise Broken("admission-sound", f"ensure_capacity{asked} is True and then only {available} are available")
        return "yes" if done else "no"

    # -------------------------------------------------------------------------------------------------------- using

    def _forward(self, reads: list[Spot], writes: list[Spot], states: list[Spot]) -> str:
        if self.flying is not None:
            return SKIPPED
        written = [
            (label, place)
            for label, place in _each_once(writes)
            if _is_there(self.pages, label, place)
            and place not in self.pages[label].windowless
            and not any(self.witness.users_of(each) for each in self._places(label, place))
        ]
        read = [
            (label, place)
            for label, place in _each_once(reads)
            if _is_there(self.pages, label, place) and (label, place) not in written
        ]
        slots = [(label, place) for label, place in _each_once(states) if _is_there(self.states, label, place)]
        if not (written or read or slots):
            return SKIPPED
        work = self.witness.launch(
            [
                *(each for label, place in read for each in self._places(label, place)),
                *((self.band["state"], self.states[label].ids[place]) for label, place in slots),
            ],
            [each for label, place in written for each in self._places(label, place)],
        )
        self.flying = work
        self.event = self.forwards.last = Event(self._waited_for)
        # a request writes somewhere in a page; which token it is does not matter
        tokens = [
            self.pages[label].ids[place] * self.page_tokens + place % self.page_tokens for label, place in written
        ]
        self.allocator.set_latest_forward_done_event(self.event)
        self.allocator.set_inflight_forward(self.event, torch.tensor(tokens) if tokens else None)
        return "launched"

    def _waited_for(self) -> None:
        """The allocator's stream waits for the forward."""
        assert self.flying is not None, "an event fires once, while its forward is in flight"
        work, self.flying = self.flying, None
        self.witness.wait_for(work)

    def _land(self) -> str:
        if self.flying is None or self.event is None:
            return SKIPPED
        work, self.flying = self.flying, None
        self.event.fired = True
        self.witness.finish(work)
        return "done"

    def _publish(self, who: str, places: list[Spot]) -> str:
        if who not in self.gates or not self.open_gates[who]:
            return SKIPPED
        written = set(self.flying.writes) if self.flying else set()
        chosen = [
            each
            for label, place in places
            if _is_there(self.pages, label, place)
            for each in self._places(label, place)
            if each not in written
        ]
        self.open_gates[who] = False
        self.witness.publish(who, list(dict.fromkeys(chosen)))
        return "done"

    def _unpublish(self, who: str) -> str:
        if self.open_gates[who]:
            return SKIPPED
        self.witness.unpublish(who)
        self.open_gates[who] = True
        return "done"

    # ----------------------------------------------------------------------------------------------------- checking

    def check(self) -> None:
        """See `Driver`."""
        self.witness.check()
        for member, seen in zip(self.members, self.witness.seen, strict=True):
            member.check(seen)
        # a memo is only found stale by those who ask
        self._room()
        said = self.allocator.verify_byte_accounting()
        if said:
            raise Broken("agreement", f"verify_byte_accounting says: {said[0]}")

    # ----------------------------------------------------------------------------------------------------- arithmetic

    def _room(self) -> int:
        """Pages that can be had at once, as the allocator says."""
        counted = self.allocator if "window" in self.band else self.part["full"]
        return int(counted.available_size()) // self.page_tokens

    def _promises(self, count: int) -> bool:
        """Whether the allocator says that so many pages of tokens can be had."""
        tokens = count * self.page_tokens
        if "window" in self.band:
            if tokens <= self.allocator.available_size():
                return True
            return not IS_OLD and bool(self.allocator.can_reserve(tokens, tokens))
        full = self.part["full"]
        return tokens <= max(int(full.available_size()), int(full.schedulable_available_size()))

    def _pages(self, tokens: int) -> int:
        return -(-tokens // self.page_tokens)

    def _last_token(self, given: Given) -> int:
        if not given.tokens:
            return -1
        place, offset = divmod(given.tokens - 1, self.page_tokens)
        return given.ids[place] * self.page_tokens + offset

    def _tokens(self, ids: Sequence[int]) -> torch.Tensor:
        return torch.tensor([vid * self.page_tokens + offset for vid in ids for offset in range(self.page_tokens)])

    def _by_band(self, **ids: Sequence[int]) -> dict[int, Sequence[int]]:
        return {self.band[kind]: some for kind, some in ids.items() if kind in self.band}

    def _places(self, label: str, place: int) -> list[Place]:
        """A page of tokens in each band that has one for it."""
        given = self.pages[label]
        kinds = ["full", *(["window"] if "window" in self.band and place not in given.windowless else [])]
        return [(self.band[kind], given.ids[place]) for kind in kinds]

    def _may_free(self, label: str, place: int) -> bool:
        """It is there, and nobody uses it: freeing it is no misuse."""
        return _is_there(self.pages, label, place) and not any(
            self.witness.users_of(each) for each in self._places(label, place)
        )


FAR: Final = 40
"""Pages; more than any arena here has."""


def _nothing(_rnd: Random) -> Sequence[Any]:
    """A call without arguments."""
    return ()


def _each_once(spots: Iterable[Sequence[Any]]) -> list[Spot]:
    """Named twice is misuse: the second time it would not be there any more."""
    return list(dict.fromkeys((label, place) for label, place in spots))


def _parts(allocator: Any) -> Iterator[tuple[str, str]]:
    return ((kind, part) for kind, part in PARTS if hasattr(allocator, part))


def _is_there(table: dict[str, Given], label: str, place: int) -> bool:
    given = table.get(label)
    return given is not None and place < len(given.ids) and place not in given.gone


def _can_grow(given: Given) -> bool:
    """Its last page is whole: a request whose tail was freed is over."""
    last = len(given.ids) - 1
    return last < 0 or (last not in given.gone and last not in given.windowless)


def _sample(rnd: Random, places: list[Spot]) -> list[Spot]:
    count = rnd.choice((1, 1, 2, 5, len(places) // 2, len(places)))
    return rnd.sample(places, min(len(places), max(1, count)))


TARGET: Final = Target(
    title="SGLang's unified-memory allocator",
    version=version("sglang"),
    setups=SETUPS,
    build=SGLangDriver,
    promises=PROMISES,
    leaves_out=LEAVES_OUT,
    expects=[expected for expected in EXPECTS if not (IS_OLD and expected[0] == "ensure")],
    faults=FAULTS,
)
