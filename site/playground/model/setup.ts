// SPDX-License-Identifier: Apache-2.0
// What is done with the kernels of a program: which buffers there are, what parameters are, which launches make a
// frame, and how the result is shown. A setup is data: it travels to the worker, and in links.
//
// Arguments are bound by name. A kernel's pointer `from` is the buffer "from", its value `speed` the parameter "speed".
// So a parameter that is added to a kernel's source gets a control at once.

/** What a buffer holds at first. */
export type Content =
  | { readonly kind: "zero" }
  /** Numbers from `low` up to `high`, the same for the same seed. */
  | { readonly kind: "random"; readonly low: number; readonly high: number; readonly seed: number }
  /** 0, step, 2 step, … */
  | { readonly kind: "ramp"; readonly step: number }
  /** A picture: the one that this page paints, or one of the reader's own. Buffers of uchar4 only. */
  | { readonly kind: "picture" };

/** A buffer. */
export interface BufferSetup {
  /** Elements along x, y, z. */
  readonly shape: readonly number[];
  readonly content: Content;
}

/** What sets a parameter that nobody sets by hand. */
export type Driver =
  /** Frames since the start. */
  | "frame"
  /** Frames since the start / 60. */
  | "seconds"
  /** float4: place in the picture from 0 to 1, and how it moves in a frame; still while nothing is pressed. */
  | "pointer"
  /** Sizes of the range of the launch. */
  | "width"
  | "height"
  /** Middle of what is looked at, and half its height: changed by wheel and drag. */
  | "centre"
  | "scale"
  /** float2: angles of a camera, changed by drag. */
  | "orbit";

/** A value that kernels take. */
export type Parameter =
  | {
      readonly kind: "slider";
      /** A number, or one for each component of a vector. */
      readonly value: number | readonly number[];
      readonly low: number;
      readonly high: number;
      readonly step: number;
      /** True: the program starts again when it changes. */
      readonly restarts?: boolean;
    }
  | { readonly kind: "choice"; readonly value: number; readonly names: readonly string[]; readonly restarts?: boolean }
  | { readonly kind: "driven"; readonly by: Driver };

/** A value that is passed. */
export type Passed = number | readonly number[];

/** One launch. */
export interface Step {
  readonly kernel: string;
  readonly range: readonly number[];
  readonly local?: readonly number[];
  /** Arguments that are not what their names say: the name of a buffer, a value, or bytes of local memory. */
  readonly arguments?: Readonly<Record<string, string | Passed | { readonly localBytes: number }>>;
  /** Buffers that change places after it. */
  readonly swap?: readonly [string, string];
}

/** How a result is shown. */
export type Show =
  | { readonly kind: "picture"; readonly buffer: string }
  | { readonly kind: "plot"; readonly buffer: string }
  | { readonly kind: "histogram"; readonly buffer: string }
  | { readonly kind: "table"; readonly buffers: readonly string[] };

/** Names of the ways to show. */
export const SHOWS = ["picture", "plot", "histogram", "table"] as const;

/** See the file's head. */
export interface Setup {
  readonly buffers: Readonly<Record<string, BufferSetup>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Launches at the start. */
  readonly start: readonly Step[];
  /** Launches of a frame. */
  readonly frame: readonly Step[];
  /** True: frame follows frame. */
  readonly animates: boolean;
  readonly show: Show;
  /** What is looked at first, for the drivers `centre` and `scale`. */
  readonly view?: { readonly x: number; readonly y: number; readonly scale: number };
  /** Angles at first, for the driver `orbit`. */
  readonly orbit?: readonly [number, number];
  /** Build options of OpenCL. */
  readonly options?: string;
}

/** A kernel of the gallery. */
export interface Entry {
  /** In links and names of files: lower case and hyphens. */
  readonly name: string;
  readonly title: string;
  /** One or two sentences. */
  readonly about: string;
  readonly setup: Setup;
}
