"""What the model contract does by itself: chunks, places, beliefs."""

from __future__ import annotations

import pytest

from taskloom.core import UserError, secrets
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Identity, Limits, Model, Output, Provider, Request, open_model


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


def test_what_is_left_out_of_a_request_and_its_answer():
    generation = Generation()
    assert (generation.max_tokens, generation.temperature, generation.top_p) == (64, 0.0, 1.0)
    assert (generation.beams, generation.stop, generation.seed) == (1, (), 0)
    assert (Limits().window, Limits().batch, Limits().apart) == (None, 32, False)
    assert Request(Prompt("q"), None, None).sample == 0
    assert (Belief().ended, Belief().error) == (True, "")
    assert (Output("x").state, Output("x").raw, Output("x").cost) == ("complete", "", None)
    assert (Model.cacheable, Model.nature, Model.abilities, Model.limits) == (True, "base", {"generate"}, Limits())


class Speaking(Weighing):
    """Gives so many answers to so many requests."""

    def __init__(self, missing=0):
        super().__init__()
        self.missing = missing

    def generate(self, requests, generation):
        self.calls.append((len(requests), generation))
        return [Output(request) for request in requests][: len(requests) - self.missing]


def test_answers_come_in_batches_and_requests_are_drawn_as_needed():
    model, drawn = Speaking(), []
    stream = model.stream((drawn.append(n) or f"r{n}" for n in range(8)), Generation())
    assert [(place, output.text) for place, output in next(stream)] == [(0, "r0"), (1, "r1"), (2, "r2")]
    assert drawn == [0, 1, 2]
    assert [[place for place, _ in group] for group in stream] == [[3, 4, 5], [6, 7]]
    assert [size for size, _ in model.calls] == [3, 3, 2]


def test_answers_that_cannot_be_matched_to_their_questions_count_as_failed():
    (group,) = Speaking(missing=1).stream(["a", "b"], Generation())
    assert group == [(place, Output("", "failed", "the model gave 1 outputs for 2 requests")) for place in range(2)]


def test_the_length_of_a_prompt_is_that_of_what_is_read():
    class Letters:
        def encode(self, text):
            return list(text)

    model = Weighing()
    assert model.length(Prompt("abc")) is None and model.render(Prompt("abc")) == "abc"
    model.tokenizer = Letters()
    assert model.length(Prompt("abc")) == 3


def test_how_a_model_and_a_provider_look():
    class Known(Provider):
        options = open = None

        def __init__(self, *names):
            self.given = names

        def names(self):
            return dict.fromkeys(self.given, "")

    assert repr(Known("x" * 77, "y")) == f"<Known: {'x' * 77}, y>"
    assert repr(Known("x" * 78, "y")) == f"<Known: {'x' * 78},…>"
    model = Weighing()
    model.identity = Identity("test/weighing", "r1", settings={"size": 3, "empty": ""})
    html = model._repr_html_()
    assert "r1" in html and "size" in html and "empty" not in html and "asked as" in html
    assert repr(model) == "<Model test/weighing: can generate>"
    model.require("generate", "asking")
    with pytest.raises(UserError, match="training needs a model that can train; test/weighing cannot"):
        model.require("train", "training")


@pytest.mark.parametrize("name", ["mock", "mock/", "nothing/x"])
def test_names_of_models_that_do_not_exist(name):
    with pytest.raises(UserError, match="names a provider, not a model|unknown provider 'nothing'"):
        open_model(name)


def test_a_model_remembers_how_it_was_opened():
    assert open_model("mock/oracle").source == ("mock/oracle", {})
    with pytest.raises(UserError, match="the name of the model contains a secret") as raised:
        open_model("mock/sk-abcdefghij0123456789")
    assert raised.value.hint == "pass keys as -M api_key=…"


@pytest.mark.parametrize("rows", [[[-1.0]], [[-1.0], [-2.0, -3.0]], [[-1.0], [-2.0], [-3.0]]])
def test_every_answer_has_its_probability(rows):
    class Careless(Weighing):
        weigh = Model.weigh

        def logprobs(self, prompts, candidates):
            return rows

    with pytest.raises(ValueError, match="zip"):
        Careless().weigh([Request(Prompt("q"), None, None)] * 2, [["a"], ["b"]])


def test_keys_are_known_before_anything_can_fail(monkeypatch):
    monkeypatch.setattr(secrets, "known_secrets", {})
    with pytest.raises(UserError, match="api_key"):
        open_model("mock/oracle", {"api_key": "ak-12345678"})
    assert secrets.scrub("ak-12345678") == "[api_key]"
