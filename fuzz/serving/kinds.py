"""Every kind of operation there is."""

from fuzz.serving import asking, making_room, running_on, sending
from fuzz.serving.operations import KINDS, kinds_of

__all__ = ["KINDS", "asking", "kinds_of", "making_room", "running_on", "sending"]
