"""`taskloom study`: an experiment or a table of a paper, at any scale, on shared runs."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from taskloom.ask import spending
from taskloom.cli.options import askers
from taskloom.core import UserError, resolve
from taskloom.core.catalog import STUDIES
from taskloom.core.display import counted
from taskloom.core.study import Study
from taskloom.report.studies import PAGE, IndexEntry, probe_pages, study_page, verdicts, write_index
from taskloom.store.atomic import disk_errors
from taskloom.store.ownership import refuse_foreign, write_ours
from taskloom.studies.experiment import Experiment, find_study, recipe_for, run_study
from taskloom.studies.findings import Findings, StudyResult, write_study
from taskloom.studies.sweep import JobEngine

_RUNNING = ("scale", "model", "address", "gpus", "jobs", "dry_run")
"""Options that mean nothing to a study without runs. `--runs` is none of them: TASKLOOM_RUNS sets it for good."""


def run(args: argparse.Namespace) -> int:
    """Run the study and print what came of it."""
    if args.study == "all":
        return _all(args)
    study = find_study(args.study)
    out = Path(args.output) if args.output else None
    if isinstance(study, Experiment):
        return _experiment(study, args, out)
    asks = "model" in study.recipe.__struct_fields__
    # A setting of the environment is for all studies; only what was typed for this one can be a mistake.
    typed = [name for name in _RUNNING if getattr(args, name) and f"TASKLOOM_{name.upper()}" not in os.environ]
    given = [name for name in typed if not (asks and name in ("model", "address", "gpus", "jobs"))]
    if given:
        option = given[0].replace("_", "-")
        raise UserError(f"{args.study} runs no models, so --{option} does not apply", where=f"study {args.study}")
    return _tables(study, args, out)


def _engine(args: argparse.Namespace) -> JobEngine:
    if args.engine == "local" and (args.jobs or 1) == 1:
        from taskloom.studies.grid import InProcess

        return InProcess()
    from taskloom.studies.sweep import open_engine

    return open_engine(
        args.engine, workers=args.jobs, address=args.address, gpus=args.gpus, shared=not args.no_shared_disk
    )


def _experiment(study: Experiment, args: argparse.Namespace, out: Path | None) -> int:
    from taskloom.studies.cost import cost_table
    from taskloom.studies.grid import RunStore

    scale = args.scale or "tiny"
    recipe = recipe_for(study, scale, args.settings, args.model or ())
    shelf = RunStore(Path(args.runs) if args.runs else None)
    if args.dry_run:
        table = cost_table(list(study.grid(recipe, args.seed)), shelf, timed=True)
        print(msgspec.json.encode(table).decode() if args.json else table.markdown())
        return 0
    engine = _engine(args)
    if args.max_cost is not None and (args.engine == "ray" or (args.jobs or 1) > 1):
        raise UserError("a limit of costs needs one process that counts", where="--max-cost", hint="--jobs 1")
    with spending(args.max_cost):
        result = run_study(study, recipe, seed=args.seed, scale=scale, shelf=shelf, engine=engine)
    if args.json:
        print(msgspec.json.encode({**result.plain(), "found": result.found, "done": result.done}).decode())
    else:
        print(result.markdown())
        print(f"\n{counted(result.done, 'run')} done, {result.found:,} found on the shelf ({shelf.root})")
    if out is not None:
        files = write_study(result, out, {PAGE: study_page(result).encode()})
        if not args.json:
            print(f"{counted(len(files), 'file')} in {out}; {out / PAGE} shows them")
    return 0


def _all(args: argparse.Namespace) -> int:
    """Every experiment at one scale, each in a folder of its own, with a page that leads to all of them."""
    from taskloom.studies.grid import RunStore

    if not args.output:
        raise UserError("`study all` needs a folder", hint="taskloom study all --scale tiny -o studies")
    if args.model or args.settings or args.json or args.dry_run:
        raise UserError("`study all` takes --scale, --jobs and -o, but no option of a single study")
    scale, root = args.scale or "tiny", Path(args.output)
    with disk_errors(root):
        root.mkdir(parents=True, exist_ok=True)
    shelf = RunStore(Path(args.runs) if args.runs else None)
    entries, failed = [], []
    costs: dict[str, int] = {}
    for name in STUDIES:
        study = STUDIES.get(name)
        if not isinstance(study, Experiment):
            continue
        before, folder = _spent(), name.replace("/", "-")
        try:
            result = run_study(
                study, recipe_for(study, scale), seed=args.seed, scale=scale, shelf=shelf, engine=_engine(args)
            )
            write_study(result, root / folder, {PAGE: study_page(result).encode()})
        except UserError as error:
            failed.append(name)
            print(f"failed: {name}: {error}", file=sys.stderr)
            continue
        costs[name] = round(_spent() - before) + result.saved
        summary = (
            f"{verdicts(result.findings.checks)}; {result.done} runs done, {result.found} found; {costs[name]} CPU s, "
            f"{result.saved} of them saved"
        )
        print(f"{name}: {summary}", flush=True)
        entries.append(IndexEntry(name, study.summary, f"{folder}/{PAGE}", summary))
        write_index(entries, root, scale=scale)
        # As `measured_costs.json` has them: what an earlier study has trained counts too.
        write_ours(root / "costs.json", msgspec.json.format(msgspec.json.encode({scale: costs}), indent=2))
    also = f"; {len(failed)} failed" if failed else ""
    print(f"{counted(len(entries), 'study', 'studies')} in {root / PAGE}{also}")
    return 1 if failed else 0


def _spent() -> float:
    """CPU seconds of this process and of those that it has started and seen end."""
    return sum(os.times()[:4])


def _tables(study: Study[Any], args: argparse.Namespace, out: Path | None) -> int:
    settings = args.settings
    if args.model:
        if len(args.model) > 1:
            raise UserError(f"{args.study} asks one model, not {len(args.model)}", where="--model")
        settings["model"] = args.model[0]
    recipe = resolve(study.recipe, settings, where=f"study {args.study}")
    if out is not None:
        with disk_errors(out):
            out.mkdir(parents=True, exist_ok=True)
        for name in ("tables.md", "tables.json", PAGE):
            refuse_foreign(out / name)
    with askers(args):
        tables = study.run(recipe, args.seed, out)
    if args.json:
        print(msgspec.json.encode(tables).decode())
    else:
        print("\n\n".join(table.markdown() for table in tables))
    if out is not None:
        write_ours(out / "tables.md", "\n\n".join(table.markdown() for table in tables) + "\n")
        write_ours(out / "tables.json", msgspec.json.encode(tables))
        found = Findings(tables=tables, figures=study.figures(out))
        title = f"{args.study}: {args.model[0]}" if args.model else args.study
        shown = StudyResult(study=title, question=study.summary, seed=args.seed, findings=found)
        write_ours(out / PAGE, study_page(shown, probe_pages(out)).encode())
    return 0
