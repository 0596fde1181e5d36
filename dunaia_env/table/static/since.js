// What has happened since a person's last decision, beside the question that it has led to.

import { h, remember, remembered, seatMark } from "./dom.js";
import { sentence, stopped, t } from "./i18n.js";
import { changeOf } from "./log.js";

const MOST = 5; // lines; the log has the rest

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
    this.entries = [];
    this.hide();
  }

  /** Takes note of an entry of the log; the person's own decision leaves only what followed it. */
  add(entry, own) {
    if (entry.seat !== own) return this.entries.push(entry);
    const changes = (entry.changes ?? []).filter((change) => change.seat !== own);
    this.entries = changes.length ? [{ ...entry, text: null, changes }] : [];
    return undefined;
  }

  /** Shows the latest entries, without what a notice beside the board tells. */
  show(names, notice) {
    const told = this.entries.filter((entry) => !notice || entry.notice !== notice);
    this.root.hidden = !told.length;
    if (this.root.hidden) return;
    const lines = told.slice(-MOST).map((entry) => this.#line(entry, names));
    const more = told.length - lines.length;
    const details = h("details", { open: remembered("since", true) }, h("summary", {}, h("h2", { text: t("since") })), h("ul", {}, ...lines),
      more ? h("button", { type: "button", class: "small", text: t("since.more", { count: more }), onclick: this.onMore }) : null);
    details.addEventListener("toggle", () => remember("since", details.open));
    this.root.replaceChildren(details);
  }

  #line(entry, names) {
    const changes = (entry.changes ?? []).map((change) => changeOf(change, entry, names)).join(" ");
    if (entry.text === null) return h("li", {}, h("span", { class: "since-changes", text: changes }));
    const said = entry.seat === null ? [sentence(entry.text)] : [seatMark(entry.seat), h("b", { text: names[entry.seat] }), ` ${stopped(entry.text)}`];
    return h("li", {}, ...said, changes ? h("span", { class: "since-changes", text: ` ${changes}` }) : null);
  }

  hide() {
    this.root.hidden = true;
  }
}
