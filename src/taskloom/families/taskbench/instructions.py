"""Instructions in plain English: noun phrases and clauses for expressions, definitions, examples with every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from taskloom.algebra import (
    Atom,
    ControlOperator,
    Expression,
    MapFilter,
    RelationOperator,
    Speaker,
    atoms,
    links,
    map_filter,
    reasons,
    signature,
)
from taskloom.core import AnyOf, Boolean, Example, Instance, Instruction, Product, keyed_random
from taskloom.core.catalog import ATOMS
from taskloom.core.definition import Definition
from taskloom.core.language_codes import LANGUAGES
from taskloom.families.taskbench.datasets import TRUTH_WORDS, Dataset, RelationData, SequenceData, UnionData
from taskloom.families.taskbench.language import LANGUAGE, LexicalAtom
from taskloom.sources.atoms import PredicateAtom, own_atom
from taskloom.sources.knowledge.vocabulary import FactSpeaker

if TYPE_CHECKING:
    from taskloom.families.taskbench.engines import Engines


def given(node: Expression) -> str:
    """What a person is handed: an English word, the name of a country."""
    source = signature(node).source
    if source in LANGUAGES:
        return f"{_in_language(source)} word"
    if source != "entity":
        return f"{_article(source)} {source}"
    noun = _noun(node)
    return f"the name of {_article(noun)} {noun}"


def called(node: Expression) -> str:
    """What to call it afterwards: the word, the country; "it" where that would be long."""
    source = signature(node).source
    noun = "word" if source in LANGUAGES else source if source != "entity" else _noun(node)
    return "it" if " or " in noun else f"the {noun}"


def _noun(node: Expression) -> str:
    nouns = {_subject(atom) for atom in _innermost(node)}
    return nouns.pop() if len(nouns) == 1 else "person, place or thing"


def _subject(atom: Atom) -> str:
    if atom.name == "is":
        return LANGUAGE.property.get(atom.features[0][0], {}).get("of", "person, place or thing")
    return LANGUAGE.property.get(atom.name, {}).get("gives" if atom.inverse else "of", "thing")


def _innermost(node: Expression) -> list[Atom]:
    """The atoms that see the input itself."""
    if isinstance(node, Atom):
        return [node]
    inside = node.arguments[-1:] if node.operator == "chain" else node.arguments
    return [atom for part in inside for atom in _innermost(part)]


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiouAEIO" else "a"


def _in_language(code: str) -> str:
    """A language with its article: a Spanish, an English."""
    name = LANGUAGES.get(code, code)
    return f"{_article(name)} {name}"


def noun_phrase(node: Expression, x: str, engines: Engines) -> str:
    """What a relation gives for `x`: "an antonym of a verb that it entails"."""
    return _WordSpeaker(engines)(node, x)


def clause(node: Expression, x: str, engines: Engines, *, holds: bool = True) -> str:
    """What a predicate says of `x`: "it can be a noun and it can be a verb"."""
    return _WordSpeaker(engines).clause(node, x, holds=holds)


class _WordSpeaker(Speaker):
    """Says what is asked of words."""

    facts = False

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def beside(self, node: Expression) -> Speaker:
        own = isinstance(node, Atom) and own_atom(node.name) is not None
        return self if own or signature(node).source != "entity" else _EntitySpeaker(self._engines)

    def atom(self, atom: Atom, x: str) -> str:
        if (own := own_atom(atom.name)) is not None:
            return own.phrase.replace("{x}", x)
        record = ATOMS.get(atom.name)
        assert isinstance(record, LexicalAtom)
        said = record.phrase.replace("{x}", x)
        if not record.noun:
            return said.replace("{seed}", dict(atom.features).get("seed", ""))
        noun = said if atom.language == "eng" else f"{LANGUAGES.get(target := atom.signature.target, target)} {said}"
        return f"{_article(noun)} {noun}"

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        if isinstance(own := own_atom(atom.name), PredicateAtom):
            return (own.phrase if holds else own.denial).replace("{x}", x)
        if atom.name in ("acceptall", "rejectall"):
            return f"{x} is {'' if (atom.name == 'acceptall') == holds else 'not '}a word"
        said = LANGUAGE.tag[atom.features[0][1]]
        return f"{x} {said if holds else said.replace('can', 'cannot', 1)}"


class _EntitySpeaker(FactSpeaker):
    """Says what is asked of a graph, with the names that properties and entities have in it."""

    def __init__(self, engines: Engines) -> None:
        super().__init__(engines.factual.label)
        self._engines = engines

    def beside(self, node: Expression) -> Speaker:
        own = isinstance(node, Atom) and own_atom(node.name) is not None
        graph = not own and signature(node).source in ("entity", "any")
        return self if graph else _WordSpeaker(self._engines)

    def atom(self, atom: Atom, x: str) -> str:
        return super().atom(self._resolved(atom), x)

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        return super().atom_clause(self._resolved(atom), x, holds=holds)

    def _resolved(self, atom: Atom) -> Atom:
        found = self._engines.factual.query(atom)
        assert isinstance(found, Atom)
        return found


def why(node: Expression, x: str, y: str, engines: Engines) -> str:
    """The steps from an input to one of its outputs, in sentences."""
    return " ".join(dict.fromkeys(_Explainer(engines)(node, x, y)))


def why_not(node: Expression, x: str, y: str, right: str, engines: Engines) -> str:
    """That an output is wrong, and one that would be right."""
    phrase = noun_phrase(node, quoted(x), engines)
    return f"{quoted(y)} is not {phrase}. A right answer is {quoted(right)}. {why(node, x, right, engines)}"


def quoted(word: str) -> str:
    """A word in quotation marks."""
    return f"'{word}'"


class _Explainer:
    """What the explanations in records are called with."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def __call__(self, node: Expression, x: str, y: str) -> list[str]:
        """The steps from an input to one of its answers."""
        if isinstance(node, Atom):
            return [self.pair(node, x, y)]
        record = node.record
        assert isinstance(record, RelationOperator)
        steps = record.explain(self, x, y, *node.arguments)
        if not isinstance(record, ControlOperator):
            return steps
        condition = record.condition(*node.arguments)
        return [why_true(condition, x, bool(self.truth(condition, x)), self._engines), *steps]

    def pair(self, node: Expression, x: str, y: str, *, denied: bool = False) -> str:
        """A sentence that says that `y` is an answer for `x`, or that it is none."""
        said = " is not " if denied else " is "
        if signature(node).source == "entity":
            phrase = noun_phrase(node, x, self._engines)
            return _sentence(f"{y}{said}{phrase}" if denied else f"{phrase}{said}{y}")
        return f"{quoted(y)}{said}{noun_phrase(node, quoted(x), self._engines)}."

    def gives(self, node: Expression, x: str, y: str) -> bool:
        return y in self._engines.apply(node, x)

    def truth(self, node: Expression, x: str) -> bool | None:
        """Whether a predicate holds of `x`; None where it is unknown."""
        return self._engines.truth(node, x)

    def between(self, outer: Expression, inner: Expression, x: str, y: str) -> str | None:
        """What leads from `x` to `y` through a chain; None where names do not tell."""
        return self._engines.between(outer, inner, x, y)


def why_true(node: Expression, x: str, holds: bool, engines: Engines) -> str:
    """Why a predicate is true or false of an input: each of its parts in turn."""
    name = x if signature(node).source == "entity" else quoted(x)
    said = []
    for part in reasons(node):
        truth = engines.truth(part, x)
        if truth is not None:
            said.append(_sentence(clause(part, name, engines, holds=truth)))
    return " ".join(dict.fromkeys(said)) or _sentence(clause(node, name, engines, holds=holds))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


_PREDICATE = (("Say", "Answer"), ("Find out", "The answer is"))
"""How a predicate is asked where its answer is written, and where it is used."""


def definition(node: Expression, engines: Engines) -> Definition:
    """A few sentences that say what is given, what to give, and in which form."""
    recipe = engines.recipe
    said = _asked(node, engines)
    notes = _notes(node, engines)
    if recipe.permuted:
        notes.insert(0, "Beware: the answers have been exchanged among the inputs, so they can only be remembered.")
    if recipe.facts != "none" and signature(node).source == "entity":
        said["task"] = said["task"].replace("You are given ", "You are given some facts and ", 1)
        notes.insert(0, "Use the given facts alone.")
    return Definition.of({**said, **({"notes": " ".join(notes)} if notes else {})})


def _asked(node: Expression, engines: Engines) -> dict[str, str]:
    """What is given and what is wanted, in fields."""
    if signature(node).sequence:
        return {"task": _sequence(map_filter(node), engines), "noun": "line"}
    if signature(node).predicate:
        true = f"whether this is true: {clause(node, called(node), engines)}."
        form, used = (f"{say} {true} {answer} 'true' or 'false'." for say, answer in _PREDICATE)
        return {"task": f"You are given {given(node)}.", "form": form, "used": used, "noun": "answer"}
    record = ATOMS.get(node.name) if isinstance(node, Atom) and node.name in ATOMS else None
    noun = record.phrase.partition(" ")[0] if isinstance(record, LexicalAtom) and record.noun else "answer"
    wanted = f"{noun_phrase(node, called(node), engines)}.{_steps(node, engines)}"
    form, used = f"Give {wanted} Any one right answer is enough.", f"Find {wanted}"
    return {"task": f"You are given {given(node)}.", "form": form, "used": used, "noun": noun}


def _steps(node: Expression, engines: Engines) -> str:
    followed = links(node)
    if len(followed) < 2:
        return ""
    said = [f"first find {noun_phrase(followed[0], called(node), engines)}"]
    said += [f"then {noun_phrase(link, 'what you found', engines)}" for link in followed[1:]]
    return f" In steps: {', '.join(said)}."


def _sequence(form: MapFilter, engines: Engines) -> str:
    relation, predicate = form.relation, form.predicate
    mapped = form.maps
    source = predicate if predicate is not None else relation
    mark = "'#' between them" if engines.recipe.separator else "blanks between them"
    said = f"You are given several items in a row, with {mark}; each is {given(source if not mapped else relation)}. "
    if predicate is not None:
        said += f"Keep only the items for which this is true: {clause(predicate, 'it', engines)}. "
    if mapped:
        each = "each item that you keep" if predicate is not None else "each item"
        said += f"For {each} give {noun_phrase(relation, 'it', engines)}.{_steps(relation, engines)} "
        said += "Any one right answer for each is enough. "
    return f"{said}Write the results in the order of the items, with {mark}."


def _notes(node: Expression, engines: Engines) -> list[str]:
    """What the terms mean, each once, and which world the facts are of."""
    names: dict[str, None] = {}
    factual = False
    for atom in atoms(node):
        factual = factual or atom.factual
        names[atom.features[0][0] if atom.name == "is" and not atom.factual else atom.name] = None
    terms = [ATOMS.get(name) for name in names if name in ATOMS]
    notes = [term.note for term in terms if isinstance(term, LexicalAtom) and term.note]
    if factual and engines.recipe.knowledge.partition(":")[0] == "world":
        notes.append("The facts are those of an invented world.")
    return notes


def instruction(node: Expression, data: Dataset, engines: Engines, examples: list[Instance]) -> Instruction:
    """Definition, two right answers and one or two wrong ones, all explained."""
    right, wrong = examples[:2], examples[2:] or examples[-1:]
    writer = _Writer(node, data, engines)
    return Instruction.of(
        definition(node, engines),
        tuple(writer.right(one) for one in right),
        tuple(found for one in wrong if (found := writer.wrong(one)) is not None)[:2],
    )


def asked(one: Instance) -> str:
    """The word that a row asks about; with facts in the prompt it is only the end of the input."""
    word: str = one.details.get("asked", one.input)
    return word


class _Writer:
    def __init__(self, node: Expression, data: Dataset, engines: Engines) -> None:
        self.node = node
        self.data = data
        self.engines = engines
        self.explained = not engines.recipe.permuted

    def right(self, one: Instance) -> Example:
        """An example with the drawn answer."""
        answer = one.targets.canonical()
        match one.targets:
            case Boolean(value):
                reason = why_true(self.node, asked(one), value, self.engines)
            case Product(slots):
                reason = self._each(one, [slot[0] for slot in slots])
            case _:
                reason = why(self.node, asked(one), answer, self.engines)
        return Example(
            one.input, answer, reason if self.explained else "The answers were exchanged; this is the one to remember."
        )

    def wrong(self, one: Instance) -> Example | None:
        """An example with an answer that is not acceptable; None where none is at hand."""
        match one.targets:
            case Boolean(value):
                answer = TRUTH_WORDS[1 if value else 0]
                reason = (
                    f"It is {TRUTH_WORDS[0 if value else 1]}. {why_true(self.node, asked(one), value, self.engines)}"
                )
            case Product(slots):
                return self._wrong_sequence(one, slots)
            case AnyOf(answers):
                found = self._other(one, answers)
                if found is None:
                    return None
                answer = found
                reason = why_not(self.node, asked(one), answer, answers[0], self.engines)
            case _:
                raise TypeError(type(one.targets).__name__)
        return Example(one.input, answer, reason if self.explained else "This is not the answer to remember.")

    def _other(self, one: Instance, answers: Sequence[str]) -> str | None:
        """An answer to another input that is none to this one."""
        assert isinstance(self.data, RelationData | UnionData)
        taken = {answer.casefold() for answer in answers}
        relation = self.data.first if isinstance(self.data, UnionData) else self.data.relation
        rng = keyed_random("taskbench", "wrong", self.data.seed, self.data.name, one.input)
        others = rng.sample(relation.inputs, min(50, len(relation.inputs)))
        pool = (answer for other in others for answer in relation.outputs(other)[:3])
        return next((answer for answer in pool if answer.casefold() not in taken), None)

    def _each(self, one: Instance, answers: Sequence[str]) -> str:
        """Word by word: which are dropped, and what becomes of the others."""
        form = map_filter(self.node)
        words: list[str] = list(one.details["words"])
        kept = words
        said = []
        if form.predicate is not None:
            truth = {word: self.engines.truth(form.predicate, word) for word in words}
            kept = [word for word in words if truth[word]]
            said += [why_true(form.predicate, word, bool(truth[word]), self.engines) for word in words]
            said.append(f"So these are kept: {', '.join(map(quoted, kept))}.")
        if form.maps:
            said += [why(form.relation, x, y, self.engines) for x, y in zip(kept, answers, strict=False)]
        return " ".join(said)

    def _wrong_sequence(self, one: Instance, slots: Sequence[Sequence[str]]) -> Example | None:
        """The first position filled with a word that is right for no position."""
        assert isinstance(self.data, SequenceData)
        taken = {word.casefold() for slot in slots for word in slot}
        pool = sorted({*self.data.rejected[:50], *self.data.accepted[:50], *one.details["words"]})
        keyed_random("taskbench", "wrong", self.data.seed, self.data.name, one.input).shuffle(pool)
        strange = next((word for word in pool if word.casefold() not in taken and " " not in word), None)
        strange = strange or next((word for word in pool if word.casefold() not in taken), None)
        if strange is None:
            return None
        words = [strange, *(slot[0] for slot in slots[1:])]
        reason = f"{quoted(strange)} is wrong in the first place; {quoted(slots[0][0])} would be right."
        return Example(one.input, self.data.separator.join(words), reason)
