// The lobby: a new table, a saved one, and those this browser knows.

import { get, post } from "./api.js";
import { byId, h, remember, remembered, seatMark, showMessage } from "./dom.js";
import { showCards } from "./games.js";
import { onLanguage, start, t } from "./i18n.js";
import { keepOpened, linkList } from "./links.js";

const LARGEST = 8e6; // characters of a replay
const CLOCKS = [0, 30, 60, 120, 300, 900, 3600, 86400, 259200]; // seconds for a decision that can be chosen; 0 for no limit
const MOST_ASKED = 40; // tables about which the server is asked at once

let games = [];
let shares = {}; // what levels win, by game and level
let optionsOpen = false;
let replay = null; // the text of a saved game that will go on
const wish = remembered("wish", {}); // what the form holds, kept for the next visit
const form = byId("form");

const game = () => games.find((candidate) => candidate.name === wish.game) ?? games[0];

/** The preset that is proposed for the number of players: one that is made for it, or the game's own. */
const proposedPreset = () => game().presets.find((one) => one.players === wish.players) ?? game().presets.find((one) => one.name === game().preset);

/** Brings what was remembered within what the game offers. */
function settle() {
  const { name, players, options, agents, proposed } = game();
  wish.game = name;
  wish.players = Math.max(players[0], Math.min(players[1], wish.players ?? players[0]));
  const preset = proposedPreset()?.options;
  const settled = (option) => [wish.options?.[option.name], preset?.[option.name], option.default].find((value) => value !== undefined);
  wish.options = Object.fromEntries(options.map((option) => [option.name, settled(option)]));
  wish.coach = wish.coach ?? false;
  const agent = agents.includes(wish.clock?.agent) ? wish.clock.agent : proposed.stand_in;
  wish.clock = { seconds: CLOCKS.includes(wish.clock?.seconds) && agent ? wish.clock.seconds : 0, agent };
  const seats = Array.isArray(wish.seats) ? wish.seats : [];
  wish.seats = Array.from({ length: players[1] }, (_, seat) => {
    const known = seats[seat] ?? { kind: seat === 0 ? "person" : "agent" };
    const agent = agents.includes(known.agent) ? known.agent : proposed.opponent;
    return { kind: known.kind === "person" ? "person" : "agent", name: known.name ?? "", agent };
  });
}

function radio(name, value, checked, label, onchange) {
  const input = h("input", { type: "radio", name, value, checked });
  input.addEventListener("change", onchange);
  return h("label", { class: "segment" }, input, h("span", { text: label }));
}

/** A game's title, with its name where a game before it has the same title. */
const titled = (one) => (games.find((other) => other.title === one.title) === one ? one.title : `${one.title} (${one.name})`);

function chooseGame(name) {
  wish.game = name;
  wish.options = {};
  render();
}

/** Opens a table at which tips lead through a first turn or game, against the easiest opponent. */
async function guide(chosen) {
  const agent = chosen.proposed.opponent;
  const { preset, is_met_once: once } = chosen.introduction.guide;
  const defaults = Object.fromEntries(chosen.options.map((option) => [option.name, option.default]));
  const options = chosen.presets.find((one) => one.name === preset)?.options ?? defaults;
  const seats = [{ kind: "person", name: t("player", { number: 1 }) }, { kind: "agent", agent }];
  try {
    const table = await post("/api/tables", { game: chosen.name, options, seats });
    keepTable(table, seats, chosen);
    location.href = `${table.seats[0].link}?guide${once ? "=once" : ""}`;
  } catch (error) {
    showMessage(error.message);
  }
}

/** Remembers a table that was opened; returns what is remembered. */
const keepTable = (table, seats, one) => keepOpened(titled(one), seats.map((seat) => seat.name ?? one.programs[seat.agent]), table);

/** Whether the form holds what a preset sets. */
function isChosen({ players, options }) {
  const wanted = optionsWanted();
  const same = (name) => JSON.stringify(wanted[name]) === JSON.stringify(options[name]);
  return (players === null || players === wish.players) && Object.keys(options).every(same);
}

/** Options that are chosen together; each can be changed afterwards. */
function presetField() {
  const { presets } = game();
  if (!presets.length) return null;
  const select = h("select", { id: "preset", "aria-describedby": "preset-help" },
    h("option", { value: "", disabled: true, text: t("preset.own") }), ...presets.map((one) => h("option", { value: one.name, text: one.title })));
  select.addEventListener("change", () => {
    const { players, options } = presets.find((one) => one.name === select.value);
    wish.players = players ?? wish.players;
    wish.options = { ...options };
    render("#preset");
  });
  return h("div", { class: "preset" }, h("label", { class: "row", for: "preset" }, h("span", { text: t("lobby.preset") }), select), h("small", { id: "preset-help" }));
}

/** Names the preset that the form holds, if it holds one. */
function showPreset() {
  const select = byId("preset");
  if (!select) return;
  const chosen = game().presets.find(isChosen);
  select.value = chosen?.name ?? "";
  byId("preset-help").textContent = chosen?.help ?? "";
}

function playersField() {
  const [least, most] = game().players;
  if (least === most) return null;
  const segments = [];
  for (let players = least; players <= most; players += 1) {
    segments.push(radio("players", String(players), players === wish.players, String(players), () => {
      const chosen = proposedPreset();
      const isOwn = chosen && !isChosen(chosen); // what somebody has chosen stays
      wish.players = players;
      if (!isOwn) wish.options = {};
      render(`[name=players][value="${players}"]`);
    }));
  }
  return h("fieldset", { class: "row" }, h("legend", { text: t("lobby.players") }), h("div", { class: "segments" }, ...segments));
}

const agentName = (agent) => game().programs[agent];

const MOST_GAMES = 10; // of which a share is told
const NEAR = 0.03; // by how much what is told may differ from a share

/** A share as so many of few games: 0.77 is 3 of 4. */
function inGames(share) {
  for (let all = 2; all <= MOST_GAMES; all += 1) {
    const won = Math.round(share * all);
    if (won > 0 && Math.abs(won / all - share) <= NEAR) return { won, all };
  }
  return { won: 1, all: Math.round(1 / share) };
}

/** How strong an agent is: what a level was measured to win against another one, or a few words. */
function hint(agent) {
  const measured = shares[game().name]?.[agent];
  if (measured) return t("level.wins", { ...inGames(measured.share), other: agentName(measured.against) });
  const text = t(`agent.${agent}`);
  return text === `agent.${agent}` ? "" : text;
}

function seatField(seat) {
  const chosen = wish.seats[seat];
  const label = t("seat", { number: seat + 1 });
  const kind = (value, key) => radio(`kind-${seat}`, value, chosen.kind === value, t(key), () => {
    chosen.kind = value;
    render(`[name=kind-${seat}][value=${value}]`);
  });
  let detail;
  let about = null;
  if (chosen.kind === "person") {
    detail = h("input", { type: "text", maxlength: "40", autocomplete: "off", value: chosen.name, placeholder: t("player", { number: seat + 1 }), "aria-label": t("seat.name", { seat: label }), id: `name-${seat}` });
    detail.addEventListener("input", () => (chosen.name = detail.value));
  } else {
    const told = h("small", { id: `about-${seat}`, class: "level", text: hint(chosen.agent) });
    detail = h("select", { "aria-label": t("seat.agent", { seat: label }), "aria-describedby": told.id, id: `agent-${seat}` },
      ...game().agents.map((agent) => h("option", { value: agent, selected: agent === chosen.agent, text: agentName(agent) })));
    about = told;
    detail.addEventListener("change", () => {
      chosen.agent = detail.value;
      told.textContent = hint(chosen.agent);
    });
  }
  return h("fieldset", { class: "seat" }, h("legend", {}, seatMark(seat), h("span", { text: label })),
    h("div", { class: "seat-choice" }, h("div", { class: "segments" }, kind("person", "person"), kind("agent", "program")), detail, about));
}

function optionField(option) {
  const id = `option-${option.name}`;
  const help = option.help ? h("small", { id: `${id}-help`, text: option.help }) : null;
  const about = option.help ? `${id}-help` : null;
  let input;
  if (option.kind === "bool") {
    input = h("input", { type: "checkbox", id, checked: Boolean(wish.options[option.name]), "aria-describedby": about });
    input.addEventListener("change", () => (wish.options[option.name] = input.checked));
    return h("div", { class: "option" }, h("label", { class: "check" }, input, h("span", { text: option.title })), help);
  }
  if (option.kind === "choice" || option.kind === "seats") return choiceField(option, id, help);
  input = h("input", { type: "number", id, min: option.least, max: option.most, step: "1", value: wish.options[option.name], required: true, "aria-describedby": about });
  input.addEventListener("input", () => (wish.options[option.name] = Number(input.value)));
  return h("div", { class: "option" }, h("label", { class: "row", for: id }, h("span", { text: option.title }), input), help);
}

/** A choice among some values, or one for each seat. */
function choiceField(option, id, help) {
  const select = (chosen, store, attributes) => {
    const titled = (one) => one.title ?? t("option.open");
    const field = h("select", attributes, ...option.choices.map((one, index) => h("option", { value: String(index), text: titled(one), selected: one.value === chosen })));
    field.addEventListener("change", () => store(option.choices[Number(field.value)].value));
    return field;
  };
  const about = help ? `${id}-help` : null;
  if (option.kind === "choice") {
    const field = select(wish.options[option.name], (value) => (wish.options[option.name] = value), { id, "aria-describedby": about });
    return h("div", { class: "option" }, h("label", { class: "row", for: id }, h("span", { text: option.title }), field), help);
  }
  const known = wish.options[option.name];
  const values = Array.from({ length: game().players[1] }, (_, seat) => known?.[seat] ?? null);
  wish.options[option.name] = values;
  const rows = values.slice(0, wish.players).map((value, seat) =>
    h("label", { class: "row" }, h("span", {}, seatMark(seat), ` ${t("seat", { number: seat + 1 })}`), select(value, (chosen) => (values[seat] = chosen), { id: `${id}-${seat}` })));
  return h("fieldset", { class: "option", "aria-describedby": about }, h("legend", { text: option.title }), ...rows, help);
}

/** The options as the server takes them: those by seat for the seats that play, or none where no seat has chosen. */
function optionsWanted() {
  const wanted = { ...wish.options };
  for (const { name, kind } of game().options) {
    if (kind !== "seats") continue;
    const values = (wanted[name] ?? []).slice(0, wish.players);
    wanted[name] = values.some((value) => value !== null) ? values : null;
  }
  return wanted;
}

/** A length of time in the largest unit in which it is whole. */
function duration(seconds) {
  const [unit, length] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, one]) => seconds % one === 0);
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, unitDisplay: "long" }).format(seconds / length);
}

/** The time for each decision, and the program that plays when it is up. */
function clockField() {
  const { clock } = wish;
  if (!clock.agent) return null;
  const time = h("select", { id: "clock" }, ...CLOCKS.map((seconds) => h("option", { value: String(seconds), selected: seconds === clock.seconds, text: seconds ? duration(seconds) : t("lobby.clock.none") })));
  time.addEventListener("change", () => {
    clock.seconds = Number(time.value);
    render("#clock");
  });
  const agent = h("select", { id: "clock-agent" }, ...game().agents.map((name) => h("option", { value: name, selected: name === clock.agent, text: agentName(name) })));
  agent.addEventListener("change", () => (clock.agent = agent.value));
  return h("div", { class: "option" }, h("label", { class: "row" }, h("span", { text: t("lobby.clock") }), time),
    clock.seconds ? h("label", { class: "row" }, h("span", { text: t("lobby.clock.agent") }), agent) : null);
}

function render(focus) {
  if (!games.length) return; // a file was chosen before the games are known; `load` renders then
  settle();
  byId("title").textContent = t("lobby.title");
  document.title = t("brand");
  const seats = h("div", { class: "seats" });
  for (let seat = 0; seat < wish.players; seat += 1) seats.append(seatField(seat));
  const parts = [];
  if (!replay) parts.push(presetField(), playersField());
  parts.push(h("h3", { text: t("lobby.seats") }), seats);
  if (!replay) {
    const options = game().options.filter((option) => !(option.kind === "int" && option.least === game().players[0] && option.most === game().players[1]));
    if (options.length) {
      const details = h("details", { class: "options", open: optionsOpen }, h("summary", { text: t("lobby.options") }), ...options.map(optionField));
      details.addEventListener("toggle", () => (optionsOpen = details.open));
      parts.push(details);
    }
  }
  const coach = h("input", { type: "checkbox", id: "coach", checked: wish.coach, "aria-describedby": "coach-help" });
  coach.addEventListener("change", () => (wish.coach = coach.checked));
  parts.push(h("div", { class: "option" }, h("label", { class: "check" }, coach, h("span", { text: t("lobby.coach") })), h("small", { id: "coach-help", text: t("lobby.coach.help") })));
  parts.push(clockField());
  form.replaceChildren(...parts.filter(Boolean));
  byId("games").hidden = Boolean(replay);
  showCards(byId("games"), games, { titled, chosen: wish.game, choose: chooseGame, guide });
  showPreset();
  byId("new-title").textContent = t(replay ? "resume" : "lobby.new");
  byId("start").textContent = t(replay ? "resume.start" : "lobby.start");
  byId("resuming").hidden = !replay;
  byId("resuming").textContent = replay ? t("resume.ready", { name: replay.name }) : "";
  byId("forget").hidden = !replay;
  if (focus) form.querySelector(focus)?.focus();
  showRecent();
}

function seatsWanted() {
  return wish.seats.slice(0, wish.players).map((seat, index) =>
    seat.kind === "person" ? { kind: "person", name: seat.name.trim() || t("player", { number: index + 1 }) } : { kind: "agent", agent: seat.agent });
}

async function begin(event) {
  event.preventDefault();
  if (!games.length) return;
  const seats = seatsWanted();
  byId("start").disabled = true;
  showMessage("");
  const more = { seats, coach: wish.coach, clock: wish.clock.seconds ? wish.clock : null };
  try {
    const table = replay
      ? await post("/api/tables/resume", { replay: replay.text, ...more })
      : await post("/api/tables", { game: wish.game, options: optionsWanted(), ...more });
    remember("wish", wish);
    const made = keepTable(table, seats, game());
    replay = null;
    if (table.seats.length === 0) location.href = table.watch;
    else if (table.seats.length === 1) location.href = table.seats[0].link;
    else showReady(made);
  } catch (error) {
    showMessage(error.message);
  } finally {
    byId("start").disabled = false;
  }
}

function showReady(table) {
  const first = table.seats[0];
  byId("ready").hidden = false;
  byId("new").hidden = true;
  byId("ready-links").replaceChildren(...linkList(table));
  byId("ready-go").href = first.link;
  byId("ready-go").textContent = t("ready.go", { name: table.names[first.seat] });
  byId("ready").focus();
  render();
}

const mainLink = (table) => (table.seats.length ? table.seats[0].link : table.watch);
const tokenOf = (table) => mainLink(table).replace("/t/", "");
let turns = {}; // what the server says of the tables, by token

/** What is said of a table: how far it has come, and whose turn it is. */
function toldOf(table) {
  if (table.over || turns[tokenOf(table)]?.over) return [t("recent.over")];
  const told = table.round ? [t("recent.round", { round: table.round })] : [];
  const turn = turns[tokenOf(table)];
  if (!turn) return told;
  const { deciding, seat, names, agents } = turn;
  if (deciding !== null && deciding === seat && agents[seat] === null) return [...told, t("recent.yours")];
  return [...told, deciding === null ? t("recent.others") : t("recent.waiting", { name: names[deciding] })];
}

/** A table's title and the names at it, in the language of the page as far as the server still has the table. */
const wordsOf = (table) => ({ title: table.title, names: table.names, ...turns[tokenOf(table)] });
const namesOf = (table) => wordsOf(table).names.join(" · ");

/** Asks what the tables are called in the language of the page, and whose turn it is. */
async function askTurns() {
  const links = remembered("recent", []).map(tokenOf).slice(0, MOST_ASKED);
  if (!links.length || document.visibilityState === "hidden") return;
  try {
    turns = (await post("/api/tables/status", { links })).tables;
    showTurns();
  } catch {
    return; // the list is shown without turns
  }
}

function showTurns() {
  const time = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  const tables = new Map(remembered("recent", []).map((table) => [mainLink(table), table]));
  for (const link of byId("recent").querySelectorAll("a")) {
    const table = tables.get(link.getAttribute("href"));
    if (!table) continue;
    const forget = link.parentElement.querySelector("button");
    link.querySelector("b").textContent = namesOf(table);
    forget.title = t("recent.forget", { names: namesOf(table) });
    forget.setAttribute("aria-label", forget.title);
    link.querySelector("small").textContent = [wordsOf(table).title, time.format(table.time), ...toldOf(table)].join(" · ");
    const { deciding, seat, agents } = turns[tokenOf(table)] ?? { deciding: null };
    link.classList.toggle("yours", !table.over && deciding !== null && deciding === seat && agents[seat] === null);
  }
}

function showRecent() {
  const tables = remembered("recent", []);
  byId("recent-card").hidden = tables.length === 0;
  byId("recent").replaceChildren(...tables.map((table) => {
    const link = mainLink(table);
    const forget = h("button", { type: "button", class: "quiet", text: "×" });
    const row = h("li", {}, h("a", { href: link }, h("b", {}), h("small", {})), forget);
    forget.addEventListener("click", () => {
      const names = namesOf(table);
      remember("recent", remembered("recent", []).filter((one) => one.time !== table.time));
      const undo = h("button", { type: "button", class: "small", text: t("recent.undo"), "aria-label": t("recent.undoof", { names }) });
      undo.addEventListener("click", () => {
        const kept = remembered("recent", []);
        remember("recent", [...kept, table].sort((a, b) => b.time - a.time));
        undo.parentElement.replaceWith(row);
        forget.focus();
      });
      row.replaceWith(h("li", { class: "forgotten" }, h("span", { text: t("recent.forgotten", { names }) }), undo));
      undo.focus();
    });
    return row;
  }));
  showTurns();
}

/** Looks into the head of a replay for the number of seats, so that the form fits before the server reads it all. */
function seatsOf(text) {
  try {
    const head = JSON.parse(text.split("\n", 1)[0]);
    const found = head.names?.length ?? head.players?.length ?? head.options?.num_players ?? head.num_players;
    return Number.isInteger(found) ? found : null;
  } catch {
    return null;
  }
}

async function chooseFile() {
  const [file] = byId("resume-file").files;
  if (!file) return;
  if (file.size > LARGEST) {
    showMessage(t("resume.large"));
    return;
  }
  replay = { name: file.name, text: await file.text() };
  const seats = seatsOf(replay.text);
  if (seats) wish.players = seats;
  render();
  byId("new").scrollIntoView({ block: "start" });
  byId("start").focus();
}

async function load() {
  try {
    games = (await get("/api/games")).games;
    shares = await (await fetch("/static/levels.json")).json();
    render();
  } catch (error) {
    showMessage(error.message);
  }
}

byId("new").addEventListener("submit", begin);
form.addEventListener("change", showPreset);
byId("resume-file").addEventListener("change", chooseFile);
byId("forget").addEventListener("click", () => {
  replay = null;
  byId("resume-file").value = "";
  render();
});
onLanguage(async () => {
  await load();
  await askTurns();
});
addEventListener("visibilitychange", askTurns);
setInterval(askTurns, 20000);
await start();
await load();
await askTurns();
