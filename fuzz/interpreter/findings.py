"""What the guard finds, and the property that each finding breaks."""

from typing import ClassVar


class Finding(Exception):  # raised through the interpreter, as what it finds is an error of the kernel's
    """A kernel does what it must not."""

    property: ClassVar[str]


class OutOfBounds(Finding):
    """A byte is accessed outside the tensor that the pointer was made of."""

    property = "index-range"


class Overflow(Finding):
    """A number does not fit the integer that is to hold it."""

    property = "index-range"


class AssertionFailed(Finding):
    """A `device_assert` of the kernel's own fails."""

    property = "index-range"


class Race(Finding):
    """Two programs of a launch, or two elements of one store, meet at a byte that one of them writes."""

    property = "race-free"


class OrderDependence(Finding):
    """The same launch leaves other bytes behind when its programs run in another order."""

    property = "race-free"
