"""What a cache lets go of when it gives way is counted."""

from collections.abc import Callable

from fuzz.serving.running import Served
from fuzz.violation import Violation
from impl.plan import Refusal


def watched(give_way: Callable[[Refusal], bool], served: Served) -> Callable[[Refusal], bool]:
    """A cache's `give_way`, of which it is seen what it lets go of: that must become free, and nothing else."""

    def giving_way(refusal: Refusal) -> bool:
        before = [kind.live for kind in served.allocator.statistics().kinds]
        if not give_way(refusal):
            return False
        after = [kind.live for kind in served.allocator.statistics().kinds]
        freed = [was - now for was, now in zip(before, after, strict=True)]
        lacking = [(count, pages) for count, pages in zip(refusal.evict, freed, strict=True) if count]
        seen = f"of each kind {refusal.evict} pages were lacking, and it freed {freed}"
        if not any(pages >= count for count, pages in lacking):
            raise Violation("gives-way-enough", seen)
        if not any(pages == count for count, pages in lacking):
            raise Violation("gives-way-no-more", seen)
        return True

    return giving_way
