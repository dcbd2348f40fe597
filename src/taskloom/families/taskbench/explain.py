"""Why an answer is right or wrong, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.families.taskbench.language import (
    Atom,
    Chain,
    Complement,
    Expression,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Union,
    signature,
)
from taskloom.families.taskbench.phrases import clause, noun_phrase
from taskloom.sources.knowledge import fact

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["why", "why_not", "why_true"]


def why(node: Expression, x: str, y: str, materials: Materials) -> str:
    """The steps from an input to one of its outputs, in sentences."""
    return " ".join(dict.fromkeys(_steps(node, x, y, materials)))


def why_not(node: Expression, x: str, y: str, right: str, materials: Materials) -> str:
    """That an output is wrong, and one that would be right."""
    phrase = noun_phrase(node, quoted(x), materials)
    return f"{quoted(y)} is not {phrase}. A right answer is {quoted(right)}. {why(node, x, right, materials)}"


def quoted(word: str) -> str:
    """A word in quotation marks, whatever it holds."""
    return f"'{word}'"


def _steps(node: Expression, x: str, y: str, materials: Materials) -> list[str]:
    match node:
        case Identity():
            return []
        case Atom():
            return [_pair(node, x, y, materials)]
        case Chain(outer, inner):
            between = materials.between(outer, inner, x, y)
            if between is None:
                return [_pair(node, x, y, materials)]
            return [*_steps(inner, x, between, materials), *_steps(outer, between, y, materials)]
        case Union(parts):
            return next(
                (_steps(part, x, y, materials) for part in parts if y in materials.apply(part, x)),
                [_pair(node, x, y, materials)],
            )
        case Intersection(parts):
            return [step for part in parts for step in _steps(part, x, y, materials)]
        case Complement():
            return [_pair(node, x, y, materials)]
        case _:
            raise TypeError(f"{type(node).__name__} is not a relation")


def _pair(node: Expression, x: str, y: str, materials: Materials) -> str:
    if signature(node).source == "entity":
        engine = materials.factual
        return fact(engine.relation_query(node), x, y, label=engine.label)
    return f"{quoted(y)} is {noun_phrase(node, quoted(x), materials)}."


def why_true(node: Expression, x: str, holds: bool, materials: Materials) -> str:
    """Why a predicate is true or false of an input: each of its parts in turn."""
    name = x if signature(node).source == "entity" else quoted(x)
    said = []
    for part in _parts(node):
        truth = materials.truth(part, x)
        if truth is not None:
            said.append(_sentence(clause(part, name, materials, holds=truth)))
    return " ".join(dict.fromkeys(said)) or _sentence(clause(node, name, materials, holds=holds))


def _parts(node: Expression) -> list[Expression]:
    match node:
        case Land(parts) | Lor(parts):
            return [inner for part in parts for inner in _parts(part)]
        case Lnot(part):
            return _parts(part)
        case _:
            return [node]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
