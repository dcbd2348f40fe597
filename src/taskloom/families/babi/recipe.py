"""What a user can choose: sizes for the named splits; everything for `babi/custom`."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from taskloom.core import Count, Positive, Recipe, Share, content_hash, unknown_name
from taskloom.families.babi.concepts import TELL_PLACES
from taskloom.families.babi.kinds import CONSTRUCTS, EVENTS, QUESTION_TYPES
from taskloom.families.babi.mentions import Mentions, Weight
from taskloom.families.babi.vocabulary import BABI, DYNA, Vocabulary
from taskloom.families.babi.worlds import World

FURTHER = ("relations", "time", "deduction", "induction", "positions", "sizes", "paths", "motivations")
"""Concepts beyond the story world, from tasks 4 and 14 to 20."""

Code = Literal["en", "de", "es"]


def check_range(name: str, value: tuple[int, int], least: int) -> None:
    """Refuse a range that is empty or begins below the least."""
    low, high = value
    if low > high:
        raise ValueError(f"{name} runs from {low} to {high}: the minimum exceeds the maximum")
    if low < least:
        raise ValueError(f"{name} starts at {low}; the minimum is {least}")


def _check_names(kind: str, names: Iterable[str], options: Iterable[str]) -> None:
    known = list(options)
    for name in names:
        if name not in known:
            raise ValueError(str(unknown_name(kind, name, known)))


class SpokenRecipe(Recipe, frozen=True):
    """A recipe for splits, in a `language` that may be given by its code or its name."""

    sized: ClassVar[tuple[str, ...]] = ("train", "dev", "test")
    """The keys that are sizes; one of them at least is not 0."""

    def __post_init__(self) -> None:
        if not any(getattr(self, name) for name in self.sized):
            raise ValueError(f"{', '.join(self.sized)} are all 0, so there is nothing to generate")

    @classmethod
    def spelled(cls, key: str, value: Any) -> Any:
        """The code of a language given by name."""
        from taskloom.core.language_codes import short_code

        return short_code(value) if key == "language" and isinstance(value, str) else value


class SplitRecipe(SpokenRecipe, frozen=True):
    """A named split: how many questions, over which words.

    Attributes:
        train, dev, test: Sizes in questions.
        mix: Size of the out-of-distribution split that comes along with training suites.
        language: The language that the words are in: en, de or es, or its name. A seed gives the same stories in each.
        vocabulary: The words, if not the language's own.
    """

    sized: ClassVar[tuple[str, ...]] = ("train", "dev", "test", "mix")

    train: Count = 0
    dev: Count = 0
    test: Count = 0
    mix: Count = 0
    language: Code = "en"
    vocabulary: Vocabulary = DYNA


class LengthRecipe(SplitRecipe, frozen=True):
    """A named split whose stories can be made shorter or longer than the paper's.

    Attributes:
        length: Minimum and maximum number of sentences; the split's own (20) if left out.
    """

    length: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is not None:
            check_range("length", self.length, 2)


class StoryRecipe(LengthRecipe, frozen=True):
    """A named split of which parts can be asked, and in freer forms.

    Attributes:
        questions: Question types to ask; all of the split's if left out.
        prose: How large a part of the sentences is told in freer forms: 0 is the strict form, one event a sentence.
    """

    questions: tuple[str, ...] = ()
    prose: Share = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_names("question type", self.questions, QUESTION_TYPES)


class ConcatRecipe(SplitRecipe, frozen=True):
    """Original tasks side by side.

    Attributes:
        files: A folder with the original bAbI files (`qa1_…_train.txt` and so on); empty to generate them.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("files",)

    files: str = ""


class InjectRecipe(SplitRecipe, frozen=True):
    """Original tasks with further questions asked at each question.

    Attributes:
        originals: How many of the training questions are original ones.
    """

    originals: Count = 63_000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.train and self.train < self.originals:
            raise ValueError(
                f"train is {self.train} but originals is {self.originals}; injected questions come on top of originals"
            )


class InoculateRecipe(StoryRecipe, frozen=True):
    """Small doses of out-of-distribution questions, disjoint from the test split.

    Attributes:
        dose: Training questions per question type.
    """

    sized: ClassVar[tuple[str, ...]] = ("dose", "dev", "test")

    dose: Count = 500

    def __post_init__(self) -> None:
        if self.train:
            raise ValueError("train follows from dose (questions per type); set dose instead")
        super().__post_init__()


class TaskRecipe(SpokenRecipe, frozen=True):
    """One of the twenty original tasks.

    Attributes:
        train, dev, test: Sizes in questions.
        language: The language that the words are in: en, de or es, or its name (tasks 1 to 3 and 5 to 13).
        vocabulary: The words, if not the task's own.
    """

    train: Count = 9_000
    dev: Count = 1_000
    test: Count = 1_000
    language: Code = "en"
    vocabulary: Vocabulary = BABI


class CustomRecipe(SpokenRecipe, frozen=True):
    """Stories to measure.

    Attributes:
        events: Of move, grab, drop, give.
        constructs: Of coref, conj, compound, negate, indef.
        questions: Question types.
        shares: How large a part of the questions each type is, relative to 1.
        weights: How often each event and construct turns up, relative to 1.
        coref: Weights of the events that may stand in a pronoun pair.
        affirm: Of the statements that come with negate, the share that affirm ("is in").
        length: Least and greatest number of sentences.
        support: Least and greatest number of supporting sentences.
        requires: Events and constructs that must all occur in the support.
        exact: Whether the support may hold nothing else.
        double: Ask only (true), or never (false), where two eithers settle the answer together.
        distractors: How close the other sentences come to the question: near, far, or mixed (as it happens).
        mentions: How many sentences outside the support are about the person or object asked about, on average, or how
            many by kind and age; as many as in the kit's stories if left out.
        prose: How large a part of the sentences is told in freer forms: 0 is the strict form, one event a sentence.
        paths: Least and greatest number of alternative minimal supports.
        per_signature: How many items of a block of 1,000 may share a signature (support and question without names).
        per_story: How many questions to ask about one story, as far as others of the type pass the filters too.
        ask: Ask at the end of stories, or inside them while they go on (`per_story` questions each).
        gap: Sentences at least before the first question inside a story and between two.
        also: Concepts beyond the story world to weave in, with questions of their own.
        config: A configuration file of the Dyna-bAbI kit; its sub-tasks take the place of everything above.
        scale: The share of a configuration's sizes to generate.
        starved: What to do with a sub-task that cannot be met: refuse the recipe, or leave it out.
        train, dev, test: Sizes in questions.
        world: Events, attributes and questions of your own, beside the paper's.
        language: The language that the words are in: en, de or es, or its name.
        vocabulary: The words, if not the language's own.
    """

    events: tuple[str, ...] = EVENTS
    constructs: tuple[str, ...] = CONSTRUCTS
    questions: tuple[str, ...] = QUESTION_TYPES
    shares: dict[str, Weight] = {}
    weights: dict[str, Weight] = {}
    coref: dict[str, Weight] = msgspec.field(default_factory=lambda: {"move": 0.1, "grab": 1.0, "drop": 1.0})
    affirm: Share = 0.5
    length: tuple[int, int] = (20, 20)
    support: tuple[int, int] = (1, 15)
    requires: tuple[str, ...] = ()
    exact: bool = False
    double: bool | None = None
    distractors: Literal["near", "far", "mixed"] = "mixed"
    mentions: Weight | Mentions | None = None
    prose: Share = 0.0
    paths: tuple[int, int] = (0, 1_000_000)
    per_signature: Positive | None = None
    per_story: Positive = 1
    ask: Literal["end", "inside"] = "end"
    gap: Positive = 2
    also: tuple[str, ...] = ()
    file_keys: ClassVar[tuple[str, ...]] = ("config",)

    config: str = ""
    scale: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    starved: Literal["error", "skip"] = "error"
    train: Count = 1_000
    dev: Count = 100
    test: Count = 100
    world: World = World()
    language: Code = "en"
    vocabulary: Vocabulary = DYNA

    def __post_init__(self) -> None:
        super().__post_init__()
        own = tuple(self.world.events)
        _check_names("event", self.events, (*EVENTS, *own))
        _check_names("construct", self.constructs, CONSTRUCTS)
        _check_names("question type", self.questions, (*QUESTION_TYPES, *self.world.questions))
        _check_names("concept", self.also, FURTHER)
        concepts = (*self.every_event(), *self.constructs)
        _check_names("question type in shares", self.shares, self.every_question())
        _check_names("concept in weights", self.weights, (*EVENTS, *own, *CONSTRUCTS))
        _check_names("event in coref", self.coref, (*EVENTS[:3], *own))
        for name in self.requires:
            _check_names("concept in requires", (name,), (*EVENTS, *own, *CONSTRUCTS))
            if name not in concepts and not (name == "move" and self._tells_places()):
                raise ValueError(f"requires asks for {name!r}, which is not among the events and constructs")
            counted = self.world.events[name].event if name in own else ""
            if counted not in ("", name):
                raise ValueError(f"requires asks for {name!r}, which counts as {counted!r}; ask for that")
        for name, event in self.world.events.items():
            if event.construct and event.construct not in self.constructs:
                raise ValueError(
                    f"the event {name!r} counts as {event.construct!r}, which is not in constructs; add it there"
                )
        if self.questions and not fsum(self.shares.get(name, 1.0) for name in self.every_question()):
            raise ValueError("the shares of all questions are 0, so there is nothing to ask")
        self._check_ranges()
        self._check_parts()

    def _tells_places(self) -> bool:
        """Whether some construct says where people are."""
        return not set(TELL_PLACES).isdisjoint(self.constructs)

    def every_event(self) -> tuple[str, ...]:
        """The events of the paper that were chosen, and all of the recipe's own."""
        return (*self.events, *(name for name in self.world.events if name not in self.events))

    def every_question(self) -> tuple[str, ...]:
        """The question types; those of the recipe's own come along unless types were chosen."""
        if self.questions != QUESTION_TYPES:
            return self.questions
        return (*self.questions, *self.world.questions)

    def fingerprint(self) -> str:
        """A hash of everything but the sizes and the words: recipes that differ in words tell the same stories."""
        return content_hash(replace(self, train=1, dev=0, test=0, language="en", vocabulary=DYNA))

    def _check_ranges(self) -> None:
        check_range("length", self.length, 1)
        check_range("support", self.support, 0)
        check_range("paths", self.paths, 0)
        if self.support[0] > self.length[1]:
            raise ValueError(
                f"support asks for at least {self.support[0]} sentences, but stories have at most {self.length[1]}"
            )
        if isinstance(self.mentions, int | float) and self.mentions > self.length[1]:
            raise ValueError(f"mentions is {self.mentions:g}, but stories have at most {self.length[1]} sentences")
        if self.prose and (self.ask == "inside" or self.also):
            raise ValueError("prose cannot be combined with ask: inside or also; leave it out there")
        if self.ask == "inside" and self.also:
            raise ValueError("ask: inside cannot be combined with also; ask at the end there")
        if self.per_story > 1 and self.also:
            raise ValueError("per_story cannot be combined with also; ask one question a story there")

    def _check_parts(self) -> None:
        if not self.questions and not self.also:
            raise ValueError("questions is empty; name at least one question type")
        if "move" not in self.events and not self._tells_places():
            raise ValueError("no event would say where anyone is; add 'move' to events")
        if "coref" in self.constructs and not any(self.coref.get(event, 0) for event in self.events):
            raise ValueError("coref needs an event that can be part of a pronoun pair; add one to events and coref")
        if {"drop", "give"} & set(self.events) and "grab" not in self.events:
            raise ValueError("objects must be grabbed before they are dropped or given; add 'grab' to events")
        for name in (*self.every_event(), *self.constructs):
            if self.weights.get(name, 1.0) == 0:
                raise ValueError(f"the weight of {name!r} is 0; leave it out of events and constructs instead")
