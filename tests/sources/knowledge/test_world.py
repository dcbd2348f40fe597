"""Fictional worlds: consistent, repeatable, apart from one another, and full enough for the paper's tasks."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from drawn_worlds import DrawnWorld, default_world
from taskloom.algebra import CHAIN, LAND, UNION
from taskloom.core import UserError
from taskloom.sources.knowledge.open import open_graph
from taskloom.sources.knowledge.vocabulary import INVERSES, PREDICATES, TABLE_4_RELATIONS, describe, predicate, relation
from taskloom.sources.knowledge.world.build import chapters, whole_world
from taskloom.sources.knowledge.world.draft import CONCEPTS, WorldSettings
from taskloom.sources.knowledge.world.ledger import kept_world

spec = importlib.util.spec_from_file_location("judge", Path(__file__).with_name("judge.py"))
judge = importlib.util.module_from_spec(spec)
spec.loader.exec_module(judge)


# TASKLOOM_WORLD_PEOPLE=100000 judges a large world as well; it takes two minutes and two gigabytes.
LARGE = [(0, int(os.environ["TASKLOOM_WORLD_PEOPLE"]))] if "TASKLOOM_WORLD_PEOPLE" in os.environ else []


def lines(settings: WorldSettings) -> Iterator[str]:
    """The N-Triples of a world as they are written, chapter by chapter."""
    used: set[str] = set()
    for chapter in chapters(settings, used.__contains__):
        used.update(chapter.labels.values())
        yield from chapter.ntriples().decode().splitlines()


@cache
def default_facts() -> judge.Facts:
    """The default world as the judge reads it."""
    return judge.Facts(lines(WorldSettings()))


def test_nothing_in_the_default_world_is_impossible() -> None:
    assert judge.complaints(default_facts()) == []


@pytest.mark.parametrize(("seed", "people"), [(1, 200), (2, 200), (3, 1500), (4, 3000), *LARGE])
def test_nothing_in_a_world_is_impossible(seed: int, people: int) -> None:
    assert judge.complaints(lines(WorldSettings(seed=seed, people=people))) == []


def test_people_of_all_ages_are_alive() -> None:
    ages = judge.ages(default_facts())
    assert all(ages[decade] > 100 for decade in range(8))
    assert 0.3 < sum(ages.values()) / 12_000 < 0.6


@pytest.mark.parametrize(("predicate", "most"), [("P22", 0.6), ("P25", 0.6), ("P138", 0.65), ("P40", 0.6)])
def test_names_do_not_give_the_answer_away(predicate: str, most: float) -> None:
    assert 0.2 < judge.copied(default_facts(), predicate) < most


def test_a_world_on_disk_is_the_same_world(tmp_path: Path) -> None:
    settings = WorldSettings(seed=3, people=4500)  # two chapters
    here, kept = DrawnWorld(settings), kept_world(settings, cache=tmp_path)
    assert len(kept.store) == len(here.graph.store)
    assert kept.stand_ins == here.stand_ins
    for query in (relation("mother"), CHAIN(relation("father"), relation("creator"))):
        assert kept.words(query) == here.graph.words(query)
    again = kept_world(settings, cache=tmp_path)  # opened, not written
    assert again.word_truth(predicate("is-birthplace-la")) == here.graph.word_truth(predicate("is-birthplace-la"))
    (names,) = tmp_path.rglob("stand-ins.tsv")
    names.write_bytes(names.read_bytes().replace(b"Q", b"R", 1))
    with pytest.raises(UserError, match="changed after it was written"):
        kept_world(settings, cache=tmp_path)


def test_the_judge_finds_what_was_broken_on_purpose() -> None:
    world = DrawnWorld(WorldSettings(seed=5, people=200))
    text = world.ntriples().decode()
    dated = {line.split(" ")[0] for line in text.splitlines() if "/P569>" in line}
    fathers = (line.split(" ") for line in text.splitlines() if "/P22>" in line)
    child, _, parent, _ = next(words for words in fathers if words[0] in dated)
    assert any("wrong age" in c for c in judge.complaints(_redate(text, child, "1500-01-01")))
    assert any(
        "does not list the child" in c for c in judge.complaints(text.replace(f"{parent} <{P40}> {child} .\n", ""))
    )
    assert any(
        "dead before" in c or "lives" in c for c in judge.complaints(_redate(text, parent, "1400-01-01", death=True))
    )


def test_the_judge_finds_siblings_that_are_too_close() -> None:
    text = DrawnWorld(WorldSettings(seed=3, people=1500)).ntriples().decode()
    mothers: dict[str, list[str]] = {}
    for line in text.splitlines():
        if "/P25>" in line:
            child, _, mother, _ = line.split(" ")
            mothers.setdefault(mother, []).append(child)
    born = {line.split(" ")[0]: line.split('"')[1] for line in text.splitlines() if "/P569>" in line}
    one, other = next(c for c in mothers.values() if len(c) == 2 and set(c) <= born.keys())
    assert any("not called twins" in c for c in judge.complaints(_redate(text, one, born[other])))
    month = int(born[other][5:7])
    near = f"{born[other][:5]}{month % 12 + 1:02d}{born[other][7:]}"
    assert any("within ten months" in c for c in judge.complaints(_redate(text, one, near)))


P40 = "http://www.wikidata.org/prop/direct/P40"


def _redate(text: str, person: str, date: str, *, death: bool = False) -> str:
    name = "P570" if death else "P569"
    kept = [
        line
        for line in text.splitlines()
        if not line.startswith(f"{person} <http://www.wikidata.org/prop/direct/{name}>")
    ]
    day = "http://www.w3.org/2001/XMLSchema#date"
    return "\n".join([*kept, f'{person} <http://www.wikidata.org/prop/direct/{name}> "{date}"^^<{day}> .'])


def test_two_seeds_share_concepts_and_almost_no_names() -> None:
    one, other = (set(DrawnWorld(WorldSettings(seed=s, people=400)).labels.values()) for s in (1, 2))
    shared = (one & other) - set(CONCEPTS.values())
    assert len(shared) < 0.06 * len(one)


PUBLISHED = [
    *(relation(name) for name in TABLE_4_RELATIONS),
    *(relation(name, inverse=True) for name in INVERSES),
    CHAIN(relation("influenced by"), relation("developer")),
    CHAIN(relation("influenced by"), relation("head of state")),
    CHAIN(relation("mother"), relation("head of state")),
    CHAIN(relation("member of sports team"), relation("influenced by")),
    CHAIN(relation("position played on team"), relation("named after")),
    CHAIN(relation("named after"), relation("developer")),
    CHAIN(relation("named after"), relation("creator")),
    CHAIN(relation("record label"), relation("mother")),
    CHAIN(relation("child"), relation("owned by")),
    UNION(relation("creator"), relation("location")),
]


@pytest.mark.parametrize("query", PUBLISHED, ids=describe)
def test_the_default_world_has_enough_inputs_for_the_papers_functions(query) -> None:
    assert len(default_world().graph.words(query)) >= 100


@pytest.mark.parametrize("name", PREDICATES)
def test_the_default_world_has_enough_of_both_kinds_for_every_predicate(name: str) -> None:
    truth = default_world().graph.word_truth(predicate(name))
    assert len(truth.true) >= 100
    assert len(truth.false) >= 100


@pytest.mark.parametrize("city", ["buenosaires", "la", "london", "nyc"])
@pytest.mark.parametrize("occupation", ["actor", "politician"])
def test_the_metropolises_have_actors_and_politicians(city: str, occupation: str) -> None:
    query = LAND(predicate(f"is-occupation-{occupation}"), predicate(f"is-birthplace-{city}"))
    assert len(default_world().graph.word_truth(query).true) >= 100


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("creator", "father"),
        ("creator", "location"),
        ("member of sports team", "record label"),
        ("child", "named after"),
    ],
)
def test_unions_have_inputs_in_both_domains(left: str, right: str) -> None:
    graph = default_world().graph
    assert len(graph.function(relation(left)).keys() & graph.function(relation(right)).keys()) >= 100


def test_invented_cities_play_the_part_of_real_ones() -> None:
    graph = default_world().graph
    played = {real: graph.label(real) for real in ("Q84", "Q60", "Q65", "Q1486")}
    assert len(set(played.values())) == 4
    assert not {"London", "New York City", "Los Angeles", "Buenos Aires"} & set(played.values())
    assert describe(predicate("is-birthplace-london"), "Ada", label=graph.label) == f"Ada was born in {played['Q84']}"


def test_a_world_written_to_a_file_is_the_same_graph(tmp_path: Path) -> None:
    world = DrawnWorld(WorldSettings(seed=3, people=300))
    path = tmp_path / "world.nt"
    path.write_bytes(world.ntriples())
    copy = open_graph(str(path))
    query = LAND(predicate("is-occupation-actor"), predicate("is-birthplace-la"))
    assert copy.stand_ins == world.stand_ins
    assert copy.words(relation("mother")) == world.graph.words(relation("mother"))
    assert copy.word_truth(query) == world.graph.word_truth(query)


def test_a_world_has_a_smallest_size() -> None:
    with pytest.raises(UserError, match="at least 200"):
        open_graph("world:3")


def test_general_concepts_have_the_ids_of_wikidata(reference: Path) -> None:
    path = reference / "taskbench/codex_s/entity2name.en.txt"
    real = dict(line.split("\t") for line in path.read_text("utf-8").splitlines())
    both = CONCEPTS.keys() & real.keys()
    assert len(both) >= 40
    assert {entity: CONCEPTS[entity] for entity in both} == {entity: real[entity] for entity in both}


def test_nobody_in_a_world_is_real(reference: Path) -> None:
    path = reference / "taskbench/codex_s/entity2name.en.txt"
    real = {line.split("\t")[1] for line in path.read_text("utf-8").splitlines()}
    for seed in range(3):
        invented = set(whole_world(WorldSettings(seed=seed, people=4_000)).labels.values()) - set(CONCEPTS.values())
        assert not invented & real
