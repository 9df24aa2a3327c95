"""What a campaign is made of: summaries, journals, shelves of the corpus."""

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis.database import InMemoryExampleDatabase

from fuzz.campaign.corpus import NoCorpus, corpus_at, put, taken
from fuzz.campaign.journal import Damaged, Journal
from fuzz.campaign.record import Finding, Kept, Met, Record
from fuzz.campaign.shelf import Shelf
from fuzz.campaign.summary import Summary
from fuzz.campaign.unit import run_unit
from fuzz.campaign.work import Unit
from fuzz.faults.all import FAULTS
from fuzz.looks import Look, look_of
from fuzz.machine import run_machine
from fuzz.setups import setup_of
from tests.fuzz.campaigns import FAULT, plan

SHORT: Look = ("content", "compact", "id # lost #")


def _met(calls: int, setup: str = "toy-three", look: Look = SHORT, seen: str = "as it was") -> Met:
    finding = Finding(look, setup, "id 7 lost 3", calls, f"a file of {calls} calls on {setup}", "a.compact()")
    return Met(("content", "release", seen), 2, look, finding)


def test_failures_that_look_alike_are_one_and_the_shortest_stands_for_them_in_any_order() -> None:
    records = [
        Record(0, 0, "driver", "toy-three", met=(_met(5),)),
        Record(1, 0, "driver", "toy-four", met=(_met(3, "toy-four"),)),
        Record(2, 0, "driver", "toy-three", met=(_met(3), _met(9, look=("no-overlap", "compact", "#")))),
    ]
    for order in permutations(records):
        summary = Summary(3)
        for record in order:
            summary.add(record)
        assert len(summary.found) == 2
        one = summary.found[SHORT]
        assert (one.lane, one.finding.calls, one.times, one.setups) == (1, 3, 6, {"toy-three", "toy-four"})


def test_a_failure_that_the_lane_knows_counts_for_what_it_was_once_made_short() -> None:
    summary = Summary(1)
    summary.add(Record(0, 0, "driver", "toy-three", met=(_met(5),)))
    summary.add(Record(0, 1, "machine", "toy-three", met=(Met(("content", "release", "as it was"), 4),)))
    assert summary.found[SHORT].times == 6


def test_numbers_make_no_difference_and_properties_and_calls_do() -> None:
    assert look_of("content", "hold", "id 3 at page 17") == look_of("content", "hold", "id 4 at page 1")
    assert look_of("content", "hold", "id 3") != look_of("content", "release", "id 3")
    assert look_of("content", "hold", "id 3") != look_of("bijection", "hold", "id 3")


def test_a_line_that_was_cut_short_is_taken_away_at_any_byte(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 1)
    assert list(journal.records()) == []
    journal.append(Record(0, 0, "driver", "toy-three", calls=3))
    whole = (tmp_path / "lane-0000.jsonl").read_bytes()
    journal.append(Record(0, 1, "machine", "toy-three", calls=5))
    both = (tmp_path / "lane-0000.jsonl").read_bytes()
    for length in (*range(len(whole), len(both), 11), len(both) - 1):
        (tmp_path / "lane-0000.jsonl").write_bytes(both[:length])
        assert [record.calls for record in Journal(tmp_path, 1).records()] == [3]
        assert (tmp_path / "lane-0000.jsonl").read_bytes() == whole
    (tmp_path / "lane-0000.jsonl").write_bytes(both)
    assert [record.calls for record in journal.records()] == [3, 5]


def test_a_line_that_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lane-0000.jsonl").write_bytes(b"{}\n")
    with pytest.raises(Damaged, match=r"line 1 of lane-0000\.jsonl is no record"):
        list(Journal(tmp_path, 1).records())


def _run(shelf: Shelf, seed: int) -> int:
    run = run_machine(setup_of("toy-three"), seed, examples=12, steps=15, corpus=shelf, batch_of=12)
    assert run.failure is None
    return len({name for name, _ in run.coverage.operations})


def test_examples_that_exercise_something_new_are_kept_and_tried_again() -> None:
    first = Shelf(Kept())
    _run(first, 1)
    kept = first.added
    assert 1 <= len(kept.covering) <= 12
    assert any(feature.startswith("allocate: step") for feature in kept.seen)
    assert kept.failing == ()
    again = Shelf(Kept())
    _run(again, 1)
    assert again.added == kept
    # with the corpus nothing is new that the corpus has
    second = Shelf(kept)
    _run(second, 2)
    assert not set(second.added.seen) & set(kept.seen)
    assert set(second.added.covering).isdisjoint(kept.covering)


def test_a_shelf_offers_its_covering_examples_to_hypothesis() -> None:
    first = Shelf(Kept())
    _run(first, 1)
    fetched = []

    class Watched(Shelf):
        def fetch(self, key: bytes) -> list[bytes]:
            found = list(super().fetch(key))
            fetched.extend(found)
            return found

    _run(Watched(first.added), 2)
    assert fetched == sorted(first.added.covering)


def test_what_failed_before_is_tried_first() -> None:
    here = plan(unit_calls=4_000)
    first = run_unit(here, Unit(0, 1))
    assert [met.look[0] for met in first.met] == [FAULTS[FAULT].property]
    assert len(first.kept.failing) == 1
    assert first.lives > 2
    again = run_unit(plan(unit_calls=4_000, seed=6), Unit(0, 1, before=first.kept))
    assert [met.look for met in again.met] == [met.look for met in first.met]
    assert again.lives == 2, "it fails at once, and once more to be sure"


def test_what_is_known_is_counted_and_not_looked_into_again() -> None:
    here = plan(unit_calls=2_000)
    for index in (0, 1):
        first = run_unit(here, Unit(0, index))
        (met,) = first.met
        assert met.finding is not None
        again = run_unit(here, Unit(0, index, frozenset({met.look})))
        assert (met.look, None) in {(other.look, other.finding) for other in again.met}
        assert again.lives > first.lives


def test_a_corpus_gives_back_what_was_put_there(tmp_path: Path) -> None:
    kept = Kept((b"\x00fails",), (b"b", b"a"), ("hold: rejected",))
    corpus = corpus_at([str(tmp_path / "one")])
    put(corpus, "bandgap", {"toy-three": kept})
    put(corpus, "bandgap", {"toy-three": kept})
    assert taken(corpus, "bandgap", ["toy-three", "toy-four"]) == {
        "toy-three": Kept((b"\x00fails",), (b"a", b"b"), ("hold: rejected",)),
        "toy-four": Kept(),
    }
    assert taken(corpus, "bandgap-simulated", ["toy-three"]) == {"toy-three": Kept()}


def test_of_several_places_the_first_is_written_and_all_are_read(tmp_path: Path) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    put(corpus_at([other]), "bandgap", {"toy-three": Kept((b"there",))})
    both = corpus_at([one, other])
    put(both, "bandgap", {"toy-three": Kept((b"here",))})
    assert taken(both, "bandgap", ["toy-three"])["toy-three"].failing == (b"here", b"there")
    assert taken(corpus_at([other]), "bandgap", ["toy-three"])["toy-three"].failing == (b"there",)


@pytest.mark.parametrize("place", ["ftp://somewhere", "github:nobody", "github:a/b/c", "/proc/nothing"])
def test_a_place_that_cannot_be_is_refused(place: str) -> None:
    with pytest.raises(NoCorpus) as refused:
        corpus_at([place])
    assert refused.value.remedy


def test_any_example_database_will_do() -> None:
    corpus = InMemoryExampleDatabase()
    put(corpus, "bandgap", {"toy-three": Kept((b"x",))})
    assert taken(corpus, "bandgap", ["toy-three"])["toy-three"].failing == (b"x",)
