"""The hand-made word inventory behind generated sentences: nouns, adjectives, verbs and what goes with what.

Nouns form a taxonomy by indentation: a word entails every word it stands under. Words joined by
``=`` are synonyms; irregular plurals follow a slash. Verbs come in families that share their
subjects, objects and places. The tests hold every relation below against WordNet and every
inflected form against an independent morphology.
"""

from __future__ import annotations

__all__ = [
    "ADJECTIVES",
    "AGENTS",
    "DOUBLING",
    "GROUPS",
    "INTRANSITIVE",
    "IRREGULAR_VERBS",
    "NOUNS",
    "NOUN_ANTONYMS",
    "PLACES",
    "TRANSITIVE",
    "UNDECIDED",
]

NOUNS = """
person/people
  adult
    man/men
      guy
    woman/women
      lady
  child/children = kid = youngster
    boy
      schoolboy
    girl
      schoolgirl
    toddler
  musician
    guitarist
    pianist
    violinist
  athlete
    gymnast
    runner
      sprinter
    swimmer
  artist
    painter
    sculptor
  cook
    chef
  doctor = physician
    surgeon
  scientist
    chemist
    biologist
    physicist
  dancer
    ballerina
  singer
    soprano
    tenor
  craftsman/craftsmen
    potter
    carpenter
  farmer
  soldier
  nurse
  dentist
  sailor
  student = pupil
  teacher = instructor
  gardener
  mechanic
  waiter
animal = creature
  dog
    puppy
    poodle
    terrier
    beagle
  cat
    tabby
  horse
    pony
    stallion
    mare
  bird
    parrot
    owl
    eagle
    pigeon
    crow
    swan
  monkey
    baboon
  insect
    bee
    butterfly
    beetle
  cow
  rabbit
  goat
  squirrel
  elephant
  tiger
  lion
  bear
  fox
  wolf/wolves
  kangaroo
vegetable
  onion
  potato
  carrot
  cucumber
  cabbage
  tomato
  leek
  turnip
  radish
  eggplant = aubergine
fruit
  apple
  banana
  pear
  peach
  mango
  melon
  strawberry
beverage = drink
  coffee
  lemonade
  beer
    lager
  cocktail
    martini
    margarita
sandwich
hamburger = burger
  cheeseburger
dish
  pizza
  omelet
  stew
  casserole
cake
  cupcake
  fruitcake
vehicle
  car = automobile
    taxi = cab
    limousine
    convertible
    sedan
  truck
    pickup
  bicycle = bike
  motorcycle
  boat
    canoe
    kayak
    rowboat
    gondola
    ferry
    motorboat
  tractor
instrument
  guitar
  violin = fiddle
  drum
  trumpet
  flute
  accordion
  banjo
chair
  armchair
    recliner
sofa = couch
table
container
  box
    crate
  bag
    backpack
  basket
  bottle
  bucket = pail
  jar
garment
  shirt
  skirt
  scarf/scarves
  vest
  sweater
    cardigan
    pullover
  jacket
  coat
    raincoat
toy
  doll
  teddy
ball
  basketball
  football
  volleyball
book
  textbook
  cookbook
  dictionary
poem
  sonnet
  ode
song
  ballad
  hymn
picture
  photograph = photo
  painting
    watercolor
    mural
flower
  daisy
  orchid
  sunflower
  peony
tree
  oak
  pine
  maple
  willow
building
  house
  barn
  hotel
rock = stone
  boulder
  pebble
computer
  laptop
gate
door
window
fence
wall
bridge
letter
"""

NOUN_ANTONYMS = """
man woman
boy girl
"""

# Neither clearly excluded nor entailed by the inventory: a pair of words from the two sides is never asked.
UNDECIDED = """
artist | musician dancer singer craftsman
singer | musician
athlete | dancer
doctor | dentist nurse scientist student
bicycle | motorcycle
person | animal
mechanic | craftsman
gondola | car
toy | garment
cat | tiger lion
cat | vehicle
vehicle | instrument
boy | man
girl | woman
boy girl | adult
container | vehicle
song | poem
dish | sandwich cake hamburger
sandwich | hamburger
guy | man
lady | woman
tomato cucumber eggplant | fruit
ball | toy
toy | animal
jacket | coat
gate | door fence
wall | fence
truck | car tractor
house hotel | barn
box | container
man woman adult child | musician athlete artist cook doctor scientist dancer singer craftsman farmer soldier nurse \
dentist sailor student teacher gardener mechanic waiter
"""

# Who does this is, for many readers, thereby one of those: the nouns never replace another subject of the verb.
AGENTS = """
sing croon yodel | singer musician
dance waltz tango | dancer
swim dive | swimmer athlete
run sprint jog | runner athlete
paint draw sketch | artist
cook fry grill roast bake | cook
teach instruct | teacher
play | musician
repair fix mend | mechanic craftsman
build construct sew stitch | craftsman
water plant | gardener
serve | waiter
steer | sailor
examine treat | doctor nurse dentist
guard march | soldier
read write | student
"""

# kind: synonyms that may replace each other (a lone word only decorates), then the nouns they go with.
# "relative" adjectives measure by the noun (a big mouse is no big animal), "absolute" ones do not.
ADJECTIVES = """
relative | big = large | dog cat horse bird monkey rabbit elephant box bag basket bottle bucket tree house boat \
rock truck table \
ball chair book window door gate fence flower melon cake
relative | small = little | dog cat horse bird monkey rabbit box bag basket bottle bucket tree house boat rock \
table ball chair \
book window door gate fence flower melon cake toy
relative | famous = renowned | singer artist musician scientist dancer athlete painter
relative | wide = broad | bridge table gate window door
relative | cheap = inexpensive | car guitar violin sofa chair skirt coat computer bicycle bag book table \
laptop jacket shirt
relative | wealthy = affluent | man woman lady farmer
relative | elderly = aged | man woman lady farmer teacher sailor singer artist musician painter scientist
relative | slim = slender | man woman lady boy girl singer dancer artist painter teacher nurse
relative | plump = chubby | man woman boy girl child dog cat horse rabbit puppy
absolute | frightened = scared | dog cat horse puppy rabbit
absolute | dirty = soiled | shirt jacket bag bucket chair table window car truck
absolute | round = circular | table box window basket
absolute | red | car truck bicycle box bag shirt skirt coat flower apple boat ball scarf jacket bucket
absolute | blue | car truck bicycle box bag shirt skirt coat boat ball bottle scarf jacket bucket
absolute | green | car truck bicycle box bag shirt skirt bottle boat ball scarf jacket
absolute | white | dog cat horse rabbit car truck house shirt skirt flower bird scarf
absolute | black | dog cat horse rabbit car truck shirt skirt bird coat jacket
absolute | brown | dog horse rabbit bear monkey bag coat jacket
absolute | yellow | car bicycle shirt skirt flower boat box bird scarf
absolute | wooden | chair table box boat gate fence door bridge
"""

PLACES = """
stove | in the kitchen; at home; in the restaurant; in the hotel; at the farm
kitchen | in the kitchen; at the table; on the terrace; at home; in the garden
dining | in the cafe; at the table; on the terrace; at home; in the hotel
bar | at the bar; in the cafe; on the terrace; at the party; in the hotel
stage | on the stage; in the theater; at the festival; at school; in the living room
workshop | in the workshop; in the garage; in the yard; behind the house; near the station
street | on the street; in the city; in front of the station; at the corner; near the hotel
lane | in the park; by the river; in the village; near the lake; behind the barn
yard | in the garden; in the yard; behind the house; near the barn; at the farm
meadow | in the park; at the zoo; in the garden; by the river; in the field
lake | on the lake; on the river; in the harbor; near the bridge; near the island
town | in the city; near the lake; by the river; at the corner; in the village
moving | in the yard; in the hallway; in the garage; in the living room; behind the house
larder | in the kitchen; at home; in the garden; at the market; in the barn
play | in the park; on the beach; in the yard; in the field; near the lake
doors | at home; in the garden; at school; in the hotel; behind the barn
gifts | in the bedroom; in the living room; at the party; in the kitchen; at home
shop | at the market; in the shop; at the fair; in the city; near the station
desk | in the library; at school; in the classroom; in the garden; at home
easel | by the river; in the park; in the field; near the lake; on the hill
site | by the river; in the village; near the lake; in the field; behind the hotel
mishap | in the kitchen; in the yard; at home; in the garage; behind the hotel
laundry | at home; in the living room; in the bedroom; on the balcony; in the shop
outing | on the street; in the park; at school; at the party; in the city
travel | in the hallway; on the train; at the station; in the library; at the corner
flowers | in the garden; in the yard; in the park; behind the house; near the fence
heights | in the garden; in the park; behind the house; by the river; near the road
concert | on the stage; in the theater; at the festival; at the party; in the garden
hunt | in the garden; in the yard; in the park; behind the barn; on the street
meeting | on the street; in the park; at school; at the station; in the field
playground | in the garden; on the beach; in the yard; on the lawn; behind the house
fame | on the stage; at the festival; in the city; at the station; in front of the hotel
lesson | in the classroom; at school; in the library; in the gym; in the garden
scare | in the yard; on the street; in the park; at the farm; behind the barn
danger | by the river; near the lake; in the woods; on the beach; in the village
hospital | in the hospital; in the clinic; at home; in the office; in the ambulance
service | in the restaurant; at the bar; on the terrace; in the hotel; at the festival
watch | by the river; near the bridge; in the harbor; in the city; in the village
freight | in the harbor; by the river; behind the hotel; near the bridge; at the station
baking | in the kitchen; at home; at school; in the restaurant; in the hotel
bench | in the workshop; at school; in the shop; in the garage; at home
gallery | in the museum; in the living room; in the hallway; at school; in the hotel
nursery | in the bedroom; at home; in the garden; in the living room; on the balcony
den | in the garden; in the hallway; on the street; in the park; in the yard
zoo | at the zoo; in the woods; near the fence; by the river; in the field
shore | on the beach; by the river; near the lake; in the harbor; near the bridge
outdoors | in the park; on the beach; in the woods; by the river; in the field; near the lake
home | in the living room; at the table; in the kitchen; on the stairs; in the hallway; at school
crowd | on the street; at the corner; in front of the station; at the market; at the festival; in the city
podium | on the stage; in the theater; at the party; at the fair; in the hotel; on the terrace
pasture | in the garden; in the yard; in the field; behind the barn; by the river; near the fence
beds | in the bedroom; on the sofa; in the garden; on the beach; on the train; at home
air | in the garden; near the lake; by the river; in the field; in the park; on the balcony
water | in the lake; in the river; in the pool; in the sea; near the bridge; in the harbor
cages | at the zoo; in the woods; near the fence; by the river; near the lake; in the mountains
traffic | on the street; at the corner; near the hotel; in front of the station; on the bridge; in the city
labor | in the workshop; in the field; at the market; in the garden; in the harbor; at the farm
"""

# Groups of nouns that stand together. In every list, "word" is that word with its synonyms and "word*" also
# everything under it; "@name" is a group.
GROUPS = """
grownups | man woman adult person guy lady
kids | child boy schoolboy girl schoolgirl
folk | man guy woman lady adult person child boy schoolboy girl schoolgirl
pets | dog puppy poodle terrier beagle cat tabby
"""

# families: head < children (troponyms), "=" synonyms, "!" between antonymous heads, ";" between unrelated heads,
# "/" other verbs of the scene | subjects > objects | places | "swap" where roles can be exchanged
TRANSITIVE = """
cut < slice, chop ; eat < devour, nibble / peel, wash | @folk > carrot cucumber vegetable apple pear peach mango \
banana melon fruit | kitchen
cut < slice, chop ; cook < fry, grill, roast / peel | @grownups cook chef > onion potato leek eggplant turnip \
cabbage tomato | stove
eat < devour, nibble / order | @folk > strawberry sandwich hamburger cheeseburger pizza omelet cake cupcake \
fruitcake | dining
drink < sip, gulp / order, pour | @grownups > coffee lemonade beer lager cocktail martini margarita beverage | bar
play / hold | @folk musician guitarist violinist > guitar violin banjo flute trumpet drum accordion instrument | stage
repair = fix = mend ; examine < inspect / paint | @grownups mechanic > car taxi sedan limousine convertible truck \
pickup bicycle motorcycle tractor | workshop
drive / park, stop | @grownups > car taxi sedan limousine convertible truck pickup tractor vehicle | street
ride / wash | @folk > bicycle horse pony stallion mare | lane
feed / brush | @folk farmer > dog puppy poodle terrier beagle cat tabby horse pony mare cow goat rabbit | yard
draw < sketch / photograph, watch | @folk artist > bird parrot owl pigeon crow swan dog poodle beagle terrier horse \
pony butterfly beetle bee insect squirrel rabbit | meadow
steer / clean | @grownups sailor > boat ferry motorboat gondola rowboat | lake
clean / decorate | @grownups > house hotel barn building | town
push < shove ! pull < drag / lift | @folk > box crate bag backpack basket bucket chair armchair recliner \
table sofa | moving
fill ! empty | @folk > box crate bag backpack basket bucket bottle jar | larder
throw < toss / catch, drop | @folk > ball basketball football volleyball | play
hold < clutch ; throw < toss / drop | @folk > rock pebble toy doll teddy | play
open ! close = shut ; clean < scrub / paint | @grownups > door gate | doors
wrap ! unwrap / hide | @folk > book textbook cookbook dictionary doll teddy toy bottle sweater cardigan pullover \
coat raincoat scarf | gifts
buy = purchase ! sell / choose | @grownups farmer > vegetable onion carrot radish cabbage fruit apple pear banana \
flower daisy orchid sunflower peony scarf skirt coat raincoat sweater cardigan book cookbook dictionary toy doll \
teddy | shop
read < skim ; write < scribble / translate | @folk student teacher > letter poem sonnet ode | desk
draw < sketch ; paint / photograph | @folk artist painter > house hotel building tree oak pine maple willow flower \
daisy sunflower bridge | easel
build = construct ; repair = fix = mend / demolish | @grownups carpenter farmer soldier > house barn wall fence \
bridge | site
break < shatter ; clean < scrub | @folk > bottle jar window | mishap
sew = stitch / wash, fold | @grownups > shirt skirt scarf vest sweater cardigan pullover jacket coat raincoat | \
laundry
wear / carry, hold | @folk > shirt scarf vest sweater cardigan pullover jacket coat raincoat | outing
hold < clutch ; examine < inspect / carry | @folk > flower daisy orchid sunflower peony book cookbook dictionary \
bag backpack basket bottle | travel
water / plant | @folk gardener > flower daisy orchid sunflower peony tree oak pine maple willow | flowers
climb / touch | @kids man guy woman lady > tree oak pine maple willow wall fence rock boulder | heights
sing < croon / record, write | @folk singer soprano tenor > song ballad hymn | concert
follow < chase / watch, sniff | @pets > dog poodle terrier beagle cat tabby rabbit squirrel bird pigeon crow | hunt \
| swap
follow < chase ; help = assist = aid / photograph, interrupt | @folk > @folk | meeting | swap
push < shove ! pull < drag / tickle, watch | @folk > @folk | playground | swap
photograph / interview, greet | @grownups teacher > singer soprano tenor musician guitarist pianist violinist \
athlete gymnast sprinter swimmer scientist chemist biologist physicist dancer ballerina artist sculptor painter | fame
teach = instruct / praise | teacher man woman lady guy > @kids student gymnast dancer | lesson
frighten = scare / follow, watch | @pets horse pony mare > @folk | scare
rescue / carry | @grownups soldier > @kids @pets | danger
examine / treat, question | doctor surgeon nurse dentist > @folk soldier farmer sailor | hospital
serve / carry | waiter @grownups > sandwich hamburger cheeseburger pizza omelet stew casserole cake cupcake \
fruitcake beer lager cocktail martini margarita coffee | service
guard / watch | @grownups soldier > house hotel building bridge gate boat ferry motorboat | watch
load / unload | @grownups farmer sailor soldier > truck pickup boat ferry motorboat | freight
bake / decorate, taste | @folk cook chef > cake cupcake fruitcake | baking
repair = fix = mend ; examine < inspect / clean | @grownups student > computer laptop violin guitar banjo accordion \
instrument | bench
examine < inspect ; hold < clutch / carry | @grownups > painting watercolor mural photograph | gallery
hug = embrace / wash | @kids @grownups > doll teddy toy puppy poodle dog cat tabby rabbit | nursery
sniff / scratch, lick | @pets > flower daisy sunflower bag backpack ball football chair armchair box crate | den
eat / peel, wash | monkey baboon > banana mango apple pear fruit carrot cucumber vegetable | zoo
pull < drag ! push < shove / lift | @grownups > boat kayak rowboat bicycle | shore
"""

# families as above | subjects | places
INTRANSITIVE = """
walk < stroll, hike, march, limp ; run < sprint, jog / wait | @folk farmer soldier student | outdoors
laugh < giggle, chuckle ; cry = weep < sob ; talk = speak < whisper, mumble / cough | @folk student teacher | home
smile < grin, smirk ; shout < bellow / wave, frown | @folk farmer sailor soldier | crowd
sing < croon, yodel ; dance < waltz, tango / bow | @folk singer soprano dancer ballerina musician | podium
jump = leap ; sleep = slumber < doze / run | @pets horse pony mare stallion goat rabbit | pasture
sleep = slumber < doze ; talk = speak < whisper / sit | @folk toddler soldier | beds
fly / land, rest | bird parrot owl pigeon crow swan eagle insect bee butterfly beetle | air
swim / dive, float | @folk dog poodle terrier beagle | water
sleep = slumber < doze ; jump = leap / eat, stand | monkey baboon bird parrot owl eagle lion tiger elephant bear \
wolf fox kangaroo | cages
stop / turn, wait | car taxi sedan limousine convertible truck pickup bicycle motorcycle tractor | traffic
work < toil / rest | @grownups farmer mechanic craftsman carpenter potter soldier sailor gardener | labor
"""

# What several people do to one and the same thing only by turns: "two girls are eating the apple" is odd.
ALONE = "eat drink ride wear drive serve play hold drop buy wrap cut break"

IRREGULAR_VERBS = """
cut cut cut
eat ate eaten
drink drank drunk
drive drove driven
ride rode ridden
sweep swept swept
throw threw thrown
catch caught caught
hold held held
sell sold sold
buy bought bought
read read read
write wrote written
draw drew drawn
build built built
break broke broken
wear wore worn
sew sewed sewn
sing sang sung
teach taught taught
run ran run
speak spoke spoken
swim swam swum
sleep slept slept
sit sat sat
stand stood stood
fly flew flown
feed fed fed
shut shut shut
choose chose chosen
wake woke woken
hide hid hidden
fling flung flung
weep wept wept
leap leapt leapt
know knew known
see saw seen
find found found
think thought thought
hear heard heard
feel felt felt
understand understood understood
"""

DOUBLING = """
chop cut drag tug hop jog run shut scrub grip sip hum swim sit unwrap wrap grin sob nap drop admit skim stir plan \
hug stop
"""
