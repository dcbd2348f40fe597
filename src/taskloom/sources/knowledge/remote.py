"""Any SPARQL 1.1 endpoint over HTTP: paged, patient, and never half an answer."""

from __future__ import annotations

import http.client
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from taskloom.core import Progress, UserError, digest
from taskloom.core.decode import decode_json
from taskloom.sources.knowledge.sparql import order_by, page
from taskloom.sources.knowledge.store import Row
from taskloom.sources.knowledge.terms import compact, quote
from taskloom.store.seal import read_hashed, write_hashed

_AGENT = "taskloom (knowledge graph reader)"
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 60.0
_EXCERPT = 300
_CHUNK = 1 << 16
_STRING = "http://www.w3.org/2001/XMLSchema#string"


class _TransientError(Exception):
    """Worth another try; `wait` is how long the server asked for."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class BrokenAnswerError(_TransientError):
    """The body is not a complete, valid answer: cut off, or not SPARQL results at all."""


class SparqlEndpoint:
    """A triple store behind a URL.

    Answers are fetched page by page in a total order, until a page is empty: a server that returns
    fewer rows than asked for loses nothing. What is fetched is kept, so that a broken evening
    continues where it stopped: one file per request, named by its content, with the digest of its body, so that a
    file that was cut off or changed is noticed and asked for again.

    Args:
        url: The endpoint, http or https.
        page_size: Rows per request.
        timeout: Seconds to wait for one request.
        retries: How often to try again after a time-out, a cut connection, a broken answer, or a
            status that says "later" (408, 425, 429, 500, 502, 503, 504).
        backoff: Seconds before the second try; each further wait is twice as long, up to a minute.
            A server's Retry-After goes first.
        cache: A folder for answers; nothing is kept where not given.
        sleep: How to wait; tests pass something quicker.
    """

    local = False

    def __init__(
        self,
        url: str,
        *,
        page_size: int = 5000,
        timeout: float = 60.0,
        retries: int = 5,
        backoff: float = 1.0,
        cache: Path | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise UserError(f"{url!r} is not an http or https address", where="endpoint")
        if page_size < 1 or timeout <= 0 or retries < 0:
            raise UserError("page size and timeout must be positive and retries not negative", where=url)
        self.name = self._url = url
        self._page_size, self._timeout = page_size, timeout
        self._retries, self._backoff = retries, backoff
        self._cache, self._sleep = cache, sleep

    def select(self, query: str, variables: tuple[str, ...], *, limit: int | None = None) -> Iterable[Row]:
        return self._pages(order_by(query, variables), variables, limit)

    def sample(self, query: str, variables: tuple[str, ...], limit: int) -> Iterable[Row]:
        """At most `limit` different rows in the order of the server, which then need not sort billions of them."""
        found: dict[Row, None] = {}
        offset = 0
        with Progress("asking the endpoint", limit, unit="rows") as progress:
            while len(found) < limit:
                rows = self._ask(page(query, min(self._page_size, limit - len(found)), offset), variables)
                fresh = dict.fromkeys(row for row in rows if row is not None and row not in found)
                found |= fresh
                offset += len(rows)
                progress.advance(len(fresh))
                if not rows:
                    break
        return found

    def _pages(self, ordered: str, variables: tuple[str, ...], limit: int | None) -> Iterator[Row]:
        offset, seen = 0, set[Row]()
        with Progress("asking the endpoint", limit, unit="rows") as progress:
            while limit is None or len(seen) < limit:
                size = self._page_size if limit is None else min(self._page_size, limit - len(seen))
                rows = self._ask(page(ordered, size, offset), variables)
                for row in rows:
                    if row is None:
                        continue
                    if row in seen:
                        raise UserError(
                            "the endpoint gave the same row on two pages, so its order is not stable and rows may be "
                            "lost",
                            where=self._url,
                            hint="raise page_size until one page holds the whole answer, or load a dump instead",
                        )
                    seen.add(row)
                    yield row
                if not rows:
                    return
                offset += len(rows)
                progress.advance(len(rows))

    def _ask(self, query: str, variables: tuple[str, ...]) -> list[Row | None]:
        path = None
        if self._cache is not None:
            name = digest("sparql", self._url, query).hex()
            path = self._cache / name[:2] / f"{name}.json"
            if (kept := read_hashed(path)) is not None:
                return read_solutions(kept, variables)
        for attempt in range(self._retries + 1):
            try:
                body = self._fetch(query)
                rows = read_solutions(body, variables)
            except _TransientError as error:
                reason = str(error)
                if attempt < self._retries:
                    self._sleep(self._wait(attempt, error.wait))
                continue
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_hashed(path, body)
            return rows
        tries = f"{self._retries + 1} tries" if self._retries else "one try"
        raise UserError(
            f"no answer after {tries}: {reason}",
            where=self._url,
            hint="try later, with a longer timeout, smaller pages, or a limit; or load a dump instead",
        )

    def _wait(self, attempt: int, asked: float | None) -> float:
        if asked is not None:
            return min(asked, _LONGEST_WAIT)
        # A little jitter keeps many readers from coming back all at once; it touches no result.
        return min(self._backoff * 2.0**attempt, _LONGEST_WAIT) * (0.5 + random.random() / 2)

    def _fetch(self, query: str) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            self._url,
            data=urllib.parse.urlencode({"query": query}).encode(),
            headers={
                "Accept": "application/sparql-results+json",
                "Content-Type": "application/x-www-form-urlencoded",
                "User-Agent": _AGENT,
            },
        )
        deadline = time.monotonic() + self._timeout
        try:
            with _OPENER.open(request, timeout=self._timeout) as response:
                body = _read(response, deadline)
                # Virtuoso sends what it has when its time is up, and says so in a header only.
                if response.headers.get("X-SQL-State"):
                    raise _TransientError("the server ran out of time and sent a part of the answer")
                return body
        except urllib.error.HTTPError as error:
            raise _refusal(error, self._url) from error
        except http.client.IncompleteRead as error:
            raise _TransientError(f"the answer was cut off after {len(error.partial)} bytes") from error
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            if isinstance(reason, TimeoutError):
                raise _TransientError(f"no answer within {self._timeout:g} s") from error
            raise _TransientError(f"the connection failed ({reason or type(error).__name__})") from error


class _RedirectRefusal(urllib.request.HTTPRedirectHandler):
    """A query that is sent on elsewhere arrives without its text, so a moved endpoint is an error that says so."""

    def redirect_request(self, *_: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_RedirectRefusal)


def _read(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """The whole body. A server that sends a byte now and then is stopped too, which no socket timeout does."""
    chunks: list[bytes] = []
    while chunk := response.read1(_CHUNK):
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError
    if response.length:
        raise http.client.IncompleteRead(b"".join(chunks), response.length)
    return b"".join(chunks)


def _refusal(error: urllib.error.HTTPError, url: str) -> Exception:
    """What a status other than 200 means: wait, or a mistake that waiting does not help."""
    try:
        text = error.read(_EXCERPT).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException):
        text = ""
    reason = f"status {error.code} {error.reason}{f': {text}' if text else ''}"
    if error.code in _TRANSIENT:
        asked = error.headers.get("Retry-After", "")
        return _TransientError(reason, float(asked) if asked.isdecimal() else None)
    if target := error.headers.get("Location"):
        return UserError(f"the endpoint has moved to {target}", where=url, hint=f"open {target} instead")
    return UserError(f"the endpoint refused the query: {reason}", where=url)


# ------------------------------------------------- answers in the SPARQL 1.1 JSON results format


class _JsonTerm(msgspec.Struct):
    type: str
    value: str
    language: str | None = msgspec.field(default=None, name="xml:lang")
    datatype: str | None = None

    def short(self) -> str | None:
        """Its short id; None for a blank node."""
        if self.type == "uri":
            return compact(self.value)
        if self.type not in {"literal", "typed-literal"}:
            return None
        tagged = self.language or not self.datatype or self.datatype == _STRING
        return quote(self.value, self.language or None) if tagged else f"{quote(self.value)}^^<{self.datatype}>"


class _JsonRows(msgspec.Struct):
    bindings: list[dict[str, _JsonTerm]]


class _JsonAnswer(msgspec.Struct):
    results: _JsonRows


def read_solutions(body: bytes, variables: tuple[str, ...]) -> list[Row | None]:
    """The rows of an answer, in order. A row with a blank node or without a value is None: it counts, and says nothing.

    Raises:
        BrokenAnswerError: The body ends too early or is something else.
    """
    try:
        answer = decode_json(body, where="the endpoint", type=_JsonAnswer, what="the answer")
    except UserError as error:
        raise BrokenAnswerError(f"the answer is broken or cut off ({error.message})") from error
    rows = []
    for binding in answer.results.bindings:
        found = (binding[name].short() for name in variables if name in binding)
        row = tuple(short for short in found if short is not None)
        rows.append(row if len(row) == len(variables) else None)
    return rows
