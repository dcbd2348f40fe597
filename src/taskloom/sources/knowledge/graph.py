"""A knowledge graph as Taskloom uses it: whole functions and predicates, by id and by label.

Properties have names: those of the vocabulary, ids, and what the graph itself calls them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from taskloom.algebra import EMPTY, Answers, Atom, Evaluator, Expression, Node, Truths, Value, replace_atoms, signature
from taskloom.core import UserError, unknown_name
from taskloom.sources.knowledge import sparql
from taskloom.sources.knowledge.store import IndexedStore, LocalStore, Row, TripleStore
from taskloom.sources.knowledge.terms import LABEL, STANDS_FOR, iri, is_iri, is_literal, lexical, quote, spoken
from taskloom.sources.knowledge.vocabulary import RELATIONS, property_named

_PER_QUERY = 400
# Of so many results the last are remembered, so that asking twice in a row is free and memory stays bounded.
_RESULTS_KNOWN = 24
# Of so many entities everything that is stated is remembered: prompts of one task speak of the same few thousand.
_ENTITIES_KNOWN = 20_000


class Truth(NamedTuple):
    """The entities, or labels, that a predicate is true and false of. Unknown ones are in neither."""

    true: tuple[str, ...]
    false: tuple[str, ...]


def _batches(items: Sequence[str]) -> Iterator[Sequence[str]]:
    """The items a few hundred at a time; endpoints limit the length of a query."""
    return (items[start : start + _PER_QUERY] for start in range(0, len(items), _PER_QUERY))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Outputs by input, both sorted, each once."""
    return {x: tuple(y for _, y in group) for x, group in groupby(sorted(set(pairs)), key=lambda pair: pair[0])}


class KnowledgeGraph:
    """A store of triples with labels.

    Results are sorted, so they do not depend on how a store happens to answer; the last few are remembered.

    Args:
        store: Where the triples live.
        language: The language of labels.
        stand_ins: Entities of this graph that play the part of real ones, by the real one's id: in a
            fictional world `Q84` (London) may be played by `F12`. Read from the store where not given.
        labels: Labels by id, where they are at hand; looked up in the store otherwise.
    """

    def __init__(
        self,
        store: TripleStore,
        *,
        language: str = "en",
        stand_ins: Mapping[str, str] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.store = store
        self.language = language
        self._stand_ins = dict(stand_ins) if stand_ins is not None else None
        self._labels: dict[str, str | None] = dict(labels or {})
        self._fetched = lru_cache(_RESULTS_KNOWN)(self._fetch)
        self._judged = lru_cache(_RESULTS_KNOWN)(self._judge)
        self._known = lru_cache(_ENTITIES_KNOWN)(self._everything)
        self._table = lru_cache(_RESULTS_KNOWN)(self._stated)

    @property
    def stand_ins(self) -> Mapping[str, str]:
        """Who plays the part of whom, by the real entity's id."""
        if self._stand_ins is None:
            query = f"SELECT DISTINCT ?x ?y WHERE {{ ?x <{STANDS_FOR}> ?y }}"
            self._stand_ins = {real: entity for entity, real in self.store.select(query, ("x", "y"))}
        return self._stand_ins

    def ground(self, query: Expression) -> Expression:
        """The query with real entities replaced by those that play their part here."""
        played = self.stand_ins
        return replace_atoms(
            query, lambda one: replace(one, features=tuple((name, played.get(v, v)) for name, v in one.features))
        )

    # ------------------------------------------------------------------- by id

    def function(self, query: Expression, *, limit: int | None = None) -> dict[str, tuple[str, ...]]:
        """The whole function: outputs by input, for every input that has any.

        Args:
            query: A relation.
            limit: The most pairs to fetch, for graphs that are larger than needed. An input
                whose outputs may be cut off by the limit is left out, so every set is complete. An endpoint
                chooses the inputs itself, since it could not sort all of them.

        Raises:
            UserError: The query is a predicate, or the store cannot answer.
        """
        if signature(query).predicate:
            raise UserError("a predicate has no outputs; use its truth", where=self.store.name)
        return self._fetched(query, limit)

    def _fetch(self, query: Expression, limit: int | None) -> dict[str, tuple[str, ...]]:
        if limit is not None and not self.store.local:
            return self._sampled(query, limit)
        return self._collect(self.ground(query), limit)

    def _sampled(self, query: Expression, limit: int) -> dict[str, tuple[str, ...]]:
        """Some inputs with all of their outputs, at most `limit` pairs."""
        rows = self.store.sample(sparql.compile_inputs(self.ground(query)), ("x",), limit)
        inputs = [x for (x,) in rows if not is_literal(x)]
        found: dict[str, tuple[str, ...]] = {}
        left = limit
        for batch in _batches(inputs):
            for x, outputs in self.outputs(query, batch).items():
                left -= len(outputs)
                if left < 0:
                    return dict(sorted(found.items()))
                found[x] = outputs
        return dict(sorted(found.items()))

    def _collect(
        self, grounded: Expression, limit: int | None, inputs: Sequence[str] | None = None
    ) -> dict[str, tuple[str, ...]]:
        text = sparql.compile_pairs(grounded, inputs, tables=inputs is None and self.store.local)
        most = None if limit is None else limit + 1
        if self._joins:
            found = self._evaluated(grounded, inputs).rows
            rows = _first([(x, y) for x, ys in found.items() for y in ys], most)
        else:
            rows = list(self.store.select(text, ("x", "y"), limit=most))
        if limit is not None and len(rows) > limit:
            cut = rows[-1][0]
            rows = [row for row in rows if row[0] != cut]
        return _grouped((x, y) for x, y in rows)

    def outputs(self, query: Expression, inputs: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The outputs of a function for some inputs, by id of the input; inputs without an output are left out."""
        wanted = sorted({x for x in inputs if not is_literal(x)})
        grounded = self.ground(query)
        if isinstance(self.store, IndexedStore) and isinstance(grounded, Atom):
            looked = {x: tuple(sorted(self._ends(self.store, grounded, x))) for x in wanted}
            return {x: ends for x, ends in looked.items() if ends}
        found: dict[str, tuple[str, ...]] = {}
        for batch in _batches(wanted):
            found |= self._collect(grounded, None, batch)
        return found

    @staticmethod
    def _ends(store: IndexedStore, relation: Atom, x: str) -> Iterator[str]:
        if relation.inverse:
            return (subject for subject, _, _ in store.lookup(None, relation.name, x))
        return (value for _, _, value in store.lookup(x, relation.name, None))

    def statements(self, entities: Iterable[str], properties: Iterable[str]) -> list[tuple[str, str, str]]:
        """What is stated of some entities by some properties: (entity, property, value), sorted."""
        wanted = sorted({x for x in entities if not is_literal(x)})
        names = sorted(properties)
        found: list[tuple[str, str, str]] = []
        if isinstance(self.store, IndexedStore):
            kept = set(names)
            return sorted((x, p, y) for entity in wanted for x, p, y in self._known(entity) if p in kept)
        for batch in _batches(wanted):
            text = sparql.compile_statements(batch, names)
            found += [(x, p, y) for x, p, y in self.store.select(text, ("x", "p", "y"))]
        return sorted(found)

    def _everything(self, entity: str) -> tuple[tuple[str, ...], ...]:
        assert isinstance(self.store, IndexedStore)
        return tuple(self.store.lookup(entity, None, None))

    def named(self, labels: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The entities of each of some labels, sorted; labels without an entity are left out."""
        wanted = sorted(set(labels))
        if isinstance(self.store, IndexedStore):
            literals = {label: (quote(label, self.language), quote(label)) for label in wanted}
            looked = {
                label: {x for literal in both for x, _, _ in self.store.lookup(None, LABEL, literal)}
                for label, both in literals.items()
            }
            return {label: tuple(sorted(ends)) for label, ends in looked.items() if ends}
        found: dict[str, list[str]] = {}
        for batch in _batches(wanted):
            text = sparql.compile_named(batch, self.language)
            for x, literal in self.store.select(text, ("x", "y")):
                found.setdefault(lexical(literal), []).append(x)
        return {label: tuple(sorted(set(found[label]))) for label in wanted if label in found}

    def truth(self, query: Expression, *, limit: int | None = None) -> Truth:
        """The entities the predicate is true of and those it is false of, at most `limit` each."""
        if not signature(query).predicate:
            raise UserError("a relation is neither true nor false; use its function", where=self.store.name)
        return self._judged(query, limit)

    def _judge(self, query: Expression, limit: int | None) -> Truth:
        return Truth(*(self._members(self.ground(query), wanted, limit) for wanted in (True, False)))

    def _members(
        self, grounded: Expression, wanted: bool, limit: int | None = None, inputs: Sequence[str] | None = None
    ) -> tuple[str, ...]:
        text = sparql.compile_truth(grounded, wanted, inputs, tables=inputs is None and self.store.local)
        rows: Iterable[Row]
        if self._joins:
            found = self._evaluated(grounded, inputs).rows
            rows = _first([(x,) for x, holds in found.items() if holds is wanted], limit)
        else:
            rows = self.store.select(text, ("x",)) if limit is None else self.store.sample(text, ("x",), limit)
        return tuple(sorted(x for (x,) in rows))

    # ------------------------------------------------------------- without SPARQL

    @property
    def _joins(self) -> bool:
        """Whether statements are only looked up here, and expressions evaluated on tables of them."""
        return isinstance(self.store, IndexedStore) and not isinstance(self.store, LocalStore)

    def _stated(self, relation: Atom) -> dict[str, tuple[str, ...]]:
        assert isinstance(self.store, IndexedStore)
        found = self.store.lookup(None, relation.name, None)
        return _grouped((y, x) if relation.inverse else (x, y) for x, _, y in found)

    def _evaluated(self, node: Expression, inputs: Iterable[str] | None = None) -> Any:
        def reach(part: Expression) -> set[str]:
            return {y for ys in self._evaluated(part).rows.values() for y in ys}

        asked = self._inputs(node) if inputs is None else inputs
        return Lookup(lambda relation, _: self._table(relation), reach)(node, Answers.of(asked))

    def _inputs(self, node: Expression) -> set[str]:
        if not isinstance(node, Node):
            return {*self._table(Atom(node.features[0][0]) if signature(node).predicate else node)}
        # What comes last in a chain sees the input; so do all arguments of others.
        inside = node.arguments[-1:] if node.operator == "chain" else node.arguments
        return {x for part in inside for x in self._inputs(part)}

    # ---------------------------------------------------------------- by label

    def labels(self, entities: Iterable[str]) -> dict[str, str]:
        """Labels by id; entities without a label in the graph's language are left out.

        A label is one line of text: runs of white space become one blank.
        """
        wanted = list(dict.fromkeys(entities))
        missing = [short for short in wanted if short not in self._labels and not is_literal(short)]
        for batch in _batches(missing):
            self._labels.update(dict.fromkeys(batch))
            query = sparql.compile_labels(batch, self.language)
            # Where there are several labels the first in the alphabet is kept, with and without a tag.
            for short, literal in sorted(() if self._joins else self.store.select(query, ("x", "y")), reverse=True):
                self._labels[short] = " ".join(lexical(literal).split())
        found = {short: spoken(short) if is_literal(short) else self._labels[short] for short in wanted}
        return {short: label for short, label in found.items() if label}

    def label(self, entity: str) -> str:
        """The label of one entity, or of the one that plays its part here.

        Raises:
            UserError: The entity has no label.
        """
        short = self.stand_ins.get(entity, entity)
        found = self.labels((short,))
        if short not in found:
            raise UserError(f"{short} has no label in language {self.language!r}", where=self.store.name)
        return found[short]

    def find(self, label: str) -> tuple[str, ...]:
        """Every entity of exactly this label, sorted."""
        return self.named((label,)).get(label, ())

    def words(self, query: Expression, *, limit: int | None = None) -> dict[str, tuple[str, ...]]:
        """The whole function on labels, sorted.

        An input label that several inputs share is left out: a reader could not tell which is meant.
        """
        function = self.function(query, limit=limit)
        labels = self.labels([*function, *(y for outputs in function.values() for y in outputs)])
        table: dict[str, tuple[str, ...]] = {}
        others = {} if limit is None else self._namesakes(function, labels)
        shared = {others[x] for x in self.outputs(query, others)}
        for x, outputs in function.items():
            word = labels.get(x)
            values = sorted({labels[y] for y in outputs if y in labels})
            if word is None or not values:
                continue
            if word in table:
                shared.add(word)
            table[word] = tuple(values)
        return {word: table[word] for word in sorted(table) if word not in shared}

    def word_truth(self, query: Expression, *, limit: int | None = None) -> Truth:
        """The predicate on labels, without labels of which it is both true and false."""
        truth = self.truth(query, limit=limit)
        labels = self.labels([*truth.true, *truth.false])
        true = {labels[x] for x in truth.true if x in labels}
        false = {labels[x] for x in truth.false if x in labels}
        others = {} if limit is None else self._namesakes((*truth.true, *truth.false), labels)
        true |= {others[x] for x in self._holding(query, others, wanted=True)}
        false |= {others[x] for x in self._holding(query, others, wanted=False)}
        return Truth(tuple(sorted(true - false)), tuple(sorted(false - true)))

    def _namesakes(self, some: Iterable[str], labels: Mapping[str, str]) -> dict[str, str]:
        """Entities besides some that bear one of their labels, with it: a part of a graph does not show them."""
        known = set(some)
        named = self.named(labels[x] for x in known if x in labels)
        return {x: label for label, entities in named.items() for x in entities if x not in known}

    def _holding(self, query: Expression, entities: Iterable[str], *, wanted: bool) -> set[str]:
        """Those of some entities of which a predicate is true, or false."""
        grounded = self.ground(query)
        return {x for batch in _batches(sorted(entities)) for x in self._members(grounded, wanted, inputs=batch)}


def _first(rows: list[Row], limit: int | None) -> list[Row]:
    """The first of some rows, in the order of `sparql.order_by`."""
    if limit is None:
        return rows
    return sorted(rows, key=lambda row: [lexical(x) if is_literal(x) else iri(x) for x in row])[:limit]


class Lookup(Evaluator):
    """Evaluates queries by looking statements up.

    Args:
        values: The values of a property for some entities, and possibly for others.
        reach: All that a relation gives to any input.
    """

    def __init__(
        self,
        values: Callable[[Atom, Iterable[str]], Mapping[str, tuple[str, ...]]],
        reach: Callable[[Expression], set[str]],
    ) -> None:
        self._values = values
        self._reach = reach

    def here(self, node: Expression, x: Answers) -> Value:
        if isinstance(node, Node):
            value = node.record.value(self, x, node.arguments)
            # That a graph states nothing shows nothing.
            for part in node.arguments[0].arguments if node.operator == EMPTY.name else ():
                value &= self(part, x).compare(self(part, x), lambda size, *_: True if size else None)
        elif signature(node).predicate:
            ((name, asked),) = node.features
            known = self._values(Atom(name), x.rows)
            return Truths({one: asked in known[one] if known.get(one) else None for one in x.rows})
        else:
            known = self._values(node, x.rows)
            value = Answers({one: known.get(one, ()) for one in x.rows})
        if isinstance(value, Answers) and not value.plain:
            value.reach = lambda: self._reach(node)
        return value


_ID = re.compile(r"P[1-9]\d*", re.ASCII)
_LOCAL = re.compile(r"[^/#:]+$")
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z](?![A-Z])")


def find_property(graph: KnowledgeGraph, name: str) -> str:
    """The id of a property: a name of the vocabulary, an id or IRI, its label in the graph, or the end of its IRI.

    Raises:
        UserError: The graph has none of that name, or several.
    """
    if name in RELATIONS:
        return RELATIONS[name].property
    if _ID.fullmatch(name) or is_iri(name):
        return name
    found = [short for short in graph.find(name) if _ID.fullmatch(short) or (is_iri(short) and _used(graph, short))]
    used = () if found or not graph.store.local else _all_used(graph)
    found = found or [short for short in used if _plain(local_name(short)) == _plain(name)]
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(found[:5])
        raise UserError(
            f"{len(found)} properties are called {name!r}", where=graph.store.name, hint=f"use an id: {shown}"
        )
    known = {**RELATIONS, **{property_name(graph, short): None for short in used}}
    raise unknown_name(
        "property",
        name,
        known,
        where=graph.store.name,
        hint="you can also use an id or IRI; for a Wikidata dump, keep_graph(properties=...) chooses what to keep",
    )


def property_name(graph: KnowledgeGraph, short: str) -> str:
    """What to call a property: its name in the vocabulary, its label in the graph, or the end of its IRI."""
    if (term := property_named(short)) is not None:
        return term.name
    return graph.labels((short,)).get(short) or _spaced(local_name(short))


def local_name(short: str) -> str:
    """The last piece of an IRI."""
    match = _LOCAL.search(short)
    return match[0] if match else short


def _spaced(name: str) -> str:
    return name if _ID.fullmatch(name) else _HUMP.sub(lambda hump: f" {hump[0].lower()}", name).replace("_", " ")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _used(graph: KnowledgeGraph, short: str) -> bool:
    return bool(list(graph.store.select(f"SELECT DISTINCT ?x WHERE {{ ?x <{short}> ?y }}", ("x",), limit=1)))


def _all_used(graph: KnowledgeGraph) -> tuple[str, ...]:
    """Every property of a store in this process."""
    if isinstance(graph.store, LocalStore):
        found = {short for (short,) in graph.store.select("SELECT DISTINCT ?p WHERE { ?x ?p ?y }", ("p",))}
    elif isinstance(graph.store, IndexedStore):
        found = {short for _, short, _ in graph.store.lookup(None, None, None)}
    return tuple(sorted(found - {LABEL, STANDS_FOR}))
