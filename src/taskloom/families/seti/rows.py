"""Putting instances into words."""

from __future__ import annotations

from taskloom.core import AnyOf, Facet, FacetType, Instance
from taskloom.families.seti.plan import Item
from taskloom.families.seti.settings import composition_rule, label_of
from taskloom.families.seti.verbs import Template, is_veridical
from taskloom.sources.sentences import Pair, capitalise

__all__ = [
    "ENTAILMENT",
    "FACETS",
    "LABELS",
    "NOT_ENTAILMENT",
    "item_facets",
    "make_instance",
    "target",
    "word_instance",
]

ENTAILMENT, NOT_ENTAILMENT = "entailment", "not-entailment"
LABELS = (ENTAILMENT, NOT_ENTAILMENT)
_TARGETS = {True: AnyOf((ENTAILMENT,)), False: AnyOf((NOT_ENTAILMENT,))}

FACETS: dict[str, FacetType] = {
    "kind": str,
    "label": str,
    "verb": str,
    "veridical": bool,
    "natural": str,
    "natural_entailed": bool,
    "relation": str,
    "rule": str,
    "position": str,
    "form": str,
    "composition": int,
    "depth": int,
    "negated": bool,
}
"""Columns of every SETI instance. `composition` is the rule of Table 3; None where a column does not apply;
`negated` says that the embedding verb is."""


def target(entailed: bool) -> AnyOf:
    """The one acceptable answer."""
    return _TARGETS[entailed]


def word_instance(id_: str, premise: str, hypothesis: str, entailed: bool, facets: dict[str, Facet]) -> Instance:
    """An instance from two sentences."""
    return Instance(
        id_,
        f"Premise: {premise}\nHypothesis: {hypothesis}",
        _TARGETS[entailed],
        facets,
        {"premise": premise, "hypothesis": hypothesis},
    )


def make_instance(item: Item, template: Template, *, negated: bool = False) -> Instance:
    """The instance of an item of a plan."""
    kind, verb, pair, number = item
    natural = kind == "natural"
    veridical = None if natural else is_veridical(verb)
    holds = label_of(kind, veridical, pair.entailed)
    premise = pair.premise if natural else template.embed(verb, pair, number, negated=negated)
    hypothesis = pair.premise if kind == "veridical" else pair.hypothesis
    facets = item_facets(kind, verb, veridical, pair, holds)
    if negated:
        facets["negated"] = True
        verb = f"not-{verb}"
    id_ = f"{kind}-{verb}-{_mark(pair)}-{number}" if verb else f"{kind}-{_mark(pair)}-{number}"
    return word_instance(id_, capitalise(premise), capitalise(hypothesis), holds, facets)


def _mark(pair: Pair) -> str:
    """A short name of the kind and label of a pair, so that places in different blocks get different ids."""
    return f"{pair.natural}{'+' if pair.entailed else '-'}"


def item_facets(kind: str, verb: str, veridical: bool | None, pair: Pair, holds: bool) -> dict[str, Facet]:
    """The columns of an instance."""
    if kind == "veridical":
        return {
            "kind": kind,
            "label": ENTAILMENT if holds else NOT_ENTAILMENT,
            "verb": verb,
            "veridical": veridical,
            "natural": None,
            "natural_entailed": None,
            "relation": None,
            "rule": None,
            "position": None,
            "form": pair.form,
            "composition": None,
            "depth": 1,
            "negated": False,
        }
    return {
        "kind": kind,
        "label": ENTAILMENT if holds else NOT_ENTAILMENT,
        "verb": verb or None,
        "veridical": veridical,
        "natural": pair.natural,
        "natural_entailed": pair.entailed,
        "relation": pair.relation,
        "rule": pair.rule,
        "position": pair.position,
        "form": pair.form,
        "composition": None if veridical is None else composition_rule(veridical, pair.entailed),
        "depth": 0 if veridical is None else 1,
        "negated": False,
    }
