"""Every registry of the house, with what Taskloom brings along.

Entries are strings, so this module knows the names of all rooms and imports none of them.
"""

from __future__ import annotations

from typing import Any

from taskloom.core.adaptation import Adaptation
from taskloom.core.cells import Lattice
from taskloom.core.encoding import Encoding
from taskloom.core.errors import UserError, unknown_name
from taskloom.core.family import Family
from taskloom.core.metric import Metric
from taskloom.core.model import Provider
from taskloom.core.open import Opener
from taskloom.core.reader import Reader
from taskloom.core.registry import Registry
from taskloom.core.scorer import Scorer
from taskloom.core.study import Study
from taskloom.core.suite import Suite

__all__ = [
    "ADAPTATIONS",
    "ENCODINGS",
    "FAMILIES",
    "METRICS",
    "MODELS",
    "OPENERS",
    "READERS",
    "REGISTRIES",
    "SCORERS",
    "STUDIES",
    "lattice_of",
    "register",
]

FAMILIES: Registry[Family] = Registry(
    "family",
    {
        "babi": "taskloom.families.babi:FAMILY",
        "taskbench": "taskloom.families.taskbench:FAMILY",
        "seti": "taskloom.families.seti:FAMILY",
        "zest": "taskloom.families.zest:FAMILY",
        "superni": "taskloom.families.superni:FAMILY",
        "reasoning-gym": "taskloom.families.gym:FAMILY",
    },
)

OPENERS: Registry[Opener] = Registry(
    "opener",
    {
        "bigbench": "taskloom.hosts.bigbench:BIGBENCH",
        "bundle": "taskloom.store.open:BUNDLE",
        "hf": "taskloom.hosts.folder:FOLDER",
        "python": "taskloom.core.pyfile:PYTHON",
        "recipe": "taskloom.store.open:RECIPE",
        "superni": "taskloom.families.superni.opener:FOLDER",
    },
)

SCORERS: Registry[Scorer] = Registry(
    "scorer",
    {
        "exact": "taskloom.score.match:EXACT",
        "normalised": "taskloom.score.match:NORMALISED",
        "label": "taskloom.score.match:LABEL",
        "number": "taskloom.score.match:NUMBER",
        "items": "taskloom.score.items:ITEMS",
        "words": "taskloom.score.words:WORDS",
        "structure": "taskloom.score.structure:STRUCTURE",
        "rouge-l": "taskloom.score.rouge:ROUGE_L",
        "rouge-l-xlingual": "taskloom.score.rouge:ROUGE_L_XLINGUAL",
        "reasoning-gym": "taskloom.families.gym.entries:GYM",
        "superni-exact": "taskloom.families.superni.exact:SUPERNI_EXACT",
        "zest/official": "taskloom.families.zest.score.official:OFFICIAL",
        "zest/fair": "taskloom.families.zest.score.fair:FAIR",
    },
)

READERS: Registry[Reader] = Registry(
    "reader",
    {
        "whole": "taskloom.score.read.strict:WHOLE",
        "first-line": "taskloom.score.read.strict:FIRST_LINE",
        "last-line": "taskloom.score.read.strict:LAST_LINE",
        "after-marker": "taskloom.score.read.strict:AFTER_MARKER",
        "boxed": "taskloom.score.read.strict:BOXED",
        "lenient": "taskloom.score.read.lenient:LENIENT",
    },
)

METRICS: Registry[Metric] = Registry(
    "metric",
    {
        "mean": "taskloom.score.metrics:MEAN",
        "competence": "taskloom.score.competence:COMPETENCE",
        "zest-f1": "taskloom.families.zest.score.metrics:ZEST_F1",
        "zest-competence": "taskloom.families.zest.score.metrics:ZEST_COMPETENCE",
    },
)

ENCODINGS: Registry[Encoding] = Registry(
    "encoding",
    {
        "plain": "taskloom.encode.plain:PLAIN",
        "superni": "taskloom.families.superni.encoding:SUPERNI",
        "superni/task-id": "taskloom.families.superni.encoding:TASK_ID",
        "superni/def": "taskloom.families.superni.encoding:DEF",
        "superni/pos1": "taskloom.families.superni.encoding:POS1",
        "superni/def-pos1": "taskloom.families.superni.encoding:DEF_POS1",
        "superni/pos2": "taskloom.families.superni.encoding:POS2",
        "superni/def-pos2": "taskloom.families.superni.encoding:DEF_POS2",
        "superni/def-pos2-neg2": "taskloom.families.superni.encoding:DEF_POS2_NEG2",
        "superni/def-pos2-neg2-expl": "taskloom.families.superni.encoding:DEF_POS2_NEG2_EXPL",
        "superni/pos4": "taskloom.families.superni.encoding:POS4",
        "superni/def-pos4": "taskloom.families.superni.encoding:DEF_POS4",
        "superni/tk-instruct": "taskloom.families.superni.encoding:TK_INSTRUCT",
        "chat": "taskloom.encode.chat:CHAT",
        "zest": "taskloom.families.zest.encoding:ZEST",
    },
)

MODELS: Registry[Provider] = Registry(
    "model",
    {
        "mock": "taskloom.models.mock:PROVIDER",
        "hf": "taskloom.models.hf:PROVIDER",
        "api": "taskloom.models.api:PROVIDER",
        "openai": "taskloom.models.presets:OPENAI",
        "anthropic": "taskloom.models.presets:ANTHROPIC",
        "openrouter": "taskloom.models.presets:OPENROUTER",
        "together": "taskloom.models.presets:TOGETHER",
        "ollama": "taskloom.models.presets:OLLAMA",
        "vllm": "taskloom.models.presets:VLLM",
        "tiny": "taskloom.models.tiny:PROVIDER",
        "packaged": "taskloom.models.packaged:PROVIDER",
        "reading": "taskloom.models.reading:PROVIDER",
        "outputs": "taskloom.models.outputs:PROVIDER",
        "human": "taskloom.models.human:PROVIDER",
        "run": "taskloom.adapt.opened:PROVIDER",
    },
)

ADAPTATIONS: Registry[Adaptation] = Registry(
    "adaptation",
    {
        "none": "taskloom.adapt.none:NONE",
        "in-context": "taskloom.adapt.in_context:IN_CONTEXT",
        "finetune": "taskloom.adapt.finetune:FINETUNE",
        "prompt-tune": "taskloom.adapt.prompt_tune:PROMPT_TUNE",
        "lora": "taskloom.adapt.lora:LORA",
    },
)

STUDIES: Registry[Study[Any]] = Registry(
    "study",
    {
        "babi/tables": "taskloom.studies.babi.tables:TABLES",
        "babi/in-and-out": "taskloom.studies.babi.in_and_out:IN_AND_OUT",
        "babi/enrich": "taskloom.studies.babi.enrich:ENRICH",
        "babi/inoculate": "taskloom.studies.babi.inoculate:INOCULATE",
        "babi/give": "taskloom.studies.babi.give:GIVE",
        "babi/rephrase": "taskloom.studies.babi.rephrase:REPHRASE",
        "babi/reading": "taskloom.studies.babi.tables:READING",
        "babi/shortcuts": "taskloom.studies.babi.shortcuts:SHORTCUTS",
        "taskbench/knowledge": "taskloom.studies.taskbench.knowledge:STATISTICS",
        "taskbench/memorise": "taskloom.studies.taskbench.memorise:MEMORISE",
        "taskbench/compose": "taskloom.studies.taskbench.compose:COMPOSE",
        "taskbench/predict": "taskloom.studies.taskbench.predict:PREDICT",
        "taskbench/mass": "taskloom.studies.taskbench.mass:MASS",
        "taskbench/status": "taskloom.studies.taskbench.status:STATUS",
        "seti/tables": "taskloom.studies.seti.tables:TABLES",
        "seti/systematicity": "taskloom.studies.seti.systematicity:SYSTEMATICITY",
        "seti/few-shot": "taskloom.studies.seti.few_shot:FEW_SHOT",
        "seti/samples": "taskloom.studies.seti.tables:SAMPLES",
        "zest/competence": "taskloom.studies.zest.competence:COMPETENCE_OF_MODELS",
        "zest/tables": "taskloom.studies.zest.tables:TABLES",
        "zest/score-file": "taskloom.studies.zest.score_file:FILE",
        "competence": "taskloom.studies.competence:COMPETENCE",
        "profile": "taskloom.studies.profile:PROFILE",
        "concur": "taskloom.studies.concur:CONCUR",
        "superni/unseen": "taskloom.studies.superni.unseen:UNSEEN",
        "superni/encodings": "taskloom.studies.superni.encodings:ENCODINGS",
        "superni/scaling": "taskloom.studies.superni.scaling:SCALING",
        "superni/metric-check": "taskloom.studies.superni.metric_check:METRIC_CHECK",
        "superni/statistics": "taskloom.studies.superni.tables:STATISTICS",
        "superni/baselines": "taskloom.studies.superni.tables:BASELINE_SCORES",
        "superni/official": "taskloom.studies.superni.tables:OFFICIAL",
    },
)

REGISTRIES = {
    registry.kind: registry
    for registry in (FAMILIES, OPENERS, SCORERS, READERS, METRICS, ENCODINGS, MODELS, ADAPTATIONS, STUDIES)
}


def register(name: str, value: Any) -> None:
    """Register an object in this process under `kind.name`, as an entry point of a package would.

    Example:
        >>> from taskloom import Score, Scorer, register
        >>> class Shouted(Scorer, frozen=True):
        ...     name = "shouted"
        ...
        ...     def score(self, answer, targets, task):
        ...         return Score(float(answer.isupper()))
        >>> register("scorer.shouted", Shouted())
    """
    kind, _, rest = name.partition(".")
    if kind not in REGISTRIES or not rest:
        raise unknown_name("kind", kind, REGISTRIES, hint='register("scorer.mine", Mine())')
    REGISTRIES[kind].register(rest, value)


def probed_suite(name: str) -> str:
    """The suite that a probe means by a name: of a family alone, the one that stands for it."""
    family = FAMILIES.get(name) if name in FAMILIES else None
    return f"{name}/{family.probed}" if family is not None and family.probed else name


def lattice_of(suite: Suite) -> Lattice:
    """The lattice of a suite.

    Raises:
        UserError: It has none.
    """
    if suite.family not in FAMILIES:
        raise UserError(f"{suite.name} does not belong to a family, so it has no lattice of combinations to search")
    return FAMILIES.get(suite.family).lattice(suite)
