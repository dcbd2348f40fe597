from taskloom import Family, Recipe, Study, Suite, SuiteSpec, Table, task


@task(
    definition="You are given a short row of letters. Write the letters in reverse order.",
    right=[("xyz", "zyx", "Read from the right.")],
    wrong=[("xyz", "xyz", "The row was copied.")],
    scorer="loomtest",
)
def reverse(rng):
    text = "".join(rng.choices("abcdefgh", k=6))
    return text, text[::-1]


class Sizes(Recipe, frozen=True, kw_only=True):
    train: int = 20
    test: int = 10


class Letters(Family):
    name = "loomtest"
    title = "letters in reverse"
    citation = "none"

    def suites(self):
        return {"reverse": SuiteSpec("rows of letters", Sizes(), build)}


def build(name, recipe, seed):
    return Suite.of([reverse], seed=seed, train=recipe.train, test=recipe.test, name=f"loomtest/{name}")


class Count(Study):
    summary = "how many letters there are"
    recipe = Sizes()

    def run(self, recipe, seed, out):
        rows = FAMILY.open("reverse", seed).rows("test")
        return [Table("Letters", ("n",), ((sum(len(row.instance.input) for row in rows),),))]


FAMILY = Letters()
STUDY = Count()
