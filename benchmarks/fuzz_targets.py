"""What is fuzzed: every loader, reader and scorer, each with seeds that it reads well."""

# ruff: noqa: E501 - tables of bytes

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import (
    AnyOf,
    Boolean,
    Instance,
    Instruction,
    Items,
    Product,
    Row,
    Structure,
    Suite,
    Targets,
    Task,
    UserError,
)

__all__ = ["Target", "as_file", "make_targets", "small_suite"]


class Target(NamedTuple):
    """Something that takes untrusted bytes.

    Attributes:
        name: What it is.
        call: Takes an input; may raise what is `allowed`.
        seeds: Inputs that it takes well.
        allowed: The ways in which it may refuse one.
        rare: It takes tens of milliseconds, so it gets a tenth of the inputs that others get.
    """

    name: str
    call: Callable[[bytes], Any]
    seeds: list[bytes]
    allowed: tuple[type[BaseException], ...] = (UserError,)
    rare: bool = False


def make_targets(root: Path) -> list[Target]:
    """All of them, with a scratch folder of their own."""
    from benchmarks.fuzz_others import other_targets

    root.mkdir(parents=True, exist_ok=True)
    ours = [*_core(root), *_store(root), *_runs(root), *_families(root), *_sources(root), *_answers()]
    return [*ours, *other_targets(root)]


def as_file(root: Path, name: str, read: Callable[[Path], Any]) -> Callable[[bytes], Any]:
    """A call that writes the input to a file and reads it."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)

    def call(data: bytes) -> Any:
        path.write_bytes(data)
        found = read(path)
        return list(found) if hasattr(found, "__next__") else found

    return call


def _core(root: Path) -> list[Target]:
    from taskloom.author.recipe import read_recipe_file
    from taskloom.core import csv_table, decode, parse_assignments

    yaml = b"suite: babi/task-1\nseed: 3\nrecipe:\n  train: 5\n  names: [Ann, {a: 1.5}]\n  when: 2024-01-02\n"
    toml = b'[a]\nb = 1\nc = "x"\nd = [1, 2.5, true]\ne = 2024-01-02T03:04:05Z\n'
    return [
        Target("recipe file", as_file(root, "r.yaml", read_recipe_file), [yaml, b"suite: x\n"]),
        Target(
            "assignment", lambda data: parse_assignments([data.decode("utf-8", "replace")], "-T"), [b"a=[1, {b: 2}]"]
        ),
        Target("text", as_file(root, "t.txt", decode.read_lines), ["Ann went home.\nä\n".encode()]),
        Target("JSON", as_file(root, "j.json", decode.read_json), [b'{"a": [1, 2.5, "x", null, {"b": true}]}']),
        Target("JSONL", as_file(root, "j.jsonl", decode.read_jsonl), [b'{"a": 1}\n[2]\n']),
        Target("TOML", as_file(root, "t.toml", decode.read_toml), [toml]),
        Target("CSV", as_file(root, "c.csv", csv_table.read_csv), [b'a,b\n1,"x, y"\n2,z\n']),
        Target("gzip", as_file(root, "g.txt.gz", decode.read_text), [gzip.compress(b"hello\n" * 50, mtime=0)]),
    ]


def small_suite() -> Suite:
    tasks = {"t": Task("t", Instruction("Say it.")), "u": Task("u", Instruction("Say more."))}
    rows = [Row(name, Instance(str(n), f"{name} {n}", AnyOf((str(n),)), {"k": n})) for n in range(4) for name in tasks]
    return Suite("own/fuzz", {"n": 4}, 1, tasks, {"test": len(rows)}, lambda split: iter(rows), {"k": int}, "pairs")


def _store(root: Path) -> list[Target]:
    from taskloom.store.bundle import Bundle, check_bundle
    from taskloom.store.write import write_bundle

    folder = root / "bundle"
    shutil.rmtree(folder, ignore_errors=True)
    manifest = write_bundle(small_suite(), folder)
    files = {"manifest": "manifest.json", "tasks": manifest.tasks_file, "rows": manifest.splits["test"].file}
    targets = []
    for what, name in files.items():
        whole = (folder / name).read_bytes()

        def read(data: bytes, name: str = name, whole: bytes = whole) -> None:
            (folder / name).write_bytes(data)
            try:
                list(check_bundle(folder))
                list(Bundle(folder).suite().rows("test"))
            finally:
                (folder / name).write_bytes(whole)

        targets.append(Target(f"bundle {what}", read, [whole]))
    return targets


def _runs(root: Path) -> list[Target]:
    from taskloom.adapt.curves import read_curve
    from taskloom.adapt.lane import read_result
    from taskloom.run.check import check_run
    from taskloom.run.results import load_run, write_results
    from taskloom.run.runner import launch
    from taskloom.run.session import RunSettings
    from taskloom.studies.sweep import read_finished

    folder = root / "run"
    shutil.rmtree(folder, ignore_errors=True)
    launch(small_suite(), folder, RunSettings(model="mock/flaky", model_options={"fail": 0.2}, cache=False))
    write_results(load_run(folder))
    targets = []
    data = sorted(path.name for path in folder.glob("*.parquet"))
    for name in ("run.json", "tasks.jsonl", "manifest-000001.json", *data, "results.json"):
        whole = (folder / name).read_bytes()

        def read(data: bytes, name: str = name, whole: bytes = whole) -> None:
            (folder / name).write_bytes(data)
            try:
                list(check_run(folder))
                load_run(folder).overall()
            finally:
                (folder / name).write_bytes(whole)

        targets.append(Target(f"run {name}", read, [whole], rare=name not in ("run.json", "manifest-000001.json")))
    point = b'{"update":1,"epoch":0.5,"scores":{"test":0.5}}\n'
    finished = b'{"id":"a","state":"done","attempts":1,"results":{"overall":{"value":1}},"worker":"h:1","wall":1.5}\n'
    return [
        *targets,
        Target("curve", as_file(root, "curve.jsonl", read_curve), [point * 3]),
        Target("result", as_file(root / "lane", "result.json", lambda path: read_result(path.parent)), [b"{}"]),
        Target("sweep log", as_file(root / "sweep", "sweep.jsonl", lambda path: read_finished(path.parent)), [finished * 2]),
    ]  # fmt: skip


def _families(root: Path) -> list[Target]:
    from taskloom.families.babi.files import read_babi
    from taskloom.families.babi.kit import read_config
    from taskloom.families.seti.published import read_records
    from taskloom.families.superni.collection import read_header
    from taskloom.families.superni.lint import lint_path
    from taskloom.families.superni.official import read_predictions
    from taskloom.families.zest.load import answer_targets, read_tasks

    babi = b"1 Mary went to the kitchen.\n2 Where is Mary?\tkitchen\t1\n1 Ann is here.\n2 Is Ann here?\tyes\t1\n"
    kit = b'{"tasks": [], "only_dev": false}'
    seti = b'[{"premise": "Ann knows that it rains.", "hypothesis": "It rains.", "label": 1}]'
    example = {"input": "1 2", "output": ["3"], "explanation": "sum"}
    superni = msgspec.json.encode({
        "Contributors": ["a"], "Source": ["s"], "URL": ["u"], "Categories": ["Program Execution"], "Reasoning": [],
        "Definition": ["Add the numbers."], "Input_language": ["English"], "Output_language": ["English"],
        "Instruction_language": ["English"], "Domains": ["Mathematics"], "Positive Examples": [
            {"input": "1", "output": "1", "explanation": ""}], "Negative Examples": [],
        "Instances": [{"id": "task1-1", **example}], "Instance License": ["MIT"],
    })  # fmt: skip
    zest = msgspec.json.encode({
        "id": "q1", "question": "Is it warm?", "type": {"generalization_type": "base", "domain": "d", "derives_from": []},
        "examples": [{"context": "It is warm.", "answer": "yes"}, {"context": "x", "answer": [{"a": "1"}]}],
    })  # fmt: skip

    def read_zest(path: Path) -> None:
        for task in read_tasks(path):
            for _, answer in task.examples:
                answer_targets(answer)

    def lint(path: Path) -> list[Any]:
        return list(lint_path(path))

    predictions = b'{"id": "1", "prediction": "a"}\n{"id": "2", "prediction": "b"}\n'
    return [
        Target("bAbI file", as_file(root, "qa1_test.txt", read_babi), [babi]),
        Target("kit configuration", as_file(root, "kit.json", read_config), [kit]),
        Target("SETI file", as_file(root, "seti.json", read_records), [seti, seti[1:-1] + b"\n"]),
        Target("Super-NI header", as_file(root, "task001_a.json", read_header), [superni]),
        Target("Super-NI lint", as_file(root / "lint", "task001_add_numbers.json", lint), [superni]),
        Target("Super-NI predictions", as_file(root, "p.jsonl", read_predictions), [predictions]),
        Target("ZEST file", as_file(root, "test.jsonl", read_zest), [zest + b"\n" + zest]),
    ]


def _sources(root: Path) -> list[Target]:
    from taskloom.core.markup import read_elements
    from taskloom.models.wires import CHAT
    from taskloom.models.wires.wire import MalformedReplyError, fault_of, read_answer
    from taskloom.sources.knowledge.open import load_rdf, load_relations, load_truthy
    from taskloom.sources.knowledge.remote import BrokenAnswerError, read_solutions
    from taskloom.sources.lexicon import default_lexicon
    from taskloom.sources.lexicon.wordnet import add_wordnet, counted_words
    from taskloom.sources.sentences.sick import read_sick

    triple = (
        b'<http://www.wikidata.org/entity/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "one"@en .\n'
        b"<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P31> "
        b"<http://www.wikidata.org/entity/Q2> .\n"
    )
    sick = b"pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\tA dog runs.\tA cat runs.\t3\tNEUTRAL\n"
    relations = b'{"name": "country capital city", "samples": [{"subject": "A", "object": "B"}]}'
    sparql = b'{"head": {"vars": ["a"]}, "results": {"bindings": [{"a": {"type": "uri", "value": "http://x/Q1"}}]}}'
    chat = b'{"choices": [{"message": {"content": "hi", "role": "assistant"}, "finish_reason": "stop"}], "usage": {}}'
    lmf = (
        b'<?xml version="1.0" encoding="UTF-8"?>\n<LexicalResource><Lexicon id="x" language="de">'
        b'<LexicalEntry id="e"><Lemma writtenForm="Hund" partOfSpeech="n"/><Sense id="s" synset="x-02084071-n"/>'
        b'</LexicalEntry><Synset id="x-02084071-n" ili="i46360"/></Lexicon></LexicalResource>'
    )

    base = default_lexicon().tables
    refused = (UserError, MalformedReplyError, BrokenAnswerError)
    return [
        Target("N-Triples", as_file(root, "a.nt", load_rdf), [triple]),
        Target(
            "Turtle", as_file(root, "a.ttl", load_rdf), [b"@prefix e: <http://e/> .\ne:a e:b e:c, 'x'@en ; e:d 1.5 .\n"]
        ),
        Target("packed N-Triples", as_file(root, "a.nt.gz", load_rdf), [gzip.compress(triple, mtime=0)]),
        Target("Wikidata dump", as_file(root, "truthy.nt", load_truthy), [triple]),
        Target("relations", as_file(root / "rel", "a.json", lambda path: load_relations(path.parent)), [relations]),
        Target("SPARQL answer", lambda data: read_solutions(data, ("a",)), [sparql], refused),
        Target("server's answer", lambda data: read_answer(data, CHAT), [chat], refused),
        Target("server's error", fault_of, [b'{"error": {"message": "no", "type": "x"}}'], refused),
        Target("word list", as_file(root, "words.txt", counted_words), [b"dog\t12\ncat\nred house\t3\n"]),
        Target("SICK", as_file(root, "SICK.txt", read_sick), [sick]),
        Target(
            "wordnet (tab)",
            as_file(root, "wn-data-deu.tab", partial(add_wordnet, base, "deu")),
            [b"00001740-a\tdeu:lemma\tf\xc3\xa4hig\n"],
            rare=True,
        ),
        Target("XML", as_file(root, "wn.xml", lambda path: list(read_elements(path))), [lmf]),
    ]


_TARGETS: list[Targets] = [
    AnyOf(("yes", "no")), Boolean(True), Items((("a", "b"), ("c",)), True), Product((("a", "b"), ("c",))),
    Structure(('[{"a": 1, "b": ["x", 2.5]}]',)), AnyOf(("12.5",)),
]  # fmt: skip


def _answers() -> list[Target]:
    from taskloom.ask.judge import Judge
    from taskloom.core import Reading
    from taskloom.core.catalog import READERS, SCORERS
    from taskloom.models.chat import split_thinking

    seeds = [
        b"yes", b"The answer is \\boxed{12.5}.", b"<think>hm, 3 or 4</think>\nAnswer: 4", b'[{"a": 1, "b": ["x", 2.5]}]',
        b"a, b and c", b"n/a", b"1,234.50 km", "Ja, natürlich; größer als ½".encode(), b"a | b | c",
    ]  # fmt: skip
    found = [Target("thinking", lambda data: split_thinking(data.decode("utf-8", "replace")), seeds)]
    tasks = [
        Task("t", Instruction("Say yes or no."), "boolean", labels=("yes", "no")),
        Task("t", Instruction("Say it.")),
        Task("t", Instruction("List them."), "items"),
    ]
    for name in READERS:

        def read(data: bytes, reader: Any = READERS.get(name)) -> None:  # noqa: B008
            for task in tasks:
                reader.read(data.decode("utf-8", "replace"), task, "Question?\nAnswer:")

        found.append(Target(f"reader {name}", read, seeds))
    for name in SCORERS:

        def score(data: bytes, judge: Judge = Judge(tasks, name)) -> None:  # noqa: B008
            # Not through the fence: what raises behind it would cost a record.
            for targets in _TARGETS:
                judge.score(Reading(data.decode("utf-8", "replace")), targets, tasks[0])

        found.append(Target(f"scorer {name}", score, seeds, (UserError,)))
    return found
