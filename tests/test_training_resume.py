"""Going on with a run: only from what such a run has saved, and only one process at a time."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.network import MODEL_FORMAT  # noqa: E402
from dunaia_env.support.array_files import write_arrays  # noqa: E402
from tests import toy_game  # noqa: E402
from tests.test_training_ppo import toy_trainer, update, weights  # noqa: E402
from training import __main__ as command  # noqa: E402
from training.running import checkpoint, resume  # noqa: E402
from training.running.checkpoint import FILE, CheckpointError, lock_run  # noqa: E402

pytestmark = pytest.mark.once

Groups = dict[str, dict[str, Any]]
Change = Callable[[Groups, dict[str, Any]], object]
OPTIONS: dict[str, Any] = {"decisions": 8192, "past_share": 0.5, "past_updates": 1, "players": (2, 3)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    trainer = toy_trainer(**OPTIONS)
    update(trainer, 2)
    trainer.save(folder)
    return folder / FILE


def changed(saved: Path, folder: Path, change: Change) -> Path:
    """A copy of a checkpoint with other content and the checksum of that."""
    groups, header = checkpoint.load(saved)
    groups = {group: {name: array.copy() for name, array in arrays.items()} for group, arrays in groups.items()}
    change(groups, header)
    checkpoint.save(folder / FILE, groups, header)
    return folder / FILE


def set_header(*path: str, to: Any) -> Change:
    def change(_: Groups, header: dict[str, Any]) -> None:
        for name in path[:-1]:
            header = header[name]
        header[path[-1]] = to

    return change


def set_array(group: str, name: str, to: Any) -> Change:
    def change(groups: Groups, _: dict[str, Any]) -> None:
        array = groups[group][name]
        groups[group][name] = to(array) if callable(to) else np.full_like(array, to)

    return change


def without(name: str) -> Change:
    return lambda groups, header: header.pop(name)


MAY_BE_NONE = ("commit", "frozen", "family", "family_hash")
KEYS = sorted(resume._Header.__annotations__.keys() - {"format", "schema", "checksum"})
HEADERS: list[tuple[Change, str]] = [
    *((without(name), f"(header|game): .*{name}") for name in KEYS if name != "began_with"),
    *((set_header(name, to=None), f"(header|game): .*{name}") for name in KEYS if name not in MAY_BE_NONE),
    (set_header("arguments", to=[]), "header: .*arguments"),
    (set_header("arguments", "width", to=16), "width was 16 and cannot become 32"),
    (set_header("arguments", "lanes", to="many"), "header: arguments: lanes: expected a 64-bit integer, got 'many'"),
    (set_header("arguments", "minutes", to=math.nan), "header: arguments: minutes: expected a finite number, got nan"),
    (set_header("arguments", "players", to=[2, "x" * 10**6]),
     r"header: arguments: players\[1\]: expected a 64-bit integer, got 'xx"),
    (set_header("arguments", "compile", to="perhaps"),
     "header: arguments: compile: expected one of 'auto', 'on', 'off', got 'perhaps'"),
    (set_header("counters", "updates", to=-1), "header: counters.updates: expected at least 0, got -1"),
    (set_header("counters", "seconds", to=math.inf), "header: counters.seconds: expected a finite number, got inf"),
    (set_header("counters", "games", to="x"), "header: .*games"),
    (set_header("random", "state", to={}), "header: random: no state of a random generator"),
    (set_header("random", "bit_generator", to="MT19937"), "header: random: no state of a random generator"),
    (set_header("random", "state", "state", to=-1), "header: random: no state of a random generator"),
    (set_header("history", to=[{"decisions": 0, "seconds": 0.0, "arguments": None}]), "header: .*history"),
    (set_header("history", to=[1]), "header: .*history"),
    (set_header("other_components", to=[1]), "header: .*other_components"),
    (set_header("began_with", to=["champion"]), r"header: began_with\[0\]: expected a table of fields, got 'champion'"),
    (set_header("frozen", to="x" * 10**5), "trained against weights xx"),
    (set_header("frozen", to="x" * 10**6), "header: frozen: expected a text of at most 100000 characters, got 'xx"),
    (set_header("more", to=1), "header: more: unknown; the fields are format, "),
]  # fmt: skip
ARRAYS: list[tuple[Change, str]] = [
    *((lambda groups, _, name=name: groups.pop(name), f"{name}/.*missing|past: expected at least one")
      for name in resume.GROUPS),
    (lambda groups, _: groups.update(more={"a": np.zeros(1)}), "'more': unknown"),
    (lambda groups, _: groups["network"].update(more=np.zeros(1)), "network/more: unknown"),
    (lambda groups, _: groups["past"].pop("0.policy.bias"), "past/"),
    (lambda groups, _: groups["carried"].pop("improved"), "carried/improved: missing"),
    (set_array("network", "hidden.0.bias", lambda array: array[:16].copy()),
     r"expected float32 \(32,\), got float32 \(16,\)"),
    (set_array("network", "policy.bias", lambda array: array.astype(np.float64)),
     r"network/policy\.bias: expected float32 \(30,\), got float64"),
    (set_array("network", "policy.bias", np.nan), "network/policy.bias: expected numbers, got NaN"),
    (set_array("network", "input_scale", 2), "network/input_scale: not that of the game"),
    (set_array("network", "policy.weight", 3e38), "network: policy: expected weights with which no output exceeds"),
    (set_array("past", "0.input_scale", 2), "past/0.input_scale: not that of the game"),
    (set_array("optimizer", "0.exp_avg_sq", -1), "optimizer/0.exp_avg_sq: expected at least 0, got less"),
    (set_array("optimizer", "0.step", np.inf), "optimizer/0.step: expected numbers, got NaN or infinity"),
    (set_array("past", "0.policy.bias", np.inf), "past/0.policy.bias: expected numbers, got NaN"),
    (set_array("lanes", "states", lambda array: array[:5].copy()), "lanes/states"),
    (set_array("carried", "actions", -1), "carried/actions: expected numbers in 0..29"),
    (set_array("carried", "actions", 30), "carried/actions: expected numbers in 0..29"),
    (set_array("carried", "masks", 0), "carried/actions: one that carried/masks does not allow"),
    (set_array("carried", "seats", 2), "carried/seats: expected its number or -1 in each row"),
    (set_array("carried", "improved", lambda array: np.zeros((*array.shape[:2], 4), np.float16)), "carried/improved"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), [*HEADERS, *ARRAYS])
def test_what_no_such_run_has_saved_is_refused_and_changes_nothing(
    saved: Path, tmp_path: Path, change: Change, message: str
) -> None:
    file = changed(saved, tmp_path, change)
    content, trainer = file.read_bytes(), toy_trainer(**OPTIONS)
    before, random = weights(trainer), trainer.random.bit_generator.state
    with pytest.raises(CheckpointError, match=message) as refused:
        trainer.restore(tmp_path)
    assert str(refused.value).startswith(str(file))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 600 + len(str(file))
    assert file.read_bytes() == content
    assert trainer.random.bit_generator.state == random
    assert trainer.updates == 0
    for name, array in weights(trainer).items():
        np.testing.assert_array_equal(array, before[name])


def test_an_unchanged_copy_is_gone_on_with(saved: Path, tmp_path: Path) -> None:
    changed(saved, tmp_path, lambda groups, header: None)
    trainer = toy_trainer(**OPTIONS)
    trainer.restore(tmp_path)
    assert trainer.updates == 2
    update(trainer, 1)


@pytest.mark.parametrize("where", [0.02, 0.1, 0.5, 0.9, 0.999])
def test_every_changed_byte_is_seen(saved: Path, tmp_path: Path, where: float) -> None:
    content = bytearray(saved.read_bytes())
    content[int(where * len(content))] ^= 1
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(CheckpointError, match=f"{FILE}: (damaged|format)"):
        resume.read(tmp_path / FILE)


def test_bytes_after_the_last_array_are_refused(saved: Path, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(saved.read_bytes() + bytes(2000))
    with pytest.raises(CheckpointError, match="damaged"):
        resume.read(tmp_path / FILE)


@pytest.mark.parametrize("layout", ["state_hash", "lane_hash"])
def test_games_kept_in_another_layout_are_refused(saved: Path, monkeypatch: pytest.MonkeyPatch, layout: str) -> None:
    if layout == "state_hash":
        monkeypatch.setitem(vars(toy_game.GAME), "state_hash", "another state")
    else:
        monkeypatch.setattr(checkpoint, "LANE_HASH", "another lane")
    with pytest.raises(
        CheckpointError, match=rf"made for another game, or another version of the game: {layout} '.*' \(here 'another"
    ):
        toy_trainer(**OPTIONS).restore(saved.parent)


def test_fewer_past_players_can_be_kept_than_before(saved: Path) -> None:
    trainer = toy_trainer(**OPTIONS | {"past_kept": 1})
    trainer.restore(saved.parent)
    update(trainer, 3)
    assert len(trainer.past_players.snapshots) == 1


def refuse(arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The one line that the command says."""
    monkeypatch.setattr("sys.argv", ["ppo", *arguments])
    assert command.main() == 2
    said = capsys.readouterr()
    assert said.err == ""
    assert re.fullmatch(r"training\.ppo: [^\n]+\n", said.out)
    return said.out


def test_the_command_says_in_one_line_what_is_wrong(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = changed(saved, tmp_path / "[red]", without("counters"))
    content = file.read_bytes()
    said = refuse(["--resume", "--run", str(file.parent)], capsys, monkeypatch)
    assert f"{file}: header: counters: missing" in said
    assert file.read_bytes() == content


def test_a_model_file_is_no_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_arrays(tmp_path / FILE, {"a": np.zeros(1)}, {"format": MODEL_FORMAT, "schema": 1})
    assert "expected format 'dunaia-checkpoint', got 'dunaia-network'" in refuse(
        ["--resume", "--run", str(tmp_path)], capsys, monkeypatch
    )


HOLD = """
import pathlib, sys, time
from training.running.checkpoint import lock_run
with lock_run(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_run_belongs_to_one_process_until_that_ends_however_it_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leftover = tmp_path / f".{FILE}.abcd0123.part"
    leftover.touch()
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            assert not leftover.exists()
            leftover.touch()  # as if the holder were writing
            said = refuse(["--run", str(tmp_path), "--lanes", "8"], capsys, monkeypatch)
            assert said == f"training.ppo: {tmp_path}: another process works on this run; wait until it has ended\n"
            assert leftover.exists()
        finally:
            holder.send_signal(signal.SIGKILL)
    with lock_run(tmp_path):
        assert not leftover.exists()
        with pytest.raises(CheckpointError, match="another process works on this run"), lock_run(tmp_path):
            pass
    with lock_run(tmp_path):
        pass


def test_going_on_needs_the_run_for_oneself_too(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = changed(saved, tmp_path, lambda groups, header: None)
    content = file.read_bytes()
    with lock_run(tmp_path):
        assert "another process works" in refuse(["--resume", "--run", str(tmp_path)], capsys, monkeypatch)
    assert file.read_bytes() == content


def test_an_opponent_that_is_none_is_refused_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--run", str(tmp_path / "run"), "--opponents", "random", "nobody"]
    assert "'nobody': expected one of random, " in refuse(arguments, capsys, monkeypatch)
    assert not (tmp_path / "run").exists()


def test_a_new_run_does_not_begin_in_the_folder_of_another(
    saved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "holds a run; continue it with --resume" in refuse(["--run", str(saved.parent)], capsys, monkeypatch)


def test_numbers_in_the_results_are_numbers(saved: Path) -> None:
    length = int.from_bytes(saved.read_bytes()[:8], "little")
    header = json.loads(json.loads(saved.read_bytes()[8 : 8 + length])["__metadata__"]["header"])
    assert header["schema"] == checkpoint.CHECKPOINT_SCHEMA
    assert len(header["checksum"]) == 64
