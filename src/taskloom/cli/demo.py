"""`taskloom demo`: the whole way in minutes, with no network: a small model is fitted, asked, probed and reported."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from taskloom.cli.probe import describe
from taskloom.core import Suite, UserError, open_suite
from taskloom.core.errors import install_command
from taskloom.core.model import Model, open_model
from taskloom.report.build import build_report
from taskloom.run.results import Run, load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.write import write_bundle

# A slice of every family: what a bundle is, in seconds.
SLICES: dict[str, tuple[str, dict[str, Any]]] = {
    "stories": ("babi/concat-t7", {"train": 700, "dev": 70, "test": 140, "mix": 300}),
    "functions": ("taskbench/atomic", {"tasks": 16, "train": 200, "dev": 20, "test": 40}),
    "inference": ("seti/task2-nontrivial", {"train": 600, "dev": 100, "test": 300}),
    "passages": ("zest/fictional", {"train": 40, "dev": 10, "test": 40}),
    "instructions": ("superni/embedded", {"instances": 10}),
}

# Both ask where a person is. The first task of bAbI tells nothing but moves ("Mary went to the garden."); the second
# suite tells the same with pronouns, two people at once, "they", and what is not so ("Mary is no longer in the park").
PARTS: tuple[str, dict[str, Any]] = ("babi/task-1", {"train": 3_000, "dev": 200, "test": 400})
WHOLE: tuple[str, dict[str, Any]] = (
    "babi/custom",
    {
        "events": ["move"], "constructs": ["coref", "conj", "compound", "negate"], "coref": {"move": 1.0},
        "questions": ["where-person"], "length": [2, 8], "support": [1, 2], "train": 200, "test": 400,
        "vocabulary.persons": {"Daniel": "he", "Mary": "she", "John": "he", "Sandra": "she"},
        "vocabulary.places": ["bathroom", "bedroom", "garden", "hallway", "kitchen", "office"],
    },
)  # fmt: skip
FITTED = "tiny/entnet"
FITTING: dict[str, Any] = {
    "learning_rate": 0.01, "batch": 32, "updates": 900, "epochs": 1_000, "evaluate_updates": 150,
    "evaluate_limit": 100,
}  # fmt: skip
PROBING: dict[str, Any] = {"budget": 2_000}
PRETRAINED = "packaged/smollm2"
PRETRAINED_ROWS = 24


class DemoStage(NamedTuple):
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
    DemoStage(1, total).say("Generating a few rows of every family")
    _generate(folder / "bundles", args.seed)
    parts, whole = (open_suite(name, seed=args.seed, options=options) for name, options in (PARTS, WHOLE))
    runs: list[Run | Path] = []
    DemoStage(2, total).say(f"Fitting {FITTED} to moves, asking it about more" if trains else "Asking a baseline")
    if trains:
        runs += _fit(parts, whole, folder)
        DemoStage(3, total).say("Probing it: which combinations fail although their parts are mastered?")
        runs.append(_probe(whole, folder))
        DemoStage(4, total).say(f"Asking {PRETRAINED}, which comes in a package, the same questions")
        runs += pretrained_model((parts, whole), folder)
    runs.append(_one_run(whole, folder / "runs" / "majority", RunSettings(model="mock/majority"), "more"))
    DemoStage(total, total).say("Writing the report")
    page = folder / "report.html"
    build_report(runs, page, title="Where does a small reader stop?")
    print(f"\nDone in {time.monotonic() - started:.0f} s. Open in a browser:\n{page.resolve()}")
    print(f"or look around in what was made:\ntaskloom serve {folder}")
    return 0


def _can_train() -> bool:
    if find_spec("torch") is not None and find_spec("transformers") is not None:
        return True
    print(f"Without training: {install_command('train')} adds it.")
    return False


def _generate(folder: Path, seed: int) -> None:
    for name, (suite_name, options) in SLICES.items():
        suite = open_suite(suite_name, seed=seed, options=options)
        manifest = write_bundle(suite, folder / name)
        counted = ", ".join(f"{entry.rows:,} {split}" for split, entry in manifest.splits.items())
        tasks = f"{len(suite.tasks):>4} task{'s' if len(suite.tasks) != 1 else ''}:"
        print(f"  {suite_name:<24} {tasks:<11} {counted}", flush=True)


def _one_run(suite: Suite, folder: Path, settings: RunSettings, asked: str, model: Model | None = None) -> Run:
    launch(suite, folder, settings, model=model)
    made = load_run(folder)
    write_results(made)
    print(f"  {made.name:<24} {asked:<6} {made.overall().estimate}", flush=True)
    return made


def _fit(parts: Suite, whole: Suite, folder: Path) -> Iterator[Run]:
    # One thread is nearly as fast as two for so small a model, and does not collapse when the machine is busy.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    fitted = folder / "runs" / "fitted"
    settings = RunSettings(model=FITTED, adapt="finetune", adapt_options=FITTING)
    yield _one_run(parts, fitted, settings, "moves")
    yield _one_run(whole, folder / "runs" / "fitted-more", RunSettings(model=f"run/{fitted}"), "more")


def _probe(whole: Suite, folder: Path) -> Path:
    from taskloom.core import resolve
    from taskloom.studies.frontier.run import probe_model
    from taskloom.studies.frontier.search import SearchSettings

    search = resolve(SearchSettings(), PROBING, where="demo")
    place = folder / "probes" / "fitted"
    found = probe_model(whole, place, RunSettings(model=f"run/{folder / 'runs' / 'fitted'}"), search)
    print("\n".join(f"  {line}" for line in describe(found).splitlines()), flush=True)
    return place


def pretrained_model(suites: tuple[Suite, ...], folder: Path) -> Iterator[Run]:
    """Runs of a small pretrained model, which is loaded once."""
    # So small a model answers best as a language model that continues solved examples; as a chat it rambles.
    settings = RunSettings(model=PRETRAINED, protocol="base", limit=PRETRAINED_ROWS, batch_size=4)
    try:
        # Loading takes longer than asking: one model serves both runs.
        with closing(open_model(PRETRAINED)) as model:
            for suite, asked in zip(suites, ("moves", "more"), strict=True):
                yield _one_run(suite, folder / "runs" / f"smollm2-{asked}", settings, asked, model)
    except UserError as error:
        print(f"  left out: {error}")
