"""From a tree back to text: the paper's notation, the code's, and short names for tasks."""

from __future__ import annotations

from taskloom.algebra import Atom, Expression, Notation, quote, signature
from taskloom.families.taskbench.language.atoms import FACTUAL_RELATIONS, PAPER_KEYS, PAPER_PREDICATES, PAPER_VALUES
from taskloom.sources.atoms import own_atom

__all__ = ["code", "paper", "short"]


def paper(node: Expression) -> str:
    """The notation of the paper: word functions without variables, λ inside map and filter."""
    return _Paper().text(node)


def code(node: Expression) -> str:
    """The notation of the reference code: inputs `0` and `S`, factual parts inside `wiki{...}`."""
    return _Code().text(node)


def short(node: Expression) -> str:
    """A name for files and tables: the paper's notation without λ, blanks and arrows. `parse` reads it too."""
    return _Short().text(node)


class _Short(Notation):
    comma = ","

    def name(self, atom: Atom) -> str:
        name = _Paper().name(atom)
        return name if '"' in name else name.replace(" ", "_").replace("->", "-")


class _Paper(Notation):
    def name(self, atom: Atom) -> str:
        if own_atom(atom.name) is not None:
            return quote(atom.name.replace("_", " "))
        tail = f"[{atom.language}]" if atom.language else ""
        tail += "[inv]" if atom.inverse else ""
        if atom.name == "random":
            return f"random-seed{atom.features[0][1]}{tail}"
        if atom.name != "is":
            return _quote_name(atom) + tail
        key, value = atom.features[0]
        if value in PAPER_PREDICATES.get(key, ()):
            return f"is-{PAPER_KEYS[key]}-{PAPER_VALUES.get(value, value)}{tail}"
        return f"is{{{quote(key)}={quote(value)}}}{tail}"

    def lifted(self, node: Expression) -> str:
        return f"λx. {self.apply(node, 'x')}"


class _Code(Notation):
    variable = "0"
    comma = ","
    whole = "(S)"

    def name(self, atom: Atom) -> str:
        if own_atom(atom.name) is not None:
            return quote(atom.name.replace("_", " "))
        tail = f"[{atom.language}]" if atom.language else "[inv]" if atom.inverse else ""
        if atom.name == "random":
            return f"random{{{atom.features[0][1]}}}{tail}"
        if atom.name == "is":
            key, value = atom.features[0]
            return f"is{{{quote(key)}={quote(value)}}}{tail}"
        return (quote(atom.name) if atom.factual else atom.name) + tail

    def word(self, node: Expression) -> str:
        text = self.apply(node, "0")
        return f"wiki{{{text}}}" if signature(node).source == "entity" else text

    def lifted(self, node: Expression) -> str:
        return self.apply(node, "0")

    def braced(self, node: Expression) -> str:
        return self.word(node)


def _quote_name(atom: Atom) -> str:
    return quote(atom.name) if atom.language or atom.name in FACTUAL_RELATIONS else _outside_wiki(atom.name)


def _outside_wiki(name: str) -> str:
    """Names the language does not know stand in quotes, so that they can be read without `wiki{...}`."""
    if name[:1] == "P" and name[1:].isdigit():
        return name
    return quote(name, always=True)
