"""The stage: engines of a scene, all that was asked of them, and what is looked at after every operation."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

import torch

from fuzz.serving.alone import reference, text_of
from fuzz.serving.giving_way import watched
from fuzz.serving.holding import look_at_holders
from fuzz.serving.hosting import Hosted, serve_hosted
from fuzz.serving.ranked import Ranked, ranked
from fuzz.serving.running import TOLERANCE, Served, Task, quiet, room_for, serve, work_off
from fuzz.serving.scene import Scene
from fuzz.serving.speculating import Speculation, furthest_of, speculate
from fuzz.serving.transferring import Pair, carry, pair_of, post_to_decode, post_to_prefill
from fuzz.serving.watching import watch
from fuzz.serving.words import told
from fuzz.violation import Violation
from impl.misuse import Misuse
from impl.recording import RecordedAllocator
from impl.serving.engine.job import Job
from impl.serving.engine.model import VOCABULARY, Model
from impl.serving.transfer.decode import Asked
from impl.serving.transfer.receiver import Receiver
from impl.serving.transfer.sender import Sender
from impl.serving.transfer.tickets import has_caught_up
from spec.judge.judge import Judge

MOST_JOBS: Final = 6
"""That are not done."""

MOST_TURNS: Final = 600
"""In which everybody does all that he can. What is not done then will never be: a life needs less than a hundred."""

IDLE_TURNS: Final = 12
"""Of these in a row in which nothing gets on, after which nothing will."""

PROPOSALS: Final = 3
"""Of each job that are compared."""

HABITS: Final = ("its own", "right", "wrong", "by chance")
"""What a draft proposes: what it holds for the likeliest; or what is made to be so."""


T = TypeVar("T")


@dataclass(eq=False)
class Want:
    """What was asked for, and by whom it is done.

    Attributes:
        task: a prompt and so many new tokens.
        stop: the token after which nothing more is said; None if there is none.
        jobs: of each engine that has it; none where the prompt is computed elsewhere.
        where: it was asked for.
        asked: of the end that goes on from it; None where it is not.
        given_up: whether nobody wants it any more, or whoever did is dead.
        is_over: whether it was compared.
    """

    task: Task
    stop: int | None
    jobs: dict[Served, Job]
    where: Served
    asked: Asked | None = None
    given_up: bool = False
    is_over: bool = False

    @property
    def now(self) -> Job | None:
        """The job, if it is the engine's by now."""
        return next(iter(self.jobs.values())) if self.asked is None else self.asked.job

    @property
    def done(self) -> tuple[Job, ...]:
        """The jobs, once they are done; all of them are at the same time.

        Raises:
            Violation: they are not.
        """
        jobs = tuple(self.jobs.values()) or (() if self.now is None else (self.now,))
        found = [job.done for job in jobs]
        if len(set(found)) > 1:
            raise Violation("rank-agreement", f"a job is done on some ranks and not on others: {found}")
        return jobs if any(found) else ()


class Stage:
    """Engines that are operated. Whoever makes one closes it.

    Attributes:
        scene: what they are made from.
        served: the engine; where there are two ends, the one that goes on from prompts.
        both: the two ends; None where there is one.
        ranks: that have the engine together; None where it is one's.
        wants: all that was asked for.
        done: operations by name and what came of them.
        events: what happened meanwhile, by name.
        seen: how often each of these had happened when it was last counted.
        habit: of the draft.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.both: Pair | None = None
        self.ranks: Ranked | None = None
        self._guessing: dict[Served, Speculation] = {}
        self.wants: list[Want] = []
        self.done: Counter[tuple[str, str]] = Counter()
        self.events: Counter[str] = Counter()
        self.habit = HABITS[0]
        self.folder: TemporaryDirectory[str] | None = None
        self.seen: Counter[str] = Counter()
        self._judges: list[Judge] = []
        self._own = self._made()
        for served in self.engines:
            self.attend(served)

    def close(self) -> None:
        """Remove its files."""
        if self.folder is not None:
            self.folder.cleanup()

    # ------------------------------------------------------------------------------------------------ what there is

    @property
    def served(self) -> Served:
        """The engine that says what jobs say."""
        return self._own if self.both is None else self.both.served[self.both.decoding]

    @property
    def sides(self) -> tuple[Served, ...]:
        """Every engine of which something can be asked that the others are not."""
        return self.engines if self.ranks is None else self.ranks.sides

    @property
    def engines(self) -> tuple[Served, ...]:
        """Every engine."""
        if self.ranks is not None:
            return self.ranks.engines
        return (self._own,) if self.both is None else tuple(self.both.served.values())

    @property
    def allocators(self) -> tuple[RecordedAllocator, ...]:
        """Of every arena."""
        own = tuple(served.allocator for served in self.engines)
        return (*own, *(hosted.host for hosted in self.hosted))

    @property
    def hosted(self) -> tuple[Hosted, ...]:
        """The engines above a host tier."""
        return tuple(served for served in self.sides if isinstance(served, Hosted))

    @property
    def guessing(self) -> dict[Served, Speculation]:
        """The engines that guess, each with its draft."""
        return {served: self._guessing[served] for served in self.sides if served in self._guessing}

    @property
    def calls(self) -> int:
        """That were judged, of those who are dead by now as well."""
        return sum(judge.calls for judge in self._judges)

    @property
    def actions(self) -> Counter[str]:
        """Page actions that were judged, by name."""
        return sum((judge.actions for judge in self._judges), Counter())

    @property
    def left(self) -> list[Want]:
        """What is not done."""
        return [want for want in self.wants if not (want.is_over or want.given_up)]

    @property
    def paths(self) -> list[Path]:
        """The files that pages are kept in."""
        return sorted(path for path in Path(self.folder.name).rglob("*") if path.is_file()) if self.folder else []

    # ---------------------------------------------------------------------------------------------------- what is done

    def ask(self, prompt: tuple[int, ...], new_tokens: int, stop: int | None) -> None:
        """A job, which may be over after a token."""
        task = Task(prompt, new_tokens)
        if self.both is not None:
            self.wants.append(Want(task, stop, {}, self.served, self.both.ask(task, stop)))
            return
        served = self.sides[sum(prompt) % len(self.sides)]
        jobs: dict[Served, Job] = {}
        self.each(served, lambda one: jobs.update({one: one.engine.submit(prompt, new_tokens, stop)}))
        self.wants.append(Want(task, stop, jobs, served))

    def cancel(self, want: Want) -> None:
        """Nobody wants a job any more that is the engine's."""
        if want.asked is not None and want.asked.job is not None:
            self.served.engine.cancel(want.asked.job)
        else:
            self.each(want.where, lambda one: one.engine.cancel(want.jobs[one]))
        want.given_up = True

    def each(self, served: Served, act: Callable[[Served], T]) -> T:
        """Do something on an engine, and so on those of all ranks that have it together."""
        return act(served) if self.ranks is None else self.ranks.each(served, act)

    def work(self, served: Served, pieces: Sequence[int]) -> bool:
        """A device does so many pieces of its work, each the one that a number chooses; whether there were any."""
        return self.each(served, lambda one: _work(one, pieces))

    def step(self, served: Served) -> bool:
        """An engine looks for what there is to do; whether it launched something."""
        if self.ranks is not None:
            return self.ranks.step()
        if self.both is None:
            return served.engine.step()
        return self.both.decode.step() if served is self.served else self.both.prefill.step()

    def attend(self, served: Served) -> None:
        """Look at whatever an engine's cache lets go of; what it lets go of must become free, and nothing else."""
        prefix = served.engine.prefix
        if prefix is not None:
            prefix.give_way = watched(prefix.give_way, served)  # type: ignore[assignment, method-assign]  # of this one

    def replace_prefill(self) -> None:
        """The end that computes prompts dies, and another one comes after it."""
        assert self.both is not None, "prompts are sent"
        self.both.replace_prefill()
        self.attend(self.both.served[self.both.session])

    def replace_decode(self) -> None:
        """The end that goes on from prompts dies, and another one comes after it; nobody wants what was asked of it."""
        assert self.both is not None, "prompts are sent"
        for want in self.left:
            want.given_up = True
        self.both.replace_decode()
        self.attend(self.served)

    def note(self, name: str, outcome: str) -> None:
        """An operation was done."""
        self.done[name, outcome] += 1

    # ------------------------------------------------------------------------------------------------ what is looked at

    def judged_first(self, violation: Violation) -> Violation:
        """What the judge has found comes before what came of it."""
        findings = [finding for served in self.engines for finding in served.findings]
        return Violation(findings[0].check, findings[0].problem, findings[0]) if findings else violation

    def look(self) -> None:
        """See that everything is as it should be.

        Raises:
            Violation: it is not.
        """
        for served in self.engines:
            if served.findings:
                finding = served.findings[0]
                raise Violation(finding.check, finding.problem, finding)
            if served.runtime.host_waits:
                raise Violation("no-host-sync", "the host waited for the device")
        for allocator in self.allocators:
            try:
                allocator.check()
            except AssertionError as error:
                raise Violation("agreement", f"an allocator's tables contradict each other: {error}") from error
        for served in self.engines:
            look_at_holders(served, self._end_of(served))
        for want in self.left:
            if jobs := want.done:
                want.is_over = True
                for job in jobs:
                    self._compare(want, job)

    def finish(self) -> None:
        """Let everything come to its end, and see that all is said and nothing is left.

        Raises:
            Violation: it is not.
        """
        far, idle_turns = self._far(), 0
        if self.ranks is not None:
            self.ranks.be_frank()
        for _ in range(MOST_TURNS):
            if self._is_quiet():
                break
            self._turn()
            self.look()
            idle_turns, far = (idle_turns + 1 if self._far() == far else 0), self._far()
            if idle_turns >= IDLE_TURNS:
                if not self._has_quarantine():
                    raise Violation("progress", f"nothing gets on any more: {self._waiting()}")
                self.replace_prefill()
                idle_turns = 0
        else:
            raise Violation("progress", f"there is no end of it: {self._waiting()}")
        if self.left:
            raise Violation("progress", f"engines are idle, and jobs are not done: {self._waiting()}")
        if self.both is not None:
            self._part(self.both)
        self._clear_everything()

    # --------------------------------------------------------------------------------------------------------- parts

    def _made(self) -> Served:
        scene = self.scene
        if scene.files:
            self.folder = TemporaryDirectory(prefix="bandgap-serving-")
        if scene.ranks > 1:
            self.ranks = ranked(scene)
            self._judges.extend(judge for served in self.ranks.engines for judge in served.judges)
            return self.ranks.engines[0]
        if scene.ends == 2:
            ends = (partial(self._engine, is_hosted=scene.hosted in {"both", end}) for end in ("prefill", "decode"))
            self.both = pair_of(scene.layout, *ends)
            watch(self.both)
            return self.both.served[self.both.decoding]
        return self._engine(is_hosted=True)

    def _engine(self, *, is_hosted: bool) -> Served:
        """An engine, whose judges are remembered."""
        served = self._engine_of(is_hosted=is_hosted)
        self._judges.extend(served.judges)
        return served

    def _engine_of(self, *, is_hosted: bool) -> Served:
        """An engine; above a host tier where the scene has one and it is."""
        scene, make = self.scene, _serve
        if scene.host_tokens and is_hosted:
            make = partial(
                serve_hosted,
                host_bytes=room_for(scene.layout, scene.host_tokens, scene.states),
                write=scene.write,
                folder=Path(self.folder.name) if self.folder else None,
                interval=scene.interval,
            )
        make = partial(make, late=scene.late, model=_model(scene))
        layout, size, policy = scene.layout, room_for(scene.layout, scene.tokens, scene.states), scene.policy
        if not scene.drafter:
            return make(layout, size, policy=policy)
        speculation = speculate(layout, size, scene.drafter, drafts=scene.drafts, make=make, policy=policy)
        speculation.engine.pick = self._pick
        self._guessing[speculation.served] = speculation
        return speculation.served

    def _pick(self, job: Job, position: int, place: int, logits: torch.Tensor) -> int:
        """What the draft proposes at a place after a position."""
        at = position + place + 1
        if self.habit == "its own":
            return int(logits.argmax())
        text = text_of(self.scene, tuple(job.prompt))
        right = text[at] if at < len(text) else 0
        is_right = self.habit == "right" or (self.habit == "by chance" and (7 * position + place) % 3 > 0)
        return right if is_right else (right + 1) % VOCABULARY

    def _compare(self, want: Want, job: Job) -> None:
        """A job that is done: what it said, and each logit."""
        if job.rejected:
            raise Violation("progress", f"a job of {job.total} tokens was rejected, and it has room by itself")
        said, logits = reference(self.scene, want.task, want.stop)
        if tuple(job.said) != said:
            problem = f"after {_listed(want.task.prompt)} a job says {job.said}, and by itself the model {list(said)}"
            raise Violation("same-logits", problem)
        furthest = _furthest(job.logits, logits)
        if not furthest < TOLERANCE:
            problem = f"a logit of what a job says after {_listed(want.task.prompt)} is off by {furthest:.3g}"
            raise Violation("same-logits", problem)
        if self.served in self.guessing:
            self._compare_proposals(self.guessing[self.served], job)

    def _compare_proposals(self, guessing: Speculation, job: Job) -> None:
        # what was guessed after the token at which a job stopped is of no text
        turns = [turn for turn, _ in guessing.heard if turn.job is job and turn.last_known < job.known]
        for turn in turns[-PROPOSALS:]:
            furthest = furthest_of(guessing, turn)
            if not furthest < TOLERANCE:
                problem = f"a logit of the draft's after {turn.last_known + 1} tokens is off by {furthest:.3g}"
                raise Violation("same-draft-logits", problem)

    def _end_of(self, served: Served) -> Sender | Receiver | None:
        """The end of transfers that an engine belongs to."""
        if self.both is None:
            return None
        return self.both.decode.receiver if served is self.served else self.both.prefill.sender

    def _is_quiet(self) -> bool:
        if any(hosted.cache.copies.flying for hosted in self.hosted):
            return False
        if self.both is None:
            return all(one.engine.is_idle and not one.allocator.outstanding() for one in self.engines)
        both = self.both
        is_idle = both.prefill.is_idle and both.decode.is_idle and not both.to_decode and not both.to_prefill
        sent = not both.served[both.session].allocator.outstanding()
        return is_idle and sent and not both.network.flying(both.session)

    def _far(self) -> tuple[object, ...]:
        """How far everything is."""
        engines = [(served.engine.forwards, len(served.allocator.outstanding())) for served in self.engines]
        mail = () if self.both is None else (len(self.both.to_prefill), len(self.both.to_decode))
        return (*engines, *mail, len(self.left))

    def _has_quarantine(self) -> bool:
        """Whether pages are withheld for a transfer that failed: only the end of the peer's process ends that."""
        return self.both is not None and self.served.allocator.statistics().quarantined > 0

    def _turn(self) -> None:
        """Everybody does all that he can."""
        with told():
            for served in self.sides:
                self.each(served, work_off)
                self.step(served)
            if self.both is not None:
                while carry(self.both, 0):
                    pass
                if self.both.to_prefill:
                    post_to_prefill(self.both)
                if self.both.to_decode:
                    post_to_decode(self.both)

    def _waiting(self) -> str:
        tickets = [each.ticket for served in self.engines for each in served.allocator.outstanding()]
        return f"{len(self.left)} jobs, tickets {tickets}"

    def _part(self, both: Pair) -> None:
        """The end that computes prompts dies, once nothing of it is left; then nothing is left in quarantine."""
        sender = both.served[both.session]
        with told():
            self._clear(sender)
            both.network.kill(both.session)
            both.decode.receiver.gone(both.session)
            for _ in range(3):
                while carry(both, 0):
                    pass
                work_off(self.served)
                both.decode.step()
        self.look()

    def _clear_everything(self) -> None:
        with told():
            for served in self.sides if self.both is None else (self.served,):
                self.each(served, self._clear)
        self.look()

    def _clear(self, served: Served) -> None:
        """Let an engine's cache go; nothing must be left then."""
        if isinstance(served, Hosted):
            known, bands = len(served.cache.host_pages), range(len(self.scene.layout.kinds))
            kept = sum(int(served.host.references(band).size) for band in bands)
            if kept != known:
                raise Violation("bookkeeping", f"the host's arena has {kept} references, and the tier has {known}")
        prefix = served.engine.prefix
        if prefix is not None:
            prefix.clear()
        quiet(served)
        has_caught_up(served.allocator, served.device)
        _nothing_left("an arena", served.allocator)
        try:
            served.allocator.release_memory()
        except Misuse as misuse:
            raise Violation("nothing-left", f"an arena's bytes cannot be given back: {misuse}") from misuse
        served.allocator.resume_memory()
        if isinstance(served, Hosted):
            _nothing_left("the host's arena", served.host)


_serve: Callable[..., Served] = serve


def _work(served: Served, pieces: Sequence[int]) -> bool:
    done: list[bool] = [served.runtime.step(piece) for piece in pieces]
    return any(done)


@cache
def _model(scene: Scene) -> Model:
    return Model(scene.layout)


def _furthest(logits: Sequence[torch.Tensor], right: torch.Tensor) -> float:
    return float((torch.stack(list(logits)) - right).abs().max().nan_to_num(float("inf")))


def _listed(prompt: tuple[int, ...]) -> str:
    return str(list(prompt)) if len(prompt) <= 8 else f"[{', '.join(map(str, prompt[:6]))}, ... {len(prompt)} tokens]"


def _nothing_left(where: str, allocator: RecordedAllocator) -> None:
    statistics = allocator.statistics()
    pages = {kind.name: kind.live + kind.withheld for kind in statistics.kinds if kind.live or kind.withheld}
    for what, left in (
        ("pages in use", pages),
        ("tickets outstanding", statistics.outstanding),
        ("publishers", statistics.publishers),
    ):
        if left:
            raise Violation("nothing-left", f"{what} in {where} once all is over: {left}")
