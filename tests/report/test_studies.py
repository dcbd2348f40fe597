"""Pages about studies: everything is on them, and hostile text is only text."""

from __future__ import annotations

import base64
import re
from types import SimpleNamespace

import msgspec
import pytest

from taskloom import open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.core.display import counted
from taskloom.core.study import Table
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.report.studies import (
    PAGE,
    IndexEntry,
    find_studies,
    study_page,
    study_section,
    study_sentence,
    verdicts,
    write_index,
)
from taskloom.studies.findings import Check, Findings, StudyResult, write_study

_HOSTILE = '<img src=x onerror="alert(1)">'


def _result():
    return StudyResult(
        study=f"toy {_HOSTILE}",
        question=f"does it {_HOSTILE}?",
        cut=[f"seeds: {_HOSTILE}"],
        findings=Findings(
            tables=[Table(f"Table {_HOSTILE}", ("a",), ((_HOSTILE,),))],
            figures=[IntervalPlot(title="Figure", points=(IntervalPoint(_HOSTILE, 0.5, 0.4, 0.6, 9),))],
            checks=[Check(f"claim {_HOSTILE}", "holds", "0.5"), Check("other", "cannot tell", "0.1", "Table 2")],
            sentences=[f"said {_HOSTILE}"],
        ),
    )


def test_a_page_shows_everything_and_runs_nothing_of_others():
    text = study_page(_result())
    for anchor in ("expected", "said", "figures", "tables", "cut"):
        assert f'id="{anchor}"' in text
    assert "cannot tell" in text
    assert "<img" not in text


def test_headings_and_missing_cells_stand_with_the_numbers_of_their_column():
    table = Table("T", ("name", "score", "mixed"), (("a", 0.5, 1), ("b", None, "text")))
    text = study_page(StudyResult(study="s", question="q?", findings=Findings(tables=[table])))
    assert '<th scope="col">name</th><th scope="col" class="number">score</th><th scope="col">mixed</th>' in text
    assert '<td>b</td><td class="number">–</td><td>text</td>' in text


def test_verdicts_are_counted():
    assert verdicts(_result().findings.checks) == "2 expectations: 1 holds, 1 undecided"


def test_the_index_leads_to_every_study(tmp_path):
    entries = [IndexEntry("babi/x", "does it?", "babi-x/index.html", "1 holds"), IndexEntry(_HOSTILE, "?", "b", "")]
    text = write_index(entries, tmp_path, scale="tiny").read_text(encoding="utf-8")
    assert 'href="babi-x/index.html"' in text
    assert "<img" not in text
    write_index(entries[:1], tmp_path, scale="tiny")  # ours is replaced


def test_a_page_of_somebody_else_stays(tmp_path):
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(UserError):
        write_index([], tmp_path, scale="tiny")


def test_a_report_shows_studies_beside_runs(tmp_path):
    write_study(_result(), tmp_path / "studies" / "toy", {PAGE: b"<p>page</p>"})
    run_suite(open_suite("babi/task-1"), model="mock/majority", folder=tmp_path / "run", limit=5)
    page = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "run"), str(tmp_path / "studies"), "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert 'href="studies/toy/index.html"' in text
    assert "data:image/svg+xml;base64," in text
    assert "cannot tell" in text
    assert "1 run on 1 suite, 5 records; 1 study" in text
    assert "<img src=x" not in text
    assert main(["report", str(tmp_path / "studies"), "-o", str(tmp_path / "alone.html")]) == 0
    assert "1 study" in (tmp_path / "alone.html").read_text(encoding="utf-8")


def test_a_study_shows_no_picture_from_elsewhere(tmp_path):
    """A study that somebody sends may name any file as its figure, or link to one."""
    secret = "<svg>secret</svg>"
    (tmp_path / "private.svg").write_text(secret)
    folder = tmp_path / "studies" / "toy"
    write_study(_result(), folder, {PAGE: b"<p>page</p>"})
    kept = msgspec.json.decode((folder / "study.json").read_bytes())
    own = kept["figures"][0]["file"]
    kept["figures"] = [
        {"file": name, "title": "t", "caption": ""} for name in ("../../private", str(tmp_path / "private"), "linked")
    ]
    (folder / "linked.svg").symlink_to(tmp_path / "private.svg")
    (folder / "study.json").write_bytes(msgspec.json.encode(kept))
    page = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "studies"), "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert base64.b64encode(secret.encode()).decode() not in text
    shown = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)  # a script draws what its button saves
    assert "data:image/svg+xml" not in shown and own


def test_sentences_and_counts():
    assert [study_sentence(text) for text in ("does it?", "Xyz", "")] == ["Does it?", "Xyz", ""]
    assert [counted(number, "run") for number in (0, 1, 2, 1200)] == ["0 runs", "1 run", "2 runs", "1,200 runs"]


def test_the_parts_of_a_page_are_numbered_and_named():
    table, plot = Table("T", ("a",), ((1,),)), IntervalPlot(title="F", points=(IntervalPoint("x", 0.5, 0.4, 0.6, 9),))
    findings = Findings(tables=[table, table], figures=[plot, plot])
    text = study_page(StudyResult(study="s", question="does it?", paper="Paper 2020", seed=7, findings=findings))
    assert "Does it? Paper 2020." in text and ", seed 7" in text and "first seed" not in text
    for anchor in ("figure-1", "figure-2", "table-1", "table-2"):
        assert f'id="{anchor}"' in text
    assert not {"figure-0", "figure-3", "table-0", "table-3", "expected", "said", "cut"} & set(
        re.findall(r'id="([^"]+)"', text)
    )
    assert re.findall(r'<h(\d)[^>]*id="(figures|tables)"', text) == [("2", "figures"), ("2", "tables")]
    runs = [SimpleNamespace()] * 2
    made = StudyResult(study="s", question="q?", seed=7, runs=runs, findings=findings)
    assert "scale custom, first seed 7, 2 runs" in study_page(made)
    made = StudyResult(study="s", question="q?", seed=7, scale="tiny", runs=runs[:1], findings=findings)
    assert "scale tiny, first seed 7, 1 run" in study_page(made)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([], "0 expectations"), (["holds"], "1 expectation: 1 holds"), (["holds"] * 2, "2 expectations: 2 hold"),
        (["does not hold"], "1 expectation: 1 does not hold"), (["cannot tell"] * 2, "2 expectations: 2 undecided"),
        (["cannot tell", "does not hold", "does not hold", "holds"],
         "4 expectations: 1 holds, 2 do not hold, 1 undecided"),
    ],
)  # fmt: skip
def test_verdicts_in_words(found, words):
    checks = [Check("claim", verdict, "0.5") for verdict in found]
    assert verdicts(checks) == words


def test_studies_of_a_report_show_what_they_have(tmp_path):
    def section(**findings):
        folder = tmp_path / "-".join(findings) / "toy"
        write_study(StudyResult(study="toy", question="does it?", findings=Findings(**findings)), folder, {})
        return str(study_section([folder, folder], tmp_path / "page.html"))

    table = Table("T", ("a",), ((1,),))
    plain = section(tables=[table, table])
    assert re.findall(r"<h(\d)", plain) == ["3", "3"]
    assert 'id="study-0"' in plain and 'id="study-1"' in plain and 'id="study-1-1"' in plain and "Does it?" in plain
    assert 'href="tables/toy/index.html"' not in plain, "no page of its own"
    assert "claim here" not in plain and "said so" not in plain
    assert "claim here" in section(checks=[Check("claim here", "holds", "0.5")])
    assert "said so" in section(sentences=["said so"])


def test_studies_are_found_at_and_below_a_folder(tmp_path):
    for name in ("b", "a/deep"):
        write_study(StudyResult(study="toy", question="q", findings=Findings()), tmp_path / name, {})
    assert find_studies(tmp_path) == [tmp_path / "a" / "deep", tmp_path / "b"] and find_studies(tmp_path / "b") == [
        tmp_path / "b"
    ]


def test_the_index_counts_its_studies(tmp_path):
    text = write_index([IndexEntry("n", "does it?", "l", "s")], tmp_path, scale="tiny").read_text("utf-8")
    assert "What 1 study found at tiny scale." in text and "Does it?" in text
