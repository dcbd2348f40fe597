"""What a server does not take: fields that it rejected once are left out, or renamed, for the rest of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from taskloom.models.runtime import LOGGER

__all__ = ["Fields"]

_OPTIONAL = frozenset({"temperature", "top_p", "topP", "seed", "store"})
"""What a request can do without. Log-probabilities, schemas and efforts were asked for: without them it fails."""
_SUCCESSORS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Names of one thing: servers that reject one of them ask for the other."""
_REJECTS = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|cannot be (?:set|used)|"
    r"deprecated|extra (?:fields|inputs)|only the default|invalid (?:parameter|argument)|use \W?\w+\W? instead",
    re.IGNORECASE,
)
"""A server that names a field may only want another value of it; these words say that it wants none."""


class Fields:
    """Fields of request bodies that have another name here, or none.

    Attributes:
        known: The field as we send it, and what the server calls it; None leaves it out.
    """

    def __init__(self) -> None:
        self.known: dict[str, str | None] = {}

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body as this server takes it."""
        if not self.known:
            return dict(body)
        return dict(self._translated(body))

    def _translated(self, body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in body.items():
            renamed = self.known.get(name, name)
            if renamed is not None:
                yield renamed, self.apply(value) if name == "generationConfig" else value

    def learn(self, body: Mapping[str, Any], said: str) -> bool:
        """Take note of what an error answer says about the body that was sent; False if it names no field of it."""
        if not _REJECTS.search(said):
            return False
        sent = {*body, *body.get("generationConfig", ())} & (_OPTIONAL | set(_SUCCESSORS))
        named = [name for name in sorted(sent) if re.search(rf"(?<![\w.]){re.escape(name)}\b", said)]
        for name in named:
            if name in self.known:  # a request that was on its way when another one learned it
                return True
            successor = _SUCCESSORS.get(name)
            new = successor if successor and successor in said and self.known.get(successor, "") is not None else None
            if successor and new is None:
                continue  # an answer needs a limit of length; a server that wants another number is not helped by none
            self.known[name] = new
            LOGGER.warning("the server rejects %s; %s", name, f"{new} is sent instead" if new else "it is left out")
            return True
        return False
