"""The encoding of Super-NaturalInstructions, byte for byte what Tk-Instruct was trained on.

A prompt is the definition, some right and some wrong examples, and the instance, each on lines of its own. Options
switch every element on and off; the ten combinations that Table 4 of the paper compares have names of their own
(`superni/def-pos2`, ...). With `max_tokens` the official length rule applies: examples are taken in order while the
prompt stays short enough, then a prompt that is still too long loses its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import punctuation
from typing import ClassVar, Literal, TypeAlias

from msgspec.structs import replace

from taskloom.core import Count, Example, Instance, Positive, Task, UserError, keyed_random
from taskloom.core.encoding import Encoding, Prompt, Tokenizer

TokenSource: TypeAlias = Literal["model", "gpt2"]

_PUNCTUATION = frozenset(punctuation)


def _dot(text: str) -> str:
    """The text with a full stop unless it ends in ASCII punctuation already."""
    return text if text[-1] in _PUNCTUATION else f"{text}."


def _example(kind: str, number: int, example: Example, explain: bool) -> str:
    text = _dot(f" {kind} Example {number} -\nInput: {example.input.strip()}") + "\n"
    text += _dot(f" Output: {example.output.strip()}") + "\n"
    if explain and example.explanation is not None:
        text += _dot(f" Explanation: {example.explanation.strip()}") + "\n"
    return text + "\n"


def _counter(tokens: TokenSource, tokenizer: Tokenizer | None) -> Tokenizer:
    if tokens == "gpt2":
        from taskloom.encode.gpt2 import gpt2

        return gpt2()
    if tokenizer is None:
        raise UserError(
            "max_tokens counts the model's own tokens, but this model has no tokenizer",
            where="encoding superni: max_tokens",
            hint="set the option tokens=gpt2 to count GPT-2 tokens instead",
        )
    return tokenizer


class SuperNI(Encoding, frozen=True, kw_only=True):
    """Definition, examples, instance.

    Attributes:
        task_name: Begin with the name of the task.
        definition: Show the definition.
        positive: At most this many right examples (in-context examples, if any, are all shown instead).
        negative: At most this many wrong examples.
        explanations: Explain after each example why it is right or wrong, if there is an explanation.
        max_tokens: The longest prompt, or None for no limit. The paper used 1024.
        tokens: Whose tokens are counted: the model's own, or GPT-2's.
        clean_up: Whether a cut prompt loses blanks before punctuation, as decoding did in the library that Tk-Instruct
            was written for. Left out: yes for the model's own tokens, no for GPT-2's, whose decoding keeps every byte.
    """

    name: ClassVar[str] = "superni"

    task_name: bool = False
    definition: bool = True
    positive: Count = 2
    negative: Count = 0
    explanations: bool = False
    max_tokens: Positive | None = None
    tokens: TokenSource = "model"
    clean_up: bool | None = None

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        shown = task.instruction
        name = f"{task.name}. " if self.task_name else ""
        definition = _dot(f"Definition: {shown.definition.strip()}") + "\n\n" if self.definition else ""
        tail = _dot(f"Now complete the following example -\nInput: {instance.input.strip()}") + "\nOutput: "
        right = [
            _example("Positive", number, example, self.explanations)
            for number, example in enumerate(demos or shown.positive[: self.positive], 1)
        ]
        wrong = [
            _example("Negative", number, example, self.explanations)
            for number, example in enumerate(shown.negative[: self.negative], 1)
        ]
        if self.max_tokens is None:
            return Prompt("".join([name, definition, *right, *wrong, tail]))
        counter = _counter(self.tokens, tokenizer)
        # The official check joins the examples with a blank and leaves the task name out; so do we.
        kept = _fitting(right, definition, tail, self.max_tokens, counter)
        kept_wrong = _fitting(wrong, definition + " ".join(kept), tail, self.max_tokens, counter)
        text = "".join([name, definition, *kept, *kept_wrong, tail])
        dropped = len(right) + len(wrong) - len(kept) - len(kept_wrong)
        ids = counter.encode(text)
        if len(ids) <= self.max_tokens:
            return Prompt(text, dropped=dropped)
        cut = counter.decode(ids[: self.max_tokens])
        clean_up = self.tokens == "model" if self.clean_up is None else self.clean_up
        return Prompt(tidy(cut) if clean_up else cut, dropped=dropped, cut=True)


# What decoding with `clean_up_tokenization_spaces` does, in its order: blanks before punctuation and clitics go.
_CLEANED = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")


def tidy(text: str) -> str:
    """A cut prompt as the official code shows it: decoded with the clean-up that its library does by default.

    Uncut prompts never go through the tokenizer and keep every blank.
    """
    for found in _CLEANED:
        text = text.replace(found, found.strip())
    return text


def _fitting(examples: list[str], head: str, tail: str, limit: int, counter: Tokenizer) -> list[str]:
    """The examples taken in order until one does not fit; shorter ones behind it are not tried."""
    taken: list[str] = []
    for example in examples:
        if len(counter.encode(head + " ".join(taken) + example + tail)) > limit:
            break
        taken.append(example)
    return taken


RECIPES: dict[str, SuperNI] = {
    "superni/task-id": SuperNI(task_name=True, definition=False, positive=0),
    "superni/def": SuperNI(positive=0),
    "superni/pos1": SuperNI(definition=False, positive=1),
    "superni/def-pos1": SuperNI(positive=1),
    "superni/pos2": SuperNI(definition=False),
    "superni/def-pos2": SuperNI(),
    "superni/def-pos2-neg2": SuperNI(negative=2),
    "superni/def-pos2-neg2-expl": SuperNI(negative=2, explanations=True),
    "superni/pos4": SuperNI(definition=False, positive=4),
    "superni/def-pos4": SuperNI(positive=4),
}
"""The ten encodings of Table 4, in its order."""

TASK_ID, DEF, POS1, DEF_POS1, POS2, DEF_POS2, DEF_POS2_NEG2, DEF_POS2_NEG2_EXPL, POS4, DEF_POS4 = RECIPES.values()

_MIXED = (DEF, POS2, DEF_POS2, DEF_POS2_NEG2, SuperNI(explanations=True))


class TkInstruct(Encoding, frozen=True, kw_only=True):
    """One of five encodings per instance, as Tk-Instruct mixes them in training: drawn by the seed and the instance.

    Attributes:
        seed: Another seed, another draw.
        max_tokens, tokens, clean_up: As in `superni`.
    """

    name: ClassVar[str] = "superni/tk-instruct"

    seed: int = 0
    max_tokens: Positive | None = None
    tokens: TokenSource = "model"
    clean_up: bool | None = None

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        drawn = keyed_random(self.name, self.seed, task.name, instance.id).choice(_MIXED)
        chosen = replace(drawn, max_tokens=self.max_tokens, tokens=self.tokens, clean_up=self.clean_up)
        return chosen.encode(task, instance, demos if drawn.positive else (), tokenizer)


SUPERNI = SuperNI()
TK_INSTRUCT = TkInstruct()
