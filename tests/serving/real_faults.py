"""Faults that a process is begun with."""

from impl.serving.transfer import mooncake, sender
from impl.serving.transfer.mooncake import MooncakeBatch, MooncakeTransport
from impl.serving.transfer.receiver import Incoming, Receiver, State
from impl.serving.transfer.transport import Fate


def an_abort_frees_at_once() -> None:
    """The field's fault: the write is under way, and its pages are another's already."""
    abort = Receiver.abort

    def wrong(self: Receiver, incoming: Incoming) -> None:
        if incoming.state is State.OPEN:
            self._close(incoming)
        abort(self, incoming)

    Receiver.abort = wrong  # type: ignore[method-assign]  # in a process of its own


def the_first_request_speaks_for_all() -> None:
    """As Mooncake's own status of a batch does."""
    fate = MooncakeTransport.fate

    def wrong(self: MooncakeTransport, batch: MooncakeBatch) -> Fate:
        if batch.left is None and batch.submitted.done():
            batch.left = batch.submitted.result()[:1]
        return fate(self, batch)

    MooncakeTransport.fate = wrong  # type: ignore[method-assign]  # in a process of its own


def no_quarantine() -> None:
    """What failed is taken to be over."""

    def wrong(self: Receiver, incoming: Incoming) -> None:
        self._close(incoming)
        self._fail(incoming)

    Receiver._quarantine = wrong  # type: ignore[method-assign]  # in a process of its own


def no_limit() -> None:
    """All pages of all prompts go at once."""
    for module in (sender, mooncake):
        setattr(module, "MOST_AT_ONCE", 1 << 20)  # noqa: B010  # final elsewhere; this is a process of its own
