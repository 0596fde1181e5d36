// Playing on: a new table that begins with the decisions up to a position of a game that was played.

import { post } from "./api.js";
import { h, remembered, showMessage } from "./dom.js";
import { listed, t } from "./i18n.js";
import { keepOpened } from "./links.js";

const AS_BEFORE = ""; // the choice of the opponents that the game had

/** The agents of the other seats as the game had them, in order; in place of people the strongest one. */
const formerOpponents = ({ agents, seat, proposed, playable }) =>
  agents.filter((_, other) => other !== seat).map((name) => (playable.includes(name) ? name : proposed.strongest));

export class PlayOn {
  /** @param {Object} source the game: `{ analysis: token }` or `{ table: token }`. */
  constructor(source) {
    this.source = source;
    this.dialog = h("dialog", { id: "onward", "aria-labelledby": "onward-title" });
    document.body.append(this.dialog);
  }

  /**
   * Asks who plays the other seats, and opens the table.
   * @param {Object} from `number` of the position; `seat` that decides there; `isLater`: whether it is a later position
   *   than the one that is shown; `names` of the seats; `title` of the game; `playable`: the agents that may play; `programs`: what they are called; `proposed`: those that are proposed;
   *   `agents`: for each seat the agent that played it, or null.
   */
  ask(from) {
    const former = formerOpponents(from);
    const mixed = new Set(former).size > 1;
    const first = mixed ? AS_BEFORE : (former[0] ?? from.proposed.strongest);
    const asBefore = mixed ? h("option", { value: AS_BEFORE, selected: true, text: t("onward.same") }) : null;
    const names = mixed ? h("small", { id: "onward-former", text: listed(former.map((name) => from.programs[name])) }) : null;
    const agents = h("select", { id: "onward-agent", "aria-describedby": mixed ? names.id : null }, asBefore, ...from.playable.map((name) => h("option", { value: name, text: from.programs[name], selected: name === first })));
    const draws = h("input", { type: "checkbox", id: "onward-draws", checked: true, "aria-describedby": "onward-draws-help" });
    const coach = h("input", { type: "checkbox", id: "onward-coach", checked: Boolean(remembered("wish", {}).coach) });
    const begin = h("button", { class: "primary", text: t("lobby.start"), disabled: !from.playable.length });
    const cancel = h("button", { type: "button", text: t("cancel"), onclick: () => this.dialog.close() });
    const form = h("form", { method: "dialog" },
      h("h2", { id: "onward-title", text: t(from.isLater ? "onward.later" : "onward") }),
      h("p", { text: t(from.isLater ? "onward.seat.later" : "onward.seat", { name: from.names[from.seat], number: from.number + 1 }) }),
      h("div", { class: "option" }, h("label", { class: "row" }, h("span", { text: t("onward.others") }), agents), names),
      h("div", { class: "option" }, h("label", { class: "check" }, draws, h("span", { text: t("onward.draws") })), h("small", { id: "onward-draws-help", text: t("onward.draws.help") })),
      h("label", { class: "check" }, coach, h("span", { text: t("lobby.coach") })),
      h("div", { class: "buttons" }, cancel, begin));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      begin.disabled = true;
      this.#begin(from, { agent: agents.value, new_draws: draws.checked, coach: coach.checked });
    });
    this.dialog.replaceChildren(form);
    this.dialog.showModal();
  }

  async #begin(from, { agent, new_draws, coach }) {
    const { number, seat, names, title, programs } = from;
    const name = remembered("wish", {}).seats?.[seat]?.name?.trim() || t("player", { number: seat + 1 });
    const others = agent === AS_BEFORE ? formerOpponents(from) : names.slice(1).map(() => agent);
    const seats = names.map((_, other) => (other === seat ? { kind: "person", name } : { kind: "agent", agent: others[other < seat ? other : other - 1] }));
    try {
      const table = await post("/api/tables/resume", { ...this.source, decisions: number, new_draws, coach, seats });
      keepOpened(title, seats.map((one) => one.name ?? programs[one.agent]), table);
      location.href = table.seats[0].link;
    } catch (error) {
      this.dialog.close();
      showMessage(error.message);
    }
  }
}
