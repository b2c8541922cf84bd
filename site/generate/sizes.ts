// SPDX-License-Identifier: Apache-2.0
// The page of sizes: what the tests hold pages to.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A limit that a test checks. */
interface LimitRow {
  readonly file: string;
  readonly constant: string;
  readonly what: string;
}

const LIMITS: readonly LimitRow[] = [
  {
    file: "source/muxkit/test/page-size.test.ts",
    constant: "MOST_RUN",
    what: "A page with one kernel by `muxkit/run`: its script, the worker's script and the kernel",
  },
  {
    file: "source/muxkit/test/page-size.test.ts",
    constant: "MOST_SYCL",
    what: "The same with queues and buffers of `muxkit/sycl`",
  },
];

/** The page. */
export function sizesPage(root: string): string {
  const rows = LIMITS.map(({ file, constant, what }) => {
    const value = new RegExp(`const ${constant}[^=]*= ([\\d_]+);`, "u").exec(
      readFileSync(join(root, file), "utf8"),
    )?.[1];
    if (value === undefined) throw new Error(`${file} has no constant ${constant}`);
    const bytes = Number(value.replaceAll("_", ""));
    return `| ${what} | ${(bytes / 1000).toFixed(1)} kB | \`${file}\` |`;
  });
  return `---
title: Sizes
description: How many bytes a page with kernels loads.
---

# Sizes

Bytes of scripts as a server sends them, compressed by gzip. Each limit is a test, so none of them grows unnoticed.

| what | at most | test |
|---|--:|---|
${rows.join("\n")}

[How pages get only what they use](/internals/decisions/077-pages) has the reasons.
`;
}
