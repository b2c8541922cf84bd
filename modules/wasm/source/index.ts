// SPDX-License-Identifier: Apache-2.0
/**
 * The WebAssembly code generator: a lowered module of the IR to bytes.
 *
 * @packageDocumentation
 */
export type { CodePlace } from "./code.ts";
export { EngineLimitError } from "./engine-limits.ts";
export { generateModule, type GenerateOptions, type GeneratedModule } from "./module.ts";
export { WASM_MACHINE, wasmMachine } from "./machine.ts";
