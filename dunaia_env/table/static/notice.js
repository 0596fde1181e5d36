// What everybody is shown of a decision, such as a battle: a table with a column for each seat that took part.

import { h, seatMark } from "./dom.js";
import { sentence } from "./i18n.js";

const WATCHED = 8; // decisions for which somebody who watches sees a notice

/** The content of a notice. */
export function noticeTable(notice, names) {
  const heads = notice.seats.map((seat) => h("th", { scope: "col" }, seatMark(seat), ` ${names[seat]}`));
  const rows = notice.rows.map(([title, cells]) => h("tr", {}, h("th", { scope: "row", text: title }), ...cells.map((text) => h("td", { text }))));
  return [
    h("h2", { text: notice.title }),
    h("table", { class: "notice-table" }, h("thead", {}, h("tr", {}, h("td"), ...heads)), h("tbody", {}, ...rows)),
    ...notice.lines.map((line) => h("p", { text: sentence(line) })),
  ];
}

/** The newest notice beside the board, until its reader's next decision that does not follow from it directly. */
export class NoticeCard {
  constructor(root) {
    this.root = root;
    this.clear();
  }

  clear() {
    this.kept = new Map(); // the notices by the position after their decision
    this.position = null; // that of the newest notice that has not gone yet
    this.#show(null);
  }

  /** Takes note of an entry of the log. */
  add(entry, own, names) {
    if (entry.notice) {
      this.names = names;
      this.kept.set(entry.number + 1, entry.notice);
      this.position = entry.number + 1;
      this.age = 0;
      this.settled = false; // whether the decisions that follow directly, all of the same seat, are made
      this.follower = null;
    } else if (this.position !== null) {
      this.age += 1;
      this.follower ??= entry.seat;
      this.settled ||= entry.seat !== this.follower;
      if (own === null ? this.age > WATCHED : this.settled && entry.seat === own) this.position = null;
    }
    this.look(null);
  }

  /** Shows the notice of the decision that led to a position; null shows the newest one again. */
  look(position) {
    this.#show(this.kept.get(position ?? this.position) ?? null);
  }

  #show(notice) {
    this.shown = notice; // null if none is shown
    this.root.hidden = !notice;
    this.root.replaceChildren(...(notice ? noticeTable(notice, this.names) : []));
  }
}
