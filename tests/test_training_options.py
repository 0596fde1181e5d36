"""Numbers of commands: finite, and in their ranges."""

from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from dunaia_env.arena import match  # noqa: E402
from dunaia_env.harness.commands import check_numbers, run_command  # noqa: E402
from training import __main__ as command, arguments, sb3_maskable  # noqa: E402
from training.benchmark import comparison, deviation  # noqa: E402
from training.studies import tune  # noqa: E402

pytestmark = pytest.mark.once

COMMANDS: dict[str, tuple[Any, Any]] = {
    "ppo": (arguments.Arguments(), arguments.check),
    "sb3_maskable": (sb3_maskable.Arguments(), sb3_maskable.check),
    "tune": (tune.Options(Path("x")), tune.check),
    "match": (match.Options(("random", "random")), match.main),
    "benchmark": (comparison.Options(Path("x")), comparison.check),
    "deviation": (deviation.Options("random", out=Path("x")), deviation.check),
}
NUMBERS = [
    (command, field.name, type(getattr(options, field.name)))
    for command, (options, _) in COMMANDS.items()
    for field in fields(options)
    if type(getattr(options, field.name)) in (int, float)
]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(("command", "name"), [(one, name) for one, name, kind in NUMBERS if kind is float])
def test_every_number_has_to_be_finite(command: str, name: str, value: float) -> None:
    options, check = COMMANDS[command]
    with pytest.raises(ValueError, match=f"^{name}: expected a finite number, got -?(inf|nan)$"):
        check(replace(options, **{name: value}))


@pytest.mark.parametrize(("command", "name"), [(one, name) for one, name, _ in NUMBERS])
def test_no_number_may_be_negative(command: str, name: str) -> None:
    options, check = COMMANDS[command]
    with pytest.raises(ValueError, match=rf"^(num_)?{name}: expected .*, got -1"):
        check(replace(options, **{name: -1}))


def test_what_is_given_by_default_is_allowed() -> None:
    for name in ("ppo", "sb3_maskable", "tune", "benchmark", "deviation"):
        options, check = COMMANDS[name]
        check(options)


@pytest.mark.parametrize("option", ["minutes", "save-seconds", "evaluation-seconds"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1"])
def test_the_training_command_ends_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, option: str, value: str
) -> None:
    monkeypatch.setattr("sys.argv", ["ppo", "--run", str(tmp_path / "run"), f"--{option}", value])
    assert command.main() == 2
    said = capsys.readouterr().out
    assert re.match(rf"training\.ppo: {option.replace('-', '_')}: expected .*, got {value}(\.0)?\n", said)
    assert said.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_numbers_in_tuples_and_ranges() -> None:
    options = replace(arguments.Arguments(), players=(2, math.nan))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="players: expected a finite number, got nan"):
        check_numbers(options)
    with pytest.raises(ValueError, match=r"discount: expected a number in 0..1, got 1.5"):
        check_numbers(replace(arguments.Arguments(), discount=1.5), shares=("discount",))


def test_a_refused_command_has_the_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> None:
        raise ValueError("games: expected more than 0, got -1")

    assert run_command("dunaia_env.arena.match", refuse) == 2
    assert capsys.readouterr().err == "dunaia_env.arena.match: games: expected more than 0, got -1\n"
    assert run_command("dunaia_env.arena.match", lambda: None) == 0
