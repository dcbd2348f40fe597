"""`taskloom study`: one table or figure of a paper."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from taskloom.cli.options import add_json, add_option
from taskloom.core import parse_assignments, resolve
from taskloom.core.catalog import STUDIES
from taskloom.core.study import Study
from taskloom.store.atomic import disk_errors

EXAMPLES = """
  taskloom list studies
  taskloom study babi/tables
  taskloom study seti/tables -T size=2000 -o out/seti
  taskloom study zest/tables --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("study", metavar="NAME", help="taskloom list studies")
    add_option(parser, "--seed", type=int, default=0, help="seed of the data (default 0)")
    parser.add_argument(
        "-T", "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="set a key of the study"
    )
    add_option(parser, "-o", "--output", default=None, metavar="DIR", help="also write tables, figures and logs there")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the study and print its tables."""
    study: Study = STUDIES.get(args.study)
    recipe = resolve(study.recipe, parse_assignments(args.settings, "-T"), where=f"study {args.study}")
    out = Path(args.output) if args.output else None
    if out is not None:
        with disk_errors(out):
            out.mkdir(parents=True, exist_ok=True)
    tables = study.run(recipe, args.seed, out)
    if args.json:
        print(msgspec.json.encode(tables).decode())
    else:
        print("\n\n".join(table.markdown() for table in tables))
    if out is not None:
        (out / "tables.md").write_text("\n\n".join(t.markdown() for t in tables) + "\n", encoding="utf-8")
        (out / "tables.json").write_bytes(msgspec.json.encode(tables))
    return 0
