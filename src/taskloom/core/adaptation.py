"""How a model is fitted to a suite before it is asked: the contract of every adaptation."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from taskloom.core.encoding import Encoding
from taskloom.core.errors import UserError
from taskloom.core.instance import content_hash
from taskloom.core.model import Identity, Model
from taskloom.core.progress import Progress
from taskloom.core.recipe import NamedRecipe
from taskloom.core.suite import Suite


class AdaptationError(UserError):
    """One adaptation cannot go on (its loss is not a number, its checkpoint is broken); others can."""


class Adaptation(NamedRecipe, frozen=True):
    """A way to adapt a model to a suite. Its fields are its options (`-A key=value`).

    A run calls, in this order, `check` and `check_asked` (before any expensive work), `adapt`, and `wrap`, which
    returns the encoding for all prompts.
    """

    summary: ClassVar[str]
    """One line for lists."""

    def check(self, model: Model, suite: Suite) -> None:
        """Raise a `UserError` for an impossible combination."""

    def check_asked(self, suite: Suite, split: str) -> None:
        """Raise a `UserError` for a split that the adapted model could not answer."""

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
        """The adapted model; the model itself, where the adaptation changes nothing in it.

        Args:
            model: The model to start from. It is consumed: use only the one that comes back.
            suite: Where the training, development and test rows come from.
            encoding: How a row becomes a prompt.
            directory: Where `curve.jsonl` and the checkpoints go. What is found there is continued
                when it was made by the same command, and refused when it was not.
            seed: The seed of the adaptation (order of examples, initial prompts), apart from the data's.
            progress: A bar to advance, one step per update.

        Returns:
            A model whose identity names the adaptation and hashes the weights it changed.
        """
        return model

    def wrap(self, encoding: Encoding, suite: Suite, seed: int) -> Encoding:
        """The encoding for the adapted model; only in-context learning changes it."""
        return encoding

    def hash(self) -> str:
        """A hash of the name and all options."""
        return content_hash(self.describe())


def adapted_identity(base: Identity, adaptation: Adaptation, seed: int, weights: str, **more: Any) -> Identity:
    """The identity of a model after an adaptation: its own name, new weights, and how they came about."""
    story = {"name": adaptation.name, "hash": adaptation.hash(), "seed": seed, **more}
    return Identity(
        name=base.name,
        revision=base.revision,
        weights=weights,
        settings={**base.settings, "adaptation": story, "adapted_from": base.weights},
    )
