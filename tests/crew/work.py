"""Jobs for crews: they end, fail, hang, or take their process with them."""

import os
import signal
import time
from pathlib import Path


def squared(number: int) -> int:
    return number * number


def raising(number: int) -> int:
    raise LookupError(f"there is no {number}")


def dying_once(folder: Path, number: int) -> int:
    """The process that first does number 3 is killed in the middle of it."""
    with (folder / str(number)).open("a") as begun:
        begun.write("begun\n")
    if number == 3 and (folder / "3").read_text().count("begun") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def dying(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def hanging(number: int) -> int:
    if number == 3:
        time.sleep(600)
    return number * number


def pid(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def gpu_seen(_: int) -> str:
    return os.environ["CUDA_VISIBLE_DEVICES"]
