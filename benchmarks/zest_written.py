"""Whether generated passages read as if written: how well a classifier, or a reader, tells them from texts by people.

The human texts describe invented or real worlds, ships, peoples and things in like length; they come from packages of
Debian that a folder holds, and the lexicon of the tagger from a wheel. Nothing of them is kept. Content words are
masked by their tags, so that what is left is how sentences are built; a logistic regression on n-grams of masked words
and of tags is tested by cross-validation. With `--people` each source of human texts is set against the others: that is
what the same classifier finds between people.

    cd FOLDER && apt-get download endless-sky-data wesnoth-1.16-data dict-foldoc freeciv-data
    cd FOLDER && pip download --no-deps textblob
    python -m benchmarks.zest_written FOLDER                      # accuracy, and the most telling n-grams
    python -m benchmarks.zest_written FOLDER --blind texts.txt    # 60 and 60 in random order, the key beside them
    python -m benchmarks.zest_written --forms                     # how often sentences repeat a form
"""

from __future__ import annotations

import argparse
import gzip
import io
import re
import subprocess
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random

import numpy as np
from scipy import optimize, sparse

from taskloom.core import open_suite

_SHORTEST, _LONGEST = 85, 160
_FOLDS = 10
_COVERED = 0.41
_STRENGTH = 10.0
_CLOSED = frozenset(["DT", "IN", "CC", "PRP", "PRP$", "WP", "WP$", "WDT", "WRB", "MD", "TO", "EX", "PDT", "RP", "POS"])
_AUXILIARIES = frozenset((
    "be", "is", "are", "was", "were", "been", "being", "am", "has", "have", "had", "having", "do", "does", "did",
    "not", "no", "there", "so", "as", "than", "both", "either", "only", "also", "even", "just", "still", "now",
    "then", "too", "very", "more", "most", "such", "all", "each", "every", "one",
))  # fmt: skip
_TOKEN = re.compile(r"\d[\d,.]*\d|\d|\w+(?:['’]\w+)?(?:-\w+)*|[^\w\s]")


# ------------------------------------------------------------------- human texts


def human_texts(folder: Path) -> dict[str, list[str]]:
    """The texts of each source, cut to the length of passages at the end of a sentence."""
    found: dict[str, list[str]] = {}
    for name, (suffix, reader) in _READERS.items():
        files = sorted(folder.glob(f"{name}*.deb"))
        if not files:
            raise SystemExit(f"there is no {name} in {folder}; apt-get download {name}")
        texts = [text for content in _members(files[-1], suffix) for text in reader(content)]
        cut = {_cut(_clean(text)) for text in texts}
        found[name] = sorted(text for text in cut if text)
    return found


def _members(package: Path, suffix: str) -> Iterator[str]:
    """The text files of a package whose names end in this way."""
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(package)], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(suffix) and (file := archive.extractfile(member)):
                content = file.read()
                yield (gzip.decompress(content) if suffix.endswith(".dz") else content).decode("utf-8", "replace")


def _blocks(content: str) -> Iterator[str]:
    """Planets and ships: their lines of description, one block each."""
    for block in re.split(r"\n(?=\S)", content):
        lines = re.findall(r"^\tdescription [`\"](.*?)[`\"]\s*$", block, re.MULTILINE)
        if lines and block.startswith(("planet", "ship")):
            yield " ".join(lines)


def _units(content: str) -> Iterator[str]:
    for text in re.findall(r'^    description\s*=\s*_\s*"((?:[^"]|"")*)"', content, re.MULTILINE):
        yield text.replace('""', '"')


def _entries(content: str) -> Iterator[str]:
    """Entries of one sense on a subject, without their sources and dates."""
    for entry in re.split(r"\n(?=\S)", content):
        body = re.sub(r"^\S.*\n", "", entry)
        if not re.search(r"^\s+\d\.", body, re.MULTILINE):
            paragraphs = re.split(r"\n\s*\n", body)
            kept = [one for one in paragraphs if not re.match(r"\s*(\[|\(\d{4}|\{\(?http)", one)]
            yield re.sub(r"^\s*<[^>]*>\s*|[{}]", "", " ".join(kept).strip())


def _legends(content: str) -> Iterator[str]:
    for text in re.findall(r'legend\s*=\s*_\("((?:[^"\\]|\\.)*)"\)', content, re.DOTALL):
        yield text.replace("\\\n", " ").replace('\\"', '"')


_READERS = {
    "endless-sky-data": (".txt", _blocks),
    "wesnoth-1.16-data": (".cfg", _units),
    "dict-foldoc": (".dz", _entries),
    "freeciv-data": (".ruleset", _legends),
}


def _clean(text: str) -> str:
    text = re.sub(r"<[^>]*>|\[\[?[^\]]*\]\]?|\(?https?:\S+", " ", text)
    return " ".join(text.replace("\\n", " ").split())


def _cut(text: str) -> str:
    """The first sentences, as many as fit; nothing where they are too short or no sentences."""
    kept: list[str] = []
    for one in sentences(text):
        if sum(map(_words, kept)) + _words(one) > _LONGEST:
            break
        kept.append(one)
    whole = " ".join(kept)
    plain = (
        whole.isascii() and not re.search(r"[<>{}=_|\\]|\.\.\.|[a-z]\(\)", whole) and whole.endswith((".", "!", "?"))
    )
    return whole if plain and _words(whole) >= _SHORTEST else ""


def _words(text: str) -> int:
    return text.count(" ") + 1


def sentences(text: str) -> list[str]:
    """A text as its sentences."""
    return re.split(r"(?<=[.!?]) +(?=[A-ZÀ-Þ0-9\"'(])", text)


# ----------------------------------------------------------------------- tagging


class Tagger:
    """Tags words by a lexicon, unknown ones by their shape.

    Args:
        folder: Where the wheel with the lexicon is.
    """

    def __init__(self, folder: Path) -> None:
        wheel = sorted(folder.glob("textblob*.whl"))
        if not wheel:
            raise SystemExit(f"there is no wheel of textblob in {folder}; pip download --no-deps textblob")
        with zipfile.ZipFile(wheel[-1]) as archive:
            lines = archive.read("textblob/en/en-lexicon.txt").decode().splitlines()
        self.lexicon = dict(line.split(" ")[:2] for line in lines if " " in line and not line.startswith(";"))

    def tags(self, text: str) -> tuple[list[str], list[str]]:
        """The tags of a text's tokens, and the tokens with content words replaced by their tags."""
        tags, masked = [], []
        for one in sentences(text):
            for at, token in enumerate(_TOKEN.findall(one)):
                tag = self._tag(token, at == 0)
                lower = token.lower()
                if tag == "NNP" and tags[-1:] == ["NNP"]:
                    continue  # a name counts as one word, however long it is
                tags.append(tag)
                masked.append(lower if tag in _CLOSED or lower in _AUXILIARIES or not token[0].isalnum() else tag)
        return tags, masked

    def _tag(self, token: str, first: bool) -> str:
        if not token[0].isalnum():
            return token
        if token[0].isdigit():
            return "CD"
        lower = token.lower()
        known = self.lexicon.get(lower)
        if token[0].isupper() and not first and token != "I":
            return "NNP"
        if known:
            return known
        if first and token not in self.lexicon and not lower.endswith(("ing", "ed", "ly")):
            return "NNP"
        for ending, tag in (("ing", "VBG"), ("ed", "VBN"), ("ly", "RB"), ("s", "NNS"), ("y", "JJ"), ("al", "JJ")):
            if lower.endswith(ending):
                return tag
        return self.lexicon.get(token, "NN")


# -------------------------------------------------------------------- classifier


def features(texts: Sequence[str], tagger: Tagger) -> tuple[sparse.csr_matrix, list[str]]:
    """Counts of n-grams up to three, of masked words and of tags, dampened, weighed and of one length per text."""
    counted = []
    for text in texts:
        tags, masked = tagger.tags(text)
        grams: Counter[str] = Counter()
        for kind, tokens in (("w", masked), ("t", tags)):
            for size in (1, 2, 3):
                grams.update(f"{kind}:{' '.join(tokens[at : at + size])}" for at in range(len(tokens) - size + 1))
        counted.append(grams)
    held = Counter(gram for grams in counted for gram in grams)
    names = sorted(gram for gram, texts_with in held.items() if texts_with > 1)
    column = {gram: at for at, gram in enumerate(names)}
    weight = np.log(len(texts) / np.array([held[gram] for gram in names])) + 1
    matrix = sparse.lil_matrix((len(texts), len(names)))
    for row, grams in enumerate(counted):
        for gram, times in grams.items():
            if gram in column:
                matrix[row, column[gram]] = (1 + np.log(times)) * weight[column[gram]]
    found = matrix.tocsr()
    return sparse.diags(1 / np.sqrt(found.multiply(found).sum(axis=1)).A1) @ found, names


def fitted(matrix: sparse.csr_matrix, truth: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression with a squared penalty, the constant last."""
    sign = np.where(truth, 1.0, -1.0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (matrix @ weights[:-1] + weights[-1])
        pull = -sign / (1 + np.exp(margin))
        gradient = np.append(_STRENGTH * (matrix.T @ pull) + weights[:-1], _STRENGTH * pull.sum())
        return float(_STRENGTH * np.logaddexp(0, -margin).sum() + weights[:-1] @ weights[:-1] / 2), gradient

    return optimize.minimize(loss, np.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B").x


def accuracy(one: Sequence[str], other: Sequence[str], tagger: Tagger, seed: int) -> tuple[float, list[str], list[str]]:
    """The share of texts told apart rightly by folds, and the n-grams that speak most for either side."""
    texts = [*one, *other]
    truth = np.array([True] * len(one) + [False] * len(other))
    matrix, names = features(texts, tagger)
    order = Random(seed).sample(range(len(texts)), len(texts))
    right = 0
    for fold in range(_FOLDS):
        asked = np.array(order[fold::_FOLDS])
        shown = np.array(sorted(set(order) - set(asked.tolist())))
        weights = fitted(matrix[shown], truth[shown])
        right += int(((matrix[asked] @ weights[:-1] + weights[-1] > 0) == truth[asked]).sum())
    ranked = [names[at] for at in np.argsort(fitted(matrix, truth)[:-1])]
    return right / len(texts), ranked[::-1][:25], ranked[:25]


# ------------------------------------------------------------------------- texts


def generated_texts(count: int, seed: int) -> list[str]:
    """This many passages, no two of them alike, evenly over tasks and splits."""
    suite = open_suite("zest/fictional", seed=seed, options={"passages": 1, "surplus": 0})
    texts = {row.instance.parts["passage"] for split in suite.splits for row in suite.rows(split)}
    return Random(seed).sample(sorted(texts), count)


def mixed(found: dict[str, list[str]], count: int, seed: int) -> list[str]:
    """This many human texts, in turn from each source as long as it has any."""
    rng = Random(seed)
    piles = [rng.sample(texts, len(texts)) for texts in found.values()]
    taken: list[str] = []
    while len(taken) < count and any(piles):
        taken += [pile.pop() for pile in piles if pile]
    return taken[:count]


def forms(seed: int, passages: int) -> Counter[str]:
    """How often each masked form of a sentence occurs in 5,000 passages.

    A form is a sentence in which names, numbers and the words for the entity are masked.
    """
    suite = open_suite("zest/fictional", seed=seed, options={"passages": passages, "surplus": 0})
    texts = sorted({row.instance.parts["passage"] for split in suite.splits for row in suite.rows(split)})
    texts = Random(seed).sample(texts, min(len(texts), 5_000))
    counts: Counter[str] = Counter()
    for text in texts:
        for one in sentences(text):
            bare = re.sub(r"(?<!^)\b(?:[Tt]he )?[A-ZÀ-Þ][\w'’]*(?: (?:of )?[A-ZÀ-Þ][\w'’]*)*", "N", one)
            bare = re.sub(r"^(?:The )?[A-ZÀ-Þ][\w'’]*(?: [A-ZÀ-Þ][\w'’]*)+|^(?:She|He|It|The \w+)\b", "N", bare)
            counts[re.sub(r"\d[\d,]*", "0", bare)] += 1
    return counts


def _blind(folder: Path, path: Path, seed: int, count: int = 60) -> None:
    """Write as many texts of each kind in random order, and beside them which are whose."""
    texts = [(text, "generated") for text in generated_texts(count, seed)]
    texts += [(text, "human") for text in mixed(human_texts(folder), count, seed)]
    Random(seed + 1).shuffle(texts)
    path.write_text("\n".join(f"{at}. {text}\n" for at, (text, _) in enumerate(texts, start=1)), encoding="utf-8")
    key = "\n".join(f"{at} {kind}" for at, (_, kind) in enumerate(texts, start=1))
    path.with_suffix(".key").write_text(key, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--texts", type=int, default=300, help="how many of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="how many of the most telling n-grams to print")
    parser.add_argument("--people", action="store_true", help="also set each human source against the others")
    parser.add_argument("--forms", action="store_true")
    parser.add_argument("--blind", type=Path)
    args = parser.parse_args()
    if args.forms:
        counts = forms(args.seed, 5)
        total, reached = counts.total(), accumulate(times for _, times in counts.most_common())
        shares = [one / total for one in reached]
        half = next(at for at, share in enumerate(shares, start=1) if share >= _COVERED)
        print(f"{total:,} sentences, {len(counts):,} masked forms; the 500 most frequent make {shares[499]:.1%}")
        print(f"{half:,} forms make {_COVERED:.0%} of the sentences")
    if args.folder is None:
        return
    if args.blind is not None:
        _blind(args.folder, args.blind, args.seed)
        return
    tagger, human = Tagger(args.folder), human_texts(args.folder)
    print(", ".join(f"{name}: {len(texts)} texts" for name, texts in human.items()))
    people, made = mixed(human, args.texts, args.seed), generated_texts(args.texts, args.seed)
    share, ours, theirs = accuracy(made, people, tagger, args.seed)
    print(f"generated against human, {len(made)} and {len(people)}: {share:.3f} told apart rightly", flush=True)
    for name, grams in (("generated", ours), ("human", theirs)):
        if args.show:
            print(f"  most telling for {name}: {'; '.join(grams[: args.show])}")
    for name, texts in human.items() if args.people else ():
        rest = mixed({other: found for other, found in human.items() if other != name}, len(texts), args.seed)
        fewer = min(len(texts), len(rest), args.texts)
        share, *_ = accuracy(texts[:fewer], rest[:fewer], tagger, args.seed)
        print(f"{name} against other people, {fewer} and {fewer}: {share:.3f}", flush=True)


if __name__ == "__main__":
    main()
