"""Tasks on the form of sentences: find errors, correct them, transform sentences."""

from __future__ import annotations

from random import Random

from taskloom.core import Blueprint
from taskloom.families.superni.embedded.sentences import (
    PEOPLE_ES,
    correct_articles,
    draw_sentence,
    parse,
    parse_es,
    present_or_past_es,
    with_articles,
)
from taskloom.families.superni.embedded.words import ADJECTIVES, VERBS

__all__ = ["TASKS"]

_CORRECT = "Grammar Error Correction"
_DETECT = "Grammar Error Detection"
_TRANSFORM = "Sentence Transformation"


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


_corrections = [
    Blueprint(
        "fix_verb_form",
        _CORRECT,
        "In the sentence the verb lacks the ending that it needs after a single person in the present tense (she "
        "buys, he sees). Correct the verb and write the whole sentence. Change nothing else.",
        _plain_verb,
        _agree,
        [
            ("Anna buy the red hat in Rome.", "After Anna the verb is 'buys'."),
            ("Paul see the old house in Oslo.", "After Paul the verb is 'sees'."),
        ],
        [("Anna buy the red hat in Rome.", "Anna bought the red hat in Rome.", "The sentence was moved to the past.")],
    ),
    Blueprint(
        "fix_article",
        _CORRECT,
        "One of the articles a and an in the sentence is wrong. 'an' stands before a word that begins with the "
        "letter a, e, i, o or u, 'a' before all others. Write the sentence with the right article and change nothing "
        "else.",
        lambda rng: with_articles(rng, wrong=True),
        correct_articles,
        [
            ("Anna bought a egg and a hat in Rome.", "'egg' begins with e and takes 'an'."),
            ("Paul saw an apple and an dog in Oslo.", "'dog' takes 'a'; 'an apple' was right."),
        ],
        [("Anna bought a egg and a hat in Rome.", "Anna bought an egg and an hat in Rome.", "'a hat' was right.")],
    ),
    Blueprint(
        "remove_doubled_word",
        _CORRECT,
        "In the sentence one word was written twice in a row by mistake. Write the sentence with that word only once.",
        _doubled,
        _undouble,
        [
            ("Anna buys the the red hat in Rome.", "'the' was doubled."),
            ("Paul sees sees the old house in Oslo.", "'sees' was doubled."),
        ],
        [("Paul sees sees the old house in Oslo.", "Paul the old house in Oslo.", "The word must stay once.")],
    ),
    Blueprint(
        "corregir_concordancia",
        _CORRECT,
        "El adjetivo de la frase no concuerda en género con su sustantivo. Corrígelo y escribe la frase entera sin "
        "cambiar nada más.",
        _disagree,
        lambda text: parse_es(text).spanish(),
        [
            ("Marta compra el sombrero roja en Roma.", "Sombrero es masculino: rojo."),
            ("Luis ve la casa viejo en Oslo.", "Casa es femenino: vieja."),
        ],
        [
            (
                "Luis ve la casa viejo en Oslo.",
                "Luis ve el casa viejo en Oslo.",
                "Se cambió el artículo en lugar del adjetivo.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    ),
    Blueprint(
        "corregir_articulo",
        _CORRECT,
        "El artículo de la frase (el o la) no tiene el género de su sustantivo. Corrígelo y escribe la frase entera "
        "sin cambiar nada más.",
        _other_article,
        _mend_article_es,
        [
            ("Marta compra la sombrero rojo en Roma.", "Sombrero es masculino: el."),
            ("Luis ve el casa vieja en Oslo.", "Casa es femenino: la."),
        ],
        [("Luis ve el casa vieja en Oslo.", "Luis ve el casa viejo en Oslo.", "El error está en el artículo.")],
        language="Spanish",
        instruction_language="Spanish",
    ),
]


def _maybe_wrong_verb(rng: Random) -> str:
    sentence = draw_sentence(rng)
    return sentence.english(rng.choice([sentence.verb.base, sentence.verb.third]))


_RIGHT_WRONG = ("correct", "incorrect")

_detections = [
    Blueprint(
        "judge_verb_form",
        _DETECT,
        "Say whether the verb of the sentence has the form it needs after a single person in the present tense (she "
        "buys, he sees). Answer correct or incorrect.",
        _maybe_wrong_verb,
        lambda text: "correct" if _agree(text) == text else "incorrect",
        [
            ("Anna buys the red hat in Rome.", "'buys' fits Anna."),
            ("Paul see the old house in Oslo.", "It should be 'sees'."),
        ],
        [("Paul see the old house in Oslo.", "correct", "The ending -s is missing.")],
        labels=_RIGHT_WRONG,
    ),
    Blueprint(
        "judge_articles",
        _DETECT,
        "Check the articles a and an: 'an' stands before a word that begins with the letter a, e, i, o or u, 'a' "
        "before all others. Answer correct if all articles are right, else incorrect.",
        lambda rng: with_articles(rng, wrong=rng.random() < 0.5),
        lambda text: "correct" if correct_articles(text) == text else "incorrect",
        [
            ("Anna bought an egg and a hat in Rome.", "Both articles are right."),
            ("Paul saw an dog and a car in Oslo.", "It should be 'a dog'."),
        ],
        [("Paul saw an dog and a car in Oslo.", "correct", "'dog' does not begin with a vowel.")],
        labels=_RIGHT_WRONG,
    ),
    Blueprint(
        "juzgar_concordancia",
        _DETECT,
        "Di si el adjetivo concuerda en género con el sustantivo al que acompaña. Responde correcta si la frase está "
        "bien e incorrecta si no lo está.",
        lambda rng: _disagree(rng, wrong=rng.random() < 0.5),
        lambda text: "correcta" if parse_es(text).spanish() == text else "incorrecta",
        [
            ("Luis ve la casa vieja en Oslo.", "Casa y vieja son femeninas."),
            ("Marta compra el sombrero roja en Roma.", "Debería ser rojo."),
        ],
        [("Marta compra el sombrero roja en Roma.", "correcta", "Sombrero es masculino y roja femenino.")],
        labels=("correcta", "incorrecta"),
        language="Spanish",
        instruction_language="Spanish",
    ),
]

_transformations = [
    Blueprint(
        "to_past_tense",
        _TRANSFORM,
        "Put the sentence into the simple past by changing its verb; many verbs are irregular (buys becomes bought). "
        "All other words stay as they are.",
        lambda rng: draw_sentence(rng).english(),
        lambda text: parse(text).english(parse(text).verb.past),
        [
            ("Anna buys the red hat in Rome.", "The past of 'buys' is 'bought'."),
            ("Paul paints the old house in Oslo.", "'paint' is regular."),
        ],
        [("Anna buys the red hat in Rome.", "Anna buyed the red hat in Rome.", "'buy' is irregular.")],
    ),
    Blueprint(
        "negate_sentence",
        _TRANSFORM,
        "Say the opposite by negating the verb: put 'does not' before it and use its base form, without the ending. "
        "All other words stay.",
        lambda rng: draw_sentence(rng).english(),
        lambda text: parse(text).english(f"does not {parse(text).verb.base}"),
        [
            ("Anna buys the red hat in Rome.", "'does not buy'."),
            ("Paul sees the old house in Oslo.", "'sees' loses its s after 'does not'."),
        ],
        [("Paul sees the old house in Oslo.", "Paul does not sees the old house in Oslo.", "The base form is 'see'.")],
    ),
    Blueprint(
        "make_question",
        _TRANSFORM,
        "Turn the statement into a question that can be answered with yes or no: begin with 'Does', then the person, "
        "then the base form of the verb and the rest. End with a question mark instead of the full stop.",
        lambda rng: draw_sentence(rng).english(),
        lambda text: "Does " + parse(text).english(parse(text).verb.base).replace(".", "?"),
        [
            ("Anna buys the red hat in Rome.", "'buys' becomes 'buy' after 'Does'."),
            ("Paul sees the old house in Oslo.", "The mark changes too."),
        ],
        [
            (
                "Anna buys the red hat in Rome.",
                "Does Anna buys the red hat in Rome?",
                "After 'Does' the verb loses its s.",
            )
        ],
    ),
    Blueprint(
        "to_passive",
        _TRANSFORM,
        "Rewrite the sentence in the passive voice, present tense: the thing comes first, then 'is' with the "
        "participle of the verb, then 'by' and the person, then the place. Begin with a capital and end with a full "
        "stop.",
        lambda rng: draw_sentence(rng).english(),
        lambda text: (
            f"The {parse(text).adjective.english} {parse(text).noun.english} is {parse(text).verb.participle} by "
            f"{parse(text).name} in {parse(text).city}."
        ),
        [
            ("Anna buys the red hat in Rome.", "The participle of 'buy' is 'bought'."),
            ("Paul sees the old house in Oslo.", "'seen' is the participle."),
        ],
        [
            (
                "Paul sees the old house in Oslo.",
                "The old house is saw by Paul in Oslo.",
                "'saw' is the past, not the participle.",
            )
        ],
    ),
    Blueprint(
        "negar_frase",
        _TRANSFORM,
        "Niega la frase poniendo la palabra no justo delante del verbo. Las demás palabras se quedan como están.",
        present_or_past_es,
        lambda text: text.replace(" ", " no ", 1),
        [
            ("Marta compra el sombrero rojo en Roma.", "No va delante de compra."),
            ("Luis vio la casa vieja en Oslo.", "El verbo es vio."),
        ],
        [
            (
                "Luis vio la casa vieja en Oslo.",
                "No Luis vio la casa vieja en Oslo.",
                "No va delante del verbo, no del nombre.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    ),
    Blueprint(
        "poner_en_pasado",
        _TRANSFORM,
        "Pon la frase en pasado cambiando el verbo al pretérito (compra pasa a compró). Las demás palabras se quedan "
        "como están.",
        lambda rng: draw_sentence(rng, PEOPLE_ES).spanish(),
        lambda text: parse_es(text).spanish(parse_es(text).verb.spanish_past),
        [
            ("Marta compra el sombrero rojo en Roma.", "Compra pasa a compró."),
            ("Luis ve la casa vieja en Oslo.", "Ve pasa a vio."),
        ],
        [
            (
                "Luis ve la casa vieja en Oslo.",
                "Luis veía la casa vieja en Oslo.",
                "Se pide el pretérito, no el imperfecto.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    ),
]

TASKS: list[Blueprint] = [*_corrections, *_detections, *_transformations]
