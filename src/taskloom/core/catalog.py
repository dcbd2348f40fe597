"""Every registry of the house, with what Taskloom brings along.

Entries are strings, so this module knows the names of all rooms and imports none of them.
"""

from __future__ import annotations

from typing import Any

from taskloom.core.family import Family
from taskloom.core.registry import Registry

__all__ = [
    "ADAPTATIONS",
    "ENCODINGS",
    "EXTRACTORS",
    "FAMILIES",
    "METRICS",
    "MODELS",
    "REGISTRIES",
    "SCORERS",
    "STUDIES",
]

FAMILIES: Registry[Family] = Registry(
    "family",
    {
        "babi": "taskloom.families.babi:FAMILY",
        "taskbench": "taskloom.families.taskbench:FAMILY",
        "seti": "taskloom.families.seti:FAMILY",
        "zest": "taskloom.families.zest:FAMILY",
        "superni": "taskloom.families.superni:FAMILY",
    },
)

SCORERS: Registry[Any] = Registry(
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
        "superni-exact": "taskloom.score.superni_exact:SUPERNI_EXACT",
        "zest/official": "taskloom.score.zest_official:OFFICIAL",
        "zest/fair": "taskloom.score.zest_fair:FAIR",
    },
)

EXTRACTORS: Registry[Any] = Registry(
    "extractor",
    {
        "whole": "taskloom.score.extract:WHOLE",
        "first-line": "taskloom.score.extract:FIRST_LINE",
        "last-line": "taskloom.score.extract:LAST_LINE",
        "after-marker": "taskloom.score.extract:AFTER_MARKER",
        "boxed": "taskloom.score.extract:BOXED",
    },
)

METRICS: Registry[Any] = Registry(
    "metric",
    {
        "mean": "taskloom.score.metrics:MEAN",
        "competence": "taskloom.score.competence:COMPETENCE",
        "zest-f1": "taskloom.score.competence:ZEST_F1",
    },
)

ENCODINGS: Registry[Any] = Registry(
    "encoding",
    {
        "plain": "taskloom.encode.plain:PLAIN",
        "superni": "taskloom.encode.superni:SUPERNI",
        "superni/task-id": "taskloom.encode.superni:TASK_ID",
        "superni/def": "taskloom.encode.superni:DEF",
        "superni/pos1": "taskloom.encode.superni:POS1",
        "superni/def-pos1": "taskloom.encode.superni:DEF_POS1",
        "superni/pos2": "taskloom.encode.superni:POS2",
        "superni/def-pos2": "taskloom.encode.superni:DEF_POS2",
        "superni/def-pos2-neg2": "taskloom.encode.superni:DEF_POS2_NEG2",
        "superni/def-pos2-neg2-expl": "taskloom.encode.superni:DEF_POS2_NEG2_EXPL",
        "superni/pos4": "taskloom.encode.superni:POS4",
        "superni/def-pos4": "taskloom.encode.superni:DEF_POS4",
        "superni/tk-instruct": "taskloom.encode.superni:TK_INSTRUCT",
        "chat": "taskloom.encode.chat:CHAT",
        "zest": "taskloom.encode.zest:ZEST",
    },
)

MODELS: Registry[Any] = Registry(
    "model",
    {
        "mock": "taskloom.models.mock:PROVIDER",
        "hf": "taskloom.models.hf:PROVIDER",
        "api": "taskloom.models.api:PROVIDER",
        "tiny": "taskloom.models.tiny:PROVIDER",
        "packaged": "taskloom.models.packaged:PROVIDER",
        "reading": "taskloom.models.reading:PROVIDER",
    },
)

ADAPTATIONS: Registry[Any] = Registry(
    "adaptation",
    {
        "none": "taskloom.adapt.none:NONE",
        "in-context": "taskloom.adapt.in_context:IN_CONTEXT",
        "finetune": "taskloom.adapt.finetune:FINETUNE",
        "prompt-tune": "taskloom.adapt.prompt_tune:PROMPT_TUNE",
        "lora": "taskloom.adapt.lora:LORA",
    },
)

STUDIES: Registry[Any] = Registry(
    "study",
    {
        "babi/tables": "taskloom.studies.babi:TABLES",
        "babi/reading": "taskloom.studies.babi:READING",
        "taskbench/knowledge": "taskloom.studies.knowledge:STATISTICS",
        "taskbench/status": "taskloom.studies.taskbench:STATUS",
        "seti/tables": "taskloom.studies.seti:TABLES",
        "seti/samples": "taskloom.studies.seti:SAMPLES",
        "zest/tables": "taskloom.studies.zest:TABLES",
        "zest/score-file": "taskloom.studies.zest_file:FILE",
        "competence": "taskloom.studies.competence:COMPETENCE",
        "superni/statistics": "taskloom.studies.superni:STATISTICS",
        "superni/baselines": "taskloom.studies.superni:BASELINE_SCORES",
        "superni/official": "taskloom.studies.superni:OFFICIAL",
        "adapt/memorise": "taskloom.studies.adaptation:MEMORISE",
        "adapt/transfer": "taskloom.studies.adaptation:TRANSFER",
        "adapt/systematicity": "taskloom.studies.adaptation:SYSTEMATICITY",
        "adapt/instructions": "taskloom.studies.instructions:INSTRUCTIONS",
    },
)

REGISTRIES: dict[str, Registry[Any]] = {
    registry.kind: registry
    for registry in (FAMILIES, SCORERS, EXTRACTORS, METRICS, ENCODINGS, MODELS, ADAPTATIONS, STUDIES)
}
