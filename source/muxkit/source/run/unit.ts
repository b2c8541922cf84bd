// SPDX-License-Identifier: Apache-2.0
// Translated files of muxkit/run: their kernels, and what the bundler has read of their executables.
import type { ScalarName, ScalarType, ScalarValue, TranslatedKernel, TranslatedUnit } from "@muxkit/kernel-library";

import type { PrintfPart } from "@muxkit/host/launcher";

import { RunError } from "./error.ts";
import type { Shaped } from "./places.ts";
import type { ProgramText } from "./program.ts";

/** What is passed for a parameter of a kernel: numbers for numbers, arrays for memory. @public */
export type RunArgument<T> = T extends boolean
  ? boolean
  : T extends number
    ? number
    : T extends bigint
      ? bigint
      : number | readonly number[] | ArrayBufferView | Shaped;

/** The arguments of a run: the parameters of the function but the item. @public */
export type RunArguments<P extends readonly unknown[]> = P extends readonly [{ getLinearId(): unknown }, ...infer Rest]
  ? { [I in keyof Rest]: RunArgument<Rest[I]> }
  : { [I in keyof P]: RunArgument<P[I]> };

/** A translated file with its executable as the bundler has read it. @internal */
export interface RunProgram extends TranslatedUnit {
  readonly program: ProgramText;
}

/** A kernel; `Passed` are the arguments of a run. @public */
export class RunKernel<Passed extends readonly unknown[] = readonly unknown[]> {
  /** Its file; null: it was not translated. @internal */
  readonly unit: RunUnit | null;
  /** What the translator says; null: it was not translated. @internal */
  readonly translated: TranslatedKernel | null;
  /** The arguments of a run, for the checker alone. */
  declare readonly passed?: (passed: Passed) => Passed;

  /** Made by {@link kernel}. @internal */
  constructor(unit: RunUnit | null, translated: TranslatedKernel | null) {
    this.unit = unit;
    this.translated = translated;
  }
}

/** What is known of a kernel's runs. @public */
export interface RunKernelOptions {
  /** Items of its work-groups in each dimension: no other run is possible. It must be constant. */
  readonly groupSize?: readonly number[];
}

/**
 * A kernel: a function of a translated file. The bundler's plugin puts the translated kernel in the place of the call;
 * a run of one that was not translated says so.
 *
 * @public
 */
export function kernel<P extends readonly unknown[]>(
  _body: (...values: P) => void,
  _options: RunKernelOptions = {},
): RunKernel<RunArguments<P>> {
  return new RunKernel(null, null);
}

/** A translated file. @public */
export class RunUnit {
  /** What the bundler has made of it. @internal */
  readonly data: RunProgram;
  /** What its kernels print; null: they do not. @internal */
  readonly printf: PrintfPart | null;

  /** Made by {@link translationUnit}. @internal */
  constructor(data: RunProgram, printf: PrintfPart | null) {
    this.data = data;
    this.printf = printf;
  }

  /** A kernel, by its name in the file. */
  kernel(name: string): RunKernel {
    const found = this.data.kernels.find((one) => one.name === name);
    if (found === undefined) throw new RunError(`${this.data.name} has no kernel "${name}"`);
    return new RunKernel(this, found);
  }

  /** A specialization constant, by its name in the file. */
  specConstant(name: string): RunConstant {
    const found = this.data.specConstants.find((one) => one.name === name);
    if (found === undefined) throw new RunError(`${this.data.name} has no specialization constant "${name}"`);
    return { value: constantValue(found.value) };
  }
}

/** The value of a constant: longs are texts of digits. */
export function constantValue(value: number | string): number | bigint {
  return typeof value === "string" ? BigInt(value) : value;
}

/** A specialization constant: what is compiled of the file, and so of `muxkit/run`, has its default. @public */
export interface RunConstant<T extends number | bigint | boolean = number | bigint | boolean> {
  /** The value. */
  readonly value: T;
}

/** A specialization constant of a translated file: `.value` in kernels. @public */
export function specConstant<Name extends ScalarName>(
  _type: ScalarType<Name>,
  value?: number | bigint | boolean,
): RunConstant<ScalarValue<Name>> {
  return { value: (value ?? 0) as ScalarValue<Name> };
}

/** A translated file; what the bundler's plugin writes calls it. @public */
export function translationUnit(data: RunProgram, printf: PrintfPart | null = null): RunUnit {
  return new RunUnit(data, printf);
}
