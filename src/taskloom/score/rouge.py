"""ROUGE-L, bit for bit the published numbers, at a small fraction of the usual time.

Each text is cut into tokens once and written down as a string with one character per distinct token; the longest
common subsequence of two such strings is a single call into rapidfuzz. Two ways of cutting are offered:

* English (`rouge-l`): lower case, runs of `a-z0-9`, Porter stems of words longer than three letters, as the
  `rouge-score` package does with its stemmer on.
* cross-lingual (`rouge-l-xlingual`): byte-level BPE tokens of GPT-2 without their leading blank, as
  Super-NaturalInstructions scores its cross-lingual track.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from rapidfuzz.distance import LCSseq

from taskloom.core import Targets, Task, acceptable_texts
from taskloom.core.scorer import Score, Scorer
from taskloom.encode.gpt2 import gpt2
from taskloom.score.porter import stem

__all__ = ["ROUGE_L", "ROUGE_L_XLINGUAL", "RougeL"]

_CACHED_CHARACTERS = 32_000_000
_LONG_TEXTS = 1_000_000
_MOST_STEMS = 500_000

_WORD_BYTES = bytes(byte if chr(byte) in "abcdefghijklmnopqrstuvwxyz0123456789" else 0x20 for byte in range(256))


class _Stems(dict[bytes, str]):
    """Words of `a-z0-9` to one character per stem, filled on first sight."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, str] = {}

    def __missing__(self, word: bytes) -> str:
        text = word.decode()
        stemmed = stem(text) if len(text) > 3 else text
        # Surrogates stand in the middle of the code points and are left out.
        count = len(self.numbers)
        character = self.numbers.setdefault(stemmed, chr(count if count < 0xD800 else count + 0x800))
        self[word] = character
        return character


class _Codes(ABC, dict[str, str]):
    """Texts to their coded tokens. Texts seen before cost one look-up; the memory it takes is bounded."""

    def __init__(self) -> None:
        super().__init__()
        self._held = 0

    def __missing__(self, text: str) -> str:
        if self._held > _CACHED_CHARACTERS:
            self.forget()
        code = self[text] = self.code(text)
        self._held += len(text)
        return code

    def forget(self) -> None:
        """Empty the cache."""
        self.clear()
        self._held = 0

    @abstractmethod
    def code(self, text: str) -> str:
        """One character per token."""

    def tidy(self) -> None:
        """Called before texts are coded that must agree with each other."""


class _English(_Codes):
    def __init__(self) -> None:
        super().__init__()
        self.stems = _Stems()

    def code(self, text: str) -> str:
        words = text.lower().encode("ascii", "replace").translate(_WORD_BYTES).split()
        return "".join(map(self.stems.__getitem__, words))

    def tidy(self) -> None:
        # There are 1.1 million characters to name stems with; texts of one call bring at most as many again.
        if len(self.stems.numbers) > _MOST_STEMS:
            self.stems = _Stems()
            self.forget()


class _CrossLingual(_Codes):
    @cached_property
    def characters(self) -> list[str]:
        """One character per token number, the same for tokens that differ only in leading blanks."""
        first: dict[bytes, str] = {}
        return [first.setdefault(token.lstrip(b" "), chr(number)) for number, token in enumerate(gpt2().tokens)]

    def code(self, text: str) -> str:
        return "".join(map(self.characters.__getitem__, gpt2().encode(text)))


def _f_measure(prediction: str, reference: str) -> float:
    """The order of operations is that of the reference implementation, so the last bit agrees too."""
    common = LCSseq.similarity(prediction, reference)
    if not common:
        return 0.0
    precision = common / len(prediction)
    recall = common / len(reference)
    return 2 * precision * recall / (precision + recall)


class RougeL(Scorer, frozen=True, dict=True):
    """ROUGE-L F-measure, the best over all acceptable answers."""

    name: ClassVar[str] = "rouge-l"
    coding: ClassVar[type[_Codes]] = _English

    @cached_property
    def _codes(self) -> _Codes:
        return self.coding()

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        return Score(self.best(answer, acceptable_texts(targets)))

    def best(self, prediction: str, references: Sequence[str]) -> float:
        """The highest F-measure of a prediction against any reference."""
        scores = self.each(prediction, references)
        return max(scores, default=0.0)

    def each(self, prediction: str, references: Sequence[str]) -> list[float]:
        """The F-measure against every reference, in order."""
        codes = self._codes
        codes.tidy()
        if len(prediction) + sum(map(len, references)) > _LONG_TEXTS:
            # Texts of that size are scored apart, so that they do not crowd out everything else.
            codes = self.coding()
        coded = codes[prediction]
        return [_f_measure(coded, codes[reference]) for reference in references]

    def forget(self) -> None:
        """Empty the caches, for benchmarks that want to start cold."""
        self.__dict__.pop("_codes", None)


class _RougeLCrossLingual(RougeL, frozen=True):
    """ROUGE-L F-measure for answers in any language, the best over all acceptable answers."""

    name: ClassVar[str] = "rouge-l-xlingual"
    coding: ClassVar[type[_Codes]] = _CrossLingual


ROUGE_L = RougeL()
ROUGE_L_XLINGUAL = _RougeLCrossLingual()
