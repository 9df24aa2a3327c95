"""What is exported is the same each time, is read by several solvers, and who decides otherwise is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import z3

from bandgap.exits import Exit
from bandgap.proofs.files import Agreement, Share, agreement, agreement_text
from properties import second
from properties.admission import asking
from properties.admission.theorems import THEOREMS
from properties.assumptions import stages
from properties.cores import cores, idle
from properties.export import MANIFEST, WITNESS, File, digest, export, exported
from properties.hypotheses import hypotheses
from properties.limits import USUAL
from properties.obligations import Kind
from properties.second import SOLVERS, Said
from properties.selection import broken, everything, selected
from properties.smtlib import Writer
from properties.specification import SPECIFICATIONS, written
from properties.witnesses import possibility, sightings

NAMES = ["share x bijection", "share", "lemma", "admission/strictly-fewer"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("smt2")
    chosen = selected(NAMES)
    few = tuple(o for o in chosen.obligations if o.name in NAMES or o.kind in (Kind.LEMMA, Kind.ADMISSION))
    export(directory, replace(chosen, obligations=few), None, 1)
    return directory


def test_each_obligation_is_a_file_and_each_stage_has_one_of_its_hypotheses(folder: Path) -> None:
    files = exported(folder)
    assert {file.path for file in files} == {str(p.relative_to(folder)) for p in folder.rglob("*.smt2")}
    assert {(file.kind, file.status) for file in files} == {
        ("inductive", "unsat"),
        ("lemma", "unsat"),
        ("admission", "unsat"),
        (WITNESS, "sat"),
    }
    for file in files:
        text = (folder / file.path).read_text()
        assert digest(text) == file.sha256
        assert f"(set-info :status {file.status})" in text
    assert set(json.loads((folder / MANIFEST).read_text())["versions"]) == {"bandgap", "z3-solver", "python"}


def test_the_text_is_the_same_whatever_was_written_before(folder: Path, tmp_path: Path) -> None:
    (alone,) = export(tmp_path, replace(selected(["share x bijection"]), looks={}), None, 1)
    (among,) = [file for file in exported(folder) if file.name == "share x bijection"]
    assert alone == among


def test_a_sort_of_which_there_is_no_function_is_declared_too() -> None:
    x, y = z3.Consts("x y", z3.DeclareSort("lonely"))
    written = Writer().text([("all are one", z3.ForAll([x, y], x == y))], "sat", "of a sort")
    assert "(declare-sort lonely 0)" in written
    solver = z3.Solver()
    solver.from_string(written)
    assert solver.check() == z3.sat


def test_all_solvers_are_asked_about_all_files_and_agree(folder: Path) -> None:
    files = exported(folder)
    found = agreement(folder, files, 1)
    assert len(found.said) == len(files) * len(SOLVERS) >= 40
    assert {each.solver for each in found.said if each.agrees} == set(SOLVERS)
    assert (found.disagreeing, found.altered, found.undecided, found.exit) == ([], [], [], Exit.HOLDS)
    written = json.loads((folder / "agreement.json").read_text())
    assert (written["verdict"], set(written["versions"])) == ("agreed", {"z3", "cvc5"})
    assert all(each["seconds"] >= 0 for each in written["opinions"])


def one(folder: Path, kind: str) -> File:
    return next(file for file in exported(folder) if file.kind == kind)


@pytest.mark.parametrize(("kind", "claimed"), [(WITNESS, "unsat"), (Kind.INDUCTIVE, "sat")])
def test_who_decides_otherwise_than_the_file_says_is_told(folder: Path, kind: str, claimed: str) -> None:
    wrong = replace(one(folder, kind), status=claimed)
    found = agreement(folder, [wrong], 1)
    assert {each.solver for each in found.disagreeing} == set(SOLVERS)
    assert found.exit == Exit.VIOLATED
    assert f"disagreed: cvc5 says {found.disagreeing[-1].said} of {wrong.name}" in list(agreement_text(found))


def test_an_obligation_of_weakened_arithmetic_is_refuted_by_all(tmp_path: Path) -> None:
    weakening = "admission/skips-a-page"
    chosen = broken(weakening, ())
    files = export(tmp_path, chosen, weakening, 1)
    found = agreement(tmp_path, files, 1)
    assert {each.solver for each in found.disagreeing} == set(SOLVERS)
    assert found.exit == Exit.VIOLATED


def test_a_file_that_was_altered_is_told(folder: Path) -> None:
    found = agreement(folder, [replace(one(folder, Kind.LEMMA), sha256="0")], 1)
    assert found.altered == ["lemma x address-rises"]
    assert found.exit == Exit.VIOLATED


def test_nothing_asked_and_nothing_decided_is_inconclusive(folder: Path) -> None:
    assert Agreement((), ()).exit == Exit.INCONCLUSIVE
    found = agreement(folder, [one(folder, Kind.LEMMA)], 1)
    silent = [replace(each, said=Said.UNKNOWN) if each.solver == "cvc5" else each for each in found.said]
    assert replace(found, said=tuple(silent)).exit == Exit.INCONCLUSIVE


def test_a_solver_that_leaves_more_than_is_spared_undecided_is_no_second_opinion(folder: Path) -> None:
    unsat = [file for file in exported(folder) if file.status == "unsat"][:3]
    found = agreement(folder, unsat, 1)
    assert (found.lazy, found.exit) == ([], Exit.HOLDS)
    for silent, exits in ((1, Exit.HOLDS), (2, Exit.INCONCLUSIVE)):
        names = {file.name for file in unsat[:silent]}
        said = [
            replace(each, said=Said.UNKNOWN) if each.solver == "cvc5" and each.file.name in names else each
            for each in found.said
        ]
        less = replace(found, said=tuple(said))
        assert less.exit == exits
        (share,) = [share for share in less.shares if share.solver == "cvc5"]
        assert (share.decided, share.floor, set(share.undecided)) == (3 - silent, 2, names)
        told = list(agreement_text(less))
        assert any(str(part).startswith(f"cvc5 did not decide {silent} of 3 that are unsat: ") for part in told)
        assert ("cvc5 decided 1 of what is unsat, and must decide 2" in told) is (exits == Exit.INCONCLUSIVE)


def test_how_many_may_be_undecided_grows_with_what_is_asked(folder: Path) -> None:
    file = one(folder, Kind.LEMMA)
    assert Share("cvc5", "unsat", 1, ()).floor == 1
    assert Share("cvc5", "unsat", 2000, ()).floor == 1980
    assert Share("cvc5", "sat", 200, ()).floor == 80
    assert not Agreement((file,), ()).is_whole


def test_an_effort_that_is_too_little_decides_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second, "EFFORT", {"z3": 1, "cvc5": 1})
    file = one(folder, Kind.INDUCTIVE)
    said = {each.solver: each.said for each in second.ask(second.Ask("cvc5", str(folder), (file,), 60.0))}
    said |= {each.solver: each.said for each in second.ask(second.Ask("Z3, seed 1", str(folder), (file,), 60.0))}
    assert said == {"cvc5": Said.UNKNOWN, "Z3, seed 1": Said.UNKNOWN}


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no manifest"):
        exported(tmp_path)


def test_a_core_names_what_a_proof_leans_on_and_what_none_does_is_told() -> None:
    chosen = [o for o in everything().obligations if o.name in ("unshare x references", "theorem x no-overlap")]
    found = {each.obligation.name: each.leans_on for each in cores(chosen, 1)}
    assert "band-order" in (found["theorem x no-overlap"] or ())
    assert "references" in (found["unshare x references"] or ())
    unused = idle(list(cores(chosen, 1)))
    assert "band-order" not in unused
    assert "references" in unused


def test_the_hypotheses_of_every_obligation_are_looked_at() -> None:
    looks = everything().looks
    for obligation in everything().obligations:
        stage = asking.theorem_of(obligation.stage)
        assert stage in looks
        assert obligation.kind is Kind.ADMISSION or possibility(stage) in looks[stage]
    assert {stage for whole in SPECIFICATIONS for stage in stages(whole)} < set(looks)


def test_every_part_of_a_theorem_is_given_what_can_be() -> None:
    """Of a theorem that reads alike, a small case is given the same, which is seen when it is looked for."""
    parts = [each for stage in asking.STAGES for each in hypotheses(stage, USUAL)]
    unseen = [each.name for each in parts if str(each.answer) != "sat"]
    assert unseen == []
    assert {each.name.removesuffix(", what it is given") for each in parts} == {
        obligation.stage
        for obligation in asking.obligations()
        if not THEOREMS[asking.theorem_of(obligation.stage).removeprefix(asking.PREFIX)].reads_alike
    }
    assert len(parts) >= 100


@pytest.mark.parametrize("stage", ["lemma", "device/lemma", "device/appear", "device/share"])
def test_a_stage_that_is_taken_from_the_base_is_seen_with_the_device_too(stage: str) -> None:
    (seen,) = sightings(written(stage), stage, (possibility(stage),), USUAL)
    assert (seen.example is not None, seen.reason) == (True, "")
