"""Deeper embedding: "Someone hopes that Mary realizes that …", trained shallow and tested deep.

A chain of verbs lets the innermost sentence through only if every verb does, so the Boolean rule of
Table 3 goes on for any number of layers. What a speaker *presupposes* is not what is asked: verbs that
work like a negation ("doubt", "wish") would leave the presupposition of a factive verb below them
standing, so they appear only as the innermost verb, where no such verb is below.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from random import Random
from typing import NamedTuple

from taskloom.core import Instance, KeyedRandom, UserError
from taskloom.families.seti.pool import aspect_of, distinct_pair
from taskloom.families.seti.recipe import DepthRecipe
from taskloom.families.seti.rows import item_facets, word_instance
from taskloom.families.seti.verbs import NON_VERIDICAL, VERIDICAL, Template, is_veridical
from taskloom.sources.sentences import Pair, capitalise, lexical_pair, structural_pair
from taskloom.sources.sentences.pairs import pick

__all__ = ["Chain", "depth_chains", "depth_rows", "depth_sizes"]

_OUTER = tuple(verb for verb in NON_VERIDICAL if verb not in ("doubt", "wish"))
_FAILURES = ((True, False), (False, True), (False, False))
_DEFAULT_SIZES = {"train": 2000, "dev": 200, "test": 1000}


class Chain(NamedTuple):
    """Verbs from the outermost to the innermost, the pair below them, and where the subjects begin."""

    verbs: tuple[str, ...]
    pair: Pair
    turn: int


def depth_sizes(recipe: DepthRecipe) -> dict[str, int]:
    """The sizes of the splits."""
    return {split: getattr(recipe, split) or size for split, size in _DEFAULT_SIZES.items()}


def _verbs(rng: Random, depth: int, veridical: bool) -> tuple[str, ...]:
    """A chain that lets its sentence through, or one in which at least one verb does not."""
    blocked = 0 if veridical else 1 + int(rng.random() * (2**depth - 1))  # one bit per layer, not all of them 0
    inner = depth - 1
    return tuple(
        pick(rng, (NON_VERIDICAL if layer == inner else _OUTER) if blocked >> layer & 1 else VERIDICAL)
        for layer in range(depth)
    )


@lru_cache(maxsize=4)
def depth_chains(recipe: DepthRecipe, seed: int) -> dict[str, list[Chain]]:
    """All splits: half of each entailed, the rest spread evenly over the three ways to fail."""
    aspect = aspect_of(recipe.tense)
    seen: set[str] = set()
    splits = {}
    mixed = recipe.split == "in-distribution"
    every = tuple(sorted({*recipe.train_depths, *recipe.test_depths}))
    for split, size in depth_sizes(recipe).items():
        depths = every if mixed else recipe.test_depths if split == "test" else recipe.train_depths
        keys = KeyedRandom("seti", "depth", seed, split, recipe.split)
        chains = []
        for index in range(size):
            rng = keys.at(index)
            veridical, entailed = (True, True) if index % 2 else pick(rng, _FAILURES)
            kind = partial(lexical_pair if rng.random() < 0.5 else structural_pair, entailed=entailed, aspect=aspect)
            pair = distinct_pair(rng, kind, seen, set())
            depth = depths[index // 2 % len(depths)]
            chains.append(Chain(_verbs(rng, depth, veridical), pair, int(rng.random() * len(recipe.subjects))))
        keys.at("order").shuffle(chains)
        splits[split] = chains
    if not mixed:
        _check(splits)
    return splits


def _check(splits: dict[str, list[Chain]]) -> None:
    """The test goes deeper than training but uses no verb that training lacks."""
    trained = {len(chain.verbs) for split in ("train", "dev") for chain in splits[split]}
    tested = {len(chain.verbs) for chain in splits["test"]}
    if trained & tested:
        raise UserError(f"depth {min(trained & tested)} is trained on and tested", where="seti/productivity")
    known = {verb for chain in splits["train"] for verb in chain.verbs}
    unknown = sorted({verb for chain in splits["test"] for verb in chain.verbs} - known)
    if unknown:
        raise UserError(
            f"the tested verb {unknown[0]!r} was never trained on", where="seti/productivity", hint="-T train=500"
        )


def depth_rows(recipe: DepthRecipe, seed: int, split: str) -> Iterator[Instance]:
    """The instances of one split."""
    template = Template(recipe.subjects, recipe.tense, recipe.complementizer)
    for number, chain in enumerate(depth_chains(recipe, seed)[split]):
        yield _instance(number, chain, template)


def _instance(number: int, chain: Chain, template: Template) -> Instance:
    verbs, pair, turn = chain
    premise = template.embed(verbs[-1], pair, turn)
    for layer, verb in enumerate(reversed(verbs[:-1]), 1):
        premise = template.deepen(verb, premise, turn + layer)
    veridical = all(map(is_veridical, verbs))
    holds = veridical and pair.entailed
    facets = item_facets("composition", " ".join(verbs), veridical, pair, holds)
    facets["depth"] = len(verbs)
    id_ = f"depth{len(verbs)}-{number}"
    return word_instance(id_, capitalise(premise), capitalise(pair.hypothesis), holds, facets)
