"""The first screen of a report: an answer per model, and the pictures of its frontier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from taskloom.core import UserError, open_recorded
from taskloom.core.catalog import FAMILIES, lattice_of
from taskloom.report.answer import Answer, Found, answer_of, pair_matrix, promise_plot
from taskloom.report.fall import fall_of, protocol_of, steps_by_model, steps_plot
from taskloom.report.html import card, chooser, figure, heading, part, slug
from taskloom.report.tables import FOLDED, TableCell, plain_table
from taskloom.run.results import Run
from taskloom.studies.frontier.claims import FILE, Frontier, load_frontier

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["first_screen", "is_probe"]

_MOST_POOLED = 100_000
"""Runs with more answers than this are not fitted for a suggestion; their facets have intervals of their own."""
_MOST_SENTENCES = 12


class _Finding(NamedTuple):
    """A frontier with what the page calls its model, and how it came about."""

    model: str
    found: Found
    proved: bool
    asked: str
    protocol: str
    to_samples: Callable[[Sequence[str]], str] = lambda cells: ""
    folder: str = ""

    def link(self, *cells: str) -> str:
        """Where the samples of cells are; records of a run do not say their cells, so its mistakes stand for them."""
        return self.to_samples(cells if self.proved else ())

    @property
    def title(self) -> str:
        """What the figures are about."""
        return f"{self.model} on {self.found.suite}"


def is_probe(run: Run) -> bool:
    """Whether a run is the log of a probe: it has asked as the search wanted, so its mean means nothing."""
    return bool(run.plan.streams) and (run.folder / FILE).is_file()


def first_screen(
    runs: Sequence[Run],
    names: Mapping[int, str],
    to_samples: Callable[[Run, Sequence[str]], str] = lambda run, cells: "",
    pictures: bool = True,
) -> Markup:
    """Sentences, pair matrices and promises; the fall of each model from suite to suite where there is no frontier.

    Args:
        runs: The runs.
        names: What the page calls each.
        to_samples: Where the samples of some cells of a run are; of its mistakes, where no cell is named.
        pictures: Whether the figures of frontiers stand beside the sentences.
    """
    # Baselines are bounds to read others by; they have no answer of their own unless they are alone.
    runs = [run for run in runs if not run.name.startswith("mock/")] or list(runs)
    findings, doubts = _findings(runs, names, to_samples)
    answers = [_said(finding) for finding in findings]
    steps = steps_by_model([run for run in runs if not is_probe(run)], names)
    falls = {model: fall_of(model, own) for model, own in steps.items()}
    spoken = {finding.model for finding in findings}
    answers = [_with_fall(answer, falls) for answer in answers]
    answers += [fall for model, fall in falls.items() if model not in spoken]
    parts: list[Markup | str] = [heading(2, "The answer", "answer")]
    body: list[Markup | str] = [part("answers", answers[:_MOST_SENTENCES])]
    if len(answers) > _MOST_SENTENCES:
        body.append(part("note", f"{len(answers) - _MOST_SENTENCES} further models: see the tables of scores below."))
    body += [part("note", text) for text in doubts]
    drawn = steps_plot(steps)
    if drawn is not None:
        body.append(figure(drawn, "answer-suites"))
    drawings = _pictures(findings) if pictures else ""
    parts.append(card(part("columns", [part("join", body), drawings]) if drawings else part("join", body)))
    return part("join", parts)


def _findings(
    runs: Sequence[Run],
    names: Mapping[int, str],
    to_samples: Callable[[Run, Sequence[str]], str] = lambda run, cells: "",
) -> tuple[list[_Finding], list[str]]:
    """What probes proved and runs suggest; and why some runs suggest nothing."""
    found: list[_Finding] = []
    doubts: list[str] = []
    times = Counter((run.name, run.plan.suite, is_probe(run)) for run in runs)

    def called(run: Run) -> str:
        """The model; where it was asked several times the same, the run."""
        return run.name if times[run.name, run.plan.suite, is_probe(run)] == 1 else names[id(run)]

    for run in runs:
        if is_probe(run):
            frontier = load_frontier(run.folder)
            asked = f"{frontier.asked:,} questions in {frontier.rounds} rounds; {_level(frontier)}"
            place = partial(to_samples, run), str(run.folder)
            found.append(_Finding(called(run), frontier, True, asked, protocol_of(run), *place))
    proved = {(run.name, run.plan.suite) for run in runs if is_probe(run)}
    for run in runs:
        if is_probe(run) or (run.name, run.plan.suite) in proved or not _has_lattice(run):
            continue
        value = run.overall().estimate.value
        if not 0 < value < 1:
            continue
        if len(run.records) > _MOST_POOLED:
            doubts.append(
                f"{names[id(run)]}: no frontier is suggested from more than {_MOST_POOLED:,} answers; "
                f"taskloom probe {run.plan.suite} asks only what it needs."
            )
            continue
        from taskloom.studies.frontier.static import study_run

        try:
            static = study_run(run)
        except UserError as error:
            doubts.append(f"{names[id(run)]} on {run.plan.suite} suggests no frontier: {error.message}.")
            continue
        asked = f"{static.records:,} answers, pooled over combinations; suggested, not proved"
        place = partial(to_samples, run), str(run.folder)
        found.append(_Finding(called(run), static, False, asked, protocol_of(run), *place))
    return found, list(dict.fromkeys(doubts))


def _has_lattice(run: Run) -> bool:
    """Whether the suite of a run can be opened again and has combinations."""
    if run.plan.suite.partition("/")[0] not in FAMILIES:
        return "skills" in run.facet_names()
    try:
        lattice_of(open_recorded(run.plan.suite, seed=run.plan.data_seed, options=run.plan.recipe))
    except UserError:  # an original task, a suite without training: the page then shows the fall alone
        return False
    return True


def _level(frontier: Frontier) -> str:
    alpha = frontier.settings.get("alpha", 0.05)
    return f"all claims hold jointly with probability at least {1 - alpha:.0%}"


def _said(finding: _Finding) -> Answer:
    how = "probed" if finding.proved else "from a finished run"
    where = f"on {finding.found.suite}, {how}, protocol {finding.protocol}"
    answer = answer_of(finding.found, finding.model, where, note=f"{finding.asked}.", link=finding.link)
    return msgspec.structs.replace(answer, steps=tuple(_steps(finding)))


def _steps(finding: _Finding) -> list[str]:
    """Commands to go on with."""
    if not finding.folder:
        return []
    if isinstance(finding.found, Frontier):
        budget = 2 * int(finding.found.settings.get("budget", 10_000))
        teach = [f"taskloom cure {finding.folder} --model MODEL -o cured"] if finding.found.claims else []
        probe = f"taskloom probe {finding.found.suite} --model MODEL --budget {budget} -o {finding.folder}"
        return [probe, *teach]
    return [
        f"taskloom probe {finding.found.suite} --model MODEL --budget 1000 -o probe",
        f"taskloom compare OTHER {finding.folder}",
    ]


def _with_fall(answer: Answer, falls: Mapping[str, Answer]) -> Answer:
    fall = falls.get(answer.model)
    if fall is None:
        return answer
    return msgspec.structs.replace(answer, note=f"{fall.said} {answer.note}")


def _pictures(findings: Sequence[_Finding]) -> Markup | str:
    """For each frontier its pair matrix and its promises; several to choose from."""
    panes = []
    for number, finding in enumerate(findings):
        anchor = f"answer-{number}-{slug(finding.model)}"
        shown = [*_matrices(finding, anchor)]
        promises = promise_plot(finding.found, f"Expected against measured: {finding.title}")
        if promises is not None:
            shown.append(figure(promises, f"{anchor}-promise"))
        cells = part("fold", f"All {len(finding.found.cells):,} combinations", _cell_table(finding, anchor))
        panes.append((finding.title, part("join", [*shown, cells])))
    return chooser("answer-of", "frontier of", panes)


def _matrices(finding: _Finding, anchor: str) -> list[Markup | str]:
    questions = sorted({cell.question for cell in finding.found.cells})
    wanted: list[tuple[str, str | None]] = [("all questions", None)]
    if len(questions) > 1:
        wanted = [(question, question) for question in _worst_first(finding.found, questions)] + wanted
    panes = []
    for name, question in wanted:
        drawn = pair_matrix(finding.found, f"Pairs of parts: {finding.title}, {name}", question, finding.link)
        if drawn is not None:
            panes.append((name, figure(drawn, f"{anchor}-pairs-{slug(name)}")))
    return [chooser(f"{anchor}-question", "question", panes)] if panes else []


def _worst_first(found: Found, questions: Sequence[str]) -> list[str]:
    claimed = Counter(claim.cell.rpartition(": ")[0] for claim in found.claims)
    return sorted(questions, key=lambda question: (-claimed[question], question))


def _cell_table(finding: _Finding, anchor: str) -> Markup:
    rows = []
    told = any(cell.trained is not None for cell in finding.found.cells)
    for cell in finding.found.cells:
        share = cell.share
        fitted = [TableCell("–" if cell.trained is None else "yes" if cell.trained else "no")] if told else []
        numbers = (share.value, share.low, share.high)
        shown = [TableCell(f"{number:.3f}", repr(number)) if share.n else TableCell("–") for number in numbers]
        guess = TableCell("–") if share.guess is None else TableCell(f"{share.guess:.2f}", repr(share.guess))
        name = TableCell("+".join(cell.atoms), link=finding.link(share.cell) if share.n and finding.proved else "")
        rows.append([TableCell(cell.question), name, TableCell(cell.standing), *shown, guess,
                     TableCell(f"{share.n:,}", str(share.n)), *fitted])  # fmt: skip
    kind = "simultaneous, valid at any stopping time" if finding.proved else "pooled, one at a time"
    caption = f"{finding.title}: share right by combination; 95 % intervals, {kind}; {finding.asked}."
    columns = ("question", "parts", "standing", "share", "low", "high", "guessing", "n", *["fitted to"][: int(told)])
    return plain_table(f"{anchor}-cells", caption, columns, rows, folded=FOLDED)
