"""The real Mooncake between two processes: `make test-transfer` runs this in a network that has nothing but itself."""

import socket

import pytest
import torch

from impl.serving.engine.tiny import PATTERNS, tiny
from tests.serving.processes import Crew, until
from tests.serving.running import TOLERANCE, said_alone, tasks


@pytest.fixture(scope="session", autouse=True)
def _a_network_of_its_own() -> None:
    """Mooncake listens on all addresses: there may be none but the loopback's."""
    names = [name for _, name in socket.if_nameindex()]
    if names != ["lo"]:
        pytest.exit(f"this network has {', '.join(names)}: run `make test-transfer`, which makes one of its own", 1)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_prompt_computed_in_another_process_changes_no_logit(pattern: str) -> None:
    asked = {f"request {number}": task for number, task in enumerate(tasks(1, count=6))}
    with Crew(("prefill", "decode"), (pattern,)) as crew:
        for name, task in asked.items():
            crew.decode.tell("ask", crew.prefill.session, name, task.prompt, task.new_tokens)
            crew.prefill.tell("begin", crew.decode.session, name, task.prompt)
        done = []
        for news in until(crew, 60):
            done += news
            if len(done) == len(asked):
                break
    for name, recomputed, said, logits in done:
        alone, spread = said_alone(tiny(pattern), asked[name])
        assert not recomputed
        assert tuple(said) == alone
        assert float((torch.tensor(logits, dtype=torch.float64) - spread).abs().max()) < TOLERANCE
