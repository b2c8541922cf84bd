// SPDX-License-Identifier: Apache-2.0
// Opens a device core for tests and makes launches of the test kernels.
import { MEMORY_FLAGS, layoutArena } from "@muxkit/kernel-abi";

import { ALL_PARTS } from "../source/all-parts.ts";
import { Batch } from "../source/batch.ts";
import type { Command } from "../source/command.ts";
import * as L from "../source/control-layout.ts";
import { DeviceCore, type CoreSettings } from "../source/device-core.ts";
import { NODE_ENVIRONMENT } from "../source/node-environment.ts";
import type { Launch } from "../source/launch.ts";
import { LOWERINGS } from "../source/lowering.ts";
import { KERNEL_INDEX, KERNELS } from "./kernels.ts";

export const VARIANT = {
  functionName: "",
  section: ".wasm",
  localSize: [0, 0, 0],
  needsUniformGroups: false,
  needsZeroOffset: false,
  staticLocalBytes: 0,
  liveBytes: 0,
  privateBytes: 0,
  vectorWidth: 1,
  vectorDimension: 0,
  subGroupSize: 1,
  engineFeatures: [],
} as const;

export interface Rig {
  readonly core: DeviceCore;
  launch(
    kernel: keyof typeof KERNEL_INDEX,
    groups: number,
    args: readonly number[],
    options?: Partial<Launch>,
  ): Command;
  batch(commands: readonly Command[]): Batch;
  /** Dispatches and waits; returns the failure's message or null. */
  run(commands: readonly Command[]): string | null;
  /** The same without blocking. */
  runLater(commands: readonly Command[]): Promise<string | null>;
}

/** Dispatches a batch: its failure's sentence or null once it is complete. */
function dispatch(
  rig: Rig,
  commands: readonly Command[],
): { readonly batch: Batch; readonly outcome: () => string | null | undefined } {
  const batch = rig.batch(commands);
  let outcome: string | null | undefined;
  const dispatched = batch.dispatch({
    waits: [],
    signals: [],
    fence: 0,
    deadline: 0,
    part: 0,
    callback: null,
    done: (failure) => {
      outcome = failure?.message ?? null;
    },
  });
  if (!dispatched.ok) throw new Error(dispatched.error);
  return { batch, outcome: () => outcome };
}

export function openCore(options: Partial<CoreSettings> = {}): Rig {
  const opened = DeviceCore.open({
    environment: NODE_ENVIRONMENT,
    threads: 2,
    shared: true,
    memoryLimit: 2 ** 32,
    eager: true,
    helps: true,
    redZone: 0,
    debug: true,
    deadline: 0,
    workerUrl: null,
    native: "off",
    nativeTier: "x64.4",
    print: NODE_ENVIRONMENT.print,
    parts: ALL_PARTS,
    ...options,
  });
  if (!opened.ok) throw new Error(opened.error);
  const core = opened.value;
  const bytes = KERNELS.bytes.slice();
  bytes[KERNELS.memoryFlagOffset] = MEMORY_FLAGS[core.settings.shared ? "shared" : "plain"];
  const code = core.code.add(bytes);
  if (!code.ok) throw new Error(code.error.message);
  const rig: Rig = {
    core,
    launch: (kernel, groups, args, extra = {}) => {
      const arena = layoutArena(VARIANT, 0, 1);
      return {
        waits: null,
        body: {
          kind: "ndrange",
          prepared: null,
          launch: {
            kernelName: kernel,
            kernel: { code: code.value, functionIndex: KERNEL_INDEX[kernel], variant: VARIANT },
            range: {
              dimensions: 1,
              globalSize: [groups, 1, 1],
              globalOffset: [0, 0, 0],
              localSize: [1, 1, 1],
              part: null,
            },
            groups: [groups, 1, 1],
            first: [0, 0, 0],
            count: [groups, 1, 1],
            total: groups,
            itemsPerGroup: 1,
            localArgumentBytes: 0,
            parameters: [],
            liveOffset: arena.live,
            privateOffset: arena.private,
            arenaBytes: arena.bytes,
            args: new Uint8Array(new Int32Array(args).buffer),
            programData: 0,
            cost: { perItem: 60, measured: false },
            printf: null,
            deadline: 0,
            watch: null,
            successor: null,
            ...extra,
          },
        },
      };
    },
    batch: (commands) => {
      const batch = Batch.lower(core, commands, LOWERINGS);
      if (!batch.ok) throw new Error(batch.error);
      return batch.value;
    },
    run: (commands) => {
      const { batch, outcome } = dispatch(rig, commands);
      const waited = core.host.block(() => outcome() !== undefined, 20e9);
      const failure = outcome();
      if (waited !== "done" || failure === undefined) throw new Error(`the wait ended with ${waited}`);
      batch.free();
      return failure;
    },
    runLater: async (commands) => {
      const { batch, outcome } = dispatch(rig, commands);
      const waited = await core.host.wait(() => outcome() !== undefined, Infinity);
      const failure = outcome();
      if (waited !== "done" || failure === undefined) throw new Error(`the wait ended with ${waited}`);
      batch.free();
      return failure;
    },
  };
  return rig;
}

/** Allocates device memory for words. */
export function words(rig: Rig, count: number): { readonly address: number; readonly view: () => Int32Array } {
  const block = rig.core.memory.allocate(count * 4);
  if (!block.ok) throw new Error(block.error);
  return {
    address: block.value.address,
    view: () => rig.core.memory.views.words.subarray(block.value.address >>> 2, (block.value.address >>> 2) + count),
  };
}

/**
 * Starts the workers and waits until all of them look for work: on a busy machine that takes longer than a test's
 * patience.
 */
export async function workersUp(rig: Rig): Promise<void> {
  rig.core.host.startWorkers();
  const { words: control } = rig.core.board;
  for (let thread = 1; thread <= rig.core.settings.threads; thread++) {
    while (Atomics.load(control, L.threadBase(thread) + L.THREAD_STATE) === L.THREAD_STARTING) {
      // oxlint-disable-next-line no-await-in-loop -- polling
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
  }
}
