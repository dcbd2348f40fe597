from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from records import chain
from taskloom.ask.judge import LONGEST_RAW
from taskloom.core import Suite, UserError
from taskloom.core.catalog import MODELS
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Request
from taskloom.run.log import has_records, read_records
from taskloom.run.rescore import rescore
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from toy import FAMILY


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))


def toy(**settings: int) -> Suite:
    return FAMILY.open("all", 1, settings)


def run(folder: Path, model: str = "mock/oracle", suite: Suite | None = None, **settings):
    return launch(suite or toy(), folder, RunSettings(model=model, **settings))


class ScriptedModel(Model):
    """A model that says what a function says, and counts how often it is asked."""

    nature = "baseline"

    def __init__(
        self, say, *, name: str = "scripted/a", window: int | None = None, revision: str = "1", apart=False
    ) -> None:
        self.identity = Identity(name, revision)
        self.limits = Limits(window=window, batch=8, apart=apart)
        self.say = say
        self.asked = 0
        if window:
            self.tokenizer = Words()

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        self.asked += len(requests)
        return self.say(requests)


class Words:
    def encode(self, text: str) -> list[int]:
        return [hash(word) for word in text.split()]

    def decode(self, ids: list[int]) -> str:
        return " ".join(map(str, ids))


@pytest.fixture
def scripted():
    """Open a scripted model by name, as a plug-in would offer it."""

    class Provider:
        model: Model

        def names(self):
            return {}

        def open(self, name, options):
            return self.model

    provider = Provider()

    def use(say, **settings) -> ScriptedModel:
        provider.model = ScriptedModel(say, **settings)
        return provider.model

    with MODELS.lend("scripted", provider):
        yield use


def right(requests):
    return [Output(request.instance.targets.canonical()) for request in requests]


def test_the_oracle_is_right_about_everything(tmp_path):
    outcome = run(tmp_path)
    assert (outcome.scored, outcome.errored, outcome.resumed) == (20, 0, 0)
    assert {record.score for record in list(read_records(tmp_path))} == {1.0}


def test_a_finished_run_asks_nothing_again(tmp_path, scripted):
    model = scripted(right)
    run(tmp_path / "run", "scripted/a")
    assert model.asked == 20
    outcome = run(tmp_path / "run", "scripted/a")
    assert (model.asked, outcome.resumed) == (20, 20)


def test_failures_are_asked_again_and_nothing_else(tmp_path, scripted):
    def half(requests):
        return [Output("", "failed", "busy") if i % 2 else Output("x") for i, _ in enumerate(requests)]

    scripted(half)
    assert run(tmp_path, "scripted/a", cache=False).errored == 10
    model = scripted(right)
    outcome = run(tmp_path, "scripted/a", cache=False)
    assert model.asked == 10
    assert (outcome.scored, outcome.errored) == (20, 0)


def test_the_cache_knows_model_revision_settings_and_prompt(tmp_path, scripted):
    scripted(right)
    run(tmp_path / "a", "scripted/a")
    again = scripted(right)
    assert run(tmp_path / "b", "scripted/a").cached == 20
    assert again.asked == 0
    for settings, arguments in (
        ({"name": "scripted/b"}, {}),
        ({"revision": "2"}, {}),
        ({}, {"generation": {"max_tokens": 5}}),
        ({}, {"encoding": "chat"}),
        ({}, {"cache": False}),
    ):
        other = scripted(right, **settings)
        outcome = run(tmp_path / f"c{settings}{arguments}".replace("/", ""), "scripted/a", **arguments)
        assert (other.asked, outcome.cached) == (20, 0), (settings, arguments)


def test_a_torn_cache_costs_one_request(tmp_path, scripted):
    scripted(right)
    run(tmp_path / "a", "scripted/a")
    [path] = (tmp_path / "cache" / "responses").glob("*.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    model = scripted(right)
    assert run(tmp_path / "b", "scripted/a").cached == 19
    assert model.asked == 1
    scripted(right)
    assert run(tmp_path / "c", "scripted/a").cached == 20


def test_another_runs_folder_is_refused_with_what_differs(tmp_path):
    run(tmp_path / "run")
    with pytest.raises(UserError, match="another run.*model .*, not "):
        run(tmp_path / "run", "mock/majority")
    with pytest.raises(UserError, match="limit None, not 3"):
        run(tmp_path / "run", limit=3)
    assert len(list(read_records(tmp_path / "run"))) == 20


def test_the_mend_of_a_refused_run_works_in_the_same_folder(tmp_path):
    with pytest.raises(UserError, match="-A k=") as caught:
        run(tmp_path / "run", adapt="in-context", adapt_options={"k": 900})
    room = int(re.search(r"-A k=(\d+)", str(caught.value))[1])
    run(tmp_path / "run", adapt="in-context", adapt_options={"k": room})
    assert len(list(read_records(tmp_path / "run"))) == 20
    with pytest.raises(UserError, match="another run"):
        run(tmp_path / "run", adapt="in-context", adapt_options={"k": 1})


def test_a_bundles_folder_is_refused(tmp_path):
    from taskloom.store.write import write_bundle

    write_bundle(toy(), tmp_path)
    with pytest.raises(UserError, match="contains a bundle"):
        run(tmp_path)
    assert not has_records(tmp_path)


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (lambda requests: [], "gave 0 outputs for"),
        (lambda requests: 1 / 0, "ZeroDivisionError"),
        (lambda requests: [Output("", "failed", "HTTP 500")] * len(requests), "HTTP 500"),
    ],
)
def test_what_a_model_does_wrong_is_data(tmp_path, scripted, say, words):
    scripted(say)
    assert run(tmp_path, "scripted/a").errored == 20
    records = list(read_records(tmp_path))
    assert all(words in record.error and record.score is None and record.state == "errored" for record in records)


def test_odd_answers_are_kept(tmp_path, scripted):
    answers = ["", "\x00\ud800 rubbish \udfff", "la " * 3_500_000, "<think>so long"]
    scripted(lambda requests: [Output(answers[i % 4]) for i, _ in enumerate(requests)])
    run(tmp_path, "scripted/a", batch_size=4)
    records = list(read_records(tmp_path))
    assert [record.raw_length for record in records[:3]] == [0, 22, 10_500_000]
    assert max(len(record.raw) for record in records) == LONGEST_RAW
    assert [record.state for record in records[:4]] == ["scored", "scored", "scored", "truncated"]
    assert {record.score for record in records} == {0.0}


def test_a_truncated_answer_is_its_own_state(tmp_path, scripted):
    scripted(lambda requests: [Output(r.instance.targets.canonical(), "truncated") for r in requests])
    outcome = run(tmp_path, "scripted/a")
    assert (outcome.scored, outcome.truncated) == (0, 20)
    assert load_run(tmp_path).overall().truncated == 20


def test_a_prompt_longer_than_the_window_is_said_so(tmp_path, scripted):
    model = scripted(right, window=10)
    assert run(tmp_path, "scripted/a").errored == 20
    assert model.asked == 0
    assert "but the model's window is 10" in next(iter(read_records(tmp_path))).error


def test_an_answer_with_a_window_of_its_own_takes_no_room_from_the_prompt(tmp_path, scripted):
    longest = max(len(row.instance.input.split()) for row in toy().rows("test"))
    scripted(right, window=longest, apart=True)
    assert run(tmp_path / "fits", "scripted/a").errored == 0
    scripted(right, window=longest - 1, apart=True)
    assert run(tmp_path / "not", "scripted/a", cache=False).errored > 0
    failed = [record.error for record in list(read_records(tmp_path / "not")) if record.error]
    assert failed[0] == f"the prompt has {longest} tokens, but the model's window is {longest - 1}: use fewer examples"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"split": "tets"}, "'test'"), ({"limit": 0}, "1 or more"), ({"batch_size": 0}, "1 or more"),
        ({"scorer": "exakt"}, "'exact'"), ({"reader": "lastline"}, "'last-line'"),
        ({"encoding": "plian"}, "'plain'"),
        ({"adapt": "fintune"}, "'finetune'"), ({"generation": {"max_tokns": 3}}, "'max_tokens'"),
        ({"model_options": {"sede": 3}}, "'seed'"), ({"generation": {"max_tokens": 0}}, "1 or more"),
        ({"generation": {"temperature": float("nan")}}, "0 or more"),
        ({"generation": {"temperature": -1.0}}, "0 or more"),
        ({"generation": {"top_p": 0.0}}, "above 0"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_before_anything_is_written(tmp_path, settings, words):
    with pytest.raises(UserError, match=words):
        run(tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_a_split_without_rows_is_said_with_one_that_has_some(tmp_path):
    suite = FAMILY.open("all", seed=1)
    hollow = Suite(
        "toy/hollow", {}, 0, suite.tasks, {"train": None, "test": None},
        lambda split: iter(suite.draw("train") if split == "train" else ()),
    )  # fmt: skip
    with pytest.raises(UserError, match=r"toy/hollow: there are no rows in test\n  --split train has some"):
        launch(hollow, tmp_path / "run", RunSettings(model="mock/oracle"))
    launch(suite, tmp_path / "run", RunSettings(model="mock/oracle", limit=1))
    assert load_run(tmp_path / "run").records, "the folder may be used for another run"


def test_limits_are_per_task(tmp_path):
    assert run(tmp_path, limit=2).scored == 10


def test_scoring_again_needs_no_model(tmp_path, scripted):
    scripted(lambda requests: [Output(f"I think, maybe:\n{r.instance.targets.canonical()}") for r in requests])
    run(tmp_path, "scripted/a")
    before = chain(tmp_path)
    assert load_run(tmp_path).overall().estimate.value < 0.5
    again = rescore(tmp_path, scorer="normalised", reader="last-line")
    assert load_run(again).overall().estimate.value == 1.0
    assert rescore(tmp_path, scorer="normalised", reader="last-line") == again
    assert chain(tmp_path) == before


def test_results_group_by_any_facet(tmp_path):
    run(tmp_path, "mock/majority", toy(test=200))
    loaded = load_run(tmp_path)
    assert loaded.facet_names() == ["category", "digits", "family", "language", "odd", "share", "size", "tags", "task"]
    sizes = loaded.by_facet("size")
    assert sum(group.estimate.n for group in sizes.values()) == 200
    assert set(loaded.by_facet("task", "size")) == {(t, s) for t in loaded.tasks for s in ("big", "small")}
    assert sum(group.estimate.n for group in loaded.by_facet("tags").values()) == 400, "a list counts once per member"
    with pytest.raises(UserError, match="'size'"):
        loaded.by_facet("sise")
    results = write_results(loaded)
    assert results["overall"]["n"] == 200
    assert (tmp_path / "results.json").exists()


def test_failures_can_count_as_wrong(tmp_path):
    run(tmp_path, "mock/flaky", model_options={"fail": 0.5, "truncate": 0, "empty": 0, "rubbish": 0, "stall": 0})
    left_out, wrong = load_run(tmp_path).overall(), load_run(tmp_path, "wrong").overall()
    assert left_out.errored == wrong.errored > 0
    assert left_out.estimate.value == 1.0 > wrong.estimate.value
    assert left_out.estimate.n == 20 - left_out.errored
    assert wrong.estimate.n == 20


def test_in_context_examples_come_from_the_pool(tmp_path):
    run(tmp_path, adapt="in-context", adapt_options={"k": 2}, limit=1)
    pool = {row.instance.input for row in toy().rows("train")}
    for record in list(read_records(tmp_path)):
        assert sum(text in record.prompt for text in pool) == 2


def test_that_most_answers_are_cut_is_said_while_the_run_goes_on(tmp_path, scripted, capsys, monkeypatch):
    monkeypatch.delenv("TASKLOOM_PROGRESS", raising=False)
    said: list[str] = []

    def answers(requests):
        said.append(capsys.readouterr().err)
        return [Output("It is in the", "truncated") for _ in requests]

    scripted(answers)
    run(tmp_path, "scripted/a", toy(test=40), batch_size=10)
    warned = [place for place, text in enumerate(said) if "answers are cut off" in text]
    assert len(warned) == 1 and "--max-tokens" in said[warned[0]], "once, before the last batch"
    assert "cut off" not in capsys.readouterr().err


def test_a_few_cut_answers_are_not_worth_a_warning(tmp_path, scripted, capsys, monkeypatch):
    monkeypatch.delenv("TASKLOOM_PROGRESS", raising=False)
    scripted(lambda requests: [Output("x", "truncated" if n % 3 == 0 else "complete") for n, _ in enumerate(requests)])
    run(tmp_path, "scripted/a", toy(test=40), batch_size=10)
    assert "cut off" not in capsys.readouterr().err
