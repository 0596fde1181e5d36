"""Dune in English: templates of the texts about pieces, see `wording.piece_texts`."""

from __future__ import annotations

TEXTS = {
    # The end
    "undecided": "The last turn is over, and nobody has held enough strongholds.",
    # The map
    "ground.sand": "sand",
    "ground.rock": "rock",
    "ground.stronghold": "a stronghold",
    "ground.polar_sink": "neutral ground",
    "ground": "{name:bare}: {ground}.",
    "tokens_here": "{owner} has {number} {number:token|tokens} here.",
    "spice_here": "{number} spice {number:lies|lie} here.",
    "safe": "The storm harms nobody here.",
    "safe_behind_the_wall": "While the {wall} stands, the storm harms nobody here.",
    "stormy": "The storm is here: tokens neither come nor go.",
    "ornithopters_here": "Whoever has tokens here moves {ornithopter_steps} territories far.",
    "in_sectors": "It lies in the sectors {sectors}.",
    "in_one_sector": "It lies in sector {sector}.",
    "storm": "The storm, in sector {sector}.",
    "storm_moves": (
        "Nobody enters or leaves its sector. It moves counter-clockwise and destroys tokens and spice on open ground."
    ),
    "dials": "How far it moves next is dialled by {dialling}.",
    # Seats
    "power_of.atreides": (
        "{Atreides} sees each treachery card before it is sold, and so never buys blindly. It knows the next spice"
        " card a turn ahead. In battle it asks for one part of the enemy's plan before it makes its own."
    ),
    "power_of.harkonnen": (
        "{Harkonnen} keeps every leader drawn as a traitor, so more enemies can fall to treason. With each treachery"
        " card that it buys it gets a second one for nothing, and it may hold {hand_limit[1]} cards."
    ),
    "power_of.emperor": (
        "What others pay for treachery cards goes to {emperor}, who can afford to land many tokens. Before the bidding"
        " he may give spice to his allies."
    ),
    "power_of.fremen": (
        "{Fremen} lands tokens for nothing, up to {landing_steps} territories from {great_flat}, and moves"
        " {fremen_steps} territories where others move one. Worms spare its tokens and carry them to any territory. If"
        " nobody has won after the last turn, it wins, as long as nobody else is in {sietch_tabr} or {habbanya_sietch}"
        " and neither {harkonnen}, {atreides} nor {emperor} is in {tueks_sietch}."
    ),
    "power_of.guild": (
        "What others pay for shipments goes to {guild}, which itself pays half. It ships tokens from one territory to"
        " any other, too, or back to its reserve. If nobody has won after the last turn, it wins, unless {fremen} does."
    ),
    "power_of.bene_gesserit": (
        "{Bene_gesserit} predicts before the game who wins and when; if this comes true, it wins alone instead. In"
        " battle it orders the enemy to play a kind of card, or not to play it. When others land tokens it may send"
        " one of its own to the {polar_sink}, and worthless cards serve it as {karama}."
    ),
    "power_of.tleilax": (
        "Tokens that {tleilax} loses can be landed again. It gets what others pay for revival, and sells dead leaders"
        " back to their owners. Its only leader, the Face Dancer, is as strong as the enemy's leader."
    ),
    "no_powers": (
        "In this game no faction has powers of its own: they differ in their leaders, their first tokens and spice, and"
        " the tokens that come back without payment."
    ),
    "seat": "{owner}, {player}.",
    "strongholds": "Strongholds: {number}.",
    "strongholds.allied": "Strongholds with the allies: {number}.",
    "won": "Has won.",
    "allied": "Allied with {allied}.",
    "pledged": "Allies may spend {number} of its spice.",
    "silenced": "Silenced until the end of the turn: buys no card and makes no alliance.",
    "prediction": "Predicts that {faction} wins in turn {turn}.",
    "has_laid": "Has laid {card} on {target}.",
    "owes": "Owes {target} {number} spice.",
    "raises": "Raises its leaders, one a turn.",
    "spice": "{owner:whose} spice: {number}.",
    "spice.hidden": "{owner:whose} spice, hidden behind the shield.",
    "use_of_spice": "It pays for cards, shipments and revival.",
    "reserve": "{owner:whose} reserve: {number} {number:token|tokens}.",
    "reserve.hidden": "{owner:whose} reserve, hidden behind the shield.",
    "use_of_reserve": "From there tokens are shipped to the planet.",
    "hand": "{owner} holds {number} {number:card|cards}, and at most {most}.",
    "hand.hidden": "{owner} holds cards, and at most {most}.",
    "hand_known": "Everybody knows of {cards}.",
    "hand_foreseen": "{atreides} saw {cards}.",
    "tanks": "{owner:whose} tokens in the tanks: {number}.",
    "tanks.tleilax": "Its lost tokens go to the reserve at once.",
    "revival": "{number} a turn {number:comes|come} back without payment.",
    "paid_revival": "Others cost {revival_price} spice each, up to {revival_most} tokens a turn in all.",
    # Cards
    "use_of.projectile_weapon": "A weapon that kills the enemy's leader, unless {shield} saves it.",
    "use_of.poison_weapon": "A weapon that kills the enemy's leader, unless {snooper} saves it.",
    "use_of.lasgun": (
        "A weapon that kills the enemy's leader whatever the defence. With {shield} in the same battle everything in"
        " the territory is destroyed."
    ),
    "use_of.shield": (
        "A defence against {projectile_weapon}. With {lasgun} in the same battle everything is destroyed."
    ),
    "use_of.snooper": "A defence against {poison_weapon}.",
    "use_of.cheap_hero": "Leads a battle in place of a leader, without strength.",
    "use_of.worthless": "Can be played as a weapon or a defence, without effect.",
    "use_of.truthtrance": "Makes another player answer a question openly and truthfully.",
    "use_of.weather_control": "Its player alone chooses how far the storm moves.",
    "use_of.hajr": "Lets a second group move in the turn, or the same one again.",
    "use_of.tleilaxu_ghola": "Brings back a leader, or up to {ghola_tokens} tokens, from the tanks.",
    "use_of.family_atomics": "Destroys the {wall} and the tokens on it.",
    "use_of.harvester": "Brings the amount of a spice blow once more.",
    "use_of.thumper": "Brings a worm in place of the next spice card.",
    "use_of.cone_of_silence": "Silences others until the end of the turn: they buy no card and make no alliance.",
    "use_of.residual_poison": (
        "Is laid on another player, who can be asked for a ransom each turn; if it is refused, a leader dies."
    ),
    "use_of.karama": (
        "Spent once, to stop a power of another player, to get a card on sale for nothing, or to halve the price of a"
        " shipment."
    ),
    "use_of.karama.without_powers": (
        "Spent once, to get a card on sale for nothing, or to halve the price of a shipment."
    ),
    "card": "{heading}.",
    "card.several": "{heading} ({number} of them).",
    "card.owned": "{heading}, held by {owner}.",
    "card.several.owned": "{heading} ({number} of them), held by {owner}.",
    "leader": "{leader}, strength {strength}.",
    "leader.dancer": "{leader}, as strong as the enemy's leader.",
    "leader_of": "A leader of {faction}.",
    "leader_absent": "Does not take part in this game.",
    "leader_taken": "Belongs to {owner} now.",
    "leader_stronger": "In battle stronger by {number}.",
    "leader_weaker": "In battle weaker by {number}.",
    "leader_dead": "Dead, in the tanks.",
    "leader_used": "Has fought in {territory} and leads nowhere else in this turn.",
    "leader_traitor": "A traitor in the service of {owner}.",
    # Decks
    "deck": "The treachery deck: {number} {number:card|cards}.",
    "deck_discards": "Discarded: {cards}.",
    "deck_top": "On top lies {card} that nobody has bought.",
    "spice_deck": ("The spice deck: {number} {number:card|cards}, {worms} of them {worms:a worm|worms}."),
    "next_blow": "Next comes {spice_card}.",
    "last_blow": "The last spice blow was in {territory}, where the next worm comes.",
    "spice_card": "{amount} spice in {place}",
    "discard": "{heading}, discarded: {number}.",
    "blow_to_come": "A spice card to come: {spice_card}.",
    "worms_left": "{number} {number:worm is|worms are} left.",
    # Buttons
    "no_pass": "There is nothing to decline now.",
    "no_yes": "There is nothing to agree to now.",
    "number": "{number}: {answer}",
    "number.plain": "The number {number}.",
    "turns": "The turn of the prediction.",
    "turns.use": "Asks whether a prediction names a turn.",
    "turn": "Turn {number}.",
    "must": "An order to play a card.",
    "must.use": "The enemy has to play a card of the named kind, if it can.",
    "must_not": "An order not to play a card.",
    "must_not.use": "The enemy may not play a card of the named kind.",
    "element": "{element} of the plan.",
}
