"""All options of `training.ppo`: those of the algorithm and those of the modules that plug into it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, get_type_hints

from dunaia_env.harness import opponents
from dunaia_env.harness.commands import check_numbers
from dunaia_env.harness.dealing import check_dealt, first_of, read_dealt
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, check_name_in_file, find_game, game_of_file
from dunaia_env.support.messages import reason, shorten
from dunaia_env.support.typed_json import convert
from training.compute import ComputeOptions
from training.facts import tables_of
from training.ppo import PPOArguments

# What --network calls the network of `training.models.networks`, and other names of the networks that play without
# torch.
SHARED = "shared"
_SAME_NETWORKS = {"mlp": None, "training.models.networks:make_shared": SHARED}


@dataclass(frozen=True)
class Arguments(PPOArguments):
    """Train a PPO player by self-play; one network plays every seat."""

    run: str | None = None
    """Folder of the run. If absent, a new folder under runs/; with --resume, the newest run there."""
    resume: bool = False
    """Continue from the run's last checkpoint with the run's arguments; those on the command line override them."""
    tables: tuple[str, ...] = ()
    """Kinds of tables that are dealt to the lanes in turn, in place of --players and the options of the game: presets
    with or without a number of players, such as plain:6. A repeated kind has more lanes."""
    family: str | None = None
    """Family of component files whose members some lanes play: a path, or own for the game's own family. If absent,
    every lane plays --components."""
    family_values: tuple[str, ...] = ()
    """Values that vary in the members of the family, as paths or beginnings of paths such as characters.mystic; by
    default all that the family lets vary."""
    family_share: float = 0.5
    """Share of the lanes that play a member of the family, 0..1; the other lanes play --components."""
    allow_other_components: bool = False
    """Continue from a checkpoint that was trained with other components; the model file then names both."""
    weights: str | None = None
    """Model file whose weights a new run starts with. It must have the same hidden layers and be made for these tables
    or larger ones. For a network of your own, it must come from a run with the same network."""

    simulations: int = 0
    """Number of simulations of a search that decides in place of the network, and that the network imitates (expert
    iteration). 0 for no search."""
    searched: float = 1.0
    """Share of the decisions that are searched, 0..1."""
    candidates: int = 8
    """Number of actions among which a search divides its simulations."""
    value_scale: float = 0.1
    """Weight of the values that a search finds, relative to the network's policy. 1 is best for playing, but a network
    that imitates such a search follows the luck of a few simulations too far."""
    imitation_weight: float = 1.0
    """Weight of the imitation loss: the cross-entropy to the improved policies of the search, to the policy of
    --distill, or to the choices of --imitate."""

    distill: str | None = None
    """Model file whose policy the network imitates, instead of following its own advantages, in the lanes that play the
    model's component file (policy distillation)."""

    imitate: str | None = None
    """Agent that the network imitates at first, such as greedy. The agent decides in all lanes at the start, then in
    fewer and fewer. If absent, the network learns only from its own games."""
    imitated: int = 600_000
    """Number of decisions at the start of the run during which the network imitates the agent of --imitate."""

    past_share: float = 0.0
    """Share of the tables at which past players hold all seats but one, 0..1."""
    past_updates: int = 100
    """Number of updates between two snapshots of the network, which become past players."""
    past_kept: int = 10
    """Largest number of past players; beyond it, a new one replaces a random one."""
    against: str | None = None
    """Model file that plays in place of past players, at all tables unless --past-share says otherwise: the run trains
    a best response to it. A beginner that loses every game to it learns nothing; with --past-share 0.5 the network
    plays against itself at half of the tables."""

    rivals: tuple[str, ...] = ()
    """Agents, such as greedy, that hold all seats but one at a share of the tables, in turn. The network then also
    learns to beat players that are unlike itself."""
    rival_share: float = 0.25
    """Share of the tables at which rivals play, 0..1."""

    opponents: tuple[str, ...] = ("random", "greedy")
    """Agents that the network is evaluated against."""
    evaluation_seconds: float = 30.0
    """Seconds of training between two evaluations, which are short matches against --opponents."""
    evaluation_games: int = 200
    """Number of games of each match in an evaluation."""
    final_games: int = 400
    """Number of games of the match against each opponent after training; 0 for none."""
    save_seconds: float = 30.0
    """Seconds of training between two checkpoints."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Device that computes the network; auto takes a GPU if there is one."""
    processes: int = 1
    """Number of processes that share the work on this machine. On a CPU, one process per core is usually fastest, and
    processes slow down less than threads when other work runs on the machine. For several machines, use torchrun."""
    threads: int = 0
    """Number of torch's threads on the CPU. 0 measures whether one thread or one per core is faster, and measures again
    when the speed changes."""
    engine_threads: int = 0
    """Number of threads that step the lanes; 0 for one per core, at most 8."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Precision of matrix products; auto measures which is faster, as --threads 0 does."""
    compile: Literal["auto", "on", "off"] = "auto"
    """Whether to use torch.compile; auto uses it if a C++ compiler is found and --differences does not apply."""
    differences: Literal["auto", "off"] = "auto"
    """Whether to compute the default network by differences between a seat's observations; auto does it on a CPU unless
    --precision bf16 or --compile on asks for matrix products."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network is not None:
            object.__setattr__(self, "network", _SAME_NETWORKS.get(self.network, self.network))
        if self.tables:
            kinds = tables_of(self)
            options = {name: tuple(dict.fromkeys(kind[name] for kind in kinds)) for name in kinds[0]}
            object.__setattr__(self, "players", options.pop(NUM_PLAYERS))
            object.__setattr__(self, "game_options", options)

    @property
    def has_own_network(self) -> bool:
        """Whether a function of the user makes the network, which then needs torch to play."""
        return self.network not in (None, SHARED)

    @property
    def others_share(self) -> float:
        """Share of the tables at which past players, or the frozen model, hold all seats but one, 0..1."""
        return self.past_share or float(self.against is not None)

    @property
    def rivals_share(self) -> float:
        """Share of the tables at which rivals hold all seats but one: 0 without rivals."""
        return self.rival_share if self.rivals else 0.0

    @property
    def taught(self) -> bool:
        """Whether some decisions have a teacher's policy to imitate."""
        return self.simulations > 0 or self.distill is not None or self.imitate is not None

    @property
    def distinct_players(self) -> tuple[int, ...]:
        """The numbers of players without repetitions, which only give a number more lanes."""
        return tuple(dict.fromkeys(self.players))

    @property
    def judged_tables(self) -> dict[str, dict[str, Any]]:
        """The options of the tables of matches, by name: each of ``tables``, or one for each number of players."""
        if self.tables:
            return dict(zip(self.tables, tables_of(self), strict=True))
        options = first_of(self.game_options)
        return {f"{players}p": {NUM_PLAYERS: players, **options} for players in self.distinct_players}

    @property
    def distinct_options(self) -> dict[str, list[Any]]:
        """The values of each game option without repetitions."""
        return {name: list(dict.fromkeys(values)) for name, values in self.game_options.items()}

    @property
    def compute_options(self) -> ComputeOptions:
        """The options that say how networks and lanes are computed."""
        return ComputeOptions(
            self.device, self.threads, self.engine_threads, self.precision, self.compile, self.differences
        )


def check(arguments: Arguments) -> None:
    """Raise `ValueError` naming an argument that is out of its range, and what is needed."""
    check_numbers(
        arguments,
        positive=(
            *("minutes", "lanes", "steps", "epochs", "minibatches", "layers", "width", "learning_rate", "clip"),
            *("gradient_norm", "evaluation_games", "past_updates", "past_kept", "processes", "candidates", "imitated"),
        ),
        not_negative=(
            *("seed", "entropy", "entropy_end", "value_weight", "score_weight", "margin", "value_scale"),
            *("imitation_weight", "evaluation_seconds", "final_games", "save_seconds", "threads", "engine_threads"),
            "warmup",
        ),
        shares=("past_share", "rival_share", "family_share", "searched", "discount", "gae_lambda"),
    )
    if arguments.decisions is not None and arguments.decisions <= 0:
        raise ValueError(f"decisions: expected more than 0, got {arguments.decisions}")
    for name in ("cooldown", "certain_share"):
        if not 0 < (value := getattr(arguments, name)) <= 1:
            raise ValueError(f"{name}: expected a number above 0 and up to 1, got {value}")
    check_dealt(find_game(arguments.game), arguments.players, arguments.game_options)
    if arguments.family_values and arguments.family is None:
        raise ValueError(f"family_values: expected none without --family, got {' '.join(arguments.family_values)}")
    if arguments.simulations < 0 or arguments.simulations == 1:
        raise ValueError(f"simulations: expected 0 or at least 2, got {arguments.simulations}")
    if arguments.simulations and arguments.has_own_network:
        raise ValueError(
            f"simulations: {arguments.simulations}; a search needs the network mlp or {SHARED}, not {arguments.network}"
        )
    if arguments.simulations and arguments.distill:
        raise ValueError(
            f"simulations: expected 0 with distill, because there is one teacher at a time, got {arguments.simulations}"
        )
    if arguments.imitate and (arguments.simulations or arguments.distill):
        raise ValueError(
            f"imitate: {arguments.imitate}; neither simulations nor distill go with it: one teacher at a time"
        )
    if arguments.first_width is not None and arguments.first_width <= 0:
        raise ValueError(f"first_width: expected a number above 0, got {arguments.first_width}")
    if (both := arguments.others_share + arguments.rivals_share) > 1:
        raise ValueError(f"rival_share: expected at most 1 together with the tables of past players, got {both:g}")
    if arguments.minibatches > arguments.lanes:
        raise ValueError(f"minibatches: expected at most one per lane ({arguments.lanes}), got {arguments.minibatches}")


def names_of_code(arguments: Arguments) -> list[tuple[str, str]]:
    """The arguments whose values name code outside the project, with these values."""
    agents = [("imitate", arguments.imitate or "")]
    agents += [(option, name) for option in ("rivals", "opponents") for name in getattr(arguments, option)]
    found = [(argument, name) for argument, name in agents if opponents.imports_module(name)]
    return [("network", str(arguments.network)), *found] if arguments.has_own_network else found


def check_names(arguments: Arguments, named: Container[str]) -> None:
    """Check the arguments of a checkpoint with which a run is to continue.

    Raises `ValueError` if they name code outside the project that is not in ``named``, the words of the command line.
    """
    for argument, name in names_of_code(arguments):
        needed = f"one of the project's, or one named by --{argument} too"
        check_name_in_file(name, f"{argument} of the checkpoint", known=False, named=named, needed=needed)


def arguments_of(content: Any) -> Arguments:
    """The arguments in a checkpoint's header, checked; raises `ValueError` naming a wrong one.

    A missing argument has its default, because older runs had fewer arguments.
    """
    if not isinstance(content, dict):
        raise ValueError(f"arguments: expected a table, got {shorten(content)}")
    hints = get_type_hints(Arguments)
    del hints["game_options"]
    try:
        values = {name: convert(hint, content[name], name) for name, hint in hints.items() if name in content}
        game = game_of_file(values.get("game", DEFAULT_GAME.name))
        arguments = Arguments(**values, game_options=read_dealt(game, content))
        check(arguments)
    except ValueError as error:
        raise ValueError(f"arguments: {reason(error)}") from None
    return arguments


def header_of(arguments: Arguments) -> dict[str, Any]:
    """Arguments as a checkpoint's header holds them: values by name, including the game's options."""
    content = asdict(arguments)
    options: dict[str, Any] = content.pop("game_options")
    return content | options


class Part(NamedTuple):
    """A part of a run with unchanged arguments; a new part begins when the run is resumed with other arguments.

    Attributes:
        decisions, seconds: the run's counters when the part began.
        arguments: the part's arguments, without `run` and `resume`.
    """

    decisions: int
    seconds: float
    arguments: Arguments

    def header(self) -> dict[str, Any]:
        """The part as a checkpoint's header holds it."""
        return self._asdict() | {"arguments": header_of(self.arguments)}


def for_history(arguments: Arguments) -> Arguments:
    """The arguments that a run's history records: without the run's folder and whether it was resumed."""
    return replace(arguments, run=None, resume=False)


def with_part(history: list[Part], decisions: int, seconds: float, arguments: Arguments) -> list[Part]:
    """The parts of a run that continues with these arguments."""
    history = [part for part in history if part.decisions < decisions]
    arguments = for_history(arguments)
    if not history or history[-1].arguments != arguments:
        history.append(Part(decisions, seconds, arguments))
    return history
