"""Campaigns: units of work, written down one by one, so that nothing is lost and nothing counts twice.

A campaign has lanes, and a lane has units, done in order. What a unit does follows from the seed, the lane, its index,
the corpus as it was when the campaign began, and what the earlier units of its own lane found. So lanes need nothing
of each other, and a campaign done again does the same, on however many machines.
"""
