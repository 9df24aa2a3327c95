import os
import signal
import socket
import sys
import threading
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from crew.engines import crew_of
from crew.interrupts import uninterrupted
from crew.local import local
from crew.words import TRIES, Done, Failed, NoCrew, results
from tests.crew import work


def _results(engine: str, do: Any, jobs: range, **options: Any) -> dict[int, Any]:
    with crew_of(engine, do, 2, **options) as crew:
        ended = list(results(crew, jobs))
    assert len(ended) == len(jobs), "each job is told once"
    return {each.job: each for each in ended}


def test_each_job_is_done_and_told_once() -> None:
    assert _results("local", work.squared, range(7)) == {n: Done(n, n * n) for n in range(7)}


def test_what_a_job_raises_is_told_and_the_others_are_done() -> None:
    ended = _results("local", work.raising, range(2))
    assert all(isinstance(each, Failed) for each in ended.values())
    assert all(f"LookupError: there is no {number}" in each.problem for number, each in ended.items())


def test_a_job_whose_process_is_killed_is_done_again(tmp_path: Path) -> None:
    ended = _results("local", partial(work.dying_once, tmp_path), range(6))
    assert ended == {n: Done(n, n * n) for n in range(6)}
    assert _begun(tmp_path) == [1, 1, 1, 2, 1, 1]


def test_a_job_that_kills_every_process_is_given_up_and_the_others_are_done() -> None:
    ended = _results("local", work.dying, range(5))
    assert f"ended {TRIES} times" in ended.pop(3).problem
    assert ended == {n: Done(n, n * n) for n in (0, 1, 2, 4)}


def test_a_job_whose_processes_die_before_they_can_be_given_it_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    send = Connection.send
    sent: list[Any] = []

    def only_once(pipe: Any, job: Any) -> None:
        if sent:
            raise BrokenPipeError
        sent.append(job)
        send(pipe, job)

    with local(work.dying, 1) as crew:
        monkeypatch.setattr(Connection, "send", only_once)
        crew.give(3)
        ended = crew.take()
    assert isinstance(ended, Failed)
    assert f"ended {TRIES} times" in ended.problem
    assert sent == [3]


def test_a_job_that_takes_too_long_is_stopped_and_the_others_are_done() -> None:
    ended = _results("local", work.hanging, range(5), limit=2.0)
    assert "stopped after 2 seconds" in ended.pop(3).problem
    assert ended == {n: Done(n, n * n) for n in (0, 1, 2, 4)}


def test_nothing_is_taken_before_it_ends() -> None:
    with local(work.hanging, 1) as crew:
        with pytest.raises(ValueError, match="no job"):
            crew.take()
        crew.give(3)
        assert crew.take(0.01) is None
        assert crew.busy == 1


def test_processes_are_used_again_and_are_gone_at_the_end() -> None:
    with local(work.pid, 2) as crew:
        pids = {each.result for each in results(crew, range(8)) if isinstance(each, Done)}
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(("visible", "seen"), [("", {"0", "1"}), ("3,5", {"3", "5"})])
def test_each_local_process_sees_one_gpu_of_those_there_are(
    visible: str, seen: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with local(work.gpu_seen, 2, gpus=2) as crew:
        crew.give(0)
        crew.give(1)
        ended = [crew.take(), crew.take()]
    assert {each.result for each in ended if isinstance(each, Done)} == seen


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no engine 'steam'"), crew_of("steam", work.squared, 1):
        pass


def test_without_ray_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NoCrew, match="not installed") as caught, crew_of("ray", work.squared, 1):
        pass
    assert "bandgap[cluster]" in caught.value.remedy


# ---------------------------------------------------------------------------------------------------------------- Ray


def test_an_address_at_which_nobody_answers_is_said_at_once() -> None:
    pytest.importorskip("ray")
    with socket.socket() as taken:
        # bound, so that nobody else has it, and deaf
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(NoCrew, match="no cluster answers") as caught,
            crew_of("ray", work.squared, 1, address=address),
        ):
            pass
    assert "--address" in caught.value.remedy


@dataclass(frozen=True)
class Cluster:
    """What came of jobs on a Ray cluster of two processes, one of which was killed."""

    ended: list[Any]
    begun: list[int]
    addresses: set[str]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    ray = pytest.importorskip("ray")
    folder = tmp_path_factory.mktemp("cluster")
    with crew_of("ray", partial(work.dying_once, folder), 2) as crew:
        ended = list(results(crew, range(6)))
        addresses = {node["NodeManagerAddress"] for node in ray.nodes()}
    assert not ray.is_initialized()
    return Cluster(ended, _begun(folder), addresses)


def test_a_job_whose_ray_worker_is_killed_is_done_again(cluster: Cluster) -> None:
    assert sorted(cluster.ended, key=lambda each: each.job) == [Done(n, n * n) for n in range(6)]
    assert cluster.begun == [1, 1, 1, 2, 1, 1]


def test_a_cluster_that_is_started_here_is_reached_from_here_alone(cluster: Cluster) -> None:
    assert cluster.addresses == {"127.0.0.1"}
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"


def _begun(folder: Path) -> list[int]:
    return [(folder / str(n)).read_text().count("begun") for n in range(6)]


def test_an_interrupt_inside_a_block_takes_effect_at_its_end() -> None:
    done, begun = [], threading.Event()

    def interrupt() -> None:
        begun.wait()
        signal.raise_signal(signal.SIGINT)

    # a thread that was there before, as those of numpy are
    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  # what is done before it is what is tested
        with uninterrupted():
            begun.set()
            other.join()
            done.append("all of the block")
        done.append("nothing behind it")
    assert done == ["all of the block"]


def test_a_block_in_another_thread_is_left_alone() -> None:
    seen = []

    def inside() -> None:
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    worker = threading.Thread(target=inside)
    worker.start()
    worker.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
