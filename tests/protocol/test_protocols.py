"""What each protocol sends, how it is chosen, and that the papers' own protocols stay as they are."""

from __future__ import annotations

import json

import msgspec
import pytest

from taskloom.core import Example, Instance, Instruction, Task, UserError, any_of, open_suite
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Identity, Model, Output, open_model
from taskloom.protocol import PROTOCOLS, answer_format, choose
from taskloom.protocol.wordings import MOST_WORDINGS, draw_wording


class Some(Model):
    def __init__(self, nature):
        self.identity = Identity("some/model")
        self.nature = nature

    def generate(self, requests, generation):
        return [Output("") for _ in requests]


def _task(kind="text", labels=(), outputs=("garden",), definition="Say where the person is.", scorer="exact"):
    examples = tuple(Example("x", output) for output in outputs)
    return Task("t", Instruction(definition, examples), kind, scorer, labels)


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        (_task("label", ("yes", "no")), "Answer with exactly one of: yes, no."),
        (_task("boolean", ("true", "false")), "Answer with exactly one of: true, false."),
        (_task("number", outputs=("3",)), "Answer with the number alone, in digits."),
        (_task(outputs=("two words",)), "Answer with the answer alone, without any explanation."),
        (_task(outputs=("Ann is not here.",)), "Answer with the sentence alone."),
        (_task("items", outputs=("a, b",), definition="List them, or say 'nothing'."),
         "Answer with the list alone, its items separated by a comma."),
        (_task("items", outputs=("a|b",), definition="Words of the passage, or n/a."),
         "Answer with the list alone, its items separated by a vertical bar (|)."),
        (_task("sequence", outputs=("a b",)),
         "Answer with the results alone, in order and on one line, separated by blanks."),
        (_task("json", outputs=(), definition='A list with the keys "show", "season" and "n/a" where unknown.'),
         'Answer with JSON alone, a list of objects with the keys "show", "season".'),
        (_task("label", ("sí", "no"), definition="Di si la palabra es un nombre de la lista."),
         "Responde exactamente con una de estas opciones: sí, no."),
        (_task("label", ("ja", "nein"), definition="Du liest eine Geschichte und sagst, ob die Person es ist."),
         "Antworte mit genau einer dieser Möglichkeiten: ja, nein."),
        (_task("items", outputs=("Apfel, Milch",), definition="Was trägt die Person, oder 'nichts'?"),
         "Antworte nur mit der Liste, die Einträge durch Kommas getrennt."),
    ],
)  # fmt: skip
def test_answer_formats_follow_from_the_task(task, sentence):
    assert answer_format(task) == sentence


@pytest.mark.parametrize(
    ("definition", "sentence"),
    [
        ("Écris le contraire de la phrase donnée.", "Answer with the answer alone, without any explanation."),
        ("Donne le mot qui est le contraire du mot.", "Answer with the answer alone, without any explanation."),
        ("Scrivi il contrario della parola che è nel testo.", "Answer with the answer alone, without any explanation."),
        ("Escreva a palavra que é o oposto da palavra.", "Answer with the answer alone, without any explanation."),
        (
            "Geef het woord dat het tegendeel is van het woord in de zin.",
            "Answer with the answer alone, without any explanation.",
        ),
        ("Escribe el contrario de la palabra.", "Responde solo con la respuesta, sin ninguna explicación."),
        ("Di qué palabra es la contraria de la que se da.", "Responde solo con la respuesta, sin ninguna explicación."),
        ("Schreibe das Gegenteil des Wortes.", "Antworte nur mit der Antwort, ohne jede Erklärung."),
        ("Nenne das Wort, das im Satz nicht passt.", "Antworte nur mit der Antwort, ohne jede Erklärung."),
        ("Write the opposite of the word.", "Answer with the answer alone, without any explanation."),
    ],
)
def test_formats_are_english_where_the_definition_is_neither_spanish_nor_german(definition, sentence):
    assert answer_format(_task(definition=definition)) == sentence


def test_every_task_of_every_family_has_a_format():
    for name in ("babi/mix-t12", "seti/task1-trivial", "superni/embedded"):
        for task in open_suite(name, seed=0).tasks.values():
            sentence = answer_format(task)
            assert sentence.endswith(".")
            if task.facets.get("language") == "Spanish" and "Text" not in task.instruction.definition:
                assert sentence.startswith(("Responde", "Answer"))


@pytest.mark.parametrize(
    ("nature", "adaptation", "trained", "name"),
    [
        ("chat", "none", None, "chat"), ("base", "none", None, "base"), ("base", "in-context", None, "base"),
        ("base", "finetune", None, "fitted"), ("chat", "lora", None, "fitted"), ("memory", "none", None, "fitted"),
        ("classifier", "none", None, "fitted"), ("span", "none", None, "fitted"), ("baseline", "none", None, "bare"),
        ("base", "none", {"name": "zest"}, "fitted"),
    ],
)  # fmt: skip
def test_auto_goes_by_what_the_model_is(nature, adaptation, trained, name):
    choice = choose("auto", Some(nature), adaptation, "zest", trained_with=trained)
    assert choice.protocol.name == name
    assert choice.reason
    assert choice.reason in choice.sentence()
    if trained:
        assert choice.protocol.encoding == "zest"


def test_parts_can_be_overridden_and_say_so():
    choice = choose("chat", Some("chat"), "none", "babi", encoding="superni", encoding_options={"positive": 1})
    assert choice.protocol.encoding == "superni"
    assert choice.overridden == ("encoding", "encoding option")
    assert choose("auto", Some("chat"), "none", "babi", encoding="superni").protocol.name == "custom"
    dotted = choose("auto", Some("base"), "none", "taskbench", encoding="superni/def-pos2")
    assert dotted.protocol.headline == "lenient", "its examples teach a full stop that scorers of words would fail"
    assert "full stop" in dotted.sentence()
    assert choose("auto", Some("base"), "none", "superni", encoding="superni/def-pos2").protocol.headline == "strict"
    assert choose("auto", Some("base"), "none", "babi", encoding="plain").protocol.headline == "strict"
    with pytest.raises(UserError, match="chta"):
        choose("chta", Some("chat"), "none", "babi")


@pytest.mark.parametrize("family", ["babi", "seti", "taskbench", "zest", "superni"])
def test_the_papers_protocols_are_the_official_encodings_to_the_byte(family):
    task = _task(definition="Say where.")
    instance = Instance("1", "Mary went home.\nWhere is Mary?", any_of("home"), parts={"question": "Where?"})
    official = {"zest": "zest", "superni": "superni/def-pos2"}.get(family, "plain")
    choice = choose("paper", Some("base"), "none", family)
    assert choice.protocol.headline == "strict"
    assert choice.protocol.make().encode(task, instance) == make_encoding(official).encode(task, instance)


def _sent(task, **wishes):
    encoding = choose("chat", Some("chat"), "none", "babi", **wishes).protocol.make()
    prompt = encoding.encode(task, Instance("1", "Where is Mary?", any_of("home")))
    return prompt, [(message.role, message.content) for message in prompt.messages]


def test_chat_says_the_form_and_shows_it_in_two_turns():
    said = "Say where the person is. Answer with the answer alone, without any explanation."
    line = f"{said} End with a line of the form: Answer: …"
    turns = [("user", "x"), ("assistant", "Answer: garden"), ("user", "x"), ("assistant", "Answer: hall")]
    task = _task(outputs=("garden", "hall", "attic"))
    assert _sent(task)[1] == [("system", line), *turns, ("user", "Where is Mary?")]
    assert _sent(task, examples=1)[1] == [("system", line), *turns[:2], ("user", "Where is Mary?")]
    assert _sent(task, examples=0)[1] == [("system", line), ("user", "Where is Mary?")]
    assert _sent(task, examples=0, form="none")[1] == [("system", said), ("user", "Where is Mary?")]


def test_a_schema_is_part_of_the_prompt():
    prompt, messages = _sent(_task("number", outputs=("3", "4")), form="schema")
    assert messages[2] == ("assistant", '{"answer": 3}')
    assert json.loads(prompt.schema)["properties"]["answer"] == {"type": "integer"}
    assert prompt.schema in prompt.text
    _, shown = _sent(_task("items", outputs=("a, b",)), form="schema")
    assert shown[2] == ("assistant", '{"answer": ["a", "b"]}')
    assert prompt.hash() != msgspec.structs.replace(prompt, schema="").hash()
    described = choose("chat", Some("chat"), "none", "babi", form="schema")
    assert described.describe()["form"] == "schema"
    assert described.protocol.make().describe()["instructed"]["form"] == "schema"
    assert "form" in described.sentence()


def test_examples_that_are_too_long_are_left_out():
    long = Task("t", Instruction("Say.", (Example("x" * 3_000, "a"), Example("y" * 4_000, "b"))))
    assert [role for role, _ in _sent(long)[1]] == ["system", "user", "assistant", "user"]
    longer = Task("t", Instruction("Say.", (Example("x" * 7_000, "a"),)))
    assert [role for role, _ in _sent(longer)[1]] == ["system", "user"]


def test_forms_speak_the_language_of_the_task():
    spanish = _task(definition="Escribe el contrario de la palabra.", outputs=("alto", "bajo"))
    assert _sent(spanish)[1][2] == ("assistant", "Respuesta: alto")
    assert "Respuesta: …" in _sent(spanish)[1][0][1]


def test_protocols_without_a_form_refuse_one():
    for name in ("paper", "fitted", "bare"):
        with pytest.raises(UserError, match="no form"):
            choose(name, Some("base"), "none", "babi", form="line")
        with pytest.raises(UserError, match="no form"):
            choose(name, Some("base"), "none", "babi", examples=1)
    with pytest.raises(UserError, match="schema"):
        choose("chat", Some("chat"), "none", "babi", form="shema")
    with pytest.raises(UserError, match="-1 examples"):
        choose("chat", Some("chat"), "none", "babi", examples=-1)


def test_wordings_are_drawn_by_key_and_recorded():
    task = _task()
    instances = [Instance(str(number), f"Where is {number}?", any_of("home")) for number in range(60)]
    encoding = PROTOCOLS["base"].make(4)
    prompts = [encoding.encode(task, instance) for instance in instances]
    assert {prompt.wording for prompt in prompts} == {"0", "1", "2", "3"}
    assert [prompt.wording for prompt in prompts] == [str(draw_wording(task, one, 4, 0)) for one in instances]
    assert all("ay where the person is." in prompt.text and "any explanation" in prompt.text for prompt in prompts)
    for wrong in (0, MOST_WORDINGS + 1):
        with pytest.raises(UserError, match="wordings"):
            PROTOCOLS["base"].make(wrong)
    with pytest.raises(UserError, match="no instruction"):
        PROTOCOLS["bare"].make(2)


def test_mocks_are_asked_barely():
    assert choose("auto", open_model("mock/oracle"), "none", "babi").protocol.name == "bare"


def test_a_question_that_every_input_ends_with_is_asked_once():
    suite = open_suite("zest/fictional", seed=0)
    row = next(iter(suite.draw("test")))
    prompt = PROTOCOLS["chat"].make().encode(suite.tasks[row.task], row.instance)
    question = row.instance.input.rpartition("Question: ")[2]
    assert question in suite.tasks[row.task].instruction.definition
    assert question not in prompt.messages[0].content and question in prompt.messages[-1].content
    assert prompt.messages[0].content.count("n/a") == 1


@pytest.mark.parametrize("kind", ["text", "label", "boolean", "number", "items", "sequence", "json"])
@pytest.mark.parametrize(
    ("outputs", "stop"),
    [(("a, b",), ["\n"]), (("a", "b\n"), ["\n"]), (("a", "b\nc"), ["\n\n"]), (("a\n\nb",), []), ((), ["\n\n"])],
)
def test_base_stops_where_the_answers_of_the_examples_end(kind, outputs, stop):
    tasks = [_task(kind, outputs=outputs)]
    assert PROTOCOLS["base"].settings(tasks)["stop"] == stop
    assert "stop" not in PROTOCOLS["chat"].settings(tasks)
    assert PROTOCOLS["base"].describe()["ends"] and "ends" not in PROTOCOLS["chat"].describe()


def test_a_task_with_answers_of_several_lines_moves_the_stop_of_its_suite():
    assert PROTOCOLS["base"].settings([_task(outputs=("a",)), _task(outputs=("b\nc",))])["stop"] == ["\n\n"]
