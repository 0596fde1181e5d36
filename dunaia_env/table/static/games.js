// The cards of the games: a picture, what the game is about, its rules on one page, and a guided first turn.

import { h } from "./dom.js";
import { onTheme, t } from "./i18n.js";
import { picture, showPrimer } from "./primer.js";

function card(game, { titled, chosen, choose, guide }) {
  const title = titled(game);
  const input = h("input", { type: "radio", name: "game", value: game.name, checked: game.name === chosen });
  input.addEventListener("change", () => choose(game.name));
  const [least, most] = game.players;
  const players = least === most ? t("lobby.count", { least }) : t("lobby.counts", { least, most });
  const words = h("span", { class: "game-words" }, h("b", { text: title }), h("small", { text: players }), game.introduction ? h("span", { text: game.introduction.about }) : null);
  const choice = h("label", { class: "game-choice" }, input, game.cover ? picture(game.cover, game.dark, "game-cover") : null, words);
  const more = [];
  if (game.introduction?.lessons.length) {
    more.push(h("button", { type: "button", class: "small", "data-primer": game.name, text: t("lobby.primer"), "aria-label": t("lobby.primer.of", { game: title }), onclick: () => showPrimer(game, title) }));
  }
  if (game.introduction?.guide) more.push(h("button", { type: "button", class: "small", "data-guide": game.name, text: t(game.introduction.guide.is_met_once ? "lobby.guide.game" : "lobby.guide"), onclick: () => guide(game) }));
  return h("div", { class: `game-card${game.name === chosen ? " chosen" : ""}` }, choice, more.length ? h("div", { class: "buttons" }, ...more) : null);
}

let draw = () => undefined;

/**
 * Shows a card for each game.
 * @param {Object} options `titled(game)`; `chosen`: a name; `choose(name)`; `guide(game)`: opens a guided table.
 */
export function showCards(root, games, options) {
  draw = () => {
    const held = root.contains(document.activeElement) ? document.activeElement.value : null;
    root.replaceChildren(...games.map((game) => card(game, options)));
    if (held) root.querySelector(`input[value="${CSS.escape(held)}"]`)?.focus();
  };
  draw();
}

onTheme(() => draw());
