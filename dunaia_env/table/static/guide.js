// Tips for a first turn or a first game, at a table that was opened with them. They come from the server with each decision.

import { h } from "./dom.js";
import { t } from "./i18n.js";

export class Guide {
  constructor(root) {
    const asked = new URLSearchParams(location.search).get("guide");
    this.root = root;
    this.isOn = asked !== null;
    this.isMetOnce = asked === "once"; // each tip is shown where it is met first, in the whole game
    this.seats = []; // who has decided so far, in order
    this.met = new Map(); // the tips so far, with the number of the position in which each was met
  }

  /** Takes notice of what has happened, to see when the first turn is over. */
  note(entries) {
    if (this.isOn) this.seats.push(...entries.map((entry) => entry.seat));
  }

  /** Shows the tip for the present decision, or that the first turn is over. */
  show({ choice, role, over, version, after_turn: after, has_primer: hasPrimer }) {
    const isDone = !this.isMetOnce && this.#isTurnOver(role.seat);
    const tip = isDone ? [t("guide.done"), after, hasPrimer ? t("guide.rules") : ""].filter(Boolean).join(" ") : this.#tip(choice?.tip, version);
    this.root.hidden = !this.isOn || over || !tip;
    if (this.root.hidden) return this.root.replaceChildren();
    const end = h("button", { type: "button", class: "small", text: t(isDone ? "guide.end" : "guide.skip"), onclick: () => this.#end() });
    const title = t(this.isMetOnce ? "guide.game" : "guide");
    return this.root.replaceChildren(h("h2", { text: title }), h("p", { text: tip }), h("div", { class: "buttons" }, end));
  }

  /** Takes away a tip for a position that is not shown. */
  hide() {
    this.root.hidden = true;
  }

  #isTurnOver(own) {
    const first = this.seats.indexOf(own);
    return first >= 0 && this.seats.slice(first).some((seat) => seat !== own && seat !== null);
  }

  #tip(text, version) {
    if (!text || !this.isMetOnce) return text;
    if (!this.met.has(text)) this.met.set(text, version);
    return this.met.get(text) === version ? text : "";
  }

  #end() {
    this.isOn = false;
    this.root.hidden = true;
    history.replaceState(null, "", location.pathname);
  }
}
