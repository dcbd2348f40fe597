"""An adapted model written down and opened again, without the suite that it was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from taskloom import __version__
from taskloom.adapt.lane import load_weights
from taskloom.adapt.routed import RoutedModel
from taskloom.adapt.settings import TrainingSettings
from taskloom.adapt.store import MODEL
from taskloom.core import Suite, UserError
from taskloom.core.adaptation import AdaptationError
from taskloom.core.decode import decode_json, decoding, read_bytes
from taskloom.core.model import Identity, Model
from taskloom.core.secrets import public_options
from taskloom.models.local import LocalModel
from taskloom.store.atomic import write_atomically

FORMAT = 1


class AdaptedModel(msgspec.Struct, frozen=True, kw_only=True):
    """How an adapted model is opened again: `model.json`, written when the training is over.

    Attributes:
        format: The version of this description.
        taskloom: The version that wrote it.
        model: The name of the model before the adaptation.
        options: Its options.
        home: The folder that relative names are meant from.
        identity: The identity of the model before the adaptation.
        prepared: What it took from the suite it was trained on: vocabulary, labels.
        adaptation: Name and options.
        seed: The seed of the adaptation.
        lanes: For one adaptation per task, the task of each and its folder; empty for one adaptation to all.
        trial: The folder of the trial that was chosen, where there were several.
    """

    format: int = FORMAT
    taskloom: str
    model: str
    options: dict[str, Any] = {}
    home: str = ""
    identity: Identity
    prepared: dict[str, Any] = {}
    adaptation: dict[str, Any]
    seed: int
    lanes: dict[str, str] = {}
    trial: str = ""


def write_model(
    directory: Path,
    model: LocalModel,
    settings: TrainingSettings,
    seed: int,
    *,
    base: Identity,
    lanes: Mapping[str, str] | None = None,
    trial: str = "",
) -> None:
    """Say how the adapted model in a folder is opened. Its presence says that the training is over."""
    if (directory / MODEL).is_file():
        return
    name, options = model.source or (model.identity.name, {})
    described = AdaptedModel(
        taskloom=__version__,
        model=name,
        options=public_options(options),
        home=str(Path.cwd()),
        identity=base,
        prepared=model.prepared(),
        adaptation=settings.describe(),
        seed=seed,
        lanes=dict(lanes or {}),
        trial=trial,
    )
    write_atomically(directory / MODEL, msgspec.json.format(msgspec.json.encode(described)) + b"\n")


def read_model(directory: Path, where: str) -> AdaptedModel:
    """How the adapted model in a folder is opened.

    Raises:
        UserError: It never finished training, was written by a newer version, or is damaged.
    """
    path = directory / MODEL
    if not path.is_file():
        raise UserError(
            "its training was never finished, so there is no adapted model to open",
            where=where,
            hint="run the command that started it again; it will continue",
        )
    what = "the description of the adapted model"
    data = decode_json(read_bytes(path), where=path, what=what)
    if isinstance(data, dict) and isinstance(data.get("format"), int) and data["format"] > FORMAT:
        raise UserError("written by a newer Taskloom", where=str(path), hint="pip install --upgrade taskloom")
    with decoding(path, what):
        return msgspec.convert(data, AdaptedModel)


def recall(
    model: LocalModel, settings: TrainingSettings, seed: int, lanes: Sequence[tuple[str, Path]], identity: Identity
) -> Model:
    """Put kept weights into a model.

    Args:
        model: The model before the adaptation.
        settings: The adaptation.
        seed: Its seed.
        lanes: The name and folder of each lane.
        identity: The identity of the adapted model.

    Raises:
        AdaptationError: Weights are missing or damaged, or belong to another model.
    """
    change = settings.make_change(model, len(lanes), seed)
    for place, (_, home) in enumerate(lanes):
        tensors, _ = load_weights(home)
        try:
            change.load(place, tensors)
        except ValueError as error:
            raise AdaptationError(
                f"the weights belong to a different model than {model.identity.name}: {error}", where=str(home)
            ) from None
    model.module.eval()
    model.identity = identity
    if settings.per_task:
        return RoutedModel(model, change, {name: place for place, (name, _) in enumerate(lanes)})
    change.settle(model, 0)
    model.change = change
    return model


def absorb(model: LocalModel) -> None:
    """Make an earlier adaptation part of the weights, so that another one can be trained on top of it.

    Raises:
        UserError: It cannot be: a soft prompt is no weight of the model.
    """
    change, model.change = model.change, None
    if change is not None:
        change.absorb(model)


def begin(model: LocalModel, suite: Suite, splits: Sequence[str]) -> None:
    """Make a model ready to be trained on a suite; one that was adapted before grows by its new words and labels."""
    model.prepare(suite)
    if "adaptation" in model.identity.settings:
        absorb(model)
        model.extend(model.new_in(suite, splits))


def name_from(home: str, name: str) -> str:
    """A model's name as it was meant where the run was started: relative folders are those of that place."""
    provider, slash, rest = name.partition("/")
    if provider in ("hf", "run") and slash and not Path(rest).is_absolute():
        there = Path(home) / Path(rest).expanduser()
        if there.exists():
            return f"{provider}/{there}"
    return name
