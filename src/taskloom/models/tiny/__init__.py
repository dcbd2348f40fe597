"""`tiny/…`: models made here from a seed, nothing downloaded, small enough to train on a laptop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from taskloom.core import resolve, unknown_name
from taskloom.core.model import Model, Provider

if TYPE_CHECKING:
    from taskloom.models.tiny.bidaf import BiDAFOptions
    from taskloom.models.tiny.memory import MemoryOptions
    from taskloom.models.tiny.model import TinyOptions

_SENTENCES = {
    "t5": "a T5-like encoder-decoder",
    "bart": "a BART-like encoder-decoder",
    "gpt": "a GPT-like decoder",
    "bert": "a BERT-like encoder with a classification head",
}
_MEMORY = {
    "entnet": "Recurrent Entity Network (Henaff et al., 2017) for stories with questions",
    "stm": "two-memory model with self-attentive associative memory (Le et al., 2020) for stories with questions",
}


_READERS = {"bidaf": "Bidirectional Attention Flow (Seo et al., 2017) that finds answers in passages"}


class TinyProvider(Provider):
    """Opens `tiny/…`."""

    def names(self) -> Mapping[str, str]:
        sizes = {"1m": "about 1M parameters", "5m": "about 5M parameters", "15m": "about 15M parameters"}
        kinds = [f"{kind}-{size}" for kind in _SENTENCES for size in sizes if (kind, size) != ("bert", "15m")]
        lines = {name: f"{_SENTENCES[name.split('-')[0]]}, {sizes[name.split('-')[1]]}" for name in kinds}
        return {**lines, **_MEMORY, **_READERS}

    def options(self, name: str) -> MemoryOptions | BiDAFOptions | TinyOptions:
        if name not in self.names():
            raise unknown_name("tiny model", name, self.names(), hint="taskloom list models shows all")
        if name in _MEMORY:
            from taskloom.models.tiny.memory import MemoryOptions

            return MemoryOptions()
        if name in _READERS:
            from taskloom.models.tiny.bidaf import BiDAFOptions

            return BiDAFOptions()
        from taskloom.models.tiny.model import TinyOptions

        return TinyOptions()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        resolved = resolve(self.options(name), options, where=f"tiny/{name}")
        if name in _MEMORY:
            from taskloom.models.tiny.memory import MemoryModel, MemoryOptions

            assert isinstance(resolved, MemoryOptions)
            return MemoryModel(name, resolved)
        if name in _READERS:
            from taskloom.models.tiny.bidaf import BiDAFModel, BiDAFOptions

            assert isinstance(resolved, BiDAFOptions)
            return BiDAFModel(resolved)
        from taskloom.models.tiny.model import TinyOptions, open_tiny

        assert isinstance(resolved, TinyOptions)
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
