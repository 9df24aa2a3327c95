"""What the process that is copied for each task has done already: loaded everything, and listed the weakenings."""

from properties.known import weakenings
from properties.tasks import work

__all__ = ["work"]

weakenings()
