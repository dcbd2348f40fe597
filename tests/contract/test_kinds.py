"""What every kind of answer promises, ours and a package's: prompt, reader, scorer, bundle, export, form, report."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from taskloom import (
    AnyOf,
    Bundle,
    Example,
    Instance,
    Instruction,
    Kind,
    Row,
    Suite,
    Task,
    UserError,
    build_report,
    judge_answer,
    load_run,
    open_suite,
    run_suite,
    write_bundle,
)
from taskloom.core import Boolean, Items, Product, Structure
from taskloom.core.catalog import SCORERS, register
from taskloom.core.kind import KINDS
from taskloom.hosts.hf import write_hf
from taskloom.hosts.lm_eval import process_results, write_lm_eval
from taskloom.hosts.squad import write_squad
from taskloom.hosts.table import HostTable
from taskloom.protocol import PROTOCOLS
from taskloom.studies.judgement.forms import make_form

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plugin" / "src"))
from loomtest.dates import DATE

NAMES = [*KINDS.names(), "date"]


@pytest.fixture(autouse=True)
def dates():
    with KINDS.lend("date", DATE):
        yield


def target_of(kind: Kind, answer: str):
    """The first shape that the kind uses, with one answer."""
    shape = kind.targets[0]
    made = {
        Boolean: lambda: Boolean(answer == "yes"),
        Items: lambda: Items((tuple(part.strip() for part in answer.replace("|", ",").split(",")),)),
        Product: lambda: Product(tuple((word,) for word in answer.split())),
        Structure: lambda: Structure((answer,)),
    }
    return made.get(shape, lambda: AnyOf((answer,)))()


def task_of(kind: Kind) -> Task:
    first = next(answer for answer in kind.samples.values() if answer)
    labels = ("yes", "no") if kind.name in ("label", "boolean") else ()
    return Task("t", Instruction("Do it.", (Example("a", first), Example("b", first))), kind.name, kind.scorer, labels)


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_parsed_and_a_parsed_answer_stays_as_it_is(name):
    kind = KINDS.get(name)
    task = task_of(kind)
    assert kind.name == name
    for text, answer in kind.samples.items():
        assert kind.parse(text, task) == answer
        if answer is not None:
            assert kind.parse(answer, task) == answer
            form = kind.normalise(answer, task)
            assert kind.normalise(form, task) == form
    for odd in ("", " ", "\x00", "\ud800", "{", "[" * 3000, "a" * 20_000, "<think>", "?"):
        kind.parse(odd, task)
        kind.normalise(odd, task)


@pytest.mark.parametrize("name", NAMES)
def test_prompts_ask_for_it_and_what_is_asked_for_is_read_and_scored(name):
    kind = KINDS.get(name)
    task = task_of(kind)
    assert kind.scorer in SCORERS
    assert kind.schema_of(task)
    for text, answer in kind.samples.items():
        if answer is None:
            continue
        row = Instance("1", "question", target_of(kind, answer))
        assert kind.sentence(task) in PROTOCOLS["chat"].make().encode(task, row).text
        assert judge_answer(task, row, text).score == 1.0
        if "\n" not in text:
            assert judge_answer(task, row, f"It is not zebra.\nAnswer: {text}").score == 1.0
        assert judge_answer(task, row, f"Answer: zebra {text} zebra").score < 1.0


@pytest.mark.parametrize("name", NAMES)
def test_it_is_run_stored_exported_judged_and_reported(name, tmp_path):
    kind = KINDS.get(name)
    task = task_of(kind)
    answers = [answer for answer in kind.samples.values() if answer]
    rows = [
        Row("t", Instance(str(n), f"{answer} {n}", target_of(kind, answer))) for n, answer in enumerate(answers * 2)
    ]
    suite = Suite("own/kinds", {}, 0, {"t": task}, {"test": len(rows)}, lambda split: iter(rows))
    write_bundle(suite, tmp_path / "bundle")
    bundle = Bundle(tmp_path / "bundle")
    assert bundle.suite().tasks["t"].kind == name
    assert write_squad(iter(rows), tmp_path / "squad.json", {"t": task}).written == (len(rows) if kind.span else 0)
    run_suite(suite, model="mock/oracle", folder=tmp_path / "run", cache=False)
    run = load_run(tmp_path / "run")
    assert all(record.score == 1.0 for record in run.records)
    form, _ = make_form([run], "answer", tasks=1, instances=2, seed=0)
    (question,) = form.items[0].questions
    assert question.prompt == kind.sentence(task)
    assert question.choices == tuple(kind.schema_of(task).get("enum", ()))
    build_report([tmp_path / "run"], tmp_path / "report.html")
    assert "own/kinds" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_other_programs_ask_and_score_it_as_taskloom_does(name, tmp_path):
    kind = KINDS.get(name)
    task = task_of(kind)
    answers = [answer for answer in kind.samples.values() if answer]
    rows = [Row("t", Instance(str(n), f"{answer} {n}", target_of(kind, answer))) for n, answer in enumerate(answers)]
    made = Suite("own/kinds", {}, 0, {"t": task}, {"test": len(rows)}, lambda split: iter(rows))
    write_bundle(made, tmp_path / "bundle")
    suite = open_suite(str(tmp_path / "bundle"))
    write_hf(suite, tmp_path / "hf", protocol="chat")
    back = open_suite(str(tmp_path / "hf"))
    assert back.tasks["t"].kind == name
    assert [row.instance.targets for row in back.draw("test")] == [row.instance.targets for row in rows]
    (written,) = write_lm_eval(suite, tmp_path / "lm")
    assert (tmp_path / "lm" / f"{written}.yaml").is_file()
    for record, answer in zip(HostTable(suite, "base").records("test"), answers, strict=True):
        where = {"suite": str(tmp_path / "bundle"), "seed": None, "options": "{}"}
        doc = {**record, "targets": msgspec.json.encode(record["targets"]).decode(), "taskloom": where}
        assert process_results(doc, [answer]) == {"score": 1.0, "strict": 1.0}
        assert process_results(doc, ["zebra"])["score"] < 1.0


@pytest.mark.parametrize("field", ["name", "instruct", "parse", "schema", "targets", "samples"])
def test_a_record_that_lacks_a_field_is_refused_with_a_sentence(field):
    torn = {name: value for name, value in {"name": "torn", **_whole()}.items() if name != field}
    with pytest.raises(UserError, match=f"lacks {field}"):
        Kind(**torn)
    with pytest.raises(UserError, match="one side"):
        Kind(name="torn", **{**_whole(), "samples": {"x": "x"}})


@pytest.mark.usefixtures("own_registries")
@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("samples", {"x": "y", "": None}, "the kind 'torn' reads its sample 'x' as 'x', not as 'y'"),
        ("targets", "AnyOf", "not a tuple of target shapes"),
        ("name", "other", "this kind is called 'other', not 'torn'"),
    ],
)
def test_a_record_that_contradicts_itself_is_not_registered(field, value, said):
    with pytest.raises(UserError, match=said):
        register(
            "kind.torn", Kind(**{"name": "torn", **_whole(), "parse": lambda text, task: text or None, field: value})
        )


def _whole():
    return {
        "instruct": "Answer.", "parse": lambda text, task: text, "schema": {"type": "string"}, "targets": (AnyOf,),
        "samples": {"x": "x", "": None},
    }  # fmt: skip


def test_a_task_of_an_unknown_kind_names_the_nearest():
    with pytest.raises(UserError, match="number"):
        Task("t", Instruction("d"), "numbr")


def test_sentences_come_in_the_language_of_the_task_where_it_is_known():
    kind = Kind(**{**_whole(), "name": "k", "instruct": {"en": "Answer.", "fr": "Réponds."}})
    assert kind.sentence(task_of(DATE), "fr") == "Réponds."
    assert kind.sentence(task_of(DATE), "de") == "Answer."


def test_the_example_of_a_package_is_short():
    assert len(Path(sys.modules["loomtest.dates"].__file__).read_text("utf-8").strip().split("\n")) <= 20
