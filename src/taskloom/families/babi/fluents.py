"""Worlds of any sorts as records: what may change (fluents), what happens (events), what is asked (questions).

A world is data; nothing here knows an event by its name. A *fluent* is a value that things have: a place, a belief, a
number, a position. An event assigns fluents, for all bindings of further variables where it says so:

    sets = ["thinks[seer, thing] = box for seer: person if at[seer] == room"]

All right sides are read before anything is assigned. Where a condition is unknown, so is the value afterwards, unless
it stays the same either way. A *position* is known relative to other things only: `learns = ["pos[thing] = pos[other] +
direction"]` ties two of them together, and differences of positions follow.

Expressions are written as in Python and parsed by `ast`; they are never run as Python. There are names of roles,
variables, things and numbers; `fluent[…]`; `+ - *`; `== != and or not`; `known(…)`; `chain(fluent, x)`, the values one
reaches from x, for `in`, and `last(fluent, x)`; `[x for x in sort if …]` and `len(…)`; `sign(…)` and `steps(…)` of a
difference of positions, and `word(sort, …)`, the thing of a sort that stands for it.

A *support* is a smallest set of sentences such that every selection of the story's sentences that contains it gives the
same answer: nothing that the story says besides can change it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from operator import not_
from typing import Any, NamedTuple

Ground = tuple[str, ...]
"""A fluent with its arguments."""

State = dict[Ground, Any]
Env = Mapping[str, str]
Value = Callable[[State, Env], Any]


class Expression(NamedTuple):
    """An expression over roles and variables, compiled.

    Attributes:
        value: What it comes to in a state; None where that is unknown.
        reads: The fluents that it looks up, with the names of their arguments ("*" for what is worked out), and whether
            a chain goes on from there.
        end: The name of the thing whose own fluent a chain goes on to behind this value; "*" where any may be.
    """

    value: Value
    reads: tuple[tuple[str, tuple[str, ...], bool], ...]
    end: str


class Position(NamedTuple):
    """Where something is: so far from a thing whose own position is open."""

    root: Ground
    at: tuple[int, ...]


class Happening(NamedTuple):
    """An event with the things that take part, in the order of its roles."""

    event: str
    things: tuple[str, ...]


class Assignment(NamedTuple):
    """What one event does to one fluent."""

    target: Ground
    rule: Rule
    env: Env


class Rule(NamedTuple):
    """An effect of an event, compiled.

    Attributes:
        fluent: The fluent that it assigns.
        arguments: The names of its arguments.
        value: What it is assigned.
        when: The condition, if there is one.
        each: Further variables with their sorts.
        learns: Whether it ties positions together instead of changing one.
    """

    fluent: str
    arguments: tuple[str, ...]
    value: Expression
    when: Expression | None
    each: dict[str, str]
    learns: bool


MOST_STATES = 600
"""States that a search for supports follows at once; a story that needs more is not asked about."""


class FluentWorld:
    """Sorts, fluents and compiled events.

    Args:
        sorts: Sort -> its things; a thing may stand for numbers ({"left": [-1, 0]}).
        fluents: Fluent -> (sorts of its arguments, sort of its value or "number" or "position", first value or "").
    """

    def __init__(
        self, sorts: Mapping[str, Mapping[str, Sequence[int]]], fluents: Mapping[str, tuple[Sequence[str], str, str]]
    ) -> None:
        self.sorts = {sort: tuple(things) for sort, things in sorts.items()}
        self.vectors = {
            name: value[0] if len(value) == 1 else tuple(value)
            for things in sorts.values()
            for name, value in things.items()
            if value
        }
        self.fluents = dict(fluents)
        self.things = {name for things in sorts.values() for name in things}
        self.rules: dict[str, list[Rule]] = {}
        self.roles: dict[str, dict[str, str]] = {}
        self.assignments = lru_cache(maxsize=4096)(self._assignments)

    # -- expressions --------------------------------------------------------------------------------------

    def expression(self, text: str, names: Mapping[str, str]) -> Expression:
        """An expression over roles and variables (name -> sort).

        Raises:
            ValueError: It is not one, or names what the world does not have.
        """
        try:
            tree = ast.parse(" ".join(text.split()), mode="eval").body
        except SyntaxError as error:
            raise ValueError(f"{text!r} is not an expression: {error.msg}") from None
        reads: list[tuple[str, tuple[str, ...], bool]] = []
        value = self._compile(tree, names, text, reads)
        return Expression(value, tuple(reads), _thing(tree.slice if isinstance(tree, ast.Subscript) else tree))

    def _compile(
        self, tree: ast.expr, names: Mapping[str, str], text: str, reads: list[tuple[str, tuple[str, ...], bool]]
    ) -> Value:
        def again(part: ast.expr, bound: Mapping[str, str] = names) -> Value:
            return self._compile(part, bound, text, reads)

        match tree:
            case ast.Constant(value=int() | str() as constant):
                return lambda state, env: constant
            case ast.Name(id=name):
                return self._name(name, names, text)
            case ast.Subscript(value=ast.Name(id=fluent), slice=inner):
                reads.append((fluent, tuple(map(_thing, _items(inner))), False))
                return self._read(fluent, [again(part) for part in _items(inner)], text)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
                return _arithmetic(type(op), again(left), again(right))
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return _FUNCTIONS["not"](again(inner))
            case ast.BoolOp(op=op, values=parts):
                return _connected(isinstance(op, ast.And), [again(part) for part in parts])
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _comparison(type(op), again(left), again(right), text)
            case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
                if function in ("chain", "last", "word") and len(arguments) == 2 and isinstance(arguments[0], ast.Name):
                    if function != "word":
                        reads.append((arguments[0].id, (_thing(arguments[1]),), True))
                    return self._look_up(function, arguments[0].id, again(arguments[1]), text)
                if function in _FUNCTIONS and len(arguments) == 1:
                    return _FUNCTIONS[function](again(arguments[0]))
                raise ValueError(f"{text!r}: there is no function {function!r} of {len(arguments)} arguments")
            case ast.ListComp(
                elt=ast.Name(id=name),
                generators=[ast.comprehension(target=ast.Name(id=same), iter=ast.Name(id=sort), ifs=[when])],
            ) if name == same:
                self._sort(sort, text)
                return _those(name, self.sorts[sort], again(when, {**names, name: sort}))
        raise ValueError(f"{text!r}: {ast.unparse(tree)!r} is not an expression of worlds")

    def _name(self, name: str, names: Mapping[str, str], text: str) -> Value:
        if name in names:
            vectors = self.vectors
            return lambda state, env: vectors.get(env[name], env[name])
        if name in self.things:
            constant = self.vectors.get(name, name)
            return lambda state, env: constant
        raise ValueError(f"{text!r} names {name!r}, which is not a role, a variable or a thing")

    def _sort(self, sort: str, text: str) -> None:
        if sort not in self.sorts:
            raise ValueError(f"{text!r} names the sort {sort!r}; there are {', '.join(self.sorts)}")

    def _fluent(self, fluent: str, arity: int, text: str) -> None:
        if fluent not in self.fluents:
            raise ValueError(f"{text!r} names the fluent {fluent!r}; there are {', '.join(self.fluents)}")
        wanted = len(self.fluents[fluent][0])
        if arity != wanted:
            raise ValueError(f"{text!r}: {fluent} has {wanted} arguments, not {arity}")

    def _read(self, fluent: str, arguments: list[Value], text: str) -> Value:
        self._fluent(fluent, len(arguments), text)

        def read(state: State, env: Env) -> Any:
            found = tuple(argument(state, env) for argument in arguments)
            return None if None in found else self.value(state, (fluent, *found))

        return read

    def _look_up(self, function: str, of: str, inner: Value, text: str) -> Value:
        """A word of a sort, or the chain of a fluent or its last value."""
        if function == "word":
            self._sort(of, text)
            stands = {self.vectors.get(name, name): name for name in self.sorts[of]}
            return lambda state, env: stands.get(inner(state, env))
        self._fluent(of, 1, text)
        if function == "chain":
            return lambda state, env: self.chain(state, of, inner(state, env))
        return lambda state, env: (self.chain(state, of, inner(state, env)) or (None,))[-1]

    # -- states ---------------------------------------------------------------------------------------------

    def value(self, state: State, ground: Ground) -> Any:
        """The value of a fluent; None where it is unknown."""
        if ground in state:
            return state[ground]
        _, sort, first = self.fluents[ground[0]]
        if sort == "position":
            return Position(ground, ())
        if sort == "number":
            return int(first) if first else None
        return first or None

    def chain(self, state: State, fluent: str, start: Any) -> tuple[Any, ...]:
        """The values that one reaches step by step; a last None where it is unknown how it goes on."""
        found: list[Any] = []
        holders = {name for sort in self.fluents[fluent][0] for name in self.sorts[sort]}
        here = start
        while here in holders:
            here = self.value(state, (fluent, here))
            if here not in self.things or here in found:
                return (*found, None)
            found.append(here)
        return tuple(found) if start is not None else (None,)

    def compile_event(
        self, name: str, roles: Mapping[str, str], sets: Sequence[str], learns: Sequence[str]
    ) -> list[Rule]:
        """The effects of an event, kept for `assignments`.

        Raises:
            ValueError: One of them cannot be read.
        """
        for sort in roles.values():
            self._sort(sort, f"the roles of {name}")
        rules = [self._rule(text, roles, False) for text in sets] + [self._rule(text, roles, True) for text in learns]
        self.rules[name], self.roles[name] = rules, dict(roles)
        return rules

    def _rule(self, text: str, roles: Mapping[str, str], learns: bool) -> Rule:
        left, equals, rest = text.partition("=")
        rest, _, condition = rest.partition(" if ")
        right, _, variables = rest.partition(" for ")
        if not equals:
            raise ValueError(f"{text!r} assigns nothing; write 'fluent[role] = value'")
        each = {}
        for part in variables.split(",") if variables else ():
            name, colon, sort = part.partition(":")
            self._sort(sort.strip(), text)
            if not colon or name.strip() in roles:
                raise ValueError(f"{text!r}: write 'for variable: sort' with a name that no role has")
            each[name.strip()] = sort.strip()
        names = {**roles, **each}
        target = ast.parse(left.strip(), mode="eval").body
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            raise ValueError(f"{text!r}: the left side is not 'fluent[role]'")
        arguments = _items(target.slice)
        if not all(isinstance(part, ast.Name) and part.id in names for part in arguments):
            raise ValueError(f"{text!r}: the arguments on the left are roles or variables")
        fluent = target.value.id
        self._fluent(fluent, len(arguments), text)
        if learns and self.fluents[fluent][1] != "position":
            raise ValueError(f"{text!r}: only positions are learnt; write it under sets")
        when = self.expression(condition, names) if condition else None
        return Rule(fluent, tuple(map(_thing, arguments)), self.expression(right, names), when, each, learns)

    def _assignments(self, happening: Happening) -> tuple[Assignment, ...]:
        """What an event does, one fluent at a time."""
        found = []
        event, things = happening
        own = dict(zip(self.roles[event], things, strict=True))
        for rule in self.rules[event]:
            for bound in product(*(self.sorts[sort] for sort in rule.each.values())):
                env = {**own, **dict(zip(rule.each, bound, strict=True))}
                target = (rule.fluent, *(env[name] for name in rule.arguments))
                if len(set(target[1:])) == len(target) - 1:  # a person has no beliefs about their own beliefs
                    found.append(Assignment(target, rule, env))
        return tuple(found)

    def after(self, state: State, assignments: Sequence[Assignment]) -> State:
        """The state after an event.

        Raises:
            ValueError: The event assigns two values to one fluent.
        """
        changed: State = {}
        for target, rule, env in assignments:
            holds = True if rule.when is None else rule.when.value(state, env)
            if holds is False:
                continue
            new = rule.value.value(state, env)
            if rule.learns:
                state = self._tied(state, target, new)
                continue
            old = self.value(state, target)
            if holds is None and new != old:
                new = None
            if target in changed and changed[target] != new:
                raise ValueError(f"contradictory: {_shown(target)} becomes {changed[target]!r} and {new!r} at once")
            changed[target] = new
        return {**state, **changed}

    def _tied(self, state: State, target: Ground, new: Any) -> State:
        """The state in which a position is known beside another one."""
        here = self.value(state, target)
        if new is None or here is None or new.root == here.root:
            return state
        moved = _add(new.at, here.at, -1)
        found = dict(state)
        every = {*state, target, here.root}
        for ground in every:
            old = self.value(state, ground) if self.fluents[ground[0]][1] == "position" else None
            if old is not None and old.root == here.root:
                found[ground] = Position(new.root, _add(old.at, moved))
        return found

    # -- supports ----------------------------------------------------------------------------------------------

    def support(self, story: Sequence[Happening], answer: Expression, env: Env, wanted: Any) -> tuple[int, ...] | None:
        """The lines of a smallest support of an answer, the latest sentences rather than older ones.

        Returns:
            None where that would take too many states to find out.
        """
        relevant, effects = self._relevant(story, answer, env)
        selections = _Selections(self, relevant, effects, lambda state: bool(answer.value(state, env) == wanted))
        chosen = set(relevant)
        for line in relevant:
            chosen.remove(line)
            settled = selections.settled(chosen)
            if settled is None:
                return None
            if not settled:
                chosen.add(line)
        return tuple(sorted(chosen))

    def _relevant(
        self, story: Sequence[Happening], answer: Expression, env: Env
    ) -> tuple[list[int], dict[int, list[Assignment]]]:
        """The sentences that can bear on an expression, with what they do to what it depends on."""
        every = [self.assignments(happening) for happening in story]
        needed: set[Ground] = set()
        chained: set[Ground] = set()
        queue = list(self._reads(answer, env))
        while queue:
            ground, follows = queue.pop()
            known = chained if follows else needed
            if ground in known:
                continue
            known.add(ground)
            for own in every:
                for target, rule, bound in own:
                    if not _matches(target, ground):
                        continue
                    if rule.when is not None:
                        queue += self._reads(rule.when, bound)
                    queue += self._reads(rule.value, bound)
                    if follows:
                        queue.append(((ground[0], bound.get(rule.value.end, rule.value.end)), True))
                    if rule.learns:
                        queue.append((target, False))
        effects = {}
        for line, own in enumerate(every):
            kept = [each for each in own if any(_matches(each.target, ground) for ground in needed | chained)]
            if kept:
                effects[line] = kept
        return sorted(effects), effects

    def _reads(self, expression: Expression, env: Env) -> Iterator[tuple[Ground, bool]]:
        """The fluents that an expression depends on: (fluent with arguments, whether a chain goes on from there)."""
        for fluent, parts, follows in expression.reads:
            yield (fluent, *(env.get(part, part if part in self.things else "*") for part in parts)), follows
            if (
                not follows and self.fluents[fluent][1] == "position"
            ):  # any tie between positions may bear on any of them
                yield (fluent, *("*" for _ in parts)), False


class _Selections:
    """All selections of a story's sentences at once, as the states they lead to; each step is taken once.

    Args:
        world: The world.
        lines: The sentences that matter.
        effects: What each does.
        holds: Whether a state gives the answer.
    """

    def __init__(
        self,
        world: FluentWorld,
        lines: Sequence[int],
        effects: Mapping[int, Sequence[Assignment]],
        holds: Callable[[State], bool],
    ) -> None:
        self._world, self._lines, self._effects, self._holds = world, lines, effects, holds
        self._known: dict[frozenset[tuple[Ground, Any]], int] = {frozenset(): 0}
        self._states: list[State] = [{}]
        self._steps: dict[tuple[int, int], int] = {}
        self._answers: dict[int, bool] = {}
        # What is learnt besides changes nothing that is known without it.
        self._idle = {line for line in lines if all(each.rule.learns for each in effects[line])}

    def settled(self, chosen: set[int]) -> bool | None:
        """Whether every selection that contains the chosen sentences gives the answer; None for too many states."""
        states = {0}
        for line in self._lines:
            if line in chosen:
                states = {self._step(line, state) for state in states}
            elif line not in self._idle:
                states |= {self._step(line, state) for state in states}
            if len(states) > MOST_STATES:
                return None
        return all(map(self._answer, states))

    def _step(self, line: int, state: int) -> int:
        found = self._steps.get((line, state))
        if found is None:
            after = self._world.after(self._states[state], self._effects[line])
            found = self._known.setdefault(frozenset(after.items()), len(self._states))
            if found == len(self._states):
                self._states.append(after)
            self._steps[line, state] = found
        return found

    def _answer(self, state: int) -> bool:
        if state not in self._answers:
            self._answers[state] = self._holds(self._states[state])
        return self._answers[state]


def _shown(ground: Ground) -> str:
    return f"{ground[0]}[{', '.join(ground[1:])}]"


def _items(tree: ast.expr) -> list[ast.expr]:
    return list(tree.elts) if isinstance(tree, ast.Tuple) else [tree]


def _thing(tree: ast.expr) -> str:
    """The name of a role, variable or thing; "*" for what is worked out."""
    return tree.id if isinstance(tree, ast.Name) else "*"


def _matches(target: Ground, pattern: Ground) -> bool:
    """Whether a fluent with its arguments is one of those that a pattern stands for; "*" stands for any thing."""
    return len(target) == len(pattern) and all(other in ("*", one) for one, other in zip(target, pattern, strict=True))


def _add(one: tuple[int, ...], other: tuple[int, ...], sign: int = 1) -> tuple[int, ...]:
    size = max(len(one), len(other))
    left, right = one + (0,) * (size - len(one)), other + (0,) * (size - len(other))
    return tuple(mine + sign * theirs for mine, theirs in zip(left, right, strict=True))


def _arithmetic(op: type[ast.operator], left: Value, right: Value) -> Value:
    sign = -1 if op is ast.Sub else 1

    def result(state: State, env: Env) -> Any:
        one, other = left(state, env), right(state, env)
        if one is None or other is None:
            return None
        if op is ast.Mult:
            if isinstance(one, tuple):
                one, other = other, one
            return tuple(int(one) * each for each in other) if isinstance(other, tuple) else int(one) * int(other)
        if isinstance(one, Position):
            if isinstance(other, Position):
                return _add(one.at, other.at, sign) if one.root == other.root and sign < 0 else None
            return Position(one.root, _add(one.at, other, sign))
        if isinstance(one, tuple):
            return _add(one, other, sign)
        return int(one) + sign * int(other)

    return result


def _connected(every: bool, parts: list[Value]) -> Value:
    def result(state: State, env: Env) -> bool | None:
        found = [part(state, env) for part in parts]
        if (not every) in found:
            return not every
        return None if None in found else every

    return result


def _comparison(op: type[ast.cmpop], left: Value, right: Value, text: str) -> Value:
    if op not in (ast.Eq, ast.NotEq, ast.In, ast.NotIn):
        raise ValueError(f"{text!r}: things are compared with ==, !=, in and not in")
    positive = op in (ast.Eq, ast.In)
    inside = op in (ast.In, ast.NotIn)

    def result(state: State, env: Env) -> bool | None:
        one, other = left(state, env), right(state, env)
        if one is None or other is None or (inside and one not in other and None in other):
            return None
        return ((one in other) if inside else (one == other)) == positive

    return result


def _those(name: str, things: tuple[str, ...], when: Value) -> Value:
    def result(state: State, env: Env) -> tuple[str, ...] | None:
        found = [(thing, when(state, {**env, name: thing})) for thing in things]
        return None if any(holds is None for _, holds in found) else tuple(thing for thing, holds in found if holds)

    return result


def _lifted(function: Callable[[Any], Any]) -> Callable[[Value], Value]:
    def lift(inner: Value) -> Value:
        def result(state: State, env: Env) -> Any:
            found = inner(state, env)
            return None if found is None else function(found)

        return result

    return lift


_FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "known": lambda inner: lambda state, env: inner(state, env) is not None,
    "not": _lifted(not_),
    "len": _lifted(len),
    "sign": _lifted(lambda vector: tuple((each > 0) - (each < 0) for each in vector)),
    "steps": _lifted(lambda vector: sum(map(abs, vector))),
}
