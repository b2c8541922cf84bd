// SPDX-License-Identifier: Apache-2.0
// Validation of a call: first what the types say, then the rules that look at several values.
import { invalid } from "../error.ts";
import { VkHandle } from "../handle.ts";
import { PARAMETERS } from "../generated/tables.ts";
import { forgetHandles, rootOf, valueProblem } from "./check-value.ts";
import { RULES } from "./rule.table.ts";

/**
 * Throws VK_ERROR_VALIDATION_FAILED_EXT for a call that is not valid. `as` is its name in messages, where that is
 * another than the one whose rules it has.
 */
export function checkCall(name: string, parameters: readonly unknown[], as: string = name): void {
  const [first] = parameters;
  forgetHandles();
  const root = first instanceof VkHandle ? rootOf(first) : null;
  for (const [i, row] of (PARAMETERS[name] ?? []).entries()) {
    const problem = valueProblem(row[0], row, parameters[i], root);
    if (problem !== null)
      throw invalid(
        as,
        `${problem.where} ${problem.message}`,
        `VUID-${name}-${problem.where.split(/[.[]/u)[0]}-parameter`,
      );
  }
  for (const { id, check } of RULES[name] ?? []) {
    const message = check(...(parameters as never[]));
    if (message !== null) throw invalid(as, message, id);
  }
}
