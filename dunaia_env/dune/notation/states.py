"""State dictionaries: a state converted to plain JSON data and back, without loss given the components.

`dunaia_env.dune.notation.pending` describes the keys of ``pending``. Sets and multisets are ascending lists; -1 stands
for a missing id, null for a missing prediction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import actions, decisions, entry_points, options, standing, state as layout
from dunaia_env.dune.checks.consistency import StateError, check_consistency
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import DECISION_NAMES, DECISIONS
from dunaia_env.dune.notation.pending import read_pending, write_pending
from dunaia_env.dune.state import NONE
from dunaia_env.support.objects import ObjectReader

MOST_CARDS = 43
QUESTIONS = tuple(
    text for text in actions.ACTION_TEXTS if text.split()[0] in ("card", "leader", "number", "faction", "turn")
)
_LEADER_FLAGS = ("alive", "risen", "returned", "change_shown")
# The options whose field in the state has a different name.
_FIELD_OF = {"deck": "deck_size"}


def to_dict(state: NDArray[np.uint8], components: Components) -> dict[str, Any]:
    """Convert a state (its bytes) to a state dictionary."""
    record = layout.fields_of(state.view(layout.STATE_DTYPE)[0])
    players = int(record.num_players)
    return {
        "seat": int(record.seat),
        "decision": DECISION_NAMES[record.decision],
        "phase": layout.PHASE_NAMES[record.phase],
        "actor": int(record.actor),
        "turn": int(record.turn),
        "over": int(record.decision) == decisions.OVER,
        "how": layout.HOW_NAMES[record.how],
        "winners": [seat for seat in range(players) if int(record.winners) >> seat & 1],
        "options": options_of(record),
        "storm": int(record.storm),
        "shield_wall": bool(record.shield_wall),
        "wheels": record.wheels.tolist(),
        "last_blow": int(record.last_blow),
        "spice": _amounts(record.spice),
        "spice_deck": record.spice_deck.tolist(),
        "spice_discards": record.spice_discards.tolist(),
        "foreseen_spice": int(record.foreseen_spice),
        "deck": record.deck.tolist(),
        "discards": record.discards.tolist(),
        "hidden_discards": record.hidden_discards.tolist(),
        "removed": record.removed.tolist(),
        "top": int(record.top),
        "top_seen": bool(record.top_seen),
        "sale": int(record.sale),
        "sale_seen": bool(record.sale_seen),
        "alliance": record.alliance[:players].tolist(),
        "silenced": np.flatnonzero(record.silenced).tolist(),
        "prediction": _prediction(record),
        "truths": [_truth(record.truths[index]) for index in range(int(record.num_truths))],
        "leaders": {
            "owner": record.owner.tolist(),
            "alive": (record.alive != 0).tolist(),
            "used": record.used.tolist(),
            "risen": (record.risen != 0).tolist(),
            "returned": (record.returned != 0).tolist(),
            "change": record.change.tolist(),
            "change_shown": (record.change_shown != 0).tolist(),
        },
        "players": [_player(record.players[seat], players) for seat in range(players)],
        "pending": write_pending(record, components),
        "scores": standing.scores(record, components),
    }


def options_of(state: Any) -> dict[str, Any]:
    """All options of a state, which is given as its record or `Fields`."""
    return {option.name: option.value(_stored(option.name, state)) for option in options.OPTIONS}


def _stored(name: str, state: Any) -> int:
    """The number that `options` uses for an option; the field of the deck holds the deck's size instead."""
    number = int(state[_FIELD_OF.get(name, name)])
    return options.OPTIONS[1].number(number) if name == "deck" else number


def _amounts(values: NDArray[Any]) -> list[list[int]]:
    return [[int(cell), int(values[cell])] for cell in np.flatnonzero(values)]


def _kinds(counts: NDArray[np.int8]) -> list[int]:
    return np.repeat(np.arange(len(counts)), counts).tolist()


def _bits(values: int) -> list[int]:
    return [index for index in range(layout.DISCS) if values >> index & 1]


def _prediction(state: Any) -> dict[str, int] | None:
    if not state.prediction_turn:
        return None
    return {"faction": int(state.prediction_faction), "turn": int(state.prediction_turn)}


def _truth(row: NDArray[np.int16]) -> list[Any]:
    return [int(row[0]), int(row[1]), actions.ACTION_TEXTS[row[2]], bool(row[3])]


def _player(player: Any, players: int) -> dict[str, Any]:
    return {
        "faction": int(player.faction),
        "dot": int(player.dot_sector),
        "spice": int(player.spice),
        "reserve": int(player.reserve),
        "tanks": int(player.tanks),
        "forces": _amounts(player.forces),
        "hand": _kinds(player.hand),
        "shown": _kinds(player.shown),
        "foreseen": _kinds(player.foreseen),
        "discs": _bits(int(player.discs)),
        "traitors": _bits(int(player.traitors)),
        "reviving": bool(player.reviving),
        "pledge": int(player.pledge),
        "debts": player.debts[:players].tolist(),
        "laid": int(player.laid),
        "laid_on": int(player.laid_on),
    }


def from_dict(content: Mapping[str, Any], components: Components) -> NDArray[np.uint8]:
    """Convert a state dictionary to a state (its bytes).

    Raises `StateError` naming the first fault: a missing or unknown key, a value of the wrong kind or out of range, a
    card, token or leader that is in two places or in none, keys under ``pending`` that do not go with the decision,
    scores that do not match the position.
    """
    root = ObjectReader(content, "", StateError)
    state = layout.new_state()
    record = state.view(layout.STATE_DTYPE)[0]
    players = root.children("players", layout.MIN_PLAYERS, layout.MAX_PLAYERS)
    record.num_players = len(players)
    _read_course(root, record)
    _read_options(root.take("options"), record)
    _read_board(root, record)
    _read_cards(root, record)
    _read_seats(root, record)
    _read_leaders(root.child("leaders"), record)
    for seat, reader in enumerate(players):
        _read_player(reader, record.players[seat], len(players))
    read_pending(root.child("pending"), record, components)
    given = root.numbers("scores", len(players), len(players), 0, layout.MOST_SPICE)
    root.finish()
    found = layout.fields_of(record)
    check_consistency(found, components)
    computed = standing.scores(found, components)
    if given != computed:
        raise StateError(f"scores = {given}; the state is worth {computed}")
    _check_choices(state, components)
    return state


def _check_choices(state: NDArray[np.uint8], components: Components) -> None:
    """Check that the asked seat has a legal action, and in COUNT that the tokens named so far have somewhere to go."""
    record = state.view(layout.STATE_DTYPE)[0]
    # A seat that can have no traitor passes in TRAITOR. The rules do that by themselves, so it is no verb of TRAITOR.
    takes = DECISIONS[_name(record)].verbs
    legal = entry_points.ENTRY_POINTS.legal_actions(state, components.buffer)
    if record.decision != decisions.OVER and not any(
        actions.ACTION_TEXTS[action].split()[0] in takes for action in legal
    ):
        raise StateError(f"decision = {_name(record)!r}; seat {int(record.seat)} has no legal action in it")
    if record.decision == decisions.COUNT and not record.lifting and record.taken.any():
        group = state.copy()
        group.view(layout.STATE_DTYPE)[0].decision = decisions.MOVE_TO
        if not len(entry_points.ENTRY_POINTS.legal_actions(group, components.buffer)):
            raise StateError(f"pending.taken: no cell is in reach of these tokens of seat {int(record.seat)}")


# Fields that serve as indices, with their ranges. A state in which one of them is out of range cannot be read at all.
_INDICES: dict[str, tuple[int, int]] = {
    "num_players": (layout.MIN_PLAYERS, layout.MAX_PLAYERS),
    "decision": (0, decisions.OVER),
    "phase": (0, len(layout.PHASE_NAMES) - 1),
    "how": (0, len(layout.HOW_NAMES) - 1),
    "deck_size": (33, 43),
    "undecided": (0, 1),
    "num_truths": (0, layout.MOST_TRUTHS),
    "depth": (0, layout.MOST_FRAMES),
    "power": (NONE, 10),
    "origin": (NONE, layout.TERRITORIES - 1),
    "voice": (NONE, len(actions.ACTION_TEXTS) - 1),
    "element": (NONE, 4),
    "keeping": (NONE, 1),
    "alliance": (NONE, layout.MAX_PLAYERS - 1),
}


def check_state(state: NDArray[np.uint8], components: Components) -> None:
    """Raise `StateError` naming the first fault unless the bytes are a state that `from_dict` can return."""
    record = state.view(layout.STATE_DTYPE)[0]
    parts = [(record, field, low, high) for field, (low, high) in _INDICES.items()]
    parts += [(record.players, field, 0, MOST_CARDS) for field in ("hand", "shown", "foreseen")]
    parts += [
        (record.stack, "point", 0, 7),
        (record.stack, "decision", NONE, decisions.OVER),
        (record.stack, "power", NONE, 10),
    ]
    for part, field, low, high in parts:
        values = np.asarray(part[field])
        if (values < low).any() or (values > high).any():
            raise StateError(f"{field}: expected {low}..{high}, got {values.tolist()}")
    if record.deck_size not in (33, 43):
        raise StateError(f"deck_size: expected 43 or 33, got {int(record.deck_size)}")
    try:
        options_of(record)
    except ValueError as error:
        raise StateError(f"options.{error}") from error
    questions = record.truths[: int(record.num_truths), 2]
    if (questions < 0).any() or (questions >= len(actions.ACTION_TEXTS)).any():
        raise StateError(f"truths: expected the actions of questions, got {record.truths.tolist()}")
    if not np.array_equal(from_dict(to_dict(state, components), components), state):
        raise StateError("not a valid encoding: some fields hold values that no state can have")


def _read_course(root: ObjectReader, state: Any) -> None:
    players = int(state.num_players)
    state.decision = DECISION_NAMES.index(root.choice("decision", DECISION_NAMES))
    over = root.flag("over")
    if over != (state.decision == decisions.OVER):
        raise root.fail("over", over, f"{'false' if over else 'true'}, for the decision is {_name(state)}")
    state.seat = root.number("seat", NONE, NONE) if over else root.number("seat", 0, players - 1)
    state.phase = layout.PHASE_NAMES.index(root.choice("phase", layout.PHASE_NAMES))
    state.actor = root.number("actor", NONE, players - 1)
    state.turn = root.number("turn", 0, layout.MOST_TURNS)
    state.how = layout.HOW_NAMES.index(root.choice("how", layout.HOW_NAMES))
    state.winners = sum(1 << seat for seat in root.ascending("winners", players, 0, players - 1))


def _name(state: Any) -> str:
    return DECISION_NAMES[int(state.decision)]


def _read_options(content: object, state: Any) -> None:
    reader = ObjectReader(content, "options", StateError)
    values = {option.name: reader.take(option.name) for option in options.OPTIONS}
    reader.finish()
    try:
        corrected = options.complete(values, int(state.num_players))
    except options.OptionsError as error:
        raise StateError(str(error)) from error
    for option in options.OPTIONS:
        value = values[option.name]
        if value != corrected[option.name]:
            raise StateError(
                f"options.{option.name} = {value}; it is false with two players (alliances) and without powers"
                " (karama_powers, tleilax)"
            )
        state[_FIELD_OF.get(option.name, option.name)] = value if option.name == "deck" else option.number(value)


def _read_board(root: ObjectReader, state: Any) -> None:
    players = int(state.num_players)
    state.storm = root.number("storm", 0, layout.SECTORS - 1)
    state.shield_wall = root.flag("shield_wall")
    state.wheels[:] = root.numbers("wheels", 2, 2, NONE, players - 1)
    state.last_blow = root.number("last_blow", NONE, layout.TERRITORIES - 1)
    for cell, amount in root.pairs("spice", layout.CELLS, layout.CELLS, layout.MOST_SPICE):
        state.spice[cell] = amount


def _read_cards(root: ObjectReader, state: Any) -> None:
    for key in ("spice_deck", "spice_discards"):
        state[key][:] = root.numbers(key, layout.SPICE_KINDS, layout.SPICE_KINDS, 0, 20)
    state.foreseen_spice = root.number("foreseen_spice", NONE, layout.SPICE_KINDS - 1)
    for key in ("deck", "discards", "hidden_discards", "removed"):
        state[key][:] = root.numbers(key, layout.KINDS, layout.KINDS, 0, MOST_CARDS)
    for key in ("top", "sale"):
        state[key] = root.number(key, NONE, layout.KINDS - 1)
        state[f"{key}_seen"] = root.flag(f"{key}_seen")


def _read_seats(root: ObjectReader, state: Any) -> None:
    players = int(state.num_players)
    state.alliance[:players] = root.numbers("alliance", players, players, NONE, players - 1)
    state.silenced[root.ascending("silenced", players, 0, players - 1)] = 1
    prediction = root.take("prediction")
    if prediction is not None:
        reader = ObjectReader(prediction, "prediction", StateError)
        state.prediction_faction = reader.number("faction", 0, layout.FACTIONS - 1)
        state.prediction_turn = reader.number("turn", 1, layout.MOST_TURNS)
        reader.finish()
    truths = root.entries("truths", 0, layout.MOST_TRUTHS)
    state.num_truths = len(truths)
    for index, entry in enumerate(truths):
        place = f"truths[{index}]"
        if not isinstance(entry, list) or len(entry) != 4:
            raise root.fail(place, entry, "a list of asker, target, question and answer")
        asker = root.check_number(f"{place}[0]", entry[0], 0, players - 1)
        target = root.check_number(f"{place}[1]", entry[1], 0, players - 1)
        if not isinstance(entry[2], str) or entry[2] not in QUESTIONS:
            raise root.fail(f"{place}[2]", entry[2], "the text of a question")
        if not isinstance(entry[3], bool):
            raise root.fail(f"{place}[3]", entry[3], "true or false")
        state.truths[index] = (asker, target, actions.parse_action(entry[2]), entry[3])


def _read_leaders(reader: ObjectReader, state: Any) -> None:
    state.owner[:] = reader.numbers("owner", layout.LEADERS, layout.LEADERS, NONE, int(state.num_players) - 1)
    state.used[:] = reader.numbers("used", layout.LEADERS, layout.LEADERS, NONE, layout.TERRITORIES - 1)
    state.change[:] = reader.numbers("change", layout.LEADERS, layout.LEADERS, -1, 1)
    for key in _LEADER_FLAGS:
        state[key][:] = reader.flags(key, layout.LEADERS)
    reader.finish()


def _read_player(reader: ObjectReader, player: Any, players: int) -> None:
    player.faction = reader.number("faction", 0, layout.FACTIONS - 1)
    player.dot_sector = reader.number("dot", 0, layout.SECTORS - 1)
    player.spice = reader.number("spice", 0, layout.MOST_SPICE)
    player.reserve = reader.number("reserve", 0, layout.TOKENS)
    player.tanks = reader.number("tanks", 0, layout.TOKENS)
    for cell, number in reader.pairs("forces", layout.CELLS, layout.CELLS, layout.TOKENS):
        player.forces[cell] = number
    for key in ("hand", "shown", "foreseen"):
        kinds = reader.ascending(key, MOST_CARDS, 0, layout.KINDS - 1, repeated=True)
        player[key][:] = np.bincount(kinds, minlength=layout.KINDS)
    for key in ("discs", "traitors"):
        player[key] = sum(1 << leader for leader in reader.ascending(key, layout.DISCS_OF_A_SEAT, 0, layout.DISCS - 1))
    player.reviving = reader.flag("reviving")
    player.pledge = reader.number("pledge", 0, layout.NUMBERS - 1)
    player.debts[:players] = reader.numbers("debts", players, players, 0, layout.MOST_SPICE)
    player.laid = reader.number("laid", NONE, layout.KINDS - 1)
    if player.laid != NONE and player.laid not in layout.LAYABLE:
        raise reader.fail("laid", int(player.laid), f"-1, {' or '.join(map(str, layout.LAYABLE))}")
    player.laid_on = reader.number("laid_on", NONE, players - 1)
    reader.finish()
