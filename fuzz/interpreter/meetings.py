"""Bytes at which two programs of a launch meet while one of them writes."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from fuzz.interpreter.bounds import Addresses

READ: Final = 0
WRITE: Final = 1
ATOMIC: Final = 2
VERBS: Final = ("reads", "writes", "updates atomically")


class Meeting(NamedTuple):
    """Two accesses of one byte; the first is a write or an atomic."""

    address: int
    programs: tuple[int, int]
    kinds: tuple[int, int]


@dataclass
class Accesses:
    """Everything that the programs of one launch accessed, as runs of bytes."""

    _begins: list[Addresses] = field(default_factory=list)
    _ends: list[Addresses] = field(default_factory=list)
    _kinds: list[npt.NDArray[np.int8]] = field(default_factory=list)
    _programs: list[npt.NDArray[np.int64]] = field(default_factory=list)

    def add(self, program: int, kind: int, addresses: Addresses, size: int) -> int | None:
        """Note one access of a program's, and return an address at which two elements of one plain store meet."""
        begins = np.sort(addresses)
        step = np.diff(begins)
        twice = np.flatnonzero(step < size)
        gaps = np.flatnonzero(step > size)
        runs_begin = begins[np.concatenate(([0], gaps + 1))]
        self._begins.append(runs_begin)
        self._ends.append(begins[np.concatenate((gaps, [begins.size - 1]))] + np.uint64(size))
        self._kinds.append(np.full(runs_begin.size, kind, np.int8))
        self._programs.append(np.full(runs_begin.size, program, np.int64))
        return int(begins[twice[0] + 1]) if kind == WRITE and twice.size else None

    def meeting(self) -> Meeting | None:
        """The lowest byte at which two programs meet, one of them writing; atomics may meet atomics."""
        if not self._begins:
            return None
        begins, ends = np.concatenate(self._begins), np.concatenate(self._ends)
        kinds, programs = np.concatenate(self._kinds), np.concatenate(self._programs)
        # between two neighbouring edges all bytes have the same accesses
        edges = np.unique(np.concatenate((begins, ends)))
        first, last = np.searchsorted(edges, begins), np.searchsorted(edges, ends)
        covered = last - first
        run = np.repeat(np.arange(begins.size), covered)
        piece = np.repeat(first - (np.cumsum(covered) - covered), covered) + np.arange(covered.sum())
        least, greatest = np.full(edges.size, programs.max()), np.full(edges.size, -1)
        np.minimum.at(least, piece, programs[run])
        np.maximum.at(greatest, piece, programs[run])
        has = np.zeros((3, edges.size), np.bool_)
        has[kinds[run], piece] = True
        met = np.flatnonzero((least < greatest) & (has[WRITE] | (has[ATOMIC] & has[READ])))
        if not met.size:
            return None
        here = run[piece == met[0]]
        # a write if there is one, or else an atomic; and whoever is not the same program
        one = here[np.argmax(np.where(kinds[here] == WRITE, 3, kinds[here]))]
        others = here[programs[here] != programs[one]]
        other = others[np.argmin(kinds[others])] if kinds[one] == ATOMIC else others[0]
        return Meeting(
            int(edges[met[0]]), (int(programs[one]), int(programs[other])), (int(kinds[one]), int(kinds[other]))
        )
