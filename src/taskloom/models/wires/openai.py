"""OpenAI's three formats, read leniently where compatible servers differ and strictly where it matters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation
from taskloom.models.wires.wire import MalformedReplyError, Reply, TokenScore, Usage, Wire, counted


class _MessagePart(msgspec.Struct):
    """A piece of a message: text, or thinking in one of the ways servers spell it."""

    type: str = "text"
    text: str | None = None
    thinking: str | None = None
    reasoning: str | None = None


class _Function(msgspec.Struct):
    name: str = ""
    arguments: str = ""


class _ToolCall(msgspec.Struct):
    function: _Function = msgspec.field(default_factory=_Function)


class _Message(msgspec.Struct):
    content: str | list[_MessagePart | str] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


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


class _ChatChoice(msgspec.Struct):
    finish_reason: str | None = None
    message: _Message | None = None
    text: str | None = None
    logprobs: _Logprobs | None = None


class _Completion(msgspec.Struct):
    choices: list[_ChatChoice]
    usage: Any = None
    model: Any = None
    system_fingerprint: Any = None


def _read(answer: _Completion) -> Reply:
    if len(answer.choices) != 1:
        raise MalformedReplyError(f"malformed answer: {len(answer.choices)} choices instead of 1")
    choice = answer.choices[0]
    cut = choice.finish_reason == "length"
    message = choice.message or _Message()
    text, thought = (choice.text, "") if choice.message is None else _spoken(message)
    reply = Reply(
        text or "",
        usage=_usage(answer.usage, "prompt_tokens", "completion_tokens"),
        reasoning=thought,
        served=(str(answer.model or ""), str(answer.system_fingerprint or "")),
    )
    if choice.finish_reason == "content_filter":
        return msgspec.structs.replace(reply, state="failed", error="the server's content filter stopped the answer")
    if message.refusal:
        return msgspec.structs.replace(reply, state="failed", error=f"refused: {message.refusal}")
    if text is None and not cut:
        raise MalformedReplyError("malformed answer: a choice without text")
    return msgspec.structs.replace(reply, state="truncated" if cut else "complete", scores=_scores(choice.logprobs))


def _usage(usage: Any, prompt: str, output: str) -> Usage:
    cost = usage.get("cost") if isinstance(usage, dict) else None
    return Usage(
        counted(usage, prompt),
        counted(usage, output),
        counted(usage, f"{prompt}_details", "cached_tokens"),
        counted(usage, f"{output}_details", "reasoning_tokens"),
        float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0 else None,
    )


def _spoken(message: _Message) -> tuple[str | None, str]:
    """The answer (None where there is none) and the thinking sent beside it."""
    thoughts = [message.reasoning_content or message.reasoning or ""]
    if message.content is None and message.tool_calls:
        # A model that calls a function has answered: what it called is what it said.
        calls = (call.function for call in message.tool_calls)
        return "\n".join(_called(call.name, call.arguments) for call in calls), thoughts[0]
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


def _called(name: str, arguments: str) -> str:
    return json.dumps({"function": name, "arguments": arguments}, ensure_ascii=False)


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
        raise MalformedReplyError("malformed answer: lists of log-probabilities of different lengths")
    rows = zip(tokens, values, offsets, tops, strict=True)
    return tuple(TokenScore(token, value, offset, top or {}) for token, value, offset, top in rows)


def _join(events: list[Any]) -> dict[str, Any]:
    """Chunks of a stream as the one answer they add up to."""
    whole: dict[str, Any] = {}
    texts: dict[str, str] = {}
    reason, plain = None, False
    for event in events:
        whole.update({key: value for key, value in event.items() if key != "choices" and value is not None})
        for choice in event.get("choices") or ():
            plain = plain or "text" in choice
            reason = choice.get("finish_reason") or reason
            delta = {"content": choice["text"]} if "text" in choice else choice.get("delta") or {}
            for field in ("content", "reasoning_content", "reasoning", "refusal"):
                if isinstance(delta.get(field), str):
                    texts[field] = texts.get(field, "") + delta[field]
    if reason is None:
        raise MalformedReplyError("malformed answer: the stream ended before the answer did")
    said: dict[str, Any] = {"text": texts.get("content", "")} if plain else {"message": texts}
    return {**whole, "choices": [{"finish_reason": reason, **said}]}


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _sampling(model: str, generation: Generation, seed: int) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": generation.max_tokens,
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        "seed": seed,
    }
    return {**body, "stop": list(generation.stop)} if generation.stop else body


def _turns(prompt: Prompt) -> list[dict[str, str]]:
    turns = [{"role": message.role, "content": message.content} for message in prompt.messages]
    return turns or [{"role": "user", "content": prompt.text}]


def _chat_body(model: str, prompt: Prompt, generation: Generation, seed: int) -> dict[str, Any]:
    return {**_sampling(model, generation, seed), "messages": _turns(prompt)}


def _completions_body(model: str, prompt: Prompt, generation: Generation, seed: int) -> dict[str, Any]:
    return {**_sampling(model, generation, seed), "prompt": prompt.text}


_NAMED = {"name": "answer", "strict": True}


def _json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {**_NAMED, "schema": dict(schema)}}


CHAT = Wire(
    name="chat",
    path=lambda model: "/chat/completions",
    headers=_bearer,
    body=_chat_body,
    answer=_Completion,
    read=_read,
    join=_join,
    reasoning=lambda body, effort, budget: {"reasoning_effort": effort} if effort else {},
    schema=lambda schema: {"response_format": _json_schema(schema)},
)
COMPLETIONS = Wire(
    name="completions",
    nature="base",
    path=lambda model: "/completions",
    headers=_bearer,
    body=_completions_body,
    answer=_Completion,
    read=_read,
    join=_join,
)


class _OutputPiece(msgspec.Struct):
    type: str = ""
    text: str | None = None
    refusal: str | None = None


class _Item(msgspec.Struct):
    """An item of a response: a message, a summary of thoughts, or the call of a function."""

    type: str = "message"
    content: list[_OutputPiece] | None = None
    summary: list[_OutputPiece] | None = None
    name: str = ""
    arguments: str = ""


class _Incomplete(msgspec.Struct):
    reason: str = ""


class _ResponseError(msgspec.Struct):
    message: str = "no reason given"


class _Response(msgspec.Struct):
    output: list[_Item]
    status: str = "completed"
    incomplete_details: _Incomplete | None = None
    error: _ResponseError | None = None
    usage: Any = None
    model: Any = None


def _read_response(answer: _Response) -> Reply:
    pieces = [piece for item in answer.output for piece in item.content or () if item.type == "message"]
    texts = [piece.text for piece in pieces if piece.text is not None]
    texts += [_called(item.name, item.arguments) for item in answer.output if item.type == "function_call"]
    thoughts = [piece.text or "" for item in answer.output for piece in item.summary or ()]
    refusals = [piece.refusal for piece in pieces if piece.refusal]
    reason = answer.incomplete_details.reason if answer.incomplete_details else ""
    reply = Reply(
        "".join(texts),
        usage=_usage(answer.usage, "input_tokens", "output_tokens"),
        reasoning="\n".join(thoughts),
        served=(str(answer.model or ""), ""),
    )
    if answer.status == "failed" or reason == "content_filter" or refusals:
        why = answer.error.message if answer.error else "the server's content filter stopped the answer"
        error = f"refused: {refusals[0]}" if refusals else why
        return msgspec.structs.replace(reply, state="failed", error=error)
    if answer.status not in ("completed", "incomplete"):
        raise MalformedReplyError(f"malformed answer: a response that is {answer.status}")
    if answer.status == "completed" and not texts:
        raise MalformedReplyError("malformed answer: a response without text")
    return msgspec.structs.replace(reply, state="truncated" if answer.status == "incomplete" else "complete")


def _join_responses(events: list[Any]) -> Any:
    for event in reversed(events):
        if event.get("type") in ("response.completed", "response.incomplete", "response.failed"):
            return event["response"]
    raise MalformedReplyError("malformed answer: the stream ended before the answer did")


def _responses_body(model: str, prompt: Prompt, generation: Generation, seed: int) -> dict[str, Any]:
    return {
        "model": model,
        "input": _turns(prompt),
        "max_output_tokens": generation.max_tokens,
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        # What is asked here is nobody else's business: the server keeps no copy for later turns.
        "store": False,
    }


RESPONSES = Wire(
    name="responses",
    path=lambda model: "/responses",
    headers=_bearer,
    body=_responses_body,
    answer=_Response,
    read=_read_response,
    join=_join_responses,
    reasoning=lambda body, effort, budget: {"reasoning": {"effort": effort}} if effort else {},
    schema=lambda schema: {"text": {"format": {**_NAMED, "type": "json_schema", "schema": dict(schema)}}},
)
