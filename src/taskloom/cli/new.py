"""`taskloom new`: a task file to begin with, or a whole suite as task files."""

from __future__ import annotations

import argparse
from pathlib import Path

from taskloom.cli.options import add_option
from taskloom.cli.suites import find_suite
from taskloom.core import UserError
from taskloom.families.superni.export import write_suite
from taskloom.families.superni.scaffold import scaffold_task
from taskloom.store.atomic import disk_errors

EXAMPLES = """
  taskloom new task capital_of_country               a worked task file in tasks/, to be rewritten
  taskloom check tasks/task001_capital_of_country.json
  taskloom new collection babi/task-1 -o stories     a suite as Super-NaturalInstructions task files
  taskloom run superni/files -T path=stories --model mock/oracle -o runs/oracle
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", choices=["task", "collection"], help="a task file, or a suite as task files")
    parser.add_argument("name", metavar="NAME", help="of the task, or of the suite")
    add_option(parser, "-o", "--output", default=None, metavar="DIR", help="where to write (a task: tasks)")
    add_option(parser, "--seed", type=int, default=None, help="seed of the suite (default 0)")
    parser.add_argument(
        "-T", "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="set a recipe key"
    )


def run(args: argparse.Namespace) -> int:
    """Write the files and say what to do next."""
    folder = Path(args.output) if args.output else None
    if args.what == "task":
        with disk_errors(folder or Path("tasks")):
            path = scaffold_task(args.name, folder or Path("tasks"))
        print(f"{path}\nRewrite it piece by piece, and look at what this says:\n  taskloom check {path}")
        return 0
    if folder is None:
        raise UserError("where should the collection go?", where="--output", hint="-o DIR")
    suite = find_suite(args.name, args.seed, args.settings)
    with disk_errors(folder):
        files = write_suite(suite, folder)
    print(f"{suite.name}, seed {suite.seed}: {len(files)} task files in {folder / 'tasks'}")
    print(f"  read it again with: taskloom show superni/files -T path={folder}")
    return 0
