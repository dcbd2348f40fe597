"""The probability a model gives to a set of acceptable answers, computed exactly.

Accuracy asks whether the best guess is right; mass asks how much of the model's belief is. Each
answer is an event over token sequences, and events must be counted once:

* `whole`: the model says exactly this and then ends. Different answers exclude each other, so their
  probabilities add up, one being the beginning of another or not.
* `beginning`: what the model says begins with this. "new" then contains "new york" where the tokens
  agree, so only answers that extend no other acceptable answer's tokens are added.

Spelling is the tokenizer's own: other ways to cut the same string into tokens are not added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec

from taskloom.core import AnyOf, Boolean, Items, Product, Structure, Targets, UserError
from taskloom.core.encoding import Prompt
from taskloom.core.model import Model

Event: TypeAlias = Literal["whole", "beginning"]

_MOST_ANSWERS = 4_096


class Mass(msgspec.Struct, frozen=True):
    """The probability of a set of answers, and of each of them (which may overlap for `beginning`)."""

    value: float
    logprob: float
    answers: dict[str, float]


@runtime_checkable
class SpellsTokens(Protocol):
    """A model that shows how it spells answers, so that overlaps can be seen."""

    def prompt_ids(self, prompt: Prompt) -> list[int]: ...

    def answer_ids(self, prompt: Prompt, answer: str, *, end: bool | None = None) -> list[int]: ...

    def token_logprobs(
        self, prompts: Sequence[Sequence[int]], sequences: Sequence[Sequence[tuple[int, ...]]]
    ) -> list[list[list[float]]]: ...


def acceptable_answers(targets: Targets, limit: int = _MOST_ANSWERS) -> list[str]:
    """Every acceptable answer as text.

    Raises:
        UserError: There are more than `limit`; mass is summed answer by answer, and a product of sets
            can be larger than any sum.
    """
    if isinstance(targets, AnyOf):
        answers = list(targets.answers)
    elif isinstance(targets, Boolean):
        answers = [targets.canonical()]
    elif isinstance(targets, Product):
        count = math.prod(map(len, targets.slots))
        if count > limit:
            raise UserError(f"the acceptable answers are {count:,}, more than the {limit:,} whose mass is summed")
        answers = [targets.separator.join(words) for words in product(*targets.slots)]
    elif isinstance(targets, Items):
        answers = [targets.separator.join(spans) or targets.empty for spans in targets.alternatives]
    elif isinstance(targets, Structure):
        answers = list(targets.alternatives)
    answers = list(dict.fromkeys(answers))
    if len(answers) > limit:
        raise UserError(f"the acceptable answers are {len(answers):,}, more than the {limit:,} whose mass is summed")
    return answers


def union_logprob(spelled: Sequence[tuple[Sequence[Any], float]], event: Event) -> float:
    """The log-probability that one of several token sequences is said.

    Args:
        spelled: Sequences of tokens, as ids or as text (with their end token for `whole`) and their log-probabilities.
        event: Whether a sequence stands for itself alone or for everything that begins with it.
    """
    unique = {tuple(ids): logprob for ids, logprob in spelled}
    kept = list(unique.values())
    if event == "beginning":
        kept, last = [], None
        # In sorted order whatever extends a sequence comes right after it.
        for ids in sorted(unique):
            if last is None or ids[: len(last)] != last:
                kept.append(unique[ids])
                last = ids
    return _log_sum(kept)


def _log_sum(logprobs: Sequence[float]) -> float:
    highest = max(logprobs, default=-math.inf)
    if highest == -math.inf:
        return highest
    return highest + math.log(math.fsum(math.exp(value - highest) for value in logprobs))


def answer_mass(
    model: Model, prompts: Sequence[Prompt], answers: Sequence[Sequence[str]], *, event: Event = "whole"
) -> list[Mass]:
    """The mass a model puts on the acceptable answers of each prompt.

    Args:
        model: A model with log-probabilities.
        prompts: What is asked.
        answers: The acceptable answers to each prompt.
        event: What counts as giving an answer; `whole` needs a model that was taught to end.

    Raises:
        UserError: The model has no log-probabilities, or cannot show its spelling where that matters.
    """
    model.require("logprobs", "probability mass")
    if isinstance(model, SpellsTokens) and getattr(model, "architecture", "") not in ("classifier", "reader"):
        return _token_mass(model, prompts, answers, event)
    if event == "beginning":
        raise UserError(f"{model.identity.name} gives whole labels, so no answer begins with another")
    found = model.logprobs(prompts, [list(dict.fromkeys(texts)) for texts in answers])
    return [
        _mass(dict(zip(dict.fromkeys(texts), row, strict=True)), _log_sum(row))
        for texts, row in zip(answers, found, strict=True)
    ]


def _token_mass(
    model: SpellsTokens, prompts: Sequence[Prompt], answers: Sequence[Sequence[str]], event: Event
) -> list[Mass]:
    spelled = [
        {text: tuple(model.answer_ids(prompt, text, end=event == "whole")) for text in texts}
        for prompt, texts in zip(prompts, answers, strict=True)
    ]
    asked = [model.prompt_ids(prompt) for prompt in prompts]
    rows = model.token_logprobs(asked, [list(texts.values()) for texts in spelled])
    masses = []
    for texts, found in zip(spelled, rows, strict=True):
        logprobs = [math.fsum(tokens) for tokens in found]
        each = dict(zip(texts, logprobs, strict=True))
        masses.append(_mass(each, union_logprob(list(zip(texts.values(), logprobs, strict=True)), event)))
    return masses


def _mass(each: dict[str, float], logprob: float) -> Mass:
    # Rounding may carry a certain event a hair above one.
    return Mass(min(1.0, math.exp(logprob)), logprob, {text: math.exp(value) for text, value in each.items()})
