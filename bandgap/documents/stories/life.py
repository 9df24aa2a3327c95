"""The life of a page, from its allocation to the reuse of its address."""

from dataclasses import dataclass

from bandgap.documents.stories.telling import FULL, STATE, WINDOW, Moment, Telling


@dataclass(frozen=True)
class Chapter:
    """A part of the story: what happens to the page, and the arena then."""

    title: str
    text: str
    moment: Moment


def life_of_a_page() -> tuple[Chapter, ...]:
    """The story of one page of full attention, told by an allocator under the judge."""
    telling = Telling()
    allocator = telling.allocator
    neighbour = telling.give(1, 2, 4)
    telling.moment()
    ours = telling.give(1, 2, 3)
    hero = int(ours.ids[FULL][0])
    home = int(allocator.allocator.translate(FULL, [hero])[0])
    chapters = []

    def chapter(title: str, text: str) -> None:
        chapters.append(Chapter(title, text, telling.moment((FULL, home))))

    chapter(
        "It is allocated",
        "A request asks for pages of every kind at once, and gets all of them or none. Spans grow into the gaps by a "
        f"few holes, and holes become the homes of new virtual pages. Ours is virtual page {hero} of the full band, "
        f"v{hero} in the picture, at physical page {home}. It has one reference, and promises no contents.",
    )
    first = allocator.open("forward", "compute")
    allocator.hold(first, FULL, [hero], "write")
    chapter(
        "A forward pass is given its address",
        f"Ticket {first} stands for a forward pass that will write keys and values to it. The ledger now says so, and "
        "until the ticket retires nobody may move the page: a write is on its way to this very address.",
    )
    allocator.complete(first)
    for band in (STATE, WINDOW, FULL):
        allocator.release(band, neighbour.ids[band])
    chapter(
        "It is written, and its neighbour leaves",
        "The ticket completes: its writes have landed. Another request ends, and gives its pages back; they become "
        "holes or leave their spans at once, since nobody holds them.",
    )
    assert allocator.compact(10_000) > 0
    left, home = home, int(allocator.allocator.translate(FULL, [hero])[0])
    assert left != home
    chapter(
        "It moves",
        "In an idle moment pages are copied into holes of their own band, so that spans retreat and gaps widen. The "
        f"virtual page keeps its id, although it lives at physical page {home} now: whoever knows it by that notices "
        "nothing. The copies are *queued* on the allocator's stream.",
    )
    second = allocator.open("forward", "compute")
    allocator.drain()
    allocator.hold(second, FULL, [hero], "read")
    for band in (STATE, WINDOW, FULL):
        allocator.release(band, ours.ids[band])
    chapter(
        "It is freed while it is read",
        "The allocator's stream was seen to have caught up, its copies with it: [drain](actions/drain.md) says so, and "
        f"nothing is queued any more. Then the request ends, and with it the last reference, although ticket {second} "
        "still reads the page. The id means nothing any more, but the address is withheld: what is logically free "
        "is not yet handed out.",
    )
    allocator.complete(second)
    chapter(
        "It is let go",
        "The ticket completes: its work was seen to be over. Nobody holds the page any more, so it is free: a hole, or "
        "no part of its span at all. To let go of it sooner, the ticket could have been [settled](actions/settle.md): "
        "the allocator's stream then waits for it, and the page is free for whatever is ordered behind that stream.",
    )
    allocator.drain()
    new = telling.give(1, 1, 3).ids[FULL]
    at = allocator.allocator.translate(FULL, new).tolist()
    text = (
        f"A new request is given physical page {home} again, under the id {int(new[at.index(home)])}. Nothing of the "
        "earlier owner can still arrive there: every ticket that held it has retired, here by completion. (The work of "
        "a ticket that was settled may still run, but only what is ordered behind it may touch the page.)"
    )
    chapter("Its address is used again", text)
    return tuple(chapters)
