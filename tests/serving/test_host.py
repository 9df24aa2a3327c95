"""The host tier: what gave way on the device comes back from the host, and no logit tells the difference."""

import pytest

from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.host.cache import Write
from tests.serving.hosting import large, nothing_is_lost, rounds, say, serve_hosted, small
from tests.serving.running import TOLERANCE


@pytest.mark.parametrize("write", ["through", "back"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_round_trip_through_the_host_changes_no_logit(pattern: str, write: Write) -> None:
    layout = tiny(pattern)
    hosted = serve_hosted(layout, small(layout), large(layout), write=write)
    assert say(hosted, rounds(1), seed=2) < TOLERANCE
    assert hosted.cache.backed_up > 0
    assert hosted.cache.loaded > 0
    nothing_is_lost(hosted)
