"""Styles written after the reader had been finished, in rounds: each round was measured before the reader was touched.

`docs/protocols.md` gives what each round scored at first sight and after the repairs that it led to.
"""

from __future__ import annotations

import json
from typing import Any

from styles import Style, _listed, _whole

from taskloom.core import Instance, Task


def _plain(before: str, after: str = "") -> Style:
    return lambda parts, task, _: f"{before}{_whole(parts, task)}{after}"


def _question(instance: Instance) -> str:
    return str(instance.parts.get("question") or instance.input.strip().split("\n")[-1])


def _value(parts: list[str], task: Task) -> Any:
    if task.kind == "json" and parts[0][:1] in ("[", "{"):
        return json.loads(parts[0])
    return parts if task.kind in ("items", "sequence") and len(parts) > 1 else parts[0]


def _keyed(before: str, after: str, key: str, **others: Any) -> Style:
    return lambda parts, task, _: (
        before + json.dumps({**others, key: _value(parts, task)}, ensure_ascii=False) + after
    )  # fmt: skip


FIRST_ROUND: dict[str, Style] = {
    "as for the question": lambda parts, task, instance: (
        f"As for “{_question(instance)}”, I'd go for {_whole(parts, task)}."
    ),
    "blunt apology": _plain("Apologies if this is blunt, but the only sensible reply is ", "."),
    "emoji around": _plain("🤔💭 … 💡 ", " 💡"),
    "table without header": _plain("| | |\n|---|---|\n| **Final answer** | ", " |"),
    "json in prose": _keyed("Here you go — ", " — parsed as requested.", "prediction", status="ok"),
    "bold in a box": _plain("Hence $\\displaystyle \\boxed{\\mathbf{", "}}$, and we are finished."),
    "footnote": _plain("", "¹\n\n¹ Derived from the material supplied."),
    "answer at the end": _plain(
        "First I went over everything that was supplied. Nothing there was ambiguous. Answer: "
    ),
    "square-bracket remark": _plain("", " [translated from my notes]"),
    "bullet with reason": lambda parts, task, _: (
        _listed(parts, task, lambda _n: "* ") + "\n\nMy reasoning: every other possibility was excluded by the input."
    ),
}

SECOND_ROUND: dict[str, Style] = {
    "money on it": _plain("Let's see... I'd put my money on ", "."),
    "appears appropriate": _plain("Responding to your query, ", " appears to be the appropriate choice."),
    "answer, final": _plain("Answer (final): "),
    "arrow in a fence": _plain("```text\nFinal => ", "\n```"),
    "thought, action, input": _plain(
        "**Thought:** the input leaves no room for doubt.\n**Action:** answer\n**Action Input:** "
    ),
    "table below": _plain("My answer: ", "\n\n| check | outcome |\n|---|---|\n| format | fine |"),
    "spanish, chatty": _plain("¡Claro que sí! Yo diría que la respuesta correcta es ", "."),
    "letter": _plain(
        "Dear user,\n\nthe requested answer reads as follows:\n\n    ", "\n\nKind regards,\nYour assistant"
    ),
    "full stop": _plain("", ", full stop."),
    "ended up with": _plain("I went through the options one by one and ended up with ", "."),
}

THIRD_ROUND: dict[str, Style] = {
    "question and answer": lambda parts, task, instance: (
        f"You want to know: {_question(instance)}\n\nHere's what I found: {_whole(parts, task)}"
    ),
    "sorry for the wait": _plain("Sorry to keep you waiting! ", " it is."),
    "fire and target": _plain("🔥 Final verdict 🎯: ", " 🔥"),
    "table of two rows": _plain("| Field | Value |\n| :-- | :-- |\n| Answer | ", " |\n| Checked | twice |"),
    "json after a sentence": _keyed("I put the result into a small object:\n\n", "\n", "answer", confidence=0.97),
    "boxed on its own line": _plain("We are done.\n\n$$\n\\boxed{", "}\n$$\n"),
    "numbered note": _plain("", " [1]\n\n[1] See the input."),
    "steps, then the answer": _plain(
        "**Step 1:** Understand the request.\n**Step 2:** Apply it to the input.\n\n**Answer:** ", "\n"
    ),
    "in other words": _plain("", " (in other words, exactly what was asked for)."),
    "xml with reasons": _plain("<reason>It is what the input says.</reason>\n<answer>", "</answer>"),
}
