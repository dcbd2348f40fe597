"""Batch interfaces: requests are handed in together, answered within a day and cost half.

A command hands its requests in and ends; the same command later fetches the answers. What was handed in is kept in the
cache by the content of the requests, so that the same questions find their batch again, whatever folder they are for.
A mark is written down before they are handed in and goes with them: where a process ended before it learned the id of
its batch, the next one looks the mark up at the provider instead of handing in (and paying) twice.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.decode import decode_json, read_json
from taskloom.core.folders import cache_folder
from taskloom.core.secrets import public_address, scrub
from taskloom.models.runtime import LOGGER
from taskloom.models.wires.wire import MalformedReplyError, Reply, Wire, fault_of, read_answer, retry_after
from taskloom.store.atomic import write_atomically

_LONGEST_LINE = 32 * 1024 * 1024
_MOST_REQUESTS, _MOST_BYTES = 50_000, 150_000_000
"""Below the limits of both providers (50,000 lines and 200 MB; 100,000 requests and 256 MB)."""
_TRY_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_REFUSED = frozenset({429, 503, 529})
"""After these nothing has been handed in."""
FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_MOST_PAGES = 100
"""Of a provider's list of batches, a hundred on each."""


class Standing(msgspec.Struct, frozen=True):
    """How far a batch is: whether it has ended, why it failed as a whole, how many requests are done, its files."""

    ended: bool
    failed: str = ""
    done: int = 0
    files: tuple[str, ...] = ()


class BatchFormat(msgspec.Struct, frozen=True):
    """One provider's interface, as a record.

    Attributes:
        submit: Hands in requests (a name and a body each) for a path, under a mark; the batch's id.
        find: The id of the batch that was handed in under a mark with such names, apart from those that are known;
            empty where there is none.
        look: How far a batch is.
        answer: The name and the reply inside one line of a file of answers.
    """

    submit: Callable[[Desk, str, Sequence[tuple[str, dict[str, Any]]], str], str]
    find: Callable[[Desk, str, Sequence[str], Collection[str]], str]
    look: Callable[[Desk, str], Standing]
    answer: Callable[[dict[str, Any], Wire], tuple[str, Reply]]


class Desk:
    """Where batches are handed in and fetched: one address, up to and with `/v1`, with the headers that carry the key.

    An exchange may take `timeout` seconds, and is tried again for `patience` seconds.
    """

    def __init__(self, url: str, headers: dict[str, str], timeout: float, patience: float) -> None:
        self.url, self._headers = url, headers
        self._timeout, self._patience = timeout, patience
        self._opener = build_opener(_RefusedRedirect)  # a key must not follow a server's pointer to somewhere else

    def json(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body, default=str).encode()
        return self._decoded(method, path, data, {"Content-Type": "application/json"})

    def upload(self, path: str, fields: Mapping[str, str], name: str, content: bytes) -> dict[str, Any]:
        mark = secrets.token_hex(16)
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
            for field, value in fields.items()
        ]
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        data = b"".join([*parts, head, content, f"\r\n--{mark}--\r\n".encode()])
        return self._decoded("POST", path, data, {"Content-Type": f"multipart/form-data; boundary={mark}"})

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The lines of a file of JSON; one that is not JSON, or was cut, is left out and said."""
        with self._open("GET", path, None, {}) as answer:
            while line := answer.readline(_LONGEST_LINE):
                if not line.strip():
                    continue
                try:
                    found = decode_json(line, where="the batch")
                except UserError:
                    LOGGER.warning("a line of the batch's answers is not JSON and is left out")
                    continue
                if isinstance(found, dict):
                    yield found

    def _decoded(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> dict[str, Any]:
        with self._open(method, path, data, headers) as answer:
            found = decode_json(answer.read(_LONGEST_LINE), where=public_address(self.url) + path)
        if not isinstance(found, dict):
            raise self._problem(path, "an answer that is no object")
        return found

    def _open(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> Any:
        request = Request(self.url + path, data, {**self._headers, **headers}, method=method)  # noqa: S310 - checked
        deadline, wait = time.monotonic() + self._patience, FIRST_WAIT
        while True:
            try:
                return self._opener.open(request, timeout=self._timeout)
            except HTTPError as error:
                said = f"status {error.code}: {scrub(fault_of(error.read(100_000)).said)[:300]}"
                pause = retry_after(error.headers.get("Retry-After")) or wait
                again = _REFUSED if method == "POST" else _TRY_AGAIN
                if error.code not in again or time.monotonic() + pause > deadline:
                    raise self._problem(path, said) from None
            except (URLError, OSError) as error:
                said, pause = str(getattr(error, "reason", error)), wait
                # A batch that may have arrived must not be handed in twice.
                if time.monotonic() + pause > deadline or method == "POST":
                    raise self._problem(path, said) from None
            time.sleep(pause)
            wait = min(_LONGEST_WAIT, 2 * wait)

    def _problem(self, path: str, said: str) -> UserError:
        return UserError(said, where=public_address(self.url) + path, hint="the same command tries again")


class _RefusedRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _named(found: Mapping[str, Any], field: str) -> str:
    """A field that has to be a name: it becomes part of a path."""
    value = found.get(field)
    if not isinstance(value, str) or not value.replace("-", "").replace("_", "").isalnum() or len(value) > 200:
        raise UserError(f"the server's answer has no usable {field}", where="--batch")
    return value


def _listed(desk: Desk, path: str, after: str) -> Iterator[dict[str, Any]]:
    """The batches of an account, the newest first; `after` is what the provider calls the id that a page follows."""
    last = ""
    for _ in range(_MOST_PAGES):
        page = desk.json("GET", f"{path}?limit=100" + (f"&{after}={last}" if last else ""))
        data = page.get("data")
        yield from (each for each in (data if isinstance(data, list) else ()) if isinstance(each, dict))
        if not page.get("has_more"):
            return
        last = _named(page, "last_id")


def _submit_openai(desk: Desk, path: str, requests: Sequence[tuple[str, dict[str, Any]]], mark: str) -> str:
    lines = (
        json.dumps({"custom_id": name, "method": "POST", "url": f"/v1{path}", "body": body}, default=str)
        for name, body in requests
    )
    content = "\n".join(lines).encode() + b"\n"
    file = _named(desk.upload("/files", {"purpose": "batch"}, "taskloom.jsonl", content), "id")
    wanted = {"input_file_id": file, "endpoint": f"/v1{path}", "completion_window": "24h"}
    return _named(desk.json("POST", "/batches", {**wanted, "metadata": {"taskloom": mark}}), "id")


def _find_openai(desk: Desk, mark: str, _names: Sequence[str], _known: Collection[str]) -> str:
    for found in _listed(desk, "/batches", "after"):
        metadata = found.get("metadata")
        if isinstance(metadata, dict) and metadata.get("taskloom") == mark:
            return _named(found, "id")
    return ""


def _look_openai(desk: Desk, batch: str) -> Standing:
    found = desk.json("GET", f"/batches/{batch}")
    status, counts = found.get("status"), found.get("request_counts") or {}
    files = [f"/files/{_named(found, name)}/content" for name in ("output_file_id", "error_file_id") if found.get(name)]
    if status == "failed":
        listed = (found.get("errors") or {}).get("data") or [{}]
        return Standing(True, scrub(str(listed[0].get("message") or "the batch failed"))[:300])
    done = counts.get("completed", 0) if isinstance(counts, dict) else 0
    return Standing(status in ("completed", "expired", "cancelled"), "", done, tuple(files))


def _answer_openai(line: dict[str, Any], wire: Wire) -> tuple[str, Reply]:
    name, response, error = str(line.get("custom_id")), line.get("response"), line.get("error")
    if isinstance(response, dict) and response.get("status_code") == 200:
        return name, _reply(response.get("body"), wire)
    if isinstance(response, dict):
        said = fault_of(json.dumps(response.get("body")).encode()).said
        return name, Reply(state="failed", error=f"status {response.get('status_code')}: {scrub(said)[:300]}")
    said = str(error.get("message") or error.get("code")) if isinstance(error, dict) else "no response"
    return name, Reply(state="failed", error=scrub(said)[:300])


def _submit_anthropic(desk: Desk, path: str, requests: Sequence[tuple[str, dict[str, Any]]], _mark: str) -> str:
    body = {"requests": [{"custom_id": name, "params": params} for name, params in requests]}
    return _named(desk.json("POST", f"{path}/batches", body), "id")


def _find_anthropic(desk: Desk, _mark: str, names: Sequence[str], known: Collection[str]) -> str:
    """By the names of requests, which only the answers of an ended batch tell: the interface keeps no marks."""
    under_way = ""
    for found in _listed(desk, "/messages/batches", "after_id"):
        batch, counts = _named(found, "id"), found.get("request_counts")
        total = sum(n for n in counts.values() if isinstance(n, int)) if isinstance(counts, dict) else 0
        if batch in known or total != len(names):
            continue
        if found.get("processing_status") != "ended":
            under_way = batch
        elif found.get("results_url"):
            first: dict[str, Any] = next(desk.lines(f"/messages/batches/{batch}/results"), {})
            if first.get("custom_id") in names:
                return batch
    if under_way:
        raise UserError(f"batch {under_way} may hold these requests and tells so when it has ended", where="--batch")
    return ""


def _look_anthropic(desk: Desk, batch: str) -> Standing:
    found = desk.json("GET", f"/messages/batches/{batch}")
    counts = found.get("request_counts") or {}
    done = counts.get("succeeded", 0) if isinstance(counts, dict) else 0
    # The server also names an address of the answers; the one we know by ourselves gets the key.
    return Standing(found.get("processing_status") == "ended", "", done, (f"/messages/batches/{batch}/results",))


def _answer_anthropic(line: dict[str, Any], wire: Wire) -> tuple[str, Reply]:
    name, result = str(line.get("custom_id")), line.get("result")
    kind = result.get("type") if isinstance(result, dict) else None
    if isinstance(result, dict) and kind == "succeeded":
        return name, _reply(result.get("message"), wire)
    error = result.get("error") if isinstance(result, dict) else None
    inner = error.get("error", error) if isinstance(error, dict) else {}
    said = inner.get("message") if isinstance(inner, dict) else None
    return name, Reply(state="failed", error=f"{kind or 'no result'}{f': {scrub(str(said))[:300]}' if said else ''}")


def _reply(body: Any, wire: Wire) -> Reply:
    try:
        return read_answer(json.dumps(body).encode(), wire)
    except MalformedReplyError as error:
        return Reply(state="failed", error=str(error))


_OPENAI = BatchFormat(_submit_openai, _find_openai, _look_openai, _answer_openai)
BATCHES: dict[str, BatchFormat] = {
    "chat": _OPENAI,
    "completions": _OPENAI,
    "responses": _OPENAI,
    "messages": BatchFormat(_submit_anthropic, _find_anthropic, _look_anthropic, _answer_anthropic),
}
"""By the name of the wire format."""


def batched(
    desk: Desk, path: str, bodies: Iterable[dict[str, Any]], wire: Wire, wait: float
) -> Iterator[list[tuple[int, Reply]]]:
    """Hand in requests that have not been handed in, and give the answers of batches that end within `wait` seconds.

    Raises:
        UserError: Some have not ended; the same call continues.
    """
    kind, first, open_ones = BATCHES[wire.name], 0, []
    for group in _groups(bodies):
        contents = _names(group)
        place = cache_folder() / "batches" / f"{content_hash((desk.url, path, contents))}.json"
        open_ones.append((place, _handed_in(desk, path, kind, place, contents, group), first))
        first += len(group)
    deadline, pause = time.monotonic() + wait, FIRST_WAIT
    while open_ones:
        left = []
        for place, names, first in open_ones:
            batch = _named(read_json(place, type=dict[str, Any]), "batch")
            standing = kind.look(desk, batch)
            if not standing.ended:
                left.append((place, names, first, f"batch {batch}: {standing.done:,} of {len(names):,} answered"))
                continue
            replies = _collected(desk, kind, standing, names, wire)
            yield [(first + number, reply) for number, reply in enumerate(replies)]
            place.unlink(missing_ok=True)  # the answers are written down by now
        open_ones = [(place, names, first) for place, names, first, _ in left]
        if left and time.monotonic() + pause > deadline:
            raise UserError(
                "not yet answered: " + "; ".join(said for *_, said in left),
                where="--batch",
                hint="providers take up to 24 hours; the same command fetches the answers, -M batch_wait=SECONDS waits",
            )
        if left:
            time.sleep(pause)
            pause = min(_LONGEST_WAIT, 2 * pause)


def _handed_in(
    desk: Desk, path: str, kind: BatchFormat, place: Path, contents: list[str], group: list[dict[str, Any]]
) -> list[str]:
    """The names of the requests of a batch, which is handed in unless it has been."""
    begun = place.exists()
    noted = read_json(place, type=dict[str, Any]) if begun else {"mark": secrets.token_hex(8)}
    mark = str(noted.get("mark", ""))  # a batch of an older version has none
    names = [f"{name}-{mark}" if mark else name for name in contents]
    if "batch" in noted:
        return names
    place.parent.mkdir(parents=True, exist_ok=True)
    batch = ""
    if begun:
        known = {str(read_json(path, type=dict[str, Any]).get("batch")) for path in place.parent.glob("*.json")}
        try:
            batch = kind.find(desk, mark, names, known)
        except UserError as error:
            raise UserError(
                f"an earlier command may have handed in these requests: {error.message}",
                where=error.where,
                hint=f"the same command looks again; to hand them in anew, and perhaps pay twice, remove {place}",
            ) from None
    else:
        write_atomically(place, json.dumps(noted).encode())
    batch = batch or kind.submit(desk, path, list(zip(names, group, strict=True)), mark)
    write_atomically(place, json.dumps({**noted, "batch": batch, "requests": len(names)}).encode())
    LOGGER.warning("handed in %d requests as batch %s", len(names), batch)
    return names


def _groups(bodies: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    waiting, size = iter(bodies), 0
    group: list[dict[str, Any]] = []
    for body in waiting:
        length = len(json.dumps(body, default=str))
        if group and (len(group) == _MOST_REQUESTS or size + length > _MOST_BYTES):
            yield group
            group, size = [], 0
        group.append(body)
        size += length
    if group:
        yield group


def _names(bodies: Sequence[dict[str, Any]]) -> list[str]:
    """A name for each request, by its content; equal ones are numbered."""
    seen: Counter[str] = Counter()
    names = []
    for body in bodies:
        name = content_hash(body)[:32]
        seen[name] += 1
        names.append(f"{name}-{seen[name]}")
    return names


def _collected(desk: Desk, kind: BatchFormat, standing: Standing, names: Sequence[str], wire: Wire) -> list[Reply]:
    """A reply to every request of a batch: the first one to each; what is not ours or comes again is left out."""
    found: dict[str, Reply] = {}
    wanted = set(names)
    if standing.failed:
        return [Reply(state="failed", error=standing.failed) for _ in names]
    for path in standing.files:
        for line in desk.lines(path):
            name, reply = kind.answer(line, wire)
            if name in wanted:
                found.setdefault(name, reply)
    missing = Reply(state="failed", error="the batch has no answer to this request")
    return [found.get(name, missing) for name in names]
