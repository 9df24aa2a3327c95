"""How many tokens the decoding requests read together, without a look at each of them."""

from collections.abc import Sequence

from impl.layout import Kind, Lifetime


class Batch:
    """Sums over the decoding requests, as lines in the number of the step.

    In step n a request that decodes first in step s has a context of `context + n - s + 1` tokens.
    """

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.requests = 0
        self._windows = [kind.window for kind in kinds]
        self._states = [kind.lifetime is Lifetime.STATE for kind in kinds]
        self._base = 0
        # of each window, the requests whose context is still shorter, and those for which it is full
        self._short = [0] * len(self._windows)
        self._short_base = [0] * len(self._windows)
        self._full = [0] * len(self._windows)

    def saturates(self, band: int, context: int, start: int) -> int:
        """The step from which a window is full."""
        window = self._windows[band]
        assert window is not None, "only windows fill"
        return start + window - context - 1

    def add(self, context: int, start: int) -> None:
        """A request will decode first in step `start`."""
        self.requests += 1
        self._base += context - start + 1
        for band, window in enumerate(self._windows):
            if window is None:
                continue
            if self.saturates(band, context, start) <= start:
                self._full[band] += 1
            else:
                self._short[band] += 1
                self._short_base[band] += context - start + 1

    def saturate(self, band: int, context: int, start: int) -> None:
        """Its window is full."""
        self._short[band] -= 1
        self._short_base[band] -= context - start + 1
        self._full[band] += 1

    def remove(self, context: int, start: int, step: int) -> None:
        """It decodes no more from a step on."""
        self.requests -= 1
        self._base -= context - start + 1
        for band, window in enumerate(self._windows):
            if window is None:
                continue
            if self.saturates(band, context, start) <= max(step, start):
                self._full[band] -= 1
            else:
                self._short[band] -= 1
                self._short_base[band] -= context - start + 1

    def contexts(self, step: int) -> list[int]:
        """The tokens that all of them read in a step, of each kind."""
        found = []
        for band, (window, state) in enumerate(zip(self._windows, self._states, strict=True)):
            if state:
                found.append(0)
            elif window is None:
                found.append(self._base + self.requests * step)
            else:
                short = self._short_base[band] + self._short[band] * step
                found.append(short + self._full[band] * window)
        return found

    def growing(self) -> list[int]:
        """How many tokens that grows by with each step, of each kind."""
        return [
            0 if state else self.requests if window is None else self._short[band]
            for band, (window, state) in enumerate(zip(self._windows, self._states, strict=True))
        ]
