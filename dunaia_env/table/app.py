"""The server's pages and its API; see `docs/table.md`. Every answer of the API is JSON, including every refusal.

A person who opens an address that is refused gets a page instead, see `dunaia_env.table.guard`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from importlib import resources
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from dunaia_env.table import addresses, events, guard, messages, naming, people, storage, tables, thinking
from dunaia_env.table.analyses import Analyses, Analyst, Job
from dunaia_env.table.continuing import resume
from dunaia_env.table.errors import CONFLICT, FORBIDDEN, MALFORMED, NOT_ALLOWED, UNAVAILABLE, UNKNOWN, RefusedError
from dunaia_env.table.limits import AtOnce, Limits, Rate, client_key
from dunaia_env.table.messages import (
    Analysing,
    Deciding,
    Nothing,
    Opening,
    Pace,
    Replacing,
    Resigning,
    Resuming,
    Solving,
    Statuses,
    Undoing,
)
from dunaia_env.table.puzzles import Puzzles
from dunaia_env.table.room import Opened, Room

T = TypeVar("T")

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "ttf": "font/ttf",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
LOBBY, TABLE, ANALYSIS, REFUSAL = "lobby.html", "table.html", "analysis.html", "refusal.html"
MOST_OF_AN_ACTION = 200
# Largest number of links whose events share a connection.
MOST_LINKS = 40
_BURST = 100
_FONTS = (".ttf", ".woff2")


def package_files() -> dict[str, bytes]:
    """The files of the pages, by name: those in the package's own folders, and no others."""
    folders = (resources.files("dunaia_env.table") / "static", resources.files("dunaia_env.render") / "fonts")
    return {
        path.name: path.read_bytes()
        for folder in folders
        for path in folder.iterdir()
        if path.is_file() and path.name.rpartition(".")[2] in TYPES
    }


class Site:
    """The answers to all requests.

    Args:
        room: room with the tables.
        analyses: analyses of games.
        analyst: gives advice.
        limits: limits on sizes and rates.
        files: files of the pages, by name.
    """

    def __init__(
        self, room: Room, analyses: Analyses, analyst: Analyst, limits: Limits, files: Mapping[str, bytes]
    ) -> None:
        self._room, self._analyses, self._analyst, self._limits = room, analyses, analyst, limits
        self._files = {name: (content, f'"{hashlib.sha256(content).hexdigest()}"') for name, content in files.items()}
        self._links = Rate(limits.link_requests, 5 * limits.link_requests)
        self._openings = Rate(limits.client_tables, _BURST * limits.client_tables)
        self._askings = Rate(limits.client_analyses, _BURST * limits.client_analyses)
        self._pages = AtOnce(limits.link_connections)
        self._replays = asyncio.Semaphore(2)
        self._puzzles = Puzzles(analyses, room, analyst)

    def routes(self) -> list[Route]:
        """The routes, with the function that answers each."""

        def api(path: str, answer: Callable[[Request], Awaitable[Response]], method: str = "GET") -> Route:
            async def timed(request: Request) -> Response:
                try:
                    async with asyncio.timeout(self._limits.answer_seconds + self._limits.message_seconds):
                        return await answer(request)
                except TimeoutError:
                    raise RefusedError(UNAVAILABLE, "the server is too busy; try again", wait=5) from None

            return Route(path, timed, methods=[method])

        return [
            api("/", partial(self._page, LOBBY)),
            api("/t/{token}", self._table_page),
            api("/analysis", partial(self._page, ANALYSIS)),
            api("/a/{token}", self._analysis_page),
            api("/static/{file}", self._static),
            api("/api/games", self._games),
            api("/api/tables", self._open, "POST"),
            api("/api/tables/resume", self._resume, "POST"),
            api("/api/tables/status", self._statuses, "POST"),
            Route("/api/events", self._shared_events),
            api("/api/t/{token}", self._snapshot),
            api("/api/t/{token}/positions/{number}", self._position),
            Route("/api/t/{token}/events", self._events),
            api("/api/t/{token}/decide", self._decide, "POST"),
            api("/api/t/{token}/resign", self._resign, "POST"),
            api("/api/t/{token}/return", self._return, "POST"),
            api("/api/t/{token}/replace", self._replace, "POST"),
            api("/api/t/{token}/undo", self._undo, "POST"),
            api("/api/t/{token}/rematch", self._rematch, "POST"),
            api("/api/t/{token}/pace", self._pace, "POST"),
            api("/api/t/{token}/again", self._again, "POST"),
            api("/api/t/{token}/coach", self._coach, "POST"),
            api("/api/t/{token}/replay", self._replay),
            api("/api/analyses", self._analyse, "POST"),
            api("/api/a/{token}", self._analysis),
            api("/api/a/{token}/positions/{number}", self._analysed_position),
            api("/api/a/{token}/puzzles/{number}", self._puzzle),
            api("/api/a/{token}/puzzles/{number}", self._solve, "POST"),
        ]

    # Pages

    async def _page(self, name: str, request: Request) -> Response:
        return self._file(name, request)

    async def _table_page(self, request: Request) -> Response:
        self._room.find(request.path_params["token"])
        return self._file(TABLE, request)

    async def _analysis_page(self, request: Request) -> Response:
        self._analyses.find(request.path_params["token"])
        return self._file(ANALYSIS, request)

    async def _static(self, request: Request) -> Response:
        return self._file(request.path_params["file"], request)

    def _file(self, name: str, request: Request) -> Response:
        if name not in self._files or name == REFUSAL:
            raise RefusedError(UNKNOWN, "there is no such page")
        content, tag = self._files[name]
        kept = "max-age=604800" if name.endswith(_FONTS) else "no-cache"
        headers = {"etag": tag, "cache-control": kept}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers | {"content-type": TYPES[name.rpartition(".")[2]]})

    # Tables

    async def _games(self, request: Request) -> Response:
        language = messages.language_of(request)
        return _json({"games": [offer.to_json(language) for offer in self._room.offers.values()]})

    async def _open(self, request: Request) -> Response:
        self._openings.take(_client(request))
        wanted = await self._read(request, Opening)
        offer = self._room.offer(wanted.game)
        opened = await self._room.open(
            offer,
            wanted.options,
            messages.seats_of(wanted.seats),
            seed=wanted.seed,
            coach=wanted.coach,
            clock=wanted.clock,
        )
        return _links(opened)

    async def _resume(self, request: Request) -> Response:
        self._openings.take(_client(request))
        wanted = await self._read(request, Resuming, self._limits.replay_bytes)
        async with self._replays:
            return _links(await resume(self._room, self._analyses, wanted, self._links.take))

    async def _snapshot(self, request: Request) -> Response:
        role = self._role(request)
        return await self._snapshot_of(role, request)

    async def _snapshot_of(self, role: tables.Role, request: Request, *, whole: bool = False) -> Response:
        """The table as a link shows it, with the log since the entry that the request names, or with all of it."""
        since = -1 if whole else messages.number_of(request.query_params.get("since", "-1"), "since")
        language, token = messages.language_of(request), request.path_params["token"]
        role.table.looked_at(role.seat)
        self._room.wake(role.table)
        moment = role.table.moment()
        rematch = f"/t/{tables.next_token(token)}" if self._room.rematch_of(role) is not None else None
        return await self._room.draw(lambda: _json(snapshot(role, moment, language, since) | {"rematch": rematch}))

    async def _statuses(self, request: Request) -> Response:
        """Whose turn it is at several tables, for the lobby; None for links of tables that are gone."""
        links = dict.fromkeys((await self._read(request, Statuses)).links)
        if len(links) > MOST_LINKS:
            raise RefusedError(MALFORMED, f"links: expected at most {MOST_LINKS}, got {len(links)}")
        moments, language = {}, messages.language_of(request)
        for link in links:
            if role := self._room.known(link):
                self._links.take(role.digest)
                moments[link] = role, role.table.moment()

        def told() -> Response:
            found = {link: status(*moments[link], language) if link in moments else None for link in links}
            return _json({"tables": found})

        return await self._room.draw(told)

    async def _position(self, request: Request) -> Response:
        role, language = self._role(request), messages.language_of(request)
        number, version = messages.number_of(request.path_params["number"], "positions"), role.table.version
        showing, seat, is_over = role.table.showing, role.seat, role.table.is_over

        def drawn() -> Response:
            made = showing.made_before(number, version, seat)
            scores = showing.standing(made, seat)["scores"]
            deciding = showing.decider(made, None if is_over else seat)
            return _json({**showing.position(made, seat, language), "scores": scores, "deciding": deciding})

        return await self._room.draw(drawn)

    async def _events(self, request: Request) -> Response:
        """The events of one link, for a page with a connection of its own."""
        return self._stream([events.Listener(role := self._role(request), self._known_of(role))])

    async def _shared_events(self, request: Request) -> Response:
        """The events of several links, for all pages of a browser; links of tables that are gone are left out."""
        links = list(dict.fromkeys(request.query_params.getlist("link")))
        if not 0 < len(links) <= MOST_LINKS:
            raise RefusedError(MALFORMED, f"link: expected 1 to {MOST_LINKS} links, got {len(links)}")
        listeners = []
        for link in links:
            if role := self._room.known(link):
                self._links.take(role.digest)
                listeners.append(events.Listener(role, self._known_of(role), link))
        if not listeners:
            raise RefusedError(UNKNOWN, "there is no table with these links")
        return self._stream(listeners)

    def _known_of(self, role: tables.Role) -> Callable[[], Awaitable[events.Known]]:
        async def known() -> events.Known:
            moment = role.table.moment()
            rematch = self._room.rematch_of(role) is not None
            return await self._room.draw(partial(events.known_of, role, moment, rematch=rematch))

        return known

    def _stream(self, listeners: list[events.Listener]) -> Response:
        return events.EventStream(listeners, self._pages, self._room.closing)

    async def _decide(self, request: Request) -> Response:
        role, language = self._role(request), messages.language_of(request)
        role.table.showing.wording(language)
        wanted = await self._read(request, Deciding)
        _check_length(wanted.action)
        messages.number_of(request.query_params.get("since", "-1"), "since")  # is refused before anything is done
        await self._room.decide(role, wanted.version, wanted.action, wanted.undone)
        return await self._snapshot_of(role, request)

    async def _resign(self, request: Request) -> Response:
        role = self._role(request)
        agent = (await self._read(request, Resigning)).agent
        await self._room.change(role.table, lambda _: people.resigned(role.table, role.seat, agent))
        return await self._snapshot_of(role, request, whole=True)

    async def _return(self, request: Request) -> Response:
        role = self._role(request)
        await self._read(request, Nothing)
        await self._room.change(role.table, lambda _: people.returned(role.table, role.seat))
        return await self._snapshot_of(role, request, whole=True)

    async def _replace(self, request: Request) -> Response:
        role = self._role(request)
        wanted = await self._read(request, Replacing)
        is_opener = tables.is_key_of(wanted.key, role.table)
        if wanted.key and not is_opener:
            raise RefusedError(FORBIDDEN, "key: expected that of whoever opened the table")

        def records(moment: tables.Moment) -> list[storage.Record]:
            return people.seated(role, moment, wanted.seat, wanted.agent, is_opener=is_opener)

        await self._room.change(role.table, records)
        return await self._snapshot_of(role, request, whole=True)

    async def _undo(self, request: Request) -> Response:
        role = self._role(request)
        wanted = await self._read(request, Undoing)

        def records(moment: tables.Moment) -> list[storage.Record]:
            return people.undone(role, moment, wanted.asked, wanted.undone, agrees=wanted.agrees)

        await self._room.change(role.table, records)
        return await self._snapshot_of(role, request, whole=True)

    async def _rematch(self, request: Request) -> Response:
        role, token = self._role(request), request.path_params["token"]
        await self._read(request, Nothing)
        link = f"/t/{tables.next_token(token)}"
        if self._room.rematch_of(role) is None:
            self._openings.take(_client(request))
        await self._room.rematch(role)
        return _json({"link": link}, 201)

    async def _pace(self, request: Request) -> Response:
        role = self._role(request)
        wanted = await self._read(request, Pace)
        if not 0 <= wanted.seconds <= tables.MOST_PACE_SECONDS:
            raise RefusedError(
                NOT_ALLOWED,
                "seconds: {seconds:g}; 0 to {most:g} are allowed",
                seconds=wanted.seconds,
                most=tables.MOST_PACE_SECONDS,
            )
        self._room.set_pace(role, paused=wanted.paused, seconds=wanted.seconds, step=wanted.step)
        return await self._snapshot_of(role, request, whole=True)

    async def _again(self, request: Request) -> Response:
        role = self._role(request)
        await self._read(request, Nothing)
        self._room.try_again(role)
        return await self._snapshot_of(role, request, whole=True)

    async def _coach(self, request: Request) -> Response:
        role, language = self._role(request), messages.language_of(request)
        await self._read(request, Nothing)
        table, seat = role.table, role.seat
        if not table.header.coach:
            raise RefusedError(FORBIDDEN, "coach: there is no advice at this table")
        moment = table.moment()
        now = moment.version, moment.undone
        if seat is None or moment.deciding != seat:
            raise RefusedError(FORBIDDEN, "coach: advice is given to the seat that decides")

        def told(advice: dict[str, Any]) -> Response:
            texts = [action["action"] for action in advice["actions"]]
            words = moment.showing.imperatives(moment.version, texts, seat, language)
            actions = [one | {"imperative": said} for one, said in zip(advice["actions"], words, strict=True)]
            version = moment.showing.number_for(moment.version, seat)
            told_of = {name: advice.get(name) for name in ("chances", "indifferent")}
            told_of |= naming.judges(advice, language)
            return _json(told_of | {"version": version, "actions": actions})

        try:
            async with table.advising:  # whoever asks again waits for the same answer
                if table.advice is None or table.advice[0] != now:
                    work = partial(self._analyst.advise, moment.showing.state(moment.version).view(seat))
                    table.advice = now, await self._room.thinkers.run(f"advice {table.name}", "advice", work)
                advice = table.advice[1]
            return await self._room.draw(partial(told, advice))
        except ValueError:
            raise RefusedError(NOT_ALLOWED, "coach: nobody can give advice on this game") from None
        except thinking.TooLongError:
            raise RefusedError(UNAVAILABLE, "coach: the advice has taken too long", wait=5) from None

    async def _replay(self, request: Request) -> Response:
        table = self._role(request).table
        if not table.may_download():
            raise RefusedError(FORBIDDEN, "replay: several people play; before the end its seed would tell the future")
        content = await self._room.draw(table.replay)
        name = f"{table.offer.game.name}-{table.name[:8]}.jsonl"
        headers = {"content-disposition": f'attachment; filename="{name}"', "content-type": "application/jsonl"}
        return Response(content, headers=headers)

    # Analyses

    async def _analyse(self, request: Request) -> Response:
        self._askings.take(_client(request))
        wanted = await self._read(request, Analysing, self._limits.replay_bytes)
        if (wanted.replay is None) == (wanted.table is None):
            raise RefusedError(MALFORMED, "replay, table: expected one of them")
        if wanted.table is not None:
            table = self._room.find(wanted.table).table
            if not table.is_over:
                raise RefusedError(CONFLICT, "table: the game is not over")
            text = await self._room.draw(table.replay)
        else:
            text = messages.text_of(wanted.replay)
        async with self._replays:
            token = await self._analyses.ask(text)
        return _json({"link": f"/a/{token}"}, 202)

    async def _analysis(self, request: Request) -> Response:
        job, language = self._analyses.find(request.path_params["token"]), messages.language_of(request)
        return await self._room.draw(lambda: _json(self._analyses.overview(job, language)))

    async def _analysed_position(self, request: Request) -> Response:
        job, language = self._analyses.find(request.path_params["token"]), messages.language_of(request)
        number = messages.number_of(request.path_params["number"], "positions")
        return await self._room.draw(lambda: _json(self._analyses.position(job, number, language)))

    async def _puzzle(self, request: Request) -> Response:
        job, number, language = self._puzzle_of(request)
        return await self._room.draw(lambda: _json(self._puzzles.show(job, number, language)))

    async def _solve(self, request: Request) -> Response:
        job, number, language = self._puzzle_of(request)
        self._links.take(job.digest)
        action = (await self._read(request, Solving)).action
        _check_length(action)
        return _json(await self._puzzles.solve(job, number, action, language))

    def _puzzle_of(self, request: Request) -> tuple[Job, int, str]:
        job, language = self._analyses.find(request.path_params["token"]), messages.language_of(request)
        return job, messages.number_of(request.path_params["number"], "puzzles"), language

    # What requests have in common

    def _role(self, request: Request) -> tables.Role:
        role = self._room.find(request.path_params["token"])
        self._links.take(role.digest)
        return role

    async def _read(self, request: Request, kind: type[T], most: int | None = None) -> T:
        content = await guard.read_json(request, most or self._limits.message_bytes, self._limits.message_seconds)
        return messages.built(kind, content)


def snapshot(role: tables.Role, moment: tables.Moment, language: str, since: int) -> dict[str, Any]:
    """A table as a link shows it; meant to be called in threads.

    Args:
        role: role of the link.
        moment: moment of the table.
        language: language of the texts.
        since: number of the last entry of the log that is known already; -1 for none.
    """
    table, seat, made = role.table, role.seat, moment.version
    showing, seats, clock = moment.showing, table.header.seats, table.header.clock
    introduction = showing.wording(language).introduction
    is_own = seat is not None and moment.deciding == seat and moment.agents[seat] is None
    choice = showing.choice(made, seat, language) if is_own and seat is not None else None
    shown = showing.position(made, seat, language)
    # Pieces that are not drawn are chosen by buttons, which need texts too.
    texts = {} if choice is None else choice.pop("pieces")
    deciding = None if moment.deciding is None else showing.decider(made, seat)
    return {
        "version": showing.number_for(made, seat),
        "undone": moment.undone,
        "game": table.header.game,
        "title": showing.wording(language).title,
        "has_primer": bool(introduction and introduction.lessons),
        "after_turn": introduction.after_turn if introduction else "",
        "unit": showing.unit(language),
        "role": {"seat": seat},
        "names": showing.names(language),
        "emblems": showing.emblems(),
        "kinds": [chosen.kind for chosen in seats],
        "agents": moment.agents,
        "instead": [
            None if first.kind == storage.AGENT and first.name == agent else agent
            for first, agent in zip(seats, moment.agents, strict=True)
        ],
        "connected": moment.connected,
        **shown,
        "pieces": shown["pieces"] | texts,
        "deciding": deciding,
        "thinking": moment.thinking and deciding is not None,
        "problem": None if moment.problem is None else moment.problem.told(language),
        "choice": choice,
        "log": [entry for entry in showing.log(made, seat, language) if entry["number"] > since],
        "notes": [_note(note, showing.number_for(note.made, seat)) for note in moment.notes],
        **showing.standing(made, seat),
        "outcome": showing.outcome(made, language) if moment.deciding is None else None,
        # What the clock leaves is told only with who decides: it begins again with every decision.
        "clock": None if clock is None else asdict(clock) | {"left": None if deciding is None else moment.left},
        "pace": moment.pace,
        "may_seat": people.open_seats(role, moment)._asdict(),
        "may_undo": seat is not None and moment.undoable[seat],
        "request": _request(role, moment),
        "playable": table.offer.agents,
        "programs": naming.programs((*table.offer.agents, *_agents_of(table, moment)), language),
        "proposed": table.offer.proposed(table.header.options),
        "coach": table.header.coach,
        "may_download": moment.may_download,
    }


def _request(role: tables.Role, moment: tables.Moment) -> dict[str, Any] | None:
    """Who asks for an undo, and who has not agreed yet; not how far the game would go back, which may be secret."""
    if moment.request is None:
        return None
    asked = people.asked_for_undo(role.table, moment)
    return {"seat": moment.request.seat, "waiting": sorted(asked - moment.request.agreed)}


def _agents_of(table: tables.Table, moment: tables.Moment) -> Iterator[str | None]:
    """The agents that a table names, which may not be offered any more."""
    yield from moment.agents
    if table.header.clock is not None:
        yield table.header.clock.agent
    for note in moment.notes:
        if isinstance(note.record, storage.Seating):
            yield note.record.agent


def _note(note: tables.Note, number: int) -> dict[str, Any]:
    """What has happened besides decisions, with the seat's number of the position at which it did."""
    record = note.record
    if isinstance(record, storage.Undo):
        return {"number": number, "reason": "undone", "seat": record.seat, "agent": "", "by": record.seat}
    return {"number": number, "reason": record.reason, "seat": record.seat, "agent": record.agent, "by": record.by}


def status(role: tables.Role, moment: tables.Moment, language: str) -> dict[str, Any]:
    """What the lobby tells of a table, as far as a link may know it; meant to be called in threads.

    Args:
        role: role of the link.
        moment: moment of the table.
        language: language of the title and the names.
    """
    deciding = None if moment.deciding is None else moment.showing.decider(moment.version, role.seat)
    return {
        "title": moment.showing.wording(language).title,
        "names": moment.showing.names(language),
        "seat": role.seat,
        "deciding": deciding,
        "agents": moment.agents,
        "over": moment.deciding is None,
        "problem": None if moment.problem is None else moment.problem.told(language),
    }


def _json(content: object, status: int = 200) -> Response:
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, status, media_type="application/json")


def _links(opened: Opened) -> Response:
    seats = [{"seat": seat, "link": f"/t/{token}"} for seat, token in opened.seats.items()]
    watch = None if opened.watcher is None else f"/t/{opened.watcher}"
    return _json({"seats": seats, "watch": watch, "key": opened.key}, 201)


def _check_length(action: str) -> None:
    if len(action) > MOST_OF_AN_ACTION:
        raise RefusedError(MALFORMED, f"action: at most {MOST_OF_AN_ACTION} characters are allowed")


def _client(request: Request) -> str:
    return client_key(request.client.host if request.client else None)


def make_app(
    folder: storage.Folder,
    room: Room,
    analyst: Analyst,
    hosts: addresses.Hosts,
    *,
    files: Mapping[str, bytes] | None = None,
) -> ASGIApp:
    """The server as an ASGI application, which loads all tables when it starts.

    Args:
        folder: folder in which tables are kept.
        room: room of the tables, not started yet.
        analyst: judges games.
        hosts: names under which the server may be reached.
        files: files of the pages, by name; None for the package's own.
    """
    analyses = Analyses(folder, room, analyst)
    files = package_files() if files is None else files
    site = Site(room, analyses, analyst, room.limits, files)

    @contextlib.asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        await room.start()
        await analyses.start()
        try:
            yield
        finally:
            await analyses.close()
            await room.close()

    router = Router(site.routes(), redirect_slashes=False, lifespan=lifespan)

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = router  # with it the router raises its refusals, and the guard answers them
        await router(scope, receive, send)

    return guard.Guard(run, room.limits, hosts, files[REFUSAL].decode("utf-8") if REFUSAL in files else None)
