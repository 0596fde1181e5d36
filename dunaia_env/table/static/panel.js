// The parts of the table's panel besides the decision: who plays, the result, the coach, the pace of a game that is watched.

import { MARKS, h, remember, remembered, seatMark } from "./dom.js";
import { capital, decimal, listed, percent, sentence, t, unitOf } from "./i18n.js";
import { parse } from "./drawing.js";

/** The sign of what a seat plays, drawn like a letter of its name; null in a game without such signs. */
function emblemOf(snapshot, seat) {
  const drawn = snapshot.emblems?.[seat];
  if (!drawn) return null;
  const emblem = parse(drawn);
  for (const name of ["width", "height", "role", "aria-label"]) emblem.removeAttribute(name);
  emblem.setAttribute("class", "emblem");
  emblem.setAttribute("aria-hidden", "true");
  return emblem;
}

/** Shows who plays, who has to decide (or, of a former position, whose decision is shown) and who is connected. */
export function showPlayers(list, snapshot) {
  const { needed, titles, time } = snapshot.progress;
  const rows = snapshot.names.map((name, seat) => {
    const deciding = snapshot.deciding === seat && !snapshot.over;
    const person = snapshot.kinds[seat] === "person";
    const notes = [];
    if (snapshot.role.seat === seat) notes.push(t("you"));
    const instead = snapshot.instead?.[seat];
    notes.push(instead ? t("seats.instead", { agent: snapshot.programs[instead] }) : t(person ? "person" : "program"));
    const away = person && snapshot.role.seat !== seat && snapshot.connected && !snapshot.connected[seat];
    if (away) notes.push(t("away"));
    const state = deciding ? t(snapshot.thinking ? "thinks" : "decides") : "";
    return h(
      "li",
      { class: `player${deciding || snapshot.acting === seat ? " deciding" : ""}${instead || away ? " changed" : ""}`, "aria-current": deciding ? "true" : null },
      seatMark(seat),
      h("span", { class: "player-name" }, h("b", {}, emblemOf(snapshot, seat), name), h("small", { text: notes.join(" · ") })),
      h("span", { class: "player-state" }, state ? h("span", { class: snapshot.thinking ? "dots" : "", text: state }) : null),
      h("span", { class: "player-score", title: titles[seat] ?? null }, h("b", { text: needed.length ? `${snapshot.scores[seat]}/${needed[seat]}` : String(snapshot.scores[seat]) }),
        h("small", { text: unitOf(snapshot.unit, needed[seat] ?? snapshot.scores[seat]) })),
    );
  });
  list.replaceChildren(...(time ? [h("li", { class: "players-time", text: time })] : []), ...rows);
}

/** Who has won, for the person of this page, or for somebody who watches. */
function titleOf({ names, role }, winners, told) {
  if (!winners.length) return t("result.nobody");
  if (role.seat === null) return told;
  if (!winners.includes(role.seat)) return t("result.lost");
  const others = listed(winners.filter((seat) => seat !== role.seat).map((seat) => names[seat]));
  return others ? t("result.won.shared", { names: others }) : t("result.won");
}

/** What the scores are made of: a column for each seat. */
function sourcesTable({ names, result, outcome, unit }) {
  if (!outcome.sources.length) return "";
  const row = (title, amounts, className = null) => h("tr", { class: className }, h("th", { scope: "row", text: title }), ...amounts.map((amount) => h("td", { class: "number", text: String(amount) })));
  const heads = names.map((name, seat) => h("th", { scope: "col", class: "number" }, seatMark(seat), h("span", { class: "hidden", text: name })));
  return h("table", { class: "result-table sources" }, h("caption", { text: t("result.sources") }), h("thead", {}, h("tr", {}, h("td"), ...heads)),
    h("tbody", {}, ...outcome.sources.map(([title, amounts]) => row(title, amounts)), row(capital(unit.other), result.scores, "winner")));
}

/** Shows the result of a game that is over. */
export function showResult(root, snapshot, actions) {
  const { names, outcome, unit } = snapshot;
  const { scores, ranks, stopped } = snapshot.result;
  const best = Math.min(...ranks);
  const winners = outcome.winners ?? [...ranks.keys()].filter((seat) => ranks[seat] === best);
  const top = scores[winners[0] ?? 0];
  const score = `${top} ${unitOf(unit, top)}`;
  const who = listed(winners.map((seat) => names[seat]));
  const told = winners.length === 1 ? t("result.winner", { name: who, score }) : t("result.shared", { names: who, score });
  const title = titleOf(snapshot, winners, told);
  // What a game says of who has won needs no score beside it.
  const lines = [outcome.winners || title === told ? "" : sentence(told), stopped ? t("result.stopped") : "", outcome.reason];
  const order = ranks.map((rank, seat) => [rank, seat]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const rows = order.map(([rank, seat]) =>
    h("tr", { class: winners.includes(seat) ? "winner" : null }, h("td", { text: winners.length ? String(rank - best + 1) : "–" }),
      h("th", { scope: "row" }, seatMark(seat), `\u00a0${names[seat]}`), h("td", { class: "number", text: String(scores[seat]) })));
  const table = h("table", { class: "result-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", text: t("result.rank") }), h("th", { scope: "col", text: t("result.player") }),
      h("th", { scope: "col", class: "number", text: capital(unit.other) }))),
    h("tbody", {}, ...rows));
  const buttons = actions.map(([key, kind, onclick]) => h("button", { type: "button", class: kind, text: t(key), "data-result": key, onclick }));
  const again = actions.some(([key]) => key === "result.rematch" || key === "result.join");
  root.replaceChildren(h("h2", { text: title }), ...lines.filter(Boolean).map((text) => h("p", { text })), table, sourcesTable(snapshot), h("div", { class: "buttons" }, ...buttons),
    again ? h("p", { class: "hint", text: t("result.rematch.help") }) : "");
  root.hidden = false;
}

/** A bar for each seat, with its number. */
export function bars(chances, names, text = (value) => percent(value)) {
  const rows = chances.map((chance, seat) => {
    const fill = h("span", { class: `bar-fill seat-fill-${seat % MARKS}` });
    fill.style.setProperty("width", `${Math.max(0, Math.min(1, chance)) * 100}%`);
    return h("li", { class: "bar-row" }, seatMark(seat), h("span", { class: "bar-name", text: names[seat] }),
      h("span", { class: "bar", "aria-hidden": "true" }, fill), h("span", { class: "number", text: text(chance) }));
  });
  return h("ul", { class: "bars" }, ...rows);
}

/** The adviser's own action first, then the others from the largest chance to win to the smallest, those without one last. */
export function ordered(actions, own) {
  const value = (action) => (action.action === own ? Infinity : (action.chance ?? -1));
  return [...actions].sort((a, b) => value(b) - value(a));
}

/** Says who has judged: a text of the caller's, unless the adviser stands in for another one. */
export function adviserText({ adviser, instead_of: other }, text) {
  return other ? t("coach.instead", { name: adviser, other }) : text;
}

/** The coach: the chances of the position and the adviser's best choices, when asked for or at every decision. */
export class Coach {
  constructor(root, { ask, choose }) {
    this.root = root;
    this.ask = ask;
    this.choose = choose;
    this.version = null;
    this.advice = null;
  }

  /** Shows the coach for a position; a new position forgets the old advice. */
  show(snapshot) {
    this.snapshot = snapshot;
    const can = snapshot.coach && !snapshot.over && snapshot.choice;
    this.root.hidden = !can;
    if (!can) return;
    if (this.version !== snapshot.version) {
      this.version = snapshot.version;
      this.advice = null;
      this.error = null;
      if (remembered("coach", false)) this.#fetch();
    }
    this.#render();
  }

  reset() {
    this.version = null;
    this.root.hidden = true;
  }

  async #fetch() {
    const { version } = this;
    this.busy = true;
    this.#render();
    try {
      const advice = await this.ask();
      if (version === this.version) this.advice = advice;
    } catch (error) {
      if (version === this.version) this.error = error.message;
    } finally {
      this.busy = false;
      if (version === this.version) this.#render();
    }
  }

  #render() {
    const always = h("input", { type: "checkbox", id: "coach-always" });
    always.checked = remembered("coach", false);
    always.addEventListener("change", () => {
      remember("coach", always.checked);
      if (always.checked && !this.advice && !this.busy) this.#fetch();
    });
    const head = h("header", { class: "card-head" }, h("h2", { text: t("coach") }),
      h("label", { class: "check small-check" }, always, h("span", { text: t("coach.always") })));
    const parts = [head];
    if (this.error) parts.push(h("p", { class: "hint", text: this.error }));
    if (this.busy) parts.push(h("p", { class: "hint dots", role: "status", text: t("coach.busy") }));
    else if (this.advice) {
      parts.push(h("h3", { text: t("chances") }), bars(this.advice.chances, this.snapshot.names));
      const rows = ordered(this.advice.actions, this.advice.actions[0]?.action).map((action) => {
        const button = h("button", { type: "button", class: "choice advice", "data-action": action.action },
          h("span", {}, sentence(action.imperative ?? action.action), action === this.advice.actions[0] ? h("small", { class: "pick", text: t("coach.pick") }) : null),
          h("span", { class: "number", text: action.chance === null || action.chance === undefined ? percent(action.probability) : percent(action.chance, 1) }));
        button.addEventListener("click", () => this.choose(action.action));
        return h("li", {}, button);
      });
      if (this.advice.indifferent) parts.push(h("p", { id: "coach-indifferent", text: t("coach.indifferent") }));
      else parts.push(h("h3", { text: t("coach.best") }), h("ol", { class: "advice-list" }, ...rows), h("p", { class: "hint", text: t("coach.noise") }));
      parts.push(h("p", { class: "hint", id: "coach-adviser", text: adviserText(this.advice, t("coach.adviser", { name: this.advice.adviser })) }));
    } else {
      const ask = h("button", { type: "button", text: t("coach.ask"), id: "coach-ask" });
      ask.addEventListener("click", () => this.#fetch());
      parts.push(h("div", { class: "buttons" }, ask));
    }
    this.root.replaceChildren(...parts);
  }
}

/** The pace of a game in which no person plays. */
export class Pace {
  constructor(root, set) {
    this.root = root;
    this.set = set;
  }

  show(snapshot) {
    this.root.hidden = !snapshot.pace || snapshot.over;
    if (this.root.hidden) return;
    const { paused, seconds } = snapshot.pace;
    const state = `${paused}${seconds}${document.documentElement.lang}`;
    if (state === this.state) return; // the slider must not be replaced under the user's hand
    this.state = state;
    const pause = h("button", { type: "button", id: "pace-pause", class: "primary", text: t(paused ? "pace.resume" : "pace.pause") });
    pause.addEventListener("click", () => this.set({ paused: !paused, seconds }));
    const step = h("button", { type: "button", id: "pace-step", text: t("pace.step") });
    step.addEventListener("click", () => this.set({ paused: true, seconds, step: true }));
    step.disabled = !paused;
    const slider = h("input", { type: "range", id: "pace-seconds", min: "0", max: "10", step: "0.5", value: String(seconds) });
    const output = h("output", { for: "pace-seconds", text: t("pace.seconds", { seconds: decimal(seconds, 1) }) });
    slider.addEventListener("input", () => (output.textContent = t("pace.seconds", { seconds: decimal(Number(slider.value), 1) })));
    slider.addEventListener("change", () => this.set({ paused, seconds: Number(slider.value) }));
    const focused = this.root.contains(document.activeElement) ? document.activeElement.id : null;
    this.root.replaceChildren(h("h2", { text: t("pace") }), h("div", { class: "buttons" }, pause, step),
      h("div", { class: "row" }, h("label", { for: "pace-seconds", text: t("pace.each") }), slider, output));
    if (focused) this.root.querySelector(`#${focused}`)?.focus();
  }
}
