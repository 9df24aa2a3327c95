"""What goes together: refusals name what is wrong, and nothing is allowed that was not run."""

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bandgap.cli import app
from bandgap.compatibility.cells import answer, cell
from bandgap.compatibility.elsewhere import SGLANG
from bandgap.compatibility.refusals import NEEDS, REFUSALS, Refusal, refusal_of
from bandgap.compatibility.runs import PRESETS, RUNS
from bandgap.compatibility.words import FEATURES, SORTS, sort_of
from bandgap.documents.compatibility import compatibility
from impl.layout import layout_of, preset_names

SERVED = [name for name in SORTS if cell(name).verdict != "refused"]


def compat(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, ["compat", *arguments])


def asked(*arguments: str) -> Any:
    return json.loads(compat(*arguments, "--json").stdout)


def options(sort: str, *features: str) -> list[str]:
    return ["--model", sort, *(word for feature in features for word in ("--feature", feature))]


# ------------------------------------------------------------------------------------------------------------ the data


def test_the_data_speaks_of_known_words_and_of_every_preset() -> None:
    words = {*SORTS, *FEATURES}
    assert all(refusal.words <= words for refusal in REFUSALS)
    assert all({feature, needed} <= set(FEATURES) for feature, needed in NEEDS.items())
    assert all(run.features <= set(FEATURES) and (run.sort, run.preset) in PRESETS for run in RUNS)
    assert all(set(each.words) <= words for each in SGLANG)
    assert {preset: sort for sort, known in SORTS.items() for preset in known.presets} == {
        preset: sort_of(layout_of(preset)) for preset in preset_names()
    }


def test_a_cell_is_allowed_exactly_if_a_run_has_it_and_no_run_has_what_is_refused() -> None:
    allowed = 0
    for sort in SORTS:
        for one, other in combinations(FEATURES, 2):
            is_run = any(run.sort == sort and {one, other} <= run.features for run in RUNS)
            assert (cell(sort, one, other).verdict == "allowed") is is_run
            allowed += is_run
    assert allowed >= 50
    for run in RUNS:
        assert answer(run.sort, run.features).verdict == "allowed"
        assert answer(run.sort, run.features).together


# ------------------------------------------------------------------------------------------------------------ the verb


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: "+".join(sorted(refusal.words)))
def test_what_is_refused_is_refused_with_exit_code_2_by_its_reason_and_remedy(refusal: Refusal) -> None:
    features = sorted(refusal.words & set(FEATURES))
    sorts = sorted(refusal.words & set(SORTS)) or [sort for sort in SERVED if refusal_of((sort, *features)) == refusal]
    assert sorts
    for sort in sorts:
        done = compat(*options(sort, *features))
        assert done.exit_code == 2
        said = " ".join(done.stdout.split())
        assert f"{refusal.reason}; {refusal.remedy}" in said
        (first, *_) = asked(*options(sort, *features))["refused"]
        assert first["problem"] == refusal.reason
        assert first["field"] == ("features" if features else "model")
        assert first["value"] == (", ".join(features) or sort)


def test_a_feature_without_what_it_needs_is_refused() -> None:
    said = asked(*options("full+window", "host-tier"))
    assert said["verdict"] == "refused"
    assert said["refused"][0]["remedy"] == "add prefix-cache"


def test_what_was_run_is_allowed_and_what_nobody_ran_is_untested(monkeypatch: pytest.MonkeyPatch) -> None:
    done = compat(*options("inkling-small", "prefix-cache", "overlap"))
    assert (done.exit_code, "one run had all of them" in done.stdout) == (0, True)
    untested = "pipeline-parallel", "tensor-parallel"
    assert compat(*options("gpt-oss-20b", *untested)).exit_code == 0
    others = [run for run in RUNS if not run.features.issuperset(untested)]
    monkeypatch.setattr("bandgap.compatibility.cells.RUNS", others)
    done = compat(*options("gpt-oss-20b", *untested))
    assert done.exit_code == 3
    assert "not run together" in done.stdout


def test_a_model_whose_configuration_is_not_served_is_refused_by_its_own_field(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "deepseek_v4", "num_hidden_layers": 2}))
    done = compat("--model", str(path), "--feature", "overlap")
    assert done.exit_code == 2
    assert "model_type = 'deepseek_v4'" in done.stderr
    assert "serve it with split pools" in done.stderr


@pytest.mark.parametrize("name", ["setup.toml", "setup.json"])
def test_a_file_says_what_options_say(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith("json"):
        setup = {"model": "gpt-oss-20b", "features": ["overlap"], "page_tokens": 1, "kv_dtype": "fp8"}
        path.write_text(json.dumps(setup))
    else:
        path.write_text('model = "gpt-oss-20b"\nfeatures = ["overlap"]\npage_tokens = 1\nkv_dtype = "fp8"\n')
    said = asked(str(path))
    assert said["features"] == ["overlap", "fp8-kv", "pages-of-1"]
    assert said["verdict"] == "allowed"
    assert asked(str(path), "--feature", "large-pages")["verdict"] == "refused"
    large = asked(str(path), "--page-tokens", "256")
    assert large["features"] == ["overlap", "fp8-kv", "large-pages"]


@pytest.mark.parametrize(
    ("text", "field", "remedy"),
    [
        ('modell = "gpt-oss-20b"', "modell", "did you mean model?"),
        ('model = "gpt-oss-20b"\nfeatures = "overlap"', "features", "write it as"),
        ('model = "gpt-oss-20b"\nfeatures = ["overlapp"]', "features", "did you mean overlap?"),
        ('model = "gpt-oss"', "model", ""),
        ('features = ["overlap"]', "model", "give a preset"),
        ('model = "gpt-oss-20b"\nkv_dtype = "fp4"', "kv_dtype", "fp8"),
        ('model = "gpt-oss-20b"\npage_tokens = 0', "page_tokens", "choose a number"),
        ('model = "gpt-oss-20b"\npage_tokens = "16"', "page_tokens", "give 1 to 256"),
        ("model = ", "CONFIG", "write JSON or TOML"),
    ],
)
def test_a_bad_file_is_misuse_that_names_the_field(text: str, field: str, remedy: str, tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    path.write_text(text)
    done = compat(str(path), "--json")
    assert done.exit_code == 2
    error = json.loads(done.stdout)["error"]
    assert error["field"] == field
    assert remedy in error["remedy"]


def test_tables_are_whole_in_80_columns() -> None:
    for arguments in ([], ["--model", "inkling-small"]):
        done = compat(*arguments)
        assert max(map(len, done.stdout.splitlines())) <= 80
        assert "…" not in done.stdout
        assert all(feature in done.stdout for feature in FEATURES)
    cells = asked()["cells"]
    assert len(cells) == len(SORTS) * (1 + len(FEATURES) + len(FEATURES) * (len(FEATURES) - 1) // 2)


def test_the_document_has_every_feature_refusal_and_fact() -> None:
    text = compatibility()
    assert all(f"`{feature}`" in text for feature in FEATURES)
    assert all(refusal.reason in text for refusal in REFUSALS)
    assert text.count("\n| `") > len(SGLANG)


def test_sorts_that_are_alike_share_a_table() -> None:
    heading = "## Features with features: "
    titles = [line.removeprefix(heading) for line in compatibility().splitlines() if line.startswith(heading)]
    served = [name for name in SORTS if cell(name).verdict != "refused"]
    assert len(titles) < len(served)
    assert sorted(sort for title in titles for sort in re.split(", | and ", title)) == sorted(served)
