"""`taskloom run`: run a model on a suite."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import msgspec

from taskloom.cli.options import askers, whole_limit
from taskloom.cli.tables import results_table
from taskloom.core import Suite, UserError, is_helper, open_suite
from taskloom.core.display import counted
from taskloom.core.secrets import public_command
from taskloom.run.check import load_key, sign_run
from taskloom.run.results import Run, load_run, write_results
from taskloom.run.runner import Outcome, chosen_rows, launch
from taskloom.run.samples import sample_estimates
from taskloom.run.session import RunSettings, open_session
from taskloom.studies.prompt_notes import diagnose

_USED = {
    "prompt": "{:,.0f} prompt tokens",
    "cached": "{:,.0f} of them cached",
    "output": "{:,.0f} answer tokens",
    "reasoning": "{:,.0f} of them reasoning",
    "billed": "{:,.0f} billed",
    "cost": "cost {:,.6g}",
    "charged": "{:,.6g} by the server's count",
}


def run(args: argparse.Namespace) -> int:
    """Run, print the table; 1 if some instances failed."""
    suite = open_suite(args.suite, seed=args.seed, options=args.settings)
    args.limit = whole_limit(args.limit, suite, args.split)
    settings = settings_from(args)
    folder = Path(args.output)
    key = load_key(Path(args.sign), private=True) if args.sign else None
    if args.dry_run:
        print(_estimated(suite, settings, json=args.json))
        return 0
    with askers(args):
        outcome = launch(suite, folder, settings)
    if is_helper():
        return 0
    if key is not None:
        sign_run(folder, key)
    outcomes = [outcome, *_ask_others(args, folder, settings)]
    loaded = load_run(folder)
    results = write_results(loaded)
    if args.json:
        print(msgspec.json.encode({**results, "outcome": outcome._asdict()}).decode())
    else:
        print(results_table(loaded).markdown())
        asked = counted(outcome.scored + outcome.truncated + outcome.errored, "record")
        for line in diagnose(loaded):
            print(f"\n{line}")
        print(f"\n{asked} in {folder} ({outcome.resumed:,} from before, {outcome.cached:,} from the cache)")
        for name, estimate in sample_estimates(loaded).items():
            print(f"{name} of {loaded.plan.samples} samples: {estimate}")
        if used := loaded.usage():
            print(", ".join(shown.format(used[name]) for name, shown in _USED.items() if name in used))
        if outcome.errored:
            print(
                f"{outcome.errored:,} failed ({_why(loaded)}); the same command asks only them again", file=sys.stderr
            )
    return 1 if any(each.errored for each in outcomes) else 0


def _estimated(suite: Suite, settings: RunSettings, *, json: bool) -> str:
    """What the run would take; the model is opened and not asked."""
    session = open_session(suite, settings)
    try:
        rows = chosen_rows(suite, settings.split or suite.default_split(), settings.limit)
        found = session.estimate(row for row, _ in rows)
    finally:
        session.close()
    return msgspec.json.encode(found).decode() if json else found.sentence()


def _ask_others(args: argparse.Namespace, folder: Path, settings: RunSettings) -> list[Outcome]:
    """Ask more suites of the model that was adapted, each in a run of its own."""
    outcomes = []
    for name in args.asks:
        suite = open_suite(name, seed=args.seed)
        place = folder / "asked" / suite.name.replace("/", "-")
        asked = msgspec.structs.replace(
            settings, model=f"run/{folder}", model_options={}, adapt="none", adapt_options={}, split=None
        )
        outcomes.append(launch(suite, place, asked))
        loaded = load_run(place)
        write_results(loaded)
        if not args.json:
            print(results_table(loaded).markdown() + "\n")
    return outcomes


def _why(run: Run) -> str:
    """The commonest reason of failures, which is mostly that of all."""
    errors, labels = run.columns.codes("error")
    states, names = run.columns.codes("state")
    failed = errors[states == names.index("errored")]
    reasons = Counter({labels[code]: int((failed == code).sum()) for code in set(failed.tolist())})
    (reason, _), *others = reasons.most_common()
    return f"{reason}; {len(others):,} other reasons: taskloom export records" if others else reason


def settings_from(args: argparse.Namespace) -> RunSettings:
    """The settings of a run from the command line: options named like a setting are that setting."""
    given = {name: getattr(args, name) for name in RunSettings.__struct_fields__ if hasattr(args, name)}
    if args.num_fewshot:
        if args.adapt not in ("none", "in-context"):
            raise UserError("--num-fewshot works only with --adapt in-context", where="--num-fewshot")
        given |= {"adapt": "in-context", "adapt_options": {"k": args.num_fewshot, **args.adapt_options}}
    trains = given["adapt"] not in ("none", "in-context")
    if (args.engine == "ray" or args.replicas) and trains:
        raise UserError(
            f"--adapt {args.adapt} trains in one process, so the model cannot be asked elsewhere in the same run",
            where="--engine, --replicas",
            hint="train first, then --model run/DIR; taskloom sweep --engine ray spreads whole runs",
        )
    if args.asks and not trains:
        raise UserError("--ask needs an adapted model, and this run adapts nothing", where="--ask")
    short = {name: getattr(args, name, None) for name in ("device", "dtype", "batch", "launch")}
    longest = {} if args.max_tokens is None else {"max_tokens": args.max_tokens}
    asked = {"temperature": args.temperature, "beams": args.beams, "seed": args.run_seed}
    given |= {
        "model": _model_name(args),
        "model_options": args.model_options | {name: value for name, value in short.items() if value},
        "generation": {**longest, **asked, **args.generation},
        "weights": {"answer_by": args.answer_by, "normalise": args.normalise, "mass": args.mass},
        "cache": not args.no_cache,
        "command": public_command(["taskloom", *sys.argv[1:]]),
    }
    return RunSettings(**given)


def _model_name(args: argparse.Namespace) -> str:
    if (args.model is None) == (args.start_from is None):
        known = "give one of them" if args.model else "taskloom list models shows all models"
        raise UserError("a run needs either --model NAME or --start-from DIR", hint=known)
    return str(args.model) if args.model is not None else f"run/{args.start_from}"
