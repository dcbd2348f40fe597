"""Sample logs of lm-evaluation-harness: `samples_*.jsonl`, one file or a folder of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from taskloom.core import UserError
from taskloom.core.decode import decode_json, decoding, read_json, read_jsonl
from taskloom.hosts.logs import HostLog, asked_of
from taskloom.models.outputs import SavedOutput


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
