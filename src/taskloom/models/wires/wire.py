"""A wire format: how a server wants to be asked, and how it spells its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Literal

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_json
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation

_READ_OF_ERRORS = 100_000
"""Bytes of an error answer that are looked at. Nothing is shown of them before secrets are taken out."""

_SPENT = frozenset({"insufficient_quota", "insufficient_credits", "billing_hard_limit_reached", "billing_not_active"})
_SPENT_WORDS = re.compile(
    r"insufficient[ _](?:quota|credits?|balance|funds)|exceeded your current quota|credit balance is too low",
    re.IGNORECASE,
)


class MalformedReplyError(Exception):
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


class ServerFault(msgspec.Struct, frozen=True):
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


def fault_of(content: bytes) -> ServerFault:
    """The sentence inside an error answer (or its first words), and whether it says that the account is used up."""
    try:
        error = decode_json(content, where="the server")["error"]
    except (UserError, KeyError, TypeError):
        text = content[:_READ_OF_ERRORS].decode("utf-8", "replace") or "no reason given"
        return ServerFault(text, bool(_SPENT_WORDS.search(text)))
    fields = error if isinstance(error, dict) else {"message": error}
    said = str(fields.get("message") or fields.get("type") or "no reason given")
    kinds = {str(fields.get(key)) for key in ("code", "type")}
    return ServerFault(said, bool(kinds & _SPENT or _SPENT_WORDS.search(said)))


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


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """One format, as a record; the client knows nothing else about it.

    Attributes:
        name: What `-M mode=…` calls it.
        nature: How its models are asked: as chat models, or with plain text.
        path: The path of a model's endpoint below the base address.
        headers: The headers that carry a key.
        body: The body of a request: model, prompt, generation, seed of this draw.
        answer: The type that an answer must have.
        read: The reply inside an answer of that type.
        join: The answer that the events of a stream add up to.
        reasoning: The fields that ask for an effort ("" for the server's own) and a budget of thinking tokens (0 for
            the server's own), given the body they go into; None where there are none.
        schema: The fields that ask for answers of a JSON schema; None where there are none.
    """

    name: str
    nature: Literal["chat", "base"] = "chat"
    path: Callable[[str], str]
    headers: Callable[[str], dict[str, str]]
    body: Callable[[str, Prompt, Generation, int], dict[str, Any]]
    answer: type[Any]
    read: Callable[[Any], Reply]
    join: Callable[[list[Any]], Any]
    reasoning: Callable[[dict[str, Any], str, int], dict[str, Any]] | None = None
    schema: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None


def read_answer(content: bytes, wire: Wire, *, stream: bool = False) -> Reply:
    """The reply inside an answer with status 200, which may have come as server-sent events (`stream`).

    Raises:
        MalformedReplyError: It is anything but exactly one well-formed answer.
    """
    try:
        if stream:
            events = [decode_json(event, where="the server") for event in _events(content)]
            content = json.dumps(wire.join(events)).encode()
        return wire.read(decode_json(content, where="the server", type=wire.answer, what="the answer"))
    except UserError as error:
        raise MalformedReplyError(f"malformed answer: {error.message}") from None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        # Events are joined before their types are known.
        raise MalformedReplyError(f"malformed stream: {type(error).__name__}: {error}") from None


def _events(content: bytes) -> list[bytes]:
    """The data of every event but the mark at the end."""
    data = [line[5:].strip() for line in content.splitlines() if line.startswith(b"data:")]
    return [line for line in data if line and line != b"[DONE]"]


def system_and_turns(prompt: Prompt) -> tuple[str, list[tuple[str, str]]]:
    """The system's words and the turns after them, for formats that keep the two apart."""
    system = "\n\n".join(message.content for message in prompt.messages if message.role == "system")
    turns = [(message.role, message.content) for message in prompt.messages if message.role != "system"]
    return system, turns or [("user", prompt.text)]
