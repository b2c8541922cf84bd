// SPDX-License-Identifier: Apache-2.0
// A launch that is recorded again and again: its dispatch block and arguments in device memory, and a row of the
// control block.
import { err, ok, type Result } from "@muxkit/cargo";
import { DISPATCH_BYTES, writeDispatchBlock } from "@muxkit/kernel-abi";

import { setDouble } from "./board.ts";
import type { Command } from "./command.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import { type HostError, hostError } from "./host-error.ts";
import { dispatchValues, type Launch } from "./launch.ts";
import { type HostArgument, type LaunchRequest, prepareLaunch } from "./launch-request.ts";
import type { HostKernel } from "./objects.ts";

/** A prepared launch. It lives as long as its maker or a command buffer needs it. @public */
export class PreparedLaunch {
  /** Its device. */
  readonly core: DeviceCore;
  /** Code, range and packed arguments. */
  readonly launch: Launch;
  /** Dispatch block, then packed arguments. */
  readonly block: Block;
  /** Its row of the control block; 0 where there was none left, so that it runs as a command node of its own. */
  readonly slot: number;
  /** The launch as a command that waits for all earlier ones. */
  readonly command: Command & { readonly body: { readonly kind: "ndrange" } };
  /** What it was made of, for changes of arguments. */
  readonly recorded: { readonly kernel: HostKernel; readonly list: readonly HostArgument[] };
  #users = 1;

  private constructor(core: DeviceCore, launch: Launch, block: Block, recorded: PreparedLaunch["recorded"]) {
    this.core = core;
    this.recorded = recorded;
    this.launch = launch;
    this.block = block;
    this.slot = core.launches.take();
    this.command = { body: { kind: "ndrange", launch, prepared: this }, waits: null };
    if (this.slot !== 0) this.#fillRow();
  }

  /** Prepares a launch. Errors: those of recording one; no memory. */
  static prepare(core: DeviceCore, request: LaunchRequest): Result<PreparedLaunch, HostError> {
    const prepared = prepareLaunch(request);
    if (!prepared.ok) return prepared;
    const launch = prepared.value;
    const block = core.memory.allocate(DISPATCH_BYTES + launch.args.length);
    if (!block.ok) return err(hostError("out_of_memory", block.error));
    core.memory.views.bytes.set(launch.args, block.value.address + DISPATCH_BYTES);
    writeDispatchBlock(core.memory.views.words, block.value.address, dispatchValues(launch));
    return ok(new PreparedLaunch(core, launch, block.value, { kernel: request.kernel, list: [...request.arguments] }));
  }

  /** Adds a use. */
  use(): void {
    this.#users++;
  }

  /** Drops a use; the maker drops its own once. The last one frees the memory. */
  unuse(): void {
    if (--this.#users > 0) return;
    this.core.memory.free(this.block);
    if (this.slot !== 0) this.core.launches.release(this.slot);
  }

  #fillRow(): void {
    const {
      launch,
      block,
      core: { board },
    } = this;
    const row = L.launchBase(this.slot);
    const { code } = launch.kernel;
    const { words } = board;
    const first = row + L.LAUNCH_CODE;
    words[first] = code.slot;
    words[first + 1] = code.id;
    words[first + 2] = launch.kernel.functionIndex;
    words[first + 3] = (block.address + DISPATCH_BYTES) | 0;
    words[first + 4] = block.address | 0;
    for (let i = 0; i < 3; i++) {
      words[row + L.LAUNCH_COUNT + i] = launch.count[i as 0 | 1 | 2] | 0;
      words[row + L.LAUNCH_COUNT + 3 + i] = launch.first[i as 0 | 1 | 2] | 0;
    }
    setDouble(board, row + L.LAUNCH_TOTAL, launch.total);
  }
}
