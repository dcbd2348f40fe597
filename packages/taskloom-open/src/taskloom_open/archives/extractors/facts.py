"""Facts: countries, given names, documented functions, Portuguese sentences with word classes."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from taskloom_open.archives.archive import Archive
from taskloom_open.archives.languages import by_locale
from taskloom_open.archives.tables import SourceText

_FACTS = {
    "capital": ("capital-city", "city"),
    "continent": ("continent", "continent"),
    "currency": ("currency-name", "currency_name"),
    "dish": ("national-dish", "dish"),
    "symbol": ("national-symbol", "symbol"),
    "landlocked": ("landlocked", "landlocked"),
    "region": ("region-in-world", "location"),
    "population": ("population", "population"),
    "area": ("surface-area", "area"),
    "domain": ("domain-tld", "tld"),
    "government": ("government-type", "government"),
    "independence": ("independence-date", "independence"),
    "code": ("abbreviation", "abbreviation"),
}

ARTICLED = re.compile(
    r"\b(Antilles|Bahamas|Comoros|Congo|Emirates|Gambia|Islands|Kingdom|Maldives|Netherlands|Philippines"
    r"|Republic|See|Seychelles|States)\b|[,(&]| - "
)
"""Names that stand with "the" in a sentence, or that only lists have: tasks put every name into sentences as it is."""


def countries(archive: Archive) -> Iterator[SourceText]:
    """Countries with those facts that the package knows."""
    found: dict[str, dict[str, Any]] = {}
    for fact, (file, key) in _FACTS.items():
        name = f"package/src/country-by-{file}.json"
        if name not in archive.sizes:
            continue
        for entry in json.loads(archive.read(name)):
            value = entry.get(key)
            if entry.get("country") and value not in (None, "", -1, "-1"):
                found.setdefault(entry["country"], {})[fact] = value
    for country, facts in sorted(found.items()):
        if facts.get("capital") and facts.get("continent") and not ARTICLED.search(country):
            yield SourceText(f"country:{country}", "English", country, facts)


def _strings(node: ast.expr) -> list[str]:
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        case ast.Call(args=[inner]):
            return _strings(inner)
        case ast.Dict(keys=keys):
            return [k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    return []


def names(archive: Archive) -> Iterator[SourceText]:
    """Given names that a language gives to women only or to men only. The source is parsed, never run."""
    held: dict[str, dict[str, set[str]]] = {}
    for path in archive.names("faker/providers/person/", "/__init__.py"):
        locale = path.split("/")[3]
        language = by_locale(locale[:2].replace("no", "nb")) if len(locale) >= 2 else None
        if language is None:
            continue
        both = held.setdefault(language, {"female": set(), "male": set()})
        for node in ast.walk(ast.parse(archive.text(path))):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                match = re.fullmatch(r"first_names?_(female|male)(_est)?", node.targets[0].id)
                if match:
                    both[match[1]] |= {name for name in _strings(node.value) if re.fullmatch(r"[^\W\d_]{2,}", name)}
    for language, both in sorted(held.items()):
        for gender, own in sorted(both.items()):
            other = both["male" if gender == "female" else "female"]
            for name in sorted(own - other):
                yield SourceText(f"{language}:{name}", language, name, {"gender": gender})


def code(archive: Archive) -> Iterator[SourceText]:
    """Short functions whose documentation begins with one sentence."""
    seen: set[str] = set()
    for path in archive.names("django/", ".py"):
        if "/locale/" in path or "/tests/" in path or "conf/project" in path:
            continue
        try:
            tree = ast.parse(archive.text(path))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
                found = _function(node)
                if found and found[0] not in seen:
                    seen.add(found[0])
                    more = {"code": found[1], "name": node.name, "rest": found[2]}
                    yield SourceText(f"{path}:{node.name}:{node.lineno}", "English", found[0], more)


def _function(node: ast.FunctionDef) -> tuple[str, str, str] | None:
    documented = ast.get_docstring(node)
    if not documented:
        return None
    first = " ".join(documented.split("\n\n")[0].split())
    body = node.body[1:]
    if not body or not re.fullmatch(r"[A-Z][^.`:]{15,110}\.", first):
        return None
    node.body, node.decorator_list, node.returns = body, [], None
    text = ast.unparse(node)
    rest = " ".join(documented.partition("\n\n")[2].split())
    return (first, text, rest) if 40 <= len(text) <= 600 else None


def portuguese(archive: Archive) -> Iterator[SourceText]:
    """Sentences of a newspaper treebank with the class of every word."""
    for block in archive.text("dante/data/porttinari/annotated.conllu").split("\n\n"):
        lines = [line for line in block.split("\n") if line]
        rows = [line.split("\t") for line in lines if line[:1].isdigit()]
        text = next((line.partition("= ")[2] for line in lines if line.startswith("# text")), "")
        name = next((line.partition("= ")[2] for line in lines if line.startswith("# sent_id")), "")
        words = [[row[1], row[3]] for row in rows if len(row) > 3 and row[0].isdigit()]
        if text and name and 6 <= len(words) <= 25:
            yield SourceText(name, "Portuguese", text, {"words": words})
