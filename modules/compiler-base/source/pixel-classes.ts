// SPDX-License-Identifier: Apache-2.0
// What kernels take the components of their images for, by the functions that read and write them. A function for
// another kind of format than the image has moves bits (docs/decisions/064-bits-of-pixels.md); the runtime, which knows
// the format, warns of it.
//
// An image is only ever a parameter, so its uses are found through calls: the classes of a parameter are those of the
// built-ins that it is passed to, and of the parameters of functions that it is passed to. There is no recursion.
//
// Cost: linear in the program; programs without images are left at once.
import { type IrFunction, type Module, Parameter } from "@muxkit/ir";
import { PIXEL_CLASSES, type PixelClass } from "@muxkit/kernel-abi";

/** The class of a built-in by its name; undefined: it moves no pixels. */
const CLASSES: ReadonlyMap<string, PixelClass> = new Map(
  Object.entries({ f: "float", h: "float", i: "signed", ui: "unsigned" } as const).flatMap(([suffix, pixels]) => [
    [`read_image${suffix}`, pixels],
    [`write_image${suffix}`, pixels],
  ]),
);

type ClassSets = readonly ReadonlySet<PixelClass>[];

/** For each parameter of a function the classes of its image. */
function classesOf(fn: IrFunction, known: Map<IrFunction, ClassSets>): ClassSets {
  const done = known.get(fn);
  if (done !== undefined) return done;
  const found = fn.parameters.map(() => new Set<PixelClass>());
  known.set(fn, found);
  for (const { instructions } of fn.blocks)
    for (const { symbol, operands } of instructions) {
      if (symbol?.kind !== "builtin" && symbol?.kind !== "function") continue;
      const own = symbol.kind === "builtin" ? CLASSES.get(symbol.name) : undefined;
      if (symbol.kind === "builtin" && own === undefined) continue;
      operands.forEach((operand, i) => {
        const at = operand instanceof Parameter && operand.type.kind === "opaque" ? fn.parameters.indexOf(operand) : -1;
        if (at < 0) return;
        const classes =
          own !== undefined ? [own] : symbol.kind === "function" ? (classesOf(symbol, known)[i] ?? []) : [];
        for (const one of classes) found[at]?.add(one);
      });
    }
  return found;
}

/** Writes into the descriptions of kernels what they take the components of their images for. */
export function describePixels(module: Module): void {
  const known = new Map<IrFunction, ClassSets>();
  for (const fn of module.kernels) {
    const { kernel } = fn;
    if (kernel === null || !kernel.arguments.some(({ kind }) => kind === "image")) continue;
    const classes = classesOf(fn, known);
    fn.kernel = {
      ...kernel,
      arguments: kernel.arguments.map((argument, i) => {
        const own = argument.kind === "image" ? PIXEL_CLASSES.filter((one) => classes[i]?.has(one) === true) : [];
        return own.length === 0 ? argument : { ...argument, pixelClasses: own };
      }),
    };
  }
}
