"""Every expectation of every study: a frame in which it holds, and the mirror of that frame, in which it fails.

`findings/` has everything that a study says of such a frame: tables, data of figures, verdicts, sentences (see
`tests/approved.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log2
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from approved import approved
from studies.simulated import Kind, simulated
from taskloom.adapt.curves import Point
from taskloom.core import digest
from taskloom.core.catalog import STUDIES
from taskloom.core.metric import ItemScore
from taskloom.families.seti.reports import VerbProbe
from taskloom.studies.experiment import Experiment, recipe_for
from taskloom.studies.findings import Check, StudyResult
from taskloom.studies.frame import Frame
from taskloom.studies.grid import GridRecipe

BY_PLACE = ("antonyms[eng]", "synonyms[eng]", "hyponyms[eng]", "entailments[eng]")
"""Atomic tasks, the hardest first."""
FITTED = ("untuned", "tuned on another style", "tuned on other tasks", "oracle")


def _named(name: str) -> Experiment:
    study = STUDIES.get(name)
    assert isinstance(study, Experiment)
    return study


def _checks(name: str, frame: Frame, recipe: GridRecipe, kind: str) -> Sequence[Check]:
    """The checks of a study; everything else that it says is as approved."""
    found = _named(name).analyse(frame, recipe)
    said = StudyResult(study=name, question=_named(name).summary, findings=found).markdown()
    drawn = [f"### {figure.title}\n\n{figure.caption}\n\n{figure.csv()}" for figure in found.figures]
    path = Path(__file__).parent / "findings" / f"{name.replace('/', '-')}-{kind.replace(' ', '-')}.md"
    # The last digits of a number may differ from machine to machine.
    approved(path, re.sub(r"\d\.\d{6,}", lambda number: f"{float(number[0]):.5g}", "\n\n".join([said, *drawn]) + "\n"))
    return found.checks


def _verdicts(name, settings, rate, kinds=lambda arm: (Kind(),)):
    """The verdicts on a frame and on its mirror, by claim."""
    study = _named(name)
    recipe = recipe_for(study, "tiny", settings)
    both = []
    for mirrored in (False, True):
        frame = simulated(study, recipe, lambda arm, kind: rate(arm, kind, mirrored), kinds)  # noqa: B023
        checks = _checks(name, frame, recipe, "mirror" if mirrored else "there")
        both.append({check.claim: check.verdict for check in checks})
    assert both[0].keys() == both[1].keys()
    # Of arms that are nearly alike, and few answers, it says what more of either could show.
    level = simulated(study, recipe, lambda arm, kind: 0.5 + 0.1 * rate(arm, kind, False), kinds, n=9)
    _checks(name, level, recipe, "level")
    return both


def _left_out(name, claims):
    """The recorded expectations of a study that no claim was made of."""
    patterns = {one.claim: re.sub(r"\\{\w+\\}", ".+", re.escape(one.claim)) for one in _named(name).expects}
    return [claim for claim, pattern in patterns.items() if not any(re.fullmatch(pattern, one) for one in claims)]


def _either(better, worse=0.2, good=0.8):
    """Right often where a condition holds and seldom elsewhere; in the mirror the other way round."""
    return lambda arm, kind, mirrored: good if better(arm, kind) != mirrored else worse


def _ranked(place):
    """Better with every rank; in the mirror worse."""
    return lambda arm, kind, mirrored: 0.1 + 0.2 * (3 - place(arm, kind) if mirrored else place(arm, kind))


def _english(arm):
    return (Kind("t", {"category": "c", "language": "English"}),)


CASES = {
    "babi/in-and-out": (
        {"models": ["tiny/entnet", "tiny/bidaf"]}, _either(lambda arm, _: arm.factors["asked"] == "concat"), 2,
    ),
    "babi/enrich": (
        {"kinds": ["concat", "inject", "diverse"]},
        _ranked(lambda arm, _: ("concat", "inject", "diverse").index(arm.factors["trained"])),
        3,
    ),
    "babi/inoculate": ({}, _either(lambda arm, _: arm.factors["dose"] == 150), 1),
    "babi/give": ({}, _either(lambda _, kind: kind.facets["composition"] == "move"), 1),
    "babi/rephrase": ({}, _either(lambda _, kind: kind.task == "where-person"), 1),
    "seti/few-shot": (
        {"settings_asked": ["task2-nontrivial", "task3-nontrivial-natural"]},
        _either(lambda arm, _: arm.factors["dose"] == 128),
        2,
    ),
    # Where the verb alone suffices, no fall is expected.
    "seti/systematicity": (
        {"probed": 0, "settings_asked": ["task2-nontrivial", "task3-nontrivial-verb", "task3-nontrivial-natural"]},
        _either(lambda arm, _: (arm.factors["tested"] == "compositional") == arm.factors["setting"].endswith("-verb")),
        3,
    ),
    "superni/encodings": (
        {"encodings": ["task-id", "def", "pos1", "pos2"]},
        _either(lambda arm, _: arm.factors["trained"] == arm.factors["asked"] != "task-id"),
        7,
    ),
    "superni/unseen": (
        {"tracks": ["English"], "fitted": list(FITTED)},
        _ranked(lambda arm, _: FITTED.index(arm.factors["fitted"]) if arm.factors["fitted"] in FITTED else 0),
        3,
    ),
    "superni/scaling": (
        {
            "models": ["hf/x-1b", "hf/x-2b", "hf/x-8b"],
            "tasks": [8, 16, 32],
            "instances": [2, 4, 8],
            "learners": {"*": {}},
        },
        lambda arm, _, mirrored: 0.5 + 0.05 * (-1 if mirrored else 1) * (
            log2(int(arm.factors["amount"])) + log2(int(arm.factors["model"][-2])) - 5
        ),
        7,
    ),
}  # fmt: skip
"""Settings, the share of right answers, and how many expectations there are."""

KINDS = {
    "babi/enrich": lambda arm: (Kind("t", {"composition": "move", "question": "where", "support_size": 2}),),
    "babi/give": lambda arm: tuple(
        Kind("t", {"composition": composition, "support_size": 2}) for composition in ("move", "give+move")
    ),
    "babi/rephrase": lambda arm: (Kind("where-person"), Kind("yes-no")),
    "superni/encodings": _english,
    "superni/unseen": _english,
    "superni/scaling": _english,
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_study_expects_holds_in_one_frame_and_fails_in_its_mirror(name):
    settings, rate, count = CASES[name]
    there, mirror = _verdicts(name, settings, rate, KINDS.get(name, lambda arm: (Kind(),)))
    assert len(there) == count
    assert _left_out(name, there) == []
    assert set(there.values()) == {"holds"}, there
    assert set(mirror.values()) == {"does not hold"}, mirror


def _composed(arm):
    """The task of an arm with the facets that its suite would have."""
    task = str(arm.factors["expression asked"])
    parts = [atom for atom in BY_PLACE if atom in task]
    operator = "map" if task.startswith("map") else "union" if task.startswith("union") else "atomic"
    level = "sequence" if operator == "map" else "word"
    return (Kind(task, {"operator": operator, "derives_from": parts, "level": level}),)


def _adaptability(arm, kind, mirrored):
    """A composed task follows its parts from below; in the mirror it runs against them, from above."""
    own = [0.1 + 0.1 * BY_PLACE.index(atom) for atom in kind.facets["derives_from"]]
    mean = sum(own) / len(own)
    if kind.facets["operator"] == "atomic":
        return mean
    separated = 0.1 if arm.factors["separated"] != mirrored else 0.0
    return (0.9 - mean if mirrored else 0.6 * mean) + (separated if kind.facets["operator"] == "map" else 0.0)


def test_compositions_follow_their_parts_or_run_against_them():
    unions = [f"union({a}, {b})" for place, a in enumerate(BY_PLACE) for b in BY_PLACE[place + 1 :]]
    settings = {
        "atoms": list(BY_PLACE),
        "composed": [*unions, *(f"map{{{atom}}}" for atom in BY_PLACE)],
        "separators": [False, True],
        "paradigms": ["full fine-tuning"],
    }
    there, mirror = _verdicts("taskbench/compose", settings, _adaptability, _composed)
    assert _left_out("taskbench/compose", there) == []
    assert set(there) == {
        "separators help tiny/t5-1m by full fine-tuning on sequences",
        "union by full fine-tuning follows from its parts",
        "map by full fine-tuning follows from its parts",
        "map with separators by full fine-tuning follows from its parts",
        "tiny/t5-1m by full fine-tuning learns composed tasks less well than their parts",
    }
    assert set(there.values()) == {"holds"}, there
    assert set(mirror.values()) == {"does not hold"}, mirror


def test_few_shot_trainings_differ_in_the_examples_that_are_drawn():
    study = _named("taskbench/compose")
    recipe = recipe_for(study, "tiny", {"paradigms": ["full fine-tuning", "32-shot fine-tuning"]})
    few = [arm for arm in study.grid(recipe, 5) if "32-shot" in str(arm.factors["paradigm"])]
    assert {arm.draw for arm in few} == {arm.seed for arm in few} == {5, 6, 7}
    assert {arm.run.adapt_options["shots"] for arm in few} == {32}
    full = [arm for arm in study.grid(recipe, 5) if "full" in str(arm.factors["paradigm"])]
    assert all("shots" not in arm.run.adapt_options and arm.draw == 0 for arm in full)


def test_the_mass_of_unions_lies_on_the_easier_side_or_on_the_harder():
    study = _named("taskbench/mass")
    recipe = recipe_for(study, "tiny", {"atoms": list(BY_PLACE)})
    for mirrored, verdict in ((False, "holds"), (True, "does not hold")):

        def kinds(arm, mirrored=mirrored):
            task = str(arm.factors["expression asked"])
            # The first task of a union is the harder one.
            easier, harder = (0.1, 0.4) if mirrored else (0.4, 0.1)
            mass = {"first": harder, "second": easier, "first best": harder / 2, "second best": easier / 2}
            return (Kind(task, {}, {"mass": mass} if "union" in task else {}),)

        def rate(arm, kind):
            return 0.1 + 0.2 * BY_PLACE.index(kind.task) if kind.task in BY_PLACE else 0.5

        frame = simulated(study, recipe, rate, kinds)
        found = _checks("taskbench/mass", frame, recipe, verdict)
        assert Counter(check.verdict for check in found) == {verdict: 2}, found


def test_what_is_memorised_is_told_from_what_is_not(tmp_path):
    study = _named("taskbench/memorise")
    settings = {
        "tasks": {"lexical": ["synonyms[eng]"], "random": ["random-seed0[eng]"]},
        "conditions": [[start, labels] for start in ("untrained", "pretrained") for labels in ("original", "permuted")],
    }
    recipe = recipe_for(study, "tiny", settings)
    for mirrored, verdict in ((False, "holds"), (True, "does not hold")):
        frame = simulated(study, recipe, lambda arm, kind: 0.1, n=10)
        runs = {}
        for arm in frame.arms():
            folder = tmp_path / f"{len(runs)}-{mirrored}"
            (folder / "adaptation").mkdir(parents=True)
            known = 0.99 if (arm.factors["adaptation"] == "finetune") != mirrored else 0.05
            points = [
                Point(update, 1.0, scores={"train": known * update / 8}, counts={"train": 50}) for update in (4, 8)
            ]
            (folder / "adaptation" / "curve.jsonl").write_bytes(
                b"".join(msgspec.json.encode(p) + b"\n" for p in points)
            )
            runs[msgspec.json.encode(arm).decode()] = SimpleNamespace(folder=folder, tasks={})
        found = _checks("taskbench/memorise", Frame(frame.observations, runs), recipe, verdict)
        assert len(found) == 8
        assert {check.verdict for check in found} == {verdict}, found


def test_features_predict_what_follows_from_them_and_mislead_where_others_are_different():
    study = _named("taskbench/predict")
    tasks = [f"union({a}, {b})" for a in BY_PLACE for b in BY_PLACE if a != b] + [f"map{{{a}}}" for a in BY_PLACE]
    tasks += [f"map{{union({a}, {b})}}" for a in BY_PLACE for b in BY_PLACE if a < b] + list(BY_PLACE)
    recipe = recipe_for(study, "tiny", {"atoms": tasks, "composed": []})
    place = {task: number for number, task in enumerate(sorted(tasks, key=lambda task: digest("fold", task)))}

    def kinds(arm):
        task = str(arm.factors["expression asked"])
        return (Kind(task, {"depth": 1 + task.count("("), "operator": "o", "category": "c"}),)

    def rate(mirrored):
        # In the mirror, what depth does in one part of the tasks is the opposite of what it does in the others.
        slopes = (1, 1, -1, -1, 0) if mirrored else (1,)
        return lambda arm, kind: 0.5 + 0.5 * slopes[place[kind.task] % len(slopes)] * (kind.facets["depth"] - 1.5)

    for mirrored, verdict in ((False, "holds"), (True, "does not hold")):
        frame = simulated(study, recipe, rate(mirrored), kinds, n=10)
        (check,) = _checks("taskbench/predict", frame, recipe, verdict)
        assert check.verdict == verdict, check


@pytest.mark.parametrize(("follows", "verdict"), [(True, "holds"), (False, "does not hold")])
def test_two_metrics_agree_or_do_not(follows, verdict):
    study = _named("superni/metric-check")
    recipe = recipe_for(
        study, "tiny", {"models": ["mock/copy-input", "mock/majority"], "learners": {"*": {"adapt": "none"}}}
    )

    def kinds(arm):
        return tuple(Kind(f"t{place}", {"category": f"c{place}"}) for place in range(8))

    def rate(arm, kind):
        place = int(kind.task[1:])
        return 0.1 * (place if arm.factors["scored by"] == "rouge-l" or follows else 8 - place)

    frame = simulated(study, recipe, rate, kinds, n=20)
    labelled = SimpleNamespace(tasks={f"t{place}": SimpleNamespace(labels=("a", "b")) for place in range(8)})
    runs = {msgspec.json.encode(arm).decode(): labelled for arm in frame.arms()}
    (check,) = _checks("superni/metric-check", Frame(frame.observations, runs), recipe, verdict)
    assert check.verdict == verdict, check


@pytest.mark.parametrize(
    ("rates", "verdict"), [({"both": 0.3, "question": 0.1, "passage": 0.0}, "holds"),
                           ({"both": 0.9, "question": 1.0, "passage": 1.0}, "does not hold")],
)  # fmt: skip
def test_a_trained_model_stays_below_people_and_needs_question_and_passage(rates, verdict):
    study = _named("zest/competence")
    recipe = recipe_for(study, "tiny", {"models": ["tiny/t5-1m"], "inputs": ["both", "question", "passage"]})
    tasks = [Kind(f"t{place}", {"generalisation": ("base", "flip")[place % 2]}) for place in range(20)]

    def rate(arm, kind):
        return float(int(kind.task[1:]) < 20 * rates[arm.factors["shown"]])

    frame = simulated(study, recipe, rate, lambda arm: tasks, n=10)
    runs = {}
    for arm in frame.arms():
        own = [ItemScore(one.record.task, one.record.id, one.score) for one in frame if one.arm is arm]
        held = {kind.task: SimpleNamespace(facets=kind.facets) for kind in tasks}
        runs[msgspec.json.encode(arm).decode()] = SimpleNamespace(tasks=held, records=(), scored=lambda _, own=own: own)
    checks = _checks("zest/competence", Frame(frame.observations, runs), recipe, verdict)
    assert _left_out("zest/competence", [check.claim for check in checks]) == []
    assert {check.claim: check.verdict for check in checks} == {
        "tiny/t5-1m does better than guessing and yet stays below people at C@90": verdict,
        "tiny/t5-1m does better with question and passage than with the question alone": verdict,
        "tiny/t5-1m does better with question and passage than with the passage alone": verdict,
    }


@pytest.mark.parametrize(("follows", "verdict"), [(True, "holds"), (False, "does not hold")])
def test_two_benchmarks_rank_models_alike_or_do_not(follows, verdict):
    study = _named("concur")
    models = [f"mock/{number}" for number in range(9)]
    recipe = recipe_for(study, "tiny", {"models": models, "learners": {"*": {"adapt": "none"}}})

    def rate(arm, _):
        place = models.index(arm.factors["model"]) + 1
        return 0.08 * (place if follows or arm.factors["benchmark"] == "first" else 10 - place)

    (check,) = _checks("concur", simulated(study, recipe, rate), recipe, verdict)
    assert check.verdict == verdict, check


@pytest.mark.parametrize(("right", "verdict"), [(0.99, "holds"), (0.6, "does not hold")])
def test_a_verb_that_answers_a_setting_by_itself_is_told_from_one_that_does_not(right, verdict, monkeypatch):
    study = _named("seti/systematicity")
    asked = "task3-nontrivial-verb"
    recipe = recipe_for(study, "tiny", {"settings_asked": [asked], "probed": 200})
    monkeypatch.setattr("taskloom.studies.seti.accuracies", lambda suite, probes, most: {VerbProbe.name: right})
    found = _checks("seti/systematicity", simulated(study, recipe, lambda arm, kind: 0.5), recipe, f"verb {verdict}")
    assert [check.verdict for check in found if check.claim.startswith("the verb alone")] == [verdict]


def test_every_study_that_runs_models_has_its_mirror_here():
    alone = {
        "taskbench/compose", "taskbench/predict", "taskbench/mass", "taskbench/memorise", "superni/metric-check",
        "zest/competence", "concur",
    }  # fmt: skip
    assert {name for name in STUDIES if isinstance(STUDIES.get(name), Experiment)} == {*CASES, *alone}
