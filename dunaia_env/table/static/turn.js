// Calls a person whose turn it is: in the page's title and icon, and, if the person wants it, by a sound or a notification.

import { byId, remember, remembered, showMessage } from "./dom.js";
import { t } from "./i18n.js";

const ICONS = ["/static/favicon.svg", "/static/favicon-turn.svg"];
const TONES = [[660, 0], [880, 0.16]]; // Hz, and seconds after the first

let audio = null;

/** Plays two short tones, as far as the browser lets a page do so. */
function ring() {
  try {
    audio = audio ?? new AudioContext();
    audio.resume().catch(() => null);
    for (const [frequency, after] of TONES) {
      const [tone, volume, begin] = [audio.createOscillator(), audio.createGain(), audio.currentTime + after];
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.0001, begin);
      volume.gain.exponentialRampToValueAtTime(0.2, begin + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + 0.3);
      tone.connect(volume).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + 0.32);
    }
  } catch {
    audio = null; // a browser without sound
  }
}

const canNotify = () => typeof Notification !== "undefined";

function notify(title, body) {
  if (!canNotify() || Notification.permission !== "granted") return;
  try {
    const shown = new Notification(title, { body, tag: location.pathname, icon: ICONS[1] });
    shown.addEventListener("click", () => {
      window.focus();
      shown.close();
    });
  } catch {
    return; // some phones let only installed pages do this
  }
}

/** Turns notifications on if the browser allows them, which it asks about only after a click. */
async function chooseNotifications(box) {
  let wanted = box.checked;
  if (wanted && (!canNotify() || (await Notification.requestPermission()) !== "granted")) {
    wanted = false;
    showMessage(t("call.refused"));
  }
  box.checked = wanted;
  remember("notify", wanted);
}

let called = null; // whether it was this person's turn when the page was last shown

/** Tells whether it is this person's turn; a turn that begins while the page is open is called. */
export function showTurn(mine, title, question) {
  document.title = mine ? `● ${t("turn.yours")} · ${title}` : title;
  const icon = document.querySelector("link[rel=icon]");
  if (icon.getAttribute("href") !== ICONS[Number(mine)]) icon.setAttribute("href", ICONS[Number(mine)]);
  if (mine && called === false) {
    if (remembered("sound", false)) ring();
    if (remembered("notify", false) && (document.hidden || !document.hasFocus())) notify(`${t("turn.yours")} · ${title}`, question);
  }
  called = mine;
}

/** Makes the settings of calls work. */
export function setUpCalls() {
  const [sound, box] = [byId("sound"), byId("notify")];
  sound.checked = remembered("sound", false);
  sound.addEventListener("change", () => {
    remember("sound", sound.checked);
    if (sound.checked) ring(); // which also shows how it sounds
  });
  box.checked = remembered("notify", false) && canNotify() && Notification.permission === "granted";
  box.addEventListener("change", () => chooseNotifications(box));
}
