// SPDX-License-Identifier: Apache-2.0
// Writes the tables of docs/kernel-abi.md between its markers, the C header of the hand-written kernels of the
// benchmarks, and the byte offsets as constants, from the tables of this package. With --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";

import {
  type AbiStruct,
  CANCEL_CHECK_CLOCK,
  CANCEL_LEAVE,
  CANCEL_NONE,
  DISPATCH_STRUCT,
  IMAGE_DESCRIPTOR_STRUCT,
  KERNEL_ABI_VERSION,
  KERNEL_DONE,
  KERNEL_LEFT,
  layoutStruct,
  PIPE_STRUCT,
  type PointerBytes,
  PRINTF_AREA_STRUCT,
  PRINTF_RECORD_STRUCT,
  SAMPLER_ADDRESSING,
  SAMPLER_COMPARES,
  SAMPLER_MIRROR_CLAMP_TO_EDGE,
  SAMPLER_SHIFT,
  SAMPLER_COMPARISON,
  SAMPLER_FILTER,
  SAMPLER_NORMALIZED,
  typeBytes,
  WORKER_STRUCT,
} from "../source/index.ts";

const POINTER_BYTES: PointerBytes = 4;

const PAGE = new URL("../../../docs/kernel-abi.md", import.meta.url);
const OFFSETS = new URL("../source/generated/offsets.ts", import.meta.url);
const HEADER = new URL("../../../benchmarks/wasm/kernel-abi.h", import.meta.url);

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** A table of a structure's fields, and its size. */
function structTable(struct: AbiStruct): string {
  const { offsets, bytes } = layoutStruct(struct, POINTER_BYTES);
  const rows = struct.fields.map(({ name, type, count, text }) => {
    const shown = count === 1 ? type : `${type}[${count}]`;
    return `| ${offsets[name]} | \`${snakeCase(name)}\` | ${shown} | ${text} |`;
  });
  return [
    `${bytes} bytes at a multiple of ${struct.alignment}.`,
    "",
    "| offset | field | type | content |",
    "|--:|---|---|---|",
    ...rows,
  ].join("\n");
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

const CANCEL_WORDS: readonly (readonly [number, string])[] = [
  [CANCEL_NONE, "continue"],
  [CANCEL_CHECK_CLOCK, "decrement `countdown`; at zero set it to 2^20 and call `env.clock`"],
  [CANCEL_LEAVE, `leave and return ${KERNEL_LEFT}`],
];

function cancelTable(): string {
  const rows = CANCEL_WORDS.map(([value, text]) => `| ${value} | ${text} |`);
  return ["| cancel word | what generated code does |", "|--:|---|", ...rows].join("\n");
}

function samplerTable(): string {
  const rows = [
    `| ${hex(SAMPLER_NORMALIZED)} | coordinates are normalised |`,
    ...Object.entries(SAMPLER_ADDRESSING).map(([name, bits]) => `| ${hex(bits)} | addressing: \`${name}\` |`),
    ...Object.entries(SAMPLER_FILTER).map(([name, bits]) => `| ${hex(bits)} | filter: \`${name}\` |`),
    `| ${hex(SAMPLER_COMPARES)} | shaders: texels are compared with a reference |`,
    ...Object.entries(SAMPLER_COMPARISON).map(([name, bits]) => `| ${hex(bits)} | comparison: \`${name}\` |`),
    `| ${hex(SAMPLER_MIRROR_CLAMP_TO_EDGE)} | shaders: addressing, mirrored once |`,
    ...Object.entries(SAMPLER_SHIFT).map(([name, shift]) => `| from bit ${shift} on | shaders: \`${name}\` |`),
  ];
  return ["| bits | meaning |", "|--:|---|", ...rows].join("\n");
}

/** What stands between each pair of markers of the page. */
const SECTIONS: Readonly<Record<string, () => string>> = {
  version: () => `This is version ${KERNEL_ABI_VERSION} of the kernel ABI.`,
  dispatch: () => structTable(DISPATCH_STRUCT),
  worker: () => structTable(WORKER_STRUCT),
  "cancel-word": cancelTable,
  "image-descriptor": () => structTable(IMAGE_DESCRIPTOR_STRUCT),
  sampler: samplerTable,
  "printf-area": () => structTable(PRINTF_AREA_STRUCT),
  "printf-record": () => structTable(PRINTF_RECORD_STRUCT),
  pipe: () => structTable(PIPE_STRUCT),
};

/** The page with the text between its markers replaced. Throws where markers and sections do not agree. */
function page(old: string): string {
  const seen = new Set<string>();
  const text = old.replaceAll(
    /(<!-- generated: ([a-z-]+) -->\n)[^]*?(<!-- end of generated -->)/gu,
    (_, begin: string, name: string, end: string) => {
      const section = SECTIONS[name];
      if (section === undefined) throw new Error(`docs/kernel-abi.md: there is no section ${name}`);
      seen.add(name);
      return `${begin}\n${section()}\n\n${end}`;
    },
  );
  const missing = Object.keys(SECTIONS).filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`docs/kernel-abi.md has no markers for ${missing.join(", ")}`);
  return text;
}

const C_TYPES = { u32: "uint32_t", u64: "uint64_t", address: "uint32_t" } as const;

function cStruct(struct: AbiStruct): string {
  const fields = struct.fields.map(({ name, type, count, text }) => {
    const declared = `${C_TYPES[type]} ${snakeCase(name)}${count === 1 ? "" : `[${count}]`};`;
    return `  ${declared.padEnd(30)} /* ${text} */`;
  });
  const { offsets, bytes } = layoutStruct(struct, POINTER_BYTES);
  const last = struct.fields.at(-1);
  const end = last === undefined ? 0 : (offsets[last.name] ?? 0) + typeBytes(last.type, POINTER_BYTES) * last.count;
  if (end !== bytes) throw new Error(`${struct.cName} ends with padding, which a reserved field has to name`);
  return `typedef struct {
${fields.join("\n")}
} ${struct.cName};
_Static_assert(sizeof(${struct.cName}) == ${bytes}, "size of ${struct.cName}");
`;
}

function header(): string {
  return `// SPDX-License-Identifier: Apache-2.0
/* The structures of the kernel ABI (docs/kernel-abi.md) for addresses of 32 bits. Generated by npm run kernel-abi. */
#pragma once
#include <stdint.h>

#define KERNEL_ABI_VERSION ${KERNEL_ABI_VERSION}
#define KERNEL_DONE ${KERNEL_DONE}
#define KERNEL_LEFT ${KERNEL_LEFT}

${[DISPATCH_STRUCT, WORKER_STRUCT].map(cStruct).join("\n")}`;
}

interface OffsetsRow {
  readonly name: string;
  readonly type: string;
  readonly struct: AbiStruct;
  readonly of: string;
  readonly size: readonly [name: string, of: string];
}

const OFFSET_ROWS: readonly OffsetsRow[] = [
  {
    name: "DISPATCH",
    type: "DispatchField",
    struct: DISPATCH_STRUCT,
    of: "in the dispatch block",
    size: ["DISPATCH_BYTES", "of the dispatch block"],
  },
  {
    name: "WORKER",
    type: "WorkerField",
    struct: WORKER_STRUCT,
    of: "in the worker block",
    size: ["WORKER_BYTES", "of the worker block"],
  },
  {
    name: "PRINTF_AREA",
    type: "PrintfAreaField",
    struct: PRINTF_AREA_STRUCT,
    of: "in the header of a printf area",
    size: ["PRINTF_AREA_HEADER_BYTES", "of a printf area before its ring"],
  },
  {
    name: "PRINTF_RECORD",
    type: "PrintfRecordField",
    struct: PRINTF_RECORD_STRUCT,
    of: "in the header of a printf record",
    size: ["PRINTF_HEADER_BYTES", "of a printf record before its values"],
  },
  {
    name: "IMAGE_DESCRIPTOR",
    type: "ImageDescriptorField",
    struct: IMAGE_DESCRIPTOR_STRUCT,
    of: "in an image descriptor",
    size: ["IMAGE_DESCRIPTOR_BYTES", "of an image descriptor"],
  },
  {
    name: "PIPE",
    type: "PipeField",
    struct: PIPE_STRUCT,
    of: "in the header of a pipe",
    size: ["PIPE_HEADER_BYTES", "of a pipe before its cells"],
  },
];

/** source/generated/offsets.ts: programs have the numbers, and not what describes them. */
function offsetsFile(): string {
  const rows = OFFSET_ROWS.map(({ name, type, struct, of, size: [sizeName, ofSize] }) => {
    const { offsets, bytes } = layoutStruct(struct, POINTER_BYTES);
    const fields = struct.fields.map((field) => `  ${field.name}: ${offsets[field.name]},`).join("\n");
    return `/** Byte offsets ${of}. @public */
export const ${name}: Readonly<Record<${type}, number>> = {
${fields}
};
/** Bytes ${ofSize}. @public */
export const ${sizeName} = ${bytes};
`;
  });
  const types = OFFSET_ROWS.map(({ type }) => `  ${type},`).toSorted();
  return `// SPDX-License-Identifier: Apache-2.0
// Byte offsets of the structures for addresses of 32 bits, which is what the host target's code has. A target with wide
// pointers calls layoutStruct. Generated by npm run kernel-abi from structs.table.ts.
import type {
${types.join("\n")}
} from "../structs.table.ts";

${rows.join("\n")}
/** Bytes of a pipe's cell: a u32 state, and a u32 with the packets of the reservation that begins there. @public */
export const PIPE_CELL_BYTES = 8;
`;
}

const check = process.argv.includes("--check");
const outputs: readonly (readonly [URL, (old: string) => string])[] = [
  [PAGE, page],
  [HEADER, header],
  [OFFSETS, offsetsFile],
];
for (const [url, make] of outputs) {
  const old = readOrEmpty(url);
  const text = make(old);
  if (text === old) continue;
  console.error(`${check ? "stale" : "wrote"}: ${url.pathname}`);
  if (check) process.exitCode = 1;
  else writeFileSync(url, text);
}

/** A file that is not there yet is empty; the page's markers are missing then, which is an error of its own. */
function readOrEmpty(url: URL): string {
  try {
    return readFileSync(url, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
