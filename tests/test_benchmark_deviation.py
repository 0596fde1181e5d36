"""What one deviator gains: responses find what can be exploited, a copy gains nothing, wrong options are named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")

from agents.network import NetworkAgent  # noqa: E402
from dunaia_env.harness import opponents  # noqa: E402
from dunaia_env.statistics.intervals import Estimate  # noqa: E402
from tests import toy_game  # noqa: E402
from training.benchmark import deviation  # noqa: E402
from training.benchmark.deviation import (  # noqa: E402
    RESULT_FILE,
    Options,
    Response,
    ResponseTrainer,
    arguments_for,
    check,
    gain_of,
    lower_bound,
    main,
    respond,
)
from training.benchmark.tasks import TASKS, NamedTask  # noqa: E402
from training.ppo import PolicyNetwork  # noqa: E402
from training.trainer import Trainer  # noqa: E402

pytestmark = pytest.mark.compiled

FIRST = "tests.test_benchmark_deviation:First"
SMALL = {"decisions": 16_384, "games": 400, "seeds": (0, 1)}


class First:
    """Always takes the first legal action: bids its lowest card."""

    name, version = "first", "1"

    def reset(self, seed: int) -> None:
        """Nothing is random."""

    def act(self, view: Any) -> int:
        raise NotImplementedError

    def act_batch(self, lanes: Any, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        return lanes.action_masks[selected].argmax(axis=1).astype(np.int32)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> NamedTask:
    """Tasks of the toy game, for two and for three players."""
    options = {"hand": 8}
    for players in (2, 3):
        name = f"toy-{players}"
        task = NamedTask(name, 1, "a test", "tests.toy_game", players, options=options, references=("random",))
        monkeypatch.setitem(TASKS, name, task)
    monkeypatch.setattr(deviation.PPO, "OPTIONS", {"lanes": 64, "steps": 16, "layers": 1, "learning_rate": 3e-3})
    return TASKS["toy-2"]


@pytest.fixture
def model(toy: NamedTask, tmp_path: Path) -> Path:
    """The file of an untrained network with two hidden layers of different sizes."""
    options = {"layers": 2, "first_width": 24, "width": 16, "opponents": ()}
    trainer = Trainer(replace(arguments_for(Options("random", "toy-2", 1024), toy, 5, None), **options))
    path = tmp_path / "model.safetensors"
    trainer.player().network.save(path)
    return path


@pytest.mark.parametrize(("agent", "task", "share"), [(FIRST, "toy-2", 1.0), ("random", "toy-3", 0.5)])
def test_a_response_finds_what_can_be_exploited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], agent: str, task: str, share: float
) -> None:
    responses = main(Options(agent, task, share=share, out=tmp_path, **SMALL))
    assert [response.seed for response in responses] == [0, 1]
    assert min(response.gain.low for response in responses) > 0.15
    # The budget is the response's own decisions; the last rollout, of 64 * 16 decisions, is finished.
    assert all(0 <= response.decisions - SMALL["decisions"] < 1024 for response in responses)
    stored = json.loads((tmp_path / RESULT_FILE).read_text(encoding="utf-8"))
    assert [one["gain"] for one in stored["responses"]] == [list(response.gain) for response in responses]
    assert stored["lower_bound"] == lower_bound(responses) == max(response.gain.low for response in responses)
    assert (stored["task"], stored["agent"]["given"]) == (f"{task}-v1", agent)
    printed = capsys.readouterr().out
    assert "a deviator gains at least" in printed
    # The response's file holds the player that was measured.
    assert NetworkAgent.load(tmp_path / "response-seed1.safetensors", game=toy_game.GAME).network.header["decisions"]


def test_only_decisions_of_the_response_count() -> None:
    trainer = ResponseTrainer(arguments_for(Options("random", "toy-3", share=1.0), TASKS["toy-3"], 0, None))
    trainer.collect()
    assert trainer.decisions / (64 * 16) == pytest.approx(1 / 3, abs=0.05)  # it holds one of three seats


def test_an_interrupted_run_keeps_its_finished_responses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = Response(0, Estimate(0.1, 0.05, 0.15), 400, 16_384, 1.0)

    def measured(options: Options, task: NamedTask, agent: Any, seed: int, advance: Any) -> Response:
        if seed:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(deviation, "measure", measured)
    with pytest.raises(KeyboardInterrupt):
        main(Options(FIRST, "toy-2", out=tmp_path, **SMALL))
    assert [one["seed"] for one in json.loads((tmp_path / RESULT_FILE).read_text(encoding="utf-8"))["responses"]] == [0]


def test_a_tie_is_no_gain_and_several_intervals_hold_together() -> None:
    assert gain_of(np.full(50, 0.5), 2) == (0, 0, 0)
    assert gain_of(np.full(50, 1 / 3), 3) == pytest.approx((0, 0, 0), abs=1e-8)
    shares = np.random.default_rng(0).random(60)
    one, many = gain_of(shares, 2), gain_of(shares, 2, intervals=10)
    assert one.value == many.value == pytest.approx(shares.mean() - 0.5)
    assert many.low < one.low < one.value < one.high < many.high


def test_the_bound_is_the_highest_lower_end_and_never_negative() -> None:
    def response(value: float, low: float) -> Response:
        return Response(0, Estimate(value, low, 1.0), 100, 1024, 1.0)

    assert lower_bound([response(0.2, 0.05), response(0.15, 0.1)]) == 0.1
    assert lower_bound([response(-0.2, -0.3)]) == 0


def test_a_copy_of_the_agent_gains_nothing(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # With steps of no length, a response that begins with the agent's weights stays the agent.
    monkeypatch.setitem(deviation.AS_A_GOOD_PLAYER, "learning_rate", 1e-30)
    options = Options(str(model), "toy-2", 1024, (3,), from_agent=True, games=100, out=tmp_path / "out")
    (response,) = main(options)
    assert response.gain.value == pytest.approx(0, abs=1e-9)
    begun = NetworkAgent.load(options.out / "response-seed3.safetensors", game=toy_game.GAME)
    agent = NetworkAgent.load(model, game=toy_game.GAME)
    for name, array in agent.network.used().items():
        np.testing.assert_allclose(begun.network.used()[name], array, atol=1e-20)
    assert begun.lineage.ancestors


def test_without_from_agent_a_response_begins_afresh(model: Path, toy: NamedTask) -> None:
    agent = opponents.load(str(model), game=toy_game.GAME)
    options = Options(str(model), "toy-2", 1024)
    made = []
    for seed in (1, 2, 1):
        trainer = respond(options, toy, agent, seed)
        made.append([parameter.detach().numpy().copy() for parameter in trainer.network.parameters()])
    assert [len(array) for array in made[0]] != [len(array) for array in agent.network.used().values()]
    assert all((first == again).all() for first, again in zip(made[0], made[2], strict=True))
    assert not all((first == other).all() for first, other in zip(made[0], made[1], strict=True))


@pytest.mark.parametrize("task", ["dunaia-2", "dune-duel"])
def test_a_response_can_begin_as_the_champion(task: str) -> None:
    options = Options("champion", task, from_agent=True)
    found, agent = check(options)
    assert isinstance(agent, NetworkAgent)
    arguments = arguments_for(options, found, 0, agent.network)
    trainer = Trainer(replace(arguments, lanes=2, steps=2, minibatches=1))
    deviation.begin_as(trainer, agent.network, "champion")
    assert isinstance(trainer.network, PolicyNetwork) == (agent.network.architecture == "perceptron")
    lanes = trainer.lanes
    logits, _ = agent.network.evaluate(lanes.observations)
    own = trainer.network(torch.from_numpy(lanes.observations[:, : trainer.input_size])).logits.detach().numpy()
    np.testing.assert_allclose(own, logits, atol=2e-3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "dune-9"}, "task: expected one of .*, got 'dune-9'"),
        ({"agent": "nobody"}, "agent 'nobody': expected one of"),
        ({"decisions": 1000}, "decisions: expected at least 1,024, got 1,000"),
        ({"games": 3}, "games: expected at least 4, got 3"),
        ({"seeds": ()}, "seeds: expected at least one, and none twice, got none"),
        ({"seeds": (1, 1)}, "seeds: expected at least one, and none twice, got 1 1"),
        ({"seeds": (-1,)}, r"seeds: expected numbers in 0\.\.4294967295, got -1"),
        ({"share": 0.0}, "share: expected more than 0, got 0.0"),
        ({"share": 1.5}, r"share: expected a number in 0\.\.1, got 1.5"),
        ({"share": float("nan")}, "share: expected a finite number, got nan"),
        ({"from_agent": True}, "from_agent: expected a model file, or the name of one, got 'random'"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    options = replace(Options("random", "toy-2", out=tmp_path), **changes)
    with pytest.raises(ValueError, match=f"^{message}"):
        check(options)


def test_results_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / RESULT_FILE).touch()
    with pytest.raises(ValueError, match=rf"^out: expected a folder without {RESULT_FILE}, got "):
        main(Options("random", "toy-2", out=tmp_path))
