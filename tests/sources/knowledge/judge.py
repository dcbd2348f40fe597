"""An independent judge of a world. It reads N-Triples text and shares no code with what wrote them."""

from __future__ import annotations

import re
from collections import defaultdict

LINE = re.compile(r'<([^>]+)> <([^>]+)> (?:<([^>]+)>|"((?:[^"\\]|\\.)*)"(?:@(\w+)|\^\^<[^>]+>)?) \.')


class Facts:
    def __init__(self, text: str) -> None:
        self.of: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self.label: dict[str, str] = {}
        self.lines = text.splitlines()
        for line in self.lines:
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


def complaints(text: str) -> list[str]:
    """Everything in the world that cannot be."""
    f = Facts(text)
    bad: list[str] = []

    def check(condition: bool, message: str) -> None:
        if not condition:
            bad.append(message)

    check(len(f.lines) == len(set(f.lines)), "a statement is made twice")
    check(len(set(f.label.values())) == len(f.label), "two entities share a label")
    for predicate, table in f.of.items():
        for subject, values in table.items():
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

    for predicate in ("P50", "P57", "P86", "P170", "P175", "P161", "P178"):
        for work, person in f.pairs(predicate):
            date = f.one("P577", work)
            if date is None or person not in humans:
                continue
            made = int(date[:4])
            check(made - int(born[person]) >= 16, f"{person} makes {work} as a child ({predicate})")
            if predicate != "P86":  # songs are recorded after their composer's death too
                check(person not in died or made <= died[person], f"{person} makes {work} after death ({predicate})")
    founded = {s: int(d[:4]) for s, d in f.pairs("P571")}
    for predicate in ("P54", "P102", "P264", "P69"):
        for person, body in f.pairs(predicate):
            last = min(died.get(person, 2021), born[person] + 60)
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
