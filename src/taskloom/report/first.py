"""The first screen of a report: an answer per model, and the pictures of its frontier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import comb, fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
from markupsafe import Markup

from taskloom.core import PlainWords, UserError, content_hash, open_recorded
from taskloom.core.catalog import FAMILIES, lattice_of
from taskloom.core.display import counted
from taskloom.core.metric import Estimate
from taskloom.figures import IntervalPlot, IntervalPoint, PairCell, PairMatrix, PromisePlot, PromiseRow
from taskloom.report.html import FOLDED, TableCell, card, chooser, figure, heading, html_cell, part, plain_table, slug
from taskloom.report.sections import choose_facets
from taskloom.run.results import Run
from taskloom.score.stats import compare_apart, wilson
from taskloom.studies.contrasts import group_replicates, pooled
from taskloom.studies.frontier.claims import FILE, CellState, Claim, Frontier, ShownPair, load_frontier

if TYPE_CHECKING:
    from taskloom.studies.frontier.static import StaticFrontier

MOST_POOLED = 100_000
"""Runs with more answers than this are not fitted for a suggestion; their facets have intervals of their own."""
_MOST_SENTENCES = 12

Found: TypeAlias = "Frontier | StaticFrontier"
"""What a probe proved, or a run suggests."""


class ModelFinding(NamedTuple):
    """A frontier with what the page calls its model, and how it came about."""

    model: str
    found: Found
    proved: bool
    asked: str
    protocol: str
    to_samples: Callable[[Sequence[str]], str] = lambda cells: ""
    folder: str = ""

    def link(self, *cells: str) -> str:
        """Where the samples of cells are."""
        return self.to_samples(cells)

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
    folder: str = "",
) -> Markup:
    """Sentences, pair matrices and promises; the fall of each model from suite to suite where there is no frontier.

    Args:
        runs: The runs.
        names: What the page calls each.
        to_samples: Where the samples of some cells of a run are.
        pictures: Whether the figures of frontiers stand beside the sentences.
        folder: What commands of the page call the folder of the only run, where that is not its path.
    """
    # Baselines are bounds to read others by; they have no answer of their own unless they are alone.
    runs = [run for run in runs if not run.name.startswith("mock/")] or list(runs)
    findings, doubts = first_findings(runs, names, to_samples)
    if folder:
        findings = [finding._replace(folder=folder) for finding in findings]
    answers = [answer_of(finding) for finding in findings]
    steps = steps_by_model([run for run in runs if not is_probe(run)], names)
    falls = {model: fall_of(model, own) for model, own in steps.items()}
    spoken = {finding.model for finding in findings}
    answers = [with_fall(answer, falls) for answer in answers]
    answers += [fall for model, fall in falls.items() if model not in spoken]
    parts: list[Markup | str] = [heading(2, "The answer", "answer")]
    body: list[Markup | str] = [part("answers", answers[:_MOST_SENTENCES])]
    if len(answers) > _MOST_SENTENCES:
        body.append(part("note", f"{len(answers) - _MOST_SENTENCES} further models: see the tables of scores below."))
    body += [part("note", text) for text in doubts]
    drawn = steps_plot(steps)
    if drawn is not None:
        body.append(figure(drawn, "answer-suites"))
    drawings = finding_pictures(findings) if pictures else ""
    parts.append(card(part("columns", [part("join", body), drawings]) if drawings else part("join", body)))
    return part("join", parts)


def first_findings(
    runs: Sequence[Run],
    names: Mapping[int, str],
    to_samples: Callable[[Run, Sequence[str]], str] = lambda run, cells: "",
) -> tuple[list[ModelFinding], list[str]]:
    """What probes proved and runs suggest; and why some runs suggest nothing."""
    found: list[ModelFinding] = []
    doubts: list[str] = []
    times = Counter((run.name, run.plan.suite, is_probe(run)) for run in runs)

    def called(run: Run) -> str:
        """The model; where it was asked several times the same, the run."""
        return run.name if times[run.name, run.plan.suite, is_probe(run)] == 1 else names[id(run)]

    for run in runs:
        if is_probe(run):
            frontier, place = load_frontier(run.folder), (partial(to_samples, run), str(run.folder))
            found.append(ModelFinding(called(run), frontier, True, _asked(frontier), protocol_of(run), *place))
    proved = {(run.name, run.plan.suite) for run in runs if is_probe(run)}
    for run in runs:
        if is_probe(run) or (run.name, run.plan.suite) in proved or not has_lattice(run):
            continue
        value = run.overall().estimate.value
        if not 0 < value < 1:
            continue
        if len(run.records) > MOST_POOLED:
            doubts.append(
                f"{names[id(run)]}: no frontier is suggested from more than {MOST_POOLED:,} answers; "
                f"taskloom probe {run.plan.suite} asks only what it needs."
            )
            continue
        from taskloom.studies.frontier.static import study_run

        try:
            static = study_run(run)
        except UserError as error:
            doubts.append(f"{names[id(run)]} on {run.plan.suite} suggests no frontier: {error.message}.")
            continue
        asked = f"{counted(static.records, 'answer')}, pooled over combinations; suggested, not proved"
        place = partial(to_samples, run), str(run.folder)
        found.append(ModelFinding(called(run), static, False, asked, protocol_of(run), *place))
    return found, list(dict.fromkeys(doubts))


def has_lattice(run: Run) -> bool:
    """Whether the suite of a run can be opened again and has combinations."""
    if run.plan.suite.partition("/")[0] not in FAMILIES:
        return "skills" in run.facet_names()
    try:
        lattice_of(open_recorded(run.plan.suite, seed=run.plan.data_seed, options=run.plan.recipe))
    except UserError:  # an original task, a suite without training: the page then shows the fall alone
        return False
    return True


def _asked(frontier: Frontier) -> str:
    sure = 1 - frontier.settings.get("alpha", 0.05)
    asked = f"{counted(frontier.asked, 'question')} in {counted(frontier.rounds, 'round')}"
    return f"{asked}; all claims hold jointly with probability at least {sure:.0%}"


def frontier_view(found: Frontier) -> Markup:
    """What a probe found, without its log: the sentences and the pictures."""
    finding = ModelFinding(found.model, found, True, _asked(found), found.protocol)
    return card(part("columns", [part("answers", [answer_of(finding)]), finding_pictures([finding])]))


def answer_of(finding: ModelFinding) -> Answer:
    """A frontier as an answer: the strongest claim as the sentence, the next ones below it, and how to go on."""
    found = finding.found
    told = found.sentences_with_claims()
    lines = [
        AnswerLine(text, "" if claim is None else finding.link(claim.cell), None if claim is None else claim.pair)
        for text, claim in told[: 1 + _MOST_MORE]
    ]
    if (more := len(told) - len(lines)) > 0:
        lines.append(AnswerLine(f"… and {more} more in the table of all combinations."))
    where = f"on {found.suite}, {'probed' if finding.proved else 'from a finished run'}, protocol {finding.protocol}"
    note = f"{_counted(found)} {finding.asked}."
    words, steps = tuple(found.words.items()), tuple(_steps(finding))
    return Answer(finding.model, where, told[0][0], note, tuple(lines), words, steps)


def _steps(finding: ModelFinding) -> list[str]:
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


def with_fall(answer: Answer, falls: Mapping[str, Answer]) -> Answer:
    """An answer with the fall of its model, if there is one, in front of its note."""
    fall = falls.get(answer.model)
    if fall is None:
        return answer
    return msgspec.structs.replace(answer, note=f"{fall.said} {answer.note}")


def finding_pictures(findings: Sequence[ModelFinding]) -> Markup | str:
    """For each frontier its pair matrix and its promises; several to choose from."""
    panes = []
    for number, finding in enumerate(findings):
        anchor = f"answer-{number}-{slug(finding.model)}"
        shown = [*_matrices(finding, anchor)]
        promises = promise_plot(finding.found, f"Expected against measured: {finding.title}")
        if promises is not None:
            shown.append(figure(promises, f"{anchor}-promise"))
        cells = part("fold", f"All combinations ({len(finding.found.cells):,})", cell_table(finding, anchor))
        panes.append((finding.title, part("join", [*shown, cells])))
    return chooser("answer-of", "frontier of", panes)


def _matrices(finding: ModelFinding, anchor: str) -> list[Markup | str]:
    questions = sorted({cell.question for cell in finding.found.cells})
    wanted: list[tuple[str, str | None]] = [("all questions", None)]
    if len(questions) > 1:
        wanted = [(question, question) for question in worst_first(finding.found, questions)] + wanted
    panes = []
    for name, question in wanted:
        drawn = pair_matrix(finding.found, f"Pairs of parts: {finding.title}, {name}", question, finding.link)
        if drawn is not None:
            panes.append((name, figure(drawn, f"{anchor}-pairs-{slug(name)}")))
    return [chooser(f"{anchor}-question", "question", panes)] if panes else []


def worst_first(found: Found, questions: Sequence[str]) -> list[str]:
    """Questions, those with most claims first."""
    claimed = Counter(claim.cell.rpartition(": ")[0] for claim in found.claims)
    return sorted(questions, key=lambda question: (-claimed[question], question))


def cell_table(finding: ModelFinding, anchor: str) -> Markup:
    """The cells of a frontier with their intervals."""
    rows = []
    told = any(cell.trained is not None for cell in finding.found.cells)
    for cell in finding.found.cells:
        share = cell.share
        numbers = (share.value, share.low, share.high) if share.n else (None, None, None)
        guess = TableCell("–") if share.guess is None else TableCell(f"{share.guess:.2f}", repr(share.guess))
        name = TableCell("+".join(cell.atoms), link=finding.link(share.cell) if share.n else "")
        shown = [*map(html_cell, (cell.standing, *numbers)), guess, *map(html_cell, (share.n, cell.trained))]
        rows.append([TableCell(cell.question), name, *(shown if told else shown[:-1])])
    kind = "simultaneous, valid at any stopping time" if finding.proved else "pooled, one at a time"
    caption = f"{finding.title}: share right by combination; 95 % intervals, {kind}; {finding.asked}."
    columns = ("question", "parts", "standing", "share", "low", "high", "guessing", "n", *["fitted to"][: int(told)])
    return plain_table(f"{anchor}-cells", caption, columns, rows, folded=FOLDED)


_MOST_MORE = 4
_MOST_ATOMS = 16
"""A matrix with more atoms than this is no picture any more; the table of all cells has them."""


def _strength(claim: Claim) -> tuple[bool, float, int, float, str]:
    whole = claim.whole
    return (not claim.proved, -(claim.probability or 0.0), whole.cell.count("+"), whole.high, whole.cell)


def _counted(found: Found) -> str:
    counts = {name: number for name, number in found.counts().items() if number}
    words = {"between": "in between", "inherited": "vouched for by a larger one", "open": "undecided"}
    listed = ", ".join(f"{number} {words.get(name, name)}" for name, number in counts.items())
    return f"{counted(len(found.cells), 'combination')}: {listed}."


def pair_matrix(
    found: Found, title: str, question: str | None = None, link: Callable[..., str] = lambda *cells: ""
) -> PairMatrix | None:
    """Atoms against atoms: the share right where both meet and no other failing pair does.

    Of one question type alone, or of all together; None where there are no two atoms, or too many.
    """
    cells = [cell for cell in found.cells if question is None or cell.question == question]
    common = Counter(atom for cell in cells for atom in cell.atoms)
    # What most combinations hold comes first, so that the others stand beside it and not in rows of their own.
    atoms = tuple(sorted(common, key=lambda atom: (-common[atom], atom)))
    if not 2 <= len(atoms) <= _MOST_ATOMS:
        return None
    claimed = {claim.cell for claim in found.claims}
    failing = _failing_sets(cells, claimed)
    pairs = []
    for place, first in enumerate(atoms):
        for second in atoms[place:]:
            both = {first, second}
            holding = [cell for cell in cells if both <= set(cell.atoms)]
            # The diagonal is a part by itself: what it does in company stands where the two meet.
            alone = first != second or any(cell.atoms == (first,) for cell in holding)
            if holding and alone:
                pairs.append(_pair(first, second, holding, failing, claimed, link))
    caption = (
        "Share right in the smallest combinations that hold two parts and nothing else that fails; on the diagonal, of "
        "a part alone (empty: never asked alone). Fainter: fewer answers. Grey: not asked, or no combination "
        "without another failing one."
    )
    return PairMatrix(title=title, caption=caption, atoms=atoms, cells=tuple(pairs))


def _failing_sets(cells: Iterable[CellState], claimed: set[str]) -> list[frozenset[str]]:
    """What fails, as sets of atoms, the smallest only."""
    sets = {frozenset(cell.atoms) for cell in cells if cell.share.cell in claimed}
    return [atoms for atoms in sets if not any(other < atoms for other in sets)]


def _pair(
    first: str,
    second: str,
    holding: Sequence[CellState],
    failing: Sequence[frozenset[str]],
    claimed: set[str],
    link: Callable[..., str],
) -> PairCell:
    # The smallest combinations with both: what else they need is what every such question needs.
    smallest = _smallest(holding)
    own = [cell for cell in smallest if cell.share.cell in claimed]
    free = [cell for cell in holding if not any(atoms <= set(cell.atoms) for atoms in failing)]
    # Larger ones would mix in what they lack beyond this pair, and contradict the sentences beside the figure.
    chosen = own or _smallest([cell for cell in free if cell.share.n]) or free
    n = sum(cell.share.n for cell in chosen)
    trained = _trained(smallest)
    if not n and not any(cell.standing == "inherited" for cell in chosen):
        return PairCell(first, second, None, trained=trained)
    if not n:
        return PairCell(first, second, 1.0, 0.0, 1.0, 0, "inherited", trained)
    right = fsum(cell.share.value * cell.share.n for cell in chosen)
    low, high = (chosen[0].share.low, chosen[0].share.high) if len(chosen) == 1 else wilson(min(right, n), n)
    to_samples = link(*(cell.share.cell for cell in chosen if cell.share.n))
    return PairCell(first, second, right / n, low, high, n, "frontier" if own else "asked", trained, to_samples)


def _smallest(cells: Sequence[CellState]) -> list[CellState]:
    least = min((len(cell.atoms) for cell in cells), default=0)
    return [cell for cell in cells if len(cell.atoms) == least]


def _trained(cells: Sequence[CellState]) -> bool | None:
    known = [cell.trained for cell in cells if cell.trained is not None]
    return any(known) if known else None


def promise_plot(found: Found, title: str) -> PromisePlot | None:
    """What the parts of each claim promise, and what was measured; None without claims."""
    rows = []
    for claim in sorted(found.claims, key=_strength)[:12]:
        whole = claim.whole
        if claim.predicted is not None:
            first, second = claim.predicted.first.value, claim.predicted.second.value
            least, most = claim.predicted.at_least, claim.predicted.at_most
        else:
            first = second = least = most = claim.base.value
        measured = (whole.value, whole.low, whole.high, whole.n, claim.proved)
        rows.append(PromiseRow(whole.cell, first, second, least, most, *measured))
    if not rows:
        return None
    said = f" The first 12 of {len(found.claims)}." if len(found.claims) > 12 else ""
    caption = f"Each failing combination against what its parts lead one to expect.{said}"
    return PromisePlot(title=title, caption=caption, claims=tuple(rows))


_MOST_SHOWN = 60
_FEWEST = 5
"""Groups with fewer answers than this are no ends of a fall along a facet."""


class AnswerLine(NamedTuple):
    """One sentence, where its samples are, and a pair of items that shows it."""

    text: str
    link: str = ""
    pair: ShownPair | None = None


class Answer(msgspec.Struct, frozen=True):
    """What the first screen says about one model.

    Attributes:
        model: The model.
        where: The suite, and how it was asked.
        said: The answer.
        note: What it rests on.
        lines: The answer and the further findings with where they lead and their items.
        words: Plain words for the names in them.
        steps: Commands that go on from here.
    """

    model: str
    where: str
    said: str
    note: str = ""
    lines: tuple[AnswerLine, ...] = ()
    words: tuple[tuple[str, PlainWords], ...] = ()
    steps: tuple[str, ...] = ()


class Step(NamedTuple):
    """A model on one suite: the first of its runs there, and the mean over its seeds."""

    run: Run
    where: str
    estimate: Estimate
    adapted_here: bool


def steps_by_model(runs: Sequence[Run], names: Mapping[int, str]) -> dict[str, list[Step]]:
    """Where each model was asked: what it was trained on first, then in the order in which the runs were given.

    Where a model was asked several times on the same rows, each of its settings counts as a model of its own.
    """
    groups, places = group_replicates(runs), _places(runs)
    times = Counter((group[0].name, places[id(group[0])]) for group in groups)
    owned: dict[str, list[list[Run]]] = {}
    for group in groups:
        alone = times[group[0].name, places[id(group[0])]] == 1
        owned.setdefault(group[0].name if alone else names[id(group[0])], []).append(group)
    homes = {(_lesson(run), places[id(run)]) for run in runs}
    found = {}
    for model, own in owned.items():
        steps = []
        for group in own:
            run, place = group[0], places[id(group[0])]
            taught = _lesson(run) or _taught(run)
            here = bool(taught) and (taught, place) in homes
            steps.append(Step(run, place, pooled(group, model).estimate, here))
        found[model] = sorted(steps, key=lambda step: (not step.adapted_here, step.run.plan.split != "train"))
    return found


def _places(runs: Sequence[Run]) -> dict[int, str]:
    """What the page calls the suite of each run; where one name stands for several recipes, with what differs."""
    recipes: dict[str, dict[str, Run]] = {}
    for run in runs:
        recipes.setdefault(where_asked(run), {}).setdefault(content_hash(run.plan.recipe), run)
    found = {}
    for run in runs:
        alike = recipes[where_asked(run)]
        found[id(run)] = where_asked(run)
        if len(alike) > 1:
            first = alike[content_hash(run.plan.recipe)]
            found[id(run)] += f" ({differing(first, list(alike.values()))})"
    return found


def differing(run: Run, others: Sequence[Run]) -> str:
    """The options of a suite that no other recipe has alike, or the folder of its first run where that is too much."""
    keys = [key for key in run.plan.recipe if len({repr(other.plan.recipe.get(key)) for other in others}) > 1]
    text = ", ".join(f"{key}={run.plan.recipe[key]}" for key in keys)
    return text if text and len(text) <= _MOST_SHOWN else run.folder.name


def fall_of(model: str, steps: Sequence[Step]) -> Answer:
    """How a model falls from the suite it knows to the one where it falls most; on one suite, along a facet."""
    steps = [step for step in steps if step.estimate.n]
    if not steps:
        return Answer(model, "", "Has no scored answer.", note="")
    first, others = steps[0], steps[1:]
    where = f"protocol {protocol_of(first.run)}, {first.run.estimand}"
    known = f"{share_words(first.estimate)} on {first.where}"
    if not others:
        return Answer(model, where, f"{known}{_along_facet(first)}.")
    if first.adapted_here:
        # The same settings on several suites are several models, one for each.
        alike = all(step.adapted_here for step in others)
        known += ", adapted to each suite by itself" if alike else ", to which it was adapted"
    last = min(others, key=lambda step: step.estimate.value)
    lowest = f" (the lowest of {len(others)} others)" if len(others) > 1 else ""
    return Answer(model, where, f"{known}; {share_words(last.estimate)} on {last.where}{lowest}: "
                  f"{_difference_words(first.estimate, last.estimate, len(others))}.")  # fmt: skip


def _difference_words(first: Estimate, last: Estimate, looks: int) -> str:
    fall, rise = compare_apart(first, last, looks), compare_apart(last, first, looks)
    if not fall.told:
        return f"no clear difference ({rise})"
    return f"falls by {fall}" if fall.value > 0 else f"rises by {rise}"


def _along_facet(step: Step) -> str:
    """The ends of the facet that divides the scores most, where they differ beyond chance."""
    run, mean = step.run, step.estimate
    facets = choose_facets([run], ()).drawn if 0 < mean.value < 1 else []
    if not facets:
        return ""
    groups = run.by_facet(facets[0])
    known = [(group.estimate, key[0]) for key, group in groups.items() if group.estimate.n >= _FEWEST]
    if len(known) < 2:
        return ""
    (low, worse), (high, better) = min(known), max(known)
    # Both ends, and the facet itself, were sought out.
    fall = compare_apart(high, low, comb(len(known), 2) * len(facets))
    if not fall.told:
        return f"; no clear difference by {facets[0]}, which separates the scores most"
    return f"; by {facets[0]}, from {share_words(high)} with {better} down to {share_words(low)} with {worse}"


def _lesson(run: Run) -> str:
    """What a run adapted its model by; "" where it did not."""
    adaptation = run.plan.adaptation
    return content_hash(adaptation) if adaptation.get("name", "none") != "none" else ""


def _taught(run: Run) -> str:
    """What the model of a run had been adapted by in another run."""
    before: dict[str, Any] = run.plan.model.get("settings", {}).get("adaptation", {})
    return str(before.get("hash", ""))


def protocol_of(run: Run) -> str:
    """The protocol of a run, or its encoding where it has none."""
    return str(run.plan.protocol.get("name") or run.plan.encoding.get("name"))


def where_asked(run: Run) -> str:
    """The suite of a run, and its split where that is not the test split."""
    return run.plan.suite if run.plan.split in ("test", "") else f"{run.plan.suite} ({run.plan.split})"


def share_words(estimate: Estimate) -> str:
    """A share with its interval and what it rests on."""
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}] (n = {estimate.n:,})"


def steps_plot(steps: Mapping[str, Sequence[Step]]) -> IntervalPlot | None:
    """Every model on every suite, where several were asked; those that a model was trained on first."""
    every = [(model, step) for model, own in steps.items() for step in own]
    suites = dict.fromkeys(step.where for _, step in every if step.adapted_here)
    suites |= dict.fromkeys(step.where for _, step in every)
    if len(suites) < 2:
        return None
    points = [
        IntervalPoint(suite, *step.estimate[:4], model)
        for suite in suites
        for model, step in every
        if step.where == suite
    ]
    return IntervalPlot(title="Every model on every suite", points=tuple(points),
                        caption="The score of every model on every suite, with 95 % intervals.")  # fmt: skip
