"""`taskloom score`: score a run again without running the model."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from taskloom.cli.options import add_json, add_option
from taskloom.cli.tables import results_table
from taskloom.run.rescore import rescore
from taskloom.run.results import load_run, write_results

EXAMPLES = """
  taskloom score runs/majority                                   the numbers of a run, from its log
  taskloom score runs/majority --scorer normalised               another scorer on the same outputs
  taskloom score runs/majority --scorer exact --scorer rouge-l --extractor last-line
  taskloom score runs/majority --errors wrong                    failures count as wrong answers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="DIR", help="the folder of a run")
    add_option(parser, "--scorer", action="append", default=[], help="a scorer for all tasks; may be given again")
    add_option(parser, "--extractor", default=None, help="an extractor for all tasks")
    add_option(
        parser, "--errors", choices=("leave-out", "wrong"), default="leave-out", help="how failed instances count"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Score and print a table per scorer."""
    folder = Path(args.run)
    folders = [folder]
    if args.scorer or args.extractor:
        folders = [rescore(folder, scorer, args.extractor) for scorer in (args.scorer or [None])]
    for place in folders:
        loaded = load_run(place, args.errors)
        results = write_results(loaded)
        if args.json:
            print(msgspec.json.encode({"folder": str(place), **results}).decode())
        else:
            print(results_table(loaded).markdown())
            print()
    return 0
