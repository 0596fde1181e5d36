// Puzzles: the mistakes of a seat in an analysed game, in each of which a better choice is to be found. Those whose answer
// has not been shown yet come first, each part from the largest to the smallest.

import { get, post } from "./api.js";
import { Decision } from "./decision.js";
import { byId, h, seatMark, showMessage } from "./dom.js";
import { decimal, labelled, sentence, t } from "./i18n.js";
import { adviserText } from "./panel.js";
import { moveSign } from "./picture.js";

const points = (value) => decimal(value * 100, 1);

export class Puzzles {
  /**
   * @param {Object} options `picture`; `base`: the address of the analysis; `met`: the mistakes whose answer was shown,
   *   a set to which the solved ones are added; `leave()`: back to the analysis; `playOnButton(number)`: a button that
   *   plays on from a position, or null.
   */
  constructor({ picture, base, met, leave, playOnButton }) {
    Object.assign(this, { picture, base, met, leave, playOnButton });
    this.root = byId("puzzle");
    this.decision = new Decision(byId("decision"), picture, (action) => this.#try(action));
    this.result = byId("puzzle-result");
    this.active = false;
  }

  /** Begins with the mistakes of a seat. */
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

  get #number() {
    return this.numbers[this.index];
  }

  #choose(seat) {
    const own = this.analysis.mistakes.filter((number) => this.analysis.decisions[number].seat === seat);
    this.seat = seat;
    this.numbers = [...own.filter((number) => !this.met.has(number)), ...own.filter((number) => this.met.has(number))];
    this.index = 0;
    this.tried = new Map(); // for each mistake: whether it was found at once, the last choice, whether the answer is shown
    this.#show();
  }

  get #found() {
    return [...this.tried.values()].filter((one) => one.found).length;
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
      const tried = this.tried.get(number);
      if (!tried) return this.decision.show(puzzle.choice, name, { focus: true });
      const answer = await this.#judge(tried.action);
      if (answer) this.#tell(answer);
    } catch (error) {
      showMessage(error.message);
    }
    return undefined;
  }

  #head() {
    const { names, mistakes, decisions } = this.analysis;
    const seats = names.map((_, seat) => seat).filter((seat) => mistakes.some((number) => decisions[number].seat === seat));
    const select = h("select", { id: "puzzle-seat" }, ...seats.map((seat) => h("option", { value: String(seat), text: names[seat], selected: seat === this.seat })));
    select.addEventListener("change", () => this.#choose(Number(select.value)));
    const progress = t("puzzle.progress", { number: this.index + 1, all: this.numbers.length, found: this.#found });
    this.root.replaceChildren(
      h("header", { class: "card-head" }, h("h2", { text: t("puzzle") }), h("button", { type: "button", class: "small", id: "puzzle-leave", text: t("puzzle.leave"), onclick: () => this.leave() })),
      seats.length > 1 ? h("label", { class: "row" }, h("span", { text: t("puzzle.seat") }), select) : "",
      h("p", { class: "hint", id: "puzzle-progress", text: progress }),
      h("p", { text: t("puzzle.task", { name: names[this.seat] }) }),
      h("p", { class: "hint", id: "puzzle-points", text: t("puzzle.points", { name: names[this.seat] }) }),
      h("p", { class: "hint", text: t("puzzle.help", { cost: decimal(this.puzzle.tolerance * 100, 0) }) }));
    this.root.hidden = false;
  }

  /** What the coach says of a choice; null if it says nothing, or if another puzzle is shown meanwhile. */
  async #judge(action) {
    const number = this.#number;
    this.result.hidden = false;
    this.result.replaceChildren(h("p", { class: "hint dots", text: t("puzzle.busy") }));
    try {
      const answer = await post(`${this.base}/puzzles/${number}`, { action });
      return this.active && number === this.#number ? answer : null;
    } catch (error) {
      this.result.hidden = true;
      showMessage(error.message);
      if (this.active && number === this.#number) this.#ask();
      return null;
    }
  }

  /** Tries a choice: only the first one counts, and the answer is shown after the second. */
  async #try(action) {
    const answer = await this.#judge(action);
    if (!answer) return;
    const first = this.tried.get(this.#number);
    this.tried.set(this.#number, { found: first ? first.found : answer.found, action, isShown: Boolean(first) || answer.found });
    this.decision.hide();
    this.#head();
    this.#tell(answer);
  }

  #ask() {
    this.decision.show(this.puzzle.choice, this.analysis.names[this.seat]);
  }

  /** Says what a choice was worth, and the answer if it may be seen. */
  #tell(answer) {
    const tried = this.tried.get(this.#number);
    if (tried.isShown) {
      this.met.add(this.#number);
      this.#reveal(answer);
    } else {
      const wasPlayed = answer.chosen.action === answer.played.action;
      const reveal = () => {
        tried.isShown = true;
        this.decision.hide();
        this.#tell(answer);
      };
      this.result.replaceChildren(h("h2", { class: "missed", text: t(wasPlayed ? "puzzle.played" : "puzzle.missed") }), h("p", { text: t("puzzle.retry") }),
        h("div", { class: "buttons" }, h("button", { type: "button", class: "small", id: "puzzle-reveal", text: t("puzzle.reveal"), onclick: reveal })));
      this.#ask();
    }
    if (document.activeElement === document.body) this.result.focus({ preventScroll: true });
    this.result.scrollIntoView({ block: "nearest" });
  }

  #reveal({ chosen, played, best, cost, played_cost: playedCost, found }) {
    const same = (one, other) => one.action === other.action;
    const isSecond = found && !this.tried.get(this.#number).found;
    const title = t(isSecond ? "puzzle.second" : same(chosen, best) ? "puzzle.best" : found ? "puzzle.found" : same(chosen, played) ? "puzzle.played" : "puzzle.missed");
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
  }

  /** Says how many were found, when all are answered. */
  #end() {
    const all = this.numbers.length;
    return this.tried.size < all ? "" : h("p", { id: "puzzle-end" }, h("b", { text: t("puzzle.end", { found: this.#found, all }) }));
  }

  #buttons() {
    const more = this.index + 1 < this.numbers.length;
    const next = h("button", { type: "button", class: "primary", id: "puzzle-next", text: t(more ? "puzzle.next" : "puzzle.again") });
    next.addEventListener("click", () => {
      if (!more) return this.#choose(this.seat);
      this.index += 1;
      return this.#show();
    });
    return h("div", { class: "buttons" }, next, this.playOnButton(this.#number));
  }
}
