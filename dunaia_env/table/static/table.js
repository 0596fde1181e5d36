// A table: shows every change of it step by step, asks for the decisions of this seat, and sends them.

import { get, getText, onSlow, post } from "./api.js";
import { Decision } from "./decision.js";
import { byId, h, remember, remembered, saveText, seatMark, showMessage } from "./dom.js";
import { onLanguage, sentence, start, stopped, t } from "./i18n.js";
import { Guide } from "./guide.js";
import { Log, changeOf, changesOf, isApart } from "./log.js";
import { NoticeCard } from "./notice.js";
import { Coach, Pace, showPlayers, showResult } from "./panel.js";
import { PlayOn } from "./onward.js";
import { showPrimer } from "./primer.js";
import { Picture, connectZoom } from "./picture.js";
import { bringIntoSight, motion } from "./sight.js";
import { Since } from "./since.js";
import { formerLink, linkList, withTable } from "./links.js";
import { Countdown, Seats, notesOf, showAway, showRequest } from "./people.js";
import { listen } from "./stream.js";
import { setUpCalls, showTurn } from "./turn.js";

const token = location.pathname.split("/").filter(Boolean).pop();
const base = `/api/t/${token}`;
const RETRY = 2500; // ms between attempts to reach the server again

const picture = new Picture(byId("stage"), { describe: (piece) => decision.describe(piece) });
const notice = new NoticeCard(byId("notice"));
const log = new Log(byId("log"), byId("log-newest"), (position) => look(position), (entry) => {
  notice.add(entry, now.role.seat, now.names);
  since.add(entry, now.role.seat);
});
const since = new Since(byId("since"), () => showLog());
const decision = new Decision(byId("decision"), picture, decide);
const coach = new Coach(byId("coach"), { ask: () => post(`${base}/coach`), choose: (action) => decision.choose(action) });
const guide = new Guide(byId("guide"));
const pace = new Pace(byId("pace"), setPace);
const clock = new Countdown(byId("clock"));
const playOn = new PlayOn({ table: token });
const takeSeatBack = () => act("return");
const seats = new Seats(byId("seats-list"), {
  resign: (agent) => act("resign", { agent }),
  back: takeSeatBack,
  replace: (seat, agent) => act("replace", { seat, agent, key: key() }),
});

let now = null; // the newest snapshot
let shown = 0; // the position that the picture has reached
let scores = []; // those of the players' list
let progress = null; // likewise
let looking = null; // the position that the user looks back at
let lookedAt = null; // what the server says of it
let playing = false; // whether steps are being shown
let skip = null; // ends the pause of the present step
let pending = []; // entries of the log whose step was not shown yet
let asked = null; // the question that was last brought into sight
const positions = new Map();

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const speed = () => Number(remembered("speed", calm.matches ? 0 : 1.2));

/* What the server says */

let fetching = false;
let again = false;

/** Fetches the newest snapshot; calls that come while one is under way are answered by one more. */
async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    do {
      again = false;
      const known = pending.length ? pending[pending.length - 1].number : log.last;
      await receive(await get(base, known >= 0 ? { since: known } : {}));
      reached(true);
    } while (again);
  } catch (error) {
    if (error.status === 0) reached(false);
    else fail(error);
  } finally {
    fetching = false;
  }
}

function fail(error) {
  showMessage(error.message);
  if (error.status === 404 && !now) {
    ticker(null, h("a", { href: "/", text: t("lobby.back") }));
  }
}

function receive(snapshot) {
  const first = now === null;
  if (!first && snapshot.undone !== now.undone) return snapshot.undone > now.undone ? restart() : undefined;
  if (!first && snapshot.version < now.version) {
    if (snapshot.version < shown) return location.reload(); // the table went back: nothing here is true any more
    return undefined;
  }
  now = snapshot;
  const known = pending.length ? pending[pending.length - 1].number : log.last;
  const fresh = snapshot.log.filter((entry) => entry.number > known);
  pending.push(...fresh);
  guide.note(fresh);
  byId("title").textContent = snapshot.title;
  byId("open-primer").hidden = !snapshot.has_primer;
  if (first) {
    shown = snapshot.version;
    byId("log").setAttribute("aria-busy", "true");
    appendAll();
    byId("log").setAttribute("aria-busy", "false");
  }
  pace.show(snapshot);
  clock.show(snapshot);
  seats.show(snapshot, key());
  if (looking === null && !playing) advance();
  return undefined;
}

let restarting = false;

/** The game went back: what the page knows of it is not true any more. */
async function restart() {
  if (restarting) return;
  restarting = true;
  try {
    const snapshot = await get(base);
    skipped = true;
    skip?.();
    while (playing) await new Promise((resolve) => setTimeout(resolve, 10));
    forget();
    decision.hide();
    since.hide();
    receive(snapshot);
  } catch (error) {
    if (error.status === 0) reached(false);
    else fail(error);
  } finally {
    restarting = false;
  }
}

function forget() {
  log.clear();
  notice.clear();
  since.clear();
  pending = [];
  positions.clear();
  now = null;
  looking = null;
}

function appendAll() {
  for (const entry of pending) log.append(entry, now.names, now.role.seat);
  pending = [];
}

/** The picture after `k` decisions. */
function position(k) {
  const key = `${k} ${document.documentElement.lang}`;
  if (!positions.has(key)) {
    const answer = get(`${base}/positions/${k}`);
    answer.catch(() => positions.delete(key));
    positions.set(key, answer);
    if (positions.size > 400) positions.delete(positions.keys().next().value);
  }
  return positions.get(key);
}

/* What is shown */

function ticker(seat, ...parts) {
  const text = byId("ticker-text");
  text.replaceChildren(...(seat === null || seat === undefined ? [] : [seatMark(seat)]), ...parts);
}

function pause(seconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    skip = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function show(content, flash = true) {
  try {
    const changed = picture.show(content);
    if (flash && changed.length) picture.flash(changed);
  } catch (error) {
    showMessage(error.message);
  }
}

/** Lists the players as they stand in the shown position; scores and progress stay what they were if none are given. */
function listPlayers(position) {
  scores = position.scores ?? scores;
  progress = position.progress ?? progress ?? now.progress;
  showPlayers(byId("players"), { ...now, ...position, scores, progress });
}

/** Takes away what is about the present alone, while another position is shown. */
function leavePresent() {
  decision.hide();
  since.hide();
  guide.hide();
  coach.reset();
  listPlayers({ deciding: null });
  byId("undo").hidden = true;
  byId("ticker").classList.remove("asking");
}

let skipped = false;

/** Shows what has happened since the shown position, decision by decision, and then the present. */
async function advance() {
  if (playing) return;
  if (shown >= now.version || speed() === 0) {
    present();
    return;
  }
  playing = true;
  skipped = false;
  leavePresent();
  picture.clear();
  if (asked !== null) bringIntoSight(byId("ticker"), byId("stage")); // after the person's decision, what the others do
  asked = null;
  try {
    while (shown < now.version && looking === null && !skipped) {
      const k = shown + 1;
      const entry = pending.find((candidate) => candidate.number === shown);
      const end = k === now.version;
      if (!end && k + 1 < now.version) position(k + 1).catch(() => null);
      byId("replay-tools").hidden = now.version - shown < 2;
      const content = end ? now : await position(k);
      if (looking !== null) break;
      show(content);
      shown = k;
      while (pending.length && pending[0].number < k) log.append(pending.shift(), now.names, now.role.seat);
      if (entry) {
        describe(entry);
        listPlayers({ scores: content.scores, progress: content.progress, deciding: null, acting: entry.seat });
      }
      const own = entry && entry.seat === now.role.seat && !entry.changes?.length;
      if (!entry) continue; // nothing happened that this seat may know
      const wait = now.pace ? Math.min(speed(), now.pace.seconds) : speed();
      await pause(wait * (own ? 0.3 : 1) * (end ? 0.6 : 1));
    }
  } catch (error) {
    if (error.status === 0) reached(false);
  } finally {
    playing = false;
    byId("replay-tools").hidden = true;
  }
  if (looking === null) present();
}

/** Leads to the log. */
function showLog() {
  byId("log").focus({ preventScroll: true });
  byId("log").scrollIntoView({ block: "nearest", behavior: motion() });
}

function describe(entry) {
  const name = entry.seat === null ? "" : now.names[entry.seat];
  const { seat: own } = now.role;
  const changes = entry.changes ?? [];
  const told = changesOf(changes.filter((change) => !isApart(change, own)), entry.seat, now.names, own);
  // The last lines of what is long are cut off.
  const first = changes.filter((change) => isApart(change, own)).map((change) => h("strong", { text: `${changeOf(change, null, now.names, own)} ` }));
  ticker(entry.seat, ...first, h("b", { text: name }), ` ${stopped(entry.text)} `, h("span", { class: "ticker-changes", text: told.join(" ") }));
}

/** Shows the present: what this seat is asked, or for whom the table waits. */
function present() {
  byId("look-tools").hidden = true;
  listPlayers(now);
  show(now, shown < now.version);
  shown = now.version;
  appendAll();
  log.mark(null);
  log.setNotes(notesOf(now));
  keepProgress();
  const mine = Boolean(now.choice) && !now.over && !now.request;
  showTurn(mine, now.title, now.choice?.question);
  byId("undo").hidden = !now.may_undo || Boolean(now.request);
  showRequest(byId("request"), now, (agrees) => act("undo", { undone: now.undone, asked: now.request.seat, agrees }));
  showAway(byId("away"), now, takeSeatBack);
  byId("download").hidden = now.version === 0 || now.may_download === false;
  showProblem();
  if (now.over) showEnd();
  else byId("result").hidden = true;
  byId("ticker").classList.toggle("asking", mine);
  guide.show(now);
  if (mine) {
    ticker(now.role.seat, h("b", { text: t("turn.yours") }), ` ${now.choice.question}`);
    decision.show(now.choice, now.names[now.role.seat], { focus: true });
    since.show(now.names, now.role.seat, notice.shown);
    const question = `${now.undone} ${now.version}`;
    if (asked !== question) picture.revealBelow(bringIntoSight(byId("decision"), byId("stage"), byId("guide")));
    asked = question;
  } else {
    since.hide();
    decision.hide();
    if (now.over) ticker(null, h("b", { text: t("over") }));
    else if (now.pace?.paused) ticker(null, h("b", { text: t("pace.paused") }));
    else if (now.request) ticker(now.request.seat, t("undo.asked", { name: now.names[now.request.seat] }));
    else if (now.deciding !== null) {
      const text = t(now.thinking ? "turn.thinks" : "turn.theirs", { name: now.names[now.deciding] });
      ticker(now.deciding, h("span", { class: now.thinking ? "dots" : "", text }));
    } else ticker(null, t("turn.others"));
    if (picture.explored) picture.explore(true);
    picture.reveal([]);
  }
  coach.show(now);
  const turn = byId("turn");
  const spoken = mine ? `${t("turn.yours")} ${now.choice.question}` : byId("ticker-text").textContent;
  if (turn.textContent !== spoken) turn.textContent = spoken;
}

/** What keeps the table from going on, and a way to try again. */
function showProblem() {
  const place = byId("problem");
  place.hidden = !now.problem;
  if (!now.problem) return place.replaceChildren();
  const again = h("button", { type: "button", text: t("problem.again"), onclick: () => act("again") });
  const others = h("button", { type: "button", text: t("problem.seats"), onclick: () => byId("seats").showModal() });
  return place.replaceChildren(h("h2", { text: t("problem") }), h("p", { text: sentence(now.problem) }), h("div", { class: "buttons" }, again, others));
}

function showEnd() {
  const result = byId("result");
  const fresh = result.hidden;
  showResult(result, now, [
    ...(now.rematch ? [["result.join", "primary", () => (location.href = now.rematch)]] : []),
    now.rematch ? ["result.analyse", "", analyse] : ["result.analyse", "primary", analyse],
    ...(now.rematch || (now.role.seat === null && now.kinds.includes("person")) ? [] : [["result.rematch", "", rematch]]),
    ["result.again", "", () => (location.href = "/")],
    ...(now.may_download === false ? [] : [["replay.download", "", download]]),
  ]);
  if (!fresh) return;
  if (document.activeElement === document.body) result.focus({ preventScroll: true });
  bringIntoSight(result, byId("stage"));
}

/** Looks back at the position after `k` decisions. */
async function look(k) {
  if (k < 0 || k > now.version) return;
  if (k === now.version && looking !== null) return back();
  const near = Math.abs(k - (looking ?? shown)) === 1;
  looking = k;
  notice.look(k);
  log.mark(k); // before the answer arrives, so that going back early still leads to the end of the log
  skip?.();
  leavePresent();
  byId("look-tools").hidden = false;
  byId("look-back").disabled = k === 0;
  byId("play-on").hidden = true;
  try {
    const answer = await position(k);
    if (looking !== k) return;
    show(answer, near);
    listPlayers({ scores: answer.scores, progress: answer.progress, deciding: null });
    ticker(null, h("b", { text: t("look.at", { number: k, all: now.version }) }));
    lookedAt = answer;
    const from = playedOnFrom(k);
    byId("play-on").hidden = !now.over || answer.deciding === null || from === null;
    byId("play-on").textContent = t(from === k ? "onward" : "onward.later");
    if (picture.explored) picture.explore(true);
  } catch (error) {
    showMessage(error.message);
  }
}

/** The position from which a game is played on: one's own next decision, or what a spectator looks at; null if there is none. */
const playedOnFrom = (k) => (now.role.seat === null || lookedAt.deciding === now.role.seat ? k : log.nextDecision(now.role.seat, k));

function askToPlayOn() {
  const number = playedOnFrom(looking);
  playOn.ask({ ...now, number, isLater: number > looking, seat: now.role.seat ?? lookedAt.deciding });
}

function back() {
  looking = null;
  notice.look(null);
  byId("look-tools").hidden = true;
  show(now, false);
  if (!playing) advance();
}

/* What the user does */

async function decide(action) {
  try {
    const known = log.last;
    const snapshot = await post(`${base}/decide`, { version: now.version, undone: now.undone, action }, known >= 0 ? { since: known } : {});
    showMessage("");
    receive(snapshot);
  } catch (error) {
    // What is said of a lost connection goes when it is back.
    if (error.status === 0) reached(false);
    else showMessage(error.message);
    present();
    if (error.status === 409) refresh();
  }
}

/** Does something besides deciding, and shows what came of it. */
async function act(what, body = {}) {
  try {
    const snapshot = await post(`${base}/${what}`, body);
    showMessage("");
    receive(snapshot);
  } catch (error) {
    if (error.status === 0) reached(false);
    else showMessage(error.message);
    if (error.status === 409) refresh();
  }
}

async function rematch() {
  try {
    location.href = (await post(`${base}/rematch`)).link;
  } catch (error) {
    showMessage(error.message);
  }
}

async function setPace(wanted) {
  try {
    await post(`${base}/pace`, wanted);
    await refresh();
  } catch (error) {
    showMessage(error.message);
  }
}

/** Shows the rules of the game on one page. */
async function openPrimer() {
  try {
    showPrimer((await get("/api/games")).games.find((game) => game.name === now.game), now.title);
  } catch (error) {
    showMessage(error.message);
  }
}

async function download() {
  try {
    const name = `${now.game}-${new Date().toISOString().slice(0, 10)}.jsonl`;
    saveText(await getText(`${base}/replay`), name);
    showMessage(t(now.over ? "replay.saved" : "replay.saved.unfinished", { name }), "done");
  } catch (error) {
    showMessage(error.message);
  }
}

async function analyse() {
  try {
    const { link } = await post("/api/analyses", { table: token });
    location.href = now.role.seat === null ? link : `${link}?seat=${now.role.seat}`;
  } catch (error) {
    showMessage(error.message);
  }
}

/* The connection */

let retry = null;
let lost = false; // the server was not reached
let slow = false; // it has not answered for a while

function reached(yes) {
  if (lost === !yes) return;
  lost = !yes;
  document.body.classList.toggle("lost", lost);
  showConnection();
  if (lost) scheduleRetry();
}

/** Says over the page why nothing happens, as long as nothing does. */
function showConnection() {
  const place = byId("connection");
  place.hidden = !lost && !slow;
  place.textContent = lost ? t("connection.lost") : slow ? t("connection.slow") : "";
}

function scheduleRetry() {
  if (retry !== null) return;
  retry = setTimeout(() => {
    retry = null;
    refresh(); // which says so if the server is back
    if (lost) scheduleRetry();
  }, RETRY);
}

onSlow((yes) => {
  slow = yes;
  showConnection();
});

/* Settings, size, links */

function setUp() {
  byId("speed").value = String(speed());
  byId("speed").addEventListener("change", () => remember("speed", byId("speed").value));
  byId("no-ask").checked = remembered("noAsk", false);
  byId("no-ask").addEventListener("change", () => remember("noAsk", byId("no-ask").checked));
  byId("explore").checked = remembered("explore", false);
  picture.explored = byId("explore").checked;
  byId("explore").addEventListener("change", () => {
    remember("explore", byId("explore").checked);
    picture.explore(byId("explore").checked);
  });
  byId("open-settings").addEventListener("click", () => byId("settings").showModal());
  setUpCalls();
  byId("undo").addEventListener("click", () => act("undo", { undone: now.undone }));
  byId("open-primer").addEventListener("click", openPrimer);
  byId("open-seats").addEventListener("click", () => byId("seats").showModal());
  byId("open-links").addEventListener("click", () => byId("links").showModal());
  byId("download").addEventListener("click", download);
  byId("skip").addEventListener("click", () => {
    skipped = true;
    skip?.();
  });
  byId("present").addEventListener("click", back);
  byId("play-on").addEventListener("click", askToPlayOn);
  byId("look-back").addEventListener("click", () => look(looking - 1));
  byId("look-on").addEventListener("click", () => look(looking + 1));
  connectZoom(picture);
  showLinks();
}

const has = (table, link) => [table.watch, ...table.seats.map((seat) => seat.link)].includes(link);
const isThis = (table) => has(table, `/t/${token}`);

/** The key of whoever opened the table, if this browser did; a rematch has the same. */
const key = () => remembered("recent", []).find(isThis)?.key ?? "";

/** Keeps a table that was opened through a link that somebody passed on. */
function keep() {
  const tables = remembered("recent", []);
  if (tables.some(isThis)) return;
  const { seat } = now.role;
  const link = `/t/${token}`;
  const opened = { title: now.title, names: now.names, over: now.over, round: now.round, seats: seat === null ? [] : [{ seat, link }], watch: seat === null ? link : null, time: Date.now() };
  const former = tables.find((table) => has(table, formerLink(link)));
  if (former?.key) opened.key = former.key;
  remember("recent", withTable(tables, opened));
}

/** Lets the lobby tell how far the table has come. */
function keepProgress() {
  const tables = remembered("recent", []);
  const known = tables.find(isThis);
  if (!known || (known.over === now.over && known.round === now.round)) return;
  Object.assign(known, { over: now.over, round: now.round });
  remember("recent", tables);
}

function showLinks() {
  const known = remembered("recent", []).find(isThis);
  byId("open-links").hidden = !known || known.seats.length + (known.watch ? 1 : 0) < 2;
  if (known) byId("links-list").replaceChildren(...linkList(known, now?.names));
}

onLanguage(async () => {
  try {
    const snapshot = await get(base);
    const wasLooking = looking;
    forget(); // the present is shown first, so that all of the page speaks the new language
    picture.source = "";
    receive(snapshot);
    showLinks();
    if (wasLooking !== null) look(wasLooking);
  } catch (error) {
    showMessage(error.message);
  }
});

await start();
setUp();
await refresh();
if (now) {
  keep();
  showLinks();
}
listen(token, { changed: refresh, failed: refresh });
