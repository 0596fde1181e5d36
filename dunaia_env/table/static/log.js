// The log of a table: what everybody decided and what followed, grouped by whose decisions they were.

import { h, seatMark } from "./dom.js";
import { sentence, sentenceOf, t } from "./i18n.js";

export class Log {
  /** @param {(position: number) => void} onLook is called with the position after the entry that was clicked. */
  constructor(root, onLook) {
    this.root = root;
    this.list = root.querySelector("ol");
    this.onLook = onLook;
    this.follow = true; // whether the end stays in sight
    root.addEventListener("scroll", () => (this.follow = root.scrollHeight - root.scrollTop - root.clientHeight < 40));
    new ResizeObserver(() => this.#toEnd()).observe(root);
    this.clear();
  }

  clear() {
    this.list.replaceChildren();
    this.last = -1; // the number of the last entry
    this.seat = undefined;
    this.group = null;
  }

  #name(seat, names) {
    return names[seat] ?? t("seat", { number: seat + 1 });
  }

  /** Adds an entry at the end, unless it is there already. */
  append(entry, names) {
    if (entry.number <= this.last) return;
    this.last = entry.number;
    if (entry.seat !== this.seat || !this.group) {
      this.seat = entry.seat;
      this.group = h("ol", { class: "log-entries" });
      const head = entry.seat === null
        ? h("p", { class: "log-head" }, t("log.everybody"))
        : h("p", { class: "log-head" }, seatMark(entry.seat), h("b", { text: this.#name(entry.seat, names) }));
      this.list.append(h("li", { class: "log-group" }, head, this.group));
    }
    const button = h("button", { type: "button", class: "log-line", "data-position": String(entry.number + 1), text: sentence(entry.text) });
    button.title = t("log.look");
    button.addEventListener("click", () => this.onLook(entry.number + 1));
    const changes = (entry.changes ?? []).map((change) =>
      h("li", {}, change.seat === null || change.seat === entry.seat ? sentence(change.text) : sentenceOf(this.#name(change.seat, names), change.text)));
    this.group.append(h("li", {}, button, changes.length ? h("ul", { class: "log-changes" }, ...changes) : null));
    this.#toEnd();
  }

  #toEnd() {
    if (this.follow) this.root.scrollTop = this.root.scrollHeight;
  }

  /** Marks the entry after which the shown position stands. */
  mark(position) {
    for (const line of this.list.querySelectorAll(".log-line[aria-current]")) line.removeAttribute("aria-current");
    if (position === null) {
      if (this.marked) this.follow = true;
      this.marked = false;
      this.#toEnd();
      return;
    }
    this.marked = true;
    this.follow = false;
    const line = this.list.querySelector(`[data-position="${position}"]`);
    if (!line) return;
    line.setAttribute("aria-current", "step");
    const top = line.getBoundingClientRect().top - this.root.getBoundingClientRect().top;
    if (top < 0 || top > this.root.clientHeight - 40) this.root.scrollTop += top - this.root.clientHeight / 2;
  }
}
