// SPDX-License-Identifier: Apache-2.0
// Every diagnostic of the translator. A code is never reused for another row. 1000: syntax that kernels do not have,
// 2000: types, 3000: names and calls, 4000: kernels and their parameters.
import type { DiagnosticRow } from "@muxkit/report";

/** Names of the diagnostics. */
export type DiagnosticName =
  | "syntax"
  | "statement"
  | "expression"
  | "asyncFunction"
  | "stringValue"
  | "objectValue"
  | "closure"
  | "varDeclaration"
  | "pattern"
  | "exceptions"
  | "anyType"
  | "numberType"
  | "unknownType"
  | "mixed"
  | "intDivision"
  | "condition"
  | "assignType"
  | "literalRange"
  | "operandType"
  | "vectorOperator"
  | "noComponent"
  | "repeatedComponent"
  | "noField"
  | "noMethod"
  | "readOnly"
  | "writeOnly"
  | "notAssignable"
  | "indexType"
  | "indexCount"
  | "vectorParts"
  | "conversion"
  | "returnType"
  | "notConstant"
  | "uninitialised"
  | "shiftUnsigned"
  | "sideEffect"
  | "arms"
  | "undeclared"
  | "captured"
  | "notNumber"
  | "foreign"
  | "notFunction"
  | "argumentCount"
  | "argumentType"
  | "noOverload"
  | "recursion"
  | "notInKernel"
  | "missingFile"
  | "notExported"
  | "typeArgument"
  | "kernelFunction"
  | "kernelName"
  | "parameterType"
  | "parameterForm"
  | "boolParameter"
  | "kernelResult"
  | "itemPlace"
  | "localPlace"
  | "itemKind"
  | "dimension"
  | "recordForm"
  | "specForm"
  | "atomicType"
  | "atomicBits"
  | "atomicOrder"
  | "barrierWord"
  | "reducerForm"
  | "printForm"
  | "twoKernels"
  | "compileError";

const ROWS: Readonly<Record<DiagnosticName, readonly [code: string, template: string, help: string]>> = {
  syntax: ["TK1001", "this is not TypeScript: {0}", "Correct what the compiler of TypeScript says."],
  statement: ["TK1002", "a kernel has no {0}", "Use if, for, while, do, switch, break, continue and return."],
  expression: ["TK1003", "a kernel has no {0}", "Kernels have numbers, vectors, records and memory, and what is computed of them."],
  asyncFunction: ["TK1004", "a kernel and its functions are neither async nor generators", "Wait in the program that launches the kernel, or at `item.barrier()`."],
  stringValue: ["TK1005", "a kernel has no strings", "Strings are the first argument of `console.log` alone."],
  objectValue: ["TK1006", "a kernel has no objects or arrays of its own", "Declare `record({ … })`, `privateArray(float, 4)` or a vector."],
  closure: ["TK1007", "a kernel has no functions within", "Move the function to the level of the module."],
  varDeclaration: ["TK1008", "`var` is visible in the whole function", "Write `let` or `const`."],
  pattern: ["TK1009", "a kernel has no such pattern", "There are `const [a, b] = [x, y]`, `[a, b] = [b, a]`, and `const { x, y } = v` of vectors and records; else declare one variable for each value."],
  exceptions: ["TK1010", "a kernel has no exceptions", "Write an error code to a buffer."],
  anyType: ["TK2001", "`{0}` does not say what is computed", "Write a type such as `float` or `int`."],
  numberType: ["TK2002", "`number` does not say the width", "Write `float`, `int` or another type of a declared width."],
  unknownType: ["TK2003", "a kernel has no type `{0}`", "Use scalars, vectors, records, `Accessor`, `LocalArray`, `Pointer` and items."],
  mixed: ["TK2004", "`{0}` of {1} and {2}", "Convert one of them: `{3}(…)`."],
  intDivision: ["TK2005", "`/` of two {0} would have a fraction", "Write `{0}(a / b)` for the whole quotient, or convert to float first."],
  condition: ["TK2006", "a condition is a bool, and this is {0}", "Compare it: `… !== 0`."],
  assignType: ["TK2007", "{0} cannot be assigned to {1}", "Convert it: `{1}(…)`."],
  literalRange: ["TK2008", "{0} is no value of {1}", "Use a number that the type has, or another type."],
  operandType: ["TK2009", "`{0}` has no meaning for {1}", "Convert the operand first; vectors have methods: `a.add(b)`."],
  vectorOperator: ["TK2010", "`{0}` does not take vectors", "Write the method: `a.{1}(b)`."],
  noComponent: ["TK2011", "{0} has no component `{1}`", "Components are x, y, z, w, or s0 to sf; several make a vector."],
  repeatedComponent: ["TK2012", "`{0}` names a component twice and cannot be assigned", "Assign each component once."],
  noField: ["TK2013", "the record {0} has no field `{1}`", "Use a field that `record({ … })` declares."],
  noMethod: ["TK2014", "{0} has no `{1}`", "See the list of methods in docs/typescript-kernels.md."],
  readOnly: ["TK2015", "`{0}` is read only", "Declare the accessor \"write\" or \"read_write\", or the variable with `let`."],
  writeOnly: ["TK2016", "`{0}` is write only", "Declare the accessor \"read_write\"."],
  notAssignable: ["TK2017", "this cannot be assigned", "Assign variables, components, fields and elements."],
  indexType: ["TK2018", "an index is an int or uint, and this is {0}", "Convert it: `int(…)`."],
  indexCount: ["TK2019", "`{0}` has {1} dimensions, and this has {2} indices", "Write one index in brackets for each dimension."],
  vectorParts: ["TK2020", "{0} takes {1} components, and these are {2}", "Give one value for all, or as many components as there are lanes."],
  conversion: ["TK2021", "{0} cannot be converted to {1}", "Convert scalars to scalars, and vectors to vectors of as many lanes."],
  returnType: ["TK2022", "this returns {0}, and before it returned {1}", "Return values of one type."],
  notConstant: ["TK2023", "this must be a constant", "Write a number, or a `const` of the module that has one."],
  uninitialised: ["TK2024", "`{0}` has neither a type nor a value", "Write `let {0}: float;` or give it a value."],
  shiftUnsigned: ["TK2025", "`>>>` of {0}", "It exists for int and uint; for longs write `>>` of an ulong."],
  sideEffect: ["TK2026", "an index of what is assigned changes something itself", "Compute the index in a statement before."],
  arms: ["TK2027", "the two sides of `? :` are {0} and {1}", "Convert one of them."],
  undeclared: ["TK3001", "`{0}` is not known in kernels", "Import it, or declare it in this file."],
  captured: ["TK3002", "`{0}` is a variable of the program, and the kernel would not see its changes", "Pass it as a parameter, or make it a `const` with a number."],
  notNumber: ["TK3003", "`{0}` is no constant that a kernel can use", "Constants are numbers, bigints, booleans, `as const` objects and arrays of them, and enums of numbers."],
  foreign: ["TK3004", "`{0}` comes from \"{1}\", which is not part of the program's sources", "Import functions of kernels by a relative path."],
  notFunction: ["TK3005", "`{0}` is no function that a kernel can call", "Call functions of the module, of imported files, and built-ins."],
  argumentCount: ["TK3006", "`{0}` takes {1} arguments, and these are {2}", "Give each parameter a value."],
  argumentType: ["TK3007", "the parameter `{0}` is {1}, and this is {2}", "Convert the argument."],
  noOverload: ["TK3008", "`{0}` does not take ({1})", "docs/typescript-kernels.md has its overloads. Types are not converted."],
  recursion: ["TK3009", "`{0}` calls itself", "Kernels have no recursion: write a loop."],
  notInKernel: ["TK3010", "`{0}` is not for kernels", "Use it in the program that launches the kernel."],
  missingFile: ["TK3011", "the file \"{0}\" was not found", "Correct the path of the import."],
  notExported: ["TK3012", "\"{1}\" does not export `{0}`", "Export it, or correct the name."],
  typeArgument: ["TK3013", "the type `{0}` of this call is not known", "Give an argument whose type says it."],
  kernelFunction: ["TK4001", "`kernel` takes a function that is written in the call", "Write `kernel((item: Item<1>, …) => { … })`."],
  kernelName: ["TK4002", "a kernel needs a name", "Write `const name = kernel(…)` at the level of the module."],
  parameterType: ["TK4003", "the parameter `{0}` has no type", "Declare it: the launch passes values by their types."],
  parameterForm: ["TK4004", "the parameter `{0}` is optional, a rest, or has a default", "Pass every value."],
  boolParameter: ["TK4005", "a kernel takes no bool", "Pass an int, and compare it with 0."],
  kernelResult: ["TK4006", "a kernel returns nothing", "Write results to an accessor."],
  itemPlace: ["TK4007", "an item is the first parameter of a kernel", "Move it to the front."],
  localPlace: ["TK4008", "local memory is declared by a kernel itself, as a `const`, outside of loops and functions", "Declare it at the head of the kernel, and pass it on."],
  itemKind: ["TK4009", "`{0}` needs an NdItem", "Take `NdItem<1>` and launch the kernel over an nd_range."],
  dimension: ["TK4010", "the dimension is {0}, and the item has {1}", "Count dimensions from 0."],
  recordForm: ["TK4011", "a record is `const Name = record({ field: type, … })` at the level of the module", "Write it so, and `type Name = RecordOf<typeof Name>` beside it."],
  specForm: ["TK4012", "a specialization constant is `const name = specConstant(int, 1)` at the level of the module", "Write it so."],
  atomicType: ["TK4013", "atomics of {0}", "Use int, uint, long, ulong, float or double in global or local memory."],
  atomicOrder: ["TK4014", "`{0}` is no {1} of an atomic", "Orders: relaxed, acquire, release, acq_rel, seq_cst. Scopes: work_item, sub_group, work_group, device, system."],
  atomicBits: ["TK4017", "`{0}` of {1}", "Bits are those of integers; floats have load, store, exchange, compareExchange, fetchAdd, fetchSub, fetchMin, fetchMax."],
  barrierWord: ["TK4018", "`{0}` is no {1} of a barrier", "Fences: local, global, both. Scopes: work_group, sub_group."],
  reducerForm: ["TK4019", "{0} cannot be combined so", "Write `Reducer<float, \"plus\">` (plus, multiplies, minimum, maximum; of integers bit_and, bit_or, bit_xor) or `Reducer<T, typeof f>` with a function `f(a: T, b: T): T` of the module, in a kernel's parameters."],
  printForm: ["TK4015", "console.log takes strings that are written in the call, scalars and vectors", "Print the fields one by one."],
  twoKernels: ["TK4016", "the file has two kernels named `{0}`", "Name kernels differently."],
  compileError: ["TK4901", "the compiler of OpenCL C says: {0}", "See the text with `translate(…).unit.openclC`; the message is about the marked line."],
};

/** The diagnostics, each with what to write instead. @public */
export const DIAGNOSTICS: readonly DiagnosticRow[] = Object.entries(ROWS).map(([name, [code, template, help]]) => ({ name, code, severity: "error", template, help }));

/** The row of a name. */
export function diagnosticRow(name: DiagnosticName): readonly [code: string, template: string, help: string] {
  return ROWS[name];
}
