// SPDX-License-Identifier: Apache-2.0
// Where each attribute applies: a table of attributes and declarations (OpenCL C 6.13, and clang's for those of other
// compilers). An attribute in another place is an error or a warning, as clang has it.
import type { Attribute } from "../ast.ts";
import type { Unit } from "./unit.ts";

/** What an attribute can be written at. */
export type AttributePlace =
  | "kernel"
  | "function"
  | "variable"
  | "local"
  | "parameter"
  | "record"
  | "member"
  | "typedef"
  | "enum"
  | "statement";

/** The places in words. */
const PLACES: Readonly<Record<AttributePlace, string>> = {
  kernel: "a kernel",
  function: "a function",
  variable: "a variable",
  local: "a variable of a function",
  parameter: "a parameter",
  record: "a struct or union",
  member: "a member",
  typedef: "a typedef",
  enum: "an enum",
  statement: "a statement",
};

interface AttributeRow {
  /** What the attribute is for, in words. */
  readonly applies: string;
  /** The places where it has its meaning. */
  readonly to: readonly AttributePlace[];
  /** Places where it has no effect and is warned of; the others are errors. */
  readonly ignoredAt: readonly AttributePlace[];
}

const FUNCTIONS: readonly AttributePlace[] = ["kernel", "function"];
const OBJECTS: readonly AttributePlace[] = ["variable", "local", "parameter", "record", "member", "typedef", "enum"];
const DECLARATIONS: readonly AttributePlace[] = [...FUNCTIONS, ...OBJECTS];

function row(applies: string, to: readonly AttributePlace[], ignoredAt: readonly AttributePlace[] = []): AttributeRow {
  return { applies, to, ignoredAt };
}

const OF_KERNELS = row("kernels only", ["kernel"]);
const OF_FUNCTIONS = row("functions", FUNCTIONS, OBJECTS);
const OF_DECLARATIONS = row("declarations", DECLARATIONS);
const OF_TYPES = row("typedefs", ["typedef"]);

/** Rows by the names of attributes; others apply everywhere. */
const ROWS: ReadonlyMap<string, AttributeRow> = new Map(
  (
    [
      ["reqd_work_group_size work_group_size_hint vec_type_hint", OF_KERNELS],
      ["intel_reqd_sub_group_size reqd_sub_group_size", OF_KERNELS],
      ["always_inline noinline", row("functions", FUNCTIONS, [...OBJECTS, "statement"])],
      ["noreturn convergent nothrow", OF_FUNCTIONS],
      ["overloadable flatten", row("functions", FUNCTIONS)],
      ["pure const aligned deprecated visibility unused nosvm", OF_DECLARATIONS],
      ["used", row("functions and variables", [...FUNCTIONS, "variable"], OBJECTS)],
      [
        "weak",
        row(
          "functions and variables of the program",
          [...FUNCTIONS, "variable", "parameter"],
          ["record", "member", "typedef", "enum"],
        ),
      ],
      ["packed", row("structs, unions and their members", ["record", "member", "enum"], DECLARATIONS)],
      ["opencl_unroll_hint", row("loops", ["statement"])],
      ["format", row("functions with a variable number of arguments", [], OBJECTS)],
      ["ext_vector_type vector_size", OF_TYPES],
    ] as const
  ).flatMap(([names, one]) => names.split(" ").map((name) => [name, one] as const)),
);

/** Reports attributes that do not belong where they are written. */
export function checkAttributes(unit: Unit, attributes: readonly Attribute[], place: AttributePlace): void {
  for (const { name, span } of attributes) {
    const found = ROWS.get(name);
    if (found === undefined || found.to.includes(place)) continue;
    if (found.ignoredAt.includes(place)) unit.warn("attributePlace", span, [name, found.applies, PLACES[place]]);
    else unit.report("attribute", span, [`${name} applies to ${found.applies}, and this is ${PLACES[place]}`]);
  }
}
