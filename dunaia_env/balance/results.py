"""The results of a study, as a report shows them: what each question is asked with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from dunaia_env.balance import design, plans
from dunaia_env.balance.games import Games
from dunaia_env.balance.questions import causes, draft, priorities, unlearned
from dunaia_env.balance.questions.matchups import Matchups, match_ups
from dunaia_env.balance.questions.powers import Power, power_of
from dunaia_env.balance.questions.shapes import Shape, shape_of
from dunaia_env.balance.questions.shares import Shares, shares_of
from dunaia_env.balance.questions.skill import Agreement, Step, agreement_of, base_of_search, step_between
from dunaia_env.balance.questions.verdicts import RoleVerdict, judge
from dunaia_env.balance.study import Study
from dunaia_env.harness.roles import NOBODY

SEVERAL: tuple[design.Kind, ...] = ("assigned", "drafted", "absent")


class Results:
    """The results of a study, each computed when it is first asked for; empty if the study has no games for it.

    Conditions that have not been played are left out.
    """

    def __init__(self, study: Study) -> None:
        plan = study.plan
        self._study, self._plan, self._names = study, plan, study.game.require("roles").names
        self._strongest, self._agents = plan.strengths[-1], (*plan.strengths, *plan.others)
        # The games of one agent, and those with assigned roles among them, by number of players and agent.
        self._plain = [
            (condition, study.games[condition.name]) for condition in study.conditions if _is_plain(condition, study)
        ]
        self._assigned = {(one.players, one.agent): games for one, games in self._plain if one.kind == "assigned"}

    def data(self) -> dict[str, Any]:
        """All results by name."""
        return {name: getattr(self, name) for name, one in vars(Results).items() if isinstance(one, cached_property)}

    @cached_property
    def verdicts(self) -> tuple[RoleVerdict, ...]:
        """The verdict on every role at every number of players."""
        return self._judged(self._plan.strengths)

    @cached_property
    def priorities(self) -> tuple[priorities.Priority, ...]:
        """What to change first."""
        return priorities.priorities_of(self.verdicts, self._plan.tolerance)

    @cached_property
    def others(self) -> tuple[RoleVerdict, ...]:
        """The same for the witnesses in the place of the levels; searches are left out."""
        return self._judged([other for other in self._plan.others if not base_of_search(other, self._agents)])

    def _judged(self, agents: Sequence[str]) -> tuple[RoleVerdict, ...]:
        games = {key: games for key, games in self._assigned.items() if key[1] in agents}
        return tuple(judge(games, self._names, tolerance=self._plan.tolerance))

    @cached_property
    def shares(self) -> tuple[Shares, ...]:
        """Win shares and margins in every condition with assigned, drafted or absent roles."""
        roles = len(self._names)
        return tuple(shares_of(games, one.kind, one.players, one.agent, roles) for one, games in self._plain)

    @cached_property
    def matchups(self) -> dict[int, Matchups]:
        """Match-ups of the roles when the strongest agent plays, by number of players."""
        return {players: match_ups(games, len(self._names)) for players, games in self._of_strongest().items()}

    def _of_strongest(self) -> dict[int, Games]:
        """The games of the strongest agent with assigned roles by number of players."""
        found = {players: self._assigned.get((players, self._strongest)) for players in self._plan.players}
        return {players: games for players, games in found.items() if games is not None}

    @cached_property
    def powers(self) -> tuple[Power, ...]:
        """What powers are worth."""
        strongest = self._strongest
        return tuple(
            power_of(games, self._study.of("powerless", players, strongest, name), role, strongest)
            for players, games in self._of_strongest().items()
            for role, name in enumerate(self._names)
        )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Changes of the roles' shares from each strength to the next, and from the first to the last."""
        steps = []
        for players in self._plan.players:
            played = [agent for agent in self._plan.strengths if (players, agent) in self._assigned]
            pairs = list(pairwise(played))
            if len(played) > 2:
                pairs.append((played[0], played[-1]))
            steps += [self._step(players, pair) for pair in pairs]
        return tuple(steps)

    def _step(self, players: int, pair: tuple[str, str]) -> Step:
        weak, strong = (self._assigned[players, agent] for agent in pair)
        return step_between(weak, strong, pair, len(self._names))

    @cached_property
    def agreements(self) -> tuple[Agreement, ...]:
        """Whether the strongest agent and the others agree; searches are left out."""
        agreements: list[Agreement] = []
        for players in self._plan.players:
            agents = dict.fromkeys((self._strongest, *self._plan.others))
            trained = [agent for agent in agents if not base_of_search(agent, self._agents)]
            games = {agent: self._assigned[players, agent] for agent in trained if (players, agent) in self._assigned}
            if len(games) > 1:
                agreements += agreement_of(games, len(self._names))
        return tuple(agreements)

    @cached_property
    def searches(self) -> tuple[Step, ...]:
        """Changes of the roles' shares from an agent to a search by this agent."""
        searches = []
        for players in self._plan.players:
            agents = [agent for seats, agent in self._assigned if seats == players]
            pairs = [(base_of_search(agent, agents), agent) for agent in agents]
            searches += [self._step(players, pair) for pair in pairs if pair[0]]
        return tuple(searches)

    @cached_property
    def specials(self) -> tuple[unlearned.SpecialResult, ...]:
        """Roles held by agents that were trained for them."""
        return tuple(special for players in self._plan.players for special in _specials(self._study, players))

    @cached_property
    def learnings(self) -> tuple[unlearned.Learning, ...]:
        """Whether roles are weak or unlearned."""
        learnings: list[unlearned.Learning] = []
        for players in self._of_strongest():
            by_agent = {agent: games for (seats, agent), games in self._assigned.items() if seats == players}
            searches = [search for search in self.searches if search.players == players]
            specials = [special for special in self.specials if special.players == players]
            powers = [power for power in self.powers if power.players == players]
            roles, tolerance = len(self._names), self._plan.tolerance
            learnings += unlearned.judge_learning(
                by_agent, self._strongest, searches, specials, powers, roles, tolerance
            )
        return tuple(learnings)

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """Shapes of the games of every condition with assigned, drafted or absent roles."""
        return tuple(shape_of(games, one.kind, one.agent) for one, games in self._plain)

    @cached_property
    def picks(self) -> tuple[draft.Pick, ...]:
        """Picks in the drafts."""
        drafted = [(one.agent, games) for one, games in self._plain if one.kind == "drafted"]
        return tuple(pick for agent, games in drafted for pick in draft.picks_of(games, agent, len(self._names)))

    @cached_property
    def firsts(self) -> tuple[causes.First, ...]:
        """Which seat does what first, in games of the strongest agent."""
        events = self._study.game.events
        own = [(one.kind, games) for one, games in self._plain if one.agent == self._strongest]
        names = events.names if events else ()
        return tuple(first for kind, games in own for first in causes.firsts_of(games, kind, self._strongest, names))


def _specials(study: Study, players: int) -> list[unlearned.SpecialResult]:
    """How roles do when agents trained for them hold them, for the agents whose games were all played."""
    opponent, found = study.plan.opponent, []
    for specialist in plans.specials_of(study.plan, study.game):
        games = (
            study.of("assigned", players, opponent),
            study.of("assigned", players, opponent, specialist.text),
            study.of("assigned", players, specialist.agent, f"{specialist.name} held"),
            study.of("powerless", players, opponent, specialist.name),
            study.of("powerless", players, opponent, specialist.text),
        )
        general, special, among, plain, held = games
        if general and special and among and plain and held:
            agents = specialist.agent, opponent
            found.append(
                unlearned.special_result(
                    general, special, among, (plain, held), specialist.role, agents, response=specialist.response
                )
            )
    return found


def _is_plain(condition: design.Condition, study: Study) -> bool:
    """Whether a condition has games of one agent with all roles, without anything forbidden or exchanged."""
    games: Games | None = study.games.get(condition.name)
    changed = condition.role_agents or condition.role != NOBODY or condition.forbidden or condition.exchanges
    return condition.kind in SEVERAL and not changed and games is not None and len(games) > 0
