// Each pass on small functions: what it makes of them, and that they give what they gave.
import { checkRunLines } from "@muxkit/interpreter";
import { type Module, describeVerifierError, parseModule, printModule, verifyModule } from "@muxkit/ir";
import { EMPTY_CONTEXT, PASSES, runPasses } from "@muxkit/passes";
import { expect, test } from "vitest";

import { PROGRAMS } from "./programs.ts";

function parsed(text: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  expect(verifyModule(result.value).map(describeVerifierError)).toEqual([]);
  return result.value;
}

test.each(PROGRAMS)("$pass: $idea", async ({ pass, idea, text }) => {
  const module = parsed(text);
  expect(checkRunLines(module, text)).toEqual({ ok: true, value: [] });
  runPasses(module, [pass], EMPTY_CONTEXT, { verifyEach: true });
  expect(checkRunLines(module, text)).toEqual({ ok: true, value: [] });
  const name = `${pass}: ${idea}`.replaceAll(/[^a-z0-9]+/giu, "-");
  await expect(`; ${pass}: ${idea}\n${text}\n; after\n${printModule(module)}`).toMatchFileSnapshot(`golden/${name}.ir`);
});

test("all passes in a row, twice over, in two orders", () => {
  const orders = [["inline", "simplify-cfg", "mem2reg", "simplify", "gvn", "simplify-cfg", "dce"], ["dce", "gvn", "simplify", "mem2reg", "simplify-cfg", "inline", "mem2reg", "simplify"]];
  for (const { text } of PROGRAMS) {
    for (const order of orders) {
      const module = parsed(text);
      runPasses(module, [...order, ...order], EMPTY_CONTEXT, { verifyEach: true });
      expect(checkRunLines(module, text)).toEqual({ ok: true, value: [] });
    }
  }
});

test("a name that no pass has is a defect that lists the passes", () => {
  expect(() => {
    runPasses(parsed(PROGRAMS[0]?.text ?? ""), ["mem2rag"], EMPTY_CONTEXT);
  }).toThrow(/there is no pass "mem2rag"; there are link-builtins, inline, mem2reg/u);
});

test("each pass has a sentence of documentation and a program, but for those that need a library or kernels", () => {
  const shown = new Set(PROGRAMS.map(({ pass }) => pass));
  expect(PASSES.filter(({ doc }) => !doc.endsWith(".")).map(({ name }) => name)).toEqual([]);
  expect(PASSES.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual(["link-builtins", "global-dce"]);
});
