"""Finding the suite a user means: by name, by recipe file, or by the folder of a bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from taskloom.core import Suite, UserError, open_suite, parse_assignments, unknown_name
from taskloom.store.bundle import Bundle, is_bundle

__all__ = ["find_suite", "find_suite_and_task", "read_recipe_file"]

_RECIPE_KEYS = ("suite", "seed", "recipe")


def find_suite(name: str, seed: int | None, settings: list[str]) -> Suite:
    """The suite a user named.

    Args:
        name: `family/suite`, a bundle's folder, or a recipe file.
        seed: The seed given on the command line, if any; it wins over a recipe file's.
        settings: `key=value` pairs; they win over a recipe file's.
    """
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        recipe = read_recipe_file(path)
        options = {**recipe["recipe"], **parse_assignments(settings, "-T")}
        try:
            return open_suite(recipe["suite"], seed=recipe["seed"] if seed is None else seed, options=options)
        except UserError as error:
            raise _locate(error, path) from None
    if path.is_dir() and is_bundle(path):
        if settings or seed is not None:
            raise UserError("a bundle is fixed: -T and --seed mean nothing here", where=name)
        return Bundle(path).suite()
    if path.is_dir() and "/" not in name.strip("/"):
        raise UserError("this folder holds no bundle", where=name, hint=f"taskloom generate SUITE -o {name}")
    return open_suite(name, seed=seed or 0, options=parse_assignments(settings, "-T"))


def find_suite_and_task(name: str, seed: int | None, settings: list[str]) -> tuple[Suite, str | None]:
    """Like `find_suite`, but the name may end in `/TASK`."""
    try:
        return find_suite(name, seed, settings), None
    except UserError as error:
        head, slash, tail = name.rpartition("/")
        if not slash or "/" not in head:
            raise
        try:
            suite = find_suite(head, seed, settings)
        except UserError:
            raise error from None
        if tail not in suite.tasks:
            raise unknown_name("task", tail, suite.tasks, where=suite.name) from None
        return suite, tail


def read_recipe_file(path: Path) -> dict[str, Any]:
    """A recipe file: `suite`, `seed` and `recipe` (keys of the suite's recipe).

    Raises:
        UserError: With file, line and key.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.safe_load(text)
    except FileNotFoundError:
        raise UserError("no such recipe file", where=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot be read: {error}", where=str(path)) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise UserError(f"not YAML: {getattr(error, 'problem', error)}", where=f"{path}{line}") from None
    if not isinstance(data, dict):
        raise UserError("a recipe file is a mapping with the keys suite, seed, recipe", where=str(path))
    for key in data:
        if key not in _RECIPE_KEYS:
            raise unknown_name("key", str(key), _RECIPE_KEYS, where=_place(path, [str(key)]))
    if not isinstance(data.get("suite"), str):
        raise UserError("the key suite is missing: it names the suite to build", where=str(path))
    if not isinstance(data.get("seed", 0), int) or isinstance(data.get("seed", 0), bool):
        raise UserError(f"the seed is a whole number, not {data['seed']!r}", where=_place(path, ["seed"]))
    if not isinstance(data.get("recipe") or {}, dict):
        raise UserError("recipe is a mapping of keys to values", where=_place(path, ["recipe"]))
    return {"suite": data["suite"], "seed": data.get("seed", 0), "recipe": data.get("recipe") or {}}


def _locate(error: UserError, path: Path) -> UserError:
    """Name the line of the recipe file that an error about one of its keys speaks of."""
    import re

    quoted = re.search(r"unknown key '([^']+)'", error.message)
    inside = (error.where or "").rpartition(": ")[2]
    key = quoted[1] if quoted else re.split(r"[.\[]", inside)[0]
    where = _place(path, ["recipe", key]) if key else str(path)
    return UserError(f"{error.where}: {error.message}" if error.where else error.message, where=where, hint=error.hint)


def _place(path: Path, keys: list[str]) -> str:
    """`file:line` of a key, by walking the YAML nodes; the file alone where the key is not found."""
    import yaml

    node: Any = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    line = None
    for key in keys:
        if not isinstance(node, yaml.MappingNode):
            break
        for name, value in node.value:
            if name.value.replace("-", "_") == key.replace("-", "_"):
                line, node = name.start_mark.line + 1, value
                break
    return f"{path}:{line}" if line else str(path)
