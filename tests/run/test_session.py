"""How settings decide what a model is asked, who reads its answers, and what is refused before anything is opened."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from taskloom.core import UserError
from taskloom.core.model import Generation
from taskloom.encode.plain import PLAIN
from taskloom.models.likelihood import Weights
from taskloom.protocol import PROTOCOLS
from taskloom.run import session
from taskloom.run.session import RunSettings, choose_protocol, open_session, trained_encoding
from toy import FAMILY


def suite(**options):
    return FAMILY.open("all", 3, {"test": 10, **options})


def opened(model="mock/oracle", **settings):
    return open_session(suite(), RunSettings(model=model, **settings))


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"limit": 0}, "--limit"), ({"samples": 0}, "--samples"), ({"batch_size": 0}, "--batch-size"),
        ({"samples": 2}, "--samples 2"), ({"samples": 2, "generation": {"temperature": 1.0},
                                            "weights": {"answer_by": "likelihood"}}, "--samples 2"),
    ],
)  # fmt: skip
def test_numbers_that_make_no_sense_are_refused(settings, where, monkeypatch):
    monkeypatch.setattr(session, "open_model", None)
    with pytest.raises(UserError) as raised:
        opened(**settings)
    assert raised.value.where == where


def test_an_unknown_protocol_is_refused_before_the_model_is_opened(monkeypatch):
    monkeypatch.setattr(session, "open_model", None)
    with pytest.raises(UserError, match="did you mean 'chat'"):
        opened(protocol="chta")


def test_the_least_that_can_be_asked():
    made = opened(limit=1, samples=1, batch_size=1)
    assert made.model.limits.batch == 1
    assert opened().model.limits.batch != 1, "the model's own"
    assert opened(samples=2, generation={"temperature": 0.5}).settings.samples == 2


def test_a_model_that_is_open_already_is_taken():
    model = opened().model
    assert open_session(suite(), RunSettings(model="mock/oracle"), model).model is model


@pytest.mark.parametrize(
    ("reader", "protocol", "headline", "strict"),
    [
        (None, "chat", "lenient", None), ("strict", "chat", None, None), ("last-line", "chat", "strict", "last-line"),
        ("lenient", "bare", "lenient", None), ("first-line", "bare", "strict", "first-line"),
    ],
)  # fmt: skip
def test_a_reader_decides_which_reading_counts(reader, protocol, headline, strict):
    if reader == "strict":
        with pytest.raises(UserError):
            opened(reader=reader, protocol=protocol)
        return
    made = opened(reader=reader, protocol=protocol)
    assert made.stamp == {"protocol": protocol, "headline": headline}
    assert (made.protocol["headline"], made.protocol["name"], made.protocol["wordings"]) == (headline, protocol, 1)
    if strict:
        assert made.protocol["reader"] == strict
    else:
        assert made.protocol["reader"] == PROTOCOLS[protocol].reader


def test_generation_is_the_protocols_with_what_was_said_on_top():
    plain, said = opened(protocol="chat"), opened(protocol="chat", generation={"max_tokens": 5})
    assert said.generation == msgspec.structs.replace(plain.generation, max_tokens=5)
    assert plain.generation.max_tokens == PROTOCOLS["chat"].generation.get("max_tokens", Generation().max_tokens)
    assert plain.encoding is not PLAIN
    base, other = opened(protocol="base"), opened(protocol="base", generation={"stop": ["."]})
    assert base.plan(base.asked_with(), "test").generation["stop"] == base.generation.stop != ()
    assert other.generation.stop == (".",)


def test_the_plan_says_everything_that_decides_the_records():
    made = opened(limit=4, run_seed=5, scorer="exact", command="taskloom run", split="test")
    plan = made.plan(made.asked_with(), "test", streams=("a",))
    assert (plan.suite, plan.data_seed, plan.split, plan.limit, plan.run_seed) == ("toy/all", 3, "test", 4, 5)
    assert (plan.scorer, plan.samples, plan.streams, plan.command) == ("exact", 1, ("a",), "taskloom run")
    assert plan.model["name"] == "mock/oracle" and plan.protocol == made.protocol and plan.weights == {}
    assert plan.identity == made.suite.identity and plan.generation == msgspec.to_builtins(made.generation)


def test_answers_are_kept_where_they_may_be(monkeypatch):
    made = opened()
    monkeypatch.setattr(type(made.model), "cacheable", True)
    assert made.cache(made.encoding) is not None
    assert opened(cache=False).cache(made.encoding) is None
    made.weights = Weights(mass=True)
    assert made.cache(made.encoding) is None, "what is weighed depends on the answers of each row"
    other = opened()
    monkeypatch.setattr(type(other.model), "cacheable", False)
    assert other.cache(other.encoding) is None


def test_candidates_are_looked_for_among_the_first_rows(monkeypatch):
    made, seen = opened(), []
    monkeypatch.setattr(session, "check_weights", lambda model, weights, first: seen.append(list(first)))
    made.check_weights("test")
    assert seen == [], "nothing is weighed"
    made.weights = Weights(answer_by="likelihood")
    made.check_weights("test")
    ((*asked,),) = seen
    assert [request.task.name for request in asked] == list(dict.fromkeys(row.task for row in made.suite.rows("test")))
    assert all(request.prompt.text == request.instance.input for request in asked)
    monkeypatch.setattr(session, "FIRST_ROWS", 1)
    made.check_weights("test")
    assert len(seen[1]) == 1


def test_the_encoding_that_a_model_was_trained_with(monkeypatch):
    plans = {
        "tuned": {"adaptation": {"name": "finetune"}, "encoding": {"name": "e"}, "model": {"name": "hf/x"}},
        "shown": {"adaptation": {"name": "in-context"}, "encoding": {"name": "f"}, "model": {"name": "run/tuned"}},
        "plain": {"adaptation": {}, "encoding": {"name": "g"}, "model": {"name": "hf/x"}},
        "odd": {"adaptation": {"name": "none"}, "encoding": {"name": "g"}, "model": {}},
    }
    monkeypatch.setattr(session, "load_plan", lambda path: type("P", (), plans[str(path)]))
    assert trained_encoding("run/tuned") == {"name": "e"} == trained_encoding("run/shown"), "the run it was adapted in"
    assert trained_encoding("run/plain") is trained_encoding("run/odd") is trained_encoding("hf/tuned") is None


def test_the_protocol_is_the_one_that_was_asked_for():
    made = opened(protocol="base")
    assert choose_protocol(made.suite, made.settings, made.model).protocol.name == "base" == made.protocol["name"]


def test_settings_show_no_keys():
    shown = repr(RunSettings(model="api/x", model_options={"api_key": "sk-secret-4711"}))
    assert "sk-secret-4711" not in shown and "api/x" in shown


def test_a_session_lets_go_of_its_model(monkeypatch):
    made, closed = opened(), []
    monkeypatch.setattr(made.model, "close", lambda: closed.append(1))
    made.close()
    assert closed == [1]


def test_a_thousand_rows_are_looked_at(monkeypatch):
    made, drawn = opened(), []
    monkeypatch.setattr(session, "check_weights", lambda model, weights, first: None)
    (row, *_) = made.suite.rows("test")
    rows = (drawn.append(place) or row for place in range(2_000))
    made.suite = SimpleNamespace(rows=lambda split: rows, tasks=made.suite.tasks)
    made.weights = Weights(mass=True)
    made.check_weights("test")
    assert len(drawn) == 1_000


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"scorer": "exakt"}, "exakt"), ({"reader": "lastline"}, "lastline"), ({"encoding": "plian"}, "plian"),
        ({"scorer": "exact", "scorer_options": {"cas": True}}, "cas"), ({"adapt": "fintune"}, "fintune"),
        ({"generation": {"max_tokns": 3}}, "max_tokns"), ({"weights": {"mas": True}}, "mas"),
        ({"wordings": 0}, "wording"),
    ],
)  # fmt: skip
def test_names_that_nobody_knows_are_refused_before_the_model_is_opened(settings, words, monkeypatch):
    monkeypatch.setattr(session, "open_model", None)
    with pytest.raises(UserError, match=words):
        opened(**settings)
