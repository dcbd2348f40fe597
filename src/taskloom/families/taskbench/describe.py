"""Instructions: a definition that a person can follow, and examples that show every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.algebra import Expression, MapFilter, atoms, links, map_filter, signature
from taskloom.core.catalog import ATOMS
from taskloom.families.taskbench.language import LexicalAtom
from taskloom.families.taskbench.phrases import called, clause, given, noun_phrase

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["definition"]


def definition(node: Expression, materials: Materials) -> str:
    """A few sentences that say what is given, what to give, and in which form."""
    recipe = materials.recipe
    said = _asked(node, materials)
    if recipe.facts != "none" and signature(node).source == "entity":
        said = said.replace("You are given ", "You are given some facts and ", 1) + " Use the given facts alone."
    if recipe.permuted:
        said += " Beware: the answers have been exchanged among the inputs, so they can only be remembered."
    return f"{said}{_notes(node, materials)}"


def _asked(node: Expression, materials: Materials) -> str:
    """What is given and what is wanted."""
    if signature(node).sequence:
        said = _sequence(map_filter(node), materials)
    elif signature(node).predicate:
        said = (
            f"You are given {given(node)}. Say whether this is true: {clause(node, called(node), materials)}. "
            "Answer 'true' or 'false'."
        )
    else:
        said = (
            f"You are given {given(node)}. Give {noun_phrase(node, called(node), materials)}.{_steps(node, materials)} "
        )
        said += "Any one right answer is enough."
    return said


def _steps(node: Expression, materials: Materials) -> str:
    followed = links(node)
    if len(followed) < 2:
        return ""
    said = [f"first find {noun_phrase(followed[0], called(node), materials)}"]
    said += [f"then {noun_phrase(link, 'what you found', materials)}" for link in followed[1:]]
    return f" In steps: {', '.join(said)}."


def _sequence(form: MapFilter, materials: Materials) -> str:
    relation, predicate = form.relation, form.predicate
    mapped = form.maps
    source = predicate if predicate is not None else relation
    mark = "'#' between them" if materials.recipe.separator else "blanks between them"
    said = f"You are given several items in a row, with {mark}; each is {given(source if not mapped else relation)}. "
    if predicate is not None:
        said += f"Keep only the items for which this is true: {clause(predicate, 'it', materials)}. "
    if mapped:
        each = "each item that you keep" if predicate is not None else "each item"
        said += f"For {each} give {noun_phrase(relation, 'it', materials)}.{_steps(relation, materials)} "
        said += "Any one right answer for each is enough. "
    return f"{said}Write the results in the order of the items, with {mark}."


def _notes(node: Expression, materials: Materials) -> str:
    """What the terms mean, each once, and which world the facts are of."""
    names: dict[str, None] = {}
    factual = False
    for atom in atoms(node):
        factual = factual or atom.factual
        names[atom.features[0][0] if atom.name == "is" and not atom.factual else atom.name] = None
    terms = [ATOMS.get(name) for name in names if name in ATOMS]
    notes = [term.note for term in terms if isinstance(term, LexicalAtom) and term.note]
    if factual and materials.recipe.knowledge.partition(":")[0] == "world":
        notes.append("The facts are those of an invented world.")
    return "".join(f" {note}" for note in notes)
