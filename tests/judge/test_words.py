"""Records as sentences."""

from typing import Any, get_args

import pytest

from bandgap.phrases import MOST_SHOWN, numbered
from bandgap.record_words import in_words
from events import records as r
from tests.spec.situation import header, snapshot

SENTENCES: tuple[tuple[Any, str], ...] = (
    (header(), "the arena of 'tiny', bytes 0 to 1,000: bands 'state', 'window' and 'full'"),
    (snapshot(), "the allocator's tables: 6 live pages, 3 tickets"),
    (r.Close(1), "the closing line, after 1 line"),
    (
        r.Allocate([1, 2, 0], [3, 4]),
        "the driver asks for pages, 1 of band 'state', 2 of band 'window' and 0 of band 'full'; tickets 3 and 4 may be "
        "settled",
    ),
    (
        r.Allocate([2, 1, 0], [], [[10], [5], []]),
        "the driver asks for pages, 2 of band 'state', 1 of band 'window' and 0 of band 'full', the first as copies of "
        "id 10 of band 'state' and id 5 of band 'window'",
    ),
    (
        r.Allocate([0, 1, 0], [], [], True),
        "the driver asks for pages, 0 of band 'state', 1 of band 'window' and 0 of band 'full', wiped",
    ),
    (r.Share(1, [5]), "the driver shares id 5 of band 'window'"),
    (r.Release(9, []), "the driver releases no id of band 9"),
    (r.Open(6, "copy", "host", [3]), "the driver opens ticket 6, a copy on stream 'host', waiting for ticket 3"),
    (r.Open(6, "transfer"), "the driver opens ticket 6, a transfer on no stream"),
    (r.Hold(3, 0, "write", [10, 11]), "the driver gives ticket 3 ids 10 and 11 of band 'state' to write"),
    (r.Complete(3), "the driver sees that ticket 3 is over"),
    (r.Settle(3), "the driver makes the allocator's stream wait for ticket 3"),
    (r.Drain(), "the driver sees that the allocator's stream has caught up"),
    (r.Issue(3, 1, [22], [9]), "the driver lets ticket 3 write to page 22 of band 'window'"),
    (r.Land(1, [22, 23, 24]), "the driver sees writes arrive at pages 22, 23 and 24 of band 'window'"),
    (r.Publish("a'\n"), 'the driver publishes addresses as "a\'\\n"'),
    (r.Unpublish("rdma"), "the driver takes back the addresses published as 'rdma'"),
    (r.Compact(4_096), "the driver lets up to 4,096 bytes be moved"),
    (r.GrewLow(1, 1), "the allocator adds 1 hole at the low side of band 'window'"),
    (r.GrewHigh(1, 2_000), "the allocator adds 2,000 holes at the high side of band 'window'"),
    (r.AbsorbedLow(1, 2), "the allocator takes 2 holes at the low side of band 'window'"),
    (r.AbsorbedHigh(1, 2), "the allocator takes 2 holes at the high side of band 'window'"),
    (r.Appeared(1, 15), "the allocator lets the empty band 'window' appear at page 15"),
    (r.Allocated(0, [3], [13]), "the allocator hands out page 3 of band 'state' as id 13"),
    (r.Wiped(0, [3], [13]), "the allocator hands out page 3 of band 'state' as id 13, wiped"),
    (
        r.Forked(0, [3], [13], [10]),
        "the allocator hands out page 3 of band 'state' as id 13, copied from id 10",
    ),
    (r.Moved(0, [0, 1], [3, 4]), "the allocator moves pages 0 and 1 of band 'state' to pages 3 and 4"),
    (r.Settled(3), "the allocator makes its stream wait for ticket 3"),
    (r.Refused("never"), "the allocator refuses: never"),
    (r.End(), "the call ends: it was done"),
    (r.End(ids=[[13], [], [2]]), "the call ends: it was done and gives ids 13 and 2"),
    (r.End("failed"), "the call ends: it was rejected as a misuse"),
)


@pytest.mark.parametrize(("record", "sentence"), SENTENCES, ids=lambda part: type(part).__name__)
def test_a_record_is_a_sentence(record: Any, sentence: str) -> None:
    assert in_words(record, header()) == sentence


def test_every_record_is_among_them() -> None:
    frame = {r.Header, r.Snapshot, r.End, r.Close}
    assert {type(record) for record, _ in SENTENCES} == frame | {*get_args(r.Call), *get_args(r.Step)}


def test_without_a_header_a_band_is_a_number() -> None:
    assert in_words(r.Share(1, [5]), None) == "the driver shares id 5 of band 1"


def test_a_long_list_is_counted() -> None:
    assert numbered("page", range(MOST_SHOWN)) == "pages 0, 1, 2, 3, 4 and 5"
    assert numbered("page", range(1_006)) == "pages 0, 1, 2, 3, 4, 5 and 1,000 more"
