"""Sentences and questions as small tuples of numbers: what the generator and the reader pass around.

Persons, objects and places are numbers; names come in only when a story is rendered or parsed.
"""

from __future__ import annotations

from typing import NamedTuple

MOVE, AFFIRM, NEGATE, LEFT, INDEF, CONJ, GRAB, DROP, GIVE = range(9)
KINDS = ("move", "affirm", "negate", "left", "indef", "conj", "grab", "drop", "give")
EVENTS = ("move", "grab", "drop", "give")
CONSTRUCTS = ("coref", "conj", "compound", "negate", "indef")
POSSESSION = (GRAB, DROP, GIVE)

(WHERE_P, WHERE_O, WHERE_WAS, YES_NO, LIST, COUNTING, GAVE_TO, GAVE, RECEIVED, WHO_GIVE, WHAT_GIVE) = range(11)
QUESTION_KINDS = (
    "where-person",
    "where-object",
    "where-was-object",
    "yes-no",
    "list",
    "counting",
    "gave-to",
    "gave",
    "received",
    "who-give",
    "what-give",
)
QUESTION_TYPES = ("where-person", "where-object", "where-was-object", "yes-no", "list", "counting", "give")
GIVE_QUESTIONS = (GAVE_TO, GAVE, RECEIVED, WHO_GIVE, WHAT_GIVE)
HAND_QUESTIONS = (LIST, COUNTING)

NO, YES, MAYBE = range(3)


class Sentence(NamedTuple):
    """One line of a story.

    | kind | first | second | third |
    | --- | --- | --- | --- |
    | MOVE, AFFIRM, NEGATE, LEFT | person | place | |
    | INDEF | person | place | place |
    | CONJ | person | person | place |
    | GRAB, DROP | person | object | |
    | GIVE | giver | object | receiver |

    LEFT is "is no longer in". Events that a recipe adds have numbers from 9 on, and their roles in order. `pronoun`
    says that the subject is spoken as he, she or they, so that the sentence before is needed to know who acts.
    """

    kind: int
    first: int
    second: int = -1
    third: int = -1
    pronoun: bool = False
    fourth: int = -1

    @property
    def roles(self) -> tuple[int, int, int, int]:
        """Who and what it is about, in order."""
        return self.first, self.second, self.third, self.fourth


class Question(NamedTuple):
    """A question about a story.

    | kind | first | second |
    | --- | --- | --- |
    | WHERE_P, LIST, COUNTING | person | |
    | WHERE_O, GAVE, RECEIVED | object | |
    | WHERE_WAS | object | place |
    | YES_NO | person | place |
    | GAVE_TO | object | receiver |
    | WHO_GIVE | giver | object |
    | WHAT_GIVE | giver | receiver |

    Questions that a recipe adds have numbers from 11 on.
    """

    kind: int
    first: int
    second: int = -1


Answer = int | tuple[int, ...]
"""A place, person, object, value, NO/YES/MAYBE or count; for LIST the objects in ascending order."""
