"""The lanes, one to a file: each is a claim and the tasks that check it."""

from bandgap.gate.lanes.fuzzing import DEVICE, DRIVER, MACHINE
from bandgap.gate.lanes.locked import LOCK
from bandgap.gate.lanes.proofs import PROOFS
from bandgap.gate.lanes.seeded_faults import SEEDED_FAULTS
from bandgap.gate.lanes.serving import SERVING

ALL = (LOCK, PROOFS, MACHINE, DRIVER, DEVICE, SERVING, SEEDED_FAULTS)
"""All lanes, in the order in which they are run and shown."""
