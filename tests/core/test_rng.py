from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import KeyedRandom, digest, keyed_random
from taskloom.core.rng import KeyedDigest, below, pick, sample, shuffle, spin, wheel

keys = st.recursive(
    st.one_of(st.text(max_size=8), st.integers(), st.booleans(), st.none(), st.binary(max_size=4)),
    lambda inner: st.tuples(inner, inner),
    max_leaves=4,
)


@given(st.lists(keys, max_size=4), st.lists(keys, max_size=4))
def test_different_keys_have_different_digests(first, second):
    same = [repr(part) for part in first] == [repr(part) for part in second]
    assert (digest(*first) == digest(*second)) == same


def test_parts_do_not_run_together():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest(1, 23) != digest(12, 3)
    assert digest("1") != digest(1)
    assert digest(True) != digest(1)
    assert digest(("a",), "b") != digest(("a", "b"))


def test_prefix_and_whole_key_agree():
    assert KeyedRandom("suite", 7).at("train", 3).random() == keyed_random("suite", 7, "train", 3).random()


def test_generators_of_a_prefix_are_those_of_the_standard_library():
    ours, theirs = KeyedRandom("suite", 7).at(3), keyed_random("suite", 7, 3)
    assert ours.getstate() == theirs.getstate()
    assert [ours.gauss(0, 1) for _ in range(3)] == [theirs.gauss(0, 1) for _ in range(3)]
    assert KeyedRandom("suite").at(True).random() == keyed_random("suite", True).random()
    assert KeyedRandom("suite").at(1).random() != keyed_random("suite", True).random()


@given(st.integers(0, 50), st.lists(st.tuples(st.integers(-9, 300), st.integers(0, 300)), min_size=1, max_size=9))
def test_methods_of_a_generator_draw_what_the_standard_library_draws(key, spans):
    ours, theirs = keyed_random("draws", key), Random()
    theirs.setstate(ours.getstate())
    for low, width in spans:
        assert ours.randint(low, low + width) == theirs.randint(low, low + width)
        assert ours.choice(range(width + 1)) == theirs.choice(range(width + 1))
        assert ours.gauss(low, 1) == theirs.gauss(low, 1)
    assert ours.getstate() == theirs.getstate()


def test_methods_of_a_generator_refuse_what_the_standard_library_refuses():
    drawn = keyed_random("draws")
    with pytest.raises(IndexError, match="empty"):
        drawn.choice([])
    with pytest.raises(ValueError, match="empty range"):
        drawn.randint(3, 2)
    with pytest.raises((TypeError, ValueError)):
        drawn.randint(0.5, 2)  # type: ignore[arg-type]


def test_unhashable_parts_are_refused():
    with pytest.raises(TypeError, match="float"):
        digest(1.5)  # type: ignore[arg-type]


def test_neighbouring_seeds_share_nothing():
    streams = [{keyed_random("s", seed, index).random() for index in range(200)} for seed in range(5)]
    assert len(set.union(*streams)) == 1000


def test_draws_are_the_same_in_every_process():
    """The published value of one draw: any change of encoding or seeding would redraw every suite."""
    assert keyed_random("suite", 7, "train", 0).getrandbits(64) == 5_458_368_229_279_249_524


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 2, 5, 6, 20, 21, 22, 63, 64, 85, 86, 700]), st.integers(0, 24))
def test_samples_and_shuffles_are_those_of_the_standard_library(seed, size, number):
    ours, theirs = Random(seed), Random(seed)
    items = list(range(size))
    number = min(number, size)
    assert sample(ours, items, number) == theirs.sample(items, number)
    mine, other = items[:number], items[:number]
    shuffle(ours, mine)
    theirs.shuffle(other)
    assert mine == other
    assert below(ours, size + 1) == theirs.randrange(size + 1)
    assert pick(ours, [*items, None]) == theirs.choice([*items, None])
    assert spin(ours.getrandbits, wheel([*items, size])) == theirs.choice([*items, size])
    assert ours.getstate() == theirs.getstate()


@pytest.mark.parametrize("size", [0, 1, 4, 5, 6, 20, 21, 22, 84, 85, 86, 340, 342])
@pytest.mark.parametrize("number", [0, 1, 4, 5, 6, 20, 21, 22])
def test_samples_at_the_sizes_where_the_standard_library_changes_its_way(size, number):
    for seed in range(3):
        ours, theirs = Random(seed), Random(seed)
        if number > size:
            with pytest.raises(ValueError, match="larger than population"):
                sample(ours, range(size), number)
            continue
        assert sample(ours, range(size), number) == theirs.sample(range(size), number)
        assert ours.getstate() == theirs.getstate()


@pytest.mark.parametrize("size", [1, 2, 127, 128, 254, 255])
def test_numbers_that_just_fit_a_byte(size):
    ours, theirs = Random(7), Random(7)
    assert [below(ours, size) for _ in range(50)] == [theirs.randrange(size) for _ in range(50)]


def test_digests_of_a_shared_beginning_are_those_of_the_whole_key():
    assert KeyedDigest("a", 1).of_bytes(b"xyz") == digest("a", 1, b"xyz")
    assert KeyedDigest().of_bytes(b"") == digest(b"") and len(digest()) == 16


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ((), "cae66941d9efbd404e4d88758ea67670"),
        (("ab", -3, True, None, b"x", ("y", ())), "9f1bfafb4f931897aeac9c8d29671fc1"),
        (("\ud800",), "fd70085ee5f6bf4d10e2a8b3ab6bb6bf"),
    ],
)
def test_published_digests(key, found):
    """Every suite, cache and identity rests on them."""
    assert digest(*key).hex() == found


@pytest.mark.parametrize("size", [0, 1, 2, 3, 63, 64, 65, 66, 130])
def test_shuffles_of_few_and_of_many_are_those_of_the_standard_library(size):
    for seed in range(3):
        ours, theirs = Random(seed), Random(seed)
        mine, other = list(range(size)), list(range(size))
        shuffle(ours, mine)
        theirs.shuffle(other)
        assert mine == other and ours.getstate() == theirs.getstate()


@pytest.mark.parametrize(
    ("items", "laid"),
    [("a", (1, ("a", None))), ("abc", (2, ("a", "b", "c", None))), ("abcd", (3, (*"abcd", None, None, None, None)))],
)
def test_a_wheel_draws_what_the_standard_library_chooses(items, laid):
    assert wheel(items) == laid
    ours, theirs = Random(3), Random(3)
    assert [spin(ours.getrandbits, laid) for _ in range(50)] == [theirs.choice(items) for _ in range(50)]
    assert ours.getstate() == theirs.getstate()
