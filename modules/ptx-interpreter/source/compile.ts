// SPDX-License-Identifier: Apache-2.0
/**
 * A kernel and what it calls as blocks of steps: 1. registers get places, private variables and parameters addresses;
 * 2. statements become steps, by tables; what transfers control ends a block; 3. diverged ways get their meeting
 * points. Callees come first.
 *
 * Cost: linear in the statements, each closure made once a kernel.
 */
import { type Result, alignUp, err, ok } from "@muxkit/cargo";

import { type Place, stepOf } from "./decode.ts";
import { postDominators } from "./control-flow.ts";
import { type Block, type CompiledModule, type Exit, type Image, dynamicBegin } from "./image.ts";
import { SHARED_BASE } from "./memory.ts";
import {
  type Operand,
  type PtxError,
  type PtxFunction,
  type PtxText,
  type Statement,
  type Variable,
  parsePtx,
} from "./parse.ts";
import { CompileFailure, Registers, Slots } from "./registers.ts";
import type { Step } from "./step.ts";
import type { Warp } from "./warp.ts";

/** A function that was compiled for a kernel. */
interface Compiled {
  readonly entry: number;
  /** Addresses in private memory. */
  readonly parameters: readonly { readonly address: number; readonly bytes: number }[];
  readonly result: { readonly address: number; readonly bytes: number } | null;
}

type Draft = Omit<Block, "exit"> & { exit: Exit };

/** Instructions that end a block. */
const TRANSFERS: ReadonlySet<string> = new Set(["bra", "ret", "exit", "trap", "call"]);

function isBarrier(opcode: string): boolean {
  return /^(?:bar|barrier)(?:\.cta)?\.(?:sync|red\.(?:and|or)\.pred)(?:\.aligned)?$/u.test(opcode);
}

function isTransfer({ opcode }: Statement): boolean {
  return TRANSFERS.has(opcode.replace(/\.uni$/u, "")) || isBarrier(opcode);
}

/** Copies bytes of private memory, word by word where it can. */
function copyStep(from: number, to: number, bytes: number): Step {
  return ({ local: { u8 }, localBytes, lanes, count }: Warp) => {
    for (let k = 0; k < count; k++) {
      const base = (lanes[k] as number) * localBytes;
      u8.copyWithin(base + to, base + from, base + from + bytes);
    }
  };
}

/** Executes a step on the lanes where a predicate holds. */
function guarded(step: Step, slot: number, isInverted: boolean): Step {
  return (warp) => {
    const { mask } = warp;
    const taken = warp.lanesWhere(slot, isInverted);
    if (taken === 0) return;
    warp.activate(taken);
    step(warp);
    warp.activate(mask);
  };
}

/** Compiles one kernel with its callees. */
class KernelCompiler {
  private readonly text: PtxText;
  private readonly slots = new Slots();
  private readonly blocks: Block[] = [];
  private readonly functions = new Map<string, Compiled>();
  /** Functions that are being compiled. */
  private readonly open = new Set<string>();
  private readonly shared = new Map<string, number>();
  private readonly globals: ReadonlySet<string>;
  private localBytes = 0;
  private sharedEnd = SHARED_BASE;

  constructor(text: PtxText, kernel: PtxFunction) {
    this.text = text;
    this.globals = new Set(text.variables.filter(({ space }) => space !== ".shared").map(({ name }) => name));
    this.placeShared(kernel);
  }

  /** Only what is named takes room; the launch's part, an external array, is behind it. */
  private placeShared(kernel: PtxFunction): void {
    const named = new Set<string>();
    const seen = new Set<PtxFunction>();
    const visit = (operand: Operand): void => {
      if (operand.kind === "symbol") {
        named.add(operand.name);
        const callee = this.text.functions.find(({ name }) => name === operand.name);
        if (callee !== undefined) visitFunction(callee);
      } else if (operand.kind === "address" && operand.base !== null) visit(operand.base);
      else if (operand.kind === "vector" || operand.kind === "list") operand.items.forEach(visit);
    };
    const visitFunction = (fn: PtxFunction): void => {
      if (seen.has(fn)) return;
      seen.add(fn);
      for (const { operands } of fn.statements) operands.forEach(visit);
    };
    visitFunction(kernel);
    const variables = this.text.variables.filter(({ space }) => space === ".shared");
    for (const { name, bytes, alignment, isExternal } of variables) {
      if (isExternal || !named.has(name)) continue;
      this.sharedEnd = alignUp(this.sharedEnd, alignment);
      this.shared.set(name, this.sharedEnd);
      this.sharedEnd += bytes;
    }
    for (const { name, isExternal } of variables) if (isExternal) this.shared.set(name, dynamicBegin(this.sharedEnd));
  }

  image(kernel: PtxFunction): Image {
    const { entry } = this.compile(kernel);
    const { words, constants, symbols, specials } = this.slots;
    return {
      name: kernel.name,
      blocks: this.blocks,
      entry,
      words,
      localBytes: alignUp(this.localBytes, 16),
      constants,
      symbols,
      specials,
      sharedEnd: this.sharedEnd,
      parameterBytes: kernel.parameters.reduce((end, one) => alignUp(end, one.alignment) + one.bytes, 0),
      mostItems: kernel.mostItems,
    };
  }

  private takeLocal({ alignment, bytes }: Variable): number {
    this.localBytes = alignUp(this.localBytes, Math.max(1, alignment));
    const address = this.localBytes;
    this.localBytes += bytes;
    return address;
  }

  private callee(name: string, line: number): Compiled {
    const known = this.functions.get(name);
    if (known !== undefined) return known;
    const fn = this.text.functions.find((one) => one.name === name && !one.isKernel);
    if (fn === undefined) throw new CompileFailure(line, `there is no function ${name}`);
    if (this.open.has(name)) throw new CompileFailure(line, `${name} calls itself, which is not supported`);
    this.open.add(name);
    const compiled = this.compile(fn);
    this.open.delete(name);
    this.functions.set(name, compiled);
    return compiled;
  }

  private compile(fn: PtxFunction): Compiled {
    // Callees first: blocks of a function are numbered without a gap.
    for (const { opcode, operands, line } of fn.statements)
      if (opcode.startsWith("call")) this.callee(nameOfCallee(operands, line), line);
    const places = new Map<string, Place>();
    let parameterEnd = 0;
    for (const [name, address] of this.shared) places.set(name, { space: "shared", address });
    for (const name of this.globals) places.set(name, { space: "global", address: 0 });
    for (const one of fn.variables) places.set(one.name, { space: "local", address: this.takeLocal(one) });
    const parameters = fn.parameters.map((one) => {
      if (fn.isKernel) {
        const address = alignUp(parameterEnd, one.alignment);
        parameterEnd = address + one.bytes;
        places.set(one.name, { space: "param", address });
        return { address, bytes: one.bytes };
      }
      const address = this.takeLocal(one);
      places.set(one.name, { space: "local", address });
      return { address, bytes: one.bytes };
    });
    let result: Compiled["result"] = null;
    if (fn.result !== null) {
      result = { address: this.takeLocal(fn.result), bytes: fn.result.bytes };
      places.set(fn.result.name, { space: "local", address: result.address });
    }
    const entry = new FunctionCompiler({
      fn,
      registers: new Registers(fn, this.slots),
      slots: this.slots,
      places,
      blocks: this.blocks,
      callee: (name, line) => this.callee(name, line),
    }).compile();
    return { entry, parameters, result };
  }
}

function nameOfCallee(operands: readonly Operand[], line: number): string {
  const found = operands.find(({ kind }) => kind === "symbol");
  if (found?.kind !== "symbol") throw new CompileFailure(line, "a call names its function");
  return found.name;
}

/** What a function is compiled with. */
interface FunctionParts {
  readonly fn: PtxFunction;
  readonly registers: Registers;
  readonly slots: Slots;
  readonly places: ReadonlyMap<string, Place>;
  readonly blocks: Block[];
  readonly callee: (name: string, line: number) => Compiled;
}

/** Makes the blocks of one function. */
class FunctionCompiler {
  private readonly parts: FunctionParts;
  /** Number of the first block. */
  private readonly base: number;
  private readonly drafts: Draft[] = [];
  /** Numbers of blocks, by the statement that begins them. */
  private readonly blockAt = new Map<number, number>();
  /** Blocks behind those of the text: guarded transfers, and what is done when a call has ended. */
  private readonly extra: Draft[] = [];
  private firstExtra = 0;
  private steps: Step[] = [];
  private lines: number[] = [];

  constructor(parts: FunctionParts) {
    this.parts = parts;
    this.base = parts.blocks.length;
  }

  /** Adds the blocks; returns the first one's number. */
  compile(): number {
    const { fn, blocks } = this.parts;
    const { statements, labels } = fn;
    const leaders = new Set<number>([0, ...labels.values()]);
    statements.forEach((statement, i) => {
      if (isTransfer(statement)) leaders.add(i + 1);
    });
    const order = [...leaders].filter((i) => i <= statements.length).toSorted((a, b) => a - b);
    order.forEach((statement, i) => this.blockAt.set(statement, this.base + i));
    this.firstExtra = this.base + order.length;
    order.forEach((from, i) => {
      const end = order[i + 1] ?? statements.length;
      let exit: Exit | null = null;
      for (const statement of statements.slice(from, end)) {
        if (!isTransfer(statement)) {
          this.steps.push(this.step(statement));
          this.lines.push(statement.line);
          continue;
        }
        const next = this.base + i + 1;
        const own = this.exitOf(statement, next);
        this.lines.push(statement.line);
        if (statement.guard === null || own.kind === "branch") exit = own;
        else {
          // The transfer gets a block of its own.
          const { register, isInverted } = statement.guard;
          const slot = this.parts.registers.predicate(register, statement.line);
          const target = this.addExtra({ steps: [], lines: [statement.line], exit: own });
          exit = { kind: "branch", target, next, slot, isInverted, join: 0 };
        }
      }
      if (exit === null)
        exit =
          end === statements.length
            ? { kind: "return", isKernel: fn.isKernel }
            : { kind: "jump", target: this.base + i + 1 };
      const line = this.lines.at(-1) ?? fn.line;
      this.drafts.push({ steps: this.steps, lines: [...this.lines, line], exit });
      this.steps = [];
      this.lines = [];
    });
    this.drafts.push(...this.extra);
    this.joinWays();
    blocks.push(...this.drafts);
    return this.base;
  }

  private addExtra(draft: Draft): number {
    this.extra.push(draft);
    return this.firstExtra + this.extra.length - 1;
  }

  private joinWays(): void {
    const successors = this.drafts.map(({ exit }) => successorsOf(exit).map((block) => block - this.base));
    const joins = postDominators(successors);
    this.drafts.forEach((draft, i) => {
      const join = joins[i] as number;
      if (draft.exit.kind === "branch") draft.exit = { ...draft.exit, join: join < 0 ? join : join + this.base };
    });
  }

  private step(statement: Statement): Step {
    const { registers, slots, places } = this.parts;
    const step = stepOf(statement, { registers, slots, places });
    const { guard, line } = statement;
    return guard === null ? step : guarded(step, registers.predicate(guard.register, line), guard.isInverted);
  }

  private labelled(operand: Operand | undefined, line: number): number {
    const at = operand?.kind === "symbol" ? this.parts.fn.labels.get(operand.name) : undefined;
    const block = at === undefined ? undefined : this.blockAt.get(at);
    if (block === undefined) throw new CompileFailure(line, "a branch leads to a label of its function");
    return block;
  }

  private exitOf(statement: Statement, next: number): Exit {
    const { opcode, operands, guard, line } = statement;
    const { registers, fn } = this.parts;
    const name = opcode.replace(/\.uni$/u, "");
    if (name === "bra") {
      const target = this.labelled(operands[0], line);
      if (guard === null) return { kind: "jump", target };
      const slot = registers.predicate(guard.register, line);
      return { kind: "branch", target, next, slot, isInverted: guard.isInverted, join: 0 };
    }
    if (name === "ret" || name === "exit") {
      if (name === "exit" && !fn.isKernel) throw new CompileFailure(line, "only kernels exit");
      return { kind: "return", isKernel: fn.isKernel };
    }
    if (name === "trap") return { kind: "trap" };
    if (name === "call") return this.call(statement, next);
    if (guard !== null) throw new CompileFailure(line, `${opcode} takes no guard`);
    return this.barrier(statement, next);
  }

  /** A call copies arguments before, and the result behind. */
  private call({ operands, guard, line }: Statement, next: number): Exit {
    if (guard !== null) throw new CompileFailure(line, "a call takes no guard");
    const compiled = this.parts.callee(nameOfCallee(operands, line), line);
    const lists = operands.map((one) => (one.kind === "list" ? one.items : null));
    const name = operands.findIndex(({ kind }) => kind === "symbol");
    const given = (lists[name + 1] ?? []).map((one) => this.parameterAddress(one, line));
    if (given.length !== compiled.parameters.length)
      throw new CompileFailure(line, `the function has ${compiled.parameters.length} parameters, not ${given.length}`);
    compiled.parameters.forEach(({ address, bytes }, i) => {
      this.steps.push(copyStep(given[i] as number, address, bytes));
      this.lines.push(line);
    });
    const [target] = name > 0 ? (lists[0] ?? []) : [];
    if (target === undefined || compiled.result === null) return { kind: "call", entry: compiled.entry, next };
    const { address, bytes } = compiled.result;
    const copy = copyStep(address, this.parameterAddress(target, line), bytes);
    const behind = this.addExtra({ steps: [copy], lines: [line, line], exit: { kind: "jump", target: next } });
    return { kind: "call", entry: compiled.entry, next: behind };
  }

  private parameterAddress(operand: Operand, line: number): number {
    const place = operand.kind === "symbol" ? this.parts.places.get(operand.name) : undefined;
    if (place?.space !== "local") throw new CompileFailure(line, "a call passes parameters that its function declares");
    return place.address;
  }

  private barrier(statement: Statement, next: number): Exit {
    const { opcode, operands, line } = statement;
    const { registers } = this.parts;
    if (!opcode.includes(".red.")) {
      checkBarrierNumber(operands, line);
      return { kind: "barrier", next, vote: null };
    }
    const [target, number, ...rest] = operands;
    checkBarrierNumber(number === undefined ? [] : [number], line);
    const vote = {
      isAll: opcode.includes(".and."),
      target: registers.place(target, "p", "pred", statement),
      source: registers.place(rest[0], "p", "pred", statement),
    };
    return { kind: "barrier", next, vote };
  }
}

function checkBarrierNumber(operands: readonly Operand[], line: number): void {
  const [number, ...rest] = operands;
  if (number?.kind !== "integer" || number.value !== 0n || rest.length > 0)
    throw new CompileFailure(line, "only barrier 0, of all work-items, is supported");
}

function successorsOf(exit: Exit): readonly number[] {
  if (exit.kind === "jump") return [exit.target];
  if (exit.kind === "branch") return [exit.target, exit.next];
  return exit.kind === "call" || exit.kind === "barrier" ? [exit.next] : [];
}

/** Compiles all kernels of a module. */
export function compileModule(source: string): Result<CompiledModule, PtxError> {
  const text = parsePtx(source);
  if (!text.ok) return text;
  try {
    const kernels = text.value.functions.filter(({ isKernel }) => isKernel);
    return ok({
      text: text.value,
      kernels: new Map(kernels.map((fn) => [fn.name, new KernelCompiler(text.value, fn).image(fn)])),
      variables: text.value.variables.filter(({ space }) => space === ".global" || space === ".const"),
    });
  } catch (error) {
    if (error instanceof CompileFailure) return err({ line: error.line, message: error.message });
    throw error;
  }
}
