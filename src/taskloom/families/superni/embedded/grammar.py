"""Tasks on the form of sentences: find errors, correct them, transform sentences."""

from __future__ import annotations

from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import (
    ADJECTIVES,
    PEOPLE_ES,
    VERBS,
    correct_articles,
    decided,
    draw_sentence,
    parse,
    parse_es,
    present_or_past_es,
    with_articles,
)


def _plain_verb(rng: Random) -> str:
    sentence = draw_sentence(rng)
    return sentence.english(sentence.verb.base)


def _agree(text: str) -> str:
    words = text.split()
    verb = next((verb for verb in VERBS if verb.base == words[1]), None)
    words[1] = verb.third if verb else words[1]
    return " ".join(words)


def _doubled(rng: Random) -> str:
    words = draw_sentence(rng).english().split()
    place = rng.randrange(1, len(words) - 1)
    return " ".join([*words[: place + 1], *words[place:]])


def _undouble(text: str) -> str:
    words = text.split()
    return " ".join(word for index, word in enumerate(words) if index == 0 or word != words[index - 1])


_MARKED = [adjective for adjective in ADJECTIVES if adjective.masculine != adjective.feminine]


def _disagree(rng: Random, wrong: bool = True) -> str:
    sentence = draw_sentence(rng, PEOPLE_ES)._replace(adjective=rng.choice(_MARKED))
    text = sentence.spanish()
    right = sentence.adjective.spanish(sentence.noun)
    other = sentence.adjective.feminine if right == sentence.adjective.masculine else sentence.adjective.masculine
    return text.replace(f" {right} en ", f" {other} en ") if wrong else text


def _other_article(rng: Random) -> str:
    words = draw_sentence(rng, PEOPLE_ES).spanish().split()
    words[2] = {"el": "la", "la": "el"}[words[2]]
    return " ".join(words)


def _mend_article_es(text: str) -> str:
    words = text.split()
    words[2] = parse_es(text).noun.article
    return " ".join(words)


def _maybe_wrong_verb(rng: Random) -> str:
    sentence = draw_sentence(rng)
    return sentence.english(rng.choice([sentence.verb.base, sentence.verb.third]))


def _present(rng: Random) -> str:
    return draw_sentence(rng).english()


def _passive(text: str) -> str:
    name, verb, adjective, noun, city = parse(text)
    return f"The {adjective.english} {noun.english} is {verb.participle} by {name} in {city}."


TASKS: dict[str, TaskCode] = {
    "fix_verb_form": (_plain_verb, _agree),
    "fix_article": (lambda rng: with_articles(rng, wrong=True), correct_articles),
    "remove_doubled_word": (_doubled, _undouble),
    "corregir_concordancia": (_disagree, lambda text: parse_es(text).spanish()),
    "corregir_articulo": (_other_article, _mend_article_es),
    "judge_verb_form": (_maybe_wrong_verb, decided(lambda text: _agree(text) == text, "correct", "incorrect")),
    "judge_articles": (
        lambda rng: with_articles(rng, wrong=rng.random() < 0.5),
        decided(lambda text: correct_articles(text) == text, "correct", "incorrect"),
    ),
    "juzgar_concordancia": (
        lambda rng: _disagree(rng, wrong=rng.random() < 0.5),
        decided(lambda text: parse_es(text).spanish() == text, "correcta", "incorrecta"),
    ),
    "to_past_tense": (_present, lambda text: parse(text).english(parse(text).verb.past)),
    "negate_sentence": (_present, lambda text: parse(text).english(f"does not {parse(text).verb.base}")),
    "make_question": (
        _present,
        lambda text: "Does " + parse(text).english(parse(text).verb.base).replace(".", "?"),
    ),
    "to_passive": (_present, _passive),
    "negar_frase": (present_or_past_es, lambda text: text.replace(" ", " no ", 1)),
    "poner_en_pasado": (
        lambda rng: draw_sentence(rng, PEOPLE_ES).spanish(),
        lambda text: parse_es(text).spanish(parse_es(text).verb.spanish_past),
    ),
}
