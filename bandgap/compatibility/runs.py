"""What is run together on tiny engines: a cell is allowed because a run has it, and for nothing else.

Each run is a test that compares every logit with that of a model on memory of its own, and that fails unless each of
its features was seen to do something.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from bandgap.compatibility.refusals import refusal_of
from bandgap.compatibility.words import CHAINS, RANKS


@dataclass(frozen=True)
class Run:
    """Some features on a model.

    Attributes:
        sort: of the model.
        preset: in whose pattern the tiny model is.
        features: all at once.
        shown_by: another test that runs it; none where the run is a test of its own.
    """

    sort: str
    preset: str
    features: frozenset[str]
    shown_by: str = ""

    @property
    def ranks(self) -> bool:
        """Whether each of several ranks is a process."""
        return not self.features.isdisjoint(RANKS)

    @property
    def in_grid(self) -> bool:
        """Whether there are ranks within ranks."""
        return len(self.features.intersection(RANKS)) > 1

    @property
    def name(self) -> str:
        """Of the run, as its test is called."""
        return f"{self.preset}: {' '.join(sorted(self.features))}"


PRESETS: Final = (
    ("full+window", "gpt-oss-20b"),
    ("full+window", "gemma-4-31b"),
    ("full+state", "qwen3-next-80b-a3b"),
    ("full+state", "qwen3.5-4b"),
    ("mla+state", "kimi-linear-48b-a3b"),
    ("mla+state", "kimi-k3"),
    ("full+window+state", "inkling-small"),
)
"""In whose patterns there are tiny models, and of which sort each is."""

_SCHEDULED: Final = frozenset({"overlap", "retraction", "priority-preemption", "fp8-kv"})
_SCHEDULED_IN_GRID: Final = _SCHEDULED - {"priority-preemption"}
_CACHED: Final = frozenset({"prefix-cache", "host-tier", "large-pages"})
_PAGES: Final = ("pages-of-1", "large-pages")

_SHOWN: Final = (
    (
        "tensor-parallel",
        "tests/serving/test_tensor_parallel.py::test_two_ranks_say_what_one_process_says",
        tuple(preset for _, preset in PRESETS),
    ),
    (
        "pipeline-parallel",
        "tests/serving/test_pipeline_parallel.py::test_two_stages_say_what_one_process_says",
        ("gpt-oss-20b", "qwen3-next-80b-a3b", "inkling-small"),
    ),
    (
        "decode-context-parallel",
        "tests/serving/test_context_parallel.py::test_two_ranks_say_what_one_process_says",
        ("kimi-linear-48b-a3b", "kimi-k3", "qwen3-next-80b-a3b", "gpt-oss-20b", "inkling-small"),
    ),
    (
        "data-parallel-attention",
        "tests/serving/test_data_parallel.py::test_each_of_two_ranks_says_what_one_process_says",
        ("gpt-oss-20b", "qwen3.5-4b", "inkling-small"),
    ),
)


def _pages(presets: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Each preset with small or with large pages, and each sort with both."""
    presets = list(presets)
    for number, (sort, preset) in enumerate(presets):
        is_alone = sum(other == sort for other, _ in presets) == 1
        for pages in _PAGES if is_alone else (_PAGES[number % 2],):
            yield sort, preset, pages


def _runs() -> Iterator[Run]:
    for sort, preset, pages in _pages(PRESETS):
        alone = _SCHEDULED | {pages, "prefix-cache"}
        yield Run(sort, preset, alone)
        yield Run(sort, preset, alone | {"host-tier"})
        yield Run(sort, preset, alone | {"disaggregation"})
        for chain in CHAINS:
            yield Run(sort, preset, alone | {chain})
    for sort, preset in dict(PRESETS).items():
        for chain in CHAINS:
            yield Run(sort, preset, _SCHEDULED | {"prefix-cache", "host-tier", "disaggregation", chain})
    for sort, preset in dict(PRESETS).items():
        for mode in RANKS:
            for number, chain in enumerate(CHAINS):
                sent = {"disaggregation"} if chain == "eagle3" else set()
                features = _SCHEDULED | {"prefix-cache", "host-tier"} | sent | {mode, chain, _PAGES[number % 2]}
                if refusal_of((sort, *features)) is None:
                    yield Run(sort, preset, features)
    for sort, preset in dict(PRESETS[::-1]).items():
        # four processes take their time: one sort of model is served with more than the others
        more = _CACHED if sort == "full+window+state" else frozenset[str]()
        for ways in combinations(RANKS, 2):
            yield Run(sort, preset, _SCHEDULED_IN_GRID | more | {*ways})
    at_once = _SCHEDULED_IN_GRID | _CACHED | {"disaggregation", "eagle3"}
    yield Run("full+window", "gpt-oss-20b", at_once | {"tensor-parallel", "pipeline-parallel"})
    for feature, test, presets in _SHOWN:
        for sort, preset in PRESETS:
            if preset in presets:
                # where each rank has requests of its own, that test looks at other things
                with_overlap = {"overlap"} if feature != "data-parallel-attention" else set()
                yield Run(sort, preset, frozenset({feature, "retraction", *with_overlap}), test)


RUNS: Final = tuple(_runs())
"""All of them."""
