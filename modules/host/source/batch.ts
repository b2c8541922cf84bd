// SPDX-License-Identifier: Apache-2.0
// A finalized command buffer: its commands as records in the control block, with counters for what each waits for.
import { err, ok, type Result } from "@muxkit/cargo";
import { DISPATCH_BYTES, MAX_GROUPS_PER_CALL, writeDispatchBlock } from "@muxkit/kernel-abi";

import type { ArenaSet } from "./arenas.ts";
import { double, setDouble } from "./board.ts";
import type { Command, CommandBody } from "./command.ts";
import * as L from "./control-layout.ts";
import type { BatchOwner, DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import { failureText } from "./failure.ts";
import { type Cost, dispatchValues, type Launch } from "./launch.ts";
import { lock, unlock } from "./lock.ts";
import { type Lowering, LOWERINGS } from "./lowering.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";

/** ns of work that are worth starting workers for, and waking ones that are there. */
const START_WEIGHT = 1_000_000;
const WAKE_WEIGHT = 50_000;
/** Least run time of one claim, in ns. */
const CLAIM_WEIGHT = 5_000;
/** ns of work up to which a launch is not worth sharing out: one thread runs it, and those that follow. */
const SEQUENCE_WEIGHT = 50_000;
/** A run that took less than this part of what was expected is believed at once: the runs before it loaded code. */
const MUCH_LESS = 0.25;
/** Batches of a device that rest, at most, and what each of them has: head, launch or sequence, tail. */
const MOST_RESTING = 64;
const RESTING_RECORDS = 3;
/** ns a work-item at least. */
const LEAST_COST = 1e-4;

/** How a batch ended. */
export interface BatchFailure {
  /** One of the `ERROR_…` values. */
  readonly code: number;
  /** One sentence. */
  readonly message: string;
  /** Number of the command that failed first; undefined where none of this batch did. */
  readonly command?: number | undefined;
}

/** What a dispatch brings along: slots of the control block, and what to call. */
export interface DispatchSettings {
  readonly waits: readonly number[];
  readonly signals: readonly number[];
  /** 0 for none. */
  readonly fence: number;
  /** Longest run time of each NDRange in ms; 0: the device's. */
  readonly deadline: number;
  /** The part of the device that the batch runs on; 0: the whole device. */
  readonly part: number;
  /** Called on the host thread when all commands are complete, before semaphores and fence. */
  readonly callback: ((failure: BatchFailure | null) => void) | null;
  /** Called on the host thread after everything else. */
  readonly done: ((failure: BatchFailure | null) => void) | null;
}

interface LoweredLaunch {
  readonly record: number;
  readonly launch: Launch;
  readonly block: Block;
  /** True when the batch is to write the dispatch block. */
  readonly owns: boolean;
}

/** Small launches that one record runs one after the other. */
interface LoweredSequence {
  readonly record: number;
  readonly launches: readonly PreparedLaunch[];
  /** Number of the first one's command. */
  readonly first: number;
  /** Expected ns of all of them. */
  weight: number;
}

/** Records of one command buffer. */
export class Batch implements BatchOwner, Lowering {
  readonly core: DeviceCore;
  readonly owner: object | null;
  readonly #head: number;
  readonly #tail: number;
  readonly #records: number[] = [];
  /** Place in `#records` of each command's first record. */
  readonly #firstRecords: number[] = [];
  readonly #edgeRuns: [number, number][] = [];
  readonly #launches: LoweredLaunch[] = [];
  readonly #sequences: LoweredSequence[] = [];
  /** Prepared launches that records refer to, some of them more than once; the command buffer keeps them alive. */
  readonly #prepared: PreparedLaunch[] = [];
  /** What was lowered. */
  #commands: readonly Command[] = [];
  readonly #blocks: Block[] = [];
  readonly #arrays: number[] = [];
  #runs: Map<number, () => void> | null = null;
  readonly #staged: { readonly array: Uint8Array; readonly address: number }[] = [];
  #arena: ArenaSet | null = null;
  #weight = 0;
  #settings: DispatchSettings | null = null;
  #signalEdge = 0;
  #waiters: number[] = [];
  /** What went wrong while lowering, as a sentence; empty when nothing did. */
  #refusal = "";

  private constructor(core: DeviceCore, owner: object | null) {
    this.core = core;
    this.owner = owner;
    this.#head = this.takeRecord(L.KIND_HEAD);
    this.#tail = this.takeRecord(L.KIND_TAIL);
  }

  /** Lowers commands. The error is a sentence; nothing is kept then. */
  static lower(core: DeviceCore, commands: readonly Command[], owner: object | null = null): Result<Batch, string> {
    const batch = new Batch(core, owner);
    batch.#commands = commands;
    const result = batch.#build(commands);
    if (result.ok) return ok(batch);
    batch.free();
    return result;
  }

  /** True between dispatch and completion. */
  get inFlight(): boolean {
    return this.#settings !== null;
  }

  /** Address of the packed arguments of a launch that is no prepared one. */
  argumentsAddress(launch: Launch): number {
    const lowered = this.#launches.find((one) => one.launch === launch);
    return lowered === undefined ? 0 : lowered.block.address + DISPATCH_BYTES;
  }

  /** Starts the batch. The error is a sentence: the control block has no room. */
  dispatch(settings: DispatchSettings): Result<void, string> {
    const { core } = this;
    const { board } = core;
    const { words } = board;
    const signals = settings.signals.length;
    if (signals > 0) {
      this.#signalEdge = core.edges.take(signals);
      if (this.#signalEdge === 0)
        return err(`the control block has no room for ${signals} semaphores to signal: wait for earlier work first`);
    }
    for (let i = 0; i < settings.waits.length; i++) {
      const waiter = core.waiters.take();
      if (waiter === 0) {
        this.#giveDispatchSlots(signals);
        return err("the control block has no room for another wait on a semaphore: wait for earlier work first");
      }
      this.#waiters.push(waiter);
    }
    const limited = this.#reset(settings);
    for (const { array, address } of this.#staged) core.memory.views.bytes.set(array, address);
    const tail = L.recordBase(this.#tail);
    words[tail + L.E_FENCE] = settings.fence;
    words[tail + L.E_CALLBACK] = settings.callback === null ? 0 : 1;
    words[tail + L.E_SEMAPHORES] = signals;
    words[tail + L.E_SEMAPHORE_EDGE] = this.#signalEdge;
    this.#settings = settings;
    core.inFlight.add(this);
    if (signals > 0 || settings.waits.length > 0 || settings.fence !== 0) this.#linkSemaphores(settings);
    const weight = this.#weigh();
    core.host.submit(this.#head, weight >= START_WEIGHT || (core.pool.running && weight >= WAKE_WEIGHT), limited);
    return ok(undefined);
  }

  /**
   * Keeps the records for the next time that the same commands are lowered, where that is often so: one prepared launch, or a sequence of them. False: there is nothing to keep.
   * Arenas are given back meanwhile, and the device's oldest batches that rest are freed when there are many of them, or when records run out.
   */
  rest(): boolean {
    const { core } = this;
    if (
      this.#records.length !== RESTING_RECORDS ||
      this.#blocks.length > 0 ||
      this.#launches.length + this.#sequences.length !== 1
    )
      return false;
    if (this.#arena !== null) core.arenas.give(this.#arena);
    this.#arena = null;
    core.resting.add(this);
    for (const oldest of core.resting) {
      if (core.resting.size <= MOST_RESTING) break;
      oldest.free();
    }
    return true;
  }

  /** The end of a {@link Batch.rest}: true when the batch stands for these commands, ready to be dispatched. */
  resume(commands: readonly Command[]): boolean {
    const { core } = this;
    if (!core.resting.delete(this) || commands.length !== this.#commands.length) return false;
    for (let i = 0; i < commands.length; i++) if (commands[i] !== this.#commands[i]) return false;
    const [sequence] = this.#sequences;
    if (sequence !== undefined) {
      // Launches that have turned out large meanwhile are records of their own.
      if (!sequence.launches.every((prepared, i) => prepared === sequence.launches[i - 1] || isSmall(prepared)))
        return false;
      sequence.weight = sequence.launches.reduce((sum, { launch }) => sum + weightOf(launch), 0);
    }
    let arenaBytes = 0;
    for (const { launch } of this.#prepared) arenaBytes = Math.max(arenaBytes, launch.arenaBytes);
    return this.takeArena(arenaBytes) !== null && this.#fillLaunches().ok;
  }

  /** Gives everything back. Not while in flight. */
  free(): void {
    const { core } = this;
    core.resting.delete(this);
    for (const record of this.#records) {
      if (record === 0) continue;
      core.owners[record] = null;
      core.records.give(record);
    }
    for (const [edge, count] of this.#edgeRuns) core.edges.give(edge, count);
    for (const block of this.#blocks) core.memory.free(block);
    for (const id of this.#arrays) core.forgetArray(id);
    if (this.#arena !== null) core.arenas.give(this.#arena);
    this.#arena = null;
    this.#prepared.length = 0;
    this.#records.length = 0;
    this.#edgeRuns.length = 0;
    this.#blocks.length = 0;
    this.#arrays.length = 0;
  }

  // ---- what the lowering of each kind asks for

  /** Takes a record of a kind and clears it; 0 when there is none. */
  takeRecord(kind: number): number {
    const record = this.core.takeRecord();
    if (record === 0) {
      this.#refusal = `the control block has no room for another command: ${L.MAX_RECORDS - 1} exist; destroy or reset command buffers that are complete`;
      return 0;
    }
    const base = L.recordBase(record);
    const { words } = this.core.board;
    // Of shared memory, the engine fills so few words more slowly than a loop does.
    for (let word = base; word < base + L.RECORD_WORDS; word++) words[word] = 0;
    words[base + L.R_KIND] = kind;
    this.#records.push(record);
    this.core.owners[record] = this;
    return record;
  }

  /** Takes device memory that lives as long as the batch; null when there is none. */
  takeMemory(bytes: number): Block | null {
    const block = this.core.memory.allocate(bytes);
    if (!block.ok) {
      this.#refusal = block.error;
      return null;
    }
    this.#blocks.push(block.value);
    return block.value;
  }

  /** Makes a shared array known to the workers as long as the batch lives: its id. */
  publishArray(array: SharedArrayBuffer): number {
    const id = this.core.publishArray(array);
    this.#arrays.push(id);
    return id;
  }

  /** Says what the host thread does for a record. */
  setHostRun(record: number, run: () => void): void {
    this.#runs ??= new Map();
    this.#runs.set(record, run);
  }

  /** An array that is copied into device memory at each dispatch. */
  stage(array: Uint8Array, address: number): void {
    this.#staged.push({ array, address });
  }

  /** Adds ns of expected work. */
  addWeight(weight: number): void {
    this.#weight += weight;
  }

  /** The arenas for a launch, as large as the largest so far. */
  takeArena(bytes: number): ArenaSet | null {
    if (this.#arena !== null && this.#arena.stride >= bytes) return this.#arena;
    const set = this.core.arenas.take(bytes);
    if (!set.ok) {
      this.#refusal = set.error;
      return null;
    }
    if (this.#arena !== null) this.core.arenas.give(this.#arena);
    this.#arena = set.value;
    return set.value;
  }

  #lowerLaunch(launch: Launch, prepared: PreparedLaunch | null): boolean {
    const record = this.takeRecord(L.KIND_NDRANGE);
    if (record === 0) return false;
    const block = prepared === null ? this.takeMemory(DISPATCH_BYTES + launch.args.length) : prepared.block;
    if (block === null) return false;
    const arena = this.takeArena(launch.arenaBytes);
    if (arena === null) return false;
    if (prepared === null) this.core.memory.views.bytes.set(launch.args, block.address + DISPATCH_BYTES);
    else this.#prepared.push(prepared);
    this.#launches.push({ record, launch, block, owns: prepared === null });
    return launch.printf === null || this.#printsAfter(block.address);
  }

  /** Lowers small launches to one record. `first` is the number of the first one's command. */
  #lowerSequence(launches: readonly PreparedLaunch[], first: number): boolean {
    const { core } = this;
    const { words } = core.board;
    const record = this.takeRecord(L.KIND_SEQUENCE);
    if (record === 0) return false;
    const edge = core.edges.take(launches.length);
    if (edge === 0) {
      this.#refusal = `the control block has no room for ${launches.length} launches`;
      return false;
    }
    this.#edgeRuns.push([edge, launches.length]);
    let last: PreparedLaunch | null = null;
    let arenaBytes = 0;
    let weight = 0;
    let one = 0;
    for (let i = 0; i < launches.length; i++) {
      const prepared = launches[i] as PreparedLaunch;
      if (prepared !== last) {
        this.#prepared.push(prepared);
        arenaBytes = Math.max(arenaBytes, prepared.launch.arenaBytes);
        one = weightOf(prepared.launch);
        last = prepared;
      }
      weight += one;
      words[L.EDGES + edge + i] = prepared.slot;
    }
    const base = L.recordBase(record);
    words[base + L.S_LAUNCHES] = edge;
    words[base + L.S_COUNT] = launches.length;
    this.#sequences.push({ record, launches, first, weight });
    return this.takeArena(arenaBytes) !== null;
  }

  /** What a launch printed is shown before anything that waits for it begins. */
  #printsAfter(dispatch: number): boolean {
    const areas = this.core.printf.prepare();
    if (!areas.ok) {
      this.#refusal = areas.error;
      return false;
    }
    const record = this.takeRecord(L.KIND_HOST);
    if (record !== 0) this.setHostRun(record, () => this.core.printf.flush(dispatch));
    return record !== 0;
  }

  // ---- the batch as owner of its records

  /** Runs what only the host thread can do. */
  runHostRecord(record: number): number {
    if (record === this.#tail) {
      this.#settings?.callback?.(this.#failure());
      return 0;
    }
    const run = this.#runs?.get(record);
    if (run === undefined) return L.ERROR_HOST;
    try {
      run();
      return 0;
    } catch (error) {
      this.#refusal = error instanceof Error ? error.message : String(error);
      return L.ERROR_HOST;
    }
  }

  /** Everything is complete. */
  done(): void {
    const settings = this.#settings;
    if (settings === null) return;
    this.#learn();
    // A launch that failed has printed too, and that says most about why.
    for (const { launch, block } of this.#launches) if (launch.printf !== null) this.core.printf.end(block.address);
    const failure = this.#failure() ?? this.#nullWrite();
    this.#settings = null;
    this.core.inFlight.delete(this);
    this.#giveDispatchSlots(settings.signals.length);
    settings.done?.(failure);
  }

  /** The device was closed: nothing of this batch will run any more. */
  abandon(): void {
    const settings = this.#settings;
    this.#settings = null;
    settings?.done?.({
      code: L.ERROR_CLOSED,
      message: failureText(this.core.board.words, 0, L.ERROR_CLOSED, null, ""),
    });
  }

  // ---- building

  #build(commands: readonly Command[]): Result<void, string> {
    if (this.#head === 0 || this.#tail === 0) return err(this.#refusal);
    const last: number[] = [];
    const first: number[] = [];
    const isChain = !commands.some(({ waits }) => waits !== null);
    for (let number = 0; number < commands.length;) {
      const before = this.#records.length;
      const small = isChain ? smallLaunches(commands, number) : NO_LAUNCHES;
      // A launch alone is as quick as a record of its own.
      const count = small.length > 1 ? small.length : 1;
      for (let i = 0; i < count; i++) this.#firstRecords.push(before);
      const body = commands[number]?.body as CommandBody;
      if (!(count > 1 ? this.#lowerSequence(small, number) : this.#lowerBody(body))) return err(this.#refusal);
      number += count;
      first.push(this.#records[before] as number);
      last.push(this.#records.at(-1) as number);
      // Several records of one command run one after the other.
      for (let i = before + 1; i < this.#records.length; i++)
        this.#linkOne(this.#records[i - 1] as number, this.#records[i] as number);
    }
    if (isChain) return this.#chain(first, last);
    // Commands that nobody waits for yet, and so what a command without a wait list waits for.
    const successors = new Map<number, number[]>();
    let sinks: number[] = [];
    for (let i = 0; i < commands.length; i++) {
      const waits = commands[i]?.waits ?? null;
      const needed = (waits ?? sinks).map((index) => last[index] as number);
      for (const from of needed.length === 0 ? [this.#head] : needed) addTo(successors, from, first[i] as number);
      this.#setPending(first[i] as number, Math.max(1, needed.length));
      const waited = new Set(waits ?? sinks);
      sinks = sinks.filter((index) => !waited.has(index));
      sinks.push(i);
    }
    const ends = sinks.length === 0 ? [this.#head] : sinks.map((index) => last[index] as number);
    for (const from of ends) addTo(successors, from, this.#tail);
    this.#setPending(this.#tail, ends.length);
    for (const [from, to] of successors) if (!this.#setSuccessors(from, to)) return err(this.#refusal);
    return this.#fillLaunches();
  }

  /** Without wait lists every command waits for the one before it: the common case, and the quick one. */
  #chain(first: readonly number[], last: readonly number[]): Result<void, string> {
    let from = this.#head;
    for (let i = 0; i < first.length; i++) {
      this.#linkOne(from, first[i] as number);
      from = last[i] as number;
    }
    this.#linkOne(from, this.#tail);
    return this.#fillLaunches();
  }

  #linkOne(from: number, to: number): void {
    const { words } = this.core.board;
    const base = L.recordBase(from);
    words[base + L.R_SUCCESSOR_COUNT] = 1;
    words[base + L.R_SUCCESSORS] = to;
    this.#setPending(to, 1);
  }

  #lowerBody(body: CommandBody): boolean {
    if (body.kind === "ndrange") {
      // What a launch has printed is told apart by its dispatch block, so one that prints has its own.
      return this.#lowerLaunch(body.launch, body.launch.printf === null ? body.prepared : null);
    }
    const lower = LOWERINGS[body.kind] as (lowering: Lowering, command: CommandBody) => boolean;
    return lower(this, body);
  }

  #setPending(record: number, count: number): void {
    this.core.board.words[L.recordBase(record) + L.R_PENDING_AT_START] = count;
  }

  #setSuccessors(record: number, successors: readonly number[]): boolean {
    const { words } = this.core.board;
    const base = L.recordBase(record);
    words[base + L.R_SUCCESSOR_COUNT] = successors.length;
    let at = base + L.R_SUCCESSORS;
    if (successors.length > L.INLINE_SUCCESSORS) {
      const edge = this.core.edges.take(successors.length);
      if (edge === 0) {
        this.#refusal = `the control block has no room for ${successors.length} commands that wait for one`;
        return false;
      }
      this.#edgeRuns.push([edge, successors.length]);
      words[base + L.R_SUCCESSORS] = edge;
      at = L.EDGES + edge;
    }
    for (let i = 0; i < successors.length; i++) words[at + i] = successors[i] as number;
    return true;
  }

  /** Launches are filled in last: all of them use the arenas that the largest needs. */
  #fillLaunches(): Result<void, string> {
    const arena = this.#arena;
    if (arena === null) return ok(undefined);
    const { words } = this.core.board;
    const { memory } = this.core;
    for (const { record, launch, block, owns } of this.#launches) {
      const base = L.recordBase(record);
      if (owns) writeDispatchBlock(memory.views.words, block.address, dispatchValues(launch));
      const { code } = launch.kernel;
      words[base + L.N_CODE] = code.slot;
      words[base + L.N_CODE_ID] = code.id;
      words[base + L.N_FUNCTION] = launch.kernel.functionIndex;
      words[base + L.N_ARGS] = (block.address + DISPATCH_BYTES) | 0;
      words[base + L.N_DISPATCH] = block.address | 0;
      this.#writeArena(base, arena);
      for (let i = 0; i < 3; i++) {
        words[base + L.N_COUNT + i] = launch.count[i as 0 | 1 | 2] | 0;
        words[base + L.N_FIRST + i] = launch.first[i as 0 | 1 | 2] | 0;
      }
      setDouble(this.core.board, base + L.R_TOTAL, launch.total);
      words[base + L.R_WIDE] = launch.total > MAX_GROUPS_PER_CALL ? 1 : 0;
    }
    for (const { record } of this.#sequences) this.#writeArena(L.recordBase(record), arena);
    return ok(undefined);
  }

  #writeArena(base: number, arena: ArenaSet): void {
    const { words } = this.core.board;
    words[base + L.N_ARENA] = arena.block.address | 0;
    words[base + L.N_ARENA_STRIDE] = arena.stride | 0;
  }

  // ---- dispatching

  /** Sets every record back to its start; true when a launch has a deadline. */
  #reset(settings: DispatchSettings): boolean {
    const { board } = this.core;
    const { words } = board;
    for (const record of this.#records) {
      const base = L.recordBase(record);
      words[base + L.R_STATE] = L.STATE_WAITING;
      words[base + L.R_PENDING] = words[base + L.R_PENDING_AT_START] as number;
      words[base + L.R_ERROR] = 0;
      words[base + L.R_ORIGIN] = 0;
      words[base + L.R_CANCELLED] = 0;
      words[base + L.R_CLAIMERS] = 0;
      words[base + L.R_STARTED] = 0;
      words[base + L.R_CLAIM] = 0;
      words[base + L.R_CLAIM + 1] = 0;
      words[base + L.R_CANCEL_TIME] = 0;
      words[base + L.R_PART] = settings.part;
    }
    let limited = false;
    for (const { record, launch, block } of this.#launches) {
      const base = L.recordBase(record);
      const limit = launch.deadline || settings.deadline || this.core.settings.deadline;
      words[base + L.R_LIMIT] = limit;
      limited ||= limit > 0;
      const perGroup = launch.cost.perItem * launch.itemsPerGroup;
      // A small launch is one call; a larger one is claimed in pieces that are worth a claim.
      const small = launch.cost.measured && perGroup * launch.total < WAKE_WEIGHT;
      words[base + L.R_MIN_CLAIM] = Math.min(
        MAX_GROUPS_PER_CALL,
        small ? launch.total : Math.max(1, Math.floor(CLAIM_WEIGHT / perGroup)),
      );
      this.core.code.use(launch.kernel.code.slot);
      if (launch.printf !== null) this.core.printf.begin(block.address, launch.kernelName, launch.printf);
    }
    for (const { record } of this.#sequences) {
      const base = L.recordBase(record);
      const limit = settings.deadline || this.core.settings.deadline;
      words[base + L.R_LIMIT] = limit;
      limited ||= limit > 0;
      words[base + L.R_MIN_CLAIM] = 1;
      words[base + L.S_NEXT] = 0;
      words[base + L.S_SHARED] = 0;
      setDouble(board, base + L.R_TOTAL, 1);
    }
    for (const { launch } of this.#prepared) this.core.code.use(launch.kernel.code.slot);
    return limited;
  }

  /** Semaphores that are signalled already are not waited for; ones that failed make the batch fail. */
  #linkSemaphores(settings: DispatchSettings): void {
    const { core } = this;
    const { words } = core.board;
    const head = L.recordBase(this.#head);
    lock(words);
    if (settings.fence !== 0) words[L.FENCES + settings.fence] = L.FENCE_PENDING;
    for (let i = 0; i < settings.signals.length; i++) {
      const semaphore = settings.signals[i] as number;
      words[L.EDGES + this.#signalEdge + i] = semaphore;
      words[L.SEMAPHORES + semaphore * L.SEMAPHORE_WORDS + L.S_STATE] = 0;
    }
    for (let i = 0; i < settings.waits.length; i++) {
      const semaphore = L.SEMAPHORES + (settings.waits[i] as number) * L.SEMAPHORE_WORDS;
      const state = words[semaphore + L.S_STATE] as number;
      if (state === 1) continue;
      if (state === 2) {
        words[head + L.R_ERROR] = L.ERROR_DEPENDENCY;
        continue;
      }
      const waiter = this.#waiters[i] as number;
      const node = L.WAITERS + waiter * L.WAITER_WORDS;
      words[node + L.W_NEXT] = words[semaphore + L.S_WAITERS] as number;
      words[node + L.W_RECORD] = this.#head;
      words[semaphore + L.S_WAITERS] = waiter;
      words[head + L.R_PENDING] = (words[head + L.R_PENDING] as number) + 1;
    }
    unlock(words);
  }

  #giveDispatchSlots(signals: number): void {
    if (this.#signalEdge !== 0) this.core.edges.give(this.#signalEdge, signals);
    this.#signalEdge = 0;
    for (const waiter of this.#waiters) this.core.waiters.give(waiter);
    this.#waiters = [];
  }

  /** Expected ns of work. */
  #weigh(): number {
    let weight = this.#weight;
    for (const { launch } of this.#launches) weight += weightOf(launch);
    for (const sequence of this.#sequences) weight += sequence.weight;
    return weight;
  }

  /** Measures what the launches cost, for the next decision. */
  #learn(): void {
    const { board, pool, settings } = this.core;
    for (const { record, launch } of this.#launches) {
      const base = L.recordBase(record);
      const items = launch.itemsPerGroup * launch.total;
      if (board.words[base + L.R_ERROR] !== 0 || items === 0) continue;
      const time = double(board, base + L.R_END) - double(board, base + L.R_START);
      const width =
        pool.running && launch.cost.perItem * items >= WAKE_WEIGHT ? Math.min(settings.threads, launch.total) : 1;
      learn(launch.cost, (time * width) / items);
    }
    for (const { record, launches, weight } of this.#sequences) {
      const base = L.recordBase(record);
      if (board.words[base + L.R_ERROR] !== 0) continue;
      // What each launch took is not known: all of them were as much quicker or slower than expected.
      const factor = (double(board, base + L.R_END) - double(board, base + L.R_START)) / weight;
      for (const cost of new Set(launches.map(({ launch }) => launch.cost))) learn(cost, cost.perItem * factor);
    }
  }

  #failure(): BatchFailure | null {
    const { words } = this.core.board;
    const tail = L.recordBase(this.#tail);
    const code = words[tail + L.R_ERROR] as number;
    if (code === 0) return null;
    const origin = words[tail + L.R_ORIGIN] as number;
    const sequence = this.#sequences.find(({ record }) => record === origin);
    if (sequence !== undefined) {
      const place = words[L.recordBase(origin) + L.S_NEXT] as number;
      return {
        code,
        message: failureText(words, origin, code, sequence.launches[place]?.launch ?? null, this.#refusal),
        command: sequence.first + place,
      };
    }
    const launch = this.#launches.find(({ record }) => record === origin)?.launch ?? null;
    return { code, message: failureText(words, origin, code, launch, this.#refusal), command: this.#commandOf(origin) };
  }

  /** The command that a record belongs to: records are taken in the order of commands, behind head and tail. */
  #commandOf(record: number): number | undefined {
    const position = this.#records.indexOf(record, 2);
    const next = this.#firstRecords.findIndex((first) => first > position);
    if (position < 0) return undefined;
    return (next < 0 ? this.#firstRecords.length : next) - 1;
  }

  /** A debug device looks whether somebody wrote through a null pointer; found too late for those who depend on the batch. */
  #nullWrite(): BatchFailure | null {
    const { memory, settings } = this.core;
    const address = settings.debug ? memory.damagedNullPage() : null;
    if (address === null) return null;
    memory.repairNullPage();
    return {
      code: L.ERROR_TRAP,
      message: `a kernel wrote to address ${address}, which no object has: a null pointer or an index far below zero`,
    };
  }
}

const NO_LAUNCHES: readonly PreparedLaunch[] = [];

/** Launches from a command on that one thread runs best: they are prepared, small as far as is known, and print nothing. */
function smallLaunches(commands: readonly Command[], first: number): readonly PreparedLaunch[] {
  const list: PreparedLaunch[] = [];
  for (let i = first; i < commands.length; i++) {
    const body = commands[i]?.body;
    if (body?.kind !== "ndrange" || body.prepared === null) break;
    // Mostly the same launch again and again.
    if (body.prepared !== list.at(-1) && !isSmall(body.prepared)) break;
    list.push(body.prepared);
  }
  return list;
}

function isSmall({ slot, launch }: PreparedLaunch): boolean {
  const { cost, total, printf, deadline } = launch;
  if (slot === 0 || total === 0 || total > MAX_GROUPS_PER_CALL || printf !== null || deadline > 0) return false;
  // One group cannot be shared out, however long it runs.
  return total === 1 || (cost.measured && weightOf(launch) < SEQUENCE_WEIGHT);
}

/** Expected ns of a launch. */
function weightOf({ cost, itemsPerGroup, total }: Launch): number {
  return cost.perItem * itemsPerGroup * total;
}

function learn(cost: Cost, perItem: number): void {
  // Never nothing: what a clock did not see is too little to matter, and still some.
  const seen = Math.max(perItem, LEAST_COST);
  cost.perItem = cost.measured && seen > cost.perItem * MUCH_LESS ? (cost.perItem + seen) / 2 : seen;
  cost.measured = true;
}

function addTo(successors: Map<number, number[]>, from: number, to: number): void {
  const list = successors.get(from);
  if (list === undefined) successors.set(from, [to]);
  else list.push(to);
}
