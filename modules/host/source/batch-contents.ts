// SPDX-License-Identifier: Apache-2.0
// What a batch holds: slots of the control block, device memory, and the launches that fill them.
import type { ArenaSet } from "./arenas.ts";
import type { HostOutcome } from "./command.ts";
import * as L from "./control-layout.ts";
import type { BatchOwner, DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import type { Cost, Launch } from "./launch.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";

/** A launch with a command node of its own. */
export interface LoweredLaunch {
  readonly node: number;
  readonly launch: Launch;
  readonly block: Block;
  /** True when the batch has to write the dispatch block. */
  readonly owns: boolean;
}

/** Small launches of one command node: one after the other, or in no order. */
export interface LoweredSequence {
  readonly node: number;
  readonly isParallel: boolean;
  readonly launches: readonly PreparedLaunch[];
  /** The costs of its kernels, each once. */
  readonly costs: readonly Cost[];
  /** Number of each one's command. */
  readonly numbers: readonly number[];
  /** Expected ns of all of them. */
  weight: number;
}

/** The parts of a batch. The builder fills it, a dispatch reads it, {@link releaseContents} empties it. */
export class BatchContents {
  /** Command nodes in the order of the commands, after head and tail. */
  readonly nodes: number[] = [];
  /** How many of the launches counted as small. */
  smallCount = 0;
  /** Index in `nodes` of each command's first node. */
  readonly firstNodes: number[] = [];
  /** First edge and length of each list. */
  readonly edgeRuns: [number, number][] = [];
  readonly launches: LoweredLaunch[] = [];
  readonly sequences: LoweredSequence[] = [];
  /** Prepared launches that nodes refer to, some of them more than once; the command buffer keeps them alive. */
  readonly prepared: PreparedLaunch[] = [];
  readonly blocks: Block[] = [];
  /** Ids of published arrays. */
  readonly arrays: number[] = [];
  /** Arrays that are copied into device memory at each dispatch. */
  readonly staged: { readonly array: Uint8Array; readonly address: number }[] = [];
  /** What the host thread does for a node; null: nothing, as in most batches. */
  hostRuns: Map<number, () => HostOutcome> | null = null;
  arena: ArenaSet | null = null;
  /** Expected ns of what is no launch. */
  transferWeight = 0;
  /** Why lowering or a host command failed, as a sentence; empty when nothing did. */
  refusal = "";

  /** Node that begins the batch; 0 when there was no room. */
  get head(): number {
    return this.nodes[0] ?? 0;
  }

  /** Node that ends the batch; 0 when there was no room. */
  get tail(): number {
    return this.nodes[1] ?? 0;
  }

  /** The command that a node belongs to; undefined for head and tail. */
  commandOf(node: number): number | undefined {
    const position = this.nodes.indexOf(node, 2);
    if (position < 0) return undefined;
    const next = this.firstNodes.findIndex((first) => first > position);
    return (next < 0 ? this.firstNodes.length : next) - 1;
  }
}

/** Takes a command node of a kind for a batch and clears it; 0 when there is none. */
export function takeNode(core: DeviceCore, contents: BatchContents, owner: BatchOwner, kind: number): number {
  const node = core.takeNode();
  if (node === 0) {
    contents.refusal =
      `the control block has no room for another command: ${L.MAX_NODES - 1} exist; ` +
      "destroy or reset command buffers that are complete";
    return 0;
  }
  const base = L.nodeBase(node);
  const { words } = core.board;
  // Of shared memory, the engine fills so few words more slowly than a loop does.
  for (let word = base; word < base + L.NODE_WORDS; word++) words[word] = 0;
  words[base + L.NODE_KIND] = kind;
  contents.nodes.push(node);
  core.owners[node] = owner;
  return node;
}

/** Takes the arenas for a launch, as large as the largest so far; null: there is no memory. */
export function takeArena(core: DeviceCore, contents: BatchContents, bytes: number): ArenaSet | null {
  if (contents.arena !== null && contents.arena.bytes >= bytes) return contents.arena;
  const set = core.arenas.take(bytes);
  if (!set.ok) {
    contents.refusal = set.error;
    return null;
  }
  if (contents.arena !== null) core.arenas.release(contents.arena);
  contents.arena = set.value;
  return set.value;
}

/** Releases all slots and memory of a batch. */
export function releaseContents(core: DeviceCore, contents: BatchContents): void {
  for (const node of contents.nodes) {
    core.owners[node] = null;
    core.nodes.release(node);
  }
  for (const [edge, count] of contents.edgeRuns) core.edges.release(edge, count);
  for (const block of contents.blocks) core.memory.free(block);
  for (const id of contents.arrays) core.forgetArray(id);
  if (contents.arena !== null) core.arenas.release(contents.arena);
  contents.arena = null;
  contents.prepared.length = 0;
  contents.nodes.length = 0;
  contents.edgeRuns.length = 0;
  contents.blocks.length = 0;
  contents.arrays.length = 0;
}
