"""Suggestions: what the numbers do is measured, the smallest change is proposed, and fresh seeds confirm it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.balance import suggest
from dunaia_env.balance.outcomes import Change, Changes, Confirmed, Screening, Suggestion
from dunaia_env.balance.proposals import Proposal, allowed_changes, draw_screening, propose, rank, steps_of
from dunaia_env.balance.suggest import Options, main, read_screening, surrogate_of, variance_of
from dunaia_env.balance.suggest_pages import proposal_rows, sentences, write_screening
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.statistics.intervals import Estimate

pytestmark = pytest.mark.once

GAME = DEFAULT_GAME
OWN = GAME.load(None)
ALLOWED = {
    path: tuple(Change(path, 2, after, abs(after - 2) / 3) for after in (0, 1, 3, 4)) for path in ("a", "b", "c")
}
# Two tables and two roles. A step of a lifts the first role, one of b lifts it half as much and lowers the second one.
SLOPES = np.array(
    [
        [[0.04, 0.0], [0.04, 0.0]],
        [[0.02, -0.06], [0.02, -0.06]],
        [[0.0, 0.01], [0.0, -0.01]],
    ]
)


def proposed(base: list[float], within: float = 0.03, most: int = 2) -> list[Proposal]:
    def expected(several: Sequence[Changes]) -> Any:
        return np.array([base, base]) + np.tensordot(steps_of(several, list(ALLOWED)), SLOPES, 1)

    return propose(ALLOWED, expected, [0], within, most)


def values(proposal: Proposal) -> dict[str, int]:
    return {change.path: change.after for change in proposal.changes}


def test_a_small_change_comes_before_a_large_one_and_one_number_before_two() -> None:
    assert values(proposed([-0.05, 0.0])[0]) == {"a": 3}
    assert values(proposed([-0.09, 0.0])[0]) == {"a": 4}
    best = proposed([-0.12, 0.0])[0]
    assert values(best) == {"a": 4, "b": 3}
    np.testing.assert_allclose(best.effects, [[-0.02, -0.06]] * 2)
    # With one number alone, the nearest is proposed.
    assert values(proposed([-0.12, 0.0], most=1)[0]) == {"a": 4}


def test_what_else_a_change_moves_decides_between_equal_ones() -> None:
    one, other = (Proposal((Change("x", 0, 1, 0.3),), np.array([[0.0, harm]])) for harm in (0.01, 0.2))
    assert rank(one, [0], 0.03) < rank(other, [0], 0.03)
    # A role that is to be fair counts for more than the size of the change.
    far = Proposal((), np.array([[0.05, 0.0]]))
    assert rank(other, [0], 0.03) < rank(far, [0], 0.03)


def screening(noise: float, before: Sequence[Sequence[float]], files: int = 150, seed: int = 0) -> Screening:
    """A screening of the numbers of ALLOWED in a world with SLOPES."""
    random, paths = np.random.default_rng(seed), list(ALLOWED)
    drawn = []
    for _ in range(files):
        chosen = random.permutation(3)[:2]
        drawn.append(tuple(ALLOWED[paths[place]][int(random.integers(4))] for place in sorted(chosen)))
    effects = np.array(before) + np.tensordot(steps_of(drawn, paths), SLOPES, 1)
    effects = effects + noise * random.normal(size=effects.shape)
    return Screening(
        game="game",
        agent="champion",
        agent_version="1",
        components="hash",
        options={},
        players=(2, 4),
        numbers=tuple(paths),
        files=tuple(drawn),
        file_games=(240, 240),
        effects=tuple(tuple(map(tuple, one)) for one in effects.tolist()),
        unchanged_games=(2400, 2400),
        before=tuple(tuple(Estimate(value, value - 0.01, value + 0.01) for value in row) for row in before),
        games=0,
        seed=0,
    )


def test_the_effects_of_steps_are_learned_from_a_screening() -> None:
    steps = steps_of([(Change("a", 2, 4, 1.0), Change("c", 2, 1, 1.0)), ()], ["a", "b", "c"])
    np.testing.assert_array_equal(steps, [[2, 0, -1], [0, 0, 0]])
    # Two roles meet in each game of two players, so each has all 240 games; with four players, 480.
    assert variance_of(240, 2, 2) == pytest.approx(0.25 / 240)
    assert variance_of(240, 4, 2) == pytest.approx(0.1875 / 480)
    learned = surrogate_of(screening(0.03, [[0.1, -0.1], [0.05, -0.05]]))
    np.testing.assert_allclose(learned.expected(np.eye(3)), SLOPES, atol=0.008)


def test_a_screening_of_the_first_version_is_read(tmp_path: Path) -> None:
    stored = screening(0.03, [[0.1, -0.1], [0.05, -0.05]], files=20)
    file = tmp_path / "screening.json"
    # Cycles of two roles have one block at a table of two; 40 blocks of two games with each of 30 files.
    stored = replace(stored, players=(2,), games=40 * 2 * 30, file_games=(80,), unchanged_games=(800,))
    write_screening(tmp_path, stored)
    present = read_screening(file, ["a"], {"seed": 0})
    assert (present.file_games, present.unchanged_games) == ((80,), (800,))
    content = json.loads(file.read_text())
    old = {key: value for key, value in content.items() if key not in ("file_games", "unchanged_games")}
    old |= {"version": 1, "reference": [[0.2, -0.2]]}
    file.write_text(json.dumps(old))
    assert read_screening(file, ["a"], {"seed": 0}) == present
    for wrong in ({"games": 7}, {"reference": 3}, {"players": ["x"]}, {"players": [-1]}):
        file.write_text(json.dumps(old | wrong))
        with pytest.raises(ValueError, match=r"screening\.json: games: expected the number that follows"):
            read_screening(file, ["a"], {"seed": 0})


class World:
    """Trials in a world with SLOPES, except where ``a`` is 4, which does nothing; nothing is played."""

    def __init__(self) -> None:
        self.rounds: dict[Changes, int] = {}
        self.chosen: list[list[Changes]] = []

    def effects(self, changes: Changes) -> Any:
        real = [change for change in changes if (change.path, change.after) != ("a", 4)]
        return np.array([[-0.09, 0.0]] * 2) + np.tensordot(steps_of([real], list(ALLOWED))[0], SLOPES, 1)

    def play(self, several: Sequence[Changes], step: str, rounds: int = 1) -> None:
        self.chosen.append(list(several))
        for changes in several:
            self.rounds[changes] = self.rounds.get(changes, 0) + rounds

    def measured(self) -> Any:
        effects = np.array([self.effects(changes) for changes in self.rounds])
        return list(self.rounds), effects, np.array([[1e-4 / rounds] * 2 for rounds in self.rounds.values()])


def test_a_trial_corrects_what_was_expected() -> None:
    screened = screening(0.02, [[-0.09, 0.0]] * 2)
    world, refused = World(), (Change("a", 2, 4, 2 / 3), Change("b", 2, 1, 1 / 3))
    ranked = suggest._try(world, ALLOWED, lambda changes: changes != refused, screened, [0], Options())
    # The screening says that a=4 is enough, alone or with a small step of c; it is played, and is not.
    assert values(Proposal(world.chosen[0][0], SLOPES[0])) == {"a": 4}
    assert refused not in world.rounds
    best = world.effects(ranked[0])[:, 0]
    assert values(Proposal(ranked[0], SLOPES[0])) == {"a": 3, "b": 4}
    assert abs(best).max() < 0.03
    # What stays among the first gets more games.
    assert max(world.rounds.values()) > 2 > min(world.rounds.values())
    # The last rounds are those of the best ones, which get most.
    assert [len(chosen) for chosen in world.chosen[-2:]] == [8, 4]
    assert ranked[0] in world.chosen[-1]
    assert all(world.rounds[changes] >= 4 for changes in world.chosen[-1])


def test_single_numbers_are_tried_where_the_agent_knows_no_proposed_combination(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def combinations(allowed: Any, expected: Any, columns: Any, within: float, most: int) -> Any:
        return [one for one in propose(allowed, expected, columns, within, most) if len(one.changes) == most]

    monkeypatch.setattr(suggest, "propose", combinations)
    world, screened = World(), screening(0.02, [[-0.2, 0.0]] * 2)
    ranked = suggest._try(world, ALLOWED, lambda changes: len(changes) == 1, screened, [0], Options())
    assert ranked
    assert all(len(changes) == 1 for changes in world.rounds)


def test_numbers_that_may_change_are_amounts() -> None:
    allowed = allowed_changes(GAME, OWN, "greedy", ["characters", "elders", "start.tokens"])
    assert {"characters.mystic.flowers", "elders.flowers", "start.tokens"} <= set(allowed)
    # Places, pieces and single tiles are no amounts.
    assert not any(path.startswith(("village.start_edges", "elders.costs")) for path in allowed)
    found = [change.after for change in allowed["characters.mystic.flowers"]]
    assert found == [0, 1, 3, 4, 5]
    assert allowed["start.tokens"][0] == Change("start.tokens", 3, 1, 2 / 3)
    with pytest.raises(ValueError, match=r"values: expected the beginning of a path such as .*, got 'elder'"):
        allowed_changes(GAME, OWN, "greedy", ["elder"])


def test_the_files_of_the_screening_are_known_to_the_agent() -> None:
    allowed = allowed_changes(GAME, OWN, "champion", ["characters", "prices"])
    family = GAME.require("load_family")(None)
    for changes in draw_screening(GAME, OWN, "champion", allowed, 10, 3):
        made = GAME.require("change")(OWN, {change.path: change.after for change in changes})
        assert family.outside(made) == ""
    assert draw_screening(GAME, OWN, "champion", allowed, 3, 3) == draw_screening(GAME, OWN, "champion", allowed, 3, 3)


def suggestion(verdicts: list[Any], effects: list[float]) -> Suggestion:
    confirmed = tuple(
        Confirmed((Change("a", 2, 3, 0.3),), verdict, ((Estimate(effect, effect - 0.01, effect + 0.01),) * 2,), (9,))
        for verdict, effect in zip(verdicts, effects, strict=True)
    )
    before = ((Estimate(-0.1, -0.11, -0.09),) * 2,)
    return Suggestion("game", "champion", ("one", "two"), ("one",), (2,), 0.03, before, confirmed, 5, 6, 1234, 0)


def test_what_was_found_is_said() -> None:
    fair, rest = sentences(suggestion(["not fair", "fair"], [0.001, 0.01]))
    assert fair == "With a=3 (2), One is within 3 points of the fair share with 2 players."
    assert "The effects of 5 numbers were measured on 6 files, and 2 proposals were played on fresh seeds" in rest
    nothing = suggestion(["not fair", "not fair"], [0.2, 0.1])
    assert nothing.best.effects[0][0].value == 0.1
    assert sentences(nothing)[0].startswith("No change was found with which One is within 3 points")
    assert sentences(suggestion(["not known"], [0.02]))[0].endswith("the games do not decide.")
    both = replace(suggestion(["fair"], [0.01]), chosen=("one", "two"), agent="runs/player/model.safetensors")
    assert sentences(both)[0].startswith("With a=3 (2), One and Two are within 3 points")
    assert "1,234 games were played by player/model, which was not trained" in sentences(both)[1]


def test_what_may_be_fair_comes_before_what_is_not_and_all_confirmed_proposals_are_listed() -> None:
    mixed = suggestion(["not fair", "not known", "not fair"], [0.01, 0.02, 0.03])
    assert mixed.best.verdict == "not known"
    titles, rows = proposal_rows(mixed)
    assert titles == ["changed numbers", "", "2 players"]
    assert [row[1:] for row in rows] == [
        ["not fair", "+1.0 (0.0 to +2.0)"],
        ["may be fair", "+2.0 (+1.0 to +3.0)"],
        ["not fair", "+3.0 (+2.0 to +4.0)"],
    ]
    assert {row[0] for row in rows} == {"a=3 (2)"}
    both = replace(mixed, chosen=("one", "two"))
    assert proposal_rows(both)[1][0][2].startswith("One +1.0")


def test_each_table_plays_as_many_blocks_as_its_precision_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(agent="random", players=(2, 3), precision=0.09, jobs=1)
    tables = suggest._Tables(options, GAME, (2, 3))
    played: list[tuple[int, int, int]] = []
    play_table = tables.play_table

    def spied(step: str, table: int, components: Any, first: int, last: int, seed: int | None = None) -> Any:
        assert seed == options.seed + 1
        played.append((table, first, last))
        return play_table(step, table, components, first, last, seed)

    monkeypatch.setattr(tables, "play_table", spied)
    found = suggest._confirm(tables, (), OWN, [0], 0.5, options)
    assert found.verdict == "fair"
    assert max((one.high - one.low) / 2 for row in found.effects for one in row) <= 0.09
    two, three = ([(first, last) for table, first, last in played if table == own] for own in (0, 1))
    assert three == [(0, 120)]
    assert two[0] == (0, 120)
    assert len(two) > 1
    assert all(end == begin for (_, end), (begin, _) in itertools.pairwise(two))  # every block once
    assert found.blocks == (two[-1][1], 120)


def test_a_judge_plays_other_games_and_as_many_as_the_precision_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(agent="random", players=(2,), precision=0.06, jobs=1)
    tables = suggest._Tables(options, GAME, (2,))
    seeds: list[int | None] = []
    play_table = tables.play_table

    def spied(step: str, table: int, components: Any, first: int, last: int, seed: int | None = None) -> Any:
        seeds.append(seed)
        return play_table(step, table, components, first, last, seed)

    monkeypatch.setattr(tables, "play_table", spied)
    roles = range(len(GAME.require("roles").names))
    early = suggest._confirm(tables, (), OWN, roles, 1e-6, options)
    assert (early.verdict, early.blocks) == ("not fair", (120,))
    assert seeds == [options.seed + 1]
    judged = suggest._confirm(tables, (), OWN, roles, 1e-6, options, judge=True)
    assert judged.verdict == "not fair"
    assert max(one.high - one.low for one in judged.effects[0]) / 2 <= 0.06
    assert set(seeds[1:]) == {options.seed + 2}
    assert len(seeds) > 2


@pytest.mark.long
def test_the_command_plays_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggest, "_TRIAL", 10)
    options = Options(
        role=("mystic",),
        agent="random",
        players=(2,),
        values=("characters.mystic", "scoring"),
        files=6,
        blocks=5,
        precision=0.2,
        within=40.0,
        jobs=1,
        out=tmp_path,
    )
    result = main(options)
    assert result.best.verdict == "fair"
    assert len(result.best.changes) == 1
    assert GAME.load(str(tmp_path / "suggestion.toml")).hash != OWN.hash
    content = json.loads((tmp_path / "suggestion.json").read_text())
    assert content["format"] == "dunaia-balance-suggestion"
    assert sentences(result)[0] in (tmp_path / "suggestion.md").read_text()
    assert "* Mystic" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"role: expected some of merchant, .*, got 'king'"):
        main(Options(role=("king",)))

    # Its screening serves the search for another role, also among fewer numbers.
    file, other = tmp_path / "screening.json", tmp_path / "other"
    again = replace(options, role=("trickster",), values=("scoring",), screening=file, out=other)
    found = main(again)
    assert json.loads((other / "suggestion.json").read_text())["before"] == content["before"]
    assert all(change.path.startswith("scoring") for one in found.confirmed for change in one.changes)
    stored = json.loads(file.read_text())
    assert json.loads((other / "screening.json").read_text()) == stored
    assert stored["games"] == 30 * (6 + 10)
    for changed, message in [
        ({"seed": 1}, r"screening\.json: seed: expected 1, got 0"),
        ({"agent": "greedy"}, r"screening\.json: agent: expected 'greedy', got 'random'"),
        ({"players": (2, 3)}, r"screening\.json: players: expected \(2, 3\), got \(2,\)"),
        ({"values": ("prices",)}, r"screening\.json: numbers: expected prices\..* among them"),
    ]:
        with pytest.raises(ValueError, match=message):
            main(replace(again, **changed))

    # A search that is interrupted leaves its screening.
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(suggest, "_try", stop)
    with pytest.raises(KeyboardInterrupt):
        main(replace(again, screening=None, values=options.values, out=tmp_path / "stopped"))
    assert [path.name for path in (tmp_path / "stopped").iterdir()] == ["screening.json"]
    assert json.loads((tmp_path / "stopped" / "screening.json").read_text()) == stored
