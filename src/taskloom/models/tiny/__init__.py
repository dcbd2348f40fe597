"""`tiny/…`: models made here from a seed, nothing downloaded, small enough to train on a laptop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from taskloom.core import resolve, unknown_name
from taskloom.core.model import Model, Provider
from taskloom.models.runtime import import_torch

if TYPE_CHECKING:
    from taskloom.models.tiny.model import TinyOptions
    from taskloom.models.tiny.words import BiDAFOptions, MemoryOptions

_WORD_NETWORKS = {
    "entnet": "Recurrent Entity Network (Henaff et al., 2017) for stories with questions",
    "stm": "two-memory model with self-attentive associative memory (Le et al., 2020) for stories with questions",
    "bidaf": "Bidirectional Attention Flow (Seo et al., 2017) that finds answers in passages",
}


class TinyProvider(Provider):
    """Opens `tiny/…`."""

    def names(self) -> Mapping[str, str]:
        from taskloom.models.tiny.model import SHAPES, kind_of

        sizes = {name: name.partition("-")[2].upper() for name in SHAPES}
        return {
            **{name: f"{kind_of(name).title}, about {size} parameters" for name, size in sizes.items()},
            **_WORD_NETWORKS,
        }

    def options(self, name: str) -> MemoryOptions | BiDAFOptions | TinyOptions:
        from taskloom.models.tiny.model import TinyOptions
        from taskloom.models.tiny.words import BiDAFOptions, MemoryOptions

        if name not in self.names():
            known = [f"tiny/{each}" for each in self.names()]
            raise unknown_name("model", f"tiny/{name}", known, hint="taskloom list models shows all")
        if name in _WORD_NETWORKS:
            return BiDAFOptions() if name == "bidaf" else MemoryOptions()
        return TinyOptions()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        import_torch(f"tiny/{name}")
        from taskloom.models.tiny.model import open_tiny
        from taskloom.models.tiny.words import BiDAFModel, MemoryModel

        resolved: Any = resolve(self.options(name), options, where=f"tiny/{name}")
        if name in _WORD_NETWORKS:
            return BiDAFModel(name, resolved) if name == "bidaf" else MemoryModel(name, resolved)
        return open_tiny(name, resolved)


def build_tiny(name: str, *, texts: Iterable[str] | None = None, **options: Any) -> Any:
    """A tiny model from Python code, its vocabulary fitted to texts if given.

    Args:
        name: The name without `tiny/`, for example "t5-5m".
        texts: Every text the model will read or write; None takes the built-in vocabulary.
        **options: As with `-M`: seed, tokenizer ("words" or "subwords"), vocabulary, dropout, device …
    """
    if texts is not None:
        options.setdefault("tokenizer", "words")
    model = PROVIDER.open(name, options)
    if texts is not None:
        model.fit(texts)  # type: ignore[attr-defined]
    return model


PROVIDER = TinyProvider()
