// SPDX-License-Identifier: Apache-2.0
// Runs the verifier and throws for a module that breaks a rule of the IR.
import { InternalError } from "@muxkit/cargo";
import { type IrFunction, type Module, describeVerifierError, printModule, verifyModule } from "@muxkit/ir";

/**
 * Throws InternalError with the first broken rule and the module's text. `only`: the functions to look into, absent:
 * all.
 *
 * @internal
 */
export function checkModule(module: Module, pass: string, only?: ReadonlySet<IrFunction>): void {
  const [first, ...more] = verifyModule(module, only);
  if (first === undefined) return;
  throw new InternalError(
    `${describeVerifierError(first)}${more.length === 0 ? "" : ` (and ${more.length} more)`}\n${printModule(module)}`,
    [pass],
  );
}
