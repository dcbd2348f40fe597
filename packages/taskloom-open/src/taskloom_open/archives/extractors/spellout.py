"""Numbers in words: an interpreter of the CLDR's rules for spelling them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from taskloom_open.archives.archive import Archive
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.archives.tables import SourceText

_MOST = 1000
_DEEPEST = 40
_TOKEN = re.compile(r"←([^←]*)←|→([^→]*)→(→)?|=([^=]*)=|\[([^\]]*)\]")


class Speller:
    """Spells whole numbers by the rules of one language.

    Args:
        rules: Rule sets by name, each a list of (base value, text).
    """

    def __init__(self, rules: dict[str, list[list[str]]]) -> None:
        self._sets: dict[str, list[tuple[int, int, str]]] = {}
        for name, entries in rules.items():
            parsed = []
            for head, body in (entry for entry in entries if len(entry) == 2):
                match = re.fullmatch(r"([\d,.]+)(?:/([\d,.]+))?(>*)", head)
                if match:
                    base = int(re.sub(r"\D", "", match[1]))
                    radix = int(re.sub(r"\D", "", match[2])) if match[2] else 10
                    power = 1
                    while base and power * radix <= base:
                        power *= radix
                    for _ in match[3]:
                        power //= radix
                    parsed.append((base, max(power, 1), body.removesuffix(";").removeprefix("'")))
            self._sets[name] = parsed

    def spell(self, number: int, ruleset: str, depth: int = 0) -> str:
        """The number in words.

        Raises:
            ValueError: The rules ask for something that is not interpreted here.
        """
        if depth > _DEEPEST or ruleset not in self._sets:
            raise ValueError(f"no way to spell {number} by {ruleset}")
        known = [rule for rule in self._sets[ruleset] if rule[0] <= number]
        if not known:
            raise ValueError(f"no rule for {number} in {ruleset}")
        base, power, body = known[-1]
        if "$(" in body:
            raise ValueError("plural rules are not interpreted")
        # A rule with two substitutions gives way to the one before it where nothing is left over.
        if number % power == 0 and base % power and "→" in body and "←" in body and len(known) > 1:
            base, power, body = known[-2]
        return self._render(body, number, power, ruleset, depth)

    def _render(self, body: str, number: int, power: int, ruleset: str, depth: int) -> str:
        high, rest = divmod(number, power)

        def said(match: re.Match[str]) -> str:
            left, right, third, same, optional = match.groups()
            if optional is not None:
                return self._render(optional, number, power, ruleset, depth) if rest else ""
            if left is not None:
                return self.spell(high, left or ruleset, depth + 1)
            if right is not None:
                if third is not None and not right:
                    raise ValueError("triple arrows are not interpreted")
                return self.spell(rest, right or ruleset, depth + 1)
            if same.startswith(("#", "0")):
                raise ValueError("digits inside words")
            return self.spell(number, same or ruleset, depth + 1)

        return _TOKEN.sub(said, body)


def numbers(archive: Archive) -> Iterator[SourceText]:
    """The numbers from 0 to 999 in words, where the rules can be followed and give different words for all of them."""
    for language in LANGUAGES.values():
        name = f"package/rbnf/{language.locale}.json"
        if name not in archive.sizes or language.name in _DOUBTFUL:
            continue
        groups = json.loads(archive.read(name))["rbnf"]["rbnf"]
        rules = groups.get("SpelloutRules") or {}
        start = next((key for key in _STARTS if key in rules), None)
        if start is None:
            continue
        speller = Speller(rules)
        try:
            spelled = [speller.spell(number, start).replace("\u00ad", "").strip() for number in range(_MOST)]
        except ValueError:
            continue
        if len(set(spelled)) == _MOST and not any(re.search(r"[\d←→=<>\[\]%#]", text) for text in spelled):
            for number, text in enumerate(spelled):
                yield SourceText(f"number-{number}", language.name, " ".join(text.split()), {"number": number})


_DOUBTFUL = {"Lao", "Romanian", "Slovak", "Macedonian", "Armenian", "Modern Greek", "Maltese", "Belarusian"}
"""Languages whose rules gave words that a dictionary does not have, when they were read."""

_STARTS = (
    "%spellout-numbering",
    "%spellout-cardinal",
    "%spellout-cardinal-masculine",
    "%spellout-cardinal-neuter",
)
