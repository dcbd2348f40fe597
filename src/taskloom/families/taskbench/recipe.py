"""The settings of a TaskBench suite."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from taskloom.core import Count, Positive, Recipe


class TaskBenchRecipe(Recipe, frozen=True, kw_only=True):
    """Everything that, with the seed, determines a suite.

    Attributes:
        train: The most training instances per task.
        dev: The most development instances per task.
        test: The most test instances per task.
        shots: Keep only this many training instances per task; 0 keeps all.
        shot_draw: Which few-shot subset; each number is another one.
        separator: Whether to separate the words of sequences with ` # `, in inputs and outputs.
        shortest: The fewest words in an input sequence.
        longest: The most words in an input sequence.
        sequence_words: `shared`: sequences of all splits are made of the same words, as in the paper;
            `apart`: test sequences are made of words that occur in no training sequence.
        permuted: Give every input the answers of another one, so that nothing but memory helps.
        balanced: Make unions of two relations for the study of distributions: as many training examples of the
            first as of the second, test inputs in the domain of both.
        least: Leave out tasks with fewer samples than this.
        most_outputs: Leave out inputs with more acceptable outputs than this; 0 keeps all. (A few very general
            words have tens of thousands of hyponyms.)
        tasks: At most this many tasks, in the order of the list; 0 keeps all.
        labels: `faithful`: what the paper's functions give, noise included; `clean`: what a careful reader would agree
            with (see docs/taskbench.md). The paper's lists are faithful, everything else is clean.
        vulgar: Whether vulgar words and slurs may occur. The clean labels never have them; false takes them out of the
            faithful ones too.
        antonyms: `paper`: every word of a synset that holds an opposite; `direct`: only what WordNet opposes to it.
        resources: A folder with the full resources, found by their names: WordNet (`wordnet.zip` or a dict folder),
            `SentiWordNet*.txt`, `brown.zip`, `cess_esp.zip`, and wordnets of any language in the form of the Open
            Multilingual Wordnet (`wn-data-deu.tab`, WN-LMF `.xml`, plain or packed), with input words in
            `words-deu.txt` where you have a list. "" uses the embedded lexicon.
        english_words: A file of English input words: one per line, word and count, or a corpus (`brown.zip`).
        spanish_words: The same for Spanish.
        knowledge: Where facts come from: `world` (a fictional one), a dump, or the address of an endpoint; `none`.
        timeout: Seconds to wait for one answer of an endpoint.
        page_size: Rows per request to an endpoint.
        row_limit: The most rows to fetch per function, for very large graphs; 0 fetches all.
            An input whose outputs would be cut off is left out.
        facts: `none`: nothing but the name is given, so answers can only be remembered; `prompt`: the required facts,
            among others, precede the name as plain statements; `passage`: the same in varied sentences. Tasks
            about words are not affected.
        distractors: The number of additional true facts.
        depth_atoms: The atoms that `depth-2` composes; empty takes all of the paper.
    """

    train: Count = 1000
    dev: Count = 100
    test: Count = 200
    shots: Count = 0
    shot_draw: int = 0
    separator: bool = False
    shortest: Positive = 2
    longest: int = 8
    sequence_words: Literal["shared", "apart"] = "shared"
    permuted: bool = False
    balanced: bool = False
    least: Count = 100
    most_outputs: Count = 1000
    tasks: Count = 0
    labels: Literal["faithful", "clean"] = "clean"
    vulgar: bool = True
    antonyms: Literal["paper", "direct"] = "paper"
    file_keys: ClassVar[tuple[str, ...]] = ("resources", "knowledge")

    resources: str = ""
    english_words: str = ""
    spanish_words: str = ""
    knowledge: str = "world"
    timeout: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    page_size: Positive = 5000
    row_limit: Count = 0
    facts: Literal["none", "prompt", "passage"] = "none"
    distractors: Count = 8
    depth_atoms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.shortest > self.longest:
            raise ValueError(f"sequences need shortest <= longest, not {self.shortest} and {self.longest}")
        if self.permuted and self.balanced:
            raise ValueError("a suite is permuted or balanced, not both")
        if self.facts != "none" and (self.permuted or self.balanced):
            raise ValueError("with facts in the prompt, answers follow from them and cannot be permuted or balanced")
