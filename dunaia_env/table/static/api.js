// The server's answers, or one sentence that says why there is none.

import { language, t } from "./i18n.js";

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status; // 0: the server was not reached
  }
}

const SLOW = 3000; // ms after which a request is slow
const waiting = new Set(); // the slow requests
let told = () => undefined;

/** Names the function that hears whether some request is slow. */
export const onSlow = (hear) => (told = hear);

/** An answer of the server, which is waited for as long as it takes. */
async function answered(...request) {
  const timer = setTimeout(() => {
    waiting.add(timer);
    told(true);
  }, SLOW);
  try {
    return await fetch(...request);
  } finally {
    clearTimeout(timer);
    if (waiting.delete(timer) && !waiting.size) told(false);
  }
}

async function request(method, path, body, query = {}) {
  const url = new URL(path, location.origin);
  url.searchParams.set("language", language());
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const options = { method, headers: { Accept: "application/json" }, cache: "no-store" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await answered(url, options);
  } catch {
    throw new ApiError(t("error.unreachable"), 0);
  }
  let content = null;
  try {
    content = await response.json();
  } catch {
    if (response.ok) throw new ApiError(t("error.unreadable"), response.status);
  }
  if (!response.ok) throw new ApiError(content?.error || t("error.status", { status: response.status }), response.status);
  return content;
}

export const get = (path, query) => request("GET", path, undefined, query);
export const post = (path, body = {}, query = {}) => request("POST", path, body, query);

/** The text of a replay, which is a file and not JSON. */
export async function getText(path) {
  let response;
  try {
    response = await answered(path, { cache: "no-store" });
  } catch {
    throw new ApiError(t("error.unreachable"), 0);
  }
  const text = await response.text();
  if (response.ok) return text;
  let why = null;
  try {
    why = JSON.parse(text).error;
  } catch {
    why = null;
  }
  throw new ApiError(why || t("error.status", { status: response.status }), response.status);
}
