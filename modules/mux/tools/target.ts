// SPDX-License-Identifier: Apache-2.0
// The interface that targets implement, and the stub target.
import { API, BANNER, type FunctionNode, methodName, TARGET_FUNCTIONS, usedNames, withoutAllocator } from "./schema.ts";

/** The result of a target's method: commands have none, their sync-point is a parameter. */
function resultType(fn: FunctionNode): string {
  if (fn.destroys !== undefined) return "void";
  return `Result<${fn.command === "true" ? "void" : fn.returns}, MuxFailure>`;
}

function parameterList(fn: FunctionNode): string {
  const own = withoutAllocator(fn).map(({ name, type }) => `${name}: ${type}`);
  if (fn.command === "true") own.push("syncPoint: MuxSyncPoint");
  if (fn.after === "dispatched") own.push("completed: () => void");
  return own.join(", ");
}

/** The comment of a target's method. */
function methodDoc(fn: FunctionNode): string {
  const sentences = [fn.doc];
  if (fn.command === "true") sentences.push("`syncPoint` is completed by this command.");
  if (fn.after === "dispatched")
    sentences.push(
      "`userFunction` comes before the semaphores; `completed` is called once on the host thread, after everything.",
    );
  return sentences.join(" ");
}

function typeImports(text: string): string {
  return `import type { ${usedNames(text, API.enum).join(", ")} } from "./enums.ts";
import type { ${usedNames(text, [...API.struct, ...API.union, ...API.handle]).join(", ")} } from "./structs.ts";
`;
}

/** source/generated/target.ts */
export function target(): string {
  const methods = TARGET_FUNCTIONS.map(
    (fn) => `  /** ${methodDoc(fn)} */
  ${methodName(fn.name)}(${parameterList(fn)}): ${resultType(fn)};
`,
  ).join("");
  const body = `/**
 * What a target implements. It receives checked values only: the front has checked what the reference requires. Objects
 * that it makes are of its own classes, which extend the handles; it recognises them by \`instanceof\`.
 *
 * @public
 */
export interface MuxTarget {
  /** Name for people. */
  readonly name: string;
  /** Its devices; \`targetNumber\` is the lowest byte of their ids. */
  getDeviceInfos(targetNumber: number): readonly MuxDeviceInfo[];
  /** Opens a device. */
  createDevice(info: MuxDeviceInfo): Result<MuxDevice, MuxFailure>;
${methods}  /** Waits until nothing of the queue is in flight, without blocking the thread (an addition of the kit). */
  waitAllAsync(queue: MuxQueue): Promise<Result<void, MuxFailure>>;
  /** Waits for a fence without blocking the thread (an addition of the kit). */
  tryWaitAsync(queue: MuxQueue, timeout: number, fence: MuxFence): Promise<Result<"ready" | "not_ready", MuxFailure>>;
  /**
   * True when objects of one of its devices can be used with the other, as those of a device and of a part of it;
   * without it there are no such devices (an addition of the kit).
   */
  sharesObjects?(left: MuxDevice, right: MuxDevice): boolean;
  /**
   * True when copies between buffers may read memory of another one of its devices. Absent: none do (an addition of the
   * kit).
   */
  reachesMemory?(device: MuxDevice, other: MuxDevice): boolean;
}
`;
  return `${BANNER}import type { Result } from "@muxkit/cargo";

import type { MuxDeviceInfo } from "../device-info.ts";
import type { MuxError, MuxFailure } from "../error.ts";
${typeImports(body)}
${body}`;
}

/** source/generated/stub-target.ts */
export function stub(): string {
  const methods = TARGET_FUNCTIONS.map((fn) => {
    const answer = fn.destroys === undefined ? `unsupported("${fn.name}")` : "undefined";
    return `  ${methodName(fn.name)}: () => ${answer},\n`;
  }).join("");
  return `${BANNER}import { type Result, err } from "@muxkit/cargo";

import type { MuxFailure } from "../error.ts";
import { MuxResult } from "./enums.ts";
import type { MuxTarget } from "./target.ts";

function unsupported(entry: string): Result<never, MuxFailure> {
  return err({ code: MuxResult.error_feature_unsupported, message: \`the stub target has no \${entry}\` });
}

/** A target that answers feature_unsupported everywhere; a new target starts from a copy. @public */
export const STUB_TARGET: MuxTarget = {
  name: "stub",
  getDeviceInfos: () => [],
  createDevice: () => unsupported("muxCreateDevices"),
${methods}  waitAllAsync: async () => unsupported("muxWaitAll"),
  tryWaitAsync: async () => unsupported("muxTryWait"),
};
`;
}
