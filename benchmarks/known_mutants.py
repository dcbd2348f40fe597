"""Changes that the tests once did not notice; `python -m benchmarks.mutate --known` proves that they do now.

Each names the file, the text as it stands there exactly once, what it becomes, and where the tests are that fail then.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks.mutants import Mutant


class KnownMutant(NamedTuple):
    """One change by its text."""

    about: str
    file: str
    before: str
    after: str
    tests: str

    def located(self, source: Path) -> Mutant:
        """The change at its place below a source folder.

        Raises:
            ValueError: The text does not stand there exactly once: the table is out of date.
        """
        data, wanted = (source / self.file).read_bytes(), self.before.encode()
        if data.count(wanted) != 1:
            raise ValueError(f"{self.file}: {self.before!r} stands there {data.count(wanted)} times")
        start = data.index(wanted)
        line = data[:start].count(b"\n") + 1
        return Mutant(self.file, line, True, line, start, start + len(wanted), self.after, self.before)


KNOWN = (
    KnownMutant(
        "dev is asked rather than test",
        "core/suite.py",
        'for name in ("test", "dev")',
        'for name in ("dev", "test")',
        "tests/core/test_suite.py",
    ),
    KnownMutant(
        "an id may not be repeated across tasks",
        "store/disjoint.py",
        """first.extend(map(hash, zip(tasks, ids, strict=True)))
        second.extend(map(hash, zip(ids, tasks, strict=True)))""",
        """first.extend(map(hash, ids))
        second.extend(map(hash, ids))""",
        "tests/store/test_disjoint.py",
    ),
    KnownMutant(
        "the hash of a bundle leaves out the recipe",
        "store/manifest.py",
        "(self.suite, self.seed, self.recipe, self.apart",
        "(self.suite, self.seed, self.apart",
        "tests/store/test_manifest.py",
    ),
    KnownMutant(
        "missing rows are not noticed",
        "store/bundle.py",
        "if count != entry.rows:",
        "if count > entry.rows:",
        "tests/store/test_check.py",
    ),
    KnownMutant(
        "only the first stray </think> ends a thought",
        "score/read/lenient.py",
        "opened, said = -1, tag.end()",
        "opened, said = -1, said or tag.end()",
        "tests/score/test_strict.py",
    ),
    KnownMutant(
        "an interval has no floor",
        "score/stats.py",
        "smallest = floor if total < DOUBT.nothing else DOUBT.floor**2 * floor",
        "smallest = 0.0",
        "tests/score/test_stats.py",
    ),
    KnownMutant(
        "failed requests count as unparsed",
        "run/results.py",
        '((states == names.index("scored")) & ~answered)',
        "(~answered)",
        "tests/run/test_columns.py",
    ),
    KnownMutant(
        "the two runs of a comparison are swapped",
        "report/sections.py",
        "compare_runs(first.runs, second.runs)",
        "compare_runs(second.runs, first.runs)",
        "tests/report/test_comparison.py",
    ),
    KnownMutant(
        "the right answer is drawn as a facet",
        "report/sections.py",
        'if name == "answer":',
        "if False:",
        "tests/report/test_choose.py",
    ),
    KnownMutant(
        "TASKLOOM_X=0 is read as true",
        "cli/options.py",
        'return value.lower() in ("1", "true", "yes")',
        "return bool(value)",
        "tests/cli/test_options.py",
    ),
    KnownMutant(
        "the smallest remainders get the rest",
        "core/blocks.py",
        "(counts[index] - exact[index], index)",
        "(exact[index] - counts[index], index)",
        "tests/core/test_apportion.py",
    ),
    KnownMutant(
        "novelty does not look at the question",
        "families/babi/instances.py",
        "asked == question and wanted <= allowed",
        "wanted <= allowed",
        "tests/families/babi/test_instances.py",
    ),
    KnownMutant(
        "test and dev exchange their shares",
        "families/taskbench/functions.py",
        '("test", 0.20), ("dev", 0.10)',
        '("test", 0.10), ("dev", 0.20)',
        "tests/families/taskbench/test_splits.py",
    ),
    KnownMutant(
        "values may stand on the bound of a question",
        "families/zest/questions.py",
        "_MARGIN = 0.06",
        "_MARGIN = 0.0",
        "tests/families/zest/test_zest_questions.py",
    ),
    KnownMutant(
        "what failed requests might have cost stays set aside",
        "ask/requests.py",
        "self._settle(failed)",
        "pass",
        "tests/ask/test_requests.py",
    ),
    KnownMutant(
        "the price of an answer is added to its length",
        "ask/spending.py",
        "output * price.output) / _MILLION",
        "output + price.output) / _MILLION",
        "tests/ask/test_requests.py",
    ),
    KnownMutant(
        "a wrong output earns everything by the strict reading of lm-eval tasks",
        "hosts/lm_eval.py",
        '"strict").score or 0.0',
        '"strict").score or 1.0',
        "tests/hosts/test_lm_eval_export.py",
    ),
    KnownMutant(
        "the cells of a pair matrix have no colour",
        "figures/heat.py",
        "pen.rect(x + 1, y + 1, step - 2, step - 2, fill=fill, opacity=faded, title=title)",
        "pass",
        "tests/figures/test_figures.py",
    ),
)
