// SPDX-License-Identifier: Apache-2.0
// Words that a name of TypeScript cannot keep in OpenCL C: keywords, types, built-ins, and what headers define.
import { builtinRows, parseFamily } from "@muxkit/builtin-table";

import { elementNamed } from "./kernel-type.ts";

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "auto break case char const continue default do double else enum extern float for goto if inline int " +
    "long register restrict return short signed sizeof static struct switch typedef union unsigned void " +
    "volatile while global local constant private generic kernel read_only write_only read_write uniform " +
    "pipe half quad complex imaginary bool true false NULL size_t ptrdiff_t intptr_t uintptr_t event_t " +
    "queue_t sampler_t image1d_t image2d_t image3d_t asm typeof main"
  ).split(" "),
);

/** True for a word that a variable or function cannot have as its name. */
export function isReservedInC(name: string): boolean {
  return (
    KEYWORDS.has(name) ||
    elementNamed(name) !== null ||
    builtinRows(name).length > 0 ||
    parseFamily(name) !== null ||
    name.startsWith("__") ||
    /^(?:[A-Z][A-Z0-9_]*|atomic_\w+|memory_(?:order|scope)_\w+|get_\w+)$/u.test(name)
  );
}
