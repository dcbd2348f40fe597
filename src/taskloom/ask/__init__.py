"""The one place that prompts a model, asks it, reads what it said and scores it.

In: rows, a model, an encoding and readers.
Out: scored answers, as they arrive.
"""

from taskloom.ask.cache import ResponseCache
from taskloom.ask.judge import Assessment, Judge, ScoredReading, ask_for_scores, judge_answer, read_answer
from taskloom.ask.replicas import asking_elsewhere, open_asked, open_replicas
from taskloom.ask.requests import ask, make_request, too_long
from taskloom.ask.spending import LETTERS, CostEstimate, Meter, estimate_cost, priced, spending, spending_now

__all__ = [
    "LETTERS",
    "Assessment",
    "CostEstimate",
    "Judge",
    "Meter",
    "ResponseCache",
    "ScoredReading",
    "ask",
    "ask_for_scores",
    "asking_elsewhere",
    "estimate_cost",
    "judge_answer",
    "make_request",
    "open_asked",
    "open_replicas",
    "priced",
    "read_answer",
    "spending",
    "spending_now",
    "too_long",
]
