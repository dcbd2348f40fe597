"""Stories in freer forms: an event told in two sentences, two in one, with connectives and varied openings.

What is told stays the same, so answers do; which sentences of the text prove them is worked out anew. The forms stand
in the files of the languages (`[prose]`). What happens in one sentence happens in the order that its words say:
"before" and "after" turn it round, all else keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from taskloom.core import UserError
from taskloom.families.babi import kinds
from taskloom.families.babi.facts import pick
from taskloom.families.babi.instances import Piece, Renderer, capital
from taskloom.families.babi.kinds import Sentence
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.support import StoryItem, canonical_support, lines
from taskloom.families.babi.vocabulary import LANGUAGES, Prose, Vocabulary, language, template_parts

if TYPE_CHECKING:
    from taskloom.families.babi.parse import Names, Parser

_OPENING = "\2"
_TRIES = 20
"""How often a story is told anew whose sentences would not prove what the events prove; then the plain form is used."""

_JOIN_CHANCE, _PAIR_CHANCE, _OPEN_CHANCE = 0.4, 0.2, 0.2
"""Of the sentences told freely: two events in one, one event in two, an opening in front; the rest have other words."""


class Told(NamedTuple):
    """The text of a story, and for each event the sentences that tell it, as a bit set."""

    text: list[str]
    places: list[int]

    def support(self, item: StoryItem) -> tuple[int, ...] | None:
        """The sentences that prove an answer; None where others would do it than those that tell its support."""
        reader = Reader(len(item.reader.stay), len(item.reader.holder), item.reader.world)
        for sentence, place in zip(item.sentences, self.places, strict=False):
            reader.tell(sentence, place)
        needed = 0
        for index in item.support:
            needed |= reader.labels[index]
        return lines(needed) if canonical_support(reader, item.question) == needed else None


def freely_told(
    renderer: Renderer, items: Sequence[StoryItem], share: float, rng: Random, where: str
) -> tuple[list[str], list[tuple[int, ...]]]:
    """The text of a story with this share of freer forms, and the sentences that support each of its items.

    Raises:
        UserError: There are no such forms for the renderer's words.
    """
    sentences, forms = items[-1].sentences, prose_forms(renderer.vocabulary, where)
    for _ in range(_TRIES):
        told = _tell(renderer, forms, sentences, share, rng)
        found = [told.support(item) for item in items]
        supports = [each for each in found if each is not None]
        if len(supports) == len(items):
            return told.text, supports
    return renderer.story(sentences, rng), [item.support for item in items]


def _tell(renderer: Renderer, forms: Prose, sentences: Sequence[Sentence], share: float, rng: Random) -> Told:
    told = Told([], [])
    index = 0
    while index < len(sentences):
        said = sentences[index]
        after = sentences[index + 1] if index + 1 < len(sentences) else None
        referred = index + 2 < len(sentences) and sentences[index + 2].pronoun
        line, chance = 1 << len(told.text), rng.random()
        spoken: Sequence[str] | None = None
        if rng.random() < share:
            if after is not None and chance < _JOIN_CHANCE:
                joined = _joined(renderer, forms, said, after, referred, rng)
                if joined:
                    told.text.append(joined)
                    told.places.extend((line, line))
                    index += 2
                    continue
            elif not said.pronoun and said.kind < len(kinds.KINDS):
                spoken = _alone(renderer, forms, said, after is None or not after.pronoun, chance, rng)
        spoken = spoken or renderer.story([said], rng)
        told.text.extend(spoken)
        told.places.append(line | line << 1 if len(spoken) == 2 else line)
        index += 1
    return told


def _alone(
    renderer: Renderer, forms: Prose, said: Sentence, may_split: bool, chance: float, rng: Random
) -> Sequence[str] | None:
    """An event in two sentences, with an opening, or in other words."""
    name = kinds.KINDS[said.kind]
    if may_split and chance < _JOIN_CHANCE + _PAIR_CHANCE and forms.pairs.get(name):
        pair = pick(rng, forms.pairs[name])
        return [_filled(renderer, said, form, rng) for form in pair]
    opened = forms.opened.get(name) or forms.opened.get("any")
    if chance < _JOIN_CHANCE + _PAIR_CHANCE + _OPEN_CHANCE and opened:
        return [_filled(renderer, said, opened, rng, pick(rng, forms.openings))]
    others = forms.alone.get(name)
    return [_filled(renderer, said, pick(rng, others), rng)] if others else None


def _joined(
    renderer: Renderer, forms: Prose, said: Sentence, after: Sentence, referred: bool, rng: Random
) -> str | None:
    """Two events in one sentence, if they can be."""
    first = renderer.story([said], rng)[0].removesuffix(".")
    people = (after.first, after.second) if after.kind == kinds.CONJ else (after.first,)
    before = (said.first, said.second) if said.kind == kinds.CONJ else (said.first,)
    moves = all(each.kind in (kinds.MOVE, kinds.CONJ, *kinds.POSSESSION) for each in (said, after))
    if people == before and moves and not said.pronoun:
        second = renderer.story([after._replace(pronoun=False)], rng)[0].removesuffix(".")
        rest = second.removeprefix(subject(renderer, after) + " ")
        return pick(rng, forms.same).replace("{a}", first).replace("{rest}", rest) if rest != second else None
    if after.pronoun:
        return None
    second = renderer.story([after], rng)[0].removesuffix(".")
    ordered = forms.orders if moves and not said.pronoun else ()
    pool = [form for form in (*forms.joins, *ordered) if not (referred and turned(form))]
    return capital(pick(rng, pool).replace("{a}", first).replace("{b}", second))


def turned(form: str) -> bool:
    """Whether what happens first is said last."""
    return form.index("{b}") < form.index("{a}")


def subject(renderer: Renderer, said: Sentence) -> str:
    """The name of the person, or the names of the two people, that a sentence begins with."""
    name = renderer.persons[said.first]
    if said.kind != kinds.CONJ:
        return name
    other = renderer.persons[said.second]
    return f"{name} {renderer.conjunction(other)} {other}"


def form_pieces(renderer: Renderer, kind: int, form: str, verb: str, opening: str) -> Iterator[Piece]:
    """The pieces of a sentence in one of the freer forms."""
    head, _, tail = verb.partition(" … ")
    said = {"verb": head, "tail": f" {tail}" if tail else "", "opening": opening}
    for before, field, shape in template_parts(form, "prose"):
        yield before, None
        if field == "sentence":
            yield from renderer.pieces(kind, False, verb, "")
        elif field == "pronoun":
            yield 0, renderer.pronouns
        elif field:
            yield renderer.piece(kind, False, field, shape, said)


def _filled(renderer: Renderer, said: Sentence, form: str, rng: Random, opening: str = "") -> str:
    pieces = form_pieces(renderer, said.kind, form, pick(rng, renderer.verbs[said.kind]), opening)
    return capital("".join(text if names is None else names[said.roles[text]] for text, names in pieces))


def forms_of(vocabulary: Vocabulary) -> Prose | None:
    """The freer forms of the language whose sentences these are, if it has any."""
    return next(
        (known.prose for known in map(language, LANGUAGES) if known.vocabulary.templates == vocabulary.templates), None
    )


def prose_forms(vocabulary: Vocabulary, where: str) -> Prose:
    """The freer forms to tell stories in.

    Raises:
        UserError: There are none for these words.
    """
    forms = forms_of(vocabulary)
    if forms is None:
        raise UserError(
            "prose is told in the sentences of English, German and Spanish, and the vocabulary has its own",
            where=f"{where}: prose",
            hint="leave out prose, or the templates of the vocabulary",
        )
    return forms


class ProseReader:
    """Reads the freer forms of a language: each taken apart into plain sentences, or read by its own pattern.

    Args:
        parser: Reads plain sentences.
        renderer: Says them.
        forms: The freer forms.
    """

    def __init__(self, parser: Parser, renderer: Renderer, forms: Prose) -> None:
        self._parser, self._renderer, self._forms = parser, renderer, forms
        self._pairs = [
            (kind, self._patterns(kind, one), self._patterns(kind, two))
            for kind, name in enumerate(kinds.KINDS)
            for one, two in forms.pairs.get(name, ())
        ]
        self._single = [
            (kind, self._patterns(kind, form))
            for kind, name in enumerate(kinds.KINDS)
            for form in (*forms.alone.get(name, ()), forms.opened.get(name) or forms.opened.get("any", ""))
            if form
        ]

    def _patterns(self, kind: int, form: str) -> list[re.Pattern[str]]:
        verbs, openings = self._renderer.verbs[kind], "|".join(map(re.escape, self._forms.openings))
        whole = "{verb}" not in form and "{sentence}" not in form
        found = []
        for verb in verbs[:1] if whole else verbs:
            pieces = list(form_pieces(self._renderer, kind, form, verb, _OPENING))
            pattern = self._parser.pattern(pieces, self._renderer, self._parser.world.events[kind].sorts)
            found.append(re.compile(pattern.replace(_OPENING, f"(?:{openings})")))
        return found

    def read(
        self, texts: Sequence[str], number: int, names: Names, before: Sentence | None
    ) -> tuple[list[Sentence], int] | None:
        """The events that one or two sentences tell, and how many sentences those are; None for other forms."""
        text = texts[number]
        for kind, patterns in self._single:
            fields = _match(patterns, text)
            if fields is not None:
                return [self._parser.told(kind, fields, names)], 1
        for kind, one, two in self._pairs if number + 1 < len(texts) else ():
            first, second = _match(one, text), _match(two, texts[number + 1])
            if first is None or second is None:
                continue
            if all(second[role] == first[role] for role in second.keys() & first.keys() - {0}):
                return [self._parser.told(kind, {**second, **first}, names)], 2
        for first_text, second_text, spoken in self._parts(text):
            if not self._parser.reads(first_text):
                continue
            if not spoken and self._parser.reads(second_text):
                first_event = self._parser.sentence(first_text, names, before)
                return [first_event, self._parser.sentence(second_text, names, first_event)], 1
            if spoken:
                found = self._same(first_text, second_text, names, before)
                if found:
                    return found, 1
        return None

    def _same(self, first: str, rest: str, names: Names, before: Sentence | None) -> list[Sentence] | None:
        """Two events of one subject, who is named once."""
        event = self._parser.sentence(first, names, before)
        people = list(names.persons)
        who = people[event.first]
        if event.kind == kinds.CONJ:
            who = f"{who} {self._renderer.conjunction(people[event.second])} {people[event.second]}"
        if not self._parser.reads(f"{who} {rest}"):
            return None
        return [event, self._parser.sentence(f"{who} {rest}", names, event)._replace(pronoun=True)]

    def _parts(self, text: str) -> Iterator[tuple[str, str, bool]]:
        """The ways to take a sentence apart into two, in the order of events; whether the second lacks its subject."""
        for form in (*self._forms.orders, *self._forms.joins, *self._forms.same):
            head, one, middle, two, end = re.split(r"\{(a|b|rest)\}", form)
            if not text.startswith(head) or not text.endswith(end) or len(text) <= len(head) + len(end):
                continue
            inner = text[len(head) : len(text) - len(end)]
            for cut in re.finditer(re.escape(middle), inner):
                parts = {one: f"{inner[: cut.start()]}.", two: f"{inner[cut.end() :]}."}
                yield parts["a"], parts.get("b") or parts["rest"], "rest" in parts


def _match(patterns: Sequence[re.Pattern[str]], text: str) -> dict[int, str] | None:
    for pattern in patterns:
        found = pattern.fullmatch(text)
        if found:
            return {int(name[1:]): said for name, said in found.groupdict().items() if said is not None}
    return None
