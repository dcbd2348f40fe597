"""From a list of expressions to tasks: each evaluated in turn, judged fit or not, and given its dataset.

Evaluating five hundred functions takes a while, so nothing happens before it is asked for. Tasks are always
judged in the order of the list, whichever is asked for first, so that of two equal functions it is always
the later one that is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from taskloom.core import Instance, Progress, Task, UserError
from taskloom.families.taskbench.draw import (
    Dataset,
    PredicateData,
    RelationData,
    SequenceData,
    UnionData,
)
from taskloom.families.taskbench.functions import (
    Predicate,
    Relation,
    constant,
    fingerprint,
    permuted,
    permuted_truth,
)
from taskloom.families.taskbench.instruct import instruction
from taskloom.families.taskbench.language import (
    Expression,
    Identity,
    Union,
    atoms,
    code,
    depth,
    map_filter,
    normal,
    paper,
    short,
    signature,
)
from taskloom.families.taskbench.lots import Lot, Lots
from taskloom.families.taskbench.materials import Materials, SourceMissingError
from taskloom.families.taskbench.published import Listed, operator
from taskloom.families.taskbench.recipe import TaskBenchRecipe

__all__ = ["Judged", "State", "Workshop"]

State: TypeAlias = Literal["built", "too few samples", "source missing", "degenerate", "duplicate", "not a union"]


@dataclass(frozen=True)
class Judged:
    """What became of an expression.

    Attributes:
        listed: The expression as listed.
        name: The name of the task.
        state: Whether it is built, and if not, why.
        reason: More on that, in a few words.
        domain: How many inputs have an answer.
        samples: How many of them can be used: not too many outputs, both truth values in balance.
    """

    listed: Listed
    name: str
    state: State
    reason: str = ""
    domain: int = 0
    samples: int = 0


class Workshop:
    """Judges expressions, makes tasks and draws rows.

    Args:
        plan: The expressions, in order.
        materials: What they are evaluated with.
    """

    def __init__(self, plan: list[Listed], materials: Materials) -> None:
        self.materials = materials
        self.recipe = materials.recipe
        self._plan = plan
        self._lots = Lots(materials.seed)
        self._judged: list[Judged] = []
        self._by_name: dict[str, Judged] = {}
        self._datasets: dict[str, Dataset] = {}
        self._forms: dict[Expression, str] = {}
        self._prints: dict[tuple[str, bool], str] = {}
        self._tasks: dict[str, Task] = {}

    # ---------------------------------------------------------------- judgement

    @property
    def complete(self) -> bool:
        """Whether every expression has been judged, or enough tasks are built."""
        enough = self.recipe.tasks and len(self._by_name) >= self.recipe.tasks
        return bool(enough) or len(self._judged) == len(self._plan)

    def advance(self) -> Judged | None:
        """Judge the next expression; None at the end."""
        if self.complete:
            return None
        judged = self._judge(self._plan[len(self._judged)])
        self._judged.append(judged)
        if judged.state == "built":
            self._by_name[judged.name] = judged
        return judged

    def judged(self) -> Iterator[Judged]:
        """Every expression with what became of it, judged as they are asked for."""
        index = 0
        while index < len(self._judged) or self.advance() is not None:
            yield self._judged[index]
            index += 1

    def find(self, name: str) -> Judged | None:
        """The built task of that name; None where there is none."""
        while name not in self._by_name and self.advance() is not None:
            pass
        return self._by_name.get(name)

    def everything(self) -> list[Judged]:
        """All expressions judged, with a progress bar."""
        with Progress("evaluating tasks", len(self._plan), unit="tasks") as progress:
            progress.advance(len(self._judged))
            while self.advance() is not None:
                progress.advance(1)
        return list(self._judged)

    def _judge(self, listed: Listed) -> Judged:
        node = listed.expression
        name = short(node)
        form = normal(node)
        if form in self._forms:
            return Judged(listed, name, "duplicate", f"the same as {self._forms[form]}")
        try:
            data = self._dataset(node, name)
        except SourceMissingError as error:
            return Judged(listed, name, "source missing", error.message)
        if data is None:
            return Judged(listed, name, "not a union", "only unions of two relations can be balanced")
        self._forms[form] = name
        domain, samples = self._domain(node), _samples(data)
        if samples < max(self.recipe.least, 1):
            return Judged(
                listed, name, "too few samples", f"{samples} of at least {self.recipe.least}", domain, samples
            )
        if isinstance(data, RelationData) and constant(data.relation):
            return Judged(listed, name, "degenerate", "every input has the same outputs", domain, samples)
        key = (self._print(data), signature(node).sequence)
        if key in self._prints:
            return Judged(listed, name, "duplicate", f"gives the same as {self._prints[key]}", domain, samples)
        self._prints[key] = name
        self._datasets[name] = data
        return Judged(listed, name, "built", "", domain, samples)

    def _domain(self, node: Expression) -> int:
        if not signature(node).sequence:
            return self.materials.word_function(node).domain
        form = map_filter(node)
        word = form.predicate if isinstance(form.relation, Identity) else form.relation
        assert word is not None
        return self.materials.word_function(word).domain

    @staticmethod
    def _print(data: Dataset) -> str:
        match data:
            case RelationData(relation=relation):
                return fingerprint(relation)
            case PredicateData(predicate=predicate):
                return fingerprint(predicate)
            case SequenceData(relation=relation, accepted=accepted, rejected=rejected):
                return fingerprint(relation) + fingerprint(Predicate(accepted, rejected))
            case UnionData(first=first, second=second):
                return fingerprint(first) + fingerprint(second)
            case _:
                raise TypeError(type(data).__name__)

    # ------------------------------------------------------------------ datasets

    def dataset(self, judged: Judged) -> Dataset:
        """The dataset of a built expression."""
        return self._datasets[judged.name]

    def _dataset(self, node: Expression, name: str) -> Dataset | None:
        """The dataset of an expression; None where it cannot be balanced and the recipe asks for that."""
        frame = (name, self.recipe, self.materials.seed, self._lots)
        if signature(node).sequence:
            return None if self.recipe.balanced else self._sequences(node, frame)
        if self.recipe.balanced:
            if not isinstance(node, Union) or len(node.parts) != 2:
                return None
            return UnionData(*frame, *(self.materials.relation(part) for part in node.parts))
        if signature(node).predicate:
            return PredicateData(*frame, self.materials.predicate(node))
        return RelationData(*frame, self.materials.relation(node))

    def _sequences(self, node: Expression, frame: tuple[str, TaskBenchRecipe, int, Lots]) -> SequenceData:
        """The pools of Algorithm 1: words in the map's domain that the filter keeps, and words that it drops."""
        form = map_filter(node)
        truth = None if form.predicate is None else self.materials.predicate(form.predicate)
        relation: Relation
        key = ("taskbench", "permute", self.materials.seed, frame[0])
        if truth is not None and self.recipe.permuted:
            truth = permuted_truth(truth, *key, "truth")
        if isinstance(form.relation, Identity):
            assert truth is not None
            relation = self.materials.identity((*truth.true, *truth.false))
        else:
            relation = self.materials.relation(form.relation)
            relation = permuted(relation, *key, "relation") if self.recipe.permuted else relation
        domain = set(relation.inputs)
        accepted = tuple(relation.inputs) if truth is None else tuple(word for word in truth.true if word in domain)
        rejected = () if truth is None else truth.false
        if self.recipe.separator:  # a word with the separator inside could not be told from two
            rejected = tuple(word for word in rejected if "#" not in word)
            accepted = tuple(w for w in accepted if not any("#" in said for said in (w, *relation.outputs(w))))
        return SequenceData(*frame, relation, accepted, rejected, truth is not None)

    # --------------------------------------------------------------------- tasks

    def task(self, judged: Judged) -> Task:
        """The task of a built expression, with its instruction."""
        if judged.name not in self._tasks:
            self._tasks[judged.name] = self._make(judged)
        return self._tasks[judged.name]

    def _make(self, judged: Judged) -> Task:
        node = judged.listed.expression
        type_ = signature(node)
        languages = sorted({end for atom in atoms(node) for end in atom.language.split("->") if end} or {"eng"})
        return Task(
            name=judged.name,
            instruction=instruction(node, self.dataset(judged), self.materials),
            kind="sequence" if type_.sequence else "boolean" if type_.predicate else "text",
            scorer="words",
            labels=("true", "false") if type_.predicate else (),
            facets={
                "family": "taskbench",
                "category": category(node),
                "language": "-".join(languages),
                "level": "sequence" if type_.sequence else "word",
                "operator": operator(node),
                "depth": depth(node),
                "derives_from": tuple(dict.fromkeys(short(atom) for atom in atoms(node))),
                "expression": paper(node),
                "code": code(node),
                "samples": judged.samples,
                "permuted": self.recipe.permuted,
            },
        )

    def rows(self, judged: Judged, split: Lot) -> Iterator[Instance]:
        """The rows of a built task."""
        yield from self.dataset(judged).rows(split)


def _samples(data: Dataset) -> int:
    if isinstance(data, RelationData | PredicateData | SequenceData | UnionData):
        return data.samples()
    raise TypeError(type(data).__name__)


def category(node: Expression) -> str:
    """Random if any part is, else factual or lexical."""
    found = {"random" if atom.name == "random" else "factual" if atom.factual else "lexical" for atom in atoms(node)}
    return next(name for name in ("random", "factual", "lexical") if name in found)


class TaskMap(Mapping[str, Task]):
    """The tasks of a workshop by name; each is made when it is looked at."""

    def __init__(self, workshop: Workshop, where: str) -> None:
        self._workshop = workshop
        self._where = where

    def __getitem__(self, name: str) -> Task:
        judged = self._workshop.find(name)
        if judged is None:
            raise KeyError(name)
        return self._workshop.task(judged)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._workshop.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        found = 0
        for judged in self._workshop.judged():
            if judged.state == "built":
                found += 1
                yield judged.name
        if not found:
            raise self._nothing()

    def __len__(self) -> int:
        return sum(judged.state == "built" for judged in self._workshop.everything())

    def _nothing(self) -> UserError:
        first = next(self._workshop.judged(), None)
        reason = "its list is empty" if first is None else f"{first.name}: {first.state}, {first.reason}"
        return UserError(
            f"no task of this suite can be built ({reason})", where=self._where, hint="-T least=1 keeps small tasks"
        )
