"""Whether roles are weak or unlearned: what special agents change, and the rule that concludes."""

from __future__ import annotations

import numpy as np
import pytest

from dunaia_env.balance.games import Games
from dunaia_env.balance.questions.skill import base_of_search, step_between
from dunaia_env.balance.questions.unlearned import (
    Conclusion,
    Move,
    conclude,
    jointly,
    judge_learning,
    special_result,
)
from dunaia_env.statistics.intervals import Estimate
from tests.balance_games import games_of

pytestmark = pytest.mark.once

BLOCKS = 400


def played(rate: float, *, power: bool = True, seed: int = 0, blocks: int = BLOCKS) -> Games:
    """Games of two roles, in both seats of each block; role 0 wins at a rate, by luck that the seed decides."""
    luck = np.random.default_rng(seed).random(blocks * 2)
    won = luck < rate
    roles = np.tile([[0, 1], [1, 0]], (blocks, 1))
    scores = np.where((roles == 0) == won[:, None], 9, 3)
    uses = np.where((roles == 0) & power, 2, 0)
    shown = roles if power else np.where(roles == 0, -1, roles)
    return games_of(scores, block=np.arange(blocks * 2) // 2, order=np.arange(blocks * 2) % 2, roles=shown, uses=uses)


def test_a_special_agent_is_compared_on_common_blocks_with_and_without_the_power() -> None:
    general, special, among = played(0.30), played(0.45), played(0.40)
    found = special_result(
        general,
        special.of_blocks(10, BLOCKS),
        among,
        (played(0.35, power=False), played(0.36, power=False)),
        0,
        ("trained", "champion"),
    )
    assert (found.agent, found.opponent, found.players, found.blocks) == ("trained", "champion", 2, BLOCKS - 10)
    assert found.before.value == pytest.approx(0.30, abs=0.04)
    assert found.among.value == pytest.approx(0.40, abs=0.04)
    assert found.change.value == pytest.approx(0.15, abs=0.03)
    # On common luck the change is known better than the shares.
    assert found.change.high - found.change.low < found.after.high - found.after.low
    assert found.without.value == pytest.approx(0.01, abs=0.01)
    assert found.learned.value == pytest.approx(found.change.value - found.without.value, abs=1e-9)
    assert found.general_power.share.value == pytest.approx(-0.05, abs=0.03)
    assert found.power.share.value == pytest.approx(0.09, abs=0.03)
    assert found.power.pairs == 2 * (BLOCKS - 10)
    assert found.power.uses.value == 2


def test_games_without_the_role_do_not_count() -> None:
    general = played(0.3)
    others = played(0.3, blocks=BLOCKS)
    others = games_of(others.scores, block=others.block, order=others.order + 2, roles=np.full(others.ranks.shape, 4))
    both = games_of(
        np.concatenate([general.scores, others.scores]),
        block=np.concatenate([general.block, others.block]),
        order=np.concatenate([general.order, others.order]),
        roles=np.concatenate([general.roles, others.roles]),
    )
    both = both[np.lexsort((both.order, both.block))]
    without = played(0.3, power=False), played(0.3, power=False)
    found = special_result(both, played(0.3), played(0.3), without, 0, ("a", "b"))
    assert found.before == special_result(general, played(0.3), played(0.3), without, 0, ("a", "b")).before
    assert found.change.value == 0


def move(change: Estimate, after: Estimate, kind: str = "specialist") -> Move:
    before = Estimate(*(one - change.value for one in after))
    return Move(kind, "trained", "champion", before, after, change, 100)  # type: ignore[arg-type]


UP, NONE = Estimate(0.06, 0.04, 0.08), Estimate(0.0, -0.02, 0.02)
FAIR, LOW, OPEN = Estimate(0.0, -0.02, 0.02), Estimate(-0.10, -0.12, -0.08), Estimate(-0.03, -0.05, -0.01)
WEAK = Estimate(-0.16, -0.18, -0.14)


@pytest.mark.parametrize(
    ("effect", "moves", "expected"),
    [
        (OPEN, [], "not weak"),
        (Estimate(-0.16, float("nan"), float("nan")), [], "not weak"),
        (WEAK, [], "untried"),
        (WEAK, [move(NONE, LOW, "search")], "untried"),
        (WEAK, [move(UP, LOW, "search")], "untried"),
        (WEAK, [move(UP, FAIR, "search")], "unlearned"),
        (WEAK, [move(NONE, LOW)], "weak"),
        # A change that is not significant is no evidence, and neither is one that is.
        (WEAK, [move(UP, LOW)], "weak"),
        (WEAK, [move(UP, OPEN, "response")], "open"),
        (WEAK, [move(NONE, OPEN, "response")], "open"),
        (WEAK, [move(UP, FAIR)], "unlearned"),
        (WEAK, [move(UP, LOW), move(UP, OPEN)], "open"),
        (WEAK, [move(NONE, FAIR), move(UP, LOW)], "unlearned"),
        # Each interval alone would decide, but not both together.
        (WEAK, [move(UP, Estimate(-0.06, -0.089, -0.031)), move(UP, LOW)], "open"),
        (WEAK, [move(UP, Estimate(-0.06, -0.089, -0.031))], "weak"),
    ],
)
def test_the_rule(effect: Estimate, moves: list[Move], expected: Conclusion) -> None:
    assert conclude(effect, moves, 0.03) == expected


def test_several_intervals_hold_together() -> None:
    one = Estimate(0.02, -0.02, 0.06)
    assert jointly(one, 100, 1) == one
    two = jointly(one, 100, 2)
    assert (two.low, two.high) == pytest.approx((0.02 - 0.04 * 2.276 / 1.984, 0.02 + 0.04 * 2.276 / 1.984), abs=1e-4)
    assert jointly(one, 10, 2).high > two.high


def test_roles_are_judged_with_all_that_was_tried() -> None:
    # The search played fewer blocks.
    games = {"champion": played(0.3), "champion+16": played(0.4).of_blocks(0, 100)}
    search = step_between(games["champion"], games["champion+16"], ("champion", "champion+16"), 2)
    without = played(0.3, power=False), played(0.3, power=False)
    special = special_result(games["champion"], played(0.5), played(0.5), without, 0, ("trained", "champion"))
    weak, strong = judge_learning(games, "champion", [search], [special], [], 2, 0.03)
    assert [one.kind for one in weak.moves] == ["search", "specialist"]
    assert [one.kind for one in strong.moves] == ["search"]
    assert (weak.moves[0].change, weak.moves[0].blocks) == (search.roles[0], 100)
    assert weak.moves[0].before.value != weak.effect.value
    assert weak.moves[0].after.value - weak.moves[0].before.value == pytest.approx(search.roles[0].value)
    assert weak.moves[0].change.low > 0
    assert weak.moves[1].after.value == pytest.approx(special.after.value - 0.5)
    assert (weak.conclusion, strong.conclusion) == ("open", "not weak")
    assert weak.effect.value == pytest.approx(-0.2, abs=0.04)
    assert weak.power is None


def test_searches_are_known_by_their_names() -> None:
    agents = ["greedy", "champion", "runs/one/model.safetensors"]
    assert base_of_search("champion+16", agents) == "champion"
    assert base_of_search("champion+16,candidates=8", agents) == "champion"
    assert base_of_search("runs/one/model.safetensors+64", agents) == "runs/one/model.safetensors"
    for other in ("champion", "champion_2+16", "champion+", "champion:temperature=2"):
        assert base_of_search(other, agents) == ""
