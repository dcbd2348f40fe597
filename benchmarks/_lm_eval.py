"""The share of lm-eval in `benchmarks.models`: runs in lm-eval's own environment and imports nothing of ours.

    python _lm_eval.py CHECKPOINT seq2seq|causal WORK.json

The file holds prompts, candidates, tokens and batch size; CPU seconds of one thread are printed as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import torch
from lm_eval.api.instance import Instance  # type: ignore[import-not-found]
from lm_eval.models.huggingface import HFLM  # type: ignore[import-not-found]


def main(checkpoint: str, backend: str, work: str) -> None:
    torch.set_num_threads(1)
    asked = json.loads(Path(work).read_text(encoding="utf-8"))
    model = HFLM(pretrained=checkpoint, backend=backend, device="cpu", batch_size=asked["batch"], dtype="float32")
    until = {"until": [], "max_gen_toks": asked["tokens"], "do_sample": False}
    generate = [
        Instance(request_type="generate_until", doc={}, arguments=(text, until), idx=0) for text in asked["prompts"]
    ]
    weigh = [
        Instance(request_type="loglikelihood", doc={}, arguments=(text, f" {candidate}"), idx=0)
        for text in asked["weighed"]
        for candidate in asked["candidates"]
    ]
    model.generate_until(generate[:2], disable_tqdm=True)  # warm up
    start = process_time()
    model.generate_until(generate, disable_tqdm=True)
    generated = process_time()
    model.loglikelihood(weigh, disable_tqdm=True)
    print(json.dumps({"generate": generated - start, "logprobs": process_time() - generated}))


if __name__ == "__main__":
    main(*sys.argv[1:])
