"""Put the report of a balance study into the documentation.

``python -m docs.balance_report runs/balance/report balance``. Its Markdown becomes a page for each chapter, of which
the first has the summary and leads to the others.
"""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from dunaia_env.support import atomic
from dunaia_env.support.terminal import run_main

FOLDER = Path(__file__).parent
# The studies of the documentation, each in a folder of its own, with the plot that `docs.plots` draws from its numbers.
STUDIES = {
    "balance": "../verdicts.png",
    "factions": "../verdicts_on_factions.png",
}
FIRST = "report.md"
COPIED = ("report.html", "report.json")
REPLAYS = "replays"
PICTURE = "![The effect of each role at the strongest play, with its interval and the band of the tolerance]({})"
LONGEST = 400  # lines of the first chapter that stand on the first page, unless its first section alone is longer
_CHAPTER = re.compile(r"^## (.+)$", re.MULTILINE)
_SECTION = re.compile(r"^### ", re.MULTILINE)


@dataclass(frozen=True)
class Options:
    """Put the report of a balance study into the documentation."""

    report: Annotated[Path, tyro.conf.Positional]
    """Folder of the report, which holds report.md, report.html, report.json and replays/."""
    study: Annotated[Literal["balance", "factions"], tyro.conf.Positional]
    """Folder of the documentation: ``balance`` for Dunaïa's characters, ``factions`` for Dune's factions."""


def pages(report: str, plot: str) -> dict[str, str]:
    """The pages of a report in Markdown, by file name: the summary with the first chapter, then the other chapters.

    Of a first chapter that is longer than `LONGEST`, only the first section stands on the first page.

    Args:
        report: the report in Markdown.
        plot: file of the plot of the verdicts, relative to the pages.

    Raises:
        ValueError: if the report has no chapter.
    """
    head, *split = _CHAPTER.split(report)
    chapters = [(title, body.strip("\n")) for title, body in zip(split[::2], split[1::2], strict=True)]
    if not chapters:
        raise ValueError(f"report: expected Markdown with chapters (## ...), got {report[:40]!r}")
    title, body = chapters[0]
    sections = [found.start() for found in _SECTION.finditer(body)]
    if len(sections) > 1 and body.count("\n") > LONGEST:
        second = sections[1]
        chapters[:1] = [(title, body[:second].strip("\n")), (f"{title}: further tables", body[second:])]
    names = [FIRST, *(_file_name(title) for title, _ in chapters[1:])]
    links = "\n".join(f"- [{title}]({name})" for name, (title, _) in zip(names[1:], chapters[1:], strict=True))
    title, body = chapters[0]
    parts = (
        head.rstrip(),
        PICTURE.format(plot),
        "The other chapters:",
        links,
        f"## {title}",
        body,
        _contents(names[1:]),
    )
    found = {FIRST: "\n\n".join(parts)}
    for name, (title, body) in zip(names[1:], chapters[1:], strict=True):
        raised = re.sub(r"^#(#+ )", r"\1", body, flags=re.MULTILINE)
        found[name] = f"# {title}\n\nA chapter of [the report on balance]({FIRST}).\n\n{raised}\n"
    return found


def _file_name(title: str) -> str:
    return f"report_{re.sub(r'[^a-z]+', '_', title.lower()).strip('_')}.md"


def _contents(names: list[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```", ""])


def main() -> int:
    """Replace the report in the documentation; returns the exit status."""
    options = tyro.cli(Options, prog="python -m docs.balance_report", description=Options.__doc__)
    made = pages((options.report / FIRST).read_text(encoding="utf-8"), STUDIES[options.study])
    folder = FOLDER / options.study
    folder.mkdir(exist_ok=True)
    for old in folder.glob("report*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        atomic.write_text(folder / name, text)
    for name in COPIED:
        shutil.copyfile(options.report / name, folder / name)
    shutil.rmtree(folder / REPLAYS, ignore_errors=True)
    shutil.copytree(options.report / REPLAYS, folder / REPLAYS)
    print(f"{len(made)} pages written to {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(run_main(main))
