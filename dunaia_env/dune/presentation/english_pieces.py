"""Dune in English: what each piece of a position is, and what it does or would do now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dunaia_env.dune.board import BEHIND_THE_WALL, PROTECTED, TYPE_NAMES
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.presentation.english import filled
from dunaia_env.dune.presentation.pieces import check_piece
from dunaia_env.dune.presentation.wording import sentences, words
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.state import CARD_NAMES, FACE_DANCER, FACTION_NAMES, NONE, SHAI_HULUD
from dunaia_env.support.english import count

Content = Mapping[str, Any]


def piece(name: str, content: Content, components: Components) -> str:
    """What a piece (by its name) is, and what it does or would do now; raises `ValueError` for an unknown name."""
    kind, numbers = check_piece(name, content)
    return " ".join(_PIECES[kind](Facts(content, components), *numbers))


# The map

_GROUND = {"sand": "sand", "rock": "rock", "stronghold": "a stronghold", "polar_sink": "neutral ground"}


def _occupants(facts: Facts, cells: range | tuple[int, ...]) -> Iterator[str]:
    """The tokens and the spice in some cells."""
    for seat in range(len(facts.players)):
        tokens = sum(facts.tokens(seat, where) for where in cells)
        if tokens:
            yield f"{words.capital(words.who(seat, facts))} has {count(tokens, 'token')} here."
    spice = sum(amount for where, amount in facts.content["spice"] if where in cells)
    if spice:
        yield f"{spice} spice {'lies' if spice == 1 else 'lie'} here."


def _shelter(facts: Facts, number: int) -> Iterator[str]:
    """Whether the storm harms the tokens in a territory."""
    protection = facts.printed.protection[number]
    if protection == PROTECTED:
        yield "The storm harms nobody here."
    elif protection == BEHIND_THE_WALL and facts.content["shield_wall"]:
        yield f"While the {words.territory(facts.printed.shield_wall, facts)} stands, the storm harms nobody here."


def _ground(facts: Facts, number: int) -> str:
    return _GROUND[TYPE_NAMES[facts.printed.type[number]]]


def _cell(facts: Facts, number: int) -> Iterator[str]:
    place = facts.territory(number)
    yield f"{words.cell(number, facts)}: {_ground(facts, place)}."
    yield from _occupants(facts, (number,))
    if facts.is_stormy(number):
        yield "The storm is here: tokens neither come nor go."
    yield from _shelter(facts, place)
    flies = {facts.territory(facts.cells(ornithopter)[0]) for ornithopter in facts.printed.ornithopters}
    if place in flies:
        yield f"Whoever has tokens here moves {facts.printed.ornithopter_steps} territories far."


def _territory(facts: Facts, number: int) -> Iterator[str]:
    yield f"{words.territory(number, facts)}: {_ground(facts, number)}."
    sectors = [facts.sector(where) for where in facts.cells(number)]
    if len(sectors) > 1:
        yield f"It lies in the sectors {words.listed(sectors)}."
    elif sectors != [NONE]:
        yield f"It lies in sector {sectors[0]}."
    yield from _occupants(facts, facts.cells(number))
    yield from _shelter(facts, number)


def _storm(facts: Facts) -> Iterator[str]:
    yield f"The storm, in sector {facts.content['storm']}."
    yield "Nobody enters or leaves its sector. It moves counter-clockwise and destroys tokens and spice on open ground."
    wheels = [seat for seat in facts.content["wheels"] if seat != NONE]
    if wheels and not facts.content["over"]:
        yield f"The next one is dialled by {words.listed(words.who(seat, facts) for seat in wheels)}."


# Seats

_POWERS = {
    "atreides": (
        "Sees the cards on sale before they are sold, the next spice card, and a part of the enemy's plan in battle."
    ),
    "harkonnen": ("Keeps every leader drawn as a traitor, and gets a second card with each one that is bought."),
    "emperor": "Gets what others pay for treachery cards, and may give spice to allies.",
    "fremen": (
        "Lands without payment near {great_flat}, moves {fremen_steps} territories far, is spared by worms and rides"
        " them."
    ),
    "guild": "Gets what others pay for shipments, ships at half price, and ships tokens from the board too.",
    "bene_gesserit": (
        "Predicts who wins and when, orders an enemy what to play, sends tokens along with the landings of others, and"
        " uses worthless cards as Karama."
    ),
    "tleilax": (
        "Lands tokens that were lost again, sells dead leaders back to their owners, and leads with a Face Dancer, who"
        " is as strong as the enemy's leader."
    ),
}


def _seat(facts: Facts, seat: int) -> Iterator[str]:
    content, player = facts.content, facts.players[seat]
    yield f"{words.capital(words.who(seat, facts))}, player {seat}."
    held = content["scores"][seat] % 10  # the score of a winner is 10 higher
    allies = facts.allies(seat)
    yield f"Strongholds{' with the allies' if allies else ''}: {held}."
    if seat in content["winners"]:
        yield "Has won."
    if allies:
        yield f"Allied with {words.listed(words.who(ally, facts) for ally in allies)}."
    if player["pledge"]:
        yield f"Allies may spend {player['pledge']} of its spice."
    if seat in content["silenced"]:
        yield "Silenced until the end of the turn: buys no card and makes no alliance."
    if content["options"]["powers"]:
        yield filled(_POWERS[FACTION_NAMES[facts.faction(seat)]], facts)
    prediction = content["prediction"]
    if prediction and FACTION_NAMES[facts.faction(seat)] == "bene_gesserit":
        yield f"Predicts that {words.faction(prediction['faction'], facts)} wins in turn {prediction['turn']}."
    if player["laid_on"] != NONE:
        kind = player["laid"]
        laid = "a card" if kind in (None, NONE) else words.card(kind, facts)
        yield f"Has laid {laid} on {words.who(player['laid_on'], facts)}."
    for other, debt in enumerate(player["debts"]):
        if debt:
            yield f"Owes {words.who(other, facts)} {debt} spice."
    if player["reviving"]:
        yield "Raises its leaders, one a turn."


def _spice(facts: Facts, seat: int) -> Iterator[str]:
    amount = facts.players[seat]["spice"]
    if amount is None:
        yield f"{words.capital(words.whose(seat, facts))} spice, hidden behind the shield."
    else:
        yield f"{words.capital(words.whose(seat, facts))} spice: {amount}."
    yield "It pays for cards, shipments and revival."


def _reserve(facts: Facts, seat: int) -> Iterator[str]:
    number = facts.players[seat]["reserve"]
    if number is None:
        yield f"{words.capital(words.whose(seat, facts))} reserve, hidden behind the shield."
    else:
        yield f"{words.capital(words.whose(seat, facts))} reserve: {count(number, 'token')}."
    yield "From there tokens are shipped to the planet."


def _hand(facts: Facts, seat: int) -> Iterator[str]:
    size, powerful = facts.hand_size(seat), facts.content["options"]["powers"]
    limit = facts.printed.hand_limit
    most = limit[facts.faction(seat)] if powerful else min(limit)
    held = "cards" if size is None else count(size, "card")
    yield f"{words.capital(words.who(seat, facts))} holds {held}, and at most {most}."
    player = facts.players[seat]
    if player["hand"] is None and player["shown"]:
        yield f"Everybody knows of {words.cards(player['shown'], facts)}."
    if player["foreseen"]:
        yield f"{words.capital(words.faction(0, facts))} saw {words.cards(player['foreseen'], facts)}."


def _tanks(facts: Facts, seat: int) -> Iterator[str]:
    number, printed = facts.players[seat]["tanks"], facts.printed
    yield f"{words.capital(words.whose(seat, facts))} tokens in the tanks: {number}."
    name = FACTION_NAMES[facts.faction(seat)]
    if name == "tleilax" and facts.content["options"]["powers"]:
        yield "Its lost tokens go to the reserve at once."
        return
    free, pays = printed.free_revival[facts.faction(seat)], printed.paid_revival[facts.faction(seat)]
    yield f"{free} a turn {'comes' if free == 1 else 'come'} back without payment."
    if pays:
        yield f"Others cost {printed.revival_price} spice each, up to {printed.revival_most} tokens a turn in all."


# Cards

_CARDS = {
    "projectile_weapon": "A weapon that kills the enemy's leader, unless {shield} saves it.",
    "poison_weapon": "A weapon that kills the enemy's leader, unless {snooper} saves it.",
    "lasgun": (
        "A weapon that kills the enemy's leader whatever the defence. With {shield} in the same battle everything in"
        " the territory is destroyed."
    ),
    "shield": "A defence against {projectile_weapon}. With {lasgun} in the same battle everything is destroyed.",
    "snooper": "A defence against {poison_weapon}.",
    "cheap_hero": "Leads a battle in place of a leader, without strength.",
    "worthless": "Can be played as a weapon or a defence, without effect.",
    "truthtrance": "Makes another player answer a question openly and truthfully.",
    "weather_control": "Its player alone chooses how far the storm moves.",
    "hajr": "Lets a second group move in the turn, or the same one again.",
    "tleilaxu_ghola": "Brings back a leader, or up to {ghola_tokens} tokens, from the tanks.",
    "family_atomics": "Destroys the {wall} and the tokens on it.",
    "harvester": "Brings the amount of a spice blow once more.",
    "thumper": "Brings a worm in place of the next spice card.",
    "cone_of_silence": "Silences others until the end of the turn: they buy no card and make no alliance.",
    "residual_poison": (
        "Is laid on another player, who can be asked for a ransom each turn; if it is refused, a leader dies."
    ),
    "karama": "Stops a power of another player, gets a card on sale for nothing, or halves the price of a shipment.",
}


def _use_of(facts: Facts, kind: int) -> str:
    return filled(_CARDS[CARD_NAMES[kind]], facts)


def _card(facts: Facts, *numbers: int) -> Iterator[str]:
    seat, kind = numbers if len(numbers) > 1 else (facts.seat, numbers[0])
    player = facts.players[seat] if seat != NONE else {"hand": None, "shown": ()}
    known = player["hand"] if player["hand"] is not None else player["shown"]
    held = list(known or ()).count(kind)
    times = f" ({held} of them)" if held > 1 else ""
    owner = f", held by {words.who(seat, facts)}" if len(numbers) > 1 else ""
    yield f"{words.card_name(kind, facts)}{times}{owner}."
    yield _use_of(facts, kind)


def _leader(facts: Facts, number: int) -> Iterator[str]:
    leaders, printed = facts.content["leaders"], facts.printed
    home, owner = printed.faction_of[number], leaders["owner"][number]
    strength = "as strong as the enemy's leader" if number == FACE_DANCER else f"strength {facts.strength(number)}"
    yield f"{words.leader(number, facts)}, {strength}."
    yield f"A leader of {words.faction(home, facts)}."
    if owner == NONE:
        yield "Does not take part in this game."
        return
    if facts.faction(owner) != home:
        yield f"Belongs to {words.who(owner, facts)} now."
    change = leaders["change"][number]
    if change:
        yield f"In battle {'stronger' if change > 0 else 'weaker'} by {abs(change)}."
    if not leaders["alive"][number]:
        yield "Dead, in the tanks."
    used = leaders["used"][number]
    if used != NONE:
        yield f"Has fought in {words.territory(used, facts)} and leads nowhere else in this turn."
    for seat, player in enumerate(facts.players):
        if number in (player["traitors"] or ()):
            yield f"A traitor in the service of {words.who(seat, facts)}."


# Decks


def _deck(facts: Facts) -> Iterator[str]:
    content = facts.content
    size = content["deck_count"] if content.get("deck") is None else sum(content["deck"])
    gone = [kind for kind, number in enumerate(content["discards"]) for _ in range(number)]
    yield f"The treachery deck: {count(size, 'card')}."
    yield f"Discarded: {words.cards(gone, facts)}."
    if content["top"] != NONE:
        top = content["top"]
        yield f"On top lies {'a card' if top is None else words.card(top, facts)} that nobody has bought."


def _spice_deck(facts: Facts) -> Iterator[str]:
    content = facts.content
    worms = content["spice_deck"][SHAI_HULUD]
    yield f"The spice deck: {count(sum(content['spice_deck']), 'card')}, {worms} of them {_worms(worms)}."
    foreseen = content["foreseen_spice"]
    if foreseen not in (None, NONE):
        yield f"Next comes {_spice_card(facts, foreseen)}."
    last = content["last_blow"]
    if last != NONE:
        yield f"The last spice blow was in {words.territory(last, facts)}, where the next worm comes."


def _worms(number: int) -> str:
    return "a worm" if number == 1 else "worms"


def _spice_card(facts: Facts, number: int) -> str:
    if number == SHAI_HULUD:
        return "a worm"
    printed = facts.printed
    return f"{printed.spice_amount[number]} spice in {words.cell(printed.spice_cell[number], facts)}"


def _discard(facts: Facts, kind: int) -> Iterator[str]:
    yield f"{words.card_name(kind, facts)}, discarded: {facts.content['discards'][kind]}."
    yield _use_of(facts, kind)


def _blow(facts: Facts, number: int) -> Iterator[str]:
    left = facts.content["spice_deck"][number]
    yield f"A spice card to come: {_spice_card(facts, number)}."
    if number == SHAI_HULUD:
        yield f"{count(left, 'worm')} {'is' if left == 1 else 'are'} left."


# Buttons


def _answer(facts: Facts, verb: str, number: int | None = None) -> str:
    """What an action does now, as a whole sentence; empty if the decision does not take the action."""
    if verb not in DECISIONS[facts.decision or "OVER"].verbs:
        return ""
    action = verb if number is None else f"{verb} {number}"
    return f"{words.capital(sentences.sentence(action, facts))}."


def _pass(facts: Facts) -> Iterator[str]:
    yield _answer(facts, "pass") or "There is nothing to decline now."


def _yes(facts: Facts) -> Iterator[str]:
    yield _answer(facts, "yes") or "There is nothing to agree to now."


def _number(facts: Facts, number: int) -> Iterator[str]:
    text = _answer(facts, "number", number)
    yield f"{number}: {text}" if text else f"The number {number}."


def _turns(facts: Facts) -> Iterator[str]:
    yield "The turn of the prediction."
    yield "Asks whether a prediction names a turn."


def _turn(facts: Facts, turn: int) -> Iterator[str]:
    yield f"Turn {turn}."
    text = _answer(facts, "turn", turn)
    if text:
        yield text


def _kind(facts: Facts, kind: int) -> Iterator[str]:
    yield f"{words.card_name(kind, facts)}."
    yield _use_of(facts, kind)


def _must(facts: Facts) -> Iterator[str]:
    yield "An order to play a card."
    yield "The enemy has to play a card of the named kind, if it can."


def _must_not(facts: Facts) -> Iterator[str]:
    yield "An order not to play a card."
    yield "The enemy may not play a card of the named kind."


def _element(facts: Facts, number: int) -> Iterator[str]:
    yield f"{words.capital(list(words.ELEMENTS.values())[number])} of the plan."


_PIECES: dict[str, Callable[..., Iterator[str]]] = {
    "cell": _cell,
    "territory": _territory,
    "storm": _storm,
    "seat": _seat,
    "spice": _spice,
    "reserve": _reserve,
    "hand": _hand,
    "tanks": _tanks,
    "card": _card,
    "leader": _leader,
    "deck": _deck,
    "spice-deck": _spice_deck,
    "discard": _discard,
    "blow": _blow,
    "pass": _pass,
    "yes": _yes,
    "number": _number,
    "turns": _turns,
    "turn": _turn,
    "kind": _kind,
    "must": _must,
    "must-not": _must_not,
    "element": _element,
}
