"""`taskloom generate`: a suite on disk."""

from __future__ import annotations

import argparse

import msgspec

from taskloom.cli.options import add_engine, add_json, add_option, add_suite_arguments
from taskloom.cli.suites import find_suite
from taskloom.core import UserError, unknown_name
from taskloom.store.write import write_bundle

EXAMPLES = """
  taskloom generate babi/mix-t12 --seed 7 -o stories
  taskloom generate seti/task1-trivial -o inference -T size=paper
  taskloom generate my-recipe.yaml -o out/mine
  taskloom generate babi/task-1 --split test -o small
  taskloom generate babi/mix-t12 --jobs 0 -o fast                 all cores, the same bytes
  taskloom generate babi/mix-t12 --seed 8 -o stories --replace    instead of the bundle that is there
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_suite_arguments(parser)
    add_option(parser, "-o", "--output", required=True, metavar="DIR", help="where to write the bundle")
    add_option(parser, "--split", action="append", default=None, help="only this split; may be repeated")
    add_engine(parser, jobs=1, meaning="number of processes (0: one per core)")
    parser.add_argument("--replace", action="store_true", help="replace another bundle in the folder")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Write the bundle and say what is in it."""
    suite = find_suite(args.suite, args.seed, args.settings)
    for split in args.split or ():
        if split not in suite.splits:
            raise unknown_name("split", split, suite.splits, where=suite.name)
    if args.gpus:
        raise UserError("generating a suite uses no GPU", where="--gpus")
    manifest = write_bundle(
        suite,
        args.output,
        splits=args.split,
        jobs=args.jobs,
        engine=args.engine,
        address=args.address,
        replace=args.replace,
    )
    if args.json:
        print(msgspec.json.encode(manifest).decode())
        return 0
    print(f"{suite.name}, seed {suite.seed}: {_tasks(len(suite.tasks))} in {args.output}")
    for name, entry in manifest.splits.items():
        print(f"  {name:<8} {entry.rows:>10,} instances of {_tasks(len(entry.tasks))}")
    print(f"  splits keep {manifest.apart} apart: proved    content {manifest.hash}")
    return 0


def _tasks(number: int) -> str:
    return f"{number:,} task{'' if number == 1 else 's'}"
