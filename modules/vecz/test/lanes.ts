// SPDX-License-Identifier: Apache-2.0
// Runs a function once for each lane, and its vector variants for all lanes: results must be equal.
import { describeInterpreterError, interpretFunction, sameValue } from "@muxkit/interpreter";
import {
  Builder,
  type Constant,
  I1,
  I8,
  IrFunction,
  type Module,
  Op,
  type Type,
  arrayType,
  cloneModule,
  constantInt,
  constantLane,
  constantVector,
  describeVerifierError,
  laneCount,
  printConstant,
  scalarOf,
  sizeOf,
  vectorType,
  verifyModule,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { type ParameterFacts, type VectorizeRequest, vectorize } from "@muxkit/vecz";
import { WASM_MACHINE } from "@muxkit/wasm";

import { type Random, randomConstant } from "../../ir/test/random-module.ts";

/** WebAssembly, with the pointers of a module. */
export function machineOf({ layout }: Module): MachineTarget {
  return { ...WASM_MACHINE, layout };
}

/** A request for a function that stands alone: what it calls is called once a lane. */
export function requestOf(
  module: Module,
  width: number,
  parameters: ReadonlyMap<number, ParameterFacts>,
  isSubGroup: boolean = false,
): VectorizeRequest {
  return {
    width,
    machine: machineOf(module),
    axis: 0,
    parameters,
    vectorCall: () => null,
    isMasked: false,
    returnsVector: true,
    isSubGroup,
    isTested: true,
    name: "vector",
  };
}

function lanesOf(value: Constant): readonly Constant[] {
  return Array.from({ length: laneCount(value.type) }, (_, i) =>
    laneCount(value.type) === 1 ? value : constantLane(value, i),
  );
}

/** What each lane is given for a parameter. */
function operandsOf(
  type: Type,
  facts: ParameterFacts | undefined,
  width: number,
  random: Random,
  make: (type: Type) => Constant,
): readonly Constant[] {
  if (facts?.shape === null) return Array.from({ length: width }, () => make(type));
  const first = facts === undefined ? make(type) : constantInt(type, random.below(10) << facts.lowZeros);
  return Array.from({ length: width }, (_, lane) =>
    facts === undefined ? first : constantInt(type, first.low + lane * (facts.shape ?? 0)),
  );
}

/** Adds room after variables: wide loads of strided elements may read to the end of the last step. */
function addRoom(fn: IrFunction, { layout }: Module): void {
  for (const instruction of fn.entry.instructions) {
    if (instruction.op === Op.ALLOCA && instruction.elementType !== null)
      instruction.elementType = arrayType(I8, sizeOf(layout, instruction.elementType) + 512);
  }
}

/** The first difference, and whether the tested variant ran. */
export interface Comparison {
  /** A sentence; empty: nothing differs. */
  readonly difference: string;
  readonly ranTested: boolean;
}

/** Vectorises a function and compares; null: it is refused. `make` gives operands. */
export function compareLanes(
  source: Module,
  name: string,
  width: number,
  parameters: ReadonlyMap<number, ParameterFacts>,
  random: Random,
  make: (type: Type) => Constant = (type) => randomConstant(random, type),
): Comparison | null {
  const module = cloneModule(source);
  const fn = module.functions.get(name);
  if (fn === undefined) throw new Error(`there is no function ${name}`);
  const made = vectorize(fn, requestOf(module, width, parameters));
  if (!made.ok) return null;
  const { general, tested } = made.variants;
  module.addFunction(general.fn);
  addRoom(general.fn, module);
  if (tested !== null) {
    module.addFunction(tested.fn);
    addRoom(tested.fn, module);
    const test = module.addFunction(
      new IrFunction(
        "test",
        I1,
        general.fn.parameters.map(({ type }, i) => ({ type, name: `p${i}` })),
      ),
    );
    const builder = new Builder(test.addBlock("entry"));
    builder.return(tested.writeTest(builder, test.parameters));
  }
  const [broken] = verifyModule(module);
  if (broken !== undefined) return { difference: describeVerifierError(broken), ranTested: false };
  const columns = fn.parameters.map(({ type }, i) => operandsOf(type, parameters.get(i), width, random, make));
  const call = (what: string, operands: readonly Constant[]): Constant | null | string => {
    const result = interpretFunction(module, what, operands);
    return result.ok ? result.value : describeInterpreterError(result.error);
  };
  const wanted = Array.from({ length: width }, (_, lane) =>
    call(
      name,
      columns.flatMap((column) => column[lane] ?? []),
    ),
  );
  const failed = wanted.find((one) => typeof one === "string");
  // What one lane may not do, all together may not either.
  if (failed !== undefined) return { difference: "", ranTested: false };
  const given = columns.map((column, i) => {
    const [first] = column;
    const type = fn.parameters[i]?.type;
    if (first === undefined || type === undefined) throw new Error("a value for each parameter");
    return parameters.get(i)?.shape === null
      ? constantVector(vectorType(scalarOf(type), laneCount(type) * width), column.flatMap(lanesOf))
      : first;
  });
  const passes = tested === null ? null : call("test", given);
  const ranTested = passes !== null && typeof passes !== "string" && passes.low !== 0;
  for (const what of [general.fn.name, ...(ranTested && tested !== null ? [tested.fn.name] : [])]) {
    const got = call(what, given);
    if (typeof got === "string") return { difference: `@${what}: ${got}`, ranTested };
    for (const [lane, one] of wanted.entries()) {
      if (one === null || typeof one === "string" || got === null) continue;
      const count = laneCount(one.type);
      const own = lanesOf(got).slice(lane * count, (lane + 1) * count);
      const isSame = lanesOf(one).every((part, i) => own[i] !== undefined && sameValue(part, own[i]));
      if (!isSame)
        return {
          difference: `@${what}, lane ${lane}: ${own.map(printConstant).join(", ")}, one by one ${printConstant(one)}`,
          ranTested,
        };
    }
  }
  return { difference: "", ranTested };
}
