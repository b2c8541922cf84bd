// SPDX-License-Identifier: Apache-2.0
// Functions of users in kernels: an expression in OpenCL C, or a JavaScript arrow function of one expression.
//
// An arrow function is taken as text: its parameters get their names in C, `Math.…` the built-in functions of OpenCL C,
// strict comparisons C's. What is left is an expression in both languages; OpenCL C's compiler checks it. Variables
// around the function are not seen there, so they are passed as constants.
import { AlgorithmError } from "./element.ts";

/** An expression in OpenCL C (`"a + b"`), or a function of one expression (`(a, b) => Math.max(a, b)`). @public */
export type Expression = string | ((...values: never[]) => unknown);

/** Members of Math whose built-in has another name, or is a number. */
const MATH: Readonly<Record<string, string>> = {
  abs: "fabs",
  max: "fmax",
  min: "fmin",
  PI: "M_PI_F",
  E: "M_E_F",
  SQRT2: "M_SQRT2_F",
  LN2: "M_LN2_F",
  LN10: "M_LN10_F",
  imul: "",
};

/** The same for whole numbers. */
const WHOLE_MATH: Readonly<Record<string, string>> = { ...MATH, abs: "abs", max: "max", min: "min" };

const SAME_NAME: ReadonlySet<string> = new Set([
  "acos",
  "acosh",
  "asin",
  "asinh",
  "atan",
  "atan2",
  "atanh",
  "cbrt",
  "ceil",
  "cos",
  "cosh",
  "exp",
  "expm1",
  "floor",
  "hypot",
  "log",
  "log10",
  "log1p",
  "log2",
  "pow",
  "round",
  "sin",
  "sinh",
  "sqrt",
  "tan",
  "tanh",
  "trunc",
  "sign",
]);

function mathName(operation: string, name: string, isWhole: boolean): string {
  const other = (isWhole ? WHOLE_MATH : MATH)[name];
  if (other !== undefined && other !== "") return other;
  if (SAME_NAME.has(name)) return name;
  throw new AlgorithmError(
    operation,
    `Math.${name} has no counterpart in OpenCL C; write the expression as a text in OpenCL C`,
  );
}

/** The parameters and the expression of an arrow function. */
function arrowParts(
  operation: string,
  text: string,
): { readonly parameters: readonly string[]; readonly body: string } {
  const parts = /^\s*(?:\((?<list>[^()]*)\)|(?<one>[\w$]+))\s*=>\s*(?<body>[^]+)$/u.exec(text)?.groups;
  const body = parts?.["body"]?.trim() ?? "";
  if (parts === undefined || body.startsWith("{") || body === "")
    throw new AlgorithmError(
      operation,
      `an arrow function of one expression is needed, as (a, b) => a + b, or a text in OpenCL C; not ${text.slice(0, 60)}`,
    );
  const parameters = (parts["list"] ?? parts["one"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const odd = parameters.find((name) => !/^[A-Za-z_]\w*$/u.test(name));
  if (odd !== undefined)
    throw new AlgorithmError(
      operation,
      `the parameter ${odd} is not possible; names in OpenCL C have letters and digits`,
    );
  return { parameters, body };
}

/** What a kernel calls: a function's definition in OpenCL C. */
export interface FunctionSource {
  /** `T name(T a, T b) { return …; }`. */
  readonly source: string;
  /** Number of parameters. */
  readonly arity: number;
}

/**
 * The definition of a function in OpenCL C. A text names its values by `names`; an arrow function has names of its own,
 * at most as many. `result` and `types` are types of OpenCL C; `constants` are further parameters at the end.
 */
export function functionSource(
  operation: string,
  name: string,
  expression: Expression,
  {
    names,
    types,
    result,
    constants = [],
  }: {
    readonly names: readonly string[];
    readonly types: readonly string[];
    readonly result: string;
    readonly constants?: readonly string[];
  },
): FunctionSource {
  const isWhole = !types.some((type) => type === "float" || type === "double");
  const isText = typeof expression === "string";
  const { parameters, body } = isText
    ? { parameters: names, body: expression }
    : arrowParts(operation, Function.prototype.toString.call(expression));
  if (parameters.length > names.length)
    throw new AlgorithmError(operation, `the function takes ${names.length} values, not ${parameters.length}`);
  const all = names.map((own, i) => `${types[i] ?? result} ${parameters[i] ?? own}`);
  const further = constants.map((constant) => `float ${constant}`);
  const text = isText
    ? body
    : body
        .replaceAll(/\bMath\.(?<member>\w+)/gu, (_, member: string) => mathName(operation, member, isWhole))
        .replaceAll(/===/gu, "==")
        .replaceAll(/!==/gu, "!=");
  const statement = /\breturn\b/u.test(text) ? text : `return ${text};`;
  return { source: `${result} ${name}(${[...all, ...further].join(", ")}) { ${statement} }\n`, arity: names.length };
}
