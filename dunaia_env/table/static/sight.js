// What a new question needs is brought into sight, but never while somebody scrolls or reads something else.

import { byId } from "./dom.js";

const REST = 1500; // ms after the person's own scrolling in which nothing else scrolls
const SCROLLS = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "]);
const READS = "input:not([type=checkbox]):not([type=radio]), textarea, select, #log, #log *";

let scrolled = -Infinity; // when the person last scrolled
let held = false; // whether they hold something, such as a bar

const scrolls = () => (scrolled = performance.now());
for (const input of ["wheel", "touchmove"]) addEventListener(input, scrolls, { passive: true, capture: true });
addEventListener("keydown", (event) => SCROLLS.has(event.key) && !event.target.closest?.("[data-spot]") && scrolls(), { capture: true });
addEventListener("pointerdown", () => (held = true), { capture: true });
for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => (held = false), { capture: true });
// A page goes on scrolling for a while after a finger has left it.
addEventListener("scroll", () => performance.now() - scrolled < REST && scrolls(), { passive: true, capture: true });

/** Whether the person does nothing that scrolling would disturb. */
export const isAtRest = () =>
  !held && performance.now() - scrolled > REST && !document.querySelector("dialog[open]") && !document.activeElement?.matches(READS) && (byId("log-newest")?.hidden ?? true);

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** How pages scroll by themselves. */
export const motion = () => (calm.matches ? "instant" : "smooth");

/** Scrolls to a question, and to the board above it if both fit on the screen. */
export function bringIntoSight(question, board) {
  if (!isAtRest()) return;
  const [asked, shown] = [question.getBoundingClientRect(), board.getBoundingClientRect()];
  const isBeside = asked.left >= shown.right;
  const fits = !isBeside && asked.bottom - shown.top <= innerHeight;
  if ((fits ? shown.top : asked.top) >= 0 && asked.bottom <= innerHeight) return;
  const [element, block] = fits ? [board, "start"] : [question, isBeside ? "nearest" : asked.height > innerHeight ? "start" : "end"];
  element.scrollIntoView({ block, behavior: motion() });
}
