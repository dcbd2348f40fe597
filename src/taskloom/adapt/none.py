"""No adaptation: the model is asked as it is."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from taskloom.core import Progress, Suite
from taskloom.core.adaptation import Adaptation
from taskloom.core.encoding import Encoding
from taskloom.core.model import Model


class Nothing(Adaptation, frozen=True, kw_only=True):
    """Leaves the model alone; the same object comes back."""

    name: ClassVar[str] = "none"
    summary: ClassVar[str] = "the model unchanged"

    def adapt(
        self,
        model: Model,
        suite: Suite,
        encoding: Encoding,
        directory: Path,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Model:
        return model


NONE = Nothing()
