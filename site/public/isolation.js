// SPDX-License-Identifier: Apache-2.0
// The service worker of the playground. Browsers give shared memory, and so threads, only to pages that are isolated by
// two headers, which static hosting does not send: this adds them to the site's own pages and workers. Everything else
// goes past it. Pages register it by `.vitepress/theme/isolation.ts`.

// A newer version takes over at once: it has no state that an older one could miss.
self.addEventListener("install", () => self.skipWaiting());

/** A response with the headers of isolation. */
function isolated(response) {
  // A redirection hides its headers; the browser follows it and asks again.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const isOwn = new URL(request.url).origin === self.location.origin;
  if (isOwn && (request.mode === "navigate" || request.destination === "worker"))
    event.respondWith(fetch(request).then(isolated));
});
