"""The network with shared encoders in torch: what it shares, what it treats alike, and how it is made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.dunaia.shared_indices import Indices, fields_of  # noqa: E402
from dunaia_env.dunaia.actions import NUM_ACTIONS, verb  # noqa: E402
from dunaia_env.dunaia.observation import OBSERVATION_SCALE, OBSERVATION_SIZE, PIECES, used_size  # noqa: E402
from dunaia_env.dunaia.state import EDGE_SQUARES, NEIGHBOURS, NONE, SEARCH, SQUARES  # noqa: E402
from dunaia_env.harness.lanes import Lanes  # noqa: E402
from dunaia_env.harness.registry import DEFAULT_GAME, find_game  # noqa: E402
from training.arguments import Arguments  # noqa: E402
from training.facts import Estimates, facts_of  # noqa: E402
from training.models.networks import SharedNetwork, make_shared  # noqa: E402
from training.models.own_networks import make  # noqa: E402
from training.ppo import PPOArguments  # noqa: E402

pytestmark = pytest.mark.once

# Random positions in which tiles of the piles are searched are rare, so that many are played.
LANES, ROUNDS = 48, 8


def shared_network(seats: int = 4, *, width: int = 32, layers: int = 2, seed: int = 0) -> SharedNetwork:
    """A network with weights of every kind that are not near zero."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = SharedNetwork(facts_of(DEFAULT_GAME, seats), layers, width)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return network


def random_observations(players: int) -> Any:
    """Observations of random play, int8 ``(N, inputs)``, with and without elites; some of them search."""
    lanes = Lanes(LANES, num_players=players, elites=[True, False])
    lanes.reset(players)
    found = []
    for number in range(25 * ROUNDS):
        lanes.step(lanes.random_actions(1))
        searching = lanes.observations[:, PIECES["decision"].first + SEARCH] != 0
        found.append(lanes.observations[searching].copy())
        if number % 25 == 24:
            found.append(lanes.observations.copy())
    observations = np.concatenate(found)[:, : used_size(players)]
    assert observations[:, PIECES["decision"].first + SEARCH].any()
    return torch.from_numpy(observations.copy())


def estimates(network: SharedNetwork, observations: Any) -> Estimates:
    with torch.no_grad():
        result: Estimates = network(observations)
    return result


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_parameter_gets_a_gradient(players: int) -> None:
    network = shared_network(players)
    found = network(random_observations(players))
    assert found.logits.shape[1] == NUM_ACTIONS
    assert found.values.shape[1] == found.scores.shape[1] == players
    weighted = [(part * torch.arange(1, part.shape[1] + 1)).sum() for part in found]
    torch.stack(weighted).sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        rows = parameter.grad.reshape(len(parameter), -1).abs().sum(dim=1)
        # Units that are zero in all positions of a small network learn nothing there.
        assert (rows > 0).float().mean() > 0.5, name
        if name.partition("_")[0] in {"square", "offer", "other", "pile"} and ".weight" in name and "head" in name:
            assert (rows > 0).all(), name


def test_a_fixed_seed_gives_the_same_weights() -> None:
    facts = facts_of(DEFAULT_GAME, 3)
    one, same, other = (
        make(make_shared, facts, PPOArguments(network="shared", seed=seed, width=16)).state_dict() for seed in (4, 4, 5)
    )
    for name, tensor in one.items():
        assert torch.equal(tensor, same[name]), name
    assert not torch.equal(one["tile"], other["tile"])


def test_swapped_offers_swap_their_logits_and_nothing_else() -> None:
    network, observations = shared_network(2), random_observations(2)
    with torch.no_grad():
        network.offer_place[:] = network.offer_place[:1].clone()  # what tells the places of offers apart
    columns = Indices(observations.shape[1]).offers
    assert (observations[:, columns[0]] != observations[:, columns[5]]).any()
    swapped = observations.clone()
    swapped[:, columns[0]], swapped[:, columns[5]] = observations[:, columns[5]], observations[:, columns[0]]
    before, after = estimates(network, observations), estimates(network, swapped)
    actions = np.arange(NUM_ACTIONS)
    starts = verb("start").first + np.arange(verb("start").count).reshape(-1, SQUARES)
    actions[starts[0]], actions[starts[5]] = starts[5], starts[0]
    reserve = verb("reserve").first
    actions[reserve], actions[reserve + 5] = reserve + 5, reserve
    torch.testing.assert_close(after.logits, before.logits[:, actions])
    torch.testing.assert_close(after.values, before.values)
    torch.testing.assert_close(after.scores, before.scores)
    assert not torch.allclose(after.logits, before.logits)


def test_the_place_of_an_offer_matters_otherwise() -> None:
    network, observations = shared_network(2), random_observations(2)
    columns = Indices(observations.shape[1]).offers
    swapped = observations.clone()
    swapped[:, columns[0]], swapped[:, columns[5]] = observations[:, columns[5]], observations[:, columns[0]]
    assert not torch.allclose(estimates(network, swapped).values, estimates(network, observations).values)


def test_the_order_of_the_tiles_of_a_pile_does_not_matter() -> None:
    network, observations = shared_network(2), random_observations(2)
    where = Indices(observations.shape[1])
    order = np.arange(where.piles.shape[1])
    order[[1, 14]] = order[[14, 1]]  # two tiles of the first pile
    swapped = observations.clone()
    swapped[:, where.piles.ravel()] = observations[:, where.piles[:, order].ravel()]
    before, after = estimates(network, observations), estimates(network, swapped)
    search = slice(verb("search").first, verb("search").first + verb("search").count)
    torch.testing.assert_close(after.values, before.values)
    torch.testing.assert_close(after.logits[:, search], before.logits[:, search][:, order])


def test_staying_where_a_dunaia_is_is_worth_zero() -> None:
    network, observations = shared_network(2), random_observations(2)
    logits = estimates(network, observations).logits[:, verb("move").first :][:, : verb("move").count]
    squares = observations[:, Indices(observations.shape[1]).dunaias.ravel()].numpy().reshape(-1, 6, SQUARES)
    places = squares[:, :, EDGE_SQUARES].sum(axis=3) == 2
    assert (places.sum(axis=2) == 1).any()
    assert logits.view(-1, 6, len(EDGE_SQUARES)).numpy()[places] == pytest.approx(0.0, abs=1e-5)


def test_only_searches_value_the_tiles_of_the_piles() -> None:
    network, observations = shared_network(2), random_observations(2)
    search = slice(verb("search").first, verb("search").first + verb("search").count)
    searching = observations[:, PIECES["decision"].first + SEARCH] != 0
    logits = estimates(network, observations).logits[:, search]
    assert (logits[~searching] == 0).all()
    assert (logits[searching] != 0).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_input_is_read_by_an_encoder_or_by_the_trunk(players: int) -> None:
    where = Indices(int(used_size(players)))
    encoded = np.concatenate([part.ravel() for part in (where.squares, where.offers, where.others, where.piles)])
    assert set(encoded) - {NONE} | set(where.rest) == set(range(used_size(players)))
    assert len(where.others) == SQUARES * (players - 1)
    for square in range(SQUARES):
        for inputs in fields_of(f"own.square_{square}.").values():
            assert not set(inputs) & set(where.rest)


def test_things_that_are_read_in_the_same_way_have_the_same_scales_and_meanings() -> None:
    where = Indices(OBSERVATION_SIZE)
    for things in (where.squares, where.offers, where.others, where.piles.T):
        for inputs in things.T:
            assert len(set(OBSERVATION_SCALE[inputs[inputs != NONE]])) == 1
    names = np.repeat([piece.name for piece in PIECES.values()], [piece.size for piece in PIECES.values()])
    words = [[name.rpartition(".")[2] for name in names[row[: where.tile]]] for row in where.squares]
    assert words == [[name.rpartition(".")[2] for name in names[where.offers[0][: where.tile]]]] * SQUARES
    # A square sees a neighbour on each side, or nothing.
    seen = where.squares[:, -4 * 10 :].reshape(SQUARES, 4, 10)
    np.testing.assert_array_equal((seen == NONE).all(axis=2), NEIGHBOURS == NONE)


def test_names_that_mean_the_same_network() -> None:
    assert Arguments(network="training.models.networks:make_shared").network == "shared"
    assert Arguments(network="mlp").network is None
    assert Arguments(network="a:b").network == "a:b"


def test_another_game_has_no_such_network() -> None:
    game = find_game("tests.toy_game")
    with pytest.raises(ValueError, match="network: shared, which reads observations of dunaia, not of"):
        make_shared(facts_of(game, 2), PPOArguments(game="tests.toy_game"))
