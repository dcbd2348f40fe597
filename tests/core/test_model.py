"""What the model contract does by itself: chunks, places, beliefs."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.core.model import Belief, Generation, Identity, Limits, Model


class Weighing(Model):
    """Believes in an answer as much as it is long."""

    def __init__(self):
        self.identity = Identity("test/weighing")
        self.limits = Limits(batch=3)
        self.calls = []

    def generate(self, requests, generation):
        raise NotImplementedError

    def weigh(self, requests, answers, *, end=None):
        self.calls.append((list(requests), end))
        return [Belief([float(len(answer)) for answer in given], []) for given in answers]


@pytest.mark.parametrize("end", [None, True])
def test_beliefs_come_in_batches_with_their_places(end):
    model = Weighing()
    asked = [(f"request {number}", ["a" * number, "b"]) for number in range(8)]
    groups = list(model.beliefs(iter(asked), end=end))
    assert [[place for place, _ in group] for group in groups] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert [belief.logprobs[0] for group in groups for _, belief in group] == [float(number) for number in range(8)]
    assert model.calls == [([f"request {n}" for n in part], end) for part in ((0, 1, 2), (3, 4, 5), (6, 7))]


def test_a_model_without_probabilities_says_so():
    with pytest.raises(UserError, match="test/weighing does not provide log-probabilities"):
        Weighing().logprobs([], [])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"max_tokens": 0}, "max_tokens must be 1 or more"),
        ({"temperature": -0.1}, "temperature must be 0 or more"),
        ({"temperature": float("nan")}, "temperature must be 0 or more"),
        ({"temperature": float("inf")}, "temperature must be 0 or more"),
        ({"top_p": 0.0}, "top_p must be above 0"),
        ({"top_p": 1.1}, "top_p must be above 0"),
        ({"top_p": float("nan")}, "top_p must be above 0"),
        ({"beams": 0}, "beams must be 1 or more"),
        ({"beams": 2, "temperature": 0.5}, "requires temperature 0"),
    ],
)
def test_generation_that_makes_no_sense_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        Generation(**wrong)
    Generation(max_tokens=1, temperature=0.5, top_p=1.0, beams=1)
    Generation(top_p=0.1, beams=2)
