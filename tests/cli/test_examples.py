"""Every example in every `--help` runs as it is printed; long ones with fewer rows and updates appended."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from servers import said, serving
from taskloom import open_suite
from taskloom.cli.main import VERBS, main
from taskloom.cli.options import read_command
from taskloom.core.instance import question_hash

ELSEWHERE = {
    "taskloom demo": "make demo",
    "taskloom sources get": "make test-sources",
    "taskloom sources get udhr wordnet": "make test-sources",
    "taskloom sources check": "make test-sources",
    "taskloom study all --scale smoke --jobs 2 -o out/studies": "tests/studies/test_smoke.py",
    "taskloom study profile --model packaged/smollm2 -T budget=200 -o out/profile": "tests/studies/frontier",
    "taskloom import inspect logs/2026-11-16_babi.eval -o runs/inspect": "tests/hosts",
    "taskloom import lm-eval out -o runs/harness": "tests/hosts",
    "taskloom check runs/theirs --signed-by their.pub": "tests/run/test_shards.py",
    "taskloom run stories --model mock/majority --sign key.pem -o runs/signed": "tests/run/test_shards.py",
    "taskloom rl serve babi/mix-t7": "tests/rl/test_serve.py",
    "taskloom rl serve babi/mix-t7 --reading strict --port 8900": "tests/rl/test_serve.py",
    "taskloom rl serve babi/mix-t7 --curriculum": "tests/rl/test_serve.py",
    "taskloom serve": "tests/views/test_serve.py",
    "taskloom serve runs probes --port 8000": "tests/views/test_serve.py",
    "taskloom serve runs --read-only": "tests/views/test_serve.py",
    "taskloom serve runs --export site": "tests/views/test_site.py",
    "taskloom serve runs --export site --reveal": "tests/views/test_site.py",
    "taskloom check site": "tests/views/test_site.py",
    "taskloom serve runs --host 0.0.0.0 --token SECRET": "tests/views/test_serve.py",
    "taskloom judge read form.key.json answers-*.jsonl": "tests/studies/judgement",
    "taskloom judge read ask.key.json answers-*.jsonl --name crowd -o runs/crowd": "tests/studies/judgement",
    "taskloom judge make runs/mine --form read -o unread.html": "tests/studies/judgement/test_opinions.py",
    "taskloom judge read unread.key.json answers-*.jsonl": "tests/studies/judgement/test_opinions.py",
    "taskloom report runs/mine out/studies -o report.html": "tests/report/test_studies.py",
    "taskloom sweep stories --model hf/./base --adapt lora -G adapt.rank=[4,16] --engine ray --address auto"
    " -o sweeps/lora": "tests/studies/engines/test_ray.py",
}
"""Examples that take minutes, a network, a cluster or files of other tools, and what runs the like of them."""

LONG = ("run", "probe", "cure", "study", "sweep", "pretrain", "export")
"""Verbs whose examples take half a minute and more together: `make test-proofs`."""

VERDICTS = {"gate": (0, 1, 3)}
"""Exit codes that are not errors, where there are others than 0."""

TASKS = """
import taskloom

@taskloom.task(
    definition="You are given a sum of two whole numbers. Work it out and write the result in digits.",
    right=[("1 + 1", 2, "One and one are two.")],
    wrong=[("1 + 1", 11, "The digits were joined, not added.")],
)
def addition(rng):
    a, b = rng.randint(10, 99), rng.randint(10, 99)
    return f"{a} + {b}", a + b
"""


def commands(verb: str) -> list[str]:
    """The examples of a verb without the remarks beside them."""
    lines = read_command(verb).examples.splitlines()
    return [re.split(r"\s{2,}| > ", line.strip())[0] for line in lines if line.strip().startswith("taskloom ")]


def shortened(words: list[str]) -> list[str]:
    """The same command with little to do."""
    verb, more = words[0], []
    if verb in ("run", "sweep"):
        more += ["--limit", "2"]
        if "--adapt" in words and "in-context" not in words:
            more += ["-A", "updates=1", "-A", "batch=2", "-A", "evaluate_limit=2"]
            if words[1].startswith(("babi/", "seti/")):
                more += ["-T", "train=200", "-T", "dev=100", "-T", "test=50"]
    if verb == "generate" and words[1].startswith("babi/") and "--split" not in words:
        more += ["-T", "train=50", "-T", "dev=10", "-T", "test=10"]
    if verb == "generate" and "--replace" not in words:
        more += ["--replace"]  # the other verbs' examples need a bundle of the same name
    if verb == "pretrain":
        more += ["-T", "steps=1", "-T", "batch=2", "-T", "texts=20"]
    if verb in ("probe", "cure"):
        more += ["-P", "budget=60"]
    if verb == "cure":
        more += ["-C", "doses=[1]", "-A", "updates=1"]
    if verb == "study" and not {"--scale", "seti/tables"} & set(words):
        more += ["--scale", "smoke"]
    return words + more


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples take for granted: a bundle, a recipe, tasks, runs, a checkpoint, packages."""
    folder = tmp_path_factory.mktemp("workshop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("my-recipe.yaml").write_text("suite: babi/task-1\nrecipe: {train: 20, dev: 5, test: 5}\n")
        Path("my_tasks.py").write_text(TASKS)
        Path("texts").mkdir()
        Path("texts", "fen.txt").write_text("Dogs are welcome on the fen. Willows grow along the ditch.")
        Path("questions.txt").write_text("Are dogs allowed?\n")
        small = ["-T", "train=20", "-T", "dev=20", "-T", "test=60"]
        done = [
            main(["generate", "babi/mix-t2", *small, "-o", "stories"]),
            main(["new", "task-file", "capital of country"]),
            main(["new", "family", "chess"]),
            main(["new", "study", "own"]),
            main(["run", "stories", "--model", "mock/majority", "-o", "runs/majority"]),
            main(["probe", "babi/mix-t2", "--model", "mock/majority", "-P", "budget=60", "-o", "probes/fitted"]),
        ]
        models = {"oracle": "oracle", "new": "oracle", "old": "oracle", "mine": "majority", "theirs": "random"}
        for name, model in models.items():
            done.append(main(["run", "stories", "--model", f"mock/{model}", "-o", f"runs/{name}"]))
        done.append(main(["report", "runs/majority", "-o", "report.html"]))
        Path("own/src/own/__init__.py").rename("my_study.py")
        rows = list(open_suite("stories").rows("test", limit=5))
        Path("answers.jsonl").write_text(
            "\n".join(json.dumps({"hash": question_hash(*row), "output": "office"}) for row in rows)
        )
        Path("old.csv").write_text(
            "\n".join(["task,id,output", *(f"{row.task},{row.instance.id},office" for row in rows)])
        )
        rows = list(open_suite("babi/mix-t7", seed=7).rows("test", limit=5))
        Path("answers.csv").write_text("\n".join(["hash,output", *(f"{question_hash(*row)},office" for row in rows)]))
        tuned = ["run", "stories", "--model", "tiny/t5-1m", "--adapt", "finetune", "-A", "updates=1", "-A", "batch=2"]
        for name in ("tuned", "fitted", "concat", "taught", "tk"):
            done.append(main([*tuned, "--encoding", "plain", "-o", f"runs/{name}"]))
        for name in ("my-checkpoint", "base"):
            done.append(main(["export", "model", "runs/tuned", "-o", name]))
        assert not any(done)
    return folder


@pytest.fixture(scope="module")
def server():
    with serving(lambda handler, body, count: handler.send(said("office"))) as running:
        yield running.url


def _kinds():
    """Each verb once; its examples that load a packaged model are a proof of their own."""
    for verb in VERBS:
        yield pytest.param(verb, False, marks=[pytest.mark.proof] if verb in LONG else [], id=verb)
        if any("packaged/" in command for command in commands(verb)):
            yield pytest.param(verb, True, marks=[pytest.mark.proof], id=f"{verb}-packaged")


@pytest.mark.train
@pytest.mark.parametrize(("verb", "packaged"), list(_kinds()))
def test_examples_run(verb, packaged, workshop, server, tmp_path, monkeypatch, capsys):
    examples = [one for one in commands(verb) if one not in ELSEWHERE and ("packaged/" in one) == packaged]
    if not examples:
        pytest.skip("all of them run elsewhere")
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    shutil.copytree(workshop, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    for own in {"run": ["runs"], "probe": ["probes"], "import": ["runs"], "new": ["chess", "tasks", "stories"]}.get(
        verb, []
    ):
        shutil.move(own, f"{own}-before")  # its examples make their own
    for command in examples:
        words = shlex.split(command.replace("http://127.0.0.1:8000/v1", server))[1:]
        if "*" in command:
            words = [str(path) for word in words for path in (sorted(Path().glob(word)) if "*" in word else [word])]
        code = main(shortened(words))
        assert code in VERDICTS.get(verb, (0,)), f"{command}: {capsys.readouterr().err}"


def test_every_verb_has_examples_and_every_exception_is_real():
    assert [verb for verb in VERBS if not commands(verb)] == []
    assert set(ELSEWHERE) <= {command for verb in VERBS for command in commands(verb)}
