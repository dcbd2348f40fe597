"""The guard before every server of ours: who is let in, and what is refused before the application sees it."""

from __future__ import annotations

import asyncio
import json

import pytest

from taskloom.core import UserError
from taskloom.core.serving import Guard, open_port, serve

TOKEN = "right-token-4711"
BEARER = {"authorization": f"Bearer {TOKEN}"}
JSON = {"content-type": "application/json"}


class Application:
    """Counts what reaches it and answers with the body it was sent."""

    def __init__(self, failure=None):
        self.reached = 0
        self.failure = failure

    async def __call__(self, scope, receive, send):
        self.reached += 1
        if self.failure:
            raise self.failure
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})


def ask(method="GET", path="/", headers=None, body=(b"",), query=b"", failure=None, **options):
    application = Application(failure)
    guard = Guard(application, 8000, TOKEN, **options)
    given = {"host": "127.0.0.1:8000", **(headers or {})}
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
    }  # fmt: skip
    sent, waiting = [], list(body)

    async def receive():
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    answer = dict(sent[0]["headers"])
    return sent[0]["status"], answer, b"".join(one.get("body", b"") for one in sent[1:]), application.reached


def test_a_token_in_the_address_becomes_a_cookie_that_no_script_reads():
    status, headers, _, reached = ask(path="/runs", query=b"token=right-token-4711&page=2")
    assert (status, headers[b"location"], reached) == (303, b"/runs?page=2", 0)
    cookie = headers[b"set-cookie"].decode()
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert ask(headers={"cookie": cookie.partition(";")[0]})[0] == 200
    assert ask(path="//evil.example/x", query=f"token={TOKEN}".encode())[1][b"location"] == b"/evil.example/x"


REFUSED = {
    "no token": (401, {}),
    "a wrong token": (401, {"headers": {"authorization": "Bearer wrong"}}),
    "a wrong cookie": (401, {"headers": {"cookie": "taskloom-8000=wrong"}}),
    "another server's cookie": (401, {"headers": {"cookie": f"taskloom-8001={TOKEN}"}}),
    "a cookie that is none": (401, {"headers": {"cookie": "\x00=;;;=\x7f"}}),
    "a wrong token in the address": (403, {"query": b"token=wrong"}),
    "another host": (421, {"headers": {**BEARER, "host": "evil.example:8000"}}),
    "another port": (421, {"headers": {**BEARER, "host": "127.0.0.1:8001"}}),
    "no host": (421, {"headers": {**BEARER, "host": ""}}),
    "a method of its own": (405, {"method": "DELETE", "headers": BEARER}),
    "another page": (403, {"method": "POST", "headers": {**BEARER, **JSON, "origin": "http://evil.example:8000"}}),
    "a page without a name": (403, {"method": "POST", "headers": {**BEARER, **JSON, "origin": "null"}}),
    "a form": (415, {"method": "POST", "headers": {**BEARER, "content-type": "text/plain"}}),
    "too large by its own word": (
        413,
        {"method": "POST", "headers": {**BEARER, **JSON, "content-length": "9" * 9}},
    ),
    "read-only": (403, {"method": "POST", "headers": {**BEARER, **JSON}, "read_only": True}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_never_reaches_the_application(case):
    status, given = REFUSED[case]
    found, headers, body, reached = ask(**given)
    assert (found, reached) == (status, 0)
    assert TOKEN.encode() not in body and json.loads(body)["error"]
    assert b"default-src 'none'" in headers[b"content-security-policy"]


def test_a_body_that_grows_too_large_is_cut_off():
    given = {"method": "POST", "headers": {**BEARER, **JSON}, "largest": 10}
    assert ask(body=(b"12345", b"67890"), **given)[2] == b"1234567890"
    assert ask(body=(b"12345", b"678901"), **given)[0] == 413


def test_our_own_page_may_ask_and_an_error_is_a_sentence():
    own = {**BEARER, **JSON, "origin": "http://127.0.0.1:8000"}
    assert ask("POST", headers=own)[0] == 200
    status, _, body, _ = ask(headers=BEARER, failure=UserError("no such run", where="runs/x", hint="taskloom list"))
    assert status == 400
    assert json.loads(body) == {"error": "no such run", "where": "runs/x", "hint": "taskloom list"}


def test_other_machines_are_served_only_with_a_token_and_a_taken_port_is_a_sentence():
    with pytest.raises(UserError, match="your own --token"):
        serve(Application(), print, host="0.0.0.0")
    taken = open_port("127.0.0.1", 0)
    try:
        with pytest.raises(UserError, match="cannot listen"):
            open_port("127.0.0.1", taken.getsockname()[1])
    finally:
        taken.close()
