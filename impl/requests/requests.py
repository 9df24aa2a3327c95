"""Requests on an allocator: they grow, share, copy what they write, slide, roll back and end."""

from collections.abc import Iterable, Sequence
from typing import Any

from impl.chain import Chain
from impl.layout import Kind
from impl.misuse import Misuse
from impl.numbers import as_count, is_integer
from impl.plan import Grant, Refusal
from impl.requests.growth import growth_of
from impl.requests.protocol import Pages
from impl.requests.reach import first_needed, first_written, places
from impl.requests.request import Request


class Requests:
    """Keeps the pages of requests by their tokens.

    A request's life: `begin`, then again and again `extend` (pages for more tokens), `launch` (a forward uses them),
    `accept` (so many tokens are final) or `roll_back` (so many were speculative and are given up); `fork` at any time
    between; `finish`. Calls take whole batches, and each costs a few calls of the allocator however large the batch.

    Pages are shared by reference. Before a token is written to a page that another request refers to, the page is
    copied, all of a batch in the one joint allocation that also brings its new pages: a partially filled last page
    after a fork, and the state, which every token overwrites. The last one to refer to a page writes to it as it is.

    Args:
        allocator: or one on record.
        wipe: whether new pages begin as zeros; see `Allocator.allocate`.
    """

    def __init__(self, allocator: Pages, *, wipe: bool = False) -> None:
        self._allocator, self._wipe = allocator, wipe
        self._kinds: tuple[Kind, ...] = tuple(band.kind for band in allocator.chain.bands)
        self._bands = range(len(self._kinds))

    @property
    def chain(self) -> Chain:
        """The bands of the allocator."""
        return self._allocator.chain

    # ------------------------------------------------------------------------------------------------------ beginning

    def begin(self, tokens: int = 0, pages: Sequence[Iterable[int]] | None = None) -> Request:
        """A new request, without pages or with those of a prefix, to each of which it takes a reference.

        Args:
            tokens: of the prefix; they are final.
            pages: of each band in chain order, the virtual pages of the prefix: of full attention all, of a window
                those that its next token reads or more, of a state the slot that holds it after the prefix.

        Raises:
            Misuse: too few or too many pages for so many tokens, or one that is not alive.
        """
        if not as_count(tokens, "tokens"):
            if pages is not None and any(list(each) for each in pages):
                raise Misuse("pages", pages, "an empty prefix has none", "leave them out, or say of how many tokens")
            return Request(tuple([] for _ in self._bands), [0 for _ in self._bands])
        listed = tuple(list(each) for each in pages or ())
        if len(listed) != len(self._bands):
            problem = f"{len(listed)} lists for {len(self._bands)} bands"
            raise Misuse("pages", pages, problem, "give the pages of each band in chain order")
        first = [places(kind, tokens) - len(ids) for kind, ids in zip(self._kinds, listed, strict=True)]
        for kind, place, ids in zip(self._kinds, first, listed, strict=True):
            if not 0 <= place <= first_needed(kind, tokens):
                least = places(kind, tokens) - first_needed(kind, tokens)
                problem = f"{len(ids)} of kind {kind.name} for {tokens} tokens, which need {least}"
                raise Misuse("pages", ids, problem, "give the last pages of the prefix, as far as it is still read")
        # all are seen to be alive before any gains a reference
        for band, ids in enumerate(listed):
            self._allocator.count_references(band, ids)
        for band, ids in enumerate(listed):
            if ids:
                self._allocator.share(band, ids)
        return Request(listed, first, tokens, tokens, tokens)

    def fork(self, request: Request) -> Request:
        """Another request that begins with the same tokens and shares all their pages. Takes no memory by itself.

        Raises:
            Misuse: the request is finished, or has tokens that were not launched, which would be written for both.
        """
        _check_running((request,))
        if request.launched < request.tokens:
            waiting = request.tokens - request.launched
            raise Misuse("request", request.tokens, f"{waiting} of its tokens wait for a forward", "launch them first")
        for band, ids in enumerate(request.pages):
            if ids:
                self._allocator.share(band, ids)
        return Request(
            tuple(list(ids) for ids in request.pages),
            list(request.first),
            request.tokens,
            request.launched,
            request.settled,
        )

    # -------------------------------------------------------------------------------------------------------- growing

    def extend(
        self, requests: Sequence[Request], tokens: int | Sequence[int] = 1, settle: Iterable[int] = ()
    ) -> Grant | Refusal:
        """Pages for so many more tokens of each request, of all kinds at once, or for none of them.

        Args:
            requests: each once.
            tokens: for each of them, or one number for all.
            settle: tickets that may be settled to make room. A forward that still writes a page which has to be
                copied must be among them, or have completed.

        Returns:
            What the allocator gave; a refusal leaves everything as it was.

        Raises:
            Misuse: a request twice or finished, or a page that has to be copied while a ticket that may not be settled
                writes it.
        """
        _check_running(requests)
        counts = _counts(tokens, requests)
        growing = [(request, count) for request, count in zip(requests, counts, strict=True) if count]
        growths = [growth_of(self._allocator, band, kind, growing) for band, kind in enumerate(self._kinds)]
        demand = tuple(growth.demand for growth in growths)
        originals = [growth.originals for growth in growths]
        result = self._allocator.allocate(demand, settle, originals if any(originals) else None, wipe=self._wipe)
        if isinstance(result, Refusal):
            return result
        for band, (growth, ids) in enumerate(zip(growths, result.ids, strict=True)):
            growth.hand_over(band, ids.tolist())
            if growth.originals:
                self._allocator.release(band, growth.originals)
        for request, count in growing:
            request.tokens += count
        return result

    def launch(self, ticket: int, requests: Sequence[Request]) -> None:
        """A forward computes the tokens of these requests that were not launched yet: its ticket holds what it uses.

        It writes their states and the pages of those tokens, and reads all other pages of the requests.

        Raises:
            Misuse: as `hold`; a request twice or finished. The ticket then keeps what it was given already: complete
                it, and launch with another.
        """
        _check_running(requests)
        working = [request for request in requests if request.launched < request.tokens]
        for band, kind in enumerate(self._kinds):
            written: list[int] = []
            read: list[int] = []
            for request in working:
                ids, index = request.pages[band], first_written(kind, request.launched) - request.first[band]
                read += ids[:index]
                written += ids[index:]
            if written:
                self._allocator.hold(ticket, band, written, "write")
            if read:
                self._allocator.hold(ticket, band, read, "read")
        for request in working:
            request.launched = request.tokens

    # ----------------------------------------------------------------------------------------- settling, rolling back

    def accept(self, requests: Sequence[Request], tokens: int | Sequence[int] = 1) -> None:
        """So many more tokens of each request are final, and what no later token reads slides out of its windows.

        A page that slides out while a forward still reads it is withheld until that one has retired.

        Raises:
            Misuse: more tokens than were launched; a request twice or finished.
        """
        _check_running(requests)
        counts = _counts(tokens, requests)
        for request, count in zip(requests, counts, strict=True):
            if request.settled + count > request.launched:
                problem = f"{request.launched - request.settled} were launched and are not final"
                raise Misuse("tokens", count, problem, "accept tokens that a forward has computed")
        for request, count in zip(requests, counts, strict=True):
            request.settled += count
        for band, kind in enumerate(self._kinds):
            if kind.window is None:
                continue
            gone: list[int] = []
            for request in requests:
                beyond = first_needed(kind, request.settled) - request.first[band]
                if beyond > 0:
                    gone += request.pages[band][:beyond]
                    del request.pages[band][:beyond]
                    request.first[band] += beyond
            if gone:
                self._allocator.release(band, gone)

    def roll_back(self, requests: Sequence[Request], tokens: int | Sequence[int]) -> None:
        """Give up so many of the last tokens of each request, which were speculative, and the pages only they need.

        What is left of a page is written again by the next tokens. A state cannot be taken back: fork the request
        before it speculates, and go on with the fork whose state is right.

        Raises:
            Misuse: more tokens than are not final; a request twice or finished.
        """
        _check_running(requests)
        counts = _counts(tokens, requests)
        for request, count in zip(requests, counts, strict=True):
            if count > request.tokens - request.settled:
                problem = f"only {request.tokens - request.settled} tokens are not final"
                raise Misuse("tokens", count, problem, "roll back speculative tokens only")
        for request, count in zip(requests, counts, strict=True):
            request.tokens -= count
            request.launched = min(request.launched, request.tokens)
        for band, kind in enumerate(self._kinds):
            gone: list[int] = []
            for request in requests:
                kept = max(0, places(kind, request.tokens) - request.first[band])
                gone += request.pages[band][kept:]
                del request.pages[band][kept:]
            if gone:
                self._allocator.release(band, gone)

    # ------------------------------------------------------------------------------------------------------------ end

    def finish(self, requests: Sequence[Request]) -> None:
        """Give back every page of these requests, whatever is in flight: what a ticket holds is withheld for it.

        Raises:
            Misuse: a request twice or finished already.
        """
        _check_running(requests)
        for band in self._bands:
            ids = [vid for request in requests for vid in request.pages[band]]
            if ids:
                self._allocator.release(band, ids)
        for request in requests:
            request.finished = True
            for ids in request.pages:
                ids.clear()


def _check_running(requests: Sequence[Request]) -> None:
    if len(set(map(id, requests))) < len(requests):
        raise Misuse("requests", len(requests), "one of them is named twice", "name each request once")
    for request in requests:
        if request.finished:
            raise Misuse("requests", request.tokens, "one of them is finished", "begin a new request")


def _counts(tokens: Any, requests: Sequence[Request]) -> list[int]:
    if is_integer(tokens):
        return [as_count(tokens, "tokens")] * len(requests)
    counts = [as_count(count, "tokens") for count in tokens]
    if len(counts) != len(requests):
        problem = f"{len(counts)} counts for {len(requests)} requests"
        raise Misuse("tokens", tokens, problem, "give one for each request")
    return counts
