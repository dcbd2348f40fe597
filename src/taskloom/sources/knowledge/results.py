"""Reading answers in the SPARQL 1.1 JSON results format."""

from __future__ import annotations

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_json
from taskloom.sources.knowledge.store import Row
from taskloom.sources.knowledge.terms import compact, quote

__all__ = ["MalformedAnswerError", "read_json"]

_STRING = "http://www.w3.org/2001/XMLSchema#string"


class MalformedAnswerError(Exception):
    """The body is not a complete, valid answer: cut off, or not SPARQL results at all."""


class _Term(msgspec.Struct):
    type: str
    value: str
    language: str | None = msgspec.field(default=None, name="xml:lang")
    datatype: str | None = None


class _Results(msgspec.Struct):
    bindings: list[dict[str, _Term]]


class _Answer(msgspec.Struct):
    results: _Results


def read_json(body: bytes, variables: tuple[str, ...]) -> list[Row | None]:
    """The rows of an answer, in order. A row with a blank node or without a value is None: it counts, and says nothing.

    Raises:
        MalformedAnswerError: The body ends too early or is something else.
    """
    try:
        answer = decode_json(body, where="the endpoint", type=_Answer, what="the answer")
    except UserError as error:
        raise MalformedAnswerError(error.message) from error
    return [_row(binding, variables) for binding in answer.results.bindings]


def _row(binding: dict[str, _Term], variables: tuple[str, ...]) -> Row | None:
    row = [_short(binding[name]) for name in variables if name in binding]
    values = tuple(short for short in row if short is not None)
    return values if len(values) == len(variables) else None


def _short(term: _Term) -> str | None:
    if term.type == "uri":
        return compact(term.value)
    if term.type in {"literal", "typed-literal"}:
        if term.language:
            return quote(term.value, term.language)
        suffix = f"^^<{term.datatype}>" if term.datatype and term.datatype != _STRING else ""
        return quote(term.value) + suffix
    return None
