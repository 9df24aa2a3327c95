"""The scene of a life: a tiny model, the arenas, and which features of serving are switched on."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, repeat
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from fuzz.serving.speculating import DRAFT_WINDOW
from impl.layout import Draft, DType, Layout, Options
from impl.serving.engine.engine import Policy
from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.host.cache import Write
from impl.serving.parallel.stages import stage_layouts
from impl.serving.speculation.drafters import DRAFTERS

Choice = TypeVar("Choice")

POSITIONS: Final = 64
"""Tokens of the longest job that an engine takes."""

LONGEST_PROMPT: Final = 40
"""Tokens."""

MOST_NEW: Final = 6
"""Tokens that a job is asked for at most."""

SORTS: Final = (
    "plain",
    "prefix",
    "host",
    "speculation",
    "transfer",
    "host-speculation",
    "host-transfer",
    "everything",
    "ranks",
)
"""Of scenes: an engine alone, above a prefix cache, above a host tier as well, with a draft, and one of two ends; and
what is called by two of these is both."""

STAGED: Final = tuple(pattern for pattern in PATTERNS if not pattern.startswith("kimi"))
"""Patterns that begin again where they end."""

_HOSTED: Final = frozenset({"host", "host-speculation", "host-transfer", "everything"})
_GUESSING: Final = frozenset({"speculation", "host-speculation", "everything"})
_OF_TWO_ENDS: Final = frozenset({"transfer", "host-transfer", "everything"})
_LATE: Final = _OF_TWO_ENDS | {"ranks"}

SCENE_DRAWS: Final = 16
"""Numbers that a scene is drawn from at most."""

Tokens = Annotated[int, Meta(ge=0, le=4_096)]
Few = Annotated[int, Meta(ge=1, le=64)]
Shares: TypeAlias = Literal["heads", "tokens", "layers", "requests"]
Ends: TypeAlias = Literal["both", "prefill", "decode"]


class Scene(Struct, frozen=True, forbid_unknown_fields=True):
    """What a life is lived in.

    Attributes:
        pattern: of the model, one of `PATTERNS`.
        page_tokens: tokens in a page.
        fp8: whether K, V and latent rows are kept in eight bits.
        late: whether the device does its work when operations let it, and not at once.
        tokens: of every kind for which an arena has room.
        states: for which it has room besides.
        most_running: jobs in a batch.
        chunk: tokens that a job computes in one forward at most.
        in_flight: forwards that are launched and not seen the end of, at most.
        interval: tokens between two states that the prefix cache keeps; 0 for no prefix cache.
        host_tokens: of every kind for which the host's arena has room; 0 for no host tier.
        write: when pages go to the host.
        files: whether what comes to the host is also put into files.
        drafter: by name; empty for no speculation.
        drafts: tokens that are guessed in a step at most.
        ends: 2 where prompts are computed in an arena of their own and sent over, 1 elsewhere.
        hosted: of two ends those that are above the host tier, if there is one.
        ranks: that have an engine together.
        shares: what they share out, if there are several: the heads of layers, the tokens of requests, layers in
            stages, or requests.
    """

    pattern: str = "gpt-oss-20b"
    page_tokens: Few = 4
    fp8: bool = False
    late: bool = True
    tokens: Tokens = 64
    states: Few = 3
    most_running: Few = 3
    chunk: Few = 7
    in_flight: Few = 2
    interval: Tokens = 0
    host_tokens: Tokens = 0
    write: Write = "through"
    files: bool = False
    drafter: str = ""
    drafts: Few = 3
    ends: Literal[1, 2] = 1
    hosted: Ends = "both"
    ranks: Literal[1, 2, 3] = 1
    shares: Shares = "heads"

    def __post_init__(self) -> None:
        """Raises ValueError where features are switched on that do not go together."""
        if self.pattern not in PATTERNS:
            raise ValueError(f"no model has the pattern {self.pattern!r}")
        if self.drafter and self.drafter not in DRAFTERS:
            raise ValueError(f"there is no drafter {self.drafter!r}")
        if self.interval % self.page_tokens:
            raise ValueError("states are kept at the ends of pages")
        if self.host_tokens and not self.interval:
            raise ValueError("a host tier is below a prefix cache")
        if self.files and not self.host_tokens:
            raise ValueError("files are below a host tier")
        if self.ends == 2 and not self.late:
            raise ValueError("the device of an end of two is late")
        if self.hosted != "both" and (self.ends == 1 or not self.host_tokens):
            raise ValueError("of two ends one may have a host tier alone")
        if self.ranks == 1 and self.shares != "heads":
            raise ValueError("no rank shares anything with nobody")
        if self.ranks > 1 and (not self.late or self.ends == 2 or self.drafter or self.host_tokens):
            raise ValueError("ranks may have late devices and a prefix cache")
        if self.shares == "tokens" and self.interval % (self.page_tokens * self.ranks):
            raise ValueError("states are kept at the ends of the pages of all ranks")
        if self.shares == "heads" and self.ranks == 3:
            raise ValueError("no layer has heads for three ranks")
        if self.shares == "layers" and self.pattern not in STAGED:
            raise ValueError(f"no stages are alike that have the layers of {self.pattern}")
        if self.tokens < LONGEST_PROMPT + MOST_NEW:
            raise ValueError("the longest job must have room by itself")

    @property
    def layout(self) -> Layout:
        """Of the model."""
        stages = self.ranks if self.shares == "layers" else 1
        return _layout(self.pattern, self.page_tokens, self.fp8, self.drafter, stages, 1)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """Of the arena of each rank."""
        if self.shares == "layers":
            return tuple(stage_layouts(self.layout, [PATTERNS[self.pattern] * rank for rank in range(self.ranks)]))
        heads = self.ranks if self.shares == "heads" else 1
        return (_layout(self.pattern, self.page_tokens, self.fp8, self.drafter, 1, heads),) * self.ranks

    @property
    def policy(self) -> Policy:
        """Of its engines."""
        return Policy(self.most_running, self.chunk, self.in_flight, POSITIONS, self.interval or None)

    def said(self) -> str:
        """It in a line: what differs from a scene of no choices."""
        plain = Scene()
        differing = {
            name: getattr(self, name) for name in self.__struct_fields__ if getattr(self, name) != getattr(plain, name)
        }
        return ", ".join(f"{name} {value}" for name, value in differing.items()) or "plain"


def scene_of(sort: str, draws: Sequence[int]) -> Scene:
    """A scene of a sort, chosen by numbers; zeros choose what is simplest."""
    numbers = chain(draws, repeat(0))

    def one_of(*choices: Choice) -> Choice:
        return choices[next(numbers) % len(choices)]

    page_tokens = one_of(4, 4, 1, 4, 16)
    simplest: dict[str, Any] = {
        "pattern": one_of(*PATTERNS),
        "page_tokens": page_tokens,
        "fp8": one_of(False, False, True),
        "late": one_of(True, True, True, False) or sort in _LATE,
        "tokens": one_of(64, 48, 96, 160),
        "states": one_of(3, 2, 5),
        "most_running": one_of(3, 1, 2, 4),
        "chunk": one_of(7, 3, 12, 40),
        "in_flight": one_of(2, 2, 1, 3),
    }
    if sort == "ranks":
        simplest |= _of_ranks(simplest["pattern"], page_tokens, numbers)
        return Scene(**simplest)
    return Scene(**simplest, **dict(_features(sort, page_tokens, numbers)))


def _of_ranks(pattern: str, page_tokens: int, numbers: Iterator[int]) -> dict[str, Any]:
    shares = ("heads", "tokens", "layers", "requests")[next(numbers) % 4]
    ranks = 2 if shares == "heads" else (2, 3)[next(numbers) % 2]
    tokens = page_tokens * (ranks if shares == "tokens" else 1)
    interval = tokens * max(1, 8 // tokens) if next(numbers) % 2 else 0
    staged = STAGED[next(numbers) % len(STAGED)] if shares == "layers" and pattern not in STAGED else pattern
    return {"pattern": staged, "ranks": ranks, "shares": shares, "interval": interval}


def _features(sort: str, page_tokens: int, numbers: Iterator[int]) -> Iterator[tuple[str, Any]]:
    interval = (page_tokens * max(1, 8 // page_tokens), page_tokens * max(1, 16 // page_tokens))[next(numbers) % 2]
    if sort in {"prefix", *_HOSTED} or (sort in {"speculation", "transfer"} and next(numbers) % 2):
        yield "interval", interval
    if sort in _HOSTED:
        yield "host_tokens", (300, 12, 48)[next(numbers) % 3]
        yield "write", ("back", "through")[next(numbers) % 2]
        yield "files", bool(next(numbers) % 2)
    if sort in _GUESSING:
        yield "drafter", tuple(DRAFTERS)[next(numbers) % len(DRAFTERS)]
        yield "drafts", (3, 1, 2, 4)[next(numbers) % 4]
    if sort in _OF_TWO_ENDS:
        yield "ends", 2
    if sort in _OF_TWO_ENDS & _HOSTED:
        yield "hosted", ("both", "decode", "prefill")[next(numbers) % 3]


def simpler(scene: Scene) -> Iterator[Scene]:
    """Scenes that have one thing less, each as it is in a plain scene."""
    plain = Scene()
    for name in scene.__struct_fields__:
        if getattr(scene, name) != getattr(plain, name):
            try:
                yield msgspec.structs.replace(scene, **{name: getattr(plain, name)})
            except ValueError:
                # what is left does not go together
                continue


@cache
def _layout(pattern: str, page_tokens: int, fp8: bool, drafter: str, stages: int, ranks: int) -> Layout:
    draft = None
    if drafter:
        window = DRAFT_WINDOW if drafter == "dspark" else None
        draft = Draft(1 if drafter == "eagle" else 2, kv_heads=2, head_dim=8, window=window)
    dtype = DType.FP8_E4M3 if fp8 else DType.BF16
    options = Options(page_tokens=page_tokens, kv_dtype=dtype, draft=draft, tp_size=ranks)
    return tiny(pattern, options, layers=PATTERNS[pattern] * stages)
