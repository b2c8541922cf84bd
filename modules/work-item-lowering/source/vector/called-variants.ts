// SPDX-License-Identifier: Apache-2.0
// Vectorised variants of the functions that kernels call.
import { type IrFunction, type Module, hasEffect, loops } from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { countInstructions } from "@muxkit/passes";
import { type ParameterFacts, type VectorCall, VARYING, vectorize } from "@muxkit/vecz";

/** True when a function has no loop and touches no memory, so that lanes that are off do no harm. */
function isHarmless(fn: IrFunction): boolean {
  return (
    loops(fn).loops.length === 0 &&
    fn.blocks.every((block) => block.instructions.every(({ op, isTerminator }) => isTerminator || hasEffect(op, "s")))
  );
}

/**
 * Most instructions of functions that get vectorised variants (docs/decisions/037-inlining-budget.md); what comes later
 * is called once a lane.
 */
const MOST_WRITTEN = 20_000;

/** Vectorised variants of called functions at one width, made when they are first needed. */
class VariantsAtWidth {
  private readonly made = new Map<string, VectorCall | null>();
  private readonly module: Module;
  private readonly machine: MachineTarget;
  private readonly width: number;
  /** Instructions of functions that have got a variant. */
  private written = 0;

  constructor(module: Module, machine: MachineTarget, width: number) {
    this.module = module;
    this.machine = machine;
    this.width = width;
  }

  find(callee: IrFunction, vectors: readonly boolean[], isMasked: boolean): VectorCall | null {
    // What is never inlined keeps work-items apart: the writers of printf's records move a pointer that their thread
    // owns.
    if (callee.blocks.length === 0 || callee.inline === "never") return null;
    const size = countInstructions(callee);
    const needsMask = isMasked && !isHarmless(callee);
    const letters = vectors.map((is) => (is ? "v" : "u")).join("");
    const name = `${callee.name}.v${this.width}.${letters}${needsMask ? "m" : ""}`;
    const known = this.made.get(name);
    if (known !== undefined) return known;
    if (this.written + size > MOST_WRITTEN) return null;
    this.written += size;
    // A function that calls itself finds none; recursion is no part of the language.
    this.made.set(name, null);
    const parameters = new Map(
      vectors.flatMap((is, i): [number, ParameterFacts][] => (is ? [[i, { shape: VARYING, lowZeros: 0 }]] : [])),
    );
    const result = vectorize(callee, {
      width: this.width,
      machine: this.machine,
      axis: 0,
      parameters,
      isMasked: needsMask,
      returnsVector: true,
      isSubGroup: false,
      isTested: false,
      name,
      vectorCall: (inner, shapes, masked) => this.find(inner, shapes, masked),
    });
    const variant: VectorCall | null = result.ok
      ? { callee: this.module.addFunction(result.variants.general.fn), isMasked: needsMask }
      : null;
    this.made.set(name, variant);
    return variant;
  }
}

/** Vectorised variants of a module's functions, which its kernels share. */
export class CalledVariants {
  private readonly module: Module;
  private readonly machine: MachineTarget;
  private readonly byWidth = new Map<number, VariantsAtWidth>();

  constructor(module: Module, machine: MachineTarget) {
    this.module = module;
    this.machine = machine;
  }

  /** Those of so many lanes. */
  atWidth(width: number): VariantsAtWidth {
    const variants = this.byWidth.get(width) ?? new VariantsAtWidth(this.module, this.machine, width);
    this.byWidth.set(width, variants);
    return variants;
  }
}
