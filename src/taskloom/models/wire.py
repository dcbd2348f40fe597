"""What OpenAI-compatible servers send back, read leniently where they differ and strictly where it matters."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_json

__all__ = [
    "Fault",
    "MalformedAnswerError",
    "Reply",
    "TokenScore",
    "fault_of",
    "read_answer",
    "retry_after",
]

Mode: TypeAlias = Literal["chat", "completions"]

_READ_OF_ERRORS = 100_000
"""Bytes of an error answer that are looked at. Nothing is shown of them before secrets are taken out."""

_SPENT = frozenset({"insufficient_quota", "insufficient_credits", "billing_hard_limit_reached", "billing_not_active"})
_SPENT_WORDS = re.compile(
    r"insufficient[ _](?:quota|credits?|balance|funds)|exceeded your current quota|credit balance is too low",
    re.IGNORECASE,
)


class MalformedAnswerError(Exception):
    """The server promised an answer and sent something else."""


class TokenScore(msgspec.Struct, frozen=True):
    """One token with its log-probability (None for the first token of a prompt) and the likeliest alternatives.

    `offset` is where the token begins in the text, where the server says so.
    """

    token: str
    logprob: float | None
    offset: int | None = None
    top: dict[str, float] = {}


class Reply(msgspec.Struct, frozen=True):
    """What came of one request."""

    text: str = ""
    state: Literal["complete", "truncated", "failed"] = "complete"
    error: str = ""
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    reasoning: str = ""
    """Thinking that the server sent beside the answer."""
    scores: tuple[TokenScore, ...] | None = None
    """The tokens with their log-probabilities, where they were asked for and sent."""


class Fault(msgspec.Struct, frozen=True):
    """What an error answer says: the server's sentence, not yet cleaned, and whether the account is used up."""

    said: str
    spent: bool


class _Part(msgspec.Struct):
    """A piece of a message: text, or thinking in one of the ways servers spell it."""

    type: str = "text"
    text: str | None = None
    thinking: str | None = None
    reasoning: str | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part | str] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class _Top(msgspec.Struct):
    token: str
    logprob: float


class _ChatToken(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list[_Top] = []


class _Logprobs(msgspec.Struct):
    """Both shapes: a list of tokens (chat), or parallel lists (completions)."""

    content: list[_ChatToken] | None = None
    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    text_offset: list[int] | None = None
    top_logprobs: list[dict[str, float] | None] | None = None


class _Choice(msgspec.Struct):
    finish_reason: str | None = None
    message: _Message | None = None
    text: str | None = None
    logprobs: _Logprobs | None = None


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None


def read_answer(content: bytes, mode: Mode) -> Reply:
    """The reply inside an answer with status 200.

    Raises:
        MalformedAnswerError: It is anything but exactly one well-formed choice.
    """
    try:
        answer = decode_json(content, where="the server", type=_Answer, what="the answer")
    except UserError as error:
        raise MalformedAnswerError(f"malformed answer: {error.message}") from None
    if len(answer.choices) != 1:
        raise MalformedAnswerError(f"malformed answer: {len(answer.choices)} choices instead of 1")
    choice = answer.choices[0]
    used = _count(answer.usage, "prompt_tokens"), _count(answer.usage, "completion_tokens")
    cut = choice.finish_reason == "length"
    message = choice.message or _Message()
    text, thought = (choice.text, "") if mode == "completions" else _spoken(message)
    if choice.finish_reason == "content_filter":
        return Reply(text or "", "failed", "the server's content filter stopped the answer", *used, thought)
    if message.refusal:
        return Reply(text or "", "failed", f"refused: {message.refusal}", *used, thought)
    if text is None and not cut:
        raise MalformedAnswerError("malformed answer: a choice without text")
    return Reply(text or "", "truncated" if cut else "complete", "", *used, thought, _scores(choice.logprobs))


def _spoken(message: _Message) -> tuple[str | None, str]:
    """The answer (None where there is none) and the thinking sent beside it."""
    thoughts = [message.reasoning_content or message.reasoning or ""]
    if not isinstance(message.content, list):
        return message.content, thoughts[0]
    spoken: list[str] = []
    for part in message.content:
        if isinstance(part, str):
            spoken.append(part)
        elif part.type in ("thinking", "reasoning"):
            thoughts.append(part.thinking or part.reasoning or part.text or "")
        elif part.text is not None:
            spoken.append(part.text)
    return "".join(spoken), "".join(thoughts)


def _count(usage: Any, key: str) -> int | None:
    """A number of tokens. Some servers send floats; what is no number is a count we do not have, not a bad answer."""
    value = usage.get(key) if isinstance(usage, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        return None
    return round(value)


def _scores(logprobs: _Logprobs | None) -> tuple[TokenScore, ...] | None:
    if logprobs is None:
        return None
    if logprobs.content is not None:
        return tuple(
            TokenScore(item.token, item.logprob, top={top.token: top.logprob for top in item.top_logprobs})
            for item in logprobs.content
        )
    if logprobs.tokens is None or logprobs.token_logprobs is None:
        return None
    tokens, values = logprobs.tokens, logprobs.token_logprobs
    offsets: list[int] | list[None] = logprobs.text_offset or [None] * len(tokens)
    tops = logprobs.top_logprobs or [None] * len(tokens)
    if not len(tokens) == len(values) == len(offsets) == len(tops):
        raise MalformedAnswerError("malformed answer: lists of log-probabilities of different lengths")
    rows = zip(tokens, values, offsets, tops, strict=True)
    return tuple(TokenScore(token, value, offset, top or {}) for token, value, offset, top in rows)


def fault_of(content: bytes) -> Fault:
    """The sentence inside an error answer (or its first words), and whether it says that the account is used up."""
    try:
        error = decode_json(content, where="the server")["error"]
    except (UserError, KeyError, TypeError):
        text = content[:_READ_OF_ERRORS].decode("utf-8", "replace") or "no reason given"
        return Fault(text, bool(_SPENT_WORDS.search(text)))
    fields = error if isinstance(error, dict) else {"message": error}
    said = str(fields.get("message") or fields.get("type") or "no reason given")
    kinds = {str(fields.get(key)) for key in ("code", "type")}
    return Fault(said, bool(kinds & _SPENT or _SPENT_WORDS.search(said)))


def retry_after(value: str | None) -> float:
    """Seconds to wait as the header asks: a number, or a date; 0 where it says nothing usable."""
    if not value:
        return 0.0
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if isfinite(seconds) else 0.0
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
