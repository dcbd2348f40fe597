"""Shortcut probes: a bag-of-words logistic regression in plain numpy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np


class Probe:
    """L2-regularised multinomial logistic regression over word presence, fitted by gradient descent with momentum."""

    def __init__(self, vocabulary: int = 3_000, steps: int = 150, ridge: float = 1e-3) -> None:
        self.size, self.steps, self.ridge = vocabulary, steps, ridge

    def _features(self, texts: Sequence[str]) -> np.ndarray:
        matrix = np.zeros((len(texts), len(self.words) + 1), dtype=np.float32)
        matrix[:, -1] = 1
        for row, text in enumerate(texts):
            for word in set(re.findall(r"\w+", text.lower())):
                if word in self.words:
                    matrix[row, self.words[word]] = 1
        return matrix

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> Probe:
        counts = Counter(word for text in texts for word in set(re.findall(r"\w+", text.lower())))
        kept = sorted(counts, key=lambda word: (-counts[word], word))[: self.size]
        self.words = {word: index for index, word in enumerate(kept) if counts[word] > 2}
        self.labels = sorted(set(labels))
        x = self._features(texts)
        y = np.eye(len(self.labels), dtype=np.float32)[[self.labels.index(label) for label in labels]]
        self.weights = np.zeros((x.shape[1], len(self.labels)), dtype=np.float32)
        velocity = np.zeros_like(self.weights)
        rate = 4.0 / float((x**2).sum(axis=1).mean())
        for _ in range(self.steps):
            gradient = x.T @ (self._softmax(x @ self.weights) - y) / len(x) + self.ridge * self.weights
            velocity = 0.9 * velocity - rate * gradient
            self.weights += velocity
        return self

    @staticmethod
    def _softmax(scores: np.ndarray) -> np.ndarray:
        exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
        return exponents / exponents.sum(axis=1, keepdims=True)

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        return self._softmax(self._features(texts) @ self.weights)

    def accuracy(self, texts: Sequence[str], labels: Sequence[str]) -> float:
        said = self.probabilities(texts).argmax(axis=1)
        return float(np.mean([self.labels[index] == label for index, label in zip(said, labels, strict=True)]))

    def area(self, texts: Sequence[str], labels: Sequence[str], positive: str) -> float:
        """Area under the ROC curve for one label: 0.5 is chance, whatever the shares of the labels."""
        scores = self.probabilities(texts)[:, self.labels.index(positive)]
        truth = np.asarray([label == positive for label in labels])
        ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1.0
        return float((ranks[truth].sum() - truth.sum() * (truth.sum() + 1) / 2) / (truth.sum() * (~truth).sum()))
