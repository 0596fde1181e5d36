"""Dunaïa in French: questions, reminders of the rules, actions and what happened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import GAIN_ADVANCES, Components
from dunaia_env.dunaia.presentation.wording import changes, facts
from dunaia_env.dunaia.presentation.wording.facts import values
from dunaia_env.dunaia.roles import NO_CHARACTER
from dunaia_env.dunaia.state import NONE
from dunaia_env.harness.presentation import Change, Event

Content = Mapping[str, Any]

COLOUR_NAMES = ("vert", "jaune", "mauve", "rouge")
CHARACTER_NAMES = ("le marchand", "le filou", "le contremaître", "le mystique", "le berger", "l'architecte")
ELDER_NAMES = (
    "l'Ancien des fleurs",
    "l'Ancien des déplacements",
    "l'Ancien de la construction",
    "l'Ancien de la fouille",
    "l'Ancien des couleurs",
)
_GAINS = ("fleur", "puce", "déplacement", "avancée", "point")
_SIDES = ("en haut", "à droite", "en bas", "à gauche")


# Words.


def typeset(text: str) -> str:
    """A text with the apostrophes and the unbreakable spaces of French typography."""
    text = text.replace("'", "’")
    return re.sub(r" (?=[:;?!»])|(?<=«) ", "\u00a0", text)


def count(amount: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``0 fleur``, ``1 fleur``, ``2 fleurs``; every word of the noun takes an s."""
    if amount < 2:
        return f"{amount} {noun}"
    return f"{amount} {plural or ' '.join(f'{word}s' for word in noun.split())}"


def listed(words: Iterable[object]) -> str:
    """An enumeration: ``1, 2 et 3``."""
    *rest, final = map(str, words)
    return f"{', '.join(rest)} et {final}" if rest else final


def gain(amount: int, kind: int) -> str:
    """A gain in short: ``2 fleurs``."""
    return count(amount, _GAINS[kind])


def moves(amount: int) -> str:
    """Moves that a player may make: ``1 déplacement de Dunaïa``, ``jusqu'à 2 déplacements de Dunaïas``."""
    return "1 déplacement de Dunaïa" if amount == 1 else f"jusqu'à {count(amount, 'déplacement')} de Dunaïas"


def chips(numbers: Iterable[int]) -> str:
    """Chips by their numbers: ``la puce 3``, ``les puces 1 et 2``."""
    found = list(numbers)
    return f"les puces {listed(found)}" if len(found) > 1 else f"la puce {found[0]}"


def of(name: str) -> str:
    """``de`` before a name with its article: ``du marchand``, ``de l'architecte``."""
    return f"du {name.removeprefix('le ')}" if name.startswith("le ") else f"de {name}"


def player(seat: int) -> str:
    """What a seat is called."""
    return f"Joueur {seat}"


def colours(mask: int) -> str:
    """A set of colours: ``vert``, ``vert et rouge``, ``multicolore``."""
    found = facts.colours_of(mask)
    return "multicolore" if len(found) == layout.COLOURS else listed(COLOUR_NAMES[colour] for colour in found)


def sides(found: Iterable[int]) -> str:
    """Sides of a tile: ``en haut et à gauche``, ``des quatre côtés``."""
    where = tuple(found)
    return "des quatre côtés" if len(where) == layout.SIDES else listed(_SIDES[side] for side in where)


def arrow_group(group: facts.Arrows) -> str:
    """Arrows that differ only in their sides: ``chevrons verts en haut et en bas``."""
    plural = "s" if len(group.sides) > 1 else ""
    return f"chevron{plural} {COLOUR_NAMES[group.colour]}{plural} {sides(group.sides)}"


def tile(number: int, components: Components) -> str:
    """A tile in a few words: level, colour, effect and arrows."""
    printed = values(components)
    parts = [f"niveau {printed.level[number] + 1} {colours(printed.colours[number])}"]
    if printed.effect[number] != NONE:
        effect = gain(printed.amount[number], printed.effect[number])
        # Without the verb, the advances would read like the advances that complete the building.
        parts.append(f"rapporte {effect}" if printed.effect[number] == GAIN_ADVANCES else effect)
    steps = facts.own_steps(number, components)
    if steps:
        parts.append(f"à construire en {count(steps, 'case')}")
    parts += [f"{arrow_group(group)} +{gain(group.amount, group.gain)}" for group in facts.arrows(number, components)]
    return ", ".join(parts)


def elder_power(elder: int, components: Components) -> str:
    """The power of an elder in a few words."""
    printed = values(components)
    return {
        layout.ELDER_FLOWERS: count(printed.elder_flowers, "fleur"),
        layout.ELDER_MOVES: moves(printed.elder_moves),
        layout.ELDER_ADVANCE: f"{count(printed.elder_advances, 'avancée')} de construction",
        layout.ELDER_SEARCH: "n'importe quelle tuile d'une pile, à payer et à placer",
        layout.ELDER_COLOUR: "un marqueur de couleur sur un de ses bâtiments",
    }[elder]


def character_power(character: int, components: Components) -> str:
    """The power of a character, a whole sentence."""
    printed = values(components)
    once = "Une fois par tour, avant ou après n'importe quelle phase,"
    return {
        layout.MERCHANT: f"Les bâtiments coûtent {count(printed.merchant_discount, 'fleur')} de moins au marchand.",
        layout.TRICKSTER: "Le filou peut retourner sur sa face opposée le dé qu'il choisit.",
        layout.FOREMAN: (
            f"{once} le contremaître peut payer {count(printed.foreman_cost, 'fleur')} pour"
            f" {count(printed.foreman_advances, 'avancée')} de construction d'un de ses bâtiments."
        ),
        layout.MYSTIC: (
            f"{once} le mystique peut défausser {count(printed.mystic_chips, 'puce enfichée')} de son choix pour"
            f" {_mystic_gains(components)}."
        ),
        layout.SHEPHERD: "À la fin de son tour, le berger peut déplacer le Dunaïa qu'il a réveillé.",
        layout.ARCHITECT: (
            "À la fin de son tour, l'architecte peut réserver une des six tuiles, s'il n'en a pas déjà une en réserve,"
            " et l'acheter lors d'un tour suivant au prix le plus bas de son niveau."
        ),
    }[character]


def _mystic_gains(components: Components) -> str:
    printed = values(components)
    gains = [count(printed.mystic_flowers, "fleur")] if printed.mystic_flowers else []
    if printed.mystic_moves:
        gains.append(moves(printed.mystic_moves))
    return listed(gains) if gains else "rien"


def prophecy_condition(prophecy: int, components: Components) -> str:
    """The condition of a prophecy in a few words."""
    printed = values(components)
    parts = []
    if printed.prophecy_buildings[prophecy]:
        parts.append(count(printed.prophecy_buildings[prophecy], "bâtiment construit"))
    if printed.prophecy_flowers[prophecy]:
        parts.append(count(printed.prophecy_flowers[prophecy], "fleur"))
    if printed.prophecy_artefacts[prophecy]:
        parts.append(count(printed.prophecy_artefacts[prophecy], "artefact complet"))
    shapes = (
        "trois bâtiments construits alignés, en ligne ou en colonne",
        "un bâtiment construit de chaque niveau",
        "un bâtiment construit dans chaque coin",
    )
    if printed.prophecy_shape[prophecy]:
        parts.append(shapes[printed.prophecy_shape[prophecy] - 1])
    return listed(parts)


# Questions and rules.

QUESTIONS = {
    "DRAFT": "Personnages d'élite : lequel choisir ?",
    "CHOOSE_DIE": "Phase 1 : quel dé choisir ?",
    "AWAKEN": "Phase 2 : le Dunaïa {die} se réveille. Quel emplacement d'abord ?",
    "RECYCLE": "Phase 3 : comment recycler le dé {die} ?",
    "BEFORE_PROPHECY": "Avant la phase 4, les prophéties : autre chose ?",
    "END_TURN": "Fin du tour : autre chose ?",
    "MOVE": "Quel Dunaïa déplacer, et où ? (reste {moves})",
    "PLUG": "Quelle puce enficher ? (reste {chips})",
    "DISCARD": "Quelle puce défausser ? (reste {discards})",
    "ADVANCE": "Quelle construction avancer ? (reste {advances})",
    "SEARCH": "Quelle tuile prendre dans les piles ?",
    "PLACE": "Où placer la tuile trouvée ?",
    "COLOUR": "Quel marqueur de couleur, et sur quel bâtiment ?",
    "OVER": "La partie est terminée.",
}

RULES = {
    "DRAFT": (
        "Chacun prend un personnage d'élite, en sens inverse du tour de jeu : le dernier joueur commence. Il reste un"
        " personnage à la fin."
    ),
    "CHOOSE_DIE": (
        "Choisissez un dé noir disponible ; le dé à votre couleur seulement quand il n'y a plus de dé noir. Sa valeur"
        " désigne le Dunaïa à réveiller. On peut faire appel aux Anciens avant ou après n'importe quelle phase."
    ),
    "AWAKEN": (
        "Les deux emplacements à côté du Dunaïa font effet, dans l'ordre de votre choix. Emplacement vide : une fleur,"
        " ou la puce de même valeur que le Dunaïa. Bâtiment en construction : une avancée. Bâtiment construit de"
        " niveau 2 : son effet, et celui de chaque chevron tourné vers un bâtiment construit de sa couleur. Bâtiment"
        " construit de niveau 1 ou 3 : rien. Si le premier effet déplace le Dunaïa réveillé, le second est perdu."
    ),
    "RECYCLE": (
        "Le dé sert une seule fois : prendre une fleur, enficher une puce, déplacer un Dunaïa, démarrer une"
        " construction (payer son prix en fleurs et y placer un marqueur de construction), ou utiliser un bâtiment"
        " construit de niveau 1 sans dé. Chez un adversaire, il faut donner une fleur au propriétaire."
    ),
    "BEFORE_PROPHECY": (
        "On peut encore faire appel aux Anciens, et certains personnages ont un pouvoir à utiliser, avant de prendre"
        " les prophéties. Une prophétie se prend d'elle-même quand sa condition est remplie à la phase 4 de votre"
        " tour."
    ),
    "END_TURN": (
        "Après les prophéties, on peut encore faire appel aux Anciens, et certains personnages ont un pouvoir à"
        " utiliser."
    ),
    "MOVE": (
        "Un Dunaïa à la fois va entre deux autres emplacements ; il n'y en a jamais plus de {most} au même endroit."
        " Vous pouvez vous arrêter à tout moment ; les déplacements restants sont alors perdus.{waking}"
    ),
    "PLUG": "Enfichez une puce de la réserve sur votre plateau. Il y en a une de chaque valeur.",
    "DISCARD": "Une puce défaussée retourne dans la réserve. {cost}",
    "ADVANCE": (
        "Un bâtiment en construction avance d'une case. À la dernière, il est construit et son marqueur revient."
    ),
    "SEARCH": (
        "Prenez n'importe quelle tuile d'une pile que vous pouvez payer, au prix de la pile. La pile est ensuite"
        " mélangée."
    ),
    "PLACE": "La tuile trouvée se paie et se place, en construction, sur un emplacement vide de votre choix.",
    "COLOUR": (
        "Un marqueur donne à un de vos bâtiments une couleur de plus pour les chevrons tournés vers lui. Il ne change"
        " jamais les chevrons du bâtiment lui-même."
    ),
    "OVER": (
        "On a compté les bâtiments construits, les chevrons de ceux de niveau 3, les prophéties, les artefacts et les"
        " fleurs. À égalité de points, le plus grand nombre de prophéties l'emporte, puis le plus grand nombre de"
        " fleurs ; sinon, la victoire est partagée."
    ),
}


def question(content: Content, components: Components) -> str:
    """What the deciding player is asked."""
    return typeset(QUESTIONS[content["decision"]].format(**facts.left(content)))


def rules(content: Content, components: Components) -> str:
    """A reminder of the rules for the present decision and of the power of the deciding player's character."""
    pending, waking = content["pending"], ""
    if pending.get("source") == "power":
        cost = f"Le pouvoir du mystique coûte {count(values(components).mystic_chips, 'puce')} de votre choix."
    else:
        cost = "Un appel coûte les deux puces indiquées et une troisième de votre choix."
    if "second_square" in pending:
        moved = f"Le Dunaïa {content['woken']} s'est déplacé :" if pending.get("woken_moved") else ""
        if_moved = moved or f"Si le Dunaïa {content['woken']} se déplace,"
        waking = f" {if_moved} l'effet de l'emplacement {pending['second_square']} est perdu."
    text = RULES[content["decision"]].format(most=layout.MOST_ON_AN_EDGE, cost=cost, waking=waking)
    character = facts.helping_character(content)
    return typeset(text if character == NONE else f"{text} {character_power(character, components)}")


# Actions.


def sentence(action: str, content: Content, components: Components) -> str:
    """What an action (its text) does, as a clause without its subject."""
    verb, *words = action.split()
    owner = content["players"][content["seat"]]
    return typeset(_SENTENCES[verb](content, owner, components, *map(int, words)))


def offer(content: Content, seat: int, number: int, components: Components) -> str:
    """A tile offered to a seat: ``la tuile exposée (niveau 1 vert, 3 fleurs)``."""
    what = {layout.RESERVED_OFFER: "réservée", layout.FOUND_OFFER: "trouvée"}.get(
        number, "au sommet de la pile" if number % 2 else "exposée"
    )
    return f"la tuile {what} ({tile(facts.offered_tile(content, seat, number), components)})"


def between(edge: int) -> str:
    """An edge, by its two squares: ``entre les emplacements 0 et 1``."""
    return f"entre les emplacements {listed(facts.SQUARES_OF_EDGE[edge])}"


def _use(content: Content, owner: Content, components: Components, offset: int, square: int) -> str:
    seat = (content["seat"] + offset) % len(content["players"])
    what = tile(content["players"][seat]["squares"][square]["tile"], components)
    if offset == 0:
        return f"recycle le dé sur son bâtiment de l'emplacement {square} ({what})"
    return (
        f"recycle le dé sur le bâtiment de {player(seat)}, emplacement {square} ({what}), contre une fleur donnée à"
        f" {player(seat)}"
    )


def _start(content: Content, owner: Content, components: Components, number: int, square: int) -> str:
    seat = content["seat"]
    cost = facts.price(owner, facts.offered_tile(content, seat, number), number, components)
    return (
        f"démarre la construction de {offer(content, seat, number, components)} pour {count(cost, 'fleur')} sur"
        f" l'emplacement {square}"
    )


def _advance(content: Content, owner: Content, components: Components, square: int) -> str:
    number, steps = owner["squares"][square]["tile"], owner["squares"][square]["steps"] + 1
    needed = values(components).steps[number]
    return f"avance le bâtiment de l'emplacement {square} ({tile(number, components)}) à {steps} sur {needed}"


def _call(content: Content, owner: Content, components: Components, space: int) -> str:
    elder, costs = content["elders"][space], values(components).elder_costs[space]
    is_of_use = facts.call(content, content["seat"], space, components).power
    use = elder_power(elder, components) if is_of_use else "pour le fragment seulement : le pouvoir serait sans effet"
    return f"fait appel à {ELDER_NAMES[elder]} avec les puces {', '.join(map(str, costs))} et une autre ({use})"


def _power(content: Content, owner: Content, components: Components) -> str:
    printed = values(components)
    name = of(CHARACTER_NAMES[owner["character"]])
    if owner["character"] == layout.FOREMAN:
        cost = count(printed.foreman_cost, "fleur")
        return f"utilise le pouvoir {name} : {cost} pour {count(printed.foreman_advances, 'avancée')}"
    return f"utilise le pouvoir {name} : {count(printed.mystic_chips, 'puce')} contre {_mystic_gains(components)}"


_PASSES = {
    "BEFORE_PROPHECY": "passe aux prophéties",
    "END_TURN": "termine son tour",
    "MOVE": "arrête de déplacer ses Dunaïas",
    "ADVANCE": "n'avance aucune construction",
    "SEARCH": "ne prend aucune tuile",
    "COLOUR": "ne prend aucun marqueur de couleur",
}

_SENTENCES: dict[str, Callable[..., str]] = {
    "draft": lambda content, owner, components, character: f"choisit {CHARACTER_NAMES[character]}",
    "take": lambda content, owner, components, face: f"prend un dé de valeur {face}",
    "take_flipped": lambda content, owner, components, face: (
        f"prend un dé de valeur {face} et le retourne sur {layout.FACES + 1 - face}"
    ),
    "awaken": lambda content, owner, components, square: (
        f"réveille le Dunaïa {content['die']}, l'emplacement {square} d'abord"
    ),
    "flower": lambda content, owner, components: "recycle le dé contre une fleur",
    "use": _use,
    "start": _start,
    "move": lambda content, owner, components, number, edge: f"déplace le Dunaïa {number} {between(edge)}",
    "plug": lambda content, owner, components, chip: f"enfiche la puce {chip}",
    "discard": lambda content, owner, components, chip: f"défausse la puce {chip}",
    "advance": _advance,
    "call": _call,
    "search": lambda content, owner, components, number: (
        f"choisit dans sa pile, pour {count(facts.price(owner, number, layout.FOUND_OFFER, components), 'fleur')} :"
        f" {tile(number, components)}"
    ),
    "colour": lambda content, owner, components, colour, square: (
        f"place un marqueur {COLOUR_NAMES[colour]} sur le bâtiment de l'emplacement {square}"
    ),
    "power": _power,
    "reserve": lambda content, owner, components, number: (
        f"réserve {offer(content, content['seat'], number, components)}"
    ),
    "pass": lambda content, owner, components: _PASSES.get(content["decision"], "passe"),
}


# What happened.


def changes_of(action: str, before: Content, after: Content, components: Components) -> list[Change]:
    """The differences between two positions that the action's sentence has not told; see `changes.events`."""
    return [told(event, components) for event in changes.events(before, after, components, action)]


def told(event: Event, components: Components) -> Change:
    """An event in words."""
    return Change(event.seat, typeset(_EVENTS[event.kind](components, *event.numbers)))


def _flowers(components: Components, before: int, after: int) -> str:
    return f"{'gagne' if after > before else 'paie'} {count(abs(after - before), 'fleur')} (en a maintenant {after})"


def _roll(components: Components, neutral: int, *faces: int) -> str:
    coloured = ", ".join(f"{face} ({player(seat)})" for seat, face in enumerate(faces[neutral:]) if face)
    return (
        f"les dés sont relancés : dés noirs {' '.join(map(str, faces[:neutral])) or 'aucun'}"
        f"{f' ; dés de couleur {coloured}' if coloured else ''}"
    )


_EVENTS: dict[str, Callable[..., str]] = {
    "character": lambda components, character: f"joue {CHARACTER_NAMES[character]}",
    "die": lambda components, face, own: (
        f"prend le dé à sa couleur, de valeur {face}, car il n'y a plus de dé noir"
        if own
        else f"prend un dé de valeur {face}"
    ),
    "start": lambda components, square, number: (
        f"démarre la construction d'une tuile ({tile(number, components)}) sur l'emplacement {square}"
    ),
    "advance": lambda components, square, steps, needed: (
        f"avance le bâtiment de l'emplacement {square} à {steps} sur {needed}"
    ),
    "completed": lambda components, square, number: f"achève le bâtiment de l'emplacement {square}",
    "marker": lambda components, square, colour: (
        f"place un marqueur {COLOUR_NAMES[colour]} sur le bâtiment de l'emplacement {square}"
    ),
    "occupied": lambda components, square: f"reçoit un dé sur le bâtiment de l'emplacement {square}",
    "dunaia": lambda components, number, edge: f"déplace le Dunaïa {number} {between(edge)}",
    "flowers": _flowers,
    "plugged": lambda components, *numbers: f"enfiche {chips(numbers)}",
    "paid": lambda components, *numbers: f"défausse {chips(numbers)}",
    "fragment": lambda components, elder: f"prend le fragment {of(ELDER_NAMES[elder])}",
    "artefact": lambda components, number: f"achève un artefact, le numéro {number}",
    "reserved": lambda components, number: f"réserve une tuile ({tile(number, components)})",
    "prophecy": lambda components, prophecy: (
        f"prend la prophétie « {prophecy_condition(prophecy, components)} »"
        f" ({count(values(components).prophecy_points[prophecy], 'point')})"
    ),
    "tile": lambda components, level, place, number: (
        f"une nouvelle tuile {('est exposée', 'apparaît au sommet de la pile')[place]} : {tile(number, components)}"
    ),
    "empty": lambda components, level, place: (
        f"il n'y a plus de tuile {('exposée', 'au sommet de la pile')[place]} au niveau {level + 1}"
    ),
    "end": lambda components, number: f"la fin de partie est déclenchée : le tour de table {number} est le dernier",
    "over": lambda components, stopped: (
        "la partie est arrêtée à sa limite de tours et décomptée" if stopped else "la partie est terminée"
    ),
    "round": lambda components, number, last: f"le tour de table {number} commence{', le dernier' if last else ''}",
    "roll": _roll,
}


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
                    f" {CHARACTER_NAMES[-1]}, et {NO_CHARACTER} pour aucun."
                ),
            ),
        }.items()
    }
)
