"""Show and check component files of a game's family: ``python -m dunaia_env.family``, or ``dunaia family``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support import atomic, terminal


@dataclass(frozen=True)
class Options:
    """Print a member of the game's family of component files, or say whether a file is inside the family."""

    seed: int = 0
    """Seed that draws the member to print."""
    out: Path | None = None
    """Write the member to this file instead."""
    check: Path | None = None
    """Component file to check: say whether it is inside the family, or name the first value outside (exit status 1)."""
    family: Path | None = None
    """Family file; the game's own by default."""
    values: tuple[str, ...] = ()
    """Values that vary in the family, as paths or beginnings of paths such as characters.mystic; by default all that
    the family file lets vary."""
    game: str = DEFAULT_GAME.name
    """The game: a name, or a module such as my_package.game."""

    def run(self) -> int:
        """Print, write or check; returns the exit status.

        Raises `ValueError` for a file that cannot be used, a wrong seed and a game without a family.
        """
        game = find_game(self.game)
        family = game.require("load_family")(self.family)
        if self.values:
            family = family.narrowed(self.values)
        if self.check is not None:
            if self.out is not None:
                raise ValueError(f"out: {self.out}; a check writes nothing")
            outside = family.outside(game.load(self.check))
            print(f"{self.check}: outside, {outside}" if outside else f"{self.check}: inside")
            return 1 if outside else 0
        text = family.text_of(family.sample(self.seed))
        if self.out is None:
            print(text, end="")
        else:
            atomic.write_text(self.out, text)
            print(f"{self.out} written")
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 1 for a file outside the family, 2 for an error."""
    options = tyro.cli(Options, prog="dunaia family", description=Options.__doc__, args=arguments)
    try:
        return options.run()
    except BrokenPipeError:  # the reader of the output has gone, which `run_main` handles
        raise
    except (ValueError, OSError) as error:
        print(f"family: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(terminal.run_main(main))
