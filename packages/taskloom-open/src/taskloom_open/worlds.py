"""Tasks about people in small invented situations: talk, kin, bargaining, ethics, reference."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText
from taskloom_open.kit import Part, WorkedItem, define, rows
from taskloom_open.tongues import TOPICS


def worlds() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield _bargain()
    yield _kin()
    yield _ethics()
    yield _shopping()
    yield from _reference()


def _people(part: Part, language: str = "English") -> tuple[list[SourceText], list[SourceText]]:
    held = [row for row in rows("names", part, language) if row.text.isalpha() and 3 <= len(row.text) <= 9]
    return [row for row in held if row.more["gender"] == "female"], [
        row for row in held if row.more["gender"] == "male"
    ]


_GOODS = ("bicycle", "table", "guitar", "camera", "sofa", "lamp", "coat", "watch", "desk", "piano", "tent", "carpet")
_MOVES = {
    "offer": (
        "I can give you {0} euros for the {1}.",
        "How about {0} euros for the {1}?",
        "I would pay {0} euros for the {1}.",
    ),
    "concession": (
        "All right, I will go down to {0} euros for the {1}.",
        "Fine, then let it be {0} euros for the {1}, not more.",
        "I can meet you half way: {0} euros for the {1}.",
    ),
    "threat": (
        "If the {1} costs more than {0} euros, I will buy it elsewhere.",
        "Take {0} euros for the {1}, or I leave.",
        "Above {0} euros I simply walk away from the {1}.",
    ),
    "praise": (
        "The {1} is worth far more than {0} euros: it is like new.",
        "You will not find such a fine {1} for {0} euros anywhere.",
        "For {0} euros this {1} is a bargain, it was hardly used.",
    ),
}


def _bargain() -> Blueprint:
    women, men = _people("a")

    def make(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(sorted(_MOVES))
        row = rng.choice(women + men)
        said = rng.choice(_MOVES[label]).format(rng.randrange(20, 400, 5), rng.choice(_GOODS))
        wrong = rng.choice([other for other in sorted(_MOVES) if other != label])
        why = {
            "offer": "a first price is named",
            "concession": "the speaker gives way",
            "threat": "the speaker says what happens otherwise",
            "praise": "the thing is made to look valuable",
        }[label]
        return WorkedItem(
            f"{row.text}: {said}", label, f"This is what the word means: {why}.", wrong, f"Here {why}.", (row.id,)
        )

    return define("move_in_bargaining", make, table="names", labels=tuple(_MOVES), suffix="")


_KIN = {
    "parent and child": ("{0}: Did you do your homework, {2}?\n{1}: Yes, {3}, I finished it before dinner.", "child"),
    "teacher and student": (
        "{0}: Please hand in your essay on Friday.\n{1}: I will, {3}. May I write about {2}?",
        "school",
    ),
    "doctor and patient": ("{0}: Where does it hurt?\n{1}: Here, {3}, since {2}.", "surgery"),
    "shop assistant and customer": ("{0}: Would you like a bag for the {2}?\n{1}: No, thanks. How much is it?", "shop"),
    "colleagues": ("{0}: The manager moved our meeting to {2}.\n{1}: Then let us finish the report before.", "office"),
}


def _kin() -> Blueprint:
    women, men = _people("a")

    def make(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(sorted(_KIN))
        one, two = rng.sample(women + men, 2)
        filler = {
            "parent and child": two.text,
            "teacher and student": rng.choice(["Rome", "volcanoes", "poems", "whales", "trains"]),
            "doctor and patient": rng.choice(["Monday", "yesterday", "last week", "Sunday"]),
            "shop assistant and customer": rng.choice(_GOODS),
            "colleagues": rng.choice(["Tuesday", "nine", "noon", "Thursday"]),
        }[label]
        address = {
            "parent and child": "mum" if one in women else "dad",
            "teacher and student": "sir" if one in men else "madam",
            "doctor and patient": "doctor",
        }.get(label, "")
        wrong = rng.choice([other for other in sorted(_KIN) if other != label])
        text = _KIN[label][0].format(one.text, two.text, filler, address)
        why = f"What they talk about and how they address each other shows it: {_KIN[label][1]}."
        return WorkedItem(
            text, label, why, wrong, f"People of that kind would not talk like this ({wrong}).", (one.id, two.id)
        )

    return define("relation_of_speakers", make, table="names", labels=tuple(sorted(_KIN)), suffix="")


_CASES: dict[int, tuple[str, ...]] = {
    1: (
        "{0} is told that people from the mountains are worth less than others.",
        "A club says that {0} was born without rights.",
    ),
    2: (
        "{0} may not rent a flat because of the colour of {1} skin.",
        "A school turns {0} away because of {1} language.",
    ),
    3: ("Armed men threaten to kill {0}.", "Nobody protects {0} although {1} life is in danger."),
    4: ("{0} has to work on a farm without pay and may not leave it.", "{0} was sold to another owner."),
    5: ("In prison {0} is beaten until {2} signs a paper.", "Guards hurt {0} to make {1} brother talk."),
    6: (
        "The register refuses to write down that {0} exists as a person with rights.",
        "No office accepts {0} as a person.",
    ),
    7: (
        "The same law punishes {0} but not {1} rich neighbour.",
        "The police protect everybody in the street except {0}.",
    ),
    8: (
        "{0} was robbed by officials, and no court will hear the complaint.",
        "There is no judge to whom {0} may turn.",
    ),
    9: ("{0} is locked up for months, and nobody says why.", "Soldiers take {0} away without any reason."),
    10: ("The judge in the trial of {0} is paid by the other side.", "{0} is sentenced in secret, without a hearing."),
    11: ("The newspapers and the police call {0} guilty before the trial.", "{0} must prove that {2} did not steal."),
    12: ("The state reads all letters of {0}.", "Officers search the home of {0} without reason."),
    13: ("{0} may not move to another town of the country.", "{0} is not allowed to leave the country."),
    14: (
        "{0} flees from persecution and is sent back at the border.",
        "{0} asks for shelter from persecution and is refused.",
    ),
    15: ("{0} loses {1} passport and citizenship because of an article.", "No country accepts {0} as its citizen."),
    16: ("{0} is forced to marry a stranger.", "{0} may not marry because of {1} religion."),
    17: ("Officials take the house of {0} without any legal basis.", "{0} may not own a shop together with others."),
    18: ("{0} is punished for changing {1} religion.", "{0} may not pray together with others."),
    19: ("{0} is arrested for saying what {2} thinks about the president.", "{0} may not read foreign newspapers."),
    20: ("The police break up a peaceful meeting of {0} and friends.", "{0} is forced to join a party."),
    21: ("{0} may not vote in the election.", "The votes of {0} and others are counted in secret and changed."),
    22: ("{0} is old and gets no help from the community at all.", "After the accident nobody supports {0}."),
    23: ("{0} earns less than others for the same work.", "{0} may not join a trade union."),
    24: ("{0} has to work every day of the year without a holiday.", "The boss of {0} allows no breaks."),
    25: ("{0} is ill and has neither food nor a doctor.", "The family of {0} has no roof over its head."),
    26: ("{0} is seven and may not go to school.", "{0} cannot pay for the first class, and so may not learn to read."),
    27: (
        "{0} may not enter the theatre or hear about new science.",
        "Somebody else publishes the novel of {0} and keeps the money.",
    ),
}


def _ethics() -> Blueprint:
    women, men = _people("a")
    articles = sorted({row.more["article"] for row in rows("udhr", "a")} & _CASES.keys())

    def make(rng: Random, key: int) -> WorkedItem:
        number = rng.choice(articles)
        row = rng.choice(women + men)
        her = row.more["gender"] == "female"
        text = rng.choice(_CASES[number]).format(row.text, "her" if her else "his", "she" if her else "he")
        # Neighbours are on the same matter: arrest, trial and court, or work, rest and social security.
        others = rng.sample([other for other in articles if abs(other - number) > 6], 3)
        options = [TOPICS[number], *(TOPICS[other] for other in others)]
        rng.shuffle(options)
        return WorkedItem(
            f"{text}\nOptions: {'; '.join(options)}",
            TOPICS[number],
            f"Article {number} of the Declaration, on {TOPICS[number]}, forbids this.",
            TOPICS[others[0]],
            f"Article {others[0]} is about something else.",
            (f"article-{number}", row.id),
        )

    return define("violated_right", make, table="udhr", scorer="exact", suffix="")


def _shopping() -> Blueprint:
    women, men = _people("a")

    def make(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(women + men)
        good, count, price = rng.choice(_GOODS), rng.randint(2, 9), rng.randint(3, 60)
        paid = -(-count * price // 50) * 50
        right = paid - count * price
        if right == 0:
            paid, right = paid + 50, 50
        return WorkedItem(
            f"{row.text} buys {count} {good}{'es' if good == 'watch' else 's'} at {price} euros each "
            f"and pays with {paid} euros. "
            "How much money comes back?",
            str(right),
            f"{count} times {price} is {count * price}, and {paid} minus {count * price} is {right}.",
            str(count * price),
            "This is the price of all things, not the change.",
            (row.id,),
        )

    return define("change_in_shop", make, table="names", scorer="exact", suffix="")


_SCENES = {
    "English": (
        "{0} met {1} at the station because {2} needed help.",
        "{0} wrote to {1} before {2} left for work.",
        "{0} waved at {1} when {2} opened the door.",
        "{0} called {1} as soon as {2} had arrived.",
    ),
    "Spanish": (
        "{0} llamó a {1} porque {2} necesitaba ayuda.",
        "{0} escribió a {1} antes de que {2} saliera de casa.",
        "{0} saludó a {1} cuando {2} abrió la puerta.",
        "{0} buscó a {1} porque {2} tenía la llave.",
    ),
    "German": (
        "{0} rief {1} an, weil {2} Hilfe brauchte.",
        "{0} schrieb an {1}, bevor {2} zur Arbeit ging.",
        "{0} winkte {1} zu, als {2} die Tür öffnete.",
        "{0} suchte {1}, weil {2} den Schlüssel hatte.",
    ),
    "French": (
        "{0} a appelé {1} parce qu'{2} voulait de l'aide.",
        "{0} a écrit à {1} avant qu'{2} parte au travail.",
        "{0} a salué {1} quand {2} a ouvert la porte.",
        "{0} a cherché {1} parce qu'{2} gardait la clé.",
    ),
    "Italian": (
        "{0} ha chiamato {1} perché {2} voleva aiuto.",
        "{0} ha scritto a {1} prima che {2} uscisse di casa.",
        "{0} ha salutato {1} quando {2} ha aperto la porta.",
        "{0} ha cercato {1} perché {2} teneva la chiave.",
    ),
}
_PRONOUNS = {
    "English": ("she", "he"),
    "Spanish": ("ella", "él"),
    "German": ("sie", "er"),
    "French": ("elle", "il"),
    "Italian": ("lei", "lui"),
}
# Names that nobody takes for those of the other sex.
_KNOWN = {
    "English": (
        "Alice Emily Grace Helen Jane Laura Mary Olivia Rachel Susan",
        "Adam David George Henry Jack John Michael Peter Robert William",
    ),
    "Spanish": (
        "Ana Carmen Elena Isabel Lucía Marta Pilar Rosa Sofía Teresa",
        "Antonio Carlos Diego Enrique Javier José Luis Manuel Pablo Pedro",
    ),
    "German": (
        "Anna Birgit Claudia Greta Heike Julia Katharina Lena Monika Sabine",
        "Bernd Dieter Felix Hans Jürgen Klaus Lukas Stefan Thomas Wolfgang",
    ),
    "French": (
        "Anne Brigitte Claire Hélène Isabelle Julie Louise Marie Sophie Sylvie",
        "Alain Antoine François Jacques Louis Marc Nicolas Paul Philippe Pierre",
    ),
    "Italian": (
        "Anna Chiara Elena Francesca Giulia Laura Lucia Maria Paola Silvia",
        "Alberto Antonio Carlo Francesco Giorgio Giovanni Luca Marco Paolo Stefano",
    ),
}


def _reference() -> Iterator[Blueprint]:
    for language, scenes in _SCENES.items():
        women, men = (names.split() for names in _KNOWN[language])

        def make(
            rng: Random,
            key: int,
            scenes: tuple[str, ...] = scenes,
            language: str = language,
            women: list[str] = women,
            men: list[str] = men,
        ) -> WorkedItem:
            her, him = rng.choice(women), rng.choice(men)
            first, second = rng.sample([her, him], 2)
            meant = rng.choice([her, him])
            pronoun = _PRONOUNS[language][0 if meant is her else 1]
            other = him if meant is her else her
            sex = "a woman" if meant is her else "a man"
            scene = rng.choice(scenes).format(first, second, pronoun)
            # Italian does not let two a meet: "ad Anna".
            scene = scene.replace(" a A", " ad A") if language == "Italian" else scene
            return WorkedItem(
                f"{scene}\nPronoun: {pronoun}",
                meant,
                f"'{pronoun}' stands for {sex}, and {meant} is the only one in the sentence.",
                other,
                f"'{pronoun}' cannot stand for {other}.",
                (f"{her} and {him}",),
            )

        yield define("who_is_meant", make, table="", language=language, scorer="exact")
