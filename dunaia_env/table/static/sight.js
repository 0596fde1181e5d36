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

/** Brings a question into sight that comes by itself; returns what `scrollToQuestion` does. */
export const bringIntoSight = (question, board, tip = null) => (isAtRest() ? scrollToQuestion(question, board, tip) : 0);

/**
 * Scrolls to a question, and to as much of the board above it as fits on the screen with it. If a tip above the question
 * does not fit on the screen with it, the beginning of the tip comes into sight.
 * @returns {number} how much of the board is then above the screen, in pixels.
 */
export function scrollToQuestion(question, board, tip = null) {
  const [asked, shown] = [question.getBoundingClientRect(), board.getBoundingClientRect()];
  const isBeside = asked.left >= shown.right;
  const room = isBeside ? innerHeight - shown.top : innerHeight;
  if (tip && !tip.hidden && asked.bottom - tip.getBoundingClientRect().top > room) {
    tip.scrollIntoView({ block: isBeside ? "nearest" : "start", behavior: motion() });
    return 0;
  }
  const fits = !isBeside && asked.bottom - shown.top <= innerHeight;
  const isSeen = (fits ? shown.top : asked.top) >= 0 && asked.bottom <= innerHeight;
  if (isSeen && (fits || isBeside)) return 0;
  const block = asked.height > innerHeight ? "start" : isBeside ? "nearest" : "end";
  if (fits) board.scrollIntoView({ block: "start", behavior: motion() });
  else question.scrollIntoView({ block, behavior: motion() });
  const below = parseFloat(getComputedStyle(question).scrollMarginBottom);
  return !fits && block === "end" ? asked.bottom + below - shown.top - innerHeight : 0;
}
