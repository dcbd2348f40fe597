"""`run/DIR`: a finished run is a model. It opens what was adapted there, for any suite and any encoding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec

from taskloom import __version__
from taskloom.adapt.curves import load_checkpoint
from taskloom.adapt.make import make_adaptation
from taskloom.adapt.settings import TrainingSettings
from taskloom.adapt.store import ADAPTED_MODEL, MODEL, WEIGHTS
from taskloom.core import Recipe, Suite, UserError, content_hash, unknown_name
from taskloom.core.adaptation import AdaptationError, adapted_identity
from taskloom.core.decode import decode_json, decoding, read_bytes, read_json
from taskloom.core.encoding import Prompt
from taskloom.core.folders import not_here
from taskloom.core.model import Belief, Generation, Identity, Model, Output, Request, open_model
from taskloom.core.secrets import public_options
from taskloom.models.local import LocalModel
from taskloom.models.provider import ProviderRecord
from taskloom.store.atomic import whole_folder, write_atomically
from taskloom.store.seal import seal_folder

if TYPE_CHECKING:
    from taskloom.adapt.change import WeightChange


class RoutedModel(Model):
    """Answers each request as the lane of its task has adapted the model; one batch may ask many lanes.

    Args:
        model: The frozen model.
        change: The tensors of all lanes.
        lanes: The place of each task's lane.
    """

    abilities: ClassVar[frozenset[str]] = frozenset({"generate", "logprobs"})
    cacheable = False
    """Two tasks may ask with the same words and deserve different answers."""

    def __init__(self, model: LocalModel, change: WeightChange, lanes: dict[str, int]) -> None:
        self._model, self._change, self._lanes = model, change, lanes
        self.identity, self.limits, self.tokenizer = model.identity, model.limits, model.tokenizer

    def prepare(self, suite: Suite) -> None:
        """Refuse a suite with a task that nothing was adapted to."""
        for task in suite.tasks:
            self._lane(task)

    def _lane(self, task: str) -> int:
        if task not in self._lanes:
            where = f"{self.identity.name}, adapted to each task separately"
            raise unknown_name("task", task, self._lanes, where=where)
        return self._lanes[task]

    def _answering(self) -> AbstractContextManager[None]:
        return self._change.answering_each(self._model, lambda request: self._lane(request.task.name))

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        with self._answering():
            return self._model.generate(requests, generation)

    def answer_batch(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        with self._answering():
            yield from self._model.answer_batch(requests, generation)

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        with self._answering():
            return self._model.weigh(requests, answers, end=end)

    def logprobs(self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]]) -> list[list[float]]:
        raise UserError(
            f"{self.identity.name} is adapted to each task separately, and a prompt alone does not name a task"
        )

    def render(self, prompt: Prompt) -> str:
        return self._model.render(prompt)

    def length(self, prompt: Prompt) -> int | None:
        return self._model.length(prompt)

    def close(self) -> None:
        self._model.close()


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
    model: LocalModel, settings: TrainingSettings, seed: int, lanes: Mapping[str, Path], base: Identity
) -> Model:
    """Put the kept weights of lanes, each in its folder, into a model; `base` is its identity before the adaptation.

    Raises:
        AdaptationError: Weights are missing or damaged, or belong to another model.
    """
    change = settings.make_change(model, len(lanes), seed)
    hashes = []
    for place, home in enumerate(lanes.values()):
        tensors, _, total = load_checkpoint(home / WEIGHTS)
        hashes.append(total)
        try:
            change.load(place, tensors)
        except ValueError as error:
            raise AdaptationError(
                f"the weights belong to a different model than {model.identity.name}: {error}", where=str(home)
            ) from None
    model.module.eval()
    weights = hashes[0] if len(hashes) == 1 else content_hash(hashes)
    model.identity = adapted_identity(base, settings, seed, weights, keep=settings.keep)
    if settings.per_task:
        return RoutedModel(model, change, {name: place for place, name in enumerate(lanes)})
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


def name_from(home: str, name: str) -> str:
    """A model's name as it was meant where the run was started: relative folders are those of that place."""
    provider, slash, rest = name.partition("/")
    if provider in ("hf", "run") and slash and not Path(rest).is_absolute():
        there = Path(home) / Path(rest).expanduser()
        if there.exists():
            return f"{provider}/{there}"
    return name


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
    if not (path / _PLAN).is_file():
        raise not_here(path, "run", "taskloom run SUITE --adapt finetune … -o DIR")
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
        # A trial is described by itself, with its own rate and seed.
        return open_adapted(directory / described.trial, options, where)
    model = _base(described, options, where)
    if settings.name != "finetune" and model.identity.weights != described.identity.weights:
        raise UserError(
            f"{described.model} is no longer the model that was adapted: its weights differ",
            where=where,
            hint="put the old weights back, or adapt the new ones",
        )
    places = {name: directory / place for name, place in described.lanes.items()} or {"": directory}
    absorb(model)
    return recall(model, settings, described.seed, places, described.identity)


def _settings(described: AdaptedModel, where: str) -> TrainingSettings:
    options = {key: value for key, value in described.adaptation.items() if key != "name"}
    settings = make_adaptation(str(described.adaptation.get("name")), options)
    if not isinstance(settings, TrainingSettings):
        raise UserError(f"--adapt {settings.name} does not produce weights", where=where)
    return settings


PROVIDER = ProviderRecord(
    "run",
    {"DIR": "the adapted model of a finished run"},
    RunModelOptions(),
    lambda name, options: open_adapted(adaptation_folder(name), options.given(), f"run/{name}"),
)


Form: TypeAlias = Literal["auto", "merged", "peft"]


class ModelExport(NamedTuple):
    """What was written, in a few words, and the model string that opens it, with its option where it needs one."""

    about: str
    opened_by: str


def export_model(run: str | Path, folder: str | Path, form: Form = "auto") -> ModelExport:
    """Write the adapted model of a run.

    Args:
        run: The folder of the run.
        folder: Where to write; new or empty.
        form: "merged" makes a LoRA part of the weights; "peft" writes it, or a soft prompt, as an adapter with its
            model in `base`; "auto" merges what can be merged.

    Returns:
        What was written, and how it is opened.

    Raises:
        UserError: The run has no adapted model, one per task, or one that the form cannot hold.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError("already exists and is not empty", where=str(target), hint="name another folder with -o")
    model = open_adapted(adaptation_folder(run), {}, f"run/{run}")
    if not isinstance(model, LocalModel):
        raise UserError(
            "one adaptation per task cannot be exported as a single model",
            where=f"run/{run}",
            hint="adapt to all tasks at once, or to one of them: -A tasks=[NAME]",
        )
    change, model.change = model.change, None
    adapter = "" if change is None else change.adapter
    if form == "merged" and adapter == "soft prompt":
        raise UserError("a soft prompt is not part of the weights and cannot be merged", where="--as merged")
    if form == "peft" and not adapter:
        raise UserError("all weights were trained, so there is no adapter", where="--as peft")
    with whole_folder(target) as scratch:
        about = _write(change, model, scratch, form)
        # Networks that transformers does not know are opened by their own name.
        known = (scratch / "config.json").is_file() or (scratch / ADAPTED_MODEL).is_dir()
        seal_folder(scratch)
    return ModelExport(about, f"hf/{folder}" if known else f"{model.identity.name} -M checkpoint={folder}")


def _write(change: Any, model: LocalModel, folder: Path, form: Form) -> str:
    """Write the model, and say in a few words what was written."""
    if change is not None and (change.adapter == "soft prompt" or (change.adapter and form == "peft")):
        change.export(folder, model)
        change.remove()
        model.save(folder / ADAPTED_MODEL)
        return f"the {change.adapter} as a peft adapter, with its model in {ADAPTED_MODEL}"
    if change is not None:
        change.absorb(model)
    model.save(folder)
    return "the whole model"
