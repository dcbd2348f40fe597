"""What was probably meant by a name that is not there: one that means the same, or of which its words are said.

`words.toml` has words of one meaning. Beyond it the help of an option, the docstring of a key or the title of a suite
says what it is about; names are ranked by the words that they share with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from taskloom.core.errors import nearest

_ENDING = re.compile("(?:isation|ization|ations?|ings?|ies|ed|es|s|e|y)$")


@cache
def _words() -> tuple[frozenset[str], list[tuple[list[str], list[str]]]]:
    """Words that say nothing, and words of one meaning: names, then what people type for them."""
    from taskloom.core.decode import read_toml

    table = read_toml(Path(__file__).with_name("words.toml"), type=dict[str, Any])
    halves = (line.partition("<") for line in table["same"])
    same = [([*map(plain, own.split())], [*map(plain, others.split())]) for own, _, others in halves]
    return frozenset(table["empty"].split()), same


def plain(name: str) -> str:
    """A name as it is looked up; `-M` and its like keep their letters."""
    return name if re.fullmatch("-[A-Z]", name) else name.lstrip("-").replace("_", "-").lower()


def alike(name: str) -> list[str]:
    """The names that mean the same as a word, itself first."""
    found, same = [plain(name)], _words()[1]
    known = {each for own, others in same for each in (*own, *others)} - {found[0]}
    for word in [found[0], *(get_close_matches(found[0], known, 1, cutoff=0.85) if len(name) > 3 else ())]:
        found += [each for own, others in same if word in (*own, *others) for each in own]
    return list(dict.fromkeys(found))


def _stems(text: str) -> Iterator[str]:
    for word in re.findall(r"[a-z]+|\d+", re.sub("([a-z])([A-Z])", r"\1 \2", text).lower()):
        if word not in _words()[0]:
            yield _ENDING.sub("", word) if len(word) > 4 else word


def by_meaning(name: str, about: Mapping[str, str], count: int = 3) -> list[str]:
    """The known names that a name may stand for, best first; empty where nothing is said of it.

    Args:
        name: What was typed.
        about: What is known, and what is said of each.
        count: The most to name.

    Example:
        >>> by_meaning("num-questions", {"--limit": "at most N instances", "--budget": "the most questions to ask"})
        ['--limit', '--budget']
    """
    same = [known for word in alike(name) for known in about if plain(known) == word]
    asked = set(_stems(name))
    parts = re.split(r"[\W_]+", name)
    telling = [part for part in parts if part not in _words()[0]] or parts
    others = {stem for part in telling for stem in _stems(" ".join(alike(part)[1:]))} - asked
    said = {known: (set(_stems(known)), set(_stems(line))) for known, line in about.items()}
    # A word that is said of all tells little.
    held = Counter(stem for own, told in said.values() for stem in own | told)
    scores = {
        known: sum((2 * (stem in own) + (stem in told)) / held[stem] for stem in asked & (own | told))
        + sum(1 / held[stem] for stem in others & own)
        for known, (own, told) in said.items()
    }
    ranked = sorted((known for known in about if scores[known] > 0), key=lambda known: -scores[known])
    return list(dict.fromkeys([*same, *ranked]))[:count]


def meant_by(name: str, about: Mapping[str, str], count: int = 3) -> list[str]:
    """As `by_meaning`, after what is spelled almost alike and before what is spelled a little alike."""
    spelled = nearest(name, about, count, cutoff=0.8)
    same = [known for word in alike(name)[1:] for known in about if plain(known) == word]
    found = list(dict.fromkeys([*spelled, *same]))[:count]
    near = nearest(name, about, count, cutoff=0.5) if nearest(name, about, 1, cutoff=0.66) else []
    return found or near or by_meaning(name, about, count)


def with_help(names: Iterable[str], about: Mapping[str, str]) -> str:
    """A line for each name of which something is said."""
    return "".join(f"\n  {name}: {about[name].partition('. ')[0]}" for name in names if about.get(name))
