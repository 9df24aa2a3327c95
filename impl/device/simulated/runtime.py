"""A runtime that keeps what it is given, and does it when it is forced to or when a scheduler says so."""

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

import torch

from impl.device.runtime import Piece, Work
from impl.device.simulated.accesses import Access, Accesses
from impl.device.simulated.clocks import Clock, join
from impl.device.simulated.tensors import Watched
from impl.numbers import Int64

POISON = 0xFF
"""What fresh memory is filled with: not a number in every floating-point dtype."""


@dataclass(eq=False)
class SimulatedEvent:
    """What is behind it, and whether all of that is done.

    Attributes:
        clock: whoever waits for it comes behind all of this.
        stream: on which it was recorded; None for the end of a transfer.
        left: pieces of the transfer that have not landed.
    """

    clock: Clock
    stream: str | None
    left: int = 0
    is_done: bool = False


@dataclass(eq=False)
class _Task:
    """A piece of some work that is not done yet."""

    agent: str
    work: Work
    piece: Piece
    number: int
    clock: Clock
    end: SimulatedEvent | None = None


_Item: TypeAlias = "_Task | _Record | _Wait"


@dataclass(eq=False)
class _Record:
    event: SimulatedEvent


@dataclass(eq=False)
class _Wait:
    event: SimulatedEvent


class SimulatedRuntime:
    """Streams in the host's memory, each a queue, and transfers whose pieces wait to land.

    Nothing is done until `step`, `run_towards`, `run_through` or `run_all` is called. Each does one piece of work
    after the other, and of each the bytes are checked against all that was done before: see `Race`. The same calls do
    the same.

    Args:
        keep: whether to keep in `done` what was done, in that order: by whom, what, and which bytes it touched.
    """

    def __init__(self, keep: bool = False) -> None:
        self.host_waits = 0
        self.done: list[tuple[str, str, tuple[str, ...]]] = []
        self._keep = keep
        self._queues: dict[str, deque[_Item]] = {}
        self._clocks: dict[str, Clock] = {}
        self._host: Clock = {}
        self._flying: list[_Task] = []
        self._transfers = 0
        self._accesses = Accesses()

    # --------------------------------------------------------------------------------------------- see `Runtime`

    def launch(self, stream: str, work: Work) -> None:
        """See `Runtime.launch`."""
        clock = self._clock(stream)
        join(clock, self._host)
        for piece in work.pieces:
            clock[stream] = clock.get(stream, 0) + 1
            self._queues[stream].append(_Task(stream, work, piece, clock[stream], dict(clock)))

    def record(self, stream: str) -> SimulatedEvent:
        """See `Runtime.record`."""
        event = SimulatedEvent(dict(self._clock(stream)), stream)
        self._queues[stream].append(_Record(event))
        self._pass_marks(stream)
        return event

    def wait(self, stream: str, event: SimulatedEvent) -> None:
        """See `Runtime.wait`."""
        join(self._clock(stream), event.clock)
        self._queues[stream].append(_Wait(event))
        self._pass_marks(stream)

    def transfer(self, work: Work) -> SimulatedEvent:
        """See `Runtime.transfer`."""
        self._transfers += 1
        agent = f"transfer {self._transfers}"
        # none of its pieces comes behind another: what the host has seen is all that they come behind
        clock, count = dict(self._host), len(work.pieces)
        end = SimulatedEvent({**clock, agent: count}, None, count, not count)
        self._flying.extend(
            _Task(agent, work, piece, number, clock, end) for number, piece in enumerate(work.pieces, 1)
        )
        return end

    def is_done(self, event: SimulatedEvent) -> bool:
        """See `Runtime.is_done`."""
        if event.is_done:
            join(self._host, event.clock)
        return event.is_done

    def synchronize(self, event: SimulatedEvent) -> None:
        """See `Runtime.synchronize`."""
        self.host_waits += 1
        while not self.is_done(event):
            self.run_towards(event)

    def empty(self, stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        """See `Runtime.empty`; whoever reads before writing finds no number."""
        tensor = torch.empty(count, dtype=dtype)
        tensor.view(torch.uint8).fill_(POISON)
        return tensor

    def on_device(self, numbers: Int64) -> torch.Tensor:
        """See `Runtime.on_device`."""
        return torch.from_numpy(numbers)

    def for_kernels(self, tensor: torch.Tensor) -> torch.Tensor:
        """See `Runtime.for_kernels`: reading it on the host is counted."""
        return Watched.over(tensor, self._host_waited)

    # ------------------------------------------------------------------------------------------ when work is done

    def choices(self) -> int:
        """Pieces of work of which any may be done next."""
        return len(self._ready()) + len(self._flying)

    def agents(self) -> list[str]:
        """The stream that each of these pieces is on, or its transfer."""
        return [*self._ready(), *(task.agent for task in self._flying)]

    def step(self, choice: int) -> bool:
        """Do one piece of work, the one that a number chooses; whether there was any to be done."""
        streams = self._ready()
        count = len(streams) + len(self._flying)
        if not count:
            return False
        choice %= count
        if choice < len(streams):
            self._advance(streams[choice])
        else:
            self._land(self._flying[choice - len(streams)])
        return True

    def run_towards(self, event: SimulatedEvent) -> None:
        """Do one piece of work that must be done before an event happens, if it has not happened."""
        if event.is_done:
            return
        if event.stream is not None:
            self._push(event.stream)
        else:
            self._land(next(task for task in self._flying if task.end is event))

    def run_through(self, work: Work) -> None:
        """Do a piece of work wholly, and first whatever must be done before it."""
        for task in [task for task in self._flying if task.work is work]:
            self._land(task)
        for stream, queue in self._queues.items():
            while any(isinstance(item, _Task) and item.work is work for item in queue):
                self._push(stream)

    def run_all(self) -> None:
        """Do everything."""
        while self.step(0):
            pass

    def _clock(self, stream: str) -> Clock:
        if stream not in self._queues:
            self._queues[stream], self._clocks[stream] = deque(), {}
        return self._clocks[stream]

    def _ready(self) -> list[str]:
        return [stream for stream, queue in self._queues.items() if queue and isinstance(queue[0], _Task)]

    def _pass_marks(self, stream: str) -> None:
        """Take what costs no time from the head of a queue: events that happen, and waits that are over."""
        passed = [stream]
        while passed:
            queue = self._queues[passed.pop()]
            while queue:
                head = queue[0]
                if isinstance(head, _Task) or (isinstance(head, _Wait) and not head.event.is_done):
                    break
                queue.popleft()
                if isinstance(head, _Record):
                    head.event.is_done = True
                    passed.extend(self._waiting_for(head.event))

    def _waiting_for(self, event: SimulatedEvent) -> list[str]:
        return [
            stream
            for stream, queue in self._queues.items()
            if queue and isinstance(queue[0], _Wait) and queue[0].event is event
        ]

    def _push(self, stream: str) -> None:
        """Do one piece of work without which a stream does not get further."""
        head = self._queues[stream][0]
        while not isinstance(head, _Task):
            # a mark at the head that was not passed waits for another stream
            assert head.event.stream is not None, "no stream waits for a transfer"
            stream = head.event.stream
            head = self._queues[stream][0]
        self._advance(stream)

    def _advance(self, stream: str) -> None:
        task = self._queues[stream].popleft()
        assert isinstance(task, _Task)
        self._run(task)
        self._pass_marks(stream)

    def _land(self, task: _Task) -> None:
        self._flying.remove(task)
        self._run(task)
        assert task.end is not None, "a transfer has an end"
        task.end.left -= 1
        task.end.is_done = not task.end.left

    def _run(self, task: _Task) -> None:
        work, number = task.work, task.number
        touched = []
        for touch in task.piece.touches():
            self._accesses.add(Access(task.agent, number, work.name, work.ticket, touch), task.clock)
            touched.append(touch.what)
        task.piece.run()
        if self._keep:
            self.done.append((task.agent, work.name, tuple(touched)))

    def _host_waited(self) -> None:
        self.host_waits += 1
