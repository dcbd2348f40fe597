"""The lenient reader on answers in the languages that the families speak besides English."""

from __future__ import annotations

import pytest

from taskloom.ask import judge_answer
from taskloom.core import open_suite

RIGHT = {
    "de": (
        "{A}.", "Der {A}.", "im {A}", "{P} ist im {A}.", "Sie ist im {A}.", "Die Antwort ist {A}.", "Antwort: {A}",
        "Die Antwort lautet: {A}", "**Antwort:** im {A}", "Die richtige Antwort ist der {A}.", "Also: {A}",
        "{P} befindet sich im {A}.", "{P} ist jetzt im {A}.", "Daher ist {P} im {A}.", "Ich denke, es ist der {A}.",
        "Laut der Geschichte ist {P} im {A}.", "Am Ende ist {P} im {A}.", "Es ist der {A}.",
    ),
    "es": (
        "El {A}.", "{P} está en el {A}.", "En el {A}.", "Está en el {A}.", "La respuesta es {A}.", "Respuesta: {A}",
        "**Respuesta:** el {A}", "La respuesta correcta es el {A}.", "{P} se encuentra en el {A}.", "Es el {A}.",
        "Por lo tanto, {P} está en el {A}.", "Creo que está en el {A}.", "Según la historia, {P} está en el {A}.",
        "Al final, {P} está en el {A}.",
    ),
}  # fmt: skip
WRONG = {
    "de": (
        "nicht im {A}", "{P} ist nicht im {A}.", "{A} oder Küche", "entweder im {A} oder im Büro", "vielleicht im {A}",
        "Die Antwort ist nicht {A}.", "Ich weiß es nicht, vielleicht {A}.", "kein {A}", "{P} ist im Büro.",
        "weder im {A} noch im Büro", "Möglicherweise im {A}.", "Es könnte der {A} sein.",
    ),
    "es": (
        "{P} no está en el {A}.", "{A} o cocina", "o el {A} o la oficina", "quizás el {A}", "Tal vez en el {A}.",
        "La respuesta no es {A}.", "No sé, quizás {A}.", "ni en el {A} ni en la oficina", "Podría ser el {A}.",
        "¿El {A}?", "{P} está en la oficina.", "No es el {A}.", "Posiblemente el {A}.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", ["de", "es"])
def test_where_somebody_is(language):
    suite = open_suite("babi/task-1", options={"language": language}, seed=0)
    row = next(iter(suite.draw("test")))
    task, answer = suite.tasks[row.task], row.instance.targets.canonical()
    person = row.instance.input.rstrip("?").split()[-1]
    for credit, sayings in ((1.0, RIGHT[language]), (0.0, WRONG[language])):
        for saying in sayings:
            said = saying.format(A=answer, P=person)
            assert (judge_answer(task, row.instance, said).score or 0.0) == credit, said


@pytest.mark.parametrize("language", ["de", "es"])
def test_yes_and_no(language):
    suite = open_suite("babi/task-6", options={"language": language}, seed=0)
    says, denies, either = {
        "de": ("Die Antwort ist {}.", "Die Antwort ist nicht {}.", "entweder {} oder {}"),
        "es": ("La respuesta es {}.", "La respuesta no es {}.", "o {} o {}"),
    }[language]
    for row, _ in zip(suite.draw("test"), range(12), strict=False):
        task, right = suite.tasks[row.task], row.instance.targets.canonical()
        wrong = next(label for label in task.labels if label != right)
        scores = [
            judge_answer(task, row.instance, said).score or 0.0
            for said in (
                f"{right.capitalize()}.",
                says.format(right),
                denies.format(right),
                either.format(right, wrong),
            )
        ]
        assert scores == [1.0, 1.0, 0.0, 0.0], right
