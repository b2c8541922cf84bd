// SPDX-License-Identifier: Apache-2.0
// Whether a kernel gets better code when its launch is known.
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
 * True for a kernel of a finalized program that gets better code where the local size, samplers and image formats of a
 * launch are known: its work-items depend on their work-group, or it has samplers or images. For
 * {@link TargetSpecialization.useful} of CPU-like targets. O(instructions that the kernel reaches).
 *
 * @public
 */
export function gainsFromLaunch(program: Module, name: string): boolean {
  const fn = program.functions.get(name);
  return (
    fn !== undefined &&
    (dependsOnGroup(fn, new Set()) ||
      fn.kernel?.arguments.some(({ kind }) => kind === "image" || kind === "sampler") === true)
  );
}
