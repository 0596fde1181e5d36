"""Publish the player of a training run: write its model file and its model card in Markdown.

    python -m training.models.publish --run runs/long --name champion
    python -m training.models.publish --model agents/models/champion.safetensors --results runs/matches.json

The second command publishes a published player again: with the results of matches that it has played since, under
another name, or for another game with the same actions and observations.

A model in `agents/models/` can be named wherever an agent is named: ``champion``, ``champion+64``. The model file is
safetensors with a JSON header; the card is written from the header alone (`model_card`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from agents.model import BEGAN_WITH, FIRST_LAYER, TRAINED
from agents.network import Model, Network, NetworkAgent, choose, digest, load_model, make_model
from dunaia_env.arena.match import describe
from dunaia_env.harness import opponents
from dunaia_env.harness.dealing import first_of, read_dealt, variant
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS, PRESET, Option
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, game_of_file
from dunaia_env.support import atomic
from dunaia_env.support.array_files import Arrays
from dunaia_env.support.english import listed
from dunaia_env.support.reading import read_bytes
from dunaia_env.support.terminal import run_main
from dunaia_env.support.typed_json import parse
from training.arguments import SHARED, Arguments, Part
from training.models.lineage import commands
from training.models.positions import played_positions
from training.models.reshape import observed, without_idle_units
from training.running import checkpoint, resume
from training.running.checkpoint import MODEL_FILE, RESULTS_FILE

# Largest size of a model file in the repository, in bytes.
MOST_BYTES = 6_000_000
# Number of positions in which weights in half precision are compared with the trained weights, and the largest share of
# these positions in which the decisions may differ. Four networks of 256 × 256 units differed in 0 to 2 positions.
POSITIONS = 8192
MOST_DIFFERENT = 0.001
_MOST_RESULT_BYTES = 1 << 24
MOST_COLUMNS = 120  # of a line of code in a card
_RESULT_KEYS = ("opponent", "players", "share", "low", "high", "games")
# Entries of a published header: those that the run's model has too, and those that publishing adds.
_KEPT = ("action_hash", "observation_hash", "components_hash", "players", "decisions", "commit", "other_components")
_ADDED = (
    *("game", "seed", "hours", "games", "components", "command", "data", "results", "versions"),
    *("weights", "layers", "licence"),
)
LICENCE = "MIT"


class PublishError(ValueError):
    """A training run that cannot be published; the message says why."""


@dataclass(frozen=True)
class Options:
    """Publish the player of a training run, or publish a player again."""

    run: Path | None = None
    """Folder of the run."""
    model: Path | None = None
    """Model file of a published player, in place of a run."""
    game: str = DEFAULT_GAME.name
    """The run's game: its name, or a module with a game of your own. With --model, the game for which the player is
    published; it must have the same actions and observations as the player's own game."""
    name: str = opponents.CHAMPION
    """Name of the player: small letters, digits, - and _."""
    out: Path = field(default_factory=opponents.models_folder)
    """Folder for NAME.safetensors and NAME.md; a player in the default folder can be loaded by its name."""
    prune: bool = False
    """Leave out the units of a run's perceptron that are never active (`training.models.reshape`)."""
    results: tuple[Path, ...] = ()
    """Further files with results of the player's matches, in the format of the run's results.json."""


def publish(options: Options) -> tuple[Path, Path]:
    """Write the model file and its card; returns their paths.

    Raises `PublishError` or `ArrayFileError` naming what is missing or does not fit.
    """
    _check_name(options.name)
    if options.model and not options.run:
        arrays, header = _of_model(options.model, options)
    elif options.run and not options.model:
        arrays, header = _of_run(options.run, options)
    else:
        raise PublishError("expected a run (--run) or a published model (--model), one of the two")
    model, card = (options.out / f"{options.name}{suffix}" for suffix in (opponents.MODEL_SUFFIX, ".md"))
    make_model(arrays, header).save(model)
    atomic.write_text(card, model_card(load_model(model).header))
    return model, card


def _of_run(run: Path, options: Options) -> tuple[Arrays, dict[str, Any]]:
    """Arrays and header of the player of a training run."""
    find_game(options.game)  # imports the module, which allows the checkpoint to name it
    source = run / MODEL_FILE
    saved = resume.read(run / checkpoint.FILE)
    arguments = saved.arguments
    game = find_game(arguments.game)
    trained = NetworkAgent.load(source, components=arguments.components, game=game).network
    if (found := saved.counters.decisions) != trained.header.get("decisions"):
        raise PublishError(
            f"{source}: of decision {trained.header.get('decisions')}, but {checkpoint.FILE} of {found}; let the run"
            " save again (--resume)"
        )
    whole = arrays = _without_score(trained.arrays)
    header = _header(run, options, trained.header, saved)
    if options.prune:
        if not isinstance(trained, Network):
            raise PublishError(f"prune: expected a perceptron, got a network {trained.architecture!r}")
        arrays = without_idle_units(arrays, observed(trained, game, arguments.components))
    weights: dict[str, Any] = {"type": "float32"}
    if _size(arrays, header) > MOST_BYTES:
        arrays, weights = halved(arrays), {"type": "float16"}
    published = make_model(arrays, trained.header)
    if arrays is not whole:
        different = different_decisions(
            trained, published, game=game, components=arguments.components, positions=POSITIONS
        )
        weights |= {"compared_positions": POSITIONS, "different_decisions": different, TRAINED: digest(trained.arrays)}
        if different > MOST_DIFFERENT:
            raise PublishError(
                f"{source}: {100 * different:.2f} % of the decisions of the published weights differ; at most"
                f" {100 * MOST_DIFFERENT:g} % may"
            )
    if options.prune:
        weights["idle_units"] = sum(trained.widths) - sum(published.widths)
    header |= {"version": digest(arrays), "weights": weights, "layers": [published.input_size, *published.widths]}
    if (size := _size(arrays, header)) > MOST_BYTES:
        raise PublishError(f"{source}: {size:,} bytes in half precision; at most {MOST_BYTES:,} may be shipped")
    return arrays, header


def _of_model(source: Path, options: Options) -> tuple[Arrays, dict[str, Any]]:
    """Arrays and header of a player that was published before, for the game of the options."""
    game = find_game(options.game)
    own = load_model(source).header
    if missing := [name for name in (*_KEPT, *_ADDED) if name not in own]:
        raise PublishError(f"{source}: expected the model of a published player, got a header without {missing[0]}")
    arrays = _without_score(NetworkAgent.load(source, components=own["components"], game=game).network.arrays)
    unknown = set(game_of_file(own["game"]).default_options()) - set(game.default_options())
    header = {name: value for name, value in own.items() if name not in unknown}
    results = [*own["results"], *_read_results(options.results, game)]
    header |= {"name": options.name, "game": options.game, "version": digest(arrays), "results": results}
    return arrays, header


def _without_score(arrays: Arrays) -> Arrays:
    """The arrays without the head that predicts scores, which helps in training only."""
    return {name: array for name, array in arrays.items() if not name.startswith("score.")}


def _check_name(name: str) -> None:
    taken = {taken_name for taken_name in opponents.names() if taken_name not in opponents.shipped()}
    if not re.fullmatch("[a-z][a-z0-9_-]*", name) or name in taken:
        raise PublishError(
            f"name: expected small letters, digits, - and _, got {name!r}, and none of {', '.join(sorted(taken))}"
        )


def _header(run: Path, options: Options, model: dict[str, Any], saved: resume.Saved) -> dict[str, Any]:
    """The header of the published file, without the description of its weights."""
    if missing := [name for name in (*_KEPT, "seconds") if name not in model]:
        raise PublishError(f"{run / MODEL_FILE}: expected a model of training.ppo, got a header without {missing[0]}")
    may_be_there = ("architecture", FIRST_LAYER, "family", "family_hash", BEGAN_WITH)
    return {name: model[name] for name in (*_KEPT, *may_be_there) if name in model} | {
        **saved.arguments.distinct_options,
        "game": saved.arguments.game,
        "name": options.name,
        "seed": saved.arguments.seed,
        "hours": round(model["seconds"] / 3600, 2),
        "games": saved.counters.games,
        "components": saved.arguments.components,
        "command": commands(saved.history),
        "data": data(saved.history),
        "results": _results(run, options, find_game(saved.arguments.game), model["decisions"]),
        "versions": saved.versions,
        "licence": LICENCE,
    }


def data(history: Sequence[Part]) -> str:
    """The games that the training learned from, in words, in the order of its parts."""
    return ", then ".join(dict.fromkeys(_data(part.arguments) for part in history))


def _data(arguments: Arguments) -> str:
    shares = {arguments.against or "former versions": arguments.others_share}
    shares[" and ".join(arguments.rivals)] = arguments.rivals_share
    others = {name: share for name, share in shares.items() if share > 0}
    if 1 in others.values():
        whose = f"of the network against {next(iter(others))}"
    else:
        whose = "of the network against itself"
        for name, share in others.items():
            whose += f", at {100 * share:g} % of the tables against {name}"
    return whose + (", its moves chosen by searches" if arguments.simulations else "")


def _results(run: Path, options: Options, game: Game, decisions: int) -> list[dict[str, Any]]:
    """The final matches of the run and the matches in other files, checked."""
    own = run / RESULTS_FILE
    if not own.exists() and not options.results:
        raise PublishError(f"{own}: missing, for the run has not ended; end it, or give --results")
    found = [*(_read_results([own], game, decisions) if own.exists() else []), *_read_results(options.results, game)]
    if not found:
        raise PublishError(f"{own}: expected at least one match, got none")
    return found


def _read_results(paths: Sequence[Path], game: Game, decisions: int | None = None) -> list[dict[str, Any]]:
    """The matches in files of results, checked; a missing option has its default.

    If a number of decisions is given, they must be those of the network after so many decisions.
    """
    found: list[dict[str, Any]] = []
    for path in paths:
        try:
            content: Any = parse(read_bytes(path, _MOST_RESULT_BYTES))
            matches = [dict(match) for match in content["results"]]
            for match in matches:
                for key in _RESULT_KEYS:
                    match[key]
                chosen = {name: match[name] for name in game.default_options() if name in match}
                match |= {name: game.option(name).check(value) for name, value in chosen.items()}
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise PublishError(f"{path}: not the results of matches ({error!r})") from error
        if decisions is not None and content.get("decisions") != decisions:
            raise PublishError(
                f"{path}: expected the results of decision {decisions}, got those of {content.get('decisions')}"
            )
        found += matches
    return found


def halved(arrays: Arrays) -> Arrays:
    """The arrays in half precision, except the scale of the inputs."""
    return {name: array if name == "input_scale" else array.astype(np.float16) for name, array in arrays.items()}


def different_decisions(
    one: Model, other: Model, *, game: Game = DEFAULT_GAME, components: Any = None, positions: int
) -> float:
    """The share 0..1 of sampled positions in which two networks' most likely legal actions differ.

    The positions come from the first network's games, see `training.models.positions`.
    """
    observations, masks = played_positions(one, game=game, components=components, positions=positions)
    uniforms = np.zeros(len(masks))
    first, second = (
        choose(NetworkAgent(network).forward(observations)[0], masks, 0, uniforms) for network in (one, other)
    )
    return float((first != second).mean())


def _size(arrays: Arrays, header: dict[str, Any]) -> int:
    """Size of the file in bytes, rounded up: the arrays, the header and the names of both."""
    text = json.dumps(json.dumps(header))
    return sum(array.nbytes for array in arrays.values()) + len(text) + 200 * len(arrays)


def model_card(header: dict[str, Any]) -> str:
    """The model card in Markdown, from the model's header alone."""
    name, layers = header["name"], header["layers"]
    encoders = ", encoders shared by squares, offers and tiles," if header.get("architecture") == SHARED else ""
    game = game_of_file(header.get("game", DEFAULT_GAME.name))
    options = read_dealt(game, header)
    seats = listed([f"{players}" for players in header["players"]])
    kinds = ", ".join(filter(None, [f"{seats} players", variant(game, options)]))
    weights = header["weights"]
    precision = {"float32": "single precision (float32)", "float16": "half precision (float16)"}[weights["type"]]
    if "idle_units" in weights:
        precision += f", without {weights['idle_units']:,} units that were never active"
    if "compared_positions" in weights:
        precision += (
            f"; in {weights['compared_positions']:,} positions {100 * weights['different_decisions']:.2f} % of its"
            " decisions differ from those of the trained weights"
        )
    others = header["other_components"]
    trained_before = f" It was trained before with other components: {', '.join(others)}." if others else ""
    family, known = "", "It knows these components only; components with other values are refused."
    if "family" in header:
        family = f"\n| or a component file of the family | `{header['family_hash']}` |"
        known = "It knows the component files of its family only; those with values outside are refused."
    ancestors = header.get(BEGAN_WITH, [])
    earlier = "".join(map(_ancestor, ancestors))
    games = f"{header['games']:,} games {header['data']}"
    if ancestors:
        games += " in the last training"
        earlier = (
            f"Its weights come from {len(ancestors) + 1} trainings, one after the other.\n\n{earlier}This one:\n\n"
        )
    versions = ", ".join(f"{library} {number}" for library, number in header["versions"].items())
    heads, cells = _variants(game, header["results"])
    rows = "\n".join(_row(result, variant) for result, variant in zip(header["results"], cells, strict=True))
    columns = ("player", "against", "players", *heads, "games", "win share (95 %)", "fair")
    return f"""# {name}

Made by `python -m training.models.publish` from the header of `{name}.safetensors`; not to be edited by hand.

## What it is

A player of {game.title} for {kinds}: a network with {layers[0]:,} inputs{encoders} and hidden
layers of {listed([str(units) for units in layers[1:]])} units. It sees what the deciding player sees, and says how
good each action is and what each seat can expect. Version `{header["version"]}`, weights in {precision}.

| made for | hash |
|---|---|
| actions | `{header["action_hash"]}` |
| observation | `{header["observation_hash"]}` |
| components | `{header["components_hash"]}` |{family}

Anything else is refused when it is loaded.{trained_before}

## How it was trained

{earlier}```
{header["command"]}
```

Seed {header["seed"]}, {header["decisions"]:,} decisions, {header["hours"]:g} hours, commit `{header["commit"]}`.
Versions: {versions}.

## On what data

On {games}; on no game of people.

## How it plays

Seat-balanced matches, copies of the opponent on all other seats; in brackets the 95 % interval, by bootstrap over game
seeds.

| {" | ".join(columns)} |
|{"---|" * len(columns)}
{rows}

## Limits

- {known}
- Against a style of play that it never met in training it may be weaker than these figures.
- A value is the reward expected among players such as itself. It is no advice on how people will play.

## How to load it

```python
{_example(game, header, first_of(options))}
print(state.game.action_text(player.act(state)))
```

`{name}:temperature=0.5` varies its moves, `{name}+64` searches with 64 simulations a decision. Neither needs more than
NumPy and numba; the file holds numbers and a JSON header, and nothing in it is executed.

## Licence

{header["licence"]}, as the project.
"""


def _ancestor(ancestor: dict[str, Any]) -> str:
    """The text of a card about a training with whose weights the next training began."""
    facts = [f"weights `{ancestor['weights']}`"]
    facts += [f"seed {ancestor['seed']}"] if "seed" in ancestor else []
    facts += [f"{ancestor['decisions']:,} decisions"] if "decisions" in ancestor else []
    facts += [f"{ancestor['hours']:g} hours"] if "hours" in ancestor else []
    facts += [f"commit `{ancestor['commit']}`"] if ancestor.get("commit") else []
    text = f"`{ancestor['name']}` ({', '.join(facts)})"
    command = ancestor.get("command", "# its file does not say how it was trained")
    return f"{text}:\n\n```\n{command}\n```\n\n"


def _example(game: Game, header: dict[str, Any], options: dict[str, Any]) -> str:
    """The lines of a program that load the player and start a game."""
    chosen = {name: value for name, value in options.items() if value != game.option(name).default}
    given = {NUM_PLAYERS: header["players"][0], **chosen}
    parts = [f"{name}={json.dumps(value) if isinstance(value, str) else value}" for name, value in given.items()]
    words = ", ".join(parts)
    if game is DEFAULT_GAME:
        return f"""from dunaia_env import GameState, opponents

player = opponents.load("{header["name"]}")
state = GameState.new(7, {words})"""
    begun = f"state = GameState.new(7, game=game, {words})"
    if len(begun) > MOST_COLUMNS:
        begun = "\n    ".join(["state = GameState.new(", "7,", "game=game,", *(f"{part}," for part in parts)]) + "\n)"
    return f"""from dunaia_env import GameState, opponents
from dunaia_env.harness.registry import find_game

game = find_game("{header["game"]}")
player = opponents.load("{header["name"]}", game=game)
{begun}"""


def _shown_options(game: Game, results: Sequence[dict[str, Any]]) -> list[Option]:
    """The options that get a column: switches, and numbers that differ from their defaults."""
    options = [game.option(name) for name in game.default_options()]
    values_of = {option: [result[option.name] for result in results if option.name in result] for option in options}
    return [
        option
        for option, values in values_of.items()
        if values and (option.is_switch or any(option.from_json(value) != option.default for value in values))
    ]


def _variants(game: Game, results: Sequence[dict[str, Any]]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Columns that say which variant of the game was played, and their cells: the preset, or else single options."""
    presets = [_preset_of(game, result) for result in results]
    if presets and None not in presets:
        return ["preset"], [[f"`{preset}`"] for preset in presets]
    shown = _shown_options(game, results)
    return [option.name for option in shown], [[_word(option, result) for option in shown] for result in results]


def _preset_of(game: Game, result: Mapping[str, Any]) -> str | None:
    """The preset whose options a match was played with; None if there is none."""
    players = result["players"]
    played = {name: _value(game.option(name), result) for name in game.default_options()} | {NUM_PLAYERS: players}
    for preset, values in game.presets.items():
        at_this_table = values.get(NUM_PLAYERS, players) == players
        if at_this_table and played == game.check_options({PRESET: preset, NUM_PLAYERS: players}):
            return preset
    return None


def _value(option: Option, result: Mapping[str, Any]) -> Any:
    return option.from_json(result[option.name]) if option.name in result else option.default


def _word(option: Option, result: Mapping[str, Any]) -> str:
    value = _value(option, result)
    return ("with" if value else "without") if option.is_switch else option.word(value)


def _row(result: dict[str, Any], variant: Sequence[str]) -> str:
    share = describe((result["share"], result["low"], result["high"]))
    cells = (
        result.get("player", "the network alone"),
        result["opponent"],
        result["players"],
        *variant,
        f"{result['games']:,}",
        share,
        f"{100 / result['players']:.1f} %",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Publish as the command line says; returns the exit status."""
    options = tyro.cli(Options, prog="dunaia publish", description=Options.__doc__)
    try:
        model, card = publish(options)
    except (ValueError, OSError) as error:
        print(f"training.models.publish: {error}", file=sys.stderr)
        return 2
    weights = load_model(model).header["weights"]
    compared = f", {100 * weights['different_decisions']:.2f} % of decisions differ" if len(weights) > 1 else ""
    print(f"{model}: {model.stat().st_size:,} bytes, {weights['type']}{compared}")
    print(f"{card}: its card")
    return 0


if __name__ == "__main__":
    sys.exit(run_main(main))
