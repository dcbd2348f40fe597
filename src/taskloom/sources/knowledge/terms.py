"""Names of things in RDF: short ids, IRIs, and text that is safe inside SPARQL.

A short id is what the rest of Taskloom sees: `Q42` and `P25` as in Wikidata, `F17` for the entities
of a fictional world, a full IRI for anything else, and a quoted literal (`"1931-04-02"^^<...>`) for
values that are not entities.
"""

from __future__ import annotations

import re
from functools import lru_cache

from taskloom.core import UserError

ENTITY = "http://www.wikidata.org/entity/"
PROPERTY = "http://www.wikidata.org/prop/direct/"
WORLD = "urn:taskloom:world:"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
# A fictional entity that plays the part of a real one: <urn:taskloom:world:F9> stands for wd:Q84.
STANDS_FOR = "urn:taskloom:stands-for"

_WIKIDATA_ID = re.compile(r"[QPL][1-9][0-9]*", re.ASCII)
_WORLD_ID = re.compile(r"F[0-9]+", re.ASCII)
_PROPERTY_ID = re.compile(r"P[1-9][0-9]*", re.ASCII)
# What RFC 3987 and the SPARQL grammar allow between < and >, with a scheme in front.
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?', re.DOTALL)

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_UNESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_UNESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)


def iri(short: str) -> str:
    """The full IRI of an entity id.

    Raises:
        UserError: The text is neither an id nor an IRI, so it has no place in a query.
    """
    if _WIKIDATA_ID.fullmatch(short):
        return ENTITY + short
    if _WORLD_ID.fullmatch(short):
        return WORLD + short
    if _IRI.fullmatch(short):
        return short
    raise UserError(
        f"{short!r} is not an entity; entities are ids such as Q33999 or F17, or full IRIs",
        hint="look the id up by its label with KnowledgeGraph.find(label)",
    )


def entity_term(short: str) -> str:
    """An entity or literal as it is written in SPARQL."""
    if is_literal(short):
        return short
    return f"<{iri(short)}>"


def property_term(short: str) -> str:
    """A property as it is written in SPARQL: a Wikidata id, or a full IRI."""
    if _PROPERTY_ID.fullmatch(short):
        return f"<{PROPERTY}{short}>"
    if _IRI.fullmatch(short):
        return f"<{short}>"
    raise UserError(f"{short!r} is not a property; properties are ids such as P25, or full IRIs")


@lru_cache(maxsize=1 << 16)  # a store names the same few thousand entities again and again
def compact(address: str) -> str:
    """The short id of an IRI, the inverse of `iri`."""
    for prefix, pattern in ((ENTITY, _WIKIDATA_ID), (WORLD, _WORLD_ID), (PROPERTY, _PROPERTY_ID)):
        if address.startswith(prefix) and pattern.fullmatch(address, len(prefix)):
            return address[len(prefix) :]
    return address


def is_iri(short: str) -> bool:
    """Whether the id is a full IRI."""
    return _IRI.fullmatch(short) is not None


def is_literal(short: str) -> bool:
    """Whether the id is a literal value, a date for example."""
    return short.startswith('"') and _LITERAL.fullmatch(short) is not None


def lexical(short: str) -> str:
    """The text of a literal id, without quotes, escapes and tag."""
    match = _LITERAL.fullmatch(short)
    if match is None:
        raise ValueError(f"{short!r} is not a literal")
    return _UNESCAPE.sub(_unescape, match[1])


def spoken(short: str) -> str:
    """The text of a literal as a person writes it: a date without its midnight."""
    return re.sub(r"T00:00:00Z$", "", lexical(short)) if short.endswith("#dateTime>") else lexical(short)


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _UNESCAPES.get(match[3], match[3])


def quote(text: str, language: str | None = None) -> str:
    """A string literal that means exactly `text`, special characters included."""
    body = "".join(_ESCAPES.get(character, character) for character in text)
    return f'"{body}"' if language is None else f'"{body}"@{_language(language)}'


def _language(tag: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", tag):
        raise UserError(f"{tag!r} is not a language tag", hint="use a tag such as en, es or pt-BR")
    return tag.lower()
