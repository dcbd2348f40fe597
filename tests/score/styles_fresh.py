"""Rounds of twenty styles and a dozen hedges, each written as a chat model answers and measured before any repair.

`docs/protocols.md` gives what each round scored at first sight.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from styles import Style, _capital, _listed, _spoken, _whole
from styles_blind import _plain, _question, _value

from taskloom.core import Instance, Task

ROUNDS = ("fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
Hedge = Callable[[str, str, Task, Instance], str]


def _decoy(parts: list[str], task: Task, instance: Instance) -> str:
    """Something that is not the answer: another label, or the first word of the input."""
    said = _whole(parts, task)
    others = [label for label in task.labels if label != said]
    return others[0] if others else next((word for word in instance.input.split() if word not in parts), "zebra")


FOURTH_ROUND: dict[str, Style] = {
    "tip of the hat": _plain("Good one! After a quick look, I'm going with ", "."),
    "bold heading, then reasons": lambda parts, task, instance: (
        f"## {_whole(parts, task)}\n\n**Why?** The input leaves no other reading."
    ),
    "analysis and answer sections": _plain(
        "**Analysis**\n\nThe request is clear, and the relevant part of the input is easy to spot.\n\n**Answer**\n\n"
    ),
    "everything points to": _plain("Everything in the input points to ", "."),
    "json with explanation": lambda parts, task, _: (
        "```json\n"
        + json.dumps({"explanation": "Worked out from the input.", "final_answer": _value(parts, task)}, indent=2)
        + "\n```"
    ),
    "therefore box": _plain("Therefore:\n\n\\[ \\boxed{\\textbf{", "}} \\]"),
    "decoy ruled out": lambda parts, task, instance: (
        f"{_whole(parts, task)}\n\nI considered {_decoy(parts, task, instance)} as well, but that does not fit."
    ),
    "pointing finger": _plain("The answer 👉 **", "** 👈"),
    "numbered steps, result": _plain(
        "1. I read the instructions.\n2. I looked at the input.\n3. I applied the one to the other.\n\nResult: **", "**"
    ),
    "thinking with decoys": lambda parts, task, instance: (
        f"<think>\nFirst idea: {_decoy(parts, task, instance)}. Hmm, no. Let me check again.\n"
        f"It must be {_whole(parts, task)}.\n</think>\n\n{_whole(parts, task)}"
    ),
    "upper-case label, colon": _plain("OUTPUT:\n"),
    "happy to help": _plain("Happy to help! Here's what you're looking for: **", "**. 😊"),
    "it's clear that": _plain("It's clear that the right answer here is ", "."),
    "quoted, with comma": lambda parts, task, _: f'I would answer with "{_whole(parts, task)}".',
    "table, reason first": _plain("| Reasoning | Answer |\n|---|---|\n| straightforward | **", "** |"),
    "spoken, simply": lambda parts, task, _: f"Simply put: {_spoken(parts, task)}.",
    "answer to your question": lambda parts, task, instance: (
        f"To answer your question: {_whole(parts, task)}. Let me know if you'd like me to walk you through it."
    ),
    "listed under heading": lambda parts, task, _: "### Final Answer\n\n" + _listed(parts, task, lambda _n: "- "),
    "answer dash reason": _plain("**", "** – this is what the input tells us."),
    "capital, confident": lambda parts, task, _: (
        f"{_capital(_whole(parts, task))}. I'm quite confident about this one."
    ),
}

FOURTH_HEDGES: dict[str, Hedge] = {
    "torn": lambda right, wrong, task, _: f"I'm torn between {right} and {wrong}.",
    "first retracted": lambda right, wrong, task, _: f"At first I thought {right}, but it is actually {wrong}.",
    "was going to say": lambda right, wrong, task, _: f"I was going to say {right}, but the answer is {wrong}.",
    "certainly not": lambda right, wrong, task, _: f"Certainly not {right}!",
    "plausible both": lambda right, wrong, task, _: f"Both {right} and {wrong} are plausible.",
    "if then": lambda right, wrong, task, _: f"If you read it one way, {right}; if you read it the other way, {wrong}.",
    "ruled out": lambda right, wrong, task, _: f"{_capital(right)} can be ruled out.",
    "asked back": lambda right, wrong, task, _: f"Did you mean {right}?",
    "options bullets": lambda right, wrong, task, _: f"Possible answers:\n- {right}\n- {wrong}",
    "one might think": lambda right, wrong, task, _: f"One might think it is {right}. It is not.",
    "restated question only": lambda right, wrong, task, instance: f"You are asking: {_question(instance)}",
    "wrong answer then": lambda right, wrong, task, _: f"The answer is {wrong}. Many people would say {right}.",
}

FIFTH_ROUND: dict[str, Style] = {
    "let me break it down": _plain(
        "Let me break this down for you.\n\n- The task is clear.\n- The input is short.\n\nTogether, this gives **",
        "**.",
    ),
    "final answer, all caps": _plain("FINAL ANSWER IS **", "**!!!"),
    "thanks first": _plain("Thanks for the question! My answer would be ", ", based on the information provided."),
    "we can conclude": _plain('From the above, we can conclude that the answer is "', '".'),
    "short version": _plain("Short version: ", ".\n\nLonger version: the input says so quite directly."),
    "json, capital key": lambda parts, task, _: (
        'Sure thing! {"Answer": ' + json.dumps(_value(parts, task), ensure_ascii=False) + "}"
    ),
    "yaml fence": lambda parts, task, _: "```yaml\nreasoning: see above\nanswer: " + _whole(parts, task) + "\n```",
    "italics in a sentence": _plain("The answer I'd give here is *", "*, no more and no less."),
    "latex text": _plain("$\\text{", "}$"),
    "drum roll": _plain("And the answer is... 🥁 **", "**!"),
    "numbered single": _plain("1) "),
    "self-check": _plain("Answer: ", "\n\nLet me double-check: yes, this is consistent with everything in the input."),
    "decoy first": lambda parts, task, instance: (
        f"At first glance one might say {_decoy(parts, task, instance)}, but looking closer, the answer is "
        f"{_whole(parts, task)}."
    ),
    "spanish final": _plain("Respuesta final: **", "**\n\n¡Espero que te sirva!"),
    "as an ai": _plain("As an AI language model, I'd respond: ", "."),
    "the answer, colon, reason below": lambda parts, task, instance: (
        f"{_whole(parts, task)}\n\n**Reasoning:**\n1. The question was read.\n2. The relevant facts were found.\n"
        f"3. {_capital(_decoy(parts, task, instance))} was excluded."
    ),
    "em-dash ending": _plain("It comes down to one thing — ", "."),
    "my pick": lambda parts, task, _: f"My pick? {_capital(_whole(parts, task))}.",
    "html answer": _plain("<div><b>Answer:</b> <i>", "</i></div>"),
    "question echoed in bold": lambda parts, task, instance: f"**{_question(instance)}**\n\n{_spoken(parts, task)}",
}

FIFTH_HEDGES: dict[str, Hedge] = {
    "leaning": lambda right, wrong, task, _: f"I'm leaning towards {right}, although {wrong} is just as good.",
    "no idea": lambda right, wrong, task, _: f"I have no idea. {right}? {wrong}?",
    "either way": lambda right, wrong, task, _: f"{right} and {wrong} would both work here.",
    "correction": lambda right, wrong, task, _: f"Answer: {right}\n\nCorrection: {wrong}",
    "edit": lambda right, wrong, task, _: f"{right}\n\nEdit: I misread the input. It should be {wrong}.",
    "definitely isn't": lambda right, wrong, task, _: f"The answer definitely isn't {right}, so it must be {wrong}.",
    "would have been": lambda right, wrong, task, _: f"{right} would have been correct if the input were different.",
    "wrong because": lambda right, wrong, task, _: f"Saying {right} would be incorrect.",
    "labels with marks": lambda right, wrong, task, _: f"✅ {wrong}\n❌ {right}",
    "choose for me": lambda right, wrong, task, _: f"Which one would you prefer: {right} or {wrong}?",
    "all three": lambda right, wrong, task, _: f"Option A: {right}. Option B: {wrong}. Option C: something else.",
    "not enough": lambda right, wrong, task, _: f"There isn't enough information to say whether it is {right}.",
}

LISTED = frozenset({"options bullets"})
"""Hedges that name two answers, as `styles_wider.LISTING` does."""

SIXTH_ROUND: dict[str, Style] = {
    "okay, let me see": _plain("Okay, let me see… Right, I've got it: ", "."),
    "answer on a new line, bold label": _plain("**Final Answer**  \n", "  \n"),
    "reply in a sentence, quoted": _plain("After carefully considering the input, my response is: “", "”"),
    "key takeaway": _plain("🔑 **Key takeaway:** ", ""),
    "json list of one": lambda parts, task, _: json.dumps([{"id": 1, "answer": _value(parts, task)}]),
    "xml": _plain("<output>\n  ", "\n</output>"),
    "markdown link-ish": _plain("Answer: [", "]"),
    "explains itself afterwards": _plain(
        "",
        "\n\nHere's my thought process: I first read the instructions, then went through the input line by line, and "
        "this is the only result that satisfies them.",
    ),
    "decoys in the explanation": lambda parts, task, instance: (
        f"The answer is {_whole(parts, task)}. "
        f"It cannot be {_decoy(parts, task, instance)}, as the input rules that out."
    ),
    "numbered reasoning, therefore": _plain(
        "1. **Read** the input.\n2. **Apply** the instruction.\n3. **Write** the result.\n\n"
        "Therefore, the output is:\n\n"
    ),
    "solved": _plain("Solved! ✔️ → "),
    "hashes": _plain("I worked it out step by step.\n#### "),
    "this one is simple": _plain("This one's simple enough: the answer's ", "."),
    "french frame": _plain("La bonne réponse est « ", " »."),
    "is correct": _plain("I believe “", "” is correct."),
    "code comment": _plain('```python\n# final answer\nprint("', '")\n```'),
    "two-column table": _plain(
        "| Question | Answer |\n|:--|:--|\n| see above | ", " |\n\nLet me know if anything is unclear."
    ),
    "repeated": lambda parts, task, _: (
        f"{_whole(parts, task)}\n\nSo, to repeat, the final answer is {_whole(parts, task)}."
    ),
    "thinking out loud": _plain(
        "<thinking>The user wants one answer. Could it be something else? I doubt it.</thinking>My answer is ", "."
    ),
    "signed": _plain("", "\n\n– Your helpful assistant"),
}

SIXTH_HEDGES: dict[str, Hedge] = {
    "used to be": lambda right, wrong, task, _: f"It used to be {right}, but now it is {wrong}.",
    "hard to choose": lambda right, wrong, task, _: f"Hard to choose: {right}? Or rather {wrong}?",
    "percentages": lambda right, wrong, task, _: f"{right} (50%), {wrong} (50%)",
    "cannot say": lambda right, wrong, task, _: f"I can't say that the answer is {right}.",
    "no way": lambda right, wrong, task, _: f"There is no way it's {right}.",
    "example": lambda right, wrong, task, _: f"Could you clarify? For example, do you want something like {right}?",
    "tempting": lambda right, wrong, task, _: f"{right} is tempting, but {wrong} is the better choice.",
    "crossed out": lambda right, wrong, task, _: f"~~{right}~~ {wrong}",
    "changed my mind": lambda right, wrong, task, _: f"{right}... Actually, I changed my mind: {wrong}.",
    "opposite": lambda right, wrong, task, _: f"The opposite of {right}.",
    "not necessarily": lambda right, wrong, task, _: f"Not necessarily {right}.",
    "pros and cons": lambda right, wrong, task, _: f"On the one hand, {right}. On the other hand, {wrong}.",
}

SEVENTH_ROUND: dict[str, Style] = {
    "here goes": _plain("Alright, here goes nothing! I'd say the best answer is ", "."),
    "summary heading": _plain(
        "# Summary\n\nI looked at the input and followed the instructions.\n\n# Answer\n\n", "\n"
    ),
    "bold key value": _plain("- **Task:** as given\n- **Answer:** "),
    "it has to be": _plain("Looking at all of this, it has to be ", "."),
    "nothing but": lambda parts, task, _: f"{_whole(parts, task)} — nothing more to add!",
    "answer in parentheses": _plain("Here's my answer (", ")."),
    "json with nested": lambda parts, task, _: json.dumps(
        {"status": "ok", "result": _value(parts, task)}, ensure_ascii=False, indent=1
    ),
    "boxed with units": _plain("Putting it in a box: $\\boxed{\\mathrm{", "}}$ ✅"),
    "thinking, then short": _plain("<think>\n\n</think>\n\n"),
    "quoted line": _plain("My answer:\n\n> ", "\n"),
    "i'm confident first": _plain("I'm confident in this one: **", "**"),
    "decoy after": lambda parts, task, instance: (
        f"**{_whole(parts, task)}**\n\nNote that {_decoy(parts, task, instance)} would be a mistake here."
    ),
    "explained step by step": _plain(
        "Step 1 - I read through the input.\nStep 2 - I compared it with what was asked.\n"
        "Step 3 - I settled on the answer.\n\n"
        "Answer: ",
        ".",
    ),
    "as requested": lambda parts, task, _: f"As requested, here is just the answer:\n{_spoken(parts, task)}",
    "italian frame": _plain("La risposta è: "),
    "sorry for earlier": _plain("Apologies, I misread that at first. The correct answer is ", "."),
    "answer then follow-up": _plain("", "\n\nWould you like me to explain how I arrived at this?"),
    "upper-case heading": _plain("ANSWER:\n\n**", "**\n"),
    "so it's": lambda parts, task, _: f"Okay so… it's {_whole(parts, task)}, plain and simple.",
    "tagged bold": _plain("[Answer] ", " [/Answer]"),
}

SEVENTH_HEDGES: dict[str, Hedge] = {
    "sometimes": lambda right, wrong, task, _: f"Sometimes {right}, sometimes {wrong}.",
    "would not": lambda right, wrong, task, _: f"I wouldn't say {right}.",
    "refuted": lambda right, wrong, task, _: f"{right} has been refuted by the input.",
    "hmm": lambda right, wrong, task, _: f"Hmm, {right}... or was it {wrong}?",
    "guess list": lambda right, wrong, task, _: f"My guesses, in order: {wrong}, {right}.",
    "first then": lambda right, wrong, task, _: f"My initial answer was {right}. After checking, I now say {wrong}.",
    "user asked": lambda right, wrong, task, _: f"You asked whether it is {right}. I need more information.",
    "can't rule out": lambda right, wrong, task, _: f"I can't rule out {right}.",
    "doubtful": lambda right, wrong, task, _: f"I doubt it's {right}.",
    "vs": lambda right, wrong, task, _: f"{right} vs. {wrong}",
    "false statement": lambda right, wrong, task, _: f"It would be wrong to answer {right}.",
    "unknown person": lambda right, wrong, task, _: f"Someone else might answer {right}, but I won't.",
}

EIGHTH_ROUND: dict[str, Style] = {
    "quick answer": _plain("Quick answer: **", "**. Happy to go into detail!"),
    "working shown": _plain("Working:\n- took the input\n- followed the rule\n\nAns: "),
    "i'd go with": _plain("Hmm, I'd go with ", " on this."),
    "final in brackets": _plain("【", "】"),
    "json response key": lambda parts, task, _: (
        "The response, as JSON:\n" + json.dumps({"response": _value(parts, task)}, ensure_ascii=False)
    ),
    "correct answer bold end": _plain("Having read everything twice, the correct answer is:\n\n**", "**\n\nCheers!"),
    "double star sentence": _plain("**The answer is ", ".**"),
    "target emoji": _plain("🎯 Answer: **", "** 🎯"),
    "no fluff": _plain("No fluff, just the answer: "),
    "reasoning then hence": _plain(
        "The instruction tells me what to do, and the input gives me what I need. Hence, my answer is ", "."
    ),
    "p.s.": _plain("", "\n\nP.S. Ask me anything else you like."),
    "table, only value": _plain("| Answer |\n|---|\n| ", " |"),
    "thinking tag, reasoning": _plain("<reasoning>I weigh this against that.</reasoning>\n**Answer**: "),
    "decoy denied first": lambda parts, task, instance: (
        f"It's not {_decoy(parts, task, instance)}. It's {_whole(parts, task)}."
    ),
    "german": _plain("Die richtige Antwort ist: **", "**."),
    "in one word": lambda parts, task, _: f"In a word: {_whole(parts, task)}",
    "list heading": lambda parts, task, _: "Here you are:\n\n" + _listed(parts, task, lambda n: f"{n}. "),
    "restated instruction": _plain("You asked me to follow the instruction and answer with the answer alone. So: ", ""),
    "certainty": _plain("With 95% certainty, the answer is ", "."),
    "capital, exclaimed": lambda parts, task, _: f"{_capital(_whole(parts, task))}! That's the one.",
}

EIGHTH_HEDGES: dict[str, Hedge] = {
    "likely or": lambda right, wrong, task, _: f"Most likely {right}, or else {wrong}.",
    "could go either way": lambda right, wrong, task, _: f"{right}, {wrong}: it could go either way.",
    "not at all": lambda right, wrong, task, _: f"{right}? Not at all.",
    "no longer": lambda right, wrong, task, _: f"It is no longer {right}.",
    "some claim": lambda right, wrong, task, _: f"Some claim it is {right}, but the evidence says {wrong}.",
    "answer key missing": lambda right, wrong, task, _: f"Without more context I cannot confirm {right}.",
    "json both": lambda right, wrong, task, _: json.dumps({"answer": right, "alternative": wrong}),
    "two boxes": lambda right, wrong, task, _: f"\\boxed{{{right}}} or \\boxed{{{wrong}}}",
    "revised": lambda right, wrong, task, _: f"Answer: {right}\nRevised answer: {wrong}",
    "hypothetical": lambda right, wrong, task, _: f"If the input were different, the answer would be {right}.",
    "prefer not": lambda right, wrong, task, _: f"I'd rather not say {right}.",
    "pick one": lambda right, wrong, task, _: f"Pick one: {right}, {wrong}.",
}

NINTH_ROUND: dict[str, Style] = {
    "glad you asked": _plain("I'm glad you asked! The answer turns out to be ", "."),
    "verdict line": _plain("Verdict ➜ "),
    "given, find, answer": _plain("**Given:** the input above\n**Find:** what the task asks for\n**Answer:** ", ""),
    "bold in the middle": _plain("If I read the input correctly, **", "** is what you are after."),
    "json answer and confidence": lambda parts, task, _: (
        json.dumps({"answer": _value(parts, task), "confidence": "high"}, ensure_ascii=False) + "\n\nDone."
    ),
    "blockquote with label": _plain("> **Answer:** "),
    "double box": _plain("$$\\boxed{", "}$$\n\nSo the final answer is the boxed one."),
    "chat tokens": _plain("<|im_start|>assistant\n", "<|im_end|>"),
    "no need to explain": _plain("There's no need for a long explanation here. It's ", "."),
    "decoy as distractor": lambda parts, task, instance: (
        f"The correct answer is **{_whole(parts, task)}** ({_decoy(parts, task, instance)} is just a distractor)."
    ),
    "first person past": _plain("I went over it a couple of times and always arrived at ", "."),
    "answer in caps heading": _plain("## ANSWER: "),
    "colon, dash": _plain("Final answer: - "),
    "spanish explained": _plain("La respuesta correcta es **", "**, porque así se desprende del texto."),
    "see below": _plain("Please see the answer below.\n\n", "\n\nBest regards"),
    "checked": _plain("☑️ ", " (double-checked)"),
    "the result of applying": _plain("Applying the instruction to the input gives: ", ""),
    "to sum up": lambda parts, task, _: f"To sum up, {_spoken(parts, task)} is the right answer here.",
    "quoted and explained": _plain("“", "” – because that's what the input says."),
    "underscored": _plain("The answer: __", "__"),
}

NINTH_HEDGES: dict[str, Hedge] = {
    "struggle": lambda right, wrong, task, _: f"I struggle to choose between {right} and {wrong}.",
    "i'd avoid": lambda right, wrong, task, _: f"I'd avoid answering {right}.",
    "less likely": lambda right, wrong, task, _: f"{wrong} is likely; {right} is less likely.",
    "was my first": lambda right, wrong, task, _: f"{right} was my first thought, yet {wrong} it is.",
    "it depends": lambda right, wrong, task, _: f"It depends: {right} in one case, {wrong} in the other.",
    "never mind": lambda right, wrong, task, _: f"{right}. Never mind, {wrong}.",
    "cannot be": lambda right, wrong, task, _: f"It cannot be {right}.",
    "not quite": lambda right, wrong, task, _: f"Not quite {right}.",
    "or maybe not": lambda right, wrong, task, _: f"{right}. Or maybe not.",
    "answers a b": lambda right, wrong, task, _: f"(a) {right}\n(b) {wrong}",
    "question only": lambda right, wrong, task, _: f"{right}?",
    "both labels": lambda right, wrong, task, _: f"The answer is {right} and {wrong}.",
}
LISTED |= {"answers a b", "both labels"}
