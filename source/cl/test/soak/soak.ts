// SPDX-License-Identifier: Apache-2.0
// The soak: random valid sequences of calls for as long as one likes, with kernels that go wrong, allocations that are
// refused and deadlines; what comes of them is compared with a model, and memory must not grow.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { type AllocationKind, NODE_ENVIRONMENT, hostDevice, hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler/native";
import { registerTarget } from "@muxkit/mux";
import {
  CL_DEVICE_TYPE_ALL,
  type Device,
  clBuildProgram,
  clCreateContext,
  clCreateProgramWithSource,
  clCreateSubDevices,
  clGetDeviceIDs,
  clGetPlatformIDs,
  clGetProgramInfo,
  clReleaseContext,
  clReleaseDevice,
  clReleaseProgram,
  setCompilers,
} from "@muxkit/opencl";

import { type Excuses, SoakFailure } from "./journal.ts";
import { SOURCE } from "./kernels.ts";
import { OBJECTS, makeLane, makeProgram, runEndless } from "./objects.ts";
import { Random } from "./random.ts";
import { type Action, TRANSFERS } from "./transfers.ts";
import { World } from "./world.ts";

/** What goes wrong on purpose. */
export interface Faults {
  /** Kernels that trap, kernels that never end, user events that fail. */
  readonly commands: boolean;
  /** Allocations that are refused. */
  readonly allocations: boolean;
}

/** How to soak. */
export interface SoakOptions {
  /** How long, in s. */
  readonly seconds: number;
  readonly seed: number;
  /** Threads of the device. */
  readonly threads: number;
  /** What goes wrong on purpose. */
  readonly faults: Faults;
  /** s from figure to figure. */
  readonly every: number;
  /** Told of each figure. */
  readonly report: (line: string) => void;
}

/** What a soak came to. */
export interface SoakResult {
  readonly commands: number;
  readonly worlds: number;
  readonly refusals: number;
  /** Commands that a deadline stopped although they were no endless kernels: the machine stood still. */
  readonly late: number;
  /** Resident memory at each figure, in MiB. */
  readonly resident: readonly number[];
}

/** Longest run time of a launch, in ms. */
const DEADLINE = 500;
/** Actions between two looks at everything. */
const ACTIONS = 60;
/** Looks that a world lives. */
const CHECKPOINTS = 12;
/** Windows between two endless kernels. */
const ENDLESS_EVERY = 40;
/** Shorter runs tell nothing of resident memory. */
const WARM_SECONDS = 600;
/** What memory may grow after the first quarter: this many MiB, and this part of it. */
const GROWTH_MIB = 24;
const GROWTH_PART = 0.08;

const ACTION_LIST: readonly Action[] = [...TRANSFERS, ...OBJECTS];
const TOTAL_WEIGHT = ACTION_LIST.reduce((sum, { weight }) => sum + weight, 0);

function pickAction(random: Random): Action {
  let place = random.below(TOTAL_WEIGHT);
  for (const action of ACTION_LIST) {
    place -= action.weight;
    if (place < 0) return action;
  }
  return ACTION_LIST[0] as Action;
}

/** Collects garbage, so that what is left is held by somebody. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** Allocations that are refused on purpose: one in a window. */
class Refusals {
  count = 0;
  total = 0;
  /** Which allocation of the window; 0: none. */
  #at = 0;
  /** True when one was refused since the last look at everything. */
  happened = false;

  refuses(_kind: AllocationKind): boolean {
    if (++this.count !== this.#at) return false;
    this.total++;
    this.happened = true;
    return true;
  }

  /** A new window. */
  plan(random: Random): void {
    this.count = 0;
    this.happened = false;
    this.#at = random.oneIn(2) ? random.between(1, 200) : 0;
  }

  /** None, until the next window. */
  stop(): void {
    this.#at = 0;
  }
}

function median(list: readonly number[]): number {
  return list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)] ?? 0;
}

/** Some memory grew although nothing is held any more. */
function checkFlat(name: string, figures: readonly number[]): void {
  if (figures.length < 8) return;
  const quarter = Math.floor(figures.length / 4);
  const before = median(figures.slice(quarter, 2 * quarter));
  const after = median(figures.slice(-quarter));
  if (after > before * (1 + GROWTH_PART) + GROWTH_MIB)
    throw new SoakFailure(
      `${name} grows: ${before.toFixed(1)} MiB in the second quarter, ${after.toFixed(1)} MiB in the last`,
    );
}

/** Soaks. Throws a SoakFailure, whose message says what is wrong and how to see it again. */
export async function soak({ seconds, seed, threads, faults, every, report }: SoakOptions): Promise<SoakResult> {
  const refusals = new Refusals();
  const number = registerTarget(
    hostTarget({
      threads,
      deadline: DEADLINE,
      engine: { eager: false },
      print: () => undefined,
      environment: { ...NODE_ENVIRONMENT, refuses: (kind) => refusals.refuses(kind) },
    }),
  );
  setCompilers({ compilers });
  const [platform] = clGetPlatformIDs();
  const device =
    platform === undefined
      ? undefined
      : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
  if (device === undefined) throw new SoakFailure("the device is not listed");
  const binary = binaryFor(device);
  const collect = collector();
  const { host } = hostDevice(device.open("the soak").device);
  const random = new Random(seed);
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  let [commands, worlds, late] = [0, 0, 0];
  const excuses: Excuses = {
    get refused() {
      return refusals.happened;
    },
    late: () => {
      late++;
    },
  };
  const figures: { resident: number[]; heap: number[]; taken: number[]; rows: number[] } = {
    resident: [],
    heap: [],
    taken: [],
    rows: [],
  };
  const sample = (): void => {
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    const { memorySize, memoryFree, rowsUsed, terminated } = host.statistics();
    figures.resident.push(rss / 2 ** 20);
    figures.heap.push((heapUsed + external) / 2 ** 20);
    figures.taken.push((memorySize - memoryFree) / 2 ** 20);
    figures.rows.push(rowsUsed);
    report(
      `${elapsed().toFixed(0)} s: ${commands} commands, ${worlds} contexts, ` +
        `${refusals.total} allocations refused, ${late} late; resident ` +
        `${(rss / 2 ** 20).toFixed(1)} MiB, heap ${(heapUsed / 2 ** 20).toFixed(1)} MiB, ` +
        `device memory taken ${((memorySize - memoryFree) / 1024).toFixed(0)} KiB of ` +
        `${memorySize / 2 ** 20} MiB, ${rowsUsed} rows, ${terminated} workers ended`,
    );
  };
  let next = every;
  while (elapsed() < seconds) {
    const worldSeed = random.bits();
    // One context after the other: what a seed does is the same each time.
    // oxlint-disable-next-line no-await-in-loop
    commands += await liveOn(worldSeed, { device, hasParts: threads > 1, faults, binary, refusals, excuses });
    worlds++;
    if (elapsed() >= next) {
      next += every;
      sample();
    }
  }
  sample();
  // Code of the engine's and pages of its heap come with the first minutes.
  if (seconds >= WARM_SECONDS) checkFlat("resident memory", figures.resident);
  checkFlat("the heap", figures.heap);
  checkFlat("device memory that is taken", figures.taken);
  if ((figures.rows.at(-1) ?? 0) > MOST_ROWS)
    throw new SoakFailure(`${figures.rows.at(-1) ?? 0} rows of the control block are taken when nothing is under way`);
  return { commands, worlds, refusals: refusals.total, late, resident: figures.resident };
}

/**
 * Rows of the control block that are kept for later at most: batches that rest, fences, semaphores, query pools, code.
 */
const MOST_ROWS = 6000;

/** The soak's kernels, compiled once. */
function binaryFor(device: Device): Uint8Array {
  const context = clCreateContext([device]);
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clBuildProgram(program);
  const [binary = new Uint8Array(0)] = clGetProgramInfo(program, "CL_PROGRAM_BINARIES");
  clReleaseProgram(program);
  clReleaseContext(context);
  return binary;
}

/** What every context has. */
interface Surroundings {
  readonly device: Device;
  /** Whether the device can be partitioned. */
  readonly hasParts: boolean;
  readonly faults: Faults;
  readonly binary: Uint8Array;
  readonly refusals: Refusals;
  readonly excuses: Excuses;
}

/** One context from its first call to its last: how many commands it had. */
async function liveOn(
  seed: number,
  { device, hasParts, faults, binary, refusals, excuses }: Surroundings,
): Promise<number> {
  const random = new Random(seed);
  refusals.stop();
  refusals.happened = false;
  const [part] = hasParts && random.oneIn(4) ? clCreateSubDevices(device, { CL_DEVICE_PARTITION_BY_COUNTS: [1] }) : [];
  const own = part ?? device;
  const world = new World(
    random,
    own,
    clCreateContext([own], () => undefined),
    excuses,
    faults.commands,
  );
  try {
    for (let look = 0; look < CHECKPOINTS; look++) {
      if (faults.allocations) refusals.plan(random);
      if (world.lanes.length === 0) makeLane(world);
      makeProgram(world, binary);
      for (let i = 0; i < ACTIONS; i++) {
        const lane = random.pick(world.lanes);
        if (lane === undefined) break;
        pickAction(random).run(world, lane);
      }
      const lane = random.pick(world.lanes);
      if (lane !== undefined && faults.commands && random.oneIn(ENDLESS_EVERY)) runEndless(world, lane);
      // oxlint-disable-next-line no-await-in-loop
      await world.checkpoint();
    }
    refusals.stop();
    await world.release();
    if (part !== undefined) clReleaseDevice(part);
  } catch (error) {
    const reason = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
    throw new SoakFailure(
      `with the seed ${seed} of one context: ${reason}\nbefore that: ${world.trace.slice(-80).join("; ")}`,
      { cause: error },
    );
  }
  return world.commands;
}

/** One context of a seed again. */
export async function soakOne(seed: number, threads: number, faults: Faults): Promise<number> {
  const refusals = new Refusals();
  const number = registerTarget(
    hostTarget({
      threads,
      deadline: DEADLINE,
      engine: { eager: false },
      print: () => undefined,
      environment: { ...NODE_ENVIRONMENT, refuses: (kind) => refusals.refuses(kind) },
    }),
  );
  setCompilers({ compilers });
  const [platform] = clGetPlatformIDs();
  const device =
    platform === undefined
      ? undefined
      : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
  if (device === undefined) throw new SoakFailure("the device is not listed");
  const excuses: Excuses = {
    get refused() {
      return refusals.happened;
    },
    late: () => undefined,
  };
  return liveOn(seed, { device, hasParts: threads > 1, faults, binary: binaryFor(device), refusals, excuses });
}
