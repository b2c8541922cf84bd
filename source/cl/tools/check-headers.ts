// SPDX-License-Identifier: Apache-2.0
// Compares api/cl.xml with the headers of Khronos by the C compiler: every constant, type, struct, prototype and slot
// of the dispatch table, and since when each is there. Without a compiler or the headers nothing is compared, and that
// is said.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type ConstantNode, type FunctionNode, type Named, functionsOf, numberOf, readSchema } from "./schema.ts";

const schema = readSchema();
const functions = functionsOf(schema);
const VERSIONS = ["1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0"];
// Deprecated functions are in the headers, and warn unless a macro requests them.
const DEPRECATED = [
  ...VERSIONS.map((version) => `-DCL_USE_DEPRECATED_OPENCL_${version.replace(".", "_")}_APIS`),
  "-Wno-deprecated-declarations",
];
const HEADERS =
  "#include <CL/cl.h>\n#include <CL/cl_ext.h>\n#include <CL/cl_icd.h>\n#if " +
  "__has_include(<CL/cl_ext_intel.h>)\n#include <CL/cl_ext_intel.h>\n#endif\n";
const folder = mkdtempSync(join(tmpdir(), "opencl-headers-"));
const found: string[] = [];

/** What cc answers of a text. */
function compile(text: string, ...options: readonly string[]): { readonly output: string; readonly isRight: boolean } {
  const file = join(folder, "check.c");
  writeFileSync(file, text);
  try {
    return {
      output: execFileSync("cc", [...DEPRECATED, ...options, file], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 2 ** 26,
      }),
      isRight: true,
    };
  } catch (error) {
    return { output: String((error as { readonly stderr?: string }).stderr ?? error), isRight: false };
  }
}

/** The macros of the headers at a version. */
function macrosAt(version: string): ReadonlyMap<string, string> {
  const target = `${version.replace(".", "")}0`;
  const { output } = compile(
    `#define CL_TARGET_OPENCL_VERSION ${target}\n${version === "3.0" ? HEADERS : "#include <CL/cl.h>\n"}`,
    "-E",
    "-dM",
  );
  return new Map([...output.matchAll(/^#define (CL_\w+) (.+)$/gmu)].map(([, name = "", value = ""]) => [name, value]));
}

const constants: readonly ConstantNode[] = [
  ...schema.group.flatMap(({ constant }) => constant),
  ...schema.info.flatMap(({ token }) => token),
];

/** Type of a declarator of C: a callback has its name within. */
function declared(type: string, name: string): string {
  return type.includes("CL_CALLBACK *)") ? type.replace("CL_CALLBACK *)", `CL_CALLBACK *${name})`) : `${type} ${name}`;
}

function prototype(fn: FunctionNode): string {
  return (
    `static ${fn.returns} (CL_API_CALL *const ` +
    `check_${fn.name})(${fn.param.map(({ type, name }) => declared(type, name)).join(", ") || "void"}) ` +
    `= &${fn.name};`
  );
}

const declarations = compile(
  `#define CL_TARGET_OPENCL_VERSION 300\n#define CL_ENABLE_BETA_EXTENSIONS\n${HEADERS}`,
  "-E",
  "-P",
).output;

/** Older headers lack what younger extensions add; the core they have. */
function isThere({ name, extension }: Named): boolean {
  return extension === undefined || new RegExp(`\\b${name}\\b`, "u").test(declarations);
}

function checks(): string {
  const lines = [
    ...constants.map(
      (row) =>
        `${row.extension === undefined ? "" : `#ifdef ${row.name}\n`}_Static_assert((long ` +
        `long)(${row.name}) == ${numberOf(row)}LL, ` +
        `"${row.name}");${row.extension === undefined ? "" : "\n#endif"}`,
    ),
    ...schema.type
      .filter(isThere)
      .map(({ name, is }) => `_Static_assert(__builtin_types_compatible_p(${name}, ${is}), "${name}");`),
    ...schema.struct.filter(isThere).flatMap(({ name, member }) =>
      member.map((part) => {
        const [type = "", count] = part.type.split(/[[\]]/u);
        return (
          `_Static_assert(__builtin_types_compatible_p(__typeof__(((${name} ` +
          `*)0)->${part.name}), ${count === undefined ? type : `${type}[${count}]`}), ` +
          `"${name}.${part.name}");`
        );
      }),
    ),
    ...schema.handle.filter(isThere).map(({ name }) => `_Static_assert(sizeof(${name}) == sizeof(void *), "${name}");`),
    ...functions.filter(isThere).map(prototype),
    ...[
      ...functions.flatMap(({ name, dispatch }) => (dispatch === undefined ? [] : [[name, dispatch] as const])),
      ...schema.slot.map(({ name, position }) => [name, position] as const),
    ].map(
      ([name, position]) =>
        `_Static_assert(offsetof(cl_icd_dispatch, ${name}) == ${position} * sizeof(void *), ` +
        `"${name} in the dispatch table");`,
    ),
    "_Static_assert(sizeof(cl_icd_dispatch) == " +
      `${functions.filter(({ dispatch }) => dispatch !== undefined).length + schema.slot.length} ` +
      `* sizeof(void *), "places of the dispatch table");`,
  ];
  return (
    `#define CL_TARGET_OPENCL_VERSION 300\n#define CL_ENABLE_BETA_EXTENSIONS\n#include ` +
    `<stddef.h>\n${HEADERS}${lines.join("\n")}\n`
  );
}

/** Versions: a constant of the core is in the headers from its version on and not before; the schema lacks none. */
function compareVersions(): void {
  const all = VERSIONS.map((version) => [version, macrosAt(version)] as const);
  const core = compile("#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\n", "-E", "-dM").output;
  const known = new Set(constants.map(({ name }) => name));
  for (const { name, since, extension } of constants) {
    if (extension !== undefined) continue;
    const first = all.find(([, macros]) => macros.has(name))?.[0];
    if (first !== since)
      found.push(`${name} is there since ${since ?? "never"}, in the headers since ${first ?? "never"}`);
  }
  // Macros that take parameters, describe the headers, or decorate declarations are no constants of the interface.
  for (const [, name = ""] of core.matchAll(/^#define (CL_\w+) (?:\(|-?\d|0x|CL_)/gmu)) {
    if (
      !known.has(name) &&
      !/^CL_(?:API|CALLBACK|TARGET|VERSION_\d|U?(?:CHAR|SCHAR|SHRT|INT|LONG)_|CHAR_|FLT_|DBL_|HALF_|M_|NAN|HUGE|INFINITY|MAXFLOAT|HAS_|EXPERIMENTAL|EXTERNAL|PROGRAM_STRING|ALIGNED|UNPACK|USE_|EXT_)/u.test(
        name,
      )
    )
      found.push(`the headers have ${name}, the schema does not`);
  }
  const calls = compile("#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\n", "-E", "-P").output;
  const names = new Set(functions.map(({ name }) => name));
  for (const [, name = ""] of calls.matchAll(/\b(cl[A-Z]\w*)\s*\(/gu))
    if (!names.has(name)) found.push(`the headers have ${name}, the schema does not`);
}

/** Versions of functions, as the headers have prototypes of them. */
function compareFunctions(): void {
  const all = VERSIONS.map(
    (version) =>
      [
        version,
        compile(`#define CL_TARGET_OPENCL_VERSION ${version.replace(".", "")}0\n#include <CL/cl.h>\n`, "-E", "-P")
          .output,
      ] as const,
  );
  for (const { name, since, extension } of functions) {
    if (extension !== undefined) continue;
    const first = all.find(([, text]) => new RegExp(`\\b${name}\\s*\\(`, "u").test(text))?.[0];
    if (first !== since)
      found.push(`${name} is there since ${since ?? "never"}, in the headers since ${first ?? "never"}`);
  }
}

try {
  if (!compile(HEADERS, "-fsyntax-only").isRight)
    console.warn("!! no C compiler, or no headers of OpenCL (opencl-headers): api/cl.xml is not compared with them");
  else {
    const { output, isRight } = compile(
      checks(),
      "-fsyntax-only",
      "-fmax-errors=0",
      "-Werror=incompatible-pointer-types",
    );
    if (!isRight) found.push(...output.split("\n").filter((line) => line.includes("error")));
    compareVersions();
    compareFunctions();
    for (const line of found) console.error(line);
    if (found.length > 0) process.exitCode = 1;
    else
      console.log(`api/cl.xml agrees with the headers: ${constants.length} constants, ${functions.length} functions`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
