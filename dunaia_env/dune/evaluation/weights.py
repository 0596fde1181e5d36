"""The considerations of the evaluation, and the data file that holds their weights."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune.state import CARD_NAMES, FACTION_NAMES
from dunaia_env.harness import weights
from dunaia_env.harness.weights import Term

DATA_FILE = Path(__file__).with_name("weights.toml")

PLACES: tuple[Term, ...] = (
    Term("stronghold", "holding a stronghold at the end of the turn"),
    Term("victory", "holding the last stronghold that one's side needs to win"),
    Term("denial", "taking a stronghold from a side that holds enough to win"),
    Term("guard", "number of tokens that hold a place half of the time against the seats that can still come"),
    Term("crowd", "what the guard grows by for each other seat at the table"),
    Term("token", "a token that is not in the tanks"),
    Term("regrown", "the part of a token's worth that Bene Tleilax lose with it, since it can land again at once"),
    Term("late_token", "the part of a token's worth that is left in the last turn"),
    Term("reserve", "a token in the reserve, beyond its worth as a token"),
    Term("harvest", "a spice that tokens would harvest at the end of the turn"),
    Term("approach", "the part of a stronghold's worth that tokens one step away from it have"),
    Term("storm", "the part of a token's worth at stake where the storm is certain to come"),
)
BATTLES: tuple[Term, ...] = (
    Term("spread", "difference of strengths by which the odds of a battle grow by the factor e"),
    Term("aggressor", "strength that an attack needs beyond the enemy's for even odds"),
    Term("weapon", "strength of a weapon in one's hand"),
    Term("defence", "strength of a defence in one's hand"),
    Term("enemy_card", "strength of each card in the enemy's hand, up to four"),
    Term("losses", "the winner's losses, as a part of the enemy's tokens"),
    Term("boldness", "how much more likely the enemy dials all of its tokens than none"),
    Term("leader", "a point of strength of a leader that stays alive"),
    Term("danger", "how likely a card in the enemy's hand kills a leader without defence"),
)
CARDS: tuple[Term, ...] = tuple(
    Term(name, f"a card of this kind in the hand: {name.replace('_', ' ')}") for name in CARD_NAMES
)
DEALS: tuple[Term, ...] = (
    Term("full_hand", "the part of a card's worth that is left when it fills the hand"),
    Term("lacking_card", "the worth of the first weapon or defence in the hand, as a part of its worth beside another"),
    Term("spare_card", "the worth of a card of a kind that is in the hand already, as a part of its worth"),
    Term("second_card", "the part of the second card's worth that Harkonnen bid for"),
    Term("late_card", "the part of a card's worth that is left in the last turn"),
    Term("thrift", "what a price costs beyond itself when it takes all of one's funds, as a part of it"),
    Term("landing", "tokens for whose landing in a stronghold spice is kept when cards are sold"),
    Term("lacking_spice", "what a price costs beyond itself, for each spice that is then missing for this landing"),
    Term("given", "a spice that an ally gains, as a part of one's own"),
    Term("shared", "the part of the spice not kept for a landing that allies are lent or given"),
    Term("revived", "a token that comes back from the tanks while the reserve is empty"),
    Term("raised", "a leader that comes back from the tanks, beside the worth of its strength"),
    Term("swept", "a token of an enemy that the storm sweeps, as a part of one's own"),
    Term(
        "reluctance", "what a change of sides has to be worth: the growth of one's share of the win, times the victory"
    ),
    Term("stop", "stopping a power by a Karama"),
)
PREDICTIONS: tuple[Term, ...] = (
    *(
        Term(name, f"part of games that {name.replace('_', ' ')} wins by strongholds in this turn")
        for name in FACTION_NAMES
    ),
    Term("turn", "the turn that Bene Gesserit predict; not an amount of spice"),
)
SHARES: tuple[Term, ...] = (
    Term("strongholds", "log-odds that a side wins for each stronghold that it holds, minus those that it needs"),
    Term("enough", "for holding as many as it needs"),
    Term("tokens", "for a token of the side that is not in the tanks"),
    Term("spice", "for a spice of the side"),
    Term("cards", "for a card in the side's hands"),
    Term("leaders", "for a living leader of the side"),
    Term(
        "waiting",
        "for Fremen or Guild in the side, whose power decides after the last turn, times the part of the turns played",
    ),
    Term("helpers", "for Atreides, Harkonnen, the Guild and Bene Gesserit in an alliance, which their powers serve"),
    Term("allies", "for each member of the side beyond the first"),
)
SECTIONS: dict[str, tuple[Term, ...]] = {
    "places": PLACES,
    "battles": BATTLES,
    "cards": CARDS,
    "deals": DEALS,
    "predictions": PREDICTIONS,
    "shares": SHARES,
}
PARAMETERS: tuple[Term, ...] = tuple(term for terms in SECTIONS.values() for term in terms)
PARAMETER_COUNT = len(PARAMETERS)

_NUMBER = {
    (section, term.name): number
    for number, (section, term) in enumerate((section, term) for section, terms in SECTIONS.items() for term in terms)
}
STRONGHOLD, VICTORY, DENIAL = (_NUMBER["places", name] for name in ("stronghold", "victory", "denial"))
GUARD, CROWD, TOKEN, RESERVE = (_NUMBER["places", name] for name in ("guard", "crowd", "token", "reserve"))
REGROWN, LATE_TOKEN = _NUMBER["places", "regrown"], _NUMBER["places", "late_token"]
HARVEST, APPROACH, STORM = (_NUMBER["places", name] for name in ("harvest", "approach", "storm"))
SPREAD, AGGRESSOR, WEAPON_STRENGTH = (_NUMBER["battles", name] for name in ("spread", "aggressor", "weapon"))
DEFENCE_STRENGTH, ENEMY_CARD, LOSSES = (_NUMBER["battles", name] for name in ("defence", "enemy_card", "losses"))
BOLDNESS, LEADER_POINT, DANGER = (_NUMBER["battles", name] for name in ("boldness", "leader", "danger"))
FIRST_CARD = _NUMBER["cards", CARD_NAMES[0]]
FULL_HAND, LACKING_CARD, SPARE_CARD = (_NUMBER["deals", name] for name in ("full_hand", "lacking_card", "spare_card"))
SECOND_CARD, LATE_CARD, THRIFT = (_NUMBER["deals", name] for name in ("second_card", "late_card", "thrift"))
LANDING, LACKING_SPICE, GIVEN = (_NUMBER["deals", name] for name in ("landing", "lacking_spice", "given"))
SHARED, REVIVED, RAISED = (_NUMBER["deals", name] for name in ("shared", "revived", "raised"))
SWEPT_ENEMY, RELUCTANCE, STOPPING = (_NUMBER["deals", name] for name in ("swept", "reluctance", "stop"))
FIRST_PREDICTION, PREDICTED_TURN = _NUMBER["predictions", FACTION_NAMES[0]], _NUMBER["predictions", "turn"]
SHARE_OF_STRONGHOLDS, SHARE_OF_ENOUGH = _NUMBER["shares", "strongholds"], _NUMBER["shares", "enough"]
SHARE_OF_TOKENS, SHARE_OF_SPICE = _NUMBER["shares", "tokens"], _NUMBER["shares", "spice"]
SHARE_OF_HELPERS = _NUMBER["shares", "helpers"]
SHARE_OF_CARDS, SHARE_OF_LEADERS = _NUMBER["shares", "cards"], _NUMBER["shares", "leaders"]
SHARE_OF_WAITING, SHARE_OF_ALLIES = _NUMBER["shares", "waiting"], _NUMBER["shares", "allies"]


def load_weights(path: str | os.PathLike[str] | None = None) -> NDArray[np.float64]:
    """Load the numbers of a data file, of the project's own for None: float64 ``(PARAMETER_COUNT,)``.

    Raises `ValueError` naming the file and the first entry that is missing, unknown or not a number in -1000..1000.
    """
    return weights.load(DATA_FILE if path is None else path, SECTIONS)
