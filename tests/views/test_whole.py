"""Every answer of the application to every kind of request, and its pages as text (see `tests/approved.py`)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from approved import approved, plain
from taskloom import __version__
from taskloom.views.library import SECRET_SEED, BoardRow, committed

RUNS = [("run", "runs/constant")]
TWO = [*RUNS, ("run", "runs/oracle")]
THREE = [*TWO, ("run", "runs/flaky")]
ASKED = [
    ("runs", []),
    ("rows", [*RUNS, ("count", "3")]),
    ("rows", [*RUNS, ("count", "4"), ("start", "57"), ("cols", "id,size,score,outcome")]),
    ("rows", [*THREE, ("q", "outcome=failed"), ("cols", "run,id,outcome,reason"), ("count", "4")]),
    ("rows", [*THREE, ("q", "score<1 size>=1"), ("sort", "-size,run"), ("cols", "run,id,size"), ("count", "6")]),
    ("rows", [*RUNS, ("q", "size!=1 -3"), ("cols", "id,size,raw"), ("count", "3")]),
    ("rows", [*TWO, ("pair", "1"), ("q", "outcomes=differ"), ("cols", "id,score@1,score@2"), ("count", "5")]),
    ("rows", [*TWO, ("pair", "1"), ("q", "outcomes=same"), ("cols", "id,outcome@1"), ("sort", "id"), ("count", "5")]),
    ("rows", [*THREE, ("pair", "1"), ("cols", "id,outcome@3,expected"), ("sort", "-outcome@3"), ("count", "5")]),
    ("group", [*RUNS, ("by", "size")]),
    ("group", [*THREE, ("by", "run,outcome")]),
    ("group", [*TWO, ("pair", "1"), ("by", "outcomes,size")]),
    ("facets", THREE),
    ("facets", [*TWO, ("pair", "1")]),
    ("sample", [*RUNS, ("row", "0")]),
    ("sample", [*TWO, ("pair", "1"), ("row", "2"), ("q", "outcomes=differ")]),
    ("sample", [*THREE, ("row", "61"), ("sort", "run,-id")]),
    ("csv", [*RUNS, ("q", "size=0"), ("cols", "id,size,answer"), ("sort", "-id")]),
    ("examples", [("suite", "babi/task-1"), ("seed", "3")]),
    ("examples", [("suite", "seti/task2-trivial")]),
]
WRONG = [
    ("rows", [*RUNS, ("q", "size=")]), ("rows", [*RUNS, ("cols", "nothing")]), ("rows", [*RUNS, ("count", "x")]),
    ("rows", [*TWO, ("pair", "1"), ("cols", "outcome@4")]), ("group", RUNS), ("sample", [*RUNS, ("row", "60")]),
    ("examples", [("suite", "babi/no")]), ("examples", []), ("nothing", []), ("judge/next", [("form", "x")]),
]  # fmt: skip


def steady(text):
    """Text without what differs from run to run: hashes, seconds, versions, and the record of the machine."""
    text = re.sub(r"What was run #.*", "What was run", text).replace(__version__, "VERSION")
    return re.sub(r"\b[0-9a-f]{16,64}\b|\b\d+\.\d{2,}(?= s\b)|\"seconds\": [\d.e-]+|canary [\w-]+", "…", text)


def test_every_answer(client):
    said = []
    for name, values in ASKED:
        answer = client.ask(f"/api/{name}", values)
        said += [f"== {name} {values}: {answer.status}"]
        said.append(answer.text if name == "csv" else steady(plain(_kept(answer.json))))
    for name, values in WRONG:
        answer = client.ask(f"/api/{name}", values)
        said.append(f"{name} {values}: {answer.status} {answer.text[:300]}")
    approved(Path(__file__).with_name("answers.txt"), "\n".join(said) + "\n")


def _kept(value):
    if isinstance(value, dict):
        return {key: _kept(held) for key, held in value.items() if key not in ("proof", "seconds", "when", "version")}
    return [_kept(one) for one in value] if isinstance(value, list) else value


PAGES = [("/runs", []), ("/findings", RUNS), ("/compare", [("a", "runs/constant"), ("b", "runs/oracle")]),
         ("/compare", [("a", "runs/oracle"), ("b", "runs/other-seed")]), ("/findings", [("run", "runs/flaky")]),
         ("/judge", []), ("/study", [("name", "x")]), ("/findings", [("run", "no")]),
         ("/samples", [*RUNS, ("q", "size=1")])]  # fmt: skip


@pytest.mark.parametrize("read_only", [False, True])
def test_every_page_as_text(client_of, shelf, read_only):
    client, said = client_of(shelf, read_only=read_only), []
    for path, values in PAGES:
        answer = client.ask(path, values)
        text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", answer.text, flags=re.DOTALL)
        words = steady(" ".join(re.sub(r"<[^>]+>", " ", text.replace(str(shelf), "SHELF")).split()))
        said += [f"== {path} {values}: {answer.status}", *re.findall(r"(?:\S+ ?){1,24}", words)]
    approved(Path(__file__).with_name(f"pages{'-read-only' * read_only}.txt"), "\n".join(said) + "\n")


def test_a_secret_seed_is_promised_by_its_hash():
    first = committed("babi/task-1", {"train": 3}, SECRET_SEED)
    assert first == committed("babi/task-1", {"train": 3}, SECRET_SEED) != committed("babi/task-1", {}, SECRET_SEED)
    assert first != committed("babi/task-1", {"train": 3}, SECRET_SEED + 1)
    assert BoardRow(run="r").state == "finished"
