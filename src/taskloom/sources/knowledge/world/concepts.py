"""Things every world shares with ours: classes, occupations, genres, genders, with their Wikidata ids.

Only general concepts are real. Every person, place, work and institution of a world is invented.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BROADER", "CLASSES", "CONCEPTS", "GENDERS", "GENRES", "KINDS", "OCCUPATIONS", "POSITIONS", "SPORTS"]


def _pairs(text: str) -> dict[str, str]:
    """`"film director Q2526255, poet Q49757"` as ids by name."""
    pairs = {}
    for item in text.split(","):
        name, _, entity = item.strip().rpartition(" ")
        pairs[name] = entity
    return pairs


GENDERS: Mapping[str, str] = {"male": "Q6581097", "female": "Q6581072"}

CLASSES: Mapping[str, str] = _pairs(
    """human Q5, film Q11424, book Q571, city Q515, taxon Q16521, country Q6256, river Q4022, mountain Q8502,
    lake Q23397, island Q23442, language Q34770, political party Q7278, sports team Q12973014, record label Q18127,
    business Q4830453, painting Q3305213, sculpture Q860861, album Q482994, song Q7366, television series Q5398426,
    video game Q7889, software Q7397, ship Q11446, automobile model Q3231690, museum Q33506, building Q41176,
    university Q3918, newspaper Q11032, musical group Q215380, award Q618779, position Q4164871,
    fictional human Q15632617, continent Q5107, occupation Q12737077, genre Q483394, stadium Q483110,
    book series Q277759, archipelago Q33837, administrative territorial entity Q56061, species Q7432, genus Q34740,
    twin Q159979, musical instrument Q34379, cheese Q10943, dance Q11639, dish Q746549, bread Q7802, textile Q28823"""
)

# What the invented kinds of things are kinds of.
KINDS: tuple[str, ...] = ("musical instrument", "cheese", "dance", "dish", "bread", "textile")

OCCUPATIONS: Mapping[str, str] = _pairs(
    """actor Q33999, politician Q82955, writer Q36180, journalist Q1930187, teacher Q37226, composer Q36834,
    singer Q177220, pianist Q486748, guitarist Q855091, songwriter Q753110, painter Q1028181, sculptor Q1281618,
    photographer Q33231, poet Q49757, novelist Q6625963, playwright Q214917, translator Q333634,
    philosopher Q4964182, physicist Q169470, chemist Q593644, mathematician Q170790, astronomer Q11063,
    botanist Q2374149, engineer Q81096, inventor Q205375, physician Q39631, lawyer Q40348, judge Q16533,
    economist Q188094, historian Q201788, film director Q2526255, screenwriter Q28389, comedian Q245068,
    association football player Q937857, basketball player Q3665646, ice hockey player Q11774891,
    cricketer Q12299841, architect Q42973, explorer Q11900058, priest Q42603, military officer Q189290,
    businessperson Q43845, diplomat Q193391, banker Q806798, farmer Q131512, librarian Q182436, nurse Q186360,
    programmer Q5482740"""
)

# Superclasses of occupations, so that "subclass of" has answers among real concepts too.
BROADER: Mapping[str, tuple[str, str]] = {
    "artist": ("Q483501", "actor,painter,sculptor,photographer,film director,comedian"),
    "musician": ("Q639669", "singer,pianist,guitarist,composer,songwriter"),
    "author": ("Q482980", "writer,poet,novelist,playwright,translator,journalist,screenwriter"),
    "scientist": ("Q901", "physicist,chemist,mathematician,astronomer,botanist,historian,economist"),
    "athlete": ("Q2066131", "association football player,basketball player,ice hockey player,cricketer"),
    "profession": (
        "Q28640",
        "politician,teacher,engineer,physician,lawyer,judge,architect,priest,military officer,businessperson,diplomat,"
        "banker,farmer,librarian,nurse,programmer,inventor,explorer,philosopher",
    ),
}

GENRES: Mapping[str, Mapping[str, str]] = {
    "book": _pairs("science fiction Q24925, fantasy Q132311, detective fiction Q186424, historical fiction Q1196408"),
    "film": _pairs(
        """comedy film Q157443, drama film Q130232, horror film Q200092, science fiction film Q471839,
        thriller film Q2484376, documentary film Q93204"""
    ),
    "music": _pairs(
        "jazz Q8341, rock music Q11399, pop music Q37073, blues Q9759, classical music Q9730, reggae Q9794, opera Q1344"
    ),
    "art": _pairs("portrait Q134307, landscape art Q191163, still life Q170571"),
}

SPORTS: tuple[str, ...] = ("association football player", "basketball player", "ice hockey player", "cricketer")

# Places on the field. Those without a well-known id get one of the world.
POSITIONS: Mapping[str, Mapping[str, str | None]] = {
    "association football player": {
        "goalkeeper": "Q201330",
        "defender": "Q336286",
        "midfielder": "Q193592",
        "forward": "Q280658",
    },
    "basketball player": {"point guard": None, "shooting guard": None, "small forward": None, "power forward": None},
    "ice hockey player": {"goaltender": None, "defenceman": None, "left winger": None, "right winger": None},
    "cricketer": {"batter": None, "bowler": None, "wicket-keeper": None, "all-rounder": None},
}


def _concepts() -> dict[str, str]:
    found = {entity: name for name, entity in [*GENDERS.items(), *CLASSES.items(), *OCCUPATIONS.items()]}
    found.update({entity: name for name, (entity, _) in BROADER.items()})
    found.update({entity: name for genres in GENRES.values() for name, entity in genres.items()})
    for places in POSITIONS.values():
        found.update({entity: name for name, entity in places.items() if entity is not None})
    return found


CONCEPTS: Mapping[str, str] = _concepts()
