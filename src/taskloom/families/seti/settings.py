"""The seven settings of the paper as data: what training contains and what is tested."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from taskloom.sources.sentences import STRUCTURAL_CONTRASTS, Contrast

Kind: TypeAlias = Literal["veridical", "natural", "composition"]
"""The inference asked: a primitive of one of the two kinds, or their composition."""


class BlockSpec(NamedTuple):
    """A set of instances: a kind, the verbs and the natural pairs it is built from.

    Attributes:
        kind: PI_ver, PI_nat or CI in the paper's words.
        verbs: Which verbs embed: "veridical", "non-veridical", "both", "" for none.
        natural: The kinds of natural pairs whose sentences are used.
        labels: Their labels.
    """

    kind: Kind
    verbs: str
    natural: tuple[str, ...]
    labels: tuple[bool, ...] = (True, False)


class Setting(NamedTuple):
    """One setting.

    Attributes:
        title: One line for lists.
        train: The two major types of the training data, balanced against each other.
        test: What is tested.
        contexts: "same" tests the sentences of the primitives, "other" their rules in other sentences.
        small, paper: Numbers of (lexical, structural) pairs at the two sizes.
        unseen_rules: Composition rules (1-4) that training must not show and the test must.
        contrasts: How a change of voice fails unless the recipe says otherwise.
        corpus: Numbers of (lexical, structural) pairs of SICK at the paper's size, where they are not `paper`.
    """

    title: str
    train: tuple[BlockSpec, ...]
    test: tuple[BlockSpec, ...]
    contexts: Literal["same", "other"]
    small: tuple[int, int]
    paper: tuple[int, int]
    unseen_rules: tuple[int, ...] = ()
    contrasts: tuple[Contrast, ...] = STRUCTURAL_CONTRASTS
    corpus: tuple[int, int] | None = None


_LEX, _STRU, _BOTH = ("lexical",), ("structural",), ("lexical", "structural")
_YES, _NO = (True,), (False,)

_WITHOUT_ROLES: tuple[Contrast, ...] = ("participant", "unrelated")
"""The contrasts of Task 2. Its trivial training shows changes of voice under non-veridical verbs alone, where all of
them are "no": nothing in it could teach that exchanged roles differ from a passive. SICK has next to none either."""

SETTINGS: dict[str, Setting] = {
    "task1-trivial": Setting(
        "primitives -> compositions of the same sentences",
        (BlockSpec("veridical", "both", _LEX), BlockSpec("natural", "", _LEX)),
        (BlockSpec("composition", "both", _LEX),),
        "same",
        (200, 0),
        (2108, 0),
    ),
    "task1-nontrivial": Setting(
        "primitives -> compositions of the same rules in other sentences",
        (BlockSpec("veridical", "both", _LEX), BlockSpec("natural", "", _LEX)),
        (BlockSpec("composition", "both", _LEX),),
        "other",
        (240, 0),
        (1508, 0),
    ),
    "task2-trivial": Setting(
        "compositions -> compositions with constituents exchanged",
        (BlockSpec("composition", "veridical", _LEX), BlockSpec("composition", "non-veridical", _STRU)),
        (BlockSpec("composition", "veridical", _STRU), BlockSpec("composition", "non-veridical", _LEX)),
        "same",
        (100, 100),
        (1054, 1054),
        contrasts=_WITHOUT_ROLES,
        corpus=(1508, 600),
    ),
    "task2-nontrivial": Setting(
        "compositions -> compositions by rules never seen",
        (
            BlockSpec("composition", "veridical", _BOTH, _YES),
            BlockSpec("composition", "non-veridical", _BOTH, _NO),
        ),
        (
            BlockSpec("composition", "veridical", _BOTH, _NO),
            BlockSpec("composition", "non-veridical", _BOTH, _YES),
        ),
        "same",
        (100, 100),
        (1054, 1054),
        (2, 3),
        contrasts=_WITHOUT_ROLES,
        corpus=(1508, 600),
    ),
    "task3-trivial": Setting(
        "primitives and compositions -> compositions with the primitive inside",
        (BlockSpec("natural", "", _STRU), BlockSpec("composition", "veridical", _LEX)),
        (BlockSpec("composition", "veridical", _STRU),),
        "same",
        (120, 120),
        (600, 600),
    ),
    "task3-nontrivial-verb": Setting(
        "non-veridical primitives and rule 1 -> rule 3, never seen",
        (
            BlockSpec("veridical", "non-veridical", _LEX, _YES),
            BlockSpec("composition", "veridical", _LEX, _YES),
        ),
        (BlockSpec("composition", "non-veridical", _LEX, _YES),),
        "same",
        (100, 0),
        (754, 0),
        (3,),
    ),
    "task3-nontrivial-natural": Setting(
        "non-entailed primitives and rule 1 -> rule 2, never seen",
        (BlockSpec("natural", "", _LEX, _NO), BlockSpec("composition", "veridical", _LEX, _YES)),
        (BlockSpec("composition", "veridical", _LEX, _NO),),
        "same",
        (200, 0),
        (1508, 0),
        (2,),
    ),
}


def label_of(kind: Kind, veridical: bool | None, entailed: bool | None) -> bool:
    """Whether the inference holds: Table 3's Boolean rules for compositions, the primitive's own label else."""
    return (kind == "natural" or bool(veridical)) and (kind == "veridical" or bool(entailed))


def composition_rule(veridical: bool, entailed: bool) -> int:
    """The number of Table 3's rule: 1 true and true, 2 true and false, 3 false and true, 4 false and false."""
    return 1 + (not entailed) + 2 * (not veridical)
