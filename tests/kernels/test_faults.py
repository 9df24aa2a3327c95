"""Each deliberate fault of a kernel breaks the property that it names, in a launch that the right kernel passes."""

from collections import Counter
from unittest.mock import patch

from fuzz.faults.trial import Trial
from fuzz.kernels.faults import KERNEL_FAULTS
from fuzz.kernels.trial import Unmodified, try_kernels


def test_each_fault_is_caught_by_the_property_that_it_names_in_one_launch() -> None:
    first, *trials = try_kernels(tuple(KERNEL_FAULTS))
    assert first == Unmodified(len(KERNEL_FAULTS))
    found = [(each.fault.name, each.verdict, each.caught_by, each.shrunk) for each in trials if isinstance(each, Trial)]
    assert found == [(name, "caught", fault.property, 1) for name, fault in KERNEL_FAULTS.items()]


def test_there_are_faults_of_every_kernel_and_of_every_sort() -> None:
    kernels = Counter(name.split("-")[0] for name in KERNEL_FAULTS)
    assert kernels.keys() == {"move", "translate", "update", "canary", "fill"}
    assert min(kernels.values()) >= 2
    properties = Counter(fault.property for fault in KERNEL_FAULTS.values())
    assert properties.keys() == {"index-range", "race-free", "agreement"}
    assert min(properties.values()) >= 3
    assert all(fault.precedent and fault.prose.endswith(".") for fault in KERNEL_FAULTS.values())


def test_faults_of_which_the_process_says_nothing_are_invalid() -> None:
    name = next(iter(KERNEL_FAULTS))
    with patch("sys.executable", "/bin/false"):
        (trial,) = try_kernels([name])
    assert isinstance(trial, Trial)
    assert (trial.fault.name, trial.verdict) == (name, "invalid")
    assert "ended before" in str(trial.problem)
