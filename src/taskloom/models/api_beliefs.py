"""Log-probabilities from servers: of whole texts where they echo the prompt, of first tokens in chats.

`/completions` with `echo` scores a prompt and an answer together, token by token: one request per
answer, any answer. `/chat/completions` with `logprobs` tells the likeliest first tokens only: one
request per prompt, and answers of one token that is among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import fsum, isfinite
from typing import Any

import msgspec

from taskloom.core import UserError
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Request
from taskloom.models.client import Client, converse
from taskloom.models.wires import COMPLETIONS, Reply, Wire

TOP = 20
"""The most alternatives that chat endpoints give."""

_DROPPED = "the server sent no log-probabilities this time"
_PROBE = "one two three"


def split_texts(prompt: Prompt, answer: str) -> tuple[str, str]:
    """The prompt and the answer as they are sent. Blanks between them belong to the answer, as tokenizers have it."""
    text = prompt.text.rstrip(" ")
    gap = "" if text.endswith("\n") or not text or answer.startswith((" ", "\n")) else " "
    return text, gap + answer


def echo_body(model: str, text: str) -> dict[str, Any]:
    """A request that has a text scored. Some servers refuse to generate nothing, so one token is, and is ignored."""
    return {"model": model, "prompt": text, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}


def score_echo(reply: Reply, prompt: str, answer: str) -> tuple[list[str], list[float]] | str:
    """The tokens of an answer with their log-probabilities, or a sentence that says why there are none."""
    if reply.state == "failed":
        return reply.error
    if not reply.scores:
        return _DROPPED
    offsets = [item.offset for item in reply.scores]
    if any(offset is None for offset in offsets):
        offsets = _offsets([item.token for item in reply.scores])
    begin, end = len(prompt), len(prompt) + len(answer)
    chosen = [(item, at) for item, at in zip(reply.scores, offsets, strict=True) if begin <= (at or 0) < end]
    if not chosen or chosen[0][1] != begin:
        return "the server joins the end of the prompt and the answer into one token, so the answer has no score"
    values = [item.logprob for item, _ in chosen]
    if not all(value is not None and isfinite(value) for value in values):
        return "the server sent log-probabilities that are not numbers"
    return [item.token for item, _ in chosen], [value for value in values if value is not None]


def _offsets(tokens: Sequence[str]) -> list[int | None]:
    """Where tokens begin, where the server does not say it: one after the other."""
    at, found = 0, []
    for token in tokens:
        found.append(at)
        at += len(token)
    return list(found)


class _Waiting(msgspec.Struct):
    """A request whose answers are under way."""

    answers: list[str]
    logprobs: dict[str, float] = {}
    tokens: dict[str, tuple[int | str, ...]] = {}
    errors: list[str] = []
    left: int = 0


def echo_beliefs(
    client: Client, model: str, asked: Iterable[tuple[Request, Sequence[str]]], extra: dict[str, Any]
) -> Iterator[list[tuple[int, Belief]]]:
    """Beliefs through `/completions` with `echo`; all requests go through one queue."""
    under_way: dict[int, tuple[int, str, str, str]] = {}
    waiting: dict[int, _Waiting] = {}
    empty: list[tuple[int, Belief]] = []

    def bodies() -> Iterator[dict[str, Any]]:
        number = 0
        for place, (request, answers) in enumerate(asked):
            if not answers:
                empty.append((place, Belief(ended=False)))
                continue
            # Known in full before the first is sent: its reply may come before the next is drawn.
            waiting[place] = _Waiting(list(answers), left=len(answers))
            for answer in answers:
                prompt, text = split_texts(request.prompt, answer)
                under_way[number] = (place, answer, prompt, text)
                number += 1
                yield {**echo_body(model, prompt + text), **extra}

    for group in converse(client, "/completions", bodies(), COMPLETIONS):
        ready = []
        for number, reply in group:
            place, answer, prompt, text = under_way.pop(number)
            state = waiting[place]
            found = score_echo(reply, prompt, text)
            if isinstance(found, str):
                state.errors.append(found)
            else:
                state.tokens[answer], state.logprobs[answer] = tuple(found[0]), fsum(found[1])
            state.left -= 1
            if not state.left:
                ready.append((place, _finished(waiting.pop(place))))
        if ready:
            yield ready
    if empty:
        yield empty


def _finished(state: _Waiting) -> Belief:
    if state.errors:
        return Belief(error=state.errors[0])
    in_order = {text: state.logprobs[text] for text in state.answers}
    return Belief(in_order, {text: state.tokens[text] for text in in_order}, ended=False)


def chat_body(body: dict[str, Any], length_key: str) -> dict[str, Any]:
    """A chat request that asks for the likeliest first tokens instead of an answer."""
    kept = {key: value for key, value in body.items() if key not in ("seed", "top_p", "stop")}
    return {**kept, length_key: 1, "temperature": 0, "logprobs": True, "top_logprobs": TOP}


def chat_belief(reply: Reply, answers: Sequence[str]) -> Belief:
    """Answers of one token among the likeliest first ones; with a blank in front where only that is there."""
    if reply.state == "failed":
        return Belief(error=reply.error)
    if not reply.scores:
        return Belief(error=_DROPPED)
    top = {**reply.scores[0].top}
    if reply.scores[0].logprob is not None:
        top.setdefault(reply.scores[0].token, reply.scores[0].logprob)
    logprobs: dict[str, float] = {}
    for answer in answers:
        spelled = answer if answer in top else f" {answer}"
        if spelled not in top:
            return Belief(
                error=f"{answer!r} is not among the {len(top)} most likely first tokens that the server returns; "
                "-M mode=completions scores any answer if the server echoes prompts"
            )
        logprobs[answer] = top[spelled]
    return Belief(logprobs, {answer: (answer,) for answer in answers}, ended=False)


def probe(client: Client, wire: Wire, model: str, extra: dict[str, Any], length_key: str, where: str) -> None:
    """Have one short text scored, to know before a run whether the server can.

    Raises:
        UserError: It cannot, with what it said.
    """
    if wire is COMPLETIONS:
        path, body = "/completions", echo_body(model, _PROBE)
    else:
        messages = [{"role": "user", "content": _PROBE}]
        path, body = "/chat/completions", chat_body({"model": model, "messages": messages}, length_key)
    [(_, reply)] = next(converse(client, path, [{**body, **extra}], wire))
    usable = reply.scores is not None and any(item.logprob is not None for item in reply.scores)
    if wire is COMPLETIONS:
        found = score_echo(reply, _PROBE[:3], _PROBE[3:]) if usable else _DROPPED
        usable = not isinstance(found, str)
    if usable:
        return
    said = f": {reply.error}" if reply.error else ""
    other = "chat" if wire is COMPLETIONS else "completions"
    raise UserError(
        f"the server does not provide log-probabilities on {path}{said}",
        where=where,
        hint=f"-M mode={other}, another server (vLLM echoes prompts), or --answer-by generate",
    )
