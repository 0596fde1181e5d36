// The log of a table: what everybody decided and what followed, grouped by whose decisions they were.

import { h, seatMark } from "./dom.js";
import { sentence, sentenceOf, t } from "./i18n.js";

const NEAR = 40; // px from the end that still count as the end
const INTENT = 1000; // ms after the user's input in which scrolling is theirs

/**
 * A change that followed a decision, as a sentence.
 * @param {number|null} told the seat that the sentence speaks of already; null for none.
 * @param {number|null} own the seat of whoever reads it.
 */
export function changeOf(change, told, names, own) {
  if (change.to_seat && change.seat === own) return sentence(change.to_seat);
  return change.seat === null || change.seat === told ? sentence(change.text) : sentenceOf(names[change.seat], change.text);
}

/** The changes that followed a decision, as sentences; those about its seat name it once something else has been told. */
export function changesOf(changes, seat, names, own) {
  let told = seat;
  return changes.map((change) => {
    if (change.seat !== seat) told = null;
    return changeOf(change, told, names, own);
  });
}

/** Whether a change stands on a line of its own for a reader; what speaks to a seat does so for that seat alone. */
export const isApart = (change, own) => Boolean(change.is_apart) && (!change.to_seat || change.seat === own);

/** What stands on a line of its own. */
export const apart = (change, names, own) => [change.seat === null ? null : seatMark(change.seat), h("b", { text: changeOf(change, null, names, own) })];

export class Log {
  /**
   * @param {HTMLElement} root the element that scrolls.
   * @param {HTMLElement} newest a button that leads back to the end.
   * @param {(position: number) => void} onLook is called with the position after the entry that was clicked.
   * @param {(entry: Object) => void} onEntry is called with each new entry.
   */
  constructor(root, newest, onLook, onEntry = () => undefined) {
    this.root = root;
    this.newest = newest;
    this.list = root.querySelector("ol");
    this.onLook = onLook;
    this.onEntry = onEntry;
    this.follow = true; // whether the end stays in sight
    this.touched = -Infinity; // when the user last did something that scrolls
    this.held = false; // whether the user holds the bar or the text
    this.top = 0; // where the last scrolling ended
    // The log also scrolls when its size changes: only what the user's own input did says what they want to see.
    for (const input of ["wheel", "touchmove", "keydown"]) root.addEventListener(input, () => (this.touched = performance.now()), { passive: true });
    root.addEventListener("pointerdown", () => (this.held = true));
    for (const end of ["pointerup", "pointercancel", "blur"]) {
      addEventListener(end, () => {
        if (this.held) this.touched = performance.now();
        this.held = false;
      });
    }
    root.addEventListener("scroll", () => {
      const up = root.scrollTop < this.top - 1;
      this.top = root.scrollTop;
      if (!this.held && performance.now() - this.touched > INTENT) return;
      if (this.#atEnd()) this.#setFollow(true);
      else if (up) this.#setFollow(false);
    });
    newest.addEventListener("click", () => {
      this.#setFollow(true);
      this.#toEnd();
      root.focus({ preventScroll: true });
    });
    new ResizeObserver(() => this.#toEnd()).observe(root);
    this.clear();
  }

  clear() {
    this.list.replaceChildren();
    this.last = -1; // the number of the last entry
    this.seat = undefined;
    this.group = null;
  }

  /** Adds an entry at the end, unless it is there already. */
  append(entry, names, own) {
    if (entry.number <= this.last) return;
    this.last = entry.number;
    if (entry.seat !== this.seat || !this.group) {
      this.seat = entry.seat;
      this.group = h("ol", { class: "log-entries" });
      const head = entry.seat === null
        ? h("p", { class: "log-head" }, t("log.everybody"))
        : h("p", { class: "log-head" }, seatMark(entry.seat), h("b", { text: names[entry.seat] }));
      this.list.append(h("li", { class: "log-group" }, head, this.group));
    }
    const button = h("button", { type: "button", class: "log-line", "data-position": String(entry.number + 1), "data-seat": String(entry.seat), text: sentence(entry.text) });
    button.title = t("log.look");
    button.addEventListener("click", () => this.onLook(entry.number + 1));
    const told = changesOf(entry.changes ?? [], entry.seat, names, own);
    const lineOf = (change, index) => (isApart(change, own) ? h("li", { class: "log-apart" }, ...apart(change, names, own)) : h("li", { text: told[index] }));
    const changes = (entry.changes ?? []).map(lineOf);
    this.onEntry(entry);
    this.group.append(h("li", {}, button, changes.length ? h("ul", { class: "log-changes" }, ...changes) : null));
    this.#toEnd();
  }

  /** Shows what has happened besides decisions, each after the decision that it followed: [{number, text}, …]. */
  setNotes(notes) {
    for (const note of this.list.querySelectorAll(".log-note")) note.remove();
    const lines = [...this.list.querySelectorAll(".log-line")];
    for (const { number, text } of notes) {
      const before = lines.findLast((line) => Number(line.dataset.position) <= number);
      const note = h("li", { class: "log-note", text });
      if (!before) {
        this.list.insertBefore(note, this.list.querySelector(".log-group"));
        continue;
      }
      let after = before.closest("li");
      while (after.nextElementSibling?.classList.contains("log-note")) after = after.nextElementSibling;
      after.after(note);
    }
    this.#toEnd();
  }

  #atEnd() {
    return this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < NEAR;
  }

  #setFollow(follow) {
    this.follow = follow;
    this.newest.hidden = follow || Boolean(this.marked);
  }

  #toEnd() {
    if (!this.follow) return;
    this.root.scrollTop = this.root.scrollHeight;
    this.top = this.root.scrollTop;
  }

  /** The first position from one on in which a seat decides; null if it decides no more. */
  nextDecision(seat, position) {
    const line = [...this.list.querySelectorAll(`.log-line[data-seat="${seat}"]`)].find((one) => Number(one.dataset.position) > position);
    return line ? Number(line.dataset.position) - 1 : null;
  }

  /** Marks the entry after which the shown position stands. */
  mark(position) {
    this.touched = -Infinity; // the scrolling that follows is not the user's
    for (const line of this.list.querySelectorAll(".log-line[aria-current]")) line.removeAttribute("aria-current");
    if (position === null) {
      const back = this.marked;
      this.marked = false;
      this.#setFollow(back || this.follow);
      this.#toEnd();
      return;
    }
    this.marked = true;
    this.#setFollow(false);
    const line = this.list.querySelector(`[data-position="${position}"]`);
    if (!line) return;
    line.setAttribute("aria-current", "step");
    const top = line.getBoundingClientRect().top - this.root.getBoundingClientRect().top;
    if (top < 0 || top > this.root.clientHeight - 40) this.root.scrollTop += top - this.root.clientHeight / 2;
  }
}
