"""The README's picture is what the allocator does today."""

import xml.etree.ElementTree as ET

from bandgap.reports.readme_picture import blocks, picture, served
from tests.house.walls import ROOT


def test_the_picture_is_up_to_date() -> None:
    drawn = (ROOT / "docs/arena.svg").read_text()
    assert drawn == picture(), "run python -m bandgap.reports.readme_picture > docs/arena.svg"
    ET.fromstring(drawn)


def test_the_picture_shows_every_byte_once_and_every_status() -> None:
    allocator = served()
    header = allocator.header()
    drawn = list(blocks(header, allocator.snapshot()))
    ends = [block.x + block.width for block in drawn]
    assert all(abs(block.x - end) < 1e-6 for block, end in zip(drawn[1:], ends, strict=False))
    assert abs(ends[-1] - drawn[0].x - 920) < 1e-6
    assert {block.status for block in drawn} == {"live", "held", "withheld", "hole", "gap", "sink"}
