"""Flowers in hand."""

from __future__ import annotations

from dunaia_env.dunaia.state import MOST_FLOWERS
from dunaia_env.support.compile_cache import kernel


@kernel
def gain_flowers(player, amount):
    """Give a player flowers. The supply is unlimited; a hand holds at most `MOST_FLOWERS`."""
    player.flowers = min(int(player.flowers) + amount, MOST_FLOWERS)
