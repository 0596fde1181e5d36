// What is written around the board: the parts of a turn, and the panels of players and decks. It comes from the server as
// data, with the names of the pieces that a person can point at.

import { parse } from "./drawing.js";
import { h, seatMark } from "./dom.js";
import { t } from "./i18n.js";

function icon(source) {
  const svg = document.importNode(parse(source), true);
  svg.setAttribute("class", "item-icon");
  svg.setAttribute("aria-hidden", "true");
  for (const name of ["role", "aria-label"]) svg.removeAttribute(name);
  return svg;
}

/** The icon and the text of an item; a screen reader says its label. */
function content(item) {
  const shown = item.text ? h("span", { class: "item-text", "aria-hidden": "true", text: item.text }) : null;
  return [item.icon ? icon(item.icon) : null, shown, h("span", { class: "hidden", text: item.label })];
}

const entry = (item) => h("li", { class: `item${item.is_faint ? " faint" : ""}`, "data-piece": item.piece || null }, ...content(item));

export class Around {
  constructor() {
    this.root = h("div", { class: "around", hidden: true });
    this.steps = h("ol", { class: "steps", hidden: true });
    this.unfolded = new Set();
  }

  /** Writes what lies around a board; null where the picture is whole. */
  show(around) {
    this.root.hidden = !around;
    this.steps.hidden = !around;
    if (!around) return;
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", t("around"));
    this.steps.setAttribute("aria-label", t("steps"));
    this.steps.replaceChildren(...around.steps.map((step) => h("li", { "aria-current": step.is_now ? "step" : null, text: step.text })));
    this.root.replaceChildren(...around.panels.map((panel) => this.#panel(panel)));
  }

  #panel(panel) {
    const seat = panel.seat === null ? "" : ` side-seat-${panel.seat}`;
    const head = h("h2", { class: "side-head", "data-piece": panel.head.piece || null }, panel.seat === null ? null : seatMark(panel.seat), ...content(panel.head));
    const marks = panel.marks.length ? h("ul", { class: "side-marks" }, ...panel.marks.map(entry)) : null;
    return h("section", { class: `side-panel${seat}${panel.is_deciding ? " deciding" : ""}` }, head, marks, ...panel.groups.map((group) => this.#group(group, panel.seat)));
  }

  #group(group, seat) {
    const list = h("ul", { class: `side-${group.form}` }, ...group.items.map(entry));
    if (!group.is_folded) return group.title ? h("div", {}, h("h3", { text: group.title }), list) : list;
    const name = `${group.title} ${seat}`; // panels have groups with the same titles
    const details = h("details", { open: this.unfolded.has(name) }, h("summary", { text: group.title }), list);
    details.addEventListener("toggle", () => (details.open ? this.unfolded.add(name) : this.unfolded.delete(name)));
    return details;
  }

  /** The element of a piece, or null. */
  find(name) {
    return this.root.querySelector(`[data-piece="${CSS.escape(name)}"]`);
  }

  /** The pieces by name, as texts that differ where something has changed. */
  prints() {
    return [...this.root.querySelectorAll("[data-piece]")].map((element) => [element.dataset.piece, element.outerHTML]);
  }
}
