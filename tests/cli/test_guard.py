"""The last resort: one sentence for whatever goes wrong, and a file for what was not foreseen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from taskloom.cli.guard import DEFECT, guarded
from taskloom.core import secrets
from taskloom.core.errors import install_command


def ends(action, *words):
    return guarded(words, action, program=False)


def raising(error):
    def action():
        raise error

    return action


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    return tmp_path / "defects"


def test_a_defect_is_one_sentence_and_a_file_without_secrets(cache, capsys):
    key = "sk-proj-4f9a8b7c6d5e4f3a2b1c"
    secrets.learn(key, "api_key")
    assert ends(raising(KeyError(f"x {key}")), "run", "x", "-M", f"api_key={key}") == DEFECT
    printed = capsys.readouterr().err
    assert printed.startswith("error: an unforeseen KeyError") and "Traceback" not in printed
    (file,) = cache.iterdir()
    assert str(file) in printed
    written = file.read_text()
    assert "Traceback" in written and "taskloom" in written.lower() and key not in written + printed


def test_only_the_newest_files_are_kept(cache, monkeypatch):
    cache.mkdir()
    mine = cache / "notes.txt"
    mine.write_text("mine")
    for _ in range(23):
        ends(raising(ZeroDivisionError("x")))
    assert len(list(cache.iterdir())) == 21 and mine.exists()


def test_a_folder_that_cannot_be_written_leaves_the_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    assert ends(raising(RuntimeError("x"))) == DEFECT
    assert "no file, because none could be written" in capsys.readouterr().err


def test_failing_while_an_interrupt_closes_files_is_an_interrupt(cache, capsys):
    def action():
        try:
            raise KeyboardInterrupt
        finally:
            os.close(10_000)

    assert ends(action) == 130
    assert "the same command continues" in capsys.readouterr().err and not cache.exists()


@pytest.mark.parametrize(("module", "extra"), [("matplotlib.pyplot", "report"), ("transformers.models", "train")])
def test_a_missing_package_of_an_extra_is_named_with_its_command(cache, capsys, module, extra):
    assert ends(raising(ModuleNotFoundError("no", name=module))) == 2
    assert install_command(extra) in capsys.readouterr().err
    assert ends(raising(ModuleNotFoundError("no", name="nowhere"))) == DEFECT


def test_words_that_are_no_text_are_refused(tmp_path):
    command = [sys.executable, "-m", "taskloom", "generate", "babi/task-1", "-o", b"/tmp/caf\xe9"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and "caf\\xe9: not UTF-8 text" in done.stderr and "Traceback" not in done.stderr


SCRIPT = """
import os, signal, sys, threading
from taskloom.cli import guard

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and so do its children

class Odd:
    def __del__(self):
        raise ValueError("thrown away")

def action():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start(); thread.join()
    Odd()
    try:
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

code = guard.guarded(["x"], action, program=True)
os.kill(os.getpid(), signal.SIGINT)
sys.exit(code)
"""


def test_three_interrupts_threads_and_leftovers_print_no_traceback(tmp_path):
    environment = {**os.environ, "TASKLOOM_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 130 and "Traceback" not in done.stderr and "stopped;" in done.stderr
    assert "ZeroDivisionError" in done.stderr and "unforeseen ValueError" in done.stderr
    assert len(list(Path(tmp_path, "defects").iterdir())) == 2
