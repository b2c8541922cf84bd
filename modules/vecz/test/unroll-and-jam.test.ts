// SPDX-License-Identifier: Apache-2.0
// Golden cases of unroll-and-jam: `idea.ir` goes in; `idea.after.ir` holds the function for all rows. The second line
// has the number of rows, and the parameters that differ or are not known beforehand.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import {
  Builder,
  I1,
  IrFunction,
  type Module,
  describeVerifierError,
  parseModule,
  printFunction,
  verifyModule,
} from "@muxkit/ir";
import { type UnrollAndJamRequest, type ParameterFacts, unrollAndJam } from "@muxkit/vecz";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "unroll-and-jam-cases");
const NAMES = readdirSync(ROOT)
  .filter((name) => name.endsWith(".ir") && !name.endsWith(".after.ir"))
  .toSorted();

function readCase(name: string): { readonly module: Module; readonly request: UnrollAndJamRequest } {
  const text = readFileSync(join(ROOT, name), "utf8");
  const parsed = parseModule(text);
  if (!parsed.ok) throw new Error(`${name}:${parsed.error.line}: ${parsed.error.message}`);
  expect(verifyModule(parsed.value).map(describeVerifierError)).toEqual([]);
  const [rows = "", ...facts] = /^; rows: (.+)$/mu.exec(text)?.[1]?.split(";") ?? [];
  const parameters = new Map<number, ParameterFacts>();
  const steps = new Map<number, number>();
  const unknown = new Set<number>();
  for (const fact of facts) {
    const [, position = "", what = "", number = ""] =
      /^(\d+) (stride|step|unknown)(?: (-?\d+))?$/u.exec(fact.trim()) ?? [];
    if (what === "") throw new Error(`"${fact}" says nothing of a parameter`);
    if (what === "stride") parameters.set(Number(position), { shape: Number(number), lowZeros: 0 });
    else if (what === "step") steps.set(Number(position), Number(number));
    else unknown.add(Number(position));
  }
  return {
    module: parsed.value,
    request: { rows: Number(rows), layout: parsed.value.layout, axis: 1, parameters, steps, unknown, name: "rows" },
  };
}

test.each(NAMES)("%s", async (name) => {
  const { module, request } = readCase(name);
  const fn = module.functions.get("f");
  if (fn === undefined) throw new Error(`${name} has a function @f`);
  const made = unrollAndJam(fn, request);
  expect(made === null).toBe(name.startsWith("refused"));
  if (made === null) return;
  const functions = [module.addFunction(made.fn)];
  if (made.writeTest !== null) {
    const holds = module.addFunction(
      new IrFunction(
        "test",
        I1,
        made.fn.parameters.map((parameter) => ({ name: parameter.name, type: parameter.type })),
      ),
    );
    const builder = new Builder(holds.addBlock("e"));
    builder.return(made.writeTest(builder, holds.parameters));
    functions.push(holds);
  }
  expect(verifyModule(module).map(describeVerifierError)).toEqual([]);
  await expect(functions.map((one) => printFunction(one)).join("\n")).toMatchFileSnapshot(
    join(ROOT, name.replace(/ir$/u, "after.ir")),
  );
});
