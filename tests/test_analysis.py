"""The analysis of games: parts that add up, mistakes that are found, luck without bias, and clear refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.guided import GuidedAgent
from agents.network import NetworkAgent
from dunaia_env import GameState, dunaia
from dunaia_env.analysis import Adviser, Analysis, advise, analyse, compare, load_adviser
from dunaia_env.analysis.advisers import EvaluationAdviser
from dunaia_env.analysis.fortune import luck_of
from dunaia_env.analysis.judging import MISTAKE, Advice, Option, units
from dunaia_env.analysis.outcomes import outcomes
from dunaia_env.dunaia.assigned import GAME as ASSIGNED
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.guided import write_shares
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.replay import Replay, ReplayError, positions, record_game, result_of
from tests.test_agents_network import random_network
from tests.toy_game import GAME as BIDS

pytestmark = pytest.mark.once

# A game with a choice between winning and losing: one round, and the second player sees the first one's bid.
ONE_ROUND = {"open_bids": True, "laps": 1, "hand": 3}


class Scripted:
    """Takes the lowest or the highest legal action, by seat."""

    name, version = "scripted", "1"

    def __init__(self, high: bool) -> None:
        self.high = high

    def reset(self, seed: int) -> None:
        pass

    def act(self, view: Any) -> int:
        return int(view.legal_actions()[-1 if self.high else 0])

    def act_batch(self, lanes: Any, selected: Any) -> Any:
        raise NotImplementedError


def small_player(**header: Any) -> NetworkAgent:
    """A network of any weights, for games of two."""
    return NetworkAgent(random_network(1, **header))


def game_of(agents: Sequence[Any], seed: int = 5, *, game: Game = DEFAULT_GAME, **options: Any) -> Replay:
    return record_game(seed, agents, game=game, **options)


def states_of(played: Replay) -> list[GameState]:
    return [state.clone() for _, state, _ in positions(played)]


def check_sums(analysis: Analysis) -> None:
    """Everything that has to add up adds up, to the last digit."""
    count, players = len(analysis.decisions), len(analysis.names)
    assert len(analysis.positions) == count + 1
    whole = [
        *(position.chances for position in analysis.positions),
        *(decision.luck for decision in analysis.decisions),
        *(decision.choice for decision in analysis.decisions),
    ]
    for row in whole:
        assert len(row) == players
        assert all(round(value, 4) == value for value in row)
    in_units = [[round(value * 10_000) for value in row] for row in whole]
    assert [sum(row) for row in in_units] == [10_000] * (count + 1) + [0] * (2 * count)
    for total in analysis.totals:
        parts = total.start, total.skill, total.opponents, total.luck, total.corrections
        assert sum(round(part * 10_000) for part in parts) == round(total.end * 10_000)
        own = [decision for decision in analysis.decisions if decision.seat == total.seat]
        assert total.decisions == len(own)
        assert total.skill == pytest.approx(-sum(decision.cost for decision in own), abs=1e-9)
        assert total.luck == pytest.approx(sum(one.luck[total.seat] for one in analysis.decisions), abs=1e-9)
        assert total.mistakes == sum(decision.cost >= MISTAKE for decision in own)
        assert total.reliable == (round(abs(total.corrections) - abs(total.skill) - abs(total.luck), 9) <= 0)
        assert total.start == analysis.positions[0].chances[total.seat]
        assert total.end == analysis.positions[-1].chances[total.seat]
    for number, decision in enumerate(analysis.decisions):
        assert decision.number == number
        assert decision.seat == analysis.positions[number].seat
        assert decision.cost == -decision.choice[decision.seat] >= 0
        texts = [option.action for option in decision.actions]
        assert texts[0] == decision.best
        assert decision.action in texts
        assert len(texts) == len(set(texts)) <= 5
        best_chance = decision.actions[0].chance
        for option in decision.actions[1:]:
            if option.action != decision.action:
                assert option.chance is not None
                assert best_chance is not None
                assert round(best_chance - option.chance, 9) <= MISTAKE
                assert option.probability >= 0.05 * decision.actions[0].probability
                assert (option.trials or 0) >= 0.5 * (decision.actions[0].trials or 0)
        if decision.cost == 0:
            assert decision.best == decision.action
        else:
            chances = {option.action: option.chance for option in decision.actions}
            best, own = chances[decision.best], chances[decision.action]
            assert best is not None
            assert own is not None
            assert best - own == pytest.approx(decision.cost, abs=1e-9)
    costs = [analysis.decisions[number].cost for number in analysis.mistakes]
    assert costs == sorted(costs, reverse=True)
    assert all(cost >= MISTAKE for cost in costs)
    assert len(costs) == sum(total.mistakes for total in analysis.totals)


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("players", "open_bids"),
    [
        pytest.param(2, False, id="2 players", marks=pytest.mark.slow),
        pytest.param(3, True, id="3, open bids"),
        pytest.param(6, False, id="6 players"),
    ],
)
def test_the_parts_of_a_toy_game_add_up(players: int, open_bids: bool) -> None:
    played = game_of([RandomAgent(1), GreedyAgent(game=BIDS)], game=BIDS, num_players=players, open_bids=open_bids)
    analysis = analyse(played, adviser="greedy")
    check_sums(analysis)
    assert analysis.adviser == "greedy"
    assert analysis.result == played.result | {"over": True}
    assert analysis.positions[-1].seat is None
    # Six players use up the deck at once: nothing is drawn.
    assert any(any(decision.luck) for decision in analysis.decisions) == (players < 6)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("players", "elites", "simulations"),
    [
        pytest.param(2, True, 8, id="2", marks=pytest.mark.slow),
        pytest.param(3, False, 0, id="3"),
        pytest.param(4, True, 4, id="4"),
    ],
)
def test_the_parts_of_a_game_judged_by_the_champion_add_up(players: int, elites: bool, simulations: int) -> None:
    played = game_of([RandomAgent(1), GreedyAgent()], num_players=players, elites=elites, max_rounds=2)
    done: list[float] = []
    analysis = analyse(played, simulations=simulations, progress=done.append)
    check_sums(analysis)
    assert done == sorted(done)
    assert done[-1] == 1
    assert analysis.positions[-1].round == 2
    shares = [float(rank == 1) / played.result["ranks"].count(1) for rank in played.result["ranks"]]
    assert analysis.positions[-1].chances == pytest.approx(shares, abs=1e-4)
    again = analyse(played, simulations=simulations)
    assert json.dumps(again.to_json()) == json.dumps(analysis.to_json())
    assert set(analysis.to_json()) >= {"names", "result", "totals", "positions", "decisions", "mistakes"}


@pytest.mark.compiled
def test_what_one_of_two_players_loses_the_other_gains() -> None:
    analysis = analyse(game_of([RandomAgent(1)], num_players=2, max_rounds=3), simulations=0)
    one, other = analysis.totals
    assert (one.skill, one.luck) == (-other.opponents, -other.luck)
    assert (one.opponents, one.corrections) == (-other.skill, -other.corrections)
    assert one.skill < 0


def blunders() -> Iterator[tuple[Replay, int]]:
    """Games of one round whose second player has the card that wins, and bids another one; with the card."""
    for seed in range(60):
        played = game_of([Scripted(True), Scripted(False)], seed, game=BIDS, **ONE_ROUND)
        state = states_of(played)[1]
        best, bid = state.legal_actions()[-1], state.to_dict()["bids"][0][0]
        if state.legal_actions()[0] < bid < best and played.result["ranks"] == [1, 2]:
            yield played, best


@pytest.mark.compiled
def test_a_win_thrown_away_costs_a_whole_win() -> None:
    found = list(islice(blunders(), 3))
    assert len(found) == 3
    for played, best in found:
        analysis = analyse(played, adviser="greedy")
        check_sums(analysis)
        last = analysis.decisions[1]
        assert last.cost == 1
        assert last.choice == [1, -1]
        assert last.luck == [0, 0]
        assert analysis.mistakes[0] == 1
        state = states_of(played)[1]
        assert state.check(last.best) <= best
        for option in last.actions:
            wins = state.check(option.action) > state.to_dict()["bids"][0][0]
            assert option.chance == float(wins)
        assert [total.skill for total in analysis.totals][1] == -1
        assert analysis.totals[1].end == 0
        assert sum(total.decisions for total in analysis.totals) == 2
        advice = advise(state.view(), "greedy")
        assert advice.seat == 1
        assert advice.actions[0].chance == 1
        assert len(advice.actions) == 3
        assert sum(option.probability for option in advice.actions) == pytest.approx(1, abs=1e-3)


@pytest.mark.compiled
def test_what_a_seat_does_not_know_is_not_used() -> None:
    played = game_of([RandomAgent(2)], 9, game=BIDS, num_players=3)
    adviser = load_adviser("greedy", game=BIDS)
    for state in states_of(played)[:-1:5]:
        # Another state that the seat cannot tell from this one, in which others have other cards.
        other = state.resampled(state.seat, 77)
        assert advise(state, adviser) == advise(other.view(), adviser) == advise(state.view(), adviser)


@pytest.mark.compiled
def test_unfinished_games_traces_and_variants_are_judged() -> None:
    played = game_of([GreedyAgent()], num_players=2, max_rounds=2, trace=True)
    states = states_of(played)
    half = len(played.decisions) // 2
    part = replace(played, decisions=played.decisions[:half], result=result_of(states[half]))
    analysis = analyse(part, simulations=0)
    check_sums(analysis)
    assert not analysis.result["over"]
    assert analysis.positions[-1].seat == states[half].seat
    assert 0 < analysis.totals[0].end < 1
    beginning = analyse(replace(part, decisions=[], result=result_of(states[0])), simulations=0)
    check_sums(beginning)
    assert beginning.totals[0].start == beginning.totals[0].end

    plain = game_of([GreedyAgent()], num_players=2, max_rounds=2)
    assert analyse(plain, simulations=0).decisions == analyse(played, simulations=0).decisions
    dealt = game_of([GreedyAgent(game=ASSIGNED)], game=ASSIGNED, num_players=2, characters=34, max_rounds=2)
    check_sums(analyse(dealt, simulations=2))


@pytest.mark.compiled
def test_a_choice_is_compared_with_the_best_one_though_it_is_no_candidate() -> None:
    player = small_player()
    search = GuidedAgent(player, 32, candidates=4)
    state = GameState.new(3, num_players=2)
    while len(state.legal_actions()) < 20:
        state.apply(state.legal_actions()[0], 3)
    plain = search.search(state)
    assert (plain.visits > 0).sum() == 4
    unseen = plain.visits == 0
    worst = int(plain.actions[unseen][plain.scores[unseen].argmin()])
    (kept,) = search.search_many([state], [[worst]])
    row = int(np.searchsorted(kept.actions, worst))
    assert kept.visits[row] == kept.visits.max()
    assert not np.isnan(kept.values[row]).any()
    assert plain.visits[row] == 0
    # It is ranked by what the search found, not by what kept it.
    assert int(kept.actions[kept.ranking(state.seat)[0]]) != worst
    assert kept.scores.max() < 1e5
    (same,) = search.search_many([state], [[]])
    assert same.visits.tolist() == plain.visits.tolist()
    assert same.scores.tolist() == plain.scores.tolist()
    with pytest.raises(ValueError, match="included: expected 1 entries, got 2"):
        search.search_many([state], [[], []])
    with pytest.raises(ValueError, match="is not legal for seat"):
        search.search_many([state], [[dunaia.NUM_ACTIONS]])


@pytest.mark.compiled
def test_a_network_estimates_every_seat() -> None:
    champion: Any = opponents.load("champion")
    for players in (2, 3, 4):
        states = states_of(game_of([RandomAgent(3)], num_players=players, max_rounds=2))[:-1]
        logits, shares = champion.estimates(states)
        assert logits.shape == (len(states), DEFAULT_GAME.num_actions)
        assert shares.shape == (len(states), players)
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
    with pytest.raises(ValueError, match="expected equally many players at all tables"):
        champion.estimates([GameState.new(1, num_players=2), GameState.new(1, num_players=3)])


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_estimates_are_those_of_a_search(players: int) -> None:
    champion: Any = opponents.load("champion")
    states = states_of(game_of([RandomAgent(5)], num_players=players, max_rounds=3))[:-1]
    assert {state.seat for state in states} == set(range(players))
    _, values = champion.forward(np.stack([state.observation() for state in states]))
    _, found = champion.estimates(states)
    shares = np.zeros(6)
    for state, row, own in zip(states, values, found, strict=True):
        write_shares(row, state.seat, players, shares)
        np.testing.assert_allclose(own, shares[:players], atol=1e-6)


def test_a_network_with_one_output_leaves_the_rest_to_the_others() -> None:
    player = small_player(players=[2])
    states = states_of(game_of([RandomAgent(3)], num_players=2, max_rounds=1))[:-1]
    _, shares = player.estimates(states)
    for state, row in zip(states, shares, strict=True):
        assert row[state.seat] == pytest.approx(np.clip(player.value(state) / 2 + 0.5, 0, 1), abs=1e-6)
        assert row.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="trained for at most 2"):
        player.estimates([GameState.new(1, num_players=3)])


@pytest.mark.compiled
def test_outcomes_are_all_that_can_happen_or_samples_of_it() -> None:
    listed = sampled = 0
    played = game_of([RandomAgent(4)], num_players=2, max_rounds=6, trace=True)
    states = states_of(played)
    for state, after, line in zip(states[:-1], states[1:], played.decisions, strict=True):
        action = state.check(line["action"])
        found = outcomes(state, action, most=20, samples=7)
        assert sum(outcome.probability for outcome in found) == pytest.approx(1)
        if not line["draws"]:
            assert [outcome.state for outcome in found] == [after]
        elif math.prod(n for n, _ in line["draws"]) <= 20:
            listed += 1
            assert len(found) == line["draws"][0][0]
            assert after in [outcome.state for outcome in found]
        else:
            sampled += 1
            assert len(found) == 7
            assert [one.state for one in found] == [one.state for one in outcomes(state, action, most=20, samples=7)]
    assert min(listed, sampled) > 0


def test_rounded_rows_keep_their_sum() -> None:
    assert units(np.array([1 / 3, 1 / 3, 1 / 3])).tolist() == [3334, 3333, 3333]
    assert units(np.array([0.00004, 0.00004, -0.00008]), 0).tolist() == [0, 0, 0]
    assert units(np.array([0.00014, 0.00014, -0.00028]), 0).tolist() == [1, 1, -2]
    assert units(np.array([1.0, 0.0])).tolist() == [10_000, 0]


@pytest.mark.parametrize(
    ("name", "simulations", "message"),
    [
        (
            "medium",
            None,
            (
                "adviser: expected a trained player without options, such as champion, or greedy, got medium, which"
                " plays below its strength"
            ),
        ),
        ("champion+64", None, r"adviser: expected a trained player without options.*, got 'champion\+64'"),
        (
            "champion:temperature=1",
            None,
            "adviser: expected a trained player without options.*, got 'champion:temperature=1'",
        ),
        ("mcts:100", None, "adviser: expected a trained player.*, got 'mcts:100'"),
        ("random", None, "adviser: expected a trained player.*, got 'random'"),
        (7, None, "adviser: expected a trained player.*, got 7"),
        ("missing.safetensors", None, "adviser: 'missing.safetensors' cannot judge this game .*No such file"),
        ("champion", -1, "simulations: expected an integer in 0..100000, got -1"),
        ("champion", 1.5, "simulations: expected an integer.*, got 1.5"),
        ("champion", True, "simulations: expected an integer.*, got True"),
        ("greedy", 8, "simulations: expected 0, because greedy does not search, got 8"),
    ],
)
def test_who_cannot_advise_is_refused(name: Any, simulations: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_adviser(name, game=DEFAULT_GAME, simulations=simulations)


def test_advisers_of_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match=r"adviser: 'champion' cannot judge this game .*greedy may"):
        load_adviser("champion", game=BIDS)
    with pytest.raises(ValueError, match=r"adviser: 'greedy' cannot judge this game .*no evaluation"):
        load_adviser("greedy", game=replace_evaluation(BIDS))
    text = Path(dunaia.components.__file__).with_name("components.toml").read_text(encoding="utf-8")
    other = dunaia.load(dunaia.components.parse(text.replace("trigger = 3", "trigger = 4"), "other"))
    if other.hash != dunaia.load(None).hash:
        with pytest.raises(ValueError, match=r"adviser: 'champion' cannot judge this game .*components_hash"):
            load_adviser("champion", game=DEFAULT_GAME, components=other)


def replace_evaluation(game: Game) -> Any:
    """A game without an evaluation, as far as loading an adviser asks."""

    class Bare:
        name, num_actions = game.name, game.num_actions

        def require(self, part: str) -> Any:
            raise ValueError(f"{self.name}: this game has no evaluation function for agents to use ({part})")

    return Bare()


def test_replays_that_are_wrong_are_refused() -> None:
    played = game_of([RandomAgent(1)], num_players=2, max_rounds=1)
    adviser = load_adviser("greedy", game=DEFAULT_GAME)
    scores = [played.result["scores"][0] + 1, played.result["scores"][1]]
    with pytest.raises(ReplayError, match=r"game.jsonl: line \d+: result.scores = .*; played again it is"):
        analyse(replace(played, result=played.result | {"scores": scores}), adviser=adviser, source="game.jsonl")
    wrong = [played.decisions[0] | {"action": "fly"}, *played.decisions[1:]]
    with pytest.raises(ReplayError, match=r"replay: line 2: action: expected one of the verbs .*, got 'fly'"):
        analyse(replace(played, decisions=wrong), adviser=adviser)
    with pytest.raises(
        ValueError, match="simulations: expected None with an adviser that is given as an object, got 3"
    ):
        analyse(played, adviser=adviser, simulations=3)


def test_advice_is_refused_where_there_is_nothing_to_decide() -> None:
    states = states_of(game_of([RandomAgent(1)], num_players=2, max_rounds=1))
    with pytest.raises(ValueError, match="view: expected a position with a decision, got the end of a game"):
        advise(states[-1], "greedy")
    with pytest.raises(ValueError, match=r"view: expected the view of the seat that decides, got that of seat \d"):
        advise(states[0].view(1 - states[0].seat), "greedy")


def test_an_action_is_compared_as_in_an_analysis() -> None:
    played = game_of([RandomAgent()], num_players=2, max_rounds=3)
    adviser = load_adviser("champion", game=played.game, simulations=16)
    analysis = analyse(played, adviser=adviser)
    states = states_of(played)
    assert analysis.mistakes
    for number in analysis.mistakes[:3]:
        decision = analysis.decisions[number]
        found = compare(states[number], decision.action, adviser)
        assert (found.action, found.best, found.cost) == (decision.action, decision.best, decision.cost)
        assert compare(states[number].view(), found.best, adviser).cost == 0
    with pytest.raises(ValueError, match="is not legal"):
        compare(states[0], -1, adviser)
    with pytest.raises(ValueError, match="expected a position with a decision"):
        compare(states[-1], 0, adviser)


def option(action: str, chance: float | None, probability: float = 0.1, trials: int | None = None) -> Option:
    return Option(action, probability, chance, trials)


def test_good_choices_are_at_most_five_within_two_points_of_the_best() -> None:
    actions = [option("a", 0.5), option("b", 0.48), option("c", 0.4799), option("d", 0.52), option("e", None)]
    assert [one.action for one in Advice(0, [0.5, 0.5], actions, indifferent=False).good()] == ["a", "b", "d"]
    many = [option(str(number), 0.5) for number in range(21)]
    assert [one.action for one in Advice(0, [0.5, 0.5], many, indifferent=False).good()] == ["0", "1", "2", "3", "4"]
    assert Advice(0, [0.5, 0.5], many, indifferent=True).good() == []
    unknown = [option("a", None), option("b", None)]
    assert [one.action for one in Advice(0, [0.5, 0.5], unknown, indifferent=False).good()] == ["a"]


def test_choices_that_were_hardly_examined_are_not_listed() -> None:
    """However high their estimates are."""
    actions = [option("a", 0.23, 0.9), option("b", 0.32, 0), option("c", 0.32, 0.04), option("d", 0.22, 0.05)]
    assert [one.action for one in Advice(0, [0.5, 0.5], actions, indifferent=False).good()] == ["a", "d"]
    actions = [option("a", 0.23, 0.4, 20), option("b", 0.32, 0.3, 9), option("c", 0.32, 0.3, 10)]
    assert [one.action for one in Advice(0, [0.5, 0.5], actions, indifferent=False).good()] == ["a", "c"]


class Indifferent(EvaluationAdviser):
    """Gives every position the same estimate."""

    def _shares(self, states: Sequence[GameState]) -> Any:
        return np.full((len(states), states[0].num_players), 1 / states[0].num_players)


def test_an_adviser_can_have_no_preference() -> None:
    state = GameState.new(3, game=BIDS, num_players=2, hand=3)
    advice = advise(state, Indifferent(BIDS))
    assert len(advice.actions) > 1
    assert advice.indifferent
    analysis = analyse(game_of([RandomAgent(1)], game=BIDS, num_players=2, hand=3), adviser=Indifferent(BIDS))
    assert any(decision.indifferent for decision in analysis.decisions)
    analysis = analyse(game_of([RandomAgent(1)], num_players=2, max_rounds=2), adviser="greedy")
    assert {decision.indifferent for decision in analysis.decisions} == {True, False}


def test_an_adviser_is_whatever_can_judge() -> None:
    assert isinstance(load_adviser("greedy", game=BIDS), Adviser)
    assert not isinstance(RandomAgent(), Adviser)


def mean_and_error(rows: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(rows)), float(np.std(rows, ddof=1) / math.sqrt(len(rows)))


@pytest.mark.slow
@pytest.mark.parametrize("agent", [GreedyAgent(game=BIDS), RandomAgent(3)], ids=["greedy", "random"])
def test_luck_is_zero_on_average_however_they_play(agent: Any) -> None:
    adviser = load_adviser("greedy", game=BIDS)
    luck, left = [], []
    for seed in range(100):
        states = states_of(played := game_of([agent], 1000 + seed, game=BIDS, num_players=2, open_bids=True))
        chosen = [BIDS.parse_action(line["action"]) for line in played.decisions]
        luck.append(float(luck_of(adviser, states, chosen)[:, 0].sum()))
        first, last = adviser.shares([states[0], states[-1]])[:, 0]
        left.append(float(last - first))
    mean, error = mean_and_error(luck)
    assert abs(mean) < 3 * error
    assert np.std(luck) > 0.1
    if agent.name == adviser.name:
        # Who plays as the adviser plays on has results that luck explains: what is left varies less.
        assert np.var(np.array(left) - luck) < np.var(left)


@pytest.mark.slow
def test_weaker_players_make_costlier_mistakes() -> None:
    adviser = load_adviser("champion", game=DEFAULT_GAME, simulations=32)
    costs = {}
    for name in ("champion", "greedy", "random"):
        found = []
        for seed in range(3):
            analysis = analyse(game_of([opponents.load(name)], 40 + seed, num_players=2, elites=True), adviser=adviser)
            # Where the game is as good as decided no choice costs anything, so only open positions are compared.
            found += [
                decision.cost
                for decision in analysis.decisions
                if 0.1 < analysis.positions[decision.number].chances[decision.seat] < 0.9
            ]
        costs[name] = float(np.mean(found))
    assert costs["champion"] < 0.01
    # Not that random play costs more than greedy play: two weak players throw the same win back and forth.
    assert 2 * costs["champion"] < min(costs["greedy"], costs["random"])
