"""`api/…` against real HTTP servers on loopback: one that serves a real model, and one that misbehaves."""

from __future__ import annotations

import json
import logging
import threading
import time
from email.utils import formatdate

import pytest

from servers import echo, said, serving, texts
from taskloom.core import UserError
from taskloom.core.encoding import Message, Prompt
from taskloom.core.model import Generation, Request, open_model

KEY = "sk-secret-4711"

pytestmark = pytest.mark.usefixtures("quick_client")


@pytest.mark.train
@pytest.mark.parametrize("mode", ["chat", "completions"])
def test_a_real_model_says_the_same_over_http(ask, mode):
    local = open_model("tiny/gpt-1m")
    lock = threading.Lock()

    def answer(handler, body, count):
        prompt = body["prompt"] if mode == "completions" else body["messages"][-1]["content"]
        generation = Generation(max_tokens=body["max_tokens"], temperature=body["temperature"], seed=body["seed"])
        with lock:
            made = local.generate([ask(prompt)], generation)[0]
        choice = {"finish_reason": "length" if made.state == "truncated" else "stop"}
        choice |= {"text": made.text} if mode == "completions" else {"message": {"content": made.text}}
        usage = {"prompt_tokens": made.prompt_tokens, "completion_tokens": made.output_tokens}
        handler.send({"choices": [choice], "usage": usage})

    requests = [ask(f"number {index} of many") for index in range(12)]
    for generation in (Generation(max_tokens=5), Generation(max_tokens=5, temperature=0.8, seed=3)):
        expected = local.generate(requests, generation)
        with serving(answer) as server:
            model = open_model("api/tiny", {"base_url": server.url, "mode": mode, "price_in": 2, "price_out": 10})
            found = model.generate(requests, generation)
        assert texts(found) == texts(expected)
        for one, other in zip(found, expected, strict=True):
            assert (one.state, one.prompt_tokens, one.output_tokens) == (
                other.state,
                other.prompt_tokens,
                other.output_tokens,
            )
            assert one.cost == pytest.approx((2 * one.prompt_tokens + 10 * one.output_tokens) / 1e6)


def stall(handler):
    time.sleep(1.2)
    handler.send(said("too late"))


def drip(handler):
    content = json.dumps(said("slow")).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    for byte in content:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        time.sleep(0.02)


def cut_short(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"message": {"content": "cut')
    handler.wfile.flush()
    handler.close_connection = True
    handler.connection.close()


def hang_up(handler):
    handler.close_connection = True
    handler.connection.close()


SLOW = ("stalls", "drips")
FAULTS = {
    "error 500": lambda handler: handler.send({"error": {"message": "oops"}}, 500),
    "error page": lambda handler: handler.send(b"<html>bad gateway</html>", 502),
    "too many": lambda handler: handler.send({"error": {"message": "slow down"}}, 429, Retry_After="0.05"),
    "too many until a date": lambda handler: handler.send({}, 429, Retry_After=formatdate(usegmt=True)),
    "overloaded": lambda handler: handler.send(b"", 503),
    "stalls": stall,
    "drips": drip,
    "cut short": cut_short,
    "hangs up": hang_up,
    "not json": lambda handler: handler.send(b"{choices: oops"),
    "not utf-8": lambda handler: handler.send(b'{"choices": [{"message": {"content": "\xff"}}]}'),
    "no choices": lambda handler: handler.send({"choices": []}),
    "two choices": lambda handler: handler.send({"choices": said("a")["choices"] * 2}),
    "no text": lambda handler: handler.send(said(None)),
    "wrong types": lambda handler: handler.send({"choices": [{"message": {"content": 7}}]}),
    "an error with status 200": lambda handler: handler.send({"error": {"message": "surprise"}}),
    "a list": lambda handler: handler.send([]),
    "not compressed as it says": lambda handler: handler.send(b"plain", Content_Encoding="gzip"),
    "nested too deep": lambda handler: handler.send(b'{"more": ' + b"[" * 99_999 + b"]" * 99_999 + b', "choices": []}'),
    "nested too deep, with an error": lambda handler: handler.send(b"[" * 99_999, 500),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_passes_if_the_server_recovers(ask, fault):
    """Each prompt's first try goes wrong, the second goes well; nothing is lost and nothing is mixed up."""
    failed = set()

    def answer(handler, body, count):
        prompt = body["messages"][-1]["content"]
        with handler.server.lock:
            first = prompt not in failed
            failed.add(prompt)
        if first:
            FAULTS[fault](handler)
        else:
            echo(handler, body, count)

    with serving(answer) as server:
        # Only for slow faults does the clock matter; there a busy machine may need more than two tries.
        timeout = 0.6 if fault in SLOW else 60
        model = open_model("api/x", {"base_url": server.url, "timeout": timeout, "patience": 120})
        outputs = model.generate([ask(f"q{index}") for index in range(6)], Generation())
    assert texts(outputs) == [f"echo q{index}" for index in range(6)]
    assert server.count == 12 or (fault in SLOW and server.count > 12)


@pytest.mark.parametrize("fault", ["error 500", "not json", "two choices", "cut short"])
def test_a_fault_that_stays_is_a_failed_output_not_a_crash(ask, fault):
    def answer(handler, body, count):
        if body["messages"][-1]["content"] == "bad":
            FAULTS[fault](handler)
        else:
            echo(handler, body, count)

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url, "timeout": 60, "patience": 0.5, "malformed": 2})
        outputs = model.generate([ask("good"), ask("bad"), ask("fine")], Generation())
    assert [output.state for output in outputs] == ["complete", "failed", "complete"]
    assert outputs[1].error
    assert outputs[1].text == ""


@pytest.mark.parametrize("fault", SLOW)
def test_slow_answers_end_at_the_time_limit_of_the_whole_request(ask, fault):
    """A dripping server sends something every few milliseconds, so limits per read would never strike."""
    with serving(lambda handler, body, count: FAULTS[fault](handler)) as server:
        model = open_model("api/x", {"base_url": server.url, "timeout": 0.2, "patience": 0.5})
        output = model.generate([ask("bad")], Generation())[0]
    assert output.state == "failed"
    assert output.error == "no complete answer within 0.2 s"


def test_a_server_that_goes_away_and_returns_loses_nothing(ask):
    outputs = []
    with serving(lambda handler, body, count: hang_up(handler) if count > 3 else echo(handler, body, count)) as server:
        port = server.server_port
        model = open_model("api/x", {"base_url": server.url, "patience": 30, "concurrency": 3})
        thread = threading.Thread(
            target=lambda: outputs.extend(model.generate([ask(f"q{index}") for index in range(9)], Generation()))
        )
        thread.start()
        while server.count < 6:
            time.sleep(0.01)
    time.sleep(1.0)  # nobody listens on the port now
    assert not outputs
    with serving(echo, port):
        thread.join(timeout=60)
    assert texts(outputs) == [f"echo q{index}" for index in range(9)]


def test_concurrency_is_bounded_and_adapts_to_too_many_requests(ask):
    capacity = 3
    crowd = threading.Event()

    def answer(handler, body, count):
        with handler.server.lock:
            full = handler.server.busy > capacity
        if full:
            crowd.set()
            handler.send({"error": {"message": "slow down"}}, 429, Retry_After="0.05")
        else:
            crowd.wait(30)  # the first few hold on until there is a crowd, so that one is refused for certain
            echo(handler, body, count)

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url, "concurrency": 12, "patience": 120})
        outputs = model.generate([ask(f"q{index}") for index in range(40)], Generation())
    assert all(output.state == "complete" for output in outputs)
    assert capacity < server.peak <= 12
    assert model.client.addresses[0].pace.refusals > 0
    assert model.client.addresses[0].pace.limit < 12


def test_pace_halves_once_per_round_and_recovers():
    from taskloom.models.backlog import Pace

    pace = Pace(16)
    sent = time.monotonic()
    for _ in range(16):
        pace.refused(sent)
    assert pace.limit == 8
    for _ in range(200):
        pace.succeeded()
    assert pace.limit == 16


def test_thinking_is_taken_out_and_kept(ask):
    replies = [
        said("<think>hm, maybe no</think>\n yes "),
        said("<think>cut off while think", finish_reason="length"),
        {"choices": [{"message": {"content": "no", "reasoning_content": "let me see"}, "finish_reason": "stop"}]},
        said("plain"),
        {"choices": [{"message": {"content": None, "reasoning_content": "let me"}, "finish_reason": "length"}]},
        {"choices": [{"message": {"content": None}, "finish_reason": "length"}]},
    ]

    def answer(handler, body, count):
        handler.send(replies[int(body["messages"][-1]["content"])])

    with serving(answer) as server:
        asked = [ask(str(index)) for index in range(len(replies))]
        outputs = open_model("api/x", {"base_url": server.url}).generate(asked, Generation())
        kept = open_model("api/x", {"base_url": server.url, "keep_thinking": True}).generate(asked[:1], Generation())
    assert [(output.text, output.state) for output in outputs] == [
        ("yes", "complete"),
        ("", "truncated"),
        ("no", "complete"),
        ("plain", "complete"),
        ("", "truncated"),
        ("", "truncated"),
    ]
    assert server.count == len(replies) + 1
    assert outputs[0].raw == "<think>hm, maybe no</think>\n yes "
    assert outputs[2].raw == "<think>let me see</think>no"
    assert outputs[3].raw == ""
    assert outputs[4].raw == "<think>let me"
    assert [output.reasoning for output in outputs[:5]] == [
        "hm, maybe no",
        "cut off while think",
        "let me see",
        "",
        "let me",
    ]
    assert kept[0].text.startswith("<think>")


def test_refusals_filters_and_bad_requests_fail_alone(ask):
    replies = {
        "filter": (said("x", finish_reason="content_filter"), 200),
        "refusal": ({"choices": [{"message": {"content": None, "refusal": "I will not"}}]}, 200),
        "long": ({"error": {"message": "context length exceeded"}}, 400),
    }

    def answer(handler, body, count):
        prompt = body["messages"][-1]["content"]
        handler.send(*replies.get(prompt, (said("ok"), 200)))

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url})
        outputs = model.generate([ask(text) for text in ("fine", "filter", "refusal", "long")], Generation())
    assert [output.state for output in outputs] == ["complete", "failed", "failed", "failed"]
    assert "content filter" in outputs[1].error
    assert "I will not" in outputs[2].error
    assert "context length" in outputs[3].error
    assert server.count == 4


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_stops_at_once_and_never_shows_it(ask, status, caplog):
    def answer(handler, body, count):
        handler.send({"error": {"message": f"Incorrect key provided: {KEY}"}}, status)

    caplog.set_level(logging.DEBUG)
    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url, "api_key": KEY})
        with pytest.raises(UserError, match=f"status {status}") as caught:
            model.generate([ask(f"q{index}") for index in range(20)], Generation())
    assert server.seen[0][2] == f"Bearer {KEY}"
    shown = str(caught.value) + repr(model.identity) + caplog.text
    assert KEY not in shown and "[api_key]" in shown
    assert server.count <= 8


def test_a_password_in_the_address_is_not_shown(ask):
    with serving(lambda handler, body, count: handler.send({}, 401)) as server:
        url = f"http://name:{KEY}@127.0.0.1:{server.server_port}/v1"
        with pytest.raises(UserError, match="status 401") as caught:
            open_model("api/x", {"base_url": url}).generate([ask("q")], Generation())
    assert KEY not in str(caught.value)


def test_a_key_from_a_file_loses_its_newline_and_nonsense_is_refused(ask):
    """A header cannot carry a newline, and the library that says so repeats the whole header."""
    with serving(echo) as server:
        model = open_model("api/x", {"base_url": server.url, "api_key": f"{KEY}\r\n"})
        assert model.generate([ask("hi")], Generation())[0].text == "echo hi"
        assert server.seen[0][2] == f"Bearer {KEY}"
    with pytest.raises(UserError, match="not allowed in a header") as caught:
        open_model("api/x", {"base_url": server.url, "api_key": f"{KEY}\n{KEY}"})
    assert KEY not in str(caught.value)


def test_any_prompt_can_be_sent(ask):
    """A prompt that cannot be encoded would take the whole batch with it."""
    with serving(lambda handler, body, count: handler.send(said("ok"))) as server:
        outputs = open_model("api/x", {"base_url": server.url}).generate([ask("a\ud800b"), ask("fine")], Generation())
    assert texts(outputs) == ["ok", "ok"]


def test_a_server_that_is_not_there_is_waited_for_once_not_once_per_request(ask, caplog):
    with serving(echo) as server:
        url = server.url
    model = open_model("api/x", {"base_url": url, "patience": 0.3, "concurrency": 2})
    with pytest.raises(UserError, match=r"no answer for 0\.3 s") as caught:
        model.generate([ask(f"q{index}") for index in range(500)], Generation())
    assert url in str(caught.value) and "base_url" in str(caught.value)
    assert model.client.tries < 100
    assert caplog.text.count("no server at") == 1


def test_an_address_at_which_nothing_ever_answered_is_given_up_soon(ask, monkeypatch):
    monkeypatch.setattr("taskloom.models.client.FIRST_PATIENCE", 0.3)
    with serving(echo) as server:
        url = server.url
    with pytest.raises(UserError, match=r"no answer for 0\.3 s"):
        open_model("api/x", {"base_url": url}).generate([ask("q")], Generation())


def test_key_and_address_come_from_the_environment(ask, monkeypatch):
    with serving(echo) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = open_model("api/some/model")
        turns = (Message("system", "Be brief."), Message("user", "hello"))
        request = Request(Prompt("system: Be brief.\nuser: hello", turns), ask("x").task, ask("x").instance)
        assert model.generate([request], Generation(stop=("\n",)))[0].text == "echo hello"
    path, body, key = server.seen[0]
    assert (path, key) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body["model"] == "some/model"
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hello"},
    ]
    assert body["stop"] == ["\n"] and body["temperature"] == 0


def test_wrong_options_and_impossible_pairs_are_refused_before_anything_runs():
    with pytest.raises(UserError, match="needs the address of its server"):
        open_model("api/gpt")
    with pytest.raises(UserError, match="not an http address"):
        open_model("api/gpt", {"base_url": "ftp://there"})
    for url in ("http://127.0.0.1:abc/v1", "http://127.0.0.1:99999/v1", "http://[::1/v1"):
        with pytest.raises(UserError, match="not an http address"):
            open_model("api/gpt", {"base_url": url})
    with pytest.raises(UserError, match="price_in: must be 0 or more"):
        open_model("api/gpt", {"price_in": -1})
    with pytest.raises(UserError, match="concurrency"):
        open_model("api/gpt", {"concurency": 3})
    with pytest.raises(UserError, match="1 or more"):
        open_model("api/gpt", {"concurrency": 0})
    with pytest.raises(UserError, match="adapt finetune needs a model that can train; api/gpt cannot"):
        open_model("api/gpt", {"base_url": "http://127.0.0.1:9/v1"}).require("train", "--adapt finetune")


def test_it_works_inside_a_running_event_loop(ask):
    import asyncio

    async def notebook():
        return model.generate([ask("hi")], Generation())

    with serving(echo) as server:
        model = open_model("api/x", {"base_url": server.url})
        assert asyncio.run(notebook())[0].text == "echo hi"


def test_extra_fields_go_into_the_body(ask):
    with serving(echo) as server:
        options = {"base_url": server.url, "extra.reasoning_effort": "low", "length_key": "max_completion_tokens"}
        open_model("api/x", options).generate([ask("hi")], Generation(max_tokens=7))
    assert server.seen[0][1]["reasoning_effort"] == "low"
    assert server.seen[0][1]["max_completion_tokens"] == 7 and "max_tokens" not in server.seen[0][1]


def test_each_answer_is_streamed_as_soon_as_it_is_there(ask):
    gate = threading.Event()

    def answer(handler, body, count):
        if body["messages"][-1]["content"] == "slow":
            gate.wait(10)
        echo(handler, body, count)

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url})
        arrived = model.stream([ask("slow"), ask("quick")], Generation())
        assert [(index, output.text) for index, output in next(arrived)] == [(1, "echo quick")]
        gate.set()
        assert [(index, output.text) for index, output in next(arrived)] == [(0, "echo slow")]
        assert list(arrived) == []


def test_a_run_continues_after_the_server_died_and_keeps_the_key_secret(tmp_path, monkeypatch, capsys):
    """The whole way by command: half of the answers fail, the same command asks only for those."""
    import sys

    from taskloom.cli.main import main

    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "run"
    asked = []

    def answer(handler, body, count):
        prompt = body["messages"][-1]["content"]
        if len(asked) >= 4:
            handler.send({"error": {"message": f"gone, and your key was {KEY}"}}, 500)
        else:
            asked.append(prompt)
            handler.send(said("entailment"))

    with serving(answer) as server:
        port = server.server_port
        command = ["run", "seti/task2-trivial", "--model", "api/x", "--limit", "8", "-o", str(out)]
        command += [
            "-M",
            "price_in=2",
            "-M",
            "price_out=10",
            "-M",
            f"base_url={server.url}",
            "-M",
            f"api_key={KEY}",
            "-M",
            "patience=0.2",
            "-M",
            "concurrency=1",
        ]
        monkeypatch.setattr(sys, "argv", ["taskloom", *command])
        assert main(command) == 1
    printed = capsys.readouterr()
    assert "4 failed (status 500: gone" in printed.err
    first = list(asked)
    asked.clear()

    def recovered(handler, body, count):
        asked.append(body["messages"][-1]["content"])
        handler.send(said("entailment"))

    with serving(recovered, port):
        assert main(command) == 0
    printed_again = capsys.readouterr()
    assert len(first) == len(asked) == 4
    assert "88 prompt tokens, 24 answer tokens, 112 billed, cost 0.000416" in printed_again.out
    assert json.loads((out / "results.json").read_bytes())["usage"] == {
        "prompt": 88,
        "output": 24,
        "billed": 112,
        "cost": pytest.approx(416e-6),
    }
    assert not set(first) & set(asked)
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"api_key=" in written and KEY.encode() not in written
    assert KEY not in "".join((*printed, *printed_again))


def test_slow_requests_never_hold_up_the_others(ask):
    """One in 64 is answered only when everything else has been: behind a barrier that would wait for ever."""
    quick_left = threading.Semaphore(0)
    count, slow_ones = 320, 5

    def answer(handler, body, count):
        if int(body["messages"][-1]["content"]) % 64 == 0:
            quick_left.acquire(timeout=60)
        echo(handler, body, count)

    drawn = []

    def requests():
        for index in range(count):
            drawn.append(index)
            yield ask(str(index))

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url, "concurrency": 8})
        order, ahead = [], 0
        for group in model.stream(requests(), Generation()):
            order += [index for index, _ in group]
            ahead = max(ahead, len(drawn) - len(order))
            if len(order) == count - slow_ones:
                for _ in range(slow_ones):
                    quick_left.release()
    assert sorted(order) == list(range(count))
    assert {index % 64 for index in order[-slow_ones:]} == {0}
    assert ahead <= 3 * 8, "requests are drawn as places come free, not all at once"


def test_abandoned_streams_stop_asking(ask):
    gate = threading.Event()

    def answer(handler, body, count):
        gate.wait(0.05)
        echo(handler, body, count)

    with serving(answer) as server:
        model = open_model("api/x", {"base_url": server.url, "concurrency": 2})
        stream = model.stream((ask(str(index)) for index in range(10_000)), Generation())
        next(stream)
        stream.close()
        gate.set()
        time.sleep(0.2)
        assert server.count < 20
