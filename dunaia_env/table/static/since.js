// What has happened since a person's last decision, beside the question that it has led to.

import { h, remember, remembered, seatMark } from "./dom.js";
import { sentence, stopped, t } from "./i18n.js";
import { apart, changesOf, isApart } from "./log.js";

const MOST = 5; // entries; the log has the rest
const narrow = matchMedia("(max-width: 1000px)"); // where the question stands below it, and only few lines fit

export class Since {
  /**
   * @param {HTMLElement} root
   * @param {() => void} onMore leads to the log.
   */
  constructor(root, onMore) {
    this.root = root;
    this.onMore = onMore;
    this.clear();
  }

  clear() {
    this.own = null; // the person's last decision
    this.entries = []; // what came after it
    this.hide();
  }

  /** Takes note of an entry of the log; a decision of the person's own begins anew, one that an agent made for them does not. */
  add(entry, own) {
    if (entry.seat !== own || entry.by_agent) return this.entries.push(entry);
    this.own = entry;
    this.entries = [];
    return undefined;
  }

  /** Shows what the own decision led to and the latest entries, without what a notice beside the board tells. */
  show(names, own, notice) {
    const isTold = (entry) => !notice || entry.notice !== notice;
    const others = this.entries.filter(isTold);
    const led = this.own && isTold(this.own) && (this.own.changes?.length || others.length) ? [this.own] : [];
    this.root.hidden = !led.length && !others.length;
    if (this.root.hidden) return;
    const lines = (entry) => this.#lines(entry, names, own);
    const latest = others.slice(-(MOST - led.length));
    const more = others.length - latest.length;
    const items = (entry) => lines(entry).map((line, index) => h("li", { class: index ? "since-apart" : null }, ...line));
    const list = h("ul", {}, ...[...led, ...latest].flatMap(items));
    const details = h("details", { open: remembered("since", !narrow.matches) }, this.#summary(led, others, lines), list,
      more ? h("button", { type: "button", class: "small", text: t("since.more", { count: more }), onclick: this.onMore }) : null);
    details.querySelector("summary").addEventListener("click", () => remember("since", !details.open));
    this.root.replaceChildren(details);
  }

  /** What can be read while it is folded: what the own decision led to, the latest entry, and what stands apart. */
  #summary(led, others, lines) {
    const folded = [...led.filter((entry) => entry.changes?.length), ...others.slice(-1)];
    const besides = led.length + others.length - folded.length;
    const overlooked = others.slice(0, -1).flatMap((entry) => lines(entry).slice(1));
    const shown = [...overlooked, ...folded.flatMap(lines)].map((line) => h("span", { class: "since-latest" }, ...line));
    return h("summary", {}, h("h2", { text: t("since") }), ...shown,
      besides ? h("span", { class: "since-besides", text: t("since.besides", { count: besides }) }) : null);
  }

  /** The line of an entry, and those of its changes that stand apart. */
  #lines(entry, names, own) {
    const changes = entry.changes ?? [];
    const told = changesOf(changes.filter((change) => !isApart(change, own)), entry.seat, names, own).join(" ");
    const said = entry.seat === null ? [sentence(entry.text)] : [seatMark(entry.seat), h("b", { text: names[entry.seat] }), ` ${stopped(entry.text)}`];
    const line = [...said, told ? h("span", { class: "since-changes", text: ` ${told}` }) : null];
    return [line, ...changes.filter((change) => isApart(change, own)).map((change) => apart(change, names, own))];
  }

  hide() {
    this.root.hidden = true;
  }
}
