"""Instructions in other words: sentences of the families' definitions as templates with slots.

A pattern recognises a kind of sentence that a family writes and names its slots; each of its wordings says the same
with the same slots. What no pattern recognises stays as it is: no instruction changes its meaning unnoticed.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Pattern(NamedTuple):
    """A kind of sentence.

    Attributes:
        family: Whose definitions hold it; "all" for sentences that any definition may hold.
        sentence: Recognises it at the beginning of a sentence; its groups are the slots.
        wordings: Other wordings. A slot with a capital letter begins a sentence.
    """

    family: str
    sentence: re.Pattern[str]
    wordings: tuple[str, ...]


def _pattern(family: str, sentence: str, *wordings: str) -> Pattern:
    return Pattern(family, re.compile(rf"(?:(?<=[.?!:]\s)|^){sentence}"), wordings)


_ASK = "whether|where|what|who|how|why|which|when"
_DO = (
    "Write|Remove|Give|Find|Count|Replace|Sort|Name|Decide|Change|Turn|Add|Put|Choose|Fill|Correct|Rewrite|Complete"
    "|Encode|Decode|Convert|List|Keep|Say|Join|Translate|Answer|Repeat|Leave|Mark|Copy|Continue|Work|Exchange|Look|Extract"
)
_HACER = "Escribe|Elimina|Sustituye|Ordena|Cuenta|Corrige|Di|Elige|Completa|Cambia|Añade|Responde|Corrígelo|Indica|Pon"
_HACER += "|Escríbelos|Escríbelas|Escríbelo|Mantén|Calcula|Une|Niega"

PATTERNS = (
    _pattern(
        "babi", rf"You are given a short story and asked (?P<what>(?:{_ASK})\b[^.]+)\.",
        "Read the short story and say {what}.",
        "The input is a short story. Work out {what}.",
        "A short story comes with a question about {what}.",
        "Below you find a short story. The question is {what}.",
        "After reading a short story, you have to tell {what}.",
    ),
    _pattern(
        "babi", rf"You are told (?P<facts>[^.]+?),? and asked (?P<what>(?:{_ASK})\b[^.]+)\.",
        "The input says {facts}. Find out {what}.",
        "From sentences that say {facts}, work out {what}.",
        "You learn {facts}. The question is {what}.",
        "The sentences below say {facts}. You have to tell {what}.",
    ),
    _pattern(
        "seti",
        r"You are given a premise and a hypothesis\. Decide whether the hypothesis must be true if the premise is "
        r"true\. Answer '(?P<yes>[^']+)' if it must be true, and '(?P<no>[^']+)' if it may be false\.",
        "Read a premise and a hypothesis. If the premise is true, does the hypothesis have to be true as well? Write "
        "'{yes}' if it does and '{no}' if it does not.",
        "There are two sentences, a premise and a hypothesis. Take the premise to be true. Where this makes the "
        "hypothesis true in any case, the label is '{yes}'; otherwise it is '{no}'.",
        "Does the hypothesis follow from the premise? Choose '{yes}' if it cannot be false while the premise is true, "
        "and '{no}' if it can.",
        "Suppose that the premise is true. Label the hypothesis '{yes}' if it is then bound to be true, '{no}' if it "
        "could still be false.",
    ),
    _pattern(
        "taskbench", r"You are given (?P<input>an? \w+ word|the name of [^.;]+)\.",
        "The input is {input}.", "What you get is {input}.", "Below stands {input}.", "Your input: {input}.",
    ),
    _pattern(
        "taskbench", r"You are given several items in a row, with blanks between them; each is (?P<input>[^.]+)\.",
        "The input is a row of items with blanks between them, and each of them is {input}.",
        "Several items are given, one after the other and parted by blanks. Each is {input}.",
        "Each item of the input is {input}; blanks stand between the items.",
        "What you get is a line of items, parted by blanks, each of which is {input}.",
    ),
    _pattern(
        "taskbench", r"Say whether this is true: (?P<claim>[^.]+)\.",
        "Is the following true: {claim}?", "Decide whether it is true that {claim}.",
        "Tell whether the following holds: {claim}.", "True or false: {claim}.",
    ),
    _pattern(
        "taskbench", r"For each item give (?P<what>[^.]+)\.",
        "Give, for every item, {what}.", "For every item name {what}.", "What is wanted for each item is {what}.",
        "Find for each item {what}.",
    ),
    _pattern(
        "taskbench", r"Give (?P<what>[^.]+)\. Any one right answer is enough\.",
        "Name {what}. If there are several, one will do.",
        "What is wanted is {what}. One right answer suffices.",
        "Find {what}. It does not matter which, if there are several.",
        "State {what}. Any right one counts.",
    ),
    _pattern(
        "zest", r"Read a passage about (?P<topic>[^.:]+) and answer a question about it: ",
        "Here is a passage about {topic}. Answer this question with its help: ",
        "Use the passage about {topic} to answer the following question: ",
        "A question about {topic} has to be answered from a passage. The question is: ",
        "You get a passage about {topic}. What is asked is this: ",
    ),
    _pattern(
        "superni", r"You are given (?P<input>[^.;:]+)\.",
        "The input is {input}.", "Below you find {input}.", "What you get is {input}.", "Your input: {input}.",
    ),
    _pattern(
        "superni", r"Recibes (?P<input>[^.;:]+)\.",
        "La entrada es esta: {input}.", "A continuación verás {input}.", "Lo que recibes: {input}.",
    ),
    _pattern(
        "superni", rf"(?P<do>(?:{_HACER})\b[^.:]*)(?P<end>[.:])",
        "Por favor, {do}{end}", "Se pide lo siguiente: {do}{end}", "Lo que hay que hacer: {do}{end}",
    ),
    _pattern(
        "all", r"Answer with (?P<what>[^.]+)\.",
        "Reply with {what}.", "Give {what} as your answer.", "Respond with {what}.", "Let your answer be {what}.",
    ),
    _pattern(
        "superni", rf"(?P<do>(?:{_DO})\b[^.:]*)(?P<end>[.:])",
        "Please {do}{end}", "Your task is to {do}{end}", "Your job is to {do}{end}", "You are asked to {do}{end}",
    ),
)  # fmt: skip


def paraphrase(text: str, wording: int) -> str:
    """An instruction in another wording; the one it has for wording 0.

    Args:
        text: A definition or an answer format.
        wording: The number of the wording. Sentences of several kinds change together, each by its own list.
    """
    if wording == 0:
        return text
    found: list[tuple[int, int, str]] = []
    for pattern in PATTERNS:
        said = pattern.wordings[(wording - 1) % len(pattern.wordings)]
        for match in pattern.sentence.finditer(text):
            if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                found.append((*match.span(), _filled(said, match.groupdict())))
                # "Please …" at the head of every sentence would be a mannerism.
                break
    parts, place = [], 0
    for start, end, filled in sorted(found):
        parts += [text[place:start], filled]
        place = end
    return "".join(parts) + text[place:]


def _filled(template: str, slots: dict[str, str]) -> str:
    for name, value in slots.items():
        said = value[:1].lower() + value[1:] if name == "do" else value
        template = template.replace(f"{{{name}}}", said)
    return template
