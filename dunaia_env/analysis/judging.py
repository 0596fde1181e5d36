"""A finished or unfinished game judged decision by decision: win probabilities, costs, luck, and what they add up to.

Let p(k) be every seat's win probability after k decisions, as an adviser estimates it. Let q(k, a) be the win
probabilities after action a of decision k, before the chance events that follow. From one decision to the next, a
seat's win probability changes by the sum of three parts:

- the choice: q(k, chosen) - q(k, best). For the deciding seat it is minus the *cost*; for each other seat it is what
  the mistake gave that seat;
- the luck: the estimate in the position that was reached, minus its mean over all possible outcomes of chance. It has
  mean zero however well or badly anybody plays and however wrong the estimates are;
- the correction: the rest, by which the adviser corrects its estimate as the game becomes clearer.

So the parts of a whole game add up exactly to its result minus the win probability at the beginning. Backgammon
programs analyse skill and luck in this way (Zare: "Skill and luck in backgammon", Inside Backgammon, 1999; GNU
Backgammon's manual, "Luck analysis"), and the control variates of AIVAT are the same differences (Burch, Schmid,
Moravcik, Morrill, Bowling: "AIVAT: a new variance reduction technique for agent evaluation in imperfect information
games", AAAI 2018).

The best action is the one that the adviser would play. It is not the action with the largest estimate: the largest of
many noisy estimates tends to be too large (Smith, Winkler: "The optimizer's curse", Management Science, 2006), and
every seat would be charged with mistakes that it did not make.

Probabilities are multiples of 0.0001, so that they are the same on every machine and their sums are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.analysis.advisers import Adviser, Judgement, load_adviser
from dunaia_env.analysis.fortune import luck_of
from dunaia_env.harness.game import Game
from dunaia_env.harness.state import GameState, View, view_of
from dunaia_env.replay import Replay, ReplayError, positions, result_of
from dunaia_env.support.messages import MOST_OF_A_VALUE, printable, shorten

Floats = NDArray[np.float64]
Units = NDArray[np.int64]

# Probabilities are counted in units of one ten-thousandth.
UNITS = 10_000
# A choice that costs at least this much of a win is called a mistake. GNU Backgammon calls a choice that costs 0.04
# points doubtful.
MISTAKE = 0.02
# An action is listed only if it got at least these parts of the best one's simulations and probability: estimates from
# fewer simulations are mostly noise, and one that the adviser would not follow whatever it says misleads.
FAIR_TRIALS, FAIR_PROBABILITY = 0.5, 0.05
# Largest number of actions that are listed for a decision.
MOST_ACTIONS = 5
# Number of decisions that are judged together, between two reports of progress.
_AT_ONCE = 32

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Option:
    """A legal action as an adviser sees it.

    Attributes:
        action: text of the action.
        probability: probability with which the adviser would choose it, 0..1.
        chance: the deciding seat's win probability after it, 0..1; None if the adviser did not examine it.
        trials: the number of simulations that began with it; None without a search.
    """

    action: str
    probability: float
    chance: float | None
    trials: int | None = None


@dataclass(frozen=True)
class Advice:
    """An adviser's view of one decision.

    Attributes:
        seat: the deciding seat.
        chances: win probability of each seat before the decision; they sum to 1.
        actions: the legal actions, best first.
        indifferent: whether the adviser has no preference: all actions are equally good to it.
    """

    seat: int
    chances: list[float]
    actions: list[Option]
    indifferent: bool

    def good(self) -> list[Option]:
        """At most five actions, best first; none if the adviser has no preference.

        Besides the best one they are those whose win probability is at most 0.02 below its own, and that got at least
        0.5 of its simulations and 0.05 of its probability.
        """
        return (
            [] if self.indifferent else [one for one in self.actions if _is_good(one, self.actions[0])][:MOST_ACTIONS]
        )

    def to_json(self) -> dict[str, Any]:
        """The advice as JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class Comparison:
    """An action beside the one that an adviser would play.

    Attributes:
        action: text of the action.
        best: text of the action that the adviser would play.
        cost: the win probability that the deciding seat loses with the action, at least 0.
    """

    action: str
    best: str
    cost: float


@dataclass(frozen=True)
class Position:
    """A position of a game.

    Attributes:
        number: number of decisions before it.
        chances: win probability of each seat, or the result where the game is over; they sum to 1.
        scores: points of each seat if the game ended here.
        seat: the deciding seat; None when the game is over.
        round: number of rounds played.
    """

    number: int
    chances: list[float]
    scores: list[int]
    seat: int | None
    round: int


@dataclass(frozen=True)
class Decision:
    """A decision of a game.

    Attributes:
        number: number of decisions before it.
        seat: the deciding seat.
        action: the text of the action that was chosen.
        best: the text of the action that the adviser would have chosen.
        cost: win probability that the choice cost the deciding seat, at least 0.
        choice: what the choice changed for each seat, in win probability: minus the cost for the deciding seat.
        luck: the luck of each seat, in win probability.
        actions: at most five actions, best first: the chosen one, and those that `Advice.good` names.
        indifferent: whether the adviser has no preference: all legal actions are equally good to it.
    """

    number: int
    seat: int
    action: str
    best: str
    cost: float
    choice: list[float]
    luck: list[float]
    actions: list[Option]
    indifferent: bool


@dataclass(frozen=True)
class Total:
    """The sums of a seat's game: ``start + skill + opponents + luck + corrections == end``.

    Attributes:
        seat: the seat.
        start: win probability at the first decision.
        skill: win probability lost by own choices, at most 0.
        opponents: win probability gained by the other seats' mistakes; rarely negative, when a mistake helped a third
            seat.
        luck: win probability that chance gave.
        corrections: win probability by which the adviser corrected its estimates during the game.
        end: share of the win; for an unfinished game, the win probability in the last position.
        decisions: number of the seat's decisions.
        mistakes: number of these decisions that cost 0.02 or more.
        reliable: whether the corrections are not larger than skill and luck together. Otherwise the adviser's estimates
            were too rough to tell skill from luck.
    """

    seat: int
    start: float
    skill: float
    opponents: float
    luck: float
    corrections: float
    end: float
    decisions: int
    mistakes: int
    reliable: bool


@dataclass(frozen=True)
class Analysis:
    """A judged game.

    Attributes:
        adviser: name of the adviser.
        names: the name of each seat's player.
        result: scores, ranks, rounds and ``truncated`` as in the replay, and whether the game is ``over``.
        totals: one for each seat.
        positions: all positions, one more than decisions.
        decisions: all decisions.
        mistakes: numbers of the decisions that cost 0.02 or more, biggest first.
    """

    adviser: str
    names: list[str]
    result: dict[str, Any]
    totals: list[Total]
    positions: list[Position]
    decisions: list[Decision]
    mistakes: list[int]

    def to_json(self) -> dict[str, Any]:
        """The analysis as JSON data: numbers are rounded to four decimals and the same on every machine."""
        return asdict(self)


def analyse(
    replay: Replay,
    *,
    components: Any = None,
    adviser: str | Adviser = "champion",
    simulations: int | None = None,
    progress: Progress | None = None,
    source: str = "replay",
) -> Analysis:
    """Judge every decision of a game, finished or not.

    Args:
        replay: the game; a trace is judged like any replay.
        components: a component file or its content; None for the game's own.
        adviser: an adviser, or the name of one, see `load_adviser`.
        simulations: see `load_adviser`; has to be None if the adviser is given as an object.
        progress: called from time to time with the fraction that is done, 0..1.
        source: the file's name in errors.

    Raises `ReplayError` for a replay that does not fit its game and `ValueError` for an adviser that cannot judge it.
    """
    game, loaded = replay.game, replay.game.load(components)
    judge = _adviser(adviser, game, loaded, simulations)
    states = [state.clone() for _, state, _ in positions(replay, components=loaded, source=source)]
    _check_result(replay, states[-1], source)
    chosen = [game.parse_action(line["action"]) for line in replay.decisions]
    judged: list[Judgement] = []
    lucks: list[Units] = []
    for first in range(0, len(chosen), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        judged += judge.judge([view_of(state) for state in states[:-1][part]], chosen[part])
        lucks += [units(row, 0) for row in luck_of(judge, states[first : first + _AT_ONCE + 1], chosen[part])]
        if progress is not None:
            progress(min(first + _AT_ONCE, len(chosen)) / len(chosen))
    values = [units(judgement.value) for judgement in judged] + [_last_value(judge, states[-1])]
    rows = zip(states, chosen, judged, lucks, strict=False)
    decisions = [_decision(number, *row) for number, row in enumerate(rows)]
    costly = [decision.number for decision in decisions if decision.cost >= MISTAKE]
    return Analysis(
        adviser=judge.name,
        names=[printable(name, MOST_OF_A_VALUE) for name in replay.header["agents"]],
        result=result_of(states[-1]) | {"over": states[-1].is_over},
        totals=_totals(values, decisions),
        positions=[_position(number, state, values[number]) for number, state in enumerate(states)],
        decisions=decisions,
        mistakes=sorted(costly, key=lambda number: (-decisions[number].cost, number)),
    )


def advise(view: View | GameState, adviser: str | Adviser = "champion", *, simulations: int | None = None) -> Advice:
    """What an adviser says about a decision, using only what the deciding seat knows.

    Args:
        view: view of the deciding seat, or a state.
        adviser: an adviser, or the name of one, see `load_adviser`.
        simulations: see `load_adviser`; has to be None if the adviser is given as an object.

    Raises `ValueError` if the seat of the view does not decide, and for an adviser that cannot judge the game.
    """
    own = _deciding(view)
    judge = _adviser(adviser, own.game, own.components, simulations)
    judgement = judge.judge([own])[0]
    chances = [unit / UNITS for unit in units(judgement.value).tolist()]
    actions = _options(judgement, own.game, own.seat, judgement.order)
    return Advice(own.seat, chances, actions, _is_indifferent(actions))


def compare(
    view: View | GameState, action: int | str, adviser: str | Adviser = "champion", *, simulations: int | None = None
) -> Comparison:
    """What an action costs, as an analysis would say it, using only what the deciding seat knows.

    Args:
        view: view of the deciding seat, or a state.
        action: number or text of a legal action.
        adviser: an adviser, or the name of one, see `load_adviser`.
        simulations: see `load_adviser`; has to be None if the adviser is given as an object.

    Raises `ValueError` if the seat of the view does not decide, for an action that is not legal, and for an adviser
    that cannot judge the game.
    """
    own = _deciding(view)
    number = own.check(action)
    judgement = _adviser(adviser, own.game, own.components, simulations).judge([own], [number])[0]
    text = own.game.action_text
    cost = -int(_choice(judgement, number, own.seat)[own.seat]) / UNITS
    return Comparison(text(number), text(int(judgement.actions[judgement.order[0]])), cost)


def units(values: Floats, total: int = UNITS) -> Units:
    """Numbers as multiples of 1 / 10,000 that sum to ``total`` of these; the largest absorbs the rounding error."""
    # Rounded twice, because the last bits depend on the processor and must not decide.
    rounded = np.round(np.round(values, 9) * UNITS).astype(np.int64)
    rounded[int(np.abs(rounded).argmax())] += total - int(rounded.sum())
    return rounded


def _deciding(view: View | GameState) -> View:
    """The view of the deciding seat; raises `ValueError` for any other position."""
    if view.is_over:
        raise ValueError("view: expected a position with a decision, got the end of a game")
    own = view_of(view)
    if not own.legal_actions():
        raise ValueError(f"view: expected the view of the seat that decides, got that of seat {own.seat}")
    return own


def _choice(judgement: Judgement, action: int, seat: int) -> Units:
    """What an action changes for each seat, compared with the best one; nothing unless it costs its seat something."""
    own = int(np.flatnonzero(judgement.actions == action)[0])
    after_best, after_own = (units(judgement.values[index]) for index in (judgement.order[0], own))
    choice = after_own - after_best
    return choice if choice[seat] < 0 else np.zeros_like(choice)


def _adviser(adviser: str | Adviser, game: Game, components: Any, simulations: int | None) -> Adviser:
    if isinstance(adviser, Adviser) and not isinstance(adviser, type):
        if simulations is not None:
            raise ValueError(
                f"simulations: expected None with an adviser that is given as an object, got {shorten(simulations)}"
            )
        return adviser
    return load_adviser(adviser, game=game, components=components, simulations=simulations)  # type: ignore[arg-type]


def _check_result(replay: Replay, last: GameState, source: str) -> None:
    """Raise `ReplayError` unless a file's result is that of its last position."""
    played = result_of(last)
    for key, value in played.items():
        if replay.result[key] != value:
            raise ReplayError(
                f"{printable(source, MOST_OF_A_VALUE)}: line {len(replay.decisions) + 2}: result.{key} ="
                f" {shorten(replay.result[key])}; played again it is {value}"
            )


def _last_value(adviser: Adviser, state: GameState) -> Units:
    return units(adviser.shares([state])[0] if state.is_over else adviser.judge([view_of(state)])[0].value)


def _decision(number: int, state: GameState, action: int, judgement: Judgement, luck: Units) -> Decision:
    seat, game = state.seat, state.game
    own = int(np.flatnonzero(judgement.actions == action)[0])
    choice = _choice(judgement, action, seat)
    options = _options(judgement, game, seat, judgement.order)
    first = judgement.order.index(own) if choice[seat] >= 0 else 0
    good = [action for action, one in zip(judgement.order, options, strict=True) if _is_good(one, options[first])]
    shown = [action for action in good if action != own][: MOST_ACTIONS - 1]
    place = (
        sum(judgement.order.index(action) < judgement.order.index(own) for action in shown) if choice[seat] < 0 else 0
    )
    shown.insert(place, own)
    return Decision(
        number=number,
        seat=seat,
        action=game.action_text(action),
        best=game.action_text(int(judgement.actions[shown[0]])),
        cost=-int(choice[seat]) / UNITS,
        choice=_floats(choice),
        luck=_floats(luck),
        actions=_options(judgement, game, seat, shown),
        indifferent=_is_indifferent(options),
    )


def _is_good(option: Option, best: Option) -> bool:
    """Whether an action is the best one, or one that the adviser examined well and found hardly worse or better."""
    if option.action == best.action or option.chance is None or best.chance is None:
        return option.action == best.action
    is_near = round((best.chance - option.chance) * UNITS) <= MISTAKE * UNITS
    is_fair = (option.trials or 0) >= FAIR_TRIALS * (best.trials or 0)
    return is_near and is_fair and option.probability >= FAIR_PROBABILITY * best.probability


def _is_indifferent(options: Sequence[Option]) -> bool:
    return len(options) > 1 and len({(one.probability, one.chance) for one in options}) == 1


def _options(judgement: Judgement, game: Game, seat: int, shown: Sequence[int]) -> list[Option]:
    chances = [None if np.isnan(row).any() else int(units(row)[seat]) / UNITS for row in judgement.values]
    probabilities = np.round(np.round(judgement.policy, 9), 4).tolist()
    trials = [None] * len(chances) if judgement.trials is None else judgement.trials.tolist()
    return [
        Option(game.action_text(int(judgement.actions[index])), probabilities[index], chances[index], trials[index])
        for index in shown
    ]


def _position(number: int, state: GameState, value: Units) -> Position:
    seat = None if state.is_over else state.seat
    return Position(number, _floats(value), state.scores(), seat, state.ending()[0])


def _floats(row: Units) -> list[float]:
    return [unit / UNITS for unit in row.tolist()]


def _totals(values: Sequence[Units], decisions: Sequence[Decision]) -> list[Total]:
    totals = []
    for seat in range(len(values[0])):
        own = [decision for decision in decisions if decision.seat == seat]
        skill = -sum(round(decision.cost * UNITS) for decision in own)
        given = sum(round(decision.choice[seat] * UNITS) for decision in decisions if decision.seat != seat)
        luck = sum(round(decision.luck[seat] * UNITS) for decision in decisions)
        start, end = int(values[0][seat]), int(values[-1][seat])
        corrections = end - start - skill - given - luck
        totals.append(
            Total(
                seat=seat,
                start=start / UNITS,
                skill=skill / UNITS,
                opponents=given / UNITS,
                luck=luck / UNITS,
                corrections=corrections / UNITS,
                end=end / UNITS,
                decisions=len(own),
                mistakes=sum(decision.cost >= MISTAKE for decision in own),
                reliable=abs(corrections) <= abs(skill) + abs(luck),
            )
        )
    return totals
