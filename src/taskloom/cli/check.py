"""`taskloom check`: prove a bundle, read a run's log, lint recipes and task files."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from taskloom.cli.options import add_json
from taskloom.core import Finding, UserError

EXAMPLES = """
  taskloom check stories              a bundle: every byte, every hash, the splits
  taskloom check runs/majority        a run: every record, nothing missing
  taskloom check my-recipe.yaml       a recipe
  taskloom check tasks/               Super-NaturalInstructions task files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="bundles, runs, recipes (.yaml), task files or folders"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the findings; 1 if any is an error."""
    levels: Counter[str] = Counter()
    for path in map(Path, args.paths):
        for finding in _check(path):
            levels[finding.level] += 1
            print(msgspec.json.encode(finding).decode() if args.json else finding)
    if not args.json:
        found = [(levels[level], level) for level in ("error", "warning", "note") if levels[level]]
        counts = ", ".join(f"{count} {level}{'s' if count > 1 else ''}" for count, level in found)
        print(f"{len(args.paths)} checked: {counts or 'nothing wrong'}")
    return 1 if levels["error"] else 0


def _check(path: Path) -> Iterator[Finding]:
    if (path / "manifest.json").exists():
        from taskloom.store.check import check_bundle

        return check_bundle(path)
    if (path / "run.json").exists() or (path / "records.jsonl").exists():
        return _check_run(path)
    if path.suffix in (".yaml", ".yml"):
        return _check_recipe(path)
    if path.suffix == ".json" or path.is_dir():
        from taskloom.families.superni.lint import lint_path

        return lint_path(path)
    if not path.exists():
        raise UserError("no such file or folder", where=str(path))
    raise UserError("not a bundle, a run, a recipe or a task file", where=str(path), hint="taskloom check --help")


def _check_run(path: Path) -> Iterator[Finding]:
    from taskloom.run.log import read_records
    from taskloom.run.plan import load_plan, load_tasks

    try:
        load_plan(path)
        tasks = load_tasks(path)
        for record in read_records(path):
            if record.task not in tasks:
                yield Finding(str(path), record.task, "error", "a record names a task the run does not have")
    except UserError as error:
        yield Finding(error.where or str(path), "", "error", error.message, error.hint or "", "damaged")


def _check_recipe(path: Path) -> Iterator[Finding]:
    from taskloom.cli.suites import find_suite

    try:
        find_suite(str(path), None, [])
    except UserError as error:
        yield Finding(error.where or str(path), "", "error", error.message, error.hint or "", "recipe")
