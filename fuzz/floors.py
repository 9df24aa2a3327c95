"""The least that a run must have exercised: one that did less has shown nothing, however it ended."""

from typing import Final

from fuzz.coverage import Coverage
from fuzz.engine.kinds import KINDS
from spec.specification import ACTIONS

OUTCOMES: Final = (
    ("allocate", "step 1"),
    ("allocate", "step 1 settling"),
    ("allocate", "step 2"),
    ("allocate", "step 2 settling"),
    ("allocate", "step 3"),
    ("allocate", "step 3 settling"),
    ("allocate", "never"),
    ("allocate", "after-release"),
    ("allocate", "evict"),
    ("allocate", "wiped"),
    ("allocate", "rejected"),
    ("allocate", "copies"),
    ("allocate", "copies behind their writers"),
    ("plan", "fits"),
    ("plan", "does not fit"),
    ("share", "done"),
    ("share", "rejected"),
    ("release", "done"),
    ("release", "rejected"),
    ("clear", "done"),
    ("open", "forward"),
    ("open", "copy"),
    ("open", "transfer"),
    ("open", "rejected"),
    ("hold", "forward read"),
    ("hold", "forward write"),
    ("hold", "copy read"),
    ("hold", "copy write"),
    ("hold", "transfer read"),
    ("hold", "transfer write"),
    ("hold", "rejected"),
    ("issue", "done"),
    ("land", "done"),
    ("complete", "forward"),
    ("complete", "copy"),
    ("complete", "transfer"),
    ("complete", "rejected"),
    ("quarantine", "done"),
    ("quarantine", "rejected"),
    ("settle", "forward"),
    ("settle", "copy"),
    ("settle", "rejected"),
    ("drain", "done"),
    ("publish", "done"),
    ("unpublish", "done"),
    ("unpublish", "rejected"),
    ("compact", "moved"),
    ("compact", "nothing to move"),
    ("malformed", "rejected"),
    ("release memory", "done"),
    ("release memory", "rejected"),
    ("resume memory", "done"),
    ("resume memory", "rejected"),
    ("allocate", "rejected without memory"),
    ("hold", "rejected without memory"),
    ("publish", "rejected without memory"),
    ("compact", "rejected without memory"),
)
"""Calls and how they ended: each step of admission, each reason of a refusal, each user and mode of a ticket, and each
call that can be made by mistake."""


def unexercised(coverage: Coverage) -> tuple[str, ...]:
    """What a run on chains with a float must have done and did not: page actions, outcomes of calls, operations."""
    actions = [f"action {name}" for name in ACTIONS if not coverage.actions[name]]
    outcomes = [f"{call}: {outcome}" for call, outcome in OUTCOMES if not coverage.outcomes[call, outcome]]
    done = {name for name, _ in coverage.operations}
    operations = [f"operation {name}" for name in KINDS if name not in done]
    return (*actions, *outcomes, *operations)
