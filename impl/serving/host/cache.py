"""A prefix cache on three levels: what gives way on the device comes back from the host's memory, or from files."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

from impl.device.arena import ArenaDevice
from impl.plan import Refusal
from impl.requests.request import Request
from impl.serving.engine.engine import Engine, Tickets
from impl.serving.host.copies import BACKUP, Copies, Copy, Pair
from impl.serving.host.digests import digests_of
from impl.serving.host.files import Files
from impl.serving.host.pages import HostPages, Place
from impl.serving.host.pins import Pins
from impl.serving.host.recall import Known, Recall, Source, recallable
from impl.serving.prefix.cache import DEFAULT_INTERVAL, PrefixCache
from impl.serving.prefix.gathered import longest
from impl.serving.prefix.node import Key, Leaving, Node, path_of

Write: TypeAlias = Literal["through", "back"]
"""When pages go to the host: as soon as they are cached, or not before they give way on the device."""


class TieredCache(PrefixCache):
    """See `PrefixCache`. A text is found by its tokens on any level, and each of its pages on the highest that has it.

    What is below comes back all at once, of every kind, or not at all: the device's pages are one joint demand.

    The stages of a pipeline have hosts of their own, each of which keeps as much as it has room for. A text comes back
    as far as it is there on all of them. Copies begin on all at once, and hold the same pages even where there is
    nothing to be copied.

    Args:
        engine: which it is made for.
        allocator: of the device's arena, or one on record.
        device: its device.
        host: the allocator of the host's arena, or one on record; of the same layout, so that the pages of both arenas
            are the same to the last byte.
        host_device: its device; see `on_host`.
        interval: see `PrefixCache`.
        write: when pages go to the host.
        files: keeps in files whatever has come to the host.
    """

    def __init__(
        self,
        engine: Engine,
        allocator: Tickets,
        device: ArenaDevice[Any],
        host: Tickets,
        host_device: ArenaDevice[Any],
        *,
        interval: int = DEFAULT_INTERVAL,
        write: Write = "through",
        files: Files | None = None,
    ) -> None:
        super().__init__(allocator, engine.requests, interval=interval, ahead=engine.ahead)
        self._engine, self._host, self._write, self.files = engine, host, write, files
        self.host_pages = HostPages(host)
        self.copies = Copies(allocator, device, host, host_device, self._landed)
        self.backed_up = self.loaded = 0

    # ---------------------------------------------------------------------------------------------- copies in flight

    @property
    def tickets(self) -> tuple[int, ...]:
        """See `PrefixCache.tickets`."""
        return self.copies.tickets

    def settled(self, tickets: Iterable[int]) -> None:
        """See `PrefixCache.settled`."""
        self.copies.settled(tickets)

    def before(self, read: Sequence[Iterable[int]], written: Sequence[Iterable[int]]) -> tuple[int, ...]:
        """See `PrefixCache.before`."""
        return self.copies.before(read, written)

    def poll(self, agreed: Callable[[int], int] = lambda landed: landed) -> None:
        """See `PrefixCache.poll`."""
        self.copies.poll(agreed)

    # ---------------------------------------------------------------------------------------------------- going down

    def keep(self, tokens: Sequence[int], request: Request) -> None:
        """See `PrefixCache.keep`."""
        super().keep(tokens, request)
        if self._write == "through":
            self._back_up(self._on_device(self._keys(tokens)))

    def clear(self) -> None:
        """Let go of everything on the device and on the host; files stay."""
        super().clear()
        self.host_pages.clear()

    def _leaving(self, pages: Sequence[tuple[Node, Sequence[Leaving]]]) -> None:
        """See `PrefixCache._leaving`."""
        if self._write == "back":
            sources = []
            # where the host has no room for all, the ends of texts stay out
            for node, leaving in reversed(pages):
                digests = digests_of(_keys_to(node))[node.begin :]
                sources += [Source(Place(band, digests[at]), vid) for band, at, vid in leaving]
            self._back_up(sources)

    def _on_device(self, keys: Sequence[Key]) -> list[Source]:
        """What the device has of a text that is taken in, the first pages first."""
        digests = digests_of(keys)
        found = []
        for node, _ in path_of(self._root, keys):
            for band, ids in node.pages.items():
                found += [Source(Place(band, digests[node.begin + at]), vid) for at, vid in enumerate(ids)]
            found += [Source(Place(band, digests[node.end - 1]), slot) for band, slot in node.states.items()]
        return [source for source in found if source.vid is not None]

    def _back_up(self, sources: Sequence[Source]) -> None:
        """Begin to copy to the host what it lacks of these, as far as it has room."""
        self.host_pages.use(source.place for source in sources)
        lacking = {place: vid for place, vid in sources if vid is not None and self.host_pages.get(place) is None}
        taken = self.host_pages.take(list(lacking))
        own = {(self._positions[place.band], place.digest) for place in taken}
        going = set().union(*self.gathered("what is backed up", own))
        if not going:
            return
        # whatever any stage copies is held on all, since an id that is held is not minted again
        held: list[list[int]] = [[] for _ in self._kinds]
        for (band, digest), vid in sources:
            if vid is not None and (self._positions[band], digest) in going:
                held[band].append(vid)
        pairs = [Pair(place, lacking[place], host_vid) for place, host_vid in taken.items()]
        self.copies.back_up(pairs, self._engine.flying, held)
        self.backed_up += len(pairs)

    def _landed(self, copy: Copy) -> None:
        if self.files is not None and copy.stream == BACKUP:
            for place, content in copy.bytes_of.items():
                self.files.put(place, content.numpy().tobytes())

    # ------------------------------------------------------------------------------------------------------ coming up

    def begin(self, tokens: Sequence[int]) -> Request:
        """See `PrefixCache.begin`; what the device lacks is on its way when it returns.

        A forward that uses it comes behind: see `before`.
        """
        keys = self._keys(tokens[: len(tokens) - 1])
        digests = digests_of(keys)
        self.host_pages.use(Place(band, digest) for digest in digests for band in range(len(self._kinds)))
        while (recall := self._recallable(keys, digests)) is not None:
            if self._recall(tokens, recall):
                break
        return super().begin(tokens)

    def _recallable(self, keys: Sequence[Key], digests: Sequence[bytes]) -> Recall | None:
        """The most that every stage can bring up, or None if the devices alone can go on with as much."""
        known = self._known_of(keys)
        return longest(
            lambda most: recallable(self._kinds, digests, known, self._is_below, most),
            lambda recall: 0 if recall is None else recall.pages,
            len(keys),
            "what comes up",
            self.gathered,
        )

    def _known_of(self, keys: Sequence[Key]) -> Known:
        path = path_of(self._root, keys)
        known = self._known(path)
        matching = path[-1][0].begin + path[-1][1] if path else 0
        states = {node.end: node.states for node, _ in path if node.end <= matching}
        return Known([ids[:matching] for ids in known], states, self._usable_everywhere(path, known))

    def _is_below(self, place: Place) -> bool:
        return self.host_pages.get(place) is not None or (self.files is not None and self.files.has(place))

    def _recall(self, tokens: Sequence[int], recall: Recall) -> bool:
        """Bring up what the device lacks, if there is room; False if a file that was counted on is not whole."""
        with Pins() as pins:
            # whatever makes room from here on must find these in use
            for band, sources in enumerate(recall.sources):
                pins.add(self._allocator, band, [source.vid for source in sources if source.vid is not None])
            lacking = []
            for place in recall.below():
                host_vid = self.host_pages.get(place)
                if host_vid is None:
                    lacking.append(place)
                else:
                    pins.add(self._host, place.band, [host_vid])
            contents = self._read(lacking)
            if contents is None:
                return False
            taken = self.host_pages.take(lacking)
            for place, host_vid in taken.items():
                self.copies.read_in(place, host_vid, contents[place])
            if len(taken) == len(lacking):
                self._load(tokens, recall)
        return True

    def _read(self, places: Sequence[Place]) -> dict[Place, bytes] | None:
        """What files have of each of these, or None if one is not whole."""
        contents = {}
        for place in places:
            assert self.files is not None, "what is below, and not on the host, is in a file"
            content = self.files.get(place)
            if content is None:
                return None
            contents[place] = content
        return contents

    def _load(self, tokens: Sequence[int], recall: Recall) -> None:
        """Begin to load, all of it or nothing, and put it into the tree."""
        demand = [sum(source.vid is None for source in sources) for sources in recall.sources]
        while isinstance(given := self._allocator.allocate(demand, self._engine.settleable), Refusal):
            if not self.makes_room(given):
                return
        self._engine.settled(given.plan.settle)
        new = [iter(ids.tolist()) for ids in given.ids]
        pages, pairs = [], []
        for band, sources in enumerate(recall.sources):
            pages.append([next(new[band]) if source.vid is None else source.vid for source in sources])
            for source, vid in zip(sources, pages[band], strict=True):
                if source.vid is None:
                    host_vid = self.host_pages.get(source.place)
                    assert host_vid is not None, "it is pinned"
                    pairs.append(Pair(source.place, vid, host_vid))
        self.copies.load(pairs)
        self.loaded += len(pairs)
        # the tree takes its own references from a request
        known = recall.pages * self.page_tokens
        request = self._requests.begin(known, pages)
        for band, ids in enumerate(given.ids):
            if ids.size:
                self._allocator.release(band, ids)
        super().keep(tokens[: known + self._ahead], request)
        self._requests.finish([request])


def _keys_to(node: Node) -> list[Key]:
    """The pages of text from the root to the end of a node."""
    keys: list[Key] = []
    above: Node | None = node
    while above is not None:
        keys = above.keys + keys
        above = above.parent
    return keys
