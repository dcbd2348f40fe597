"""What holds for every encoding, whatever the texts are."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Example, Instance, Instruction, Task
from taskloom.core.catalog import ENCODINGS
from taskloom.core.encoding import Prompt, make_encoding

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
examples = st.lists(st.builds(Example, text, text, st.none() | text), max_size=4).map(tuple)
tasks = st.builds(lambda d, p, n: Task("task_x", Instruction(d, p, n)), text, examples, examples)
instances = st.builds(lambda i: Instance("1", i, AnyOf(("yes",)), parts={"passage": i, "question": i}), text)
options = st.fixed_dictionaries(
    {}, optional={"task_name": st.booleans(), "definition": st.booleans(), "positive": st.integers(0, 4),
                  "negative": st.integers(0, 4), "explanations": st.booleans()},
)  # fmt: skip


class Blanks:
    """A tokenizer for which every word is a token."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def encode(self, words: str) -> list[int]:
        found = words.split(" ")
        self.words += [word for word in found if word not in self.words]
        return [self.words.index(word) for word in found]

    def decode(self, ids: list[int]) -> str:
        return " ".join(self.words[i] for i in ids)


def official(task: Task, instance: Instance, settings: dict) -> str:
    """The published layout, written out once more and as plainly as can be."""

    def dotted(words: str) -> str:
        return words if words[-1] in string.punctuation else words + "."

    positive, negative = settings.get("positive", 2), settings.get("negative", 0)
    out = "task_x. " if settings.get("task_name") else ""
    if settings.get("definition", True):
        out += dotted("Definition: " + task.instruction.definition.strip()) + "\n\n"
    for kind, shown in (
        ("Positive", task.instruction.positive[:positive]),
        ("Negative", task.instruction.negative[:negative]),
    ):
        for k, example in enumerate(shown, start=1):
            out += dotted(f" {kind} Example {k} -\nInput: " + example.input.strip()) + "\n"
            out += dotted(" Output: " + example.output.strip()) + "\n"
            if settings.get("explanations") and example.explanation is not None:
                out += dotted(" Explanation: " + example.explanation.strip()) + "\n"
            out += "\n"
    return out + dotted("Now complete the following example -\nInput: " + instance.input.strip()) + "\nOutput: "


@given(tasks, instances, options)
def test_superni_is_the_published_layout(task, instance, settings):
    assert make_encoding("superni", settings).encode(task, instance).text == official(task, instance, settings)


@given(tasks, instances, options, st.integers(1, 60))
def test_the_length_rule_keeps_to_its_limit(task, instance, settings, limit):
    tokenizer = Blanks()
    encoding = make_encoding("superni", {**settings, "max_tokens": limit})
    prompt = encoding.encode(task, instance, tokenizer=tokenizer)
    shown = len(task.instruction.positive[: settings.get("positive", 2)])
    shown += len(task.instruction.negative[: settings.get("negative", 0)])
    assert 0 <= prompt.dropped <= shown
    assert len(tokenizer.encode(prompt.text)) <= limit or not prompt.cut
    if not prompt.dropped and not prompt.cut:
        assert prompt.text == official(task, instance, settings)


@pytest.mark.parametrize("name", ["plain", "superni", "chat"])
@given(task=tasks, instance=instances, settings=options)
def test_every_option_combines_with_every_other(name, task, instance, settings):
    encoding = make_encoding(name, settings)
    first = encoding.encode(task, instance)
    assert encoding.encode(task, instance) == first
    assert first.hash() == encoding.encode(task, instance).hash()
    assert instance.input.strip() in first.text
    if settings.get("definition"):
        assert task.instruction.definition.strip() in first.text
    if first.messages:
        assert first.messages[-1].role == "user"
        assert instance.input in first.messages[-1].content


@pytest.mark.parametrize("name", ENCODINGS.names())
@given(task=tasks, instance=instances, demos=examples)
def test_given_examples_take_the_place_of_the_tasks_own(name, task, instance, demos):
    prompt = make_encoding(name).encode(task, instance, demos)
    assert isinstance(prompt, Prompt)
    assert make_encoding(name).describe()["name"] == make_encoding(name).name


@given(text, text)
def test_hashes_tell_prompts_apart(first, second):
    assert (Prompt(first).hash() == Prompt(second).hash()) == (first == second)
