"""Write docs/figures.ipynb: one figure of each paper, with its own models, on a single GPU.

    python scripts/build_figures.py [--check]

Nothing in it has been run here: it takes a GPU. `tests/studies/test_figures_notebook.py` resolves every setting, plans
every run, and takes one training step of each with a small model in the place of the paper's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).resolve().parent.parent / "docs" / "figures.ipynb"


class FigureCell(NamedTuple):
    """A figure of a paper: the study, the settings of paper scale that are cut, and why."""

    title: str
    study: str
    settings: dict[str, Any]
    cut: str


FIGURES = (
    FigureCell(
        "TaskBench500, Figure 2: memorising along training",
        "taskbench/memorise",
        {
            "tasks": {"lexical": ["synonyms[eng]"], "factual": ["father"], "random": ["random-seed0[eng]"]},
            "conditions": [["pretrained", "original"]],
            "adaptations": ["finetune"],
            "seeds": 1,
        },
        "One task of each kind instead of all, fine-tuning alone (soft prompts take 200,000 updates), one seed.",
    ),
    FigureCell(
        "Super-NaturalInstructions, Figure 5a: more training tasks",
        "superni/scaling",
        {
            "models": ["hf/google/t5-v1_1-base"],
            "varied": [],
            "tasks": [6, 32, 79],
            "instances": [64],
            "seeds": 1,
            "limit": 20,
        },
        "T5.1.1 of 250M parameters instead of 3B, the generated collection (`suite='superni/en', options={'path': …}` "
        "takes the published one, with up to 757 tasks), 20 instances of each test task, one seed.",
    ),
    FigureCell(
        "SETI, Figure 1: seen and unseen compositions",
        "seti/systematicity",
        {
            "models": ["hf/FacebookAI/roberta-large"],
            "settings_asked": ["task2-trivial", "task2-nontrivial"],
            "seeds": 1,
        },
        "RoBERTa-large and the two settings of Task 2 alone, one seed.",
    ),
    FigureCell(
        "ZEST, competence by kind of generalisation (Table 9 as a figure)",
        "zest/competence",
        {"models": ["hf/facebook/bart-large"], "inputs": ["both"], "seeds": 1},
        "BART-large, as T5-11B does not fit; generated tasks (`suite='zest/file'` takes the published ones).",
    ),
    FigureCell(
        "Dyna-bAbI, Figure 7: inoculation",
        "babi/inoculate",
        {"groups": ["t7"], "doses": [0, 100, 500], "seeds": 1},
        "T5-base on T7 alone, three doses, one seed.",
    ),
)


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    cell["source"] = text.splitlines(keepends=True)
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook() -> str:
    """The notebook as text."""
    texts = [
        (
            "markdown",
            "# One figure of each paper\n\nEach cell repeats a figure with the paper's own models, cut down until it "
            "fits on one GPU; what was cut stands above it. `pip install 'taskloom[train]'` first. A dry run says what "
            "a figure takes before anything is fetched. See [studies](studies.md) for all figures and their settings.",
        ),
        (
            "code",
            "from pathlib import Path\n\nfrom IPython.display import SVG, Markdown, display\n\n"
            "from taskloom.core.catalog import STUDIES\n"
            "from taskloom.studies import RunStore, recipe_for, run_study, write_study\n"
            "from taskloom.studies.cost import cost_table\n\n\n"
            "def figure(name, **settings):\n"
            '    study = STUDIES.get(name)\n    recipe = recipe_for(study, "paper", settings)\n'
            "    shelf = RunStore()\n"
            "    display(Markdown(cost_table(list(study.grid(recipe, 0)), shelf).markdown()))\n"
            '    result = run_study(study, recipe, scale="paper", shelf=shelf)\n'
            '    for path in write_study(result, Path("figures") / name):\n'
            '        if path.suffix == ".svg":\n            display(SVG(path))\n'
            "    display(Markdown(result.markdown()))",
        ),
    ]
    for one in FIGURES:
        texts.append(("markdown", f"## {one.title}\n\n{one.cut}"))
        given = ",\n    ".join(f"{key}={value!r}" for key, value in one.settings.items())
        texts.append(("code", f'figure(\n    "{one.study}",\n    {given},\n)'))
    cells = [_cell(number, kind, text) for number, (kind, text) in enumerate(texts)]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write or check the notebook."""
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text(encoding="utf-8") != notebook())
    PAGE.write_text(notebook(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
