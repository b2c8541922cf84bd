// SPDX-License-Identifier: Apache-2.0
// A compiled program as an ES module: its kernels as functions with the types of their parameters.
import { type NumberType, type Scalar, numberTypeNamed } from "@muxkit/cargo";
import type { ArgumentInfo, KernelInfo } from "@muxkit/compiler";

import { arraysOf } from "../element-types.table.ts";

/** What the module stands on. It loads no compiler. */
const RUNTIME = "muxkit/runtime";

/** Other scalars of arguments, by those whose arrays hold them: addresses have 32 bits where these modules run. */
const HELD_AS: ReadonlyMap<string, Scalar> = new Map([
  ["size_t", "uint"],
  ["ptrdiff_t", "int"],
  ["intptr_t", "int"],
  ["uintptr_t", "uint"],
  ["bool", "uchar"],
]);

/**
 * Words that an ES module cannot declare, and C can: none of them is told apart, since a kernel may be called like
 * anything that is declared here.
 */
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/u;
const RESERVED: ReadonlySet<string> = new Set([
  "arguments",
  "await",
  "catch",
  "class",
  "debugger",
  "delete",
  "eval",
  "export",
  "extends",
  "false",
  "finally",
  "function",
  "implements",
  "import",
  "in",
  "instanceof",
  "interface",
  "let",
  "new",
  "null",
  "package",
  "private",
  "protected",
  "public",
  "super",
  "this",
  "throw",
  "true",
  "try",
  "typeof",
  "var",
  "with",
  "yield",
]);

/** The numbers that hold a value of a type; null for a struct, say. */
function numbersOf(typeName: string): NumberType | null {
  const scalar = HELD_AS.get(typeName);
  return scalar === undefined ? numberTypeNamed(typeName) : { scalar, lanes: 1 };
}

function pointerType(typeName: string): string {
  const known = numbersOf(typeName.endsWith("*") ? typeName.slice(0, -1).trim() : typeName);
  if (known === null) return "DeviceArray | null";
  // Not every library of types has the class of halves.
  const names = arraysOf(known.scalar).filter((name) => name !== "Float16Array");
  return `DeviceArray<${names.join(" | ")}> | null`;
}

function valueType(typeName: string): string {
  if (typeName === "bool") return "boolean | number";
  const known = numbersOf(typeName);
  // A type that the program named: only its size is known.
  if (known === null) return "Value";
  if (known.lanes > 1) return "readonly (number | bigint)[] | ArrayBufferView";
  return known.scalar === "long" || known.scalar === "ulong" ? "number | bigint" : "number";
}

const TYPES: Readonly<Record<ArgumentInfo["kind"], (typeName: string) => string>> = {
  value: valueType,
  pointer: pointerType,
  local: () => "LocalMemory",
  sampler: () => "Sampler",
  image: () => "DeviceImage",
  pipe: () => "Pipe",
};

/** What types the runtime has of those that are named. */
const NAMED = [
  "CompiledKernel",
  "CompiledProgram",
  "DeviceArray",
  "DeviceImage",
  "LocalMemory",
  "Pipe",
  "Sampler",
  "Value",
];

function parameter({ name, kind, typeName }: ArgumentInfo, i: number): string {
  return `${IDENTIFIER.test(name) && !RESERVED.has(name) ? name : `argument${i}`}: ${TYPES[kind](typeName)}`;
}

function signature({ name, arguments: list }: KernelInfo): string {
  return `kernel void ${name}(${list
    .map(
      (argument) =>
        (argument.kind === "value" ? "" : `${argument.addressSpace} `) +
        `${argument.isConst ? "const " : ""}${argument.typeName} ${argument.name}`,
    )
    .join(", ")})`;
}

/** The text of the declarations. */
export function typesOfModule(name: string, kernels: readonly KernelInfo[]): string {
  const declared = kernels.map(
    (kernel, i) =>
      `/** \`${signature(kernel)}\` */\ndeclare const kernel${i}: ` +
      `CompiledKernel<[${kernel.arguments.map(parameter).join(", ")}]>;`,
  );
  const body = ["/** The program itself. */\ndeclare const program: CompiledProgram;", ...declared].join("\n");
  const used = NAMED.filter((type) => new RegExp(`\\b${type}\\b`, "u").test(body));
  const exported = ["program as default", ...kernels.map((kernel, i) => `kernel${i} as ${kernel.name}`)];
  return (
    `// Kernels of ${name}. Written by clc; changes are lost.\nimport type { ` +
    `${used.join(", ")} } from "${RUNTIME}";\n\n${body}\nexport { ${exported.join(", ")} ` +
    `};\n`
  );
}

/** Characters of a line of the binary. */
const LINE = 160;

/** The text of the module. */
export function textOfModule(name: string, kernels: readonly KernelInfo[], binary: Uint8Array): string {
  const text = Buffer.from(binary.buffer, binary.byteOffset, binary.byteLength).toString("base64");
  const lines = text.match(new RegExp(`.{1,${LINE}}`, "gu")) ?? [];
  const made = kernels.map((kernel, i) => `const kernel${i} = /* @__PURE__ */ program.kernel("${kernel.name}");`);
  const exported = ["program as default", ...kernels.map((kernel, i) => `kernel${i} as ${kernel.name}`)];
  return (
    `// Kernels of ${name}. Written by clc; changes are lost.\nimport { CompiledProgram ` +
    `} from "${RUNTIME}";\n\nconst program = /* @__PURE__ */ new CompiledProgram(\`\n` +
    `${lines.join("\n")}\n\`);\n${made.join("\n")}\nexport { ${exported.join(", ")} };\n`
  );
}
