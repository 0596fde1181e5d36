// Links of a table that people pass on.

import { h, remember, remembered } from "./dom.js";
import { t } from "./i18n.js";

function linkRow(label, link) {
  const whole = new URL(link, location.origin).href;
  const field = h("input", { type: "text", readonly: true, value: whole, "aria-label": t("links.of", { name: label }) });
  const copy = h("button", { type: "button", text: t("links.copy"), "aria-label": t("links.copyof", { name: label }) });
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(whole);
    } catch {
      field.select();
      document.execCommand("copy");
    }
    copy.textContent = t("links.copied");
  });
  field.addEventListener("focus", () => field.select());
  return h("li", { class: "link-row" }, h("b", { text: label }), h("span", { class: "link-field" }, field, copy), h("a", { href: link, text: t("links.go") }));
}

const MOST_FINISHED = 8; // finished tables that this browser remembers

/** The remembered tables with a new one, the newest first: finished ones make room, unfinished ones are never lost. */
export function withTable(tables, made) {
  const all = [made, ...tables];
  const kept = all.filter((table) => table.over).slice(0, MOST_FINISHED);
  return all.filter((table) => !table.over || kept.includes(table));
}

/** Remembers a table that this browser has opened; returns what is remembered of it. */
export function keepOpened(title, names, { seats, watch, key }) {
  const made = { title, names, seats, watch, key, time: Date.now() };
  remember("recent", withTable(remembered("recent", []), made));
  return made;
}

/** The same person's link to the table of which this one is the rematch. */
export const formerLink = (link) => link.replace(/\.(\d+)$/, (_, number) => (number === "1" ? "" : `.${number - 1}`));

/** Rows with the links of a table: one for each person, with the names of the seats, and one for those who watch. */
export function linkList(table, names = table.names) {
  const rows = table.seats.map((seat) => linkRow(names?.[seat.seat] ?? t("seat", { number: seat.seat + 1 }), seat.link));
  return table.watch ? [...rows, linkRow(t("links.watch"), table.watch)] : rows;
}
