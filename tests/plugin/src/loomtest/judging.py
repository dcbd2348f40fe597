from taskloom import Estimate, Metric, Reader, Reading, Score, Scorer


class SameLetters(Scorer, frozen=True, kw_only=True):
    name = "loomtest"
    metric = "loomtest"

    def score(self, answer, targets, task):
        return Score(float(answer == targets.canonical()))


class Trimmed(Reader, frozen=True, kw_only=True):
    name = "loomtest"

    def read(self, text, task, prompt=""):
        return Reading(text.strip(" !"))


class Worst(Metric, frozen=True, kw_only=True):
    name = "loomtest"

    def task(self, scores):
        value = min(score.value for score in scores)
        return Estimate(value, value, value, len(scores))

    def suite(self, scores, tasks=None):
        return self.task(list(scores))


SCORER = SameLetters()
READER = Trimmed()
METRIC = Worst()
