"""Moments at which either end is killed, stopped or told to give up, while every byte is looked at."""

import random
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.serving.processes import PATIENCE, Crew, Worker, until

AT_A_TIME = 4
LONGEST = (500, 4_000, 30_000)


EVERYTHING = {"abort": 70, "stop": 18, "stop for long": 2, "kill prefill": 5, "kill decode": 5}
"""How likely each sort of moment is."""


@dataclass(eq=False)
class Storm:
    """What happened in it.

    Attributes:
        counts: of each sort of moment, and of what became of the requests.
        checked: bytes that were compared, in processes that are alive at the end or were when last asked.
        left: tickets outstanding on the two ends when they were last asked.
    """

    crew: Crew
    rng: random.Random
    kinds: dict[str, int] = field(default_factory=lambda: EVERYTHING)
    counts: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    names: int = 0
    checked: int = 0
    left: int = 0
    _before: int = 0
    _now: int = 0

    def blow(self, moments: int) -> None:
        """So many moments, then calm: everything ends, and nothing is left in quarantine once the peer is dead."""
        # each kind at least once, and the same ones for the same seed, however fast the processes are
        kinds = [
            *self.kinds,
            *self.rng.choices(list(self.kinds), list(self.kinds.values()), k=moments - len(self.kinds)),
        ]
        self.rng.shuffle(kinds)
        for kind in kinds:
            self._ask()
            # before, in the midst of and after a transfer, which takes some milliseconds
            time.sleep(self.rng.random() ** 2 * 0.08)
            self._moment(kind)
            self._note(self.crew.decode.news())
        self._calm()

    def _ask(self) -> None:
        while len(self.asked) < AT_A_TIME:
            self.names += 1
            name, tokens = f"request {self.names}", self.rng.randrange(1, self.rng.choice(LONGEST))
            self.crew.decode.tell("ask", self.crew.prefill.session, name, tokens)
            self.crew.prefill.tell("begin", self.crew.decode.session, name, tokens)
            self.asked.append(name)

    def _moment(self, kind: str) -> None:
        self.counts[kind] += 1
        match kind:
            case "abort":
                self.crew.decode.tell("abort", self.rng.choice(self.asked))
            case "stop":
                self._stop(self.rng.choice([self.crew.prefill, self.crew.decode]), self.rng.random() * 0.03)
            case "stop for long":
                self._stop(self.rng.choice([self.crew.prefill, self.crew.decode]), PATIENCE + self.rng.random())
            case "stop decode for long":
                self._stop(self.crew.decode, PATIENCE + self.rng.random())
            case "kill prefill":
                self.crew.replace_prefill()
                self._note(self.crew.news)
            case "kill decode":
                self.asked.clear()
                self.crew.replace_decode()
                self._before, self._now = self._before + self._now, 0

    def _stop(self, worker: Worker, seconds: float) -> None:
        worker.stop()
        time.sleep(seconds)
        worker.go_on()

    def _note(self, news: list[tuple[str, int | str]]) -> None:
        for name, what in news:
            if name == "left":
                self.left = int(what)
            elif name == "checked":
                self._now = int(what)
                self.checked = self._before + self._now
            else:
                self.counts[str(what)] += 1
                if name in self.asked:
                    self.asked.remove(name)

    def _calm(self) -> None:
        for news in until(self.crew, 60):
            self._note(news)
            if not self.asked:
                break
        self.crew.decode.tell("clear")
        # what was given up may still be on its way until the peer is dead
        self.crew.replace_prefill()
        self._note(self.crew.news)
        for news in until(self.crew, 60):
            self._note(news)
            if not self.left:
                break
        self.crew.decode.tell("clear")
        self._note(self.crew.decode.news())
