"""Every example in every `--help` runs as it is printed; long ones with fewer rows and updates appended."""

from __future__ import annotations

import re
import shlex
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from servers import said, serving
from taskloom.cli.main import VERBS, main

ELSEWHERE = {
    "taskloom demo": "make demo",
    "taskloom sources get": "make test-sources",
    "taskloom sources get udhr wordnet": "make test-sources",
    "taskloom sources check": "make test-sources",
}
"""Examples that take minutes or a network, and what runs them."""

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
    text = getattr(import_module(f"taskloom.cli.{verb.replace('-', '_')}"), "EXAMPLES", "")
    return [re.split(r"\s{2,}", line.strip())[0] for line in text.strip().splitlines()]


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
    if verb == "pretrain":
        more += ["-T", "steps=1", "-T", "batch=2", "-T", "texts=20"]
    if verb == "probe":
        more += ["-P", "budget=60"]
    return words + more


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples take for granted: a bundle, a recipe, tasks, runs, a checkpoint, packages."""
    folder = tmp_path_factory.mktemp("workshop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("my-recipe.yaml").write_text("suite: babi/task-1\nrecipe: {train: 20, dev: 5, test: 5}\n")
        Path("my_tasks.py").write_text(TASKS)
        small = ["-T", "train=20", "-T", "dev=20", "-T", "test=60"]
        done = [
            main(["generate", "babi/mix-t2", *small, "-o", "stories"]),
            main(["new", "task-file", "capital of country"]),
            main(["new", "family", "chess"]),
            *(
                main(["run", "stories", "--model", f"mock/{name}", "-o", f"runs/{name}"])
                for name in ("majority", "oracle")
            ),
        ]
        tuned = ["run", "stories", "--model", "tiny/t5-1m", "--adapt", "finetune", "-A", "updates=1", "-A", "batch=2"]
        for name in ("tuned", "fitted", "concat"):
            done.append(main([*tuned, "--encoding", "plain", "-o", f"runs/{name}"]))
        for name in ("my-checkpoint", "base"):
            done.append(main(["export", "model", "runs/tuned", "-o", name]))
        assert not any(done)
    return folder


@pytest.fixture(scope="module")
def server():
    with serving(lambda handler, body, count: handler.send(said("office"))) as running:
        yield running.url


@pytest.mark.train
@pytest.mark.parametrize("verb", VERBS)
def test_examples_run(verb, workshop, server, tmp_path, monkeypatch, capsys):
    examples = [command for command in commands(verb) if command not in ELSEWHERE]
    if not examples:
        pytest.skip("all of them run elsewhere")
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    shutil.copytree(workshop, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    if verb == "run":
        shutil.rmtree("runs")  # its examples make their own
    for command in examples:
        words = shlex.split(command.replace("http://127.0.0.1:8000/v1", server))[1:]
        if "*" in command:
            words = [str(path) for word in words for path in (sorted(Path().glob(word)) if "*" in word else [word])]
        code = main(shortened(words))
        assert code == 0, f"{command}: {capsys.readouterr().err}"


def test_every_verb_has_examples_and_every_exception_is_real():
    assert [verb for verb in VERBS if not commands(verb)] == []
    assert set(ELSEWHERE) <= {command for verb in VERBS for command in commands(verb)}
