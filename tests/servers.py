"""Servers on loopback: one that answers as a test says, and one in front of a real transformers model.

The latter has the log-probability fields of OpenAI's interface and shares no code with Taskloom's engines: texts
go through the tokenizer and one plain forward pass.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """A server whose handler calls `answer(handler, body, count)`."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, answer, port=0):
        self.answer, self.count, self.seen, self.busy, self.peak = answer, 0, [], 0, 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, request, client_address):
        pass  # clients that give up are part of the game


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.count += 1
            count = self.server.count
            self.server.busy += 1
            self.server.peak = max(self.server.peak, self.server.busy)
            self.server.seen.append((self.path, body, self.headers.get("Authorization")))
        try:
            self.server.answer(self, body, count)
        finally:
            with self.server.lock:
                self.server.busy -= 1

    def send(self, data, status=200, **headers):
        content = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


@contextmanager
def serving(answer, port=0):
    server = Server(answer, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def said(text, **choice):
    return {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3},
    }


def echo(handler, body, count):
    """Answer with the question."""
    handler.send(said("echo " + body["messages"][-1]["content"]))


def texts(outputs):
    """What models said."""
    return [output.text for output in outputs]


def token_texts(tokenizer, text):
    """The ids of a text and the piece of it that each stands for."""
    ids = tokenizer(text, add_special_tokens=False).input_ids
    pieces = [tokenizer.decode([token]) for token in ids]
    if pieces and not text.startswith(" "):
        pieces[0] = pieces[0].removeprefix(" ")
    assert "".join(pieces) == text
    return ids, pieces


class ScoringServer:
    """Answers `/completions` with `echo` and `/chat/completions` with `logprobs`, as `serving` wants it.

    Args:
        module: A causal transformers model.
        tokenizer: Its tokenizer.
        drop_after: Send no log-probabilities after so many answers; None for always.
    """

    def __init__(self, module, tokenizer, drop_after=None):
        self.module, self.tokenizer, self.drop_after = module.eval(), tokenizer, drop_after
        self.lock = threading.Lock()
        self.answered = 0

    def __call__(self, handler, body, count):
        with self.lock:
            self.answered += 1
            silent = self.drop_after is not None and self.answered > self.drop_after
            choice = self.chat(body) if "messages" in body else self.echo(body)
        if silent:
            choice.pop("logprobs")
        handler.send({"choices": [{"finish_reason": "length", **choice}], "usage": {"prompt_tokens": 1.0}})

    def scores(self, ids):
        import torch

        with torch.no_grad():
            return self.module(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(-1)

    def echo(self, body):
        text = body["prompt"]
        assert body["echo"] and body["logprobs"]
        ids, pieces = token_texts(self.tokenizer, text)
        rows = self.scores(ids)
        values = [None, *(float(rows[at, token]) for at, token in enumerate(ids[1:]))]
        best = int(rows[-1].argmax())
        offsets = [sum(map(len, pieces[:at])) for at in range(len(pieces))]
        return {
            "text": text + self.tokenizer.decode([best]),
            "logprobs": {
                "tokens": [*pieces, self.tokenizer.decode([best])],
                "token_logprobs": [*values, float(rows[-1, best])],
                "text_offset": [*offsets, len(text)],
                "top_logprobs": None,
            },
        }

    def chat(self, body):
        ids, _ = token_texts(self.tokenizer, body["messages"][-1]["content"])
        row = self.scores(ids)[-1]
        values, places = row.topk(body["top_logprobs"])
        top = [
            {"token": self.tokenizer.decode([token]), "logprob": value, "bytes": None}
            for token, value in zip(places.tolist(), values.tolist(), strict=True)
        ]
        return {"message": {"content": top[0]["token"]}, "logprobs": {"content": [{**top[0], "top_logprobs": top}]}}
