"""Whatever is given for a trace, the judge answers: nothing crashes it, and only what is legal passes."""

import io
import zlib
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events import records as r
from events.trace import lines_of, seal
from spec.judge.judge import judge_trace
from spec.judge.verdict import Verdict
from tests.spec.situation import header, snapshot
from tests.spec.test_legal import CASES

LEGAL = [[header(), snapshot(), *records] for records, _ in CASES.values()]
LEGAL = [records if isinstance(records[-1], r.Close) else [*records, r.Close(len(records))] for records in LEGAL]


def judged(data: bytes, whole: bool = True) -> Verdict:
    return judge_trace(lines_of(io.BytesIO(data)), whole)


def resealed(bodies: list[bytes]) -> bytes:
    """Lines with these bodies, `["tag",...]`, and a seal that fits."""
    checksum, lines = 0, []
    for body in bodies:
        checksum = zlib.crc32(body[1:], checksum)
        lines.append(b"[%d,%b\n" % (checksum, body[1:]))
    return b"".join(lines)


def test_the_legal_traces_pass() -> None:
    for records in LEGAL:
        data = b"".join(seal(records))
        assert resealed([msgspec.json.encode(record) for record in records]) == data
        verdict = judged(data)
        assert verdict.finding is None
        assert verdict.lines == len(records)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\x00" * 100,
        b"\x7fELF\x02\x01\x01",
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
        b"PK\x03\x04",
        b"\xff\xfe[\x00",
        b"\xef\xbb\xbf[1,]\n",
        b"not a trace\n" * 3,
        b"[" * 1_000_000,
        b"[" + b"9" * 1_000_000 + b",]\n",
        b"[,\n",
        b"[1,]\n",
        b'{"lines": []}\n',
        b"[0,\n]\n",
    ],
    ids=lambda data: repr(data[:20]),
)
@pytest.mark.parametrize("whole", [True, False])
def test_what_is_no_trace_is_damaged_at_its_first_line(data: bytes, whole: bool) -> None:
    finding = judged(data, whole).finding
    assert finding is not None
    assert (finding.line, finding.check, finding.blame) == (1, "trace", "trace")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.booleans())
def test_no_bytes_crash_the_judge_or_pass(data: bytes, whole: bool) -> None:
    assert judged(data, whole).finding is not None


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(LEGAL), st.data())
def test_no_bytes_in_place_of_others_crash_the_judge_or_pass(records: list[Any], data: st.DataObject) -> None:
    text = b"".join(seal(records))
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 30)))
    spoiled = text[:begin] + data.draw(st.binary(max_size=30)) + text[end:]
    finding = judged(spoiled).finding
    if spoiled == text:
        assert finding is None
    else:
        assert finding is not None
        assert (finding.check, finding.blame) == ("trace", "trace")
        assert finding.line <= text[:end].count(b"\n") + 2


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(LEGAL), st.data())
def test_no_sealed_bytes_crash_the_judge(records: list[Any], data: st.DataObject) -> None:
    bodies = [msgspec.json.encode(record) for record in records]
    at = data.draw(st.integers(0, len(bodies) - 1))
    begin = data.draw(st.integers(0, len(bodies[at])))
    end = data.draw(st.integers(begin, min(len(bodies[at]), begin + 5)))
    put = data.draw(st.one_of(st.binary(max_size=5), st.sampled_from([b"-1", b"999999999999", b"[]", b"null", b"[1]"])))
    bodies[at] = b"[" + bodies[at][1:begin] + put + bodies[at][end:]
    finding = judged(resealed(bodies)).finding
    assert finding is None or finding.line >= 1


NUMBERS = st.one_of(
    st.integers(-2, 60), st.sampled_from([-r.WIDEST, r.WIDEST, r.WIDEST - 1, 2**31, 2**32, -(2**31), 255, 256])
)
COUNTS = NUMBERS.filter(lambda number: number >= 0)
TICKETS = st.integers(0, 8)
SOME_TICKETS = st.lists(st.integers(-1, 8), max_size=3)
NAMES = st.sampled_from(["main", "host", "rdma", "", "\x00\x1b[31m"])
LISTS = st.lists(NUMBERS, max_size=4)

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "demand": st.lists(COUNTS, min_size=1, max_size=4),
    "settle": SOME_TICKETS,
    "band": st.sampled_from([0, 1, 2, 3, 255]),
    "ticket": TICKETS,
    "user": st.sampled_from(["forward", "copy", "transfer"]),
    "stream": st.one_of(st.none(), NAMES),
    "waits": SOME_TICKETS,
    "mode": st.sampled_from(["read", "write"]),
    "who": NAMES,
    "budget": COUNTS,
    "count": st.sampled_from([0, 1, 2, 50, r.MOST_PAGES]),
    "page": NUMBERS,
    "reason": st.sampled_from(["never", "after-release", "evict"]),
    "tickets": SOME_TICKETS,
    "publishers": st.lists(NAMES, max_size=2),
    "evict": st.lists(st.one_of(st.none(), COUNTS), max_size=3),
    "wipe": st.booleans(),
    "originals": st.lists(LISTS, max_size=4),
    **dict.fromkeys(["ids", "pages", "values", "sources", "targets", "copied"], LISTS),
}
ENDS = st.builds(
    r.End, st.sampled_from(["done", "refused", "failed"]), st.sampled_from([[], [[], [], []], [[13], [], []]])
)


def of_kind(kind: Any) -> st.SearchStrategy[Any]:
    return st.builds(kind, *[FIELDS[name] for name in kind.__struct_fields__])


CALLS, A_STEP = (st.one_of([of_kind(kind) for kind in get_args(union)]) for union in (r.Call, r.Step))
BLOCKS = st.tuples(CALLS, st.lists(A_STEP, max_size=3), ENDS).map(lambda parts: [parts[0], *parts[1], parts[2]])


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(BLOCKS, st.tuples(st.one_of(CALLS, A_STEP, ENDS))), max_size=4))
def test_no_records_crash_the_judge(blocks: list[list[Any]]) -> None:
    records = [record for block in blocks for record in block]
    data = b"".join(seal([header(), snapshot(), *records]))
    verdict = judged(data, whole=False)
    assert verdict.lines <= len(records) + 2
    if verdict.finding is not None:
        assert str(verdict.finding)


@settings(max_examples=200, deadline=None)
@given(
    st.builds(
        r.Header,
        st.just(r.VERSION),
        st.text(max_size=3),
        st.just(""),
        st.lists(
            st.builds(r.Band, st.sampled_from(["a", "b", "c"]), st.integers(1, r.WIDEST), NUMBERS, st.just(1)),
            min_size=1,
            max_size=3,
        ),
        COUNTS,
        COUNTS,
        NUMBERS,
        NUMBERS,
    ),
    st.lists(
        st.builds(
            r.BandState,
            *[NUMBERS] * 2,
            *[st.lists(NUMBERS, max_size=2)] * 6,
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_no_opening_crashes_the_judge(its_header: r.Header, bands: list[r.BandState]) -> None:
    data = b"".join(seal([its_header, r.Snapshot(bands, [], {}, 0, [])]))
    assert judged(data, whole=False).lines <= 2
