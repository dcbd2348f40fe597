"""What asking will take, before anything is asked: questions, tokens and dollars."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from taskloom.ask import make_request
from taskloom.core import Row
from taskloom.core.model import Price
from taskloom.run.session import Session

LETTERS = 4.0
"""Letters of English per token, where the model's tokenizer is elsewhere."""
_LOOKED_AT = 1_000
_AROUND = 8
"""Tokens of an answer beside the answer itself: "Answer:", an end."""
_MILLION = 1_000_000


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


def estimate(session: Session, rows: Iterable[Row], total: int | None = None) -> CostEstimate:
    """Look at the first rows as the model would be asked them.

    Args:
        session: The model and how it is asked.
        rows: The questions.
        total: How many there are; None for as many as `rows`.
    """
    model, generation, encoding = session.model, session.generation, session.asked_with()
    seen, prompt, output, count = 0, 0.0, 0.0, 0
    for row in rows:
        count += 1
        if seen == _LOOKED_AT:
            if total is not None:
                break
            continue
        seen += 1
        request = make_request(session.suite.tasks[row.task], row, encoding, model)
        length = model.length(request.prompt)
        prompt += len(request.prompt.text) / LETTERS if length is None else length
        output += min(generation.max_tokens, _AROUND + len(row.instance.targets.canonical()) / LETTERS)
    questions = (count if total is None else total) * session.settings.samples
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
