"""A module with one deliberate fault: its own text, changed in one place."""

import importlib.util
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from unittest.mock import patch


@contextmanager
def changed(module: ModuleType, old: str, new: str) -> Iterator[None]:
    """Inside a `with` block, the module's functions do what its changed text says.

    The text is kept in a file for as long, since Triton reads a kernel's source from there.

    Args:
        module: its callers reach its functions through it.
        old: a piece of its text that occurs once.
        new: what stands there instead.
    """
    assert module.__file__ is not None
    text = Path(module.__file__).read_text()
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {module.__name__}"
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder, f"changed_{module.__name__.replace('.', '_')}.py")
        path.write_text(text.replace(old, new))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        faulty = importlib.util.module_from_spec(spec)
        stack.enter_context(patch.dict(sys.modules, {path.stem: faulty}))
        spec.loader.exec_module(faulty)
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                stack.enter_context(patch.object(module, name, getattr(faulty, name)))
        yield
