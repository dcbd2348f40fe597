"""Encodings against the official texts, the ten recipes, and the length rule."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import Example, Instance, Instruction, Task, UserError, any_of
from taskloom.core.catalog import ENCODINGS
from taskloom.core.encoding import make_encoding
from taskloom.families.superni.encoding import RECIPES, SuperNI

TASK = Task(
    "task7_double",
    Instruction(
        " Write the word twice ",
        positive=(
            Example("go", "go go", "Twice."),
            Example("red", "red red"),
            Example("a", "a a"),
            Example("b", "b b"),
        ),
        negative=(Example("no", "no!", "Only once."), Example("up", "")),
    ),
)
ASKED = Instance("1", "  hat ", any_of("hat hat"))
TAIL = "Now complete the following example -\nInput: hat.\nOutput: "
DEFINITION = "Definition: Write the word twice.\n\n"
FIRST = " Positive Example 1 -\nInput: go.\n Output: go go.\n"


class Letters:
    """A tokenizer with one token per character."""

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def decode(self, ids: list[int]) -> str:
        return "".join(map(chr, ids))


def text(name: str, **options: object) -> str:
    return make_encoding(name, options).encode(TASK, ASKED).text


def test_the_pieces_of_the_official_text() -> None:
    assert text("superni/def") == DEFINITION + TAIL
    assert text("superni/task-id") == "task7_double. " + TAIL
    assert text("superni/def-pos1") == DEFINITION + FIRST + "\n" + TAIL
    full = text("superni/def-pos2-neg2-expl")
    assert full == (
        DEFINITION
        + FIRST
        + " Explanation: Twice.\n\n Positive Example 2 -\nInput: red.\n Output: red red.\n\n"
        + " Negative Example 1 -\nInput: no.\n Output: no!\n Explanation: Only once.\n\n"
        + " Negative Example 2 -\nInput: up.\n Output: .\n\n"
        + TAIL
    )


def test_the_ten_recipes_of_table_4_are_registered_and_differ() -> None:
    texts = {name: make_encoding(name).encode(TASK, ASKED).text for name in RECIPES}
    assert len(texts) == len(set(texts.values())) == 10
    assert all(ENCODINGS.get(name) == recipe for name, recipe in RECIPES.items())
    assert texts["superni/def-pos2"] == text("superni")


def test_the_length_rule_drops_from_the_first_example_that_does_not_fit() -> None:
    whole = SuperNI(positive=4).encode(TASK, ASKED).text
    lengths = [len(SuperNI(positive=k).encode(TASK, ASKED).text) for k in range(5)]
    for limit in range(1, len(whole) + 5):
        prompt = SuperNI(positive=4, max_tokens=limit).encode(TASK, ASKED, tokenizer=Letters())
        if limit < lengths[0]:
            assert prompt.cut
            assert prompt.text == (DEFINITION + TAIL)[:limit]
        else:
            # The official check counts a blank between examples that the text does not have.
            kept = max(k for k in range(5) if lengths[k] + max(0, k - 2) <= limit)
            assert (prompt.dropped, prompt.cut) == (4 - kept, False)
            assert len(prompt.text) == lengths[kept]


def test_a_length_rule_without_a_tokenizer_says_what_to_do() -> None:
    with pytest.raises(UserError, match="tokens=gpt2"):
        text("superni", max_tokens=9)
    assert text("superni", max_tokens=9, tokens="gpt2") != text("superni")
    with pytest.raises(UserError):
        text("superni", positive=-1)


def test_demos_take_the_place_of_positive_examples() -> None:
    demos = [Example("sun", "sun sun")]
    for name in ("plain", "superni", "chat"):
        shown = make_encoding(name).encode(TASK, ASKED, demos).text
        assert "sun sun" in shown
        assert "go go" not in shown


def test_plain_is_the_input_and_takes_any_part_of_the_instruction() -> None:
    assert text("plain") == "  hat "
    assert text("plain", positive=1, answer="Answer:") == "go\nAnswer: go go\n\n  hat \nAnswer:"
    everything = text("plain", task_name=True, definition=True, positive=1, negative=1, explanations=True)
    assert everything == (
        "task7_double\n\n Write the word twice \n\ngo\ngo go\nExplanation: Twice.\n\n"
        "no\nWrong answer: no!\nExplanation: Only once.\n\n  hat "
    )


def test_chat_has_roles_and_a_readable_text() -> None:
    prompt = make_encoding("chat").encode(TASK, ASKED)
    assert [message.role for message in prompt.messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert prompt.messages[-1].content == ASKED.input
    assert all(message.content in prompt.text for message in prompt.messages)
    bare = make_encoding("chat", {"system": False}).encode(TASK, ASKED)
    assert [message.role for message in bare.messages][:2] == ["user", "assistant"]
    assert bare.messages[0].content.endswith("\n\ngo")


def test_chat_keeps_explanations_and_wrong_answers_out_of_the_turns() -> None:
    prompt = make_encoding("chat", {"explanations": True, "negative": 2}).encode(TASK, ASKED)
    assert [message.content for message in prompt.messages if message.role == "assistant"] == ["red red"]
    assert "Explanation: Twice." in prompt.messages[0].content
    assert "Wrong example 1\nInput: no\nOutput: no!" in prompt.messages[0].content


def test_tk_instruct_draws_each_of_five_by_the_instance() -> None:
    encoding = make_encoding("superni/tk-instruct")
    texts = [encoding.encode(TASK, Instance(str(n), "hat", any_of("x"))).text for n in range(80)]
    assert len(set(texts)) == 5
    assert texts == [encoding.encode(TASK, Instance(str(n), "hat", any_of("x"))).text for n in range(80)]


def test_every_golden_text_byte_for_byte(reference: Path) -> None:
    folder = reference / "superni"
    lines = (folder / "encodings_golden.jsonl").read_text("utf-8").split("\n")
    tasks: dict[str, tuple[Task, list[dict[str, object]]]] = {}
    different = []
    for golden in (json.loads(line) for line in lines if line):
        name = golden["task"]
        if name not in tasks:
            tasks[name] = published_task(folder, name)
        task, instances = tasks[name]
        encoding = SuperNI(
            task_name=golden["add_task_name"],
            definition=golden["add_task_definition"],
            positive=golden["num_pos_examples"],
            negative=golden["num_neg_examples"],
            explanations=golden["add_explanation"],
            max_tokens=golden["max_source_length"],
            tokens="gpt2",
        )
        asked = Instance(golden["id"], str(instances[golden["instance"]]["input"]), any_of("-"))
        if encoding.encode(task, asked).text != golden["text"]:
            different.append((name, golden["instance"]))
    assert len(tasks) > 20
    assert different == []


def published_task(folder: Path, name: str) -> tuple[Task, list[dict[str, object]]]:
    path = next(path for path in (folder / "sample").glob(f"*/{name}.json"))
    data = json.loads(path.read_text("utf-8"))
    right, wrong = (
        tuple(Example(e["input"], e["output"], e.get("explanation")) for e in data[key])
        for key in ("Positive Examples", "Negative Examples")
    )
    return Task(name, Instruction(data["Definition"][0], right, wrong)), data["Instances"]


TEXTS = st.text(st.sampled_from("ab .!?\n\u2028é日") | st.characters(exclude_categories=["Cs"]), max_size=30)
EXAMPLES = st.lists(st.builds(Example, TEXTS, TEXTS, st.none() | TEXTS), max_size=4).map(tuple)


@given(
    st.builds(Instruction, TEXTS, EXAMPLES, EXAMPLES),
    TEXTS,
    st.builds(
        SuperNI,
        task_name=st.booleans(),
        definition=st.booleans(),
        positive=st.integers(0, 5),
        negative=st.integers(0, 5),
        explanations=st.booleans(),
        max_tokens=st.none() | st.integers(1, 300),
    ),
)
def test_any_instruction_can_be_encoded(instruction: Instruction, asked: str, encoding: SuperNI) -> None:
    prompt = encoding.encode(Task("t", instruction), Instance("1", asked, any_of("x")), tokenizer=Letters())
    shown = min(len(instruction.positive), encoding.positive) + min(len(instruction.negative), encoding.negative)
    assert prompt.dropped <= shown
    if encoding.max_tokens is not None:
        assert len(prompt.text) <= encoding.max_tokens
        assert prompt.cut or prompt.text.endswith("\nOutput: ")
    else:
        assert (prompt.dropped, prompt.cut) == (0, False)
        assert prompt.text.endswith(f"Input: {asked.strip()}" + ("" if ends_marked(asked) else ".") + "\nOutput: ")


def ends_marked(text: str) -> bool:
    """Whether the official rule sees punctuation at the end; an empty text ends in the blank before it."""
    return bool(text.strip()) and text.strip()[-1] in string.punctuation


@given(st.builds(Instruction, TEXTS, EXAMPLES, EXAMPLES), TEXTS, st.integers(0, 4), st.booleans())
def test_plain_and_chat_lose_nothing(instruction: Instruction, asked: str, count: int, explain: bool) -> None:
    task, instance = Task("t", instruction), Instance("1", asked, any_of("x"))
    options = {"definition": True, "positive": count, "negative": count, "explanations": explain}
    for name in ("plain", "chat"):
        text = make_encoding(name, options).encode(task, instance).text
        for part in (
            instruction.definition,
            asked,
            *(e.output for e in (*instruction.positive[:count], *instruction.negative[:count])),
        ):
            assert part in text
