"""verifiers runs the taskset against a server on this machine, and its rewards are ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hosts.live.shared import SUITES, opened, run_blocks, said
from taskloom.hosts.table import HostTable
from taskloom.rl.reward import chat_text

COUNT = 8


@pytest.fixture
def server():
    """An endpoint that knows the answers to prompts it was given, and streams them."""
    known: dict[str, str] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            shown = chat_text(body["messages"])
            text = said(body["model"], shown, known.get(shown, "?"))
            base = {"id": "1", "created": 1, "model": body["model"]}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            if body.get("stream"):
                first = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
                last = {"index": 0, "delta": {}, "finish_reason": "stop"}
                parts = [{**base, "object": "chat.completion.chunk", "choices": [one]} for one in (first, last)]
                parts.append({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
                data = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
                kind = "text/event-stream"
            else:
                message = {"role": "assistant", "content": text}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                data = json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
                kind = "application/json"
            raw = data.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def do_GET(self) -> None:
            raw = json.dumps({"object": "list", "data": [{"id": "oracle", "object": "model"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *arguments: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http.server_port}/v1", known
    http.shutdown()


def remember(known: dict[str, str], suite, count: int) -> None:
    table = HostTable(suite, "chat")
    for row in suite.rows(suite.default_split(), limit=count):
        record = table.record(row)
        known[chat_text(record["prompt"])] = record["answer"]


def traces(folder: Path) -> list[dict]:
    (file,) = folder.rglob("traces.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines() if line]


@pytest.mark.parametrize("name", SUITES)
def test_rewards_are_ours(name, ours, server, tmp_path):
    url, known = server
    remember(known, opened(name), COUNT)
    for model in ("oracle", "half"):
        options = ["--env.taskset.options", json.dumps(SUITES[name])] if SUITES[name] else []
        command = f"""taskloom-verifiers --env.taskset.suite {name} --env.taskset.seed 3 -n {COUNT} -m {model}
            --client.base-url {url} --client.api-key-var KEY --no-push --no-rich --env.agent.harness.id null
            --env.agent.runtime.type subprocess -o {tmp_path / model}""".split()
        command = [str(Path(sys.executable).parent / "vf-eval"), *command, *options]
        environment = {**os.environ, "KEY": "none", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        theirs = {}
        for episode in traces(tmp_path / model):
            record = episode["task"]["data"]["record"]
            (trace,) = episode["traces"]
            theirs[record["task"], record["id"]] = trace["rewards"]["taskloom"]["score"]
        assert theirs == ours(name, model, "chat", COUNT)


def test_the_page(server, tmp_path):
    from taskloom import open_suite

    url, known = server
    remember(known, open_suite("babi/task-1", seed=3), 4)
    run_blocks("verifiers", tmp_path, URL=url, KEY="none")
    found = traces(tmp_path / "out")
    assert [episode["traces"][0]["rewards"]["taskloom"]["score"] for episode in found] == [1.0] * 4
