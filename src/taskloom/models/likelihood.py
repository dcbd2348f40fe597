"""Answering by likelihood: the model weighs every possible answer, and the likeliest one is its answer.

Nothing is generated, so nothing has to be read out of what was said; and the weights of the acceptable
answers together are the model's probability mass. Accuracy asks whether the best guess is right; mass asks how much of
the model's belief is. Each answer is an event over token sequences, and events must be counted once:

* `whole`: the model says exactly this and then ends. Different answers exclude each other, so their
  probabilities add up, one being the beginning of another or not.
* `beginning`: what the model says begins with this. "new" then contains "new york" where the tokens
  agree, so only answers that extend no other acceptable answer's tokens are added.

Spelling is the tokenizer's own: other ways to cut the same string into tokens are not added.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.core import (
    Instance,
    Instruction,
    Product,
    Recipe,
    Targets,
    Task,
    UserError,
    acceptable_texts,
    any_of,
)
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Model, Output, Request

AnswerBy: TypeAlias = Literal["generate", "likelihood"]
Normalise: TypeAlias = Literal["raw", "token", "byte"]


class Weights(Recipe, frozen=True, kw_only=True):
    """How answers are found and weighed; part of a run's plan.

    Attributes:
        answer_by: "generate" lets the model write; "likelihood" takes the likeliest of a task's labels or candidates.
        normalise: What log-probabilities are divided by before they are compared: nothing ("raw"), the answer's
            tokens, or its bytes. Long answers are unlikely as such; dividing makes up for it.
        mass: Whether the probability mass of the acceptable answers is recorded.
    """

    answer_by: AnswerBy = "generate"
    normalise: Normalise = "raw"
    mass: bool = False

    def given(self) -> dict[str, Any]:
        """What differs from simply letting the model write."""
        return {key: value for key, value in msgspec.to_builtins(self).items() if value != getattr(Weights(), key)}


Event: TypeAlias = Literal["whole", "beginning"]
"""What counts as saying an answer: exactly it and then the end, or anything that begins with it."""

_MOST_ANSWERS = 4_096


def acceptable_answers(targets: Targets) -> list[str]:
    """Every acceptable answer as text; none where they are too many to be summed one by one."""
    if not isinstance(targets, Product):
        answers = list(dict.fromkeys(acceptable_texts(targets)))
    elif math.prod(map(len, targets.slots)) <= _MOST_ANSWERS:
        answers = list(dict.fromkeys(targets.separator.join(words) for words in product(*targets.slots)))
    else:
        return []
    return answers if len(answers) <= _MOST_ANSWERS else []


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
        # In sorted order, all extensions of a sequence come right after it.
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


def candidates_of(request: Request) -> tuple[str, ...]:
    """What a request may be answered with: the instance's own candidates, else the labels of its task."""
    own = request.instance.details.get("candidates", ())
    return tuple(dict.fromkeys(map(str, own))) if own else request.task.labels


def mass_parts(instance: Instance) -> dict[str, tuple[str, ...]]:
    """The parts of a balanced union with their own acceptable answers; empty for other instances."""
    found = {name: instance.details.get(name) for name in ("first", "second")}
    return {name: tuple(answers) for name, answers in found.items() if isinstance(answers, list | tuple)}


def check_weights(model: Model, weights: Weights, requests: Iterable[Request]) -> None:
    """Refuse what cannot be weighed before anything is asked.

    Raises:
        UserError: The model has no log-probabilities, or a request has nothing to choose among.
    """
    if weights.answer_by == "generate" and not weights.mass:
        return
    model.require("logprobs", "--answer-by likelihood" if weights.answer_by == "likelihood" else "--mass")
    for request in requests if weights.answer_by == "likelihood" else ():
        if not candidates_of(request):
            raise UserError(
                f"task {request.task.name} has neither labels nor candidates to choose among",
                where="--answer-by likelihood",
                hint="--answer-by generate --mass records how likely its acceptable answers are",
            )


def normalised(logprob: float, text: str, tokens: int, how: Normalise) -> float:
    """A log-probability divided as the plan says."""
    if how == "byte":
        return logprob / max(1, len(text.encode("utf-8", "surrogatepass")))
    return logprob / max(1, tokens) if how == "token" else logprob


def judge_belief(belief: Belief, request: Request, weights: Weights) -> Output:
    """The likeliest candidate as an output, with the mass of the acceptable answers."""
    if belief.error:
        return Output("", "failed", belief.error)
    candidates = candidates_of(request)

    def value(text: str) -> float:
        return normalised(belief.logprobs[text], text, len(belief.tokens.get(text, ("",))), weights.normalise)

    values = {text: value(text) for text in candidates}
    # The first of equals, so that the order of the labels decides and not that of a dictionary.
    best = max(candidates, key=values.__getitem__)
    # JSON has no infinities: an impossible answer has no likelihood.
    possible = {text: number for text, number in values.items() if math.isfinite(number)}
    return with_mass(Output(best, likelihood=possible), belief, request)


def with_mass(output: Output, belief: Belief, request: Request) -> Output:
    """The output with the mass of the acceptable answers, of the best one, and both for each part of a union."""
    if belief.error:
        return msgspec.structs.replace(output, error=output.error or f"no probability mass: {belief.error}")
    answers = acceptable_answers(request.instance.targets)
    if not answers:
        return output
    best = max(belief.logprobs[text] for text in answers)
    mass = {"all": _mass(belief, answers), "best": min(1.0, math.exp(best))}
    sides = mass_parts(request.instance)
    parts = {name: _mass(belief, texts) for name, texts in sides.items()}
    # The likeliest answer of each part alone: a part with more answers has more mass for that reason already.
    best_of = {name: max(texts, key=belief.logprobs.__getitem__) for name, texts in sides.items() if texts}
    parts |= {f"{name} best": _mass(belief, [text]) for name, text in best_of.items()}
    return msgspec.structs.replace(output, mass={**mass, **parts})


def _mass(belief: Belief, answers: Sequence[str]) -> float:
    known = [(belief.tokens.get(text, (text,)), belief.logprobs[text]) for text in dict.fromkeys(answers)]
    # Rounding may carry a certain event a hair above one.
    return min(1.0, math.exp(union_logprob(known, "whole" if belief.ended else "beginning")))


def candidate_logprobs(
    model: Model, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]], *, end: bool | None = None
) -> list[list[float]]:
    """The log-probability that a model gives to each candidate as the answer to a bare prompt.

    Raises:
        UserError: The model cannot weigh one of them.
    """
    task = Task("", Instruction(""))
    asked = [
        (Request(prompt, task, Instance("", prompt.text, any_of(""))), texts)
        for prompt, texts in zip(prompts, candidates, strict=True)
    ]
    found = dict(pair for group in model.beliefs(asked, end=end) for pair in group)
    for belief in found.values():
        if belief.error:
            raise UserError(belief.error, where=model.identity.name)
    return [[found[place].logprobs[text] for text in texts] for place, texts in enumerate(candidates)]


class RemoteModel(Model):
    """A model in other processes, where answers are also weighed."""

    @abstractmethod
    def outputs(
        self, requests: Iterable[Request], generation: Generation, weights: Weights
    ) -> Iterator[list[tuple[int, Output]]]:
        """Answers with the places of their requests, as they come, found and weighed as `weights` says."""


def outputs(
    model: Model, requests: Iterable[Request], generation: Generation, weights: Weights
) -> Iterator[list[tuple[int, Output]]]:
    """Answers with the places of their requests, as they come, found and weighed as `weights` says."""
    if isinstance(model, RemoteModel):
        yield from model.outputs(requests, generation, weights)
    elif weights.answer_by == "likelihood":
        yield from _by_likelihood(model, requests, weights)
    elif weights.mass:
        yield from _with_masses(model, requests, generation)
    else:
        yield from model.stream(requests, generation)


def _wanted(request: Request, candidates: Sequence[str]) -> list[str]:
    answers = acceptable_answers(request.instance.targets)
    parts = (text for texts in mass_parts(request.instance).values() for text in texts)
    return list(dict.fromkeys((*candidates, *answers, *parts)))


def _by_likelihood(model: Model, requests: Iterable[Request], weights: Weights) -> Iterator[list[tuple[int, Output]]]:
    under_way: dict[int, Request] = {}

    def asked() -> Iterator[tuple[Request, list[str]]]:
        for index, request in enumerate(requests):
            under_way[index] = request
            yield request, _wanted(request, candidates_of(request))

    for group in model.beliefs(asked()):
        yield [(index, judge_belief(belief, under_way.pop(index), weights)) for index, belief in group]


def _with_masses(
    model: Model, requests: Iterable[Request], generation: Generation
) -> Iterator[list[tuple[int, Output]]]:
    waiting, start = iter(requests), 0
    while chunk := list(islice(waiting, model.limits.batch)):
        answered = dict(pair for group in model.stream(chunk, generation) for pair in group)
        weighed = dict(pair for group in model.beliefs((r, _wanted(r, ())) for r in chunk) for pair in group)
        yield [
            (start + place, with_mass(answered[place], weighed[place], request)) for place, request in enumerate(chunk)
        ]
        start += len(chunk)
