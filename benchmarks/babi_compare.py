"""How our stories compare with the kit's and with the released files: mentions, rules of thumb, and forms.

    python -m benchmarks.babi_compare --kit FOLDER --babi FOLDER

`--kit` is a folder of the Dyna-bAbI kit with `mix_T12/valid.txt` and `mix_T7/valid.txt`: sentences outside the support
that are about the person or object asked about, by question type and size of the support. `--babi` is a folder of the
original files: which share of a task's sentences has which form.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from taskloom import open_suite
from taskloom.families.babi.files import read_babi

PEOPLE = "Daniel|Mary|John|Sandra|Fred|Bill|Jeff|Julie"
THINGS = "apple|football|milk"
LARGEST = {"where-person": 4, "yes-no": 4, "where-object": 4, "where-was": 6, "list": 6, "counting": 6}
TYPES = {
    r"Where is the ": "where-object", r"Where is ": "where-person", r"Where was ": "where-was", r"Is ": "yes-no",
    r"What is ": "list", r"How many ": "counting",
}  # fmt: skip
FORMS = {
    r" either ": "either", r" no longer ": "no longer", r" not in ": "not", r" is in ": "is in",
    r"^(After that|Following that|Afterwards|Then) ": "pronoun", r" and ": "two people", r" to the \w+\.$": "move",
    r" (gave|handed|passed) ": "give", r" (discarded|dropped|left|put down) .* there\.$": "drop there",
    r" (discarded|dropped|left|put down) ": "drop", r" there\.$": "grab there", r".": "grab",
}  # fmt: skip

Asked = tuple[tuple[str, ...], str, set[int]]


def first(patterns: dict[str, str], text: str) -> str:
    return next((name for pattern, name in patterns.items() if re.search(pattern, text)), "other")


def theirs(path: Path) -> Iterator[Asked]:
    for story in read_babi(path):
        for asked in story.questions:
            yield story.statements[: asked.after], asked.text, set(asked.support)


def ours(suite: str, split: str, count: int, seed: int) -> Iterator[Asked]:
    for _, (_, one) in zip(range(count), open_suite(suite, seed=seed).rows(split), strict=False):
        yield tuple(one.parts["story"].split("\n")), one.parts["question"], {n - 1 for n in one.details["support"]}


def mentions(items: Iterable[Asked]) -> dict[tuple[str, int], float]:
    """The mean number of sentences outside the support that name the person (else the object) of the question."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for lines, question, support in items:
        kind = first(TYPES, question)
        names = re.findall(PEOPLE, question) or re.findall(THINGS, question)
        if kind in LARGEST:
            count = sum(names[0] in line for number, line in enumerate(lines) if number not in support)
            found[kind, min(len(support), LARGEST[kind])].append(count)
    return {key: sum(counts) / len(counts) for key, counts in sorted(found.items())}


def forms(items: Iterable[Asked]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    before: tuple[str, ...] = ()
    for lines, _, _ in items:
        new = lines[len(before) :] if lines[: len(before)] == before else lines
        counts.update(first(FORMS, line) for line in new)
        before = lines
    return {name: counts[name] / counts.total() for name in sorted(counts)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", type=Path)
    parser.add_argument("--babi", type=Path)
    parser.add_argument("--questions", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    for group in ("T12", "T7") if args.kit else ():
        kit = mentions(theirs(args.kit / f"mix_{group}" / "valid.txt"))
        mine = mentions(ours(f"babi/mix-{group.lower()}", "test", args.questions, args.seed))
        print(f"mentions in mix_{group}: ours, kit, ratio")
        for kind, size in kit:
            if (kind, size) in mine:
                a, b = mine[kind, size], kit[kind, size]
                print(f"  {kind:13}{size:3}{a:7.2f}{b:7.2f}{a / b:7.2f}")
    for number in (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13) if args.babi else ():
        path = next(args.babi.glob(f"qa{number}_*_train.txt"))
        for name, found in (
            ("released", forms(theirs(path))),
            ("ours", forms(ours(f"babi/task-{number}", "train", 1_000, args.seed))),
        ):
            print(f"task {number:2} {name:9}", "  ".join(f"{form} {share:.3f}" for form, share in found.items()))


if __name__ == "__main__":
    main()
