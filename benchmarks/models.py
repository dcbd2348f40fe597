"""Local models: what sorting by length, shared reading and dropping finished answers are worth.

    python -m benchmarks models

CPU seconds of one thread, both sides in this process, on `tiny/gpt-1m` and `tiny/t5-1m` with weights from
a seed. The other side is what a plain script over transformers does: batches in the order of arrival
padded to their longest, `module.generate`, and one forward pass per candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from taskloom.core import Instance, Instruction, Task, any_of, keyed_random
from taskloom.encode.base import Prompt
from taskloom.models.base import Generation, Request, open_model

WORDS = ("the", "cat", "sat", "on", "a", "mat", "while", "Mary", "went", "back", "to", "garden", "with", "milk")
PLACES = ("garden", "office", "kitchen", "hallway", "bedroom", "bathroom", "park", "school")
ROWS = 256
BATCH = 32
TOKENS = 12


def prompts(count: int) -> list[str]:
    """Prompts of 4 to 130 words, most of them short, as suites have them."""
    texts = []
    for index in range(count):
        rng = keyed_random("benchmark", "models", index)
        texts.append(" ".join(rng.choices(WORDS, k=4 + int(126 * rng.random() ** 3))))
    return texts


def seconds(work: Callable[[], Any]) -> float:
    start = process_time()
    work()
    return process_time() - start


def plain_generate(model: Any, texts: list[str]) -> None:
    """Batches as they come, padded to their longest, through `module.generate`."""
    import torch

    tokenizer = model.tokenizer_hf
    tokenizer.padding_side = "left" if model.architecture == "decoder" else "right"
    for start in range(0, len(texts), BATCH):
        batch = tokenizer(texts[start : start + BATCH], padding=True, return_tensors="pt")
        with torch.inference_mode():
            model.module.generate(**batch, max_new_tokens=TOKENS, do_sample=False)


def plain_logprobs(model: Any, texts: list[str], candidates: list[str]) -> None:
    """One forward pass per prompt and candidate, in batches as they come."""
    import torch

    rows = [(Prompt(text), candidate) for text in texts for candidate in candidates]
    task = Task("benchmark", Instruction(""))
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        requests = [Request(prompt, task, Instance("", prompt.text, any_of("x"))) for prompt, _ in batch]
        given = model.collate(requests, [candidate for _, candidate in batch])
        labels = given.pop("labels")
        with torch.inference_mode():
            more = {"labels": labels} if model.architecture == "encoder-decoder" else {}
            logits = model.module(**given, **more).logits
            torch.log_softmax(logits.float(), dim=-1).gather(-1, labels.clamp(min=0).unsqueeze(-1))


def main() -> None:
    import torch

    torch.set_num_threads(1)
    texts = prompts(ROWS)
    task = Task("benchmark", Instruction(""))
    requests = [Request(Prompt(text), task, Instance("", text, any_of("x"))) for text in texts]
    candidates = [
        f"the {noun}" for noun in ["garden", "office", "kitchen", "hallway", "bedroom", "bathroom", "park", "school"]
    ]
    for name in ("tiny/t5-1m", "tiny/gpt-1m"):
        model = open_model(name)
        model.generate(requests[:8], Generation(max_tokens=2))  # warm up
        ours = seconds(lambda: model.generate(requests, Generation(max_tokens=TOKENS)))  # noqa: B023 - used at once
        theirs = seconds(lambda: plain_generate(model, texts))  # noqa: B023
        print(f"{name}: {ROWS} answers of {TOKENS} tokens: {ours:.2f} CPU s; module.generate {theirs:.2f}")
        print(f"    ratio {theirs / ours:.1f}x")
        asked = [Prompt(text) for text in texts[:64]]
        ours = seconds(lambda: model.logprobs(asked, [candidates] * len(asked)))  # noqa: B023
        theirs = seconds(lambda: plain_logprobs(model, texts[:64], candidates))  # noqa: B023
        print(f"{name}: {len(candidates)} candidates for each of {len(asked)} prompts: {ours:.2f} CPU s")
        print(f"    one pass per candidate {theirs:.2f}: ratio {theirs / ours:.1f}x")


if __name__ == "__main__":
    main()
