// Shows the pages when the server cannot be reached: asks it first, and falls back to its last answer.
// Only pages and their files are kept; marks and verdicts never pass through here.

declare const self: ServiceWorkerGlobalScope;

const CACHE = "pages-1";
const HOME = self.registration.scope; // ends with a slash; a proxy may have put a path into it
const FILES = ["", "static/app.js", "static/app.css", "static/icon.svg"].map((name) => HOME + name);
const PATIENCE_MS = 4_000;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || !url.startsWith(HOME)) return;
  const page = mode === "navigate";
  if (!page && !FILES.includes(url)) return;
  const kept = page ? HOME : url;
  const asked = newest(event.request, kept);
  event.waitUntil(asked.catch(() => undefined)); // an answer that comes late is for the next visit
  event.respondWith(answer(asked, kept));
});

/** The server's answer, which is kept. */
async function newest(request: Request, kept: string): Promise<Response> {
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(CACHE)).put(kept, answer.clone());
  return answer;
}

/** The server's answer, or the last one if there is none in time. */
async function answer(asked: Promise<Response>, kept: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const before = await cache.match(kept);
  if (!before) return asked;
  const late = new Promise<Response>((resolve) => setTimeout(() => resolve(before), PATIENCE_MS));
  return Promise.race([asked.catch(() => before), late]);
}

export {};
