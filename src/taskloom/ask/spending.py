"""Money: what asking will cost by the look of its prompts, judging by the answers so far, and what it may at most."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from math import fsum

import msgspec

from taskloom.core import Row, Task, UserError
from taskloom.core.encoding import Encoding
from taskloom.core.model import Generation, Model, Output, Price, Request

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
        """Count the costs of more answers, and say once what the whole run will cost."""
        if self._said or self._total is None:
            return
        self._costs += [output.cost for output in outputs if output.cost is not None]
        seen = len(self._costs) - 1
        if seen >= MEASURED:
            self._said = True
            cost = fsum(self._costs)
            whole = cost / seen * self._total
            LOGGER.warning("%d answers cost $%.4f: all %d will cost about $%.4f", seen, cost, self._total, whole)


LETTERS = 4.0
"""Letters of English per token, where the model's tokenizer is elsewhere."""
_LOOKED_AT = 1_000
_AROUND = 8
"""Tokens of an answer beside the answer itself: "Answer:", an end."""


class CostEstimate(msgspec.Struct, frozen=True):
    """What some questions will take.

    Attributes:
        questions: How many, samples included.
        prompt_tokens: Tokens of all prompts.
        output_tokens: Tokens of all answers, if the model says no more than it must.
        most_output_tokens: The same if every answer is as long as it may be.
        cost: Dollars by the first count; None where the price is not known.
        most_cost: Dollars by the second.
        dated: When the price was looked up.
    """

    questions: int
    prompt_tokens: int
    output_tokens: int
    most_output_tokens: int
    cost: float | None = None
    most_cost: float | None = None
    dated: str = ""

    def sentence(self) -> str:
        """In words."""
        text = (
            f"{self.questions:,} questions, about {self.prompt_tokens:,} prompt tokens and {self.output_tokens:,} to "
            f"{self.most_output_tokens:,} answer tokens"
        )
        if self.cost is None or self.most_cost is None:
            return f"{text}; the price of the model is not known (-M price_in, price_out or prices)"
        price = f", prices of {self.dated}" if self.dated else ""
        return f"{text}: ${self.cost:,.4f} to ${self.most_cost:,.4f}{price}"


def estimate_cost(
    model: Model,
    encoding: Encoding,
    generation: Generation,
    tasks: Mapping[str, Task],
    rows: Iterable[Row],
    *,
    samples: int = 1,
    total: int | None = None,
) -> CostEstimate:
    """Look at the first rows as the model would be asked them.

    Args:
        model: Who is asked.
        encoding: How rows become prompts.
        generation: How answers are generated.
        tasks: The tasks of the rows.
        rows: The questions.
        samples: How often each is asked.
        total: How many there are; None for as many as `rows`.
    """
    seen, prompt, output, count = 0, 0.0, 0.0, 0
    for row in rows:
        count += 1
        if seen == _LOOKED_AT:
            if total is not None:
                break
            continue
        seen += 1
        shown = encoding.encode(tasks[row.task], row.instance, tokenizer=model.tokenizer)
        length = model.length(shown)
        prompt += len(shown.text) / LETTERS if length is None else length
        output += min(generation.max_tokens, _AROUND + len(row.instance.targets.canonical()) / LETTERS)
    questions = (count if total is None else total) * samples
    return priced(questions, prompt / max(1, seen), output / max(1, seen), generation.max_tokens, model.price)


def priced(questions: int, prompt: float, output: float, most: float, price: Price | None) -> CostEstimate:
    """An estimate from tokens per question."""
    prompts, outputs, longest = round(questions * prompt), round(questions * output), round(questions * most)
    if price is None:
        return CostEstimate(questions, prompts, outputs, longest)
    read = (prompts + questions * price.beside / LETTERS) * price.input
    longest += questions * price.thinking
    least, most_cost = ((read + tokens * price.output) / _MILLION for tokens in (outputs, longest))
    return CostEstimate(questions, prompts, outputs, longest, least, most_cost, price.dated)
