"""How good the lexical labels are: what was read and judged, and how far outside resources agree.

    PYTHONPATH=src python benchmarks/labels.py [FOLDER]

Prints the audit table of `benchmarks/judged`. With a folder that holds the published files it also counts agreement:
`vaderSentiment-*.whl` (VADER), `afinn-*.tar.gz` (AFINN-111) and `dict-freedict-eng-spa_*.deb` (FreeDict), as the
package registries give them (`pip download --no-deps`, `apt-get download`). None of them is part of Taskloom. VADER is
one of the two resources behind the clean signs, so its row is no outside check of those; the others are.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.score.stats import wilson

JUDGED = Path(__file__).parent / "judged"
SETS = ("faithful", "clean")


class Verdict(NamedTuple):
    """One judged row."""

    atom: str
    input: str
    answer: str
    verdict: str


def verdicts(labels: str) -> list[Verdict]:
    """The judged rows of a label set."""
    lines = (JUDGED / f"{labels}.tsv").read_text("utf-8").splitlines()
    return [Verdict(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def audit() -> None:
    """Rows judged, wrong and doubtful by atom, with a 95 % interval for the wrong ones."""
    print("| atom | labels | judged | wrong | doubtful | wrong, 95 % interval |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    atoms = list(dict.fromkeys(row.atom for labels in reversed(SETS) for row in verdicts(labels)))
    for atom in atoms:
        for labels in SETS:
            rows = [row for row in verdicts(labels) if row.atom == atom]
            if rows:
                wrong = sum(row.verdict == "wrong" for row in rows)
                doubtful = sum(row.verdict == "doubtful" for row in rows)
                low, high = wilson(wrong, len(rows))
                shown = f"{100 * low:.1f} to {100 * high:.1f} %"
                print(f"| {atom} | {labels} | {len(rows)} | {wrong} | {doubtful} | {shown} |")


def engines(labels: str) -> Engines:
    return Engines(TaskBenchRecipe(labels=labels, knowledge="none"), 0)  # type: ignore[arg-type]


def signs(folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """Outside ratings by word."""
    for path in folder.glob("vaderSentiment-*.whl"):
        text = zipfile.ZipFile(path).read("vaderSentiment/vader_lexicon.txt").decode()
        rows = [line.split("\t") for line in text.splitlines()]
        yield "VADER", {row[0]: float(row[1]) for row in rows if row[0].isalpha()}
    for path in folder.glob("afinn-*.tar.gz"):
        with tarfile.open(path) as archive:
            member = next(m for m in archive.getmembers() if m.name.endswith("AFINN-111.txt"))
            stream = archive.extractfile(member)
            assert stream is not None
            rows = [line.split("\t") for line in stream.read().decode().splitlines()]
            yield "AFINN-111", {row[0]: float(row[1]) for row in rows if len(row) == 2}


def sentiment(folder: Path) -> None:
    """Labelled words that an outside list rates, and how many labels its sign contradicts."""
    for name, ratings in signs(folder):
        for labels in SETS:
            found = engines(labels)
            total = against = 0
            for value, sign in (("positive", 1), ("negative", -1)):
                truth = found.predicate(parse(f"is-sentiment-{value}[eng]"))
                for word in truth.true:
                    if ratings.get(word):
                        total += 1
                        against += ratings[word] * sign < 0
            print(f"| {name} | {labels} | {total:,} | {against:,} | {100 * against / max(1, total):.1f} % |")


def freedict(folder: Path) -> dict[str, set[str]]:
    """English to Spanish words of FreeDict's dictionary."""
    (path,) = folder.glob("dict-freedict-eng-spa_*.deb")
    data = path.read_bytes()
    at = 8
    members: dict[str, bytes] = {}
    while at < len(data):  # an ar archive
        name, size = data[at : at + 16].decode().strip(" /"), int(data[at + 48 : at + 58])
        members[name] = data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    packed = next(body for name, body in members.items() if name.startswith("data.tar"))
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(packed))) as archive:
        file = next(m for m in archive.getmembers() if m.name.endswith(".dict.dz"))
        stream = archive.extractfile(file)
        assert stream is not None
        text = gzip.decompress(stream.read()).decode("utf-8", "replace")
    table: dict[str, set[str]] = {}
    head = ""
    for line in text.splitlines():
        if match := re.match(r"([a-z' -]+) /.*/", line):
            head = match[1].strip()
        elif head and line.strip():
            words = re.split(r"[,;]|\(.*?\)|<.*?>|\[.*?\]|^\d+\.", line)
            table.setdefault(head, set()).update(word.strip().lower() for word in words if word.strip())
    return table


def translation(folder: Path) -> None:
    """Inputs that FreeDict knows, and how often it lists the canonical answer or any accepted one."""
    from taskloom.core import open_suite

    known = freedict(folder)
    for labels in SETS:
        suite = open_suite("taskbench/translate[eng->spa]", options={"labels": labels, "train": 10_000})
        total = canonical = accepted = 0
        for _, row in suite.rows("train"):
            if row.input in known:
                total += 1
                canonical += row.targets.canonical().lower() in known[row.input]
                accepted += bool({answer.lower() for answer in row.targets.answers} & known[row.input])
        shares = f"{100 * canonical / total:.1f} % | {100 * accepted / total:.1f} %"
        print(f"| FreeDict eng-spa | {labels} | {total:,} | {shares} |")


def main() -> None:
    audit()
    if len(sys.argv) > 1 and Path(sys.argv[-1]).is_dir():
        folder = Path(sys.argv[-1])
        print("\n| ratings | labels | comparable | contradicted | |\n| --- | --- | ---: | ---: | ---: |")
        sentiment(folder)
        print("\n| dictionary | labels | inputs it knows | canonical answer listed | some accepted answer listed |")
        print("| --- | --- | ---: | ---: | ---: |")
        translation(folder)


if __name__ == "__main__":
    main()
