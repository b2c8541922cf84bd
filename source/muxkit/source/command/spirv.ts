// SPDX-License-Identifier: Apache-2.0
// muxkit spirv dis|as|val|info FILE: SPIR-V as assembly and back, whether it is valid, what it declares.
import type { ParsedCommand } from "./command.ts";

/** The command. */
export const SPIRV: ParsedCommand = {
  usage: "muxkit spirv dis|as|val|info FILE [options]",
  summary: "disassembles, assembles, validates SPIR-V",
  options: {
    output: { type: "string", short: "o" },
    "raw-ids": { type: "boolean" },
    "no-header": { type: "boolean" },
    "no-indent": { type: "boolean" },
    offsets: { type: "boolean" },
    "spirv-version": { type: "string" },
    "renumber-ids": { type: "boolean" },
    environment: { type: "string" },
    errors: { type: "string" },
  },
  help: {
    output: "FILE, -o FILE: write there, - being standard output; `as` writes FILE.spv where this is left out",
    "raw-ids": "dis: ids are numbers; `as` makes the same bytes of the text",
    "no-header": "dis: without the comments of the header",
    "no-indent": "dis: instructions begin in the first column",
    offsets: "dis: the byte of each instruction behind it",
    "spirv-version": "1.N: as: the version of the module; what the text says, or 1.6, where this is left out",
    "renumber-ids": "as: number ids in the order of the text, also those that are numbers",
    environment: "universal|opencl|vulkan: val: whose rules hold over those of SPIR-V; universal is the default",
    errors: "N: val: say up to N errors of the first stage that finds any; 1 is the default",
  },
  run: (parsed, streams, { load }) => load().runSpirv(parsed, streams),
};
