"""`taskloom compare`: two runs on the questions both were asked, or two probes."""

from __future__ import annotations

import argparse

import msgspec

from taskloom.cli.options import add_json, add_option
from taskloom.studies.versus import compare

EXAMPLES = """
  taskloom compare runs/majority runs/fitted                     is B better than A, overall and by facet
  taskloom compare runs/majority runs/fitted --by question       by one facet
  taskloom compare probes/fitted probes/fitted                   two probes: what was gained, lost or moved
  taskloom compare runs/majority runs/fitted --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("first", metavar="A", help="the folder of a run or a probe")
    parser.add_argument("second", metavar="B", help="the folder that is compared with it")
    add_option(parser, "--by", default=None, metavar="FACETS", help="facets of runs, separated by commas")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Compare, and print the words and the table."""
    by = [name.strip() for name in (args.by or "").split(",") if name.strip()]
    found = compare(args.first, args.second, by=by)
    if args.json:
        print(msgspec.json.encode({**msgspec.to_builtins(found), "sentences": found.sentences()}).decode())
        return 0
    print("\n".join(found.sentences()) + "\n\n" + found.table().markdown(3))
    return 0
