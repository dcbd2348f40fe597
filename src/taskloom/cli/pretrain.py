"""`taskloom pretrain`: a tiny model pre-trained on text woven from Taskloom's own sources."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from taskloom.cli.options import add_json, add_option
from taskloom.core import parse_assignments, resolve, unknown_name

EXAMPLES = """
  taskloom pretrain t5-1m
  taskloom pretrain t5-5m --seed 1 -T steps=4000 -o checkpoints/t5-5m
  taskloom pretrain gpt-1m -T parts=[stories,sentences] -T steps=300
  taskloom run babi/task-1 --model tiny/t5-1m -M pretrained=yes --adapt finetune -o runs/pretrained
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="NAME", help="a tiny text model: t5-1m, bart-5m, gpt-15m …")
    add_option(parser, "--seed", type=int, default=0, help="seed for weights, text and order (default 0)")
    parser.add_argument(
        "-T",
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="steps, batch, length, learning_rate, warmup, continuation, noise, span, parts, texts, world_seed",
    )
    add_option(parser, "-o", "--output", default=None, metavar="DIR", help="output folder (default: in the cache)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Pre-train, or find what was pre-trained before, and say how to use it."""
    from taskloom.models.tiny import PROVIDER
    from taskloom.models.tiny.pretrain import Pretraining, pretrain

    name = args.model.removeprefix("tiny/")
    if name not in PROVIDER.names():
        raise unknown_name("tiny model", name, PROVIDER.names())
    settings = resolve(Pretraining(), parse_assignments(args.settings, "-T"), where="pretrain")
    folder, report = pretrain(name, settings, args.seed, Path(args.output) if args.output else None)
    if args.json:
        print(msgspec.json.encode({"folder": str(folder), "report": report}).decode())
        return 0
    woven = ", ".join(f"{count:,} of {part}" for part, count in report.texts.items())
    print(f"texts: {woven}")
    for part, reason in report.left_out.items():
        print(f"left out: {part} ({reason})")
    print(f"loss on held-out text: {report.loss_before:.3f} before, {report.loss_after:.3f} after")
    print(f"{report.settings.steps:,} updates, {report.tokens:,} tokens, {report.cpu_seconds:,.0f} CPU seconds")
    print(f"use it: --model tiny/{name} -M pretrained={folder}")
    return 0
