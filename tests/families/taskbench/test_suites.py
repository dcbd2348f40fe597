"""Suites: splits, sequences, few shots, permutations, balanced unions, instructions, the published list."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from taskloom.algebra import equal
from taskloom.core import AnyOf, Boolean, Instance, Product, Suite, UserError, open_suite
from taskloom.families.taskbench import FAMILY
from taskloom.families.taskbench.builder import TaskBuilder
from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.family import task_builder
from taskloom.families.taskbench.functions import first_of, one_cycle
from taskloom.families.taskbench.language import parse, short
from taskloom.families.taskbench.published import PARTS, PublishedTask, compositions, part, published
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.score.match import WORDS

SMALL = {"train": 40, "dev": 10, "test": 20, "knowledge": "world:600", "labels": "faithful"}


def suite(name: str, seed: int = 0, **options: Any) -> Suite:
    return open_suite(f"taskbench/{name}", seed=seed, options={**SMALL, **options})


def inputs(rows: list[Instance]) -> list[str]:
    return [row.input for row in rows]


def split(made: Suite, name: str) -> list[Instance]:
    return [row.instance for row in made.rows(name)]


EXPRESSIONS = [
    "antonyms[eng](entailments[eng])",
    "union(child,father)",
    "mother(father)",
    "is-POS-adjective[eng]",
    "land(is-occupation-writer,lnot(is-occupation-actor))",
    "map{λx. synonyms[spa](x)}",
    "map{mother}",
    "filter{is-sentiment-negative[eng]}",
    "map{hyponyms[eng]}(filter{is-POS-noun[eng]})",
    "random{2}[eng]",
    "antonyms[eng](antonyms[eng](antonyms[eng]))",
]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_any_expression_is_a_suite(name: str) -> None:
    made = suite(name)
    (task,) = made.tasks.values()
    assert equal(parse(task.name), parse(name))
    seen: dict[str, str] = {}
    for which in ("train", "dev", "test"):
        rows = split(made, which)
        assert rows, which
        assert len({row.id for row in rows}) == len(rows)
        for row in rows:
            assert set(row.facets) <= set(made.facets)
            assert seen.setdefault(row.input, which) == which, "an input in two splits"
            assert WORDS.score(row.targets.canonical(), row.targets, task).value == 1.0
    instruction = task.instruction
    assert len(instruction.positive) == 2
    assert 1 <= len(instruction.negative) <= 2
    for example in (*instruction.positive, *instruction.negative):
        assert example.input not in seen
        assert example.explanation


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_targets_are_the_function_itself(name: str) -> None:
    """Each row against the evaluated function, through another way in than the dataset takes."""
    made = suite(name)
    engines = Engines(TaskBenchRecipe(labels="faithful", knowledge="world:600"), 0)
    node = parse(name)
    for row in split(made, "test"):
        if isinstance(row.targets, AnyOf):
            assert set(row.targets.answers) == set(engines.apply(node, row.input))
        elif isinstance(row.targets, Boolean):
            assert engines.truth(node, row.input) is row.targets.value


def test_definitions_are_those_of_the_instructions_and_need_no_examples(monkeypatch) -> None:
    made = suite("land", least=1)
    said = {name: task.instruction.definition for name, task in made.tasks.items()}
    monkeypatch.setattr(TaskBuilder, "task", lambda *_: pytest.fail("a task was made"))
    assert dict(suite("land", least=1).definitions()) == said
    assert list(said) == list(made.tasks)


def test_sequences_follow_algorithm_1() -> None:
    made = suite("map{antonyms[eng]}(filter{is-POS-adjective[eng]})", train=150)
    engines = Engines(TaskBenchRecipe(labels="faithful"), 0)
    keep, relation = parse("is-POS-adjective[eng]"), parse("antonyms[eng]")
    lengths: Counter[tuple[int, int]] = Counter()
    for row in split(made, "train"):
        words = row.details["words"]
        assert row.input == " ".join(words)
        assert len(set(words)) == len(words)
        kept = [word for word in words if engines.truth(keep, word)]
        assert isinstance(row.targets, Product)
        assert [set(slot) for slot in row.targets.slots] == [set(engines.apply(relation, word)) for word in kept]
        lengths[len(words), len(kept)] += 1
    assert {n for n, _ in lengths} == set(range(2, 9))
    for n in range(4, 9):  # how many are kept does not follow from how many are given
        assert len({m for length, m in lengths if length == n}) > 1


def test_separators_and_lengths_come_from_the_recipe() -> None:
    made = suite("map{synonyms[eng]}", separator=True, shortest=3, longest=3)
    for row in split(made, "test"):
        assert row.input.count(" # ") == 2
        assert row.targets.canonical().count(" # ") == 2
    assert "'#'" in next(iter(made.tasks.values())).instruction.definition


def test_test_sequences_of_unseen_words() -> None:
    made = suite("map{synonyms[eng]}", sequence_words="apart", train=200, test=50)
    train, test = ({w for row in split(made, s) for w in row.details["words"]} for s in ("train", "test"))
    assert not train & test


def test_a_word_falls_to_one_split_in_all_tasks() -> None:
    found: dict[str, str] = {}
    for name in ("synonyms[eng]", "antonyms[eng]", "random{0}[eng]", "translate[spa->eng]"):
        made = suite(name, train=3000, dev=500, test=1000)
        for which in made.splits:
            for row in split(made, which):
                assert found.setdefault(row.input.casefold(), which) == which


def test_more_rows_only_add_to_fewer() -> None:
    few, many = suite("synonyms[eng]", train=20), suite("synonyms[eng]", train=200)
    assert split(many, "train")[:20] == split(few, "train")
    assert split(few, "test") == split(many, "test")


def test_answers_are_drawn_uniformly() -> None:
    rows = split(suite("hypernyms[eng]", train=4000), "train")
    places = [sorted(row.targets.answers).index(row.targets.canonical()) / len(row.targets.answers) for row in rows]
    assert 0.44 < sum(places) / len(places) < 0.52


def test_few_shot_subsets() -> None:
    full = split(suite("synonyms[eng]", train=200), "train")
    draws = [split(suite("synonyms[eng]", train=200, shots=32, shot_draw=draw), "train") for draw in range(4)]
    for rows in draws:
        assert len(rows) == 32
        assert set(inputs(rows)) < set(inputs(full))
    assert len({tuple(sorted(inputs(rows))) for rows in draws}) == 4


def test_permuted_tasks_keep_inputs_and_answers_but_not_their_pairing() -> None:
    for name in ("antonyms[eng]", "is-POS-verb[eng]"):
        plain, mixed = split(suite(name), "train"), split(suite(name, permuted=True), "train")
        assert inputs(plain) == inputs(mixed)

        def answers(rows: list[Instance]) -> Counter[Any]:
            return Counter(frozenset(getattr(r.targets, "answers", ())) or r.targets.canonical() for r in rows)

        assert answers(plain) == answers(mixed)
        assert [row.targets for row in plain] != [row.targets for row in mixed]


def test_balanced_unions_show_both_sides_equally() -> None:
    made = suite("union(random{0}[eng],antonyms[eng])", balanced=True, train=300)
    train, test = split(made, "train"), split(made, "test")
    sides = Counter(row.facets["side"] for row in train)
    assert sides["first"] == sides["second"] == 150
    for row in train:
        pool = row.details[str(row.facets["side"])]
        assert row.targets.canonical() in pool
        assert set(row.targets.answers) == {*row.details["first"], *row.details["second"]}
    assert all(row.facets["both"] and row.details["first"] and row.details["second"] for row in test)


def test_truth_values_are_in_balance() -> None:
    for size in (10, 11, 40):
        values = [row.targets.value for row in split(suite("is-POS-adverb[eng]", train=size), "train")]
        assert len(values) == size
        assert abs(2 * sum(values) - size) <= 1


def test_neighbouring_seeds_share_no_draws() -> None:
    first, second = (split(suite("map{synonyms[eng]}", seed=seed), "train") for seed in (0, 1))
    assert not set(inputs(first)) & set(inputs(second))


def test_the_published_list() -> None:
    sizes = Counter(one.table for one in published())
    assert sizes == {"Table 4": 74, "Table 6": 150, "Table 7": 205, "Table 8": 70}
    assert len(part("500")) == 499
    assert len(part("lexical")) + len(part("factual")) + len(part("random")) == 499
    assert len(part("words")) + len(part("sequences")) == 499
    assert set(PARTS) <= set(FAMILY.suites())


def test_status_names_every_task_and_its_reason() -> None:
    plan = [one for one in part("sequences") if "intersection" in short(one.expression) or one.table == "Table 8"]
    plan = [*part("lor"), *(one for one in plan if "random" not in short(one.expression))]
    verdict = TaskBuilder(plan, Engines(TaskBenchRecipe(labels="faithful", knowledge="none"), 0)).everything()
    assert [one.entry for one in verdict] == plan
    states = Counter(one.state for one in verdict)
    assert states["source missing"] == len(part("lor"))
    by_name = {one.name: one for one in reversed(verdict)}
    assert by_name["map{intersection(antonyms[eng],synonyms[eng])}"].state == "too few samples"
    assert by_name["map{synonyms[eng]}(filter{is-POS-noun[eng]})"].state == "built"
    repeated = [one for one in verdict if one.name == "filter{is-POS-noun[eng]}"]
    assert [one.state for one in repeated] == ["built", "duplicate"]
    assert all(one.reason for one in verdict if one.state != "built")


def test_duplicates_are_found_by_what_they_do() -> None:
    """What is taken away from itself leaves nothing, though no identity of the normal form says so."""
    nothing = "intersection(entailments[eng],complement(entailments[eng]))"
    plan = [PublishedTask(parse(text)) for text in ("antonyms[eng]", f"union({nothing},antonyms[eng])", nothing)]
    shop = TaskBuilder(plan, Engines(TaskBenchRecipe(labels="faithful", knowledge="none"), 0))
    assert [one.state for one in shop.everything()] == ["built", "duplicate", "too few samples"]
    assert "gives the same as antonyms[eng]" in shop.everything()[1].reason


def test_enumeration_under_the_filters_of_the_paper() -> None:
    atoms = ("synonyms[eng]", "antonyms[eng]", "translate[eng->spa]", "is-POS-noun[eng]", "is-POS-verb[eng]")
    found = [one.expression for one in compositions(atoms)]
    names = [parse(text) for text in ("union(synonyms[eng],antonyms[eng])", "land(is-POS-noun[eng],is-POS-verb[eng])")]
    assert all(sum(equal(node, name) for node in found) == 1 for name in names)
    assert not any(equal(node, parse("synonyms[spa]")) for node in found)
    assert len(found) == 2 * (4 + 2 + 1 + 1 + 2)
    with pytest.raises(UserError, match="only atoms"):
        list(compositions(("father(mother)",)))


def test_random_order_helpers() -> None:
    from random import Random

    assert first_of(range(50), 50, Random(1))[:7] == first_of(range(50), 7, Random(1))
    moved = one_cycle(list(range(20)), "key")
    assert sorted(moved) == list(range(20))
    assert all(a != b for a, b in enumerate(moved))
    assert one_cycle([1], "key") == [1]


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("atomc", {}, "did you mean 'atomic'"),
        ("father(mother", {}, "at character"),
        ("synonyms[eng]", {"train": -1}, "train: must be 0 or more"),
        ("synonyms[eng]", {"shortest": 5, "longest": 2}, "shortest <= longest"),
        ("synonyms[eng]", {"resources": "/nowhere"}, "no such folder"),
    ],
)
def test_mistakes_are_named(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as caught:
        list(open_suite(f"taskbench/{name}", options=options).rows("test", limit=1))
    assert said in str(caught.value)


def test_a_suite_without_tasks_says_why() -> None:
    with pytest.raises(UserError, match="no task of this suite can be built"):
        list(suite("father", knowledge="none").rows("test"))


@pytest.mark.parametrize("name", ["chain", "union", "land", "lor", "intersection", "filter", "map-filter", "atomic"])
def test_instructions_of_listed_tasks(name: str) -> None:
    made = suite(name, tasks=4, knowledge="world:2000", least=20)
    used = {row.input for which in made.splits for row in split(made, which)}
    for task in made.tasks.values():
        instruction = task.instruction
        assert len(instruction.definition) > 40
        assert len(instruction.positive) == 2
        assert instruction.negative
        for example in (*instruction.positive, *instruction.negative):
            assert example.input not in used or name != "atomic"
    assert len(made.tasks) <= 4


def test_examples_score_as_they_should() -> None:
    for name in EXPRESSIONS:
        made = suite(name)
        (task,) = made.tasks.values()
        shop = task_builder(name, TaskBenchRecipe(labels="faithful", least=1, knowledge="world:600"), 0)
        verdict = next(shop.verdicts())
        shown = {row.input: row.targets for row in shop.dataset(verdict).rows("example")}
        for example in task.instruction.positive:
            assert WORDS.score(example.output, shown[example.input], task).value == 1.0
        for example in task.instruction.negative:
            assert WORDS.score(example.output, shown[example.input], task).value < 1.0


HOSTILE = [
    'say "hello"', "it's", "{x} and {v}", "back\\slash\\", "מלך ישראל", "} UNION { ?x ?p ?y", '" . DROP ALL ; "',
    "a # b", "%s %(x)s", "<script>", "日本", "tab\tnew\nline", "λx. f(x)", "semi;colon", "ends with \\", "  padded  ",
]  # fmt: skip


def test_labels_of_any_kind_do_no_harm(tmp_path: Path) -> None:
    def quoted(text: str) -> str:
        marks = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
        return "".join(marks.get(mark, mark) for mark in text)

    lines = []
    for number in range(64):
        label = f"{HOSTILE[number % len(HOSTILE)]} {number}"
        entity = f"<http://www.wikidata.org/entity/Q{number + 1}>"
        lines.append(f'{entity} <http://www.w3.org/2000/01/rdf-schema#label> "{quoted(label)}"@en .')
        parent = f"<http://www.wikidata.org/entity/Q{(number * 7 + 3) % 64 + 1}>"
        lines.append(f"{entity} <http://www.wikidata.org/prop/direct/P22> {parent} .")
    path = tmp_path / "graph.nt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    for name in ("father", "father(father)", "map{union(father,father[inv])}"):
        for separator in (False, True):
            made = suite(name, knowledge=str(path), separator=separator, least=1)
            (task,) = made.tasks.values()
            assert len(task.instruction.positive) == 2
            for which in made.splits:
                for row in split(made, which):
                    assert WORDS.score(row.targets.canonical(), row.targets, task).value == 1.0
    value = HOSTILE[1] + " 1"
    predicate = f'is{{father="{value}"}}'
    truth = Engines(TaskBenchRecipe(labels="faithful", knowledge=str(path)), 0).predicate(parse(predicate))
    assert len(truth.true) == 1
