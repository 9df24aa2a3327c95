"""Hypothesis leaves the literals of our code alone, so that a seed does the same whatever else is loaded.

It tries bytes that stand in the modules of a project, a literal of ten bytes in place of an operation's. Which modules
are loaded, and which of them it takes for the project's, differs between a gate, a campaign, a test and an install.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from hypothesis.internal.conjecture import providers


@contextmanager
def no_literals() -> Iterator[None]:
    """Within it, what Hypothesis draws depends on the seed and on its own release alone."""
    # there is no setting for it; a release without these names is noticed by the test, and does no harm
    of_code = getattr(providers, "Constants", None)
    known = getattr(providers, "CONSTANTS_CACHE", None)
    if of_code is None or known is None:
        yield
        return
    with patch.object(providers.HypothesisProvider, "_local_constants", of_code(), create=True):
        known.cache.clear()
        try:
            yield
        finally:
            known.cache.clear()
