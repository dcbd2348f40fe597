"""Groups of records as row numbers, against loops over the same columns."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from taskloom.run.columns import Columns, facet_labels, facet_rows, labels_of, split_by_code


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        (None, ["–"]),
        ([], ["none"]),
        (["a", 2], ["a", "2"]),
        (("a",), ["a"]),
        (3, ["3"]),
        ("x", ["x"]),
        (False, ["False"]),
    ],
)
def test_the_groups_of_a_value(value, labels):
    assert labels_of(value) == labels


@pytest.mark.parametrize(
    ("codes", "rows"),
    [
        ([], {}), ([4], {4: [0]}), ([2, 0, 2, 1, 0], {2: [0, 2], 0: [1, 4], 1: [3]}), ([0, 0], {0: [0, 1]}),
        ([-1, 5, -1], {-1: [0, 2], 5: [1]}),
    ],
)  # fmt: skip
def test_rows_by_code_in_the_order_of_their_first(codes, rows):
    found = split_by_code(np.array(codes))
    assert list(found) == list(rows) and {code: held.tolist() for code, held in found.items()} == rows


TASKS = {"t": SimpleNamespace(facets={"level": 7, "kind": "x"}), "u": SimpleNamespace(facets={"kind": ["x", "y"]})}


def columns(**facets):
    held = {"task": ["t", "u", "t", "u"], "wording": ["", "w", "", "w"]}
    held |= {f"facet:{name}": values for name, values in facets.items()}
    return Columns([Held(pa.table({name: pa.array(values, pa.string()) for name, values in held.items()}))])


class Held:
    """A part of a run: as many columns as grouping reads."""

    ordered = True

    def __init__(self, table):
        self.table = table
        self.facets = [name.removeprefix("facet:") for name in table.column_names if name.startswith("facet:")]

    def __len__(self):
        return self.table.num_rows

    def column(self, name):
        return self.table.column(name)


def told(rows, labels):
    return [labels[row] for row in rows]


def test_labels_of_tasks_wordings_and_facets():
    held = columns(level=["1", None, None, "2"], size=["3", "4", "3", "4"])
    assert told(*facet_labels(held, TASKS, "task")) == [["t"], ["u"], ["t"], ["u"]]
    assert told(*facet_labels(held, TASKS, "wording")) == [["–"], ["w"], ["–"], ["w"]]
    assert told(*facet_labels(held, TASKS, "kind")) == [["x"], ["x", "y"], ["x"], ["x", "y"]], "the task's alone"
    assert told(*facet_labels(held, TASKS, "size")) == [["3"], ["4"], ["3"], ["4"]]
    assert told(*facet_labels(held, TASKS, "level")) == [["1"], ["–"], ["7"], ["2"]], "where it is missing, the task's"


def test_rows_of_every_combination():
    held = columns(level=["1", None, None, "2"], size=["3", "4", "3", "4"])
    found = facet_rows(held, TASKS, ["kind", "size"])
    assert {key: rows.tolist() for key, rows in found.items()} == {
        ("x", "3"): [0, 2], ("x", "4"): [1, 3], ("y", "4"): [1, 3],
    }  # fmt: skip
    joined = facet_rows(held, TASKS, ["kind"])
    assert {key: rows.tolist() for key, rows in joined.items()} == {("x",): [0, 1, 2, 3], ("y",): [1, 3]}, "in order"
    both = facet_rows(held, TASKS, ["level", "task"])
    assert {key: rows.tolist() for key, rows in both.items()} == {
        ("1", "t"): [0], ("–", "u"): [1], ("7", "t"): [2], ("2", "u"): [3],
    }  # fmt: skip
