"""The bands of one of SGLang's allocators, as they can be looked at."""

from dataclasses import dataclass
from typing import Any

from fuzz.peers.inside.driver import Broken
from fuzz.peers.inside.steps import Seen
from fuzz.targets.sglang.building import IS_OLD


@dataclass(frozen=True)
class Member:
    """One band: what we call it, and the part of the allocator that keeps it."""

    kind: str
    part: Any

    @property
    def page_bytes(self) -> int:
        """Bytes of one of its pages."""
        return int(self.part.entry_bytes_per_page)

    def look(self) -> Seen:
        """Its span and page table."""
        part, size = self.part, self.page_bytes
        table = part.virtual_to_physical.tolist()
        if table[0] != 0:
            raise Broken("bijection", f"id 0 of the {self.kind} band, the sink's, is at page {table[0]}")
        lo, hi = part._byte_low_frontier() // size, part._byte_high_frontier() // size
        return Seen(lo, hi, {vid: table[vid] for vid in range(1, part.num_virtual_ids) if table[vid] != -1})

    def check(self, seen: Seen) -> None:
        """What the allocator keeps about this band agrees with itself; raises Broken."""
        self._check_inverse(seen)
        self._check_span(seen)
        if self.part.is_id_owner:
            self._check_ids(seen)
        self._check_translation(seen)

    def _check_inverse(self, seen: Seen) -> None:
        inverse = self.part.physical_to_virtual.tolist()
        tenants = {page: vid for page, vid in enumerate(inverse[: self.part.num_pages]) if page and vid != -1}
        if tenants != {page: vid for vid, page in seen.table.items()}:
            wrong = set(tenants.items()) ^ {(page, vid) for vid, page in seen.table.items()}
            raise Broken("bijection", f"{self.kind}: tables disagree on (page, id) {sorted(wrong)[:6]}")

    def _check_span(self, seen: Seen) -> None:
        part = self.part
        holes = part._free_phys_pages.tolist()
        pending = [page for pages, _ in part._pending_reuse.values() for page in pages]
        if sorted(pending) != sorted(part._pending_reuse_pages_cpu):
            kept = sorted(part._pending_reuse_pages_cpu)
            raise Broken("conservation", f"{self.kind}: pages {kept} are pending, and events will give {pending} back")
        parts = sorted([*seen.table.values(), *holes, *pending])
        if parts != list(range(seen.lo, seen.hi)):
            problem = (
                f"{self.kind}: span {seen.lo}..{seen.hi - 1} is not live, holes {sorted(holes)} and {pending} pending"
            )
            raise Broken("conservation", problem)

    def _check_ids(self, seen: Seen) -> None:
        free = self.part.free_virtual_ids.tolist()
        if len(set(free)) < len(free) or not seen.table.keys().isdisjoint(free):
            raise Broken("unique-ids", f"{self.kind}: an id is free twice, or free and in use: free are {free}")
        known = range(self.part.min_page_index, self.part.num_pages)
        if {*free, *seen.table} != set(known):
            lost = set(known) - {*free, *seen.table}
            raise Broken("conservation", f"{self.kind}: ids {sorted(lost)[:8]} are neither free nor in use")

    def _check_translation(self, seen: Seen) -> None:
        tokens = self.part.page_size
        # releases that do not promise the sink for padding are not asked for it
        asked = [0 if IS_OLD else -1, *(vid * tokens + tokens - 1 for vid in seen.table)]
        wanted = [0, *(page * tokens + tokens - 1 for page in seen.table.values())]
        told = self.part.translate_kv_loc(self.part.virtual_to_physical.new_tensor(asked)).tolist()
        if told[0] != 0:
            raise Broken("index-range", f"{self.kind}: padding is translated to token {told[0]}, not to the sink")
        if told != wanted:
            raise Broken("agreement", f"{self.kind}: translation differs from the page table")
