"""Logs of Inspect: `.eval` (a zip of JSON, deflated or zstd) and `.json`, read without Inspect itself."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from taskloom.core import UserError
from taskloom.core.decode import Budget, decode_json, decoding, read_json
from taskloom.hosts.logs import HostLog, asked_of
from taskloom.models.outputs import SavedOutput
from taskloom.rl.reward import chat_text

_ZSTD = 93
_MOST = 64 << 30
_LARGEST = 256 << 20
"""Bytes of one member: a sample with all its messages."""


def read_inspect(path: Path) -> HostLog:
    """The outputs of an evaluation, with the suite, seed and split of a task of ours.

    Raises:
        UserError: It is no log of Inspect.
    """
    if path.is_dir():
        logs = sorted([*path.glob("*.eval"), *path.glob("*.json")])
        if not logs:
            raise UserError("no logs of Inspect here", where=str(path))
        path = logs[-1]  # their names begin with the time
    header, samples = _parts(path)
    about: dict[str, Any] = header.get("eval", {}) if isinstance(header, dict) else {}
    if not isinstance(about, dict) or not about:
        raise UserError("not a log of Inspect: it has no eval", where=str(path))
    origin = about.get("metadata") or {}
    return HostLog(
        [_output(sample, str(path)) for sample in samples],
        name=str(about.get("model", "")),
        split=str(origin.get("split", "")) if isinstance(origin, dict) else "",
        form="chat",  # a question that is one text is sent as a message, too
        **asked_of(origin if isinstance(origin, dict) and "taskloom" in origin else {}, str(path)),
    )


def _parts(path: Path) -> tuple[Any, Iterator[Any]]:
    if path.suffix == ".json":
        data = read_json(path)
        samples = data.get("samples") or [] if isinstance(data, dict) else []
        return data, iter(samples if isinstance(samples, list) else [])
    return _header(path), _samples(path)


def _header(path: Path) -> Any:
    with decoding(path, "the log"), zipfile.ZipFile(path) as archive:
        files = {info.filename: info for info in archive.infolist()}
        head = files.get("header.json") or files.get("_journal/start.json")
        if head is None:
            raise UserError("not a log of Inspect: it has no header", where=str(path))
        data = _bytes(path, archive, head)
    return decode_json(data, where=str(path))


def _samples(path: Path) -> Iterator[Any]:
    """The samples one by one: a log may be larger than the memory."""
    budget = Budget(str(path), _MOST, path.stat().st_size)
    with decoding(path, "the log"), zipfile.ZipFile(path) as archive:
        files = {info.filename: info for info in archive.infolist()}
        for name in sorted(files):
            if name.startswith("samples/") and name.endswith(".json"):
                budget.spend(files[name].file_size)
                yield decode_json(_bytes(path, archive, files[name]), where=f"{path}: {name}")


def _bytes(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of one member; Python before 3.14 cannot read zstd in a zip, Arrow can."""
    if info.file_size > _LARGEST:
        raise UserError(f"{info.filename} is larger than {_LARGEST >> 20} MB", where=str(path))
    if info.compress_type != _ZSTD:
        return archive.read(info)
    import pyarrow as pa

    with path.open("rb") as file:
        file.seek(info.header_offset)
        local = file.read(30)
        skip = sum(struct.unpack("<HH", local[26:30]))
        file.seek(skip, 1)
        packed = file.read(info.compress_size)
    return bytes(pa.decompress(packed, decompressed_size=info.file_size, codec="zstd", asbytes=True))


def _output(sample: Any, where: str) -> SavedOutput:
    with decoding(where, "this sample"):
        kept = (sample.get("metadata") or {}).get("taskloom") or {}
        choices = (sample.get("output") or {}).get("choices") or []
        said = _text(choices[0]["message"]["content"]) if choices else ""
        failed = sample.get("error")
        error = str(failed.get("message", failed) if isinstance(failed, dict) else failed or "")
        return SavedOutput(
            said,
            id=str(kept.get("id") or sample.get("id", "")),
            task=str(kept.get("task", "")),
            prompt=str(kept.get("input") or "") or chat_text(sample.get("input") or ""),
            hash=str(kept.get("hash") or ""),
            sample=int(sample.get("epoch", 1)) - 1,
            error=error if not choices else "",
            shown=chat_text(_sent(sample)),
        )


def _sent(sample: Any) -> Any:
    """The messages that were sent: all before the first answer, or the input where the log keeps no others."""
    messages = sample.get("messages") or []
    turns = [turn.get("role") for turn in messages]
    return messages[: turns.index("assistant")] if "assistant" in turns else messages or sample.get("input") or ""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
