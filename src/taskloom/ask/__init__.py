"""The one place that prompts a model, asks it, reads what it said and scores it.

In: rows, a model, an encoding and readers.
Out: scored answers, as they arrive.
"""

from taskloom.ask.judge import Assessment, Judge, ScoredReading, ask_for_scores, judge_answer, read_answer, scores_of
from taskloom.ask.replicas import asking_elsewhere, open_asked, open_replicas
from taskloom.ask.requests import ask, make_request, too_long
from taskloom.ask.spending import Meter, spending, spending_now

__all__ = [
    "Assessment",
    "Judge",
    "Meter",
    "ScoredReading",
    "ask",
    "ask_for_scores",
    "asking_elsewhere",
    "judge_answer",
    "make_request",
    "open_asked",
    "open_replicas",
    "read_answer",
    "scores_of",
    "spending",
    "spending_now",
    "too_long",
]
