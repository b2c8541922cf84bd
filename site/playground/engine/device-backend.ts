// SPDX-License-Identifier: Apache-2.0
// A program on a device of muxkit.
import type { Device, DeviceArray, DeviceProgram, TypedArray } from "muxkit";

import type { KernelShape } from "../model/kernel-types.ts";
import type { Backend } from "./backend.ts";

/** The kernels of a program with their parameters. */
export function shapesOf(program: DeviceProgram): readonly KernelShape[] {
  return program.kernelNames.map((name) => ({
    name,
    parameters: program.kernel(name).kernel.info.arguments.map(({ name: parameter, typeName, kind, isConst }) => ({
      name: parameter,
      typeName,
      kind,
      isConst,
    })),
  }));
}

/** A backend that launches the kernels of a program. */
export function deviceBackend(device: Device, program: DeviceProgram): Backend<DeviceArray> {
  return {
    create: (elements) => device.array<TypedArray>(elements as TypedArray),
    launch: ({ kernel, range, local, arguments: list }) => {
      void program.kernel(kernel)({ global: range, ...(local === null ? {} : { local }) }, ...list.map((a) => a.value));
    },
    finish: () => device.finish(),
    read: async (buffer) => (await buffer.read()) as never,
    destroy: (buffer) => buffer.destroy(),
  };
}
