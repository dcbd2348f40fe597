"""Styles and hedges that the reader was restructured with; nothing about them is unseen."""

from __future__ import annotations

import json
from collections.abc import Callable

from styles import Style, _whole
from styles_blind import _plain, _question, _value

from taskloom.core import Instance, Task

WIDER_STYLES: dict[str, Style] = {
    "table": _plain("| Item | Answer |\n| --- | --- |\n| 1 | ", " |"),
    "blockquote": _plain("> "),
    "equals": _plain("Answer = "),
    "confidence": _plain("Answer: ", "\n\nConfidence: high"),
    "keyvalues": lambda parts, task, instance: (
        f"question: {_question(instance)}\nanswer: {_whole(parts, task)}\nconfidence: 0.9"
    ),
    "footnote": _plain("", "[^1]\n\n[^1]: As given in the input."),
    "apology": _plain("I apologize for any confusion earlier. ", " is what I should have said."),
    "apology2": _plain("My apologies for the delay! The correct answer is ", "."),
    "json prose": lambda parts, task, instance: (
        f"In JSON, my answer is {json.dumps({'answer': _value(parts, task)}, ensure_ascii=False)}, as requested."
    ),
    "json reason": lambda parts, task, instance: json.dumps(
        {"reasoning": "I looked at the input and compared it.", "answer": _value(parts, task)}, ensure_ascii=False
    ),
    "latex": _plain("$$\\boxed{\\text{", "}}$$"),
    "latex2": _plain("\\[\n\\boxed{", "}\n\\]"),
    "emoji": _plain("👉 ", " 🎉"),
    "emoji answer": _plain("✅ Answer: "),
    "underlined": _plain("ANSWER\n======\n"),
    "underlined2": _plain("Answer\n------\n"),
    "restated answer": lambda parts, task, instance: (
        f'The correct answer to the question "{_question(instance)}" is {_whole(parts, task)}.'
    ),
    "q a": lambda parts, task, instance: f"Q: {_question(instance)}\nA: {_whole(parts, task)}",
    "result tag": _plain("<result>", "</result>"),
    "nested tags": _plain("<response>\n<answer>", "</answer>\n</response>"),
    "final suffix": _plain("", ". That's my final answer."),
    "short long": _plain("Short answer: ", ". Long answer: it follows from what is given."),
    "tldr": _plain("TL;DR: "),
    "you asked": _plain("You asked for one answer only. It is ", "."),
    "given info": _plain("According to the given information, it is ", "."),
    "that would be": _plain("That would be ", "."),
    "no doubt": _plain("No doubt about it: ", "."),
    "not hard": _plain("This one is not difficult: ", "."),
    "special tokens": _plain("<|assistant|>", "<|end|>"),
    "response heading": _plain("### Response:\n"),
    "assistant": _plain("Assistant: "),
    "code": lambda parts, task, instance: f"answer = {json.dumps(_value(parts, task), ensure_ascii=False)}",
    "steps": _plain("Step 1: Read the input.\nStep 2: Work out what is asked.\nStep 3: Write it down.\n\nAnswer: "),
    "steps2": _plain("1. Read the input.\n2. Work out what is asked.\n\n**Final answer:** ", ""),
    "hr": _plain("I have read the input with care.\n\n---\n\n**", "**"),
    "semicolon": _plain("Done; the answer is ", "."),
    "quote said": lambda parts, task, instance: f"“{_whole(parts, task)}” is the correct answer.",
    "italic": _plain("*", "*"),
    "dash": _plain("Answer - "),
    "em dash": _plain("Answer — "),
    "we get": _plain("Putting it all together, we get ", "."),
    "thus": _plain("Thus, the answer must be ", "."),
    "and that is": _plain("", " - that is my answer."),
    "hope": _plain("", "\n\nI hope this helps! 😊"),
    "explain colon": _plain("", "\n\n**Reasoning:** I compared what is given with what is asked."),
    "bracket explanation": _plain("", " (this follows from the input)"),
    "german": _plain("Die Antwort lautet: "),
    "french": _plain("La réponse est : "),
    "chinese": _plain("答案是："),
    "answer is in quotes": _plain("The answer is: '", "'"),
    "capital marker": _plain("THE ANSWER IS: "),
    "so final": _plain("So the final answer is: ", "."),
    "single backtick": _plain("The answer is `", "`."),
    "option paren": _plain("(", ")"),
    "parens after": _plain("The answer is (", ")."),
    "hash": _plain("#### "),
}

WIDER_HEDGES: dict[str, Callable[[str, str, Task, Instance], str]] = {
    "could": lambda right, wrong, task, instance: f"It could be {right}.",
    "or possibly": lambda right, wrong, task, instance: f"{right}, or possibly {wrong}.",
    "brackets or": lambda right, wrong, task, instance: f"{right} (or {wrong})",
    "question": lambda right, wrong, task, instance: f"Is it {right}?",
    "wrong": lambda right, wrong, task, instance: f"{right} is wrong.",
    "not correct": lambda right, wrong, task, instance: f"{right} is not correct.",
    "not answer": lambda right, wrong, task, instance: f"{right} is not the answer.",
    "anything but": lambda right, wrong, task, instance: f"Anything but {right}.",
    "not sure": lambda right, wrong, task, instance: f"I'm not sure, but perhaps {right}?",
    "unsure lead": lambda right, wrong, task, instance: f"Not sure: {right} or {wrong}.",
    "might": lambda right, wrong, task, instance: f"{right} might be right, but so might {wrong}.",
    "first second": lambda right, wrong, task, instance: f"My first guess is {right}, my second guess is {wrong}.",
    "two answers": lambda right, wrong, task, instance: f"Answer 1: {right}\nAnswer 2: {wrong}",
    "two final": lambda right, wrong, task, instance: f"The answer is {right}. The answer is {wrong}.",
    "one of": lambda right, wrong, task, instance: f"One of {right} and {wrong}.",
    "contrast": lambda right, wrong, task, instance: f"It is {wrong}, not {right}.",
    "rather": lambda right, wrong, task, instance: f"{wrong} rather than {right}.",
    "some say": lambda right, wrong, task, instance: f"Some would say {right}, others {wrong}.",
    "false claim": lambda right, wrong, task, instance: f"It is false that it is {right}.",
    "retract": lambda right, wrong, task, instance: f"{right}. No, wait, {wrong}.",
    "never": lambda right, wrong, task, instance: f"I would never say {right}.",
    "neither": lambda right, wrong, task, instance: f"Neither {right} nor {wrong}.",
    "toss": lambda right, wrong, task, instance: f"It's a toss-up between {right} and {wrong}.",
    "disagree": lambda right, wrong, task, instance: f"You may expect {right}, but that would be a mistake.",
    "all in a sentence": lambda right, wrong, task, instance: (
        "The possible answers are " + ", ".join(task.labels or (wrong, right)) + "."
    ),
    "spanish or": lambda right, wrong, task, instance: f"La respuesta es {right} o {wrong}.",
    "dont think": lambda right, wrong, task, instance: f"I don't think it's {right}.",
    "isn't": lambda right, wrong, task, instance: f"The answer isn't {right}.",
    "json two": lambda right, wrong, task, instance: json.dumps({"answer": [right, wrong]}),
    "echo all": lambda right, wrong, task, instance: f"{instance.input}",
}

LISTING = frozenset(
    {"two lines", "all labels", "all labels in turn", "two answers", "all in a sentence", "json two", "two final"}
)
"""Hedges that name two answers. Where a list is asked for, they are a list, and worth what that list is worth."""
