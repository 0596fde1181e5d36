"""Dunaïa in French: templates of the texts about pieces, see `wording.piece_texts`."""

from __future__ import annotations

from dunaia_env.dunaia import state as layout

TEXTS = {
    "where": "entre les emplacements {squares}",
    # Dice.
    "square_effect": "l'emplacement {square} {effect}",
    "two_effects": "{first} ; {second}",
    "effect.gains": "rapporte {gains}",
    "effect.flower": "rapporte 1 fleur",
    "effect.chip": "enfiche la puce {chip}",
    "effect.plugged": "n'a pas d'effet (la puce {chip} est déjà enfichée)",
    "effect.advance": "avance son bâtiment à {steps} sur {needed}",
    "effect.complete": "achève son bâtiment",
    "effect.nothing": "n'a pas d'effet",
    "gain.moves.one": "{gain}",
    "gain.moves.many": "jusqu'à {gain}",
    "gain.advances.one": "{gain} de construction d'un de ses bâtiments",
    "gain.advances.many": "{gain} de construction d'un de ses bâtiments",
    "gain.chips.one": "{gain} au choix",
    "gain.chips.many": "{gain} au choix",
    "wakes_for": "Pour {player}, il réveille le Dunaïa {face}, {place} : {wakes}.",
    "no_neutral_die": "Aucun dé noir n'a la valeur {face}.",
    "neutral_die.one": "Un dé noir de valeur {face}. Chacun peut prendre un dé noir.",
    "neutral_die.many": "{number} dés noirs de valeur {face}. Chacun peut prendre un dé noir.",
    "no_own_die": "Le dé à la couleur de {player} n'est pas disponible.",
    "own_die": (
        "Le dé à la couleur de {player}, de valeur {face}. Personne d'autre ne le prend, et seulement quand il n'y a"
        " plus de dé noir."
    ),
    "wakes": "Il réveille le Dunaïa {face} : {wakes}.",
    "flip": "Le filou prend un dé de valeur {face} et le retourne sur {turned}.",
    "flip_own": "Le filou prend le dé à sa couleur, de valeur {face}, et le retourne sur {turned}.",
    "no_die_in_hand": "Personne n'a de dé en main.",
    "own_die_in_hand": "Le dé à la couleur de {player}, de valeur {face} : il n'y avait plus de dé noir.",
    "die_in_hand": "Le dé qu'a pris {player}, de valeur {face}.",
    "to_recycle": "Le Dunaïa {dunaia} est réveillé ; il reste à recycler le dé.",
    "wakes_then_recycled": "Il réveille le Dunaïa {face} : {wakes}. Ensuite, il est recyclé.",
    # Tiles.
    "building": "bâtiment de niveau {level}, {colours}",
    "advances_to_complete": "Il faut {advances} pour le construire.",
    "once_completed.recycling": "Une fois construit, il rapporte {effect} à qui y recycle un dé.",
    "once_completed.waking": "Une fois construit, il rapporte {effect} quand un Dunaïa se réveille à côté.",
    "arrows_more.one": "Chevron {sides} : {gain} de plus pour un bâtiment {colour} construit de ce côté.",
    "arrows_more.many": "Chevrons {sides} : {gain} de plus chacun pour un bâtiment {colour} construit de ce côté.",
    "every_colour": "Il compte comme un bâtiment de toutes les couleurs.",
    "worth_once_completed": "Construit, il vaut {points}.",
    "price": "Prix pour {player} : {flowers}.",
    "lacks.tokens": "n'a plus de marqueur de construction",
    "lacks.squares": "n'a plus d'emplacement vide",
    "lacks.flowers": "n'a que {flowers}",
    "lacks.all_flowers": "n'a pas de fleur",
    "cannot_buy": "{player} {reasons}.",
    "can_buy": "{player} peut payer ({flowers} en main).",
    "no_tile_left": "Il n'y a plus de tuile de niveau {level} ici.",
    "tile_on_display": "{tile}, exposé sur le plateau commun.",
    "tile_on_top": "{tile}, visible au sommet de sa pile.",
    "tiles_below": "{tiles} en dessous.",
    "nothing_reserved": "{player} n'a pas de tuile en réserve.",
    "tile_reserved": "{tile}, en réserve chez {player} ; personne d'autre ne peut l'acheter.",
    "nothing_found": "Aucune tuile n'a été trouvée dans une pile.",
    "tile_found": "{tile}, la tuile trouvée dans sa pile, à placer sur un emplacement vide.",
    "not_in_pile": "Cette tuile n'est pas dans la pile de niveau {level}.",
    "tile_in_pile": "{tile}, dans la pile de niveau {level}.",
    # The common board.
    f"elder.{layout.ELDER_FLOWERS}": "{elder} rapporte {flowers}.",
    f"elder.{layout.ELDER_MOVES}": "{elder} permet {moves}.",
    f"elder.{layout.ELDER_ADVANCE}": "{elder} donne {advances} de construction d'un de ses bâtiments.",
    f"elder.{layout.ELDER_SEARCH}": (
        "{elder} permet de fouiller une pile, d'y prendre une tuile au choix, de la payer et de la placer."
    ),
    f"elder.{layout.ELDER_COLOUR}": "{elder} permet de placer un marqueur de couleur sur un de ses bâtiments.",
    "cost_of_a_call": (
        "L'appel coûte les puces enfichées {chips} et une autre au choix, et rapporte aussi le fragment d'artefact de"
        " cet Ancien ({left} en réserve)."
    ),
    "player_says": "{player} {what}.",
    "call.missing.one": "ne peut pas l'appeler : il lui manque {chips}",
    "call.missing.many": "ne peut pas l'appeler : il lui manque {chips}",
    "call.no_third": ("ne peut pas l'appeler : il faut une autre puce enfichée en plus de celles qui sont indiquées"),
    "call.both": "peut payer l'appel",
    "call.fragment_only": "peut payer l'appel, mais seul le fragment lui servirait",
    "call.power_only": "peut payer l'appel, pour le pouvoir seulement : {reason}",
    "call.no_use": "peut payer l'appel, mais il ne servirait à rien : {reason}",
    "fragment.held": "l'artefact en cours a déjà ce fragment",
    "fragment.gone": "il n'y a plus de fragment",
    "prophecy": "Prophétie d'une valeur de {points} : {condition}.",
    "prophecy_absent": "Elle n'est pas dans cette partie.",
    "prophecy_taken": "{player} l'a prise.",
    "prophecy_open": "Qui remplit la condition à la phase 4 de son tour la prend, sans rien défausser.",
    "progress": "{player} : {progress}{met}.",
    "met": " (remplie)",
    "progress.buildings": "{has} sur {needs} bâtiments",
    "progress.flowers": "{has} sur {needs} fleurs",
    "progress.artefact": "{has} sur {needs} artefact",
    "progress.artefacts": "{has} sur {needs} artefacts",
    "progress.line": "{has} sur {needs} dans le meilleur alignement",
    "progress.levels": "{has} sur {needs} niveaux",
    "progress.corners": "{has} sur {needs} coins",
    "markers_left": "Marqueurs de couleur {colour}s : il en reste {left}.",
    "no_marker_left": "Il ne reste plus de marqueur de couleur {colour}.",
    "use_of_markers": (
        "L'Ancien des couleurs permet d'en placer un sur un de ses bâtiments, qui compte dès lors aussi comme {colour}"
        " pour les chevrons tournés vers lui."
    ),
    "character": "Personnage d'élite : {character}.",
    "character_free": "Encore libre.",
    "character_absent": "Personne ne joue ce personnage.",
    "character_used": "Joué par {player}, qui a déjà utilisé ce pouvoir pendant ce tour.",
    "character_played": "Joué par {player}.",
    # Villages.
    "square": "emplacement {square} ({where}) de {player}",
    "empty_square": "{place}, vide.",
    "prints.flower": "Réveiller un Dunaïa à côté rapporte 1 fleur.",
    "prints.chip": "Réveiller un Dunaïa à côté enfiche la puce de même valeur.",
    "can_build": "On peut y construire.",
    "building_on": "{building}, {place}.",
    "beside.one": "À côté : le Dunaïa {dunaias}.",
    "beside.many": "À côté : les Dunaïas {dunaias}.",
    "markers.one": "Par son marqueur, il est aussi {colours}.",
    "markers.many": "Par ses marqueurs, il est aussi {colours}.",
    "under_construction": "En construction : {advances} sur {needed}. Chaque réveil à côté l'avance.",
    "completed": "Construit, il vaut {points}.",
    "completed_with_arrows": "Construit, il vaut {points} avec ses chevrons.",
    "waking_gives": "Réveiller un Dunaïa à côté rapporte en ce moment {gains}.",
    "waking_does_nothing": "Réveiller un Dunaïa à côté n'a pas d'effet.",
    "arrows_now.one": (
        "Chevron {sides} : {gain} pour un bâtiment {colour} construit de ce côté ({active} sur {number} en ce moment)."
    ),
    "arrows_now.many": (
        "Chevrons {sides} : {gain} pour un bâtiment {colour} construit de ce côté ({active} sur {number} en ce moment)."
    ),
    "recycling_gives": "Un dé recyclé dessus rapporte {gain}.",
    "occupied": "Un dé l'occupe : il sera libre au prochain lancer de dés.",
    "can_pay_use": "{player} peut payer l'usage : 1 fleur donnée à {owner}.",
    "cannot_pay_use": "{player} n'a pas de fleur pour payer l'usage : 1 fleur donnée à {owner}.",
    "edge": "La place {place} de {player}.",
    "standing.one": "Le Dunaïa {dunaias} s'y trouve",
    "standing.many": "Les Dunaïas {dunaias} s'y trouvent",
    "standing_with_room": "{standing} ; il reste de la place pour {room}.",
    "standing_full": "{standing} ; elle est pleine.",
    "nobody_here": "Aucun Dunaïa ne s'y trouve ; il y a de la place pour {room}.",
    "dunaia": "Le Dunaïa {dunaia} de {player}, {place}.",
    "die_that_wakes": "Un dé de valeur {dunaia} le réveille.",
    "waking_now": "Son réveil en ce moment : {wakes}.",
    "woken_this_turn": "Il a été réveillé pendant ce tour.",
    "chip_plugged": "La puce mémoire {chip} de {player}, enfichée.",
    "chip_in_reserve": "La puce mémoire {chip} de {player}, en réserve.",
    "chip_needed": (
        "Elle est nécessaire pour faire appel à {elders} ; elle peut être la troisième puce de tout autre appel."
    ),
    "chip_not_needed": "Elle peut être la troisième puce de tout appel.",
    "how_to_plug": (
        "Elle s'enfiche en réveillant le Dunaïa {chip} à côté d'un emplacement vide marqué d'une puce, ou comme puce au"
        " choix."
    ),
    "has_flowers": "{player} a {flowers}.",
    "use_of_flowers.one": (
        "Les fleurs paient les bâtiments. À la fin, chaque lot de {flowers} vaut 1 point : {points} en ce moment."
    ),
    "use_of_flowers.many": (
        "Les fleurs paient les bâtiments. À la fin, chaque lot de {flowers} vaut 1 point : {points} en ce moment."
    ),
    "recycle_for_a_flower": "Recycler le dé sur la case fleur rapporte 1 fleur.",
    "has_tokens": "{player} a encore {left} sur {all_tokens}.",
    "has_no_token": "{player} n'a plus de marqueur de construction (il y en a {all_tokens} par joueur).",
    "use_of_tokens": "Chaque bâtiment en construction en porte un, qui revient une fois le bâtiment construit.",
    "has_artefacts": "{player} a {artefacts}, pour {points}.",
    "has_no_artefact": "{player} n'a pas encore d'artefact complet.",
    "next_artefact": (
        "Un fragment de chacun des trois Anciens fait un artefact ; le suivant rapportera {points} de plus."
    ),
    "has_fragments.one": "L'artefact en cours de {player} a le fragment {elders}.",
    "has_fragments.many": "L'artefact en cours de {player} a les fragments {elders}.",
    "missing_fragments.one": "Il manque celui {elders}.",
    "missing_fragments.many": "Il manque ceux {elders}.",
    "has_no_fragment": ("{player} n'a aucun fragment de son prochain artefact, qui en demande un de chaque Ancien."),
    "one_artefact_at_a_time": "On n'assemble qu'un artefact à la fois.",
    "has_points": "{player} a {score} : {parts}.",
    "points_for.buildings": "{points} pour les bâtiments construits",
    "points_for.arrows": "{points} pour leurs chevrons",
    "points_for.prophecies": "{points} pour les prophéties",
    "points_for.artefacts": "{points} pour les artefacts",
    "points_for.flowers": "{points} pour les fleurs",
    "event.forced_die": "prend un dé de valeur {face}, car il ne reste aucune autre valeur",
    "source.buildings": "Bâtiments",
    "source.arrows": "Chevrons",
    "source.prophecies": "Prophéties",
    "source.artefacts": "Artefacts",
    "source.flowers": "Fleurs",
    "equal_points": "Les prophéties, puis les fleurs départagent qui a autant de points.",
    "what_counts_when": (
        "Les prophéties comptent dès qu'elles sont prises, les fleurs selon ce qu'il en reste à la fin."
    ),
    # Buttons.
    "power": (
        "Le pouvoir du contremaître ou du mystique, utilisable une fois par tour avant ou après n'importe quelle phase."
    ),
    "power_used": "Il a déjà été utilisé pendant ce tour.",
    "pass.BEFORE_PROPHECY": "Passer à la phase 4 : chaque prophétie dont la condition est remplie est prise.",
    "pass.END_TURN": "Terminer le tour.",
    "pass.MOVE": "Ne plus rien déplacer ; les déplacements restants sont perdus.",
    "pass.ADVANCE": "N'avancer aucune construction.",
    "pass.SEARCH": "Ne prendre aucune tuile ; les piles restent telles quelles.",
    "pass.COLOUR": "Ne prendre aucun marqueur de couleur.",
    "pass": "Il n'y a rien à refuser en ce moment.",
}
