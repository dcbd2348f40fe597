"""`api/…` where a server refuses: what stops a run, what names people type, and that no error repeats a secret."""

from __future__ import annotations

import re

import pytest

from servers import echo, serving, texts
from taskloom.core import UserError
from taskloom.core.model import Generation, open_model

KEY = "sk-secret-4711"

pytestmark = pytest.mark.usefixtures("quick_client")


STOPS = {
    "401 after answers": (401, {"error": {"message": "key revoked"}}, {}, "the key was rejected"),
    "402": (402, {"error": {"message": "add credit"}}, {}, "no credit left"),
    "quota by code": (429, {"error": {"message": "no", "code": "insufficient_quota"}}, {}, "quota"),
    "quota by words": (400, {"error": {"message": "Your credit balance is too low to access"}}, {}, "quota"),
    "tomorrow": (429, {"error": {"message": "daily limit"}}, {"Retry_After": "86400"}, "asks to wait 86,400 s"),
}


@pytest.mark.parametrize("case", STOPS)
def test_what_concerns_every_request_stops_the_run_at_once(ask, case):
    status, body_sent, headers, words = STOPS[case]

    def answer(handler, body, count):
        if count > 4:
            handler.send(body_sent, status, **headers)
        else:
            echo(handler, body, count)

    came = []
    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url, "concurrency": 2, "patience": 5})
        with pytest.raises(UserError, match=words) as caught:
            for group in model.stream((ask(str(index)) for index in range(500)), Generation()):
                came += group
    assert len(came) == 4 and all(output.state == "complete" for _, output in came)
    assert f"status {status}" in str(caught.value) and "the same command continues" in str(caught.value)
    assert server.count <= 8


def test_a_limit_per_minute_is_waited_for_even_if_it_is_called_a_quota(ask):
    def answer(handler, body, count):
        if count == 2:
            handler.send({"error": {"code": "insufficient_quota"}}, 429, Retry_After="0.05")
        else:
            echo(handler, body, count)

    with serving(answer) as server:
        outputs = open_model("api/x", {"base_url": server.url}).generate([ask("a"), ask("b")], Generation())
    assert texts(outputs) == ["echo a", "echo b"]


def test_parts_and_odd_usage_are_understood(ask):
    parts = [{"type": "thinking", "thinking": "so"}, {"type": "text", "text": "ye"}, "s", {"type": "image"}]
    usages = [{"prompt_tokens": 11.0, "completion_tokens": 2.6}, {"prompt_tokens": "many"}, [], None]

    def answer(handler, body, count):
        place = int(body["messages"][-1]["content"])
        handler.send({"choices": [{"message": {"content": parts}}], "usage": usages[place]})

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url})
        outputs = model.generate([ask(str(index)) for index in range(4)], Generation())
    assert [(output.text, output.reasoning, output.raw) for output in outputs] == [
        ("yes", "so", "<think>so</think>yes")
    ] * 4
    assert [(output.prompt_tokens, output.output_tokens) for output in outputs] == [(11, 3)] + [(None, None)] * 3


PRESETS = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "together": ("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "ollama": ("http://127.0.0.1:11434/v1", None),
    "vllm": ("http://127.0.0.1:8000/v1", None),
}


@pytest.mark.parametrize("provider", PRESETS)
def test_names_people_type(ask, provider, monkeypatch):
    url, variable = PRESETS[provider]
    if variable:
        monkeypatch.delenv(variable, raising=False)
        with pytest.raises(UserError, match=variable):
            open_model(f"{provider}/maker/model")
        monkeypatch.setenv(variable, KEY)
    model = open_model(f"{provider}/maker/model")
    assert model.identity.name == f"{provider}/maker/model"
    assert model.identity.settings["base_url"] == url
    with serving(echo) as server:
        opened = open_model(f"{provider}/maker/model", {"base_url": server.url})
        assert texts(opened.generate([ask("hi")], Generation())) == ["echo hi"]
    assert server.seen[0][1]["model"] == "maker/model"
    assert server.seen[0][2] == (f"Bearer {KEY}" if variable else None)


def test_an_unknown_provider_is_met_with_those_that_may_be_meant():
    with pytest.raises(UserError, match=r"hf/maker/x loads it from the hub.*vllm/maker/x.*openrouter/maker/x"):
        open_model("maker/x")


ECHOES = ("plain", "across the cut", "percent", "basic", "password", "json")


@pytest.mark.parametrize("where", ECHOES)
def test_no_error_repeats_a_secret(ask, where):
    """Secrets are taken out before a text is cut: a key across the cut would leave its first half."""
    import base64

    secret = "sk-/se+cret-0815" if where != "basic" else "pass-word-0815"
    basic = base64.b64encode(f"name:{secret}".encode()).decode()
    echoes = {
        "plain": f"bad key {secret}",
        "across the cut": "x" * 194 + secret + "y" * 90 + secret,
        "percent": "bad key sk-%2Fse%2Bcret-0815",
        "basic": f"Authorization: Basic {basic}",
        "password": f"http://name:{secret}@here",
        "json": "bad key " + secret.replace("/", "\\/"),
    }

    def answer(handler, body, count):
        text = echoes[where]
        handler.send(text.encode() if where != "percent" else {"error": {"message": text}}, 400)

    with serving(answer) as server:
        options = {"base_url": server.url, "api_key": secret}
        if where in ("basic", "password"):
            quoted = secret.replace("/", "%2F").replace("+", "%2B")
            options = {"base_url": f"http://name:{quoted}@127.0.0.1:{server.server_port}/v1"}
        output = open_model("api/x", options).generate([ask("q")], Generation())[0]
    pieces = {form[start : start + 6] for form in (secret, basic) for start in range(len(form) - 5)}
    assert output.state == "failed" and re.search(r"\[(api_key|credentials|password)\]", output.error)
    assert not [piece for piece in pieces if piece in output.error]


def test_a_password_and_a_key_together_are_refused(monkeypatch):
    with pytest.raises(UserError, match="and there is also a key") as caught:
        open_model("api/x", {"base_url": f"http://me:{KEY}@host/v1", "api_key": "other"})
    assert KEY not in str(caught.value) and "other" not in str(caught.value).replace("another", "")
    with pytest.raises(UserError, match="query") as caught:
        open_model("api/x", {"base_url": f"http://host/v1?key={KEY}"})
    assert KEY not in str(caught.value)
