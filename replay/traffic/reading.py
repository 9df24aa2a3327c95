"""Reads traffic from files: which of the known formats one is in shows in its first line."""

import csv
import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from replay.errors import ReplayError
from replay.traffic.rows import field_of, seconds, tokens
from replay.traffic.traffic import Traffic, in_order

AZURE = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
ARRIVAL = ("arrival_s", "arrival", "arrival_time", "arrived_at", "timestamp_s")
PROMPT = ("prompt_tokens", "input_tokens", "input_length", "prompt_len", "input_len")
OUTPUT = ("output_tokens", "generated_tokens", "output_length", "output_len", "completion_tokens")
MOONCAKE_BLOCK = 512
"""Tokens in each block that `hash_ids` names."""
LONGEST_LINE = 1 << 26
"""Characters."""


def read_traffic(path: Path) -> Traffic:
    """The traffic in a file, plain or gzipped.

    Known are: the Azure LLM inference traces (CSV with TIMESTAMP, ContextTokens, GeneratedTokens), Mooncake's traces
    (JSON lines with timestamp in milliseconds, input_length, output_length, hash_ids), what `bench_serving` of SGLang
    or vLLM writes (one JSON object with `input_lens` and `output_lens`; of a file of several the last; without arrival
    times it is a closed loop at the concurrency that it states), and a plain CSV with a header (arrival_s,
    prompt_tokens, output_tokens).

    Raises:
        ReplayError: there is no such file, it is in none of these formats, or a row is bad.
    """
    try:
        with _opened(path) as file:
            return _read(path.name, _lines(file))
    except IsADirectoryError:
        raise ReplayError("TRAFFIC", str(path), "is a directory", "give the file in it") from None
    except FileNotFoundError:
        raise ReplayError("TRAFFIC", str(path), "is not there", "give a path, or the name of a mix") from None
    except UnicodeDecodeError as error:
        raise ReplayError("TRAFFIC", str(path), "is no text in UTF-8", "give a CSV or JSON file") from error
    except (OSError, EOFError) as error:
        raise ReplayError("TRAFFIC", str(path), f"cannot be read ({error})", "check the file") from error


def _opened(path: Path) -> TextIO:
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rt", encoding="utf-8") if is_gzip else path.open(encoding="utf-8-sig")


def _lines(file: TextIO) -> Iterator[tuple[int, str]]:
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise ReplayError("line", line[:20], "has no end", "give a CSV or JSON-lines file", number)
        if line.strip():
            yield number, line


def _read(name: str, lines: Iterator[tuple[int, str]]) -> Traffic:
    first = next(lines, None)
    if first is None:
        raise ReplayError("TRAFFIC", name, "is empty", "give a file with requests")
    number, line = first
    everything = chain([first], lines)
    if not line.lstrip().startswith("{"):
        return _read_csv(name, number, line, lines)
    head = _decoded(line, number)
    if "input_lens" in head or "output_lens" in head:
        return _read_bench(name, everything)
    return _read_json_lines(name, everything)


# --------------------------------------------------------------------------------------------------------------- CSV


def _read_csv(name: str, number: int, header: str, lines: Iterator[tuple[int, str]]) -> Traffic:
    names = [cell.strip() for cell in next(csv.reader([header]))]
    azure = set(AZURE) <= set(names)
    if not azure:
        for wanted in (ARRIVAL, PROMPT, OUTPUT):
            if not set(wanted) & set(names):
                raise ReplayError(
                    "header", header.strip(), f"has no {wanted[0]}", f"name one {', '.join(wanted)}", number
                )
    arrivals: list[float] = []
    prompts: list[int] = []
    outputs: list[int] = []
    for line_number, line in lines:
        cells = next(csv.reader([line]))
        if len(cells) != len(names):
            problem = f"has {len(cells)} fields, and the header {len(names)}"
            raise ReplayError("row", line.strip(), problem, "give one value for each field", line_number)
        row = dict(zip(names, cells, strict=True))
        if azure:
            arrivals.append(_moment("TIMESTAMP", row["TIMESTAMP"], line_number))
            prompts.append(tokens("ContextTokens", row["ContextTokens"], line_number))
            outputs.append(tokens("GeneratedTokens", row["GeneratedTokens"], line_number))
        else:
            arrivals.append(seconds(*field_of(row, ARRIVAL, line_number), line_number))
            prompts.append(tokens(*field_of(row, PROMPT, line_number), line_number))
            outputs.append(tokens(*field_of(row, OUTPUT, line_number), line_number))
    return in_order(name, arrivals, prompts, outputs)


def _moment(field: str, text: str, line: int) -> float:
    # seven decimals, which datetime reads six of
    whole, _, fraction = text.strip().partition(".")
    try:
        moment = datetime.fromisoformat(whole).replace(tzinfo=None)
        return (moment - datetime(2000, 1, 1)).total_seconds() + (float(f"0.{fraction[:9]}") if fraction else 0.0)
    except ValueError:
        raise ReplayError(field, text, "is no date and time", "write it as 2023-11-16 18:15:46.68", line) from None


# -------------------------------------------------------------------------------------------------------------- JSON


def _read_json_lines(name: str, lines: Iterator[tuple[int, str]]) -> Traffic:
    arrivals: list[float] = []
    prompts: list[int] = []
    outputs: list[int] = []
    prefixes: list[tuple[int, ...]] = []
    for number, line in lines:
        row = _decoded(line, number)
        if row.get("timestamp") is not None:
            arrivals.append(seconds("timestamp", row["timestamp"], number, 1e-3))
        else:
            arrivals.append(seconds(*field_of(row, ARRIVAL, number), number))
        prompts.append(tokens(*field_of(row, PROMPT, number), number))
        outputs.append(tokens(*field_of(row, OUTPUT, number), number))
        prefixes.append(_blocks(row.get("hash_ids"), prompts[-1], number))
    shared = prefixes if any(prefixes) else None
    return in_order(name, arrivals, prompts, outputs, shared, MOONCAKE_BLOCK)


def _blocks(value: Any, prompt: int, line: int) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or any(isinstance(each, bool) or not isinstance(each, int) for each in value):
        raise ReplayError("hash_ids", value, "is no list of whole numbers", "name the blocks of the prompt", line)
    most = -(-prompt // MOONCAKE_BLOCK)
    if len(value) > most:
        problem = f"names {len(value)} blocks, and a prompt of {prompt} tokens has {most}"
        raise ReplayError("hash_ids", value, problem, f"name one for each {MOONCAKE_BLOCK} tokens", line)
    # the last block is often partial, and then nobody else's
    return tuple(value[: prompt // MOONCAKE_BLOCK])


def _read_bench(name: str, lines: Iterator[tuple[int, str]]) -> Traffic:
    *_, (number, line) = lines
    run = _decoded(line, number)
    lengths: dict[str, list[int]] = {}
    for field in ("input_lens", "output_lens"):
        value = run.get(field)
        if not isinstance(value, list):
            raise ReplayError(field, value, "is no list", "write the run with --output-details", number)
        lengths[field] = [tokens(f"{field}[{index}]", each, number) for index, each in enumerate(value)]
    prompts, outputs = lengths["input_lens"], lengths["output_lens"]
    if len(prompts) != len(outputs):
        problem = f"has {len(outputs)} elements, and input_lens {len(prompts)}"
        raise ReplayError("output_lens", outputs, problem, "give one for each request", number)
    started = run.get("start_times")
    if isinstance(started, list) and len(started) == len(prompts):
        times = [seconds(f"start_times[{index}]", each, number) for index, each in enumerate(started)]
        return in_order(name, times, prompts, outputs)
    traffic = in_order(name, [0.0] * len(prompts), prompts, outputs)
    stated = run.get("max_concurrency")
    if stated is None:
        return traffic
    return traffic.as_closed_loop(tokens("max_concurrency", stated, number))


def _decoded(line: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ReplayError("line", line.strip(), f"is not JSON ({error})", "give one object a line", number) from None
    if not isinstance(row, dict):
        raise ReplayError("line", line.strip(), "is no JSON object", "give one object a line", number)
    return row
