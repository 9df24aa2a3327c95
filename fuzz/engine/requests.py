"""What happens to requests: admission, growth, sharing, and the ways in which they end."""

from fuzz.engine.engine import MOST_REQUESTS, Engine, pick, some
from fuzz.engine.operations import Draws, operation
from fuzz.engine.request import Request, first_needed, pages_covering
from impl.layout import Lifetime


def _length(engine: Engine, draw: int) -> int:
    """Tokens of a prompt: mostly a few pages, at times many."""
    pages = (1, 1, 2, 3, 5, 8, 13, 24)[draw % 8]
    return (pages - 1) * engine.page_tokens + 1 + draw // 8 % engine.page_tokens


@operation(weight=8)
def admit(engine: Engine, draws: Draws) -> str:
    """A request arrives and gets the pages of its whole prompt, of all kinds at once."""
    return engine.start(_length(engine, draws[0]), engine.settleable(draws[1]))[1]


@operation(weight=3)
def prefill(engine: Engine, draws: Draws) -> str:
    """A request gets the pages of its next chunk."""
    if not engine.requests:
        return "no request"
    return engine.grow(engine.request(draws[0]), _length(engine, draws[1]), engine.settleable(draws[2]))


@operation(weight=8)
def decode(engine: Engine, draws: Draws) -> str:
    """A few requests get room for a token more each; most need no page for it."""
    if not engine.requests:
        return "no request"
    outcome = "grown"
    for place in range(1 + draws[1] % 3):
        outcome = engine.grow(engine.request(draws[0] + place), 1, engine.settleable(draws[2]))
    return outcome


@operation(weight=4)
def share_prefix(engine: Engine, draws: Draws) -> str:
    """A new request begins with whole pages of another, as far as they are cached, and gets the rest of its own."""
    cached = [request for request in engine.requests if request.launched >= engine.page_tokens]
    if not cached:
        return "nothing is cached"
    other = pick(cached, draws[0])
    whole = other.launched // engine.page_tokens
    pages = whole - draws[1] % 3
    shared = _shared_pages(engine, other, pages)
    if shared is None:
        return "nothing to share"
    for band, ids in enumerate(shared):
        if ids:
            engine.stage.share(band, ids)
    first = [
        pages - len(ids) if kind.lifetime is Lifetime.WINDOW else 0
        for kind, ids in zip(engine.kinds, shared, strict=True)
    ]
    tokens = pages * engine.page_tokens
    request = Request(tokens, shared, first, launched=tokens)
    engine.requests.append(request)
    outcome = engine.grow(request, 1 + draws[2] % (2 * engine.page_tokens), engine.settleable(draws[3]))
    if outcome != "grown":
        engine.give_up(request)
    return outcome


def _shared_pages(engine: Engine, other: Request, pages: int) -> list[list[int]] | None:
    """The virtual pages with which a request of so many whole pages begins; None if they are not all there any more."""
    if pages < 1:
        return None
    shared: list[list[int]] = []
    for band, kind in enumerate(engine.kinds):
        if kind.lifetime is Lifetime.STATE:
            # a state belongs to one request, and a new one begins with its own
            shared.append([])
            continue
        begin = first_needed(kind, pages * engine.page_tokens) - other.first[band]
        if begin < 0:
            return None
        shared.append(other.pages[band][begin : pages - other.first[band]])
    return shared


@operation(weight=4)
def fork(engine: Engine, draws: Draws) -> str:
    """A request goes on in two or three ways: each shares all of its pages, and copies what it writes next."""
    running = [request for request in engine.requests if request.launched]
    if not running:
        return "none is running"
    other = pick(running, draws[0])
    launched = other.launched
    ids = [
        pages[: max(0, pages_covering(kind, launched) - first)]
        for kind, pages, first in zip(engine.kinds, other.pages, other.first, strict=True)
    ]
    outcome = "enough requests"
    for _ in range(min(1 + draws[1] % 2, MOST_REQUESTS - len(engine.requests))):
        for band in engine.bands:
            if ids[band]:
                engine.stage.share(band, ids[band])
        child = Request(launched, [list(each) for each in ids], list(other.first), launched)
        engine.requests.append(child)
        outcome = engine.grow(child, draws[2] % (2 * engine.page_tokens), engine.settleable(draws[3]))
    return outcome


@operation(weight=3)
def roll_back(engine: Engine, draws: Draws) -> str:
    """The last tokens of a request were drafts and are taken back; the pages that only they filled are given up."""
    if not engine.requests:
        return "no request"
    request = engine.request(draws[0])
    tokens = max(0, request.tokens - draws[1] % (2 * engine.page_tokens + 1))
    if not tokens or any(
        first_needed(kind, min(tokens, request.launched)) < first
        for kind, first in zip(engine.kinds, request.first, strict=True)
    ):
        return "a window has left too much behind"
    request.tokens, request.launched = tokens, min(tokens, request.launched)
    outcome = "no page"
    for band, kind in enumerate(engine.kinds):
        kept = pages_covering(kind, tokens) - request.first[band]
        gone = request.pages[band][kept:]
        if gone:
            engine.stage.release(band, gone)
            del request.pages[band][kept:]
            outcome = "pages given up"
    return outcome


@operation(weight=1)
def share_twice(engine: Engine, draws: Draws) -> str:
    """Two more references to some pages of a request in one call, given up again one by one or together."""
    if not engine.requests:
        return "no request"
    request = engine.request(draws[0])
    band = pick(engine.bands, draws[1])
    ids = some(request.pages[band], draws[2])
    if not ids:
        return "no page"
    engine.stage.share(band, [*ids, *ids])
    for batch in ([*ids, *ids],) if draws[3] % 2 else (ids, ids[::-1]):
        engine.stage.release(band, batch)
    return "shared"


@operation(weight=4)
def finish(engine: Engine, draws: Draws) -> str:
    """A request whose results are all in ends."""
    idle = [request for request in engine.requests if not request.forwards]
    if not idle:
        return "all are busy"
    engine.give_up(pick(idle, draws[0]))
    return "done"


@operation(weight=3)
def abort(engine: Engine, draws: Draws) -> str:
    """A request ends at once, perhaps between the launch of a forward and its result."""
    if not engine.requests:
        return "no request"
    request = engine.request(draws[0])
    outcome = "in flight" if request.forwards else "idle"
    engine.give_up(request, backwards=draws[1] % 2 == 1)
    return outcome


@operation(weight=2)
def retract(engine: Engine, draws: Draws) -> str:
    """The youngest requests give up their pages, perhaps in flight; then the first of them asks for its pages again."""
    if not engine.requests:
        return "no request"
    for _ in range(min(len(engine.requests), 1 + draws[0] % 3)):
        request = engine.requests[-1]
        engine.give_up(request)
    return engine.start(request.tokens, engine.settleable(draws[1]))[1]
