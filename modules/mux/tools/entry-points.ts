// SPDX-License-Identifier: Apache-2.0
// The entry points of the front: each checks its parameters, calls the target, and updates the state of the objects.
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
function preparation(fn: FunctionNode, creates: boolean): string[] {
  const lines: string[] = [];
  if (fn.command === "true")
    lines.push(
      "const syncPoint = new MuxSyncPoint({ commandBuffer, device: commandBuffer.device });",
      "syncPoint.state.recording = commandBuffer.state.recording;",
    );
  if (creates) lines.push("if (!allocatorInfo.allocate(OBJECT_BYTES, 8)) return err(refused(entry));");
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
function callAndReturn(fn: FunctionNode, creates: boolean): string {
  if (fn.destroys !== undefined)
    return `  ${targetCall(fn)};
  ${fn.destroys}.state.isAlive = false;
  allocatorInfo.free(OBJECT_BYTES);
  return ok();
`;
  const undo = [
    ...(creates ? ["allocatorInfo.free(OBJECT_BYTES);"] : []),
    ...(fn.after === "dispatched" ? ["end();"] : []),
  ];
  const failure = 'muxError(result.error.code, entry, "", `${entry}: ${result.error.message}`, result.error.commandId)';
  return `  const result = ${targetCall(fn)};
  if (!result.ok) {
${indented(undo, 4)}    return err(${failure});
  }
${indented(updates(fn), 2)}  return ${fn.command === "true" ? "ok(syncPoint)" : "result"};
`;
}

function entryPoint(fn: FunctionNode): string {
  const rules = (fn.check ?? []).map(({ name }) => `rules.${name}(entry, given)`);
  const checks = [...fn.param.flatMap((param) => ruleCheck(fn, param)), ...rules];
  const creates = fn.destroys === undefined && fn.param.some(({ rule }) => rule === "allocator");
  const names = withoutAllocator(fn).map(({ name }) => name);
  const parameters = fn.param.map(({ name, type }) => `${name}: ${type}`);
  const given = rules.length === 0 ? [] : [`const given = { ${names.join(", ")} };`];
  return `/**
 * ${fn.doc}
 *
${fn.param.map(({ name, doc }) => ` * @param ${name} - ${doc}`).join("\n")}
 *
 * @public
 */
export function ${fn.name}(${parameters.join(", ")}): Result<${fn.returns}, MuxError> {
  const entry = "${fn.name}";
${indented(given, 2)}  const wrong =
    ${checks.join("\n    ?? ")};
  if (wrong !== null) return err(wrong);
${indented(preparation(fn, creates), 2)}${callAndReturn(fn, creates)}}
`;
}

/** source/generated/entry-points.ts */
export function entryPoints(): string {
  const body = TARGET_FUNCTIONS.map(entryPoint).join("\n");
  const values = new Set([
    ...TARGET_FUNCTIONS.flatMap((fn) => fn.param.filter(({ rule }) => rule.includes("handle")).map(({ type }) => type)),
    "MuxSyncPoint",
    "MuxFence",
  ]);
  const imported = usedNames(body, [...API.struct, ...API.union, ...API.handle]).map((name) =>
    values.has(name) && API.handle.some((handle) => handle.name === name) ? name : `type ${name}`,
  );
  return `${BANNER}import { type Result, err, ok } from "@muxkit/cargo";

import * as check from "../checks.ts";
import { begin, refused } from "../dispatches.ts";
import { type MuxError, muxError } from "../error.ts";
import { OBJECT_BYTES } from "../registry.ts";
import * as rules from "../rules.ts";
import { ${usedNames(body, API.enum).join(", ")} } from "./enums.ts";
import { ${imported.join(", ")} } from "./structs.ts";

${body}`;
}
