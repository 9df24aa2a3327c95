"""Traffic: the formats that are read, what is said of bad rows, and traffic that is stated."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from replay.errors import ReplayError
from replay.traffic.drawn import traffic_of
from replay.traffic.mixes import MIXES
from replay.traffic.reading import read_traffic
from replay.traffic.traffic import Traffic

AZURE = """TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:50.9951690,396,109
2023-11-16 18:15:51.2224670,879,55
"""
MOONCAKE = "\n".join(
    [
        '{"timestamp": 3000, "input_length": 1300, "output_length": 6, "hash_ids": [0, 1, 2]}',
        '{"timestamp": 0, "input_length": 1024, "output_length": 4, "hash_ids": [0, 1]}',
        '{"timestamp": 5500, "input_length": 100, "output_length": 9}',
    ]
)
BENCH = {"input_lens": [10, 20, 30], "output_lens": [1, 2, 3], "max_concurrency": 2}
PLAIN = "arrival_s,prompt_tokens,output_tokens\n10,5,6\n9.5,7,8\n"


def _file(folder: Path, text: str, name: str = "traffic") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_azure_traces_count_seconds_from_the_first_request(tmp_path: Path) -> None:
    traffic = read_traffic(_file(tmp_path, AZURE))
    assert traffic.arrivals == pytest.approx([0, 4.314579, 4.541877])
    assert traffic.prompts.tolist() == [374, 396, 879]
    assert traffic.outputs.tolist() == [44, 109, 55]
    assert traffic.prefixes is None


def test_mooncake_traces_count_milliseconds_and_name_whole_blocks(tmp_path: Path) -> None:
    traffic = read_traffic(_file(tmp_path, MOONCAKE))
    assert traffic.arrivals.tolist() == [0, 3, 5.5]
    assert traffic.prompts.tolist() == [1024, 1300, 100]
    assert traffic.prefixes is not None
    assert [list(each) for each in traffic.prefixes] == [[0, 1], [0, 1], []]


def test_a_benchmark_without_arrivals_is_a_closed_loop(tmp_path: Path) -> None:
    earlier = {"input_lens": [9], "output_lens": [9]}
    traffic = read_traffic(_file(tmp_path, f"{json.dumps(earlier)}\n{json.dumps(BENCH)}\n"))
    assert traffic.concurrency == 2
    assert traffic.prompts.tolist() == [10, 20, 30]


def test_a_benchmark_with_arrivals_is_an_open_loop(tmp_path: Path) -> None:
    traffic = read_traffic(_file(tmp_path, json.dumps({**BENCH, "start_times": [102.5, 100.0, 101.0]})))
    assert traffic.concurrency is None
    assert traffic.arrivals.tolist() == [0, 1, 2.5]
    assert traffic.prompts.tolist() == [20, 30, 10]


def test_plain_files_are_put_in_order_and_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "traffic.gz"
    path.write_bytes(gzip.compress(PLAIN.encode()))
    for traffic in (read_traffic(path), read_traffic(_file(tmp_path, PLAIN))):
        assert traffic.arrivals.tolist() == [0, 0.5]
        assert traffic.prompts.tolist() == [7, 5]


BAD = {
    "zero tokens": (AZURE.replace("396", "0"), 3, "ContextTokens", "at least 1"),
    "a word": (AZURE.replace("109", "many"), 3, "GeneratedTokens", "no count"),
    "a negative count": (AZURE.replace("879", "-5"), 4, "ContextTokens", "no count"),
    "an endless request": (AZURE.replace("879", "99999999999"), 4, "ContextTokens", "more than"),
    "no date": (AZURE.replace("2023-11-16 18:15:50.9951690", "yesterday"), 3, "TIMESTAMP", "no date"),
    "a field too few": (AZURE.replace(",109", ""), 3, "row", "has 2 fields"),
    "a header without arrivals": ("prompt_tokens,output_tokens\n1,2\n", 1, "header", "has no arrival_s"),
    "an infinite time": (PLAIN.replace("9.5", "inf"), 3, "arrival_s", "no time"),
    "half a line of JSON": (MOONCAKE + '\n{"timestamp": 3', 4, "line", "not JSON"),
    "a list": (MOONCAKE + "\n[1]", 4, "line", "no JSON object"),
    "no length": (MOONCAKE.replace('"output_length": 9', '"outputs": 9'), 3, "output_tokens", "missing"),
    "a length that is true": (
        MOONCAKE.replace('"output_length": 9', '"output_length": true'),
        3,
        "output_length",
        "no",
    ),
    "too many blocks": (MOONCAKE.replace("[0, 1]", "[0, 1, 2, 3]"), 2, "hash_ids", "names 4 blocks"),
    "blocks without names": (MOONCAKE.replace("[0, 1]", '["a"]'), 2, "hash_ids", "no list of whole numbers"),
    "lengths of other requests": (json.dumps({**BENCH, "output_lens": [1]}), 1, "output_lens", "has 1 elements"),
    "no details": (json.dumps({**BENCH, "output_lens": None}), 1, "output_lens", "no list"),
}


@pytest.mark.parametrize("case", sorted(BAD))
def test_a_bad_row_is_named_with_its_line_its_field_and_a_remedy(case: str, tmp_path: Path) -> None:
    text, line, field, problem = BAD[case]
    with pytest.raises(ReplayError, match=problem) as found:
        read_traffic(_file(tmp_path, text))
    assert (found.value.line, found.value.field) == (line, field)
    assert found.value.remedy


@pytest.mark.parametrize("text", ["", "\n\n", "TIMESTAMP,ContextTokens,GeneratedTokens\n"])
def test_traffic_without_requests_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"empty|no requests"):
        read_traffic(_file(tmp_path, text))


def test_files_that_are_not_there_or_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00\x81" * 100)
    for path in (tmp_path / "nowhere", tmp_path, tmp_path / "bytes"):
        with pytest.raises(ReplayError, match="TRAFFIC"):
            read_traffic(path)


# ------------------------------------------------------------------------------------------------- changes and mixes


def _traffic() -> Traffic:
    arrivals = np.array([0.0, 10, 11, 12, 40, 80])
    return Traffic("six", arrivals, np.arange(1, 7), np.full(6, 5))


def test_time_is_scaled() -> None:
    assert _traffic().faster(4).arrivals[-1] == 20


def test_a_sample_keeps_the_share_and_is_drawn_alike_from_a_seed() -> None:
    sample = _traffic().sampled(0.5, 7)
    assert len(sample) == 3
    assert sample.prompts.tolist() == _traffic().sampled(0.5, 7).prompts.tolist()
    assert {tuple(_traffic().sampled(0.5, seed).prompts.tolist()) for seed in range(20)} != {tuple(sample.prompts)}


def test_the_busiest_stretch_has_the_most_tokens_a_second() -> None:
    assert _traffic().busiest(3).prompts.tolist() == [2, 3, 4]


@pytest.mark.parametrize("change", [lambda each: each.faster(0), lambda each: each.sampled(2, 1)])
def test_changes_that_mean_nothing_are_refused(change) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ReplayError):
        change(_traffic())


@pytest.mark.parametrize("name", sorted(MIXES))
def test_a_mix_has_the_lengths_that_it_states(name: str) -> None:
    mix, traffic = MIXES[name], traffic_of(name, 1)
    assert len(traffic) == mix.requests
    assert traffic.concurrency == mix.concurrency
    assert traffic.prompts.mean() == pytest.approx(mix.prompt, rel=0.1)
    assert traffic.outputs.mean() == pytest.approx(mix.output, rel=0.1)
    assert traffic.prompts.tolist() == traffic_of(name, 1).prompts.tolist()


def test_a_mix_can_arrive_at_a_rate() -> None:
    traffic = traffic_of("short", 2, requests=4_000, rate=50.0)
    assert traffic.concurrency is None
    assert traffic.arrivals[-1] == pytest.approx(4_000 / 50, rel=0.1)


def test_an_unknown_mix_names_those_that_there_are() -> None:
    with pytest.raises(ReplayError, match="high-concurrency"):
        traffic_of("shirt", 1)
