"""`run/DIR`: a finished run is a model. It opens what was adapted there, for any suite and any encoding."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from taskloom.adapt.lane import load_weights
from taskloom.adapt.make import make_adaptation
from taskloom.adapt.recall import AdaptedModel, absorb, name_from, read_model, recall
from taskloom.adapt.settings import TrainingSettings
from taskloom.core import Recipe, UserError, content_hash, resolve
from taskloom.core.adaptation import adapted_identity
from taskloom.core.decode import read_json
from taskloom.core.model import Model, Provider, open_model
from taskloom.models.local import LocalModel

_PLAN, _ADAPTATION = "run.json", "adaptation"


class RunModelOptions(Recipe, frozen=True, kw_only=True):
    """Options of `run/DIR`: how the model underneath is run. What it is, the run says.

    Attributes:
        device: "auto", "cpu", "cuda", "cuda:1", "mps"; "" as in the run.
        batch_size: Rows per batch; -1 as in the run.
    """

    device: str = ""
    batch_size: int = -1

    def given(self) -> dict[str, Any]:
        """The options that were given."""
        found: dict[str, Any] = {"device": self.device} if self.device else {}
        return found | ({"batch_size": self.batch_size} if self.batch_size >= 0 else {})


def adaptation_folder(folder: str | Path) -> Path:
    """Where the adaptation of a run is.

    Raises:
        UserError: There is no run, or nothing was adapted in it.
    """
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise UserError("no such folder", where=f"run/{folder}", hint="run/DIR names the folder of a run")
    if not (path / _PLAN).is_file():
        raise UserError(
            f"no run here (no {_PLAN})", where=f"run/{folder}", hint="taskloom run SUITE --adapt finetune … -o DIR"
        )
    if not (path / _ADAPTATION).is_dir():
        try:
            name = read_json(path / _PLAN)["model"]["name"]
        except (KeyError, TypeError):
            raise UserError("the plan of the run names no model", where=str(path / _PLAN)) from None
        raise UserError(f"this run adapted nothing; its model is {name}", where=f"run/{folder}", hint=f"--model {name}")
    return path / _ADAPTATION


def _base(described: AdaptedModel, options: Mapping[str, Any], where: str) -> LocalModel:
    """The model before the adaptation, as it was when the adaptation began."""
    name = name_from(described.home, described.model)
    try:
        model = open_model(name, {**described.options, **options}).form_for("train")
    except UserError as error:
        raise UserError(
            f"the model it was adapted from cannot be opened: {error}",
            where=where,
            hint=f"put {described.model} back where it was when the run was started ({described.home})",
        ) from None
    if not isinstance(model, LocalModel):
        raise UserError(f"{described.model} has no local weights that could have been adapted", where=where)
    if described.model.startswith("run/"):
        # A run's model was prepared in its own time; to prepare it again would draw its weights anew.
        absorb(model)
        model.extend(described.prepared)
    else:
        model.restore(described.prepared)
    return model


def open_adapted(directory: Path, options: Mapping[str, Any], where: str) -> Model:
    """The adapted model in a folder of adaptations.

    Raises:
        UserError: It never finished training, a file is missing or damaged, or the model underneath is
            gone or another one.
    """
    described = read_model(directory, where)
    settings = _settings(described, where)
    if described.trial:
        directory = directory / described.trial
        # A trial is described by itself, with its own rate and seed.
        return open_adapted(directory, options, where)
    model = _base(described, options, where)
    base = described.identity
    if settings.name != "finetune" and model.identity.weights != base.weights:
        raise UserError(
            f"{described.model} is no longer the model that was adapted: its weights differ",
            where=where,
            hint="put the old weights back, or adapt the new ones",
        )
    places = {name: directory / place for name, place in described.lanes.items()} or {"": directory}
    hashes = [load_weights(home)[1] for home in places.values()]
    weights = hashes[0] if len(hashes) == 1 else content_hash(hashes)
    identity = adapted_identity(base, settings, described.seed, weights, keep=settings.keep)
    absorb(model)
    return recall(model, settings, described.seed, list(places.items()), identity)


def _settings(described: AdaptedModel, where: str) -> TrainingSettings:
    options = {key: value for key, value in described.adaptation.items() if key != "name"}
    settings = make_adaptation(str(described.adaptation.get("name")), options)
    if not isinstance(settings, TrainingSettings):
        raise UserError(f"--adapt {settings.name} does not produce weights", where=where)
    return settings


class RunProvider(Provider):
    """Opens `run/DIR`."""

    def names(self) -> Mapping[str, str]:
        return {"DIR": "the adapted model of a finished run"}

    def options(self, name: str) -> RunModelOptions:
        return RunModelOptions()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        given = resolve(self.options(name), options, where=f"run/{name}").given()
        return open_adapted(adaptation_folder(name), given, f"run/{name}")


PROVIDER = RunProvider()
