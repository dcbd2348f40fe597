"""A study end to end: shared runs, continuing, cost, and the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

import msgspec
import pytest

from records import chain
from taskloom import open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.core.catalog import STUDIES
from taskloom.core.study import Table
from taskloom.run.session import RunSettings
from taskloom.studies.cost import cost_table, measured_costs, measured_seconds, parameters, passed, rows_of
from taskloom.studies.experiment import Experiment, recipe_for, run_study
from taskloom.studies.findings import Findings, above, estimate_cells, write_study
from taskloom.studies.frame import contrast
from taskloom.studies.grid import Arm, GridRecipe, InProcess, Learner, RunStore, cuts, unique
from taskloom.studies.sweep import JobEngine

_SMALL = {"train": 20, "dev": 0, "test": 20}
_FEW = GridRecipe(models=("mock/oracle", "mock/random"), seeds=2, limit=5, learners={"*": Learner(adapt="none")})


class Toy(Experiment):
    name: ClassVar[str] = "toy"
    summary: ClassVar[str] = "is the oracle better than chance?"
    scales: ClassVar[dict] = {"smoke": _FEW, "tiny": _FEW, "paper": msgspec.structs.replace(_FEW, seeds=5, limit=0)}
    recipe: ClassVar[GridRecipe] = _FEW

    def grid(self, recipe, seed) -> Iterator[Arm]:
        for model in recipe.models:
            for data in range(seed, seed + recipe.seeds):
                factors = {"model": model}
                yield Arm(
                    factors=factors, suite="babi/task-6", options=_SMALL, seed=data, run=recipe.settings(model, data)
                )

    def analyse(self, frame, recipe) -> Findings:
        rows = tuple((*key, *estimate_cells(group.mean())) for key, group in frame.by("model").items())
        best, *others = (frame.where(model=model) for model in recipe.models)
        checks = [above("the first is better", contrast(best, other)) for other in others]
        return Findings(tables=[Table("Scores", ("model", "score", "low", "high", "n"), rows)], checks=checks)


TOY = Toy()


class Dying(JobEngine):
    """Dies after so many jobs, in the middle of the next."""

    def __init__(self, after):
        self.after = after

    def run(self, jobs, retries):
        for place, job in enumerate(jobs):
            if place == self.after:
                raise KeyboardInterrupt
            yield from InProcess().run([job], retries)


def test_what_was_done_is_not_done_again(tmp_path):
    shelf = RunStore(tmp_path)
    first = run_study(TOY, _FEW, shelf=shelf)
    assert (first.found, first.done) == (0, 4)
    second = run_study(TOY, _FEW, shelf=shelf)
    assert (second.found, second.done) == (4, 0)
    assert first.plain() == second.plain()


def test_a_wider_grid_does_only_what_is_new(tmp_path):
    shelf = RunStore(tmp_path)
    run_study(TOY, _FEW, shelf=shelf)
    wider = run_study(TOY, msgspec.structs.replace(_FEW, seeds=3), shelf=shelf)
    assert (wider.found, wider.done) == (4, 2)


def test_further_seeds_are_only_asked_where_the_first_leave_something_open(tmp_path):
    clear = msgspec.structs.replace(_FEW, seeds=3, more=2, limit=20)
    result = run_study(TOY, clear, shelf=RunStore(tmp_path))
    assert (result.found, result.done) == (0, 6)
    assert result.findings.checks[0].verdict == "holds"
    assert "These are 3 of at most 5 seeds" in result.findings.sentences[-1]
    # The oracle against itself: nothing differs, and no number of seeds decides.
    same = msgspec.structs.replace(clear, models=("mock/random", "mock/majority"), limit=5)
    result = run_study(TOY, same, shelf=RunStore(tmp_path / "b"))
    assert (result.found, result.done) == (0, 10)
    assert result.findings.checks[0].count == 5


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupted_study_continues_and_ends_alike(tmp_path, after):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    write_study(run_study(TOY, _FEW, shelf=RunStore(tmp_path / "a")), whole)
    with pytest.raises(KeyboardInterrupt):
        run_study(TOY, _FEW, shelf=RunStore(tmp_path / "b"), engine=Dying(after))
    result = run_study(TOY, _FEW, shelf=RunStore(tmp_path / "b"))
    assert (result.found, result.done) == (after, 4 - after)
    write_study(result, broken)
    for path in whole.iterdir():
        if path.name != ".taskloom-files.json":
            assert path.read_bytes() == (broken / path.name).read_bytes()


def test_a_run_of_somebody_else_is_found_by_its_plan(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_RUNS", str(tmp_path / "notes"))
    recipe = msgspec.structs.replace(_FEW, models=("mock/random",), seeds=1)
    (arm,) = TOY.grid(recipe, 0)
    theirs = run_suite(
        open_suite("babi/task-6", seed=0, options=_SMALL), model="mock/random", folder=tmp_path / "theirs", limit=5
    )
    shelf = RunStore(tmp_path / "shelf")
    shelf.fill([arm], InProcess())
    mine = shelf.load(arm)
    assert chain(shelf.place(arm)) == chain(theirs.folder)
    # Their command stands in the plan: the log was taken over, not made again.
    assert mine.plan.environment == theirs.plan.environment
    assert mine.plan.hash() == theirs.plan.hash()


class Listed(Toy):
    """Tasks of a list, one of which has no examples in the words at hand."""

    def grid(self, recipe, seed) -> Iterator[Arm]:
        for task in ("intersection(antonyms[spa], hyponyms[spa])", "is-POS-noun[eng]"):
            for model in recipe.models:
                run = recipe.settings(model, seed)
                options = {"train": 20, "dev": 0, "balanced": task.startswith("intersection")}
                yield Arm(factors={"model": model}, suite=f"taskbench/{task}", options=options, seed=seed, run=run)


def test_tasks_without_examples_are_left_out_and_named(tmp_path):
    result = run_study(Listed(), _FEW, shelf=RunStore(tmp_path))
    assert result.done == 2
    said = "give no examples of them: taskbench/intersection(antonyms[spa], hyponyms[spa])."
    assert [line for line in result.findings.sentences if line.endswith(said)]
    table = cost_table(list(Listed().grid(_FEW, 0)), RunStore(tmp_path / "none"))
    assert table.note.endswith(said)
    assert table.rows[-1][1] == 2


def test_a_failing_run_is_named_after_all_others_were_done(tmp_path):
    flaky = Learner(adapt="none", model_options={"fail": 0.9, "stall": 0.0, "truncate": 0.0})
    learners = {**_FEW.learners, "mock/flaky": flaky}
    recipe = msgspec.structs.replace(_FEW, models=("mock/oracle", "mock/flaky"), seeds=1, learners=learners)
    shelf = RunStore(tmp_path)
    with pytest.raises(UserError, match="1 of 2 runs failed"):
        run_study(TOY, recipe, shelf=shelf)
    assert [shelf.has(arm) for arm in TOY.grid(recipe, 0)] == [True, False]


def test_what_comes_before_is_done_first_and_once():
    base = Arm(factors={}, suite="s", run=_FEW.settings("mock/oracle", 0))
    asked = [Arm(factors={"asked": name}, suite=name, run=_FEW.asked(0), after=base) for name in ("a", "b")]
    assert unique(asked) == [base, *asked]


def test_keys_cover_what_decides_and_nothing_else():
    shelf = RunStore()
    arm = next(iter(TOY.grid(_FEW, 0)))
    replace = msgspec.structs.replace
    same = replace(arm, factors={"called": "otherwise"}, run=replace(arm.run, batch_size=3, command="x"))
    assert shelf.key(same) == shelf.key(arm)
    others = [replace(arm, seed=1), replace(arm, options={"test": 7}), replace(arm, run=replace(arm.run, limit=6))]
    others += [replace(arm, run=replace(arm.run, run_seed=9)), replace(arm, after=arm)]
    assert len({shelf.key(other) for other in (arm, *others)}) == len(others) + 1


def test_what_was_cut_is_said():
    assert cuts(_FEW, TOY.scales["paper"]) == ["seeds: 2; paper scale: 5", "limit: 5; paper scale: as in the paper"]
    assert cuts(_FEW, _FEW) == []
    learners = {"*": Learner(adapt="none"), "mock/oracle": Learner(adapt="lora"), "tiny/t5-1m": Learner(adapt="lora")}
    (fitted,) = cuts(msgspec.structs.replace(_FEW, learners=learners), _FEW)
    assert (
        fitted == "learners.mock/oracle: lora"
    )  # how models that were not asked would be fitted is nothing that was cut
    many = msgspec.structs.replace(_FEW, models=tuple(f"mock/{number}" for number in range(20)))
    assert cuts(_FEW, many)[0].endswith("; paper scale: mock/0, mock/1, mock/2, … (20 in all)")
    counted = {"*": Learner(options={"epochs": 1e6, "updates": 15})}
    assert cuts(msgspec.structs.replace(_FEW, learners=counted), _FEW) == ["learners.*: finetune with updates=15"]
    short = {"*": Learner(options={"updates": 15}, model_options={"words": 160})}
    (fitted,) = cuts(msgspec.structs.replace(_FEW, learners=short), _FEW)
    assert fitted == "learners.*: finetune with updates=15; the model with words=160"


def test_the_cost_is_counted_without_running(tmp_path):
    shelf = RunStore(tmp_path / "none")
    recipe = GridRecipe(models=("tiny/t5-1m",), seeds=2, limit=5, learners={"*": Learner(options={"updates": 10})})
    table = cost_table(list(TOY.grid(recipe, 0)), shelf)
    _, runs, trainings, asked, trained, hours = table.rows[-1]
    assert (runs, trainings) == (2, 2)
    # Five rows in the end, and as many while training as a tenth of its work allows.
    assert 1_000 < asked < 0.4 * trained
    # Ten updates of 32 stories of some twenty to sixty tokens, twice, and their answers.
    assert 10 * 32 * 2 * 20 < trained < 10 * 32 * 2 * 65
    assert 0 < hours < 1e-3
    assert not (tmp_path / "none").exists()


def _counted(tmp_path, **options):
    run = RunSettings(model="tiny/t5-1m", adapt=options.pop("adapt", "finetune"), adapt_options=options, limit=5)
    arm = Arm(factors={}, suite="babi/task-6", options=_SMALL, run=run)
    _, _, _, asked, trained, _ = cost_table([arm], RunStore(tmp_path / "none")).rows[-1]
    return asked, trained


def test_soft_prompts_and_evaluations_are_tokens_too(tmp_path):
    settings = {"updates": 10, "batch": 4, "epochs": 100, "evaluate_limit": 10, "test": "none", "dev": "none"}
    once, plain = _counted(tmp_path, evaluate_updates=10, **settings)
    often, same = _counted(tmp_path, evaluate_updates=1, **settings)
    assert plain == same
    # Ten looks at ten rows instead of one, beside the five that are asked in the end.
    assert often / once == pytest.approx((5 + 100) / (5 + 10), rel=0.01)
    _, soft = _counted(tmp_path, adapt="prompt-tune", tokens=50, evaluate_updates=10, **settings)
    assert soft - plain == pytest.approx(10 * 4 * 50, rel=0.01)


def test_of_very_many_suites_some_are_opened(tmp_path):
    class Counting(RunStore):
        opened: ClassVar[set[str]] = set()

        def suite(self, arm):
            self.opened.add(arm.suite)
            return super().suite(arm)

    suites = [f"babi/task-{number}" for number in range(1, 21)]
    arms = [Arm(factors={}, suite=name, options=_SMALL, run=RunSettings(model="mock/oracle")) for name in suites]
    table = cost_table(arms, Counting(tmp_path / "none"))
    assert len(Counting.opened) == 12
    assert table.rows[-1][1] == 20
    assert re.search(r"± [1-9]\d* %", table.note)


def test_instructions_and_examples_are_tokens_too(tmp_path):
    """Of an instance of Super-NaturalInstructions most is the definition and its examples."""

    def asked(encoding):
        run = RunSettings(model="mock/copy-input", encoding=encoding)
        arm = Arm(factors={}, suite="superni/embedded", options={"instances": 2, "languages": ["English"]}, run=run)
        return cost_table([arm], RunStore(tmp_path / "none")).rows[-1][3]

    bare, defined, shown = (asked(name) for name in (None, "superni/def", "superni/def-pos2"))
    assert 2 * bare < defined < shown


def test_rows_that_are_not_counted_yet_are_those_of_the_recipe():
    suite = open_suite("babi/task-6", options=_SMALL)
    (task,) = suite.tasks
    assert rows_of(suite, "test") == 20
    assert suite.only(task=task).splits["test"] is None
    assert rows_of(suite.only(task=task), "test") == 20


@pytest.mark.parametrize(
    ("model", "billions"),
    [
        ("tiny/t5-5m", 0.005),
        ("hf/google/t5-v1_1-large", 0.78),
        ("hf/x/Llama-3-8B", 8.0),
        ("api/secret", None),
        ("hf/openai-community/gpt2-medium", 0.355),
        ("hf/openai-community/gpt2", 0.124),
        ("hf/albert/albert-xlarge-v2", 0.06),
        ("hf/google/t5-xl-lm-adapt", 2.85),
    ],
)
def test_sizes_are_read_off_names(model, billions):
    assert parameters(model) == billions


@pytest.mark.parametrize("name", [name for name in STUDIES if hasattr(STUDIES.get(name), "scales")])
def test_the_size_of_every_published_model_is_known(name):
    """Without it a dry run could not say how many hours of a GPU the paper's scale takes."""
    models = STUDIES.get(name).scales["paper"].models
    assert [
        model for model in models if not model.startswith(("mock/", "reading/")) and parameters(model) is None
    ] == []


def test_layers_that_share_parameters_are_each_worked_through():
    assert parameters("hf/albert/albert-xlarge-v2") == 0.06
    assert passed("hf/albert/albert-xlarge-v2") == 1.208
    assert passed("hf/albert/albert-xxlarge-v2") == 2.416
    assert passed("hf/google-t5/t5-base") == parameters("hf/google-t5/t5-base")
    assert passed("mock/oracle") == 0


def test_models_of_ones_own_replace_the_studys():
    recipe = recipe_for(TOY, "tiny", {"seeds": 4}, ["mock/constant"])
    assert (recipe.models, recipe.seeds) == (("mock/constant",), 4)
    with pytest.raises(UserError, match="did you mean 'tiny'"):
        recipe_for(TOY, "tin")
    with pytest.raises(UserError, match="seeds"):
        recipe_for(TOY, "tiny", {"seds": 4})
    with pytest.raises(UserError, match="does not know how to fit hf/x"):
        msgspec.structs.replace(_FEW, learners={}).settings("hf/x", 0)


def test_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TASKLOOM_RUNS", str(tmp_path / "runs"))
    command = ["study", "concur", "--scale", "smoke", "--model", "mock/oracle", "--model", "mock/random"]
    assert main([*command, "--dry-run"]) == 0
    assert "0 of 4 runs are on the shelf" in capsys.readouterr().out
    assert main([*command, "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "4 runs done, 0 found" in said
    assert "0.917" in said
    assert main([*command, "--json"]) == 0
    data = msgspec.json.decode(capsys.readouterr().out)
    assert (data["found"], data["done"]) == (4, 0)
    assert data["tables"] == msgspec.json.decode((tmp_path / "out" / "study.json").read_bytes())["tables"]
    assert main(["study", "babi/tables", "--scale", "tiny"]) == 2
    assert "runs no models" in capsys.readouterr().err


def test_measured_costs_are_those_of_studies_and_within_bounds(capsys):
    names = {name for name in STUDIES if isinstance(STUDIES.get(name), Experiment)}
    spent = measured_seconds()
    # What was not measured at its present settings has no number.
    assert all(set(found) <= names for found in spent.values())
    assert set(spent["smoke"]) == names
    assert max(spent["tiny"].values()) < 12 * 60
    assert sum(spent["tiny"].values()) < 150 * 60
    assert measured_costs("taskbench/memorise")["tiny"] == "50 CPU s"
    assert measured_costs("seti/tables") == {}
    assert main(["list", "studies", "taskbench/memorise"]) == 0
    said = capsys.readouterr().out
    assert "needs taskloom[train], and at paper scale hf/google-t5/t5-base" in said
    assert main(["list", "studies"]) == 0
    assert "tiny: 50 CPU s" in capsys.readouterr().out


def test_a_study_goes_to_the_cluster_that_is_named(tmp_path, monkeypatch, capsys):
    named = {}

    def opened(engine, **options):
        named.update(engine=engine, **options)
        return InProcess()

    monkeypatch.setattr("taskloom.studies.sweep.open_engine", opened)
    command = ["study", "concur", "--scale", "smoke", "--model", "mock/oracle", "--runs", str(tmp_path)]
    cluster = ["--engine", "ray", "--address", "ray://head:10001", "--gpus", "0.5", "--jobs", "3", "--no-shared-disk"]
    assert main([*command, *cluster]) == 0
    wanted = {"engine": "ray", "workers": 3, "address": "ray://head:10001", "gpus": 0.5, "shared": False}
    assert named == wanted
    # Nothing is opened to say what a study would take.
    named.clear()
    assert main([*command, *cluster, "--dry-run"]) == 0
    assert named == {}
