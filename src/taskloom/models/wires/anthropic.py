"""Anthropic's messages: thinking comes as blocks of its own, and cached tokens are counted beside the others."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation
from taskloom.models.wires.wire import MalformedReplyError, Reply, Usage, Wire, counted, system_and_turns

_VERSION = "2023-06-01"
_CUT = ("max_tokens", "model_context_window_exceeded")


class _ContentBlock(msgspec.Struct):
    type: str
    text: str | None = None
    thinking: str | None = None
    name: str = ""
    input: Any = None


class _ClaudeMessage(msgspec.Struct):
    content: list[_ContentBlock]
    stop_reason: str | None = None
    usage: Any = None
    model: Any = None


def _read(answer: _ClaudeMessage) -> Reply:
    texts = [block.text for block in answer.content if block.type == "text" and block.text is not None]
    texts += [
        json.dumps({"function": block.name, "arguments": block.input}, ensure_ascii=False)
        for block in answer.content
        if block.type == "tool_use"
    ]
    thoughts = [block.thinking for block in answer.content if block.type == "thinking" and block.thinking]
    cut = answer.stop_reason in _CUT
    reply = Reply(
        "".join(texts),
        "truncated" if cut else "complete",
        usage=_usage(answer.usage),
        reasoning="\n".join(thoughts),
        served=(str(answer.model or ""), ""),
    )
    if answer.stop_reason == "refusal":
        return msgspec.structs.replace(reply, state="failed", error="refused: the model declined to answer")
    if not texts and not cut and answer.stop_reason != "end_turn":
        raise MalformedReplyError("malformed answer: a message without text")
    return reply


def _usage(usage: Any) -> Usage:
    """Tokens read from a cache or written to it are not part of `input_tokens`, so they are added."""
    read = counted(usage, "cache_read_input_tokens")
    fresh = counted(usage, "input_tokens")
    written = counted(usage, "cache_creation_input_tokens")
    prompt = None if fresh is None else fresh + (read or 0) + (written or 0)
    return Usage(prompt, counted(usage, "output_tokens"), read, written=written)


def _join(events: list[Any]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        kind = event.get("type")
        if kind == "error":
            raise MalformedReplyError(f"malformed answer: {event['error'].get('message')}")
        if kind == "message_start":
            whole = dict(event["message"])
        elif kind == "content_block_start":
            blocks[event["index"]] = dict(event["content_block"])
        elif kind == "content_block_delta":
            block, delta = blocks[event["index"]], event["delta"]
            for field in ("text", "thinking"):
                if isinstance(delta.get(field), str):
                    block[field] = (block.get(field) or "") + delta[field]
        elif kind == "message_delta":
            whole["stop_reason"] = event["delta"].get("stop_reason")
            whole["usage"] = {**(whole.get("usage") or {}), **(event.get("usage") or {})}
    if whole.get("stop_reason") is None:
        raise MalformedReplyError("malformed answer: the stream ended before the answer did")
    return {**whole, "content": [blocks[index] for index in sorted(blocks)]}


def _body(model: str, prompt: Prompt, generation: Generation, seed: int) -> dict[str, Any]:
    """Newer models take temperature or top_p, not both; there is no seed."""
    system, turns = system_and_turns(prompt)
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": generation.max_tokens,
        "messages": [{"role": role, "content": content} for role, content in turns],
        "temperature": generation.temperature,
    }
    if generation.top_p < 1:
        body["top_p"] = generation.top_p
    if generation.stop:
        body["stop_sequences"] = list(generation.stop)
    return {**body, "system": system} if system else body


def _reasoning(body: dict[str, Any], effort: str, budget: int) -> dict[str, Any]:
    """A budget counts towards the answer's length, and a model that thinks takes no temperature of ours."""
    fields: dict[str, Any] = {"output_config": {"effort": effort}} if effort else {}
    if budget:
        fields |= {"thinking": {"type": "enabled", "budget_tokens": budget}, "temperature": 1}
        fields["max_tokens"] = body["max_tokens"] + budget
    return fields


MESSAGES = Wire(
    name="messages",
    path=lambda model: "/messages",
    headers=lambda key: {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})},
    body=_body,
    answer=_ClaudeMessage,
    read=_read,
    join=_join,
    reasoning=_reasoning,
)
