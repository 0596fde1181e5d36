"""The seam between games and what is above them: a toy game is played through all of it."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from dunaia_env import GameState, IllegalActionError, Lanes, NeedsDraw, Stream, Tape, dunaia
from dunaia_env.envs.aec import raw_env
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled import entry_points
from dunaia_env.harness.compiled.entry_points import EntryPoints
from dunaia_env.harness.compiled.rewards import final_rewards
from dunaia_env.harness.game import Game, game_named
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import prepare

BIDS: Game = game_named("tests.toy_game")


def members(cls: type) -> set[str]:
    return {name for name in (*vars(cls), *cls.__annotations__) if not name.startswith("_")}


def test_both_games_have_everything_that_is_asked_of_a_game() -> None:
    wanted = members(Game)
    assert len(wanted) > 20
    for game in (BIDS, DEFAULT_GAME):
        assert {name for name in wanted if not hasattr(game, name)} == set()


def test_a_game_is_one_object_however_it_travels() -> None:
    assert game_named("tests.toy_game") is BIDS
    assert copy.deepcopy(BIDS) is BIDS
    assert pickle.loads(pickle.dumps(BIDS)) is BIDS
    assert repr(BIDS) == "<game tests.toy_game>"
    assert BIDS is not DEFAULT_GAME


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_single_game_is_played(players: int) -> None:
    chance = Stream(4)
    state = GameState.new(chance, num_players=players, hand=4, game=BIDS)
    agent = RandomAgent(1)
    while not state.is_over:
        content = state.to_dict()
        assert state.legal_actions() == content["hands"][state.seat]
        assert len(content["hands"][state.seat]) == 4 or sum(map(len, content["hands"])) < 4 * players
        assert state.decision == "BID"
        assert np.flatnonzero(state.action_mask()).tolist() == state.legal_actions()
        assert state.observation().shape == (BIDS.observation_size,)
        twin = GameState.from_dict(state.to_dict(), game=BIDS)
        again = pickle.loads(pickle.dumps(state))
        action = agent.act(state.view())
        for each in (state, twin, again):
            each.apply(BIDS.action_text(action), chance)
        assert state == twin == again
    # Whatever was won was turned up once.
    content = state.to_dict()
    assert sum(state.scores()) <= sum(card % 5 + 1 for card in content["gone"])
    assert state.ranks() == [1 + sum(other > own for other in state.scores()) for own in state.scores()]
    assert state.legal_actions() == []
    assert repr(state) == f"<GameState of sealed_bids: {players} players, over>"
    assert state.game is BIDS


@pytest.mark.parametrize(
    ("players", "hand", "laps"), [(2, 2, 100), (2, 3, 5), (2, 13, 100), (3, 14, 100), (6, 4, 100), (6, 2, 1)]
)
def test_no_game_exceeds_its_bounds(players: int, hand: int, laps: int) -> None:
    # No player has 200 points before the deck is used up.
    options, rules = {"num_players": players, "hand": hand, "laps": laps}, BIDS.load(200)
    chance, agent = Stream(5), RandomAgent(5)
    state = GameState.new(chance, game=BIDS, components=rules, **options)
    assert {len(cards) for cards in state.to_dict()["hands"]} == {min(hand, 29 // players)}
    decisions, draws = 0, list(chance.draws)
    while not state.is_over:
        state.apply(agent.act(state.view()), chance)
        decisions += 1
        draws += chance.draws
    bounds = BIDS.bounds(rules, options)
    assert (state.ending()[0], decisions) == (bounds.rounds, bounds.decisions)
    assert len(draws) <= bounds.draws
    assert max(outcomes for outcomes, _ in draws) == bounds.outcomes
    assert bounds.least_points <= min(state.scores()) <= max(state.scores()) <= bounds.most_points


def test_the_highest_bid_wins_the_prize() -> None:
    content = {
        "players": 3,
        "seat": 2,
        "open_bids": False,
        "laps": 9,
        "round": 1,
        "truncated": False,
        "points": [0, 2, 0],
        "prize": [8],
        "gone": list(range(8)),
        "hands": [[10], [11], [12, 13]],
        "bids": [[20], [25], []],
    }
    state = GameState.from_dict(content, game=BIDS)
    state.apply("bid 13", 0)
    after = state.to_dict()
    assert after["points"] == [0, 6, 0]
    assert after["gone"] == [*range(9), 13, 20, 25]
    assert after["bids"] == [[], [], []]
    assert [len(hand) for hand in after["hands"]] == [2, 2, 2]
    assert (after["round"], after["seat"], len(after["prize"])) == (2, 0, 1)


def test_errors_are_told_in_the_games_words() -> None:
    state = GameState.new(0, game=BIDS)
    missing = next(card for card in range(30) if card not in state.legal_actions())
    with pytest.raises(
        IllegalActionError,
        match=rf"'bid {missing}' \({missing}\) is not legal for seat 0 in BID: card {missing} is not in the hand; ",
    ):
        state.apply(missing, 0)
    with pytest.raises(IllegalActionError, match="action: expected one of the verbs bid, got 'fly'"):
        state.apply("fly", 0)
    with pytest.raises(ValueError, match=r"num_players: expected an integer in 2\.\.6, got 7"):
        GameState.new(0, num_players=7, game=BIDS)
    with pytest.raises(ValueError, match=rf"state: expected uint8 \({BIDS.state_size},\)"):
        GameState(np.zeros(dunaia.STATE_SIZE, np.uint8), game=BIDS)


def test_chance_is_explicit() -> None:
    tape = Tape()
    with pytest.raises(NeedsDraw, match=r"needs draw\(30\)"):
        GameState.new(tape, game=BIDS)
    prizes = []
    for outcome in range(6):
        # Two hands of two cards, then a prize.
        state = GameState.new(Tape([0, 0, 0, 0, outcome]), hand=2, game=BIDS)
        prizes += state.to_dict()["prize"]
    assert prizes == [4, 5, 6, 7, 8, 9]


def positions(count: int, **options: Any) -> Iterator[GameState]:
    """Positions of random games in which others hold cards and have made bids."""
    for seed in range(count):
        chance = Stream(seed)
        state = GameState.new(chance, num_players=2 + seed % 5, game=BIDS, **options)
        agent = RandomAgent(seed)
        for _ in range(seed % 17):
            state.apply(agent.act(state.view()), chance)
            if state.is_over:
                break
        else:
            yield state


def known(state: GameState, seat: int) -> dict[str, Any]:
    """What a seat knows, worked out from the state dictionary."""
    content = state.to_dict()
    for other in range(state.num_players):
        if other != seat:
            content["hands"][other] = len(content["hands"][other])
            if not content["open_bids"]:
                content["bids"][other] = len(content["bids"][other])
    return content


def with_other_secrets(state: GameState, seat: int, seed: int) -> GameState:
    """A state that differs in what the seat must not see: the cards of the others and of the deck are exchanged."""
    content = state.to_dict()
    is_open = content["open_bids"]
    places = [content["hands"][other] for other in range(state.num_players) if other != seat]
    places += [] if is_open else [content["bids"][other] for other in range(state.num_players) if other != seat]
    shown = {*content["gone"], *content["prize"], *content["hands"][seat], *content["bids"][seat]}
    shown |= {card for bid in content["bids"] for card in bid} if is_open else set()
    hidden = np.random.default_rng(seed).permutation([card for card in range(30) if card not in shown]).tolist()
    for place in places:
        place[:] = sorted(hidden.pop() for _ in place)
    return GameState.from_dict(content, game=BIDS)


@pytest.mark.parametrize("open_bids", [False, True])
def test_a_view_holds_nothing_that_its_seat_does_not_know(open_bids: bool) -> None:
    differed = 0
    for number, state in enumerate(positions(24, open_bids=open_bids)):
        for seat in range(state.num_players):
            view, other = state.view(seat), with_other_secrets(state, seat, number)
            differed += other != state
            assert pickle.dumps(other.view(seat)) == pickle.dumps(view)
            assert other.view(seat) == view
            assert (other.view(seat).observation() == view.observation()).all()
            assert view.to_dict() == known(state, seat) == other.view(seat).to_dict()
            assert other.view(seat).determinize(3) == view.determinize(3)
            assert pickle.loads(pickle.dumps(view)) == view
            assert view.legal_actions() == (state.legal_actions() if seat == state.seat else [])
            assert view.action_mask().nonzero()[0].tolist() == view.legal_actions()
    assert differed > 50


def test_a_determinized_state_agrees_with_what_the_seat_knows_and_every_such_state_comes() -> None:
    for state in positions(40):
        view = state.view()
        for seed in range(5):
            drawn = view.determinize(seed)
            assert known(drawn, view.seat) == known(state, view.seat)
            assert drawn.legal_actions() == state.legal_actions()
    # The other player holds two of 27 cards: a card is held in 2 / 27 of the draws.
    view = GameState.new(3, hand=2, game=BIDS).view()
    held = Counter(card for seed in range(1350) for card in view.determinize(seed).to_dict()["hands"][1])
    assert len(held) == 27
    assert min(held.values()) > 60
    assert max(held.values()) < 145


def test_what_is_hidden_is_not_handed_out() -> None:
    view = GameState.new(0, num_players=3, game=BIDS).view(1)
    assert (view.seat, view.num_players, view.decision, view.is_over) == (1, 3, "BID", False)
    assert not BIDS.perfect_information
    with pytest.raises(ValueError, match="state: sealed_bids hides information; determinize"):
        view.state  # noqa: B018
    with pytest.raises(ValueError, match=r"seat: expected an integer in 0\.\.2, got 3"):
        GameState.new(0, num_players=3, game=BIDS).view(3)
    assert repr(view) == "<View of seat 1, <GameState of sealed_bids: 3 players, seat 0 in BID>>"


def test_views_of_a_game_without_secrets_are_the_state() -> None:
    state = GameState.new(0, num_players=3)
    assert DEFAULT_GAME.perfect_information
    for seat in range(3):
        view = state.view(seat)
        assert view.state == view.determinize(5) == state
        assert view.state is not view.state
        assert view.to_dict() == state.to_dict()
        assert (view.observation() == state.observation(seat)).all()
    assert len({state.view(0), state.view(0), state.view(1)}) == 2


SEARCHERS = (
    *("greedy", "mcts:12", "mcts:6,playout=random,cutoff=3", "mcts:6,others=greedy"),
    *("flat:6,cutoff=3", "flat:3,playout=greedy,cutoff=1"),
)


@pytest.mark.parametrize("name", SEARCHERS)
def test_agents_decide_by_what_their_seat_knows(name: str) -> None:
    agent = opponents.load(name, game=BIDS)
    agent.reset(1)
    differed = 0
    for number, state in enumerate(positions(16)):
        other = with_other_secrets(state, state.seat, number)
        differed += other != state
        decided = agent.act(state.view())
        assert decided in state.legal_actions()
        assert agent.act(other.view()) == decided
        lanes = Lanes(2, game=BIDS, num_players=state.num_players)
        lanes.reset(0)
        lanes.set_state(0, state)
        lanes.set_state(1, other)
        assert agent.act_batch(lanes, np.arange(2)).tolist() == [decided, decided]
    assert differed > 9


@pytest.mark.compiled
def test_a_search_of_possible_states_plays_well() -> None:
    agent, other = opponents.load("mcts:200", game=BIDS), RandomAgent(1)
    won = 0.0
    for seed in range(60):
        chance = Stream(seed)
        state = GameState.new(chance, game=BIDS)
        while not state.is_over:
            decider = agent if state.seat == seed % 2 else other
            state.apply(decider.act(state.view()), chance)
        ranks = state.ranks()
        won += (ranks[seed % 2] == 1) / ranks.count(1)
    # Among equals, 42 or more of 60 games are won in one series of 700.
    assert won >= 42


def test_a_guided_search_decides_by_what_its_seat_knows() -> None:
    from agents.guided import GuidedAgent
    from agents.network import NetworkAgent

    player = NetworkAgent(toy_network(), game=BIDS)
    agent = GuidedAgent(player, 12, candidates=4)
    for number, state in enumerate(positions(12)):
        other = with_other_secrets(state, state.seat, number)
        found, again = agent.search(state.view()), agent.search(other.view())
        assert found.actions.tolist() == state.legal_actions()
        assert found.visits.tolist() == again.visits.tolist()
        assert found.visits.sum() == 12
        stacked = np.stack([np.frombuffer(one.to_bytes(), np.uint8) for one in (state, other)])
        assert len(set(agent.search_positions(stacked, [state.components] * len(stacked)).best().tolist())) == 1


def last_round() -> GameState:
    """The first bid of a game of one round: 10 beats 9 of the 27 cards that the other may bid, 20 beats 18 of them."""
    content = {
        "players": 2,
        "seat": 0,
        "open_bids": False,
        "laps": 1,
        "round": 0,
        "truncated": False,
        "points": [0, 0],
        "prize": [7],
        "gone": [],
        "hands": [[10, 20], [0, 1]],
        "bids": [[], []],
    }
    return GameState.from_dict(content, game=BIDS)


@pytest.mark.parametrize("name", ["flat:240", "mcts:240,prior_temperature=0,exploration=9,playout=random"])
def test_every_simulation_begins_at_a_state_of_its_own(name: str) -> None:
    found = opponents.load(name, game=BIDS).search(last_round().view())
    assert found.actions.tolist() == [10, 20]
    # The other's choice among two cards leaves them as likely as they were.
    assert found.values[:, 0] == pytest.approx([9 / 27, 18 / 27], abs=0.13)


def test_a_guided_search_imagines_many_hands() -> None:
    from agents.guided import GuidedAgent
    from agents.network import NetworkAgent

    found = GuidedAgent(NetworkAgent(toy_network(), game=BIDS), 60).search(last_round().view())
    # The root, two bids, and after each what the other might bid: two cards in one hand, many in all that are imagined.
    assert found.nodes > 20


def toy_network() -> Any:
    from agents.network import Network

    rng = np.random.default_rng(0)
    shapes = {
        "hidden.0": (16, BIDS.observation_size),
        "policy": (BIDS.num_actions, 16),
        "value": (BIDS.max_players, 16),
    }
    arrays = {"input_scale": BIDS.observation_scale}
    for name, shape in shapes.items():
        arrays[f"{name}.weight"] = (rng.normal(size=shape) / 4).astype(np.float32)
        arrays[f"{name}.bias"] = np.zeros(shape[0], np.float32)
    return Network(arrays)


def test_games_and_rule_sets_are_told_apart() -> None:
    bids, dunaia_state = GameState.new(0, game=BIDS), GameState.new(0)
    assert bids != dunaia_state
    assert GameState.new(0, game=BIDS, components=9) != bids
    lanes = Lanes(2, game=BIDS)
    lanes.reset(0)
    for wrong in (dunaia_state, GameState.new(0, game=BIDS, components=9)):
        with pytest.raises(ValueError, match="expected"):
            lanes.set_state(0, wrong)
    with pytest.raises(ValueError, match="greedy: plays dunaia only, not sealed_bids"):
        GreedyAgent().act(bids)
    with pytest.raises(ValueError, match="greedy: plays dunaia only, not sealed_bids"):
        GreedyAgent().act_batch(lanes, np.arange(2))


def make(count: int, **options: Any) -> Lanes:
    return Lanes(count, **{"game": BIDS, "num_players": [2, 3, 6], "open_bids": [False, True], **options})


@pytest.mark.parametrize("threads", [1, 2])
def test_lanes_play_what_single_games_play(threads: int) -> None:
    lanes = make(6, threads=threads)
    lanes.reset(30)
    chances = [Stream(int(seed)) for seed in lanes.game_seeds]
    states = [
        GameState.new(chances[lane], num_players=(2, 3, 6)[lane % 3], open_bids=bool(lane % 2), game=BIDS)
        for lane in range(6)
    ]
    ended = 0
    agent = RandomAgent()
    for _ in range(200):
        for lane, state in enumerate(states):
            assert lanes.get_state(lane) == state
            assert (lanes.observations[lane] == state.observation()).all()
            assert (lanes.action_masks[lane] == state.action_mask()).all()
            assert lanes.seats[lane] == state.seat
        actions = agent.act_batch(lanes, np.arange(6))
        lanes.step(actions)
        for lane, state in enumerate(states):
            state.apply(int(actions[lane]), chances[lane])
            assert lanes.terminations[lane] == state.is_over
            if state.is_over:
                ended += 1
                players = state.num_players
                assert lanes.final_scores[lane, :players].tolist() == state.scores()
                assert lanes.final_ranks[lane, :players].tolist() == state.ranks()
                assert lanes.final_rounds[lane] == state.to_dict()["round"]
                wanted = final_rewards("win", *map(np.array, ([state.scores()], [state.ranks()], [players])))
                assert lanes.rewards[lane, :players] == pytest.approx(wanted[0])
                chances[lane] = Stream(int(lanes.game_seeds[lane]))
                states[lane] = GameState.new(chances[lane], num_players=players, open_bids=bool(lane % 2), game=BIDS)
    assert ended > 20
    lanes.close()


def test_lanes_of_the_toy_game_do_what_lanes_do() -> None:
    lanes, alone = make(5, reward="rank", laps=3), make(2, reward="rank", laps=3)
    lanes.reset(2)
    alone.reset(2)
    snapshot = lanes.snapshot()
    for _ in range(60):
        actions = lanes.random_actions(1)
        assert (alone.random_actions(1) == actions[:2]).all()
        lanes.step(actions)
        alone.step(actions[:2])
        assert (alone.observations == lanes.observations[:2]).all()
        assert np.abs(lanes.rewards.sum(axis=1)).max() < 1e-6
    assert lanes.max_rounds_reached.any()
    twin = pickle.loads(pickle.dumps(lanes))
    assert (twin.observations == lanes.observations).all()
    lanes.restore(snapshot)
    assert lanes.get_state(0) == GameState.new(2, game=BIDS, laps=3)
    missing = int(np.flatnonzero(lanes.action_masks[0] == 0)[0])
    with pytest.raises(IllegalActionError, match=f"lane 0: action 'bid {missing}'"):
        lanes.step(np.full(5, missing))
    waiting = make(3, autoreset=False, laps=1)
    waiting.reset(0)
    for _ in range(6):
        waiting.step(waiting.random_actions(0))
    assert waiting.seats.tolist() == [-1, -1, -1]


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.parametrize("players", [2, 3, 6])
def test_pettingzoos_tests_pass_for_the_toy_game(players: int) -> None:
    api_test(raw_env(game=BIDS, num_players=players), num_cycles=100)
    seed_test(lambda: raw_env(game=BIDS, num_players=players), num_cycles=50)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_environment_plays_the_toy_game(players: int) -> None:
    env = raw_env(game=BIDS, num_players=players, render_mode="ansi", components=12)
    agent = RandomAgent(3)
    for seed in range(5):
        env.reset(seed=seed)
        state, delivered = GameState.new(seed, num_players=players, game=BIDS, components=12), {}
        for name in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            assert truncation is False
            if termination:
                delivered[name] = reward
                assert info["scores"] == state.scores()
                env.step(None)
                continue
            assert reward == 0
            assert (observation["observation"] == state.observation()).all()
            action = agent.act(state.view())
            assert observation["action_mask"][action] == 1
            state.apply(action, seed)
            env.step(action)
        assert sum(delivered.values()) == pytest.approx(0, abs=1e-6)
        assert len(delivered) == players
    env.reset(seed=1)
    assert env.render() == f"round 0: {[0] * players} of 12, prize {env.to_dict()['prize']}"
    twin = copy.deepcopy(env)
    twin.step(env.to_dict()["hands"][0][0])
    assert env.to_dict()["seat"] == 0
    assert BIDS.sentence("bid 3", env.to_dict(), None) == "player 0: bid 3"


@pytest.mark.compiled
def test_the_trainer_needs_nothing_else() -> None:
    torch = pytest.importorskip("torch")
    from training.arguments import Arguments
    from training.trainer import Trainer

    before = torch.get_num_threads()
    arguments = Arguments(
        game="tests.toy_game",
        players=(2, 3),
        lanes=16,
        steps=16,
        minibatches=2,
        width=16,
        layers=1,
        precision="fp32",
        device="cpu",
    )
    trainer = Trainer(arguments)
    trainer.learn(trainer.collect())
    assert trainer.decisions == 256
    assert np.isfinite(trainer.player().value(trainer.lanes.get_state(0)))
    torch.set_num_threads(before)


def test_a_game_without_an_evaluation_is_not_searched_by_one() -> None:
    places = {place: entry for place, entry in BIDS.entry_points._functions.items() if place < entry_points.VALUE}
    numbers = {
        place: int(BIDS.entry_points.table[place]) for place in range(entry_points.SEAT_AT, entry_points.TABLE_SIZE)
    }
    bare = EntryPoints(places, numbers)
    with pytest.raises(ValueError, match="sealed_bids: load_weights without its entry points"):
        replace(BIDS, entry_points=bare)
    with pytest.raises(ValueError, match="sealed_bids: view_to_dict is missing"):
        replace(BIDS, view_to_dict=None)
    game = replace(BIDS, entry_points=bare, load_weights=None)
    with pytest.raises(ValueError, match="sealed_bids: this game has no evaluation"):
        prepare(game, evaluation=True)
    with pytest.raises(ValueError, match="sealed_bids: this game has no evaluation"):
        opponents.load("mcts:10", game=game)
