"""`taskloom demo`: the whole way in minutes, with no network: a small model is fitted, asked, probed and reported."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from taskloom.cli.options import add_option
from taskloom.cli.probe import describe
from taskloom.core import Suite, UserError, open_suite
from taskloom.models.packaged import PACKAGES, find_weights
from taskloom.report.build import build_report
from taskloom.run.results import Run, load_run, write_results
from taskloom.run.runner import RunSettings, launch
from taskloom.store.write import write_bundle

EXAMPLES = """
  taskloom demo                      everything, into out/demo
  taskloom demo --quick -o look      no training: under a minute
"""

# A slice of every family: what a bundle is, in seconds.
SLICES: dict[str, tuple[str, dict[str, Any]]] = {
    "stories": ("babi/concat-t7", {"train": 700, "dev": 70, "test": 140, "mix": 300}),
    "functions": ("taskbench/atomic", {"tasks": 16, "train": 200, "dev": 20, "test": 40}),
    "inference": ("seti/task2-nontrivial", {"train": 600, "dev": 100, "test": 300}),
    "passages": ("zest/fictional", {"train": 40, "dev": 10, "test": 40}),
    "instructions": ("superni/embedded", {"instances": 10}),
}

# SETI's first task. Training shows the parts: what follows from "Someone knows that a boy runs" and what follows from a
# word ("schoolboy", so "boy"). The test asks for both at once: "Someone doubts that a schoolboy runs", "A boy runs"?
SUITE = "seti/task1-trivial"
PARTS, WHOLE = "dev", "test"
FITTED = "packaged/minilm"
FITTING: dict[str, Any] = {
    "updates": 96, "batch": 16, "epochs": 1_000, "learning_rate": 1e-4, "schedule": "linear", "warmup": 0.1,
    "clip": 1.0, "evaluate_updates": 48, "evaluate_limit": 40, "keep": "last",
}  # fmt: skip
PROBING: dict[str, Any] = {"budget": 1_500}
PRETRAINED = "packaged/smollm2"
WHOLE_ROWS, PRETRAINED_ROWS = 400, 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_option(parser, "-o", "--output", default="out/demo", metavar="DIR", help="where everything goes")
    add_option(parser, "--seed", type=int, default=7, help="seed of the data (default 7)")
    add_option(parser, "--quick", action="store_true", help="leave out training and pretrained models")


class Stage(NamedTuple):
    """Says what is being done."""

    number: int
    total: int

    def say(self, text: str) -> None:
        """Print a heading."""
        print(f"\n[{self.number}/{self.total}] {text}", flush=True)


def run(args: argparse.Namespace) -> int:
    """Generate, fit, ask, probe, report; ends with the path of the report."""
    started = time.monotonic()
    folder, trains = Path(args.output), not args.quick and _can_train()
    total = 5 if trains else 3
    Stage(1, total).say("Weaving a slice of every family")
    _generate(folder / "bundles", args.seed)
    suite = open_suite(SUITE, seed=args.seed)
    runs: list[Run | Path] = []
    Stage(2, total).say(f"Fitting {FITTED} to parts, asking for combinations" if trains else "Asking a baseline")
    if trains:
        runs += _fit(suite, folder)
        Stage(3, total).say("Probing it: which combinations fail although their parts are mastered?")
        runs.append(_probe(suite, folder))
        Stage(4, total).say(f"Asking {PRETRAINED} the same, as a chat")
        runs += _pretrained(suite, folder)
    baseline = RunSettings(model="mock/majority", split=WHOLE, limit=WHOLE_ROWS)
    runs.append(_one_run(suite, folder / "runs" / "majority", baseline))
    Stage(total, total).say("Drawing the report")
    page = folder / "report.html"
    build_report(runs, page, title="It knows the parts. Does it know the whole?")
    print(f"\nDone in {time.monotonic() - started:.0f} s. Open in a browser:\n{page.resolve()}")
    return 0


def _can_train() -> bool:
    if find_spec("torch") is None or find_spec("transformers") is None:
        print("Without training: pip install 'taskloom[train]' brings the training stack.")
        return False
    try:
        find_weights(PACKAGES[FITTED.partition("/")[2]])
    except UserError as error:
        print(f"Without training: {error}")
        return False
    return True


def _generate(folder: Path, seed: int) -> None:
    for name, (suite_name, options) in SLICES.items():
        suite = open_suite(suite_name, seed=seed, options=options)
        manifest = write_bundle(suite, folder / name)
        counted = ", ".join(f"{entry.rows:,} {split}" for split, entry in manifest.splits.items())
        print(f"  {suite_name:<24} {len(suite.tasks):>4} tasks: {counted}", flush=True)


def _one_run(suite: Suite, folder: Path, settings: RunSettings) -> Run:
    launch(suite, folder, settings)
    made = load_run(folder)
    write_results(made)
    asked = "parts" if settings.split == PARTS else "combinations"
    print(f"  {made.name:<26} {asked:<14} {made.overall().estimate}", flush=True)
    return made


def _fit(suite: Suite, folder: Path) -> Iterator[Run]:
    # One thread is nearly as fast as two for so small a model, and does not collapse when the machine is busy.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    fitted = folder / "runs" / "fitted"
    yield _one_run(suite, fitted, RunSettings(model=FITTED, adapt="finetune", adapt_options=FITTING, split=PARTS))
    whole = RunSettings(model=f"run/{fitted}", split=WHOLE, limit=WHOLE_ROWS)
    yield _one_run(suite, folder / "runs" / "fitted-whole", whole)


def _probe(suite: Suite, folder: Path) -> Path:
    from taskloom.core import resolve
    from taskloom.studies.frontier.run import probe_model
    from taskloom.studies.frontier.search import SearchSettings

    search = resolve(SearchSettings(), PROBING, where="demo")
    place = folder / "probes" / "fitted"
    found = probe_model(suite, place, RunSettings(model=f"run/{folder / 'runs' / 'fitted'}"), search)
    print("\n".join(f"  {line}" for line in describe(found).splitlines()), flush=True)
    return place


def _pretrained(suite: Suite, folder: Path) -> Iterator[Run]:
    for split in (PARTS, WHOLE):
        settings = RunSettings(
            model=PRETRAINED, protocol="chat", split=split, limit=PRETRAINED_ROWS, generation={"max_tokens": 12},
            batch_size=4,
        )  # fmt: skip
        try:
            yield _one_run(suite, folder / "runs" / f"smollm2-{split}", settings)
        except UserError as error:
            print(f"  left out: {error}")
            return
