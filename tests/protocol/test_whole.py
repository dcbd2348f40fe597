"""Every prompt of every encoding and protocol, with every choice between them (see `tests/approved.py`)."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from approved import approved, plain
from taskloom.core import Example, Instance, Instruction, Task, UserError, any_of
from taskloom.encode.chat import Chat
from taskloom.encode.gpt2 import byte_symbols, gpt2
from taskloom.encode.plain import Plain
from taskloom.protocol import PROTOCOLS, InstructedEncoding, answer_format, choose, protocol_named, wordings
from taskloom.protocol.base import ends_of
from taskloom.protocol.formats import answer_schema, form_sentence, in_form, language_in, languages_in
from taskloom.protocol.wordings import draw_wording, paraphrase, reword

RIGHT = tuple(Example(f"Two and {n}?", f"{n + 2}", f"Count on {n}." if n % 2 else None) for n in range(4))
WRONG = (Example("One and one?", "3", "It is 2."), Example("Half?", "x", None))
SUM = Task("sum", Instruction("Add the two numbers.", RIGHT, WRONG), kind="number")
ASKS = Task("where", Instruction("You get a story. Answer the question: Where is Mary?",
                                 (Example("Mary went.\nQuestion: Where is Mary?", "hall", "She went."),)))  # fmt: skip
TASKS = (
    SUM,
    ASKS,
    Task("labels", Instruction("Does it follow? Answer yes or no."), kind="label", labels=("yes", "no")),
    Task("lista", Instruction("Escribe los números de la lista en orden, de menor a mayor."), kind="items"),
    Task("verse", Instruction("Say the verse.", (Example("One.", "a\nb", None), Example("Two.", "a", None)))),
    Task("record", Instruction("Give a {record} of the person."), kind="json"),
    Task("truth", Instruction("Say whether it is so."), kind="boolean"),
)
ITEM = Instance("test-1", "Two and two?", any_of("4"))
DEMOS = (Example("Nine and one?", "10", "Ten."),)


def shown(prompt):
    return plain([prompt.text, [[one.role, one.content] for one in prompt.messages], prompt.schema, prompt.wording])


def test_every_prompt():
    said = []
    switches = {
        Chat: ({}, {"system": False}, {"task_name": True, "reply": ""},
               {"positive": 3, "negative": 1, "explanations": True},
               {"definition": False, "reply": "", "positive": 1}, {"negative": 5, "definition": False, "positive": 0}),
        Plain: ({}, {"definition": True, "positive": 2, "answer": "Answer:"}, {"task_name": True, "negative": 2},
                {"positive": 9, "negative": 1, "explanations": True, "answer": "A:"}),
    }  # fmt: skip
    for make, options in switches.items():
        for one, demos in product(options, ((), DEMOS)):
            said += [f"== {make.name} {one} {len(demos)}", shown(make(**one).encode(SUM, ITEM, demos))]
        with pytest.raises(ValueError, match="cannot be below 0"):
            make(negative=-1)
        assert make(positive=0, negative=0).encode(SUM, ITEM).text
    for name, task in product(PROTOCOLS, TASKS):
        protocol = protocol_named(name, "zest" if name != "paper" else "babi")
        said += [f"== {name} {task.name}", plain(protocol.settings([task]))]
        said.append(shown(protocol.make().encode(task, ITEM, () if task is not ASKS else DEMOS)))
    for form, count in product(("", "line", "schema"), (1, 5)):
        encoding = InstructedEncoding(inner=Chat(), form=form, wordings=count, seed=3)
        said += [f"== {form} {count}", plain(encoding.describe())]
        said += [shown(encoding.encode(task, ITEM, DEMOS)) for task in TASKS]
    approved(Path(__file__).with_name("prompts.txt"), "\n".join(said) + "\n")


def test_every_wording():
    said = []
    for task in TASKS:
        said.append(
            plain([task.name, answer_format(task), answer_schema(task), languages_in(task.instruction.definition)])
        )
        said += [form_sentence(task, form) for form in ("line", "schema")]
        said += [reword(task, answer_format(task), number, "As said.") for number in range(12)]
        said += [in_form(answer, task, form) for answer in ("4", "a | b", "a, b", "a b", '{"x": [1]}', "[1]", "true")
                 for form in ("", "line", "schema")]  # fmt: skip
    said += [f"{text}: {language_in(text)}" for text in (
        "der Hund und die Katze sind in dem Haus", "el perro y la gata en la casa",
        "le chien et le chat de la maison", "the dog and the cat", "", "x y z",
        "o cão e o gato da casa não são de ela")]  # fmt: skip
    said.append(
        plain([draw_wording(SUM, Instance(f"{n}", "", any_of("x")), 7, seed) for n in range(12) for seed in (0, 1)])
    )
    said += [plain(ends_of(tasks)) for tasks in ((), TASKS[:1], TASKS[2:3], (TASKS[4],), (SUM, Task("b", Instruction(
        "B", (Example("x", "a\n\nb", None),)))))]  # fmt: skip
    assert paraphrase("Anything at all.", 0) == "Anything at all." and wordings(12) == 12 and wordings(1) == 1
    for count in (0, 13):
        with pytest.raises(UserError, match="there are 1 to 12 wordings"):
            wordings(count)
    approved(Path(__file__).with_name("wordings.txt"), "\n".join(said) + "\n")


CHOICES = [
    {"name": name, "nature": nature, "adaptation": adaptation, "family": family}
    for name in ("auto", "paper")
    for nature in ("chat", "base", "classifier", "memory", "span", "baseline")
    for adaptation in ("none", "lora", "in-context")
    for family in ("babi", "superni")
] + [
    {"encoding": "plain"},
    {"encoding": "superni/def-pos2"},
    {"encoding": "superni/def-pos2", "family": "superni"},
    {"encoding": "chat", "name": "chat", "encoding_options": {"positive": 1}},
    {"encoding_options": {"positive": 1}},
    {"encoding_options": {"positive": 1}, "name": "base"},
    {"examples": 0},
    {"examples": 1, "form": "schema", "name": "base"},
    {"form": "none", "nature": "base"},
    {"form": "line", "name": "bare"},
    {"examples": 1, "name": "bare"},
    {"examples": -1},
    {"form": "lin"},
    {"name": "chta"},
    {"name": "paper", "form": "line", "family": "zest"},
    {"trained_with": {"name": "plain", "answer": "A:", "other": 1, "instructed": {"format": True}}},
    {"trained_with": {"name": "chat", "positive": 0}, "name": "chat"},
    {"trained_with": {"name": "plain"}, "adaptation": "finetune"},
    {"trained_with": {"name": "plain"}, "encoding": "plain"},
]


def test_every_choice_of_a_protocol():
    said = []
    for given in CHOICES:
        asked = {"name": "auto", "nature": "chat", "adaptation": "none", "family": "babi", **given}
        model = SimpleNamespace(nature=asked.pop("nature"))
        try:
            choice = choose(asked.pop("name"), model, asked.pop("adaptation"), asked.pop("family"), **asked)
        except UserError as error:
            said.append(f"{given}: {error.message} ({error.where}; {error.hint})")
            continue
        said += [f"{given}: {choice.sentence()}", plain(choice.describe())]
    for protocol in PROTOCOLS.values():
        for count in (2, 99):
            try:
                said.append(plain([protocol.name, protocol.make(count, 1).describe()]))
            except UserError as error:
                said.append(f"{protocol.name} {count}: {error.message} ({error.where}; {error.hint})")
    approved(Path(__file__).with_name("choices.txt"), "\n".join(said) + "\n")


TEXTS = [
    "",
    "a",
    "the the The",
    "it's we'll I'd they've 'SS",
    "  two   blanks \n\n tabs\t\t end  ",
    "x1y22 ½ ٣ Ⅷ",
    "naïve café ß",
    "日本語 한국어",
    "🙂👍🏽",
    "<|endoftext|>",
    "\ud800 cut",
    "\u2028 line",
    "___--==",
    "antidisestablishmentarianism" * 3,
    "\x00\x7f\xa0",
    "zzzzqqqqxxxx",
]


def test_every_token():
    tokens = gpt2()
    said = [plain([text.encode("utf-8", "backslashreplace").decode(), tokens.encode(text)]) for text in TEXTS]
    assert all(tokens.decode(tokens.encode(text)) == text for text in TEXTS if text != "\ud800 cut")
    assert tokens.decode([tokens.encode("\u00a0日")[-1]]) == "\ufffd"
    symbols = byte_symbols()
    assert sorted(symbols.values()) == list(range(256)) and symbols["Ā"] == 0 and symbols["!"] == 33
    assert len(tokens.tokens) == 50_256 and msgspec.json.encode(list(symbols.values())[186:192]) == b"[254,255,0,1,2,3]"
    approved(Path(__file__).with_name("tokens.txt"), "\n".join(said) + "\n")
