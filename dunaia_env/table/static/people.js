// What people do at a table besides deciding: agents take seats over, people come back, decisions are undone.

import { h, seatMark } from "./dom.js";
import { labelled, listed, sentence, t } from "./i18n.js";

const who = (snapshot, seat) => snapshot.names[seat];

/** Whether an agent plays for the person of this page. */
export const isAway = ({ role, kinds, agents }) => role.seat !== null && kinds[role.seat] === "person" && agents[role.seat] !== null;

/** What has happened besides decisions, as sentences: [{number, text}, …]. */
export function notesOf(snapshot) {
  return snapshot.notes.map(({ number, reason, seat, agent, by }) => {
    const values = { name: who(snapshot, seat), agent: snapshot.programs[agent] ?? "", by: by === null ? "" : who(snapshot, by) };
    const key = reason === "replaced" && by !== null ? "replaced.by" : reason;
    return { number, text: sentence(t(`note.${key}`, values)) };
  });
}

/** The dialog in which agents are seated. */
export class Seats {
  /**
   * @param {HTMLElement} list
   * @param {{resign: Function, back: Function, replace: Function}} acts what the buttons do.
   */
  constructor(list, acts) {
    this.list = list;
    this.acts = acts;
    this.chosen = new Map(); // the agent chosen for each seat
  }

  /** Shows who plays, and for which seats this person may seat an agent. */
  show(snapshot, key) {
    const { names, kinds, agents, connected, may_seat: may, playable, role, over } = snapshot;
    const state = JSON.stringify([names, kinds, agents, connected, may, role, over, document.documentElement.lang, Boolean(key)]);
    if (state === this.state) return; // a choice must not be replaced under the user's hand
    this.state = state;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.id : null;
    const seats = key ? may.opener : may.anyone;
    this.list.replaceChildren(...names.map((name, seat) =>
      h("li", { class: "seat-row" }, h("span", { class: "seat-who" }, seatMark(seat), h("b", { text: name }), h("small", { text: this.#about(snapshot, seat) })),
        over ? null : this.#control(snapshot, seat, seats.includes(seat), playable))));
    if (focused) this.list.querySelector(`#${focused}`)?.focus();
  }

  #about(snapshot, seat) {
    const person = snapshot.kinds[seat] === "person";
    const notes = [snapshot.role.seat === seat ? t("you") : t(person ? "person" : "program")];
    if (person && snapshot.role.seat !== seat && !snapshot.connected[seat]) notes.push(t("away"));
    if (snapshot.instead[seat]) notes.push(t("seats.instead", { agent: snapshot.programs[snapshot.instead[seat]] }));
    return notes.join(" · ");
  }

  #control(snapshot, seat, allowed, playable) {
    const own = snapshot.role.seat === seat;
    if (own && isAway(snapshot)) return h("span", { class: "seat-act" }, h("button", { type: "button", class: "primary", id: `back-${seat}`, text: t("seats.back"), onclick: () => this.acts.back() }));
    if (!(own || allowed) || !playable.length) return null;
    const name = snapshot.names[seat];
    const first = this.chosen.get(seat) ?? snapshot.proposed.stand_in;
    const select = h("select", { id: `instead-${seat}`, "aria-label": t("seats.choose", { name }) },
      ...playable.map((agent) => h("option", { value: agent, text: snapshot.programs[agent], selected: agent === first })));
    select.addEventListener("change", () => this.chosen.set(seat, select.value));
    const label = t(own ? "seats.resign" : "seats.replace");
    const act = () => (own ? this.acts.resign(select.value) : this.acts.replace(seat, select.value));
    const button = h("button", { type: "button", id: `replace-${seat}`, text: label, "aria-label": labelled(label, name), onclick: act });
    return h("span", { class: "seat-act" }, select, button);
  }
}

/** Shows that an agent plays for this person, and the way back. */
export function showAway(root, snapshot, back) {
  root.hidden = !isAway(snapshot) || snapshot.over;
  if (root.hidden) return root.replaceChildren();
  const agent = snapshot.programs[snapshot.agents[snapshot.role.seat]];
  const button = h("button", { type: "button", class: "primary", id: "take-seat-back", text: t("seats.back"), onclick: back });
  return root.replaceChildren(h("h2", { text: t("away.title", { agent }) }), h("p", { text: t("away.help") }), h("div", { class: "buttons" }, button));
}

/** Shows a request to undo a decision, and the answers that this person can give. */
export function showRequest(root, snapshot, answer) {
  const { request, role } = snapshot;
  root.hidden = !request;
  if (!request) return root.replaceChildren();
  const own = request.seat === role.seat;
  const waiting = request.waiting.filter((seat) => seat !== role.seat).map((seat) => who(snapshot, seat));
  const title = t(own ? "undo.asked.own" : "undo.asked", { name: who(snapshot, request.seat) });
  const answers = [
    ...(request.waiting.includes(role.seat) ? [["undo.agree", "primary", true]] : []),
    ...(role.seat === null ? [] : own ? [["undo.withdraw", "", false]] : [["undo.decline", "", false]]),
  ];
  const buttons = answers.map(([key, kind, agrees]) => h("button", { type: "button", class: kind, "data-answer": key, text: t(key), onclick: () => answer(agrees) }));
  return root.replaceChildren(h("h2", { text: sentence(title) }),
    waiting.length ? h("p", { text: sentence(t("undo.waiting", { names: listed(waiting) })) }) : "", h("div", { class: "buttons" }, ...buttons));
}

/** The time that the clock leaves for a decision, counted down on the page. */
export class Countdown {
  constructor(root) {
    this.root = root;
    this.end = null;
    setInterval(() => this.#render(), 250);
  }

  show({ clock, over, programs }) {
    const left = over ? null : (clock?.left ?? null);
    this.end = left === null ? null : performance.now() + left * 1000;
    this.agent = programs[clock?.agent];
    this.#render();
  }

  #render() {
    this.root.hidden = this.end === null;
    if (this.end === null) return;
    const seconds = Math.max(0, Math.ceil((this.end - performance.now()) / 1000));
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(seconds / 3600);
    const text = `${hours ? `${hours}:${two(Math.floor(seconds / 60) % 60)}` : Math.floor(seconds / 60)}:${two(seconds % 60)}`;
    if (this.root.textContent !== text) this.root.textContent = text;
    this.root.classList.toggle("short", seconds <= 10);
    this.root.title = t("clock.help", { agent: this.agent });
  }
}
