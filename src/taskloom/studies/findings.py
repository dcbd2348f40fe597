"""What a study says: tables, figures, sentences, and the paper's expectations as checks with evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import copysign, inf, isfinite, sqrt
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from taskloom.core import Recipe
from taskloom.core.csv_table import encode_csv
from taskloom.core.decode import read_toml
from taskloom.core.display import counted
from taskloom.core.metric import Estimate
from taskloom.core.study import Study, Table, Value
from taskloom.figures import Figure
from taskloom.score.stats import estimand, student_quantile
from taskloom.store.atomic import clear_halves, lock_folder
from taskloom.store.ownership import refuse_foreign, remove_stale, write_ours

Over: TypeAlias = Literal["seeds", "tasks", "nothing"]
"""What the intervals of a table are about."""

_OVER: dict[Over, str] = {
    "seeds": "95 % intervals for other seeds of these tasks",
    "tasks": "95 % intervals for other tasks and seeds",
    "nothing": "without intervals",
}

Verdict: TypeAlias = Literal["holds", "does not hold", "cannot tell"]


class _Interval(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """An expectation and what became of it.

    Attributes:
        claim: What is expected, as a sentence.
        verdict: Decided by an interval, never by a point.
        evidence: The numbers behind it.
        source: Who expects it: the table or figure of a paper.
        margin: How far the number lies on the expected side of its bound, in halves of its 95 % interval: above 1 the
            whole interval does, below -1 none of it.
        half: Half of that interval.
        count: How many seeds (tasks, models) the interval is over.
    """

    claim: str
    verdict: Verdict
    evidence: str
    source: str = ""
    margin: float = 0.0
    half: float = 0.0
    count: int = 0

    def line(self) -> str:
        """The check as one line of text."""
        said = f"{self.verdict}: {self.claim} ({self.evidence})"
        return f"{said} [{self.source}]" if self.source else said

    def at(self, level: float) -> Check:
        """The check as intervals of another level decide it."""
        wider = _quantile(level, self.count) / _quantile(0.95, self.count)
        if self.verdict == "cannot tell" or abs(self.margin) > wider:
            return self
        evidence = f"{self.evidence}; not at {100 * level:.0f} %"
        return msgspec.structs.replace(self, verdict="cannot tell", evidence=evidence)

    def power(self) -> str:
        """Where nothing could be told: which effect would be found here, and how much more would find this one."""
        if self.verdict != "cannot tell" or self.count < 2 or not isfinite(self.half) or self.half <= 0:
            return ""
        spread = self.half / _quantile(0.95, self.count) * sqrt(self.count)
        distance, found = abs(self.margin) * self.half, _found_by(spread, self.count)
        named = re.search(r" over \d+ (\w+)", self.evidence)
        unit = named.group(1) if named else "points"
        said = f"{found:.3f} from the bound would be found four times in five with {self.count} {unit}"
        if distance >= found:
            return f"a number {said}"
        enough = next((n for n in range(self.count + 1, _MOST + 1) if _found_by(spread, n) <= distance), None)
        more = f"{enough}" if enough else f"more than {_MOST:,}"
        return f"a number {said}, one as measured ({distance:.3f} from it) with {more} {unit}"


_MOST = 1_000
"""Seeds or tasks that are counted up to in a sentence about power."""


def _quantile(level: float, count: int) -> float:
    return student_quantile(0.5 + level / 2, max(1, count - 1))


def _found_by(spread: float, count: int) -> float:
    """The distance from a bound at which an interval over so many lies beyond it four times in five."""
    return spread / sqrt(count) * (_quantile(0.95, count) + student_quantile(0.8, count - 1))


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What an analysis makes of a frame."""

    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    checks: Sequence[Check] = ()
    sentences: Sequence[str] = ()


def _decided(found: _Interval, holds: bool, fails: bool) -> Verdict:
    """The verdict on an interval; one seed says nothing about other seeds, however sure it is of its instances."""
    if getattr(found, "seeds", 2) < 2:
        return "cannot tell"
    return "holds" if holds else "does not hold" if fails else "cannot tell"


def above(claim: str, found: _Interval, bound: float = 0.0, *, source: str = "") -> Check:
    """Whether a number lies above a bound: it holds where the whole interval does, and fails where none of it does."""
    verdict = _decided(found, found.low > bound, found.high <= bound and not _idle(found, bound))
    return _check(claim, verdict, found, f"above {bound:g}", found.value - bound, source)


def below(claim: str, found: _Interval, bound: float = 0.0, *, source: str = "") -> Check:
    """Whether a number lies below a bound."""
    verdict = _decided(found, found.high < bound, found.low >= bound and not _idle(found, bound))
    return _check(claim, verdict, found, f"below {bound:g}", bound - found.value, source)


def within(claim: str, found: _Interval, low: float, high: float, *, source: str = "") -> Check:
    """Whether a number lies between two bounds."""
    verdict = _decided(found, low <= found.low and found.high <= high, found.high < low or found.low > high)
    distance = min(found.value - low, high - found.value)
    return _check(claim, verdict, found, f"between {low:g} and {high:g}", distance, source)


def _check(claim: str, verdict: Verdict, found: _Interval, wanted: str, distance: float, source: str) -> Check:
    half = max(found.value - found.low, found.high - found.value)
    margin = distance / half if half else copysign(inf, distance)
    count = int(getattr(found, "seeds", getattr(found, "n", 0)))
    # JSON has neither infinity nor a number that is none.
    known = isfinite(half) and isfinite(margin)
    numbers = (round(margin, 6), round(half, 6)) if known else (copysign(_SURE, distance) if not half else 0.0, 0.0)
    return Check(claim, verdict, _evidence(found, wanted), source, *numbers, count)


_SURE = 1e9
"""The margin of a number without any uncertainty."""


def _idle(found: _Interval, bound: float) -> bool:
    """Whether nothing moved at all: runs that all score 0 lie on a line of slope 0, which shows nothing."""
    return found.low == found.high == bound


def _evidence(found: _Interval, wanted: str) -> str:
    method = getattr(found, "method", "")
    end = f"; {method}" if method else ""
    interval = f"[{found.low:.3f}, {found.high:.3f}]" if isfinite(found.high - found.low) else "without an interval"
    return f"{found.value:.3f} {interval}, expected {wanted}{end}"


_MANY: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "cannot tell": ("is undecided", "are undecided"),
}


def conclusions(checks: Sequence[Check]) -> list[str]:
    """What the checks of a study allow to conclude and what they leave open, in sentences.

    Example:
        >>> conclusions([Check("more tasks help", "cannot tell", "")])
        ['1 expectation was checked: 1 is undecided.', 'It cannot be concluded at this scale whether more tasks help.']

    What could be concluded with how much more follows where an interval tells.
    """
    if not checks:
        return []
    counts = {verdict: sum(check.verdict == verdict for check in checks) for verdict in _MANY}
    parts = [f"{count} {_MANY[verdict][count != 1]}" for verdict, count in counts.items() if count]
    checked = f"{counted(len(checks), 'expectation was', 'expectations were')} checked"
    open_ones = [
        f"{check.claim}: {power}" if (power := check.power()) else check.claim
        for check in checks
        if check.verdict == "cannot tell"
    ]
    return [
        f"{checked}: {', '.join(parts)}.",
        *(f"It cannot be concluded at this scale whether {claim}." for claim in open_ones),
    ]


def left_out(suites: Sequence[str]) -> list[str]:
    """A sentence about suites that the data at hand give no task for; nothing where there are none."""
    if not suites:
        return []
    named = ", ".join(suites[:3]) + (f", … ({len(suites)} in all)" if len(suites) > 3 else "")
    return [f"Left out, as the words and facts at hand give no examples of them: {named}."]


def scored_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Value, ...]],
    *,
    metric: str = "accuracy",
    over: Over = "seeds",
    note: str = "",
) -> Table:
    """A table of scores whose note says what they are: the estimand, and what the intervals are about.

    Example:
        >>> scored_table("Scores", ("model", "score"), [("tiny/entnet", 0.5)], over="nothing").note
        'Accuracy, every task counts once; without intervals.'
    """
    measured = estimand(metric=metric)
    said = f"{measured[:1].upper()}{measured[1:]}; {_OVER[over]}."
    return Table(title, tuple(columns), tuple(rows), f"{said} {note}".rstrip())


class TableText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table says besides its numbers: a record of `tables.toml`."""

    title: str
    columns: tuple[str, ...]
    note: str = ""
    metric: str = ""
    over: Over = "seeds"


@cache
def _texts() -> dict[str, TableText]:
    return read_toml(Path(__file__).with_name("tables.toml"), type=dict[str, TableText])


def table_of(name: str, rows: Iterable[Iterable[Any]], /, **values: Any) -> Table:
    """A table of `tables.toml` with these rows; values fill its title and note, and columns that are called `*NAME`."""
    text = _texts()[name]
    named = ([str(one) for one in values[head[1:]]] if head.startswith("*") else [head] for head in text.columns)
    columns = tuple(column for several in named for column in several)
    title, note = text.title.format_map(values), text.note.format_map(values).strip()
    if text.metric:
        return scored_table(title, columns, [tuple(row) for row in rows], metric=text.metric, over=text.over, note=note)
    return Table(title, columns, tuple(tuple(row) for row in rows), note)


@cache
def _figure_texts() -> dict[str, dict[str, Any]]:
    return read_toml(Path(__file__).with_name("figures.toml"), type=dict[str, dict[str, Any]])


def figure_words(name: str, /, **values: Any) -> dict[str, Any]:
    """What a figure says besides its data: its fields in `figures.toml`, filled from values."""
    texts = _figure_texts()[name]
    return {key: text.format_map(values) if isinstance(text, str) else text for key, text in texts.items()}


def table_study(recipe: Recipe, work: Callable[[Any, int, Path | None], list[Table]]) -> Study[Any]:
    """A study that is one function: tables from settings and a seed, and files where a folder is given.

    The first line of the function's docstring, without its full stop, is the study's line in lists.
    """

    def run(self: Study[Any], recipe: Any, seed: int, out: Path | None) -> list[Table]:
        return work(recipe, seed, out)

    summary = (work.__doc__ or "").partition("\n")[0].removesuffix(".")
    fields = {"summary": summary, "recipe": recipe, "run": run, "__doc__": work.__doc__, "__module__": work.__module__}
    made: Study[Any] = type(work.__name__.strip("_"), (Study,), fields)()
    return made


def estimate_cells(estimate: Estimate) -> tuple[Value, ...]:
    """Mean, interval and count as cells of a table; an empty mean has none."""
    missing = estimate.value != estimate.value
    return (None if missing else estimate.value, estimate.low, estimate.high, estimate.n)


STUDY = "study.json"
GUESSING = "nowhere known to do better than guessing"
"""What the first line of a study says of a model, where it is so."""
FORMAT = 1


class StudyResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a study.

    Attributes:
        study: Its name.
        question: What it answers.
        paper: Whose tables and figures it repeats.
        scale: smoke, tiny, paper, or "" for settings of one's own.
        seed: The first data seed.
        recipe: Every setting.
        cut: In what it falls short of the paper's scale.
        runs: The folders of its runs on the shelf.
        found: How many of them were there before.
        done: How many were carried out.
        saved: The CPU seconds that trainings found there had taken.
        findings: Tables, figures, checks and sentences.
    """

    study: str
    question: str
    paper: str = ""
    scale: str = ""
    seed: int = 0
    recipe: dict[str, Any] = {}
    cut: list[str] = []
    runs: list[str] = []
    found: int = 0
    done: int = 0
    saved: int = 0
    findings: Findings

    def markdown(self) -> str:
        """Everything but the figures, for people."""
        found = self.findings
        notice = [f"**{line}**" for line in found.sentences if GUESSING in line]
        parts = [f"## {self.study}", *notice, self.question + (f" ({self.paper})" if self.paper else "")]
        parts += [table.markdown() for table in found.tables]
        if found.checks:
            parts.append("### What was expected\n\n" + "\n".join(f"- {check.line()}" for check in found.checks))
        if found.sentences:
            parts.append("### What can be said\n\n" + "\n".join(f"- {line}" for line in found.sentences))
        if self.cut:
            parts.append("### What was cut\n\n" + "\n".join(f"- {line}" for line in self.cut))
        return "\n\n".join(parts)

    def plain(self) -> dict[str, Any]:
        """The result as plain data: the same for the same runs, on any machine."""
        found = self.findings
        return {
            "format": FORMAT,
            **{name: getattr(self, name) for name in ("study", "question", "paper", "scale", "seed", "recipe", "cut")},
            "runs": self.runs,
            "tables": [msgspec.to_builtins(table) for table in found.tables],
            "figures": [
                {"file": stem, "title": figure.title, "caption": figure.caption}
                for stem, figure in _stems("figure", found.figures)
            ],
            "checks": [msgspec.to_builtins(check) for check in found.checks],
            "sentences": list(found.sentences),
        }


def _stems(kind: str, things: Any) -> list[tuple[str, Any]]:
    """A file name for each table or figure: its number, and its title in letters that every disk can hold."""
    found = []
    for number, thing in enumerate(things, start=1):
        words = re.sub(r"[^a-z0-9]+", "-", thing.title.lower()).strip("-")[:48].rstrip("-")
        found.append((f"{kind}-{number}-{words}" if words else f"{kind}-{number}", thing))
    return found


def table_csv(table: Table) -> bytes:
    """A table as CSV; what is missing is empty."""
    return encode_csv(table.columns, table.rows).encode()


def _files(result: StudyResult) -> dict[str, bytes]:
    files = {f"{stem}.csv": table_csv(table) for stem, table in _stems("table", result.findings.tables)}
    for stem, figure in _stems("figure", result.findings.figures):
        files |= {f"{stem}.{ending}": data for ending, data in figure.files().items()}
    files["study.md"] = (result.markdown() + "\n").encode()
    files[STUDY] = msgspec.json.format(msgspec.json.encode(result.plain())) + b"\n"
    return files


def write_study(result: StudyResult, folder: Path, pages: Mapping[str, bytes] | None = None) -> list[Path]:
    """Write the folder of a study; what an earlier result left there and this one does not have goes.

    Args:
        result: What came of the study.
        folder: Its folder.
        pages: Further files to write with it, by name.

    Raises:
        UserError: A file in the way was not written by Taskloom, or was changed since; nothing is written then.
    """
    files = {**_files(result), **(pages or {})}
    with lock_folder(folder):
        clear_halves(folder)
        for name in files:
            refuse_foreign(folder / name)
        for name, data in files.items():
            write_ours(folder / name, data)
        for kind in ("table", "figure"):
            remove_stale(folder, f"{kind}-*", files)
    return [folder / name for name in files]
