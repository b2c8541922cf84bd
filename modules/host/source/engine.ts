// SPDX-License-Identifier: Apache-2.0
// What the JavaScript engine can do, and how kernels get its optimising compiler.
import { SYSTEM } from "#system";
import { type WasmModule, webAssembly } from "./web-assembly.ts";

/**
 * Modules above this size tier up by themselves: compiling them eagerly would cost tens of milliseconds
 * (docs/decisions/011-eager-optimisation.md).
 */
const EAGER_LIMIT = 65536;

/**
 * Compiles a module on the host thread, eagerly where it is small. Other modules, and all in browsers, tier up by
 * themselves.
 */
export function compileModule(bytes: Uint8Array<ArrayBuffer>, eager: boolean): WasmModule {
  return eager && bytes.length <= EAGER_LIMIT ? compileOptimized(bytes) : new webAssembly.Module(bytes);
}

/**
 * Compiles a module eagerly, where the engine can: V8's optimising compiler does all functions at once, with two
 * process-wide flags set around the call and restored after it. Threads that compile equal bytes while the module is
 * held get the same native code.
 *
 * @internal
 */
export function compileOptimized(bytes: Uint8Array<ArrayBuffer>): WasmModule {
  const { setEngineFlags } = SYSTEM;
  if (setEngineFlags === null) return new webAssembly.Module(bytes);
  const widens = flagged.has("revectorize");
  setEngineFlags("--no-liftoff");
  setEngineFlags("--no-wasm-lazy-compilation");
  if (widens) setEngineFlags(`--${FLAGS.revectorize}`);
  try {
    return new webAssembly.Module(bytes);
  } finally {
    setEngineFlags("--liftoff");
    setEngineFlags("--wasm-lazy-compilation");
    if (widens) setEngineFlags(`--no-${FLAGS.revectorize}`);
  }
}

/**
 * Features behind flags of V8: `fp16` converts vectors of halves; `revectorize` joins neighbouring vectors of 16 bytes
 * to one of 32 while it optimises. They change the process, so a setting has to ask for them.
 */
const FLAGS: Readonly<Record<FlaggedFeature, string>> = {
  fp16: "experimental-wasm-fp16",
  revectorize: "experimental-wasm-revectorize",
};

/** Names of features behind flags. @public */
export type FlaggedFeature = "fp16" | "revectorize";

/** The features that a setting may ask for. @public */
export const FLAGGED_FEATURES: readonly FlaggedFeature[] = ["fp16", "revectorize"];

/** The first V8 that has them: that of Node 24. Older ones print a message for flags that they do not know. */
const LEAST_V8 = 13;

/** Those that are on in this process. */
const flagged = new Set<FlaggedFeature>();

/**
 * Turns on those features behind flags that the engine has, for the rest of the process; returns them. The flag for
 * halves stays set, since threads validate code again; the other one is set while a module is compiled.
 */
export function turnOn(asked: readonly FlaggedFeature[]): readonly FlaggedFeature[] {
  const { setEngineFlags, v8OnX64 } = SYSTEM;
  if (setEngineFlags === null || v8OnX64() < LEAST_V8) return [];
  return FLAGGED_FEATURES.filter((name) => {
    if (!asked.includes(name)) return false;
    if (flagged.has(name)) return true;
    if (name === "fp16") {
      setEngineFlags(`--${FLAGS.fp16}`);
      if (!areHalvesRounded()) {
        setEngineFlags(`--no-${FLAGS.fp16}`);
        return false;
      }
    }
    flagged.add(name);
    return true;
  });
}

/** `h(x)`: the bits of the half nearest to x. `f(h)`: the number of such bits. */
const HALVES = [
  [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  [0x01, 0x0b, 0x02, 0x60, 0x01, 0x7d, 0x01, 0x7f, 0x60, 0x01, 0x7f, 0x01, 0x7d],
  [0x03, 0x03, 0x02, 0x00, 0x01],
  [0x07, 0x09, 0x02, 0x01, 0x68, 0x00, 0x00, 0x01, 0x66, 0x00, 0x01],
  [0x0a, 0x1b, 0x02],
  [0x0c, 0x00, 0x20, 0x00, 0xfd, 0x13, 0xfd, 0xc9, 0x02, 0xfd, 0x19, 0x00, 0x0b],
  [0x0c, 0x00, 0x20, 0x00, 0xfd, 0x10, 0xfd, 0xcb, 0x02, 0xfd, 0x1f, 0x00, 0x0b],
].flat();

/** Numbers with the bits of the nearest half: ties, the least and the largest ones, infinity. */
const ROUNDED = [
  [1 + 2 ** -11, 0x3c00],
  [1 + 3 * 2 ** -11, 0x3c02],
  [1 + 2 ** -11 + 2 ** -20, 0x3c01],
  [1.5 * 2 ** -25, 0x0001],
  [2 ** -25, 0x0000],
  [-(2 ** -14) + 2 ** -24, 0x83ff],
  [65_519, 0x7bff],
  [65_520, 0x7c00],
] as const;

/** True where conversions of halves are there and round to the nearest, ties to even. */
function areHalvesRounded(): boolean {
  const bytes = new Uint8Array(HALVES);
  if (!webAssembly.validate(bytes)) return false;
  const { exports } = new webAssembly.Instance(new webAssembly.Module(bytes), {});
  const { h, f } = exports;
  if (typeof h !== "function" || typeof f !== "function") return false;
  return ROUNDED.every(([number, bits]) => h(number) === bits) && f(0x0001) === 2 ** -24 && f(0x7bff) === 65_504;
}

const MODULE_START = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** Type () → v128, one function, its body. */
const VECTOR_FUNCTION = [0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03, 0x02, 0x01, 0x00];
const ZERO_VECTOR = [0xfd, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** Features by name, each with a module that validates only where the feature is there. */
const PROBES: readonly (readonly [string, readonly number[]])[] = [
  ["simd", [...MODULE_START, ...VECTOR_FUNCTION, 0x0a, 0x16, 0x01, 0x14, 0x00, ...ZERO_VECTOR, 0x0b]],
  [
    "relaxed-simd",
    [
      ...MODULE_START,
      ...VECTOR_FUNCTION,
      0x0a,
      0x3d,
      0x01,
      0x3b,
      0x00,
      ...ZERO_VECTOR,
      ...ZERO_VECTOR,
      ...ZERO_VECTOR,
      0xfd,
      0x85,
      0x02,
      0x0b,
    ],
  ],
  ["threads", [...MODULE_START, 0x05, 0x04, 0x01, 0x03, 0x01, 0x01]],
];

/** `s(x, y)` and `d(x, y)`: x * x + y by the relaxed multiply-add of floats, of doubles. */
const MULTIPLY_ADD = [
  ...MODULE_START,
  0x01,
  0x0d,
  0x02,
  0x60,
  0x02,
  0x7d,
  0x7d,
  0x01,
  0x7d,
  0x60,
  0x02,
  0x7c,
  0x7c,
  0x01,
  0x7c,
  0x03,
  0x03,
  0x02,
  0x00,
  0x01,
  0x07,
  0x09,
  0x02,
  0x01,
  0x73,
  0x00,
  0x00,
  0x01,
  0x64,
  0x00,
  0x01,
  0x0a,
  0x2b,
  0x02,
  0x14,
  0x00,
  0x20,
  0x00,
  0xfd,
  0x13,
  0x20,
  0x00,
  0xfd,
  0x13,
  0x20,
  0x01,
  0xfd,
  0x13,
  0xfd,
  0x85,
  0x02,
  0xfd,
  0x1f,
  0x00,
  0x0b,
  0x14,
  0x00,
  0x20,
  0x00,
  0xfd,
  0x14,
  0x20,
  0x00,
  0xfd,
  0x14,
  0x20,
  0x01,
  0xfd,
  0x14,
  0xfd,
  0x87,
  0x02,
  0xfd,
  0x21,
  0x00,
  0x0b,
];

/**
 * True where the relaxed multiply-add rounds once (docs/decisions/012-engine-features.md): the square of 1 + 2^-p keeps
 * its last term, which a rounded product loses.
 */
function isMultiplyAddFused(): boolean {
  const bytes = new Uint8Array(MULTIPLY_ADD);
  if (!webAssembly.validate(bytes)) return false;
  const { exports } = new webAssembly.Instance(new webAssembly.Module(bytes), {});
  return Object.entries({ s: 12, d: 27 }).every(([name, p]) => {
    const run = exports[name];
    return typeof run === "function" && run(1 + 2 ** -p, -(1 + 2 ** (1 - p))) === 2 ** (-2 * p);
  });
}

let features: ReadonlySet<string> | null = null;

/**
 * The engine's features: `simd`, `relaxed-simd`, `fused-madd` (its relaxed multiply-add rounds once), `threads`, as
 * executables name them. With those behind flags that are on it is {@link runnableFeatures}.
 */
export function engineFeatures(): ReadonlySet<string> {
  if (features === null) {
    const found = new Set(
      PROBES.filter(([, bytes]) => webAssembly.validate(new Uint8Array(bytes))).map(([name]) => name),
    );
    if (isMultiplyAddFused()) found.add("fused-madd");
    features = found;
  }
  return features;
}

/** The features that code may need that is run: the engine's, and those behind flags that are on. */
export function runnableFeatures(): ReadonlySet<string> {
  return flagged.size === 0 ? engineFeatures() : new Set([...engineFeatures(), ...flagged]);
}
