"""The values printed on the components: how they are read, checked and laid out for the rules.

Names and the status of each group stand beside the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from dunaia_env.dune import board, state as layout
from dunaia_env.dune.state import CELLS, MAX_PLAYERS, NONE, SECTORS, SHAI_HULUD, TERRITORIES
from dunaia_env.harness.components import ComponentFiles, PrintedComponents, read_groups, values_of
from dunaia_env.support.groups import Group
from dunaia_env.support.hashing import hash_of

MOST_FREE_CELLS = 12  # the most cells over which a faction distributes tokens
MOST_NUMBER = layout.NUMBERS - 1  # the largest number that decisions can name
DISCS_OF_A_FACTION = 5
MOST_STRENGTH = 20
MOST_CARDS_OF_A_KIND = 40
DOTS = 6
ORNITHOPTERS = 2

COMPONENTS_DTYPE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # Derived from the other fields, for speed. Sets are bits, see `board`.
                ("near_cells", np.uint64, (CELLS, board.CELL_WORDS)),
                ("territory_cells", np.uint64, (TERRITORIES, board.CELL_WORDS)),
                ("sector_cells", np.uint64, (SECTORS, board.CELL_WORDS)),
                ("open_behind_the_wall", np.uint64, (board.CELL_WORDS,)),  # to the storm while the Shield Wall stands
                ("open_without_the_wall", np.uint64, (board.CELL_WORDS,)),
                ("near_territories", np.uint64, (TERRITORIES,)),
                ("atomics_from", np.uint64),  # the Shield Wall and its neighbours
                ("fremen_landing", np.uint64),
                ("neighbours", np.int8, (CELLS, board.MOST_NEIGHBOURS)),  # ascending, then -1
                ("num_neighbours", np.int8, (CELLS,)),
                ("cell_distance", np.int8, (CELLS, CELLS)),  # territories entered on the shortest way
                ("territory_distance", np.int8, (TERRITORIES, TERRITORIES)),
                ("field_of", np.int8, (SECTORS, CELLS)),  # lowest cell of the field, by the storm's sector
                ("stronghold_of", np.int8, (TERRITORIES,)),  # index of the stronghold, -1 for other territories
                ("card_of", np.int8, (TERRITORIES,)),  # spice card of the territory, -1 for none
                ("spice_territory", np.int8, (SHAI_HULUD,)),
                ("dot_of", np.int8, (MAX_PLAYERS + 1, MAX_PLAYERS)),  # sector, by number of players and seat
                # The board
                ("territory_of", np.int8, (CELLS,)),
                ("sector", np.int8, (CELLS,)),  # -1 for no sector
                ("first_cell", np.int8, (TERRITORIES,)),
                ("num_cells", np.int8, (TERRITORIES,)),
                ("type", np.int8, (TERRITORIES,)),
                ("protection", np.int8, (TERRITORIES,)),
                ("borders", np.int8, (CELLS, CELLS)),  # 1 for neighbours
                ("strongholds", np.int8, (layout.STRONGHOLDS,)),
                ("ornithopters", np.int8, (ORNITHOPTERS,)),
                ("polar_sink", np.int8),
                ("shield_wall", np.int8),
                ("sietch_tabr", np.int8),
                ("habbanya_sietch", np.int8),
                ("tueks_sietch", np.int8),
                ("dots", np.int8, (DOTS,)),
                ("dots_by_players", np.int8, (MAX_PLAYERS + 1, MAX_PLAYERS)),  # -1 for no seat
                # Factions and leaders
                ("tokens", np.int8),
                ("forces", np.int8, (layout.FACTIONS, CELLS)),
                ("free_forces", np.int8, (layout.FACTIONS,)),
                ("free_cells", np.int8, (layout.FACTIONS, MOST_FREE_CELLS)),  # ascending, then -1
                ("start_spice", np.int8, (layout.FACTIONS,)),
                ("free_revival", np.int8, (layout.FACTIONS,)),
                ("paid_revival", np.int8, (layout.FACTIONS,)),
                ("hand_limit", np.int8, (layout.FACTIONS,)),
                ("start_cards", np.int8, (layout.FACTIONS,)),
                ("strength", np.int8, (layout.LEADERS,)),
                ("faction_of", np.int8, (layout.LEADERS,)),
                # Cards
                ("treachery", np.int8, (len(layout.DECKS), layout.KINDS)),  # in the deck of 43 and of 33
                ("spice_cards", np.int8, (layout.SPICE_KINDS,)),
                ("spice_cell", np.int8, (SHAI_HULUD,)),
                ("spice_amount", np.int8, (SHAI_HULUD,)),
                # Numbers
                ("turns", np.int8),
                ("strongholds_to_win", np.int8),
                ("strongholds_with_two", np.int8),
                ("first_dial", np.int8, (2,)),  # least, most
                ("later_dial", np.int8, (2,)),
                ("weather_dial", np.int8, (2,)),
                ("stronghold_price", np.int8),
                ("landing_price", np.int8),
                ("orbit_tokens", np.int8),
                ("landing_from", np.int8),
                ("landing_steps", np.int8),
                ("steps", np.int8),
                ("fremen_steps", np.int8),
                ("ornithopter_steps", np.int8),
                ("revival_most", np.int8),
                ("revival_price", np.int8),
                ("ghola_tokens", np.int8),
                ("emperor_tokens", np.int8),
                ("harvest", np.int8),
                ("ornithopter_harvest", np.int8),
                ("alms", np.int8),
                ("ransom", np.int8, (2,)),
                ("bluff_factor", np.int8),
                ("most_raise", np.int8),
                ("most_gift", np.int8),
                ("most_pledge", np.int8),
                ("most_price", np.int8),
            ],
            align=True,
        ),
    )
)

DERIVED_FIELDS = {
    *("near_cells", "territory_cells", "sector_cells", "open_behind_the_wall", "open_without_the_wall"),
    *("near_territories", "atomics_from", "fremen_landing", "neighbours", "num_neighbours", "cell_distance"),
    *("territory_distance", "field_of", "stronghold_of", "card_of", "spice_territory", "dot_of"),
}

STATUSES = ("documented", "inferred", "recovered", "assumed")


@dataclass(frozen=True)
class Names:
    """The names of factions, leaders, cards and territories by id; `french` holds "" if the rulebook gives no name."""

    factions: tuple[str, ...]
    leaders: tuple[str, ...]
    cards: tuple[str, ...]
    territories: tuple[str, ...]
    french: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Components(PrintedComponents):
    """The values printed on the components of Dune.

    Attributes:
        record: the values as a one-element array of `COMPONENTS_DTYPE`, read-only.
        buffer: the same bytes as uint8, which kernels take.
        hash: 16 hexadecimal digits that identify the values.
        statuses: the status of each group by its name: "documented", "inferred", "recovered" or "assumed".
        source: where the values were read from.
        names: the names of factions, leaders, cards and territories.
    """

    names: Names

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_record, (self.buffer.tobytes(), self.statuses, self.names, self.source)


def from_content(content: dict[str, Any], source: str) -> Components:
    """Read components from the content of a TOML file; ``source`` names the file in errors.

    Raises `ComponentsError` for a wrong, missing or unknown entry.
    """
    record = np.zeros(1, COMPONENTS_DTYPE)
    row: Any = record[0]
    root, statuses, found = read_groups(content, source, STATUSES, _READERS, row)
    names = {kind: texts for group in found for kind, texts in (group or {}).items()}
    _check_together(root, row)
    row.dot_of[:] = np.where(row.dots_by_players == NONE, NONE, row.dots[row.dots_by_players])
    board.derive(row, row.borders == 1)
    return _from_record(record.tobytes(), statuses, Names(**names), source)


_FILES = ComponentFiles(Components, __package__, from_content)
load = _FILES.load
parse = _FILES.parse


def _from_record(content: bytes, statuses: dict[str, str], names: Names, source: str) -> Components:
    record = np.frombuffer(content, COMPONENTS_DTYPE)
    digest = hash_of(values_of(record, DERIVED_FIELDS))
    return Components(record, np.frombuffer(content, np.uint8), digest, statuses, source, names)


@lru_cache(maxsize=16)
def values(components: Components) -> SimpleNamespace:
    """The printed values as plain numbers and lists, by the names of their fields."""
    record = components.record[0]
    return SimpleNamespace(**{name: record[name].tolist() for name in record.dtype.names})


def _read_board(group: Group, tables: Any) -> dict[str, tuple[str, ...]]:
    names, french = [], []
    cell = 0
    tables.sector[:] = NONE
    tables.stronghold_of[:] = NONE
    polar_sinks: list[int] = []
    strongholds: list[int] = []
    for number, entry in enumerate(group.groups("territories", TERRITORIES)):
        entry.number("id", number, number)
        names.append(entry.text("name"))
        french.append(entry.text("french") if entry.has("french") else "")
        kind = board.TYPE_NAMES.index(entry.choice("type", board.TYPE_NAMES))
        tables.type[number] = kind
        protection = entry.choice("protection", board.PROTECTION_NAMES)
        tables.protection[number] = board.PROTECTION_NAMES.index(protection)
        sectors = entry.take_list("sectors")
        for index, sector in enumerate(sectors):
            entry.check_number(f"sectors[{index}]", sector, 0, SECTORS - 1)
        if sectors != sorted(set(sectors)) or len(sectors) > layout.MOST_CELLS_OF_A_TERRITORY:
            raise entry.fail(
                "sectors", sectors, f"an ascending list of at most {layout.MOST_CELLS_OF_A_TERRITORY} sectors"
            )
        if bool(sectors) == (kind == board.POLAR_SINK):
            allowed = "the empty list, for the Polar Sink" if sectors else "at least one sector"
            raise entry.fail("sectors", sectors, allowed)
        cells = max(len(sectors), 1)
        if cell + cells > CELLS:
            raise entry.fail("sectors", sectors, f"{CELLS} cells in all, which are exceeded here")
        tables.first_cell[number], tables.num_cells[number] = cell, cells
        tables.territory_of[cell : cell + cells] = number
        tables.sector[cell : cell + len(sectors)] = sectors
        cell += cells
        if kind == board.POLAR_SINK:
            polar_sinks.append(number)
        if kind == board.STRONGHOLD:
            tables.stronghold_of[number] = len(strongholds)
            strongholds.append(number)
    for found, needed, title in (
        (cell, CELLS, "cells"),
        (len(polar_sinks), 1, "Polar Sinks"),
        (len(strongholds), layout.STRONGHOLDS, "strongholds"),
    ):
        if found != needed:
            raise group.fail("territories", f"{found} {title}", str(needed))
    tables.strongholds[:], tables.polar_sink = strongholds, polar_sinks[0]
    for key in ("shield_wall", "sietch_tabr", "habbanya_sietch", "tueks_sietch"):
        tables[key] = group.number(key, 0, TERRITORIES - 1)
        if key != "shield_wall" and tables[key] not in strongholds:
            raise group.fail(key, int(tables[key]), "a stronghold")
    _read_borders(group, tables)
    _read_dots(group, tables)
    return {"territories": tuple(names), "french": tuple(french)}


def _read_borders(group: Group, tables: Any) -> None:
    entries = group.take_list("borders")
    before = (-1, -1)
    for index, entry in enumerate(entries):
        key = f"borders[{index}]"
        if not isinstance(entry, list) or len(entry) != 2:
            raise group.fail(key, entry, "a pair of cells")
        one, other = (group.check_number(key, cell, 0, CELLS - 1) for cell in entry)
        if not (one < other and before < (one, other)):
            raise group.fail(key, entry, "pairs with the lower cell first, in rising order")
        before = (one, other)
        tables.borders[one, other] = tables.borders[other, one] = 1
    crowded = np.flatnonzero(tables.borders.sum(axis=1) > board.MOST_NEIGHBOURS).tolist()
    if crowded:
        raise group.fail("borders", f"cell {crowded[0]}", f"at most {board.MOST_NEIGHBOURS} neighbours of a cell")
    steps = board.distances(tables.borders == 1, np.ones((CELLS, CELLS), np.int64))
    cut_off = np.flatnonzero(steps[0] == board.FAR).tolist()
    if cut_off:
        raise group.fail("borders", f"no way to cell {cut_off[0]}", "a way between all cells")


def _read_dots(group: Group, tables: Any) -> None:
    dots = group.numbers("dots", DOTS, 0, SECTORS - 1)
    if dots != sorted(set(dots)):
        raise group.fail("dots", dots, "an ascending list of different sectors")
    tables.dots[:] = dots
    tables.dots_by_players[:] = NONE
    with group.group("dots_by_players") as by_players:
        for players in range(layout.MIN_PLAYERS, MAX_PLAYERS + 1):
            used = by_players.numbers(str(players), players, 0, DOTS - 1)
            if used != sorted(set(used)):
                raise by_players.fail(str(players), used, "an ascending list of different dots")
            tables.dots_by_players[players, :players] = used


def _read_factions(group: Group, tables: Any) -> dict[str, tuple[str, ...]]:
    tokens = tables.tokens = group.number("tokens", layout.TOKENS, layout.TOKENS)
    tables.free_cells[:] = NONE
    for number, entry in enumerate(group.groups("factions", layout.FACTIONS)):
        entry.number("id", number, number)
        entry.choice("name", (layout.FACTION_NAMES[number],))
        forces = entry.take_list("forces")
        for index, pair in enumerate(forces):
            key = f"forces[{index}]"
            if not isinstance(pair, list) or len(pair) != 2:
                raise entry.fail(key, pair, "a territory and a number of tokens")
            territory = entry.check_number(key, pair[0], 0, TERRITORIES - 1)
            if tables.num_cells[territory] != 1:
                raise entry.fail(key, pair, "a territory of a single cell")
            tables.forces[number, tables.first_cell[territory]] += entry.check_number(key, pair[1], 1, tokens)
        tables.free_forces[number] = entry.number("free_forces", 0, tokens)
        total = int(tables.forces[number].sum(dtype=np.int64)) + int(tables.free_forces[number])
        if total > tokens:
            raise entry.fail("forces", f"{total} tokens with the free ones", f"at most {tokens}")
        _read_free_cells(entry, tables, number)
        tables.start_spice[number] = entry.number("spice", 0, 100)
        tables.free_revival[number] = entry.number("free_revival", 0, tokens)
        tables.paid_revival[number] = entry.flag("paid_revival")
        tables.hand_limit[number] = entry.number("hand_limit", 1, 20)
        tables.start_cards[number] = entry.number("start_cards", 0, int(tables.hand_limit[number]))
    return {"factions": layout.FACTION_NAMES}


def _read_free_cells(entry: Group, tables: Any, number: int) -> None:
    territories = entry.take_list("free_territories")
    for index, territory in enumerate(territories):
        entry.check_number(f"free_territories[{index}]", territory, 0, TERRITORIES - 1)
    cells = np.flatnonzero(np.isin(tables.territory_of, territories)).tolist()
    if territories != sorted(set(territories)) or len(cells) > MOST_FREE_CELLS:
        allowed = f"ascending territories with at most {MOST_FREE_CELLS} cells"
        raise entry.fail("free_territories", territories, allowed)
    if bool(cells) != bool(tables.free_forces[number]):
        raise entry.fail("free_territories", territories, "free_forces and free_territories, or neither")
    tables.free_cells[number, : len(cells)] = cells


def _read_leaders(group: Group, tables: Any) -> dict[str, tuple[str, ...]]:
    names = []
    for number, entry in enumerate(group.groups("leaders", layout.DISCS)):
        entry.number("id", number, number)
        names.append(entry.text("name"))
        tables.strength[number] = entry.number("strength", 0, MOST_STRENGTH)
        tables.faction_of[number] = number // DISCS_OF_A_FACTION
    tables.strength[layout.FACE_DANCER] = group.number("face_dancer_strength", 0, MOST_STRENGTH)
    tables.faction_of[layout.FACE_DANCER] = layout.TLEILAX
    return {"leaders": (*names, "Face Dancer")}


def _read_treachery(group: Group, tables: Any) -> dict[str, tuple[str, ...]]:
    for number, entry in enumerate(group.groups("kinds", layout.KINDS)):
        entry.number("id", number, number)
        entry.choice("name", (layout.CARD_NAMES[number],))
        for index, deck in enumerate(layout.DECKS):
            tables.treachery[index, number] = entry.number(f"deck_{deck}", 0, MOST_CARDS_OF_A_KIND)
    for index, deck in enumerate(layout.DECKS):
        total = int(tables.treachery[index].sum(dtype=np.int64))
        if total != deck:
            raise group.fail("kinds", f"{total} cards with deck_{deck}", str(deck))
    return {"cards": layout.CARD_NAMES}


def _read_spice_cards(group: Group, tables: Any) -> None:
    tables.card_of[:] = NONE
    for number, entry in enumerate(group.groups("cards", SHAI_HULUD)):
        entry.number("card", number, number)
        cell = entry.number("cell", 0, CELLS - 1)
        territory = int(tables.territory_of[cell])
        if tables.type[territory] != board.SAND or tables.card_of[territory] != NONE:
            raise entry.fail("cell", cell, "a cell of sand, in a territory of no other card")
        tables.card_of[territory] = number
        tables.spice_cell[number], tables.spice_territory[number] = cell, territory
        tables.spice_amount[number] = entry.number("amount", 1, 50)
        tables.spice_cards[number] = 1
    tables.spice_cards[SHAI_HULUD] = group.number("worms", 0, 20)


def _read_victory(group: Group, tables: Any) -> None:
    tables.turns = group.number("turns", layout.MOST_TURNS, layout.MOST_TURNS)
    tables.strongholds_to_win = group.number("strongholds", 3, layout.STRONGHOLDS)
    tables.strongholds_with_two = group.number("strongholds_with_two_players", 3, layout.STRONGHOLDS)


def _read_storm(group: Group, tables: Any) -> None:
    tables.first_dial[:] = group.span("first_dial", 0, MOST_NUMBER)
    tables.later_dial[:] = group.span("later_dial", 0, MOST_NUMBER)
    tables.weather_dial[:] = group.span("weather_control", 0, MOST_NUMBER)


def _read_shipment(group: Group, tables: Any) -> None:
    tables.stronghold_price = group.number("price_into_a_stronghold", 0, MOST_NUMBER)
    tables.landing_price = group.number("price_elsewhere", 0, MOST_NUMBER)
    tables.orbit_tokens = group.number("tokens_to_orbit_for_a_spice", 1, layout.TOKENS)
    tables.landing_from = group.number("fremen_landing_from", 0, TERRITORIES - 1)
    tables.landing_steps = group.number("fremen_landing_steps", 0, 10)


def _read_movement(group: Group, tables: Any) -> None:
    tables.steps = group.number("steps", 1, 10)
    tables.fremen_steps = group.number("fremen_steps", 1, 10)
    tables.ornithopter_steps = group.number("steps_with_ornithopters", 1, 10)
    tables.ornithopters[:] = group.numbers("ornithopters", ORNITHOPTERS, 0, TERRITORIES - 1)


def _read_revival(group: Group, tables: Any) -> None:
    tables.revival_most = group.number("tokens_a_turn", 0, layout.TOKENS)
    tables.revival_price = group.number("price_of_a_token", 1, MOST_NUMBER)
    tables.ghola_tokens = group.number("ghola_tokens", 1, layout.TOKENS)
    tables.emperor_tokens = group.number("emperor_karama_tokens", 1, layout.TOKENS)


def _read_harvest(group: Group, tables: Any) -> None:
    tables.harvest = group.number("a_token", 0, 100)
    tables.ornithopter_harvest = group.number("a_token_with_ornithopters", 0, 100)


def _read_bidding(group: Group, tables: Any) -> None:
    tables.alms = group.number("alms", 0, 100)
    tables.ransom[:] = group.span("ransom", 1, MOST_NUMBER)
    tables.bluff_factor = group.number("bluff_costs_times_the_ransom", 0, 10)


def _read_bounds(group: Group, tables: Any) -> None:
    tables.most_raise = group.number("raise", 1, MOST_NUMBER)
    tables.most_gift = group.number("gift", 1, MOST_NUMBER)
    tables.most_pledge = group.number("pledge", 1, MOST_NUMBER)
    tables.most_price = group.number("price_of_a_leader", 1, MOST_NUMBER)


_READERS: dict[str, Any] = {
    "board": _read_board,
    "factions": _read_factions,
    "leaders": _read_leaders,
    "treachery": _read_treachery,
    "spice_cards": _read_spice_cards,
    "victory": _read_victory,
    "storm": _read_storm,
    "shipment": _read_shipment,
    "movement": _read_movement,
    "revival": _read_revival,
    "harvest": _read_harvest,
    "bidding": _read_bidding,
    "bounds": _read_bounds,
}


def _check_together(root: Group, tables: Any) -> None:
    """Check conditions across groups: the deck must hold the first cards for everybody."""
    cards = sorted((int(number) for number in tables.start_cards), reverse=True)[:MAX_PLAYERS]
    if sum(cards) > min(layout.DECKS):
        raise root.fail("factions.factions", f"{sum(cards)} first cards", f"at most {min(layout.DECKS)}")
