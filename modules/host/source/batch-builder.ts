// SPDX-License-Identifier: Apache-2.0
// Lowers the commands of a command buffer to a graph of command nodes in the control block.
//
// In:  commands with wait lists (indices of earlier commands; none: all earlier ones).
// Out: head -> nodes of the commands -> tail, each with the number of its predecessors and a list of its successors.
//
// Phases:
// 1. Groups of commands, in order: one node for most commands; a command that needs several has them chained.
//    Neighbouring small launches without wait lists share a sequence node, which one thread runs without going through
//    the scheduler. Launches in no order are part of such a sequence where they are light; otherwise the small ones
//    share a parallel node, whose launches threads claim, and each large one has a node of its own, whose groups they
//    claim, all of them between a fork and a join.
// 2. Edges. Without wait lists the groups are a chain. Otherwise a sweep keeps the set of sinks, groups that nothing
//    waits for yet: a group without a wait list waits for the sinks, and the tail waits for the last ones.
// 3. The words of the launches, at the end because all of them use the arenas of the largest.
//
// The cost is linear in commands and edges. Nothing here is done again when the batch is dispatched again.
import { err, InternalError, ok, type Result } from "@muxkit/cargo";
import { DISPATCH_BYTES, MAX_GROUPS_PER_CALL, writeDispatchBlock } from "@muxkit/kernel-abi";

import { type BatchContents, takeArena, takeNode } from "./batch-contents.ts";
import { setDouble } from "./board.ts";
import type { Command, CommandBody, HostOutcome } from "./command.ts";
import * as L from "./control-layout.ts";
import type { BatchOwner, DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import { dispatchValues, type Launch } from "./launch.ts";
import { isSmall, smallCount, smallLaunches, weightOf } from "./launch-cost.ts";
import { writeArena, writeLaunch } from "./launch-words.ts";
import type { Lowering, Lowerings } from "./lowering.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";
import { StrayWriteError } from "./stray-write.ts";

/** Commands that are linked as one: what they wait for, the node that begins and the one that ends. */
interface Group {
  readonly waits: readonly number[] | null;
  readonly first: number;
  readonly last: number;
}

/** Builds the contents of one batch. */
export class BatchBuilder implements Lowering {
  readonly core: DeviceCore;
  readonly owner: object | null;
  readonly #contents: BatchContents;
  readonly #nodeOwner: BatchOwner;
  /** How commands that are no launches are lowered; null: there are none. */
  readonly #lowerings: Lowerings | null;

  constructor(
    core: DeviceCore,
    contents: BatchContents,
    nodeOwner: BatchOwner,
    lowerings: Lowerings | null,
    owner: object | null,
  ) {
    this.core = core;
    this.#lowerings = lowerings;
    this.owner = owner;
    this.#contents = contents;
    this.#nodeOwner = nodeOwner;
  }

  /** Lowers all commands. The error is a sentence; the contents are to be released then. */
  build(commands: readonly Command[]): Result<void, string> {
    const contents = this.#contents;
    const { nodes } = contents;
    if (this.takeNode(L.KIND_HEAD) === 0 || this.takeNode(L.KIND_TAIL) === 0) return err(contents.refusal);
    const groups: Group[] = [];
    const groupOf: number[] = [];
    contents.smallCount = smallCount(commands);
    const isChain = !commands.some(({ waits }) => waits !== null);
    for (let number = 0; number < commands.length;) {
      const before = nodes.length;
      const { body, waits } = commands[number] as Command;
      const small = this.core.settings.redZone === 0 ? smallLaunches(commands, number) : null;
      // A launch alone is as quick as a node of its own.
      const isSequence = small !== null && small.launches.length > 1;
      const count = isSequence ? small.commands : 1;
      for (let i = 0; i < count; i++) {
        contents.firstNodes.push(before);
        groupOf.push(groups.length);
      }
      const isLowered = isSequence
        ? this.#lowerSequence(L.KIND_SEQUENCE, small.launches, small.numbers)
        : body.kind === "parallel"
          ? this.#lowerParallel(body.launches, number)
          : this.#lowerBody(body);
      if (!isLowered) return err(contents.refusal);
      number += count;
      groups.push({ waits, first: nodes[before] as number, last: nodes.at(-1) as number });
      // Several nodes of one command run one after the other.
      if (body.kind !== "parallel" || isSequence) this.#linkFrom(before);
    }
    if (isChain) this.#linkChain(groups);
    else if (!this.#linkGraph(groups, groupOf)) return err(contents.refusal);
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

  #lowerBody(body: Exclude<CommandBody, { readonly kind: "parallel" }>): boolean {
    if (body.kind === "ndrange") {
      // The output of a launch is identified by its dispatch block, so one that prints has its own.
      return this.#lowerLaunch(body.launch, body.launch.printf === null ? body.prepared : null);
    }
    if (this.#lowerings === null) throw new InternalError(`a command ${body.kind} among launches`);
    const lower = this.#lowerings[body.kind] as (lowering: Lowering, command: CommandBody) => boolean;
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
        const stray = this.core.memory.redZones?.checkAfter(launch) ?? null;
        if (stray !== null) throw new StrayWriteError(stray);
      });
    return node !== 0;
  }

  /**
   * Lowers launches in no order: small ones to one node, all others to nodes of their own. `number` is the command's.
   */
  #lowerParallel(launches: readonly PreparedLaunch[], number: number): boolean {
    const isShared = this.core.settings.redZone === 0;
    const small = isShared ? launches.filter((prepared) => isSmall(prepared)) : [];
    const large = isShared ? launches.filter((prepared) => !isSmall(prepared)) : launches;
    const numbers = small.map(() => number);
    const { nodes } = this.#contents;
    const branches: { readonly first: number; readonly last: number }[] = [];
    const branch = (lower: () => boolean): boolean => {
      const before = nodes.length;
      if (!lower()) return false;
      this.#linkFrom(before);
      branches.push({ first: nodes[before] as number, last: nodes.at(-1) as number });
      return true;
    };
    if (large.length === 0) return branch(() => this.#lowerSmall(small, numbers));
    if (launches.length === 1) return branch(() => this.#lowerAlone(large[0] as PreparedLaunch));
    const fork = this.takeNode(L.KIND_HEAD);
    if (fork === 0) return false;
    for (const prepared of large) if (!branch(() => this.#lowerAlone(prepared))) return false;
    if (small.length > 0 && !branch(() => this.#lowerSmall(small, numbers))) return false;
    const join = this.takeNode(L.KIND_HEAD);
    if (join === 0) return false;
    for (const { first, last } of branches) {
      this.#setPending(first, 1);
      if (!this.#setSuccessors(last, [join])) return false;
    }
    this.#setPending(join, branches.length);
    return this.#setSuccessors(
      fork,
      branches.map(({ first }) => first),
    );
  }

  #lowerAlone(prepared: PreparedLaunch): boolean {
    return this.#lowerLaunch(prepared.launch, prepared.launch.printf === null ? prepared : null);
  }

  /** Small launches in no order: threads claim them, unless there is only one. */
  #lowerSmall(launches: readonly PreparedLaunch[], numbers: readonly number[]): boolean {
    const [only] = launches;
    return only !== undefined && launches.length === 1
      ? this.#lowerAlone(only)
      : this.#lowerSequence(L.KIND_PARALLEL, launches, numbers);
  }

  /** Lowers small launches to one node. `numbers` are those of their commands. */
  #lowerSequence(kind: number, launches: readonly PreparedLaunch[], numbers: readonly number[]): boolean {
    const { core } = this;
    const contents = this.#contents;
    const { words } = core.board;
    const node = this.takeNode(kind);
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
    const isParallel = kind === L.KIND_PARALLEL;
    contents.sequences.push({ node, isParallel, launches, costs, numbers, weight });
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
  #linkChain(groups: readonly Group[]): void {
    let from = this.#contents.head;
    for (const { first, last } of groups) {
      this.#linkOne(from, first);
      from = last;
    }
    this.#linkOne(from, this.#contents.tail);
  }

  /** Links groups with wait lists, which name commands; false when there is no room. */
  #linkGraph(groups: readonly Group[], groupOf: readonly number[]): boolean {
    const { head, tail } = this.#contents;
    const successors = new Map<number, number[]>();
    const sinks = new Set<number>();
    for (const [i, { waits, first }] of groups.entries()) {
      // Who waits for a command of a sequence waits for all of it.
      const needed = new Set(waits === null ? sinks : waits.map((command) => groupOf[command] as number));
      for (const group of needed) {
        addTo(successors, groups[group]?.last as number, first);
        sinks.delete(group);
      }
      if (needed.size === 0) addTo(successors, head, first);
      this.#setPending(first, Math.max(1, needed.size));
      sinks.add(i);
    }
    const ends = sinks.size === 0 ? [head] : [...sinks].map((group) => groups[group]?.last as number);
    for (const from of ends) addTo(successors, from, tail);
    this.#setPending(tail, ends.length);
    for (const [from, to] of successors) if (!this.#setSuccessors(from, to)) return false;
    return true;
  }

  /** Chains the nodes from an index on. */
  #linkFrom(index: number): void {
    const { nodes } = this.#contents;
    for (let i = index + 1; i < nodes.length; i++) this.#linkOne(nodes[i - 1] as number, nodes[i] as number);
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
    writeLaunch(words, base, launch, block);
    writeArena(words, base, arena);
    setDouble(board, base + L.NODE_TOTAL, launch.total);
    words[base + L.NODE_WIDE] = launch.total > MAX_GROUPS_PER_CALL ? 1 : 0;
  }
  for (const { node } of sequences) writeArena(words, L.nodeBase(node), arena);
}

function addTo(successors: Map<number, number[]>, from: number, to: number): void {
  const list = successors.get(from);
  if (list === undefined) successors.set(from, [to]);
  else list.push(to);
}
