"""A crew by the name that a person gives."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from crew.words import Crew, J, R

ENGINES: Final = ("local", "ray")


@contextmanager
def crew_of(
    engine: str,
    work: Callable[[J], R],
    size: int,
    *,
    address: str | None = None,
    preload: Sequence[str] = (),
    gpus: int = 0,
    limit: float | None = None,
) -> Iterator[Crew[J, R]]:
    """The crew of an engine; see `crew.local.local` and `crew.on_ray.on_ray`, which is imported only where it is used.

    Args:
        engine: one of `ENGINES`.
        work: does a job; a function of a module or a partial of one.
        size: jobs that are done at once.
        address: of a Ray cluster that is there; none for one of this machine alone.
        preload: modules that every local process has imported.
        gpus: of this machine, for local processes; a Ray cluster knows its own.
        limit: seconds after which a job is stopped and has failed.

    Raises:
        ValueError: there is no such engine.
        NoCrew: Ray is not installed, or the cluster does not answer.
    """
    if engine == "local":
        from crew.local import local

        with local(work, size, preload=preload, gpus=gpus, limit=limit) as here:
            yield here
    elif engine == "ray":
        from crew.on_ray import on_ray

        with on_ray(work, size, address=address, limit=limit) as there:
            yield there
    else:
        raise ValueError(f"there is no engine {engine!r}: choose one of {', '.join(ENGINES)}")
