"""Compositions across families: a model is fitted to tasks, to operators on given answers and to some compositions.

    taskloom study examples/weave_compose.py --scale smoke
    taskloom study examples/weave_compose.py --scale tiny --jobs 2 -o out/compose

It is asked the compositions it was fitted to, on new inputs, and those it never saw, although it was fitted to both
of their parts: SETI's question, over tasks of two families. What the scores do not settle is said to be open.
"""

from taskloom.studies import Arm, Expectation, Experiment, Findings, GridRecipe, Learner, measure

TESTED = {"trained": "weave/systematic-trivial", "untrained": "weave/systematic-nontrivial"}


class ComposeRecipe(GridRecipe, frozen=True, kw_only=True):
    """The settings.

    Attributes:
        train: Rows of each task, operator and composition that the model is fitted to.
        test: Rows of each composition that is asked.
        operators: Operators on words, with % for the task.
        tasks: Tasks that give words.
    """

    train: int = 100
    test: int = 25
    operators: tuple[str, ...] = ("upper(%)", "initial(%)")
    tasks: tuple[str, ...] = ("babi/task-1", "superni/table_oldest")


def scale(seeds: int, epochs: int, **more: int) -> ComposeRecipe:
    """The settings of a scale."""
    learner = Learner(options={"epochs": epochs, "batch": 32})
    return ComposeRecipe(models=("tiny/t5-1m",), seeds=seeds, learners={"*": learner}, **more)


class Compose(Experiment):
    """Fitted once, asked twice: on compositions that were trained, and on the others."""

    name = "weave-compose"
    summary = "do models combine a task and an operator of different families, or only what they were fitted to?"
    needs = "training"
    scales = {
        "smoke": scale(1, 1, train=8, test=5),
        "tiny": scale(3, 12, train=120, test=25),
        "paper": scale(5, 40, train=1_000, test=100),
    }

    expects = (
        Expectation(
            claim="{model} falls on compositions that it was not fitted to",
            more={"compositions": "trained"},
            less={"compositions": "untrained"},
            source="SETI, Figure 1",
        ),
    )

    def grid(self, recipe, seed):
        for model in recipe.models:
            for data in recipe.replicates(seed):
                options = {"train": recipe.train, "dev": 10, "test": recipe.test}
                options |= {"operators": list(recipe.operators), "tasks": list(recipe.tasks)}
                shared = {"options": options, "seed": data}
                fitted = Arm(
                    factors={"model": model, "compositions": "trained"},
                    suite=TESTED["trained"],
                    run=recipe.settings(model, data, split="test"),
                    **shared,
                )
                yield fitted
                yield Arm(
                    factors={"model": model, "compositions": "untrained"},
                    suite=TESTED["untrained"],
                    run=recipe.asked(data, split="test"),
                    after=fitted,
                    **shared,
                )

    def analyse(self, frame, recipe):
        scores = measure(frame, "model", "compositions", "expression")
        whole = measure(frame, "model", "compositions")
        return Findings(
            tables=[whole.table("Compositions across families"), scores.table("Each composition")],
            figures=[whole.intervals("Compositions across families", "{compositions}", "{model}")],
            checks=self.checks(frame),
        )


STUDY = Compose()
