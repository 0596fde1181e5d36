"""A toy game, declared as a `Game`: sealed bids for 2 to 6 players, with a deck, secret hands and simultaneous choices.

Thirty cards, 0 to 29, are shuffled, and everybody is dealt a hand. In a round a prize is turned up from the deck; all
choose a card of their hand in secret (asked one after the other, but nobody sees a choice before the last one is made,
unless bids are open). The highest card wins as many points as the prize says; bids and prize are gone for good, and
everybody draws a card. The game ends when the deck has no prize left or somebody has reached the goal, or is stopped
after a number of rounds (laps). Most points win.

With small hands luck decides. With large ones the deck is soon used up, and bidding the highest card beats bidding any:
with eight cards two players have five rounds, and networks learn to win 88 of 100 games against random play in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from dunaia_env.harness.compiled import entry_points as harness
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, HIDDEN, REVEAL, SETUP, draw
from dunaia_env.harness.compiled.encoding import ActionTable, Argument, ObservationLayout
from dunaia_env.harness.compiled.entry_points import ENDING_SIZE, MOST_OPTIONS, NO_ACTION, ROUNDS, STOPPED, array_at
from dunaia_env.harness.compiled.lane import layout_hash
from dunaia_env.harness.game import Bounds, Game
from dunaia_env.harness.options import Option
from dunaia_env.support.compile_cache import c_function, kernel
from tests.toy_presentation import PRESENTATION

MIN_PLAYERS, MAX_PLAYERS = 2, 6
CARDS = 30
ACTION_TABLE = ActionTable([("bid", (Argument("card", 0, CARDS),), "bid that card")])
NUM_ACTIONS = ACTION_TABLE.size
# Where a card is: in the deck, turned up as the prize, gone, in the hand of a seat, bid by a seat.
DECK, PRIZE, GONE, HAND, BID = 0, 1, 2, 3, 3 + MAX_PLAYERS
PLACES = 3 + 2 * MAX_PLAYERS
MOST_PRIZE = 5
_OF_ALL = (
    ("hand", (CARDS,), 1, "the cards in the hand"),
    ("gone", (CARDS,), 1, "the cards that are gone"),
    ("prize", (), MOST_PRIZE, "the prize's points"),
    ("round", (), CARDS, "the round"),
)
_OF_A_SEAT = (
    ("present", (), 1, "whether somebody sits there"),
    ("points", (), 50, "points"),
    ("has_bid", (), 1, "whether it has bid"),
    ("bid", (), CARDS, "its bid (card + 1) as far as it can be seen"),
)
# The seats follow from one's own on.
OBSERVATION_LAYOUT = ObservationLayout([("", _OF_ALL), *((f"seat_{k}.", _OF_A_SEAT) for k in range(MAX_PLAYERS))])
HAND_AT, GONE_AT, PRIZE_AT, ROUND_AT, SEATS_AT = map(
    OBSERVATION_LAYOUT.first, ("hand", "gone", "prize", "round", "seat_0.present")
)
OF_A_SEAT, OBSERVATION_SIZE = len(_OF_A_SEAT), OBSERVATION_LAYOUT.size
NUM_PLAYERS, HAND_SIZE, OPEN_BIDS, LAPS = range(4)
STATE_DTYPE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("num_players", np.int8),
                ("seat", np.int8),
                ("open_bids", np.int8),
                ("truncated", np.int8),
                ("laps", np.int16),
                ("rounds", np.int16),
                ("points", np.int16, (MAX_PLAYERS,)),
                ("place", np.int8, (CARDS,)),
            ],
            align=True,
        ),
    )
)
STATE_SIZE, STATE_HASH = STATE_DTYPE.itemsize, layout_hash(STATE_DTYPE)
WEIGHTS = np.array([1.0, 0.02])


def load(source: Any) -> Any:
    """The rule set is one byte: the points that end the game, or a file that says them."""
    if isinstance(source, str):
        source = int(Path(source).read_text())
    if source is not None and not isinstance(source, int):
        return source
    goal = 40 if source is None else source
    return SimpleNamespace(buffer=np.array([goal], np.uint8), hash=f"sealed bids to {goal}")


@dataclass(frozen=True)
class GoalFamily:
    """The components whose game ends at ``least`` to ``most`` points."""

    least: int
    most: int

    @property
    def hash(self) -> str:
        return f"goals {self.least}..{self.most}"

    @property
    def content(self) -> dict[str, Any]:
        return {"goals": [self.least, self.most]}

    def sample(self, seed: int) -> Any:
        return load(int(np.random.default_rng(seed).integers(self.least, self.most + 1)))

    def narrowed(self, values: Sequence[str]) -> GoalFamily:
        if list(values) != ["least"]:
            raise ValueError(f"values: expected least, got {list(values)}")
        return GoalFamily(self.least, 40)

    def outside(self, components: Any) -> str:
        goal = int(components.buffer[0])
        return "" if self.least <= goal <= self.most else f"the goal is {goal}, outside {self.least}..{self.most}"

    def text_of(self, components: Any) -> str:
        return f"{int(components.buffer[0])}\n"


def load_family(source: Any) -> GoalFamily:
    """A family of its content or of a text such as "20..60"."""
    if source is None:
        return GoalFamily(30, 60)
    goals = source.get("goals", ()) if isinstance(source, Mapping) else str(source).split("..")
    try:
        least, most = map(int, goals)
    except ValueError:
        raise ValueError(f"goals: expected two numbers, got {goals}") from None
    return GoalFamily(least, most)


def load_weights(source: str | None) -> Any:
    """What points and the cards in hand are worth to the evaluation."""
    if source is not None:
        raise ValueError(f"evaluation: {source!r}; this game has only its own")
    return WEIGHTS.copy()


def _record(state: Any) -> Any:
    return state.view(STATE_DTYPE)[0]


def used_size(num_players: int) -> int:
    return SEATS_AT + OF_A_SEAT * num_players


def decision_of(state: Any) -> str:
    return "OVER" if _record(state).seat < 0 else "BID"


# Rules


@kernel
def prize_points(card):
    return card % MOST_PRIZE + 1


@kernel
def largest_hand(num_players):
    """The most cards that everybody can have so that the deck still holds a prize."""
    return (CARDS - 1) // num_players


@kernel
def count_at(s, place):
    count = 0
    for card in range(CARDS):
        count += 1 if s.place[card] == place else 0
    return count


@kernel
def move_from(s, source, number, target):
    """Move the number-th card of a place."""
    for card in range(CARDS):
        if s.place[card] == source:
            if number == 0:
                s.place[card] = target
                return
            number -= 1


@kernel
def draw_card(s, chance, purpose, index, part, target):
    """Move a random card of the deck, if there is one."""
    left = count_at(s, DECK)
    if left > 0:
        move_from(s, DECK, draw(chance, purpose, index, part, left), target)


@kernel
def turn_up(s, goal, chance):
    """Turn up the round's prize, or end the game."""
    finished = count_at(s, DECK) == 0
    for seat in range(s.num_players):
        finished = finished or s.points[seat] >= goal
    stopped = not finished and s.rounds == s.laps
    s.seat = -1 if finished or stopped else 0
    s.truncated = 1 if stopped else 0
    if s.seat == 0:
        draw_card(s, chance, REVEAL, int(s.rounds), 0, PRIZE)


@kernel
def resolve(s, goal, chance):
    """Show the bids, give the prize away, and let everybody draw."""
    winner, highest, prize = 0, -1, 0
    for card in range(CARDS):
        place = int(s.place[card])
        if place >= BID and card > highest:
            winner, highest = place - BID, card
        if place == PRIZE:
            prize = prize_points(card)
        if place == PRIZE or place >= BID:
            s.place[card] = GONE
    s.points[winner] += prize
    s.rounds += 1
    for seat in range(s.num_players):
        draw_card(s, chance, REVEAL, int(s.rounds), 1 + seat, HAND + seat)
    turn_up(s, goal, chance)


@kernel
def list_actions(s, legal):
    count = 0
    if s.seat >= 0:
        for card in range(CARDS):
            if s.place[card] == HAND + s.seat:
                legal[count] = card
                count += 1
    return count


@c_function("voidptr, voidptr, voidptr, voidptr")
def begin(state, rules, chance, options):
    s, chosen = array_at(state, 1, STATE_DTYPE)[0], array_at(options, MOST_OPTIONS, np.int64)
    draws, goal = array_at(chance, CHANCE_SIZE, np.int64), array_at(rules, 1, np.uint8)[0]
    s.num_players, s.open_bids, s.laps = chosen[NUM_PLAYERS], chosen[OPEN_BIDS], chosen[LAPS]
    s.rounds = 0
    s.points[:] = 0
    s.place[:] = DECK
    hand = min(chosen[HAND_SIZE], largest_hand(s.num_players))
    for seat in range(s.num_players):
        for number in range(hand):
            draw_card(s, draws, SETUP, number, seat, HAND + seat)
    turn_up(s, goal, draws)
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def play(state, rules, chance, action, legal):
    s, goal = array_at(state, 1, STATE_DTYPE)[0], array_at(rules, 1, np.uint8)[0]
    if action != NO_ACTION:
        s.place[action] = BID + s.seat
        s.seat += 1
        if s.seat == s.num_players:
            resolve(s, goal, array_at(chance, CHANCE_SIZE, np.int64))
    return list_actions(s, array_at(legal, NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, voidptr")
def list_legal(state, rules, legal):
    return list_actions(array_at(state, 1, STATE_DTYPE)[0], array_at(legal, NUM_ACTIONS, np.int16))


@kernel
def sees(s, seat, card):
    """Whether a seat knows where a card is."""
    place = int(s.place[card])
    is_shown = place in (PRIZE, GONE) or (place >= BID and s.open_bids == 1)
    return is_shown or place in (HAND + seat, BID + seat)


@c_function("voidptr, voidptr, int64, voidptr")
def write_observation(state, rules, seat, out):
    s, seen = array_at(state, 1, STATE_DTYPE)[0], array_at(out, OBSERVATION_SIZE, np.int8)
    players = int(s.num_players)
    seen[:] = 0
    seen[ROUND_AT] = s.rounds
    for card in range(CARDS):
        place = int(s.place[card])
        if place == HAND + seat:
            seen[HAND_AT + card] = 1
        elif place == GONE:
            seen[GONE_AT + card] = 1
        elif place == PRIZE:
            seen[PRIZE_AT] = prize_points(card)
        elif place >= BID:
            at = SEATS_AT + OF_A_SEAT * ((place - BID - seat) % players)
            seen[at + 2] = 1
            seen[at + 3] = card + 1 if sees(s, seat, card) else 0
    for offset in range(players):
        at = SEATS_AT + OF_A_SEAT * offset
        seen[at] = 1
        seen[at + 1] = s.points[(seat + offset) % players]
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr, voidptr")
def write_results(state, rules, scores, ranks, ending):
    s, length = array_at(state, 1, STATE_DTYPE)[0], array_at(ending, ENDING_SIZE, np.int32)
    points, places = array_at(scores, MAX_PLAYERS, np.int32), array_at(ranks, MAX_PLAYERS, np.int8)
    points[:] = 0
    places[:] = 0
    for seat in range(s.num_players):
        points[seat] = s.points[seat]
        places[seat] = 1
        for other in range(s.num_players):
            places[seat] += 1 if s.points[other] > s.points[seat] else 0
    length[ROUNDS] = s.rounds
    length[STOPPED] = s.truncated
    return 0


@c_function("voidptr, voidptr, voidptr, int64")
def resample(state, rules, chance, seat):
    """Deal what a seat does not know anew: to everybody else as many cards as they have, in hand and as bids."""
    s, draws = array_at(state, 1, STATE_DTYPE)[0], array_at(chance, CHANCE_SIZE, np.int64)
    held, bid = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    for card in range(CARDS):
        place = int(s.place[card])
        if not sees(s, seat, card):
            if place >= BID:
                bid[place - BID] += 1
            elif place >= HAND:
                held[place - HAND] += 1
            s.place[card] = DECK
    for other in range(s.num_players):
        for number in range(held[other]):
            draw_card(s, draws, HIDDEN, number, other, HAND + other)
        for _ in range(bid[other]):
            draw_card(s, draws, HIDDEN, CARDS, other, BID + other)
    return 0


# Evaluation


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def write_value(state, rules, weights, seat, value):
    """The lead over the best other player, and the cards in hand."""
    s, own = array_at(state, 1, STATE_DTYPE)[0], array_at(weights, 2, np.float64)
    best = -1
    for other in range(s.num_players):
        if other != seat:
            best = max(best, int(s.points[other]))
    cards = 0
    for card in range(CARDS):
        cards += card if s.place[card] == HAND + seat else 0
    array_at(value, 1, np.float64)[0] = own[0] * (s.points[seat] - best) + own[1] * cards
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr")
def write_shares(state, rules, weights, shares):
    """At the end the winners' equal shares, before it a softmax of the points."""
    s, expected = array_at(state, 1, STATE_DTYPE)[0], array_at(shares, MAX_PLAYERS, np.float64)
    best, total = 0, 0.0
    for seat in range(s.num_players):
        best = max(best, int(s.points[seat]))
    for seat in range(s.num_players):
        behind = best - int(s.points[seat])
        expected[seat] = (1.0 if behind == 0 else 0.0) if s.seat < 0 else math.exp(-behind / 4.0)
        total += expected[seat]
    for seat in range(s.num_players):
        expected[seat] /= total
    return 0


ENTRY_POINTS = harness.EntryPoints(
    {
        harness.BEGIN: begin,
        harness.PLAY: play,
        harness.LEGAL: list_legal,
        harness.OBSERVE: write_observation,
        harness.RESULTS: write_results,
        harness.RESAMPLE: resample,
        harness.VALUE: write_value,
        harness.SHARES: write_shares,
    },
    {
        harness.SEAT_AT: STATE_DTYPE.fields["seat"][1],
        harness.PLAYERS_AT: STATE_DTYPE.fields["num_players"][1],
        harness.STATE_SIZE: STATE_SIZE,
        harness.NUM_ACTIONS: NUM_ACTIONS,
        harness.OBSERVATION_SIZE: OBSERVATION_SIZE,
        harness.SEATS: MAX_PLAYERS,
    },
)


# Texts


def _cards(s: Any, place: int) -> list[int]:
    return [card for card in range(CARDS) if s.place[card] == place]


def to_dict(state: Any, rules: Any) -> dict[str, Any]:
    s = _record(state)
    seats = range(s.num_players)
    return {
        "players": int(s.num_players),
        "seat": int(s.seat),
        "open_bids": bool(s.open_bids),
        "laps": int(s.laps),
        "round": int(s.rounds),
        "truncated": bool(s.truncated),
        "points": s.points[: s.num_players].tolist(),
        "prize": _cards(s, PRIZE),
        "gone": _cards(s, GONE),
        "hands": [_cards(s, HAND + seat) for seat in seats],
        "bids": [_cards(s, BID + seat) for seat in seats],
    }


def view_to_dict(state: Any, rules: Any, seat: int) -> dict[str, Any]:
    """The same with numbers in the place of cards that the seat does not see."""
    content, is_open = to_dict(state, rules), bool(_record(state).open_bids)
    for other in range(content["players"]):
        if other != seat:
            content["hands"][other] = len(content["hands"][other])
            if not is_open:
                content["bids"][other] = len(content["bids"][other])
    return content


def from_dict(content: Mapping[str, Any], rules: Any) -> Any:
    state = np.zeros(STATE_SIZE, np.uint8)
    s = _record(state)
    players = content["players"]
    s.num_players = players
    for name in ("seat", "open_bids", "truncated", "laps"):
        s[name] = content[name]
    s.rounds = content["round"]
    s.points[:players] = content["points"]
    lists = {PRIZE: content["prize"], GONE: content["gone"]}
    for seat in range(players):
        lists |= {HAND + seat: content["hands"][seat], BID + seat: content["bids"][seat]}
    for place, cards in lists.items():
        s.place[list(cards)] = place
    check_state(state, rules)
    return state


def check_state(state: Any, rules: Any) -> None:
    s = _record(state)
    players = int(s.num_players)
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise ValueError(f"state: expected {MIN_PLAYERS}..{MAX_PLAYERS}, got {players} players")
    if not -1 <= s.seat < players:
        raise ValueError(f"state: expected -1..{players - 1}, got seat {s.seat}")
    if not 0 <= s.place.min() <= s.place.max() < PLACES:
        raise ValueError(f"state: expected 0..{PLACES - 1}, got a card at place {s.place.max()}")
    if s.seat >= 0 and not (s.place == HAND + s.seat).any():
        raise ValueError(f"state: seat {s.seat} has no card to bid")


def why_illegal(state: Any, rules: Any, action: int) -> str:
    return "" if action in list_of_hand(state) else f"card {action} is not in the hand"


def list_of_hand(state: Any) -> Sequence[int]:
    """The cards of the seat that decides."""
    s = _record(state)
    return _cards(s, HAND + s.seat)


def describe(content: Mapping[str, Any], rules: Any) -> str:
    return f"round {content['round']}: {content['points']} of {rules.buffer[0]}, prize {content['prize']}"


def sentence(action: str, content: Mapping[str, Any], rules: Any) -> str:
    return f"player {content['seat']}: {action}"


def bounds(rules: Any, options: Mapping[str, int]) -> Bounds:
    players = options["num_players"]
    deck = CARDS - players * min(options["hand"], largest_hand(players))
    # A round takes a prize, and a card for each player as far as the deck goes.
    rounds = min(math.ceil(deck / (1 + players)), options["laps"])
    return Bounds(CARDS, CARDS, rounds * players, 0, MOST_PRIZE * rounds, rounds)


GAME = Game(
    module=__name__,
    name="sealed_bids",
    title="Sealed bids",
    options=(
        Option("num_players", 2, "players at the table", MIN_PLAYERS, MAX_PLAYERS),
        Option("hand", 3, "cards in a hand, as far as the deck goes", 2, (CARDS - 1) // MIN_PLAYERS),
        Option("open_bids", False, "show a bid as soon as it is made"),
        Option("laps", 100, "rounds after which the game is stopped", 1, 1000),
    ),
    actions=ACTION_TABLE,
    observation=OBSERVATION_LAYOUT,
    state_size=STATE_SIZE,
    state_hash=STATE_HASH,
    entry_points=ENTRY_POINTS,
    load=load,
    used_size=used_size,
    decision_of=decision_of,
    to_dict=to_dict,
    from_dict=from_dict,
    check_state=check_state,
    why_illegal=why_illegal,
    describe=describe,
    sentence=sentence,
    bounds=bounds,
    view_to_dict=view_to_dict,
    load_weights=load_weights,
    load_family=load_family,
    presentation=PRESENTATION,
)
