"""Texts for benchmarks, drawn from a seed, that any environment can make: nothing of Taskloom is imported."""

from __future__ import annotations

from random import Random

__all__ = ["drawn"]


def drawn(count: int) -> list[tuple[str, list[str]]]:
    """Words with a long tail of frequencies, in texts of 2 to 120 words."""
    rng = Random(0)
    endings = ["", "s", "ing", "ed", "ation", "ness", "ly", "er"]
    words = ["".join(rng.choices("aeiouthrnsldcm", k=rng.randint(2, 8))) + rng.choice(endings) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]

    def text(longest: int) -> str:
        return " ".join(rng.choices(words, weights, k=rng.randint(2, longest)))

    return [(text(120), [text(40) for _ in range(rng.choice([1, 1, 1, 3]))]) for _ in range(count)]
