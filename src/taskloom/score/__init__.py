"""Scorers, extractors, metrics and statistics: from an answer to a number with an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.core.lazy import lazy_names

if TYPE_CHECKING:
    from taskloom.score.compare import Comparison as Comparison
    from taskloom.score.compare import compare_paired as compare_paired
    from taskloom.score.compare import detectable_difference as detectable_difference
    from taskloom.score.compare import holm as holm
    from taskloom.score.competence import Competence as Competence
    from taskloom.score.competence import breakdown as breakdown
    from taskloom.score.competence import macro_estimate as macro_estimate
    from taskloom.score.items import ItemsMatch as ItemsMatch
    from taskloom.score.match import ExactMatch as ExactMatch
    from taskloom.score.match import LabelMatch as LabelMatch
    from taskloom.score.match import NormalisedMatch as NormalisedMatch
    from taskloom.score.match import NumberMatch as NumberMatch
    from taskloom.score.metrics import MeanScore as MeanScore
    from taskloom.score.probes import Probe as Probe
    from taskloom.score.probes import ProbeResult as ProbeResult
    from taskloom.score.probes import audit as audit
    from taskloom.score.probes import standard_probes as standard_probes
    from taskloom.score.rouge import RougeL as RougeL
    from taskloom.score.stats import clustered_mean as clustered_mean
    from taskloom.score.stats import mean_estimate as mean_estimate
    from taskloom.score.stats import wilson as wilson
    from taskloom.score.structure import StructureMatch as StructureMatch
    from taskloom.score.words import WordsScorer as WordsScorer

_MODULES = {
    "compare": "Comparison compare_paired detectable_difference holm",
    "competence": "Competence breakdown macro_estimate",
    "items": "ItemsMatch",
    "match": "ExactMatch LabelMatch NormalisedMatch NumberMatch",
    "metrics": "MeanScore",
    "probes": "Probe ProbeResult audit standard_probes",
    "rouge": "RougeL",
    "stats": "clustered_mean mean_estimate wilson",
    "structure": "StructureMatch",
    "words": "WordsScorer",
}
if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)
