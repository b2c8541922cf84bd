// SPDX-License-Identifier: Apache-2.0
// The implementations under test: Muxkit's host device through the public API, or PoCL through the native runner.
import { type NativeImplementation, runCases } from "@muxkit/kernel-generator";
import { type Device, type DeviceArray, openDeviceSync } from "muxkit";

import type { Operands } from "./inputs.ts";
import { type BitArray, bitArray } from "./number-format.ts";
import { type Subject, kernelSource } from "./subject.ts";

/** Computes a subject for rows of operands; a text: why that is not possible. */
export type Runner = (subject: Subject, operands: Operands) => Promise<BitArray | string>;

/** Work-items of a group of PoCL. */
const LOCAL = 64;

/** Bits as the floats that a parameter points to. */
function seenAs(array: DeviceArray, typeName: string = ""): DeviceArray {
  if (typeName.startsWith("float")) return array.view(Float32Array);
  return typeName.startsWith("double") ? array.view(Float64Array) : array;
}

/** Muxkit on this machine's cores. */
export function openMuxkit(threads: number): { readonly device: Device; readonly run: Runner } {
  const device = openDeviceSync({ threads });
  const run: Runner = async (subject, operands) => {
    const program = device.program(kernelSource(subject), { options: subject.options });
    const columns = operands.map((column) =>
      device.array<Uint8Array | Uint16Array | Uint32Array | Int32Array | BigUint64Array>(column),
    );
    const results = device.array<BitArray>(bitArray(subject.format, operands[0]?.length ?? 0));
    const kernel = program.kernel("k");
    const views = [results, ...columns].map((array, i) => seenAs(array, kernel.kernel.info.arguments[i]?.typeName));
    kernel(results.length, ...views);
    const read = await results.read();
    for (const array of [results, ...columns, ...views]) array.destroy();
    program.destroy();
    return read;
  };
  return { device, run };
}

/** PoCL, where it is installed. */
export function nativeRunner(implementation: NativeImplementation): Runner {
  return async (subject, operands) => {
    const results = bitArray(subject.format, operands[0]?.length ?? 0);
    const rows = Math.ceil(results.length / LOCAL) * LOCAL;
    const padded = (column: BitArray | Int32Array): Uint8Array => {
      const bytes = new Uint8Array(rows * column.BYTES_PER_ELEMENT);
      bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
      return bytes;
    };
    const launch = {
      global: [rows],
      local: [LOCAL],
      offset: [0],
      arguments: [
        { contents: padded(results), written: true },
        ...operands.map((column) => ({ contents: padded(column), written: false })),
      ],
    };
    const [outcome] = runCases(implementation, [
      { source: kernelSource(subject), kernel: "k", options: subject.options, launch },
    ]);
    if (outcome === undefined || "failure" in outcome) return outcome?.failure ?? "it did not run";
    const [given] = outcome.buffers;
    if (given === undefined) return "it gave no results";
    new Uint8Array(results.buffer).set(given.subarray(0, results.byteLength));
    return results;
  };
}
