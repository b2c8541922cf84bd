// SPDX-License-Identifier: Apache-2.0
// How much memory a module takes while it is decoded and validated, or read: what lives at most (objects and typed
// arrays, after a collection of garbage) over what lived before, as a multiple of the module's bytes. It is looked at
// where the code looks up ids or fills arrays, so at the same places each time. A process of its own with little else
// in it, since each look collects all garbage:
//
//     node --expose-gc --conditions=source modules/spirv/test/memory.ts [size] [looks] [part of a name]
import { readFileSync } from "node:fs";

import { LAYOUT_32 } from "@muxkit/ir";
import { Definitions, assemble, bytesOfWords, parseModule, readSpirv, validateModule } from "@muxkit/spirv";

import { LIARS } from "./liars.table.ts";
import { repeatedText } from "./repeated.ts";

const textOf = (name: string): string => readFileSync(new URL(`modules/${name}.spvasm`, import.meta.url), "utf8");

/** Modules as compilers write them, with functions again and again. */
export const USUAL: Readonly<Record<string, (size: number) => string>> = {
  "kernels as compilers write them": (size) => repeatedText(textOf("kernel"), Math.ceil(size / 100)),
};

/** What a module has taken. */
export interface Taken {
  readonly name: string;
  readonly bytes: number;
  /** What the validator says; nothing: it is valid. */
  readonly verdict: string;
  /** What the reader says; nothing: it has read the module. */
  readonly refusal: string;
  /** Bytes that live at most while it is decoded and validated. */
  readonly validated: number;
  /** Bytes that live at most while it is read, its IR among them. */
  readonly read: number;
  /** The same of the module with a last function that the reader refuses. */
  readonly refused: number;
}

function collected(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What lives when several collections find nothing more to free. */
function settled(): number {
  let least = collected();
  for (let times = 0; times < 8; times++) least = Math.min(least, collected());
  return least;
}

function living(peak: number): number {
  const first = collected();
  // Typed arrays that one collection finds are counted off by the next one.
  return first > peak ? collected() : first;
}

/** Calls `look` at each step of what reads modules; returns how to end that. */
function atEachStep(look: () => void): () => void {
  const steps: readonly (readonly [object, string])[] = [
    [Definitions.prototype, "of"],
    ...["fill", "map", "slice", "sort"].map((name) => [Int32Array.prototype, name] as const),
  ];
  const originals = steps.map(([target, name]) => Reflect.get(target, name) as (...values: unknown[]) => unknown);
  steps.forEach(([target, name], index) =>
    Reflect.set(target, name, function step(this: unknown, ...values: unknown[]) {
      look();
      return originals[index]?.apply(this, values);
    }),
  );
  return () => steps.forEach(([target, name], index) => Reflect.set(target, name, originals[index]));
}

/** Bytes that live at most while `run` runs, over those before, at so many looks. */
function most(run: () => unknown, looks: number): number {
  let steps = 0;
  let every = Infinity;
  let peak = 0;
  const end = atEachStep(() => {
    steps++;
    if (steps % every === 0) peak = Math.max(peak, living(peak));
  });
  try {
    run();
    every = Math.ceil(steps / looks);
    steps = 0;
    const before = settled();
    const made = run();
    peak = Math.max(peak, living(peak));
    return made === undefined ? 0 : peak - before;
  } finally {
    end();
  }
}

function bytesOf(name: string, text: string): Uint8Array {
  const assembled = assemble(text);
  if (!assembled.ok) throw new Error(`${name}: line ${assembled.error.line}: ${assembled.error.message}`);
  return bytesOfWords(assembled.value);
}

/** A module that is valid until its last function, with an instruction that is not read. */
function refusedText(text: string): string {
  const types = "%rt = OpTypeFloat 32\n%rv = OpTypeVoid\n%rft = OpTypeFunction %rv\n%rc = OpUndef %rt\n";
  const last =
    "%rf = OpFunction %rv None %rft\n%rl = OpLabel\n%rr = OpFPGARegINTEL %rt %rc %rc\nOpReturn\nOpFunctionEnd";
  const begin = text.search(/^%\S+ = OpType|^OpTypeForward/mu);
  const at = begin < 0 ? text.length : begin;
  const whole = `${text.slice(0, at)}${begin < 0 ? "\n" : ""}${types}${text.slice(at)}\n${last}`;
  return `OpCapability FPGARegINTEL\n${whole.replace("OpMemoryModel", 'OpExtension "SPV_INTEL_fpga_reg"\nOpMemoryModel')}`;
}

/** Measures one module. */
export function taken(name: string, text: string, looks: number): Taken {
  const bytes = bytesOf(name, text);
  let verdict = "";
  const validated = most(() => {
    const parsed = parseModule(bytes);
    const [error] = parsed.ok ? validateModule(parsed.value, { lenient: true }) : [parsed.error];
    verdict = error?.message ?? "";
    return parsed;
  }, looks);
  const options = { name, layout: LAYOUT_32, specialization: new Map(), floatFlags: 0, uniformWorkGroups: false };
  let refusal = "";
  const read = most(() => {
    const module = readSpirv(bytes, options);
    refusal = module.ok ? "" : module.error.message;
    return module;
  }, looks);
  const refusable = bytesOf(name, refusedText(text));
  const refused = most(() => {
    const module = readSpirv(refusable, options);
    if (module.ok) throw new Error(`${name} is not refused`);
    return module;
  }, looks);
  return { name, bytes: bytes.length, verdict, refusal, validated, read, refused };
}

if (import.meta.main) {
  const [size = "3000", looks = "6", part = ""] = process.argv.slice(2);
  for (const [name, make] of Object.entries({ ...LIARS, ...USUAL }))
    if (name.includes(part)) console.log(JSON.stringify(taken(name, make(Number(size)), Number(looks))));
}
