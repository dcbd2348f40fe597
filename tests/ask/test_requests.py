"""Asking: every request gets exactly one output, whatever the model does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from taskloom.ask import ask, ask_for_scores, make_request, spending, too_long
from taskloom.core import UserError
from taskloom.core.catalog import ENCODINGS
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Price, Request
from toy import FAMILY


class ScriptedModel(Model):
    """Answers with the canonical target, fails where its script says so."""

    def __init__(self, bad: set[int] = frozenset(), batch: int = 4) -> None:
        self.identity = Identity("scripted")
        self.limits = Limits(batch=batch)
        self.asked = 0
        self.bad = bad

    def generate(self, requests, generation):
        start, self.asked = self.asked, self.asked + len(requests)
        if any(start <= number < self.asked for number in self.bad):
            raise RuntimeError("the model broke")
        return [Output(request.instance.targets.canonical()) for request in requests]


def requests(model: Model) -> list[Request]:
    suite, encoding = FAMILY.open("all", 1), ENCODINGS.get("plain")
    return [make_request(suite.tasks[row.task], row, encoding, model) for row in suite.rows("test")]


def collect(model: Model, asked, **more) -> dict[int, Output]:
    found: dict[int, Output] = {}

    def keep(group):
        for number, _, output in group:
            assert number not in found, "one output each"
            found[number] = output

    ask(model, asked, Generation(), keep, **more)
    return found


def test_a_broken_batch_costs_only_itself():
    model = ScriptedModel(bad={5})
    found = collect(model, enumerate(requests(model)))
    assert sorted(found) == list(range(20))
    assert [number for number, output in found.items() if output.state == "failed"] == [4, 5, 6, 7]
    assert "the model broke" in found[5].error


def test_a_model_that_takes_nothing_fails_everything():
    class Lazy(ScriptedModel):
        def stream(self, requests, generation):
            raise RuntimeError("no")

    model = Lazy()
    found = collect(model, enumerate(requests(model)))
    assert len(found) == 20
    assert {output.state for output in found.values()} == {"failed"}


class Dear(ScriptedModel):
    """A token of an answer costs a thousandth of a dollar; says how many requests it takes at once."""

    price = Price(output=1e3)

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[int] = []

    def stream(self, requests, generation):
        taken = list(requests)
        self.taken.append(len(taken))
        yield [(place, self.said(request)) for place, request in enumerate(taken)]

    def said(self, request):
        return Output("done", cost=0.0)


def test_no_more_is_under_way_than_a_limit_of_costs_allows():
    model = Dear()
    most = Generation().max_tokens / 1000
    with spending(2.5 * most):
        assert len(collect(model, enumerate(requests(model)[:6]))) == 6
    assert model.taken[:3] == [2, 2, 2]


def test_what_failed_requests_might_have_cost_can_be_spent():
    class Broken(Dear):
        def said(self, request):
            raise RuntimeError("no")

    model = Broken()
    with spending(1.5 * Generation().max_tokens / 1000):
        found = collect(model, enumerate(requests(model)[:6]))
    assert [found[number].error for number in range(6)] == ["RuntimeError: no"] * 6


def test_the_callers_own_error_is_not_the_models():
    def broken() -> Iterator[tuple[int, Request]]:
        yield 0, requests(ScriptedModel())[0]
        raise KeyError("encoding")

    class Careless(ScriptedModel):
        """Takes an error of its requests for their end."""

        def stream(self, requests, generation):
            try:
                yield from super().stream(requests, generation)
            except KeyError:
                return

    for model in (ScriptedModel(), Careless()):
        with pytest.raises(KeyError, match="encoding"):
            collect(model, broken())


def test_known_answers_are_not_asked_again():
    model = ScriptedModel()
    wanted = requests(model)
    kept: list[Request] = []

    class Known:
        def get(self, request):
            return Output("known") if request.instance.id.endswith(("0", "2", "4", "6", "8")) else None

        def put(self, answered):
            kept.extend(request for request, _ in answered)

    found = collect(model, enumerate(wanted), known=Known())
    assert len(found) == 20
    assert model.asked == len(kept) == sum(output.text != "known" for output in found.values()) == 10


def test_requests_are_drawn_as_they_are_needed():
    model = ScriptedModel(batch=2)
    drawn = 0

    def counted() -> Iterator[tuple[int, Request]]:
        nonlocal drawn
        for number, request in enumerate(requests(model)):
            drawn = number + 1
            yield number, request

    most = 0

    def keep(group):
        nonlocal most
        most = max(most, drawn - group[0][0])

    ask(model, counted(), Generation(), keep)
    assert most == 2


def test_a_prompt_beyond_the_window_is_refused_as_the_model_would_read_it():
    class Windowed(ScriptedModel):
        def __init__(self) -> None:
            super().__init__()
            self.limits = Limits(window=40)
            self.tokenizer = type("T", (), {"encode": staticmethod(list)})()

        def render(self, prompt):
            return "<system>" * 5 + prompt.text

    model = Windowed()
    found = collect(model, enumerate(requests(model)))
    assert {output.state for output in found.values()} == {"failed"}
    assert "window is 40" in found[0].error


def test_scores_are_those_of_the_tasks_own_scorers():
    model = ScriptedModel()
    assert ask_for_scores(model, requests(model), Generation()) == [1.0] * 20


def test_known_answers_are_handed_on_sixty_four_at_a_time():
    one = requests(ScriptedModel())[0]
    groups = []

    class Known:
        def get(self, request):
            return Output("known")

    ask(ScriptedModel(), ((number, one) for number in range(130)), Generation(), groups.append, known=Known())
    assert [len(group) for group in groups] == [64, 64, 2]
    assert [number for group in groups for number, _, _ in group] == list(range(130))


class Counting(ScriptedModel):
    """Knows the length of a prompt, or does not."""

    def __init__(self, length: int | None, **limits) -> None:
        super().__init__()
        self.limits, self._length = Limits(**limits), length

    def length(self, prompt):
        return self._length


@pytest.mark.parametrize(
    ("length", "limits", "said"),
    [
        (100, {}, None),
        (None, {"window": 10}, None),
        (6, {"window": 10}, None),
        (7, {"window": 10}, "the prompt has 7 tokens and the answer may have 4, but the model's window is 10: "
         "use fewer examples or a shorter --max-tokens"),
        (10, {"window": 10, "apart": True}, None),
        (11, {"window": 10, "apart": True},
         "the prompt has 11 tokens, but the model's window is 10: use fewer examples"),
    ],
)  # fmt: skip
def test_a_prompt_and_its_answer_fit_the_window_to_the_token(length, limits, said):
    assert too_long(Counting(length, **limits), Prompt("q"), Generation(max_tokens=4)) == said


def test_a_model_that_stops_early_fails_what_it_took_and_is_asked_the_rest():
    class Tired(ScriptedModel):
        """Takes three, answers the first, and ends; several times."""

        def stream(self, requests, generation):
            taken = list(islice(requests, 3))
            if taken:
                yield [(0, Output("done"))]

    model = Tired()
    found = collect(model, enumerate(requests(model)[:7]))
    assert [found[number].state for number in range(7)] == ["complete", "failed", "failed"] * 2 + ["complete"]
    assert found[1].error == "the model gave no output"


def test_half_characters_of_an_answer_become_visible():
    class Odd(ScriptedModel):
        def generate(self, requests, generation):
            return [Output("a\ud800", raw="b\ud800", reasoning="c\ud800", prompt_tokens=5) for _ in requests]

    model = Odd()
    found = collect(model, [(7, requests(model)[0])])
    assert found == {7: Output("a\\ud800", raw="b\\ud800", reasoning="c\\ud800", prompt_tokens=5)}


def test_a_users_mistake_ends_the_work():
    class Refusing(ScriptedModel):
        def generate(self, requests, generation):
            raise UserError("no key")

    model = Refusing()
    with pytest.raises(UserError, match="no key"):
        collect(model, enumerate(requests(model)))
