"""Hand-made situations: who does what to what, and where.

Verbs come in families that share their subjects, objects and places, so that every sentence of a line makes sense. The
words themselves stand in `inventory`.
"""

from __future__ import annotations

__all__ = ["GROUPS", "INTRANSITIVE", "PLACES", "TRANSITIVE"]

PLACES = """
stove | in the kitchen; at home; in the restaurant; in the hotel; at the farm
kitchen | in the kitchen; at the table; on the terrace; at home; in the garden
dining | in the cafe; at the table; on the terrace; in the restaurant; in the hotel
bar | at the bar; in the cafe; on the terrace; in the restaurant; in the hotel
stage | on the stage; in the theater; at the festival; at school; in the living room
workshop | in the workshop; in the garage; in the yard; behind the house; in front of the house
street | on the street; in the city; in front of the station; at the corner; near the hotel
lane | in the park; by the river; in the village; near the lake; behind the barn
yard | in the garden; in the yard; behind the house; near the barn; at the farm
meadow | in the park; near the lake; in the garden; by the river; in the field
lake | on the lake; on the river; in the harbor; near the bridge; near the island
town | in the city; near the lake; by the river; at the corner; in the village
moving | in the yard; in the hallway; in the garage; in the living room; behind the house
larder | in the kitchen; at home; in the garden; at the market; in the barn
play | in the park; on the beach; in the yard; in the field; near the lake
doors | at home; at the farm; at school; at the hotel; in the village
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
scare | in the yard; at the farm; behind the barn; in the field; near the fence
danger | by the river; near the lake; in the woods; on the beach; in the village
hospital | in the hospital; in the clinic; in the ward; in the infirmary; in the emergency room
service | in the restaurant; at the bar; on the terrace; in the hotel; at the festival
watch | by the river; near the lake; in the harbor; in the city; in the village
freight | in the harbor; behind the hotel; near the hotel; at the station; at the farm
baking | in the kitchen; at home; in the bakery; in the restaurant; in the hotel
bench | in the workshop; at school; in the shop; in the garage; at home
gallery | in the museum; in the living room; in the hallway; at school; in the hotel
nursery | in the bedroom; at home; in the garden; in the living room; on the balcony
den | in the living room; in the hallway; on the balcony; in the kitchen; at home
zoo | at the zoo; in the woods; near the fence; by the river; in the park
shore | on the beach; by the river; near the lake; in the harbor; near the bridge
outdoors | in the park; on the beach; in the woods; by the river; in the field; near the lake
home | in the living room; at the table; in the kitchen; on the stairs; in the hallway; at school
crowd | on the street; at the corner; in front of the station; at the market; at the festival; in the city
podium | on the stage; in the theater; at the party; at the fair; in the hotel; on the terrace
pasture | in the garden; in the yard; in the field; behind the barn; by the river; near the fence
beds | in the bedroom; on the sofa; in the garden; on the beach; on the train; at home
air | in the garden; near the lake; by the river; in the field; in the park; in the woods
water | in the lake; in the river; in the pool; in the sea; near the bridge; in the harbor
cages | at the zoo; behind the fence; in the cage; in the shade; on the grass; near the water
traffic | on the street; at the corner; near the hotel; in front of the station; on the bridge; in the city
labor | in the field; in the garden; at the farm; in the orchard; in the vineyard; in the greenhouse
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
# "/" other verbs of the scene | subjects > objects | places | what the scene allows:
#   swap      the roles can be exchanged, and the exchange matters
#   together  several do it to one and the same thing ("three men push the sofa", but no three carry a puppy)
#   several   one does it to several things ("the boy fills two jars", but nobody rides two horses)
TRANSITIVE = """
cut < slice, chop ; eat < devour / peel | @folk > carrot cucumber vegetable apple pear peach mango fruit | kitchen \
| several
cut < slice, chop ; cook < fry, grill, roast | @grownups cook chef > onion potato leek eggplant tomato \
| stove | several
eat < devour, nibble / order | @folk > sandwich hamburger cheeseburger pizza omelet cake cupcake fruitcake | dining
drink < sip, gulp / order, pour | @grownups > coffee lemonade beer lager cocktail martini margarita beverage | bar
play / hold | @folk musician student > guitar violin banjo flute trumpet drum accordion instrument | stage
repair = fix ; examine < inspect / paint | @grownups mechanic > car taxi sedan limousine convertible truck pickup \
bicycle motorcycle tractor | workshop | together several
drive / park, stop | @grownups > car taxi sedan limousine convertible truck pickup vehicle | street
ride / mount | @folk > bicycle horse pony stallion mare | lane
feed / brush | @folk farmer > dog puppy poodle terrier beagle cat tabby horse pony mare cow goat rabbit | yard | several
draw < sketch / photograph, watch | @folk artist > bird pigeon crow swan dog poodle beagle terrier horse pony \
butterfly beetle insect squirrel rabbit | meadow | together several
steer / clean | @grownups sailor > boat ferry motorboat gondola rowboat | lake
clean / decorate | @grownups > house hotel building | town | together
push < shove ! pull < drag / lift | @grownups > crate table sofa armchair recliner | moving | together
pull < drag ! push < shove / lift | @folk > box chair | moving
fill ! empty | @folk > box crate bag backpack basket bucket bottle jar | larder | several
throw < toss / catch, drop | @folk > ball basketball football volleyball | play
hold < clutch ; throw < toss / drop | @kids > rock pebble toy doll teddy | play | several
open ! close = shut ; clean < scrub / paint | @grownups > door gate window | doors | several
wrap ! unwrap / hide | @folk > book cookbook dictionary doll teddy toy sweater cardigan pullover coat scarf | gifts \
| several
buy = purchase ! sell / choose | @grownups > vegetable onion carrot radish cabbage fruit apple pear banana \
flower daisy orchid sunflower peony scarf skirt coat raincoat sweater cardigan book cookbook dictionary toy doll \
teddy | shop | several
read < skim ; write < scribble / translate | @grownups student teacher > letter poem sonnet ode | desk | several
draw < sketch ; paint / photograph | @folk artist painter > house building tree oak pine maple willow flower daisy \
sunflower | easel | together several
build = construct ; repair = fix / demolish | @grownups carpenter farmer soldier > house barn wall fence | site \
| together
break < shatter ; clean < scrub | @kids > bottle jar window | mishap | several
sew = stitch / iron, fold | @grownups > shirt skirt scarf vest jacket coat | laundry | several
wear / carry, hold | @folk > shirt scarf vest sweater cardigan pullover jacket coat raincoat | outing
hold < clutch ; examine < inspect / carry | @folk > book cookbook dictionary bag backpack basket bottle letter \
| travel | several
water / plant | @folk gardener > flower daisy orchid sunflower peony tree oak pine maple willow | flowers | several
climb / touch | @kids > tree oak pine maple willow wall fence rock boulder | heights | together
sing < croon / record | @grownups singer soprano tenor > song ballad | concert | together several
follow < chase / watch | @pets > dog poodle terrier beagle cat tabby rabbit squirrel bird pigeon crow | hunt \
| swap together several
follow ; help = assist = aid / photograph, greet | @folk > @folk | meeting | swap together several
push < shove ! pull < drag / tickle, watch | @kids > @kids | playground | swap together
photograph / interview, greet | @grownups teacher > singer soprano tenor musician guitarist pianist violinist \
athlete gymnast sprinter swimmer scientist chemist biologist physicist dancer ballerina artist sculptor painter | fame \
| together several
teach = instruct / praise | teacher man woman lady guy > @kids student | lesson | several
frighten = scare / follow, watch | dog terrier beagle horse stallion mare > @folk | scare | together several
rescue / comfort | @grownups soldier > @kids @pets | danger | several
examine / treat, question | doctor surgeon nurse > @folk soldier farmer sailor | hospital | together several
serve / carry | waiter @grownups > sandwich hamburger cheeseburger pizza omelet stew casserole cake cupcake \
fruitcake beer lager cocktail martini margarita coffee | service | several
guard / inspect | @grownups soldier > house hotel building bridge gate | watch | together
load / unload | @grownups farmer soldier > car sedan truck pickup vehicle | freight | together several
bake / decorate, taste | @grownups cook chef > cake cupcake fruitcake | baking | several
repair = fix ; examine < inspect / clean | @grownups student > computer laptop violin guitar banjo accordion \
instrument | bench | several
examine < inspect ; hold < clutch / carry | @grownups > painting watercolor photograph | gallery | several
hug = embrace / comfort | @kids > doll teddy toy puppy poodle dog cat tabby rabbit | nursery | several
sniff / scratch | @pets > bag backpack basket box crate chair armchair sofa | den | together
eat / steal, drop | monkey baboon > banana mango apple pear fruit carrot cucumber vegetable | zoo | several
pull < drag ! push < shove | @grownups > boat kayak rowboat bicycle | shore | together
"""

# families as above | subjects | places
INTRANSITIVE = """
walk < stroll, hike, march ; run < sprint, jog / wait | @folk soldier student | outdoors
laugh < giggle, chuckle ; cry = weep < sob ; talk = speak < whisper, mumble / cough | @folk student teacher | home
smile < grin, smirk ; shout < bellow / wave, frown | @folk farmer sailor soldier | crowd
sing < croon ; dance < waltz / bow | @grownups singer soprano musician | podium
jump = leap ; sleep = slumber < doze / run | @pets horse pony mare stallion goat rabbit | pasture
sleep = slumber < doze ; talk = speak < whisper / sit | @folk toddler | beds
fly / land, rest | bird owl pigeon crow swan insect bee butterfly beetle | air
swim / dive, float | @folk | water
sleep = slumber < doze / eat, drink | bird parrot owl eagle lion tiger elephant bear monkey baboon wolf fox \
kangaroo | cages
stop / turn | car taxi sedan limousine convertible truck pickup bicycle motorcycle | traffic
work < toil / rest | @grownups farmer gardener | labor
work < toil / rest | @grownups mechanic craftsman carpenter potter | workshop
"""
