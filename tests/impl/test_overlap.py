from random import Random

import numpy as np

from impl.chain import BandGeometry, chain_for
from impl.holders import NONE, READ, WRITE
from impl.overlap import FEW, at_bytes_above
from tests.impl.toys import random_layout


def _slowly(band: BandGeometry, page: int, other: BandGeometry, levels: list[int], level: int) -> bool:
    begin, end = band.origin + page * band.page_bytes, band.origin + (page + 1) * band.page_bytes
    return any(
        theirs > level
        and other.origin + its * other.page_bytes < end
        and begin < other.origin + (its + 1) * other.page_bytes
        for its, theirs in enumerate(levels)
    )


def test_what_lies_at_the_bytes_of_a_page_is_found_for_any_two_page_sizes() -> None:
    rnd, found = Random(3), 0
    for _ in range(60):
        bands = chain_for(random_layout(rnd, 3), 3000).bands
        band, other = rnd.choice(bands), rnd.choice(bands)
        levels = [rnd.choice((NONE, NONE, NONE, READ, WRITE)) for _ in range(other.limit)]
        pages = np.array([rnd.randrange(band.first, band.limit) for _ in range(rnd.randint(0, 2 * FEW))], np.int64)
        for level in (NONE, READ, WRITE):
            above = at_bytes_above(band, pages, other, np.array(levels, np.uint8), level)
            assert above.tolist() == [_slowly(band, page, other, levels, level) for page in pages.tolist()]
            found += int(above.sum())
    assert found > 50
