"""The nouns, adjectives and names of the phrasebook, by the classes that say what goes with what."""

from dataclasses import dataclass
from typing import no_type_check


@no_type_check
@dataclass(frozen=True)
class Noun:
    """A French noun and its English, one singular and one plural each; pairs link their words."""

    french: tuple[tuple[str, ...], tuple[str, ...]]
    english: tuple[tuple[str, ...], tuple[str, ...]]
    gender: str
    kind: str
    pairs: tuple[tuple[int, int], ...]

    @property
    def lemma(self) -> str:
        return " ".join(self.french[0])


@dataclass(frozen=True)
class Adjective:
    """A French adjective (four forms), its English, and the kinds of noun that it fits."""

    french: tuple[str, str, str, str]
    english: str
    place: str
    kinds: tuple[str, ...]

    def agree(self, gender: str, plural: bool) -> str:
        return self.french[2 * plural + (gender == "f")]


# kind: "french gender english" entries; `_` joins words; `:0-1,2-0` links them one by one instead of all with all.
NOUNS = """
person: garçon m boy; fille f girl; homme m man; femme f woman; enfant m child; médecin m doctor;
 professeur m teacher;
 roi m king; reine f queen; boulanger m baker; voleur m thief; clown m clown; maire m mayor; juge m judge;
 chanteuse f singer; actrice f actress; infirmière f nurse; serveuse f waitress; soldat m soldier; avocat m lawyer;
 sorcière f witch; peintre m painter; facteur m postman; danseuse f dancer; touriste m tourist; invité m guest;
 directrice f headmistress; princesse f princess; élève m pupil; policier m policeman; dentiste m dentist;
 pompier m fireman; jardinier m gardener; étudiant m student; écrivain m writer; héros m hero;
 professeur_de_musique m music_teacher:0-1,2-0; joueur_de_football m football_player:0-1,2-0;
 chauffeur_de_taxi m taxi_driver:0-1,2-0
kin: frère m brother; sœur f sister; mère f mother; père m father; oncle m uncle; tante f aunt; ami m friend;
 voisin m neighbour; cousine f cousin; grand-mère f grandmother; grand-père m grandfather; nièce f niece;
 neveu m nephew
animal: chat m cat; chien m dog; cheval m horse; oiseau m bird; vache f cow; souris f mouse; poule f hen;
 lapin m rabbit;
 agneau m lamb; loup m wolf; âne m donkey; hérisson m hedgehog; tortue f tortoise; chèvre f goat; canard m duck
dish: pomme f apple; poire f pear; orange f orange; gâteau m cake; œuf m egg; tomate f tomato; carotte f carrot;
 tarte_aux_pommes f apple_pie:0-1,1-0,2-0; pomme_de_terre f potato; fraise f strawberry; biscuit m biscuit;
 sandwich m sandwich; glace_à_la_vanille f vanilla_ice_cream:0-1,0-2,3-0; salade_de_fruits f fruit_salad:0-1,2-0
food: pain m bread; fromage m cheese; viande f meat; riz m rice; poisson m fish; poulet m chicken; soupe f soup;
 beurre m butter; chocolat m chocolate; miel m honey
drink: eau f water; lait m milk; café m coffee; thé m tea; vin m wine; bière f beer; limonade f lemonade;
 jus_de_orange m orange_juice:0-1,2-0; jus_de_pomme m apple_juice:0-1,2-0
text: livre m book; lettre f letter; journal m newspaper; roman m novel; poème m poem; carte_postale f postcard;
 article m article; message m message; bande_dessinée f comic_book:0-1,1-0
clothes: chapeau m hat; manteau m coat; chemise f shirt; robe f dress; chaussure f shoe; écharpe f scarf;
 veste f jacket;
 jupe f skirt; gant m glove; robe_de_soie f silk_dress:0-1,2-0; chaussette f sock; pull m jumper;
 chapeau_de_paille m straw_hat:0-1,2-0; maillot_de_bain m swimsuit
vehicle: voiture f car; vélo m bicycle; bateau m boat; camion m lorry; moto f motorbike; avion m plane; autobus m bus
device: lampe f lamp; télévision f television; radio f radio; ordinateur m computer;
 machine_à_laver f washing_machine:0-1,2-0;
 four m oven; réveil m alarm_clock
door: porte f door; fenêtre f window; boîte f box; tiroir m drawer; valise f suitcase; parapluie m umbrella;
 armoire f wardrobe;
 portail m gate
object: clé f key; ballon m ball; fleur f flower; montre f watch; couteau m knife; assiette f plate;
 verre m glass; sac m bag;
 bague f ring; cadeau m present; miroir m mirror; photo f photo; jouet m toy; stylo m pen; tasse f cup;
 chaise f chair;
 bouteille f bottle; tableau m painting; panier m basket; bijou m jewel; peigne m comb; appareil_photo m camera;
 brosse_à_dents f toothbrush; couverture f blanket; hache f axe; tapis m carpet;
 table_de_cuisine f kitchen_table:0-1,2-0; balle_de_tennis f tennis_ball:0-1,2-0
instrument: guitare f guitar; piano m piano; violon m violin; flûte f flute; harpe f harp; tambour m drum
building: maison f house; château m castle; hôtel m hotel; église f church; école f school; musée m museum;
 tour f tower;
 hôpital m hospital; usine f factory; restaurant m restaurant; magasin m shop; bibliothèque f library;
 gare_routière f bus_station:0-1,1-0; pont m bridge; salle_de_bains f bathroom; cuisine f kitchen; chambre f bedroom
outside: jardin m garden; forêt f forest; parc m park; rue f street; ville f town; village m village; île f island;
 désert m desert; champ m field; marché m market; plage f beach; montagne f mountain; gare f station
idea: question f question; réponse f answer; problème m problem; vérité f truth; règle f rule; exercice m exercise;
 leçon f lesson; chanson f song; mot m word; nom m name
tale: histoire f story; secret m secret; légende f legend; blague f joke; aventure f adventure
plan: projet m project; idée f idea; rêve m dream; enquête f investigation; voyage m trip
"""

FRENCH_PLURALS = {"bijou": "bijoux", "maillot": "maillots"}
ENGLISH_PLURALS = {
    "man": "men", "woman": "women", "child": "children", "thief": "thieves", "mouse": "mice",
    "policeman": "policemen", "fireman": "firemen", "postman": "postmen", "knife": "knives", "hero": "heroes",
    "scarf": "scarves", "tomato": "tomatoes", "potato": "potatoes", "wolf": "wolves",
}  # fmt: skip

# french masculine[/feminine] english : kinds. Before the noun, the second group after it, the third nationalities.
BEFORE = """
petit small: person animal dish text clothes vehicle device door object instrument building outside
grand/grande big: animal dish vehicle device door object building outside
beau/belle beautiful: animal clothes vehicle door object building outside instrument
vieux/vieille old: person animal tale text clothes vehicle device door object instrument building
nouveau/nouvelle new: text clothes vehicle device object instrument idea plan building
jeune young: person animal
bon/bonne good: dish food drink text idea plan
joli pretty: clothes object outside instrument
mauvais bad: idea text plan
"""
AFTER = """
rouge red: clothes vehicle door object
vert green: clothes vehicle door object
bleu blue: clothes vehicle door object
noir black: animal clothes vehicle door object instrument
blanc/blanche white: animal clothes vehicle door object building
jaune yellow: clothes vehicle door object
gris/grise grey: animal clothes vehicle door
triste sad: person
heureux/heureuse happy: person
riche rich: person
pauvre poor: person
célèbre famous: person text building
intelligent clever: person animal
paresseux/paresseuse lazy: person animal
honnête honest: person
gentil/gentille kind: person
timide shy: person
fatigué tired: person animal
malade sick: person animal
sale dirty: animal clothes vehicle door object outside building
propre clean: clothes vehicle door object building
cher/chère expensive: clothes vehicle device object instrument
rapide fast: vehicle animal
lourd heavy: door object device
difficile difficult: text idea plan
facile easy: idea text
étrange strange: text idea tale plan person
important important: text idea plan
chaud hot: drink
froid cold: drink
sucré sweet: drink
frais/fraîche fresh: food dish
vide empty: door outside building
tranquille quiet: outside person building
dangereux/dangereuse dangerous: animal vehicle outside
sauvage wild: animal
amusant funny: text tale
utile useful: device idea object
"""
NATIONS = """
français French: person text clothes vehicle food
italien/italienne Italian: person text clothes vehicle food instrument
anglais English: person text vehicle
japonais Japanese: person text device vehicle
espagnol Spanish: person text instrument
américain American: person text vehicle device
allemand German: person vehicle device
"""

# Names are the same in both languages; who is masculine settles his and her.
NAMES = {"pierre": "m", "paul": "m", "antoine": "m", "hugo": "m", "louis": "m",
         "marie": "f", "julie": "f", "sophie": "f", "alice": "f", "emma": "f"}  # fmt: skip


def french_plural(word: str) -> str:
    """Return the plural of a French noun or masculine adjective."""
    if word in FRENCH_PLURALS or word[-1] in "sxz":
        return FRENCH_PLURALS.get(word, word)
    if word.endswith(("au", "eu")) and word != "bleu":
        return word + "x"
    return word[:-2] + "aux" if word.endswith("al") else word + "s"


def english_plural(word: str) -> str:
    """Return the plural of an English noun."""
    if word in ENGLISH_PLURALS:
        return ENGLISH_PLURALS[word]
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"


def french_noun_plural(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a French compound's plural: its head is first, an adjective after it agrees."""
    tail = words[1:]
    if len(tail) == 1 and tail[0] != "photo":
        tail = (french_plural(tail[0]),)
    return ("grands-" + words[0][6:] + "s",) if words[0].startswith("grand-") else (french_plural(words[0]), *tail)


def english_noun_plural(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return an English compound's plural: its head is last."""
    return (*words[:-1], english_plural(words[-1]))


def read_noun(entry: str, kind: str) -> Noun:
    """Return the noun that one entry of the table describes."""
    french, gender, english = entry.split()
    english, _, links = english.partition(":")
    source, target = tuple(french.split("_")), tuple(english.split("_"))
    pairs = [(i, j) for i in range(len(source)) for j in range(len(target))]
    if links:
        pairs = [(int(link[0]), int(link[2])) for link in links.split(",")]
    return Noun((source, french_noun_plural(source)), (target, english_noun_plural(target)), gender, kind, tuple(pairs))


def read_nouns(table: str) -> tuple[Noun, ...]:
    """Return all nouns of the table."""
    nouns, kind = [], ""
    for entry in table.replace("\n ", " ").replace("\n", ";").split(";"):
        if ":" in entry.split(" ")[0]:
            kind, entry = entry.split(":", 1)
        if entry.strip():
            nouns.append(read_noun(entry, kind))
    return tuple(nouns)


def read_adjectives(table: str, place: str) -> tuple[Adjective, ...]:
    """Return the adjectives of one table; the feminine is written only where it is more than an added e."""
    adjectives = []
    for line in table.strip().splitlines():
        words, kinds = line.split(":")
        french, english = words.split()
        masculine, _, feminine = french.partition("/")
        feminine = feminine or (masculine if masculine.endswith("e") else masculine + "e")
        forms = (masculine, feminine, french_plural(masculine), feminine + "s")
        adjectives.append(Adjective(forms, english.lower(), place, tuple(kinds.split())))
    return tuple(adjectives)


ALL_NOUNS = read_nouns(NOUNS)
ALL_ADJECTIVES = (
    *read_adjectives(BEFORE, "before"),
    *read_adjectives(AFTER, "after"),
    *read_adjectives(NATIONS, "nation"),
)
