"""Local models: what sorting by length, shared reading and dropping finished answers are worth.

    python -m benchmarks models

CPU seconds of one thread, both sides in this process, on `tiny/gpt-1m` and `tiny/t5-1m` with weights from
a seed. The other side is what a plain script over transformers does: batches in the order of arrival
padded to their longest, `module.generate`, one forward pass per candidate, and a training loop of ten lines.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from taskloom.core import Instance, Instruction, Task, any_of, keyed_random
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model

WORDS = ("the", "cat", "sat", "on", "a", "mat", "while", "Mary", "went", "back", "to", "garden", "with", "milk")
PLACES = ("garden", "office", "kitchen", "hallway", "bedroom", "bathroom", "park", "school")
ROWS = 256
BATCH = 32
TOKENS = 12
UPDATES = 16


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


def plain_finetune(name: str, requests: list[Request], updates: int) -> float:
    """CPU seconds of a plain loop: collate, forward, backward, AdamW."""
    import torch

    model: Any = open_model(name)
    optimiser = torch.optim.AdamW(model.module.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
    model.module.train()

    def work() -> None:
        for update in range(updates):
            start = update * BATCH % len(requests)
            batch = model.collate(requests[start : start + BATCH], ["the garden"] * BATCH)
            optimiser.zero_grad(set_to_none=True)
            model.module(**batch).loss.backward()
            optimiser.step()

    return seconds(work)


def our_finetune(name: str, requests: list[Request], updates: int) -> float:
    """CPU seconds of `--adapt finetune` without its evaluations."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from taskloom.adapt import make_adaptation
    from taskloom.adapt.train import Fitting
    from taskloom.core import Row, Suite
    from taskloom.core.encoding import make_encoding

    task = Task("benchmark", Instruction(""))
    rows = [
        Row("benchmark", Instance(str(number), request.prompt.text, any_of("the garden")))
        for number, request in enumerate(requests)
    ]
    suite = Suite("toy/benchmark", {}, 0, {"benchmark": task}, {"train": len(rows)}, lambda split: iter(rows))
    options = {"updates": updates, "batch": BATCH, "evaluate_updates": updates, "epochs": 99, "holdout": 0.0}
    settings: Any = make_adaptation("finetune", options)
    with TemporaryDirectory() as folder:
        fitting = Fitting(settings, open_model(name), suite, make_encoding("plain"), Path(folder), seed=0, shared=False)
        loop = fitting.loop([fitting.prepare(None)], fitting.change(1))
        return seconds(lambda: [loop._step() for _ in range(updates)])


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
        ours, theirs = our_finetune(name, requests, UPDATES), plain_finetune(name, requests, UPDATES)
        print(f"{name}: {UPDATES} updates of {BATCH} examples: {ours:.2f} CPU s; a plain loop {theirs:.2f}")
        print(f"    ratio {theirs / ours:.1f}x")


if __name__ == "__main__":
    main()
