"""Statements as English sentences, for facts that stand in a prompt.

The first wording of a property is the plain one, used where facts are listed; a passage draws among all of them. Every
wording names both ends, so that each sentence can be read alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from taskloom.sources.knowledge.vocabulary import property_named

__all__ = ["WORDINGS", "plain_sentence", "varied_sentence"]

WORDINGS: Mapping[str, tuple[str, ...]] = {
    "P17": ("{x} is in the country {y}.", "The country that {x} belongs to is {y}."),
    "P19": ("{x} was born in {y}.", "The place of birth of {x} is {y}."),
    "P20": ("{x} died in {y}.", "The place of death of {x} is {y}."),
    "P21": ("The sex or gender of {x} is {y}.", "{x} is recorded as {y}."),
    "P22": ("The father of {x} is {y}.", "{y} is the father of {x}."),
    "P25": ("The mother of {x} is {y}.", "{y} is the mother of {x}."),
    "P26": ("{x} is married to {y}.", "{y} is the spouse of {x}."),
    "P27": ("{x} is a citizen of {y}.", "{x} holds the citizenship of {y}."),
    "P30": ("{x} lies on the continent {y}.", "The continent of {x} is {y}."),
    "P31": ("{x} is an instance of {y}.", "{x} belongs to the class {y}."),
    "P35": ("The head of state of {x} is {y}.", "{y} is the head of state of {x}."),
    "P36": ("The capital of {x} is {y}.", "{y} is the capital of {x}."),
    "P37": ("An official language of {x} is {y}.", "{y} is an official language of {x}."),
    "P39": ("{x} held the position {y}.", "The position {y} was held by {x}."),
    "P40": ("A child of {x} is {y}.", "{x} has a child named {y}."),
    "P50": ("{x} was written by {y}.", "{y} is an author of {x}."),
    "P54": ("{x} is a member of the team {y}.", "{x} plays for {y}."),
    "P57": ("{x} was directed by {y}.", "{y} is the director of {x}."),
    "P69": ("{x} was educated at {y}.", "{x} attended {y}."),
    "P86": ("{x} was composed by {y}.", "{y} is the composer of {x}."),
    "P102": ("{x} is a member of the party {y}.", "{x} belongs to the party {y}."),
    "P103": ("The native language of {x} is {y}.", "{x} is a native speaker of {y}."),
    "P106": ("An occupation of {x} is {y}.", "{x} works as: {y}."),
    "P108": ("{x} works for {y}.", "{y} employs {x}."),
    "P127": ("{x} is owned by {y}.", "The owner of {x} is {y}."),
    "P136": ("A genre of {x} is {y}.", "{x} belongs to the genre {y}."),
    "P138": ("{x} is named after {y}.", "{y} gave {x} its name."),
    "P161": ("{y} acts in {x}.", "A cast member of {x} is {y}."),
    "P166": ("{x} received {y}.", "{y} was awarded to {x}."),
    "P170": ("The creator of {x} is {y}.", "{x} was created by {y}."),
    "P171": ("The parent taxon of {x} is {y}.", "{x} is below the taxon {y}."),
    "P175": ("The performer of {x} is {y}.", "{x} is performed by {y}."),
    "P176": ("The manufacturer of {x} is {y}.", "{x} is made by {y}."),
    "P178": ("The developer of {x} is {y}.", "{x} was developed by {y}."),
    "P264": ("A record label of {x} is {y}.", "{x} has a contract with the record label {y}."),
    "P276": ("The location of {x} is {y}.", "{x} is located at {y}."),
    "P279": ("{x} is a kind of {y}.", "{x} is a subclass of {y}."),
    "P364": ("The original language of {x} is {y}.", "{x} was made in the language {y}."),
    "P413": ("The position of {x} on a team is {y}.", "{x} plays in the position of {y}."),
    "P495": ("{x} comes from the country {y}.", "The country of origin of {x} is {y}."),
    "P527": ("A part of {x} is {y}.", "{x} has the part {y}."),
    "P530": ("{x} has diplomatic relations with {y}.", "There are diplomatic relations of {x} with {y}."),
    "P569": ("The date of birth of {x} is {y}.", "{x} was born on {y}."),
    "P570": ("The date of death of {x} is {y}.", "{x} died on {y}."),
    "P737": ("{x} was influenced by {y}.", "{y} was an influence on {x}."),
    "P1412": ("{x} speaks {y}.", "A language spoken by {x} is {y}."),
    "P3373": ("A sibling of {x} is {y}.", "{y} is a brother or sister of {x}."),
}
"""Wordings by property. `{x}` is what the statement is about, `{y}` its value."""


def _wordings(property_id: str, name: str) -> tuple[str, ...]:
    known = WORDINGS.get(property_id)
    if known is not None:
        return known
    term = property_named(property_id)
    said = term.name if term else name or property_id
    return (f"The {said.replace('{', '(').replace('}', ')')} of {{x}} is {{y}}.",)


def _fill(wording: str, x: str, y: str) -> str:
    # One pass, so that a label with braces in it is never read as a place to fill.
    before, _, rest = wording.partition("{x}" if wording.index("{x}") < wording.index("{y}") else "{y}")
    first, second, mark = (x, y, "{y}") if wording.index("{x}") < wording.index("{y}") else (y, x, "{x}")
    middle, _, after = rest.partition(mark)
    sentence = f"{before}{first}{middle}{second}{after}"
    return f"{sentence[:1].upper()}{sentence[1:]}" if before else sentence


def plain_sentence(property_id: str, x: str, y: str, *, name: str = "") -> str:
    """A statement in its plain wording; `name` is what to call a property outside the vocabulary."""
    return _fill(_wordings(property_id, name)[0], x, y)


def varied_sentence(property_id: str, x: str, y: str, rng: Random, *, name: str = "") -> str:
    """A statement in one of its wordings."""
    return _fill(rng.choice(_wordings(property_id, name)), x, y)
