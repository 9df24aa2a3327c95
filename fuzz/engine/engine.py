"""The engine: what it has, and how its requests get and give up pages."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from fuzz.engine.request import Request, first_needed, first_written, pages_covering
from fuzz.stage import Stage
from impl.layout import Kind, Lifetime
from impl.plan import Refusal

Member = TypeVar("Member")

MOST_REQUESTS = 24
MOST_TICKETS = 12

HOT = 3
"""Requests, the oldest, to which half of all that is done happens."""


class Engine:
    """Requests and publishers on a stage."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.kinds: tuple[Kind, ...] = tuple(band.kind for band in stage.allocator.chain.bands)
        self.bands = stage.bands
        self._windows = [(band, kind) for band, kind in enumerate(self.kinds) if kind.lifetime is Lifetime.WINDOW]
        self.requests: list[Request] = []
        self.publishers: dict[str, None] = {}
        self.quarantined: set[int] = set()
        """Transfers that failed."""
        self.page_tokens = max(kind.page_tokens for kind in self.kinds)

    # --------------------------------------------------------------------------------------------------- what there is

    def tickets(self, *users: str) -> list[int]:
        """The outstanding tickets of these users, oldest first."""
        return [ticket for ticket, (user, _) in self.stage.tickets.items() if user in users]

    def settleable(self, draw: int) -> list[int]:
        """No ticket, or all that can be settled, or some of them: which may be settled to make room."""
        if draw % 3 == 0:
            return []
        tickets = self.tickets("forward", "copy")
        return tickets if draw % 3 == 1 else some(tickets, draw // 3)

    def request(self, draw: int) -> Request:
        """One of the requests. Every second draw takes one of the few oldest: they are hot, and the others go cold."""
        return pick(self.requests[:HOT] if draw >> 15 & 1 else self.requests, draw)

    def open_the_gate(self) -> None:
        """Whoever has published takes it back."""
        for who in list(self.publishers):
            del self.publishers[who]
            self.stage.unpublish(who)

    # ------------------------------------------------------------------------------------------------------- requests

    def start(self, tokens: int, settle: Sequence[int]) -> tuple[Request | None, str]:
        """A new request with pages for so many tokens, or why there is none."""
        if len(self.requests) >= MOST_REQUESTS:
            return None, "enough requests"
        request = Request(0, [[] for _ in self.bands], [first_needed(kind, tokens) for kind in self.kinds])
        outcome = self.grow(request, tokens, settle)
        if any(request.pages):
            self.requests.append(request)
            return request, outcome
        return None, outcome

    def grow(self, request: Request, tokens: int, settle: Sequence[int]) -> str:
        """Pages for so many more tokens, of all kinds at once or none; then what its windows left behind goes.

        Pages that the next forward will write and that others refer to as well are copied in the same call.
        """
        after = request.tokens + tokens
        demand, copying = [], [self.shared_and_written(request, band) for band in self.bands]
        for kind, pages, first, places in zip(self.kinds, request.pages, request.first, copying, strict=True):
            demand.append(max(0, pages_covering(kind, after) - first - len(pages)) + len(places))
        if any(demand):
            originals = [[request.pages[band][place] for place in places] for band, places in enumerate(copying)]
            # pages of every third length are wiped, so that both sorts meet
            wipe = after % 3 == 0
            given = self.stage.allocate(demand, settle, originals if any(originals) else [], wipe=wipe)
            if given is None:
                return "rejected"
            if isinstance(given, Refusal):
                return f"refused {given.reason}"
            for band, (pages, ids, places) in enumerate(zip(request.pages, given, copying, strict=True)):
                for place, copy in zip(places, ids, strict=False):
                    pages[place] = copy
                pages.extend(ids[len(places) :])
                if places:
                    self.stage.release(band, originals[band])
        request.tokens = after
        self.slide(request)
        return "grown"

    def shared_and_written(self, request: Request, band: int) -> list[int]:
        """The places of pages of a request which its next forward will write, and to which others refer as well."""
        references, pages = self.stage.state.refs, request.pages[band]
        if not pages:
            return []
        begin = max(0, first_written(self.kinds[band], request.launched) - request.first[band])
        return [place for place in range(begin, len(pages)) if references[band, pages[place]] > 1]

    def forget_forwards(self) -> None:
        """Forwards that are over are nobody's any more."""
        outstanding = self.stage.tickets.keys()
        for request in self.requests:
            request.forwards &= outstanding

    def slide(self, request: Request) -> None:
        """Release the pages that no window of the request reaches any more."""
        for band, kind in self._windows:
            gone = min(first_needed(kind, request.launched) - request.first[band], len(request.pages[band]))
            if gone > 0:
                self.stage.release(band, request.pages[band][:gone])
                del request.pages[band][:gone]
                request.first[band] += gone

    def give_up(self, request: Request, backwards: bool = False) -> None:
        """Release all that a request has, whatever is still in flight."""
        self.requests.remove(request)
        for band in reversed(self.bands) if backwards else self.bands:
            if request.pages[band]:
                self.stage.release(band, request.pages[band])


def pick(members: Sequence[Member], draw: int) -> Member:
    """One of some."""
    return members[draw % len(members)]


def some(members: Sequence[Member], draw: int) -> list[Member]:
    """Those of some whose bit is set; later ones share the bits of earlier ones."""
    return [member for place, member in enumerate(members) if draw >> place % 16 & 1]


Operate = Callable[[Engine, tuple[int, int, int, int]], str]
"""What an operation does, given its draws; and a word for what came of it."""
