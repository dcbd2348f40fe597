"""What evaluations cost in a fine-tuning with default settings, as a share of its CPU time.

    python -m benchmarks evaluation

Each line is one fine-tuning as `taskloom run SUITE --model M --adapt finetune -A shots=N` does it, with what it spent
on evaluations: asking the watched rows of every split and scoring them. Loading the model and drawing the suite are
left out on both sides, which makes the share larger.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

from taskloom.adapt import make_adaptation
from taskloom.adapt.loop import Loop
from taskloom.adapt.train import Fitting
from taskloom.core import open_suite
from taskloom.core.encoding import make_encoding
from taskloom.core.model import open_model

CASES = (
    ("tiny/t5-1m", "babi/task-1", 300),
    ("tiny/gpt-1m", "babi/task-1", 300),
    ("tiny/t5-1m", "taskbench/filter", 60),
    ("tiny/gpt-1m", "taskbench/filter", 60),
    ("tiny/bert-1m", "seti/task2-trivial", 300),
    ("packaged/minilm", "seti/task2-trivial", 100),
)
MOST = 0.15


class Spent:
    """CPU seconds spent in a method of a class, whoever calls it."""

    def __init__(self, owner: type, name: str) -> None:
        self.seconds, self.calls = 0.0, 0
        really = getattr(owner, name)

        def timed(*args: Any, **more: Any) -> Any:
            start = process_time()
            try:
                return really(*args, **more)
            finally:
                self.seconds += process_time() - start
                self.calls += 1

        self._undo = lambda: setattr(owner, name, really)
        setattr(owner, name, timed)

    def close(self) -> None:
        self._undo()


def share(name: str, suite_name: str, shots: int) -> tuple[float, float, int]:
    """CPU seconds of the evaluations, of the whole training, and how many evaluations there were."""
    settings: Any = make_adaptation("finetune", {"shots": shots, "stop_when_perfect": False})
    evaluating = Spent(Loop, "_evaluate")
    try:
        with tempfile.TemporaryDirectory() as folder:
            suite = open_suite(suite_name)
            fitting = Fitting(
                settings, open_model(name), suite, make_encoding("plain"), Path(folder), seed=0, shared=False
            )
            loop = fitting.loop([fitting.prepare(None)], fitting.change(1))
            start = process_time()
            loop.run()
            whole = process_time() - start
    finally:
        evaluating.close()
    return evaluating.seconds, whole, evaluating.calls


def main() -> None:
    import torch

    torch.set_num_threads(1)
    print("| model | suite | shots | evaluations | CPU s | of that evaluating | share |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    above = []
    for name, suite, shots in CASES:
        spent, whole, looks = share(name, suite, shots)
        print(f"| {name} | {suite} | {shots} | {looks} | {whole:.1f} | {spent:.1f} | {spent / whole:.1%} |", flush=True)
        if spent > MOST * whole:
            above.append(f"{name} on {suite}")
    if above:
        sys.exit(f"above {MOST:.0%}: {', '.join(above)}")


if __name__ == "__main__":
    main()
