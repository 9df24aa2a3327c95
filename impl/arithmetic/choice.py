"""The words in which a step branches."""


def select(condition: bool, then: int, otherwise: int) -> int:
    """One of two numbers."""
    return then if condition else otherwise


def both(left: bool, right: bool) -> bool:
    """Whether both hold."""
    return left and right


def either(left: bool, right: bool) -> bool:
    """Whether one of them holds."""
    return left or right


def larger(left: int, right: int) -> int:
    """The larger of two numbers."""
    return select(left >= right, left, right)


def smaller(left: int, right: int) -> int:
    """The smaller of two numbers."""
    return select(left <= right, left, right)
