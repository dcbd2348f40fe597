"""`taskloom sql`: a query over the records of runs."""

from __future__ import annotations

import argparse

import msgspec

from taskloom.cli.options import add_json
from taskloom.core.study import Table
from taskloom.run.results import load_run
from taskloom.run.sql import query_runs

EXAMPLES = """
  taskloom sql runs/majority "select task, avg(score) from records group by task"
  taskloom sql runs/majority runs/oracle "select run, support_size, avg(score) as mean from records group by all"
  taskloom sql runs/mine runs/old "select question, count(distinct answer) as n from records group by 1 having n>1"
  taskloom sql runs/majority "select id, raw from records where score < 1 limit 5" --json

`records` has a row per question: run, task, id, state, score, answer, both readings, raw, prompt, targets, tokens, and
a column per facet. It needs DuckDB: pip install 'taskloom[sql]'."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("runs", nargs="+", metavar="DIR", help="folders of runs")
    parser.add_argument("query", metavar="QUERY", help="a query over the table records")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the answer: a table, or a line of JSON per row."""
    found = query_runs([load_run(folder) for folder in args.runs], args.query)
    if args.json:
        for row in found.to_pylist():
            print(msgspec.json.encode(row).decode())
        return 0
    columns = found.to_pydict()
    rows = tuple(tuple(_plain(value) for value in row) for row in zip(*columns.values(), strict=True))
    print(Table(args.query, tuple(columns), rows, f"{len(rows):,} rows").markdown())
    return 0


def _plain(value: object) -> str | int | float | None:
    return value if isinstance(value, str | int | float | None) else str(value)
