"""The layout of the observation: one table of pieces, from which sizes, slices, scales, the hash and docs derive.

The common part comes first, then the observer's own pieces, then a block for each other seat, going to the right. So
the entries of absent seats come last. Pieces "by seat" count seats from the observer, who is 0.

Entries are 0..127. A larger number is shown as 127. Spice and bids have a second entry for the part above 127, which
saturates in the same way, so that 0..254 is exact.
"""

from __future__ import annotations

from collections.abc import Iterator

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.state import CELLS, KINDS, LEADERS, MAX_PLAYERS, MOST_TRUTHS, SPICE_KINDS, TERRITORIES
from dunaia_env.harness.compiled.encoding import ObservationLayout, Piece, PieceRow

MOST = 127
ALL_PHASES = len(layout.PHASE_NAMES)
ALL_ELEMENTS_AND_ALL = len(layout.ELEMENT_NAMES) + 1
QUESTION_VERBS = ("card", "leader", "number", "faction", "turn")
PRINTED_NUMBERS = (
    *("strongholds_to_win", "strongholds_with_two", "stronghold_price", "landing_price", "orbit_tokens"),
    *("landing_steps", "steps", "fremen_steps", "ornithopter_steps", "revival_most", "revival_price", "ghola_tokens"),
    *("emperor_tokens", "harvest", "ornithopter_harvest", "alms", "bluff_factor", "most_raise", "most_gift"),
    *("most_pledge", "most_price"),
)
PRINTED_RANGES = ("first_dial", "later_dial", "weather_dial", "ransom")
OPTION_ENTRIES = 10
FLAGS_OF_A_SEAT = (
    *("moves or attacks", "defends", "opened the sale", "is the highest bidder", "is the target of the decision"),
    *("asks or uses the power in question", "is predicted to win", "has won", "holds the first wheel"),
    *("holds the second wheel",),
)


_ASKED = "of the seat that is asked; zero for others: "

_COMMON: tuple[PieceRow, ...] = (
    ("decision", (decisions.OVER,), 1, "one-hot: what the observer is asked; zero for a seat that is not asked"),
    ("phase", (ALL_PHASES,), 1, "one-hot: phase"),
    ("how", (len(layout.HOW_NAMES) - 1,), 1, "one-hot: how the game ended; zero before"),
    ("players", (MAX_PLAYERS - layout.MIN_PLAYERS + 1,), 1, "one-hot: 2 to 6 players"),
    ("turn", (1,), 15, "turn, from 1; 0 during set-up"),
    ("turns_left", (1,), 15, "turns after this one"),
    (
        "options",
        (OPTION_ENTRIES,),
        1,
        (
            "powers, deck of 43, alliances, max_alliance (0 no limit), alliance_strongholds, karama_powers, tleilax,"
            " open_shields, atreides_sees_bonus, undecided counted by strongholds"
        ),
    ),
    # The board
    ("storm", (layout.SECTORS,), 1, "one-hot: sector of the storm"),
    ("shield_wall", (1,), 1, "the Shield Wall stands"),
    ("last_blow", (layout.SHAI_HULUD,), 1, "one-hot: spice card of the territory of the last blow"),
    ("spice", (CELLS,), 10, "spice by cell"),
    # Cards
    ("spice_deck", (SPICE_KINDS,), 1, "spice cards to come, by card; a foreseen one is among them except for Atreides"),
    ("foreseen_spice", (SPICE_KINDS,), 1, "one-hot: the spice card that Atreides, the observer, foresees"),
    ("unseen", (KINDS,), 4, "treachery cards by kind that neither the observer holds nor lie openly"),
    ("discards", (KINDS,), 4, "open discards by kind"),
    ("deck_count", (1,), 40, "cards in the treachery deck"),
    ("cards_lying", (2,), 1, "a card is on sale; an unsold card lies on the deck"),
    ("sale", (KINDS,), 1, "one-hot: kind of the card on sale, if Atreides, the observer, saw it"),
    ("top", (KINDS,), 1, "one-hot: kind of the unsold card, if Atreides, the observer, saw it"),
    ("truths.asker", (MOST_TRUTHS, MAX_PLAYERS), 1, "one-hot by seat for each truth, the newest first: who asked"),
    ("truths.target", (MOST_TRUTHS, MAX_PLAYERS), 1, "one-hot by seat for each truth: who answered"),
    ("truths.question", (MOST_TRUTHS, len(QUESTION_VERBS)), 1, "one-hot for each: " + ", ".join(QUESTION_VERBS)),
    ("truths.argument", (MOST_TRUTHS,), 20, "which card, leader, number, faction or turn"),
    ("truths.answer", (MOST_TRUTHS,), 1, "the answer was yes"),
    (
        "prediction",
        (2,),
        15,
        "turn that the observer predicted, 0 for none; 15 if it is this turn",
    ),
    # Leaders
    ("leaders.alive", (LEADERS,), 1, "alive: 1 with its own faction, 2 with another one; 0 dead or absent"),
    ("leaders.usable", (LEADERS,), 1, "can fight for the observer, in the battle in progress if there is one"),
    ("leaders.used_in", (LEADERS,), 42, "1 + territory in which it fought this turn; 0 in none"),
    ("leaders.strength", (LEADERS,), 5, "strength as far as the observer knows it; 0 for factions not at the table"),
    ("leaders.risen", (LEADERS,), 1, "raised while its seat revives leaders"),
    ("leaders.returned", (LEADERS,), 1, "came back from the tanks, which counts against Tleilax"),
    (
        "leaders.change",
        (LEADERS,),
        6,
        (
            "1 shown to be weaker, 2 as printed, 3 stronger; 4 known to be weaker, 6 stronger"
            " by Tleilax alone; 0 not known"
        ),
    ),
    # The moment, as everybody sees it
    ("lasting", (3,), 1, "a thumper waits; the sight of Atreides is stopped; there is an embargo on the tanks"),
    ("row", (1,), 6, "cards of the row, the one on sale included; 0 without a row"),
    ("bid", (2,), 20, "highest bid, up to 127 and above"),
    ("place", (CELLS,), 2, "2 for the cell that the observer is asked about, 1 for other cells of the battle's field"),
    ("voice", (2, layout.TRUTHTRANCE), 1, "one-hot: the Voice's order, must and must not, by kind"),
    ("element", (ALL_ELEMENTS_AND_ALL,), 1, "one-hot: what Atreides asks about: leader, weapon, defence, number, all"),
    ("plans_shown", (1,), 1, "the plans are shown"),
)
_PLAN: tuple[PieceRow, ...] = (
    ("leader", (LEADERS,), 1, "one-hot: leader; plan_0 is the observer's plan, else the aggressor's; plan_1 the other"),
    ("hero", (2,), 1, "a cheap hero; neither leader nor hero"),
    ("strength", (1,), 5, "the leader's strength, as in `leaders.strength`"),
    ("weapon", (5,), 1, "one-hot: projectile, poison, lasgun, worthless, none"),
    ("defence", (4,), 1, "one-hot: shield, snooper, worthless, none"),
    ("number", (2,), 10, "number; 10 where it is known"),
    ("no_leader", (1,), 1, "it was made known that neither leader nor hero is available"),
    ("treason", (2,), 1, "its side called treason; its side did not"),
)
_MOMENT: tuple[PieceRow, ...] = (
    ("weather", (1,), 10, "1 + number that the observer chose with Weather Control; 0 none"),
    ("dial", (1,), 10, "1 + number that the observer dialled; 0 none"),
    ("asked.power", (len(layout.POWER_NAMES),), 1, _ASKED + "one-hot, the power that it may stop"),
    ("asked.card", (4,), 1, _ASKED + "one-hot, the card in use: worthless, residual poison, ghola, Karama"),
    ("asked.leader", (LEADERS,), 1, _ASKED + "one-hot, the leader in question"),
    ("asked.price", (1,), 10, _ASKED + "the price or ransom asked"),
    ("asked.territory", (TERRITORIES,), 2, _ASKED + "1 for the origin of a move, and 2 more for the worm's territory"),
    ("asked.taken", (layout.MOST_CELLS_OF_A_TERRITORY,), 5, _ASKED + "tokens named so far by the origin's cells"),
    ("asked.landing", (1,), 5, _ASKED + "tokens that would land"),
    ("asked.left", (1,), 5, _ASKED + "cards to give or tokens to lose"),
    ("asked.freed", (1,), 3, _ASKED + "tokens revived without payment"),
    (
        "asked.state",
        (4,),
        1,
        _ASKED + "tokens are lifted by a shipment; half price; second move; the cone has silenced somebody",
    ),
    ("asked.keeping", (2,), 1, _ASKED + "one-hot, keep the weapon or the defence"),
    ("printed", (len(PRINTED_NUMBERS),), 4, "printed: " + ", ".join(PRINTED_NUMBERS)),
    ("printed_ranges", (len(PRINTED_RANGES), 2), 10, "printed, least and most: " + ", ".join(PRINTED_RANGES)),
    ("printed_spice", (layout.SHAI_HULUD,), 10, "printed: amount by spice card"),
    ("own.hand", (KINDS,), 2, "the observer's hand by kind, without the cards of a hidden plan"),
    ("own.discs", (layout.DISCS,), 2, "leaders whose discs the observer drew; 2 for its traitors"),
    ("own.laid", (2,), 1, "one-hot: the card that the observer laid, worthless or residual poison"),
    ("own.funds", (2,), 20, "spice for a bid or shipment, up to 127 and above; pledges as far as they are known"),
)
_SEAT: tuple[PieceRow, ...] = (
    ("faction", (layout.FACTIONS,), 1, "one-hot: faction"),
    ("alliance", (MAX_PLAYERS,), 1, "one-hot by seat: the first member of its alliance; zero without alliance"),
    ("spice", (2,), 20, "spice as far as it is seen, up to 127 and above"),
    ("reserve", (1,), 10, "tokens in the reserve as far as they are seen"),
    ("tanks", (1,), 10, "tokens in the tanks"),
    ("on_board", (1,), 10, "tokens on the board"),
    ("hand_count", (1,), 4, "cards in the hand, those of a hidden plan included"),
    ("hand_limit", (1,), 4, "most cards of the hand"),
    ("revival", (2,), 3, "printed: tokens revived without payment, whether more can be bought"),
    ("shown", (KINDS,), 1, "cards of the hand that everybody knows, by kind"),
    ("pledge", (1,), 10, "pledge of the observer and its allies"),
    ("debts", (MAX_PLAYERS,), 10, "spice owed, by seat"),
    ("laid_on", (MAX_PLAYERS,), 1, "one-hot by seat: on whom a card is laid"),
    ("marks", (2,), 1, "silenced; its leaders come back one a turn"),
    ("order", (1,), 5, "place in turn order, from 0"),
    ("dot", (1,), 17, "sectors from the one after the storm to its dot"),
    ("score", (1,), 5, "strongholds that its side occupies, and 10 for a winner"),
    ("leaders", (5,), 5, "strength of its faction's leaders that are alive and with it, as in `leaders.strength`"),
    ("strongholds", (layout.STRONGHOLDS,), 10, "tokens in each stronghold"),
    ("field", (1,), 10, "tokens in the field of the battle"),
    ("flags", (len(FLAGS_OF_A_SEAT),), 1, ", ".join(FLAGS_OF_A_SEAT)),
    ("forces", (CELLS,), 5, "tokens by cell"),
)
_OTHERS_ONLY: tuple[PieceRow, ...] = (
    ("foreseen", (KINDS,), 1, "cards of the hand that Atreides, the observer, saw arrive, by kind"),
)


def _blocks() -> Iterator[tuple[str, tuple[PieceRow, ...]]]:
    yield "", _COMMON
    for slot in range(2):
        yield f"plan_{slot}.", _PLAN
    yield "", _MOMENT
    yield "own.", _SEAT
    for offset in range(1, MAX_PLAYERS):
        yield f"seat_{offset}.", (*_SEAT, *_OTHERS_ONLY)


OBSERVATION_LAYOUT = ObservationLayout(_blocks())
OBSERVATION_SIZE: int = OBSERVATION_LAYOUT.size
OBSERVATION_SCALE = OBSERVATION_LAYOUT.scale
OBSERVATION_HASH: str = OBSERVATION_LAYOUT.hash
PIECES = OBSERVATION_LAYOUT.pieces
pieces_of = OBSERVATION_LAYOUT.pieces_of
first_of = OBSERVATION_LAYOUT.first

OWN_FIRST = first_of("own.faction")
OTHERS_FIRST = first_of("seat_1.faction")
OTHER_SIZE = first_of("seat_2.faction") - OTHERS_FIRST


def used_size(num_players: int) -> int:
    """Number of leading entries that can differ from zero at a table of ``num_players``; the rest is always zero."""
    return OTHERS_FIRST + (num_players - 1) * OTHER_SIZE


def documented_pieces() -> tuple[Piece, ...]:
    """The pieces for a table in the documentation, with only the first of the two plans and of the other seats."""
    repeated = ("plan_1.", *(f"seat_{offset}." for offset in range(2, MAX_PLAYERS)))
    return tuple(piece for piece in OBSERVATION_LAYOUT if not piece.name.startswith(repeated))
