// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// Text to running WebAssembly: functions get their operands and leave their result in memory, so that every type and
// bit can pass.
import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";
import { type GenerateOptions, generateModule } from "@muxkit/wasm";

const PAGE = 65_536;
const PAGES = 16;
/** Addresses of operands and of results. */
export const INPUT = 1024;
export const OUTPUT = 2048;

/** Reads a module; throws for what does not parse or verify. */
export function moduleOf(text: string): Module {
  const result = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\n${text}`);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  const [problem] = verifyModule(result.value);
  if (problem !== undefined) throw new Error(describeVerifierError(problem));
  return result.value;
}

/** Functions of a module, compiled, and the memory that they work on. */
export interface Compiled {
  readonly call: (name: string, ...args: readonly (number | bigint)[]) => unknown;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
}

const RELAXED = ["relaxed-simd", "fused-madd"];

/** What generated code may use here: nothing where relaxed SIMD is missing or its multiply-add rounds twice. */
export const FEATURES: readonly string[] = hasFusedMultiplyAdd() ? RELAXED : [];

function hasFusedMultiplyAdd(): boolean {
  const { bytes } = generateModule(
    moduleOf("func @f(%x: f32, %y: f32) -> f32 {\n^0:\n  %r = fma %x, %x, %y: f32\n  ret %r\n}"),
    { exports: ["f"], sharedMemory: true, features: RELAXED },
  );
  if (!WebAssembly.validate(new Uint8Array(bytes))) return false;
  const run = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), {
    env: { memory: new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true }) },
  }).exports["f"];
  return typeof run === "function" && run(1 + 2 ** -12, -(1 + 2 ** -11)) === 2 ** -24;
}

/** Compiles a module; all its functions are exported. */
export function compile(
  module: Module,
  features: readonly string[] = FEATURES,
  options: Pick<GenerateOptions, "largestFunction"> = {},
): Compiled {
  const { bytes } = generateModule(module, {
    exports: [...module.functions.values()].filter(({ blocks }) => blocks.length > 0).map(({ name }) => name),
    sharedMemory: true,
    features,
    ...options,
  });
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: 65_536, shared: true });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), {
    env: { memory, clock: () => 0 },
  });
  return {
    call: (name, ...args) => {
      const fn = instance.exports[name];
      if (typeof fn !== "function") throw new Error(`${name} is not exported`);
      const result: unknown = fn(...args);
      return result;
    },
    bytes: new Uint8Array(memory.buffer),
    words: new Int32Array(memory.buffer, 0, (PAGES * PAGE) / 4),
  };
}
