"""The plain program of Dune, by which compiled rules are to be judged: invariants, figures, traces, views, rulings."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .reference_dune import board, components, invariants
from .reference_dune.chance import SeededChance, Tape, TapeError
from .reference_dune.check import TraceError, check_trace, main as check_main
from .reference_dune.components import ACTIONS, PRESETS
from .reference_dune.game import Game
from .reference_dune.play import main as play_main, play
from .reference_dune.table import IllegalActionError

pytestmark = pytest.mark.once

EVERYTHING = {"tleilax": True, "karama_powers": True, "open_shields": False, "undecided": "strongholds"}
TABLES = [
    *(
        (players, preset, PRESETS[preset], None)
        for players in (2, 3, 4, 5, 6)
        for preset in ("full", "classic", "plain")
    ),
    (2, "duel", PRESETS["duel"], [0, 1]),
    *((players, "everything", EVERYTHING, None) for players in (2, 3, 4, 5, 6)),
    (6, "tleilax", EVERYTHING, [6, 5, 4, 3, 2, 1]),
    (4, "short", {"max_turns": 1, "undecided": "strongholds"}, None),
    (4, "friends without powers", {"powers": False, "undecided": "strongholds"}, None),
]
DECISIONS = {
    "PREDICT_WHO", "PREDICT_TURN", "TRAITOR", "PLACE", "WEATHER", "WEATHER_DIAL", "DIAL", "ATOMICS", "BLOW_CARDS",
    "WORM", "NEXUS_CARDS", "LEAVE", "PROPOSE", "ANSWER", "RIDE", "HARVESTER", "BIDDING_CARDS", "RANSOM", "PAY",
    "POISONED", "GIFT", "PLEDGE", "BID", "REVIVAL_CARDS", "REVIVE", "WITHDRAW", "SHIP", "SHIP_COUNT", "SHIP_TO",
    "COUNT", "ACCOMPANY", "MOVE_FROM", "MOVE_TO", "HAJR", "RAISE", "BATTLE", "OPPONENT", "BATTLE_CARDS", "VOICE",
    "LEADER", "WEAPON", "DEFENCE", "NUMBER", "PRESCIENCE", "TREASON", "LOSS", "KEEP", "TRUTH_WHO", "TRUTH", "CONE",
    "LAY_WHO", "GHOLA", "SWAP_WHO", "SWAP_COUNT", "GIVE", "KARAMA", "BUY_BACK", "PRICE", "ACCEPT", "TAMPER",
}  # fmt: skip


def test_components__are_complete() -> None:
    assert len(ACTIONS) == len(set(ACTIONS)) == 246
    assert [sum(deck) for deck in components.DECKS.values()] == [43, 33]
    assert len(board.TERRITORIES) == 42
    assert len(board.CELLS) == 86
    assert len(board.BORDERS) == 190
    pairs = {tuple(sorted((board.TERRITORY_OF[a], board.TERRITORY_OF[b]))) for a, b in board.BORDERS}
    assert len({pair for pair in pairs if pair[0] != pair[1]}) == 103
    assert Counter(board.TYPE_OF) == {"sand": 29, "rock": 7, "stronghold": 5, "polar_sink": 1}
    assert sum(amount for _, amount in board.SPICE_CARDS) == 118
    names = {board.TERRITORIES[territory][0] for territory in board.FREMEN_LANDING}
    assert len(names) == 16
    assert {"Sietch Tabr", "Plastic Basin", "False Wall West"} <= names


@pytest.mark.parametrize(("players", "name", "options", "factions"), TABLES)
def test_random_games__keep_the_invariants(
    players: int, name: str, options: dict[str, Any], factions: list[int] | None
) -> None:
    game = play(players, 0, options, factions)
    assert game.over
    assert game.result()["turns"] == game.turn <= game.options["max_turns"]
    assert game.to_dict()["pending"] == {}


@pytest.mark.slow
@pytest.mark.parametrize(("players", "name", "options", "factions"), TABLES)
def test_random_games__keep_the_invariants_in_many_games(
    players: int, name: str, options: dict[str, Any], factions: list[int] | None
) -> None:
    for seed in range(100, 104):
        play(players, seed, options, factions)


@pytest.mark.slow
def test_random_games__ask_every_kind_of_decision() -> None:
    counts: Counter[str] = Counter()
    for seed in range(60):
        factions = [faction for faction in range(7) if faction != seed % 3]  # Atreides, Harkonnen or Emperor is absent
        play(6, seed, EVERYTHING, factions, check=False, counts=counts)
        if len(counts) == len(DECISIONS) + 1:
            break
    assert set(counts) == DECISIONS | {"most"}
    assert len(DECISIONS) == 60


@pytest.mark.parametrize(("players", "decisions"), [(2, 190), (3, 290), (4, 450), (6, 790)])
def test_random_games__have_the_size_that_the_specification_names(players: int, decisions: int) -> None:
    counts: Counter[str] = Counter()
    games = [play(players, seed, check=False, counts=counts) for seed in range(12)]
    most = counts.pop("most")
    assert counts.total() / len(games) == pytest.approx(decisions, rel=0.25)  # the length of a game varies much
    assert 10 <= sum(game.turn for game in games) / len(games) <= 15
    assert most <= 92


# Traces


def trace(players: int, seed: int, options: dict[str, Any] | None = None) -> list[str]:
    lines: list[dict[str, Any]] = []
    play(players, seed, options, check=False, trace=lines)
    return [json.dumps(line) for line in lines]


@pytest.mark.parametrize("players", [2, 6])
def test_traces__agree_when_they_are_played_again(players: int) -> None:
    lines = trace(players, 3, EVERYTHING)
    assert check_trace(lines) == len(lines) - 2 > 100


def test_traces__depend_on_the_seed_alone() -> None:
    assert trace(3, 5) == trace(3, 5)
    assert trace(3, 5) != trace(3, 6)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"storm": 0', '"storm": 1'), ('"version": 1', '"version": 2'), ('"deck": 43', '"deck": 33'), ("{", "[")],
)
def test_traces__a_wrong_header_is_noticed(old: str, new: str) -> None:
    lines = trace(2, 1, {"max_turns": 1})
    with pytest.raises(TraceError, match="line 1"):
        check_trace([lines[0].replace(old, new, 1), *lines[1:]])


def test_traces__a_wrong_line_is_noticed() -> None:
    lines = trace(2, 1, {"max_turns": 1})
    for key, wrong in (("legal", ["pass"]), ("action", "orbit"), ("draws", [[2, 0]]), ("seat", 7), ("state", {})):
        damaged = json.dumps(json.loads(lines[3]) | {key: wrong})
        with pytest.raises(TraceError, match="line 4"):
            check_trace([*lines[:3], damaged, *lines[4:]])
    with pytest.raises(TraceError, match="without a result"):
        check_trace(lines[:-1])
    with pytest.raises(TraceError, match="must be the last"):
        check_trace([*lines, lines[-1]])


def test_traces__are_printed_and_checked_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play_main(["--preset", "duel", "--option", "max_turns=2", "--trace"]) == 0
    path = tmp_path / "trace.jsonl"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    assert check_main([str(path)]) == 0
    assert "decisions agree" in capsys.readouterr().out
    assert check_main([str(tmp_path / "missing")]) == 1
    assert check_main([]) == 2
    assert play_main(["--players", "3", "--option", "max_turns=2", "--games", "2"]) == 0
    assert "decisions a game" in capsys.readouterr().out


def test_tape__ends_where_it_should() -> None:
    tape = Tape([[3, 2], [4, 1]])
    assert tape.draw(3, ("a",)) == 2
    with pytest.raises(TapeError, match="recorded is"):
        tape.draw(5, ("b",))
    with pytest.raises(TapeError, match="recorded are"):
        tape.finish()
    tape.draw(4, ("b",))
    with pytest.raises(TapeError, match="nothing more"):
        tape.draw(1, ("c",))


def test_draws__have_keys_so_that_games_share_their_chance() -> None:
    keys = []
    for choices in (1, 2):
        chance, game_random = SeededChance(7), random.Random(choices)
        game = Game(4, chance)
        while not game.over:
            game.apply(game_random.choice(game.legal()))
        assert len(chance.keys) == len(set(chance.keys))
        keys.append(dict(zip(chance.keys, chance.draws, strict=True)))
    for key in keys[0].keys() & keys[1].keys():
        if keys[0][key][0] == keys[1][key][0]:
            assert keys[0][key] == keys[1][key]
    assert {key[0] for key in keys[0]} >= {"faction", "disc", "first", "spice", "sale"}


# What is asked, and what is seen


def test_options__are_checked() -> None:
    for players, factions, options, message in (
        (7, None, {}, "7 players"),
        (3, [0, 1], {}, "expected 3 different factions"),
        (2, [0, 6], {}, "different factions of 0..5"),
        (2, None, {"deck": 34}, "option deck is 34"),
        (2, None, {"powers": 1}, "option powers is 1"),
        (2, None, {"elites": True}, "no such option"),
    ):
        with pytest.raises(ValueError, match=message):
            Game(players, SeededChance(1), factions, options)
    assert Game(2, SeededChance(1), [0, 1]).options["alliances"] is False
    corrected = Game(3, SeededChance(1), options={**EVERYTHING, "powers": False}).options
    assert (corrected["tleilax"], corrected["karama_powers"], corrected["alliances"]) == (False, False, True)


def test_apply__refuses_what_is_not_legal() -> None:
    game = Game(2, SeededChance(1), [0, 1])
    with pytest.raises(IllegalActionError, match="orbit"):
        game.apply("orbit")


def test_invariants__notice_what_is_wrong() -> None:
    def fault(what: str) -> Game:
        game = Game(3, SeededChance(2), [0, 1, 3])
        player = game.players[0]
        if what == "tokens":
            player.reserve += 1
        elif what == "spice":
            player.spice += 1
        elif what == "cards":
            game.deck[3] += 1
        elif what == "lives":
            game.leaders[10].alive = True
        else:
            game.menu.append(game.menu[0])
        return game

    for what in ("tokens", "spice", "cards", "lives", "menu"):
        with pytest.raises(AssertionError, match=what):
            invariants.check(fault(what))


HIDDEN_OF_PLAYERS = ("hand", "foreseen", "discs", "traitors", "spice", "pledge", "laid")
HIDDEN = (
    "deck", "hidden_discards", "top", "top_seen", "sale", "sale_seen", "spice_deck", "foreseen_spice", "prediction",
    "dials",
)  # fmt: skip


def secrets(game: Game) -> dict[Any, Any]:
    """All that not everybody sees, but plans."""
    kept: dict[Any, Any] = {key: copy.deepcopy(getattr(game, key)) for key in HIDDEN}
    kept["change"] = [leader.change for leader in game.leaders]
    for seat, player in enumerate(game.players):
        kept[seat] = {key: copy.deepcopy(getattr(player, key)) for key in HIDDEN_OF_PLAYERS}
    return kept


def restore(game: Game, kept: dict[Any, Any]) -> None:
    for key in HIDDEN:
        setattr(game, key, kept[key])
    for leader, change in zip(game.leaders, kept["change"], strict=True):
        leader.change = change
    for seat, player in enumerate(game.players):
        for key, value in kept[seat].items():
            setattr(player, key, value)


def scramble(game: Game, seat: int, choices: random.Random) -> None:
    """Deal anew whatever a seat that is neither Atreides nor Tleilax cannot tell apart, with closed shields."""
    others = [player for other, player in enumerate(game.players) if other != seat]
    pool = [kind for kind in range(17) for _ in range(game.deck[kind] + game.hidden_discards[kind])]
    pool += [kind for player in others for kind in [*player.hand, player.laid] if kind >= 0]
    pool += [kind for kind in (game.top, game.sale) if kind >= 0]
    choices.shuffle(pool)
    for player in others:
        player.hand = sorted(pool.pop() for _ in player.hand)
        player.laid = pool.pop() if player.laid >= 0 else -1
        player.discs, player.traitors, player.foreseen = [], [], []
        player.spice += 3
        player.pledge += not game.allied(seat, game.players.index(player))
    game.top = pool.pop() if game.top >= 0 else -1
    game.sale = pool.pop() if game.sale >= 0 else -1
    game.top_seen = game.sale_seen = False
    hidden = [pool.pop() for _ in range(sum(game.hidden_discards))]
    game.hidden_discards = [hidden.count(kind) for kind in range(17)]
    game.deck = [pool.count(kind) for kind in range(17)]
    if game.foreseen_spice >= 0:
        game.spice_deck[game.foreseen_spice] += 1
        game.foreseen_spice = choices.choice([card for card in range(16) if game.spice_deck[card]])
        game.spice_deck[game.foreseen_spice] -= 1
    if game.prediction and game.power(5) != seat:
        game.prediction = {"faction": 0, "turn": 1}
    for other in game.dials.keys() - {seat}:
        game.dials[other] = 20
    for leader in game.leaders:
        leader.change = leader.change if leader.change_shown else choices.choice([-1, 0, 1])


@pytest.mark.parametrize("players", [3, 6])
def test_view__does_not_depend_on_what_a_seat_must_not_see(players: int) -> None:
    choices = random.Random(4)
    game = Game(players, SeededChance(11), options=EVERYTHING)
    compared, moments = 0, set()
    while not game.over:
        seat = choices.choice([other for other in game.seats if other not in {game.power(0), game.power(6)}])
        if choices.random() < 0.3:
            before, kept = json.dumps(game.view(seat)), secrets(game)
            scramble(game, seat, choices)
            assert json.dumps(game.view(seat)) == before, game.decision
            restore(game, kept)
            compared += 1
            moments.add(game.decision)
        game.apply(choices.choice(game.legal()))
    assert compared > 50
    assert moments >= {"BID", "SHIP"}


def test_view__hides_a_plan_until_both_are_made() -> None:
    for seed in range(5):
        game = play_to("NUMBER", seed)
        battle = game.battle
        assert battle is not None
        (third,) = set(game.seats) - {battle.aggressor, battle.defender}
        before = json.dumps(game.view(third))
        for plan in battle.plans.values():
            assert plan.hidden
            plan.leader, plan.number = 5, 20
        assert json.dumps(game.view(third)) == before


def play_to(decision: str, seed: int) -> Game:
    """Return a random game of Fremen, Guild and Emperor at the first such decision."""
    choices = random.Random(seed)
    game = Game(3, SeededChance(seed), [3, 4, 2])
    while game.decision != decision:
        game.apply(choices.choice(game.legal()))
    return game


def test_view__shows_the_question_to_the_asked_seat_alone() -> None:
    game = play(2, 1, {"max_turns": 1})
    assert "decision" not in game.view(0)
    game = Game(3, SeededChance(1), [5, 0, 1])
    assert game.view(0)["decision"] == "PREDICT_WHO"
    assert "decision" not in game.view(1)
    game.apply("faction 0")
    game.apply("turn 4")
    assert game.view(0)["prediction"] == {"faction": 0, "turn": 4}
    assert game.view(1)["prediction"] is None


def test_view__spice_pile_shows_the_foreseen_card_to_atreides_alone() -> None:
    game = Game(3, SeededChance(1), [0, 1, 5])
    game.spice_deck[4] -= 1
    game.foreseen_spice = 4
    assert game.view(0)["foreseen_spice"] == 4
    assert game.view(0)["spice_deck"][4] == 0
    assert "foreseen_spice" not in game.view(1)
    assert game.view(1)["spice_deck"][4] == 1
