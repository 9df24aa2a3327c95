"""How much of the outputs to come is kept free when a request is admitted."""

from collections.abc import Collection

from replay.engine.policy import Policy
from replay.engine.request import Served

MARGIN = 20
"""Tokens of each running request that are added to what it has produced, when a retraction sets the share anew."""


class Reserve:
    """A share of the outputs to come. It falls while nothing happens, and a retraction raises it.

    An engine knows what its requests may generate at most, not what they will; here both are the same.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.share = policy.reserve

    def calmed(self, steps: int) -> None:
        """So many steps went by."""
        policy = self._policy
        fall = (policy.reserve - policy.least_reserve) / policy.reserve_steps
        self.share = max(policy.least_reserve, self.share - fall * steps)

    def raised(self, running: Collection[Served], step: int, lag: int) -> None:
        """A request is retracted: the share is what the running ones have produced of all that they will."""
        produced = sum(request.generated(step, lag) for request in running)
        wanted = sum(request.left for request in running)
        self.share = min(1.0, (produced + MARGIN * len(running)) / (wanted + 1))

    def tokens(self, running: Collection[Served], step: int, lag: int) -> float:
        """Tokens to be kept free for the requests that run."""
        clip = self._policy.reserve_clip
        return self.share * sum(min(request.left - request.generated(step, lag), clip) for request in running)
