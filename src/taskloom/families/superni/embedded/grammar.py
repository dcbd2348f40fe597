"""Tasks on the form of sentences: find errors, correct them, transform sentences."""

from __future__ import annotations

from random import Random

from taskloom.author import Blueprint, task
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
    task(
        name="fix_verb_form",
        category=_CORRECT,
        definition=(
            "In the sentence the verb lacks the ending that it needs after a single person in the present tense (she "
            "buys, he sees). Correct the verb and write the whole sentence. Change nothing else."
        ),
        solve=_agree,
        right=[
            ("Anna buy the red hat in Rome.", "After Anna the verb is 'buys'."),
            ("Paul see the old house in Oslo.", "After Paul the verb is 'sees'."),
        ],
        wrong=[
            ("Anna buy the red hat in Rome.", "Anna bought the red hat in Rome.", "The sentence was moved to the past.")
        ],
    )(_plain_verb),
    task(
        name="fix_article",
        category=_CORRECT,
        definition=(
            "One of the articles a and an in the sentence is wrong. 'an' stands before a word that begins with the "
            "letter a, e, i, o or u, 'a' before all others. Write the sentence with the right article and change "
            "nothing else."
        ),
        solve=correct_articles,
        right=[
            ("Anna bought a egg and a hat in Rome.", "'egg' begins with e and takes 'an'."),
            ("Paul saw an apple and an dog in Oslo.", "'dog' takes 'a'; 'an apple' was right."),
        ],
        wrong=[
            ("Anna bought a egg and a hat in Rome.", "Anna bought an egg and an hat in Rome.", "'a hat' was right.")
        ],
    )(lambda rng: with_articles(rng, wrong=True)),
    task(
        name="remove_doubled_word",
        category=_CORRECT,
        definition=(
            "In the sentence one word was written twice in a row by mistake. Write the sentence with that word only "
            "once."
        ),
        solve=_undouble,
        right=[
            ("Anna buys the the red hat in Rome.", "'the' was doubled."),
            ("Paul sees sees the old house in Oslo.", "'sees' was doubled."),
        ],
        wrong=[("Paul sees sees the old house in Oslo.", "Paul the old house in Oslo.", "The word must stay once.")],
    )(_doubled),
    task(
        name="corregir_concordancia",
        category=_CORRECT,
        definition=(
            "El adjetivo de la frase no concuerda en género con su sustantivo. Corrígelo y escribe la frase entera sin "
            "cambiar nada más."
        ),
        solve=lambda text: parse_es(text).spanish(),
        right=[
            ("Marta compra el sombrero roja en Roma.", "Sombrero es masculino: rojo."),
            ("Luis ve la casa viejo en Oslo.", "Casa es femenino: vieja."),
        ],
        wrong=[
            (
                "Luis ve la casa viejo en Oslo.",
                "Luis ve el casa viejo en Oslo.",
                "Se cambió el artículo en lugar del adjetivo.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(_disagree),
    task(
        name="corregir_articulo",
        category=_CORRECT,
        definition=(
            "El artículo de la frase (el o la) no tiene el género de su sustantivo. Corrígelo y escribe la frase "
            "entera sin cambiar nada más."
        ),
        solve=_mend_article_es,
        right=[
            ("Marta compra la sombrero rojo en Roma.", "Sombrero es masculino: el."),
            ("Luis ve el casa vieja en Oslo.", "Casa es femenino: la."),
        ],
        wrong=[("Luis ve el casa vieja en Oslo.", "Luis ve el casa viejo en Oslo.", "El error está en el artículo.")],
        language="Spanish",
        instruction_language="Spanish",
    )(_other_article),
]


def _maybe_wrong_verb(rng: Random) -> str:
    sentence = draw_sentence(rng)
    return sentence.english(rng.choice([sentence.verb.base, sentence.verb.third]))


_RIGHT_WRONG = ("correct", "incorrect")

_detections = [
    task(
        name="judge_verb_form",
        category=_DETECT,
        definition=(
            "Say whether the verb of the sentence has the form it needs after a single person in the present tense "
            "(she buys, he sees). Answer correct or incorrect."
        ),
        solve=lambda text: "correct" if _agree(text) == text else "incorrect",
        right=[
            ("Anna buys the red hat in Rome.", "'buys' fits Anna."),
            ("Paul see the old house in Oslo.", "It should be 'sees'."),
        ],
        wrong=[("Paul see the old house in Oslo.", "correct", "The ending -s is missing.")],
        labels=_RIGHT_WRONG,
    )(_maybe_wrong_verb),
    task(
        name="judge_articles",
        category=_DETECT,
        definition=(
            "Check the articles a and an: 'an' stands before a word that begins with the letter a, e, i, o or u, 'a' "
            "before all others. Answer correct if all articles are right, else incorrect."
        ),
        solve=lambda text: "correct" if correct_articles(text) == text else "incorrect",
        right=[
            ("Anna bought an egg and a hat in Rome.", "Both articles are right."),
            ("Paul saw an dog and a car in Oslo.", "It should be 'a dog'."),
        ],
        wrong=[("Paul saw an dog and a car in Oslo.", "correct", "'dog' does not begin with a vowel.")],
        labels=_RIGHT_WRONG,
    )(lambda rng: with_articles(rng, wrong=rng.random() < 0.5)),
    task(
        name="juzgar_concordancia",
        category=_DETECT,
        definition=(
            "Di si el adjetivo concuerda en género con el sustantivo al que acompaña. Responde correcta si la frase "
            "está bien e incorrecta si no lo está."
        ),
        solve=lambda text: "correcta" if parse_es(text).spanish() == text else "incorrecta",
        right=[
            ("Luis ve la casa vieja en Oslo.", "Casa y vieja son femeninas."),
            ("Marta compra el sombrero roja en Roma.", "Debería ser rojo."),
        ],
        wrong=[("Marta compra el sombrero roja en Roma.", "correcta", "Sombrero es masculino y roja femenino.")],
        labels=("correcta", "incorrecta"),
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _disagree(rng, wrong=rng.random() < 0.5)),
]

_transformations = [
    task(
        name="to_past_tense",
        category=_TRANSFORM,
        definition=(
            "Put the sentence into the simple past by changing its verb; many verbs are irregular (buys becomes "
            "bought). All other words stay as they are."
        ),
        solve=lambda text: parse(text).english(parse(text).verb.past),
        right=[
            ("Anna buys the red hat in Rome.", "The past of 'buys' is 'bought'."),
            ("Paul paints the old house in Oslo.", "'paint' is regular."),
        ],
        wrong=[("Anna buys the red hat in Rome.", "Anna buyed the red hat in Rome.", "'buy' is irregular.")],
    )(lambda rng: draw_sentence(rng).english()),
    task(
        name="negate_sentence",
        category=_TRANSFORM,
        definition=(
            "Say the opposite by negating the verb: put 'does not' before it and use its base form, without the "
            "ending. All other words stay."
        ),
        solve=lambda text: parse(text).english(f"does not {parse(text).verb.base}"),
        right=[
            ("Anna buys the red hat in Rome.", "'does not buy'."),
            ("Paul sees the old house in Oslo.", "'sees' loses its s after 'does not'."),
        ],
        wrong=[
            ("Paul sees the old house in Oslo.", "Paul does not sees the old house in Oslo.", "The base form is 'see'.")
        ],
    )(lambda rng: draw_sentence(rng).english()),
    task(
        name="make_question",
        category=_TRANSFORM,
        definition=(
            "Turn the statement into a question that can be answered with yes or no: begin with 'Does', then the "
            "person, then the base form of the verb and the rest. End with a question mark instead of the full stop."
        ),
        solve=lambda text: "Does " + parse(text).english(parse(text).verb.base).replace(".", "?"),
        right=[
            ("Anna buys the red hat in Rome.", "'buys' becomes 'buy' after 'Does'."),
            ("Paul sees the old house in Oslo.", "The mark changes too."),
        ],
        wrong=[
            (
                "Anna buys the red hat in Rome.",
                "Does Anna buys the red hat in Rome?",
                "After 'Does' the verb loses its s.",
            )
        ],
    )(lambda rng: draw_sentence(rng).english()),
    task(
        name="to_passive",
        category=_TRANSFORM,
        definition=(
            "Rewrite the sentence in the passive voice, present tense: the thing comes first, then 'is' with the "
            "participle of the verb, then 'by' and the person, then the place. Begin with a capital and end with a "
            "full stop."
        ),
        solve=lambda text: (
            f"The {parse(text).adjective.english} {parse(text).noun.english} is {parse(text).verb.participle} by "
            f"{parse(text).name} in {parse(text).city}."
        ),
        right=[
            ("Anna buys the red hat in Rome.", "The participle of 'buy' is 'bought'."),
            ("Paul sees the old house in Oslo.", "'seen' is the participle."),
        ],
        wrong=[
            (
                "Paul sees the old house in Oslo.",
                "The old house is saw by Paul in Oslo.",
                "'saw' is the past, not the participle.",
            )
        ],
    )(lambda rng: draw_sentence(rng).english()),
    task(
        name="negar_frase",
        category=_TRANSFORM,
        definition=(
            "Niega la frase poniendo la palabra no justo delante del verbo. Las demás palabras se quedan como están."
        ),
        solve=lambda text: text.replace(" ", " no ", 1),
        right=[
            ("Marta compra el sombrero rojo en Roma.", "No va delante de compra."),
            ("Luis vio la casa vieja en Oslo.", "El verbo es vio."),
        ],
        wrong=[
            (
                "Luis vio la casa vieja en Oslo.",
                "No Luis vio la casa vieja en Oslo.",
                "No va delante del verbo, no del nombre.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(present_or_past_es),
    task(
        name="poner_en_pasado",
        category=_TRANSFORM,
        definition=(
            "Pon la frase en pasado cambiando el verbo al pretérito (compra pasa a compró). Las demás palabras se "
            "quedan como están."
        ),
        solve=lambda text: parse_es(text).spanish(parse_es(text).verb.spanish_past),
        right=[
            ("Marta compra el sombrero rojo en Roma.", "Compra pasa a compró."),
            ("Luis ve la casa vieja en Oslo.", "Ve pasa a vio."),
        ],
        wrong=[
            (
                "Luis ve la casa vieja en Oslo.",
                "Luis veía la casa vieja en Oslo.",
                "Se pide el pretérito, no el imperfecto.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: draw_sentence(rng, PEOPLE_ES).spanish()),
]

TASKS: list[Blueprint] = [*_corrections, *_detections, *_transformations]
