"""What documents say of how often actions were exercised."""

from bandgap.documents.catalogue import catalogue
from bandgap.documents.exercised import exercised, exercised_parts, killed_parts
from fuzz.floors import REJECTIONS
from spec.specification import ACTIONS


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
