"""The checks of a GPU run, and the sanitizer where there is one."""

from pathlib import Path

import pytest

from fuzz.faults.fault import replaced
from fuzz.kernels.changed import changed
from gpu_tests.allocator.checks import Amounts, checks
from gpu_tests.sanitizer import check_memory
from impl.device.arena import ArenaDevice
from impl.kernels.twins import moving
from tests.gpu.at_once import HERE

FEW = Amounts(calls_toys=4_000, calls_models=2_000)


def test_each_check_says_what_it_did() -> None:
    done = list(checks(HERE, FEW))
    assert [check.name for check in done] == [
        "the twin's moves on tensors of the device",
        "the driver on streams, chains",
        "the driver on streams, models",
        "a captured graph while pages move",
    ]
    assert (done[0].holds, done[0].said) == (True, "pages of 4 sizes arrived whole")
    assert "calls judged" in done[1].said
    assert done[1].holds
    assert done[3].holds


def test_a_twin_that_moves_wrongly_on_a_device_does_not_hold() -> None:
    with changed(moving, "    pages[targets] = pages[sources]", "    pages[sources] = pages[targets]"):
        twin = next(iter(checks(HERE, FEW)))
    assert not twin.holds
    assert "is wrong" in twin.said or "are wrong" in twin.said


def test_what_is_broken_holds_nowhere() -> None:
    with replaced(ArenaDevice, "move_pages", lambda _: lambda *_: None):
        done = list(checks(HERE, Amounts(3_000, 20)))
    assert [check.holds for check in done] == [True, False, False, False]
    assert "no-foreign-bytes" in done[1].said


def test_a_driver_that_did_too_little_does_not_hold() -> None:
    done = list(checks(HERE, Amounts(1, 1)))
    assert [check.holds for check in done] == [True, False, False, True]
    assert "never: " in done[1].said
    assert "never: " in done[2].said


@pytest.mark.parametrize(("code", "holds"), [(0, True), (9, False)])
def test_the_sanitizer_is_asked_where_it_is_installed(code: int, holds: bool, tmp_path: Path) -> None:
    assert check_memory("no-such-sanitizer") is None
    tool = tmp_path / "sanitizer"
    tool.write_text(f'#!/bin/sh\necho "$@"\nexit {code}\n')
    tool.chmod(0o755)
    check = check_memory(str(tool))
    assert check is not None
    assert check.holds == holds
    assert "--lane cuda" in check.said
