"""Wire formats: exchanges built from the providers' public documents, over HTTP, and what may go wrong in each."""

from __future__ import annotations

import json

import pytest

from servers import serving
from taskloom.core import UserError
from taskloom.core.encoding import Message, Prompt
from taskloom.core.model import Generation, Request, open_model

pytestmark = pytest.mark.usefixtures("quick_client")


def message(*blocks, stop="end_turn", **usage):
    return {
        "type": "message",
        "model": "claude-x-1",
        "content": list(blocks),
        "stop_reason": stop,
        "usage": {"input_tokens": 10, "output_tokens": 4, **usage},
    }


def candidate(*parts, reason="STOP", **usage):
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}],
        "modelVersion": "gemini-x-1",
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 4, **usage},
    }


def response(*items, status="completed", **more):
    return {
        "object": "response",
        "model": "gpt-x-1",
        "status": status,
        "output": list(items),
        "usage": {"input_tokens": 10, "output_tokens": 4},
        **more,
    }


def said(text):
    return {"type": "message", "content": [{"type": "output_text", "text": text}]}


TEXT = {"type": "text", "text": "kitchen"}
THOUGHT = {"type": "thinking", "thinking": "Mary moved.", "signature": "abc"}
SUMMARY = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Mary moved."}]}
TOOL = {"type": "tool_use", "id": "t", "name": "answer", "input": {"place": "kitchen"}}
CALL = {"type": "function_call", "name": "answer", "arguments": '{"place": "kitchen"}'}


def case(mode, content, text="kitchen", state="complete", error="", reasoning="", tokens=(10, 4)):
    return mode, content, (text, state, error), reasoning, tokens


EXCHANGES = {
    "anthropic: text": case("messages", message(TEXT)),
    "anthropic: two blocks": case("messages", message(TEXT, TEXT), "kitchenkitchen"),
    "anthropic: thinking": case("messages", message(THOUGHT, TEXT), "kitchen", reasoning="Mary moved."),
    "anthropic: redacted": case("messages", message({"type": "redacted_thinking", "data": "x"}, TEXT)),
    "anthropic: cut": case("messages", message(TEXT, stop="max_tokens"), "kitchen", "truncated"),
    "anthropic: window": case("messages", message(stop="model_context_window_exceeded"), "", "truncated"),
    "anthropic: still thinking": case(
        "messages", message(THOUGHT, stop="max_tokens"), "", "truncated", reasoning="Mary moved."
    ),
    "anthropic: refusal": case("messages", message(stop="refusal"), "", "failed", "refused"),
    "anthropic: stop sequence": case("messages", message(TEXT, stop="stop_sequence")),
    "anthropic: tool": case("messages", message(TOOL, stop="tool_use"), '"place": "kitchen"'),
    "anthropic: cache": case(
        "messages", message(TEXT, cache_read_input_tokens=90, cache_creation_input_tokens=5), "kitchen", tokens=(105, 4)
    ),
    "anthropic: empty": case("messages", message(), ""),
    "google: text": case("gemini", candidate({"text": "kitchen"})),
    "google: two parts": case("gemini", candidate({"text": "kit"}, {"text": "chen"})),
    "google: thought": case(
        "gemini",
        candidate({"text": "Mary moved.", "thought": True}, {"text": "kitchen"}, thoughtsTokenCount=6),
        "kitchen",
        reasoning="Mary moved.",
        tokens=(10, 10),
    ),
    "google: cut": case("gemini", candidate({"text": "kit"}, reason="MAX_TOKENS"), "kit", "truncated"),
    "google: cut while thinking": case(
        "gemini",
        {**candidate(reason="MAX_TOKENS"), "usageMetadata": {"promptTokenCount": 10, "thoughtsTokenCount": 64}},
        "",
        "truncated",
        tokens=(10, 64),
    ),
    "google: no content": case(
        "gemini", {"candidates": [{"finishReason": "MAX_TOKENS"}]}, "", "truncated", tokens=(None, None)
    ),
    "google: safety": case("gemini", candidate(reason="SAFETY"), "", "failed", "SAFETY"),
    "google: recitation": case("gemini", candidate({"text": "kit"}, reason="RECITATION"), "", "failed", "RECITATION"),
    "google: blocked": case(
        "gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "", "failed", "blocked", tokens=(None, None)
    ),
    "google: function": case(
        "gemini", candidate({"functionCall": {"name": "answer", "args": {"place": "kitchen"}}}), '"place": "kitchen"'
    ),
    "google: cached": case("gemini", candidate({"text": "kitchen"}, cachedContentTokenCount=8)),
    "google: empty text": case("gemini", candidate({"text": ""}), ""),
    "openai: text": case("responses", response(said("kitchen"))),
    "openai: two messages": case("responses", response(said("kit"), said("chen"))),
    "openai: summary": case("responses", response(SUMMARY, said("kitchen")), "kitchen", reasoning="Mary moved."),
    "openai: reasoning without summary": case(
        "responses", response({"type": "reasoning", "summary": []}, said("kitchen"))
    ),
    "openai: cut": case(
        "responses",
        response(said("kit"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        "kit",
        "truncated",
    ),
    "openai: cut while thinking": case(
        "responses",
        response(SUMMARY, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        "",
        "truncated",
        reasoning="Mary moved.",
    ),
    "openai: filter": case(
        "responses",
        response(status="incomplete", incomplete_details={"reason": "content_filter"}),
        "",
        "failed",
        "content filter",
    ),
    "openai: refusal": case(
        "responses",
        response({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}),
        "",
        "failed",
        "refused: No.",
    ),
    "openai: failed": case(
        "responses",
        response(status="failed", error={"code": "server_error", "message": "sorry"}),
        "",
        "failed",
        "sorry",
    ),
    "openai: function": case("responses", response(CALL)),
    "openai: unknown item": case("responses", response({"type": "web_search_call", "id": "w"}, said("kitchen"))),
    "openai: no usage": case("responses", {**response(said("kitchen")), "usage": None}, "kitchen", tokens=(None, None)),
    "chat: tool": case(
        "chat",
        {
            "choices": [
                {
                    "finish_reason": "tool_calls",
                    "message": {
                        "content": None,
                        "tool_calls": [
                            {"type": "function", "function": {"name": "answer", "arguments": '{"place": "kitchen"}'}}
                        ],
                    },
                }
            ]
        },
        "kitchen",
        tokens=(None, None),
    ),
}


def exchange(mode, content, *, prompt=None, kind="application/json", generation=None, **options):
    """What a server that answers so is sent, and what becomes of it."""
    from taskloom.core import Instance, Instruction, Task, any_of

    def answer(handler, body, count):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send(data, Content_Type=kind)

    prompt = prompt or Prompt("Where is Mary?")
    request = Request(prompt, Task("demo", Instruction("Do it.")), Instance("1", "", any_of("x")))
    with serving(answer) as server:
        model = open_model("api/some-model", {"base_url": server.url, "mode": mode, "malformed": 1, **options})
        [output] = model.generate([request], generation or Generation(max_tokens=9, seed=3))
    return server, output


@pytest.mark.parametrize("case", EXCHANGES)
def test_an_answer_is_read(case):
    mode, content, (text, state, error), reasoning, tokens = EXCHANGES[case]
    _, output = exchange(mode, content)
    assert output.state == state and error in output.error
    if state != "failed":
        assert text in output.text if "kitchen" in text else output.text == text
        assert output.reasoning == reasoning
        assert (output.prompt_tokens, output.output_tokens) == tokens


TURNS = Prompt(
    "ignored",
    messages=(
        Message("system", "Be brief."),
        Message("user", "Where?"),
        Message("assistant", "There."),
        Message("user", "Who?"),
    ),
)
BODIES = {
    "messages": (
        "/v1/messages",
        {
            "model": "some-model",
            "max_tokens": 9,
            "temperature": 0.0,
            "system": "Be brief.",
            "stop_sequences": ["."],
            "messages": [
                {"role": "user", "content": "Where?"},
                {"role": "assistant", "content": "There."},
                {"role": "user", "content": "Who?"},
            ],
        },
    ),
    "gemini": (
        "/v1/models/some-model:generateContent",
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "generationConfig": {
                "maxOutputTokens": 9,
                "temperature": 0.0,
                "topP": 1.0,
                "seed": 3,
                "stopSequences": ["."],
            },
            "contents": [
                {"role": "user", "parts": [{"text": "Where?"}]},
                {"role": "model", "parts": [{"text": "There."}]},
                {"role": "user", "parts": [{"text": "Who?"}]},
            ],
        },
    ),
    "responses": (
        "/v1/responses",
        {
            "model": "some-model",
            "max_output_tokens": 9,
            "temperature": 0.0,
            "top_p": 1.0,
            "store": False,
            "input": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Where?"},
                {"role": "assistant", "content": "There."},
                {"role": "user", "content": "Who?"},
            ],
        },
    ),
}
WHOLE = {"messages": message(TEXT), "gemini": candidate({"text": "kitchen"}), "responses": response(said("kitchen"))}


@pytest.mark.parametrize("mode", BODIES)
def test_a_question_is_asked_as_the_documents_say(mode):
    generation = Generation(max_tokens=9, seed=3, stop=(".",))
    server, output = exchange(mode, WHOLE[mode], prompt=TURNS, generation=generation)
    assert output.text == "kitchen"
    assert server.seen[0][:2] == BODIES[mode]


def test_effort_budget_and_system_are_sent_and_part_of_the_identity():
    server, _ = exchange("messages", WHOLE["messages"], thinking=100, system="Think first.", prompt=TURNS)
    body = server.seen[0][1]
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 100} and body["max_tokens"] == 109
    assert body["system"] == "Think first.\n\nBe brief."
    server, _ = exchange("gemini", WHOLE["gemini"], thinking=100)
    settings = server.seen[0][1]["generationConfig"]
    assert settings["thinkingConfig"] == {"thinkingBudget": 100, "includeThoughts": True}
    assert settings["maxOutputTokens"] == 109 and settings["seed"] == 3
    server, _ = exchange("responses", WHOLE["responses"], effort="low")
    assert server.seen[0][1]["reasoning"] == {"effort": "low"}
    plain, hard = ({"base_url": "http://127.0.0.1:1/v1", **more} for more in ({}, {"effort": "high"}))
    assert open_model("api/x", plain).identity != open_model("api/x", hard).identity
    with pytest.raises(UserError, match="effort"):
        open_model("api/x", {**hard, "mode": "completions"})


def events(*data):
    return b"".join(f"data: {json.dumps(one)}\n\n".encode() for one in data) + b"data: [DONE]\n\n"


def chunk(reason=None, **delta):
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


STREAMS = {
    "chat": events(
        chunk(role="assistant", content=""),
        chunk(reasoning_content="Mary"),
        chunk(content="kit"),
        chunk(content="chen"),
        chunk("stop"),
        {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 4}},
    ),
    "completions": events(
        {"choices": [{"text": "kit", "finish_reason": None}]}, {"choices": [{"text": "chen", "finish_reason": "stop"}]}
    ),
    "messages": events(
        {"type": "message_start", "message": {**message(), "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "kit"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "chen"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ),
    "gemini": events(candidate({"text": "kit"}, reason=None), candidate({"text": "chen"})),
    "responses": events(
        {"type": "response.output_text.delta", "delta": "kit"},
        {"type": "response.completed", "response": response(said("kitchen"))},
    ),
}


@pytest.mark.parametrize("mode", STREAMS)
def test_a_stream_is_read_as_the_answer_it_adds_up_to(mode):
    _, output = exchange(mode, STREAMS[mode], kind="text/event-stream")
    assert (output.text, output.state) == ("kitchen", "complete")
    cut = STREAMS[mode].split(b"\n\n")[0] + b"\n\n"
    server, output = exchange(mode, cut, kind="text/event-stream")
    assert output.state == "failed" and "malformed" in output.error and server.count == 2


BROKEN = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"{}",
    b'"kitchen"',
    b'{"content": 7}',
    b'{"candidates": 7}',
    b'{"output": [[]]}',
    b'{"content": [{"type": "text", "text": 7}]}',
    b'{"candidates": [{"content": {"parts": [{"text": []}]}}]}',
    b'{"candidates": [{}, {}]}',
    b'{"output": [], "status": "queued"}',
    b"[" * 50_000,
    b"\xff\xfe",
)


@pytest.mark.parametrize("mode", BODIES)
def test_a_broken_answer_is_asked_for_again_and_then_failed(mode):
    for content in BROKEN:
        for kind in ("application/json", "text/event-stream"):
            server, output = exchange(mode, content, kind=kind)
            assert output.state == "failed" and server.count == 2, (content[:40], kind)


PRICED = {"price_in": 3.0, "price_cached": 0.3, "price_out": 15.0}


def test_cost_counts_cached_tokens_apart_and_a_servers_own_charge():
    cached = message(TEXT, cache_read_input_tokens=90, cache_creation_input_tokens=0)
    _, output = exchange("messages", cached, **PRICED)
    assert output.cost == pytest.approx((10 * 3.0 + 90 * 0.3 + 4 * 15.0) / 1e6)
    _, output = exchange("gemini", candidate({"text": "x"}, thoughtsTokenCount=6, cachedContentTokenCount=8), **PRICED)
    assert output.cost == pytest.approx((2 * 3.0 + 8 * 0.3 + 10 * 15.0) / 1e6)
    own = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": {"cost": 0.25}}
    _, output = exchange("chat", own)
    assert output.cost == 0.25


@pytest.mark.parametrize(
    ("provider", "variable", "header"),
    [("anthropic", "ANTHROPIC_API_KEY", "x-api-key"), ("google", "GEMINI_API_KEY", "x-goog-api-key")],
)
def test_native_providers_send_their_key_in_their_own_header(provider, variable, header, monkeypatch):
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(UserError, match=variable):
        open_model(f"{provider}/some-model")
    seen = []

    def answer(handler, body, count):
        seen.append((handler.headers.get(header), handler.headers.get("Authorization")))
        handler.send(WHOLE["messages" if provider == "anthropic" else "gemini"])

    monkeypatch.setenv(variable, "key-4711-4711")
    from taskloom.core import Instance, Instruction, Task, any_of

    request = Request(Prompt("Who?"), Task("demo", Instruction("Do it.")), Instance("1", "", any_of("x")))
    with serving(answer) as server:
        model = open_model(f"{provider}/some-model", {"base_url": server.url})
        assert model.generate([request], Generation())[0].text == "kitchen"
    assert seen == [("key-4711-4711", None)]


SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


@pytest.mark.parametrize(
    ("mode", "path"),
    [
        ("chat", ("response_format", "json_schema", "schema")),
        ("responses", ("text", "format", "schema")),
        ("gemini", ("generationConfig", "responseJsonSchema")),
    ],
)
def test_a_schema_of_the_answer_is_sent_where_the_format_has_a_place_for_it(mode, path):
    prompt = Prompt("Where is Mary?", messages=(Message("user", "Where?"),), schema=json.dumps(SCHEMA))
    chat = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    server, _ = exchange(mode, WHOLE.get(mode, chat), prompt=prompt)
    found = server.seen[0][1]
    for key in path:
        found = found[key]
    assert found == SCHEMA
