"""Effects on many component files: which numbers differ, and runs that continue."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.balance.robustness import Options, _mean_correlation, differences, draw_files, main, numbers_of
from dunaia_env.harness.registry import DEFAULT_GAME

pytestmark = pytest.mark.once

GAME = DEFAULT_GAME
OWN = GAME.load(None)
change = GAME.require("change")


def test_texts_are_counted_and_long_lists_added_up() -> None:
    values = {"a": 3, "b.0": 1, "b.1": "line", **{f"c.{one}.n": one for one in range(7)}}
    values |= {f"c.{one}.t": "red" for one in range(3)}
    expected = {"a": 3, "b.0": 1, "b.1=line": 1, "c.*.n": 21, "c.*.t=red": 3}
    assert numbers_of(values) == expected
    short = {"c.0.n": 4, "c.1.n": 5}
    assert numbers_of(short) == short


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"prices.level_2": [2, 5]}, {"prices.level_2.1": 5}),
        ({"start.flowers.1": 3}, {"start.flowers.1": 3}),
        (
            {"level_2.tiles.20.effect": "moves"},
            {"level_2.tiles.*.effect=chips": 3, "level_2.tiles.*.effect=moves": 5},
        ),
        ({"level_2.tiles.20.steps": 5}, {"level_2.tiles.*.steps": 38}),
        (
            {"prophecies.group_c.0.shape": "corners"},
            {"prophecies.group_c.0.shape=corners": 1, "prophecies.group_c.0.shape=line": 0},
        ),
    ],
)
def test_differences_are_the_values_that_were_changed(changes: dict[str, Any], expected: dict[str, float]) -> None:
    assert differences(GAME, change(OWN, changes), OWN) == expected


def test_files_are_drawn_once() -> None:
    files = draw_files(GAME, 3, first_seed=5, others=[None, change(OWN, {"prices.level_1": [2, 2]})])
    assert files[0] == OWN
    assert len(files) == 5
    assert files[2] == GAME.require("load_family")(GAME.plausible_family).sample(5)
    assert draw_files(GAME, 1, first_seed=5, family="own")[1] == GAME.require("load_family")(None).sample(5)
    with pytest.raises(ValueError, match="no plausible family; expected own or a family file"):
        draw_files(replace(GAME, plausible_family=""), 1)


def test_what_is_documented_is_the_same_in_all_files() -> None:
    documented = ("start", "dice", "fragments", "markers", "artefacts", "scoring", "characters")
    family = GAME.require("load_family")(GAME.plausible_family)
    wide = GAME.require("load_family")(None)
    different: set[str] = set()
    for seed in range(60):
        member = family.sample(seed)
        different |= {path.partition(".")[0] for path in differences(GAME, member, OWN)}
        assert wide.outside(member) == ""
        assert member.record["elder_costs"][0, -1].tolist() == [5, 6]
        assert 3 in member.record["prices"][0, 2]
    assert different.isdisjoint(documented)
    assert different == {"village", "prices", "construction", "elders", "prophecies", "level_1", "level_2", "level_3"}


def options(folder: Path, **given: Any) -> Options:
    given = {"agent": "random", "members": 1, "blocks": 2, "kinds": ("absent", "assigned"), "jobs": 1} | given
    return Options(out=folder, **given)


def test_a_run_continues(tmp_path: Path) -> None:
    first = main(options(tmp_path / "run"))
    whole = main(options(tmp_path / "whole", members=2))
    before = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "run" / "files").iterdir()}
    again = main(options(tmp_path / "run", members=2))
    after = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "run" / "files").iterdir()}
    assert len(before) == 2
    assert before.items() < after.items()
    assert (tmp_path / "run" / "robustness.json").read_bytes() == (tmp_path / "whole" / "robustness.json").read_bytes()
    assert again.files == whole.files
    assert again.effects.shape == (3, 2 + 8) == again.errors.shape
    assert again.values.shape == (3, len(again.paths))
    assert again.effects[:2].tolist() == first.effects.tolist()
    # Shares of a game sum to 1, so the effects of the seats cancel.
    seats = [again.subjects.index(f"absent:seat {seat}") for seat in (0, 1)]
    assert np.abs(again.effects[:, seats].sum(axis=1)).max() < 1e-9
    content = json.loads((tmp_path / "run" / "robustness.json").read_text())
    assert [one["hash"] for one in content["files"]] == [one.hash for one in whole.files]
    assert len(content["correlations"]) == len(again.subjects)
    family = GAME.require("load_family")(GAME.plausible_family)
    varied = again.paths.index(next(iter(differences(GAME, family.sample(0), OWN))))
    assert again.values[1, varied] != again.values[0, varied]


def test_common_seeds_make_noise_common() -> None:
    random = np.random.default_rng(0)
    common, own = random.normal(size=400), random.normal(size=(30, 400))
    noise = np.sqrt(0.1) * common + np.sqrt(0.9) * own
    assert _mean_correlation(noise.tolist()) == pytest.approx(0.1, abs=0.02)
    assert _mean_correlation(own.tolist()) == pytest.approx(0.0, abs=0.01)
    for nothing in ([[1.0, 2.0]], [[1.0, 1.0], [1.0, 2.0]], [[], [1.0]]):
        assert np.isnan(_mean_correlation(nothing))


def test_another_plan_and_damaged_files_are_refused(tmp_path: Path) -> None:
    main(options(tmp_path, members=0, kinds=("absent",)))
    with pytest.raises(ValueError, match=r"plan.json: blocks 2 stored, 3 requested"):
        main(options(tmp_path, members=0, kinds=("absent",), blocks=3))
    file = tmp_path / "files" / f"{OWN.hash}.json"
    for content, message in (("{", "not JSON"), ('{"hash": "x"}', f"not the result of components {OWN.hash}")):
        file.write_text(content)
        with pytest.raises(ValueError, match=message):
            main(options(tmp_path, members=0, kinds=("absent",)))


def test_an_agent_that_does_not_know_the_files_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "far.toml"
    text = GAME.require("load_family")(None).text_of(change(OWN, {"prices.level_1": [40, 50]}))
    file.write_text(text)
    with pytest.raises(ValueError, match="--agent greedy plays every component file"):
        main(options(tmp_path / "run", members=0, files=(file,), agent="champion"))
