"""The API client on a server with slow requests: how full its places are, and what that is worth.

    python -m benchmarks barriers

320 requests, eight at once, 0.05 s each but one in 64 of 8 s. The server keeps a clock of its own: it moves on to the
next answer only when the client has filled every place it can, so neither a busy machine nor a slow one decides
anything. The bound is what no client can beat: the slowest request, or all the work divided by the places.
"""

from __future__ import annotations

import heapq
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from taskloom.core import Instance, Instruction, Task, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model

REQUESTS, PLACES, QUICK, SLOW, EVERY = 320, 8, 0.05, 8.0, 64
PATIENCE = 2.0
"""Real seconds without a new request after which the client is taken to leave places empty on purpose."""


class ClockedServer(ThreadingHTTPServer):
    """A server that answers in virtual time."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.changed = threading.Condition()
        self.waiting: list[tuple[float, int, threading.Event]] = []
        self.now, self.seen, self.answered, self.area, self.sending = 0.0, 0, 0, 0.0, 0.0

    def enter(self, duration: float) -> threading.Event:
        """Note a request; the event is set when its answer is due."""
        with self.changed:
            self.seen += 1
            due = threading.Event()
            heapq.heappush(self.waiting, (self.now + duration, self.seen, due))
            self.changed.notify_all()
            return due

    def run_clock(self) -> None:
        """Move on from answer to answer until all have been given."""
        while self.answered < REQUESTS:
            with self.changed:
                full = self.changed.wait_for(
                    lambda: len(self.waiting) >= min(PLACES, REQUESTS - self.answered), timeout=PATIENCE
                )
                if not full and not self.waiting:
                    continue
                at, _, due = heapq.heappop(self.waiting)
                self.area += (len(self.waiting) + 1) * (at - self.now) * (self.seen < REQUESTS)
                self.sending += (at - self.now) * (self.seen < REQUESTS)
                self.now, self.answered = at, self.answered + 1
            due.set()


class Handler(BaseHTTPRequestHandler):
    """Answers when the clock says so."""

    protocol_version = "HTTP/1.1"
    server: ClockedServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        slow = int(body["messages"][-1]["content"]) % EVERY == 0
        self.server.enter(SLOW if slow else QUICK).wait()
        content = json.dumps({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


def main() -> None:
    server = ClockedServer()
    for work in (server.serve_forever, server.run_clock):
        threading.Thread(target=work, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    model = open_model("api/slow", {"base_url": url, "concurrency": PLACES, "api_key": "none"})
    task = Task("benchmark", Instruction(""))
    requests = (Request(Prompt(str(n)), task, Instance("", str(n), any_of("ok"))) for n in range(REQUESTS))
    answered = sum(len(group) for group in model.stream(requests, Generation()))
    slow = REQUESTS // EVERY
    bound = max(SLOW, ((REQUESTS - slow) * QUICK + slow * SLOW) / PLACES)
    print(
        f"{answered} answers in {server.now:.2f} s of the server's clock, {server.now / bound:.2f} times {bound:.2f} s"
    )
    print(f"{server.area / server.sending:.2f} of {PLACES} places occupied while requests were left to send")
    server.shutdown()


if __name__ == "__main__":
    main()
