"""`taskloom run`: run a model on a suite."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import msgspec

from taskloom.cli.options import (
    add_askers,
    add_costs,
    add_form_arguments,
    add_json,
    add_limit,
    add_option,
    add_scorer_options,
    add_suite_arguments,
    askers,
    whole_limit,
)
from taskloom.cli.suites import find_suite
from taskloom.cli.tables import results_table
from taskloom.core import Suite, UserError, is_helper, parse_assignments
from taskloom.core.secrets import public_command
from taskloom.run.diagnosis import diagnose
from taskloom.run.estimate import estimate
from taskloom.run.execute import Outcome, chosen_rows
from taskloom.run.results import Run, load_run, write_results
from taskloom.run.runner import RunSettings, launch
from taskloom.run.samples import sample_estimates
from taskloom.run.session import open_session
from taskloom.run.sign import load_key, sign_run

EXAMPLES = """
  taskloom run babi/task-1 --model mock/majority -o runs/majority
  taskloom run babi/task-1 --model mock/majority -o runs/majority      the same command resumes it
  taskloom run stories --model hf/./my-checkpoint --encoding superni --num-fewshot 2 -o runs/mine
  taskloom run seti/task2-trivial --model tiny/t5-1m --adapt finetune -A epochs=3 -o runs/tuned
  taskloom run babi/task-1 --model packaged/smollm2 --protocol base --wordings 4 -o runs/base
  taskloom run zest/fictional --model api/my-model -M base_url=http://127.0.0.1:8000/v1 -o runs/api
  taskloom run babi/concat-t2 --model tiny/t5-1m --adapt finetune --ask babi/mix-t2 --ask babi/mix-t7 -o runs/concat
  taskloom run babi/mix-t2 --model run/runs/concat --encoding plain -o runs/again          use a run as a model
  taskloom run babi/mix-t7 --start-from runs/concat --adapt finetune -A split=dev -A dev=none -A dose=100 -o runs/more
  taskloom run seti/task2-trivial --model packaged/smollm2 --answer-by likelihood -o runs/likely
  taskloom run stories --model hf/./my-checkpoint --engine ray --gpus 1 -o runs/cluster   a copy per GPU of a cluster
  taskloom run zest/fictional --model openai/gpt-5-mini --dry-run -o runs/api            questions, tokens, dollars
  taskloom run zest/fictional --model openai/gpt-5-mini --max-cost 5 -o runs/api         stops in time; goes on later
  taskloom run zest/fictional --model openai/gpt-5-mini --batch -o runs/batch             half the price; fetch it later
  taskloom run stories --model vllm/OWNER/NAME --launch -o runs/vllm                      starts vLLM and stops it
  taskloom run stories --model mock/majority --shard 3/8 -o shards/3      one of eight machines; then taskloom merge
  taskloom run stories --model mock/majority --sign key.pem -o runs/signed  vouched for: taskloom check --signed-by
"""


_USED = {
    "prompt": "{:,.0f} prompt tokens",
    "cached": "{:,.0f} of them cached",
    "output": "{:,.0f} answer tokens",
    "reasoning": "{:,.0f} of them reasoning",
    "billed": "{:,.0f} billed",
    "cost": "cost {:,.6g}",
    "charged": "{:,.6g} by the server's count",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_model_arguments(parser)
    add_option(parser, "--split", default=None, help="the split to ask (default: test)")
    add_limit(parser)
    add_option(
        parser, "-o", "--output", required=True, metavar="DIR", help="the run's folder; an unfinished run resumes"
    )
    add_option(
        parser, "--shard", default="", metavar="I/N", help="ask every N-th row only, from the I-th on; see merge"
    )
    add_costs(parser)
    add_option(
        parser, "--batch", action="store_true",
        help="short for -M batch=true: hand in a batch, half the price; the same command fetches the answers",
    )  # fmt: skip
    add_option(parser, "--sign", default=None, metavar="KEY", help="sign the finished run with an ed25519 key (PEM)")
    parser.add_argument("--resume", action="store_true", help="does nothing: runs always resume")
    add_json(parser)


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what decides how a model is asked, for every verb that asks one."""
    add_suite_arguments(parser)
    add_option(parser, "--model", default=None, help="provider/name, or run/DIR (taskloom list models)")
    add_option(
        parser, "--start-from", default=None, metavar="DIR", help="short for --model run/DIR, to train it further"
    )
    parser.add_argument(
        "--ask", dest="asks", action="append", default=[], metavar="SUITE",
        help="also ask the adapted model this suite; may be repeated (results in DIR/asked)",
    )  # fmt: skip
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
    add_option(
        parser, "--protocol", default="auto", help="chat, base, fitted, paper, bare, or auto (by the kind of model)"
    )
    add_option(parser, "--wordings", type=int, default=1, help="ask each instance in one of N wordings (default 1)")
    add_form_arguments(parser)
    add_option(parser, "--encoding", default=None, help="plain, superni, chat ... instead of the protocol's")
    parser.add_argument(
        "-E",
        dest="encoding_settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set an option of the encoding",
    )
    add_option(parser, "--batch-size", type=int, default=None, help="requests per call (default: the model's choice)")
    add_option(
        parser, "--max-tokens", type=int, default=None, help="maximum length of an answer (default: the protocol's)"
    )
    add_option(parser, "--temperature", type=float, default=0.0, help="0 is greedy (default)")
    add_option(parser, "--beams", type=int, default=1, help="beam search with N beams (default 1)")
    parser.add_argument(
        "-D", dest="generation_settings", action="append", default=[], metavar="KEY=VALUE",
        help="set a generation option (taskloom list options generation)",
    )  # fmt: skip
    add_option(parser, "--samples", type=int, default=1, help="answers per instance; needs a temperature (default 1)")
    add_option(parser, "--answer-by", default="generate", help="generate, or likelihood (of labels or candidates)")
    add_option(parser, "--normalise", default="raw", help="raw likelihoods, or per token or byte")
    add_option(parser, "--mass", action="store_true", help="record the probability mass of the acceptable answers")
    add_option(parser, "--run-seed", type=int, default=0, help="seed for sampling, examples and training")
    add_option(parser, "--scorer", default=None, help="use this scorer for all tasks")
    add_scorer_options(parser)
    add_option(parser, "--reader", default=None, help="the reading to score: lenient, or a strict reader for all tasks")
    add_option(parser, "--no-cache", action="store_true", help="ignore cached responses")
    add_askers(parser)
    add_option(parser, "--launch", action="store_true", help="short for -M launch=true: start the server for this run")
    add_option(parser, "--device", default=None, help="short for -M device=…")
    add_option(parser, "--dtype", default=None, help="short for -M dtype=…")


def run(args: argparse.Namespace) -> int:
    """Run, print the table; 1 if some instances failed."""
    suite = find_suite(args.suite, args.seed, args.settings)
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
        asked = outcome.scored + outcome.truncated + outcome.errored
        for line in diagnose(loaded):
            print(f"\n{line}")
        print(f"\n{asked:,} records in {folder} ({outcome.resumed:,} from before, {outcome.cached:,} from the cache)")
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
        found = estimate(session, (row for row, _ in rows))
    finally:
        session.close()
    return msgspec.json.encode(found).decode() if json else found.sentence()


def _ask_others(args: argparse.Namespace, folder: Path, settings: RunSettings) -> list[Outcome]:
    """Ask more suites of the model that was adapted, each in a run of its own."""
    outcomes = []
    for name in args.asks:
        suite = find_suite(name, args.seed, [])
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
    """The settings of a run from the command line."""
    adapt, options = args.adapt, parse_assignments(args.adapt_settings, "-A")
    if args.num_fewshot:
        if adapt not in ("none", "in-context"):
            raise UserError("--num-fewshot works only with --adapt in-context", where="--num-fewshot")
        adapt, options = "in-context", {"k": args.num_fewshot, **options}
    if (args.engine == "ray" or args.replicas) and adapt not in ("none", "in-context"):
        raise UserError(
            f"--adapt {adapt} trains in one process, so the model cannot be asked elsewhere in the same run",
            where="--engine, --replicas",
            hint="train first, then --model run/DIR; taskloom sweep --engine ray spreads whole runs",
        )
    if args.asks and adapt in ("none", "in-context"):
        raise UserError("--ask needs an adapted model, and this run adapts nothing", where="--ask")
    model_options = parse_assignments(args.model_settings, "-M")
    for name in ("device", "dtype"):
        if getattr(args, name) is not None:
            model_options[name] = getattr(args, name)
    for name in ("batch", "launch"):
        if getattr(args, name, False):
            model_options[name] = True
    return RunSettings(
        model=_model_name(args),
        model_options=model_options,
        adapt=adapt,
        adapt_options=options,
        protocol=args.protocol,
        wordings=args.wordings,
        examples=args.examples,
        form=args.form,
        encoding=args.encoding,
        encoding_options=parse_assignments(args.encoding_settings, "-E"),
        split=getattr(args, "split", None),
        limit=getattr(args, "limit", None),
        shard=getattr(args, "shard", ""),
        batch_size=args.batch_size,
        generation={
            **({} if args.max_tokens is None else {"max_tokens": args.max_tokens}),
            "temperature": args.temperature,
            "beams": args.beams,
            "seed": args.run_seed,
            **parse_assignments(args.generation_settings, "-D"),
        },
        samples=args.samples,
        weights={"answer_by": args.answer_by, "normalise": args.normalise, "mass": args.mass},
        run_seed=args.run_seed,
        scorer=args.scorer,
        scorer_options=parse_assignments(args.scorer_settings, "-S"),
        reader=args.reader,
        cache=not args.no_cache,
        command=public_command(["taskloom", *sys.argv[1:]]),
    )


def _model_name(args: argparse.Namespace) -> str:
    if (args.model is None) == (args.start_from is None):
        known = "give one of them" if args.model else "taskloom list models shows all models"
        raise UserError("a run needs either --model NAME or --start-from DIR", hint=known)
    return str(args.model) if args.model is not None else f"run/{args.start_from}"
