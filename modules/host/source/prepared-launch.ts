// SPDX-License-Identifier: Apache-2.0
// A launch that is recorded again and again: its dispatch block and arguments in device memory, and a row of the
// control block.
import { err, ok, type Result } from "@muxkit/cargo";

import { setDouble } from "./board.ts";
import type { Command } from "./command.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import { type HostError, hostError } from "./host-error.ts";
import type { Launch } from "./launch.ts";
import { type HostArgument, type LaunchRequest, prepareLaunch } from "./launch-request.ts";
import { placeLaunch, writeLaunch } from "./launch-words.ts";
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
    const block = placeLaunch(core.memory, launch);
    if (!block.ok) return err(hostError("out_of_memory", block.error));
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
      core: { board },
    } = this;
    writeLaunch(board.words, L.launchAsNode(this.slot), launch, this.block);
    setDouble(board, L.launchBase(this.slot) + L.LAUNCH_TOTAL, launch.total);
  }
}
