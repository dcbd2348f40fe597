"""`taskloom import`: the outputs of another tool as a run."""

from __future__ import annotations

import argparse

import msgspec

from taskloom.cli.options import add_json, add_option
from taskloom.cli.tables import results_table
from taskloom.core import parse_assignments
from taskloom.run.results import write_results

EXAMPLES = """
  taskloom import inspect logs/2026-11-16_babi.eval -o runs/inspect
  taskloom import lm-eval out -o runs/harness                             a folder with samples_*.jsonl
  taskloom import outputs answers.csv --suite babi/mix-t7 --seed 7 -o runs/answers
  taskloom import outputs answers.jsonl --suite stories --name my-model -o runs/mine
  taskloom import outputs old.csv --suite stories --by-id -o runs/old     trust ids; every table says so

A line of outputs has `output` and one of: `hash`, `prompt`, `input`; with --by-id also `task` and `id`, or `id`. The
run can be scored, reported, gated and compared like any other."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("kind", metavar="KIND", help="inspect, lm-eval, or outputs (CSV, TSV, JSONL)")
    parser.add_argument("path", metavar="LOG", help="the file, or its folder (for Inspect, the newest log)")
    add_option(parser, "--suite", default=None, help="the suite, if the log does not name it")
    add_option(parser, "--seed", type=int, default=None, help="the seed of its data")
    parser.add_argument(
        "-T", "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="set a recipe key"
    )
    add_option(parser, "--split", default=None, help="the split (default: the log's, else test)")
    add_option(parser, "--name", default="", help="the name of the model (default: the log's)")
    add_option(
        parser,
        "--reader",
        default="lenient",
        help="the reading to score: lenient, strict, or the name of a strict reader",
    )
    parser.add_argument(
        "--by-id", action="store_true", help="match by id, which other seeds repeat; every table then says so"
    )
    add_option(parser, "-o", "--output", required=True, metavar="DIR", help="the run's folder")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Import, score and print the table; 1 if some outputs match no row, or to one that has another."""
    from taskloom.hosts.imports import describe, import_log

    found = import_log(
        args.kind,
        args.path,
        args.output,
        suite=args.suite,
        seed=args.seed,
        options=parse_assignments(args.settings, "-T"),
        split=args.split,
        name=args.name,
        reader=args.reader,
        by_id=args.by_id,
    )
    write_results(found.run)
    if args.json:
        print(msgspec.json.encode(describe(found)).decode())
    else:
        print(results_table(found.run).markdown())
        print(f"\n{found.matched:,} outputs matched, {found.unmatched:,} match no row, {found.missing:,} rows unasked")
        if found.repeated:
            print(f"{found.repeated:,} outputs are repeated later; the last one counts")
    return 1 if found.unmatched or found.repeated else 0
