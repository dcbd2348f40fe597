"""Putting instances into words."""

from __future__ import annotations

from taskloom.core import AnyOf, Facet, FacetType, Instance
from taskloom.families.seti.plan import PairItem
from taskloom.families.seti.settings import composition_rule, label_of
from taskloom.families.seti.verbs import ClauseVerb, Template, soft_label
from taskloom.sources.sentences.pairs import Pair
from taskloom.sources.sentences.words import capitalise

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
    "veridicality": float,
    "soft_label": float,
    "unseen_rules": int,
    "dose": int,
}
"""Columns of every SETI instance; None where one does not apply.

`composition` is the rule of Table 3. `negated` says that the embedding verb is. `veridicality` is people's mean rating
of the verb, from -1 to 1, and `soft_label` the share of people who would infer the hypothesis (see `verbs.toml`).
`unseen_rules` counts the composition rules that the suite tests and never trains on. `dose` is the smallest dose that
an instance of the split `few` belongs to.
"""


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


def make_instance(
    item: PairItem, template: Template, *, unseen: int | None = None, dose: int | None = None
) -> Instance:
    """The instance of an item of a plan."""
    kind, verb, pair, number, negated = item
    natural = kind == "natural"
    veridical = None if natural else verb.follows(negated)
    holds = label_of(kind, veridical, pair.entailed)
    premise = pair.premise if natural else template.embed(verb, pair, number, negated=negated)
    hypothesis = pair.premise if kind == "veridical" else pair.hypothesis
    facets = item_facets(kind, verb, veridical, pair, holds, negated)
    facets["unseen_rules"] = unseen
    facets["dose"] = dose
    name = f"not-{verb}" if negated else str(verb)
    id_ = f"{kind}-{name}-{_mark(pair)}-{number}" if name else f"{kind}-{_mark(pair)}-{number}"
    return word_instance(id_, capitalise(premise), capitalise(hypothesis), holds, facets)


def _mark(pair: Pair) -> str:
    """A short name of the kind and label of a pair, so that places in different blocks get different ids."""
    return f"{pair.natural}{'+' if pair.entailed else '-'}"


def item_facets(
    kind: str, verb: str, veridical: bool | None, pair: Pair, holds: bool, negated: bool = False
) -> dict[str, Facet]:
    """The columns of an instance."""
    primitive = kind == "veridical"
    rating = verb.rating(negated) if isinstance(verb, ClauseVerb) else None
    return {
        "kind": kind,
        "label": ENTAILMENT if holds else NOT_ENTAILMENT,
        "verb": str(verb) or None,
        "veridical": veridical,
        "natural": None if primitive else pair.natural,
        "natural_entailed": None if primitive else pair.entailed,
        "relation": None if primitive else pair.relation,
        "rule": None if primitive else pair.rule,
        "position": None if primitive else pair.position,
        "form": pair.form,
        "composition": None if primitive or veridical is None else composition_rule(veridical, pair.entailed),
        "depth": 0 if veridical is None else 1,
        "negated": negated,
        "veridicality": None if rating is None else rating.mean,
        "soft_label": soft_label(kind, verb, pair.entailed, negated),
        "unseen_rules": None,
        "dose": None,
    }
