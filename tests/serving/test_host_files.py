"""A page in a file is whole, of this text, kind and model, or it is none."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from impl.chain import chain_for
from impl.layout import DType
from impl.serving.engine.tiny import tiny
from impl.serving.host.digests import digests_of, fingerprint_of
from impl.serving.host.files import Files
from impl.serving.host.pages import Place

LAYOUT = tiny("gpt-oss-20b")
BANDS = chain_for(LAYOUT, 100_000).bands
PLACE, OTHER = (Place(1, digest) for digest in digests_of([(1, 2, 3, 4), (5, 6, 7, 8)]))
CONTENT = bytes(range(256)) * (BANDS[1].page_bytes // 256)


def files_in(folder: Path, identity: str = "weights") -> Files:
    return Files(folder, fingerprint_of(LAYOUT, identity), BANDS)


def test_what_is_put_is_got(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    assert files.get(PLACE) is None
    files.put(PLACE, CONTENT)
    assert files_in(tmp_path).get(PLACE) == CONTENT
    assert files_in(tmp_path).get(OTHER) is None


def _torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


def _turn_a_bit(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def _a_bit_turned(path: Path) -> None:
    _turn_a_bit(path, len(CONTENT) // 2)


def _a_bit_of_its_digest_turned(path: Path) -> None:
    _turn_a_bit(path, 40)


def _a_bit_of_its_checksum_turned(path: Path) -> None:
    _turn_a_bit(path, -1)


def _of_another_text(path: Path) -> None:
    files = files_in(path.parents[1])
    files.put(OTHER, CONTENT)
    files.path_of(OTHER).rename(path)


def _of_another_kind(path: Path) -> None:
    files = files_in(path.parents[1])
    window = Place(0, PLACE.digest)
    files.put(window, bytes(BANDS[0].page_bytes))
    files.path_of(window).rename(path)


def _of_another_model(path: Path) -> None:
    files = files_in(path.parents[1], "other weights")
    files.put(PLACE, CONTENT)
    files.path_of(PLACE).rename(path)


@pytest.mark.parametrize(
    "spoil",
    [
        _torn,
        _empty,
        _longer,
        _a_bit_turned,
        _a_bit_of_its_digest_turned,
        _a_bit_of_its_checksum_turned,
        _of_another_text,
        _of_another_kind,
        _of_another_model,
    ],
)
def test_what_is_not_whole_or_not_ones_own_is_none(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    files = files_in(tmp_path)
    files.put(PLACE, CONTENT)
    spoil(files.path_of(PLACE))
    assert files.has(PLACE)
    assert files.get(PLACE) is None
    assert files.rejected == 1
    assert not files.has(PLACE)
    assert not files.path_of(PLACE).exists()
    # and it can be kept again
    files.put(PLACE, CONTENT)
    assert files.has(PLACE)
    assert files.get(PLACE) == CONTENT


def test_a_file_has_its_name_when_all_of_it_is_on_the_disk_and_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, others, synced = files_in(tmp_path), files_in(tmp_path), []
    path = files.path_of(PLACE)

    def fsync(descriptor: int) -> None:
        assert not others.has(PLACE)
        synced.append(os.fstat(descriptor))

    monkeypatch.setattr(os, "fsync", fsync)
    for each in (files, others):
        each.put(PLACE, CONTENT)
    (whole,) = synced
    assert (path.stat().st_ino, path.stat().st_size) == (whole.st_ino, whole.st_size)


def test_two_of_one_process_may_write_the_same_page_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, others = files_in(tmp_path), files_in(tmp_path)

    def fsync(descriptor: int) -> None:
        monkeypatch.undo()
        others.put(PLACE, CONTENT)

    monkeypatch.setattr(os, "fsync", fsync)
    files.put(PLACE, CONTENT)
    assert files.failed == others.failed == 0
    assert files.get(PLACE) == others.get(PLACE) == CONTENT
    assert [*files.path_of(PLACE).parent.iterdir()] == [files.path_of(PLACE)]


def test_a_disk_that_fails_loses_a_page_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_in(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    files.put(PLACE, CONTENT)
    assert files.failed == 1
    assert not files.has(PLACE)
    assert not list(files.path_of(PLACE).parent.iterdir())


def test_a_name_that_is_no_file_is_none_and_is_not_asked_for_again(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    files.path_of(PLACE).mkdir()
    assert files.has(PLACE)
    assert files.get(PLACE) is None
    assert not files.has(PLACE)
    files.put(PLACE, CONTENT)
    assert files.failed == 1


def test_another_layout_has_another_fingerprint() -> None:
    prints = {
        fingerprint_of(LAYOUT, "a"),
        fingerprint_of(LAYOUT, "b"),
        fingerprint_of(tiny("gemma-4-31b"), "a"),
    }
    assert len(prints) == 3


@pytest.mark.parametrize(
    "change", [{"dtype": DType.FP16}, {"offset": 8}, {"shape": (8, 2)}, {"part": "latent"}, {"layer": 9}], ids=str
)
def test_whatever_says_what_a_byte_means_is_in_the_fingerprint(change: dict[str, Any]) -> None:
    (window, full) = LAYOUT.kinds
    changed = replace(full, rows=(replace(full.rows[0], **change), *full.rows[1:]))
    assert fingerprint_of(replace(LAYOUT, kinds=(window, changed)), "a") != fingerprint_of(LAYOUT, "a")


@pytest.mark.parametrize("change", [{"page_tokens": 8}, {"window": 9}])
def test_a_kind_of_other_pages_has_another_fingerprint(change: dict[str, Any]) -> None:
    (window, full) = LAYOUT.kinds
    changed = replace(LAYOUT, kinds=(replace(window, **change), full))
    assert fingerprint_of(changed, "a") != fingerprint_of(LAYOUT, "a")
