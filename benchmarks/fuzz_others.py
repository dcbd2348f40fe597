"""More that is fuzzed: what other tools, raters and earlier runs of ours leave behind."""

# ruff: noqa: E501 - tables of bytes

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.fuzz_targets import Target, as_file

__all__ = ["other_targets"]


def other_targets(root: Path) -> list[Target]:
    """Logs of hosts, files of people, folders of probes, studies and data sets."""
    return [*_logs(root), *_people(root), *_folders(root), *_templates()]


def _templates() -> list[Target]:
    """Chat templates, in the limited child as everywhere."""
    from importlib.util import find_spec

    from taskloom.core.confine import confined

    if find_spec("transformers") is None:
        return []
    work, messages = "taskloom.models.chat:render_template", [{"role": "user", "content": "hi"}]

    def render(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        confined(work, text, messages, {}, where="m", what="the template", seconds=1, megabytes=256)

    seed = b"{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}{% endfor %}{% if add_generation_prompt %}[say]{% endif %}"
    return [Target("chat template", render, [seed, b"{{ messages[0]['content'] * 3 }}"])]


def _inspect() -> dict[str, Any]:
    metadata = {"taskloom": "1", "suite": "babi/task-1", "seed": 7, "split": "test", "options": {"test": 5}}
    choice = {"message": {"role": "assistant", "content": [{"type": "text", "text": "office"}]}, "stop_reason": "stop"}
    sample = {
        "id": "s1", "epoch": 1, "input": [{"role": "user", "content": "Where is Mary?"}], "target": "office",
        "metadata": {"taskloom": {"id": "x-1", "task": "task-1"}}, "output": {"choices": [choice]}, "error": None,
    }  # fmt: skip
    return {"version": 2, "status": "success", "eval": {"model": "m", "metadata": metadata}, "samples": [sample]}


def _zipped(log: dict[str, Any]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", msgspec.json.encode({key: log[key] for key in ("version", "eval")}))
        archive.writestr("samples/s1_epoch_1.json", msgspec.json.encode(log["samples"][0]))
    return packed.getvalue()


def _logs(root: Path) -> list[Target]:
    from taskloom.hosts.bigbench import read_bigbench
    from taskloom.hosts.logs import read_inspect, read_lm_eval
    from taskloom.models.outputs import OutputIndex, read_outputs

    log = _inspect()
    doc = {
        "id": "x-1",
        "task": "task-1",
        "hash": "ab",
        "choices": ["yes", "no"],
        "taskloom": {"suite": "s", "seed": 1, "options": "{}"},
    }
    written = msgspec.json.encode({"doc": doc, "resps": [["office"]], "arguments": {"gen_args_0": {"arg_0": "Where?"}}})
    ranked = msgspec.json.encode(
        {"doc": doc, "resps": [[["-1.5", "False"]], [["-0.5", "True"]]], "arguments": [["Where?", " yes"]]}
    )
    bigbench = msgspec.json.encode({
        "name": "t", "description": "Say it.", "examples": [
            {"input": f"{n}?", "target_scores": {"yes": 1, "no": 0}} for n in range(4)] + [{"input": "x", "target": ["a", "b"]}],
    })  # fmt: skip
    outputs = b'{"id": "1", "task": "t", "output": "a", "sample": 0}\n{"hash": "ab", "prompt": "p", "text": "b"}\n'

    def index(path: Path) -> None:
        OutputIndex(read_outputs(path))

    def whole_suite(path: Path) -> None:
        suite = read_bigbench(path)
        for split in suite.splits:
            list(suite.rows(split))

    return [
        Target("Inspect log", as_file(root / "inspect", "log.json", read_inspect), [msgspec.json.encode(log)]),
        Target("packed Inspect log", as_file(root / "inspect", "log.eval", read_inspect), [_zipped(log)]),
        Target("lm-eval log", as_file(root / "lm", "samples_t.jsonl", read_lm_eval), [written + b"\n", ranked + b"\n"]),
        Target("BIG-bench task", as_file(root, "bigbench.json", whole_suite), [bigbench]),
        Target("outputs", as_file(root, "outputs.jsonl", index), [outputs]),
        Target("outputs (CSV)", as_file(root, "outputs.csv", index), [b'id,output,sample\n1,"a, b",0\n2,c,1\n']),
    ]  # fmt: skip


def _people(root: Path) -> list[Target]:
    from taskloom.families.zest.score.file import prediction_lines, score_file
    from taskloom.models.outputs import HUMAN
    from taskloom.studies.judgement.read import RaterAnswer, judgement_tables, read_answers, read_key

    item = {"task": "t", "instance": "1", "run": "m", "model_is_a": True, "score": 0.5}
    key_file = root / "key.json"
    key = b'{"id":"f","kind":"compare","items":{"i":' + msgspec.json.encode(item) + b"}}"
    answer = msgspec.json.encode(RaterAnswer("f", "ann", "i", "better", "A is better"))
    tasks = [
        {
            "question": "Is it warm?",
            "examples": [{"answer": "yes"}, {"answer": [{"a": "1"}]}],
            "type": {"generalization_type": "base"},
        }
    ]

    def read(path: Path) -> None:
        key_file.write_bytes(key)
        known = read_key(key_file)
        judgement_tables(read_answers([path], known), known)

    def predictions(data: bytes) -> None:
        score_file(tasks, prediction_lines(data.decode("utf-8", "replace")))

    def people(path: Path) -> None:
        HUMAN.open("ann", {"answers": str(path)})

    human = b'{"task": "t", "id": "1", "answer": "office"}\n'
    return [
        Target("form's key", as_file(root, "form.key.json", read_key), [key]),
        Target("form's answers", as_file(root, "ann.jsonl", read), [answer + b"\n"]),
        Target("ZEST predictions", predictions, [b'yes\n[{"a": "1"}]\n']),
        Target("people's answers", as_file(root, "human.jsonl", people), [human]),
    ]  # fmt: skip


def _folders(root: Path) -> list[Target]:
    from benchmarks.fuzz_targets import small_suite
    from taskloom.hosts.hf import read_hf, write_hf
    from taskloom.report.studies import study_section
    from taskloom.studies.frontier.claims import Frontier, load_frontier

    folder = root / "hf"
    shutil.rmtree(folder, ignore_errors=True)
    write_hf(small_suite(), folder)
    found = []
    for file in sorted(path for path in folder.rglob("*") if path.suffix in (".json", ".jsonl", ".parquet")):
        whole = file.read_bytes()

        def read(data: bytes, file: Path = file, whole: bytes = whole) -> None:
            file.write_bytes(data)
            try:
                suite = read_hf(folder)
                for split in suite.splits:
                    list(suite.rows(split))
            finally:
                file.write_bytes(whole)

        found.append(Target(f"data set's {file.name}", read, [whole]))
    frontier = msgspec.json.encode(Frontier(suite="s", model="m"))
    study = b'{"study":"concur","question":"Q?","tables":[{"title":"t","columns":["a"],"rows":[["x"],[1.5]]}],"sentences":["s"]}'
    return [
        *found,
        Target("frontier", as_file(root / "probe", "frontier.json", lambda path: load_frontier(path.parent)), [frontier]),
        Target("study", as_file(root / "study", "study.json", lambda path: study_section([path.parent], path)), [study]),
    ]  # fmt: skip
