"""What documents say of how often actions were exercised."""

from pathlib import Path

import msgspec
import pytest

from bandgap.documents.catalogue import catalogue
from bandgap.documents.exercised import Exercised, exercised, exercised_parts, killed_parts, write_exercised
from bandgap.errors import UsageError
from fuzz.floors import REJECTIONS
from spec.specification import ACTIONS
from tests.fuzz.campaigns import head, worked_off


def test_the_campaign_on_record_exercised_every_action_and_every_rejection() -> None:
    seen = exercised()
    assert seen.calls > 100_000
    assert seen.actions.keys() == ACTIONS.keys()
    assert min(seen.actions.values()) > 100
    assert seen.rejections.keys() == {f"{name}: {why}" for name, why in REJECTIONS}


def test_an_action_says_how_often_it_was_exercised_and_rejected_and_whose_faults_it_is_there_for() -> None:
    hold = catalogue().actions["hold"]
    times = exercised().rejections["hold: writing needs a sole reference"]
    said = "\n".join(exercised_parts("hold", hold.sentences))
    assert f"this happened {exercised().actions['hold']:,} times" in said
    assert f"- Writing needs a sole reference: {times:,} times" in said
    assert "`shared-pages-may-be-written`" in "\n".join(killed_parts(hold.sentences))
    assert "this happened never" in "\n".join(exercised_parts("no-such-action", ()))


def test_what_a_campaign_exercised_is_put_on_record_by_itself(tmp_path: Path) -> None:
    done = worked_off(tmp_path / "campaign", head(tmp_path / "corpus", units=2, fault=None))
    write_exercised(tmp_path / "campaign", tmp_path / "record.json")
    seen = msgspec.json.decode((tmp_path / "record.json").read_bytes(), type=Exercised)
    assert (seen.target, seen.seed, seen.units, seen.calls) == ("bandgap", 5, 2, done.summary.calls)
    assert seen.actions == done.summary.coverage.actions
    assert sum(seen.rejections.values()) == done.summary.coverage.rejections.total() > 0


def test_only_a_campaign_about_the_allocator_as_it_is_is_put_on_record(tmp_path: Path) -> None:
    worked_off(tmp_path / "campaign", head(tmp_path / "corpus", units=1))
    for folder, problem in (("campaign", "free-ignores-holders"), ("nowhere", "has no campaign")):
        with pytest.raises(UsageError, match=problem):
            write_exercised(tmp_path / folder, tmp_path / "record.json")
    assert not (tmp_path / "record.json").exists()
