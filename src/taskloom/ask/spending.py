"""Money: what asking may cost at most, and what it will cost judging by the answers so far."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import fsum

from taskloom.core import UserError
from taskloom.core.model import Generation, Model, Output, Request

LOGGER = logging.getLogger("taskloom.ask")

MEASURED = 50
"""Answers after which an estimate is replaced by what was measured."""
_MILLION = 1_000_000


class Spending:
    """Keeps what is spent, together with the most that requests under way can cost, below a limit in dollars."""

    def __init__(self, most: float) -> None:
        self.most, self.spent, self.answers = most, 0.0, 0
        self._reserved: dict[int, tuple[float, int]] = {}
        self._density, self._densest = 1.0, 0.0  # tokens per byte of a prompt: no tokenizer makes more than one

    def reserve(self, model: Model, request: Request, generation: Generation) -> bool:
        """Set aside what a request can cost at most; False if that would exceed the limit.

        Raises:
            UserError: The model's price is not known, so no limit can be kept.
        """
        price = model.price
        if price is None:
            raise UserError(
                f"the price of {model.identity.name} is not known, so a limit of costs cannot be kept",
                where="--max-cost",
                hint="-M price_in=… -M price_out=… (dollars per million tokens), or -M prices=FILE.toml",
            )
        text = len(request.prompt.text.encode("utf-8", "replace")) + 16 * (2 + len(request.prompt.messages))
        prompt = text * self._density + price.beside
        output = generation.max_tokens + price.thinking
        dearest = max(price.input, price.written or 0.0)
        wanted = (prompt * dearest + output * price.output) / _MILLION
        if self.spent + fsum(each for each, _ in self._reserved.values()) + wanted > self.most:
            return False
        self._reserved[id(request)] = wanted, text
        return True

    def settle(self, request: Request, output: Output) -> None:
        """Count what an answer did cost: what was set aside, where the server gave an answer and no count."""
        wanted, text = self._reserved.pop(id(request), (0.0, 1))
        self.spent += (wanted if output.state != "failed" else 0.0) if output.cost is None else output.cost
        self.answers += 1
        self._densest = max(self._densest, (output.prompt_tokens or 0) / text)
        if self.answers >= MEASURED and self._densest:
            self._density = min(1.0, 1.2 * self._densest)

    def refused(self) -> UserError:
        """What to say when nothing more can be asked."""
        return UserError(
            f"the limit of ${self.most:,.2f} is reached: ${self.spent:,.4f} are spent, and one more question could "
            "exceed it",
            where="--max-cost",
            hint="what was answered is kept; the same command with a larger --max-cost goes on",
        )


_now: ContextVar[Spending | None] = ContextVar("spending", default=None)


@contextmanager
def spending(most: float | None) -> Iterator[None]:
    """Within this, asking stops before it has cost more than a limit in dollars; None for no limit."""
    if most is not None and not 0 < most < float("inf"):
        raise UserError(f"a limit is above 0, not {most}", where="--max-cost")
    token = _now.set(None if most is None else Spending(most))
    try:
        yield
    finally:
        _now.reset(token)


def spending_now() -> Spending | None:
    """The limit in force."""
    return _now.get()


class Meter:
    """Says after some answers what all of them will cost, where it is known how many there will be."""

    def __init__(self, total: int | None) -> None:
        self._total, self._costs, self._said = total, [0.0], False

    def add(self, outputs: Iterable[Output]) -> None:
        """Take answers in."""
        if self._said or self._total is None:
            return
        self._costs += [output.cost for output in outputs if output.cost is not None]
        seen = len(self._costs) - 1
        if seen >= MEASURED:
            self._said = True
            cost = fsum(self._costs)
            whole = cost / seen * self._total
            LOGGER.warning("%d answers cost $%.4f: all %d will cost about $%.4f", seen, cost, self._total, whole)
