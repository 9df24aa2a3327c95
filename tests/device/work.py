"""Work on a small memory, for the runtime by itself."""

from collections.abc import Callable, Sequence

from impl.device.runtime import ARENA, Piece, Touch, Work

Bytes = Sequence[tuple[int, int]]


def touching(reads: Bytes = (), writes: Bytes = (), memory: str = ARENA) -> Callable[[], list[Touch]]:
    named = [(begin, end, False) for begin, end in reads] + [(begin, end, True) for begin, end in writes]
    touches = [Touch(memory, begin, end, does, f"{begin}-{end}") for begin, end, does in named]
    return lambda: touches


def work(
    name: str, reads: Bytes = (), writes: Bytes = (), run: Callable[[], object] = lambda: None, memory: str = ARENA
) -> Work:
    return Work(name, (Piece(run, touching(reads, writes, memory)),))


def in_pieces(name: str, *pieces: tuple[int, int], ticket: int | None = None) -> Work:
    return Work(name, tuple(Piece(lambda: None, touching(writes=[piece])) for piece in pieces), ticket)
