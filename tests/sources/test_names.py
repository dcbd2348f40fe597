"""Invented names: distinct, repeatable, and of nobody we know."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from taskloom.sources.names import CULTURE_NAMES, NameMaker

WORDS = ["city", "country", "family", "genus", "kind"]
GIVEN = [("team", "Asham"), ("party", "Noria"), ("product", "Olm Works"), ("taxon", "Rosa"), ("language", "Noria")]
AROUND = ["region", "river", "mountain", "lake", "island", "school", "award", "museum"]
TITLES = ["record_label", "band", "book", "film", "song", "artwork", "game", "ship"]
ALL = [
    *GIVEN,
    ("company", "sumi"),
    *(("word", kind) for kind in WORDS),
    *(("around", kind) for kind in AROUND),
    *(("title", kind) for kind in TITLES),
]


def sample(seed: int, count: int = 30) -> list[str]:
    names = NameMaker(Random(seed))
    made = [str(names.person(culture=culture)) for culture in CULTURE_NAMES for _ in range(count)]
    for method, *kind in ALL:
        made += [getattr(names, method)(*kind) for _ in range(count)]
    return made


def test_no_name_is_given_twice_even_across_kinds() -> None:
    made = sample(1, 300)
    assert len(made) == len(set(made))


def test_the_same_generator_gives_the_same_names_and_another_seed_gives_others() -> None:
    assert sample(5) == sample(5)
    shared = set(sample(5)) & set(sample(6))
    assert len(shared) < 0.1 * len(sample(5))


@pytest.mark.parametrize(("method", "kind"), [(method, kind) for method, *kind in ALL], ids=str)
def test_names_never_run_out(method: str, kind: list[str]) -> None:
    names = NameMaker(Random(0))
    made = {getattr(names, method)(*kind) for _ in range(4000)}
    assert len(made) == 4000


def test_a_family_shares_its_name_and_members_stay_apart() -> None:
    names = NameMaker(Random(2))
    people = [names.person("female", family="Caldmere", culture="albic") for _ in range(2000)]
    assert {person.family for person in people} == {"Caldmere"}
    assert len({str(person) for person in people}) == 2000


def test_gender_shows_in_the_first_name() -> None:
    names = NameMaker(Random(4))
    given = {g: {names.given(g, c) for c in CULTURE_NAMES for _ in range(300)} for g in ("female", "male")}
    both = given["female"] & given["male"]
    assert len(both) < 0.02 * (len(given["female"]) + len(given["male"]))


def test_no_name_is_that_of_a_real_entity(reference: Path) -> None:
    path = reference / "taskbench/codex_s/entity2name.en.txt"
    real = {line.split("\t")[1].strip() for line in path.read_text("utf-8").splitlines()}
    assert not real & set(sample(11, 400))
