"""Composed tasks beside their parts, and features of tasks."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.algebra import atoms, facet
from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf, open_suite
from taskloom.families.taskbench.language import parse, short
from taskloom.run.record import Record
from taskloom.run.session import RunSettings
from taskloom.studies.frame import Frame, Observation
from taskloom.studies.grid import Arm
from taskloom.studies.taskbench.compose import COMPOSE, composed_points, features_of, listed
from taskloom.studies.taskbench.memory import MASS, MEMORISE


def _asked(task, score, operator="atomic", parts=(), prompt="dog", separated=False):
    arm = Arm(
        factors={"model": "m", "paradigm": "full", "expression asked": task, "separated": separated},
        suite=f"taskbench/{task}",
        run=RunSettings(model="m"),
    )
    reading = ScoredReading("a", score, "", {})
    record = Record(task=task, id="0", state="scored", strict=reading, scorer="exact", raw="", raw_length=0,
                    targets=AnyOf(("a",)), prompt=prompt, prompt_hash="")  # fmt: skip
    return Observation(arm, record, score, {"operator": operator, "derives_from": parts, "language": "eng"})


def test_parts_are_found_whatever_their_names_are_written_with():
    frame = Frame(
        [
            _asked("named after", 0.2),
            _asked("translate[eng->spa]", 0.6),
            _asked("union(named after, translate[eng->spa])", 0.3, "union", ("named_after", "translate[eng-spa]")),
            _asked("union(named after, child)", 0.9, "union", ("named_after", "child")),
        ]
    )
    ((key, points),) = composed_points(frame).items()
    assert key == ("m", "full", "union")
    # The other union has a part that was not asked by itself.
    assert points == [("union(named after, translate[eng->spa])", pytest.approx(0.4), 0.3)]


def test_sequences_with_separators_have_a_line_of_their_own_beside_the_printed_one():
    frame = Frame(
        [
            _asked("child", 0.2),
            _asked("father", 0.6),
            *(_asked(f"map{{{atom}}}", 0.1, "map", (atom,)) for atom in ("child", "father")),
            *(_asked(f"map{{{atom}}}", score, "map", (atom,), separated=True)
              for atom, score in (("child", 0.5), ("father", 0.7))),
            _asked("child(father)", 0.3, "chain", ("child", "father")),
        ]
    )  # fmt: skip
    found = composed_points(frame)
    assert found["m", "full", "map"] == [("map{child}", 0.2, 0.1), ("map{father}", 0.6, 0.1)]
    assert found["m", "full", "map with separators"] == [("map{child}", 0.2, 0.5), ("map{father}", 0.6, 0.7)]
    table = COMPOSE.analyse(_renamed(frame, "full fine-tuning"), COMPOSE.scales["paper"]).tables[1]
    printed = {row[2]: row[-2:] for row in table.rows}
    assert printed == {"map": (0.15, 0.03), "map with separators": (0.49, 0.17), "chain": (1.27, 0.56)}


def _renamed(frame, paradigm):
    arms = [msgspec.structs.replace(one.arm, factors={**one.arm.factors, "paradigm": paradigm}) for one in frame]
    return Frame([one._replace(arm=arm) for one, arm in zip(frame, arms, strict=True)])


def test_common_words_count_as_frequent():
    common, rare, unknown = (
        features_of(Frame([_asked("synonyms[eng]", 1.0, prompt=word)]))["word frequency"]
        for word in ("time", "sturdy", "xyzzyq")
    )
    assert common > rare > unknown


def test_separators_are_told_apart_and_only_sequences_have_them():
    recipe = COMPOSE.scales["paper"]
    both = [arm for arm in COMPOSE.grid(recipe, 0) if arm.options.get("separator")]
    assert both
    assert {facet(parse(arm.suite.removeprefix("taskbench/"))) for arm in both} == {"map"}
    assert all(arm.factors["separated"] for arm in both)


def test_every_pair_of_relations_at_paper_scale_is_a_union_of_the_language():
    """Of all pairs on the same kind of words, 319 share at least 100 inputs; suites without any are left out."""
    paper = MASS.scales["paper"]
    unions = paper.unions()
    assert len({name for name, *_ in unions}) == len(unions) > 319
    suite = open_suite("taskbench/distribution", options={"labels": "faithful"})
    assert len(suite.tasks) == 319
    assert set(suite.tasks) <= {name for name, *_ in unions}
    assert {arm.options["labels"] for arm in MASS.grid(paper, 0)} == {"faithful"}


def test_the_papers_scale_has_every_operator_of_table_3_and_all_parts():
    paper = COMPOSE.scales["paper"]
    known = set(listed(paper.atoms, "atomic"))
    expressions = [parse(task) for task in paper.tasks() if task not in known]
    assert {name: sum(facet(node) == name for node in expressions) for name in ("map", "map-filter")} == {
        "map": 205,
        "map-filter": 63,
    }
    operators = {"chain", "union", "intersection", "land", "lor", "map", "filter", "map-filter"}
    assert {facet(node) for node in expressions} == operators
    wanted = {short(atom) for node in expressions for atom in atoms(node)}
    # Table 7 maps a relation that Table 4 does not list.
    assert wanted - {short(parse(task)) for task in known} == {"subclass_of"}
    assert len(known) == 74


def test_every_atom_of_the_paper_is_memorised_at_its_scale():
    tasks = MEMORISE.scales["paper"].tasks
    assert {kind: len(listed(found, kind)) for kind, found in tasks.items()} == {
        "lexical": 17, "factual": 53, "random": 4,
    }  # fmt: skip


def test_sequences_are_fitted_in_smaller_batches_to_random_answers():
    arms = {arm.suite: arm for arm in COMPOSE.grid(COMPOSE.scales["paper"], 0)}
    recipes = {suite: arms[suite].run.adapt_options["recipe"] for suite in arms}
    assert recipes["taskbench/map{synonyms[eng]}"] == "taskbench-sequences"
    assert recipes["taskbench/synonyms[eng]"] == "taskbench"


def test_random_pairs_are_memorised_from_both_starts():
    """Figure 6 has random relations in every panel; they need no permuting."""
    arms = MEMORISE.grid(MEMORISE.scales["paper"], 0)
    starts = {(arm.factors["start"], arm.factors["labels"]) for arm in arms if arm.factors["kind"] == "random"}
    assert starts == {("pretrained", "original"), ("untrained", "original")}
