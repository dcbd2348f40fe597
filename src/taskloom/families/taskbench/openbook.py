"""Facts in the prompt: what is needed for the answer, among others about the same people and relations.

Nobody can know an invented world, so without facts a task measures memory alone. With them it measures whether a model
puts together what it reads. The facts needed are complete (`evidence`), the others are true as well, and all of them
are shuffled; so what follows from the prompt is what follows from the world.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from taskloom.algebra import Atom, Expression, atoms, children, map_filter, signature
from taskloom.core import AnyOf, Instance, KeyedRandom
from taskloom.families.taskbench.evidence import Evidence, Fact, hops
from taskloom.families.taskbench.lots import first_of
from taskloom.sources.knowledge.vocabulary import property_named, statement

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["FACT_FACETS", "OpenBook"]

FACT_FACETS = {"hops": int, "needed": int, "distractors": int, "direct": bool}
"""The columns of a row with facts: statements to follow, facts needed, other facts, whether one states the answer."""

_BATCHES = (4, 40, 250)  # rows that are looked up together: few at first, for whoever wants to see a few
_OTHERS = 60  # other inputs whose facts serve as distractors

# What else may be said of somebody or something, besides what a task asks.
_ASIDES = (
    "P17", "P19", "P20", "P22", "P25", "P26", "P27", "P37", "P39", "P102", "P103", "P106", "P136", "P170", "P276",
    "P495", "P737", "P1412", "P3373",
)  # fmt: skip


class OpenBook:
    """Puts facts before questions.

    Args:
        materials: Where facts come from; its recipe says how many, and in which form.
    """

    def __init__(self, materials: Materials) -> None:
        self._materials = materials
        self._graph = materials.factual.graph
        self._evidence = Evidence(self._graph)
        self._form: Literal["prompt", "passage"] = "passage" if materials.recipe.facts == "passage" else "prompt"
        self._pools: dict[tuple[str, str], list[list[Fact]]] = {}

    def open(self, name: str, node: Expression, split: str, rows: Iterator[Instance]) -> Iterator[Instance]:
        """The rows of a task with facts before them."""
        task = _TaskQuery(self._materials, node)
        randoms = KeyedRandom("taskbench", "facts", self._materials.seed, name, split)
        pool = self._pool(name, task, split)
        for size in chain(_BATCHES, repeat(_BATCHES[-1])):
            batch = list(islice(rows, size))
            if not batch:
                return
            yield from self._batch(task, batch, pool, randoms)

    def _pool(self, name: str, task: _TaskQuery, split: str) -> list[list[Fact]]:
        """The evidence for other inputs of the same task, of the same split."""
        if (name, split) not in self._pools:
            lot = split if split in ("train", "dev", "test") else "example"
            words = [word for word in task.inputs() if self._materials.lots.of(word) == lot] or list(task.inputs())
            rng = KeyedRandom("taskbench", "others", self._materials.seed, name).at(split)
            chosen = first_of(words, _OTHERS, rng)
            entities = task.ground(self._graph.named(chosen), chosen)
            for asked in task.queries:
                self._evidence.warm(asked, entities.values())
            self._pools[name, split] = [
                list(dict.fromkeys(fact for asked in task.queries for fact in self._evidence.facts(asked, x)))
                for x in entities.values()
            ]
        return self._pools[name, split]

    def _batch(
        self, task: _TaskQuery, rows: list[Instance], pool: list[list[Fact]], randoms: KeyedRandom
    ) -> Iterator[Instance]:
        words = list(dict.fromkeys(word for row in rows for word in task.words(row)))
        entities = task.ground(self._graph.named(words), words)
        for asked in task.queries:
            self._evidence.warm(asked, entities.values())
        needed = [self._needed(task, row, entities) for row in rows]
        involved = {end for facts in (*needed, *pool) for end in _ends(facts)}
        besides = sorted(set(_ASIDES) - {_property(atom) for asked in task.queries for atom in atoms(asked)})
        asides: dict[str, list[Fact]] = {}
        for x, name, y in self._graph.statements(involved, besides):
            asides.setdefault(x, []).append(Fact(x, name, y))
        labels = self._graph.labels(sorted(involved.union(*map(_ends, asides.values()))))
        for row, facts in zip(rows, needed, strict=True):
            rng = randoms.at(row.id)
            others = self._distractors(rng, facts, asides, pool, labels)
            yield self._row(task, row, (facts, others), labels, entities, rng)

    def _needed(self, task: _TaskQuery, row: Instance, entities: dict[str, str]) -> list[Fact]:
        found: dict[Fact, None] = {}
        for word in task.words(row):
            for asked in task.queries:
                found.update(dict.fromkeys(self._evidence.facts(asked, entities[word])))
        return list(found)

    def _distractors(
        self,
        rng: Random,
        needed: list[Fact],
        asides: dict[str, list[Fact]],
        pool: list[list[Fact]],
        labels: dict[str, str],
    ) -> list[Fact]:
        """The same relations of others, whole chains of them, and other relations of everybody in the prompt.

        Whole chains, so that what the answer looks like is nothing special; everybody, so that neither is how often
        it is mentioned.
        """
        wanted = self._materials.recipe.distractors
        chosen: dict[Fact, None] = {}
        for evidence in first_of(pool, len(pool), rng):
            for fact in evidence:
                if len(chosen) < 2 * wanted // 3 and fact not in needed and _spoken(fact, labels):
                    chosen[fact] = None
        besides = [fact for end in _ends([*needed, *chosen]) for fact in asides.get(end, ())]
        for fact in first_of(besides, len(besides), rng):
            if len(chosen) < wanted and fact not in needed and _spoken(fact, labels):
                chosen[fact] = None
        return list(chosen)

    def _row(
        self,
        task: _TaskQuery,
        row: Instance,
        facts: tuple[list[Fact], list[Fact]],
        labels: dict[str, str],
        entities: dict[str, str],
        rng: Random,
    ) -> Instance:
        needed, others = facts
        shuffled = [*needed, *others]
        rng.shuffle(shuffled)
        said = [self._sentence(fact, labels, rng) for fact in shuffled]
        asked = row.input
        text = f"Facts: {' '.join(said)}\n{task.heading}: {asked}"
        facets = {**row.facets, "hops": task.hops, "needed": len(needed), "distractors": len(others)}
        facets["direct"] = task.direct(row, shuffled, labels, entities)
        details: dict[str, Any] = {**row.details, "asked": asked}
        return msgspec.structs.replace(row, input=text, facets=facets, details=details)

    def _sentence(self, fact: Fact, labels: dict[str, str], rng: Random) -> str:
        x, y = labels[fact.subject], labels[fact.value]
        name = "" if property_named(fact.property) else self._materials.factual.label(fact.property)
        return statement(fact.property, x, y, None if self._form == "prompt" else rng, name=name)


def _ends(facts: Iterable[Fact]) -> list[str]:
    """Everything some facts speak of, each once."""
    return list(dict.fromkeys(end for fact in facts for end in (fact.subject, fact.value)))


def _property(atom: Atom) -> str:
    return atom.features[0][0] if atom.predicate else atom.name


def _compares(asked: Expression) -> bool:
    """Whether a predicate speaks of what relations give, so that no single statement decides it."""
    return any(not signature(part).predicate for part in children(asked))


def _spoken(fact: Fact, labels: dict[str, str]) -> bool:
    return fact.subject in labels and fact.value in labels


class _TaskQuery:
    """What a task asks of the graph."""

    def __init__(self, materials: Materials, node: Expression) -> None:
        engine = materials.factual
        self._materials = materials
        self._node = node
        self.sequence = signature(node).sequence
        parts: list[Expression] = [node]
        if self.sequence:
            form = map_filter(node)
            parts = [form.relation] if form.maps else []
            parts += [] if form.predicate is None else [form.predicate]
        self.queries = [engine.graph.ground(engine.query(part)) for part in parts]
        self.parts = parts
        self.hops = max(hops(asked) for asked in self.queries)
        self.heading = "Items" if self.sequence else "Name"

    def inputs(self) -> Sequence[str]:
        """Every word the task could ask about."""
        part = self.parts[0]
        if signature(part).predicate:
            truth = self._materials.predicate(part)
            return [*truth.true, *truth.false]
        return self._materials.relation(part).inputs

    def words(self, row: Instance) -> list[str]:
        """The words a row asks about."""
        return list(row.details["words"]) if self.sequence else [row.input]

    def ground(self, named: dict[str, tuple[str, ...]], words: Sequence[str]) -> dict[str, str]:
        """The entity of each word; of several with one label the first of which something asked is known."""
        engine = self._materials.factual
        several = [x for word in words for x in named.get(word, ()) if len(named[word]) > 1]
        known: set[str] = set()
        for asked in self.queries:
            known |= engine.knows(asked, several)
        return {word: next((x for x in named[word] if x in known), named[word][0]) for word in words}

    def direct(self, row: Instance, facts: list[Fact], labels: dict[str, str], entities: dict[str, str]) -> bool:
        """Whether one fact alone states an answer about the very input."""
        if not isinstance(row.targets, AnyOf):
            return self.hops == 1 and not any(_compares(asked) for asked in self.queries)
        x, answers = entities[row.input], set(row.targets.answers)
        ends = [(fact.subject, fact.value) for fact in facts]
        return any((a == x and labels[b] in answers) or (b == x and labels[a] in answers) for a, b in ends)
