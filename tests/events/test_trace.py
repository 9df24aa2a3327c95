"""A sealed trace: what is written is read again, and any line that was touched is found at that line."""

import io
import random
import zlib
from collections.abc import Iterator
from itertools import zip_longest

import pytest

from events import records as r
from events.trace import TraceError, Writer, lines_of, seal, unseal

RECORDS: list[r.AnyRecord] = [
    r.Header(r.VERSION, "test", "tiny", [r.Band("state", 1, 0, 1)], 0, 10, 0, 10),
    r.Snapshot([r.BandState(0, 10, [1], [7], [2], [], [], [])], [], {"a": [], "ü": []}, 0, ["x"]),
    r.Allocate([2]),
    r.Allocated(0, [3, 4], [8, 9]),
    r.End(ids=[[8, 9]]),
    r.Allocate([20], [1]),
    r.Refused("evict", [1], ["x"], [None, 3]),
    r.End("refused"),
    r.Open(1, "forward", "main", [0]),
    r.End(),
    r.Publish('\x1b[31m"\\\n\u2028'),
    r.End(),
]


def whole() -> list[bytes]:
    file = io.BytesIO()
    writer = Writer(file)
    for record in RECORDS:
        writer(record)
    writer.close()
    return file.getvalue().splitlines(keepends=True)


def problem_of(lines: list[bytes], **how: bool) -> TraceError:
    with pytest.raises(TraceError) as error:
        list(unseal(lines, **how))
    return error.value


def test_what_is_written_is_read_again() -> None:
    lines = whole()
    assert list(unseal(lines)) == [*RECORDS, r.Close(len(RECORDS))]
    assert all(line.count(b"\n") == 1 for line in lines)
    assert b"".join(seal([*RECORDS, r.Close(len(RECORDS))])) == b"".join(lines)


def test_a_trace_can_be_sealed_in_parts() -> None:
    first = list(seal(RECORDS[:5]))
    rest = list(seal(RECORDS[5:], int(first[-1][1:].split(b",")[0])))
    assert list(unseal(first + rest, whole=False)) == RECORDS


def test_a_trace_that_is_still_written_has_no_closing_line() -> None:
    lines = whole()
    assert list(unseal(lines[:-1], whole=False)) == RECORDS
    assert list(unseal([], whole=False)) == []
    error = problem_of(lines[:-1])
    assert (error.line, error.problem) == (len(lines), "the closing line is missing; was the file cut here?")
    assert str(error) == f"line {len(lines)}: {error.problem}"


def test_nothing_is_no_trace() -> None:
    assert problem_of([]).line == 1


# Without a new seal, whatever is done to a trace is found at the first line that is not where and what it was.


def test_every_line_dropped_is_found_there() -> None:
    lines = whole()
    for at in range(len(lines)):
        assert problem_of(lines[:at] + lines[at + 1 :]).line == at + 1


def test_every_line_doubled_is_found_there() -> None:
    lines = whole()
    for at in range(len(lines)):
        assert problem_of(lines[: at + 1] + lines[at:]).line == at + 2


def test_every_two_lines_exchanged_are_found_at_the_first() -> None:
    lines = whole()
    for one in range(len(lines)):
        for other in range(one + 1, len(lines)):
            swapped = lines[:]
            swapped[one], swapped[other] = lines[other], lines[one]
            assert problem_of(swapped).line == one + 1


def test_every_cut_is_found_where_it_was_made() -> None:
    text = b"".join(whole())
    ends = [at for at, byte in enumerate(text) if byte == 10]
    for length in range(len(text)):
        lines = list(lines_of(io.BytesIO(text[:length])))
        assert problem_of(lines).line == sum(end < length for end in ends) + 1


def test_every_bit_flipped_is_found_at_its_line() -> None:
    text = b"".join(whole())
    line = 1
    for at, byte in enumerate(text):
        for bit in range(8):
            spoiled = text[:at] + bytes([byte ^ (1 << bit)]) + text[at + 1 :]
            assert problem_of(list(lines_of(io.BytesIO(spoiled)))).line == line, (at, bit)
        line += byte == 10


def test_every_byte_added_or_taken_is_found_at_the_first_line_that_differs() -> None:
    lines = whole()
    text = b"".join(lines)
    rng = random.Random(0)
    for at in range(len(text)):
        for spoiled in (text[:at] + bytes([rng.randrange(256)]) + text[at:], text[:at] + text[at + 1 :]):
            its = list(lines_of(io.BytesIO(spoiled)))
            differs = [line == other for line, other in zip_longest(its, lines)].index(False)
            assert problem_of(its).line == differs + 1, at


def test_lines_of_two_traces_do_not_mix() -> None:
    one, other = whole(), list(seal([*RECORDS[1:], r.Close(len(RECORDS) - 1)]))
    for at in range(1, len(other)):
        assert problem_of(one[:at] + other[at:]).line == at + 1


def test_something_after_the_closing_line_is_found() -> None:
    lines = whole()
    checksum = int(lines[-1][1:].split(b",")[0])
    error = problem_of([*lines, *seal([r.Drain()], checksum)])
    assert (error.line, error.problem) == (len(lines) + 1, "there is something after the closing line")


def test_a_closing_line_that_miscounts_is_found() -> None:
    error = problem_of(list(seal([*RECORDS, r.Close(99)])))
    assert (error.line, error.problem) == (len(RECORDS) + 1, "the closing line counts 99 lines before it, not 12")


class Endless:
    """A file without an end of line, which counts what is asked of it."""

    def __init__(self) -> None:
        self.read = 0

    def readline(self, most: int) -> bytes:
        assert most > 0
        self.read += most
        return b"x" * most


def test_a_line_without_an_end_is_not_read_to_its_end() -> None:
    file = Endless()
    assert [len(line) for line in lines_of(file, longest=1_000)] == [1_001]  # type: ignore[arg-type]  # it can be read by lines
    assert file.read == 1_001


@pytest.mark.parametrize("length", [99, 100, 101, 102, 250])
def test_a_line_is_whole_up_to_the_longest(length: int) -> None:
    text = b"x" * (length - 1) + b"\n" + b"y\n"
    lines = list(lines_of(io.BytesIO(text), longest=100))
    assert lines == ([text[:length], b"y\n"] if length <= 100 else [text[:101]])


def test_a_line_that_is_too_long_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = whole()
    monkeypatch.setattr("events.trace.LONGEST_LINE", max(len(line) for line in lines))
    assert len(list(unseal(lines))) == len(lines)
    monkeypatch.setattr("events.trace.LONGEST_LINE", max(len(line) for line in lines) - 1)
    error = problem_of(lines)
    assert error.problem.startswith("more than ")
    assert len(lines[error.line - 1]) == max(len(line) for line in lines)


def bodies() -> Iterator[tuple[bytes, str]]:
    """Lines with a good seal that are no records, and what is said of each."""
    yield b'["call.complete",NaN]', "malformed"
    yield b'["call.complete",Infinity]', "malformed"
    yield b'["call.complete",1.0]', "got `float`"
    yield b'["call.complete",1e400]', "out of range"
    yield b'["call.complete",true]', "got `bool`"
    yield b'["call.complete","1"]', "got `str`"
    yield b'["call.complete",null]', "got `null`"
    yield b'["call.complete",-1]', ">= 0"
    yield b'["call.complete",4611686018427387905]', "<= 4611686018427387904"
    yield b'["call.complete",' + b"9" * 10_000 + b"]", "out of range"
    yield b'["call.complete"]', "got 1"
    yield b'["call.complete",1,2]', "at most length 1"
    yield b'["call.share",256,[1]]', "<= 255"
    yield b'["step.grow-low",0,134217729]', "<= 134217728"
    yield b'["call.share",0,[4611686018427387905]]', "<= 4611686018427387904"
    yield b'["call.share",0,[-18446744073709551616]]', ">= -4611686018427387904"
    yield b'["call.share",0,{"1":2}]', "got `object`"
    yield b'["call.share",' + b"[" * 100_000 + b"]" * 100_000 + b"]", "got `array`"
    yield b'["call.open",1,"forward",' + b'{"a":' * 100_000 + b"}" * 100_000 + b"]", "got `object`"
    yield b'["call.open",1,"thief",null,[]]', "Invalid enum value 'thief'"
    yield b'["call.publish","' + b"x" * 201 + b'"]', "length <= 200"
    yield b'["call.publish","\xff"]', "UTF-8"
    yield b'["call.publish","\\ud800"]', "truncated"
    yield b'["call.nothing"]', "Invalid value 'call.nothing'"
    yield b'["\\u001b[31m' + b"x" * 10_000 + b'"]', "\\x1b[31mxxx"
    yield b"[" * 100_000 + b"]" * 100_000, "recursion"
    yield b"[0]", "Expected `str`"
    yield b"[null]", "Expected `str`"
    yield b'["call.drain"]["call.drain"]', "trailing characters"
    yield b'["call.drain"]]', "trailing characters"
    yield b'["call.drain" \x00]', "malformed"
    yield (
        b'["snapshot",[[0,1,[],[],[],[],[],[]]],[],{"a":[1],"a":[1]},1,[]]',
        "names a stream twice",
    )
    yield (
        b'["snapshot",[[0,1,[],[],[],[],[],[]]],[],{"a":[1],"\\u0061":[1]},1,[]]',
        "names a stream twice",
    )
    yield (
        b'["snapshot",[[0,1,[],[],[],[],[],[]]],[' + b",".join([b'[1,"copy","a",[],[]]'] * 4097) + b"],{},1,[]]",
        "length <= 4096",
    )


@pytest.mark.parametrize(("body", "problem"), list(bodies()), ids=lambda part: str(part[:30]) if part else "")
def test_a_line_that_is_no_record_is_found_with_the_reason(body: bytes, problem: str) -> None:
    lines = list(seal(RECORDS[:3]))
    checksum = int(lines[-1][1:].split(b",")[0])
    error = problem_of([*lines, sealed(body, checksum)])
    assert error.line == 4
    assert problem in error.problem
    assert len(error.problem) < 300
    assert error.problem.isprintable()


def sealed(body: bytes, checksum: int) -> bytes:
    """A line with any body, sealed as a writer would."""
    return b"[%d,%b\n" % (zlib.crc32(body[1:], checksum), body[1:])
