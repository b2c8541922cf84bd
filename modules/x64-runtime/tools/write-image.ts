// SPDX-License-Identifier: Apache-2.0
// Writes source/bridge-image.ts: the bytes of the bridge, so that who loads it needs no assembler. With --check: fails
// when it is out of date.
import { fnv1a64 } from "@muxkit/cargo";
import { readFileSync, writeFileSync } from "node:fs";

import { bridgeFile } from "../source/bridge-code.ts";
import { bridgeBytes } from "../source/bridge-file.ts";

/** Zeros in a row that are worth a new piece. */
const ZEROS = 32;

/** The pieces between long runs of zeros. */
function piecesOf(bytes: Uint8Array): readonly (readonly [offset: number, bytes: Uint8Array])[] {
  const pieces: [number, Uint8Array][] = [];
  for (let from = 0; from < bytes.length;) {
    while (from < bytes.length && bytes[from] === 0) from++;
    let end = from;
    for (let at = from; at < bytes.length && at - end < ZEROS; at++) if (bytes[at] !== 0) end = at + 1;
    if (end > from) pieces.push([from, bytes.subarray(from, end)]);
    from = end === from ? bytes.length : end;
  }
  return pieces;
}

/** A piece as source text, in lines that are not too long. */
function sourceOf([offset, bytes]: readonly [number, Uint8Array]): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,100}/gu) ?? [];
  return `  [\n    ${offset},\n${lines.map((line) => `      "${line}"`).join(" +\n")},\n  ],\n`;
}

const path = new URL("../source/bridge-image.ts", import.meta.url);
const bytes = bridgeFile();
const hash = fnv1a64(bytes).toString(16).padStart(16, "0");
if (process.argv.includes("--check")) {
  if (Buffer.compare(bridgeBytes(), bytes) !== 0 || !readFileSync(path, "utf8").includes(hash)) {
    console.error("modules/x64-runtime/source/bridge-image.ts is out of date; run tools/write-image.ts there");
    process.exit(1);
  }
} else {
  writeFileSync(
    path,
    `// SPDX-License-Identifier: Apache-2.0
// The bridge's file: written by tools/write-image.ts of this package from bridge-code.ts.

/** Bytes of the file. */
export const BRIDGE_BYTES = ${bytes.length};

/** A hash of them. */
export const BRIDGE_HASH = "${hash}";

/** What is not zero: where it is, and the bytes in base64. */
export const BRIDGE_IMAGE: readonly (readonly [offset: number, bytes: string])[] = [
${piecesOf(bytes).map(sourceOf).join("")}];
`,
  );
}
