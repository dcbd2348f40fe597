"""The settings of SETI suites: recipes, and the suites as records (`suites.toml`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec

from taskloom.core import Example, Facet, Instruction, Positive, Recipe, Share
from taskloom.core.decode import read_toml
from taskloom.core.definition import Definition
from taskloom.families.seti.verbs import Tense
from taskloom.sources.sentences.pairs import PASSIVES, STRUCTURAL_CONTRASTS, Contrast
from taskloom.sources.sentences.polarity import OperatorKind
from taskloom.sources.sentences.sick import SPAN
from taskloom.sources.sentences.words import Aspect

_Depth: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=12)]
_Pairs: TypeAlias = Annotated[int, msgspec.Meta(ge=4)]
_NEGATING = frozenset({"no", "nobody", "none", "neither", "not", "few", "hardly", "noone", "never"})


class BaseRecipe(Recipe, frozen=True, kw_only=True):
    """The settings that every SETI suite has.

    Attributes:
        split: "compositional" keeps what is tested out of training; "in-distribution" mixes and cuts at random.
        subjects: Who realises, hopes …; several are used in turn.
        tense: The tense of the embedding verb; the past puts the embedded sentence into the past as well.
        complementizer: Whether to include "that".
        train, dev, test: Upper limits on the sizes; None takes all that the sentence pairs give. Where training
            is cut down, only inferences that it still shows are tested.
        verbs: The classes of verbs, or verbs, to embed under; empty takes all.
        rules: A TOML file with verb classes and verbs of your own, in the form of the packaged `verbs.toml`.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("rules",)

    split: Literal["compositional", "in-distribution"] = "compositional"
    subjects: tuple[str, ...] = ("someone",)
    tense: Tense = "present"
    complementizer: bool = True
    train: Positive | None = None
    dev: Positive | None = None
    test: Positive | None = None
    verbs: tuple[str, ...] = ()
    rules: str = ""

    def __post_init__(self) -> None:
        if not self.subjects or not all(subject.strip() for subject in self.subjects):
            raise ValueError("subjects need at least one name or pronoun, none of them empty")
        for subject in self.subjects:
            if subject.lower().split()[0] in _NEGATING:
                raise ValueError(
                    f"the subject {subject!r} negates the sentence, so what someone knows no longer follows"
                )


class SettingRecipe(BaseRecipe, frozen=True, kw_only=True):
    """One of the paper's seven settings.

    Attributes:
        source: Where sentence pairs come from: "generated", "sick" or "json" (the published layout).
        path: The folder or file of SICK; for "json" the folder with train.json, dev.json, test.json.
        faults: What happens to rows of files that leak, repeat, contradict each other or break a rule: "refuse" the
            files, naming the first such row, or "quarantine" the rows, with a warning and a note in the suite.
        span: How many words a lexical pair of SICK may replace at one place.
        strict_voice: Whether a structural pair of SICK that is not entailed must share its verb and a participant.
        size: "small" for quick work, "paper" for the sizes of Table 5.
        lexical: How many lexical sentence pairs to use; None leaves it to `size`.
        structural: How many active-passive pairs to use; None leaves it to `size`.
        few: Size of the extra split `few`, at most 128: compositions like those tested, from other sentences.
        contrasts: How a change of voice may fail.
        passives: The share of transitive lexical pairs that are passive on both sides (generated ones only).
        aspect: The aspect of generated sentences; None takes the progressive that fits the tense.
    """

    source: Literal["generated", "sick", "json"] = "generated"
    file_keys: ClassVar[tuple[str, ...]] = ("path", "rules")

    path: str = ""
    faults: Literal["refuse", "quarantine"] = "refuse"
    span: Annotated[int, msgspec.Meta(ge=1, le=10)] = SPAN
    strict_voice: bool = False
    size: Literal["small", "paper"] = "small"
    lexical: _Pairs | None = None
    structural: _Pairs | None = None
    few: Annotated[int, msgspec.Meta(ge=0, le=128)] = 0
    contrasts: tuple[Contrast, ...] = STRUCTURAL_CONTRASTS
    passives: Share = PASSIVES
    aspect: Aspect | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.contrasts:
            raise ValueError("contrasts needs at least one of role-swap, participant, unrelated")
        if self.source != "generated" and not self.path:
            what = (
                "the folder or file of SICK"
                if self.source == "sick"
                else "the folder with train.json, dev.json, test.json"
            )
            raise ValueError(f"source={self.source} needs path=... ({what})")


class OperatorRecipe(BaseRecipe, frozen=True, kw_only=True):
    """Negation and quantifiers as further primitives.

    Attributes:
        pairs: How many sentence pairs stand under operators; at least 96, so that every cell has some.
    """

    pairs: Annotated[int, msgspec.Meta(ge=96)] = 320


class DepthRecipe(BaseRecipe, frozen=True, kw_only=True):
    """Deeper embedding; sizes are per split.

    Attributes:
        train_depths: How many verbs deep the sentences of training are embedded.
        test_depths: How many those of the test are.
    """

    subjects: tuple[str, ...] = ("someone", "Mary", "the teacher", "he", "John", "she")
    train_depths: tuple[_Depth, ...] = (1, 2)
    test_depths: tuple[_Depth, ...] = (3, 4, 5)
    train: Positive | None = 2000
    dev: Positive | None = 200
    test: Positive | None = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.train_depths or not self.test_depths:
            raise ValueError("train_depths and test_depths are lists of numbers from 1 to 12")
        if self.split == "compositional" and set(self.train_depths) & set(self.test_depths):
            raise ValueError("a compositional split needs test_depths that training does not see")


Kind: TypeAlias = Literal["veridical", "natural", "composition"]
"""The inference asked: a primitive of one of the two kinds, or their composition."""
VerbSide: TypeAlias = Literal["", "both", "veridical", "non-veridical", "factive", "neutral"]
"""Which verbs embed; "" for none."""


class BlockSpec(NamedTuple):
    """A set of instances: PI_ver, PI_nat or CI in the paper's words, with verbs, natural pairs and their labels."""

    kind: Kind
    verbs: VerbSide
    natural: tuple[str, ...]
    labels: tuple[bool, ...] = (True, False)


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class PairSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sentence pairs of a suite with operators; plain ones unless it says otherwise.

    Attributes:
        under: The operators that the pairs stand under.
        cells: Which operators meet which relations: "others" leaves out hypernyms and hyponyms, "turned" has these
            alone, "known" and "held" divide them between the operators.
        lane: The lane of the grammar.
        times: How many times the recipe's number of pairs there are.
        of: Other pairs that these are a part of.
        start: Where that part begins, in numbers of pairs of the recipe.
        premises: Only pairs with different premises.
    """

    under: OperatorKind | None = None
    cells: Literal["all", "others", "turned", "known", "held"] = "all"
    lane: int = 0
    times: int = 1
    of: str = ""
    start: int = 0
    premises: bool = False


class PartSpec(NamedTuple):
    """Sentence pairs that are asked in the same way; `purpose` decides in which order verbs are taken."""

    kind: Kind
    pairs: str
    verbs: VerbSide
    purpose: str
    negated: bool = False


class OperatorSuite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A suite with operators: its sentence pairs by name, in the order of their numbers, and how they are asked."""

    title: str
    pairs: dict[str, PairSpec]
    train: tuple[PartSpec, ...]
    test: tuple[PartSpec, ...]


class Sample(NamedTuple):
    """Where a section of the page of samples comes from: a suite, a split, and the facets that are wanted."""

    suite: str
    split: str
    facets: dict[str, Facet]


class _Shown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    definition: dict[str, str]
    positive: tuple[Example, ...]
    negative: tuple[Example, ...]


class _Suites(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    instruction: _Shown
    setting: dict[str, Setting]
    operator: dict[str, OperatorSuite]
    sample: dict[str, Sample]


_FILE = read_toml(Path(__file__).with_name("suites.toml"), type=_Suites)
SETTINGS, OPERATORS, SAMPLES, _SHOWN = _FILE.setting, _FILE.operator, _FILE.sample, _FILE.instruction
INSTRUCTION = Instruction.of(Definition.of(_SHOWN.definition), _SHOWN.positive, _SHOWN.negative)


def label_of(kind: Kind, veridical: bool | None, entailed: bool | None) -> bool:
    """Whether the inference holds: Table 3's Boolean rules for compositions, the primitive's own label else."""
    return (kind == "natural" or bool(veridical)) and (kind == "veridical" or bool(entailed))


def composition_rule(veridical: bool, entailed: bool) -> int:
    """The number of Table 3's rule: 1 true and true, 2 true and false, 3 false and true, 4 false and false."""
    return 1 + (not entailed) + 2 * (not veridical)
