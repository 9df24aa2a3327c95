"""Pictures of an arena for the terminal: strips of bytes, one lane for each band.

They say the same without colour.
"""

from bandgap.pictures.arena import Arena, Band, Look, Mark, Page, Status, in_words, used
from bandgap.pictures.strips import legend, strips

__all__ = ["Arena", "Band", "Look", "Mark", "Page", "Status", "in_words", "legend", "strips", "used"]
