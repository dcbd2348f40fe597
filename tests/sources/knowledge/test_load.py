"""Files of triples, and what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest

from taskloom.algebra import Atom
from taskloom.core import UserError
from taskloom.sources.knowledge.graph import find_property
from taskloom.sources.knowledge.open import load_codex, load_rdf, load_relations, load_truthy, open_graph
from taskloom.sources.knowledge.vocabulary import predicate, relation

WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"

# A dump in miniature, with the clutter real ones have.
DUMP = f"""<https://www.wikidata.org/wiki/Special:EntityData/Q1> <http://schema.org/about> <{WD}Q1> .
<{WD}Q1> <{LABEL}> "Ann \\"the\\" Elder"@en .
<{WD}Q1> <{LABEL}> "Anna"@de .
<{WD}Q1> <{LABEL}> "Ann (British)"@en-gb .
<{WD}Q1> <http://schema.org/name> "Ann"@en .
<{WD}Q1> <{WDT}P25> <{WD}Q2> .
<{WD}Q1> <{WDT}P22> _:genid1 .
<{WD}Q1> <{WDT}P106> <{WD}Q36180> .
<{WD}Q1> <{WDT}P569> "1901-05-06T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
<{WD}Q1> <{WDT}P9999> <{WD}Q2> .
<{WD}Q2> <{LABEL}> "Beth"@en .
<{WD}Q36180> <{LABEL}> "writer"@en .
<{WD}P25> <{LABEL}> "mother"@en .
"""


def write(path: Path, text: str) -> Path:
    data = text.encode()
    packed = {".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)
    path.write_bytes(packed(data))
    return path


@pytest.mark.parametrize("name", ["truthy.nt", "truthy.nt.gz", "truthy.nt.bz2"])
def test_truthy_dumps_are_read_selectively(tmp_path: Path, name: str) -> None:
    graph = open_graph(str(write(tmp_path / name, DUMP)))
    assert len(graph.store) == 7  # names of properties included
    assert graph.words(relation("mother")) == {'Ann "the" Elder': ("Beth",)}
    assert graph.words(relation("father")) == {}
    assert graph.words(relation("date of birth")) == {'Ann "the" Elder': ("1901-05-06",)}
    assert graph.word_truth(predicate("is-occupation-writer")).true == ('Ann "the" Elder',)


def test_other_languages_and_properties_of_a_dump(tmp_path: Path) -> None:
    path = write(tmp_path / "dump.nt", DUMP)
    graph = load_truthy(path, properties=["P9999", "P25"], language="de")
    assert graph.labels(["Q1", "Q2"]) == {"Q1": "Anna"}
    assert graph.truth(Atom("is", (("P9999", "Q2"),))).true == ("Q1",)


@pytest.mark.parametrize("keep", [0.4, 0.8])
def test_a_dump_that_is_cut_off_is_refused(tmp_path: Path, keep: float) -> None:
    for name in ("truthy.nt.gz", "truthy.nt.bz2"):
        path = write(tmp_path / name, DUMP)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * keep)])
        with pytest.raises(UserError, match="cut off|damaged"):
            load_truthy(path)
    plain = write(tmp_path / "truthy.nt", DUMP[: DUMP.index("Q36180") + 3])
    with pytest.raises(UserError, match="cut off here") as caught:
        load_truthy(plain)
    assert ":8" in caught.value.where


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "truthy.nt", DUMP + f'<{WD}Q1> <{WDT}P25> "never closed .\n')
    with pytest.raises(UserError, match="N-Triples") as caught:
        load_truthy(path)
    assert caught.value.where.endswith(":14")


@pytest.mark.parametrize("packing", ["", ".gz", ".bz2"])
def test_turtle(tmp_path: Path, packing: str) -> None:
    text = f"@prefix wd: <{WD}> . @prefix wdt: <{WDT}> . @prefix l: <{LABEL[:-5]}> .\n"
    text += 'wd:Q1 wdt:P25 wd:Q2 ; l:label "Ann" . wd:Q2 l:label "Beth"@en . wd:Q3 wdt:P25 [ l:label "nobody" ] .'
    graph = open_graph(str(write(tmp_path / f"facts.ttl{packing}", text)))
    assert graph.words(relation("mother")) == {"Ann": ("Beth",)}


def test_named_graphs_are_one(tmp_path: Path) -> None:
    text = f"<{WD}Q1> <{WDT}P25> <{WD}Q2> <urn:a> .\n<{WD}Q2> <{WDT}P25> <{WD}Q3> <urn:b> .\n"
    graph = load_rdf(write(tmp_path / "facts.nq", text))
    assert graph.function(relation("mother")) == {"Q1": ("Q2",), "Q2": ("Q3",)}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("facts.ttl", "this is not turtle", "cannot be read"),
        ("facts.doc", "", "not an RDF file"),
        (None, "", "neither"),
    ],
)
def test_files_that_are_not_graphs(tmp_path: Path, name: str | None, text: str, message: str) -> None:
    path = tmp_path / (name or "absent.nt")
    if name:
        write(path, text)
    with pytest.raises(UserError, match=message):
        open_graph(str(path))


def codex(folder: Path, triples: str) -> Path:
    for split in ("train", "valid", "test"):
        (folder / f"{split}.txt").write_text(triples if split == "train" else "")
    (folder / "entity2name.en.txt").write_text('Q1\tAnn\nQ2\t"Beth, the Elder"\nQ3\t"Weird" Al\n')
    return folder


def test_codex_folders(tmp_path: Path) -> None:
    graph = open_graph(str(codex(tmp_path, "Q1\tP25\tQ2\nQ3\tP25\tQ1\n")))
    assert graph.words(relation("mother")) == {"Ann": ("Beth, the Elder",), '"Weird" Al': ("Ann",)}


@pytest.mark.parametrize(("line", "message"), [("Q1\tP25", "2 columns"), ("Q1\tmother\tQ2", "not a property")])
def test_broken_codex_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        load_codex(codex(tmp_path, f"Q1\tP25\tQ2\n{line}\n"))
    assert "train.txt:2" in caught.value.where


def test_relation_folders(tmp_path: Path) -> None:
    facts = {"person mother": [("Ann", "Beth")], "person occupation": [("Ann", "actor"), ("Beth", "poet")]}
    for name, pairs in facts.items():
        content = {"name": name, "samples": [{"subject": s, "object": o} for s, o in pairs], "other": 1}
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    content = {"name": "person plays (instrument)", "samples": [{"subject": "Ann", "object": "viola"}]}
    (tmp_path / "unheard of.json").write_text(json.dumps(content))
    graph = open_graph(str(tmp_path))
    assert graph.words(relation("mother")) == {"Ann": ("Beth",)}
    assert graph.word_truth(predicate("is-occupation-actor")) == (("Ann",), ("Beth",))
    assert graph.words(Atom(find_property(graph, "person plays instrument"))) == {"Ann": ("viola",)}
    with pytest.raises(UserError, match="person plays instrument"):
        find_property(graph, "person play instrument")
    (tmp_path / "person father.jsonl").touch()
    with pytest.warns(UserWarning, match=r"not read in .*: person father.jsonl \(did you mean person father.json\?\)"):
        load_relations(tmp_path)
    (tmp_path / "person father.jsonl").unlink()
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(UserError, match="JSON cannot be read") as caught:
        load_relations(tmp_path)
    assert "broken.json" in str(caught.value)


def test_the_reference_triples(reference: Path) -> None:
    folder = reference / "taskbench/codex_s"
    graph = load_codex(folder)
    names = dict(line.split("\t") for line in (folder / "entity2name.en.txt").read_text("utf-8").splitlines())
    facts = [
        tuple(line.split("\t"))
        for split in ("train", "valid", "test")
        for line in (folder / f"{split}.txt").read_text("utf-8").splitlines()
    ]
    relations = json.loads((folder / "relations.en.json").read_text("utf-8"))
    assert len(graph.store) == len(set(facts)) + len(names) + len(relations)
    for name, number in (("occupation", "P106"), ("influenced by", "P737"), ("diplomatic relation", "P530")):
        expected: dict[str, set[str]] = {}
        for s, p, o in facts:
            if p == number:
                expected.setdefault(s, set()).add(o)
        assert {x: set(ys) for x, ys in graph.function(relation(name)).items()} == expected
    writers = {s for s, p, o in facts if (p, o) == ("P106", "Q36180")}
    others = {s for s, p, _ in facts if p == "P106"} - writers
    truth = graph.truth(predicate("is-occupation-writer"))
    assert (set(truth.true), set(truth.false)) == (writers, others)


def test_the_reference_relations(reference: Path) -> None:
    folder = reference / "taskbench/relations_lre"
    graph = load_relations(folder)
    content = json.loads((folder / "data/factual/person_mother.json").read_text("utf-8"))
    expected: dict[str, set[str]] = {}
    for sample in content["samples"]:
        expected.setdefault(sample["subject"].strip(), set()).add(sample["object"].strip())
    assert {x: set(ys) for x, ys in graph.words(relation("mother")).items()} == expected


TRUTHY = (
    '<http://www.wikidata.org/entity/Q1>{0}<http://www.wikidata.org/prop/direct/P25>{0}<http://www.wikidata.org/entity/Q2>{1}.{2}'
    '<http://www.wikidata.org/entity/Q1>{0}<http://www.w3.org/2000/01/rdf-schema#label>{0}"Ada"@en{1}.{2}'
    '<http://www.wikidata.org/entity/Q2>{0}<http://www.w3.org/2000/01/rdf-schema#label>{0}"Berta"@en{1}.{2}'
)  # fmt: skip


@pytest.mark.parametrize("blank", [" ", "\t", "  "])
@pytest.mark.parametrize("before_dot", [" ", "", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", " # a comment\n"])
def test_every_layout_of_n_triples_is_read_from_a_dump(tmp_path: Path, blank: str, before_dot: str, end: str) -> None:
    path = tmp_path / "small-truthy.nt"
    path.write_bytes(TRUTHY.format(blank, before_dot, end).encode())
    assert open_graph(str(path)).words(relation("mother")) == {"Ada": ("Berta",)}


def test_a_dump_that_gives_nothing_says_so(tmp_path: Path) -> None:
    path = tmp_path / "truthy.nt"
    path.write_text("<http://a.b/x> <http://a.b/y> <http://a.b/z> .\n")
    with pytest.raises(UserError, match="none of its 1 statements"):
        open_graph(str(path))
