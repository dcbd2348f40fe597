# ruff: noqa: E501 - one topic per line reads best as a table
"""How a reader of English finds each fact in a text and each topic in a question.

Written by hand against the prose, without a look into the generator: keywords for topics, patterns for evidence.
"""

from __future__ import annotations

from typing import NamedTuple

NAME = r"([A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*)"
YEAR = r"(\d{4})"
NUMBER = r"(\d[\d,]*|[a-z]+)"
SPANS = r"([^.;]+?)"


class Topic(NamedTuple):
    kind: str
    asked: str
    evidence: tuple[str, ...] = ()
    yes: str = ""
    no: str = ""
    opposite: str = ""
    unit: str = ""
    label: str = ""


def year(asked: str, *evidence: str, label: str) -> Topic:
    return Topic("year", asked, evidence, label=label)


def number(asked: str, *evidence: str, unit: str = "", label: str) -> Topic:
    return Topic("number", asked, evidence, unit=unit, label=label)


def text(asked: str, *evidence: str, label: str) -> Topic:
    return Topic("text", asked, evidence, label=label)


def several(asked: str, *evidence: str, label: str) -> Topic:
    return Topic("list", asked, evidence, label=label)


def flag(asked: str, yes: str, no: str, opposite: str) -> Topic:
    return Topic("flag", asked, yes=yes, no=no, opposite=opposite)


class Table(NamedTuple):
    asked: str
    row: str
    a: str
    b: str
    keys: tuple[str, str, str]


TOPICS: dict[str, dict[str, Topic]] = {
    "ruler": {
        "grave": text(r"buried|grave|burial", rf"laid to rest in {NAME}", rf"abbey of {NAME}", rf"tomb can be visited in {NAME}", label="burial place"),
        "birthplace": text(r"^where was this ruler born|birthplace|place was this ruler born|life of this ruler begin", rf"grew up in {NAME}", rf"native of {NAME}", rf"cradle stood in {NAME}", label="birthplace"),
        "coronation": year(r"crowned|reign|monarch|throne", rf"(?:crown|throne|coronation followed|cathedral) in {YEAR}", label="year of coronation"),
        "birth": year(r"born|birth|come into the world", rf"(?:born|world|birth|daylight) in {YEAR}", label="year of birth"),
        "children": number(r"children|offspring", rf"had {NUMBER} children", rf"raised {NUMBER} sons", rf"\b{NUMBER} heirs", label="number of children"),
        "adviser": text(r"advis|advice", rf"counsel of {NAME}", rf"without asking {NAME}", rf"chancellor {NAME} had", label="chief adviser"),
        "tutor": text(r"tutor|educated|teacher", rf"read and write from {NAME}", rf"was taught by {NAME}", rf"lessons at home were given by {NAME}", label="tutor"),
        "emblem": text(r"emblem|symbol|heraldry", r"chose an? (\w+) as the beast", r"image of an? (\w+)", r"\ban? (\w+) was painted on the banners", label="emblem"),
        "pastime": text(r"pastime|pass the time|hobby", r"free hour on ([\w-]+)", r"devoted to ([\w-]+)", r"calmed the \w+ like ([\w-]+)", label="favourite pastime"),
        "instruments": several(r"instruments", rf"(?:who|[a-z]|[IV]) played {SPANS} at court", rf"had mastered {SPANS} by the age", r"music on ([^.;]+)", label="musical instruments"),
        "battle": flag(r"battle|combat|go to war", r"head of the troops|beside the infantry|in the front line", r"left all fighting|away from every battlefield|army marched without", r"keep away"),
        "salt": flag(r"salt", r"did away with the levy|salt free of duty|salt was struck", r"held on to the levy|went on collecting duty|salt stayed in force", r"keep the salt"),
        "diary": flag(r"diar|journal", r"events of each day|forty notebooks|page about the day", r"never put private thoughts|recorded nothing|no personal record", r"do without"),
        "remarried": flag(r"marry|married|marriage", r"second spouse|altar twice|second wedding", r"stayed single|altar only once|never another wedding", r"no more than once"),
    },
    "dog breed": {
        "exported": year(r"export|abroad|foreign", rf"sold abroad in {YEAR}", rf"reached other countries in {YEAR}", rf"was shipped in {YEAR}", label="year of first export"),
        "recognised": year(r"recogni|accepted", rf"(?:register|status|standard) in {YEAR}", label="year of recognition"),
        "weight": number(r"heav|weigh|lighter", rf"weighs about {NUMBER} kilograms", rf"at roughly {NUMBER} kilograms", rf"reach some {NUMBER} kilograms", unit="kilograms", label="weight"),
        "height": number(r"tall|height|high|shorter", rf"stands about {NUMBER} centimetres", rf"measures some {NUMBER} centimetres", rf"height of {NUMBER} centimetres", unit="centimetres", label="height"),
        "coat": text(r"coat", r"wears a (\w+) coat", r"covered in (\w+) hair", r"look for (\w+) fur", label="type of coat"),
        "author": text(r"wrote|describe|author", rf"handbook by {NAME}", rf"in print by {NAME}", rf"pen of {NAME}", label="handbook author"),
        "breeder": text(r"who created|who was the first to breed|founder", rf"kennels of {NAME}", rf"existence to {NAME}", rf"{NAME} crossed the first litters", label="founder"),
        "purpose": text(r"first bred|purpose|job", r"originally kept for (\w+ing(?: \w+){1,2}?)(?=[.;,]| and )", r"earned its keep by (\w+ing(?: \w+){1,2}?)(?=[.;,]| and )", r"early days (\w+ing(?: \w+)+?) was the whole", label="original purpose"),
        "colours": several(r"colour", r"is bred in ([^.;]+)", r"comes in ([^.;]+)", r"club allows ([^.;]+)", label="colours"),
        "children": flag(r"children", r"gentle around|puts up with|little to worry", r"too impatient|may snap|told to look elsewhere", r"unsuitable"),
        "barking": flag(r"bark|vocal", r"raises its voice|noisy at night|constant din", r"hardly ever makes|remarkably silent|seldom hear", r"bark little"),
        "water": flag(r"swim|water", r"dives into lakes|at home in rivers|webbed feet", r"avoids lakes|refuses to enter|shallow streams frighten", r"poor swimmer"),
        "flats": flag(r"flat", r"does well in a small|content in two rooms|farm is not required", r"pines in a small|needs a farmyard|out of the question", r"wrong home"),
    },
    "nature reserve": {
        "opened": year(r"open", rf"first visitors in {YEAR}", rf"into being in {YEAR}", rf"to the public in {YEAR}", label="opening year"),
        "enlarged": year(r"enlarge|become larger", rf"by a third in {YEAR}", rf"adjoining fields in {YEAR}", rf"boundary in {YEAR}", label="year of enlargement"),
        "fee": number(r"fee|cost|price", rf"asks {NUMBER} crowns", rf"entered for {NUMBER} crowns", rf"pay {NUMBER} crowns", unit="crowns", label="entrance fee"),
        "area": number(r"how large|area|size|larger|smaller", rf"covers {NUMBER} hectares", rf"extends over {NUMBER} hectares", rf"some {NUMBER} hectares", unit="hectares", label="area"),
        "donor": text(r"donor|donated|former owner", rf"to the trust by {NAME}", rf"ground that {NAME} gave", rf"present from {NAME}", label="donor"),
        "warden": text(r"warden|responsible|in charge", rf"looked after by {NAME}", rf"care of {NAME} for years", rf"{NAME} walks the fences", label="warden"),
        "habitat": text(r"habitat|landscape|dominated", r"consists mainly of (\w+ \w+)", r"is (\w+ \w+) from end to end", r"(\w+ \w+) makes up nearly", label="main habitat"),
        "station": text(r"station", rf"by train from {NAME}", rf"railway at {NAME}", rf"platform is at {NAME}", label="nearest station"),
        "birds": several(r"birds", r"home to nesting ([^.;]+)", r"gives shelter to ([^.;]+)", r"watchers will spot ([^.;]+)", label="birds"),
        "mammals": several(r"mammals|four-legged", r"healthy number of ([^.;]+)", r"famous for its ([^.;]+)", rf"tracks of {SPANS} cross the mud", label="mammals"),
        "dogs": flag(r"dog", r"welcomes dogs|water bowl for dogs|bring their dogs", r"turns away anyone|dog owners to go home|dogs have to be left", r"forbidden"),
        "camping": flag(r"camp", r"tents may be pitched|sleep under canvas|tent is possible", r"not let anyone pitch|before dark|leads to a fine", r"banned"),
        "cafe": flag(r"café|refreshments|catering", r"soup and cake|sells hot drinks|find warm meals", r"neither food nor|nothing to eat|back to town", r"without a café"),
        "wheelchair": flag(r"cannot walk|disabled|step-free", r"level boardwalks|can be explored in|ramps have replaced", r"steep steps|cannot be explored|stiles and steps", r"inaccessible"),
    },
    "ship": {
        "launched": year(r"launch", rf"(?:slipway|touched water|stocks) in {YEAR}", label="launch year"),
        "scrapped": year(r"scrap|end of|career", rf"(?:broken up|breakers|firewood) in {YEAR}", label="scrapping year"),
        "length": number(r"how long was|length|longer|shorter", rf"measured {NUMBER} metres", rf"was {NUMBER} metres long", rf"there were {NUMBER} metres", unit="metres", label="length"),
        "crew": number(r"crew", rf"worked by {NUMBER} hands", rf"needed {NUMBER} hands", rf"bunks for {NUMBER} hands", unit="hands", label="size of the crew"),
        "captain": text(r"command|captain|skipper", rf"voyages under {NAME}", rf"obeyed {NAME} for", rf"{NAME} stood on the quarterdeck", label="captain"),
        "designer": text(r"design|architect", rf"drawings of {NAME}", rf"drawing board of {NAME}", rf"signature of {NAME}", label="designer"),
        "timber": text(r"hull|which wood|built from", r"frames and planks of (\w+)", r"timbered in (\w+)", r"carpenters used (\w+)", label="hull material"),
        "reef": text(r"accident|wrecked|come to grief", r"aground off ([\w' ]+?) in thick", r"rocks of ((?:Isle of )?[A-ZÀ-Þ][\w']+(?: [A-ZÀ-Þ]\w+)*)", r"sandbank near ((?:Isle of )?[A-ZÀ-Þ][\w']+(?: [A-ZÀ-Þ]\w+)*)", label="place of the accident"),
        "yard": text(r"built|construct", rf"river bank at {NAME}", rf"yard in {NAME}", rf"shipwrights in {NAME} worked", label="place of construction"),
        "figurehead": text(r"figurehead", r"carried a carved ([\w ]+?) under", r"gilded ([\w ]+?) at the bow", r"wooden ([\w ]+?) looked out", label="figurehead"),
        "cargo": several(r"goods|transport|cargo", r"brought home ([^.;]+)", r"holds with ([^.;]+)", r"entrusted her with ([^.;]+)", label="cargo"),
        "armed": flag(r"armed|weapons|artillery", r"eight small cannon|return fire|brass guns", r"without a single cannon|nothing to answer|not one gun", r"unarmed"),
        "passengers": flag(r"passenger", r"cabins for paying|took emigrants|could book a bunk on", r"turned travellers away|no cabins|nobody could book", r"refuse"),
        "steam": flag(r"machinery|propulsion|motoris", r"small steam engine|boiler put in|propeller was fitted", r"wind alone|never had an engine|came to nothing", r"never fitted"),
    },
    "mountain": {
        "skied": year(r"ski", rf"on skis in {YEAR}", label="year of the first ski descent"),
        "climber": text(r"^who .*(?:climb|ascent)|name of the first climber", rf"mastered by {NAME} before", rf"yielded to {NAME} at", rf"{NAME} planted a broomstick", label="first climber"),
        "surveyor": text(r"map|survey|cartographer", rf"on paper by {NAME}", rf"thanks to {NAME}", rf"{NAME} drew the contour", label="mapmaker"),
        "season": text(r"season|time of year|recommended", r"safest in (\w+ \w+)", r"best attempted in (\w+ \w+)", r"guides prefer (\w+ \w+)", label="best season"),
        "valley": text(r"start|village", rf"tackled from {NAME}", rf"base village at {NAME}", rf"set out from {NAME}", label="starting point"),
        "climbed": year(r"first climbed|first ascent", rf"conquered in {YEAR}", rf"rope of three in {YEAR}", rf"stood on top in {YEAR}", label="year of the first ascent"),
        "height": number(r"high|height|elevation|lower", rf"reaches {NUMBER} metres", rf"tops out at {NUMBER} metres", rf"summit at {NUMBER} metres", unit="metres", label="height"),
        "rock": text(r"rock|stone|geology|consist", r"is built of (\w+)", r"great mass of (\w+)", r"(\w+) comes to the surface", label="rock"),
        "river": text(r"river|stream", rf"feeds (the {NAME})", rf"drained by (the {NAME})", rf"runs into (the {NAME})", label="river"),
        "plants": several(r"plants|flora", rf"is covered with {SPANS} up to the snow", rf"grows {SPANS} on its sunny", r"come for the ([^.;]+)", label="plants"),
        "glacier": flag(r"glacier", r"tongue of ice|keeps a field of|still creeps", r"lost the last of its ice|no permanent ice|has melted for good", r"free of"),
        "volcano": flag(r"volcan", r"poured out lava|many eruptions|gives off steam", r"folded up|never erupted|neither crater", r"non-volcanic"),
        "cable": flag(r"cable", r"in a gondola|has a lift|takes tourists", r"on foot alone|kept out every|voted down", r"without a cable"),
        "sacred": flag(r"sacred|religious|revered|secular", r"is holy|place of pilgrimage|offerings are left", r"no place in any religion|never drawn a pilgrim|believers pay it no", r"secular"),
    },
    "bridge": {
        "repaired": year(r"repair", rf"major works in {YEAR}", rf"strengthened in {YEAR}", rf"replaced in {YEAR}", label="repair year"),
        "opened": year(r"opened|opening", rf"to the public in {YEAR}", rf"in use since {YEAR}", rf"ribbon was cut in {YEAR}", label="opening year"),
        "arches": number(r"spans", rf"rests on {NUMBER} arches", rf"in {NUMBER} bays", rf"by {NUMBER} vaults", label="number of spans"),
        "length": number(r"how long|length|distance|longer|shorter", rf"spans {NUMBER} metres", rf"stretches over {NUMBER} metres", rf"deck runs for {NUMBER} metres", unit="metres", label="length"),
        "patron": text(r"financed|cost of|sponsor|funded", rf"paid for by {NAME}", rf"purse of {NAME}", rf"money came from {NAME}", label="sponsor"),
        "engineer": text(r"design|engineer|drew up", rf"planned by {NAME}", rf"masterpiece of {NAME}", rf"calculations were done by {NAME}", label="engineer"),
        "river": text(r"river|watercourse", rf"goes over (the {NAME})", rf"thrown across (the {NAME})", rf"below flows (the {NAME})", label="river"),
        "paint": text(r"parapets|handrails|railings", r"railings painted (\w+(?: (?:green|red|blue|grey|yellow))?)", r"known for its (\w+(?: (?:green|red|blue|grey|yellow))?) railings", r"coat of (\w+(?: (?:green|red|blue|grey|yellow))?) protects", label="colour of the railings"),
        "material": text(r"material|made of", r"was built of ((?:cast )?\w+)", r"almost wholly of ((?:cast )?\w+)", r"((?:cast )?\w+) was chosen by the builders", label="main material"),
        "statues": several(r"sculptures|statues|figures", r"carvings of ([^.;]+)", r"likenesses of ([^.;]+)", r"both sides hold ([^.;]+)", label="sculptures"),
        "toll": flag(r"toll|pay", r"charges every driver|paid ticket|drop a coin", r"costs drivers nothing|free of charge|pass without paying", r"toll-free"),
        "lorries": flag(r"trucks|heavy goods", r"bears even|open to lorries|lorries rumble", r"closed to lorries|sends lorries|lorries are stopped", r"closed to heavy"),
        "walkers": flag(r"pedestrian", r"raised pavement|can be crossed on foot|separate footway", r"cannot be crossed|no pavement|must take the ferry", r"banned"),
        "lights": flag(r"night", r"glows in the dark|is lit from|switched on", r"in darkness|never had a single lamp|turns black", r"unlit"),
    },
    "castle": {
        "destroyed": year(r"destroy|destruction|meet its end|met its end", rf"burnt down in {YEAR}", rf"in flames in {YEAR}", rf"walls down in {YEAR}", label="year of destruction"),
        "founded": year(r"found|establish", rf"was begun in {YEAR}", rf"goes back to {YEAR}", rf"stone was laid in {YEAR}", label="founding year"),
        "towers": number(r"towers", rf"raised {NUMBER} turrets", rf"crowned by {NUMBER} turrets", rf"count {NUMBER} turrets", label="number of towers"),
        "walls": number(r"walls", rf"ramparts {NUMBER} metres", rf"defences {NUMBER} metres", rf"masonry is {NUMBER} metres", unit="metres", label="thickness of the walls"),
        "besieger": text(r"besiege|siege|attack", rf"for a winter by {NAME}", rf"months against {NAME}", rf"{NAME} camped before", label="attacker"),
        "builder": text(r"built|builder|had this castle constructed", rf"was raised by {NAME}", rf"command of {NAME}", rf"ordered by {NAME}", label="builder"),
        "owner": text(r"own|property", r"belongs to ([^.;,]+?) today", r"in the hands of ([^.;,]+?) nowadays", r"deeds are held by ((?:a|the) (?:charitable trust|county council|wool merchant's family|forestry office|monastery|theatre company))", label="owner"),
        "roof": text(r"roof", r"is topped with ((?:oak |clay )?\w+)", r"keeps out the rain with ((?:oak |clay )?\w+)", r"((?:oak |clay )?\w+) was laid over", label="roofing"),
        "village": text(r"water", rf"spring at {NAME}", rf"supplied with water from {NAME}", rf"pipes brought water from {NAME}", label="water source"),
        "rooms": several(r"rooms|parts of", r"lets guests into ([^.;]+)", rf"(?:[a-z]|[A-Z][\w]+) shows {SPANS} on the guided", r"round leads through ([^.;]+)", label="rooms open to visitors"),
        "moat": flag(r"moat", r"ditch full of water|drawbridge over|carp swim", r"never had a ditch|too hard for any ditch|nothing but dry grass", r"lack a moat"),
        "ghost": flag(r"haunted|ghost", r"restless spirit|has a phantom|swear that", r"without a tale|no phantom|nobody has ever claimed", r"free of ghosts"),
        "weddings": flag(r"married|wedding", r"hired by couples|hosts a bride|exchange rings in the", r"turns down couples|may not be hired|celebrate elsewhere", r"impossible"),
        "heating": flag(r"\bheat|unheated", r"warmed by radiators|modern boiler|stoves keep", r"bitterly cold|neither boiler|warm coats are needed", r"unheated"),
    },
    "festival": {
        "cancelled": year(r"cancel|fail to take place", rf"called off in {YEAR}", rf"not be held in {YEAR}", rf"everything in {YEAR}", label="year of the cancellation"),
        "days": number(r"how long|duration|how much time|longer|shorter", rf"goes on for {NUMBER} days", rf"lasts {NUMBER} days", rf"over after {NUMBER} days", unit="days", label="duration"),
        "guests": number(r"people attend|attendance|visitors does|visitors\?|more than [\d,]+ visitors|people", rf"draws {NUMBER} guests", rf"attracts {NUMBER} guests", rf"count {NUMBER} guests", unit="guests", label="attendance"),
        "founder": text(r"^who founded|founder|initiated", rf"the idea of {NAME}", rf"into being by {NAME}", rf"stubbornness of {NAME} to get", label="founder"),
        "founded": year(r"found|begin|began", rf"first time in {YEAR}", rf"came to life in {YEAR}", rf"all started in {YEAR}", label="founding year"),
        "director": text(r"direct|in charge|manages", rf"run by {NAME} at present", rf"has {NAME} at its head", rf"{NAME} draws up the programme", label="director"),
        "theme": text(r"theme|celebrate|subject", r"devoted to ([\w ]+?)(?=[.;,]| and )", r"all about ([\w ]+?)(?=[.;,]| and )", r"pride of place goes to ([\w ]+?)(?=[.;,]| and )", label="theme"),
        "month": text(r"month|held in (?:jan|mar|may|jun|aug|oct|nov)|when during the year", r"takes place in ([A-Z]\w+)", r"falls in ([A-Z]\w+)", r"([A-Z]\w+) is when everybody", label="month"),
        "venue": text(r"^where is this festival held|venue|location", r"main stage in ([A-ZÀ-Þ][\w' ]+? Square)", r"centres on ([A-ZÀ-Þ][\w' ]+? Square)", r"happens in ([A-ZÀ-Þ][\w' ]+? Square)", label="main venue"),
        "food": several(r"food|eat and drink|culinary", r"hungry with ([^.;]+)", r"same without ([^.;]+)", r"stalls sell ([^.;]+)", label="specialities"),
        "free": flag(r"admission|free", r"asks nobody|costs visitors nothing|gets in without paying", r"sells tickets|charges visitors|nobody gets in", r"charged"),
        "parade": flag(r"parade|procession", r"opens with a march|sends decorated|groups march", r"does without marches|gave up its|nobody marches", r"go without"),
        "fireworks": flag(r"fireworks", r"ends with rockets|lights up|rockets burst", r"banned rockets|ends quietly|rockets are forbidden", r"absent"),
        "indoors": flag(r"indoor|outdoor|inside buildings", r"kept dry|under a roof|does not matter", r"open sky|no roof but|rain matters", r"outdoors"),
    },
    "museum": {
        "renovated": year(r"renovat", rf"overhauled in {YEAR}", rf"wiring in {YEAR}", rf"moved in during {YEAR}", label="year of renovation"),
        "founder": text(r"^who founded|founder|person who established", rf"cabinet of {NAME}", rf"into life by {NAME}", rf"attic of {NAME}", label="founder"),
        "founded": year(r"found|established", rf"set up in {YEAR}", rf"dates from {YEAR}", rf"curious in {YEAR}", label="founding year"),
        "objects": number(r"collection|objects", rf"holds {NUMBER} pieces", rf"gathered {NUMBER} pieces", rf"lists {NUMBER} pieces", unit="pieces", label="size of the collection"),
        "ticket": number(r"cost|ticket|price", rf"charges adults {NUMBER} crowns", rf"admits adults for {NUMBER} crowns", rf"takes {NUMBER} crowns", unit="crowns", label="ticket price"),
        "director": text(r"head of|director|in charge|directs", rf"led by {NAME} today", rf"hands of {NAME} for a while", rf"{NAME} decides what goes", label="director"),
        "building": text(r"building", r"former ([\w ]+?)(?=[.;,]| and )", r"disused ([\w ]+?)(?=[.;,]| and )", r"once part of a ([\w ]+?)(?=[.;,]| and )", label="former use of the building"),
        "closed": text(r"closed on|closing day|which day|not open", r"shut on (\w+)", r"locked on (\w+)", r"(\w+days) are the staff", label="closing day"),
        "languages": several(r"language", r"headphones in ([^.;]+)", r"leaflets in ([^.;]+)", r"addressed in ([^.;]+)", label="languages"),
        "photos": flag(r"photo|pictures", r"lets guests use|no objection|may be used", r"hand in their|not tolerate|stay in the cloakroom", r"forbidden"),
        "shop": flag(r"shop", r"sells souvenirs|has a counter|can be purchased", r"sells no souvenirs|closed its counter|empty hands", r"without a shop"),
        "lift": flag(r"lift", r"glass cabin|has an elevator|saves tired", r"only by those who climb|no elevator|only way up", r"lack a lift"),
        "touch": flag(r"touch|handled|hands-on", r"pick things up|encourages small|may be picked up", r"behind glass and rope|fines anyone|guards step", r"forbidden"),
        "subject": text(r"about|exhibit|subject", r"dedicated to ([\w ]+?)(?=[.;,]| and [a-z]+(?:s|ed|was|is|has) )", r"filled with ([\w ]+?)(?=[.;,]| and [a-z]+(?:s|ed|was|is|has) )", r"\b(?!and )(\w+(?: \w+){0,2}) cover every wall", label="subject"),
    },
    "railway line": {
        "electrified": year(r"electri", rf"current in {YEAR}", rf"wires in {YEAR}", rf"wires went up in {YEAR}", label="year of electrification"),
        "opened": year(r"open", rf"carried trains since {YEAR}", rf"inaugurated in {YEAR}", rf"train ran in {YEAR}", label="opening year"),
        "length": number(r"how long|length|distance|longer|shorter", rf"extends for {NUMBER} kilometres", rf"is {NUMBER} kilometres from end", rf"measures {NUMBER} kilometres", unit="kilometres", label="length"),
        "tunnels": number(r"tunnels", rf"underground {NUMBER} times", rf"pierces {NUMBER} hills", rf"through {NUMBER} hills", label="number of tunnels"),
        "manager": text(r"manage|in charge|operates(?! on)", rf"run by {NAME} these", rf"answers to {NAME} nowadays", rf"{NAME} signs the timetables", label="manager"),
        "engineer": text(r"planned|planner|engineer", rf"surveyed by {NAME}", rf"chosen by {NAME}", rf"staked out by {NAME}", label="engineer"),
        "terminus": text(r"terminus|end\?|end,|last stop|finish", rf"to a halt in {NAME}", rf"leads to {NAME}", rf"buffers stand in {NAME}", label="terminus"),
        "start": text(r"start|beginning", rf"sets off from {NAME}", rf"begins at {NAME}", rf"platform is in {NAME}", label="starting point"),
        "gauge": text(r"gauge|track width", r"to the ([\w']+) gauge", r"uses the ([\w']+) gauge", r"rails of the ([\w']+) gauge", label="gauge"),
        "livery": text(r"colour|livery|trains of this railway line (?:are )?(?:maroon|bottle|sky|cream|orange|black)", r"by its ((?:bottle |sky )?\w+) carriages", r"paints its engines ((?:bottle |sky )?\w+)", r"all carriages are ((?:bottle |sky )?\w+)", label="livery"),
        "freight": several(r"goods|freight", r"money with ([^.;]+)", r"hauls ([^.;]+)", r"loaded with ([^.;]+)", label="freight"),
        "dining": flag(r"dining|meal|catering", r"restaurant coach|serves hot|hot lunches are served", r"go hungry|gave up hot|bring sandwiches", r"without a dining"),
        "sundays": flag(r"sunday", r"keeps going|seven days|both ways", r"stands still|six days|nothing moves", r"pause"),
        "bicycles": flag(r"bicycle", r"takes cyclists|hooks for bikes|bikes travel", r"makes cyclists leave|carries no bikes|bikes have to", r"banned"),
    },
}  # fmt: skip

TABLES: dict[str, Table] = {
    "ruler": Table(r"conflicts|wars", r"the \w+ (?:War|Rising|Feud)", r"(?:broke out|began|dates) (?:in|from) (\d{4})", r"(?:ended|finished) in (victory|defeat|a stalemate)", ("campaign", "start", "outcome")),
    "dog breed": Table(r"competitions|contests|events", r"the \w+ (?:Show|Trophy|Cup)", r"(?:judged in|held each) (\w+)", r"(\d+ dogs)", ("show", "season", "entries")),
    "nature reserve": Table(r"trails|routes", r"the \w+ (?:Path|Loop|Way)", r"(\d+ kilometres)", r"(?:counts as|graded) (\w+)", ("trail", "length", "difficulty")),
    "ship": Table(r"ports", r"(?:Port \w+|\w+ Harbour|[A-ZÀ-Þ]\w+)(?=, \d+ days| was reached| lay \d+| welcomed her| greeted her| was a regular stop| saw her every)", r"(\d+ days)", r"(?:welcomed|greeted) her with (\w+)", ("port", "passage", "weather")),
    "mountain": Table(r"huts|accommodation|places to stay", r"the \w+ (?:Hut|Refuge|Shelter)", r"(\d+ guests)", r"(staffed all year|unstaffed|staffed in summer)", ("hut", "capacity", "service")),
    "bridge": Table(r"accidents|disasters|mishaps", r"the \w+ (?:Collision|Fire|Flood)", r"(?:of|in|from) (\d{4})", r"(slight|moderate|severe) damage", ("accident", "year", "damage")),
    "castle": Table(r"treasures|valuable|works of art", r"the \w+ (?:Chalice|Tapestry|Clock)", r"(\d+ years)", r"in (perfect|fair|poor) condition", ("treasure", "age", "state")),
    "festival": Table(r"competitions", r"the \w+ (?:Race|Contest|Draw)", r"(\d+ crowns)", r"(?:open to|reserved for) (\w+)", ("contest", "prize", "participants")),
    "museum": Table(r"exhibitions|displays", r"the \w+ (?:Bequest|Room|Collection)", r"until (\w+)", r"(\d+ minutes)", ("exhibition", "closing month", "visit time")),
    "railway line": Table(r"stations", r"\w+ (?:Halt|Junction|Road)\b", r"(\w+ platforms)", r"an? (heated|tiled|draughty) waiting", ("station", "platforms", "waiting room")),
}  # fmt: skip
