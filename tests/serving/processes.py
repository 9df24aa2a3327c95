"""Processes that compute prompts or go on from them over the real Mooncake, and who starts, stops and kills them."""

import contextlib
import os
import random
import signal
import socket
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import torch

from impl.serving.engine.tiny import tiny
from impl.serving.transfer.channel import Channel
from impl.serving.transfer.decode import Decode
from impl.serving.transfer.messages import Hello, Message, decoded, encoded
from impl.serving.transfer.mooncake import MooncakeTransport
from impl.serving.transfer.prefill import Prefill
from impl.serving.transfer.sender import Sender
from tests.serving.running import options, room_for, serve
from tests.serving.stamped import StampedDecode, StampedPrefill, Stamps
from tests.serving.transferring import POLICY

PROGRESS = 1
PATIENCE = 1.5
ANSWER = 60.0
"""Seconds after which a process that says nothing is taken to hang."""

# errors are what the tests look for; Mooncake's library of logging reads this when it is loaded
os.environ.setdefault("GLOG_minloglevel", "3")

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])


def transport(arena: torch.Tensor) -> MooncakeTransport:
    return MooncakeTransport(arena, progress=PROGRESS)


@dataclass(eq=False)
class Serving:
    """What a process does between two commands.

    Attributes:
        hello: what it says first.
        meet: a peer.
        gone: a peer is dead.
        take: a message of a peer.
        poll: get on.
        commands: what else it can be told, by name.
        news: what it has to tell since it was last asked.
    """

    hello: Hello
    meet: Callable[[Hello], object]
    gone: Callable[[str], object]
    take: Callable[[str, Message], object]
    poll: Callable[[], object]
    commands: dict[str, Callable[..., object]] = field(default_factory=dict)
    news: Callable[[], list[Any]] = list


def _prefill(session: str, post: Any, pattern: str) -> Serving:
    layout = tiny(pattern)
    served = serve(layout, room_for(layout, 200, states=8), policy=POLICY)
    sender = Sender(
        served.allocator,
        served.engine.requests,
        served.device,
        transport(served.device.arena),
        session,
        post,
        patience=PATIENCE,
    )
    prefill = Prefill(served.engine, sender)
    return Serving(sender.hello, sender.meet, sender.gone, sender.take, prefill.step, {"begin": prefill.begin})


def _decode(session: str, post: Any, pattern: str) -> Serving:
    layout = tiny(pattern)
    served = serve(layout, room_for(layout, 200, states=8), policy=POLICY)
    decode = Decode(served.engine, served.allocator, served.device, transport(served.device.arena), session, post)
    asked: dict[str, Any] = {}

    def ask(peer: str, name: str, prompt: tuple[int, ...], new_tokens: int) -> None:
        asked[name] = decode.ask(peer, name, prompt, new_tokens)

    def news() -> list[Any]:
        done = [name for name, each in asked.items() if each.job is not None and each.job.done]
        assert not served.findings, served.findings[0]
        return [
            (name, each.recomputed, each.job.said, [logits.tolist() for logits in each.job.logits])
            for name in done
            for each in (asked.pop(name),)
        ]

    receiver = decode.receiver
    return Serving(receiver.hello, receiver.meet, receiver.gone, receiver.take, decode.step, {"ask": ask}, news)


def _stamped_prefill(session: str, post: Any, page_tokens: int, arena_bytes: int) -> Serving:
    stamps = Stamps(tiny("inkling-small", options(page_tokens)), arena_bytes)
    prefill = StampedPrefill(stamps, transport, session, post, PATIENCE, time.monotonic)
    sender = prefill.sender

    def left() -> list[Any]:
        return [("left", stamps.allocator.statistics().outstanding)]

    return Serving(sender.hello, sender.meet, sender.gone, sender.take, prefill.poll, {"begin": prefill.begin}, left)


def _stamped_decode(session: str, post: Any, page_tokens: int, arena_bytes: int) -> Serving:
    stamps = Stamps(tiny("inkling-small", options(page_tokens)), arena_bytes)
    decode = StampedDecode(stamps, transport, session, post, random.Random(session))

    def news() -> list[Any]:
        ended, decode.ended = decode.ended, []
        statistics = stamps.allocator.statistics()
        return [*ended, ("left", statistics.outstanding), ("checked", stamps.checked)]

    receiver = decode.receiver
    commands: dict[str, Callable[..., object]] = {"ask": decode.ask, "abort": decode.abort, "clear": decode.clear}
    return Serving(receiver.hello, receiver.meet, receiver.gone, receiver.take, decode.poll, commands, news)


ROLES: dict[str, Callable[..., Serving]] = {
    "prefill": _prefill,
    "decode": _decode,
    "stamped prefill": _stamped_prefill,
    "stamped decode": _stamped_decode,
}


def _work(pipe: Connection, role: str, session: str, how: tuple[Any, ...], fault: Callable[[], object] | None) -> None:
    """A process: it does what it is told, and gets on meanwhile."""
    torch.set_num_threads(1)
    try:
        if fault is not None:
            fault()
        _serve(pipe, role, session, how)
    except EOFError:
        pass
    except BaseException:
        pipe.send(("error", traceback.format_exc()))
    finally:
        # Mooncake's threads do not end by themselves
        os._exit(0)


def _serve(pipe: Connection, role: str, session: str, how: tuple[Any, ...]) -> None:
    channels: dict[str, Channel] = {}

    def post(to: str, message: Message) -> None:
        if to in channels:
            channels[to].post(message)

    serving = ROLES[role](session, post, *how)
    pipe.send(("hello", encoded(serving.hello)))
    while True:
        while pipe.poll():
            command, *arguments = pipe.recv()
            if command == "meet":
                peer = decoded(arguments[0])
                assert isinstance(peer, Hello)
                channels[peer.session] = Channel(arguments[1])
                serving.meet(peer)
            elif command == "gone":
                channels.pop(arguments[0]).close()
                serving.gone(arguments[0])
            elif command == "news":
                pipe.send(("news", serving.news()))
            else:
                serving.commands[command](*arguments)
        for name, channel in channels.items():
            for message in channel.take():
                serving.take(name, message)
        serving.poll()
        time.sleep(0.0002)


class Broken(Exception):
    """A process found something, or ended, or hangs."""


@dataclass(eq=False)
class Worker:
    """A process, seen from outside."""

    session: str
    process: BaseProcess
    pipe: Connection
    hello: bytes = b""

    def tell(self, command: str, *arguments: Any) -> None:
        """A command."""
        try:
            self.pipe.send((command, *arguments))
        except OSError as error:
            raise Broken(f"{self.session} is not there: {self._last()}") from error

    def news(self) -> list[Any]:
        """What it has to tell."""
        self.tell("news")
        return list(self._answer("news"))

    def wait_for_hello(self) -> None:
        """It has begun."""
        self.hello = self._answer("hello")

    def stop(self) -> None:
        """It gets no further."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """It gets on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """It is dead when this returns."""
        self.process.kill()
        self.process.join()
        with contextlib.suppress(EOFError, OSError):
            while self.pipe.poll():
                what, *more = self.pipe.recv()
                if what == "error":
                    raise Broken(f"{self.session}: {more[0]}")
        self.pipe.close()

    def _signal(self, number: signal.Signals) -> None:
        if not self.process.is_alive():
            raise Broken(f"{self.session} is not there: {self._last()}")
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def _answer(self, wanted: str) -> Any:
        try:
            if not self.pipe.poll(ANSWER):
                raise Broken(f"{self.session} hangs")
            what, answer = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise Broken(f"{self.session} has ended") from error
        if what != wanted:
            raise Broken(f"{self.session}: {answer}")
        return answer

    def _last(self) -> str:
        with contextlib.suppress(EOFError, OSError):
            if self.pipe.poll():
                return str(self.pipe.recv())
        return "it said nothing"


@dataclass(eq=False)
class Crew:
    """A process that computes prompts and one that goes on from them, each replaced when it is killed.

    Attributes:
        news: what the second had to tell when the two met.
    """

    roles: tuple[str, str]
    how: tuple[Any, ...]
    fault: Callable[[], object] | None = None
    lives: int = 0
    news: list[Any] = field(default_factory=list)

    def __enter__(self) -> "Crew":
        self.prefill, self.decode = self._begin(0), self._begin(1)
        for worker in (self.prefill, self.decode):
            worker.wait_for_hello()
        self._meet()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in (self.prefill, self.decode):
            if worker.process.is_alive():
                worker.process.kill()
            worker.process.join()

    def replace_prefill(self) -> None:
        """Kill it, and begin another; the survivor is told when it is dead."""
        self.prefill.kill()
        self.decode.tell("gone", self.prefill.session)
        self.prefill = self._begin(0)
        self.prefill.wait_for_hello()
        self._meet()

    def replace_decode(self) -> None:
        """Likewise."""
        self.decode.kill()
        self.prefill.tell("gone", self.decode.session)
        self.decode = self._begin(1)
        self.decode.wait_for_hello()
        self._meet()

    def _begin(self, number: int) -> Worker:
        self.lives += 1
        session = f"{self.roles[number]} {self.lives}"
        ours, theirs = _CONTEXT.Pipe()
        arguments = theirs, self.roles[number], session, self.how, self.fault
        process = _CONTEXT.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return Worker(session, process, ours)

    def _meet(self) -> None:
        one, other = socket.socketpair()
        with one, other:
            self.prefill.tell("meet", self.decode.hello, one)
            self.decode.tell("meet", self.prefill.hello, other)
            # each has its own end of the pair once it answers
            self.prefill.news()
            self.news = self.decode.news()


def until(crew: Crew, seconds: float) -> Iterator[list[Any]]:
    """What the deciding end tells, again and again, for so long at most."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield crew.decode.news()
        time.sleep(0.005)
    raise Broken("it takes too long")
