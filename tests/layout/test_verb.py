"""`bandgap layout` as it is typed."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import bandgap
from tests.layout.presets import NAMES, document


def _layout(*arguments: str) -> subprocess.CompletedProcess[str]:
    return bandgap("layout", *arguments)


def _document(*arguments: str) -> dict[str, Any]:
    done = _layout(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def test_the_document_has_entries_pages_rows_and_chain() -> None:
    printed = _document("inkling-small", "--page-tokens", "16")
    assert printed["chain"] == list(printed["kinds"]) == ["state", "window512", "full"]
    assert {name: kind["entry_bytes"] for name, kind in printed["kinds"].items()} == {
        "state": 2_580_480,
        "window512": 143_360,
        "full": 28_672,
    }
    assert printed["kinds"]["full"]["page_bytes"] == 16 * 28_672
    assert printed["kinds"]["full"]["rows"][1] == {
        "layer": 5,
        "part": "v",
        "shape": [8, 128],
        "dtype": "bf16",
        "offset": 2_048,
        "bytes": 2_048,
        "draft": False,
    }
    assert printed["fits"]["memory_bytes"] == 141 * 10**9
    assert printed["fits"]["requests"][-1]["context"] == printed["max_context"] == 1_048_576


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_prints_tables_without_a_number_cut_short(name: str) -> None:
    done = _layout(name)
    assert (done.returncode, done.stderr) == (0, "")
    assert "…" not in done.stdout
    assert "Kinds, in chain order" in done.stdout
    assert "Requests at once in 141,000,000,000 bytes" in done.stdout


def test_options_reach_the_layout() -> None:
    options = ("--kv-dtype", "fp8", "--tp", "2", "--draft", "1:bf16:8x128", "--memory", "80GiB")
    printed = _document("gpt-oss-20b", *options)
    assert printed["kinds"]["full"]["entry_bytes"] == 24_576 // 4 + 2 * 4 * 128 * 2
    assert printed["kv_dtype"] == "fp8_e4m3"
    assert printed["fits"]["memory_bytes"] == 80 << 30


@pytest.mark.parametrize(
    ("draft", "chain"), [("1:window512", ["window512", "window128", "full"]), ("2:fp8", ["window128", "full"])]
)
def test_a_draft_is_written_in_parts(draft: str, chain: list[str]) -> None:
    assert _document("gpt-oss-20b", "--draft", draft)["chain"] == chain


def test_a_path_and_a_folder_serve_as_well_as_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(document("qwen3.5-4b")))
    by_folder, by_path = _document(str(folder)), _document(str(folder / "config.json"))
    assert by_folder == by_path
    assert by_folder["model"] == "my-model"
    assert by_folder["kinds"] == _document("qwen3.5-4b")["kinds"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no-such-model",), "MODEL = 'no-such-model': is neither a preset nor a file; presets: gemma-4-31b"),
        (("gpt-oss-20b", "--page-tokens", "0"), "--page-tokens = 0: must be 1 to 256"),
        (("gpt-oss-20b", "--tp", "3"), "--tp = 3: does not divide num_attention_heads = 64"),
        (("gpt-oss-20b", "--memory", "lots"), "--memory = 'lots': is no amount of memory"),
        (("gpt-oss-20b", "--memory", "0GB"), "--memory = '0GB': is not 1 byte to 1 PiB"),
        (("gpt-oss-20b", "--draft", "1:int4"), "--draft = '1:int4': is no draft model"),
        (("gpt-oss-20b", "--draft", "0"), "draft.layers = 0: must be 1 to 64"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: tuple[str, ...], message: str) -> None:
    done = _layout(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1


def test_a_model_that_is_not_served_is_exit_2_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "llama.json"
    path.write_text('{"model_type": "llama", "num_hidden_layers": 80, "num_attention_heads": 64}')
    done = _layout(str(path), "--json")
    assert done.returncode == 2
    assert "full attention only" in json.loads(done.stdout)["error"]["problem"]
