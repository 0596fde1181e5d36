// Drawings come from the server as the text of SVG documents.

import { t } from "./i18n.js";

/** A drawing as an element that cannot run or load anything. */
export function parse(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = parsed.documentElement;
  if (svg.nodeName !== "svg") throw new Error(t("error.picture"));
  for (const element of svg.querySelectorAll("script, foreignObject")) element.remove();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    for (const { name, value } of [...element.attributes]) {
      if (name.startsWith("on") || (name.endsWith("href") && !value.startsWith("#"))) element.removeAttribute(name);
    }
  }
  return svg;
}

/** The text of a drawing with the colours of a dark page: `dark` holds colours by colour. */
export const recoloured = (text, dark) => text.replace(/#[0-9a-f]{6}\b/g, (colour) => dark[colour] ?? colour);
