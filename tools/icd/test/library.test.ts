// SPDX-License-Identifier: Apache-2.0
// The driver on disk: one that another release or another project has left is made anew.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build, isBuilt, isCurrent, places } from "@muxkit/icd";
import { expect, test } from "vitest";

import { KEPT_CC, has } from "./rig.ts";

const MAIN: string = fileURLToPath(new URL("../source/main.ts", import.meta.url));

test.skipIf(process.platform !== "linux" || !has("cc"))(
  "a driver that starts the server of another project is built, and not current",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "muxkit-icd-library-"));
    try {
      const where = places({ XDG_DATA_HOME: folder });
      expect([isBuilt(where), isCurrent(where, MAIN)]).toEqual([false, false]);
      build(where, MAIN, { ...process.env, CC: KEPT_CC });
      expect([isBuilt(where), isCurrent(where, MAIN)]).toEqual([true, true]);
      expect(isCurrent(where, "/gone/node_modules/@muxkit/icd/dist/esm/main.js")).toBe(false);
      rmSync(where.library.replace(/\.so$/u, ".stamp"));
      expect([isBuilt(where), isCurrent(where, MAIN)]).toEqual([true, false]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  300_000,
);
