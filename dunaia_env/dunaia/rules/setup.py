"""Set-up."""

from __future__ import annotations

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import PROPHECIES_IN_GROUP
from dunaia_env.dunaia.rules import buildings, turn
from dunaia_env.dunaia.state import NONE
from dunaia_env.harness.compiled.chance import SETUP, draw
from dunaia_env.support.compile_cache import kernel


@kernel
def clear(state):
    """Reset every field of a state to its value before the set-up."""
    for seat in range(layout.MAX_PLAYERS):
        player = state.players[seat]
        player.flowers = 0
        player.artefacts = 0
        player.tokens = 0
        player.character = NONE
        player.reserved = NONE
        player.power_used = 0
        for i in range(layout.DUNAIAS):
            player.chips[i] = 0
            player.dunaias[i] = 0
        for i in range(layout.ELDER_SPACES):
            player.fragments[i] = 0
        for square in range(layout.SQUARES):
            player.tile[square] = NONE
            player.steps[square] = 0
            player.built[square] = 0
            player.markers[square] = 0
            player.occupied[square] = 0
        state.own_dice[seat] = 0
    state.round_number = 1
    state.final_round = 0
    state.stopped = 0
    state.die = 0
    state.woken = 0
    state.source = 0
    state.window = 0
    state.elder_space = NONE
    state.second_square = NONE
    state.woken_moved = 0
    state.moves_left = 0
    state.chips_left = 0
    state.discards_left = 0
    state.advances_left = 0
    state.found = NONE
    for i in range(layout.CHARACTERS):
        state.characters_available[i] = 0
        state.neutral_dice[i] = 0
    for tile in range(layout.TILES):
        state.below_top[tile] = 1


@kernel
def set_up(state, components, chance, num_players, elites, max_rounds, characters):
    """Lay out a new game and roll the dice; the first decision is seat 0's choice of a die, or the draft.

    With ``elites``, ``characters`` says how players get their characters: by draft (`DRAFTED`), at random (`DEALT`), or
    by its decimal digits (`assign_characters`).
    """
    clear(state)
    state.num_players = num_players
    state.max_rounds = max_rounds
    for seat in range(num_players):
        player = state.players[seat]
        player.flowers = components.start_flowers[seat]
        player.tokens = components.start_tokens
        for i in range(layout.DUNAIAS):
            player.dunaias[i] = components.start_edges[i]
    for space in range(layout.ELDER_SPACES):
        state.common_fragments[space] = components.fragments_of_each_type
    for colour in range(layout.COLOURS):
        state.common_markers[colour] = components.markers_of_each_colour
    part = draw_elders(state, chance, 0)
    for group in range(layout.PROPHECIES_IN_PLAY):
        state.prophecies[group] = PROPHECIES_IN_GROUP * group + draw(chance, SETUP, 0, part, PROPHECIES_IN_GROUP)
        state.prophecy_owners[group] = NONE
        part += 1
    if elites:
        if characters == layout.DRAFTED:
            reveal_characters(state, chance, part, num_players + 1)
        elif characters == layout.DEALT:
            deal_characters(state, chance, part)
        else:
            assign_characters(state, characters)
    # The numbers of the following draws are the same with and without draws for elite characters.
    part = layout.ELDER_SPACES + layout.PROPHECIES_IN_PLAY + layout.CHARACTERS
    for level in range(layout.LEVELS):
        state.display[level] = buildings.draw_tile(state, chance, SETUP, 0, part, level)
        state.pile_top[level] = buildings.draw_tile(state, chance, SETUP, 0, part + 1, level)
        part += 2
    turn.roll_dice(state, components, chance, 0)
    if elites and characters == layout.DRAFTED:
        state.seat = num_players - 1
        state.decision = layout.DRAFT
    else:
        state.seat = 0
        state.decision = layout.CHOOSE_DIE


@kernel
def draw_elders(state, chance, part):
    """Put three different elders on the spaces; returns the number of the next draw."""
    for space in range(layout.ELDER_SPACES):
        place = draw(chance, SETUP, 0, part, layout.ELDERS - space)
        part += 1
        for elder in range(layout.ELDERS):
            taken = False
            for earlier in range(space):
                if state.elders[earlier] == elder:
                    taken = True
            if not taken:
                if place == 0:
                    state.elders[space] = elder
                    break
                place -= 1
    return part


@kernel
def reveal_characters(state, chance, part, count):
    """Reveal ``count`` different characters; ``part`` is the number of the first draw."""
    for revealed in range(count):
        place = draw(chance, SETUP, 0, part, layout.CHARACTERS - revealed)
        part += 1
        for character in range(layout.CHARACTERS):
            if state.characters_available[character] == 0:
                if place == 0:
                    state.characters_available[character] = 1
                    break
                place -= 1


@kernel
def deal_characters(state, chance, part):
    """Give every player a character at random; ``part`` is the number of the first draw."""
    for seat in range(state.num_players):
        place = draw(chance, SETUP, 0, part + seat, layout.CHARACTERS - seat)
        for character in range(layout.CHARACTERS):
            held = False
            for earlier in range(seat):
                if state.players[earlier].character == character:
                    held = True
            if not held:
                if place == 0:
                    state.players[seat].character = character
                    break
                place -= 1


@kernel
def assign_characters(state, characters):
    """Give each seat a character by a decimal digit, seat 0 by the first one: 1 is the first character, 7 is none."""
    for seat in range(int(state.num_players) - 1, -1, -1):
        digit = characters % 10
        characters //= 10
        if digit <= layout.CHARACTERS:
            state.players[seat].character = digit - 1


@kernel
def draft_character(state, character):
    """Give the deciding player a character. The draft goes on in reverse turn order; then seat 0 begins the game."""
    state.players[state.seat].character = character
    state.characters_available[character] = 0
    if state.seat > 0:
        state.seat = int(state.seat) - 1
        return
    for other in range(layout.CHARACTERS):
        state.characters_available[other] = 0
    state.decision = layout.CHOOSE_DIE
