"""What a study would cost, before anything is run: runs, tokens, and hours of a GPU."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from math import ceil, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import msgspec

from taskloom.adapt.curves import read_curve
from taskloom.adapt.data import evaluation_interval, planned_updates, rows_to_watch
from taskloom.adapt.make import make_adaptation
from taskloom.adapt.settings import TrainingSettings
from taskloom.ask import LETTERS, priced
from taskloom.core import EmptySuiteError, Suite, UserError, digest
from taskloom.core.decode import read_json, read_toml
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation
from taskloom.core.study import Table, Value
from taskloom.models.prices import price_of
from taskloom.models.runtime import LOGGER
from taskloom.run.columns import grouped
from taskloom.run.session import open_session
from taskloom.studies.findings import left_out, table_of
from taskloom.studies.grid import WITHOUT_WEIGHTS, Arm, GridRecipe, RunStore, unique

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([mb])\b", re.IGNORECASE)
_HERE = Path(__file__).parent
_SIZES = read_toml(_HERE / "model_sizes.toml", type=dict[str, dict[str, float]])
_OPERATIONS = 1.25e14
"""Useful operations of one GPU per second: 40 % of the 312 × 10¹² of an A100 in bf16."""
_LOOKED_AT, _COUNTED = 16, 600
"""Rows of a suite whose length and whose tasks are looked at."""
_OPENED = 12
"""Suites of a family that are opened; more of them are taken to be like these."""


def measured_costs(study: str) -> dict[str, str]:
    """What a study was measured to cost at each scale, in words; nothing where it was not measured."""
    seconds = {scale: found[study] for scale, found in measured_seconds().items() if study in found}
    return {scale: f"{cpu:.0f} CPU s" if cpu < 100 else f"{cpu / 60:.1f} CPU min" for scale, cpu in seconds.items()}


@cache
def measured_seconds() -> dict[str, dict[str, float]]:
    """CPU seconds by scale and study, each from an empty shelf."""
    return read_json(_HERE / "measured_costs.json", type=dict[str, dict[str, float]])


def needed(tiny: GridRecipe, paper: GridRecipe) -> str:
    """What a study needs to be installed for its tiny scale, and which models it would fetch at the paper's.

    Example:
        >>> needed(GridRecipe(models=("tiny/bidaf",)), GridRecipe(models=("tiny/bidaf", "hf/google-t5/t5-base")))
        'taskloom[train], and at paper scale hf/google-t5/t5-base'
    """
    weights = "".join(f", {model}" for model in tiny.models if model.startswith("packaged/"))
    fetched = [model for model in paper.models if model.startswith("hf/")]
    named = fetched[0] if len(fetched) == 1 else f"{len(fetched)} models ({fetched[0]} …)" if fetched else ""
    return f"taskloom[train]{weights}" + (f", and at paper scale {named}" if named else "")


def parameters(model: str) -> float | None:
    """Parameters of a model in billions, by its name; None where the name does not tell."""
    name = model.rpartition("/")[2].lower()
    for known in sorted(_SIZES["named"], key=len, reverse=True):
        if known in name and not (known == "gpt2" and name != "gpt2"):
            return _SIZES["named"][known]
    sizes = [float(number) / (1 if unit.lower() == "b" else 1000) for number, unit in _SIZE.findall(name)]
    return max(sizes) if sizes else None


def passed(model: str) -> float | None:
    """Parameters in billions that a token passes, on which the work depends; 0 for models without weights."""
    if model.startswith(WITHOUT_WEIGHTS):
        return 0.0
    repeated = max((name for name in _SIZES["repeated"] if name in model), key=len, default=None)
    return _SIZES["repeated"][repeated] if repeated else parameters(model)


def _nameless(arm: Arm) -> Arm:
    """An arm without the factors that tables call it by."""
    return msgspec.structs.replace(arm, factors={}, after=_nameless(arm.after) if arm.after else None)


class SuiteMeasure(NamedTuple):
    """What the first rows of a suite say of all: tokens of an input and of an answer, rows by split, tasks (asked)."""

    inputs: float
    outputs: float
    rows: dict[str, float]
    tasks: float
    asked: float


class Cost(NamedTuple):
    """What one run takes.

    Attributes:
        arm: The run.
        asked: Tokens read and written when the model is asked, evaluations while training included.
        trained: Tokens trained on, answers and soft prompts included.
        hours: Hours of a GPU; None where the model's size is not known.
        dollars: What a server charges; None where the model has no price.
    """

    arm: Arm
    asked: float
    trained: float
    hours: float | None
    dollars: float | None = None


class MachineRate(NamedTuple):
    """How fast this machine is, from one short training on it.

    Attributes:
        model: The model that was trained.
        start: CPU seconds until it could begin, once for all trainings of a process.
        trained: CPU seconds per token trained on.
        asked: CPU seconds per token asked.
        operations: Useful operations of large models per CPU second; those that were not timed are taken to be as fast.
    """

    model: str
    start: float
    trained: float
    asked: float
    operations: float

    def hours(self, cost: Cost) -> float | None:
        """CPU hours of a run here; None where the size of its model is not known."""
        if next(cost.arm.line()).run.model == self.model:
            return (self.trained * cost.trained + self.asked * cost.asked) / 3600
        return None if cost.hours is None else cost.hours * _OPERATIONS / self.operations


_TIMED = 4
"""Updates of the training that is timed; the first half warms up."""
_DRAWN = 2_000
"""Rows of each split that it may draw: to collect the words of all that a paper has takes longer than all the rest."""


def time_training(arm: Arm, shelf: RunStore) -> MachineRate:
    """Carry out the first updates of a training in a folder of its own and see how long they take."""
    options = {
        **arm.run.adapt_options, "updates": _TIMED, "evaluate_updates": _TIMED // 2, "evaluate_limit": 1,
        "epochs": 1e6, "keep": "last", "dev": "none", "test": "none", "restarts": 1, "stop_when_perfect": False,
    }  # fmt: skip
    # Weights that have yet to be pre-trained are as fast as others.
    model_options = {name: value for name, value in arm.run.model_options.items() if name != "pretrained"}
    run = msgspec.structs.replace(arm.run, adapt_options=options, model_options=model_options)
    suite = shelf.suite(arm).take(_DRAWN)
    adaptation = make_adaptation(run.adapt, options)
    assert isinstance(adaptation, TrainingSettings)
    with tempfile.TemporaryDirectory() as folder:
        import torch  # noqa: F401 - its import is no part of a training

        began = time.process_time()
        session = open_session(suite, run)
        adaptation.adapt(session.model, suite, session.encoding, Path(folder), seed=run.run_seed)
        spent = time.process_time() - began
        first, middle, last = read_curve(Path(folder) / "curve.jsonl")
    per_row = first.cpu / max(1, sum(first.counts.values()))
    looked = per_row * sum(last.counts.values())
    update = max(last.cpu - middle.cpu - looked, 1e-6) / (last.update - middle.update)
    measure = _measure(arm, shelf)
    length = measure.inputs + measure.outputs
    tokens = adaptation.batch * (length + float(getattr(adaptation, "tokens", 0)))
    return MachineRate(run.model, max(0.0, spent - last.cpu), update / tokens, per_row / length, _multiplying())


def _timed(trainings: Sequence[Arm], shelf: RunStore) -> MachineRate | None:
    """How fast this machine is, from the smallest model that is trained and soon opened; None where nothing is."""
    here = [arm for arm in trainings if arm.run.model.startswith(("tiny/", "packaged/")) and arm.after is None]
    small = [arm for arm in here if (passed(arm.run.model) or 1.0) < _LARGE]
    try:
        if small:
            return time_training(min(small, key=lambda arm: passed(arm.run.model) or 0.0), shelf)
        return MachineRate("", 0.0, 0.0, 0.0, _multiplying()) if trainings else None
    except (UserError, ImportError) as error:
        LOGGER.warning("the machine was not timed: %s", error)
        return None


def _multiplying() -> float:
    """Useful operations per CPU second of large models: half of what multiplying matrices alone reaches."""
    import torch

    first, second = torch.ones(256, 1024), torch.ones(1024, 1024)
    torch.mm(first, second)
    done, began = 0, time.process_time()
    while (spent := time.process_time() - began) < _MULTIPLYING:
        torch.mm(first, second)
        done += 1
    return 0.5 * done * 2 * 256 * 1024 * 1024 / spent


_LARGE = 0.1
"""Billions of parameters from which opening a model takes longer than a dry run should, and from which time follows
operations: packaged/smollm2 with LoRA did 5.1e10 a second where matrices are multiplied with 1.07e11."""
_MULTIPLYING = 0.2


def _key(arm: Arm) -> bytes:
    return msgspec.json.encode((arm.suite, arm.options, arm.run.encoding, arm.run.encoding_options))


def _measures(arms: Sequence[Arm], shelf: RunStore) -> tuple[dict[bytes, SuiteMeasure], list[str], float]:
    """A measure for every suite, the names of those that were opened and are empty, and the error of the means.

    Of many suites of a family some are opened, the same ones every time; the others are taken to be like them.
    """
    named = {_key(arm): arm for arm in arms}
    by_family = grouped(((arm.suite.partition("/")[0], arm.run.encoding), key) for key, arm in named.items())
    found: dict[bytes, SuiteMeasure] = {}
    empty, errors = [], [0.0]
    for keys in by_family.values():
        opened: dict[bytes, SuiteMeasure] = {}
        for key in sorted(keys, key=lambda key: digest("cost", key.hex()))[:_OPENED]:
            try:
                opened[key] = _measure(named[key], shelf)
            except EmptySuiteError:
                empty.append(named[key].suite)
        if not opened:
            continue
        like = _average(list(opened.values()))
        found |= {key: opened.get(key, like) for key in keys if key in opened or len(keys) > _OPENED}
        if len(keys) > _OPENED and len(opened) > 1 and like.inputs + like.outputs:
            lengths = [one.inputs + one.outputs for one in opened.values()]
            errors.append(stdev(lengths) / sqrt(len(lengths)) / fmean(lengths))
    return found, empty, max(errors)


def _average(measured: Sequence[SuiteMeasure]) -> SuiteMeasure:
    splits = {split for one in measured for split in one.rows}
    rows = {split: fmean(one.rows.get(split, 0) for one in measured) for split in splits}
    inputs, outputs, tasks, asked = (
        fmean(column) for column in zip(*(one[:2] + one[3:] for one in measured), strict=True)
    )
    return SuiteMeasure(inputs, outputs, rows, tasks, asked)


def _measure(arm: Arm, shelf: RunStore) -> SuiteMeasure:
    suite, run = shelf.suite(arm), arm.run
    tasks = len(suite.tasks)
    if not tasks:
        raise EmptySuiteError("no task", where=arm.suite)
    # Without an encoding of its own a fitted model reads the input; with one, the instruction and examples too.
    encoding = make_encoding(run.encoding, run.encoding_options) if run.encoding else None
    split = run.split or suite.default_split()
    rows = list(islice(suite.rows(split), _LOOKED_AT))
    # Only where a limit is one of each task it matters that a split may have fewer of them than the suite.
    asked = len({row.task for row in islice(suite.rows(split), _COUNTED)}) if run.limit and tasks > 1 else tasks
    texts = [
        encoding.encode(suite.tasks[row.task], row.instance).text if encoding else row.instance.input for row in rows
    ]
    answers = [row.instance.targets.canonical() for row in rows]
    inputs, outputs = (sum(map(len, said)) / LETTERS / max(1, len(said)) for said in (texts, answers))
    # An answer ends with a token of its own.
    return SuiteMeasure(inputs, outputs + 1, {name: rows_of(suite, name) for name in suite.splits}, tasks, asked)


def _cost(arm: Arm, suite: SuiteMeasure) -> Cost:
    run = arm.run
    each = 1.0 if arm.task is not None else suite.tasks
    rows = suite.rows.get(run.split or "test", 0.0) / (suite.tasks if arm.task is not None else 1)
    if run.limit:
        rows = min(rows, run.limit * (1.0 if arm.task is not None else suite.asked))
    length = suite.inputs + suite.outputs
    adaptation = make_adaptation(run.adapt, run.adapt_options)
    examples = looked = soft = 0.0
    passes = 6.0
    if isinstance(adaptation, TrainingSettings):
        given = sum(suite.rows.get(split, 0.0) for split in adaptation.splits)
        given = min(given, adaptation.shots * each) if adaptation.shots is not None else given
        if not given:
            raise UserError(f"split {' + '.join(adaptation.splits)} has no rows to train on", where=arm.suite)
        per_epoch, updates = planned_updates(adaptation, ceil(given))
        examples = min(float(updates * adaptation.batch), adaptation.epochs * given) * adaptation.trials
        splits = 1 + (adaptation.dev != "none") + (adaptation.test != "none")
        watched = splits * min(rows_to_watch(adaptation, ceil(given)), max(given, 1.0))
        interval = evaluation_interval(adaptation, per_epoch, updates, round(watched))
        looked = ceil(updates / interval) * watched * adaptation.trials
        soft = float(getattr(adaptation, "tokens", 0))
        # Frozen weights get no gradients of their own.
        passes = 6.0 if adaptation.name == "finetune" else 4.0
    asked, trained = (rows + looked) * length, examples * (length + soft)
    model = next(arm.line()).run.model
    size = passed(model)
    hours = None if size is None else (2 * asked + passes * trained) * size * 1e9 / _OPERATIONS / 3600
    provider, _, name = model.partition("/")
    price = price_of(provider, name)
    longest = int(run.generation.get("max_tokens", Generation().max_tokens))
    dollars = None if price is None else priced(round(rows), suite.inputs, longest, longest, price).most_cost
    return Cost(arm, asked, trained, hours, dollars)


def rows_of(suite: Suite, split: str) -> int:
    """How many rows a split has; where it does not know before they are drawn, what its recipe asks for per task."""
    size = suite.splits.get(split)
    if size is not None:
        return size
    wanted = suite.recipe.get(split)
    return wanted * len(suite.tasks) if isinstance(wanted, int) else 0


def cost_table(arms: list[Arm], shelf: RunStore, *, timed: bool = False) -> Table:
    """Runs, tokens and hours by model, and in all; `timed` carries out a few updates to see how fast the machine is."""
    different = unique(map(_nameless, arms))
    measured, empty, error = _measures(different, shelf)
    possible = [arm for arm in different if all(_key(one) in measured for one in arm.line())]
    # To know a run by its place takes its rows: of very many suites that would take longer than the rest.
    known = shelf.root.is_dir() and len(measured) <= _OPENED * 10
    runs = {shelf.place(arm): arm for arm in possible} if known else dict(enumerate(possible))
    missing = [arm for arm in runs.values() if not (known and shelf.has(arm))]
    costs = [_cost(arm, measured[_key(arm)]) for arm in missing]
    by_model = grouped((next(cost.arm.line()).run.model, cost) for cost in costs)
    rate = _timed([cost.arm for cost in costs if cost.trained], shelf) if timed else None
    rows: list[tuple[Value, ...]] = [(model, *_sums(group, rate)) for model, group in by_model.items()]
    rows.append(("all", *_sums(costs, rate)))
    looked = f"{len(runs) - len(missing):,} of {len(runs):,} runs are on the shelf already."
    if shelf.root.is_dir() and not known:
        looked = "The shelf was not searched for so many suites."
    priced_ones = any(cost.dollars is not None for cost in costs)
    if priced_ones:
        groups = zip(rows, [*by_model.values(), costs], strict=True)
        rows = [(*row, sum(c.dollars for c in group if c.dollars is not None) or None) for row, group in groups]
    return table_of(
        "cost", rows, looked=looked, letters=LETTERS, opened=_OPENED, error=f"{200 * error:.0f}",
        operations=_OPERATIONS, dollars=["dollars"] if priced_ones else [], here=["CPU hours here"] if rate else [],
        timed="" if rate is None else _RATE.format(updates=_TIMED, model=rate.model) if rate.model else _UNTIMED,
        prices=_PRICES if priced_ones else "", left_out=" ".join(left_out(empty)),
    )  # fmt: skip


_RATE = (
    " CPU hours here: from {updates} updates of {model} on this machine; within a factor of two for this model, of "
    "three for others, whose time is taken to follow their operations."
)
_UNTIMED = " CPU hours here: by their operations and how fast this machine multiplies, within a factor of three."
_PRICES = " Dollars: every answer as long as it may be, by the prices of `prices.toml`."


def _total(numbers: Iterable[float | None]) -> float | None:
    known = list(numbers)
    return None if None in known else sum(number for number in known if number is not None)


def _sums(costs: list[Cost], rate: MachineRate | None) -> tuple[Value, ...]:
    here = (_total([*map(rate.hours, costs), rate.start / 3600]),) if rate else ()
    trainings = sum(cost.trained > 0 for cost in costs)
    return (
        len(costs),
        trainings,
        round(sum(c.asked for c in costs)),
        round(sum(c.trained for c in costs)),
        _total(c.hours for c in costs),
        *here,
    )
