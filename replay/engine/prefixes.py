"""Prefixes that later requests may begin with: whole blocks of tokens, by name."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from impl.layout import Kind, Lifetime
from impl.requests.reach import first_needed, places
from replay.engine.policy import Policy
from replay.engine.request import Served
from replay.errors import ReplayError
from replay.memory.protocol import Memory
from replay.traffic.traffic import Traffic


@dataclass(slots=True)
class Block:
    """A block that is cached."""

    full: list[int]
    """Its pages of full attention."""
    tails: list[list[int]] | None = None
    """Of each kind what a request needs that goes on after this block: the last pages of windows, a copy of the state.
    None if none can, because nobody's prompt ended here."""
    users: int = 0
    """Requests that run with it."""


@dataclass(slots=True)
class Match:
    """The longest cached prefix that a request can go on from."""

    names: Sequence[int]
    """The names of its blocks."""
    tokens: int
    pages: list[list[int]] = field(default_factory=list)
    """Pages of each kind; those of the state are to be copied, the others to be shared."""


def prefixes_for(traffic: Traffic, memory: Memory, policy: Policy) -> "Prefixes | None":
    """A cache for traffic that names its prefixes; None if it does not, or the policy keeps none.

    Raises:
        ReplayError: pages do not divide the traffic's blocks.
    """
    if traffic.prefixes is None or not policy.prefix_cache:
        return None
    page = memory.kinds[-1].page_tokens
    if traffic.block_tokens % page:
        problem = f"does not divide the {traffic.block_tokens} tokens of the traffic's prefix blocks"
        raise ReplayError("--page-tokens", page, problem, "choose a divisor, or --no-prefix-cache")
    return Prefixes(memory, traffic.block_tokens)


class Prefixes:
    """Cached blocks; those that nobody uses are evicted when memory is short, the least recently used first.

    A prefix is used more recently than what follows it, so that what follows goes first.
    """

    def __init__(self, memory: Memory, block_tokens: int) -> None:
        self._memory, self.block_tokens = memory, block_tokens
        self._kinds: Sequence[Kind] = memory.kinds
        self._full = len(self._kinds) - 1
        self._blocks: dict[int, Block] = {}
        self._idle: OrderedDict[int, None] = OrderedDict()

    def whole_blocks(self, tokens: int) -> int:
        """So many tokens, less those that fill no block."""
        return tokens - tokens % self.block_tokens

    def match(self, names: Sequence[int], context: int) -> Match | None:
        """The longest prefix of less than a whole context."""
        depth = 0
        for place, name in enumerate(names):
            block = self._blocks.get(name)
            if block is None or (place + 1) * self.block_tokens >= context:
                break
            if block.tails is not None:
                depth = place + 1
        if not depth:
            return None
        tails = self._blocks[names[depth - 1]].tails
        assert tails is not None, "the search ended at one that has them"
        pages = [list(tail) for tail in tails]
        pages[self._full] = [vid for name in names[:depth] for vid in self._blocks[name].full]
        return Match(names[:depth], depth * self.block_tokens, pages)

    def use(self, request: Served, names: Sequence[int]) -> None:
        """A request runs with these blocks."""
        request.blocks = list(names)
        for name in names:
            self._blocks[name].users += 1
            self._idle.pop(name, None)

    def leave(self, request: Served) -> None:
        """A request runs no more."""
        for name in reversed(request.blocks):
            block = self._blocks[name]
            block.users -= 1
            if not block.users:
                self._idle[name] = None
        request.blocks = []

    def insert(self, request: Served, names: Sequence[int]) -> None:
        """Keep these blocks of a request whose last forward ends with them; the request runs with them."""
        memory, tokens = self._memory, len(names) * self.block_tokens
        last = self._blocks.get(names[-1])
        if last is None or last.tails is None:
            tails = self._tails(request, tokens)
            if tails is None:
                return
            self._share_blocks(request, names)
            for band, kind in enumerate(self._kinds):
                if kind.window is not None and tails[band]:
                    memory.share(band, tails[band])
            self._blocks[names[-1]].tails = tails
        self._replace_use(request, names)

    def evict(self, least: Sequence[int | None]) -> bool:
        """Give up blocks until some kind has let go of so many references, or of all; whether any was given up."""
        let_go = [0] * len(self._kinds)
        any_went = False
        while self._idle:
            name, _ = self._idle.popitem(last=False)
            any_went = True
            for band, count in enumerate(self._drop(name)):
                let_go[band] += count
            if any(need is not None and gone >= need for need, gone in zip(least, let_go, strict=True)):
                break
        return any_went

    def clear(self) -> None:
        """Give up every block that nobody uses."""
        self.evict([None] * len(self._kinds))

    # ----------------------------------------------------------------------------------------------------------------

    def _drop(self, name: int) -> list[int]:
        block = self._blocks.pop(name)
        given = [list(tail) for tail in block.tails] if block.tails else [[] for _ in self._kinds]
        given[self._full] += block.full
        for band, ids in enumerate(given):
            if ids:
                self._memory.release(band, ids, in_flight=True)
        return [len(ids) for ids in given]

    def _tails(self, request: Served, tokens: int) -> list[list[int]] | None:
        """What a request would go on with; the state is copied now, and if there is no room for it, nothing is kept."""
        tails: list[list[int]] = []
        demand = tuple(int(kind.lifetime is Lifetime.STATE) for kind in self._kinds)
        for band, kind in enumerate(self._kinds):
            if kind.window is None:
                tails.append([])
                continue
            begin, end = first_needed(kind, tokens) - request.first[band], places(kind, tokens) - request.first[band]
            assert begin >= 0, "nothing of the window that ends here has slid out yet"
            tails.append(request.pages[band][begin:end])
        if any(demand):
            originals = [ids if needs else [] for needs, ids in zip(demand, request.pages, strict=True)]
            given = self._memory.allocate(demand, originals)
            if not isinstance(given, list):
                return None
            tails[demand.index(1)] = given[demand.index(1)]
        return tails

    def _share_blocks(self, request: Served, names: Sequence[int]) -> None:
        each = self.block_tokens // self._kinds[self._full].page_tokens
        pages = request.pages[self._full]
        fresh: list[int] = []
        for place, name in enumerate(names):
            if name not in self._blocks:
                own = pages[place * each : (place + 1) * each]
                self._blocks[name] = Block(own)
                fresh += own
        if fresh:
            self._memory.share(self._full, fresh)

    def _replace_use(self, request: Served, names: Sequence[int]) -> None:
        # what is used for the first time is locked before anything is let go
        before, request.blocks = request.blocks, []
        self.use(request, names)
        for name in before:
            self._blocks[name].users -= 1
