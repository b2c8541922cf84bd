// SPDX-License-Identifier: Apache-2.0
// What it costs to make the code of a kernel, and what optimised code gains for a launch, estimated before anything is
// made. Cost grows with the operations that the passes will see, counted as the inliner copies them: a function counts
// at each of its calls as long as it is small, else once; a built-in counts as the library's definition of it, which is
// where the code of images and of mathematics comes from.
//
// The gain grows with the operations that a work-item runs: those in a loop count LOOP_TURNS times for each loop around
// them. Loops with few turns have been unrolled by now; of the others nobody knows, so they are taken to be long, and a
// launch of many work-items with loops gets the full form at once.
//
// The constants are fitted to the 395 kernels of tools/corpus, compiled in a warm process (docs/decisions/
// 067-compile-budget.md has the figures). An estimate is off by up to three times; it has to tell kernels of some
// milliseconds from those of hundreds.
//
// Cost: linear in the operations that the kernel and the definitions of its built-ins have.
import { type BuiltinReference, type Instruction, type IrFunction, Op, loops } from "@muxkit/ir";
import { type PassContext, scalarReference } from "@muxkit/passes";

/** Turns that a loop is taken to make. */
const LOOP_TURNS = 32;
/** Operations of a function that is copied to each of its calls. */
const SMALL = 40;
/** Operations of a function above which nothing more is copied into it. */
const MOST_COPIED = 20_000;
/** The full form of a kernel of n operations takes n to this power ms. */
const COST_EXPONENT = 0.6;
/** The part of that which the quick form saves. */
const SAVED = 0.8;
/** What the full form gains for an operation that a work-item runs, in ms: vectors of four, on one thread. */
const GAIN = 0.5e-6;

/** What a function brings along. */
interface CodeSize {
  /** Operations that passes see. */
  readonly operations: number;
  /** Operations that a work-item runs. */
  readonly executed: number;
}

/** Costs of a kernel's full form. */
export interface CompileEstimate {
  /** Time that it takes. */
  readonly milliseconds: number;
  /** Work-items after which it has gained what it takes more than the quick form. */
  readonly paysAfter: number;
}

/** Counts what functions of a program bring along. */
class Counter {
  private readonly sizes = new Map<IrFunction, CodeSize>();
  private readonly context: PassContext;
  /** Functions that are made once and called, with their operations. */
  private readonly called = new Map<IrFunction, number>();

  constructor(context: PassContext) {
    this.context = context;
  }

  private sizeOf(fn: IrFunction): CodeSize {
    const known = this.sizes.get(fn);
    if (known !== undefined) return known;
    // A function that calls itself, which no valid one does, counts nothing there.
    this.sizes.set(fn, { operations: 0, executed: 0 });
    const { innermost } = loops(fn);
    let operations = 0;
    let executed = 0;
    for (const block of fn.blocks) {
      const turns = LOOP_TURNS ** (innermost.get(block)?.depth ?? 0);
      for (const instruction of block.instructions) {
        operations++;
        executed += turns;
        const { callee, times } = this.calleeOf(instruction);
        if (callee === null) continue;
        const size = this.sizeOf(callee);
        executed += turns * times * size.executed;
        if (size.operations <= SMALL && operations < MOST_COPIED) operations += times * size.operations;
        else this.called.set(callee, size.operations);
      }
    }
    const size = { operations, executed };
    this.sizes.set(fn, size);
    return size;
  }

  /** The function that runs for a call, and how often: once for each lane where the library has no vectors. */
  private calleeOf({ op, symbol, type }: Instruction): { readonly callee: IrFunction | null; readonly times: number } {
    if (symbol?.kind === "function") return { callee: symbol, times: 1 };
    if (op !== Op.CALL_BUILTIN || symbol?.kind !== "builtin") return { callee: null, times: 1 };
    const callee = this.definition(symbol);
    if (callee !== null || type.kind !== "vector") return { callee, times: 1 };
    return { callee: this.definition(scalarReference(symbol)), times: type.count };
  }

  private definition(symbol: BuiltinReference): IrFunction | null {
    return this.context.keepsBuiltin(symbol) ? null : this.context.resolveBuiltin(symbol, false);
  }

  of(kernel: IrFunction): CodeSize {
    const { operations, executed } = this.sizeOf(kernel);
    let all = operations;
    for (const own of this.called.values()) all += own;
    return { operations: all, executed };
  }
}

/** Costs of the full form of a finalized kernel. */
export function compileEstimate(kernel: IrFunction, context: PassContext): CompileEstimate {
  const { operations, executed } = new Counter(context).of(kernel);
  const milliseconds = operations ** COST_EXPONENT;
  return { milliseconds, paysAfter: (milliseconds * SAVED) / (Math.max(executed, 1) * GAIN) };
}
