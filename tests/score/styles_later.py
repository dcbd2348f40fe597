"""Twenty more ordinary ways to say an answer, written after the lenient reader was finished.

`LATER_STYLES` showed two causes of misses (an answer under a heading, a comment below it), which were then repaired;
`LAST_STYLES` were written after that.
"""

from __future__ import annotations

from styles import Style, _capital, _spoken, _whole


def _plain(before: str, after: str = "") -> Style:
    return lambda parts, task, _: f"{before}{_whole(parts, task)}{after}"


LATER_STYLES: dict[str, Style] = {
    "is the answer": lambda parts, task, _: f"{_capital(_whole(parts, task))} is the answer.",
    "html": _plain("<p><strong>", "</strong></p>"),
    "heading": _plain("## Final Answer\n\n"),
    "reasoning first": _plain(
        "Let me work through this step by step. First I look at what is given. Then I look at what is asked.\n\n"
        "Therefore, the correct answer is: **", "**"
    ),
    "explained below": _plain("", "\n\nExplanation: This follows directly from what is given above."),
    "my final answer": _plain("My final answer is \"", "\"."),
    "arrow": _plain("Result → "),
    "thinking tags": _plain("<thinking>\nWhat is asked for here? I check twice.\n</thinking>\n<answer>", "</answer>"),
    "spanish": _plain("La respuesta es: "),
    "chatty": lambda parts, task, _: f"Great question! I'd say {_spoken(parts, task)}. Hope that helps!",
}  # fmt: skip

LAST_STYLES: dict[str, Style] = {
    "upper-case marker": _plain("FINAL ANSWER: "),
    "brackets": _plain("[", "]"),
    "exclamation": lambda parts, task, _: f"It's {_whole(parts, task)}!",
    "emoji": _plain("\u2705 "),
    "double brackets": _plain("The final answer is [[", "]]."),
    "okay so": _plain("Okay, so the answer would be: ", "."),
    "correct option": _plain("**The correct answer is:**\n\n"),
    "yaml": _plain("answer: ", "\n"),
    "i am confident": _plain("I am confident that the answer is ", "."),
    "apology": _plain("Sorry for the confusion. The answer is ", ". Is there anything else I can do?"),
}  # fmt: skip
