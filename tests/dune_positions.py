"""Positions of Dune made by hand, as state dictionaries: at least one of each decision kind and of each question.

Six seats, seat p of faction p; where the Tleilax are needed they sit in seat 2.
"""

from __future__ import annotations

import copy
from typing import Any

from dunaia_env.dune.components import load
from dunaia_env.dune.notation.states import from_dict
from dunaia_env.dune.options import complete
from dunaia_env.dune.state import KINDS, LEADERS

Content = dict[str, Any]

ATREIDES, HARKONNEN, EMPEROR, FREMEN, GUILD, BENE_GESSERIT = range(6)
TLEILAX = 2  # its seat
HANDS = ([3, 5], [0, 1, 4], [2, 6], [1, 3], [0, 16], [4, 6, 10])
DISCS = [[seat, 6 + seat, 12 + seat, 18 + seat] for seat in range(6)]
TRAITORS = [[6], [1, 13, 19], [2], [3], [4], [5]]
RESERVES = [10, 10, 20, 10, 15, 19]
START_SPICE = [10, 10, 10, 3, 5, 5]
FORCES = ([[0, 10]], [[8, 10]], [], [[65, 10]], [[79, 5]], [[58, 1]])
NEXUS = [{"point": "drawing"}, {"point": "eat"}]


def window(decision: str, seat: int) -> Content:
    return {"point": "window", "decision": decision, "seat": seat}


def place(decision: str, seat: int) -> Content:
    return {"point": "seats", "decision": decision, "seat": seat}


def stop(power: str, user: int) -> Content:
    return {"point": "stop", "seat": BENE_GESSERIT, "power": power, "user": user}


def base(*, tleilax: bool = False, **options: Any) -> Content:
    """Everything but the moment: turn 2 of a game of six."""
    values: Any = load().record[0]
    complete_options = complete({"tleilax": tleilax, **options}, 6)
    factions = [0, 1, 6 if tleilax else 2, 3, 4, 5]
    owner = [factions.index(leader // 5) if leader // 5 in factions else -1 for leader in range(LEADERS)]
    deck = values.treachery[0 if complete_options["deck"] == 43 else 1].tolist()
    discards, hidden = [0] * KINDS, [0] * KINDS
    discards[7] += 1
    hidden[6] += 1
    for kind in (7, 6, 15, *(kind for hand in HANDS for kind in hand)):
        deck[kind] -= 1
    spice_deck, spice_discards = values.spice_cards.tolist(), [0] * 16
    for card in (3, 7):
        spice_deck[card] -= 1
    spice_discards[7] = 1
    players = []
    for seat in range(6):
        is_tleilax = factions[seat] == 6
        counting = [leader for leader in TRAITORS[seat] if leader // 5 in factions]
        player = {
            "faction": factions[seat],
            "dot": 1 + 3 * seat,
            "spice": START_SPICE[seat],
            "reserve": RESERVES[seat],
            "tanks": 0,
            "forces": [list(pair) for pair in FORCES[seat]],
            "hand": list(HANDS[seat]),
            "shown": [4] if seat == HARKONNEN else [],
            "foreseen": [0] if seat == HARKONNEN else [],
            "discs": [] if is_tleilax else list(DISCS[seat]),
            "traitors": [] if is_tleilax else counting,
            "reviving": False,
            "pledge": 0,
            "debts": [0] * 6,
            "laid": 15 if seat == GUILD else -1,
            "laid_on": 0 if seat == GUILD else -1,
        }
        players.append(player)
    return {
        "seat": 0,
        "decision": "OVER",
        "phase": "over",
        "actor": -1,
        "turn": 2,
        "over": False,
        "how": "",
        "winners": [],
        "options": complete_options,
        "storm": 3,
        "shield_wall": True,
        "wheels": [0, 5],
        "last_blow": 24,
        "spice": [[49, 6]],
        "spice_deck": spice_deck,
        "spice_discards": spice_discards,
        "foreseen_spice": 3,
        "deck": deck,
        "discards": discards,
        "hidden_discards": hidden,
        "removed": [0] * KINDS,
        "top": -1,
        "top_seen": False,
        "sale": -1,
        "sale_seen": False,
        "alliance": [-1] * 6,
        "silenced": [],
        "prediction": {"faction": 0, "turn": 3},
        "truths": [[1, 2, "card 16", False]],
        "leaders": {
            "owner": owner,
            "alive": [seat != -1 for seat in owner],
            "used": [-1] * LEADERS,
            "risen": [False] * LEADERS,
            "returned": [False] * LEADERS,
            "change": [0] * LEADERS,
            "change_shown": [False] * LEADERS,
        },
        "players": players,
        "pending": {},
        "scores": [1, 1, 0, 1, 1, 0],
    }


def moment(decision: str, phase: str, seat: int, pending: Content | None = None, **changes: Any) -> Content:
    """A position; `changes` are options, `actor`, or `tleilax`."""
    actor = changes.pop("actor", -1)
    content = base(**changes)
    content |= {
        "decision": decision,
        "phase": phase,
        "seat": seat,
        "actor": actor,
        "pending": copy.deepcopy(pending or {}),
    }
    if phase == "setup":
        content |= {"turn": 0, "wheels": [-1, -1], "last_blow": -1, "spice": [], "truths": []}
        before_the_first_blow(content)
    return content


def before_the_first_blow(content: Content) -> Content:
    """Put all spice cards into the pile."""
    pile = load().record[0]["spice_cards"].tolist()
    content |= {"spice_deck": pile, "spice_discards": [0] * len(pile), "foreseen_spice": -1}
    return content


def move_card(content: Content, kind: int, source: str, target: str) -> None:
    """Move a card between the deck and other common places: counts, or a single card."""
    for key, change in ((source, -1), (target, 1)):
        if isinstance(content[key], list):
            content[key][kind] += change
        else:
            content[key] = kind if change == 1 else -1


def with_card(content: Content, seat: int, kind: int, instead: int) -> Content:
    """A position with a card of the deck in a hand, in place of another card of the hand."""
    changed = copy.deepcopy(content)
    hand = changed["players"][seat]["hand"]
    hand[hand.index(instead)] = kind
    hand.sort()
    changed["deck"][kind] -= 1
    changed["deck"][instead] += 1
    return changed


def on_sale(content: Content, kind: int = 1, *, seen: bool = True) -> Content:
    move_card(content, kind, "deck", "sale")
    content["sale_seen"] = seen
    return content


SALE = {"cards_left": 2, "opener": 0, "bid": 0, "bidder": -1}
FIGHT = {"field": 8, "defender": FREMEN}
SHOWN_PLAN = {"leader": 5, "hero": False, "weapon": 0, "defence": 4, "number": 2}
PLAN = {"leader": 17, "hero": False, "weapon": 1, "defence": -1, "number": 3}


def _with(content: Content, seat: int, **changes: Any) -> Content:
    """A position in which some of a seat's pieces are different."""
    content["players"][seat] |= changes
    return content


def _dead(content: Content, *leaders: int) -> Content:
    for leader in leaders:
        content["leaders"]["alive"][leader] = False
    return content


def _riders(content: Content) -> Content:
    """Fremen stand where worms come to, in the two territories of the variations too."""
    return _with(content, FREMEN, forces=[[28, 3], [29, 2], [65, 5]])


def _planned(content: Content, seat: int, *kinds: int) -> Content:
    """Take the cards of a hidden plan out of a hand."""
    for kind in kinds:
        content["players"][seat]["hand"].remove(kind)
    return content


def _fight(decision: str, seat: int, pending: Content | None = None, **changes: Any) -> Content:
    """A battle of Harkonnen, aggressor, against Fremen in Carthag; Atreides and Bene Gesserit are allies of one."""
    content = moment(decision, "battle", seat, {**FIGHT, **(pending or {})}, actor=HARKONNEN, **changes)
    content["players"][FREMEN] |= {"forces": [[8, 10]]}
    content["alliance"] = [0, 0, -1, -1, -1, 0]
    content["players"][ATREIDES]["pledge"] = 2
    content["scores"] = [2, 2, 0, 1, 1, 2]
    return content


def _shown_fight(decision: str, pending: Content) -> Content:
    content = _fight(decision, HARKONNEN, {"plans": [SHOWN_PLAN, PLAN], "plans_shown": True, **pending})
    _with(content, FREMEN, traitors=[9])
    return _with(content, HARKONNEN, shown=[], foreseen=[])


def _setup(content: Content, *, discs: bool) -> Content:
    if not discs:
        for player in content["players"]:
            player |= {"discs": [], "traitors": []}
    content["prediction"] = None
    return content


def _all_positions() -> dict[str, Content]:
    found: dict[str, Content] = {}
    found["PREDICT_WHO"] = _setup(moment("PREDICT_WHO", "setup", BENE_GESSERIT), discs=False)
    found["PREDICT_TURN"] = _setup(moment("PREDICT_TURN", "setup", BENE_GESSERIT, {"faction": 1}), discs=False)
    found["TRAITOR"] = moment("TRAITOR", "setup", FREMEN)
    for seat in (FREMEN, GUILD, BENE_GESSERIT):
        found["TRAITOR"]["players"][seat]["traitors"] = []
    found["PLACE"] = moment("PLACE", "setup", FREMEN, {"cell": 27})
    found["WEATHER"] = moment("WEATHER", "storm", EMPEROR)
    found["WEATHER_DIAL"] = moment("WEATHER_DIAL", "storm", EMPEROR)
    found["DIAL"] = moment("DIAL", "storm", BENE_GESSERIT, {"dials": [2, -1]})
    found["ATOMICS"] = moment("ATOMICS", "storm", GUILD, {"dials": [2, 3]})
    found["ATOMICS, weather"] = moment("ATOMICS", "storm", GUILD, {"weather": 4, "weather_seat": 3})
    found["BLOW_CARDS"] = moment("BLOW_CARDS", "blow", FREMEN, {"thumper": True}, karama_powers=True)
    blow = window("BLOW_CARDS", FREMEN)
    found["WORM"] = moment("WORM", "blow", FREMEN, {"stack": [blow]}, karama_powers=True)
    drawing = [{"point": "drawing"}]
    ride = {"stack": drawing, "worm_came": True, "worm": 13}
    taken = {**ride, "origin": 13, "taken": [[28, 2]]}
    found["RIDE"] = _riders(moment("RIDE", "blow", FREMEN, ride))
    found["COUNT, ride"] = _riders(moment("COUNT", "blow", FREMEN, {**taken, "cell": 29}))
    found["MOVE_TO, ride"] = _riders(moment("MOVE_TO", "blow", FREMEN, taken))
    found["HARVESTER"] = moment("HARVESTER", "blow", ATREIDES)
    found["NEXUS_CARDS"] = moment("NEXUS_CARDS", "nexus", ATREIDES, {"stack": NEXUS})
    found["LEAVE"] = moment("LEAVE", "nexus", FREMEN, {"stack": NEXUS})
    found["PROPOSE"] = moment("PROPOSE", "nexus", FREMEN, {"stack": NEXUS, "alliance_grew": True})
    found["ANSWER"] = moment("ANSWER", "nexus", 1, {"stack": [*NEXUS, place("PROPOSE", 3)], "target": 1})
    found["ANSWER"] |= {"alliance": [-1, 1, 1, -1, -1, -1], "scores": [1, 1, 1, 1, 1, 0]}
    found["LEAVE"] |= {"alliance": [-1, -1, -1, 3, 3, -1], "scores": [1, 1, 0, 2, 2, 0]}
    card = window("NEXUS_CARDS", 1)
    found["TRUTH_WHO"] = moment("TRUTH_WHO", "nexus", 1, {"stack": [*NEXUS, card]})
    found["TRUTH"] = moment("TRUTH", "nexus", 1, {"stack": [*NEXUS, card], "target": 3})
    found["CONE"] = moment("CONE", "nexus", 1, {"stack": [*NEXUS, card], "coned": True})
    found["CONE"]["silenced"] = [4]
    found["BIDDING_CARDS"] = moment("BIDDING_CARDS", "bidding", EMPEROR)
    bidding = window("BIDDING_CARDS", EMPEROR)
    found["LAY_WHO"] = moment("LAY_WHO", "bidding", EMPEROR, {"stack": [bidding], "card": 6})
    _with(_with(found["LAY_WHO"], GUILD, laid=6), EMPEROR, hand=[2, 6, 15])["deck"][6] -= 1
    found["RANSOM"] = moment("RANSOM", "bidding", GUILD)
    found["PAY"] = moment("PAY", "bidding", ATREIDES, {"stack": [place("RANSOM", GUILD)], "price": 3})
    _with(found["PAY"], EMPEROR, hand=[2], laid=6, laid_on=ATREIDES)
    found["POISONED"] = moment("POISONED", "bidding", GUILD, {"stack": [place("RANSOM", GUILD)]})
    found["GIFT"] = moment("GIFT", "bidding", EMPEROR, {"target": 4})
    found["PLEDGE"] = moment("PLEDGE", "bidding", GUILD)
    for name in ("GIFT", "PLEDGE"):
        found[name]["alliance"] = [-1, -1, 2, 2, 2, -1]
        found[name]["scores"] = [1, 1, 2, 2, 2, 0]
    found["BID"] = on_sale(moment("BID", "bidding", GUILD, {**SALE, "bid": 3, "bidder": 1}))
    found["BID, unseen"] = on_sale(moment("BID", "bidding", GUILD, {**SALE, "sight_stopped": True}), seen=False)
    found["REVIVAL_CARDS"] = moment("REVIVAL_CARDS", "revival", HARKONNEN)
    revival = window("REVIVAL_CARDS", HARKONNEN)
    ghola = {"stack": [window("REVIVAL_CARDS", EMPEROR)], "card": 10}
    found["GHOLA"] = _with(moment("GHOLA", "revival", EMPEROR, ghola, karama_powers=True), EMPEROR, reserve=16, tanks=4)
    found["SWAP_WHO"] = moment("SWAP_WHO", "revival", HARKONNEN, {"stack": [revival]}, karama_powers=True)
    swap = {"stack": [revival], "target": 3}
    found["SWAP_COUNT"] = moment("SWAP_COUNT", "revival", HARKONNEN, swap, karama_powers=True)
    found["GIVE"] = moment("GIVE", "revival", HARKONNEN, {**swap, "left": 2}, karama_powers=True)
    found["REVIVE"] = moment("REVIVE", "revival", HARKONNEN, {"freed": 1})
    back = [place("REVIVE", FREMEN)]
    found["BUY_BACK"] = moment("BUY_BACK", "revival", FREMEN, {"stack": back}, tleilax=True)
    found["PRICE"] = moment("PRICE", "revival", TLEILAX, {"stack": back, "leader": 16}, tleilax=True)
    found["ACCEPT"] = moment("ACCEPT", "revival", FREMEN, {"stack": back, "leader": 16, "price": 4}, tleilax=True)
    for name in ("PRICE", "ACCEPT"):
        _dead(found[name], 16, 17, 21)
    found["TAMPER"] = moment("TAMPER", "revival", TLEILAX, {"stack": back, "leader": 16, "embargo": True}, tleilax=True)

    def movement(decision: str, seat: int, actor: int, pending: Content | None = None) -> Content:
        return moment(decision, "movement", seat, pending, actor=actor)

    found["WITHDRAW"] = movement("WITHDRAW", GUILD, GUILD)
    found["SHIP"] = movement("SHIP", EMPEROR, EMPEROR, {"half_price": True})
    found["SHIP_COUNT"] = movement("SHIP_COUNT", EMPEROR, EMPEROR, {"cell": 44})
    lifted = {"origin": 39, "lifting": True}
    found["SHIP_TO"] = movement("SHIP_TO", GUILD, GUILD, {**lifted, "taken": [[79, 2]]})
    found["COUNT, lift"] = movement("COUNT", GUILD, GUILD, {**lifted, "cell": 79})
    found["ACCOMPANY"] = movement("ACCOMPANY", BENE_GESSERIT, EMPEROR, {"stack": [place("SHIP", EMPEROR)]})
    found["MOVE_FROM"] = movement("MOVE_FROM", GUILD, GUILD, {"second_move": True})
    found["COUNT"] = movement("COUNT", GUILD, GUILD, {"origin": 39, "cell": 79})
    found["MOVE_TO"] = movement("MOVE_TO", GUILD, GUILD, {"origin": 39, "taken": [[79, 4]]})
    found["HAJR"] = movement("HAJR", EMPEROR, EMPEROR)
    found["RAISE"] = movement("RAISE", EMPEROR, EMPEROR)
    found["BATTLE"] = moment("BATTLE", "battle", HARKONNEN, actor=HARKONNEN)
    found["OPPONENT"] = moment("OPPONENT", "battle", HARKONNEN, {"field": 8}, actor=HARKONNEN)
    for name in ("BATTLE", "OPPONENT"):
        _with(found[name], FREMEN, forces=[[8, 10]])
    found["BATTLE_CARDS"] = _fight("BATTLE_CARDS", FREMEN)
    found["TRUTH, battle"] = _fight("TRUTH", FREMEN, {"stack": [window("BATTLE_CARDS", FREMEN)], "target": 1})
    found["VOICE"] = _fight("VOICE", BENE_GESSERIT)
    found["LEADER"] = _fight("LEADER", FREMEN, {"voice": "must_not 1", "plans": [{"no_leader": True}, {}]})
    weapon, defence, number = ({key: PLAN[key] for key in keys} for keys in _CHOSEN)
    found["WEAPON"] = _fight("WEAPON", FREMEN, {"plans": [{}, weapon]})
    found["DEFENCE"] = _planned(_fight("DEFENCE", FREMEN, {"plans": [{}, defence]}), FREMEN, 1)
    found["NUMBER"] = _planned(_fight("NUMBER", FREMEN, {"plans": [{}, number]}), FREMEN, 1)
    found["PRESCIENCE"] = _planned(_fight("PRESCIENCE", ATREIDES, {"plans": [{}, PLAN]}), FREMEN, 1)
    shown = {"plans": [{}, PLAN], "element": "weapon", "element_shown": True}
    found["LEADER, foreseen"] = _planned(_fight("LEADER", HARKONNEN, shown), FREMEN, 1)
    every = {**shown, "element": "all"}
    found["LEADER, all foreseen"] = _planned(_fight("LEADER", HARKONNEN, every, karama_powers=True), FREMEN, 1)
    plans = [{**SHOWN_PLAN, "leader": 9}, {**PLAN, "leader": 19}]
    found["TREASON"] = _shown_fight("TREASON", {"plans": plans})
    # Both leaders are traitors: Harkonnen has answered, and Fremen are asked.
    answered = [{**plans[0], "treason": False}, plans[1]]
    found["TREASON, second"] = _shown_fight("TREASON", {"plans": answered}) | {"seat": FREMEN}
    won = {"winner": HARKONNEN, "plans": [{**plan, "treason": False} for plan in plans]}
    found["LOSS"] = _shown_fight("LOSS", {**won, "cell": 8, "left": 2})
    found["KEEP"] = _shown_fight("KEEP", {**won, "keeping": "weapon"})
    found["OVER"] = moment("OVER", "over", -1)
    found["OVER"] |= {"over": True, "how": "strongholds", "winners": [0], "scores": [11, 1, 0, 1, 1, 0]}
    return found | _questions(back)


_CHOSEN = (("leader", "hero"), ("leader", "hero", "weapon"), ("leader", "hero", "weapon", "defence"))


def _questions(back: list[Content]) -> dict[str, Content]:
    """A KARAMA about each power, asked of the Guild where it can be, and about the worthless card that stopped it."""

    def question(power: str, user: int, phase: str, pending: Content | None = None, **changes: Any) -> Content:
        named = {"power": power, "user": user, **(pending or {})}
        if phase == "battle":
            return _fight("KARAMA", GUILD, named)
        return moment("KARAMA", phase, GUILD, named, **changes)

    def with_karama(content: Content) -> Content:
        """The Emperor, too, could stop the power."""
        content["deck"][16] -= 1
        return _with(content, EMPEROR, hand=[2, 6, 16])

    def unforeseen(content: Content) -> Content:
        content["spice_deck"][content["foreseen_spice"]] += 1
        content["foreseen_spice"] = -1
        return content

    ship = {"stack": [place("SHIP", EMPEROR)]}
    steal = {"stack": [window("REVIVAL_CARDS", TLEILAX)], "leader": 16}
    planned = {"element": "number", "plans": [{}, PLAN]}
    found = {
        "sight": with_karama(question("sight", ATREIDES, "bidding", {**SALE, "opener": -1})),
        "bonus": question("bonus", HARKONNEN, "bidding", SALE),
        "future": unforeseen(question("future", ATREIDES, "revival")),
        "tame": question("tame", FREMEN, "blow", {"stack": [{"point": "drawing"}], "worm": 13, "worm_came": True}),
        "accompany": question("accompany", BENE_GESSERIT, "movement", ship, actor=EMPEROR),
        "voice": question("voice", BENE_GESSERIT, "battle", {"voice": "must 3"}),
        "prescience": _planned(question("prescience", ATREIDES, "battle", planned), FREMEN, 1),
        "shipment": question(
            "shipment", EMPEROR, "movement", {**ship, "cell": 44, "landing": 5}, actor=EMPEROR, karama_powers=True
        ),
        "tamper": question("tamper", TLEILAX, "revival", {"stack": back, "leader": 16}, tleilax=True),
        "steal": _dead(question("steal", TLEILAX, "revival", steal, tleilax=True), 16, 17),
    }
    for power in ("sight", "bonus", "future", "tame", "prescience", "tamper", "steal"):
        outer = copy.deepcopy(found[power])
        stack = [*outer["pending"].get("stack", []), stop(power, outer["pending"]["user"])]
        outer["pending"] |= {"power": "worthless", "user": BENE_GESSERIT, "stack": stack}
        found[f"worthless, {power}"] = outer
    # Bene Gesserit stops no power of an ally.
    found["worthless, prescience"] |= {"alliance": [0, 0, -1, -1, -1, -1], "scores": [2, 2, 0, 1, 1, 0]}
    bought = on_sale(moment("KARAMA", "bidding", GUILD, SALE))
    halved = moment("KARAMA", "movement", GUILD, actor=BENE_GESSERIT)
    for content, point in ((bought, "buy"), (halved, "halve")):
        entry = {"point": point, "seat": BENE_GESSERIT}
        content["pending"] |= {"power": "worthless", "user": BENE_GESSERIT, "stack": [entry]}
        found[f"worthless, {point}"] = content
    return {f"KARAMA, {power}": content for power, content in found.items()}


POSITIONS = _all_positions()


def position(name: str) -> Content:
    """A copy of a position."""
    return copy.deepcopy(POSITIONS[name])


def state_of(content: Content) -> Any:
    return from_dict(content, load())
