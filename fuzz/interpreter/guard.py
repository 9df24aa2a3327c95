"""The guard: a `with` block in which every launch of an interpreted kernel is watched."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, TypeAlias
from unittest.mock import patch

import numpy as np
import torch
from triton.runtime import interpreter
from triton.runtime.errors import InterpreterError

from fuzz.interpreter.bounds import Addresses, Bounds
from fuzz.interpreter.findings import AssertionFailed, Finding, OutOfBounds, Overflow, Race
from fuzz.interpreter.meetings import ATOMIC, READ, VERBS, WRITE, Accesses

Index: TypeAlias = tuple[int, int, int]

DERIVING: Final = ("create_addptr", "create_splat", "create_broadcast", "create_expand_dims", "create_reshape")
"""What makes pointers of other pointers, and leads to the same tensor."""
TENSOR: Final = "tensor"
"""The attribute of a pointer that says where the tensor begins of which it was made."""


@dataclass
class Watched:
    """What the guard has seen: a check that saw nothing is none."""

    launches: int = 0
    programs: int = 0
    accesses: int = 0
    """Loads, stores and atomics, each of a whole block."""


@contextmanager
def guarded(*, order: int | None = None, races: bool = True) -> Iterator[Watched]:
    """Raise the first finding of any launch in the `with` block.

    Args:
        order: programs run in an order drawn from this seed; None for the ascending one.
        races: whether bytes are found at which programs meet.

    Raises:
        Finding: at the access or operation; a race between programs at the end of its launch.
    """
    watched = Watched()
    watch = _Watch(watched, order, races)
    builder = interpreter.InterpreterBuilder
    with ExitStack() as stack:
        for owner, name, make in (
            (interpreter.GridExecutor, "__call__", watch.around_launch),
            (builder, "set_grid_idx", watch.around_program),
            (builder, "create_masked_load", watch.around_load),
            (builder, "create_masked_store", watch.around_store),
            (builder, "create_atomic_rmw", watch.around_atomic),
            (builder, "create_atomic_cas", watch.around_exchange),
            (builder, "create_int_cast", watch.around_cast),
            (builder, "create_assert", watch.around_assert),
            *((builder, name, watch.around_pointer) for name in DERIVING),
        ):
            stack.enter_context(patch.object(owner, name, make(getattr(owner, name))))
        # makes kernels assert, and adds assertions to whatever is computed in fewer than 64 bits
        options = replace(interpreter.interpreter_builder.options, debug=True)
        stack.enter_context(patch.object(interpreter.interpreter_builder, "options", options))
        yield watched


class _Watch:
    """The hooks; each takes what it replaces."""

    def __init__(self, watched: Watched, order: int | None, races: bool) -> None:
        self._watched, self._order, self._races = watched, order, races
        self._permuted: dict[Index, Index] | None = None
        self._bounds = Bounds(())
        # those of the tensors that begin at an address
        self._bounds_from: dict[int, Bounds] = {}
        self._accesses = Accesses()
        self._program = -1
        # the index in the grid of each program that has run
        self._numbered: list[Index] = []

    def around_launch(self, run: Callable[..., None]) -> Callable[..., None]:
        def patched(executor: Any, *arguments: Any, **named: Any) -> None:
            given = {**dict(zip(executor.arg_names, arguments, strict=False)), **named}
            tensors = [(name, each) for name, each in given.items() if isinstance(each, torch.Tensor)]
            self._bounds = Bounds(tensors)
            begins = {tensor.data_ptr() for _, tensor in tensors}
            self._bounds_from = {
                begin: Bounds(each for each in tensors if each[1].data_ptr() == begin) for begin in begins
            }
            self._accesses, self._program, self._permuted, self._numbered = Accesses(), -1, None, []
            self._watched.launches += 1
            try:
                run(executor, *arguments, **named)
            except InterpreterError as error:
                if isinstance(error.__cause__, Finding):
                    raise error.__cause__ from None
                raise
            if self._races:
                self._find_meeting()

        return patched

    def around_program(self, begin: Callable[..., None]) -> Callable[..., None]:
        def patched(builder: Any, *index: int) -> None:
            x, y, z = index
            if self._order is not None:
                if self._permuted is None:
                    self._permuted = _permuted(tuple(builder.grid_dim), self._order)
                x, y, z = self._permuted[x, y, z]
            self._program += 1
            self._numbered.append((x, y, z))
            self._watched.programs += 1
            begin(builder, x, y, z)

        return patched

    def around_pointer(self, derive: Callable[..., Any]) -> Callable[..., Any]:
        def patched(builder: Any, *operands: Any) -> Any:
            result = derive(builder, *operands)
            source = next(each for each in operands if isinstance(each, interpreter.TensorHandle))
            begin = self._begin_of(source)
            if begin is not None:
                result.set_attr(TENSOR, begin)
            return result

        return patched

    def around_load(self, load: Callable[..., Any]) -> Callable[..., Any]:
        def patched(builder: Any, pointers: Any, mask: Any, *rest: Any, **named: Any) -> Any:
            self._note(READ, pointers, mask)
            return load(builder, pointers, mask, *rest, **named)

        return patched

    def around_store(self, store: Callable[..., Any]) -> Callable[..., Any]:
        def patched(builder: Any, pointers: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> Any:
            self._note(WRITE, pointers, mask)
            return store(builder, pointers, value, mask, *rest, **named)

        return patched

    def around_atomic(self, update: Callable[..., Any]) -> Callable[..., Any]:
        def patched(builder: Any, operation: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
            self._note(ATOMIC, pointers, mask)
            return update(builder, operation, pointers, value, mask, *rest)

        return patched

    def around_exchange(self, exchange: Callable[..., Any]) -> Callable[..., Any]:
        def patched(builder: Any, pointers: Any, *rest: Any) -> Any:
            self._note(ATOMIC, pointers, None)
            return exchange(builder, pointers, *rest)

        return patched

    def around_cast(self, cast: Callable[..., Any]) -> Callable[..., Any]:
        def patched(builder: Any, source: Any, target: Any, is_signed: bool) -> Any:
            result = cast(builder, source, target, is_signed)
            before, after = np.atleast_1d(source.data), np.atleast_1d(result.data)
            narrower = 1 < target.scalar.primitive_bitwidth < source.dtype.scalar.primitive_bitwidth
            if narrower and (lost := np.flatnonzero(before.ravel() != after.ravel())).size:
                value, dtype = before.ravel()[lost[0]], target.scalar
                raise Overflow(f"{value} does not fit {dtype} in program {self._numbered[-1]}")
            return result

        return patched

    def around_assert(self, _check: Callable[..., Any]) -> Callable[..., Any]:
        def patched(_builder: Any, condition: Any, message: str) -> None:
            if not np.all(condition.data):
                kind = Overflow if "overflow detected" in message else AssertionFailed
                raise kind(f"{message} in program {self._numbered[-1]}")

        return patched

    def _note(self, kind: int, pointers: Any, mask: Any) -> None:
        size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        every: Addresses = np.atleast_1d(pointers.data).astype(np.uint64, copy=False)
        active = every.ravel() if mask is None else every[np.broadcast_to(np.atleast_1d(mask.data), every.shape)]
        self._watched.accesses += 1
        if not active.size:
            return
        begin = self._begin_of(pointers)
        bounds = self._bounds if begin is None else self._bounds_from[begin]
        outside = bounds.outside(active, size)
        if outside.size:
            where = bounds.place(int(outside.min()))
            raise OutOfBounds(f"program {self._numbered[-1]} {VERBS[kind]} {size} bytes {where}")
        if self._races:
            met = self._accesses.add(self._program, kind, active, size)
            if met is not None:
                place = self._bounds.place(met)
                raise Race(f"two elements of one store of program {self._numbered[-1]} meet {place}")

    def _begin_of(self, handle: Any) -> int | None:
        """Where the tensor begins of which a pointer was made; None if it is no pointer, or that is not known."""
        if TENSOR in handle.attr:
            return int(handle.attr[TENSOR])
        if not handle.dtype.scalar.is_ptr() or handle.data.size != 1:
            return None
        address = int(handle.data.item())
        return address if address in self._bounds_from else None

    def _find_meeting(self) -> None:
        met = self._accesses.meeting()
        if met is not None:
            (one, other), (first, second) = met.programs, met.kinds
            raise Race(
                f"program {self._numbered[one]} {VERBS[first]}, and program {self._numbered[other]} {VERBS[second]} "
                f"{self._bounds.place(met.address)}"
            )


def _permuted(extents: tuple[int, ...], seed: int) -> dict[Index, Index]:
    width, height, depth = extents
    every = [(x, y, z) for x in range(width) for y in range(height) for z in range(depth)]
    shuffled = Random(seed).sample(every, len(every))
    return dict(zip(every, shuffled, strict=True))
