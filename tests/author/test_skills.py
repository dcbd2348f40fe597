"""Skills: cells, order, fresh items of exactly one cell, by request or by rejection; splits by an author's rule."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest

import taskloom
from taskloom.core import Cell, Suite, UserError
from taskloom.core.catalog import lattice_of
from taskloom.core.instance import input_hash


def carries(a: int, b: int) -> bool:
    return a % 10 + b % 10 > 9


@taskloom.task(definition="Add the two numbers.", right=[("1 + 1", 2, "Two.")])
def addition(rng):
    a, b = rng.randint(0, 99), rng.randint(0, 99)
    needs = {"carry"} if carries(a, b) else set()
    return f"{a} + {b}", a + b, needs | ({"three-digit"} if a + b > 99 else set())


@taskloom.task(
    definition="Subtract.",
    skills={"negative": lambda item: item.answer < 0, "zero": lambda item: item.input.endswith("- 0")},
    columns={},
)
def subtraction(rng):
    a, b = rng.randint(0, 30), rng.randint(0, 30)
    return f"{a} - {b}", a - b


def _needs(text: str) -> set[str]:
    a, b = map(int, text.split(" + "))
    return {name for name, holds in (("carry", carries(a, b)), ("three-digit", a + b > 99)) if holds}


def test_sets_of_skills_are_the_cells_and_inclusion_orders_them():
    lattice = lattice_of(Suite.of([addition], train=50, test=50))
    names = [(), ("carry",), ("carry", "three-digit"), ("three-digit",)]
    assert list(lattice.cells) == [Cell("addition", atoms) for atoms in names]
    assert set(lattice.parts(lattice.cells[2])) == {lattice.cells[1], lattice.cells[3]}
    assert lattice.parts(lattice.cells[1]) == (lattice.cells[0],) and lattice.parts(lattice.cells[0]) == ()


def test_every_item_carries_its_skills_and_its_cell_follows():
    suite = Suite.of([addition, subtraction], test=80)
    lattice = lattice_of(suite)
    assert suite.facets["skills"] is tuple
    for name, instance in suite.rows("test"):
        if name == "addition":
            assert set(instance.facets["skills"]) == _needs(instance.input)
        cell = lattice.cell_of(suite.tasks[name], instance)
        assert cell == Cell(name, tuple(sorted(instance.facets["skills"])))
    assert {cell.question for cell in lattice.cells} == {"addition", "subtraction"}


def test_streams_hold_fresh_items_of_exactly_their_cell_and_repeat():
    suite = Suite.of([addition, subtraction], train=200, test=100, seed=4)
    lattice = lattice_of(suite)
    owned = {input_hash(row.instance.input) for split in suite.splits for row in suite.rows(split)}
    for cell in lattice.cells:
        if cell.question == "addition":
            rows = list(islice(lattice.stream(cell, 7), 20))
            assert {tuple(sorted(_needs(row.instance.input))) for row in rows} == {cell.atoms}
            assert not owned & {input_hash(row.instance.input) for row in rows}
            assert len({row.instance.input for row in rows}) == 20
            assert rows == list(islice(lattice.stream(cell, 7), 20)) != list(islice(lattice.stream(cell, 8), 20))


def test_makers_that_take_requests_are_asked_and_others_are_drawn_until_they_fit():
    asked: Counter[frozenset[str] | None] = Counter()

    @taskloom.task(definition="Say it.")
    def rare(rng, skills):
        asked[skills] += 1
        wanted = {"rare"} if rng.random() < 0.002 and skills is None else skills or set()
        return f"{rng.random()}", "yes", set(wanted)

    lattice = lattice_of(Suite.of([rare], test=20))
    assert list(lattice.cells) == [Cell("rare", ()), Cell("rare", ("rare",))]
    asked.clear()
    unseen = Cell("rare", ("rare", "unseen"))
    rows = list(islice(lattice.stream(unseen, 0), 10))
    assert {row.instance.facets["skills"] for row in rows} == {unseen.atoms}
    assert set(asked) == {frozenset(unseen.atoms)} and asked.total() < 1_500
    with pytest.raises(UserError, match="makes items that need exactly addition: dates"):
        lattice_of(Suite.of([addition], test=20)).stream(Cell("addition", ("dates",)), 0)


def test_skills_of_whole_tasks_are_compared_with_each_other():
    short = subtraction.renamed("short", skills=("read",), make=lambda rng: (f"{rng.random()}", 1))
    long = subtraction.renamed("long", skills={"read", "count"}, make=lambda rng: (f"{rng.random()}", 1))
    suite = Suite.of([short, long], train=5, test=5)
    lattice = lattice_of(suite)
    assert list(lattice.cells) == [Cell("", ("count", "read")), Cell("", ("read",))]
    assert lattice.parts(lattice.cells[0]) == (lattice.cells[1],)
    assert suite.tasks["long"].facets["skills"] == ("count", "read") and "skills" not in suite.facets
    assert next(lattice.stream(lattice.cells[0], 0)).task == "long"


def test_without_skills_the_error_shows_five_lines_that_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain = addition.renamed("plain", make=lambda rng: (f"{rng.random()}", 1))
    with pytest.raises(UserError, match="names skills") as caught:
        lattice_of(Suite.of([plain], test=5, name="mine"))
    lines = [line[4:] for line in caught.value.hint.splitlines()[1:]]
    assert len(lines) <= 5
    (tmp_path / "mine.py").write_text("import taskloom\n" + "\n".join(lines))
    assert len(lattice_of(taskloom.open_suite("mine.py")).cells) == 2


@pytest.mark.parametrize("wrong", ["carry", {"a+b"}, [1], {""}, 3, {"a: b"}])
def test_skills_that_are_no_names_are_refused(wrong):
    with pytest.raises(UserError, match="skills are a set of names"):
        addition.renamed("t", make=lambda rng: taskloom.Item("a", "b", skills=wrong)).draw(Random(0))


def test_a_rule_that_raises_is_named_with_its_task():
    broken = addition.renamed("t", make=lambda rng: ("a", "b"), skills={"x": lambda item: item.nothing}, columns={})
    with pytest.raises(UserError, match="task t: the skill 'x' raises AttributeError"):
        broken.draw(Random(0))


# An author's rule for splits


def even(item) -> str | None:
    number = int(item.input)
    return None if number % 7 == 0 else "train" if number % 2 == 0 else "test"


@taskloom.task(definition="Halve it.", keys=100, split=even, right=[("4", 2, "Half."), ("9", 4.5, "Half.")])
def half(rng, key):
    return taskloom.Item(f"{key}", key / 2, skills={"tens"} if key > 9 else set(), copies=3 if key == 6 else 1)


def test_a_rule_divides_all_keys_and_copies_are_numbered():
    suite = Suite.of([half], train=None, test=None, seed=3)
    train = [int(row.instance.input) for row in suite.rows("train")]
    assert sorted(set(train)) == [n for n in range(0, 100, 2) if n % 7] and train.count(6) == 3
    test = sorted(int(row.instance.input) for row in suite.rows("test"))
    assert test == [n for n in range(1, 100, 2) if n % 7 and n != 9], "an example is not asked"
    assert dict(suite.splits) == {"train": len(train), "test": len(test)}
    assert sorted(row.instance.details.get("copy", 0) for row in suite.rows("train") if row.instance.input == "6") == [
        0, 1, 2]  # fmt: skip
    assert [row.instance.id for row in suite["train"][3:5]] == ["train-3", "train-4"]
    assert train != sorted(train) != [int(row.instance.input) for row in Suite.of([half], train=None).rows("train")]


def test_streams_prefer_what_no_split_owns_and_never_take_from_training():
    whole = lattice_of(Suite.of([half], train=None, test=None))
    tens = Cell("half", ("tens",))
    rows = list(islice(whole.stream(tens, 0), 10))
    assert all(int(row.instance.input) % 7 == 0 for row in rows)
    some = lattice_of(Suite.of([half], train=10, test=None))
    taken = {row.instance.input for row in islice(some.stream(tens, 0), 30)}
    assert any(int(text) % 2 == 0 and int(text) % 7 for text in taken), "what training leaves over is fresh"
    all_ruled = half.renamed("all", split=lambda item: "train" if int(item.input) < 50 else "test")
    suite = Suite.of([all_ruled], train=None, test=None)
    asked = lattice_of(suite).stream(Cell("all", ("tens",)), 1)
    assert {int(row.instance.input) >= 50 for row in islice(asked, 40)} == {True}
    with pytest.raises(UserError, match="need exactly all: the plain task"):
        next(lattice_of(suite).stream(Cell("all", ()), 1))


def test_a_rule_without_keys_replaces_the_hash():
    ruled = addition.renamed("ruled", split=lambda item: "test" if item.answer.canonical() > "5" else "train")
    suite = Suite.of([ruled], train=150, test=50)
    assert all(row.instance.targets.canonical() > "5" for row in suite.rows("test"))
    assert not any(row.instance.targets.canonical() > "5" for row in suite.rows("train"))
    stream = lattice_of(suite).stream(Cell("ruled", ("carry",)), 0)
    fresh = {row.instance.input for row in islice(stream, 30)}
    assert not fresh & {row.instance.input for split in suite.splits for row in suite.rows(split)}


@pytest.mark.parametrize(
    ("change", "sizes", "words"),
    [
        ({"split": lambda item: "trian"}, {"test": None}, "did you mean 'train'"),
        ({"split": lambda item: 1 / 0}, {"test": None}, "the split rule raises ZeroDivisionError"),
        ({}, {"train": 500}, "gives 44 items to split 'train', not 500"),
    ],
)
def test_rules_that_do_not_work_are_refused(change, sizes, words):
    with pytest.raises(UserError, match=words):
        dict(Suite.of([half.renamed("half", **change)], **sizes).splits)


def test_a_bundle_of_own_tasks_is_searched_by_its_own_test_rows(tmp_path):
    made = Suite.of([addition], train=50, test=300)
    taskloom.write_bundle(made, tmp_path / "bundle")
    suite = taskloom.open_suite(str(tmp_path / "bundle"))
    lattice = lattice_of(suite)
    counts = Counter(lattice_of(made).cell_of(made.tasks[row.task], row.instance) for row in made.rows("test"))
    assert set(lattice.cells) == {cell for cell, count in counts.items() if count >= 20}
    tested = {row.instance.input for row in made.rows("test")}
    for cell in lattice.cells:
        with pytest.raises(UserError, match=rf"{counts[cell]} items of .*, and all were drawn"):
            rows = []
            for row in lattice.stream(cell, 1):
                rows.append(row)
        inputs = [row.instance.input for row in rows]
        assert len(set(inputs)) == counts[cell] and set(inputs) <= tested
        assert {lattice.cell_of(suite.tasks[row.task], row.instance) for row in rows} == {cell}


def test_a_bundle_with_few_rows_says_what_can_be_probed_instead(tmp_path):
    taskloom.write_bundle(Suite.of([addition], train=5, test=10), tmp_path / "bundle")
    with pytest.raises(UserError, match=r"no combination of skills has 20 items in split 'test'.*rows alone"):
        lattice_of(taskloom.open_suite(str(tmp_path / "bundle")))
