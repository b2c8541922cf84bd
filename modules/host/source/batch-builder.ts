// SPDX-License-Identifier: Apache-2.0
// Lowers the commands of a command buffer to a graph of command nodes in the control block.
//
// In:  commands with wait lists (indices of earlier commands; none: all earlier ones).
// Out: head -> nodes of the commands -> tail, each with the number of its predecessors and a list of its successors.
//
// Phases:
// 1. One node for each command, in order; a command that needs several has them chained. Where no command has a wait
//    list, neighbouring small launches share a sequence node, which one thread runs without going through the
// scheduler.
// 2. Edges. Without wait lists the nodes are a chain. Otherwise a sweep keeps the set of sinks, commands that nothing
//    waits for yet: a command without a wait list waits for the sinks, and the tail waits for the last ones.
// 3. The words of the launches, at the end because all of them use the arenas of the largest.
//
// The cost is linear in commands and edges. Nothing here is done again when the batch is dispatched again.
import { err, ok, type Result } from "@muxkit/cargo";
import { DISPATCH_BYTES, MAX_GROUPS_PER_CALL, writeDispatchBlock } from "@muxkit/kernel-abi";

import type { ArenaSet } from "./arenas.ts";
import { type BatchContents, takeArena, takeNode } from "./batch-contents.ts";
import { setDouble } from "./board.ts";
import type { Command, CommandBody, HostOutcome } from "./command.ts";
import * as L from "./control-layout.ts";
import type { BatchOwner, DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import { dispatchValues, type Launch } from "./launch.ts";
import { smallLaunches, weightOf } from "./launch-cost.ts";
import { type Lowering, LOWERINGS } from "./lowering.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";
import { StrayWriteError, strayWriteText } from "./red-zones.ts";

/** Builds the contents of one batch. */
export class BatchBuilder implements Lowering {
  readonly core: DeviceCore;
  readonly owner: object | null;
  readonly #contents: BatchContents;
  readonly #nodeOwner: BatchOwner;

  constructor(core: DeviceCore, contents: BatchContents, nodeOwner: BatchOwner, owner: object | null) {
    this.core = core;
    this.owner = owner;
    this.#contents = contents;
    this.#nodeOwner = nodeOwner;
  }

  /** Lowers all commands. The error is a sentence; the contents are to be released then. */
  build(commands: readonly Command[]): Result<void, string> {
    const contents = this.#contents;
    const { nodes } = contents;
    if (this.takeNode(L.KIND_HEAD) === 0 || this.takeNode(L.KIND_TAIL) === 0) return err(contents.refusal);
    const last: number[] = [];
    const first: number[] = [];
    const isChain = !commands.some(({ waits }) => waits !== null);
    for (let number = 0; number < commands.length;) {
      const before = nodes.length;
      const small = isChain && this.core.settings.redZone === 0 ? smallLaunches(commands, number) : [];
      // A launch alone is as quick as a node of its own.
      const count = small.length > 1 ? small.length : 1;
      for (let i = 0; i < count; i++) contents.firstNodes.push(before);
      const body = commands[number]?.body as CommandBody;
      if (!(count > 1 ? this.#lowerSequence(small, number) : this.#lowerBody(body))) return err(contents.refusal);
      number += count;
      first.push(nodes[before] as number);
      last.push(nodes.at(-1) as number);
      // Several nodes of one command run one after the other.
      for (let i = before + 1; i < nodes.length; i++) this.#linkOne(nodes[i - 1] as number, nodes[i] as number);
    }
    if (isChain) this.#linkChain(first, last);
    else if (!this.#linkGraph(commands, first, last)) return err(contents.refusal);
    fillLaunches(this.core, contents);
    return ok(undefined);
  }

  /** Takes a command node of a kind and clears it; 0 when there is none. */
  takeNode(kind: number): number {
    return takeNode(this.core, this.#contents, this.#nodeOwner, kind);
  }

  /** Takes device memory that lives as long as the batch; null when there is none. */
  takeMemory(bytes: number): Block | null {
    const block = this.core.memory.allocate(bytes);
    if (!block.ok) {
      this.#contents.refusal = block.error;
      return null;
    }
    this.#contents.blocks.push(block.value);
    return block.value;
  }

  /** Publishes a shared array to the workers for the lifetime of the batch: its id. */
  publishArray(array: SharedArrayBuffer): number {
    const id = this.core.publishArray(array);
    this.#contents.arrays.push(id);
    return id;
  }

  /** Sets what the host thread does for a node. */
  setHostRun(node: number, run: () => HostOutcome): void {
    this.#contents.hostRuns ??= new Map();
    this.#contents.hostRuns.set(node, run);
  }

  /** Adds an array that is copied into device memory at each dispatch. */
  stage(array: Uint8Array, address: number): void {
    this.#contents.staged.push({ array, address });
  }

  /** Adds ns of expected work. */
  addWeight(weight: number): void {
    this.#contents.transferWeight += weight;
  }

  // ---- phase 1: nodes

  #lowerBody(body: CommandBody): boolean {
    if (body.kind === "ndrange") {
      // The output of a launch is identified by its dispatch block, so one that prints has its own.
      return this.#lowerLaunch(body.launch, body.launch.printf === null ? body.prepared : null);
    }
    const lower = LOWERINGS[body.kind] as (lowering: Lowering, command: CommandBody) => boolean;
    return lower(this, body);
  }

  #lowerLaunch(launch: Launch, prepared: PreparedLaunch | null): boolean {
    const node = this.takeNode(L.KIND_NDRANGE);
    if (node === 0) return false;
    const block = prepared === null ? this.takeMemory(DISPATCH_BYTES + launch.args.length) : prepared.block;
    if (block === null) return false;
    if (takeArena(this.core, this.#contents, launch.arenaBytes) === null) return false;
    if (prepared === null) this.core.memory.views.bytes.set(launch.args, block.address + DISPATCH_BYTES);
    else this.#contents.prepared.push(prepared);
    this.#contents.launches.push({ node, launch, block, owns: prepared === null });
    return (
      (launch.printf === null || this.#flushPrintfAfter(block.address)) &&
      (this.core.settings.redZone === 0 || this.#checkZonesAfter(launch))
    );
  }

  /** Compares the red zones after a launch, before anything that waits for it begins. */
  #checkZonesAfter(launch: Launch): boolean {
    const node = this.takeNode(L.KIND_HOST);
    if (node !== 0)
      this.setHostRun(node, () => {
        const stray = this.core.memory.redZones.check();
        if (stray.length > 0) throw new StrayWriteError(stray.map((one) => strayWriteText(launch, one)).join("; "));
      });
    return node !== 0;
  }

  /** Lowers small launches to one node. `first` is the number of the first one's command. */
  #lowerSequence(launches: readonly PreparedLaunch[], first: number): boolean {
    const { core } = this;
    const contents = this.#contents;
    const { words } = core.board;
    const node = this.takeNode(L.KIND_SEQUENCE);
    if (node === 0) return false;
    const edge = core.edges.take(launches.length);
    if (edge === 0) {
      contents.refusal = `the control block has no room for ${launches.length} launches`;
      return false;
    }
    contents.edgeRuns.push([edge, launches.length]);
    let last: PreparedLaunch | null = null;
    let arenaBytes = 0;
    let weight = 0;
    let one = 0;
    for (let i = 0; i < launches.length; i++) {
      const prepared = launches[i] as PreparedLaunch;
      if (prepared !== last) {
        contents.prepared.push(prepared);
        arenaBytes = Math.max(arenaBytes, prepared.launch.arenaBytes);
        one = weightOf(prepared.launch);
        last = prepared;
      }
      weight += one;
      words[L.EDGES + edge + i] = prepared.slot;
    }
    const base = L.nodeBase(node);
    words[base + L.SEQUENCE_LAUNCHES] = edge;
    words[base + L.SEQUENCE_COUNT] = launches.length;
    const costs = [...new Set(launches.map(({ launch }) => launch.cost))];
    contents.sequences.push({ node, launches, costs, first, weight });
    return takeArena(core, contents, arenaBytes) !== null;
  }

  /** Prints the output of a launch before anything that waits for the launch begins. */
  #flushPrintfAfter(dispatch: number): boolean {
    const areas = this.core.printf.prepare();
    if (!areas.ok) {
      this.#contents.refusal = areas.error;
      return false;
    }
    const node = this.takeNode(L.KIND_HOST);
    if (node !== 0) this.setHostRun(node, () => this.core.printf.flush(dispatch));
    return node !== 0;
  }

  // ---- phase 2: edges

  /** Without wait lists every command waits for the one before it: the common case, and the quick one. */
  #linkChain(first: readonly number[], last: readonly number[]): void {
    let from = this.#contents.head;
    for (let i = 0; i < first.length; i++) {
      this.#linkOne(from, first[i] as number);
      from = last[i] as number;
    }
    this.#linkOne(from, this.#contents.tail);
  }

  /** Links commands with wait lists; false when there is no room. */
  #linkGraph(commands: readonly Command[], first: readonly number[], last: readonly number[]): boolean {
    const { head, tail } = this.#contents;
    const successors = new Map<number, number[]>();
    let sinks: number[] = [];
    for (let i = 0; i < commands.length; i++) {
      const waits = commands[i]?.waits ?? null;
      const needed = (waits ?? sinks).map((index) => last[index] as number);
      for (const from of needed.length === 0 ? [head] : needed) addTo(successors, from, first[i] as number);
      this.#setPending(first[i] as number, Math.max(1, needed.length));
      const waited = new Set(waits ?? sinks);
      sinks = sinks.filter((index) => !waited.has(index));
      sinks.push(i);
    }
    const ends = sinks.length === 0 ? [head] : sinks.map((index) => last[index] as number);
    for (const from of ends) addTo(successors, from, tail);
    this.#setPending(tail, ends.length);
    for (const [from, to] of successors) if (!this.#setSuccessors(from, to)) return false;
    return true;
  }

  #linkOne(from: number, to: number): void {
    const { words } = this.core.board;
    const base = L.nodeBase(from);
    words[base + L.NODE_SUCCESSOR_COUNT] = 1;
    words[base + L.NODE_SUCCESSORS] = to;
    this.#setPending(to, 1);
  }

  #setPending(node: number, count: number): void {
    this.core.board.words[L.nodeBase(node) + L.NODE_PENDING_AT_START] = count;
  }

  #setSuccessors(node: number, successors: readonly number[]): boolean {
    const { words } = this.core.board;
    const base = L.nodeBase(node);
    words[base + L.NODE_SUCCESSOR_COUNT] = successors.length;
    let at = base + L.NODE_SUCCESSORS;
    if (successors.length > L.INLINE_SUCCESSORS) {
      const edge = this.core.edges.take(successors.length);
      if (edge === 0) {
        this.#contents.refusal = `the control block has no room for ${successors.length} commands that wait for one`;
        return false;
      }
      this.#contents.edgeRuns.push([edge, successors.length]);
      words[base + L.NODE_SUCCESSORS] = edge;
      at = L.EDGES + edge;
    }
    for (let i = 0; i < successors.length; i++) words[at + i] = successors[i] as number;
    return true;
  }
}

// ---- phase 3: the words of launches

/** Writes the words of all launches, with the arenas that the largest of them needs. */
export function fillLaunches({ board, memory }: DeviceCore, { arena, launches, sequences }: BatchContents): void {
  if (arena === null) return;
  const { words } = board;
  for (const { node, launch, block, owns } of launches) {
    const base = L.nodeBase(node);
    if (owns) writeDispatchBlock(memory.views.words, block.address, dispatchValues(launch));
    const { code } = launch.kernel;
    words[base + L.NDRANGE_CODE] = code.slot;
    words[base + L.NDRANGE_CODE_ID] = code.id;
    words[base + L.NDRANGE_FUNCTION] = launch.kernel.functionIndex;
    words[base + L.NDRANGE_ARGS] = (block.address + DISPATCH_BYTES) | 0;
    words[base + L.NDRANGE_DISPATCH] = block.address | 0;
    writeArena(words, base, arena);
    for (let i = 0; i < 3; i++) {
      words[base + L.NDRANGE_COUNT + i] = launch.count[i as 0 | 1 | 2] | 0;
      words[base + L.NDRANGE_FIRST + i] = launch.first[i as 0 | 1 | 2] | 0;
    }
    setDouble(board, base + L.NODE_TOTAL, launch.total);
    words[base + L.NODE_WIDE] = launch.total > MAX_GROUPS_PER_CALL ? 1 : 0;
  }
  for (const { node } of sequences) writeArena(words, L.nodeBase(node), arena);
}

function writeArena(words: Int32Array, base: number, arena: ArenaSet): void {
  words[base + L.NDRANGE_ARENA] = arena.block.address | 0;
  words[base + L.NDRANGE_ARENA_STRIDE] = arena.stride | 0;
}

function addTo(successors: Map<number, number[]>, from: number, to: number): void {
  const list = successors.get(from);
  if (list === undefined) successors.set(from, [to]);
  else list.push(to);
}
