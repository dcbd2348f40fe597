"""Read a model from a folder, a GGUF file or a hub id, and refuse what is unsafe, broken or unfit.

Only safetensors and GGUF are read: both hold numbers and nothing that runs. Remote code is never
trusted. Whatever is wrong is said before the first prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.core import Count, Positive, Recipe, UserError, missing_extra
from taskloom.core.confine import confined
from taskloom.core.decode import read_json
from taskloom.core.folders import not_here
from taskloom.core.progress import track
from taskloom.models.runtime import (
    file_hash,
    import_transformers,
    resolve_device,
    resolve_dtype,
    seeded,
    state_hash,
)
from taskloom.store.seal import check_folder

_UNSAFE = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")
_WEIGHTS = "model.safetensors"


class _WeightIndex(msgspec.Struct):
    """Which file holds which weight, where weights are spread over several."""

    weight_map: dict[str, str]


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a folder that looks like a checkpoint.

    Raises:
        UserError: No config, no weights, pickled ones only, or a file of several missing.
    """
    if not (folder / "config.json").is_file():
        adapter = (folder / "adapter_config.json").is_file()
        message = (
            "contains an adapter, not a whole model"
            if adapter
            else "contains no config.json, so it is not a checkpoint"
        )
        hint = f"--model run/{folder} is the model of this run" if (folder / "run.json").is_file() else None
        raise UserError(message, where=str(folder), hint=hint)
    files = sorted(file for file in folder.glob("*.safetensors") if file.is_file())
    if files:
        _check_names(folder, {file.name for file in files})
        return files
    unsafe = sorted(file.name for file in folder.iterdir() if file.suffix in _UNSAFE)
    if unsafe:
        raise UserError(
            f"only {', '.join(unsafe)} found; pickled weights can run code and are not supported",
            where=str(folder),
            hint="save it again with model.save_pretrained(folder), which writes safetensors",
        )
    raise UserError("contains no *.safetensors, so there are no weights", where=str(folder))


def _check_names(folder: Path, there: set[str]) -> None:
    """Refuse weights that transformers would not find: of another name, or with a part missing."""
    index = folder / f"{_WEIGHTS}.index.json"
    if _WEIGHTS in there:
        return
    if not index.is_file():
        raise UserError(f"holds {', '.join(sorted(there))}, but no {_WEIGHTS}", where=str(folder))
    parts = set(read_json(index, type=_WeightIndex).weight_map.values())
    if missing := sorted(parts - there):
        raise UserError(f"lacks {', '.join(missing)}", where=str(folder), hint=f"{index.name} names it as a part")


Architecture: TypeAlias = Literal["encoder-decoder", "decoder", "classifier", "reader"]

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_NUMBER = re.compile(r"\.\d+\.")
_NEW_HEAD = re.compile(r"^(classifier|score|pre_classifier|qa_outputs|([a-z_]+\.)?pooler)\b")


class HFOptions(Recipe, frozen=True, kw_only=True):
    """Options of local models, given as `-M key=value`.

    Attributes:
        device: "auto", "cpu", "cuda", "cuda:1", "mps".
        dtype: "auto", "float32", "bfloat16", "float16".
        device_map: "auto", "balanced" or "sequential" spreads the layers of one model over devices (accelerate), for
            models that do not fit on one; "" keeps it on `device`.
        quantise: "int8" or "int4" holds the weights in fewer bits (bitsandbytes). It is another model than the same
            weights in full, and is not trained.
        batch_size: Rows per batch; 0 sizes batches by their length and backs off when memory runs out.
        revision: The revision of a hub id.
        architecture: "auto", or what to load the weights as; "reader" makes an encoder find answers in passages.
        padding: "auto", or the side shorter prompts are padded on.
        cache: Use a key-value cache. Without it, generation is slower but the answers are the same.
        chat: "auto" renders prompts made of messages through the chat template, "always" plain ones too.
        end: Whether log-probabilities include the end of the answer; "auto" does for encoder-decoder models.
        window: The most tokens of prompt and answer; 0 reads it from the model.
        span: The longest answer of a reader, in tokens.
        labels: The classes of a classifier; by default the labels of the tasks it is asked.
        keep_thinking: Leave `<think>` blocks in the answer instead of moving them to `raw`.
        seed: The seed of new weights (a classification head, or all of them).
        fresh: Ignore the checkpoint's weights and draw new ones: the same model before any training.
    """

    device: str = "auto"
    dtype: str = "auto"
    device_map: str = ""
    quantise: Literal["", "int8", "int4"] = ""
    batch_size: Count = 0
    revision: str = "main"
    architecture: Literal["auto", "encoder-decoder", "decoder", "classifier", "reader"] = "auto"
    padding: Literal["auto", "left", "right"] = "auto"
    cache: bool = True
    chat: Literal["auto", "always", "never"] = "auto"
    end: Literal["auto", "always", "never"] = "auto"
    window: Count = 0
    span: Positive = 30
    labels: tuple[str, ...] = ()
    keep_thinking: bool = False
    seed: int = 0
    fresh: bool = False


class LoadedModel(msgspec.Struct):
    """Everything a local model is made of."""

    name: str
    module: Any
    tokenizer: Any
    architecture: Architecture
    revision: str = ""
    weights: str = ""
    settings: dict[str, Any] = {}
    prefix: tuple[int, ...] = ()
    """The token ids of a soft prompt, where the model has one."""


def load(name: str, options: HFOptions) -> LoadedModel:
    """Load `hf/NAME`: a folder, a `.gguf` file, or a hub id.

    Raises:
        UserError: Not found, unsafe format, remote code, unknown architecture, corrupt or incomplete
            weights, or a tokenizer that does not belong to the model.
    """
    path = Path(name).expanduser()
    if path.suffix == ".gguf":
        return _load_gguf(name, path, options)
    if path.is_dir():
        check_folder(path)
        from taskloom.models.adapter import is_adapter, load_adapter

        if is_adapter(path):
            return load_adapter(name, path, options)
        files = weight_files(path)
        return _load_from(str(path), name, options, weights=lambda _: file_hash(*files)[:32])
    if path.exists():
        raise UserError("a model is a folder, a .gguf file or a hub id, not this file", where=name)
    if not _HUB_ID.fullmatch(name) or name.startswith("."):
        raise not_here(name, "folder", "hf/FOLDER, hf/FILE.gguf or hf/OWNER/NAME of the hub")
    _reach_hub(name, options)
    return _load_from(name, name, options, weights=lambda module: state_hash(module.state_dict()))


def _reach_hub(name: str, options: HFOptions) -> None:
    """Fail in seconds where there is no network: the hub's own client goes on trying for half a minute."""
    import socket
    from urllib.parse import urlsplit
    from urllib.request import getproxies

    try:
        from huggingface_hub import constants, try_to_load_from_cache
    except ImportError:
        return  # the loader says what is missing
    if getproxies() or isinstance(try_to_load_from_cache(name, "config.json", revision=options.revision), str):
        return
    hub = urlsplit(constants.ENDPOINT)
    try:
        socket.create_connection((hub.hostname or "", hub.port or 443), timeout=5).close()
    except OSError as error:
        raise UserError(
            f"neither a local folder nor in the cache, and the hub at {hub.netloc} cannot be reached ({error})",
            where=f"hf/{name}",
            hint="name a local folder, or check the spelling and the network",
        ) from None


def _load_from(
    source: str, name: str, options: HFOptions, weights: Any, architecture: Architecture | None = None, **file: str
) -> LoadedModel:
    """A model from a folder, a hub id, or a GGUF file in a folder (`gguf_file`), whose architecture is known."""
    transformers = import_transformers(f"hf/{name}")
    with_code: dict[str, Any] = {"trust_remote_code": False, "revision": options.revision, **file}
    config: dict[str, Any] = {}
    if architecture is None or options.fresh:
        config["config"] = _guard(name, transformers.AutoConfig.from_pretrained, source, **with_code)
        architecture = architecture or _architecture(config["config"], options, name)
    if Path(source).is_dir():
        # A tokenizer is opened where it can do no harm before it is opened here.
        work = "taskloom.models.chat:try_tokenizer"
        confined(work, source, file, where=name, what="the tokenizer", megabytes=2048)
    tokenizer = _guard(name, transformers.AutoTokenizer.from_pretrained, source, part="the tokenizer", **with_code)
    _check_tokenizer(tokenizer, name)
    auto = _auto_class(transformers, architecture)
    if options.fresh:
        module, weights = _draw_weights(auto, config["config"], options), lambda drawn: state_hash(drawn.state_dict())
    else:
        module = _read_weights(name, auto, source, architecture=architecture, options=options, **config, **with_code)
    check_vocabulary(module, tokenizer, name)
    commit = getattr(module.config, "_commit_hash", None) or ""
    return LoadedModel(name, module, tokenizer, architecture, revision=commit, weights=weights(module))


def _load_gguf(name: str, path: Path, options: HFOptions) -> LoadedModel:
    if not path.is_file():
        raise not_here(path, "file", "taskloom list models")
    import_transformers(f"hf/{name}")
    if find_spec("gguf") is None:  # transformers needs it to read the file
        raise missing_extra("gguf", "train", "a GGUF file")
    with path.open("rb") as file:
        mark = file.read(4)
    if mark != b"GGUF":
        raise UserError("this is not a GGUF file, or it is corrupt", where=str(path))
    if options.architecture not in ("auto", "decoder"):
        raise UserError(f"a GGUF file holds a decoder, not a {options.architecture}", where="-M architecture")
    with _own_progress(path):
        loaded = _load_from(
            str(path.parent), name, options, lambda _: file_hash(path)[:32], "decoder", gguf_file=path.name
        )
    # What is loaded is plain numbers again; leaving the notes in would make saving refuse.
    loaded.module.hf_quantizer = None
    if hasattr(loaded.module.config, "quantization_config"):
        del loaded.module.config.quantization_config
    loaded.revision, loaded.settings = "", {"format": "gguf"}
    return loaded


@contextmanager
def _own_progress(path: Path) -> Iterator[None]:
    """While a GGUF file is read, our progress instead of a bar that transformers draws whatever it is told."""
    from transformers import modeling_gguf_pytorch_utils as reader

    def shown(tensors: Sequence[Any], **_: Any) -> Iterator[Any]:
        return track(tensors, f"reading {path.name}", len(tensors), unit="tensors")

    theirs = getattr(reader, "tqdm", None)  # a later version may draw none
    if theirs is not None:
        reader.tqdm = shown
    try:
        yield
    finally:
        if theirs is not None:
            reader.tqdm = theirs


def _read_weights(
    name: str, auto: Any, source: str, *, architecture: Architecture, options: HFOptions, **arguments: Any
) -> Any:
    device = resolve_device(options.device)
    with seeded("head", options.seed):
        module, report = _guard(
            name,
            auto.from_pretrained,
            source,
            dtype=resolve_dtype(options.dtype, device),
            use_safetensors=True,
            output_loading_info=True,
            **_placed(options, device),
            **arguments,
        )
    missing = sorted(report.get("missing_keys", ()))
    if architecture in ("classifier", "reader"):
        missing = [key for key in missing if not _NEW_HEAD.match(key)]
    if missing:
        raise UserError(
            f"the checkpoint lacks weights: {_some(missing)}", where=name, hint="it is incomplete or of another kind"
        )
    unused = _unused_layers(module, report.get("unexpected_keys", ()))
    if unused:
        raise UserError(
            f"the config has fewer layers than the weights: {_some(unused)} would be left out",
            where=name,
            hint="config.json belongs to another model",
        )
    return (module if options.device_map or options.quantise else module.to(device)).eval()


def _placed(options: HFOptions, device: Any) -> dict[str, Any]:
    """The arguments of loading that decide where weights go and in how many bits."""
    if options.quantise:
        if find_spec("bitsandbytes") is None:
            raise UserError(
                f"-M quantise={options.quantise} needs the package 'bitsandbytes', which is not installed",
                hint="pip install bitsandbytes; or a GGUF file, which needs none: gguf/FILE",
            )
        eight = options.quantise == "int8"
        config = import_transformers().BitsAndBytesConfig(load_in_8bit=eight, load_in_4bit=not eight)
        return {"quantization_config": config, "device_map": options.device_map or str(device)}
    return {"device_map": options.device_map} if options.device_map else {}


def _draw_weights(auto: Any, config: Any, options: HFOptions) -> Any:
    device = resolve_device(options.device)
    with seeded("fresh", options.seed):
        module = auto.from_config(config)
    return module.to(device, resolve_dtype(options.dtype, device)).eval()


def _some(keys: Sequence[str]) -> str:
    return ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")


def _unused_layers(module: Any, unexpected: Iterable[str]) -> list[str]:
    """Weights nobody asked for that belong to one more layer of a kind the model has.

    Other extra weights (the head of another task, old buffers) are usual and harmless.
    """
    shapes = {_NUMBER.sub(".#.", key) for key in module.state_dict()}
    return sorted(key for key in unexpected if _NUMBER.search(key) and _NUMBER.sub(".#.", key) in shapes)


def _guard(name: str, call: Any, *arguments: Any, part: str = "", **keywords: Any) -> Any:
    """Call into transformers; whatever it raises about a user's files becomes one sentence about that part."""
    try:
        return call(*arguments, **keywords)
    except Exception as error:
        # Readers raise classes of their own, and a wrong number in a config can make any line of a model fail.
        raise _explain(name, error, part) from error


def _explain(name: str, error: Exception, part: str) -> UserError:
    text = " ".join(str(error).split())
    # A folder may be called anything; only what transformers itself says tells what is wrong.
    said = text.replace(name, "").lower()
    if "trust_remote_code" in said or "custom code" in said:
        return UserError("needs code from its repository, which Taskloom never runs", where=name)
    if type(error).__name__ == "SafetensorError" or "header" in said:
        return UserError(f"the weights are corrupt: {text}", where=name, hint="fetch or save the checkpoint again")
    if "unrecognized configuration class" in said:
        kind = re.search(r"\w+Config", text)
        return UserError(
            f"{kind[0] if kind else 'its config'} describes a model of another architecture",
            where="-M architecture",
            hint="-M architecture=auto uses the config",
        )
    if "safetensors" in said:
        return UserError("offers no safetensors weights; pickled ones can run code and are not supported", where=name)
    if "size mismatch" in said or "mismatched" in said:
        return UserError(f"weights and config do not belong together: {text[:200]}", where=name)
    if "not a valid model identifier" in said or "couldn't connect" in said or "offline" in said:
        return UserError(
            "neither a local folder nor reachable on the hub",
            where=f"hf/{name}",
            hint="name a local folder, or check the spelling and the network",
        )
    hint = "the file is corrupt, or in a format that transformers cannot read" if name.endswith(".gguf") else None
    reason = text if isinstance(error, OSError | ValueError) else f"{type(error).__name__}: {text}"
    return UserError(f"{part} cannot be loaded: {reason[:300]}".strip(), where=f"hf/{name}", hint=hint)


def _architecture(config: Any, options: HFOptions, name: str) -> Architecture:
    """What kind of model a config describes."""
    if options.architecture != "auto":
        return options.architecture
    named: Sequence[str] = getattr(config, "architectures", None) or ()
    if getattr(config, "is_encoder_decoder", False):
        return "encoder-decoder"
    if any("SequenceClassification" in kind for kind in named):
        return "classifier"
    if any("QuestionAnswering" in kind for kind in named):
        return "reader"
    transformers = import_transformers()
    classes = transformers.models.auto.modeling_auto
    if any(kind.endswith(("ForCausalLM", "LMHeadModel")) for kind in named):
        return "decoder"
    # BERT and its kin are in both lists; without a causal head in the checkpoint they are encoders.
    if config.model_type in classes.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES:
        return "classifier"
    if config.model_type in classes.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "decoder"
    raise UserError(
        f"model type {config.model_type!r} neither generates text nor classifies it",
        where=name,
        hint="Taskloom runs encoder-decoder, decoder and encoder classifier models",
    )


def _auto_class(transformers: Any, architecture: Architecture) -> Any:
    return {
        "encoder-decoder": transformers.AutoModelForSeq2SeqLM,
        "decoder": transformers.AutoModelForCausalLM,
        "classifier": transformers.AutoModelForSequenceClassification,
        "reader": transformers.AutoModelForQuestionAnswering,
    }[architecture]


def _check_tokenizer(tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer without words: transformers makes one up where a checkpoint has none."""
    words = tokenizer.get_vocab().keys() - set(tokenizer.all_special_tokens)
    # A made-up sentencepiece vocabulary holds the mark of a blank.
    if len(words) < 2:
        raise UserError(
            "the tokenizer is missing: its vocabulary is empty",
            where=name,
            hint="put tokenizer.json (or the vocabulary files) next to config.json: tokenizer.save_pretrained(folder)",
        )


def check_vocabulary(module: Any, tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer that can say more than the model can hear."""
    rows = module.get_input_embeddings().weight.shape[0]
    highest = max(tokenizer.get_vocab().values(), default=-1)
    if highest >= rows:
        raise UserError(
            f"vocabulary mismatch: the tokenizer has ids up to {highest}, the model only {rows} embeddings",
            where=name,
            hint="use the tokenizer the model was trained with",
        )
