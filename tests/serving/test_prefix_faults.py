"""What a prefix cache could do wrong, each by the check that sees it first."""

import random
from typing import Any

import numpy as np
import pytest

from impl.device.simulated.accesses import Race
from impl.misuse import Misuse
from impl.plan import Refusal
from impl.requests import growth, requests
from impl.requests.reach import first_needed
from impl.requests.request import Request
from impl.serving.engine.engine import Policy
from impl.serving.engine.tiny import tiny
from impl.serving.prefix import cache
from impl.serving.prefix.cache import PrefixCache
from impl.serving.prefix.node import Node
from tests.serving.running import TOLERANCE, Served, Task, drive, furthest, quiet, room_for, said_alone, serve
from tests.serving.seeded import Fault, Patch, fault
from tests.serving.test_prefix import conversations, long_after_short

FAULTS: list[Fault] = []


@fault(FAULTS, "same-logits", "sglang#22470")
def _a_window_is_a_page_too_short(patch: Patch) -> None:
    """A page is let go of, by requests and by the cache, that the next token still looks back on."""

    def wrong(kind: Any, settled: int) -> int:
        first = first_needed(kind, settled)
        return first + 1 if kind.window is not None and settled > kind.window else first

    patch.setattr(cache, "first_needed", wrong)
    patch.setattr(requests, "first_needed", wrong)


@fault(FAULTS, "same-logits", "sglang#38521")
def _a_state_of_another_moment(patch: Patch) -> None:
    """The state of a request is kept for its first tokens though it has computed more."""
    keep = PrefixCache.keep

    def wrong(self: PrefixCache, tokens: list[int], request: Request) -> None:
        launched, request.launched = request.launched, len(tokens) - len(tokens) % self.page_tokens
        keep(self, tokens, request)
        request.launched = launched

    patch.setattr(PrefixCache, "keep", wrong)


@fault(FAULTS, "same-logits", "sglang#38229")
def _a_split_takes_the_state_along(patch: Patch) -> None:
    """A state of the end of a text is taken for the state at the place where another text leaves it."""
    split = Node.split

    def wrong(self: Node, count: int) -> Node:
        above = split(self, count)
        above.states, self.states = self.states, above.states
        return above

    patch.setattr(Node, "split", wrong)


@fault(FAULTS, "references", "LMCache#5005")
def _a_split_gives_its_pages_back(patch: Patch) -> None:
    """The upper part takes over the pages of a text, and the references are given back all the same."""
    reaching = PrefixCache._reaching

    def wrong(self: PrefixCache, keys: Any) -> Any:
        before = set(self._recency)
        path = reaching(self, keys)
        for node in (node for node, _ in path if node not in before):
            for band, ids in node.pages.items():
                self._allocator.release(band, [vid for vid in ids if vid is not None])
        return path

    patch.setattr(PrefixCache, "_reaching", wrong)


@fault(FAULTS, "gives-way-enough", "sglang#36345")
def _what_is_in_use_goes(patch: Patch) -> None:
    """Pages that requests still use are counted among those that are free to go."""
    patch.setattr(PrefixCache, "_is_sole", lambda self, band, ids: np.ones(len(ids), dtype=np.bool_))


@fault(FAULTS, "gives-way-no-more", "class: more is evicted than needed")
def _whole_texts_go(patch: Patch) -> None:
    """Where one page is asked for, all of a run is let go of."""
    shorten = PrefixCache._shorten
    patch.setattr(PrefixCache, "_shorten", lambda self, node, length: shorten(self, node, 0))


@fault(FAULTS, "references", "vllm#4761")
def _what_went_is_still_found(patch: Patch) -> None:
    """The tree keeps what it gave back, and hands it out."""
    patch.setattr(PrefixCache, "_shorten", lambda self, node, length: self._release(node, length))


@fault(FAULTS, "progress", "class: a boundary is off by one")
def _nothing_is_left_to_compute(patch: Patch) -> None:
    """A text that is cached to its last token is handed out whole, and nothing computes what comes next."""
    begin = PrefixCache.begin
    patch.setattr(PrefixCache, "begin", lambda self, tokens: begin(self, [*tokens, 0]))


@fault(FAULTS, "sole-writer", "trtllm#12306")
def _shared_pages_are_not_copied(patch: Patch) -> None:
    """A request writes to the state that the cache keeps."""
    patch.setattr(growth, "_shared", lambda allocator, band, written: ([], []))


@fault(FAULTS, "progress", "class: starvation")
def _one_kind_must_suffice(patch: Patch) -> None:
    """Where no kind alone has enough to give, none gives anything."""
    patch.setattr(PrefixCache, "makes_room", PrefixCache.give_way)


MOST_TURNS = 5_000
"""Of the engine; a run without a fault takes some hundred."""


class Wrong(Exception):
    """A check that does not hold, by its name."""


def _watch_what_gives_way(patch: Patch, served: Served) -> None:
    """Whatever a cache says it lets go of must become free, and nothing else."""
    give_way = PrefixCache.give_way

    def watched(self: PrefixCache, refusal: Refusal) -> bool:
        before = [kind.live for kind in served.allocator.statistics().kinds]
        if not give_way(self, refusal):
            return False
        after = [kind.live for kind in served.allocator.statistics().kinds]
        asked, paid = refusal.evict, [was - now for was, now in zip(before, after, strict=True)]
        if not any(pages and pages >= count for count, pages in zip(asked, paid, strict=True) if count):
            raise Wrong("gives-way-enough")
        if not any(pages == count for count, pages in zip(asked, paid, strict=True) if count):
            raise Wrong("gives-way-no-more")
        return True

    patch.setattr(PrefixCache, "give_way", watched)


def _asked() -> list[Task]:
    """Conversations, and then a text that is cached to its last token."""
    asked = conversations(3, count=14)
    long = next(task for task in asked if len(task.prompt) > 24)
    return [*asked, long, Task(long.prompt[:24], 3)]


def _goes_on() -> None:
    """Conversations with room for all of them, each of which is gone on with."""
    layout, jobs = tiny("qwen3.5-4b"), []
    asked = conversations(3, count=4)
    asked += [Task((*task.prompt, *said_alone(layout, task)[0], 5, 6), 3) for task in asked]
    policy = Policy(most_running=3, chunk=7, positions=96, interval=8)
    served = serve(layout, room_for(layout, 400, states=24), late=True, policy=policy)
    for task in asked:
        jobs.append(served.engine.submit(task.prompt, task.new_tokens))
        drive(served, random.Random(2))
    if not furthest(layout, asked, jobs) < TOLERANCE:
        raise Wrong("same-logits")


def _is_long() -> None:
    served, asked = long_after_short(tiny("gpt-oss-20b"))
    for task in asked:
        job = served.engine.submit(task.prompt, task.new_tokens)
        drive(served, random.Random(2))
        if job.rejected:
            raise Wrong("progress")


def _served(patch: Patch, pattern: str) -> None:
    layout = tiny(pattern)
    asked = _asked()
    policy = Policy(most_running=3, chunk=7, positions=96, interval=8)
    served = serve(layout, room_for(layout, 80, states=5), late=True, policy=policy)
    prefix = served.engine.prefix
    assert prefix is not None
    _watch_what_gives_way(patch, served)
    chance, jobs, turns = random.Random(5), [], 0

    def between() -> None:
        nonlocal turns
        turns += 1
        if turns > MOST_TURNS:
            raise Wrong("progress")
        if chance.random() < 0.3:
            quiet(served)

    for first, second in zip(asked[::2], asked[1::2], strict=True):
        jobs += [served.engine.submit(task.prompt, task.new_tokens) for task in (first, second)]
        drive(served, random.Random(2), between)
    if not furthest(layout, asked, jobs) < TOLERANCE:
        raise Wrong("same-logits")
    assert prefix.hit_tokens > 0
    assert served.allocator.statistics().refusals.get("evict", 0) > 0
    in_use = prefix.begin([*asked[-1].prompt, 0])
    assert in_use.tokens == len(asked[-1].prompt)
    refusal = next(
        plan for count in range(1, 1_000) if isinstance(plan := served.allocator.plan({"full": count}), Refusal)
    )
    while prefix.give_way(refusal):
        pass
    served.engine.requests.finish([in_use])
    prefix.clear()
    if any(kind.live or kind.withheld for kind in served.allocator.statistics().kinds):
        raise Wrong("nothing-left")


def _seen(patch: Patch) -> str | None:
    """The first check that does not hold."""
    for pattern in (None, "gpt-oss-20b", "inkling-small"):
        try:
            with patch.context() as watching:
                if pattern is None:
                    _goes_on()
                    _is_long()
                else:
                    _served(watching, pattern)
        except Race:
            return "race-free"
        except Wrong as wrong:
            return str(wrong)
        except Misuse as misuse:
            return "sole-writer" if "sole reference" in str(misuse) else "references"
    return None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_shows_by_its_check(fault: Fault, monkeypatch: Patch) -> None:
    fault.apply(monkeypatch)
    assert _seen(monkeypatch) == fault.check


def test_nothing_shows_where_there_is_no_fault(monkeypatch: Patch) -> None:
    assert _seen(monkeypatch) is None
