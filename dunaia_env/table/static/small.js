// A drawing that is shown small. What it marks for that grows until its texts can be read; other texts that cannot be read
// are left out.

const LEAST = 10; // px

/** The size of a text on the screen, in pixels. */
function sizeOf(text) {
  const { a, b } = text.getScreenCTM();
  return Number(text.getAttribute("font-size")) * Math.hypot(a, b);
}

/** Fits the texts of a drawing to the size in which the page shows it. */
export function fitTexts(svg) {
  const growing = svg.querySelectorAll("[data-grows]");
  if (!growing.length || !svg.getScreenCTM()) return;
  for (const group of growing) {
    group.removeAttribute("transform");
    const least = Math.min(...[...group.querySelectorAll("text")].map(sizeOf));
    if (least >= LEAST) continue;
    const [x, y] = group.dataset.grows.split(" ").map(Number);
    group.setAttribute("transform", `translate(${x} ${y}) scale(${(LEAST / least).toFixed(3)}) translate(${-x} ${-y})`);
  }
  for (const text of svg.querySelectorAll("text")) {
    if (!text.closest("[data-grows]")) text.setAttribute("visibility", sizeOf(text) < LEAST ? "hidden" : "visible");
  }
}
