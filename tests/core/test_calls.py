"""What public functions and objects answer where they are used wrongly."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

import taskloom
from taskloom import Estimate, compare, open_model, open_suite, probe, run_suite
from taskloom.cli.main import main

SUITE = open_suite("babi/task-1", seed=7).take(3)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return run_suite(SUITE, model="mock/majority", folder=tmp_path_factory.mktemp("run") / "a")


def _said(wrong) -> str:
    with pytest.raises((taskloom.UserError, AttributeError, ImportError, IndexError)) as raised:
        wrong()
    return str(raised.value)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda run: compare(run, SUITE), "second is text or a path or a Run, not <Suite babi/task-1"),
        (lambda run: compare(run, SUITE), "load_run or run_suite or score gives a Run"),
        (lambda run: compare(run, run, by="question"), "by is a list, not 'question'; by=['question']"),
        (
            lambda run: run_suite(SUITE, model=object(), folder="x"),
            "model is text or a Model or a function, not an obj",
        ),
        (lambda run: run_suite(SUITE, model="m", folder="x", adapt={"name": "lora"}), "options into adapt_options={…}"),
        (lambda run: run_suite(SUITE, model="m", folder="x", limit=True), "limit is a whole number or None, not True"),
        (
            lambda run: run_suite(SUITE, model="m", folder="x", temperature=1),
            "did you mean generation=…?\n  generation:",
        ),
        (
            lambda run: run_suite(SUITE, "m", "x"),
            "only suite may stand without a name; write run_suite(suite, model='m', folder='x')",
        ),
        (lambda run: run_suite(SUITE, model="m", output="x"), "no argument 'output'; did you mean folder=…?"),
        (lambda run: probe(SUITE, model="m", folder="x", limit=5), "no argument 'limit'; did you mean budget=…?"),
        (
            lambda run: open_suite("babi/task-1", split="test"),
            "no argument 'split'; open_suite(…)['test'] has it",
        ),
        (lambda run: open_suite("babi/task-1", n_train=5), "did you mean options={'train': …}?\n  train: Sizes"),
        (lambda run: taskloom.Suite("babi/task-1"), "Suite: missing a required argument: 'recipe'\n  open_suite or"),
        (
            lambda run: taskloom.write_bundle("out", SUITE),
            "not 'out'; folder holds one: are they swapped?",
        ),
        (
            lambda run: compare(run, run, "question"),
            "compare: too many positional arguments\n  it is called",
        ),
        (
            lambda run: open_model("mock/oracle", temperature=1),
            "argument 'temperature'; options={…} takes seed, answer",
        ),
        (lambda run: run_suite(SUITE, model="mock/oracle", folder="x", limit=-1), "limit: a limit must be 1 or more"),
        (lambda run: taskloom.Suite.of("sums"), "of: tasks is a list, not 'sums'; tasks=['sums']"),
        (
            lambda run: run_suite("babi/mix-t2", model="m", folder="x", train=5),
            "('babi/mix-t2', options={'train': …}) sets it",
        ),
        (lambda run: taskloom.judge_answer("kitchen", "kitchen"), "judge_answer: missing a required argument: 'text'"),
        (lambda run: taskloom.read_answer("kitchen", "kitchen"), "task is a Task, not 'kitchen'\n  task: The task."),
        (lambda run: taskloom.weave(["upper(babi/task-1)"]), "an expression is text or a task, not a list"),
        (lambda run: taskloom.weave.uppercase, "did you mean 'upper'"),
        (
            lambda run: run.by_facet("question").estimate,
            "several by name, such as [('where-person',)], so",
        ),
        (
            lambda run: run_suite(["a/b", "c/d"], model="m", folder="x"),
            "one suite at a time: for suite in ['a/b', 'c/d']",
        ),
        (lambda run: taskloom.register("scorer", 1), "a name of its own is missing after 'scorer'"),
        (lambda run: taskloom.build_report(run, "."), ": this is a folder, not a file\n  name a file in it"),
    ],
)
def test_a_wrong_argument_is_answered_with_a_right_one(run, wrong, said):
    assert said in _said(lambda: wrong(run))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda run: run.overall().value, "did you mean group.estimate.value?"),
        (lambda run: run["score"], "run['score']: a Run has no attribute 'score'; did you mean scored or overall?"),
        (lambda run: run["question"], "run.by_facet('question') groups by it"),
        (
            lambda run: run["where-person"],
            "indexed by number, not by 'where-person'\n  run.by_facet(…) groups by a facet",
        ),
        (lambda run: run.plot(), "did you mean taskloom.report(run, …)?"),
        (lambda run: run.config, "plan: What was asked, of whom and how."),
        (lambda run: SUITE["test"][7], "the split test of babi/task-1 has no row 7: it has 3"),
        (lambda run: run[9], "there is no record 9: this run has 3, run[0] to run[2]"),
        (
            lambda run: open_model("mock/oracle")("Hello"),
            "a model is not called, it is asked\n  run_suite(",
        ),
        (lambda run: open_model("mock/oracle").predict, "did you mean generate?"),
        (lambda run: compare(run, run).p_value, "did you mean runcontrast.overall.p_value?"),
        (lambda run: run.records.filter, "a Records has no attribute 'filter'; it has at, count"),
        (lambda run: taskloom.list_models()["openai"], "unknown model 'openai'"),
        (lambda run: run.overall.estimate, "run.overall is a method: write run.overall().estimate"),
        (lambda run: run.failures[0], "run.failures is a method: write run.failures()[0]"),
        (lambda run: [*run.failures], "write run.failures()"),
        (lambda run: run.overall > 0.5, "write run.overall()"),
        (lambda run: len(run.failures), "write run.failures()"),
        (lambda run: run.by_facet["question"], "write run.by_facet('question')"),
        (lambda run: SUITE.rows["test"], "write suite.rows('test')"),
        (lambda run: taskloom.solver, "a Blueprint has it: blueprint.solver"),
        (lambda run: taskloom.task(prompt="Add.")(len), "did you mean 'definition'?"),
        (lambda run: [*SUITE["test"].only(question="who")], "unknown value of question 'who'; "),
        (lambda run: run.overall().estimate > 0.5, "an Estimate is not a number\n  estimate.value, estimate.low"),
        (lambda run: f"{run.overall().estimate:.3f}", "an Estimate is not a number"),
        (lambda run: 100 * run.overall().estimate, "an Estimate is not a number"),
        (lambda run: sum([run.overall().estimate]), "an Estimate is not a number"),
        (lambda run: round(run.overall().estimate, 2), "an Estimate is not a number"),
        (lambda run: compare(run, run).pvalue, "did you mean runcontrast.overall.p_value?"),
        (lambda run: taskloom.register("scorer.near", len), "class Mine(taskloom.Scorer): …"),
        (lambda run: SUITE["test"][0].instance.targets.canonical.upper, "write anyof.canonical().upper"),
        (
            lambda run: taskloom.register("scorer.near", taskloom.Scorer),
            'class Mine(taskloom.Scorer): …\n  register("scorer.near", Mine())',
        ),
        (lambda run: taskloom.studies.Study, "'taskloom.studies' has no attribute 'Study'; it is taskloom.Study"),
        (lambda run: taskloom.evaluate, "run_suite: Run a model on a suite and return the run."),
        (lambda run: taskloom.train, "did you mean run_suite"),
        (lambda run: run.save, "folder: Where it lies: every answer is saved"),
        (lambda run: SUITE.to_pandas(), "did you mean taskloom.to_pandas(suite, …)?"),
        (lambda run: SUITE.evaluate("mock/oracle"), "did you mean taskloom.run_suite(suite, …)?"),
        (lambda run: SUITE["test"][0].input, "did you mean row.instance.input?"),
        (lambda run: SUITE["test"][0].instance.targets.text, "an AnyOf has no attribute 'text'; it has answers"),
        (lambda run: run[0].score > 2 or run[0][0], "a Record has attributes, not items\n  answer, "),
    ],
)
def test_a_wrong_use_of_an_object_is_answered_with_a_right_one(run, wrong, said):
    assert said in _said(lambda: wrong(run))


def test_operators_are_functions_at_once():
    """`taskloom.weave` is the package from the first use on, not only once something else has imported it."""
    code = "import taskloom; print(taskloom.weave.upper, taskloom.weave('upper(babi/task-1)'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_command_line_keeps_its_own_words(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["run", "babi/task-1", "--model", "api/m", "-o", "x"]) == 2
    assert "-M base_url=http" in capsys.readouterr().err


def test_a_wrong_name_in_an_import_is_answered_with_the_nearest():
    def wrong():
        from taskloom import load_benchmark  # noqa: F401

    assert "did you mean load_run or open_suite" in _said(wrong)
    assert not hasattr(taskloom, "load_benchmark")


def test_numbers_of_estimates_stay_tuples():
    one, two = Estimate(0.5, 0.4, 0.6, 10), Estimate(0.7, 0.6, 0.8, 10)
    assert one < two and sorted([two, one]) == [one, two] and one[:2] == (0.5, 0.4)
    assert f"{one}" == str(one)


def test_a_model_that_is_open_is_asked_and_stays_open(tmp_path):
    model = open_model("mock/oracle")
    run = run_suite(SUITE, model=model, folder=tmp_path / "run")
    assert run.overall().estimate.value == 1 and run.plan.model["name"] == "mock/oracle"
    assert run_suite(SUITE, model="mock/oracle", folder=tmp_path / "run").overall().estimate.n == 3
    found = probe("babi/mix-t2", model=model, folder=tmp_path / "probe", budget=20)
    assert found.model == "mock/oracle" and found.asked <= 20


def test_numbers_of_other_packages_are_numbers(tmp_path):
    numpy = pytest.importorskip("numpy")
    run = run_suite(SUITE, model="mock/oracle", folder=tmp_path / "run", limit=numpy.int64(2))
    assert len(run) == 2 and len(run.sample(numpy.int64(1))) == 1


def test_a_run_that_failed_says_so(tmp_path):
    run = run_suite(SUITE, model=lambda prompt: 42, folder=tmp_path / "run")
    assert re.search(r"3 records, 3 failed \(the first: function/\S+ returned an int, not a text\)>", repr(run))


def test_everything_public_that_holds_data_says_what_it_has():
    """A class that a researcher is handed answers a wrong attribute with those that it has."""
    silent = {
        name
        for name in taskloom.__all__
        if inspect.isclass(found := getattr(taskloom, name)) and getattr(found, "__struct_fields__", None)
        and "__getattr__" not in dir(found)
    }  # fmt: skip
    assert not silent


def test_a_scorer_may_return_a_truth_value_and_nothing_that_is_no_score(own_registries, tmp_path):
    class Same(taskloom.Scorer, frozen=True):
        name = "same"
        how: str = "truth"

        def score(self, answer, targets, task):
            return {"truth": answer == targets.canonical()}.get(self.how, "right")

    taskloom.register("scorer.same", Same())
    asked = {"model": "mock/oracle", "limit": 3, "scorer": "same"}
    assert run_suite("babi/task-1", folder=tmp_path / "one", **asked).overall().estimate.value == 1
    with pytest.raises(taskloom.UserError, match="scorer same returned a str, not a score"):
        run_suite("babi/task-1", folder=tmp_path / "two", scorer_options={"how": "text"}, **asked)


def test_a_maker_without_a_random_generator_is_refused():
    with pytest.raises(taskloom.UserError, match="the maker takes no random generator\n  def sums"):

        @taskloom.task(definition="Add the numbers.", right=[("1 + 1", 2, "Two.")])
        def sums():
            return "1 + 1", 2


def test_a_method_without_its_call_is_still_the_method(run):
    assert inspect.ismethod(run.overall) and callable(run.overall) and run.overall
    assert "names" in inspect.signature(run.by_facet).parameters
