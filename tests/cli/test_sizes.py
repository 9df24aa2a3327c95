"""Amounts of memory, as people write them."""

import pytest

from bandgap.errors import UsageError
from bandgap.sizes import parse_bytes


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("141GB", 141 * 10**9),
        ("141 gb", 141 * 10**9),
        ("1.5GiB", 3 << 29),
        ("4096B", 4096),
        ("4096000", 4096000),
        ("141", None),
        ("4096", None),
        ("1.5", None),
        ("80MB", 80 * 10**6),
        ("1PB", None),
        ("2000TiB", None),
        ("0", None),
        ("-1GB", None),
        ("1e9", None),
        ("GB", None),
        ("٣GB", None),
        ("", None),
    ],
)
def test_an_amount_is_bytes_or_an_error_that_names_the_option(text: str, nbytes: int | None) -> None:
    if nbytes is not None:
        assert parse_bytes("--memory", text) == nbytes
        return
    with pytest.raises(UsageError) as error:
        parse_bytes("--memory", text)
    assert error.value.field == "--memory"
