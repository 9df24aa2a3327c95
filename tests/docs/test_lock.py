"""The lock: what counts as a change, what is in it, and that no change passes without it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bandgap.exits import Exit
from bandgap.gate.lanes.locked import CANARY, LOCK, ROOT, WEAKENED, compare
from bandgap.gate.settings import Settings
from bandgap.gate.verdict import Answer, answer_of, reasons_of_task
from bandgap.lock.history import NoRevision, since, stale
from bandgap.lock.items import COVERED, items_of, sources_in
from bandgap.lock.lockfile import NAME, changes, locked, read, written
from spec.catalog import sentence_name
from spec.specification import ACTIONS, INVARIANTS, STEPS, THEOREMS
from tests.docs.readings import sentences_of

ITEMS = items_of(sources_in(ROOT))


def test_the_lock_is_that_of_the_source() -> None:
    assert not stale(ROOT, ITEMS), "the specification changed: see whether it should, then run bandgap docs --lock"
    assert read(written(ITEMS)) == ITEMS == locked(ROOT)


def test_every_sentence_effect_and_property_is_in_it() -> None:
    for action in ACTIONS.values():
        assert f"effect {action.name}" in ITEMS
        assert f"arguments {action.name}" in ITEMS
        for text in sentences_of(action):
            # a guard may take over those of another
            assert any(f"guard {sentence_name(one, text)}" in ITEMS for one in ACTIONS.values()), text
    for kind, table in (("invariant", INVARIANTS), ("step", STEPS), ("theorem", THEOREMS)):
        assert {f"{kind} {name}" for name in table} <= set(ITEMS)
    assert {"word holders", "word shows", "definition spec.state.FIELDS", "judge spec.judge.judge.Judge"} <= set(ITEMS)


ACTION = '''
@action("band page")
class give:
    """Gives."""

    @staticmethod
    def guard(s: State, band: Term, page: Term) -> Guard:
        at = s.status[band, page]
        other = s.refs[band, page]
        yield "it is free", at == FREE, "span"
        yield "nobody has it", other == 0, "span"

    @staticmethod
    def effect(s: State, band: Term, page: Term) -> State:
        return s.but(status=s.status.set((band, page), LIVE))
'''


def changed_by(old: str, new: str) -> list[str]:
    assert old in ACTION
    before, after = (items_of({"spec/actions/giving.py": text}) for text in (ACTION, ACTION.replace(old, new)))
    return [str(change) for change in changes(before, after)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Gives."""', '"""Gives something to somebody."""'),
        ("at = s.status", "# what it is\n        at = s.status"),
        ("band: Term, page: Term", "band: int, page: Any"),
        (
            "s.but(status=s.status.set((band, page), LIVE))",
            "s.but(\n            status=s.status.set((band, page), LIVE)\n        )",
        ),
    ],
)
def test_prose_comments_types_and_layout_do_not_count(old: str, new: str) -> None:
    assert changed_by(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("at == FREE", "at != LIVE", ["changed guard give.it-is-free"]),
        ("at = s.status[band, page]", "at = s.status[band, 0]", ["changed guard give.it-is-free"]),
        (
            '"nobody has it", other == 0, "span"',
            '"nobody has it", other == 0, "content"',
            ["changed guard give.nobody-has-it"],
        ),
        ('        yield "it is free", at == FREE, "span"\n', "", ["removed guard give.it-is-free"]),
        ("LIVE)", "FREE)", ["changed effect give"]),
        ('"band page"', '"band vid"', ["changed arguments give"]),
    ],
)
def test_what_is_said_counts_by_name(old: str, new: str, said: list[str]) -> None:
    assert changed_by(old, new) == said


def test_a_guard_with_anything_else_in_it_counts_as_a_whole() -> None:
    assert changed_by(
        '        yield "it is free"', '        if band:\n            return\n        yield "it is free"'
    ) == [
        "removed guard give.it-is-free",
        "added guard give.line-by-line",
        "removed guard give.nobody-has-it",
    ]


# ----------------------------------------------------------------------------------------------------------- history


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The specification in a repository of its own, with one commit."""
    for top in COVERED:
        if (ROOT / top).is_dir():
            shutil.copytree(ROOT / top, tmp_path / top, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / top).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / top, tmp_path / top)
    lock(tmp_path)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(tree: Path, *arguments: str) -> None:
    who = ("-c", "user.name=tests", "-c", "user.email=tests@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=tree, check=True, capture_output=True)


def commit(tree: Path) -> None:
    git(tree, "add", "-A")
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "a state of the tree")


def lock(tree: Path) -> None:
    (tree / NAME).write_text(written(items_of(sources_in(tree))))


def weaken(tree: Path) -> None:
    path, old, new = WEAKENED
    source = (tree / path).read_text()
    assert old in source
    (tree / path).write_text(source.replace(old, new, 1))


def test_a_weakened_sentence_is_named_and_does_not_pass_without_the_lock(tree: Path) -> None:
    weaken(tree)
    found = since(tree, "HEAD")
    assert [str(change) for change in found.changes] == [f"changed {CANARY}"]
    assert found.problems == (f"changed {CANARY} without spec.lock; renew it with bandgap docs --lock",)
    commit(tree)
    assert since(tree, "HEAD~1").problems
    assert gate_on(tree, "HEAD~1") is Answer.VIOLATED
    lock(tree)
    assert not since(tree, "HEAD~1").problems
    assert gate_on(tree, "HEAD~1") is Answer.HOLDS


def test_a_lock_renewed_before_the_range_does_not_count(tree: Path) -> None:
    weaken(tree)
    lock(tree)
    git(tree, "add", NAME)
    git(tree, "commit", "--quiet", "-m", "the lock alone")
    found = since(tree, "HEAD")
    assert [str(change) for change in found.changes] == [f"changed {CANARY}"]
    assert found.problems == ("spec.lock is the same as at HEAD; renew it with bandgap docs --lock",)


def test_nothing_changed_is_nothing_wrong(tree: Path) -> None:
    assert since(tree, "HEAD").changes == ()
    assert gate_on(tree, "HEAD") is Answer.HOLDS


def test_an_unknown_revision_is_no_pass(tree: Path) -> None:
    with pytest.raises(NoRevision):
        since(tree, "nothing")
    assert gate_on(tree, "nothing") is Answer.BROKEN


def gate_on(tree: Path, revision: str) -> Answer:
    evidence = compare(tree, Settings(since=revision), lambda *_: None)
    assert [canary.caught_by for canary in evidence.canaries] == [CANARY]
    return answer_of(reasons_of_task(evidence))


def test_the_gate_has_the_lane() -> None:
    (task,) = LOCK.tasks(Settings())
    evidence = task.run(Settings(), lambda *_: None)
    assert answer_of(reasons_of_task(evidence)).exit is Exit.HOLDS
