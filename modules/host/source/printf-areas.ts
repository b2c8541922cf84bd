// SPDX-License-Identifier: Apache-2.0
// printf on the host: an area for each thread, and one text for each launch when its work is done
// (docs/decisions/032-printf.md).
import { err, ok, type Result } from "@muxkit/cargo";
import { DISPATCH, LARGEST_ALIGNMENT, WORKER } from "@muxkit/kernel-abi";
import {
  decodeByteString,
  initializePrintfArea,
  PrintfOrder,
  type PrintfReader,
  takePrintfRecords,
} from "@muxkit/printf";

export { printfReaders } from "@muxkit/printf";

import type { Board } from "./board.ts";
import * as L from "./control-layout.ts";
import type { Block, DeviceMemory } from "./device-memory.ts";

/** Bytes of each thread's area, what OpenCL's full profile requires (CL_DEVICE_PRINTF_BUFFER_SIZE). */
export const PRINTF_AREA_BYTES: number = 2 ** 20;

interface Running {
  readonly kernelName: string;
  readonly readers: readonly PrintfReader[];
  readonly order: PrintfOrder;
  /** Takes its texts before they are printed; false: it does not want one. */
  readonly offer: (text: string) => boolean;
  /** Dispatch blocks of other code for the same launch. */
  readonly joined: readonly number[];
}

const noOffer = (): boolean => false;

/** The areas of a device. Only the host thread reads them. */
export class PrintfAreas {
  readonly #memory: DeviceMemory;
  readonly #board: Board;
  readonly #threads: number;
  readonly #print: (text: string) => void;
  readonly #offers = new WeakMap<readonly PrintfReader[], (text: string) => boolean>();
  #blocks: Block | null = null;
  /** Launches in flight by the address of their dispatch block, which their records carry. */
  readonly #running = new Map<number, Running>();

  constructor(memory: DeviceMemory, board: Board, threads: number, print: (text: string) => void) {
    this.#memory = memory;
    this.#board = board;
    this.#threads = threads;
    this.#print = print;
  }

  /** Makes the areas, when a program that prints is lowered for the first time. The error is a sentence. */
  prepare(): Result<void, string> {
    if (this.#blocks !== null) return ok(undefined);
    const blocks = this.#memory.allocate(this.#threads * PRINTF_AREA_BYTES, LARGEST_ALIGNMENT);
    if (!blocks.ok)
      return err(`printf needs ${PRINTF_AREA_BYTES} bytes for each of ${this.#threads} threads: ${blocks.error}`);
    this.#blocks = blocks.value;
    const { words } = this.#memory.views;
    for (let thread = 0; thread < this.#threads; thread++) {
      const address = this.#areaOf(blocks.value, thread);
      initializePrintfArea(this.#printfMemory(), address, PRINTF_AREA_BYTES);
      const worker = (this.#board.words[L.threadBase(thread) + L.THREAD_BLOCK] as number) >>> 0;
      Atomics.store(words, (worker + WORKER.printfArea) >>> 2, address | 0);
    }
    return ok(undefined);
  }

  /** Offers what launches of an executable print, which its readers stand for: devices with one core have their own. */
  offer(readers: readonly PrintfReader[], offer: (text: string) => boolean): void {
    this.#offers.set(readers, offer);
  }

  /** A launch that may print is about to run. */
  begin(dispatch: number, kernelName: string, readers: readonly PrintfReader[]): void {
    this.#memory.views.words[(dispatch + DISPATCH.printfLost) >>> 2] = 0;
    this.#running.set(dispatch, {
      kernelName,
      readers,
      order: new PrintfOrder(),
      offer: this.#offers.get(readers) ?? noOffer,
      joined: [],
    });
  }

  /** Other code takes over a launch, which goes on under another address: what it prints is one text. */
  join(dispatch: number, successor: number, readers: readonly PrintfReader[]): void {
    const launch = this.#running.get(dispatch);
    if (launch === undefined) return;
    this.#running.set(dispatch, { ...launch, joined: [...launch.joined, successor] });
    this.#running.set(successor, { ...launch, readers, joined: [] });
  }

  /** Prints what a launch has written since it began or was flushed. */
  flush(dispatch: number): void {
    const launch = this.#running.get(dispatch);
    if (launch === undefined) return;
    this.#collect();
    const text = launch.order.take();
    const printed = decodeByteString(text);
    if (text !== "" && !launch.offer(printed)) this.#print(printed);
    const { words } = this.#memory.views;
    let lost = 0;
    for (const block of [dispatch, ...launch.joined])
      lost += Atomics.exchange(words, (block + DISPATCH.printfLost) >>> 2, 0) >>> 0;
    if (lost > 0)
      this.#print(
        `[muxkit: ${lost} call${lost === 1 ? "" : "s"} of printf in kernel "${launch.kernelName}" found no ` +
          `room in ${PRINTF_AREA_BYTES} bytes a thread and printed nothing]\n`,
      );
  }

  /** Prints the rest of a launch that is over. */
  end(dispatch: number): void {
    this.flush(dispatch);
    for (const block of this.#running.get(dispatch)?.joined ?? []) this.#running.delete(block);
    this.#running.delete(dispatch);
  }

  /** Takes all records out of the areas; those of launches that still run wait for their turn. */
  #collect(): void {
    const blocks = this.#blocks;
    if (blocks === null) return;
    const memory = this.#printfMemory();
    for (let thread = 0; thread < this.#threads; thread++) {
      const whole = takePrintfRecords(
        memory,
        this.#areaOf(blocks, thread),
        PRINTF_AREA_BYTES,
        ({ call, launch, item, group, start, size }) => {
          const running = this.#running.get(launch);
          const reader = running?.readers[call];
          // Kernels can write anything into an area: what no launch explains is dropped.
          if (running === undefined || reader === undefined || reader.size !== size) return;
          running.order.add(group, item, reader.read(memory.view, start));
        },
      );
      if (!whole) this.#print("[muxkit: a kernel wrote into the memory of printf: output is lost]\n");
    }
  }

  #areaOf(blocks: Block, thread: number): number {
    return blocks.address + thread * PRINTF_AREA_BYTES;
  }

  #printfMemory(): { readonly words: Int32Array; readonly view: DataView } {
    const { words, bytes } = this.#memory.views;
    return { words, view: new DataView(bytes.buffer) };
  }
}
