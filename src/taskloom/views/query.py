r"""What is typed into the search field of the samples.

    outcome=wrong support_size>2 "went to" -kitchen /\bthey\b/

`name=value` and `name!=value` compare a facet (several values: `question=where|who`), `<`, `>`, `<=` and `>=` compare
numbers; a word or a "phrase in quotes" must stand in the prompt or in the raw answer, one with a minus must not; what
stands between slashes is a regular expression (RE2, so that its time grows with the text alone). All of them must hold.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from taskloom.core import UserError

__all__ = ["FacetClause", "Query", "TextClause", "parse_query"]

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[^\s"/=<>!][^\s"=<>!]*)(?P<sign>!=|<=|>=|=|<|>)(?P<values>(?:"(?:[^"\\]|\\.)*"|[^\s"|]|\|)*)
    | (?P<minus>-)?(?:/(?P<pattern>(?:[^/\\]|\\.)+)/(?=\s|$) | "(?P<phrase>(?:[^"\\]|\\.)*)" | (?P<word>\S+))
    )""",
    re.VERBOSE,
)
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|[^"|]+')
_LONGEST = 2_000


class FacetClause(NamedTuple):
    """A facet, how it is compared, and with which values."""

    name: str
    sign: str
    values: tuple[str, ...]


class TextClause(NamedTuple):
    """A text that must (or must not) stand in a prompt or an answer."""

    text: str
    regex: bool = False
    absent: bool = False


class Query(NamedTuple):
    """What a row must satisfy."""

    clauses: tuple[FacetClause, ...] = ()
    texts: tuple[TextClause, ...] = ()


def parse_query(text: str) -> Query:
    """A query from what was typed.

    Raises:
        UserError: It is too long.
    """
    if len(text) > _LONGEST:
        raise UserError(f"a search has at most {_LONGEST:,} characters")
    clauses: list[FacetClause] = []
    texts: list[TextClause] = []
    for found in _TOKEN.finditer(text):
        if found["name"] is not None:
            values = [_unescaped(one[1:-1]) if one.startswith('"') else one for one in _VALUE.findall(found["values"])]
            clauses.append(FacetClause(found["name"], found["sign"], tuple(values) or ("",)))
        elif found["pattern"] is not None:
            texts.append(TextClause(found["pattern"], regex=True, absent=bool(found["minus"])))
        else:
            said = found["word"] if found["phrase"] is None else _unescaped(found["phrase"])
            if said:
                texts.append(TextClause(said, absent=bool(found["minus"])))
    return Query(tuple(clauses), tuple(texts))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
