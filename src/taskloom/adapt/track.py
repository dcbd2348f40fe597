"""Trackers of training that people use already, through accelerate's own interface; none unless asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from taskloom.adapt.curves import Point
from taskloom.core import UserError, missing_extra
from taskloom.core.secrets import scrub

TrackerName: TypeAlias = Literal["none", "tensorboard", "wandb", "mlflow"]


class Tracker:
    """One tracker of accelerate's; it gets every point of a curve.

    Args:
        inner: The tracker, as accelerate makes it.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def log(self, point: Point, lane: str) -> None:
        """Hand on a point; `lane` names the adaptation where several are trained together, else ""."""
        start = f"{lane}/" if lane else ""
        values: dict[str, float] = {f"{start}{split}": score for split, score in point.scores.items()}
        values[f"{start}learning_rate"] = point.learning_rate
        if point.loss is not None:
            values[f"{start}loss"] = point.loss
        self._inner.log(values, step=point.update)

    def close(self) -> None:
        """Let the tracker finish its files."""
        self._inner.finish()


def open_tracker(name: TrackerName, run: str, folder: Path, settings: Mapping[str, Any]) -> Tracker | None:
    """A tracker by name, None for none.

    Args:
        name: Which one.
        run: What to call the run.
        folder: Where trackers with files put them.
        settings: The settings of the adaptation, for the tracker's table of runs.

    Raises:
        UserError: The tracker, or accelerate, is not installed, or it cannot start.
    """
    if name == "none":
        return None
    try:
        from accelerate import PartialState
        from accelerate.tracking import LOGGER_TYPE_TO_CLASS
    except ImportError:
        raise missing_extra("accelerate", "train", f"-A tracker={name}") from None
    kind = LOGGER_TYPE_TO_CLASS[name]
    # Some trackers log through accelerate, which wants to know first who is the main process.
    PartialState()
    # W&B refuses slashes in names, and TensorBoard makes folders of them.
    called = re.sub(r"[^\w.-]+", "-", run).strip("-.")
    try:
        inner = kind(called, folder) if kind.requires_logging_directory else kind(called)
        if hasattr(inner, "start"):
            inner.start()
        inner.store_init_configuration({key: _plain(value) for key, value in settings.items()})
    except (ImportError, NameError, AttributeError) as error:
        raise UserError(f"{name} is not installed: {error}", where="-A tracker", hint=f"pip install {name}") from None
    except Exception as error:  # noqa: BLE001
        # What a tracker asks for (an account, a server, a key) is for the user to settle.
        reason = scrub(f"{type(error).__name__}: {error}").splitlines()[0][:300]
        raise UserError(f"{name} does not start: {reason}", where="-A tracker") from None
    return Tracker(inner)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) else str(value)
