"""The schemas of what verbs print with `--json`: what a pipeline may rely on. There may be more in a document.

Each module has those of a verb or two; `all` names them. `python -m bandgap.schemas` writes them to `docs/schemas/`.
"""
