"""How our stories compare with the kit's and with the released files: mentions and forms.

    python -m benchmarks.babi_compare --kit FOLDER --babi FOLDER

`--kit` is a folder of the Dyna-bAbI kit with `mix_T12/valid.txt` and `mix_T7/valid.txt`: sentences outside the support
that are about the person or object asked about (by name or pronoun), by question type and size of the support, of each
kind and age. `--fit ROUNDS` changes what stories wish for until they have as many, and writes `mentions.toml`.
`--babi` is a folder of the original files: which share of a task's sentences has which form.
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
OBJECTS = ("where-object", "where-was")
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
    for _, one in open_suite(suite, seed=seed, options={split: count}).rows(split):
        yield tuple(one.parts["story"].split("\n")), one.parts["question"], {n - 1 for n in one.details["support"]}


def kind_of(line: str, about_object: bool) -> str:
    if re.search(r" either | no longer | not in ", line):
        return "open"
    if re.search(r" to the \w+\.$| is in ", line):
        return "place"
    if not about_object:
        return "object"
    given = re.search(r" (gave|handed|passed) ", line)
    return "give" if given else "drop" if re.search(r" (discarded|dropped|left|put down) ", line) else "grab"


def named(lines: tuple[str, ...], number: int) -> set[str]:
    """Whom and what a sentence is about; he, she and they are those of the sentence before."""
    people = re.findall(PEOPLE, lines[number])
    spoken = re.match(r"(?:After that|Following that|Afterwards|Then) (he|she|they) ", lines[number])
    if spoken:
        people += re.findall(PEOPLE, lines[number - 1])[: 2 if spoken[1] == "they" else 1]
    return {*people, *re.findall(THINGS, lines[number])}


def profile(items: Iterable[Asked]) -> dict[tuple[str, int], list[Counter[str]]]:
    """Sentences outside the support about the person (else the object) asked about, by kind and age, of each item."""
    found: dict[tuple[str, int], list[Counter[str]]] = defaultdict(list)
    for lines, question, support in items:
        asked = first(TYPES, question)
        if asked not in LARGEST:
            continue
        name = (re.findall(PEOPLE, question) or re.findall(THINGS, question))[0]
        counts: Counter[str] = Counter()
        for number, line in enumerate(lines):
            if number not in support and name in named(lines, number):
                left = (len(lines) - number) / len(lines)
                counts[kind_of(line, asked in OBJECTS)] += 1
                counts["late" if left <= 0.25 else "middle" if left <= 0.5 else "early"] += 1
        found[asked, min(len(support), LARGEST[asked])].append(counts)
    return found


def columns(asked: str) -> tuple[str, ...]:
    return (*(("grab", "drop", "give") if asked in OBJECTS else ("place", "open", "object")), "late", "middle", "early")


def means(counts: list[Counter[str]], asked: str) -> dict[str, float]:
    return {name: sum(each[name] for each in counts) / len(counts) for name in columns(asked)}


def compare(kit: Path, group: str, questions: int, seed: int) -> None:
    """Every mean, ours and the kit's, with the standard error of the kit's; marked where it is more than 20 % away."""
    theirs_by, ours_by = (
        profile(theirs(kit / f"mix_{group}" / "valid.txt")),
        profile(ours(f"babi/mix-{group.lower()}", "test", questions, seed)),
    )
    total, near, close = 0, 0, 0
    for asked, size in sorted(theirs_by):
        counts = theirs_by[asked, size]
        row, known = means(ours_by[asked, size], asked), means(counts, asked)
        shown = []
        for name in columns(asked):
            spread = sum((each[name] - known[name]) ** 2 for each in counts) ** 0.5 / len(counts)
            inside = abs(row[name] - known[name]) <= 0.2 * known[name] + 1e-9
            total, near = total + 1, near + inside
            close += inside or abs(row[name] - known[name]) <= 2 * spread
            shown.append(f"{name} {row[name]:.2f} ({known[name]:.2f} ±{spread:.2f}){'' if inside else ' *'}")
        print(f"  {asked:13}{size:2} {len(counts):4}  {'  '.join(shown)}")
    print(f"  {near} of {total} within 20 % of the kit's, {close} within that or two standard errors of the kit's")


def fit(kit: Path, rounds: int, questions: int, seed: int) -> None:
    """Find what to wish for in `mentions.toml`, in small steps towards the kit's means."""
    from taskloom.families.babi import mentions

    tables = mentions.tables()
    for number in range(rounds):
        for group, table in (("T12", tables["open"]), ("T7", tables["plain"])):
            mentions.wishes.cache_clear()
            found = profile(ours(f"babi/mix-{group.lower()}", "test", questions, seed + number))
            for (asked, size), counts in found.items():
                cell = table["where-was-object" if asked == "where-was" else asked].get(str(size))
                for name, got in means(counts, asked).items() if cell else ():
                    step = ((cell["kit"][name] + 0.03) / (got + 0.03)) ** (0.6 if number < rounds // 2 else 0.4)
                    cell["told"][name] = min(9.0, max(cell["told"][name], 0.02 if cell["kit"][name] else 0.0) * step)
    path = Path(mentions.__file__).with_name("mentions.toml")
    head = path.read_text(encoding="utf-8").partition("\n\n")[0]
    text = "".join(
        f"\n\n[{name}.{asked}.{size}]\n"
        + "\n".join(f"{key} = {{ {', '.join(f'{k} = {v:.2f}' for k, v in cell[key].items())} }}" for key in cell)
        for name, table in tables.items()
        for asked, cells in table.items()
        for size, cell in cells.items()
    )
    path.write_text(f"{head}{text}\n", encoding="utf-8")


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
    parser.add_argument("--fit", type=int, default=0, help="rounds")
    parser.add_argument("--questions", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    if args.fit:
        fit(args.kit, args.fit, args.questions, args.seed)
    for group in ("T12", "T7") if args.kit else ():
        print(f"mentions in mix_{group}: ours (the kit's), * where more than 20 % away")
        compare(args.kit, group, args.questions, args.seed)
    for number in (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13) if args.babi else ():
        path = next(args.babi.glob(f"qa{number}_*_train.txt"))
        for name, found in (
            ("released", forms(theirs(path))),
            ("ours", forms(ours(f"babi/task-{number}", "train", 1_000, args.seed))),
        ):
            print(f"task {number:2} {name:9}", "  ".join(f"{form} {share:.3f}" for form, share in found.items()))


if __name__ == "__main__":
    main()
