// SPDX-License-Identifier: Apache-2.0
// Each pass on small functions: the result is compared with a golden file, and `; run:` lines hold before and after.
import { checkRunLines } from "@muxkit/interpreter";
import { printModule } from "@muxkit/ir";
import { EMPTY_CONTEXT, PASSES, runPasses } from "@muxkit/passes";
import { expect, test } from "vitest";

import { CASES, FOLDERS, contextOf, parsed } from "./cases.ts";

const NEEDS_LIBRARY = new Set(["link-builtins", "lower-builtins"]);
const CHECKED = { verifyEach: true, checkAnalyses: true };

test.each(CASES)("$pass: $idea", async ({ pass, text, after }) => {
  const module = parsed(text);
  const remarks: string[] = [];
  const context = contextOf(pass, (remark) => remarks.push(`; remark: ${remark}\n`));
  // Before its built-ins are linked a module may not be able to run.
  expect(checkRunLines(module, NEEDS_LIBRARY.has(pass) ? "" : text)).toEqual({ ok: true, value: [] });
  runPasses(module, [pass], context, CHECKED);
  expect(checkRunLines(module, text)).toEqual({ ok: true, value: [] });
  await expect(`${remarks.join("")}${printModule(module)}`).toMatchFileSnapshot(after);
});

test("sequences of passes, each run twice, in two orders", () => {
  const orders = [
    ["inline", "simplify-cfg", "mem2reg", "simplify", "gvn", "simplify-cfg", "dce"],
    ["dce", "gvn", "simplify", "mem2reg", "simplify-cfg", "inline", "mem2reg", "simplify"],
  ];
  for (const { text, pass } of CASES) {
    if (NEEDS_LIBRARY.has(pass)) continue;
    for (const order of orders) {
      const module = parsed(text);
      runPasses(module, [...order, ...order], EMPTY_CONTEXT, CHECKED);
      expect(checkRunLines(module, text)).toEqual({ ok: true, value: [] });
    }
  }
});

test("an unknown pass name is an internal error that lists the passes", () => {
  expect(() => {
    runPasses(parsed(CASES[0]?.text ?? ""), ["mem2rag"], EMPTY_CONTEXT);
  }).toThrow(/there is no pass "mem2rag"; there are verify, .*mem2reg/u);
});

test("each pass has a sentence of documentation and a folder of cases, and each folder a pass", () => {
  expect(PASSES.filter(({ doc }) => !doc.endsWith(".")).map(({ name }) => name)).toEqual([]);
  expect(FOLDERS).toEqual(PASSES.map(({ name }) => name).toSorted());
});
