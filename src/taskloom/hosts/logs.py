"""What a log of another harness says, before it becomes a run."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.core.confine import confined
from taskloom.core.decode import Budget, decode_json, decoding, most_memory, read_json, read_jsonl
from taskloom.models.outputs import SavedOutput, read_outputs
from taskloom.rl.reward import chat_text


class HostLog(NamedTuple):
    """Outputs, and what the log says about their origin.

    Attributes:
        outputs: The outputs.
        name: What the model is called.
        suite: The suite that was asked, "" where the log does not say.
        seed: Its seed.
        options: Its recipe keys.
        split: Its split, "" where the log does not say.
        form: How the model was asked: "chat" (in messages), "text", or "" where the log does not say.
    """

    outputs: list[SavedOutput]
    name: str = ""
    suite: str = ""
    seed: int | None = None
    options: dict[str, Any] = {}
    split: str = ""
    form: str = ""


def asked_of(origin: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The suite, seed and options that a log says were asked; none of them where it says nothing.

    Raises:
        UserError: One of them is of another kind than it must be.
    """
    suite, seed, options = origin.get("suite") or "", origin.get("seed"), origin.get("options") or {}
    if not isinstance(suite, str) or not isinstance(seed, int | None) or not isinstance(options, dict):
        raise UserError("what the log says about its suite cannot be read", where=where, hint="--suite SUITE")
    return {"suite": suite, "seed": seed, "options": options}


def open_log(kind: str, path: Path) -> HostLog:
    """A log of one of the formats, read where it can do no harm.

    Raises:
        UserError: No such format; or it cannot be read, or takes more time or memory than a log of its size.
    """
    if kind not in FORMATS:
        raise unknown_name("kind of log", kind, FORMATS, hint="outputs are CSV, TSV or JSONL; taskloom import --help")
    with decoding(path):
        size = sum(file.stat().st_size for file in ([path] if not path.is_dir() else path.rglob("*")))
    data = confined(
        f"{__name__}:read_log",
        kind,
        str(path),
        where=path,
        what="the log",
        seconds=20 + size // 1_000_000,
        megabytes=3 * most_memory() // 1024**2,
    )
    outputs, *about = data
    return HostLog([SavedOutput(*one) for one in outputs], *about)


def read_log(kind: str, path: str) -> list[Any]:
    """What a log says, as plain data."""
    outputs, *about = FORMATS[kind](Path(path))
    return [[list(msgspec.structs.astuple(one)) for one in outputs], *about]


def read_lm_eval(path: Path) -> HostLog:
    """The outputs of a run with `--log_samples`.

    Raises:
        UserError: No sample logs here, or a line that is none.
    """
    files = sorted(path.rglob("samples_*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise UserError(
            "no samples_*.jsonl here", where=str(path), hint="lm-eval run … --output_path DIR --log_samples"
        )
    outputs: list[SavedOutput] = []
    origin: dict[str, Any] = {}
    for file in files:
        for number, line in read_jsonl(file):
            where = f"{file}:{number}"
            if not isinstance(line, dict) or not isinstance(line.get("doc"), dict) or "resps" not in line:
                raise UserError("not a sample of lm-evaluation-harness", where=where)
            with decoding(where, "this sample"):
                outputs.append(_output(line))
            kept = line["doc"].get("taskloom")
            origin = kept if isinstance(kept, dict) and kept else origin
    options = origin.get("options") or "{}"
    if isinstance(options, str):
        origin = {**origin, "options": decode_json(options, where=str(path))}
    sent = [one.shown for one in outputs if one.shown]
    form = "" if not sent else "chat" if all(text.lstrip().startswith('[{"role"') for text in sent) else "text"
    return HostLog(outputs, name=_model(path), form=form, **asked_of(origin, str(path)))


def _output(line: dict[str, Any]) -> SavedOutput:
    """One sample: a text, or the log-likelihoods of the choices."""
    said = line["resps"]
    first = said[0] if isinstance(said, list) and said else ""
    inner = first[0] if isinstance(first, list) and first else first
    if isinstance(inner, str):
        return _known(line, inner)
    return _known(line, _likeliest(said, line["doc"]))


def _likeliest(scores: list[Any], doc: dict[str, Any]) -> str:
    """The choice with the highest log-likelihood; of equal ones the first, as the harness takes it."""
    numbers = [float(one[0][0] if isinstance(one[0], list) else one[0]) for one in scores]
    best = numbers.index(max(numbers))
    choices = doc.get("choices") or []
    if best >= len(choices):
        raise ValueError(f"log-likelihoods of {len(numbers)} choices, where {len(choices)} are named")
    return str(choices[best])


def _known(line: dict[str, Any], said: str) -> SavedOutput:
    doc = line["doc"]
    shown = line.get("arguments")
    prompt = ""
    if isinstance(shown, dict):  # {"gen_args_0": {"arg_0": prompt, …}}
        first: Any = next(iter(shown.values()), None)
        prompt = first.get("arg_0", "") if isinstance(first, dict) else ""
    elif isinstance(shown, list) and shown:
        prompt = shown[0][0] if isinstance(shown[0], list) and shown[0] else ""
    known = {key: str(doc.get(key) or "") for key in ("id", "task", "hash")}
    sent = prompt if isinstance(prompt, str) else ""
    return SavedOutput(said, known["id"], known["task"], sent, known["hash"], shown=sent)


def _model(path: Path) -> str:
    folder = path if path.is_dir() else path.parent
    for file in sorted(folder.rglob("results_*.json")):
        data = read_json(file)
        if isinstance(data, dict):
            return str(data.get("model_name") or data.get("model_source") or "")
    return folder.name


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
        [_inspect_output(sample, str(path)) for sample in samples],
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


def _inspect_output(sample: Any, where: str) -> SavedOutput:
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


FORMATS: Mapping[str, Callable[[Path], HostLog]] = {
    "inspect": read_inspect,
    "lm-eval": read_lm_eval,
    "outputs": lambda path: HostLog(read_outputs(path), name=path.stem),
}
