"""Negation, quantifiers, factivity, depth, the systematicity report and the studies."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from taskloom.core import UserError, open_suite
from taskloom.families.seti.extensions import (
    DepthPlan,
    check_depth,
    check_operators,
    depth_plan,
    operator_cell,
    operator_plan,
)
from taskloom.families.seti.reports import rule_lines
from taskloom.families.seti.settings import OPERATORS, DepthRecipe, OperatorRecipe
from taskloom.studies import seti as tables_of_seti
from taskloom.studies.seti import SAMPLES, TABLES, SamplesRecipe, SetiTablesRecipe

NAMES = [*OPERATORS, "productivity"]


@pytest.mark.parametrize("split", ["compositional", "in-distribution"])
@pytest.mark.parametrize("name", NAMES)
def test_promised_sizes_ids_and_inputs(name, split):
    suite = open_suite(f"seti/{name}", seed=4, options={"split": split})
    inputs = Counter()
    for part, size in suite.splits.items():
        rows = [row.instance for row in suite.rows(part)]
        assert len(rows) == size
        assert len({instance.id for instance in rows}) == size
        inputs.update(instance.input for instance in rows)
        for instance in rows:
            assert set(instance.facets) == set(suite.facets)
    assert max(inputs.values()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_small_and_capped(name):
    small = {"pairs": 96} if name in OPERATORS else {"train": 400, "dev": 10, "test": 40}
    suite = open_suite(f"seti/{name}", options={**small, "test": 7})
    assert len(list(suite.rows("test"))) == 7


@pytest.mark.parametrize("name", list(OPERATORS))
def test_tested_cells_are_unseen_and_a_leak_is_refused(name):
    splits = operator_plan(name, OperatorRecipe(), 2)
    learned = {operator_cell(asked) for part in ("train", "dev") for asked in splits[part]}
    assert not learned & {operator_cell(asked) for asked in splits["test"]}
    with pytest.raises(UserError, match="was trained on"):
        check_operators(name, [*splits["train"], *splits["dev"], splits["test"][0]], splits["test"])


def test_an_unknown_operator_is_refused():
    splits = operator_plan("quantifiers", OperatorRecipe(), 2)
    train = [asked for asked in splits["train"] if asked.pair.form != "no"]
    with pytest.raises(UserError, match="operator was never trained on"):
        check_operators("quantifiers", train, splits["test"])


def test_negation_turns_lexical_relations_round():
    for row in open_suite("seti/negation-nontrivial").rows("test"):
        facets = row.instance.facets
        assert facets["natural_entailed"] is (facets["relation"] == "hyponym")


def test_depth():
    suite = open_suite("seti/productivity", options={"train_depths": [1, 3], "test_depths": [2, 6], "train": 500})
    assert {row.instance.facets["depth"] for row in suite.rows("train")} == {1, 3}
    tested = [row.instance for row in suite.rows("test")]
    assert Counter(instance.facets["depth"] for instance in tested) in ({2: 504, 6: 496}, {2: 496, 6: 504})
    for instance in tested:
        assert len(str(instance.facets["verb"]).split()) == instance.facets["depth"]
        assert instance.parts["premise"].count(" that ") == instance.facets["depth"]
    labels = Counter(instance.facets["label"] for instance in tested)
    assert labels["entailment"] == labels["not-entailment"]


def test_verbs_like_negation_stand_innermost():
    plan = depth_plan(DepthRecipe(), 3)
    for split, size in plan.sizes.items():
        for index in range(size):
            assert not {"doubt", "wish"} & set(plan.at(split, index).verbs[:-1])


def test_depths_may_not_overlap():
    with pytest.raises(UserError, match="does not see"):
        open_suite("seti/productivity", options={"test_depths": [2, 3]})

    class Shallow(DepthPlan):
        def depths(self, split):
            return (1, 3) if split == "train" else super().depths(split)

    with pytest.raises(UserError, match="is in both training and test"):
        Shallow(DepthRecipe(), 3)


def test_too_little_training_for_all_verbs_is_refused():
    with pytest.raises(UserError, match="was never trained on"):
        next(open_suite("seti/productivity", options={"train": 10}).rows("test"))
    check_depth(depth_plan(DepthRecipe(), 0))


def test_the_verbs_of_a_chain_are_known_without_its_sentences():
    plan = depth_plan(DepthRecipe(), 3)
    for split in ("train", "dev", "test"):
        for index in range(0, plan.sizes[split], 37):
            assert plan.verbs_at(split, index) == plan.at(split, index).verbs


def test_a_second_round_of_pairs_takes_other_verbs():
    """Beyond the pairs of a lane every pair comes again, and no instance comes twice."""
    plan = depth_plan(DepthRecipe(train=plan_rows() + 600), 1)
    first = {plan.chain("train", number, (1, 2))[:2] for number in range(600)}
    again = {plan.chain("train", plan.lane_rows + number, (1, 2))[:2] for number in range(600)}
    assert not first & again
    assert {pair for _, pair in first} == {pair for _, pair in again}


def plan_rows():
    return depth_plan(DepthRecipe(), 1).lane_rows


# ------------------------------------------------------------------------------ reports


def lines(name, **options):
    return {line.rule: line for line in rule_lines(open_suite(f"seti/{name}", options=options))}


def test_the_report_says_which_rules_were_seen():
    report = lines("task2-nontrivial", few=4)
    assert [report[f"rule {n}"].verdict for n in (1, 2, 3, 4)] == [
        "trained only", "UNSEEN and tested", "UNSEEN and tested", "trained only",
    ]  # fmt: skip
    assert report["rule 2"].few > 0
    report = lines("task2-trivial")
    assert all(report[f"rule {n}"].verdict == "seen and tested" for n in (1, 2, 3, 4))
    assert report["rule 1: veridical verb, structural+"].verdict == "UNSEEN and tested"
    report = lines("task3-nontrivial-verb", few=0)
    assert report["rule 3"].verdict == "UNSEEN and tested"
    assert report["primitive: non-veridical verb"].seen
    report = lines("task2-nontrivial-id", few=0)
    assert all(report[f"rule {n}"].verdict == "seen and tested" for n in (1, 2, 3, 4))


def test_tables(tmp_path):
    recipe = SetiTablesRecipe(size=24, shortcut_pairs=24, fresh_pairs=40, seeds=1)
    tables = TABLES.run(recipe, 0, None)
    sizes = tables[0]
    assert len(sizes.rows) == 12
    assert all("another number" in str(row[-1]) for row in sizes.rows)
    assert {row[0] for row in tables[-1].rows} >= {"task1-trivial", "productivity"}
    assert all(table.markdown() for table in tables)


def test_tables_from_sick(reference, monkeypatch):
    # One setting shows how the columns of SICK are filled; without SICK all of them are tabled above.
    monkeypatch.setattr(tables_of_seti, "PAPER", {"task3-trivial": tables_of_seti.PAPER["task3-trivial"]})
    monkeypatch.setattr(tables_of_seti, "SETTINGS", ("task3-trivial",))
    monkeypatch.setattr(tables_of_seti, "EXTENSIONS", ())
    recipe = SetiTablesRecipe(
        size=24, sick=str(reference / "seti" / "sick"), shortcut_pairs=24, fresh_pairs=40, seeds=1
    )
    tables = {table.title: table for table in TABLES.run(recipe, 0, None)}
    found = {row[0]: row[3:5] for row in tables["SICK pairs (9,927 in the corpus)"].rows}
    assert found["lexical, one word"] == (487, 546)
    assert found["lexical, up to 3 words"] == (784, 1014)
    assert found["structural"] == (306, 330)
    sizes = tables["Sizes beside Table 5 (compositional splits)"]
    assert all(None not in row[8:10] for row in sizes.rows)


def test_samples(tmp_path):
    tables = SAMPLES.run(SamplesRecipe(n=5), 0, tmp_path)
    assert all(row[1] == 5 for row in tables[0].rows)
    page = (tmp_path / "seti_samples.md").read_text(encoding="utf-8")
    assert page.count("\n## ") == len(tables[0].rows)
    assert page.count("entailment |") == 5 * len(tables[0].rows)


def test_the_page_of_samples_is_current(tmp_path):
    """The page in docs is what the command makes: fifty of every type."""
    SAMPLES.run(SamplesRecipe(), 0, tmp_path)
    page = Path(__file__).parents[3] / "docs" / "seti_samples.md"
    assert page.read_text(encoding="utf-8") == (tmp_path / "seti_samples.md").read_text(encoding="utf-8"), (
        "make it again with taskloom study seti/samples -o FOLDER and copy it to docs"
    )
