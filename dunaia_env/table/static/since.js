// What has happened since a person's last decision, beside the question that it has led to.

import { h, remember, remembered, seatMark } from "./dom.js";
import { sentence, sentenceOf, stopped, t } from "./i18n.js";
import { changeOf } from "./log.js";

const MOST = 5; // lines; the log has the rest
const narrow = matchMedia("(max-width: 1000px)"); // where the question stands below it, and only the latest line fits

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

  /** Takes note of an entry of the log; the person's own decision leaves only what it led to. */
  add(entry, own) {
    if (entry.seat !== own) return this.entries.push(entry);
    this.entries = entry.changes?.length ? [{ ...entry, text: null }] : [];
    return undefined;
  }

  /** Shows the latest entries, without what a notice beside the board tells. */
  show(names, notice) {
    const told = this.entries.filter((entry) => !notice || entry.notice !== notice);
    this.root.hidden = !told.length;
    if (this.root.hidden) return;
    const lines = told.slice(-MOST).map((entry) => h("li", {}, ...this.#line(entry, names)));
    const more = told.length - lines.length;
    const latest = h("span", { class: "since-latest" }, ...this.#line(told.at(-1), names));
    const summary = h("summary", {}, h("h2", { text: t("since") }), latest);
    const details = h("details", { open: remembered("since", !narrow.matches) }, summary, h("ul", {}, ...lines),
      more ? h("button", { type: "button", class: "small", text: t("since.more", { count: more }), onclick: this.onMore }) : null);
    summary.addEventListener("click", () => remember("since", !details.open));
    this.root.replaceChildren(details);
  }

  /** What an entry tells; of the person's own decision only what it led to. */
  #line(entry, names) {
    const isOwn = entry.text === null;
    const told = (change) => (isOwn && change.seat !== null ? sentenceOf(names[change.seat], change.text) : changeOf(change, entry, names));
    const changes = (entry.changes ?? []).map(told).join(" ");
    if (isOwn) return [h("span", { class: "since-changes", text: changes })];
    const said = entry.seat === null ? [sentence(entry.text)] : [seatMark(entry.seat), h("b", { text: names[entry.seat] }), ` ${stopped(entry.text)}`];
    return [...said, changes ? h("span", { class: "since-changes", text: ` ${changes}` }) : null];
  }

  hide() {
    this.root.hidden = true;
  }
}
