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
  if (page || FILES.includes(url)) event.respondWith(newest(event.request, page ? HOME : url));
});

async function newest(request: Request, kept: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok) await cache.put(kept, answer.clone());
    return answer;
  } catch (error) {
    const found = await cache.match(kept);
    if (found) return found;
    throw error;
  }
}

export {};
