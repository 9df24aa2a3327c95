"""What helps where a proof fails: the smallest arena that shows it, whether one comes to be so, and what would mend it.

Nothing here touches a verdict. It has a budget, and what does not fit into it is said to be open.
"""
