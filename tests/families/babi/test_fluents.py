"""Worlds of any sorts: what they mean is judged by programs that share no code with them."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from families.babi.world_judges import faults
from taskloom import UserError, open_suite
from taskloom.cli.main import main
from taskloom.core.catalog import lattice_of
from taskloom.families.babi.fluent_records import shipped
from taskloom.families.babi.fluent_suites import WorldSource

WORLDS = ("minds", "containers", "space")


@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize("world", WORLDS)
def test_independent_judges_agree(world, code):
    suite = open_suite(f"babi/{world}", seed=11, options={"language": code, "train": 0, "dev": 0, "test": 40})
    found = {row.instance.id: wrong for row in suite.rows("test") if (wrong := faults(world, code, row))}
    assert not found


@pytest.mark.parametrize("world", WORLDS)
def test_judges_notice_wrong_answers_and_supports(world):
    rows = list(open_suite(f"babi/{world}", seed=2, options={"train": 0, "dev": 0, "test": 40}).rows("test"))
    row = next(row for row in rows if len(row.instance.details["support"]) > 1)
    less = row.instance.details["support"][1:]
    more = [*row.instance.details["support"], next(n for n in range(1, 20) if n not in row.instance.details["support"])]
    same = [each.instance.targets for each in rows if each.task == row.task]
    other = next(targets for targets in same if targets != row.instance.targets)
    assert faults(world, "en", row._replace(instance=replace(row.instance, details={"support": less})))
    assert faults(world, "en", row._replace(instance=replace(row.instance, details={"support": more})))
    assert faults(world, "en", row._replace(instance=replace(row.instance, targets=other)))


@pytest.mark.parametrize("world", WORLDS)
def test_a_world_is_a_recipe_of_at_most_eighty_lines(world):
    folder = Path(__file__).parents[3] / "src/taskloom/families/babi/fluent_worlds"
    assert len((folder / f"{world}.toml").read_text("utf-8").splitlines()) <= 80


@pytest.mark.parametrize("world", [*WORLDS, "workshop"])
def test_every_sentence_is_read_as_what_it_tells(world):
    source = WorldSource(shipped(world), world)
    for code, texts in source.texts.items():
        rows = open_suite(f"babi/{world}", options={"language": code, "train": 8, "dev": 0, "test": 0}).rows("train")
        for row in rows:
            story = row.instance.parts["story"].split("\n")
            readings = [texts.read(line) for line in story]
            assert all(len(found) == 1 for found in readings), story


def test_languages_tell_the_same_stories():
    english, german = (
        open_suite("babi/minds", options={"language": code, "train": 20, "dev": 0, "test": 0}).rows("train")
        for code in ("en", "de")
    )
    for one, other in zip(english, german, strict=True):
        assert one.instance.details == other.instance.details
        assert one.instance.facets["composition"] == other.instance.facets["composition"]


def test_splits_share_no_story():
    suite = open_suite("babi/space", options={"train": 60, "dev": 30, "test": 60})
    beginnings = [
        {re.sub(r"\b(is|stands)\b", "", "\n".join(row.instance.input.split("\n")[:2])) for row in suite.rows(split)}
        for split in suite.splits
    ]
    assert not (beginnings[0] & beginnings[1] or beginnings[0] & beginnings[2] or beginnings[1] & beginnings[2])


def test_the_hours_of_the_workshop_add_up():
    length = {"one": 1, "two": 2, "three": 3}
    suite = open_suite("babi/workshop", options={"train": 60, "dev": 0, "test": 0})
    asked = 0
    for row in suite.rows("train"):
        if row.task != "hours":
            continue
        *story, question = row.instance.input.split("\n")
        who = re.search(r"has (\w+) worked", question)[1]
        own = [line for line in story if re.search(rf"\b{who}\b", line)]
        took = [re.search(r"altogether (\w+) hour|all in all (\w+) hour|^In (three) hours", line) for line in own]
        hours = sum(length[next(filter(None, each.groups()))] if each else 1 for each in took)
        assert str(hours) in row.instance.targets.answers
        assert len(row.instance.details["support"]) == len(own)
        asked += 1
    assert asked > 5


def test_marks_take_turns_and_cells_stream():
    suite = open_suite("babi/minds", options={"train": 60, "dev": 0, "test": 0})
    rows = [row for row in suite.rows("train") if row.task == "belief"]
    share = sum("false-belief" in row.instance.facets["constructs"] for row in rows) / len(rows)
    assert 0.4 < share < 0.6
    lattice = lattice_of(suite)
    cell = next(cell for cell in lattice.cells if cell.question == "belief" and "false-belief" in cell.atoms)
    for row in islice(lattice.stream(cell, 3), 4):
        assert lattice.cell_of(suite.tasks[row.task], row.instance) == cell
        assert not faults("minds", "en", row)


OWN = """
suite: babi/workshop
recipe:
  train: 6
  dev: 0
  test: 0
  length: [5, 5]
  support: [1, 3]
  sorts: {cat: [Minka, Tiger, Felix], pool: [river, lake, pond]}
  fluents: {swims: {of: [cat], value: pool}}
  events:
    jump: {roles: {cat: cat, pool: pool}, text: {en: "{cat} jumped into the {pool}."}, sets: ["swims[cat] = pool"]}
    follow:
      roles: {cat: cat, other: cat}
      text: {en: "{cat} followed {other}."}
      needs: known(swims[other])
      sets: ["swims[cat] = swims[other]"]
  questions:
    where: {roles: {cat: cat}, text: {en: "Where is {cat}?"}, answer: "swims[cat]", ask: {en: Answer with the pool.}}
  about: {en: Cats swim where they jumped in.}
  cases: {}
  words: {}
"""


def test_a_world_of_ones_own_is_a_recipe(tmp_path, capsys):
    (tmp_path / "cats.yaml").write_text(OWN, "utf-8")
    assert main(["show", str(tmp_path / "cats.yaml"), "--n", "2"]) == 0
    assert re.search(r"(jumped into|followed)", capsys.readouterr().out)


SAME = {
    "events.jump.text": {"en": "{cat} followed the {pool}."},
    "events.follow.text": {"en": "{cat} followed the {other}."},
    "sorts": {"cat": ["Minka", "lake"], "pool": ["lake", "pond"]},
}
NEVER = {
    "support": [3, 3],
    "length": [3, 3],
    "events.follow.needs": "known(swims[other]) and swims[cat] == swims[other]",
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (SAME, "two readings"),
        ({"events.jump.text": {"en": "{cat} jumped."}}, "gap: the event 'jump' does not say 'pool'"),
        ({"events.follow.needs": "swims[other] == 'moon'"}, "gap: the event 'follow' never happens"),
        ({"events.jump.sets": ["swims[cat] = pool", "swims[cat] = river"]}, "contradictory: swims"),
        ({"events.jump.sets": ["swims[cat] = puddle"]}, "names 'puddle'"),
        ({"events.jump.sets": ["swim[cat] = pool"]}, "the fluent 'swim'"),
        ({"events.jump.sets": ["swims[cat, pool] = pool"]}, "has 1 arguments, not 2"),
        ({"events.jump.sets": ["swims[cat] = __import__('os')"]}, "there is no function"),
        ({"events.jump.needs": "cat.name == pool"}, "is not an expression of worlds"),
        ({"questions.where.answer": "swims[cat] == known"}, "names 'known'"),
        ({"language": "fr"}, "no texts in 'fr'"),
        ({"support": [5, 2]}, "support runs from 5 to 2"),
        (NEVER, "no where with a support"),
    ],
)
def test_worlds_that_cannot_be_read_are_refused(tmp_path, change, said):
    import yaml

    data = yaml.safe_load(OWN)
    for key, value in change.items():
        place = data["recipe"]
        *path, last = key.split(".")
        for part in path:
            place = place[part]
        place[last] = value
    with pytest.raises(UserError) as caught:
        list(open_suite("babi/workshop", options=data["recipe"]).rows("train"))
    assert said in str(caught.value)


REALIST = '''
import re
import taskloom
from taskloom.core import Recipe as NoOptions
from taskloom.core.model import Identity, Model, Output, Provider
from families.babi.world_judges import minds


class Realist(Model):
    """Follows everything that happens and answers every question with where the thing really is."""

    identity = Identity("planted/realist")

    def generate(self, requests, generation):
        answers = []
        for request in requests:
            *story, asked = request.instance.input.split("\\n")
            thing = re.search(r"the (\\w+) is|is the (\\w+) really", asked)
            answers.append(Output(minds(story, f"Where is the {thing[1] or thing[2]} really?")))
        return answers


class Planted(Provider):
    def names(self):
        return {"realist": "answers with reality"}

    def options(self, name):
        return NoOptions()

    def open(self, name, options):
        return Realist()


taskloom.register("model.planted", Planted())
'''


@pytest.mark.proof
def test_a_model_that_answers_with_reality_is_found_out(tmp_path, capsys, own_registries):
    (tmp_path / "realist.py").write_text(REALIST, "utf-8")
    words = ["probe", "babi/minds", "--model", "planted/realist", "--with", str(tmp_path / "realist.py")]
    assert main([*words, "--budget", "150", "--json", "-o", str(tmp_path / "probe")]) == 0
    claims = msgspec.json.decode(capsys.readouterr().out)["claims"]
    assert claims
    assert all("false-belief" in str(claim) for claim in claims)
