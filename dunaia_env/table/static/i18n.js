// The page's own words. The games' words come from the server, in the same language.

import { remember, remembered } from "./dom.js";

const LANGUAGES = ["en", "fr"];
let current = "en";
let words = {};
const listeners = [];

export const language = () => current;

/** Is called after each change of the language. */
export const onLanguage = (listener) => listeners.push(listener);

async function load(code) {
  const response = await fetch(`/static/${code}.json`);
  if (!response.ok) throw new Error(`words of ${code}: ${response.status}`);
  return response.json();
}

/** The text of a key; `{name}` in it becomes `values.name`, and `key.one` is taken for a `count` of one. */
export function t(key, values = {}) {
  let text = words[key];
  if ("count" in values) {
    const form = new Intl.PluralRules(current).select(values.count);
    text = words[`${key}.${form}`] ?? words[`${key}.other`] ?? text;
  }
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A label with its value, or somebody with what concerns them. */
export const labelled = (label, value) => t("labelled", { label, value });

/** A text with a full stop at its end. */
export function stopped(text) {
  const trimmed = text.trim();
  return !trimmed || /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** A text with a capital first. */
export const capital = (text) => text.charAt(0).toLocaleUpperCase(current) + text.slice(1);

/** A sentence from a clause: a capital first and a full stop last. */
export const sentence = (text) => capital(stopped(text));

/** The noun of what scores count, as it stands after a value: the game's own word, by the rules of its language. */
export function unitOf(unit, value) {
  return new Intl.PluralRules(unit.language).select(value) === "one" ? unit.one : unit.other;
}

/** Names in a row, by the rules of the language. */
export const listed = (names) => new Intl.ListFormat(current).format(names);

/** A sentence about somebody, whose name stays as it is written. */
export const sentenceOf = (name, clause) => stopped(`${name} ${clause.trim()}`);

export const percent = (value, digits = 0) =>
  new Intl.NumberFormat(current, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

export const decimal = (value, digits = 2) =>
  new Intl.NumberFormat(current, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

/** Writes the words into every element that names a key. */
function translate() {
  document.documentElement.lang = current;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
  for (const element of document.querySelectorAll("[data-t-placeholder]")) element.placeholder = t(element.dataset.tPlaceholder);
  for (const element of document.querySelectorAll("[data-t-close]")) element.dataset.close = t("close");
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === current));
  }
}

async function choose(code) {
  words = await load(code);
  current = code;
  translate();
}

const THEMES = ["auto", "light", "dark"];
const darkDevice = matchMedia("(prefers-color-scheme: dark)");
const themeListeners = [];

/** Whether the page is dark now. */
export const isDark = () => ({ light: false, dark: true })[document.documentElement.dataset.theme] ?? darkDevice.matches;

/** The theme that looks different from what is shown now: that of the device, or its opposite. */
function otherTheme() {
  if (isDark() !== darkDevice.matches) return "auto";
  return isDark() ? "light" : "dark";
}

/** Is called after each change between light and dark. */
export const onTheme = (listener) => themeListeners.push(listener);

const tellTheme = () => themeListeners.forEach((listener) => listener());
darkDevice.addEventListener("change", tellTheme);

function showTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = document.querySelector("[data-theme-button]");
  if (button) {
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
    button.setAttribute("aria-label", t("theme", { theme: t(`theme.${theme}`) }));
    button.title = t("theme", { theme: t(`theme.${theme}`) });
  }
}

/** Reads the words of the remembered or the browser's language, and makes the switches of the page's head work. */
export async function start() {
  let code = remembered("language", null);
  if (!LANGUAGES.includes(code)) code = navigator.language?.startsWith("fr") ? "fr" : "en";
  await choose(code);
  let theme = remembered("theme", "auto");
  if (!THEMES.includes(theme)) theme = "auto";
  showTheme(theme);
  for (const button of document.querySelectorAll("[data-language]")) {
    button.addEventListener("click", async () => {
      remember("language", button.dataset.language);
      await choose(button.dataset.language);
      showTheme(theme);
      for (const listener of listeners) listener();
    });
  }
  document.querySelector("[data-theme-button]")?.addEventListener("click", () => {
    theme = otherTheme();
    remember("theme", theme);
    showTheme(theme);
    tellTheme();
  });
}
