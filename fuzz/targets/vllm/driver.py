"""Drives vLLM's KV cache manager through the calls of its scheduler: admission, growth, external hits, preemption."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from random import Random
from typing import Any, Final
from zlib import crc32

from vllm.v1.request import Request, RequestStatus

from fuzz.peers.inside.driver import SKIPPED, Broken, Call, Target
from fuzz.peers.inside.tape import Tape
from fuzz.targets.vllm.building import BLOCK, LONGEST, SETUPS, WINDOW, built, request_of
from fuzz.targets.vllm.faults import FAULTS
from fuzz.targets.vllm.ledger import BlockLedger, Rows, Shown, Step
from fuzz.targets.vllm.promises import EXPECTS, LEAVES_OUT, PROMISES

PREFIXES: Final = 3
"""Of so many prefixes each prompt begins with one."""

EMPHASES: Final = (0, 1, 1, 2, 5)
"""Each kind of call is rarer or more frequent in one life than in another, or absent from it."""

WEIGHTS: Final = {
    "start": 8,
    "go": 24,
    "arrive": 3,
    "stop": 4,
    "preempt": 2,
    "resume": 3,
    "land": 14,
    "step": 8,
    "reset": 1,
}


@dataclass
class Served:
    """A request and where it stands.

    Attributes:
        request: vLLM's.
        digests: of all tokens up to each position.
        state: `running`, `loading` from outside, or `preempted`.
        loading: the transfer that fills its blocks.
    """

    request: Request
    digests: list[int]
    state: str = "running"
    loading: Step | None = None


@dataclass
class Deferred:
    """Blocks of a request that is over, and the steps that still use them."""

    blocks: list[Any]
    steps: list[Step] = field(default_factory=list)


class _Counting:
    """Stands in for the count that admission rests on, and remembers the last one and what was free then."""

    def __init__(self, count: Callable[..., int], free: Callable[[], int]) -> None:
        self._count, self._free = count, free
        self.counted, self.free = 0, free()

    def __call__(self, *arguments: Any, **named: Any) -> int:
        self.counted, self.free = self._count(*arguments, **named), self._free()
        return self.counted


class VLLMDriver:
    """One manager; see `fuzz.peers.inside.driver.Driver`."""

    def __init__(self, setup: str, tape: Tape) -> None:
        self.manager, self.groups = built(setup)
        self.pool = self.manager.block_pool
        self.ledger = BlockLedger(tape, f"vllm {version('vllm')}", setup, len(self.pool.blocks))
        self.served: dict[str, Served] = {}
        self.deferred: list[Deferred] = []
        self.rows: Rows = {}
        self._deferred_before: Counter[int] = Counter()
        self._label = 0
        self._weights: dict[str, int] = {}
        self._calls: dict[str, Callable[..., str]] = {
            "start": self._start,
            "resume": self._resume,
            "go": self._go,
            "arrive": self._arrive,
            "stop": self._stop,
            "preempt": self._preempt,
            "land": self._land,
            "step": self._step,
            "reset": self._reset,
        }

    # ---------------------------------------------------------------------------------------------------- choosing

    def next_call(self, rnd: Random) -> Call:
        """See `Driver`."""
        if not self._weights:
            self._weights = {name: weight * rnd.choice(EMPHASES) for name, weight in WEIGHTS.items()}
            if not self._weights["start"]:
                self._weights["start"] = WEIGHTS["start"]
        name = rnd.choices(list(self._weights), list(self._weights.values()))[0]
        if name in {"go", "stop", "preempt"}:
            return [name, *self._one(rnd, "running"), *([rnd.choice((1, 1, 16, 64))] if name == "go" else [])]
        if name == "arrive":
            return [name, *self._one(rnd, "loading")]
        if name == "resume":
            return [name, *self._one(rnd, "preempted"), rnd.choice((16, 64, LONGEST))]
        if name == "start":
            return [name, *self._choose_start(rnd)]
        return [name]

    def _one(self, rnd: Random, state: str) -> list[str]:
        labels = [label for label, served in self.served.items() if served.state == state]
        return [rnd.choice(labels) if labels else "nobody"]

    def _choose_start(self, rnd: Random) -> Sequence[Any]:
        self._label += 1
        how = rnd.choice(("local", "local", "sync", "async"))
        return (
            f"q{self._label}",
            rnd.randrange(PREFIXES),
            rnd.randint(0, 160),
            rnd.randint(1, 90),
            rnd.choice((16, 64, LONGEST)),
            how,
            rnd.randint(0, 10) if how != "local" else 0,
            rnd.random() < 0.5,
        )

    # ------------------------------------------------------------------------------------------------------ making

    def make(self, call: Call) -> str:
        """See `Driver`."""
        return self._calls[call[0]](*call[1:])

    def _start(
        self, label: str, prefix: int, shared: int, own: int, chunk: int, how: str, external: int, must_fit: bool
    ) -> str:
        if label in self.served or own < 1:
            return SKIPPED
        tokens = [_token(f"prefix {prefix}", place) for place in range(shared)]
        tokens += [_token(label, place) for place in range(own)]
        return self._admit(Served(request_of(label, tokens), _digests(tokens)), chunk, how, external, must_fit)

    def _resume(self, label: str, chunk: int) -> str:
        served = self.served.get(label)
        if served is None or served.state != "preempted":
            return SKIPPED
        return self._admit(served, chunk, "local", 0, must_fit=False)

    def _admit(self, served: Served, chunk: int, how: str, external_blocks: int, must_fit: bool) -> str:
        """Look for a prefix here and outside, and ask for the rest."""
        request = served.request
        hit, local, boundary = self.manager.get_computed_blocks(request)
        request.shared_prefix_boundary = boundary
        external = min(external_blocks * BLOCK, (request.num_tokens - 1 - local) // BLOCK * BLOCK)
        loading = how == "async" and external > 0
        new = 0 if loading else self._chunk(request, local + external, max(1, chunk))
        if not new and not loading:
            return SKIPPED
        taken = self._allocated(
            served,
            new,
            num_new_computed_tokens=local,
            new_computed_blocks=hit,
            num_external_computed_tokens=external,
            delay_cache_blocks=loading,
            full_sequence_must_fit=must_fit,
        )
        if not taken:
            if request.request_id not in self.served:
                # as the scheduler does with a request that was never served
                self.manager.free(request)
                self._follow()
            return "refused"
        self.served[request.request_id] = served
        request.status = RequestStatus.RUNNING
        served.state = "running"
        if external:
            self._fetch(served, local, external, loading)
        self._compute(served, local + external, new)
        return "loading" if loading else "external" if external else "hit" if local else "fresh"

    def _go(self, label: str, tokens: int) -> str:
        served = self.served.get(label)
        if served is None or served.state != "running" or tokens < 1 or served.request.num_tokens >= LONGEST:
            return SKIPPED
        request = served.request
        decoding = request.num_computed_tokens >= request.num_tokens
        if decoding:
            token = _token(label, request.num_tokens)
            request.append_output_token_ids(token)
            served.digests.append(hash((served.digests[-1], token)))
        new = self._chunk(request, request.num_computed_tokens, tokens)
        if not new:
            return SKIPPED
        if not self._allocated(served, new):
            return "refused"
        self._compute(served, request.num_computed_tokens, new)
        return "decoded" if decoding else "prefilled"

    def _chunk(self, request: Request, start: int, tokens: int) -> int:
        """As many of these tokens as may be computed at once.

        A state is written where a step ends, and is found again by the block in which that is: so with states a step
        ends at a block's end, or begins at the last one there is.
        """
        end = min(start + tokens, int(request.num_tokens))
        last = int(request.num_tokens) // BLOCK * BLOCK
        if "state" in self.groups and start < last:
            end = min(end, last) // BLOCK * BLOCK
        return max(0, end - start)

    def _allocated(self, served: Served, new: int, **arguments: Any) -> bool:
        """Ask for slots; whether they were given. No more is taken than was counted."""
        request, before = served.request, dict(self.rows)
        count = _Counting(self.manager.coordinator.get_num_blocks_to_allocate, self.pool.get_num_free_blocks)
        self.manager.coordinator.get_num_blocks_to_allocate = count
        try:
            given = self.manager.allocate_slots(request, new, **arguments)
        except ValueError as error:
            if "free blocks" not in str(error):
                raise
            self._follow()
            problem = f"{count.counted} blocks were counted while {count.free} were free, and then: {error}"
            raise Broken("admission-sound", problem) from None
        finally:
            del self.manager.coordinator.get_num_blocks_to_allocate
        self._follow()
        if given is None:
            more = [key for key in self.rows if key not in before]
            if more:
                raise Broken("all-or-nothing", f"a refused request has blocks at (request, group, place) {more[:4]}")
            return False
        taken = count.free - self.pool.get_num_free_blocks()
        if taken > count.counted:
            raise Broken(
                "admission-sound", f"{count.counted} blocks were counted for a request, and {taken} were taken"
            )
        self._must_let_go(served)
        return True

    def _fetch(self, served: Served, local: int, external: int, loading: bool) -> None:
        """Tokens come from outside: before the next step, or meanwhile."""
        request = served.request
        writes: dict[int, Shown] = {}
        for group, name in enumerate(self.groups):
            row = self.manager.get_block_ids(request.request_id)[group]
            for place in range(local // BLOCK, (local + external) // BLOCK):
                end = (place + 1) * BLOCK
                if row[place] and (name != "state" or end == local + external):
                    writes[row[place]] = (end - 1, served.digests[end - 1])
        step = self.ledger.launch(request.request_id, 0, {}, writes, "transfer" if loading else "copy")
        if loading:
            served.state, served.loading = "loading", step
        else:
            self.ledger.land(step)

    def _compute(self, served: Served, computed: int, new: int) -> None:
        """A step begins that computes these tokens, behind all that were computed."""
        request = served.request
        request.num_computed_tokens = computed + new
        if not new:
            return
        reads: dict[int, Shown] = {}
        writes: dict[int, Shown] = {}
        rows = self.manager.get_block_ids(request.request_id)
        for row, name in zip(rows, self.groups, strict=True):
            if name == "state":
                self._compute_state(served, row, computed, new, reads, writes)
                continue
            first = max(0, computed - WINDOW + 1) if name == "window" else 0
            for place in range(first // BLOCK, -(-(computed + new) // BLOCK)):
                if not row[place]:
                    raise Broken("window-retained", f"{name}: block {place} of request {request.request_id} is gone")
                before, after = min(computed, (place + 1) * BLOCK), min(computed + new, (place + 1) * BLOCK)
                if before > place * BLOCK:
                    reads[row[place]] = (before - 1, served.digests[before - 1])
                if after > before:
                    writes[row[place]] = (after - 1, served.digests[after - 1])
        request.num_in_flight_tokens += new
        self.ledger.launch(request.request_id, new, reads, writes)

    def _compute_state(
        self, served: Served, row: list[int], computed: int, new: int, reads: dict[int, Shown], writes: dict[int, Shown]
    ) -> None:
        """A step reads the state behind what was computed, and leaves the one behind what it computes."""
        if computed:
            place = -(-computed // BLOCK) - 1
            if not row[place]:
                raise Broken("window-retained", f"the state of request {served.request.request_id} is gone")
            reads[row[place]] = (computed - 1, served.digests[computed - 1])
        last = row[-(-(computed + new) // BLOCK) - 1]
        if not last:
            raise Broken("window-retained", f"request {served.request.request_id} has no block for its state")
        writes[last] = (computed + new - 1, served.digests[computed + new - 1])

    def _arrive(self, label: str) -> str:
        served = self.served.get(label)
        if served is None or served.loading is None:
            return SKIPPED
        self.ledger.land(served.loading)
        served.loading, served.state = None, "running"
        self.manager.cache_blocks(served.request, served.request.num_computed_tokens)
        self._follow()
        return "done"

    def _stop(self, label: str) -> str:
        served = self.served.get(label)
        if served is None or served.state != "running":
            return SKIPPED
        del self.served[label]
        steps = [step for step in self.ledger.flying if step.request == label]
        if not steps:
            self.manager.free(served.request)
            self._follow()
            return "freed"
        # the blocks stay referred to until the last step that uses them has landed
        self.deferred.append(Deferred(self.manager.pop_blocks_for_free(served.request), steps))
        self._follow()
        return "deferred"

    def _preempt(self, label: str) -> str:
        served = self.served.get(label)
        if served is None or served.state != "running" or any(step.request == label for step in self.ledger.flying):
            return SKIPPED
        self.manager.free(served.request)
        served.request.num_computed_tokens = 0
        served.request.status, served.state = RequestStatus.PREEMPTED, "preempted"
        self._follow()
        return "done"

    def _land(self) -> str:
        step = next((step for step in self.ledger.flying if step.tokens), None)
        if step is None:
            return SKIPPED
        self.ledger.land(step)
        served = self.served.get(step.request)
        if served is not None:
            served.request.num_in_flight_tokens -= step.tokens
        for deferred in list(self.deferred):
            if step in deferred.steps:
                deferred.steps.remove(step)
            if not deferred.steps:
                self.deferred.remove(deferred)
                self.pool.free_blocks(reversed(deferred.blocks))
                self.ledger.gone(block.block_id for block in deferred.blocks if not block.is_null)
        return "done"

    def _step(self) -> str:
        self.manager.new_step_starts()
        return "done"

    def _reset(self) -> str:
        return "yes" if self.manager.reset_prefix_cache() else "no"

    # ----------------------------------------------------------------------------------------------------- checking

    def _follow(self) -> None:
        """References follow from the rows: what left them was given up, what is new in them was taken."""
        rows = {
            (label, group, place): block
            for label in (*self.served, *self._strangers())
            for group, row in enumerate(self.manager.get_block_ids(label))
            for place, block in enumerate(row)
            if block
        }
        gone = [(key, block) for key, block in self.rows.items() if rows.get(key) != block]
        come = [block for key, block in rows.items() if self.rows.get(key) != block]
        kept = Counter(block.block_id for each in self.deferred for block in each.blocks if not block.is_null)
        kept.subtract(self._deferred_before)
        # what went from a row into a deferred free is still referred to
        released = []
        for _, block in gone:
            if kept[block] > 0:
                kept[block] -= 1
            else:
                released.append(block)
        self._deferred_before = Counter(
            block.block_id for each in self.deferred for block in each.blocks if not block.is_null
        )
        self.rows = rows
        self.ledger.gone(released)
        self.ledger.come(come)

    def check(self) -> None:
        """See `Driver`."""
        self._follow()
        free = [block.block_id for block in self.pool.free_block_queue.get_all_free_blocks()]
        said = self.pool.get_num_free_blocks()
        if len(set(free)) < len(free) or said != len(free):
            raise Broken(
                "conservation", f"{len(set(free))} blocks are in the queue, {len(free)} times, and {said} are said"
            )
        queued, references = set(free), self.ledger.references
        for block in self.pool.blocks[1:]:
            if block.ref_cnt != references[block.block_id]:
                refers = references[block.block_id]
                raise Broken(
                    "references", f"block {block.block_id} counts {block.ref_cnt} references, and {refers} refer to it"
                )
            if (block.ref_cnt == 0) != (block.block_id in queued):
                where = "in" if block.block_id in queued else "not in"
                raise Broken(
                    "conservation", f"block {block.block_id} with {block.ref_cnt} references is {where} the queue"
                )
        if self.pool.null_block.block_id in queued:
            raise Broken("conservation", "the null block is free")
        self._check_windows()

    def _check_windows(self) -> None:
        """What steps in flight attend to is in the rows."""
        for label, served in self.served.items():
            request = served.request
            if served.state != "running":
                continue
            processed = max(0, request.num_computed_tokens - request.num_in_flight_tokens)
            rows = self.manager.get_block_ids(label)
            for row, name in zip(rows, self.groups, strict=True):
                if name == "state":
                    continue
                first = max(0, processed - WINDOW + 1) if name == "window" else 0
                for place in range(first // BLOCK, -(-request.num_computed_tokens // BLOCK)):
                    if not row[place]:
                        raise Broken("window-retained", f"{name}: block {place} of request {label} is gone too early")

    def _must_let_go(self, served: Served) -> None:
        """What no step will attend to any more is not in the rows, once the request has been served again."""
        request = served.request
        processed = max(0, request.num_computed_tokens - request.num_in_flight_tokens)
        rows = self.manager.get_block_ids(request.request_id)
        for row, name in zip(rows, self.groups, strict=True):
            skipped = {"full": 0, "window": processed - WINDOW + 1, "state": processed - 1}[name]
            held = [place for place in range(max(0, skipped) // BLOCK) if row[place]]
            if held:
                raise Broken("window-let-go", f"{name}: request {request.request_id} keeps blocks {held} that are over")

    def _strangers(self) -> Iterator[str]:
        """Requests that were refused and may have left something behind."""
        known = self.served
        for manager in self.manager.coordinator.single_type_managers:
            yield from (label for label in manager.req_to_blocks if label not in known)


def _token(source: str, place: int) -> int:
    return crc32(f"{source}/{place}".encode()) % 50_000


def _digests(tokens: Sequence[int]) -> list[int]:
    found: list[int] = []
    for token in tokens:
        found.append(hash((found[-1] if found else 0, token)))
    return found


TARGET: Final = Target(
    title="vLLM's KV cache manager",
    version=version("vllm"),
    setups=SETUPS,
    build=VLLMDriver,
    promises=PROMISES,
    leaves_out=LEAVES_OUT,
    expects=EXPECTS,
    faults=FAULTS,
    package="vllm",
)
