"""When requests come: at the times that traffic states, or as clients have their answers."""

from collections import deque

from replay.traffic.traffic import Traffic


class Arrivals:
    """Requests that have not come yet."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._next = 0
        clients = 0 if traffic.concurrency is None else min(traffic.concurrency, len(traffic))
        self._free_clients = deque([0.0] * clients)

    @property
    def coming(self) -> float | None:
        """When the next one comes, in seconds; None if that depends on answers, or there are no more."""
        if self._next >= len(self._traffic):
            return None
        if self._traffic.concurrency is not None:
            return self._free_clients[0] if self._free_clients else None
        return float(self._traffic.arrivals[self._next])

    def take(self) -> int:
        """The next one has come: its number."""
        if self._free_clients:
            self._free_clients.popleft()
        self._next += 1
        return self._next - 1

    def answered(self, at: float) -> None:
        """A client has its answer, and sends its next request."""
        if self._traffic.concurrency is not None:
            self._free_clients.append(at)
