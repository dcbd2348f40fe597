"""Whether the events and questions of a recipe's own can be said, and told apart from all others."""

from __future__ import annotations

from collections import Counter

from taskloom.core import UserError
from taskloom.families.babi.own_events import sentence_of
from taskloom.families.babi.parse import Names, Parser
from taskloom.families.babi.programs import Program, WorldProgram
from taskloom.families.babi.recipe import CustomRecipe
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.story import KINDS, QUESTION_KINDS, Question, Sentence
from taskloom.families.babi.vocabulary import Vocabulary, template_parts

__all__ = ["check_words"]


def check_words(recipe: CustomRecipe, words: Vocabulary, world: WorldProgram, where: str) -> None:
    """Refuse events and questions of the recipe's own that cannot be said or read like others.

    Raises:
        UserError: Two could be said in the same words, or the vocabulary lacks a form of a noun.
    """
    where = f"{where}: world"
    if recipe.language != "en" and words != recipe.vocabulary:
        raise UserError(
            "custom events have words in only one language",
            where=where,
            hint="leave language out, or give the whole vocabulary in the language of your events",
        )
    for own, record in recipe.world.events.items():
        _check_forms(f"the event {own!r}", record.text, dict(record.roles), words, where)
    for asked, question in recipe.world.questions.items():
        _check_forms(f"the question {asked!r}", question.text, dict(question.roles), words, where)
    renderer, parser = Renderer(words, world), Parser(words, world)
    sizes = {"person": len(words.persons), "object": len(words.objects), "place": len(words.places)}
    for kind, event in enumerate(world.events):
        _check_event(kind, event, renderer, parser, sizes, where)
    for number, (name, question) in enumerate(world.questions):
        seen: Counter[str] = Counter()
        first, second = (*_different(tuple(question.roles.values()), seen, sizes), -1)[:2]
        kind = len(QUESTION_KINDS) + number
        text = renderer.question(Question(kind, first, second))
        found = parser.question(text, Names()).kind
        if found != kind:
            other = world.questions[found - len(QUESTION_KINDS)][0] if found >= len(QUESTION_KINDS) else ""
            other = other or QUESTION_KINDS[found]
            raise UserError(f"the questions {name!r} and {other!r} would have the same text: {text!r}", where=where)


def _check_forms(what: str, text: str, sorts: dict[str, str], words: Vocabulary, where: str) -> None:
    for _, field, form in template_parts(text, "text"):
        if not form:
            continue
        nouns = {"object": words.objects, "place": words.places}.get(sorts.get(field, ""))
        if nouns is None:
            raise UserError(f"{what}: only objects and places have forms, not {field!r}", where=where)
        for noun in nouns:
            if form not in words.forms.get(noun, {}):
                raise UserError(
                    f"{what} needs the form {form!r} of {noun!r}", where=where, hint="add it to vocabulary.forms"
                )


def _different(sorts: tuple[str, ...], seen: Counter[str], sizes: dict[str, int]) -> list[int]:
    """A number for each role, all different as far as there are names."""
    roles = []
    for sort in sorts:
        roles.append(min(seen[sort], sizes[sort] - 1))
        seen[sort] += 1
    return roles


def _check_event(
    kind: int, event: Program, renderer: Renderer, parser: Parser, sizes: dict[str, int], where: str
) -> None:
    seen: Counter[str] = Counter()
    said = sentence_of(kind, _different(event.sorts, seen, sizes))
    for sort, count in seen.items():
        if kind >= len(KINDS) and count > sizes[sort]:
            raise UserError(
                f"the event {event.name!r} takes {count} {sort}s, and the vocabulary has {sizes[sort]}", where=where
            )
    for text in renderer.forms(said):
        names = Names()
        try:
            found = parser.sentence(text, names, None)
        except UserError as problem:
            raise UserError(f"{event.name} cannot be read: {problem.message}", where=where) from None
        if found.kind != kind:
            other = parser.world.events[found.kind].name
            raise UserError(f"{event.name} and {other} would have the same text: {text!r}", where=where)
        if _named(found, event, names) != _spoken(said, event, renderer):
            raise UserError(f"{event.name}: a reader cannot tell the roles apart in {text!r}", where=where)


def _roles(sentence: Sentence, event: Program) -> list[tuple[str, int]]:
    numbers = (sentence.first, sentence.second, sentence.third, sentence.fourth)
    return list(zip(event.sorts, numbers, strict=False))


def _named(sentence: Sentence, event: Program, names: Names) -> list[str]:
    """Who and what a sentence that was read is about."""
    known = {"person": list(names.persons), "object": list(names.objects), "place": list(names.places)}
    return [known[sort][number] for sort, number in _roles(sentence, event)]


def _spoken(sentence: Sentence, event: Program, renderer: Renderer) -> list[str]:
    """Who and what a sentence that is said is about."""
    known = {"person": renderer.persons, "object": renderer.objects, "place": renderer.places}
    return [known[sort][number] for sort, number in _roles(sentence, event)]
