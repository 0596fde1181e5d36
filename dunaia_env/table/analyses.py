"""Analyses of games: people ask for them, they wait for their turn, and they are stored with their replays."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Literal, Protocol

from dunaia_env.harness.game import Game
from dunaia_env.harness.state import View
from dunaia_env.replay import Replay, ReplayError, positions
from dunaia_env.support import messages, typed_json
from dunaia_env.table import naming, offers, storage, tables
from dunaia_env.table.errors import CONFLICT, NOT_ALLOWED, UNAVAILABLE, UNKNOWN, RefusedError, StorageError
from dunaia_env.table.room import Room
from dunaia_env.table.showing import Showing

KIND = "analyses"
# Number of games whose positions stay in memory.
MOST_SHOWN = 8

_LOG = logging.getLogger(__name__)

Progress = Callable[[float], None]


class Analyst(Protocol):
    """Judges games and decisions; its methods are called in threads."""

    def analyse(self, replay: Replay, components: Any, progress: Progress) -> dict[str, Any]:
        """Judge a whole game, as JSON data; raises `ValueError` with the reason if it cannot be judged."""
        ...

    def advise(self, view: View) -> dict[str, Any]:
        """Judge one decision, as JSON data: the name of the adviser, the chances, and the good actions.

        ``indifferent`` says whether all actions are equally good, and ``instead_of`` who could not judge this game.
        Raises `ValueError` with the reason if it cannot be judged.
        """
        ...

    def cost(self, view: View, action: str) -> float:
        """The win probability that the deciding seat loses with a legal action, compared with the adviser's own choice.

        Raises `ValueError` with the reason if it cannot be judged.
        """
        ...


class ChampionAnalyst:
    """Judges with a trained player, or with the game's evaluation where there is no trained player for it.

    Args:
        adviser: the trained player.
        simulations: simulations of the search for each decision.
    """

    def __init__(self, adviser: str = "champion", simulations: int = 64) -> None:
        self._adviser, self._simulations = adviser, simulations
        self._own = threading.local()

    def _load(self, game: Game, components: Any) -> tuple[Any, dict[str, str]]:
        """The adviser of a game, and who could not judge it (``instead_of``), if somebody could not."""
        # Imported late: a server that is never asked for an analysis does not need it.
        from dunaia_env.analysis import load_adviser
        from dunaia_env.analysis.advisers import EVALUATION

        kept: dict[Any, tuple[Any, dict[str, str]]] = self._own.__dict__.setdefault("advisers", {})
        key = (game.module, components.hash)
        if key not in kept:
            try:
                loaded = load_adviser(self._adviser, game=game, components=components, simulations=self._simulations)
                kept[key] = loaded, {}
            except ValueError:
                kept[key] = load_adviser(EVALUATION, game=game, components=components), {"instead_of": self._adviser}
        return kept[key]

    def analyse(self, replay: Replay, components: Any, progress: Progress) -> dict[str, Any]:
        """See `Analyst.analyse`."""
        from dunaia_env.analysis import analyse

        adviser, named = self._load(replay.game, components)
        return analyse(replay, components=components, adviser=adviser, progress=progress).to_json() | named

    def advise(self, view: View) -> dict[str, Any]:
        """See `Analyst.advise`."""
        from dunaia_env.analysis import advise

        adviser, named = self._load(view.game, view.components)
        advice = advise(view, adviser)
        actions = [asdict(option) for option in advice.good()]
        return advice.to_json() | {"adviser": adviser.name, "actions": actions} | named

    def cost(self, view: View, action: str) -> float:
        """See `Analyst.cost`."""
        from dunaia_env.analysis import compare

        return compare(view, action, self._load(view.game, view.components)[0]).cost


@dataclass
class Job:
    """An analysis.

    Attributes:
        name: name of its file.
        digest: digest of the token in its link.
        replay: the game's replay as text.
        state: running (or waiting), done or failed.
        progress: 0..1.
        error: why it failed.
        analysis: the result.
    """

    name: str
    digest: str
    replay: str
    state: Literal["running", "done", "failed"] = "running"
    progress: float = 0.0
    error: str = ""
    analysis: dict[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class _Stored:
    digest: str
    replay: Any
    state: Literal["running", "done", "failed"]
    error: str
    analysis: Any


class Analyses:
    """All analyses of a server.

    Args:
        folder: folder in which they are stored.
        room: room whose games and limits apply.
        analyst: judges the games.
    """

    def __init__(self, folder: storage.Folder, room: Room, analyst: Analyst) -> None:
        self._folder, self._room, self._analyst = folder, room, analyst
        self._jobs: OrderedDict[str, Job] = OrderedDict()  # by digest, oldest first
        self._shown: OrderedDict[str, tuple[Showing, int, list[storage.Decision]]] = OrderedDict()
        self._texts: OrderedDict[tuple[str, str], dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="analysis")
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Load the stored analyses, and continue those that a restart has interrupted."""
        for name in await self._room.store(partial(self._folder.files, KIND)):
            try:
                stored = typed_json.build(_Stored, await self._room.store(partial(self._folder.read_file, KIND, name)))
                if not isinstance(stored.replay, str):
                    raise typed_json.FieldError(f"replay: expected a text, got {messages.shorten(stored.replay)}")
                if (stored.state == "done") != isinstance(stored.analysis, dict):
                    raise typed_json.FieldError(
                        f"analysis: expected that of a {stored.state} one, got {messages.shorten(stored.analysis)}"
                    )
            except StorageError as error:
                _LOG.warning("an analysis stays in its folder, but cannot be shown: %s", error)
                continue
            except typed_json.FieldError as error:
                _LOG.warning("an analysis stays in its folder, but cannot be shown: %s/%s.json: %s", KIND, name, error)
                continue
            job = Job(name, stored.digest, stored.replay, stored.state, 1.0, stored.error, stored.analysis)
            self._jobs[job.digest] = job
            if job.state == "running":
                job.progress = 0.0
                self._begin(job)

    async def close(self) -> None:
        """Stop; analyses in progress begin again with the next start."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def find(self, token: str) -> Job:
        """The analysis of a link; raises `RefusedError` for an unknown token."""
        job = self._jobs.get(tables.digest_of(token))
        if job is None:
            raise RefusedError(UNKNOWN, "there is no analysis with this link")
        return job

    async def ask(self, text: str) -> str:
        """Ask for the analysis of a replay; returns the token of its link. Raises `RefusedError`."""
        if sum(job.state == "running" for job in self._jobs.values()) >= self._room.limits.waiting_analyses:
            raise RefusedError(UNAVAILABLE, "too many analyses are waiting; try again in some minutes", wait=60)
        try:
            await self._room.draw(partial(self._replayed, text))
        except ReplayError as error:
            raise RefusedError(NOT_ALLOWED, "{reason}", reason=messages.reason(error)) from None
        token = tables.new_token()
        job = Job(secrets.token_hex(16), tables.digest_of(token), text)
        try:
            await self._room.store(partial(self._write, job))
        except StorageError as error:
            _LOG.error("%s", error)
            raise RefusedError(UNAVAILABLE, "the analysis could not be stored on the server's disk") from None
        self._jobs[job.digest] = job
        for old in list(self._jobs.values())[: max(0, len(self._jobs) - self._room.limits.analyses)]:
            del self._jobs[old.digest]
            self._folder.remove_file(KIND, old.name)
        self._begin(job)
        return token

    def _write(self, job: Job) -> None:
        content = {"digest": job.digest, "replay": job.replay, "state": job.state, "error": job.error}
        self._folder.write_file(KIND, job.name, content | {"analysis": job.analysis})

    def _begin(self, job: Job) -> None:
        task = asyncio.create_task(self._work(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, job: Job) -> None:
        def judged() -> dict[str, Any]:
            replay, offer = self._room.parse(job.replay)
            return self._analyst.analyse(replay, offer.components, lambda part: setattr(job, "progress", part))

        try:
            job.analysis = await asyncio.get_running_loop().run_in_executor(self._worker, judged)
            job.state = "done"
        except (RefusedError, ValueError) as error:
            job.state, job.error = "failed", messages.reason(error)
        except Exception:
            _LOG.exception("an analysis has failed")
            job.state, job.error = "failed", "the server has failed at this analysis"
        job.progress = 1.0
        try:
            await self._room.store(partial(self._write, job))
            if job.digest not in self._jobs:  # it has been removed meanwhile
                self._folder.remove_file(KIND, job.name)
        except StorageError as error:  # the analysis is lost at the next restart, and then made again
            _LOG.error("%s", error)

    def _replayed(self, text: str) -> tuple[offers.Offer, list[str], list[bytes], list[storage.Decision]]:
        """The game, the names, the states and the decisions of a replay; raises `ReplayError` or `RefusedError`."""
        replay, offer = self._room.parse(text)
        states = [state.to_bytes() for _, state, _ in positions(replay, components=offer.components)]
        decisions = [storage.Decision(line["seat"], line["action"]) for line in replay.decisions]
        return offer, replay.header["agents"], states, decisions

    def overview(self, job: Job, language: str) -> dict[str, Any]:
        """The progress of an analysis, and its result; meant to be called in threads."""
        shown: dict[str, Any] = {"state": job.state, "progress": job.progress}
        if job.state == "failed":
            shown["error"] = job.error
        showing, number, _ = self.shown_game(job)
        if job.state == "done":
            shown["analysis"] = self._told(job, showing, language)
        offer, replay = showing.offer, self._room.parse(job.replay)[0]
        # A replay names everybody who has played for a seat, in order.
        last = [names.rpartition(", ")[2] for names in replay.header["agents"]]
        who = {
            "playable": offer.agents,
            "programs": naming.programs(offer.agents, language),
            "proposed": offer.proposed(replay.options),
            "agents": [name if name in offer.agents else None for name in last],
        }
        return shown | {"title": showing.wording(language).title, "decisions": number} | who

    def _told(self, job: Job, showing: Showing, language: str) -> dict[str, Any]:
        """The result of an analysis, with scores in the form that people see and a sentence for each action."""
        key = (job.digest, language)
        with self._lock:
            if key in self._texts:
                return self._texts[key]
        assert job.analysis is not None
        decisions = []
        for judged in job.analysis["decisions"]:
            number, actions = judged["number"], judged["actions"]
            texts = [action["action"] for action in actions]
            sentences = showing.sentences(number, [judged["action"], judged["best"], *texts], None, language)
            told = [one | {"sentence": sentence} for one, sentence in zip(actions, sentences[2:], strict=True)]
            words = {"sentence": sentences[0], "best_sentence": sentences[1], "actions": told}
            decisions.append(judged | words)
        positions = [
            position | {"scores": showing.counted(position["scores"])} for position in job.analysis["positions"]
        ]
        shown = {"names": showing.names(language), "unit": showing.unit(language), "positions": positions}
        shown |= naming.judges(job.analysis, language)
        analysis = job.analysis | shown | {"decisions": decisions}
        with self._lock:
            self._texts[key] = analysis
            while len(self._texts) > MOST_SHOWN:
                self._texts.popitem(last=False)
        return analysis

    def position(self, job: Job, number: int, language: str) -> dict[str, Any]:
        """The picture after ``number`` decisions, sentences for the next decision and the judged actions, its notice.

        Meant to be called in threads. Raises `RefusedError` for a position that the game does not have.
        """
        showing, count, decisions = self.shown_game(job)
        if not 0 <= number <= count:
            raise RefusedError(UNKNOWN, "positions: {number}; the game has 0 to {count}", number=number, count=count)
        shown = dict(showing.position(number, None, language))
        shown["notice"] = showing.notice(number, language) if number < count else None
        if number == count:
            return shown | {"sentence": None, "seat": None, "sentences": {}, "marks": None}
        made = decisions[number]
        shown["focus"] = showing.focus(number, made.seat)
        actions = {made.action}
        if job.state == "done" and job.analysis is not None:
            judged = job.analysis["decisions"][number]
            actions |= {judged["best"], *(action["action"] for action in judged["actions"])}
        listed = sorted(actions)
        sentences = dict(zip(listed, showing.sentences(number, listed, None, language), strict=True))
        marks = self._marks(job, showing, number)
        return shown | {"sentence": sentences[made.action], "seat": made.seat, "sentences": sentences, "marks": marks}

    @staticmethod
    def _marks(job: Job, showing: Showing, number: int) -> dict[str, list[str]] | None:
        """The pieces of the action that was played and of the better one; None if it lost nothing."""
        judged = None if job.analysis is None else job.analysis["decisions"][number]
        if judged is None or judged["best"] == judged["action"] or not judged["cost"]:
            return None
        played, better = showing.pieces(number, [judged["action"], judged["best"]], None)
        return {"played": played, "better": better}

    def shown_game(self, job: Job) -> tuple[Showing, int, list[storage.Decision]]:
        """How the game of an analysis is shown, the number of its decisions, and these; meant to be called in threads.

        Raises `RefusedError` if it cannot be shown any more.
        """
        with self._lock:
            kept = self._shown.get(job.digest)
        if kept is None:
            try:
                offer, names, states, decisions = self._replayed(job.replay)
            except ReplayError as error:
                raise RefusedError(CONFLICT, "{reason}", reason=messages.reason(error)) from None
            kept = Showing(offer, names, states, decisions), len(decisions), decisions
            with self._lock:
                self._shown[job.digest] = kept
                while len(self._shown) > MOST_SHOWN:
                    self._shown.popitem(last=False)
        return kept
