"""Dunaïa in French: what each piece of a position is, what it does, and what it would do now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import ALL_COLOURS, GAIN_ADVANCES, GAIN_CHIPS, GAIN_MOVES, Components
from dunaia_env.dunaia.presentation.pieces import check_piece
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.presentation.wording.facts import values
from dunaia_env.dunaia.presentation.wording.french import (
    CHARACTER_NAMES,
    COLOUR_NAMES,
    ELDER_NAMES,
    between,
    character_power,
    chips,
    colours,
    count,
    gain,
    listed,
    moves,
    of,
    player,
    prophecy_condition,
    sides,
    typeset,
)
from dunaia_env.dunaia.state import NONE

Content = Mapping[str, Any]

SQUARES = (
    "en haut à gauche",
    "en haut",
    "en haut à droite",
    "à gauche",
    "au centre",
    "à droite",
    "en bas à gauche",
    "en bas",
    "en bas à droite",
)


def piece(name: str, content: Content, components: Components) -> str:
    """What a piece (by its name) is, and what it does or would do now; raises `ValueError` for an unknown name."""
    kind, numbers = check_piece(name, content)
    return typeset(" ".join(_PIECES[kind](content, components, *numbers)))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# Dice.


def _wakes(content: Content, components: Components, seat: int, dunaia: int) -> str:
    """What waking a Dunaïa would do now: ``l'emplacement 3 rapporte 1 fleur ; l'emplacement 4 n'a pas d'effet``."""
    owner = content["players"][seat]
    squares = facts.SQUARES_OF_EDGE[owner["dunaias"][dunaia - 1]]
    return " ; ".join(f"l'emplacement {square} {_effect(owner, square, dunaia, components)}" for square in squares)


def _effect(owner: Content, square: int, dunaia: int, components: Components) -> str:
    found = facts.waking(owner, square, dunaia, components)
    if found.kind == "gains":
        return f"rapporte {listed(_gain(amount, kind) for kind, amount in found.gains.items())}"
    return {
        "flower": "rapporte 1 fleur",
        "chip": f"enfiche la puce {dunaia}",
        "plugged": f"n'a pas d'effet (la puce {dunaia} est déjà enfichée)",
        "advance": f"avance son bâtiment à {found.steps} sur {found.needed}",
        "complete": "achève son bâtiment",
        "nothing": "n'a pas d'effet",
    }[found.kind]


def _gain(amount: int, kind: int) -> str:
    """A gain with the choice that it leaves: ``2 puces au choix``, ``jusqu'à 2 déplacements``."""
    if kind == GAIN_MOVES:
        return gain(amount, kind) if amount == 1 else f"jusqu'à {gain(amount, kind)}"
    if kind == GAIN_ADVANCES:
        return f"{gain(amount, kind)} de construction d'un de ses bâtiments"
    return f"{gain(amount, kind)} au choix" if kind == GAIN_CHIPS else gain(amount, kind)


def _for_the_decider(content: Content, components: Components, face: int) -> Iterator[str]:
    seat = content["seat"]
    if seat != NONE:
        edge = content["players"][seat]["dunaias"][face - 1]
        yield (
            f"Pour {player(seat)}, il réveille le Dunaïa {face}, {between(edge)} :"
            f" {_wakes(content, components, seat, face)}."
        )


def _die(content: Content, components: Components, face: int) -> Iterator[str]:
    dice = content["dice"]["neutral"][face - 1]
    if not dice:
        yield f"Aucun dé noir n'a la valeur {face}."
        return
    yield f"{'Un dé noir' if dice == 1 else f'{dice} dés noirs'} de valeur {face}. Chacun peut prendre un dé noir."
    yield from _for_the_decider(content, components, face)


def _own_die(content: Content, components: Components, seat: int) -> Iterator[str]:
    face = content["dice"]["own"][seat]
    if not face:
        yield f"Le dé à la couleur de {player(seat)} n'est pas disponible."
        return
    yield (
        f"Le dé à la couleur de {player(seat)}, de valeur {face}. Personne d'autre ne le prend, et seulement quand il"
        " n'y a plus de dé noir."
    )
    yield f"Il réveille le Dunaïa {face} : {_wakes(content, components, seat, face)}."


def _flip(content: Content, components: Components, face: int) -> Iterator[str]:
    turned = layout.FACES + 1 - face
    yield f"Le filou prend un dé de valeur {face} et le retourne sur {turned}."
    yield from _for_the_decider(content, components, turned)


def _flip_own(content: Content, components: Components, seat: int) -> Iterator[str]:
    face = content["dice"]["own"][seat]
    if not face:
        yield f"Le dé à la couleur de {player(seat)} n'est pas disponible."
        return
    turned = layout.FACES + 1 - face
    yield f"Le filou prend le dé à sa couleur, de valeur {face}, et le retourne sur {turned}."
    yield f"Il réveille le Dunaïa {turned} : {_wakes(content, components, seat, turned)}."


def _hand_die(content: Content, components: Components) -> Iterator[str]:
    seat, face = content["seat"], content["die"]
    if not face:
        yield "Personne n'a de dé en main."
        return
    if facts.own_die_in_hand(content):
        yield f"Le dé à la couleur de {player(seat)}, de valeur {face} : il n'y avait plus de dé noir."
    else:
        yield f"Le dé qu'a pris {player(seat)}, de valeur {face}."
    if content["woken"]:
        yield f"Le Dunaïa {content['woken']} est réveillé ; il reste à recycler le dé."
    else:
        yield f"Il réveille le Dunaïa {face} : {_wakes(content, components, seat, face)}. Ensuite, il est recyclé."


# Tiles.


def _about_tile(tile: int, components: Components) -> Iterator[str]:
    """How many advances complete the building on a tile, and what it does once it is completed."""
    printed = values(components)
    yield f"Il faut {count(printed.steps[tile], 'avancée')} pour le construire."
    yield from _once_completed(tile, components)


def _once_completed(tile: int, components: Components) -> Iterator[str]:
    """What the building on a tile does once it is completed."""
    printed = values(components)
    level = printed.level[tile]
    effect = _gain(printed.amount[tile], printed.effect[tile]) if printed.effect[tile] != NONE else ""
    if level == facts.RECYCLING_LEVEL and effect:
        yield f"Une fois construit, il rapporte {effect} à qui y recycle un dé."
    elif level == facts.WAKING_LEVEL and effect:
        yield f"Une fois construit, il rapporte {effect} quand un Dunaïa se réveille à côté."
    for group in facts.arrows(tile, components):
        yield f"{_arrows(group)} : {_more(group)} pour un bâtiment {COLOUR_NAMES[group.colour]} construit de ce côté."
    if printed.colours[tile] == ALL_COLOURS:
        yield "Il compte comme un bâtiment de toutes les couleurs."
    yield f"Construit, il vaut {count(printed.level_points[level], 'point')}."


def _arrows(group: facts.Arrows) -> str:
    return f"Chevron{'s' if len(group.sides) > 1 else ''} {sides(group.sides)}"


def _more(group: facts.Arrows) -> str:
    return f"{gain(group.amount, group.gain)} de plus{' chacun' if len(group.sides) > 1 else ''}"


def _name(tile: int, components: Components) -> str:
    """``bâtiment de niveau 2, vert``."""
    printed = values(components)
    return f"bâtiment de niveau {printed.level[tile] + 1}, {colours(printed.colours[tile])}"


def _purchase(content: Content, components: Components, seat: int, tile: int, offer: int) -> Iterator[str]:
    if seat == NONE:
        return
    owner = content["players"][seat]
    cost = facts.price(owner, tile, offer, components)
    found = facts.obstacles(owner, cost)
    yield f"Prix pour {player(seat)} : {count(cost, 'fleur')}."
    reasons = {
        "tokens": "n'a plus de marqueur de construction",
        "squares": "n'a plus d'emplacement vide",
        "flowers": f"n'a que {count(owner['flowers'], 'fleur')}" if owner["flowers"] else "n'a pas de fleur",
    }
    if found:
        yield f"{player(seat)} {listed(reasons[reason] for reason in found)}."
    else:
        yield f"{player(seat)} peut payer ({count(owner['flowers'], 'fleur')} en main)."


def _offer(content: Content, components: Components, offer: int) -> Iterator[str]:
    level, place = divmod(offer, 2)
    tile = facts.offered_tile(content, content["seat"], offer)
    below = len(content["piles"][level])
    if tile == NONE:
        yield f"Il n'y a plus de tuile de niveau {level + 1} ici."
        return
    where = "visible au sommet de sa pile" if place else "exposé sur le plateau commun"
    yield f"{_capital(_name(tile, components))}, {where}."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, content["seat"], tile, offer)
    if place:
        yield f"{count(below, 'tuile')} en dessous."


def _reserved(content: Content, components: Components, seat: int) -> Iterator[str]:
    tile = content["players"][seat]["reserved"]
    if tile == NONE:
        yield f"{player(seat)} n'a pas de tuile en réserve."
        return
    yield f"{_capital(_name(tile, components))}, en réserve chez {player(seat)} ; personne d'autre ne peut l'acheter."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, seat, tile, layout.RESERVED_OFFER)


def _found(content: Content, components: Components) -> Iterator[str]:
    tile = facts.offered_tile(content, content["seat"], layout.FOUND_OFFER)
    if tile == NONE:
        yield "Aucune tuile n'a été trouvée dans une pile."
        return
    yield f"{_capital(_name(tile, components))}, la tuile trouvée dans sa pile, à placer sur un emplacement vide."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, content["seat"], tile, layout.FOUND_OFFER)


def _pile(content: Content, components: Components, level: int, tile: int) -> Iterator[str]:
    if values(components).level[tile] != level or tile not in (*content["piles"][level], content["pile_top"][level]):
        yield f"Cette tuile n'est pas dans la pile de niveau {level + 1}."
        return
    yield f"{_capital(_name(tile, components))}, dans la pile de niveau {level + 1}."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, content["seat"], tile, layout.FOUND_OFFER)


# The common board.


def _elder(content: Content, components: Components, space: int) -> Iterator[str]:
    elder, costs = content["elders"][space], values(components).elder_costs[space]
    printed = values(components)
    powers = {
        layout.ELDER_FLOWERS: f"rapporte {count(printed.elder_flowers, 'fleur')}",
        layout.ELDER_MOVES: f"permet {moves(printed.elder_moves)}",
        layout.ELDER_ADVANCE: f"donne {count(printed.elder_advances, 'avancée')} de construction d'un de ses bâtiments",
        layout.ELDER_SEARCH: "permet de fouiller une pile, d'y prendre une tuile au choix, de la payer et de la placer",
        layout.ELDER_COLOUR: "permet de placer un marqueur de couleur sur un de ses bâtiments",
    }
    yield f"{_capital(ELDER_NAMES[elder])} {powers[elder]}."
    left = content["fragments"][space]
    yield (
        f"L'appel coûte les puces enfichées {listed(costs)} et une autre au choix, et rapporte aussi le fragment"
        f" d'artefact de cet Ancien ({count(left, 'fragment')} en réserve)."
    )
    seat = content["seat"]
    if seat != NONE:
        yield f"{player(seat)} {_callable(facts.call(content, seat, space, components))}."


def _callable(call: facts.Call) -> str:
    if call.missing:
        return f"ne peut pas l'appeler : il lui manque {chips(call.missing)}"
    if not call.third:
        return "ne peut pas l'appeler : il faut une autre puce enfichée en plus de celles qui sont indiquées"
    if call.fragment == "free":
        return "peut payer l'appel" + ("" if call.power else ", mais seul le fragment lui servirait")
    reason = {"held": "l'artefact en cours a déjà ce fragment", "gone": "il n'y a plus de fragment"}[call.fragment]
    if not call.power:
        return f"peut payer l'appel, mais il ne servirait à rien : {reason}"
    return f"peut payer l'appel, pour le pouvoir seulement : {reason}"


def _prophecy(content: Content, components: Components, prophecy: int) -> Iterator[str]:
    points = values(components).prophecy_points[prophecy]
    yield f"Prophétie d'une valeur de {count(points, 'point')} : {prophecy_condition(prophecy, components)}."
    owner = next((printed["owner"] for printed in content["prophecies"] if printed["id"] == prophecy), NONE)
    if all(printed["id"] != prophecy for printed in content["prophecies"]):
        yield "Elle n'est pas dans cette partie."
    elif owner != NONE:
        yield f"{player(owner)} l'a prise."
    else:
        yield "Qui remplit la condition à la phase 4 de son tour la prend, sans rien défausser."
        for seat, one in enumerate(content["players"]):
            found = facts.progress(one, prophecy, components)
            met = " (remplie)" if all(part.has >= part.needs for part in found) else ""
            yield f"{player(seat)} : {listed(map(_progress, found))}{met}."


def _progress(part: facts.Progress) -> str:
    what = {
        "buildings": "bâtiments",
        "flowers": "fleurs",
        "artefacts": "artefacts" if part.needs > 1 else "artefact",
        "line": "dans le meilleur alignement",
        "levels": "niveaux",
        "corners": "coins",
    }[part.kind]
    return f"{part.has} sur {part.needs} {what}"


def _marker(content: Content, components: Components, colour: int) -> Iterator[str]:
    left, name = content["colour_markers"][colour], COLOUR_NAMES[colour]
    if left:
        yield f"Marqueurs de couleur {name}s : il en reste {left}."
    else:
        yield f"Il ne reste plus de marqueur de couleur {name}."
    yield (
        "L'Ancien des couleurs permet d'en placer un sur un de ses bâtiments, qui compte dès lors aussi comme"
        f" {name} pour les chevrons tournés vers lui."
    )


def _character(content: Content, components: Components, character: int) -> Iterator[str]:
    yield f"Personnage d'élite : {CHARACTER_NAMES[character]}. {character_power(character, components)}"
    seat = facts.owner_of_character(content, character)
    if character in content["characters_available"]:
        yield "Encore libre."
    elif seat == NONE:
        yield "Personne ne joue ce personnage."
    elif content["players"][seat]["power_used"]:
        yield f"Joué par {player(seat)}, qui a déjà utilisé ce pouvoir pendant ce tour."
    else:
        yield f"Joué par {player(seat)}."


# Villages.


def _square(content: Content, components: Components, seat: int, square: int) -> Iterator[str]:
    owner = content["players"][seat]
    building = owner["squares"][square]
    place = f"emplacement {square} ({SQUARES[square]}) de {player(seat)}"
    if building is None:
        prints = {"flower": "rapporte 1 fleur", "chip": "enfiche la puce de même valeur"}
        found = facts.waking(owner, square, 0, components)
        yield f"{_capital(place)}, vide. Réveiller un Dunaïa à côté {prints[found.kind]}. On peut y construire."
    else:
        yield f"{_capital(_name(building['tile'], components))}, {place}."
        yield from _about_building(content, components, seat, square)
    found_beside = facts.beside(owner, square)
    if found_beside:
        several = len(found_beside) > 1
        yield f"À côté : {'les Dunaïas' if several else 'le Dunaïa'} {listed(found_beside)}."


def _about_building(content: Content, components: Components, seat: int, square: int) -> Iterator[str]:
    owner, printed = content["players"][seat], values(components)
    building = owner["squares"][square]
    tile = building["tile"]
    if building["colours"]:
        plural = "ses marqueurs" if len(building["colours"]) > 1 else "son marqueur"
        yield f"Par {plural}, il est aussi {listed(COLOUR_NAMES[colour] for colour in building['colours'])}."
    if not building["built"]:
        yield (
            f"En construction : {count(building['steps'], 'avancée')} sur {printed.steps[tile]}. Chaque réveil à côté"
            " l'avance."
        )
        yield from _once_completed(tile, components)
        return
    level, arrows = printed.level[tile], facts.arrows(tile, components)
    points = count(facts.points_now(owner, square, components), "point")
    with_arrows = " avec ses chevrons" if level == facts.POINTS_LEVEL and arrows else ""
    yield f"Construit, il vaut {points}{with_arrows}."
    if printed.colours[tile] == ALL_COLOURS:
        yield "Il compte comme un bâtiment de toutes les couleurs."
    gains = facts.gains_now(owner, square, components)
    if level == facts.RECYCLING_LEVEL:
        yield from _about_recycling(content, components, seat, square)
    elif level == facts.WAKING_LEVEL and gains:
        now = listed(_gain(amount, kind) for kind, amount in gains.items())
        yield f"Réveiller un Dunaïa à côté rapporte en ce moment {now}."
    if level != facts.WAKING_LEVEL:
        yield "Réveiller un Dunaïa à côté n'a pas d'effet."
    for group in arrows:
        active = set(group.sides) & set(facts.active_sides(owner, square, components))
        yield (
            f"{_arrows(group)} : {gain(group.amount, group.gain)} pour un bâtiment {COLOUR_NAMES[group.colour]}"
            f" construit de ce côté ({len(active)} sur {len(group.sides)} en ce moment)."
        )


def _about_recycling(content: Content, components: Components, seat: int, square: int) -> Iterator[str]:
    printed = values(components)
    building = content["players"][seat]["squares"][square]
    tile = building["tile"]
    if printed.effect[tile] == NONE:
        return
    yield f"Un dé recyclé dessus rapporte {_gain(printed.amount[tile], printed.effect[tile])}."
    decider = content["seat"]
    if building["die"]:
        yield "Un dé l'occupe : il sera libre au prochain lancer de dés."
    elif decider not in (NONE, seat):
        can = "peut" if content["players"][decider]["flowers"] else "n'a pas de fleur pour"
        yield f"{player(decider)} {can} payer l'usage : 1 fleur donnée à {player(seat)}."


def _edge(content: Content, components: Components, seat: int, edge: int) -> Iterator[str]:
    here = facts.at_edge(content["players"][seat], edge)
    yield f"La place {between(edge)} de {player(seat)}."
    if here:
        room = layout.MOST_ON_AN_EDGE - len(here)
        stands = f"Le Dunaïa {here[0]} s'y trouve" if len(here) == 1 else f"Les Dunaïas {listed(here)} s'y trouvent"
        yield f"{stands} ; {f'il reste de la place pour {room}' if room else 'elle est pleine'}."
    else:
        yield f"Aucun Dunaïa ne s'y trouve ; il y a de la place pour {layout.MOST_ON_AN_EDGE}."


def _dunaia(content: Content, components: Components, seat: int, dunaia: int) -> Iterator[str]:
    edge = content["players"][seat]["dunaias"][dunaia - 1]
    yield f"Le Dunaïa {dunaia} de {player(seat)}, {between(edge)}. Un dé de valeur {dunaia} le réveille."
    yield f"Son réveil en ce moment : {_wakes(content, components, seat, dunaia)}."
    if content["seat"] == seat and content["woken"] == dunaia:
        yield "Il a été réveillé pendant ce tour."


def _chip(content: Content, components: Components, seat: int, chip: int) -> Iterator[str]:
    plugged = chip in content["players"][seat]["chips"]
    yield f"La puce mémoire {chip} de {player(seat)}, {'enfichée' if plugged else 'en réserve'}."
    spaces = facts.elders_that_need(chip, components)
    if spaces:
        elders = listed(ELDER_NAMES[content["elders"][space]] for space in spaces)
        yield f"Elle est nécessaire pour faire appel à {elders} ; elle peut être la troisième puce de tout autre appel."
    else:
        yield "Elle peut être la troisième puce de tout appel."
    if not plugged:
        yield (
            f"Elle s'enfiche en réveillant le Dunaïa {chip} à côté d'un emplacement vide marqué d'une puce, ou comme"
            " puce au choix."
        )


def _flowers(content: Content, components: Components, seat: int) -> Iterator[str]:
    flowers, each = content["players"][seat]["flowers"], values(components).flowers_per_point
    yield f"{player(seat)} a {count(flowers, 'fleur de métal', 'fleurs de métal')}."
    yield (
        f"Les fleurs paient les bâtiments. À la fin, chaque lot de {count(each, 'fleur')} vaut 1 point :"
        f" {count(flowers // each, 'point')} en ce moment."
    )
    if seat == content["seat"] and content["decision"] == "RECYCLE":
        yield "Recycler le dé sur la case fleur rapporte 1 fleur."


def _tokens(content: Content, components: Components, seat: int) -> Iterator[str]:
    tokens, all_tokens = content["players"][seat]["tokens"], values(components).start_tokens
    if tokens:
        has = count(tokens, "marqueur de construction", "marqueurs de construction")
        yield f"{player(seat)} a encore {has} sur {all_tokens}."
    else:
        yield f"{player(seat)} n'a plus de marqueur de construction (il y en a {all_tokens} par joueur)."
    yield "Chaque bâtiment en construction en porte un, qui revient une fois le bâtiment construit."


def _artefacts(content: Content, components: Components, seat: int) -> Iterator[str]:
    artefacts = content["players"][seat]["artefacts"]
    points = facts.artefact_points(artefacts, components)
    more = facts.artefact_points(artefacts + 1, components) - points
    if artefacts:
        yield f"{player(seat)} a {count(artefacts, 'artefact complet')}, pour {count(points, 'point')}."
    else:
        yield f"{player(seat)} n'a pas encore d'artefact complet."
    yield (
        "Un fragment de chacun des trois Anciens fait un artefact ; le suivant rapportera"
        f" {count(more, 'point')} de plus."
    )


def _fragments(content: Content, components: Components, seat: int) -> Iterator[str]:
    held = content["players"][seat]["fragments"]
    names = [of(ELDER_NAMES[elder]) for elder in content["elders"]]
    missing = [name for space, name in enumerate(names) if space not in held]
    if held:
        the = "les fragments" if len(held) > 1 else "le fragment"
        lacks = "Il manque ceux" if len(missing) > 1 else "Il manque celui"
        yield f"L'artefact en cours de {player(seat)} a {the} {listed(names[space] for space in held)}."
        yield f"{lacks} {listed(missing)}."
    else:
        yield f"{player(seat)} n'a aucun fragment de son prochain artefact, qui en demande un de chaque Ancien."
    yield "On n'assemble qu'un artefact à la fois."


def _score(content: Content, components: Components, seat: int) -> Iterator[str]:
    parts = facts.score_parts(content, seat, components)
    names = {
        "buildings": "les bâtiments construits",
        "arrows": "leurs chevrons",
        "prophecies": "les prophéties",
        "artefacts": "les artefacts",
        "flowers": "les fleurs",
    }
    yield (
        f"{player(seat)} a {count(content['scores'][seat], 'point')} :"
        f" {listed(f'{points} pour {names[part]}' for part, points in parts.items())}."
    )
    if not content["over"]:
        yield "Les prophéties comptent dès qu'elles sont prises, les fleurs selon ce qu'il en reste à la fin."


# Buttons.


def _power(content: Content, components: Components) -> Iterator[str]:
    seat = content["seat"]
    character = content["players"][seat]["character"] if seat != NONE else NONE
    if character not in (layout.FOREMAN, layout.MYSTIC):
        yield (
            "Le pouvoir du contremaître ou du mystique, utilisable une fois par tour avant ou après n'importe quelle"
            " phase."
        )
        return
    yield character_power(character, components)
    if content["players"][seat]["power_used"]:
        yield "Il a déjà été utilisé pendant ce tour."


def _pass(content: Content, components: Components) -> Iterator[str]:
    yield {
        "BEFORE_PROPHECY": "Passer à la phase 4 : chaque prophétie dont la condition est remplie est prise.",
        "END_TURN": "Terminer le tour.",
        "MOVE": "Ne plus rien déplacer ; les déplacements restants sont perdus.",
        "ADVANCE": "N'avancer aucune construction.",
        "SEARCH": "Ne prendre aucune tuile ; les piles restent telles quelles.",
        "COLOUR": "Ne prendre aucun marqueur de couleur.",
    }.get(content["decision"], "Il n'y a rien à refuser en ce moment.")


_PIECES: dict[str, Callable[..., Iterator[str]]] = {
    "die": _die,
    "own-die": _own_die,
    "flip": _flip,
    "flip-own": _flip_own,
    "hand-die": _hand_die,
    "offer": _offer,
    "reserved": _reserved,
    "found": _found,
    "pile": _pile,
    "elder": _elder,
    "prophecy": _prophecy,
    "marker": _marker,
    "character": _character,
    "square": _square,
    "edge": _edge,
    "dunaia": _dunaia,
    "chip": _chip,
    "flowers": _flowers,
    "tokens": _tokens,
    "artefacts": _artefacts,
    "fragments": _fragments,
    "score": _score,
    "power": _power,
    "pass": _pass,
}
