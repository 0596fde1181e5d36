"""What holds at every decision of every game."""

from __future__ import annotations

from .board import CELLS, SECTORS
from .components import ACTION_INDEX, DECKS, FACTIONS, KINDS, SPICE_DECK, TLEILAX, TOKENS
from .game import Game


def check(game: Game) -> None:
    """Raise an `AssertionError` that names the first thing that does not hold."""
    _check_menu(game)
    _check_tokens(game)
    _check_leaders(game)
    _check_cards(game)
    _check_spice(game)
    _check_bounds(game)


def _hold(condition: object, what: str, game: Game) -> None:
    if not condition:
        raise AssertionError(f"{what} (turn {game.turn}, {game.decision} of seat {game.seat}): {game.to_dict()}")


def _check_menu(game: Game) -> None:
    legal = game.legal()
    if game.over:
        _hold(not legal and game.seat == -1 and game.decision == "OVER", "something is asked after the end", game)
        return
    _hold(len(legal) >= 2, "a decision with fewer than two legal actions is asked", game)
    indices = [ACTION_INDEX[text] for text in legal]
    _hold(indices == sorted(set(indices)), "the menu is out of order or names an action twice", game)
    _hold(0 <= game.seat < game.number_of_players, "nobody is asked", game)


def _check_tokens(game: Game) -> None:
    for seat, player in enumerate(game.players):
        total = player.reserve + player.tanks + sum(player.forces.values())
        _hold(total == TOKENS, f"seat {seat} has {total} tokens", game)
        _hold(player.reserve >= 0 and player.tanks >= 0, f"seat {seat} has fewer than no tokens", game)
        _hold(all(k > 0 for k in player.forces.values()), f"seat {seat} has an empty group", game)
        _hold(player.faction != TLEILAX or player.tanks == 0, "the Tleilaxu have tanks", game)


def _check_leaders(game: Game) -> None:
    homes = {player.faction: seat for seat, player in enumerate(game.players)}
    for number, leader in enumerate(game.leaders):
        home = homes.get(number // 5, -1)
        _hold(leader.home == home and (leader.owner >= 0) == (home >= 0), f"leader {number} is nobody's", game)
        if leader.owner != home:
            thief = game.players[leader.owner].faction
            _hold(thief == TLEILAX and leader.alive, f"leader {number} is in a wrong place", game)
        _hold(home >= 0 or not leader.alive, f"leader {number} of an absent faction lives", game)
        _hold(not (leader.alive and home < 0), f"leader {number} lives without a faction", game)
        _hold(leader.change in {-1, 0, 1}, f"leader {number} changed by {leader.change}", game)
        if not game.options["tleilax"]:
            kept = leader.returned or leader.change or leader.change_shown
            _hold(not kept, f"leader {number} has marks of the Tleilaxu", game)
    for seat, player in enumerate(game.players):
        _hold(not player.reviving or any(x.home == seat == x.owner for x in game.leaders), "reviving nobody", game)
    discs = [disc for player in game.players for disc in player.discs]
    _hold(len(discs) == len(set(discs)), "a disc was drawn twice", game)
    for player in game.players:
        _hold(set(player.traitors) <= set(player.discs), "a traitor that was not drawn", game)


def _check_cards(game: Game) -> None:
    printed = DECKS[game.options["deck"]]
    plans = game.battle.plans.values() if game.battle else []
    in_plans = [kind for plan in plans if plan.hidden for kind in plan.cards()]
    for kind in range(KINDS):
        count = game.deck[kind] + game.discards[kind] + game.hidden_discards[kind] + game.removed[kind]
        count += (game.top == kind) + (game.sale == kind) + in_plans.count(kind)
        for player in game.players:
            count += player.hand.count(kind) + (player.laid == kind)
        _hold(count == printed[kind], f"{count} cards of kind {kind} instead of {printed[kind]}", game)
    for seat, player in enumerate(game.players):
        _hold(player.hand == sorted(player.hand), "a hand is out of order", game)
        with_plan = player.hand + game.hidden_cards(seat)
        for marks in (player.shown, player.foreseen):
            subset = all(marks.count(kind) <= with_plan.count(kind) for kind in set(marks))
            _hold(subset and marks == sorted(marks), f"seat {seat} has marks {marks} with {with_plan}", game)
        swapping = game.decision == "GIVE"
        _hold(swapping or len(with_plan) <= game.limit(seat), f"seat {seat} holds too many cards", game)
        _hold((player.laid >= 0) == (player.laid_on >= 0), f"seat {seat} laid half a card", game)
    _hold(game.top < 0 or game.sale < 0, "two cards are on the way", game)
    _hold((game.top >= 0 or not game.top_seen) and (game.sale >= 0 or not game.sale_seen), "nothing was seen", game)
    for kind, number in enumerate(SPICE_DECK):
        count = game.spice_deck[kind] + game.spice_discards[kind] + (game.foreseen_spice == kind)
        _hold(count == number, f"{count} spice cards of kind {kind}", game)


def _check_spice(game: Game) -> None:
    start = sum(FACTIONS[player.faction].spice for player in game.players)
    held = sum(player.spice for player in game.players)
    _hold(game.bank + held + sum(game.spice.values()) == start, "spice was made or lost", game)
    for seat, player in enumerate(game.players):
        _hold(player.spice >= 0 and player.pledge >= 0 and min(player.debts) >= 0, "spice below 0", game)
        _hold(player.debts[seat] == 0, "a debt to oneself", game)
        _hold(not (sum(player.debts) and player.spice), f"seat {seat} has debts and spice", game)
    _hold(all(amount > 0 for amount in game.spice.values()), "an empty heap of spice", game)


def _check_bounds(game: Game) -> None:
    _hold(0 <= game.storm < SECTORS, "the storm is nowhere", game)
    _hold(0 <= game.turn <= game.options["max_turns"], "a turn too many", game)
    _hold(all(0 <= cell < len(CELLS) for player in game.players for cell in player.forces), "a wrong cell", game)
    members = [seat for side in game.alliances for seat in side]
    _hold(len(members) == len(set(members)), "a seat is in two alliances", game)
    _hold(all(len(side) > 1 for side in game.alliances), "an alliance of one", game)
    most = game.options["max_alliance"] or game.number_of_players
    _hold(all(len(side) <= most for side in game.alliances), "an alliance is too large", game)
    _hold(game.options["alliances"] or not game.alliances, "an alliance where there are none", game)
    _hold(len(game.truths) <= 4, "too many truths", game)
    _hold((game.actor >= 0) == (game.phase in {"movement", "battle"}), "nobody or somebody acts", game)
