"""The pages of a computed prompt, on both ends, and the bytes at which they lie."""

from collections.abc import Iterator, Sequence

from impl.chain import Chain
from impl.misuse import Misuse
from impl.requests.reach import first_needed, places
from impl.requests.request import Request
from impl.serving.transfer.messages import Hello
from impl.serving.transfer.transport import Stretch


def hello_of(chain: Chain, session: str, address: str, base: int) -> Hello:
    """What an arena's owner says of it."""
    return Hello(session, address, base, chain.names, chain.page_bytes, chain.page_tokens, chain.origins, chain.model)


def check_alike(chain: Chain, peer: Hello) -> None:
    """See that pages of a peer's arena can become pages of this one, byte for byte.

    Raises:
        Misuse: they hold something else.
    """
    own = hello_of(chain, "", "", 0)
    for field in ("model", "names", "page_bytes", "page_tokens"):
        theirs = getattr(peer, field)
        if theirs != getattr(own, field):
            remedy = "serve the same model with the same options and the same share of its heads"
            raise Misuse(field, theirs, f"the peer's pages are not like the own, {getattr(own, field)}", remedy)
    if len(peer.origins) != len(chain.bands):
        raise Misuse("origins", peer.origins, "not one of each band", "say where each band's page 0 begins")


def demand_of(chain: Chain, tokens: int) -> tuple[int, ...]:
    """Of each band the pages with which a request goes on after so many tokens."""
    return tuple(places(band.kind, tokens) - first_needed(band.kind, tokens) for band in chain.bands)


def pages_of(chain: Chain, request: Request) -> tuple[list[int], ...]:
    """Of each band the virtual pages that another engine needs to go on with a request, in order."""
    demand = demand_of(chain, request.tokens)
    return tuple(ids[len(ids) - count :] for ids, count in zip(request.pages, demand, strict=True))


def stretches_of(
    chain: Chain, sources: Sequence[Sequence[int]], peer: Hello, give: Sequence[Sequence[int]]
) -> list[Stretch]:
    """Whole pages, one stretch each, whatever they hold between their rows.

    Args:
        chain: of the own arena.
        sources: of each band physical pages.
        peer: owns the other arena.
        give: of each band as many physical pages of that.

    Raises:
        Misuse: it gives more pages or fewer than there are, and so means another prompt.
    """

    def pairs() -> Iterator[Stretch]:
        if len(give) != len(chain.bands):
            problem = f"the own arena has {len(chain.bands)} kinds"
            raise Misuse("pages", len(give), problem, "give pages of each kind")
        for band, own, theirs, origin in zip(chain.bands, sources, give, peer.origins, strict=True):
            if len(own) != len(theirs):
                problem = f"{len(own)} of {band.name} are to be sent"
                raise Misuse("pages", len(theirs), problem, "give pages for the prompt that was asked for")
            for source, target in zip(own, theirs, strict=True):
                size = band.page_bytes
                yield Stretch(band.origin + source * size, origin + target * size, size)

    return list(pairs())
