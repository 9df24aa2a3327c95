"""Seeded faults: small deliberate faults, each of which a named property must catch."""
