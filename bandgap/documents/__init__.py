"""Documents, generated from the specification, the proofs and the seeded faults, so that they cannot be out of date."""
