// The analysis of a game: opens a replay, waits for the server's work, and steps through what it found.

import { get, post } from "./api.js";
import { Chart, legend } from "./chart.js";
import { byId, h, seatMark, showMessage } from "./dom.js";
import { capital, decimal, onLanguage, percent, sentence, start, stopped, t } from "./i18n.js";
import { noticeTable } from "./notice.js";
import { adviserText, ordered } from "./panel.js";
import { PlayOn } from "./onward.js";
import { Picture, connectZoom, moveSign } from "./picture.js";
import { Puzzles } from "./puzzles.js";
import { motion } from "./sight.js";

const POLL = 700; // ms
const LARGEST = 8e6; // characters of a replay
const SMALL = 0.005; // of the chance to win: below, a choice cost nothing worth naming
const MOST_MISTAKES = 5; // of a player that are listed at once
const TYPING = "input, textarea, select, [role=slider]";

const parts = location.pathname.split("/").filter(Boolean);
const token = parts[0] === "a" ? parts[1] : null;
const base = `/api/a/${token}`;
const playOn = token ? new PlayOn({ analysis: token }) : null;
const asker = Number.parseInt(new URLSearchParams(location.search).get("seat") ?? "", 10); // who asked at a table

let analysis = null;
let picture = null;
let charts = [];
let puzzles = null;
let answered = null; // the server's whole answer about the analysis
let ownSeat = null; // the person's own seat: the asker's, or the only one that no program played
let at = 0; // the shown position
const met = new Set(); // the mistakes whose better choice was shown in this visit
const positions = new Map();

/* Opening a replay */

async function submit(event) {
  event.preventDefault();
  const [file] = byId("file").files;
  if (file && file.size > LARGEST) return showMessage(t("resume.large"));
  const text = byId("paste").value.trim() || (file ? await file.text() : "");
  if (!text.trim()) return showMessage(t("analysis.empty"));
  byId("analyse").disabled = true;
  showMessage("");
  try {
    location.href = (await post("/api/analyses", { replay: `${text.trim()}\n` })).link;
  } catch (error) {
    showMessage(error.message);
  } finally {
    byId("analyse").disabled = false;
  }
  return undefined;
}

/* Waiting for it */

function showTitle(game) {
  const title = game ? `${t("analysis")} · ${game}` : t("analysis");
  byId("title").textContent = title;
  document.title = title;
}

function receive(answer) {
  answered = answer;
  const people = answer.agents.flatMap((agent, seat) => (agent === null ? [seat] : []));
  ownSeat = answer.agents[asker] !== undefined ? asker : people.length === 1 ? people[0] : null;
  return answer.analysis;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function wait() {
  byId("running").hidden = false;
  for (;;) {
    try {
      const answer = await get(base);
      showMessage("");
      showTitle(answer.title);
      if (answer.state === "done") return receive(answer);
      if (answer.state === "failed") {
        byId("running-title").textContent = t("analysis.failed");
        byId("progress").hidden = true;
        byId("progress-text").textContent = answer.error ?? "";
        return null;
      }
      byId("progress").value = answer.progress ?? 0;
      byId("progress-text").textContent = percent(answer.progress ?? 0);
    } catch (error) {
      showMessage(error.message);
      if (error.status !== 0 && error.status !== 429) return null;
    }
    await pause(POLL);
  }
}

/* Showing it */

const decisionAt = (k) => analysis.decisions.find((decision) => decision.number === k) ?? null;
const last = () => analysis.positions.length - 1;
/** A part of a win in percentage points. */
const points = (value) => decimal(Math.abs(value) * 100, 1);
const signed = (value) => `${value < 0 ? "−" : "+"}${points(value)}`;

function position(k) {
  const key = `${k} ${document.documentElement.lang}`;
  if (!positions.has(key)) {
    const answer = get(`${base}/positions/${k}`);
    answer.catch(() => positions.delete(key));
    positions.set(key, answer);
  }
  return positions.get(key);
}

function build() {
  byId("running").hidden = true;
  byId("board").hidden = false;
  byId("panel").hidden = false;
  byId("other").hidden = false;
  const { names, positions: all, mistakes } = analysis;
  const perSeat = (field) => names.map((_, seat) => all.map((one) => one[field][seat]));
  charts = [
    new Chart({ title: t("analysis.chances"), names, values: perSeat("chances"), format: (value) => percent(value), top: 1, marked: mistakes, onPick: go }),
    new Chart({ title: capital(analysis.unit.other), names, values: perSeat("scores"), format: (value) => decimal(value, 0), whole: true, onPick: go }),
  ];
  const help = h("p", { class: "hint", id: "chances-help", text: t("analysis.chances.help", { example: percent(0.62) }) });
  byId("charts").replaceChildren(charts[0].element, h("div", { id: "legend" }));
  byId("more-charts").replaceChildren(charts[1].element, help, mistakes.length ? h("p", { class: "hint" }, h("span", { class: "mistake-sign", "aria-hidden": "true", text: "▲" }), ` ${t("analysis.triangles")}`) : "");
  buildMistakes();
  buildTotals();
}

/** The mistakes of each seat, the largest first: the person's own seat, then the seat with the largest mistake. */
function mistakesBySeat() {
  const bySeat = new Map(ownSeat === null ? [] : [[ownSeat, []]]);
  for (const number of analysis.mistakes) {
    const { seat } = decisionAt(number);
    bySeat.set(seat, [...(bySeat.get(seat) ?? []), number]);
  }
  return [...bySeat].filter(([, numbers]) => numbers.length);
}

function mistakeRow(number) {
  const { cost, action, sentence: words } = decisionAt(number);
  const button = h("button", { type: "button", "data-mistake": String(number) },
    h("span", {}, t("analysis.mistake", { number: number + 1 }), h("small", { text: sentence(words ?? action) })),
    h("span", { class: "number", text: `−${points(cost)}` }));
  button.addEventListener("click", () => goToMistake(number));
  return h("li", {}, button);
}

function buildMistakes() {
  const parts = mistakesBySeat().flatMap(([seat, numbers]) => {
    const more = numbers.slice(MOST_MISTAKES);
    const rest = more.length ? h("details", {}, h("summary", { text: t("analysis.mistakes.more", { count: more.length }) }), h("ol", {}, ...more.map(mistakeRow))) : "";
    return [h("h3", {}, seatMark(seat), ` ${analysis.names[seat]}`), h("ol", {}, ...numbers.slice(0, MOST_MISTAKES).map(mistakeRow)), rest];
  });
  byId("mistakes").replaceChildren(...(parts.length ? parts : [h("p", { class: "hint", text: t("analysis.nomistakes") })]));
  byId("next-mistake").hidden = !walked().length;
  byId("solve").hidden = !parts.length;
}

function buildTotals() {
  const rows = analysis.totals.map(({ seat, skill, luck, decisions, mistakes, start: from, end, opponents, corrections, reliable = true }) => {
    const values = { name: analysis.names[seat], skill: points(skill), luck: points(luck) };
    const words = t(!reliable ? "total.rough" : luck < 0 ? "total.lost.both" : "total.won.luck", values);
    const counts = `${t("total.decisions", { count: decisions })}, ${t("total.mistakes", { count: mistakes })}`;
    const parts = [[t("total.start"), points(from)], [t("total.choices"), signed(skill)], [t("total.luck"), signed(luck)],
      [t("total.others"), signed(opponents)], [t("total.corrections"), signed(corrections)], [t("total.end"), points(end)]];
    const sum = h("details", {}, h("summary", { text: t("total.sum") }),
      h("dl", {}, ...parts.flatMap(([part, value]) => [h("dt", { text: part }), h("dd", { class: "number", text: value })])));
    return h("li", {}, seatMark(seat), h("span", { text: words }), h("small", { text: counts }), sum);
  });
  byId("totals").replaceChildren(...rows);
  byId("adviser").textContent = adviserText(analysis, t("analysis.adviser", { name: analysis.adviser }));
}

async function go(k) {
  const before = at;
  at = Math.max(0, Math.min(last(), k));
  for (const chart of charts) chart.setCursor(at);
  const { chances, scores } = analysis.positions[at];
  byId("legend").replaceChildren(legend(analysis.names, [
    { title: t("analysis.chance.short"), values: chances.map((chance) => percent(chance, 1)) },
    { title: capital(analysis.unit.other), values: scores.map((score) => decimal(score, 0)) },
  ]));
  history.replaceState(null, "", `#${at}`);
  for (const [id, off] of [["first", at === 0], ["previous", at === 0], ["next", at === last()], ["last", at === last()]]) {
    byId(id).setAttribute("aria-disabled", String(off));
  }
  for (const button of byId("mistakes").querySelectorAll("button")) {
    if (button.dataset.mistake !== String(at)) button.removeAttribute("aria-current");
    else {
      button.setAttribute("aria-current", "true");
      const folded = button.closest("details");
      if (folded) folded.open = true;
    }
  }
  showMove(decisionAt(at));
  const wanted = at;
  try {
    const answer = await position(wanted);
    if (wanted !== at || puzzles.active) return;
    const changed = picture.show(answer);
    if (changed.length && Math.abs(at - before) === 1) picture.flash(changed);
    picture.explore(true);
    showMarks(decisionAt(at), answer.marks);
    byId("notice").hidden = !answer.notice;
    byId("notice").replaceChildren(...(answer.notice ? noticeTable(answer.notice, analysis.names) : []));
    if (at < last()) position(at + 1).catch(() => null);
  } catch (error) {
    if (wanted === at) showMessage(error.message);
  }
}

/** Says which position is shown, or that the game is over in it. */
function positionText() {
  const over = at === last() && analysis.result.over;
  return t(over ? "analysis.end.position" : "analysis.position", { number: at + 1, all: last() + 1 });
}

function ticker(decision, words) {
  const text = byId("ticker-text");
  if (!decision) {
    text.replaceChildren(h("b", { text: positionText() }));
    return;
  }
  text.replaceChildren(seatMark(decision.seat), h("b", { text: analysis.names[decision.seat] }), words ? ` ${stopped(words)}` : "");
}

/** Shows what was played at the shown position, and what the adviser would have played. */
function showMove(decision) {
  if (decision && analysis.mistakes.includes(decision.number)) met.add(decision.number);
  const words = decision?.sentence ?? null;
  ticker(decision, words);
  const where = t("analysis.number", { number: Math.min(at + 1, analysis.decisions.length), all: analysis.decisions.length });
  const head = h("p", { class: "hint", text: decision ? where : positionText() });
  if (!decision) return byId("move").replaceChildren(head, onwardButtons());
  const name = analysis.names[decision.seat];
  const sentences = new Map(decision.actions.map((action) => [action.action, action.sentence]));
  sentences.set(decision.best, decision.best_sentence).set(decision.action, decision.sentence);
  const named = (text) => sentence(sentences.get(text) ?? text);
  const costly = decision.cost >= SMALL;
  const verdict = h("dl", { class: "verdict" }, h("dt", {}, isMarked(decision) ? moveSign("played") : null, t("analysis.played")), h("dd", { text: named(decision.action) }));
  const rest = [];
  if (decision.best !== decision.action) verdict.append(h("dt", {}, isMarked(decision) ? moveSign("better") : null, t("analysis.best")), h("dd", { text: named(decision.best) }));
  else if (!decision.indifferent) rest.push(h("p", { class: "hint", text: t("analysis.agrees") }));
  if (decision.indifferent) rest.push(h("p", { class: "hint", text: t("coach.indifferent") }));
  else rest.push(h("p", { class: `cost${costly ? " bad" : ""}`, text: costly ? t("analysis.cost", { cost: points(decision.cost) }) : t("analysis.free") }));
  const rows = ordered(decision.actions, decision.best).map((action) =>
    h("tr", { class: action.action === decision.action ? "played" : null },
      h("th", { scope: "row", text: named(action.action) }),
      h("td", { class: "number", text: action.chance === null || action.chance === undefined ? "–" : percent(action.chance, 1) }),
      h("td", { class: "number", text: percent(action.probability) })));
  const table = h("table", { class: "adviser" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", text: t("analysis.choices") }), h("th", { scope: "col", class: "number", text: t("analysis.chance.short") }), h("th", { scope: "col", class: "number", text: t("analysis.weight") }))),
    h("tbody", {}, ...rows));
  const luck = h("ul", { class: "luck" }, ...decision.luck.map((value, seat) => h("li", {}, seatMark(seat), h("span", { text: analysis.names[seat] }), h("span", { class: "number", text: signed(value) }))));
  const own = decision.actions.find((action) => action.action === decision.best)?.chance ?? 1;
  const higher = decision.actions.some((action) => action.chance > own) ? h("p", { class: "hint", text: t("analysis.higher") }) : null;
  const choices = decision.indifferent ? [] : [table, higher, h("p", { class: "hint", text: t("analysis.columns", { name }) })].filter(Boolean);
  byId("move").replaceChildren(head, h("h2", {}, seatMark(decision.seat), ` ${name}`), verdict, ...rest, onwardButtons(), ...choices, h("h3", { text: t("analysis.luck") }), luck);
  return undefined;
}

/** Whether the board shows the better move beside the one that was played. */
const isMarked = (decision) => decision.best !== decision.action && decision.cost >= SMALL;

/** Marks the pieces of the better move and of the one that was played, and shows the place that the decision is about. */
function showMarks(decision, marks) {
  const marked = decision && marks && isMarked(decision);
  picture.markMoves(marked ? marks : {});
  picture.reveal(marked ? (marks.better.length ? marks.better : marks.played) : []);
}

/* Playing on, and puzzles */

function onwardButtons() {
  const all = walked();
  const place = all.indexOf(at) + 1;
  const next = all.length ? h("button", { type: "button", class: "small next-mistake", text: t("analysis.next.mistake"), onclick: goToNextMistake }) : null;
  const count = place ? h("span", { class: "hint mistake-place", text: t(ownSeat === null ? "analysis.place" : "analysis.place.own", { number: place, all: all.length }) }) : null;
  const onward = playOnButton(at, "small");
  return next || onward ? h("div", { class: "buttons" }, next, onward, count) : "";
}

/**
 * A button that plays on from a position, or from the own seat's next decision after it where somebody else decides.
 * @returns {HTMLElement | null} null where nobody can play on.
 */
function playOnButton(number, kind = "") {
  const from = analysis.positions.findIndex((one, k) => k >= number && one.seat !== null && (ownSeat === null || one.seat === ownSeat));
  if (from < 0) return null;
  const { title, playable, programs, proposed, agents } = answered;
  const { seat } = analysis.positions[from];
  const onclick = () => playOn.ask({ number: from, seat, isLater: from > number, names: analysis.names, title, playable, programs, proposed, agents });
  return h("button", { type: "button", class: `play-on ${kind}`.trim(), text: t(from > number ? "onward.later" : "onward"), onclick });
}

/** Begins with the mistakes of the person's own seat, or else of the seat with the largest mistake. */
function solve() {
  const made = analysis.mistakes.map((number) => decisionAt(number).seat);
  puzzles.start(analysis, made.includes(ownSeat) ? ownSeat : made[0]);
}

function leavePuzzles() {
  puzzles.stop();
  go(at);
}

/** The mistakes that are gone through one after the other: the person's own ones, or all where there is no such person. */
function walked() {
  return analysis.mistakes.filter((number) => ownSeat === null || decisionAt(number).seat === ownSeat).sort((a, b) => a - b);
}

/** The mistake after (or before) the shown position, round and round. */
function mistakeFrom(direction) {
  const all = walked();
  const found = direction > 0 ? all.find((number) => number > at) : all.findLast((number) => number < at);
  return found ?? all.at(direction > 0 ? 0 : -1) ?? at;
}

/** Shows a mistake, and brings the chart and the beginning of its card into sight. */
function goToMistake(number) {
  go(number);
  const { top, bottom } = byId("move").querySelector(".verdict").getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) byId("charts").scrollIntoView({ block: "start", behavior: motion() });
}

function goToNextMistake() {
  goToMistake(mistakeFrom(1));
  byId("move").querySelector(".next-mistake")?.focus({ preventScroll: true });
}

function key(event) {
  if (!analysis || puzzles.active || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || event.target.closest?.(TYPING)) return;
  if (event.target.closest?.("[data-spot]")) return; // there the arrow keys go from piece to piece
  const steps = { ArrowLeft: () => (event.shiftKey ? mistakeFrom(-1) : at - 1), ArrowRight: () => (event.shiftKey ? mistakeFrom(1) : at + 1), Home: () => 0, End: last };
  if (!(event.key in steps)) return;
  event.preventDefault();
  go(steps[event.key]());
}

function setUp() {
  picture = new Picture(byId("stage"));
  picture.explored = true;
  byId("first").addEventListener("click", () => go(0));
  byId("previous").addEventListener("click", () => go(at - 1));
  byId("next").addEventListener("click", () => go(at + 1));
  byId("last").addEventListener("click", () => go(last()));
  byId("next-mistake").addEventListener("click", goToNextMistake);
  puzzles = new Puzzles({ picture, base, met, leave: leavePuzzles, playOnButton });
  byId("solve").addEventListener("click", solve);
  connectZoom(picture);
  document.addEventListener("keydown", key);
}

async function open() {
  showTitle(null);
  if (!token) {
    byId("open").hidden = false;
    byId("open").addEventListener("submit", submit);
    byId("file").addEventListener("change", () => (byId("file-name").textContent = byId("file").files[0]?.name ?? ""));
    return;
  }
  setUp();
  analysis = await wait();
  if (!analysis) return;
  const wanted = Number.parseInt(location.hash.slice(1), 10);
  build();
  await go(Number.isNaN(wanted) ? (mistakesBySeat()[0]?.[1][0] ?? 0) : wanted);
}

onLanguage(async () => {
  if (!analysis) return showTitle(null);
  try {
    const answer = await get(base);
    analysis = receive(answer);
    showTitle(answer.title);
    picture.source = "";
    build();
    if (puzzles.active) puzzles.retell(analysis);
    else await go(at);
  } catch (error) {
    showMessage(error.message);
  }
  return undefined;
});

await start();
await open();
