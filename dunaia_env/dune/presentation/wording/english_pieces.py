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
        "Sees the cards on sale before they are sold, the next spice card, and a part of the enemy's plan in battle."
    ),
    "power_of.harkonnen": (
        "Keeps every leader drawn as a traitor, and gets a second card with each one that is bought."
    ),
    "power_of.emperor": "Gets what others pay for treachery cards, and may give spice to allies.",
    "power_of.fremen": (
        "Lands without payment near {great_flat}, moves {fremen_steps} territories far, is spared by worms and rides"
        " them."
    ),
    "power_of.guild": ("Gets what others pay for shipments, ships at half price, and ships tokens from the board too."),
    "power_of.bene_gesserit": (
        "Predicts who wins and when, orders an enemy what to play, sends tokens along with the landings of others, and"
        " uses worthless cards as Karama."
    ),
    "power_of.tleilax": (
        "Lands tokens that were lost again, sells dead leaders back to their owners, and leads with a Face Dancer, who"
        " is as strong as the enemy's leader."
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
        "Stops a power of another player, gets a card on sale for nothing, or halves the price of a shipment."
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
