// The picture of a game and what lies over it: buttons for the pieces that can be chosen, tooltips, and the flash of what
// has changed. The picture itself comes from the server; its pieces are the elements with a name in `data-piece`, in the
// drawing and in what is written around it.

import { Around } from "./around.js";
import { byId, h, remember, remembered, s } from "./dom.js";
import { parse, recoloured } from "./drawing.js";
import { isDark, onTheme, t } from "./i18n.js";
import { isAtRest, motion } from "./sight.js";
import { fitTexts } from "./small.js";

const LONG_PRESS = 450; // ms
const MOVE_SIGNS = { better: "✓", played: "×", chosen: "•" };
const ZOOMS = [1, 1.2, 1.6, 2, 2.75, 3.75];
const LEGIBLE = 12; // px, the least size of texts on wide pages
const MANY_AREAS = 6; // areas beyond which they are only tinted, without frames
const MOST_AREAS = 30; // areas beyond which the tint is pale, because it covers most of the map
const EDGE = 24; // px beyond an edge that are worth a button
const MARGIN = 12; // px beside a piece that is scrolled to

/** The sign of a kind of move, as the board has it, for the words about it. */
export const moveSign = (kind) => h("span", { class: `move-sign ${kind}`, "aria-hidden": "true", text: MOVE_SIGNS[kind] });

/**
 * Where to scroll along one axis so that as many spans as possible can be seen; the present place if it shows as many.
 * @param {number[][]} spans their beginnings and ends, in percent of the whole.
 * @param {number} whole the length of what scrolls, in pixels, like `view`, the length that is seen of it, and `now`.
 */
function inView(spans, whole, view, now) {
  const inPixels = spans.map(([from, to]) => [(from * whole) / 100, (to * whole) / 100]);
  const seen = (place) => inPixels.filter(([from, to]) => from >= place && to <= place + view);
  const most = Math.max(0, whole - view);
  const places = inPixels.map(([from]) => Math.max(0, Math.min(most, from - MARGIN)));
  const best = places.reduce((one, other) => (seen(other).length > seen(one).length ? other : one), now);
  if (best === now) return now;
  // What is seen there stands in the middle.
  const found = seen(best);
  const [first, last] = [Math.min(...found.map(([from]) => from)), Math.max(...found.map(([, to]) => to))];
  return Math.max(0, Math.min(most, (first + last - view) / 2));
}

export class Picture {
  /**
   * @param {HTMLElement} stage the element that scrolls; the picture is laid into it.
   * @param {Object} options `describe(name)`: more to say about a piece than its tooltip, or null.
   */
  constructor(stage, { describe = () => null } = {}) {
    this.stage = stage;
    this.describe = describe;
    this.spots = h("div", { class: "spots" });
    this.canvas = h("div", { class: "canvas" }, this.spots);
    this.tooltip = h("div", { class: "tooltip", id: "tooltip", role: "tooltip", hidden: true });
    this.around = new Around();
    const view = h("div", { class: "view" });
    stage.before(this.around.steps);
    stage.replaceWith(view);
    this.edges = [-1, 1].map((direction) => this.#edge(direction));
    view.append(stage, ...this.edges);
    view.after(this.around.root);
    stage.append(this.canvas);
    stage.addEventListener("scroll", () => this.#scrolls(), { passive: true });
    (document.querySelector("main") ?? document.body).append(this.tooltip);
    new ResizeObserver(() => this.#scrolls()).observe(stage);
    new ResizeObserver(() => {
      this.#scrolls();
      if (this.svg) fitTexts(this.svg);
    }).observe(this.canvas);
    this.svg = null;
    this.source = "";
    this.dark = {};
    this.pieces = {};
    this.tinted = [];
    this.prints = new Map();
    this.explored = false;
    this.focus = [];
    this.focused = ""; // the focus that was revealed last
    this.revealed = []; // the pieces that were to be revealed last
    this.covered = 0; // px of the place's upper part that are above the screen
    this.above = 0; // px of empty space above the picture
    this.zoom = 0;
    this.#listen();
  }

  /**
   * Shows a position; returns the names of the pieces that differ from the one before.
   * @param {Object} position `picture`: the drawing as text; `around`: what is written around it, or null; `pieces`: texts
   *   by piece; `focus`: the pieces that matter most, see `reveal`; `dark`: the drawing's colours on dark pages; `least_text`: the least size of its texts.
   */
  show({ picture, around, pieces, focus, dark, least_text: leastText }) {
    this.pieces = pieces;
    this.focus = focus ?? [];
    const source = JSON.stringify([picture, around]);
    if (source === this.source) return [];
    const prints = new Map();
    for (const element of parse(picture).querySelectorAll("[data-piece]")) prints.set(element.dataset.piece, element.outerHTML);
    this.around.show(around);
    for (const [name, print] of this.around.prints()) prints.set(name, print);
    const changed = [];
    if (this.svg) {
      for (const [name, print] of prints) if (this.prints.get(name) !== print) changed.push(name);
    }
    Object.assign(this, { prints, source, drawn: picture, dark: dark ?? {} });
    this.stage.closest(".board")?.classList.toggle("with-around", Boolean(around));
    this.#draw();
    const { width, height } = this.svg.viewBox.baseVal;
    if (height > 0) this.canvas.style.setProperty("--aspect", String(width / height));
    this.canvas.style.setProperty("--least-width", leastText ? `${Math.ceil((LEGIBLE * width) / leastText)}px` : "700px");
    this.hideTooltip();
    this.clear();
    return changed;
  }

  /** Draws the picture in the colours of the page. */
  #draw() {
    const shown = document.importNode(parse(isDark() ? recoloured(this.drawn, this.dark) : this.drawn), true);
    if (!shown.hasAttribute("role")) shown.setAttribute("role", "img");
    if (!shown.hasAttribute("aria-label")) shown.setAttribute("aria-label", t("picture.label"));
    shown.removeAttribute("width");
    shown.removeAttribute("height");
    for (const title of shown.querySelectorAll("title")) title.remove(); // the page's own tooltips say more
    if (this.svg) this.svg.replaceWith(shown);
    else this.canvas.prepend(shown);
    this.svg = shown;
    fitTexts(shown);
    this.#tint(this.tinted);
  }

  /** Tints areas, and frames few of them, beneath everything that stands in areas or is written on them. */
  #tint(names) {
    this.tinted = names;
    this.svg?.querySelector(".tints")?.remove();
    const outlines = names.map((name) => this.#area(this.#drawn(name))).filter(Boolean);
    const first = this.svg?.querySelector("[data-piece] > polygon:first-child");
    const shapes = outlines.map((outline) => s("polygon", { points: outline.getAttribute("points") }));
    const kind = shapes.length > MOST_AREAS ? "tints pale" : shapes.length > MANY_AREAS ? "tints" : "tints framed";
    if (shapes.length) first.parentElement.before(s("g", { class: kind, "pointer-events": "none" }, ...shapes));
  }

  #drawn(name) {
    return this.svg?.querySelector(`[data-piece="${CSS.escape(name)}"]`) ?? null;
  }

  /** The outline of a drawn piece that is an area, or null. */
  #area(element) {
    return element?.firstElementChild?.tagName === "polygon" ? element.firstElementChild : null;
  }

  has(name) {
    return Boolean(this.around.find(name)) || this.isOnBoard(name);
  }

  /** Whether a piece is in the drawing itself, not in what is written around it. */
  isOnBoard(name) {
    return Boolean(this.#drawn(name));
  }

  /** What a piece is, in short: the first sentence of its tooltip. */
  label(name) {
    const text = this.pieces[name] ?? name;
    return text.split("\n")[0].split(/(?<=[.!?:])\s/)[0].replace(/\s*[.:]$/, "");
  }

  #box(name) {
    const element = this.#drawn(name);
    if (!element) return null;
    const whole = this.svg.getBoundingClientRect();
    const outline = this.#area(element);
    const box = (outline ?? element).getBoundingClientRect();
    if (!whole.width || !box.width) return null;
    const least = 22; // px, so that small pieces can be hit
    const grow = Math.max(0, (least - box.width) / 2);
    const growTall = Math.max(0, (least - box.height) / 2);
    return {
      left: ((box.left - grow - whole.left) / whole.width) * 100,
      top: ((box.top - growTall - whole.top) / whole.height) * 100,
      width: ((box.width + 2 * grow) / whole.width) * 100,
      height: ((box.height + 2 * growTall) / whole.height) * 100,
      round: element.firstElementChild?.tagName === "circle",
      outline: outline && this.#outline(outline, box),
    };
  }

  /** The corners of a polygon in percent of its box. */
  #outline(polygon, box) {
    const toScreen = polygon.getScreenCTM();
    return [...polygon.points].map((point) => {
      const { x, y } = point.matrixTransform(toScreen);
      return [((x - box.left) / box.width) * 100, ((y - box.top) / box.height) * 100];
    });
  }

  /** Gives a button or a mark the form of its piece, so that pieces whose boxes overlap can be told apart. */
  #form(spot, box, clipped) {
    if (!box.outline) return;
    spot.classList.add("formed");
    const corners = box.outline.map(([x, y]) => [x.toFixed(2), y.toFixed(2)]);
    if (clipped) spot.style.setProperty("clip-path", `polygon(${corners.map(([x, y]) => `${x}% ${y}%`).join(",")})`);
    const shape = s("polygon", { points: corners.map((corner) => corner.join(",")).join(" ") });
    spot.append(s("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, shape));
  }

  /** A button at an edge beyond which more of the picture lies. */
  #edge(direction) {
    const side = direction < 0 ? "left" : "right";
    const button = h("button", { type: "button", class: `edge edge-${side}`, hidden: true, text: direction < 0 ? "‹" : "›" });
    button.addEventListener("click", () => this.stage.scrollBy({ left: direction * this.stage.clientWidth * 0.8, behavior: motion() }));
    return button;
  }

  /** A picture larger than its place can be scrolled, by keys and by buttons at its edges. */
  #scrolls() {
    const { stage } = this;
    const beyond = [stage.scrollLeft, stage.scrollWidth - stage.clientWidth - stage.scrollLeft];
    this.edges.forEach((button, side) => {
      button.hidden = beyond[side] < EDGE;
      button.setAttribute("aria-label", t(side ? "view.right" : "view.left"));
    });
    const larger = stage.scrollWidth > stage.clientWidth + 1 || stage.scrollHeight > stage.clientHeight + 1;
    if (!larger) return stage.removeAttribute("tabindex");
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", t("board"));
    return stage.setAttribute("tabindex", "0");
  }

  #place(element, box) {
    for (const side of ["left", "top", "width", "height"]) element.style.setProperty(side, `${box[side]}%`);
    element.style.setProperty("z-index", String(10000 - Math.round(box.width * box.height)));
    element.classList.toggle("round", box.round);
  }

  /** Lays a button or a mark over its piece; returns whether the piece is there. */
  #lay(element, name, { clipped = false, formed = true } = {}) {
    const host = this.around.find(name);
    if (host) {
      element.classList.add("laid");
      host.append(element);
      return true;
    }
    const box = this.#box(name);
    if (!box) return false;
    this.#place(element, box);
    if (formed) this.#form(element, box, clipped);
    this.spots.append(element);
    return true;
  }

  /** The buttons and marks of a kind, in the order of the page. */
  #laid(selector) {
    return [this.spots, this.around.root].flatMap((root) => [...root.querySelectorAll(selector)]);
  }

  /** Whether pieces are offered, and whether an element is one of their buttons. */
  get isOffering() {
    return this.#laid(".spot, .spot-quiet, .path-mark").length > 0;
  }

  holds(element) {
    return Boolean(element?.matches?.("[data-spot]"));
  }

  /** Takes all buttons and marks off the picture. */
  clear() {
    this.spots.replaceChildren();
    for (const element of this.#laid(".laid")) element.remove();
    this.#tint([]);
  }

  /**
   * Makes pieces clickable.
   * @param {string[]} names of the pieces that can be chosen.
   * @param {(name: string) => void} onPick
   * @param {(name: string) => string} label what choosing a piece means.
   */
  offer(names, onPick, label = (name) => this.label(name)) {
    this.clear();
    for (const name of names) {
      const spot = h("button", { type: "button", class: "spot", "data-spot": name, "aria-label": label(name) });
      spot.addEventListener("click", (event) => {
        event.stopPropagation();
        if (this.suppressClick) return;
        this.hideTooltip();
        this.quiet = true; // no tooltip for what happens to lie under a pointer that does not move
        onPick(name);
      });
      this.#lay(spot, name, { clipped: true });
    }
    this.#tint(names);
    if (this.explored) this.#addExplored(new Set(names));
  }

  /** Lets the arrow keys reach every piece, also those that cannot be chosen. */
  explore(explored) {
    this.explored = explored;
    for (const spot of this.#laid(".spot-quiet")) spot.remove();
    if (explored) this.#addExplored(new Set(this.#laid(".spot").map((spot) => spot.dataset.spot)));
  }

  #addExplored(taken) {
    let first = taken.size === 0;
    for (const name of this.prints.keys()) {
      if (taken.has(name) || !this.pieces[name]) continue;
      const spot = h("button", {
        type: "button", class: "spot-quiet", "data-spot": name, "aria-label": this.label(name), "aria-disabled": "true",
        tabindex: first ? "0" : "-1",
      });
      if (this.#lay(spot, name, { formed: false })) first = false;
    }
  }

  /** Numbers the pieces of a chosen path. */
  markPath(names) {
    for (const mark of this.#laid(".path-mark")) mark.remove();
    names.forEach((name, index) => {
      const mark = h("span", { class: "path-mark", "aria-hidden": "true" }, h("b", { text: names.length > 1 ? String(index + 1) : "✓" }));
      this.#lay(mark, name);
    });
  }

  /** Marks the pieces of whole actions by kind, `{ better: names, … }`; a kind has a look of its own. */
  markMoves(moves) {
    for (const mark of this.#laid(".move-mark")) mark.remove();
    for (const [kind, names] of Object.entries(moves ?? {})) {
      for (const [index, name] of names.entries()) {
        const sign = names.length > 1 ? String(index + 1) : MOVE_SIGNS[kind];
        const mark = h("span", { class: `move-mark ${kind}`, "aria-hidden": "true" }, h("b", { text: sign }));
        this.#lay(mark, name);
      }
    }
  }

  /** Lets pieces flash for a moment. */
  flash(names) {
    for (const old of this.#laid(".flash")) old.remove();
    const written = names.filter((name) => this.around.find(name)).filter((name) => !this.around.find(name).closest("details:not([open])"));
    const boxes = names.map((name) => this.#box(name)).filter(Boolean);
    // A group that contains other changed pieces would only frame them a second time.
    const inside = (a, b) =>
      a !== b && a.left >= b.left - 0.1 && a.top >= b.top - 0.1 && a.left + a.width <= b.left + b.width + 0.1 && a.top + a.height <= b.top + b.height + 0.1;
    const smallest = boxes.filter((box) => !boxes.some((other) => inside(other, box) && other.width * other.height < box.width * box.height * 0.9));
    const made = () => {
      const mark = h("span", { class: "flash", "aria-hidden": "true" });
      mark.addEventListener("animationend", () => mark.remove());
      return mark;
    };
    for (const name of written) this.#lay(made(), name);
    for (const box of smallest) {
      const mark = made();
      this.#place(mark, box);
      this.spots.append(mark);
    }
  }

  focusFirst() {
    const [spot] = this.#laid(".spot");
    spot?.focus({ preventScroll: true });
    return Boolean(spot);
  }

  /**
   * Scrolls a picture that is larger than its place so that as many of these pieces as possible can be seen. Where the
   * picture has none of them, the position's focus counts, but the same one only once.
   */
  reveal(names) {
    const { stage, canvas, covered } = this;
    this.revealed = names;
    let boxes = names.map((name) => this.#box(name)).filter(Boolean);
    if (!boxes.length) {
      const focus = `${this.focus} ${covered}`;
      if (this.focused === focus) return;
      this.focused = focus;
      boxes = this.focus.map((name) => this.#box(name)).filter(Boolean);
    }
    if (!boxes.length || !isAtRest()) return;
    const left = inView(boxes.map((box) => [box.left, box.left + box.width]), canvas.clientWidth, stage.clientWidth, stage.scrollLeft);
    const seen = stage.clientHeight - covered - this.#under();
    const now = Math.max(0, stage.scrollTop - this.above + covered);
    const place = inView(boxes.map((box) => [box.top, box.top + box.height]), this.svg.clientHeight, seen, now) - covered;
    // What is at the top of the picture can only come below the covered part if there is space above it.
    this.#setAbove(Math.max(0, -place));
    const top = place + this.above;
    if (left !== stage.scrollLeft || top !== stage.scrollTop) stage.scrollTo({ left, top, behavior: motion() });
  }

  /** How much of the place's lower part the buttons on its corner cover, in pixels. */
  #under() {
    const tools = this.stage.closest(".board")?.querySelector(".ticker")?.getBoundingClientRect();
    const place = this.stage.getBoundingClientRect();
    return tools && tools.top > place.top && tools.top < place.bottom && tools.left < place.right ? place.bottom - tools.top : 0;
  }

  /** Sets the empty space above the picture, in pixels, without moving what is seen. */
  #setAbove(above) {
    if (above === this.above) return;
    const top = this.stage.scrollTop + above - this.above;
    this.above = above;
    this.canvas.style.setProperty("--above", `${above}px`);
    this.stage.scrollTop = top;
  }

  /** Reveals the same pieces again, below the upper part of the place that is above the screen now. */
  revealBelow(covered) {
    if (covered === this.covered) return;
    this.covered = covered;
    this.reveal(this.revealed);
  }

  /** Steps the size of the picture up or down; returns whether it can grow and shrink further. */
  setZoom(zoom) {
    this.#setAbove(0);
    this.zoom = Math.max(0, Math.min(ZOOMS.length - 1, zoom));
    const { stage, canvas } = this;
    const across = (stage.scrollLeft + stage.clientWidth / 2) / Math.max(1, canvas.clientWidth);
    const down = (stage.scrollTop + stage.clientHeight / 2) / Math.max(1, canvas.clientHeight);
    canvas.style.setProperty("--zoom", String(ZOOMS[this.zoom]));
    stage.classList.toggle("zoomed", this.zoom > 0);
    stage.scrollLeft = across * canvas.clientWidth - stage.clientWidth / 2;
    stage.scrollTop = down * canvas.clientHeight - stage.clientHeight / 2;
    return { more: this.zoom < ZOOMS.length - 1, less: this.zoom > 0 };
  }

  hideTooltip() {
    this.tooltip.hidden = true;
    this.tipped = null;
  }

  #showTooltip(name, anchor) {
    const text = this.pieces[name];
    const more = this.describe(name);
    if (!text && !more) return;
    if (this.tipped === name && !this.tooltip.hidden) return;
    this.tipped = name;
    const lines = text ? text.split("\n").map((line) => h("p", { text: line })) : [];
    if (more) lines.push(h("p", { class: "tooltip-does", text: more }));
    this.tooltip.replaceChildren(...lines);
    this.tooltip.hidden = false;
    const piece = anchor.getBoundingClientRect();
    const tip = this.tooltip.getBoundingClientRect();
    const left = Math.max(8, Math.min(innerWidth - tip.width - 8, piece.left + piece.width / 2 - tip.width / 2));
    const above = piece.top - tip.height - 10;
    const top = above >= 8 ? above : Math.min(innerHeight - tip.height - 8, piece.bottom + 10);
    this.tooltip.style.setProperty("left", `${left}px`);
    this.tooltip.style.setProperty("top", `${top}px`);
    anchor.setAttribute("aria-describedby", "tooltip");
  }

  #named(target) {
    const spot = target.closest?.("[data-spot]");
    if (spot) return [spot.dataset.spot, spot];
    const piece = target.closest?.("[data-piece]");
    // A group without a tooltip of its own speaks through the group around it.
    for (let element = piece; element; element = element.parentElement?.closest("[data-piece]")) {
      if (this.pieces[element.dataset.piece]) return [element.dataset.piece, element];
    }
    return [null, null];
  }

  #listen() {
    for (const root of [this.canvas, this.around.root]) {
      this.#listenTo(root);
      root.addEventListener("keydown", (event) => this.#step(event));
    }
    addEventListener("scroll", () => this.hideTooltip(), { passive: true, capture: true });
    addEventListener("pointerdown", (event) => {
      if (!this.canvas.contains(event.target) && !this.around.root.contains(event.target)) this.hideTooltip();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.hideTooltip();
    });
    onTheme(() => {
      if (this.svg) this.#draw();
    });
  }

  /** Shows what the pieces of an element are, to pointers, to the keyboard and to fingers that touch or rest on them. */
  #listenTo(canvas) {
    canvas.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch" || this.quiet) return;
      const [name, anchor] = this.#named(event.target);
      if (name) this.#showTooltip(name, anchor);
      else this.hideTooltip();
    });
    canvas.addEventListener("pointermove", (event) => {
      if (Math.hypot(event.movementX, event.movementY) > 0) this.quiet = false;
    });
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") this.hideTooltip();
    });
    canvas.addEventListener("focusin", (event) => {
      const [name, anchor] = this.#named(event.target);
      if (name && event.target.matches(":focus-visible")) this.#showTooltip(name, anchor);
    });
    canvas.addEventListener("focusout", () => this.hideTooltip());
    let timer = null;
    canvas.addEventListener("pointerdown", (event) => {
      this.suppressClick = false;
      if (event.pointerType !== "touch") return;
      const [name, anchor] = this.#named(event.target);
      this.hideTooltip();
      timer = setTimeout(() => {
        if (!name) return;
        this.suppressClick = true;
        this.#showTooltip(name, anchor);
      }, LONG_PRESS);
    });
    for (const end of ["pointerup", "pointercancel", "pointermove"]) {
      canvas.addEventListener(end, (event) => {
        if (end !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 4) clearTimeout(timer);
      });
    }
    canvas.addEventListener("contextmenu", (event) => {
      if (this.suppressClick) event.preventDefault();
    });
    canvas.addEventListener("click", (event) => {
      if (event.pointerType !== "touch" || this.suppressClick || event.target.closest(".spot")) return;
      const [name, anchor] = this.#named(event.target);
      if (name) this.#showTooltip(name, anchor);
    });
  }

  /** Moves the focus to the nearest piece in the direction of an arrow key. */
  #step(event) {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const from = event.target.closest("[data-spot]");
    if (!direction || !from || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const centre = (element) => {
      const box = element.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const [x, y] = centre(from);
    let best = null;
    let least = Infinity;
    for (const spot of this.#laid("[data-spot]")) {
      if (spot === from) continue;
      const [a, b] = centre(spot);
      const along = (a - x) * direction[0] + (b - y) * direction[1];
      const across = Math.abs((a - x) * direction[1] + (b - y) * direction[0]);
      if (along > 1 && along + 2 * across < least) [best, least] = [spot, along + 2 * across];
    }
    best?.focus();
  }
}

/** Lets the page's two buttons change the size of a picture, which is remembered for the next visit. */
export function connectZoom(picture) {
  const zoom = (by) => {
    const { more, less } = picture.setZoom(picture.zoom + by);
    byId("zoom-in").disabled = !more;
    byId("zoom-out").disabled = !less;
    remember("zoom", picture.zoom);
  };
  picture.setZoom(remembered("zoom", innerWidth < 700 ? 3 : 0));
  zoom(0);
  byId("zoom-in").addEventListener("click", () => zoom(1));
  byId("zoom-out").addEventListener("click", () => zoom(-1));
}
