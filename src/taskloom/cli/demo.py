"""`taskloom demo`: the whole way in minutes, on embedded defaults, with no network."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from taskloom.cli.options import add_option
from taskloom.core import Row, Suite, UserError, open_suite
from taskloom.report.build import build_report
from taskloom.run.results import Run, load_run, write_results
from taskloom.run.runner import RunSettings, launch
from taskloom.store.bundle import Bundle
from taskloom.store.write import write_bundle

EXAMPLES = """
  taskloom demo                      everything, into out/demo
  taskloom demo --quick -o look      no training: under a minute
"""

# A slice of every family: small enough for minutes, large enough that the pictures say something.
SLICES: dict[str, tuple[str, dict[str, Any]]] = {
    "stories": ("babi/concat-t7", {"train": 700, "dev": 70, "test": 140, "mix": 300}),
    "functions": ("taskbench/atomic", {"tasks": 16, "train": 200, "dev": 20, "test": 40}),
    "inference": ("seti/task2-nontrivial", {"train": 600, "dev": 100, "test": 300}),
    "passages": ("zest/fictional", {"train": 40, "dev": 10, "test": 40}),
    "instructions": ("superni/embedded", {"instances": 10}),
}
PRETRAINED_TASKS = 16
BUILT_IN = ("mock/oracle", "mock/majority", "mock/random", "mock/copy-input")

# One function that needs memory and nothing else: fine-tuning can learn it, a soft prompt cannot.
LEARNED = ("taskbench/random{0}[eng](0)", {"train": 200, "test": 50})
ADAPTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("finetune", {"learning_rate": 2e-3, "batch": 64, "epochs": 60, "evaluate_epochs": 5.0, "keep": "last"}),
    ("prompt-tune", {"learning_rate": 0.3, "batch": 64, "epochs": 30, "evaluate_epochs": 5.0, "keep": "last"}),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_option(parser, "-o", "--output", default="out/demo", metavar="DIR", help="where everything goes")
    add_option(parser, "--seed", type=int, default=7, help="seed of the data (default 7)")
    add_option(parser, "--quick", action="store_true", help="leave out training and pretrained models")


class Stage(NamedTuple):
    """Says what is being done and, in the end, how long it took."""

    number: int
    total: int

    def say(self, text: str) -> None:
        """Print a heading."""
        print(f"\n[{self.number}/{self.total}] {text}", flush=True)


def run(args: argparse.Namespace) -> int:
    """Generate, run, adapt, score, report; ends with the path of the report."""
    started = time.monotonic()
    folder, total = Path(args.output), 3 if args.quick else 5
    Stage(1, total).say("Weaving a slice of every family")
    bundles = dict(_generate(folder / "bundles", args.seed))
    Stage(2, total).say("Running the built-in models")
    runs = [made for name, bundle in bundles.items() for made in _run_built_in(name, bundle, folder / "runs")]
    if not args.quick:
        Stage(3, total).say("Adapting a tiny model: fine-tuning against prompt-tuning")
        runs += _adapt(folder / "runs", args.seed)
        Stage(4, total).say("Asking a pretrained model that comes in a package")
        runs += _packaged(bundles, folder / "runs")
    Stage(total, total).say("Drawing the report")
    page = folder / "report.html"
    build_report(runs, page, title="Taskloom: what five families show in minutes")
    print(f"\nDone in {time.monotonic() - started:.0f} s. Open in a browser:\n{page.resolve()}")
    return 0


def _generate(folder: Path, seed: int) -> Iterator[tuple[str, Bundle]]:
    for name, (suite_name, options) in SLICES.items():
        suite = open_suite(suite_name, seed=seed, options=options)
        manifest = write_bundle(suite, folder / name)
        rows = {split: entry.rows for split, entry in manifest.splits.items()}
        counted = ", ".join(f"{count:,} {split}" for split, count in rows.items())
        print(f"  {suite_name:<24} {len(suite.tasks):>4} tasks: {counted}", flush=True)
        yield name, Bundle(folder / name)


def _run_built_in(name: str, bundle: Bundle, folder: Path) -> Iterator[Run]:
    suite = bundle.suite()
    for model in BUILT_IN:
        made = _one_run(suite, folder / name / model.partition("/")[2], RunSettings(model=model))
        print(f"  {suite.name:<24} {model:<18} {made.overall().estimate}", flush=True)
        yield made


def _one_run(suite: Suite, folder: Path, settings: RunSettings) -> Run:
    launch(suite, folder, settings)
    made = load_run(folder)
    write_results(made)
    return made


def _adapt(folder: Path, seed: int) -> list[Run]:
    if find_spec("torch") is None or find_spec("transformers") is None:
        print("  left out: pip install 'taskloom[train]' brings the training stack")
        return []
    # One thread is nearly as fast as two for so small a model, and does not collapse when the machine is busy.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    name, options = LEARNED
    suite = open_suite(name, seed=seed, options=options)
    runs = []
    for adapt, settings in ADAPTED:
        made = _one_run(
            suite,
            folder / "learned" / adapt,
            RunSettings(model="tiny/t5-1m", adapt=adapt, adapt_options=settings, split="train"),
        )
        print(f"  tiny/t5-1m + {adapt:<12} remembers {made.overall().estimate}", flush=True)
        runs.append(made)
    return runs


def _packaged(bundles: dict[str, Bundle], folder: Path) -> list[Run]:
    suite = _first_of_some_tasks(bundles["instructions"].suite(), PRETRAINED_TASKS)
    settings = RunSettings(
        model="packaged/smollm2",
        limit=1,
        generation={"max_tokens": 12},
        batch_size=8,
    )
    try:
        made = _one_run(suite, folder / "instructions" / "smollm2", settings)
    except UserError as error:
        print(f"  left out: {error}")
        return []
    print(f"  {suite.name:<24} packaged/smollm2   {made.overall().estimate}", flush=True)
    return [made]


def _first_of_some_tasks(suite: Suite, count: int) -> Suite:
    """A few tasks spread over the whole list: real weights take seconds per answer on a laptop."""
    asked = list(dict.fromkeys(row.task for row in suite.rows("test")))
    kept = set(asked[:: max(1, len(asked) // count)][:count])

    def draw(split: str) -> Iterator[Row]:
        return (row for row in suite.draw(split) if row.task in kept)

    return replace(suite, draw=draw, splits=dict.fromkeys(suite.splits))
