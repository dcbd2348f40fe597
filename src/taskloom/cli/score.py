"""`taskloom score`: score a run again without running the model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from taskloom.ask import open_asked
from taskloom.cli.options import add_askers, add_json, add_option, add_scorer_options, askers
from taskloom.cli.tables import combinations_table, results_table
from taskloom.core import UserError, parse_assignments
from taskloom.run.opinions import OpinionSummary, second_opinions, sentence, summary
from taskloom.run.rescore import rescore
from taskloom.run.results import Run, load_run, run_results, write_results

if TYPE_CHECKING:
    from taskloom.studies.frontier.static import StaticFrontier

EXAMPLES = """
  taskloom score runs/majority                                   the numbers of a run, from its log
  taskloom score runs/majority --scorer normalised               another scorer on the same outputs
  taskloom score runs/majority --scorer exact --scorer rouge-l --reader last-line
  taskloom score runs/majority --reader lenient                  the same outputs, read leniently
  taskloom score runs/majority --errors wrong                    failures count as wrong answers
  taskloom score runs/majority --judge mock/constant --audit 20  a model reads what is unparsed, and 20 parsed outputs
  taskloom score runs/fitted --by composition,question           every combination, pooled, and what it suggests
  taskloom score runs/fitted --by cell                           the family's own combinations, asked or not
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="DIR", help="the folder of a run")
    add_option(parser, "--scorer", action="append", default=[], help="use this scorer for all tasks; may be repeated")
    add_scorer_options(parser)
    add_option(
        parser, "--reader", default=None, help="the reading to score: lenient, strict, or the name of a strict reader"
    )
    add_option(
        parser, "--errors", choices=("leave-out", "wrong"), default="leave-out", help="how failed instances count"
    )
    add_option(
        parser, "--weigh", choices=("tasks", "instances"), default="tasks", help="what gets equal weight in a mean"
    )
    add_option(parser, "--judge", default=None, metavar="MODEL", help="have a model read what is unparsed")
    parser.add_argument(
        "-M", dest="model_settings", action="append", default=[], metavar="KEY=VALUE", help="set an option of the judge"
    )
    add_askers(parser)
    add_option(parser, "--audit", type=int, default=0, metavar="N", help="have the judge read N parsed outputs as well")
    add_option(
        parser, "--by", default=None, metavar="FACETS",
        help="group by facets, separated by commas; cell means the family's own combinations",
    )  # fmt: skip
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Score and print a table per scorer."""
    folder = Path(args.run)
    folders = [folder]
    options = parse_assignments(args.scorer_settings, "-S")
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
            said, numbered = found.sentences(), bool(found.claims or found.unable)
            lines = (f"{number}. {text}" if numbered else text for number, text in enumerate(said, start=1))
            print("\n".join(f"  {line}" for line in lines) + "\n")
    return 0


def _judged(loaded: Run, args: argparse.Namespace) -> OpinionSummary | None:
    """The second opinions that were asked for."""
    if args.judge is None:
        if args.audit or args.model_settings:
            raise UserError("--audit and -M are for a judge", where="--audit", hint="add --judge MODEL")
        return None
    with askers(args):
        model = open_asked(args.judge, parse_assignments(args.model_settings, "-M"))
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
