"""The outcome of a battle: treason, explosion, strengths, losses (rules, sections 9 and 13)."""

from __future__ import annotations

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.actions import NUMBER_FIRST, PASS, YES
from dunaia_env.dune.rules import storm
from dunaia_env.dune.rules.common import asking, leaders, seats, spice, steps
from dunaia_env.dune.rules.common.fields import battler, field_of, side_of
from dunaia_env.dune.rules.common.forces import kill_all_tokens, kill_tokens, sweep_spice
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

WEAPON_ASKED, DEFENCE_ASKED = 0, 1


@kernel
def leader_of(state, side):
    """The leader of a side's plan; -1 for a cheap hero or no leader."""
    leader = int(state.plans[side].leader)
    return NONE if leader == layout.HERO else leader


@kernel
def accuser(state, side):
    """The seat that may call the enemy's leader a traitor for a side: the battler, its Harkonnen ally, or -1."""
    leader = leader_of(state, 1 - side)
    if leader == NONE:
        return NONE
    seat = battler(state, side)
    if int(state.players[seat].traitors) >> leader & 1:
        return seat
    harkonnen = seats.seat_with_power(state, layout.HARKONNEN)
    if seats.is_allied(state, harkonnen, seat) and int(state.players[harkonnen].traitors) >> leader & 1:
        return harkonnen
    return NONE


@kernel
def ask_about_treason(state, side):
    """Ask a side whether the enemy's leader is its traitor; without the traitor, its battler has only `pass`."""
    seat = accuser(state, side)
    return asking.ask(state, battler(state, side) if seat == NONE else seat, decisions.TREASON)


@kernel
def begin_treason(state, components):
    """Ask both sides, first the aggressor's; then the battle is decided."""
    return ask_about_treason(state, layout.AGGRESSOR)


@kernel
def side_asked(state):
    """The side for which the asked seat answers: its own or its ally's."""
    return layout.AGGRESSOR if seats.is_allied(state, int(state.actor), int(state.seat)) else layout.DEFENDER


@kernel
def list_treason(state, components, actions):
    """TREASON: list `pass` and, for a side that has the traitor, calling the leader a traitor."""
    actions[0] = PASS
    if accuser(state, side_asked(state)) == NONE:
        return 1
    actions[1] = YES
    return 2


@kernel
def answer_treason(state, components, chance, action):
    """TREASON: the other side does not know the answer."""
    side = side_asked(state)
    if accuser(state, side) != NONE:
        state.plans[side].treason = 1 if action == YES else 0
    if side == layout.AGGRESSOR:
        return ask_about_treason(state, layout.DEFENDER)
    return decide(state, components)


@kernel
def decide(state, components):
    """Decide the battle by treason, explosion or strength."""
    called = state.plans[layout.AGGRESSOR].treason == 1
    if called and state.plans[layout.DEFENDER].treason == 1:
        for side in range(2):
            lose_everything(state, components, side)
            leaders.kill_leader(state, components, leader_of(state, side))
        return finish_battle(state, components)
    if called or state.plans[layout.DEFENDER].treason == 1:
        side = layout.AGGRESSOR if called else layout.DEFENDER
        traitor = leader_of(state, 1 - side)
        lose_everything(state, components, 1 - side)
        leaders.kill_leader(state, components, traitor)
        spice.gain(state, battler(state, side), int(components.strength[traitor]))
        state.winner = battler(state, side)
        discard_hero(state, side)
        return ask_to_keep(state, components, WEAPON_ASKED)
    if explodes(state, layout.AGGRESSOR) or explodes(state, layout.DEFENDER):
        explode(state, components)
        return finish_battle(state, components)
    return compare(state, components)


@kernel
def discard_shown(state, seat, kind):
    """Discard a card of a shown plan; its marks are removed already.

    In a sample of what a seat does not know, Atreides can have seen all cards of this kind; then the mark goes too.
    """
    player = state.players[seat]
    player.hand[kind] -= 1
    player.foreseen[kind] = min(player.foreseen[kind], player.hand[kind])
    state.discards[kind] += 1


@kernel
def discard_hero(state, side):
    """Discard the cheap hero of a side after the battle."""
    if state.plans[side].leader == layout.HERO:
        discard_shown(state, battler(state, side), layout.CHEAP_HERO)


@kernel
def lose_everything(state, components, side):
    """A side loses all tokens in the field and all cards of its plan."""
    seat, field = battler(state, side), int(state.field)
    territory = int(components.territory_of[field])
    first = int(components.first_cell[territory])
    for cell in range(first, first + int(components.num_cells[territory])):
        if field_of(state, components, cell) == field:
            kill_all_tokens(state, seat, cell)
    discard_hero(state, side)
    plan = state.plans[side]
    if plan.weapon != NONE:
        discard_shown(state, seat, int(plan.weapon))
    if plan.defence != NONE:
        discard_shown(state, seat, int(plan.defence))


@kernel
def explodes(state, side):
    """Whether the lasgun of a side meets a shield in either plan."""
    has_shield = (
        state.plans[layout.AGGRESSOR].defence == layout.SHIELD or state.plans[layout.DEFENDER].defence == layout.SHIELD
    )
    return state.plans[side].weapon == layout.LASGUN and has_shield


@kernel
def explode(state, components):
    """Everything in the territory is lost, and also both leaders and all cards of both plans."""
    for side in range(2):
        lose_everything(state, components, side)
        if leader_of(state, side) != NONE:
            leaders.kill_leader(state, components, leader_of(state, side))
    territory = int(components.territory_of[int(state.field)])
    first = int(components.first_cell[territory])
    for cell in range(first, first + int(components.num_cells[territory])):
        for seat in range(int(state.num_players)):
            kill_all_tokens(state, seat, cell)
        sweep_spice(state, cell)


@kernel
def survives(state, side):
    """Whether the leader of a side survives the enemy's weapon."""
    weapon, defence = state.plans[1 - side].weapon, state.plans[side].defence
    if weapon == layout.PROJECTILE:
        return defence == layout.SHIELD
    if weapon == layout.POISON:
        return defence == layout.SNOOPER
    return weapon != layout.LASGUN


@kernel
def counted_leader(state, side):
    """The leader whose strength counts for a side: its own leader or, for the Face Dancer, the enemy's; -1 for none."""
    leader = leader_of(state, side)
    return leader_of(state, 1 - side) if leader == layout.FACE_DANCER else leader


@kernel
def compare(state, components):
    """The higher total wins; the winner gains the strengths of killed leaders in spice."""
    aggressor_total, defender_total, bounty = 0, 0, 0
    kills_aggressor, kills_defender = False, False
    for side in range(2):
        total = int(state.plans[side].number)
        if leader_of(state, side) != NONE:
            counted = counted_leader(state, side)
            if survives(state, side):
                total += 1 if counted == NONE else int(components.strength[counted]) + int(state.change[counted])
                if counted != NONE and state.tleilax != 0:
                    state.change_shown[counted] = 1
            else:
                bounty += 1 if counted == NONE else int(components.strength[counted])
                if side == layout.AGGRESSOR:
                    kills_aggressor = True
                else:
                    kills_defender = True
        if side == layout.AGGRESSOR:
            aggressor_total = total
        else:
            defender_total = total
    if kills_aggressor:
        leaders.kill_leader(state, components, leader_of(state, layout.AGGRESSOR))
    if kills_defender:
        leaders.kill_leader(state, components, leader_of(state, layout.DEFENDER))
    side = layout.AGGRESSOR if aggressor_total >= defender_total else layout.DEFENDER
    state.winner = battler(state, side)
    spice.gain(state, int(state.winner), bounty)
    lose_everything(state, components, 1 - side)
    discard_hero(state, side)
    state.left = state.plans[side].number
    return ask_for_loss(state, components, NONE)


@kernel
def next_cell_of_winner(state, components, after):
    """The next cell of the field with tokens of the winner; -1 after the last."""
    field = int(state.field)
    territory = int(components.territory_of[field])
    first = int(components.first_cell[territory])
    for cell in range(max(first, after + 1), first + int(components.num_cells[territory])):
        if field_of(state, components, cell) == field and state.players[int(state.winner)].forces[cell] > 0:
            return cell
    return NONE


@kernel
def ask_for_loss(state, components, after):
    """Ask for the losses in the winner's next cell, until they reach the number of its plan."""
    if state.left > 0:
        state.cell = next_cell_of_winner(state, components, after)
        if state.cell != NONE:
            return asking.ask(state, int(state.winner), decisions.LOSS)
    state.left = 0
    state.cell = NONE
    return ask_to_keep(state, components, WEAPON_ASKED)


@kernel
def list_loss(state, components, actions):
    """LOSS: list the numbers of tokens to lose in this cell; the later cells must be able to lose the rest."""
    forces = state.players[int(state.winner)].forces
    later = 0
    cell = next_cell_of_winner(state, components, int(state.cell))
    while cell != NONE:
        later += int(forces[cell])
        cell = next_cell_of_winner(state, components, cell)
    left = int(state.left)
    return storm.list_numbers(actions, 0, max(0, left - later), min(left, int(forces[int(state.cell)])))


@kernel
def answer_loss(state, components, chance, action):
    """LOSS: the tokens go to the tanks."""
    cell = int(state.cell)
    kill_tokens(state, int(state.winner), cell, action - NUMBER_FIRST)
    state.left -= action - NUMBER_FIRST
    return ask_for_loss(state, components, cell)


@kernel
def ask_to_keep(state, components, first):
    """Ask the winner whether it keeps its weapon, then its defence."""
    plan = state.plans[side_of(state, int(state.winner))]
    if first == WEAPON_ASKED and plan.weapon != NONE:
        state.keeping = WEAPON_ASKED
        return asking.ask(state, int(state.winner), decisions.KEEP)
    if plan.defence != NONE:
        state.keeping = DEFENCE_ASKED
        return asking.ask(state, int(state.winner), decisions.KEEP)
    return finish_battle(state, components)


@kernel
def list_keep(state, components, actions):
    """KEEP: list `pass` and `yes`."""
    actions[0] = PASS
    actions[1] = YES
    return 2


@kernel
def answer_keep(state, components, chance, action):
    """KEEP: a kept card is known to everybody from now on; otherwise the card is discarded."""
    seat = int(state.seat)
    plan = state.plans[side_of(state, seat)]
    kind = int(plan.weapon) if state.keeping == WEAPON_ASKED else int(plan.defence)
    if action == YES:
        state.players[seat].shown[kind] += 1
    else:
        discard_shown(state, seat, kind)
    if state.keeping == WEAPON_ASKED:
        return ask_to_keep(state, components, DEFENCE_ASKED)
    return finish_battle(state, components)


@kernel
def finish_battle(state, components):
    """End the battle: mark its leaders as used in its territory, and give the wheels to the battlers."""
    for side in range(2):
        leader = leader_of(state, side)
        if leader != NONE:
            state.used[leader] = components.territory_of[int(state.field)]
        state.wheels[side] = battler(state, side)
        plan = state.plans[side]
        plan.leader = layout.UNCHOSEN
        plan.weapon = layout.UNCHOSEN
        plan.defence = layout.UNCHOSEN
        plan.number = layout.UNCHOSEN
        plan.no_leader = 0
        plan.treason = NONE
    state.defender = NONE
    state.voice = NONE
    state.element = NONE
    state.element_shown = 0
    state.plans_shown = 0
    state.winner = NONE
    state.keeping = NONE
    return steps.NEXT_BATTLE
