"""Dune in French."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dunaia_env.dune.presentation.wording import french_pieces, french_rules
from dunaia_env.dune.presentation.wording.french_names import LEADERS, TERRITORIES, bare
from dunaia_env.dune.presentation.wording.words import Words, capital
from dunaia_env.dune.state import FACTION_NAMES
from dunaia_env.support.french import typeset

TEXTS = {
    # Words
    "player": "Joueur {seat}",
    "and": "et",
    "or": "ou",
    "nobody": "personne",
    "somebody": "quelqu'un",
    "it": "cette faction",
    "a_card": "une carte",
    "a_leader": "un chef",
    "the_leader": "le chef",
    "enemys_leader": "le chef ennemi",
    "card_on_sale": "la carte en vente",
    "no_cards": "aucune",
    "in_sector": "(secteur {sector})",
    "part.card": "la carte",
    "part.weapon": "l'arme",
    "part.defence": "la défense",
    "element.leader": "le chef",
    "element.weapon": "l'arme",
    "element.defence": "la défense",
    "element.number": "le nombre de jetons engagés",
    "element.all": "tout",
    "phase.setup": "la mise en place",
    "phase.storm": "la tempête",
    "phase.blow": "l'éruption d'épice",
    "phase.nexus": "le nexus",
    "phase.bidding": "les enchères",
    "phase.revival": "la renaissance",
    "phase.movement": "le mouvement",
    "phase.battle": "le combat",
    "phase.over": "la fin",
    "order.must": "jouer {ordered}",
    "order.must_not": "ne jouer {ordered:no}",
    "truth.card": "avez-vous {card} ?",
    "truth.leader": "avez-vous {leader} pour traître ?",
    "truth.number": "avez-vous {number} {number:épice|épices} ou plus ?",
    "truth.faction": "votre prédiction nomme-t-elle {faction} ?",
    "truth.turn": "votre prédiction nomme-t-elle le tour {number} ?",
    "power": "le pouvoir",
    "power.sight": "le regard {user:of} sur les cartes en vente",
    "power.bonus": "la seconde carte {user:of}",
    "power.future": "le regard {user:of} sur la prochaine carte d'épice",
    "power.tame": "le pouvoir {user:of} sur le ver dans son territoire",
    "power.tame.known": "le pouvoir {user:of} sur le ver venu {worm:in}",
    "power.accompany": "le jeton {user:of} qui part vers {polar_sink}",
    "power.voice": "l'ordre {user:of}",
    "power.voice.known": "l'ordre {user:of} ({voice_order})",
    "power.prescience": "la question {user:of} sur un plan ({asked_element})",
    "power.worthless": "la carte sans valeur dont {user} se {user:sert|servent} comme Karama",
    "power.shipment": "le débarquement {user:of}",
    "power.shipment.known": ("le débarquement par {user} de {landing_tokens} {landing_tokens:jeton|jetons} {here:in}"),
    "power.tamper": "le changement de force que {user} {user:apporte|apportent} {some_leader:to}",
    "power.steal": "le vol {some_leader:of} par {user}",
    "plan.leader": "{leader} ({strength}) pour chef",
    "plan.no_leader": "aucun chef",
    "plan.hero": "un héros bon marché pour chef",
    "plan.weapon": "{card} en attaque",
    "plan.no_weapon": "aucune arme",
    "plan.defence": "{card} en défense",
    "plan.no_defence": "aucune défense",
    "plan.number": "{number} {number:jeton engagé|jetons engagés}",
    "plan.unarmed": "ni chef ni héros",
    "plan.treason": "crie à la trahison",
    "plan.no_treason": "ne crie pas à la trahison",
    "each": "{price} {price:épice|épices} chacun",
    "each.half": "{price} {price:épice|épices} par groupe de 2 jetons",
    "each.free": "sans payer",
    "lifted": "{taken} {taken:jeton|jetons}",
    "lifted.known": "{taken} {taken:jeton|jetons} {origin:of}",
    "worm": "un ver",
    "blow": "{territory:bare} ({amount} {amount:épice|épices})",
    # Actions: clauses without their subject
    "do.hidden": "décide",
    "do.nothing": "{do:ne fait rien|ne rien faire}",
    "do.card": "{do:joue|jouer} {card}",
    "do.lay": "{do:pose|poser} {card}",
    "do.bluff": "{do:pose|poser} {card} comme bluff",
    "do.PREDICT_WHO.faction": "{do:prédit|prédire} la victoire {faction:of}",
    "do.PREDICT_TURN.turn": "{do:prédit|prédire} la victoire {predicted:of} au tour {number}",
    "do.TRAITOR.leader": "{do:prend|prendre} {leader}, chef {home:of}, pour traître",
    "do.PLACE.number": "{do:place|placer} {number} {number:jeton|jetons} {here:in}",
    "do.WEATHER.pass": "{do:ne joue pas|ne pas jouer} le contrôle du temps",
    "do.WEATHER_DIAL.number": "{do:fait|faire} avancer la tempête de {number} {number:secteur|secteurs}",
    "do.DIAL.number": "{do:choisit|choisir} {number} pour la tempête",
    "do.ATOMICS.card": "{do:joue|jouer} {family_atomics} et {do:détruit|détruire} {wall}",
    "do.ATOMICS.pass": "{do:ne joue pas|ne pas jouer} les atomiques",
    "do.BLOW_CARDS.karama": "{do:dépense|dépenser} un Karama pour appeler un ver",
    "do.BLOW_CARDS.pass": "{do:ne joue rien|ne rien jouer} avant l'éruption d'épice",
    "do.WORM.territory": "{do:appelle|appeler} un ver {territory:in}",
    "do.NEXUS_CARDS.pass": "{do:ne joue rien|ne rien jouer} avant le nexus",
    "do.LEAVE.yes": "{do:quitte|quitter} l'alliance avec {allies}",
    "do.LEAVE.pass": "{do:reste|rester} dans l'alliance avec {allies}",
    "do.PROPOSE.seat": "{do:propose|proposer} une alliance {seat:to}",
    "do.PROPOSE.seat.members": "{do:propose|proposer} une alliance {seat:to} (avec {members})",
    "do.PROPOSE.pass": "{do:ne propose|ne proposer} aucune alliance",
    "do.ANSWER.yes": "{do:accepte|accepter} l'alliance avec {asker}",
    "do.ANSWER.pass": "{do:refuse|refuser} l'alliance avec {asker}",
    "do.RIDE.territory": "{do:chevauche|chevaucher} le ver à partir {territory:of}",
    "do.RIDE.pass": "{do:ne chevauche pas|ne pas chevaucher} le ver",
    "do.HARVESTER.card": "{do:joue|jouer} {card} pour l'épice {last_blow:in}",
    "do.HARVESTER.pass": "{do:ne joue pas|ne pas jouer} de moissonneuse",
    "do.BIDDING_CARDS.pass": "{do:ne joue rien|ne rien jouer} avant les enchères",
    "do.RANSOM.number": "{do:demande|demander} {laid_on:to} une rançon de {number} {number:épice|épices}",
    "do.PAY.yes": "{do:paie|payer} {asker:to} la rançon de {price} {price:épice|épices}",
    "do.PAY.pass": "{do:refuse|refuser} {asker:to} la rançon de {price} {price:épice|épices}",
    "do.POISONED.leader": "{do:empoisonne|empoisonner} {leader}, chef {laid_on:of}",
    "do.GIFT.number": "{do:donne|donner} {number} {number:épice|épices} {target:to}",
    "do.GIFT.number.nothing": "{do:ne donne rien|ne rien donner} {target:to}",
    "do.PLEDGE.number": "{do:promet|promettre} {number} {number:épice|épices} {allies:to}",
    "do.BID.number": "{do:propose|proposer} {total} {total:épice|épices}",
    "do.BID.pass": "{do:n'enchérit pas|ne pas enchérir}",
    "do.BID.karama": "{do:dépense|dépenser} un Karama pour obtenir la carte en vente sans payer",
    "do.REVIVAL_CARDS.karama.harkonnen": "{do:dépense|dépenser} un Karama pour échanger des cartes",
    "do.REVIVAL_CARDS.karama.emperor": "{do:dépense|dépenser} un Karama pour ramener un chef ou des jetons",
    "do.REVIVAL_CARDS.karama": (
        "{do:dépense|dépenser} un Karama pour que personne d'autre ne récupère de jetons des cuves ce tour-ci"
    ),
    "do.REVIVAL_CARDS.pass": "{do:ne joue rien|ne rien jouer} avant la renaissance",
    "do.REVIVE.number": (
        "{do:ranime|ranimer} {number} {number:jeton|jetons} pour {revival_cost} {revival_cost:épice|épices}"
    ),
    "do.REVIVE.number.nothing": "{do:ne ranime plus|ne plus ranimer} de jetons",
    "do.WITHDRAW.yes": "{do:retire|retirer} la carte posée sur {laid_on}",
    "do.WITHDRAW.pass": "{do:laisse|laisser} la carte posée sur {laid_on}",
    "do.SHIP.cell": "{do:débarque|débarquer} des jetons {place:in}, {each_cost}",
    "do.SHIP.territory": "{do:embarque|embarquer} des jetons {territory:of}",
    "do.SHIP.karama": "{do:dépense|dépenser} un Karama pour débarquer à moitié prix",
    "do.SHIP.pass": "{do:ne débarque rien|ne rien débarquer}",
    "do.SHIP_COUNT.number": (
        "{do:débarque|débarquer} {number} {number:jeton|jetons} {here:in} pour {landing_cost}"
        " {landing_cost:épice|épices}"
    ),
    "do.SHIP_COUNT.number.free": "{do:débarque|débarquer} {number} {number:jeton|jetons} {here:in} sans payer",
    "do.SHIP_TO.cell": "{do:débarque|débarquer} {lifted} {place:in} pour {shipping_cost} {shipping_cost:épice|épices}",
    "do.SHIP_TO.orbit": "{do:ramène|ramener} {lifted} dans la réserve pour {orbit_cost} {orbit_cost:épice|épices}",
    "do.COUNT.number": "{do:prend|prendre} {number} {number:jeton|jetons} sur {there}, {here:in}",
    "do.COUNT.number.lifting": "{do:embarque|embarquer} {number} {number:jeton|jetons} sur {there}, {here:in}",
    "do.ACCOMPANY.yes": "{do:envoie|envoyer} aussi 1 jeton vers {polar_sink}",
    "do.ACCOMPANY.pass": "{do:n'envoie|n'envoyer} aucun jeton",
    "do.MOVE_FROM.territory": "{do:déplace|déplacer} des jetons à partir {territory:of}",
    "do.MOVE_FROM.pass": "{do:ne déplace|ne déplacer} aucun jeton",
    "do.MOVE_TO.cell": "{do:déplace|déplacer} {lifted} vers {place}",
    "do.HAJR.pass": "{do:ne déplace pas|ne pas déplacer} de second groupe",
    "do.RAISE.leader": "{do:ranime|ranimer} {leader} pour {strength} {strength:épice|épices}",
    "do.RAISE.pass": "{do:ne ranime|ne ranimer} aucun chef",
    "do.BATTLE.cell": "{do:combat|combattre} {place:in}",
    "do.OPPONENT.seat": "{do:attaque|attaquer} {seat}",
    "do.OPPONENT.seat.known": "{do:attaque|attaquer} {seat} {field:in}",
    "do.BATTLE_CARDS.pass": "{do:ne joue rien|ne rien jouer} avant le combat",
    "do.VOICE.must": "{do:ordonne|ordonner} {voice_target:to} de {order}",
    "do.VOICE.must_not": "{do:ordonne|ordonner} {voice_target:to} de {order}",
    "do.VOICE.pass": "{do:ne donne|ne donner} aucun ordre",
    "do.LEADER.leader": "{do:prend|prendre} {leader} (force {strength}) pour chef",
    "do.LEADER.card": "{do:prend|prendre} {cheap_hero} pour chef",
    "do.WEAPON.card": "{do:attaque|attaquer} avec {card}",
    "do.WEAPON.pass": "{do:ne prend|ne prendre} aucune arme",
    "do.DEFENCE.card": "{do:se défend|se défendre} avec {card}",
    "do.DEFENCE.pass": "{do:ne prend|ne prendre} aucune défense",
    "do.NUMBER.number": "{do:engage|engager} {number} {number:jeton|jetons} sur {tokens_in_field}",
    "do.PRESCIENCE.see": "{do:demande|demander} à voir, dans le plan {enemy:of}, {element}",
    "do.PRESCIENCE.karama": "{do:dépense|dépenser} un Karama pour voir tout le plan {enemy:of}",
    "do.PRESCIENCE.pass": "{do:ne demande rien|ne rien demander} sur le plan",
    "do.TREASON.yes": "{do:accuse|accuser} {accused} de trahison",
    "do.TREASON.pass": "{do:n'accuse pas|ne pas accuser} {accused} de trahison",
    "do.LOSS.number": "{do:perd|perdre} {number} {number:jeton|jetons} sur {there}, {here:in}",
    "do.KEEP.yes": "{do:garde|garder} {kept}",
    "do.KEEP.pass": "{do:défausse|défausser} {kept}",
    "do.TRUTH_WHO.seat": "{do:demande|demander} la vérité {seat:to}",
    "do.TRUTH": "{do:demande|demander} {target:to} : {truth}",
    "do.CONE.seat": "{do:réduit|réduire} {seat} au silence",
    "do.CONE.pass": "{do:ne réduit|ne réduire} personne d'autre au silence",
    "do.LAY_WHO.seat": "{do:pose|poser} {laid} sur {seat}",
    "do.GHOLA.leader": "{do:ramène|ramener} {leader} des cuves",
    "do.GHOLA.number": "{do:ramène|ramener} {number} {number:jeton|jetons} des cuves",
    "do.SWAP_WHO.seat": "{do:échange|échanger} des cartes avec {seat}",
    "do.SWAP_COUNT.number": "{do:prend|prendre} {number} {number:carte|cartes} {target:to} sans {number:la|les} voir",
    "do.GIVE.card": "{do:donne|donner} {card} {target:to}",
    "do.KARAMA.karama": "{do:empêche|empêcher} par un Karama {power}",
    "do.KARAMA.pass": "{do:n'empêche pas|ne pas empêcher} {power}",
    "do.BUY_BACK.leader": "{do:demande|demander} {seller:to} de {do:lui|vous} revendre {leader}",
    "do.BUY_BACK.pass": "{do:ne rachète|ne racheter} aucun chef",
    "do.PRICE.number": "{do:demande|demander} {number} {number:épice|épices} pour {asked_leader}",
    "do.PRICE.pass": "{do:ne vend pas|ne pas vendre} {asked_leader}",
    "do.ACCEPT.yes": "{do:paie|payer} {price} {price:épice|épices} pour {asked_leader}",
    "do.ACCEPT.pass": "{do:ne paie pas|ne pas payer} {price} {price:épice|épices} pour {asked_leader}",
    "do.TAMPER.number.0": "{do:baisse|baisser} de 1 la force {asked_leader:of}",
    "do.TAMPER.number.1": "{do:laisse|laisser} telle quelle la force {asked_leader:of}",
    "do.TAMPER.number.2": "{do:augmente|augmenter} de 1 la force {asked_leader:of}",
    # What happened: of a seat, clauses without their subject
    "event.attacks": "attaque {enemy} {place:in}",
    "event.unarmed": "n'a ni chef ni héros pour le plan",
    "event.order": "ordonne {enemy:to} de {order}",
    "event.element": "demande à voir, dans le plan, {element}",
    "event.plan": "dévoile le plan : {plan}",
    "event.treason": "accuse de trahison le chef {enemy:of}",
    "event.won": "gagne le combat contre {enemy} {place:in} par {own} à {other}",
    "event.won.tie": (
        "gagne le combat contre {enemy} {place:in} par {own} à {other} : l'égalité profite à l'agresseur"
    ),
    "event.won.treason": "gagne par trahison le combat contre {enemy} {place:in}",
    "event.dialled": "a choisi {number} pour la tempête",
    "event.truth": "répond {asker:to} : oui ({truth})",
    "event.untruth": "répond {asker:to} : non ({truth})",
    "event.bid": "propose {number} {number:épice|épices}",
    "event.discs": "peut choisir un traître parmi {leaders}",
    "event.traitors": "a soudoyé {leaders}",
    "event.foresees": "voit la prochaine carte d'épice : {spice_card}",
    "event.loses": "perd {number} {number:jeton|jetons} {territory:in}",
    "event.moves": "déplace {number} {number:jeton|jetons} {origin:of} vers {territory}",
    "event.lifts": "retire {number} {number:jeton|jetons} {territory:of}",
    "event.lands": "amène {number} {number:jeton|jetons} {territory:in}",
    "event.revives": "récupère {number} {number:jeton|jetons} des cuves",
    "event.killed": "perd un chef : {leader}",
    "event.back": "retrouve un chef : {leader}",
    "event.owns": "a un chef de plus : {leader}",
    "event.changed": "avait un chef à la force changée de {change:+d} : {leader}",
    "event.reviving": "peut maintenant ranimer ses chefs, un par tour",
    "event.gains": "gagne {amount} {amount:épice|épices} (en a maintenant {now})",
    "event.pays": "paie {amount} {amount:épice|épices} (en a maintenant {now})",
    "event.left": "a encore {number} {number:épice|épices}",
    "event.alms": "n'avait plus rien et reçoit {amount} {amount:épice|épices} d'aumône",
    "event.harvests": "récolte {amount} {amount:épice|épices} {territory:in}",
    "event.harvests.now": "récolte {amount} {amount:épice|épices} {territory:in} (en a maintenant {now})",
    "event.buys": "achète la carte en vente",
    "event.buys.known": "achète {card}",
    "event.gets": "reçoit {number} {number:carte|cartes}",
    "event.gets.known": "reçoit : {cards}",
    "event.gives": "a {number} {number:carte|cartes} de moins",
    "event.lays": "pose une carte sur {target}",
    "event.unlays": "n'a plus de carte posée sur {target}",
    "event.pledges": "promet {number} {number:épice|épices} à ses alliés",
    "event.debt": "doit maintenant {number} {number:épice|épices} {target:to}",
    "event.debt.nothing": "ne doit plus rien {target:to}",
    "event.leaves": "n'est plus dans aucune alliance",
    "event.silenced": "est au silence pour ce tour",
    # What happened: of the common board, whole clauses
    "event.storm": "la tempête passe du secteur {start} au secteur {end}",
    "event.storm.stays": "la tempête reste dans le secteur {end}",
    "event.wall": "les atomiques détruisent {wall}",
    "event.blow": "l'éruption apporte {amount} {amount:épice|épices} {place:in}",
    "event.blow.lost": "l'éruption {place:in} se perd dans la tempête",
    "event.worm": "{number:un ver vient|{number} vers viennent}",
    "event.more": "{amount} {amount:épice|épices} de plus {place:in}",
    "event.less": "{amount} {amount:épice perdue|épices perdues} {territory:in}",
    "event.discarded": "défausse : {cards}",
    "event.removed": "hors du jeu : {cards}",
    "event.sale": "en vente : {card}",
    "event.unsold": "personne ne veut de la carte en vente",
    "event.alliance": "une alliance réunit {members}",
    "event.sight": "{atreides} ne {atreides:voit|voient} pas les cartes en vente dans cette phase",
    "event.embargo": "seul {tleilax} récupère des jetons des cuves ce tour-ci",
    "event.drawn": (
        "personne ne gagne le combat entre {aggressor} et {defender} {place:in} : les chefs des deux camps sont des"
        " traîtres"
    ),
    "event.drawn.exploded": (
        "personne ne gagne le combat entre {aggressor} et {defender} {place:in} : {lasgun} et {shield} ont tout détruit"
    ),
    # A battle that is decided
    "battle.title": "Combat {place:in}",
    "battle.sides": (
        "{field:bare} : {own} avec {own_tokens} {own_tokens:jeton|jetons} contre {enemy} avec {enemy_tokens}."
    ),
    "battle.leaders": "Forces des chefs ennemis : {strengths}.",
    "battle.cards.none": "L'ennemi n'a aucune carte.",
    "battle.cards": "Vous ne connaissez aucune des cartes ennemies ({number}).",
    "battle.cards.known": "Des cartes ennemies ({number}), vous connaissez : {cards}.",
    "battle.plan": "Le plan {owner:of} : {plan}.",
    "battle.own_plan": "Votre plan jusqu'ici : {plan}.",
    "battle.leader": "Chef",
    "battle.weapon": "Arme",
    "battle.defence": "Défense",
    "battle.number": "Jetons engagés",
    "battle.total": "Total",
    "battle.lost": "Jetons perdus",
    "battle.strength": "{leader} ({strength})",
    "battle.killed": "{leader} ({strength}), mort au combat",
    "battle.traitor": "{leader} ({strength}), traître",
    "battle.called": "{caller} {caller:accuse|accusent} {leader} de trahison",
    "battle.won": "{winner} {winner:gagne|gagnent} par {own} à {other}",
    "battle.won.tie": "{winner} {winner:gagne|gagnent} par {own} à {other} : l'égalité profite à l'agresseur",
    "battle.won.treason": "{winner} {winner:gagne|gagnent} par trahison",
    "battle.gain": "{winner} {winner:gagne|gagnent} {amount} {amount:épice|épices} grâce aux chefs morts",
    "event.resumed": "l'éruption d'épice continue après le nexus",
    "event.phase": "ensuite : {phase}",
    "event.turn": "le tour {number} commence",
    "to_win": (
        "forteresses, avec celles des alliés : {held}. Il en faut {needed} à la fin d'un tour pour gagner, seul ou"
        " ensemble."
    ),
    "turn_of": "tour {turn}/{last}",
    "event.over": "la partie est finie : personne ne gagne",
    "event.over.strongholds": "la partie est finie : {winners} {winners:gagne|gagnent} par les forteresses",
    "event.over.prediction": "la partie est finie : {winners} {winners:gagne|gagnent} par la prédiction",
    "event.over.fremen": (
        "la partie est finie : {winners} {winners:gagne|gagnent} parce que les sietchs sont restés en paix"
    ),
    "event.over.guild": (
        "la partie est finie : {winners} {winners:gagne|gagnent} parce que personne d'autre n'a gagné"
    ),
    "event.over.most": (
        "la partie est finie : {winners} {winners:gagne|gagnent} avec {held} {held:forteresse|forteresses} contre"
        " {next_held}"
    ),
    "event.over.most.spice": (
        "la partie est finie : {winners} {winners:gagne|gagnent} à l'épice, par {spice} contre {next_spice}, car les"
        " forteresses sont à égalité ({held} chacun)"
    ),
    "event.over.most.shared": (
        "la partie est finie : {winners} gagnent ensemble, avec {held} {held:forteresse|forteresses} et {spice}"
        " {spice:épice|épices} chacun"
    ),
    "event.over.most.hidden": (
        "la partie est finie : {winners} {winners:gagne|gagnent} avec {held} {held:forteresse|forteresses} ; à égalité,"
        " l'épice a décidé"
    ),
}

# Open ground and walls, on which tokens stand rather than in them.
_ON = (
    *("le Mur", "le Faux Mur", "la Mesa", "les Affleurements", "la Crête"),
    *("la Plaine", "la Grande Plaine", "la Très Grande Plaine", "le Méridien"),
)
_VOWELS = tuple("aàâeéèêiîoôuAÀÂEÉÈÊIÎOÔU")


def of(name: str) -> str:
    """``de`` before a name: ``du Bassin Impérial``, ``des Fremen``, ``d'Arrakeen``."""
    for article, contracted in (("le ", "du "), ("les ", "des ")):
        if name.startswith(article):
            return contracted + name.removeprefix(article)
    return f"d'{name}" if name.startswith(_VOWELS) else f"de {name}"


def to(name: str) -> str:
    """``à`` before a name: ``au Bene Gesserit``, ``aux Fremen``, ``à la Guilde``."""
    for article, contracted in (("le ", "au "), ("les ", "aux ")):
        if name.startswith(article):
            return contracted + name.removeprefix(article)
    return f"à {name}"


def inside(place: str) -> str:
    """Where something is: ``dans le Bassin Impérial``, ``sur la Grande Plaine``, ``à Arrakeen``."""
    if place == bare(place):
        return f"à {place}"
    return f"sur {place}" if place.startswith(_ON) else f"dans {place}"


def none_of(card: str) -> str:
    """A card that is not there: ``aucun bouclier``, ``aucune arme à projectile``."""
    return f"auc{card}" if card.startswith(("un ", "une ")) else f"pas {card}"


_FORMS = {"of": of, "to": to, "in": inside, "no": none_of, "bare": bare}


def inflected(name: str, form: str) -> str:
    """A form of a name; raises `ValueError` for another form than those of this language."""
    if form not in _FORMS:
        raise ValueError(f"form: expected {' or '.join(_FORMS)}, got {form!r}")
    return _FORMS[form](name)


WORDS = Words(
    texts=TEXTS | french_rules.TEXTS | french_pieces.TEXTS,
    factions=(
        "les Atréides",
        "les Harkonnen",
        "l'Empereur",
        "les Fremen",
        "la Guilde",
        "le Bene Gesserit",
        "le Bene Tleilax",
    ),
    cards=(
        "une arme à projectile",
        "une arme empoisonnée",
        "un laser",
        "un bouclier",
        "un goûte-poison",
        "un héros bon marché",
        "une carte sans valeur",
        "une transe de vérité",
        "le contrôle du temps",
        "le Hajr",
        "le ghola du Tleilax",
        "les atomiques de famille",
        "la moissonneuse",
        "le marteleur",
        "le cône de silence",
        "le poison résiduel",
        "un Karama",
    ),
    leaders=LEADERS,
    territories=TERRITORIES,
    prints_french=True,
    is_one=lambda number: abs(number) < 2,
    name_is_one=lambda name: not name.startswith("les "),
    inflected=inflected,
    typeset=typeset,
)


def _titles(texts: Mapping[str, tuple[str, str]]) -> Mapping[str, tuple[str, str]]:
    return MappingProxyType({name: (typeset(title), typeset(help_text)) for name, (title, help_text) in texts.items()})


OPTIONS = _titles(
    {
        "num_players": ("Joueurs", "Le nombre de joueurs autour de la table."),
        "powers": (
            "Pouvoirs",
            "Chaque faction a ses propres avantages. Sans eux, toutes les factions jouent de la même façon.",
        ),
        "deck": ("Cartes de traîtrise", "43 cartes, ou 33 sans celles des extensions."),
        "alliances": (
            "Alliances",
            "À partir de trois joueurs, les joueurs peuvent s'allier chaque fois qu'un ver vient.",
        ),
        "max_alliance": (
            "Plus grande alliance",
            "Le nombre maximal de joueurs dans une alliance ; sans choix, il n'y a pas de limite.",
        ),
        "alliance_strongholds": (
            "Forteresses d'une alliance",
            "Le nombre de forteresses qu'il faut à des alliés pour gagner ensemble.",
        ),
        "karama_powers": ("Pouvoirs de Karama", "Chaque faction a son propre usage d'un Karama."),
        "tleilax": ("Bene Tleilax", "Le Bene Tleilax peut être parmi les factions."),
        "open_shields": (
            "Paravents ouverts",
            "Tous voient combien d'épices et de jetons en réserve ont les autres.",
        ),
        "atreides_sees_bonus": (
            "Les Atréides voient les secondes cartes",
            "Les Atréides voient la seconde carte que reçoivent les Harkonnen.",
        ),
        "undecided": (
            "Parties sans vainqueur",
            (
                "Qui gagne après le dernier tour si personne n'a gagné avant : personne, ou qui a le plus de"
                " forteresses. À égalité, c'est l'épice qui décide ; à épice égale, la victoire est partagée."
            ),
        ),
        "max_turns": ("Tours", "La partie se termine après autant de tours."),
        "factions": (
            "Factions",
            "Qui joue quelle faction. Choisissez-les toutes, ou aucune : elles sont alors tirées au sort.",
        ),
    }
)

CHOICES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "undecided": {"nobody": "Personne", "strongholds": "Le plus de forteresses"},
        "factions": {name: capital(bare(faction)) for name, faction in zip(FACTION_NAMES, WORDS.factions, strict=True)},
    }
)

PRESETS = _titles(
    {
        "full": (
            "Partie complète",
            "Le jeu de base avec les pouvoirs, des alliances de toute taille et les 43 cartes de traîtrise.",
        ),
        "classic": (
            "Partie classique",
            "33 cartes de traîtrise, et des alliances de deux au plus, à qui il faut quatre forteresses.",
        ),
        "plain": (
            "Partie simple",
            (
                "Ni pouvoirs ni alliances : les factions ne diffèrent que par leurs jetons, leur épice et leur"
                " renaissance."
            ),
        ),
        "duel": (
            "Duel",
            (
                "La plus petite partie : les Atréides contre les Harkonnen, sans pouvoirs, en dix tours au plus. Il y a"
                " toujours un vainqueur."
            ),
        ),
    }
)
