"""From a list of expressions to tasks: each evaluated in turn, judged fit or not, and given its dataset.

Evaluating five hundred functions takes a while, so nothing happens before it is asked for. Tasks are always
judged in the order of the list, whichever is asked for first, so that of two equal functions it is always
the later one that is left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from taskloom.algebra import UNION, Atom, Expression, atoms, depth, facet, map_filter, normal, signature
from taskloom.core import EmptySuiteError, Instance, Instruction, Progress, Row, Task
from taskloom.core.blocks import Blocks
from taskloom.families.taskbench.datasets import (
    BLOCK,
    Dataset,
    PredicateData,
    RelationData,
    SequenceData,
    UnionData,
    sizes,
)
from taskloom.families.taskbench.engines import Engines, SourceMissingError
from taskloom.families.taskbench.functions import (
    Outcome,
    Predicate,
    Relation,
    SplitAssignment,
    SplitName,
    State,
    constant,
    fingerprint,
    permuted,
    permuted_truth,
)
from taskloom.families.taskbench.language import code, languages, paper, short
from taskloom.families.taskbench.published import PublishedTask
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import has_own_atoms

AMPLE = 1000
"""A relation or predicate of words with fewer inputs than this is small: what a model scores on it says little."""


class SmallTaskWarning(UserWarning):
    """A relation or predicate of words has few inputs; the message counts them."""


@dataclass(frozen=True)
class Verdict:
    """What became of an expression.

    Attributes:
        entry: The expression as listed.
        name: The name of the task.
        state: Whether it is built, and if not, why.
        reason: More on that, in a few words.
        domain: How many inputs have an answer.
        samples: How many of them can be used: not too many outputs, both truth values in balance.
    """

    entry: PublishedTask
    name: str
    state: State
    reason: str = ""
    domain: int = 0
    samples: int = 0


class TaskBuilder:
    """Judges expressions, makes tasks and draws rows.

    Args:
        plan: The expressions, in order.
        engines: What they are evaluated with.
        where: The suite, for errors.
    """

    def __init__(self, plan: list[PublishedTask], engines: Engines, where: str = "taskbench") -> None:
        self.engines = engines
        self.where = where
        self.recipe = engines.recipe
        self.plan = plan
        self._verdicts: list[Verdict] = []
        self._by_name: dict[str, Verdict] = {}
        self._datasets: dict[str, Dataset] = {}
        self._forms: dict[Expression, str] = {}
        self._prints: dict[tuple[str, bool], str] = {}
        self._relation_prints: dict[int, tuple[Relation, str]] = {}  # with the relation, so that its id stays its own
        self._tasks: dict[str, Task] = {}
        self._recall()

    # ---------------------------------------------------------------- judgement

    @property
    def complete(self) -> bool:
        """Whether every expression has been judged, or enough tasks are built."""
        enough = self.recipe.tasks and len(self._by_name) >= self.recipe.tasks
        return bool(enough) or len(self._verdicts) == len(self.plan)

    def advance(self) -> Verdict | None:
        """Judge the next expression; None at the end."""
        if self.complete:
            return None
        verdict = self._judge(self.plan[len(self._verdicts)])
        self._enter(verdict)
        if self.complete:
            outcomes = [(one.name, one.state, one.reason, one.domain, one.samples) for one in self._verdicts]
            self.engines.cache.keep(self.engines.cache.list_key(self.plan), outcomes)
        return verdict

    def _recall(self) -> None:
        """Take over the verdicts of the whole list, where they are kept: nothing has to be evaluated for them."""
        known: list[Outcome] | None = self.engines.cache.find(self.engines.cache.list_key(self.plan), list[Outcome])
        for entry, kept in zip(self.plan, known or (), strict=False):
            self._enter(Verdict(entry, *kept))

    def _enter(self, verdict: Verdict) -> None:
        self._verdicts.append(verdict)
        if verdict.state == "built":
            self._by_name[verdict.name] = verdict
            _warn_if_small(verdict)

    def verdicts(self) -> Iterator[Verdict]:
        """Every expression with what became of it, judged as they are asked for."""
        index = 0
        while index < len(self._verdicts) or self.advance() is not None:
            yield self._verdicts[index]
            index += 1

    def verdict(self, place: int) -> Verdict | None:
        """What became of the expression at a place of the list; None where enough tasks stand before it."""
        while len(self._verdicts) <= place and self.advance() is not None:
            pass
        return self._verdicts[place] if place < len(self._verdicts) else None

    def built(self) -> Iterator[Verdict]:
        return (verdict for verdict in self.verdicts() if verdict.state == "built")

    def insist(self) -> None:
        """Make sure that there is a task.

        Raises:
            EmptySuiteError: There is none, with the reason for the first expression.
        """
        if next(self.built(), None) is None:
            first = next(self.verdicts(), None)
            reason = "its list is empty" if first is None else f"{first.name}: {first.state}, {first.reason}"
            hint = "-T least=1 keeps small tasks" if self.recipe.least > 1 else None
            raise EmptySuiteError(f"no task of this suite can be built ({reason})", where=self.where, hint=hint)

    def unlisted(self, node: Expression) -> Verdict:
        """The verdict of any expression, listed or not; those that are not listed need one sample only."""
        name = short(node)
        if (listed := self._by_name.get(name)) is not None:
            return listed
        data = self._dataset(node, name)
        entry = PublishedTask(node)
        if data is None or not data.samples():
            return Verdict(entry, name, "too few samples", "there are none")
        self._datasets.setdefault(name, data)
        found = Verdict(entry, name, "built", "", self._domain(node), data.samples())
        _warn_if_small(found)
        return found

    def find(self, name: str) -> Verdict | None:
        while name not in self._by_name and self.advance() is not None:
            pass
        return self._by_name.get(name)

    def everything(self) -> list[Verdict]:
        """All expressions judged, with a progress bar."""
        with Progress("evaluating tasks", len(self.plan), unit="tasks") as progress:
            progress.advance(len(self._verdicts))
            while self.advance() is not None:
                progress.advance(1)
        return list(self._verdicts)

    def _judge(self, entry: PublishedTask) -> Verdict:
        node = entry.expression
        name = short(node)
        form = normal(node)
        if form in self._forms:
            return Verdict(entry, name, "duplicate", f"the same as {self._forms[form]}")
        try:
            data = self._dataset(node, name)
        except SourceMissingError as error:
            return Verdict(entry, name, "source missing", error.message)
        if data is None:
            return Verdict(entry, name, "not a union", "only unions of two relations can be balanced")
        self._forms[form] = name
        domain, samples = self._domain(node), data.samples()
        if samples < max(self.recipe.least, 1):
            reason = f"{samples} of at least {self.recipe.least}"
            if not samples and domain and isinstance(data, PredicateData):
                reason = f"none of its {domain:,} inputs is true, or none is false, and both are asked alike"
            return Verdict(entry, name, "too few samples", reason, domain, samples)
        if isinstance(data, RelationData) and constant(data.relation):
            return Verdict(entry, name, "degenerate", "every input has the same outputs", domain, samples)
        key = (self._print(data), signature(node).sequence)
        if key in self._prints:
            return Verdict(entry, name, "duplicate", f"gives the same as {self._prints[key]}", domain, samples)
        self._prints[key] = name
        self._datasets[name] = data
        return Verdict(entry, name, "built", "", domain, samples)

    def _domain(self, node: Expression) -> int:
        if self.recipe.balanced and facet(node) == UNION.facet:  # there are hundreds of pairs, but few relations
            return len(set[str]().union(*(self.engines.relation(part).inputs for part in node.arguments)))
        if not signature(node).sequence:
            return self.engines.word_function(node).domain
        form = map_filter(node)
        word = form.relation if form.maps else form.predicate
        assert word is not None
        return self.engines.word_function(word).domain

    def _print(self, data: Dataset) -> str:
        match data:
            case RelationData(relation=relation):
                return self._relation_print(relation)
            case PredicateData(predicate=predicate):
                return fingerprint(predicate)
            case SequenceData(relation=relation, accepted=accepted, rejected=rejected):
                return self._relation_print(relation) + fingerprint(Predicate(accepted, rejected))
            case UnionData(first=first, second=second):
                return self._relation_print(first) + self._relation_print(second)
            case _:
                raise TypeError(type(data).__name__)

    def _relation_print(self, relation: Relation) -> str:
        """The fingerprint of a relation, made once: it comes again in its sequences and in every pair."""
        if id(relation) not in self._relation_prints:
            self._relation_prints[id(relation)] = (relation, fingerprint(relation))
        return self._relation_prints[id(relation)][1]

    # ------------------------------------------------------------------ datasets

    def dataset(self, verdict: Verdict) -> Dataset:
        if verdict.name not in self._datasets:
            data = self._dataset(verdict.entry.expression, verdict.name)
            if data is None:
                raise ValueError(f"{verdict.name} was not built")
            self._datasets[verdict.name] = data
        return self._datasets[verdict.name]

    def _dataset(self, node: Expression, name: str) -> Dataset | None:
        """The dataset of an expression; None where it cannot be balanced and the recipe asks for that."""
        frame = (name, self.recipe, self.engines.seed, self.engines.assignment)
        if signature(node).sequence:
            return None if self.recipe.balanced else self._sequences(node, frame)
        if self.recipe.balanced:
            if facet(node) != UNION.facet or len(node.arguments) != 2:
                return None
            return UnionData(*frame, *(self.engines.relation(part) for part in node.arguments))
        if signature(node).predicate:
            return PredicateData(*frame, self.engines.predicate(node))
        return RelationData(*frame, self.engines.relation(node))

    def _sequences(self, node: Expression, frame: tuple[str, TaskBenchRecipe, int, SplitAssignment]) -> SequenceData:
        """The pools of Algorithm 1: words in the map's domain that the filter keeps, and words that it drops."""
        form = map_filter(node)
        truth = None if form.predicate is None else self.engines.predicate(form.predicate)
        relation: Relation
        key = ("taskbench", "permute", self.engines.seed, frame[0])
        if truth is not None and self.recipe.permuted:
            truth = permuted_truth(truth, *key, "truth")
        if not form.maps:
            assert truth is not None
            relation = self.engines.identity((*truth.true, *truth.false))
        else:
            relation = self.engines.relation(form.relation)
            relation = permuted(relation, *key, "relation") if self.recipe.permuted else relation
        domain = set(relation.inputs)
        accepted = tuple(relation.inputs) if truth is None else tuple(word for word in truth.true if word in domain)
        rejected = () if truth is None else truth.false
        if self.recipe.separator:  # a word with the separator inside would look like two
            rejected = tuple(word for word in rejected if "#" not in word)
            accepted = tuple(w for w in accepted if not any("#" in said for said in (w, *relation.outputs(w))))
        return SequenceData(*frame, relation, accepted, rejected, truth is not None)

    # --------------------------------------------------------------------- tasks

    def task(self, verdict: Verdict) -> Task:
        if verdict.name not in self._tasks:
            self._tasks[verdict.name] = self._make(verdict)
        return self._tasks[verdict.name]

    def _make(self, verdict: Verdict) -> Task:
        node = verdict.entry.expression
        type_ = signature(node)
        return Task(
            name=verdict.name,
            instruction=self._instruction(verdict),
            kind="sequence" if type_.sequence else "boolean" if type_.predicate else "text",
            scorer="words",
            version=_version(node, self.recipe),
            labels=("true", "false") if type_.predicate else (),
            facets={
                "family": "taskbench",
                "category": category(node),
                "language": "-".join(sorted(languages(node) or {"eng"})),
                "level": "sequence" if type_.sequence else "word",
                "operator": facet(node),
                "depth": depth(node),
                "derives_from": tuple(dict.fromkeys(short(atom) for atom in atoms(node))),
                "expression": paper(node),
                "code": code(node),
                "samples": verdict.samples,
                "permuted": self.recipe.permuted,
            },
        )

    def definition(self, name: str) -> str:
        """What the built task of that name asks, without examples."""
        from taskloom.families.taskbench.instructions import definition

        return str(definition(self._by_name[name].entry.expression, self.engines))

    def _instruction(self, verdict: Verdict) -> Instruction:
        from taskloom.families.taskbench.instructions import definition, instruction

        node, cache = verdict.entry.expression, self.engines.cache
        found = cache.found_or_made(
            cache.suite_key("instruction", (verdict.name, node), (node,)),
            Instruction,
            lambda: instruction(node, self.dataset(verdict), self.engines, list(self.rows(verdict, "example"))),
        )
        return found.with_fields(definition(node, self.engines))

    def rows(self, verdict: Verdict, split: SplitName, start: int = 0, stop: int | None = None) -> Iterator[Instance]:
        return self.dress(verdict, split, self.dataset(verdict).rows(split, start, stop))

    def dress(self, verdict: Verdict, split: str, rows: Iterator[Instance]) -> Iterator[Instance]:
        """Rows with the facts they need, where the recipe puts facts into the prompt and the task asks for any."""
        book = self.engines.open_book
        if book is None or category(verdict.entry.expression) != "factual":
            return rows
        return book.open(verdict.name, verdict.entry.expression, split, rows)


def _warn_if_small(verdict: Verdict) -> None:
    node = verdict.entry.expression
    if isinstance(node, Atom) and category(node) == "lexical" and verdict.samples < AMPLE:
        warnings.warn(
            f"{verdict.name} has only {verdict.samples:,} inputs: scores on it are rough, and a split may be tiny",
            SmallTaskWarning,
            stacklevel=2,
        )


def _version(node: Expression, recipe: TaskBenchRecipe) -> str:
    """Two since the second edition of the world and of Spanish words without doubled apostrophes.

    Clean labels are in their fourth edition: canonical answers are single words that dictionaries vouch for, and all
    that is right in any sense is accepted.
    """
    if category(node) == "lexical" and recipe.labels == "clean":
        return "4"
    spanish = "spa" in (signature(node).target, *(atom.language.rpartition("->")[2] for atom in atoms(node)))
    published = category(node) != "factual" and recipe.labels == "faithful" and not spanish
    return "1" if published else "2"


def category(node: Expression) -> str:
    """Random if any part is, else your own if any is, else factual or lexical."""
    found = {"random" if atom.name == "random" else "factual" if atom.factual else "lexical" for atom in atoms(node)}
    found |= {"own"} if has_own_atoms(node) else set()
    return next(name for name in ("random", "own", "factual", "lexical") if name in found)


class TaskBlocks(Blocks):
    """One split of a suite.

    Every listed expression owns the same number of block numbers, used or not, so that a number alone says which rows
    it means. Whether an expression is built depends on those listed before it: equal functions are built once.

    Args:
        builder: What makes the rows.
        split: Which split.
    """

    def __init__(self, builder: TaskBuilder, split: SplitName) -> None:
        self._builder = builder
        self._split = split
        wanted = sizes(builder.recipe, split)
        if split == "train" and builder.recipe.shots:
            wanted = min(wanted, builder.recipe.shots)
        self._each = max(1, -(-wanted // BLOCK))

    @property
    def size(self) -> int:  # type: ignore[override]
        """How many rows there are. Every task is evaluated to know."""
        return sum(self._builder.dataset(one).size(self._split) for one in self._builder.built())

    def numbers(self) -> Iterator[int]:
        return iter(range(len(self._builder.plan) * self._each))

    def numbers_of(self, task: str) -> Iterator[int]:
        for place, verdict in enumerate(self._builder.verdicts()):
            if verdict.name == task:
                yield from range(place * self._each, (place + 1) * self._each)

    def rows(self, number: int) -> Iterator[Row]:
        place, block = divmod(number, self._each)
        verdict = self._builder.verdict(place)
        if verdict is None or verdict.state != "built":
            return
        start = block * BLOCK
        for instance in self._builder.rows(verdict, self._split, start, start + BLOCK):
            yield Row(verdict.name, instance)

    def locate(self, index: int) -> tuple[int, int]:
        before = 0
        for place, verdict in enumerate(self._builder.verdicts()):
            if verdict.state != "built":
                continue
            size = self._builder.dataset(verdict).size(self._split)
            if 0 <= index - before < size:
                block, inside = divmod(index - before, BLOCK)
                return place * self._each + block, inside
            before += size
        raise IndexError(index)

    def __iter__(self) -> Iterator[Row]:
        yield from super().__iter__()
        self._builder.insist()
