"""One extractor per source, under the source's name."""

from taskloom_open.archives.extractors.cldr import dates, emoji, lists, territories, units
from taskloom_open.archives.extractors.english import (
    bible,
    contractions,
    devil,
    history,
    messages,
    simplify,
    sonnets,
    speech,
    spelling,
)
from taskloom_open.archives.extractors.facts import code, countries, names, portuguese
from taskloom_open.archives.extractors.many import home, udhr
from taskloom_open.archives.extractors.plain import plain
from taskloom_open.archives.extractors.spellout import numbers
from taskloom_open.archives.extractors.words import wordnet

__all__ = [
    "bible",
    "code",
    "contractions",
    "countries",
    "dates",
    "devil",
    "emoji",
    "history",
    "home",
    "lists",
    "messages",
    "names",
    "numbers",
    "plain",
    "portuguese",
    "simplify",
    "sonnets",
    "speech",
    "spelling",
    "territories",
    "udhr",
    "units",
    "wordnet",
]
