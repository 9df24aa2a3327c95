"""Why a line of a trace breaks something: the shortest chain of earlier lines that made the page what it is there.

A page, an id, a ticket and a span each are as they are because of one earlier line: that which handed the page out,
gave it to the ticket, released it, moved it, and so on. These lines, and theirs in turn, are the history. What was over
by then (a ticket that retired, a share that was given back, an earlier tenant) is no part of it.
"""

from bandgap.history.chain import Entry, History, history_of, plainly

__all__ = ["Entry", "History", "history_of", "plainly"]
