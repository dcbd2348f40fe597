"""`taskloom merge`: one run of shards."""

from __future__ import annotations

import argparse

from taskloom.cli.options import add_option
from taskloom.cli.tables import results_table
from taskloom.run.results import load_run, write_results
from taskloom.run.shards import merge_runs

EXAMPLES = """
  taskloom run stories --model mock/oracle --shard 1/2 -o halves/1      on one machine
  taskloom run stories --model mock/oracle --shard 2/2 -o halves/2      on another
  taskloom merge halves/1 halves/2 -o runs/merged                       the same run as without shards
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shards", nargs="+", metavar="DIR", help="the folders of all shards")
    add_option(parser, "-o", "--output", required=True, metavar="DIR", help="the merged run's folder")


def run(args: argparse.Namespace) -> int:
    """Merge, and print the table of the whole."""
    seal = merge_runs(args.shards, args.output)
    loaded = load_run(args.output)
    write_results(loaded)
    print(results_table(loaded).markdown())
    print(f"\n{seal.records:,} records of {len(args.shards):,} shards in {args.output}")
    return 0
