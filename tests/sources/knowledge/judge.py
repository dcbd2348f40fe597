"""An independent judge of a world. It reads N-Triples text and shares no code with what wrote them."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise

Check = Callable[[bool, str], None]
LINE = re.compile(r'<([^>]+)> <([^>]+)> (?:<([^>]+)>|"((?:[^"\\]|\\.)*)"(?:@(\w+)|\^\^<[^>]+>)?) \.')


TWIN = "Q159979"
CLASSICAL = "Q9730"


class Facts:
    def __init__(self, lines: Iterable[str]) -> None:
        self.of: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self.label: dict[str, str] = {}
        for line in lines:
            match = LINE.fullmatch(line)
            assert match, line
            subject, predicate = match[1].rsplit("/", 1)[-1].rsplit(":", 1)[-1], match[2].rsplit("/", 1)[-1]
            if predicate.endswith("label"):
                assert subject not in self.label, f"{subject} has two labels"
                self.label[subject] = match[4]
            elif predicate.startswith("P"):
                value = match[3].rsplit("/", 1)[-1].rsplit(":", 1)[-1] if match[3] else match[4]
                self.of[predicate][subject].append(value)

    def one(self, predicate: str, subject: str) -> str | None:
        values = self.of[predicate].get(subject, [])
        assert len(values) <= 1, f"{subject} has {len(values)} values of {predicate}"
        return values[0] if values else None

    def pairs(self, predicate: str) -> list[tuple[str, str]]:
        return [(s, o) for s, values in self.of[predicate].items() for o in values]


def years(date: str) -> float:
    year, month, day = map(int, date.split("-"))
    assert 1 <= month <= 12 and 1 <= day <= 31
    return year + (month - 1) / 12 + (day - 1) / 372


def complaints(text: str | Iterable[str] | Facts) -> list[str]:
    """Everything in the world that cannot be."""
    f = text if isinstance(text, Facts) else Facts(text.splitlines() if isinstance(text, str) else text)
    bad: list[str] = []

    def check(condition: bool, message: str) -> None:
        if not condition:
            bad.append(message)

    check(len(set(f.label.values())) == len(f.label), "two entities share a label")
    for predicate, table in f.of.items():
        for subject, values in table.items():
            check(len(values) == len(set(values)), f"a statement about {subject} is made twice ({predicate})")
            check(subject in f.label, f"{subject} has no label")
            for value in values:
                check(re.match(r"[QF]\d+$", value) is None or value in f.label, f"{value} has no label ({predicate})")

    humans = {s for s, kind in f.pairs("P31") if kind == "Q5"}
    born = {p: years(f.one("P569", p) or "") for p in humans}
    died = {p: years(d) for p in humans if (d := f.one("P570", p))}
    gender = {s: f.one("P21", s) for s in f.of["P21"]}

    for person, date in died.items():
        check(5 < date - born[person] < 106, f"{person} lives {date - born[person]:.0f} years")
        check(date < 2021, f"{person} dies in the future")
    for person, place in f.pairs("P20"):
        check(person in died, f"{person} has a place but no date of death ({place})")
    for person in humans - set(died):
        check(2020 - born[person] < 106, f"{person} is too old to be alive")

    for predicate, wanted in (("P22", "Q6581097"), ("P25", "Q6581072")):
        for child, parent in f.pairs(predicate):
            check(len(f.of[predicate][child]) == 1, f"{child} has two of {predicate}")
            check(gender[parent] == wanted, f"{parent} has the wrong gender for {predicate} of {child}")
            check(child in f.of["P40"][parent], f"{parent} does not list the child {child}")
            if child in humans:
                check(parent in humans, f"{child} has a parent who is not human")
                check(15 < born[child] - born[parent] < 65, f"{parent} has {child} at the wrong age")
                check(parent not in died or died[parent] >= born[child], f"{parent} is dead before {child} is born")
    adopters: dict[str, list[str]] = defaultdict(list)
    for parent, child in f.pairs("P40"):
        if parent not in (f.of["P22"][child] + f.of["P25"][child]):
            adopters[child].append(parent)
            check(child in humans and parent in humans, f"{parent} and {child} are no family of people")
            check(15 < born[child] - born[parent] < 65, f"{parent} adopts {child} at the wrong age")
            check(parent not in died or died[parent] > born[child], f"{parent} adopts {child} after death")
    for child, couple in adopters.items():
        for parent in couple:
            check(set(f.of["P26"][parent]) & set(couple) != set(), f"{child} is adopted by {parent} alone")
    for one, other in f.pairs("P26"):
        check(one in f.of["P26"][other], f"{one} is married to {other} but not the other way round")
        check(
            not set(f.of["P22"][one] + f.of["P25"][one]) & set(f.of["P22"][other] + f.of["P25"][other]),
            "siblings marry",
        )
        if one in humans:
            check(abs(born[one] - born[other]) < 20, f"{one} and {other} are too far apart in age")
            overlap = min(died.get(one, 2021), died.get(other, 2021)) - max(born[one], born[other])
            check(overlap > 17, f"{one} and {other} can never have married")
    people = set(f.of["P22"]) | set(f.of["P25"])
    by_parent: dict[str, set[str]] = defaultdict(set)
    for child in people:
        for parent in f.of["P22"][child] + f.of["P25"][child]:
            by_parent[parent].add(child)
    for child in people:
        expected = set().union(*(by_parent[p] for p in f.of["P22"][child] + f.of["P25"][child])) - {child}
        check(set(f.of["P3373"][child]) == expected, f"{child} has the wrong brothers and sisters")

    for thing, namesake in f.pairs("P138"):
        if thing in humans:
            check(born[namesake] < born[thing], f"{thing} is named after somebody younger")
    for person, model in f.pairs("P737"):
        check(born[model] < born[person], f"{person} is influenced by somebody younger, {model}")

    siblings_apart(f, humans, check)
    careers(f, humans, born, died, check)
    for predicate in ("P50", "P57", "P86", "P170", "P175", "P161", "P178"):
        for work, person in f.pairs(predicate):
            date = f.one("P577", work)
            if date is None or person not in humans:
                continue
            made = int(date[:4])
            check(made - int(born[person]) >= 16, f"{person} makes {work} as a child ({predicate})")
            # Music is recorded after its composer's death too; then it is classical and says so.
            if predicate != "P86" or CLASSICAL not in f.of["P136"][work]:
                check(person not in died or made <= died[person], f"{person} makes {work} after death ({predicate})")
            check(made <= 2020, f"{work} is made in the future")
    founded = {s: int(d[:4]) for s, d in f.pairs("P571")}
    for predicate in ("P54", "P102", "P264", "P69"):
        for person, body in f.pairs(predicate):
            last = min(died.get(person, 2021), born[person] + 60)
            check(born[person] + 15 <= last, f"{person} belongs to {body} as a child ({predicate})")
            check(founded[body] <= last, f"{person} belongs to {body} before it is founded ({predicate})")
    for company, person in f.pairs("P112"):
        check(16 <= founded[company] - int(born[person]) <= 90, f"{person} founds {company} at the wrong age")

    for state, head in f.pairs("P35"):
        check(head not in died, f"{state} is ruled by the dead")
        check(state in f.of["P27"][head], f"the head of {state} is no citizen")
    for one, other in f.pairs("P530"):
        check(one != other and one in f.of["P530"][other], "diplomatic relations go both ways")
    for state, capital in f.pairs("P36"):
        home = f.one("P17", state) or state
        check(f.one("P17", capital) == home, f"the capital of {state} lies elsewhere")
    for person, language in f.pairs("P103"):
        spoken = {x for c in f.of["P27"][person] for x in f.of["P37"][c]}
        check(language in spoken, f"{person} is a native speaker of a language of no country of theirs")
        if f.of["P1412"].get(person):
            check(language in f.of["P1412"][person], f"{person} does not speak the native language")
    check(not _cycle(f.pairs("P279")), "a class is below itself")
    check(not _cycle(f.pairs("P171")), "a taxon is below itself")
    return bad


def siblings_apart(f: Facts, humans: set[str], check: Check) -> None:
    """Children of one mother are ten months apart by the calendar, or born the same day and called twins."""
    by_mother: dict[str, list[tuple[datetime.date, str]]] = defaultdict(list)
    for child, mother in f.pairs("P25"):
        if child in humans:
            by_mother[mother].append((datetime.date.fromisoformat(f.one("P569", child) or ""), child))
    twins = {s for s, kind in f.pairs("P31") if kind == TWIN}
    paired: set[str] = set()
    for mother, births in by_mother.items():
        births.sort()
        for (first, one), (second, other) in pairwise(births):
            if first == second:
                check({one, other} <= twins, f"{one} and {other} are born on one day and not called twins")
                check(f.of["P19"][one] == f.of["P19"][other] or not (f.of["P19"][one] and f.of["P19"][other]),
                      f"the twins {one} and {other} are born in two places")  # fmt: skip
                paired |= {one, other}
            else:
                check((second - first).days >= 300, f"{mother} has {one} and {other} within ten months")
    days = {person: f.one("P569", person) for person in twins}
    for person in twins - paired:  # the mother is not on record; then the father's children tell
        others = {o for p in f.of["P22"][person] for o in f.of["P40"][p] if o != person and days.get(o) == days[person]}
        known = bool(f.of["P22"][person] or f.of["P25"][person])
        check(bool(others) or not known, f"{person} is called a twin of nobody")


def careers(f: Facts, humans: set[str], born: dict[str, float], died: dict[str, float], check: Check) -> None:
    """Whoever is alive can have lived what is said of them."""
    youngest = {"P106": 19, "P39": 30, "P102": 18, "P54": 17, "P264": 17, "P69": 16, "P166": 30}
    for predicate, age in youngest.items():
        for person, _ in f.pairs(predicate):
            if person in humans:
                check(2021 - born[person] >= age, f"{person} is too young for {predicate}")
    for thing, owner in f.pairs("P127"):
        if owner in humans:
            made = f.one("P577", thing) or f.one("P571", thing)
            start = max(born[owner] + 16, float(made[:4]) if made else 0.0)
            check(start <= died.get(owner, 2021), f"{owner} owns {thing} after death")
    for thing, person in f.pairs("P138"):
        founded = f.one("P571", thing) or f.one("P577", thing)
        if person in humans and founded:
            check(int(founded[:4]) > born[person], f"{thing} is named after somebody not yet born")


def ages(f: Facts) -> Counter[int]:
    """How many living people there are in each decade of age."""
    dead = set(f.of["P570"])
    humans = (s for s, kind in f.pairs("P31") if kind == "Q5")
    return Counter((2020 - int((f.one("P569", p) or "")[:4])) // 10 for p in humans if p not in dead)


def copied(f: Facts, predicate: str) -> float:
    """The share of pairs in which the answer shares a word with the question."""
    words = {entity: set(re.findall(r"[\w']+", label.lower())) for entity, label in f.label.items()}
    pairs = f.pairs(predicate)
    return sum(bool(words[s] & words[o]) for s, o in pairs) / len(pairs)


def _cycle(pairs: list[tuple[str, str]]) -> bool:
    above = defaultdict(set)
    for low, high in pairs:
        above[low].add(high)
    for start in list(above):
        reached, frontier = set(), set(above[start])
        while frontier:
            reached |= frontier
            frontier = set().union(*(above.get(node, set()) for node in frontier)) - reached
        if start in reached:
            return True
    return False
