"""An operator of your own: what one relation gives and another does not (`--with examples/difference.py`)."""

from taskloom import register
from taskloom.algebra import Laws, RelationOperator, types

DIFFERENCE = RelationOperator(
    name="difference",
    arity=(2, 2),
    types=types.set_operation,  # two relations from one universe to another, and so is the result
    laws=Laws(),  # neither order nor grouping may change
    facet="difference",
    example=({"x": "ab", "y": "a"}, {"x": "b"}, {"x": "a", "y": "a"}),  # f, g, and what difference(f,g) gives
    semantics=lambda at, x, f, g: at(f, x) - at(g, x),
    bound=lambda reach, f, g: f,  # no more answers than the first relation has
    sparql=lambda ask, x, y, f, g: f"{{ {ask(f, x, y)} }} MINUS {{ {ask(g, x, y)} }}",
    phrase=lambda say, x, f, g: f"{say(f, x)} that is not {say(g, x)}",
    explain=lambda why, x, y, f, g: [*why(f, x, y), why.pair(g, x, y, denied=True)],
)
register("operator.difference", DIFFERENCE)
