"""A shallow ranker: candidates weighed by where they stand and what stands beside them, without following any chain.

For answers that stand in the context it is a conditional logit over the candidates; for closed answers (yes, no) a
logit over labels from how the words of the question meet in the context. Either way every feature looks at single
sentences only: places that follow from another person's are beyond it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from taskloom.score.probes import CandidateProbe, ProbeItem, mentions, sentences_of, words_of

_FEW = 5
_CAPITAL = re.compile(r"(?<=[a-z] )[A-Z]\w+")


class RankerProbe(CandidateProbe):
    """A linear ranker over surface features.

    Args:
        penalty: Weight of the squared norm.
        steps: Iterations of L-BFGS at the most.
    """

    name = "shallow ranker"

    def __init__(self, *, penalty: float = 0.3, steps: int = 80) -> None:
        self._penalty, self._steps = penalty, steps

    def fit(self, items: Sequence[ProbeItem]) -> None:
        super().fit(items)
        inside = sum(any(is_named(item, text) for text in item.accepted) for item in items)
        self._labels = None if 2 * inside > len(items) else sorted({item.answer for item in items})
        self._names = {
            word.casefold() for item in items for word in _CAPITAL.findall(f"{item.context} {item.question}")
        }
        self._index: dict[str, int] = {}
        groups: list[list[list[int]]] = []
        right: list[int] = []
        for item in items:
            options = self._options(item)
            fitting = [place for place, (answer, _) in enumerate(options) if answer.casefold() in item.accepted]
            if fitting and len(options) > 1:
                groups.append([self._numbers(features, grow=True) for _, features in options])
                right.append(fitting[0])
        self._weights = self._solve(groups, right) if groups else []

    def answer(self, item: ProbeItem) -> str | None:
        best, most = None, float("-inf")
        for answer, features in self._options(item):
            score = sum(self._weights[number] for number in self._numbers(features, grow=False))
            if score > most:
                best, most = answer, score
        return best

    # -- features -----------------------------------------------------------------------------------

    def _options(self, item: ProbeItem) -> list[tuple[str, list[str]]]:
        if self._labels is not None:
            meeting = list(self._meeting(item))
            return [(label, [f"{label}:{feature}" for feature in meeting]) for label in self._labels]
        found = self.candidates(item)
        sentences = sentences_of(item.context)
        asked = self.asked_about(item)
        near = [line for line, sentence in enumerate(sentences) if any(word in sentence for word in asked)]
        goal = [line for answer, lines in found.items() if _names_question(item, answer) for line in lines]
        return [(answer, list(self._standing(item, answer, found, near, goal))) for answer in found]

    def _standing(
        self, item: ProbeItem, answer: str, found: dict[str, list[int]], near: list[int], goal: list[int]
    ) -> Iterator[str]:
        """How a candidate stands in the context, compared with the others."""
        lines = found[answer]
        close = [line for line in lines if line in near]
        yield f"asked {_names_question(item, answer)}"
        yield f"count {min(len(lines), _FEW)}"
        yield f"close {min(len(close), _FEW)}"
        yield f"last {rank(lines[-1], (other[-1] for other in found.values()))}"
        yield f"first {rank(-lines[0], (-other[0] for other in found.values()))}"
        beside = [[line for line in other if line in near] for other in found.values()]
        if close:
            yield f"close last {rank(close[-1], (other[-1] for other in beside if other))}"
            yield f"close first {rank(-close[0], (-other[0] for other in beside if other))}"
        if near:
            ahead = [line for line in lines if line < near[-1]]
            later = [line for line in lines if line > near[-1]]
            yield f"ahead {gap_name(near[-1] - ahead[-1]) if ahead else 'none'}"
            yield f"later {gap_name(later[0] - near[-1]) if later else 'none'}"
            if ahead:
                earlier = [
                    max(line for line in other if line < near[-1]) for other in found.values() if other[0] < near[-1]
                ]
                yield f"ahead rank {rank(ahead[-1], earlier)}"
        if goal:
            ahead = [line for line in lines if line < goal[-1]]
            earlier = [
                max(line for line in other if line < goal[-1]) for other in found.values() if other[0] < goal[-1]
            ]
            yield f"goal {rank(ahead[-1], earlier) if ahead else 'none'}"
            with_asked = [line for line in ahead if line in near]
            yield f"goal close {gap_name(goal[-1] - with_asked[-1]) if with_asked else 'none'}"
        sentences = sentences_of(item.context)
        yield from self._shared(answer, found, sentences, near, goal)
        for word in sentences[lines[-1]]:
            yield f"beside {word}"
        for word in sentences[close[-1]] if close else ():
            yield f"close beside {word}"

    def _shared(
        self,
        answer: str,
        found: dict[str, list[int]],
        sentences: Sequence[Sequence[str]],
        near: list[int],
        goal: list[int],
    ) -> Iterator[str]:
        """Whether the candidate's sentences name a person whom the sentences about the asked person name too."""
        around = {word for line in near for word in sentences[line] if word in self._names}
        latest = {word for word in sentences[near[-1]] if word in self._names} if near else set()
        ends = {word for word in sentences[goal[-1]] if word in self._names} if goal else set()
        for name, people in (("near", around), ("latest", latest), ("goal", ends), ("both", around & ends)):
            if not people:
                continue
            shared = {
                other: [line for line in lines if people.intersection(sentences[line])]
                for other, lines in found.items()
            }
            own = shared[answer]
            yield f"shares {name} {min(len(own), _FEW)}"
            if own:
                yield f"shares {name} last {rank(own[-1], (lines[-1] for lines in shared.values() if lines))}"
                yield f"shares {name} first {rank(-own[0], (-lines[0] for lines in shared.values() if lines))}"

    def _meeting(self, item: ProbeItem) -> Iterator[str]:
        """How the words of the question meet in the context."""
        sentences = sentences_of(item.context)
        asked = self.asked_about(item)
        where = [[line for line, sentence in enumerate(sentences) if word in sentence] for word in asked]
        yield "bias"
        yield f"order {sorted(range(len(where)), key=lambda place: where[place][-1:])}"
        for place, lines in enumerate(where):
            yield f"count {place} {min(len(lines), _FEW)}"
            yield f"age {place} {gap_name(len(sentences) - lines[-1]) if lines else 'none'}"
            for word in sentences[lines[-1]] if lines else ():
                if word not in asked:
                    yield f"last {place} {word}"
            for other, more in enumerate(where):
                if other != place:
                    meet = sorted(set(lines) & set(more))
                    yield f"meet {place} {other} {min(len(meet), _FEW)}"
                    yield f"meet last {place} {other} {bool(meet) and meet[-1] == lines[-1]}"
                    for word in sentences[meet[-1]] if meet else ():
                        if word not in asked:
                            yield f"meet beside {word}"

    def _numbers(self, features: list[str], *, grow: bool) -> list[int]:
        if grow:
            return [self._index.setdefault(feature, len(self._index)) for feature in features]
        return [self._index[feature] for feature in features if feature in self._index]

    # -- fitting --------------------------------------------------------------------------------------

    def _solve(self, groups: list[list[list[int]]], right: list[int]) -> list[float]:
        """Weights of a conditional logit."""
        import numpy as np
        from scipy.optimize import minimize
        from scipy.sparse import csr_matrix

        options = [features for group in groups for features in group]
        starts = np.cumsum([0, *map(len, options)])
        flat = [number for features in options for number in features]
        table = csr_matrix((np.ones(len(flat)), flat, starts), shape=(len(options), len(self._index)))
        firsts = np.cumsum([0, *map(len, groups)])
        owner = np.repeat(np.arange(len(groups)), np.diff(firsts))
        chosen = firsts[:-1] + np.array(right)

        def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
            scores = table @ weights
            scores -= np.maximum.reduceat(scores, firsts[:-1])[owner]
            chances = np.exp(scores)
            totals = np.add.reduceat(chances, firsts[:-1])
            rest = chances / totals[owner]
            rest[chosen] -= 1.0
            value = float(np.log(totals).sum() - scores[chosen].sum())
            return value + self._penalty / 2 * float(weights @ weights), table.T @ rest + self._penalty * weights

        found = minimize(
            loss, np.zeros(len(self._index)), jac=True, method="L-BFGS-B", options={"maxiter": self._steps}
        )
        weights: list[float] = found.x.tolist()
        return weights


def is_named(item: ProbeItem, text: str) -> bool:
    """Whether a sentence of the context holds a text."""
    phrase = words_of(text)
    return bool(phrase) and any(mentions(sentence, phrase) for sentence in sentences_of(item.context))


def _names_question(item: ProbeItem, answer: str) -> bool:
    return mentions(words_of(item.question), words_of(answer))


def rank(value: int, others: Sequence[int] | Iterator[int]) -> int:
    """How many of the others stand before a value when sorted downwards, up to a few."""
    return min(sum(other > value for other in others), _FEW)


def gap_name(distance: int) -> str:
    """A distance in sentences, exact below four."""
    return str(distance) if distance < 4 else ("4-7" if distance < 8 else "8+")
