"""The decisions, in the order of the rules, with what goes with each of them.

The functions of a decision are in its chapter of the rules: `list_bid` and `answer_bid` for BID.
"""

from __future__ import annotations

from typing import NamedTuple

from dunaia_env.dune import state as layout

# Who is asked, besides the seats of factions.
ACTOR, BATTLER = layout.FACTIONS, layout.FACTIONS + 1


class Decision(NamedTuple):
    """What goes with a decision.

    Attributes:
        phases: the phases in which it is asked.
        verbs: the verbs that it takes.
        asked: the faction that is asked, `ACTOR`, `BATTLER` for one of two, or -1 for anybody.
        needed: the keys of `dunaia_env.dune.notation.pending` that have to be there.
        cards: the kinds of cards that it takes.
    """

    phases: tuple[str, ...]
    verbs: tuple[str, ...]
    asked: int = layout.NONE
    needed: tuple[str, ...] = ()
    cards: tuple[int, ...] = ()


_CARDS = ("card", "pass")
_ANSWER = ("yes", "pass")
_NUMBER = ("number",)
SALE = ("cards_left", "opener", "bid", "bidder")

DECISIONS: dict[str, Decision] = {
    # Set-up
    "PREDICT_WHO": Decision(("setup",), ("faction",), asked=layout.BENE_GESSERIT),
    "PREDICT_TURN": Decision(("setup",), ("turn",), asked=layout.BENE_GESSERIT, needed=("faction",)),
    "TRAITOR": Decision(("setup",), ("leader",)),
    "PLACE": Decision(("setup",), _NUMBER, asked=layout.FREMEN, needed=("cell",)),
    # Storm
    "WEATHER": Decision(("storm",), _CARDS, cards=(layout.WEATHER_CONTROL,)),
    "WEATHER_DIAL": Decision(("storm",), _NUMBER),
    "DIAL": Decision(("storm",), _NUMBER),
    "ATOMICS": Decision(("storm",), _CARDS, cards=(layout.ATOMICS_CARD,)),
    # Spice blow and nexus
    "BLOW_CARDS": Decision(("blow",), ("card", "karama", "pass"), cards=(layout.THUMPER,)),
    "WORM": Decision(("blow",), ("territory",), asked=layout.FREMEN),
    "NEXUS_CARDS": Decision(("nexus",), _CARDS, cards=(layout.TRUTHTRANCE, layout.CONE_OF_SILENCE)),
    "LEAVE": Decision(("nexus",), _ANSWER),
    "PROPOSE": Decision(("nexus",), ("seat", "pass")),
    "ANSWER": Decision(("nexus",), _ANSWER, needed=("target",)),
    "RIDE": Decision(("blow",), ("territory", "pass"), asked=layout.FREMEN, needed=("worm",)),
    "HARVESTER": Decision(("blow",), _CARDS, cards=(layout.HARVESTER_CARD,)),
    # Bidding
    "BIDDING_CARDS": Decision(
        ("bidding",),
        _CARDS,
        cards=(layout.WORTHLESS, layout.TRUTHTRANCE, layout.CONE_OF_SILENCE, layout.RESIDUAL_POISON),
    ),
    "RANSOM": Decision(("bidding",), _NUMBER),
    "PAY": Decision(("bidding",), _ANSWER, needed=("price",)),
    "POISONED": Decision(("bidding",), ("leader",)),
    "GIFT": Decision(("bidding",), _NUMBER, asked=layout.EMPEROR, needed=("target",)),
    "PLEDGE": Decision(("bidding",), _NUMBER),
    "BID": Decision(("bidding",), ("number", "karama", "pass"), needed=SALE),
    # Revival
    "REVIVAL_CARDS": Decision(("revival",), ("card", "karama", "pass"), cards=(layout.GHOLA_CARD,)),
    "REVIVE": Decision(("revival",), _NUMBER),
    # Movement
    "WITHDRAW": Decision(("movement",), _ANSWER, asked=ACTOR),
    "SHIP": Decision(("movement",), ("cell", "territory", "karama", "pass"), asked=ACTOR),
    "SHIP_COUNT": Decision(("movement",), _NUMBER, asked=ACTOR, needed=("cell",)),
    "SHIP_TO": Decision(("movement",), ("cell", "orbit"), asked=ACTOR, needed=("origin", "taken", "lifting")),
    "COUNT": Decision(("blow", "movement"), _NUMBER, needed=("origin", "cell")),
    "ACCOMPANY": Decision(("movement",), _ANSWER, asked=layout.BENE_GESSERIT),
    "MOVE_FROM": Decision(("movement",), ("territory", "pass"), asked=ACTOR),
    "MOVE_TO": Decision(("blow", "movement"), ("cell",), needed=("origin", "taken")),
    "HAJR": Decision(("movement",), _CARDS, asked=ACTOR, cards=(layout.HAJR,)),
    "RAISE": Decision(("movement",), ("leader", "pass"), asked=ACTOR),
    # Battle
    "BATTLE": Decision(("battle",), ("cell",), asked=ACTOR),
    "OPPONENT": Decision(("battle",), ("seat",), asked=ACTOR, needed=("field",)),
    "BATTLE_CARDS": Decision(
        ("battle",), _CARDS, asked=BATTLER, needed=("field", "defender"), cards=(layout.TRUTHTRANCE, layout.GHOLA_CARD)
    ),
    "VOICE": Decision(
        ("battle",), ("must", "must_not", "pass"), asked=layout.BENE_GESSERIT, needed=("field", "defender")
    ),
    "LEADER": Decision(
        ("battle",), ("leader", "card"), asked=BATTLER, needed=("field", "defender"), cards=(layout.CHEAP_HERO,)
    ),
    "WEAPON": Decision(("battle",), _CARDS, asked=BATTLER, needed=("field", "defender"), cards=layout.WEAPONS),
    "DEFENCE": Decision(("battle",), _CARDS, asked=BATTLER, needed=("field", "defender"), cards=layout.DEFENCES),
    "NUMBER": Decision(("battle",), _NUMBER, asked=BATTLER, needed=("field", "defender")),
    "PRESCIENCE": Decision(
        ("battle",), ("see", "karama", "pass"), asked=layout.ATREIDES, needed=("field", "defender", "plans")
    ),
    "TREASON": Decision(("battle",), _ANSWER, needed=("field", "defender", "plans")),
    "LOSS": Decision(
        ("battle",),
        _NUMBER,
        asked=BATTLER,
        needed=("field", "defender", "plans", "plans_shown", "winner", "cell", "left"),
    ),
    "KEEP": Decision(
        ("battle",), _ANSWER, asked=BATTLER, needed=("field", "defender", "plans", "plans_shown", "winner", "keeping")
    ),
    # The cards and powers of several phases
    "TRUTH_WHO": Decision(("nexus", "bidding", "battle"), ("seat",)),
    "TRUTH": Decision(
        ("nexus", "bidding", "battle"), ("card", "leader", "number", "faction", "turn"), needed=("target",)
    ),
    "CONE": Decision(("nexus", "bidding"), ("seat", "pass")),
    "LAY_WHO": Decision(("bidding",), ("seat",), needed=("card",)),
    "GHOLA": Decision(("revival", "battle"), ("leader", "number"), needed=("card",)),
    "SWAP_WHO": Decision(("revival",), ("seat",), asked=layout.HARKONNEN),
    "SWAP_COUNT": Decision(("revival",), _NUMBER, asked=layout.HARKONNEN, needed=("target",)),
    "GIVE": Decision(("revival",), ("card",), asked=layout.HARKONNEN, needed=("target", "left")),
    "KARAMA": Decision(
        ("blow", "bidding", "revival", "movement", "battle"), ("karama", "pass"), needed=("power", "user")
    ),
    # The Bene Tleilax
    "BUY_BACK": Decision(("revival",), ("leader", "pass")),
    "PRICE": Decision(("revival",), ("number", "pass"), asked=layout.TLEILAX, needed=("leader",)),
    "ACCEPT": Decision(("revival",), _ANSWER, needed=("leader", "price")),
    "TAMPER": Decision(("revival",), _NUMBER, asked=layout.TLEILAX, needed=("leader",)),
    "OVER": Decision(("over",), ()),
}
DECISION_NAMES = tuple(DECISIONS)

(
    # Set-up
    PREDICT_WHO,
    PREDICT_TURN,
    TRAITOR,
    PLACE,
    # Storm
    WEATHER,
    WEATHER_DIAL,
    DIAL,
    ATOMICS,
    # Spice blow and nexus
    BLOW_CARDS,
    WORM,
    NEXUS_CARDS,
    LEAVE,
    PROPOSE,
    ANSWER,
    RIDE,
    HARVESTER,
    # Bidding
    BIDDING_CARDS,
    RANSOM,
    PAY,
    POISONED,
    GIFT,
    PLEDGE,
    BID,
    # Revival
    REVIVAL_CARDS,
    REVIVE,
    # Movement
    WITHDRAW,
    SHIP,
    SHIP_COUNT,
    SHIP_TO,
    COUNT,
    ACCOMPANY,
    MOVE_FROM,
    MOVE_TO,
    HAJR,
    RAISE,
    # Battle
    BATTLE,
    OPPONENT,
    BATTLE_CARDS,
    VOICE,
    LEADER,
    WEAPON,
    DEFENCE,
    NUMBER,
    PRESCIENCE,
    TREASON,
    LOSS,
    KEEP,
    # The cards and powers of several phases
    TRUTH_WHO,
    TRUTH,
    CONE,
    LAY_WHO,
    GHOLA,
    SWAP_WHO,
    SWAP_COUNT,
    GIVE,
    KARAMA,
    # The Bene Tleilax
    BUY_BACK,
    PRICE,
    ACCEPT,
    TAMPER,
    OVER,
) = range(len(DECISIONS))

# Shown together with another seat's: the numbers of a storm and the battle plans.
SEALED = (DIAL, LEADER, WEAPON, DEFENCE, NUMBER)
