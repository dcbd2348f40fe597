"""Words: an embedded lexicon that works offline, and readers for the full resources.

The embedded one is WordNet 3.0 without glosses, with Spanish words, sentiment signs and word frequencies; see
`data/NOTICE.md` for where each piece comes from. A user's own WordNet, OMW tab file, SentiWordNet and word
lists are read into the same `Lexicon`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from taskloom.sources.lexicon.lexicon import PARTS_OF_SPEECH, Lexicon
from taskloom.sources.lexicon.tables import Tables, Words, load, save
from taskloom.sources.lexicon.wordnet import add_sentiment, add_wordnet, read_wordnet

__all__ = ["PARTS_OF_SPEECH", "Lexicon", "Tables", "Words", "default_lexicon", "load", "open_lexicon", "save"]

EMBEDDED = Path(__file__).with_name("data") / "lexicon.bin"


@lru_cache(maxsize=1)
def default_lexicon() -> Lexicon:
    """The embedded lexicon, read once per process."""
    return Lexicon(load(EMBEDDED))


@lru_cache(maxsize=4)
def _opened(
    wordnet: str, sentiment: str, languages: tuple[tuple[str, str], ...], stamps: tuple[tuple[int, int], ...]
) -> Lexicon:
    """The lexicon of some files; `stamps` is their state, so that a replaced file is read again."""
    base = default_lexicon().tables
    tables = read_wordnet(Path(wordnet)) if wordnet else base
    if wordnet and _same_synsets(tables, base):
        kept = {name: words for name, words in base.words.items() if name != "eng"}
        origin = {**base.origin, **tables.origin}
        tables = replace(tables, words={**tables.words, **kept}, sentiment=base.sentiment, origin=origin)
    if sentiment:
        tables = add_sentiment(tables, Path(sentiment))
    for language, path in languages:
        tables = add_wordnet(tables, language, Path(path))
    return Lexicon(tables)


def open_lexicon(*, wordnet: str = "", sentiment: str = "", languages: Mapping[str, str] | None = None) -> Lexicon:
    """A lexicon with some pieces from files of your own; what is not named stays embedded.

    Args:
        wordnet: A dict folder of WordNet or a zip that holds one (NLTK's `wordnet.zip` will do).
        sentiment: A SentiWordNet file.
        languages: Wordnets by language code, such as `{"spa": "wn-data-spa.tab", "deu": "odenet.xml.gz"}`: tab files of
            the Open Multilingual Wordnet, or WN-LMF.

    Raises:
        UserError: A file is missing, damaged, or speaks of another WordNet.
    """
    given = tuple(sorted((languages or {}).items()))
    if not (wordnet or sentiment or given):
        return default_lexicon()
    paths = [Path(path) for path in (wordnet, sentiment, *(path for _, path in given)) if path]
    return _opened(wordnet, sentiment, given, tuple(map(_stamp, paths)))


def _stamp(path: Path) -> tuple[int, int]:
    """When a file, or the newest in a folder, was changed, and how large it is; zeros where there is none."""
    files = [path, *path.iterdir()] if path.is_dir() else [path] if path.exists() else []
    states = [file.stat() for file in files]
    return max((state.st_mtime_ns for state in states), default=0), sum(state.st_size for state in states)


def _same_synsets(first: Tables, second: Tables) -> bool:
    """Whether two WordNets number their synsets alike, so that Spanish words and signs of one fit the other."""
    return (
        len(first.pos) == len(second.pos)
        and bool((first.pos == second.pos).all())
        and bool((first.offset == second.offset).all())
    )
