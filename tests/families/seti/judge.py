"""An independent judge of premise-hypothesis pairs: own parser, WordNet, and finite models.

It shares no code with the generator. Sentences are parsed from their text, words are brought to their
base form by lemminflect, what a word entails comes from the embedded WordNet, and a pair is entailed
if no small model makes the premise true and the hypothesis false. Embedded sentences are evaluated in
possible worlds: a veridical verb speaks of this world, any other verb of a world of its own.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from random import Random
from typing import NamedTuple

from lemminflect import getLemma

from taskloom.sources.lexicon import default_lexicon

# Table 6 of the paper, typed a second time.
SPEAKS_OF_THIS_WORLD = {
    "realize", "acknowledge", "remember", "note", "find", "notice", "learn", "see", "reveal", "discover",
    "understand", "know", "admit", "recognize", "observe",
}  # fmt: skip
SPEAKS_OF_ANOTHER = {
    "feel", "claim", "doubt", "hope", "predict", "imply", "suspect", "wish", "think", "believe", "hear", "expect",
    "estimate", "assume", "argue",
}  # fmt: skip
PRESUPPOSES = {"realize", "notice", "understand", "know", "recognize"}

# What WordNet 3.0 lacks although every dictionary has it.
EXTRA = {("noun", "boy", "child"), ("noun", "girl", "child")}

# Slang senses of WordNet that would make every guy a cat and every cat a woman.
MEANT = {"cat": {"animal", "creature", "feline"}}

RELATIVE = {"big", "large", "small", "little", "cheap", "inexpensive", "wide", "broad", "famous", "renowned",
            "elderly", "aged", "slim", "slender", "plump", "chubby"}  # fmt: skip
DETERMINERS = (
    "at least two", "at most two", "fewer than three", "not every", "several", "three", "every", "some", "two",
    "the", "all", "any", "an", "no", "a",
)  # fmt: skip
PLACE = re.compile(r" (?:in front of|in|on|at|by|near|behind) (?:the \w+(?: room)?|home|school)$")


class NP(NamedTuple):
    determiner: str
    adjective: str
    noun: str


class Event(NamedTuple):
    """`first` is the phrase in front; `roles` says which place of the verb it fills (0 agent, 1 patient)."""

    first: NP
    verb: str
    second: NP | None
    role: int
    negated: bool = False


class UnreadableError(Exception):
    pass


@cache
def lemma(word: str, pos: str) -> str:
    return {"people": "person"}.get(word) or getLemma(word, upos=pos)[0]


def read_phrase(text: str) -> NP:
    for determiner in DETERMINERS:
        if text.startswith(determiner + " "):
            words = text[len(determiner) + 1 :].split()
            if len(words) in (1, 2):
                noun = lemma(words[-1], "NOUN")
                return NP("a" if determiner == "an" else determiner, words[0] if len(words) == 2 else "", noun)
    raise UnreadableError(text)


def read_clause(text: str) -> Event:
    """Read a plain clause; the place, if any, becomes part of the verb."""
    place = PLACE.search(text)
    where = ""
    if place and not re.search(r" being \w+$", text[: place.start()]):
        text, where = text[: place.start()], place[0]
    match = re.fullmatch(r"there (?:is|was|were) (no \w+) (\w+ing)( .+)?", text)
    if match:
        second = read_phrase(match[3].strip()) if match[3] else None
        return Event(read_phrase(match[1]), lemma(match[2], "VERB") + where, second, 0)
    match = re.fullmatch(r"(.+?) (?:is|are|was|were) (not )?being (\w+) by (.+)", text)
    if match:
        verb = lemma(match[3], "VERB") + where
        return Event(read_phrase(match[1]), verb, read_phrase(match[4]), 1, bool(match[2]))
    match = re.fullmatch(r"(.+?) (?:is|are|was|were) (not )?(\w+ing)( .+)?", text)
    if match:
        second = read_phrase(match[4].strip()) if match[4] else None
        return Event(read_phrase(match[1]), lemma(match[3], "VERB") + where, second, 0, bool(match[2]))
    raise UnreadableError(text)


# ------------------------------------------------------------------------------- words


@cache
def entails(pos: str, word: str, other: str) -> bool:
    """Whether WordNet makes every `word` an `other`: the same synset, or a hypernym of it."""
    if word == other:
        return True
    if pos == "noun" and word in MEANT:
        return other in MEANT[word]
    lexicon = default_lexicon()
    above = {word, *lexicon.synonyms(word, pos=pos)} - set(MEANT)
    above.add(word)
    if pos != "adj":
        above |= set(lexicon.hypernyms(word, pos=pos, closure=True))
    return other in above or any(low in above and entails(pos, high, other) for p, low, high in EXTRA if p == pos)


# ------------------------------------------------------------------------------ models

AT_LEAST = {"a": 1, "any": 1, "some": 2, "two": 2, "three": 3, "several": 3, "at least two": 2}


def holds(determiner: str, noun: frozenset[int], rest: frozenset[int]) -> bool:
    """Generalised quantifiers over finite sets."""
    both = len(noun & rest)
    if determiner in AT_LEAST:
        return both >= AT_LEAST[determiner]
    if determiner == "the":  # already narrowed down to the one that is meant
        return both == 1
    if determiner in ("every", "all"):
        return noun <= rest
    if determiner == "not every":
        return not noun <= rest
    if determiner == "no":
        return both == 0
    if determiner in ("at most two", "fewer than three"):
        return both <= 2
    raise UnreadableError(determiner)


class Model:
    """Nouns and adjectives as sets, verbs as relations, over a small domain."""

    def __init__(self, size: int, sets: dict[str, frozenset[int]], relations: dict[str, frozenset[tuple[int, int]]]):
        self.size, self.sets, self.relations = size, sets, relations

    def phrase(self, phrase: NP) -> frozenset[int]:
        things = self.sets["noun " + phrase.noun]
        if phrase.adjective:
            things &= self.sets[adjective_key(phrase)]
        # "The dog" is the dog that is meant: the same one in both sentences, not the only one there is.
        return frozenset(sorted(things)[:1]) if phrase.determiner == "the" else things

    def true(self, event: Event) -> bool:
        pairs = self.relations[event.verb]
        ends = [(p[1], p[0]) if event.role else p for p in pairs]
        if event.second is None:
            rest = frozenset(a for a, _ in ends)
        else:
            other = self.phrase(event.second)
            rest = frozenset(
                x
                for x in range(self.size)
                if holds(event.second.determiner, other, frozenset(b for a, b in ends if a == x))
            )
        if event.negated:  # only "the" stands before "not", and what it presupposes survives
            noun = self.phrase(event.first)
            return bool(noun) and not noun & rest
        return holds(event.first.determiner, self.phrase(event.first), rest)


def adjective_key(phrase: NP) -> str:
    """A relative adjective means something else for every noun."""
    return f"adj {phrase.adjective}" + (f" of a {phrase.noun}" if phrase.adjective in RELATIVE else "")


def symbols(*events: Event) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The (key, word) of every unary symbol and of every verb, in order of appearance."""
    unary, verbs = {}, {}
    for event in events:
        for phrase in filter(None, (event.first, event.second)):
            unary["noun " + phrase.noun] = phrase.noun
            if phrase.adjective:
                unary[adjective_key(phrase)] = phrase.adjective
        verbs[event.verb] = event.verb.split()[0]
    return list(unary.items()), list(verbs.items())


def _below(pos: str, first: tuple[str, str], second: tuple[str, str]) -> bool:
    """Whether one symbol implies the other: the same kind, the same place or noun, and an entailing word."""
    (key, word), (other_key, other) = first, second
    kind = key.split()[0] if pos != "verb" else "verb"
    other_kind = other_key.split()[0] if pos != "verb" else "verb"
    tail, other_tail = (k.partition(" " if pos == "verb" else " of ")[2] for k in (key, other_key))
    part = {"noun": "noun", "adj": "adj", "verb": "verb"}[kind]
    same_tail = tail == other_tail or part == "noun"
    return key != other_key and kind == other_kind and same_tail and entails(part, word, other)


def draw_model(rng: Random, size: int, unary, verbs, unary_order, verb_order) -> Model:
    """A random model that respects what words entail: whatever lies above a set contains it."""

    def some(things, shares):
        share = rng.choice(shares)
        return {thing for thing in things if rng.random() < share}

    pairs = list(product(range(size), repeat=2))
    sets: dict[str, set[int]] = {key: some(range(size), (0.2, 0.5, 0.9)) for key in unary}
    relations: dict[str, set[tuple[int, int]]] = {key: some(pairs, (0.2, 0.6, 0.95)) for key in verbs}
    for table, order in ((sets, unary_order), (relations, verb_order)):
        for _ in range(2):
            for low, high in order:
                table[high] |= table[low]
    return Model(size, {k: frozenset(v) for k, v in sets.items()}, {k: frozenset(v) for k, v in relations.items()})


@cache
def _rename(premise: Event, hypothesis: Event) -> tuple:
    """The pair with words replaced by numbers, and the order among them: pairs of one shape are judged once."""
    unary, verbs = symbols(premise, hypothesis)
    unary_order = tuple((a[0], b[0]) for a in unary for b in unary if _below("", a, b))
    verb_order = tuple((a[0], b[0]) for a in verbs for b in verbs if _below("verb", a, b))
    names = {key: f"{key.split()[0] if i < len(unary) else 'verb'} {i}" for i, (key, _) in enumerate([*unary, *verbs])}

    def phrase(np: NP | None) -> NP | None:
        if np is None:
            return None
        adjective = names[adjective_key(np)].split()[1] if np.adjective else ""
        return NP(np.determiner, adjective, names["noun " + np.noun].split()[1])

    def event(e: Event) -> Event:
        return Event(phrase(e.first), names[e.verb], phrase(e.second), e.role, e.negated)

    def order(pairs):
        return tuple((names[a], names[b]) for a, b in pairs)

    return (
        event(premise), event(hypothesis), tuple(names[k] for k, _ in unary), tuple(names[k] for k, _ in verbs),
        order(unary_order), order(verb_order),
    )  # fmt: skip


def push(rng: Random, model: Model, premise: Event, hypothesis: Event, order, grow: bool) -> bool:
    """Take facts away from a model (or add some) as long as the premise stays true: does the hypothesis fall?

    Chance rarely finds models in which nothing is true beyond need; this goes there step by step.
    """
    sets = {key: set(members) for key, members in {**model.sets, **model.relations}.items()}
    facts = [(key, thing) for key in model.sets for thing in range(model.size)]
    facts += [(key, pair) for key in model.relations for pair in product(range(model.size), repeat=2)]
    rng.shuffle(facts)
    for key, thing in facts:
        if (thing in sets[key]) == grow:
            continue
        trial = {name: set(members) for name, members in sets.items()}
        trial[key] ^= {thing}
        if any(not trial[low] <= trial[high] for low, high in order):
            continue
        changed = Model(
            model.size,
            {name: frozenset(trial[name]) for name in model.sets},
            {name: frozenset(trial[name]) for name in model.relations},
        )
        if changed.true(premise):
            if not changed.true(hypothesis):
                return True
            sets = trial
    return False


@cache
def _countermodel(shape: tuple) -> bool:
    """Whether some model makes the premise true and the hypothesis false.

    Models are drawn until 200 make the premise true; a premise that (almost) none makes true is an error,
    because then the check would be empty.
    """
    premise, hypothesis, unary, verbs, unary_order, verb_order = shape
    rng = Random(7)
    satisfied = 0
    for attempt in range(40_000):
        model = draw_model(rng, 1 + attempt % 5, unary, verbs, unary_order, verb_order)
        if model.true(premise):
            satisfied += 1
            if not model.true(hypothesis):
                return True
            if satisfied <= 24 and push(rng, model, premise, hypothesis, unary_order + verb_order, satisfied % 2 == 0):
                return True
            if satisfied == 200:
                return False
    assert satisfied >= 20, f"hardly any model makes the premise true: {premise}"
    return False


@cache
def _refutable(shape: tuple) -> bool:
    """Whether some model makes the hypothesis false."""
    _, hypothesis, unary, verbs, unary_order, verb_order = shape
    rng = Random(11)
    models = (draw_model(rng, 1 + size % 5, unary, verbs, unary_order, verb_order) for size in range(2_000))
    return any(not model.true(hypothesis) for model in models)


# ------------------------------------------------------------------------------ worlds

EMBEDDING = re.compile(r"(?:the \w+|\w+) (does not |do not |did not )?(\w+) that (.+)")


def unwrap(text: str) -> tuple[bool, str]:
    """Take the embedding verbs off a premise. True if the innermost clause holds in this world."""
    here = True
    while match := EMBEDDING.fullmatch(text):
        verb = lemma(match[2], "VERB")
        verb = {"saw": "see", "felt": "feel", "found": "find"}.get(verb, verb)
        if match[1]:
            here = here and verb in PRESUPPOSES
        elif verb in SPEAKS_OF_ANOTHER:
            here = False
        elif verb not in SPEAKS_OF_THIS_WORLD:
            raise UnreadableError(text)
        text = match[3]
    return here, text


def clause(sentence: str) -> str:
    """A sentence without capital and full stop."""
    text = sentence.rstrip(".")
    return text[0].lower() + text[1:]


def judge(premise: str, hypothesis: str) -> bool:
    """Whether the hypothesis follows from the premise."""
    here, inner = unwrap(clause(premise))
    shape = _rename(read_clause(inner), read_clause(clause(hypothesis)))
    if not here:  # nothing is said about this world, so only a tautology would follow
        return not _refutable(shape)
    return not _countermodel(shape)
