"""The checkpoint from which a run continues, checked before anything is changed.

The checksum of a checkpoint finds data that changed on the disk. The checks here find out whether a run with these
arguments can have written it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.model import BEGAN_WITH
from agents.network import make_model
from dunaia_env.support.array_files import Arrays
from dunaia_env.support.messages import MOST_OF_A_VALUE, printable, reason, shorten
from dunaia_env.support.typed_json import build
from training.arguments import Arguments, Part, arguments_of, for_history, header_of
from training.models import model_files
from training.ppo import Rollout
from training.running import checkpoint
from training.running.checkpoint import CheckpointError

# A resumed run cannot change these arguments, nor the options of the game: its weights, games or open decisions would
# not fit.
FIXED_ON_RESUME = (
    "players",
    "tables",
    "game",
    "components",
    "network",
    "layers",
    "width",
    "lanes",
    "past_share",
    "against",
    "rivals",
    "rival_share",
    "family_share",
)
GROUPS = ("network", "optimizer", "lanes", "carried", "past")
# The arrays of a rollout that describe its open decisions, by their names in the group "carried".
OPEN_DECISIONS = {
    "observations": "observations",
    "masks": "action_masks",
    "actions": "actions",
    "log_probabilities": "logprobs",
    "values": "values",
    "scores": "scores",
    "seats": "seats",
    "improved": "teacher_policies",
}
# Shape and type of each array of a group, by name.
Layout = Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]


@dataclass(frozen=True)
class Counters:
    """The progress of a run, see the attributes of `training.ppo.PPO`."""

    updates: int
    decisions: int
    games: int
    seconds: float


@dataclass(frozen=True)
class _Part:
    decisions: int
    seconds: float
    arguments: dict[str, Any]


@dataclass(frozen=True)
class _Header:
    format: str
    schema: int
    checksum: str
    action_hash: str
    observation_hash: str
    components_hash: str
    state_hash: str
    lane_hash: str
    arguments: dict[str, Any]
    history: tuple[_Part, ...]
    frozen: str | None
    counters: Counters
    random: dict[str, Any]
    commit: str | None
    other_components: tuple[str, ...]
    began_with: tuple[dict[str, Any], ...]
    family: dict[str, Any] | None
    family_hash: str | None
    versions: dict[str, str]


@dataclass(frozen=True)
class Saved:
    """A run as its checkpoint holds it.

    Attributes:
        path: the checkpoint's path.
        groups: its arrays by group and name.
        arguments: the latest arguments of the run.
        history: the parts of the run.
        counters: its progress.
        random: the state of its random generator.
        frozen: identifies the weights that it is trained against, see `agents.network.digest`; None for none.
        components_hash: hash of its components.
        other_components: hashes of the components that it was trained with before.
        began_with: the ancestors of its weights, the oldest first, see `training.models.lineage`.
        family: content of the family of component files that some lanes play; None for none.
        family_hash: hash of the family; None for none.
        versions: versions of the libraries that wrote it.
    """

    path: Path
    groups: dict[str, Arrays]
    arguments: Arguments
    history: list[Part]
    counters: Counters
    random: dict[str, Any]
    frozen: str | None
    components_hash: str
    other_components: tuple[str, ...]
    began_with: tuple[dict[str, Any], ...]
    family: dict[str, Any] | None
    family_hash: str | None
    versions: dict[str, str]


def read(path: Path, hashes: Mapping[str, str] | None = None) -> Saved:
    """Read the run of a checkpoint.

    Args:
        path: the file.
        hashes: the hashes of the present game, see `checkpoint.load`.

    Raises `CheckpointError` for a file that is damaged, belongs to another game, or describes an impossible run.
    """
    groups, content = checkpoint.load(path, hashes)
    try:
        # Older checkpoints lack this field.
        header = build(_Header, {BEGAN_WITH: [], **content})
        _check_counters(header.counters)
        _check_random(header.random)
        return Saved(
            path=path,
            groups=groups,
            arguments=arguments_of(header.arguments),
            history=[
                Part(part.decisions, part.seconds, for_history(arguments_of(part.arguments))) for part in header.history
            ],
            counters=header.counters,
            random=header.random,
            frozen=header.frozen,
            components_hash=header.components_hash,
            other_components=header.other_components,
            began_with=header.began_with,
            family=header.family,
            family_hash=header.family_hash,
            versions=header.versions,
        )
    except ValueError as error:
        raise CheckpointError(f"{path}: header: {reason(error)}") from None


def _check_counters(counters: Counters) -> None:
    for field in fields(counters):
        if (value := getattr(counters, field.name)) < 0:
            raise ValueError(f"counters.{field.name}: expected at least 0, got {value}")


def _check_random(state: dict[str, Any]) -> None:
    generator = np.random.default_rng(0).bit_generator
    try:
        generator.state = state
        same = generator.state == state
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"random: no state of a random generator ({reason(error)})") from None
    if not same:
        raise ValueError("random: no state of a random generator")


def check_run(saved: Saved, arguments: Arguments, frozen: str | None, family_hash: str | None) -> None:
    """Raise `CheckpointError` naming an argument with which a run cannot continue.

    Args:
        saved: the run.
        arguments: the arguments that it would have.
        frozen: identifies the weights that it would be trained against.
        family_hash: hash of the family of component files that some of its lanes would play.
    """
    if saved.family_hash != family_hash:
        before, after = (
            f"the family {shorten(hash_of)}" if hash_of else "no family" for hash_of in (saved.family_hash, family_hash)
        )
        raise CheckpointError(
            f"{saved.path}: trained with {before} of component files and cannot go on with {after}; start a new run"
        )
    former, wanted = header_of(saved.arguments), header_of(arguments)
    # The seed decides which members of the family the lanes play.
    for name in (*FIXED_ON_RESUME, *(["seed"] if family_hash else []), *arguments.game_options):
        old, new = former.get(name), wanted[name]
        if old != new and not (name == "components" and arguments.allow_other_components):
            change = f"{name} was {shorten(old)} and cannot become {shorten(new)}"
            raise CheckpointError(f"{saved.path}: {change}; start a new run")
    if saved.frozen != frozen:
        weights = printable(str(saved.frozen), MOST_OF_A_VALUE)
        raise CheckpointError(
            f"{saved.path}: trained against weights {weights}, but {arguments.against} now holds {frozen}; put the"
            " former file back, or start a new run"
        )


def open_decisions(rollout: Rollout) -> Arrays:
    """The open decisions of a rollout, by the names that a checkpoint gives them."""
    return {name: getattr(rollout, own)[: rollout.first_row] for name, own in OPEN_DECISIONS.items()}


def restore_open_decisions(rollout: Rollout, saved: Mapping[str, NDArray[Any]]) -> None:
    """The inverse of `open_decisions`, except for the teacher's policies of a run that has gained or lost a teacher."""
    for name, array in open_decisions(rollout).items():
        if array.shape == saved[name].shape:
            array[:] = saved[name]


def check_groups(
    saved: Saved, present: Mapping[str, Arrays], parameters: Sequence[str], lanes: int, *, games_continue: bool
) -> None:
    """Raise `CheckpointError` naming an array that this run would not save.

    Args:
        saved: the run.
        present: this process's arrays in the groups ``network``, ``lanes`` and ``carried``.
        parameters: names of the network's arrays that are trained, in the optimiser's order.
        lanes: number of lanes of all processes.
        games_continue: whether ``lanes`` and ``carried`` are used.
    """
    path, groups, network = saved.path, saved.groups, present["network"]
    if unknown := sorted(groups.keys() - GROUPS):
        raise CheckpointError(f"{path}: {shorten(unknown[0])}: unknown; only {', '.join(GROUPS)} can be there")
    found = {name: groups.get(name, {}) for name in GROUPS}
    _check_arrays(path, "network", found["network"], _layout_of(network))
    _check_scales(path, "network", found["network"], network)
    if not saved.arguments.has_own_network:
        try:
            make_model(found["network"], model_files.architecture_of(saved.arguments.network))
        except ValueError as error:
            raise CheckpointError(f"{path}: network: {error}") from None
    moments = _moments(network, parameters) if saved.counters.updates else {}
    if saved.arguments.has_own_network:
        # A network of the user's own may have parameters without gradients; the optimiser has no state for them.
        known = {name.partition(".")[0] for name in found["optimizer"]}
        moments = {name: kind for name, kind in moments.items() if name.partition(".")[0] in known}
    _check_arrays(path, "optimizer", found["optimizer"], moments)
    for name, array in found["optimizer"].items():
        if name.endswith((".step", ".exp_avg_sq")) and (array < 0).any():
            raise CheckpointError(f"{path}: optimizer/{name}: expected at least 0, got less")
    _check_arrays(path, "past", found["past"], _snapshots(network, len(found["past"]) // len(network)))
    _check_scales(path, "past", found["past"], network)
    if saved.arguments.past_share and not saved.arguments.against and saved.counters.updates and not found["past"]:
        raise CheckpointError(f"{path}: past: expected at least one past player after the first update, got none")
    if games_continue:
        _check_arrays(path, "lanes", found["lanes"], _layout_of(present["lanes"], 0, lanes))
        carried = dict(_layout_of(present["carried"], 1, lanes))
        # A resumed run may have gained or lost a teacher.
        improved, (shape, dtype) = found["carried"].get("improved"), carried["improved"]
        if improved is not None and improved.shape[2:] in ((0,), carried["masks"][0][2:]):
            carried["improved"] = ((*shape[:2], improved.shape[2]), dtype)
        _check_arrays(path, "carried", found["carried"], carried)
        _check_carried(path, found["carried"])


def _check_scales(path: Path, group: str, found: Arrays, network: Arrays) -> None:
    """Raise `CheckpointError` for a network whose input scale is not this run's: the scale belongs to the game."""
    for name, array in found.items():
        if name.endswith("input_scale") and not np.array_equal(array, network.get("input_scale", array)):
            raise CheckpointError(f"{path}: {group}/{name}: not that of the game's observation")


def _layout_of(arrays: Arrays, axis: int = 0, size: int | None = None) -> Layout:
    """The layout of arrays, with their size along an axis replaced if ``size`` is given."""
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    for shape in shapes.values() if size is not None else ():
        shape[axis] = size
    return {name: (tuple(shape), arrays[name].dtype) for name, shape in shapes.items()}


def _moments(network: Arrays, parameters: Sequence[str]) -> Layout:
    """The layout of Adam's state after the first update: arrays named by the numbers of the parameters."""
    single = np.dtype(np.float32)
    layout: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}
    for number, name in enumerate(parameters):
        layout[f"{number}.step"] = ((), single)
        layout |= {f"{number}.{moment}": (network[name].shape, single) for moment in ("exp_avg", "exp_avg_sq")}
    return layout


def _snapshots(network: Arrays, number: int) -> Layout:
    """The layout of the arrays of a number of past players."""
    layout = _layout_of(network)
    return {f"{index}.{name}": kind for index in range(number) for name, kind in layout.items()}


def _check_arrays(path: Path, group: str, found: Arrays, needed: Layout) -> None:
    """Raise `CheckpointError` naming an array that is missing, unknown, of another shape or type, or not finite."""
    for name in sorted(found.keys() | needed.keys()):
        where = f"{path}: {printable(f'{group}/{name}', MOST_OF_A_VALUE)}"
        if name not in found:
            raise CheckpointError(f"{where}: missing")
        if name not in needed:
            raise CheckpointError(f"{where}: unknown; this run has no such array")
        array, (shape, dtype) = found[name], needed[name]
        if array.shape != shape or array.dtype != dtype:
            raise CheckpointError(f"{where}: expected {dtype} {shape}, got {array.dtype} {shorten(array.shape)}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError(f"{where}: expected numbers, got NaN or infinity")


def _check_carried(path: Path, carried: Arrays) -> None:
    """Raise `CheckpointError` unless row s holds only open decisions of seat s, and each of these is legal."""
    seats, chosen, masks = carried["seats"], carried["actions"], carried["masks"]
    if not ((seats == np.arange(len(seats))[:, None]) | (seats == -1)).all():
        raise CheckpointError(f"{path}: carried/seats: expected its number or -1 in each row")
    actions = masks.shape[2]
    if not ((chosen >= 0) & (chosen < actions)).all():
        raise CheckpointError(f"{path}: carried/actions: expected numbers in 0..{actions - 1}")
    is_legal = np.take_along_axis(masks, chosen[:, :, None].astype(np.int64), axis=2)[:, :, 0] == 1
    if not is_legal[seats >= 0].all():
        raise CheckpointError(f"{path}: carried/actions: one that carried/masks does not allow")
