"""Write docs/tour.ipynb with its outputs: `python scripts/build_notebook.py`, in an empty folder of your choice."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

TOUR = """
# # A tour of Taskloom
# From a suite to a run and its combinations, in a notebook. The [tutorial](tutorial.md) explains each step.
# %%
import taskloom

suite = taskloom.open_suite("babi/mix-t2", seed=7, options={"train": 200, "dev": 50, "test": 300})
suite
# %%
# A row is a question with every acceptable answer and typed facets.
# %%
suite["test"][0].instance
# %%
# Splits behave like sequences: slice them, filter them, turn them into tables.
# %%
suite["test"].only(question="where-object").take(2)
# %%
taskloom.to_arrow(suite.take(3), "test").select(["task", "input", "support_size"])
# %%
# A task of your own is a function.
# %%
@taskloom.task(
    definition="You are given a word. Write its letters in reverse order.",
    right=[("ab", "ba", "The last letter comes first.")],
)
def backwards(rng):
    word = "".join(rng.choices("abcdefgh", k=6))
    return word, word[::-1]


own = taskloom.Suite.of([backwards], train=50, test=20)
own
# %%
# Run a model. Answers are logged in the folder; the same cell continues what was stopped.
# %%
run = taskloom.run_suite(suite, model="mock/majority", folder="runs/majority")
run
# %%
for (question,), group in run.by_facet("question").items():
    print(f"{question:14} {group.estimate}")
# %%
# Every record is a row of a table.
# %%
run.to_arrow().slice(0, 3).select(["task", "answer", "score"])
"""


def cells(text: str) -> list[dict[str, Any]]:
    """The cells between the markers; those that are all comments are prose."""
    found = []
    for number, part in enumerate(text.strip().split("\n# %%\n")):
        source = part.strip("\n")
        prose = all(line.startswith("#") for line in source.splitlines())
        body = "\n".join(line.removeprefix("# ") for line in source.splitlines()) if prose else source
        cell = {"cell_type": "markdown" if prose else "code", "id": f"cell-{number}", "metadata": {}}
        found.append({**cell, "source": body.splitlines(keepends=True)})
    return found


def run_cells(found: list[dict[str, Any]]) -> None:
    """Execute the code as a notebook would: what is printed, and the value of the last line."""
    namespace: dict[str, Any] = {}
    count = 0
    for cell in found:
        if cell["cell_type"] != "code":
            continue
        count += 1
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(tree, "cell", "exec"), namespace)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace) if last else None
        cell |= {"execution_count": count, "outputs": []}
        if out.getvalue():
            text = out.getvalue().splitlines(keepends=True)
            cell["outputs"].append({"output_type": "stream", "name": "stdout", "text": text})
        if value is not None:
            shown = {"text/plain": repr(value).splitlines(keepends=True)}
            if hasattr(value, "_repr_html_"):
                shown["text/html"] = value._repr_html_().splitlines(keepends=True)
            result = {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": shown}
            cell["outputs"].append(result)


def main() -> None:
    """Write the notebook."""
    found = cells(TOUR)
    run_cells(found)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": found, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path = Path(__file__).resolve().parent.parent / "docs" / "tour.ipynb"
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
