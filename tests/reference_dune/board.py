"""The board, written out by hand: territories, cells, what lies beside what.

Not read from the data file of the library, so that a slip on either side shows.
"""

from __future__ import annotations

SAND, ROCK, STRONGHOLD, POLAR_SINK = "sand", "rock", "stronghold", "polar_sink"
NEVER, WALL, ALWAYS = "never", "wall", "always"

# By id: name, type, sectors of its cells (in the order of the cells), whether it is safe from storms.
TERRITORIES = (
    ("Arrakeen", STRONGHOLD, (9,), WALL),  # 0: cells [0]
    ("Arsunt", SAND, (10, 11), NEVER),  # 1: cells [1, 2]
    ("Basin", SAND, (8,), NEVER),  # 2: cells [3]
    ("Bight of the Cliff", SAND, (13, 14), NEVER),  # 3: cells [4, 5]
    ("Broken Land", SAND, (10, 11), NEVER),  # 4: cells [6, 7]
    ("Carthag", STRONGHOLD, (10,), WALL),  # 5: cells [8]
    ("Cielago Depression", SAND, (0, 1, 2), NEVER),  # 6: cells [9, 10, 11]
    ("Cielago East", SAND, (2, 3), NEVER),  # 7: cells [12, 13]
    ("Cielago North", SAND, (0, 1, 2), NEVER),  # 8: cells [14, 15, 16]
    ("Cielago South", SAND, (1, 2), NEVER),  # 9: cells [17, 18]
    ("Cielago West", SAND, (0, 17), NEVER),  # 10: cells [19, 20]
    ("False Wall East", ROCK, (4, 5, 6, 7, 8), ALWAYS),  # 11: cells [21, 22, 23, 24, 25]
    ("False Wall South", ROCK, (3, 4), ALWAYS),  # 12: cells [26, 27]
    ("False Wall West", ROCK, (15, 16, 17), ALWAYS),  # 13: cells [28, 29, 30]
    ("Funeral Plain", SAND, (14,), NEVER),  # 14: cells [31]
    ("Gara Kulon", SAND, (7,), NEVER),  # 15: cells [32]
    ("Habbanya Erg", SAND, (15, 16), NEVER),  # 16: cells [33, 34]
    ("Habbanya Ridge Flat", SAND, (16, 17), NEVER),  # 17: cells [35, 36]
    ("Habbanya Sietch", STRONGHOLD, (16,), ALWAYS),  # 18: cells [37]
    ("Hagga Basin", SAND, (11, 12), NEVER),  # 19: cells [38, 39]
    ("Harg Pass", SAND, (3, 4), NEVER),  # 20: cells [40, 41]
    ("Hole in the Rock", SAND, (8,), NEVER),  # 21: cells [42]
    ("Imperial Basin", SAND, (8, 9, 10), WALL),  # 22: cells [43, 44, 45]
    ("Meridian", SAND, (0, 1), NEVER),  # 23: cells [46, 47]
    ("Old Gap", SAND, (8, 9, 10), NEVER),  # 24: cells [48, 49, 50]
    ("Pasty Mesa", ROCK, (4, 5, 6, 7), ALWAYS),  # 25: cells [51, 52, 53, 54]
    ("Plastic Basin", ROCK, (11, 12, 13), ALWAYS),  # 26: cells [55, 56, 57]
    ("Polar Sink", POLAR_SINK, (None,), ALWAYS),  # 27: cells [58]
    ("Red Chasm", SAND, (6,), NEVER),  # 28: cells [59]
    ("Rim Wall West", ROCK, (8,), ALWAYS),  # 29: cells [60]
    ("Rock Outcroppings", SAND, (12, 13), NEVER),  # 30: cells [61, 62]
    ("Shield Wall", ROCK, (7, 8), ALWAYS),  # 31: cells [63, 64]
    ("Sietch Tabr", STRONGHOLD, (13,), ALWAYS),  # 32: cells [65]
    ("Sihaya Ridge", SAND, (8,), NEVER),  # 33: cells [66]
    ("South Mesa", SAND, (3, 4, 5), NEVER),  # 34: cells [67, 68, 69]
    ("The Great Flat", SAND, (14,), NEVER),  # 35: cells [70]
    ("The Greater Flat", SAND, (15,), NEVER),  # 36: cells [71]
    ("The Minor Erg", SAND, (4, 5, 6, 7), NEVER),  # 37: cells [72, 73, 74, 75]
    ("Tsimpo", SAND, (10, 11, 12), NEVER),  # 38: cells [76, 77, 78]
    ("Tuek's Sietch", STRONGHOLD, (4,), ALWAYS),  # 39: cells [79]
    ("Wind Pass", SAND, (13, 14, 15, 16), NEVER),  # 40: cells [80, 81, 82, 83]
    ("Wind Pass North", SAND, (16, 17), NEVER),  # 41: cells [84, 85]
)  # fmt: skip

# Cells side by side.
BORDERS = (
    (0, 44), (0, 49), (0, 60), (1, 2), (1, 8), (1, 38), (1, 44), (1, 45), (1, 58), (2, 38), (2, 39), (2, 58), (3, 42),
    (3, 48), (3, 60), (3, 66), (4, 5), (4, 57), (4, 62), (4, 65), (5, 31), (6, 7), (6, 50), (6, 76), (7, 55), (7, 61),
    (7, 77), (8, 38), (8, 45), (8, 76), (8, 77), (9, 10), (9, 14), (9, 19), (9, 46), (10, 11), (10, 15), (10, 17),
    (10, 47), (11, 12), (11, 16), (11, 18), (12, 13), (12, 16), (12, 18), (12, 26), (13, 26), (13, 67), (14, 15),
    (14, 19), (14, 20), (14, 58), (14, 85), (15, 16), (15, 58), (16, 26), (16, 40), (16, 58), (17, 18), (17, 47),
    (19, 20), (19, 46), (20, 30), (20, 36), (20, 83), (20, 85), (21, 22), (21, 40), (21, 41), (21, 58), (21, 72),
    (22, 23), (22, 58), (22, 73), (23, 24), (23, 58), (23, 74), (24, 25), (24, 58), (24, 63), (24, 75), (25, 43),
    (25, 58), (25, 64), (26, 27), (26, 40), (26, 67), (27, 41), (27, 51), (27, 68), (27, 72), (27, 79), (28, 29),
    (28, 71), (28, 82), (29, 30), (29, 34), (29, 35), (29, 83), (30, 36), (31, 57), (31, 70), (32, 54), (32, 63),
    (32, 66), (33, 34), (33, 35), (33, 71), (34, 35), (35, 36), (35, 37), (36, 37), (36, 46), (38, 39), (38, 77),
    (39, 56), (39, 57), (39, 58), (39, 78), (39, 80), (40, 41), (40, 58), (41, 72), (42, 43), (42, 60), (42, 64),
    (42, 66), (43, 44), (43, 58), (43, 60), (43, 64), (44, 45), (44, 49), (44, 58), (44, 60), (45, 76), (46, 47),
    (48, 49), (48, 60), (49, 50), (50, 76), (51, 52), (51, 68), (51, 72), (51, 79), (52, 53), (52, 69), (52, 73),
    (53, 54), (53, 59), (53, 74), (54, 63), (54, 75), (55, 56), (55, 77), (56, 57), (56, 61), (56, 78), (57, 62),
    (57, 65), (57, 70), (57, 80), (58, 80), (58, 81), (58, 82), (58, 84), (58, 85), (59, 69), (61, 62), (62, 65),
    (63, 64), (63, 75), (64, 66), (67, 68), (68, 69), (68, 79), (70, 71), (70, 81), (71, 82), (72, 73), (73, 74),
    (74, 75), (76, 77), (77, 78), (80, 81), (81, 82), (82, 83), (82, 84), (83, 84), (84, 85),
)  # fmt: skip

# By card 0..14: cell and amount.
SPICE_CARDS = (
    (7, 8), (16, 8), (17, 12), (31, 6), (33, 8), (36, 10), (39, 6), (49, 6), (59, 8), (62, 6),
    (66, 6), (68, 10), (70, 10), (75, 8), (84, 6),
)  # fmt: skip

DOTS = (1, 4, 7, 10, 13, 16)
DOTS_OF_TABLE = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 3, 4, 5)}
ATOMICS_FROM = frozenset({11, 15, 21, 22, 25, 31, 33, 37})
SECTORS = 18

CELLS = tuple((territory, sector) for territory, row in enumerate(TERRITORIES) for sector in row[2])
TERRITORY_OF = tuple(territory for territory, _ in CELLS)
SECTOR_OF = tuple(sector for _, sector in CELLS)  # None for the Polar Sink
CELLS_OF = tuple(
    tuple(cell for cell, (home, _) in enumerate(CELLS) if home == territory) for territory in range(len(TERRITORIES))
)
NEIGHBOURS = tuple(
    tuple(sorted([b for a, b in BORDERS if a == cell] + [a for a, b in BORDERS if b == cell]))
    for cell in range(len(CELLS))
)
TYPE_OF = tuple(row[1] for row in TERRITORIES)
PROTECTION_OF = tuple(row[3] for row in TERRITORIES)

ARRAKEEN, CARTHAG, HABBANYA_SIETCH, SIETCH_TABR, TUEKS_SIETCH = 0, 5, 18, 32, 39
STRONGHOLDS = (ARRAKEEN, CARTHAG, HABBANYA_SIETCH, SIETCH_TABR, TUEKS_SIETCH)
ORNITHOPTERS = (ARRAKEEN, CARTHAG)
THE_POLAR_SINK, POLAR_CELL = 27, 58
SHIELD_WALL, GREAT_FLAT = 31, 35


def _near_the_great_flat() -> frozenset[int]:
    """The territories at most two steps from the Great Flat, itself included."""
    near = {GREAT_FLAT}
    for _ in range(2):
        near |= {TERRITORY_OF[b] for t in near for a in CELLS_OF[t] for b in NEIGHBOURS[a]}
    return frozenset(near)


FREMEN_LANDING = _near_the_great_flat()
