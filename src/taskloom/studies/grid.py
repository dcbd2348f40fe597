"""The grid of a study: which runs it needs, as data.

An arm is one run together with the factors that name it in tables. Arms are plain values: nothing is opened or
trained to list them, so a grid can be counted, costed and cut before anything happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.core import Recipe, UserError
from taskloom.core.secrets import public
from taskloom.core.study import Value
from taskloom.run.session import RunSettings

Scale: TypeAlias = Literal["smoke", "tiny", "paper"]

SCALES: dict[Scale, str] = {
    "smoke": "seconds, one seed: whether everything runs",
    "tiny": "two cores and at most 12 minutes: packaged and tiny models, three seeds at least",
    "paper": "the paper's models, sizes and training (docs/studies.md lists where it differs)",
}


class Learner(Recipe, frozen=True, kw_only=True):
    """How one model is fitted.

    Attributes:
        adapt: finetune, prompt-tune, lora, in-context or none.
        options: Options of the adaptation (`recipe` names a paper's).
        model_options: Options of the model.
        run: Further fields of its runs: how it is decoded, how its prompts are written.
    """

    adapt: str = "finetune"
    options: dict[str, Any] = {}
    model_options: dict[str, Any] = {}
    run: dict[str, Any] = {}


class GridRecipe(Recipe, frozen=True, kw_only=True):
    """What every study that runs models has.

    Attributes:
        models: The models that are compared; `--model` replaces them.
        seeds: How often everything is repeated, with other data and another training.
        limit: At most this many test instances of each task; 0 for all.
        learners: How each model is fitted, by name; `*` serves models that are not named.
    """

    models: tuple[str, ...] = ()
    seeds: int = 3
    limit: int = 0
    learners: dict[str, Learner] = {}

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise ValueError(f"seeds must be 1 or more, not {self.seeds}")
        if self.limit < 0:
            raise ValueError(f"limit must be 0 or more, not {self.limit}")

    def replicates(self, seed: int) -> range:
        """The seeds of the data, counted up from the first."""
        return range(seed, seed + self.seeds)

    def settings(self, model: str, seed: int, **more: Any) -> RunSettings:
        """The run of a model, fitted as its learner says or by the `adapt` given; further fields replace the rest."""
        learner = Learner() if "adapt" in more else self.learner(model)
        options = {**learner.options, **more.pop("adapt_options", {})}
        return RunSettings(
            **{
                "model": model,
                "model_options": learner.model_options,
                "adapt": learner.adapt,
                "adapt_options": options,
                "run_seed": seed,
                "limit": self.limit or None,
                "cache": False,  # processes that share a cache of answers would wait for each other
                **learner.run,
                **more,
            }
        )

    def asked(self, seed: int, **more: Any) -> RunSettings:
        """The run of a model that another arm has fitted."""
        return RunSettings(**{"model": "", "run_seed": seed, "limit": self.limit or None, "cache": False, **more})

    def learner(self, model: str) -> Learner:
        """How a model is fitted."""
        found = self.learners.get(model) or self.learners.get("*")
        if found is None:
            raise UserError(
                f"the study does not know how to fit {model}",
                where="learners",
                hint="-T 'learners.*={adapt: finetune, options: {epochs: 3}}'",
            )
        return found


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a study.

    Attributes:
        factors: What tables call it: {"model": "tiny/entnet", "trained on": "concat-t7"}.
        suite: The suite that is asked (and, where the run adapts, trained on).
        options: Keys of its recipe.
        task: Only this task of the suite.
        seed: The seed of the data.
        run: Everything else of the run.
        after: The arm whose adapted model this one asks or trains on; it takes the place of `run.model`.
    """

    factors: dict[str, Value]
    suite: str
    options: dict[str, Any] = {}
    task: str | None = None
    seed: int = 0
    run: RunSettings
    after: Arm | None = None

    @property
    def draw(self) -> int:
        """Which draw of training examples it uses."""
        return int(self.run.adapt_options.get("draw", 0))

    @property
    def trains(self) -> bool:
        """Whether weights change in it."""
        return self.run.adapt not in ("none", "in-context")

    def line(self) -> Iterator[Arm]:
        """The arms that have to be done before this one, the first of all first, and this one."""
        if self.after is not None:
            yield from self.after.line()
        yield self


def unique(arms: Iterable[Arm]) -> list[Arm]:
    """Arms with everything that has to be done before them, each once, in an order that can be carried out."""
    found: dict[bytes, Arm] = {}
    for arm in arms:
        for one in arm.line():
            found.setdefault(msgspec.json.encode(one), one)
    return list(found.values())


_LISTED = 12
"""How many members of a list are printed; of a longer one the first three stand for all."""


def cuts(recipe: Recipe, paper: Recipe) -> list[str]:
    """In which settings a recipe differs from the one at paper scale, in words."""
    said = []
    models = getattr(recipe, "models", ())
    for key in recipe.__struct_fields__:
        here, there = getattr(recipe, key), getattr(paper, key)
        if here == there:
            continue
        if key == "learners":
            # Learners without a slash are named by a paradigm, which every model is fitted by.
            by_paradigm = {name for name in here if name != "*" and "/" not in name}
            used = {model if model in here else "*" for model in models} | by_paradigm
            said += [
                f"{key}.{name}: {_learner(here[name])}"
                for name in sorted(used & here.keys())
                if here[name] != there.get(name)
            ]
        else:
            # Nothing, be it a number or a list, leaves what the suite or the paper's recipe has.
            said.append(f"{key}: {shown(here)}; paper scale: {shown(there) if there else 'as in the paper'}")
    return said


def _learner(learner: Learner) -> str:
    # Where updates are counted, the number of epochs only has to be out of their way.
    silent = {"epochs"} if "updates" in learner.options else set()
    options = {key: value for key, value in learner.options.items() if key not in silent}
    said = f"{learner.adapt} with {shown(options)}" if options else learner.adapt
    return f"{said}; the model with {shown(learner.model_options)}" if learner.model_options else said


def shown(value: Any) -> str:
    """A setting in words."""
    if isinstance(value, Mapping):
        # A key is known by its name, so it is hidden where the name still stands beside it.
        return ", ".join(f"{key}={shown(inner)}" for key, inner in public(dict(value)).items()) or "none"
    if isinstance(value, list | tuple):
        said = ["/".join(map(shown, one)) if isinstance(one, list | tuple) else shown(one) for one in value]
        more = f", … ({len(said)} in all)" if len(said) > _LISTED else ""
        return ", ".join(said[: 3 if more else None]) + more or "none"
    return str(value)
