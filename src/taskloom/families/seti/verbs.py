"""The clause-embedding verbs, as data, and the template that embeds a sentence under one of them.

`verbs.toml` has the verbs of the paper; `-T rules=FILE.toml` adds classes, verbs, quantifiers, lexical relations and
changes of voice.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core import UserError, ensure_known, unknown_name
from taskloom.core.decode import read_bytes, read_toml
from taskloom.sources.sentences.frames import OwnRelation, OwnVoice, certain, frames, own_changes
from taskloom.sources.sentences.pairs import Pair
from taskloom.sources.sentences.polarity import LEXICAL, QUANTIFIERS, VOICES, Quantifier
from taskloom.sources.sentences.words import conjugate, inventory

Tense: TypeAlias = Literal["present", "past", "perfect", "past-perfect"]

_FILE = Path(__file__).with_name("verbs.toml")
_PLURAL_SUBJECTS = frozenset({"i", "you", "we", "they", "people", "some people", "many people", "most people"})


class Rating(NamedTuple):
    """Answers to one sentence: how many, and how many of them yes and no; the rest said maybe."""

    answers: int
    yes: int
    no: int

    @property
    def mean(self) -> float:
        """The mean with yes as 1, maybe as 0 and no as -1."""
        return (self.yes - self.no) / self.answers

    @property
    def share(self) -> float:
        """The share of people who infer that it happened."""
        return self.yes / self.answers


class VerbClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Verbs with what follows from them.

    Attributes:
        verbs: The verbs, in the base form.
        plain: Whether what is embedded follows from the plain sentence; None where the class does not say.
        negated: Whether it follows from the negated one.
    """

    verbs: tuple[str, ...]
    plain: bool | None = None
    negated: bool | None = None


class VerbFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one verb besides its classes; see `verbs.toml`."""

    plain: tuple[int, int, int] | None = None
    negated: tuple[int, int, int] | None = None
    reverses: bool = False
    mood: Literal["indicative", "subjunctive"] = "indicative"


class _Relation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pairs: tuple[tuple[str, str], ...]
    entailed: bool


class _Voice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    form: str


class _RuleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    classes: dict[str, VerbClass] = msgspec.field(name="class", default_factory=dict)
    verb: dict[str, VerbFacts] = {}
    quantifier: dict[str, Quantifier] = {}
    relation: dict[str, _Relation] = {}
    voice: dict[str, _Voice] = {}


class ClauseVerb(str):
    """A verb, with what follows from it.

    Attributes:
        veridical: Whether "Someone VERBs that s" lets us infer s.
        negated: Whether "Someone does not VERB that s" does; None where that is not asked.
        facts: What else is known of it.
    """

    veridical: bool
    negated: bool | None
    facts: VerbFacts

    def follows(self, negated: bool = False) -> bool:
        """Whether what it embeds follows, from the plain or from the negated sentence."""
        return bool(self.negated) if negated else self.veridical

    def rating(self, negated: bool = False) -> Rating | None:
        """What people infer from it; None where they were not asked."""
        counts = self.facts.negated if negated else self.facts.plain
        return None if counts is None else Rating(*counts)


NO_VERB = ClauseVerb("")
"""What stands for the verb of a sentence that is not embedded."""
NO_VERB.veridical, NO_VERB.negated, NO_VERB.facts = False, None, VerbFacts()


class RuleTable:
    """The verbs of a suite.

    Args:
        classes: ClauseVerb classes by name, in order.
        facts: What else is known, by verb.
        chosen: Classes or verbs to use; empty for all.
        where: The file, for errors.

    Raises:
        UserError: Two classes contradict each other, none says what follows from a verb, or no verb is left.
    """

    def __init__(
        self,
        classes: dict[str, VerbClass],
        facts: dict[str, VerbFacts],
        quantifiers: dict[str, Quantifier],
        chosen: tuple[str, ...],
        where: str,
        relations: tuple[OwnRelation, ...] = (),
        voices: tuple[OwnVoice, ...] = (),
    ) -> None:
        self.quantifiers, self.relations, self.voices = quantifiers, relations, voices
        said: dict[str, dict[str, bool]] = {}
        for name, entry in classes.items():
            for verb in entry.verbs:
                own = said.setdefault(verb, {})
                for sentence, follows in (("plain", entry.plain), ("negated", entry.negated)):
                    if follows is not None and own.setdefault(sentence, follows) is not follows:
                        raise UserError(f"the class {name!r} says the opposite of another about {verb!r}", where=where)
        self.verbs = {verb: _made(verb, own, facts.get(verb), where) for verb, own in said.items()}
        wanted = _chosen(chosen, classes, self.verbs)
        # Under negation a verb stands where its class of negated sentences lists it.
        order = [verb for entry in classes.values() if entry.negated is not None for verb in entry.verbs]
        self.veridical = tuple(verb for verb in self.verbs.values() if verb.veridical and verb in wanted)
        self.non_veridical = tuple(verb for verb in self.verbs.values() if not verb.veridical and verb in wanted)
        asked = [self.verbs[verb] for verb in dict.fromkeys(order) if verb in wanted]
        self.factive = tuple(verb for verb in asked if verb.negated)
        self.neutral = tuple(verb for verb in asked if not verb.negated)
        self.outer = tuple(verb for verb in self.non_veridical if not verb.facts.reverses)
        for side in ("veridical", "non_veridical", "outer"):
            if not getattr(self, side):
                raise UserError(
                    f"no {side.replace('_', '-')} verb is left", where="verbs", hint="-T verbs='[]' takes all"
                )

    def plain_relations(self, natural: str, entailed: bool, contrasts: Iterable[str]) -> tuple[str, ...]:
        """The relations of plain pairs of one label; `contrasts` are the ways in which a change of voice may fail."""
        if natural == "lexical":
            return (*LEXICAL[entailed], *(one.name for one in self.relations if one.entailed is entailed))
        return (*VOICES[True], *(one.name for one in self.voices)) if entailed else tuple(contrasts)

    @property
    def both(self) -> tuple[ClauseVerb, ...]:
        return (*self.veridical, *self.non_veridical)

    def side(self, name: str) -> tuple[ClauseVerb, ...]:
        """The verbs that a record names: "veridical", "non-veridical", "both", "factive", "neutral"; "" for none."""
        found: tuple[ClauseVerb, ...] = getattr(self, name.replace("-", "_")) if name else (NO_VERB,)
        return found


def _made(verb: str, said: dict[str, bool], facts: VerbFacts | None, where: str) -> ClauseVerb:
    if "plain" not in said:
        raise UserError(f"no class says what follows from {verb!r} (plain = true or false)", where=where)
    made = ClauseVerb(verb)
    made.veridical, made.negated, made.facts = said["plain"], said.get("negated"), facts or VerbFacts()
    return made


def _chosen(names: tuple[str, ...], classes: dict[str, VerbClass], verbs: dict[str, ClauseVerb]) -> set[str]:
    if not names:
        return set(verbs)
    found: set[str] = set()
    for name in names:
        if name not in classes and name not in verbs:
            raise unknown_name("verb or class", name, [*classes, *verbs], where="verbs")
        found.update(classes[name].verbs if name in classes else (name,))
    return found


def rule_table(rules: str = "", verbs: tuple[str, ...] = ()) -> RuleTable:
    """The verbs of the paper with those of a file of rules, or some of them."""
    return _table(read_bytes(Path(rules).expanduser()) if rules else b"", verbs, rules)


@lru_cache(maxsize=16)
def _table(own: bytes, verbs: tuple[str, ...], where: str) -> RuleTable:
    """The table of a file; its bytes are a key, so that a changed file is read anew."""
    ours = read_toml(_FILE, type=_RuleFile)
    theirs = read_toml(Path(where).expanduser(), type=_RuleFile) if where else _RuleFile()
    for kind, known, given in (
        ("class", ours.classes, theirs.classes),
        ("quantifier", QUANTIFIERS, theirs.quantifier),
        ("relation", [*LEXICAL[True], *LEXICAL[False], "antonym"], theirs.relation),
        ("voice", [*VOICES[True], *VOICES[False]], theirs.voice),
    ):
        if twice := set(known) & given.keys():
            raise UserError(f"the {kind} {min(twice)!r} exists already; give yours another name", where=where)
    facts, quantifiers = {**ours.verb, **theirs.verb}, {**QUANTIFIERS, **theirs.quantifier}
    relations = tuple(_relation(name, given, where) for name, given in theirs.relation.items())
    voices = tuple(_voice(name, given.form, where) for name, given in theirs.voice.items())
    classes = {**ours.classes, **theirs.classes}
    return RuleTable(classes, facts, quantifiers, verbs, where or "verbs", relations, voices)


def _relation(name: str, given: _Relation, where: str) -> OwnRelation:
    """A lexical relation of the user's, held against the inventory.

    Raises:
        UserError: A word is unknown, a pair contradicts the inventory, or no sentence has a place for the relation.
    """
    nouns = inventory()
    where = f"{where}: relation.{name}"
    for old, new in given.pairs:
        for word in (old, new):
            ensure_known("noun", word, nouns.nouns, where=where)
        follows = nouns.entails(old, new)
        if follows is not given.entailed and (follows or certain(old, new)):
            raise UserError(
                f"a {old} {'is' if follows else 'is not'} a {new} by the inventory, so this pair is "
                f"{'entailed' if follows else 'not entailed'}",
                where=where,
            )
    relation = OwnRelation(name, given.pairs, given.entailed)
    if not any(own_changes(frame, role, relation) for frame in frames() for role in ("subject", "object")):
        raise UserError("no sentence of the grammar has a place for any of its pairs", where=where)
    return relation


def _voice(name: str, form: str, where: str) -> OwnVoice:
    try:
        slots = {slot for _, slot, _, _ in Formatter().parse(form) if slot is not None}
    except ValueError as error:
        raise UserError(f"{form!r}: {error}", where=f"{where}: voice.{name}: form") from None
    lacking = {"subject", "object", "place"} - slots or ({"verb"} if not slots & {"verb", "passive"} else set())
    if lacking or (unknown := slots - {"subject", "object", "place", "verb", "passive", "be"}):
        what = f"lacks {{{min(lacking)}}}" if lacking else f"has the unknown slot {{{min(unknown)}}}"
        hint = 'form = "it {be} {object} that {subject} {verb} {place}"; {passive} agrees with the object'
        raise UserError(f"{form!r} {what}", where=f"{where}: voice.{name}: form", hint=hint)
    return OwnVoice(name, form)


def soft_label(kind: str, verb: str, entailed: bool | None, negated: bool = False) -> float | None:
    """How likely people are to infer the hypothesis, for calibration.

    A natural inference holds or does not. A veridical one has the share of people who infer the embedded sentence,
    and a composition that share where its natural inference holds, else 0.
    """
    if kind == "natural":
        return float(bool(entailed))
    rating = verb.rating(negated) if isinstance(verb, ClauseVerb) else None
    if rating is None:
        return None
    return rating.share if kind == "veridical" or entailed else 0.0


class Template(NamedTuple):
    """How a sentence is embedded: "Someone realizes that …" with any subject, tense and complementiser."""

    subjects: tuple[str, ...] = ("someone",)
    tense: Tense = "present"
    complementizer: bool = True

    def embed(self, verb: ClauseVerb, pair: Pair, turn: int, *, negated: bool = False) -> str:
        """The premise of the pair under a verb, as a clause without capital and full stop.

        `turn` chooses among several subjects. "Wish" asks for the past subjunctive where it is known.
        """
        subject = self.subjects[turn % len(self.subjects)]
        inner = (pair.wished or pair.premise) if verb.facts.mood == "subjunctive" else pair.premise
        return opening(subject, verb, self.tense, negated, self.complementizer) + inner

    def deepen(self, verb: str, clause: str, turn: int) -> str:
        """One more layer around a clause that is already embedded."""
        subject = self.subjects[turn % len(self.subjects)]
        return opening(subject, verb, self.tense, False, self.complementizer) + clause


@cache
def opening(subject: str, verb: str, tense: Tense, negated: bool, complementizer: bool) -> str:
    """The words before the embedded clause, with agreement: "she does not know that "."""
    forms = conjugate(verb)
    plural = _is_plural(subject)
    if tense in ("perfect", "past-perfect"):
        have = "had" if tense == "past-perfect" else "have" if plural else "has"
        group = f"{have} not {forms.participle}" if negated else f"{have} {forms.participle}"
    elif negated:
        do = "did" if tense == "past" else "do" if plural else "does"
        group = f"{do} not {verb}"
    elif tense == "past":
        group = forms.past
    else:
        group = verb if plural else forms.third
    name = "I" if subject.lower() == "i" else subject
    return f"{name} {group} that " if complementizer else f"{name} {group} "


@cache
def _is_plural(subject: str) -> bool:
    """Agreement of the subject: known pronouns, conjunctions, and plural nouns of the inventory."""
    words = subject.lower().split()
    plurals = {noun.plural for noun in inventory().nouns.values() if noun.plural != noun.word}
    return subject.lower() in _PLURAL_SUBJECTS or "and" in words or words[-1] in plurals
