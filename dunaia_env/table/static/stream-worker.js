// The one connection over which all pages of this browser hear of changes at their tables, see stream.js.

const GATHER = 50; // ms in which pages that open together are gathered into one connection
const RETRY = 2500; // ms before a refused connection is tried again
const LOST = 100000; // ms after which a page that was not heard of is gone: it crashed

const pages = new Map(); // port -> { token, heard }
let source = null;
let listed = ""; // the tables of the connection
let timer = null;

function tell(kind, link = null) {
  for (const [port, page] of pages) if (link === null || page.token === link) port.postMessage({ kind });
}

function gather(wait = GATHER) {
  clearTimeout(timer);
  timer = setTimeout(connect, wait);
}

/** Connects for the tables of the pages that are open; the former connection lasts until the new one stands. */
function connect() {
  const tokens = [...new Set([...pages.values()].map((page) => page.token))].sort();
  const query = tokens.map((token) => `link=${encodeURIComponent(token)}`).join("&");
  if (query === listed && source && source.readyState !== EventSource.CLOSED) return;
  listed = query;
  const former = source;
  source = null;
  if (!query) {
    former?.close();
    return;
  }
  const fresh = new EventSource(`/api/events?${query}`);
  source = fresh;
  fresh.onopen = () => {
    former?.close();
    tell("changed"); // something may have been missed
  };
  fresh.onmessage = (event) => tell("changed", JSON.parse(event.data).link);
  fresh.onerror = () => {
    former?.close();
    if (fresh !== source) return;
    tell("failed");
    // A browser goes on by itself after a broken connection, but not after a refusal.
    if (fresh.readyState === EventSource.CLOSED) {
      tell("refused");
      gather(RETRY);
    }
  };
}

addEventListener("connect", (event) => {
  const [port] = event.ports;
  port.onmessage = ({ data }) => {
    if (data.kind === "close") pages.delete(port);
    else pages.set(port, { token: data.token, heard: Date.now() });
    gather();
  };
});

setInterval(() => {
  for (const [port, page] of pages) if (Date.now() - page.heard > LOST) pages.delete(port);
  gather();
}, LOST / 4);
