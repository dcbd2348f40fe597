"""Training that was broken off: weights and optimiser on disk, so that the same command continues."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from taskloom.core import UserError
from taskloom.models.runtime import LOGGER, import_torch
from taskloom.models.tensors import load_tensors, save_tensors
from taskloom.store.atomic import clear_halves

_SECONDS = 120.0
_FILE = "halfway.safetensors"


class Halfway:
    """The state of a training run, written now and then and read when it starts again.

    Args:
        folder: Where the state is kept; belongs to exactly one recipe and seed.
        module: The module in training.
        optimiser: Its optimiser.
        seconds: The time between two writes.
    """

    def __init__(self, folder: Path, module: Any, optimiser: Any, seconds: float = _SECONDS) -> None:
        self._folder = folder
        self._module = module
        self._optimiser = optimiser
        self._seconds = seconds
        self._written = time.monotonic()

    def restore(self) -> int:
        """Put weights and optimiser back; the number of updates they have seen, 0 where there is nothing."""
        path = self._folder / _FILE
        if not path.is_file():
            return 0
        try:
            state, facts, _ = load_tensors(path)
        except UserError as error:
            LOGGER.warning("%s, so it is left aside", error)
            return 0
        self._module.load_state_dict({key[2:]: value for key, value in state.items() if key.startswith("m.")})
        moments: dict[int, dict[str, Any]] = {}
        for key, value in state.items():
            if key.startswith("o."):
                _, index, name = key.split(".", 2)
                moments.setdefault(int(index), {})[name] = value
        groups = self._optimiser.state_dict()["param_groups"]
        self._optimiser.load_state_dict({"state": moments, "param_groups": groups})
        return int(facts["step"])

    def offer(self, step: int) -> None:
        """Write the state if enough time has passed since the last time."""
        if time.monotonic() - self._written >= self._seconds:
            self.write(step)

    def write(self, step: int) -> None:
        """Write the state after this many updates; the old one stays until the new one is whole."""
        torch = import_torch()
        # Tied weights are stored once under each name, because safetensors keeps no aliases.
        state = {f"m.{key}": value for key, value in self._module.state_dict().items()}
        for index, moments in self._optimiser.state_dict()["state"].items():
            state.update({f"o.{index}.{key}": torch.as_tensor(value) for key, value in moments.items()})
        self._folder.mkdir(parents=True, exist_ok=True)
        save_tensors(self._folder / _FILE, state, {"step": step})
        self._written = time.monotonic()


def discard_halfway(folder: Path) -> None:
    """Remove the state of a training run that has ended, and its folder if nothing else is in it."""
    (folder / _FILE).unlink(missing_ok=True)
    if folder.is_dir():
        clear_halves(folder)
        if not any(folder.iterdir()):
            folder.rmdir()
