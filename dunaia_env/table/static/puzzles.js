// Puzzles: the mistakes of a seat in an analysed game, largest first, in each of which a better choice is to be found.

import { get, post } from "./api.js";
import { Decision } from "./decision.js";
import { byId, h, seatMark, showMessage } from "./dom.js";
import { decimal, labelled, sentence, t } from "./i18n.js";
import { adviserText } from "./panel.js";
import { moveSign } from "./picture.js";

const points = (value) => decimal(value * 100, 1);

export class Puzzles {
  /**
   * @param {Object} options `picture`; `base`: the address of the analysis; `leave()`: back to the analysis;
   *   `playOn(number)`: plays on from a position.
   */
  constructor({ picture, base, leave, playOn }) {
    Object.assign(this, { picture, base, leave, playOn });
    this.root = byId("puzzle");
    this.decision = new Decision(byId("decision"), picture, (action) => this.#answer(action));
    this.result = byId("puzzle-result");
    this.active = false;
  }

  /** Begins with the largest mistake of a seat. */
  start(analysis, seat) {
    this.analysis = analysis;
    this.active = true;
    document.body.classList.add("solving");
    this.#choose(seat);
  }

  stop() {
    this.active = false;
    document.body.classList.remove("solving");
    this.decision.hide();
    this.picture.clear();
    this.root.hidden = true;
    this.result.hidden = true;
  }

  /** Says everything once more, in another language. */
  retell(analysis) {
    this.analysis = analysis;
    this.#show();
  }

  get #numbers() {
    return this.analysis.mistakes.filter((number) => this.analysis.decisions[number].seat === this.seat);
  }

  get #number() {
    return this.#numbers[this.index];
  }

  #choose(seat) {
    this.seat = seat;
    this.index = 0;
    this.answers = new Map();
    this.#show();
  }

  /** Shows the present puzzle, with its answer if there is one. */
  async #show() {
    const number = this.#number;
    this.result.hidden = true;
    this.decision.hide();
    try {
      const puzzle = await get(`${this.base}/puzzles/${number}`);
      if (!this.active || number !== this.#number) return;
      this.puzzle = puzzle;
      this.picture.show(puzzle);
      this.picture.clear();
      byId("notice").hidden = true;
      this.#head();
      const name = this.analysis.names[this.seat];
      byId("ticker-text").replaceChildren(seatMark(this.seat), h("b", { text: name }), labelled("", puzzle.choice.question));
      const answer = this.answers.get(number);
      if (answer) await this.#answer(answer.chosen.action);
      else this.decision.show(puzzle.choice, name, { focus: true });
    } catch (error) {
      showMessage(error.message);
    }
  }

  #head() {
    const { names, mistakes, decisions } = this.analysis;
    const seats = names.map((_, seat) => seat).filter((seat) => mistakes.some((number) => decisions[number].seat === seat));
    const select = h("select", { id: "puzzle-seat" }, ...seats.map((seat) => h("option", { value: String(seat), text: names[seat], selected: seat === this.seat })));
    select.addEventListener("change", () => this.#choose(Number(select.value)));
    const found = [...this.answers.values()].filter((answer) => answer.found).length;
    const progress = t("puzzle.progress", { number: this.index + 1, all: this.#numbers.length, found });
    this.root.replaceChildren(
      h("header", { class: "card-head" }, h("h2", { text: t("puzzle") }), h("button", { type: "button", class: "small", id: "puzzle-leave", text: t("puzzle.leave"), onclick: () => this.leave() })),
      seats.length > 1 ? h("label", { class: "row" }, h("span", { text: t("puzzle.seat") }), select) : "",
      h("p", { class: "hint", id: "puzzle-progress", text: progress }),
      h("p", { text: t("puzzle.task", { name: names[this.seat] }) }),
      h("p", { class: "hint", id: "puzzle-points", text: t("puzzle.points", { name: names[this.seat] }) }),
      h("p", { class: "hint", text: t("puzzle.help", { cost: decimal(this.puzzle.tolerance * 100, 0) }) }));
    this.root.hidden = false;
  }

  /** Lets the coach judge a choice; the first answer counts. */
  async #answer(action) {
    const number = this.#number;
    this.result.hidden = false;
    this.result.replaceChildren(h("p", { class: "hint dots", text: t("puzzle.busy") }));
    try {
      const answer = await post(`${this.base}/puzzles/${number}`, { action });
      if (!this.active || number !== this.#number) return;
      if (!this.answers.has(number)) this.answers.set(number, answer);
      this.decision.hide();
      this.#head();
      this.#tell(answer);
    } catch (error) {
      this.result.hidden = true;
      showMessage(error.message);
      if (this.active && number === this.#number) this.decision.show(this.puzzle.choice, this.analysis.names[this.seat]);
    }
  }

  #tell({ chosen, played, best, cost, played_cost: playedCost, found }) {
    const same = (one, other) => one.action === other.action;
    const title = t(same(chosen, best) ? "puzzle.best" : found ? "puzzle.found" : same(chosen, played) ? "puzzle.played" : "puzzle.missed");
    const row = (title, { sentence: words }, loss, ...signs) => [h("dt", {}, ...signs, title), h("dd", {}, sentence(words), loss > 0 ? h("small", { text: t("puzzle.loss", { cost: points(loss) }) }) : null)];
    const marks = { better: best.pieces, chosen: same(chosen, best) || same(chosen, played) ? [] : chosen.pieces, played: same(played, best) ? [] : played.pieces };
    this.picture.clear();
    this.picture.explore(true);
    this.picture.markMoves(marks);
    this.picture.reveal(best.pieces);
    const rows = same(chosen, best) ? [] : row(t("puzzle.choice"), chosen, cost, moveSign(same(chosen, played) ? "played" : "chosen"));
    const verdict = h("dl", { class: "verdict" }, ...rows,
      ...(same(chosen, played) ? [] : row(t("analysis.played"), played, playedCost, moveSign("played"))),
      ...row(t("coach.pick"), best, 0, moveSign("better")));
    const { adviser } = this.analysis;
    this.result.replaceChildren(h("h2", { class: found ? "" : "missed", text: title }), verdict,
      h("p", { class: "hint", text: adviserText(this.analysis, t("puzzle.estimate", { name: adviser })) }), this.#end(), this.#buttons());
    if (document.activeElement === document.body) this.result.focus({ preventScroll: true });
    this.result.scrollIntoView({ block: "nearest" });
  }

  /** Says how many were found, when all are answered. */
  #end() {
    const answers = [...this.answers.values()];
    if (answers.length < this.#numbers.length) return "";
    const found = answers.filter((answer) => answer.found).length;
    return h("p", { id: "puzzle-end" }, h("b", { text: t("puzzle.end", { found, all: answers.length }) }));
  }

  #buttons() {
    const more = this.index + 1 < this.#numbers.length;
    const next = h("button", { type: "button", class: "primary", id: "puzzle-next", text: t(more ? "puzzle.next" : "puzzle.again") });
    next.addEventListener("click", () => {
      if (!more) return this.#choose(this.seat);
      this.index += 1;
      return this.#show();
    });
    const number = this.#number;
    const on = h("button", { type: "button", class: "play-on", text: t("onward"), onclick: () => this.playOn(number) });
    return h("div", { class: "buttons" }, next, on);
  }
}
