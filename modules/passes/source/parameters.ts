// Parameters of blocks: taking away those that nobody needs.
import { type Block, type IrFunction, type Parameter, type Value, applyReplacements, replaceLater, resolved } from "@muxkit/ir";

/** Takes parameters and the arguments for them away. Blocks' marks are used. */
export function removeParameters(fn: IrFunction, isDead: (parameter: Parameter) => boolean): void {
  const touched: Block[] = [];
  for (const block of fn.blocks) {
    block.mark = block.parameters.some(isDead) ? 1 : 0;
    if (block.mark === 1) touched.push(block);
  }
  if (touched.length === 0) return;
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    for (let i = 0; i < successors.length; i++) {
      const { mark, parameters } = successors[i] as Block;
      if (mark === 0) continue;
      successorArguments[i] = (successorArguments[i] ?? []).filter((_, position) => {
        const parameter = parameters[position];
        return parameter === undefined || !isDead(parameter);
      });
    }
  }
  for (const block of touched) block.parameters = block.parameters.filter((parameter) => !isDead(parameter));
}

function append<T>(lists: (T[] | undefined)[], at: number, item: T): void {
  const list = lists[at];
  if (list === undefined) lists[at] = [item];
  else list.push(item);
}

/**
 * Drops parameters whose arguments are all the same value (or the parameter itself), until none is left; the value takes their place.
 * True when any was dropped.
 */
export function dropTrivialParameters(fn: IrFunction, candidates: readonly Parameter[]): boolean {
  if (candidates.length === 0) return false;
  for (const { parameters } of fn.blocks) for (let i = 0; i < parameters.length; i++) (parameters[i] as Parameter).mark = 0;
  candidates.forEach((parameter, i) => {
    parameter.mark = i + 1;
  });
  const incoming: (Value[] | undefined)[] = candidates.map(() => undefined);
  /** Candidates that are handed a candidate. */
  const handedOn: (number[] | undefined)[] = candidates.map(() => undefined);
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    for (let edge = 0; edge < successors.length; edge++) {
      const { parameters } = successors[edge] as Block;
      for (let position = 0; position < parameters.length; position++) {
        const number = (parameters[position] as Parameter).mark - 1;
        const value = successorArguments[edge]?.[position];
        if (number < 0 || value === undefined) continue;
        append(incoming, number, value);
        if (value.kind === "parameter" && value.block !== null && value.mark > 0) append(handedOn, value.mark - 1, number);
      }
    }
  }
  let dropped = false;
  const work = candidates.map((_, i) => i);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const parameter = candidates[next];
    if (parameter === undefined || parameter.forward !== null) continue;
    const same = onlyValue(parameter, incoming[next] ?? []);
    if (same === null) continue;
    replaceLater(parameter, same);
    dropped = true;
    // Who was handed this parameter is handed the other from now on.
    const isCandidate = same.kind === "parameter" && same.block !== null && same.mark > 0;
    for (const asking of handedOn[next] ?? []) {
      work.push(asking);
      if (isCandidate) append(handedOn, same.mark - 1, asking);
    }
  }
  if (!dropped) return false;
  applyReplacements(fn);
  removeParameters(fn, (parameter) => parameter.forward !== null);
  return true;
}

/** The one value that a parameter can have; null: there are several, or none. */
function onlyValue(parameter: Parameter, values: readonly Value[]): Value | null {
  let same: Value | null = null;
  for (let i = 0; i < values.length; i++) {
    const now = resolved(values[i] as Value);
    if (now === parameter || now === same) continue;
    if (same !== null) return null;
    same = now;
  }
  return same;
}
