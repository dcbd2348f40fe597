"""Fit the built-in vocabulary of tiny models to woven text: `python scripts/build_subwords.py`.

Run it again only on purpose: a new vocabulary is a new model under every `tiny/` name.
"""

from __future__ import annotations

from pathlib import Path

from taskloom.models.tiny.pretrain import PARTS, weave
from taskloom.models.tiny.vocabulary import fit_subwords

SIZE = 2048
PLACE = Path(__file__).parent.parent / "src" / "taskloom" / "models" / "tiny" / "subwords.json"


def main() -> None:
    corpus = weave(tuple(PARTS), texts=8_000, seed=0)
    print(f"woven: {corpus.counts}; left out: {corpus.left_out}")
    fit_subwords(corpus.texts, SIZE).save(str(PLACE), pretty=False)
    print(f"{PLACE.name}: {PLACE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
