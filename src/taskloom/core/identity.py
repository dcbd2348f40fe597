"""What decides the rows of a generated suite: family, version, recipe, seed, and the files a recipe names."""

from __future__ import annotations

from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core.errors import UserError
from taskloom.core.instance import content_hash
from taskloom.core.recipe import Recipe


def recipe_identity(name: str, version: str, recipe: Recipe, seed: int) -> str:
    """The identity of a generated suite.

    A path in the recipe counts by the bytes it leads to, so that a moved file is the same and a changed one is not.
    """
    values: dict[str, Any] = msgspec.to_builtins(recipe)
    for key in recipe.file_keys:
        if values.get(key):
            values[key] = files_hash(values[key])
    return content_hash(("generated", name, version, seed, values))


def files_hash(given: str | list[str] | dict[str, Any]) -> str:
    """A hash of the bytes of a file, of every file below a folder (with their names), or of several of them."""
    if isinstance(given, list):
        return content_hash([files_hash(one) for one in given])
    if isinstance(given, dict):
        return content_hash({key: files_hash(str(one)) for key, one in given.items()})
    path = Path(given).expanduser()
    try:
        if path.is_file():
            return _file(path)
        if path.is_dir():
            state = blake2b(digest_size=16)
            for one in sorted(path.rglob("*")):
                if one.is_file():
                    state.update(f"{one.relative_to(path).as_posix()}\0{_file(one)}\n".encode())
            return state.hexdigest()
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", where=str(path)) from None
    # Not a path (an address, or something that opening the suite will complain about): it counts as it is written.
    return content_hash(given)


def _file(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
