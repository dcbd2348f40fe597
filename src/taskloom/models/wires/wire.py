"""A wire format: how a server wants to be asked, and how it spells its answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_json
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation
from taskloom.models.wires.reply import MalformedAnswerError, Reply

__all__ = ["Wire", "read_answer", "system_and_turns"]


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
    """The reply inside an answer with status 200.

    Args:
        content: The answer.
        wire: Its format.
        stream: Whether it came as server-sent events.

    Raises:
        MalformedAnswerError: It is anything but exactly one well-formed answer.
    """
    try:
        if stream:
            events = [decode_json(event, where="the server") for event in _events(content)]
            content = json.dumps(wire.join(events)).encode()
        return wire.read(decode_json(content, where="the server", type=wire.answer, what="the answer"))
    except UserError as error:
        raise MalformedAnswerError(f"malformed answer: {error.message}") from None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        # Events are joined before their types are known.
        raise MalformedAnswerError(f"malformed stream: {type(error).__name__}: {error}") from None


def _events(content: bytes) -> list[bytes]:
    """The data of every event but the mark at the end."""
    data = [line[5:].strip() for line in content.splitlines() if line.startswith(b"data:")]
    return [line for line in data if line and line != b"[DONE]"]


def system_and_turns(prompt: Prompt) -> tuple[str, list[tuple[str, str]]]:
    """The system's words and the turns after them, for formats that keep the two apart."""
    system = "\n\n".join(message.content for message in prompt.messages if message.role == "system")
    turns = [(message.role, message.content) for message in prompt.messages if message.role != "system"]
    return system, turns or [("user", prompt.text)]
