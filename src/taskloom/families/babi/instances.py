"""Text and rows: how sentences, questions and answers are written, what a task says and shows, and facets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from taskloom.core import AnswerKind, Example, FacetType, Instance, Instruction, Items, Targets, Task, any_of
from taskloom.core.definition import Definition
from taskloom.families.babi import kinds
from taskloom.families.babi.concepts import CellSpec, Concepts, composition, concepts_of, question_type
from taskloom.families.babi.kinds import Answer, Question, Sentence
from taskloom.families.babi.support import StoryItem, implicit_steps, measured_distractors
from taskloom.families.babi.vocabulary import Instructions, Vocabulary, language, template_parts
from taskloom.families.babi.worlds import PAPER_WORLD, WorldProgram

Piece = tuple[Any, tuple[str, ...] | None]
"""A text, or the number of a role and the names for it."""


class Renderer:
    """Speaks the sentences of one vocabulary. Sentences are remembered, since a vocabulary has few of them.

    Args:
        vocabulary: The words.
        world: The world's programs, for events and questions of a recipe's own.
    """

    def __init__(self, vocabulary: Vocabulary, world: WorldProgram = PAPER_WORLD) -> None:
        self.vocabulary = vocabulary
        self.world = world
        self.persons = tuple(vocabulary.persons)
        self.pronouns = tuple(vocabulary.persons.values())
        self.objects = vocabulary.objects
        self.places = vocabulary.places
        special = {"conj": vocabulary.move_plural or vocabulary.move, "left": vocabulary.left_words()}
        plain = [special.get(name) or getattr(vocabulary, name, ("",)) for name in kinds.KINDS]
        own = [event.verbs or ("",) for event in world.events[len(kinds.KINDS) :]]
        self.verbs: tuple[tuple[str, ...], ...] = (*plain, *own)
        # Of so many wordings of a sentence with the same verb, the last ones end in "there".
        self._there = {
            kinds.GRAB: _fraction(vocabulary.there.get("grab", 0)),
            kinds.DROP: _fraction(vocabulary.there.get("drop", 0)),
        }
        self.names = {"person": self.persons, "object": self.objects, "place": self.places}
        self._pieces: dict[tuple[int, bool, int, int], tuple[Piece, ...]] = {}
        self._said: dict[Sentence, list[str]] = {}
        self._asked: dict[Question, str] = {}
        self.accepted: dict[tuple[int, Answer], Targets] = {}

    # -- sentences --------------------------------------------------------------------------------------------

    def story(self, sentences: Sequence[Sentence], rng: Random) -> list[str]:
        """The sentences as text, with verbs and openers drawn at random."""
        random = rng.random
        lines = []
        for sentence in sentences:
            forms = self._said.get(sentence) or self._unsaid(sentence)
            number = int(random() * len(forms))
            lines.append(forms[number] or self._say(sentence, number))
        return lines

    def worded(self, sentences: Sequence[Sentence], number: int) -> list[str]:
        """The sentences as text in the wording of that number; numbers beyond the last wording begin anew."""
        said = self._said
        lines = []
        for sentence in sentences:
            forms = said.get(sentence) or self._unsaid(sentence)
            number, digit = divmod(number, len(forms))
            lines.append(forms[digit] or self._say(sentence, digit))
        return lines

    def form(self, sentence: Sentence, verb: int, opener: int) -> str:
        """A sentence with this verb and, where its subject is a pronoun, this opener."""
        forms = self._said.get(sentence) or self._unsaid(sentence)
        number = verb * len(self.vocabulary.openers) + opener if sentence.pronoun else verb
        number *= self._there.get(sentence.kind, (0, 1))[1]
        return forms[number] or self._say(sentence, number)

    def forms(self, sentence: Sentence) -> tuple[str, ...]:
        """Every way to say a sentence."""
        forms = self._said.get(sentence) or self._unsaid(sentence)
        return tuple(form or self._say(sentence, number) for number, form in enumerate(forms))

    def _unsaid(self, sentence: Sentence) -> list[str]:
        """A place for every form of a sentence. Each is filled when it is first wanted: most are wanted never."""
        openers = len(self.vocabulary.openers) if sentence.pronoun else 1
        wordings = len(self.verbs[sentence.kind]) * openers * self._there.get(sentence.kind, (0, 1))[1]
        forms = self._said[sentence] = [""] * wordings
        return forms

    def _say(self, sentence: Sentence, number: int) -> str:
        ending, parts = self._there.get(sentence.kind, (0, 1))
        rest, part = divmod(number, parts)
        verb, opener = divmod(rest, len(self.vocabulary.openers) if sentence.pronoun else 1)
        text = self.sentence(sentence, verb, opener)
        if part >= parts - ending:
            text = f"{text.removesuffix('.')} there."
        self._said[sentence][number] = text
        return text

    def sentence(self, sentence: Sentence, verb: int = 0, opener: int = 0) -> str:
        """One sentence with the chosen verb and opener."""
        kind, first, second, third, pronoun, fourth = sentence
        key = kind, pronoun, verb, opener
        pieces = self._pieces.get(key)
        if pieces is None:
            said = self.verbs[kind][verb], self.vocabulary.openers[opener] if pronoun else ""
            pieces = self._pieces[key] = tuple(self.pieces(kind, pronoun, *said))
        roles = first, second, third, fourth
        return capital("".join([text if names is None else names[roles[text]] for text, names in pieces]))

    def pieces(self, kind: int, pronoun: bool, verb: str, opener: str) -> Iterator[Piece]:
        """The pieces of a sentence with this verb and opener."""
        templates = self.vocabulary.templates
        head, _, tail = verb.partition(" … ")
        said = {"verb": head, "tail": f" {tail}" if tail else "", "opener": opener}
        form = templates.move if pronoun and kind == kinds.CONJ else self._form(kind)
        again: str = getattr(templates, f"again_{kinds.KINDS[kind]}", "") if pronoun and kind < len(kinds.KINDS) else ""
        for before, field, shape in template_parts((again or templates.again) if pronoun else form, "text"):
            yield before, None
            if field == "sentence":
                for text, inner, other in template_parts(form, "text"):
                    yield text, None
                    yield self.piece(kind, pronoun, inner, other, said)
            elif field:
                yield self.piece(kind, pronoun, field, shape, said)

    def piece(self, kind: int, pronoun: bool, field: str, form: str, said: Mapping[str, str]) -> Piece:
        """What stands for a field: a text, or a name for each number of a role."""
        if not field or field in said:
            return said.get(field, ""), None
        event = self.world.events[kind]
        if pronoun and field == "person":
            return (self.vocabulary.plural, None) if kind == kinds.CONJ else (0, self.pronouns)
        if field == "and":
            return event.roles.index("other"), tuple(map(self.conjunction, self.persons))
        position = event.roles.index(field)
        return position, self._shown(event.sorts[position], form)

    def _shown(self, sort: str, form: str) -> tuple[str, ...]:
        """The names of a sort in a form."""
        names = self.names[sort]
        return tuple(self.vocabulary.shown(name, form) for name in names) if form else names

    def _form(self, kind: int) -> str:
        if kind >= len(kinds.KINDS):
            return self.world.events[kind].text
        templates = self.vocabulary.templates
        form: str = getattr(templates, kinds.KINDS[kind]) or templates.negate
        return form

    def conjunction(self, following: str) -> str:
        """What joins two people, by the name of the second."""
        words = self.vocabulary
        for letters, other in words.conjunction_before.items():
            if following.casefold().startswith(letters.casefold()):
                return other
        return words.conjunction

    # -- questions and answers ----------------------------------------------------------------------------------

    def question(self, question: Question) -> str:
        """A question as text."""
        text = self._asked.get(question)
        if text is None:
            pieces = self.asked(question.kind)
            shown = (text if names is None else names[question[1 + text]] for text, names in pieces)
            text = self._asked[question] = capital("".join(shown))
        return text

    def asked(self, kind: int) -> Iterator[Piece]:
        """The pieces of a question."""
        asked = self.world.questions[kind]
        for before, field, shape in template_parts(
            asked.text or getattr(self.vocabulary.templates, asked.name.replace("-", "_")), "text"
        ):
            yield before, None
            if field:
                role = asked.roles.index(field)
                yield role, self._shown(asked.sorts[role], shape)

    def items(self, answer: tuple[int, ...]) -> tuple[str, ...]:
        """The names of carried objects in alphabetical order."""
        return tuple(sorted(self.objects[thing] for thing in answer))

    def answer(self, question: Question, answer: Answer) -> str:
        """An answer as text, in its canonical form."""
        words = self.vocabulary
        kind = question.kind
        if isinstance(answer, tuple):
            return words.separator.join(self.items(answer)) or words.nothing
        if kind == kinds.YES_NO:
            return words.yes if answer == kinds.YES else (words.maybe if answer == kinds.MAYBE else words.no)
        if kind == kinds.COUNTING:
            return words.count_word(answer)
        return self.answer_names(kind)[answer]

    def answer_names(self, kind: int) -> tuple[str, ...]:
        """The names that answers to a kind of question come from."""
        asked = self.world.questions[kind]
        return self.world.attributes[asked.attribute] if asked.find == "value" else self.names[asked.answer_sort]


def _fraction(share: float) -> tuple[int, int]:
    """A share as a fraction."""
    return Fraction(share).limit_denominator(20).as_integer_ratio()


def capital(text: str) -> str:
    """A sentence with a capital where it begins, behind an opening mark if there is one."""
    if text[:1].isupper():
        return text
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.upper() + text[place + 1 :]
    return text


VERSION = "4"
"""The version of every task of the family."""


class ShownExample(NamedTuple):
    """An example in text: the story, the question, the right answer, a wrong one, and the supporting sentences."""

    story: Sequence[str]
    question: str
    answer: str
    wrong: str
    support: Sequence[int]


def explain(shown: ShownExample, said: Instructions) -> str:
    """Why the answer is right, naming the supporting sentences (counted from 1)."""
    if not shown.support:
        return said.none
    parts = [f'{index + 1} ("{shown.story[index]}")' for index in shown.support]
    if len(parts) == 1:
        return said.one.replace("{lines}", parts[0])
    return said.many.replace("{lines}", ", ".join(parts[:-1])).replace("{last}", parts[-1])


def instruction(definition: Definition, shown: Sequence[ShownExample], said: Instructions) -> Instruction:
    """A definition with examples: the last one shown becomes the negative example."""
    *right, last = shown
    return Instruction.of(
        definition,
        positive=tuple(Example(_input(each), each.answer, explain(each, said)) for each in right),
        negative=(
            Example(
                _input(last),
                last.wrong,
                said.wrong.replace("{wrong}", last.wrong)
                .replace("{answer}", last.answer)
                .replace("{reason}", explain(last, said)),
            ),
        ),
    )


def _input(shown: ShownExample) -> str:
    return "\n".join([*shown.story, shown.question])


def answer_form(question: str, words: Vocabulary, concepts: Concepts) -> tuple[AnswerKind, str, tuple[str, ...]]:
    """The form of the answers to a question type: kind, scorer, labels. Only an either leaves places open by name."""
    if question == "yes-no":
        maybe = (words.maybe,) if concepts.has("indef") else ()
        return "label", "label", (words.yes, words.no, *maybe)
    if question == "list":
        return "items", "items", ()
    return "text", "exact", ()


def story_task(
    name: str,
    question: str,
    words: Vocabulary,
    shown: Sequence[ShownExample],
    category: str,
    code: str,
    concepts: Concepts,
) -> Task:
    """The task of one question type of the story world, its instruction in the language of that code.

    The instruction says how to read what stories of these concepts hold, and no more.
    """
    kind, scorer, labels = answer_form(question, words, concepts)
    said = language(code).instructions
    text = said.definition(question)
    if words.maybe in labels:
        text = text.joined(said.definition("maybe"))
    fields = {"yes": words.yes, "no": words.no, "maybe": words.maybe, "nothing": words.nothing}
    fields |= {key: words.count_word(number) for number, key in enumerate(("none", "one", "two"))}
    conventions = [Definition((("notes", note),)) for note in said.conventions.needed(concepts, question)]
    return Task(
        name=name,
        instruction=instruction(text.joined(*conventions).filled(fields), shown, said),
        kind=kind,
        scorer=scorer,
        labels=labels,
        facets={"family": "babi", "category": category, "language": code, "question": question},
        version=VERSION,
    )


def shown_example(renderer: Renderer, item: StoryItem, text: Sequence[str], support: Sequence[int]) -> ShownExample:
    """An item as an example."""
    question, answer = item.question, item.answer
    wrong = wrong_answer(renderer, question, answer)
    return ShownExample(text, renderer.question(question), renderer.answer(question, answer), wrong, support)


def wrong_answer(renderer: Renderer, question: Question, answer: Answer) -> str:
    """A tempting wrong answer: another one of the same sort."""
    words = renderer.vocabulary
    if isinstance(answer, tuple):
        return next((name for name in words.objects if (name,) != renderer.items(answer)), words.nothing)
    if question.kind == kinds.YES_NO:
        return words.yes if answer == kinds.NO else words.no
    if question.kind == kinds.COUNTING:
        return words.count_word(answer + 1)
    said = renderer.answer(question, answer)
    names = renderer.answer_names(question.kind)
    return next((name for name in names if name != said), words.nothing)


FACETS: dict[str, FacetType] = {
    "question": str,
    "answer": str,
    "events": tuple[str, ...],
    "constructs": tuple[str, ...],
    "support_size": int,
    "composition": str,
    "novel": bool,
    "length": int,
    "distractors": str,
    "support_age": int,
    "double_disjunction": bool,
    "implicit_steps": int,
}
"""The columns of every instance of the family.

`composition` joins the events and constructs of the supporting sentences with "+"; `novel` says whether no
training sub-task allows that composition with that question (empty where there is no training set to compare
with); `distractors` says how close the other sentences come to the question (near, far or mixed); `support_age` counts
the sentences from the oldest supporting one to the question; `double_disjunction` says that two eithers settle the
answer together.
"""


class SeenCells:
    """What a training set may show: pairs of a question type and a set of events and constructs."""

    def __init__(self, concept_sets: Iterable[tuple[str, frozenset[str]]]) -> None:
        self._sets = tuple(concept_sets)
        self._known: dict[tuple[str, tuple[str, ...]], bool] = {}

    @classmethod
    def of(cls, cells: Iterable[CellSpec]) -> SeenCells:
        """What the stories of these cells may show."""
        pairs = {
            (question_type(kind), frozenset(cell.concepts.names())): None for cell in cells for kind in cell.questions
        }
        return cls(pairs)

    def novel(self, question: str, parts: tuple[str, ...]) -> bool:
        """Whether no training sub-task has this question and allows all these parts."""
        key = (question, parts)
        if key not in self._known:
            wanted = frozenset(parts)
            self._known[key] = not any(asked == question and wanted <= allowed for asked, allowed in self._sets)
        return self._known[key]


def targets(renderer: Renderer, question: Question, answer: Answer) -> Targets:
    """Every acceptable form of an answer, the canonical one first; remembered, since answers are few."""
    key = question.kind, answer
    found = renderer.accepted.get(key)
    if found is None:
        found = renderer.accepted[key] = _targets(renderer, question, answer)
    return found


def _targets(renderer: Renderer, question: Question, answer: Answer) -> Targets:
    words = renderer.vocabulary
    if isinstance(answer, tuple):
        return Items((renderer.items(answer),), separator=words.separator, empty=words.nothing)
    text = renderer.answer(question, answer)
    if question.kind == kinds.COUNTING:
        return any_of((text, str(answer)) if answer else (text, "0", "zero"))
    return any_of(tuple(words.every_form(text)))


def written(
    name: str, text: Sequence[str], asked: str, accepted: Targets, question: str, support: Sequence[int], **facets: Any
) -> Instance:
    """An instance from its text; further facets are those of a world without events that are told apart."""
    story = "\n".join(text)
    needed = sorted(support)
    return Instance(
        id=name,
        input=f"{story}\n{asked}",
        targets=accepted,
        facets={
            "question": question,
            "answer": accepted.canonical(),
            "events": (),
            "constructs": (),
            "support_size": len(needed),
            "composition": "",
            "novel": None,
            "length": len(text),
            "distractors": "mixed",
            "support_age": len(text) - needed[0] if needed else 0,
            "double_disjunction": False,
            "implicit_steps": 0,
            **facets,
        },
        parts={"story": story, "question": asked},
        details={"support": [line + 1 for line in needed]},
    )


def story_instance(
    name: str,
    renderer: Renderer,
    item: StoryItem,
    text: Sequence[str],
    concepts: Concepts,
    seen: SeenCells | None,
    spoken: Sequence[int] | None = None,
) -> Instance:
    """An instance about the sentences (and their text) read so far; `spoken`: its support in a text of freer forms.

    Every story is checked against its concept set here: the proof that held-out combinations are held out.
    """
    world = renderer.world
    sentences, question, answer, support, reader = item
    events, constructs = concepts_of(sentences, world)
    if not (
        all(map(concepts.weights.get, (*events, *constructs))) or all(map(concepts.counts, (*events, *constructs)))
    ):
        raise AssertionError(f"a story over {', '.join(concepts.names())} holds {', '.join((*events, *constructs))}")
    parts = composition(sentences, support, world)
    kind = world.questions[question.kind].type
    return written(
        name,
        text,
        renderer.question(question),
        targets(renderer, question, answer),
        kind,
        support if spoken is None else spoken,
        support_size=len(support),
        events=events,
        constructs=constructs,
        composition="+".join(parts),
        novel=None if seen is None else seen.novel(kind, parts),
        distractors=measured_distractors(sentences, support, question, world),
        double_disjunction=[sentences[line][0] for line in support].count(kinds.INDEF) > 1,
        implicit_steps=implicit_steps(reader, question, sum(1 << line for line in support)),
    )
