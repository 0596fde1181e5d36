"""Dune in French."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dunaia_env.dune.presentation.wording import french_pieces
from dunaia_env.dune.presentation.wording.french_names import LEADERS, TERRITORIES, bare
from dunaia_env.dune.presentation.wording.words import Words
from dunaia_env.support.french import typeset

_STORM = (
    " La tempête avance dans le sens inverse des aiguilles d'une montre. Dans chaque secteur où elle entre, les jetons"
    " à découvert vont dans les cuves et l'épice est perdue."
)
_MAY_ENTER = (
    " Personne n'entre dans la tempête, dans une forteresse où se trouvent les jetons de deux autres joueurs, ni dans"
    " un territoire où se trouve un allié."
)
_PLANS = "Les plans restent cachés jusqu'à ce que les deux soient faits. "
_TRUTHS = "{Truthtrance} oblige un joueur à répondre à une question devant tous, sans mentir."
_SILENCE = (
    "{Cone_of_silence} réduit d'autres joueurs au silence jusqu'à la fin du tour : ils n'achètent aucune carte et ne"
    " concluent aucune alliance."
)
_LAID = (
    " Si la rançon est refusée, la carte est retournée : un poison résiduel tue un chef, et le propriétaire de la carte"
    " gagne la force de ce chef ; pour un bluff, il paie à la victime {bluff_factor} fois la rançon."
)
_HIGHER_SUM = (
    "Le camp dont la somme des jetons engagés et de la force du chef est la plus grande gagne ; en cas d'égalité, c'est"
    " l'attaquant."
)
_LASGUN_AND_SHIELD = " {Lasgun} et {shield} dans le même combat détruisent tout dans le territoire."

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
    "element.number": "le nombre",
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
    "plan.leader": "{leader} pour chef",
    "plan.no_leader": "aucun chef",
    "plan.hero": "un héros bon marché pour chef",
    "plan.weapon": "{card} en attaque",
    "plan.no_weapon": "aucune arme",
    "plan.defence": "{card} en défense",
    "plan.no_defence": "aucune défense",
    "plan.number": "nombre {number}",
    "plan.unarmed": "ni chef ni héros",
    "plan.treason": "crie à la trahison",
    "plan.no_treason": "ne crie pas à la trahison",
    "lifted": "{taken} {taken:jeton|jetons}",
    "lifted.known": "{taken} {taken:jeton|jetons} {origin:of}",
    "worm": "un ver",
    "blow": "{territory:bare} ({amount} {amount:épice|épices})",
    # Questions
    "question.PREDICT_WHO": "Qui va gagner ?",
    "question.PREDICT_TURN": "À quel tour prédisez-vous la victoire {predicted:of} ?",
    "question.TRAITOR": "Quel chef est votre traître ?",
    "question.PLACE": "Combien de jetons commencent {here:in} ?",
    "question.WEATHER": "Jouez-vous le contrôle du temps ?",
    "question.WEATHER_DIAL": "De combien de secteurs la tempête avance-t-elle ?",
    "question.DIAL": "Quel nombre réglez-vous pour la tempête ?",
    "question.ATOMICS": "Détruisez-vous {wall} ?",
    "question.BLOW_CARDS": "Jouez-vous quelque chose avant l'éruption d'épice ?",
    "question.WORM": "Dans quel territoire appelez-vous le ver ?",
    "question.NEXUS_CARDS": "Jouez-vous quelque chose avant le nexus ?",
    "question.LEAVE": "Quittez-vous l'alliance avec {allies} ?",
    "question.PROPOSE": "À qui proposez-vous une alliance ?",
    "question.ANSWER": "Acceptez-vous l'alliance avec {asker} ?",
    "question.RIDE": "Chevauchez-vous le ver ?",
    "question.HARVESTER": "Jouez-vous la moissonneuse ?",
    "question.BIDDING_CARDS": "Jouez-vous quelque chose avant les enchères ?",
    "question.RANSOM": "Quelle rançon demandez-vous {laid_on:to} ?",
    "question.PAY": "Payez-vous {asker:to} une rançon de {price} {price:épice|épices} ?",
    "question.POISONED": "Quel chef {laid_on:of} est empoisonné ?",
    "question.GIFT": "Combien d'épices donnez-vous {target:to} ?",
    "question.PLEDGE": "Combien de vos épices mettez-vous ce tour-ci à la disposition {allies:of} ?",
    "question.BID": "Personne n'a encore enchéri pour {on_sale}. Combien proposez-vous ?",
    "question.BID.raise": (
        "{bidder} {bidder:propose|proposent} {bid} pour {on_sale}. De combien surenchérissez-vous ?"
    ),
    "question.REVIVAL_CARDS": "Jouez-vous quelque chose avant la renaissance ?",
    "question.REVIVE": "Combien de jetons ranimez-vous contre de l'épice ?",
    "question.WITHDRAW": "Retirez-vous la carte que vous avez posée sur {laid_on} ?",
    "question.SHIP": "Où débarquez-vous des jetons ?",
    "question.SHIP_COUNT": "Combien de jetons débarquent {here:in} ?",
    "question.SHIP_TO": "Où débarquez-vous {taken:le jeton|les {taken} jetons} ?",
    "question.COUNT": "Sur {there} {there:jeton|jetons} {here:in}, combien partent ?",
    "question.COUNT.lifting": "Sur {there} {there:jeton|jetons} {here:in}, combien embarquent ?",
    "question.ACCOMPANY": "Un jeton part-il aussi vers {polar_sink} ?",
    "question.MOVE_FROM": "D'où déplacez-vous des jetons ?",
    "question.MOVE_TO": "Où {taken:va le jeton|vont les {taken} jetons} {origin:of} ?",
    "question.HAJR": "Déplacez-vous un second groupe ?",
    "question.RAISE": "Quel chef ranimez-vous ?",
    "question.BATTLE": "Où combattez-vous maintenant ?",
    "question.OPPONENT": "Qui attaquez-vous {field:in} ?",
    "question.BATTLE_CARDS": "Jouez-vous quelque chose avant le combat {field:in} ?",
    "question.VOICE": "Qu'ordonne la Voix {voice_target:to} ?",
    "question.LEADER": "Qui mène vos jetons {field:in} contre {enemy} ?",
    "question.WEAPON": "Quelle arme prenez-vous ?",
    "question.DEFENCE": "Quelle défense prenez-vous ?",
    "question.NUMBER": "Combien de jetons engagez-vous {field:in} ?",
    "question.PRESCIENCE": "Que voulez-vous savoir du plan {enemy:of} ?",
    "question.TREASON": "Accusez-vous {accused} de trahison ?",
    "question.LOSS": "Combien de jetons perdez-vous {here:in} ?",
    "question.KEEP": "Gardez-vous {kept_card} ?",
    "question.TRUTH_WHO": "À qui demandez-vous la vérité ?",
    "question.TRUTH": "Que demandez-vous {target:to} ?",
    "question.CONE": "Qui réduisez-vous au silence ?",
    "question.LAY_WHO": "Sur qui posez-vous la carte ?",
    "question.GHOLA": "Qui revient des cuves ?",
    "question.SWAP_WHO": "Avec qui échangez-vous des cartes ?",
    "question.SWAP_COUNT": "Combien de cartes prenez-vous {target:to} ?",
    "question.GIVE": "Quelle carte donnez-vous {target:to} ?",
    "question.KARAMA": "Empêchez-vous {power} ?",
    "question.BUY_BACK": "Voulez-vous racheter un chef {tleilax:to} ?",
    "question.PRICE": "Quel prix demandez-vous {asker:to} pour {asked_leader} ?",
    "question.ACCEPT": "Payez-vous {price} {price:épice|épices} pour {asked_leader} ?",
    "question.TAMPER": "Changez-vous la force {asked_leader:of} ?",
    "question.OVER": "La partie est finie.",
    "question.hidden": "Quelqu'un d'autre décide.",
    # Rules
    "rules.PREDICT_WHO": (
        "{Bene_gesserit} nomme en secret une autre faction, puis un tour. Si cette faction gagne à ce tour par les"
        " forteresses, seule ou avec des alliés, {bene_gesserit} gagne à sa place, sans partage."
    ),
    "rules.PREDICT_TURN": (
        "La prédiction se réalise si la faction nommée gagne par les forteresses exactement à ce tour, seule ou avec"
        " des alliés."
    ),
    "rules.TRAITOR": (
        "Si un ennemi mène un combat contre vous avec ce chef, vous pouvez crier à la trahison et gagner. Les autres"
        " chefs que vous avez tirés ne trahissent personne."
    ),
    "rules.PLACE": (
        "{Fremen} {fremen:commence|commencent} avec {free} {free:jeton|jetons} dans trois territoires, en répartition"
        " libre. La dernière case prend le reste."
    ),
    "rules.WEATHER": (
        "Qui joue {weather_control} choisit seul de combien la tempête avance, de {weather_dial[0]} à"
        " {weather_dial[1]} secteurs." + _STORM
    ),
    "rules.WEATHER_DIAL": "Le nombre est montré quand la tempête avance." + _STORM,
    "rules.DIAL": "Deux joueurs règlent un nombre en secret, et la tempête avance de la somme." + _STORM,
    "rules.ATOMICS": (
        "Qui a un jeton {wall:in} ou juste à côté peut jouer {family_atomics}. Les jetons qui s'y trouvent vont dans"
        " les cuves, et pour le reste de la partie, la tempête frappe aussi {behind_the_wall}."
    ),
    "rules.BLOW_CARDS": (
        "{Thumper} amène un ver à la place de la première carte d'épice. Un ver dévore ce qui se trouve à l'endroit de"
        " la dernière éruption d'épice, après un nexus."
    ),
    "rules.WORM": (
        "Dans le sable, le ver dévore l'épice et les jetons, sauf ceux {fremen:of} et de leurs alliés. {Fremen}"
        " {fremen:peut|peuvent} le chevaucher à partir de là. Aucun nexus ne suit."
    ),
    "rules.NEXUS_CARDS": _TRUTHS + " " + _SILENCE,
    "rules.LEAVE": (
        "Une alliance ne se quitte que pendant un nexus. Qui reste seul dans une alliance n'est plus dans aucune."
    ),
    "rules.PROPOSE": (
        "Des alliés ne se combattent pas, n'entrent pas dans les territoires les uns des autres et gagnent ensemble,"
        " avec {alliance_strongholds} forteresses. À qui est déjà dans une alliance, on demande d'y entrer ; tous ses"
        " membres répondent."
    ),
    "rules.ANSWER": (
        "Tous ceux à qui l'on demande doivent accepter. Des alliés ne se combattent pas, n'entrent pas dans les"
        " territoires les uns des autres et gagnent ensemble, avec {alliance_strongholds} forteresses."
    ),
    "rules.RIDE": (
        "Tout nombre de jetons du territoire du ver peut le chevaucher vers une case de n'importe quel autre"
        " territoire." + _MAY_ENTER
    ),
    "rules.HARVESTER": "{Harvester} apporte une seconde fois la quantité de l'éruption d'épice.",
    "rules.BIDDING_CARDS": _TRUTHS + " " + _SILENCE,
    "rules.RANSOM": "À chaque tour, vous demandez une rançon pour la carte que vous avez posée." + _LAID,
    "rules.PAY": "Si vous payez, la carte reste où elle est." + _LAID,
    "rules.POISONED": "Le chef va dans les cuves, et vous gagnez sa force en épices.",
    "rules.GIFT": (
        "Avant les enchères, {emperor} peut donner à chaque allié jusqu'à {most_gift} {most_gift:épice|épices}."
    ),
    "rules.PLEDGE": (
        "Jusqu'à la fin du tour, vos alliés peuvent dépenser ce nombre de vos épices, {most_pledge} au plus, pour"
        " enchérir et débarquer."
    ),
    "rules.BID": (
        "Les enchères passent de joueur en joueur vers la droite, jusqu'à ce que ce soit de nouveau au plus offrant."
        " Passer n'est pas définitif. Qui a autant de cartes que la limite le permet n'en achète pas."
    ),
    "rules.REVIVAL_CARDS": (
        "{Tleilaxu_ghola} ramène des cuves un chef ou jusqu'à {ghola_tokens} {ghola_tokens:jeton|jetons}, sans"
        " paiement et au-delà de la limite du tour."
    ),
    "rules.REVIVE": (
        "Il revient au plus {revival_most} {revival_most:jeton|jetons} par tour, y compris ceux qui reviennent sans"
        " paiement. Chacun des autres coûte {revival_price} {revival_price:épice|épices}."
    ),
    "rules.WITHDRAW": "Une carte retirée est défaussée sans être montrée.",
    "rules.SHIP": "{landing}" + _MAY_ENTER + " Des alliés peuvent se retrouver {polar_sink:in}.{lifting}",
    "rules.SHIP_COUNT": "{landing}",
    "rules.SHIP_TO": (
        "{landing} Le retour dans la réserve coûte 1 épice par groupe de {orbit_tokens} {orbit_tokens:jeton|jetons},"
        " même incomplet : désignez la réserve." + _MAY_ENTER
    ),
    "rules.COUNT": (
        "On passe les cases en revue l'une après l'autre. Les jetons pris dans la tempête restent où ils sont."
    ),
    "rules.ACCOMPANY": (
        "Quand un autre joueur débarque des jetons, {bene_gesserit} peut en envoyer un de sa réserve vers {polar_sink},"
        " sans paiement."
    ),
    "rules.MOVE_FROM": "{reach}" + _MAY_ENTER,
    "rules.MOVE_TO": "{reach}" + _MAY_ENTER,
    "rules.HAJR": "Avec {hajr}, un second groupe se déplace, ou le même une seconde fois.",
    "rules.RAISE": (
        "Une fois tous les chefs d'un joueur dans les cuves, un chef revient par tour contre sa force en épices,"
        " jusqu'à ce que chacun soit revenu."
    ),
    "rules.BATTLE": (
        "Dans l'ordre du tour, chaque joueur mène tous ses combats, dans l'ordre qu'il veut. Ceux qui se trouvent dans"
        " la même zone sans être alliés doivent combattre, sauf {polar_sink:in}."
    ),
    "rules.OPPONENT": "Contre plusieurs ennemis dans une zone, les combats ont lieu l'un après l'autre.",
    "rules.BATTLE_CARDS": _TRUTHS + " {Tleilaxu_ghola} ramène un chef des cuves.",
    "rules.VOICE": (
        "L'ordre est public : jouer une carte d'une sorte, ou n'en jouer aucune. Il n'est suivi que si c'est possible."
    ),
    "rules.LEADER": (
        _PLANS + _HIGHER_SUM + " Un chef tué par une arme ne compte pas. {Cheap_hero} n'a aucune force. Un chef ne"
        " combat que dans un territoire par tour."
    ),
    "rules.WEAPON": (
        _PLANS + "{Projectile_weapon} tue un chef sans {shield:bare}, {poison_weapon} un chef sans {snooper:bare},"
        " {lasgun} n'importe quel chef." + _LASGUN_AND_SHIELD
    ),
    "rules.DEFENCE": (
        _PLANS
        + "{Shield} protège le chef contre {projectile_weapon}, {snooper} contre {poison_weapon}."
        + _LASGUN_AND_SHIELD
    ),
    "rules.NUMBER": (
        _PLANS + "Le gagnant perd autant de jetons qu'il en a engagé, le perdant tous ceux de la zone. " + _HIGHER_SUM
    ),
    "rules.PRESCIENCE": (
        "{Atreides} {atreides:peut|peuvent} demander à voir une partie du plan ennemi avant que l'autre plan soit fait."
    ),
    "rules.TREASON": (
        "Un traître fait perdre le combat à son camp : tous les jetons de la zone, les cartes du plan et le chef."
        " L'autre camp ne perd rien et gagne la force du traître en épices. Si les deux camps crient à la trahison,"
        " tous deux perdent."
    ),
    "rules.LOSS": "Le gagnant perd autant de jetons qu'il en a engagé, dans les cases de la zone qu'il veut.",
    "rules.KEEP": (
        "Le gagnant garde ou défausse chaque carte du plan. Tout le monde connaît une carte qui est gardée."
    ),
    "rules.TRUTH_WHO": "Question et réponse sont publiques, et la réponse est vraie.",
    "rules.TRUTH": "Question et réponse sont publiques, et la réponse est vraie. {ask}",
    "rules.CONE": _SILENCE + " Des alliés ne peuvent pas être réduits au silence.",
    "rules.LAY_WHO": (
        "La carte est posée face cachée. Vous demandez une rançon pour elle maintenant, puis à chaque tour." + _LAID
    ),
    "rules.GHOLA": "Ce qui revient ne coûte rien. {fetched}",
    "rules.SWAP_WHO": "Vous prenez des cartes d'un autre joueur sans les voir, et en rendez autant de votre choix.",
    "rules.SWAP_COUNT": "Vous rendez autant de cartes que vous en prenez.",
    "rules.GIVE": ("Vous pouvez rendre ce que vous venez de prendre. Il reste à rendre : {left} {left:carte|cartes}."),
    "rules.KARAMA": "{if_stopped} La carte que vous dépensez est défaussée.",
    "rules.BUY_BACK": "{Tleilax} fixe un prix ou refuse. Un chef racheté ne combat pas contre {tleilax}.",
    "rules.PRICE": (
        "Le prix est de {most_price} {most_price:épice|épices} au plus. Après le paiement, vous pouvez changer de 1 la"
        " force du chef."
    ),
    "rules.ACCEPT": "Un chef racheté est vivant, mais {tleilax} a pu changer sa force de 1.",
    "rules.TAMPER": (
        "Le changement compte désormais dans tous les combats. Personne d'autre ne le voit avant que le chef ait"
        " combattu."
    ),
    "rules.OVER": "{ending}",
    "rules.hidden": "Seul le joueur interrogé voit qui décide, et de quoi.",
    "if_stopped.sight": ("En cas d'empêchement, {atreides} ne {atreides:voit|voient} aucune carte de cette phase."),
    "if_stopped.bonus": (
        "En cas d'empêchement, {harkonnen} ne {harkonnen:reçoit|reçoivent} pas de seconde carte cette fois."
    ),
    "if_stopped.future": ("En cas d'empêchement, {atreides} ne {atreides:voit|voient} pas la prochaine carte d'épice."),
    "if_stopped.tame": (
        "En cas d'empêchement, le ver dévore aussi les jetons {fremen:of} et de leurs alliés, et personne ne le"
        " chevauche."
    ),
    "if_stopped.accompany": "En cas d'empêchement, aucun jeton ne part.",
    "if_stopped.voice": "En cas d'empêchement, il n'y a pas d'ordre dans ce combat.",
    "if_stopped.prescience": "En cas d'empêchement, rien du plan n'est montré.",
    "if_stopped.worthless": (
        "En cas d'empêchement, les deux cartes sont perdues ; on demande de nouveau la même chose {bene_gesserit:to}."
    ),
    "if_stopped.shipment": "En cas d'empêchement, rien ne débarque et rien n'est payé.",
    "if_stopped.tamper": "En cas d'empêchement, le chef garde sa force.",
    "if_stopped.steal": "En cas d'empêchement, le chef reste dans les cuves, et le ghola est perdu.",
    "with_karama.fremen": " Avec {karama}, vous appelez un ver dans n'importe quel territoire.",
    "with_karama.BID": " Avec {karama}, vous obtenez la carte sans payer.",
    "with_karama.harkonnen": " Avec {karama}, vous échangez des cartes avec un autre joueur.",
    "with_karama.emperor": (
        " Avec {karama}, vous ramenez des cuves un chef ou jusqu'à {emperor_tokens} {emperor_tokens:jeton|jetons}."
    ),
    "with_karama.tleilax": (
        " Avec {karama}, vous retenez dans les cuves les jetons de tous les autres jusqu'à la fin du tour."
    ),
    "with_karama.SHIP": " Avec {karama}, le débarquement coûte la moitié.",
    "with_karama.atreides": " Avec {karama}, vous voyez tout le plan.",
    "landing": (
        "Un jeton coûte {stronghold_price} {stronghold_price:épice|épices} dans une forteresse et {landing_price}"
        " ailleurs."
    ),
    "landing.half": (
        "Un jeton coûte {stronghold_price} {stronghold_price:épice|épices} dans une forteresse et {landing_price}"
        " ailleurs, et vous payez la moitié du total."
    ),
    "landing.fremen": (
        "{Fremen} {fremen:débarque|débarquent} sans paiement, à {landing_steps}"
        " {landing_steps:territoire|territoires} au plus {great_flat:of}."
    ),
    "lifting": " Pour embarquer des jetons du plateau, désignez le nom de leur territoire.",
    "reach.ride": "Ceux qui chevauchent vont dans une case de n'importe quel autre territoire.",
    "reach": (
        "Un groupe va d'un territoire à {range:un territoire voisin|un autre, à {range} pas au plus}. Avec des jetons"
        " {ornithopters:in}, il vole de {ornithopter_steps} pas."
    ),
    "reach.flies": "Un groupe va d'un territoire à {range:un territoire voisin|un autre, à {range} pas au plus}.",
    "ask": "Désignez {ways}.",
    "ask.card": "le nombre de cartes pour demander une carte",
    "ask.leader": "un chef pour demander s'il est un traître",
    "ask.spice": "l'épice pour demander une quantité",
    "ask.prediction": "un joueur pour demander la prédiction",
    "fetched.tleilax": "{Tleilax} ramène son propre chef, ou prend un chef mort d'un autre joueur.",
    "fetched.battle": "Dans un combat, seul un chef revient.",
    "fetched.karama": "Il revient un chef, ou jusqu'à {emperor_tokens} {emperor_tokens:jeton|jetons}.",
    "fetched.ghola": "Il revient un chef, ou jusqu'à {ghola_tokens} {ghola_tokens:jeton|jetons}.",
    "besides.first_dial": " Chacun règle de {first_dial[0]} à {first_dial[1]}.",
    "besides.later_dial": " Chacun règle de {later_dial[0]} à {later_dial[1]}.",
    "besides.alliance": " Une alliance a {max_alliance} membres au plus.",
    "besides.laying": (
        " {Residual_poison}, ou {worthless} comme bluff, se pose face cachée sur quelqu'un, à qui l'on peut ensuite"
        " demander une rançon à chaque tour."
    ),
    "besides.emperor": " {Emperor} reçoit ce que vous payez.",
    "besides.guild": " {Guild} reçoit ce que vous payez.",
    "besides.freed": " Revenus sans paiement : {freed}.",
    "besides.second_move": " C'est le second déplacement.",
    # Actions: clauses without their subject
    "do.hidden": "décide",
    "do.nothing": "ne fait rien",
    "do.card": "joue {card}",
    "do.lay": "pose {card}",
    "do.bluff": "pose {card} comme bluff",
    "do.PREDICT_WHO.faction": "prédit la victoire {faction:of}",
    "do.PREDICT_TURN.turn": "prédit la victoire {predicted:of} au tour {number}",
    "do.TRAITOR.leader": "prend {leader}, chef {home:of}, pour traître",
    "do.PLACE.number": "place {number} {number:jeton|jetons} {here:in}",
    "do.WEATHER.pass": "ne joue pas le contrôle du temps",
    "do.WEATHER_DIAL.number": "fait avancer la tempête de {number} {number:secteur|secteurs}",
    "do.DIAL.number": "règle {number} pour la tempête",
    "do.ATOMICS.card": "joue {family_atomics} et détruit {wall}",
    "do.ATOMICS.pass": "ne joue pas les atomiques",
    "do.BLOW_CARDS.karama": "dépense un Karama pour appeler un ver",
    "do.BLOW_CARDS.pass": "ne joue rien avant l'éruption d'épice",
    "do.WORM.territory": "appelle un ver {territory:in}",
    "do.NEXUS_CARDS.pass": "ne joue rien avant le nexus",
    "do.LEAVE.yes": "quitte l'alliance avec {allies}",
    "do.LEAVE.pass": "reste dans l'alliance avec {allies}",
    "do.PROPOSE.seat": "propose une alliance {seat:to}",
    "do.PROPOSE.seat.members": "propose une alliance {seat:to} (avec {members})",
    "do.PROPOSE.pass": "ne propose aucune alliance",
    "do.ANSWER.yes": "accepte l'alliance avec {asker}",
    "do.ANSWER.pass": "refuse l'alliance avec {asker}",
    "do.RIDE.territory": "chevauche le ver à partir {territory:of}",
    "do.RIDE.pass": "ne chevauche pas le ver",
    "do.HARVESTER.card": "joue {card} pour l'épice {last_blow:in}",
    "do.HARVESTER.pass": "ne joue pas de moissonneuse",
    "do.BIDDING_CARDS.pass": "ne joue rien avant les enchères",
    "do.RANSOM.number": "demande {laid_on:to} une rançon de {number} {number:épice|épices}",
    "do.PAY.yes": "paie {asker:to} la rançon de {price} {price:épice|épices}",
    "do.PAY.pass": "refuse {asker:to} la rançon de {price} {price:épice|épices}",
    "do.POISONED.leader": "empoisonne {leader}, chef {laid_on:of}",
    "do.GIFT.number": "donne {number} {number:épice|épices} {target:to}",
    "do.GIFT.number.nothing": "ne donne rien {target:to}",
    "do.PLEDGE.number": "promet {number} {number:épice|épices} {allies:to}",
    "do.BID.number": "propose {number}",
    "do.BID.number.raise": "propose {total} (surenchère de {number})",
    "do.BID.pass": "n'enchérit pas",
    "do.BID.karama": "dépense un Karama pour obtenir la carte en vente sans payer",
    "do.REVIVAL_CARDS.karama.harkonnen": "dépense un Karama pour échanger des cartes",
    "do.REVIVAL_CARDS.karama.emperor": "dépense un Karama pour ramener un chef ou des jetons",
    "do.REVIVAL_CARDS.karama": (
        "dépense un Karama pour que personne d'autre ne récupère de jetons des cuves ce tour-ci"
    ),
    "do.REVIVAL_CARDS.pass": "ne joue rien avant la renaissance",
    "do.REVIVE.number": ("ranime {number} {number:jeton|jetons} pour {revival_cost} {revival_cost:épice|épices}"),
    "do.REVIVE.number.nothing": "ne ranime plus de jetons",
    "do.WITHDRAW.yes": "retire la carte posée sur {laid_on}",
    "do.WITHDRAW.pass": "laisse la carte posée sur {laid_on}",
    "do.SHIP.cell": "débarque des jetons {place:in}",
    "do.SHIP.territory": "embarque des jetons {territory:of}",
    "do.SHIP.karama": "dépense un Karama pour débarquer à moitié prix",
    "do.SHIP.pass": "ne débarque rien",
    "do.SHIP_COUNT.number": (
        "débarque {number} {number:jeton|jetons} {here:in} pour {landing_cost} {landing_cost:épice|épices}"
    ),
    "do.SHIP_COUNT.number.free": "débarque {number} {number:jeton|jetons} {here:in} sans payer",
    "do.SHIP_TO.cell": "débarque {lifted} {place:in} pour {shipping_cost} {shipping_cost:épice|épices}",
    "do.SHIP_TO.orbit": "ramène {lifted} dans la réserve pour {orbit_cost} {orbit_cost:épice|épices}",
    "do.COUNT.number": "prend {number} {number:jeton|jetons} sur {there}, {here:in}",
    "do.COUNT.number.lifting": "embarque {number} {number:jeton|jetons} sur {there}, {here:in}",
    "do.ACCOMPANY.yes": "envoie aussi 1 jeton vers {polar_sink}",
    "do.ACCOMPANY.pass": "n'envoie aucun jeton",
    "do.MOVE_FROM.territory": "déplace des jetons à partir {territory:of}",
    "do.MOVE_FROM.pass": "ne déplace aucun jeton",
    "do.MOVE_TO.cell": "déplace {lifted} vers {place}",
    "do.HAJR.pass": "ne déplace pas de second groupe",
    "do.RAISE.leader": "ranime {leader} pour {strength} {strength:épice|épices}",
    "do.RAISE.pass": "ne ranime aucun chef",
    "do.BATTLE.cell": "combat {place:in}",
    "do.OPPONENT.seat": "attaque {seat}",
    "do.OPPONENT.seat.known": "attaque {seat} {field:in}",
    "do.BATTLE_CARDS.pass": "ne joue rien avant le combat",
    "do.VOICE.must": "ordonne {voice_target:to} de {order}",
    "do.VOICE.must_not": "ordonne {voice_target:to} de {order}",
    "do.VOICE.pass": "ne donne aucun ordre",
    "do.LEADER.leader": "prend {leader} pour chef",
    "do.LEADER.card": "prend {cheap_hero} pour chef",
    "do.WEAPON.card": "attaque avec {card}",
    "do.WEAPON.pass": "ne prend aucune arme",
    "do.DEFENCE.card": "se défend avec {card}",
    "do.DEFENCE.pass": "ne prend aucune défense",
    "do.NUMBER.number": "engage {number} {number:jeton|jetons} sur {tokens_in_field}",
    "do.PRESCIENCE.see": "demande à voir, dans le plan {enemy:of}, {element}",
    "do.PRESCIENCE.karama": "dépense un Karama pour voir tout le plan {enemy:of}",
    "do.PRESCIENCE.pass": "ne demande rien sur le plan",
    "do.TREASON.yes": "accuse {accused} de trahison",
    "do.TREASON.pass": "n'accuse pas {accused} de trahison",
    "do.LOSS.number": "perd {number} {number:jeton|jetons} sur {there}, {here:in}",
    "do.KEEP.yes": "garde {kept}",
    "do.KEEP.pass": "défausse {kept}",
    "do.TRUTH_WHO.seat": "demande la vérité {seat:to}",
    "do.TRUTH": "demande {target:to} : {truth}",
    "do.CONE.seat": "réduit {seat} au silence",
    "do.CONE.pass": "ne réduit personne d'autre au silence",
    "do.LAY_WHO.seat": "pose {laid} sur {seat}",
    "do.GHOLA.leader": "ramène {leader} des cuves",
    "do.GHOLA.number": "ramène {number} {number:jeton|jetons} des cuves",
    "do.SWAP_WHO.seat": "échange des cartes avec {seat}",
    "do.SWAP_COUNT.number": "prend {number} {number:carte|cartes} {target:to} sans {number:la|les} voir",
    "do.GIVE.card": "donne {card} {target:to}",
    "do.KARAMA.karama": "empêche par un Karama {power}",
    "do.KARAMA.pass": "n'empêche pas {power}",
    "do.BUY_BACK.leader": "demande {seller:to} de lui revendre {leader}",
    "do.BUY_BACK.pass": "ne rachète aucun chef",
    "do.PRICE.number": "demande {number} {number:épice|épices} pour {asked_leader}",
    "do.PRICE.pass": "ne vend pas {asked_leader}",
    "do.ACCEPT.yes": "paie {price} {price:épice|épices} pour {asked_leader}",
    "do.ACCEPT.pass": "ne paie pas {price} {price:épice|épices} pour {asked_leader}",
    "do.TAMPER.number.0": "baisse de 1 la force {asked_leader:of}",
    "do.TAMPER.number.1": "laisse telle quelle la force {asked_leader:of}",
    "do.TAMPER.number.2": "augmente de 1 la force {asked_leader:of}",
    # What happened: of a seat, clauses without their subject
    "event.attacks": "attaque {enemy} {place:in}",
    "event.unarmed": "n'a ni chef ni héros pour le plan",
    "event.order": "ordonne {enemy:to} de {order}",
    "event.element": "demande à voir, dans le plan, {element}",
    "event.plan": "dévoile le plan : {plan}",
    "event.treason": "accuse de trahison le chef {enemy:of}",
    "event.truth": "répond {asker:to} : oui ({truth})",
    "event.untruth": "répond {asker:to} : non ({truth})",
    "event.bid": "propose {number}",
    "event.discs": "a tiré {leaders}",
    "event.traitors": "a pour traîtres {leaders}",
    "event.foresees": "voit la prochaine carte d'épice : {spice_card}",
    "event.loses": "perd {number} {number:jeton|jetons} {territory:in}",
    "event.moves": "déplace {number} {number:jeton|jetons} {origin:of} vers {territory}",
    "event.lifts": "retire {number} {number:jeton|jetons} {territory:of}",
    "event.lands": "amène {number} {number:jeton|jetons} {territory:in}",
    "event.revives": "récupère {number} {number:jeton|jetons} des cuves",
    "event.killed": "perd {leader}",
    "event.back": "retrouve {leader}",
    "event.owns": "a maintenant {leader}",
    "event.changed": "a {leader} avec une force changée de {change:+d}",
    "event.reviving": "peut maintenant ranimer ses chefs, un par tour",
    "event.gains": "gagne {amount} {amount:épice|épices} (en a maintenant {now})",
    "event.pays": "paie {amount} {amount:épice|épices} (en a maintenant {now})",
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
    "event.wall": "les atomiques détruisent {wall}",
    "event.blow": "l'éruption apporte {amount} {amount:épice|épices} {place:in}",
    "event.blow.lost": "l'éruption {place:in} se perd dans la tempête",
    "event.worm": "{number:un ver vient|{number} vers viennent}",
    "event.more": "{amount} {amount:épice|épices} de plus {place:in}",
    "event.less": "{amount} {amount:épice|épices} de moins {territory:in}",
    "event.discarded": "défausse : {cards}",
    "event.removed": "hors du jeu : {cards}",
    "event.sale": "en vente : {card}",
    "event.unsold": "personne ne veut de la carte en vente",
    "event.alliance": "une alliance réunit {members}",
    "event.sight": "{atreides} ne {atreides:voit|voient} aucune carte de cette phase",
    "event.embargo": "seul {tleilax} récupère des jetons des cuves",
    "event.fought": (
        "le combat {place:in} est fini : il y reste {attacking} {attacking:jeton|jetons} {aggressor:to} et {defending}"
        " {defending:jeton|jetons} {defender:to}"
    ),
    "event.phase": "ensuite : {phase}",
    "event.turn": "le tour {number} commence",
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
        "la partie est finie : {winners} {winners:gagne|gagnent} par le plus grand nombre de forteresses"
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
    texts=TEXTS | french_pieces.TEXTS,
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
                " forteresses."
            ),
        ),
        "max_turns": ("Tours", "La partie se termine après autant de tours."),
        "factions": (
            "Factions",
            "Qui joue quelle faction. Choisissez-les toutes, ou aucune : elles sont alors tirées au sort.",
        ),
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
