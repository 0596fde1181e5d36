// The page in place of one that is not there: says what to do in the reader's language. Without this script it says so
// in English.

import { byId } from "./dom.js";
import { onLanguage, start, t } from "./i18n.js";

const MISSING = "404";

function words() {
  const [kind] = location.pathname.split("/").filter(Boolean);
  if (kind === "t") return [t("missing.table"), t("missing.table.help")];
  if (kind === "a") return [t("missing.analysis"), t("missing.analysis.help")];
  return [t("missing.page"), t("missing.page.help")];
}

/** Translates what is said of a page that is missing; for other refusals the server's own sentence stays. */
function show() {
  const missing = document.body.dataset.status === MISSING;
  const [title, help] = missing ? words() : [t("refused"), byId("help").textContent];
  byId("title").textContent = title;
  byId("help").textContent = help;
  byId("help").lang = missing ? document.documentElement.lang : "en";
  document.title = title;
}

onLanguage(show);
await start();
show();
