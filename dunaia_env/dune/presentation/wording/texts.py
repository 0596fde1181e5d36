"""The game in words: a position, an action and what happened, from state dictionaries or from views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.dune.actions import ACTION_TEXTS
from dunaia_env.dune.board import TYPE_NAMES
from dunaia_env.dune.components import Components, load
from dunaia_env.dune.notation.pending import ELEMENTS, PLAN_PARTS
from dunaia_env.dune.options import OPTIONS, PRESETS, complete
from dunaia_env.dune.presentation.wording import sentences, words
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.news import events
from dunaia_env.dune.presentation.wording.words import capital, card, cards, cell, leader, listed, territory, who
from dunaia_env.dune.state import NONE
from dunaia_env.harness.presentation import Event
from dunaia_env.support.english import count

Content = Mapping[str, Any]


# Actions


def sentence(action: str, content: Content, components: Components) -> str:
    """What an action (its text) does in the position of a state dictionary, as a player would say it."""
    return sentences.sentence(action, Facts(content, components))


# Positions


def describe(content: Content, components: Components) -> str:
    """A position as text: the moment, the board by territory, then each player. Hidden values are question marks."""
    return "\n".join(_lines(Facts(content, components)))


def _lines(facts: Facts) -> Iterator[str]:
    yield _head(facts)
    yield from (f"  {line}" for line in _about(facts))
    content = facts.content
    wall = territory(facts.printed.shield_wall, facts)
    yield f"Storm: sector {content['storm']}. {wall}: {'stands' if content['shield_wall'] else 'destroyed'}."
    if content["wheels"][0] != NONE:
        yield f"The next storm is dialled by {listed(who(seat, facts) for seat in content['wheels'])}."
    last = content["last_blow"]
    yield f"Last spice blow: {territory(last, facts) if last != NONE else 'none'}"
    yield from _piles(facts)
    yield "Board:"
    yield from (f"  {line}" for line in _board(facts))
    for seat in range(len(facts.players)):
        yield ""
        yield from _seat(facts, seat)


def _head(facts: Facts) -> str:
    content = facts.content
    if content["over"]:
        winners = [capital(who(seat, facts)) for seat in content["winners"]]
        return f"Turn {content['turn']}, the game is over: {listed(winners)} {'win' if len(winners) > 1 else 'wins'}"
    turn = f"Turn {content['turn']}, {words.PHASES[content['phase']]}"
    if content["actor"] != NONE:
        turn += f", {who(content['actor'], facts)} {'attacks' if content['phase'] == 'battle' else 'moves'}"
    if facts.decision is None or facts.seat == NONE:
        return turn
    return f"{turn}; player {facts.seat} ({who(facts.seat, facts)}) decides: {facts.decision}"


def _about(facts: Facts) -> Iterator[str]:
    """What the decision is about, one line for each thing."""
    pending, content = facts.pending, facts.content
    if content["sale"] != NONE:
        kind = content["sale"]
        yield f"On sale: {card(kind, facts) if kind is not None else 'a card'}"
    if "cards_left" in pending:
        highest = f"{pending['bid']} by {who(pending['bidder'], facts)}" if pending.get("bid") else "none"
        yield f"Highest bid: {highest}; {count(pending['cards_left'], 'card')} to come"
    if "power" in pending:
        yield f"To be stopped or not: {words.power(facts)}"
    yield from _battle(facts)
    for key, text in _ABOUT.items():
        if key in pending:
            yield text(facts, pending[key])


def _taken(facts: Facts, taken: Sequence[Sequence[int]]) -> str:
    named = ", ".join(f"{number} in {cell(where, facts)}" for where, number in taken)
    return f"Tokens named so far: {named}"


_ABOUT: dict[str, Callable[[Facts, Any], str]] = {
    "faction": lambda facts, value: f"Predicted faction: {words.faction(value, facts)}",
    "asked_by": lambda facts, value: f"Asked by: {who(value, facts)}",
    "target": lambda facts, value: f"Meant for: {who(value, facts)}",
    "card": lambda facts, value: f"Card: {card(value, facts)}",
    "leader": lambda facts, value: f"Leader: {leader(value, facts)}",
    "price": lambda facts, value: f"Price: {value} spice",
    "origin": lambda facts, value: f"From: {territory(value, facts)}",
    "worm": lambda facts, value: f"The worm is in: {territory(value, facts)}",
    "cell": lambda facts, value: f"Cell: {cell(value, facts)}",
    "taken": _taken,
    "landing": lambda facts, value: f"Landing: {count(value, 'token')}",
    "left": lambda facts, value: f"Left: {value}",
    "dial": lambda facts, value: f"Own dial: {value}",
    "weather": lambda facts, value: f"The storm will move {count(value, 'sector')}",
    "thumper": lambda facts, value: "A thumper has been played",
    "freed": lambda facts, value: f"Without payment came back: {count(value, 'token')}",
    "half_price": lambda facts, value: "The shipment is at half price",
    "second_move": lambda facts, value: "It is the second move",
    "sight_stopped": lambda facts, value: (
        f"{capital(words.faction(layout.ATREIDES, facts))} sees no card of this phase"
    ),
    "embargo": lambda facts, value: f"Only {words.faction(layout.TLEILAX, facts)} gets tokens from the tanks",
    "keeping": lambda facts, value: f"To be kept or not: the {value}",
}


def _battle(facts: Facts) -> Iterator[str]:
    pending = facts.pending
    if "field" not in pending:
        return
    aggressor, defender = facts.battlers
    yield f"Battle in {cell(pending['field'], facts)}: {who(aggressor, facts)} against {who(defender, facts)}"
    if "voice" in pending:
        yield f"The Voice orders {who(facts.voice_target, facts)}: {words.order(pending['voice'], facts)}"
    if "element" in pending:
        atreides = capital(words.faction(layout.ATREIDES, facts))
        yield f"{atreides} asked about {words.ELEMENTS[pending['element']]} of the plan"
    for seat in (aggressor, defender):
        parts = _plan(facts, facts.plan(seat)) if seat != NONE else ""
        if parts:
            yield f"Plan of {who(seat, facts)}: {parts}"


def _plan(facts: Facts, plan: Mapping[str, Any]) -> str:
    parts = []
    for part in PLAN_PARTS:
        if part not in plan:
            continue
        value = plan[part]
        if part == "leader":
            name = "a cheap hero" if plan.get("hero") else leader(value, facts) if value != NONE else "none"
            parts.append(f"leader {name}")
        elif part == "number":
            parts.append(f"number {value}")
        else:
            parts.append(f"{part} {cards([value], facts) if value != NONE else 'none'}")
    if plan.get("no_leader"):
        parts.append("neither leader nor hero")
    if "treason" in plan:
        parts.append("calls treason" if plan["treason"] else "does not call treason")
    return ", ".join(parts)


def _size(content: Content, key: str) -> str:
    counts = content.get(key)
    return str(content.get(f"{key}_count", "?") if counts is None else sum(counts))


def _piles(facts: Facts) -> Iterator[str]:
    content = facts.content
    foreseen = content["foreseen_spice"]
    seen = f"; next comes {_spice_card(foreseen, facts)}" if foreseen not in (None, NONE) else ""
    spice = sum(content["spice_deck"])
    yield f"Spice deck: {count(spice, 'card')}, {content['spice_deck'][layout.SHAI_HULUD]} of them worms{seen}"
    top = content["top"]
    on_top = "" if top == NONE else f"; on top {card(top, facts) if top is not None else 'an unsold card'}"
    gone = [kind for kind, number in enumerate(content["discards"]) for _ in range(number)]
    yield f"Treachery deck: {_size(content, 'deck')}{on_top}; discards: {cards(gone, facts)}"
    if content["silenced"]:
        yield f"Silenced: {listed(who(seat, facts) for seat in content['silenced'])}"
    for asker, target, question, answer in content["truths"]:
        asked = words.question(question, facts)
        yield f"Truth: {who(asker, facts)} asked {who(target, facts)}: {asked} {'Yes' if answer else 'No'}"


def _spice_card(number: int, facts: Facts) -> str:
    if number == layout.SHAI_HULUD:
        return "a worm"
    return f"{territory(facts.printed.spice_territory[number], facts)} ({facts.printed.spice_amount[number]} spice)"


def _board(facts: Facts) -> Iterator[str]:
    """A line for each territory with something in it, and for each stronghold."""
    for number, kind in enumerate(facts.printed.type):
        parts = [part for where in facts.cells(number) if (part := _contents(facts, where))]
        stronghold = TYPE_NAMES[kind] == "stronghold"
        if parts or stronghold:
            title = f"{territory(number, facts)}{' (stronghold)' if stronghold else ''}"
            yield f"{title}: {'; '.join(parts) or 'empty'}"


def _contents(facts: Facts, where: int) -> str:
    parts = [
        f"{capital(who(seat, facts))} {tokens}"
        for seat in range(len(facts.players))
        if (tokens := facts.tokens(seat, where))
    ]
    spice = dict(map(tuple, facts.content["spice"])).get(where)
    if spice:
        parts.append(f"{spice} spice")
    if not parts:
        return ""
    several = len(facts.cells(facts.territory(where))) > 1
    storm = ", in the storm" if facts.is_stormy(where) else ""
    return f"{f'sector {facts.sector(where)}: ' if several else ''}{', '.join(parts)}{storm}"


def _known(value: Any) -> str:
    return "?" if value is None else str(value)


def _seat(facts: Facts, seat: int) -> Iterator[str]:
    player, content = facts.players[seat], facts.content
    name = f"{capital(who(seat, facts))} (player {seat})"
    held, size = content["scores"][seat] % 10, facts.hand_size(seat)
    yield (
        f"{name}: {_known(player['spice'])} spice, {_known(player['reserve'])} in reserve, {player['tanks']} in the"
        f" tanks, {count(held, 'stronghold')}, {count(size, 'card') if size is not None else '? cards'}"
    )
    hand, shown = player["hand"], player["shown"]
    if hand is not None:
        yield f"  Cards: {cards(hand, facts)}"
    elif shown:
        yield f"  Cards that everybody knows: {cards(shown, facts)}"
    if player["foreseen"]:
        yield f"  Cards that {words.faction(layout.ATREIDES, facts)} saw: {cards(player['foreseen'], facts)}"
    yield f"  Leaders: {', '.join(_leader(facts, disc) for disc in _leaders_of(facts, seat)) or 'none'}"
    if player["traitors"]:
        yield f"  Traitors: {', '.join(leader(traitor, facts) for traitor in player['traitors'])}"
    allies = facts.allies(seat)
    if allies:
        pledge = f", {player['pledge']} spice pledged" if player["pledge"] else ""
        yield f"  Allied with {listed(who(other, facts) for other in allies)}{pledge}"
    if player["laid_on"] != NONE:
        kind = player["laid"]
        laid = "a card" if kind in (None, NONE) else card(kind, facts)
        yield f"  Has laid {laid} on {who(player['laid_on'], facts)}"
    for other, debt in enumerate(player["debts"]):
        if debt:
            yield f"  Owes {who(other, facts)} {debt} spice"
    prediction = content["prediction"]
    if prediction and facts.with_power(layout.BENE_GESSERIT) == seat:
        yield f"  Predicts: {words.faction(prediction['faction'], facts)} in turn {prediction['turn']}"
    if player["reviving"]:
        yield "  Raises its leaders, one a turn"


def _leaders_of(facts: Facts, seat: int) -> list[int]:
    owners = facts.content["leaders"]["owner"]
    return [number for number in range(layout.LEADERS) if owners[number] == seat]


def _leader(facts: Facts, number: int) -> str:
    leaders = facts.content["leaders"]
    text = f"{leader(number, facts)} {facts.strength(number)}"
    change = leaders["change"][number]
    if change:
        text += f"{change:+d}"
    used = leaders["used"][number]
    notes = [] if leaders["alive"][number] else ["dead"]
    notes += [f"used in {territory(used, facts)}"] if used != NONE else []
    return f"{text} ({', '.join(notes)})" if notes else text


# Transcripts


def variant(options: Mapping[str, Any]) -> str:
    """The variant of the game, from its options: a preset's name, or what differs; empty for the full game."""
    chosen = {option.name: options[option.name] for option in OPTIONS}
    players = options.get("num_players", 3)
    for name, preset in PRESETS.items():
        of_preset = {option: value for option, value in preset.items() if option in chosen}
        if chosen == complete(of_preset, players):
            return "" if not of_preset else f"variant {name}"
    usual = complete({}, players)
    return ", ".join(words.OPTIONS[name].format(value) for name, value in chosen.items() if value != usual[name])


def turn(content: Content, player: str) -> str:
    """The line that opens the decisions of a player."""
    facts = Facts(content, load(None))
    faction = f" {capital(who(facts.seat, facts))}," if facts.seat != NONE else ""
    return f"Turn {content['turn']}, {words.PHASES[content['phase']]}:{faction} {player}"


def news(before: Content, after: Content, components: Components | None = None) -> Sequence[str]:
    """The events between two positions that the action's sentence has not told, one line for each.

    Args:
        before: the earlier state dictionary or view.
        after: the later state dictionary or view.
        components: the components whose names and values are used; None for the game's own.
    """
    facts = Facts(after, components or load(None))
    lines = []
    for event in events(before, after, facts.components):
        text = told(event, facts)
        lines.append(text if event.seat is None else f"{capital(who(event.seat, facts))} {text}")
    return lines


def told(event: Event, facts: Facts) -> str:
    """An event in words: for an event of a seat, a clause without its subject; for one of the board, a whole clause."""
    return _EVENTS[event.kind](facts, *event.numbers)


def _spice(facts: Facts, before: int, after: int) -> str:
    return f"{'gains' if after > before else 'pays'} {abs(after - before)} spice (now {after})"


def _gets(facts: Facts, *kinds: int) -> str:
    known = [kind for kind in kinds if kind != NONE]
    return f"gets {cards(known, facts)}" if known else f"gets {count(len(kinds), 'card')}"


def _shown_plan(facts: Facts, who_leads: int, weapon: int, defence: int, number: int) -> str:
    plan = {
        "leader": who_leads,
        "hero": who_leads == layout.HERO,
        "weapon": weapon,
        "defence": defence,
        "number": number,
    }
    return f"shows the plan: {_plan(facts, plan)}"


def _fought(facts: Facts, aggressor: int, defender: int, field: int, *left: int) -> str:
    fate = [
        f"{who(seat, facts)} has {count(tokens, 'token')} left there"
        for seat, tokens in zip((aggressor, defender), left, strict=True)
    ]
    return f"the battle in {cell(field, facts)} is over: {' and '.join(fate)}"


def _blow(facts: Facts, number: int, stays: int) -> str:
    where, amount = cell(facts.printed.spice_cell[number], facts), facts.printed.spice_amount[number]
    if stays:
        return f"the spice blow brings {amount} spice to {where}"
    return f"the spice blow of {where} is lost in the storm"


def _over(facts: Facts, how: int, *winners: int) -> str:
    reasons = {
        "strongholds": "by strongholds",
        "prediction": "by the prediction",
        "fremen": "because the sietches were left alone",
        "guild": "because nobody else has won",
        "most": "by most strongholds",
    }
    if not winners:
        return "the game is over: nobody wins"
    verb = "win" if len(winners) > 1 else "wins"
    return f"the game is over: {listed(who(seat, facts) for seat in winners)} {verb} {reasons[layout.HOW_NAMES[how]]}"


def _plain(text: str) -> Callable[..., str]:
    return lambda facts: text


_EVENTS: dict[str, Callable[..., str]] = {
    "attacks": lambda facts, enemy, field: f"attacks {who(enemy, facts)} in {cell(field, facts)}",
    "unarmed": _plain("has neither leader nor hero for the plan"),
    "order": lambda facts, enemy, action: f"orders {who(enemy, facts)}: {words.order(ACTION_TEXTS[action], facts)}",
    "element": lambda facts, element: f"asks about {words.ELEMENTS[ELEMENTS[element]]} of the plan",
    "plan": _shown_plan,
    "treason": lambda facts, enemy: f"calls the leader of {who(enemy, facts)} a traitor",
    "truth": lambda facts, asker, action, answer: (
        f"answers {who(asker, facts)}: {'yes' if answer else 'no'} ({words.question(ACTION_TEXTS[action], facts)})"
    ),
    "bid": lambda facts, bid: f"bids {bid}",
    "discs": lambda facts, *found: f"has drawn {listed(leader(disc, facts) for disc in found)}",
    "traitors": lambda facts, *found: f"has as traitors {listed(leader(disc, facts) for disc in found)}",
    "foresees": lambda facts, number: f"foresees the next spice card: {_spice_card(number, facts)}",
    "loses": lambda facts, where, number: f"loses {count(number, 'token')} in {territory(where, facts)}",
    "moves": lambda facts, number, origin, where: (
        f"moves {count(number, 'token')} from {territory(origin, facts)} to {territory(where, facts)}"
    ),
    "lifts": lambda facts, where, number: (
        f"takes {count(number, 'token')} from {territory(where, facts)} off the board"
    ),
    "lands": lambda facts, where, number: f"brings {count(number, 'token')} to {territory(where, facts)}",
    "revives": lambda facts, number: f"gets {count(number, 'token')} back from the tanks",
    "killed": lambda facts, one: f"loses {leader(one, facts)}",
    "back": lambda facts, one: f"has {leader(one, facts)} back",
    "owns": lambda facts, one: f"has {leader(one, facts)} now",
    "changed": lambda facts, one, change: f"has {leader(one, facts)} with a strength changed by {change:+d}",
    "reviving": _plain("may raise its leaders now, one a turn"),
    "spice": _spice,
    "gets": _gets,
    "gives": lambda facts, number: f"has {count(number, 'card')} less",
    "lays": lambda facts, target: f"lays a card on {who(target, facts)}",
    "unlays": lambda facts, target: f"has no card on {who(target, facts)} any more",
    "pledges": lambda facts, number: f"pledges {number} spice to the allies",
    "debt": lambda facts, other, owes: (
        f"owes {who(other, facts)} {owes} spice now" if owes else f"owes {who(other, facts)} nothing any more"
    ),
    "leaves": _plain("is in no alliance any more"),
    "silenced": _plain("is silenced for this turn"),
    "storm": lambda facts, start, end: f"the storm moves from sector {start} to sector {end}",
    "wall": lambda facts: f"the {territory(facts.printed.shield_wall, facts)} is destroyed",
    "blow": _blow,
    "worm": lambda facts, number: f"{'a worm comes' if number == 1 else f'{number} worms come'}",
    "more": lambda facts, where, amount: f"{amount} spice more in {cell(where, facts)}",
    "less": lambda facts, where, amount: f"{amount} spice gone from {territory(where, facts)}",
    "discarded": lambda facts, *kinds: f"discarded: {cards(kinds, facts)}",
    "removed": lambda facts, *kinds: f"out of the game: {cards(kinds, facts)}",
    "sale": lambda facts, kind: f"on sale: {card(kind, facts) if kind != NONE else 'a card'}",
    "unsold": _plain("nobody wants the card on sale"),
    "alliance": lambda facts, *members: f"allied are {listed(who(seat, facts) for seat in members)}",
    "sight": lambda facts: f"{words.faction(layout.ATREIDES, facts)} sees no card of this phase",
    "embargo": lambda facts: f"only {words.faction(layout.TLEILAX, facts)} gets tokens from the tanks",
    "fought": _fought,
    "phase": lambda facts, phase: f"next: {words.PHASES[layout.PHASE_NAMES[phase]]}",
    "turn": lambda facts, number: f"turn {number} begins",
    "over": _over,
}
