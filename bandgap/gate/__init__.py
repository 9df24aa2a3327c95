"""The gate: lanes that each check one claim, and one verdict over what they found.

A lane is some tasks; a task runs in a process of its own and answers with `Evidence`. No task says whether it passed:
`verdict.py` alone decides that, so that an empty, unknown, missing or interrupted check is nowhere taken for a pass.
"""
