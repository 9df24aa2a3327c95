"""A checker of recorded steps that knows nothing but sets of bytes and pages. Slow, obvious, and independent."""

from collections import Counter
from typing import Any

from events import records as r


class Replay:
    """Follows a trace and asserts that every page action in it is legal when it happens."""

    def __init__(self) -> None:
        self.moved_bytes = 0
        self.call: Any = None
        self.pending: Any = None
        self.refused = False

    def __call__(self, record: Any) -> None:
        """Take one record. A call takes effect with the record after it, unless that says that it failed."""
        call, self.pending = self.pending, None
        if call is not None and not (isinstance(record, r.End) and record.outcome == "failed"):
            self._take(call)
        if isinstance(record, r.Call):
            self.call, self.pending, self.refused, self.moved_bytes = record, record, False, 0
        else:
            self._take(record)

    def _take(self, record: Any) -> None:
        getattr(self, f"on_{type(record).__name__.lower()}")(record)

    # ------------------------------------------------------------------------------------------------------- frame

    def on_header(self, header: r.Header) -> None:
        self.header = header
        self.bands = range(len(header.bands))
        self.span: list[list[int]] = [[0, 0] for _ in self.bands]
        self.page_of: list[dict[int, int]] = [{} for _ in self.bands]
        self.references: list[Counter[int]] = [Counter() for _ in self.bands]
        self.held: dict[int, dict[tuple[int, int], tuple[str, int]]] = {}
        self.publishers: set[str] = set()

    def on_snapshot(self, snapshot: r.Snapshot) -> None:
        if not hasattr(self, "begun"):
            self.begun = True
            assert not any(band.pages or band.withheld for band in snapshot.bands)
            self.span = [[band.lo, band.hi] for band in snapshot.bands]
        for band, its in enumerate(snapshot.bands):
            assert its.lo == self.span[band][0]
            assert its.hi == self.span[band][1]
            assert dict(zip(its.ids, its.pages, strict=True)) == self.page_of[band]
            assert dict(zip(its.ids, its.references, strict=True)) == dict(self.references[band])
            held = {page for entries in self.held.values() for where, page in entries if where == band}
            assert set(its.withheld) == held - set(its.pages)

    def on_end(self, end: r.End) -> None:
        if isinstance(self.call, r.Allocate) and end.outcome == "done":
            assert [len(ids) for ids in end.ids] == self.call.demand
        if end.outcome == "refused":
            assert self.refused
        self._check()

    # ------------------------------------------------------------------------------------------------------- calls

    def on_allocate(self, call: r.Allocate) -> None:
        pass

    def on_compact(self, call: r.Compact) -> None:
        pass

    def on_share(self, call: r.Share) -> None:
        self.references[call.band].update(call.ids)

    def on_release(self, call: r.Release) -> None:
        for each in call.ids:
            assert self.references[call.band][each] > 0
            self.references[call.band][each] -= 1
            if not self.references[call.band][each]:
                del self.references[call.band][each], self.page_of[call.band][each]

    def on_open(self, call: r.Open) -> None:
        self.held[call.ticket] = {}

    def on_hold(self, call: r.Hold) -> None:
        for each in call.ids:
            key = call.band, self.page_of[call.band][each]
            stronger = "write" if "write" in (call.mode, self.held[call.ticket].get(key, ("read",))[0]) else "read"
            self.held[call.ticket][key] = stronger, each

    def on_complete(self, call: r.Complete) -> None:
        del self.held[call.ticket]

    on_settle = on_complete

    def on_drain(self, call: r.Drain) -> None:
        pass

    def on_publish(self, call: r.Publish) -> None:
        self.publishers.add(call.who)

    def on_unpublish(self, call: r.Unpublish) -> None:
        self.publishers.remove(call.who)

    # ------------------------------------------------------------------------------------------------------- steps

    def on_settled(self, step: r.Settled) -> None:
        assert step.ticket in self.call.settle
        del self.held[step.ticket]

    def on_refused(self, step: r.Refused) -> None:
        self.refused = True

    def on_grewlow(self, step: r.GrewLow) -> None:
        assert step.band > 0
        assert step.count > 0
        self.span[step.band][0] -= step.count
        self._check()

    def on_grewhigh(self, step: r.GrewHigh) -> None:
        assert step.band < len(self.bands) - 1
        assert step.count > 0
        self.span[step.band][1] += step.count
        self._check()

    def on_absorbedlow(self, step: r.AbsorbedLow) -> None:
        assert step.band > 0
        assert step.count > 0
        self.span[step.band][0] += step.count
        self._check()

    def on_absorbedhigh(self, step: r.AbsorbedHigh) -> None:
        assert step.band < len(self.bands) - 1
        assert step.count > 0
        self.span[step.band][1] -= step.count
        self._check()

    def on_appeared(self, step: r.Appeared) -> None:
        assert 0 < step.band < len(self.bands) - 1
        assert self.span[step.band][0] == self.span[step.band][1]
        self.span[step.band] = [step.page, step.page + 1]
        self._check()

    def on_allocated(self, step: r.Allocated | r.Wiped | r.Forked) -> None:
        named = {
            each for entries in self.held.values() for (band, _), (_, each) in entries.items() if band == step.band
        }
        for page, each in zip(step.pages, step.ids, strict=True):
            assert page not in self._in_use(step.band), "handed out while in use"
            assert each not in self.references[step.band], "minted while alive"
            assert each not in named, "minted while a ticket knows it"
            self.page_of[step.band][each] = page
            self.references[step.band][each] = 1
        self._check()

    on_wiped = on_allocated

    def on_forked(self, step: r.Forked) -> None:
        writing = {key for entries in self.held.values() for key, (mode, _) in entries.items() if mode == "write"}
        for original in step.copied:
            assert (step.band, self.page_of[step.band][original]) not in writing, "copied under a writer"
        assert step.copied == self.call.originals[step.band]
        self.on_allocated(step)

    def on_moved(self, step: r.Moved) -> None:
        assert not self.publishers, "moved while somebody has published addresses"
        self.moved_bytes += len(step.sources) * self.header.bands[step.band].page_bytes
        writing = {key for entries in self.held.values() for key, (mode, _) in entries.items() if mode == "write"}
        lives = {page: each for each, page in self.page_of[step.band].items()}
        for source, target in zip(step.sources, step.targets, strict=True):
            assert (step.band, source) not in writing, "moved under a writer"
            assert target not in self._in_use(step.band), "moved onto a page in use"
            self.page_of[step.band][lives[source]] = target
        self._check()

    # ---------------------------------------------------------------------------------------------------------------

    def _in_use(self, band: int) -> set[int]:
        held = {page for entries in self.held.values() for where, page in entries if where == band}
        return held | set(self.page_of[band].values())

    def _bytes(self, band: int, pages: range) -> range:
        record = self.header.bands[band]
        return range(record.origin + pages.start * record.page_bytes, record.origin + pages.stop * record.page_bytes)

    def _check(self) -> None:
        header, end = self.header, self.header.base
        assert self.span[0][0] == header.bottom
        assert self.span[-1][1] == header.top
        for band, (lo, hi) in enumerate(self.span):
            assert lo <= hi
            if lo < hi:
                span = self._bytes(band, range(lo, hi))
                assert end <= span.start, f"band {band} begins inside another span"
                end = span.stop
            assert all(lo <= page < hi for page in self._in_use(band)), f"band {band}: a page in use is outside"
            assert len(set(self.page_of[band].values())) == len(self.page_of[band]), "two ids live at one page"
        assert end <= header.capacity
