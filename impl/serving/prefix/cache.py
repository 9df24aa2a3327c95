"""The prefix cache of an allocator: it hands out what is known, takes in what was computed, and gives way."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from impl.layout import Lifetime
from impl.misuse import Misuse
from impl.numbers import as_count
from impl.plan import Refusal
from impl.requests.protocol import Pages
from impl.requests.reach import first_needed
from impl.requests.request import Request
from impl.requests.requests import Requests
from impl.serving.prefix.node import Key, Node, path_of

DEFAULT_INTERVAL: Final = 256
"""Tokens between two kept states.  A state is as large as the other kinds' rows of some hundred tokens or more."""


class PrefixCache:
    """Keeps a reference to each page that it knows; so does every request that uses the page.

    A text is cached by whole pages.  It can be gone on with after so many tokens if every window still has what the
    next token looks back on, and if there is a state of that very moment.

    Args:
        allocator: or one on record.
        requests: those that begin with what is cached.
        interval: tokens between two states that are kept; a multiple of the page's.
        ahead: tokens after a page's own of which its rows are made as well.  A page is known by those, too; so of a
            text of so many whole pages the last one is known only with as many other tokens after it.

    Raises:
        Misuse: the interval is no multiple of a page.
    """

    def __init__(
        self, allocator: Pages, requests: Requests, *, interval: int = DEFAULT_INTERVAL, ahead: int = 0
    ) -> None:
        self._allocator, self._requests, self._ahead = allocator, requests, ahead
        self._kinds = [band.kind for band in allocator.chain.bands]
        self._states = [band for band, kind in enumerate(self._kinds) if kind.lifetime is Lifetime.STATE]
        self._tokens = [band for band in range(len(self._kinds)) if band not in self._states]
        self.page_tokens = self._kinds[self._tokens[0]].page_tokens
        if not as_count(interval, "interval") or interval % self.page_tokens:
            remedy = f"give a multiple of {self.page_tokens}"
            raise Misuse("interval", interval, "states are kept at the ends of pages", remedy)
        self.interval = interval
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

    def _leaving(self, node: Node, pages: Sequence[tuple[int, int, int]]) -> None:
        """A node is about to let go of these: the band, the place in the node, and the virtual page of each.

        A state's place is the last one.
        """

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
        usable = self._usable(path, known)
        self._use(node for node, _ in path)
        if not usable:
            return self._requests.begin()
        self.hit_tokens += usable * self.page_tokens
        pages: list[Any] = self._needed(known, usable)
        for band in self._states:
            pages[band] = [node.states[band] for node, _ in path if node.end == usable]
        return self._requests.begin(usable * self.page_tokens, pages)

    def _usable(self, path: Sequence[tuple[Node, int]], known: Sequence[Sequence[int | None]]) -> int:
        """The most pages of a path after which a request can go on, given what is known of each band."""
        for node, same in reversed(path):
            for end in range(node.begin + same, node.begin, -1):
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
        return refusal.reason == "evict" and self._gives_a_page()

    def give_way(self, refusal: Refusal) -> bool:
        """Let go of what a refusal lacks, the least recently used first and no more; whether that is done.

        The kind that pays is the one of which enough is free to go, and whose last page to go was used longest ago.
        What a request uses is never let go of.
        """
        if refusal.reason != "evict":
            return False
        offers = [
            (offer[-1][0], band, offer)
            for band, count in enumerate(refusal.evict)
            if count and (offer := self._offer(band, count))
        ]
        if not offers:
            return False
        _, band, offer = min(offers, key=lambda each: each[:2])
        for _, node, count in offer:
            self._let_go(node, band, count)
        return True

    def spare(self, request: Request) -> bool:
        """Let go of the states that a request goes on from, so that it need not copy them; whether there were any."""
        own = {(band, slot) for band in self._states for slot in request.pages[band]}
        found = [
            (node, band, slot)
            for node in self._recency
            for band, slot in node.states.items()
            if slot is not None and (band, slot) in own
        ]
        for node, band, slot in found:
            self._let_go_of_state(node, band, slot)
        return bool(found)

    def clear(self) -> None:
        """Let go of everything."""
        for node in self._recency:
            self._release(node, 0)
        self._recency.clear()
        self._root.children.clear()

    def _gives_a_page(self) -> bool:
        for node in self._recency:
            for band in range(len(self._kinds)):
                if self._free_to_go(node, band, set()):
                    self._let_go(node, band, 1)
                    return True
        return self._forgets_an_end()

    def _forgets_an_end(self) -> bool:
        """Forget the end of a text that requests use, where nobody uses what is before it: that can go then.

        A request that began anew, since a state or a window was not known any more, has a beginning of its own.
        """
        whole = [band for band in self._tokens if self._kinds[band].window is None]
        for node in self._recency:
            above = node.parent
            while not node.children and above is not None:
                if any(self._is_sole(band, above.pages[band]).any() for band in whole):
                    self._shorten(node, 0)
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
                if band not in self._states and self._kinds[band].window is None and free == len(node.keys):
                    gone.add(node)
        return []

    def _free_to_go(self, node: Node, band: int, gone: "set[Node]") -> int:
        """Pages of a band that a node can let go of, when these nodes are gone."""
        if band in self._states:
            slot = node.states[band]
            return 0 if slot is None else int(self._is_sole(band, [slot])[0])
        if self._kinds[band].window is not None:
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

    def _let_go(self, node: Node, band: int, count: int) -> None:
        slot = node.states.get(band)
        if slot is not None:
            self._let_go_of_state(node, band, slot)
        elif self._kinds[band].window is not None:
            known = [(place, vid) for place, vid in enumerate(node.pages[band]) if vid is not None]
            sole = self._is_sole(band, [vid for _, vid in known])
            going = [each for each, alone in zip(known, sole, strict=True) if alone][:count]
            self._leaving(node, [(band, place, vid) for place, vid in going])
            self._allocator.release(band, [vid for _, vid in going])
            for place, _ in going:
                node.pages[band][place] = None
        else:
            self._shorten(node, len(node.keys) - count)

    def _let_go_of_state(self, node: Node, band: int, slot: int) -> None:
        self._leaving(node, [(band, len(node.keys) - 1, slot)])
        self._allocator.release(band, [slot])
        node.states[band] = None

    def _shorten(self, node: Node, length: int) -> None:
        """Let go of what comes after so many pages of a node, in every kind; of the whole node if none are left."""
        last = len(node.keys) - 1
        known = [(band, at, ids[at]) for band, ids in node.pages.items() for at in range(length, last + 1)]
        known += [(band, last, slot) for band, slot in node.states.items()]
        self._leaving(node, [(band, place, vid) for band, place, vid in known if vid is not None])
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
