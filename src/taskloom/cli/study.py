"""`taskloom study`: an experiment or a table of a paper, at any scale, on shared runs."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from taskloom.cli.options import add_json, add_option
from taskloom.core import UserError, parse_assignments, resolve
from taskloom.core.study import Study, Table
from taskloom.run.engines.base import JobEngine
from taskloom.store.atomic import disk_errors
from taskloom.studies.experiment import Experiment, recipe_for, run_study
from taskloom.studies.find import find_study
from taskloom.studies.output import write_study

EXAMPLES = """
  taskloom list studies                                          what each answers, needs and costs
  taskloom study babi/in-and-out -o out/in-and-out               at tiny scale: minutes
  taskloom study babi/in-and-out --scale paper --dry-run         runs, tokens, GPU hours
  taskloom study babi/in-and-out --model tiny/entnet --model hf/./mine --jobs 2 -o out/mine
  taskloom study concur -T first=babi/mix-t2 -T second=babi/mix-t7 -o out/concur
  taskloom study my_study.py --scale smoke                       a study of your own
  taskloom study seti/tables -T size=2000 -o out/seti            tables without any model
"""

_RUNNING = ("scale", "model", "engine", "jobs", "runs", "dry_run")
"""Options that mean nothing to a study without runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("study", metavar="NAME", help="taskloom list studies, or a Python file that holds one")
    add_option(parser, "--scale", default=None, help="smoke (seconds), tiny (minutes, the default) or paper")
    add_option(parser, "--model", action="append", default=None, help="these models instead of the study's own")
    add_option(parser, "--seed", type=int, default=0, help="first seed of the data (default 0)")
    parser.add_argument(
        "-T", "--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="set a key of the study"
    )
    add_option(parser, "--engine", default=None, help="local (processes of this machine, the default) or ray")
    add_option(parser, "--jobs", type=int, default=None, help="runs at once; 1 stays in this process (default 1)")
    add_option(parser, "--runs", default=None, metavar="DIR", help="where runs are kept and found (default: the cache)")
    add_option(parser, "--dry-run", action="store_true", help="count runs, tokens and GPU hours, and do nothing")
    add_option(parser, "-o", "--output", default=None, metavar="DIR", help="write tables, figures and study.json there")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the study and print what came of it."""
    study = find_study(args.study)
    out = Path(args.output) if args.output else None
    if isinstance(study, Experiment):
        return _experiment(study, args, out)
    given = [name for name in _RUNNING if getattr(args, name)]
    if given:
        option = given[0].replace("_", "-")
        raise UserError(f"{args.study} runs no models, so --{option} means nothing", where=f"study {args.study}")
    return _tables(study, args, out)


def _experiment(study: Experiment, args: argparse.Namespace, out: Path | None) -> int:
    from taskloom.studies.cost import cost_table
    from taskloom.studies.shelf import InProcess, Shelf

    scale = args.scale or "tiny"
    recipe = recipe_for(study, scale, parse_assignments(args.settings, "-T"), args.model or ())
    shelf = Shelf(Path(args.runs) if args.runs else None)
    if args.dry_run:
        table = cost_table(list(study.grid(recipe, args.seed)), shelf)
        print(msgspec.json.encode(table).decode() if args.json else table.markdown())
        return 0
    engine: JobEngine = InProcess()
    if args.engine not in (None, "local") or (args.jobs or 1) != 1:
        from taskloom.run.engines import open_engine

        engine = open_engine(args.engine or "local", workers=args.jobs, address=None, gpus=0, shared=True)
    result = run_study(study, recipe, seed=args.seed, scale=scale, shelf=shelf, engine=engine)
    if args.json:
        print(msgspec.json.encode({**result.plain(), "found": result.found, "done": result.done}).decode())
    else:
        print(result.markdown())
        print(f"\n{result.done:,} runs done, {result.found:,} found on the shelf ({shelf.root})")
    if out is not None:
        files = write_study(result, out)
        if not args.json:
            print(f"{len(files)} files in {out}")
    return 0


def _tables(study: Study, args: argparse.Namespace, out: Path | None) -> int:
    recipe = resolve(study.recipe, parse_assignments(args.settings, "-T"), where=f"study {args.study}")
    if out is not None:
        with disk_errors(out):
            out.mkdir(parents=True, exist_ok=True)
    tables = study.run(recipe, args.seed, out)
    if args.json:
        print(msgspec.json.encode(tables).decode())
    else:
        print("\n\n".join(table.markdown() for table in tables))
    if out is not None:
        _write_tables(tables, out)
    return 0


def _write_tables(tables: list[Table], out: Path) -> None:
    (out / "tables.md").write_text("\n\n".join(table.markdown() for table in tables) + "\n", encoding="utf-8")
    (out / "tables.json").write_bytes(msgspec.json.encode(tables))
