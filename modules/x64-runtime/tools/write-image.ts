// SPDX-License-Identifier: Apache-2.0
// Writes source/bridge-image.ts: the bytes of the bridge, so that who loads it needs no assembler. With --check: fails
// when it is out of date.
import { fnv1a64 } from "@muxkit/cargo";
import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

import { bridgeFile } from "../source/bridge-code.ts";
import { bridgeBytes } from "../source/bridge-file.ts";

const path = new URL("../source/bridge-image.ts", import.meta.url);
const bytes = bridgeFile();
if (process.argv.includes("--check")) {
  // Libraries compress differently: what counts is what comes out.
  if (Buffer.compare(bridgeBytes(), bytes) !== 0 || !readFileSync(path, "utf8").includes(fnv1a64(bytes).toString(16))) {
    console.error("modules/x64-runtime/source/bridge-image.ts is out of date; run tools/write-image.ts there");
    process.exit(1);
  }
} else {
  const text = deflateRawSync(bytes, { level: 9 }).toString("base64");
  const lines = text.match(/.{1,110}/gu) ?? [];
  writeFileSync(
    path,
    `// SPDX-License-Identifier: Apache-2.0
// The bridge's file: written by tools/write-image.ts of this package from bridge-code.ts.

/** Bytes of the file. */
export const BRIDGE_BYTES = ${bytes.length};

/** A hash of them. */
export const BRIDGE_HASH = "${fnv1a64(bytes).toString(16).padStart(16, "0")}";

/** The bytes, compressed by deflate, in base64. */
export const BRIDGE_IMAGE: string =
${lines.map((line) => `  "${line}"`).join(" +\n")};
`,
  );
}
