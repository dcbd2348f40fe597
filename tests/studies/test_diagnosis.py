"""The diagnosis after a run: each finding where it is due, silence where it is not; both readings; wordings."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core import open_suite
from taskloom.core.catalog import MODELS
from taskloom.core.model import Identity, Limits, Model, Output
from taskloom.run.rescore import rescore
from taskloom.run.results import load_run
from taskloom.run.runner import run_suite
from taskloom.studies import prompt_notes as diagnosis
from taskloom.studies.prompt_notes import (
    asked_notes,
    both_readings,
    diagnose,
    readings_differ,
    speaks_otherwise,
    wordings_part,
)


class ScriptedModel(Model):
    def __init__(self, say, nature="chat"):
        self.identity = Identity("scripted/a")
        self.limits = Limits(batch=64)
        self.nature = nature
        self.cacheable = False
        self.say = say

    def generate(self, requests, generation):
        return [self.say(request) for request in requests]


@pytest.fixture
def ask(tmp_path):
    class Provider:
        def names(self):
            return {}

        def open(self, name, options):
            return ScriptedModel(self.say)

    provider = Provider()

    def run(say, suite="babi/task-1", **settings):
        provider.say = say
        return run_suite(open_suite(suite, seed=1), model="scripted/a", folder=tmp_path / "run", limit=40, **settings)

    with MODELS.lend("scripted", provider):
        yield run


def right(request):
    return request.instance.targets.canonical()


def test_right_answers_in_ordinary_words_count_and_both_readings_are_shown(ask):
    run = ask(lambda request: Output(f"It's the {right(request)}."))
    assert run.overall().estimate.value == 1.0
    readings = both_readings(run)
    assert readings["strict"].value == 0.0
    assert readings["lenient"].value == 1.0
    (sentence, *_) = diagnose(run)
    assert "strict 0.000, lenient 1.000" in sentence
    assert "40 of 40" in sentence
    assert {record.protocol for record in run.records} == {"chat"}
    assert run.plan.protocol["reason"]


def test_a_finished_run_is_read_again(ask):
    run = ask(lambda request: Output(f"**{right(request)}**"), protocol="bare")
    assert run.overall().estimate.value == 0.0
    assert load_run(rescore(run.folder, reader="lenient")).overall().estimate.value == 1.0
    assert load_run(rescore(run.folder, reader="strict")).overall().estimate.value == 0.0


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (lambda request: Output("garden"), "All 40 answers are 'garden'"),
        (lambda request: Output("I would have to think about", "truncated"), "cut off"),
        (lambda request: Output(request.instance.input), "repeat the prompt"),
        (lambda request: Output("La respuesta es que la persona no se encuentra en el lugar"), "another language"),
        (lambda request: Output(f"Story {request.instance.id} mentions the {right(request)} among other rooms"),
         "target occurs in"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_named_with_counts(ask, say, words):
    assert any(words in sentence for sentence in diagnose(ask(say)))


def test_nothing_is_said_of_a_run_without_trouble(ask):
    assert diagnose(ask(lambda request: Output(right(request)))) == []


def test_one_label_takes_all(ask):
    run = ask(lambda request: Output("no" if request.instance.id[-1] != "x" else "yes"), suite="babi/task-6")
    assert any("40 answers are 'no'" in sentence for sentence in diagnose(run))


def test_wordings_are_a_facet(ask):
    run = ask(lambda request: Output(right(request)), wordings=3)
    assert set(run.by_facet("wording")) == {("0",), ("1",), ("2",)}
    assert run.plan.protocol["wordings"] == 3
    assert wordings_part(run) == "3 wordings: 1.000 to 1.000, standard deviation 0.000"


def test_runs_that_were_asked_unlike_are_not_ranked_silently(ask, tmp_path):
    first = ask(lambda request: Output(right(request)), protocol="chat")
    second = run_suite(
        open_suite("babi/task-1", seed=1), model="scripted/a", folder=tmp_path / "other", limit=40, protocol="base"
    )
    names = {id(first): "first", id(second): "second"}
    assert any("not asked in the same way" in note for note in asked_notes([first, second], names))
    assert not any("not asked in the same way" in note for note in asked_notes([first, first], names))


def test_every_protocol_of_a_table_is_named(tmp_path):
    def asked(protocol):
        suite = open_suite("babi/task-1", seed=1)
        return run_suite(suite, model="mock/oracle", folder=tmp_path / protocol, limit=4, protocol=protocol)

    runs = [asked("bare"), asked("fitted"), asked("bare")]
    (note,) = [note for note in asked_notes(runs, {id(run): "a run" for run in runs}) if note.startswith("Asked by")]
    assert note.count("protocol bare") == note.count("protocol fitted") == 1


ASKED = {
    "en": "You are given a story and asked where the person is at the end of it. Where is Mary?",
    "es": "Lees una historia y se te pregunta dónde está una persona al final. ¿Dónde está María?",
    "de": "Du liest eine Geschichte und wirst gefragt, wo eine Person am Ende ist. Wo ist die Maria?",
}
SAID = {
    "en": "The answer is the garden, and that is where the story ends.",
    "es": "La respuesta es el jardín, que es donde termina la historia.",
    "de": "Die Antwort ist der Garten, und das ist auch das Ende der Geschichte.",
}


def test_answers_in_another_language_are_told_from_the_prompts_own(ask):
    record = ask(lambda request: Output("x")).records[0]
    for asked, prompt in ASKED.items():
        for said, answer in SAID.items():
            shown = msgspec.structs.replace(record, prompt=prompt, raw=answer)
            assert speaks_otherwise(shown) == (asked != said), (asked, said)
    assert not speaks_otherwise(msgspec.structs.replace(record, prompt=ASKED["en"], raw="la respuesta")), "too short"


def test_readings_differ_by_more_than_a_half(ask):
    run = ask(lambda request: Output(f"It's the {right(request)}."))
    record = run.records[0]
    replace = msgspec.structs.replace
    assert readings_differ(record)
    assert not readings_differ(replace(record, lenient=None))
    half = replace(record.lenient, score=0.5)
    assert not readings_differ(replace(record, lenient=half)), "exactly a half is no difference"
    assert not readings_differ(replace(record, strict=replace(record.strict, score=0.6)))


def test_an_adapted_model_is_not_sent_to_another_protocol(ask):
    run = ask(lambda request: Output("office"))
    plan = msgspec.structs.replace(run.plan, protocol={"name": "fitted", "reason": "the model is adapted by finetune"})
    tuned = msgspec.structs.replace(plan, adaptation={"name": "finetune"})
    for changed, advice in ((plan, "It needs more training"), (tuned, "-A epochs=N")):
        run.plan = changed
        said = " ".join(diagnose(run))
        assert "All 40 answers are 'office'" in said
        assert advice in said
        assert "--protocol" not in said


def test_another_language_has_to_be_clear(ask, monkeypatch):
    record = ask(lambda request: Output("x")).records[0]
    shown = msgspec.structs.replace(record, prompt="word " * 8, raw="other " * 8)

    def speaks(said, asked):
        monkeypatch.setattr(diagnosis, "languages_in", lambda text: said if text.startswith("other") else asked)
        return speaks_otherwise(shown)

    assert speaks({"en": 0.3, "es": 0.45}, {"en": 0.9, "es": 0.1})
    assert not speaks({"en": 0.4, "es": 0.45}, {"en": 0.9, "es": 0.1}), "a tenth is no difference"
    assert not speaks({"en": 0.5, "es": 0.1}, {"en": 0.9, "es": 0.1})
    short = msgspec.structs.replace(record, prompt="word " * 8, raw="other " * 7)
    spoken = {"other": {"en": 0.1, "es": 0.9}}
    monkeypatch.setattr(diagnosis, "languages_in", lambda text: spoken.get(text.split()[0], {"en": 1.0}))
    assert not speaks_otherwise(short), "eight words at least"


@pytest.mark.parametrize(("wrong", "told"), [(4, False), (5, True)])
def test_targets_among_wrong_answers_are_told_from_five_on(ask, wrong, told):
    numbers = iter(range(1000))

    def say(request):
        number = next(numbers)
        return Output(f"Story {number} has the {right(request)} in it" if number < wrong else right(request))

    said = " ".join(diagnose(ask(say, protocol="bare")))
    assert ("The target occurs in" in said) == told


@pytest.mark.parametrize(("cut", "told"), [(4, False), (5, True)])
def test_more_than_a_tenth_of_cut_answers_is_told(ask, cut, told):
    numbers = iter(range(1000))
    run = ask(lambda request: Output(right(request), "truncated" if next(numbers) < cut else "complete"))
    said = " ".join(diagnose(run))
    assert (f"{cut} of 40 answers are cut off" in said) == told
    if told:
        assert f"--max-tokens {4 * int(run.plan.generation.get('max_tokens', 64))}" in said


@pytest.mark.parametrize(("repeated", "told"), [(8, False), (9, True)])
def test_more_than_a_fifth_of_echoes_is_told(ask, repeated, told):
    numbers = iter(range(1000))
    run = ask(lambda request: Output(request.instance.input if next(numbers) < repeated else right(request)))
    assert any(f"{repeated} of 40 answers repeat the prompt" in sentence for sentence in diagnose(run)) == told
