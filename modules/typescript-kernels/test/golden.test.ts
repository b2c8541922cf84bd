// SPDX-License-Identifier: Apache-2.0
// Golden translations: TypeScript, a line of signs, and the OpenCL C that is made of it.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { expect, test } from "vitest";

import { IMPORT, translateText } from "./rig.ts";

const LINE = "\n=====\n";
const folder = join(import.meta.dirname, "golden");

test.each(globSync(join(folder, "*.txt")).map((path) => [basename(path, ".txt"), path] as const))(
  "%s",
  async (_name, path) => {
    const [source = ""] = readFileSync(path, "utf8").split(LINE);
    const { diagnostics, unit } = translateText(IMPORT + source);
    expect(diagnostics.map(({ message }) => message)).toEqual([]);
    await expect(`${source}${LINE}${unit?.openclC ?? ""}`).toMatchFileSnapshot(path);
  },
);
