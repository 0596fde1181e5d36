"""Seeds of many games: one number names a sequence of games, and no game's seed tells another one.

The seeds come from a cryptographic hash (BLAKE2b, RFC 7693). Sequences of different numbers are therefore disjoint, and
a seed can neither be computed from another seed nor be found by trying small numbers, unless the number from which all
of them come is known.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

from dunaia_env.harness.compiled.chance import check_seed

Seeding = Literal["consecutive", "hashed", "secret"]
# How runs and studies make the seeds of their games:
#   consecutive: block b has the seed ``seed + b``; files of format versions that had no other way
#   hashed: block b has a hash of seed and b
#   secret: each game has a hash of a secret that only the process knows, so that no agent can guess it
CONSECUTIVE: Seeding = "consecutive"
HASHED: Seeding = "hashed"
SECRET: Seeding = "secret"

_SEED_BITS = 63
AGENT_SEED_BITS = 32
# Leaves room for the numbers of lanes, which are added to the base seed of a batch.
BATCH_SEED_BITS = 53
_SECRET_BYTES = 16


def fresh_secret() -> str:
    """128 bits from the operating system's entropy, as 32 hexadecimal digits."""
    return secrets.token_hex(_SECRET_BYTES)


def derived_seed(source: int | str, purpose: str, *numbers: int, bits: int = _SEED_BITS) -> int:
    """A seed that follows from a number or a secret, for one purpose.

    Args:
        source: a seed, or a secret as hexadecimal digits.
        purpose: what the seed is for, such as ``game`` or ``agent``.
        numbers: what else names the seed, such as the number of a block.
        bits: number of bits of the seed, at most 64.

    Returns:
        An integer in ``0..2**bits - 1``: the first bits of the BLAKE2b hash of the arguments.
    """
    text = "/".join(map(str, (source, purpose, *numbers)))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - bits)


def batch_seed(seed: int, purpose: str, *numbers: int) -> int:
    """A base seed (0..2**53-1) for `Lanes.reset`; batches of different seeds or purposes play different games."""
    return derived_seed(seed, purpose, *numbers, bits=BATCH_SEED_BITS)


def block_seed(seed: int, block: int, seeding: Seeding = HASHED) -> int:
    """The game seed (0..2**63-1) of a block, common to the games of the block.

    Raises `ValueError` for a consecutive seed that is out of range.
    """
    return check_seed(seed + block) if seeding == CONSECUTIVE else derived_seed(seed, "game", block)


def describe_seeds(seed: int, blocks: int, seeding: Seeding) -> str:
    """Where the game seeds of a number of blocks come from, for tables of reports."""
    if seeding == SECRET:
        return "secret until a game is finished; its record holds them"
    if seeding == HASHED:
        return f"hashes of {seed} and the block"
    return f"{seed} to {seed + max(blocks - 1, 0)}"
