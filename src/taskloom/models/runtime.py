"""The one door to torch and transformers: imported on first use, with a kind word where they are missing."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from taskloom.core import UserError, digest, missing_extra, unknown_name
from taskloom.core.secrets import scrub

NOT_NUMBERS = "the model's scores are not numbers: its weights are damaged, or too large for its dtype"

LOGGER = logging.getLogger("taskloom.models")


class _SecretFilter(logging.Filter):
    """Puts references in place of secrets in log messages."""

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
    # Advice about tokenizer forks and configuration dumps are of no use to users of a suite.
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
    """A hash over the names, shapes, types and bytes of weights, in any order."""
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


R = TypeVar("R")

# On one thread 2,048 take two thirds of the time of 8,192, for models of 1 and of 51 million parameters: batches have
# less padding and stay in the cache of the processor.
_CPU_TOKENS = 2_048
_GPU_TOKENS = 65_536
_MOST_ROWS = 256


class BatchSizer:
    """How many rows go into one batch.

    A fixed number of rows when the user gave one, otherwise as many as fit a budget of padded
    tokens. When memory runs out the sizer halves and stays there for the rest of its life.

    Args:
        rows: Rows per batch, or 0 for automatic.
        tokens: The budget of padded tokens for automatic batches.
    """

    def __init__(self, rows: int = 0, tokens: int = _CPU_TOKENS) -> None:
        self.rows = rows or _MOST_ROWS
        self.tokens = 0 if rows else tokens

    @classmethod
    def for_device(cls, rows: int, device_type: str) -> BatchSizer:
        """A sizer with the budget of a CPU or of an accelerator."""
        return cls(rows, _CPU_TOKENS if device_type == "cpu" else _GPU_TOKENS)

    def fit(self, length: int) -> int:
        """How many rows of that length go into a batch; never fewer than one."""
        if not self.tokens:
            return self.rows
        return max(1, min(self.rows, self.tokens // max(length, 1)))

    def shrink(self, rows: int) -> None:
        """Memory ran out with that many rows: allow half as many from now on."""
        self.rows = max(1, min(self.rows, rows // 2))
        self.tokens //= 2
        LOGGER.warning("out of memory with %d rows; continuing with at most %d per batch", rows, self.rows)


def stream_in_batches(
    lengths: Sequence[int],
    work: Callable[[list[int]], Sequence[R]],
    sizer: BatchSizer,
    lost: Callable[[int], R],
    release: Callable[[], None] | None = None,
) -> Iterator[list[tuple[int, R]]]:
    """Do work over all items, longest first, in batches of similar length, and give results as they come.

    The longest go first so that memory runs out at the beginning or not at all.

    Args:
        lengths: The length of each item in tokens.
        work: Takes the indices of one batch and gives one result per index.
        sizer: Decides the size of batches and remembers failures.
        lost: The result of an item that does not fit into memory even alone.
        release: Called after memory ran out, to give back what is cached.

    Yields:
        The indices of a batch with their results.
    """
    waiting = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    at = 0
    while at < len(waiting):
        batch = waiting[at : at + sizer.fit(lengths[waiting[at]])]
        answers = _unless_out_of_memory(work, batch)
        if answers is None:
            # Only here, after the failed call is gone, can what it held be given back.
            if release:
                release()
            if len(batch) > 1:
                sizer.shrink(len(batch))
                continue
            answers = [lost(batch[0])]
        yield list(zip(batch, answers, strict=True))
        at += len(batch)


def _unless_out_of_memory(work: Callable[[list[int]], Sequence[R]], batch: list[int]) -> Sequence[R] | None:
    try:
        return work(batch)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        return None


def run_in_batches(
    lengths: Sequence[int],
    work: Callable[[list[int]], Sequence[R]],
    sizer: BatchSizer,
    lost: Callable[[int], R],
    release: Callable[[], None] | None = None,
) -> list[R]:
    """As `stream_in_batches`, but all results at once, one per item in the order of `lengths`."""
    results = dict(pair for group in stream_in_batches(lengths, work, sizer, lost, release) for pair in group)
    return [results[index] for index in range(len(lengths))]
