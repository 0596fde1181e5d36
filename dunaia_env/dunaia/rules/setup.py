"""Set-up (rules, section 2)."""

from __future__ import annotations

from dunaia_env.dunaia.components import PROPHECIES_IN_GROUP
from dunaia_env.dunaia.rules.buildings import draw_tile
from dunaia_env.dunaia.rules.turn import roll_dice
from dunaia_env.dunaia.state import (
    CHARACTERS,
    CHOOSE_DIE,
    COLOURS,
    DRAFT,
    DUNAIAS,
    ELDER_SPACES,
    ELDERS,
    LEVELS,
    MAX_PLAYERS,
    NONE,
    PROPHECIES_IN_PLAY,
    SQUARES,
    TILES,
)
from dunaia_env.harness.compiled.chance import SETUP, draw
from dunaia_env.support.compile_cache import kernel


@kernel
def clear(s):
    """Bring every field of a record to its value before the set-up."""
    for seat in range(MAX_PLAYERS):
        player = s.players[seat]
        player.flowers = 0
        player.artefacts = 0
        player.tokens = 0
        player.character = NONE
        player.reserved = NONE
        player.power_used = 0
        for i in range(DUNAIAS):
            player.chips[i] = 0
            player.dunaias[i] = 0
        for i in range(ELDER_SPACES):
            player.fragments[i] = 0
        for square in range(SQUARES):
            player.tile[square] = NONE
            player.steps[square] = 0
            player.built[square] = 0
            player.markers[square] = 0
            player.occupied[square] = 0
        s.own_dice[seat] = 0
    s.round_number = 1
    s.final_round = 0
    s.truncated = 0
    s.die = 0
    s.woken = 0
    s.source = 0
    s.window = 0
    s.elder_space = NONE
    s.second_square = NONE
    s.woken_moved = 0
    s.moves_left = 0
    s.chips_left = 0
    s.discards_left = 0
    s.advances_left = 0
    s.found = NONE
    for i in range(CHARACTERS):
        s.characters_available[i] = 0
        s.neutral_dice[i] = 0
    for tile in range(TILES):
        s.below_top[tile] = 1


@kernel
def set_up(s, t, chance, num_players, elites, max_rounds):
    """Lay out a new game and roll the dice; the first decision is seat 0's choice of a die, or the draft."""
    clear(s)
    s.num_players = num_players
    s.max_rounds = max_rounds
    for seat in range(num_players):
        player = s.players[seat]
        player.flowers = t.start_flowers
        player.tokens = t.start_tokens
        for i in range(DUNAIAS):
            player.dunaias[i] = t.start_edges[i]
    for space in range(ELDER_SPACES):
        s.common_fragments[space] = t.fragments_of_each_type
    for colour in range(COLOURS):
        s.common_markers[colour] = t.markers_of_each_colour
    part = draw_elders(s, chance, 0)
    for group in range(PROPHECIES_IN_PLAY):
        s.prophecies[group] = PROPHECIES_IN_GROUP * group + draw(chance, SETUP, 0, part, PROPHECIES_IN_GROUP)
        s.prophecy_owners[group] = NONE
        part += 1
    if elites:
        part = reveal_characters(s, chance, part, num_players + 1)
    # Set-up draws keep their numbers when the elite variant adds some.
    part = ELDER_SPACES + PROPHECIES_IN_PLAY + CHARACTERS
    for level in range(LEVELS):
        s.display[level] = draw_tile(s, chance, SETUP, 0, part, level)
        s.pile_top[level] = draw_tile(s, chance, SETUP, 0, part + 1, level)
        part += 2
    roll_dice(s, t, chance, 0)
    if elites:
        s.seat = num_players - 1
        s.decision = DRAFT
    else:
        s.seat = 0
        s.decision = CHOOSE_DIE


@kernel
def draw_elders(s, chance, part):
    """Put three different elders on the spaces; returns the next draw's number."""
    for space in range(ELDER_SPACES):
        place = draw(chance, SETUP, 0, part, ELDERS - space)
        part += 1
        for elder in range(ELDERS):
            taken = False
            for earlier in range(space):
                if s.elders[earlier] == elder:
                    taken = True
            if not taken:
                if place == 0:
                    s.elders[space] = elder
                    break
                place -= 1
    return part


@kernel
def reveal_characters(s, chance, part, count):
    """Reveal that many different characters; returns the next draw's number."""
    for revealed in range(count):
        place = draw(chance, SETUP, 0, part, CHARACTERS - revealed)
        part += 1
        for character in range(CHARACTERS):
            if s.characters_available[character] == 0:
                if place == 0:
                    s.characters_available[character] = 1
                    break
                place -= 1
    return part


@kernel
def draft_character(s, character):
    """The deciding player takes a character; the draft goes on in reverse turn order, then seat 0 begins."""
    s.players[s.seat].character = character
    s.characters_available[character] = 0
    if s.seat > 0:
        s.seat = int(s.seat) - 1
        return
    for other in range(CHARACTERS):
        s.characters_available[other] = 0
    s.decision = CHOOSE_DIE
