"""Ordinary ways to say an answer, and ways not to: what the lenient reader is measured with.

`styles.toml` holds them as templates, round by round. Every round was written before the reader had seen it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from taskloom.core import Instance, Items, Task


class Round(NamedTuple):
    """The styles and hedges that were written together."""

    name: str
    styles: list[str]
    hedges: list[str]


ROUNDS = [
    Round(**entry) for entry in tomllib.loads((Path(__file__).parent / "styles.toml").read_text("utf-8"))["round"]
]
_SLOT = re.compile(r"⟨([^⟩]+)⟩")
_BULLETS: dict[str, Callable[[int], str]] = {
    "-": lambda _: "- ",
    "*": lambda _: "* ",
    "1": lambda n: f"{n}. ",
    "•": lambda _: "• ",
    "1)": lambda n: f"{n}) ",
    "lines": lambda _: "",
}
_NUMBER_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def parts_of(instance: Instance) -> list[str]:
    """The canonical answer in its parts, usually one."""
    targets = instance.targets
    if isinstance(targets, Items):
        return list(targets.alternatives[0]) or [targets.empty]
    slots = getattr(targets, "slots", None)
    return [slot[0] for slot in slots] if slots is not None else [targets.canonical()]


def whole(parts: list[str], task: Task) -> str:
    """The parts as the task wants them: the bare, strict answer."""
    if task.kind == "items":
        return (" | " if task.scorer.startswith("zest") else ", ").join(parts)
    return " ".join(parts)


def say(template: str, parts: list[str], task: Task, instance: Instance, wrong: str = "") -> str:
    """What a model says that answers in a style; hedges also name a wrong answer."""
    several = task.kind in ("items", "sequence") and len(parts) > 1
    answer = whole(parts, task)
    spoken = ", ".join(parts[:-1]) + " and " + parts[-1] if several else answer
    labels = task.labels or (wrong, answer)
    others = [label for label in task.labels if label != answer]
    decoy = others[0] if others else next((word for word in instance.input.split() if word not in parts), "zebra")
    alone = task.kind == "text" and spoken.isalpha() and spoken.islower()
    value: Any = parts if several else parts[0]
    if task.kind == "json" and parts[0][:1] in ("[", "{"):
        value = json.loads(parts[0])
    listed = parts if several else [answer]
    slots = {
        "a": answer,
        "n": _other_number(answer, task),
        ";": "; ".join(listed),
        "b": ", ".join(f"**{part}**" for part in listed),
        "A": answer[:1].upper() + answer[1:],
        "s": spoken,
        "S": spoken[:1].upper() + spoken[1:],
        "the": f"the {spoken}" if alone else spoken,
        "j": json.dumps(value, ensure_ascii=False),
        "d": decoy,
        "D": decoy[:1].upper() + decoy[1:],
        "q": str(instance.parts.get("question") or instance.input.strip().split("\n")[-1]),
        "e": _evidence(instance, parts),
        "je": json.dumps(_evidence(instance, parts), ensure_ascii=False),
        "r": _restated(str(instance.parts.get("question") or ""), spoken, task),
        "w": wrong,
        "jw": json.dumps(wrong),
        "labels": ", ".join(labels),
        "labels-": "- " + "\n- ".join(labels),
        "input": instance.input,
        "definition": task.instruction.definition,
    }
    for sign, bullet in _BULLETS.items():
        slots[sign] = "\n".join(bullet(n) + part for n, part in enumerate(listed, 1))
    return _SLOT.sub(lambda slot: slots[slot[1]], template)


def _other_number(answer: str, task: Task) -> str:
    """A small number in words instead of digits, or the other way round; any other answer as it is."""
    if task.kind == "number" and answer.isdecimal() and int(answer) < len(_NUMBER_WORDS):
        return _NUMBER_WORDS[int(answer)]
    return answer


def _evidence(instance: Instance, parts: list[str]) -> str:
    """A sentence of the input that a model would quote: the last one with the answer in it, else the first."""
    text = instance.input.strip()
    question = str(instance.parts.get("question") or "")
    shown = [one.strip() for one in re.split(r"\n+|(?<=[.!?])\s+", text) if one.strip() and one.strip() not in question]
    found = next((one for one in reversed(shown) if parts[0].casefold() in one.casefold()), shown[0] if shown else text)
    return found if found.endswith((".", "!", "?")) else f"{found}."


_RESTATED = (
    (r"Where (is|was) (.+?)( before .+)?\?", "⟨2⟩ ⟨1⟩ in the ⟨a⟩⟨3⟩."),
    (r"What is (.+) afraid of\?", "⟨1⟩ is afraid of the ⟨a⟩."),
    (r"How many objects is (.+) carrying\?", "⟨1⟩ is carrying ⟨a⟩ objects."),
    (r"Where will (.+) go\?", "⟨1⟩ will go to the ⟨a⟩."),
    (r"Why did (.+) go to (.+)\?", "⟨1⟩ went to ⟨2⟩ because he was ⟨a⟩."),
    (r"Why did (.+) get (.+)\?", "⟨1⟩ got ⟨2⟩ because he was ⟨a⟩."),
    (r"How do you go from (.+)\?", "To go from ⟨1⟩, go ⟨a⟩."),
    (r"Who (.+)\?", "⟨a⟩ ⟨1⟩."),
)
_SPOKEN_LABELS = {
    "entailment": "The premise entails the hypothesis.",
    "not-entailment": "The premise does not entail the hypothesis.",
    "n/a": "The passage does not say.",
}


def _restated(question: str, spoken: str, task: Task) -> str:
    """The answer in a whole sentence, in the words of the question where it is one of those known here."""
    if spoken in _SPOKEN_LABELS:
        return _SPOKEN_LABELS[spoken]
    truth = re.fullmatch(r"(Is|Was) ((?:[Tt]he |[Tt]his )?(?:\w+ )?\w+?) ((?:in|above|below|to) .+)\?", question)
    if truth and spoken in ("yes", "no"):
        verb = truth[1].lower() + (" not" if spoken == "no" else "")
        return f"{spoken.capitalize()}, {truth[2]} {verb} {truth[3]}."
    for pattern, sentence in _RESTATED:
        asked = re.fullmatch(pattern, question)
        if asked and not task.labels:
            words = {"a": spoken, **{str(place): group or "" for place, group in enumerate(asked.groups(), 1)}}
            said = _SLOT.sub(lambda slot, words=words: words[slot[1]], sentence)
            return said[:1].upper() + said[1:]
    return f"The answer is {spoken}."
