"""The hand-made word inventory behind generated sentences: nouns, adjectives and the forms of verbs.

Nouns form a taxonomy by indentation: a word entails every word it stands under. Words joined by
``=`` are synonyms; irregular plurals follow a slash. What people do with them stands in
`situations`. The tests hold every relation below against WordNet and every inflected form against an independent
morphology.
"""

from __future__ import annotations

__all__ = [
    "ADJECTIVES",
    "AGENTS",
    "DOUBLING",
    "IRREGULAR_VERBS",
    "NOUNS",
    "NOUN_ANTONYMS",
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
sing croon | singer musician
dance waltz | dancer
swim dive | swimmer athlete
run sprint jog | runner athlete
paint draw sketch | artist
cook fry grill roast bake | cook
teach instruct | teacher
play | musician
repair fix | mechanic craftsman
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
relative | wide = broad | bridge gate
relative | cheap = inexpensive | car guitar violin sofa chair skirt coat computer bicycle bag book table \
laptop jacket shirt
relative | elderly = aged | farmer teacher sailor singer artist musician painter scientist
relative | slim = slender | man woman lady boy girl singer dancer artist painter teacher nurse
relative | plump = chubby | man woman boy girl child dog cat rabbit puppy
absolute | dirty = soiled | bag bucket chair table window car truck
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
steal stole stolen
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
