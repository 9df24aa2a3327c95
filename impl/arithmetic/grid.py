"""A band's grid: where its pages lie. Bytes are counted from the first of the tensor; page 0 is at `origin`."""


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient rounded up, for a positive divisor and any dividend."""
    return (dividend + divisor - 1) // divisor


def address(origin: int, size: int, page: int) -> int:
    """The first byte of a page of `size` bytes."""
    return origin + page * size


def first_page_from(origin: int, size: int, byte: int) -> int:
    """The lowest page that begins at a byte or above it."""
    return ceil_div(byte - origin, size)


def pages_until(origin: int, size: int, byte: int) -> int:
    """The page after the highest page that ends at a byte or below it."""
    return (byte - origin) // size
