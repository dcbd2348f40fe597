"""One of several processes that hold a part of a model each: `python sharded.py KIND FOLDER [UPDATE]`.

A process of its own rather than a fork of the test's: what earlier tests left behind (threads, groups of processes)
would not survive the fork. With an update given, the process kills itself before it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import taskloom.adapt.store
from adapt.conftest import make_model, make_pairs
from taskloom.adapt import make_adaptation
from taskloom.adapt.loop import Loop
from taskloom.core.encoding import make_encoding

OPTIONS = {
    "batch": 5,
    "updates": 6,
    "evaluate_updates": 3,
    "max_output": 4,
    "clip": 0.5,
    "dropout": False,
    "keep": "last",
    "learning_rate": 0.01,
}


def train(kind: str, folder: Path, **more: float) -> None:
    """Fine-tune a small model in double precision on batches of 5, 5 and 3: one process has a row more."""
    suite = make_pairs(train=13)
    model = make_model(kind, suite)
    model.module.double()
    make_adaptation("finetune", {**OPTIONS, **more}).adapt(model, suite, make_encoding("plain"), folder, seed=2)


def stop_before(update: int) -> None:
    """Die before an update, and prove on the way that this process holds only a part of the model."""

    def step(self: Loop, really=Loop.step) -> None:
        assert all(p.to_local().numel() < p.numel() for p in self.change.parameters().values() if p.numel() > 32)
        if self.updates == update:
            os._exit(3)
        really(self)

    Loop.step = step


if __name__ == "__main__":
    taskloom.adapt.store.fetch = lambda key, directory: False
    if len(sys.argv) > 3:
        stop_before(int(sys.argv[3]))
    train(sys.argv[1], Path(sys.argv[2]), checkpoint_minutes=0.0)
