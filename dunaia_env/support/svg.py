"""Writes SVG documents: shapes, text and groups as strings.

Documents use only presentation attributes, without styles, scripts, references or ids, so that many documents can be on
one page whatever its security policy allows. Coordinates are in units of the document. Text is set in `FONT`, which
comes with `dunaia_env.render`; `width_of` gives its width.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dunaia_env.support.messages import visible

FONT: Final = "Nunito"
FAMILY: Final = f"{FONT}, 'Nunito Sans', 'Segoe UI', 'DejaVu Sans', sans-serif"
NORMAL, BOLD = 600, 800

# Advance widths in thousandths of the font size: the characters from space to ~, further Latin ones, and Cyrillic ones.
_BLOCKS = (*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x400, 0x460))
_ADVANCES = {
    NORMAL: """
264 237 417 600 600 937 708 231 336 336 452 600 237 429 237 297 600 600 600 600 600 600 600 600 600 600 237 237
600 600 600 450 948 736 682 676 751 589 554 731 767 268 338 643 552 861 743 775 642 775 677 622 611 733 700 1107
660 606 596 333 297 333 600 500 366 537 591 467 591 537 347 594 576 243 246 516 306 866 576 565 591 591 373 484
365 569 520 846 534 520 468 370 275 370 600 264 237 600 600 600 600 275 556 488 815 332 465 600 429 815 512 375
600 380 380 366 600 604 237 411 380 345 465 902 948 902 450 736 736 736 736 736 736 987 676 589 589 589 589 268
268 268 268 751 743 775 775 775 775 775 600 775 733 733 733 733 606 644 632 537 537 537 537 537 537 863 467 537
537 537 537 243 243 243 243 569 576 565 565 565 565 565 600 565 569 569 569 569 520 591 520 736 537 736 537 736
537 676 467 676 467 676 467 676 467 751 591 751 591 589 537 589 537 589 537 589 537 589 537 731 594 731 594 731
594 731 594 767 576 807 576 268 243 268 243 268 243 268 243 268 243 606 1000 338 246 643 516 516 552 306 552 306
552 306 552 354 552 306 743 576 743 576 743 576 576 743 576 775 565 775 565 775 565 1051 912 677 373 677 373 677
373 622 484 622 484 622 484 622 484 611 365 611 365 611 365 733 569 733 569 733 569 733 569 733 569 733 569 1107
846 606 520 606 596 468 596 468 596 468 1000 589 589 855 550 676 622 268 268 338 1131 1165 856 656 743 651 760
736 666 682 550 788 589 989 638 743 743 656 746 861 767 775 760 642 676 611 651 863 660 801 685 1061 1100 798
876 666 676 1029 678 549 577 556 445 604 548 803 508 593 593 541 585 671 596 577 593 602 479 457 531 814 546 609
562 814 841 623 751 544 500 790 549 548 548 588 445 501 496 254 254 258 874 887 587 541 593 531 593
    """,
    BOLD: """
279 260 481 600 600 954 745 256 382 382 454 600 260 440 260 331 600 600 600 600 600 600 600 600 600 600 260 260
600 600 600 468 952 753 695 684 774 605 570 742 780 297 372 688 573 876 753 796 664 796 696 641 632 743 727 1120
685 631 615 377 331 377 600 500 388 557 610 478 610 549 382 615 595 268 273 558 333 889 595 589 610 610 412 492
404 590 534 861 559 533 480 414 302 414 600 279 260 600 600 600 600 302 584 538 815 346 525 600 440 815 539 384
600 380 380 388 600 645 260 432 380 361 525 923 973 923 468 753 753 753 753 753 753 1000 684 605 605 605 605 297
297 297 297 774 753 796 796 796 796 796 600 796 743 743 743 743 631 667 676 557 557 557 557 557 557 868 478 549
549 549 549 268 268 268 268 593 595 589 589 589 589 589 600 589 590 590 590 590 533 610 533 753 557 753 557 753
557 684 478 684 478 684 478 684 478 774 610 774 610 605 549 605 549 605 549 605 549 605 549 742 615 742 615 742
615 742 615 780 595 829 595 297 268 297 268 297 268 297 268 297 268 669 1000 372 273 688 558 558 573 333 573 333
573 333 573 423 573 333 753 595 753 595 753 595 595 753 595 796 589 796 589 796 589 1062 918 696 412 696 412 696
412 641 492 641 492 641 492 641 492 632 404 632 404 632 404 743 590 743 590 743 590 743 590 743 590 743 590 1120
861 631 533 631 615 480 615 480 615 480 1000 605 605 887 569 684 641 297 297 372 1135 1163 876 695 753 671 772
753 681 695 569 811 605 1041 632 753 753 695 758 876 780 796 772 664 684 632 671 908 685 824 708 1080 1131 816
928 681 684 1067 699 573 604 581 470 633 564 852 533 616 616 579 610 700 620 604 617 626 494 490 549 864 575 638
587 851 884 645 803 563 523 844 574 564 564 613 470 524 508 284 284 289 887 900 611 579 616 549 617
    """,
}
_FURTHER = {
    NORMAL: {"’": 237, "“": 416, "”": 416, "…": 713, "–": 500, "—": 1000, "−": 600},
    BOLD: {"’": 260, "“": 472, "”": 472, "…": 780, "–": 500, "—": 1000, "−": 600},
}
_UNKNOWN = 1000  # advance width of a character that is not in the table: wide, to be on the safe side
_WIDTHS: Final = {
    weight: {
        **{chr(code): int(advance) for code, advance in zip(_BLOCKS, text.split(), strict=True)},
        **_FURTHER[weight],
    }
    for weight, text in _ADVANCES.items()
}
_ELLIPSIS = "…"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def number(value: float) -> str:
    """A coordinate in as few characters as two decimals allow."""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def escape(text: str) -> str:
    """Text for the content of an element or an attribute in quotes; its hidden characters are made `visible`."""
    return visible(text).translate(_ESCAPES)


@lru_cache(maxsize=4096)
def width_of(text: str, size: float, weight: int = NORMAL) -> float:
    """The width of a text in a font size."""
    widths = _WIDTHS[weight]
    return sum(widths.get(letter, _UNKNOWN) for letter in text) * size / 1000


@lru_cache(maxsize=4096)
def fitted(text: str, size: float, width: float, weight: int = NORMAL) -> str:
    """The text, or as much of its beginning as fits into a width with an ellipsis."""
    if width_of(text, size, weight) <= width:
        return text
    kept = text
    while kept and width_of(kept.rstrip() + _ELLIPSIS, size, weight) > width:
        kept = kept[:-1]
    return kept.rstrip() + _ELLIPSIS


def size_for(text: str, size: float, width: float, weight: int = NORMAL) -> float:
    """The font size, or a smaller one in which the text fits into a width."""
    return min(size, size * width / max(width_of(text, size, weight), 0.001))


def halved(text: str, size: float, width: float, weight: int = NORMAL) -> tuple[str, ...]:
    """The text, on two lines if it has several words and does not fit into a width."""
    if width_of(text, size, weight) <= width or " " not in text:
        return (text,)
    words = text.split(" ")
    ways = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    return min(ways, key=lambda lines: max(width_of(line, size, weight) for line in lines))


def text(
    x: float, y: float, content: str, size: float, fill: str, *, weight: int = NORMAL, anchor: str = "start"
) -> str:
    """A line of text; ``y`` is its baseline, ``anchor`` says what ``x`` is: "start", "middle" or "end".

    If all its letters are in the table, it is as wide as `width_of` says, in other fonts too.
    """
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    widths = _WIDTHS[weight]
    if len(content) > 1 and all(letter in widths for letter in content):
        at += f' textLength="{number(width_of(content, size, weight))}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" font-weight="{weight}" fill="{fill}"{at}>'
        f"{escape(content)}</text>"
    )


def rect(x: float, y: float, width: float, height: float, fill: str, *, radius: float = 0, more: str = "") -> str:
    """A rectangle with round corners; ``more`` holds further attributes."""
    corner = f' rx="{number(radius)}"' if radius else ""
    more = f" {more}" if more else ""
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"{corner} '
        f'fill="{fill}"{more}/>'
    )


def circle(x: float, y: float, radius: float, fill: str, more: str = "") -> str:
    """A disc."""
    more = f" {more}" if more else ""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}"{more}/>'


def path(shape: str, fill: str, more: str = "") -> str:
    """A path from its drawing commands."""
    more = f" {more}" if more else ""
    return f'<path d="{shape}" fill="{fill}"{more}/>'


def stroke(colour: str, width: float, *, dashes: str = "", opacity: float = 1) -> str:
    """Attributes of an outline, for the argument ``more``."""
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    faint = f' stroke-opacity="{number(opacity)}"' if opacity != 1 else ""
    return f'stroke="{colour}" stroke-width="{number(width)}"{dash}{faint}'


def placed(x: float, y: float, body: str, scale: float = 1) -> str:
    """A drawing around the origin, moved to another place and scaled."""
    sized = f" scale({number(scale)})" if scale != 1 else ""
    return f'<g transform="translate({number(x)} {number(y)}){sized}">{body}</g>'


def growing(x: float, y: float, body: str) -> str:
    """A drawing that pages enlarge around a point where they show the document so small that texts cannot be read.

    They leave out the texts of a document that do not grow with such a drawing then.
    """
    return f'<g data-grows="{number(x)} {number(y)}">{body}</g>'


def piece(name: str, label: str, area: str, body: str) -> str:
    """A piece that a person can point at: a group that begins with a transparent shape over its whole area.

    Args:
        name: name of the piece, in ``data-piece``.
        label: what a screen reader says.
        area: the shape's element and its geometry, such as ``rect x="0" y="0" width="9" height="9"``.
        body: the visible elements.
    """
    return (
        f'<g data-piece="{escape(name)}" role="img" aria-label="{escape(label)}">'
        f'<{area} fill="none" pointer-events="all"/>{body}</g>'
    )


def area(x: float, y: float, width: float, height: float, radius: float = 8) -> str:
    """A rectangle as the area of a `piece`."""
    return (
        f'rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="{number(radius)}"'
    )


def document(width: float, height: float, title: str, body: str) -> str:
    """A whole SVG document of a size; ``title`` describes it to those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" font-family="{FAMILY}" stroke-linecap="round" '
        f'stroke-linejoin="round" role="group" '
        f'aria-label="{escape(title)}">{body}</svg>'
    )
