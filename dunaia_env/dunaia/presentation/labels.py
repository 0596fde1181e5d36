"""The words of the picture in each language."""

from __future__ import annotations

from typing import Final, NamedTuple

from dunaia_env.support.labels import labelled


class Labels(NamedTuple):
    """The words of a language; words with braces are filled in.

    Attributes:
        language: code of the language.
        decisions: what the deciding player does, by decision.
        Others: headings and names; each attribute is named after its text.
    """

    language: str
    colours: tuple[str, str, str, str]
    player: str
    round: str
    final_round: str
    last_round: str
    over: str
    stopped: str
    decisions: dict[str, str]
    left: str
    dice: str
    hand: str
    markers: str
    offers: str
    below: str
    elders: str
    elder: str
    prophecies: str
    elder_names: tuple[str, str, str, str, str]
    characters: tuple[str, str, str, str, str, str]
    powers: tuple[str, str, str, str, str, str]
    choose_character: str
    found_tiles: str
    flowers: str
    tokens: str
    artefacts: str
    fragments: str
    chips: str
    plugged: str
    plugged_count: str
    reserve: str
    reserved: str
    used: str
    building: str
    level: str
    completed: str
    steps: str
    empty: str
    edge: str
    dunaia: str
    chip: str
    die: str
    own_die: str
    flip: str
    pile: str
    prophecy: str
    owner: str
    free: str
    points: str
    met: str
    score: str

    def labelled(self, label: str, value: object) -> str:
        """A label with its value, see `support.labels`."""
        return labelled(self.language, label, value)


ENGLISH: Final = Labels(
    language="en",
    colours=("green", "yellow", "purple", "red"),
    player="Player {}",
    round="Round {}",
    final_round="round {} is the last",
    last_round="last round",
    over="The game is over",
    stopped="stopped at the round limit",
    decisions={
        "DRAFT": "choose a character",
        "CHOOSE_DIE": "choose a die",
        "AWAKEN": "wake a Dunaia: which square first?",
        "RECYCLE": "recycle the die",
        "BEFORE_PROPHECY": "before the prophecies",
        "END_TURN": "end of the turn",
        "MOVE": "move a Dunaia",
        "PLUG": "plug a chip",
        "DISCARD": "pay with a chip",
        "ADVANCE": "advance a building",
        "SEARCH": "take a tile from a pile",
        "PLACE": "place the tile found",
        "COLOUR": "place a colour marker",
    },
    left="{} left",
    dice="Dice",
    hand="In hand",
    markers="Markers",
    offers="Buildings on offer",
    below="{} below",
    elders="Elders",
    elder="Elder",
    prophecies="Prophecies",
    elder_names=("Flowers", "Moves", "Advance", "Search", "Colour"),
    characters=("Merchant", "Trickster", "Foreman", "Mystic", "Shepherd", "Architect"),
    powers=(
        "buildings cost {} less",
        "may turn the chosen die over",
        "once a turn: pay {} to advance {}",
        "once a turn: chips −{}, flowers +{}, moves {}",
        "at the end of a turn: move the Dunaia woken",
        "at the end of a turn: reserve a building",
    ),
    choose_character="Characters to choose from",
    found_tiles="Tiles that can be found",
    flowers="Flowers",
    tokens="Tokens",
    artefacts="Artefacts",
    fragments="Fragments",
    chips="Chips",
    plugged="plugged",
    plugged_count="{} plugged",
    reserve="in reserve",
    reserved="Reserved",
    used="used",
    building="Building",
    level="level {}",
    completed="completed",
    steps="{} of {} steps",
    empty="empty square",
    edge="Place",
    dunaia="Dunaia {}",
    chip="Chip {}",
    die="Die showing {}",
    own_die="Own die showing {}",
    flip="Turn {} over",
    pile="top of the pile",
    prophecy="Prophecy",
    owner="owner",
    free="free",
    points="{} points",
    met="condition met by {}",
    score="points",
)

FRENCH: Final = Labels(
    language="fr",
    colours=("vert", "jaune", "mauve", "rouge"),
    player="Joueur {}",
    round="Tour de table {}",
    final_round="le tour de table {} est le dernier",
    last_round="dernier tour de table",
    over="La partie est finie",
    stopped="arrêtée à la limite de tours",
    decisions={
        "DRAFT": "choisir un personnage",
        "CHOOSE_DIE": "choisir un dé",
        "AWAKEN": "réveiller un Dunaïa : quel emplacement d’abord\N{NO-BREAK SPACE}?",
        "RECYCLE": "recycler le dé",
        "BEFORE_PROPHECY": "avant les prophéties",
        "END_TURN": "fin du tour",
        "MOVE": "déplacer un Dunaïa",
        "PLUG": "enficher une puce",
        "DISCARD": "payer avec une puce",
        "ADVANCE": "avancer un bâtiment",
        "SEARCH": "prendre une tuile d’une pile",
        "PLACE": "placer la tuile trouvée",
        "COLOUR": "poser un marqueur de couleur",
    },
    left="reste {}",
    dice="Dés",
    hand="En main",
    markers="Marqueurs",
    offers="Bâtiments disponibles",
    below="{} dessous",
    elders="Anciens",
    elder="Ancien",
    prophecies="Prophéties",
    elder_names=("Fleurs", "Déplacer", "Avancer", "Chercher", "Couleur"),
    characters=("Marchand", "Filou", "Contremaître", "Mystique", "Berger", "Architecte"),
    powers=(
        "les bâtiments coûtent {} de moins",
        "peut retourner le dé choisi",
        "une fois par tour\N{NO-BREAK SPACE}: payer {} pour avancer {}",
        "une fois par tour\N{NO-BREAK SPACE}: puces −{}, fleurs +{}, déplacements {}",
        "en fin de tour\N{NO-BREAK SPACE}: déplacer le Dunaïa réveillé",
        "en fin de tour\N{NO-BREAK SPACE}: réserver un bâtiment",
    ),
    choose_character="Personnages au choix",
    found_tiles="Tuiles que l’on peut trouver",
    flowers="Fleurs",
    tokens="Jetons",
    artefacts="Artefacts",
    fragments="Fragments",
    chips="Puces",
    plugged="enfichée",
    plugged_count="enfichées\N{NO-BREAK SPACE}: {}",
    reserve="en réserve",
    reserved="Réservée",
    used="utilisé",
    building="Bâtiment",
    level="niveau {}",
    completed="construit",
    steps="{} cases sur {}",
    empty="emplacement libre",
    edge="Place",
    dunaia="Dunaïa {}",
    chip="Puce {}",
    die="Dé montrant {}",
    own_die="Dé personnel montrant {}",
    flip="Retourner le {}",
    pile="sommet de la pile",
    prophecy="Prophétie",
    owner="à",
    free="libre",
    points="{} points",
    met="condition remplie par {}",
    score="points",
)

LABELS: Final = {"en": ENGLISH, "fr": FRENCH}
