"""Functions as models: asked by prompt, alone or all at once; named by their code; kept in no cache."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

import taskloom
from taskloom import Output, Suite, UserError, load_run, open_model, run_suite
from taskloom.core.functions import function_name
from taskloom.models.function import named_model
from taskloom.run.plan import load_plan


@taskloom.task(definition="Add the two numbers and answer with the sum.", right=[("1 + 1", 2, "Two.")])
def addition(rng):
    a, b = rng.randint(0, 99), rng.randint(0, 99)
    return f"{a} + {b}", a + b


SUITE = Suite.of([addition], test=12)


def _sum(prompt: str) -> str:
    found = [line for line in prompt.replace("Input: ", "").splitlines() if " + " in line and line[0].isdigit()]
    return str(eval(found[-1]))


def test_a_function_answers_prompts(tmp_path):
    run = run_suite(SUITE, model=_sum, folder=tmp_path / "run")
    assert run.overall().estimate.value == 1.0
    identity = load_plan(tmp_path / "run").model
    assert identity["name"] == f"function/{function_name(_sum)}" and len(identity["weights"]) == 32
    assert load_run(tmp_path / "run").overall().estimate.value == 1.0
    assert run_suite(SUITE, model=lambda prompt: "no", folder=tmp_path / "no").overall().estimate.value == 0.0


def test_asynchronous_functions_are_asked_together_also_within_a_loop(tmp_path):
    waiting, most = 0, 0

    async def slow(prompt: str) -> Output:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.01)
        waiting -= 1
        return Output(_sum(prompt), output_tokens=1)

    async def notebook() -> float:
        return run_suite(SUITE, model=slow, folder=tmp_path / "run").overall().estimate.value

    assert asyncio.run(notebook()) == 1.0 and most > 1


def test_an_asynchronous_scorer_is_waited_for_also_within_a_loop(tmp_path):
    async def close(answer, targets):
        await asyncio.sleep(0)
        return 0.5 if answer == targets.canonical() else 0.0

    async def notebook() -> float:
        return run_suite(SUITE, model=_sum, scorer=close, folder=tmp_path / "run").overall().estimate.value

    assert asyncio.run(notebook()) == 0.5


def test_a_function_that_cannot_take_a_prompt_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot be asked with the text of a prompt alone"):
        run_suite(SUITE, model=lambda: "x", folder=tmp_path / "run")


def test_what_goes_wrong_is_recorded_and_not_scored(tmp_path):
    def broken(prompt: str) -> object:
        return 1 / 0 if "7" in prompt.splitlines()[-1] else {"answer": 3}

    run = run_suite(SUITE, model=broken, folder=tmp_path / "run")
    assert {record.error for record in run.records} <= {
        "ZeroDivisionError: division by zero",
        f"function/{function_name(broken)} returned a dict, not a text",
    }
    assert all(record.score is None for record in run.records)


def _times(factor: int):
    return lambda prompt: str(factor)


LIMIT = 3


def test_other_code_other_values_and_other_globals_are_other_models(monkeypatch):
    def reads_global(prompt: str) -> str:
        return "x" * LIMIT

    before = function_name(reads_global)
    monkeypatch.setitem(globals(), "LIMIT", 4)
    names = [
        before,
        function_name(reads_global),
        function_name(_times(2)),
        function_name(_times(3)),
        function_name(partial(max, "a")),
        function_name(partial(max, "b")),
        *(function_name(each) for each in (lambda prompt: "a", lambda prompt: "b")),
    ]
    assert len(set(names)) == len(names) and function_name(_times(2)) == names[2]


def test_another_function_does_not_continue_a_run(tmp_path):
    run_suite(SUITE, model=lambda prompt: "1", folder=tmp_path / "run")
    with pytest.raises(UserError, match="model"):
        run_suite(SUITE, model=lambda prompt: "2", folder=tmp_path / "run")


def test_answers_of_functions_are_neither_cached_nor_reused(tmp_path):
    asked = []

    class Client:
        """Looks the same from outside, whatever it says."""

        def __call__(self, prompt: str) -> str:
            asked.append(prompt)
            return "1"

    client = Client()
    run_suite(SUITE, model=client, folder=tmp_path / "one")
    run_suite(SUITE, model=client, folder=tmp_path / "two")
    assert len(asked) == 24
    model = open_model(named_model(client))
    assert not model.cacheable and not model.reproducible


def test_a_function_of_another_process_is_not_found():
    with pytest.raises(UserError, match="exists only in the process that ran it"):
        open_model("function/gone@9f3ac17be05d")


# Functions as scorers


def test_a_function_scores(tmp_path):
    def close(answer, targets):
        return 1 / (1 + abs(int(answer) - int(targets.canonical())))

    run = run_suite(SUITE, model="mock/oracle", scorer=close, folder=tmp_path / "run")
    assert run.overall().estimate.value == 1.0 and load_plan(tmp_path / "run").scorer.startswith("function/close@")
    strict = run_suite(SUITE, model="mock/oracle", scorer=lambda answer, targets, task: False, folder=tmp_path / "no")
    assert strict.overall().estimate.value == 0.0


def test_a_task_may_bring_its_own_function(tmp_path):
    generous = addition.renamed("generous", scorer=lambda answer, targets: 1.0)
    suite = Suite.of([generous], test=3)
    run = run_suite(suite, model=lambda prompt: "five", folder=tmp_path / "run")
    assert run.overall().estimate.value == 1.0


@pytest.mark.parametrize(
    ("scorer", "words"),
    [(lambda answer: 1.0, "neither"), (lambda answer, targets: "good", "returned a str, not a score")],
)
def test_functions_that_do_not_score_are_refused(tmp_path, scorer, words):
    with pytest.raises(UserError, match=words):
        run_suite(SUITE, model="mock/oracle", scorer=scorer, folder=tmp_path / "run")
