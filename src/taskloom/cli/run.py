"""`taskloom run`: run a model on a suite."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from pathlib import Path

import msgspec

from taskloom.cli.options import add_json, add_option, add_suite_arguments
from taskloom.cli.suites import find_suite
from taskloom.cli.tables import results_table
from taskloom.core import UserError, is_helper, parse_assignments
from taskloom.models.secrets import public_argument
from taskloom.run.go import RunSettings, go
from taskloom.run.results import Run, load_run, write_results

EXAMPLES = """
  taskloom run babi/task-1 --model mock/majority -o runs/majority
  taskloom run babi/task-1 --model mock/majority -o runs/majority      the same command continues it
  taskloom run stories --model hf/./my-checkpoint --encoding superni --num-fewshot 2 -o runs/mine
  taskloom run seti/task2-trivial --model tiny/t5-1m --adapt finetune -A epochs=3 -o runs/tuned
  taskloom run zest/fictional --model api/my-model -M base_url=http://127.0.0.1:8000/v1 -o runs/api
"""


_USED = {"prompt": "{:,.0f} prompt tokens", "output": "{:,.0f} answer tokens", "cost": "cost {:,.6g}"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_suite_arguments(parser)
    add_option(parser, "--model", required=True, help="provider/name (taskloom list models)")
    parser.add_argument(
        "-M", dest="model_settings", action="append", default=[], metavar="KEY=VALUE", help="set an option of the model"
    )
    add_option(parser, "--adapt", default="none", help="none, in-context, finetune, prompt-tune, lora")
    parser.add_argument(
        "-A",
        dest="adapt_settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set an option of the adaptation",
    )
    add_option(parser, "--num-fewshot", type=int, default=0, help="short for --adapt in-context -A k=N")
    add_option(parser, "--encoding", default="plain", help="plain, superni, chat ... (taskloom list encodings)")
    parser.add_argument(
        "-E",
        dest="encoding_settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set an option of the encoding",
    )
    add_option(parser, "--split", default=None, help="which split to ask (default: test)")
    add_option(parser, "--limit", type=int, default=None, help="at most N instances of each task")
    add_option(parser, "--batch-size", type=int, default=None, help="requests per call (default: the model's choice)")
    add_option(parser, "--max-tokens", type=int, default=64, help="longest answer (default 64)")
    add_option(parser, "--temperature", type=float, default=0.0, help="0 is greedy (default)")
    add_option(parser, "--run-seed", type=int, default=0, help="seed of sampling, examples and training")
    add_option(parser, "--scorer", default=None, help="a scorer for all tasks instead of their own")
    add_option(parser, "--extractor", default=None, help="an extractor for all tasks instead of their own")
    add_option(parser, "--no-cache", action="store_true", help="ask again what was answered before")
    add_option(parser, "--device", default=None, help="short for -M device=…")
    add_option(parser, "--dtype", default=None, help="short for -M dtype=…")
    add_option(
        parser, "-o", "--output", required=True, metavar="DIR", help="the run's folder; an unfinished run continues"
    )
    parser.add_argument("--resume", action="store_true", help="accepted for comfort: runs always continue")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run, print the table; 1 if some instances failed."""
    settings = settings_from(args)
    suite = find_suite(args.suite, args.seed, args.settings)
    folder = Path(args.output)
    outcome = go(suite, folder, settings)
    if is_helper():
        return 0
    loaded = load_run(folder)
    results = write_results(loaded)
    if args.json:
        print(msgspec.json.encode({**results, "outcome": outcome._asdict()}).decode())
    else:
        print(results_table(loaded).markdown())
        asked = outcome.scored + outcome.truncated + outcome.errored
        print(f"\n{asked:,} records in {folder} ({outcome.resumed:,} from before, {outcome.cached:,} from the cache)")
        if used := loaded.usage():
            print(", ".join(_USED[name].format(value) for name, value in used.items()))
        if outcome.errored:
            print(
                f"{outcome.errored:,} failed ({_why(loaded)}); the same command asks only them again", file=sys.stderr
            )
    return 1 if outcome.errored else 0


def _why(run: Run) -> str:
    """The commonest reason of failures, which is mostly that of all."""
    reasons = Counter(record.error for record in run.records if record.state == "errored")
    (reason, _), *others = reasons.most_common()
    return f"{reason}; {len(others):,} other reasons in records.jsonl" if others else reason


def settings_from(args: argparse.Namespace) -> RunSettings:
    """The settings of a run from the command line."""
    adapt, options = args.adapt, parse_assignments(args.adapt_settings, "-A")
    if args.num_fewshot:
        if adapt not in ("none", "in-context"):
            raise UserError("--num-fewshot goes with --adapt in-context only", where="--num-fewshot")
        adapt, options = "in-context", {"k": args.num_fewshot, **options}
    model_options = parse_assignments(args.model_settings, "-M")
    for name in ("device", "dtype"):
        if getattr(args, name) is not None:
            model_options[name] = getattr(args, name)
    return RunSettings(
        model=args.model,
        model_options=model_options,
        adapt=adapt,
        adapt_options=options,
        encoding=args.encoding,
        encoding_options=parse_assignments(args.encoding_settings, "-E"),
        split=args.split,
        limit=args.limit,
        batch_size=args.batch_size,
        generation={"max_tokens": args.max_tokens, "temperature": args.temperature, "seed": args.run_seed},
        run_seed=args.run_seed,
        scorer=args.scorer,
        extractor=args.extractor,
        cache=not args.no_cache,
        command=shlex.join(["taskloom", *map(public_argument, sys.argv[1:])]),
    )
