from __future__ import annotations

import dataclasses
from functools import partial
from itertools import pairwise

import pytest

import taskloom
from taskloom.author import Blueprint, Item, task
from taskloom.author.shares import Shares, fresh_items
from taskloom.core import (
    AnyOf,
    Boolean,
    Items,
    Permutation,
    Product,
    Shuffle,
    Structure,
    Suite,
    UserError,
    input_hash,
    keyed_random,
)


@task(
    definition="You are given a sum of two whole numbers. Work it out and write the result in digits.",
    right=[("1 + 1", 2, "One and one are two.")],
    wrong=[("1 + 1", 11, "The digits were joined, not added.")],
    columns={"carry": bool},
)
def addition(rng):
    a, b = rng.randint(10, 99), rng.randint(10, 99)
    return f"{a} + {b}", a + b, {"carry": a % 10 + b % 10 > 9}


@task(
    definition="Say which number is written here; the answer is the number itself, in digits and nothing else.",
    right=[("number -1", "-1", "It is written there.")],
    keys=5000,
)
def keyed(rng, key):
    return f"number {key}", str(key)


def test_a_suite_of_tasks_has_disjoint_splits_without_repeats():
    suite = Suite.of([addition, keyed], seed=4, train=400, dev=50, test=200)
    seen: set[tuple[str, bytes]] = set()
    total = 0
    for split in suite.splits:
        rows = list(suite.rows(split))
        assert len(rows) == suite.splits[split] == len(suite[split])
        seen |= {(row.task, input_hash(row.instance.input)) for row in rows}
        total += len(rows)
    assert len(seen) == total == 2 * 650


def test_rows_are_found_by_index_in_any_order():
    suite = Suite.of([addition, keyed], train=1500, test=7)
    rows = list(suite.rows("train"))
    for index in (2999, 0, 999, 1000, 1499, 1500, 2500):
        assert suite["train"][index] == rows[index]
    assert len({row.instance.input for row in rows}) == 3000


def test_seeds_draw_different_items():
    first, second = ({row.instance.input for row in Suite.of([keyed], seed=seed, test=50)["test"]} for seed in (0, 1))
    assert len(first & second) < 10


def test_all_keys_can_be_used_and_no_more():
    suite = Suite.of([keyed], train=3500, test=1500)
    inputs = [row.instance.input for split in suite.splits for row in suite.rows(split)]
    assert sorted(inputs) == sorted(f"number {key}" for key in range(5000))
    with pytest.raises(UserError, match=r"5,000 different items, not 5,001"):
        list(Suite.of([keyed], train=3500, test=1501).rows("train"))


def test_a_small_space_says_how_much_it_has():
    tiny = dataclasses.replace(addition, name="tiny", make=lambda rng: (f"{rng.randint(1, 5)} + 1", 2), columns={})
    with pytest.raises(UserError, match=r"only \d of 50 different items"):
        list(Suite.of([tiny], test=50).rows("test"))


def test_endless_splits_need_keys():
    endless = Suite.of([keyed], train=None, test=10)
    train = endless["train"][0:1500]
    assert len({row.instance.input for row in train}) == 1500
    assert not {row.instance.input for row in train} & {row.instance.input for row in endless.rows("test")}
    with pytest.raises(UserError, match="no keys"):
        Suite.of([addition], train=None)


@pytest.mark.parametrize("blueprint", [addition, keyed], ids=["hash", "keys"])
def test_fresh_items_are_in_no_split(blueprint):
    suite = Suite.of([blueprint], seed=2, train=200, test=100)
    asked = {row.instance.input for split in suite.splits for row in suite.rows(split)}
    shares = Shares({"train": 200, "test": 100})
    fresh = [item.input for item, _ in zip(fresh_items(blueprint, shares, 2, 9), range(50), strict=False)]
    assert len(set(fresh)) == 50
    assert not asked & set(fresh)


def test_answers_as_authors_write_them():
    def kind(answer, **settings):
        return Blueprint(lambda rng: "x", name="t", definition="…", right=[("x", answer, "y")], **settings)

    assert kind(3).task.kind == "number"
    assert kind(True).task.labels == ("yes", "no")
    assert kind(True, labels=("true", "false")).targets(False) == Boolean(False, ("true", "false"))
    assert kind(["a", "b"]).targets(["a", "b"]).answers == ("a", "b")
    assert kind(Items((("a",),))).task.scorer == "items"


@pytest.mark.parametrize(
    ("settings", "kind", "scorer", "labels"),
    [
        ({"right": [("x", 3, "y")]}, "number", "number", ()),
        ({"right": [("x", 0.5, "y")]}, "number", "number", ()),
        ({"right": [("x", True, "y")]}, "boolean", "label", ("yes", "no")),
        ({"right": [("x", Boolean(True), "y")]}, "boolean", "label", ("yes", "no")),
        ({"right": [("x", Items((("a",),)), "y")]}, "items", "items", ()),
        ({"right": [("x", Structure(("{}",)), "y")]}, "json", "structure", ()),
        ({"right": [("x", "three", "y")]}, "text", "exact", ()),
        ({"right": []}, "text", "exact", ()),
        ({"right": [("x", "why")], "solve": lambda text: 3}, "text", "exact", ()),
        ({"right": [("x", 3, "y")], "labels": ("3", "4")}, "label", "label", ("3", "4")),
        ({"right": [("x", 3, "y")], "kind": "text"}, "text", "exact", ()),
        ({"right": [("x", 3, "y")], "scorer": "rouge-l"}, "number", "rouge-l", ()),
        ({"kind": "boolean", "labels": ("true", "false")}, "boolean", "label", ("true", "false")),
    ],
)
def test_kind_and_scorer_follow_from_the_examples(settings, kind, scorer, labels):
    made = Blueprint(lambda rng: "x", name="t", definition="…", **settings).task
    assert (made.kind, made.scorer, made.labels) == (kind, scorer, labels)


def test_answers_become_targets():
    made = Blueprint(lambda rng: "x", name="t", definition="…", labels=("a", "b", "c"))
    assert made.targets(True) == Boolean(True, ("yes", "no")), "three labels are no two words"
    assert made.targets(1.5) == made.targets("1.5") == made.targets(("1.5", 1.5)) == AnyOf(("1.5",))
    for target in (AnyOf(("a",)), Boolean(False), Items((("a",),)), Product((("a",),)), Structure(("{}",))):
        assert made.targets(target) is target


def test_the_languages_of_a_task():
    def languages(**settings):
        facets = Blueprint(lambda rng: "x", name="t", category="Counting", definition="…", **settings).task.facets
        return [facets[name] for name in ("language", "output_language", "instruction_language")]

    assert languages() == ["English"] * 3
    assert languages(language="German") == ["German", "German", "English"]
    assert languages(output_language="French") == ["English", "French", "English"]
    assert languages(language="German", output_language="French", instruction_language="Dutch") == [
        "German", "French", "Dutch",
    ]  # fmt: skip
    made = Blueprint(
        lambda rng: "x",
        name="t",
        category="Counting",
        definition="…",
        facets={"skill": "sums", "family": "mine"},
        version="3",
    ).task
    assert made.facets["category"] == "Counting" and made.facets["skill"] == "sums"
    assert (made.facets["family"], made.version) == ("mine", "3")


def test_a_task_needs_a_name():
    decorate = task(definition="…")
    with pytest.raises(UserError, match="a task needs a name"):
        decorate(lambda rng: "x")
    assert task(definition="…", name="mine")(lambda rng: "x").name == "mine"
    with pytest.raises(UserError, match="a task needs a name"):
        decorate(partial(lambda rng: "x"))
    plain = decorate(keyed.make)
    assert (plain.name, plain.category, plain.version, plain.columns) == ("keyed", "Misc.", "1", None)
    assert (plain.balanced, plain.keys, plain.facets, plain.solve) == (False, None, {}, None)


def test_facets_are_found_among_sixteen_items():
    def at(number):
        drawn = iter(range(100))
        return Blueprint(lambda rng: ("x", 1, {"rare": 1} if next(drawn) == number else {}), name="t", definition="…")

    assert at(15).column_types == {"rare": int}
    assert at(16).column_types == {}
    keys = []
    keyed = Blueprint(lambda rng, key: keys.append(key) or ("x", 1), name="t", definition="…", keys=5)
    assert keyed.column_types == {}
    assert keys == [number % 5 for number in range(16)]


def test_makers_are_called_with_a_key_where_they_have_keys():
    rng = keyed_random(0)
    assert keyed.draw(rng).input == "number 0" and keyed.draw(rng, 7).input == "number 7"
    assert Blueprint(lambda given: (str(given is rng), 1), name="t", definition="…").draw(rng, 7).input == "True"


def test_what_a_blueprint_leaves_out():
    made = Blueprint(lambda rng: "x", name="t", definition="…")
    assert (made.balanced, made.keys, made.labels, made.columns, made.facets) == (False, None, (), None, {})


def test_how_a_blueprint_looks():
    assert repr(keyed) == f"<Blueprint keyed: {keyed.definition[:59] + '…'!r}>"
    assert keyed._repr_html_() == keyed.task._repr_html_()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda rng: 7, "not an item"),
        (lambda rng: "only a question", "no solver"),
        (lambda rng: ("a", "b", {"length": 1}), "no column"),
    ],
)
def test_makers_that_return_nonsense_are_named(make, words):
    with pytest.raises(UserError, match=words):
        Blueprint(make, name="t", definition="…", columns={}).draw(keyed_random(0))


def test_a_solver_can_be_added_and_answers():
    @task(definition="Write the word backwards.", right=[("ab", "b comes first.")])
    def backwards(rng):
        return Item("".join(rng.choices("abcdef", k=5)))

    @backwards.solver
    def _(text):
        return text[::-1]

    assert _("ab") == "ba", "the function itself stays"
    assert backwards.instruction.positive[0].output == "ba"
    row = Suite.of([backwards], test=3)["test"][0]
    assert row.instance.targets.canonical() == row.instance.input[::-1]


@pytest.mark.parametrize("kind", [Permutation, Shuffle])
def test_a_permutation_is_one_to_one_and_keyed(kind):
    for size in (1, 2, 3, 5, 10, 1000, 1025):
        assert sorted(kind(size, 1)(n) for n in range(size)) == list(range(size))
    assert [kind(1000, 1)(n) for n in range(9)] != [kind(1000, 2)(n) for n in range(9)]
    with pytest.raises(IndexError):
        kind(10, 1)(10)


def test_a_shuffle_spreads_neighbours_evenly():
    moved = [Shuffle(10_000, "spread")(n) for n in range(1_000)]
    assert all(60 < sum(low <= place < low + 1_000 for place in moved) < 150 for low in range(0, 10_000, 1_000))
    assert sum(abs(one - two) < 100 for one, two in pairwise(moved)) < 40


FILE = """
import taskloom

@taskloom.task(definition="Write the word of four letters in capitals, please.", right=[("ab", "AB", "In capitals.")])
def capitals(rng):
    word = "".join(rng.choices("abcdefghijkl", k=4))
    return word, word.upper()
"""


def test_a_python_file_is_a_suite(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    suite = taskloom.open_suite(path, seed=3, options={"test": 5, "train": 0})
    assert suite.name == "mine"
    assert dict(suite.splits) == {"test": 5}
    assert [row.instance.input.upper() for row in suite.rows("test")] == [
        row.instance.targets.canonical() for row in suite.rows("test")
    ]
    path.write_text(FILE + "\nsuite = taskloom.Suite.of([capitals], seed=8, test=4)\n")
    suite = taskloom.open_suite(path)
    assert (suite.seed, dict(suite.splits)) == (8, {"test": 4})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(:\n", "mine.py:1"),
        ("import taskloom\nx = 1 / 0\n", "mine.py:2: ZeroDivisionError"),
        ("x = 1\n", "defines no task"),
    ],
)
def test_broken_files_are_named_with_their_line(tmp_path, text, words):
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        taskloom.open_suite(path)
    assert words in str(error.value)


def test_no_recipe_runs_code(tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('it ran')\n")
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(f"suite: {tmp_path / 'mine.py'}\n")
    with pytest.raises(UserError, match="Python code"):
        taskloom.open_suite(recipe)


def test_own_task_in_twelve_lines(tmp_path):
    code = [
        "import taskloom",
        "@taskloom.task(",
        '    definition="Add the two numbers and write the sum in digits.",',
        '    right=[("1 + 1", 2, "One and one are two.")],',
        '    wrong=[("1 + 1", 11, "The digits were joined, not added.")],',
        ")",
        "def addition(rng):",
        "    a, b = rng.randint(10, 99), rng.randint(10, 99)",
        '    return f"{a} + {b}", a + b',
        "suite = taskloom.Suite.of([addition], train=50, test=20)",
        f'run = taskloom.run_suite(suite, model="mock/oracle", folder=r"{tmp_path / "run"}")',
        "print(run.overall().estimate)",
    ]
    assert len(code) <= 12
    scope: dict[str, object] = {}
    exec("\n".join(code), scope)
    assert scope["run"].overall().estimate.value == 1.0  # type: ignore[attr-defined]


def test_examples_become_an_instruction():
    made = Blueprint(
        lambda rng: "x", name="t", definition="Say it.", solve=lambda text: [text.upper(), "other"],
        right=[("a", "because"), ("b", [2, 3], "for")], wrong=[("c", True, "no")],
    )  # fmt: skip
    shown = made.instruction
    assert shown.definition == "Say it."
    positive, negative = (
        [(one.input, one.output, one.explanation) for one in examples] for examples in (shown.positive, shown.negative)
    )
    assert positive == [("a", "A", "because"), ("b", "2", "for")] and negative == [("c", "yes", "no")]
