"""What can be asked of `training.ppo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_type_hints

from dunaia_env.harness.commands import check_numbers
from dunaia_env.harness.dealing import check_dealt, dealt, read_dealt
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, game_of_file, name_of
from dunaia_env.support.messages import reason, shorten
from dunaia_env.support.typed_json import convert


@dataclass(frozen=True)
class Arguments:
    """Train a shared-network PPO player by self-play."""

    run: str | None = None
    """Folder of the run. Absent: a new folder under runs/, or the newest one with --resume."""
    resume: bool = False
    """Go on from the run's last checkpoint with its arguments; those on the command line replace them."""
    minutes: float = 5.0
    """Time budget of the whole run, resumed parts included."""
    decisions: int | None = None
    """Budget in decisions instead of minutes. With fixed --threads, --precision and --compile such a run repeats
    bit for bit on the same machine."""
    seed: int = 0
    """Of the first weights, the games and every random choice."""

    players: tuple[int, ...] = (2,)
    """Players at a table; several numbers are dealt to the lanes in turn."""
    game: str = DEFAULT_GAME.name
    """The game: its name, or a module with a game of your own, such as my_package.game."""
    game_options: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The options of the game but the number of players, by name; several values of one are dealt to the lanes in turn.
    Matches use the first. What is not given is that of the full game."""
    components: str | None = None
    """A component file; the project's own if absent."""
    allow_other_components: bool = False
    """Go on with a checkpoint of another rule set; the model file then names both."""
    reward: str = "win"
    """At the end of a game: win (share of the victory), rank or score (margin)."""
    layers: int = 2
    """Hidden layers of the network."""
    width: int = 256
    """Units of each hidden layer."""
    weights: str | None = None
    """A model file whose weights a new run begins with: of the same hidden layers, made for these tables or larger
    ones too."""

    lanes: int = 1024
    """Games played side by side."""
    steps: int = 64
    """Decisions of each lane in a rollout."""
    epochs: int = 2
    """Times that each decision of a rollout is learned from."""
    minibatches: int = 8
    """Parts into which a rollout is cut in each epoch."""
    learning_rate: float = 2e-3
    """Of Adam; falls linearly to zero over the cooldown."""
    cooldown: float = 1.0
    """Last part of the budget, more than 0, at most 1, in which learning rate and entropy fall; before it they stay, so
    that a run can get a larger budget as if it had always had it."""
    clip: float = 0.2
    """How far the probability of an action may move in one update, as a ratio."""
    entropy: float = 0.02
    """Weight of the policy's entropy before the cooldown."""
    entropy_end: float = 0.002
    """The same at the end."""
    value_weight: float = 0.5
    """Weight of the squared errors of every seat's value."""
    score_weight: float = 0.0
    """The same of every seat's final score, in units of 20 points."""
    margin: float = 0.0
    """What a margin of 20 points is worth beside the reward at the start; falls linearly to zero."""
    gradient_norm: float = 0.5
    """Longest gradient of an update."""
    discount: float = 1.0
    """Of what lies one decision of the same seat ahead."""
    gae_lambda: float = 0.95
    """0 trusts the value estimates, 1 the outcomes of the games (generalised advantage estimation)."""

    simulations: int = 0
    """Of a search that decides in the network's place, which then imitates it (expert iteration); 0 for none."""
    searched: float = 1.0
    """Part of the decisions that are searched, 0..1."""
    candidates: int = 8
    """Actions among which a search shares its simulations out."""
    value_scale: float = 0.1
    """How far what a search finds outweighs the network's policy. In play 1 is best; to be imitated, it follows the
    luck of a few simulations too far."""
    imitation_weight: float = 1.0
    """Weight of the cross-entropy to the searches' improved policies."""

    past_share: float = 0.0
    """Part of the tables at which past players hold all seats but one, 0..1."""
    past_updates: int = 100
    """Updates between two snapshots of the network, which become past players."""
    past_kept: int = 10
    """Most past players; a new one takes the place of a random one."""
    against: str | None = None
    """A model file that sits where past players would, at all tables unless --past-share says otherwise: what is
    trained is a best response to it. A beginner that only ever loses to it learns nothing: half of the tables
    (--past-share 0.5) leave the others for playing against itself."""

    opponents: tuple[str, ...] = ("random", "greedy")
    """Whom the network is measured against."""
    evaluation_seconds: float = 30.0
    """Training time between two short matches against them."""
    evaluation_games: int = 200
    """Games of a short match."""
    final_games: int = 400
    """Games of the match against each opponent after training; 0 for none."""
    save_seconds: float = 30.0
    """Training time between two checkpoints."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the network computes; auto takes a GPU if there is one."""
    processes: int = 1
    """That share the work on this machine. On CPUs, as many as there are cores is mostly fastest, and they keep their
    pace when other work runs beside. On several machines, use torchrun."""
    threads: int = 0
    """Of torch on the CPU; 0 measures whether all cores are faster than one, and again when the pace changes."""
    engine_threads: int = 0
    """Of the lanes; 0 takes one per core, at most 8."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Of matrix products; auto measures which is faster, as for --threads."""
    compile: Literal["auto", "on", "off"] = "auto"
    """torch.compile; auto uses it where a C++ compiler is found."""

    def __post_init__(self) -> None:
        game = find_game(self.game)
        object.__setattr__(self, "game", name_of(game))
        object.__setattr__(self, "game_options", dealt(game, self.game_options))

    @property
    def others_share(self) -> float:
        """Part of the tables at which past players, or the frozen one, hold all seats but one, 0..1."""
        return self.past_share or float(self.against is not None)


def check(arguments: Arguments) -> None:
    """Raise `ValueError` naming an argument that is out of its range, and what is needed."""
    check_numbers(
        arguments,
        positive=(
            *("minutes", "lanes", "steps", "epochs", "minibatches", "layers", "width", "learning_rate", "clip"),
            *("gradient_norm", "evaluation_games", "past_updates", "past_kept", "processes", "candidates"),
        ),
        not_negative=(
            *("seed", "entropy", "entropy_end", "value_weight", "score_weight", "margin", "value_scale"),
            *("imitation_weight", "evaluation_seconds", "final_games", "save_seconds", "threads", "engine_threads"),
        ),
        shares=("past_share", "searched", "discount", "gae_lambda"),
    )
    if arguments.decisions is not None and arguments.decisions <= 0:
        raise ValueError(f"decisions: {arguments.decisions}; more than 0 is needed")
    if not 0 < arguments.cooldown <= 1:
        raise ValueError(f"cooldown: {arguments.cooldown}; a number above 0 and up to 1 is needed")
    check_dealt(find_game(arguments.game), arguments.players, arguments.game_options)
    if arguments.simulations < 0 or arguments.simulations == 1:
        raise ValueError(f"simulations: {arguments.simulations}; 0 or at least 2 are needed")
    if arguments.minibatches > arguments.lanes * arguments.steps:
        raise ValueError(f"minibatches: {arguments.minibatches}; at most lanes * steps are possible")


def arguments_of(content: Any) -> Arguments:
    """The arguments that a checkpoint's header holds, checked; raises `ValueError` naming one that is wrong.

    What is not there has its default: older runs know fewer.
    """
    if not isinstance(content, dict):
        raise ValueError(f"arguments: {shorten(content)}; a table is needed")
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
    """What a checkpoint's header holds of arguments: their values by name, the game's options among them."""
    content = asdict(arguments)
    options: dict[str, Any] = content.pop("game_options")
    return content | options


class Part(NamedTuple):
    """A part of a run that has arguments of its own: each time a run is resumed with others, one begins.

    Attributes:
        decisions, seconds: of the run when the part began.
        arguments: without `run` and `resume`.
    """

    decisions: int
    seconds: float
    arguments: Arguments

    def header(self) -> dict[str, Any]:
        """What a checkpoint's header holds of it."""
        return self._asdict() | {"arguments": header_of(self.arguments)}


def kept(arguments: Arguments) -> Arguments:
    """The arguments that a run's history tells of: all but where the run is and whether it was resumed."""
    return replace(arguments, run=None, resume=False)


def with_part(history: list[Part], decisions: int, seconds: float, arguments: Arguments) -> list[Part]:
    """A run's parts when it goes on with these arguments."""
    history = [part for part in history if part.decisions < decisions]
    arguments = kept(arguments)
    if not history or history[-1].arguments != arguments:
        history.append(Part(decisions, seconds, arguments))
    return history
