"""The tables of ZEST at a small size."""

from __future__ import annotations

from pathlib import Path

from taskloom.core import resolve
from taskloom.core.catalog import STUDIES
from taskloom.core.study import Table

SMALL = {"train": 60, "dev": 20, "test": 60, "passages": 6, "surplus": 0}


def tables(out: Path | None = None) -> dict[str, Table]:
    study = STUDIES.get("zest/tables")
    models = ["mock/oracle", "reading/na", "reading/yes", "reading/longest-overlap"]
    recipe = resolve(study.recipe, {"options": SMALL, "models": models}, where="test")
    return {table.title.split(":")[0]: table for table in study.run(recipe, 5, out)}


def test_tables_have_their_published_counterparts(tmp_path: Path) -> None:
    made = tables(tmp_path)
    assert {"Table 2", "Table 4", "Table 5", "Table 6"} <= set(made)
    statistics = {row[0]: row for row in made["Table 2"].rows}
    assert statistics["tasks"][1:] == (60, 20, 60, 538, 114, 599)
    assert statistics["(task, passage) pairs"][1:4] == (360, 120, 360)

    competence = {row[:3]: row for row in made["Table 4"].rows}
    assert competence["mock/oracle", "test", "overall"][4:7] == (1.0, 1.0, 1.0)
    # Saying n/a does the tasks whose passages are all silent, and no others.
    silent = competence["reading/na", "test", "overall"][4:7]
    assert 0 < silent[0] < 0.3 and len(set(silent)) == 1
    assert competence["reading/yes", "test", "overall"][8:] == (0.56, 0.28, 0.12)

    ablations = {row[:2]: row for row in made["Table 5"].rows}
    assert ("question only", "mock/oracle") not in ablations
    assert ablations["context only", "reading/longest-overlap"][3] < 0.3
    # Without a passage the baseline says yes, or n/a where the question is open: right where every passage is silent.
    assert ablations["question only", "reading/longest-overlap"][3] >= ablations["full data", "reading/yes"][3]

    errors = {row[:2]: row for row in made["Table 6"].rows}
    assert errors["mock/oracle", "test"][3] == 0
    assert errors["reading/na", "test"][4:] == (1.0, 0.0, 0.0, 0.0)
    assert sum(errors["reading/longest-overlap", "test"][4:]) > 0.999  # type: ignore[arg-type]
    assert len((tmp_path / "reading-na.test.jsonl").read_text().splitlines()) == 360
