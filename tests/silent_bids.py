"""The toy game without pictures, for what has to do with texts only."""

from __future__ import annotations

from dataclasses import replace

from tests.toy_game import GAME as PICTURED

GAME = replace(PICTURED, module=__name__, name="silent_bids", presentation=None)
