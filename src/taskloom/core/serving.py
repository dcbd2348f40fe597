"""The base of every server of ours: loopback, a token, and nothing that another page or program could use.

A guard stands before the application and refuses every request that does not come from a person or program with the
address: a wrong token, another Host (a page that rebinds its name to 127.0.0.1), another Origin, a body that is no JSON
or too large, a method that changes something on a read-only server. The application behind it never sees those.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode

from taskloom.core.errors import UserError
from taskloom.core.secrets import learn, scrub

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 16 * 1024 * 1024
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = tuple(
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        "style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "cache-control": "no-store",
    }.items()
)


class _RefusedError(Exception):
    """A request that ends at the guard."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Guard:
    """Stands before an ASGI application.

    Args:
        application: What is served.
        port: The port, which is part of every Host and Origin of ours.
        token: What a request must know: in the address (once, then a cookie holds it) or as `Authorization: Bearer`.
        host: The name or address that the server listens at.
        read_only: Refuse everything that could change something.
        largest: The most bytes of a request's body.
    """

    def __init__(
        self,
        application: Application,
        port: int,
        token: str,
        *,
        host: str = "127.0.0.1",
        read_only: bool = False,
        largest: int = LARGEST_BODY,
    ) -> None:
        self._application = application
        self._token = token
        self._cookie = f"taskloom-{port}"
        shown = f"[{host}]" if ":" in host else host
        self._hosts = {f"{name}:{port}" for name in (*_LOOPBACK, shown)}
        self._read_only = read_only
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other protocol is spoken here
        started = False

        async def guarded_send(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = message.get("headers", ())
                given = {name.lower() for name, _ in own}
                message = {**message, "headers": [*own, *(pair for pair in _HEADERS if pair[0] not in given)]}
            await send(message)

        try:
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            self._check_host(headers)
            if (place := self._without_token(scope)) is not None:
                await reply(guarded_send, 303, b"", {"location": place, "set-cookie": self._baked()})
                return
            self._check_token(headers)
            self._check_method(scope["method"], headers)
            await self._application(scope, self._bounded(receive, headers), guarded_send)
        except _RefusedError as error:
            if not started:
                await reply(guarded_send, error.status, to_json({"error": str(error)}))
        except UserError as error:
            if not started:
                told = {"error": scrub(error.message), "where": error.where, "hint": error.hint}
                await reply(guarded_send, 400, to_json(told))

    def _check_host(self, headers: Mapping[str, str]) -> None:
        if headers.get("host", "") not in self._hosts:
            raise _RefusedError(421, "this server answers to its own address only")

    def _without_token(self, scope: Scope) -> str | None:
        """Where a request with a right token in its address goes on without it; None where there is none."""
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in pairs if name == "token"]
        if not given:
            return None
        if not compare_digest(given[0].encode(), self._token.encode()):
            raise _RefusedError(403, "a wrong token: use the address that was printed when the server started")
        rest = urlencode([(name, value) for name, value in pairs if name != "token"])
        # Only a path of ours: "//elsewhere" would be another server.
        path = "/" + scope["raw_path"].decode("latin-1").partition("?")[0].lstrip("/\\")
        return f"{path}?{rest}" if rest else path

    def _baked(self) -> str:
        return f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"

    def _check_token(self, headers: Mapping[str, str]) -> None:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            cookies = SimpleCookie()
        kept = cookies[self._cookie].value if self._cookie in cookies else ""
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if not any(compare_digest(value.encode("latin-1"), self._token.encode()) for value in (kept, bearer)):
            raise _RefusedError(401, "no token: use the address that was printed when the server started")

    def _check_method(self, method: str, headers: Mapping[str, str]) -> None:
        if method in ("GET", "HEAD"):
            return
        if method != "POST":
            raise _RefusedError(405, f"{method} is not used here")
        if self._read_only:
            raise _RefusedError(403, "this server is read-only")
        # Programs send no Origin; a browser always does, and only our own pages may ask for changes.
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self._hosts:
            raise _RefusedError(403, "a request from another page")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise _RefusedError(415, "a body must be application/json")

    def _bounded(self, receive: Receive, headers: Mapping[str, str]) -> Receive:
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._largest:
            raise _RefusedError(413, f"a body has at most {self._largest:,} bytes")
        seen = 0

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._largest:
                raise _RefusedError(413, f"a body has at most {self._largest:,} bytes")
            return message

        return bounded


def to_json(value: Any) -> bytes:
    """JSON that may stand anywhere."""
    return json.dumps(value, ensure_ascii=True).encode()


async def reply(send: Send, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
    """Send a whole answer, JSON unless the headers say otherwise."""
    given = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    coded = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    await send({"type": "http.response.start", "status": status, "headers": coded})
    await send({"type": "http.response.body", "body": body})


def open_port(host: str, port: int) -> socket.socket:
    """A socket that listens; with port 0 at one that is free.

    Raises:
        UserError: The port is taken, or the host is not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise UserError(f"cannot listen at {host}:{port}: {error}", hint="--port 0 takes a free one") from None
    listener.listen(128)
    return listener


def serve(
    application: Application,
    announce: Callable[[str], None],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str = "",
    read_only: bool = False,
) -> None:
    """Serve an application until it is stopped.

    Args:
        application: An ASGI application.
        announce: Called once with the address, which holds the token: for the person who started the server.
        host: Where to listen. Anything but loopback must be given together with a token.
        port: The port; 0 takes a free one.
        token: The token; drawn if there is none.
        read_only: Refuse everything that could change something.
    """
    import uvicorn

    if host not in ("127.0.0.1", "localhost", "::1") and not token:
        raise UserError("a server that others can reach needs your own --token", where=f"--host {host}")
    token = token or secrets.token_urlsafe(24)
    learn(token, "token")
    listener = open_port(host, port)
    own = listener.getsockname()[1]
    guard = Guard(application, own, token, host=host, read_only=read_only)
    announce(f"http://{f'[{host}]' if ':' in host else host}:{own}/?token={token}")
    # Pages that follow never end their request by themselves.
    options: dict[str, Any] = {"log_level": "error", "access_log": False, "lifespan": "off", "server_header": False}
    config = uvicorn.Config(guard, timeout_graceful_shutdown=1, **options)
    uvicorn.Server(config).run(sockets=[listener])
