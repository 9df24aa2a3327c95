"""What the engine remembers of a request."""


class Served:
    """A request that has arrived; the engine changes it. Times are in seconds.

    Attributes:
        context: tokens that are computed before its next one: the prompt, and what was generated before a retraction.
        left: tokens that it still had to generate when it was last admitted.
        pages: of each kind the virtual pages of its places, in order, from `first` on.
        done: tokens of `context` that were handed to a forward or found in the cache.
        chunk: tokens of the last stretch of it, computed in step `chunk_step`.
        start: the step in which it decodes first; -1 while it does not.
        life: raised when it leaves the batch, so that what was planned for it is void.
        blocks: names of the cached blocks that it uses.
        boundary: tokens of its prompt after which a later request can go on.
        first_token: when it was there; below 0 before.
    """

    __slots__ = (
        "arrival",
        "blocks",
        "boundary",
        "chunk",
        "chunk_step",
        "context",
        "done",
        "first",
        "first_token",
        "index",
        "left",
        "life",
        "pages",
        "prompt",
        "start",
    )

    def __init__(self, index: int, arrival: float, prompt: int, output: int, bands: int) -> None:
        self.index, self.arrival, self.prompt = index, arrival, prompt
        self.context, self.left = prompt, output
        self.pages: list[list[int]] = [[] for _ in range(bands)]
        self.first = [0] * bands
        self.done = self.chunk = self.life = self.boundary = 0
        self.chunk_step = self.start = -1
        self.first_token = -1.0
        self.blocks: list[int] = []

    def generated(self, step: int, lag: int) -> int:
        """Tokens of this life that are known before a step is launched; `lag` steps of results are still out."""
        return 0 if self.start < 0 else max(0, 1 + step - self.start - lag)

    def slid(self, band: int, needed: int) -> list[int]:
        """Takes out the pages of places before `needed`, which nothing will read."""
        beyond = needed - self.first[band]
        if beyond <= 0:
            return []
        gone = self.pages[band][:beyond]
        del self.pages[band][:beyond]
        self.first[band] = needed
        return gone

    def back(self, generated: int) -> None:
        """Leaves the batch with so many tokens generated, to be computed anew."""
        self.context += generated
        self.left -= generated
        self.done = self.chunk = 0
        self.chunk_step = self.start = -1
        self.life += 1
        self.first = [0] * len(self.first)
