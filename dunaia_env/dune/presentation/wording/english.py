"""Dune in English."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dunaia_env.dune.presentation.wording import english_pieces
from dunaia_env.dune.presentation.wording.words import Words

_STORM = (
    " The storm moves counter-clockwise. In each sector that it enters tokens on open ground go to the tanks and spice"
    " is lost."
)
_MAY_ENTER = " Nobody enters the storm, a stronghold with tokens of two others, or a territory with an ally in it."
_PLANS = "Plans stay hidden until both are made. "
_TRUTHS = "{Truthtrance} makes a player answer a question openly and truthfully."
_SILENCE = "{Cone_of_silence} silences others until the end of the turn: they buy no card and make no alliance."
_LAID = (
    " If the ransom is refused, the card is turned: a Residual Poison kills a leader, and its owner gains the leader's"
    " strength; for a bluff the owner pays the victim {bluff_factor} times the ransom."
)
_HIGHER_SUM = (
    "The side with the higher sum of tokens staked and of the leader's strength wins, a tie goes to the aggressor."
)
_LASGUN_AND_SHIELD = " {Lasgun} and {shield} in the same battle destroy everything in the territory."

TEXTS = {
    # Words
    "player": "player {seat}",
    "and": "and",
    "or": "or",
    "nobody": "nobody",
    "somebody": "somebody",
    "it": "it",
    "a_card": "a card",
    "a_leader": "a leader",
    "the_leader": "the leader",
    "enemys_leader": "the enemy's leader",
    "card_on_sale": "the card on sale",
    "no_cards": "none",
    "in_sector": "(sector {sector})",
    "part.card": "the card",
    "part.weapon": "the weapon",
    "part.defence": "the defence",
    "element.leader": "the leader",
    "element.weapon": "the weapon",
    "element.defence": "the defence",
    "element.number": "the number",
    "element.all": "all",
    "phase.setup": "set-up",
    "phase.storm": "the storm",
    "phase.blow": "the spice blow",
    "phase.nexus": "the nexus",
    "phase.bidding": "the bidding",
    "phase.revival": "revival",
    "phase.movement": "movement",
    "phase.battle": "battle",
    "phase.over": "the end",
    "order.must": "play {ordered}",
    "order.must_not": "play no {ordered:bare}",
    "truth.card": "do you hold {card}?",
    "truth.leader": "is {leader} your traitor?",
    "truth.number": "do you have {number} spice or more?",
    "truth.faction": "does your prediction name {faction}?",
    "truth.turn": "does your prediction name turn {number}?",
    "power": "the power",
    "power.sight": "{user:whose} sight of the cards on sale",
    "power.bonus": "{user:whose} second card",
    "power.future": "{user:whose} look at the next spice card",
    "power.tame": "{user:whose} power over the worm in its territory",
    "power.tame.known": "{user:whose} power over the worm in {worm}",
    "power.accompany": "{user:whose} token that goes along to the {polar_sink}",
    "power.voice": "{user:whose} order",
    "power.voice.known": "{user:whose} order ({voice_order})",
    "power.prescience": "{user:whose} question about {asked_element} of a plan",
    "power.worthless": "the worthless card that {user} used as a Karama",
    "power.shipment": "{user:whose} shipment",
    "power.shipment.known": "{user:whose} landing of {landing_tokens} {landing_tokens:token|tokens} in {here}",
    "power.tamper": "{user:whose} change to {some_leader}",
    "power.steal": "{user:whose} theft of {some_leader}",
    "plan.leader": "leader {leader}",
    "plan.no_leader": "leader none",
    "plan.hero": "leader a cheap hero",
    "plan.weapon": "weapon {card:bare}",
    "plan.no_weapon": "weapon none",
    "plan.defence": "defence {card:bare}",
    "plan.no_defence": "defence none",
    "plan.number": "number {number}",
    "plan.unarmed": "neither leader nor hero",
    "plan.treason": "calls treason",
    "plan.no_treason": "does not call treason",
    "lifted": "{taken} {taken:token|tokens}",
    "lifted.known": "{taken} {taken:token|tokens} from {origin}",
    "worm": "a worm",
    "blow": "{territory} ({amount} spice)",
    # Questions
    "question.PREDICT_WHO": "Who will win?",
    "question.PREDICT_TURN": "In which turn will {predicted} win?",
    "question.TRAITOR": "Which leader is your traitor?",
    "question.PLACE": "How many tokens begin in {here}?",
    "question.WEATHER": "Do you control the weather?",
    "question.WEATHER_DIAL": "How many sectors does the storm move?",
    "question.DIAL": "Which number do you dial for the storm?",
    "question.ATOMICS": "Do you destroy the {wall}?",
    "question.BLOW_CARDS": "Do you play something before the spice blow?",
    "question.WORM": "To which territory do you call the worm?",
    "question.NEXUS_CARDS": "Do you play something before the nexus?",
    "question.LEAVE": "Do you leave the alliance with {allies}?",
    "question.PROPOSE": "To whom do you propose an alliance?",
    "question.ANSWER": "Do you ally yourself with {asker}?",
    "question.RIDE": "Do you ride the worm?",
    "question.HARVESTER": "Do you play the harvester?",
    "question.BIDDING_CARDS": "Do you play something before the bidding?",
    "question.RANSOM": "Which ransom do you ask from {laid_on}?",
    "question.PAY": "Do you pay {asker} a ransom of {price} spice?",
    "question.POISONED": "Which leader of {laid_on} is poisoned?",
    "question.GIFT": "How much spice do you give {target}?",
    "question.PLEDGE": "How much of your spice may {allies} spend in this turn?",
    "question.BID": "Nobody has bid for {on_sale} yet. How much do you bid?",
    "question.BID.raise": "{bidder} bids {bid} for {on_sale}. By how much do you raise?",
    "question.REVIVAL_CARDS": "Do you play something before revival?",
    "question.REVIVE": "How many tokens do you revive for spice?",
    "question.WITHDRAW": "Do you withdraw the card that you laid on {laid_on}?",
    "question.SHIP": "Where do you ship tokens?",
    "question.SHIP_COUNT": "How many tokens land in {here}?",
    "question.SHIP_TO": "Where do you ship the {taken:token|{taken} tokens}?",
    "question.COUNT": "How many of the {there} {there:token|tokens} in {here} go along?",
    "question.COUNT.lifting": "How many of the {there} {there:token|tokens} in {here} are lifted?",
    "question.ACCOMPANY": "Does a token go along to the {polar_sink}?",
    "question.MOVE_FROM": "From where do you move tokens?",
    "question.MOVE_TO": "Where {taken:does|do} the {taken:token|{taken} tokens} from {origin} go?",
    "question.HAJR": "Do you move a second group?",
    "question.RAISE": "Which leader do you raise?",
    "question.BATTLE": "Where do you fight now?",
    "question.OPPONENT": "Whom do you attack in {field}?",
    "question.BATTLE_CARDS": "Do you play something before the battle in {field}?",
    "question.VOICE": "What does the Voice order {voice_target}?",
    "question.LEADER": "Who leads you in {field} against {enemy}?",
    "question.WEAPON": "Which weapon do you take?",
    "question.DEFENCE": "Which defence do you take?",
    "question.NUMBER": "How many tokens do you stake in {field}?",
    "question.PRESCIENCE": "What do you want to know of {enemy:whose} plan?",
    "question.TREASON": "Do you call {accused} a traitor?",
    "question.LOSS": "How many tokens do you lose in {here}?",
    "question.KEEP": "Do you keep {kept_card}?",
    "question.TRUTH_WHO": "Whom do you ask for a truth?",
    "question.TRUTH": "What do you ask {target}?",
    "question.CONE": "Whom do you silence?",
    "question.LAY_WHO": "On whom do you lay the card?",
    "question.GHOLA": "Who comes back from the tanks?",
    "question.SWAP_WHO": "With whom do you exchange cards?",
    "question.SWAP_COUNT": "How many cards of {target} do you take?",
    "question.GIVE": "Which card do you give {target}?",
    "question.KARAMA": "Do you stop {power}?",
    "question.BUY_BACK": "Do you want to buy a leader back from {tleilax}?",
    "question.PRICE": "What does {asked_leader} cost {asker}?",
    "question.ACCEPT": "Do you pay {price} spice for {asked_leader}?",
    "question.TAMPER": "Do you change the strength of {asked_leader}?",
    "question.OVER": "The game is over.",
    "question.hidden": "Somebody else decides.",
    # Rules
    "rules.PREDICT_WHO": (
        "{Bene_gesserit} names in secret another faction and then a turn. If that faction wins by strongholds in that"
        " turn, alone or with allies, {bene_gesserit} wins instead, alone."
    ),
    "rules.PREDICT_TURN": (
        "The prediction comes true if the named faction wins by strongholds in exactly this turn, alone or with allies."
    ),
    "rules.TRAITOR": (
        "If an enemy leads a battle against you with this leader, you may call treason and win. The others that you"
        " have drawn betray nobody."
    ),
    "rules.PLACE": (
        "{Fremen} begins with {free} {free:token|tokens} in three territories, spread as it likes. The last cell takes"
        " the rest."
    ),
    "rules.WEATHER": (
        "Whoever plays {weather_control} alone chooses how far the storm moves, {weather_dial[0]} to {weather_dial[1]}"
        " sectors." + _STORM
    ),
    "rules.WEATHER_DIAL": "The number is shown when the storm moves." + _STORM,
    "rules.DIAL": "Two players dial in secret, and the storm moves by the sum." + _STORM,
    "rules.ATOMICS": (
        "{Family_atomics} can be played by whoever has a token on the {wall} or beside it. Tokens on it go to the"
        " tanks, and for the rest of the game {behind_the_wall} are open to the storm."
    ),
    "rules.BLOW_CARDS": (
        "{Thumper} brings a worm in place of the first spice card. A worm devours what is where the last spice blow"
        " was, after a nexus."
    ),
    "rules.WORM": (
        "On sand the worm devours spice and tokens, except those of {fremen} and its allies. {Fremen} may ride it from"
        " there. No nexus follows."
    ),
    "rules.NEXUS_CARDS": _TRUTHS + " " + _SILENCE,
    "rules.LEAVE": "An alliance can be left in a nexus only. Who is left alone in an alliance is in none.",
    "rules.PROPOSE": (
        "Allies do not fight each other, do not enter each other's territories, and win together, with"
        " {alliance_strongholds} strongholds. Whoever is in an alliance can be asked to let you join; all its members"
        " answer."
    ),
    "rules.ANSWER": (
        "All who are asked have to accept. Allies do not fight each other, do not enter each other's territories, and"
        " win together, with {alliance_strongholds} strongholds."
    ),
    "rules.RIDE": (
        "Any number of tokens in the worm's territory may ride to a cell of any other territory." + _MAY_ENTER
    ),
    "rules.HARVESTER": "{Harvester} brings the amount of the spice blow once more.",
    "rules.BIDDING_CARDS": _TRUTHS + " " + _SILENCE,
    "rules.RANSOM": "Each turn you ask a ransom for the card that you have laid." + _LAID,
    "rules.PAY": "If you pay, the card stays where it lies." + _LAID,
    "rules.POISONED": "The leader goes to the tanks, and you gain its strength in spice.",
    "rules.GIFT": "Before the bidding {emperor} may give each ally up to {most_gift} spice.",
    "rules.PLEDGE": (
        "So much of your spice, up to {most_pledge}, your allies may spend on bids and shipments until the end of the"
        " turn."
    ),
    "rules.BID": (
        "Bids go round to the right until the turn would be the highest bidder's again. A pass is not final. Whoever"
        " holds as many cards as the limit allows buys none."
    ),
    "rules.REVIVAL_CARDS": (
        "{Tleilaxu_ghola} brings back a leader or up to {ghola_tokens} tokens from the tanks, without payment and"
        " beyond the limit of a turn."
    ),
    "rules.REVIVE": (
        "At most {revival_most} tokens come back in a turn, with those that come without payment. Each of the others"
        " costs {revival_price} spice."
    ),
    "rules.WITHDRAW": "A card that is withdrawn is discarded unseen.",
    "rules.SHIP": "{landing}" + _MAY_ENTER + " Allies may meet in the {polar_sink}.{lifting}",
    "rules.SHIP_COUNT": "{landing}",
    "rules.SHIP_TO": (
        "{landing} To the reserve the way costs 1 spice for each {orbit_tokens} tokens begun: point at it." + _MAY_ENTER
    ),
    "rules.COUNT": "One cell after the other is gone through. Tokens in the storm stay where they are.",
    "rules.ACCOMPANY": (
        "When another player lands tokens, {bene_gesserit} may send one from the reserve to the {polar_sink} without"
        " payment."
    ),
    "rules.MOVE_FROM": "{reach}" + _MAY_ENTER,
    "rules.MOVE_TO": "{reach}" + _MAY_ENTER,
    "rules.HAJR": "With {hajr} a second group moves, or the same one again.",
    "rules.RAISE": (
        "Once all leaders of a player are in the tanks, one of them comes back each turn for its strength in spice,"
        " until each has come back."
    ),
    "rules.BATTLE": (
        "In turn order each player fights all battles due, in any order. Whoever is not allied and stands in the same"
        " field has to fight, except in the {polar_sink}."
    ),
    "rules.OPPONENT": "With several enemies in a field one battle after the other is fought.",
    "rules.BATTLE_CARDS": _TRUTHS + " {Tleilaxu_ghola} brings back a leader from the tanks.",
    "rules.VOICE": (
        "The order is public: to play a card of a kind, or not to play one. It is obeyed only if that is possible."
    ),
    "rules.LEADER": (
        _PLANS + _HIGHER_SUM + " A leader whom a weapon kills does not count. {Cheap_hero} has no strength. A leader"
        " fights in one territory a turn."
    ),
    "rules.WEAPON": (
        _PLANS + "{Projectile_weapon} kills a leader without {shield}, {poison_weapon} one without {snooper}, {lasgun}"
        " any." + _LASGUN_AND_SHIELD
    ),
    "rules.DEFENCE": (
        _PLANS
        + "{Shield} saves the leader from {projectile_weapon}, {snooper} from {poison_weapon}."
        + _LASGUN_AND_SHIELD
    ),
    "rules.NUMBER": (
        _PLANS + "The winner loses as many tokens as were staked, the loser all in the field. " + _HIGHER_SUM
    ),
    "rules.PRESCIENCE": "{Atreides} may ask to see one part of the enemy's plan before the other plan is made.",
    "rules.TREASON": (
        "A traitor loses the battle for its side: all tokens in the field, the cards of the plan and the leader. The"
        " other side loses nothing and gains the traitor's strength in spice. If both sides call treason, both lose."
    ),
    "rules.LOSS": "The winner loses as many tokens as were staked, from the cells of the field as it likes.",
    "rules.KEEP": "The winner keeps or discards each card of the plan. Everybody knows a card that is kept.",
    "rules.TRUTH_WHO": "Question and answer are public, and the answer is true.",
    "rules.TRUTH": "Question and answer are public, and the answer is true. {ask}",
    "rules.CONE": _SILENCE + " Allies cannot be silenced.",
    "rules.LAY_WHO": "The card lies face down. You ask a ransom for it now, and again each turn." + _LAID,
    "rules.GHOLA": "What comes back costs nothing. {fetched}",
    "rules.SWAP_WHO": "You take cards of another player unseen, and give back as many of your choice.",
    "rules.SWAP_COUNT": "You give back as many cards as you take.",
    "rules.GIVE": "You may give back what you have just taken. Still to be given: {left} {left:card|cards}.",
    "rules.KARAMA": "{if_stopped} The card that you spend is discarded.",
    "rules.BUY_BACK": (
        "{Tleilax} names a price or refuses. A leader that has been bought back does not fight against {tleilax}."
    ),
    "rules.PRICE": (
        "A price is at most {most_price} spice. After the payment you may change the leader's strength by 1."
    ),
    "rules.ACCEPT": "A leader that has been bought back is alive, but {tleilax} may have changed its strength by 1.",
    "rules.TAMPER": "The change counts in every battle from now on. Nobody else sees it before the leader has fought.",
    "rules.OVER": "{ending}",
    "rules.hidden": "Who is asked, and what, is seen by that player only.",
    "if_stopped.sight": "If it is stopped, {atreides} sees no card of this phase.",
    "if_stopped.bonus": "If it is stopped, {harkonnen} gets no second card this time.",
    "if_stopped.future": "If it is stopped, {atreides} does not see the next spice card.",
    "if_stopped.tame": (
        "If it is stopped, the worm devours the tokens of {fremen} and its allies too, and nobody rides."
    ),
    "if_stopped.accompany": "If it is stopped, no token goes along.",
    "if_stopped.voice": "If it is stopped, there is no order in this battle.",
    "if_stopped.prescience": "If it is stopped, nothing of the plan is shown.",
    "if_stopped.worthless": "If it is stopped, both cards are lost; {bene_gesserit} is asked the same again.",
    "if_stopped.shipment": "If it is stopped, nothing lands and nothing is paid.",
    "if_stopped.tamper": "If it is stopped, the leader keeps its strength.",
    "if_stopped.steal": "If it is stopped, the leader stays in the tanks, and the ghola is lost.",
    "with_karama.fremen": " With {karama} you call a worm to any territory.",
    "with_karama.BID": " With {karama} you get the card without payment.",
    "with_karama.harkonnen": " With {karama} you exchange cards with another player.",
    "with_karama.emperor": (" With {karama} you bring back a leader or up to {emperor_tokens} tokens from the tanks."),
    "with_karama.tleilax": (" With {karama} you keep the tokens of all others in the tanks until the end of the turn."),
    "with_karama.SHIP": " With {karama} the shipment costs half.",
    "with_karama.atreides": " With {karama} you see the whole plan.",
    "landing": "A token costs {stronghold_price} spice into a stronghold and {landing_price} elsewhere.",
    "landing.half": (
        "A token costs {stronghold_price} spice into a stronghold and {landing_price} elsewhere, and you pay half of"
        " the whole."
    ),
    "landing.fremen": "{Fremen} lands without payment, at most {landing_steps} territories from {great_flat}.",
    "lifting": " To ship tokens from the board, point at the name of their territory.",
    "reach.ride": "The riders go to a cell of any other territory.",
    "reach": (
        "One group moves from a territory to {range:one beside it|one up to {range} steps away}. With tokens in"
        " {ornithopters} it flies {ornithopter_steps} steps."
    ),
    "reach.flies": "One group moves from a territory to {range:one beside it|one up to {range} steps away}.",
    "ask": "Point {ways}.",
    "ask.card": "at the number of cards to ask for a card",
    "ask.leader": "at a leader to ask whether it is a traitor",
    "ask.spice": "at the spice to ask for an amount",
    "ask.prediction": "at a player to ask for the prediction",
    "fetched.tleilax": "{Tleilax} brings back its own leader, or takes a dead one of another player.",
    "fetched.battle": "In a battle only a leader comes back.",
    "fetched.karama": "A leader comes back, or up to {emperor_tokens} tokens.",
    "fetched.ghola": "A leader comes back, or up to {ghola_tokens} tokens.",
    "besides.first_dial": " Each dials {first_dial[0]} to {first_dial[1]}.",
    "besides.later_dial": " Each dials {later_dial[0]} to {later_dial[1]}.",
    "besides.alliance": " An alliance has at most {max_alliance} members.",
    "besides.laying": (
        " {Residual_poison}, or {worthless} as a bluff, is laid face down on somebody, of whom a ransom can then be"
        " asked each turn."
    ),
    "besides.emperor": " {Emperor} gets what you pay.",
    "besides.guild": " {Guild} gets what you pay.",
    "besides.freed": " Without payment came back: {freed}.",
    "besides.second_move": " This is the second move.",
    # Actions: clauses without their subject
    "do.hidden": "decides",
    "do.nothing": "does nothing",
    "do.card": "plays {card}",
    "do.lay": "lays {card}",
    "do.bluff": "lays {card} as a bluff",
    "do.PREDICT_WHO.faction": "predicts that {faction} wins",
    "do.PREDICT_TURN.turn": "predicts that {predicted} wins in turn {number}",
    "do.TRAITOR.leader": "takes {leader} of {home} as a traitor",
    "do.PLACE.number": "places {number} {number:token|tokens} in {here}",
    "do.WEATHER.pass": "leaves the weather alone",
    "do.WEATHER_DIAL.number": "lets the storm move {number} {number:sector|sectors}",
    "do.DIAL.number": "dials {number} for the storm",
    "do.ATOMICS.card": "plays {family_atomics} and destroys the {wall}",
    "do.ATOMICS.pass": "plays no atomics",
    "do.BLOW_CARDS.karama": "spends a Karama to call a worm",
    "do.BLOW_CARDS.pass": "plays nothing before the spice blow",
    "do.WORM.territory": "calls a worm to {territory}",
    "do.NEXUS_CARDS.pass": "plays nothing before the nexus",
    "do.LEAVE.yes": "leaves the alliance with {allies}",
    "do.LEAVE.pass": "stays in the alliance with {allies}",
    "do.PROPOSE.seat": "proposes an alliance to {seat}",
    "do.PROPOSE.seat.members": "proposes an alliance to {seat} (with {members})",
    "do.PROPOSE.pass": "proposes no alliance",
    "do.ANSWER.yes": "accepts the alliance with {asker}",
    "do.ANSWER.pass": "refuses the alliance with {asker}",
    "do.RIDE.territory": "rides the worm from {territory}",
    "do.RIDE.pass": "does not ride the worm",
    "do.HARVESTER.card": "plays {card} for the spice in {last_blow}",
    "do.HARVESTER.pass": "plays no harvester",
    "do.BIDDING_CARDS.pass": "plays nothing before the bidding",
    "do.RANSOM.number": "asks a ransom of {number} spice from {laid_on}",
    "do.PAY.yes": "pays {asker} the ransom of {price} spice",
    "do.PAY.pass": "refuses {asker} the ransom of {price} spice",
    "do.POISONED.leader": "poisons {leader} of {laid_on}",
    "do.GIFT.number": "gives {target} {number} spice",
    "do.GIFT.number.nothing": "gives {target} nothing",
    "do.PLEDGE.number": "pledges {number} spice to {allies}",
    "do.BID.number": "bids {number}",
    "do.BID.number.raise": "bids {total} (raises by {number})",
    "do.BID.pass": "does not bid",
    "do.BID.karama": "spends a Karama to get the card on sale without payment",
    "do.REVIVAL_CARDS.karama.harkonnen": "spends a Karama to exchange cards",
    "do.REVIVAL_CARDS.karama.emperor": "spends a Karama to bring back a leader or tokens",
    "do.REVIVAL_CARDS.karama": "spends a Karama so that nobody else gets tokens from the tanks in this turn",
    "do.REVIVAL_CARDS.pass": "plays nothing before revival",
    "do.REVIVE.number": "revives {number} {number:token|tokens} for {revival_cost} spice",
    "do.REVIVE.number.nothing": "revives no more tokens",
    "do.WITHDRAW.yes": "withdraws the card laid on {laid_on}",
    "do.WITHDRAW.pass": "leaves the card laid on {laid_on}",
    "do.SHIP.cell": "ships tokens to {place}",
    "do.SHIP.territory": "lifts tokens from {territory}",
    "do.SHIP.karama": "spends a Karama to ship at half price",
    "do.SHIP.pass": "ships nothing",
    "do.SHIP_COUNT.number": "lands {number} {number:token|tokens} in {here} for {landing_cost} spice",
    "do.SHIP_COUNT.number.free": "lands {number} {number:token|tokens} in {here} without payment",
    "do.SHIP_TO.cell": "ships {lifted} to {place} for {shipping_cost} spice",
    "do.SHIP_TO.orbit": "ships {lifted} back to the reserve for {orbit_cost} spice",
    "do.COUNT.number": "takes {number} of {there} {there:token|tokens} in {here}",
    "do.COUNT.number.lifting": "lifts {number} of {there} {there:token|tokens} in {here}",
    "do.ACCOMPANY.yes": "sends 1 token along to the {polar_sink}",
    "do.ACCOMPANY.pass": "sends no token along",
    "do.MOVE_FROM.territory": "moves tokens from {territory}",
    "do.MOVE_FROM.pass": "moves no tokens",
    "do.MOVE_TO.cell": "moves {lifted} to {place}",
    "do.HAJR.pass": "moves no second group",
    "do.RAISE.leader": "raises {leader} for {strength} spice",
    "do.RAISE.pass": "raises no leader",
    "do.BATTLE.cell": "fights in {place}",
    "do.OPPONENT.seat": "attacks {seat}",
    "do.OPPONENT.seat.known": "attacks {seat} in {field}",
    "do.BATTLE_CARDS.pass": "plays nothing before the battle",
    "do.VOICE.must": "orders {voice_target}: {order}",
    "do.VOICE.must_not": "orders {voice_target}: {order}",
    "do.VOICE.pass": "gives no order",
    "do.LEADER.leader": "leads with {leader}",
    "do.LEADER.card": "leads with {cheap_hero}",
    "do.WEAPON.card": "takes {card} as the weapon",
    "do.WEAPON.pass": "takes no weapon",
    "do.DEFENCE.card": "takes {card} as the defence",
    "do.DEFENCE.pass": "takes no defence",
    "do.NUMBER.number": "dials {number} of {tokens_in_field} {tokens_in_field:token|tokens}",
    "do.PRESCIENCE.see": "asks to see {element} of {enemy:whose} plan",
    "do.PRESCIENCE.karama": "spends a Karama to see {enemy:whose} whole plan",
    "do.PRESCIENCE.pass": "asks nothing about the plan",
    "do.TREASON.yes": "calls {accused} a traitor",
    "do.TREASON.pass": "does not call {accused} a traitor",
    "do.LOSS.number": "loses {number} of {there} {there:token|tokens} in {here}",
    "do.KEEP.yes": "keeps {kept}",
    "do.KEEP.pass": "discards {kept}",
    "do.TRUTH_WHO.seat": "asks {seat} for a truth",
    "do.TRUTH": "asks {target}: {truth}",
    "do.CONE.seat": "silences {seat}",
    "do.CONE.pass": "silences nobody else",
    "do.LAY_WHO.seat": "lays {laid} on {seat}",
    "do.GHOLA.leader": "brings {leader} back from the tanks",
    "do.GHOLA.number": "brings {number} {number:token|tokens} back from the tanks",
    "do.SWAP_WHO.seat": "exchanges cards with {seat}",
    "do.SWAP_COUNT.number": "takes {number} {number:card|cards} of {target} unseen",
    "do.GIVE.card": "gives {card} to {target}",
    "do.KARAMA.karama": "stops with a Karama: {power}",
    "do.KARAMA.pass": "does not stop {power}",
    "do.BUY_BACK.leader": "asks {seller} to sell back {leader}",
    "do.BUY_BACK.pass": "buys back no leader",
    "do.PRICE.number": "asks {number} spice for {asked_leader}",
    "do.PRICE.pass": "does not sell {asked_leader}",
    "do.ACCEPT.yes": "pays {price} spice for {asked_leader}",
    "do.ACCEPT.pass": "does not pay {price} spice for {asked_leader}",
    "do.TAMPER.number.0": "lowers the strength of {asked_leader} by 1",
    "do.TAMPER.number.1": "leaves the strength of {asked_leader} as it is",
    "do.TAMPER.number.2": "raises the strength of {asked_leader} by 1",
    # What happened: of a seat, clauses without their subject
    "event.attacks": "attacks {enemy} in {place}",
    "event.unarmed": "has neither leader nor hero for the plan",
    "event.order": "orders {enemy}: {order}",
    "event.element": "asks about {element} of the plan",
    "event.plan": "shows the plan: {plan}",
    "event.treason": "calls the leader of {enemy} a traitor",
    "event.truth": "answers {asker}: yes ({truth})",
    "event.untruth": "answers {asker}: no ({truth})",
    "event.bid": "bids {number}",
    "event.discs": "has drawn {leaders}",
    "event.traitors": "has as traitors {leaders}",
    "event.foresees": "foresees the next spice card: {spice_card}",
    "event.loses": "loses {number} {number:token|tokens} in {territory}",
    "event.moves": "moves {number} {number:token|tokens} from {origin} to {territory}",
    "event.lifts": "takes {number} {number:token|tokens} from {territory} off the board",
    "event.lands": "brings {number} {number:token|tokens} to {territory}",
    "event.revives": "gets {number} {number:token|tokens} back from the tanks",
    "event.killed": "loses {leader}",
    "event.back": "has {leader} back",
    "event.owns": "has {leader} now",
    "event.changed": "has {leader} with a strength changed by {change:+d}",
    "event.reviving": "may raise its leaders now, one a turn",
    "event.gains": "gains {amount} spice (now {now})",
    "event.pays": "pays {amount} spice (now {now})",
    "event.gets": "gets {number} {number:card|cards}",
    "event.gets.known": "gets {cards}",
    "event.gives": "has {number} {number:card|cards} less",
    "event.lays": "lays a card on {target}",
    "event.unlays": "has no card on {target} any more",
    "event.pledges": "pledges {number} spice to the allies",
    "event.debt": "owes {target} {number} spice now",
    "event.debt.nothing": "owes {target} nothing any more",
    "event.leaves": "is in no alliance any more",
    "event.silenced": "is silenced for this turn",
    # What happened: of the common board, whole clauses
    "event.storm": "the storm moves from sector {start} to sector {end}",
    "event.wall": "the {wall} is destroyed",
    "event.blow": "the spice blow brings {amount} spice to {place}",
    "event.blow.lost": "the spice blow of {place} is lost in the storm",
    "event.worm": "{number:a worm comes|{number} worms come}",
    "event.more": "{amount} spice more in {place}",
    "event.less": "{amount} spice gone from {territory}",
    "event.discarded": "discarded: {cards}",
    "event.removed": "out of the game: {cards}",
    "event.sale": "on sale: {card}",
    "event.unsold": "nobody wants the card on sale",
    "event.alliance": "allied are {members}",
    "event.sight": "{atreides} sees no card of this phase",
    "event.embargo": "only {tleilax} gets tokens from the tanks",
    "event.fought": (
        "the battle in {place} is over: {aggressor} has {attacking} {attacking:token|tokens} left there and {defender}"
        " has {defending} {defending:token|tokens} left there"
    ),
    "event.phase": "next: {phase}",
    "event.turn": "turn {number} begins",
    "event.over": "the game is over: nobody wins",
    "event.over.strongholds": "the game is over: {winners} {winners:wins|win} by strongholds",
    "event.over.prediction": "the game is over: {winners} {winners:wins|win} by the prediction",
    "event.over.fremen": "the game is over: {winners} {winners:wins|win} because the sietches were left alone",
    "event.over.guild": "the game is over: {winners} {winners:wins|win} because nobody else has won",
    "event.over.most": "the game is over: {winners} {winners:wins|win} by most strongholds",
}


def inflected(name: str, form: str) -> str:
    """A form of a name: ``whose`` is its possessive; ``bare`` is without its article.

    Raises `ValueError` for any other form.
    """
    match form:
        case "whose":
            return f"{name}'" if name.endswith("s") else f"{name}'s"
        case "bare":
            return name.removeprefix("a ")
    raise ValueError(f"form: expected whose or bare, got {form!r}")


WORDS = Words(
    texts=TEXTS | english_pieces.TEXTS,
    factions=("Atreides", "Harkonnen", "the Emperor", "Fremen", "the Guild", "Bene Gesserit", "Tleilax"),
    cards=(
        "a projectile weapon",
        "a poison weapon",
        "a lasgun",
        "a shield",
        "a snooper",
        "a cheap hero",
        "a worthless card",
        "Truthtrance",
        "Weather Control",
        "Hajr",
        "Tleilaxu Ghola",
        "Family Atomics",
        "Harvester",
        "Thumper",
        "Cone of Silence",
        "Residual Poison",
        "a Karama",
    ),
    leaders=MappingProxyType({}),
    territories=MappingProxyType({}),
    prints_french=False,
    is_one=lambda number: number == 1,
    name_is_one=lambda name: True,
    inflected=inflected,
)
OPTIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "num_players": ("Players", "How many play at the table."),
        "powers": ("Powers", "Each faction has its own advantages. Without them all factions play alike."),
        "deck": ("Treachery cards", "43 cards, or 33 without those of the expansions."),
        "alliances": ("Alliances", "From three players on, players may ally themselves whenever a worm comes."),
        "max_alliance": (
            "Largest alliance",
            "The most players that may be in an alliance; without a choice there is no limit.",
        ),
        "alliance_strongholds": ("Strongholds of an alliance", "How many strongholds allies need to win together."),
        "karama_powers": ("Karama powers", "Each faction has a use of its own for a Karama."),
        "tleilax": ("Bene Tleilax", "The Bene Tleilax may be among the factions."),
        "open_shields": (
            "Open shields",
            "Everybody sees how much spice and how many tokens in reserve the others have.",
        ),
        "atreides_sees_bonus": ("Atreides sees second cards", "Atreides sees the second card that Harkonnen gets."),
        "undecided": (
            "Undecided games",
            "Who wins after the last turn if nobody has won by then: nobody, or who has most strongholds.",
        ),
        "max_turns": ("Turns", "The game ends after so many turns."),
        "factions": ("Factions", "Who plays which faction. Choose all of them, or none: then they are drawn."),
    }
)

PRESETS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "full": ("Full game", "The base game with powers, alliances of any size and all 43 treachery cards."),
        "classic": ("Classic game", "33 treachery cards, and alliances of at most two, which need four strongholds."),
        "plain": ("Plain game", "Neither powers nor alliances: factions differ only in tokens, spice and revival."),
        "duel": (
            "Duel",
            "The smallest game: Atreides against Harkonnen without powers, for up to ten turns. Somebody always wins.",
        ),
    }
)
