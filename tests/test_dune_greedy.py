"""The evaluation of Dune: its data file, what it may depend on, what it finds good, and how greedy plays with it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env.dune import GAME
from dunaia_env.dune.components import load
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.evaluation.weights import DATA_FILE, PARAMETER_COUNT, PARAMETERS, SECTIONS, load_weights
from dunaia_env.harness.compiled.entry_points import MOST_SEATS, write_preferences, write_shares
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent, load as load_agent
from dunaia_env.harness.state import GameState, prepare
from tests.dune_positions import POSITIONS, Content, position
from tests.dune_variations import VARIATIONS
from tests.sampling import sampled

VICTORY = dict(zip((term.name for term in PARAMETERS), load_weights().tolist(), strict=True))["victory"]
TEXT = DATA_FILE.read_text(encoding="utf-8")
STRONGHOLDS = {0, 8, 37, 65, 79}  # cells
# Hand-made positions for other tests, which show a decision without anything to decide.
NOTHING_TO_DECIDE = {"OVER"}
NAMES = [name for name in POSITIONS if name not in NOTHING_TO_DECIDE]


def game_state(content: Content) -> GameState:
    return GameState.from_dict(content, game=GAME)


def preferences(state: GameState) -> dict[str, float]:
    """What the seat that decides prefers, by the texts of its actions."""
    table = prepare(GAME, evaluation=True)
    legal = np.array(state.legal_actions(), np.int16)
    found = np.full(len(legal), np.nan)
    buffer = np.frombuffer(state.to_bytes(), np.uint8).copy()
    write_preferences(table, buffer, load().buffer, load_weights(), legal, len(legal), found)
    return dict(zip(map(GAME.action_text, legal.tolist()), found.tolist(), strict=True))


def shares(state: GameState) -> NDArray[np.float64]:
    found = np.zeros(MOST_SEATS)
    buffer = np.frombuffer(state.to_bytes(), np.uint8).copy()
    write_shares(prepare(GAME, evaluation=True), buffer, load().buffer, load_weights(), found)
    return found


def choice(state: GameState, seed: int = 0) -> str:
    agent = GreedyAgent(game=GAME)
    agent.reset(seed)
    return GAME.action_text(agent.act(state))


def with_tokens(content: Content, tokens: dict[int, list[list[int]]]) -> Content:
    """The content with these tokens of some seats on the board, and all others of theirs in the reserve."""
    for seat, forces in tokens.items():
        player = content["players"][seat]
        player |= {"forces": forces, "reserve": 20 - sum(number for _, number in forces), "tanks": 0}
        content["scores"][seat] = len({cell for cell, _ in forces} & STRONGHOLDS)
    return content


def begun(**options: Any) -> GameState:
    return GameState.new(0, game=GAME, **options)


def test_the_numbers_are_read_in_the_order_of_the_considerations() -> None:
    weights = load_weights()
    assert weights.shape == (PARAMETER_COUNT,)
    assert weights.tolist() == [float(number) for number in re.findall(r"(?m)^\w+ = (\S+)$", TEXT)]
    assert re.findall(r"(?m)^(\w+) = ", TEXT) == [term.name for term in PARAMETERS]
    assert re.findall(r"(?m)^\[(\w+)\]", TEXT) == list(SECTIONS)
    assert all(term.meaning for term in PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("victory = 40.0\n", "", r"\[places\] victory is missing"),
        ("victory = 40.0\n", "victory = 40.0\nvictories = 1\n", r"\[places\] victories is unknown"),
        ("victory = 40.0\n", 'victory = "much"\n', r"\[places\] victory: expected a number in -1000..1000, got 'much'"),
        (
            "[deals]",
            "[bargains]",
            r"expected the sections places, battles, cards, deals, predictions, shares, got \[bargains\]",
        ),
    ],
)
def test_faults_of_a_data_file_are_named(tmp_path: Any, old: str, new: str, message: str) -> None:
    path = tmp_path / "weights.toml"
    assert TEXT.count(old) == 1
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"weights\.toml: {message}"):
        load_weights(path)


@pytest.mark.parametrize("name", NAMES)
def test_every_action_of_every_decision_gets_a_number(name: str) -> None:
    assert all(math.isfinite(number) for number in preferences(game_state(position(name))).values())


def test_the_positions_have_every_decision() -> None:
    assert {POSITIONS[name]["decision"] for name in NAMES} == set(DECISION_NAMES) - NOTHING_TO_DECIDE


def changes_of_hidden_things(name: str) -> Iterator[tuple[str, GameState, GameState]]:
    """A position and the same with something else that the seat that decides does not know: what, before, after."""
    for vary in VARIATIONS:
        for what, changed, knowing in vary(position(name)):
            before, after = game_state({**position(name), "options": changed["options"]}), game_state(changed)
            is_hidden = before.seat == after.seat and before.seat not in knowing
            if is_hidden and before.legal_actions() == after.legal_actions():
                yield what, before, after


@pytest.mark.parametrize("name", sampled(NAMES, 4))
def test_preferences_depend_on_nothing_that_the_seat_does_not_know(name: str) -> None:
    varied = 0
    for what, before, after in changes_of_hidden_things(name):
        assert preferences(before) == preferences(after), what
        varied += 1
    assert varied, "nothing was varied"


def test_shares_sum_to_one_and_grow_with_strongholds() -> None:
    content = begun(num_players=3, factions=(0, 1, 4), powers=False).to_dict()
    before = shares(game_state(content))
    assert before[:3].sum() == pytest.approx(1)
    assert content["players"][0]["forces"] == [[0, 10]]
    after = shares(game_state(with_tokens(content, {0: [[0, 9], [37, 1]]})))
    assert after[0] > before[0]
    assert after[1] < before[1]
    assert (before[3:] == 0).all()


def test_a_game_that_is_over_has_its_result_as_shares() -> None:
    rng = np.random.default_rng(1)
    state = begun(preset="duel")
    while not state.is_over:
        state.apply(int(rng.choice(state.legal_actions())), 0)
    winners = [seat for seat, rank in enumerate(state.ranks()) if rank == 1]
    assert shares(state)[winners].tolist() == [1 / len(winners)] * len(winners)
    assert shares(state).sum() == pytest.approx(1)


def test_a_traitor_is_called() -> None:
    assert choice(game_state(position("TREASON"))) == "yes"


def test_a_worthless_card_is_discarded_and_a_weapon_is_kept() -> None:
    content = position("KEEP")
    plan, winner = content["pending"]["plans"][0], content["players"][1]
    assert (plan["weapon"], winner["hand"]) == (0, [0, 1, 4])
    assert choice(game_state(content)) == "yes"
    # The same battle with a worthless card of the deck in place of the weapon.
    plan["weapon"], winner["hand"], winner["foreseen"] = 6, [1, 4, 6], []
    content["deck"][6] -= 1
    content["deck"][0] += 1
    assert choice(game_state(content)) == "pass"


def test_a_bid_is_the_less_worth_the_higher_it_is() -> None:
    found = preferences(game_state(position("BID")))
    raises = [found[text] for text in found if text.startswith("number")]
    assert len(raises) > 1
    assert raises == sorted(raises, reverse=True)


def test_the_last_stronghold_that_wins_is_worth_most() -> None:
    content = begun(preset="plain", num_players=3, factions=(0, 1, 4)).to_dict()
    state = game_state(content)
    # Play on to a shipment of Atreides, who already hold two strongholds.
    rng = np.random.default_rng(0)
    while state.decision != "SHIP" or state.seat != 0:
        state.apply(int(rng.choice(state.legal_actions())), 0)
    content = with_tokens(state.to_dict(), {0: [[0, 5], [65, 5]], 1: [], 2: []})
    content["players"][0]["spice"] = 9
    state = game_state(content)
    free = {"cell 8", "cell 37", "cell 79"}
    assert choice(state) in free
    found = preferences(state)
    others = [worth for text, worth in found.items() if text not in free]
    assert max(others) < found[choice(state)] - VICTORY / 2


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("options", "games", "least"),
    [
        ({"preset": "duel"}, 60, 0.85),
        ({"num_players": 6, "alliances": False}, 40, 0.85),
        # Random players agree to many alliances, and greedy then shares its wins.
        ({"num_players": 6}, 40, 0.55),
    ],
)
def test_greedy_beats_random(options: dict[str, Any], games: int, least: float) -> None:
    won = 0.0
    for number in range(games):
        state = GameState.new(number, game=GAME, **options)
        own = number % state.num_players
        agents = [GreedyAgent(game=GAME) if seat == own else RandomAgent() for seat in range(state.num_players)]
        for seat, agent in enumerate(agents):
            agent.reset(100 * number + seat)
        while not state.is_over:
            state.apply(agents[state.seat].act(state), number)
        ranks = state.ranks()
        won += (ranks[own] == 1) / ranks.count(1) if any(state.scores()) else 0.0
    # Measured: 100 % in the duel; 76 % at the table of six with alliances.
    assert won / games > least


def test_ismcts_finds_the_stronghold_that_wins() -> None:
    state = begun(preset="plain", num_players=3, factions=(0, 1, 4))
    rng = np.random.default_rng(0)
    while state.decision != "SHIP" or state.seat != 0:
        state.apply(int(rng.choice(state.legal_actions())), 0)
    content = with_tokens(state.to_dict(), {0: [[0, 9], [65, 9]], 1: [], 2: []})
    found = load_agent("ismcts:40", game=GAME)
    result = found.search(game_state(content))
    assert found.name == "ismcts:40"
    assert int(result.visits.sum()) == 40
    assert GAME.action_text(int(result.actions[result.ranking(0)[0]])) in {"cell 8", "cell 37", "cell 79"}


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["BID", "NUMBER", "LEADER", "SHIP", "TRAITOR"])
def test_ismcts_depends_on_nothing_that_the_seat_does_not_know(name: str) -> None:
    agent = load_agent("ismcts:6", game=GAME)
    varied = 0
    for what, before, after in changes_of_hidden_things(name):
        assert agent.search(before).visits.tolist() == agent.search(after).visits.tolist(), what
        varied += 1
    assert varied


def test_ismcts_is_for_games_with_hidden_information() -> None:
    with pytest.raises(ValueError, match="ismcts: dunaia has no hidden information; mcts searches it"):
        load_agent("ismcts:10")
    with pytest.raises(ValueError, match=r"ismcts: simulations: expected an integer in 1\.\.10000000, got 0"):
        load_agent("ismcts:0", game=GAME)
