"""Suites of functions: the same bytes, splits that share nothing, rows by index, and what is refused."""

from __future__ import annotations

import contextlib

import pytest

import taskloom
from taskloom.author import compose, shares
from taskloom.author.compose import BlueprintBlocks, portion_of
from taskloom.author.shares import FRESH, Shares, fresh_items
from taskloom.core import AnyOf, Suite, UserError, row_hash
from taskloom.core.instance import content_hash, input_hash


@taskloom.task(definition="Add.", right=[("1 + 1", 2, "Two.")], wrong=[("2 + 2", 5, "Four.")])
def addition(rng):
    a, b = rng.randint(0, 99), rng.randint(0, 99)
    return f"{a} + {b}", a + b


@taskloom.task(definition="Square.", keys=5_000, right=[("0", 0, "Zero.")], columns={"size": int})
def square(rng, key):
    return f"{key}", key * key, {"size": len(str(key))}


@taskloom.task(definition="Odd or even?", labels=("odd", "even"), keys=900, balanced=True)
def parity(rng, key):
    return f"number {key}", "even" if key % 2 == 0 else "odd"


@taskloom.task(definition="Small or large?", labels=("small", "large"), balanced=True)
def size(rng):
    value = rng.randrange(10_000)
    return f"{value}", "small" if value < 2_500 else "large"


def bytes_of(suite: Suite, limit: int = 40) -> str:
    """A short digest of the first rows of every split."""
    rows = {name: [row_hash(row.task, row.instance) for row in suite.rows(name, limit=limit)] for name in suite.splits}
    return content_hash(rows)[:12]


@pytest.mark.parametrize(
    ("tasks", "sizes", "digest"),
    [
        ([addition], {"train": 30, "test": 20}, "6d34eff4561d"),
        ([addition], {"test": 2_500}, "e429676965b4"),
        ([square], {"train": 30, "dev": 5, "test": 20}, "9e0318e1e6a6"),
        ([square], {"train": None, "test": 20}, "ecd06a5a8f74"),
        ([parity, size], {"train": 30, "test": 20}, "d2eec40d5eb4"),
        ([square, addition], {"test": 10}, "9724ec4e00f1"),
    ],
)
def test_bytes_stay_the_same(tasks, sizes, digest):
    """A suite that somebody wrote with an earlier version must not change under their hands."""
    assert bytes_of(Suite.of(tasks, seed=3, **sizes)) == digest


@pytest.mark.parametrize("one", [addition, square, parity, size], ids=lambda one: one.name)
def test_splits_and_streams_share_no_input(one):
    sizes = {"train": 120, "dev": 30, "test": 60}
    suite = Suite.of([one], seed=5, **sizes)
    owned = {split: [row.instance.input for row in suite.rows(split)] for split in sizes}
    stream = fresh_items(one, Shares(sizes), 5, stream=1)
    owned["fresh"] = [item.input for item, _ in zip(stream, range(50), strict=False)]
    everything = [text for texts in owned.values() for text in texts]
    assert {split: len(texts) for split, texts in owned.items()} == {**sizes, "fresh": 50}
    assert len(set(everything)) == len(everything)


def test_examples_are_never_asked():
    shown = {"0"}
    suite = Suite.of([square], seed=1, test=4_900)
    assert shown.isdisjoint(row.instance.input for row in suite.rows("test"))


@pytest.mark.parametrize(("one", "count"), [(parity, 200), (size, 200), (size, 1_100)])
def test_labels_are_balanced_in_every_block(one, count):
    suite = Suite.of([one], seed=2, test=count)
    answers = [row.instance.targets.canonical() for row in suite.rows("test")]
    for start in range(0, count, 1_000):
        block = answers[start : start + 1_000]
        for label in one.labels:
            assert abs(block.count(label) - len(block) / 2) <= 1


@pytest.mark.parametrize("tasks", [[square, parity], [square]], ids=["two tasks", "one task"])
def test_a_row_by_its_index_is_the_row_of_iteration(tasks):
    shares = Shares({"train": 47, "test": 23})
    for split in shares.sizes:
        blocks = BlueprintBlocks(tasks, split, shares, seed=4, block=10)
        rows = list(blocks)
        assert len(rows) == blocks.size
        assert [blocks.row(index) for index in range(len(rows))] == rows
        assert [number for number, _ in map(blocks.locate, range(len(rows)))] == sorted(
            number for number in blocks.numbers() for _ in blocks.rows(number)
        )
        for beyond in (-1, len(rows)):
            with pytest.raises(IndexError):
                blocks.locate(beyond)


def test_blocks_of_a_task_without_keys_share_nothing_and_cost_no_neighbour():
    blocks = BlueprintBlocks([addition], "test", Shares({"test": 60}), seed=4, unkeyed=20)
    rows = list(blocks)
    assert len({row.instance.input for row in rows}) == 60
    assert list(blocks.rows(2)) == rows[40:]
    assert blocks.row(45) == rows[45]


def test_an_item_without_keys_costs_one_draw_however_many_rows_there_are():
    drawn = []

    def make(rng):
        drawn.append(rng)
        return f"{rng.randrange(10**12)}", 1

    many = addition.renamed("many", make=make, columns={})
    blocks = BlueprintBlocks([many, square], "test", Shares({"test": 4_500}), seed=4)
    assert [blocks.task_of(number) for number in blocks.numbers()] == ["many", *["square"] * 5]
    drawn.clear()
    assert len({row.instance.input for row in blocks.of_task("many")}) == 4_500
    assert len(drawn) < 1.1 * 4_500, "those of the class that streams own are drawn again, one in 64"
    assert blocks.locate(4_499) == (0, 4_499) and blocks.locate(4_500) == (1, 0)
    assert blocks.locate(8_999) == (5, 499)


def test_more_rows_than_one_block_holds_share_nothing():
    blocks = BlueprintBlocks([addition, square], "test", Shares({"test": 70}), seed=4, block=40, unkeyed=50)
    assert list(blocks.numbers()) == [0, 1, 2, 3]
    rows = list(blocks)
    assert len({(row.task, row.instance.input) for row in rows}) == 140
    assert [blocks.row(index) for index in (0, 49, 50, 69, 70, 139)] == [rows[i] for i in (0, 49, 50, 69, 70, 139)]


def test_an_endless_split_takes_the_tasks_in_turns_and_has_no_length():
    suite = Suite.of([square, parity], seed=1, test=None)
    blocks = BlueprintBlocks([square, parity], "test", Shares({"test": None}), seed=1, block=10)
    assert blocks.endless
    assert [next(iter(blocks.rows(number))).task for number in range(4)] == ["square", "parity", "square", "parity"]
    assert blocks.row(25) == list(blocks.rows(2))[5]
    with pytest.raises(UserError, match="no known length"):
        len(suite["test"])


def test_shares_cover_every_hash_once_and_leave_one_class_free():
    shares = Shares({"train": 1_000, "dev": 1, "test": None})
    owned = [place for classes in shares.classes.values() for place in classes]
    assert owned == list(range(64))
    assert all(len(classes) >= 1 for classes in shares.classes.values())
    assert len(shares.classes["train"]) == len(shares.classes["test"]) > 20 * len(shares.classes["dev"])
    hashed = input_hash("anything")
    place = int.from_bytes(hashed[:8], "big") % 64
    assert place in shares.classes[shares.owner(hashed)]


def test_keys_are_divided_without_rest_or_overlap():
    shares = Shares({"train": 30, "dev": 10, "test": None})
    ranges = [shares.keys(split, 1_000, "x") for split in ("train", "dev", "test", FRESH)]
    assert [place for keys in ranges for place in keys] == list(range(1_000))
    assert len(ranges[0]) - 30 == len(ranges[1]) - 10 == len(ranges[2]) / 2
    assert Shares({"a": 3, "b": 2}).keys("b", 5, "x") == range(3, 5)
    with pytest.raises(UserError, match="there are 39 different items, not 40"):
        shares.keys("train", 39, "x")


def test_a_stream_of_keys_ends_and_never_shows_an_example():
    shares = Shares({"test": 4_000})
    items = [item.input for item in fresh_items(square, shares, 1, stream=2)]
    assert len(items) == len(set(items)) == len(shares.keys(FRESH, 5_000, "x")) - items.count("0")
    assert "0" not in items
    assert items != [item.input for item in fresh_items(square, shares, 1, stream=3)]


def test_a_stream_gives_up_after_so_many_draws_in_vain(monkeypatch):
    monkeypatch.setattr(shares, "MOST_DRAWS", 200)
    drawn = []

    def few(rng):
        drawn.append(rng)
        return f"{rng.randrange(40)}", 1

    items = list(fresh_items(addition.renamed("few", make=few), Shares({"test": 1}), 1, stream=0))
    last = len(drawn)
    assert 0 < len(items) < 40 and len({item.input for item in items}) == len(items)
    monkeypatch.setattr(shares, "MOST_DRAWS", 250)
    drawn.clear()
    assert len(list(fresh_items(addition.renamed("few", make=few), Shares({"test": 1}), 1, stream=0))) == len(items)
    assert len(drawn) == last + 50


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Suite.of([addition, addition], test=5), "two tasks are called 'addition'"),
        (lambda: Suite.of([], test=5), "a suite needs tasks"),
        (lambda: Suite.of([addition], test=0), "a suite needs splits"),
        (lambda: Suite.of([addition], test=-1), "a suite needs splits"),
        (lambda: Suite.of([addition], train=-1, test=5), "a suite needs splits"),
        (lambda: Suite.of([print], test=5), "is not a task"),
        (lambda: Suite.of([addition], test=None), "has no keys to keep its items apart"),
        (lambda: list(Suite.of([parity], test=901).rows("test")), "there are 900 different items, not 901"),
        (lambda: list(Suite.of([size.renamed("few", make=lambda rng: ("one", "small"))], test=3).rows("test")), "of 3"),
    ],
)
def test_what_cannot_be_made_is_refused(make, words):
    with pytest.raises(UserError, match=words):
        make()


def test_identity_follows_source_options_seed_and_rows():
    one = Suite.of([square], seed=1, test=5)
    assert one.identity == Suite.of([square], seed=1, test=5).identity
    others = [
        Suite.of([square], seed=2, test=5),
        Suite.of([square], seed=1, test=6),
        Suite.of([square], seed=1, dev=5),
        Suite.of([parity], seed=1, test=5),
        Suite.of([square.renamed("square", make=lambda rng, key: (f"{key}", key))], seed=1, test=5),
    ]
    assert len({suite.identity for suite in [one, *others]}) == 6


def test_two_tasks_cannot_give_a_column_two_types():
    other = square.renamed("other", columns={"size": str})
    with pytest.raises(UserError, match="declare the column 'size' with different types"):
        Suite.of([square, other], test=5)


def test_a_task_of_another_split_has_no_rows():
    blocks = BlueprintBlocks([square], "test", Shares({"test": 5}), seed=1)
    assert list(blocks.numbers_of("parity")) == []
    assert list(blocks.of_task("parity")) == []
    assert len(list(blocks.of_task("square"))) == 5


@pytest.mark.parametrize(("size", "number", "task"), [(2_500, 0, "add"), (2_500, 2, "add"), (2_500, 3, "square")])
def test_a_block_knows_its_task(size, number, task):
    blocks = BlueprintBlocks([addition.renamed("add"), square], "test", Shares({"test": size}), 3, unkeyed=1_000)
    assert blocks.task_of(number) == task
    assert [one for one in range(6) if blocks.task_of(one) == task] == list(blocks.numbers_of(task))


def test_a_block_of_an_endless_split_knows_its_task():
    blocks = BlueprintBlocks([parity, square], "train", Shares({"train": None}), 3)
    assert [blocks.task_of(number) for number in range(4)] == ["parity", "square"] * 2
    numbers = blocks.numbers_of("square")
    assert [next(numbers) for _ in range(3)] == [1, 3, 5]


def test_shares_by_hand():
    classes = Shares({"train": 1, "test": 3}).classes
    assert classes == {"train": range(16), "test": range(16, 62), FRESH: range(62, 64)}, "61 free classes, one to three"
    assert Shares({"train": None, "test": 5}).classes["train"] == range(31), "an endless split counts as the largest"
    assert Shares({"train": None}).classes == {"train": range(63), FRESH: range(63, 64)}
    assert Shares({"train": None, "test": 1}).classes["train"] == range(31), "and as one where the others have one"
    assert Shares({"train": 0, "test": 1}).classes["train"] == range(31), "an empty split has its share"
    assert Shares({}).classes == {FRESH: range(64)}


@pytest.mark.parametrize(("size", "owned"), [(25, 100), (30, 30), (21, 22)])
def test_portions_of_a_split_lie_side_by_side(size, owned):
    parts = -(-size // 10)
    portions = [portion_of(range(7, 7 + owned), part, 10, size, 0) for part in range(parts)]
    assert [place for portion in portions for place in portion] == list(range(7, 7 + owned))
    assert all(len(portion) >= min(10, size - 10 * part) for part, portion in enumerate(portions))
    assert max(map(len, portions)) - min(map(len, portions[:-1])) <= 10 + owned - size
    endless = [portion_of(range(100), part, 10, None, 3) for part in range(2)]
    assert endless == [range(13), range(13, 26)], "room for three examples that are passed over"


def test_patience_grows_with_the_blocks():
    @taskloom.task(definition="Rarely new.", right=[("same", "x", "The example.")])
    def rare(rng):
        return ("same", "x") if rng.randrange(900) else (f"n {rng.randrange(10**6)}", "y")

    blocks = BlueprintBlocks([rare], "test", Shares({"test": 3}), seed=4, unkeyed=1)
    found = [row.instance.input for number in blocks.numbers() for row in blocks.rows(number)]
    assert len(set(found)) == 3 and "same" not in found


def test_identity_follows_the_source_even_where_rows_agree():
    @taskloom.task(definition="Say it.", keys=5)
    def one(rng, key):
        return f"{key}", key

    @taskloom.task(definition="Say it.", keys=5)
    def other(rng, key):
        # Another way to the same rows.
        return str(key), key

    first, second = (Suite.of([made.renamed("say")], seed=1, test=3) for made in (one, other))
    assert bytes_of(first) == bytes_of(second) and first.identity != second.identity


def draws_of(blocks: BlueprintBlocks, number: int = 0) -> list[str]:
    """The inputs of a block, as many as there are before an error."""
    found = []
    with contextlib.suppress(UserError):
        found.extend(row.instance.input for row in blocks.rows(number))
    return found


@pytest.mark.parametrize(("block", "blocks"), [(10, 1), (5, 2), (4, 3)])
def test_a_block_gives_up_after_so_many_draws_in_vain(monkeypatch, block, blocks):
    """As many as allowed for each block of the split, and one; every find starts the count anew."""
    monkeypatch.setattr(compose, "MOST_ATTEMPTS", 7)
    drawn = []

    def make(rng):
        drawn.append(rng)
        return "example", 1

    same = addition.renamed("same", make=make, right=[("example", 1, "It is.")], columns={})
    assert draws_of(BlueprintBlocks([same], "test", Shares({"test": 10}), 0, unkeyed=block)) == []
    assert len(drawn) == 7 * blocks + 1


def test_two_thousand_draws_in_vain_are_enough():
    """By hash, and by key in an endless split, where each find starts the count anew."""
    drawn = []

    def make(rng, key=0):
        drawn.append(key)
        return ("first" if len(drawn) == 5 else "example"), 1

    same = addition.renamed("same", make=make, right=[("example", 1, "It is.")], columns={})
    draws_of(BlueprintBlocks([same], "test", Shares({"test": 10}), 0))
    assert len(drawn) in (2_001, 5 + 2_001), "whoever owns the fifth"
    drawn.clear()
    keyed = same.renamed("same", keys=100_000)
    assert draws_of(BlueprintBlocks([keyed], "train", Shares({"train": None}), 0, 9_000)) == ["first"]
    assert len(drawn) == 5 + 2_001


def test_a_stream_counts_its_draws_in_vain_anew_after_each_find(monkeypatch):
    monkeypatch.setattr(shares, "MOST_DRAWS", 128)
    owned = Shares({"test": 1})
    free = next(text for text in map(str, range(9_999)) if owned.owner(input_hash(text)) == FRESH)
    drawn = []

    def make(rng):
        drawn.append(rng)
        return (free if len(drawn) == 3 else "example"), 1

    same = addition.renamed("same", make=make, right=[("example", 1, "It is.")], columns={})
    assert [item.input for item in fresh_items(same, owned, 0, 0)] == [free]
    assert len(drawn) == 3 + 64 * 2 + 1


@taskloom.task(definition="Heads or tails?", labels=("heads", "tails"), keys=10_000, balanced=True, columns={})
def coin(rng, key):
    return f"throw {key}", rng.choice(["heads", "tails"])


def test_where_chance_decides_a_label_a_key_is_drawn_again():
    suite = Suite.of([coin], seed=1, test=60)
    answers = [row.instance.targets.canonical() for row in suite.rows("test")]
    assert answers.count("heads") == 30
    assert bytes_of(suite) == "52172da0c552"
    seen = []

    def always(rng, key):
        seen.append((key, rng.random()))
        return f"throw {key}", "heads"

    made = draws_of(BlueprintBlocks([coin.renamed("coin", make=always)], "test", Shares({"test": 4}), 0))
    assert len(made) == 4, "a label that never comes is not waited for"
    tries = [len([key for key, _ in seen if f"throw {key}" == text]) for text in made]
    assert tries == [1, 1, 13, 13], "twelve more where the share of heads is used up"
    assert len({draw for _, draw in seen}) == 2 * 1 + 2 * 13


def test_a_label_is_refused_until_no_other_comes(monkeypatch):
    monkeypatch.setattr(compose, "PATIENCE", 3)
    one_sided = size.renamed("size", make=lambda rng: (f"{rng.random()}", "small"))
    assert len(draws_of(BlueprintBlocks([one_sided], "test", Shares({"test": 4}), 0))) == 4
    quota = compose.Quota(2, 3, 10)
    small, large, other = (compose.Item("x", AnyOf((label,))) for label in ("small", "large", "other"))
    for item in (small, small):
        assert quota.takes(item) and quota.has_room(item)
        quota.count(item)
    assert not quota.has_room(small) and quota.has_room(large) and quota.has_room(other)
    assert [quota.takes(small) for _ in range(7)] == [False] * 6 + [True], "three times for each label"
    quota.count(small)
    assert quota.takes(small), "still no hope"
    quota.count(large)
    assert [quota.takes(small) for _ in range(7)] == [False] * 6 + [True], "there is hope again"
    quota.patient = False
    assert quota.takes(small)


@pytest.mark.parametrize("settings", [{"balanced": False}, {"labels": ()}])
def test_labels_that_need_no_balance_are_all_taken(settings):
    leaning = size.renamed("size", make=lambda rng: (f"{rng.random()}", "small" if rng.random() < 0.9 else "large"))
    rows = Suite.of([leaning.renamed("size", **settings)], test=40)["test"]
    assert sum(row.instance.targets.canonical() == "small" for row in rows) > 30
    balanced = Suite.of([leaning], test=40)["test"]
    assert sum(row.instance.targets.canonical() == "small" for row in balanced) == 20


def test_shares_of_labels_begin_anew_with_every_stretch():
    quota = compose.Quota(2, 6, 4)
    small, large = (compose.Item("x", AnyOf((label,))) for label in ("small", "large"))
    for item, room in ((small, True), (small, False), (large, False), (large, True), (small, False)):
        quota.count(item)
        assert quota.has_room(small) == room, "two of four, then one of the last two"


def test_a_suite_takes_examples_from_its_training_rows_alone():
    assert Suite.of([addition], train=3, test=3).pool == "train"
    assert Suite.of([addition], test=3).pool is None
    suite = Suite.of([square, addition], test=3)
    assert (suite.seed, suite.name, suite.apart, dict(suite.splits)) == (0, "own", "pairs", {"test": 6})
    assert suite.recipe == {"tasks": ["square", "addition"], "test": 3}
    assert compose.compose([square], sizes={"test": 3}).seed == 0


CHANGED: set[str] = set()


def test_the_identity_covers_a_thousand_rows_of_a_split():
    """What a maker takes from its module does not show in its source, so the rows are looked at."""

    def make(rng, key):
        return f"{key}", "changed" if f"{key}" in CHANGED else "as it was"

    def suite() -> Suite:
        return Suite.of([square.renamed("say", make=make, columns={})], seed=1, test=1_001)

    rows = [row.instance.input for row in suite().rows("test")]
    before = suite().identity
    for place, same in ((999, False), (1_000, True)):
        CHANGED.add(rows[place])
        assert (suite().identity == before) == same
        CHANGED.clear()


def test_a_block_has_a_thousand_rows_with_keys_and_fifty_thousand_without():
    blocks = BlueprintBlocks([square, addition], "test", Shares({"test": 1_500}), 0)
    assert [blocks.locate(index) for index in (999, 1_000, 1_499, 1_500)] == [(0, 999), (1, 0), (1, 499), (2, 0)]
    blocks = BlueprintBlocks([addition], "test", Shares({"test": 60_000}), 0)
    assert [blocks.locate(index) for index in (49_999, 50_000)] == [(0, 49_999), (1, 0)]


def test_a_label_is_refused_two_hundred_times_for_each_label():
    quota, small = compose.Quota(2, 2, 10), compose.Item("x", AnyOf(("small",)))
    quota.count(small)
    assert [quota.takes(small) for _ in range(401)] == [False] * 400 + [True]


def test_a_split_may_have_one_row():
    assert [row.task for row in Suite.of([square], test=1).rows("test")] == ["square"]
