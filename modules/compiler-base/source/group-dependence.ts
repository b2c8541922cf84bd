// SPDX-License-Identifier: Apache-2.0
// Whether a kernel gets better code when its launch is known.
import { type LaunchFacts, argumentFacts } from "@muxkit/compiler";
import { type IrFunction, type Module, Op, isGroupOperation } from "@muxkit/ir";

/** Ops that depend on the work-group: queries, and barriers. */
const GROUP_OPS: ReadonlySet<number> = new Set([
  Op.LOCAL_ID,
  Op.LOCAL_SIZE,
  Op.ENQUEUED_LOCAL_SIZE,
  Op.GROUP_ID,
  Op.LOCAL_LINEAR_ID,
  Op.BARRIER,
]);

/** True when a function, or one that it calls, depends on its work-group. */
function dependsOnGroup(fn: IrFunction, seen: Set<IrFunction>): boolean {
  if (seen.has(fn)) return false;
  seen.add(fn);
  return fn.blocks.some((block) =>
    block.instructions.some(
      ({ op, symbol }) =>
        GROUP_OPS.has(op) || isGroupOperation(op) || (symbol?.kind === "function" && dependsOnGroup(symbol, seen)),
    ),
  );
}

/**
 * The facts of a launch that make a difference to a kernel of a finalized program. All of them count where its
 * work-items depend on their work-group and the kernel requires no local size, only those of its arguments where it has
 * samplers or images besides; null: none, for other kernels. For {@link TargetSpecialization.useful} of CPU-like
 * targets. O(instructions that the kernel reaches).
 *
 * @public
 */
export function usefulFacts(program: Module, name: string): (facts: LaunchFacts) => LaunchFacts | null {
  const fn = program.functions.get(name);
  if (fn === undefined) return () => null;
  // All code of a kernel knows the local size that it requires.
  const knowsSize = fn.kernel?.requiredWorkGroupSize !== null && fn.kernel?.uniformWorkGroups === true;
  if (!knowsSize && dependsOnGroup(fn, new Set())) return (facts) => facts;
  const takesFacts = fn.kernel?.arguments.some(({ kind }) => kind === "image" || kind === "sampler") === true;
  return takesFacts ? argumentFacts : () => null;
}
