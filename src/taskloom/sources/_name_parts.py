"""The pieces invented names are made of."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "ADJECTIVES",
    "ANIMALS",
    "BAND_NOUNS",
    "COLOURS",
    "COMPANY_ENDS",
    "CULTURES",
    "PARTY_WORDS",
    "PERIODICAL_WORDS",
    "PLURALS",
    "REAL_NAMES",
    "SHIP_NOUNS",
    "TEAM_NICKNAMES",
    "THINGS",
    "Culture",
]


class Culture(NamedTuple):
    """Stems and endings that sound alike, and the links that stand between them where short names have run out."""

    given: tuple[str, ...]
    female: tuple[str, ...]
    male: tuple[str, ...]
    family: tuple[str, ...]
    family_ends: tuple[str, ...]
    place: tuple[str, ...]
    place_ends: tuple[str, ...]
    country_ends: tuple[str, ...]
    links: tuple[str, ...]


def _words(text: str, separator: str | None = None) -> tuple[str, ...]:
    """The words of a block of text; phrases where a separator is given."""
    return tuple(word.strip() for word in text.strip().split(separator))


def _culture(**parts: str) -> Culture:
    return Culture(**{name: _words(text) for name, text in parts.items()})


CULTURES: dict[str, Culture] = {
    "albic": _culture(
        given="""
            Al Ander Bren Cal Cor Dar Ed Ever Fen Gar Gil Hal Har Jess Jor Kel Lor Lyn Mar Mer Nor Os Per Ren
            Ros Sel Tam Theo Wil Win
        """,
        female="ina wyn elle etta anne isa eth ora ilda enna",
        male="ric win ton dan ver mund mer ford bert ald",
        family="""
            Ash Bar Brack Cald Chal Cray Dun Elm Fairn Farn Gos Gran Hath Hol Hux Kes Lam Lark Mor Nether Ock
            Pen Quill Rav Sedge Stan Thorn Ux Wex Whin Yar
        """,
        family_ends="ley wick mere combe stead ridge worth low brook hurst field ton den dale bourne",
        place="""
            Al Ash Bex Brad Cold Dray Ever Fal Gar Hales Ing Kel Lin Mal Nor Ox Pel Red Sal Tarn Ul Wend Whit
            Yel
        """,
        place_ends="ford wick bury combe stoke haven mouth leigh minster cester ham by gate bridge",
        country_ends="land mark shire dom moor reach",
        links="er en el ing an ow ick am",
    ),
    "norric": _culture(
        given="""
            Ask Bjar Dag Ei Ey Finn Gud Hal Ing Jor Kar Leif Magn Ol Rag Run Sig Sol Stein Svan Thor Tor Ulf
            Vig Yng
        """,
        female="dis hild run borg a ina frid laug veig mara",
        male="ar mund stein vald bjorn geir rik ulf mar finn",
        family="""
            Ask Berg Bjork Dahl Elv Fjell Gran Haug Holm Karl Kvist Lind Lund Mo Nor Oster Rosen Skar Sol
            Strand Sunder Vest Wahl Ygg
        """,
        family_ends="sen gren vik strom lund qvist dal holt mark stad rud nes",
        place="""
            Ar Berg Dron Elv Fal Gol Hav Hjel Jot Kal Lun Mos Nar Os Rand Skag Sol Stor Trom Ulv Var Vest
            Ytter
        """,
        place_ends="vik havn stad by fjord borg heim sund nes dal lund mo",
        country_ends="mark land rike voll gard nor",
        links="er en els ing ar und av il",
    ),
    "lusan": _culture(
        given="""
            Adel Alb Ama Bel Bruna Cel Cons Dori El Est Fab Flor Gael Is Jul Leo Luc Mar Nat Oct Paol Ram Ser
            Silv Val Vi
        """,
        female="ina ella ita ana ia etta inda isa ara ora",
        male="io ino aldo ero ano ito eo ando enzo acio",
        family="""
            Al Bar Bel Cal Cas Cor Del Esp Far Gal Gar Lam Lor Mal Mon Mor Nav Or Pal Quin Ros Sal San Ser Tor
            Val Ver Zam
        """,
        family_ends="etti ardi ello ante ero ada eira anza osa ucci orio iano enza ares igo",
        place="Al Ar Bel Cal Cor Est Fer Gran Lor Mal Mar Mon Nov Or Pal Per Riv San Ser Tor Val Ver Vil",
        place_ends="ona ara eza ina illo ano ova enza ado igno uela ente asta",
        country_ends="ia ana ora elia entia anza",
        links="ar er in al and ol enc ill",
    ),
    "veskan": _culture(
        given="""
            Ale Bog Bran Dar Dob Drag Gor Iv Jar Kas Kir Lad Lub Mil Mir Nad Ol Rad Rost Sla Stan Tad Ves Vlad
            Yar Zor
        """,
        female="mila slava ina ka ana ena ushka itsa ya ora",
        male="mir slav an ek omir ko in il av oslav",
        family="""
            Bel Bor Chern Dob Drov Gal Grab Hor Iv Kal Kov Krav Las Mal Mor Nov Ost Pav Petr Rad Sok Stan Tar
            Vol Yav Zel Zim
        """,
        family_ends="ovich enko ski ak evic ov in chuk anek ar escu yak",
        place="""
            Bel Bor Brod Dub Gor Grod Kal Kras Lip Mir Nov Ost Pol Rad Sar Sel Slav Tver Us Vel Vol Yar Zar
        """,
        place_ends="grad ovo itsa insk nik ava ets ov polye mir any ora",
        country_ends="ia ova onia stan avia ina",
        links="ov an im ar el ich ush or",
    ),
    "tirani": _culture(
        given="""
            Ab Am Bah Dar Far Faz Gul Had Il Jam Kam Kav Lay Mah Nad Nas Om Par Ram Raz Sam Shir Tar Yas Zah
            Zar
        """,
        female="ira een ana eh iya ousha ima naz una ara",
        male="id ran eem ush aan ir oud az yar ef",
        family="""
            Al Bah Dar Far Gha Had Isf Jal Kar Kash Lah Mah Nas Om Qad Raz Sab Sham Tab Tah Var Yaz Zand
        """,
        family_ends="avi ari izadeh ami pour ani oghlu ian idi uri estan khel",
        place="Ab Bam Dar Far Gaz Ham Isk Jaz Kar Kash Lar Mash Naz Oz Qar Raz Sab Sham Tab Uz Yaz Zar",
        place_ends="abad an ir uz eh ishk andar esh um ara qan iya",
        country_ends="istan ia an ar iyah oram",
        links="am ar iz ul ah ir em usht",
    ),
    "sumi": _culture(
        given="Ai Aki Ha Hiro Ka Kei Kiyo Lani Ma Mei Nao No Rei Ri Sa Shi Su Ta To Tomo Ya Yu",
        female="ko mi na ri ka ha ya sa no lei",
        male="to ki shi ro ta ru ma ji suke haru",
        family="""
            Ama Fuka Haru Iwa Kago Kami Kita Kuro Matsu Mina Mori Naka Nori Oka Saki Shiro Taka Tani Uehi Wata
            Yama Yoshi
        """,
        family_ends="moto gawa zaki mura hara shita naga tori numa rata waki nobe",
        place="""
            Ama Fuku Hana Ichi Iwa Kago Kami Koru Mana Mori Naga Oka Rangi Saka Shima Taka Tono Umi Waka Yama
        """,
        place_ends="zawa naka hara moto saki mori tani rua shiro nami koto ratu",
        country_ends="koku ri nia moana taka sora",
        links="no ka ri mo to shi wa ne",
    ),
}

ADJECTIVES: tuple[str, ...] = _words(
    """
    Absent Amber Ancient Borrowed Bright Broken Careful Clockwork Crooked Distant Drowned Dusty Early Eleventh
    Empty Fallen Faithful Feathered Folded Forgotten Fragrant Frozen Gentle Gilded Hidden Hollow Honest Idle
    Impatient Ivory Kindly Late Lonely Marble Midnight Mild Misplaced Modest Narrow Ordinary Painted Paper
    Patient Polite Quiet Restless Rusted Second Shallow Silent Sleepless Slow Solemn Stolen Stubborn Sunken
    Tangled Tender Thirsty Threadbare Tidal Unfinished Unlikely Unread Velvet Wandering Waning Weathered
    Whispering Wooden Woven
    """
)
THINGS: tuple[str, ...] = _words(
    """
    Almanac Anchor Apron Archway Atlas Attic Balcony Barometer Bell Bookbinder Bridge Candle Carpenter
    Cartographer Cellar Chandelier Clockmaker Compass Courtyard Cupboard Doorway Drum Envelope Ferry Fiddle
    Foundry Fountain Garden Gatekeeper Glassblower Granary Hammock Harbour Harvest Hinge Hourglass Island
    Journey Kettle Ladder Lantern Ledger Letter Lighthouse Locket Loom Mapmaker Market Mirror Monsoon Needle
    Notebook Oar Orchard Pavilion Pendulum Piano Postcard Promise Quarry Quilt Railway Recipe Riddle River
    Roof Saddle Sailor Shadow Signal Staircase Storm Tailor Teapot Telescope Thimble Ticket Tower Umbrella
    Valley Violin Voyage Wardrobe Weaver Wheel Window Winter
    """
)
PLURALS: tuple[str, ...] = _words(
    """
    Acorns Almonds Ashes Bells Blossoms Bridges Brothers Candles Chimneys Clouds Corners Cousins Echoes Embers
    Feathers Ferries Fields Footsteps Gardens Gates Harbours Hills Hours Kettles Ladders Lanterns Letters
    Meadows Mirrors Mornings Neighbours Oars Orchards Pages Pebbles Petals Pilgrims Promises Ribbons Roads
    Rooms Sails Seasons Secrets Shadows Sisters Sparrows Stairs Stones Stories Strangers Sundays Tides Towers
    Trains Umbrellas Valleys Voices Walls Windows Winters Wishes Years
    """
)
ANIMALS: tuple[str, ...] = _words(
    """
    Badger Bittern Buzzard Cormorant Crane Curlew Dormouse Egret Falcon Ferret Finch Fox Gannet Gazelle Goose
    Hare Heron Hornet Ibex Jackdaw Kestrel Kingfisher Lapwing Lark Linnet Lynx Magpie Marten Merlin Moth Newt
    Nightingale Oriole Osprey Otter Pelican Plover Puffin Quail Raven Robin Salmon Sandpiper Seal Shrike
    Sparrow Starling Stork Swallow Swift Tern Thrush Tortoise Vole Wagtail Weasel Wren
    """
)
COLOURS: tuple[str, ...] = _words(
    """
    Amber Ashen Azure Blue Bronze Copper Coral Crimson Emerald Golden Green Grey Indigo Ivory Ochre Olive
    Pearl Russet Saffron Scarlet Silver Slate Teal Umber Violet White Yellow
    """
)
SHIP_NOUNS: tuple[str, ...] = _words(
    """
    Venturer Albatross Messenger Star Pilgrim Dawn Hope Wanderer Maiden Lantern Horizon Petrel Courier Rover
    Breeze Harvester Herald Navigator Zephyr Voyager
    """
)
BAND_NOUNS: tuple[str, ...] = _words(
    """
    Parade Orchestra Union Trio Machine Society Choir Quartet Engine Radio Carousel Assembly Ensemble Motel
    Arcade Republic Ceremony Weather Telegraph Committee
    """
)
TEAM_NICKNAMES: tuple[str, ...] = _words(
    """
    United | Rovers | Athletic | Wanderers | City | Harriers | Mariners | Foxes | Lions | Comets | Falcons |
    Millers | Miners | Rangers | Stags | Spartak | Olympic | Swifts | Thistle | Victoria | Sporting Club |
    Rowing Club | Cricket Club | Hockey Club
    """,
    "|",
)
PARTY_WORDS: tuple[str, ...] = _words(
    """
    Labour Party | Liberal Party | Green Alliance | People's Party | Farmers' Union | National Front |
    Progress Party | Reform Movement | Democratic Union | Workers' League | Centre Party | Civic Forum |
    Conservative Party | Justice Party | Unity Movement | Republican Party
    """,
    "|",
)
PERIODICAL_WORDS: tuple[str, ...] = _words(
    """
    Courier Herald Gazette Observer Chronicle Mercury Dispatch Examiner Sentinel Tribune Argus Messenger
    Advertiser
    """
)
COMPANY_ENDS: tuple[str, ...] = _words(
    """
    Works | Industries | Motors | Foundry | Systems | Shipyard | Instruments | Brothers | Holdings | Software
    | Aviation | Mills | Press | Electric | Trading Company | Chemicals | Optics | Breweries | Railways |
    Studios
    """,
    "|",
)

# Names that the parts above could spell and that everybody knows.
REAL_NAMES: frozenset[str] = frozenset(
    _words(
        """
        abadan albania alentia arkansas armenia belaria belgia belgrade bergen bergman bergstrom bernardi
        bradford cervantes chalfield churchill cordova corelli corona darwin denmark england finland fukuhara
        fukushima galicia granada hamadan hamilton holbrook holland holmgren horak huxley ibsen iceland iran
        isfahan ivanov iwaki karabakh karachi karlsen kashan kitamura kovak kuromura larsen lindgren lindqvist
        lindstrom lundgren malenko maria mariana marina marino matsumoto matsushita milton minamoto moldavia
        moldova montana morales moravia morelli morenko moretti morikawa morimoto nagano nagasaki nakahara
        nakamura navarro newham newton nordqvist norge norland norway novak novograd okamoto okayama okinawa
        olsen oman orlando oslo oxford pavlov pavlovich petrenko petrov petrovich polonia polska redbridge
        redmouth romania rosario rossetti sabet saitama sakamoto saladin salazar salerno salford shamir
        shimane shiraz slavonia sokolov stanescu stanford stanley stavanger strindberg tabriz takagawa
        takamura tarant tarkovski toyama valencia valente valentia valenza varese velikovo verona vilnius
        virginia wakayama whitby whithaven yamagata yamamoto yemen yoshimoto yoshimura
        """
    )
)
