"""What is said to go together was run together; what is refused is refused, and nothing else."""

import pytest

from bandgap.compatibility.runs import RUNS, Run
from tests.serving.running import TOLERANCE
from tests.serving.together import Seen, alone


def ran(run: Run) -> Seen:
    return alone(run)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_what_is_run_together_changes_no_logit_and_each_feature_does_something(run: Run) -> None:
    seen = ran(run)
    assert seen.furthest < TOLERANCE
    assert {feature for feature in run.features if not seen.times[feature]} == set()
