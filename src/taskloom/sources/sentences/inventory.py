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
    "INTRANSITIVE",
    "IRREGULAR_VERBS",
    "MURKY",
    "NOUNS",
    "NOUN_ANTONYMS",
    "PLACES",
    "TRANSITIVE",
]

NOUNS = """
person/people = individual
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
    cellist
    flutist
    trumpeter
    drummer
  athlete
    gymnast
    runner
      sprinter
    swimmer
    skier
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
    astronomer
  dancer
    ballerina
  singer
    soprano
    tenor
  craftsman/craftsmen
    potter
    carpenter
    weaver
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
  sheep/sheep
  cow
  pig
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
  lemon
  mango
  melon
  pineapple
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
  helicopter
  tractor
  airplane = plane
instrument
  guitar
  piano
  violin = fiddle
  cello
  drum
  trumpet
  flute
  harp
  accordion
  banjo
chair
  armchair
    recliner
sofa = couch
table
  desk
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
ladder
weapon
  sword
  spear
"""

NOUN_ANTONYMS = """
man woman
boy girl
"""

# Neither clearly excluded nor entailed by the inventory: a pair of words from the two sides is never asked.
MURKY = """
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
dish | sandwich cake
tomato cucumber eggplant | fruit
ball | toy
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
cook fry grill roast bake prepare | cook
teach instruct | teacher
play tune | musician
repair fix mend | mechanic craftsman
build construct sew stitch | craftsman
water plant | gardener
serve | waiter
steer | sailor
examine treat | doctor nurse dentist
guard march | soldier
read write recite | student
"""

# kind: the words, synonyms joined by "=", the two sides of an antonymy by "!"; then the nouns they go with.
# "relative" adjectives measure by the noun (a big mouse is no big animal), "absolute" ones do not.
ADJECTIVES = """
relative | big = large ! small = little | dog cat horse bird monkey rabbit goat elephant bear box bag basket bottle \
bucket tree house boat rock truck table
relative | famous = renowned / unknown | singer artist musician scientist dancer athlete
relative | wide = broad ! narrow | bridge table gate window door fence
relative | expensive ! cheap = inexpensive | car guitar piano violin sofa chair skirt coat computer bicycle
absolute | sick = ill / healthy | man woman child boy girl dog cat horse
absolute | red | car truck bicycle box bag shirt skirt coat flower apple boat ball
absolute | blue | car truck bicycle box bag shirt skirt coat boat ball bottle
absolute | green | car truck bicycle box bag shirt skirt bottle boat ball
absolute | white | dog cat horse rabbit car truck house shirt skirt flower bird
absolute | black | dog cat horse rabbit car truck shirt skirt piano bird coat
absolute | brown | dog horse rabbit bear monkey bag coat
absolute | yellow | car bicycle shirt skirt flower boat box bird
absolute | wooden | chair table box boat gate fence door ladder bridge
"""

PLACES = """
kitchen | in the kitchen; at the table
home | in the living room; at home; in the garden; on the balcony; in the bedroom
garden | in the garden; in the yard; in the park; behind the house
outdoors | in the park; on the beach; in the woods; by the river; in the field; near the lake
street | on the street; in front of the station; at the corner; in the city
stage | on the stage; in the theater; at the festival; in the street
water | in the lake; in the river; in the pool; in the sea
classroom | in the library; at school; in the classroom
workshop | in the workshop; in the garage; in the yard
hospital | in the hospital; in the clinic
shop | at the market; in the shop; at the fair
anywhere | in the park; near the lake; in the yard; on the street; by the river
"""

# family: parent < children (troponyms), "=" synonyms, "!" antonyms, "/" other verbs of the same scene
# | subjects > objects | places | "swap" where the roles can be exchanged and the exchange matters
TRANSITIVE = """
cut < slice, chop, dice / peel, wash | person > vegetable fruit | kitchen
cook < fry, grill, roast / cut, wash | person > vegetable | kitchen
eat < devour, nibble / peel, wash, cut | person > fruit vegetable | home
eat < devour, nibble / prepare | person > sandwich cake dish | home
eat / sniff, bury | dog cat monkey rabbit > fruit vegetable | garden
drink < sip, gulp / pour, order, spill | adult musician athlete artist cook doctor scientist dancer singer craftsman \
farmer soldier sailor teacher > beverage | home
prepare / order, serve | person > dish sandwich | kitchen
prepare / order, serve, spill | adult musician athlete artist cook doctor scientist dancer singer craftsman \
farmer soldier sailor teacher > beverage | home
play / tune, carry, sell | musician adult child > instrument | stage
repair = fix = mend / paint, sell | person > vehicle | workshop
repair = fix = mend / paint, clean | person > fence wall gate chair table | garden
drive / park, wash, inspect | adult cook farmer teacher > car truck tractor | street
ride / repair, lift | person > bicycle motorcycle | street
ride / feed, brush, wash | person > horse elephant | outdoors
steer / paint, clean | person > boat | water
clean < sweep, scrub, vacuum / decorate | person > building | anywhere
clean < scrub / carry, paint | person > table chair | home
pull < drag ! push < shove / lift | person > box bag container truck car | street
push < shove ! pull < drag | person > bicycle box chair table | garden
throw < toss, fling / catch | person > ball rock toy | outdoors
kick / catch, carry | child athlete man woman > ball | outdoors
lift = raise ! lower | person > box bag container ladder chair | workshop
open ! close = shut / paint | person > door window box | home
open ! close = shut / paint, inspect | person > gate door | garden
fill ! empty / carry, wash | person > container | home
lock ! unlock / open | person > door house | home
lock ! unlock / wash, inspect | adult cook farmer teacher sailor > car truck | street
load / unload, drive | adult farmer soldier > truck boat | street
wrap ! unwrap / carry, hide | person > box book toy bottle | home
buy = purchase ! sell | person > vegetable fruit flower garment instrument book toy | shop
read < skim / write, sell | person > book poem letter | classroom
write < scribble, scrawl / read, recite | person > letter poem song | classroom
draw < sketch / photograph | person > tree building animal flower boat | outdoors
paint / photograph, sketch | artist adult child > tree flower boat horse house | outdoors
build = construct / demolish | adult craftsman soldier farmer > house bridge barn wall fence | anywhere
break < shatter / paint, clean | person > bottle window jar | home
wear / fold, iron, wash | person > garment | home
sew = stitch / wash, fold | person > garment | home
hold < clutch, grasp / drop | person > ball bottle bag basket toy flower book | anywhere
carry / hold, drop, hide | person > box bag ladder basket toy book | anywhere
water / plant, photograph | person > tree flower | garden
climb / paint, photograph | person > tree wall fence ladder | garden
climb / sniff, scratch | cat monkey squirrel > tree wall fence | garden
sing < croon, yodel / write, translate | singer adult child > song | stage
examine < inspect / repair, buy | person > vehicle instrument computer | workshop
chase / watch | dog cat > dog cat bird rabbit squirrel | garden | swap
follow < chase, track / frighten | person dog cat horse > person dog cat horse | outdoors | swap
watch / feed, photograph | person > animal | outdoors
push < shove ! pull < drag / lift, carry | child adult athlete > child adult athlete | garden | swap
help = assist = aid / interrupt, photograph | person > person | anywhere | swap
teach = instruct / interview, help | adult teacher musician artist > child athlete dancer | classroom
tickle / carry, lift, photograph | child adult > child adult | home | swap
frighten = scare / follow, wake | dog cat horse monkey > person dog cat horse | outdoors | swap
rescue / photograph, carry | person > person dog cat horse | water | swap
examine / treat, interview | doctor nurse dentist > person | hospital
feed / brush, wash, photograph | person > dog cat horse | garden
feed / watch, photograph | person > bird rabbit goat cow pig sheep | garden
photograph / interview, paint, follow | person > person | stage | swap
guard / photograph, inspect | soldier adult sailor > building bridge gate person | anywhere
guide / photograph, interview | adult soldier teacher sailor > person | street | swap
"""

# family as above | subjects | places
INTRANSITIVE = """
walk < stroll, march, limp, hike, tiptoe / sit, stand, dance | person | outdoors
run < sprint, jog / sit, rest | person | outdoors
run / sleep, drink | horse | outdoors
run / sleep, rest, play | dog cat rabbit fox wolf lion tiger elephant | outdoors
jump = leap < hop / sit, sleep | child athlete rabbit dog kangaroo | garden
talk = speak < whisper, mumble / sleep, dance | person | home
laugh < giggle, chuckle / cry, sleep | person | home
cry = weep < sob / laugh, sing | person | home
smile < grin, smirk / frown, sing | person | stage
sing < yodel, croon / dance, sit | person | stage
dance < waltz, tango / sit, sing | person | stage
sleep = slumber < nap, doze / eat, play | person dog cat | home
fly < soar, hover / sit, sing, eat | bird | outdoors
swim / dive, stand | person dog | water
shout < bellow / sing, laugh | person | street
cook < bake, fry / sleep, sing | person | kitchen
work < toil / rest, sleep | person | workshop
eat < nibble / sleep, swim | person dog cat rabbit | garden
"""

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
chop cut drag tug hop jog run shut scrub grip sip hum swim sit unwrap wrap grin sob nap drop admit skim stir plan
"""
