import json

import pytest

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.verbs.bench import fuzz
from bench.fuzz import FIGURES, measure
from crew.processors import processors
from fuzz.faults.all import FAULTS


def test_each_figure_stands_beside_the_empty_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.run(rounds=1, calls=100, as_json=True) is Exit.HOLDS
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in rows] == [one.figure.name for one in FIGURES]
    for row in rows:
        assert row["value"] > 0
        assert row["peer_value"] > 0
        assert row["ratio"] == pytest.approx(row["value"] / row["peer_value"])
        assert "an empty machine of 8 rules" in row["peer"]
        assert (f"{processors()} cores" in row["note"]) == row["name"].startswith("seeded driver, all cores")
    assert sum(row["name"].startswith("seeded driver, all cores") for row in rows) == 2


def test_what_breaks_is_not_measured() -> None:
    with FAULTS["free-ignores-holders"].apply(), pytest.raises(AssertionError, match="must hold"):
        list(measure(1, 5_000))


@pytest.mark.parametrize(("rounds", "calls"), [(0, 100), (1, 99)])
def test_what_cannot_be_measured_is_refused(rounds: int, calls: int) -> None:
    with pytest.raises(UsageError):
        fuzz.run(rounds=rounds, calls=calls)
