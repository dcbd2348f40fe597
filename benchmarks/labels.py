"""How good the lexical labels are: what was read and judged, and what outside resources say.

    PYTHONPATH=src:scripts python benchmarks/labels.py [FOLDER]

Prints, per atom with 95 % intervals, how many canonical and how many accepted answers a reader found wrong
(`benchmarks/judged`). With a folder that holds packages as the registries give them (`pip download --no-deps`,
`apt-get download`) it also measures what the labels reject of dictionaries that had no part in making them:
`apertium-eng-spa_*.deb`, `dict-freedict-eng-spa_*.deb`, `dict-freedict-spa-eng_*.deb`, `dict-gcide_*.deb`,
`libaiksaurus-1.2-data_*.deb` and `ConceptNet-*.tar.gz` (the lists of BATS), and how often ratings contradict a sign:
`vaderSentiment-*.whl`, `afinn-*.tar.gz`. VADER is one of the two resources behind the clean signs, so its row is no
outside check of those. Needs the package `wordfreq`: answers that no text uses are not counted.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dictionaries import Links, aiksaurus, apertium, bats, freedict, gcide, members, opposed

from taskloom.algebra import signature
from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.score.stats import wilson

JUDGED = Path(__file__).parent / "judged"
SETS = ("faithful", "clean")
USED = 2.0  # the least zipf frequency of an answer that counts


class Verdict(NamedTuple):
    """One judged answer."""

    atom: str
    input: str
    answer: str
    verdict: str
    source: str = ""


def verdicts(name: str) -> list[Verdict]:
    """The judged answers of a file."""
    lines = (JUDGED / f"{name}.tsv").read_text("utf-8").splitlines()
    return [Verdict(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def audit(name: str) -> None:
    """Answers judged, wrong and doubtful by atom, with an interval for the wrong ones."""
    rows = verdicts(name)
    for atom in dict.fromkeys(row.atom for row in rows):
        said = [row.verdict for row in rows if row.atom == atom]
        low, high = wilson(said.count("wrong"), len(said))
        counts = f"{len(said)} | {said.count('wrong')} | {said.count('doubtful')}"
        print(f"| {atom} | {name} | {counts} | {100 * low:.1f} to {100 * high:.1f} % |")


def engines(labels: str) -> Engines:
    return Engines(TaskBenchRecipe(labels=labels, knowledge="none"), 0)  # type: ignore[arg-type]


def held_out(folder: Path) -> Iterator[tuple[str, str, Links]]:
    """Atoms with a dictionary that had no part in making them, by name."""

    def files(package: str) -> dict[str, bytes]:
        (path,) = folder.glob(f"{package}[-_]*")
        return members(path)

    both = files("apertium-eng-spa")
    for atom, direction in (("translate[eng->spa]", "eng-spa"), ("translate[spa->eng]", "spa-eng")):
        for name, pairs in (
            ("Apertium", apertium(both, direction)),
            ("FreeDict", freedict(files(f"dict-freedict-{direction}"))),
        ):
            links: Links = defaultdict(set)
            for left, _, right in pairs:
                links[left.lower()].add(right.lower())
            yield atom, name, links
    webster, clusters = gcide(files("dict-gcide")), aiksaurus(files("libaiksaurus-1.2-data"))
    yield "synonyms[eng]", "Webster 1913", webster
    yield "synonyms[eng]", "both thesauri", {word: found & clusters.get(word, set()) for word, found in webster.items()}
    lists = files("ConceptNet")
    yield "synonyms[eng]", "BATS", bats(lists, "L8")
    yield "antonyms[eng]", "Webster 1913", opposed(files("dict-gcide"))
    yield "antonyms[eng]", "BATS", bats(lists, "L9", "L10")
    yield "hypernyms[eng]", "BATS", bats(lists, "L1", "L2")


def language(atom: str) -> str:
    """The language of an atom's answers, as `wordfreq` names it."""
    return {"eng": "en", "spa": "es"}[signature(parse(atom)).target]


def rejected(atom: str, links: Links, labels: str) -> tuple[int, list[tuple[str, str]]]:
    """How many answers a dictionary lists for the inputs of an atom, and those that the labels reject."""
    import wordfreq

    relation = engines(labels).relation(parse(atom))
    code = language(atom)
    total, out = 0, []
    for word in relation.inputs:
        right = {answer.lower() for answer in relation.outputs(word)}
        for answer in sorted(links.get(word, set()) - {word}):
            if answer.isalpha() and wordfreq.zipf_frequency(answer, code) >= USED:
                total += 1
                out += [(word, answer)] if answer not in right else []
    return total, out


def recall(folder: Path) -> None:
    """What held-out dictionaries list and the labels reject, and how much of that a reader found genuine."""
    read = verdicts("rejected")
    for atom, name, links in held_out(folder):
        for labels in SETS:
            total, out = rejected(atom, links, labels)
            shown = f"| {atom} | {name} | {labels} | {total:,} | {len(out):,} ({100 * len(out) / total:.1f} %) |"
            asked = [row for row in read if (row.atom, row.source) == (atom, name)]
            said = [row.verdict for row in asked if (row.input, row.answer) in out]
            if labels == "clean" and said:
                genuine = said.count("genuine")
                low, high = (share * len(out) / total for share in wilson(genuine, len(said)))
                if len(said) == len(out):  # all were read
                    low, high = wilson(genuine, total)
                estimate = genuine / len(said) * len(out) / total
                shown += f" {genuine} of {len(said)} | {100 * estimate:.1f} % ({100 * low:.1f} to {100 * high:.1f}) |"
            print(shown)


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


def main() -> None:
    print("| atom | answers | judged | wrong | doubtful | wrong, 95 % interval |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for name in ("faithful", "clean", "accepted", "widened"):
        audit(name)
    if len(sys.argv) > 1 and Path(sys.argv[-1]).is_dir():
        folder = Path(sys.argv[-1])
        print("\n| atom | dictionary | labels | listed | rejected | read, genuine | genuine rejected, 95 % |")
        print("| --- | --- | --- | ---: | ---: | ---: | --- |")
        recall(folder)
        print("\n| ratings | labels | comparable | contradicted | |\n| --- | --- | ---: | ---: | ---: |")
        sentiment(folder)


if __name__ == "__main__":
    main()
