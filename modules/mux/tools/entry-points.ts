// SPDX-License-Identifier: Apache-2.0
// The entry points of the front, in two layers: the calls, which call the target and update the state of the objects,
// and the entry points, which check their parameters before they do the call.
import {
  API,
  BANNER,
  type FunctionNode,
  indented,
  methodName,
  type ParamNode,
  TARGET_FUNCTIONS,
  usedNames,
  withoutAllocator,
} from "./schema.ts";

/** The device of a call: where target and parent checks come from. */
function deviceOf(fn: FunctionNode): string {
  const [first] = fn.param;
  if (first === undefined) throw new Error(`${fn.name} has no parameters`);
  return first.type === "MuxDevice" ? first.name : `${first.name}.device`;
}

/** All bits of an enumeration of bits. */
function allBits(name: string): string {
  return `Object.values<number>(${name}).reduce((bits, bit) => bits | bit, 0)`;
}

function ruleCheck(fn: FunctionNode, param: ParamNode): string[] {
  const at = `entry, "${param.name}", ${param.name}`;
  const checks: string[] = [];
  for (const word of param.rule.split(" ")) {
    const [rule = "", detail = ""] = word.split(":");
    switch (rule) {
      case "handle":
        checks.push(`check.handle(${at}, ${param.type})`);
        break;
      case "device":
      case "queueDevice":
        checks.push(`check.sameDevice(${at}, ${deviceOf(fn)})`);
        break;
      case "reachable":
        checks.push(`check.reachable(${at}, ${deviceOf(fn)})`);
        break;
      case "flags":
        checks.push(`check.flags(${at}, ${detail === "" ? "0xffff_ffff" : allBits(detail)})`);
        break;
      case "enum":
        checks.push(`check.member(${at}, ${detail})`);
        break;
      case "syncs":
        checks.push(`check.syncs(${at}, commandBuffer)`);
        break;
      case "handles":
        checks.push(`check.semaphores(${at}, queue.device)`);
        break;
      case "launches":
        checks.push(`check.launches(${at}, commandBuffer.device)`);
        break;
      case "fence":
        checks.push(`check.fence(${at}, queue.device, MuxFence)`);
        break;
      case "any":
        break;
      default:
        checks.push(`check.${rule}(${at})`);
    }
  }
  return checks;
}

/** What the front updates after a call. */
function updates(fn: FunctionNode): string[] {
  const lines: string[] = [];
  if (fn.after === "finalized") lines.push('commandBuffer.state.phase = "finalized";');
  if (fn.after === "recording")
    lines.push('commandBuffer.state.phase = "recording";', "commandBuffer.state.recording++;");
  if (fn.after === "cloned") lines.push('result.value.state.phase = "finalized";');
  if (fn.name === "muxMapMemory") lines.push("memory.state.isMapped = true;");
  if (fn.name === "muxUnmapMemory") lines.push("memory.state.isMapped = false;");
  for (const [name, object] of [
    ["muxBindBufferMemory", "buffer"],
    ["muxBindImageMemory", "image"],
  ] as const) {
    if (fn.name === name) lines.push(`${object}.state.memory = memory;`, `${object}.state.memoryOffset = offset;`);
  }
  return lines;
}

/** The statements from the checks to the call of the target, without indentation. */
function preparation(fn: FunctionNode, makesObject: boolean): string[] {
  const lines: string[] = [];
  if (fn.command === "true")
    lines.push(
      "const syncPoint = new MuxSyncPoint({ commandBuffer, device: commandBuffer.device });",
      "syncPoint.state.recording = commandBuffer.state.recording;",
    );
  if (makesObject) lines.push(`if (!allocatorInfo.allocate(OBJECT_BYTES, 8)) return err(refused("${fn.name}"));`);
  if (fn.after === "dispatched")
    lines.push("const end = begin(commandBuffer, fence, waitSemaphores, signalSemaphores);");
  return lines;
}

/** The call of the target. */
function targetCall(fn: FunctionNode): string {
  const names = withoutAllocator(fn).map(({ name }) => name);
  if (fn.command === "true") names.push("syncPoint");
  if (fn.after === "dispatched") names.push("end");
  return `${deviceOf(fn)}.target.${methodName(fn.name)}(${names.join(", ")})`;
}

/** The statements from the call of the target to the end. */
function callAndReturn(fn: FunctionNode, makesObject: boolean): string {
  if (fn.destroys !== undefined)
    return `  ${targetCall(fn)};
  ${fn.destroys}.state.isAlive = false;
  allocatorInfo.free(OBJECT_BYTES);
  return ok();
`;
  const undo = [
    ...(makesObject ? ["allocatorInfo.free(OBJECT_BYTES);"] : []),
    ...(fn.after === "dispatched" ? ["end();"] : []),
  ];
  const refusal = `return failed("${fn.name}", result.error);`;
  const unless =
    undo.length === 0
      ? `  if (!result.ok) ${refusal}\n`
      : `  if (!result.ok) {\n${indented([...undo, refusal], 4)}  }\n`;
  return `  const result = ${targetCall(fn)};
${unless}${indented(updates(fn), 2)}  return ${fn.command === "true" ? "ok(syncPoint)" : "result"};
`;
}

function creates(fn: FunctionNode): boolean {
  return fn.destroys === undefined && fn.param.some(({ rule }) => rule === "allocator");
}

function documentation(fn: FunctionNode): string {
  return `/**
 * ${fn.doc}
 *
${fn.param.map(({ name, doc }) => ` * @param ${name} - ${doc}`).join("\n")}
 *
 * @public
 */`;
}

function signature(fn: FunctionNode): string {
  const parameters = fn.param.map(({ name, type }) => `${name}: ${type}`);
  return `export function ${fn.name}(${parameters.join(", ")}): Result<${fn.returns}, MuxError>`;
}

function call(fn: FunctionNode): string {
  return `/** ${fn.doc} @public */
${signature(fn)} {
${indented(preparation(fn, creates(fn)), 2)}${callAndReturn(fn, creates(fn))}}
`;
}

function entryPoint(fn: FunctionNode): string {
  const rules = (fn.check ?? []).map(({ name }) => `rules.${name}(entry, given)`);
  const checks = [...fn.param.flatMap((param) => ruleCheck(fn, param)), ...rules];
  const names = withoutAllocator(fn).map(({ name }) => name);
  const given = rules.length === 0 ? [] : [`const given = { ${names.join(", ")} };`];
  return `${documentation(fn)}
${signature(fn)} {
  const entry = "${fn.name}";
${indented(given, 2)}  const wrong =
    ${checks.join("\n    ?? ")};
  return wrong === null ? calls.${fn.name}(${fn.param.map(({ name }) => name).join(", ")}) : err(wrong);
}
`;
}

/** The import of the names of a module's structures, of those as values that are needed so. */
function importOf(body: string, values: ReadonlySet<string>): string {
  const imported = usedNames(body, [...API.struct, ...API.union, ...API.handle]).map((name) =>
    values.has(name) && API.handle.some((handle) => handle.name === name) ? name : `type ${name}`,
  );
  return `import { ${imported.join(", ")} } from "./structs.ts";`;
}

/** source/generated/calls.ts */
export function calls(): string {
  const body = TARGET_FUNCTIONS.map(call).join("\n");
  return `${BANNER}import { type Result, err, ok } from "@muxkit/cargo";

import { begin, refused } from "../dispatches.ts";
import { type MuxError, failed } from "../error.ts";
import { OBJECT_BYTES } from "../registry.ts";
import type { ${usedNames(body, API.enum).join(", ")} } from "./enums.ts";
${importOf(body, new Set(["MuxSyncPoint"]))}

${body}`;
}

/** source/generated/entry-points.ts */
export function entryPoints(): string {
  const body = TARGET_FUNCTIONS.map(entryPoint).join("\n");
  const values = new Set([
    ...TARGET_FUNCTIONS.flatMap((fn) => fn.param.filter(({ rule }) => rule.includes("handle")).map(({ type }) => type)),
    "MuxFence",
  ]);
  return `${BANNER}import { type Result, err } from "@muxkit/cargo";

import * as check from "../checks.ts";
import type { MuxError } from "../error.ts";
import * as rules from "../rules.ts";
import * as calls from "./calls.ts";
import { ${usedNames(body, API.enum).join(", ")} } from "./enums.ts";
${importOf(body, values)}

${body}`;
}
