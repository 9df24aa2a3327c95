"""What may happen to an arena, one page at a time.

Each action has a guard, a list of sentences that must all hold, each with the property that could fail without it; an
effect, which is a function of the old state only; and a sentence of prose.
"""

from spec.actions import device, ledger, moving, pages, spans

__all__ = ["device", "ledger", "moving", "pages", "spans"]
