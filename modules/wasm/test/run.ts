/// <reference lib="dom" />
// Text to running WebAssembly: functions get their operands and leave their result in memory, so that every type and bit can pass.
import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";
import { generateModule } from "@muxkit/wasm";

const PAGE = 65_536;
/** Where operands lie, where results. */
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

/** Compiles a module; all its functions are exported. */
export function compile(module: Module): Compiled {
  const { bytes } = generateModule(module, { exports: [...module.functions.values()].filter(({ blocks }) => blocks.length > 0).map(({ name }) => name), sharedMemory: true });
  const memory = new WebAssembly.Memory({ initial: 4, maximum: 65_536, shared: true });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), { env: { memory, clock: () => 0 } });
  return {
    call: (name, ...args) => {
      const fn = instance.exports[name];
      if (typeof fn !== "function") throw new Error(`${name} is not exported`);
      const result: unknown = fn(...args);
      return result;
    },
    bytes: new Uint8Array(memory.buffer), words: new Int32Array(memory.buffer, 0, 4 * PAGE / 4),
  };
}
