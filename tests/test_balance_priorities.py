"""What to change first: the order of the repairs, and what the strength model predicts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dunaia_env.balance.questions.priorities import (
    fitted,
    priorities_of,
    priority_findings,
    priority_tables,
    shares_of_strengths,
)
from dunaia_env.balance.questions.verdicts import RoleVerdict, status_of, verdict_of
from dunaia_env.statistics.intervals import Estimate

pytestmark = pytest.mark.once

NAMES = ("merchant", "trickster", "foreman", "mystic", "shepherd", "architect")
# Of the study of 432,115 games, at two players and the strongest play.
SHARES = (0.537, 0.629, 0.580, 0.348, 0.521, 0.384)


def verdicts_of(shares: tuple[float, ...], half: float, players: int = 2) -> list[RoleVerdict]:
    found = []
    for name, share in zip(NAMES, shares, strict=False):
        effect = share - 1 / players
        estimate = Estimate(effect, effect - half, effect + half)
        verdict, statuses = verdict_of(estimate), {"champion": status_of(estimate)}
        blocks = {"champion": 9}
        found.append(
            RoleVerdict(name, players, {"champion": estimate}, statuses, verdict, None, None, "not known", blocks, None)
        )
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_shares_are_those_of_all_tables(players: int) -> None:
    logarithms = np.array([0.5, -0.2, 0.0, 1.0, -1.0, 0.3])
    expected = np.zeros(6)
    tables = list(itertools.combinations(range(6), players))
    for table in tables:
        for role in table:
            expected[role] += np.exp(logarithms[role]) / sum(np.exp(logarithms[other]) for other in table)
    expected /= len(tables) * players / 6
    shares = shares_of_strengths(logarithms, players)
    assert shares == pytest.approx(expected)
    assert shares.mean() == pytest.approx(1 / players)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_strengths_are_recovered(players: int) -> None:
    logarithms = np.array([0.5, -0.2, 0.0, 1.0, -1.6, 0.3])
    found = fitted(shares_of_strengths(logarithms, players), players)
    assert found - found.mean() == pytest.approx(logarithms - logarithms.mean(), abs=1e-6)


def test_only_free_strengths_change() -> None:
    start = np.array([0.5, -0.2, 0.0, 1.0])
    found = fitted(np.full(4, 0.5), 2, start, [3])
    assert found[:3].tolist() == start[:3].tolist()
    assert shares_of_strengths(found, 2)[3] == pytest.approx(0.5)


def test_the_worst_come_first_and_the_others_are_relieved() -> None:
    """Four characters looked too strong; the foreman mostly because of the mystic and the architect."""
    found = priorities_of(verdicts_of(SHARES, 0.0001))
    assert [(one.role, one.turn) for one in found] == [
        ("mystic", 1),
        ("architect", 2),
        ("trickster", 3),
        ("foreman", 4),
        ("merchant", 0),
        ("shepherd", 0),
    ]
    by_role = {one.role: one for one in found}
    assert by_role["mystic"].then == pytest.approx(by_role["mystic"].share)
    assert by_role["trickster"].then < by_role["trickster"].share - 0.03
    assert 0.53 < by_role["foreman"].then < 0.54
    assert by_role["trickster"].odds_ratio == pytest.approx(0.629 / 0.371)
    assert by_role["trickster"].outside == pytest.approx(0.0989, abs=1e-6)
    assert by_role["merchant"].outside > 0  # by which it would be changed, if nobody else were
    (text,) = priority_findings(found, "character")
    assert text.startswith(
        "What to change first, in this order: with 2 players the Mystic, the Architect, the Trickster,"
    )
    assert text.endswith(" the Foreman (then the Merchant has 50.8 % instead of 53.7 %).")
    (table,) = priority_tables(found, verdicts_of(SHARES, 0.0001), "character")
    assert [row[1].text for row in table.rows] == ["1.", "2.", "3.", "4.", "–", "–"]


def test_what_may_lie_within_the_tolerance_is_not_changed() -> None:
    found = priorities_of(verdicts_of(SHARES, 0.2))
    assert {(one.turn, one.outside) for one in found} == {(0, 0.0)}
    assert [one.then for one in found] == [one.share for one in found]
    assert priority_findings(found, "character") == ("No character certainly lies outside the tolerance.",)
    assert priorities_of([]) == ()
    assert priority_findings((), "character") == ()


def test_shares_without_games_are_not_fitted() -> None:
    found = priorities_of(verdicts_of((float("nan"), 0.5, 0.5), 0.1))
    assert {one.turn for one in found} == {0}
