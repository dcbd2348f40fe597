"""Tasks and notes of a suite that nobody has looked at yet: its workshop opens when somebody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from taskloom.core import Task

if TYPE_CHECKING:
    from taskloom.families.taskbench.workshop import Workshop

__all__ = ["Notes", "TaskMap"]


class TaskMap(Mapping[str, Task]):
    """The tasks of a workshop by name; each is made when it is looked at.

    Args:
        shop: Gives the workshop, the same one every time.
    """

    def __init__(self, shop: Callable[[], Workshop]) -> None:
        self._shop = shop

    def __getitem__(self, name: str) -> Task:
        verdict = self._shop().find(name)
        if verdict is None:
            raise KeyError(name)
        return self._shop().task(verdict)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._shop().find(name) is not None

    def __iter__(self) -> Iterator[str]:
        for verdict in self._shop().built():
            yield verdict.name
        self._shop().insist()

    def definitions(self) -> Iterator[tuple[str, str]]:
        """Every task's name with its definition: no function has to be evaluated for it."""
        shop = self._shop()
        for name in self:
            yield name, shop.definition(name)

    def __len__(self) -> int:
        return sum(verdict.state == "built" for verdict in self._shop().everything())


class Notes(Mapping[str, Any]):
    """What became of every listed expression, worked out when somebody asks.

    Args:
        shop: Gives the workshop, the same one every time.
        notice: What readers should know before they look; "" where there is nothing.
    """

    def __init__(self, shop: Callable[[], Workshop], notice: str = "") -> None:
        self._shop = shop
        self._notice = notice

    def __getitem__(self, key: str) -> Any:
        if key not in self._names:
            raise KeyError(key)
        if key == "notice":
            return self._notice
        return [
            {
                "task": one.name,
                "state": one.state,
                "reason": one.reason,
                "domain": one.domain,
                "samples": one.samples,
            }
            for one in self._shop().everything()
        ]

    @property
    def _names(self) -> tuple[str, ...]:
        return ("notice", "status") if self._notice else ("status",)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
