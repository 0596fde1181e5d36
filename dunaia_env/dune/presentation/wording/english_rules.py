"""Dune in English: templates of questions and of reminders of the rules, see `wording.questions`."""

from __future__ import annotations

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
    # Questions
    "question.PREDICT_WHO": "Who will win?",
    "question.PREDICT_TURN": "In which turn will {predicted} win?",
    "question.TRAITOR": "Which of these leaders do you take as your traitor?",
    "question.PLACE": "How many tokens begin in {here}?",
    "question.WEATHER": "Do you play {weather_control}?",
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
    "question.BID.raise": "{bidder} bids {bid} spice for {on_sale}. How much do you bid?",
    "question.REVIVAL_CARDS": "Do you play something before revival?",
    "question.REVIVE": "How many tokens do you revive for spice?",
    "question.WITHDRAW": "Do you withdraw the card that you laid on {laid_on}?",
    "question.SHIP": "Where do you ship tokens?",
    "question.SHIP_COUNT": "How many tokens land in {here} ({each_cost_here})?",
    "question.SHIP_TO": "Where do you ship the {taken:token|{taken} tokens}?",
    "question.COUNT": "How many of the {there} {there:token|tokens} in {here} go along?",
    "question.COUNT.lifting": "How many of the {there} {there:token|tokens} in {here} are lifted?",
    "question.ACCOMPANY": "Another player lands tokens. Do you send one of yours to the {polar_sink}?",
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
    "question.TRUTH": "Which question does {target} have to answer?",
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
    "battle.rule": (
        "The higher sum of the leader's strength and the tokens staked wins, and the aggressor wins a tie. The loser"
        " loses all its tokens here, the winner those that it staked. A weapon kills the enemy's leader, who then does"
        " not count, unless the right defence is played: {shield} against {projectile_weapon}, {snooper} against"
        " {poison_weapon}."
    ),
    "if_stopped.sight": "If you stop it, {atreides} sees no card of this phase.",
    "if_stopped.bonus": "If you stop it, {harkonnen} gets no second card this time.",
    "if_stopped.future": "If you stop it, {atreides} does not see the next spice card.",
    "if_stopped.tame": (
        "If you stop it, the worm devours the tokens of {fremen} and its allies too, and nobody rides."
    ),
    "if_stopped.accompany": "If you stop it, no token goes along.",
    "if_stopped.voice": "If you stop it, there is no order in this battle.",
    "if_stopped.prescience": "If you stop it, nothing of the plan is shown.",
    "if_stopped.worthless": "If you stop it, both cards are lost; {bene_gesserit} is asked the same again.",
    "if_stopped.shipment": "If you stop it, nothing lands and nothing is paid.",
    "if_stopped.tamper": "If you stop it, the leader keeps its strength.",
    "if_stopped.steal": "If you stop it, the leader stays in the tanks, and the ghola is lost.",
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
    "to_spend": "You can spend {funds} spice.",
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
}
