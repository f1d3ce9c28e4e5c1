// Shows the pages when the server cannot be reached: asks it first, and falls back to what it answered last.
// Only pages and their files are kept; what people say never passes through here.

declare const self: ServiceWorkerGlobalScope;

const CACHE = "pages-1";
const FILES = ["/", "/static/app.js", "/static/app.css", "/static/icon.svg"];
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
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  const page = event.request.mode === "navigate";
  if (page || FILES.includes(url.pathname)) event.respondWith(newest(event.request, page ? "/" : url.pathname));
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
