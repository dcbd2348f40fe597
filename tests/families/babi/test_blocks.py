"""Blocks: rows by index, blocks in any order, no repeats, and seeds that do not meet."""

from itertools import islice

import pytest

from taskloom.core import Blocks, UserError, content_hash, input_hash, open_suite
from taskloom.families.babi.enumeration import StoryOrder, seed_offset

SUITES = (
    "task-1",
    "task-3",
    "task-19",
    "concat-t7",
    "inject-t7",
    "diverse-t7",
    "mix-t12",
    "inoculate-t7",
    "rephrase-t12",
)


def opened(name, **sizes):
    options = {"test": 1_100, "dev": 10, **sizes}
    if name.startswith("inject"):
        options |= {"train": 1_100, "originals": 500}
    return open_suite(f"babi/{name}", seed=5, options=options)


@pytest.mark.parametrize("name", SUITES)
def test_rows_by_index_and_blocks_alone(name):
    suite = opened(name)
    split = "train" if name.startswith("inject") else "test"
    blocks = suite.blocks(split)
    assert isinstance(blocks, Blocks)
    second = list(blocks.rows(1))
    rows = list(suite.rows(split))
    assert rows[1_000:] == second
    for index in (3, 1_000, 1_099):
        assert suite[split][index] == rows[index]
    if name != "rephrase-t12":
        assert len({input_hash(row.instance.input) for row in rows}) == len(rows)


def test_a_smaller_split_is_the_first_part_of_a_larger_one():
    few, many = opened("mix-t12", test=40), opened("mix-t12", test=400)
    assert list(few.rows("test")) == list(many.rows("test", limit=40))


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_short_stories_run_out_and_longer_ones_follow(split):
    """Task 1 has 10,000 beginnings; a split that needs more begins with four sentences instead of repeating two."""
    suite = open_suite("babi/task-1", options=dict.fromkeys(("train", "dev", "test"), 60_000))
    blocks = suite.blocks(split)
    seen = set()
    for number in (0, 7, 59):
        for row in blocks.rows(number):
            mark = input_hash(row.instance.input)
            assert mark not in seen
            seen.add(mark)
    lengths = [row.instance.facets["length"] for row in islice(blocks.rows(59), 50)]
    assert min(lengths) == 4
    assert min(row.instance.facets["length"] for row in islice(blocks.rows(0), 50)) == 2


@pytest.mark.parametrize("name", ["task-1", "task-4", "task-6", "task-12", "task-18"])
def test_neighbouring_seeds_share_nothing(name):
    size = 300 if name == "task-4" else 1_000
    drawn = []
    for seed in range(2):
        suite = open_suite(f"babi/{name}", seed=seed, options={"train": size, "dev": 0, "test": 0})
        drawn.append({input_hash(row.instance.input) for row in suite.rows("train")})
    assert len(drawn[0] & drawn[1]) <= 1


def test_splits_of_different_seeds_never_meet():
    one = open_suite("babi/task-4", seed=1, options={"train": 3_000, "dev": 300, "test": 300})
    two = open_suite("babi/task-4", seed=2, options={"train": 3_000, "dev": 300, "test": 300})
    train = {row.instance.input for row in one.rows("train")}
    assert not train & {row.instance.input for row in two.rows("test")}


def test_a_finite_space_says_how_many_stories_it_has():
    with pytest.raises(UserError, match=r"has [\d,]+ different stories in total"):
        open_suite("babi/task-4", options={"train": 60_000, "dev": 0, "test": 0}).draw("train")
    options = {"questions": ["where-person"], "events": ["move"], "constructs": [], "length": [1, 1], "support": [1, 1]}
    with pytest.raises(UserError, match="different questions were found"):
        list(open_suite("babi/custom", options={**options, "train": 20_000, "dev": 0, "test": 0}).rows("train"))


def test_vocabulary_reaches_the_tasks_outside_the_story_world():
    words = {"persons": {"Ada": "she", "Bo": "he", "Cy": "he", "Di": "she", "Ed": "he"},
             "places": ["hut", "barn", "mill", "well", "cave", "dock"]}  # fmt: skip
    small = {"train": 20, "dev": 0, "test": 0}
    for number, names in ((4, words["places"]), (14, words["persons"]), (16, words["persons"]), (19, words["places"])):
        suite = open_suite(f"babi/task-{number}", options={**small, "vocabulary": words})
        assert all(any(name in row.instance.input for name in names) for row in suite.rows("train"))
    with pytest.raises(UserError, match="a vocabulary does not apply"):
        open_suite("babi/task-17", options={**small, "vocabulary": words})
    with pytest.raises(UserError, match="needs 6 places"):
        open_suite("babi/task-19", options={**small, "vocabulary": {"places": ["hut", "barn", "mill"]}})
    with pytest.raises(UserError, match="in English only"):
        open_suite("babi/task-15", options={**small, "language": "de"})


def test_permutations_and_offsets():
    for size in (1, 2, 7, 100, 1_000):
        permutation = StoryOrder(size, "test")
        assert sorted(map(permutation, range(size))) == list(range(size))
    starts = [seed_offset(seed, 1_000) for seed in range(4)]
    assert min(abs(a - b) for a in starts for b in starts if a != b) > 100
    assert content_hash([StoryOrder(10**12, "k")(n) for n in range(5)]) == content_hash(
        [StoryOrder(10**12, "k")(n) for n in range(5)]
    )
