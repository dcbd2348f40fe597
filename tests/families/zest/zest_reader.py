"""A reader of English who answers questions from the text of a passage alone."""

from __future__ import annotations

import json
import re as expressions
from functools import cache
from typing import Any

from zest_patterns import TABLES, TOPICS, Table, Topic


class _Compiled:
    """Functions of `re` that keep every pattern: there are more of them than `re` remembers."""

    IGNORECASE = expressions.IGNORECASE
    Match = expressions.Match

    def __getattr__(self, name: str) -> Any:
        def apply(pattern: str, text: str, flags: int = 0) -> Any:
            return getattr(_compile(pattern, flags), name)(text)

        return apply


@cache
def _compile(pattern: str, flags: int) -> expressions.Pattern[str]:
    return expressions.compile(pattern, flags)


re = _Compiled()

ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
WORDS = {word: at for at, word in enumerate(ONES)} | TENS
WORDS |= {f"{ten}-{one}": value + at for ten, value in TENS.items() for at, one in enumerate(ONES) if 0 < at < 10}
SMALLER = r"\b(?:after|fewer|lower|shorter|smaller|lighter|thinner|less)\b"
DATED = r"(?:before|after|earlier than|prior to) \d{4}"
SHORT = {"metres": "m", "kilometres": "km", "kilograms": "kg", "centimetres": "cm", "hectares": "ha"}
CONNECTIVE = (
    r"^(?:In addition|What is more|Besides|Moreover|Furthermore|At the same time|Later|Some time afterwards|In the end|"
    r"In due course|As time went by|Subsequently|By contrast|However|On the other hand|Even so|Nevertheless|"
    r"For all that), |^Since then things have moved on: "
)
NAMED = r"((?:Isle of )?[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*)"
PAIR = rf"(?:again, |letters by |honours |compare |hall show ){NAMED} (?:and|with) {NAMED}"
BOTH = (
    rf"^[Ww]hile {NAMED} (?P<did>.+), it was {NAMED} who (?P<too>.+)",
    rf"^[Ii]t was {NAMED} who (?P<did>.+), whereas {NAMED} (?P<too>.+)",
)
PLACED = (
    rf"look for {NAMED}, where (.+)", rf"^[Ii]t is in {NAMED}, as anyone will confirm, that (.+)",
    rf"^[Ii]t was in {NAMED}, if the records can be trusted, that (.+)",
)  # fmt: skip
SINGLE = (
    rf"name of {NAMED} (?:is|can be read) on", rf"(?:page|chapter) on {NAMED}", rf"(?:called|named) after {NAMED}",
    rf"signed by {NAMED}", rf"(?:leaves out|passes over) {NAMED}", rf"^{NAMED} has its part",
    rf"(?:isitors|who come) to {NAMED} are", rf"signpost in {NAMED}", rf"told about {NAMED}",
    rf"the name of {NAMED} does not", rf"hall (?:of \w+ )?shows {NAMED}", rf"indifferent to {NAMED}",
    rf"book mentions {NAMED}", rf"^{NAMED} is marked on", rf"the way to {NAMED}",
)  # fmt: skip
COUNT = r"(?P<count>[a-z]+(?:-[a-z]+)?|\d+)"
AFTER = (
    rf"xactly {COUNT} years passed after (?P<base>.+?), and then (?P<event>.+)",
    rf"t was {COUNT} years after (?P<base>.+?) that (?P<event>.+)",
    rf"^after (?P<base>.+?), {COUNT} years went by before (?P<event>.+)",
    rf"would take another {COUNT} years after (?P<base>.+?) until (?P<event>.+)",
    rf"^not until {COUNT} years after (?P<base>.+?) was it clear that things had changed: (?P<event>.+)",
    rf"^a full {COUNT} years after (?P<base>.+?), (?P<event>.+)", rf"^(?P<event>.+) {COUNT} years after (?P<base>.+)",
)  # fmt: skip

ONCE = (
    r"^after years of talk(?: and not a little quarrelling)?, (?P<event>.+) in (?P<year>\d{4})",
    r"^it was not until (?P<year>\d{4}) that (?P<event>.+)",
    r"^if there is one date to remember, it is (?P<year>\d{4}), when (?P<event>.+)",
)
OTHER = r"((?:The )?[A-ZÀ-Þ][\w'’-]*(?: (?:of )?[A-ZÀ-Þ][\w'’-]*)*), (?:an?|the|her|one|another) [^,]+, "
AGAINST = r"^(.+?)(?:, whereas |, while |; (?=[^;]+, by contrast, ))(.+)$"


def plain(sentence: str) -> str:
    """A sentence without the word that ties it to the one before."""
    found = re.match(CONNECTIVE, sentence)
    return sentence if not found else sentence[found.end()].upper() + sentence[found.end() + 1 :]


def about_others(sentences: list[str]) -> list[str]:
    """Blank out what is said of a subject that is introduced as somebody or something else, there or before."""
    kept = [sentences[0]]
    known: set[str] = set()
    for sentence in sentences[1:]:
        other = re.match(OTHER, sentence)
        outside = (
            other
            and not re.search(rf"{expressions.escape(other[1].removeprefix('The '))}(?!\w)", sentences[0])
            and not TABLE_ROW.match(other[1])
        )
        if other and outside:
            known.add(other[1])
        again = any(sentence.startswith(f"{name} ") for name in known)
        against = re.match(AGAINST, sentence)
        rest = against[2].replace(", by contrast,", "") if against else ""
        kept.append((f"{rest[0].upper()}{rest[1:]}" if rest else "") if outside or again else sentence)
    return kept


TABLE_ROW = expressions.compile("|".join(table.row.replace("the ", "[Tt]he ") for table in TABLES.values()))


def as_number(text: str) -> int:
    """The number at the beginning of a text, in words or digits."""
    first = text.split(maxsplit=1)[0]
    return WORDS[first] if first in WORDS else int(first.replace(",", ""))


class Text:
    """A passage as its sentences, those about the entity and all of them."""

    def __init__(self, passage: str) -> None:
        self.every = [plain(sentence) for sentence in re.split(r"(?<=\.) (?=[A-ZÀ-Þ0-9])", passage)]
        self.own = about_others(self.every)
        spoken = [sentence for sentence in {*self.own, *self.every} if sentence]
        self._whole = "\n".join([*spoken, *(sentence[0].lower() + sentence[1:] for sentence in spoken)])
        self._may: dict[tuple[str, int], bool] = {}

    def may_hold(self, pattern: str, flags: int = 0) -> bool:
        """Whether any sentence can match, found out in one go; anchored patterns always can."""
        if "^" in pattern or "$" in pattern:
            return True
        if (pattern, flags) not in self._may:
            self._may[pattern, flags] = bool(re.search(pattern, self._whole, flags))
        return self._may[pattern, flags]

    def find(self, noun: str, topic: Topic) -> Any:
        """What the text says on a topic: True/False, a number, a text, a list, or None."""
        found = self.all(noun, topic)
        return found[0] if found else None

    def all(self, noun: str, topic: Topic) -> list[Any]:
        """Everything the text says on a topic, for those who look for contradictions."""
        framed = topic.cue and self.may_hold(topic.cue, re.IGNORECASE)
        found = [self._framed(noun, topic, at) for at in range(len(self.every))] if framed else []
        patterns = (topic.yes, topic.no) if topic.kind == "flag" else topic.evidence
        if any(self.may_hold(pattern, re.IGNORECASE * (topic.kind == "flag")) for pattern in patterns):
            found += [self._stated(topic, sentence) for sentence in self.own]
        return [value for value in found if value is not None]

    # ------------------------------------------------------------ one sentence

    def _stated(self, topic: Topic, sentence: str) -> Any:
        if not sentence:
            return None
        loose = sentence[0].lower() + sentence[1:]
        if topic.kind == "flag":
            if re.search(topic.cue, loose, re.IGNORECASE):
                return None
            if re.search(topic.no, loose, re.IGNORECASE):
                return False
            return True if re.search(topic.yes, loose, re.IGNORECASE) else None
        for pattern in topic.evidence:
            if not self.may_hold(pattern):
                continue
            # A sentence may begin with a name or with a common word: the longer reading is the right one.
            versions = (loose, sentence) if "[A-Z" in pattern else (loose,)
            found = [(match, version) for version in versions if (match := re.search(pattern, version))]
            if found:
                match, version = max(found, key=lambda pair: len(pair[0][1]))
                return self._value(topic, match[1], version[match.end(1) :])
        return None

    def _value(self, topic: Topic, text: str, rest: str) -> Any:
        text = text.strip()
        if "all of these" in text:
            return None
        if topic.kind == "list":
            return re.split(r", | and ", text)
        if topic.kind == "number" and topic.unit:
            short = SHORT.get(topic.unit, topic.unit)
            unit = re.match(rf" ({topic.unit}|{short})\b", rest)
            return f"{text} {unit[1]}" if unit else text
        return text

    # ----------------------------------------------------------- two sentences

    def _framed(self, noun: str, topic: Topic, at: int) -> Any:
        sentence = self.every[at]
        loose = sentence[0].lower() + sentence[1:]
        if topic.kind == "year":
            return self._dated(noun, topic, at, loose.rstrip("."))
        match = re.search(topic.cue, loose.rstrip("."), re.IGNORECASE)
        if not match:
            return None
        following = self.every[at + 1] if at + 1 < len(self.every) else ""
        before = self.every[at - 1] if at else ""
        if topic.kind == "flag":
            told = r"exception|\bso (?:is|was|does|did|has|can) |(?:is|was|does|did|has|can) ?not\b"
            verdict = sentence if re.search(told, loose.partition(match[0])[2]) else following
            return (
                re.search(r"no exception|\bso (?:is|was|does|did|has|can) |^This h", verdict, re.IGNORECASE) is not None
            )
        if topic.kind == "number":
            return self._multiple(topic, match[1], before)
        if topic.kind == "list":
            left_out = re.search(r"except (.+)\.$", following)
            assert left_out, following
            return [item for item in re.split(r", | and ", match[1]) if item != left_out[1]]
        if match.re.groups:
            return match[1 if "former" in following else 2]
        return self._name(topic, sentence, before)

    def _multiple(self, topic: Topic, times: str, before: str) -> str | None:
        other = self._stated(topic, before)
        if other is None:
            return None
        value = as_number(other) * 2 if times == "twice" else as_number(other) // 2
        return f"{value:,} {topic.unit}".rstrip()

    def _dated(self, noun: str, topic: Topic, at: int, loose: str) -> str | None:
        for pattern in AFTER:
            match = re.search(pattern, loose)
            if match:
                if not re.search(topic.cue, match["event"]):
                    return None
                topics = TOPICS[noun].values()
                base = next(other for other in topics if other.cue and re.search(other.cue, match["base"]))
                start = self.find(noun, base)
                return None if start is None else str(int(start) + as_number(match["count"]))
        for pattern in ONCE:
            match = re.search(pattern, loose)
            if match:
                return match["year"] if re.search(topic.cue, match["event"]) else None
        opened = re.match(r"that is when|that year|it stands for|it was then|in the course of", loose)
        if not at or not opened or not re.search(topic.cue, loose):
            return None
        year = re.findall(r"\d{4}", self.every[at - 1])
        return year[-1] if year else None

    def _name(self, topic: Topic, sentence: str, before: str) -> str | None:
        for pattern in BOTH:
            match = re.search(pattern, sentence)
            if match:
                return match[1 if re.search(topic.cue, match["did"]) else 3]
        for pattern in PLACED:
            match = re.search(pattern, sentence)
            if match:
                return match[1]
        whose = re.search(rf"{NAMED}, who (?:.+)", sentence)
        if whose and re.search(topic.cue, whose[0]):
            return whose[1]
        pair = re.search(PAIR, before)
        if pair:
            parts = re.split(r"(?:,|;) the (?:latter|second|other)", sentence)
            return pair[1 if re.search(topic.cue, parts[0]) else 2]
        for pattern in SINGLE:
            match = re.search(pattern, before)
            if match:
                return match[1]
        return None


def rows(table: Table, sentences: list[str]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for sentence in sentences:
        loose = sentence[0].lower() + sentence[1:] if sentence.startswith("The ") else sentence
        spots = list(re.finditer(table.row, loose))
        for at, spot in enumerate(spots):
            end = spots[at + 1].start() if at + 1 < len(spots) else len(loose)
            found.append(dict(zip(table.keys, (spot[0], "n/a", "n/a"), strict=True)))
            _fields(table, found[-1], loose[spot.end() : end])
        if not spots and found and loose.startswith("It ") and set(list(found[-1].values())[1:]) == {"n/a"}:
            _fields(table, found[-1], loose)
    return found


def _fields(table: Table, row: dict[str, str], piece: str) -> None:
    for key, pattern in zip(table.keys[1:], (table.a, table.b), strict=True):
        match = re.search(pattern, piece)
        if match:
            row[key] = match[1]


class Reader:
    """Answers as published data writes them: yes, no, n/a, spans with bars, or JSON."""

    def __init__(self, passage: str) -> None:
        self.text = Text(passage)

    def answer(self, question: str) -> str:
        noun = next(noun for noun in sorted(TOPICS, key=len, reverse=True) if f"this {noun}" in question)
        return self._logic(question, noun) or self._composed(question, noun)

    # ---------------------------------------------------------------- yes and no

    def _logic(self, question: str, noun: str) -> str:
        for operator, patterns in LOGIC.items():
            for pattern in patterns:
                match = re.fullmatch(pattern, question)
                if match:
                    first, second = match[1], named(match[2], noun)
                    if operator == "but-not" and "but not that" not in question:
                        second = undenied(second)
                    one, two = self.holds(first, noun), self.holds(second, noun)
                    if operator == "but-not":
                        two = None if two is None else not two
                    decisive = operator == "or"
                    truth = decisive if decisive in (one, two) else None if None in (one, two) else not decisive
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
        said = self.text.find(noun, topic)
        if said is None:
            return None
        if topic.kind == "flag":
            return bool(said) != bool(topic.opposite and re.search(topic.opposite, claim, re.IGNORECASE))
        if topic.kind == "text":
            return re.search(rf"\b{expressions.escape(said)}(?!\w)", claim, re.IGNORECASE) is not None
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
            dated = re.search(DATED, bare) is not None
            topic = self.topic(claim, noun, ("year",) if dated else ("number",))
        else:
            topic = self.topic(claim, noun, ("flag",)) or self.topic(claim, noun, ("text",))
        assert topic is not None, claim
        return topic

    # -------------------------------------------------------------- everything else

    def _composed(self, question: str, noun: str) -> str:
        table = TABLES[noun]
        if all(key in question for key in table.keys) and re.search(r"\beach\b|\bevery\b|one by one", question):
            found = rows(table, self.text.own)
            return json.dumps(found, ensure_ascii=False) if found else "n/a"
        record = next((match for form in RECORDS if (match := re.fullmatch(form.format(noun), question))), None)
        if record:
            return self._record(record[1], noun)
        given = re.fullmatch(r"(.*), (?:provided that|given that|if it is true that|if|assuming that) (.*)\?", question)
        if given:
            return self._composed(f"{given[1]}?", noun) if self.holds(named(given[2], noun), noun) else "n/a"
        two = re.fullmatch(
            r"(.*?)[,;]? and(?: also,|, while we are at it,)? ((?:who|what|which|when|where|how|in|at|on) .*)",
            question,
        )
        if two:
            return self._two(two, noun)
        if re.match(r"(?:Is|Are|Was|Were|Did|Does|Do|Can|Could|Has|Have|May|Would|Should) ", question):
            return {True: "yes", False: "no", None: "n/a"}[self.holds(question, noun)]
        return self._open(question, noun)

    def _two(self, two: re.Match[str], noun: str) -> str:
        second = named(two[2], noun)
        parts = [self._open(f"{two[1]}?", noun), self._open(second[0].upper() + second[1:], noun)]
        return "n/a" if "n/a" in parts else "|".join(parts)

    def _record(self, listed: str, noun: str) -> str:
        record = {}
        for label in re.split(r", the | and the ", listed.removeprefix("the ")):
            topic = next(t for t in TOPICS[noun].values() if t.label == label)
            said = self.text.find(noun, topic)
            record[label] = "n/a" if said is None else self.spoken(topic, said)
        return json.dumps([record], ensure_ascii=False) if set(record.values()) != {"n/a"} else "n/a"

    def _open(self, question: str, noun: str) -> str:
        table = TABLES[noun]
        if re.search(table.asked, question):
            return self._names(table, question)
        topic = self.topic(question, noun, ("list",)) or self._asked(question, noun)
        said = self.text.find(noun, topic)
        return "n/a" if said is None else self.spoken(topic, said)

    def _asked(self, question: str, noun: str) -> Topic:
        """Who and where ask for names, how much for numbers, when and years for years, the rest for anything."""
        order = ("text", "year", "number")
        if re.match(r"How (?:many|much|long|large|high|heavy|tall|thick|strong|far)|What number", question):
            order = ("number", "text", "year")
        elif re.match(r"When|Since", question) or re.search(r"\byear\b(?! is)", question):
            order = ("year", "text", "number")
        for kind in order:
            topic = self.topic(question, noun, (kind,))
            if topic:
                return topic
        raise AssertionError(question)

    def _names(self, table: Table, question: str) -> str:
        found = rows(table, self.text.own)
        values = {row[key] for row in found for key in table.keys[1:]} - {"n/a"}
        asked = [value for value in values if re.search(rf"\b{expressions.escape(value)}\b", question)]
        filtered = re.search(FILTERS, question) is not None
        if filtered:
            # The longest value named counts: "unstaffed" is not "staffed all year".
            found = [row for row in found if asked and max(asked, key=len) in row.values()]
        return "|".join(row[table.keys[0]] for row in found) or "n/a"

    def spoken(self, topic: Topic, said: Any) -> str:
        if topic.kind == "list":
            return "|".join(said)
        return str(said)


FILTERS = (
    r"victory|defeat|stalemate|\bspring\b|\bsummer\b|\bautumn\b|\bwinter\b|\beasy\b|\bmoderate\b|\bdemanding\b|"
    r"sunshine|\bfog\b|storms|staffed|slight|severe|perfect|\bfair\b|\bpoor\b|apprentices|pensioners|schoolchildren|"
    r"February|April|July|September|December|heated|tiled|draughty"
)
RECORDS = (
    r"What are (the .*) of this {}\?",
    r"What does the passage say about (the .*) of this {}\?",
    r"What can one learn about (the .*) of this {}\?",
    r"What would you note down as (the .*) of this {}\?",
    r"What does the text give as (the .*) of this {}\?",
)
# The denial of a clause with "not" or "no more than" in it is read as the clause without them.
ASKS = r"(?:is|are|was|were|did|does|do|can|could|has|have) .*"
LOGIC = {
    "but-not": (
        r"(.*?), (?:although|even though) (.*)\?",
        r"Is it true that (.*) but not that (.*)\?",
        r"Is it right that (.*) while (.*)\?",
        r"Can it be said that (.*) and yet (.*)\?",
    ),
    "or": (
        rf"(.*?), or ({ASKS}), or both\?",
        rf"(.*?) or, failing that, ({ASKS})\?",
        r"Is it true that (.*), or that (.*), or both\?",
        r"Is it the case that (.*), or at least that (.*)\?",
        r"Can it be said that (.*), or that (.*), or both\?",
    ),
    "and": (
        r"Is it true that (.*) and that (.*)\?",
        r"Can it be said both that (.*) and that (.*)\?",
        rf"((?!What|Wh|How|In|At|On).*?), and ({ASKS}?)(?: as well| too)?\?",
    ),
}


def undenied(clause: str) -> str:
    """A clause that denies something, as the one that it denies: its first "not" is gone."""
    denial = r"\b(?:did|does|do) not\b|\bnot\b|\bno(?= more than)|(?<=\bcan)not\b"
    return " ".join(expressions.sub(denial, "", clause, count=1).split())


def named(part: str, noun: str) -> str:
    """A part of a question with the noun where a pronoun stands for it."""
    part = expressions.sub(r"\bits ((?:best |entrance |first )?[\w-]+)", rf"the \1 of this {noun}", part)
    return expressions.sub(r"\bit\b(?! (?:is possible|costs))", f"this {noun}", part)
