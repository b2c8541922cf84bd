// SPDX-License-Identifier: Apache-2.0
// The browser of this machine for the site's tests, driven by Playwright, and a server of static files for them.
import { existsSync, readFileSync, statSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

import { type Browser, chromium } from "playwright-core";

import { findBrowser } from "../../scripts/browsers/browser.ts";

/** Starts Chromium, headless; null: it is not installed. */
export function startBrowser(): Promise<Browser> | null {
  const executablePath = findBrowser("chromium");
  return executablePath === null
    ? null
    : chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".xml": "application/xml",
};

/** A server that runs. */
export interface FileServer {
  /** Its address with a `/` at the end, the base included. */
  readonly url: string;
  /** Bytes of all answers until now, compressed. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
}

/** Serves a folder under a base as static hosting does: compressed, to be kept by caches, no headers of isolation. */
export function serveFolder(folder: string, base = "/"): Promise<FileServer> {
  const compressed = new Map<string, Uint8Array>();
  let sent = 0;
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.startsWith(base) ? normalize(decodeURIComponent(pathname.slice(base.length - 1))) : null;
    let file = path === null ? "" : join(folder, path);
    if (file.endsWith("/")) file += "index.html";
    if (!existsSync(file) && existsSync(`${file}.html`)) file += ".html";
    if (path === null || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end(`there is no ${pathname}`);
      return;
    }
    const bytes = compressed.get(file) ?? gzipSync(readFileSync(file), { level: 9 });
    compressed.set(file, bytes);
    sent += bytes.length;
    response
      .writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "content-encoding": "gzip",
        "content-length": bytes.length,
        // Names of assets hold a hash of what is in them.
        "cache-control": pathname.includes("/assets/") ? "public, max-age=31536000, immutable" : "max-age=600",
      })
      .end(bytes);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        url: `http://127.0.0.1:${String(port)}${base}`,
        sent: () => sent,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}
