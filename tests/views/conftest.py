"""Runs to look at, and a client that speaks to the application through its guard, without a network."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from taskloom.core.serving import Guard
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.views.app import App
from toy import FAMILY

TOKEN = "right-token-4711"


class Answer:
    def __init__(self, messages):
        self.status = messages[0]["status"]
        self.headers = {name.decode(): value.decode("latin-1") for name, value in messages[0]["headers"]}
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class Client:
    """Asks one application; the token is there unless a test says otherwise."""

    def __init__(self, roots, *, read_only=False):
        self.app = App(roots, read_only=read_only)
        self.guard = Guard(self.app, 8000, TOKEN, read_only=read_only)

    def ask(self, path, values=(), *, method="GET", headers=None, body=b"", token=TOKEN):
        given = {"host": "127.0.0.1:8000", **({"authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        pairs = list(values.items()) if isinstance(values, dict) else list(values)
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": quote(path).encode(), "root_path": "",
            "query_string": urlencode(pairs).encode(), "http_version": "1.1", "scheme": "http",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        }  # fmt: skip
        sent: list[Any] = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            sent.append(message)

        asyncio.run(self.guard(scope, receive, send))
        return Answer(sent)

    def post(self, path, value, **more):
        headers = {"content-type": "application/json", "origin": "http://127.0.0.1:8000", **more.pop("headers", {})}
        return self.ask(path, method="POST", body=json.dumps(value).encode(), headers=headers, **more)


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    """Four runs of one toy suite and one of another seed."""
    folder = tmp_path_factory.mktemp("served")
    suite = FAMILY.open("all", 1, {"test": 60})
    for name, options in (("oracle", {}), ("constant", {"answer": "3"}), ("flaky", {"fail": 0.2})):
        launch(suite, folder / "runs" / name, RunSettings(model=f"mock/{name}", model_options=options))
    launch(FAMILY.open("all", 2, {"test": 60}), folder / "runs" / "other-seed", RunSettings(model="mock/oracle"))
    for path in (folder / "runs").iterdir():
        write_results(load_run(path))
    return folder


@pytest.fixture(scope="session")
def client(shelf):
    return Client([shelf])


@pytest.fixture
def client_of():
    """An application over other folders."""
    return lambda *roots, **options: Client(list(roots), **options)
