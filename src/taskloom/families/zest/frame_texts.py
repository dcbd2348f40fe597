"""The sentences of frames. Besides the slots of domains, {what} is what happened or what somebody did."""

from __future__ import annotations

__all__ = [
    "HONOURED_PAIRS",
    "HONOURED_PERSONS",
    "HONOURED_SPOTS",
    "MOTIFS",
    "PAIRS",
    "PERSONS",
    "RULE_BROKEN",
    "RULE_KEPT",
    "SPOTS",
    "YEARS",
    "YEARS_AFTER",
]

RULE_KEPT = (
    ("{rule}", "{E} {be} no exception"),
    ("{rule}, and {E} {be} no exception",),
    ("{rule}", "the same {hold} for {E}"),
    ("{rule}, and {E} {be} like the rest in this",),
    ("as is well known, {rule}", "{E} {be} not an exception"),
)
RULE_BROKEN = (
    ("{rule}", "{E} {be} an exception"),
    ("{rule}, but {E} {be} an exception",),
    ("although {rule}, {E} {be} an exception",),
    ("{rule}", "the opposite {hold} for {E}"),
    ("as is well known, {rule}", "{E} {be} the exception"),
)
YEARS_AFTER = (
    "a full {n} years after {base}, {event}",
    "{event} {n} years after {base}",
    "exactly {n} years passed after {base}, and then {event}",
    "it was {n} years after {base} that {event}",
    "after {base}, {n} years went by before {event}",
)
YEARS = (
    ("the year {v} has a place in every chronicle", "that is when {what}"),
    ("one date is known to every child in {town}: {v}", "that year, {what}"),
    ("a plaque in {town} bears a single date, {v}", "it stands for the year in which {what}"),
    ("people in {town} like to speak of the year {v}", "it was then that {what}"),
    ("the year {v} stands out in the records", "in the course of that year, {what}"),
)
HONOURED_PERSONS = (
    ("the name of {v} is on a plaque in {town}", "this is the person who {what}"),
    ("every local history has a page on {v}", "it is this person who {what}"),
    ("{v} is a name to remember in {town}", "the person of that name {what}"),
    ("a street in {town} is called after {v}", "its name recalls the person who {what}"),
    ("a letter signed by {v} hangs in the town hall", "the writer is the person who {what}"),
)
PERSONS = (
    ("many stories are told about {v}", "this is the person who {what}"),
    ("everybody in {town} has heard of {v}", "it is this person who {what}"),
    ("{v} is a name that all of {town} knows", "the person of that name {what}"),
    ("a picture in the town hall shows {v}", "it is a portrait of the person who {what}"),
    ("a letter signed by {v} hangs in the town hall", "the writer is the person who {what}"),
)
PAIRS = (
    ("two names come up again and again, {former} and {latter}", "the former {did}, the latter {did_too}"),
    ("people like to compare {former} with {latter}", "the former {did}; the latter {did_too}"),
    ("there are many stories about both {former} and {latter}", "the former {did}, while the latter {did_too}"),
    ("pictures in the town hall show {former} and {latter}", "the one named first {did}, the other {did_too}"),
)
HONOURED_PAIRS = (
    *PAIRS,
    ("the archive keeps letters by {former} and {latter}", "the first of them {did}; the second {did_too}"),
    ("a plaque honours {former} and {latter}", "the one named first {did}, the other {did_too}"),
    ("local histories praise both {former} and {latter}", "the former {did}, while the latter {did_too}"),
)
HONOURED_SPOTS = (
    ("no account leaves out {v}", "that is where {what}"),
    ("{v} has its part in the story", "it is the place where {what}"),
    ("visitors to {v} are shown the very spot", "it is the spot where {what}"),
    ("one place is named in all accounts, {v}", "there {what}"),
    ("a signpost in {v} tells the story", "this is where {what}"),
)
SPOTS = (
    ("every guide book mentions {v}", "that is where {what}"),
    ("{v} is marked on every map of the area", "it is the place where {what}"),
    ("newcomers are told to look for {v}", "it is the spot where {what}"),
    ("one place is named in all guide books, {v}", "there {what}"),
    ("everybody knows the way to {v}", "this is where {what}"),
)
MOTIFS = (
    "the year",
    "plaque",
    "town hall",
    "letter",
    "local histor",
    "account",
    "guide book",
    "stories",
    "everybody",
    "people",
)
"""What a reader would notice if it came twice in a passage."""
