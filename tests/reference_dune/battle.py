"""Chapter 9: battles."""

from __future__ import annotations

from bisect import insort

from .board import CELLS_OF, NEIGHBOURS, TERRITORY_OF, THE_POLAR_SINK
from .cards import Cards
from .components import (
    ATREIDES,
    BENE_GESSERIT,
    DEFENCES,
    FACE_DANCER,
    GHOLA,
    HARKONNEN,
    HERO,
    LASGUN,
    POISON,
    PROJECTILE,
    SHIELD,
    SNOOPER,
    STRENGTHS,
    TLEILAX,
    TRUTHTRANCE,
    WEAPONS,
    WORTHLESS,
)
from .table import Battle, Flow, Plan, numbers, value

ORDERS = tuple(f"{verb} {kind}" for verb in ("must", "must_not") for kind in range(7))
QUESTIONS = tuple(f"see {element}" for element in range(4))
ELEMENTS = ("leader", "weapon", "defence", "number")
HERO_IN_PLAN = 31  # after the leaders


class Battles(Cards):
    """The battle phase."""

    def battle_phase(self) -> Flow[None]:
        self.phase = "battle"
        for aggressor in self.turn_order():
            self.actor = aggressor
            while due := self.due_fields(aggressor):
                action = yield from self.ask(aggressor, "BATTLE", [f"cell {cell}" for cell in due])
                cell = value(action)
                while self.enemies_in(aggressor, cell):
                    yield from self.fight(aggressor, cell)
        self.actor = -1

    def field(self, cell: int) -> tuple[int, ...]:
        """The field around a cell, ascending: what the storm does not separate from it."""
        if self.stormy(cell):
            return (cell,)
        piece = [cell]
        for known in piece:  # grows
            for other in NEIGHBOURS[known]:
                if TERRITORY_OF[other] == TERRITORY_OF[cell] and not self.stormy(other) and other not in piece:
                    piece.append(other)
        return tuple(sorted(piece))

    def tokens(self, seat: int, cell: int) -> int:
        """The tokens of a seat in the field around a cell."""
        return sum(self.players[seat].forces.get(c, 0) for c in self.field(cell))

    def enemies_in(self, seat: int, cell: int) -> list[int]:
        """The seats with which a battle of this seat is due in the field around a cell."""
        if TERRITORY_OF[cell] == THE_POLAR_SINK or not self.tokens(seat, cell):
            return []
        return [other for other in self.others(seat) if self.tokens(other, cell)]

    def due_fields(self, seat: int) -> list[int]:
        """The lowest cells of the fields in which a battle of this seat is due."""
        fields = {self.field(cell)[0] for cell in self.players[seat].forces}
        return [cell for cell in sorted(fields) if self.enemies_in(seat, cell)]

    def fight(self, aggressor: int, cell: int) -> Flow[None]:
        self.battle = battle = Battle(aggressor, cell)
        names = [self.name_seat(aggressor, other) for other in self.enemies_in(aggressor, cell)]
        action = yield from self.ask(aggressor, "OPPONENT", names)
        battle.defender = self.named_seat(aggressor, action)
        fighters = [aggressor, battle.defender]
        yield from self.window(
            "BATTLE_CARDS", lambda seat: self.playable(seat, (TRUTHTRANCE, GHOLA)), self.play_card, fighters
        )
        yield from self.voice(battle)
        yield from self.make_plans(battle)
        yield from self.resolve(battle)
        for seat in fighters:
            if battle.plans[seat].leader >= 0:
                self.leaders[battle.plans[seat].leader].used = battle.territory
        self.wheels = fighters
        self.battle = None

    # The Voice and the plans

    def voice(self, battle: Battle) -> Flow[None]:
        sister = self.power(BENE_GESSERIT)
        for helped, enemy in ((battle.aggressor, battle.defender), (battle.defender, battle.aggressor)):
            if sister >= 0 and self.allied(sister, helped):
                order = yield from self.ask(sister, "VOICE", ["pass", *ORDERS], enemy=enemy)
                if order != "pass":
                    battle.order, battle.ordered = order, enemy
                    if (yield from self.stopped("voice", sister, order=order, enemy=enemy)):
                        battle.order, battle.ordered = "", -1

    def available(self, battle: Battle, seat: int) -> list[str]:
        """The actions of LEADER, before any order."""
        enemy = battle.aggressor + battle.defender - seat
        against_tleilax = enemy == self.power(TLEILAX)
        texts = []
        for number, leader in enumerate(self.leaders):
            here = leader.alive and leader.owner == seat and leader.used in {-1, battle.territory}
            refuses = (against_tleilax and leader.returned) or (leader.home == enemy != leader.owner)
            if here and not refuses:
                texts.append(f"leader {number}")
        return [*texts, f"card {HERO}"] if HERO in self.players[seat].hand else texts

    def make_plans(self, battle: Battle) -> Flow[None]:
        first, second = battle.aggressor, battle.defender
        battle.unarmed = [seat for seat in (first, second) if not self.available(battle, seat)]
        atreides = self.power(ATREIDES)
        if atreides >= 0 and self.allied(atreides, first):
            first, second = second, first
        yield from self.plan(battle, first)
        if atreides >= 0 and self.allied(atreides, second):
            yield from self.prescience(battle, atreides, second, battle.plans[first])
        yield from self.plan(battle, second)
        for seat, plan in battle.plans.items():
            plan.hidden = False
            for kind in plan.cards():
                insort(self.players[seat].hand, kind)
                self.lose_marks(seat, kind)

    def prescience(self, battle: Battle, atreides: int, helped: int, plan: Plan) -> Flow[None]:
        legal = ["pass", *QUESTIONS]
        if self.options["karama_powers"] and self.has_karama(atreides):
            legal.append("karama")
        action = yield from self.ask(atreides, "PRESCIENCE", legal)
        if action == "pass":
            return
        elements = range(4)
        if action == "karama":
            yield from self.spend_karama(atreides)
        else:
            battle.question = action
            if (yield from self.stopped("prescience", atreides, element=value(action))):
                return
            elements = range(value(action), value(action) + 1)
        battle.helped = helped
        values = (HERO_IN_PLAN if plan.hero else plan.leader, plan.weapon, plan.defence, plan.number)
        battle.shown_element = {ELEMENTS[element]: values[element] for element in elements}

    def plan(self, battle: Battle, seat: int) -> Flow[None]:
        plan = battle.plans[seat] = Plan()
        leaders = self.available(battle, seat)
        if leaders:
            must = must_not = -1
            if battle.ordered == seat:
                verb, kind = battle.order.split()
                if verb == "must_not":
                    must_not = int(kind)
                elif int(kind) in self.players[seat].hand:
                    must = int(kind)
            yield from self.choose_leader(seat, plan, leaders, must, must_not)
            plan.weapon = yield from self.choose_card(
                seat, "WEAPON", WEAPONS, must if must != WORTHLESS else -1, must_not
            )
            if must == WORTHLESS == plan.weapon:
                must = -1
            plan.defence = yield from self.choose_card(seat, "DEFENCE", DEFENCES, must, must_not)
        plan.number = value((yield from self.ask(seat, "NUMBER", numbers(0, self.tokens(seat, battle.cell)))))

    def choose_leader(self, seat: int, plan: Plan, leaders: list[str], must: int, must_not: int) -> Flow[None]:
        hero = f"card {HERO}"
        legal = [text for text in leaders if (must != HERO or text == hero) and (must_not != HERO or text != hero)]
        action = yield from self.ask(seat, "LEADER", legal or leaders)
        if action == hero:
            plan.hero = True
            self.players[seat].hand.remove(HERO)
        else:
            plan.leader = value(action)

    def choose_card(self, seat: int, decision: str, kinds: tuple[int, ...], must: int, must_not: int) -> Flow[int]:
        """WEAPON or DEFENCE; the card leaves the hand."""
        hand = self.players[seat].hand
        legal = [f"card {kind}" for kind in kinds if kind in hand and kind != must_not]
        legal = [f"card {must}"] if must in kinds else ["pass", *legal]
        action = yield from self.ask(seat, decision, legal)
        if action == "pass":
            return -1
        hand.remove(value(action))
        return value(action)

    # The outcome

    def resolve(self, battle: Battle) -> Flow[None]:
        aggressor, defender = battle.aggressor, battle.defender
        plans = battle.plans
        for seat, enemy in ((aggressor, defender), (defender, aggressor)):
            caller = self.caller_of_treason(seat, plans[enemy])
            if caller >= 0:
                action = yield from self.ask(caller, "TREASON", ["yes", "pass"], leader=plans[enemy].leader)
                battle.treason[seat] = action == "yes"
        callers = [seat for seat, called in battle.treason.items() if called]
        if len(callers) == 2:
            for seat in callers:
                self.lose_everything(battle, seat)
                self.kill_leader(plans[seat].leader)
        elif callers:
            winner, betrayed = callers[0], aggressor + defender - callers[0]
            self.lose_everything(battle, betrayed)
            self.kill_leader(plans[betrayed].leader)
            self.gain_from_bank(winner, STRENGTHS[plans[betrayed].leader])
            self.discard_hero(winner, plans[winner])
            yield from self.keep(winner, plans[winner])
        elif self.explodes(plans[aggressor], plans[defender]) or self.explodes(plans[defender], plans[aggressor]):
            self.explode(battle)
        else:
            yield from self.compare(battle)

    def caller_of_treason(self, seat: int, plan: Plan) -> int:
        """Whoever may call the enemy's leader a traitor for this battler: itself, its Harkonnen ally, nobody (-1)."""
        if plan.leader in self.players[seat].traitors:
            return seat
        harkonnen = self.power(HARKONNEN)
        helps = harkonnen >= 0 and self.allied(harkonnen, seat)
        return harkonnen if helps and plan.leader in self.players[harkonnen].traitors else -1

    def discard_from_plan(self, seat: int, kind: int) -> None:
        """Discard a card of a shown plan; its marks are gone already."""
        self.players[seat].hand.remove(kind)
        self.discards[kind] += 1

    def discard_hero(self, seat: int, plan: Plan) -> None:
        if plan.hero:
            self.discard_from_plan(seat, HERO)

    def lose_everything(self, battle: Battle, seat: int) -> None:
        """All tokens in the field and all cards of the plan."""
        for cell in self.field(battle.cell):
            self.kill(seat, cell)
        for kind in battle.plans[seat].cards():
            self.discard_from_plan(seat, kind)

    def explodes(self, one: Plan, other: Plan) -> bool:
        return one.weapon == LASGUN and SHIELD in {one.defence, other.defence}

    def explode(self, battle: Battle) -> None:
        for seat, plan in battle.plans.items():
            self.lose_everything(battle, seat)
            if plan.leader >= 0:
                self.kill_leader(plan.leader)
        for cell in CELLS_OF[battle.territory]:
            for seat in self.seats:
                self.kill(seat, cell)
        self.sweep_spice(CELLS_OF[battle.territory])

    def survives(self, plan: Plan, enemy: Plan) -> bool:
        """Whether the leader of a plan outlives the enemy's weapon."""
        if enemy.weapon == PROJECTILE:
            return plan.defence == SHIELD
        if enemy.weapon == POISON:
            return plan.defence == SNOOPER
        return enemy.weapon != LASGUN

    def counted(self, plan: Plan, enemy: Plan) -> int:
        """The leader whose strength a leader has: itself, for the Face Dancer the enemy's; -1 is none."""
        return enemy.leader if plan.leader == FACE_DANCER else plan.leader

    def strength(self, plan: Plan, enemy: Plan) -> int:
        """The strength of the leader of a plan, as it counts in the total."""
        if plan.leader < 0:
            return 0
        counted = self.counted(plan, enemy)
        return 1 if counted < 0 else STRENGTHS[counted] + self.leaders[counted].change

    def compare(self, battle: Battle) -> Flow[None]:
        totals, killed, bounty = {}, [], 0
        for seat, enemy_seat in ((battle.aggressor, battle.defender), (battle.defender, battle.aggressor)):
            plan, enemy = battle.plans[seat], battle.plans[enemy_seat]
            totals[seat] = plan.number
            if plan.leader < 0:
                continue
            counted = self.counted(plan, enemy)
            if self.survives(plan, enemy):
                totals[seat] += self.strength(plan, enemy)
                if counted >= 0 and self.options["tleilax"]:
                    self.leaders[counted].change_shown = True
            else:
                killed.append(plan.leader)
                bounty += STRENGTHS[counted] if counted >= 0 else 1
        wins = totals[battle.aggressor] >= totals[battle.defender]
        winner, loser = (battle.aggressor, battle.defender)[:: 1 if wins else -1]
        for number in killed:
            self.kill_leader(number)
        self.gain_from_bank(winner, bounty)
        self.lose_everything(battle, loser)
        self.discard_hero(winner, battle.plans[winner])
        yield from self.lose_number(battle, winner)
        yield from self.keep(winner, battle.plans[winner])

    def lose_number(self, battle: Battle, winner: int) -> Flow[None]:
        """LOSS: the winner's tokens to the number of its plan."""
        left, forces = battle.plans[winner].number, self.players[winner].forces
        cells = [cell for cell in self.field(battle.cell) if cell in forces]
        for place, cell in enumerate(cells):
            later = sum(forces[other] for other in cells[place + 1 :])
            legal = numbers(max(0, left - later), min(left, forces[cell]))
            lost = value((yield from self.ask(winner, "LOSS", legal, cell=cell, left=left)))
            self.kill(winner, cell, lost)
            left -= lost

    def keep(self, winner: int, plan: Plan) -> Flow[None]:
        for kind in (plan.weapon, plan.defence):
            if kind >= 0:
                if (yield from self.ask(winner, "KEEP", ["yes", "pass"], card=kind)) == "yes":
                    insort(self.players[winner].shown, kind)
                else:
                    self.discard_from_plan(winner, kind)
