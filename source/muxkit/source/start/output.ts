// SPDX-License-Identifier: Apache-2.0
// Texts to standard output and error without Node's streams for them, whose code takes longer to load than a small
// kernel to run.
import { writeSync } from "node:fs";

/** Time between attempts to write to a pipe that is full, in ms. */
const PAUSE_MS = 1;

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function writeAll(descriptor: number, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      // Nobody reads any more: `muxkit … | head`.
      if (codeOf(error) === "EPIPE") return;
      // A pipe that another process has made not to block, and that is full.
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/**
 * Writes texts and bytes to a file descriptor, in order with what `stream` writes to it. Windows writes streams to
 * pipes later, so there the stream is used.
 */
export function writeTo(
  descriptor: number,
  stream: () => { readonly write: (text: string | Uint8Array) => unknown },
  platform: string = process.platform,
): (text: string | Uint8Array) => void {
  return (text) => {
    if (platform === "win32") stream().write(text);
    else writeAll(descriptor, text);
  };
}
