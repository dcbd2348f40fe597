"""`taskloom new`: scaffolds that run as they are."""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from importlib.resources import files
from pathlib import Path
from shlex import quote
from string import Template
from unicodedata import normalize

from taskloom.core import UserError, open_suite
from taskloom.families.superni.export import scaffold_task, write_suite
from taskloom.store.atomic import disk_errors

_PACKAGES = {
    "family": "taskloom show $entry/tables --n 2",
    "scorer": "taskloom score RUN --scorer $entry",
    "model": "taskloom run babi/task-1 --model $entry/last -o runs/last",
    "study": "taskloom study $entry",
}
"""Kinds that become a package, with the command that uses them once they are installed."""

_KINDS = ("task", *_PACKAGES, "task-file", "collection")


def run(args: argparse.Namespace) -> int:
    """Write the files and say what to do next."""
    folder = Path(args.output) if args.output else None
    if args.what == "collection":
        return _collection(args, folder)
    if args.what == "task-file":
        with disk_errors(folder or Path("tasks")):
            path = scaffold_task(args.name, folder or Path("tasks"))
        print(f"{path}\nRewrite it piece by piece, and look at what this says:\n  taskloom check {path}")
        return 0
    folder = folder or Path(args.name)
    with disk_errors(folder):
        written = _write(folder, _scaffold(args.what, args.name))
    print("\n".join(map(str, written)))
    target = folder / f"{_identifier(args.name)}.py" if args.what == "task" else folder
    checked, tested = quote(str(target)), quote(str(folder))
    print(f"It runs as it is; rewrite it piece by piece:\n  taskloom check {checked}\n  pytest {tested}")
    return 0


def _collection(args: argparse.Namespace, folder: Path | None) -> int:
    if folder is None:
        raise UserError("where should the collection go?", where="--output", hint="-o DIR")
    suite = open_suite(args.name, seed=args.seed, options=args.settings)
    with disk_errors(folder):
        written = write_suite(suite, folder)
    print(f"{suite.name}, seed {suite.seed}: {len(written)} task files in {folder / 'tasks'}")
    print(f"  read it again with: taskloom show superni/files -T path={folder}")
    return 0


def _scaffold(kind: str, name: str) -> dict[str, str]:
    """The files of a new thing, by their path below its folder."""
    package = _identifier(name)
    words = {
        "name": package,
        "kind": kind,
        "package": package,
        "entry": package.replace("_", "-"),
        "project": f"taskloom-{package.replace('_', '-')}",
        "class_name": "".join(word.capitalize() for word in package.split("_")) + kind.capitalize(),
        "object": kind.upper() if kind != "model" else "PROVIDER",
    }
    if kind == "task":
        places = {
            f"{package}.py": "task/NAME.py",
            f"test_{package}.py": "task/test_NAME.py",
            "README.md": "task/README.md",
        }
    else:
        words["example"] = Template(_PACKAGES[kind]).substitute(words)
        places = {
            "pyproject.toml": "package/pyproject.toml",
            "README.md": "package/README.md",
            f"src/{package}/__init__.py": f"{kind}/__init__.py",
            f"tests/test_{package}.py": f"{kind}/test_NAME.py",
        }
    texts = files("taskloom.cli") / "scaffolds"
    return {
        place: Template((texts / f"{template}.txt").read_text("utf-8")).substitute(words)
        for place, template in places.items()
    }


def _identifier(name: str) -> str:
    """The name as Python writes it.

    Raises:
        UserError: It cannot be written so, is a path, or would hide another module.
    """
    if "/" in name or "\\" in name:
        raise UserError(f"{name!r} is a path, not a name", where="NAME", hint="-o DIR says where it goes")
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode()  # ü is u and two dots
    found = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    if not found.isidentifier() or keyword.iskeyword(found):
        raise UserError(f"{name!r} is not a valid Python name", where="NAME", hint="taskloom new task word_length")
    if found == "tests" or _is_module(found):
        raise UserError(f"{found!r} would hide the module of that name", where="NAME", hint="choose another name")
    return found


def _is_module(name: str) -> bool:
    if name in sys.stdlib_module_names:
        return True
    # Not importlib.util.find_spec, which also finds what this process loaded from a folder no longer searched.
    found = next(filter(None, (finder.find_spec(name, None) for finder in sys.meta_path)), None)
    # A folder of that name here, with or without code, is what may be written to.
    return found is not None and found.origin is not None and Path.cwd() not in Path(found.origin).parents


def _write(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Write the files; anything that is there already is left alone and said."""
    taken = [folder / place for place in texts if (folder / place).exists()]
    if taken:
        raise UserError(
            "already exists; nothing was written", where=str(taken[0]), hint="choose another name or -o DIR"
        )
    for place, text in texts.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [folder / place for place in texts]
