// SPDX-License-Identifier: Apache-2.0
// Runs one function by one work-item: used for run lines of golden tests, and how constants are folded by library
// functions.
import { type Result, at, err, ok } from "@muxkit/cargo";
import { type Constant, type Module, VOID } from "@muxkit/ir";

import { Fault, type InterpreterError, locate } from "./error.ts";
import { runGroup } from "./groups.ts";
import { type InterpreterOptions, Machine } from "./machine.ts";
import { Memory } from "./memory.ts";
import { constantRegister, registerConstant } from "./register.ts";
import { type Group, type Range, WorkItem } from "./work-item.ts";

const ALONE: Range = {
  dimensions: 1,
  globalSize: [1, 1, 1],
  globalOffset: [0, 0, 0],
  enqueuedLocalSize: [1, 1, 1],
  groupCount: [1, 1, 1],
  subGroupSize: 1,
};

/** How to call a function. @public */
export interface FunctionOptions extends InterpreterOptions {
  /** Memory to which the operands may point. Default: a new one. */
  readonly memory?: Memory;
}

/**
 * Calls a function with constants for its parameters, as the only work-item of an NDRange of one, and returns its
 * result; null for a function without one. The module must verify.
 *
 * @public
 */
export function interpretFunction(
  module: Module,
  name: string,
  operands: readonly Constant[],
  options: FunctionOptions = {},
): Result<Constant | null, InterpreterError> {
  const machine = new Machine(options.memory ?? new Memory(module.layout), options);
  const group: Group = { id: [0, 0, 0], localSize: [1, 1, 1], locals: new Map() };
  const item = new WorkItem(ALONE, group, [0, 0, 0]);
  try {
    const fn = module.functions.get(name);
    if (fn === undefined) throw new Fault("arguments", `the module has no function @${name}`);
    const { parameters } = fn;
    if (parameters.length !== operands.length)
      throw new Fault("arguments", `@${name} takes ${parameters.length} operands, ${operands.length} were passed`);
    operands.forEach(({ type }, i) => {
      const wanted = at(parameters, i).type;
      if (type !== wanted)
        throw new Fault("arguments", `operand ${i} of @${name} is of type ${wanted.text}, not ${type.text}`);
    });
    machine.call(item, fn, operands.map(constantRegister), -1);
    runGroup([item], 1, (only) => machine.run(only), module.layout);
    return ok(fn.returnType === VOID || item.result === null ? null : registerConstant(fn.returnType, item.result));
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return err(locate(thrown, machine.executing, item.frames.length > 0 ? item.globalId : null));
  } finally {
    machine.memory.releaseWork();
  }
}
