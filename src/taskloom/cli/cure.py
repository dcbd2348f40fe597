"""`taskloom cure`: teach what a probe found missing, and see which dose heals it."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from taskloom.cli.options import add_askers, add_json, add_option, askers
from taskloom.core import parse_assignments, resolve
from taskloom.store.outputs import write_ours
from taskloom.studies.frontier.cure import CureSettings, cure_model

EXAMPLES = """
  taskloom cure probes/fitted --model run/runs/fitted -o cures/fitted
  taskloom cure probes/fitted --model run/runs/fitted -C doses=[1,4,16] -C rehearse=2 -o cures/three
  taskloom cure probes/fitted --model run/runs/fitted -A epochs=5 -A learning_rate=0.0001 -o cures/slow
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("probe", metavar="PROBE", help="the folder of a finished probe")
    add_option(parser, "--model", required=True, help="the model that was probed, usually run/DIR")
    parser.add_argument(
        "-C", dest="cure_settings", action="append", default=[], metavar="KEY=VALUE",
        help="set a cure option: doses, rehearse, most, budget",
    )  # fmt: skip
    add_option(parser, "--adapt", default="finetune", help="finetune, lora or prompt-tune (default finetune)")
    parser.add_argument(
        "-A", dest="adapt_settings", action="append", default=[], metavar="KEY=VALUE",
        help="set a training option",
    )  # fmt: skip
    add_option(
        parser, "--suite", default=None, metavar="FILE.py", help="the file of tasks that was probed, if it was one"
    )
    add_askers(parser)
    add_option(parser, "-o", "--output", required=True, metavar="DIR", help="folder for lessons, models and probes")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Teach, probe, print the doses."""
    settings = resolve(CureSettings(), parse_assignments(args.cure_settings, "-C"), where="cure")
    options = parse_assignments(args.adapt_settings, "-A")
    with askers(args):
        cure = cure_model(
            args.probe, args.model, args.output, settings, adapt=args.adapt, adapt_options=options, suite=args.suite
        )
    picture = Path(args.output) / "doses.svg"
    write_ours(picture, cure.figure().svg())
    if args.json:
        print(msgspec.json.encode(cure).decode())
    else:
        print(cure.table().markdown(2) + "\n\n" + cure.side_effects().markdown() + f"\n\n{picture} draws it.")
    return 0
