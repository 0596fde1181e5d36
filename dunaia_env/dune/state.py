"""The state of a game: one record.

A state waits for one decision of one seat, or the game is over. It holds no random generator and no future draws: a
pile is a multiset of unseen cards, counted by kind, and each draw happens when its card is first looked at.

**Where the game stands.** The decision and the asked seat, with the phase and the actor, say where a phase stands in
its own course. Whatever has to be taken up again later stands on the stack, the innermost entry last. An entry names
its resume point and, if they apply, the decision, the seat and, for a question about a Karama, the power and its user:

- ``WINDOW``: a card or power was played in the window ``decision``. When it has had its effect, ``seat`` is asked again
  in this window, with what is still legal.
- ``SEATS``: other seats are asked during the place of ``seat`` in the round of ``decision``: RANSOM (PAY, POISONED),
  PROPOSE (ANSWER), REVIVE (BUY_BACK, PRICE, ACCEPT, a question, TAMPER), SHIP (a question, ACCOMPANY, a question).
  Then the round goes on after this place; SHIP goes on with the ground move of ``seat``.
- ``EAT``: a worm from the pile or a thumper has called the nexus. After the nexus, the worm comes to the territory of
  the last blow.
- ``DRAWING``: a worm from the pile or a thumper is in progress. After the worm, spice cards are drawn until a territory
  comes.
- ``BUY``: ``seat``, Bene Gesserit, used a worthless card as a Karama for the card on sale. Unless this use is stopped,
  the card is hers; otherwise she is asked BID again.
- ``HALVE``: the same for a shipment at half price. Then she is asked SHIP again; if the use was stopped, at the whole
  price.
- ``STOP``: the same to stop ``power`` of ``user``. Unless this use is stopped, the power is stopped; otherwise she is
  asked KARAMA about the power again.

A question (decision KARAMA) needs no entry for what follows it, because that depends only on the power in question.
Below the question about a worthless card stands BUY, HALVE or STOP. This question is never asked about itself, so at
most one of these entries is on the stack, at the top. Below it lies at most one other entry: DRAWING, WINDOW or SEATS.
Without such a question, EAT lies on DRAWING, and in the nexus WINDOW (NEXUS_CARDS) or SEATS (PROPOSE) lies on both. So
no stack has more than three entries. The deepest are DRAWING, EAT, WINDOW and DRAWING, EAT, SEATS. With a question
about a worthless card there are two entries at most, as in SEATS (REVIVE), STOP.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dunaia_env.harness.compiled.lane import layout_hash

MIN_PLAYERS = 2
MAX_PLAYERS = 6
FACTIONS = 7
TOKENS = 20
CELLS = 86
TERRITORIES = 42
SECTORS = 18
STRONGHOLDS = 5
MOST_CELLS_OF_A_TERRITORY = 5
LEADERS = 31
DISCS = 30  # leaders whose discs are drawn
DISCS_OF_A_SEAT = 4
KINDS = 17  # of treachery cards
SPICE_KINDS = 16  # of spice cards: 15 territories and the worm
SHAI_HULUD = 15
MOST_TURNS = 15
MOST_TRUTHS = 4
MOST_FRAMES = 3
NUMBERS = 21  # 0..20, as decisions can name them
MOST_SPICE = 32767  # of a seat or in a cell; the largest number that a field can hold
NONE = -1

# Factions.
ATREIDES, HARKONNEN, EMPEROR, FREMEN, GUILD, BENE_GESSERIT, TLEILAX = 0, 1, 2, 3, 4, 5, 6
FACTION_NAMES = ("atreides", "harkonnen", "emperor", "fremen", "guild", "bene_gesserit", "tleilax")
FACE_DANCER = 30

# Kinds of treachery cards.
PROJECTILE, POISON, LASGUN, SHIELD, SNOOPER, CHEAP_HERO, WORTHLESS = 0, 1, 2, 3, 4, 5, 6
TRUTHTRANCE, WEATHER_CONTROL, HAJR, GHOLA_CARD, ATOMICS_CARD = 7, 8, 9, 10, 11
HARVESTER_CARD, THUMPER, CONE_OF_SILENCE, RESIDUAL_POISON, KARAMA_CARD = 12, 13, 14, 15, 16
CARD_NAMES = (
    "projectile_weapon",
    "poison_weapon",
    "lasgun",
    "shield",
    "snooper",
    "cheap_hero",
    "worthless",
    "truthtrance",
    "weather_control",
    "hajr",
    "tleilaxu_ghola",
    "family_atomics",
    "harvester",
    "thumper",
    "cone_of_silence",
    "residual_poison",
    "karama",
)
WEAPONS = (PROJECTILE, POISON, LASGUN, WORTHLESS)
DEFENCES = (SHIELD, SNOOPER, WORTHLESS)
LAYABLE = (WORTHLESS, RESIDUAL_POISON)

PHASE_NAMES = ("setup", "storm", "blow", "nexus", "bidding", "revival", "movement", "battle", "over")
SETUP, STORM, BLOW, NEXUS, BIDDING, REVIVAL, MOVEMENT, BATTLE_PHASE, OVER_PHASE = range(9)

# How a game ended.
HOW_NAMES = ("", "strongholds", "prediction", "fremen", "guild", "most", "nobody")

# Powers that a Karama can stop.
POWER_NAMES = (
    *("sight", "bonus", "future", "tame", "accompany", "voice", "prescience", "worthless", "shipment", "tamper"),
    "steal",
)
SIGHT, BONUS, FUTURE, TAME, ACCOMPANIED, VOICED, PRESCIENT, WORTHLESS_USED, SHIPPED, TAMPERED, STOLEN = range(11)

# Resume points.
NO_POINT, WINDOW, SEATS, EAT, DRAWING, BUY, HALVE, STOP = 0, 1, 2, 3, 4, 5, 6, 7
POINT_NAMES = ("", "window", "seats", "eat", "drawing", "buy", "halve", "stop")

# Sides of a battle.
AGGRESSOR, DEFENDER = 0, 1
# What Atreides may ask about a plan; `ALL_ELEMENTS` by a Karama.
ELEMENT_NAMES = ("leader", "weapon", "defence", "number")
ALL_ELEMENTS = 4
# A cheap hero, in the place of a leader's id in a plan.
HERO = 31
# A part of a plan that has not been chosen yet; -1 means that the plan has no such part.
UNCHOSEN = -2

# Values of options.
DECKS = (43, 33)
NO_LIMIT = 0  # on the size of an alliance
UNDECIDED_NAMES = ("nobody", "strongholds")


def _record(fields: list[tuple[object, ...]]) -> np.dtype[np.record]:
    # With np.record, `state.seat` reads the same with and without compilation.
    return np.dtype((np.record, np.dtype(fields, align=True)))  # type: ignore[return-value]


PLAYER_DTYPE = _record(
    [
        ("discs", np.int32),  # the leaders whose discs were drawn, a set of bits
        ("traitors", np.int32),  # the discs that are traitors, a set of bits
        ("spice", np.int16),
        ("debts", np.int16, (MAX_PLAYERS,)),  # owed to each seat
        ("faction", np.int8),
        ("dot_sector", np.int8),
        ("reserve", np.int8),
        ("tanks", np.int8),
        ("reviving", np.int8),  # 1 while its leaders come back, one a turn
        ("pledge", np.int8),  # what allies may still spend of its spice this turn
        ("laid", np.int8),  # kind of the card that it laid, -1 none
        ("laid_on", np.int8),  # the seat on which it laid it, -1 none
        ("forces", np.int8, (CELLS,)),
        ("hand", np.int8, (KINDS,)),  # without the cards of a hidden plan
        ("shown", np.int8, (KINDS,)),  # cards of hand and hidden plan that everybody knows
        ("foreseen", np.int8, (KINDS,)),  # cards of hand and hidden plan that Atreides saw arrive
    ]
)

PLAN_DTYPE = _record(
    [
        ("leader", np.int8),  # a leader, 31 a cheap hero, -1 neither, -2 not chosen yet
        ("weapon", np.int8),  # a kind, -1 none, -2 not chosen yet
        ("defence", np.int8),  # a kind, -1 none, -2 not chosen yet
        ("number", np.int8),  # -2 not chosen yet
        ("no_leader", np.int8),  # 1 if it was made known that neither leader nor hero is available
        ("treason", np.int8),  # the answer of the battler's side: 1 yes, 0 no, -1 not asked or not answered
    ]
)

# An entry of the stack, see above; -1 for a part that does not apply.
FRAME_DTYPE = _record(
    [
        ("point", np.int8),
        ("decision", np.int8),
        ("seat", np.int8),
        ("power", np.int8),
        ("user", np.int8),
    ]
)

# The nested players come first, so that they have the alignment of the record.
STATE_DTYPE = _record(
    [
        ("players", PLAYER_DTYPE, (MAX_PLAYERS,)),
        # What lies openly on the board
        ("spice", np.int16, (CELLS,)),
        ("truths", np.int16, (MOST_TRUTHS, 4)),  # asker, target, action of the question, answer; the newest last
        # The counts by which draws are keyed
        ("spice_draws", np.int16),  # in the game
        ("swaps", np.int16),  # in the game
        ("sales", np.int8),  # in the turn
        ("bonuses", np.int8),  # in the turn
        ("num_truths", np.int8),
        ("num_players", np.int8),
        ("seat", np.int8),  # the deciding seat; -1 when over
        ("decision", np.int8),
        ("phase", np.int8),
        ("actor", np.int8),  # the seat that moves or attacks; -1 in other phases
        ("turn", np.int8),  # from 1, 0 during set-up
        ("how", np.int8),  # how the game ended
        ("winners", np.int8),  # a set of seats
        # Options
        ("powers", np.int8),
        ("deck_size", np.int8),  # 43 or 33
        ("alliances", np.int8),
        ("max_alliance", np.int8),  # 0 no limit
        ("alliance_strongholds", np.int8),
        ("karama_powers", np.int8),
        ("tleilax", np.int8),
        ("open_shields", np.int8),
        ("atreides_sees_bonus", np.int8),
        ("undecided", np.int8),
        ("max_turns", np.int8),
        # The board
        ("storm", np.int8),
        ("shield_wall", np.int8),
        ("wheels", np.int8, (2,)),
        ("last_blow", np.int8),
        # Cards
        ("spice_deck", np.int8, (SPICE_KINDS,)),
        ("spice_discards", np.int8, (SPICE_KINDS,)),
        ("foreseen_spice", np.int8),
        ("deck", np.int8, (KINDS,)),
        ("discards", np.int8, (KINDS,)),
        ("hidden_discards", np.int8, (KINDS,)),
        ("removed", np.int8, (KINDS,)),
        ("top", np.int8),
        ("top_seen", np.int8),
        ("sale", np.int8),
        ("sale_seen", np.int8),
        # Seats
        ("alliance", np.int8, (MAX_PLAYERS,)),  # the lowest seat of the seat's alliance, -1 none
        ("silenced", np.int8, (MAX_PLAYERS,)),
        ("prediction_faction", np.int8),  # named before the turn
        ("prediction_turn", np.int8),  # 0 until it is named
        # Leaders
        ("owner", np.int8, (LEADERS,)),
        ("alive", np.int8, (LEADERS,)),
        ("used", np.int8, (LEADERS,)),  # the territory in which the leader was used, -1 none
        ("risen", np.int8, (LEADERS,)),
        ("returned", np.int8, (LEADERS,)),
        ("change", np.int8, (LEADERS,)),
        ("change_shown", np.int8, (LEADERS,)),
        # What waits until an interruption is over, the innermost entry last
        ("stack", FRAME_DTYPE, (MOST_FRAMES,)),
        ("depth", np.int8),  # entries of the stack
        # A question about a Karama
        ("power", np.int8),  # -1 none
        ("user", np.int8),
        # What the decision in progress is about; -1 for what does not apply
        ("target", np.int8),  # the seat that a card, a proposal or a gift is meant for
        ("card", np.int8),  # kind of the card being laid, or serving as a ghola
        ("leader", np.int8),  # leader being bought back, tampered with or stolen
        ("price", np.int8),  # price asked for a leader, or ransom
        ("cell", np.int8),  # cell whose tokens a number is about, or where a landing goes
        ("origin", np.int8),  # territory of a ride, a lift or a move
        ("taken", np.int8, (MOST_CELLS_OF_A_TERRITORY,)),  # tokens named so far, by the origin's cells
        ("lifting", np.int8),  # 1 while the origin's tokens are lifted by a shipment
        ("landing", np.int8),  # tokens that land; 0 before they are counted
        ("left", np.int8),  # cards to give, or tokens to lose
        # What lasts for a phase
        ("dials", np.int8, (2,)),  # by wheel, -1 not dialled yet
        ("weather", np.int8),  # the number of Weather Control, -1 none
        ("weather_seat", np.int8),  # the seat that controls it
        ("thumper", np.int8),  # 1 while a thumper waits for the window to close
        ("worm_came", np.int8),  # 1 once the first worm of the phase came
        ("worm", np.int8),  # territory of the worm in progress
        ("alliance_grew", np.int8),  # 1 if the nexus's round made or enlarged an alliance
        ("coned", np.int8),  # 1 once the cone in progress has silenced somebody
        ("cards_left", np.int8),  # cards in the row besides the card on sale; -1 before there is a row
        ("opener", np.int8),  # the seat that opened the sale
        ("bid", np.int16),
        ("bidder", np.int8),
        ("sight_stopped", np.int8),
        ("embargo", np.int8),
        ("freed", np.int8),  # tokens that the seat in REVIVE got without payment
        ("half_price", np.int8),
        ("second_move", np.int8),
        ("field", np.int8),  # lowest cell of the battle's field
        ("defender", np.int8),
        ("voice", np.int16),  # the action that is the Voice's order, -1 none
        ("element", np.int8),  # what Atreides asked about the plan, -1 nothing
        ("element_shown", np.int8),  # 1 once it is shown
        ("plans", PLAN_DTYPE, (2,)),  # of aggressor and defender
        ("plans_shown", np.int8),
        ("winner", np.int8),  # winner of the battle
        ("keeping", np.int8),  # the card that the winner may keep: 0 weapon, 1 defence; -1 otherwise
    ]
)

STATE_SIZE = STATE_DTYPE.itemsize
STATE_HASH = layout_hash(STATE_DTYPE)
# Offsets of the deciding seat and the number of players in the bytes of a state.
SEAT_AT: int = STATE_DTYPE.fields["seat"][1]  # type: ignore[index]
PLAYERS_AT: int = STATE_DTYPE.fields["num_players"][1]  # type: ignore[index]

# Fields that hold -1 in a state without any decision in progress.
EMPTY_FIELDS = (
    *("power", "user", "target", "card", "leader", "price", "cell", "origin", "dials", "weather", "weather_seat"),
    *("worm", "cards_left", "opener", "bidder", "field", "defender", "voice", "element", "winner", "keeping"),
)
EMPTY_PLAN = (UNCHOSEN, UNCHOSEN, UNCHOSEN, UNCHOSEN, 0, NONE)
EMPTY_FRAME = (NO_POINT, NONE, NONE, NONE, NONE)


class Fields(SimpleNamespace):
    """The fields of a record, for reading: numbers are integers, nested records are lists of `Fields`.

    Reading them takes a fraction of the time that a record's own attributes take. Writing them changes no record.
    """

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def fields_of(record: Any) -> Any:
    """The `Fields` of a record."""
    values = dict(zip(record.dtype.names, record.item(), strict=True))
    for name, value in values.items():
        if isinstance(value, np.ndarray) and value.dtype.names:
            values[name] = [fields_of(element) for element in value]
    return Fields(**values)


def new_state() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The bytes of an empty state: no pieces anywhere, no decision in progress."""
    state = np.zeros(STATE_SIZE, np.uint8)
    record = state.view(STATE_DTYPE)[0]
    for field in (*EMPTY_FIELDS, "actor", "wheels", "last_blow", "foreseen_spice", "top", "sale", "alliance"):
        record[field] = NONE
    for field in ("prediction_faction", "owner", "used", "truths"):
        record[field] = NONE
    record.players["faction"] = record.players["dot_sector"] = NONE
    record.players["laid"] = record.players["laid_on"] = NONE
    record.plans[:] = EMPTY_PLAN
    record.stack[:] = EMPTY_FRAME
    return state
