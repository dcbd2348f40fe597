"""The named suites: pure, disjoint, of the sizes of the paper, with their combinations held out."""

import pytest

from taskloom.core import content_hash, input_hash, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.families.babi import FAMILY
from taskloom.families.babi.concepts import DIVERSE, MIX, question_type


def small(name, size=24):
    recipe = FAMILY.spec(name).recipe
    if name.startswith("inoculate"):
        return {"dose": 4, "dev": size, "test": size}
    options = {key: size for key in ("train", "dev", "test", "mix") if getattr(recipe, key, 0)}
    return {**options, "originals": size // 3} if name.startswith("inject") else options


NAMES = list(FAMILY.suites())


@pytest.mark.parametrize("name", NAMES)
def test_suite_keeps_its_promises(name):
    suite = open_suite(f"babi/{name}", seed=2, options=small(name))
    split_of, ids = {}, set()
    for split, size in suite.splits.items():
        rows = list(suite.rows(split))
        assert len(rows) == size
        assert rows == list(suite.rows(split)), "drawing twice gives the same"
        for task, instance in rows:
            assert task in suite.tasks
            key = (split, task, instance.id)
            assert key not in ids
            ids.add(key)
            text = input_hash(instance.input)
            assert split_of.setdefault(text, split) == split, "splits share no input"
            assert instance.input == f"{instance.parts['story']}\n{instance.parts['question']}"
            assert set(instance.facets) == set(suite.facets)
            lines = instance.parts["story"].split("\n")
            assert instance.facets["length"] == len(lines)
            assert all(1 <= line <= len(lines) for line in instance.details["support"])
            assert instance.facets["support_size"] == len(instance.details["support"])
            assert instance.facets["distractors"] in ("near", "far", "mixed")
            oldest = min(instance.details["support"], default=len(lines) + 1)
            assert instance.facets["support_age"] == len(lines) + 1 - oldest
            scorer = SCORERS.get(suite.tasks[task].scorer)
            assert scorer.score(instance.targets.canonical(), instance.targets, suite.tasks[task]).value == 1.0
    examples = {
        input_hash(example.input)
        for task in suite.tasks.values()
        for example in (*task.instruction.positive, *task.instruction.negative)
    }
    assert not examples & set(split_of)


@pytest.mark.parametrize("name", NAMES)
def test_tasks_are_described(name):
    from taskloom.core import Items, any_of

    suite = open_suite(f"babi/{name}", options=small(name))
    for key, task in suite.tasks.items():
        assert task.name == key
        assert {"family", "category", "language"} <= set(task.facets)
        right, wrong = task.instruction.positive, task.instruction.negative
        assert len(right) >= 2
        assert len(wrong) >= 1
        scorer = SCORERS.get(task.scorer)
        for example in (*right, *wrong):
            assert "sentence" in example.explanation.lower()
        for example in right:
            target = any_of(example.output)
            if task.kind == "items":
                things = example.output.split(", ") if example.output != "nothing" else []
                target = Items((tuple(things),))
            assert scorer.score(example.output, target, task).value == 1.0
        for example in wrong:
            said = example.explanation.split("the answer is '")[1].split("'.")[0]
            assert scorer.score(example.output, any_of(said), task).value < 1.0


def test_seeds_share_nothing_and_recipes_decide_everything():
    def inputs(seed, **options):
        suite = open_suite("babi/mix-t12", seed=seed, options={"dev": 0, "test": 60, **options})
        return {row.instance.input for row in suite.rows("test")}

    assert not inputs(1) & inputs(2)
    assert inputs(1) == inputs(1)


def test_mix_is_the_same_wherever_it_appears():
    alone = open_suite("babi/mix-t7", seed=3, options={"dev": 0, "test": 40})
    along = open_suite("babi/diverse-t7", seed=3, options={"train": 9, "dev": 0, "test": 0, "mix": 40})
    ours = [(f"mix/{row.task}", row.instance) for row in alone.rows("test")]
    assert ours == [tuple(row) for row in along.rows("mix")]


@pytest.mark.parametrize("group", ["t2", "t7", "t12"])
def test_held_out_combinations_are_held_out(group):
    """Every training story keeps to the concept set of its sub-task, and no sub-task has what mix combines."""
    suite = open_suite(f"babi/diverse-{group}", options={"train": 300, "dev": 0, "test": 0, "mix": 300})
    allowed = {}
    for cell in DIVERSE[group]:
        allowed.setdefault(cell.task, []).append(
            (set(cell.concepts.names()), {question_type(kind) for kind in cell.questions})
        )
    for task, instance in suite.rows("train"):
        facets = instance.facets
        seen = {*facets["events"], *facets["constructs"]}
        assert any(seen <= names and facets["question"] in asked for names, asked in allowed[task])
        if facets["constructs"]:
            assert facets["events"] == ("move",), "constructs are seen with moves only"
        if facets["question"] == "yes-no":
            assert facets["events"] == ("move",)
            assert set(facets["constructs"]) <= {"negate", "indef"}
        if facets["question"] == "where-was-object":
            assert "give" not in facets["events"]
        assert facets["novel"] is False
    novel = [row.instance for row in suite.rows("mix") if row.instance.facets["novel"]]
    assert len(novel) > 50
    train = {
        (row.instance.facets["question"], row.instance.facets["composition"])
        for row in open_suite(f"babi/diverse-{group}", options={"train": 2000, "dev": 0, "test": 0, "mix": 0}).rows(
            "train"
        )
    }
    assert not {(i.facets["question"], i.facets["composition"]) for i in novel} & train


def test_default_sizes_are_those_of_the_paper():
    sizes = {
        "concat-t2": 18_000,
        "concat-t7": 63_000,
        "concat-t12": 108_000,
        "inject-t7": 190_158,
        "inject-t12": 368_831,
        "diverse-t7": 17_000,
        "diverse-t12": 24_772,
    }
    for name, size in sizes.items():
        assert open_suite(f"babi/{name}").splits["train"] == size
    for name, size in {"mix-t2": 1_000, "mix-t7": 3_000, "mix-t12": 6_000}.items():
        assert open_suite(f"babi/{name}").splits["test"] == size


def test_mix_balances_support_sizes():
    suite = open_suite("babi/mix-t12", options={"dev": 0, "test": 600})
    sizes = {}
    for task, instance in suite.rows("test"):
        sizes.setdefault(task, []).append(instance.facets["support_size"])
    assert sizes.keys() == {cell.task for cell in MIX["t12"]}
    assert sorted(sizes["where-person"])[:50] == [1] * 25 + [2] * 25
    assert min(sizes["where-was-object"]) == 3
    assert max(sizes["where-was-object"]) >= 6


def test_injected_questions_follow_their_original():
    suite = open_suite("babi/inject-t7", options={"train": 300, "originals": 100, "dev": 0, "test": 0, "mix": 0})
    rows = list(suite.rows("train"))
    original = [row for row in rows if row.task.count("-") == 1]
    assert 80 <= len(original) <= 120
    stories = {row.instance.parts["story"] for row in original}
    for row in rows:
        if row.task.count("-") > 1:
            assert row.instance.parts["story"] in stories
            assert row.instance.facets["question"] in ("where-person", "where-object")


def test_rephrased_twins():
    suite = open_suite("babi/rephrase-t12", options={"dev": 0, "test": 40})
    rows = list(suite.rows("test"))
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert (first.task, second.task) == ("yes-no", "where-person")
        assert first.instance.parts["story"] == second.instance.parts["story"]
        assert first.instance.targets.canonical() == "yes"
        person, place = first.instance.parts["question"][3:-1].split(" in the ")
        assert second.instance.parts["question"] == f"Where is {person}?"
        assert second.instance.targets.canonical() == place
        assert first.instance.id == second.instance.id


def test_a_smaller_dose_is_the_first_part_of_a_larger_one():
    def train(dose):
        suite = open_suite("babi/inoculate-t7", options={"dose": dose, "dev": 0, "test": 30})
        return [content_hash(row) for row in suite.rows("train")], [row.instance.input for row in suite.rows("test")]

    (few, test), (many, _) = train(3), train(6)
    assert many[: len(few)] == few
    assert len(many) == 18
    suite = open_suite("babi/mix-t7", options={"dev": 0, "test": 30})
    assert test == [row.instance.input for row in suite.rows("test")]


def test_further_concepts_are_woven_in():
    also = ["time", "deduction", "induction", "positions", "sizes", "paths", "motivations", "relations"]
    suite = open_suite(
        "babi/custom",
        options={"also": also, "questions": ["where-object", "list"], "train": 100, "dev": 0, "test": 0},
    )
    rows = list(suite.rows("train"))
    assert {row.task for row in rows} == {"where-object", "list", *also}
    for task, instance in rows:
        if task in also:
            assert instance.facets["constructs"] == (task,)
            assert instance.facets["length"] > instance.facets["support_size"]
        else:
            assert instance.facets["length"] == 20
