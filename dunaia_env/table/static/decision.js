// The panel in which a person decides: the question, the choices, and the sentence that waits for Confirm.

import { Choices } from "./choices.js";
import { h, remembered, usesKeyboard } from "./dom.js";
import { labelled, sentence, stopped, t } from "./i18n.js";

const MANY = 8; // choices from which on the list can be filtered, and buttons from which on they are short
const SHORT = 18; // characters of a choice that stays whole even on a short button

const INTERACTIVE = "button, input, select, textarea, a, summary, dialog, [contenteditable]";

export class Decision {
  /**
   * @param {HTMLElement} root
   * @param {Picture} picture
   * @param {(action: string) => Promise<void>} send
   */
  constructor(root, picture, send) {
    this.root = root;
    this.picture = picture;
    this.send = send;
    this.choices = null;
    this.sending = false;
    this.listOpen = remembered("list", false);
    document.addEventListener("keydown", (event) => this.#key(event));
    picture.stage.addEventListener("click", () => {
      if (!picture.suppressClick) this.back();
    });
  }

  /** Asks for a decision; keeps what was picked if it is still the same one. */
  show(choice, name, { focus = false } = {}) {
    const whole = JSON.stringify([choice, name]);
    if (whole === this.whole && !this.root.hidden && !this.sending && this.picture.isOffering) return;
    this.whole = whole;
    const key = JSON.stringify(choice.actions.map((action) => action.action));
    if (this.key !== key || !this.choices) {
      this.picture.hideTooltip(); // which may say what a piece did in the former question
      this.choices = new Choices(choice.actions);
      this.filter = "";
      this.key = key;
    } else {
      const { path, chosen } = this.choices;
      this.choices = new Choices(choice.actions);
      this.choices.path = path;
      this.choices.chosen = chosen && choice.actions.find((action) => action.action === chosen.action);
    }
    this.choice = choice;
    this.name = name;
    this.sending = false;
    this.root.hidden = false;
    this.#render();
    if (focus && (document.activeElement === document.body || this.root.contains(document.activeElement))) this.#focusStart();
  }

  hide() {
    this.picture.hideTooltip();
    this.choices = null;
    this.choice = null;
    this.key = null;
    this.whole = null;
    this.root.hidden = true;
    this.root.classList.remove("confirming");
    this.root.replaceChildren();
  }

  /** Picks an action as a whole. */
  choose(text) {
    const action = this.choices?.actions.find((candidate) => candidate.action === text);
    if (!action) return;
    this.choices.choose(action);
    this.#render();
    this.#focusConfirm();
  }

  /** Takes one step back; returns whether there was one. */
  back() {
    if (!this.choices || this.sending || !this.choices.back()) return false;
    const held = this.root.contains(document.activeElement) || this.picture.holds(document.activeElement);
    this.#render();
    if (held) this.#focusStart();
    return true;
  }

  #noAsk() {
    return remembered("noAsk", false);
  }

  #pick(piece) {
    const fromPicture = this.picture.holds(document.activeElement);
    this.choices.pick(piece);
    const selected = this.choices.selected({ complete: this.#noAsk() });
    if (selected && this.#noAsk()) {
      this.#render();
      this.#confirm(selected);
      return;
    }
    this.#render();
    if (selected) this.#focusConfirm();
    else if (!(fromPicture && this.picture.focusFirst())) this.#focusStart();
  }

  async #confirm(action) {
    if (this.sending) return;
    this.sending = true;
    for (const button of this.root.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
    this.picture.clear();
    this.root.classList.add("sending");
    try {
      await this.send(action.action);
    } finally {
      this.root.classList.remove("sending");
      this.sending = false;
    }
  }

  #focusConfirm() {
    if (!usesKeyboard()) return;
    this.root.querySelector(".confirm")?.focus({ preventScroll: false });
  }

  #focusStart() {
    if (!usesKeyboard()) return;
    if (!this.picture.focusFirst()) this.root.querySelector("button")?.focus({ preventScroll: true });
  }

  #key(event) {
    if (!this.choices || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && this.back()) event.preventDefault();
    if (event.key !== "Enter") return;
    const selected = this.choices.selected({ complete: this.#noAsk() });
    if (event.repeat && selected) event.preventDefault(); // a key that is held down confirms nothing
    else if (selected && !event.target.closest?.(INTERACTIVE)) {
      event.preventDefault();
      this.#confirm(selected);
    }
  }

  #render() {
    const selected = this.choices.selected({ complete: this.#noAsk() });
    const next = this.choices.next();
    this.root.classList.toggle("confirming", Boolean(selected));
    const head = h("header", { class: "decision-head" }, h("h2", { text: this.choice.question }), this.#rules());
    const briefing = this.choice.briefing ? [h("p", { class: "decision-briefing", text: this.choice.briefing })] : [];
    if (selected) this.root.replaceChildren(head, ...this.#confirmation(selected));
    else this.root.replaceChildren(head, ...briefing, ...this.#picking(next));
    const offered = selected && !next.some((piece) => this.choices.path.length && piece) ? [] : next;
    this.picture.offer(offered, (piece) => this.#pick(piece), (piece) => this.#spotLabel(piece));
    this.picture.markPath(selected ? selected.pieces : this.choices.path);
    this.picture.reveal(selected ? selected.pieces : offered);
  }

  /** What picking a piece means now; null if it cannot be picked. */
  describe(piece) {
    if (!this.choices?.next().includes(piece) || this.choices.selected()) return null;
    const actions = this.choices.candidates().filter((action) => action.pieces[this.choices.path.length] === piece);
    return actions.length === 1 ? sentence(actions[0].imperative) : sentence(t("choices.count", { count: actions.length }));
  }

  #spotLabel(piece) {
    return labelled(this.picture.label(piece), this.describe(piece) ?? "");
  }

  #rules() {
    if (!this.choice.rules) return null;
    const details = h("details", { class: "rules" }, h("summary", { text: t("rules") }));
    details.append(...this.choice.rules.split("\n").filter(Boolean).map((line) => h("p", { text: line })));
    details.open = this.rulesOpen ?? false;
    details.addEventListener("toggle", () => (this.rulesOpen = details.open));
    return details;
  }

  #confirmation(action) {
    const confirm = h("button", { type: "button", class: "primary confirm" }, t("confirm"), h("kbd", { "aria-hidden": "true", text: "⏎" }));
    confirm.addEventListener("click", () => this.#confirm(action));
    const back = h("button", { type: "button", class: "take-back" }, t("takeback"), h("kbd", { "aria-hidden": "true", text: t("key.escape") }));
    back.addEventListener("click", () => this.back());
    return [
      h("p", { class: "decision-sentence", role: "status" }, h("b", { text: this.name }), ` ${stopped(action.sentence)}`),
      h("div", { class: "buttons" }, confirm, back),
    ];
  }

  #picking(next) {
    const parts = [];
    if (this.choices.path.length) {
      const back = h("button", { type: "button", class: "small" }, t("takeback"), h("kbd", { "aria-hidden": "true", text: t("key.escape") }));
      back.addEventListener("click", () => this.back());
      parts.push(h("p", { class: "crumbs" }, h("span", { text: this.choices.path.map((piece) => this.picture.label(piece)).join(" → ") }), back));
    }
    const drawn = next.filter((piece) => this.picture.has(piece));
    if (drawn.length) parts.push(h("p", { class: "hint", text: this.choices.path.length ? this.#prompt(drawn) : t("pick.first") }));
    let elsewhere = next.filter((piece) => !this.picture.isOnBoard(piece));
    // What can be clicked beside the board has buttons too, as long as these are few.
    if (elsewhere.length > MANY) elsewhere = elsewhere.filter((piece) => !this.picture.has(piece));
    if (elsewhere.length) parts.push(this.#freeButtons(elsewhere));
    parts.push(this.#list());
    return parts;
  }

  /** What to point at next, in the game's words where all pieces are of one kind. */
  #prompt(pieces) {
    const kinds = new Set(pieces.map((piece) => piece.replace(/(-\d+)+$/, "")));
    return (kinds.size === 1 && this.choice.prompts?.[[...kinds][0]]) || t("pick.next");
  }

  /** Buttons for pieces that are not on the board. Among many, those of a kind are short if one of them is long. */
  #freeButtons(pieces) {
    const many = pieces.length > MANY;
    const kindOf = (piece) => piece.replace(/-\d+$/, "");
    const told = new Map(pieces.map((piece) => [piece, this.#toldOf(piece)]));
    const isShort = (piece) => {
      const kind = pieces.filter((other) => kindOf(other) === kindOf(piece));
      return many && kind.length > 1 && kind.some((other) => told.get(other).length > SHORT) && Boolean(this.picture.pieces[piece]);
    };
    const buttons = pieces.map((piece) => {
      const isWhole = told.get(piece) && !isShort(piece);
      const text = isWhole ? told.get(piece) : this.picture.label(piece);
      return h("button", { type: "button", class: `free-choice${isWhole ? " whole" : ""}`, "data-free": piece, text, onclick: () => this.#pick(piece) });
    });
    return h("div", { class: `buttons free${many ? " many" : ""}` }, ...buttons);
  }

  /** What picking a piece does; empty if it leaves several actions. */
  #toldOf(piece) {
    const actions = this.choices.candidates().filter((action) => action.pieces[this.choices.path.length] === piece);
    return actions.length === 1 ? sentence(actions[0].imperative).replace(/\.$/, "") : "";
  }

  #list() {
    const count = this.choices.candidates().length;
    const details = h("details", { class: "choices" }, h("summary", { text: t("choices", { count }) }));
    details.open = this.listOpen;
    const list = h("div", { class: "choice-groups" });
    const fill = () => {
      const wanted = this.filter.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      const groups = [];
      for (const [piece, actions] of this.choices.groups()) {
        const label = this.picture.pieces[piece] ? this.picture.label(piece) : "";
        const kept = actions.filter((action) => wanted.every((word) => `${label} ${action.imperative}`.toLocaleLowerCase().includes(word)));
        if (!kept.length) continue;
        const items = kept.map((action) => {
          const button = h("button", { type: "button", class: "choice", "data-action": action.action, text: sentence(action.imperative) });
          button.addEventListener("click", () => this.choose(action.action));
          for (const start of ["pointerenter", "focus"]) button.addEventListener(start, () => this.picture.markPath(action.pieces));
          for (const end of ["pointerleave", "blur"]) button.addEventListener(end, () => this.picture.markPath(this.choices?.path ?? []));
          return h("li", {}, button);
        });
        groups.push(h("div", { class: "choice-group" }, label && actions.length > 1 ? h("h3", { text: label }) : null, h("ul", {}, ...items)));
      }
      list.replaceChildren(...(groups.length ? groups : [h("p", { class: "hint", text: t("choices.none") })]));
    };
    if (count > MANY) {
      const filter = h("input", { type: "search", class: "filter", "aria-label": t("choices.filter"), placeholder: t("choices.filter"), value: this.filter });
      filter.addEventListener("input", () => {
        this.filter = filter.value;
        fill();
      });
      details.append(filter);
    }
    details.append(list);
    details.addEventListener("toggle", () => {
      this.listOpen = details.open;
      if (details.open && !list.childElementCount) fill();
    });
    if (details.open) fill();
    return details;
  }
}
