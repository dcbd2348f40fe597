"""Google's generateContent: candidates made of parts, thoughts among them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation
from taskloom.models.wires.wire import MalformedReplyError, Reply, Usage, Wire, counted, system_and_turns

_WHOLE = (None, "STOP", "MAX_TOKENS", "FINISH_REASON_UNSPECIFIED")


class _GeminiPart(msgspec.Struct, rename="camel"):
    text: str | None = None
    thought: bool = False
    function_call: dict[str, Any] | None = None


class _Content(msgspec.Struct):
    parts: list[_GeminiPart] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content = msgspec.field(default_factory=_Content)
    finish_reason: str | None = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _GeminiAnswer(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback | None = None
    usage_metadata: Any = None
    model_version: Any = None


def _read(answer: _GeminiAnswer) -> Reply:
    usage = _usage(answer.usage_metadata)
    served = (str(answer.model_version or ""), "")
    if answer.prompt_feedback and answer.prompt_feedback.block_reason:
        reason = f"the server blocked the prompt: {answer.prompt_feedback.block_reason}"
        return Reply("", "failed", reason, usage, served=served)
    if len(answer.candidates) != 1:
        raise MalformedReplyError(f"malformed answer: {len(answer.candidates)} candidates instead of 1")
    candidate = answer.candidates[0]
    parts = candidate.content.parts
    texts = [part.text for part in parts if part.text is not None and not part.thought]
    texts += [json.dumps(part.function_call, ensure_ascii=False) for part in parts if part.function_call]
    thoughts = [part.text for part in parts if part.text and part.thought]
    cut = candidate.finish_reason == "MAX_TOKENS"
    reply = Reply("".join(texts), "truncated" if cut else "complete", "", usage, "".join(thoughts), served=served)
    if candidate.finish_reason not in _WHOLE:
        error = f"the server stopped the answer: {candidate.finish_reason}"
        return msgspec.structs.replace(reply, state="failed", error=error)
    if not texts and not cut:
        raise MalformedReplyError("malformed answer: a candidate without text")
    return reply


def _usage(usage: Any) -> Usage:
    """Thoughts are counted beside the candidates' tokens, cached tokens within the prompt's."""
    thoughts, said = counted(usage, "thoughtsTokenCount"), counted(usage, "candidatesTokenCount")
    return Usage(
        counted(usage, "promptTokenCount"),
        None if said is None and thoughts is None else (said or 0) + (thoughts or 0),
        counted(usage, "cachedContentTokenCount"),
        thoughts,
    )


def _join(events: list[Any]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    parts: list[Any] = []
    reason = None
    for event in events:
        whole.update(event)
        for candidate in event.get("candidates") or ():
            parts += (candidate.get("content") or {}).get("parts") or ()
            reason = candidate.get("finishReason") or reason
    if reason is None and not whole.get("promptFeedback"):
        raise MalformedReplyError("malformed answer: the stream ended before the answer did")
    return {**whole, "candidates": [{"content": {"parts": parts}, "finishReason": reason}] if reason else []}


def _body(model: str, prompt: Prompt, generation: Generation, seed: int) -> dict[str, Any]:
    system, turns = system_and_turns(prompt)
    roles = {"assistant": "model"}
    settings: dict[str, Any] = {
        "maxOutputTokens": generation.max_tokens,
        "temperature": generation.temperature,
        "topP": generation.top_p,
        "seed": seed,
    }
    if generation.stop:
        settings["stopSequences"] = list(generation.stop)
    contents = [{"role": roles.get(role, "user"), "parts": [{"text": content}]} for role, content in turns]
    body: dict[str, Any] = {"contents": contents, "generationConfig": settings}
    return {**body, "systemInstruction": {"parts": [{"text": system}]}} if system else body


def _reasoning(body: dict[str, Any], effort: str, budget: int) -> dict[str, Any]:
    """Thoughts count towards the answer's length."""
    config: dict[str, Any] = {"includeThoughts": True}
    settings: dict[str, Any] = {"thinkingConfig": config}
    if effort:
        config["thinkingLevel"] = effort
    if budget:
        config["thinkingBudget"] = budget
        settings["maxOutputTokens"] = body["generationConfig"]["maxOutputTokens"] + budget
    return {"generationConfig": settings}


GENERATE_CONTENT = Wire(
    name="gemini",
    path=lambda model: f"/models/{model}:generateContent",
    headers=lambda key: {"x-goog-api-key": key} if key else {},
    body=_body,
    answer=_GeminiAnswer,
    read=_read,
    join=_join,
    reasoning=_reasoning,
    schema=lambda schema: {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema}},
)
