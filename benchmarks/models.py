"""Local models: what sorting by length, shared reading and dropping finished answers are worth.

    python -m benchmarks models

CPU seconds of one thread, both sides in this process, on `tiny/gpt-1m` and `tiny/t5-1m` with weights from
a seed. The other side is what a plain script over transformers does: batches in the order of arrival
padded to their longest, `module.generate`, one forward pass per candidate, and a training loop of ten lines over
batches tokenised before. lm-eval is measured in its own environment, where there is one (`make test-hosts` makes it),
on the same checkpoint and prompts.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
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
WEIGHED = 64
MODELS = ("tiny/t5-1m", "tiny/gpt-1m")
ROOT = Path(__file__).resolve().parent.parent
LM_EVAL = "TASKLOOM_LM_EVAL_PYTHON"


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
    """CPU seconds of a plain loop over batches that were tokenised before: forward, backward, AdamW."""
    import torch

    model: Any = open_model(name)
    optimiser = torch.optim.AdamW(model.module.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
    model.module.train()
    starts = [update * BATCH % len(requests) for update in range(updates)]
    batches = [model.collate(requests[start : start + BATCH], ["the garden"] * BATCH) for start in starts]

    def work() -> None:
        for batch in batches:
            optimiser.zero_grad(set_to_none=True)
            model.module(**batch).loss.backward()
            optimiser.step()

    return seconds(work)


def our_finetune(name: str, requests: list[Request], updates: int) -> float:
    """CPU seconds of `--adapt finetune` without its evaluations."""
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
        return seconds(lambda: [loop.step() for _ in range(updates)])


def lm_eval_seconds(model: Any, texts: list[str], candidates: list[str]) -> dict[str, float]:
    """CPU seconds of lm-eval for the same work, measured in its own environment; empty where there is none."""
    python = os.environ.get(LM_EVAL) or str(ROOT / ".hosts" / "lm-eval" / "bin" / "python")
    if not Path(python).is_file():
        print(f"lm-eval is left out: no {python} (make test-hosts sets it up; {LM_EVAL} names another interpreter)")
        return {}
    work = {"prompts": texts, "weighed": texts[:WEIGHED], "candidates": candidates, "tokens": TOKENS, "batch": BATCH}
    with TemporaryDirectory() as folder:
        model.save(Path(folder))
        (Path(folder) / "work.json").write_text(json.dumps(work), encoding="utf-8")
        backend = "seq2seq" if model.architecture == "encoder-decoder" else "causal"
        script = str(Path(__file__).with_name("_lm_eval.py"))
        done = subprocess.run(
            [python, script, folder, backend, str(Path(folder) / "work.json")],
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": ""},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"lm-eval is left out: {last}")
        return {}
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def measure(name: str) -> None:
    """The rows of one model."""
    texts = prompts(ROWS)
    task = Task("benchmark", Instruction(""))
    requests = [Request(Prompt(text), task, Instance("", text, any_of("x"))) for text in texts]
    candidates = [f"the {noun}" for noun in PLACES]
    asked = [Prompt(text) for text in texts[:WEIGHED]]
    model: Any = open_model(name)
    model.generate(requests[:8], Generation(max_tokens=2))  # warm up
    peer = lm_eval_seconds(model, texts, candidates)
    ours = seconds(lambda: model.generate(requests, Generation(max_tokens=TOKENS)))
    row(name, f"generate: {ROWS} answers of {TOKENS} tokens", ours, seconds(lambda: plain_generate(model, texts)), peer)
    by_length = sorted(texts, key=len)
    row(name, "the same, the script's prompts sorted", ours, seconds(lambda: plain_generate(model, by_length)), {})
    ours = seconds(lambda: model.logprobs(asked, [candidates] * len(asked)))
    theirs = seconds(lambda: plain_logprobs(model, texts[:WEIGHED], candidates))
    row(name, f"logprobs: {len(candidates)} candidates for {WEIGHED} prompts", ours, theirs, peer)
    ours, theirs = our_finetune(name, requests, UPDATES), plain_finetune(name, requests, UPDATES)
    row(name, f"finetune: {UPDATES} updates of {BATCH} examples", ours, theirs, peer)


def row(name: str, work: str, ours: float, plain: float, peer: dict[str, float]) -> None:
    """One line of the table."""
    other = peer.get(work.partition(":")[0])
    beside = f"{other:.2f} | {other / ours:.1f}x" if other else "- | -"
    print(f"| {name} | {work} | {ours:.2f} | {plain:.2f} | {plain / ours:.1f}x | {beside} |", flush=True)


def main() -> None:
    import torch

    torch.set_num_threads(1)
    print("| model | work | ours, CPU s | plain transformers | ratio | lm-eval | ratio |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in MODELS:
        measure(name)


if __name__ == "__main__":
    main()
