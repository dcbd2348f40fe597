"""Closed sets: the one label that an output asserts and does not deny."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from taskloom.core import Task
from taskloom_lenient1.frame import strip_openers
from taskloom_lenient1.hedge import HEDGE, SIGNS, SILENT, after_turn, is_denied, may_refuse, without_harmless
from taskloom_lenient1.peel import peel
from taskloom_lenient1.rival import MAYBE, OTHER

__all__ = ["LabelSet", "fold_label", "is_label", "label_set", "read_label"]

_SYNONYMS = {
    "yes": ("yes", "true", "correct", "right", "yeah", "yep", "yup", "affirmative", "it is", "it does", "indeed", "sí"),
    "no": ("no", "false", "incorrect", "nope", "wrong", "negative", "it is not", "it isn't", "it does not",
           "it doesn't", "not true"),
    "true": ("true", "yes", "correct", "right", "it is true", "verdadero", "that is true", "it is"),
    "false": ("false", "no", "incorrect", "wrong", "not true", "it is false", "falso", "it is not", "it isn't"),
    "ja": ("ja", "yes", "genau", "richtig", "stimmt", "wahr"),
    "nein": ("nein", "no", "nee", "falsch"),
    "sí": ("sí", "si", "yes", "verdadero", "correcto", "afirmativo", "cierto"),
    "maybe": ("maybe", "perhaps", "possibly", "it depends", "unclear", "unknown", "uncertain", "it is unclear",
              "cannot be determined", "it might be", "we cannot know", "undetermined"),
    "n/a": ("n/a", "na", "n.a", "not available", "not applicable", "not stated", "not mentioned", "not specified",
            "unknown", "unanswerable", "no answer", "no information", "not given", "not provided", "none"),
    "unknown": ("unknown", "unclear", "not known", "cannot be determined", "undetermined", "uncertain"),
    "entailment": ("entailment", "entailed", "entails", "it is entailed", "it follows", "the hypothesis is entailed",
                   "the premise entails the hypothesis", "the hypothesis follows", "it must be true"),
    "not-entailment": ("not-entailment", "not entailment", "non-entailment", "no entailment", "not entailed",
                       "does not follow", "it does not follow", "not entail", "does not entail", "no-entailment",
                       "the hypothesis is not entailed", "the premise does not entail the hypothesis",
                       "the hypothesis does not follow", "it need not be true", "it may be false"),
}  # fmt: skip
_FUNCTION = frozenset(
    re.findall(r"\w+", "a an the is are was el la los las un una on off in at to of it be o y first second left right")
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot|except|but not|anything but|rather than|instead of|other than|unlike|ni"
    r"|nunca|tampoco|nicht|niemals|weder|keine?[nrms]?)|n['’]t|\bno)"
    r"(?:\s+(?:be|a|an|the|case of|really|simply|just|is|was|to|label|called|considered"
    r"|say|answer|es|la|el|una?|as|necessarily|either|it|that))*[\s\"'“‘*_`]*$",
    re.IGNORECASE,
)
_NAMES_IT = re.compile(r" (?:is|was|would be|must be) (?:the|my|correct|right)\b", re.IGNORECASE)
_QUOTED = "\"'“”‘’*`_"
_WORDS = re.compile(r"\w+")
_JOINING = frozenset({"or", "and", "nor", "o", "y"})
_BLANKS = re.compile(r"[\s\-_]+")
_EXPLAINS = re.compile(
    r"(?:explanation|reason(?:ing)?|because|since|this|that|the|why|justification|note|as|explicación|porque|it|he|she"
    r"|they|in|we|according|from|i)\b",
    re.IGNORECASE,
)


class LabelSet:
    """The labels of a task as they are looked for. Patterns are made where they are first needed.

    Attributes:
        labels: The labels.
        whole: Folded spellings, synonyms included, to labels: what a bare answer may be.
        weak: Folded labels that prose may contain by accident.
        maybe: A label of the set is itself a hedge.
        silent: The label for "the passage does not say", or "".
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        own = {fold_label(label): label for label in labels}
        self.labels = labels
        self.whole = _spellings(labels, own)
        self.weak = _FUNCTION & own.keys()
        self.maybe = not own.keys().isdisjoint(MAYBE)
        self.silent = next((label for label in labels if label.casefold() in ("n/a", "unknown")), "")
        self._forms = sorted((form for form in own if form), key=lambda form: (-len(form), form))

    @cached_property
    def search(self) -> re.Pattern[str]:
        """Finds labels inside prose, the longest first."""
        spelled = [r"[\s_-]+".join(re.escape(part) for part in form.split(" ")) for form in self._forms]
        if "not entailment" in self._forms:
            extra = [r"(?:does|do|need|is|are|was)(?: not|n['’]t)(?: be)? (?:entail(?:ed|s)?|follow)",
                     r"not entail(?:ed)?", r"(?:no|non)[\s-]entailment"]  # fmt: skip
            spelled = [*extra, *spelled, r"entail(?:ed|s)", r"(?<!as )(?<!what )follows(?! is\b)(?!:)"]
        return re.compile(rf"(?<![\w-])(?:{'|'.join(spelled) or '(?!)'})(?![\w-])", re.IGNORECASE)

    @cached_property
    def several(self) -> re.Pattern[str]:
        """Finds two labels side by side ("yes or no", "yes/no")."""
        own_label = rf"(?<![\w-])(?:{'|'.join(map(re.escape, self._forms)) or '(?!)'})(?![\w-])"
        between = r"[\"'”’*`_]*\s*\(?(?:,?\s*\b(?:or|and|nor|o|y)\b(?:\s+(?:maybe|perhaps))?|[/|,;<>])\s*[\"'“‘*`_]*"
        return re.compile(own_label + between + own_label, re.IGNORECASE)

    def single_out(self, label: str, text: str) -> str:
        """A text in which every other label has become one that nothing else is called."""
        return self.search.sub(lambda found: found[0] if _label_of(found[0], self) == label else OTHER, text)


def label_set(task: Task) -> LabelSet:
    """The labels of a task, prepared once for all tasks that have the same ones."""
    return _prepare(task.labels)


def fold_label(text: str) -> str:
    """A label in the form in which its spellings are equal: case, blanks, hyphens."""
    return _BLANKS.sub(" ", text.casefold()).strip()


def _spellings(labels: tuple[str, ...], own: dict[str, str]) -> dict[str, str]:
    """Folded labels, and synonyms that no two labels share, to labels."""
    whole = dict(own)
    claims: dict[str, set[str]] = {}
    for label in labels:
        for synonym in _SYNONYMS.get(label.casefold(), ()):
            claims.setdefault(fold_label(synonym), set()).add(label)
    for synonym, owners in claims.items():
        if len(owners) == 1 and synonym not in whole:
            whole[synonym] = next(iter(owners))
    for label in labels:
        for other in labels:
            if other != label and fold_label(other).removeprefix("in") == fold_label(label):
                whole.setdefault(f"not {fold_label(label)}", other)
    return whole


@lru_cache(maxsize=4096)
def _prepare(labels: tuple[str, ...]) -> LabelSet:
    return LabelSet(labels)


def is_label(text: str, task: Task) -> bool:
    """Whether a text is one of the labels or another word for it, and nothing else."""
    return fold_label(peel(text)) in label_set(task).whole


def read_label(text: str, before: str, labels: LabelSet) -> tuple[str | None, str]:
    """The label that a passage asserts, or None and why not.

    Args:
        text: The passage that holds the answer.
        before: The beginning of its sentence.
        labels: The task's labels.
    """
    core = peel(text)
    label = labels.whole.get(fold_label(core))
    if label is None:
        opened = strip_openers(core)
        label = labels.whole.get(fold_label(peel(opened))) if opened != core else None
    if label is not None:
        before = after_turn(before)
        if before and (_DENIED.search(before) or (HEDGE.search(before) and not labels.maybe)):
            return None, "denied or hedged"
        return label, ""
    line = _bare_line(text, labels)
    if line is not None:
        return line, "" if line else "several labels"
    return _asserted(text, before, labels)


def _bare_line(text: str, labels: LabelSet) -> str | None:
    """A line of its own that is a label and is explained by the others; "" where lines disagree."""
    if "\n" not in text:
        return None
    lines = [peel(line) for line in text.split("\n") if line.strip()]
    named = [labels.whole.get(fold_label(line)) for line in lines]
    found = {label for label in named if label is not None}
    if len(found) > 1:
        return ""
    if len(found) == 1 and (named[0] is not None or named[-1] is not None):
        return next(iter(found))
    return None


def _asserted(text: str, before: str, labels: LabelSet) -> tuple[str | None, str]:
    words = set(_WORDS.findall(text[-400:].casefold()))
    if may_refuse(words, "%" if "%" in text else "") and HEDGE.search(text[-400:]):
        stripped = labels.search.sub("", text) if labels.maybe else text
        if HEDGE.search(stripped):
            return None, "hedged"
    if not SIGNS.isdisjoint(words):
        text = without_harmless(text)
    joined = any(sign in text for sign in ",/<>") or not _JOINING.isdisjoint(words)
    pair = labels.several.search(text) if joined else None
    if pair is not None and len({fold_label(match[0]) for match in labels.search.finditer(pair[0])}) > 1:
        return None, "several labels"
    asserted: dict[str, int] = {}
    denied: set[str] = set()
    # Labels may hold a "not" of their own, which denies nothing that follows.
    matches = list(labels.search.finditer(text))
    masked = labels.search.sub(lambda match: "x" * len(match[0]), text) if len(matches) > 1 else text
    for match in matches:
        label = _label_of(match[0], labels)
        if label is None or not _counts(text, match, labels):
            continue
        if is_denied(masked, match.start(), match.end()) or (before and _DENIED.search(before + text[: match.start()])):
            denied.add(label)
            continue
        asserted.setdefault(label, match.start())
    if not asserted and labels.silent and SILENT.search(text):
        return labels.silent, "silent"
    if len(asserted) == 1 and denied.isdisjoint(asserted):
        return next(iter(asserted)), "one label in a sentence"
    if len(asserted) > 1:
        return _leading(text, labels, asserted)
    return None, "denied" if denied else "no label"


def _label_of(said: str, labels: LabelSet) -> str | None:
    folded = fold_label(said)
    label = labels.whole.get(folded)
    if label is None and "not-entailment" in labels.labels:
        negative = re.search(r"not|n['’]t|\bnon?\b", folded) is not None
        label = "not-entailment" if negative else "entailment"
    return label


def _counts(text: str, match: re.Match[str], labels: LabelSet) -> bool:
    """Whether a label in prose is meant as one: short function words only where they are set apart."""
    folded = fold_label(match[0])
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    apart = before in _QUOTED and before != "" and after in _QUOTED and after != ""
    if folded == "no":
        return (
            apart
            or ((not before.strip() or before in ".:;,!—") and (not after or after in ".,;:!—–\n"))
            or (not text[: match.start()].strip() and text[match.end() :].lstrip(" ")[:1] in ("—", "–", "-"))
            or (text[match.end() :].strip(" .!*\"'") == "")
            or _NAMES_IT.match(text, match.end()) is not None
        )
    if folded not in labels.weak:
        return True
    # "The light is on.", "It is the second.": a function word counts at the very end of the passage.
    return apart or text[match.end() :].strip(" .!*\"'`") == ""


def _leading(text: str, labels: LabelSet, asserted: dict[str, int]) -> tuple[str | None, str]:
    """Of several labels the one that the first words give, where the rest only explains it."""
    first = min(asserted, key=lambda label: asserted[label])
    head, mark, rest = text.lstrip(" *\"'`").partition("\n") if "\n" in text else _first_clause(text)
    if mark and labels.whole.get(fold_label(peel(head))) == first and _EXPLAINS.match(rest.lstrip(" *_\n(")):
        return first, "explained"
    return None, "several labels"


def _first_clause(text: str) -> tuple[str, str, str]:
    match = re.search(r"[.,;:!—–]\s+", text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")
