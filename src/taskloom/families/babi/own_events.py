"""Events of a recipe's own in stories: whom and what they may be about, and when they may happen."""

from __future__ import annotations

from collections.abc import Callable

from taskloom.families.babi.programs import Program, WorldProgram
from taskloom.families.babi.story import Sentence
from taskloom.families.babi.storyteller import HANDLES, MOVES, Action, Storyteller

__all__ = ["allows", "draw_roles", "own_event", "sentence_of"]


def draw_roles(story: Storyteller, event: Program) -> list[int] | None:
    """People, objects and places for an event, all different."""
    roles: list[int] = []
    moved = {one for name, one, _, _ in event.ops if name in ("in", "either", "not", "with")}
    for position, sort in enumerate(event.sorts):
        if sort == "person":
            found = story.somebody(MOVES if position in moved else HANDLES)
        else:
            found = story.something() if sort == "object" else int(story.rng.random() * story.places)
        if found < 0 or any(roles[i] == found for i in range(position) if event.sorts[i] == sort):
            return None
        roles.append(found)
    return roles


def allows(story: Storyteller, event: Program, roles: list[int], *, core: bool = False) -> bool:
    """Whether an event may happen to these people, objects and places now.

    Args:
        story: The story so far.
        event: The event.
        roles: Who and what takes part.
        core: Whether it belongs to the support, which may tie guarded places together.
    """
    reader = story.reader
    join = story.fits if core else story.may_join
    for attribute, position, value in event.requires:
        known = reader.values.get((attribute, roles[position]))
        if known is None or known[0] != value:
            return False
    for who, spot, there in event.before:
        root = reader._root(reader.stay[roles[who]])
        places = 1 << roles[spot] if there else ~(1 << roles[spot])
        told = reader.domain[root] & places
        # Noise must not tell anything new about a guarded place, nor the text contradict itstory.
        if not told or (not core and told != reader.domain[root] and root in story.guarded()):
            return False
    return all(_allows_effect(story, op, roles, core, join) for op in event.ops)


def _allows_effect(
    story: Storyteller, op: tuple[str, int, int, int], roles: list[int], core: bool, join: Callable[[int, int], bool]
) -> bool:
    reader = story.reader
    name, one, two, three = op
    if name in ("not", "either"):
        return True  # a new stay, of which nothing else is known yet
    if name == "in":
        return story.known(roles[one]) != roles[two]
    if name == "meet":
        return join(reader.stay[roles[one]], reader.stay[roles[two]])
    if name == "with":  # not somebody they are together with already
        one_root, two_root = (reader._root(reader.stay[roles[each]]) for each in (one, two))
        place = story.known(roles[one])
        return one_root != two_root and (place is None or place != story.known(roles[two]))
    if name == "at":
        stay = reader.stay[roles[one]]
        return bool(reader.possible(stay) >> roles[two] & 1) and (core or reader._root(stay) not in story.guarded())
    if name == "copy":
        return (one, roles[three]) in reader.values
    if name == "set":
        known = reader.values.get((one, roles[two]))
        return known is None or known[0] != three
    return _allows_handling(story, name, roles[one], roles[two], roles[three], join)


def _allows_handling(
    story: Storyteller, name: str, who: int, thing: int, receiver: int, join: Callable[[int, int], bool]
) -> bool:
    reader = story.reader
    stay = reader.stay[who]
    if name == "drop":
        return reader.holder[thing] == who
    if name == "take":
        return reader.holder[thing] < 0 and join(reader.path[thing][-1][0], stay)
    if name == "touch":
        return join(reader.path[thing][-1][0], stay)
    return reader.holder[thing] == who and join(stay, reader.stay[receiver])


def sentence_of(kind: int, roles: list[int], pronoun: bool = False) -> Sentence:
    """A sentence from its roles in order."""
    first, second, third, fourth = (*roles, -1, -1, -1)[:4]
    return Sentence(kind, first, second, third, pronoun, fourth)


def own_event(name: str, world: WorldProgram) -> Action:
    """The action that tells an event of a recipe's own."""
    kind = world.kind(name)
    event = world.events[kind]

    def tell(story: Storyteller, room: int, who: int = -1, thing: int = -1) -> bool:
        roles = draw_roles(story, event)
        if roles is None:
            return False
        if who >= 0:
            roles[0] = who
            if len({*zip(event.sorts, roles, strict=True)}) < len(roles):
                return False
            moved = any(op[1] == 0 and op[0] in ("in", "either", "not", "with") for op in event.ops)
            if not story.status[who] & (MOVES if moved else HANDLES):
                return False
        if not allows(story, event, roles):
            return False
        story.say(sentence_of(kind, roles))
        return True

    return tell
