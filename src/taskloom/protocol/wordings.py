"""Wordings of an instruction: the definition and the answer format in other words, in frames with slots for both.

Which wording a model happens to be shown moves its score, and nobody knows the right one. Runs with `--wordings n` draw
one of n for each instance by key, so that the spread over wordings can be separated from the spread over instances.
"""

from __future__ import annotations

from taskloom.core import Instance, Task, UserError, keyed_random
from taskloom.protocol.formats import language_of
from taskloom.protocol.paraphrase import paraphrase

_TEMPLATES = {
    "en": (
        "{definition} {format}",
        "Here is your task. {definition} {format}",
        "{definition}\n{format}",
        "Please do the following. {definition} {format}",
        "Instructions: {definition}\nForm of the answer: {format}",
        "{format} This is what is asked: {definition}",
        "Read the instructions carefully and follow them. {definition} {format}",
        "You will be given one input. {definition} {format}",
        "Your job: {definition} {format} Nothing else is needed.",
        "Solve this task as well as you can. {definition} {format}",
        "Task description: {definition}\n\nHow to answer: {format}",
        "I need your help with a task. {definition} {format} Thank you.",
    ),
    "es": (
        "{definition} {format}",
        "Esta es tu tarea. {definition} {format}",
        "{definition}\n{format}",
        "Por favor, haz lo siguiente. {definition} {format}",
        "Instrucciones: {definition}\nForma de la respuesta: {format}",
        "{format} Esto es lo que se pide: {definition}",
        "Lee con atención las instrucciones y síguelas. {definition} {format}",
        "Recibirás una entrada. {definition} {format}",
        "Tu trabajo: {definition} {format} No hace falta nada más.",
        "Resuelve esta tarea lo mejor que puedas. {definition} {format}",
        "Descripción de la tarea: {definition}\n\nCómo responder: {format}",
        "Necesito tu ayuda con una tarea. {definition} {format} Gracias.",
    ),
    "de": (
        "{definition} {format}",
        "Das ist deine Aufgabe. {definition} {format}",
        "{definition}\n{format}",
        "Bitte tu Folgendes. {definition} {format}",
        "Anweisungen: {definition}\nForm der Antwort: {format}",
        "{format} Darum geht es: {definition}",
        "Lies die Anweisungen aufmerksam und befolge sie. {definition} {format}",
        "Du bekommst eine Eingabe. {definition} {format}",
        "Dein Auftrag: {definition} {format} Mehr ist nicht nötig.",
        "Löse diese Aufgabe, so gut du kannst. {definition} {format}",
        "Beschreibung der Aufgabe: {definition}\n\nSo antwortest du: {format}",
        "Ich brauche deine Hilfe bei einer Aufgabe. {definition} {format} Danke.",
    ),
}
MOST_WORDINGS = len(_TEMPLATES["en"])


def wordings(count: int) -> int:
    """A number of wordings, checked.

    Raises:
        UserError: Fewer than one, or more than there are.
    """
    if not 1 <= count <= MOST_WORDINGS:
        raise UserError(f"there are 1 to {MOST_WORDINGS} wordings, not {count}", where="--wordings")
    return count


def draw_wording(task: Task, instance: Instance, count: int, seed: int) -> int:
    """Which wording an instance is asked under: the same in every run with the same seed."""
    if count <= 1:
        return 0
    return keyed_random("wording", seed, count, task.name, instance.id).randrange(count)


def reword(task: Task, form: str, wording: int) -> str:
    """The definition with its answer format, in one of the wordings: both in other words, and in another frame."""
    template = _TEMPLATES[language_of(task)][wording]
    definition = paraphrase(task.instruction.definition, wording)
    # Definitions may hold braces, so the slots are filled by replacement, the format first.
    return template.replace("{format}", paraphrase(form, wording)).replace("{definition}", definition).strip()
