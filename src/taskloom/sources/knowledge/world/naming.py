"""How people get their names: family names by the custom of a culture, first names after an elder or anew.

Were every child to carry the father's family name, `father` would be half solved by copying a piece of the question.
Customs differ between cultures, newcomers may share a name with others, and who is named after an elder of the other
gender bears another form of the name.
"""

from __future__ import annotations

from random import Random

from taskloom.sources.names import CULTURE_NAMES, Gender, NameMaker, PersonName

__all__ = ["Naming"]

# The chances of the father's name, the mother's name, and a name of one's own, by culture in turn.
_CUSTOMS = ((0.85, 0.10, 0.05), (0.45, 0.45, 0.10), (0.10, 0.80, 0.10), (0.75, 0.10, 0.15), (0.45, 0.45, 0.10),
            (0.15, 0.15, 0.70))  # fmt: skip
_SHARED = 0.35


class Naming:
    """Gives names to the people of a chapter.

    Args:
        names: Where names come from.
        rng: Which custom wins.
    """

    def __init__(self, names: NameMaker, rng: Random) -> None:
        self._names = names
        self._rng = rng
        self._families: dict[str, list[str]] = {culture: [] for culture in CULTURE_NAMES}

    def newcomer(self, gender: Gender, culture: str) -> PersonName:
        """Somebody without known parents; one in three bears a family name that others have too."""
        return self._names.person(gender, family=self._family(culture), culture=culture)

    def _family(self, culture: str) -> str:
        known = self._families[culture]
        if known and self._rng.random() < _SHARED:
            return self._rng.choice(known)
        known.append(self._names.family(culture))
        return known[-1]

    def inherited(self, culture: str, father: str, mother: str) -> str:
        """The family name of a child."""
        paternal, maternal, _ = _CUSTOMS[CULTURE_NAMES.index(culture)]
        draw = self._rng.random()
        if draw < paternal:
            return father
        return mother if draw < paternal + maternal else self._family(culture)

    def child(self, gender: Gender, culture: str, family: str, elder: PersonName | None) -> PersonName:
        """A child's name, after an elder where there is one."""
        given = None
        if elder is not None:
            given = elder.given if elder.gender == gender else self._other_form(elder.given, gender, culture)
        return self._names.person(gender, given=given, family=family, culture=culture)

    def _other_form(self, given: str, gender: Gender, culture: str) -> str:
        """A first name with the ending of the other gender: Storan, Stora."""
        model = self._names.given(gender, culture)
        stem = given.rstrip("aeiouy") or given
        end = next((i for i in range(len(model) - 1, 0, -1) if model[i] in "aeiouy"), len(model) - 1)
        formed = stem + model[end:]
        return formed if formed != given else stem + ("ina" if gender == "female" else "or")
