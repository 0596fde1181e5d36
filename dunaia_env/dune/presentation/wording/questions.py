"""Questions and reminders of the rules: the same in every language, with its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.happenings import told
from dunaia_env.dune.presentation.wording.piece_texts import powers
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import Words, capital
from dunaia_env.dune.state import NONE
from dunaia_env.harness.presentation import Event, Outcome, Progress

Content = Mapping[str, Any]


def question(words: Words, content: Content, components: Components) -> str:
    """What the deciding seat is asked; if a view hides the decision, only that somebody else is asked."""
    teller = Teller(words, Facts(content, components))
    pending, decision, variant = teller.facts.pending, teller.facts.decision, ""
    match decision:
        case "BID" if pending["bid"]:
            variant = ".raise"
        case "COUNT" if pending.get("lifting"):
            variant = ".lifting"
    return words.typeset(capital(teller.say(f"question.{decision or 'hidden'}{variant}")))


def briefing(words: Words, content: Content, components: Components) -> str:
    """What the deciding seat's answer depends on: at first its powers, later the sides of a battle or a price."""
    teller = Teller(words, Facts(content, components))
    match teller.facts.decision:
        case "SHIP":
            told = [str(_landing(teller)["landing"])]
            if teller.facts.seat != teller.facts.with_power(layout.FREMEN):
                told.append(teller.say("to_spend"))
        case decision if decision in _IN_BATTLE:
            told = _of_battle(teller)
        case decision if decision in _OF_ONE_CARD:
            told = [_rule(teller)]
        case decision:
            is_first = decision == "PREDICT_WHO" or _is_first_question(teller.facts)
            told = [powers(teller, teller.facts.seat)] if is_first else []
            if decision == "BID":
                told.append(teller.say("to_spend"))
    return words.typeset(" ".join(map(capital, told)))


def tip(words: Words, tips: Mapping[str, str], content: Content, components: Components) -> str:
    """What to think of where the present decision is met for the first time; empty for nothing."""
    teller = Teller(words, Facts(content, components))
    key = teller.facts.decision or ""
    if key == "DIAL" and content["turn"] > 1:
        key = "DIAL.later"
    elif key in _OF_CARDS:
        key = "CARDS"
    told = [tips[key]] if key in tips else []
    if _is_first_question(teller.facts):
        told.insert(0, tips["GOAL" if content["options"]["undecided"] == "nobody" else "GOAL.decided"])
    return words.typeset(" ".join(map(teller.fill, told)))


def _is_first_question(facts: Facts) -> bool:
    """Whether a seat is asked for its traitor, or, without a choice of one, for its dial or bid of the first turn."""
    if facts.decision not in ("DIAL", "BID") or facts.content["turn"] > 1:
        return facts.decision == "TRAITOR"
    if facts.decision == "BID" and facts.seat in facts.content["wheels"]:
        return False
    others = {player["faction"] for player in facts.players} - {facts.faction(facts.seat)}
    choice = [leader for leader in facts.players[facts.seat]["discs"] if facts.printed.faction_of[leader] in others]
    return len(choice) < 2 or facts.seat == facts.with_power(layout.HARKONNEN)


# The decisions in which a card can be played, or not; in the first ones only one card.
_OF_ONE_CARD = ("WEATHER", "ATOMICS", "HARVESTER", "HAJR")
_OF_CARDS = (*_OF_ONE_CARD, "BLOW_CARDS", "NEXUS_CARDS", "BIDDING_CARDS", "REVIVAL_CARDS", "BATTLE_CARDS")


def rules(words: Words, content: Content, components: Components) -> str:
    """A reminder of the rules of the present decision, what a Karama could do in it, and the seat's own powers."""
    teller = Teller(words, Facts(content, components))
    decision = teller.facts.decision
    if decision is None:
        return words.typeset(teller.say("rules.hidden"))
    text = _rule(teller)
    keys = [key for key in (_besides(teller.facts), _karama(teller.facts)) if key]
    text += "".join(map(teller.say, keys))
    if teller.facts.seat != NONE and content["options"]["powers"]:
        text += f"\n{powers(teller, teller.facts.seat)}"
    return words.typeset(text)


def _rule(teller: Teller) -> str:
    """The rules of the present decision alone."""
    decision = teller.facts.decision or ""
    write = _WRITTEN.get(decision)
    return teller.say(f"rules.{decision}", **({} if write is None else write(teller)))


# What is known of a battle, for its decisions.

_IN_BATTLE = ("BATTLE_CARDS", "VOICE", "PRESCIENCE", "LEADER", "WEAPON", "DEFENCE", "NUMBER", "TREASON")


def _of_battle(teller: Teller) -> list[str]:
    """The sides with their tokens, then what the decision needs: plans, or leaders and known cards of the enemy."""
    facts = teller.facts
    own, enemy = facts.own_battler, facts.enemy
    if NONE in (own, enemy):
        return []
    field = facts.pending["field"]
    tokens = [facts.tokens_in_field(seat, field) for seat in (own, enemy)]
    told = [teller.say("battle.sides", own=teller.who(own), own_tokens=tokens[0], enemy_tokens=tokens[1])]
    if facts.decision == "TREASON":
        return [*told, teller.say("battle.plan", owner=teller.who(enemy), plan=teller.plan(facts.plan(enemy)))]
    if facts.decision in ("LEADER", "NUMBER") and (leaders := facts.leaders_for(enemy, field)):
        told.append(teller.say("battle.leaders", strengths=", ".join(str(facts.strength(one)) for one in leaders)))
    told += _known_cards(teller, enemy)
    if facts.decision == "LEADER":
        told.append(teller.say("battle.rule"))
    plan = {} if own != facts.seat else facts.plan(own)
    if plan:
        told.append(teller.say("battle.own_plan", plan=teller.plan(plan)))
    return told


def _known_cards(teller: Teller, enemy: int) -> Iterator[str]:
    """How many cards the enemy has, and those that the deciding seat knows."""
    size, player = teller.facts.hand_size(enemy), teller.facts.players[enemy]
    if size is None:
        return
    known = player["hand"]
    if known is None:
        known = sorted((Counter(player["shown"]) | Counter(player["foreseen"] or ())).elements())
    key = "battle.cards.none" if not size else "battle.cards.known" if known else "battle.cards"
    yield teller.say(key, number=size, cards=teller.cards(known))


# The parts of a reminder that depend on the position.


def _landing(teller: Teller) -> dict[str, object]:
    """The price of a landing for the deciding seat, and how tokens are shipped from the board."""
    facts = teller.facts
    guild, variant = facts.with_power(layout.GUILD), ""
    if facts.seat == facts.with_power(layout.FREMEN) and facts.decision != "SHIP_TO":
        variant = ".fremen"
    elif facts.ships_at_half_price:
        variant = ".half"
    lifts = guild != NONE and guild in (facts.seat, *facts.allies(facts.seat))
    return {"landing": teller.say(f"landing{variant}"), "lifting": teller.say("lifting") if lifts else ""}


def _reach(teller: Teller) -> dict[str, object]:
    """How far the deciding seat can move."""
    variant = ".ride" if teller.facts.content["phase"] == "blow" else ".flies" if teller.facts.flies else ""
    return {"reach": teller.say(f"reach{variant}")}


def _ask(teller: Teller) -> dict[str, object]:
    """What can be asked, and where to point for it."""
    facts, target = teller.facts, teller.facts.pending["target"]
    ways = {
        "card": True,
        "leader": facts.faction(target) != layout.TLEILAX,
        "spice": not facts.content["options"]["open_shields"],
        "prediction": target == facts.with_power(layout.BENE_GESSERIT),
    }
    found = teller.words.names(teller.name(f"ask.{way}") for way, can_be_asked in ways.items() if can_be_asked)
    return {"ask": teller.say("ask", ways=found)}


def _fetched(teller: Teller) -> dict[str, object]:
    """What comes back from the tanks."""
    facts = teller.facts
    if facts.seat == facts.with_power(layout.TLEILAX):
        variant = "tleilax"
    elif facts.content["phase"] == "battle":
        variant = "battle"
    else:
        variant = "karama" if facts.pending.get("card") == layout.KARAMA_CARD else "ghola"
    return {"fetched": teller.say(f"fetched.{variant}")}


def _if_stopped(teller: Teller) -> dict[str, object]:
    return {"if_stopped": teller.say(f"if_stopped.{teller.facts.pending['power']}")}


def _ending(teller: Teller) -> dict[str, object]:
    """Who has won; nothing while the game is not over."""
    content = teller.facts.content
    if not content["over"]:
        return {"ending": ""}
    event = Event(None, "over", (layout.HOW_NAMES.index(content["how"]), *content["winners"]))
    return {"ending": f"{capital(told(event, teller))}."}


def outcome(words: Words, content: Content, components: Components) -> Outcome:
    """Why the game has ended, and who has won it."""
    teller = Teller(words, Facts(content, components))
    undecided = teller.say("undecided") if content["how"] in _AFTER_LAST_TURN else ""
    reason = f"{undecided} {_ending(teller)['ending']}".strip()
    return Outcome(words.typeset(reason), winners=tuple(content["winners"]))


def progress(words: Words, content: Content, components: Components) -> Progress:
    """How many strongholds each side needs to win, and the number of the turn, which there is none of in the set-up."""
    teller = Teller(words, Facts(content, components))
    facts, seats = teller.facts, range(len(teller.facts.players))
    needed = tuple(map(facts.strongholds_needed, seats))
    titles = (teller.say("to_win", held=facts.held(seat), needed=needed[seat]) for seat in seats)
    turn, last = content["turn"], content["options"]["max_turns"]
    time = words.typeset(capital(teller.say("turn_of", turn=turn, last=last))) if turn else ""
    return Progress(needed, tuple(words.typeset(capital(title)) for title in titles), time)


_AFTER_LAST_TURN = ("fremen", "guild", "most", "nobody")
_WRITTEN = {
    **dict.fromkeys(("SHIP", "SHIP_COUNT", "SHIP_TO"), _landing),
    **dict.fromkeys(("MOVE_FROM", "MOVE_TO"), _reach),
    "TRUTH": _ask,
    "GHOLA": _fetched,
    "KARAMA": _if_stopped,
    "OVER": _ending,
}


def _besides(facts: Facts) -> str:
    """The key of what the options and the factions at the table add to the rules of the decision; empty for nothing."""
    options = facts.content["options"]
    match facts.decision:
        case "DIAL":
            return "besides.first_dial" if facts.content["turn"] == 1 else "besides.later_dial"
        case "PROPOSE" | "ANSWER" if options["max_alliance"] is not None:
            return "besides.alliance"
        case "BIDDING_CARDS" if options["deck"] == layout.DECKS[0]:
            return "besides.laying"
        case "BID" if facts.with_power(layout.EMPEROR) not in (NONE, facts.seat):
            return "besides.emperor"
        case "SHIP" | "SHIP_COUNT" | "SHIP_TO" if facts.with_power(layout.GUILD) not in (NONE, facts.seat):
            # A shipment at half price by a Karama is paid to the bank.
            return "" if facts.pending.get("half_price") else "besides.guild"
        case "REVIVE":
            return "besides.freed"
        case "MOVE_FROM" if facts.pending.get("second_move"):
            return "besides.second_move"
    return ""


# The factions that have a use of their own for a Karama, by decision. In other decisions everybody has the same use.
_OWN_KARAMA = {
    "BLOW_CARDS": (layout.FREMEN,),
    "REVIVAL_CARDS": (layout.HARKONNEN, layout.EMPEROR, layout.TLEILAX),
    "PRESCIENCE": (layout.ATREIDES,),
}


def _karama(facts: Facts) -> str:
    """The key of what the deciding seat could do with a Karama; empty if it holds none or could do nothing."""
    hand = facts.players[facts.seat]["hand"] if facts.seat != NONE else []
    sister = facts.seat == facts.with_power(layout.BENE_GESSERIT)
    kinds = [layout.KARAMA_CARD, *([layout.WORTHLESS] if sister else [])]
    if not any(kind in hand for kind in kinds):
        return ""
    if facts.decision in ("BID", "SHIP"):
        return f"with_karama.{facts.decision}"
    own, faction = _OWN_KARAMA.get(facts.decision or "", ()), facts.faction(facts.seat)
    usable = faction in own and facts.content["options"]["karama_powers"]
    return f"with_karama.{layout.FACTION_NAMES[faction]}" if usable else ""
