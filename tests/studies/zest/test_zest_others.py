"""Tables 4, 7 and 10: trained on other data sets as well, and people who filled in a form."""

from __future__ import annotations

import pytest

from taskloom import open_suite, run_suite
from taskloom.core.catalog import STUDIES
from taskloom.hosts.squad import write_squad
from taskloom.studies.experiment import printed, recipe_for, run_study
from taskloom.studies.grid import InProcess, Learner, RunStore, unique
from taskloom.studies.judgement.forms import make_form
from taskloom.studies.judgement.read import RaterAnswer, run_people

SMALL = {"train": 6, "dev": 4, "test": 12, "passages": 2, "surplus": 0}


def _rows(result):
    table = result.findings.tables[0]
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_people_who_filled_in_a_form_stand_beside_models(tmp_path):
    run = run_suite(open_suite("zest/fictional", seed=0, options=SMALL), model="mock/oracle", folder=tmp_path / "model")
    form, key = make_form([run], "answer", tasks=60, instances=10)
    right = {record.key: record.targets.canonical() for record in run.records}
    answers = [
        RaterAnswer(form.id, "ann", item.id, "answer", right[key.items[item.id].task, key.items[item.id].instance])
        for item in form.items
    ]
    people = run_people(answers, key, "crowd", tmp_path / "crowd")
    study = STUDIES.get("zest/competence")
    given = {"people": [str(people.folder)], "options": SMALL}
    result = run_study(study, recipe_for(study, "smoke", given, ["reading/yes"]), shelf=RunStore(tmp_path / "shelf"))
    found = {row["kind"]: row for row in _rows(result) if row["trained on"] == "people"}
    assert found["overall"]["mean F1"] == found["overall"]["C@90"] == 1.0
    paper = printed("zest", "table-10").share("test C@90", kind="overall")
    assert (found["overall"]["published of"], found["overall"]["published C@90"]) == ("people", paper)


@pytest.mark.proof
def test_a_model_is_trained_on_other_data_sets_as_well(tmp_path):
    pytest.importorskip("torch")
    stories = open_suite("babi/task-1", options={"train": 20, "dev": 0, "test": 0})
    write_squad(stories.rows("train"), tmp_path / "squad.json", stories.tasks)
    study = STUDIES.get("zest/competence")
    step = {"updates": 1, "batch": 2, "epochs": 1e6, "evaluate_limit": 2, "keep": "last", "dev": "none"}
    learner = Learner(options={**step, "max_output": 8, "overlong": "cut"})
    given = {"others": {"squad": str(tmp_path / "squad.json")}, "seeds": 1, "inputs": ["both"], "limit": 1}
    recipe = recipe_for(study, "tiny", {**given, "learners": {"*": learner}}, ["tiny/t5-1m"])
    mixed = [arm for arm in study.grid(recipe, 0) if arm.factors["trained"] == "ZEST and others"]
    assert {arm.factors["split"] for arm in mixed} == {"dev", "test"}
    base = unique(mixed)[0]
    assert (base.suite, base.options["squad"]) == ("zest/multitask", str(tmp_path / "squad.json"))
    shelf = RunStore(tmp_path / "shelf")
    assert {row.task for row in shelf.suite(base).rows("train")} >= {"squad"}
    assert shelf.fill([base], InProcess())["done"] == 1
