"""Batch interfaces: exchanges built from the providers' public documents, over HTTP, and what may go wrong in each."""

from __future__ import annotations

import json
from email.parser import BytesParser

import pytest

from servers import Handler, serving
from taskloom.core import Instance, Instruction, Task, UserError, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model
from taskloom.models import batches

pytestmark = pytest.mark.usefixtures("quick_client")
TASK = Task("demo", Instruction("Do it."))
OPENAI = {
    "choices": [{"message": {"content": "kitchen"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 4},
}
ANTHROPIC = {
    "type": "message",
    "content": [{"type": "text", "text": "kitchen"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 10, "output_tokens": 4},
}


def openai(name, body=OPENAI, status=200, error=None):
    response = None if body is None else {"status_code": status, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": name, "response": response, "error": error}


def anthropic(name, message=ANTHROPIC, kind="succeeded", error=None):
    result = {"type": kind}
    if kind == "succeeded":
        result["message"] = message
    if error:
        result["error"] = error
    return {"custom_id": name, "result": result}


class Provider:
    """Both interfaces, with a batch that has ended unless `status` says otherwise."""

    endpoint = "/v1/chat/completions"

    def __init__(self, line, status="", raw=None, files=("output_file_id",)):
        self.line, self.status, self.raw, self.names = line, status, raw, files
        self.requests, self.handed_in, self.keys, self.paths, self.marks = [], 0, set(), [], []

    def get(self, handler):
        self.paths.append(handler.path)
        self.keys.add(handler.headers.get("Authorization") or handler.headers.get("x-api-key"))
        if handler.path.endswith(("/content", "/results")):
            lines = [json.dumps(self.line(name)) for name, _ in reversed(self.requests)]
            return handler.send(self.raw(lines) if self.raw else "\n".join(lines).encode() + b"\n")
        if "messages" in handler.path:
            return handler.send(
                {
                    "id": "msgbatch_1",
                    "processing_status": self.status or "ended",
                    "results_url": "http://127.0.0.1:9/steal",
                    "request_counts": {"succeeded": 1},
                }
            )
        files = {name: f"file-{number}" for number, name in enumerate(self.names)}
        return handler.send(
            {
                "id": "batch_1",
                "status": self.status or "completed",
                **files,
                "request_counts": {"completed": 1, "total": 3},
            }
        )

    def post(self, handler, content):
        self.paths.append(handler.path)
        if handler.path.endswith("/files"):
            head = f"Content-Type: {handler.headers['Content-Type']}\r\n\r\n".encode()
            parts = {
                part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
                for part in BytesParser().parsebytes(head + content).get_payload()
            }
            assert parts["purpose"] == b"batch"
            lines = [json.loads(line) for line in parts["file"].splitlines()]
            assert {(line["method"], line["url"]) for line in lines} == {("POST", self.endpoint)}
            self.requests = [(line["custom_id"], line["body"]) for line in lines]
            return handler.send({"id": "file-in"})
        self.handed_in += 1
        body = json.loads(content)
        if "requests" in body:
            self.requests = [(one["custom_id"], one["params"]) for one in body["requests"]]
            return handler.send({"id": "msgbatch_1", "processing_status": "in_progress"})
        self.marks.append(body.pop("metadata")["taskloom"])
        assert body == {"input_file_id": "file-in", "endpoint": self.endpoint, "completion_window": "24h"}
        return handler.send({"id": "batch_1", "status": "validating"})


@pytest.fixture
def provider(monkeypatch, tmp_path):
    """Serve a provider; `ask` hands requests to a model of it."""
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(batches, "FIRST_WAIT", 0.01)

    def start(served):
        def do_get(handler):
            served.get(handler)

        def do_post(handler):
            served.post(handler, handler.rfile.read(int(handler.headers["Content-Length"])))

        monkeypatch.setattr(Handler, "do_GET", do_get, raising=False)
        monkeypatch.setattr(Handler, "do_POST", do_post)
        return serving(lambda *_: None)

    return start


def ask(url, kind, count=3, **options):
    mode = {"openai": "chat", "anthropic": "messages"}[kind]
    given = {"base_url": url, "mode": mode, "batch": True, "api_key": "key-4711-4711", "patience": 0.5, **options}
    requests = [Request(Prompt(f"Question {n}?"), TASK, Instance(str(n), "", any_of("x"))) for n in range(count)]
    return open_model("api/x", given).generate(requests, Generation())


TOOL_CALL = {
    "choices": [
        {
            "message": {
                "content": None,
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "answer", "arguments": '{"place": "kitchen"}'}}
                ],
            },
            "finish_reason": "tool_calls",
        }
    ]
}
EXCHANGES = {
    "openai: text": (openai, {}, ("kitchen", "complete", "")),
    "openai: cut": (
        openai,
        {"body": {"choices": [{"message": {"content": "kit"}, "finish_reason": "length"}]}},
        ("kit", "truncated", ""),
    ),
    "openai: tool call": (openai, {"body": TOOL_CALL}, ("kitchen", "complete", "")),
    "openai: refusal": (
        openai,
        {"body": {"choices": [{"message": {"content": None, "refusal": "no"}, "finish_reason": "stop"}]}},
        ("", "failed", "refus"),
    ),
    "openai: filter": (
        openai,
        {"body": {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}},
        ("", "failed", "filter"),
    ),
    "openai: bad request": (
        openai,
        {"body": {"error": {"message": "too long"}}, "status": 400},
        ("", "failed", "status 400: too long"),
    ),
    "openai: rate limit": (
        openai,
        {"body": {"error": {"message": "slow down"}}, "status": 429},
        ("", "failed", "status 429"),
    ),
    "openai: expired": (
        openai,
        {"body": None, "error": {"code": "batch_expired", "message": "it expired"}},
        ("", "failed", "it expired"),
    ),
    "openai: cancelled": (
        openai,
        {"body": None, "error": {"code": "batch_cancelled"}},
        ("", "failed", "batch_cancelled"),
    ),
    "openai: no choices": (openai, {"body": {"choices": []}}, ("", "failed", "malformed")),
    "openai: no body": (openai, {"body": "text"}, ("", "failed", "malformed")),
    "openai: neither": (openai, {"body": None}, ("", "failed", "no response")),
    "anthropic: text": (anthropic, {}, ("kitchen", "complete", "")),
    "anthropic: thinking": (
        anthropic,
        {"message": {**ANTHROPIC, "content": [{"type": "thinking", "thinking": "hm"}, *ANTHROPIC["content"]]}},
        ("kitchen", "complete", ""),
    ),
    "anthropic: cut": (
        anthropic,
        {"message": {**ANTHROPIC, "stop_reason": "max_tokens"}},
        ("kitchen", "truncated", ""),
    ),
    "anthropic: tool": (
        anthropic,
        {
            "message": {
                **ANTHROPIC,
                "stop_reason": "tool_use",
                "content": [{"type": "tool_use", "id": "t", "name": "a", "input": {"place": "kitchen"}}],
            }
        },
        ('"place": "kitchen"', "complete", ""),
    ),
    "anthropic: refusal": (
        anthropic,
        {"message": {**ANTHROPIC, "stop_reason": "refusal", "content": []}},
        ("", "failed", "refused"),
    ),
    "anthropic: two blocks": (
        anthropic,
        {"message": {**ANTHROPIC, "content": ANTHROPIC["content"] * 2}},
        ("kitchenkitchen", "complete", ""),
    ),
    "anthropic: errored": (
        anthropic,
        {
            "kind": "errored",
            "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "too long"}},
        },
        ("", "failed", "errored: too long"),
    ),
    "anthropic: errored, flat": (
        anthropic,
        {"kind": "errored", "error": {"type": "api_error", "message": "oops"}},
        ("", "failed", "errored: oops"),
    ),
    "anthropic: canceled": (anthropic, {"kind": "canceled"}, ("", "failed", "canceled")),
    "anthropic: expired": (anthropic, {"kind": "expired"}, ("", "failed", "expired")),
    "anthropic: no content": (anthropic, {"message": {"type": "message"}}, ("", "failed", "malformed")),
    "anthropic: unknown": (anthropic, {"kind": "lost"}, ("", "failed", "lost")),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_an_exchange(name, provider):
    line, fields, (text, state, error) = EXCHANGES[name]
    served = Provider(lambda custom_id: line(custom_id, **fields))
    with provider(served) as server:
        outputs = ask(server.url, name.partition(":")[0])
    assert len(outputs) == 3 and served.handed_in == 1
    for output in outputs:
        assert text in output.text and output.state == state and error in output.error
    assert served.keys == {"Bearer key-4711-4711" if line is openai else "key-4711-4711"}


@pytest.mark.parametrize(
    ("mode", "endpoint", "body"),
    [
        ("completions", "/v1/completions", {"choices": [{"text": "kitchen", "finish_reason": "stop"}]}),
        (
            "responses",
            "/v1/responses",
            {
                "status": "completed",
                "output": [{"type": "message", "content": [{"type": "output_text", "text": "kitchen"}]}],
            },
        ),
    ],
)
def test_batches_of_the_other_formats_of_openai(mode, endpoint, body, provider):
    served = Provider(lambda custom_id: openai(custom_id, body))
    served.endpoint = endpoint
    with provider(served) as server:
        outputs = ask(server.url, "openai", mode=mode)
    assert [(output.text, output.state) for output in outputs] == [("kitchen", "complete")] * 3


HOSTILE = {
    "nothing": (lambda lines: b"", 0),
    "not JSON": (lambda lines: b"<html>\n" + "\n".join(lines).encode(), 3),
    "cut in the middle": (lambda lines: "\n".join(lines).encode()[: -len(lines[-1]) // 2], 2),
    "one line twice": (lambda lines: "\n".join([lines[0], *lines]).encode(), 3),
    "names of others": (
        lambda lines: "\n".join([*lines[:2], lines[2].replace('"custom_id": "', '"custom_id": "z')]).encode(),
        2,
    ),
    "no names": (
        lambda lines: "\n".join(json.dumps({**json.loads(line), "custom_id": None}) for line in lines).encode(),
        0,
    ),
    "lists": (lambda lines: b"[1, 2]\n" + "\n".join(lines).encode(), 3),
    "empty lines": (lambda lines: ("\n\n\n".join(lines) + "\n\n").encode(), 3),
    "numbers": (lambda lines: b"NaN\n1e999\n" + "\n".join(lines).encode(), 3),
    "deep": (lambda lines: b"[" * 5_000 + b"]" * 5_000 + b"\n" + "\n".join(lines).encode(), 3),
    "surrogates": (lambda lines: b'{"custom_id": "\\ud800"}\n' + "\n".join(lines).encode(), 3),
    "not UTF-8": (lambda lines: b'{"custom_id": "\xff\xfe"}\n' + "\n".join(lines).encode(), 3),
}


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_cost_only_what_they_break(kind, name, provider):
    raw, whole = HOSTILE[name]
    served = Provider(openai if kind == "openai" else anthropic, raw=raw)
    with provider(served) as server:
        outputs = ask(server.url, kind)
    assert [output.state for output in outputs].count("complete") == whole
    assert all(output.error == "the batch has no answer to this request" for output in outputs if output.error)


@pytest.mark.parametrize(("kind", "under_way"), [("openai", "in_progress"), ("anthropic", "in_progress")])
def test_the_same_call_fetches_what_was_handed_in(kind, under_way, provider):
    served = Provider(openai if kind == "openai" else anthropic, status=under_way)
    with provider(served) as server:
        for _ in range(2):
            with pytest.raises(UserError, match="1 of 3 answered"):
                ask(server.url, kind)
        assert served.handed_in == 1
        with pytest.raises(UserError, match="1 of 2 answered"):
            ask(server.url, kind, count=2)
        assert served.handed_in == 2, "other questions are another batch"
        served.status = ""
        ask(server.url, kind, count=2)
        ask(server.url, kind, count=2)
        assert served.handed_in == 3, "what was fetched is asked anew"
        assert "steal" not in " ".join(served.paths)


class Forgetful(Provider):
    """Takes a batch in without a word of it, as for a process that is killed meanwhile; lists what it has."""

    def __init__(self, line, *, arrives=True, others=0, odd=()):
        super().__init__(line)
        self.arrives, self.listed, self.silent = arrives, [{"id": f"old_{n}"} for n in range(others)] + list(odd), True

    def get(self, handler):
        query = handler.path.partition("?")[2]
        if not query:
            return super().get(handler)
        last = query.partition("after")[2].partition("=")[2]
        start = [None, *(each["id"] for each in self.listed)].index(last or None)
        page = self.listed[start : start + 2]
        more = start + 2 < len(self.listed)
        return handler.send({"data": [*page, None, "x"], "has_more": more, "last_id": page[-1]["id"] if page else None})

    def post(self, handler, content):
        if not self.silent or handler.path.endswith("/files"):
            return super().post(handler, content)
        if self.arrives:
            body = json.loads(content)
            if "requests" in body:
                self.requests = [(one["custom_id"], one["params"]) for one in body["requests"]]
            counts = {"processing": 0, "succeeded": len(self.requests)}
            self.listed.append(
                {"id": "mine_1", "metadata": body.get("metadata"), "processing_status": self.status or "ended",
                 "request_counts": counts, "results_url": "http://127.0.0.1:9/steal"}
            )  # fmt: skip
        self.silent = False
        handler.close_connection = True  # no answer
        return None


ODD = [
    {"id": "odd_1", "metadata": "x", "request_counts": 3},
    {"id": "odd_2", "metadata": {"taskloom": 7}, "request_counts": {"succeeded": "3"}},
    {"id": "odd_3", "request_counts": {"succeeded": 3}, "processing_status": "ended", "results_url": None},
]


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_batch_whose_id_was_never_learned_is_found_again(kind, provider):
    line = openai if kind == "openai" else anthropic
    served = Forgetful(line, others=5, odd=ODD)
    with provider(served) as server:
        with pytest.raises(UserError):
            ask(server.url, kind)
        outputs = ask(server.url, kind)
        assert [output.state for output in outputs] == ["complete"] * 3 and served.handed_in == 0
        assert any("mine_1" in path for path in served.paths) and "steal" not in " ".join(served.paths)
        ask(server.url, kind)
        assert served.handed_in == 1, "what was fetched is asked anew, and the old batch is not taken for it"


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_requests_that_never_arrived_are_handed_in(kind, provider):
    served = Forgetful(openai if kind == "openai" else anthropic, arrives=False, others=3)
    with provider(served) as server:
        with pytest.raises(UserError):
            ask(server.url, kind)
        assert [output.state for output in ask(server.url, kind)] == ["complete"] * 3
        assert served.handed_in == 1


def test_a_batch_that_cannot_tell_yet_is_waited_for(provider):
    served = Forgetful(anthropic)
    served.status = "in_progress"
    with provider(served) as server:
        for _ in range(2):
            with pytest.raises(UserError):
                ask(server.url, "anthropic")
        with pytest.raises(UserError, match="batch mine_1 may hold these requests") as caught:
            ask(server.url, "anthropic")
        assert "remove" in str(caught.value.hint) and served.handed_in == 0
        served.listed[-1]["processing_status"] = "ended"
        served.status = ""
        assert [output.state for output in ask(server.url, "anthropic")] == ["complete"] * 3


def test_a_provider_without_a_list_asks_what_to_do(provider):
    class Listless(Forgetful):
        def get(self, handler):
            handler.send({"error": {"message": "no such page"}}, status=404)

    with provider(Listless(openai)) as server:
        with pytest.raises(UserError):
            ask(server.url, "openai")
        with pytest.raises(UserError, match="may have handed in these requests: status 404") as caught:
            ask(server.url, "openai")
        assert "remove" in str(caught.value.hint)


def test_a_batch_that_failed_as_a_whole_says_why(provider):
    class Failed(Provider):
        def get(self, handler):
            handler.send({"status": "failed", "errors": {"data": [{"message": "line 2 is bad"}]}})

    with provider(Failed(openai)) as server:
        assert {output.error for output in ask(server.url, "openai")} == {"line 2 is bad"}


@pytest.mark.parametrize("answer", [{}, {"id": "../../x"}, {"id": 7}, {"id": "x" * 300}])
def test_an_id_that_is_none_is_refused(answer, provider):
    class Odd(Provider):
        def post(self, handler, content):
            handler.send(answer)

    with provider(Odd(openai)) as server, pytest.raises(UserError, match="no usable id"):
        ask(server.url, "openai")


def test_errors_of_the_desk_are_sentences_without_keys(provider):
    class Angry(Provider):
        def post(self, handler, content):
            handler.send({"error": {"message": "bad key key-4711-4711"}}, status=401)

    with provider(Angry(openai)) as server, pytest.raises(UserError, match="status 401") as caught:
        ask(server.url, "openai")
    assert "key-4711" not in str(caught.value)


def test_batches_cost_half_and_need_one_address_that_has_them(provider):
    with provider(Provider(anthropic)) as server:
        [output] = ask(server.url, "anthropic", count=1, price_in=3, price_out=15)
        assert output.cost == pytest.approx((10 * 3 + 4 * 15) / 1e6), "prices of one's own are not halved"
        with pytest.raises(UserError, match="several addresses"):
            ask([server.url, server.url + "x"], "anthropic")
        with pytest.raises(UserError, match="mode gemini has no batches"):
            ask(server.url, "openai", mode="gemini")
