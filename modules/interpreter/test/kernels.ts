// SPDX-License-Identifier: Apache-2.0
// Kernels as texts, and short ways to launch them.
import {
  type InterpreterError,
  type KernelArgument,
  type KernelLaunch,
  describeInterpreterError,
  interpretKernel,
} from "@muxkit/interpreter";
import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";

/** Reads functions in a module of 32-bit pointers; throws for what does not parse or verify. */
export function moduleOf(text: string): Module {
  const result = parseModule(`module "m" pointers 4 4 4 4 4 size_t 32\n${text}`);
  if (!result.ok) throw new Error(`${result.error.line}: ${result.error.message}`);
  const [problem] = verifyModule(result.value);
  if (problem !== undefined) throw new Error(describeVerifierError(problem));
  return result.value;
}

/** A kernel `k` with these parameters; each is described as far as the interpreter looks. */
export function kernelText(parameters: readonly string[], body: string, attributes: string = ""): string {
  const rows = parameters.map((_, i) => `  argument "a${i}" "?" value private size 4 align 4\n`).join("");
  return `kernel @k(${parameters.join(", ")})${attributes} {\n${rows}${body}\n}\n`;
}

export const i32 = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);
export const f32 = (...values: number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
export const numbers = (bytes: Uint8Array): number[] => [
  ...new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4),
];
export const floats = (bytes: Uint8Array): number[] => [
  ...new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4),
];
export const value = (bytes: Uint8Array): KernelArgument => ({ kind: "value", bytes });
export const buffer = (bytes: Uint8Array, offset: number = 0): KernelArgument => ({ kind: "buffer", bytes, offset });

/** The error of a launch that must fail. */
export function failure(module: Module, launch: KernelLaunch): InterpreterError {
  const result = interpretKernel(module, "k", launch);
  if (result.ok) throw new Error("the launch did not fail");
  return result.error;
}

/** The sentence of a launch that must fail. */
export function sentence(module: Module, launch: KernelLaunch): string {
  return describeInterpreterError(failure(module, launch));
}

/** Runs a launch that must not fail; returns the number of instructions. */
export function run(module: Module, launch: KernelLaunch): number {
  const result = interpretKernel(module, "k", launch);
  if (!result.ok) throw new Error(describeInterpreterError(result.error));
  return result.value.steps;
}
