"""Flowers in hand (rules, section 3)."""

from __future__ import annotations

from dunaia_env.dunaia.state import MOST_FLOWERS
from dunaia_env.support.compile_cache import kernel


@kernel
def gain_flowers(player, amount):
    """Give a player flowers. They are unlimited; a hand that a state cannot hold stays at the most it can."""
    player.flowers = min(int(player.flowers) + amount, MOST_FLOWERS)
