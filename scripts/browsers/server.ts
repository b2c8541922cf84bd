// SPDX-License-Identifier: Apache-2.0
// Serves a built project to a browser on this machine, isolated from other pages or not, and receives what its page
// reports.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { text } from "node:stream/consumers";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".css": "text/css",
};

/** What makes a page isolated, so that it has shared memory. */
const ISOLATION: Readonly<Record<string, string>> = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** The strictest policy under which muxkit works. */
const POLICY: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' data:",
};

/** A running server. */
export interface Server {
  readonly url: string;
  readonly close: () => void;
}

/** Serves a folder, and the plan with it, until it is closed. */
export async function serve(
  folder: string,
  plan: Uint8Array,
  isolated: boolean,
  heard: (message: string) => void,
): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const headers = isolated ? { ...POLICY, ...ISOLATION } : POLICY;
    if (request.method === "POST") {
      void text(request).then((message) => {
        response.writeHead(204, headers).end();
        heard(message);
      });
      return;
    }
    const file = path === "/" ? "/index.html" : path;
    const found = file === "/plan.json" ? Promise.resolve(plan) : readFile(join(folder, file));
    found.then(
      (bytes) =>
        response
          .writeHead(200, { ...headers, "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" })
          .end(bytes),
      () => response.writeHead(404, headers).end(),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
