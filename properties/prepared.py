"""What the process that is copied for each task has done already: loaded all, listed the weakenings, begun to read."""

from properties import begun
from properties.known import weakenings
from properties.search import shapes
from properties.specification import SPECIFICATIONS
from properties.tasks import work

__all__ = ["work"]

weakenings()
for whole in SPECIFICATIONS:
    begun.begin(whole, shapes(whole, "")[0])
