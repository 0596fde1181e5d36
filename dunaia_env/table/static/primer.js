// The rules of a game on one page, in a dialog.

import { h } from "./dom.js";
import { parse, recoloured } from "./drawing.js";
import { isDark, t } from "./i18n.js";

/** A drawing in the colours of the page, which a screen reader passes over. */
export function picture(source, dark, className) {
  const svg = document.importNode(parse(isDark() ? recoloured(source, dark) : source), true);
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  for (const name of ["role", "aria-label", "width", "height"]) svg.removeAttribute(name);
  return svg;
}

const dialog = h("dialog", { id: "primer", class: "primer", "aria-labelledby": "primer-title" });
document.body.append(dialog);

/**
 * Shows the rules of a game.
 * @param {Object} game as the server offers it.
 * @param {string} title what the game is called.
 */
export function showPrimer(game, title) {
  const lessons = game.introduction.lessons.map((lesson) =>
    h("li", { class: "lesson" }, picture(lesson.drawing, game.dark, "lesson-picture"), h("div", {}, h("h3", { text: lesson.title }), h("p", { text: lesson.text }))));
  dialog.replaceChildren(h("form", { method: "dialog" },
    h("h2", { id: "primer-title", text: t("lobby.primer.of", { game: title }) }), h("ol", { class: "lessons" }, ...lessons),
    h("div", { class: "buttons" }, h("button", { class: "primary", text: t("close") }))));
  dialog.showModal();
  dialog.scrollTop = 0;
}
