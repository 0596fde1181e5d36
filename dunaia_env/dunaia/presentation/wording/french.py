"""Dunaïa in French."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from dunaia_env.dunaia import roles, state as layout
from dunaia_env.dunaia.presentation.wording import french_pieces
from dunaia_env.dunaia.presentation.wording.words import Words
from dunaia_env.support.french import typeset

COLOUR_NAMES = ("vert", "jaune", "mauve", "rouge")
CHARACTER_NAMES = ("le marchand", "le filou", "le contremaître", "le mystique", "le berger", "l'architecte")
ELDER_NAMES = (
    "l'Ancien des fleurs",
    "l'Ancien des déplacements",
    "l'Ancien de la construction",
    "l'Ancien de la fouille",
    "l'Ancien des couleurs",
)


def count(amount: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``0 fleur``, ``1 fleur``, ``2 fleurs``; every word of the noun takes an s."""
    if amount < 2:
        return f"{amount} {noun}"
    return f"{amount} {plural or ' '.join(f'{word}s' for word in noun.split())}"


def listed(words: Iterable[object]) -> str:
    """An enumeration: ``1, 2 et 3``."""
    *rest, final = map(str, words)
    return f"{', '.join(rest)} et {final}" if rest else final


def of(name: str) -> str:
    """``de`` before a name with its article: ``du marchand``, ``de l'architecte``."""
    return f"du {name.removeprefix('le ')}" if name.startswith("le ") else f"de {name}"


_SIDES = ("en haut", "à droite", "en bas", "à gauche")
_ONCE = "Une fois par tour, avant ou après n'importe quelle phase,"

TEXTS = {
    # Words.
    "player": "Joueur {seat}",
    "place": "entre les emplacements {squares}",
    "moves.one": "{moves} de Dunaïa",
    "moves.many": "jusqu'à {moves} de Dunaïas",
    "chips.one": "la puce {chips}",
    "chips.many": "les puces {chips}",
    "nothing": "rien",
    "no_condition": "aucune condition",
    "multicoloured": "multicolore",
    "all_sides": "des quatre côtés",
    "tile": "niveau {level} {colours}",
    "tile.gives": "rapporte {gain}",
    "tile.steps": "à construire en {steps}",
    "tile.arrows.one": "chevron {colour} {sides} +{gain}",
    "tile.arrows.many": "chevrons {colour}s {sides} +{gain}",
    "offer.displayed": "la tuile exposée ({tile})",
    "offer.top": "la tuile au sommet de la pile ({tile})",
    "offer.reserved": "la tuile réservée ({tile})",
    "offer.found": "la tuile trouvée ({tile})",
    f"power_of_elder.{layout.ELDER_FLOWERS}": "{flowers}",
    f"power_of_elder.{layout.ELDER_MOVES}": "{moves}",
    f"power_of_elder.{layout.ELDER_ADVANCE}": "{advances} de construction",
    f"power_of_elder.{layout.ELDER_SEARCH}": "n'importe quelle tuile d'une pile, à payer et à placer",
    f"power_of_elder.{layout.ELDER_COLOUR}": "un marqueur de couleur sur un de ses bâtiments",
    f"power_of_character.{layout.MERCHANT}": "Les bâtiments coûtent {discount} de moins au marchand.",
    f"power_of_character.{layout.TRICKSTER}": "Le filou peut retourner sur sa face opposée le dé qu'il choisit.",
    f"power_of_character.{layout.FOREMAN}": (
        f"{_ONCE} le contremaître peut payer {{cost}} pour {{advances}} de construction d'un de ses bâtiments."
    ),
    f"power_of_character.{layout.MYSTIC}": (
        f"{_ONCE} le mystique peut défausser {{chips}} de son choix pour {{gains}}."
    ),
    f"power_of_character.{layout.SHEPHERD}": (
        "À la fin de son tour, le berger peut déplacer le Dunaïa qu'il a réveillé."
    ),
    f"power_of_character.{layout.ARCHITECT}": (
        "À la fin de son tour, l'architecte peut réserver une des six tuiles, s'il n'en a pas déjà une en réserve, et"
        " l'acheter lors d'un tour suivant au prix le plus bas de son niveau."
    ),
    "shape.1": "trois bâtiments construits alignés, en ligne ou en colonne",
    "shape.2": "un bâtiment construit de chaque niveau",
    "shape.3": "un bâtiment construit dans chaque coin",
    # Questions and rules.
    "question.DRAFT": "Personnages d'élite : lequel choisir ?",
    "question.CHOOSE_DIE": "Phase 1 : quel dé choisir ?",
    "question.AWAKEN": "Phase 2 : le Dunaïa {die} se réveille. Quel emplacement d'abord ?",
    "question.RECYCLE": "Phase 3 : comment recycler le dé {die} ?",
    "question.BEFORE_PROPHECY": "Avant la phase 4 : appeler un Ancien, utiliser un pouvoir ou passer aux prophéties ?",
    "question.END_TURN": "Fin du tour : appeler un Ancien, utiliser un pouvoir ou finir ?",
    "question.MOVE": "Quel Dunaïa déplacer, et où ? (reste {moves})",
    "question.PLUG": "Quelle puce enficher ? (reste {chips})",
    "question.DISCARD": "Quelle puce défausser ? (reste {discards})",
    "question.ADVANCE": "Quelle construction avancer ? (reste {advances})",
    "question.SEARCH": "Quelle tuile prendre dans les piles ?",
    "question.PLACE": "Où placer la tuile trouvée ?",
    "question.COLOUR": "Quel marqueur de couleur, et sur quel bâtiment ?",
    "question.OVER": "La partie est terminée.",
    "rules.DRAFT": (
        "Chacun prend un personnage d'élite, en sens inverse du tour de jeu : le dernier joueur commence. Il reste un"
        " personnage à la fin."
    ),
    "rules.CHOOSE_DIE": (
        "Choisissez un dé noir disponible ; le dé à votre couleur seulement quand il n'y a plus de dé noir. Sa valeur"
        " désigne le Dunaïa à réveiller. On peut faire appel aux Anciens avant ou après n'importe quelle phase."
    ),
    "rules.AWAKEN": (
        "Les deux emplacements à côté du Dunaïa font effet, dans l'ordre de votre choix. Emplacement vide : une fleur,"
        " ou la puce de même valeur que le Dunaïa. Bâtiment en construction : une avancée. Bâtiment construit de"
        " niveau 2 : son effet, et celui de chaque chevron tourné vers un bâtiment construit de sa couleur. Bâtiment"
        " construit de niveau 1 ou 3 : rien. Si le premier effet déplace le Dunaïa réveillé, le second est perdu."
    ),
    "rules.RECYCLE": (
        "Le dé se recycle d'une seule façon : prendre une fleur, enficher une puce, déplacer un Dunaïa, démarrer une"
        " construction (payer son prix en fleurs et y placer un marqueur de construction), ou utiliser un bâtiment"
        " construit de niveau 1 sans dé. Chez un adversaire, il faut donner une fleur au propriétaire."
    ),
    "rules.BEFORE_PROPHECY": (
        "On peut encore faire appel aux Anciens, et certains personnages ont un pouvoir à utiliser, avant de prendre"
        " les prophéties. Une prophétie se prend d'elle-même quand sa condition est remplie à la phase 4 de votre"
        " tour."
    ),
    "rules.END_TURN": (
        "Après les prophéties, on peut encore faire appel aux Anciens, et certains personnages ont un pouvoir à"
        " utiliser."
    ),
    "rules.MOVE": (
        "Un Dunaïa à la fois va entre deux autres emplacements ; il n'y en a jamais plus de {most} au même endroit."
        " Vous pouvez vous arrêter à tout moment ; les déplacements restants sont alors perdus.{waking}"
    ),
    "rules.PLUG": "Enfichez une puce de la réserve sur votre plateau. Il y en a une de chaque valeur.",
    "rules.DISCARD": "Une puce défaussée retourne dans la réserve. {cost}",
    "rules.ADVANCE": (
        "Un bâtiment en construction avance d'une case. À la dernière, il est construit et son marqueur revient."
    ),
    "rules.SEARCH": (
        "Prenez n'importe quelle tuile d'une pile que vous pouvez payer, au prix de la pile. La pile est ensuite"
        " mélangée."
    ),
    "rules.PLACE": "La tuile trouvée se paie et se place, en construction, sur un emplacement vide de votre choix.",
    "rules.COLOUR": (
        "Un marqueur donne à un de vos bâtiments une couleur de plus pour les chevrons tournés vers lui. Il ne change"
        " jamais les chevrons du bâtiment lui-même."
    ),
    "rules.OVER": (
        "On a compté les bâtiments construits, les chevrons de ceux de niveau 3, les prophéties, les artefacts et les"
        " fleurs. À égalité de points, le plus grand nombre de prophéties l'emporte, puis le plus grand nombre de"
        " fleurs ; sinon, la victoire est partagée."
    ),
    "cost_of_the_power": "Le pouvoir du mystique coûte {chips} de votre choix.",
    "cost_of_calls": "Un appel coûte les deux puces indiquées et une troisième de votre choix.",
    "second_effect.lost": " Le Dunaïa {dunaia} s'est déplacé : l'effet de l'emplacement {square} est perdu.",
    "second_effect.at_stake": " Si le Dunaïa {dunaia} se déplace, l'effet de l'emplacement {square} est perdu.",
    # Actions.
    "draft": "{do:choisit|choisir} {character}",
    "take": "{do:prend|prendre} un dé de valeur {face}",
    "take_flipped": "{do:prend|prendre} un dé de valeur {face} et le {do:retourne|retourner} sur {turned}",
    "awaken": "{do:réveille|réveiller} le Dunaïa {dunaia}, l'emplacement {square} d'abord",
    "flower": "{do:recycle|recycler} le dé contre une fleur",
    "use.own": "{do:recycle|recycler} le dé sur {do:son|votre} bâtiment de l'emplacement {square} ({tile})",
    "use.others": (
        "{do:recycle|recycler} le dé sur le bâtiment de {player}, emplacement {square} ({tile}), contre une fleur"
        " donnée à {player}"
    ),
    "start": "{do:démarre|démarrer} la construction de {tile} pour {flowers} sur l'emplacement {square}",
    "move": "{do:déplace|déplacer} le Dunaïa {dunaia} {place}",
    "plug": "{do:enfiche|enficher} {chips}",
    "discard": "{do:défausse|défausser} {chips}",
    "advance": "{do:avance|avancer} le bâtiment de l'emplacement {square} ({tile}) à {steps} sur {needed}",
    "call": "{do:fait|faire} appel à {elder} avec les puces {chips} et une autre ({use})",
    "fragment_only": "pour le fragment seulement : le pouvoir serait sans effet",
    "search": "{do:prend|prendre} dans sa pile, pour {flowers} : {tile}",
    "colour": "{do:place|placer} un marqueur {colour} sur le bâtiment de l'emplacement {square}",
    f"use_power.{layout.FOREMAN}": "{do:utilise|utiliser} le pouvoir du contremaître : {flowers} pour {advances}",
    f"use_power.{layout.MYSTIC}": "{do:utilise|utiliser} le pouvoir du mystique : {chips} contre {gains}",
    "reserve": "{do:réserve|réserver} {tile}",
    "decline.BEFORE_PROPHECY": "{do:passe|passer} aux prophéties",
    "decline.END_TURN": "{do:termine son|terminer le} tour",
    "decline.MOVE": "{do:arrête de déplacer ses|ne plus déplacer de} Dunaïas",
    "decline.ADVANCE": "{do:n'avance|n'avancer} aucune construction",
    "decline.SEARCH": "{do:ne prend|ne prendre} aucune tuile",
    "decline.COLOUR": "{do:ne prend|ne prendre} aucun marqueur de couleur",
    # What happened.
    "event.character": "joue {character}",
    "event.die": "prend un dé de valeur {face}",
    "event.own_die": "prend le dé à sa couleur, de valeur {face}, car il n'y a plus de dé noir",
    "event.forced_die.to_seat": "vous avez dû prendre le {face} : il ne restait aucune autre valeur",
    "event.own_die.to_seat": "vous avez dû prendre le dé à votre couleur, le {face} : il ne restait plus de dé noir",
    "event.start": "démarre la construction d'une tuile ({tile}) sur l'emplacement {square}",
    "event.advance": "avance le bâtiment de l'emplacement {square} à {steps} sur {needed}",
    "event.completed": "achève le bâtiment de l'emplacement {square}",
    "event.marker": "place un marqueur {colour} sur le bâtiment de l'emplacement {square}",
    "event.occupied": "reçoit un dé sur le bâtiment de l'emplacement {square}",
    "event.gains": "gagne {flowers} (en a maintenant {now})",
    "event.pays": "paie {flowers} (en a maintenant {now})",
    "event.fragment": "prend le fragment {elder}",
    "event.artefact": "achève un artefact, le numéro {artefact}",
    "event.reserved": "réserve une tuile ({tile})",
    "event.prophecy": "prend la prophétie « {condition} » ({points})",
    "event.tile_on_display": "une nouvelle tuile est exposée : {tile}",
    "event.tile_on_top": "une nouvelle tuile apparaît au sommet de la pile : {tile}",
    "event.empty_display": "il n'y a plus de tuile exposée au niveau {level}",
    "event.empty_pile": "il n'y a plus de tuile au sommet de la pile au niveau {level}",
    "event.end": "la fin de partie est déclenchée : le tour de table {round} est le dernier",
    "event.over": "la partie est terminée",
    "event.stopped": "la partie est arrêtée à sa limite de tours et décomptée",
    "event.round": "le tour de table {round} commence",
    "event.last_round": "dernier tour : le tour de table {round} commence, et la partie se termine avec lui",
    "event.roll": "les dés sont relancés : dés noirs {dice}",
    "event.roll_with_own": "les dés sont relancés : dés noirs {dice} ; dés de couleur {own}",
    "no_dice": "aucun",
}

_NOUNS = {
    "advance": ("avancée", ""),
    "chip": ("puce", ""),
    "complete artefact": ("artefact complet", ""),
    "completed building": ("bâtiment construit", ""),
    "construction token": ("marqueur de construction", "marqueurs de construction"),
    "flower": ("fleur", ""),
    "fragment": ("fragment", ""),
    "metal flower": ("fleur de métal", "fleurs de métal"),
    "move": ("déplacement", ""),
    "plugged chip": ("puce enfichée", ""),
    "point": ("point", ""),
    "step": ("case", ""),
    "tile below": ("tuile", ""),
}

_SQUARES = (
    *("en haut à gauche", "en haut", "en haut à droite"),
    *("à gauche", "au centre", "à droite"),
    *("en bas à gauche", "en bas", "en bas à droite"),
)

WORDS = Words(
    texts=TEXTS | french_pieces.TEXTS,
    nouns=_NOUNS,
    squares=_SQUARES,
    sides=_SIDES,
    colours=COLOUR_NAMES,
    characters=CHARACTER_NAMES,
    elders=ELDER_NAMES,
    elder_whose=lambda elder: of(ELDER_NAMES[elder]),
    counted=count,
    enumerated=listed,
    typeset=typeset,
)

OPTIONS = MappingProxyType(
    {
        name: (typeset(title), typeset(help_text))
        for name, (title, help_text) in {
            "num_players": ("Joueurs", "Le nombre de joueurs autour de la table."),
            "elites": (
                "Personnages d'élite",
                "Avant la partie, chacun prend un personnage doté d'un pouvoir, le dernier joueur en premier.",
            ),
            "max_rounds": (
                "Limite de tours de table",
                "Une partie qui n'est pas finie après autant de tours de table est arrêtée et décomptée.",
            ),
            "characters": (
                "Personnages",
                (
                    f"Qui joue quel personnage d'élite : {layout.DRAFTED} au choix des joueurs, {layout.DEALT} au"
                    f" hasard, ou un chiffre par joueur, de 1 pour {CHARACTER_NAMES[0]} à {layout.CHARACTERS} pour"
                    f" {CHARACTER_NAMES[-1]}, et {roles.NO_CHARACTER} pour aucun."
                ),
            ),
        }.items()
    }
)

# What to point at next, by the kind of piece.
PROMPTS = {
    "square": "Choisissez un emplacement.",
    "edge": "Choisissez entre quels emplacements il se place.",
}
