"""Dune in English: options, questions, reminders of the rules, actions and what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.dune.board import BEHIND_THE_WALL
from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation.wording import sentences, texts, words
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.news import events
from dunaia_env.dune.state import NONE
from dunaia_env.harness.presentation import Change, Event
from dunaia_env.support.english import count

Content = Mapping[str, Any]


def player(seat: int) -> str:
    """What a seat is called."""
    return f"player {seat}"


# Questions


def _sale(facts: Facts) -> str:
    """The card on sale, as far as it is known."""
    kind = facts.content["sale"]
    return "the card on sale" if kind in (None, NONE) else words.card(kind, facts)


def _bid(facts: Facts) -> str:
    highest = facts.pending["bid"]
    if not highest:
        return f"Nobody has bid for {_sale(facts)} yet. How much do you bid?"
    bidder = words.capital(words.who(facts.pending["bidder"], facts))
    return f"{bidder} bids {highest} for {_sale(facts)}. By how much do you raise?"


def _field(facts: Facts) -> str:
    return words.cell(facts.pending["field"], facts)


def _here(facts: Facts) -> str:
    return words.cell(facts.pending["cell"], facts)


def _target(facts: Facts) -> str:
    return words.who(facts.pending["target"], facts)


def _laid_on(facts: Facts) -> str:
    return words.who(facts.players[facts.seat]["laid_on"], facts)


def _allies(facts: Facts) -> str:
    return words.listed(words.who(ally, facts) for ally in facts.allies(facts.seat))


def _asked_leader(facts: Facts) -> str:
    return words.leader(facts.pending["leader"], facts)


def _predicted(facts: Facts) -> str:
    return words.faction(facts.pending["faction"], facts)


def _accused(facts: Facts) -> str:
    number = facts.plan(facts.enemy).get("leader", NONE)
    return words.leader(number, facts) if number != NONE else "the enemy's leader"


def _kept(facts: Facts) -> str:
    part = facts.pending["keeping"]
    kind = facts.plan(facts.seat).get(part, NONE)
    return f"the {part}" + (f" ({words.card_name(kind, facts)})" if kind != NONE else "")


def _count(facts: Facts) -> str:
    there = count(facts.tokens(facts.seat, facts.pending["cell"]), "token")
    return f"How many of the {there} in {_here(facts)} {'are lifted' if facts.pending.get('lifting') else 'go along'}?"


def _tokens(facts: Facts) -> str:
    return f"the {count(facts.taken, 'token')}" if facts.taken != 1 else "the token"


def _plain(text: str) -> Callable[[Facts], str]:
    return lambda facts: text


_QUESTIONS: dict[str, Callable[[Facts], str]] = {
    "PREDICT_WHO": _plain("Who will win?"),
    "PREDICT_TURN": lambda facts: f"In which turn will {_predicted(facts)} win?",
    "TRAITOR": _plain("Which leader is your traitor?"),
    "PLACE": lambda facts: f"How many tokens begin in {_here(facts)}?",
    "WEATHER": _plain("Do you control the weather?"),
    "WEATHER_DIAL": _plain("How many sectors does the storm move?"),
    "DIAL": _plain("Which number do you dial for the storm?"),
    "ATOMICS": lambda facts: f"Do you destroy the {words.territory(facts.printed.shield_wall, facts)}?",
    "BLOW_CARDS": _plain("Do you play something before the spice blow?"),
    "WORM": _plain("To which territory do you call the worm?"),
    "NEXUS_CARDS": _plain("Do you play something before the nexus?"),
    "LEAVE": lambda facts: f"Do you leave the alliance with {_allies(facts)}?",
    "PROPOSE": _plain("To whom do you propose an alliance?"),
    "ANSWER": lambda facts: f"Do you ally yourself with {words.who(facts.asker, facts)}?",
    "RIDE": _plain("Do you ride the worm?"),
    "HARVESTER": _plain("Do you play the harvester?"),
    "BIDDING_CARDS": _plain("Do you play something before the bidding?"),
    "RANSOM": lambda facts: f"Which ransom do you ask from {_laid_on(facts)}?",
    "PAY": lambda facts: f"Do you pay {words.who(facts.asker, facts)} a ransom of {facts.pending['price']} spice?",
    "POISONED": lambda facts: f"Which leader of {_laid_on(facts)} is poisoned?",
    "GIFT": lambda facts: f"How much spice do you give {_target(facts)}?",
    "PLEDGE": lambda facts: f"How much of your spice may {_allies(facts)} spend in this turn?",
    "BID": _bid,
    "REVIVAL_CARDS": _plain("Do you play something before revival?"),
    "REVIVE": _plain("How many tokens do you revive for spice?"),
    "WITHDRAW": lambda facts: f"Do you withdraw the card that you laid on {_laid_on(facts)}?",
    "SHIP": _plain("Where do you ship tokens?"),
    "SHIP_COUNT": lambda facts: f"How many tokens land in {_here(facts)}?",
    "SHIP_TO": lambda facts: f"Where do you ship {_tokens(facts)}?",
    "COUNT": _count,
    "ACCOMPANY": lambda facts: f"Does a token go along to the {words.territory(facts.printed.polar_sink, facts)}?",
    "MOVE_FROM": _plain("From where do you move tokens?"),
    "MOVE_TO": lambda facts: (
        f"Where {'does' if facts.taken == 1 else 'do'} {_tokens(facts)} from"
        f" {words.territory(facts.pending['origin'], facts)} go?"
    ),
    "HAJR": _plain("Do you move a second group?"),
    "RAISE": _plain("Which leader do you raise?"),
    "BATTLE": _plain("Where do you fight now?"),
    "OPPONENT": lambda facts: f"Whom do you attack in {_field(facts)}?",
    "BATTLE_CARDS": lambda facts: f"Do you play something before the battle in {_field(facts)}?",
    "VOICE": lambda facts: f"What does the Voice order {words.who(facts.voice_target, facts)}?",
    "LEADER": lambda facts: f"Who leads you in {_field(facts)} against {words.who(facts.enemy, facts)}?",
    "WEAPON": _plain("Which weapon do you take?"),
    "DEFENCE": _plain("Which defence do you take?"),
    "NUMBER": lambda facts: f"How many tokens do you stake in {_field(facts)}?",
    "PRESCIENCE": lambda facts: f"What do you want to know of {words.whose(facts.enemy, facts)} plan?",
    "TREASON": lambda facts: f"Do you call {_accused(facts)} a traitor?",
    "LOSS": lambda facts: f"How many tokens do you lose in {_here(facts)}?",
    "KEEP": lambda facts: f"Do you keep {_kept(facts)}?",
    "TRUTH_WHO": _plain("Whom do you ask for a truth?"),
    "TRUTH": lambda facts: f"What do you ask {_target(facts)}?",
    "CONE": _plain("Whom do you silence?"),
    "LAY_WHO": _plain("On whom do you lay the card?"),
    "GHOLA": _plain("Who comes back from the tanks?"),
    "SWAP_WHO": _plain("With whom do you exchange cards?"),
    "SWAP_COUNT": lambda facts: f"How many cards of {_target(facts)} do you take?",
    "GIVE": lambda facts: f"Which card do you give {_target(facts)}?",
    "KARAMA": lambda facts: f"Do you stop {words.power(facts)}?",
    "BUY_BACK": lambda facts: f"Do you want to buy a leader back from {words.faction(layout.TLEILAX, facts)}?",
    "PRICE": lambda facts: f"What does {_asked_leader(facts)} cost {words.who(facts.asker, facts)}?",
    "ACCEPT": lambda facts: f"Do you pay {facts.pending['price']} spice for {_asked_leader(facts)}?",
    "TAMPER": lambda facts: f"Do you change the strength of {_asked_leader(facts)}?",
    "OVER": _plain("The game is over."),
}
NOBODY_ASKED = "Somebody else decides."


def question(content: Content, components: Components) -> str:
    """What the deciding seat is asked; if a view hides the decision, only that somebody else is asked."""
    facts = Facts(content, components)
    return _QUESTIONS[facts.decision](facts) if facts.decision is not None else NOBODY_ASKED


# Rules. Braces hold printed values, factions and cards by their names; a name with a capital begins a sentence.

_STORM = (
    "The storm moves counter-clockwise. In each sector that it enters tokens on open ground go to the tanks and spice"
    " is lost."
)
_MAY_ENTER = "Nobody enters the storm, a stronghold with tokens of two others, or a territory with an ally in it."
_PLANS = "Plans stay hidden until both are made."
_TRUTHS = "{Truthtrance} makes a player answer a question openly and truthfully."
_SILENCE = "{Cone_of_silence} silences others until the end of the turn: they buy no card and make no alliance."
_LAID = (
    "If the ransom is refused, the card is turned: a Residual Poison kills a leader, and its owner gains the leader's"
    " strength; for a bluff the owner pays the victim {bluff_factor} times the ransom."
)
_RULES: dict[str, str] = {
    "PREDICT_WHO": (
        "{Bene_gesserit} names in secret another faction and then a turn. If that faction wins by strongholds in that"
        " turn, alone or with allies, {bene_gesserit} wins instead, alone."
    ),
    "PREDICT_TURN": (
        "The prediction comes true if the named faction wins by strongholds in exactly this turn, alone or with allies."
    ),
    "TRAITOR": (
        "If an enemy leads a battle against you with this leader, you may call treason and win. The others that you"
        " have drawn betray nobody."
    ),
    "PLACE": "{Fremen} begins with {free} in three territories, spread as it likes. The last cell takes the rest.",
    "WEATHER": (
        "Whoever plays {weather_control} alone chooses how far the storm moves, {weather_dial[0]} to {weather_dial[1]}"
        f" sectors. {_STORM}"
    ),
    "WEATHER_DIAL": f"The number is shown when the storm moves. {_STORM}",
    "DIAL": f"Two players dial in secret, and the storm moves by the sum. {_STORM}",
    "ATOMICS": (
        "{Family_atomics} can be played by whoever has a token on the {wall} or beside it. Tokens on it go to the"
        " tanks, and for the rest of the game {behind_the_wall} are open to the storm."
    ),
    "BLOW_CARDS": (
        "{Thumper} brings a worm in place of the first spice card. A worm devours what is where the last spice blow"
        " was, after a nexus."
    ),
    "WORM": (
        "On sand the worm devours spice and tokens, except those of {fremen} and its allies. {Fremen} may ride it from"
        " there. No nexus follows."
    ),
    "NEXUS_CARDS": f"{_TRUTHS} {_SILENCE}",
    "LEAVE": "An alliance can be left in a nexus only. Who is left alone in an alliance is in none.",
    "PROPOSE": (
        "Allies do not fight each other, do not enter each other's territories, and win together, with"
        " {alliance_strongholds} strongholds. Whoever is in an alliance can be asked to let you join; all its members"
        " answer."
    ),
    "ANSWER": (
        "All who are asked have to accept. Allies do not fight each other, do not enter each other's territories, and"
        " win together, with {alliance_strongholds} strongholds."
    ),
    "RIDE": ("Any number of tokens in the worm's territory may ride to a cell of any other territory. " + _MAY_ENTER),
    "HARVESTER": "{Harvester} brings the amount of the spice blow once more.",
    "BIDDING_CARDS": f"{_TRUTHS} {_SILENCE}",
    "RANSOM": f"Each turn you ask a ransom for the card that you have laid. {_LAID}",
    "PAY": f"If you pay, the card stays where it lies. {_LAID}",
    "POISONED": "The leader goes to the tanks, and you gain its strength in spice.",
    "GIFT": "Before the bidding {emperor} may give each ally up to {most_gift} spice.",
    "PLEDGE": (
        "So much of your spice, up to {most_pledge}, your allies may spend on bids and shipments until the end of the"
        " turn."
    ),
    "BID": (
        "Bids go round to the right until the turn would be the highest bidder's again. A pass is not final. Whoever"
        " holds as many cards as the limit allows buys none."
    ),
    "REVIVAL_CARDS": (
        "{Tleilaxu_ghola} brings back a leader or up to {ghola_tokens} tokens from the tanks, without payment and"
        " beyond the limit of a turn."
    ),
    "REVIVE": (
        "At most {revival_most} tokens come back in a turn, with those that come without payment. Each of the others"
        " costs {revival_price} spice."
    ),
    "WITHDRAW": "A card that is withdrawn is discarded unseen.",
    "SHIP": "{landing} " + _MAY_ENTER + " Allies may meet in the {polar_sink}.{lifting}",
    "SHIP_COUNT": "{landing}",
    "SHIP_TO": (
        "{landing} To the reserve the way costs 1 spice for each {orbit_tokens} tokens begun: point at it. "
        + _MAY_ENTER
    ),
    "COUNT": "One cell after the other is gone through. Tokens in the storm stay where they are.",
    "ACCOMPANY": (
        "When another player lands tokens, {bene_gesserit} may send one from the reserve to the {polar_sink} without"
        " payment."
    ),
    "MOVE_FROM": "{range} " + _MAY_ENTER,
    "MOVE_TO": "{range} " + _MAY_ENTER,
    "HAJR": "With {hajr} a second group moves, or the same one again.",
    "RAISE": (
        "Once all leaders of a player are in the tanks, one of them comes back each turn for its strength in spice,"
        " until each has come back."
    ),
    "BATTLE": (
        "In turn order each player fights all battles due, in any order. Whoever is not allied and stands in the same"
        " field has to fight, except in the {polar_sink}."
    ),
    "OPPONENT": "With several enemies in a field one battle after the other is fought.",
    "BATTLE_CARDS": f"{_TRUTHS} {{Tleilaxu_ghola}} brings back a leader from the tanks.",
    "VOICE": (
        "The order is public: to play a card of a kind, or not to play one. It is obeyed only if that is possible."
    ),
    "LEADER": (
        f"{_PLANS} The side with the higher sum of tokens staked and of the leader's strength wins, a tie goes to the"
        " aggressor. A leader whom a weapon kills does not count. {Cheap_hero} has no strength. A leader fights in"
        " one territory a turn."
    ),
    "WEAPON": (
        f"{_PLANS} {{Projectile_weapon}} kills a leader without {{shield}}, {{poison_weapon}} one without"
        " {snooper}, {lasgun} any. {Lasgun} and {shield} in the same battle destroy everything in the"
        " territory."
    ),
    "DEFENCE": (
        f"{_PLANS} {{Shield}} saves the leader from {{projectile_weapon}}, {{snooper}} from {{poison_weapon}}."
        " {Lasgun} and {shield} in the same battle destroy everything in the territory."
    ),
    "NUMBER": (
        f"{_PLANS} The winner loses as many tokens as were staked, the loser all in the field. The side with the higher"
        " sum of tokens staked and of the leader's strength wins, a tie goes to the aggressor."
    ),
    "PRESCIENCE": "{Atreides} may ask to see one part of the enemy's plan before the other plan is made.",
    "TREASON": (
        "A traitor loses the battle for its side: all tokens in the field, the cards of the plan and the leader. The"
        " other side loses nothing and gains the traitor's strength in spice. If both sides call treason, both lose."
    ),
    "LOSS": "The winner loses as many tokens as were staked, from the cells of the field as it likes.",
    "KEEP": "The winner keeps or discards each card of the plan. Everybody knows a card that is kept.",
    "TRUTH_WHO": "Question and answer are public, and the answer is true.",
    "TRUTH": "Question and answer are public, and the answer is true. {what_can_be_asked}",
    "CONE": f"{_SILENCE} Allies cannot be silenced.",
    "LAY_WHO": f"The card lies face down. You ask a ransom for it now, and again each turn. {_LAID}",
    "GHOLA": "What comes back costs nothing. {fetched}",
    "SWAP_WHO": "You take cards of another player unseen, and give back as many of your choice.",
    "SWAP_COUNT": "You give back as many cards as you take.",
    "GIVE": "You may give back what you have just taken. Still to be given: {to_give}.",
    "KARAMA": "{if_stopped} The card that you spend is discarded.",
    "BUY_BACK": (
        "{Tleilax} names a price or refuses. A leader that has been bought back does not fight against {tleilax}."
    ),
    "PRICE": "A price is at most {most_price} spice. After the payment you may change the leader's strength by 1.",
    "ACCEPT": "A leader that has been bought back is alive, but {tleilax} may have changed its strength by 1.",
    "TAMPER": "The change counts in every battle from now on. Nobody else sees it before the leader has fought.",
    "OVER": "{who_wins}",
}


_IF_STOPPED = {
    "sight": "If it is stopped, {atreides} sees no card of this phase.",
    "bonus": "If it is stopped, {harkonnen} gets no second card this time.",
    "future": "If it is stopped, {atreides} does not see the next spice card.",
    "tame": "If it is stopped, the worm devours the tokens of {fremen} and its allies too, and nobody rides.",
    "accompany": "If it is stopped, no token goes along.",
    "voice": "If it is stopped, there is no order in this battle.",
    "prescience": "If it is stopped, nothing of the plan is shown.",
    "worthless": "If it is stopped, both cards are lost; {bene_gesserit} is asked the same again.",
    "shipment": "If it is stopped, nothing lands and nothing is paid.",
    "tamper": "If it is stopped, the leader keeps its strength.",
    "steal": "If it is stopped, the leader stays in the tanks, and the ghola is lost.",
}
# What a Karama does in a decision, by the faction that has this use of it; NONE for all factions.
_KARAMA = {
    "BLOW_CARDS": {layout.FREMEN: "With {karama} you call a worm to any territory."},
    "BID": {NONE: "With {karama} you get the card without payment."},
    "REVIVAL_CARDS": {
        layout.HARKONNEN: "With {karama} you exchange cards with another player.",
        layout.EMPEROR: "With {karama} you bring back a leader or up to {emperor_tokens} tokens from the tanks.",
        layout.TLEILAX: "With {karama} you keep the tokens of all others in the tanks until the end of the turn.",
    },
    "SHIP": {NONE: "With {karama} the shipment costs half."},
    "PRESCIENCE": {layout.ATREIDES: "With {karama} you see the whole plan."},
}


def _names(facts: Facts) -> dict[str, Any]:
    """Factions and cards by their names in files; a name with a capital is for the beginning of a sentence."""
    named = {name: words.faction(number, facts) for number, name in enumerate(layout.FACTION_NAMES)}
    named |= {name: words.card(kind, facts) for kind, name in enumerate(layout.CARD_NAMES)}
    return named | {name.capitalize(): words.capital(text) for name, text in named.items()}


def filled(text: str, facts: Facts) -> str:
    """A text with its braces filled in: printed values, and factions and cards by their names."""
    return text.format(**{**vars(facts.printed), **_names(facts), **_places(facts)})


def _places(facts: Facts) -> dict[str, str]:
    printed = facts.printed
    open_ground = [number for number, kind in enumerate(printed.protection) if kind == BEHIND_THE_WALL]
    return {
        "wall": words.territory(printed.shield_wall, facts),
        "behind_the_wall": words.listed(words.territory(number, facts) for number in open_ground),
        "polar_sink": words.territory(printed.polar_sink, facts),
        "great_flat": words.territory(printed.landing_from, facts),
        "ornithopters": words.listed((words.territory(number, facts) for number in printed.ornithopters), "or"),
    }


def _landing(facts: Facts) -> str:
    """The price of a landing for the deciding seat."""
    lifted = facts.decision == "SHIP_TO"
    if facts.seat == facts.with_power(layout.FREMEN) and not lifted:
        return "{Fremen} lands without payment, at most {landing_steps} territories from {great_flat}."
    half = ", and you pay half of the whole" if facts.ships_at_half_price else ""
    return f"A token costs {{stronghold_price}} spice into a stronghold and {{landing_price}} elsewhere{half}."


def _lifting(facts: Facts) -> str:
    guild = facts.with_power(layout.GUILD)
    lifts = guild != NONE and guild in (facts.seat, *facts.allies(facts.seat))
    return " To ship tokens from the board, point at the name of their territory." if lifts else ""


def _range(facts: Facts) -> str:
    """How far the deciding seat can move."""
    if facts.content["phase"] == "blow":
        return "The riders go to a cell of any other territory."
    printed = facts.printed
    flies = any(facts.seat in facts.occupants(number) for number in printed.ornithopters)
    steps = printed.fremen_steps if facts.seat == facts.with_power(layout.FREMEN) else printed.steps
    steps = printed.ornithopter_steps if flies else steps
    far = "one beside it" if steps == 1 else f"one up to {steps} steps away"
    more = "" if flies else " With tokens in {ornithopters} it flies {ornithopter_steps} steps."
    return f"One group moves from a territory to {far}.{more}"


def _what_can_be_asked(facts: Facts) -> str:
    target = facts.pending["target"]
    ways = ["at the number of cards to ask for a card"]
    if facts.faction(target) != layout.TLEILAX:
        ways.append("at a leader to ask whether it is a traitor")
    if not facts.content["options"]["open_shields"]:
        ways.append("at the spice to ask for an amount")
    if target == facts.with_power(layout.BENE_GESSERIT):
        ways.append("at a player to ask for the prediction")
    return f"Point {words.listed(ways)}."


def _fetched(facts: Facts) -> str:
    if facts.seat == facts.with_power(layout.TLEILAX):
        return "{Tleilax} brings back its own leader, or takes a dead one of another player."
    if facts.content["phase"] == "battle":
        return "In a battle only a leader comes back."
    by_karama = facts.pending.get("card") == layout.CARD_NAMES.index("karama")
    return f"A leader comes back, or up to {{{'emperor' if by_karama else 'ghola'}_tokens}} tokens."


def _karama(facts: Facts) -> str:
    """What the deciding seat could do with a Karama, if it holds one."""
    hand = facts.players[facts.seat]["hand"] if facts.seat != NONE else []
    sister = facts.seat == facts.with_power(layout.BENE_GESSERIT)
    kinds = [layout.CARD_NAMES.index("karama"), *([layout.CARD_NAMES.index("worthless")] if sister else [])]
    uses = _KARAMA.get(facts.decision or "", {})
    if not uses or not any(kind in hand for kind in kinds):
        return ""
    if NONE in uses:
        return f" {uses[NONE]}"
    if not facts.content["options"]["karama_powers"]:
        return ""
    return f" {uses[facts.faction(facts.seat)]}" if facts.faction(facts.seat) in uses else ""


def _besides(facts: Facts) -> str:
    """What the options and the factions at the table add to the rules of the present decision."""
    options = facts.content["options"]
    match facts.decision:
        case "DIAL":
            dial = "first_dial" if facts.content["turn"] == 1 else "later_dial"
            return f" Each dials {{{dial}[0]}} to {{{dial}[1]}}."
        case "PROPOSE" | "ANSWER" if options["max_alliance"] is not None:
            return f" An alliance has at most {options['max_alliance']} members."
        case "BIDDING_CARDS" if options["deck"] == layout.DECKS[0]:
            return (
                " {Residual_poison}, or {worthless} as a bluff, is laid face down on somebody, of whom a ransom can"
                " then be asked each turn."
            )
        case "BID" if facts.with_power(layout.EMPEROR) not in (NONE, facts.seat):
            return " {Emperor} gets what you pay."
        case "SHIP" | "SHIP_COUNT" | "SHIP_TO" if facts.with_power(layout.GUILD) not in (NONE, facts.seat):
            # A shipment at half price by a Karama is paid to the bank.
            return "" if facts.pending.get("half_price") else " {Guild} gets what you pay."
        case "REVIVE":
            return f" Without payment came back: {facts.pending.get('freed', 0)}."
        case "MOVE_FROM" if facts.pending.get("second_move"):
            return " This is the second move."
    return ""


def _who_wins(facts: Facts) -> str:
    content = facts.content
    if not content["over"]:
        return ""
    event = Event(None, "over", (layout.HOW_NAMES.index(content["how"]), *content["winners"]))
    return f"{words.capital(texts.told(event, facts))}."


_PARTS: dict[str, Callable[[Facts], str]] = {
    "{landing}": _landing,
    "{lifting}": _lifting,
    "{range}": _range,
    "{what_can_be_asked}": _what_can_be_asked,
    "{fetched}": _fetched,
    "{if_stopped}": lambda facts: _IF_STOPPED[facts.pending["power"]],
    "{who_wins}": _who_wins,
    "{free}": lambda facts: count(facts.printed.free_forces[layout.FREMEN], "token"),
    "{to_give}": lambda facts: count(facts.pending["left"], "card"),
    "{alliance_strongholds}": lambda facts: str(facts.content["options"]["alliance_strongholds"]),
}


def rules(content: Content, components: Components) -> str:
    """A reminder of the rules for the present decision, with what the deciding seat could do with a Karama."""
    facts = Facts(content, components)
    if facts.decision is None:
        return "Who is asked, and what, is seen by that player only."
    text = _RULES[facts.decision] + _besides(facts) + _karama(facts)
    for part, write in _PARTS.items():
        if part in text:
            text = text.replace(part, write(facts))
    return filled(text, facts)


# Actions, and what happened


def sentence(action: str, content: Content, components: Components) -> str:
    """What an action (its text) does, as a clause without its subject."""
    return sentences.sentence(action, Facts(content, components))


def changes(action: str, before: Content, after: Content, components: Components) -> list[Change]:
    """The differences between two positions that the action's sentence has not told."""
    facts = Facts(after, components)
    return [Change(event.seat, texts.told(event, facts)) for event in events(before, after, components)]


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
