"""Names people type without reading, colours, and completion."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from taskloom import load_run
from taskloom.cli.main import main
from taskloom.core.display import paint


def test_tasks_names_the_suite_and_a_limit_may_be_a_share(tmp_path, capsys):
    command = ["run", "--tasks", "babi/task-1", "-T", "test=40", "--model", "mock/oracle", "--limit", "0.1"]
    assert main([*command, "--output", str(tmp_path / "run")]) == 0
    assert len(load_run(tmp_path / "run").records) == 4
    assert main(["view", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").is_file()
    assert main(["show", "--tasks=babi/task-1", "--n", "1"]) == 0
    assert (
        main(["run", "--tasks", "babi/task-1,babi/task-2", "--model", "mock/oracle", "-o", str(tmp_path / "two")]) == 2
    )
    assert "one suite" in capsys.readouterr().err
    for limit in ("0", "-1", "1.5", "x"):
        assert main(["run", "babi/task-1", "--model", "mock/oracle", "--limit", limit, "-o", str(tmp_path / "n")]) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, capsys, tmp_path):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "babi/task-1" in script and "mock/oracle" in script and "max-drop" in script
    (tmp_path / "script").write_text(script)
    if shutil.which(shell):
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ga"], {"gate"}),
        (["v"], {"validate", "view"}),
        (["export", "--ro"], {"--rows"}),
        (["view", "--he"], {"--heatmap", "--help"}),
        (["run", "babi/mix-t1"], {"babi/mix-t12"}),
        (["run", "babi/task-1", "--model", "mock/or"], {"mock/oracle"}),
    ],
)
def test_what_bash_offers(typed, offered, capsys, tmp_path):
    assert main(["completion", "bash"]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    asked = (
        f"source {tmp_path / 'script'}; COMP_WORDS=(taskloom {' '.join(typed)}); COMP_CWORD={len(typed)}; "
        '_taskloom; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert set(done.stdout.split()) == offered


def test_completion_of_an_unknown_shell(capsys):
    assert main(["completion", "bsh"]) == 2
    assert "did you mean 'bash'" in capsys.readouterr().err


def test_colours_only_where_they_are_wanted(monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert paint("x", "red", Terminal()) == "\x1b[31mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("x", "red", Terminal()) == "x"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert paint("x", "red", Terminal()) == "x"


def test_view_shows_a_suite_and_reports_a_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["view", "babi/task-1", "--n", "1"]) == 0
    assert "━━━ 1 · task-1 · test" in capsys.readouterr().out
    assert main(["generate", "babi/task-1", "-T", "train=5", "-T", "dev=0", "-T", "test=5", "-o", "bundle"]) == 0
    assert "1 task in bundle" in capsys.readouterr().out
    assert main(["view", "bundle", "--n", "2"]) == 0
    assert "━━━ 2 · task-1 · test" in capsys.readouterr().out
    assert main(["eval", "bundle", "--model", "mock/oracle", "-o", "run"]) == 0
    assert main(["view", "run"]) == 0
    assert (tmp_path / "report.html").is_file()
    assert main(["ls", "families"]) == 0
    assert main(["validate", "bundle"]) == 0
    capsys.readouterr()
    assert main(["vieww", "babi/task-1"]) == 2
    assert "did you mean 'view'" in capsys.readouterr().err
