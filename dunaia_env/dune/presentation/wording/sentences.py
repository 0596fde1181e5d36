"""What an action does, in English: a clause without its subject, by decision and verb."""

from __future__ import annotations

from collections.abc import Callable

from dunaia_env.dune import state as layout
from dunaia_env.dune.presentation.wording import words
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.words import card, cell, leader, listed, territory, who, whose
from dunaia_env.dune.state import NONE
from dunaia_env.support.english import count

UNTOLD = "decides"  # the sentence for a decision that a view hides


def sentence(action: str, facts: Facts) -> str:
    """What an action (its text) does in a position; if a view hides the decision, only that somebody decides."""
    if facts.decision is None:
        return UNTOLD
    verb, *numbers = action.split()
    write = _SENTENCES.get((facts.decision, verb))
    if write is None:
        return "does nothing" if verb == "pass" else action
    return write(facts, *map(int, numbers))


def _cell_asked(facts: Facts) -> str:
    return cell(facts.pending["cell"], facts)


def _allies(facts: Facts, seat: int) -> str:
    return listed(who(other, facts) for other in facts.allies(seat))


def _laid_on(facts: Facts) -> str:
    return who(facts.players[facts.seat]["laid_on"], facts)


def _play(facts: Facts, kind: int) -> str:
    if facts.decision == "BIDDING_CARDS" and kind in (layout.RESIDUAL_POISON, layout.WORTHLESS):
        return f"lays {card(kind, facts)}{' as a bluff' if kind == layout.WORTHLESS else ''}"
    return f"plays {card(kind, facts)}"


def _atomics(facts: Facts, kind: int) -> str:
    return f"plays {card(layout.ATOMICS_CARD, facts)} and destroys the {territory(facts.printed.shield_wall, facts)}"


def _harvester(facts: Facts, kind: int) -> str:
    return f"plays {card(kind, facts)} for the spice in {territory(facts.content['last_blow'], facts)}"


def _predict_turn(facts: Facts, turn: int) -> str:
    named = facts.pending.get("faction", NONE)
    return f"predicts that {words.faction(named, facts) if named != NONE else 'it'} wins in turn {turn}"


def _traitor(facts: Facts, number: int) -> str:
    return f"takes {leader(number, facts)} of {words.faction(facts.printed.faction_of[number], facts)} as a traitor"


def _propose(facts: Facts, offset: int) -> str:
    other = facts.named(offset)
    members = f" (with {_allies(facts, other)})" if facts.allies(other) else ""
    return f"proposes an alliance to {who(other, facts)}{members}"


def _bid(facts: Facts, number: int) -> str:
    highest = facts.pending.get("bid", 0)
    return f"bids {highest + number} (raises by {number})" if highest else f"bids {number}"


def _karama_for(facts: Facts) -> str:
    faction = facts.faction(facts.seat)
    if faction == layout.HARKONNEN:
        return "spends a Karama to exchange cards"
    if faction == layout.EMPEROR:
        return "spends a Karama to bring back a leader or tokens"
    return "spends a Karama so that nobody else gets tokens from the tanks in this turn"


def _revive(facts: Facts, number: int) -> str:
    if not number:
        return "revives no more tokens"
    return f"revives {count(number, 'token')} for {number * facts.printed.revival_price} spice"


def _ship_count(facts: Facts, number: int) -> str:
    where = facts.pending["cell"]
    price = facts.price(where, number)
    cost = f"for {price} spice" if price else "without payment"
    return f"lands {count(number, 'token')} in {cell(where, facts)} {cost}"


def _lifted(facts: Facts) -> str:
    origin = facts.pending.get("origin", NONE)
    where = f" from {territory(origin, facts)}" if origin != NONE else ""
    return f"{count(facts.taken, 'token')}{where}"


def _ship_to(facts: Facts, where: int) -> str:
    price = facts.price(where, facts.taken, lifted=True)
    return f"ships {_lifted(facts)} to {cell(where, facts)} for {price} spice"


def _orbit(facts: Facts) -> str:
    return f"ships {_lifted(facts)} back to the reserve for {facts.orbit_price(facts.taken)} spice"


def _count(facts: Facts, number: int) -> str:
    there = facts.tokens(facts.seat, facts.pending["cell"])
    verb = "lifts" if facts.pending.get("lifting") else "takes"
    return f"{verb} {number} of {count(there, 'token')} in {_cell_asked(facts)}"


def _opponent(facts: Facts, offset: int) -> str:
    field = facts.pending.get("field", NONE)
    where = f" in {cell(field, facts)}" if field != NONE else ""
    return f"attacks {who(facts.named(offset), facts)}{where}"


def _number(facts: Facts, number: int) -> str:
    field = facts.pending.get("field", NONE)
    there = facts.tokens_in_field(facts.seat, field) if field != NONE else 0
    return f"dials {number} of {count(there, 'token')}"


def _see(facts: Facts, element: int) -> str:
    asked = list(words.ELEMENTS.values())[element]
    return f"asks to see {asked} of {whose(facts.enemy, facts)} plan"


def _accused(facts: Facts) -> str:
    number = facts.plan(facts.enemy).get("leader", NONE)
    return leader(number, facts) if number != NONE else "the enemy's leader"


def _kept(facts: Facts) -> str:
    part = facts.pending.get("keeping", "card")
    kind = facts.plan(facts.seat).get(part, NONE)
    return f"the {part}" + (f" ({words.cards([kind], facts)})" if kind != NONE else "")


def _truth(verb: str) -> Callable[..., str]:
    def write(facts: Facts, number: int) -> str:
        target = facts.pending.get("target", NONE)
        return f"asks {who(target, facts)}: {words.question(f'{verb} {number}', facts)}"

    return write


def _lay(facts: Facts, offset: int) -> str:
    kind = facts.pending.get("card", NONE)
    what = card(kind, facts) if kind != NONE else "a card"
    return f"lays {what} on {who(facts.named(offset), facts)}"


def _named_leader(facts: Facts) -> str:
    number = facts.pending.get("leader", NONE)
    return leader(number, facts) if number != NONE else "the leader"


def _tamper(facts: Facts, number: int) -> str:
    change = ("lowers the strength of {} by 1", "leaves the strength of {} as it is", "raises the strength of {} by 1")
    return change[number].format(_named_leader(facts))


def _order(verb: str) -> Callable[..., str]:
    return lambda facts, kind: f"orders {who(facts.voice_target, facts)}: {words.order(f'{verb} {kind}', facts)}"


def _nothing(text: str) -> Callable[..., str]:
    return lambda facts: text


_WINDOWS = {
    "WEATHER": "leaves the weather alone",
    "ATOMICS": "plays no atomics",
    "BLOW_CARDS": "plays nothing before the spice blow",
    "NEXUS_CARDS": "plays nothing before the nexus",
    "BIDDING_CARDS": "plays nothing before the bidding",
    "REVIVAL_CARDS": "plays nothing before revival",
    "BATTLE_CARDS": "plays nothing before the battle",
    "HARVESTER": "plays no harvester",
    "HAJR": "moves no second group",
}
_SENTENCES: dict[tuple[str, str], Callable[..., str]] = {
    **{(decision, "pass"): _nothing(text) for decision, text in _WINDOWS.items()},
    **{(decision, "card"): _play for decision in _WINDOWS},
    ("PREDICT_WHO", "faction"): lambda facts, number: f"predicts that {words.faction(number, facts)} wins",
    ("PREDICT_TURN", "turn"): _predict_turn,
    ("TRAITOR", "leader"): _traitor,
    ("PLACE", "number"): lambda facts, number: f"places {count(number, 'token')} in {_cell_asked(facts)}",
    ("WEATHER_DIAL", "number"): lambda facts, number: f"lets the storm move {count(number, 'sector')}",
    ("DIAL", "number"): lambda facts, number: f"dials {number} for the storm",
    ("ATOMICS", "card"): _atomics,
    ("BLOW_CARDS", "karama"): _nothing("spends a Karama to call a worm"),
    ("WORM", "territory"): lambda facts, number: f"calls a worm to {territory(number, facts)}",
    ("LEAVE", "yes"): lambda facts: f"leaves the alliance with {_allies(facts, facts.seat)}",
    ("LEAVE", "pass"): lambda facts: f"stays in the alliance with {_allies(facts, facts.seat)}",
    ("PROPOSE", "seat"): _propose,
    ("PROPOSE", "pass"): _nothing("proposes no alliance"),
    ("ANSWER", "yes"): lambda facts: f"accepts the alliance with {who(facts.asker, facts)}",
    ("ANSWER", "pass"): lambda facts: f"refuses the alliance with {who(facts.asker, facts)}",
    ("RIDE", "territory"): lambda facts, number: f"rides the worm from {territory(number, facts)}",
    ("RIDE", "pass"): _nothing("does not ride the worm"),
    ("HARVESTER", "card"): _harvester,
    ("RANSOM", "number"): lambda facts, number: f"asks a ransom of {number} spice from {_laid_on(facts)}",
    ("PAY", "yes"): lambda facts: f"pays {who(facts.asker, facts)} the ransom of {facts.pending.get('price', 0)} spice",
    ("PAY", "pass"): lambda facts: (
        f"refuses {who(facts.asker, facts)} the ransom of {facts.pending.get('price', 0)} spice"
    ),
    ("POISONED", "leader"): lambda facts, number: f"poisons {leader(number, facts)} of {_laid_on(facts)}",
    ("GIFT", "number"): lambda facts, number: (
        f"gives {who(facts.pending.get('target', NONE), facts)} {f'{number} spice' if number else 'nothing'}"
    ),
    ("PLEDGE", "number"): lambda facts, number: f"pledges {number} spice to {_allies(facts, facts.seat)}",
    ("BID", "number"): _bid,
    ("BID", "pass"): _nothing("does not bid"),
    ("BID", "karama"): _nothing("spends a Karama to get the card on sale without payment"),
    ("REVIVAL_CARDS", "karama"): _karama_for,
    ("REVIVE", "number"): _revive,
    ("WITHDRAW", "yes"): lambda facts: f"withdraws the card laid on {_laid_on(facts)}",
    ("WITHDRAW", "pass"): lambda facts: f"leaves the card laid on {_laid_on(facts)}",
    ("SHIP", "cell"): lambda facts, number: f"ships tokens to {cell(number, facts)}",
    ("SHIP", "territory"): lambda facts, number: f"lifts tokens from {territory(number, facts)}",
    ("SHIP", "karama"): _nothing("spends a Karama to ship at half price"),
    ("SHIP", "pass"): _nothing("ships nothing"),
    ("SHIP_COUNT", "number"): _ship_count,
    ("SHIP_TO", "cell"): _ship_to,
    ("SHIP_TO", "orbit"): _orbit,
    ("COUNT", "number"): _count,
    ("ACCOMPANY", "yes"): lambda facts: f"sends 1 token along to the {territory(facts.printed.polar_sink, facts)}",
    ("ACCOMPANY", "pass"): _nothing("sends no token along"),
    ("MOVE_FROM", "territory"): lambda facts, number: f"moves tokens from {territory(number, facts)}",
    ("MOVE_FROM", "pass"): _nothing("moves no tokens"),
    ("MOVE_TO", "cell"): lambda facts, number: f"moves {_lifted(facts)} to {cell(number, facts)}",
    ("RAISE", "leader"): lambda facts, number: f"raises {leader(number, facts)} for {facts.strength(number)} spice",
    ("RAISE", "pass"): _nothing("raises no leader"),
    ("BATTLE", "cell"): lambda facts, number: f"fights in {cell(number, facts)}",
    ("OPPONENT", "seat"): _opponent,
    ("VOICE", "must"): _order("must"),
    ("VOICE", "must_not"): _order("must_not"),
    ("VOICE", "pass"): _nothing("gives no order"),
    ("LEADER", "leader"): lambda facts, number: f"leads with {leader(number, facts)}",
    ("LEADER", "card"): lambda facts, kind: f"leads with {card(layout.CHEAP_HERO, facts)}",
    ("WEAPON", "card"): lambda facts, kind: f"takes {card(kind, facts)} as the weapon",
    ("WEAPON", "pass"): _nothing("takes no weapon"),
    ("DEFENCE", "card"): lambda facts, kind: f"takes {card(kind, facts)} as the defence",
    ("DEFENCE", "pass"): _nothing("takes no defence"),
    ("NUMBER", "number"): _number,
    ("PRESCIENCE", "see"): _see,
    ("PRESCIENCE", "karama"): lambda facts: f"spends a Karama to see {whose(facts.enemy, facts)} whole plan",
    ("PRESCIENCE", "pass"): _nothing("asks nothing about the plan"),
    ("TREASON", "yes"): lambda facts: f"calls {_accused(facts)} a traitor",
    ("TREASON", "pass"): lambda facts: f"does not call {_accused(facts)} a traitor",
    ("LOSS", "number"): lambda facts, number: (
        f"loses {number} of {count(facts.tokens(facts.seat, facts.pending['cell']), 'token')} in {_cell_asked(facts)}"
    ),
    ("KEEP", "yes"): lambda facts: f"keeps {_kept(facts)}",
    ("KEEP", "pass"): lambda facts: f"discards {_kept(facts)}",
    ("TRUTH_WHO", "seat"): lambda facts, offset: f"asks {who(facts.named(offset), facts)} for a truth",
    **{("TRUTH", verb): _truth(verb) for verb in ("card", "leader", "number", "faction", "turn")},
    ("CONE", "seat"): lambda facts, offset: f"silences {who(facts.named(offset), facts)}",
    ("CONE", "pass"): _nothing("silences nobody else"),
    ("LAY_WHO", "seat"): _lay,
    ("GHOLA", "leader"): lambda facts, number: f"brings {leader(number, facts)} back from the tanks",
    ("GHOLA", "number"): lambda facts, number: f"brings {count(number, 'token')} back from the tanks",
    ("SWAP_WHO", "seat"): lambda facts, offset: f"exchanges cards with {who(facts.named(offset), facts)}",
    ("SWAP_COUNT", "number"): lambda facts, number: (
        f"takes {count(number, 'card')} of {who(facts.pending.get('target', NONE), facts)} unseen"
    ),
    ("GIVE", "card"): lambda facts, kind: (
        f"gives {card(kind, facts)} to {who(facts.pending.get('target', NONE), facts)}"
    ),
    ("KARAMA", "karama"): lambda facts: f"stops with a Karama: {words.power(facts)}",
    ("KARAMA", "pass"): lambda facts: f"does not stop {words.power(facts)}",
    ("BUY_BACK", "leader"): lambda facts, number: (
        f"asks {who(facts.seat_of(layout.TLEILAX), facts)} to sell back {leader(number, facts)}"
    ),
    ("BUY_BACK", "pass"): _nothing("buys back no leader"),
    ("PRICE", "number"): lambda facts, number: f"asks {number} spice for {_named_leader(facts)}",
    ("PRICE", "pass"): lambda facts: f"does not sell {_named_leader(facts)}",
    ("ACCEPT", "yes"): lambda facts: f"pays {facts.pending.get('price', 0)} spice for {_named_leader(facts)}",
    ("ACCEPT", "pass"): lambda facts: f"does not pay {facts.pending.get('price', 0)} spice for {_named_leader(facts)}",
    ("TAMPER", "number"): _tamper,
}
# The pairs of decisions and verbs that have a sentence of their own.
PAIRS = frozenset(_SENTENCES)
