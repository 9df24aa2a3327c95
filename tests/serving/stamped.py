"""Two ends of a transfer without a model: every byte of a page says whose it is, so that a foreign one is seen."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import torch

from events import records
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.at_once import AtOnceRuntime
from impl.layout import Layout
from impl.plan import Refusal
from impl.recording import RecordedAllocator
from impl.requests.request import Request
from impl.requests.requests import Requests
from impl.serving.transfer.receiver import Incoming, Receiver
from impl.serving.transfer.sender import Post, Sender
from impl.serving.transfer.shape import pages_of
from impl.serving.transfer.transport import Transport
from spec.judge.judge import Judge

MakeTransport = Callable[[torch.Tensor], Transport[Any]]


class ForeignByte(Exception):
    """A byte of a page is not whose the page is."""


@dataclass(eq=False)
class Stamps:
    """An arena of stamped pages, whose allocator is judged."""

    layout: Layout
    arena_bytes: int
    checked: int = 0

    def __post_init__(self) -> None:
        devices: list[ArenaDevice[Any]] = []

        def device(chain: Chain) -> ArenaDevice[Any]:
            devices.append(ArenaDevice(chain, AtOnceRuntime()))
            return devices[-1]

        judge = Judge()

        def judged(record: records.AnyRecord) -> None:
            finding = judge.take(record)
            assert finding is None, finding

        self.allocator = RecordedAllocator(Allocator(self.layout, self.arena_bytes, device=device), judged)
        self.device = devices[0]
        self.requests = Requests(self.allocator)

    def write(self, name: str, pages: tuple[list[int], ...]) -> None:
        """Let pages of each band say that they are of this name."""
        for page, stamp in self._stamps(name, pages):
            page.fill_(stamp)

    def check(self, name: str, pages: tuple[list[int], ...]) -> None:
        """See that all bytes of pages are of this name."""
        for page, stamp in self._stamps(name, pages):
            if not bool((page == stamp).all()):
                raise ForeignByte(f"{int((page != stamp).sum())} words of a page of {name}")
            self.checked += page.nbytes

    def _stamps(self, name: str, pages: tuple[list[int], ...]) -> list[tuple[torch.Tensor, int]]:
        found = []
        words = self.device.arena.view(torch.int64)
        for geometry, ids in zip(self.allocator.chain.bands, pages, strict=True):
            places = self.allocator.translate(geometry.number, ids).tolist() if ids else []
            for place, page in enumerate(places):
                begin = (geometry.origin + page * geometry.page_bytes) // 8
                digest = blake2b(f"{name} {geometry.number} {place}".encode(), digest_size=8).digest()
                found.append(
                    (words[begin : begin + geometry.page_bytes // 8], int.from_bytes(digest, "big", signed=True))
                )
        return found


class StampedPrefill:
    """Computes prompts by stamping their pages."""

    def __init__(
        self, stamps: Stamps, make: MakeTransport, session: str, post: Post, patience: float, now: Callable[[], float]
    ) -> None:
        self.stamps, self._waiting = stamps, list[tuple[str, str, int]]()
        self.sender = Sender(
            stamps.allocator,
            stamps.requests,
            stamps.device,
            make(stamps.device.arena),
            session,
            post,
            patience=patience,
            now=now,
        )

    def begin(self, session: str, name: str, tokens: int) -> None:
        """A prompt for a peer."""
        self._waiting.append((session, name, tokens))

    def poll(self) -> None:
        """See `Sender.poll`."""
        while self._waiting and self._compute(*self._waiting[0]):
            self._waiting.pop(0)
        self.sender.poll()

    def _compute(self, session: str, name: str, tokens: int) -> bool:
        stamps = self.stamps
        request = stamps.requests.begin()
        if isinstance(stamps.requests.extend([request], tokens), Refusal):
            stamps.requests.finish([request])
            return False
        ticket = stamps.allocator.open("forward", "compute")
        stamps.requests.launch(ticket, [request])
        stamps.write(name, pages_of(stamps.allocator.chain, request))
        stamps.allocator.complete(ticket)
        stamps.requests.accept([request], tokens)
        self.sender.computed(session, name, request, len(name), ())
        return True


@dataclass(eq=False)
class _Kept:
    """Pages that are looked at again before they are given back."""

    name: str
    pages: tuple[list[int], ...]
    request: Request | None = None
    looks: int = 3


@dataclass(eq=False)
class StampedDecode:
    """Goes on from prompts by looking at their pages, and uses whatever is free for pages of its own."""

    stamps: Stamps
    make: MakeTransport
    session: str
    post: Post
    rng: random.Random
    kept: list[_Kept] = field(default_factory=list)
    asked: dict[str, Incoming] = field(default_factory=dict)
    ended: list[tuple[str, str]] = field(default_factory=list)
    own: int = 0

    def __post_init__(self) -> None:
        stamps = self.stamps
        self.receiver = Receiver(
            stamps.allocator,
            stamps.requests,
            stamps.device,
            self.make(stamps.device.arena),
            self.session,
            self.post,
            landed=self._landed,
            failed=self._failed,
        )

    def ask(self, session: str, name: str, tokens: int) -> None:
        """A prompt of a peer."""
        self.asked[name] = self.receiver.ask(session, name, tokens)

    def abort(self, name: str) -> None:
        """Nobody wants it; its pages are used for something else as soon as they can be had."""
        if name in self.asked:
            self.receiver.abort(self.asked.pop(name))
            self.ended.append((name, "aborted"))
            self._use_pages()

    def poll(self) -> None:
        """See `Receiver.poll`; and look at pages."""
        self.receiver.poll()
        if self.rng.random() < 0.2 and len(self.kept) < 8:
            self._use_pages()
        if self.kept and self.rng.random() < 0.3:
            kept = self.rng.choice(self.kept)
            self.stamps.check(kept.name, kept.pages)
            kept.looks -= 1
            if not kept.looks:
                self._give_back(kept)

    def clear(self) -> None:
        """Look at everything once more, and give it back."""
        for kept in list(self.kept):
            self.stamps.check(kept.name, kept.pages)
            self._give_back(kept)

    def _use_pages(self) -> None:
        """Of every kind, as many as are free and some more."""
        stamps = self.stamps
        for share in (8, 4, 2, 1):
            given = stamps.allocator.allocate([share] * len(stamps.allocator.chain.bands))
            if not isinstance(given, Refusal):
                self.own += 1
                pages = tuple(ids.tolist() for ids in given.ids)
                kept = _Kept(f"own {self.own}", pages)
                stamps.write(kept.name, kept.pages)
                self.kept.append(kept)
                return

    def _landed(self, incoming: Incoming, request: Request, first: int, logits: tuple[float, ...]) -> None:
        del self.asked[incoming.name]
        pages = tuple(list(ids) for ids in request.pages)
        self.stamps.check(incoming.name, pages)
        assert first == len(incoming.name)
        self.kept.append(_Kept(incoming.name, pages, request))
        self.ended.append((incoming.name, "landed"))

    def _failed(self, incoming: Incoming) -> None:
        del self.asked[incoming.name]
        self.ended.append((incoming.name, "failed"))
        self._use_pages()

    def _give_back(self, kept: _Kept) -> None:
        self.kept.remove(kept)
        if kept.request is not None:
            self.stamps.requests.finish([kept.request])
        else:
            for band, ids in enumerate(kept.pages):
                self.stamps.allocator.release(band, ids)
