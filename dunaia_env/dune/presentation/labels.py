"""The words of the picture in each language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from dunaia_env.dune.presentation.wording.french_names import LEADERS, bare
from dunaia_env.dune.presentation.wording.words import capital
from dunaia_env.support.labels import labelled

_SHORT_LEADERS: Final = {
    "Thufir Hawat": "Hawat",
    "Lady Jessica": "Jessica",
    "Gurney Halleck": "Halleck",
    "Duncan Idaho": "Idaho",
    "Dr. Wellington Yueh": "Dr. Yueh",
    "Feyd-Rautha": "Feyd",
    "Beast Rabban": "Rabban",
    "Piter De Vries": "De Vries",
    "Captain Iakin Nefud": "Nefud",
    "Umman Kudu": "Kudu",
    "Hasimir Fenring": "Fenring",
    "Captain Aramsham": "Aramsham",
    "Shadout Mapes": "Mapes",
    "Master Bewt": "Bewt",
    "Staban Tuek": "Staban",
    "Esmar Tuek": "Esmar",
    "Soo-Soo Sook": "Soo-Soo",
    "Guild Representative": "Guild Rep.",
    "Margot Lady Fenring": "Margot",
    "Wanna Yueh": "Wanna",
    "Mother Ramallo": "Ramallo",
    "Princess Irulan": "Irulan",
}


class Labels(NamedTuple):
    """The words of a language; words with braces are filled in.

    Attributes:
        language: code of the language.
        phases: names of the phases, by the phase of the content.
        decisions: what the deciding player does, by decision.
        cards: names of the treachery cards by kind; ``short_cards`` are names for narrow places.
        leaders: names of the leaders by their printed names, where they differ; ``short_leaders`` are names of leaders
            for narrow places, likewise.
        Others: headings and names; each attribute is named after its text.
    """

    language: str
    title: str
    player: str
    factions: tuple[str, ...]
    phases: dict[str, str]
    decisions: dict[str, str]
    cards: tuple[str, ...]
    short_cards: tuple[str, ...]
    leaders: Mapping[str, str]
    short_leaders: Mapping[str, str]
    types: dict[str, str]
    harvest: str
    decks: str
    battle_title: str
    turn: str
    of_turns: str
    over: str
    battle: str
    fighting: str
    moving: str
    storm: str
    storm_at: str
    wall_stands: str
    wall_gone: str
    shield_wall: str
    last_blow: str
    nothing: str
    sector: str
    cell: str
    tokens: str
    spice: str
    reserve: str
    hand: str
    powers: str
    card_uses: str
    strongholds: str
    tanks: str
    tokens_in_tanks: str
    spice_deck: str
    deck: str
    discards: str
    discarded: str
    to_come: str
    sale: str
    unknown: str
    bid: str
    no_bid: str
    row_left: str
    foreseen: str
    traitors: str
    discs: str
    prediction: str
    pledge: str
    laid: str
    owes: str
    silenced: str
    reviving: str
    dials: str
    allied: str
    first: str
    leader: str
    dead: str
    used: str
    truths: str
    truth: str
    yes: str
    no: str
    won: str

    def labelled(self, label: str, value: object) -> str:
        """A label with its value, see `support.labels`."""
        return labelled(self.language, label, value)


# What is asked in each decision, for tables of all decisions.
ASKED: Final[dict[str, str]] = {
    "PREDICT_WHO": "Bene Gesserit: the faction whose victory it predicts",
    "PREDICT_TURN": "Bene Gesserit: the turn of that victory",
    "TRAITOR": "which of the discs drawn is the seat's traitor",
    "PLACE": "Fremen: tokens on the next cell of their three territories; the last cell gets the rest",
    "WEATHER": "play Weather Control?",
    "WEATHER_DIAL": "how far the storm moves",
    "DIAL": "the seat's part of the storm's move, hidden until both seats have dialled",
    "ATOMICS": "play the Family Atomics?",
    "BLOW_CARDS": "play a thumper, or as Fremen a Karama, before spice cards are drawn?",
    "WORM": "Fremen, after a Karama: where the worm comes",
    "NEXUS_CARDS": "play a Truthtrance or a Cone of Silence?",
    "LEAVE": "leave one's alliance?",
    "PROPOSE": "to whom an alliance is proposed",
    "ANSWER": "accept the proposal?",
    "RIDE": "Fremen: ride the worm?",
    "HARVESTER": "play the Harvester, which doubles the spice just blown?",
    "BIDDING_CARDS": "play a Truthtrance or a Cone of Silence, or lay a card on a seat, before the sales?",
    "RANSOM": "the ransom for the card laid on another seat",
    "PAY": "pay the ransom?",
    "POISONED": "which leader the residual poison kills",
    "GIFT": "Emperor: spice for the ally in question",
    "PLEDGE": "how much of one's spice the allies may spend this turn on bids and landings",
    "BID": "raise the highest bid by so much, take the card for a Karama, or pass",
    "REVIVAL_CARDS": "play a ghola, or a Karama for one's own power?",
    "REVIVE": "tokens revived for spice, beyond those that return without payment",
    "WITHDRAW": "take back the card laid on another seat?",
    "SHIP": "land on a cell, lift tokens from a territory (Guild and its allies), spend a Karama for half the price,"
    " or nothing",
    "SHIP_COUNT": "tokens that land",
    "SHIP_TO": "where the lifted tokens go",
    "COUNT": "tokens of the next cell that join the move, the lift or the ride",
    "ACCOMPANY": "Bene Gesserit: send a token to the Polar Sink?",
    "MOVE_FROM": "the territory from which tokens move, or no move",
    "MOVE_TO": "the cell to which they move",
    "HAJR": "play a Hajr for a second move?",
    "RAISE": "which dead leader comes back for its strength in spice",
    "BATTLE": "the field in which the aggressor fights next, named by its lowest cell",
    "OPPONENT": "against whom",
    "BATTLE_CARDS": "play a Truthtrance or a ghola before the plans?",
    "VOICE": "Bene Gesserit: which kind of card the enemy must play or must not play",
    "LEADER": "the plan's leader, or a cheap hero",
    "WEAPON": "the plan's weapon",
    "DEFENCE": "the plan's defence",
    "NUMBER": "the plan's number",
    "PRESCIENCE": "Atreides: which element of the enemy's plan is shown",
    "TREASON": "call the enemy's leader a traitor?",
    "LOSS": "the winner's losses on the next cell",
    "KEEP": "keep the weapon, or the defence, after a victory?",
    "TRUTH_WHO": "who has to answer the question",
    "TRUTH": "the question: a card held, a traitor, an amount of spice, the prediction's faction or turn",
    "CONE": "who is silenced next",
    "LAY_WHO": "on whom the card is laid",
    "GHOLA": "the leader, or the tokens, that come back from the tanks",
    "SWAP_WHO": "Harkonnen, after a Karama: whose cards it takes",
    "SWAP_COUNT": "how many",
    "GIVE": "a card given in return",
    "KARAMA": "spend a Karama to stop the power in question?",
    "BUY_BACK": "which leader the seat asks the Tleilax to sell",
    "PRICE": "Tleilax: the price, or a refusal",
    "ACCEPT": "pay the price?",
    "TAMPER": "Tleilax: the strength of the leader it sold: 0 weaker, 1 as printed, 2 stronger",
}

ENGLISH: Final = Labels(
    language="en",
    title="Dune",
    player="Player {}",
    factions=("Atreides", "Harkonnen", "Emperor", "Fremen", "Spacing Guild", "Bene Gesserit", "Bene Tleilax"),
    phases={
        "setup": "Set-up",
        "storm": "Storm",
        "blow": "Spice blow",
        "nexus": "Nexus",
        "bidding": "Bidding",
        "revival": "Revival",
        "movement": "Movement",
        "battle": "Battle",
        "over": "End",
    },
    decisions={
        "PREDICT_WHO": "predict who wins",
        "PREDICT_TURN": "predict the turn",
        "TRAITOR": "choose a traitor",
        "PLACE": "place tokens",
        "WEATHER": "play Weather Control?",
        "WEATHER_DIAL": "dial the weather",
        "DIAL": "dial the storm",
        "ATOMICS": "play the Family Atomics?",
        "BLOW_CARDS": "play before the blow?",
        "WORM": "call a worm",
        "NEXUS_CARDS": "play before the nexus?",
        "LEAVE": "leave the alliance?",
        "PROPOSE": "propose an alliance",
        "ANSWER": "answer the proposal",
        "RIDE": "ride the worm?",
        "HARVESTER": "play the Harvester?",
        "BIDDING_CARDS": "play before the bidding?",
        "RANSOM": "ask a ransom",
        "PAY": "pay the ransom?",
        "POISONED": "choose who is poisoned",
        "GIFT": "give spice",
        "PLEDGE": "pledge spice",
        "BID": "bid",
        "REVIVAL_CARDS": "play before revival?",
        "REVIVE": "revive tokens",
        "WITHDRAW": "withdraw the laid card?",
        "SHIP": "ship tokens",
        "SHIP_COUNT": "how many land?",
        "SHIP_TO": "ship where?",
        "COUNT": "how many move?",
        "ACCOMPANY": "accompany them?",
        "MOVE_FROM": "move from where?",
        "MOVE_TO": "move where?",
        "HAJR": "play Hajr?",
        "RAISE": "raise a leader?",
        "BATTLE": "choose a battle",
        "OPPONENT": "choose an enemy",
        "BATTLE_CARDS": "play before the battle?",
        "VOICE": "use the Voice?",
        "LEADER": "choose a leader",
        "WEAPON": "choose a weapon",
        "DEFENCE": "choose a defence",
        "NUMBER": "dial the battle",
        "PRESCIENCE": "use prescience?",
        "TREASON": "call treason?",
        "LOSS": "choose losses",
        "KEEP": "keep the card?",
        "TRUTH_WHO": "ask whom?",
        "TRUTH": "ask what?",
        "CONE": "silence whom?",
        "LAY_WHO": "lay the card on whom?",
        "GHOLA": "revive with the Ghola",
        "SWAP_WHO": "swap with whom?",
        "SWAP_COUNT": "swap how many?",
        "GIVE": "give a card",
        "KARAMA": "stop it with Karama?",
        "BUY_BACK": "buy back a leader?",
        "PRICE": "name the price",
        "ACCEPT": "accept the price?",
        "TAMPER": "change the leader",
    },
    cards=(
        "Projectile weapon",
        "Poison weapon",
        "Lasgun",
        "Shield",
        "Snooper",
        "Cheap hero",
        "Worthless card",
        "Truthtrance",
        "Weather Control",
        "Hajr",
        "Tleilaxu Ghola",
        "Family Atomics",
        "Harvester",
        "Thumper",
        "Cone of Silence",
        "Residual Poison",
        "Karama",
    ),
    short_cards=(
        "Projectile",
        "Poison",
        "Lasgun",
        "Shield",
        "Snooper",
        "Hero",
        "Worthless",
        "Truth",
        "Weather",
        "Hajr",
        "Ghola",
        "Atomics",
        "Harvester",
        "Thumper",
        "Cone",
        "Residual",
        "Karama",
    ),
    leaders={},
    short_leaders=_SHORT_LEADERS,
    types={"sand": "sand", "rock": "rock", "stronghold": "stronghold", "polar_sink": "Polar Sink"},
    harvest="Harvest",
    decks="Decks",
    battle_title="Battle",
    turn="Turn {}",
    of_turns="of {}",
    over="The game is over",
    battle="Battle: {}",
    fighting="attacks",
    moving="moves",
    storm="Storm",
    storm_at="in sector {}",
    wall_stands="stands",
    wall_gone="destroyed",
    shield_wall="Shield Wall",
    last_blow="Last spice blow",
    nothing="none yet",
    sector="sector {}",
    cell="{}, sector {}",
    tokens="{} tokens of {}",
    spice="Spice",
    reserve="Reserve",
    hand="Cards",
    powers="Powers",
    card_uses="What these cards do",
    strongholds="strongholds: {}",
    tanks="Tanks",
    tokens_in_tanks="{} in the tanks",
    spice_deck="Spice deck",
    deck="Treachery",
    discards="Discards",
    discarded="Discarded",
    to_come="Spice cards to come",
    sale="On sale",
    unknown="unseen card",
    bid="{} by {}",
    no_bid="no bid",
    row_left="{} to come",
    foreseen="Next blow: {}",
    traitors="Traitors: {}",
    discs="Drawn: {}",
    prediction="Predicts: {}, turn {}",
    pledge="Pledges {}",
    laid="Laid on {}: {}",
    owes="Owes {} to {}",
    silenced="silenced",
    reviving="Raises its leaders",
    dials="dials the next storm",
    allied="allied with {}",
    first="first",
    leader="leader, strength {}",
    dead="in the tanks",
    used="fights in {}",
    truths="Truths",
    truth="{} asked {}: {}: {}",
    yes="yes",
    no="no",
    won="wins",
)

FRENCH: Final = Labels(
    language="fr",
    title="Dune",
    player="Joueur {}",
    factions=("Atréides", "Harkonnen", "Empereur", "Fremen", "Guilde Spatiale", "Bene Gesserit", "Bene Tleilax"),
    phases={
        "setup": "Mise en place",
        "storm": "Tempête",
        "blow": "Épice",
        "nexus": "Nexus",
        "bidding": "Enchères",
        "revival": "Renaissance",
        "movement": "Mouvement",
        "battle": "Combat",
        "over": "Fin",
    },
    decisions={
        "PREDICT_WHO": "prédire le vainqueur",
        "PREDICT_TURN": "prédire le tour",
        "TRAITOR": "choisir un traître",
        "PLACE": "placer des jetons",
        "WEATHER": "jouer le contrôle du temps\N{NO-BREAK SPACE}?",
        "WEATHER_DIAL": "régler la tempête",
        "DIAL": "régler la tempête",
        "ATOMICS": "jouer les atomiques\N{NO-BREAK SPACE}?",
        "BLOW_CARDS": "jouer avant l’épice\N{NO-BREAK SPACE}?",
        "WORM": "appeler un ver",
        "NEXUS_CARDS": "jouer avant le nexus\N{NO-BREAK SPACE}?",
        "LEAVE": "quitter l’alliance\N{NO-BREAK SPACE}?",
        "PROPOSE": "proposer une alliance",
        "ANSWER": "répondre à la proposition",
        "RIDE": "chevaucher le ver\N{NO-BREAK SPACE}?",
        "HARVESTER": "jouer la moissonneuse\N{NO-BREAK SPACE}?",
        "BIDDING_CARDS": "jouer avant les enchères\N{NO-BREAK SPACE}?",
        "RANSOM": "fixer la rançon",
        "PAY": "payer la rançon\N{NO-BREAK SPACE}?",
        "POISONED": "choisir l’empoisonné",
        "GIFT": "donner de l’épice",
        "PLEDGE": "promettre de l’épice",
        "BID": "enchérir",
        "REVIVAL_CARDS": "jouer avant la renaissance\N{NO-BREAK SPACE}?",
        "REVIVE": "ranimer des jetons",
        "WITHDRAW": "retirer la carte posée\N{NO-BREAK SPACE}?",
        "SHIP": "débarquer",
        "SHIP_COUNT": "combien débarquent\N{NO-BREAK SPACE}?",
        "SHIP_TO": "débarquer où\N{NO-BREAK SPACE}?",
        "COUNT": "combien se déplacent\N{NO-BREAK SPACE}?",
        "ACCOMPANY": "les accompagner\N{NO-BREAK SPACE}?",
        "MOVE_FROM": "partir d’où\N{NO-BREAK SPACE}?",
        "MOVE_TO": "aller où\N{NO-BREAK SPACE}?",
        "HAJR": "jouer Hajr\N{NO-BREAK SPACE}?",
        "RAISE": "ranimer un chef\N{NO-BREAK SPACE}?",
        "BATTLE": "choisir un combat",
        "OPPONENT": "choisir un ennemi",
        "BATTLE_CARDS": "jouer avant le combat\N{NO-BREAK SPACE}?",
        "VOICE": "utiliser la Voix\N{NO-BREAK SPACE}?",
        "LEADER": "choisir un chef",
        "WEAPON": "choisir une arme",
        "DEFENCE": "choisir une défense",
        "NUMBER": "régler le combat",
        "PRESCIENCE": "utiliser la prescience\N{NO-BREAK SPACE}?",
        "TREASON": "crier à la trahison\N{NO-BREAK SPACE}?",
        "LOSS": "choisir les pertes",
        "KEEP": "garder la carte\N{NO-BREAK SPACE}?",
        "TRUTH_WHO": "interroger qui\N{NO-BREAK SPACE}?",
        "TRUTH": "demander quoi\N{NO-BREAK SPACE}?",
        "CONE": "réduire qui au silence\N{NO-BREAK SPACE}?",
        "LAY_WHO": "poser la carte sur qui\N{NO-BREAK SPACE}?",
        "GHOLA": "ranimer par le Ghola",
        "SWAP_WHO": "échanger avec qui\N{NO-BREAK SPACE}?",
        "SWAP_COUNT": "échanger combien\N{NO-BREAK SPACE}?",
        "GIVE": "donner une carte",
        "KARAMA": "l’empêcher par Karama\N{NO-BREAK SPACE}?",
        "BUY_BACK": "racheter un chef\N{NO-BREAK SPACE}?",
        "PRICE": "fixer le prix",
        "ACCEPT": "accepter le prix\N{NO-BREAK SPACE}?",
        "TAMPER": "modifier le chef",
    },
    cards=(
        "Arme à projectile",
        "Arme empoisonnée",
        "Laser",
        "Bouclier",
        "Goûte-poison",
        "Héros bon marché",
        "Carte sans valeur",
        "Transe de vérité",
        "Contrôle du temps",
        "Hajr",
        "Ghola du Tleilax",
        "Atomiques de famille",
        "Moissonneuse",
        "Marteleur",
        "Cône de silence",
        "Poison résiduel",
        "Karama",
    ),
    short_cards=(
        "Projectile",
        "Poison",
        "Laser",
        "Bouclier",
        "Goûteur",
        "Héros",
        "Sans valeur",
        "Vérité",
        "Temps",
        "Hajr",
        "Ghola",
        "Atomiques",
        "Moisson",
        "Marteleur",
        "Cône",
        "Résiduel",
        "Karama",
    ),
    leaders={printed: capital(bare(name)) for printed, name in LEADERS.items()},
    short_leaders=_SHORT_LEADERS
    | {
        "Caid": "Caïd",
        "Dr. Wellington Yueh": "Dr Yueh",
        "Guild Representative": "Représ.",
        "Face Dancer": "Danseur",
    },
    types={"sand": "sable", "rock": "roche", "stronghold": "forteresse", "polar_sink": "Cuvette Polaire"},
    harvest="Récolte",
    decks="Pioches",
    battle_title="Combat",
    turn="Tour {}",
    of_turns="sur {}",
    over="La partie est finie",
    battle="Combat\N{NO-BREAK SPACE}: {}",
    fighting="attaque",
    moving="joue",
    storm="Tempête",
    storm_at="secteur {}",
    wall_stands="intact",
    wall_gone="détruit",
    shield_wall="Mur du Bouclier",
    last_blow="Dernière épice",
    nothing="pas encore",
    sector="secteur {}",
    cell="{}, secteur {}",
    tokens="{} jetons de {}",
    spice="Épice",
    reserve="Réserve",
    hand="Cartes",
    powers="Pouvoirs",
    card_uses="À quoi servent ces cartes",
    strongholds="forteresses\N{NO-BREAK SPACE}: {}",
    tanks="Cuves",
    tokens_in_tanks="{} dans les cuves",
    spice_deck="Pile d’épice",
    deck="Traîtrise",
    discards="Défausse",
    discarded="Défaussées",
    to_come="Cartes d’épice à venir",
    sale="En vente",
    unknown="carte cachée",
    bid="{} par {}",
    no_bid="pas d’enchère",
    row_left="{} à venir",
    foreseen="Prochaine\N{NO-BREAK SPACE}: {}",
    traitors="Traîtres\N{NO-BREAK SPACE}: {}",
    discs="Tirés\N{NO-BREAK SPACE}: {}",
    prediction="Prédit\N{NO-BREAK SPACE}: {}, tour {}",
    pledge="Promet {}",
    laid="Posée sur {}\N{NO-BREAK SPACE}: {}",
    owes="Doit {} à {}",
    silenced="au silence",
    reviving="Ranime ses chefs",
    dials="règle la prochaine tempête",
    allied="allié à {}",
    first="premier",
    leader="chef, force {}",
    dead="dans les cuves",
    used="se bat\N{NO-BREAK SPACE}: {}",
    truths="Vérités",
    truth="{} à {}\N{NO-BREAK SPACE}: {}\N{NO-BREAK SPACE}: {}",
    yes="oui",
    no="non",
    won="gagne",
)

LABELS: Final = {"en": ENGLISH, "fr": FRENCH}
