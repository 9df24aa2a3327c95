"""The machine code of an H200: wide accesses, nothing spilled, 64-bit addresses, and one kernel for each tile."""

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import pytest
import torch
import triton

from fuzz.kernels.changed import changed
from impl.kernels.grid import PageGrid
from impl.kernels.jitted import canaries, filling, moving, translating, updating
from tests.kernels.machine_code import facts
from tests.kernels.machine_code.compiling import MachineCode, machine_code, without_device
from tests.kernels.machine_code.launches import LAUNCHES, Compiled, grid_of


@pytest.fixture(autouse=True)
def _compiled_for_an_h200() -> Iterator[None]:
    with without_device():
        yield


def check(code: MachineCode, stated: Compiled) -> None:
    """The launch uses what is stated, and nothing more."""
    assert code.offsets == {"i64"}, f"an address is computed in {sorted(code.offsets)}"
    assert (code.stack, code.local) == (0, 0), f"registers are spilled to {code.stack + code.local} bytes"
    assert not code.asserts, "an assertion outside of debug mode"
    wide = {"LDG.E.128": stated.wide[0], "STG.E.128": stated.wide[1]}
    expected = {**{name: count for name, count in wide.items() if count}, **stated.others}
    assert code.counts == expected, f"accesses are {dict(sorted(code.counts.items()))}"
    assert code.registers <= stated.registers, f"{code.registers} registers"


@pytest.mark.parametrize("stated", LAUNCHES, ids=[each.name for each in LAUNCHES])
def test_a_launch_uses_what_is_stated(stated: Compiled) -> None:
    check(machine_code(stated.make()), stated)


@pytest.mark.parametrize("name", ["move, 4 KiB pages", "move, 2 MiB pages"])
def test_a_thread_has_all_its_loads_under_way_before_it_stores(name: str) -> None:
    accesses = machine_code(_stated(name).make()).accesses
    assert accesses[-16:] == ("LDG.E.128",) * 8 + ("STG.E.128",) * 8


WORSE = [
    (
        "pages counted in words, so that a mask may cut 16 bytes in two",
        "units.to(tl.int64) * 2",
        "units.to(tl.int64)",
        "accesses are {'LDG.E.64': 18, 'STG.E.64': 16}",
    ),
    (
        "an arena of 32-bit words that begins anywhere",
        "(grid.words, sources",
        "(grid.words.view(torch.int32)[1:], sources",
        "accesses are {'LDG.E': 16, 'LDG.E.64': 2, 'STG.E': 16}",
    ),
    ("an arena of bytes", "(grid.words, sources", "(grid.arena, sources", "accesses are .*'LDG.E.U16'"),
    ("offsets of 32 bits", "first + source * words", "(first + source * words).to(tl.int32)", "is computed in .*'i32'"),
    ("places of 32 bits", "part * TILE + tl.arange", "part.to(tl.int32) * TILE + tl.arange", "is computed in .*'i32'"),
]


@pytest.mark.parametrize(("old", "new", "words"), [case[1:] for case in WORSE], ids=[case[0] for case in WORSE])
def test_a_worse_kernel_is_found(old: str, new: str, words: str) -> None:
    stated = _stated("move, 2 MiB pages")
    with changed(moving, old, new):
        worse = machine_code(stated.make())
    with pytest.raises(AssertionError, match=words):
        check(worse, stated)


def test_more_registers_than_stated_are_found() -> None:
    stated = _stated("move, 2 MiB pages")
    code = machine_code(stated.make())
    check(code, replace(stated, registers=code.registers))
    with pytest.raises(AssertionError, match=f"{code.registers} registers"):
        check(code, replace(stated, registers=code.registers - 1))


def test_a_kernel_that_spills_is_found() -> None:
    stated = _stated("move, 2 MiB pages")
    launch = stated.make()
    code = machine_code(replace(launch, constants={**launch.constants, "maxnreg": 24}))
    assert code.registers <= 24
    assert code.stack + code.local > 0
    with pytest.raises(AssertionError, match="spilled"):
        check(code, stated)


def test_assertions_are_compiled_in_debug_mode_alone() -> None:
    one, two = torch.zeros(1, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
    launches = (
        moving.launch(grid_of(16), one, one),
        filling.launch(grid_of(16), one, 0),
        canaries.fill_launch(grid_of(16), one, one, 0),
        canaries.check_launch(grid_of(16), one, one, 0, two),
        updating.launch(two, one, one),
    )
    for launch in launches:
        assert "__assertfail" not in launch.compiled().asm["ptx"]
        with patch.object(triton.knobs.runtime, "debug", True):
            assert "__assertfail" in launch.compiled().asm["ptx"]


def test_no_kernel_is_compiled_anew_while_requests_are_served() -> None:
    numbers = torch.zeros(100, dtype=torch.int64)
    far = PageGrid(torch.zeros(1 << 20, dtype=torch.uint8)[256:], 16, 65552)
    assert (
        len(
            {
                id(moving.launch(grid, numbers[begin:9], numbers[begin:9]).compiled())
                for grid in (grid_of(65552), grid_of(2 << 20), far)
                for begin in (0, 1, 8)
            }
        )
        == 1
    )
    assert (
        len(
            {
                id(filling.launch(grid, numbers[begin:9], byte).compiled())
                for grid in (grid_of(65552), far)
                for begin in (0, 1, 8)
                for byte in (0, 1, 255)
            }
        )
        == 1
    )
    assert (
        len(
            {
                id(translating.launch(numbers[begin:end], numbers[begin:], 64, numbers[begin:end], unmapped).compiled())
                for begin in (0, 1)
                for end in (2, 17, 99)
                for unmapped in (-1, 1, 16)
            }
        )
        == 1
    )
    assert (
        len(
            {
                id(updating.launch(numbers[begin:], numbers[begin:end], numbers[begin:end]).compiled())
                for begin in (0, 1)
                for end in (2, 17, 99)
            }
        )
        == 1
    )


def test_the_document_states_these_facts() -> None:
    stated = facts.stated()
    assert [row.name for row in stated.rows] == [each.name for each in LAUNCHES]
    if stated.triton == triton.__version__:
        assert list(stated.rows) == facts.compiled_rows()
    assert [row.most_registers for row in stated.rows] == [each.registers for each in LAUNCHES]


def _stated(name: str) -> Compiled:
    return next(each for each in LAUNCHES if each.name == name)
