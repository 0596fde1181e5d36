"""Chapter 14: the state dictionary, and what each seat sees of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .components import ATREIDES, BENE_GESSERIT, KINDS, TLEILAX
from .table import Table

FLAGS = ("owner", "alive", "used", "risen", "returned", "change", "change_shown")
PUBLIC = (
    "phase", "actor", "turn", "over", "how", "winners", "options", "storm", "shield_wall", "wheels", "last_blow",
    "spice", "spice_discards", "discards", "removed", "alliance", "silenced", "truths", "scores",
)  # fmt: skip
PUBLIC_OF_PLAYERS = ("faction", "dot", "tanks", "forces", "shown", "reviving", "debts", "laid_on")


def by_cell(amounts: dict[int, int]) -> list[list[int]]:
    """Return [cell, amount] by rising cell."""
    return [[cell, amounts[cell]] for cell in sorted(amounts) if amounts[cell]]


class States(Table):
    """The position as plain data."""

    def scores(self) -> list[int]:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the whole position."""
        return {
            "seat": self.seat,
            "decision": self.decision,
            "phase": self.phase,
            "actor": self.actor,
            "turn": self.turn,
            "over": self.over,
            "how": self.how,
            "winners": list(self.winners),
            "options": dict(self.options),
            "storm": self.storm,
            "shield_wall": self.shield_wall,
            "wheels": list(self.wheels),
            "last_blow": self.last_blow,
            "spice": by_cell(self.spice),
            "spice_deck": list(self.spice_deck),
            "spice_discards": list(self.spice_discards),
            "foreseen_spice": self.foreseen_spice,
            "deck": list(self.deck),
            "discards": list(self.discards),
            "hidden_discards": list(self.hidden_discards),
            "removed": list(self.removed),
            "top": self.top,
            "top_seen": self.top_seen,
            "sale": self.sale,
            "sale_seen": self.sale_seen,
            "alliance": [min(self.side(seat)) if len(self.side(seat)) > 1 else -1 for seat in self.seats],
            "silenced": sorted(self.silenced),
            "prediction": None if self.prediction is None else dict(self.prediction),
            "truths": [list(truth) for truth in self.truths],
            "leaders": {flag: [getattr(leader, flag) for leader in self.leaders] for flag in FLAGS},
            "players": [self.player_dict(seat) for seat in self.seats],
            "pending": {} if self.over else self.pending(),
            "scores": self.scores(),
        }

    def player_dict(self, seat: int) -> dict[str, Any]:
        player = self.players[seat]
        return {
            "faction": player.faction,
            "dot": player.dot,
            "spice": player.spice,
            "reserve": player.reserve,
            "tanks": player.tanks,
            "forces": by_cell(player.forces),
            "hand": list(player.hand),
            "shown": list(player.shown),
            "foreseen": list(player.foreseen),
            "discs": list(player.discs),
            "traitors": list(player.traitors),
            "reviving": player.reviving,
            "pledge": player.pledge,
            "debts": list(player.debts),
            "laid": player.laid,
            "laid_on": player.laid_on,
        }

    def pending(self) -> dict[str, Any]:
        """What the decision in progress needs besides the position: the question and what is unfinished around it."""
        pending: dict[str, Any] = {**self.about, **self.bidding}
        pending["sight_stopped"], pending["embargo"] = self.sight_stopped, self.embargo
        if self.dials:
            pending["dials"] = [[seat, dial] for seat, dial in self.dials.items()]
        if self.battle is not None:
            pending["battle"] = {**asdict(self.battle), "plans": [[s, asdict(p)] for s, p in self.battle.plans.items()]}
            pending["battle"]["treason"] = [[seat, called] for seat, called in self.battle.treason.items()]
        return pending

    # What a seat sees

    def view(self, seat: int) -> dict[str, Any]:
        """Return what a seat sees: the public pieces, its own, and the question if it is the one asked."""
        state = self.to_dict()
        sees_all = seat == self.power(ATREIDES)
        view = {key: state[key] for key in PUBLIC}
        view["seat"] = seat
        view["leaders"] = {key: value for key, value in state["leaders"].items() if key != "change"}
        view["leaders"]["change"] = [
            leader.change if leader.change_shown or seat == self.power(TLEILAX) else None for leader in self.leaders
        ]
        view["players"] = [self.seen_player(seat, other) for other in self.seats]
        view["sight_stopped"], view["embargo"] = self.sight_stopped, self.embargo
        view["deck_size"], view["hidden_discards_size"] = sum(self.deck), sum(self.hidden_discards)
        view["on_sale"], view["has_top"] = self.sale >= 0, self.top >= 0
        view["bidding"] = dict(self.bidding)
        view["unseen"] = self.unseen_cards(seat)
        view["sale"] = self.sale if sees_all and self.sale_seen else None
        view["top"] = self.top if sees_all and self.top_seen else None
        view["spice_deck"] = list(self.spice_deck)
        if sees_all:
            view["foreseen_spice"] = self.foreseen_spice
        elif self.foreseen_spice >= 0:
            view["spice_deck"][self.foreseen_spice] += 1
        view["prediction"] = state["prediction"] if seat == self.power(BENE_GESSERIT) else None
        view["dial"] = self.dials.get(seat)
        view["battle"] = self.seen_battle(seat)
        if seat == self.seat:
            view["decision"], view["about"], view["legal"] = self.decision, dict(self.about), list(self.menu)
        return view

    def seen_player(self, seat: int, other: int) -> dict[str, Any]:
        full = self.player_dict(other)
        seen = {key: full[key] for key in PUBLIC_OF_PLAYERS}
        seen["cards"] = len(full["hand"]) + len(self.hidden_cards(other))
        if seat == other:
            seen |= {key: full[key] for key in ("hand", "discs", "traitors", "laid")}
        if seat == other or self.options["open_shields"]:
            seen |= {"spice": full["spice"], "reserve": full["reserve"]}
        if self.allied(seat, other):
            seen["pledge"] = full["pledge"]
        if seat == self.power(ATREIDES):
            seen["foreseen"] = full["foreseen"]
        return seen

    def hidden_cards(self, seat: int) -> list[int]:
        """The cards of a plan that nobody else has seen yet."""
        plan = self.battle.plans.get(seat) if self.battle else None
        return plan.cards() if plan and plan.hidden else []

    def unseen_cards(self, seat: int) -> list[int]:
        """By kind: the deck and all that a seat cannot tell from it."""
        unseen = [self.deck[kind] + self.hidden_discards[kind] for kind in range(KINDS)]
        for other in self.seats:
            if other != seat:
                for kind in [*self.players[other].hand, *self.hidden_cards(other), self.players[other].laid]:
                    if kind >= 0:
                        unseen[kind] += 1
        for kind in (self.top, self.sale):
            if kind >= 0:
                unseen[kind] += 1
        return unseen

    def seen_battle(self, seat: int) -> dict[str, Any] | None:
        battle = self.battle
        if battle is None:
            return None
        seen: dict[str, Any] = {
            "cell": battle.cell,
            "aggressor": battle.aggressor,
            "defender": battle.defender,
            "unarmed": list(battle.unarmed),
            "order": battle.order,
            "ordered": battle.ordered,
            "question": battle.question,
            "plans": [[s, asdict(plan)] for s, plan in battle.plans.items() if s == seat or not plan.hidden],
        }
        if seat in {battle.helped, self.power(ATREIDES)}:
            seen["element"] = dict(battle.shown_element)
        first = battle.treason.get(battle.aggressor)
        if first is not None and self.caller_of_treason(battle.aggressor, battle.plans[battle.defender]) == seat:
            seen["treason"] = first
        return seen

    def caller_of_treason(self, seat: int, plan: Any) -> int:
        raise NotImplementedError
