// Golden cases of loops that are split: `idea.ir` goes in, `idea.after.ir` comes out. The second line says how many loops come of one. What they compute is compared with what the loop computed.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { I32, type Module, constantInt, describeVerifierError, parseModule, printConstant, printFunction, verifyModule } from "@muxkit/ir";
import { describeInterpreterError, interpretFunction } from "@muxkit/interpreter";
import { splitLoops } from "@muxkit/vecz";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "split-cases");
const NAMES = readdirSync(ROOT).filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir")).toSorted();

function parsed(text: string, name: string): Module {
  const result = parseModule(text);
  if (!result.ok) throw new Error(`${name}:${result.error.line}: ${result.error.message}`);
  return result.value;
}

/** What a function gives for some operands. */
function results(module: Module, name: string): readonly string[] {
  return [1, 2, 7].map((operand) => {
    const result = interpretFunction(module, name, [constantInt(I32, operand)]);
    return result.ok && result.value !== null ? printConstant(result.value) : `error: ${result.ok ? "no value" : describeInterpreterError(result.error)}`;
  });
}

test.each(NAMES)("%s", async (name) => {
  const text = readFileSync(join(ROOT, name), "utf8");
  const module = parsed(text, name);
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error(`${name} has a function @f`);
  const run = /^; run: %(\w+)$/mu.exec(text)?.[1];
  const compute = (): readonly string[] => (run === undefined ? [] : results(module, run));
  const wanted = compute();
  expect(wanted.some((one) => one.startsWith("error"))).toBe(false);
  const parts = Number(/^; parts: (\d+)$/mu.exec(text)?.[1]);
  expect(splitLoops(fn, module.layout)).toBe(parts);
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  expect(compute()).toEqual(wanted);
  await expect(printFunction(fn)).toMatchFileSnapshot(join(ROOT, name.replace(/ir$/u, "after.ir")));
});
