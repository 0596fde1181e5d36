"""Chapter 11: the cards that several windows share."""

from __future__ import annotations

from bisect import insort

from .components import (
    BENE_GESSERIT,
    CONE,
    DECKS,
    FACE_DANCER,
    GHOLA,
    HARKONNEN,
    KINDS,
    RESIDUAL_POISON,
    TLEILAX,
    TRUTHTRANCE,
    WORTHLESS,
)
from .table import Flow, Table, numbers, value

MOST_TRUTHS = 4
GHOLA_TOKENS, EMPEROR_TOKENS = 5, 3


class Cards(Table):
    """Truthtrance, cone of silence, laying, ghola, and Harkonnen's exchange of cards."""

    def playable(self, seat: int, kinds: tuple[int, ...], ghola_tokens: int = 0) -> list[str]:
        """The texts of those of these cards that the seat holds and that can do something."""
        can = {
            TRUTHTRANCE: True,
            CONE: bool(self.to_silence(seat)),
            RESIDUAL_POISON: self.may_lay(seat),
            WORTHLESS: self.may_lay(seat),
            GHOLA: bool(self.fetchable(seat, ghola_tokens)),
        }
        return [f"card {kind}" for kind in sorted(kinds) if kind in self.players[seat].hand and can[kind]]

    def play_card(self, seat: int, action: str, ghola_tokens: int = 0) -> Flow[None]:
        kind = value(action)
        if kind in {WORTHLESS, RESIDUAL_POISON}:
            yield from self.lay(seat, kind)
            return
        self.discard(seat, kind)
        if kind == TRUTHTRANCE:
            yield from self.truthtrance(seat)
        elif kind == CONE:
            yield from self.cone(seat)
        else:
            yield from self.fetch(seat, ghola_tokens)

    # Truthtrance

    def truthtrance(self, asker: int) -> Flow[None]:
        others = [self.name_seat(asker, other) for other in self.to_the_right(asker)]
        target = self.named_seat(asker, (yield from self.ask(asker, "TRUTH_WHO", others)))
        question = yield from self.ask(asker, "TRUTH", self.questions(target), target=target)
        self.truths.append([asker, target, question, self.truth(target, question)])
        del self.truths[:-MOST_TRUTHS]

    def questions(self, target: int) -> list[str]:
        player = self.players[target]
        texts = [f"card {kind}" for kind in range(KINDS) if DECKS[self.options["deck"]][kind]]
        if target != self.power(TLEILAX):
            homes = [leader.home for leader in self.leaders[:FACE_DANCER]]
            texts += [f"leader {number}" for number, home in enumerate(homes) if home not in {-1, target}]
        if not self.options["open_shields"]:
            texts += numbers(1, 20)
        if target == self.power(BENE_GESSERIT):
            texts += [f"faction {other.faction}" for other in self.players if other is not player]
            texts += [f"turn {turn}" for turn in range(1, self.options["max_turns"] + 1)]
        return texts

    def truth(self, target: int, question: str) -> bool:
        player, (verb, text) = self.players[target], question.split()
        asked = int(text)
        if verb == "card":
            return asked in player.hand or asked == player.laid
        if verb == "leader":
            return asked in player.traitors
        if verb == "number":
            return player.spice >= asked
        if self.prediction is None:
            raise AssertionError("Bene Gesserit has predicted nothing")
        return self.prediction[verb] == asked

    # Cone of silence

    def to_silence(self, seat: int) -> list[int]:
        return [other for other in self.others(seat) if other not in self.silenced]

    def cone(self, seat: int) -> Flow[None]:
        first = True
        while self.to_silence(seat):
            legal = [self.name_seat(seat, other) for other in self.to_silence(seat)]
            action = yield from self.ask(seat, "CONE", legal if first else ["pass", *legal])
            if action == "pass":
                return
            self.silenced.add(self.named_seat(seat, action))
            first = False

    # Residual poison, true or bluffed

    def may_lay(self, seat: int) -> bool:
        return self.options["deck"] == 43 and self.players[seat].laid < 0 and bool(self.others(seat))

    def lay(self, seat: int, kind: int) -> Flow[None]:
        legal = [self.name_seat(seat, other) for other in self.others(seat)]
        target = self.named_seat(seat, (yield from self.ask(seat, "LAY_WHO", legal, card=kind)))
        player = self.players[seat]
        player.hand.remove(kind)
        for mark in (WORTHLESS, RESIDUAL_POISON):
            self.lose_marks(seat, mark)
        player.laid, player.laid_on = kind, target

    # Ghola

    def fetchable(self, seat: int, tokens: int) -> list[str]:
        """What a ghola could bring back: leaders, and at most so many tokens."""
        dead = [number for number, leader in enumerate(self.leaders) if leader.owner >= 0 and not leader.alive]
        if seat == self.power(TLEILAX):
            return [f"leader {number}" for number in dead]
        own = [f"leader {number}" for number in dead if self.leaders[number].owner == seat]
        return own if self.embargo else own + numbers(1, min(tokens, self.players[seat].tanks))

    def fetch(self, seat: int, tokens: int) -> Flow[None]:
        """GHOLA, of the card or of the Emperor's Karama."""
        action = yield from self.ask(seat, "GHOLA", self.fetchable(seat, tokens))
        if action.startswith("number"):
            self.players[seat].tanks -= value(action)
            self.players[seat].reserve += value(action)
            return
        leader = self.leaders[value(action)]
        if leader.owner == seat:
            self.raise_leader(value(action))
        elif not (yield from self.stopped("steal", seat, leader=value(action))):
            robbed = leader.owner
            self.raise_leader(value(action))
            leader.owner = seat
            if not any(other.owner == robbed for other in self.leaders):
                self.players[robbed].reviving = False

    # Harkonnen's Karama

    def others_with_cards(self, seat: int) -> list[int]:
        return [other for other in self.to_the_right(seat) if self.players[other].hand]

    def swap(self, seat: int) -> Flow[None]:
        if seat != self.power(HARKONNEN):
            raise AssertionError("only Harkonnen exchanges cards")
        legal = [self.name_seat(seat, other) for other in self.others_with_cards(seat)]
        other = self.named_seat(seat, (yield from self.ask(seat, "SWAP_WHO", legal)))
        own, theirs = self.players[seat], self.players[other]
        legal = numbers(1, len(theirs.hand))
        number = value((yield from self.ask(seat, "SWAP_COUNT", legal, target=other)))
        for j in range(number):
            index = self.chance.draw(len(theirs.hand), ("swap", self.swaps, j))
            insort(own.hand, theirs.hand.pop(index))
        self.swaps += 1
        for player in (own, theirs):
            player.shown, player.foreseen = [], []
        for j in range(number):
            legal = [f"card {kind}" for kind in sorted(set(own.hand))]
            kind = value((yield from self.ask(seat, "GIVE", legal, target=other, left=number - j)))
            own.hand.remove(kind)
            insort(theirs.hand, kind)
