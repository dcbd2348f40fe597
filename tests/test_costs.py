"""The tests that take most CPU time are named, with what their children took."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

from costs import cost_lines

TESTS = Path(__file__).parent

SPENDS = """
import subprocess, sys, time

def spend(seconds):
    began = time.process_time()
    while time.process_time() - began < seconds:
        pass

def test_idle(): time.sleep(0.3)
def test_works(): spend(0.3)
def test_has_a_child(): subprocess.run([sys.executable, "-c", __import__("inspect").getsource(sys.modules[__name__])
    + "spend(0.6)"], check=True)
"""


def test_the_costliest_come_first():
    assert cost_lines({"a": 0.25, "b": 3.0, "c": 0.0}, 5) == ["     3.0  b", "     0.2  a"]
    assert cost_lines({"a": 1.0, "b": 3.0}, 1) == ["     3.0  b"]


def test_children_count_and_waiting_does_not(tmp_path):
    (tmp_path / "conftest.py").write_text((TESTS / "costs.py").read_text())
    (tmp_path / "test_them.py").write_text(SPENDS)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--cpu", "2", "-p", "no:cacheprovider", str(tmp_path)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ}, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout + done.stderr
    named = re.findall(r"^ +([\d.]+)  test_them.py::(\w+)$", done.stdout, re.MULTILINE)
    assert [name for _, name in named] == ["test_has_a_child", "test_works"]
    assert float(named[0][0]) >= 0.6 and float(named[1][0]) >= 0.3
    total = float(re.search(r"CPU seconds: ([\d,]+) in all", done.stdout)[1])
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert 1 <= total <= spent + 0.5, "rounded, and nothing counted twice"
