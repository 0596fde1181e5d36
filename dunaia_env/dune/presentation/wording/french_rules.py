"""Dune in French: templates of questions and of reminders of the rules, see `wording.questions`."""

from __future__ import annotations

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
    # Questions
    "question.PREDICT_WHO": "Qui va gagner ?",
    "question.PREDICT_TURN": "À quel tour prédisez-vous la victoire {predicted:of} ?",
    "question.TRAITOR": "Lequel de ces chefs prenez-vous pour traître ?",
    "question.PLACE": "Combien de jetons commencent {here:in} ?",
    "question.WEATHER": "Jouez-vous {weather_control} ?",
    "question.WEATHER_DIAL": "De combien de secteurs la tempête avance-t-elle ?",
    "question.DIAL": "Quel nombre choisissez-vous pour la tempête ?",
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
        "{bidder} {bidder:propose|proposent} {bid} {bid:épice|épices} pour {on_sale}. Combien proposez-vous ?"
    ),
    "question.REVIVAL_CARDS": "Jouez-vous quelque chose avant la renaissance ?",
    "question.REVIVE": "Combien de jetons ranimez-vous contre de l'épice ?",
    "question.WITHDRAW": "Retirez-vous la carte que vous avez posée sur {laid_on} ?",
    "question.SHIP": "Où débarquez-vous des jetons ?",
    "question.SHIP_COUNT": "Combien de jetons débarquent {here:in} ({each_cost_here}) ?",
    "question.SHIP_TO": "Où débarquez-vous {taken:le jeton|les {taken} jetons} ?",
    "question.COUNT": "Sur {there} {there:jeton|jetons} {here:in}, combien partent ?",
    "question.COUNT.lifting": "Sur {there} {there:jeton|jetons} {here:in}, combien embarquent ?",
    "question.ACCOMPANY": "Un autre joueur débarque des jetons. Envoyez-vous un des vôtres vers {polar_sink} ?",
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
    "question.TRUTH": "Quelle question posez-vous {target:to} ?",
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
    "rules.DIAL": "Deux joueurs choisissent un nombre en secret, et la tempête avance de la somme." + _STORM,
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
    "battle.rule": (
        "La plus grande somme de la force du chef et des jetons engagés gagne, et l'agresseur gagne à égalité. Le"
        " vaincu perd tous ses jetons sur place, le vainqueur ceux qu'il a engagés. Une arme tue le chef ennemi, qui ne"
        " compte alors plus, à moins que la bonne défense ne soit jouée : {shield} contre {projectile_weapon},"
        " {snooper} contre {poison_weapon}."
    ),
    "if_stopped.sight": ("Si vous l'empêchez, {atreides} ne {atreides:voit|voient} aucune carte de cette phase."),
    "if_stopped.bonus": (
        "Si vous l'empêchez, {harkonnen} ne {harkonnen:reçoit|reçoivent} pas de seconde carte cette fois."
    ),
    "if_stopped.future": ("Si vous l'empêchez, {atreides} ne {atreides:voit|voient} pas la prochaine carte d'épice."),
    "if_stopped.tame": (
        "Si vous l'empêchez, le ver dévore aussi les jetons {fremen:of} et de leurs alliés, et personne ne le"
        " chevauche."
    ),
    "if_stopped.accompany": "Si vous l'empêchez, aucun jeton ne part.",
    "if_stopped.voice": "Si vous l'empêchez, il n'y a pas d'ordre dans ce combat.",
    "if_stopped.prescience": "Si vous l'empêchez, rien du plan n'est montré.",
    "if_stopped.worthless": (
        "Si vous l'empêchez, les deux cartes sont perdues ; on demande de nouveau la même chose {bene_gesserit:to}."
    ),
    "if_stopped.shipment": "Si vous l'empêchez, rien ne débarque et rien n'est payé.",
    "if_stopped.tamper": "Si vous l'empêchez, le chef garde sa force.",
    "if_stopped.steal": "Si vous l'empêchez, le chef reste dans les cuves, et le ghola est perdu.",
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
    "to_spend": "Vous pouvez dépenser {funds} {funds:épice|épices}.",
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
    "besides.first_dial": " Chacun choisit de {first_dial[0]} à {first_dial[1]}.",
    "besides.later_dial": " Chacun choisit de {later_dial[0]} à {later_dial[1]}.",
    "besides.alliance": " Une alliance a {max_alliance} membres au plus.",
    "besides.laying": (
        " {Residual_poison}, ou {worthless} comme bluff, se pose face cachée sur quelqu'un, à qui l'on peut ensuite"
        " demander une rançon à chaque tour."
    ),
    "besides.emperor": " {Emperor} reçoit ce que vous payez.",
    "besides.guild": " {Guild} reçoit ce que vous payez.",
    "besides.freed": " Revenus sans paiement : {freed}.",
    "besides.second_move": " C'est le second déplacement.",
}
