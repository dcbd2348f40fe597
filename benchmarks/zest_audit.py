"""What the independent reader of the tests says about many generated items.

It answers every question from the text of its passage, looks for contradictions in every passage, and counts how often
entities occur. The linear probes (`--probes`) show what half of the input gives away: areas under the
curve of probes that are fitted on the train split and asked about the tasks of another one; 0.5 is chance, for any
shares of the answers. Items of a task share its question and its shares, so what chance does to an area is measured by
drawing tasks anew, not items.
With `--statements` the family's own checker goes over everything the generator means to say instead of the text.

    python -m benchmarks.zest_audit --seeds 30 31 32 33 --passages 20
    python -m benchmarks.zest_audit --seeds 30 31 32 33 --passages 20 --statements
    python -m benchmarks.zest_audit --seeds 0 1 2 3 --passages 10 --probes
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

from taskloom.core import Row, Suite, keyed_random, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.families.zest.domain import Domain, load_domain
from taskloom.families.zest.facts import Statement, TableRow, Value, is_side
from taskloom.families.zest.generate import Generator
from taskloom.families.zest.recipe import FictionalRecipe
from taskloom.score.probes import LinearProbe, ProbeItem, Side, area_under_curve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "families" / "zest"))


_DRAWS = 1_000
_SIDES: dict[str, Side] = {"passage": "context", "question": "question"}


class ProbeArea(NamedTuple):
    """How well one part of the input tells answers apart: 0.5 for not at all.

    Attributes:
        part: The part of the input that the probe sees.
        tells: The answer that it tells from the others.
        area: The area under the curve.
        items: How many items it was asked.
        low, high: Where 95 % of the areas lie if the tasks are drawn anew, with repeats.
    """

    part: str
    tells: str
    area: float
    items: int
    low: float
    high: float


def _items(rows: Iterable[Row], tells: str) -> tuple[list[ProbeItem], list[str]]:
    """What a probe sees of the rows that it is about, and their tasks."""
    found, tasks = [], []
    for row in rows:
        answer = str(row.instance.facets["answer"])
        if tells == "yes" and answer not in ("yes", "no"):
            continue
        label = answer if tells == "yes" else "na" if answer == "na" else "value"
        parts = row.instance.parts
        found.append(ProbeItem("", parts.get("passage", ""), parts.get("question", ""), label, frozenset([label])))
        tasks.append(row.task)
    return found, tasks


def probe_areas(suite: Suite, *, fit: str = "train", split: str = "test") -> list[ProbeArea]:
    """The area of each part alone, for n/a against everything else and for yes against no.

    Args:
        suite: A suite of generated tasks.
        fit: The split the probes are fitted on.
        split: The split they are asked about.
    """
    shown, asked = list(suite.rows(fit)), list(suite.rows(split))
    return [
        _area(part, tells, _items(shown, tells)[0], *_items(asked, tells))
        for tells in ("na", "yes")
        for part in ("passage", "question")
    ]


def half_areas(rows: Iterable[Row]) -> dict[str, float]:
    """How well the first half of each task's answers tells those of the other half, for n/a and for yes.

    Tasks differ in their shares, so one half speaks for more of the same; below 0.5 a quota would give the rest away.
    """
    answers: dict[str, list[str]] = {}
    for row in rows:
        answers.setdefault(row.task, []).append(str(row.instance.facets["answer"]))
    areas = {}
    for tells, counted in (("na", None), ("yes", ("yes", "no"))):
        scores: list[float] = []
        truth: list[bool] = []
        for given in answers.values():
            members = [answer for answer in given if counted is None or answer in counted]
            half = len(members) // 2
            if half:
                scores += [members[:half].count(tells) / half] * (len(members) - half)
                truth += [answer == tells for answer in members[half:]]
        areas[tells] = area_under_curve(scores, truth)
    return areas


def _area(
    part: str, tells: str, shown: Sequence[ProbeItem], asked: Sequence[ProbeItem], tasks: Sequence[str]
) -> ProbeArea:
    probe = LinearProbe(_SIDES[part], penalty=10.0)
    probe.fit(shown)
    scores = [probe.scores(item)[tells] for item in asked]
    truth = [item.answer == tells for item in asked]
    low, high = bootstrap_interval(scores, truth, tasks)
    return ProbeArea(part, tells, area_under_curve(scores, truth), len(asked), low, high)


def bootstrap_interval(
    scores: Sequence[float], truth: Sequence[bool], groups: Sequence[str], *, draws: int = _DRAWS
) -> tuple[float, float]:
    """The 95 % interval of an area under the curve over groups of items drawn with repeats."""
    import numpy as np

    _, place = np.unique(np.asarray(scores), return_inverse=True)
    names = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    group = np.array([names[name] for name in groups])
    right = np.asarray(truth, dtype=bool)
    size, top = len(names), int(place.max()) + 1
    rng = keyed_random("zest", "probe interval", size, len(scores))
    areas = []
    for _ in range(draws):
        times = np.bincount([int(rng.random() * size) for _ in range(size)], minlength=size)[group]
        good = np.bincount(place, weights=times * right, minlength=top)
        bad = np.bincount(place, weights=times * ~right, minlength=top)
        pairs = float(good.sum() * bad.sum())
        if pairs:
            # Ties count half, as in `area_under_curve`.
            areas.append(float((good * (np.cumsum(bad) - bad / 2)).sum()) / pairs)
    low, high = np.quantile(areas, (0.025, 0.975))
    return float(low), float(high)


def contradictions(domain: Domain, statements: Iterable[Statement]) -> list[str]:
    """What cannot be true together over everything one passage says; empty for a sound passage.

    Statements about other entities and those that deny a value are included.
    """
    found: list[str] = []
    known: dict[str, dict[str, Value]] = {}
    denied: list[Statement] = []
    for statement in statements:
        if statement.denied:
            denied.append(statement)
            continue
        values = known.setdefault(statement.entity, {})
        if values.setdefault(statement.attribute, statement.value) != statement.value:
            found.append(f"{statement.entity}: two values of {statement.attribute}")
    for statement in denied:
        if known.get(statement.entity, {}).get(statement.attribute) == statement.value:
            found.append(f"{statement.entity}: {statement.attribute} is stated and denied")
    for entity, values in known.items():
        found += [f"{entity}: {problem}" for problem in (*_misdated(domain, values), *_conflicting(domain, values))]
    return found


def _misdated(domain: Domain, values: Mapping[str, Value]) -> Iterator[str]:
    """Years that come before the year they count from, in attributes and in rows."""
    for name, value in values.items():
        one = domain.attributes[name]
        for column, part in enumerate((one, one.a, one.b)):
            base = values.get(part.after) if part is not None and part.after else None
            years = _column(value, column) if column else [value]
            if isinstance(base, int) and any(int(str(year)) < base for year in years):
                yield f"{name} before {part.after}"


def _column(value: Value, number: int) -> list[Value]:
    if not isinstance(value, tuple):
        return []
    fields = [row.a if number == 1 else row.b for row in value if isinstance(row, TableRow)]
    return [field for field in fields if field is not None]


def _conflicting(domain: Domain, values: Mapping[str, Value]) -> Iterator[str]:
    for one, other in domain.conflicts:
        sides = [side.partition("=") for side in (one, other)]
        if all(name in values and is_side(wanted, values[name]) for name, _, wanted in sides):
            yield f"{one} and {other}"


def read(suite: Suite, shown: int) -> Counter[str]:
    """Counts of items, answers the reader does not share, passages, and contradictions in them."""
    from zest_patterns import TOPICS
    from zest_reader import Reader
    from zest_sense import contradictions as contradictions_in

    fair = SCORERS.get("zest/fair")
    nouns = sorted(TOPICS, key=len, reverse=True)
    counts: Counter[str] = Counter()
    entities: Counter[str] = Counter()
    for split in suite.splits:
        seen: set[int] = set()
        for task, instance in suite.rows(split):
            passage, question = instance.parts["passage"], instance.parts["question"]
            answer = Reader(passage).answer(question)
            counts["items"] += 1
            if fair.score(answer, instance.targets, suite.tasks[task]).value < 1:
                counts["missed"] += 1
                if counts["missed"] <= shown:
                    print(f"missed: {question}\n  gold {instance.targets.canonical()}\n  read {answer}\n  {passage}")
            if hash(passage) not in seen:
                seen.add(hash(passage))
                counts["passages"] += 1
                entities[str(instance.details["entity"])] += 1
                found = contradictions_in(next(noun for noun in nouns if f"this {noun}" in question), passage)
                counts["contradictions"] += bool(found)
                if found and counts["contradictions"] <= shown:
                    print(f"contradiction: {found}\n  {passage}")
    counts["most of one name"] = entities.most_common(1)[0][1]
    return counts


def check_statements(seed: int, passages: int, shown: int) -> Counter[str]:
    """Counts of passages, of statements in them, and of passages whose statements cannot all be true."""
    generator = Generator(FictionalRecipe(passages=passages, surplus=0), seed)
    counts: Counter[str] = Counter()
    for split, tasks in generator.splits.items():
        for task in {task.passages: task for task in tasks}.values():
            for index in range(passages):
                drawn = generator.passage(task, "split", split, index)
                found = contradictions(load_domain(task.domain), drawn.statements)
                counts += Counter(passages=1, statements=len(drawn.statements), contradictions=bool(found))
                if found and counts["contradictions"] <= shown:
                    print(f"contradiction: {found}\n  {drawn.text}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--passages", type=int, default=20)
    parser.add_argument("--probes", action="store_true")
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--show", type=int, default=5, help="how many problems to print")
    args = parser.parse_args()
    total: Counter[str] = Counter()
    areas: dict[tuple[str, str], list[float]] = {}
    for seed in args.seeds:
        if args.statements:
            total += check_statements(seed, args.passages, args.show)
            continue
        suite = open_suite("zest/fictional", seed=seed, options={"passages": args.passages, "surplus": 0})
        if args.probes:
            for found in probe_areas(suite):
                areas.setdefault((found.part, found.tells), []).append(found.area)
                span = f"95 % {found.low:.3f} to {found.high:.3f}, {found.items:,} items"
                print(f"seed {seed}: {found.part} alone, {found.tells}: {found.area:.3f} ({span})", flush=True)
            halves = half_areas(row for split in suite.splits for row in suite.rows(split))
            print(
                f"seed {seed}: half of a task's answers, na: {halves['na']:.3f}, yes: {halves['yes']:.3f}", flush=True
            )
            continue
        counts = read(suite, args.show)
        total += counts
        print(f"seed {seed}: {dict(counts)}", flush=True)
    for (part, tells), found in areas.items():
        margin = 1.96 * stdev(found) / len(found) ** 0.5 if len(found) > 1 else float("nan")
        print(f"{part} alone, {tells}: mean of {len(found)} seeds {fmean(found):.3f} ± {margin:.3f}")
    if args.statements:
        print(f"in all {dict(total)}")
    elif total:
        agreed = 1 - total["missed"] / total["items"]
        print(f"in all {dict(total)}; the reader agrees with {agreed:.4%}")


if __name__ == "__main__":
    main()
