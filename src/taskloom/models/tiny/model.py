"""Tiny transformers: a shape, a vocabulary and a seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from taskloom.core import Suite, UserError, digest
from taskloom.core.decode import read_toml
from taskloom.core.targets import AnyOf, Product
from taskloom.models.heads import HFClassifier, HFSpanReader, with_span_head
from taskloom.models.hf import HFModel
from taskloom.models.load import Architecture, HFOptions, LoadedModel, load
from taskloom.models.local import MOST_ROWS, HFTokenizer, tokenizer_hash
from taskloom.models.runtime import (
    count_parameters,
    import_transformers,
    resolve_device,
    resolve_dtype,
    seeded,
    state_hash,
)
from taskloom.models.tiny.vocabulary import built_in_subwords, fit_subwords, fit_words, make_tokenizer, read_vocabulary

_HEAD = 32
_BIAS_SPREAD = 1.5
"""Relative-attention biases drawn this wide let a small T5 learn to copy in a third of the steps (measured)."""


class NetworkKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of tiny transformer; `zoo.toml` explains the fields."""

    title: str
    architecture: Architecture
    config: str
    network: str
    sizes: dict[str, str]
    fixed: dict[str, float | int]
    unset: tuple[str, ...] = ()


class NetworkShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of a tiny transformer; heads are 32 wide."""

    kind: str
    width: int
    layers: int
    decoder_layers: int
    inner: int


class _Zoo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: dict[str, NetworkKind]
    shapes: dict[str, NetworkShape]


_ZOO = read_toml(Path(__file__).with_name("zoo.toml"), type=_Zoo)
SHAPES = _ZOO.shapes


def kind_of(name: str) -> NetworkKind:
    """The kind of a tiny transformer."""
    return _ZOO.kinds[SHAPES[name].kind]


def build_module(name: str, *, vocabulary: int, window: int, dropout: float, seed: int) -> Any:
    """A module of a tiny shape with weights that depend on its name, vocabulary size and seed alone."""
    transformers = import_transformers(f"tiny/{name}")
    kind, shape = kind_of(name), msgspec.to_builtins(SHAPES[name])
    values = {"vocabulary": vocabulary, "window": window, "short_window": min(window, 512), "dropout": dropout}
    values |= {**shape, "head": _HEAD, "heads": shape["width"] // _HEAD}
    sizes = {field: values[value] for field, value in kind.sizes.items()}
    with seeded("tiny", name, vocabulary, seed):
        config = getattr(transformers, kind.config)(**sizes, **kind.fixed, **dict.fromkeys(kind.unset))
        module = getattr(transformers, kind.network)(config)
        for key, parameter in module.named_parameters():
            if key.endswith("relative_attention_bias.weight"):
                parameter.data.normal_(0.0, _BIAS_SPREAD)
    return module.eval()


_WINDOW = 1024


class TinyOptions(HFOptions, frozen=True, kw_only=True):
    """Options of `tiny/…` on top of those of every local model.

    Attributes:
        tokenizer: "built-in" pieces; or "words" or "subwords" fitted to the suite the model is used on.
        vocabulary: The most entries of a fitted vocabulary.
        dropout: Dropout while training.
        pretrained: A folder written by `taskloom pretrain`, "yes" for the one in the cache, or a number for the
            cached one with that many updates.
    """

    tokenizer: Literal["built-in", "words", "subwords"] = "built-in"
    vocabulary: int = 8192
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    pretrained: str | bool = ""

    def __post_init__(self) -> None:
        if self.pretrained and self.tokenizer != "built-in":
            raise ValueError("a pretrained model keeps the vocabulary it was pretrained with; leave tokenizer out")


def suite_texts(suite: Suite) -> Iterator[str]:
    """Every text a model may read or write on a suite: instructions, inputs, acceptable answers.

    All splits are read. A vocabulary is no supervision: the embedding of a word that training never
    shows stays as it was drawn.
    """
    for task in suite.tasks.values():
        yield task.instruction.definition
        yield from task.labels
        for example in (*task.instruction.positive, *task.instruction.negative):
            yield from (example.input, example.output, example.explanation or "")
    for split in suite.splits:
        for row in islice(suite.draw(split), MOST_ROWS):
            yield row.instance.input
            targets = row.instance.targets
            if isinstance(targets, AnyOf):
                yield from targets.answers
            elif isinstance(targets, Product):
                yield from (word for slot in targets.slots for word in slot)
            else:
                yield targets.canonical()


class TinyModel(HFModel):
    """A tiny text model, whose vocabulary may wait for the suite it is used on."""

    options: TinyOptions

    def __init__(self, name: str, loaded: LoadedModel, options: TinyOptions) -> None:
        self._tiny, self._fitted = name, bool(options.pretrained)
        super().__init__(loaded, options, "tiny")

    def prepare(self, suite: Suite) -> None:
        """Fit the vocabulary to the suite, if it is to be fitted and has not been."""
        if self.options.tokenizer != "built-in" and not self._fitted:
            self.fit(suite_texts(suite))
        super().prepare(suite)

    def fit(self, texts: Iterable[str]) -> None:
        """Fit the vocabulary to texts and draw fresh weights for it."""
        kind, size = self.options.tokenizer, self.options.vocabulary
        vocabulary = fit_subwords(texts, size) if kind == "subwords" else fit_words(texts, size)
        self._take(_fresh(self._tiny, self.options, vocabulary))

    def _take(self, loaded: LoadedModel) -> None:
        """Become another model of the same shape: its vocabulary and its weights."""
        self.module = loaded.module
        self.tokenizer_hf = loaded.tokenizer
        self.tokenizer = HFTokenizer(loaded.tokenizer)
        self.identity = replace(
            self.identity,
            weights=loaded.weights,
            settings={
                **self.identity.settings,
                **loaded.settings,
                "tokenizer_hash": tokenizer_hash(loaded.tokenizer),
                "parameters": count_parameters(loaded.module),
            },
        )
        self._fitted = True

    def prepared(self) -> dict[str, Any]:
        if self.options.tokenizer == "built-in" or not self._fitted:
            return super().prepared()
        return {"tokenizer": self.tokenizer_hf.backend_tokenizer.to_str(), **super().prepared()}

    def restore(self, prepared: dict[str, Any]) -> None:
        if "tokenizer" in prepared:
            self._take(_fresh(self._tiny, self.options, read_vocabulary(prepared["tokenizer"])))
        super().restore({key: value for key, value in prepared.items() if key != "tokenizer"})

    def redraw(self, restart: int) -> None:
        """Fresh weights from another seed; pretrained ones stay."""
        if not self.options.pretrained:
            seed = int.from_bytes(digest("restart", self.options.seed, restart)[:4], "big")
            vocabulary = read_vocabulary(self.tokenizer_hf.backend_tokenizer.to_str())
            self._take(_fresh(self._tiny, replace(self.options, seed=seed), vocabulary))
        super().redraw(restart)


class TinyClassifier(TinyModel, HFClassifier):
    """A tiny encoder with a classification head."""

    def fit(self, texts: Iterable[str]) -> None:
        """Fit the vocabulary and draw fresh weights, with a head for the labels it has."""
        super().fit(texts)
        if self.labels:
            self.set_labels(self.labels)


class TinySpanReader(TinyModel, HFSpanReader):
    """A tiny encoder that finds answers in passages."""


def _as_reader(loaded: LoadedModel, options: TinyOptions) -> LoadedModel:
    loaded.module, loaded.weights = with_span_head(loaded.module, options.seed)
    loaded.architecture = "reader"
    return loaded


def _fresh(name: str, options: TinyOptions, vocabulary: Any) -> LoadedModel:
    architecture = kind_of(name).architecture
    size = vocabulary.get_vocab_size()
    module = build_module(
        name, vocabulary=size, window=options.window or _WINDOW, dropout=options.dropout, seed=options.seed
    )
    device = resolve_device(options.device)
    module = module.to(device, resolve_dtype(options.dtype, device))
    tokenizer = make_tokenizer(vocabulary, add_end=architecture == "encoder-decoder", pair=architecture == "classifier")
    settings = {"seed": options.seed, "tokenizer": options.tokenizer, "vocabulary": size}
    if options.dropout:
        settings["dropout"] = options.dropout
    loaded = LoadedModel(
        name, module, tokenizer, architecture, weights=state_hash(module.state_dict()), settings=settings
    )
    return _as_reader(loaded, options) if options.architecture == "reader" else loaded


def _with_dropout(name: str, module: Any, options: TinyOptions) -> Any:
    """The same weights in a module with the asked-for dropout, which each kind keeps in other places."""
    vocabulary = module.config.vocab_size
    fresh = build_module(name, vocabulary=vocabulary, window=_WINDOW, dropout=options.dropout, seed=options.seed)
    if options.architecture == "reader":
        fresh, _ = with_span_head(fresh, options.seed)
    fresh.load_state_dict(module.state_dict())
    return fresh.to(module.device, module.dtype)


def open_tiny(name: str, options: TinyOptions) -> TinyModel:
    """A tiny transformer with fresh weights, or pretrained ones if asked for."""
    own = kind_of(name).architecture
    if options.architecture not in ("auto", own) and (own, options.architecture) != ("classifier", "reader"):
        raise UserError(f"tiny/{name} is a {own}, not a {options.architecture}", where="-M architecture")
    if options.pretrained:
        from taskloom.models.tiny.pretrain import find_pretrained

        loaded = load(str(find_pretrained(name, str(options.pretrained), options.seed)), options)
        loaded.name, loaded.settings = name, {"seed": options.seed, "pretrained": True}
        if options.dropout:
            loaded.module = _with_dropout(name, loaded.module, options)
    else:
        loaded = _fresh(name, options, built_in_subwords())
    kinds: dict[str, type[TinyModel]] = {"classifier": TinyClassifier, "reader": TinySpanReader}
    return kinds.get(loaded.architecture, TinyModel)(name, loaded, options)
