"""What is known of players, decks, sales and battles, in a few words each, for the picture and for pages."""

from __future__ import annotations

from typing import Any, Final

from dunaia_env.dune.presentation import palette
from dunaia_env.dune.presentation.look import Look
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.state import BENE_GESSERIT, CHEAP_HERO as HERO, NONE, SHAI_HULUD

# The colours of the cards by kind, which say what a card is for.
CARD_COLOURS: Final = (
    (palette.WEAPON,) * 3 + (palette.DEFENCE,) * 2 + (palette.HERO, palette.WORTHLESS) + (palette.EVENT,) * 10
)


def faction_of(player: Any) -> int | None:
    """The faction of a player; None before it is drawn."""
    faction = player.get("faction")
    return None if faction is None or faction == NONE else int(faction)


def hand_size(player: Any) -> int | None:
    """The number of cards in a hand; None if it is not known."""
    if player.get("hand") is not None:
        return len(player["hand"])
    size = player.get("hand_count")
    return None if size is None else int(size)


def notes(seat: int, look: Look) -> list[str]:
    """What else is known of a player: traitors, the prediction, debts, pledges, a card laid on somebody."""
    player, labels = look.players[seat], look.labels
    notes = []
    traitors, discs = player.get("traitors"), player.get("discs")
    if traitors:
        notes.append(labels.traitors.format(", ".join(look.short_name(leader) for leader in traitors)))
    elif discs and look.get("phase") == "setup":
        notes.append(labels.discs.format(", ".join(look.short_name(leader) for leader in discs)))
    prediction = look.get("prediction")
    if prediction and faction_of(player) == BENE_GESSERIT:
        turn = prediction.get("turn")
        name = labels.factions[prediction["faction"]]
        notes.append(labels.prediction.format(name, "?" if turn is None or turn == NONE else turn))
    if player.get("laid_on", NONE) not in (None, NONE):
        kind = player.get("laid")
        name = labels.unknown if kind is None or kind == NONE else labels.short_cards[kind]
        notes.append(labels.laid.format(look.names[player["laid_on"]], name))
    if player.get("reviving"):
        notes.append(labels.reviving)
    for other, debt in enumerate(player.get("debts") or ()):
        if debt:
            notes.append(labels.owes.format(debt, look.names[other]))
    if player.get("pledge"):
        notes.append(labels.pledge.format(player["pledge"]))
    return notes


def total(counts: Any) -> int | None:
    """The sum of counts; None if they are not known."""
    return None if counts is None else sum(counts)


def pile(look: Look, key: str) -> int | None:
    """The number of cards in a pile: from its kinds or, if they are hidden, from its size."""
    counts = look.get(key)
    if counts is None:
        size = look.get(f"{key}_count")
        return None if size is None else int(size)
    return int(counts) if isinstance(counts, int) else total(counts)


def plan(look: Look, plan: Any) -> str:
    """The parts of a plan that are known."""
    labels = look.labels
    parts = []
    leader = plan.get("leader")
    if plan.get("hero"):
        parts.append(labels.short_cards[HERO])
    elif leader is not None and leader != NONE:
        parts.append(look.short_name(leader))
    parts += [labels.short_cards[plan[key]] for key in ("weapon", "defence") if plan.get(key, NONE) not in (None, NONE)]
    if plan.get("number") is not None:
        parts.append(str(plan["number"]))
    return " · ".join(parts)


def blow(look: Look, index: int) -> str:
    """The territory and the amount of a spice card."""
    territory, amount = look.blow(index)
    return f"{load_planet().name(territory, look.labels.language)} {amount}"


def kinds(look: Look, counts: Any) -> list[tuple[int, str]]:
    """The treachery cards of a pile by kind, with their names; none if they are not known."""
    if not isinstance(counts, (list, tuple)):
        return []
    return [
        (kind, look.labels.cards[kind] + (f" ×{count}" if count > 1 else ""))
        for kind, count in enumerate(counts)
        if count
    ]


def coming(look: Look) -> list[tuple[int, str]]:
    """The spice cards that are still to come, by index, with their names."""
    counts = look.get("spice_deck")
    if not isinstance(counts, (list, tuple)):
        return []
    return [
        (index, ("Shai-Hulud" if index == SHAI_HULUD else blow(look, index)) + (f" ×{count}" if count > 1 else ""))
        for index, count in enumerate(counts)
        if count
    ]


def truths(look: Look) -> list[str]:
    """The last questions and answers."""
    labels = look.labels
    return [
        labels.truth.format(
            look.names[asker], look.names[target], _question(look, question), labels.yes if answer else labels.no
        )
        for asker, target, question, answer in list(look.get("truths") or ())[-4:]
    ]


def fights(look: Look) -> bool:
    """Whether a battle is fought."""
    return "field" in (look.get("pending") or {}) and look.get("phase") == "battle"


def battle(look: Look) -> list[str]:
    """The place of the battle, and the battlers with the known parts of their plans."""
    planet, pending = load_planet(), look.get("pending")
    lines = [planet.name(planet.owners[pending["field"]], look.labels.language)]
    plans = pending.get("plans") or [{}, {}]
    for seat, known in zip((look.get("actor"), pending.get("defender")), plans, strict=True):
        if seat is not None and seat != NONE:
            parts = plan(look, known)
            lines.append(look.labels.labelled(look.names[seat], parts) if parts else look.names[seat])
    return lines


def sale(look: Look) -> list[str]:
    """The card on sale with the highest bid, and the foreseen spice card."""
    labels, pending, offered = look.labels, look.get("pending") or {}, look.get("sale")
    lines = []
    if look.get("phase") == "bidding" and offered != NONE:
        name = labels.unknown if offered is None else labels.cards[offered]
        lines.append(labels.labelled(labels.sale, name))
        lines.append(bid(look))
        rest = pending.get("cards_left")
        if rest is not None:
            lines.append(labels.row_left.format(rest))
    foreseen = look.get("foreseen_spice")
    if foreseen is not None and foreseen != NONE:
        lines.append(labels.foreseen.format("Shai-Hulud" if foreseen == SHAI_HULUD else blow(look, foreseen)))
    return lines


def bid(look: Look) -> str:
    """The highest bid and who has made it."""
    pending = look.get("pending") or {}
    amount, bidder = pending.get("bid"), pending.get("bidder")
    if amount and bidder is not None and bidder != NONE:
        return look.labels.bid.format(amount, look.names[bidder])
    return look.labels.no_bid


def _question(look: Look, question: str) -> str:
    """The question that was asked, in words, from the text of the action."""
    verb, _, number = question.partition(" ")
    value = int(number) if number.lstrip("-").isdigit() else 0
    labels = look.labels
    if verb == "card":
        return labels.cards[value]
    if verb == "leader":
        return look.leader_name(value)
    if verb == "faction":
        return labels.factions[value]
    if verb == "turn":
        return labels.turn.format(value)
    return f"{labels.spice} {number}"
