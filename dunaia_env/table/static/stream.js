// Tells a page of every change at its table. All pages of a browser share one connection (stream-worker.js), because
// browsers open only six connections to a server at once, and an open page would keep one of them for good.

const FRESH = 30000; // ms within which the worker hears of a page that is still open

/**
 * Listens to the changes at a table until the page is left.
 * @param {string} token of the page's link.
 * @param {{changed: () => void, failed: () => void}} hear functions that are called at every change, and when the
 *   server cannot be reached.
 */
export function listen(token, hear) {
  if (typeof SharedWorker === "undefined") return listenAlone(token, hear);
  const worker = new SharedWorker("/static/stream-worker.js", { name: "stream" });
  const open = () => worker.port.postMessage({ kind: "open", token });
  let alone = false;
  worker.port.addEventListener("message", ({ data }) => {
    if (data.kind === "changed") hear.changed();
    else if (data.kind === "failed") hear.failed();
    else if (data.kind === "refused" && !alone) {
      alone = true;
      listenAlone(token, hear);
    }
  });
  worker.addEventListener("error", () => {
    if (!alone) listenAlone(token, hear);
    alone = true;
  });
  worker.port.start();
  open();
  setInterval(open, FRESH);
  addEventListener("pageshow", open);
  addEventListener("visibilitychange", () => document.visibilityState === "visible" && open());
  addEventListener("pagehide", () => worker.port.postMessage({ kind: "close" }));
  return undefined;
}

/** The same with a connection of the page's own, which it closes while nobody sees it. */
function listenAlone(token, hear) {
  let source = null;
  const open = () => {
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = new EventSource(`/api/t/${token}/events`);
    source.addEventListener("open", hear.changed);
    source.addEventListener("message", hear.changed);
    source.addEventListener("error", hear.failed);
  };
  const close = () => {
    source?.close();
    source = null;
  };
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? open() : close()));
  setInterval(() => document.visibilityState === "visible" && open(), FRESH / 10);
  open();
}
