"""The real Mooncake between two processes: `make test-transfer` runs this in a network that has nothing but itself."""

import fcntl
import os
import random
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from impl.misuse import Misuse
from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.transfer.mooncake import MooncakeTransport
from tests.serving.processes import Broken, Crew, until
from tests.serving.real_faults import an_abort_frees_at_once, no_limit, no_quarantine, the_first_request_speaks_for_all
from tests.serving.running import TOLERANCE, said_alone, tasks
from tests.serving.storm import EVERYTHING, Storm

MOMENTS = int(os.environ.get("MOMENTS", "60"))
SEED = int(os.environ.get("SEED", "1"))
STAMPED = ("stamped prefill", "stamped decode")
ARENA = 48 << 20


@pytest.fixture(scope="session", autouse=True)
def _a_network_of_its_own() -> None:
    """Mooncake listens on all addresses: there may be none but the loopback's."""
    names = [name for _, name in socket.if_nameindex()]
    if names != ["lo"]:
        # not a skip: nothing was tested
        pytest.exit(f"this network has {', '.join(names)}: run `make test-transfer`, which makes one of its own", 1)
    _set_up("lo")


def _set_up(name: str) -> None:
    """Set a network device up, as `ip link set NAME up` does; see netdevice(7)."""
    ask, flags, is_up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", name.encode(), 0)
        _, found = struct.unpack("16sH14x", fcntl.ioctl(any_socket, ask, request))
        fcntl.ioctl(any_socket, flags, struct.pack("16sH14x", name.encode(), found | is_up))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_prompt_computed_in_another_process_changes_no_logit(pattern: str) -> None:
    asked = {f"request {number}": task for number, task in enumerate(tasks(1, count=6))}
    with Crew(("prefill", "decode"), (pattern,)) as crew:
        for name, task in asked.items():
            crew.decode.tell("ask", crew.prefill.session, name, task.prompt, task.new_tokens)
            crew.prefill.tell("begin", crew.decode.session, name, task.prompt)
        done: list[Any] = []
        for news in until(crew, 60):
            done += news
            if len(done) == len(asked):
                break
    for name, recomputed, said, logits in done:
        alone, spread = said_alone(tiny(pattern), asked[name])
        assert not recomputed
        assert tuple(said) == alone
        assert float((torch.tensor(logits, dtype=torch.float64) - spread).abs().max()) < TOLERANCE


def _ends(moments: int, **kinds: int) -> Storm:
    with Crew(STAMPED, (256, ARENA)) as crew:
        storm = Storm(crew, random.Random(SEED), kinds or EVERYTHING)
        storm.blow(moments)
    print(f"{dict(storm.counts)}, {storm.checked >> 20} MiB looked at, {crew.lives} processes")
    assert storm.left == 0
    return storm


@pytest.mark.timeout(1_200)
def test_whenever_either_end_dies_stops_or_gives_up_no_foreign_byte_is_seen() -> None:
    storm = _ends(MOMENTS)
    assert storm.counts["landed"] > MOMENTS // 10
    assert storm.counts["aborted"] > MOMENTS // 10
    assert storm.counts.keys() >= EVERYTHING.keys()
    assert storm.checked > MOMENTS << 20


def test_what_is_given_up_may_land_much_later_and_is_not_seen() -> None:
    storm = _ends(2, **{"stop decode for long": 1})
    assert storm.counts["landed"] + storm.counts["failed"] >= 4


def _long_prompts(fault: Callable[[], None] | None = None) -> set[str]:
    """What becomes of some prompts, each of several thousand pages."""
    found: dict[str, str] = {}
    with Crew(STAMPED, (4, 16 << 20), fault) as crew:
        names = [f"long {number}" for number in range(3)]
        for name in names:
            crew.decode.tell("ask", crew.prefill.session, name, 4 * 2_500)
            crew.prefill.tell("begin", crew.decode.session, name, 4 * 2_500)
        for news in until(crew, 60):
            found |= {name: what for name, what in news if name in names}
            if len(found) == len(names):
                break
    return set(found.values())


def test_prompts_of_more_pages_than_go_at_once_land_whole() -> None:
    assert _long_prompts() == {"landed"}


def test_more_pages_at_once_than_a_peer_takes_do_not_land() -> None:
    assert "failed" in _long_prompts(no_limit)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (an_abort_frees_at_once, "abort"),
        (the_first_request_speaks_for_all, "stop"),
        (no_quarantine, "stop decode for long"),
    ],
)
def test_a_fault_shows(fault: Callable[[], None], kind: str) -> None:
    with pytest.raises(Broken, match="ForeignByte"), Crew(STAMPED, (256, ARENA), fault) as crew:
        Storm(crew, random.Random(SEED), {kind: 1}).blow(400)


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mooncake.engine", None)
    with pytest.raises(Misuse, match=r"bandgap\[transfer\]"):
        MooncakeTransport(torch.zeros(8, dtype=torch.uint8))
