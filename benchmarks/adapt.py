"""Many adaptations in one batch against one after the other, in CPU time.

    python -m benchmarks.adapt [--model t5-1m] [--updates 4] [--tasks 16 64] [--examples 4 16 32] [--only whole]

Both sides are measured in this process on the same model, batches and machine. The first table has single updates;
"with starts" adds what each separate process costs before its first update (interpreter, imports, opening the model),
which is measured too, for adaptations of `--length` updates. The second table has whole adaptations with their
evaluations and everything they write; opening the model is left out.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.evaluation import Spent
from taskloom.adapt import make_adaptation
from taskloom.adapt.loop import Loop
from taskloom.adapt.train import Fitting
from taskloom.core import Instance, Instruction, Row, Suite, Task, any_of, keyed_random
from taskloom.core.encoding import make_encoding

WORDS = [f"{a}{b}{c}" for a in "bdkl" for b in "aeiou" for c in "mnrst"]


def toy(tasks: int, examples: int) -> Suite:
    """Tasks of random words: inputs of about 14 tokens, answers of one."""
    named = {f"task-{index}": Task(f"task-{index}", Instruction("Answer.")) for index in range(tasks)}

    def draw(split: str) -> Iterator[Row]:
        for name in named:
            for number in range(examples):
                random = keyed_random(name, split, number)
                text = " ".join(random.choice(WORDS) for _ in range(14))
                yield Row(name, Instance(str(number), text, any_of(random.choice(WORDS))))

    return Suite("toy/words", {}, 0, named, {"train": None, "dev": None, "test": None}, draw)


def make_loop(kind: str, name: str, suite: Suite, tasks: list[str], options: dict[str, Any], folder: Path) -> Loop:
    """The training of some tasks side by side; of one task, what it is alone."""
    from taskloom.models.tiny import build_tiny

    model = build_tiny(name, texts=WORDS)
    settings: Any = make_adaptation(kind, {"per_task": True, "learning_rate": 0.01, **options})
    fitting = Fitting(settings, model, suite, make_encoding("plain"), folder, seed=0, shared=False)
    return fitting.loop([fitting.prepare(task) for task in tasks], fitting.change(len(tasks)))


def seconds_per_update(loop: Loop, updates: int) -> float:
    """CPU seconds of one update, the least of `updates`: neighbours on the machine only ever add."""
    loop.step()  # the first one allocates
    least = float("inf")
    for _ in range(updates):
        start = time.process_time()
        loop.step()
        least = min(least, time.process_time() - start)
    return least


def whole(loop: Loop) -> tuple[float, float]:
    """CPU seconds of a whole adaptation and of its evaluations."""
    spent = Spent(Loop, "_evaluate")
    start = time.process_time()
    try:
        loop.run()
    finally:
        spent.close()
    return time.process_time() - start, spent.seconds


def start_cost(model: str) -> float:
    """CPU seconds of a process until it could make its first update."""
    code = f"from taskloom.models.tiny import build_tiny; import taskloom.adapt.train; build_tiny({model!r})"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_updates(args: argparse.Namespace, start: float) -> None:
    """One update together against one by one."""
    print(
        "| adaptation | tasks | examples per task | alone, ms per task | together, ms per task | gain | with starts |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in args.kinds:
        for examples in args.examples:
            suite = toy(max(args.tasks), examples)
            options = {"batch": examples, "epochs": 10_000}
            for count in args.tasks:
                names = list(suite.tasks)[:count]
                with tempfile.TemporaryDirectory() as folder:
                    one = make_loop(kind, args.model, suite, names[:1], options, Path(folder, "one"))
                    alone = seconds_per_update(one, 4 * args.updates)
                    every = make_loop(kind, args.model, suite, names, options, Path(folder, "all"))
                    together = seconds_per_update(every, args.updates)
                gain = count * alone / together
                with_starts = count * (start + args.length * alone) / (start + args.length * together)
                print(
                    f"| {kind} | {count} | {examples} | {1000 * alone:.1f} | {1000 * together / count:.1f} "
                    f"| {gain:.2f} | {with_starts:.2f} |",
                    flush=True,
                )


def print_whole(args: argparse.Namespace) -> None:
    """Whole adaptations of four examples, evaluations included; nobody stops early, so both sides do equal updates."""
    print(
        "| adaptation | tasks | examples per task | updates | one by one, CPU s | together, CPU s | gain "
        "| of evaluations |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    examples, count = 4, max(args.tasks)
    suite = toy(count, examples)
    options = {"batch": examples, "epochs": args.epochs, "stop_when_perfect": False}
    for kind in args.kinds:
        rounds = [_whole_round(kind, args.model, suite, options) for _ in range(args.repeats)]
        # Both sides take turns, and neighbours on the machine only ever add to either.
        alone, asked_alone, together, asked_together = map(min, zip(*rounds, strict=True))
        print(
            f"| {kind} | {count} | {examples} | {args.epochs} | {alone:.1f} | {together:.1f} | {alone / together:.2f} "
            f"| {asked_alone / asked_together:.2f} |",
            flush=True,
        )


def _whole_round(kind: str, model: str, suite: Suite, options: dict[str, Any]) -> tuple[float, float, float, float]:
    """CPU seconds of all tasks one by one, of the evaluations in that, and the same of all together."""
    with tempfile.TemporaryDirectory() as folder:
        every = make_loop(kind, model, suite, list(suite.tasks), options, Path(folder, "all"))
        together, asked_together = whole(every)
        alone = asked_alone = 0.0
        for task in suite.tasks:
            spent, asked = whole(make_loop(kind, model, suite, [task], options, Path(folder, task)))
            alone, asked_alone = alone + spent, asked_alone + asked
    return alone, asked_alone, together, asked_together


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="t5-1m")
    parser.add_argument("--updates", type=int, default=4)
    parser.add_argument("--length", type=int, default=100, help="updates of one adaptation, for the starts")
    parser.add_argument("--epochs", type=int, default=20, help="updates of a whole adaptation")
    parser.add_argument("--tasks", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--examples", type=int, nargs="+", default=[4, 16, 32])
    parser.add_argument("--repeats", type=int, default=3, help="whole adaptations by turns; the least counts")
    parser.add_argument("--kinds", nargs="+", default=["prompt-tune", "lora"])
    parser.add_argument("--only", choices=["updates", "whole"], help="one of the two tables")
    args = parser.parse_args(argv or [])
    import torch

    torch.set_num_threads(1)
    if args.only != "whole":
        start = start_cost(args.model)
        print(f"tiny/{args.model}, one thread; a process start costs {start:.1f} CPU s")
        print_updates(args, start)
        print()
    if args.only != "updates":
        print_whole(args)


if __name__ == "__main__":
    main(sys.argv[1:])
