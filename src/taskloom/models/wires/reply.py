"""What comes of one request, whichever way the server spells it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Literal

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_json

__all__ = ["Fault", "MalformedAnswerError", "Reply", "TokenScore", "Usage", "counted", "fault_of", "retry_after"]

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


class Usage(msgspec.Struct, frozen=True):
    """The tokens of one exchange, None where the server does not say.

    Attributes:
        prompt: Every token that was read, those that came from a cache included.
        output: Every token that was written, thinking included.
        cached: Prompt tokens that came from a cache.
        reasoning: Output tokens that were thinking.
        cost: What the server itself charges, in dollars.
        written: Prompt tokens that were written to a cache.
    """

    prompt: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    cost: float | None = None
    written: int | None = None

    @property
    def billed(self) -> int | None:
        """All tokens of the exchange."""
        return None if self.prompt is None or self.output is None else self.prompt + self.output


class Reply(msgspec.Struct, frozen=True):
    """What came of one request.

    Attributes:
        text: The answer.
        state: Whether it is whole, was cut at the limit of its length, or failed.
        error: Why it failed.
        usage: Tokens and cost.
        reasoning: Thinking that the server sent beside the answer.
        scores: The tokens with their log-probabilities, where they were asked for and sent.
        served: The name of the model that answered and its fingerprint, as the server gives them.
    """

    text: str = ""
    state: Literal["complete", "truncated", "failed"] = "complete"
    error: str = ""
    usage: Usage = Usage()
    reasoning: str = ""
    scores: tuple[TokenScore, ...] | None = None
    served: tuple[str, str] = ("", "")


class Fault(msgspec.Struct, frozen=True):
    """What an error answer says: the server's sentence, not yet cleaned, and whether the account is used up."""

    said: str
    spent: bool


def counted(usage: Any, *path: str) -> int | None:
    """A number of tokens. Some servers send floats; what is no number is a count we do not have, not a bad answer."""
    for key in path:
        usage = usage.get(key) if isinstance(usage, dict) else None
    if isinstance(usage, bool) or not isinstance(usage, int | float) or not isfinite(usage) or usage < 0:
        return None
    return round(usage)


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
