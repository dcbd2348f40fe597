"""Answers that were given before: kept in the cache folder under everything that decides them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Suite, content_hash
from taskloom.core.folders import cache_folder
from taskloom.core.model import Generation, Identity, Output, Request
from taskloom.store.atomic import append_lines, disk_errors, write_atomically
from taskloom.store.seal import line_body, seal_line


class _Entry(msgspec.Struct, frozen=True):
    """A response under the hash of the prompt, of the instance and of the sample number."""

    key: str
    output: Output


_decode = msgspec.json.Decoder(_Entry).decode


def _entry(line: bytes) -> _Entry | None:
    """An entry of the cache; None for one that another version wrote in another form, which is asked again."""
    try:
        return _decode(line)
    except msgspec.DecodeError:
        return None


class ResponseCache:
    """Responses of one model to one suite under one encoding and one way of generating.

    Args:
        suite: The suite; another with any other row has a cache of its own.
        identity: The model: name, revision, weights, settings.
        generation: Generation arguments.
        encoding: The description of the encoding.
        folder: Where caches live.
    """

    def __init__(
        self,
        suite: Suite,
        identity: Identity,
        generation: Generation,
        encoding: dict[str, Any],
        folder: str | Path | None = None,
    ) -> None:
        parts: dict[str, Any] = msgspec.to_builtins(
            {"suite": suite.identity, "model": identity, "generation": generation, "encoding": encoding}
        )
        self.hits = 0
        place = (Path(folder) if folder else cache_folder()) / "responses"
        self.path = place / f"{content_hash(parts)}.jsonl"
        with disk_errors(place):
            place.mkdir(parents=True, exist_ok=True)
            described = self.path.with_suffix(".key.json")
            if not described.exists():
                write_atomically(described, msgspec.json.format(msgspec.json.encode(parts), indent=2) + b"\n")
        self._known: dict[str, Output] = {}
        self._read()

    def _read(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                if (body := line_body(line)) is not None and (entry := _entry(body)) is not None:
                    self._known[entry.key] = entry.output

    @staticmethod
    def key(request: Request) -> str:
        """What an answer is found by: every byte of the prompt, and the sample number for repeated asking."""
        return request.prompt.hash() if not request.sample else f"{request.prompt.hash()}:{request.sample}"

    def get(self, request: Request) -> Output | None:
        """The response to exactly this request, if it is known."""
        found = self._known.get(self.key(request))
        self.hits += found is not None
        return found

    def put(self, answered: list[tuple[Request, Output]]) -> None:
        """Keep complete responses; failures and cut-off answers are asked again next time."""
        entries = [_Entry(self.key(request), output) for request, output in answered if output.state == "complete"]
        if not entries:
            return
        append_lines(self.path, b"".join(seal_line(msgspec.json.encode(entry)) for entry in entries))
        for entry in entries:
            self._known[entry.key] = entry.output
