import json

from typer.testing import CliRunner

from bandgap.cli import app


def test_the_recorder_is_measured_in_the_thread_that_serves_and_in_the_one_that_writes() -> None:
    done = CliRunner().invoke(app, ["bench", "recorder", "--rounds", "1", "--seconds", "0.002", "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    assert [(row["name"], row["unit"]) for row in rows] == [
        ("recorder, per call", "us"),
        ("recorder, written, per call", "us"),
        ("recorder, step of 128 requests", "%"),
    ]
    assert rows[1]["value"] > 0


def test_a_senseless_pace_is_misused() -> None:
    assert CliRunner().invoke(app, ["bench", "recorder", "--rounds", "0"]).exit_code == 2
    assert CliRunner().invoke(app, ["bench", "recorder", "--seconds", "0"]).exit_code == 2
