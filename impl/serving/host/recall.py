"""How much of a text can be gone on with, if what the device lacks comes up from below."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from impl.layout import Kind, Lifetime
from impl.requests.reach import first_needed
from impl.serving.host.pages import Place


class Source(NamedTuple):
    """Where a page of a text is.

    Attributes:
        place: what it is of.
        vid: its virtual page of the device's arena; None if it is only below.
    """

    place: Place
    vid: int | None


class Recall(NamedTuple):
    """What a text can go on with.

    Attributes:
        pages: so many first ones of the text.
        sources: of each band, the pages that a request needs which goes on after these, in order.
    """

    pages: int
    sources: tuple[tuple[Source, ...], ...]

    def below(self) -> list[Place]:
        """What the device lacks."""
        return [source.place for own in self.sources for source in own if source.vid is None]


@dataclass(frozen=True)
class Known:
    """What a device has of a text.

    Attributes:
        tokens: of each band of tokens, virtual pages of the first pages of the text; None for one that it lacks.
        states: by pages of the text, of each state band the slot as it was after these; None for one that it lacks.
        usable: the most pages that it can go on with as it is; of stages, all of them.
    """

    tokens: Sequence[Sequence[int | None]]
    states: Mapping[int, Mapping[int, int | None]]
    usable: int


def recallable(
    kinds: Sequence[Kind],
    digests: Sequence[bytes],
    known: Known,
    is_below: Callable[[Place], bool],
    most: int | None = None,
) -> Recall | None:
    """The most that a text can go on with, or None if the device alone can go on with as much.

    It goes only as far as all kinds have what the next token reads: full attention everything, a window what it looks
    back on, a state the slot of that very moment.

    Args:
        kinds: of each band.
        digests: of each page of the text.
        known: on the device.
        is_below: whether a page is anywhere else.
        most: pages that it is to go on with; those of the text if left out.
    """

    @cache
    def source(band: int, at: int) -> Source | None:
        place = Place(band, digests[at])
        if kinds[band].lifetime is Lifetime.STATE:
            vid = known.states.get(at + 1, {}).get(band)
        else:
            vid = known.tokens[band][at] if at < len(known.tokens[band]) else None
        return Source(place, vid) if vid is not None or is_below(place) else None

    most = len(digests) if most is None else most
    for band, kind in enumerate(kinds):
        if kind.lifetime is Lifetime.FULL:
            most = next((at for at in range(most) if source(band, at) is None), most)
    for pages in range(most, known.usable, -1):
        needed = [_needed(kind, pages) for kind in kinds]
        if all(source(band, at) is not None for band, own in enumerate(needed) for at in own):
            sources = [tuple(filter(None, [source(band, at) for at in own])) for band, own in enumerate(needed)]
            return Recall(pages, tuple(sources))
    return None


def _needed(kind: Kind, pages: int) -> Iterable[int]:
    if kind.lifetime is Lifetime.STATE:
        return (pages - 1,)
    return range(first_needed(kind, pages * kind.page_tokens), pages)
