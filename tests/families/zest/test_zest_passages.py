"""How passages are drawn: what they state, in which order, and under which names."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from random import Random

import pytest
from benchmarks.zest_audit import contradictions

from taskloom.families.zest.derive import PlannedTask
from taskloom.families.zest.discourse import register
from taskloom.families.zest.domain import DOMAINS, Domain, load_domain
from taskloom.families.zest.generate import Generator
from taskloom.families.zest.naming import Namer, name_at, name_beside, name_count
from taskloom.families.zest.recipe import FictionalRecipe
from taskloom.families.zest.units import DrawnPassage


@cache
def generator() -> Generator:
    return Generator(FictionalRecipe(train=120, dev=0, test=120, passages=4, surplus=0), 5)


@cache
def drawn() -> list[tuple[PlannedTask, DrawnPassage]]:
    made = generator()
    tasks = [(split, task) for split in ("train", "test") for task in made.splits[split]]
    return [(task, made.passage(task, "split", split, at)) for split, task in tasks for at in range(4)]


def test_the_class_of_an_answer_is_that_of_the_answer() -> None:
    seen = set()
    for task, passage in drawn():
        answer = task.question.answer(passage.values, passage.said)
        assert answer is not None and task.question.kind(passage.values) == answer.kind, task.name
        seen.add((type(task.question).__name__, answer.kind))
    kinds = {"Ask", "Proposition", "Conditional", "Logic", "RecordQuestion", "PairQuestion", "WhichRows"}
    assert {name for name, _ in seen} >= kinds
    assert len(seen) > 15


def test_no_passage_contradicts_itself_in_what_it_means_to_say() -> None:
    others = 0
    for task, passage in drawn():
        assert not contradictions(load_domain(task.domain), passage.statements), passage.text
        others += bool(passage.also)
    assert others > len(drawn()) / 2


def test_years_are_told_in_their_order() -> None:
    seen = 0
    for task, passage in drawn():
        domain, names = load_domain(task.domain), list(passage.values)
        for later, earlier in domain.dated:
            if later in names and earlier in names:
                seen += 1
                assert names.index(earlier) < names.index(later), passage.text
    assert seen > 20


def test_words_are_counted_as_a_reader_counts_them() -> None:
    for _, passage in drawn():
        assert passage.words == len(passage.text.split())


def test_a_passage_does_not_depend_on_those_drawn_before_it() -> None:
    fresh, (task, first) = Generator(generator().recipe, 5), drawn()[6]
    assert fresh.passage(fresh.planned[task.name], "split", "train", 2).text == first.text


def test_what_is_denied_takes_the_article_of_what_holds() -> None:
    """\"A former watermill, not post office\"."""
    museums = load_domain("museums")
    assert {form.denies for form in museums.attributes["building"].forms[0] if form.text.endswith("{v}")} == {"a {}"}
    assert {form.denies for form in museums.attributes["closed"].forms[0] if form.text.endswith("{v}")} == {"{}"}


def test_a_denied_number_is_written_like_the_one_that_holds() -> None:
    """\"Fifty-one kilometres, not 52 kilometres\"; \"5,490 m, not 5,493 metres\"."""
    seen = 0
    for _, passage in drawn():
        for held, unit, denied in re.findall(
            r"(\S+) (metres|m|kilometres|km|guests|days)(?:, not| as| and not) (\S+)", passage.text
        ):
            seen += 1
            assert held[0].isdigit() == denied[0].isdigit(), passage.text
            assert f"{denied} {unit}" not in passage.text
    assert seen


def test_words_that_add_or_contrast_are_true() -> None:
    """Not "It is closed to dogs. In addition, it has a café.", nor "… was accepted in 1928. Moreover, it barks."."""
    seen: Counter[str] = Counter()
    for task, passage in drawn():
        domain = load_domain(task.domain)
        words = register(domain.register)
        for number, sentence in enumerate(passage.sentences):
            for relation, starts in (("added", words.added), ("contrast", words.contrast)):
                if sentence.lower().startswith(starts):
                    seen[relation] += 1
                    one, two = (_stated_in(passage, at)[0] for at in (number - 1, number))
                    assert domain.topic_of[one] == domain.topic_of[two], passage.text
                    assert _contrasts(passage, domain, [one, two]) == (relation == "contrast"), passage.text
            flags = [name for name in _stated_in(passage, number) if domain.attributes[name].kind == "flag"]
            if len(flags) == 2 and re.search(r"\b(?:but|though|although|on the other hand|nevertheless)\b", sentence):
                seen["joined"] += 1
    assert seen["added"] > 5 and seen["contrast"] and seen["joined"] > 20, seen


def _contrasts(passage: DrawnPassage, domain: Domain, names: list[str]) -> bool:
    stances = {name: domain.attributes[name].stance for name in names}
    told = {passage.values[name] is (stance == "welcome") for name, stance in stances.items() if stance != "neutral"}
    return len(told) > 1


def test_facts_share_a_sentence_only_where_they_belong_together() -> None:
    """\"It can be entered for seven crowns and came into being in 1987\"."""
    shared: Counter[int] = Counter()
    for task, passage in drawn():
        domain = load_domain(task.domain)
        for number in range(len(passage.sentences)):
            stated = _stated_in(passage, number)
            shared[len(stated)] += 1
            if not all(domain.attributes[name].role for name in stated):
                assert len({domain.topic_of[name] for name in stated}) <= 1, passage.sentences[number]
    assert shared[2] > 200 and shared[3] > 30, shared


def test_a_text_goes_from_topic_to_topic() -> None:
    for task, passage in drawn():
        topics = [load_domain(task.domain).topic_of[name] for name in passage.values]
        assert topics == sorted(topics), passage.text


def test_a_pronoun_is_no_subject_that_is_described() -> None:
    """\"It, which first let people in during 1904, is led by X today\"."""
    assert not [passage.text for _, passage in drawn() if re.search(r"(?:^|\. )(?:It|She|He), ", passage.text)]


def _stated_in(passage: DrawnPassage, number: int) -> list[str]:
    return [name for name, at in passage.evidence.items() if at == (number,)]


@pytest.mark.parametrize("domain", DOMAINS)
def test_nobody_in_office_and_no_enemy_has_a_street(domain: str) -> None:
    """\"A street is called after X. Its name recalls the person who now signs the programme.\"."""
    for name, attribute in load_domain(domain).attributes.items():
        living = attribute.role.startswith("now ") or "against" in attribute.role
        assert not (living and attribute.honoured), name
    honouring = [
        passage.text
        for task, passage in drawn()
        if task.domain == domain
        and re.search(
            r"(?:plaque|street|signpost|praise)[^.]*\. [^.]*(?: now | against the gate|visitors leave)",
            passage.text,
        )
    ]
    assert not honouring


def test_an_event_is_told_once() -> None:
    """\"It was then that the first traffic rolled across. 54 years after the first traffic rolled across, …\"."""
    for task, passage in drawn():
        for attribute in load_domain(task.domain).attributes.values():
            if attribute.kind == "year":
                assert passage.text.count(attribute.event) <= 1, passage.text


@pytest.mark.parametrize("domain", DOMAINS)
def test_another_entity_comes_from_the_same_country(domain: str) -> None:
    """\"Takazawa Bottom, the neighbouring reserve\", beside Norgate Bottom."""
    loaded = load_domain(domain)
    for number in range(0, name_count(loaded), name_count(loaded) // 60):
        named = name_at(loaded, number)
        other = name_beside(named, Random(number))
        assert other.culture == named.culture and other.name != named.name
        assert not other.word or other.word[:4] not in (named.word[:4], named.town[:4])


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_two_names_of_a_passage_begin_alike(domain: str) -> None:
    loaded = load_domain(domain)
    for seed, number in enumerate(range(0, name_count(loaded), name_count(loaded) // 20)):
        one = name_at(loaded, number)
        other = name_beside(one, Random(seed))
        namer = Namer(Random(seed), one, other)
        taken = {name[:4] for name in (one.word, one.town, other.word, other.town)}
        people = [part for _ in range(4) for part in namer.person().split()]
        names = [*people, *(namer.place() for _ in range(12))]
        assert len({*taken, *(name[:4] for name in names)}) == len(taken) + len(names)


def test_names_are_all_taken_before_any_comes_again() -> None:
    made = generator()
    line = made._line(made.splits["train"][0].name, "example", "example")
    size = len(line.numbers)
    assert {line.number(index) for index in range(size)} == set(line.numbers)


def test_every_number_is_another_pair_of_a_name_and_a_town() -> None:
    ships = load_domain("ships")
    count = name_count(ships)
    pairs = {(one.name, one.culture, one.town) for one in (name_at(ships, n) for n in range(0, count, 7))}
    assert len(pairs) == len(range(0, count, 7))
    with pytest.raises(IndexError):
        name_at(ships, count)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_forty_tasks_reach_every_domain(seed: int) -> None:
    made = Generator(FictionalRecipe(train=40, dev=0, test=40), seed)
    for split in ("train", "test"):
        assert {task.domain for task in made.splits[split]} == set(DOMAINS)


def test_no_motif_of_a_frame_comes_twice() -> None:
    """\"The year 1538 has a place in every local history. … Every local history has a page on X.\""""
    for _, passage in drawn():
        for motif in ("local histor", "plaque in", "town hall. The writer", "guide books,"):
            assert passage.text.lower().count(motif) <= 1, passage.text


def test_tasks_that_share_passages_share_examples_and_ask_for_the_same_ones() -> None:
    made = Generator(FictionalRecipe(), 1)
    readers: dict[str, list[PlannedTask]] = {}
    for task in made.planned.values():
        readers.setdefault(task.passages, []).append(task)
    shared = [tasks for tasks in readers.values() if len(tasks) > 1]
    assert len(shared) > 200
    for tasks in shared:
        assert len({made.split_of[task.name] for task in tasks}) == 1
        assert all(task.planned_for is tasks[0].planned_for and task.domain == tasks[0].domain for task in tasks)
    for first, *others in shared[::40]:
        examples = made.describe(first).instruction
        for task in others:
            alone = Generator(made.recipe, 1).describe(task)
            assert made.describe(task) == alone
            passages = [one.input.rpartition("\n\n")[0] for one in alone.instruction.positive]
            assert passages == [one.input.rpartition("\n\n")[0] for one in examples.positive]
