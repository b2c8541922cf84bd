// SPDX-License-Identifier: Apache-2.0
/**
 * A launch: work-groups one after the other, the warps of a group in turns. A warp runs until all of its splits wait at
 * a barrier, or for a stretch of blocks, so that work-items that wait for others by looking at memory do not hold them
 * up. The barrier opens when all work-items that have not returned are there.
 */
import { Fault, LAUNCH_FAILED, LAUNCH_TIMEOUT } from "./fault.ts";
import { type Block, type Image, type Vote, sharedLimit } from "./image.ts";
import { type GlobalMemory, PARAMETER_WINDOW, SHARED_BASE, SHARED_WINDOW, Space } from "./memory.ts";
import { GROUP_REGISTERS, SPECIAL_REGISTERS } from "./special-registers.table.ts";
import { END, LANES, type Split, Warp } from "./warp.ts";
import { countOnes } from "./numbers.ts";

/** Numbers in x, y and z. */
export type Three = readonly [number, number, number];

/** What is launched. */
export interface Launch {
  readonly image: Image;
  readonly global: GlobalMemory;
  readonly groups: Three;
  readonly localSize: Three;
  /** Bytes of shared memory behind the kernel's own. */
  readonly dynamicLocal: number;
  readonly parameter: Uint8Array;
  /** Addresses of variables in global memory. */
  readonly addresses: ReadonlyMap<string, number>;
  /** Blocks that may be executed in all; a launch that needs more is ended. */
  readonly mostBlocks: number;
}

/** Blocks that a warp executes before others have their turn. */
const STRETCH = 20_000;

function newSplit(block: number, end: number, mask: number, parent: Split | null): Split {
  return { block, end, mask, parent, parts: 0 };
}

/**
 * Lets lanes go on alone that are where ways meet, while others of their ways wait at a barrier: they may return, and
 * then the barrier opens without them. True: there were some.
 */
function releaseArrived(warp: Warp): boolean {
  /** What is under each split that waits for parts. */
  const under = new Map<Split, number>();
  const seen = new Set<Split>();
  for (const leaf of warp.waiting)
    for (let split = leaf; split.parent !== null && !seen.has(split); split = split.parent) {
      seen.add(split);
      under.set(split.parent, (under.get(split.parent) ?? 0) | split.mask);
    }
  let released = false;
  for (const [split, others] of under) {
    const arrived = split.mask & warp.live & ~others;
    if (arrived === 0 || split.block === END) continue;
    const { parent } = split;
    split.mask &= ~arrived;
    if (parent !== null) parent.parts++;
    warp.ready.push(newSplit(split.block, split.end, arrived, parent));
    released = true;
  }
  return released;
}

class Group {
  private readonly launch: Launch;
  private readonly blocks: readonly Block[];
  private readonly warps: readonly Warp[];
  private readonly shared: Space;
  private left: number;
  /** Work-items that have not returned, and those at the barrier. */
  private live = 0;
  private arrived = 0;
  private votes: { readonly warp: Warp; readonly split: Split; readonly vote: Vote }[] = [];
  /** Where the last step was, for refusals. */
  private line = 0;
  private group: Three = [0, 0, 0];

  constructor(launch: Launch) {
    const { image, localSize, parameter, dynamicLocal, global } = launch;
    this.launch = launch;
    this.blocks = image.blocks;
    this.left = launch.mostBlocks;
    const own = new Space(PARAMETER_WINDOW, image.parameterBytes);
    own.u8.set(parameter.subarray(0, image.parameterBytes));
    this.shared = new Space(SHARED_WINDOW, sharedLimit(image, dynamicLocal), SHARED_BASE);
    const memories = { global, parameter: own, shared: this.shared };
    const items = localSize[0] * localSize[1] * localSize[2];
    this.warps = Array.from({ length: Math.ceil(items / LANES) }, () => {
      const warp = new Warp(image.words, image.localBytes, memories);
      this.fillConstants(warp);
      return warp;
    });
    this.fillSpecials(false);
  }

  private fillConstants({ i32 }: Warp): void {
    const { image, addresses } = this.launch;
    for (const { slot, isWide, low, high } of image.constants)
      if (isWide)
        for (let i = 0; i < LANES; i++) {
          i32[slot + 2 * i] = low;
          i32[slot + 2 * i + 1] = high;
        }
      else i32.fill(low, slot, slot + LANES);
    for (const { slot, name } of image.symbols) {
      const address = addresses.get(name) ?? 0;
      for (let i = 0; i < LANES; i++) {
        i32[slot + 2 * i] = address;
        i32[slot + 2 * i + 1] = Math.floor(address / 2 ** 32);
      }
    }
  }

  private fillSpecials(ofGroup: boolean): void {
    const { image, localSize, groups } = this.launch;
    for (const { slot, name } of image.specials) {
      const value = SPECIAL_REGISTERS.get(name);
      if (value === undefined || GROUP_REGISTERS.has(name) !== ofGroup) continue;
      this.warps.forEach(({ i32 }, warp) => {
        for (let lane = 0; lane < LANES; lane++)
          i32[slot + lane] = value({ lane, warp, localSize, groups, group: this.group });
      });
    }
  }

  /** Runs one group. Throws Fault. */
  run(group: Three): void {
    const { image, localSize } = this.launch;
    this.group = group;
    this.fillSpecials(true);
    this.shared.forget();
    let items = localSize[0] * localSize[1] * localSize[2];
    this.live = items;
    for (const warp of this.warps) {
      const mask = items >= LANES ? -1 : 2 ** items - 1;
      items -= LANES;
      warp.live = mask;
      warp.local.forget();
      warp.ready.push(newSplit(image.entry, END, mask, null));
    }
    try {
      while (this.live > 0) {
        for (const warp of this.warps) if (warp.ready.length > 0) this.runWarp(warp);
        const stands = this.live > 0 && this.warps.every(({ ready }) => ready.length === 0);
        if (stands && !this.warps.map(releaseArrived).includes(true))
          throw new Fault(LAUNCH_FAILED, "work-items wait for others that never come to the barrier");
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(error.code, `${error.message} (line ${this.line} of the PTX, group ${group.join(", ")})`);
    }
  }

  private runWarp(warp: Warp): void {
    let stretch = STRETCH;
    for (let split = warp.ready.pop(); split !== undefined; split = warp.ready.pop()) {
      split.mask &= warp.live;
      if (split.mask === 0) {
        this.finish(warp, split);
        continue;
      }
      const used = this.runSplit(warp, split, stretch);
      stretch -= used;
      this.left -= used;
      if (this.left <= 0)
        throw new Fault(LAUNCH_TIMEOUT, `the launch does not end within ${this.launch.mostBlocks} blocks`);
      if (stretch <= 0) return;
    }
  }

  /** Runs a split until it parts, ends or waits; returns how many blocks it was. */
  private runSplit(warp: Warp, split: Split, stretch: number): number {
    const { blocks } = this;
    const { end } = split;
    let { block: at } = split;
    warp.activate(split.mask);
    for (let used = 1; ; used++) {
      if (at === end) {
        this.finish(warp, split);
        return used;
      }
      if (used > stretch) {
        split.block = at;
        // Others of the warp first.
        warp.ready.unshift(split);
        return used;
      }
      const block = blocks[at] as Block;
      this.runSteps(warp, block);
      const { exit } = block;
      if (exit.kind === "jump") at = exit.target;
      else if (exit.kind === "branch") {
        const taken = warp.lanesWhere(exit.slot, exit.isInverted);
        const others = warp.mask & ~taken;
        if (taken === 0) at = exit.next;
        else if (others === 0) at = exit.target;
        else {
          const kept = this.part(warp, split, exit, taken, others);
          if (kept < 0) return used;
          at = kept;
          warp.activate(split.mask);
        }
      } else {
        this.line = block.lines.at(-1) as number;
        split.block = at;
        this.transfer(warp, split, block);
        return used;
      }
    }
  }

  private runSteps(warp: Warp, { steps, lines }: Block): void {
    let i = 0;
    try {
      for (; i < steps.length; i++) (steps[i] as (warp: Warp) => void)(warp);
    } catch (error) {
      this.line = lines[i] as number;
      throw error;
    }
  }

  /**
   * Lanes go two ways. Those that are where the ways meet already only wait; where a split would wait for a part that
   * has its own end, the part takes its place. Returns the block at which the split goes on, or -1.
   */
  private part(
    warp: Warp,
    split: Split,
    { target, next, join }: { readonly target: number; readonly next: number; readonly join: number },
    taken: number,
    others: number,
  ): number {
    if (join === split.end) {
      if (target === join || next === join) {
        split.mask = target === join ? others : taken;
        return target === join ? next : target;
      }
      const { parent } = split;
      if (parent !== null) parent.parts++;
      warp.ready.push(newSplit(next, join, others, parent));
      split.mask = taken;
      return target;
    }
    split.block = join;
    for (const [block, mask] of [
      [next, others],
      [target, taken],
    ] as const)
      if (block !== join) {
        split.parts++;
        warp.ready.push(newSplit(block, join, mask, split));
      }
    return -1;
  }

  private transfer(warp: Warp, split: Split, { exit }: Block): void {
    if (exit.kind === "return") {
      if (exit.isKernel) {
        warp.live &= ~split.mask;
        this.live -= countOnes(split.mask);
      }
      this.finish(warp, split);
      if (exit.isKernel) this.openBarrier();
    } else if (exit.kind === "call") {
      split.block = exit.next;
      split.parts = 1;
      warp.ready.push(newSplit(exit.entry, END, split.mask, split));
    } else if (exit.kind === "barrier") {
      split.block = exit.next;
      warp.waiting.push(split);
      if (exit.vote !== null) this.votes.push({ warp, split, vote: exit.vote });
      this.arrived += countOnes(split.mask);
      this.openBarrier();
    } else throw new Fault(LAUNCH_FAILED, "the kernel traps");
  }

  /** Ends a split; the one that waits for it goes on when it was the last. */
  private finish(warp: Warp, { parent }: Split): void {
    if (parent === null) return;
    parent.parts--;
    if (parent.parts === 0) warp.ready.push(parent);
  }

  /** Lets work-items on when all are there. */
  private openBarrier(): void {
    if (this.arrived === 0 || this.arrived < this.live) return;
    this.arrived = 0;
    this.count();
    for (const warp of this.warps) {
      warp.ready.push(...warp.waiting);
      warp.waiting.length = 0;
    }
  }

  /** Gives the results of votes. */
  private count(): void {
    const { votes } = this;
    if (votes.length === 0) return;
    this.votes = [];
    let [all, any] = [true, false];
    const each = (act: (words: Int32Array, lane: number, vote: Vote) => void): void => {
      for (const { warp, split, vote } of votes)
        for (let lane = 0; lane < LANES; lane++) if ((split.mask >>> lane) & 1) act(warp.i32, lane, vote);
    };
    each((words, lane, { source }) => {
      if (words[source + lane] === 0) all = false;
      else any = true;
    });
    each((words, lane, { target, isAll }) => {
      words[target + lane] = Number(isAll ? all : any);
    });
  }
}

/** Runs a launch. Throws Fault. */
export function runLaunch(launch: Launch): void {
  const group = new Group(launch);
  const [x, y, z] = launch.groups;
  for (let c = 0; c < z; c++) for (let b = 0; b < y; b++) for (let a = 0; a < x; a++) group.run([a, b, c]);
}
