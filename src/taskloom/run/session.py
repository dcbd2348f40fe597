"""How a model is asked: everything that settings decide, opened and checked once, for runs and for probes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from taskloom.adapt.make import make_adaptation
from taskloom.ask import CostEstimate, Judge, ResponseCache, estimate_cost, open_asked
from taskloom.core import Row, Suite, UserError, resolve, tasks_hash
from taskloom.core.adaptation import Adaptation
from taskloom.core.catalog import READERS
from taskloom.core.encoding import Encoding, Prompt, make_encoding
from taskloom.core.model import Generation, Model, Request, ensure_trainable, open_model
from taskloom.core.secrets import public, public_repr
from taskloom.encode.plain import PLAIN
from taskloom.models.likelihood import Weights, check_weights
from taskloom.protocol import Choice, choose, protocol_named, wordings
from taskloom.run.plan import Plan, environment, load_plan
from taskloom.score.match import named_scorer

FIRST_ROWS = 1_000
"""Rows that are looked at before a run to see whether its tasks have candidates."""


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run needs besides its suite and folder. Options are those of the named parts.

    Functions may stand for the names of model and scorer; they are called by what they are.
    """

    model: str
    model_options: dict[str, Any] = {}
    adapt: str = "none"
    adapt_options: dict[str, Any] = {}
    protocol: str = "auto"
    wordings: int = 1
    examples: int | None = None
    form: str | None = None
    encoding: str | None = None
    encoding_options: dict[str, Any] = {}
    split: str | None = None
    limit: int | None = None
    batch_size: int | None = None
    generation: dict[str, Any] = {}
    run_seed: int = 0
    samples: int = 1
    weights: dict[str, Any] = {}
    scorer: str | None = None
    scorer_options: dict[str, Any] = {}
    reader: str | None = None
    cache: bool = True
    command: str = ""
    shard: str = ""

    def __post_init__(self) -> None:
        if callable(self.model):
            from taskloom.models.function import named_model

            msgspec.structs.force_setattr(self, "model", named_model(self.model))
        if callable(self.scorer):
            msgspec.structs.force_setattr(self, "scorer", named_scorer(self.scorer))

    def __repr__(self) -> str:
        return public_repr(self)


class AskOptions(TypedDict, total=False):
    """How a model is asked, as keyword arguments of `probe` and `run_suite`."""

    model_options: Mapping[str, Any] | None
    protocol: str
    wordings: int
    examples: int | None
    form: str | None
    encoding: str | None
    encoding_options: Mapping[str, Any] | None
    batch_size: int | None
    generation: Mapping[str, Any] | None
    run_seed: int
    samples: int
    weights: Mapping[str, Any] | None
    scorer: str | Callable[..., Any] | None
    scorer_options: Mapping[str, Any] | None
    reader: str | None
    cache: bool


class RunOptions(AskOptions, total=False):
    """The settings of a run as keyword arguments of `run_suite`."""

    adapt: str
    adapt_options: Mapping[str, Any] | None
    split: str | None
    limit: int | None
    shard: str


def ask_settings(
    model: str | Model | Callable[[str], Any], settings: Mapping[str, Any]
) -> tuple[RunSettings, Model | None]:
    """Keyword arguments of a public function as settings, with the model if that is open already."""
    given = {key: value for key, value in settings.items() if value is not None}
    if isinstance(model, Model):
        name, options = model.source or (model.identity.name, {})
        return RunSettings(model=name, **{"model_options": options, **given}), model
    asked: dict[str, Any] = {"model": model, **given}  # a function is named by RunSettings itself
    return RunSettings(**asked), None


@dataclass
class Session:
    """A model with everything that decides how it is asked.

    Attributes:
        suite: What is asked.
        settings: What the user said.
        model: The model; adapting replaces it.
        encoding: How rows become prompts while training.
        adaptation: How the model is fitted.
        judge: Who reads and scores.
        generation: How answers are generated.
        weights: Whether answers are written or chosen by likelihood, and whether their mass is recorded.
        protocol: The protocol by name and parts, for the plan.
        stamp: Fields of every record: protocol, headline.
        choice: The protocol with the reason for it.
    """

    suite: Suite
    settings: RunSettings
    model: Model
    encoding: Encoding
    adaptation: Adaptation
    judge: Judge
    generation: Generation
    weights: Weights = field(default_factory=Weights)
    protocol: dict[str, Any] = field(default_factory=dict)
    stamp: dict[str, Any] = field(default_factory=dict)
    choice: Choice | None = None

    def asked_with(self) -> Encoding:
        """The encoding of the questions: with in-context examples where the adaptation brings them."""
        return self.adaptation.wrap(self.encoding, self.suite, self.settings.run_seed)

    def cache(self, encoding: Encoding) -> ResponseCache | None:
        """Where answers of this model to this suite are kept; None where they must not be."""
        # What is weighed depends on the answers of each row, which prompts alone do not tell.
        if not (self.settings.cache and self.model.cacheable) or self.weights != Weights():
            return None
        return ResponseCache(self.suite, self.model.identity, self.generation, encoding.describe())

    def estimate(self, rows: Iterable[Row], total: int | None = None) -> CostEstimate:
        """What asking these rows will cost; `total` says how many there are, where they need not be counted."""
        tasks, samples = self.suite.tasks, self.settings.samples
        return estimate_cost(self.model, self.asked_with(), self.generation, tasks, rows, samples=samples, total=total)

    def plan(self, encoding: Encoding, split: str, **more: Any) -> Plan:
        """The plan of asking this split (or, with `streams`, these cells)."""
        suite, settings = self.suite, self.settings
        return Plan(
            suite=suite.name,
            identity=suite.identity,
            data_seed=suite.seed,
            recipe=public(msgspec.to_builtins(dict(suite.recipe))),
            tasks_hash=tasks_hash(suite.tasks),
            split=split,
            limit=settings.limit,
            samples=settings.samples,
            weights=self.weights.given(),
            protocol=self.protocol,
            model=msgspec.to_builtins(self.model.identity),
            encoding=encoding.describe(),
            generation=msgspec.to_builtins(self.generation),
            adaptation=self.adaptation.describe(),
            run_seed=settings.run_seed,
            scorer=settings.scorer,
            scorer_options=settings.scorer_options,
            reader=settings.reader,
            environment=environment(),
            command=settings.command,
            shard=settings.shard,
            notes=public(msgspec.to_builtins(dict(suite.notes))),
            **more,
        )

    def check_weights(self, split: str) -> None:
        """Refuse a likelihood that cannot be had before anything is trained or asked.

        Raises:
            UserError: The model has no log-probabilities, or a task among the first rows has no candidates.
        """
        if self.weights == Weights():
            return
        first: dict[str, Request] = {}
        for row in islice(self.suite.rows(split), FIRST_ROWS):
            if row.task not in first:
                first[row.task] = Request(Prompt(row.instance.input), self.suite.tasks[row.task], row.instance)
        check_weights(self.model, self.weights, first.values())

    def close(self) -> None:
        """Let go of the model."""
        self.model.close()


def open_session(suite: Suite, settings: RunSettings, model: Model | None = None) -> Session:
    """Check the settings and open the model. Everything that can be refused is refused before the model is opened.

    Args:
        suite: What is asked.
        settings: Model, adaptation, protocol and the rest.
        model: The model of the settings, where the caller has opened it already.
    """
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"a limit must be 1 or more, not {settings.limit}", where="--limit")
    if settings.samples < 1:
        raise UserError(f"1 or more samples are asked for, not {settings.samples}", where="--samples")
    if settings.batch_size is not None and settings.batch_size < 1:
        raise UserError(f"a batch has 1 or more requests, not {settings.batch_size}", where="--batch-size")
    wordings(settings.wordings)
    if settings.encoding is not None:
        make_encoding(settings.encoding, settings.encoding_options)
    adaptation = make_adaptation(settings.adapt, settings.adapt_options)
    generation = resolve(Generation(), settings.generation, where="generation")
    weights = resolve(Weights(), settings.weights, where="weights")
    if settings.samples > 1 and (weights.answer_by == "likelihood" or not generation.temperature):
        raise UserError(
            "without randomness every sample would be the same",
            where=f"--samples {settings.samples}",
            hint="--temperature 0.7 draws answers, and --answer-by generate writes them",
        )
    if settings.protocol != "auto":
        protocol_named(settings.protocol, suite.family)
    Judge(suite.tasks.values(), settings.scorer, settings.reader, scorer_options=settings.scorer_options)
    trains = settings.adapt not in ("none", "in-context")
    if trains and model is None:
        ensure_trainable(settings.model, f"--adapt {settings.adapt}")
    model = model or (open_model if trains else open_asked)(settings.model, settings.model_options)
    if trains:
        model = model.form_for("train")
    if weights.answer_by == "likelihood" or weights.mass or generation.beams > 1:
        model = model.form_for("logprobs")
    if settings.batch_size is not None:
        model.limits = msgspec.structs.replace(model.limits, batch=settings.batch_size)
    return _with_protocol(Session(suite, settings, model, PLAIN, adaptation, Judge(()), generation, weights))


def choose_protocol(suite: Suite, settings: RunSettings, model: Model) -> Choice:
    """The protocol of a run: the one asked for, or the one that fits what the model is."""
    return choose(
        settings.protocol,
        model,
        settings.adapt,
        suite.name.partition("/")[0],
        encoding=settings.encoding,
        encoding_options=settings.encoding_options,
        trained_with=trained_encoding(settings.model),
        examples=settings.examples,
        form=settings.form,
    )


def trained_encoding(model: str) -> dict[str, Any] | None:
    """The encoding that a model of another run was trained with; None for models that are no runs."""
    provider, _, folder = model.partition("/")
    if provider != "run":
        return None
    plan = load_plan(Path(folder))
    if plan.adaptation.get("name", "none") in ("none", "in-context"):
        return trained_encoding(str(plan.model.get("name", "")))
    return plan.encoding


def _with_protocol(session: Session) -> Session:
    settings = session.settings
    choice = choose_protocol(session.suite, settings, session.model)
    protocol = choice.protocol
    session.encoding = protocol.make(settings.wordings)
    own = protocol.settings(session.suite.tasks.values())
    where = f"generation of protocol {protocol.name}"
    session.generation = resolve(Generation(), {**own, **settings.generation}, where=where)
    reader = settings.reader or protocol.reader
    headline = protocol.headline
    if reader == "lenient":
        reader, headline = protocol.reader, "lenient"
    elif settings.reader is not None:
        headline = "strict"
    session.judge = Judge(
        session.suite.tasks.values(),
        settings.scorer,
        reader,
        scorer_options=settings.scorer_options,
        lenient=READERS.get("lenient"),
    )
    session.choice = choice
    session.protocol = {**choice.describe(), "headline": headline, "reader": reader, "wordings": settings.wordings}
    session.stamp = {"protocol": protocol.name, "headline": headline}
    return session
