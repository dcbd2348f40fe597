"""`taskloom score`: score a run again without running the model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from taskloom.ask import open_asked
from taskloom.cli.options import askers
from taskloom.cli.tables import combinations_table, results_table
from taskloom.core import UserError
from taskloom.run.rescore import rescore
from taskloom.run.results import Run, load_run, run_results, write_results
from taskloom.studies.judgement.forms import OpinionSummary, second_opinions, sentence, summary

_WITH_ITEMS = 3
"""Suggestions that are printed with two items of the run."""

if TYPE_CHECKING:
    from taskloom.studies.frontier.static import StaticFrontier


def run(args: argparse.Namespace) -> int:
    """Score and print a table per scorer."""
    folder = Path(args.run)
    folders = [folder]
    options = args.scorer_options
    if args.scorer or args.reader or options:
        folders = [rescore(folder, scorer, args.reader, options) for scorer in (args.scorer or [None])]
    for place in folders:
        loaded = load_run(place, args.errors, args.weigh)
        found = _combinations(loaded, args.by)
        more = {} if found is None else {"combinations": msgspec.to_builtins(found)}
        judged = _judged(loaded, args)
        if judged is not None:
            more["opinions"] = {"judge": args.judge, **msgspec.to_builtins(judged)}
        try:
            results = write_results(loaded, more)
        except UserError as error:
            # The numbers of another user's run can be looked at without touching it.
            print(f"results.json is not written: {error.message}", file=sys.stderr)
            results = {**run_results(loaded), **more}
        if args.json:
            print(msgspec.json.encode({"folder": str(place), **results}).decode())
            continue
        print(results_table(loaded).markdown() + "\n")
        if judged is not None:
            print(f"{sentence(judged, args.judge)}\n")
        if found is not None:
            print(combinations_table(found, loaded.folder).markdown(2) + "\n")
            from taskloom.studies.frontier.sentences import told_lines

            print("\n".join(told_lines(found.sentences_with_claims(), _WITH_ITEMS)) + "\n")
    return 0


def _judged(loaded: Run, args: argparse.Namespace) -> OpinionSummary | None:
    """The second opinions that were asked for."""
    if args.judge is None:
        if args.audit or args.model_options:
            raise UserError("--audit and -M are for a judge", where="--audit", hint="add --judge MODEL")
        return None
    with askers(args):
        model = open_asked(args.judge, args.model_options)
    try:
        return summary(loaded, second_opinions(loaded, model, audit=args.audit))
    finally:
        model.close()


def _combinations(loaded: Run, by: str | None) -> StaticFrontier | None:
    """The pooled estimates that were asked for."""
    if by is None:
        return None
    from taskloom.studies.frontier.static import study_run

    # A facet may have a comma in its name.
    names = [by] if by in loaded.facet_names() else [name.strip() for name in by.split(",") if name.strip()]
    if not names:
        raise UserError("no facet given", where="--by", hint="taskloom score RUN --by question, or --by cell")
    return study_run(loaded, names)
