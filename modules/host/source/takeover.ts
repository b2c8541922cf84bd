// SPDX-License-Identifier: Apache-2.0
// Launches whose rest is run by other code than what they began with, for example by machine code that another thread
// has made meanwhile.
//
// The code of a kernel may come from anywhere: the launch has somebody to ask. The host thread asks, between claims or
// where it waits, once the launch has run for a while, until it gets a kernel or hears that there will be none. Then it
// prepares the same launch for that kernel, with a dispatch block, arguments, and where it needs them arenas of its
// own, and publishes it: one word of the command node says in which row it is. Threads read the word before each claim.
// Threads inside a call finish it by the old code, so both may serve work-groups of one launch; each group is run once,
// by one of them. As long as other code may come, claims are short (succession.ts).
//
// What is prepared is released when the batch is complete: no thread is in it then. Nothing here fails a launch; what
// has no room, or does not fit, goes on as it is.
import { alignUp } from "@muxkit/cargo";
import { LARGEST_ALIGNMENT, layoutArena } from "@muxkit/kernel-abi";

import type { ArenaSet } from "./arenas.ts";
import type { BatchContents, LoweredLaunch } from "./batch-contents.ts";
import { double, unclaimed } from "./board.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import type { Launch, LaunchSuccessor } from "./launch.ts";
import { placeLaunch, writeArena, writeLaunch } from "./launch-words.ts";
import { LOCAL_MEMORY } from "./limits.ts";
import { variantForRange } from "./loaded-executable.ts";
import { HostMuxKernel } from "./mux-objects.ts";
import { own } from "./mux-recording.ts";
import { HostKernel } from "./objects.ts";
import { AWAITING_NS } from "./succession.ts";
import { NODE, SYSTEM } from "#system";

/** A launch in flight that other code may take over. */
interface Candidate {
  readonly lowered: LoweredLaunch;
  readonly arena: ArenaSet;
  readonly successor: LaunchSuccessor;
  /** Processor time of the process when it was dispatched, in ns. */
  readonly worked: number;
  /** When it is asked next, in ns of the device's clock. */
  due: number;
}

/** Processor time that the process has used, in ns; Infinity: nobody knows. */
function processorTime(): number {
  if (NODE === null) return Infinity;
  const { user, system } = NODE.cpuUsage();
  return (user + system) * 1000;
}

/** What was prepared for the rest of a launch. */
interface Prepared {
  readonly block: Block;
  readonly slot: number;
  /** Null: the arenas of the batch are large enough. */
  readonly arena: ArenaSet | null;
}

/** The launches of one dispatch that other code may take over. */
class Candidates {
  readonly #core: DeviceCore;
  readonly #candidates: Candidate[];
  readonly #prepared: Prepared[] = [];
  #isAsking = false;

  constructor(core: DeviceCore, candidates: Candidate[]) {
    this.#core = core;
    this.#candidates = candidates;
  }

  /** Asks whose turn it is: in how many ms the next one has its turn. */
  look(): number {
    const candidates = this.#candidates;
    // Whoever is asked may load code, and loading may look for what is complete.
    if (this.#isAsking) return Infinity;
    this.#isAsking = true;
    const now = this.#core.clock();
    let next = Infinity;
    for (let i = 0; i < candidates.length; i++) {
      const candidate = candidates[i] as Candidate;
      const goesOn = now < candidate.due || this.#ask(candidate, now);
      if (goesOn) next = Math.min(next, candidate.due - now);
      else candidates.splice(i--, 1);
    }
    this.#isAsking = false;
    return Math.max(0, next / 1e6);
  }

  /** Asks for one launch, if it runs; false: that was the last time. */
  #ask(candidate: Candidate, now: number): boolean {
    const { board } = this.#core;
    const { words } = board;
    const { lowered, successor } = candidate;
    const base = L.nodeBase(lowered.node);
    // Who wants to be asked at once is asked between any two claims.
    candidate.due = successor.after === 0 ? now : now + AWAITING_NS;
    const state = Atomics.load(words, base + L.NODE_STATE);
    if (state === L.STATE_WAITING || words[base + L.NODE_STARTED] === 0) return true;
    const left = unclaimed(board, lowered.node);
    if (state !== L.STATE_READY || Atomics.load(words, base + L.NODE_CANCELLED) !== 0 || left <= 0) return false;
    const elapsed = now - double(board, base + L.NODE_START);
    if (elapsed < successor.after * 1e6) {
      candidate.due = now + successor.after * 1e6 - elapsed;
      return true;
    }
    // On a busy machine a launch runs for longer than it works.
    const workers = Math.max(1, words[base + L.NODE_CLAIMERS] as number);
    const worked = Math.min(elapsed, (processorTime() - candidate.worked) / workers);
    const answer = this.#answer(successor, (worked * left) / Math.max(1, lowered.launch.total - left) / 1e6);
    if (answer === "later") return true;
    const slot = answer === "never" ? 0 : this.#prepare(candidate, answer);
    Atomics.store(words, base + L.NODE_SUCCESSOR, slot);
    return false;
  }

  #answer(successor: LaunchSuccessor, remaining: number): HostKernel | "later" | "never" {
    try {
      const answer = successor.ask(remaining);
      return typeof answer === "string" || answer instanceof HostKernel ? answer : own(answer, HostMuxKernel).host;
    } catch (error) {
      // The launch needs no other code, and whoever waits for it has not asked for any.
      SYSTEM.warn(error instanceof Error ? error.message : String(error), "MuxkitTakeover");
      return "never";
    }
  }

  /** Prepares the rest of a launch for a kernel: its row; 0: it goes on as it is. */
  #prepare({ lowered, arena }: Candidate, kernel: HostKernel): number {
    const core = this.#core;
    const { board, memory } = core;
    const launch = launchBy(lowered.launch, kernel);
    if (launch === null || kernel.core !== core) return 0;
    const slot = core.launches.take();
    if (slot === 0) return 0;
    const block = placeLaunch(memory, launch);
    const larger = launch.arenaBytes > arena.bytes ? core.arenas.take(launch.arenaBytes) : null;
    if (!block.ok || larger?.ok === false) {
      core.launches.release(slot);
      if (block.ok) memory.free(block.value);
      if (larger?.ok === true) core.arenas.release(larger.value);
      return 0;
    }
    if (launch.printf !== null) core.printf.join(lowered.block.address, block.value.address, launch.printf);
    const row = L.launchAsNode(slot);
    writeLaunch(board.words, row, launch, block.value);
    writeArena(board.words, row, larger?.value ?? arena);
    core.code.use(launch.kernel.code.slot);
    this.#prepared.push({ block: block.value, slot, arena: larger?.value ?? null });
    // Other threads watch those that native code cannot end by itself.
    if ((board.words[L.nodeBase(lowered.node) + L.NODE_LIMIT] as number) > 0) core.pool.ensure(core.settings.threads);
    return slot;
  }

  /** The batch is complete. */
  end(nodes: readonly number[]): void {
    const { launches, memory, arenas, board } = this.#core;
    for (const node of nodes) board.words[L.nodeBase(node) + L.NODE_SUCCESSOR] = 0;
    this.#candidates.length = 0;
    for (const { block, slot, arena } of this.#prepared) {
      launches.release(slot);
      memory.free(block);
      if (arena !== null) arenas.release(arena);
    }
  }
}

/** The same launch by another kernel; null: that does not take it. */
function launchBy(launch: Launch, { loaded, metadata, programData }: HostKernel): Launch | null {
  const { itemsPerGroup, parameters, localArgumentBytes } = launch;
  const isAlike =
    metadata.name === launch.kernelName &&
    metadata.arguments.length === parameters.length &&
    metadata.arguments.every(
      ({ kind, offset, size }, i) =>
        kind === parameters[i]?.kind && offset === parameters[i]?.offset && size === parameters[i]?.size,
    );
  const kernel = isAlike ? variantForRange(loaded, launch.range) : null;
  if (kernel === null || kernel.variant.staticLocalBytes + localArgumentBytes > LOCAL_MEMORY) return null;
  const arena = layoutArena(kernel.variant, localArgumentBytes, itemsPerGroup);
  // Local arguments follow the local variables of the code.
  const moved =
    alignUp(kernel.variant.staticLocalBytes, LARGEST_ALIGNMENT) -
    alignUp(launch.kernel.variant.staticLocalBytes, LARGEST_ALIGNMENT);
  const args = launch.args.slice();
  const words = new DataView(args.buffer);
  for (const { kind, offset } of parameters)
    if (kind === "local") words.setUint32(offset, words.getUint32(offset, true) + moved, true);
  return {
    ...launch,
    kernel,
    liveOffset: arena.live,
    privateOffset: arena.private,
    arenaBytes: arena.bytes,
    args,
    programData,
    printf: loaded.printf,
  };
}

/** Dispatches in flight with such launches. */
const LOOKS = new WeakMap<DeviceCore, Set<Candidates>>();

/** Looks after the launches of a dispatch that other code may take over; see `TakeoverPart.begin`. */
export function beginTakeovers(core: DeviceCore, { launches, arena }: BatchContents): (() => void) | null {
  const now = core.clock();
  const candidates: Candidate[] = [];
  for (const lowered of launches) {
    const { successor, total } = lowered.launch;
    // One group is one call, which nobody takes over.
    if (successor === null || total < 2 || arena === null) continue;
    core.board.words[L.nodeBase(lowered.node) + L.NODE_SUCCESSOR] = L.SUCCESSOR_AWAITED;
    candidates.push({
      lowered,
      arena,
      successor,
      worked: NODE === null ? 0 : processorTime(),
      due: now + successor.after * 1e6,
    });
  }
  if (candidates.length === 0) return null;
  const all = new Candidates(core, candidates);
  const nodes = candidates.map(({ lowered: { node } }) => node);
  const looks = (LOOKS.get(core) ?? new Set()).add(all);
  LOOKS.set(core, looks);
  core.host.askSuccessors = () => {
    let next = Infinity;
    for (const one of looks) next = Math.min(next, one.look());
    return next;
  };
  return () => {
    looks.delete(all);
    if (looks.size === 0) core.host.askSuccessors = null;
    all.end(nodes);
  };
}
