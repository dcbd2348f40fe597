from __future__ import annotations

import pytest

from taskloom.core import UserError, open_suite, resolve
from taskloom.studies.instructions import INSTRUCTIONS, _comparable


@pytest.mark.train
def test_every_row_is_about_the_same_tasks_and_the_oracle_is_fitted_to_them(tmp_path):
    pytest.importorskip("torch")
    small = {"model": "tiny/t5-1m", "adaptation": "finetune", "options": {}, "shots": 2, "updates": 2, "limit": 20}
    small |= {"settings.instances": 4, "settings.oracle_instances": 4, "settings.families": False, "max_tokens": 4}
    recipe = resolve(INSTRUCTIONS.recipe, small, where="test")
    (table,) = INSTRUCTIONS.run(recipe, 0, tmp_path)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [row["updates"] for row in rows] == [0, 2, 2]
    assert [row["n"] for row in rows] == [20, 20, 20]
    assert all(0 <= row["low"] <= row["ROUGE-L"] <= row["high"] <= 1 for row in rows)
    assert (tmp_path / "oracle" / "result.json").is_file()
    assert INSTRUCTIONS.run(recipe, 0, tmp_path) == [table]


def test_only_tasks_with_oracle_data_are_compared():
    suite = open_suite("superni/embedded", options={"oracle_instances": 2, "instances": 2, "families": True})
    tasks = _comparable(suite)
    assert tasks < {row.task for row in suite.rows("test")}
    assert not tasks & {row.task for row in suite.rows("train")}
    with pytest.raises(UserError, match="no split 'oracle'"):
        _comparable(open_suite("superni/embedded", options={"instances": 2}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"adaptation": "none"}, "none trains nothing"),
        ({"adaptation": "in-context"}, "in-context trains nothing"),
        ({"adaptation": "lroa"}, "did you mean 'lora'"),
        ({"options.rnak": 2}, "did you mean 'rank'"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_a_model_is_opened(change, said):
    recipe = resolve(INSTRUCTIONS.recipe, {"model": "hf/nobody/nothing", **change}, where="test")
    with pytest.raises(UserError, match=said):
        INSTRUCTIONS.run(recipe, 0, None)
