"""What models cost: tables of prices with their dates, ours or the user's."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

import msgspec

from taskloom.core.decode import read_toml
from taskloom.core.model import Price
from taskloom.models.wires.wire import Usage

_MILLION = 1_000_000
_SNAPSHOT = re.compile(r"-(?:latest|\d{3,4}|\d{6}|\d{8}|\d{4}-\d{2}-\d{2})")
"""What providers put behind a name for one state of the model; anything else is another model at another price."""


class PricedModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a table, in dollars per million tokens."""

    provider: str
    model: str
    input: float
    output: float
    dated: date
    cached: float | None = None
    written: float | None = None
    batch: float = 1.0

    def covers(self, provider: str, model: str) -> bool:
        """Whether this is the price of a model: of that name, or of a snapshot of it."""
        if self.provider != provider or not model.startswith(self.model):
            return False
        rest = model[len(self.model) :]
        return not rest or _SNAPSHOT.fullmatch(rest) is not None


def price_of(provider: str, model: str, table: str = "") -> Price | None:
    """The price of a model by our table, or by a file of the user's in the same form; None where it is not listed.

    Raises:
        UserError: The file cannot be read as a table of prices.
    """
    for one in _table(table):
        if one.covers(provider, model):
            return Price(
                input=one.input, output=one.output, cached=one.cached, written=one.written, batch=one.batch,
                dated=one.dated.isoformat(),
            )  # fmt: skip
    return None


@cache
def _table(path: str) -> tuple[PricedModel, ...]:
    tables = read_toml(Path(path or Path(__file__).with_name("prices.toml")), type=dict[str, tuple[PricedModel, ...]])
    return tables.get("price", ())


def cost_of(price: Price, usage: Usage, *, batch: bool = False) -> float | None:
    """The cost of an exchange in dollars, rounded once; None where a count that costs something is missing."""
    read, written = usage.cached or 0, usage.written or 0
    fresh = None if usage.prompt is None else usage.prompt - read - written
    total = Decimal(0)
    parts = (
        (price.input, fresh),
        (price.input if price.cached is None else price.cached, read),
        (price.input if price.written is None else price.written, written),
        (price.output, usage.output),
    )
    for each, tokens in parts:
        if each:
            if tokens is None:
                return None
            total += Decimal(str(each)) * tokens
    return float(total / _MILLION * Decimal(str(price.batch if batch else 1.0)))
