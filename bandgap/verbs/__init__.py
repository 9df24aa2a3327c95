"""The verbs, found by their place: adding one touches no other file.

A module `verbs/<verb>.py` is the verb `bandgap <verb>`; underscores become dashes, and a name that begins with an
underscore is no verb. It has one function

    def run(..., as_json: AsJson = False) -> Exit

whose parameters are typer's, whose docstring is the help and whose result is the exit code. Bad input raises
`bandgap.errors.UsageError`. Rooms that are slow to import are imported in `run`, so that `bandgap --help` is quick.

A package `verbs/<group>/` is a group: its modules are the verbs `bandgap <group> <verb>`, its docstring is its help.
"""
