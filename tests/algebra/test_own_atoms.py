"""Atoms of one's own: functions, tables and files, combined with words and facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from taskloom.core import UserError, open_suite
from taskloom.core.catalog import register
from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.language import code, paper, parse, short
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import PredicateAtom, RelationAtom

pytestmark = pytest.mark.usefixtures("own_registries")

PLURAL: dict[str, Any] = {
    "name": "plural", "domain": "eng", "language": "eng", "relation": lambda word: f"{word}s",
    "phrase": "the plural of {x}", "example": ("dog", "dogs"),
}  # fmt: skip
FRUIT = {"lemon": "yellow", "plum": ["purple", "blue"], "cherry": "red", "lime": "green", "kiwi": ["brown", "green"]}


def plural() -> None:
    register("atom.plural", RelationAtom(**PLURAL))


def colour(relation: Any = FRUIT) -> None:
    register(
        "atom.fruit_colour",
        RelationAtom(
            name="fruit_colour", domain="fruit", language="eng", relation=relation,
            phrase="a colour of {x}", example=("plum", "blue"),
        ),
    )  # fmt: skip


def engines() -> Engines:
    return Engines(TaskBenchRecipe(knowledge="world:300", labels="faithful"), 0)


def test_a_function_of_words_combines_with_every_word() -> None:
    plural()
    found = engines()
    synonyms = found.relation(parse("synonyms[eng]"))
    plurals = found.relation(parse("plural(synonyms[eng])"))
    assert tuple(plurals.inputs) == tuple(synonyms.inputs)
    for word in synonyms.inputs[::50]:
        assert set(plurals.outputs(word)) == {f"{other}s" for other in synonyms.outputs(word)}
    kept = found.relation(parse("intersection(plural,synonyms[eng])"))
    assert all(kept.outputs(word) == (f"{word}s",) for word in kept.inputs)


@pytest.mark.parametrize("form", ["table", "csv", "triples"])
def test_a_table_of_ones_own_gives_words(form: str, tmp_path: Path) -> None:
    pairs = [(x, y) for x, ys in FRUIT.items() for y in ([ys] if isinstance(ys, str) else ys)]
    data: Any = FRUIT
    if form == "csv":
        data = tmp_path / "fruit.csv"
        data.write_text("fruit,colour\n" + "".join(f"{x},{y}\n" for x, y in pairs), encoding="utf-8")
    if form == "triples":
        label = "<http://www.w3.org/2000/01/rdf-schema#label>"
        things = {word: f"<http://example.org/{word}>" for pair in pairs for word in pair}
        lines = [f'{iri} {label} "{word}"@en .' for word, iri in things.items()]
        lines += [f"{things[x]} <http://example.org/fruitColour> {things[y]} ." for x, y in pairs]
        data = tmp_path / "fruit.nt"
        data.write_text("\n".join(lines), encoding="utf-8")
    colour(data)
    plural()
    found = engines().relation(parse("plural(fruit_colour)"))
    assert {x: set(found.outputs(x)) for x in found.inputs} == {
        x: {f"{y}s" for y in ([ys] if isinstance(ys, str) else ys)} for x, ys in FRUIT.items()
    }
    translated = engines().relation(parse("translate[eng->spa](fruit_colour)"))
    assert "rojo" in translated.outputs("cherry")


def test_a_function_of_names_combines_with_facts() -> None:
    register(
        "atom.initial",
        RelationAtom(
            name="initial", domain="entity", language="letter", relation=lambda name: name[0],
            phrase="the first letter of {x}", example=("Ada", "A"),
        ),
    )  # fmt: skip
    suite = open_suite("taskbench/initial(father(mother))", options={"knowledge": "world:300"})
    (task,) = suite.tasks.values()
    assert "Give the first letter of the father of the mother of the person." in task.instruction.definition
    fathers = engines().relation(parse("father(mother)"))
    for _, row in suite.rows("train", limit=20):
        assert set(row.targets.answers) == {name[0] for name in fathers.outputs(row.input)}


def test_predicates_and_the_difference_of_kinds() -> None:
    register(
        "atom.long",
        PredicateAtom(
            name="long", domain="eng", language="eng", predicate=lambda word: len(word) > 6,
            phrase="{x} is long", denial="{x} is not long", example=("elephant", True),
        ),
    )  # fmt: skip
    suite = open_suite("taskbench/filter{land(long,is-POS-noun[eng])}")
    (task,) = suite.tasks.values()
    assert "it is long and it can be a noun" in task.instruction.definition
    truth = engines().predicate(parse("long"))
    assert all(len(word) > 6 for word in truth.true)
    assert all(len(word) <= 6 for word in truth.false)
    assert task.facets["category"] == "own"


def test_every_notation_reads_back() -> None:
    plural()
    colour()
    for text in ("plural(fruit_colour)", "map{plural(synonyms[eng])}", "union(plural,synonyms[eng])"):
        node = parse(text)
        assert parse(paper(node)) == parse(code(node)) == parse(short(node)) == node


def test_other_data_under_the_same_name_is_another_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    from taskloom.core.catalog import ATOMS

    plural()
    names = ("taskbench/plural(synonyms[eng])", "taskbench/depth-2")
    options = {"depth_atoms": ["plural", "synonyms[eng]"], "train": 20, "knowledge": "none"}
    first = [open_suite(name, options=options).identity for name in names]
    other = RelationAtom(**{**PLURAL, "relation": lambda word: f"{word}en", "example": ("ox", "oxen")})
    monkeypatch.setitem(ATOMS._objects, "plural", other)
    second = [open_suite(name, options=options).identity for name in names]
    assert not set(first) & set(second)


@pytest.mark.parametrize("field", list(PLURAL))
def test_a_record_without_a_field_is_refused(field: str) -> None:
    with pytest.raises(UserError, match=rf"lacks {field}\b"):
        RelationAtom(**{name: value for name, value in PLURAL.items() if name != field})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"example": ("dog", "cats")}, r"gives \('dogs',\) for its example 'dog', not 'cats'"),
        ({"phrase": "the plural"}, r"has no \{x\} in its phrase"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        RelationAtom(**{**PLURAL, **changed})


def test_mistakes_in_expressions_are_named() -> None:
    plural()
    register("atom.rank", RelationAtom(**{**PLURAL, "name": "rank", "domain": "piece"}))
    with pytest.raises(UserError, match="the outer function takes 'piece' words, the inner one gives English words"):
        parse("rank(plural)")
    with pytest.raises(UserError, match="takes nothing in braces or brackets"):
        parse("plural[eng]")
    with pytest.raises(UserError, match="did you mean 'plural'"):
        parse("plurl(synonyms[eng])")
    with pytest.raises(UserError, match="is a function of 'piece', so it has to say what to ask about"):
        list(open_suite("taskbench/rank").tasks)
    with pytest.raises(UserError, match="already exists"):
        register("atom.synonyms", RelationAtom(**{**PLURAL, "name": "synonyms"}))


GRAPH = """\
<http://example.org/1> <http://www.w3.org/2000/01/rdf-schema#label> "Ada"@en .
<http://example.org/2> <http://www.w3.org/2000/01/rdf-schema#label> "Bob"@en .
<http://example.org/1> <http://example.org/hasTeacher> <http://example.org/2> .
<http://example.org/2> <http://example.org/hasPupil> <http://example.org/1> .
"""
TEACHER: dict[str, Any] = {
    "name": "mentor", "domain": "pupil", "language": "person", "phrase": "the teacher of {x}",
    "example": ("Ada", "Bob"),
}  # fmt: skip


@pytest.mark.parametrize("rdf_property", ["has teacher", "hasTeacher", "http://example.org/hasTeacher"])
def test_a_relation_of_a_graph_names_its_property(rdf_property: str, tmp_path: Path) -> None:
    (tmp_path / "school.nt").write_text(GRAPH, encoding="utf-8")
    record = RelationAtom(**TEACHER, relation=tmp_path / "school.nt", rdf_property=rdf_property)
    register("atom.mentor", record)
    found = engines().relation(parse("mentor"))
    assert {x: found.outputs(x) for x in found.inputs} == {"Ada": ("Bob",)}


def test_mistakes_about_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "school.nt").write_text(GRAPH, encoding="utf-8")
    with pytest.raises(UserError, match="names an rdf_property, but its relation is no RDF file"):
        RelationAtom(**TEACHER, relation={"Ada": "Bob"}, rdf_property="hasTeacher")
    with pytest.raises(UserError, match="'nowhere.csv', which does not exist in"):
        RelationAtom(**TEACHER, relation="nowhere.csv")
    with pytest.raises(UserError, match="cannot be an RDF file: give a function, a table or a CSV file"):
        PredicateAtom(**{**TEACHER, "example": ("Ada", True)}, predicate=tmp_path / "school.nt", denial="not {x}")
    with pytest.raises(UserError, match=r"has no \{x\} in its denial"):
        PredicateAtom(**{**TEACHER, "example": ("Ada", True)}, predicate={"Ada": True}, denial="no")
    register("atom.mentor", RelationAtom(**TEACHER, relation=tmp_path / "school.nt", rdf_property="hasTutor"))
    with pytest.raises(UserError, match=r"unknown property 'hasTutor'.*has teacher"):
        engines().relation(parse("mentor"))


def test_data_that_cannot_give_the_example_is_refused_with_the_reason() -> None:
    with pytest.raises(UserError, match="'plural' has a NoneType for its data: give a function, a table or a file"):
        RelationAtom(**{**PLURAL, "relation": None})
    with pytest.raises(UserError, match="'plural' raises TypeError for its example 'dog': can only concatenate"):
        RelationAtom(**{**PLURAL, "relation": lambda word: word + 1})
