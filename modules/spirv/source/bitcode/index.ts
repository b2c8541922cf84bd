// SPDX-License-Identifier: Apache-2.0
// SPIR 1.2: kernels in LLVM bitcode, by way of SPIR-V. The bitcode is written as a SPIR-V module, as LLVM's translator
// does it, and the reader of SPIR-V does the rest: built-in functions by their mangled names, images, the layout of
// memory, kernels. So there is one way from ids to the IR (docs/decisions/071-bitcode-by-spirv.md).
//
//   1. the stream as blocks and records (bitstream.ts);
//   2. types, globals, attributes and metadata as tables (model.ts);
//   3. heads of functions; bodies record by record (functions.ts, calls.ts), constants where they are used (values.ts);
//   4. kernels as entry points, with what metadata says of their arguments and work-groups.
//
// Read is what LLVM 5 to 14 write, whose pointers have types. Cost: linear in the bits.
import { type Result, err, ok } from "@muxkit/cargo";
import type { Module } from "@muxkit/ir";

import { enumerant } from "../grammar/tables.ts";
import { type ReaderOptions, readSpirv } from "../reader/index.ts";
import { type BitcodeBlock, type BitcodeError, attempt, isBlock, readBitstream, refuse } from "./bitstream.ts";
import { Emitter, stringWords } from "./emitter.ts";
import { FunctionWriter } from "./function-writer.ts";
import { ROWS } from "./functions.ts";
import {
  type BitcodeFunction,
  type BitcodeModule,
  type Metadata,
  readMetadata,
  readModule,
  recordsOf,
} from "./model.ts";
import { Values } from "./values.ts";

const INTERNAL: ReadonlySet<number> = new Set([3, 9]);
const METADATA = 15;
const ATTACHMENTS = 16;
const LINKAGE = enumerant("Decoration", "LinkageAttributes");
/** Sizes by their names in metadata: how many numbers, and the mode. */
const SIZES = {
  reqd_work_group_size: [3, "LocalSize"],
  work_group_size_hint: [3, "LocalSizeHint"],
  intel_reqd_sub_group_size: [1, "SubgroupSize"],
} as const;

/** Decorations by the words of a type that has them. */
const QUALIFIERS: Readonly<Record<string, readonly number[]>> = {
  const: [enumerant("Decoration", "FuncParamAttr"), enumerant("FunctionParameterAttribute", "NoWrite")],
  restrict: [enumerant("Decoration", "Restrict")],
  volatile: [enumerant("Decoration", "Volatile")],
};

/** A function with its id. */
interface Head {
  readonly facts: BitcodeFunction;
  readonly id: number;
}

/** Facts of a kernel by their names, as metadata has them: texts, or numbers. */
type KernelFacts = ReadonlyMap<string, readonly (string | number)[]>;

function writeHead(emitter: Emitter, { facts, id }: Head, isEntry: boolean): number[] {
  emitter.bit = facts.bit;
  const type = emitter.typeAt(facts.type);
  if (type.kind !== "function") return refuse(facts.bit, `${facts.name} has a type that is no function's`);
  emitter.put("functions", "OpFunction", emitter.type(type.result), id, 0, emitter.type(facts.type));
  if (!isEntry && !INTERNAL.has(facts.linkage)) {
    const kind = enumerant("LinkageType", facts.isDeclared ? "Import" : "Export");
    emitter.put("decorations", "OpDecorate", id, LINKAGE, ...stringWords(facts.name), kind);
  }
  return type.parameters.map((parameter, index) => {
    const own = emitter.id();
    emitter.put("functions", "OpFunctionParameter", emitter.type(parameter), own);
    if (facts.byValue.has(index))
      emitter.put(
        "decorations",
        "OpDecorate",
        own,
        enumerant("Decoration", "FuncParamAttr"),
        enumerant("FunctionParameterAttribute", "ByVal"),
      );
    return own;
  });
}

/** What the nodes of a list say: texts and numbers. */
function textsOf(values: Values, metadata: readonly Metadata[], nodes: readonly number[]): (string | number)[] {
  return nodes.map((node) => {
    const one = metadata[node - 1];
    if (one?.kind === "string") return one.text;
    return one?.kind === "value" && one.value < values.all.length ? Number(values.at(one.value).number ?? 0n) : 0;
  });
}

/** Facts that are attached to a body, as clang writes them. */
function attachedFacts(module: BitcodeModule, values: Values, body: BitcodeBlock): KernelFacts {
  const metadata = [...module.metadata];
  const facts = new Map<string, readonly (string | number)[]>();
  for (const item of body.items) if (isBlock(item) && item.id === METADATA) readMetadata(item, metadata, new Map());
  for (const item of body.items) {
    if (!isBlock(item) || item.id !== ATTACHMENTS) continue;
    for (const { operands } of recordsOf(item)) {
      if (operands.length % 2 !== 0) continue;
      for (let at = 0; at < operands.length; at += 2) {
        const node = metadata[operands[at + 1] ?? 0];
        const name = module.kinds.get(operands[at] ?? 0);
        if (name !== undefined && node?.kind === "node") facts.set(name, textsOf(values, metadata, node.nodes));
      }
    }
  }
  return facts;
}

/** Facts that `opencl.kernels` lists, as SPIR 1.2 has them, by the values of functions. */
function listedFacts(module: BitcodeModule, values: Values): ReadonlyMap<number, KernelFacts> {
  const { metadata } = module;
  const all = new Map<number, KernelFacts>();
  for (const index of module.named.get("opencl.kernels") ?? []) {
    const kernel = metadata[index];
    if (kernel?.kind !== "node") continue;
    const [first = 0, ...rest] = kernel.nodes;
    const value = metadata[first - 1];
    if (value?.kind !== "value") continue;
    const facts = new Map<string, readonly (string | number)[]>();
    for (const one of rest) {
      const node = metadata[one - 1];
      if (node?.kind !== "node") continue;
      const [name, ...texts] = textsOf(values, metadata, node.nodes);
      if (typeof name === "string") facts.set(name, texts);
    }
    all.set(values.at(value.value).function, facts);
  }
  return all;
}

function writeKernel(
  emitter: Emitter,
  id: number,
  name: string,
  parameters: readonly number[],
  facts: KernelFacts,
): void {
  emitter.put("entries", "OpEntryPoint", enumerant("ExecutionModel", "Kernel"), id, ...stringWords(name));
  for (const [key, [count, mode]] of Object.entries(SIZES)) {
    const sizes = facts.get(key);
    if (sizes?.length !== count) continue;
    if (mode === "SubgroupSize") emitter.need("SubgroupDispatch");
    emitter.put("modes", "OpExecutionMode", id, enumerant("ExecutionMode", mode), ...sizes.map(Number));
  }
  const types = facts.get("kernel_arg_type");
  if (types !== undefined && types.length > 0)
    emitter.put("strings", "OpString", emitter.id(), ...stringWords(`kernel_arg_type.${name}.${types.join(",")},`));
  for (const [index, text] of (facts.get("kernel_arg_type_qual") ?? []).entries()) {
    const parameter = parameters[index];
    if (parameter === undefined) continue;
    for (const word of String(text).split(" ")) {
      const words = QUALIFIERS[word];
      if (words !== undefined) emitter.put("decorations", "OpDecorate", parameter, ...words);
    }
  }
  for (const [index, text] of (facts.get("kernel_arg_name") ?? []).entries()) {
    const parameter = parameters[index];
    if (parameter !== undefined && text !== "") emitter.put("names", "OpName", parameter, ...stringWords(String(text)));
  }
}

/** A kernel that is called: an entry point around it. */
function writeWrapper(emitter: Emitter, head: Head): { readonly id: number; readonly parameters: readonly number[] } {
  const id = emitter.id();
  const parameters = writeHead(emitter, { facts: head.facts, id }, true);
  emitter.put("functions", "OpLabel", emitter.id());
  emitter.put("functions", "OpFunctionCall", emitter.once("OpTypeVoid", null), emitter.id(), head.id, ...parameters);
  emitter.put("functions", "OpReturn");
  emitter.put("functions", "OpFunctionEnd");
  return { id, parameters };
}

/** A module in SPIR-V, and the bits of its instructions. */
function translate(blocks: readonly BitcodeBlock[]): ReturnType<Emitter["finish"]> {
  const module = readModule(blocks);
  const emitter = new Emitter(module);
  const heads = module.functions.map((facts) => ({ facts, id: emitter.id() }));
  const values = new Values(emitter);
  values.addGlobals(
    module,
    heads.map(({ id }) => id),
  );
  for (const block of module.constants) values.addConstants(block);
  const isSkipped = ({ facts }: Head): boolean =>
    facts.name.startsWith("llvm.") || facts.name === "__translate_sampler_initializer";
  for (const head of heads)
    if (head.facts.isDeclared && !isSkipped(head)) {
      void writeHead(emitter, head, false);
      emitter.put("functions", "OpFunctionEnd");
    }
  const listed = listedFacts(module, values);
  const called = new Set<number>();
  const kernels: {
    readonly head: Head;
    readonly number: number;
    readonly parameters: readonly number[];
    readonly facts: KernelFacts;
  }[] = [];
  let body = 0;
  for (const [number, head] of heads.entries()) {
    if (head.facts.isDeclared) continue;
    const block = module.bodies[body++] ?? refuse(head.facts.bit, `the function ${head.facts.name} has no body`);
    const parameters = writeHead(emitter, head, head.facts.isKernel);
    const type = emitter.typeAt(head.facts.type);
    const before = values.all.length;
    if (type.kind === "function")
      for (const [index, one] of type.parameters.entries()) values.add(one, parameters[index] ?? 0);
    new FunctionWriter(emitter, values, heads, called).write(block, ROWS);
    emitter.put("functions", "OpFunctionEnd");
    if (head.facts.isKernel || listed.has(number))
      kernels.push({ head, number, parameters, facts: listed.get(number) ?? attachedFacts(module, values, block) });
    values.all.length = before;
  }
  for (const { head, number, parameters, facts } of kernels) {
    const entry = called.has(number) ? writeWrapper(emitter, head) : { id: head.id, parameters };
    writeKernel(emitter, entry.id, head.facts.name, entry.parameters, facts);
  }
  return emitter.finish();
}

/** Writes bitcode as SPIR-V, with the bit for each instruction: pairs of its first word and its bit. @internal */
export function spirvOfBitcode(bytes: Uint8Array): Result<ReturnType<Emitter["finish"]>, BitcodeError> {
  const blocks = readBitstream(bytes);
  return blocks.ok ? attempt(() => translate(blocks.value)) : blocks;
}

/**
 * Reads kernels in LLVM bitcode, as SPIR 1.2 and clang's targets `spir` and `spir64` have them, to the IR.
 *
 * @public
 */
export function readSpir(bytes: Uint8Array, options: ReaderOptions): Result<Module, BitcodeError> {
  const written = spirvOfBitcode(bytes);
  if (!written.ok) return written;
  const { binary, places } = written.value;
  const read = readSpirv(binary, options);
  if (read.ok) return ok(read.value);
  const { offset, message, instruction } = read.error;
  let bit = 0;
  for (let at = 0; at < places.length && (places[at] ?? 0) <= offset; at += 2) bit = places[at + 1] ?? 0;
  return err({ bit, message: `${message}${instruction === "" ? "" : `, in SPIR-V ${instruction}`}` });
}
