"""Typical mistakes: the answer names what was meant, and nothing is a traceback."""

import pytest

from taskloom.cli.main import main

ASKED = ["--model", "mock/majority", "-o", "out"]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["run", "babi/task-1", "--model", "gpt-4o", "-o", "out"], "openai/gpt-4o needs a key"),
        (["run", "babi/task-1", "--model", "claude-opus", "-o", "out"], "anthropic/claude-opus needs a key"),
        (["run", "babi/task-1", "--model", "./nowhere", "-o", "out"], "no such folder"),
        (["run", "babi/task-1", "--model", "absent.gguf", "-o", "out"], "no file absent.gguf"),
        (["run", "babi/task-1", "--model", "owner/name", "-o", "out"], "hf/owner/name loads it from the hub"),
        (["run", "babi/task-1", "--model", "majority", "-o", "out"], "did you mean 'mock/majority'"),
        (["run", "task-1", *ASKED], "did you mean 'babi/task-1'"),
        (["run", "babi", "task-1", *ASKED], "a task of a suite is written SUITE/TASK"),
        (["run", "babi/task-1", "-m", "mock/majority", "-o", "out"], "did you mean --model?"),
        (["run", "babi/task-1", "--n", "5", *ASKED], "did you mean --limit?"),
        (["run", "babi/task-1", "-n", "5", *ASKED], "did you mean --limit?"),
        (["run", "babi/task-1", "--limit", "ten", *ASKED], "1 or more, or a share between 0 and 1, not ten"),
        (["run", "babi/task-1", "--seed", "abc", *ASKED], "--seed takes a whole number, or secret, not 'abc'"),
        (["run", "babi/task-1", "-A", "lr=1", *ASKED], "has no options, so 'lr' cannot be set"),
        (["run", "babi/task-1", "--adapt", "finetune", "-A", "lr=1", *ASKED], "did you mean 'learning_rate'?"),
        (["run", "babi/task-1"], "for example: taskloom run"),
        (["show", "babi/task-1", "--limit", "3"], "did you mean --n?"),
        (["export", "hf", "babi/task-1", "--limit", "3", "-o", "out"], "did you mean --rows?"),
        (["generate", "babi/mix-t2", "-T", "train=many", "-o", "out"], "expected a whole number, got text"),
        (["--verison"], "did you mean '--version'?"),
    ],
)
def test_an_answer_names_what_was_meant(words, answer, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    assert main(words) == 2
    assert answer in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "printed"),
    [(["help", "run"], "usage: taskloom run"), (["list", "babi"], "babi/task-1"), (["-v"], "taskl")],
)
def test_other_ways_to_ask_are_understood(words, printed, capsys):
    try:
        assert main(words) == 0
    except SystemExit as stopped:  # argparse ends after its help
        assert stopped.code == 0
    assert printed in capsys.readouterr().out
