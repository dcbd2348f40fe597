"""The one door to torch and transformers: imported on first use, with a kind word where they are missing."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from taskloom.core import UserError, digest, missing_extra, unknown_name
from taskloom.core.secrets import scrub

__all__ = [
    "LOGGER",
    "NOT_NUMBERS",
    "count_parameters",
    "file_hash",
    "has_torch",
    "import_torch",
    "import_transformers",
    "is_out_of_memory",
    "resolve_device",
    "resolve_dtype",
    "seeded",
    "state_hash",
]

NOT_NUMBERS = "the model's scores are not numbers: its weights are damaged, or too large for its dtype"

LOGGER = logging.getLogger("taskloom.models")


class _SecretFilter(logging.Filter):
    """Puts references in place of secrets in whatever is logged."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = scrub(record.getMessage()), None
        return True


LOGGER.addFilter(_SecretFilter())

_DTYPES = {
    "float32": "float32",
    "fp32": "float32",
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
    "float16": "float16",
    "fp16": "float16",
}


def has_torch() -> bool:
    """Whether torch and transformers are installed, without importing them."""
    from importlib.util import find_spec

    return find_spec("torch") is not None and find_spec("transformers") is not None


def import_torch(purpose: str = "a local model") -> Any:
    """The torch module.

    Raises:
        UserError: It is not installed.
    """
    try:
        import torch
    except ImportError:
        raise missing_extra("torch", "train", purpose) from None
    return torch


def import_transformers(purpose: str = "a local model") -> Any:
    """The transformers module, with its messages silenced.

    Raises:
        UserError: It is not installed.
    """
    import_torch(purpose)
    # Advice about tokenizer forks and configuration dumps help nobody who runs a suite.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import transformers
    except ImportError:
        raise missing_extra("transformers", "train", purpose) from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def resolve_device(name: str) -> Any:
    """A torch device by name; "auto" takes a GPU where there is one.

    Raises:
        UserError: torch knows no such device, or the machine has none.
    """
    torch = import_torch()
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        # Reading a number back also tells devices that hold none ("meta").
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(
            f"device {name!r} cannot be used: {reason}", where="-M device", hint="-M device=auto uses what is available"
        ) from None
    return device


def resolve_dtype(name: str, device: Any) -> Any:
    """A torch dtype by name; "auto" is bfloat16 on a GPU and float32 elsewhere.

    Full precision is the default on a CPU because answers must not depend on the batch they came in.
    """
    torch = import_torch()
    if name == "auto":
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    if name not in _DTYPES:
        raise unknown_name("dtype", name, ["auto", *_DTYPES], where="-M dtype")
    return getattr(torch, _DTYPES[name])


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on a GPU or in torch's allocator for the CPU."""
    if isinstance(error, MemoryError):
        return True
    torch = import_torch()
    if isinstance(error, torch.cuda.OutOfMemoryError):
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


@contextmanager
def seeded(*key: Any) -> Iterator[None]:
    """Torch's random numbers inside the block depend on the key alone; outside nothing changes."""
    torch = import_torch()
    with torch.random.fork_rng():
        torch.manual_seed(int.from_bytes(digest(*key)[:8], "big") >> 1)
        yield


def state_hash(state: Mapping[str, Any]) -> str:
    """A hash over the names, shapes, types and bytes of weights, whatever their order."""
    torch = import_torch()
    total = sha256()
    for name in sorted(state):
        tensor = state[name].detach().to("cpu").contiguous()
        total.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        total.update(memoryview(tensor.flatten().view(torch.uint8).numpy()) if tensor.numel() else b"")
    return total.hexdigest()[:32]


def file_hash(*paths: Path) -> str:
    """A hash over the bytes of files, in the given order, read in pieces."""
    total = sha256()
    for path in paths:
        with path.open("rb") as file:
            while piece := file.read(1 << 22):
                total.update(piece)
    return total.hexdigest()


def count_parameters(module: Any) -> int:
    """How many numbers a model holds, shared ones counted once."""
    return sum(parameter.numel() for parameter in module.parameters())
