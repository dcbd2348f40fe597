"""The contract between a question and the text a model sees."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from taskloom.core.calls import Explained
from taskloom.core.instance import Instance
from taskloom.core.recipe import NamedRecipe, resolve
from taskloom.core.task import Example, Task


class Tokenizer(Protocol):
    """What a length rule needs of a tokenizer. Special end tokens are part of `encode`."""

    def encode(self, text: str) -> list[int]: ...

    def decode(self, ids: list[int]) -> str: ...


class Message(Explained, msgspec.Struct, frozen=True):
    """One turn of a chat."""

    role: str
    content: str


class Prompt(Explained, msgspec.Struct, frozen=True, gc=False):
    """Exactly what a model sees: a text, or chat messages (then `text` shows them to people).

    `dropped` counts examples left out by a length limit; `cut` says that the text was cut as well.
    `wording` is the number of the wording of the instruction, if there are several. `schema` is a JSON schema that the
    answer has to follow, for servers and engines that can see to it.
    """

    text: str
    messages: tuple[Message, ...] = ()
    dropped: int = 0
    cut: bool = False
    wording: str = ""
    schema: str = ""

    def hash(self) -> str:
        """A hash of every byte the model sees."""
        seen = (self.text, self.messages, *filter(None, [self.schema]))
        return blake2b(msgspec.json.encode(seen), digest_size=16).hexdigest()


class Encoding(NamedRecipe, frozen=True):
    """(task, instance) -> prompt. Its fields are its options; their defaults are the documented ones."""

    @abstractmethod
    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        """The prompt of one instance.

        Args:
            task: The task, with its instruction.
            instance: What is asked.
            demos: In-context examples; given ones take the place of the instruction's positive examples.
            tokenizer: Needed only by encodings with a length rule that is switched on.
        """


def make_encoding(name: str, options: Mapping[str, Any] | None = None) -> Encoding:
    """The registered encoding of that name with some of its options replaced."""
    from taskloom.core.catalog import ENCODINGS

    return resolve(ENCODINGS.get(name), options or {}, where=f"encoding {name}")
