// SPDX-License-Identifier: Apache-2.0
// Kernels as plain functions, which the speed of the device is compared with.
import type { Elements } from "../model/kernel-types.ts";
import type { Backend } from "./backend.ts";

/**
 * A kernel as a plain function: it runs all work-items of a range. Its arguments are arrays for
 * buffers and lists for vectors, by the names of the kernel's parameters.
 */
export type TwinKernel = (args: never, range: readonly number[], local: readonly number[] | null) => void;

/** The kernels of an entry as plain functions, by their names. */
export type Twin = Readonly<Record<string, TwinKernel>>;

/** A backend that calls plain functions. */
export function twinBackend(twin: Twin): Backend<Elements> {
  return {
    create: (elements) => elements.slice(),
    launch: ({ kernel, range, local, arguments: list }) => {
      const run = twin[kernel];
      if (run === undefined) throw new Error(`there is no plain function for the kernel ${kernel}`);
      run(Object.fromEntries(list.map(({ name, value }) => [name, value])) as never, range, local);
    },
    finish: () => Promise.resolve(),
    read: (buffer) => Promise.resolve(buffer.slice()),
    destroy: () => {},
  };
}
