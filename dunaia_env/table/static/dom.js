// Building elements without markup in strings, so that no name or sentence can become markup.

/**
 * Makes an element.
 * @param {string} tag
 * @param {Object} attributes `class`, `text`, `onclick` and the like, `data-…`; false and null leave one out.
 * @param {...(Node|string|null)} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** Makes an SVG element with these attributes. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

const SHAPES = [
  ["circle", { cx: 8, cy: 8, r: 6 }],
  ["rect", { x: 2.5, y: 2.5, width: 11, height: 11, rx: 1.5 }],
  ["path", { d: "M8 1.8 14.6 13.6H1.4Z" }],
  ["path", { d: "M8.0 1.1 9.9 5.8 15.0 6.2 11.1 9.5 12.3 14.5 8.0 11.8 3.7 14.5 4.9 9.5 1.0 6.2 6.1 5.8Z" }],
  ["path", { d: "M8 0.9 13.8 8 8 15.1 2.2 8Z" }],
  ["path", { d: "M5.7 1.6h4.6v4.1h4.1v4.6h-4.1v4.1H5.7v-4.1H1.6V5.7h4.1Z" }],
];
export const MARKS = SHAPES.length; // seats that differ in mark and colour

/** A seat's mark: a shape and a colour of its own, so that seats differ without colour too. */
export function seatMark(seat) {
  const [tag, attributes] = SHAPES[seat % SHAPES.length];
  const className = `seat-mark seat-${seat % SHAPES.length}`;
  return s("svg", { viewBox: "0 0 16 16", class: className, "aria-hidden": "true" }, s(tag, attributes));
}

const DONE = 8000; // ms for which it is said that something was done
let fading = null;

/**
 * Shows one sentence where the user is looking, and reads it to those who do not see it.
 * @param {string} text of the sentence; none takes the last one away.
 * @param {"error"|"done"} kind "done" lies over the page and goes by itself.
 */
export function showMessage(text, kind = "error") {
  const place = byId("message");
  clearTimeout(fading);
  place.replaceChildren();
  if (!text) return;
  const close = h("button", { type: "button", class: "message-close", "aria-label": place.dataset.close || "×", text: "×" });
  close.addEventListener("click", () => place.replaceChildren());
  place.append(h("div", { class: `message ${kind}` }, h("p", { text }), close));
  if (kind === "done") fading = setTimeout(() => place.replaceChildren(), DONE);
}

/** Lets a file of a table be saved under a name. */
export function saveText(text, name, type = "application/x-ndjson") {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Reads a setting that this browser remembers. */
export function remembered(name, otherwise) {
  try {
    const text = localStorage.getItem(`table.${name}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** Makes this browser remember a setting; a browser that refuses simply forgets. */
export function remember(name, value) {
  try {
    localStorage.setItem(`table.${name}`, JSON.stringify(value));
  } catch {
    return;
  }
}

let keyboard = false;
addEventListener("keydown", () => (keyboard = true), { capture: true });
addEventListener("pointerdown", () => (keyboard = false), { capture: true });

/** Whether the user's last input came from the keyboard: only then the focus is moved for them. */
export const usesKeyboard = () => keyboard;
