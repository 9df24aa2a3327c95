"""The prefix cache of an allocator: it hands out what is known, takes in what was computed, and gives way."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from impl.layout import Lifetime
from impl.layout.chain import position
from impl.misuse import Misuse
from impl.numbers import as_count
from impl.plan import Refusal
from impl.requests.protocol import Pages
from impl.requests.reach import first_needed
from impl.requests.request import Request
from impl.requests.requests import Requests
from impl.serving.prefix.gathered import Gathered, alone, longest
from impl.serving.prefix.node import Key, Leaving, Node, path_of

DEFAULT_INTERVAL: Final = 256
"""Tokens between two kept states. A state is as large as the other kinds' rows of some hundred tokens or more."""


class PrefixCache:
    """Keeps a reference to each page that it knows; so does every request that uses the page.

    A text is cached by whole pages. It can be gone on with after so many tokens if every window still has what the
    next token looks back on, and if there is a state of that very moment.

    Args:
        allocator: or one on record.
        requests: those that begin with what is cached.
        interval: tokens between two states that are kept; a multiple of the page's.
        ahead: tokens after a page's own of which its rows are made as well. A page is known by those, too; so of a
            text of so many whole pages the last one is known only with as many other tokens after it.

    Raises:
        Misuse: the interval is no multiple of a page.

    Attributes:
        gathered: asks the caches of all stages of a pipeline. Each knows the same texts, in the same order of use, by
            the pages of its own kinds; what they do together depends on nothing but what all of them say.
    """

    def __init__(
        self, allocator: Pages, requests: Requests, *, interval: int = DEFAULT_INTERVAL, ahead: int = 0
    ) -> None:
        self._allocator, self._requests, self._ahead = allocator, requests, ahead
        self._kinds = [band.kind for band in allocator.chain.bands]
        self._states = [band for band, kind in enumerate(self._kinds) if kind.lifetime is Lifetime.STATE]
        self._tokens = [band for band in range(len(self._kinds)) if band not in self._states]
        *self._windows, self._full = self._tokens
        self._positions = [position(kind) for kind in self._kinds]
        self.page_tokens = self._kinds[self._tokens[0]].page_tokens
        if not as_count(interval, "interval") or interval % self.page_tokens:
            remedy = f"give a multiple of {self.page_tokens}"
            raise Misuse("interval", interval, "states are kept at the ends of pages", remedy)
        self.interval = interval
        self.gathered: Gathered = alone
        self._root = Node([], 0, None, {band: [] for band in self._tokens}, dict.fromkeys(self._states))
        # the least recently used first; a parent is never used less recently than its child
        self._recency: OrderedDict[Node, None] = OrderedDict()
        self.hit_tokens = self.asked_tokens = 0

    # --------------------------------------------------- for caches that also keep pages elsewhere; this one does not

    @property
    def tickets(self) -> tuple[int, ...]:
        """Its own copies in flight that may be settled, oldest first."""
        return ()

    def settled(self, tickets: Iterable[int]) -> None:
        """Some of these may be its own: they have retired, because the allocator's stream waits for them."""

    def before(self, read: Sequence[Iterable[int]], written: Sequence[Iterable[int]]) -> tuple[int, ...]:
        """Its copies in flight behind which a forward must come that reads and writes these pages of each band."""
        return ()

    def poll(self, agreed: Callable[[int], int] = lambda landed: landed) -> None:
        """Take note of the copies that have landed, without waiting.

        Args:
            agreed: of how many of the oldest ones, given how many have landed here; see `Engine`.
        """

    def _leaving(self, pages: Sequence[tuple[Node, Sequence[Leaving]]]) -> None:
        """Nodes are about to let go of these pages, the least recently used node first; on all stages at once."""

    # --------------------------------------------------------------------------------------------------- handing out

    def begin(self, tokens: Sequence[int]) -> Request:
        """A request for a text, which begins with as much of it as is cached; the last token is always left to compute.

        Args:
            tokens: at least one.
        """
        keys = self._keys(tokens[: len(tokens) - 1])
        path = path_of(self._root, keys)
        self.asked_tokens += len(tokens)
        known = self._known(path)
        usable = self._usable_everywhere(path, known)
        self._use(node for node, _ in path)
        if not usable:
            return self._requests.begin()
        self.hit_tokens += usable * self.page_tokens
        pages: list[Any] = self._needed(known, usable)
        for band in self._states:
            pages[band] = [node.states[band] for node, _ in path if node.end == usable]
        return self._requests.begin(usable * self.page_tokens, pages)

    def _usable_everywhere(self, path: Sequence[tuple[Node, int]], known: Sequence[Sequence[int | None]]) -> int:
        """The most pages of a path after which a request can go on, given what is known here of each band."""
        most = path[-1][0].end if path else 0
        return longest(lambda most: self._usable(path, known, most), int, most, "where to go on", self.gathered)

    def _usable(self, path: Sequence[tuple[Node, int]], known: Sequence[Sequence[int | None]], most: int) -> int:
        """The most pages of a path, up to so many, after which a request can go on as far as this stage knows."""
        for node, same in reversed(path):
            for end in range(min(most, node.begin + same), node.begin, -1):
                if self._states and (end < node.end or None in node.states.values()):
                    continue
                if all(None not in ids for ids in self._needed(known, end)):
                    return end
        return 0

    def _known(self, path: Sequence[tuple[Node, int]]) -> list[list[int | None]]:
        """Of each band what a path keeps of its pages, in order; of a state band nothing."""
        return [
            [] if band in self._states else [vid for node, _ in path for vid in node.pages[band]]
            for band in range(len(self._kinds))
        ]

    def _needed(self, known: Sequence[Sequence[int | None]], end: int) -> list[Sequence[int | None]]:
        """Of each band of tokens what a request that goes on after so many pages looks back on."""
        tokens = end * self.page_tokens
        return [ids[first_needed(kind, tokens) : end] for kind, ids in zip(self._kinds, known, strict=True)]

    # ----------------------------------------------------------------------------------------------------- taking in

    def keep(self, tokens: Sequence[int], request: Request) -> None:
        """Take in the whole pages of a request's first tokens, and its state if that is of their end.

        Args:
            tokens: known, launched, and the request's own first ones.
            request: runs, and goes on with its pages; before it writes to one that is now shared, it is copied.
        """
        keys = self._keys(tokens)
        if not keys:
            return
        path = [node for node, same in self._reaching(keys) if same]
        if not path or path[-1].end < len(keys):
            path.append(self._grown(path[-1] if path else self._root, keys, request))
        for node in path:
            self._refresh(node, request)
        if request.launched == len(keys) * self.page_tokens:
            for band in self._states:
                if path[-1].states[band] is None:
                    slot = request.pages[band][0]
                    self._allocator.share(band, [slot])
                    path[-1].states[band] = slot
        self._use(path)

    def _reaching(self, keys: Sequence[Key]) -> list[tuple[Node, int]]:
        """The path of a text, cut so that no node goes beyond what is shared."""
        path = path_of(self._root, keys)
        if path and 0 < path[-1][1] < len(path[-1][0].keys):
            node, same = path.pop()
            above = node.split(same)
            self._recency[above] = None
            path.append((above, same))
        return path

    def _grown(self, parent: Node, keys: Sequence[Key], request: Request) -> Node:
        child = Node(list(keys[parent.end :]), parent.end, parent, {}, dict.fromkeys(self._states))
        child.pages = {band: [None] * len(child.keys) for band in self._tokens}
        parent.children[child.keys[0]] = child
        return child

    def _refresh(self, node: Node, request: Request) -> None:
        """Fill what a node lacks with what a request has."""
        for band, ids in node.pages.items():
            lacking = {
                place: vid
                for place, known in enumerate(ids)
                if known is None and (vid := request.page_at(band, node.begin + place)) is not None
            }
            if lacking:
                self._allocator.share(band, list(lacking.values()))
                for place, vid in lacking.items():
                    ids[place] = vid

    # ---------------------------------------------------------------------------------------------------- giving way

    def makes_room(self, refusal: Refusal) -> bool:
        """Let go of something for a demand that was refused, which is then to be asked for again; whether that is done.

        Where no kind suffices alone that is a page of what was used longest ago, of whatever kind.
        """
        if self.give_way(refusal):
            return True
        # a stage that has room lacks none of any kind
        one = [int(count != 0) for count in refusal.evict]
        return refusal.reason == "evict" and (self._gives(one) or self._forgets_an_end())

    def give_way(self, refusal: Refusal) -> bool:
        """Let go of what a refusal lacks, the least recently used first and no more; whether that is done.

        The kind that pays is the one of which enough is free to go, and whose last page to go was used longest ago.
        What a request uses is never let go of.
        """
        return refusal.reason == "evict" and self._gives(refusal.evict)

    def _gives(self, counts: Sequence[int | None]) -> bool:
        """Let go of so many pages of one of these bands, or of what another stage has to let go of; see `give_way`."""
        offers = {
            (offer[-1][0], self._positions[band], count): offer
            for band, count in enumerate(counts)
            if count and (offer := self._offer(band, count))
        }
        found = [each for own in self.gathered("what gives way", [*offers]) for each in own]
        if not found:
            return False
        _, kind, count = chosen = min(found)
        # a stage that has no such kind lets go of nothing, but does so with the others
        bands = [band for band, own in enumerate(self._positions) if own == kind]
        paying = [(band, each) for band in bands for each in offers.get(chosen) or self._offer(band, count)]
        self._let_go([(node, band, pages) for band, (_, node, pages) in paying])
        return True

    def spare(self, request: Request) -> bool:
        """Let go of the states that a request goes on from, so that it need not copy them; whether there were any."""
        own = {(band, slot) for band in self._states for slot in request.pages[band]}
        found = [
            (node, band, 1)
            for node in self._recency
            for band, slot in node.states.items()
            if slot is not None and (band, slot) in own
        ]
        if not any(self.gathered("whether states are spared", bool(found))):
            return False
        self._let_go(found)
        return True

    def clear(self) -> None:
        """Let go of everything."""
        for node in self._recency:
            self._release(node, 0)
        self._recency.clear()
        self._root.children.clear()

    def _forgets_an_end(self) -> bool:
        """Forget the end of a text that requests use, where nobody uses what is before it: that can go then.

        A request that began anew, since a state or a window was not known any more, has a beginning of its own.
        """
        for node in self._recency:
            above = node.parent
            while not node.children and above is not None:
                if self._is_sole(self._full, above.pages[self._full]).any():
                    self._let_go([(node, self._full, len(node.keys))])
                    return True
                above = above.parent
        return False

    def _offer(self, band: int, count: int) -> "list[tuple[int, Node, int]]":
        """So many pages of a band that are free to go, the least recently used first; nothing if there are fewer.

        Returns:
            Of each node that pays how recently it was used, the node, and how many pages it pays.
        """
        offer: list[tuple[int, Node, int]] = []
        gone: set[Node] = set()
        for age, node in enumerate(self._recency):
            free = self._free_to_go(node, band, gone)
            if free:
                offer.append((age, node, min(free, count)))
                count -= free
                if count <= 0:
                    return offer
                if band == self._full and free == len(node.keys):
                    gone.add(node)
        return []

    def _free_to_go(self, node: Node, band: int, gone: "set[Node]") -> int:
        """Pages of a band that a node can let go of, when these nodes are gone."""
        if band in self._states:
            slot = node.states[band]
            return 0 if slot is None else int(self._is_sole(band, [slot])[0])
        if band in self._windows:
            return int(self._is_sole(band, [vid for vid in node.pages[band] if vid is not None]).sum())
        if not gone.issuperset(node.children.values()):
            return 0
        shared = np.flatnonzero(~self._is_sole(band, node.pages[band]))
        return len(node.keys) - (int(shared[-1]) + 1 if shared.size else 0)

    def _is_sole(self, band: int, ids: Sequence[int | None]) -> npt.NDArray[np.bool_]:
        if not ids:
            return np.zeros(0, dtype=np.bool_)
        sole: npt.NDArray[np.bool_] = self._allocator.count_references(band, ids) == 1
        return sole

    def _let_go(self, paying: Sequence[tuple[Node, int, int]]) -> None:
        """Each of these nodes lets go of so many pages of a band that are free to go."""
        going = [(node, self._going(node, band, count)) for node, band, count in paying]
        self._leaving(going)
        for (node, band, count), (_, pages) in zip(paying, going, strict=True):
            if band == self._full:
                self._shorten(node, len(node.keys) - count)
                continue
            self._allocator.release(band, [vid for _, _, vid in pages])
            if band in self._states:
                node.states[band] = None
            else:
                for _, place, _ in pages:
                    node.pages[band][place] = None

    def _going(self, node: Node, band: int, count: int) -> list[Leaving]:
        """What a node lets go of with so many pages of a band; with those of full attention, whatever lies beside."""
        last = len(node.keys) - 1
        if band in self._states:
            known = [(band, last, node.states[band])]
        elif band == self._full:
            places = range(len(node.keys) - count, last + 1)
            known = [(each, place, ids[place]) for each, ids in node.pages.items() for place in places]
            known += [(each, last, slot) for each, slot in node.states.items()]
        else:
            known = [(band, place, vid) for place, vid in enumerate(node.pages[band])]
        there = [(each, place, vid) for each, place, vid in known if vid is not None]
        if band in self._windows:
            sole = self._is_sole(band, [vid for _, _, vid in there])
            there = [each for each, is_free in zip(there, sole, strict=True) if is_free][:count]
        return there

    def _shorten(self, node: Node, length: int) -> None:
        """Let go of what comes after so many pages of a node, in every kind; of the whole node if none are left."""
        self._release(node, length)
        if not length:
            assert node.parent is not None, "the root is never shortened"
            del node.parent.children[node.keys[0]]
            del self._recency[node]
        del node.keys[length:]
        for ids in node.pages.values():
            del ids[length:]

    def _release(self, node: Node, first: int) -> None:
        for band, ids in node.pages.items():
            if known := [vid for vid in ids[first:] if vid is not None]:
                self._allocator.release(band, known)
        for band, slot in node.states.items():
            if slot is not None:
                self._allocator.release(band, [slot])
                node.states[band] = None

    # ------------------------------------------------------------------------------------------------------- helpers

    def _keys(self, tokens: Sequence[int]) -> list[Key]:
        size, wide = self.page_tokens, self.page_tokens + self._ahead
        return [tuple(tokens[begin : begin + wide]) for begin in range(0, len(tokens) - wide + 1, size)]

    def _use(self, nodes: Iterable[Node]) -> None:
        """These are on one path from the root down, and were used just now."""
        for node in reversed(list(nodes)):
            self._recency[node] = None
            self._recency.move_to_end(node)
