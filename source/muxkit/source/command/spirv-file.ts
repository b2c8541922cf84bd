// SPDX-License-Identifier: Apache-2.0
// What `muxkit spirv` does with a file. Binaries and assembly are told apart by their first bytes, so that each action
// but `as` takes both.
import { writeFileSync } from "node:fs";

import {
  OP_ROWS,
  type SpirvError,
  type SpirvModule,
  type ValidationEnvironment,
  assemble,
  bytesOfWords,
  describeSpirvError,
  disassemble,
  instructionText,
  isSpirv,
  parseModule,
  validateModule,
  versionText,
} from "@muxkit/spirv";

import { InputError, type Parsed, type Streams, UsageError } from "./command.ts";
import { fileReason } from "./file-reason.ts";
import { readBytes, textOf } from "./read-file.ts";

const ENVIRONMENTS: readonly ValidationEnvironment[] = ["universal", "opencl", "vulkan"];
const VERSIONS = /^1\.[0-6]$/u;

function write(file: string, content: string | Uint8Array, streams: Streams): void {
  if (file === "-") {
    if (typeof content === "string") streams.out(content);
    else if (streams.bytes === undefined) throw new UsageError("bytes cannot be written here; give a file with -o");
    else streams.bytes(content);
    return;
  }
  try {
    writeFileSync(file, content);
  } catch (cause) {
    throw new InputError(`${file} cannot be written: ${fileReason(cause)}`, { cause });
  }
}

function refused(file: string, error: SpirvError): InputError {
  return new InputError(`${file}: ${describeSpirvError(error)}`);
}

/** The words of a text of assembly. */
function assembled(file: string, bytes: Uint8Array, { values }: Parsed): Uint32Array {
  const { "spirv-version": version, "renumber-ids": renumbers } = values;
  if (version !== undefined && !VERSIONS.test(String(version)))
    throw new UsageError(`--spirv-version takes 1.0 to 1.6, not "${String(version)}"`);
  const result = assemble(textOf(file, bytes), {
    keepsNumbers: renumbers !== true,
    ...(typeof version === "string" ? { version } : {}),
  });
  if (result.ok) return result.value;
  const { line, column, message } = result.error;
  throw new InputError(`${file}:${line}:${column}: ${message}`);
}

/** The module of a file, which is a binary or assembly. */
function moduleOf(file: string, parsed: Parsed): SpirvModule {
  const bytes = readBytes(file);
  const result = parseModule(isSpirv(bytes) ? bytes : assembled(file, bytes, parsed));
  if (!result.ok) throw refused(file, result.error);
  return result.value;
}

type Action = (file: string, parsed: Parsed, streams: Streams) => number;

function outputOf({ values }: Parsed, otherwise: string): string {
  const { output } = values;
  return typeof output === "string" ? output : otherwise;
}

/** Instructions of a name, in assembly. */
function listed(module: SpirvModule, names: ReadonlySet<string>): readonly string[] {
  const opcodes = new Set([...names].map((name) => OP_ROWS.get(name)?.opcode));
  const texts: string[] = [];
  for (let at = 0; at < module.count; at++)
    if (opcodes.has(module.opcodes[at])) texts.push(instructionText(module, at));
  return texts;
}

/** What a module declares, and of what it is made. */
function infoText(module: SpirvModule): string {
  const byClass = new Map<string, number>();
  const classOf = new Map([...OP_ROWS.values()].map((row) => [row.opcode, row.class]));
  for (const opcode of module.opcodes) {
    const name = classOf.get(opcode) ?? "";
    byClass.set(name, (byClass.get(name) ?? 0) + 1);
  }
  const declared = listed(
    module,
    new Set([
      "OpCapability",
      "OpExtension",
      "OpExtInstImport",
      "OpMemoryModel",
      "OpEntryPoint",
      "OpExecutionMode",
      "OpExecutionModeId",
      "OpSource",
    ]),
  );
  const counts = [...byClass].toSorted(([, a], [, b]) => b - a).map(([name, count]) => `  ${name} ${count}`);
  return (
    `SPIR-V ${versionText(module.version)}, ${module.words.length} words, ${module.count} instructions, ` +
    `ids below ${module.bound}\n\ndeclared\n${declared.map((text) => `  ${text}\n`).join("")}` +
    `\ninstructions by class\n${counts.join("\n")}\n`
  );
}

const ACTIONS: Readonly<Record<string, Action>> = {
  dis: (file, parsed, streams) => {
    const { values } = parsed;
    const text = disassemble(moduleOf(file, parsed), {
      names: values["raw-ids"] === true ? "raw" : "friendly",
      hasHeader: values["no-header"] !== true,
      isIndented: values["no-indent"] !== true,
      hasOffsets: values["offsets"] === true,
    });
    if (!text.ok) throw refused(file, text.error);
    write(outputOf(parsed, "-"), text.value, streams);
    return 0;
  },
  as: (file, parsed, streams) => {
    const bytes = readBytes(file);
    if (isSpirv(bytes)) throw new InputError(`${file} is a binary already, not assembly`);
    const output = outputOf(parsed, file === "-" ? "-" : `${file.replace(/\.spvasm$/u, "")}.spv`);
    write(output, bytesOfWords(assembled(file, bytes, parsed)), streams);
    return 0;
  },
  val: (file, parsed, streams) => {
    const { environment: asked = "universal", errors: most = "1" } = parsed.values;
    const environment = ENVIRONMENTS.find((name) => name === asked);
    if (environment === undefined)
      throw new UsageError(`--environment takes ${ENVIRONMENTS.join(", ")}, not "${String(asked)}"`);
    if (!/^[1-9]\d{0,5}$/u.test(String(most)))
      throw new UsageError(`--errors takes a positive number, not "${String(most)}"`);
    const errors = validateModule(moduleOf(file, parsed), { environment, mostErrors: Number(most) });
    for (const error of errors) streams.error(`${file}: ${describeSpirvError(error)}\n`);
    return errors.length === 0 ? 0 : 1;
  },
  info: (file, parsed, streams) => {
    write(outputOf(parsed, "-"), infoText(moduleOf(file, parsed)), streams);
    return 0;
  },
};

/** What `muxkit spirv` does. */
export function runSpirv(parsed: Parsed, streams: Streams): number {
  const [name = "", file, ...more] = parsed.positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const names = Object.keys(ACTIONS).join(", ");
  if (action === undefined)
    throw new UsageError(`spirv takes ${names}, ${name === "" ? "and a file" : `not "${name}"`}`);
  if (file === undefined || more.length > 0)
    throw new UsageError(
      `spirv ${name} takes one file, or - for standard input, not ${more.length + (file === undefined ? 0 : 1)}`,
    );
  return action(file, parsed, streams);
}
