// SPDX-License-Identifier: Apache-2.0
// A hunt in a process of its own: `hunt-job.ts MUTANT SEED|- [--alone]`. It reports to its parent each kernel that it
// begins, and at the end what it found.
import { join, resolve } from "node:path";

import { nativeImplementations } from "../native.ts";
import { type Hunt, hunt } from "./hunt.ts";
import { MUTANTS } from "./mutants.table.ts";

/** The messages of a hunt. */
export type HuntMessage = { readonly kernel: number; readonly seed: number } | { readonly result: Hunt };

const ROOT = resolve(import.meta.dirname, "../../../..");

function tell(message: HuntMessage): void {
  process.send?.(message);
}

async function main([name, seed, ...words]: readonly string[]): Promise<void> {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (mutant === undefined) throw new TypeError(`there is no mutant "${name ?? ""}"`);
  const others = words.includes("--alone") ? [] : nativeImplementations(join(ROOT, "node_modules/.cache/muxkit")).found;
  // Oclgrind is the faster one for a single program; PoCL speaks where it is wrong itself.
  const sorted = others.toSorted((a, b) => a.name.localeCompare(b.name));
  tell({
    result: await hunt(mutant, sorted, seed === "-" ? null : Number(seed), (kernel, next) =>
      tell({ kernel, seed: next }),
    ),
  });
  process.disconnect();
}

await main(process.argv.slice(2));
