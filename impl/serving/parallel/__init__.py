"""One model on several ranks, each a process with an arena of its own: they run the same calls, and agree."""
