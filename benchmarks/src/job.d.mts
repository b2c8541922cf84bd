// SPDX-License-Identifier: Apache-2.0
/** Typed arrays that hold elements. */
export type JobElements =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** An argument with what makeInputs adds. */
export interface LoadedArgument {
  readonly kind: "buffer" | "image" | "local" | "sampler" | "scalar";
  readonly type: string;
  readonly access: string;
  readonly local_bytes: number;
  readonly value: number | readonly number[];
  readonly host?: JobElements;
  readonly image2d?: { readonly width: number; readonly height: number; readonly format: string };
  readonly sampler?: {
    readonly normalized: boolean;
    readonly addressing: "none" | "clamp_to_edge" | "clamp" | "repeat" | "mirrored_repeat";
    readonly filter: "nearest" | "linear";
  };
}

/** A job. */
export interface LoadedJob {
  readonly name: string;
  readonly kernel: string;
  readonly options: string;
  readonly sourcePath: string;
  readonly global: readonly number[];
  readonly local: readonly number[] | null;
  /** True: buffers are written again before each timed run. */
  readonly reset?: boolean;
  readonly args: readonly LoadedArgument[];
}

/** Typed arrays by element type. */
export const arrayOf: Readonly<Record<string, { new (values: readonly number[]): JobElements }>>;
/** Reads a job file. */
export function loadJob(file: string): LoadedJob;
/** Makes the inputs of a job's buffers. */
export function makeInputs(job: LoadedJob): void;

/** Elements of a type as a job's `init` describes them. */
export function initElems(type: string, count: number, spec: string): JobElements;

/** Word `i` of the stream of a seed, 32 bits unsigned. */
export function prngWord(seed: number, i: number): number;
