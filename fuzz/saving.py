"""What files of failures have in common: JSON with one call a line, named by its contents, read within bounds."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

Said = TypeVar("Said", bound=Struct)


class BadFile(ValueError):
    """What is wrong with a file, a clause."""


def as_json(value: object) -> str:
    """A value on one line."""
    return msgspec.json.encode(value).decode()


def laid_out(fields: Mapping[str, str], calls: Iterable[object]) -> bytes:
    """A file: its fields, whose values are JSON already, and after them `script`, with one call a line."""
    lines = [f'  "{name}": {value},\n' for name, value in fields.items()]
    script = ",\n".join(f"    {as_json(call)}" for call in calls)
    return ("{\n" + "".join(lines) + f'  "script": [\n{script}\n  ]\n}}\n').encode()


def put(data: bytes, folder: Path, stem: str) -> Path:
    """Write a file into a folder, which is made if there is none; its name is the stem and a digest of the contents.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}-{sha256(data).hexdigest()[:8]}.json"
    path.write_bytes(data)
    return path


def decoded_as(data: bytes, what: type[Said]) -> Said:
    """What a file says.

    Raises:
        BadFile: it says something else.
    """
    try:
        return msgspec.json.decode(data, type=what)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFile(f"is no reproduction: {error}") from None
