"""Finds the verbs and makes one typer application of them."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import typer

from bandgap.verb import answering


def modules_in(package: ModuleType) -> Iterator[tuple[str, ModuleType, bool]]:
    """The verb name, the module, and whether it is a group, for each verb in a package, by name."""
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        if not found.name.startswith("_"):
            yield found.name.replace("_", "-"), import_module(f"{package.__name__}.{found.name}"), found.ispkg


def application(package: ModuleType, help_text: str) -> typer.Typer:
    """The application whose commands are a package's verbs; a group's help is the first paragraph of its docstring."""
    app = typer.Typer(help=help_text, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    for name, module, is_group in modules_in(package):
        if is_group:
            app.add_typer(application(module, _first_paragraph(module)), name=name)
        else:
            app.command(name)(answering(module.run))
    return app


def _first_paragraph(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().split("\n\n")[0]
