"""Recipe files: a suite, a seed and keys of its recipe, written down in YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from taskloom.core import Opener, Suite, UserError, open_suite, unknown_name
from taskloom.core.folders import not_here
from taskloom.core.yaml12 import key_lines, read_yaml

_RECIPE_KEYS = ("suite", "seed", "recipe")


class RecipeOpener(Opener):
    """A YAML file that names a suite, a seed and recipe keys."""

    what: ClassVar[str] = "a recipe file"

    def opens(self, path: Path) -> bool:
        return path.suffix in (".yaml", ".yml")

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        if not path.exists():
            raise not_here(path, "suite", f"taskloom show SUITE --recipe > {path} writes a recipe")
        recipe = read_recipe_file(path)
        merged = {**recipe["recipe"], **options}
        named = Path(recipe["suite"])
        if named.suffix == ".py":
            # Code runs only when a person names it, never because a file does.
            raise UserError("a recipe file cannot name Python code", where=line_of_key(path, ["suite"]))
        if self.opens(named):
            # It might name the first one in turn.
            raise UserError("a recipe file names a suite, not another recipe file", where=line_of_key(path, ["suite"]))
        try:
            return open_suite(recipe["suite"], seed=recipe["seed"] if seed is None else seed, options=merged)
        except UserError as error:
            raise located_error(error, path) from None


def read_recipe_file(path: Path) -> dict[str, Any]:
    """A recipe file: `suite`, `seed` and `recipe` (keys of the suite's recipe).

    Raises:
        UserError: With file, line and key.
    """
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise UserError("a recipe file is a mapping with the keys suite, seed, recipe", where=str(path))
    for key in data:
        if key not in _RECIPE_KEYS:
            raise unknown_name("key", str(key), _RECIPE_KEYS, where=line_of_key(path, [str(key)]))
    if not isinstance(data.get("suite"), str):
        raise UserError("the key suite is missing: it names the suite to build", where=str(path))
    seed = data.get("seed")
    if not isinstance(seed, int | None) or isinstance(seed, bool):
        raise UserError(f"the seed is a whole number, not {seed!r}", where=line_of_key(path, ["seed"]))
    if not isinstance(data.get("recipe") or {}, dict):
        raise UserError("recipe is a mapping of keys to values", where=line_of_key(path, ["recipe"]))
    return {"suite": data["suite"], "seed": seed, "recipe": data.get("recipe") or {}}


def located_error(error: UserError, path: Path) -> UserError:
    """Name the line of the recipe file that an error about one of its keys speaks of."""
    quoted = re.search(r"unknown key '([^']+)'", error.message)
    inside = (error.where or "").rpartition(": ")[2]
    key = quoted[1] if quoted else re.split(r"[.\[]", inside)[0]
    where = line_of_key(path, ["recipe", key]) if key else str(path)
    return UserError(f"{error.where}: {error.message}" if error.where else error.message, where=where, hint=error.hint)


def line_of_key(path: Path, keys: list[str]) -> str:
    """`file:line` of a key, or of the last one on the way to it; the file alone where none is found."""
    lines = {tuple(key.replace("-", "_") for key in names): line for names, line in key_lines(path).items()}
    wanted = tuple(key.replace("-", "_") for key in keys)
    line = next((lines[wanted[:end]] for end in range(len(wanted), 0, -1) if wanted[:end] in lines), None)
    return f"{path}:{line}" if line else str(path)


RECIPE = RecipeOpener()
