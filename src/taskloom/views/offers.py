"""What a page offers: suites with a name, bundles and models below the served folders. Nothing else is opened.

`open_suite` also runs Python files and reads any folder; a request can name a task file below the served folders, if a
person has ticked that its code may run, and no other. It then runs in a process of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from math import fsum
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from taskloom.core import Suite, UserError, ensure_known, open_suite
from taskloom.core.catalog import FAMILIES, combinations_of, list_suites, probed_suite
from taskloom.core.decode import read_bytes
from taskloom.views.library import Library

_EXAMPLES = 2
_FIRST = "babi/mix-t2"


def known_suites(library: Library) -> list[tuple[str, str]]:
    """Names with what they are, those that stand for a family first."""
    named = {name: title for name, title in list_suites().items() if "needs" not in title}
    first = [_FIRST, *(name for family in FAMILIES.names() if (name := probed_suite(family)) in named)]
    found = {place.id: "a bundle below this folder" for place in library.places().values() if place.kind == "bundle"}
    found |= dict.fromkeys(task_files(library.roots), "a task file below this folder")
    return [(name, named[name]) for name in dict.fromkeys([*first, *named]) if name in named] + list(found.items())


def suite_name(library: Library, name: str, run_code: bool = False) -> str:
    """What `open_suite` calls a suite that a page names.

    Raises:
        UserError: The page does not offer it (with the nearest names), or it is a file whose code is not to be run.
    """
    place = library.places().get(name)
    if place is not None and place.kind == "bundle":
        return str(place.folder)
    if name in (files := task_files(library.roots)):
        if not run_code:
            message = "this suite is a Python file: opening it runs its code on the machine of this server"
            raise UserError(message, where=name, hint="tick “run the code of this file”")
        return str(files[name])
    known = dict(known_suites(library))
    ensure_known("suite", name, known)
    return name


def suite_examples(library: Library, name: str, seed: int, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Items of a suite for a person to try, its settings, and how long its inputs are."""
    path = suite_name(library, name)
    if any(not isinstance(value, str | int | float | bool) for value in recipe.values()):
        raise UserError("only plain settings can be changed here", where="recipe")
    return _examples(path, dict(known_suites(library))[name], seed, tuple(sorted(recipe.items())))


@lru_cache(maxsize=32)
def _examples(path: str, title: str, seed: int, recipe: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return examples_of(open_suite(path, seed=seed, options=dict(recipe)), title)


def examples_of(suite: Suite, title: str) -> dict[str, Any]:
    """Two items of a suite, its plain settings, its number of combinations, and how long its inputs are."""
    rows = list(islice(suite.rows(suite.default_split()), 20))
    shown = [
        {"input": row.instance.input, "support": list(row.instance.details.get("support", ())),
         "answer": row.instance.targets.canonical(), "definition": suite.tasks[row.task].instruction.definition}
        for row in rows[:_EXAMPLES]
    ]  # fmt: skip
    sizes = [len(row.instance.input) + len(suite.tasks[row.task].instruction.definition) for row in rows]
    plain = {name: value for name, value in suite.recipe.items() if isinstance(value, str | int | float | bool)}
    return {
        "title": f"{title}.", "examples": shown, "cells": len(combinations_of(suite)), "recipe": plain,
        "characters": fsum(sizes) / max(1, len(sizes)),
    }  # fmt: skip


_MOST_FOUND = 200
_LONGEST_FILE = 1_000_000
_TASKS = re.compile(rb"^\s*(?:from|import) taskloom\b.*^\s*@(?:\w+\.)?task\b|\bBlueprint\(", re.MULTILINE | re.DOTALL)
_DEEPEST = 5
QUICK, THOROUGH = 200, 2_000
"""Questions at most: what the page offers."""
BASELINES = ("mock/majority", "mock/oracle")


class ChosenModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model as the page names it.

    Attributes:
        kind: An address, or what lies below a served folder, a packaged model or a baseline.
        name: The model's name at the address, the path below a served folder, or the name in the registry.
        url: The address.
    """

    kind: Literal["address", "file", "named"]
    name: str
    url: str = ""

    def settings(self, roots: Sequence[Path]) -> tuple[str, dict[str, Any]]:
        """What `RunSettings` calls it: the model and its options.

        Raises:
            UserError: No name, no address, or a path that does not lie below a served folder.
        """
        if not self.name.strip():
            raise UserError("the model has no name", where="model")
        if self.kind == "address":
            if urlsplit(self.url).scheme not in ("http", "https"):
                raise UserError(
                    "an address begins with http:// or https://",
                    where="address",
                    hint="such as http://127.0.0.1:8000/v1",
                )
            return f"api/{self.name}", {"base_url": self.url}
        if self.kind == "named":
            if self.name.partition("/")[0] not in ("packaged", "mock"):
                raise UserError("only packaged models and baselines go by name here", where=self.name)
            return self.name, {}
        path = self.path(roots)
        provider = "gguf" if path.suffix == ".gguf" else "python" if path.suffix == ".py" else "hf"
        return f"{provider}/{path}", {}

    def path(self, roots: Sequence[Path]) -> Path:
        """Where the file or folder is."""
        for root in roots:
            path = Path(os.path.realpath(root / self.name))
            if path.is_relative_to(root) and path.exists():
                return path
        raise UserError("there is no such model below the served folders", where=self.name,
                        hint="serve the folder that holds it: taskloom serve . DIR")  # fmt: skip


class ProbeRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page asks for: a model, a suite, how many questions at most, a key; and whether a task file may run."""

    model: ChosenModel
    suite: str
    recipe: dict[str, Any] = {}
    seed: int = 0
    budget: int = QUICK
    key: str = ""
    run_code: bool = False


def _folders(roots: Sequence[Path]) -> Iterator[tuple[Path, Path, list[str]]]:
    """Every folder that is not hidden: its root, itself, its files."""
    for root in roots:
        for folder, names, files in os.walk(root):
            path = Path(folder)
            deep = len(path.relative_to(root).parts) >= _DEEPEST
            names[:] = [] if deep else sorted(name for name in names if name[0] not in "._")
            yield root, path, sorted(files)


def task_files(roots: Sequence[Path]) -> dict[str, Path]:
    """Python files that make tasks, by the names that pages have for them. They are read and not run."""
    found: dict[str, Path] = {}
    for root, folder, files in _folders(roots):
        for path in (folder / name for name in files if name.endswith(".py") and not name.startswith("_")):
            inside = Path(os.path.realpath(path)).is_relative_to(root)
            # A file that cannot be read, or is longer than a task file, offers nothing.
            with suppress(UserError):
                if inside and _TASKS.search(read_bytes(path, most=_LONGEST_FILE)):
                    found.setdefault(path.relative_to(root).as_posix(), path)
        if len(found) > _MOST_FOUND:
            break
    return found


def found_models(roots: Sequence[Path]) -> list[ChosenModel]:
    """Checkpoints, GGUF files, Python files, packaged models that are installed, and baselines."""
    found: list[ChosenModel] = []
    tasks = task_files(roots)
    for root, folder, files in _folders(roots):
        if "config.json" in files and any(name.endswith(".safetensors") for name in files):
            found.append(ChosenModel("file", folder.relative_to(root).as_posix()))
        wanted = [name for name in files if name.endswith((".gguf", ".py")) and not name.startswith("_")]
        names = [(folder / name).relative_to(root).as_posix() for name in wanted]
        found += [ChosenModel("file", name) for name in names if name not in tasks]
        if len(found) > _MOST_FOUND:
            break
    return [*found[:_MOST_FOUND], *(ChosenModel("named", name) for name in (*_installed(), *BASELINES))]


def _installed() -> list[str]:
    from taskloom.models.packaged import PACKAGES, find_weights

    found = []
    for name, package in PACKAGES.items():
        try:
            find_weights(package)
        except UserError:
            continue
        found.append(f"packaged/{name}")
    return found
