"""Dune in French: templates of the texts about pieces, see `wording.piece_texts`."""

from __future__ import annotations

TEXTS = {
    # The end
    "undecided": "Le dernier tour est fini, et personne n'a tenu assez de forteresses.",
    # The map
    "ground.sand": "sable",
    "ground.rock": "roche",
    "ground.stronghold": "forteresse",
    "ground.polar_sink": "terrain neutre",
    "ground": "{name:bare} : {ground}.",
    "tokens_here": "{owner} {owner:a|ont} ici {number} {number:jeton|jetons}.",
    "spice_here": "Il y a ici {number} {number:épice|épices}.",
    "safe": "La tempête n'y fait de mal à personne.",
    "safe_behind_the_wall": "Tant que {wall} tient, la tempête n'y fait de mal à personne.",
    "stormy": "La tempête est ici : aucun jeton n'entre ni ne sort.",
    "ornithopters_here": (
        "Qui a des jetons ici se déplace de {ornithopter_steps} {ornithopter_steps:territoire|territoires}."
    ),
    "in_sectors": "Ce territoire s'étend sur les secteurs {sectors}.",
    "in_one_sector": "Ce territoire est dans le secteur {sector}.",
    "storm": "La tempête, dans le secteur {sector}.",
    "storm_moves": (
        "Personne n'entre dans son secteur ni n'en sort. Elle avance dans le sens inverse des aiguilles d'une montre et"
        " détruit les jetons et l'épice à découvert."
    ),
    "dials": "Sa prochaine avance est réglée par {dialling}.",
    # Seats
    "power_of.atreides": (
        "{Atreides} voient chaque carte de traîtrise avant sa vente et n'achètent donc jamais à l'aveugle. Ils"
        " connaissent la prochaine carte d'épice un tour à l'avance. Au combat, ils voient une partie du plan ennemi,"
        " à leur choix, avant de préparer le leur."
    ),
    "power_of.harkonnen": (
        "{Harkonnen} gardent pour traîtres tous les chefs tirés : plus d'ennemis peuvent tomber par trahison. Avec"
        " chaque carte de traîtrise achetée, ils en reçoivent une seconde pour rien, et ils peuvent en tenir"
        " {hand_limit[1]}."
    ),
    "power_of.emperor": (
        "Ce que les autres paient pour les cartes de traîtrise revient {emperor:to}, qui a ainsi de quoi débarquer"
        " beaucoup de jetons. Avant les enchères, il peut donner de l'épice à ses alliés."
    ),
    "power_of.fremen": (
        "{Fremen} débarquent pour rien, à {landing_steps} {landing_steps:territoire|territoires} au plus"
        " {great_flat:of}, et se déplacent de {fremen_steps} {fremen_steps:territoire|territoires} quand les autres"
        " avancent d'un seul. Les vers épargnent leurs jetons et les portent dans n'importe quel territoire. Si"
        " personne n'a gagné après le dernier tour, ils gagnent, pourvu que nul autre ne soit {sietch_tabr:in} ni"
        " {habbanya_sietch:in}, et que ni {harkonnen}, ni {atreides}, ni {emperor} ne soient {tueks_sietch:in}."
    ),
    "power_of.guild": (
        "Ce que les autres paient pour débarquer revient {guild:to}, qui ne paie elle-même que la moitié. Elle"
        " transporte aussi des jetons d'un territoire à n'importe quel autre, ou les ramène dans sa réserve. Si"
        " personne n'a gagné après le dernier tour, elle gagne, à moins que {fremen} ne l'emportent."
    ),
    "power_of.bene_gesserit": (
        "{Bene_gesserit} prédit avant la partie qui gagnera et quand ; si cela s'accomplit, il gagne seul, à la place"
        " du vainqueur. Au combat, il ordonne à l'ennemi de jouer une sorte de carte, ou de ne pas en jouer. Quand"
        " d'autres débarquent, il peut envoyer un de ses jetons {polar_sink:in}, et les cartes sans valeur lui servent"
        " de {karama:bare}."
    ),
    "power_of.tleilax": (
        "Les jetons que perd {tleilax} peuvent débarquer de nouveau. Il reçoit ce que les autres paient pour la"
        " renaissance, et revend les chefs morts à leurs propriétaires. Son unique chef, le Danseur-Visage, est aussi"
        " fort que le chef ennemi."
    ),
    "no_powers": (
        "Dans cette partie, aucune faction n'a de pouvoirs : elles diffèrent par leurs chefs, par les jetons et l'épice"
        " du début, et par les jetons qui reviennent sans paiement."
    ),
    "seat": "{owner}, {player}.",
    "strongholds": "Forteresses : {number}.",
    "strongholds.allied": "Forteresses avec les alliés : {number}.",
    "won": "La partie est gagnée.",
    "allied": "En alliance avec {allied}.",
    "pledged": "Ses alliés peuvent dépenser {number} de ses épices.",
    "silenced": "Au silence jusqu'à la fin du tour : aucun achat de carte, aucune nouvelle alliance.",
    "prediction": "Prédiction : la victoire {faction:of} au tour {turn}.",
    "has_laid": "Carte posée sur {target} : {card}.",
    "owes": "Dette : {number} {number:épice|épices} {target:to}.",
    "raises": "Ses chefs reviennent, un par tour.",
    "spice": "Épices {owner:of} : {number}.",
    "spice.hidden": "Épices {owner:of}, cachées derrière le paravent.",
    "use_of_spice": "Elles paient les cartes, les débarquements et la renaissance.",
    "reserve": "Réserve {owner:of} : {number} {number:jeton|jetons}.",
    "reserve.hidden": "Réserve {owner:of}, cachée derrière le paravent.",
    "use_of_reserve": "De là, les jetons débarquent sur la planète.",
    "hand": "{owner} {owner:a|ont} {number} {number:carte|cartes} en main, et {most} au plus.",
    "hand.hidden": "{owner} {owner:a|ont} des cartes en main, {most} au plus.",
    "hand_known": "Tout le monde connaît : {cards}.",
    "hand_foreseen": "{atreides} {atreides:a|ont} vu : {cards}.",
    "tanks": "Jetons {owner:of} dans les cuves : {number}.",
    "tanks.tleilax": "Ses jetons perdus vont aussitôt dans la réserve.",
    "revival": "Il en revient {number} par tour sans paiement.",
    "paid_revival": (
        "Les autres coûtent {revival_price} {revival_price:épice|épices} chacun, jusqu'à {revival_most}"
        " {revival_most:jeton|jetons} par tour en tout."
    ),
    # Cards
    "use_of.projectile_weapon": "Une arme qui tue le chef ennemi, sauf si {shield} le protège.",
    "use_of.poison_weapon": "Une arme qui tue le chef ennemi, sauf si {snooper} le protège.",
    "use_of.lasgun": (
        "Une arme qui tue le chef ennemi quelle que soit la défense. Avec {shield} dans le même combat, tout est"
        " détruit dans le territoire."
    ),
    "use_of.shield": ("Une défense contre {projectile_weapon}. Avec {lasgun} dans le même combat, tout est détruit."),
    "use_of.snooper": "Une défense contre {poison_weapon}.",
    "use_of.cheap_hero": "Mène un combat à la place d'un chef, sans force.",
    "use_of.worthless": "Se joue comme arme ou comme défense, sans effet.",
    "use_of.truthtrance": "Oblige un autre joueur à répondre à une question devant tous, sans mentir.",
    "use_of.weather_control": "Qui joue cette carte choisit seul de combien la tempête avance.",
    "use_of.hajr": "Permet à un second groupe de se déplacer ce tour-ci, ou au même une seconde fois.",
    "use_of.tleilaxu_ghola": ("Ramène des cuves un chef, ou jusqu'à {ghola_tokens} {ghola_tokens:jeton|jetons}."),
    "use_of.family_atomics": "Pour détruire {wall} et les jetons qui s'y trouvent.",
    "use_of.harvester": "Apporte une seconde fois la quantité d'une éruption d'épice.",
    "use_of.thumper": "Amène un ver à la place de la prochaine carte d'épice.",
    "use_of.cone_of_silence": (
        "Réduit d'autres joueurs au silence jusqu'à la fin du tour : ils n'achètent aucune carte et ne concluent aucune"
        " alliance."
    ),
    "use_of.residual_poison": (
        "Se pose sur un autre joueur, à qui l'on peut demander une rançon à chaque tour ; s'il la refuse, un chef"
        " meurt."
    ),
    "use_of.karama": (
        "Sert une fois : à empêcher un pouvoir d'un autre joueur, à obtenir une carte en vente pour rien, ou à réduire"
        " de moitié le prix d'un débarquement."
    ),
    "use_of.karama.without_powers": (
        "Sert une fois : à obtenir une carte en vente pour rien, ou à réduire de moitié le prix d'un débarquement."
    ),
    "card": "{heading}.",
    "card.several": "{heading} ({number} en tout).",
    "card.owned": "{heading}, dans la main {owner:of}.",
    "card.several.owned": "{heading} ({number} en tout), dans la main {owner:of}.",
    "leader": "{leader:bare}, force {strength}.",
    "leader.dancer": "{leader:bare}, aussi fort que le chef ennemi.",
    "leader_of": "Un chef {faction:of}.",
    "leader_absent": "Ne participe pas à cette partie.",
    "leader_taken": "Sert maintenant {owner}.",
    "leader_stronger": "Force augmentée de {number} au combat.",
    "leader_weaker": "Force diminuée de {number} au combat.",
    "leader_dead": "Dans les cuves.",
    "leader_used": "A combattu {territory:in} et ne combat nulle part ailleurs ce tour-ci.",
    "leader_traitor": "Un traître au service {owner:of}.",
    # Decks
    "deck": "La pile de traîtrise : {number} {number:carte|cartes}.",
    "deck_discards": "Défausse : {cards}.",
    "deck_top": "Sur le dessus, sans acheteur : {card}.",
    "spice_deck": "La pile d'épice : {number} {number:carte|cartes}, dont {worms} {worms:ver|vers}.",
    "next_blow": "La suivante : {spice_card}.",
    "last_blow": "La dernière éruption d'épice a eu lieu {territory:in}, où viendra le prochain ver.",
    "spice_card": "{amount} {amount:épice|épices} {place:in}",
    "discard": "{heading}, dans la défausse : {number}.",
    "blow_to_come": "Une carte d'épice à venir : {spice_card}.",
    "worms_left": "Il reste {number} {number:ver|vers}.",
    # Buttons
    "no_pass": "Il n'y a rien à refuser en ce moment.",
    "no_yes": "Il n'y a rien à accepter en ce moment.",
    "number": "{number} : {answer}",
    "number.plain": "Le nombre {number}.",
    "turns": "Le tour de la prédiction.",
    "turns.use": "Demande si une prédiction nomme un tour.",
    "turn": "Tour {number}.",
    "must": "Un ordre de jouer une carte.",
    "must.use": "L'ennemi doit jouer une carte de la sorte nommée, s'il le peut.",
    "must_not": "Un ordre de ne pas jouer une carte.",
    "must_not.use": "L'ennemi ne doit pas jouer de carte de la sorte nommée.",
    "element": "Dans le plan : {element}.",
}
