"""Everything that is said of some small runs, word for word: results, groups, gates, comparisons, diagnoses.

`fixed_runs.txt` holds it; see `tests/approved.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from approved import approved, plain
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.run.check import check_run
from taskloom.run.results import Run, load_run, run_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.studies.contrasts import compare_runs, gate_run, group_replicates, pooled
from taskloom.studies.prompt_notes import asked_notes, diagnose

LABELS = ("yes", "no", "maybe")


def suite(rows: int = 40) -> Suite:
    """Three tasks with facets of every kind: texts, numbers, flags, lists, some on tasks only, some missing."""
    kinds: dict[str, type] = {"depth": str, "side": int, "novel": bool, "parts": list}
    tasks = {
        key: Task(key, Instruction("Say it."), "label", "label", LABELS, facets={"skill": skill})
        for key, skill in (("a", "count"), ("b", "order"), ("c", "count"))
    }
    held = []
    for n in range(rows):
        facets = {
            "depth": "deep" if n % 5 < 2 else "flat",
            "side": n % 12,
            "novel": n % 4 == 0,
            "parts": "xyz"[: n % 4],
        }
        facets["parts"] = list(facets["parts"])
        if n % 9 == 8:
            del facets["depth"]
        held.append(Row("abc"[n // 4 % 3], Instance(f"i{n}", f"q {n}", AnyOf((LABELS[n % 7 % 3],)), facets)))
    return Suite("x/fixed", {}, 1, tasks, {"test": rows}, lambda split: iter(held), kinds, "pairs")


ASKED = {
    "yes": RunSettings(model="mock/constant", model_options={"answer": "yes"}),
    "random": RunSettings(model="mock/random"),
    "again": RunSettings(model="mock/random", run_seed=1),
    "flaky": RunSettings(model="mock/flaky", model_options={"fail": 0.25}),
    "several": RunSettings(model="mock/random", samples=3, limit=6, generation={"temperature": 0.7}),
    "few": RunSettings(model="mock/random", limit=4),
}


def passages() -> Suite:
    """A suite whose scorer has a metric of its own, which is not a mean over instances."""
    tasks = {key: Task(key, Instruction("Answer with words of the passage."), "text", "zest/fair") for key in "pqr"}
    held = [
        Row("pqr"[n % 3], Instance(f"i{n}", f"red boat {n}", AnyOf((("red boat", "boat", "n/a")[n % 4 % 3],))))
        for n in range(18)
    ]
    return Suite("x/passages", {}, 1, tasks, {"test": 18}, lambda split: iter(held), {}, "pairs")


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("fixed")
    for name, settings in ASKED.items():
        launch(suite(), root / name, settings)
    for name, model in (("passages", "mock/copy-input"), ("perfect", "mock/oracle")):
        launch(passages(), root / name, RunSettings(model=model))
    return {name: root / name for name in (*ASKED, "passages", "perfect")}


def said_of(run: Run) -> Iterator[str]:
    """All numbers and words about one run."""
    results = run_results(run)
    for key in ("proof", "plan", "protocol"):
        del results[key]
    yield repr(run)
    yield from (f"{key}: {plain(value)}" for key, value in results.items() if key != "facets")
    yield from (f"{name}: {plain(groups)}" for name, groups in results["facets"].items())
    pairs = {" × ".join(key): len(rows) for key, rows in run.rows_by("depth", "skill").items()}
    yield f"facets: {run.facet_names()}, pairs: {plain(pairs)}"
    yield from (f"{key}: {plain(group)}" for key, group in run.by_facet("parts", "novel").items())
    for record in run.records[:4]:
        yield plain([record.task, record.id, record.sample, record.state, record.answer, record.score])


def said_of_passages(copied: Run, perfect: Run) -> Iterator[str]:
    """The same with another metric."""
    for run in (copied, perfect):
        yield f"{run.metric().name}: {plain(run.overall())}"
        yield from map(plain, run.by_task()[:4])
        for headline in ("strict", "lenient"):
            yield f"{headline}: {plain(run.group(headline, headline=headline))}"
    yield f"passages: {plain(compare_runs([copied], [perfect]))} {plain(pooled([copied], 'one'))}"
    task = next(iter(copied.rows_by("task")))[0]
    found = gate_run(copied, minimum=0.4, by=["task"], baseline=perfect, max_drop=0.1)
    yield from (f"{check.verdict}: {check.sentence()}" for check in found.checks[:4])
    yield from (f"{check.verdict}: {check.sentence()}" for check in found.checks if check.name == task)


def said_of_all(folders: dict[str, Path]) -> Iterator[str]:
    """What is said of runs beside each other."""
    folders = dict(folders)
    yield from said_of_passages(*(load_run(folders.pop(name)) for name in ("passages", "perfect")))
    for name, folder in folders.items():
        for errors, weigh in (("leave-out", "tasks"), ("wrong", "instances")):
            yield f"== {name}, {errors}, {weigh}"
            run = load_run(folder, errors, weigh)
            yield from said_of(run) if errors == "leave-out" else (plain(run.overall()), *map(plain, run.by_task()))
        yield from diagnose(load_run(folder))
        assert list(check_run(folder)) == []
    runs = {name: load_run(folder) for name, folder in folders.items()}
    yield "== together"
    groups = group_replicates(list(runs.values()))
    yield plain([[list(runs).index(name) for name in runs for run in group if runs[name] is run] for group in groups])
    yield plain(pooled([runs["random"], runs["again"]], "both"))
    for one, two in (("yes", "random"), ("random", "yes"), ("yes", "flaky"), ("several", "yes"), ("few", "random")):
        yield f"{one} {two}: {plain(compare_runs([runs[one]], [runs[two]]))}"
    both = [runs["random"], runs["again"]]
    yield f"replicates: {plain(compare_runs(both, both))}"
    yield from asked_notes(list(runs.values()), {id(run): name for name, run in runs.items()})
    for minimum in (0.02, 0.3, 0.97):
        found = gate_run(runs["random"], minimum=minimum, by=["skill"])
        yield f"at least {minimum}: {found.verdict}"
        yield from (f"{check.verdict}: {check.sentence()}" for check in found.checks)
    found = gate_run(runs["flaky"], minimum=0.3, baseline=runs["yes"], max_drop=0.5, by=["depth"], level=0.9)
    yield from (f"{check.verdict}: {check.sentence()}" for check in found.checks)


def test_runs_say_what_they_said(folders):
    approved(Path(__file__).parent / "fixed_runs.txt", "\n".join(said_of_all(folders)) + "\n")


def test_bounds_of_a_gate(folders):
    run = load_run(folders["yes"])
    for bound in (0.0, 1.0):
        assert gate_run(run, minimum=bound).checks[0].bound == bound
    for settings, words in (
        ({}, "nothing to check"),
        ({"minimum": -0.01}, "between 0 and 1, not -0.01"),
        ({"minimum": 1.01}, "not 1.01"),
        ({"max_drop": 0.1}, "vice versa"),
        ({"baseline": run}, "vice versa"),
    ):
        with pytest.raises(UserError, match=words):
            gate_run(run, **settings)
