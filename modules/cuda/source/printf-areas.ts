// SPDX-License-Identifier: Apache-2.0
// What kernels of a program print: areas on the GPU, one for each launch on its way, read when the launch has ended.
import { type Result, ok } from "@muxkit/cargo";
import { PRINTF_AREA, PRINTF_AREA_HEADER_BYTES } from "@muxkit/kernel-abi";
import type { PrintfCall } from "@muxkit/metadata";
import {
  type PrintfMemory,
  PrintfOrder,
  type PrintfReader,
  decodeByteString,
  initializePrintfArea,
  printfReaders,
  takePrintfRecords,
} from "@muxkit/printf";

import type { GpuAccess } from "./access.ts";
import type { DriverError } from "./driver.ts";

/** Bytes of an area. */
export const PRINTF_BYTES: number = 2 ** 20;

/** The areas of a program. */
export class PrintfAreas {
  private readonly access: GpuAccess;
  private readonly readers: readonly PrintfReader[];
  private readonly print: (text: string) => void;
  private readonly bytes = new Uint8Array(PRINTF_BYTES);
  private readonly memory: PrintfMemory;
  private readonly free: number[] = [];

  constructor(access: GpuAccess, calls: readonly PrintfCall[], print: (text: string) => void) {
    this.access = access;
    this.readers = printfReaders(calls);
    this.print = print;
    const { buffer } = this.bytes;
    this.memory = { words: new Int32Array(buffer), view: new DataView(buffer) };
  }

  /** An empty area for a launch: its address. */
  begin(): Result<number, DriverError> {
    const area = this.free.pop();
    const taken = area === undefined ? this.access.gpu.allocate(PRINTF_BYTES) : ok(area);
    if (!taken.ok)
      return {
        ok: false,
        error: { ...taken.error, message: `printf needs ${PRINTF_BYTES} bytes: ${taken.error.message}` },
      };
    initializePrintfArea(this.memory, 0, PRINTF_BYTES);
    const written = this.access.write(taken.value, this.bytes.subarray(0, PRINTF_AREA_HEADER_BYTES));
    return written.ok ? taken : written;
  }

  /** Prints what the launch has written. */
  end(area: number, kernel: string): Result<void, DriverError> {
    const head = this.access.read(area, this.bytes.subarray(0, PRINTF_AREA_HEADER_BYTES));
    if (!head.ok) return head;
    const { view } = this.memory;
    const used = Math.min(PRINTF_BYTES, PRINTF_AREA_HEADER_BYTES + view.getUint32(PRINTF_AREA.tail, true));
    const lost = view.getUint32(PRINTF_AREA.reserved, true);
    const rest = this.access.read(area, this.bytes.subarray(0, used));
    if (!rest.ok) return rest;
    this.free.push(area);
    const order = new PrintfOrder();
    const isWhole = takePrintfRecords(this.memory, 0, PRINTF_BYTES, ({ call, item, group, start }) => {
      order.add(group, item, this.readers[call]?.read(view, start) ?? "");
    });
    const text = decodeByteString(order.take());
    if (text !== "") this.print(text);
    if (!isWhole) this.print(`[muxkit: kernel "${kernel}" wrote into the memory of printf: output is lost]\n`);
    if (lost > 0)
      this.print(`[muxkit: ${lost} calls of printf in kernel "${kernel}" found no room in ${PRINTF_BYTES} bytes]\n`);
    return ok();
  }

  /** Gives the areas back. */
  close(): void {
    for (const area of this.free.splice(0)) this.access.gpu.free(area);
  }
}
