"""Facts: factual expressions asked of a knowledge graph, the statements that decide them, and facts in prompts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from taskloom.algebra import (
    Answers,
    Atom,
    Expression,
    RelationOperator,
    atoms,
    map_filter,
    replace_atoms,
    signature,
    width,
)
from taskloom.core import AnyOf, Instance, KeyedRandom, UserError
from taskloom.families.taskbench.functions import Predicate, TableRelation, first_of, table
from taskloom.sources.knowledge.graph import KnowledgeGraph, Lookup, find_property, property_name
from taskloom.sources.knowledge.vocabulary import PREDICATES, property_named, statement

if TYPE_CHECKING:
    from taskloom.families.taskbench.engines import Engines

# A complement that stands alone lists nearly the whole range for every input; this many pairs are the most.
WIDEST_COMPLEMENT = 2_000_000


_ENTITY = re.compile(r"[A-Z]+[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_VALUES = {(term.relation, term.value.lower()): term.entity for term in PREDICATES.values()}


class FactualEngine:
    """Evaluates factual expressions on a graph.

    Args:
        graph: The knowledge graph.
        row_limit: The most rows to fetch per function; 0 fetches all.
    """

    def __init__(self, graph: KnowledgeGraph, *, row_limit: int = 0) -> None:
        self.graph = graph
        self._limit = row_limit or None
        self._properties: dict[str, str] = {}

    def relation(self, node: Expression, *, most_outputs: int = 0) -> TableRelation:
        asked = self.query(node)
        self._guard(asked)
        words = self.graph.words(asked, limit=self._limit)
        kept = {word: outputs for word, outputs in words.items() if not most_outputs or len(outputs) <= most_outputs}
        return table(kept, len(words))

    def predicate(self, node: Expression) -> Predicate:
        asked = self.query(node)
        self._guard(asked)
        truth = self.graph.word_truth(asked, limit=self._limit)
        return Predicate(tuple(truth.true), tuple(truth.false))

    def _guard(self, asked: Expression) -> None:
        """Refuse a relation whose size only all there is limits, where that is much: a complement that stands alone.

        Raises:
            UserError: With what to write instead.
        """
        if signature(asked).predicate or isinstance(asked, Atom):
            for part in asked.arguments:
                self._guard(part)
            return
        record = asked.record
        assert isinstance(record, RelationOperator)
        if width(asked) < inf:
            return
        if all(width(part) < inf for part in asked.arguments):
            functions = [
                {} if signature(part).predicate else self.graph.function(part, limit=self._limit)
                for part in asked.arguments
            ]
            inputs = max(map(len, functions))
            reach = len({y for function in functions for outputs in function.values() for y in outputs})
            most = [max(map(len, function.values()), default=0) for function in functions]
            if inputs * (listed := record.bound(reach, *most)) > WIDEST_COMPLEMENT:
                raise UserError(
                    f"this {record.name} lists up to {listed:,} entities for each of {inputs:,} inputs",
                    where="expression",
                    hint="subtract it from something: intersection(f, complement(g))",
                )
        for part in asked.arguments:
            self._guard(part)

    def knows(self, asked: Expression, entities: Iterable[str]) -> set[str]:
        """The entities among some of which the innermost relation of a query states anything."""
        *_, innermost = atoms(asked)
        relation = Atom(innermost.features[0][0]) if signature(innermost).predicate else innermost
        return set(self.graph.outputs(relation, entities))

    def query(self, node: Expression) -> Expression:
        """The expression with the ids that properties and entities have in the graph.

        Raises:
            UserError: A property that the graph lacks.
        """
        return replace_atoms(node, self._resolved)

    def _resolved(self, atom: Atom) -> Atom:
        if not signature(atom).predicate:
            return Atom(self._property(atom.name), inverse=atom.inverse)
        ((key, value),) = atom.features
        return Atom("is", ((self._property(key), self._value(key, value)),))

    def label(self, short: str) -> str:
        """What to call an entity or a property in a sentence."""
        is_property = _PROPERTY.fullmatch(short) or short in self._properties.values()
        return property_name(self.graph, short) if is_property else self.graph.label(short)

    def _property(self, name: str) -> str:
        if name not in self._properties:
            self._properties[name] = find_property(self.graph, name)
        return self._properties[name]

    def _value(self, key: str, value: str) -> str:
        """The entity a predicate compares with: one of the paper's, an id, or the only one of that name."""
        known = _VALUES.get((key, value.lower()))
        if known is not None:
            return known
        if _ENTITY.fullmatch(value):
            return value
        found = [short for short in self.graph.find(value) if not _PROPERTY.fullmatch(short)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UserError(f"no entity is called {value!r}", where=f"is{{{key}=...}}", hint="you can also use its id")
        shown = ", ".join(found[:5])
        raise UserError(
            f"{len(found)} entities are called {value!r}", where=f"is{{{key}=...}}", hint=f"use an id: {shown}"
        )


_KEPT = 200_000


class Fact(NamedTuple):
    """A statement by ids."""

    subject: str
    property: str
    value: str


class Evidence:
    """Traces functions through a graph.

    A set of statements is evidence for `f(x)` if a reader who knows them and takes them to be all there is of their
    subjects and properties works out exactly `f(x)`. What is true besides them changes nothing, because every property
    that was looked at is stated in full.

    Args:
        graph: The knowledge graph.
    """

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        self._values: dict[tuple[str, bool], dict[str, tuple[str, ...]]] = {}

    def warm(self, asked: Expression, inputs: Iterable[str]) -> None:
        """Fetch what a function looks at for some inputs, in a few queries."""
        Lookup(self._fetch, _everybody)(asked, Answers.of(inputs))

    def _fetch(self, relation: Atom, inputs: Iterable[str]) -> dict[str, tuple[str, ...]]:
        known = self._values.setdefault((relation.name, relation.inverse), {})
        missing = [x for x in inputs if x not in known]
        if missing:
            if len(known) > _KEPT:
                known.clear()
            known.update(dict.fromkeys(missing, ()))
            known.update(self._graph.outputs(relation, missing))
        return known

    def facts(self, asked: Expression, x: str) -> list[Fact]:
        """The evidence for one input that was warmed, in the order a person would follow it."""
        found: dict[Fact, None] = {}

        def note(relation: Atom, inputs: Iterable[str]) -> dict[str, tuple[str, ...]]:
            known = self._values[relation.name, relation.inverse]
            for one in inputs:
                for y in known.get(one, ()):
                    found[Fact(y, relation.name, one) if relation.inverse else Fact(one, relation.name, y)] = None
            return known

        Lookup(note, _everybody)(asked, Answers.of((x,)))
        return list(found)


def _everybody(node: Expression) -> set[str]:
    raise UserError(
        "a complement depends on the facts about everybody, so it cannot be asked with facts in the prompt",
        where="facts",
        hint="-T facts=none",
    )


def hops(asked: Expression) -> int:
    """How many statements a person follows one after the other."""
    if isinstance(asked, Atom):
        return 1
    parts = [hops(part) for part in asked.arguments]
    return sum(parts) if asked.operator == "chain" else max(parts, default=0)


FACT_FACETS = {"hops": int, "needed": int, "distractors": int, "direct": bool}
"""The columns of a row with facts: statements to follow, facts needed, other facts, whether one states the answer."""

_BATCHES = (4, 40, 250)  # rows that are looked up together: few at first, for a look at the first rows
_OTHERS = 60  # other inputs whose facts serve as distractors

# Properties that distractors may state, besides what a task asks.
_ASIDES = (
    "P17", "P19", "P20", "P22", "P25", "P26", "P27", "P37", "P39", "P102", "P103", "P106", "P136", "P170", "P276",
    "P495", "P737", "P1412", "P3373",
)  # fmt: skip


class OpenBook:
    """Puts facts before questions.

    Args:
        engines: Where facts come from; its recipe says how many, and in which form.
    """

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._graph = engines.factual.graph
        self._evidence = Evidence(self._graph)
        self._form: Literal["prompt", "passage"] = "passage" if engines.recipe.facts == "passage" else "prompt"
        self._pools: dict[tuple[str, str], list[list[Fact]]] = {}

    def open(self, name: str, node: Expression, split: str, rows: Iterator[Instance]) -> Iterator[Instance]:
        """The rows of a task with facts before them."""
        task = _TaskQuery(self._engines, node)
        randoms = KeyedRandom("taskbench", "facts", self._engines.seed, name, split)
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
            words = [word for word in task.inputs() if self._engines.assignment.of(word) == lot] or list(task.inputs())
            rng = KeyedRandom("taskbench", "others", self._engines.seed, name).at(split)
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
        wanted = self._engines.recipe.distractors
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
        name = "" if property_named(fact.property) else self._engines.factual.label(fact.property)
        return statement(fact.property, x, y, None if self._form == "prompt" else rng, name=name)


def _ends(facts: Iterable[Fact]) -> list[str]:
    """Everything some facts speak of, each once."""
    return list(dict.fromkeys(end for fact in facts for end in (fact.subject, fact.value)))


def _property(atom: Atom) -> str:
    return atom.features[0][0] if signature(atom).predicate else atom.name


def _compares(asked: Expression) -> bool:
    """Whether a predicate speaks of what relations give, so that no single statement decides it."""
    return any(not signature(part).predicate for part in asked.arguments)


def _spoken(fact: Fact, labels: dict[str, str]) -> bool:
    return fact.subject in labels and fact.value in labels


class _TaskQuery:
    """What a task asks of the graph."""

    def __init__(self, engines: Engines, node: Expression) -> None:
        engine = engines.factual
        self._engines = engines
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
        part = self.parts[0]
        if signature(part).predicate:
            truth = self._engines.predicate(part)
            return [*truth.true, *truth.false]
        return self._engines.relation(part).inputs

    def words(self, row: Instance) -> list[str]:
        return list(row.details["words"]) if self.sequence else [row.input]

    def ground(self, named: dict[str, tuple[str, ...]], words: Sequence[str]) -> dict[str, str]:
        """The entity of each word; of several with one label the first of which something asked is known."""
        engine = self._engines.factual
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
