// Tips for a first turn, at a table that was opened with them. They come from the server with each decision.

import { h } from "./dom.js";
import { t } from "./i18n.js";

export class Guide {
  constructor(root) {
    this.root = root;
    this.isOn = new URLSearchParams(location.search).has("guide");
    this.seats = []; // who has decided so far, in order
  }

  /** Takes notice of what has happened, to see when the first turn is over. */
  note(entries) {
    if (this.isOn) this.seats.push(...entries.map((entry) => entry.seat));
  }

  /** Shows the tip for the present decision, or that the first turn is over. */
  show({ choice, role, over }) {
    const first = this.seats.indexOf(role.seat);
    const isDone = first >= 0 && this.seats.slice(first).some((seat) => seat !== role.seat && seat !== null);
    const tip = isDone ? t("guide.done") : choice?.tip;
    this.root.hidden = !this.isOn || over || !tip;
    if (this.root.hidden) return this.root.replaceChildren();
    const end = h("button", { type: "button", class: "small", text: t(isDone ? "guide.end" : "guide.skip"), onclick: () => this.#end() });
    return this.root.replaceChildren(h("h2", { text: t("guide") }), h("p", { text: tip }), h("div", { class: "buttons" }, end));
  }

  #end() {
    this.isOn = false;
    this.root.hidden = true;
    history.replaceState(null, "", location.pathname);
  }
}
