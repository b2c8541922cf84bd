// SPDX-License-Identifier: Apache-2.0
// What a setup does not say of a program's kernels: each pointer gets a buffer, each value a control, a program without
// a setup a launch. The names and types of the parameters decide.
import { type KernelParameter, type KernelShape, elementType } from "./kernel-types.ts";
import type { BufferSetup, Driver, Parameter, Setup, Show, Step } from "./setup.ts";

/** Values by names that say what they are. */
const DRIVERS: Readonly<Record<string, Driver>> = {
  width: "width",
  height: "height",
  frame: "frame",
  time: "seconds",
  seconds: "seconds",
  pointer: "pointer",
  n: "width",
  count: "width",
  size: "width",
};

const SIDE = 512;
const LENGTH = 65_536;

/** The range that a kernel without a setup is launched with: two sizes where it asks for y. */
export function rangeOf(source: string): readonly number[] {
  return /get_global_(id|size)\s*\(\s*1\s*\)/.test(source) ? [SIDE, SIDE] : [LENGTH];
}

/** A control for a value; null: there is none for its type. */
function parameterFor({ name, typeName }: KernelParameter): Parameter | null {
  const type = elementType(typeName);
  if (type === null) return null;
  const driver = DRIVERS[name];
  if (driver !== undefined && (driver === "pointer") === (type.lanes === 4)) return { kind: "driven", by: driver };
  const one = type.isFloat
    ? { value: 1, low: -4, high: 4, step: 0.01 }
    : { value: 8, low: type.scalar.startsWith("u") ? 0 : -64, high: 256, step: 1 };
  const value = type.lanes === 1 ? one.value : Array.from({ length: type.lanes }, () => one.value);
  return { kind: "slider", ...one, value };
}

/** A buffer for a pointer: what is only read has something in it. */
function bufferFor({ typeName, isConst }: KernelParameter, shape: readonly number[]): BufferSetup {
  const isPicture = typeName.startsWith("uchar4") && shape.length === 2;
  if (!isConst) return { shape, content: { kind: "zero" } };
  return { shape, content: isPicture ? { kind: "picture" } : { kind: "random", low: 0, high: 1, seed: 1 } };
}

function showFor(kernel: KernelShape, range: readonly number[]): Show {
  const pointers = kernel.parameters.filter(({ kind }) => kind === "pointer");
  const shown = pointers.find(({ isConst }) => !isConst) ?? pointers[0];
  const buffer = shown?.name ?? "";
  return { kind: range.length === 2 ? "picture" : "plot", buffer };
}

/** The setup of a program that nobody wrote one for: its first kernel is launched once. */
export function setupFor(source: string, kernels: readonly KernelShape[]): Setup {
  const [kernel] = kernels;
  const range = rangeOf(source);
  const frame: readonly Step[] = kernel === undefined ? [] : [{ kernel: kernel.name, range }];
  const show: Show = kernel === undefined ? { kind: "table", buffers: [] } : showFor(kernel, range);
  return { buffers: {}, parameters: {}, start: [], frame, animates: false, show };
}

/** A setup with a buffer and a parameter for each argument of the kernels that it launches. */
export function completeSetup(setup: Setup, kernels: readonly KernelShape[]): Setup {
  const buffers: Record<string, BufferSetup> = { ...setup.buffers };
  const parameters: Record<string, Parameter> = { ...setup.parameters };
  for (const { kernel: name, range, arguments: given = {} } of [...setup.start, ...setup.frame])
    for (const argument of kernels.find((kernel) => kernel.name === name)?.parameters ?? []) {
      if (argument.name in given) continue;
      if (argument.kind === "pointer") buffers[argument.name] ??= bufferFor(argument, range);
      else if (argument.kind === "value" && parameters[argument.name] === undefined) {
        const parameter = parameterFor(argument);
        if (parameter !== null) parameters[argument.name] = parameter;
      }
    }
  return { ...setup, buffers, parameters };
}
