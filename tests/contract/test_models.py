"""What every model that needs nothing promises: one output per request, the same in any batch."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.core.catalog import MODELS
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation, Request, open_model
from taskloom.score.match import EXACT
from toy import FAMILY

MOCKS = [f"mock/{name}" for name in MODELS.get("mock").names()]


def requests() -> list[Request]:
    suite = FAMILY.open("all")
    encoding = make_encoding("plain")
    return [
        Request(encoding.encode(suite.tasks[row.task], row.instance), suite.tasks[row.task], row.instance)
        for row in suite.rows("test")
    ]


def opened(name: str):
    model = open_model(name)
    model.prepare(FAMILY.open("all"))
    return model


@pytest.mark.parametrize("name", MOCKS)
def test_one_output_per_request_in_any_batch(name):
    asked = requests()
    whole = opened(name).generate(asked, Generation())
    single = [opened(name).generate([request], Generation())[0] for request in asked]
    backwards = opened(name).generate(asked[::-1], Generation())[::-1]
    assert len(whole) == len(asked)
    assert whole == single == backwards


@pytest.mark.parametrize("name", MOCKS)
def test_identity_tells_settings_apart(name):
    assert opened(name).identity != open_model(name, {"seed": 5}).identity
    assert opened(name).identity == opened(name).identity


def test_what_the_mocks_say():
    first = requests()[1]
    said = {name: opened(f"mock/{name}").generate([first], Generation())[0].text for name in MODELS.get("mock").names()}
    assert said["oracle"] == first.instance.targets.canonical()
    assert said["copy-input"] == first.instance.input
    assert said["copy-demo"] == first.task.instruction.positive[0].output
    assert said["constant"] == "yes"
    assert said["random"] in first.task.labels
    assert said["majority"] in first.task.labels
    assert EXACT.score(said["oracle"], first.instance.targets, first.task).value == 1


def test_a_flaky_model_spoils_answers_on_schedule():
    asked = requests() * 1
    options = {"fail": 0.3, "truncate": 0.3, "stall": 0.0, "empty": 0.1, "rubbish": 0.1}
    outputs = [
        o
        for seed in range(20)
        for o in open_model("mock/flaky", {**options, "seed": seed}).generate(asked, Generation())
    ]
    shares = {state: sum(o.state == state for o in outputs) / len(outputs) for state in ("failed", "truncated")}
    assert shares == pytest.approx({"failed": 0.3, "truncated": 0.3}, abs=0.08)
    with pytest.raises(ConnectionError):
        open_model("mock/flaky", {"crash": 1.0}).generate(asked, Generation())


@pytest.mark.parametrize("name", ["mock", "mock/", "mock/orcle", "mokc/oracle", "hf/"])
def test_unknown_models_are_refused(name):
    with pytest.raises(UserError):
        open_model(name)


@pytest.mark.parametrize("provider", MODELS.names())
def test_providers_name_their_models(provider):
    assert isinstance(dict(MODELS.get(provider).names()), dict)
