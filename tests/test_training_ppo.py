"""The trainer on the toy game: it needs nothing but what a game declares, and it learns."""

from __future__ import annotations

import io
import os
import signal
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from rich.console import Console  # noqa: E402

from agents.model import digest  # noqa: E402
from agents.network import Network, NetworkAgent  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError  # noqa: E402
from tests import toy_game  # noqa: E402
from training import __main__ as command, compute, ppo  # noqa: E402
from training.arguments import Arguments  # noqa: E402
from training.models.lineage import commands  # noqa: E402
from training.past_players import PastPlayers  # noqa: E402
from training.ppo import PolicyNetwork, PPOArguments  # noqa: E402
from training.running import checkpoint, reporting, resume  # noqa: E402
from training.running.checkpoint import FILE, CheckpointError, load  # noqa: E402
from training.running.health import DivergenceError  # noqa: E402
from training.trainer import MODEL_FILE, Trainer  # noqa: E402

pytestmark = pytest.mark.compiled

FIXED: dict[str, Any] = {
    "game": "tests.toy_game",
    "game_options": {"hand": 8},
    "lanes": 32,
    "steps": 16,
    "layers": 1,
    "width": 32,
    "minibatches": 2,
    "opponents": ("random",),
    "final_games": 40,
    "device": "cpu",
    "threads": 1,
    "engine_threads": 1,
    "precision": "fp32",
    "compile": "off",
}


def toy_trainer(**changes: Any) -> Trainer:
    trainer = Trainer(Arguments(**{**FIXED, **changes}))
    before = torch.get_num_threads()
    trainer.prepare()
    torch.set_num_threads(before)
    return trainer


def weights(trainer: Trainer) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().copy() for name, tensor in trainer.network.state_dict().items()}


def update(trainer: Trainer, times: int) -> None:
    for _ in range(times):
        trainer.learn(trainer.collect())


def test_learns_the_toy_game() -> None:
    trainer = toy_trainer(lanes=128, decisions=120_000, learning_rate=3e-3)
    assert trainer.play("random", 400, 1).interval()[0] < 0.7
    while trainer.progress() < 1:
        update(trainer, 1)
    # Who always bids the highest card wins 88 of 100 games.
    assert trainer.play("random", 400, 1).interval()[0] > 0.83


def test_learns_with_two_and_three_players_at_once() -> None:
    trainer = toy_trainer(lanes=128, players=(3, 2), decisions=120_000, learning_rate=3e-3)
    while trainer.progress() < 1:
        update(trainer, 1)
    assert trainer.play("random", 600, 1).interval()[0] > 0.7  # a fair share is a third


def test_repeats_bit_for_bit() -> None:
    first, second = toy_trainer(decisions=4096), toy_trainer(decisions=4096)
    update(first, 3)
    update(second, 3)
    for name, array in weights(first).items():
        np.testing.assert_array_equal(array, weights(second)[name])


def test_the_first_weights_do_not_depend_on_the_number_of_threads() -> None:
    before, made = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        network = PolicyNetwork(torch.ones(600), 100, 4, widths=[256, 256], seed=3)
        made.append([parameter.detach().numpy() for parameter in network.parameters()])
        assert torch.get_num_threads() == threads
    torch.set_num_threads(before)
    for one, other in zip(*made, strict=True):
        np.testing.assert_array_equal(one, other)


def assert_resumes_alike(folder: Path, **options: Any) -> tuple[Trainer, Trainer]:
    """A trainer that went on without a break, and one that was saved and restored: they have the same weights."""
    straight, broken, resumed = (toy_trainer(**options) for _ in range(3))
    update(straight, 6)
    update(broken, 3)
    broken.save(folder)
    resumed.restore(folder)
    update(resumed, 3)
    for name, array in weights(straight).items():
        np.testing.assert_array_equal(array, weights(resumed)[name])
    return straight, resumed


def test_resuming_changes_nothing(tmp_path: Path) -> None:
    straight, resumed = assert_resumes_alike(tmp_path, decisions=8192)
    for name in ("updates", "decisions", "games"):
        assert getattr(resumed, name) == getattr(straight, name)
    assert resumed.random.bit_generator.state == straight.random.bit_generator.state


def test_resuming_with_past_players_changes_nothing(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "decisions": 8192,
        "past_share": 0.5,
        "past_updates": 1,
        "past_kept": 2,
        "players": (2, 3),
    }
    assert_resumes_alike(tmp_path, **options)


def test_past_players_decide_at_their_tables_and_nothing_is_learned_from_them() -> None:
    trainer = toy_trainer(past_share=0.5, players=(3,), decisions=10**6)
    shift = torch.zeros(trainer.lanes.num_actions)
    shift[0] = 100.0
    with torch.no_grad():
        trainer.network.policy.bias += shift  # a past player bids 0 wherever that is legal
    trainer.past_players.add(trainer.network, np.random.default_rng(0))
    with torch.no_grad():
        trainer.network.policy.bias -= 2 * shift  # the present one never does
    trainer.updates = 1
    trainer.collect()
    rollout, rows, tables = trainer.rollout, slice(trainer.rollout.first_row, None), trainer.past_players.tables
    by_past, zero_is_legal = rollout.seats[rows] < 0, rollout.action_masks[rows, :, 0] == 1
    only = rollout.action_masks[rows].sum(axis=2) == 1
    assert tables.sum() == 16
    assert not by_past[:, ~tables].any()
    assert 0.5 < by_past[:, tables].mean() < 0.8  # two of three seats
    assert (rollout.actions[rows][by_past & zero_is_legal] == 0).all()
    assert (rollout.actions[rows][~by_past & zero_is_legal & ~only] != 0).all()


class First:
    """Chooses the first legal action, and counts its decisions."""

    decisions = 0

    def act_batch(self, lanes: Any, selected: Any) -> Any:
        self.decisions += len(selected)
        return lanes.action_masks[selected].argmax(axis=1)


class Last(First):
    """Chooses the last legal action."""

    def act_batch(self, lanes: Any, selected: Any) -> Any:
        self.decisions += len(selected)
        return lanes.num_actions - 1 - lanes.action_masks[selected, ::-1].argmax(axis=1)


def test_rivals_decide_at_their_tables_and_nothing_is_learned_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    agents = {"first": First(), "last": Last()}
    monkeypatch.setattr("training.trainer.opponents.load", lambda name, **_: agents[name])
    options = {"past_share": 0.25, "rivals": tuple(agents), "rival_share": 0.5, "players": (3,), "decisions": 10**6}
    trainer = toy_trainer(**options, opponents=())
    trainer.collect()
    rollout, rows = trainer.rollout, slice(trainer.rollout.first_row, None)
    past, others = trainer.past_players.tables, trainer.other_tables
    rivals = np.flatnonzero(others & ~past)
    assert (past.sum(), len(rivals), (~others).sum()) == (8, 16, 8)
    by_another, masks, actions = rollout.seats[rows] < 0, rollout.action_masks[rows], rollout.actions[rows]
    assert not by_another[:, ~others].any()
    ends = masks.argmax(axis=2), masks.shape[2] - 1 - masks[:, :, ::-1].argmax(axis=2)
    for number, (agent, expected) in enumerate(zip(agents.values(), ends, strict=True)):
        own = rivals[number::2]
        decided = by_another[:, own]
        assert 0.5 < decided.mean() < 0.8  # two of three seats
        assert decided.sum() == agent.decisions
        np.testing.assert_array_equal(actions[:, own][decided], expected[:, own][decided])
        assert (actions[:, own][~decided] != expected[:, own][~decided]).any()


@pytest.mark.parametrize("changes", [{"rivals": ("greedy",)}, {"rival_share": 0.25}])
def test_a_resumed_run_keeps_its_rivals(tmp_path: Path, changes: dict[str, Any]) -> None:
    options: dict[str, Any] = {"rivals": ("random",), "rival_share": 0.5}
    toy_trainer(**options).save(tmp_path)
    with pytest.raises(CheckpointError, match=f"{next(iter(changes))} was .* and cannot become"):
        toy_trainer(**options | changes).restore(tmp_path)


def test_resuming_with_rivals_changes_nothing(tmp_path: Path) -> None:
    options: dict[str, Any] = {"decisions": 8192, "rivals": ("greedy",), "rival_share": 0.5, "players": (2, 3)}
    assert_resumes_alike(tmp_path, **options)


def past_players(trainer: Trainer, capacity: int) -> PastPlayers:
    return PastPlayers(trainer.network, np.ones(1, np.bool_), trainer.compute.forward_past, capacity=capacity)


def test_past_players_make_room_for_new_ones() -> None:
    trainer, kept_ever = toy_trainer(), set()
    for seed in range(60):
        past, random = past_players(trainer, 3), np.random.default_rng(seed)
        for number in range(8):
            with torch.no_grad():
                trainer.network.policy.bias[:] = number
            past.add(trainer.network, random)
        kept = [float(snapshot["policy.bias"][0]) for snapshot in past.snapshots]
        assert len(kept) == 3
        assert kept[-1] == 7
        assert sorted(kept) == kept
        kept_ever.update(kept)
    assert kept_ever == set(range(8))  # each may stay
    again = past_players(trainer, 3)
    again.restore(past.arrays(), torch.device("cpu"))
    assert [float(snapshot["policy.bias"][0]) for snapshot in again.snapshots] == kept


def test_every_seats_value_and_score_are_learned() -> None:
    trainer = toy_trainer(
        lanes=128, players=(2, 3), decisions=120_000, learning_rate=3e-3, score_weight=0.5, gae_lambda=1.0
    )
    while trainer.progress() < 1:
        update(trainer, 1)
    # At the first decision nobody has points yet: only the cards of one's own hand make a seat better than another.
    trainer.lanes.reset(5)
    seen = trainer.lanes.observations[:, : trainer.input_size]
    trainer.compute.begin_rollout()
    said = trainer.estimate()
    three = trainer.lanes.num_players == 3
    present = np.arange(3) < trainer.lanes.num_players[:, None]
    hand = seen[:, : toy_game.CARDS] @ np.arange(toy_game.CARDS)
    assert np.abs(said[1][present]).mean() < 0.4
    assert np.abs(said[2][~present]).max() < 0.1
    for table, rounds in ((three, 2), (~three, 5)):
        assert np.corrcoef(said[1][table, 0], hand[table])[0, 1] > 0.7
        # The prizes, of which the first lies open and the others are worth 3 on average, are shared out.
        points, prize = 20 * said[2][table].sum(axis=1), seen[table, toy_game.PRIZE_AT]
        assert points.mean() == pytest.approx((prize + 3 * (rounds - 1)).mean(), rel=0.25)
        assert np.corrcoef(points, prize)[0, 1] > 0.6


def test_losses_that_are_no_numbers_stop_the_run_and_the_checkpoint_stays(tmp_path: Path) -> None:
    trainer = toy_trainer(decisions=10**6)
    update(trainer, 1)
    trainer.save(tmp_path)
    before = (tmp_path / FILE).read_bytes()
    with torch.no_grad():
        trainer.network.value.weight[0, 0] = torch.nan
    with pytest.raises(
        DivergenceError, match=r"losses: expected finite numbers, got .* after update 2\. Resume from the last"
    ):
        command.train(trainer, tmp_path, console())
    assert (tmp_path / FILE).read_bytes() == before


def test_other_components_are_refused_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = toy_trainer(decisions=10**6)
    update(trainer, 1)
    trainer.save(tmp_path)
    monkeypatch.setitem(vars(toy_game.GAME), "load", lambda source: toy_game.load(30 if source is None else source))
    with pytest.raises(CheckpointError, match=r"components_hash 'sealed bids to 40' \(here 'sealed bids to 30'\)"):
        toy_trainer(decisions=10**6).restore(tmp_path)
    changed = toy_trainer(decisions=10**6, allow_other_components=True)
    changed.restore(tmp_path)
    np.testing.assert_array_equal(weights(changed)["policy.weight"], weights(trainer)["policy.weight"])
    update(changed, 1)
    changed.save(tmp_path)
    assert load(tmp_path / FILE)[1]["other_components"] == ["sealed bids to 40"]
    assert changed.player().network.header["other_components"] == ["sealed bids to 40"]
    where = console()
    reporting.report(changed, tmp_path, where)
    assert "Trained before for other components: sealed bids to 40" in printed(where)


def test_the_margin_counts_less_and_less() -> None:
    trainer = toy_trainer(margin=0.5, reward="score", decisions=10**5)
    plain = toy_trainer(reward="score", decisions=10**5)
    for one in (trainer, plain):
        one.decisions = 50_000
        one.collect()
    ended = plain.rollout.terminations
    assert np.abs(plain.rollout.rewards[ended]).sum() > 0
    np.testing.assert_allclose(trainer.rollout.rewards, plain.rollout.rewards * 1.25, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"past_share": 1.5}, "past_share: expected a number in 0..1, got 1.5"),
        ({"past_kept": 0}, "past_kept: expected more than 0, got 0"),
        ({"rival_share": -0.1}, "rival_share: expected a number in 0..1, got -0.1"),
        (
            {"past_share": 0.8, "rivals": ("greedy",)},
            "rival_share: expected at most 1 together with the tables of past players, got 1.05",
        ),
    ],
)
def test_wrong_options_of_past_players_and_rivals_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        toy_trainer(**changes)


def test_a_checkpoint_says_what_it_is(tmp_path: Path) -> None:
    trainer = toy_trainer()
    update(trainer, 1)
    trainer.save(tmp_path)
    assert resume.read(tmp_path / FILE).arguments == trainer.arguments
    _, header = load(tmp_path / FILE)
    assert header["counters"]["decisions"] == 32 * 16
    assert header["action_hash"] == toy_game.ACTION_TABLE.hash
    assert header["versions"]["numpy"] == np.__version__


def test_a_checkpoint_tells_of_every_part_of_the_run(tmp_path: Path) -> None:
    first = toy_trainer(decisions=8192)
    update(first, 2)
    first.save(tmp_path)
    second = toy_trainer(decisions=8192, run="elsewhere", resume=True)
    second.restore(tmp_path)
    assert second.history == first.history
    third = toy_trainer(decisions=8192, epochs=4)
    third.restore(tmp_path)
    third.save(tmp_path)
    # Of parts that nothing was learned in, only the last one counts.
    fourth = toy_trainer(decisions=8192, epochs=5)
    fourth.restore(tmp_path)
    update(fourth, 1)
    fourth.save(tmp_path)
    history = resume.read(tmp_path / FILE).history
    assert [(part.decisions, part.arguments.epochs) for part in history] == [(0, 2), (1024, 5)]
    assert history[1].seconds == fourth.seconds


def test_a_resumed_run_keeps_its_network(tmp_path: Path) -> None:
    toy_trainer().save(tmp_path)
    with pytest.raises(CheckpointError, match="width was 32 and cannot become 16; start a new run"):
        toy_trainer(width=16).restore(tmp_path)


def test_a_checkpoint_of_another_game_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = toy_trainer()
    trainer.save(tmp_path)
    monkeypatch.setitem(vars(trainer.lanes.game), "observation_hash", "another")
    with pytest.raises(CheckpointError, match=r"observation_hash 'c1d71b3188d8e89d' \(here 'another'\)"):
        trainer.restore(tmp_path)


def console() -> Console:
    return Console(file=io.StringIO(), width=200)


def printed(where: Console) -> str:
    assert isinstance(where.file, io.StringIO)
    return where.file.getvalue()


def test_train_and_report(tmp_path: Path) -> None:
    trainer, where = toy_trainer(decisions=4096, evaluation_seconds=0.0, evaluation_games=20), console()
    assert command.train(trainer, tmp_path, where) is None
    reporting.report(trainer, tmp_path, where)
    assert "wins against random" in printed(where)
    assert "of 40 games in 20 seat-balanced blocks" in printed(where)
    assert {FILE, MODEL_FILE, reporting.RESULTS_FILE} <= {path.name for path in tmp_path.iterdir()}
    assert list(tmp_path.glob("events.out.tfevents.*"))


def test_a_signal_stops_where_the_state_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = toy_trainer(decisions=10**9)
    learn = trainer.learn

    def stop_in_the_middle(bootstrap: Any) -> None:
        if trainer.updates == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        learn(bootstrap)

    monkeypatch.setattr(trainer, "learn", stop_in_the_middle)
    before = signal.getsignal(signal.SIGTERM)
    assert command.train(trainer, tmp_path, console()) == "SIGTERM"
    assert signal.getsignal(signal.SIGTERM) == before
    assert load(tmp_path / FILE)[1]["counters"]["updates"] == 2


def test_without_a_compiler_it_says_so_and_stays_eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute.shutil, "which", lambda name: None)
    trainer = Trainer(Arguments(**{**FIXED, "compile": "auto", "differences": "off"}))
    before = torch.get_num_threads()
    assert "no C++ compiler" in trainer.prepare()
    torch.set_num_threads(before)


def test_a_failing_compiler_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no such header\nand more")

    monkeypatch.setattr(torch, "compile", broken)
    trainer = Trainer(Arguments(**{**FIXED, "compile": "on"}))
    before = torch.get_num_threads()
    assert "torch.compile failed (no such header)" in trainer.prepare()
    torch.set_num_threads(before)
    update(trainer, 1)


def test_a_failing_compiler_that_says_nothing_is_no_obstacle_either(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(torch, "compile", broken)
    trainer = Trainer(Arguments(**{**FIXED, "compile": "on"}))
    before = torch.get_num_threads()
    assert "torch.compile failed (AssertionError)" in trainer.prepare()
    torch.set_num_threads(before)
    update(trainer, 1)


def test_rollouts_of_one_step_begin_with_nothing_to_learn_from_and_go_on(tmp_path: Path) -> None:
    # The next decision belongs to the other player.
    options: dict[str, Any] = {"lanes": 2, "steps": 1, "minibatches": 1, "decisions": 10**6}
    trainer, resumed = toy_trainer(**options), toy_trainer(**options)
    before = weights(trainer)
    update(trainer, 1)
    assert (trainer.updates, trainer.decisions) == (0, 2)
    assert not any(name.startswith("losses/") for name in trainer.metrics)
    for name, array in weights(trainer).items():
        np.testing.assert_array_equal(array, before[name])
    trainer.save(tmp_path)
    update(trainer, 3)
    assert trainer.updates == 3
    assert np.isfinite(trainer.metrics["losses/policy_loss"])
    assert not np.array_equal(weights(trainer)["policy.weight"], before["policy.weight"])
    resumed.restore(tmp_path)
    update(resumed, 3)
    for name, array in weights(trainer).items():
        np.testing.assert_array_equal(array, weights(resumed)[name])


def test_weights_that_leave_their_range_stop_the_run(tmp_path: Path) -> None:
    trainer = toy_trainer()
    with torch.no_grad():
        trainer.network.policy.weight[:] = 3e38
    with pytest.raises(
        DivergenceError,
        match=(
            r"policy: expected weights with which no output exceeds 1e\+38, got larger ones after update 0\. Resume"
            r" from the last checkpoint with a lower --learning-rate"
        ),
    ):
        trainer.save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_every_argument_is_explained() -> None:
    import inspect

    source = inspect.getsource(PPOArguments) + inspect.getsource(Arguments)
    assert source.count('    """') >= len(fields(Arguments))
    assert asdict(Arguments())["players"] == (2,)


def test_the_algorithm_is_one_file_of_at_most_500_lines() -> None:
    assert len(Path(ppo.__file__).read_text(encoding="utf-8").splitlines()) <= 500


def test_learning_rate_and_entropy_fall_in_the_cooldown_only() -> None:
    trainer = toy_trainer(decisions=1000, cooldown=0.25, learning_rate=0.01)
    factors = []
    for trainer.decisions in (0, 750, 875, 1000):
        factors.append(trainer.annealing())
    assert factors == [1.0, 1.0, 0.5, 0.0]
    trainer.decisions = 875 - trainer.arguments.lanes * trainer.arguments.steps
    trainer.learn(trainer.collect())
    assert trainer.optimizer.param_groups[0]["lr"] == pytest.approx(0.005)
    with pytest.raises(ValueError, match="cooldown: expected a number above 0 and up to 1, got 0"):
        toy_trainer(cooldown=0)


def test_the_learning_rate_rises_in_the_first_updates() -> None:
    trainer = toy_trainer(decisions=1_000_000, cooldown=0.01, learning_rate=0.01, warmup=3)
    rates = []
    for _ in range(4):
        trainer.learn(trainer.collect())
        rates.append(trainer.optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([0.01 / 3, 0.02 / 3, 0.01, 0.01])


def test_a_run_begins_with_the_weights_of_a_model(tmp_path: Path) -> None:
    teacher, pupil, other = toy_trainer(seed=1), toy_trainer(seed=2), toy_trainer(width=16)
    teacher.save(tmp_path)
    assert not np.array_equal(weights(teacher)["policy.weight"], weights(pupil)["policy.weight"])
    pupil.load_weights(str(tmp_path / MODEL_FILE))
    for name, array in weights(teacher).items():
        np.testing.assert_array_equal(array, weights(pupil)[name])
    with pytest.raises(ArrayFileError, match=r"hidden.0.bias: expected shape \(16,\), got \(32,\)"):
        other.load_weights(str(tmp_path / MODEL_FILE))
    deeper = toy_trainer(layers=2)
    with pytest.raises(ArrayFileError, match=r"expected 2 hidden layers, but there is no hidden.1.bias"):
        deeper.load_weights(str(tmp_path / MODEL_FILE))


def test_a_player_names_the_weights_that_its_training_began_with(tmp_path: Path) -> None:
    runs = [tmp_path / name for name in ("one", "two", "three")]
    trainers = [toy_trainer(seed=seed, decisions=1000 + seed) for seed in range(3)]
    for trainer, folder, before in zip(trainers, runs, [None, *runs], strict=False):
        if before:
            trainer.load_weights(str(before / MODEL_FILE))
        update(trainer, 1)
        trainer.save(folder)
    players = [NetworkAgent.load(folder / MODEL_FILE, game=toy_game.GAME) for folder in runs]
    first, second, third = (player.network.header for player in players)
    assert "began_with" not in first
    assert first["command"] == commands(trainers[0].history)
    (told,) = second["began_with"]
    assert told == {
        "weights": digest(players[0].network.arrays),
        "name": str(runs[0] / MODEL_FILE),
        "hours": 0.0,
        **{name: first[name] for name in ("version", "decisions", "commit", "command")},
    }
    assert [one["command"] for one in third["began_with"]] == [first["command"], second["command"]]
    assert [one.weights for one in players[2].lineage.ancestors] == [players[1].lineage.own[0], told["weights"]]
    # The checkpoint keeps it, and one that was written before there was such a field says nothing.
    resumed = toy_trainer(seed=2, decisions=1002)
    resumed.restore(runs[2])
    assert resumed.player().lineage == players[2].lineage
    groups, header = checkpoint.load(runs[2] / checkpoint.FILE)
    del header["began_with"]
    checkpoint.save(runs[2] / checkpoint.FILE, groups, header)
    resumed.restore(runs[2])
    assert resumed.player().lineage.ancestors == ()
    spoiled = players[0].network
    Network(spoiled.arrays, spoiled.header | {"began_with": 1}).save(tmp_path / MODEL_FILE)
    with pytest.raises(ArrayFileError, match=r"model\.safetensors: began_with: expected a list, got 1"):
        resumed.load_weights(str(tmp_path / MODEL_FILE))


def test_a_run_begins_with_the_weights_of_a_model_for_larger_tables(tmp_path: Path) -> None:
    teacher, pupil = (toy_trainer(players=players, seed=players[-1]) for players in [(2, 3), (2,)])
    assert teacher.input_size > pupil.input_size
    teacher.save(tmp_path)
    pupil.load_weights(str(tmp_path / MODEL_FILE))
    seen = torch.from_numpy(pupil.lanes.observations[:, : pupil.input_size].copy())
    beyond = torch.zeros(len(seen), teacher.input_size - pupil.input_size, dtype=torch.int8)
    with torch.no_grad():
        said, same = teacher.network(torch.cat([seen, beyond], dim=1)), pupil.network(seen)
    torch.testing.assert_close(said.logits, same.logits)
    torch.testing.assert_close(said.values[:, :2], same.values)
    torch.testing.assert_close(said.scores[:, :2], same.scores)


def test_a_model_without_a_score_head_is_enough(tmp_path: Path) -> None:
    teacher, pupil = toy_trainer(seed=1), toy_trainer(seed=2)
    player = teacher.player().network
    shipped = {name: array for name, array in player.arrays.items() if not name.startswith("score.")}
    Network(shipped, player.header).save(tmp_path / MODEL_FILE)
    before = weights(pupil)["score.weight"]
    pupil.load_weights(str(tmp_path / MODEL_FILE))
    np.testing.assert_array_equal(weights(pupil)["policy.weight"], shipped["policy.weight"])
    np.testing.assert_array_equal(weights(pupil)["score.weight"], before)
    toy_trainer(against=str(tmp_path / MODEL_FILE)).collect()


def test_a_best_response_is_trained_against_a_frozen_model(tmp_path: Path) -> None:
    champion = toy_trainer(players=(2, 3), width=48)
    with torch.no_grad():
        champion.network.policy.bias[0] = 100.0  # bids 0 wherever that is legal
    champion.save(tmp_path)
    trainer = toy_trainer(players=(3,), against=str(tmp_path / MODEL_FILE), past_updates=1)
    with torch.no_grad():
        trainer.network.policy.bias[0] = -100.0  # never does
    for _ in range(3):
        trainer.learn(trainer.collect())
    trainer.collect()
    rollout, rows = trainer.rollout, slice(trainer.rollout.first_row, None)
    frozen, zero_is_legal = rollout.seats[rows] < 0, rollout.action_masks[rows, :, 0] == 1
    others = rollout.action_masks[rows, :, 1:].any(axis=2)
    assert 0.5 < frozen.mean() < 0.8  # two of three seats, at all tables
    assert (rollout.actions[rows][frozen & zero_is_legal] == 0).all()
    assert (rollout.actions[rows][~frozen & zero_is_legal & others] != 0).all()
    trainer.save(tmp_path)
    other = toy_trainer(players=(3,))
    with pytest.raises(CheckpointError, match="against was"):
        other.restore(tmp_path)


def test_a_best_response_goes_on_against_the_same_model_only(tmp_path: Path) -> None:
    model, run = tmp_path / "champion", tmp_path / "run"
    toy_trainer(seed=1).save(model)
    toy_trainer(against=str(model / MODEL_FILE)).save(run)
    toy_trainer(against=str(model / MODEL_FILE)).restore(run)
    toy_trainer(seed=2).save(model)
    with pytest.raises(CheckpointError, match=r"trained against weights \w{8}, but .* now holds \w{8}; put the former"):
        toy_trainer(against=str(model / MODEL_FILE)).restore(run)


def test_a_resumed_run_goes_on_in_as_many_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy_trainer(processes=3).save(tmp_path)
    begun: list[int] = []
    monkeypatch.setattr(command, "run_processes", lambda command, count: begun.append(count) or 0)
    for more in ([], ["--processes", "2"]):
        monkeypatch.setattr("sys.argv", ["ppo", "--resume", "--run", str(tmp_path), *more])
        assert command.main() == 0
    assert begun == [3, 2]
