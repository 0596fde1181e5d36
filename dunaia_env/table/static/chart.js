// A line chart with a cursor. Lines differ by dashes and by the mark at their end, not only by colour.

import { MARKS, h, s, seatMark } from "./dom.js";
import { t } from "./i18n.js";

const WIDTH = 460;
const HEIGHT = 160;
const LEFT = 40;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 22;
const DASHES = ["", "9 4", "2.5 4", "12 4 2.5 4", "5 5", "16 3 2.5 3 2.5 3"];

/** Round steps between 0 and `top`, about four of them; `whole` ones where there is nothing between whole numbers. */
function ticks(top, whole) {
  const rough = whole ? Math.max(1, top / 4) : top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 2.5, 5, 10].map((factor) => factor * power);
  const step = steps.find((candidate) => candidate >= rough && (!whole || Number.isInteger(candidate)));
  const values = [];
  for (let value = 0; value <= top + step / 1000; value += step) values.push(value);
  return values;
}

function mark(seat, x, y) {
  const shape = seatMark(seat).firstElementChild.cloneNode();
  shape.setAttribute("class", "chart-mark");
  return s("g", { class: `seat-${seat % MARKS}`, transform: `translate(${x - 6} ${y - 6}) scale(0.75)` }, shape);
}

export class Chart {
  /**
   * @param {Object} options `title`; `names` of the lines; `values[line][position]`; `format` of a value; `top`: the
   *   largest value of the axis, the largest of the values if absent; `whole`: whether values are whole numbers;
   *   `marked`: positions with a mark on the axis; `onPick(position)`.
   */
  constructor({ title, names, values, format, top = null, whole = false, marked = [], onPick }) {
    this.values = values;
    this.format = format;
    this.last = values[0].length - 1;
    this.top = top ?? Math.max(1, ...values.flat());
    this.title = title;
    this.cursor = s("line", { class: "chart-cursor", y1: TOP, y2: HEIGHT - BOTTOM });
    this.dots = s("g");
    const grid = ticks(this.top, whole).flatMap((value) => [
      s("line", { class: "chart-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: this.#y(value), y2: this.#y(value) }),
      s("text", { class: "chart-text", x: LEFT - 6, y: this.#y(value) + 4, "text-anchor": "end", text: format(value) }),
    ]);
    const lines = values.map((line, seat) =>
      s("polyline", { class: `chart-line seat-${seat % MARKS}`, "stroke-dasharray": DASHES[seat % DASHES.length] || null, points: line.map((value, k) => `${this.#x(k).toFixed(1)},${this.#y(value).toFixed(1)}`).join(" ") }));
    const ends = values.map((line, seat) => mark(seat, this.#x(this.last), this.#y(line[this.last])));
    const marks = marked.map((k) => s("path", { class: "chart-mistake", d: `M${this.#x(k)} ${HEIGHT - BOTTOM + 2}l4 7h-8Z` }));
    this.svg = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": t("chart.label", { title }) },
      s("rect", { class: "chart-frame", x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }),
      ...grid, ...lines, ...marks, this.cursor, ...ends, this.dots);
    const pick = (event) => {
      const box = this.svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * WIDTH;
      onPick(Math.max(0, Math.min(this.last, Math.round(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * this.last))));
    };
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      pick(event);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (event.buttons) pick(event);
    });
    this.element = h("figure", {}, h("h2", { text: title }), this.svg);
    this.names = names;
  }

  #x(k) {
    return LEFT + (k / Math.max(1, this.last)) * (WIDTH - LEFT - RIGHT);
  }

  #y(value) {
    return TOP + (1 - value / this.top) * (HEIGHT - TOP - BOTTOM);
  }

  setCursor(k) {
    this.cursor.setAttribute("x1", this.#x(k));
    this.cursor.setAttribute("x2", this.#x(k));
    this.dots.replaceChildren(...this.values.map((line, seat) => mark(seat, this.#x(k), this.#y(line[k]))));
  }
}

/** The lines' names with how they are drawn, and their values at a position. */
export function legend(names, columns) {
  const rows = names.map((name, seat) =>
    h("li", {}, seatMark(seat),
      s("svg", { viewBox: "0 0 34 8", class: "dash", "aria-hidden": "true" }, s("line", { class: `chart-line seat-${seat % MARKS}`, x1: 2, x2: 32, y1: 4, y2: 4, "stroke-dasharray": DASHES[seat % DASHES.length] || null })),
      h("span", { class: "legend-name", text: name }), ...columns.map(({ values }) => h("span", { class: "number", text: values[seat] }))));
  const head = h("li", { class: "legend-head" }, h("span"), h("span"), h("span"), ...columns.map(({ title }) => h("span", { class: "number", text: title })));
  return h("ul", { class: "legend" }, head, ...rows);
}
