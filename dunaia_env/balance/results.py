"""All results of a study, as a report shows them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from dunaia_env.balance.design import Condition, Kind
from dunaia_env.balance.games import Games
from dunaia_env.balance.matchups import Matchups, match_ups
from dunaia_env.balance.measures import (
    Agreement,
    Pick,
    Power,
    Shares,
    Step,
    agreement_of,
    picks_of,
    power_of,
    shares_of,
    step_between,
)
from dunaia_env.balance.plans import specials_of
from dunaia_env.balance.shapes import First, Shape, firsts_of, shape_of
from dunaia_env.balance.study import Study
from dunaia_env.balance.unlearned import Learning, SpecialResult, base_of_search, judge_learning, special_result
from dunaia_env.balance.verdicts import RoleVerdict, judge
from dunaia_env.harness.roles import NOBODY

SEVERAL: tuple[Kind, ...] = ("assigned", "drafted", "absent")


@dataclass(frozen=True)
class Results:
    """The results of a study; a field is empty if the study has no games for it.

    Attributes:
        verdicts: the verdict on every role at every number of players.
        others: the same for other trained agents in the place of the strengths; searches are left out.
        shares: win shares and margins in every condition with assigned, drafted or absent roles.
        matchups: match-ups of the roles when the strongest agent plays, by number of players.
        powers: what powers are worth.
        steps: changes of the roles' shares from each strength to the next, and from the first to the last.
        agreements: whether the strongest agent and the others agree; searches are left out.
        searches: changes of the roles' shares from an agent to a search by this agent.
        specials: roles held by agents that were trained for them.
        learnings: whether roles are weak or unlearned.
        shapes: shapes of the games of every condition with assigned, drafted or absent roles.
        picks: picks in the drafts.
        firsts: which seat does what first, in games of the strongest agent.
    """

    verdicts: tuple[RoleVerdict, ...]
    others: tuple[RoleVerdict, ...]
    shares: tuple[Shares, ...]
    matchups: dict[int, Matchups]
    powers: tuple[Power, ...]
    steps: tuple[Step, ...]
    agreements: tuple[Agreement, ...]
    searches: tuple[Step, ...]
    specials: tuple[SpecialResult, ...]
    learnings: tuple[Learning, ...]
    shapes: tuple[Shape, ...]
    picks: tuple[Pick, ...]
    firsts: tuple[First, ...]


def measure(study: Study) -> Results:
    """Compute the results of a study; conditions that have not been played are left out."""
    game, plan = study.game, study.plan
    names = game.check_roles().names
    roles, strongest = len(names), plan.strengths[-1]
    plain = [(one, study.games[one.name]) for one in study.conditions if _is_plain(one, study)]
    matchups: dict[int, Matchups] = {}
    powers: list[Power] = []
    steps: list[Step] = []
    agreements: list[Agreement] = []
    searches: list[Step] = []
    specials: list[SpecialResult] = []
    learnings: list[Learning] = []
    picks: list[Pick] = []
    firsts: list[First] = []
    everywhere = (*plan.strengths, *plan.others)
    assigned = {(one.players, one.agent): games for one, games in plain if one.kind == "assigned"}
    for players in plan.players:
        played = [agent for agent in plan.strengths if (players, agent) in assigned]
        jumps = list(pairwise(played))
        if len(played) > 2:
            jumps.append((played[0], played[-1]))
        for weak, strong in jumps:
            steps.append(step_between(assigned[players, weak], assigned[players, strong], (weak, strong), roles))
        everybody = [agent for agent in dict.fromkeys((strongest, *plan.others)) if (players, agent) in assigned]
        trained = [agent for agent in everybody if not base_of_search(agent, everywhere)]
        if len(trained) > 1:
            agreements += agreement_of({agent: assigned[players, agent] for agent in trained}, roles)
        by_agent = {agent: games for (seats, agent), games in assigned.items() if seats == players}
        found = [(base_of_search(agent, list(by_agent)), agent) for agent in by_agent]
        searched = [step_between(by_agent[pair[0]], by_agent[pair[1]], pair, roles) for pair in found if pair[0]]
        special = _specials(study, players)
        searches += searched
        specials += special
        if (general := assigned.get((players, strongest))) is not None:
            matchups[players] = match_ups(general, roles)
            worth = [
                power_of(general, study.of("powerless", players, strongest, name), role, strongest)
                for role, name in enumerate(names)
            ]
            powers += worth
            learnings += judge_learning(by_agent, strongest, searched, special, worth, roles, plan.tolerance)
    events = game.events.names if game.events else ()
    for one, games in plain:
        if one.kind == "drafted":
            picks += picks_of(games, one.agent, roles)
        if one.agent == strongest:
            firsts += firsts_of(games, one.kind, one.agent, events)
    judged = {key: games for key, games in assigned.items() if key[1] in plan.strengths}
    witnesses = [one for one in plan.others if not base_of_search(one, everywhere)]
    beside = {key: games for key, games in assigned.items() if key[1] in witnesses}
    return Results(
        tuple(judge(judged, names, tolerance=plan.tolerance)),
        tuple(judge(beside, names, tolerance=plan.tolerance)),
        tuple(shares_of(games, one.kind, one.players, one.agent, roles) for one, games in plain),
        matchups,
        tuple(powers),
        tuple(steps),
        tuple(agreements),
        tuple(searches),
        tuple(specials),
        tuple(learnings),
        tuple(shape_of(games, one.kind, one.agent) for one, games in plain),
        tuple(picks),
        tuple(firsts),
    )


def _specials(study: Study, players: int) -> list[SpecialResult]:
    """How roles do when agents trained for them hold them, for the agents whose games were all played."""
    opponent, found = study.plan.opponent, []
    for one in specials_of(study.plan, study.game):
        games = (
            study.of("assigned", players, opponent),
            study.of("assigned", players, opponent, one.text),
            study.of("assigned", players, one.agent, f"{one.name} held"),
            study.of("powerless", players, opponent, one.name),
            study.of("powerless", players, opponent, one.text),
        )
        general, special, among, plain, held = games
        if general and special and among and plain and held:
            agents = one.agent, opponent
            found.append(
                special_result(general, special, among, (plain, held), one.role, agents, response=one.response)
            )
    return found


def _is_plain(condition: Condition, study: Study) -> bool:
    """Whether a condition has games of one agent with all roles, without anything forbidden or exchanged."""
    games: Games | None = study.games.get(condition.name)
    changed = condition.role_agents or condition.role != NOBODY or condition.forbidden or condition.exchanges
    return condition.kind in SEVERAL and not changed and games is not None and len(games) > 0
