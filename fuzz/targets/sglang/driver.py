"""Drives SGLang's unified-memory allocator through its public calls, as its scheduler would."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Final

import torch

from fuzz.peers.inside.driver import SKIPPED, Broken, Call, Target
from fuzz.peers.inside.tape import Tape
from fuzz.targets.sglang.building import IS_OLD, SETUPS
from fuzz.targets.sglang.faults import FAULTS
from fuzz.targets.sglang.given import Spot, each_once, is_there
from fuzz.targets.sglang.paging import Paging
from fuzz.targets.sglang.promises import EXPECTS, LEAVES_OUT, PROMISES
from fuzz.targets.sglang.streams import Event


class SGLangDriver(Paging):
    """One allocator; see `fuzz.peers.inside.driver.Driver`."""

    def __init__(self, setup: str, tape: Tape) -> None:
        super().__init__(setup, tape)
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

    def make(self, call: Call) -> str:
        """See `Driver`."""
        return self._calls[call[0]](*call[1:])

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
            for label, place in each_once(writes)
            if is_there(self.pages, label, place)
            and place not in self.pages[label].windowless
            and not any(self.witness.users_of(each) for each in self._places(label, place))
        ]
        read = [
            (label, place)
            for label, place in each_once(reads)
            if is_there(self.pages, label, place) and (label, place) not in written
        ]
        slots = [(label, place) for label, place in each_once(states) if is_there(self.states, label, place)]
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
            if is_there(self.pages, label, place)
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


TARGET: Final = Target(
    title="SGLang's unified-memory allocator",
    version=version("sglang"),
    setups=SETUPS,
    build=SGLangDriver,
    promises=PROMISES,
    leaves_out=LEAVES_OUT,
    expects=[expected for expected in EXPECTS if not (IS_OLD and expected[0] == "ensure")],
    faults=FAULTS,
    package="sglang",
)
