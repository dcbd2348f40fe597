"""The contract of a metric: from the scores of instances to numbers with intervals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import msgspec

from taskloom.core.calls import explain_tuple
from taskloom.core.display import html_table
from taskloom.core.recipe import Recipe, resolve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values: TypeAlias = Sequence[float] | NDArray[np.float64]


class Estimate(NamedTuple):
    """A number with its interval and denominator. `n` counts instances, `tasks` the tasks behind them."""

    value: float
    low: float
    high: float
    n: int
    tasks: int = 1
    method: str = "wilson"

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] n={self.n:,}"

    def __repr__(self) -> str:
        return f"<Estimate {self}>"

    def _repr_html_(self) -> str:
        names = ("score", "low", "high", "n", "tasks", "interval")
        shown = (*(f"{number:.3f}" for number in self[:3]), f"{self.n:,}", f"{self.tasks:,}", self.method)
        return html_table("", names, [shown])


explain_tuple(Estimate)


class ItemScore(msgspec.Struct, frozen=True):
    """One scored instance as a metric sees it. `seed` tells repeated runs apart ("" for one run)."""

    task: str
    id: str
    value: float
    details: dict[str, Any] = {}
    facets: dict[str, Any] = {}
    seed: str = ""


class Metric(Recipe, frozen=True):
    """Aggregates scores with an interval. Its fields are its options. Registered under `metric.NAME`."""

    name: ClassVar[str]

    @abstractmethod
    def task(self, scores: Sequence[ItemScore]) -> Estimate:
        """The number of one task."""

    def number(self, scores: Sequence[ItemScore]) -> float:
        """The number of one task without its interval; override it if the interval is expensive."""
        return self.task(scores).value

    @abstractmethod
    def suite(self, scores: Iterable[ItemScore], tasks: Mapping[str, Mapping[str, Any]] | None = None) -> Estimate:
        """The number of a whole suite. `tasks` has the facets of the tasks (such as derives_from)."""

    def from_values(
        self, cells: Mapping[tuple[str, str], Values], tasks: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Estimate | None:
        """The number of `task` or `suite` from plain values by (task, seed).

        Tables of a million records ask for this first, because it takes no object per record.

        Returns:
            None where the metric needs more than values.
        """
        return None


def make_metric(name: str, options: Mapping[str, Any] | None = None) -> Metric:
    """The registered metric of that name with some of its options replaced."""
    from taskloom.core.catalog import METRICS

    return resolve(METRICS.get(name), options or {}, where=f"metric {name}")
