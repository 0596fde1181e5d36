"""Dune at a terminal: the map where it fits, otherwise what lies in which territory, and a row for each faction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from dunaia_env.dune.board import STRONGHOLD
from dunaia_env.dune.presentation.terminal import MAP_STYLES
from dunaia_env.dune.presentation.text_map import SPICE, STORM, WIDTH, faction_letters, short_name, text_map
from dunaia_env.dune.presentation.wording import english, questions
from dunaia_env.dune.presentation.wording.facts import Facts, shown_sector
from dunaia_env.dune.presentation.wording.map_words import MAP_WORDS
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.texts import about, seat_lines
from dunaia_env.dune.presentation.wording.words import capital

from .game_look import Content, Look
from .text import beside, fitted, in_columns, shortened, wrapped

_BESIDE_THE_MAP = 66  # columns that the other parts need beside the map
_LEAST_OF_A_BOARD = 4  # rows kept for the list of territories
_MORE = "and {} lines more: b"
_NOTHING = "-"  # in an empty stronghold
_GAP = 2


class DuneLook(Look):
    """Shows Dune's board as a map or as a list of territories."""

    help = (
        "Capitals name strongholds. A3 means 3 tokens of the faction with the letter A, which the table of the factions"
        f" names; {SPICE}8 means 8 spice, a number in brackets a sector, {STORM} the storm."
    )
    others = "Cards and leaders"

    def scene(
        self, content: Content, seat: int, names: Sequence[str], console: Console, *, width: int, rows: int
    ) -> list[Text]:
        """What the decision is about, the factions, the seat's own pieces, and the board."""
        at = Teller(english.WORDS, Facts(content, self.components))
        drawn = _map(at) if width >= WIDTH else []
        if drawn and len(drawn) <= rows and width >= WIDTH + _GAP + _BESIDE_THE_MAP:
            column = width - WIDTH - _GAP
            return beside([(drawn, WIDTH), (shortened(_texts(at, seat, names, column), rows, _MORE), column)])
        texts = _texts(at, seat, names, width)
        if drawn and len(texts) + len(drawn) <= rows:
            return [*texts, *drawn]
        board = _board(at, width)
        kept = min(len(board), max(_LEAST_OF_A_BOARD, rows - len(texts)))
        texts = shortened(texts, rows - kept, _MORE)
        return [*texts, *shortened(board, rows - len(texts), "and {} rows of territories more: b")]

    def own_board(
        self, content: Content, seat: int, names: Sequence[str], console: Console
    ) -> Iterator[RenderableType]:
        """What is known of a seat's pieces."""
        yield Text("\n".join(seat_lines(Teller(english.WORDS, Facts(content, self.components)), seat)))


def _map(at: Teller) -> list[Text]:
    """The map without the names of the factions, which the table has; empty if the components have another board."""
    drawn = text_map(at.facts.content, at.facts.components)
    lines = []
    for line in drawn.split("\n") if drawn else ():
        styled = Text(line)
        for pattern, style in MAP_STYLES.items():
            styled.highlight_regex(pattern, style)
        lines.append(styled)
    return lines


def _texts(at: Teller, seat: int, names: Sequence[str], width: int) -> list[Text]:
    """Everything but the board."""
    own = [line.strip() for line in seat_lines(at, seat)][1:]
    # Everybody knows the leaders; what only this seat knows comes first.
    own.sort(key=lambda line: line.startswith("Leaders:"))
    lines = [line for text in about(at) for line in wrapped(Text(text, "bold"), width, indent=_GAP)]
    if known := questions.briefing(english.WORDS, at.facts.content, at.facts.components):
        lines += wrapped(Text(known), width, indent=_GAP)
    lines += _factions(at, seat, names, width)
    for text in own:
        lines += wrapped(Text(text), width, indent=_GAP)
    content = at.facts.content
    wall = f"{at.territory(at.facts.printed.shield_wall)} {'stands' if content['shield_wall'] else 'destroyed'}"
    return [*lines, Text(f"Storm in sector {shown_sector(content['storm'])}, {wall}")]


def _factions(at: Teller, seat: int, names: Sequence[str], width: int) -> list[Text]:
    """A heading, and a row for each seat with its faction's letter."""
    letters = faction_letters(at)
    headings = ("spice", "reserve", "tanks", "strongholds", "cards", "allies")
    sizes = [len(heading) for heading in headings]
    titles = []
    for number, name in enumerate(names):
        faction = at.facts.faction(number)
        titles.append(f"{letters[faction]}  {capital(str(at.who(number)))}, {name}")
    room = min(max(map(len, titles)), width - sum(sizes) - len(sizes))
    rows = [Text(" ".join([f"{'faction':<{room}}", *headings]), "bold underline")]
    for number, title in enumerate(titles):
        player, size = at.facts.players[number], at.facts.hand_size(number)
        allies = "".join(letters[at.facts.faction(ally)] for ally in at.facts.allies(number))
        cells = (
            _known(player["spice"]),
            _known(player["reserve"]),
            str(player["tanks"]),
            str(at.facts.content["scores"][number] % 10),
            _known(size),
            allies or _NOTHING,
        )
        row = fitted(Text(title, "bold" if number == seat else ""), room, pad=True)
        for cell, wide in zip(cells, sizes, strict=True):
            row.append(f" {cell:>{wide}}")
        rows.append(fitted(row, width))
    return rows


def _known(value: int | None) -> str:
    return "?" if value is None else str(value)


def _board(at: Teller, width: int) -> list[Text]:
    """The cells in which something lies, and all strongholds, in columns."""
    letters, facts, said = faction_letters(at), at.facts, MAP_WORDS["en"]
    spice = dict(map(tuple, facts.content["spice"]))
    items = []
    for number, kind in enumerate(facts.printed.type):
        name, found = short_name(number, at, said), []
        for cell in facts.cells(number):
            lying = [
                f"{letters[facts.faction(seat)]}{tokens}"
                for seat in range(len(facts.players))
                if (tokens := facts.tokens(seat, cell))
            ]
            lying += [f"{SPICE}{spice[cell]}"] if spice.get(cell) else []
            if lying:
                sector = f" ({facts.sector(cell)})" if len(facts.cells(number)) > 1 else ""
                found.append(" ".join([f"{name}{sector}", *lying, *([STORM] if facts.is_stormy(cell) else [])]))
        items += found or ([f"{name} {_NOTHING}"] if kind == STRONGHOLD else [])
    lines = [Text(line) for line in in_columns(items, width)]
    for line in lines:
        for pattern, style in MAP_STYLES.items():
            line.highlight_regex(pattern, style)
    return lines
